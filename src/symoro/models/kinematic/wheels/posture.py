"""`posture-kinematics`, `configuration-kinematics`: state models of wheeled robots.

The posture of the base is (x, y, theta) in the world; beta are its steering angles. Sigma is a basis of the base
velocities that the sliding constraints C xi = 0 (see `mobility`) allow:

    [xd yd thetad betad] = S [eta; zeta],    S = [R(theta) Sigma(beta) 0; 0 1]
    [xd yd thetad qd]    = S [eta; zeta; others]

(Campion, Bastin, d'Andrea-Novel 1996), where eta are the coordinates of the base velocity in Sigma and zeta the
steering rates. In the second equation, the velocities of the other wheels' joints follow from rolling; `others` are the
velocities of all remaining joints, such as those of an arm. Sigma contains no division:

    mobility 3    the unit matrix
    mobility 2    (b, -a, 0) and (-a c, -b c, 1) for the row (a, b, c) of C: travel along a line, and rotation
    mobility 1    c1 x c2 for the rows c1, c2 of C; it vanishes where the two axles coincide; det = |c1 x c2|^2

Neither model depends on the choice of active joints.
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, cross, dot, identity, transpose
from symoro.expr.scalar import Scalar, cos, sin
from symoro.models.catalogue import model
from symoro.models.coordinates.couplings import CoupledCoordinates, posture
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.wheels.contact import BASE, Constraint
from symoro.models.kinematic.wheels.elimination import eliminated
from symoro.models.kinematic.wheels.mobility import Axles, axles
from symoro.models.kinematic.wheels.rolling import independent_constraints
from symoro.models.kinematic.wheels.samples import robot_length
from symoro.models.kinematic.wheels.setting import APPLIES_TO, on_wheels
from symoro.models.ports import Q
from symoro.models.recursion import turn_z
from symoro.models.references import WHEELED_1996
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

HEADING = Port("heading", "", "angle theta of frame 0 in the world, about the vertical")
POSTURE = Port(
    "S",
    "3+s,m+s",
    "matrix S in [xd yd thetad betad] = S [eta; zeta]; m: degree of mobility, s: degree of steerability",
)
CONFIGURATION = Port(
    "S",
    "3+n,m+s+o",
    "matrix S in [xd yd thetad qd] = S [eta; zeta; rates of the o joints that no wheel determines]",
)
DET = Port("det", "", "zero where axles coincide and the base could rotate about any point of them")


@model(
    "posture-kinematics",
    menu="Kinematic",
    title="posture kinematic model of a wheeled robot",
    inputs=(Q, HEADING),
    outputs=(POSTURE, DET),
    reference=WHEELED_1996.at("posture kinematic model"),
    applies=on_wheels,
    applies_to=APPLIES_TO,
    equations=r"\begin{bmatrix} \dot x & \dot y & \dot\theta & \dot\beta_s^T \end{bmatrix}^T = "
    r"\begin{bmatrix} R(\theta)\,\Sigma(\beta_s) & 0 \\ 0 & I \end{bmatrix} "
    r"\begin{bmatrix} \eta \\ \zeta \end{bmatrix}, \qquad C(\beta_s)\,\Sigma(\beta_s) = 0",
    example="car",
)
def posture_kinematics(robot: Robot) -> Program:
    """Derive the matrix S that gives the rates of the base posture and the steering angles."""
    builder = Builder(f"{robot.name}_posture_kinematics")
    trig = Trigonometry(builder, robot)
    joints = posture(builder, robot)
    axle_lines = _movable(robot, axles(builder, robot, joints, trig))
    turn = _heading(builder)
    count = len(axle_lines.steering)
    columns = [[*turn_z(turn, sigma), *[0] * count] for sigma in motions(builder, axle_lines.rows)]
    columns += [[0, 0, 0, *unit] for unit in identity(count)]
    builder.output(POSTURE, transpose(columns))
    builder.output(DET, _coincidence(axle_lines.rows))
    return builder.program()


def has_free_joints(robot: Robot) -> str | None:
    """Return the reason why `configuration-kinematics` does not apply to a robot; None if it applies.

    The velocities of joints that no wheel determines must be independent; therefore robots with closed loops are
    excluded.
    """
    tied = "its closed loops constrain the joints that no wheel determines: their rates are not independent"
    return on_wheels(robot) or (tied if robot.B else None)


@model(
    "configuration-kinematics",
    menu="Kinematic",
    title="configuration kinematic model of a wheeled robot",
    inputs=(Q, HEADING),
    outputs=(CONFIGURATION, DET),
    reference=WHEELED_1996.at("configuration kinematic model"),
    applies=has_free_joints,
    applies_to="trees on a wheeled base whose wheels are described",
    equations=r"\begin{bmatrix} \dot x & \dot y & \dot\theta & \dot q^T \end{bmatrix}^T = S(q, \theta) "
    r"\begin{bmatrix} \eta \\ \zeta \\ \dot q_o \end{bmatrix}, \qquad W S = 0 \text{ in the axes of frame 0}",
    example="car",
)
def configuration_kinematics(robot: Robot) -> Program:
    """Derive the matrix S that gives the rates of the base posture and of all joints."""
    builder = Builder(f"{robot.name}_configuration_kinematics")
    trig = Trigonometry(builder, robot)
    joints = posture(builder, robot)
    axle_lines = _movable(robot, axles(builder, robot, joints, trig))
    rows = independent_constraints(builder, robot, joints, trig)
    turn = _heading(builder)
    columns = []
    for column in _configuration(builder, robot, joints, axle_lines, rows):
        columns.append([*turn_z(turn, column[:BASE]), *column[BASE:]])
    builder.output(CONFIGURATION, transpose(columns))
    builder.output(DET, _coincidence(axle_lines.rows))
    return builder.program()


def motions(builder: Builder, rows: Matrix) -> Matrix:
    """Return a basis of the base velocities that the sliding constraints allow, one column per basis vector.

    Args:
        rows: coefficients of at most two independent sliding constraints.
    """
    if not rows:
        return identity(3)
    if len(rows) == 1:
        a, b, c = rows[0]
        return [[b, -a, 0], [-(a * c), -(b * c), 1]]
    return [cross(rows[0], rows[1])]


def _movable(robot: Robot, axle_lines: Axles) -> Axles:
    if not axle_lines.class_.mobility or axle_lines.class_.steerability != len(axle_lines.steering):
        raise NotApplicableError(
            f"the steering wheels of robot '{robot.name}' are not independent: the axles have no common point",
            hint="declare steering wheels that are driven by a linkage as passive, and give their "
            "leading steering joint with 'follows'",
        )
    return axle_lines


def _coincidence(rows: Matrix) -> Scalar:
    motion = cross(rows[0], rows[1]) if len(rows) == 2 else [1]
    return dot(motion, motion)


def _heading(builder: Builder) -> tuple[Scalar, Scalar]:
    (theta,) = builder.input(HEADING, (), ["heading"])
    return builder.named("SH", sin(theta)), builder.named("CH", cos(theta))


def _configuration(
    builder: Builder,
    robot: Robot,
    joints: CoupledCoordinates,
    axle_lines: Axles,
    rows: Sequence[Constraint],
) -> Matrix:
    """Return the matrix S of `configuration-kinematics`, with the base velocity in the axes of frame 0.

    Args:
        joints: joint coordinates of the robot.
        axle_lines: sliding constraints on the base.
        rows: independent rolling constraints.
    """
    width = BASE + len(joints.own)
    steering = [BASE + joints.own.index(j) for j in axle_lines.steering]
    bound = {k for row in rows for k in row.entries if k >= BASE} - set(steering)
    others = [k for k in range(BASE, width) if k not in bound and k not in steering]
    length = robot_length(builder, robot)
    solved = eliminated(builder, [row.entries for row in rows], sorted(bound), length, base=False)
    known = [dict(enumerate(sigma)) for sigma in motions(builder, axle_lines.rows)]
    known += [{**dict.fromkeys(range(BASE), 0), k: 1} for k in (*steering, *others)]
    columns = []
    for column in known:
        given = {**dict.fromkeys((*steering, *others), 0), **column}
        full = solved.solve(given, [0] * len(rows))
        columns.append([full[k] for k in range(width)])
    return columns
