"""The dynamic models of parallel robots in the platform's coordinates: `space="platform"`.

    tau = J' (A Vd + H)          V = J qda

T, V and Vd of the platform in frame 0 take the place of the joints: the legs' inverse geometry and kinematics are part
of the models. A pose does not say how the legs fold: the option `fold` does. Where a leg or the platform is singular
every output is NaN.

W. Khalil, ICINCO 2010, section 5, eq. (59) to (66); reduced mobility: W. Khalil, O. Ibrahim, 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symoro.errors import OptionError
from symoro.models.catalogue import form
from symoro.models.dynamic.platform.few_freedoms import ReducedPlatform
from symoro.models.dynamic.platform.gough_stewart import GoughStewart
from symoro.models.dynamic.platform.ports import (
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
    in_platform_space,
)
from symoro.models.dynamic.platform.pose import PlatformPose, all_of, motion_input, pose_input, where
from symoro.models.dynamic.platform.spatial_leg import is_spatial
from symoro.models.dynamic.platform.spatial_platform import SpatialPlatform
from symoro.models.dynamic.platform.ups import is_light_ups
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

Platform = GoughStewart | ReducedPlatform | SpatialPlatform


def folds_of(fold: str, legs: int) -> list[int]:
    """The fold of each leg, from one digit for all or one a leg.

    Raises:
        OptionError: it is neither.
    """
    digits = fold * legs if len(fold) == 1 else fold
    if len(digits) != legs or set(digits) - set("12"):
        raise OptionError(
            f"option fold: expected 1 or 2 for all {legs} legs, or {legs} such digits, got {fold!r}",
            hint=f"fold='{'1' * legs}' is the first of each leg",
        )
    return [int(digit) for digit in digits]


def platform_at(
    builder: Builder, parallel: ParallelRobot, pose: PlatformPose, folds: Sequence[int]
) -> Platform:
    """Platform and legs at a pose, by the way their legs are solved."""
    if is_light_ups(parallel):
        return GoughStewart(builder, parallel, pose, folds)
    kind = SpatialPlatform if is_spatial(parallel) else ReducedPlatform
    return kind(builder, parallel, pose, folds)


def started(robot: Robot, name: str, to: int | str | None, fold: str) -> tuple[Builder, Platform]:
    """A program that takes the pose, with platform and legs at it."""
    parallel = parallel_robot(robot, to)
    builder = Builder(f"{robot.name}_{name}")
    pose = pose_input(builder)
    return builder, platform_at(builder, parallel, pose, folds_of(fold, len(parallel.legs)))


def _finished(
    builder: Builder, platform: Platform, outputs: list[tuple[Any, Any]], regular: Any, q: bool
) -> Program:
    if q:
        found, there = platform.positions()
        regular = all_of([regular, there])
        joints = moving_joints(platform.parallel.robot)
        outputs.append((PLATFORM_Q, [found[j] for j in joints]))
    for port, value in outputs:
        builder.output(port, where(regular, value))
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
    tau, regular = platform.inverse_dynamics(motion_input(builder))
    return _finished(builder, platform, [(PLATFORM_TAU, tau)], regular, q)


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
    motion = motion_input(builder, acceleration=False)
    regular = platform.regular
    if isinstance(platform, SpatialPlatform):
        regular = all_of([regular, platform.allows_velocity(motion)])
    return _finished(builder, platform, [(PLATFORM_H, platform.bias(motion))], regular, q)


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
    return _finished(builder, platform, [(PLATFORM_A, platform.inertia_rows())], platform.regular, q)


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
    motion = motion_input(builder, acceleration=False)
    active = motors(robot)
    tau = builder.input(PLATFORM_TAU, (len(active),), [f"tau{j}" for j in active])
    found, regular = platform.direct_dynamics(motion, tau)
    return _finished(builder, platform, [(PLATFORM_VD, found)], regular, q)
