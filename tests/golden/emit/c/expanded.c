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

#include <float.h>
#include <math.h>

/* Sine and cosine of one angle, without branches, so that a loop over angles is vectorised. To one unit in the last
 * place for |x| up to SINCOS_LIMIT_: n*pi/2 is taken off in three steps, exact or compensated; then the polynomials of
 * fdlibm on [-pi/4, pi/4]. Rounding is by adding 1.5 * 2^52, which needs doubles to be computed as doubles. */
#define SINCOS_LIMIT_ 1e6

static inline void sincos_(double x, double *s, double *c)
{
#if (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 2) || defined(__FAST_MATH__)
    *s = sin(x);
    *c = cos(x);
#else
    const double shift = 6755399441055744.0;
    const double n = (x*0.63661977236758134308 + shift) - shift;
    const double a = x - n*1.57079632673412561417e+00;
    const double w = n*6.07710050630396597660e-11;
    const double b = a - w;
    const double t = n*2.02226624879595063154e-21 - ((a - b) - w);
    const double y = b - t;
    const double e = (b - y) - t;
    const double z = y*y;
    const double v = z*y;
    const double rs = 8.33333333332248946124e-03 + z*(-1.98412698298579493134e-04
        + z*(2.75573137070700676789e-06 + z*(-2.50507602534068634195e-08 + z*1.58969099521155010221e-10)));
    const double sine = y - ((z*(0.5*e - v*rs) - e) + v*1.66666666666666324348e-01);
    const double rc = z*(4.16666666666666019037e-02 + z*(-1.38888888888741095749e-03
        + z*(2.48015872894767294178e-05 + z*(-2.75573143513906633035e-07
        + z*(2.08757232129817482790e-09 + z*-1.13596475577881948265e-11)))));
    const double h = 0.5*z;
    const double u = 1.0 - h;
    const double cosine = u + (((1.0 - u) - h) + (z*rc - y*e));
    const double quarter = n - 4.0*(((n*0.25 - 0.375) + shift) - shift); /* n modulo 4 */
    const double odd = n - 2.0*(((n*0.5 - 0.25) + shift) - shift); /* n modulo 2 */
    const double first = odd > 0.5 ? cosine : sine;
    const double second = odd > 0.5 ? sine : cosine;
    *s = quarter > 1.5 ? -first : first;
    *c = fabs(quarter - 1.5) < 1.0 ? -second : second;
#endif
}

/* The samples of a batch do not depend on each other: a compiler may take several at once. */
#if defined(__clang__)
#define SIMD_ _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define SIMD_ _Pragma("GCC ivdep")
#else
#define SIMD_
#endif

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
    const double q2 = q[1];
    const double q3 = q[2];
    const double angle_[4] = {q1, q2, q3, 0};
    double sine_[4], cosine_[4];
    int far_ = 0;
    for (int e_ = 0; e_ < 4; ++e_) {
        sincos_(angle_[e_], &sine_[e_], &cosine_[e_]);
        far_ |= fabs(angle_[e_]) > SINCOS_LIMIT_;
    }
    for (int e_ = 0; far_ && e_ < 4; ++e_) {
        sine_[e_] = sin(angle_[e_]);
        cosine_[e_] = cos(angle_[e_]);
    }
    const double S1 = sine_[0];
    const double C1 = cosine_[0];
    const double S2 = sine_[1];
    const double C2 = cosine_[1];
    const double S3 = sine_[2];
    const double C3 = cosine_[2];
    const double D3 = k[0];
    const double k1 = k[1];
    P[0] = C1*(D3*C2 - C3*k1*S2);
    P[1] = S1*(D3*C2 - C3*k1*S2);
    P[2] = C3*k1*S2 - D3*C2 - C2*S3;
}

void expanded_batch(size_t n, const double *restrict q, const double *restrict k, double *restrict P)
{
    int far_ = 0;
    SIMD_
    for (size_t i = 0; i < n; ++i) {
        const double q1 = q[i];
        const double q2 = q[n + i];
        const double q3 = q[2 * n + i];
        double S1, C1;
        sincos_(q1, &S1, &C1);
        far_ |= fabs(q1) > SINCOS_LIMIT_;
        double S2, C2;
        sincos_(q2, &S2, &C2);
        far_ |= fabs(q2) > SINCOS_LIMIT_;
        double S3, C3;
        sincos_(q3, &S3, &C3);
        far_ |= fabs(q3) > SINCOS_LIMIT_;
        const double D3 = k[0];
        const double k1 = k[1];
        P[i] = C1*(D3*C2 - C3*k1*S2);
        P[n + i] = S1*(D3*C2 - C3*k1*S2);
        P[2 * n + i] = C3*k1*S2 - D3*C2 - C2*S3;
    }
    for (size_t i = 0; far_ && i < n; ++i) {
        double q_[3];
        double P_[3];
        for (size_t e_ = 0; e_ < 3; ++e_) q_[e_] = q[e_ * n + i];
        expanded(q_, k, P_);
        for (size_t e_ = 0; e_ < 3; ++e_) P[e_ * n + i] = P_[e_];
    }
}
