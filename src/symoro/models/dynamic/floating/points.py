"""Points fixed in links: place, Jacobian and acceleration in the axes of frame 0; which of them determine forces.

A point p of link j is at P = 0Pj + 0Aj p. Its velocity is J [V0; qd],

    base      [ 1  -hat(P) ]
    joint k   z_k x (P - 0Pk) if it turns, z_k if it slides, for the joints on the way to link j

and its acceleration at [Vd0; qdd] = 0 is 0Aj (VPj + WPj x p + w x (w x p)): that in the world, in the axes of frame 0.

Three rows a point; together they must have full rank, or no forces are determined by them. Two points of one body keep
their distance whatever moves: they have five rows among six. The rank is found in numbers at random postures, where the
least singular value must be clearly zero or clearly not at every one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.errors import NotApplicableError, OptionError
from symoro.expr.formula import ZERO, Formula
from symoro.expr.linalg import Matrix, Vector, add, cross, identity, matvec, skew, subtract, transpose
from symoro.models.coordinates.couplings import Coordinates, coordinate_joints
from symoro.models.coordinates.joint_motion import JointMotion, coordinates
from symoro.models.geometric.loop.parallelogram import linear_loops
from symoro.models.geometric.loop.postures import closed_postures
from symoro.models.geometric.screws import last_frame, resolve
from symoro.models.kinematic.tool import with_tool
from symoro.models.recursion import (
    BaseMotion,
    Local,
    angular_velocities,
    apply_u,
    homeward,
    link_accelerations,
    local_frames,
    outward,
)
from symoro.program.builder import Builder
from symoro.program.interpret import interpret
from symoro.program.program import Program
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.robot.size import characteristic_length, joint_units

SAMPLES = 6
FULL, LOST = 1e-5, 1e-11  # least over largest singular value, lengths in units of the robot's


@dataclass(frozen=True)
class ContactPoint:
    """A point of link j, in its frame."""

    j: int
    at: tuple[Formula, Formula, Formula]

    def __str__(self) -> str:
        if all(x.is_zero for x in self.at):
            return f"frame {self.j}"
        return f"frame {self.j} at ({', '.join(x.text for x in self.at)})"


def contact_points(
    robot: Robot, contacts: Sequence[tuple[int | str, Sequence[Formula]]] | None
) -> tuple[Robot, list[ContactPoint]]:
    """The points that an option names, by default the tool or the last link's frame; the tool becomes a link.

    Raises:
        OptionError, UnknownNameError: there are no contacts, or one is in no frame that carries a link.
    """
    if contacts is None:
        contacts = [(last_frame(robot), (ZERO, ZERO, ZERO))]
    if not contacts:
        raise OptionError("contact-dynamics needs a contact", hint="contacts=[4, (8, (0, 0, -0.2))]")
    found = []
    for frame, (x, y, z) in contacts:
        which = resolve(robot, frame, 0)
        if which == "tool":
            robot, which = with_tool(robot, which)
        if which == "world" or int(which) > robot.NL:
            raise OptionError(f"'{frame}' is no frame that carries a link", hint=f"frames 0 .. {robot.NL}")
        found.append(ContactPoint(int(which), (x, y, z)))
    return robot, found


@dataclass(frozen=True)
class PlacedFrame:
    """Axes (by rows of 0Aj) and origin of a frame, in frame 0."""

    rotation: Matrix
    position: Vector


class Points:
    """Points at the posture of a program."""

    def __init__(
        self, builder: Builder, tree: Mapping[int, Local], joints: Coordinates, points: Sequence[ContactPoint]
    ) -> None:
        self.tree, self.joints, self.points = tree, joints, points
        self.places = outward(tree, PlacedFrame(identity(3), [0, 0, 0]), _placed)
        self.own: list[Vector] = [[builder.formula(x) for x in point.at] for point in points]

    def jacobian(self) -> Matrix:
        """Three rows a point, over [base; coordinates]."""
        found: Matrix = []
        for point, own in zip(self.points, self.own, strict=True):
            found += self._rows(point.j, own)
        return found

    def _rows(self, j: int, own: Vector) -> Matrix:
        place = self.places[j]
        at = add(place.position, matvec(place.rotation, own))
        columns: dict[int, Vector] = {}
        way = homeward(self.tree, j, None, lambda local, nothing: nothing) if j else {}
        for k in way:
            axis = [row[2] for row in self.places[k].rotation]
            if self.tree[k].revolute:
                columns[k] = cross(axis, subtract(at, self.places[k].position))
            elif self.tree[k].prismatic:
                columns[k] = axis
        of_base = zip(identity(3), transpose(skew(at)), strict=True)
        of_joints = transpose(self.joints.columns(columns, 3))
        return [[*one, *other, *row] for (one, other), row in zip(of_base, of_joints, strict=True)]

    def accelerations(self, base: BaseMotion, motion: JointMotion) -> Vector:
        """Those at the given accelerations, in the axes of frame 0."""
        before, w = angular_velocities(self.tree, base, motion.qd)
        wd, vd = link_accelerations(self.tree, base, before, w, motion.qd, motion.qdd)
        found: Vector = []
        for point, own in zip(self.points, self.own, strict=True):
            j = point.j
            found += matvec(self.places[j].rotation, add(vd[j], apply_u(w[j], wd[j], own)))
        return found


def _placed(local: Local, antecedent: PlacedFrame) -> PlacedFrame:
    rotation = [local.to_child(row) for row in antecedent.rotation]
    return PlacedFrame(rotation, add(antecedent.position, matvec(antecedent.rotation, local.position)))


def determined(robot: Robot, points: Sequence[ContactPoint]) -> None:
    """Refuse contacts whose forces no motion determines.

    Raises:
        NotApplicableError: with the contact that is one too many.
    """
    length = characteristic_length(robot)
    units = [*[length] * 3, 1.0, 1.0, 1.0, *joint_units(robot, coordinate_joints(robot), length)]
    rows = _sampled(robot, points) * units
    for count in range(1, len(points) + 1):
        values = np.linalg.svd(rows[:, : 3 * count], compute_uv=False)
        least = (
            values[:, 3 * count - 1] / values[:, 0] if values.shape[1] >= 3 * count else np.zeros(len(rows))
        )
        if least.min() > FULL:
            continue
        why = "together with those before it" if count > 1 else "by itself"
        if least.max() > LOST and least.max() <= FULL:
            raise NotApplicableError(
                f"whether contact {count} ({points[count - 1]}) determines its force cannot be told in numbers",
                hint="the points are nearly in line with others: leave one out, or give damping",
            )
        if least.max() > FULL:
            continue  # lost at some posture only: told when the code runs
        raise NotApplicableError(
            f"contact {count} ({points[count - 1]}) determines no force of its own, {why}: "
            f"{3 * count} equations have a lower rank in every posture",
            hint="leave it out (two points of one body, or at a distance that no joint changes, are redundant), or "
            "give damping",
        )


def _sampled(robot: Robot, points: Sequence[ContactPoint]) -> Any:
    """The Jacobian at random postures; symbols have their nominal values, or numbers at random."""
    builder = Builder("points")
    joints = coordinates(builder, robot)
    tree = local_frames(builder, robot, joints.positions)
    builder.output("J", Points(builder, tree, joints, points).jacobian())
    program = builder.program()
    chance = np.random.default_rng(1)
    values = {name: float(chance.uniform(0.3, 1.7)) for name in program.parameters} | dict(robot.nominal)
    if robot.B:
        return _at_closed_postures(robot, program, values)
    length = characteristic_length(robot, values)
    units = {"q": joint_units(robot, independent(robot), length)}
    inputs = {
        port.name: chance.uniform(-2.5, 2.5, (SAMPLES, *port.shape)) * units.get(port.name, 1.0)
        for port in program.inputs
    }
    return interpret(program, inputs, values)["J"]


def _at_closed_postures(robot: Robot, program: Program, values: Mapping[str, float]) -> Any:
    """The same where loops close; parallelograms are not crossed."""
    closed = closed_postures(linear_loops(robot).robot, SAMPLES, nominal=True)
    rows = []
    for k in range(len(closed.joints[independent(robot)[0]])):
        lengths = {name: float(x[k]) for name, x in closed.parameters.items()}
        q = np.array([closed.joints[j][k] for j in independent(robot)])
        rows.append(interpret(program, {"q": q}, {**values, **lengths})["J"])
    found = np.array([row for row in rows if np.isfinite(row).all()])
    if len(found) < SAMPLES:
        raise NotApplicableError(
            "whether the contacts determine their forces cannot be told: the loops have too few regular postures",
            hint="give damping",
        )
    return found
