/* polynomials: roots of polynomials
 *
 * Inputs
 *   a (5): a1 a2 a3 a4 a5
 *   k (5): k1 k2 k3 k4 k5
 * Outputs
 *   x (8)
 *   t (12)
 *   pair (8)
 *   none (12)
 * Parameters
 *   p (1): m
 * Constants, computed once from the parameters by polynomials_setup
 *   k_2 (1): m
 *
 * Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
 * Made by symoro VERSION
 */
#ifndef POLYNOMIALS_H
#define POLYNOMIALS_H

#include <cuda_runtime_api.h>

#define POLYNOMIALS_PARAMETERS 1
#define POLYNOMIALS_CONSTANTS 1
#define POLYNOMIALS_SIZE_a 5
#define POLYNOMIALS_SIZE_k 5
#define POLYNOMIALS_SIZE_x 8
#define POLYNOMIALS_SIZE_t 12
#define POLYNOMIALS_SIZE_pair 8
#define POLYNOMIALS_SIZE_none 12

#ifdef __cplusplus
extern "C" {
#endif

/* Constants from parameters, on the host; call it again after a parameter has changed. */
void polynomials_setup(const double *p, double *k_2);

/* Starts one thread per sample on a stream; n samples in arrays of the device:
 * a k x t pair none: entry e of sample i is x[i * entries + e]
 * k_2: array of the host, shared by all samples
 * Matrices are stored by rows; arrays must not overlap. */
cudaError_t polynomials_launch(int n, const double *a, const double *k, const double *k_2, double *x,
    double *t, double *pair, double *none, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* polynomials.h */
