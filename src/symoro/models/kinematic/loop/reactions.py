"""The wrenches at the joints of closed loops: at the opened ones, and what they change along the tree.

With the multipliers x of the rows, Wp' x = tau_p (Khalil 2010, section 4: what the loops bear of the tree's torques),
the loop's left link feels sum x_i e_i where it closes, the right one the opposite. Rows that were left out have no
multiplier: where the loops do not determine a component of a wrench, any value would do, and none is given. Those are
found in numbers: the multipliers that cause no torque (M' y = 0 over all rows M of all loops) leave every other
component alone, at every posture tried.
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
    """Components of the wrenches at the opened joints k and on the links that the loops leave open."""

    opened: frozenset[WrenchEntry]
    links: frozenset[WrenchEntry]

    def words(self) -> list[str]:
        """What is not a number, in sentences."""
        lines = []
        for name, entries in (("reactions of link", self.links), ("cut_reactions of joint", self.opened)):
            for j in sorted({j for j, _ in entries}):
                missing = ", ".join(NAMES[c] for k, c in sorted(entries) if k == j)
                lines.append(f"{name} {j}: {missing} not determined by the loops, not a number")
        return lines


@lru_cache(maxsize=64)
def undetermined(robot: Robot) -> Undetermined:
    """What the loops do not determine of the wrenches at the joints."""
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
    """Multipliers of all rows that do no work on any joint."""
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
    """Force and moment on the left link of each loop, in the axes of its root."""
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
    """What the wrenches at the opened joints add to those on the links of the tree."""
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
    """The wrenches at the opened joints, from the efforts of the tree's joints."""

    def __init__(self, joints: LoopCoordinates, efforts: Mapping[int, Scalar]) -> None:
        self.joints, self.robot = joints, joints.robot
        self.builder = joints.builder
        self.trig = Trigonometry(self.builder, self.robot)
        self.at = {**joints.positions, **{one.loop.left: 0 for one in joints.choice.loops}}
        reduced = dict(zip(joints.linear.own, joints.linear.project(efforts), strict=True))
        self.multipliers = joints.factored.solve_transposed([reduced[j] for j in joints.passive])

    def at_cuts(self) -> dict[int, Vector]:
        """Opened joint -> wrench of its antecedent on the link of frame k + B, in that frame, about its origin."""
        wrenches = {}
        for i, one in enumerate(self.joints.choice.loops):
            wrench = self._wrench(i, one.loop.right)
            wrenches[one.loop.left] = [-x for x in (*wrench.f, *wrench.m)]
        return wrenches

    def on_environment(self) -> dict[int, Vector]:
        """What each link exerts at the ends of loops, in its own frame: as external wrenches are given."""
        exerted: dict[int, Vector] = {}
        for i, one in enumerate(self.joints.choice.loops):
            for end, sign in ((one.loop.left, -1), (one.loop.right, 1)):
                link, wrench = self._carried(i, end)
                given: Vector = [sign * x for x in (*wrench.f, *wrench.m)]
                exerted[link] = add(exerted[link], given) if link in exerted else given
        return exerted

    def _wrench(self, loop: int, frame: int) -> Wrench:
        """The wrench on the left link where the loop closes, in the axes of one of its ends."""
        sides = self.joints.sides[loop]
        left = frame == sides.axes.loop.left
        m: dict[str, Vector] = {"v": [0, 0, 0], "w": [0, 0, 0]}
        for row, x in zip(self.joints.choice.rows, self.multipliers, strict=True):
            if row.loop == loop:
                m[row.kind] = add(m[row.kind], scale(x, sides.along(row)[0 if left else 1]))
        turn = self._from_side(loop, frame)
        return Wrench(matvec(turn, m["v"]), matvec(turn, m["w"]))

    def _from_side(self, loop: int, frame: int) -> list[list[Scalar]]:
        """From the axes in which a side is written to those of its end."""
        sides = self.joints.sides[loop]
        seen = sides.frames[0 if frame == sides.axes.loop.left else 1]
        return rotation_of(placement_between(self.builder, self.robot, frame, seen, self.at, self.trig))

    def _carried(self, loop: int, end: int) -> tuple[int, Wrench]:
        """The link that an end of a loop stands on, and the wrench in its frame."""
        link = [0, *(j for j in chain(self.robot, end) if j <= self.robot.NL)][-1]
        wrench, sides = self._wrench(loop, end), self.joints.sides[loop]
        place = placement_between(self.builder, self.robot, link, end, self.at, self.trig)
        turn, p = rotation_of(place), position_of(place)
        if end == sides.axes.loop.left:
            p = add(p, scale(sides.shift, [row[2] for row in turn]))
        force = matvec(turn, wrench.f)
        return link, Wrench(force, add(matvec(turn, wrench.m), cross(p, force)))
