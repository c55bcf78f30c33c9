"""circle: the angles where a trigonometric polynomial of degree 2 is zero (type 10 of the inverse geometry).

    f(t) = k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0

The circle is turned, t = u + turn, so that f at u = pi is the largest of eight values around it; with
x = tan(u/2) it is a quartic whose leading coefficient f(pi) is not small, so that no root is near infinity:

    f(u) = k0 + a cos u + b sin u + g cos 2u + h sin 2u
    (k0 - a + g) x^4 + (2b - 4h) x^3 + (2k0 - 6g) x^2 + (2b + 4h) x + (k0 + a + g) = 0

Ferrari: y = x + a3/4 and y^4 + p y^2 + q y + r = (y^2 + v y + w1)(y^2 - v y + w2), where z = v^2 is the largest root of
z^3 + 2p z^2 + (p^2 - 4r) z - q^2, w1 + w2 = p + z, (w2 - w1)^2 = (p + z)^2 - 4r and v (w2 - w1) = q. The largest z
separates the pairs best; of v and w2 - w1 the larger one is taken as a square root and the other by division, so that
the product of the factors is the quartic to round-off, double roots included. Two steps of Newton's method on f itself
end, each only where it brings f nearer to zero.

References: D. L. Pieper, The Kinematics of Manipulators under Computer Control, 1968 (the quartic in tan(u/2));
A. G. Orellana, C. De Michele, Algorithm 1010, ACM Trans. Math. Softw. 46(2), 2020 (which resolvent root, and why).
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.errors import ProgramError
from symoro.expr.kernels.kernel import Kernel


def _size(lengths: Sequence[int]) -> int:
    if list(lengths) != [5]:
        raise ProgramError(f"circle needs (k0, kc, ks, kcc, kss), got lengths {list(lengths)}")
    return 12


def _cost(lengths: Sequence[int]) -> tuple[int, int, int]:
    """Of the emitted C for four real angles, polished once each."""
    return 176, 239, 34


CIRCLE = Kernel(
    "circle",
    "angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0",
    _size,
    ("circle_table",),
    _cost,
)
