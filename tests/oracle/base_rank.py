"""The number of base parameters of a robot with closed loops, from its energy in a hundred digits.

Integers scaled by 2^BITS, and nothing of symoro but the fields of the description. The rank of analytic functions is
the same on any open piece of a branch of assembly: states are taken close to a closed posture that is known, so that
no other branch comes near, and the digits make up for the closeness.

    closure     T_k(q) = T_{k+B}(q), by steps -J0^+ e with the inverse of doubles: fifteen digits a step
    rates       J_b G_b = -J_f, refined in the same way
    rank        complete pivoting; the pivots fall by many orders of magnitude at once where the rank ends
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from symoro.expr import ops
from symoro.expr.formula import Formula
from symoro.expr.graph import Graph
from symoro.robot.description import GEOMETRIC, INERTIAL, JointType, Robot

BITS = 340
ONE = 1 << BITS
CLOSED = ONE >> 250  # 5e-76
SPAN = 0.12
NAMES = INERTIAL
Array = Any
RULES = {
    ops.ADD: operator.add,
    ops.SUB: operator.sub,
    ops.MUL: operator.mul,
    ops.DIV: operator.truediv,
    ops.SQRT: mpmath.sqrt,
    ops.SIN: mpmath.sin,
    ops.COS: mpmath.cos,
}


def _fixed(x: Any) -> int:
    with mpmath.workprec(BITS + 40):
        return int(mpmath.nint(mpmath.mpf(x) * ONE))


class Rank:
    """Robot in numbers, near a closed configuration.

    Args:
        posture: position of every moving joint without a coupling, including cut joints.
    """

    def __init__(self, robot: Robot, posture: Mapping[int, float], *, rotor: bool = True) -> None:
        self.robot = robot
        self.nominal = {name: Fraction(str(value)) for name, value in robot.nominal}
        tree = range(1, robot.NL + 1)
        joints = [j for j in (*tree, *range(robot.NL + 1, robot.NJ + 1)) if robot.frame(j).sigma != 2]
        self.own = [j for j in joints if robot.frame(j).coupling is None]
        self.q0 = np.array([posture[j] for j in self.own])
        self.first = {j: self._first(j) for j in self._frames()}
        self.gravity = self._gravity()
        self.ratios, self.offsets = self._couplings()
        first = [(j, n) for j in tree for n in NAMES if not getattr(robot.link(j), n).is_zero]
        rotors = [
            (j, "IA")
            for j in tree
            if robot.frame(j).mu and robot.frame(j).sigma != 2 and not robot.frame(j).IA.is_zero
        ]
        self.columns = first + (rotors if rotor else [])
        self.loops = [(k, k + robot.B) for k in range(robot.NL + 1, robot.NJ + 1)]
        jacobian = self._jacobian(self._placed(self.q0[None]))[0]
        self.bound, self.free, self.condition = _split(jacobian)

    def _frames(self) -> list[int]:
        """Return all frames, each after its antecedent."""
        results: list[int] = []
        while len(results) < self.robot.NF:
            for j, frame in enumerate(self.robot.frames, 1):
                if j not in results and (frame.ant == 0 or frame.ant in results):
                    results.append(j)
        return results

    def _first(self, j: int) -> Array:
        """Return frame j in its antecedent frame, with its joint at zero."""
        gamma, b, alpha, d, theta, r = (self.number(getattr(self.robot.frame(j), n)) for n in GEOMETRIC)
        return _chain(("z", gamma, b), ("x", alpha, d), ("z", theta, r))

    def number(self, f: Formula) -> Any:
        """Return the value of a formula with all digits."""
        try:
            return Fraction(f.text)
        except ValueError:
            pass
        graph = Graph()
        return self._value(graph, f.into(graph).lit)

    def _value(self, graph: Graph, literal: int) -> Any:
        op, args = graph.op[literal >> 1], graph.args[literal >> 1]
        with mpmath.workprec(BITS + 40):
            if op == ops.NUMBER:
                value = _mp(Fraction(str(args[0])))
            elif op == ops.PI:
                value = +mpmath.pi
            elif op == ops.SYMBOL:
                value = _mp(self.nominal[args[0]])
            else:
                value = RULES[op](*(self._value(graph, x) for x in args))
            return -value if literal & 1 else value

    def _gravity(self) -> list[int]:
        base = self.robot.base
        z = [[self.number(base.Z[4 * r + c]) for c in range(3)] for r in range(3)]
        g = [self.number(x) for x in base.G]
        return [_mixed(sum(_mp(z[r][c]) * _mp(g[r]) for r in range(3))) for c in range(3)]

    def _couplings(self) -> tuple[Array, Array]:
        ratios = np.zeros((self.robot.NF, len(self.own)), dtype=object)
        offsets = np.zeros(self.robot.NF, dtype=object)
        for j, frame in enumerate(self.robot.frames, 1):
            if frame.coupling:
                offsets[j - 1] = _mixed(_mp(self.number(frame.coupling.offset)))
                for i, ratio in frame.coupling.terms:
                    ratios[j - 1, self.own.index(i)] += _mixed(_mp(self.number(ratio)))
            elif j in self.own:
                ratios[j - 1, self.own.index(j)] = ONE
        return ratios, offsets

    # -- kinematics: of floats, or of scaled integers

    def _placed(self, q: Array) -> dict[int, Array]:
        """Return the frames in frame 0, (S, 4, 4)."""
        exact = q.dtype == object
        joints = _times(q, self._as(self.ratios, exact).T) + self._as(self.offsets, exact)
        result = {
            0: self._as(np.array([[ONE * (r == c) for c in range(4)] for r in range(4)], object), exact)
        }
        for j in self._frames():
            frame, first = self.robot.frame(j), self._as(self.first[j], exact)
            result[j] = _times(_times(result[frame.ant], first), _moved(frame.sigma, joints[:, j - 1]))
        return result

    def _as(self, x: Array, exact: bool) -> Array:
        return x if exact else np.array(x / ONE if x.dtype == object else x, dtype=float)

    def _errors(self, at: Mapping[int, Array]) -> Array:
        return np.concatenate([(at[k] - at[m])[:, :3].reshape(-1, 12) for k, m in self.loops], 1)

    def _jacobian(self, at: Mapping[int, Array]) -> Array:
        exact = at[1].dtype == object
        count = len(at[1])
        result = np.zeros((count, 12 * len(self.loops), self.robot.NF), dtype=object if exact else float)
        for n, (k, m) in enumerate(self.loops):
            for end, sign in ((k, 1), (m, -1)):
                for j in self._above(end):
                    result[:, 12 * n : 12 * n + 12, j - 1] += sign * self._slope(at, end, j)
        return _times(result, self._as(self.ratios, exact))

    def _above(self, j: int) -> list[int]:
        results = []
        while j:
            results.append(j)
            j = self.robot.frame(j).ant
        return results

    def _slope(self, at: Mapping[int, Array], end: int, j: int) -> Array:
        T, axis = at[end], at[j][:, :3, 2]
        result = np.zeros_like(T[:, :3])
        sigma = self.robot.frame(j).sigma
        if sigma == JointType.PRISMATIC:
            result[:, :, 3] = axis
        elif sigma == JointType.REVOLUTE:
            result = T[:, :3].copy()
            result[:, :, 3] -= at[j][:, :3, 3]
            result = _cross(axis[:, :, None], result)
        return result.reshape(-1, 12)

    # -- states

    def states(self, count: int, seed: int) -> Array:
        """Return configurations on the branch, closed to all digits."""
        rng = np.random.default_rng(seed)
        q = np.repeat(self.q0[None], count, 0)
        span = SPAN * min(1.0, 10 * self.condition)  # less than the way to the next singularity
        move = rng.uniform(-span, span, (count, len(self.free))) / 8
        for _ in range(8):
            q[:, self.free] += move
            at = self._placed(q)
            rates = -np.linalg.pinv(self._jacobian(at)[:, :, self.bound])
            q[:, self.bound] += (rates @ (self._jacobian(at)[:, :, self.free] @ move[:, :, None]))[:, :, 0]
            for _ in range(4):
                at = self._placed(q)
                back = np.linalg.pinv(self._jacobian(at)[:, :, self.bound], rcond=1e-9)
                q[:, self.bound] -= (back @ self._errors(at)[:, :, None])[:, :, 0]
        exact = np.array([[_scaled(x) for x in row] for row in q.tolist()], dtype=object)
        back = _scaled_array(np.linalg.pinv(self._jacobian(self._placed(q))[:, :, self.bound], rcond=1e-9))
        for _ in range(14):
            errors = self._errors(self._placed(exact))
            if np.abs(errors).max(initial=0) < CLOSED:
                return exact
            exact[:, self.bound] -= _times(back, errors[:, :, None])[:, :, 0]
        raise ValueError(f"{self.robot.name}: loops stay open by {np.abs(errors).max() / ONE:.1e}")

    def rates(self, q: Array, rng: np.random.Generator) -> Array:
        at = self._placed(q)
        jacobian = self._jacobian(at)
        speeds = _scaled_array(rng.standard_normal((len(q), len(self.free), 1)))
        pushed = _times(jacobian[:, :, self.free], speeds)
        back = _scaled_array(np.linalg.pinv((jacobian[:, :, self.bound] / ONE).astype(float), rcond=1e-9))
        result = np.zeros((len(q), len(self.bound), 1), dtype=object)
        for _ in range(10):
            result = result - _times(back, _times(jacobian[:, :, self.bound], result) + pushed)
        rates = np.zeros(q.shape, dtype=object)
        rates[:, self.free], rates[:, self.bound] = speeds[:, :, 0], result[:, :, 0]
        return _times(rates, self.ratios.T)

    def rows(self, count: int, seed: int = 0) -> Array:
        """Return the functions of the energy, one row per state."""
        q = self.states(count, seed)
        rates, at = self.rates(q, np.random.default_rng(seed + 1000)), self._placed(q)
        zero = np.zeros((count, 3), dtype=object)
        v, w = {0: zero}, {0: zero}
        for j in self._frames():
            frame = self.robot.frame(j)
            turn = (at[j][:, :3, 2] * rates[:, j - 1, None]) >> BITS
            before = at[frame.ant][..., :3, 3]
            v[j] = v[frame.ant] + _cross(w[frame.ant], at[j][:, :3, 3] - before)
            v[j] = v[j] + (turn if frame.sigma == JointType.PRISMATIC else 0)
            w[j] = w[frame.ant] + (turn if frame.sigma == JointType.REVOLUTE else 0)
        gravity = np.array(self.gravity, dtype=object)
        made = []
        for j, name in self.columns:
            back = at[j][:, :3, :3].transpose(0, 2, 1)
            own, speed = _turned(back, w[j]), _turned(back, v[j])
            if name == "IA":
                made.append((rates[:, j - 1] ** 2) >> BITS + 1)
            elif name == "M":
                made.append(((v[j] ** 2).sum(1) >> BITS + 1) - ((at[j][:, :3, 3] * gravity).sum(1) >> BITS))
            elif name[0] == "M":
                moment = _cross(speed, own) - _times(back, gravity[:, None])[:, :, 0]
                made.append(moment[:, "XYZ".index(name[1])])
            else:
                i, k = ("XYZ".index(letter) for letter in name)
                made.append((own[:, i] * own[:, k]) >> BITS + (i == k))
        return np.stack(made, 1)

    def rank(self, seed: int = 0) -> tuple[int, float, float]:
        """Return the rank modulo constants, the last pivot kept and the first one dropped, relative to the columns."""
        if not self.columns:
            return 0, 1.0, 0.0
        rows = self.rows(len(self.columns) + 12, seed)
        rows = rows[1:] - rows[0]
        return pivoted_rank(rows)


def pivoted_rank(rows: Array) -> tuple[int, float, float]:
    largest = np.abs(rows).max(0)
    rows = rows[:, largest > ONE >> 200]
    rows = (rows << BITS) // np.abs(rows).max(0)
    sizes = []
    for _ in range(min(rows.shape)):
        r, c = np.unravel_index(int(np.abs(rows).argmax()), rows.shape)
        pivot = rows[r, c]
        sizes.append(abs(pivot) / ONE)
        if not pivot:
            break
        ratio = (np.delete(rows[:, c], r) << BITS) // pivot
        rest = np.delete(np.delete(rows, r, 0), c, 1)
        rows = rest - ((ratio[:, None] * np.delete(rows[r], c)[None]) >> BITS)
    sizes = [*sizes, 0.0]
    falls = [max(a, 1e-300) / max(b, 1e-80) for a, b in itertools.pairwise(sizes)]
    rank = int(np.argmax(falls)) + 1 if falls else 0
    return rank, sizes[rank - 1] if rank else 1.0, sizes[rank]


def _split(jacobian: Array) -> tuple[list[int], list[int], float]:
    """Return dependent coordinates (by largest remaining columns), the others, and the block's condition number."""
    left, bound, n = jacobian.copy(), [], jacobian.shape[1]
    size = max(1.0, float(np.linalg.norm(jacobian, axis=0).max(initial=0)))
    while len(bound) < n:
        k = int(np.linalg.norm(left, axis=0).argmax())
        norm = float(np.linalg.norm(left[:, k]))
        if norm < 1e-7 * size:
            break
        bound.append(k)
        u = left[:, k] / norm
        left = left - np.outer(u, u @ left)
    values = np.linalg.svd(jacobian[:, bound], compute_uv=False) if bound else np.ones(1)
    return sorted(bound), [k for k in range(n) if k not in bound], float(values[-1] / values[0])


def _mp(x: Any) -> Any:
    with mpmath.workprec(BITS + 40):
        return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else mpmath.mpf(x)


def _mixed(x: Any) -> int:
    with mpmath.workprec(BITS + 40):
        return int(mpmath.nint(_mp(x) * ONE)) if not isinstance(x, int) else x * ONE


def _scaled(x: float) -> int:
    n, d = x.as_integer_ratio()
    return (n << BITS) // d


def _scaled_array(x: Array) -> Array:
    return np.array([_scaled(v) for v in x.ravel().tolist()], dtype=object).reshape(x.shape)


def _times(a: Array, b: Array) -> Array:
    made = a @ b
    return made >> BITS if made.dtype == object else made


def _turned(back: Array, x: Array) -> Array:
    return _times(back, x[:, :, None])[:, :, 0]


def _cross(a: Array, b: Array) -> Array:
    parts = [a[:, (i + 1) % 3] * b[:, (i + 2) % 3] - a[:, (i + 2) % 3] * b[:, (i + 1) % 3] for i in range(3)]
    made = np.stack(parts, 1)
    return made >> BITS if made.dtype == object else made


def _chain(*steps: tuple[str, Any, Any]) -> Array:
    """Return the product of screw motions, in scaled integers."""
    made = np.array([[ONE * (r == c) for c in range(4)] for r in range(4)], dtype=object)
    for axis, angle, length in steps:
        s, c = _sine_cosine(_mp(angle))
        i, j, k = (0, 1, 2) if axis == "z" else (1, 2, 0)
        one = np.array([[ONE * (r == m) for m in range(4)] for r in range(4)], dtype=object)
        one[i, i], one[i, j], one[j, i], one[j, j], one[k, 3] = c, -s, s, c, _mixed(_mp(length))
        made = _times(made, one)
    return made


def _sine_cosine(angle: Any) -> tuple[int, int]:
    with mpmath.workprec(BITS + 40):
        return _fixed(mpmath.sin(angle)), _fixed(mpmath.cos(angle))


def _moved(sigma: JointType, q: Array) -> Array:
    """Return Rz(q) or Tz(q), (S, 4, 4)."""
    exact = q.dtype == object
    one = ONE if exact else 1.0
    made = np.zeros((len(q), 4, 4), dtype=q.dtype)
    for i in range(4):
        made[:, i, i] = one
    if sigma == JointType.PRISMATIC:
        made[:, 2, 3] = q
    elif sigma == JointType.REVOLUTE:
        if exact:
            with mpmath.workprec(BITS + 40):
                pairs = [_sine_cosine(mpmath.mpf(int(x)) / ONE) for x in q]
            s, c = (np.array(list(x), dtype=object) for x in zip(*pairs, strict=True))
        else:
            s, c = np.sin(q), np.cos(q)
        made[:, 0, 0], made[:, 0, 1], made[:, 1, 0], made[:, 1, 1] = c, -s, s, c
    return made


def rank_of(robot: Robot, posture: Mapping[int, float], **options: Any) -> int:
    """Return the number of base parameters if the pivots drop by at least 1e12."""
    rank, kept, dropped = Rank(robot, posture, **options).rank()
    if dropped > 1e-12 * kept:
        raise ValueError(f"{robot.name}: no gap, {kept:.1e} kept and {dropped:.1e} dropped")
    return rank
