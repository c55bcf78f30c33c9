"""The dynamic models of parallel robots in the platform's coordinates: `space="platform"`.

    tau = J' (A Vd + H)          V = J qda

T, V and Vd of the platform in frame 0 replace the joint variables: inverse geometry and kinematics of the legs are part
of the models. The option `fold` is the working mode of the legs, which a pose does not determine. Where a leg or the
platform is singular every output is NaN.

W. Khalil, ICINCO 2010, section 5, eq. (59) to (66); reduced mobility: W. Khalil, O. Ibrahim, 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symoro.expr.linalg import Vector
from symoro.expr.scalar import Scalar, select
from symoro.models.catalogue import form
from symoro.models.platform.leg_dynamics import LegDynamics, light_ups_legs
from symoro.models.platform.pose import (
    FOLD,
    PLATFORM_A,
    PLATFORM_H,
    PLATFORM_POSE,
    PLATFORM_Q,
    PLATFORM_TAU,
    PLATFORM_V,
    PLATFORM_VD,
    SPACE,
    TO,
    WITH_Q,
    PlatformMotion,
    PlatformPose,
    in_platform_space,
    pose_input,
    twist_input,
    working_modes,
)
from symoro.models.platform.tree_dynamics import TreeOfLegsDynamics
from symoro.models.references import NEWTON_EULER_2010
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot.description import Robot
from symoro.robot.platform import ParallelRobot, motors, parallel_robot
from symoro.robot.topology import moving_joints

OF = "a platform on legs, space='platform'"
APPLIES_TO = (
    "parallel robots on a fixed base: legs UPS, RUS, PUS; planar legs with a ball (RPS, PRS, RRS); legs UPU of a "
    "platform that translates; legs RR, RP or PR in the plane; legs R or P with a turn and a parallelogram"
)
REFERENCE = NEWTON_EULER_2010.at("section 5, eq. (59) to (66); reduced mobility: Khalil and Ibrahim, 2007")
EQUATIONS = (
    r"\Gamma = J_p^T \left[ F_p + \sum_i J_{vi}^T J_i^{-T} \Gamma_i \right], "
    r"\qquad A_x \dot V_p + H_x = J_p^{-T} \Gamma"
)
DETAILS: dict[str, Any] = {
    "of": OF,
    "takes": in_platform_space,
    "reference": REFERENCE,
    "equations": EQUATIONS,
    "applies": lambda robot: None,
    "applies_to": APPLIES_TO,
    "example": "gough_stewart",
    "example_options": {"space": "platform"},
}

Platform = LegDynamics | TreeOfLegsDynamics


def platform_at(
    builder: Builder, parallel: ParallelRobot, pose: PlatformPose, modes: Sequence[int]
) -> Platform:
    """Return platform and legs at a pose."""
    legs = light_ups_legs(builder, parallel)
    if legs is not None:
        return LegDynamics(builder, parallel, legs, pose, modes)
    return TreeOfLegsDynamics(builder, parallel, pose, modes)


def started(robot: Robot, name: str, to: int | str | None, fold: str) -> tuple[Builder, Platform]:
    """Return a program with the pose as input, and platform and legs at it."""
    parallel = parallel_robot(robot, to)
    builder = Builder(f"{robot.name}_{name}")
    pose = pose_input(builder)
    return builder, platform_at(builder, parallel, pose, working_modes(fold, len(parallel.legs)))


def require(builder: Builder, conditions: Sequence[Scalar]) -> None:
    """Make all outputs NaN where one of the conditions is not 1."""
    regular: Scalar = 1
    for condition in conditions:
        regular = select(condition, regular, 0)
    builder.void_where(select(regular, 0, 1))


def _motion(builder: Builder, *, acceleration: bool = True) -> PlatformMotion:
    v = twist_input(builder, PLATFORM_V)
    vd: Vector = twist_input(builder, PLATFORM_VD) if acceleration else [0] * 6
    return PlatformMotion(v[:3], v[3:], vd[:3], vd[3:])


def _finished(builder: Builder, platform: Platform, q: bool) -> Program:
    if q:
        positions, reached = platform.positions()
        require(builder, reached)
        joints = moving_joints(platform.parallel.robot)
        builder.output(PLATFORM_Q, [positions[j] for j in joints])
    return builder.program()


@form(
    "inverse-dynamics",
    inputs=(PLATFORM_POSE, PLATFORM_V, PLATFORM_VD),
    outputs=(PLATFORM_TAU, PLATFORM_Q),
    options=(SPACE, TO, FOLD, WITH_Q),
    **DETAILS,
)
def platform_inverse_dynamics(
    robot: Robot, space: str | None = None, to: int | str | None = None, fold: str = "1", q: bool = False
) -> Program:
    """Torques of the active joints from the motion of the platform."""
    builder, platform = started(robot, "platform_inverse_dynamics", to, fold)
    tau, conditions = platform.torques(_motion(builder))
    require(builder, conditions)
    builder.output(PLATFORM_TAU, tau)
    return _finished(builder, platform, q)


@form(
    "bias-torques",
    inputs=(PLATFORM_POSE, PLATFORM_V),
    outputs=(PLATFORM_H, PLATFORM_Q),
    options=(SPACE, TO, FOLD, WITH_Q),
    **DETAILS,
)
def platform_bias(
    robot: Robot, space: str | None = None, to: int | str | None = None, fold: str = "1", q: bool = False
) -> Program:
    """The wrench on the platform at zero acceleration."""
    builder, platform = started(robot, "platform_bias", to, fold)
    motion = _motion(builder, acceleration=False)
    require(builder, [*platform.regular(), *platform.allowed(motion, acceleration=False)])
    builder.output(PLATFORM_H, platform.efforts(motion))
    return _finished(builder, platform, q)


@form(
    "inertia-matrix",
    inputs=(PLATFORM_POSE,),
    outputs=(PLATFORM_A, PLATFORM_Q),
    options=(SPACE, TO, FOLD, WITH_Q),
    **DETAILS,
)
def platform_inertia_matrix(
    robot: Robot, space: str | None = None, to: int | str | None = None, fold: str = "1", q: bool = False
) -> Program:
    """The inertia matrix in the platform's coordinates."""
    builder, platform = started(robot, "platform_inertia_matrix", to, fold)
    builder.output(PLATFORM_A, platform.inertia())
    require(builder, platform.regular())
    return _finished(builder, platform, q)


@form(
    "direct-dynamics",
    inputs=(PLATFORM_POSE, PLATFORM_V, PLATFORM_TAU),
    outputs=(PLATFORM_VD, PLATFORM_Q),
    options=(SPACE, TO, FOLD, WITH_Q),
    **DETAILS,
)
def platform_direct_dynamics(
    robot: Robot, space: str | None = None, to: int | str | None = None, fold: str = "1", q: bool = False
) -> Program:
    """The platform's acceleration from the torques of the active joints."""
    builder, platform = started(robot, "platform_direct_dynamics", to, fold)
    motion = _motion(builder, acceleration=False)
    active = motors(robot)
    tau = builder.input(PLATFORM_TAU, (len(active),), [f"tau{j}" for j in active])
    accelerations, conditions = platform.accelerations(motion, tau)
    require(builder, conditions)
    builder.output(PLATFORM_VD, accelerations)
    return _finished(builder, platform, q)
