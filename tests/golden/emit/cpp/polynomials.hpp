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
 * Constants, computed once from the parameters by setup
 *   k_2 (1): m
 *
 * Operations per call: 1263 x, 965 +, 268 /, 2 others, 4 kernel calls
 * Made by symoro VERSION
 */
#ifndef POLYNOMIALS_HPP
#define POLYNOMIALS_HPP

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
namespace polynomials {

constexpr std::size_t PARAMETERS = 1;
constexpr std::size_t CONSTANTS = 1;
constexpr std::size_t SIZE_a = 5;
constexpr std::size_t SIZE_k = 5;
constexpr std::size_t SIZE_x = 8;
constexpr std::size_t SIZE_t = 12;
constexpr std::size_t SIZE_pair = 8;
constexpr std::size_t SIZE_none = 12;

namespace detail {

/* Whether a scalar is a number without derivatives: double, float, long double, and types in whose namespace the function
 * `std::true_type symoro_is_number(const Type&)` is declared. */
template <class Scalar>
auto is_number(const Scalar& x, int) -> decltype(symoro_is_number(x));
template <class Scalar>
std::is_floating_point<Scalar> is_number(const Scalar& x, long);

/* k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t and its derivative. */
template <class Scalar>
inline Scalar circle_left_(const Scalar *k, Scalar s, Scalar c, Scalar *slope)
{
    const Scalar c2 = (c - s)*(c + s);
    const Scalar s2 = Scalar(2.0)*s*c;
    *slope = k[2]*c - k[1]*s + Scalar(2.0)*(k[4]*c2 - k[3]*s2);
    return k[0] + k[1]*c + k[2]*s + k[3]*c2 + k[4]*s2;
}

/* The largest root of z^3 + 2p z^2 + (p^2 - 4r) z - q^2, which is not negative. */
template <class Scalar>
inline Scalar circle_resolvent_(Scalar p, Scalar q, Scalar r)
{
    using std::abs;
    using std::sqrt;
    using std::cbrt;
    using std::cos;
    using std::acos;
    const Scalar big = (p*p + Scalar(12.0)*r)/Scalar(9.0);
    const Scalar odd = p*(Scalar(4.0)*r/Scalar(3.0) - p*p/Scalar(27.0)) - q*q/Scalar(2.0);
    const Scalar cube = big*big*big;
    const Scalar rest = odd*odd - cube;
    Scalar z = Scalar(0.0);
    if (rest < Scalar(0.0)) {
        const Scalar ratio = odd/sqrt(cube);
        const Scalar angle = acos(ratio < -Scalar(1.0) ? -Scalar(1.0) : ratio > Scalar(1.0) ? Scalar(1.0) : ratio);
        z = -Scalar(2.0)*sqrt(big)*cos((angle + Scalar(6.283185307179586))/Scalar(3.0));
    } else {
        const Scalar root = cbrt(abs(odd) + sqrt(rest));
        z = root > Scalar(0.0) ? root + big/root : Scalar(0.0);
        z = odd > Scalar(0.0) ? -z : z;
    }
    z = z - Scalar(2.0)*p/Scalar(3.0);
    return z < Scalar(0.0) ? Scalar(0.0) : z;
}

/* Positions of four keys in ascending order. */
template <class Scalar>
inline void circle_order_(const Scalar *key, int *place)
{
    for (int j = 0; j < 4; ++j) {
        place[j] = j;
    }
    for (int j = 1; j < 4; ++j) {
        for (int i = 0; i < j; ++i) {
            const int later = key[j] < key[i];
            place[i] += later;
            place[j] -= later;
        }
    }
}

/* The angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0: 4 sines, 4 cosines, 4 defects. A
 * defect is 0 for a real angle, 1 for an empty slot, and 1 - |exp(it)| for a complex one. With x = tan(u/2), t = u +
 * turn, the equation is a quartic whose leading coefficient is the largest of eight values of the left side; Ferrari's
 * method splits it into two quadratics; finally Newton's method is applied to the equation itself. k is overwritten. */
template <class Scalar>
inline void circle_(int n, Scalar *k, Scalar *slots)
{
    using std::abs;
    using std::sqrt;
    const Scalar cosines[4] = {-Scalar(1.0), -Scalar(0.7071067811865476), Scalar(0.0), Scalar(0.7071067811865476)};
    const Scalar sines[4] = {Scalar(0.0), -Scalar(0.7071067811865476), -Scalar(1.0), -Scalar(0.7071067811865476)};
    const Scalar doubled[5] = {Scalar(1.0), Scalar(0.0), -Scalar(1.0), Scalar(0.0), Scalar(1.0)};
    Scalar top = Scalar(0.0);
    for (int j = 0; j < 5; ++j) {
        top = abs(k[j]) > top ? abs(k[j]) : top;
    }
    for (int j = 0; j < 5; ++j) {
        k[j] = k[j]/top;
    }
    int at = 0;
    Scalar largest = Scalar(0.0);
    for (int j = 0; j < 4; ++j) {
        const Scalar even = k[0] + doubled[j]*k[3] - doubled[j + 1]*k[4];
        const Scalar value = abs(even) + abs(cosines[j]*k[1] + sines[j]*k[2]);
        if (value > largest) {
            largest = value;
            at = j;
        }
    }
    const Scalar c2 = doubled[at];
    const Scalar s2 = -doubled[at + 1];
    const Scalar g = k[3]*c2 + k[4]*s2;
    const Scalar h = k[4]*c2 - k[3]*s2;
    const Scalar side = (k[0] + g)*(cosines[at]*k[1] + sines[at]*k[2]) > Scalar(0.0) ? -Scalar(1.0) : Scalar(1.0);
    const Scalar ct = side*cosines[at];
    const Scalar st = side*sines[at];
    const Scalar a = k[1]*ct + k[2]*st;
    const Scalar b = k[2]*ct - k[1]*st;
    const Scalar scale = Scalar(1.0)/(k[0] - a + g);
    const Scalar a2 = scale*(Scalar(2.0)*k[0] - Scalar(6.0)*g);
    const Scalar a1 = scale*(Scalar(2.0)*b + Scalar(4.0)*h);
    const Scalar a0 = scale*(k[0] + a + g);
    /* y = x + e: y^4 + p y^2 + q y + r = (y^2 + v y + w1) (y^2 - v y + w2), the larger one of v and w2 - w1 is a
     * square root, the other one is q divided by it. */
    const Scalar e = scale*(Scalar(0.5)*b - h);
    const Scalar p = a2 - Scalar(6.0)*e*e;
    const Scalar q = a1 - Scalar(2.0)*e*(a2 - Scalar(4.0)*e*e);
    const Scalar r = a0 - e*(a1 - e*(a2 - Scalar(3.0)*e*e));
    const Scalar z = circle_resolvent_(p, q, r);
    const Scalar gap = (p + z)*(p + z) - Scalar(4.0)*r;
    Scalar v = Scalar(0.0);
    Scalar difference = Scalar(0.0);
    if (gap <= z*z) {
        v = sqrt(z);
        difference = v > Scalar(0.0) ? q/v : Scalar(0.0);
    } else {
        difference = q < Scalar(0.0) ? -sqrt(gap) : sqrt(gap);
        v = q/difference;
    }
    Scalar unsorted[12];
    Scalar key[4];
    int place[4];
    for (int j = 0; j < 4; ++j) {
        const Scalar sign = j % 2 == 0 ? -Scalar(0.5) : Scalar(0.5);
        const Scalar inside = v*v/Scalar(4.0) - Scalar(0.5)*(p + z) - sign*difference;
        const Scalar reach = sqrt(abs(inside));
        Scalar x = sign*v - e;
        Scalar s = Scalar(0.0);
        Scalar c = Scalar(1.0);
        Scalar defect = Scalar(0.0);
        if (inside < Scalar(0.0)) {
            /* exp(iu) = (1 + i(x + iy))/(1 - i(x + iy)), y = reach */
            const Scalar squared = Scalar(4.0)*reach/((Scalar(1.0) + reach)*(Scalar(1.0) + reach) + x*x);
            const Scalar su = Scalar(2.0)*x;
            const Scalar cu = Scalar(1.0) - x*x - reach*reach;
            const Scalar shrink = Scalar(1.0)/sqrt(su*su + cu*cu);
            defect = squared/(Scalar(1.0) + sqrt(Scalar(1.0) - squared));
            s = (su*ct + cu*st)*shrink;
            c = (cu*ct - su*st)*shrink;
        } else {
            x = j < 2 ? x - reach : x + reach;
            const Scalar shrink = Scalar(1.0)/(Scalar(1.0) + x*x);
            const Scalar su = Scalar(2.0)*x*shrink;
            const Scalar cu = (Scalar(1.0) - x*x)*shrink;
            s = su*ct + cu*st;
            c = cu*ct - su*st;
            Scalar slope;
            Scalar left = circle_left_(k, s, c, &slope);
            for (int m = 0; m < 2 && abs(left) > Scalar(std::numeric_limits<Scalar>::digits == 24 ? 8e-08 : 1e-16); ++m) {
                const Scalar step = -left/slope;
                const Scalar cosine = Scalar(1.0)/sqrt(Scalar(1.0) + step*step);
                const Scalar s1 = (s + c*step)*cosine;
                const Scalar c1 = (c - s*step)*cosine;
                const Scalar left1 = circle_left_(k, s1, c1, &slope);
                if (!(abs(left1) < abs(left))) {
                    break;
                }
                s = s1;
                c = c1;
                left = left1;
            }
        }
        if (defect < Scalar(0.999999) && s*s + c*c > Scalar(0.5)) {
            s = c < Scalar(0.0) && abs(s) < Scalar(std::numeric_limits<Scalar>::digits == 24 ? 2e-07 : 1e-15) ? Scalar(0.0) : s; /* pi must not become -pi because of round-off */
            const Scalar d = s/(abs(s) + abs(c));
            key[j] = Scalar(0.0) <= c ? d : Scalar(0.0) <= s ? Scalar(2.0) - d : -Scalar(2.0) - d;
        } else {
            s = Scalar(0.0);
            c = Scalar(1.0);
            defect = Scalar(1.0);
            key[j] = Scalar(3.0);
        }
        unsorted[j] = s;
        unsorted[j + 4] = c;
        unsorted[j + 8] = defect;
    }
    circle_order_(key, place);
    for (int j = 0; j < 12; ++j) {
        slots[place[j % 4] + j/4*4] = unsorted[j];
    }
    (void)n;
}

template <class Scalar, class... Arrays>
inline void circle_kernel(int n, Arrays... arrays)
{
    static_assert(decltype(is_number(std::declval<const Scalar&>(), 0))::value,
                  "this model calls the kernel circle (angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0), which branches on values and drops derivatives: the scalar type must be a number such as double; differentiate the model with symoro instead");
    circle_<Scalar>(n, arrays...);
}

/* Logarithms of the magnitudes of the roots, ascending, from the Newton polygon of the coefficients' logarithms. */
template <class Scalar>
inline void quartic_sizes_(const Scalar *logs, Scalar *sizes)
{
    Scalar hull[5];
    for (int m = 0; m < 5; ++m) {
        hull[m] = logs[m];
        for (int i = 0; i < m; ++i) {
            for (int j = m + 1; j < 5; ++j) {
                const Scalar chord = (logs[i]*Scalar(j - m) + logs[j]*Scalar(m - i))/Scalar(j - i);
                hull[m] = chord > hull[m] ? chord : hull[m];
            }
        }
    }
    for (int m = 0; m < 4; ++m) {
        sizes[m] = hull[m] - hull[m + 1];
    }
}

/* Degree without the leading coefficients that are below the round-off of the others, at the roots without them or at
 * 1; a, lowest first, by logs. -1 if all are zero. */
template <class Scalar>
inline int quartic_degree_(const Scalar *logs)
{
    int degree = 4;
    while (degree >= 0 && !(logs[degree] > -Scalar(10000.0))) {
        --degree;
    }
    for (int d = 1; d < degree; ++d) {
        Scalar reach = Scalar(0.0);
        Scalar kept = -Scalar(100000.0);
        Scalar lost = -Scalar(100000.0);
        for (int j = 0; j < d; ++j) {
            const Scalar size = (logs[j] - logs[d])/Scalar(d - j);
            reach = size > reach ? size : reach;
        }
        for (int j = 0; j <= degree; ++j) {
            const Scalar weight = logs[j] + Scalar(j)*reach;
            kept = j <= d && weight > kept ? weight : kept;
            lost = j > d && weight > lost ? weight : lost;
        }
        if (logs[d] > -Scalar(10000.0) && lost < kept - Scalar(34.5)) {
            return d;
        }
    }
    return degree;
}

/* The unit of x in which the middle roots are about 1, of a, lowest first. Above *degree, a becomes zero. */
template <class Scalar>
inline Scalar quartic_unit_(Scalar *a, int *degree)
{
    using std::abs;
    using std::exp;
    using std::log;
    Scalar logs[5];
    Scalar sizes[4];
    Scalar total = Scalar(0.0);
    int least = 5;
    for (int j = 4; j >= 0; --j) {
        total = total + a[j];
        logs[j] = a[j] != Scalar(0.0) ? log(abs(a[j])) : -Scalar(10000.0);
        least = a[j] != Scalar(0.0) ? j : least;
    }
    *degree = abs(total) < Scalar(6.0) ? quartic_degree_(logs) : -1; /* -1: not a number, or all zero */
    for (int j = *degree + 1; j < 5; ++j) {
        a[j] = Scalar(0.0);
        logs[j] = -Scalar(10000.0);
    }
    if (*degree <= least) {
        return Scalar(1.0);
    }
    quartic_sizes_(logs, sizes);
    const Scalar small = sizes[(least + *degree - 1)/2];
    const Scalar large = sizes[(least + *degree)/2];
    Scalar size = Scalar(0.5)*(small + large);
    if (Scalar(60.0) <= large - small) {
        size = -small > large ? large : small;
    }
    return exp(size < -Scalar(170.0) ? -Scalar(170.0) : size > Scalar(170.0) ? Scalar(170.0) : size);
}

/* Newton's method on f[0] + f[1] x + ... + f[4] x^4, as long as the residual decreases. */
template <class Scalar>
inline Scalar quartic_polish_(const Scalar *f, Scalar x)
{
    using std::abs;
    Scalar left = (((f[4]*x + f[3])*x + f[2])*x + f[1])*x + f[0];
    for (int m = 0; m < 2; ++m) {
        const Scalar x1 = x - left/(((Scalar(4.0)*f[4]*x + Scalar(3.0)*f[3])*x + Scalar(2.0)*f[2])*x + f[1]);
        const Scalar left1 = (((f[4]*x1 + f[3])*x1 + f[2])*x1 + f[1])*x1 + f[0];
        if (!(abs(left1) < abs(left))) {
            break;
        }
        x = x1;
        left = left1;
    }
    return x;
}

/* The real roots of a[0] x^4 + a[1] x^3 + a[2] x^2 + a[3] x + a[4] = 0: 4 roots, ascending, and 4 defects. A
 * defect is 0 for a real root, 1 for an empty slot (with root 0), and |Im x|/(1 + |x|) for a complex one. With
 * x = unit*tan(t/2) the roots are angles t. */
template <class Scalar>
inline void quartic_(int n, Scalar *a, Scalar *roots)
{
    using std::abs;
    using std::sqrt;
    Scalar b[5];
    Scalar back[5];
    Scalar top = Scalar(0.0);
    int degree;
    for (int j = 0; j < 5; ++j) {
        top = abs(a[j]) > top ? abs(a[j]) : top;
    }
    for (int j = 0; j < 5; ++j) {
        b[j] = a[4 - j]/top;
    }
    const Scalar unit = quartic_unit_(b, &degree);
    const Scalar weights[5] = {Scalar(1.0)/unit/unit, Scalar(1.0)/unit, Scalar(1.0), unit, unit*unit};
    top = Scalar(0.0);
    for (int j = 0; j < 5; ++j) {
        b[j] = b[j]*weights[j];
        top = abs(b[j]) > top ? abs(b[j]) : top;
    }
    for (int j = 0; j < 5; ++j) {
        b[j] = b[j]/top;
        back[4 - j] = b[j];
    }
    const Scalar twice = (b[0] + b[4] - b[2])/Scalar(8.0);
    Scalar k[5] = {(b[0] + b[4])/Scalar(2.0) - twice, (b[0] - b[4])/Scalar(2.0), (b[3] + b[1])/Scalar(4.0), twice,
        (b[1] - b[3])/Scalar(8.0)};
    Scalar angles[12];
    circle_(12, k, angles);
    Scalar below[4]; /* |z + 1|^2, where x/unit = -i (z - 1)/(z + 1) with z = r exp(it), r = 1 - defect */
    Scalar unsorted[8];
    Scalar key[4];
    int place[4];
    for (int j = 0; j < 4; ++j) {
        const Scalar s = angles[j];
        const Scalar c = angles[j + 4];
        const Scalar defect = angles[j + 8];
        const Scalar beside = c < Scalar(0.0) ? s*s/(Scalar(1.0) - c) : Scalar(1.0) + c;
        below[j] = defect*defect + Scalar(2.0)*(Scalar(1.0) - defect)*beside;
    }
    for (int j = 0; j < 4; ++j) {
        const Scalar s = angles[j];
        const Scalar c = angles[j + 4];
        const Scalar defect = angles[j + 8];
        int nearer = 0; /* number of roots nearer to infinity, which a polynomial of lower degree lacks */
        for (int i = 0; i < 4; ++i) {
            nearer += below[i] < below[j] || (below[i] <= below[j] && i < j);
        }
        Scalar x = Scalar(0.0);
        Scalar imaginary = Scalar(0.0);
        if (defect > Scalar(0.0)) {
            x = unit*Scalar(2.0)*(Scalar(1.0) - defect)*s/below[j];
            imaginary = unit*defect*(Scalar(2.0) - defect)/below[j];
        } else if (c < Scalar(0.0)) { /* large roots are refined as 1/x, which cannot overflow */
            x = unit/quartic_polish_(back, s/(Scalar(1.0) - c));
        } else {
            x = unit*quartic_polish_(b, s/(Scalar(1.0) + c));
        }
        const Scalar relative = imaginary/(Scalar(1.0) + sqrt(x*x + imaginary*imaginary));
        const int real = nearer >= 4 - degree && relative <= Scalar(1.0) && abs(x) < Scalar(INFINITY);
        unsorted[j] = real ? x + Scalar(0.0) : Scalar(0.0);
        unsorted[j + 4] = real ? relative : Scalar(1.0);
        key[j] = real ? x : Scalar(INFINITY);
    }
    circle_order_(key, place);
    for (int j = 0; j < 8; ++j) {
        roots[place[j % 4] + j/4*4] = unsorted[j];
    }
    (void)n;
}

template <class Scalar, class... Arrays>
inline void quartic_kernel(int n, Arrays... arrays)
{
    static_assert(decltype(is_number(std::declval<const Scalar&>(), 0))::value,
                  "this model calls the kernel quartic (real roots of a4 x^4 + a3 x^3 + a2 x^2 + a1 x + a0 = 0), which branches on values and drops derivatives: the scalar type must be a number such as double; differentiate the model with symoro instead");
    quartic_<Scalar>(n, arrays...);
}

} // namespace detail

template <class Scalar>
void setup(const Scalar *p, Scalar *k_2)
{
    const Scalar m = p[0];
    k_2[0] = m;
}

template <class Scalar>
void call(const Scalar *a, const Scalar *k, const Scalar *k_2, Scalar *x, Scalar *t, Scalar *pair,
    Scalar *none)
{
    const Scalar a1 = a[0];
    const Scalar a2 = a[1];
    const Scalar a3 = a[2];
    const Scalar a4 = a[3];
    const Scalar a5 = a[4];
    const Scalar m = k_2[0];
    Scalar quartic1_1[5] = {a1 + m, a2, -a3, a4, a5};
    Scalar quartic1[8];
    detail::quartic_kernel<Scalar>(8, quartic1_1, quartic1);
    const Scalar k1 = k[0];
    const Scalar k2 = k[1];
    const Scalar k3 = k[2];
    const Scalar k4 = k[3];
    const Scalar k5 = k[4];
    Scalar circle2_1[5] = {Scalar(0.25)*k1, k2, k3 + m, -k4, k5};
    Scalar circle2[12];
    detail::circle_kernel<Scalar>(12, circle2_1, circle2);
    Scalar quartic3_1[5] = {Scalar(0), Scalar(0), Scalar(1), k1, quartic1[4] - Scalar(3)};
    Scalar quartic3[8];
    detail::quartic_kernel<Scalar>(8, quartic3_1, quartic3);
    Scalar circle4_1[5] = {m, Scalar(0), Scalar(0), Scalar(0), Scalar(0)};
    Scalar circle4[12];
    detail::circle_kernel<Scalar>(12, circle4_1, circle4);
    x[0] = quartic1[0];
    x[1] = quartic1[1];
    x[2] = quartic1[2];
    x[3] = quartic1[3];
    x[4] = quartic1[4];
    x[5] = quartic1[5];
    x[6] = quartic1[6];
    x[7] = quartic1[7];
    t[0] = circle2[0];
    t[1] = circle2[1];
    t[2] = circle2[2];
    t[3] = circle2[3];
    t[4] = circle2[4];
    t[5] = circle2[5];
    t[6] = circle2[6];
    t[7] = circle2[7];
    t[8] = circle2[8];
    t[9] = circle2[9];
    t[10] = circle2[10];
    t[11] = circle2[11];
    pair[0] = quartic3[0];
    pair[1] = quartic3[1];
    pair[2] = quartic3[2];
    pair[3] = quartic3[3];
    pair[4] = quartic3[4];
    pair[5] = quartic3[5];
    pair[6] = quartic3[6];
    pair[7] = quartic3[7];
    none[0] = circle4[0];
    none[1] = circle4[1];
    none[2] = circle4[2];
    none[3] = circle4[3];
    none[4] = circle4[4];
    none[5] = circle4[5];
    none[6] = circle4[6];
    none[7] = circle4[7];
    none[8] = circle4[8];
    none[9] = circle4[9];
    none[10] = circle4[10];
    none[11] = circle4[11];
}

template <class Scalar>
void batch(std::size_t n, const Scalar *a, const Scalar *k, const Scalar *k_2, Scalar *x, Scalar *t,
    Scalar *pair, Scalar *none)
{
    for (std::size_t i = 0; i < n; ++i) {
        const Scalar a1 = a[i];
        const Scalar a2 = a[n + i];
        const Scalar a3 = a[2 * n + i];
        const Scalar a4 = a[3 * n + i];
        const Scalar a5 = a[4 * n + i];
        const Scalar m = k_2[0];
        Scalar quartic1_1[5] = {a1 + m, a2, -a3, a4, a5};
        Scalar quartic1[8];
        detail::quartic_kernel<Scalar>(8, quartic1_1, quartic1);
        const Scalar k1 = k[i];
        const Scalar k2 = k[n + i];
        const Scalar k3 = k[2 * n + i];
        const Scalar k4 = k[3 * n + i];
        const Scalar k5 = k[4 * n + i];
        Scalar circle2_1[5] = {Scalar(0.25)*k1, k2, k3 + m, -k4, k5};
        Scalar circle2[12];
        detail::circle_kernel<Scalar>(12, circle2_1, circle2);
        Scalar quartic3_1[5] = {Scalar(0), Scalar(0), Scalar(1), k1, quartic1[4] - Scalar(3)};
        Scalar quartic3[8];
        detail::quartic_kernel<Scalar>(8, quartic3_1, quartic3);
        Scalar circle4_1[5] = {m, Scalar(0), Scalar(0), Scalar(0), Scalar(0)};
        Scalar circle4[12];
        detail::circle_kernel<Scalar>(12, circle4_1, circle4);
        x[i] = quartic1[0];
        x[n + i] = quartic1[1];
        x[2 * n + i] = quartic1[2];
        x[3 * n + i] = quartic1[3];
        x[4 * n + i] = quartic1[4];
        x[5 * n + i] = quartic1[5];
        x[6 * n + i] = quartic1[6];
        x[7 * n + i] = quartic1[7];
        t[i] = circle2[0];
        t[n + i] = circle2[1];
        t[2 * n + i] = circle2[2];
        t[3 * n + i] = circle2[3];
        t[4 * n + i] = circle2[4];
        t[5 * n + i] = circle2[5];
        t[6 * n + i] = circle2[6];
        t[7 * n + i] = circle2[7];
        t[8 * n + i] = circle2[8];
        t[9 * n + i] = circle2[9];
        t[10 * n + i] = circle2[10];
        t[11 * n + i] = circle2[11];
        pair[i] = quartic3[0];
        pair[n + i] = quartic3[1];
        pair[2 * n + i] = quartic3[2];
        pair[3 * n + i] = quartic3[3];
        pair[4 * n + i] = quartic3[4];
        pair[5 * n + i] = quartic3[5];
        pair[6 * n + i] = quartic3[6];
        pair[7 * n + i] = quartic3[7];
        none[i] = circle4[0];
        none[n + i] = circle4[1];
        none[2 * n + i] = circle4[2];
        none[3 * n + i] = circle4[3];
        none[4 * n + i] = circle4[4];
        none[5 * n + i] = circle4[5];
        none[6 * n + i] = circle4[6];
        none[7 * n + i] = circle4[7];
        none[8 * n + i] = circle4[8];
        none[9 * n + i] = circle4[9];
        none[10 * n + i] = circle4[10];
        none[11 * n + i] = circle4[11];
    }
}

} // namespace polynomials
} // namespace symoro

#endif
