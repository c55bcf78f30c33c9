"""Selection of the velocity equations of closed loops and of their axes, and check of the active joints.

The selection is made numerically at random closed configurations (`samples`). Half of the configurations are used for
the selection, the others to confirm it.

- Axes. The three linear equations of a loop may be written in the axes of any of its frames, and so may the three
  angular ones; the axes in which the fewest passive joints appear are used. In the axes of frames k and k + B (the
  pair of frames of the cut joint), a revolute cut joint appears only in the angular equation along its axis, and a
  prismatic one only in the linear equation along its axis. There is one such equation per cut joint; these equations
  come last (1997 paper, eq. 12).
- Equations. From the other equations of all loops together, as many independent ones as there are passive joints are
  selected, those with few joints first. All equations that are not selected must depend on them in every configuration.
  For example, the loops of a Delta robot have 21 equations together and rank 18, which is not visible in a single loop;
  for Bennett's four-bar linkage two equations of five are sufficient.
- Active joints. They are suitable if the columns of the passive joints have full rank, and the columns of the active
  joints do not increase this rank.

A rank is accepted only if the singular values have a clear gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from symoro.errors import NotApplicableError
from symoro.models.geometric.loop.parallelogram import LinearLoops, linear_loops
from symoro.models.kinematic.loop.samples import LoopSample, LoopSamples, samples
from symoro.models.numeric.fixed_point import Array
from symoro.models.rank import independent_rows
from symoro.models.rank import ranks as numeric_ranks
from symoro.models.tolerances import CLOSED_POSTURES, WELL_CONDITIONED
from symoro.robot.coordinates import independent, relation
from symoro.robot.description import MOTION, JointType, Robot
from symoro.robot.size import joint_units
from symoro.robot.topology import Loop, cut_joints, loops

TRIALS = 24  # orders of the rows that are tried
CLEAR = 2 / 3  # share of the configurations that must have a clear gap


@dataclass(frozen=True)
class LoopRow:
    """One scalar velocity equation of a loop.

    Attributes:
        loop: index of the loop.
        kind: 'v' for a linear equation, 'w' for an angular one.
        axis: index (0, 1 or 2) of the axis along which the equation is written.
    """

    loop: int
    kind: str
    axis: int


@dataclass(frozen=True)
class LoopAxes:
    """Loop with the frame in whose axes its linear equations are written, and that of its angular equations."""

    loop: Loop
    linear: int
    angular: int


@dataclass(frozen=True)
class LoopChoice:
    """Selected velocity equations of a robot with closed loops.

    Attributes:
        linear: parallelograms, which are replaced by constant linear relations between joints.
        active, passive: numbers of the active and of the passive independent joints of the tree, in frame order.
        loops: loops that are not parallelograms, with the axes of their equations.
        rows: selected equations, as many as passive joints.
        closing: equations that contain one cut joint each, in frame order.
        present: pairs (equation, passive joint) for which the joint appears in the equation in some configuration.
    """

    linear: LinearLoops
    active: tuple[int, ...]
    passive: tuple[int, ...]
    loops: tuple[LoopAxes, ...]
    rows: tuple[LoopRow, ...]
    closing: tuple[LoopRow, ...]
    present: frozenset[tuple[LoopRow, int]]


@lru_cache(maxsize=64)
def loop_choice(robot: Robot, *, every_loop: bool = False) -> LoopChoice:
    """Select the velocity equations of the closed loops of a robot.

    Args:
        every_loop: whether velocity equations are also selected for parallelograms; reactions require them.

    Raises:
        NotApplicableError: the active joints are not suitable, the loops do not close, or a rank has no clear gap.
    """
    if any(relation(robot, k) is not None for k in cut_joints(robot)):
        raise NotApplicableError(
            f"a cut joint of robot '{robot.name}' is coupled to another joint, which is not supported"
        )
    for j in independent(robot):
        frame = robot.frame(j)
        if not frame.mu and any(getattr(frame, name) is not None for name in MOTION):
            raise NotApplicableError(
                f"joint {j} of robot '{robot.name}' is passive: its loops determine its motion",
                hint="prescribe QP, QDP and GAM for active joints only",
            )
    linear = LinearLoops(robot, {}, tuple(loops(robot))) if every_loop else linear_loops(robot)
    joints = independent(linear.robot)
    active = tuple(j for j in joints if robot.frame(j).mu)
    passive = tuple(j for j in joints if not robot.frame(j).mu)
    if not linear.open:
        if passive:
            raise _unfit(robot, active, passive, [*active, *passive])
        return LoopChoice(linear, active, passive, (), (), (), frozenset())
    given = samples(linear.robot, linear.open, linear_loops(robot).robot)
    choice = _Chooser(robot, linear, given, active, passive).choice()
    if not active:
        raise NotApplicableError(
            f"robot '{robot.name}' has no active joint, and its loops do not allow any motion",
            hint="check the axes of the joints of its loops",
        )
    return choice


class _Chooser:
    def __init__(
        self,
        robot: Robot,
        linear: LinearLoops,
        given: LoopSamples,
        active: Sequence[int],
        passive: Sequence[int],
    ) -> None:
        self.robot, self.linear, self.given = robot, linear, given
        self.active, self.passive = tuple(active), tuple(passive)
        column_of = {j: k for k, j in enumerate(given.coordinates)}
        self.a, self.p = [column_of[j] for j in active], [column_of[j] for j in passive]
        self.units = np.array(joint_units(robot, given.coordinates, given.length)) / given.length

    def choice(self) -> LoopChoice:
        axes = tuple(self._axes(one) for one in self.given.loops)
        rows, closing = self._rows(axes)
        stack = np.stack([self._row(axes, row) for row in rows], 1)  # (S, rows, coordinates)
        stack = stack[self._regular(stack)]
        self._check_drive(stack)
        chosen = self._chosen(stack)
        kept = tuple(rows[r] for r in chosen)
        size = np.abs(stack).max()
        present = {
            (rows[r], j)
            for r in chosen
            for j, c in zip(self.passive, self.p, strict=True)
            if np.abs(stack[:, r, c]).max() > CLOSED_POSTURES.absent * size
        }
        return LoopChoice(self.linear, self.active, self.passive, axes, kept, closing, frozenset(present))

    def _rows(self, axes: Sequence[LoopAxes]) -> tuple[list[LoopRow], tuple[LoopRow, ...]]:
        """Return all velocity equations without a cut joint, and those that contain a cut joint.

        Args:
            axes: loops with the axes of their equations.
        """
        closing = tuple(
            LoopRow(i, *cut) for i, one in enumerate(axes) if (cut := self._cut_equation(one.loop))
        )
        every = [LoopRow(i, kind, k) for i in range(len(axes)) for kind in "vw" for k in range(3)]
        return [row for row in every if row not in closing], closing

    def _cut_equation(self, loop: Loop) -> tuple[str, int] | None:
        """Return the equation of a loop that contains the cut joint, as (kind, axis); None for a fixed cut joint.

        Returns:
            Kind 'v' (linear) or 'w' (angular), and index of the axis along which the equation is written.
        """
        sigma = self.robot.frame(loop.left).sigma
        return {JointType.REVOLUTE: ("w", 2), JointType.PRISMATIC: ("v", 2), JointType.FIXED: None}[sigma]

    def _axes(self, one: LoopSample) -> LoopAxes:
        """Return the frames in whose axes the fewest passive joints appear in the equations of a loop.

        The frames for the linear and for the angular equations are determined separately. If one of the three equations
        contains the cut joint, only the two frames of the cut joint are tried.

        Args:
            one: numerical equations of the loop at the sampled configurations.
        """
        loop, cut = one.loop, self._cut_equation(one.loop)
        ends = [loop.left, loop.right]
        every = list(
            dict.fromkeys([*ends, *reversed(loop.left_chain), *reversed(loop.right_chain), loop.root])
        )
        best = {}
        for kind, columns in (("v", one.linear * self.units), ("w", one.angular)):
            tried = ends if cut and cut[0] == kind else every
            best[kind] = min(tried, key=lambda j, c=columns: self._appearing(one, c, j))  # type: ignore[misc]
        return LoopAxes(loop, best["v"], best["w"])

    def _appearing(self, one: LoopSample, columns: Array, frame: int) -> int:
        """Count the nonzero coefficients of passive joints in three equations of a loop.

        Args:
            one: numerical equations of the loop at the sampled configurations.
            columns: coefficients (S, 3, coordinates) of the equations in the axes of the loop's root.
            frame: frame in whose axes the equations are written.
        """
        coefficients = np.abs(one.axes[frame].transpose(0, 2, 1) @ columns[:, :, self.p]).max(0, initial=0)
        return int(
            (coefficients > CLOSED_POSTURES.absent * max(np.abs(columns).max(initial=0), 1e-300)).sum()
        )

    def _row(self, axes: Sequence[LoopAxes], row: LoopRow) -> Array:
        """Return the coefficients (S, coordinates) of an equation in each of the S sampled configurations.

        Lengths, including the positions of prismatic joints, are in units of the robot's largest length.

        Args:
            axes: loops with the axes of their equations.
            row: the equation.
        """
        one, chosen = self.given.loops[row.loop], axes[row.loop]
        frame, columns = (
            (chosen.linear, one.linear * self.units) if row.kind == "v" else (chosen.angular, one.angular)
        )
        return np.asarray(np.einsum("si,sic->sc", one.axes[frame][:, :, row.axis], columns))

    def _regular(self, stack: Array) -> Array:
        """Return the indices of the regular configurations among the samples.

        A configuration is regular if the rank of the passive joints' columns is the largest one that occurs, and the
        singular values have a clear gap.

        Args:
            stack: coefficients (S, equations, coordinates).
        """
        ranks, every = (
            np.array([-1 if rank is None else rank for rank in numeric_ranks(matrices, CLOSED_POSTURES)])
            for matrices in (stack[:, :, self.p], stack)
        )
        regular = np.flatnonzero((ranks == ranks.max()) & (every == every[ranks == ranks.max()].max()))
        if ranks.max() < 0 or len(regular) < CLEAR * (ranks == ranks.max()).sum() or len(regular) < 4:
            raise NotApplicableError(
                f"the number of independent equations of the loops of robot '{self.robot.name}' "
                "cannot be determined",
                hint="if two lengths differ by less than a millionth, make them exactly equal or clearly different",
            )
        return np.asarray(regular)

    def _check_drive(self, stack: Array) -> None:
        passive, every = numeric_ranks([stack[0][:, self.p], stack[0]], CLOSED_POSTURES)
        if passive == len(self.p) == every:
            return
        order = [*reversed(self.p), *reversed(self.a)]  # the first joints are the last to become dependent
        bound = set(independent_rows(stack.transpose(0, 2, 1)[:, order], CLOSED_POSTURES.present))
        free = sorted(self.given.coordinates[c] for k, c in enumerate(order) if k not in bound)
        raise _unfit(self.robot, self.active, self.passive, free)

    def _chosen(self, stack: Array) -> list[int]:
        """Return the indices of the selected equations, which have few joints and determine all passive joints.

        The smallest singular value of the selected equations must be nearly as large as that of all equations.

        Args:
            stack: coefficients (S, equations, coordinates).
        """
        m = stack[:, :, self.p]
        if not self.p:
            return []
        joints = (np.abs(stack).max(0) > CLOSED_POSTURES.absent * np.abs(stack).max()).sum(1)
        order = [r for r in np.argsort(joints, kind="stable") if joints[r]]
        generator = np.random.default_rng(1)
        least = np.linalg.svd(m, compute_uv=False)[:, len(self.p) - 1]
        best: tuple[float, list[int]] = (0.0, [])
        for _ in range(TRIALS):
            half = m[: (len(m) + 1) // 2]
            rows = sorted(
                order[k]
                for k in independent_rows(half[:, order], WELL_CONDITIONED, CLOSED_POSTURES.present)[
                    : len(self.p)
                ]
            )
            if len(rows) == len(self.p):
                keeps = float((np.linalg.svd(m[:, rows], compute_uv=False)[:, -1] / least).min())
                best = max(best, (keeps, rows))
                if keeps > WELL_CONDITIONED:
                    return rows
            order = [int(r) for r in generator.permutation(order)]
        if best[0] < CLOSED_POSTURES.present:
            raise NotApplicableError(
                f"robot '{self.robot.name}' has no choice of {len(self.p)} equations of its loops "
                "that are independent in all configurations"
            )
        return best[1]


def all_rows(choice: LoopChoice) -> list[LoopRow]:
    """Return all velocity equations that contain no cut joint, whether they were selected or not."""
    every = [LoopRow(i, kind, k) for i in range(len(choice.loops)) for kind in "vw" for k in range(3)]
    return [row for row in every if row not in choice.closing]


def _unfit(
    robot: Robot, active: Sequence[int], passive: Sequence[int], free: Sequence[int]
) -> NotApplicableError:
    """Return the error for active joints that are too many, too few or unsuitable.

    Args:
        active, passive: numbers of the active and passive joints.
        free: numbers of the joints that can be active together, for the hint.
    """
    words, among = _counted(len(free), "degree") + " of freedom", _counted(len(active), "active joint")
    given = f"the active joints of robot '{robot.name}' ({', '.join(map(str, active))})"
    if not active:
        what = f"robot '{robot.name}' has no active joint: the mechanism has {words}"
    elif len(active) < len(free):
        what = f"{given} are too few: the mechanism has {words} but only {among}"
    elif len(active) > len(free):
        what = f"{given} are too many: the mechanism has {words} but {among}"
    else:
        what = f"{given} do not determine the positions of the passive joints"
    named = f"joint{'s' if len(free) > 1 else ''} {', '.join(map(str, free))}"
    fit = f"make {named} active (mu = 1) and all others passive"
    return NotApplicableError(what, hint=fit if free else "the loops of this robot do not allow any motion")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
