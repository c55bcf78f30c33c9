"""`inverse-geometry` of a parallel robot: the joints of its legs, from the pose of the platform.

Each leg is solved by itself in closed form. A leg that folds in two ways doubles the rows (working modes); the flips of
universal joints and balls, which change no motor, are no modes of their own: the first is given, and with the option
`fold` another.

J.-P. Merlet, Parallel robots, Springer, 2006, chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from symoro.errors import SymoroError
from symoro.expr.linalg import Matrix, homogeneous, identity, matmul
from symoro.expr.scalar import Expr, Scalar, absolute, cos, maximum, select, sin
from symoro.models.catalogue import Option, form
from symoro.models.dynamic.platform.chain_leg import chain_legs
from symoro.models.dynamic.platform.model import APPLIES_TO, Platform, folds_of, platform_at
from symoro.models.dynamic.platform.ports import FOLD, PLATFORM_POSE, SPACE, TO
from symoro.models.dynamic.platform.pose import PlatformPose, pose_input
from symoro.models.dynamic.platform.spatial_leg import is_spatial, spatial_legs
from symoro.models.dynamic.platform.ups import is_light_ups, is_ups, ups_legs
from symoro.models.geometric.inverse.chain.chain import SMALLEST
from symoro.models.geometric.inverse.finite import closes, largest, magnitude, relative, where_finite
from symoro.models.geometric.places import before_turn, between
from symoro.models.ports import FREE, RESIDUAL, SOLUTIONS, STATUS
from symoro.models.references import NEWTON_EULER_2010
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot.description import JointType, Robot
from symoro.robot.platform import ParallelRobot, parallel_robot
from symoro.robot.topology import chain, moving_joints

TOLERANCE = Option("tolerance", "largest residual of a valid solution", "number", 1e-9)
ALL_FOLDS = Option(FOLD.name, FOLD.title + "; by default all working modes", "text", None)
VALID, OUT_OF_REACH, SINGULAR = 0, 1, 2


def is_platform(robot: Robot, options: Mapping[str, Any]) -> bool:
    """Whether the pose of a platform is given whose legs are solved in closed form."""
    if options.get("space") == "platform":
        return True
    if not robot.B or set(options) - {"to", "fold", "tolerance"}:
        return False
    if options.get("to") is None and robot.platform is None:
        return False
    try:
        parallel = parallel_robot(robot, options.get("to"))
        if is_light_ups(parallel):
            find: Callable[..., Sequence[object]] = ups_legs
        else:
            find = spatial_legs if is_spatial(parallel) else chain_legs
        return bool(find(Builder(robot.name), parallel))
    except SymoroError:
        return False


@form(
    "inverse-geometry",
    of="a platform on legs",
    takes=is_platform,
    inputs=(PLATFORM_POSE,),
    outputs=(SOLUTIONS, STATUS, RESIDUAL, FREE),
    options=(SPACE, TO, ALL_FOLDS, TOLERANCE),
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
    fold: str | None = None,
    tolerance: float = 1e-9,
) -> Program:
    """All joints of the tree from the pose of the platform, one row a working mode."""
    parallel = parallel_robot(robot, to)
    builder = Builder(f"{robot.name}_inverse_geometry")
    pose = pose_input(builder)
    modes = [folds_of(fold, len(parallel.legs))] if fold else _working_modes(parallel)
    joints = moving_joints(robot)
    rows, statuses, residuals = [], [], []
    for folds in modes:
        found, status, residual = _row(builder, parallel, pose, folds, tolerance)
        rows.append([found[j] for j in joints])
        statuses.append(builder.number(status))
        residuals.append(residual)
    given = magnitude(builder, [x for row in pose.rotation for x in row] + pose.position)
    builder.output(SOLUTIONS, rows)
    builder.output(STATUS, where_finite(builder, given, rows, statuses, OUT_OF_REACH))
    builder.output(RESIDUAL, where_finite(builder, given, rows, residuals, None))
    builder.output(FREE, [[0] * len(joints) for _ in rows])
    return builder.program()


def _working_modes(parallel: ParallelRobot) -> list[list[int]]:
    """The folds of the legs, all of them; one where a leg folds one way only."""
    if is_ups(parallel):
        return [[1] * len(parallel.legs)]
    if is_spatial(parallel):
        legs = spatial_legs(Builder(parallel.robot.name), parallel)
        return [list(folds) for folds in product(*((1,) if leg.flips else (1, 2) for leg in legs))]
    return [list(folds) for folds in product((1, 2), repeat=len(parallel.legs))]


def _row(
    builder: Builder, parallel: ParallelRobot, pose: PlatformPose, folds: Sequence[int], tolerance: float
) -> tuple[dict[int, Scalar], Scalar, Scalar]:
    """A working mode: joints, status, and by how much direct geometry along the legs misses the pose."""
    platform: Platform = platform_at(builder, parallel, pose, folds)
    found, regular = platform.positions()
    numbers = [x for leg in range(len(folds)) for x in _misses(builder, parallel, pose, leg, found)]
    met = closes(builder, numbers, tolerance)
    otherwise = SINGULAR if is_ups(parallel) else OUT_OF_REACH
    return found, select(regular, select(met, VALID, OUT_OF_REACH), otherwise), largest(numbers)


def _misses(
    builder: Builder, parallel: ParallelRobot, pose: PlatformPose, number: int, q: Mapping[int, Scalar]
) -> list[Expr]:
    """Direct geometry of a leg, through all its joints, less where its end is to be.

    Entries of the rotation, and the sum of the magnitudes of the position's divided by a size: the sum of the leg's
    constant lengths and of the magnitudes of the given position.
    """
    leg, robot = parallel.legs[number], parallel.robot
    last = parallel.body[0] if leg.loop is None else leg.loop.left
    seat = parallel.body[0] if leg.loop is None else leg.loop.right
    reached: Matrix = identity(4)
    for j in chain(robot, last):
        reached = matmul(reached, _moved(builder, robot, j, q))
    target = matmul(
        homogeneous(pose.rotation, pose.position),
        between(builder, robot, parallel.platform, seat, parallel.body),
    )
    frames = [robot.frame(j) for j in chain(robot, last)]
    lengths = [builder.formula(x) for frame in frames for x in (frame.b, frame.d, frame.r)]
    size = builder.number(maximum(magnitude(builder, [*lengths, *pose.position]), SMALLEST))
    turned = [builder.number(absolute(reached[r][c] - target[r][c])) for r in range(3) for c in range(3)]
    return [*turned, relative(builder, [reached[r][3] - target[r][3] for r in range(3)], size)]


def _moved(builder: Builder, robot: Robot, j: int, q: Mapping[int, Scalar]) -> Matrix:
    """iTj with its joint where it is."""
    frame = robot.frame(j)
    theta, r = builder.formula(frame.theta), builder.formula(frame.r)
    if frame.sigma == JointType.REVOLUTE:
        theta = theta + q[j]
    elif frame.sigma == JointType.PRISMATIC:
        r = r + q[j]
    c, s = cos(theta), sin(theta)
    turn: Matrix = [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, r], [0, 0, 0, 1]]
    return matmul(before_turn(builder, frame), turn)
