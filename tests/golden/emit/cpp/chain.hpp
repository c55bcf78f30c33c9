/* chain: positions of all frames
 *
 * Inputs
 *   q (2): q1 q2
 * Outputs
 *   P (2, 3)
 * Parameters
 *   p (4): D1 R1 D2 R2
 * Constants, computed once from the parameters by setup
 *   k (7): D1 R1 D2 k1 k2 k3 k4
 *
 * Operations per call: 3 x, 3 +, 2 functions; once: 4 x, 1 +
 * Made by symoro VERSION
 */
#ifndef CHAIN_HPP
#define CHAIN_HPP

#include <cmath>
#include <cstddef>
#include <limits>

namespace symoro {
namespace chain {

constexpr std::size_t PARAMETERS = 4;
constexpr std::size_t CONSTANTS = 7;
constexpr std::size_t SIZE_q = 2;
constexpr std::size_t SIZE_P = 6;

template <class Scalar>
void setup(const Scalar *p, Scalar *k)
{
    using std::sin;
    using std::cos;
    const Scalar D1 = p[0];
    const Scalar R1 = p[1];
    const Scalar D2 = p[2];
    const Scalar R2 = p[3];
    const Scalar k1 = Scalar(0.3)*D2;
    const Scalar k2 = Scalar(0.95)*R2;
    const Scalar k3 = Scalar(0.95)*D2;
    const Scalar k4 = R1 + Scalar(0.3)*R2;
    k[0] = D1;
    k[1] = R1;
    k[2] = D2;
    k[3] = k1;
    k[4] = k2;
    k[5] = k3;
    k[6] = k4;
}

template <class Scalar>
void call(const Scalar *q, const Scalar *k, Scalar *P)
{
    using std::sin;
    using std::cos;
    const Scalar q1 = q[0];
    const Scalar C1 = cos(q1);
    const Scalar S1 = sin(q1);
    /* link 2: position */
    const Scalar D1 = k[0];
    const Scalar D2 = k[2];
    const Scalar P2_1 = D1 + D2*C1;
    P[3] = P2_1;
    const Scalar k1 = k[3];
    const Scalar k2 = k[4];
    const Scalar P2_2 = k1*S1 - k2;
    P[4] = P2_2;
    const Scalar k3 = k[5];
    const Scalar k4 = k[6];
    const Scalar P2_3 = k3*S1 + k4;
    P[5] = P2_3;
    P[0] = D1;
    P[1] = Scalar(0);
    const Scalar R1 = k[1];
    P[2] = R1;
}

template <class Scalar>
void batch(std::size_t n, const Scalar *q, const Scalar *k, Scalar *P)
{
    using std::sin;
    using std::cos;
    for (std::size_t i = 0; i < n; ++i) {
        const Scalar q1 = q[i];
        const Scalar C1 = cos(q1);
        const Scalar S1 = sin(q1);
        /* link 2: position */
        const Scalar D1 = k[0];
        const Scalar D2 = k[2];
        const Scalar P2_1 = D1 + D2*C1;
        P[3 * n + i] = P2_1;
        const Scalar k1 = k[3];
        const Scalar k2 = k[4];
        const Scalar P2_2 = k1*S1 - k2;
        P[4 * n + i] = P2_2;
        const Scalar k3 = k[5];
        const Scalar k4 = k[6];
        const Scalar P2_3 = k3*S1 + k4;
        P[5 * n + i] = P2_3;
        P[i] = D1;
        P[n + i] = Scalar(0);
        const Scalar R1 = k[1];
        P[2 * n + i] = R1;
    }
}

} // namespace chain
} // namespace symoro

#endif
