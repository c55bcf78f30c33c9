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
#include "chain.h"

#include <math.h>

/* The samples of a batch are independent: a compiler may process several at once. */
#if defined(__clang__)
#define SIMD_ _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define SIMD_ _Pragma("GCC ivdep")
#else
#define SIMD_
#endif

void chain_batch(size_t n, const double *restrict q, const double *restrict k, double *restrict P)
{
    SIMD_
    for (size_t i = 0; i < n; ++i) {
        const double q1 = q[i];
        const double C1 = cos(q1);
        const double S1 = sin(q1);
        /* link 2: position */
        const double D1 = k[0];
        const double D2 = k[2];
        const double P2_1 = D1 + D2*C1;
        P[3 * n + i] = P2_1;
        const double k1 = k[3];
        const double k2 = k[4];
        const double P2_2 = k1*S1 - k2;
        P[4 * n + i] = P2_2;
        const double k3 = k[5];
        const double k4 = k[6];
        const double P2_3 = k3*S1 + k4;
        P[5 * n + i] = P2_3;
        P[i] = D1;
        P[n + i] = 0;
        const double R1 = k[1];
        P[2 * n + i] = R1;
    }
}
