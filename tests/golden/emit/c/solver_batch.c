/* solver: linear systems
 *
 * Inputs
 *   A (4, 4), by rows: A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16
 *   v (4): v1 v2 v3 v4
 * Outputs
 *   x (4)
 *   y (2)
 * Parameters
 *   p (1): m
 * Constants, computed once from the parameters by solver_setup
 *   k (1): m
 *
 * Operations per call: 31 x, 37 +, 13 /, 3 others, 2 kernel calls
 * Made by symoro VERSION
 */
#include "solver.h"

void solver_batch(size_t n, const double *restrict A, const double *restrict v, const double *restrict k,
    double *restrict x, double *restrict y)
{
    for (size_t i = 0; i < n; ++i) {
        double A_[16];
        double v_[4];
        double x_[4];
        double y_[2];
        for (size_t entry_ = 0; entry_ < 16; ++entry_) A_[entry_] = A[entry_ * n + i];
        for (size_t entry_ = 0; entry_ < 4; ++entry_) v_[entry_] = v[entry_ * n + i];
        solver(A_, v_, k, x_, y_);
        for (size_t entry_ = 0; entry_ < 4; ++entry_) x[entry_ * n + i] = x_[entry_];
        for (size_t entry_ = 0; entry_ < 2; ++entry_) y[entry_ * n + i] = y_[entry_];
    }
}
