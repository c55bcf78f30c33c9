"""Model `inverse-geometry` of a parallel robot: positions of the joints of its legs from the pose of the platform.

Each leg has a closed-form solution. A leg with two working modes doubles the number of solutions. A universal or
spherical joint may have two solutions with equal motor positions. These do not count as working modes: the first one is
returned, and the option `working_mode` selects the other one.

J.-P. Merlet, Parallel robots, Springer, 2006, chapter 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from symoro.errors import SymoroError
from symoro.expr.linalg import Matrix, homogeneous, identity, matmul
from symoro.expr.scalar import Expr, Scalar, absolute, cos, maximum, select, sin
from symoro.models.catalogue import Option, form
from symoro.models.geometric.fixed_placements import before_turn, between
from symoro.models.geometric.inverse.finite import closes, largest, magnitude, relative, where_finite
from symoro.models.platform.dynamics import platform_coordinates
from symoro.models.platform.leg import APPLIES_TO, joints_of, legs_of, seat_of
from symoro.models.platform.pose import (
    PLATFORM_POSE,
    SPACE,
    TO,
    WORKING_MODE,
    PlatformPose,
    in_platform_space,
    pose_input,
    working_modes,
)
from symoro.models.platform.ups import ups_legs
from symoro.models.ports import FREE, RESIDUAL, SOLUTIONS, STATUS
from symoro.models.references import NEWTON_EULER_2010
from symoro.models.tolerances import SMALLEST_SIZE
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot.description import JointType, Robot
from symoro.robot.platform import ParallelRobot, parallel_robot
from symoro.robot.topology import chain, moving_joints

TOLERANCE = Option("tolerance", "largest residual of a valid solution", "number", 1e-9)
ALL_MODES = replace(WORKING_MODE, title=WORKING_MODE.title + "; by default all working modes", default=None)
VALID, OUT_OF_REACH, SINGULAR = 0, 1, 2


def is_platform(robot: Robot, options: Mapping[str, Any]) -> bool:
    """Return whether the model `inverse-geometry` of a robot is that of a platform with legs in closed form.

    Args:
        options: options of the model, by name.
    """
    if in_platform_space(robot, options):
        return True
    if not robot.B or set(options) - {"to", "working_mode", "tolerance"}:
        return False
    if options.get("to") is None and robot.platform is None:
        return False
    try:
        parallel, builder = parallel_robot(robot, options.get("to")), Builder(robot.name)
        return ups_legs(builder, parallel) is not None or bool(legs_of(builder, parallel))
    except SymoroError:
        return False


@form(
    "inverse-geometry",
    of="a platform with legs",
    takes=is_platform,
    title="inverse geometric model, one solution per combination of working modes",
    inputs=(PLATFORM_POSE,),
    outputs=(SOLUTIONS, STATUS, RESIDUAL, FREE),
    options=(SPACE, TO, ALL_MODES, TOLERANCE),
    reference=NEWTON_EULER_2010.at("section 5"),
    equations=r"L_i u_i = P + R\,b_i - A_i",
    applies=lambda robot: None,
    applies_to=APPLIES_TO,
    example="gough_stewart",
)
def platform_inverse_geometry(
    robot: Robot,
    space: str | None = None,
    to: int | str | None = None,
    working_mode: str | None = None,
    tolerance: float = 1e-9,
) -> Program:
    """Derive the joint positions of all legs from the platform pose, one row per combination of working modes.

    Args:
        space: 'platform' or None; not used here.
        to: frame whose pose is given; by default the platform.
        working_mode: working mode of the legs, 1 or 2: one digit for all legs, or one per leg, for example '112'; by
            default all combinations.
        tolerance: largest residual of a valid solution.
    """
    parallel = parallel_robot(robot, to)
    builder = Builder(f"{robot.name}_inverse_geometry")
    pose = pose_input(builder)
    modes = (
        [working_modes(working_mode, len(parallel.legs))]
        if working_mode
        else working_mode_rows(builder, parallel)
    )
    joints = moving_joints(robot)
    rows, statuses, residuals = [], [], []
    for of_legs in modes:
        positions, status, residual = _row(builder, parallel, pose, of_legs, tolerance)
        rows.append([positions[j] for j in joints])
        statuses.append(builder.number(status))
        residuals.append(residual)
    given = magnitude(builder, [x for row in pose.rotation for x in row] + pose.position)
    builder.output(SOLUTIONS, rows)
    builder.output(STATUS, where_finite(builder, given, rows, statuses, OUT_OF_REACH))
    builder.output(RESIDUAL, where_finite(builder, given, rows, residuals, None))
    builder.output(FREE, [[0] * len(joints) for _ in rows])
    return builder.program()


def working_mode_rows(builder: Builder, parallel: ParallelRobot) -> list[list[int]]:
    """Return all combinations of the working modes (1 or 2) of the legs, one list per combination.

    For a leg whose two modes have equal motor positions, only mode 1 is included.
    """
    if ups_legs(builder, parallel) is not None:
        return [[1] * len(parallel.legs)]
    choices = ((1,) if leg.has_passive_mode else (1, 2) for leg in legs_of(builder, parallel))
    return [list(modes) for modes in product(*choices)]


def _row(
    builder: Builder, parallel: ParallelRobot, pose: PlatformPose, modes: Sequence[int], tolerance: float
) -> tuple[dict[int, Scalar], Scalar, Scalar]:
    """Compute the joint positions for one combination of working modes.

    Args:
        modes: working mode of each leg, 1 or 2.
        tolerance: largest residual of a valid solution.

    Returns:
        The joint positions by joint number, the status, and the largest difference between the direct geometry of the
        legs and the platform pose.
    """
    positions, conditions = platform_coordinates(builder, parallel, pose, modes).joint_positions()
    numbers = [x for leg in range(len(modes)) for x in _residuals(builder, parallel, pose, leg, positions)]
    status: Scalar = select(closes(builder, numbers, tolerance), VALID, OUT_OF_REACH)
    otherwise = SINGULAR if ups_legs(builder, parallel) is not None else OUT_OF_REACH
    for condition in conditions:
        status = select(condition, status, otherwise)
    return positions, status, largest(numbers)


def _residuals(
    builder: Builder, parallel: ParallelRobot, pose: PlatformPose, number: int, q: Mapping[int, Scalar]
) -> list[Expr]:
    """Return the differences between the direct geometry of a leg and the pose of the leg's end.

    These are the differences of the nine rotation entries, followed by the sum of the absolute position differences
    divided by a size. The size is the sum of the leg's constant lengths and of the magnitudes of the given position.

    Args:
        pose: pose of the platform, which determines the pose of the leg's end.
        number: index of the leg.
        q: joint positions, by joint number.
    """
    leg, robot = parallel.legs[number], parallel.robot
    last, seat = joints_of(parallel, leg)[-1], seat_of(parallel, leg)
    reached: Matrix = identity(4)
    for j in chain(robot, last):
        reached = matmul(reached, _moved(builder, robot, j, q))
    target = matmul(
        homogeneous(pose.rotation, pose.position),
        between(builder, robot, parallel.platform, seat, parallel.body),
    )
    frames = [robot.frame(j) for j in chain(robot, last)]
    lengths = [builder.formula(x) for frame in frames for x in (frame.b, frame.d, frame.r)]
    size = builder.number(maximum(magnitude(builder, [*lengths, *pose.position]), SMALLEST_SIZE))
    rotation = [builder.number(absolute(reached[r][c] - target[r][c])) for r in range(3) for c in range(3)]
    return [*rotation, relative(builder, [reached[r][3] - target[r][3] for r in range(3)], size)]


def _moved(builder: Builder, robot: Robot, j: int, q: Mapping[int, Scalar]) -> Matrix:
    """Return the transform iTj (4x4) of frame j in its antecedent at the joint position q[j]."""
    frame = robot.frame(j)
    theta, r = builder.formula(frame.theta), builder.formula(frame.r)
    if frame.sigma == JointType.REVOLUTE:
        theta = theta + q[j]
    elif frame.sigma == JointType.PRISMATIC:
        r = r + q[j]
    c, s = cos(theta), sin(theta)
    turn: Matrix = [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, r], [0, 0, 0, 1]]
    return matmul(before_turn(builder, frame), turn)
