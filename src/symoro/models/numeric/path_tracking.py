"""Homotopy continuation: track the solutions of quadrics while their parameters change, all paths at once.

    F_k(x, t) = x' Q_k(p(t)) x = 0,  c.x = 1,     p(t) on a straight line,     dx/dt = -F_x^-1 F_t

The predictor is the Runge-Kutta method, the corrector is Newton's method; each path has a separate step size. Q is
quadratic in the parameters, so that three of its values determine Q(t) exactly. With probability one, a path from
generic complex parameters meets no singular system before its end; the end itself may be singular.

A.J. Sommese, C.W. Wampler, The numerical solution of systems of polynomials, World Scientific, 2005, chapters 2 and
7.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symoro.models.numeric.closure import Flags
from symoro.models.numeric.six_legs import Array, ComplexArray, quadrics

FIRST, LONGEST, SHORTEST = 0.02, 0.1, 1e-8  # step size in t
STEPS = 2000  # maximum number of steps
NEWTON = 3  # corrections per step
CLOSE, NEAR = 1e-9, 1e-3  # largest last and first Newton correction of an accepted step, relative to |x|
GROW_AFTER = 3  # accepted steps after which the step size is doubled


@dataclass(frozen=True)
class Tracked:
    """Result of the tracking of K homotopy paths.

    Attributes:
        x: (K, 8) last points of the paths.
        arrived: (K,) whether each path reached t = 1.
        t: (K,) last value of the path parameter t, from 0 to 1.
    """

    x: ComplexArray
    arrived: Flags
    t: Array


class _Line:
    """Matrices Q(t) of the quadrics x' Q x = 0, while their parameters change along a straight line, t = 0 .. 1."""

    def __init__(self, start: ComplexArray, end: ComplexArray, patch: ComplexArray) -> None:
        first, middle, last = quadrics(np.stack([start, (start + end) / 2, end]))
        self.zero, self.two = first, 2 * (first + last - 2 * middle)
        self.one = last - first - self.two
        self.patch = patch

    def at(self, t: Array) -> ComplexArray:
        t = t[:, None, None, None]
        quadric: ComplexArray = self.zero + t * (self.one + t * self.two)
        return quadric

    def system(self, q: ComplexArray, x: ComplexArray) -> tuple[ComplexArray, ComplexArray]:
        """Return residuals (K, 8) of the quadrics x' Q x = 0 and of c.x = 1, and their Jacobian (K, 8, 8).

        Args:
            q: matrices Q of the quadrics for each path.
            x: points (K, 8) of the paths.
        """
        rows = np.einsum("pkij,pj->pki", q, x)
        values = np.einsum("pki,pi->pk", rows, x)
        patch = np.broadcast_to(self.patch, (len(x), 1, 8))
        last = (x @ self.patch - 1)[:, None]
        return np.concatenate([values, last], 1), np.concatenate([2 * rows, patch], 1)

    def slope(self, t: Array, x: ComplexArray) -> ComplexArray:
        """Return the tangents dx/dt (K, 8) of the paths at t (K,) and x (K, 8)."""
        _, jacobian = self.system(self.at(t), x)
        change = self.one + 2 * t[:, None, None, None] * self.two
        moved = np.einsum("pkij,pi,pj->pk", change, x, x)
        return -_solve(jacobian, np.concatenate([moved, np.zeros((len(x), 1))], 1))


def _solve(a: ComplexArray, b: ComplexArray) -> ComplexArray:
    try:
        solved: ComplexArray = np.linalg.solve(a, b[..., None])[..., 0].astype(complex)
        return solved
    except np.linalg.LinAlgError:  # one of the matrices is exactly singular
        solutions = np.full(b.shape, np.nan, complex)
        for k in range(len(b)):
            try:
                solutions[k] = np.linalg.solve(a[k], b[k])
            except np.linalg.LinAlgError:
                continue
        return solutions


def track(start: ComplexArray, end: ComplexArray, x: ComplexArray, patch: ComplexArray) -> Tracked:
    """Track the solutions x of the quadrics of six legs while the legs change from `start` to `end`.

    Args:
        start: legs (6, 7) at t = 0, with rows (A, b, L^2): point on the base, point on the platform, squared length.
        end: legs (6, 7) at t = 1.
        x: solutions (K, 8) for the legs `start`.
        patch: vector c (8,) of the normalisation c.x = 1.
    """
    line = _Line(start, end, patch)
    x = x / (x @ patch)[:, None]
    count = len(x)
    t, step, good = np.zeros(count), np.full(count, FIRST), np.zeros(count, int)
    going = np.ones(count, bool)
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            which = np.flatnonzero(going)
            if not len(which):
                break
            h = np.minimum(step[which], 1 - t[which])
            there, taken = _stepped(line, t[which], h, x[which])
            done = which[taken]
            x[done], t[done] = there[taken], t[done] + h[taken]
            good[done] += 1
            grown = done[good[done] >= GROW_AFTER]
            step[grown], good[grown] = np.minimum(2 * step[grown], LONGEST), 0
            failed = which[~taken]
            step[failed], good[failed] = step[failed] / 2, 0
            going[which] = (t[which] < 1 - 1e-15) & (step[which] > SHORTEST)
    return Tracked(x, t >= 1 - 1e-15, t)


def _stepped(line: _Line, t: Array, h: Array, x: ComplexArray) -> tuple[ComplexArray, Flags]:
    """Compute one predictor-corrector step of size h (K,) for each path.

    Args:
        line: the quadrics as a function of t.
        t, x: present values (K,) and points (K, 8) of the paths.

    Returns:
        The new points (K, 8) and flags (K,) that are true where the step is accepted.
    """
    far = h[:, None]
    k1 = line.slope(t, x)
    k2 = line.slope(t + h / 2, x + far / 2 * k1)
    k3 = line.slope(t + h / 2, x + far / 2 * k2)
    k4 = line.slope(t + h, x + far * k3)
    there = x + far / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    q = line.at(t + h)
    size = np.linalg.norm(there, axis=1)
    corrections = []
    for _ in range(NEWTON):
        values, jacobian = line.system(q, there)
        correction = _solve(jacobian, values)
        there = there - correction
        corrections.append(np.linalg.norm(correction, axis=1) / size)
    return there, (corrections[0] < NEAR) & (corrections[-1] < CLOSE)
