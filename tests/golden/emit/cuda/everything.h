/* everything: every operation, and names that collide
 *
 * Inputs
 *   q (3), joint positions: q1 q2 q3
 *   T (2, 2), by rows: T11 T12 T21 T22
 *   n (scalar): lambda
 *   unused (2): unused1 unused2
 * Outputs
 *   t (2, 3), a matrix
 *   k (scalar)
 *   Q (6)
 *   r (9)
 *   last (2, 2, 2)
 * Parameters
 *   p (11): D3 d3 end double _a E k function t2 x_y xY
 * Constants, computed once from the parameters by everything_setup
 *   k_2 (7): D3 d3 end while_2 MXR k1 k2
 *
 * Operations per call: 20 x, 18 +, 2 /, 10 functions, 23 others; once: 4 x, 4 +, 1 /
 * Made by symoro VERSION
 */
#ifndef EVERYTHING_H
#define EVERYTHING_H

#include <cuda_runtime_api.h>

#define EVERYTHING_PARAMETERS 11
#define EVERYTHING_CONSTANTS 7
#define EVERYTHING_SIZE_q 3
#define EVERYTHING_SIZE_T 4
#define EVERYTHING_SIZE_n 1
#define EVERYTHING_SIZE_unused 2
#define EVERYTHING_SIZE_t 6
#define EVERYTHING_SIZE_k 1
#define EVERYTHING_SIZE_Q 6
#define EVERYTHING_SIZE_r 9
#define EVERYTHING_SIZE_last 8

#ifdef __cplusplus
extern "C" {
#endif

/* Constants from parameters, on the host; call it again after a parameter has changed. */
void everything_setup(const double *p, double *k_2);

/* Starts one thread per sample on a stream; n_2 samples in arrays of the device:
 * q T n unused t k Q r last: entry e of sample i is x[i * entries + e]
 * k_2: array of the host, shared by all samples
 * Matrices are stored by rows; arrays must not overlap. */
cudaError_t everything_launch(int n_2, const double *q, const double *T, const double *n,
    const double *unused, const double *k_2, double *t, double *k, double *Q, double *r, double *last,
    cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* everything.h */
