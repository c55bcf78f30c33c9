/* expanded: position, expanded
 *
 * Inputs
 *   q (3): q1 q2 q3
 * Outputs
 *   P (3)
 * Parameters
 *   p (1): D3
 * Constants, made once from the parameters by expanded_setup
 *   k (2): D3 k1
 *
 * Operations per call: 12 x, 4 +, 6 functions, 1 others; once: 0 x, 1 +
 * Made by symoro VERSION
 */
#include "expanded.h"

#include <math.h>

void expanded_setup(const double *restrict p, double *restrict k)
{
    const double D3 = p[0];
    const double k1 = 1 + D3;
    k[0] = D3;
    k[1] = k1;
}

void expanded(const double *restrict q, const double *restrict k, double *restrict P)
{
    const double q1 = q[0];
    const double C1 = cos(q1);
    const double q2 = q[1];
    const double C2 = cos(q2);
    const double q3 = q[2];
    const double C3 = cos(q3);
    const double S1 = sin(q1);
    const double S2 = sin(q2);
    const double S3 = sin(q3);
    const double D3 = k[0];
    const double k1 = k[1];
    P[0] = C1*(D3*C2 - C3*k1*S2);
    P[1] = S1*(D3*C2 - C3*k1*S2);
    P[2] = C3*k1*S2 - D3*C2 - C2*S3;
}

void expanded_batch(size_t n, const double *restrict q, const double *restrict k, double *restrict P)
{
    for (size_t i = 0; i < n; ++i) {
        const double q1 = q[i];
        const double C1 = cos(q1);
        const double q2 = q[n + i];
        const double C2 = cos(q2);
        const double q3 = q[2 * n + i];
        const double C3 = cos(q3);
        const double S1 = sin(q1);
        const double S2 = sin(q2);
        const double S3 = sin(q3);
        const double D3 = k[0];
        const double k1 = k[1];
        P[i] = C1*(D3*C2 - C3*k1*S2);
        P[n + i] = S1*(D3*C2 - C3*k1*S2);
        P[2 * n + i] = C3*k1*S2 - D3*C2 - C2*S3;
    }
}
