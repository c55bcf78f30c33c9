"""Mobility of a robot with closed loops, and the kind of each loop, from its constraints at closed postures.

    mobility = joints of the tree + opened joints - rank J,      J: the derivative of all loops' closure by the joints

The rank is not assumed from the loops' kind: a Bennett linkage moves against the count, and of the rows of a Delta
some depend on each other across loops. It is the number of singular values of J above a gap, the same at closed
postures of two draws; postures without a clear gap (next to singular ones) tell nothing.
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
    closure_slopes,
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
ATTEMPTS = 12  # of a draw
ENOUGH = 12  # postures of a draw
FEW = 6  # clear postures of a draw, without which nothing is said
ROWS = 12  # of J, a loop


@dataclass(frozen=True)
class LoopKind:
    """A loop: planar, spherical, spatial or a parallelogram, and the rank of its constraints alone."""

    loop: Loop
    kind: str
    rank: int


@dataclass(frozen=True)
class LoopMobility:
    """How a robot with loops can move.

    Attributes:
        mobility: of the whole robot.
        rank: of all constraints together.
        active, passive, opened: joints by number; passive are the others of the tree.
        remarks: what the active joints do not fit, and what was seen at some postures only.
    """

    mobility: int
    rank: int
    active: tuple[int, ...]
    passive: tuple[int, ...]
    opened: tuple[int, ...]
    loops: tuple[LoopKind, ...]
    remarks: tuple[str, ...]


def loop_mobility(robot: Robot) -> LoopMobility:
    """The mobility, with the robot's own numbers where it has them.

    Raises:
        NotApplicableError: the robot has no loops, they do not close, or numbers do not tell their rank.
    """
    if not robot.B:
        raise NotApplicableError(f"robot '{robot.name}' has no closed loop")
    drawn = [constraints(robot, seed) for seed in DRAWS]
    ranks = [one.ranks(one.joints) for one in drawn]
    if min(map(len, ranks)) < FEW or len({max(sample_ranks) for sample_ranks in ranks}) > 1:
        raise NotApplicableError(
            f"robot '{robot.name}': the rank of its loops' constraints cannot be told from numbers",
            hint="nominal values for the lengths help, where they must fit each other",
        )
    rank, first = max(ranks[0]), drawn[0]
    cut = tuple(cut_joints(robot))
    active = tuple(active_joints(robot))
    passive = tuple(j for j in independent(robot) if j not in active)
    remarks = list(_misfit(robot, first, rank, active))
    if any(r < rank for sample_ranks in ranks for r in sample_ranks):
        remarks.append("it has postures of another kind, in which it can move in more ways")
    kinds = tuple(_kind(robot, k, one, first) for k, one in enumerate(loops(robot)))
    mobility = len(independent(robot)) + len(cut) - rank
    return LoopMobility(mobility, rank, active, passive, cut, kinds, tuple(remarks))


@dataclass(frozen=True)
class Constraints:
    """The constraints at closed postures: rows of J by joint, (S, rows, joints), and the size of the loops."""

    joints: tuple[int, ...]
    slopes: Array
    postures: ClosedPostures
    size: float

    def ranks(self, joints: Sequence[int], rows: slice = slice(None)) -> list[int]:
        """Of some joints' columns, at the postures where it is clear; sizes are those of all columns."""
        columns = [self.joints.index(j) for j in joints if j in self.joints]
        part = self.slopes[:, rows]
        sizes = [values[0] for values in spectra(part)]
        decided = numeric_ranks(part[:, :, columns], CLOSED_POSTURES, sizes)
        return [rank for rank in decided if rank is not None]

    def rank(self, joints: Sequence[int]) -> int:
        """The rank of some joints' columns; 0 where it is never clear."""
        return max(self.ranks(joints), default=0)

    def chosen(self, wanted: Sequence[int]) -> list[int]:
        """Of some joints those that can be chosen at will, one after the other: the loops do not tie them."""
        rest = list(self.joints)
        independent_joints = []
        for j in wanted:
            others = [i for i in rest if i != j]
            if j in rest and self.rank(others) == self.rank(rest):
                independent_joints.append(j)
                rest = others
        return independent_joints


def constraints(robot: Robot, seed: int = DRAWS[0]) -> Constraints:
    """The constraints of all loops at closed postures: around the first that the robot names, or anywhere.

    Crossed parallelograms are left out, of which no robot is built.

    Raises:
        NotApplicableError: too few postures were found.
    """
    named = next(iter(robot.postures.values()), None)
    near = None if named is None else postures_near(robot, named, seed)
    if near is not None:
        return Constraints(*closure_slopes(robot, near), near, loops_size(robot, near))
    samples: list[Constraints] = []
    for attempt in range(ATTEMPTS):
        postures = every_closed(robot, seed + attempt * len(DRAWS))
        if postures is not None:
            joints, slopes = closure_slopes(robot, postures)
            kept = uncrossed(robot, postures.parameters, postures.joints)
            size = loops_size(robot, postures)
            samples.append(Constraints(joints, slopes[kept], some_postures(postures, kept), size))
        if sum(len(one.slopes) for one in samples) >= ENOUGH:
            break
    if sum(len(one.slopes) for one in samples) < FEW:
        raise NotApplicableError(
            f"the loops of robot '{robot.name}' were found to close in no posture",
            hint="check the lengths and angles of the frames of the loops; nominal values help where they must fit, "
            "and a posture by its name (postures) tells how the robot is assembled",
        )
    return Constraints(
        samples[0].joints,
        np.concatenate([one.slopes for one in samples]),
        joined([one.postures for one in samples]),
        samples[0].size,
    )


def fitting_joints(robot: Robot) -> list[int]:
    """Joints of the loops that would do as active ones, those that are active first; an opened joint cannot be."""
    at = constraints(robot)
    active = [j for j in active_joints(robot) if j in at.joints]
    others = [j for j in at.joints if j <= robot.NL and j not in active]
    return sorted(at.chosen([*active, *others]))


def _misfit(robot: Robot, at: Constraints, rank: int, active: Sequence[int]) -> list[str]:
    """Whether the active joints of the loops are too many, too few or the wrong ones."""
    driven = [j for j in active if j in at.joints]
    free = at.chosen(driven)
    tied = [j for j in driven if j not in free]
    left = len(at.joints) - rank - len(free)
    words = []
    if tied:
        words.append(f"the loops tie active {_names(tied)} to the other active joints")
    if left:
        tree = [j for j in at.joints if j <= robot.NL and j not in driven]  # an opened joint cannot be driven
        would = at.chosen([*free, *tree])[len(free) :]
        words.append(f"the active joints leave {left} of its freedoms undetermined; {_names(would)} would do")
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
    """From the axes of its joints at all postures."""
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
    """Whether axes pass one point, the one of least distance: sum (1 - z z') (p - o) = 0."""
    across = [np.eye(3) - z[:, :, None] * z[:, None, :] for z, _ in axes]
    right = sum(a @ o[:, :, None] for a, (_, o) in zip(across, axes, strict=True))
    point = (np.linalg.pinv(np.asarray(sum(across))) @ right)[:, :, 0]
    away = [a @ (point - o)[:, :, None] for a, (_, o) in zip(across, axes, strict=True)]
    return max(map(_largest, away)) < PARALLEL_AXES * size


def _largest(values: Array) -> float:
    return float(np.abs(values).max())
