/* solver: linear systems
 *
 * Inputs
 *   A (4, 4), by rows: A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16
 *   v (4): v1 v2 v3 v4
 * Outputs
 *   x (4)
 *   y (2)
 * Parameters
 *   p (1): m
 * Constants, computed once from the parameters by solver_setup
 *   k (1): m
 *
 * Operations per call: 31 x, 37 +, 13 /, 3 others, 2 kernel calls
 * Made by symoro VERSION
 */
#ifndef SOLVER_H
#define SOLVER_H

#include <cuda_runtime_api.h>

#define SOLVER_PARAMETERS 1
#define SOLVER_CONSTANTS 1
#define SOLVER_SIZE_A 16
#define SOLVER_SIZE_v 4
#define SOLVER_SIZE_x 4
#define SOLVER_SIZE_y 2

#ifdef __cplusplus
extern "C" {
#endif

/* Constants from parameters, on the host; call it again after a parameter has changed. */
void solver_setup(const double *p, double *k);

/* Starts one thread per sample on a stream; n samples in arrays of the device:
 * A v x y: entry e of sample i is x[i * entries + e]
 * k: array of the host, shared by all samples
 * Matrices are stored by rows; arrays must not overlap. */
cudaError_t solver_launch(int n, const double *A, const double *v, const double *k, double *x, double *y,
    cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* solver.h */
