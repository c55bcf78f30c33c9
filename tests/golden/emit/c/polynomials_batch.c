/* polynomials: roots of polynomials
 *
 * Inputs
 *   a (5): a1 a2 a3 a4 a5
 *   k (5): k1 k2 k3 k4 k5
 * Outputs
 *   x (8)
 *   t (12)
 *   pair (8)
 *   none (12)
 * Parameters
 *   p (1): m
 * Constants, computed once from the parameters by polynomials_setup
 *   k_2 (1): m
 *
 * Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
 * Made by symoro VERSION
 */
#include "polynomials.h"

void polynomials_batch(size_t n, const double *restrict a, const double *restrict k,
    const double *restrict k_2, double *restrict x, double *restrict t, double *restrict pair,
    double *restrict none)
{
    for (size_t i = 0; i < n; ++i) {
        double a_[5];
        double k_[5];
        double x_[8];
        double t_[12];
        double pair_[8];
        double none_[12];
        for (size_t entry_ = 0; entry_ < 5; ++entry_) a_[entry_] = a[entry_ * n + i];
        for (size_t entry_ = 0; entry_ < 5; ++entry_) k_[entry_] = k[entry_ * n + i];
        polynomials(a_, k_, k_2, x_, t_, pair_, none_);
        for (size_t entry_ = 0; entry_ < 8; ++entry_) x[entry_ * n + i] = x_[entry_];
        for (size_t entry_ = 0; entry_ < 12; ++entry_) t[entry_ * n + i] = t_[entry_];
        for (size_t entry_ = 0; entry_ < 8; ++entry_) pair[entry_ * n + i] = pair_[entry_];
        for (size_t entry_ = 0; entry_ < 12; ++entry_) none[entry_ * n + i] = none_[entry_];
    }
}
