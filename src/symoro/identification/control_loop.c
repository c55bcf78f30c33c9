/* Simulation of a robot with a PD controller in fixed steps; `control_loop.py` contains the equations and the same
 * algorithm in NumPy. The kernel solve_ precedes this text.
 */
#include <stddef.h>

typedef void (*OfMotion)(const double *q, const double *qd, const double *qdd, double *out);
typedef void (*OfConstants)(const double *q, const double *qd, const double *qdd, const double *k, double *out);

typedef struct {
    const void *regressor;       /* address of the emitted regressor; of the direct dynamic model if columns is 0 */
    const double *constants;     /* its constants, or null; for the direct dynamic model they contain the parameters */
    const void *known;           /* address of the function of the known torques, or null */
    const double *known_constants;
    const double *K;             /* parameters of the columns of W */
    const double *inertia;       /* n x n: further inertia of coupled motors */
    const double *viscous;       /* n x n: their viscous friction */
    const double *stribeck;      /* n: factors of Stribeck's curve */
    const double *stribeck_velocity; /* n */
    const double *load;          /* n: factors of friction that grows with the load */
    const double *dry;           /* Coulomb friction of each coupled motor */
    const double *shares;        /* one row per coupled motor: its rate for a unit rate of each joint */
    const double *kp, *kd;       /* n */
    const double *reference;     /* samples x n */
    const double *reference_rate;
    double *work;                /* n (columns + n + 16) numbers */
    double h;
    size_t joints, columns, motors, samples, steps, parts;
} Loop;

static double sign(double x)
{
    return (double)((x > 0) - (x < 0));
}

static void call(const void *address, const double *constants, const double *q, const double *qd, const double *qdd,
                 double *out)
{
    union { const void *address; OfMotion plain; OfConstants of_constants; } f;
    f.address = address;
    if (constants) f.of_constants(q, qd, qdd, constants, out);
    else f.plain(q, qd, qdd, out);
}

/* Compute W(q, qd, qdd) K plus the known torques. */
static void model_torques(const Loop *loop, const double *q, const double *qd, const double *qdd, double *W, double *out)
{
    const size_t n = loop->joints;
    double *known = loop->work + n * (loop->columns + n + 15);
    call(loop->regressor, loop->constants, q, qd, qdd, W);
    if (loop->known) call(loop->known, loop->known_constants, q, qd, qdd, known);
    for (size_t i = 0; i < n; ++i) {
        double sum = loop->known ? known[i] : 0;
        for (size_t k = 0; k < loop->columns; ++k) sum += W[loop->columns * i + k] * loop->K[k];
        out[i] = sum;
    }
}

/* Add the friction torques that are not columns of W. */
static void add_friction(const Loop *loop, const double *qd, const double *tau, double *out)
{
    const size_t n = loop->joints;
    for (size_t i = 0; i < n; ++i) {
        const double part = qd[i] / loop->stribeck_velocity[i];
        out[i] += sign(qd[i]) * (loop->stribeck[i] * exp(-part * part) + loop->load[i] * fabs(tau[i]));
        for (size_t j = 0; j < n; ++j) out[i] += loop->viscous[n * i + j] * qd[j];
    }
    for (size_t m = 0; m < loop->motors; ++m) {
        const double *c = loop->shares + n * m;
        double rate = 0;
        for (size_t j = 0; j < n; ++j) rate += c[j] * qd[j];
        for (size_t i = 0; i < n; ++i) out[i] += loop->dry[m] * c[i] * sign(rate);
    }
}

/* Compute the accelerations qdd under the torques tau. */
static void accelerations(const Loop *loop, const double *q, const double *qd, const double *tau, double *qdd)
{
    const size_t n = loop->joints;
    double *W = loop->work, *M = W + n * loop->columns, *unit = M + n * n;
    double *rest = unit + n, *weight = rest + n, *column = weight + n, *right = column + n;
    if (!loop->columns) {
        call(loop->regressor, loop->constants, q, qd, tau, qdd);
        return;
    }
    for (size_t i = 0; i < n; ++i) unit[i] = rest[i] = 0;
    model_torques(loop, q, qd, unit, W, right);
    add_friction(loop, qd, tau, right);
    model_torques(loop, q, rest, unit, W, weight);
    for (size_t j = 0; j < n; ++j) {
        unit[j] = 1;
        model_torques(loop, q, rest, unit, W, column);
        unit[j] = 0;
        for (size_t i = 0; i < n; ++i) M[n * i + j] = column[i] - weight[i] + loop->inertia[n * i + j];
    }
    for (size_t i = 0; i < n; ++i) right[i] = tau[i] - right[i];
    solve_((int)n, M, right, qdd);
}

static void torques(const Loop *loop, const double *r, const double *rd, const double *q, const double *qd, double *tau)
{
    for (size_t i = 0; i < loop->joints; ++i)
        tau[i] = loop->kp[i] * (r[i] - q[i]) + loop->kd[i] * (rd[i] - qd[i]);
}

/* Compute the cubic reference and its rate at fraction u of the interval after a sample. */
static void reference_at(const Loop *loop, size_t sample, double u, double *r, double *rd)
{
    const size_t n = loop->joints;
    const double h = loop->h;
    const double *from = loop->reference + n * sample, *rate = loop->reference_rate + n * sample;
    for (size_t i = 0; i < n; ++i) {
        const double step = from[n + i] - from[i], begin = h * rate[i], end = h * rate[n + i];
        const double b = 3 * step - 2 * begin - end, c = begin + end - 2 * step;
        r[i] = from[i] + u * (begin + u * (b + u * c));
        rd[i] = (begin + u * (2 * b + u * 3 * c)) / h;
    }
}

/* Advance x and v by one fourth-order Runge-Kutta step from fraction u of the sampling interval. */
static void advance(const Loop *loop, size_t sample, double u, double part, double *x, double *v)
{
    const size_t n = loop->joints;
    const double h = part * loop->h;
    double *r = loop->work + n * (loop->columns + n + 5), *rd = r + n, *tau = r + 2 * n, *a = r + 3 * n;
    double *stage = r + 4 * n, *stage_rate = r + 5 * n, *next = r + 6 * n, *next_rate = r + 7 * n;
    const double reach[4] = {h / 2, h / 2, h, 0}, weight[4] = {h / 6, h / 3, h / 3, h / 6};
    const double at[4] = {0, 0.5, 0.5, 1};
    for (size_t i = 0; i < n; ++i) {
        stage[i] = next[i] = x[i];
        stage_rate[i] = next_rate[i] = v[i];
    }
    for (int s = 0; s < 4; ++s) {
        reference_at(loop, sample, u + at[s] * part, r, rd);
        torques(loop, r, rd, stage, stage_rate, tau);
        accelerations(loop, stage, stage_rate, tau, a);
        for (size_t i = 0; i < n; ++i) {
            next[i] += weight[s] * stage_rate[i];
            next_rate[i] += weight[s] * a[i];
            stage[i] = x[i] + reach[s] * stage_rate[i];
            stage_rate[i] = v[i] + reach[s] * a[i];
        }
    }
    for (size_t i = 0; i < n; ++i) {
        x[i] = next[i];
        v[i] = next_rate[i];
    }
}

/* Return whether a joint may change direction in a step; dry friction is discontinuous there. */
static int turns(size_t n, const double *v, const double *next_rate)
{
    for (size_t i = 0; i < n; ++i)
        if (fmin(fabs(v[i]), fabs(next_rate[i])) < fabs(next_rate[i] - v[i])) return 1;
    return 0;
}

/* Advance x and v by one step, which is subdivided if a joint may change direction. */
static void step(const Loop *loop, size_t sample, double u, double part, double *x, double *v)
{
    const size_t n = loop->joints;
    double *begin = loop->work + n * (loop->columns + n + 13), *begin_rate = begin + n;
    for (size_t i = 0; i < n; ++i) {
        begin[i] = x[i];
        begin_rate[i] = v[i];
    }
    advance(loop, sample, u, part, x, v);
    if (!turns(n, begin_rate, v)) return;
    for (size_t i = 0; i < n; ++i) {
        x[i] = begin[i];
        v[i] = begin_rate[i];
    }
    part /= (double)loop->parts;
    for (size_t s = 0; s < loop->parts; ++s) advance(loop, sample, u + part * (double)s, part, x, v);
}

static void next_row(size_t n, double *row)
{
    for (size_t i = 0; i < n; ++i) row[n + i] = row[i];
}

/* Compute the motion from the state in the first rows of q and qd; all four arrays are samples x n.
 * Return the number of finite samples.
 */
size_t closed_loop(const Loop *loop, double *q, double *qd, double *qdd, double *tau)
{
    const size_t n = loop->joints;
    for (size_t k = 0;; ++k) {
        double *x = q + n * k, *v = qd + n * k, *a = qdd + n * k;
        torques(loop, loop->reference + n * k, loop->reference_rate + n * k, x, v, tau + n * k);
        accelerations(loop, x, v, tau + n * k, a);
        for (size_t i = 0; i < n; ++i)
            if (!isfinite(x[i]) || !isfinite(v[i]) || !isfinite(a[i])) return k;
        if (k + 1 == loop->samples) return k + 1;
        next_row(n, x);
        next_row(n, v);
        for (size_t s = 0; s < loop->steps; ++s)
            step(loop, k, (double)s / (double)loop->steps, 1.0 / (double)loop->steps, x + n, v + n);
    }
}
