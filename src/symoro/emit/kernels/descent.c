/* Damped least squares within joint limits, from one posture to a pose.
 *
 * Defined before this text: JOINTS, ROWS (of the error), ENTRIES (number of given entries of the pose), PLACES (their
 * positions among the sixteen of T), and POSE_ERROR(q, T, k, e, J, placed), the emitted function.
 */
#include <math.h>
#include <stddef.h>

#define SHORT (ROWS < JOINTS ? ROWS : JOINTS)
#define TURN 6.283185307179586476925286766559
#define FLOOR 1e-15
#define MOST_COST 10
#define CHECK 4

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
