"""Contact points: position, Jacobian and acceleration in the axes of frame 0, and the rank of their constraints.

A point p of link j has the position P = 0Pj + 0Aj p. Its velocity is J_tree nu_tree, with the columns

    base      [ 1  -hat(P) ]                                             if the base has coordinates
    joint k   z_k x (P - 0Pk) if it is revolute, z_k if it is prismatic, for the joints between link j and the base

and its acceleration in the world, in the axes of frame 0, is 0Aj (VPj + WPj x p + w x (w x p)).

The rows of all points, three per point, must have full rank in general; otherwise the contact forces are never unique.
For example two points of one body have rank five, because their distance is constant. The rank is computed at random
configurations; the smallest singular value must be clearly zero or clearly nonzero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.errors import NotApplicableError, OptionError
from symoro.expr.formula import ZERO, Formula
from symoro.expr.linalg import Matrix, Vector, add, cross, identity, matvec, skew, subtract
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.blocks import BASE, Block, Coordinate, Values, joint, of_block
from symoro.models.coordinates.layout import Layout, constraint_provider
from symoro.models.coordinates.provider import ConstraintProvider
from symoro.models.dynamic.tree_dynamics import TreeDynamics
from symoro.models.geometric.loop.parallelogram import linear_loops
from symoro.models.geometric.loop.postures import closed_postures
from symoro.models.geometric.screws import last_frame, resolve
from symoro.models.kinematic.tool import with_tool
from symoro.models.recursion import (
    JointFrame,
    angular_velocities,
    apply_u,
    joint_frames,
    link_accelerations,
    outward,
    toward_base,
)
from symoro.models.tolerances import CONTACT_ROWS
from symoro.program.builder import Builder
from symoro.program.interpret import interpret
from symoro.program.program import Program
from symoro.robot.centre import point_in_other_frame
from symoro.robot.coordinates import independent
from symoro.robot.description import Base, Robot
from symoro.robot.size import characteristic_length, joint_units

SAMPLES = 6


@dataclass(frozen=True)
class ContactPoint:
    """Point of link j; `at` contains its coordinates in the frame of the link."""

    j: int
    at: tuple[Formula, Formula, Formula]

    def __str__(self) -> str:
        if all(x.is_zero for x in self.at):
            return f"frame {self.j}"
        return f"frame {self.j} at ({', '.join(x.text for x in self.at)})"


def contact_points(
    robot: Robot, contacts: Sequence[tuple[int | str, Sequence[Formula]]] | None
) -> tuple[Robot, list[ContactPoint]]:
    """Return the contact points of the option `contacts`, and the robot; a tool with a contact becomes a link.

    Args:
        contacts: frames, each with the coordinates of a point; None selects the tool, or the frame of the last link.

    Raises:
        OptionError, UnknownNameError: there are no contacts, or the frame of a contact does not exist or is not fixed
            to a link.
    """
    if contacts is None:
        contacts = [(last_frame(robot), (ZERO, ZERO, ZERO))]
    if not contacts:
        raise OptionError(
            "contact-dynamics requires at least one contact point",
            hint="for example contacts=[4, (8, (0, 0, -0.2))] for the origin of frame 4 and a point of frame 8",
        )
    points = []
    for frame, (x, y, z) in contacts:
        link = robot.link_frame(frame)
        if link is not None:  # the point is given in the axes of the file
            points.append(
                ContactPoint(link.frame, point_in_other_frame((x, y, z), link.rotation, link.position))
            )
            continue
        which = resolve(robot, frame, 0)
        if which == "tool":
            robot, which = with_tool(robot, which)
        if which == "world" or int(which) > robot.NL:
            raise OptionError(f"'{frame}' is not the frame of a link", hint=f"frames 0 .. {robot.NL}")
        points.append(ContactPoint(int(which), (x, y, z)))
    return robot, points


@dataclass(frozen=True)
class PlacedFrame:
    """Rotation matrix 0Aj and origin of frame j, in frame 0."""

    rotation: Matrix
    position: Vector


@dataclass(frozen=True)
class PlacedPoints:
    """Contact points of a robot, with the poses of all links as expressions of the joint positions q.

    Attributes:
        tree: the frames of all links.
        links, positions: the link of each point, and the point's coordinates in the frame of that link.
        places: the pose of each link frame in frame 0, by link number.
    """

    tree: Mapping[int, JointFrame]
    links: Sequence[int]
    positions: Sequence[Vector]
    places: Mapping[int, PlacedFrame]

    def jacobian(self, provider: ConstraintProvider) -> list[dict[Coordinate, Scalar]]:
        """Return the Jacobian of the points' velocities (axes of frame 0) over the independent coordinates.

        It is J_tree G, where J_tree is the Jacobian over the coordinates of the tree. It has three rows per point; each
        row contains its entries by independent coordinate.

        Args:
            provider: the constraints that give the matrix G of the independent coordinates.
        """
        rows: list[dict[Coordinate, Scalar]] = []
        for j, position in zip(self.links, self.positions, strict=True):
            columns = provider.columns(self._columns(j, position, free_base=BASE[0] in provider.tree), 3)
            rows += [{c: column[r] for c, column in columns.items()} for r in range(3)]
        return rows

    def _columns(self, j: int, position: Vector, *, free_base: bool) -> dict[Coordinate, Vector]:
        """Return the columns of the Jacobian of a point of link j, by coordinate of the tree.

        Joints that do not move the point have no column.

        Args:
            position: coordinates of the point in the frame of link j.
            free_base: whether the base has coordinates.
        """
        place = self.places[j]
        at = add(place.position, matvec(place.rotation, position))
        columns: dict[Coordinate, Vector] = {}
        if free_base:
            columns |= zip(BASE, [*identity(3), *skew(at)], strict=True)  # -hat(P) by its columns
        path = toward_base(self.tree, j, None, lambda frame, nothing: nothing) if j else {}
        for k in path:
            axis = [row[2] for row in self.places[k].rotation]
            if self.tree[k].revolute:
                columns[joint(k)] = cross(axis, subtract(at, self.places[k].position))
            elif self.tree[k].prismatic:
                columns[joint(k)] = axis
        return columns

    def accelerations(self, dynamics: TreeDynamics, rates: Values, accelerations: Values) -> Vector:
        """Return the accelerations of the points in the axes of frame 0, three entries per point.

        Args:
            rates, accelerations: velocities and accelerations of the tree's coordinates.
            dynamics: dynamics of the tree, which computes the accelerations of the links.
        """
        base = dynamics.root(rates, accelerations)
        qd, qdd = ({j: values[joint(j)] for j in dynamics.joints} for values in (rates, accelerations))
        before, w = angular_velocities(self.tree, base, qd)
        wd, vd = link_accelerations(self.tree, base, before, w, qd, qdd)
        result: Vector = []
        for j, position in zip(self.links, self.positions, strict=True):
            result += matvec(self.places[j].rotation, add(vd[j], apply_u(w[j], wd[j], position)))
        return result


def placed_points(
    builder: Builder, tree: Mapping[int, JointFrame], points: Sequence[ContactPoint]
) -> PlacedPoints:
    """Compute the poses of the frames and declare the coordinates of the points in their frames."""

    def step(frame: JointFrame, antecedent: PlacedFrame) -> PlacedFrame:
        rotation = [frame.to_child(row) for row in antecedent.rotation]
        return PlacedFrame(rotation, add(antecedent.position, matvec(antecedent.rotation, frame.position)))

    places = outward(tree, PlacedFrame(identity(3), [0, 0, 0]), step)
    positions: list[Vector] = [[builder.formula(x) for x in point.at] for point in points]
    return PlacedPoints(tree, [point.j for point in points], positions, places)


# -- which contacts determine forces


def require_full_rank(robot: Robot, points: Sequence[ContactPoint]) -> None:
    """Reject contact points whose forces are not unique.

    Raises:
        NotApplicableError: the message contains the first contact that is redundant.
    """
    rows = _sampled_rows(robot, points)
    for count in range(1, len(points) + 1):
        values = np.linalg.svd(rows[:, : 3 * count], compute_uv=False)
        least = np.zeros(len(rows))
        if values.shape[1] >= 3 * count:
            np.divide(values[:, 3 * count - 1], values[:, 0], out=least, where=values[:, 0] > 0)
        if least.max() > CONTACT_ROWS.present:
            continue  # where the rank drops in some configurations only, the forces are those of least norm
        if least.max() > CONTACT_ROWS.absent:
            raise NotApplicableError(
                f"it cannot be decided whether the equations of contact {count} ({points[count - 1]}) "
                "are independent: they are nearly dependent",
                hint="omit the contact, or give the option 'damping'",
            )
        why = "together with the previous contacts" if count > 1 else "alone"
        raise NotApplicableError(
            f"the force of contact {count} ({points[count - 1]}) is not determined: {why} it has {3 * count} "
            "equations, which are dependent in every configuration",
            hint="omit it, or give the option 'damping'. Contacts are redundant if two points belong to one body, "
            "if no joint changes the distance of two points, or if the joints cannot move a point in three directions",
        )


def _sampled_rows(robot: Robot, points: Sequence[ContactPoint]) -> Any:
    """Return the contact Jacobian at random configurations; lengths are divided by the robot's size.

    Symbols have their nominal values; symbols without a nominal value have random values.

    Returns:
        Array of shape (configurations, 3 points, coordinates).
    """
    builder = Builder("points")
    provider = constraint_provider(builder, Layout(robot))
    placed = placed_points(builder, joint_frames(builder, robot, provider.positions), points)
    builder.output("J", [[row[c] for c in provider.own] for row in placed.jacobian(provider)])
    program = builder.program()
    length = characteristic_length(robot)
    joints = [c.j for c in of_block(provider.own, Block.JOINT)]
    base = [length, length, length, 1.0, 1.0, 1.0] if BASE[0] in provider.own else []
    units = [*base, *joint_units(robot, joints, length)]
    chance = np.random.default_rng(1)
    values = {name: float(chance.uniform(0.3, 1.7)) for name in program.parameters} | dict(robot.nominal)
    if robot.B:
        return _at_closed_configurations(robot, program, values) * units
    size = joint_units(robot, independent(robot), characteristic_length(robot, values))
    q = chance.uniform(-2.5, 2.5, (SAMPLES, len(size))) * size
    return _regular(interpret(program, {"q": q}, values)["J"]) * units


def _at_closed_configurations(robot: Robot, program: Program, values: Mapping[str, float]) -> Any:
    """Return the contact Jacobian at configurations with closed loops, in which no parallelogram is crossed.

    Args:
        program: computes the Jacobian from the joint positions q.
        values: numbers of the program's parameters.
    """
    on_ground = robot.replace(wheels=(), base=Base()) if robot.wheels else robot
    closed = closed_postures(linear_loops(on_ground).robot, SAMPLES, nominal=True)
    rows = []
    for k in range(len(closed.joints[independent(robot)[0]])):
        lengths = {name: float(x[k]) for name, x in closed.parameters.items()}
        q = np.array([closed.joints[j][k] for j in independent(robot)])
        rows.append(interpret(program, {"q": q}, {**values, **lengths})["J"])
    return _regular(np.array(rows))


def _regular(rows: Any) -> Any:
    """Return the samples of the contact Jacobian whose entries are all finite.

    Samples with NaN are singular configurations, in which the loops or wheels do not determine the motion.

    Args:
        rows: Jacobians of shape (samples, rows, coordinates).

    Raises:
        NotApplicableError: there are too few finite samples.
    """
    regular = rows[np.isfinite(rows).all(axis=(1, 2))]
    if len(regular) < SAMPLES:
        raise NotApplicableError(
            "the rank of the contact equations cannot be determined: the loops or wheels have too "
            "few regular configurations",
            hint="give the option 'damping'",
        )
    return regular
