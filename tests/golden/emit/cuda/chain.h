/* chain: positions of all frames
 *
 * Inputs
 *   q (2): q1 q2
 * Outputs
 *   P (2, 3)
 * Parameters
 *   p (4): D1 R1 D2 R2
 * Constants, computed once from the parameters by chain_setup
 *   k (7): D1 R1 D2 k1 k2 k3 k4
 *
 * Operations per call: 3 x, 3 +, 2 functions; once: 4 x, 1 +
 * Made by symoro VERSION
 */
#ifndef CHAIN_H
#define CHAIN_H

#include <cuda_runtime_api.h>

#define CHAIN_PARAMETERS 4
#define CHAIN_CONSTANTS 7
#define CHAIN_SIZE_q 2
#define CHAIN_SIZE_P 6

#ifdef __cplusplus
extern "C" {
#endif

/* Constants from parameters, on the host; call it again after a parameter has changed. */
void chain_setup(const double *p, double *k);

/* Starts one thread per sample on a stream; n samples in arrays of the device:
 * q P: entry e of sample i is x[i * entries + e]
 * k: array of the host, shared by all samples
 * Matrices are stored by rows; arrays must not overlap. */
cudaError_t chain_launch(int n, const double *q, const double *k, double *P, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* chain.h */
