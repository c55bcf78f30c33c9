"""Reaction wrenches at the joints of closed loops: at the cut joints, and their effect on the links of the tree.

The Lagrange multipliers x of the velocity equations satisfy Wp' x = tau_p (Khalil 2010, section 4), where tau_p are the
efforts at the passive joints of the tree without the loops. The wrench sum x_i e_i, with e_i the axis of equation i,
acts on the left link of the loop at the cut, and the opposite wrench on the right link.

Equations that were not selected have no multiplier. If the loops do not determine a component of a wrench, its value is
arbitrary and NaN is returned. Such components are identified numerically: in every sampled configuration, they are the
components that change with multipliers y that cause no effort (M' y = 0, with M the matrix of all equations of all
loops).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from symoro.expr.linalg import Vector, add, cross, matvec, position_of, rotation_of, scale
from symoro.expr.scalar import Scalar
from symoro.models.geometric.loop.parallelogram import linear_loops
from symoro.models.geometric.relative_placement import placement_between
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.loop.choice import LoopChoice, LoopRow, all_rows, loop_choice
from symoro.models.kinematic.loop.coordinates import LoopCoordinates
from symoro.models.kinematic.loop.samples import LoopSamples, samples
from symoro.models.numeric.fixed_point import Array
from symoro.models.spatial import Wrench
from symoro.models.tolerances import CLOSED_POSTURES
from symoro.robot.description import Robot
from symoro.robot.size import joint_units
from symoro.robot.topology import chain

NAMES = ("fx", "fy", "fz", "mx", "my", "mz")
WrenchEntry = tuple[int, int]  # (frame, component)


@dataclass(frozen=True)
class Undetermined:
    """Components of the reaction wrenches that the loops do not determine.

    Attributes:
        cuts: pairs (number of the cut joint, index of the component).
        links: pairs (number of the link, index of the component).
    """

    cuts: frozenset[WrenchEntry]
    links: frozenset[WrenchEntry]

    def words(self) -> list[str]:
        """Return one sentence per link or cut joint with the components that are not determined and are NaN."""
        lines = []
        for name, entries in (("reactions of link", self.links), ("cut_reactions of joint", self.cuts)):
            for j in sorted({j for j, _ in entries}):
                missing = ", ".join(NAMES[c] for k, c in sorted(entries) if k == j)
                lines.append(f"{name} {j}: the loops do not determine {missing}; the value is NaN")
        return lines


@lru_cache(maxsize=64)
def undetermined(robot: Robot) -> Undetermined:
    """Return the components of the joint wrenches that the loops do not determine."""
    choice = loop_choice(robot, every_loop=True)
    given = samples(robot, choice.linear.open, linear_loops(robot).robot)
    rows = all_rows(choice)
    at_cuts: set[WrenchEntry] = set()
    links: set[WrenchEntry] = set()
    for s in range(len(given.loops[0].linear)):
        for y in _without_torque(choice, given, rows, s):
            wrenches = _wrenches(choice, given, rows, y, s)
            _collect(
                at_cuts, {k: _in_axes(given, i, k + robot.B, s, f, m) for i, (k, f, m) in wrenches.items()}
            )
            _collect(links, _on_links(choice, given, wrenches, s))
    return Undetermined(frozenset(at_cuts), frozenset(links))


def _without_torque(choice: LoopChoice, given: LoopSamples, rows: Sequence[LoopRow], s: int) -> Array:
    """Return a basis of the Lagrange multipliers that cause no effort at any joint, one multiplier vector per row.

    Args:
        given: numerical equations of the loops at closed configurations.
        rows: all velocity equations of the loops, one per multiplier.
        s: index of the configuration.
    """
    lines, units = [], joint_units(choice.linear.robot, given.coordinates, given.length)
    for row in rows:
        one, axes = given.loops[row.loop], choice.loops[row.loop]
        frame, columns = (axes.linear, one.linear) if row.kind == "v" else (axes.angular, one.angular)
        size = given.length if row.kind == "v" else 1.0
        lines.append(one.axes[frame][s, :, row.axis] @ columns[s] * units / size)
    u, values, _ = np.linalg.svd(np.array(lines))
    rank = int((values > CLOSED_POSTURES.present * values[0]).sum())
    return np.asarray(u[:, rank:].T)


def _wrenches(
    choice: LoopChoice, given: LoopSamples, rows: Sequence[LoopRow], y: Array, s: int
) -> dict[int, tuple[int, Array, Array]]:
    """Return the force and moment on the left link of each loop that correspond to Lagrange multipliers.

    Args:
        given: numerical equations of the loops at closed configurations.
        rows: velocity equations.
        y: one multiplier per equation.
        s: index of the configuration.

    Returns:
        (Frame of the cut joint, force, moment) by index of the loop, in the axes of the loop's root.
    """
    wrenches = {i: (one.loop.left, np.zeros(3), np.zeros(3)) for i, one in enumerate(choice.loops)}
    for row, x in zip(rows, y, strict=True):
        axes, (_, force, moment) = choice.loops[row.loop], wrenches[row.loop]
        if row.kind == "v":
            force += x / given.length * given.loops[row.loop].axes[axes.linear][s, :, row.axis]
        else:
            moment += x * given.loops[row.loop].axes[axes.angular][s, :, row.axis]
    return wrenches


def _in_axes(given: LoopSamples, loop: int, frame: int, s: int, force: Array, moment: Array) -> Array:
    back = given.loops[loop].axes[frame][s].T
    return np.concatenate([given.length * (back @ force), back @ moment])


def _on_links(
    choice: LoopChoice, given: LoopSamples, wrenches: Mapping[int, tuple[int, Array, Array]], s: int
) -> dict[int, Array]:
    """Return the wrench (6,) on each link of the tree that the wrenches at the cut joints cause.

    Args:
        given: numerical equations of the loops at closed configurations.
        wrenches: (frame of the cut joint, force, moment) by index of the loop.
        s: index of the configuration.
    """
    on_links: dict[int, Array] = {}
    last = choice.linear.robot.NL
    for i, (_, force, moment) in wrenches.items():
        one, loop = given.loops[i], choice.loops[i].loop
        for side, sign in ((loop.left_chain, -1.0), (loop.right_chain, 1.0)):
            for j in (j for j in side if j <= last):
                about = moment + np.cross(one.arms[j][s], force)
                on_links[j] = on_links.get(j, np.zeros(6)) + sign * _in_axes(given, i, j, s, force, about)
    return on_links


def _collect(entries: set[WrenchEntry], wrenches: Mapping[int, Array]) -> None:
    for j, values in wrenches.items():
        entries |= {(j, c) for c in range(6) if abs(values[c]) > CLOSED_POSTURES.present}


class LoopReactions:
    """Wrenches at the cut joints of a robot with closed loops.

    They are computed from the efforts that the joints of the tree would require without the loops.
    """

    def __init__(self, joints: LoopCoordinates, efforts: Mapping[int, Scalar]) -> None:
        self.joints, self.robot = joints, joints.robot
        self.builder = joints.builder
        self.trig = Trigonometry(self.builder, self.robot)
        self.at = {**joints.positions, **{one.loop.left: 0 for one in joints.choice.loops}}
        reduced = dict(zip(joints.linear.own, joints.linear.project(efforts), strict=True))
        self.multipliers = joints.factored.solve_transposed([reduced[j] for j in joints.passive])

    def at_cuts(self) -> dict[int, Vector]:
        """Return the wrench (force; moment) that is transmitted by each cut joint, by number of the joint.

        The antecedent link of the cut joint k exerts it on the link of the second cut frame k + B. It is expressed in
        the axes of frame k + B.
        """
        wrenches = {}
        for i, one in enumerate(self.joints.choice.loops):
            wrench = self._wrench(i, one.loop.right)
            wrenches[one.loop.left] = [-x for x in (*wrench.f, *wrench.m)]
        return wrenches

    def on_environment(self) -> dict[int, Vector]:
        """Return the wrench that each link exerts on its environment through the cut joints, by link number.

        The wrench (force; moment) is expressed in the frame of the link. The sign convention is that of external
        wrenches.
        """
        exerted: dict[int, Vector] = {}
        for i, one in enumerate(self.joints.choice.loops):
            for end, sign in ((one.loop.left, -1), (one.loop.right, 1)):
                link, wrench = self._carried(i, end)
                given: Vector = [sign * x for x in (*wrench.f, *wrench.m)]
                exerted[link] = add(exerted[link], given) if link in exerted else given
        return exerted

    def _wrench(self, loop: int, frame: int) -> Wrench:
        """Return the wrench on the left link of a loop at the cut joint.

        Args:
            loop: index of the loop.
            frame: one of the two cut frames of the loop; the wrench is expressed in its axes.
        """
        sides = self.joints.sides[loop]
        left = frame == sides.axes.loop.left
        m: dict[str, Vector] = {"v": [0, 0, 0], "w": [0, 0, 0]}
        for row, x in zip(self.joints.choice.rows, self.multipliers, strict=True):
            if row.loop == loop:
                m[row.kind] = add(m[row.kind], scale(x, sides.along(row)[0 if left else 1]))
        turn = self._from_side(loop, frame)
        return Wrench(matvec(turn, m["v"]), matvec(turn, m["w"]))

    def _from_side(self, loop: int, frame: int) -> list[list[Scalar]]:
        """Return the rotation from the axes in which the equations of one side of a loop are computed to its cut frame.

        Args:
            loop: index of the loop.
            frame: cut frame at the end of this side.
        """
        sides = self.joints.sides[loop]
        seen = sides.frames[0 if frame == sides.axes.loop.left else 1]
        return rotation_of(placement_between(self.builder, self.robot, frame, seen, self.at, self.trig))

    def _carried(self, loop: int, end: int) -> tuple[int, Wrench]:
        """Return the link to which a cut frame is fixed, and the wrench at the cut in the frame of this link.

        Args:
            loop: index of the loop.
            end: one of the two cut frames of the loop.
        """
        link = [0, *(j for j in chain(self.robot, end) if j <= self.robot.NL)][-1]
        wrench, sides = self._wrench(loop, end), self.joints.sides[loop]
        transform = placement_between(self.builder, self.robot, link, end, self.at, self.trig)
        turn, p = rotation_of(transform), position_of(transform)
        if end == sides.axes.loop.left:
            p = add(p, scale(sides.shift, [row[2] for row in turn]))
        force = matvec(turn, wrench.f)
        return link, Wrench(force, add(matvec(turn, wrench.m), cross(p, force)))
