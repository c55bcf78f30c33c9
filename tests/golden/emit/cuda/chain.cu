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

/* Sine and cosine without branches, accurate to 2e-16 while the sum of the squared angles does not exceed
 * SINCOS_LIMIT_: n*pi/2 is subtracted in two parts by fused operations, then the polynomials of fdlibm on [-pi/4, pi/4]
 * are evaluated, and the last bits of n determine the quadrant. n is rounded by adding 1.5 * 2^52. */
#define SINCOS_LIMIT_ 1e10

static __device__ __forceinline__ void sincos_(double x, double *s, double *c)
{
    const double turn = fma(x, 0.63661977236758134308, 6755399441055744.0);
    const int quadrant = __double2loint(turn);
    const double n = turn - 6755399441055744.0;
    const double y = fma(n, -6.12323399573676603587e-17, fma(n, -1.57079632679489661923, x));
    const double z = y*y;
    double p = fma(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08);
    p = fma(z, p, 2.75573137070700676789e-06);
    p = fma(z, p, -1.98412698298579493134e-04);
    p = fma(z, p, 8.33333333332248946124e-03);
    p = fma(z, p, -1.66666666666666324348e-01);
    double q = fma(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09);
    q = fma(z, q, -2.75573143513906633035e-07);
    q = fma(z, q, 2.48015872894767294178e-05);
    q = fma(z, q, -1.38888888888741095749e-03);
    q = fma(z, q, 4.16666666666666019037e-02);
    q = fma(z, q, -0.5);
    const double sine = fma(z*y, p, y);
    const double cosine = fma(z, q, 1.0);
    const double first = quadrant & 1 ? cosine : sine;
    const double second = quadrant & 1 ? sine : cosine;
    *s = quadrant & 2 ? -first : first;
    *c = (quadrant + 1) & 2 ? -second : second;
}

[[maybe_unused]] static __device__ __noinline__ double sin_far_(double x)
{
    return sin(x);
}

[[maybe_unused]] static __host__ __device__ inline double sin_(double x)
{
#ifdef __CUDA_ARCH__
    double s, c;
    sincos_(x, &s, &c);
    return x*x > SINCOS_LIMIT_ ? sin_far_(x) : s;
#else
    return sin(x);
#endif
}

[[maybe_unused]] static __device__ __noinline__ double cos_far_(double x)
{
    return cos(x);
}

[[maybe_unused]] static __host__ __device__ inline double cos_(double x)
{
#ifdef __CUDA_ARCH__
    double s, c;
    sincos_(x, &s, &c);
    return x*x > SINCOS_LIMIT_ ? cos_far_(x) : c;
#else
    return cos(x);
#endif
}

struct chain_constants {
    double k[7];
};

extern "C" __global__ void __launch_bounds__(128) chain_kernel(int n, const double *__restrict__ q,
    long long q_sample_, long long q_entry_, double *__restrict__ P, long long P_sample_, long long P_entry_,
    const chain_constants constants_)
{
    const int i = blockIdx.x*128 + threadIdx.x;
    if (i >= n) return;
    const double *const k = constants_.k;
    q += i*q_sample_;
    P += i*P_sample_;
    const double q1 = q[0];
    const double C1 = cos_(q1);
    const double S1 = sin_(q1);
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
    P[1] = 0.0;
    const double R1 = k[1];
    P[2] = R1;
}

extern "C" void chain_setup(const double *p, double *k)
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

extern "C" cudaError_t chain_launch(int n, const double *q, const double *k, double *P, cudaStream_t stream)
{
    if (n <= 0) return cudaSuccess;
    chain_constants constants_;
    for (int e_ = 0; e_ < 7; ++e_) constants_.k[e_] = k[e_];
    const int blocks_ = n/128 + (n % 128 != 0);
    chain_kernel<<<blocks_, 128, 0, stream>>>(n, q, 2, 1, P, 6, 1, constants_);
    return cudaGetLastError();
}
