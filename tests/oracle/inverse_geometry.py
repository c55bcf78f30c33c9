"""All configurations that bring a frame to a pose, or close the loops, by a numerical search.

Plain NumPy from the six parameters of each frame (values of formulas; no algorithm of symoro). The unknown joints are
computed by Levenberg-Marquardt on the entries of the transforms, from hundreds of random initial values at a time:

    chain   T(q) - T = 0, the entries that are given          loops   T_k(q) - T_{k+B}(q) = 0, twelve entries each
    dT/dq_j = [z_j]x (T - o_j)  (revolute)   or   z_j  (prismatic), in the axes of frame 0

A search cannot prove that its result is complete. The result is called saturated if every solution, including the
rarest, was reached from several initial values; numbers of solutions may be compared only then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.robot.description import GEOMETRIC, JointType, Robot
from tests.oracle.placement import placement, screw

Array = NDArray[np.float64]
Where = int | str

CLOSED = 1e-11  # largest entry of a residual that counts as zero
SAME = 1e-5  # joints closer than this are one solution
ENTRIES = {"s": "11,21,31", "n": "12,22,32", "a": "13,23,33", "P": "14,24,34"}
POSES = {"full": "s,n,a,P", "position": "P", "planar": "11,21,14,24", "axis": "a,P"}


def entries(pose: str) -> NDArray[np.bool_]:
    """Return the entries of a transform that a pose gives, (3, 4)."""
    mask = np.zeros((3, 4), dtype=bool)
    for word in POSES.get(pose, pose).split(","):
        for pair in ENTRIES.get(word, word).split(","):
            row, column = (int(digit) - 1 for digit in pair)
            mask[row, column] = True
    return mask


@dataclass(frozen=True)
class SearchResult:
    """Result of a search.

    Attributes:
        q: (K, n), one solution per row, angles from -pi to pi.
        saturated: whether every solution was reached so often that others are unlikely.
        regular: whether all solutions are isolated, far from singular configurations.
    """

    q: Array
    saturated: bool
    regular: bool

    @property
    def countable(self) -> bool:
        """Whether the number of solutions is well defined and reliable."""
        return self.saturated and self.regular


class Tree:
    """Numbers of a robot's frames; the tool is an additional frame, `NF + 1`."""

    def __init__(self, robot: Robot, values: Mapping[str, float] | None = None) -> None:
        numbers = {**dict(robot.nominal), **(values or {})}
        places = dict(enumerate(robot.frames, 1))
        self.ant = {j: frame.ant for j, frame in places.items()}
        self.sigma = {j: frame.sigma for j, frame in places.items()}
        self.tool = robot.NF + 1
        if robot.tool:
            places[self.tool] = robot.tool.place
            self.ant[self.tool], self.sigma[self.tool] = robot.tool.place.ant, JointType.FIXED
        self.rest = {
            j: placement(*(getattr(place, name).value(numbers) for name in GEOMETRIC))
            for j, place in places.items()
        }
        self.joints = [j for j in range(1, robot.NL + 1) if self.sigma[j] != JointType.FIXED]
        self.cut = [j for j in range(robot.NL + 1, robot.NJ + 1) if self.sigma[j] != JointType.FIXED]
        # Initial positions of prismatic joints are up to about the sum of all link lengths.
        self.size = 0.5 + sum(float(np.linalg.norm(T[:3, 3])) for T in self.rest.values())

    def number(self, where: Where) -> int:
        return self.tool if where == "tool" else int(where)

    def above(self, frame: int) -> list[int]:
        """Return the frames from the base to a frame."""
        results: list[int] = []
        while frame:
            results.insert(0, frame)
            frame = self.ant[frame]
        return results

    def placements(self, q: Mapping[int, Array], wanted: Iterable[int]) -> dict[int, Array]:
        """Return the frames `wanted` and their antecedents in frame 0, each (S, 4, 4), for S values of every joint."""
        count = len(next(iter(q.values())))
        result = {0: np.broadcast_to(np.eye(4), (count, 4, 4))}
        for end in wanted:
            for j in self.above(end):
                if j not in result:
                    result[j] = result[self.ant[j]] @ self.rest[j] @ _moved(self.sigma[j], q.get(j), count)
        return result

    def slope(self, at: Mapping[int, Array], frame: int, j: int) -> Array:
        """Return the derivative of a frame's transform by joint j, (S, 3, 4)."""
        T, axis, origin = at[frame], at[j][:, :3, 2], at[j][:, :3, 3]
        result = np.zeros((len(T), 3, 4))
        if j not in self.above(frame):
            return result
        if self.sigma[j] == JointType.PRISMATIC:
            result[:, :, 3] = axis
            return result
        result[:] = T[:, :3, :]
        result[:, :, 3] -= origin
        return _hats(axis) @ result


def _moved(sigma: JointType, q: Array | None, count: int) -> Array:
    """Return the joint transforms for S joint positions: rotation about z or translation along z."""
    zero = np.zeros(count)
    turn = q if q is not None and sigma == JointType.REVOLUTE else zero
    slide = q if q is not None and sigma == JointType.PRISMATIC else zero
    return np.asarray(screw("z", turn, slide))


def _hats(v: Array) -> Array:
    result = np.zeros((len(v), 3, 3))
    result[:, 2, 1], result[:, 0, 2], result[:, 1, 0] = v.T
    return result - result.transpose(0, 2, 1)


class Search:
    """Zeros of a residual over some joints of a tree; a subclass defines which frames must agree."""

    tree: Tree
    unknown: list[int]

    def residual(self, x: Array) -> tuple[Array, Array]:
        """Return the residual (S, m) and its derivative (S, m, n)."""
        raise NotImplementedError

    @property
    def turns(self) -> NDArray[np.bool_]:
        """Return which of the unknown joints are revolute."""
        return np.array([self.tree.sigma[j] == JointType.REVOLUTE for j in self.unknown])

    def wrapped(self, x: Array) -> Array:
        """Return angles in the range -pi to pi."""
        return np.where(self.turns, (x + np.pi) % (2 * np.pi) - np.pi, x)

    def starts(self, rng: np.random.Generator, count: int) -> Array:
        """Return random angles; prismatic joints are random in every second row, and fitted in the others.

        Transforms are linear in them: fitting reaches distant solutions that are far from all random initial values.
        """
        x = rng.uniform(-1, 1, (count, len(self.unknown))) * np.where(self.turns, np.pi, self.tree.size)
        if not self.turns.all():
            f, J = self.residual(x[::2])
            x[::2, ~self.turns] -= (np.linalg.pinv(J[:, :, ~self.turns]) @ f[:, :, None])[:, :, 0]
        return x

    def polished(self, x: Array, steps: int = 60) -> tuple[Array, bool]:
        """Return the end points of Levenberg-Marquardt that reached zero, with repetitions.

        Also return whether some converged slowly, as near an almost singular configuration.
        """
        f, J = self.residual(x)
        damping = np.full(len(x), 1e-2)
        done: list[Array] = []
        for _ in range(steps):
            zero = np.abs(f).max(axis=1) < CLOSED
            done.append(x[zero])
            x, f, J, damping = x[~zero], f[~zero], J[~zero], damping[~zero]
            if not len(x):
                break
            normal = J.transpose(0, 2, 1) @ J
            slope = J.transpose(0, 2, 1) @ f[:, :, None]
            ahead = x - np.linalg.solve(normal + damping[:, None, None] * np.eye(x.shape[1]), slope)[:, :, 0]
            f2, J2 = self.residual(ahead)
            better = (f2**2).sum(axis=1) < (f**2).sum(axis=1)
            # The floor keeps the normal equations solvable at a singular posture.
            damping = np.where(better, np.maximum(damping * 0.1, 1e-14), np.minimum(damping * 8, 1e6))
            x, f = np.where(better[:, None], ahead, x), np.where(better[:, None], f2, f)
            J = np.where(better[:, None, None], J2, J)
        close = np.abs(f).max(axis=1) < 1e-5
        stuck = close.any() and np.linalg.svd(J[close], compute_uv=False)[:, -1].min() < 1e-3
        return self.wrapped(np.concatenate(done)), bool(stuck)

    def distance(self, x: Array, y: Array) -> Array:
        """Return the largest difference of a joint, with angles modulo 2 pi."""
        return np.abs(self.wrapped(x - y)).max(axis=-1)

    def all(
        self, rng: np.random.Generator, *, hits: int = 8, rounds: int = 12, count: int = 200
    ) -> SearchResult:
        """Return every zero: random initial values are drawn until each zero was reached often."""
        results: list[Array] = []
        times: list[int] = []
        smooth = True
        for turn in range(rounds):
            left, stuck = self.polished(self.starts(rng, count))
            smooth = smooth and not stuck
            for known, x in enumerate(results):
                same = self.distance(left, x) < SAME
                times[known] += int(same.sum())
                left = left[~same]
            while len(left):
                same = self.distance(left, left[0]) < SAME
                results.append(left[0])
                times.append(int(same.sum()))
                left = left[~same]
            if (turn and (not times or min(times) >= hits)) or len(results) > 64:
                break
        if not results:
            return SearchResult(np.zeros((0, len(self.unknown))), True, smooth)
        q = np.array(results)
        f, J = self.residual(q)
        least = np.linalg.svd(J, compute_uv=False)[:, -1]
        # One step without damping, to the last digit; never along a direction in which nothing changes.
        q = self.wrapped(q - (np.linalg.pinv(J, rcond=1e-6) @ f[:, :, None])[:, :, 0])
        return SearchResult(q[np.lexsort(q.T[::-1])], min(times) >= hits, smooth and bool(least.min() > 1e-3))


class Chain(Search):
    """Joints that bring a frame to a pose.

    Args:
        to: frame, by number or "tool".
        pose: given entries, as for the model.
        locked: joints with fixed positions.
    """

    def __init__(
        self,
        robot: Robot,
        to: Where | None = None,
        *,
        pose: str = "full",
        locked: Mapping[int, float] | None = None,
        values: Mapping[str, float] | None = None,
    ) -> None:
        self.tree = Tree(robot, values)
        self.to = self.tree.number(robot.NL if to is None else to)
        self.mask = entries(pose)
        self.locked = dict(locked or {})
        self.joints = [j for j in self.tree.joints if j in self.tree.above(self.to)]
        self.unknown = [j for j in self.joints if j not in self.locked]
        self.target = np.eye(4)

    def _frames(self, x: Array) -> dict[int, Array]:
        q = dict(zip(self.unknown, x.T, strict=True))
        q |= {j: np.full(len(x), value) for j, value in self.locked.items()}
        return self.tree.placements(q, [self.to])

    def place(self, x: Array | Sequence[Sequence[float]]) -> Array:
        """Return the pose of the frame for each row of the unknown joints, (S, 4, 4)."""
        return self._frames(np.asarray(x, dtype=float))[self.to]

    def residual(self, x: Array) -> tuple[Array, Array]:
        at = self._frames(x)
        f = (at[self.to] - self.target)[:, :3][:, self.mask]
        slopes = [self.tree.slope(at, self.to, j)[:, self.mask] for j in self.unknown]
        return f, np.stack(slopes, axis=-1)

    def error(self, x: Array, T: Array) -> Array:
        """Return the largest error of the given entries, one number per row."""
        return np.abs((self.place(x) - T)[:, :3][:, self.mask]).max(axis=1)

    def sensitivity(self, x: Array) -> Array:
        """Return the smallest singular value of the derivative, which is zero in a singular configuration."""
        return np.linalg.svd(self.residual(np.atleast_2d(x))[1], compute_uv=False)[:, -1]

    def all_solutions(self, T: Array, rng: np.random.Generator, **search: int) -> SearchResult:
        """Return all solutions for the unknown joints."""
        self.target = np.asarray(T, dtype=float)
        return self.all(rng, **search)


class Loops(Search):
    """Passive joints of a robot with loops; columns are those of the tree, then the cut joints."""

    def __init__(self, robot: Robot, values: Mapping[str, float] | None = None) -> None:
        self.tree = Tree(robot, values)
        self.pairs = [(k, k + robot.B) for k in range(robot.NL + 1, robot.NJ + 1)]
        self.active = [j for j in self.tree.joints if robot.frame(j).mu]
        self.every = [*self.tree.joints, *self.tree.cut]
        self.unknown = [j for j in self.every if j not in self.active]
        self.qa = np.zeros(len(self.active))

    def _frames(self, x: Array) -> dict[int, Array]:
        q = dict(zip(self.unknown, x.T, strict=True))
        q |= {j: np.full(len(x), value) for j, value in zip(self.active, self.qa, strict=True)}
        return self.tree.placements(q, self.tree.rest)

    def residual(self, x: Array) -> tuple[Array, Array]:
        at = self._frames(x)
        f = [(at[k] - at[closing_frame])[:, :3].reshape(-1, 12) for k, closing_frame in self.pairs]
        J = [
            np.stack(
                [
                    (self.tree.slope(at, k, j) - self.tree.slope(at, closing_frame, j)).reshape(-1, 12)
                    for j in self.unknown
                ],
                axis=-1,
            )
            for k, closing_frame in self.pairs
        ]
        return np.concatenate(f, axis=1), np.concatenate(J, axis=1)

    def gap(self, q: Array, qc: Array) -> Array:
        """Return the largest closure error, one number per row of all joints."""
        values = dict(zip(self.every, np.concatenate([q, qc], axis=1).T, strict=True))
        at = self.tree.placements(values, self.tree.rest)
        return np.max(
            [np.abs(at[k] - at[closing_frame]).max(axis=(1, 2)) for k, closing_frame in self.pairs], axis=0
        )

    def assemblies(
        self, qa: Sequence[float] | Array, rng: np.random.Generator, **search: int
    ) -> SearchResult:
        """Return every assembly mode at given active joints; rows contain all joints, cut joints last."""
        self.qa = np.asarray(qa, dtype=float)
        result = self.all(rng, **search)
        q = np.zeros((len(result.q), len(self.every)))
        q[:, [self.every.index(j) for j in self.unknown]] = result.q
        q[:, [self.every.index(j) for j in self.active]] = self.qa
        return SearchResult(q, result.saturated, result.regular)
