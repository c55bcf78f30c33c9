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

/* A square root that cannot set errno: otherwise a loop over samples is not vectorised. */
#if defined(__GNUC__)
double sqrt(double) __attribute__((const));
#endif

/* Choices without branches, which would keep a loop over samples from being vectorised. */
#ifndef INLINE_
#if defined(__GNUC__)
#define INLINE_ static inline __attribute__((always_inline, unused))
#else
#define INLINE_ static inline
#endif
#endif

INLINE_ double select_(int condition, double a, double b)
{
    union { double r; unsigned long long w; } x, y;
    const unsigned long long mask = 0 - (unsigned long long)condition;
    x.r = a;
    y.r = b;
    x.w = (x.w & mask) | (y.w & ~mask);
    return x.r;
}

INLINE_ double sign_(double x)
{
    return select_(x > 0, 1.0, select_(x < 0, -1.0, 0.0));
}

INLINE_ double min_(double a, double b)
{
    return select_(b < a, b, a);
}

INLINE_ double max_(double a, double b)
{
    return select_(b > a, b, a);
}

/* The samples of a batch are independent: a compiler may process several at once. A function for whole blocks of
 * samples has no loop for a remainder, and the results of a sample do not depend on its place. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop that calls the library is not vectorised */
#define SIMD_ _Pragma("clang loop vectorize(assume_safety)")
#if defined(__x86_64__) /* vectors on the stack are aligned */
#define BLOCKS_ static __attribute__((noinline, force_align_arg_pointer))
#else
#define BLOCKS_ static __attribute__((noinline))
#endif
#elif defined(__GNUC__)
#define SIMD_ _Pragma("GCC ivdep")
#define BLOCKS_ static __attribute__((noinline, noclone))
#else
#define SIMD_
#define BLOCKS_ static
#endif

/* Samples as a block: entry e of sample i is x[e * n + i] in the batch and b[e * width + i] in the block, which is
 * filled up with the first sample. */
static void to_block_(size_t entries, size_t n, const double *x, size_t count, size_t width, double *b)
{
    for (size_t e = 0; e < entries; ++e) {
        for (size_t i = 0; i < width; ++i) b[e * width + i] = x[e * n + (i < count ? i : 0)];
    }
}

static void from_block_(size_t entries, size_t n, double *x, size_t count, size_t width, const double *b)
{
    for (size_t e = 0; e < entries; ++e) {
        for (size_t i = 0; i < count; ++i) x[e * n + i] = b[e * width + i];
    }
}

BLOCKS_ int everything_batch_blocks(size_t count_, size_t n_2, const double *restrict q,
    const double *restrict T, const double *restrict n, const double *restrict unused,
    const double *restrict k_2, double *restrict t, double *restrict k, double *restrict Q,
    double *restrict r, double *restrict last)
{
    (void)unused;
    const size_t full_ = count_ & ~(size_t)15;
    long long far_ = 0;
    SIMD_
    for (size_t i = 0; i < full_; ++i) {
        const double q1 = q[i];
        const double q2 = q[n_2 + i];
        double S1, C1;
        sincos_(q1, &S1, &C1);
        double S2, C2;
        sincos_(q2, &S2, &C2);
        far_ |= q1*q1 + q2*q2 > SINCOS_LIMIT_;
        const double t1 = C1*C2;
        const double D3 = k_2[0];
        const double d3 = k_2[1];
        const double q1_2 = D3*t1 - d3*S1*S2;
        t[i] = q1_2;
        const double q3 = q[2 * n_2 + i];
        const double end = k_2[2];
        const double class_2 = -(end + q3*q1_2);
        const double t3 = select_(q1_2 < q3, 0.8660254037844386*q1_2, class_2 - q1_2);
        t[n_2 + i] = -t3;
        const double T11 = T[i];
        r[4 * n_2 + i] = select_(q2 == T11, q2, -q3);
        const double T22 = T[3 * n_2 + i];
        const double t4 = select_(T11 <= T22, 1.0, 0.0);
        const double T12 = T[n_2 + i];
        const double T21 = T[2 * n_2 + i];
        r[5 * n_2 + i] = q1*t4 + select_(t4 != 0, T12, T21);
        r[i] = sqrt(1 + q1*q1)/(2 + S2);
        r[n_2 + i] = tan(0.25*q3) + exp(-q2) - atan2(S1, C1) + asin(S1*C2) - acos(t1);
        r[2 * n_2 + i] = sign_(q1)*fabs(q2 - q3) + 5*sign_(q2 - T11);
        const double t5 = t3 - q1_2;
        t[4 * n_2 + i] = t5;
        t[3 * n_2 + i] = -S1*t5;
        t[5 * n_2 + i] = C1*t5;
        const double k1 = k_2[5];
        Q[i] = k1*q1;
        r[3 * n_2 + i] = 1e-12*(min_(q1, -q2) - 1e-07*max_(q3, T12) + 123456789012.0*min_(S1, C2));
        const double lambda = n[i];
        r[6 * n_2 + i] = lambda*lambda;
        r[7 * n_2 + i] = -(q1 + lambda);
        last[i] = class_2/(2 + C1);
        last[7 * n_2 + i] = 0.14285714285714285*T22;
        t[2 * n_2 + i] = 1;
        const double MXR = k_2[4];
        k[i] = MXR;
        const double while_2 = k_2[3];
        Q[n_2 + i] = while_2;
        Q[2 * n_2 + i] = D3;
        Q[3 * n_2 + i] = q2;
        Q[4 * n_2 + i] = -q3;
        const double k2 = k_2[6];
        Q[5 * n_2 + i] = -k2;
        r[8 * n_2 + i] = 1.5707963267948966;
        last[n_2 + i] = 0.8660254037844386;
        last[2 * n_2 + i] = -0.8660254037844386;
        last[3 * n_2 + i] = -0.6666666666666666;
        last[4 * n_2 + i] = 0;
        last[5 * n_2 + i] = -1;
        last[6 * n_2 + i] = 0.1;
    }
    return far_ != 0;
}

void everything_batch(size_t n_2, const double *restrict q, const double *restrict T,
    const double *restrict n, const double *restrict unused, const double *restrict k_2, double *restrict t,
    double *restrict k, double *restrict Q, double *restrict r, double *restrict last)
{
    double q_[48];
    double T_[64];
    double n_[16];
    double unused_[32];
    double t_[96];
    double k_[16];
    double Q_[96];
    double r_[144];
    double last_[128];
    for (size_t start_ = 0, count_; start_ < n_2; start_ += count_) {
        const size_t rest_ = n_2 - start_;
        count_ = rest_ < 16 ? rest_ : rest_ < 64 ? rest_ & ~(size_t)15 : 64;
        int far_;
        if (rest_ < 16) {
            to_block_(3, n_2, q + start_, rest_, 16, q_);
            to_block_(4, n_2, T + start_, rest_, 16, T_);
            to_block_(1, n_2, n + start_, rest_, 16, n_);
            to_block_(2, n_2, unused + start_, rest_, 16, unused_);
            far_ = everything_batch_blocks(16, 16, q_, T_, n_, unused_, k_2, t_, k_, Q_, r_, last_);
            from_block_(6, n_2, t + start_, rest_, 16, t_);
            from_block_(1, n_2, k + start_, rest_, 16, k_);
            from_block_(6, n_2, Q + start_, rest_, 16, Q_);
            from_block_(9, n_2, r + start_, rest_, 16, r_);
            from_block_(8, n_2, last + start_, rest_, 16, last_);
        } else {
            far_ = everything_batch_blocks(count_, n_2, q + start_, T + start_, n + start_, unused + start_,
                k_2, t + start_, k + start_, Q + start_, r + start_, last + start_);
        }
        for (size_t at_ = start_; far_ && at_ < start_ + count_; ++at_) {
            to_block_(3, n_2, q + at_, 1, 16, q_);
            to_block_(4, n_2, T + at_, 1, 16, T_);
            to_block_(1, n_2, n + at_, 1, 16, n_);
            to_block_(2, n_2, unused + at_, 1, 16, unused_);
            if (!everything_batch_blocks(16, 16, q_, T_, n_, unused_, k_2, t_, k_, Q_, r_, last_)) continue;
            to_block_(3, n_2, q + at_, 1, 1, q_);
            to_block_(4, n_2, T + at_, 1, 1, T_);
            to_block_(1, n_2, n + at_, 1, 1, n_);
            to_block_(2, n_2, unused + at_, 1, 1, unused_);
            everything(q_, T_, n_, unused_, k_2, t_, k_, Q_, r_, last_);
            from_block_(6, n_2, t + at_, 1, 1, t_);
            from_block_(1, n_2, k + at_, 1, 1, k_);
            from_block_(6, n_2, Q + at_, 1, 1, Q_);
            from_block_(9, n_2, r + at_, 1, 1, r_);
            from_block_(8, n_2, last + at_, 1, 1, last_);
        }
    }
}
