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

void chain_setup(const double *restrict p, double *restrict k)
{
    const double D1 = p[0];
    const double R1 = p[1];
    const double D2 = p[2];
    const double R2 = p[3];
    const double k1 = 0.3*D2;
    const double k2 = 0.95*R2;
    const double k3 = 0.95*D2;
    const double k4 = R1 + 0.3*R2;
    k[0] = D1;
    k[1] = R1;
    k[2] = D2;
    k[3] = k1;
    k[4] = k2;
    k[5] = k3;
    k[6] = k4;
}

void chain(const double *restrict q, const double *restrict k, double *restrict P)
{
    const double q1 = q[0];
    const double C1 = cos(q1);
    const double S1 = sin(q1);
    /* link 2: position */
    const double D1 = k[0];
    const double D2 = k[2];
    const double P2_1 = D1 + D2*C1;
    P[3] = P2_1;
    const double k1 = k[3];
    const double k2 = k[4];
    const double P2_2 = k1*S1 - k2;
    P[4] = P2_2;
    const double k3 = k[5];
    const double k4 = k[6];
    const double P2_3 = k3*S1 + k4;
    P[5] = P2_3;
    P[0] = D1;
    P[1] = 0;
    const double R1 = k[1];
    P[2] = R1;
}
