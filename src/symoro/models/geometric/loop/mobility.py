"""Mobility of a robot with closed loops, and the kind of each loop, from the constraints at closed configurations.

    mobility = joints of the tree + cut joints - rank J

J is the derivative of the closure errors of all loops with respect to the joints. Its rank is computed and not derived
from the kinds of the loops: a Bennett linkage moves although the Gruebler formula predicts that it does not, and in a
Delta robot the constraints of different loops are dependent. The rank is the number of singular values of J above a
gap; it must be equal at the closed configurations of two random draws. Configurations without a clear gap (near
singular ones) are not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symoro.errors import NotApplicableError
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.models.geometric.loop.parallelogram import parallelogram_of, uncrossed
from symoro.models.geometric.loop.postures import (
    ClosedPostures,
    closure_jacobian,
    every_closed,
    joined,
    loop_axes,
    loops_size,
    postures_near,
    some_postures,
)
from symoro.models.numeric.fixed_point import Array
from symoro.models.rank import ranks as numeric_ranks
from symoro.models.rank import spectra
from symoro.models.tolerances import CLOSED_POSTURES, PARALLEL_AXES
from symoro.program.builder import Builder
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import Loop, cut_joints, loops

DRAWS = (1, 2)
ATTEMPTS = 12  # per random draw
ENOUGH = 12  # closed configurations per random draw
FEW = 6  # least number of configurations with a clear rank per draw
ROWS = 12  # rows of J per loop


@dataclass(frozen=True)
class LoopKind:
    """Kind of a closed loop and rank of its constraints.

    Attributes:
        loop: the loop.
        kind: 'planar', 'spherical', 'spatial' or 'parallelogram'.
        rank: rank of the constraints of this loop alone.
    """

    loop: Loop
    kind: str
    rank: int


@dataclass(frozen=True)
class LoopMobility:
    """Mobility of a robot with closed loops.

    Attributes:
        mobility: number of degrees of freedom of the whole robot.
        rank: rank of all loop constraints together.
        active: numbers of the active joints.
        passive: numbers of the other joints of the tree.
        opened: numbers of the cut joints.
        loops: kind of each loop.
        remarks: sentences about an unsuitable choice of active joints, or about a higher mobility in other
            configurations.
    """

    mobility: int
    rank: int
    active: tuple[int, ...]
    passive: tuple[int, ...]
    opened: tuple[int, ...]
    loops: tuple[LoopKind, ...]
    remarks: tuple[str, ...]


def loop_mobility(robot: Robot) -> LoopMobility:
    """Compute the mobility of a robot with closed loops, with nominal parameter values if the robot has them.

    Raises:
        NotApplicableError: the robot has no loops, they do not close, or the rank of their constraints is not clear
            from the samples.
    """
    if not robot.B:
        raise NotApplicableError(f"robot '{robot.name}' has no closed loop")
    drawn = [constraints(robot, seed) for seed in DRAWS]
    ranks = [one.ranks(one.joints) for one in drawn]
    if min(map(len, ranks)) < FEW or len({max(sample_ranks) for sample_ranks in ranks}) > 1:
        raise NotApplicableError(
            f"robot '{robot.name}': the rank of the constraints of its loops cannot be determined "
            "from random samples",
            hint="give nominal values for lengths that must match each other",
        )
    rank, first = max(ranks[0]), drawn[0]
    cut = tuple(cut_joints(robot))
    active = tuple(active_joints(robot))
    passive = tuple(j for j in independent(robot) if j not in active)
    remarks = list(_misfit(robot, first, rank, active))
    if any(r < rank for sample_ranks in ranks for r in sample_ranks):
        remarks.append("it has other closed configurations with a higher mobility")
    kinds = tuple(_kind(robot, k, one, first) for k, one in enumerate(loops(robot)))
    mobility = len(independent(robot)) + len(cut) - rank
    return LoopMobility(mobility, rank, active, passive, cut, kinds, tuple(remarks))


@dataclass(frozen=True)
class Constraints:
    """Jacobian of the loop constraints at sampled closed configurations.

    Attributes:
        joints: number of the joint of each column.
        jacobian: derivative of the closure errors with respect to the joints, (S, rows, joints).
        postures: the configurations.
        size: size of the loops in m.
    """

    joints: tuple[int, ...]
    jacobian: Array
    postures: ClosedPostures
    size: float

    def ranks(self, joints: Sequence[int], rows: slice = slice(None)) -> list[int]:
        """Return the rank of the Jacobian columns of some joints, at each configuration where the rank is clear.

        The rank is clear if there is a gap between large and small singular values, relative to the largest singular
        value of all columns. Other configurations are omitted.

        Args:
            joints: numbers of the joints.
            rows: rows of the Jacobian (constraints) to use; by default all.
        """
        columns = [self.joints.index(j) for j in joints if j in self.joints]
        part = self.jacobian[:, rows]
        sizes = [values[0] for values in spectra(part)]
        decided = numeric_ranks(part[:, :, columns], CLOSED_POSTURES, sizes)
        return [rank for rank in decided if rank is not None]

    def rank(self, joints: Sequence[int]) -> int:
        """Return the largest rank of the Jacobian columns of some joints over all configurations.

        Configurations at which the rank is not clear are ignored; if there are no others, the result is 0.

        Args:
            joints: numbers of the joints.
        """
        return max(self.ranks(joints), default=0)

    def independent(self, wanted: Sequence[int]) -> list[int]:
        """Return those of the given joints that are independent of the ones before them in the list.

        The positions of these joints can be chosen freely; the loops determine the others.

        Args:
            wanted: joint numbers, in order of preference.
        """
        rest = list(self.joints)
        independent_joints = []
        for j in wanted:
            others = [i for i in rest if i != j]
            if j in rest and self.rank(others) == self.rank(rest):
                independent_joints.append(j)
                rest = others
        return independent_joints


def constraints(robot: Robot, seed: int = DRAWS[0]) -> Constraints:
    """Return the Jacobian of all loop constraints at sampled closed configurations.

    The configurations are near the first named posture of the robot, or random if there is none. Crossed parallelograms
    are excluded, because robots are not built with them.

    Args:
        seed: seed of the random numbers.

    Raises:
        NotApplicableError: too few closed configurations could be computed.
    """
    named = next(iter(robot.postures.values()), None)
    near = None if named is None else postures_near(robot, named, seed)
    if near is not None:
        return Constraints(*closure_jacobian(robot, near), near, loops_size(robot, near))
    samples: list[Constraints] = []
    for attempt in range(ATTEMPTS):
        postures = every_closed(robot, seed + attempt * len(DRAWS))
        if postures is not None:
            joints, jacobian = closure_jacobian(robot, postures)
            kept = uncrossed(robot, postures.parameters, postures.joints)
            size = loops_size(robot, postures)
            samples.append(Constraints(joints, jacobian[kept], some_postures(postures, kept), size))
        if sum(len(one.jacobian) for one in samples) >= ENOUGH:
            break
    if sum(len(one.jacobian) for one in samples) < FEW:
        raise NotApplicableError(
            f"no configuration closes the loops of robot '{robot.name}'",
            hint="check the lengths and angles of the frames of the loops; give nominal values for matching lengths, "
            "and a named posture (postures) that defines the assembly mode",
        )
    return Constraints(
        samples[0].joints,
        np.concatenate([one.jacobian for one in samples]),
        joined([one.postures for one in samples]),
        samples[0].size,
    )


def fitting_joints(robot: Robot) -> list[int]:
    """Return the numbers of joints of the loops that can be active together.

    Joints that are active in the robot's description have priority. Cut joints are excluded.
    """
    at = constraints(robot)
    active = [j for j in active_joints(robot) if j in at.joints]
    others = [j for j in at.joints if j <= robot.NL and j not in active]
    return sorted(at.independent([*active, *others]))


def _misfit(robot: Robot, at: Constraints, rank: int, active: Sequence[int]) -> list[str]:
    """Return messages about active joints of the loops that are too many, too few or unsuitable.

    Args:
        at: constraints of the loops.
        rank: rank of the constraints.
        active: numbers of the active joints.
    """
    driven = [j for j in active if j in at.joints]
    free = at.independent(driven)
    tied = [j for j in driven if j not in free]
    left = len(at.joints) - rank - len(free)
    words = []
    if tied:
        words.append(f"the loops determine the active joints {_names(tied)} from the other active joints")
    if left:
        tree = [j for j in at.joints if j <= robot.NL and j not in driven]  # a cut joint cannot be active
        additional = at.independent([*free, *tree])[len(free) :]
        words.append(
            f"the active joints leave {left} of its degrees of freedom undetermined; make {_names(additional)} active"
        )
    return words


def _names(joints: Sequence[int]) -> str:
    return ", ".join(f"q{j}" for j in joints)


def _kind(robot: Robot, k: int, loop: Loop, at: Constraints) -> LoopKind:
    rows = slice(ROWS * k, ROWS * (k + 1))
    rank = max(at.ranks(at.joints, rows), default=0)
    if parallelogram_of(Builder("loop"), robot, loop) is not None:
        return LoopKind(loop, "parallelogram", rank)
    return LoopKind(loop, _shape(robot, loop, at), rank)


def _shape(robot: Robot, loop: Loop, at: Constraints) -> str:
    """Return the kind of a loop ('planar', 'spherical' or 'spatial') from its joint axes.

    Args:
        at: constraints with the sampled closed configurations.
    """
    axes, size = loop_axes(robot, at.postures, loop)
    turning, sliding = (
        [axes[j] for j in loop.frames if robot.frame(j).sigma == kind]
        for kind in (JointType.REVOLUTE, JointType.PRISMATIC)
    )
    if not turning:
        return "spatial"
    first, _ = turning[0]
    parallel = all(_largest(np.cross(first, z)) < PARALLEL_AXES for z, _ in turning)
    if parallel and all(_largest((first * z).sum(1)) < PARALLEL_AXES for z, _ in sliding):
        return "planar"
    return "spherical" if not sliding and not parallel and _concurrent(turning, size) else "spatial"


def _concurrent(axes: Sequence[tuple[Array, Array]], size: float) -> bool:
    """Return whether all axes intersect in one point at every configuration.

    The point p with the least sum of squared distances from the axes satisfies sum (1 - z z') (p - o) = 0.

    Args:
        axes: direction z and origin o of each axis, (S, 3) each, for S configurations.
        size: size of the loops in m.
    """
    across = [np.eye(3) - z[:, :, None] * z[:, None, :] for z, _ in axes]
    right = sum(a @ o[:, :, None] for a, (_, o) in zip(across, axes, strict=True))
    point = (np.linalg.pinv(np.asarray(sum(across))) @ right)[:, :, 0]
    away = [a @ (point - o)[:, :, None] for a, (_, o) in zip(across, axes, strict=True)]
    return max(map(_largest, away)) < PARALLEL_AXES * size


def _largest(values: Array) -> float:
    return float(np.abs(values).max())
