"""How frame 0 and the end are turned, from poses or positions, wherever the world's axes stand: no start is needed.

With x_i and N_i the end's position and rotation in frame 0 as described, p_i and M_i those measured, G the rotation of
the world in frame 0, E that of what is measured on the end, m its position there:

    G p_i = x_i + N_i m + s        linear in m and s, which are taken out; |B g - x|^2 in G's entries g is left
    G M_i = N_i E                  |..|^2 = 6 S - 2 g'K e, bilinear in the entries of G and E (Shah 2013)

Both are lowered in turn over rotations alone, never over reflections. Of all G, that which fits E best, and of all E
that which fits G best, comes from a singular value decomposition (Kabsch 1976); the quadratic form is bounded by the
multiple of |g|^2 = 3 of its largest eigenvalue, so each step lowers the sum. Starts are the 24 rotations of the cube,
which no rotation is farther from than 63 degrees, and the solution without the condition that G and E are rotations.

M. Shah, "Solving the robot-world/hand-eye calibration problem using the Kronecker product", Journal of Mechanisms and
Robotics 5, 2013. W. Kabsch, "A solution for the best rotation to relate two sets of vectors", Acta Cryst. A32, 1976.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

from symoro.models.numeric.fixed_point import Array

STEPS = 300
SLIGHT = 1e-9  # singular values of what is taken out, of the largest
EQUAL = 1e-7  # costs that are one, of their spread
APART = 0.3  # radians between rotations that count as two


@dataclass(frozen=True)
class TurnSolution:
    """Frame 0 in the world (4, 4), what is measured on the end (4, 4), and the mean square that is left."""

    base: Array
    tip: Array
    miss: float


@dataclass(frozen=True)
class TurnProblem:
    """What is measured, seen from frame 0.

    Attributes:
        own: poses of the end in frame 0 by the description (S, 4, 4).
        measured: poses in the world (S, 4, 4).
        levers: axes of the end along which what is measured may stand off, in columns (3, 0..3).
        size: the length that counts as much as a radian; zero where rotations are not measured.
        free: whether what is measured may be turned on the end.
    """

    own: Array
    measured: Array
    levers: Array
    size: float
    free: bool

    def solutions(self, described: Array, steps: int = STEPS) -> list[TurnSolution]:
        """The lowest sums of squares over all places of the base, those far apart, best first.

        Of those that are as good, which there are where the end and frame 0 cannot be told apart, that comes first
        which is turned least from the description.
        """
        away, quadratic, linear = self._places()
        cross = self._cross()
        ceiling = float(np.linalg.eigvalsh(quadratic)[-1])
        first = described.T.reshape(1, 9)
        g = np.concatenate([first, _starts(quadratic, linear, cross), CUBE.reshape(-1, 9)])
        for _ in range(steps):
            e = self._tips(g, cross)
            better = rotations((linear + e @ cross.T - g @ quadratic + ceiling * g).reshape(-1, 3, 3))
            moved = np.abs(better.reshape(-1, 9) - g).max()
            g = better.reshape(-1, 9)
            if moved < 1e-10:
                break
        e = self._tips(g, cross)
        cost = np.sum(g * (g @ quadratic - 2 * linear), 1) - 2 * np.sum((g @ cross) * e, 1)
        found: list[TurnSolution] = []
        kept: list[Array] = []
        for k in _order(cost, g, first):
            turn = g[k].reshape(3, 3)
            if any(between(turn, other) < APART for other in kept):
                continue
            kept.append(turn)
            found.append(self._placed(turn, e[k].reshape(3, 3), away))
        return found

    def tip(self, base: Array) -> Array:
        """What is measured on the end, frame 0 being where it is said to be (4, 4)."""
        inverse = np.linalg.inv(base)
        turn = np.asarray(inverse[:3, :3], float)
        e = self._tips(turn.reshape(1, 9), self._cross())[0].reshape(3, 3)
        seen = self.measured[:, :3, 3] @ turn.T + inverse[:3, 3] - self.own[:, :3, 3]
        lever = (self.own[:, :3, :3] @ self.levers).reshape(seen.size, self.levers.shape[1])
        return _pose(e, self.levers @ np.linalg.lstsq(lever, seen.reshape(-1), rcond=SLIGHT)[0])

    def _places(self) -> tuple[Array, Array, Array]:
        """What is taken out, and the quadratic form and linear part of what is left."""
        p = self.measured[:, :3, 3] - self.measured[:, :3, 3].mean(0)
        rows = np.einsum("kl,si->skli", np.eye(3), p).reshape(-1, 9)
        x = self.own[:, :3, 3].reshape(-1)
        levers = self.own[:, :3, :3] @ self.levers
        away = np.concatenate([levers, np.repeat(np.eye(3)[None], len(p), 0)], 2).reshape(len(x), -1)
        basis, values, _ = np.linalg.svd(away, full_matrices=False)
        basis = basis[:, values > SLIGHT * values[0]]
        rows, x = rows - basis @ (basis.T @ rows), x - basis @ (basis.T @ x)
        return away, rows.T @ rows, x @ rows

    def _cross(self) -> Array:
        """K: g'K e is the sum of tr(E' N' G M), by the square of the length that counts as a radian (9, 9)."""
        if not self.size:
            return np.zeros((9, 9))
        found = np.einsum("slj,sak->lajk", self.own[:, :3, :3], self.measured[:, :3, :3])
        return np.asarray(self.size**2 * found.reshape(9, 9))

    def _tips(self, g: Array, cross: Array) -> Array:
        """The best E for each G, as rows of entries."""
        if not self.free:
            return np.repeat(np.eye(3).reshape(1, 9), len(g), 0)
        return rotations((g @ cross).reshape(-1, 3, 3)).reshape(-1, 9)

    def miss(self, base: Array, tip: Array) -> float:
        """The mean square that places leave."""
        said = base @ self.own @ tip
        left = ((said - self.measured)[:, :3, 3] ** 2).sum()
        if self.size:
            left += self.size**2 * ((said - self.measured)[:, :3, :3] ** 2).sum()
        return float(left / len(self.own))

    def _placed(self, turn: Array, e: Array, away: Array) -> TurnSolution:
        middle = self.measured[:, :3, 3].mean(0)
        seen = (self.measured[:, :3, 3] - middle) @ turn.T - self.own[:, :3, 3]
        off = np.linalg.lstsq(away, seen.reshape(-1), rcond=SLIGHT)[0]
        base = _pose(turn.T, middle + turn.T @ off[-3:])
        tip = _pose(e, self.levers @ off[:-3])
        return TurnSolution(base, tip, self.miss(base, tip))


def _order(cost: Array, g: Array, first: Array) -> list[int]:
    """Lower costs first; of those that are the lowest but for round-off, those nearer to the first."""
    slack = EQUAL * (float(np.ptp(cost)) or 1.0)
    level = np.maximum(cost - cost.min() - slack, 0.0)
    return [int(k) for k in np.lexsort([np.linalg.norm(g - first, axis=1), level])]


def rotations(near: Array) -> Array:
    """The rotations that are nearest to matrices (..., 3, 3), never reflections."""
    left, _, right = np.linalg.svd(near)
    sign = np.ones(near.shape[:-1])
    sign[..., 2] = np.sign(np.linalg.det(left @ right))
    return np.asarray((left * sign[..., None, :]) @ right)


def between(a: Array, b: Array) -> float:
    """The angle between two rotations."""
    chord = float(np.linalg.norm(a - b)) / np.sqrt(8)
    return 2 * float(np.arcsin(min(chord, 1.0)))


def _starts(quadratic: Array, linear: Array, cross: Array) -> Array:
    """G and E as any matrices: of positions the lowest point, of rotations the strongest pair."""
    found = [np.linalg.lstsq(quadratic, linear, rcond=SLIGHT)[0]]
    if cross.any():
        strongest = np.linalg.svd(cross)[0][:, 0]
        found += [strongest, -strongest]
    return rotations(np.array(found).reshape(-1, 3, 3)).reshape(-1, 9)


def _pose(turn: Array, place: Array) -> Array:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = turn, place
    return found


def _cube() -> Array:
    """The rotations that put a cube on itself (24, 3, 3)."""
    signed = [
        np.diag(signs)[list(order)]
        for order in permutations(range(3))
        for signs in product((1.0, -1.0), repeat=3)
    ]
    return np.array([a for a in signed if np.linalg.det(a) > 0])


CUBE = _cube()
