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
#include "expanded.h"

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

struct expanded_constants {
    double k[2];
};

extern "C" __global__ void __launch_bounds__(128) expanded_kernel(int n, const double *__restrict__ q,
    long long q_sample_, long long q_entry_, double *__restrict__ P, long long P_sample_, long long P_entry_,
    const expanded_constants constants_)
{
    const int i = blockIdx.x*128 + threadIdx.x;
    if (i >= n) return;
    const double *const k = constants_.k;
    q += i*q_sample_;
    P += i*P_sample_;
    const double q1 = q[0];
    const double q2 = q[1];
    const double q3 = q[2];
    double S1, C1;
    sincos_(q1, &S1, &C1);
    double S2, C2;
    sincos_(q2, &S2, &C2);
    double S3, C3;
    sincos_(q3, &S3, &C3);
    if ((q1)*(q1) + (q2)*(q2) + (q3)*(q3) > SINCOS_LIMIT_) {
        S1 = sin_far_(q1);
        C1 = cos_far_(q1);
        S2 = sin_far_(q2);
        C2 = cos_far_(q2);
        S3 = sin_far_(q3);
        C3 = cos_far_(q3);
    }
    const double D3 = k[0];
    const double k1 = k[1];
    P[0] = C1*(D3*C2 - C3*k1*S2);
    P[1] = S1*(D3*C2 - C3*k1*S2);
    P[2] = C3*k1*S2 - D3*C2 - C2*S3;
}

extern "C" void expanded_setup(const double *p, double *k)
{
    const double D3 = p[0];
    const double k1 = 1.0 + D3;
    k[0] = D3;
    k[1] = k1;
}

extern "C" cudaError_t expanded_launch(int n, const double *q, const double *k, double *P, cudaStream_t stream)
{
    if (n <= 0) return cudaSuccess;
    expanded_constants constants_;
    for (int e_ = 0; e_ < 2; ++e_) constants_.k[e_] = k[e_];
    const int blocks_ = n/128 + (n % 128 != 0);
    expanded_kernel<<<blocks_, 128, 0, stream>>>(n, q, 3, 1, P, 3, 1, constants_);
    return cudaGetLastError();
}
