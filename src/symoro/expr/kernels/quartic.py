"""quartic: the real roots of a4 x^4 + a3 x^3 + a2 x^2 + a1 x + a0 = 0 (type 9 of the inverse geometry).

With x = unit tan(t/2) the quartic is a trigonometric polynomial of degree 2 in t, whose zeros the kernel `circle`
computes. A root at infinity, where the leading coefficient is zero or tiny, is then the regular case t = pi:

    b_k = a_k unit^k:  k0 = (b0 + b4)/2 - kcc,  kc = (b0 - b4)/2,  ks = (b1 + b3)/4,  kcc = (b0 + b4 - b2)/8,
    kss = (b1 - b3)/8

The unit is the geometric mean of the magnitudes of the two middle roots, which are the slopes of the Newton polygon
(the upper hull of log|a_k| over k). Two steps of Newton's method on the quartic itself, or on its reverse for large
roots, give small and large roots their relative accuracy. The accuracy is lost for roots more than about 12 decades
apart that are also close together in pairs.

Reference: D. A. Bini, Numerical computation of polynomial zeros by means of Aberth's method, Numer. Algorithms 13,
1996 (the Newton polygon).
"""

from __future__ import annotations

import numpy as np

from symoro.expr.kernels.circle import Array, circle_

# The following code is copied into emitted Python code.


def quartic_sizes_(logs: Array) -> Array:
    """Return logarithms of the magnitudes of the roots of a quartic, ascending, from its Newton polygon.

    Args:
        logs: logarithms of the magnitudes of the coefficients, (..., 5).
    """
    hull = []
    for k in range(5):
        ends = [(i, j) for i in range(k) for j in range(k + 1, 5)]
        chords = [(logs[..., i] * (j - k) + logs[..., j] * (k - i)) / (j - i) for i, j in ends]
        hull.append(np.max(np.stack([logs[..., k], *chords]), 0))
    return -np.diff(np.stack(hull, -1))


@np.errstate(all="ignore")
def quartic_(coefficients: list[Array]) -> Array:
    """Return the real roots of a4 x^4 + a3 x^3 + a2 x^2 + a1 x + a0 (a4 first): 4 roots, ascending, 4 defects.

    Each coefficient is a number or an array over samples; the result is (..., 8). The defect is 0 for a real root, 1 if
    there is no root (value 0), and |Im x|/(1 + |x|) for a complex one. With x = unit*tan(t/2) the roots are angles t.
    """
    a = np.stack(np.broadcast_arrays(*coefficients[::-1]), -1) / 1.0
    a = a / np.max(np.abs(a), -1, keepdims=True)
    power = np.arange(5)
    logs = np.maximum(np.log(np.abs(a)), -1e4)
    # Leading coefficients below the round-off of the others, at the roots without them or at 1, are ignored.
    least = np.min(np.where(a != 0, power, 5), -1, keepdims=True)
    degree = np.max(np.where(a != 0, power, -1), -1, keepdims=True)
    for d in (3, 2, 1):
        reach = np.max((logs[..., :d] - logs[..., d, None]) / (d - power[:d]), -1, keepdims=True)
        weights = logs + power * np.maximum(reach, 0)
        negligible = np.max(weights[..., d + 1 :], -1) < np.max(weights[..., : d + 1], -1) - 34.5
        degree = np.where((negligible & (a[..., d] != 0))[..., None], np.minimum(degree, d), degree)
    sizes = quartic_sizes_(np.where(power <= degree, logs, -1e4))
    middle = np.clip((least + degree + np.array([-1, 0])) // 2, 0, 3)
    small, large = np.moveaxis(np.take_along_axis(sizes, middle, -1), -1, 0)
    size = np.where(large - small < 60, (small + large) / 2, np.where(-small > large, large, small))
    unit = np.exp(np.clip(size, -170, 170))[..., None]
    b = np.where(power <= degree, a * unit ** (power - 2.0), 0)
    b = b / np.max(np.abs(b), -1, keepdims=True)
    b0, b1, b2, b3, b4 = np.moveaxis(b, -1, 0)
    double = (b0 + b4 - b2) / 8
    angles = circle_([(b0 + b4) / 2 - double, (b0 - b4) / 2, (b3 + b1) / 4, double, (b1 - b3) / 8])
    s, c, defect = angles[..., :4], angles[..., 4:8], angles[..., 8:]
    # x/unit = -i (z - 1)/(z + 1) with z = r exp(it); a polynomial of lower degree lacks the roots next to infinity
    r = 1 - defect
    below = defect * defect + 2 * r * np.where(c < 0, s * s / (1 - c), 1 + c)
    x, imaginary = 2 * r * s / below, np.where(defect > 0, unit * defect * (2 - defect) / below, 0)
    missing = np.argsort(np.argsort(below, -1, kind="stable"), -1, kind="stable") < 4 - degree
    inverse = c < 0  # large roots are refined as 1/x, which cannot overflow
    f = [np.where(inverse, b[..., 4 - k, None], b[..., k, None]) for k in range(5)]
    w = np.where(inverse, s / (1 - c), x)
    left = (((f[4] * w + f[3]) * w + f[2]) * w + f[1]) * w + f[0]
    for _ in range(2):
        w1 = w - left / (((4 * f[4] * w + 3 * f[3]) * w + 2 * f[2]) * w + f[1])
        left1 = (((f[4] * w1 + f[3]) * w1 + f[2]) * w1 + f[1]) * w1 + f[0]
        better = np.abs(left1) < np.abs(left)
        w, left = np.where(better, w1, w), np.where(better, left1, left)
    x = unit * np.where(defect > 0, x, np.where(inverse, 1 / w, w))
    defect = imaginary / (1 + np.sqrt(x * x + imaginary * imaginary))
    valid = ~missing & (defect <= 1) & (np.abs(x) < np.inf)
    x, defect = np.where(valid, x, 0) + 0.0, np.where(valid, defect, 1)
    order = np.argsort(np.where(valid, x, np.inf), -1, kind="stable")
    return np.concatenate([np.take_along_axis(value, order, -1) for value in (x, defect)], -1)
