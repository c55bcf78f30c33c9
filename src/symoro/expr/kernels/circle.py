"""circle: the angles at which a trigonometric polynomial of degree 2 is zero (type 10 of the inverse geometry).

    f(t) = k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0

The circle is rotated, t = u + turn, such that f at u = pi is the largest of eight values around it; with
x = tan(u/2) the equation is a quartic whose leading coefficient f(pi) is not small, so that no root is near infinity:

    f(u) = k0 + a cos u + b sin u + g cos 2u + h sin 2u
    (k0 - a + g) x^4 + (2b - 4h) x^3 + (2k0 - 6g) x^2 + (2b + 4h) x + (k0 + a + g) = 0

Ferrari: y = x + a3/4 and y^4 + p y^2 + q y + r = (y^2 + v y + w1)(y^2 - v y + w2), where z = v^2 is the largest root of
z^3 + 2p z^2 + (p^2 - 4r) z - q^2, w1 + w2 = p + z, (w2 - w1)^2 = (p + z)^2 - 4r and v (w2 - w1) = q. The largest z
separates the pairs best. The larger one of v and w2 - w1 is computed as a square root and the other one by division,
so that the product of the factors equals the quartic up to round-off, also with double roots. Finally up to two steps
of Newton's method are applied to f itself; a step is rejected if it does not reduce |f|.

References: D. L. Pieper, The Kinematics of Manipulators under Computer Control, 1968 (the quartic in tan(u/2));
A. G. Orellana, C. De Michele, Algorithm 1010, ACM Trans. Math. Softw. 46(2), 2020 (choice of the resolvent root).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# The following code is copied into emitted Python code.


@np.errstate(all="ignore")
def circle_(coefficients: list[Array]) -> Array:
    """Return the zeros t of k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t: 4 sines, 4 cosines, 4 defects.

    Each coefficient is a number or an array over samples; the result (..., 12) is sorted by angle in (-pi, pi]. The
    defect is 0 for a real angle, 1 - |exp(it)| (about |Im t|) for a complex one, and 1 if there is no angle (sine 0,
    cosine 1). With x = tan(u/2), t = u + turn, the equation is a quartic whose leading coefficient is the largest of
    eight values of the left side; Ferrari's method splits it into two quadratics.
    """
    k = np.stack(np.broadcast_arrays(*coefficients), -1) / 1.0
    k0, kc, ks, kcc, kss = np.moveaxis(k / np.max(np.abs(k), -1, keepdims=True), -1, 0)
    half = np.sqrt(0.5)
    cosines = np.array([1, half, 0, -half, -1, -half, 0, half])
    sines = np.array([0, half, 1, half, 0, -half, -1, -half])
    doubled = np.array([[1, 0, -1, 0, 1, 0, -1, 0], [0, 1, 0, -1, 0, 1, 0, -1]])
    there = np.multiply.outer(kc, cosines) + np.multiply.outer(ks, sines)
    there += k0[..., None] + np.multiply.outer(kcc, doubled[0]) + np.multiply.outer(kss, doubled[1])
    at = np.argmax(np.abs(there), -1)
    ct, st, c2, s2 = -cosines[at], -sines[at], doubled[0][at], doubled[1][at]
    a, b, g, h = kc * ct + ks * st, ks * ct - kc * st, kcc * c2 + kss * s2, kss * c2 - kcc * s2
    lead = k0 - a + g
    a3, a2, a1, a0 = (
        (2 * b - 4 * h) / lead,
        (2 * k0 - 6 * g) / lead,
        (2 * b + 4 * h) / lead,
        (k0 + a + g) / lead,
    )
    # y = x + a3/4: y^4 + p y^2 + q y + r = (y^2 + v y + w1) (y^2 - v y + w2); v^2 is the largest root of a cubic
    e = a3 / 4
    p, q, r = a2 - 6 * e * e, a1 - 2 * e * (a2 - 4 * e * e), a0 - e * (a1 - e * (a2 - 3 * e * e))
    big, odd = (p * p + 12 * r) / 9, p * (4 * r / 3 - p * p / 27) - q * q / 2
    cube = big * big * big
    turned = -2 * np.sqrt(big) * np.cos((np.arccos(np.clip(odd / np.sqrt(cube), -1, 1)) + 2 * np.pi) / 3)
    root = np.cbrt(np.abs(odd) + np.sqrt(np.abs(odd * odd - cube)))
    single = np.where(root > 0, -np.sign(odd) * (root + big / root), 0)
    z = np.maximum(np.where(odd * odd < cube, turned, single) - 2 * p / 3, 0)
    gap = (p + z) * (p + z) - 4 * r
    by_sum = (
        z * z >= gap
    )  # the larger one of v and w2 - w1 is a square root, the other one is q divided by it
    v = np.sqrt(np.where(by_sum, z, q * q / gap))
    difference = np.where(by_sum, np.where(v > 0, q / v, 0), np.where(q < 0, -1, 1) * np.sqrt(gap))
    ends = np.stack([v * v / 4 - (p + z - difference) / 2, v * v / 4 - (p + z + difference) / 2], -1)
    reach, imaginary = np.sqrt(np.maximum(ends, 0)), np.sqrt(np.maximum(-ends, 0))
    middles = np.stack([-v / 2 - e, v / 2 - e], -1)
    x = np.concatenate([middles - reach, middles + reach], -1)
    y = np.concatenate([imaginary, imaginary], -1)
    # exp(iu) = (1 + i(x + iy))/(1 - i(x + iy))
    far = (1 + y) * (1 + y) + x * x
    squared = 4 * y / far
    defect = squared / (1 + np.sqrt(1 - squared))
    su, cu = 2 * x, 1 - x * x - y * y
    size = np.sqrt(su * su + cu * cu)
    ct, st = ct[..., None], st[..., None]
    s, c = (su * ct + cu * st) / size, (cu * ct - su * st) / size
    k0, kc, ks, kcc, kss = (value[..., None] for value in (k0, kc, ks, kcc, kss))
    left = k0 + kc * c + ks * s + kcc * (c - s) * (c + s) + 2 * kss * s * c
    for _ in range(2):
        step = -left / (ks * c - kc * s - 4 * kcc * s * c + 2 * kss * (c - s) * (c + s))
        size = np.sqrt(1 + step * step)
        s1, c1 = (s + c * step) / size, (c - s * step) / size
        left1 = k0 + kc * c1 + ks * s1 + kcc * (c1 - s1) * (c1 + s1) + 2 * kss * s1 * c1
        better = (defect == 0) & (np.abs(left1) < np.abs(left))
        s, c, left = np.where(better, s1, s), np.where(better, c1, c), np.where(better, left1, left)
    valid = (defect < 0.999999) & (s * s + c * c > 0.5)
    s = np.where(
        valid & ((c >= 0) | (np.abs(s) > 1e-15)), s, 0
    )  # pi must not become -pi because of round-off
    c, defect = np.where(valid, c, 1), np.where(valid, defect, 1)
    d = s / (np.abs(s) + np.abs(c))
    order = np.argsort(
        np.where(valid, np.where(c >= 0, d, np.where(s >= 0, 2 - d, -2 - d)), 3), -1, kind="stable"
    )
    return np.concatenate([np.take_along_axis(value, order, -1) for value in (s, c, defect)], -1)
