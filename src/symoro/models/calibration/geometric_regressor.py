"""Model `geometric-identification`: measurement errors as linear function of the geometric errors.

    dX = W(q) dxi,      column of a rotation about the axis a through p:            [ a x (pe - p) ]
                                                                                    [      a       ]
                        column of a translation along a:                            [ a ;  0 ]

All vectors are in the axes of the world; pe is the position of the end effector, and the parameters xi are those of
`columns`. If poses are measured, W has these six rows. If positions are measured, W has the first three rows. If the
distance to a point C is measured, W has one row, the component of these three rows along (pe - C) / |pe - C|. For
contacts with a plane, W has one row, their component along the normal N of the plane.

W. Khalil, M. Gautier, Ch. Enguehard, "Identifiable parameters and optimum configurations for robots calibration",
Robotica 9, 1991.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symoro.expr.linalg import Vector, add, cross, dot, matvec, scale, subtract, transpose
from symoro.expr.scalar import Scalar, sqrt
from symoro.models.calibration.columns import (
    BASE,
    DISPLACEMENT,
    END,
    MEASURES,
    GeometricColumn,
    MeasuredPath,
    checked_measure,
    columns,
    no_calibration,
    path_to,
)
from symoro.models.catalogue import Option, model
from symoro.models.coordinates.couplings import joint_positions
from symoro.models.geometric.scene import FramePose
from symoro.models.joints import Trigonometry, joint_transform
from symoro.models.ports import Q
from symoro.models.recursion import JointFrame, joint_frame, outward, tree_links, turn_z
from symoro.models.references import CALIBRATION_1991
from symoro.program.builder import Builder
from symoro.program.pipeline import optimise
from symoro.program.program import Port, Program
from symoro.robot.description import JointType, Robot

W = Port(
    "W",
    "m,P",
    "regressor W of dX = W dxi, one named column per parameter; m = 6 (pose), 3 (position) or 1 "
    "(distance, plane)",
)
C = Port("C", "3", "reference point of the distances, in the world (measure='distance')")
N = Port("N", "3", "unit normal of the plane, in the world (measure='plane')")
OPTIONS = (
    Option("to", "measured frame; by default the tool or the last link's frame", "frame", None),
    Option("measure", "measured quantity of this frame", "choice", "pose", MEASURES),
    Option(
        "parameters",
        "all: all geometric parameters; identifiable: only the identifiable ones",
        "choice",
        "all",
        ("all", "identifiable"),
    ),
    Option("known_base", "keep frame 0 at its nominal pose", "flag", False),
    Option("known_tool", "keep the tool frame at its nominal pose", "flag", False),
    Option("gains", "include gain errors of the joint sensors", "flag", False),
)


@dataclass(frozen=True)
class AxisMotion:
    """Infinitesimal motion of the end effector that a geometric parameter causes.

    Attributes:
        axis: unit vector of the rotation or translation axis, in world axes.
        through: point on the rotation axis, in the world; None for a translation.
        factor: factor of the motion (the joint position for a gain error, else 1).
    """

    axis: Vector
    through: Vector | None
    factor: Scalar = 1


@model(
    "geometric-identification",
    menu="Identification",
    title="calibration model: errors of the end effector as a linear function of the geometric errors",
    inputs=(Q, C, N),
    outputs=(W,),
    options=OPTIONS,
    reference=CALIBRATION_1991.at("identifiable parameters"),
    aliases=("calibration", "gim", "geometric-regressor", "calibration-jacobian"),
    applies=no_calibration,
    applies_to="serial and tree robots on a fixed base",
    equations=r"\Delta X = W(q)\,\Delta\xi",
)
def geometric_identification(
    robot: Robot,
    to: int | str | None = None,
    measure: str = "pose",
    parameters: str = "all",
    known_base: bool = False,
    known_tool: bool = False,
    gains: bool = False,
) -> Program:
    """Return a program that computes the calibration regressor W: measurement errors = W times geometric errors.

    The arguments are the options of the model `geometric-identification`.
    """
    checked_measure(measure)
    path = path_to(robot, to)
    chosen = columns(path, known_base=known_base, known_tool=known_tool, gains=gains)
    if parameters == "identifiable":
        from symoro.models.calibration.identifiable import (
            geometric_parameters,
        )  # imported here because it needs NumPy

        identifiable = geometric_parameters(
            robot, to=to, measure=measure, known_base=known_base, known_tool=known_tool, gains=gains
        )
        chosen = [column for column in chosen if column.name in identifiable.names]
    return regressor_program(path, measure, chosen)


def regressor_program(path: MeasuredPath, measure: str, chosen: Sequence[GeometricColumn]) -> Program:
    """Return a program that computes the calibration regressor W: measurement errors = W times geometric errors.

    Args:
        path: path to the measured frame.
        measure: measured quantity, 'pose', 'position', 'distance' or 'plane'.
        chosen: geometric parameters, one per column of W.
    """
    robot = path.robot
    builder = Builder(f"{robot.name}_geometric_identification")
    q = joint_positions(builder, robot)
    trig = Trigonometry(builder, robot)
    tree = {
        j: joint_frame(j, node.i, node.sigma, joint_transform(builder, robot, j, q), trig)
        for j, node in tree_links(robot, path.frames).items()
    }
    z = [builder.formula(f) for f in robot.base.Z]
    start = FramePose([[*z[4 * r : 4 * r + 3]] for r in range(3)], [z[4 * r + 3] for r in range(3)])
    placed = outward(tree, start, lambda frame, before: before.then(frame))
    for j, place in placed.items():
        for k in range(3):
            builder.named(f"P{j}_{k + 1}", place.position[k], f"frame {j} in the world")
    end = placed[path.end]
    motions = [_motion(column, tree, placed, end, q) for column in chosen]
    rows = _rows(builder, measure, motions, end.position)
    builder.output(W, transpose(rows))
    return replace(optimise(builder.program()), columns=tuple(column.name for column in chosen))


def _motion(
    column: GeometricColumn,
    tree: Mapping[int, JointFrame],
    placed: Mapping[int, FramePose],
    end: FramePose,
    q: Mapping[int, Scalar],
) -> AxisMotion:
    if column.frame in (BASE, END):
        place, k = (placed[0] if column.frame == BASE else end), DISPLACEMENT.index(column.kind)
        axis = [row[k % 3] for row in place.rotation]
        return AxisMotion(axis, place.position if k > 2 else None)
    j = int(column.frame)
    frame, own = tree[j], placed[j]
    before = placed[frame.i]
    up = [row[2] for row in before.rotation]
    if column.kind in ("theta", "r", "k"):
        turns = column.kind == "theta" or (column.kind == "k" and frame.sigma == JointType.REVOLUTE)
        axis = [row[2] for row in own.rotation]
        return AxisMotion(axis, own.position if turns else None, q[j] if column.kind == "k" else 1)
    if column.kind in ("gamma", "b"):
        return AxisMotion(up, before.position if column.kind == "gamma" else None)
    flat = turn_z(frame.gamma, [0, 1, 0] if column.kind == "beta" else [1, 0, 0])
    axis = matvec(before.rotation, flat)
    through = add(before.position, scale(frame.transform.b, up))
    return AxisMotion(axis, None if column.kind == "d" else through)


def _rows(builder: Builder, measure: str, motions: Sequence[AxisMotion], end: Vector) -> list[Vector]:
    """Return the columns of the calibration regressor W, one list of entries per parameter.

    Args:
        measure: measured quantity, 'pose', 'position', 'distance' or 'plane'.
        motions: motion of the end effector per parameter.
        end: position of the end effector in the world.
    """
    linear = [
        scale(m.factor, m.axis if m.through is None else cross(m.axis, subtract(end, m.through)))
        for m in motions
    ]
    if measure == "position":
        return linear
    if measure == "pose":
        angular = [[0, 0, 0] if m.through is None else scale(m.factor, m.axis) for m in motions]
        return [[*v, *w] for v, w in zip(linear, angular, strict=True)]
    if measure == "plane":
        direction: Vector = list(builder.input(N, (3,), ["NX", "NY", "NZ"]))
    else:
        away = subtract(end, list(builder.input(C, (3,), ["CX", "CY", "CZ"])))
        direction = scale(1 / sqrt(builder.number(dot(away, away))), away)
    return [[dot(direction, v)] for v in linear]
