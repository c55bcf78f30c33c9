"""Pose error of a frame and its Jacobian, for the iterations of numeric inverse geometry.

The current pose of the frame is T(q) = [s n a P] with the rotation R = [s n a]; U0 is the given pose. The error e and
its Jacobian J depend on which entries of the pose are given:

    entries of the position P            e = entries of U0 - entries of P       J = rows of Jv
    the whole rotation                   e = angle times axis of U0 R'          J = Jw
    some entries of a rotation column c  e = entries of U0 - entries of c       J = rows of Jw x c

Jv and Jw are the linear and angular rows of the frame's Jacobian. T(q + dq) is closer to the given pose if J dq = e. If
the error is angle times axis, J is its derivative only at the solution, but J'e is the gradient of e'e / 2 everywhere.

Consider a joint between frame i (in which the pose is given) and the end frame n, with axis z and a point Pk on the
axis, both in frame i. Its column of J is (z x (Pn - Pk); z) for a revolute joint and (z; 0) for a prismatic one. A
joint on the path from frame i towards the base has the opposite sign.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, Vector, add, cross, matvec, negate, scale, subtract, transpose
from symoro.expr.scalar import Scalar, atan2, less, select, sqrt
from symoro.models.coordinates.couplings import Coordinates
from symoro.models.coordinates.joint_motion import coordinates
from symoro.models.geometric.inverse.chain.pose import Given, entry_name, given_entries
from symoro.models.geometric.relative_placement import axes_from, placement_between
from symoro.models.geometric.screws import last_frame, resolve
from symoro.models.joints import Trigonometry, is_zero
from symoro.models.kinematic.tool import with_tool
from symoro.models.ports import POSE
from symoro.models.tolerances import SMALL_ANGLE
from symoro.program.builder import Builder
from symoro.program.pipeline import optimise
from symoro.program.program import Program
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import path

POSITION = 3


@dataclass(frozen=True)
class PoseError:
    """Program that computes the pose error and its Jacobian from the joint positions q and the given pose T.

    Attributes:
        program: outputs `error` (m), `J` (m, n) and `placed`, the given entries of the current pose T(q), row by row;
            m is the number of error entries and n the number of joints.
        entries: the given entries as (row, column), counted from 0.
        lengths: for each of the m errors, whether it is a length; if not, it is an angle or a cosine.
        moving: for each of the n joints, whether it changes a given entry.
    """

    program: Program
    entries: tuple[tuple[int, int], ...]
    lengths: tuple[bool, ...]
    moving: tuple[bool, ...]


def pose_error(
    robot: Robot, frm: int | str = 0, to: int | str | None = None, pose: str = "full"
) -> PoseError:
    """Derive the program that computes the pose error of a frame and the Jacobian of this error.

    Args:
        frm: frame in which the pose is given.
        to: end frame; by default the tool, the platform or the last link's frame.
        pose: given entries of the pose: full, position, axis, planar or a list.

    Raises:
        NotApplicableError: the robot has loops, or no joint changes a given entry.
    """
    if robot.B:
        raise NotApplicableError(
            f"robot '{robot.name}' has closed loops; numeric inverse geometry applies to trees only",
            hint="cut the loops and solve the tree; the model loop-geometry closes the loops afterwards",
        )
    given = given_entries(pose)
    start, end = resolve(robot, frm, 0), resolve(robot, to, last_frame(robot))
    tree, start, end = _as_links(robot, start, end)
    builder = Builder(f"{robot.name}_pose_error")
    trig = Trigonometry(builder, tree)
    joints = coordinates(builder, tree)
    names = [entry_name(r, c) for r in range(4) for c in range(4)]
    target = builder.input(POSE, (4, 4), names, f"pose of frame {to} in frame {frm}")
    goal: Matrix = [[*target[4 * r : 4 * r + 4]] for r in range(3)]
    here = placement_between(builder, tree, start, end, joints.positions, trig)
    columns = _columns(builder, tree, start, end, joints, trig)
    rows = _rows(goal, here, columns, given)
    entries = tuple((r, c) for r in range(3) for c in range(4) if given[r][c])
    builder.output("error", [row.error for row in rows], "given pose minus current pose")
    builder.output("J", [row.derivatives for row in rows], "derivative of the current pose with respect to q")
    builder.output("placed", [here[r][c] for r, c in entries], "entries of the current pose that are given")
    program = optimise(builder.program())
    moving = tuple(any(not is_zero(row.derivatives[j]) for row in rows) for j in range(len(columns)))
    if not any(moving):
        raise NotApplicableError(
            f"no joint of robot '{robot.name}' changes the given entries of the pose of frame {end} in frame {start}"
        )
    return PoseError(program, entries, tuple(row.length for row in rows), moving)


def _as_links(robot: Robot, start: int | str, end: int | str) -> tuple[Robot, int | str, int]:
    """Replace the tool frame, if `start` or `end` names it, by an additional link of the robot's tree.

    Returns:
        The robot, and the frame numbers of `start` and `end`; `start` may also be 'world'.
    """
    tree, number = with_tool(robot.tree(), "tool" if "tool" in (start, end) else end)
    return tree, number if start == "tool" else start, number if end == "tool" else int(end)


def _columns(
    builder: Builder, robot: Robot, start: int | str, end: int, joints: Coordinates, trig: Trigonometry
) -> list[Vector]:
    """Return the Jacobian columns (linear; angular) of the independent joints, in the axes of `start`.

    The Jacobian is that of frame `end` relative to frame `start`.
    """
    origin = 0 if start == "world" else int(start)
    axes = axes_from(builder, robot, origin, end, joints.positions, trig)
    columns: dict[int, Vector] = {}
    tip = axes[end][1]
    up, down = path(robot, origin, end)
    for k in (*up, *down):
        axis, point = axes[k]
        if k in up:
            axis = negate(axis)
        if robot.frame(k).sigma == JointType.REVOLUTE:
            columns[k] = [*cross(axis, subtract(tip, point)), *axis]
        elif robot.frame(k).sigma == JointType.PRISMATIC:
            columns[k] = [*axis, 0, 0, 0]
    twists = joints.columns(columns, 6)
    if start != "world":
        return twists
    world_rotation: Matrix = [[builder.formula(robot.base.Z[4 * r + c]) for c in range(3)] for r in range(3)]
    return [matvec(world_rotation, column[:3]) + matvec(world_rotation, column[3:]) for column in twists]


@dataclass(frozen=True)
class _Row:
    error: Scalar
    derivatives: Vector
    length: bool = False


def _rows(goal: Matrix, here: Matrix, columns: list[Vector], given: Given) -> list[_Row]:
    rows = [
        _Row(goal[r][POSITION] - here[r][POSITION], [column[r] for column in columns], length=True)
        for r in range(3)
        if given[r][POSITION]
    ]
    if all(all(row[:3]) for row in given):
        turn = _rotation_error(goal, here)
        return rows + [_Row(turn[r], [column[3 + r] for column in columns]) for r in range(3)]
    for c in range(3):
        if any(row[c] for row in given):
            moved = [cross(column[3:], [here[r][c] for r in range(3)]) for column in columns]
            rows += [
                _Row(goal[r][c] - here[r][c], [move[r] for move in moved]) for r in range(3) if given[r][c]
            ]
    return rows


def _rotation_error(goal: Matrix, here: Matrix) -> Vector:
    """Return the rotation vector (angle times axis) of the rotation from the current to the given orientation.

        2 sine * axis = s x s0 + n x n0 + a x a0,   2 cosine = s . s0 + n . n0 + a . a0 - 1

    Args:
        goal: given pose, with the orientation [s0 n0 a0].
        here: current pose, with the orientation [s n a].
    """
    double: Vector = [0, 0, 0]
    trace: Scalar = -1
    for now, then in zip(transpose(here)[:3], transpose(goal)[:3], strict=True):
        double = add(double, cross(now[:3], then))
        for x, y in zip(now[:3], then, strict=True):
            trace = trace + x * y
    sine = sqrt(double[0] * double[0] + double[1] * double[1] + double[2] * double[2])
    straight = less(sine, SMALL_ANGLE)
    factor = select(straight, 0.5, atan2(sine, trace) / select(straight, 1, sine))
    return scale(factor, double)
