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

#include <float.h>
#include <math.h>

static inline double sign_(double x)
{
    return (double)((x > 0) - (x < 0));
}

static inline double min_(double a, double b)
{
    return b < a ? b : a;
}

static inline double max_(double a, double b)
{
    return b > a ? b : a;
}

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

/* NaN and infinite values are detected by comparisons. */
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "this code must detect NaN: compile it with -fno-finite-math-only, or without -ffast-math and -Ofast"
#elif defined(_M_FP_FAST)
#error "this code must detect NaN: compile it without /fp:fast"
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

void everything_setup(const double *restrict p, double *restrict k_2)
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

void everything(const double *restrict q, const double *restrict T, const double *restrict n,
    const double *restrict unused, const double *restrict k_2, double *restrict t, double *restrict k,
    double *restrict Q, double *restrict r, double *restrict last)
{
    (void)unused;
    const double q1 = q[0];
    const double q2 = q[1];
    double sine_[4], cosine_[4];
    const double reach_ = sincos4_(q1, q2, 0, 0, sine_, cosine_);
    if (reach_ > SINCOS_LIMIT_) {
        const double angle_[2] = {q1, q2};
        sincos_far_(2, angle_, sine_, cosine_);
    }
    const double S1 = sine_[0];
    const double C1 = cosine_[0];
    const double S2 = sine_[1];
    const double C2 = cosine_[1];
    const double t1 = C1*C2;
    const double D3 = k_2[0];
    const double d3 = k_2[1];
    const double q1_2 = D3*t1 - d3*S1*S2;
    t[0] = q1_2;
    const double q3 = q[2];
    const double end = k_2[2];
    const double class_2 = -(end + q3*q1_2);
    const double t3 = (q1_2 < q3 ? 0.8660254037844386*q1_2 : class_2 - q1_2);
    t[1] = -t3;
    const double T11 = T[0];
    r[4] = (q2 == T11 ? q2 : -q3);
    const double T22 = T[3];
    const double t4 = (T11 <= T22 ? 1.0 : 0.0);
    const double T12 = T[1];
    const double T21 = T[2];
    r[5] = q1*t4 + (t4 != 0 ? T12 : T21);
    r[0] = sqrt(1 + q1*q1)/(2 + S2);
    r[1] = tan(0.25*q3) + exp(-q2) - atan2(S1, C1) + asin(S1*C2) - acos(t1);
    r[2] = sign_(q1)*fabs(q2 - q3) + 5*sign_(q2 - T11);
    const double t5 = t3 - q1_2;
    t[4] = t5;
    t[3] = -S1*t5;
    t[5] = C1*t5;
    const double k1 = k_2[5];
    Q[0] = k1*q1;
    r[3] = 1e-12*(min_(q1, -q2) - 1e-07*max_(q3, T12) + 123456789012.0*min_(S1, C2));
    const double lambda = n[0];
    r[6] = lambda*lambda;
    r[7] = -(q1 + lambda);
    last[0] = class_2/(2 + C1);
    last[7] = 0.14285714285714285*T22;
    t[2] = 1;
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
    last[4] = 0;
    last[5] = -1;
    last[6] = 0.1;
}
