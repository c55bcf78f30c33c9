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
 * Constants, computed once from the parameters by setup
 *   k (1): m
 *
 * Operations per call: 31 x, 37 +, 13 /, 3 others, 2 kernel calls
 * Made by symoro VERSION
 */
#ifndef SOLVER_HPP
#define SOLVER_HPP

#include <cmath>
#include <cstddef>
#include <limits>

/* NaN and infinite values are detected by comparisons. */
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "this code must detect NaN: compile it with -fno-finite-math-only, or without -ffast-math and -Ofast"
#elif defined(_M_FP_FAST)
#error "this code must detect NaN: compile it without /fp:fast"
#endif

namespace symoro {
namespace solver {

constexpr std::size_t PARAMETERS = 1;
constexpr std::size_t CONSTANTS = 1;
constexpr std::size_t SIZE_A = 16;
constexpr std::size_t SIZE_v = 4;
constexpr std::size_t SIZE_x = 4;
constexpr std::size_t SIZE_y = 2;

namespace detail {

/* Solve A x = b for A (n, n) by rows: elimination with partial pivoting. A and b are overwritten. */
template <class Scalar>
inline void solve_(int n, Scalar *a, Scalar *b, Scalar *x)
{
    using std::abs;
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int r = c + 1; r < n; ++r) {
            if (abs(a[r * n + c]) > abs(a[pivot * n + c])) {
                pivot = r;
            }
        }
        for (int j = c; j < n && pivot != c; ++j) {
            const Scalar swapped = a[c * n + j];
            a[c * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swapped;
        }
        const Scalar right = b[pivot];
        b[pivot] = b[c];
        b[c] = right;
        for (int r = c + 1; r < n; ++r) {
            const Scalar factor = a[r * n + c] / a[c * n + c];
            for (int j = c + 1; j < n; ++j) {
                a[r * n + j] -= factor * a[c * n + j];
            }
            b[r] -= factor * right;
        }
    }
    for (int r = n - 1; r >= 0; --r) {
        Scalar sum = b[r];
        for (int j = r + 1; j < n; ++j) {
            sum -= a[r * n + j] * x[j];
        }
        x[r] = sum / a[r * n + r];
    }
}

} // namespace detail

template <class Scalar>
void setup(const Scalar *p, Scalar *k)
{
    const Scalar m = p[0];
    k[0] = m;
}

template <class Scalar>
void call(const Scalar *A, const Scalar *v, const Scalar *k, Scalar *x, Scalar *y)
{
    const Scalar A2 = A[1];
    const Scalar A3 = A[2];
    const Scalar A4 = A[3];
    const Scalar A5 = A[4];
    const Scalar A6 = A[5];
    const Scalar A7 = A[6];
    const Scalar A8 = A[7];
    const Scalar A9 = A[8];
    const Scalar A10 = A[9];
    const Scalar A11 = A[10];
    const Scalar A12 = A[11];
    const Scalar A13 = A[12];
    const Scalar A14 = A[13];
    const Scalar A15 = A[14];
    const Scalar A16 = A[15];
    const Scalar v1 = v[0];
    const Scalar v2 = v[1];
    const Scalar v3 = v[2];
    const Scalar v4 = v[3];
    const Scalar m = k[0];
    Scalar solve1_1[16] = {Scalar(0), A2 + m, A3, A4, A5 + m, A6, A7 + m, A8, A9, A10 + m, A11, A12 + m, A13,
        A14, A15 + m, A16};
    Scalar solve1_2[4] = {-v1, v2, v3, v4};
    Scalar solve1[4];
    detail::solve_<Scalar>(4, solve1_1, solve1_2, solve1);
    Scalar solve2_1[4] = {solve1[0] + Scalar(3), Scalar(1), Scalar(0), solve1[1] - Scalar(2)};
    Scalar solve2_2[2] = {v1*solve1[3], Scalar(5)};
    Scalar solve2[2];
    detail::solve_<Scalar>(2, solve2_1, solve2_2, solve2);
    y[0] = solve2[0]*solve2[0];
    x[0] = solve1[0];
    x[1] = solve1[1];
    x[2] = solve1[2];
    x[3] = solve1[3];
    y[1] = -solve2[1];
}

template <class Scalar>
void batch(std::size_t n, const Scalar *A, const Scalar *v, const Scalar *k, Scalar *x, Scalar *y)
{
    for (std::size_t i = 0; i < n; ++i) {
        const Scalar A2 = A[n + i];
        const Scalar A3 = A[2 * n + i];
        const Scalar A4 = A[3 * n + i];
        const Scalar A5 = A[4 * n + i];
        const Scalar A6 = A[5 * n + i];
        const Scalar A7 = A[6 * n + i];
        const Scalar A8 = A[7 * n + i];
        const Scalar A9 = A[8 * n + i];
        const Scalar A10 = A[9 * n + i];
        const Scalar A11 = A[10 * n + i];
        const Scalar A12 = A[11 * n + i];
        const Scalar A13 = A[12 * n + i];
        const Scalar A14 = A[13 * n + i];
        const Scalar A15 = A[14 * n + i];
        const Scalar A16 = A[15 * n + i];
        const Scalar v1 = v[i];
        const Scalar v2 = v[n + i];
        const Scalar v3 = v[2 * n + i];
        const Scalar v4 = v[3 * n + i];
        const Scalar m = k[0];
        Scalar solve1_1[16] = {Scalar(0), A2 + m, A3, A4, A5 + m, A6, A7 + m, A8, A9, A10 + m, A11, A12 + m,
            A13, A14, A15 + m, A16};
        Scalar solve1_2[4] = {-v1, v2, v3, v4};
        Scalar solve1[4];
        detail::solve_<Scalar>(4, solve1_1, solve1_2, solve1);
        Scalar solve2_1[4] = {solve1[0] + Scalar(3), Scalar(1), Scalar(0), solve1[1] - Scalar(2)};
        Scalar solve2_2[2] = {v1*solve1[3], Scalar(5)};
        Scalar solve2[2];
        detail::solve_<Scalar>(2, solve2_1, solve2_2, solve2);
        y[i] = solve2[0]*solve2[0];
        x[i] = solve1[0];
        x[n + i] = solve1[1];
        x[2 * n + i] = solve1[2];
        x[3 * n + i] = solve1[3];
        y[n + i] = -solve2[1];
    }
}

} // namespace solver
} // namespace symoro

#endif
