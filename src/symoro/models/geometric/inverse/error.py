"""What is left between a frame and a pose, and how the joints change it: what numeric inverse geometry iterates on.

    T(q) = [s n a P]                    the frame as it stands, U0 the pose that is given
    position entries:   e = U0 - P                        J = rows of Jv
    whole rotation:     e = angle * axis of U0 R'         J = Jw
    other entries of a rotation's column c:   e = U0 - c  J = rows of Jw x c

so that T(q + dq) is nearer to the pose when J dq = e. With the angle and the axis as error J is the derivative at the
solution only, but J'e is the gradient of e'e / 2 everywhere.

Columns of J, of a joint between frame i (where the pose is given) and the end n, with its axis and a point on it in
frame i:  (z x (Pn - Pk); z) for a revolute joint, (z; 0) for a prismatic one; a joint on the way up from frame i has
the opposite sign.
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
    """The program with inputs q and T, and what it is about.

    Attributes:
        program: outputs error (m), J (m, n) and `placed`, the entries of T(q) that are given, by rows.
        entries: those entries, (row, column) counted from 0.
        lengths: of each row of e whether it is a length; else it is an angle or a cosine.
        moving: of each joint whether it moves what is given.
    """

    program: Program
    entries: tuple[tuple[int, int], ...]
    lengths: tuple[bool, ...]
    moving: tuple[bool, ...]


def pose_error(
    robot: Robot, frm: int | str = 0, to: int | str | None = None, pose: str = "full"
) -> PoseError:
    """The error of a frame's pose, and its Jacobian.

    Raises:
        NotApplicableError: the robot has loops, or no joint moves what is given.
    """
    if robot.B:
        raise NotApplicableError(
            f"robot '{robot.name}' has closed loops, which numeric inverse geometry does not close",
            hint="cut the loops and solve the tree; loop-geometry closes loops",
        )
    given = given_entries(pose)
    start, end = resolve(robot, frm, 0), resolve(robot, to, last_frame(robot))
    tree, start, end = _as_links(robot, start, end)
    builder = Builder(f"{robot.name}_pose_error")
    trig = Trigonometry(builder, tree)
    joints = coordinates(builder, tree)
    names = [entry_name(r, c) for r in range(4) for c in range(4)]
    target = builder.input(POSE, (4, 4), names, f"placement of frame {to} in frame {frm}")
    goal: Matrix = [[*target[4 * r : 4 * r + 4]] for r in range(3)]
    here = placement_between(builder, tree, start, end, joints.positions, trig)
    columns = _columns(builder, tree, start, end, joints, trig)
    rows = _rows(goal, here, columns, given)
    entries = tuple((r, c) for r in range(3) for c in range(4) if given[r][c])
    builder.output("error", [row.error for row in rows], "pose less placement")
    builder.output("J", [row.slopes for row in rows], "derivative of the placement")
    builder.output("placed", [here[r][c] for r, c in entries], "entries of the placement that are given")
    program = optimise(builder.program())
    moving = tuple(any(not is_zero(row.slopes[j]) for row in rows) for j in range(len(columns)))
    if not any(moving):
        raise NotApplicableError(
            f"no joint of robot '{robot.name}' moves what is given of frame {end} in frame {start}"
        )
    return PoseError(program, entries, tuple(row.length for row in rows), moving)


def _as_links(robot: Robot, start: int | str, end: int | str) -> tuple[Robot, int | str, int]:
    """The robot with its tool as one more link, where it is asked for; the start may be the world."""
    tree, number = with_tool(robot.tree(), "tool" if "tool" in (start, end) else end)
    return tree, number if start == "tool" else start, number if end == "tool" else int(end)


def _columns(
    builder: Builder, robot: Robot, start: int | str, end: int, joints: Coordinates, trig: Trigonometry
) -> list[Vector]:
    """(linear; angular) for each independent joint, in the axes of frame `start`."""
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
    turn: Matrix = [[builder.formula(robot.base.Z[4 * r + c]) for c in range(3)] for r in range(3)]
    return [matvec(turn, column[:3]) + matvec(turn, column[3:]) for column in twists]


@dataclass(frozen=True)
class _Row:
    error: Scalar
    slopes: Vector
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
    """Angle times axis of the turn that is left, U0 R', from twice its sine and cosine:

    2 sine * axis = s x s0 + n x n0 + a x a0,   2 cosine = s . s0 + n . n0 + a . a0 - 1
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
