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

BLOCKS_ void chain_batch_blocks(size_t count_, size_t n, const double *restrict q, const double *restrict k,
    double *restrict P)
{
    const size_t full_ = count_ & ~(size_t)15;
    SIMD_
    for (size_t i = 0; i < full_; ++i) {
        const double q1 = q[i];
        const double C1 = cos(q1);
        const double S1 = sin(q1);
        /* link 2: position */
        const double D1 = k[0];
        const double D2 = k[2];
        const double P2_1 = D1 + D2*C1;
        P[3 * n + i] = P2_1;
        const double k1 = k[3];
        const double k2 = k[4];
        const double P2_2 = k1*S1 - k2;
        P[4 * n + i] = P2_2;
        const double k3 = k[5];
        const double k4 = k[6];
        const double P2_3 = k3*S1 + k4;
        P[5 * n + i] = P2_3;
        P[i] = D1;
        P[n + i] = 0;
        const double R1 = k[1];
        P[2 * n + i] = R1;
    }
}

void chain_batch(size_t n, const double *restrict q, const double *restrict k, double *restrict P)
{
    double q_[32];
    double P_[96];
    for (size_t start_ = 0, count_; start_ < n; start_ += count_) {
        const size_t rest_ = n - start_;
        count_ = rest_ < 16 ? rest_ : rest_ < 64 ? rest_ & ~(size_t)15 : 64;
        if (rest_ < 16) {
            to_block_(2, n, q + start_, rest_, 16, q_);
            chain_batch_blocks(16, 16, q_, k, P_);
            from_block_(6, n, P + start_, rest_, 16, P_);
        } else {
            chain_batch_blocks(count_, n, q + start_, k, P + start_);
        }
    }
}
