/* expanded: position, expanded
 *
 * Inputs
 *   q (3): q1 q2 q3
 * Outputs
 *   P (3)
 * Parameters
 *   p (1): D3
 * Constants, computed once from the parameters by expanded_setup
 *   k (2): D3 k1
 *
 * Operations per call: 12 x, 4 +, 6 functions, 1 others; once: 0 x, 1 +
 * Made by symoro VERSION
 */
#ifndef EXPANDED_H
#define EXPANDED_H

#include <cuda_runtime_api.h>

#define EXPANDED_PARAMETERS 1
#define EXPANDED_CONSTANTS 2
#define EXPANDED_SIZE_q 3
#define EXPANDED_SIZE_P 3

#ifdef __cplusplus
extern "C" {
#endif

/* Constants from parameters, on the host; call it again after a parameter has changed. */
void expanded_setup(const double *p, double *k);

/* Starts one thread per sample on a stream; n samples in arrays of the device:
 * q P: entry e of sample i is x[i * entries + e]
 * k: array of the host, shared by all samples
 * Matrices are stored by rows; arrays must not overlap. */
cudaError_t expanded_launch(int n, const double *q, const double *k, double *P, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* expanded.h */
