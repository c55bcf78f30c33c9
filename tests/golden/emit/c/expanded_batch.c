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

BLOCKS_ int expanded_batch_blocks(size_t count_, size_t n, const double *restrict q, const double *restrict k,
    double *restrict P)
{
    const size_t full_ = count_ & ~(size_t)15;
    long long far_ = 0;
    SIMD_
    for (size_t i = 0; i < full_; ++i) {
        const double q1 = q[i];
        const double q2 = q[n + i];
        const double q3 = q[2 * n + i];
        double S1, C1;
        sincos_(q1, &S1, &C1);
        double S2, C2;
        sincos_(q2, &S2, &C2);
        double S3, C3;
        sincos_(q3, &S3, &C3);
        far_ |= q1*q1 + q2*q2 + q3*q3 > SINCOS_LIMIT_;
        const double D3 = k[0];
        const double k1 = k[1];
        P[i] = C1*(D3*C2 - C3*k1*S2);
        P[n + i] = S1*(D3*C2 - C3*k1*S2);
        P[2 * n + i] = C3*k1*S2 - D3*C2 - C2*S3;
    }
    return far_ != 0;
}

void expanded_batch(size_t n, const double *restrict q, const double *restrict k, double *restrict P)
{
    double q_[48];
    double P_[48];
    for (size_t start_ = 0, count_; start_ < n; start_ += count_) {
        const size_t rest_ = n - start_;
        count_ = rest_ < 16 ? rest_ : rest_ < 64 ? rest_ & ~(size_t)15 : 64;
        int far_;
        if (rest_ < 16) {
            to_block_(3, n, q + start_, rest_, 16, q_);
            far_ = expanded_batch_blocks(16, 16, q_, k, P_);
            from_block_(3, n, P + start_, rest_, 16, P_);
        } else {
            far_ = expanded_batch_blocks(count_, n, q + start_, k, P + start_);
        }
        for (size_t at_ = start_; far_ && at_ < start_ + count_; ++at_) {
            to_block_(3, n, q + at_, 1, 16, q_);
            if (!expanded_batch_blocks(16, 16, q_, k, P_)) continue;
            to_block_(3, n, q + at_, 1, 1, q_);
            expanded(q_, k, P_);
            from_block_(3, n, P + at_, 1, 1, P_);
        }
    }
}
