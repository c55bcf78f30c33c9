"""Velocities between motors and platform: `jacobian`, `jacobian-inverse`, `inverse-kinematics` with space="platform".

    V = J qda,   qda = Jinv V

Row i of Jinv is (u; rho x u) for a leg of a Gough-Stewart platform. J is its inverse over the freedoms of the platform;
at a singularity of type 2 J is NaN, at one of type 1 (of a leg) both are.

W. Khalil, ICINCO 2010, section 5, eq. (60) to (65).
"""

from __future__ import annotations

from typing import Any

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, Vector, matvec
from symoro.expr.scalar import Scalar, select
from symoro.models.catalogue import form
from symoro.models.platform.model import APPLIES_TO, OF, require, started
from symoro.models.platform.pose import (
    FOLD,
    PLATFORM_POSE,
    PLATFORM_V,
    SPACE,
    TO,
    PlatformMotion,
    in_platform_space,
    twist_input,
)
from symoro.models.platform.ups import ups_legs
from symoro.models.references import NEWTON_EULER_2010
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot
from symoro.robot.platform import motors, parallel_robot

DETAILS: dict[str, Any] = {
    "of": OF,
    "takes": in_platform_space,
    "options": (SPACE, TO, FOLD),
    "reference": NEWTON_EULER_2010.at("section 5, eq. (60) to (65)"),
    "equations": r"\mathbb{V}_p = J_p \dot q_a, \qquad J_{vi} = [I_3 \;\; -\hat P_i]",
    "applies": lambda robot: None,
    "applies_to": APPLIES_TO,
    "example": "gough_stewart",
    "example_options": {"space": "platform"},
}
PLATFORM_J = Port("J", "6,na", "V of the platform = J qda, axes of frame 0")
PLATFORM_JINV = Port("Jinv", "na,6", "qda = Jinv V")
PLATFORM_QA = Port("qa", "na", "positions of the active joints")
PLATFORM_QDA = Port("qda", "na", "velocities of the active joints")


@form("jacobian", inputs=(PLATFORM_POSE,), outputs=(PLATFORM_J,), **DETAILS)
def platform_jacobian(
    robot: Robot, space: str | None = None, to: int | str | None = None, fold: str = "1"
) -> Program:
    """From the motors to the platform."""
    builder, platform = started(robot, "platform_jacobian", to, fold)
    jacobian, conditions = platform.jacobian()
    require(builder, conditions)
    builder.output(PLATFORM_J, jacobian)
    return builder.program()


@form("jacobian-inverse", inputs=(PLATFORM_POSE,), outputs=(PLATFORM_JINV,), **DETAILS)
def platform_jacobian_inverse(
    robot: Robot, space: str | None = None, to: int | str | None = None, fold: str = "1"
) -> Program:
    """From the platform to the motors, as a matrix."""
    builder, platform = started(robot, "platform_jacobian_inverse", to, fold)
    rows, conditions = platform.inverse_jacobian()
    require(builder, conditions)
    builder.output(PLATFORM_JINV, rows)
    return builder.program()


@form("inverse-kinematics", inputs=(PLATFORM_POSE, PLATFORM_V), outputs=(PLATFORM_QDA,), **DETAILS)
def platform_inverse_kinematics(
    robot: Robot, space: str | None = None, to: int | str | None = None, fold: str = "1"
) -> Program:
    """From the platform to the motors."""
    builder, platform = started(robot, "platform_inverse_kinematics", to, fold)
    v = twist_input(builder, PLATFORM_V)
    none: Vector = [0, 0, 0]
    rows, conditions = platform.inverse_jacobian()
    require(builder, conditions)
    require(builder, platform.allowed(PlatformMotion(v[:3], v[3:], none, none), acceleration=False))
    builder.output(PLATFORM_QDA, matvec(rows, v))
    return builder.program()


def motors_at(robot: Robot, to: int | str | None, fold: str) -> Program:
    """Return the active joints' positions `qa` and the inverse Jacobian `Jinv` at a pose, for iterations on poses.

    Raises:
        NotApplicableError: the legs restrict the pose.
    """
    builder, platform = started(robot, "motors_at", to, fold)
    if platform.is_constrained:
        raise NotApplicableError(
            f"the legs of robot '{robot.name}' restrict the pose of its platform, so that Newton's method on all "
            "six freedoms does not apply",
            hint="loop-geometry with method='numeric' gives all joints from the active ones, starting at a closed "
            "posture, and fast-geometry with active=True the pose",
        )
    positions, reached = platform.positions()
    require(builder, reached)
    rows, conditions = platform.inverse_jacobian()
    builder.output(PLATFORM_QA, [positions[j] for j in motors(robot)])
    builder.output(PLATFORM_JINV, _where(builder, conditions, rows))
    return builder.program()


def _where(builder: Builder, conditions: list[Scalar], rows: Matrix) -> Matrix:
    """Return a matrix where all conditions are 1, NaN elsewhere."""
    regular: Scalar = 1
    for condition in conditions:
        regular = select(condition, regular, 0)
    none = builder.not_a_number(regular)
    return [[select(regular, x, none) for x in row] for row in rows]


def leg_points(robot: Robot, to: int | str | None) -> Program:
    """Return the points of a platform on six UPS legs.

    Outputs: `a`, centres of the universal joints in frame 0; `b`, those of the balls on the platform; `offset` of the
    slides to the lengths of the legs.

    Raises:
        NotApplicableError: its legs are others.
    """
    parallel = parallel_robot(robot, to)
    builder = Builder(f"{robot.name}_leg_points")
    legs = ups_legs(builder, parallel)
    if legs is None or len(legs) != 6:
        raise NotApplicableError(
            f"robot '{robot.name}' is not a platform on six legs with universal joint, slide and ball",
            hint="a pose near a given one can be computed for every platform",
        )
    builder.output("a", [leg.centre for leg in legs])
    builder.output("b", [leg.b for leg in legs])
    builder.output("offset", [builder.formula(robot.frame(leg.joints[2]).r) for leg in legs])
    return builder.program()
