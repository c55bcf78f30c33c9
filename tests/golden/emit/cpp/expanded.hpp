/* expanded: position, expanded
 *
 * Inputs
 *   q (3): q1 q2 q3
 * Outputs
 *   P (3)
 * Parameters
 *   p (1): D3
 * Constants, computed once from the parameters by setup
 *   k (2): D3 k1
 *
 * Operations per call: 12 x, 4 +, 6 functions, 1 others; once: 0 x, 1 +
 * Made by symoro VERSION
 */
#ifndef EXPANDED_HPP
#define EXPANDED_HPP

#include <cmath>
#include <cstddef>
#include <limits>

namespace symoro {
namespace expanded {

constexpr std::size_t PARAMETERS = 1;
constexpr std::size_t CONSTANTS = 2;
constexpr std::size_t SIZE_q = 3;
constexpr std::size_t SIZE_P = 3;

template <class Scalar>
void setup(const Scalar *p, Scalar *k)
{
    using std::sin;
    using std::cos;
    const Scalar D3 = p[0];
    const Scalar k1 = Scalar(1) + D3;
    k[0] = D3;
    k[1] = k1;
}

template <class Scalar>
void call(const Scalar *q, const Scalar *k, Scalar *P)
{
    using std::sin;
    using std::cos;
    const Scalar q1 = q[0];
    const Scalar C1 = cos(q1);
    const Scalar q2 = q[1];
    const Scalar C2 = cos(q2);
    const Scalar q3 = q[2];
    const Scalar C3 = cos(q3);
    const Scalar S1 = sin(q1);
    const Scalar S2 = sin(q2);
    const Scalar S3 = sin(q3);
    const Scalar D3 = k[0];
    const Scalar k1 = k[1];
    P[0] = C1*(D3*C2 - C3*k1*S2);
    P[1] = S1*(D3*C2 - C3*k1*S2);
    P[2] = C3*k1*S2 - D3*C2 - C2*S3;
}

template <class Scalar>
void batch(std::size_t n, const Scalar *q, const Scalar *k, Scalar *P)
{
    using std::sin;
    using std::cos;
    for (std::size_t i = 0; i < n; ++i) {
        const Scalar q1 = q[i];
        const Scalar C1 = cos(q1);
        const Scalar q2 = q[n + i];
        const Scalar C2 = cos(q2);
        const Scalar q3 = q[2 * n + i];
        const Scalar C3 = cos(q3);
        const Scalar S1 = sin(q1);
        const Scalar S2 = sin(q2);
        const Scalar S3 = sin(q3);
        const Scalar D3 = k[0];
        const Scalar k1 = k[1];
        P[i] = C1*(D3*C2 - C3*k1*S2);
        P[n + i] = S1*(D3*C2 - C3*k1*S2);
        P[2 * n + i] = C3*k1*S2 - D3*C2 - C2*S3;
    }
}

} // namespace expanded
} // namespace symoro

#endif
