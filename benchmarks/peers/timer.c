/* The stopwatch: the least time of one pass over all samples, for one call. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stddef.h>
#include <time.h>

typedef void (*Call)(const double *q, const double *v, const double *x, double *y);
typedef void (*Batch)(size_t n, const double *q, const double *v, const double *x, double *y);
typedef void (*SingleBatch)(size_t n, const float *q, const float *v, const float *x, float *y);
typedef int (*Solve)(const double *T, double *q);
typedef void (*SolveBatch)(size_t n, const double *T, double *y);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* in: q, v, x of each sample, one after the other; y has `outputs` numbers a sample */
double time_calls(Call call, int passes, int samples, int joints, int outputs, const double *in, double *y)
{
    double least = 1e300;
    for (int p = 0; p < passes; ++p) {
        const double start = now();
        for (int s = 0; s < samples; ++s) {
            const double *q = in + 3 * joints * s;
            call(q, q + joints, q + 2 * joints, y + outputs * s);
        }
        const double taken = (now() - start) / samples;
        if (taken < least) least = taken;
    }
    return least;
}

double time_batch(Batch batch, int passes, int samples, int joints, const double *in, double *y)
{
    double least = 1e300;
    const size_t step = (size_t)samples * (size_t)joints;
    for (int p = 0; p < passes; ++p) {
        const double start = now();
        batch((size_t)samples, in, in + step, in + 2 * step, y);
        const double taken = (now() - start) / samples;
        if (taken < least) least = taken;
    }
    return least;
}

double time_single_batch(SingleBatch batch, int passes, int samples, int joints, const float *in, float *y)
{
    double least = 1e300;
    const size_t step = (size_t)samples * (size_t)joints;
    for (int p = 0; p < passes; ++p) {
        const double start = now();
        batch((size_t)samples, in, in + step, in + 2 * step, y);
        const double taken = (now() - start) / samples;
        if (taken < least) least = taken;
    }
    return least;
}

/* the floor of code that calls the C library: the sine and cosine of six joints, called like the others */
void six_sincos(const double *q, const double *v, const double *x, double *y)
{
    (void)v, (void)x;
    for (int j = 0; j < 6; ++j) {
        y[j] = sin(q[j]);
        y[6 + j] = cos(q[j]);
    }
}

/* inverse geometry: passes over all poses until the budget is spent, ns; q has room for the solutions of one pose.
 * least: ns a pose of each block of poses; a block is short, so that a busy machine leaves some passes of it alone */
void time_solver(Solve solve, double budget, int blocks, int block, const double *T, double *q, double *least)
{
    const double begun = now();
    for (int b = 0; b < blocks; ++b) least[b] = 1e300;
    do {
        const double *pose = T;
        for (int b = 0; b < blocks; ++b) {
            const double start = now();
            for (int s = 0; s < block; ++s, pose += 16) solve(pose, q);
            const double taken = (now() - start) / block;
            if (taken < least[b]) least[b] = taken;
        }
    } while (now() - begun < budget);
}

/* T: the blocks one after the other */
void time_solver_batch(SolveBatch solve, double budget, int blocks, int block, const double *T, double *y, double *least)
{
    const double begun = now();
    for (int b = 0; b < blocks; ++b) least[b] = 1e300;
    do {
        for (int b = 0; b < blocks; ++b) {
            const double start = now();
            solve((size_t)block, T + 16 * block * b, y);
            const double taken = (now() - start) / block;
            if (taken < least[b]) least[b] = taken;
        }
    } while (now() - begun < budget);
}

/* the solutions of all poses, `room` numbers for each, and how many there are */
void collect(Solve solve, int poses, int room, const double *T, double *q, int *counts)
{
    for (int s = 0; s < poses; ++s) counts[s] = solve(T + 16 * s, q + (size_t)room * (size_t)s);
}
