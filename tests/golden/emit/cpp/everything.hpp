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
 * Constants, computed once from the parameters by setup
 *   k_2 (7): D3 d3 end while_2 MXR k1 k2
 *
 * Operations per call: 20 x, 18 +, 2 /, 10 functions, 23 others; once: 4 x, 4 +, 1 /
 * Made by symoro VERSION
 */
#ifndef EVERYTHING_HPP
#define EVERYTHING_HPP

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
namespace everything {

constexpr std::size_t PARAMETERS = 11;
constexpr std::size_t CONSTANTS = 7;
constexpr std::size_t SIZE_q = 3;
constexpr std::size_t SIZE_T = 4;
constexpr std::size_t SIZE_n = 1;
constexpr std::size_t SIZE_unused = 2;
constexpr std::size_t SIZE_t = 6;
constexpr std::size_t SIZE_k = 1;
constexpr std::size_t SIZE_Q = 6;
constexpr std::size_t SIZE_r = 9;
constexpr std::size_t SIZE_last = 8;

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

} // namespace detail

template <class Scalar>
void setup(const Scalar *p, Scalar *k_2)
{
    using std::sqrt;
    using std::sin;
    using std::cos;
    using std::tan;
    using std::asin;
    using std::acos;
    using std::atan2;
    using std::exp;
    using std::abs;
    const Scalar D3 = p[0];
    const Scalar d3 = p[1];
    const Scalar end = p[2];
    const Scalar double_2 = p[3];
    const Scalar x_a = p[4];
    const Scalar E = p[5];
    const Scalar k_3 = p[6];
    const Scalar function = p[7];
    const Scalar t2 = p[8];
    const Scalar x_y = p[9];
    const Scalar xY = p[10];
    const Scalar while_2 = D3*d3 + end/double_2;
    const Scalar MXR = -(k_3 + x_a*E);
    const Scalar k1 = function*while_2 - MXR;
    const Scalar k2 = xY - t2*x_y;
    k_2[0] = D3;
    k_2[1] = d3;
    k_2[2] = end;
    k_2[3] = while_2;
    k_2[4] = MXR;
    k_2[5] = k1;
    k_2[6] = k2;
}

template <class Scalar>
void call(const Scalar *q, const Scalar *T, const Scalar *n, const Scalar *unused, const Scalar *k_2,
    Scalar *t, Scalar *k, Scalar *Q, Scalar *r, Scalar *last)
{
    using std::sqrt;
    using std::sin;
    using std::cos;
    using std::tan;
    using std::asin;
    using std::acos;
    using std::atan2;
    using std::exp;
    using std::abs;
    (void)unused;
    const Scalar q1 = q[0];
    const Scalar C1 = cos(q1);
    const Scalar S1 = sin(q1);
    const Scalar q2 = q[1];
    const Scalar C2 = cos(q2);
    const Scalar S2 = sin(q2);
    const Scalar t1 = C1*C2;
    const Scalar D3 = k_2[0];
    const Scalar d3 = k_2[1];
    const Scalar q1_2 = D3*t1 - d3*S1*S2;
    t[0] = q1_2;
    const Scalar q3 = q[2];
    const Scalar end = k_2[2];
    const Scalar class_2 = -(end + q3*q1_2);
    const Scalar t3 = detail::select<Scalar>(detail::of<Scalar>::less(q1_2, q3),
        Scalar(0.8660254037844386)*q1_2, class_2 - q1_2);
    t[1] = -t3;
    const Scalar T11 = T[0];
    r[4] = detail::select<Scalar>(detail::of<Scalar>::equal(q2, T11), q2, -q3);
    const Scalar T22 = T[3];
    const Scalar t4 = detail::select<Scalar>(detail::of<Scalar>::less_equal(T11, T22), Scalar(1), Scalar(0));
    const Scalar T12 = T[1];
    const Scalar T21 = T[2];
    r[5] = q1*t4 + detail::select<Scalar>(detail::of<Scalar>::different(t4, Scalar(0)), T12, T21);
    r[0] = sqrt(Scalar(1) + q1*q1)/(Scalar(2) + S2);
    r[1] = asin(S1*C2) - atan2(S1, C1) - acos(t1) + tan(Scalar(0.25)*q3) + exp(-q2);
    r[2] = detail::sign<Scalar>(q1)*abs(q2 - q3) + Scalar(5)*detail::sign<Scalar>(q2 - T11);
    const Scalar t5 = t3 - q1_2;
    t[4] = t5;
    t[3] = -S1*t5;
    t[5] = C1*t5;
    const Scalar k1 = k_2[5];
    Q[0] = k1*q1;
    r[3] = Scalar(1e-12)*(detail::min<Scalar>(q1, -q2) - Scalar(1e-07)*detail::max<Scalar>(q3, T12) +
        Scalar(123456789012.0)*detail::min<Scalar>(S1, C2));
    const Scalar lambda = n[0];
    r[6] = lambda*lambda;
    r[7] = -(q1 + lambda);
    last[0] = class_2/(Scalar(2) + C1);
    last[7] = Scalar(0.14285714285714285)*T22;
    t[2] = Scalar(1);
    const Scalar MXR = k_2[4];
    k[0] = MXR;
    const Scalar while_2 = k_2[3];
    Q[1] = while_2;
    Q[2] = D3;
    Q[3] = q2;
    Q[4] = -q3;
    const Scalar k2 = k_2[6];
    Q[5] = -k2;
    r[8] = Scalar(1.5707963267948966);
    last[1] = Scalar(0.8660254037844386);
    last[2] = -Scalar(0.8660254037844386);
    last[3] = -Scalar(0.6666666666666666);
    last[4] = Scalar(0);
    last[5] = -Scalar(1);
    last[6] = Scalar(0.1);
}

template <class Scalar>
void batch(std::size_t n_2, const Scalar *q, const Scalar *T, const Scalar *n, const Scalar *unused,
    const Scalar *k_2, Scalar *t, Scalar *k, Scalar *Q, Scalar *r, Scalar *last)
{
    using std::sqrt;
    using std::sin;
    using std::cos;
    using std::tan;
    using std::asin;
    using std::acos;
    using std::atan2;
    using std::exp;
    using std::abs;
    (void)unused;
    for (std::size_t i = 0; i < n_2; ++i) {
        const Scalar q1 = q[i];
        const Scalar C1 = cos(q1);
        const Scalar S1 = sin(q1);
        const Scalar q2 = q[n_2 + i];
        const Scalar C2 = cos(q2);
        const Scalar S2 = sin(q2);
        const Scalar t1 = C1*C2;
        const Scalar D3 = k_2[0];
        const Scalar d3 = k_2[1];
        const Scalar q1_2 = D3*t1 - d3*S1*S2;
        t[i] = q1_2;
        const Scalar q3 = q[2 * n_2 + i];
        const Scalar end = k_2[2];
        const Scalar class_2 = -(end + q3*q1_2);
        const Scalar t3 = detail::select<Scalar>(detail::of<Scalar>::less(q1_2, q3),
            Scalar(0.8660254037844386)*q1_2, class_2 - q1_2);
        t[n_2 + i] = -t3;
        const Scalar T11 = T[i];
        r[4 * n_2 + i] = detail::select<Scalar>(detail::of<Scalar>::equal(q2, T11), q2, -q3);
        const Scalar T22 = T[3 * n_2 + i];
        const Scalar t4 = detail::select<Scalar>(detail::of<Scalar>::less_equal(T11, T22), Scalar(1),
            Scalar(0));
        const Scalar T12 = T[n_2 + i];
        const Scalar T21 = T[2 * n_2 + i];
        r[5 * n_2 + i] = q1*t4 + detail::select<Scalar>(detail::of<Scalar>::different(t4, Scalar(0)), T12,
            T21);
        r[i] = sqrt(Scalar(1) + q1*q1)/(Scalar(2) + S2);
        r[n_2 + i] = asin(S1*C2) - atan2(S1, C1) - acos(t1) + tan(Scalar(0.25)*q3) + exp(-q2);
        r[2 * n_2 + i] = detail::sign<Scalar>(q1)*abs(q2 - q3) + Scalar(5)*detail::sign<Scalar>(q2 - T11);
        const Scalar t5 = t3 - q1_2;
        t[4 * n_2 + i] = t5;
        t[3 * n_2 + i] = -S1*t5;
        t[5 * n_2 + i] = C1*t5;
        const Scalar k1 = k_2[5];
        Q[i] = k1*q1;
        r[3 * n_2 + i] = Scalar(1e-12)*(detail::min<Scalar>(q1, -q2) - Scalar(1e-07)*detail::max<Scalar>(q3,
            T12) + Scalar(123456789012.0)*detail::min<Scalar>(S1, C2));
        const Scalar lambda = n[i];
        r[6 * n_2 + i] = lambda*lambda;
        r[7 * n_2 + i] = -(q1 + lambda);
        last[i] = class_2/(Scalar(2) + C1);
        last[7 * n_2 + i] = Scalar(0.14285714285714285)*T22;
        t[2 * n_2 + i] = Scalar(1);
        const Scalar MXR = k_2[4];
        k[i] = MXR;
        const Scalar while_2 = k_2[3];
        Q[n_2 + i] = while_2;
        Q[2 * n_2 + i] = D3;
        Q[3 * n_2 + i] = q2;
        Q[4 * n_2 + i] = -q3;
        const Scalar k2 = k_2[6];
        Q[5 * n_2 + i] = -k2;
        r[8 * n_2 + i] = Scalar(1.5707963267948966);
        last[n_2 + i] = Scalar(0.8660254037844386);
        last[2 * n_2 + i] = -Scalar(0.8660254037844386);
        last[3 * n_2 + i] = -Scalar(0.6666666666666666);
        last[4 * n_2 + i] = Scalar(0);
        last[5 * n_2 + i] = -Scalar(1);
        last[6 * n_2 + i] = Scalar(0.1);
    }
}

} // namespace everything
} // namespace symoro

#endif
