"""Velocities of motors and platform: `jacobian`, `jacobian-inverse`, `inverse-kinematics` with space="platform".

    V = J qda,   qda = Jinv V

V is the twist of the platform and qda are the motor velocities. Row i of Jinv is (u; rho x u) for a leg of a
Gough-Stewart platform, with u the direction of the leg and rho the vector to its attachment point. J is the inverse of
Jinv over the degrees of freedom of the platform. At a singularity of type 2, J is NaN; at a singularity of type 1 (of a
leg), J and Jinv are NaN.

W. Khalil, ICINCO 2010, section 5, eq. (60) to (65).
"""

from __future__ import annotations

from typing import Any

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, matvec, transpose
from symoro.expr.scalar import Scalar, select
from symoro.models.platform.coordinates import TwistCoordinates, require, twist_of
from symoro.models.platform.dynamics import platform_input
from symoro.models.platform.pose import (
    PLATFORM_V,
    twist_input,
)
from symoro.models.platform.ups import ups_legs
from symoro.models.references import NEWTON_EULER_2010
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot
from symoro.robot.platform import motors, parallel_robot

PLATFORM_DETAILS: dict[str, Any] = {
    "reference": NEWTON_EULER_2010.at("section 5, eq. (60) to (65)"),
    "equations": r"\mathbb{V}_p = J_p \dot q_a, \qquad J_{vi} = [I_3 \;\; -\hat P_i]",
    "example_options": {"space": "platform"},
}
PLATFORM_J = Port("J", "6,na", "V of the platform = J qda, axes of frame 0")
PLATFORM_JINV = Port("Jinv", "na,6", "qda = Jinv V")
PLATFORM_QA = Port("qa", "na", "positions of the active joints")
PLATFORM_QDA = Port("qda", "na", "velocities of the active joints")


def _at_pose(
    robot: Robot, name: str, to: int | str | None, working_mode: str
) -> tuple[Builder, TwistCoordinates]:
    builder = Builder(f"{robot.name}_{name}")
    return builder, platform_input(builder, robot, to, working_mode)


def platform_jacobian(robot: Robot, to: int | str | None, working_mode: str) -> Program:
    """Derive the Jacobian J of a parallel robot, which maps motor velocities to the platform twist.

    Args:
        to: frame of the platform whose twist is computed; by default the platform frame.
        working_mode: working mode of the legs, 1 or 2: one digit for all legs, or one per leg, for example '112'.
    """
    builder, provider = _at_pose(robot, "platform_jacobian", to, working_mode)
    columns = transpose(provider.actuation.jacobian())
    require(builder, provider.regular())
    twists = [twist_of(dict(zip(provider.own, column, strict=True))) for column in columns]
    builder.output(PLATFORM_J, transpose(twists))
    return builder.program()


def _rows(provider: TwistCoordinates) -> Matrix:
    """Return the inverse Jacobian Jinv (na, 6) of the platform, with one row per active joint."""
    rows = provider.actuation.matrix
    assert rows is not None
    return [twist_of(dict(zip(provider.own, row, strict=True))) for row in rows]


def platform_jacobian_inverse(robot: Robot, to: int | str | None, working_mode: str) -> Program:
    """Derive the inverse Jacobian Jinv of a parallel robot, which maps the platform twist to motor velocities.

    Args:
        to: frame of the platform whose twist is given; by default the platform frame.
        working_mode: working mode of the legs, 1 or 2: one digit for all legs, or one per leg, for example '112'.
    """
    builder, provider = _at_pose(robot, "platform_jacobian_inverse", to, working_mode)
    require(builder, provider.regular())
    builder.output(PLATFORM_JINV, _rows(provider))
    return builder.program()


def platform_inverse_kinematics(robot: Robot, to: int | str | None, working_mode: str) -> Program:
    """Derive the velocities qda of the motors of a parallel robot from the platform twist.

    Args:
        to: frame of the platform whose twist is given; by default the platform frame.
        working_mode: working mode of the legs, 1 or 2: one digit for all legs, or one per leg, for example '112'.
    """
    builder, provider = _at_pose(robot, "platform_inverse_kinematics", to, working_mode)
    nu = twist_input(builder, PLATFORM_V, provider.own)
    require(builder, [*provider.regular(), *provider.allows_velocity(nu)])
    builder.output(PLATFORM_QDA, matvec(_rows(provider), twist_of(nu)))
    return builder.program()


def motors_at(robot: Robot, to: int | str | None, working_mode: str) -> Program:
    """Derive the program that computes the active joints' positions `qa` and the matrix `Jinv` from a platform pose.

    It is used by Newton's method for the pose of the platform.

    Raises:
        NotApplicableError: the legs restrict the pose, so that the platform has fewer than six degrees of freedom.
    """
    builder, provider = _at_pose(robot, "motors_at", to, working_mode)
    if provider.is_constrained:
        raise NotApplicableError(
            f"the legs of robot '{robot.name}' restrict the pose of its platform, so that Newton's method on all "
            "six degrees of freedom does not apply",
            hint="loop-geometry with method='numeric' computes all joints from the active ones, starting at a closed "
            "configuration; fast-geometry with active=True computes the pose",
        )
    positions, reached = provider.joint_positions()
    require(builder, reached)
    builder.output(PLATFORM_QA, [positions[j] for j in motors(robot)])
    builder.output(PLATFORM_JINV, _where(builder, provider.regular(), _rows(provider)))
    return builder.program()


def _where(builder: Builder, conditions: list[Scalar], rows: Matrix) -> Matrix:
    """Return the matrix `rows` if all conditions are 1, else a matrix of NaN."""
    regular: Scalar = 1
    for condition in conditions:
        regular = select(condition, regular, 0)
    none = builder.not_a_number(regular)
    return [[select(regular, x, none) for x in row] for row in rows]


def leg_points(robot: Robot, to: int | str | None) -> Program:
    """Derive the attachment points of the legs of a platform with six UPS legs.

    The outputs are `a`, the centres of the universal joints in frame 0; `b`, the centres of the spherical joints in the
    platform frame; and `offset`, the length of each leg minus the position of its prismatic joint.

    Args:
        to: frame of the platform; by default the platform frame.

    Raises:
        NotApplicableError: the legs are of other types.
    """
    parallel = parallel_robot(robot, to)
    builder = Builder(f"{robot.name}_leg_points")
    legs = ups_legs(builder, parallel)
    if legs is None or len(legs) != 6:
        raise NotApplicableError(
            f"robot '{robot.name}' is not a platform with six legs of universal, prismatic and spherical joint",
            hint="for other platforms, compute one pose near a given initial pose",
        )
    builder.output("a", [leg.centre for leg in legs])
    builder.output("b", [leg.b for leg in legs])
    builder.output("offset", [builder.formula(robot.frame(leg.joints[2]).r) for leg in legs])
    return builder.program()
