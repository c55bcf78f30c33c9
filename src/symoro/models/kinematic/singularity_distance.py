"""Distance of configurations from the singularities of a robot, by type, and the singular motions.

Let W be the matrix of the loop closure constraints, W q' = 0, and J the Jacobian of a frame with respect to all joints,
V = J q'. The velocities that the loops allow are q' = N c, with N an orthonormal basis of the null space of W. They
give the twist V = J N c of the frame and the velocities qa' = E N c of the active joints. With the norms

    |V|^2 = |v|^2 + L^2 |w|^2        |q'|^2 = sum (L q')^2 over revolute joints + sum q'^2 over prismatic joints

in m/s, where L is the characteristic length, the distances are numbers without unit:

    serial (type 1)      min |V| with |qa'| = 1       active joints move while the frame is at rest
    parallel (type 2)    min |qa'| with |V| = 1       the frame moves while the active joints are locked
    passive              min |[W; J] qp'| with |qp'| = 1   passive joints move, frame and active joints are at rest
    constraint           min |W' f| with |f| = 1      the constraints become dependent, and the mobility increases

Where V = Jv qa', as for platforms in regular configurations, the first two are the smallest singular value of Jv and
the reciprocal of its largest one, both with the units above. For a Gough-Stewart platform the second one is the
smallest singular value of the matrix whose rows are the Plücker coordinates (u; L^-1 rho x u) of the legs.

V is the whole twist if its frame is the platform of a parallel robot, or if the frame has as many degrees of freedom as
it has directions of motion over all configurations. Otherwise V is the linear velocity v alone if this has as many, as
for a planar arm with two joints or a five-bar, and the whole twist if it has not (the rule of `jacobian-determinant`).

Directions in which a robot can never move are excluded by the rank at generic configurations: the minimum is the
r-th largest singular value, with r this rank. A robot without loops has only serial singularities; its other distances
are infinite.

Rows of W are the relative velocity (linear; L angular) of the two cut frames of each loop at their common origin
(`numeric/velocity_equations.py`). Parallelograms are replaced by the linear relations between their joints, which hold
even where the velocity equations of a flat parallelogram are dependent; `constraint` uses the velocity equations. A
gimbal lock of the three angles of a spherical joint is not a singularity.

C. Gosselin, J. Angeles, "Singularity analysis of closed-loop kinematic chains", IEEE Transactions on Robotics and
Automation 6(3), 1990. D. Zlatanov, R.G. Fenton, B. Benhabib, "A unifying framework for classification and
interpretation of mechanism singularities", ASME Journal of Mechanical Design 117(4), 1995 (redundant input, output and
passive motion; increased instantaneous mobility). P.A. Voglewede, I. Ebert-Uphoff, "Overarching framework for measuring
closeness to singularities of parallel manipulators", IEEE Transactions on Robotics 21(6), 2005.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError, NotApplicableError
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.models.geometric.loop.mobility import DRAWS, constraints, loop_mobility
from symoro.models.geometric.loop.parallelogram import linear_loops
from symoro.models.kinematic.determinant import not_rolling
from symoro.models.kinematic.tool import moving_frame
from symoro.models.numeric.closure import closure_error
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.tree import (
    NumericTree,
    formulas,
    numeric_tree,
)
from symoro.models.numeric.velocity_equations import (
    coordinates_of,
    joint_units,
    twist_units,
    velocity_matrices,
)
from symoro.models.rank import ranks
from symoro.models.tolerances import CLOSED_POSTURES, EVALUATED, SAME_POSTURE
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot

LINEAR = 3  # number of rows of the linear velocity
TYPES = ("serial", "parallel", "passive", "constraint")
CHUNK = 2048  # configurations that are evaluated at once; limits the memory
SAMPLES = 24  # random configurations of a robot without loops, at which the rank of J is determined


@dataclass(frozen=True)
class SingularityAnalysis:
    """Distances of N configurations from the singularities of a robot, and the singular motions.

    Attributes:
        q: (N, n) joint positions.
        length: characteristic length L in m.
        joints: numbers of the active joints, one per entry of `rates`.
        output: 'twist' or 'linear velocity', the part of the motion of the frame that is analysed.
        distances: (N,) arrays by type: 'serial', 'parallel', 'passive' and 'constraint', without unit. They are NaN
            where q is not finite or does not close the loops.
        twist: (N, 6) twist (linear, m/s; angular, rad/s) of the frame, in the axes of frame 0, whose analysed part has
            norm 1 m/s and requires the least velocities of the active joints. At a parallel singularity it is the
            motion of the frame with locked active joints. NaN for robots without loops.
        rates: (N, na) velocities of the active joints (rad/s, m/s), of norm 1 m/s, that give the smallest twist. At a
            serial singularity the frame is at rest.
    """

    q: Array
    length: float
    joints: tuple[int, ...]
    output: str
    distances: Mapping[str, Array]
    twist: Array
    rates: Array

    @property
    def nearest(self) -> list[str]:
        """Type with the smallest distance, per configuration; empty where the distances are NaN."""
        table = np.stack([self.distances[name] for name in TYPES], -1).reshape(-1, len(TYPES))
        return ["" if np.isnan(row).any() else TYPES[int(row.argmin())] for row in table]


def singularity_distance(
    robot: Robot,
    q: ArrayLike,
    length: float = 1.0,
    *,
    to: int | str | None = None,
    values: Mapping[str, float] | None = None,
) -> dict[str, Array]:
    """Return the distances of configurations from the singularities of a robot, by type.

    Args:
        q: (N, n) or (n,) positions of the independent joints (rad, m), which close the loops.
        length: characteristic length in m, by which angular velocities are multiplied.
        to: frame whose twist is analysed; by default the tool, the platform or the last link's frame.
        values: numbers for symbols; by default the nominal values of the robot.

    Returns:
        Arrays (N,), or () for one configuration, by type: 'serial', 'parallel', 'passive' and 'constraint' (see
        `SingularityAnalysis.distances`).

    Raises:
        NotApplicableError: the robot is wheeled or has no moving joint, or its active joints do not determine its
            motion.
        ArgumentError: q has a wrong shape, the length is not positive, or a symbol has no value.
    """
    return dict(singularity_analysis(robot, q, length, to=to, values=values).distances)


def singularity_analysis(
    robot: Robot,
    q: ArrayLike,
    length: float = 1.0,
    *,
    to: int | str | None = None,
    values: Mapping[str, float] | None = None,
) -> SingularityAnalysis:
    """Return the distances of configurations from singularities, and the singular motions.

    The arguments and exceptions are those of `singularity_distance`. For one configuration (n,) the arrays have no axis
    N.
    """
    if not np.isfinite(length) or length <= 0:
        raise ArgumentError(f"length: expected a positive characteristic length in m, got {length}")
    mechanism = _mechanism(robot.bind(values) if values else robot, to)
    count = len(mechanism.own)
    positions = np.asarray(q, float)
    if positions.ndim not in (1, 2) or positions.shape[-1] != count:
        names = ", ".join(f"q{j}" for j in mechanism.own)
        raise ArgumentError(
            f"q: expected the shape (N, {count}) or ({count},), one number for each of {names}; got {positions.shape}"
        )
    rows = np.atleast_2d(positions)
    parts = [mechanism.analysed(rows[k : k + CHUNK], float(length)) for k in range(0, len(rows), CHUNK)]
    parts = parts or [mechanism.analysed(rows, float(length))]
    single = positions.ndim == 1

    def joined(name: str) -> Array:
        stacked = np.concatenate([part[name] for part in parts])
        return stacked[0] if single else stacked

    distances = {name: joined(name) for name in TYPES}
    return SingularityAnalysis(
        positions,
        float(length),
        mechanism.active,
        "linear velocity" if mechanism.output == LINEAR else "twist",
        distances,
        joined("twist"),
        joined("rates"),
    )


@dataclass(frozen=True)
class _Mechanism:
    """Numerical velocity equations of a robot, with their ranks at generic configurations.

    Attributes:
        tree: geometry with the parallelograms replaced by linear relations between joints.
        velocity_tree: geometry with the velocity equations of all loops; `tree` if there is no parallelogram.
        end: number of the frame whose twist is analysed.
        own: numbers of the independent joints, one per entry of q.
        active: numbers of the active joints.
        rank: generic rank of W of `tree`; `velocity_rank`: that of `velocity_tree`.
        output: number of rows of the twist that are analysed, 6 or 3 (the linear velocity).
        freedoms: generic number of independent motions of the frame.
        passive_rank: generic rank of [W; J] with respect to the passive joints.
    """

    tree: NumericTree
    velocity_tree: NumericTree
    end: int
    own: tuple[int, ...]
    active: tuple[int, ...]
    rank: int = 0
    velocity_rank: int = 0
    output: int = 6
    freedoms: int = 0
    passive_rank: int = 0

    def analysed(self, q: Array, length: float) -> dict[str, Array]:
        """Return the distances, by type, and the singular motions `twist` and `rates` at configurations q (N, n)."""
        count = len(q)
        results = {name: np.full(count, np.nan) for name in TYPES}
        results |= {"twist": np.full((count, 6), np.nan), "rates": np.full((count, len(self.active)), np.nan)}
        x, closed = self._closed(q)
        good = np.flatnonzero(closed)
        if not len(good):
            return results
        w, jacobian = velocity_matrices(self.tree, self.end, x[good], length)
        active = [self.tree.coordinates.index(j) for j in self.active]
        joints = joint_units(self.tree, active, length)
        if not self.tree.robot.B:
            _, values, directions = np.linalg.svd(jacobian[:, : self.output], full_matrices=False)
            results["serial"][good] = _value(values, self.freedoms)
            results["rates"][good] = directions[:, self.freedoms - 1] / joints
            for name in ("parallel", "passive", "constraint"):
                results[name][good] = np.inf
            return results
        _, sizes, directions = np.linalg.svd(w)
        results["constraint"][good] = _value(sizes, self.rank)
        if self.velocity_tree is not self.tree:
            y, _ = coordinates_of(self.velocity_tree, self.own, q[good])
            w_all, _ = velocity_matrices(self.velocity_tree, self.end, y, length)
            results["constraint"][good] = _value(_singular_values(w_all), self.velocity_rank)
        passive = [k for k, j in enumerate(self.tree.coordinates) if j not in self.active]
        stacked = np.concatenate([w, jacobian[:, : self.output]], 1)[:, :, passive]
        results["passive"][good] = _value(_singular_values(stacked), self.passive_rank)
        for rows, twists, rates in _motions(sizes, directions, jacobian, active, self.rank, self.output):
            serial, parallel, twist, rate = _smallest(twists, rates, self.output, self.freedoms)
            results["serial"][good[rows]], results["parallel"][good[rows]] = serial, parallel
            results["rates"][good[rows]] = rate / joints
            results["twist"][good[rows]] = twist / twist_units(length)
        return results

    def _closed(self, q: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Return the coordinates of `tree` at configurations q (N, n), and flags that are true for closed loops."""
        with np.errstate(invalid="ignore"):
            x, mismatch = coordinates_of(self.tree, self.own, q)
            error = np.abs(closure_error(self.tree, x))
        scale = np.tile([self.tree.size] * 3 + [1.0] * 9, len(self.tree.loops))
        largest = np.maximum((error / scale).max(1, initial=0.0), mismatch)
        return x, np.isfinite(q).all(1) & (largest <= SAME_POSTURE)


def _singular_values(stack: Array) -> Array:
    return np.asarray(np.linalg.svd(stack, compute_uv=False))


def _value(values: Array, number: int) -> Array:
    """Return the singular values (N,) with a number, counted from 1 in decreasing order; infinite for the number 0."""
    return values[:, number - 1] if number else np.full(len(values), np.inf)


def _motions(
    sizes: Array, directions: Array, jacobian: Array, active: Sequence[int], rank: int, output: int
) -> Iterator[tuple[NDArray[np.intp], Array, Array]]:
    """Yield an orthonormal basis of the pairs (twist, velocities of the active joints) that the loops allow.

    Configurations with the same dimensions are treated together. The constraints of a configuration have the generic
    rank unless a singular value is zero up to round-off.

    Args:
        sizes, directions: singular values (N, rows) and right singular vectors (N, c, c) of the constraints.
        jacobian: (N, 6, c) Jacobians.
        active: columns of the active joints.
        rank: generic rank of the constraints.
        output: number of rows of the twist that belong to the pairs.

    Yields:
        Indices of the configurations; their twists (S, 6, d) and velocities of the active joints (S, na, d).
    """
    present = (
        np.minimum((sizes > EVALUATED.absent * sizes[:, :1]).sum(1), rank)
        if rank
        else np.zeros(len(directions), int)
    )
    for kept in np.unique(present):
        rows = np.flatnonzero(present == kept)
        basis = directions[rows, kept:].transpose(0, 2, 1)
        moved = jacobian[rows] @ basis
        pairs = np.concatenate([moved[:, :output], basis[:, active]], 1)
        _, lengths, mixed = np.linalg.svd(pairs, full_matrices=False)
        dimensions = (lengths > EVALUATED.absent * lengths[:, :1]).sum(1)
        for dimension in np.unique(dimensions):
            these = np.flatnonzero(dimensions == dimension)
            scaled = mixed[these, :dimension] / lengths[these, :dimension, None]
            combined = scaled.transpose(0, 2, 1)  # combinations of the basis that make the pairs orthonormal
            yield rows[these], moved[these] @ combined, basis[these][:, active] @ combined


def _smallest(twists: Array, rates: Array, output: int, freedoms: int) -> tuple[Array, Array, Array, Array]:
    """Return the distances from serial and parallel singularities, and the motions of these distances.

    The columns of [output; rates] are orthonormal, so that the singular values c of the output, the first rows of
    `twists`, and s of `rates` belong to the same motions, with c^2 + s^2 = 1 (CS decomposition); c / s are the singular
    values of the Jacobian.

    Args:
        twists: (S, 6, d) twists.
        rates: (S, na, d) velocities of the active joints.
        output: number of rows of the twists that are analysed.
        freedoms: generic number of independent motions of the frame.

    Returns:
        The distances (S,) from serial and from parallel singularities, the twist (S, 6) of the latter, whose output has
        norm 1, and the velocities (S, na) of the former, of norm 1.
    """
    last = min(freedoms, twists.shape[2]) - 1
    slow = np.linalg.svd(twists[:, :output])[2][:, last, :, None]
    easy = np.linalg.svd(rates)[2][:, -1, :, None]
    slow_twist, slow_rate, easy_twist, easy_rate = (
        (part @ motion)[:, :, 0] for motion in (slow, easy) for part in (twists, rates)
    )
    compared = (slow_twist[:, :output], slow_rate, easy_twist[:, :output], easy_rate)
    norms = [np.linalg.norm(x, axis=1) for x in compared]
    with np.errstate(divide="ignore", invalid="ignore"):
        twist, rate = easy_twist / norms[2][:, None], slow_rate / norms[1][:, None]
        return norms[0] / norms[1], norms[3] / norms[2], twist, rate


@lru_cache(maxsize=16)
def _mechanism(robot: Robot, to: int | str | None) -> _Mechanism:
    """Return the numerical velocity equations of a robot and their generic ranks.

    Raises:
        NotApplicableError: the robot is wheeled or has no moving joint, its active joints do not determine its motion,
            or its ranks are not clear.
        ArgumentError: a symbol of the geometry has no value.
    """
    reason = not_rolling(robot)
    if reason:
        raise NotApplicableError(f"robot '{robot.name}' has no distance to singularities: {reason}")
    whole, end, _ = moving_frame(robot, to)
    values = dict(whole.nominal)
    missing = sorted({name for f in formulas(whole) for name in f.symbols} - values.keys())
    if missing:
        raise ArgumentError(
            f"'{missing[0]}' of robot '{robot.name}' has no value",
            hint=f"give a number for each of {', '.join(missing[:8])}{' ...' if missing[8:] else ''}",
        )
    linear = linear_loops(whole) if whole.B else None
    tree = numeric_tree(
        linear.robot if linear else whole, lambda f: f.value(values), closing=linear.open if linear else None
    )
    velocity_tree = numeric_tree(whole, lambda f: f.value(values)) if linear and linear.relations else tree
    own = tuple(independent(whole))
    active = tuple(active_joints(whole)) if whole.B else own
    plain = _Mechanism(tree, velocity_tree, end, own, active)
    return _with_ranks(robot, plain, _generic_configurations(whole, own, tree))


def _generic_configurations(robot: Robot, own: Sequence[int], tree: NumericTree) -> Array:
    """Return configurations (S, n) at which the ranks are determined: closed ones if the robot has loops."""
    if robot.B:
        drawn = [constraints(robot, seed).postures.joints for seed in DRAWS]
        return np.concatenate([np.stack([joints[j] for j in own], 1) for joints in drawn])
    units = [1.0 if robot.frame(j).sigma == JointType.PRISMATIC else np.pi for j in own]
    return np.random.default_rng(1).uniform(-1, 1, (SAMPLES, len(own))) * units


def _with_ranks(robot: Robot, plain: _Mechanism, q: Array) -> _Mechanism:
    """Return the velocity equations with their ranks at the generic configurations q (S, n)."""

    def clear(name: str, values: Array) -> int:
        decided = [rank for rank in ranks(values, CLOSED_POSTURES) if rank is not None]
        if 2 * len(decided) < len(values):
            raise NotApplicableError(
                f"robot '{robot.name}': the rank of {name} is not clear at its closed configurations",
                hint="give nominal values for lengths that must match each other",
            )
        return max(decided)

    tree, velocity_tree = plain.tree, plain.velocity_tree
    x, _ = coordinates_of(tree, plain.own, q)
    w, jacobian = velocity_matrices(tree, plain.end, x, tree.size)
    rank = velocity_rank = clear("the constraints", w) if w.shape[1] else 0
    if velocity_tree is not tree:
        y, _ = coordinates_of(velocity_tree, plain.own, q)
        velocity_rank = clear("the constraints", velocity_matrices(velocity_tree, plain.end, y, tree.size)[0])
    columns = [tree.coordinates.index(j) for j in plain.active]
    decomposed = np.linalg.svd(w)[1:]
    free = clear("the active joints", decomposed[1][:, rank:, columns])
    if not free == len(columns) == len(tree.coordinates) - rank:
        remarks = [remark for remark in loop_mobility(robot).remarks if "active" in remark]
        raise NotApplicableError(
            f"robot '{robot.name}': {'; '.join(remarks) or 'its active joints do not determine its motion'}"
        )

    def directions(rows: int) -> tuple[int, int]:
        """Return the largest number of independent motions in one configuration, and over all configurations."""
        parts = [twists[:, :rows] for _, twists, _ in _motions(*decomposed, jacobian, columns, rank, rows)]
        joined = np.concatenate([part.transpose(1, 0, 2).reshape(rows, -1) for part in parts], 1)
        return max(clear("the Jacobian", part) for part in parts), clear("the Jacobian", joined[None])

    output = 6
    freedoms, every = directions(6)
    if not freedoms:
        raise NotApplicableError(
            f"frame {plain.end} of robot '{robot.name}' does not move with the joints",
            hint="choose another frame",
        )
    if freedoms < every and plain.end != tree.robot.platform and directions(LINEAR) == (freedoms, freedoms):
        output = LINEAR
    passive = [k for k in range(len(tree.coordinates)) if k not in columns]
    stacked = np.concatenate([w, jacobian[:, :output]], 1)[:, :, passive]
    return replace(
        plain,
        rank=rank,
        velocity_rank=velocity_rank,
        output=output,
        freedoms=freedoms,
        passive_rank=clear("the passive joints", stacked) if passive else 0,
    )
