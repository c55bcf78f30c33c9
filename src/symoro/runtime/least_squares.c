/* Numeric inverse geometry by damped least squares; `least_squares.py` describes the algorithm and contains its NumPy
 * version.
 *
 * Before this text: descent.c with its definitions, WHOLE (number of completely given columns of the rotation) and
 * COLUMNS (their indices), STARTS (of the table).
 */
#define LEAST_PART 1e-3
#define SETTLED 1e-9
#define LAST_STEPS 100

/* The posture near q with the nearest pose, if the pose is not reached: damping increases after failed steps. */
static void approach(const Problem *p, double *q, const double *T, State *s, double *steps)
{
    double trial[JOINTS], lambda;
    State next;
    look(p, q, T, s);
    lambda = softened(p, s->cost);
    for (int i = 0; i < LAST_STEPS; ++i) {
        for (int j = 0; j < JOINTS; ++j) trial[j] = q[j];
        next = *s;
        *steps += 1;
        advance(p, trial, &next, lambda, NULL);
        look(p, trial, T, &next);
        if (next.cost < s->cost) {
            const int settled = s->cost - next.cost <= SETTLED * s->cost;
            for (int j = 0; j < JOINTS; ++j) q[j] = trial[j];
            *s = next;
            lambda /= 3;
            if (settled) return;
        } else {
            lambda *= 4;
        }
    }
}

/* Difference to a preferred posture in units of the joints, and its squared length. */
static double way(const Problem *p, const double *q, const double *prefer, double *d)
{
    double sum = 0;
    for (int j = 0; j < JOINTS; ++j) {
        const double apart = p->wraps[j] != 0 ? wrapped(prefer[j] - q[j]) : prefer[j] - q[j];
        d[j] = p->columns[j] == 0 ? 0 : apart / p->columns[j];
        sum += d[j] * d[j];
    }
    return sum;
}

/* Move along the postures that reach the pose, nearer to a preferred one with each accepted step. */
static void slide(const Problem *p, double *q, const double *T, const double *prefer, State *s, double *steps)
{
    double pull[JOINTS], trial[JOINTS], part = 1, length = way(p, q, prefer, pull);
    State next;
    for (int i = 0; i < p->iterations && part > LEAST_PART; ++i) {
        look(p, q, T, &next);
        for (int j = 0; j < JOINTS; ++j) trial[j] = q[j];
        way(p, q, prefer, pull);
        for (int j = 0; j < JOINTS; ++j) pull[j] *= part;
        advance(p, trial, &next, 0, pull);
        const int reached = descend(p, trial, T, &next, steps);
        const double now = way(p, trial, prefer, pull);
        if (reached && now < length) {
            const int settled = length - now <= SETTLED * length;
            for (int j = 0; j < JOINTS; ++j) q[j] = trial[j];
            s->residual = next.residual;
            length = now;
            part = part < 0.5 ? 2 * part : 1;
            if (settled) return;
        } else {
            part /= 4;
        }
    }
}

/* One pose. `first` is an initial posture, or NULL; `held` contains the positions of locked joints. */
static int reach(const Problem *p, const double *T, const double *held, const double *first, const double *prefer,
                 double *q, double *residual, double *steps, double *attempts)
{
    double far[STARTS], trial[JOINTS];
    State s;
    for (int i = 0; i < STARTS; ++i) far[i] = 0;
    for (int l = 0; l < ENTRIES; ++l) {
        const double goal = T[PLACES[l]], weight = p->weights[l];
        for (int i = 0; i < STARTS; ++i) {
            const double off = p->placed[STARTS * l + i] - goal;
            far[i] += weight * off * off;
        }
    }
    *residual = INFINITY;
    *steps = 0;
    for (*attempts = 0; *attempts < p->attempts;) {
        const double *start = first;
        if (!start || *attempts > 0) {
            int nearest = 0;
            for (int i = 1; i < STARTS; ++i)
                if (far[i] < far[nearest]) nearest = i;
            if (!(far[nearest] < INFINITY)) break;
            far[nearest] = INFINITY;
            start = p->starts + JOINTS * nearest;
        }
        for (int j = 0; j < JOINTS; ++j) trial[j] = p->columns[j] == 0 ? held[j] : start[j];
        *attempts += 1;
        const int reached = descend(p, trial, T, &s, steps);
        if (reached && prefer) slide(p, trial, T, prefer, &s, steps);
        if (reached || s.residual < *residual) {
            for (int j = 0; j < JOINTS; ++j) q[j] = trial[j];
            *residual = s.residual;
        }
        if (reached) return 1;
    }
    if (!(*residual < INFINITY)) return 0;
    approach(p, q, T, &s, steps);
    *residual = s.residual;
    return *residual <= p->tolerance;
}

/* n poses, one row each of T, held, first and prefer (the last two may be NULL), and of `out`: q, whether the pose is
 * reached, residual, steps, attempts. */
void numeric_rows(size_t n, const Problem *p, const double *T, const double *held, const double *first,
                  const double *prefer, double *out)
{
    for (size_t i = 0; i < n; ++i) {
        const size_t at = JOINTS * i;
        double *q = out + (JOINTS + 4) * i, *summary = q + JOINTS;
        for (int j = 0; j < JOINTS; ++j) q[j] = NAN;
        summary[0] = reach(p, T + 16 * i, held + at, first ? first + at : NULL, prefer ? prefer + at : NULL, q,
                           summary + 1, summary + 2, summary + 3);
    }
}

/* The given entries of the poses of n postures. */
void numeric_placed(size_t n, const double *q, const double *k, double *placed)
{
    static const double T[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    double e[ROWS], J[ROWS * JOINTS];
    (void)k;
    for (size_t i = 0; i < n; ++i) POSE_ERROR(q + JOINTS * i, T, k, e, J, placed + ENTRIES * i);
}

/* Whether all poses are valid: finite, and completely given columns are those of a rotation. */
int numeric_clean(size_t n, const double *T, double round_off)
{
    for (size_t i = 0; i < n; ++i, T += 16) {
        for (int l = 0; l < ENTRIES; ++l)
            if (!(fabs(T[PLACES[l]]) < INFINITY)) return 0;
        for (int a = 0; a < WHOLE; ++a)
            for (int b = 0; b <= a; ++b) {
                const double *u = T + COLUMNS[a], *v = T + COLUMNS[b];
                if (!(fabs(u[0] * v[0] + u[4] * v[4] + u[8] * v[8] - (a == b)) <= round_off)) return 0;
            }
        if (WHOLE == 3 && !(T[0] * (T[5] * T[10] - T[6] * T[9]) - T[1] * (T[4] * T[10] - T[6] * T[8]) +
                                T[2] * (T[4] * T[9] - T[5] * T[8]) > 0))
            return 0;
    }
    return 1;
}
