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
#include "everything.h"

#include <math.h>

static __host__ __device__ inline double sign_(double x)
{
    return (double)((x > 0) - (x < 0));
}

static __host__ __device__ inline double min_(double a, double b)
{
    return b < a ? b : a;
}

static __host__ __device__ inline double max_(double a, double b)
{
    return b > a ? b : a;
}

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

struct everything_constants {
    double k_2[7];
};

extern "C" __global__ void __launch_bounds__(128) everything_kernel(int n_2, const double *__restrict__ q,
    long long q_sample_, long long q_entry_, const double *__restrict__ T, long long T_sample_,
    long long T_entry_, const double *__restrict__ n, long long n_sample_, long long n_entry_,
    const double *__restrict__ unused, long long unused_sample_, long long unused_entry_,
    double *__restrict__ t, long long t_sample_, long long t_entry_, double *__restrict__ k,
    long long k_sample_, long long k_entry_, double *__restrict__ Q, long long Q_sample_, long long Q_entry_,
    double *__restrict__ r, long long r_sample_, long long r_entry_, double *__restrict__ last,
    long long last_sample_, long long last_entry_, const everything_constants constants_)
{
    const int i = blockIdx.x*128 + threadIdx.x;
    if (i >= n_2) return;
    const double *const k_2 = constants_.k_2;
    q += i*q_sample_;
    T += i*T_sample_;
    n += i*n_sample_;
    unused += i*unused_sample_;
    t += i*t_sample_;
    k += i*k_sample_;
    Q += i*Q_sample_;
    r += i*r_sample_;
    last += i*last_sample_;
    const double q1 = q[0];
    const double q2 = q[1];
    const double q3 = q[2];
    const double T11 = T[0];
    const double T22 = T[3];
    const double T12 = T[1];
    const double T21 = T[2];
    const double lambda = n[0];
    double S1, C1;
    sincos_(q1, &S1, &C1);
    double S2, C2;
    sincos_(q2, &S2, &C2);
    if ((q1)*(q1) + (q2)*(q2) > SINCOS_LIMIT_) {
        S1 = sin_far_(q1);
        C1 = cos_far_(q1);
        S2 = sin_far_(q2);
        C2 = cos_far_(q2);
    }
    const double t1 = C1*C2;
    const double D3 = k_2[0];
    const double d3 = k_2[1];
    const double q1_2 = D3*t1 - d3*S1*S2;
    t[0] = q1_2;
    const double end = k_2[2];
    const double class_2 = -(end + q3*q1_2);
    const double t3 = (q1_2 < q3 ? 0.8660254037844386*q1_2 : class_2 - q1_2);
    t[1] = -t3;
    r[4] = (q2 == T11 ? q2 : -q3);
    const double t4 = (T11 <= T22 ? 1.0 : 0.0);
    r[5] = q1*t4 + (t4 != 0 ? T12 : T21);
    r[0] = sqrt(1.0 + q1*q1)/(2.0 + S2);
    r[1] = tan(0.25*q3) + exp(-q2) - atan2(S1, C1) + asin(S1*C2) - acos(t1);
    r[2] = sign_(q1)*fabs(q2 - q3) + 5.0*sign_(q2 - T11);
    const double t5 = t3 - q1_2;
    t[4] = t5;
    t[3] = -S1*t5;
    t[5] = C1*t5;
    const double k1 = k_2[5];
    Q[0] = k1*q1;
    r[3] = 1e-12*(min_(q1, -q2) - 1e-07*max_(q3, T12) + 123456789012.0*min_(S1, C2));
    r[6] = lambda*lambda;
    r[7] = -(q1 + lambda);
    last[0] = class_2/(2.0 + C1);
    last[7] = 0.14285714285714285*T22;
    t[2] = 1.0;
    const double MXR = k_2[4];
    k[0] = MXR;
    const double while_2 = k_2[3];
    Q[1] = while_2;
    Q[2] = D3;
    Q[3] = q2;
    Q[4] = -q3;
    const double k2 = k_2[6];
    Q[5] = -k2;
    r[8] = 1.5707963267948966;
    last[1] = 0.8660254037844386;
    last[2] = -0.8660254037844386;
    last[3] = -0.6666666666666666;
    last[4] = 0.0;
    last[5] = -1.0;
    last[6] = 0.1;
}

extern "C" void everything_setup(const double *p, double *k_2)
{
    const double D3 = p[0];
    const double d3 = p[1];
    const double end = p[2];
    const double double_2 = p[3];
    const double x_a = p[4];
    const double E = p[5];
    const double k_3 = p[6];
    const double function = p[7];
    const double t2 = p[8];
    const double x_y = p[9];
    const double xY = p[10];
    const double while_2 = D3*d3 + end/double_2;
    const double MXR = -(k_3 + x_a*E);
    const double k1 = function*while_2 - MXR;
    const double k2 = xY - t2*x_y;
    k_2[0] = D3;
    k_2[1] = d3;
    k_2[2] = end;
    k_2[3] = while_2;
    k_2[4] = MXR;
    k_2[5] = k1;
    k_2[6] = k2;
}

extern "C" cudaError_t everything_launch(int n_2, const double *q, const double *T, const double *n,
    const double *unused, const double *k_2, double *t, double *k, double *Q, double *r, double *last,
    cudaStream_t stream)
{
    if (n_2 <= 0) return cudaSuccess;
    everything_constants constants_;
    for (int e_ = 0; e_ < 7; ++e_) constants_.k_2[e_] = k_2[e_];
    const int blocks_ = n_2/128 + (n_2 % 128 != 0);
    everything_kernel<<<blocks_, 128, 0, stream>>>(n_2, q, 3, 1, T, 4, 1, n, 1, 1, unused, 2, 1, t, 6, 1, k,
        1, 1, Q, 6, 1, r, 9, 1, last, 8, 1, constants_);
    return cudaGetLastError();
}
