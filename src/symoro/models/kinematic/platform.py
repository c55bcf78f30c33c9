"""Velocities between motors and platform: `jacobian`, `jacobian-inverse`, `inverse-kinematics` with space="platform".

    V = J qda,   qda = Jinv V

Jinv is simple where J is not: row i is (u; rho x u) for a leg of a Gough-Stewart platform. J is its inverse, over the
freedoms that the platform has; where it is singular (type 2) J is NaN, and so is Jinv where a leg is (type 1).

W. Khalil, ICINCO 2010, section 5, eq. (60) to (65).
"""

from __future__ import annotations

from typing import Any

from symoro.errors import NotApplicableError
from symoro.expr.linalg import matvec
from symoro.models.catalogue import form
from symoro.models.dynamic.platform.model import APPLIES_TO, OF, started
from symoro.models.dynamic.platform.ports import (
    FOLD,
    PLATFORM_POSE,
    PLATFORM_V,
    SPACE,
    TO,
    in_platform_space,
)
from symoro.models.dynamic.platform.pose import all_of, motion_input, where
from symoro.models.dynamic.platform.spatial_platform import SpatialPlatform
from symoro.models.dynamic.platform.ups import is_ups, ups_legs
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
    found, regular = platform.jacobian()
    builder.output(PLATFORM_J, where(regular, found))
    return builder.program()


@form("jacobian-inverse", inputs=(PLATFORM_POSE,), outputs=(PLATFORM_JINV,), **DETAILS)
def platform_jacobian_inverse(
    robot: Robot, space: str | None = None, to: int | str | None = None, fold: str = "1"
) -> Program:
    """From the platform to the motors, as a matrix."""
    builder, platform = started(robot, "platform_jacobian_inverse", to, fold)
    found, regular = platform.inverse_jacobian()
    builder.output(PLATFORM_JINV, where(regular, found))
    return builder.program()


@form("inverse-kinematics", inputs=(PLATFORM_POSE, PLATFORM_V), outputs=(PLATFORM_QDA,), **DETAILS)
def platform_inverse_kinematics(
    robot: Robot, space: str | None = None, to: int | str | None = None, fold: str = "1"
) -> Program:
    """From the platform to the motors."""
    builder, platform = started(robot, "platform_inverse_kinematics", to, fold)
    motion = motion_input(builder, acceleration=False)
    found, regular = platform.inverse_jacobian()
    if isinstance(platform, SpatialPlatform):
        regular = all_of([regular, platform.allows_velocity(motion)])
    builder.output(PLATFORM_QDA, where(regular, matvec(found, [*motion.v, *motion.w])))
    return builder.program()


def motors_at(robot: Robot, to: int | str | None, fold: str) -> Program:
    """Return the active joints' positions `qa` and the inverse Jacobian `Jinv` at a pose, for iterations on poses.

    Raises:
        NotApplicableError: the legs restrict the pose.
    """
    builder, platform = started(robot, "motors_at", to, fold)
    if isinstance(platform, SpatialPlatform) and platform.constrained:
        raise NotApplicableError(
            f"the legs of robot '{robot.name}' restrict the pose of its platform, so that Newton's method on all "
            "six freedoms does not apply",
            hint="loop-geometry with method='numeric' gives all joints from the active ones, starting at a closed "
            "posture, and fast-geometry with active=True the pose",
        )
    positions, there = platform.positions()
    rows, regular = platform.inverse_jacobian()
    active = motors(robot)
    builder.output(PLATFORM_QA, where(there, [positions[j] for j in active]))
    builder.output(PLATFORM_JINV, where(regular, rows))
    return builder.program()


def leg_points(robot: Robot, to: int | str | None) -> Program:
    """Of a platform on six legs with balls: centres `a` of the universal joints in frame 0, `b` of the balls on the
    platform, and the slides' `offset` to the lengths of the legs.

    Raises:
        NotApplicableError: its legs are others.
    """
    parallel = parallel_robot(robot, to)
    if not is_ups(parallel) or len(parallel.legs) != 6:
        raise NotApplicableError(
            f"robot '{robot.name}' is no platform on six legs with universal joint, slide and ball",
            hint="poses near a known one are found for every platform",
        )
    builder = Builder(f"{robot.name}_leg_points")
    legs = ups_legs(builder, parallel)
    builder.output("a", [leg.centre for leg in legs])
    builder.output("b", [leg.b for leg in legs])
    builder.output("offset", [builder.formula(robot.frame(leg.joints[2]).r) for leg in legs])
    return builder.program()
