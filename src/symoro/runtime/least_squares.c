/* Numeric inverse geometry by damped least squares; `least_squares.py` describes the algorithm and contains its NumPy
 * version.
 *
 * Defined before this text: JOINTS, ROWS (of the error), ENTRIES (number of given entries of the pose) and PLACES (their
 * positions among the sixteen of T), WHOLE (number of completely given columns of the rotation) and COLUMNS (their
 * indices), STARTS (of the table), and POSE_ERROR(q, T, k, e, J, placed), the emitted function.
 */
#include <math.h>
#include <stddef.h>

#define SHORT (ROWS < JOINTS ? ROWS : JOINTS)
#define TURN 6.283185307179586476925286766559
#define FLOOR 1e-15
#define MOST_COST 10
#define CHECK 4
#define LEAST_PART 1e-3
#define SETTLED 1e-9
#define LAST_STEPS 100

typedef struct {
    const double *k;       /* constants of the emitted function */
    const double *lower;   /* limits of the joints, infinite if there are none */
    const double *upper;
    const double *wraps;   /* 1 for joints whose turns by 2 pi have no effect */
    const double *columns; /* unit of each joint: 1, a length for a prismatic one, 0 for a locked one */
    const double *rows;    /* weight of each row of the error */
    const double *weights; /* weight of each given entry in the distance between poses */
    const double *scales;  /* factor of each given entry in the residual: 1, or 1 / size of the robot for a position */
    const double *starts;  /* initial postures, one per row */
    const double *placed;  /* given entries of their poses, one start per column */
    double damping, patience, tolerance;
    double iterations, attempts; /* largest number of steps from one start, and of starts */
} Problem;

typedef struct {
    double e[ROWS], J[ROWS * JOINTS], cost, residual;
} State;

/* Error and Jacobian in the units of the problem; the residual is the largest entry of T(q) - T, scaled. */
static void look(const Problem *p, const double *q, const double *T, State *s)
{
    double placed[ENTRIES];
    POSE_ERROR(q, T, p->k, s->e, s->J, placed);
    s->cost = 0;
    for (int r = 0; r < ROWS; ++r) {
        s->e[r] *= p->rows[r];
        s->cost += 0.5 * s->e[r] * s->e[r];
        for (int j = 0; j < JOINTS; ++j) s->J[JOINTS * r + j] *= p->rows[r] * p->columns[j];
    }
    s->residual = 0;
    for (int i = 0; i < ENTRIES; ++i) {
        const double off = p->scales[i] * fabs(placed[i] - T[PLACES[i]]);
        if (!(off <= s->residual)) s->residual = off; /* keeps NaN */
    }
}

/* A x = b for a positive definite matrix, by Cholesky; x replaces b. */
static void solve_positive(double *A, double *b)
{
    for (int i = 0; i < SHORT; ++i) {
        double *Ai = A + SHORT * i;
        for (int j = 0; j < i; ++j) {
            const double *Aj = A + SHORT * j;
            double sum = Ai[j];
            for (int l = 0; l < j; ++l) sum -= Ai[l] * Aj[l];
            Ai[j] = sum * Aj[j];
        }
        double pivot = Ai[i];
        for (int l = 0; l < i; ++l) pivot -= Ai[l] * Ai[l];
        Ai[i] = pivot > 0 ? 1 / sqrt(pivot) : 0; /* inverse of the pivot; directions with only round-off are omitted */
        for (int l = 0; l < i; ++l) b[i] -= Ai[l] * b[l];
        b[i] *= Ai[i];
    }
    for (int i = SHORT - 1; i >= 0; --i) {
        for (int l = i + 1; l < SHORT; ++l) b[i] -= A[SHORT * l + i] * b[l];
        b[i] *= A[SHORT * i + i];
    }
}

/* x = J'(J J' + lambda I)^-1 e = (J'J + lambda I)^-1 J'e, by the smaller of the two. */
static void damped(const double *J, const double *e, double lambda, double *x)
{
    double A[SHORT * SHORT], b[SHORT], trace = 0;
    for (int i = 0; i < SHORT; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = 0;
#if ROWS < JOINTS
            for (int l = 0; l < JOINTS; ++l) sum += J[JOINTS * i + l] * J[JOINTS * j + l];
#else
            for (int l = 0; l < ROWS; ++l) sum += J[JOINTS * l + i] * J[JOINTS * l + j];
#endif
            A[SHORT * i + j] = sum;
        }
    for (int i = 0; i < SHORT; ++i) trace += A[SHORT * i + i];
    lambda += FLOOR * trace + 1e-300;
    for (int i = 0; i < SHORT; ++i) A[SHORT * i + i] += lambda;
#if ROWS < JOINTS
    for (int i = 0; i < SHORT; ++i) b[i] = e[i];
    solve_positive(A, b);
    for (int j = 0; j < JOINTS; ++j) {
        x[j] = 0;
        for (int r = 0; r < ROWS; ++r) x[j] += J[JOINTS * r + j] * b[r];
    }
#else
    for (int j = 0; j < JOINTS; ++j) {
        b[j] = 0;
        for (int r = 0; r < ROWS; ++r) b[j] += J[JOINTS * r + j] * e[r];
    }
    solve_positive(A, b);
    for (int j = 0; j < JOINTS; ++j) x[j] = b[j];
#endif
}

/* Damping for a cost; it is limited, so that distant poses do not lead to very small steps. */
static double softened(const Problem *p, double cost)
{
    return p->damping * (cost < MOST_COST ? cost : MOST_COST);
}

/* One step: q + pull + damped(e - J pull); a joint at its limit that would exceed it is excluded. J is overwritten. */
static void advance(const Problem *p, double *q, State *s, double lambda, double *pull)
{
    double e[ROWS], x[JOINTS];
    for (int pass = 0; pass <= JOINTS; ++pass) {
        for (int r = 0; r < ROWS; ++r) {
            e[r] = s->e[r];
            if (pull)
                for (int j = 0; j < JOINTS; ++j) e[r] -= s->J[JOINTS * r + j] * pull[j];
        }
        damped(s->J, e, lambda, x);
        int blocked = 0;
        for (int j = 0; j < JOINTS; ++j) {
            if (pull) x[j] += pull[j];
            if ((q[j] <= p->lower[j] && x[j] < 0) || (q[j] >= p->upper[j] && x[j] > 0)) {
                for (int r = 0; r < ROWS; ++r) s->J[JOINTS * r + j] = 0;
                if (pull) pull[j] = 0;
                x[j] = 0;
                blocked = 1;
            }
        }
        if (!blocked) break;
    }
    for (int j = 0; j < JOINTS; ++j) {
        const double moved = q[j] + p->columns[j] * x[j];
        q[j] = moved < p->lower[j] ? p->lower[j] : moved > p->upper[j] ? p->upper[j] : moved;
    }
}

static double wrapped(double angle)
{
    return angle - TURN * ceil(angle / TURN - 0.5);
}

/* One more step, accepted if it is better, and whole turns are removed; the final posture is evaluated. */
static void finish(const Problem *p, double *q, const double *T, State *s)
{
    double polished[JOINTS];
    const double residual = s->residual;
    for (int j = 0; j < JOINTS; ++j) polished[j] = q[j];
    advance(p, polished, s, softened(p, s->cost), NULL);
    for (int j = 0; j < JOINTS; ++j)
        if (p->wraps[j] != 0) polished[j] = wrapped(polished[j]);
    look(p, polished, T, s);
    if (s->residual <= residual) {
        for (int j = 0; j < JOINTS; ++j) q[j] = polished[j];
        return;
    }
    for (int j = 0; j < JOINTS; ++j)
        if (p->wraps[j] != 0) q[j] = wrapped(q[j]);
    look(p, q, T, s);
}

/* Steps from one posture until the pose is reached; 1 if it is. q and s are those of the last evaluated posture. */
static int descend(const Problem *p, double *q, const double *T, State *s, double *steps)
{
    double mark = INFINITY;
    for (int i = 0;; ++i) {
        look(p, q, T, s);
        if (s->residual <= p->tolerance) {
            finish(p, q, T, s);
            return s->residual <= p->tolerance;
        }
        if (i >= p->iterations || !(s->cost < INFINITY)) return 0;
        if (i % CHECK == CHECK - 1) { /* a start without progress is abandoned early */
            if (!(s->cost < p->patience * mark)) return 0;
            mark = s->cost;
        }
        *steps += 1;
        advance(p, q, s, softened(p, s->cost), NULL);
    }
}

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
