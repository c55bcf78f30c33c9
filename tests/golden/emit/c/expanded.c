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

#include <float.h>
#include <math.h>

/* The following code must be computed in the written order. Compilers with permission to change it are instructed
 * not to (-funsafe-math-optimizations, -fassociative-math, -ffast-math); if they report this permission, LOOSE_
 * selects code that is not affected. */
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST)
#define LOOSE_
#endif
#if defined(__clang__)
#if __clang_major__ >= 13
#pragma clang fp reassociate(off)
#else /* not reported and not controllable */
#undef LOOSE_
#define LOOSE_
#endif
#elif defined(__GNUC__) && (defined(LOOSE_) || __GNUC__ < 12) /* older ones do not report it */
#pragma GCC optimize("no-associative-math", "no-unsafe-math-optimizations")
#endif

/* Four numbers at once, if the compiler supports vectors. The polynomials below require double arithmetic in the
 * written order; otherwise LIBRARY_ selects the C library. */
#if defined(LOOSE_) || (defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2))
#define LIBRARY_
#elif defined(__GNUC__) && (defined(__SSE2__) || defined(__aarch64__) || defined(__VSX__))
#define LANES_
typedef double lanes_ __attribute__((vector_size(32)));
typedef unsigned long long words_ __attribute__((vector_size(32)));
#endif
#if defined(__GNUC__) /* a loop that contains a call is not vectorised */
#define INLINE_ static inline __attribute__((always_inline, unused))
#define RARE_ static __attribute__((noinline, cold))
#else
#define INLINE_ static inline
#define RARE_ static
#endif

/* Sines and cosines without branches, so that several angles are processed at once, accurate to one unit in the last
 * place while the sum of the squared angles does not exceed SINCOS_LIMIT_: n*pi/2 is subtracted in three parts, the
 * first two without error; then the polynomials of fdlibm on [-pi/4, pi/4] are evaluated, and the last bits of n
 * determine the quadrant. n is rounded by adding 1.5 * 2^52. */
#define SINCOS_LIMIT_ 1e10

#ifdef LIBRARY_
#define SINCOS_(real, word) \
    union { real r; word w; } sine, cosine; \
    sine.r = sin(x); \
    cosine.r = cos(x);
#else
#define SINCOS_(real, word) \
    union { real r; word w; } turn, sine, cosine; \
    REDUCED_(real) \
    POLYNOMIALS_(real, word)
#define REDUCED_(real) \
    turn.r = x*0.63661977236758134308 + 6755399441055744.0; \
    const real n = turn.r - 6755399441055744.0; \
    const real a = x - n*1.57079632673412561417e+00; \
    const real b = n*6.07710050630396597660e-11; \
    const real y = a - b; \
    const real e = n*2.02226624879595063154e-21 - ((a - y) - b); /* rounding error of y */
#define POLYNOMIALS_(real, word) \
    const real z = y*y; \
    const real zz = z*z; \
    const real h = 0.5*z; \
    const real u = 1.0 - h; \
    const real p = (8.33333333332248946124e-03 + z*-1.98412698298579493134e-04) \
        + zz*((2.75573137070700676789e-06 + z*-2.50507602534068634195e-08) + zz*1.58969099521155010221e-10); \
    const real q = (4.16666666666666019037e-02 + z*-1.38888888888741095749e-03) \
        + zz*((2.48015872894767294178e-05 + z*-2.75573143513906633035e-07) \
        + zz*(2.08757232129817482790e-09 + z*-1.13596475577881948265e-11)); \
    sine.r = y - ((z*y)*(1.66666666666666324348e-01 - z*p) + u*e); \
    cosine.r = u + (zz*q + (((1.0 - u) - h) + y*e)); \
    const word swap = (sine.w ^ cosine.w) & (0 - (turn.w & 1)); \
    sine.w ^= swap ^ ((turn.w & 2) << 62); \
    cosine.w ^= swap ^ (((turn.w + 1) & 2) << 62);
#endif

INLINE_ void sincos_(double x, double *s, double *c)
{
    SINCOS_(double, unsigned long long)
    *s = sine.r;
    *c = cosine.r;
}

/* Four angles, passed as separate arguments to avoid a load from memory: s[0] to s[3] and c[0] to c[3]. Returns the
 * sum of the squares. */
static inline double sincos4_(double x1, double x2, double x3, double x4, double *s, double *c)
{
#ifdef LANES_
    const lanes_ x = {x1, x2, x3, x4};
    SINCOS_(lanes_, words_)
    __builtin_memcpy(s, &sine, sizeof sine);
    __builtin_memcpy(c, &cosine, sizeof cosine);
#else
    const double x[4] = {x1, x2, x3, x4};
    for (int i = 0; i < 4; ++i) sincos_(x[i], s + i, c + i);
#endif
    return x1*x1 + x2*x2 + x3*x3 + x4*x4;
}

/* Angles beyond the limit, computed by the C library. */
RARE_ void sincos_far_(int n, const double *x, double *s, double *c)
{
    for (int i = 0; i < n; ++i) {
        s[i] = sin(x[i]);
        c[i] = cos(x[i]);
    }
}

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
    double sine_[4], cosine_[4];
    const double reach_ = sincos4_(q1, q2, q3, 0, sine_, cosine_);
    if (reach_ > SINCOS_LIMIT_) {
        const double angle_[3] = {q1, q2, q3};
        sincos_far_(3, angle_, sine_, cosine_);
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
