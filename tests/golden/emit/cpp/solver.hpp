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
#include <type_traits>
#include <utility>

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

/* Choices by comparisons. Three kinds of scalars:
 *   numbers       comparisons return bool, and one of the values is selected at once: double, dual numbers
 *   expressions   comparisons return an expression, and the namespace of the type has if_else(condition, a, b): casadi::SX
 *   recorded      the namespace of the type has CondExpLt(left, right, a, b), CondExpLe and CondExpEq: CppAD::AD
 * Both values remain in an expression or record, which is therefore valid at other points too. */
struct number_kind {};
struct expression_kind {};
struct recorded_kind {};

template <class Scalar>
auto kind_of(const Scalar& x, int) -> decltype(CondExpLt(x, x, x, x), CondExpEq(x, x, x, x), recorded_kind());
template <class Scalar>
auto kind_of(const Scalar& x, long) -> decltype(if_else(x < x, x, x), expression_kind());
template <class Scalar>
number_kind kind_of(const Scalar& x, ...);
template <class Scalar>
using kind = decltype(kind_of(std::declval<const Scalar&>(), 0));

enum class relation { less, less_equal, equal, different };

template <class Scalar>
struct recorded_condition {
    Scalar left;
    Scalar right;
    relation compared;
};

template <class Scalar>
inline Scalar select(bool condition, const Scalar& a, const Scalar& b, number_kind)
{
    return condition ? a : b;
}
template <class Scalar, class Condition>
inline Scalar select(const Condition& condition, const Scalar& a, const Scalar& b, expression_kind)
{
    return if_else(condition, a, b);
}
template <class Scalar>
inline Scalar select(const recorded_condition<Scalar>& c, const Scalar& a, const Scalar& b, recorded_kind)
{
    switch (c.compared) {
    case relation::less:
        return CondExpLt(c.left, c.right, a, b);
    case relation::less_equal:
        return CondExpLe(c.left, c.right, a, b);
    case relation::equal:
        return CondExpEq(c.left, c.right, a, b);
    default:
        return CondExpEq(c.left, c.right, b, a);
    }
}
template <class Scalar, class Condition>
inline Scalar select(const Condition& condition, const Scalar& a, const Scalar& b)
{
    return select(condition, a, b, kind<Scalar>());
}

template <relation R, class Scalar>
inline recorded_condition<Scalar> compared(const Scalar& a, const Scalar& b)
{
    return recorded_condition<Scalar>{a, b, R};
}

template <class Scalar, class Kind>
struct comparisons {
    using condition = decltype(std::declval<const Scalar&>() < std::declval<const Scalar&>());
    static condition less(const Scalar& a, const Scalar& b) { return a < b; }
    static condition less_equal(const Scalar& a, const Scalar& b) { return a <= b; }
    static condition equal(const Scalar& a, const Scalar& b) { return a == b; }
    static condition different(const Scalar& a, const Scalar& b) { return a != b; }
};
template <class Scalar>
struct comparisons<Scalar, recorded_kind> {
    using condition = recorded_condition<Scalar>;
    static condition less(const Scalar& a, const Scalar& b) { return compared<relation::less>(a, b); }
    static condition less_equal(const Scalar& a, const Scalar& b) { return compared<relation::less_equal>(a, b); }
    static condition equal(const Scalar& a, const Scalar& b) { return compared<relation::equal>(a, b); }
    static condition different(const Scalar& a, const Scalar& b) { return compared<relation::different>(a, b); }
};

template <class Scalar>
struct of : comparisons<Scalar, kind<Scalar>> {};

template <class Scalar>
inline Scalar min(const Scalar& a, const Scalar& b)
{
    return select<Scalar>(of<Scalar>::less(b, a), b, a);
}

template <class Scalar>
inline Scalar max(const Scalar& a, const Scalar& b)
{
    return select<Scalar>(of<Scalar>::less(a, b), b, a);
}

template <class Scalar>
inline Scalar sign(const Scalar& x)
{
    const Scalar negative = select<Scalar>(of<Scalar>::less(x, Scalar(0)), Scalar(-1), Scalar(0));
    return select<Scalar>(of<Scalar>::less(Scalar(0), x), Scalar(1), negative);
}

/* 0 / 0, where a model has no result. CasADi would simplify the quotient to a number. */
template <class Scalar>
inline Scalar undefined(const Scalar& above, const Scalar& below, number_kind)
{
    return above / below;
}
template <class Scalar>
inline Scalar undefined(const Scalar& above, const Scalar& below, recorded_kind)
{
    return above / below;
}
template <class Scalar>
inline Scalar undefined(const Scalar&, const Scalar&, expression_kind)
{
    return Scalar(std::numeric_limits<double>::quiet_NaN());
}
template <class Scalar>
inline Scalar undefined(const Scalar& above, const Scalar& below)
{
    return undefined(above, below, kind<Scalar>());
}

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

/* The same without branches, for expressions and recorded scalars: rows are exchanged by choices, so that the pivots are
 * selected anew wherever the result is evaluated. */
template <class Scalar>
inline void solve_choices_(int n, Scalar *a, Scalar *b, Scalar *x)
{
    using std::abs;
    for (int c = 0; c < n; ++c) {
        for (int r = c + 1; r < n; ++r) {
            const auto exchange = of<Scalar>::less(abs(a[c * n + c]), abs(a[r * n + c]));
            for (int j = c; j <= n; ++j) {
                Scalar &upper = j < n ? a[c * n + j] : b[c];
                Scalar &lower = j < n ? a[r * n + j] : b[r];
                const Scalar first = select<Scalar>(exchange, lower, upper);
                lower = select<Scalar>(exchange, upper, lower);
                upper = first;
            }
        }
        for (int r = c + 1; r < n; ++r) {
            const Scalar factor = a[r * n + c] / a[c * n + c];
            for (int j = c + 1; j < n; ++j) {
                a[r * n + j] -= factor * a[c * n + j];
            }
            b[r] -= factor * b[c];
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

template <class Scalar>
inline void solve_kernel(int n, Scalar *a, Scalar *b, Scalar *x, number_kind)
{
    solve_<Scalar>(n, a, b, x);
}
template <class Scalar, class Kind>
inline void solve_kernel(int n, Scalar *a, Scalar *b, Scalar *x, Kind)
{
    solve_choices_<Scalar>(n, a, b, x);
}
template <class Scalar>
inline void solve_kernel(int n, Scalar *a, Scalar *b, Scalar *x)
{
    solve_kernel<Scalar>(n, a, b, x, kind<Scalar>());
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
    detail::solve_kernel<Scalar>(4, solve1_1, solve1_2, solve1);
    Scalar solve2_1[4] = {solve1[0] + Scalar(3), Scalar(1), Scalar(0), solve1[1] - Scalar(2)};
    Scalar solve2_2[2] = {v1*solve1[3], Scalar(5)};
    Scalar solve2[2];
    detail::solve_kernel<Scalar>(2, solve2_1, solve2_2, solve2);
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
        detail::solve_kernel<Scalar>(4, solve1_1, solve1_2, solve1);
        Scalar solve2_1[4] = {solve1[0] + Scalar(3), Scalar(1), Scalar(0), solve1[1] - Scalar(2)};
        Scalar solve2_2[2] = {v1*solve1[3], Scalar(5)};
        Scalar solve2[2];
        detail::solve_kernel<Scalar>(2, solve2_1, solve2_2, solve2);
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
