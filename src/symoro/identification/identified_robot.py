"""Robots with identified parameters: estimated or nominal dynamic parameters, and calibrated geometry.

Estimated base parameters are written into the links as in `BaseParameters.robot`; the parameters that are grouped with
them are zero. The torques of such a robot equal those of the real one, but its individual masses have no meaning.

Errors of the geometry are added to the parameters of the frames; displacements change the pose of frame 0 and of the
tool, which is created if there is none. The displacement of another frame is the pose of a marker (`marker`), which is
not part of the robot. A frame with an error beta gets six new parameters. If (px, py, pz) is its position and R its
rotation for the joint at zero, and x, y are the axes after the rotation gamma,

    R = Rz(gamma) Rx(alpha) Rz(theta),    d = p . x,   r = -p . y / sin(alpha),   b = pz - r cos(alpha)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from symoro.errors import ArgumentError, NotApplicableError
from symoro.expr.formula import ZERO, Formula, formula
from symoro.identification.friction import FurtherColumns
from symoro.identification.log_description import Transmission
from symoro.identification.regression import Estimate
from symoro.identification.tolerances import ROUND_OFF, SAME_GROUPING
from symoro.models.calibration.chain import displacement
from symoro.models.calibration.columns import BASE, DISPLACEMENT, END, path_to
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.models.identification.base.geometry import value, with_values
from symoro.models.identification.base.parameters import BaseParameters, split
from symoro.models.identification.columns import regressor_base
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.tree import local_pose
from symoro.robot.description import (
    DRIVE,
    FRICTION,
    FURTHER_FRICTION,
    GEOMETRIC,
    INERTIAL,
    MOTOR,
    BaseKind,
    CoupledMotor,
    Frame,
    Placement,
    Robot,
    Tool,
)

# -- robots

ESTIMATED_FRICTION = (*FRICTION, *FURTHER_FRICTION)


def inertial_links(robot: Robot) -> list[int]:
    """Return the numbers of the links whose inertial parameters affect the torques; link 0 only if the base floats."""
    return list(range(0 if robot.base.kind == BaseKind.FLOATING else 1, robot.NL + 1))


def without_passive_rotors(robot: Robot) -> Robot:
    """Return the robot without rotor inertias at its passive joints, which have no motor.

    Raises:
        NotApplicableError: the rotor inertia of a passive joint is a number.
    """
    known = dict(robot.nominal)
    frames = list(robot.frames)
    for j, frame in enumerate(robot.frames, 1):
        if frame.mu or frame.IA.is_zero:
            continue
        if all(name in known for name in frame.IA.symbols):
            raise NotApplicableError(
                f"joint {j} of robot '{robot.name}' is passive but has a rotor inertia, IA = {frame.IA}",
                hint="a passive joint has no motor: add this inertia to its link, or make the joint active",
            )
        frames[j - 1] = replace(frame, IA=ZERO)
    return robot.replace(frames=tuple(frames))


def without_further_friction(robot: Robot) -> Robot:
    """Return the robot without the parameters that `FurtherColumns` estimates: FB, FL and coupled motors."""
    none = dict.fromkeys(("FB", "VS", "FL"), ZERO)
    frames = tuple(replace(frame, **none) for frame in robot.frames)  # type: ignore[arg-type]
    return robot.replace(frames=frames, motors=())


def column_base(robot: Robot, postures: Mapping[str, Sequence[float]]) -> BaseParameters:
    """Return the base parameters that correspond to the columns of the regressor.

    They include the rotor inertias of passive joints.

    Args:
        robot: the robot; its posture 'home' selects the assembly mode of closed loops.
        postures: named postures that are stored in the robot of the result.
    """
    base = regressor_base(robot)
    pairs = zip(base.original.frames, robot.frames, strict=True)
    frames = tuple(replace(frame, mu=own.mu) for frame, own in pairs)
    return replace(base, original=base.original.replace(frames=frames, postures=postures))


def identified_robot(
    base: BaseParameters, estimate: Estimate, further: FurtherColumns | None = None
) -> Robot:
    """Return the robot with the estimated base parameters, friction and coupled motors, in numbers.

    Args:
        further: the columns of further friction and of coupled motors; None if there are none.
    """
    robot = base.original
    known = estimate.as_dict()
    idle: dict[tuple[int, str], Formula] = {split(name): ZERO for name in base.no_effect}
    for kept, others in base.relations.items():
        idle |= {split(name): ZERO for name in others}
        idle[split(kept)] = formula(known.get(kept, 0.0))
    return _with_drives(
        with_values(robot, idle),
        known,
        further,
        "base parameters: individual masses and inertias have no meaning",
    )


def standard_robot(robot: Robot, known: dict[str, float], further: FurtherColumns | None = None) -> Robot:
    """Return the robot with given values of its standard parameters; other rotor inertias and friction are zero.

    Args:
        known: values of inertial and friction parameters by name (XX1, M1, FV1, ...).
        further: the columns of further friction and of coupled motors; None if there are none.
    """
    rotors = {(j, "IA"): ZERO for j, frame in enumerate(robot.frames, 1) if not frame.IA.is_zero}
    values = rotors | {
        (j, kind): formula(known[f"{kind}{j}"])
        for j in inertial_links(robot)
        for kind in (*INERTIAL, "IA")
        if f"{kind}{j}" in known
    }
    return _with_drives(
        with_values(robot, values), known, further, "standard parameters, physically consistent"
    )


def _with_drives(robot: Robot, known: dict[str, float], further: FurtherColumns | None, note: str) -> Robot:
    """Return the robot with the estimated friction and coupled motors; friction that was not estimated is zero.

    Args:
        known: estimated values by name.
        further: the columns of further friction and of coupled motors; None if there are none.
        note: description of the parameters, for the notes of the robot.
    """
    velocities = {}
    if further is not None:
        velocities = dict(
            zip(further.joints, further.friction.velocities(len(further.joints)).tolist(), strict=True)
        )
    frames = []
    for j, frame in enumerate(robot.frames, 1):
        friction: dict[str, Any] = {
            kind: formula(known[f"{kind}{j}"]) for kind in ESTIMATED_FRICTION if f"{kind}{j}" in known
        }
        if j <= robot.NL and frame.moving:
            friction = dict.fromkeys(ESTIMATED_FRICTION, ZERO) | friction
        if f"FB{j}" in known and j in velocities:
            friction["VS"] = formula(velocities[j])
        frames.append(replace(frame, **friction))
    motors = _motors(known, further) if further is not None else ()
    notes = (*robot.notes, f"identified {note}")
    used = robot.replace(frames=tuple(frames), motors=motors, notes=notes)
    symbols = set(used.symbols())
    return used.replace(nominal=tuple(pair for pair in used.nominal if pair[0] in symbols))


def with_drives_of(robot: Robot, described: Robot) -> Robot:
    """Return the robot with the rotor inertias, friction and coupled motors of another description of it."""
    frames = tuple(
        replace(frame, **{kind: getattr(own, kind) for kind in DRIVE})
        for frame, own in zip(robot.frames, described.frames, strict=True)
    )
    used = robot.replace(frames=frames, motors=described.motors)
    nominal = dict(described.nominal) | dict(robot.nominal)
    symbols = set(used.symbols())
    return used.replace(nominal=tuple(pair for pair in nominal.items() if pair[0] in symbols))


def check_motors(robot: Robot, gear: Transmission | None) -> None:
    """Check that the coupled motors of a robot are those of the transmission of a log.

    Raises:
        ArgumentError: there is no transmission, or its motors turn with other joints or with other ratios.
    """
    if gear is None:
        raise ArgumentError(
            f"robot '{robot.name}' has coupled motors, but the description of the log has no transmission",
            hint="give the transmission in the description of the log, or remove 'motors' from the robot",
        )
    joints, numbers = coordinate_joints(robot), dict(robot.nominal)
    described = {
        motor.joint: np.array([float(motor.shares.get(j, ZERO).value(numbers)) for j in joints])
        for motor in robot.motors
    }
    logged = {joints[k]: gear.shares(k) for k in gear.coupled()}
    for j in sorted({*described, *logged}):
        own, other = described.get(j), logged.get(j)
        if own is None or other is None or np.abs(own - other).max() > SAME_GROUPING * np.abs(own).max():
            texts = [_ratios_text(j, joints, shares) for shares in (own, other)]
            raise ArgumentError(
                f"the motor of joint {j} turns {texts[0]} in robot '{robot.name}', and {texts[1]} in the transmission "
                "of the log",
                hint="correct 'motors' of the robot or 'transmission' of the log, or remove 'motors' from the robot",
            )


def _ratios_text(own: int, joints: Sequence[int], shares: Array | None) -> str:
    pairs = zip(joints, shares if shares is not None else [], strict=False)
    others = [f"joint {j} (ratio {share:g})" for j, share in pairs if share and j != own]
    return f"with {' and '.join(others)}" if others else "with its joint alone"


def _motors(known: dict[str, float], further: FurtherColumns) -> tuple[CoupledMotor, ...]:
    """Return the coupled motors with their estimated inertia and friction."""
    motors = []
    for k, shares in further.shares:
        own = further.joints[k]
        others = tuple(
            (j, formula(share)) for j, share in zip(further.joints, shares, strict=True) if share and j != own
        )
        values = (formula(known.get(f"{kind}{own}", 0.0)) for kind in MOTOR)
        motors.append(CoupledMotor(own, others, *values))
    return tuple(motors)


# -- nominal


def nominal_columns(base: BaseParameters) -> dict[str, float] | None:
    """Return the nominal base parameters and friction by name; None if a base parameter has no number.

    Friction parameters without a nominal value are left out.
    """
    robot = base.original
    known = dict(robot.nominal)

    def has_number(formula: Formula) -> bool:
        return all(name in known for name in formula.symbols)

    columns = {}
    for kept, others in base.relations.items():
        held = {name: value(robot, split(name)) for name in (kept, *others)}
        if not all(map(has_number, (*held.values(), *others.values()))):
            return None
        numbers = {name: formula.value(known) for name, formula in held.items()}
        columns[kept] = numbers[kept] + sum(numbers[name] * c.value(known) for name, c in others.items())
    for j, frame in enumerate(robot.frames, 1):
        terms = {f"{kind}{j}": getattr(frame, kind) for kind in FRICTION}
        columns |= {name: formula.value(known) for name, formula in terms.items() if has_number(formula)}
    return columns


# -- calibrated_robot


def corrected(robot: Robot, errors: Mapping[str, float], to: int | str | None = None) -> Robot:
    """Return the robot with errors added to its geometric parameters, as numbers.

    Args:
        robot: the robot.
        errors: estimated errors by parameter name, in radians or metres.
        to: the frame that was measured; by default the tool, or the last frame. If another frame was measured, the tool
            is not changed.

    Raises:
        NotApplicableError: the errors contain joint gains, which a robot description cannot represent.
    """
    gains = [name for name, value in errors.items() if name.startswith("k") and value]
    if gains:
        raise NotApplicableError(
            f"a robot description cannot represent joint gains ({', '.join(gains)})",
            hint="multiply the measured joint positions by 1 + k, and calibrate again without gains",
        )
    values = dict(robot.nominal)
    for j in range(1, robot.NF + 1):
        own = {name: errors.get(f"{name}{j}", 0.0) for name in (*GEOMETRIC, "beta")}
        if any(own.values()):
            robot = robot.with_frame(j, **_moved(robot.frame(j), values, own))
    base = np.array([errors.get(kind + BASE, 0.0) for kind in DISPLACEMENT])
    if base.any():
        z = np.array([f.value(values) for f in robot.base.Z]).reshape(4, 4) @ displacement(base)
        robot = replace(robot, base=replace(robot.base, Z=tuple(formula(float(x)) for x in z.reshape(-1))))
    tip = _tip(errors)
    return _with_tool(robot, values, tip) if tip.any() and path_to(robot, to).own else robot


def marker(robot: Robot, errors: Mapping[str, float], to: int | str | None) -> Tool | None:
    """Return the estimated pose of a marker that is mounted on a frame other than the end effector.

    The result is None if the end effector was measured.

    Args:
        errors: estimated errors by parameter name.
        to: number or name of the measured frame.
    """
    way = path_to(robot, to)
    if way.own or not any(kind + END in errors for kind in DISPLACEMENT):
        return None
    return Tool(Placement(way.end, **parameters_of(displacement(_tip(errors)))), "marker")


def _tip(errors: Mapping[str, float]) -> Array:
    return np.array([errors.get(kind + END, 0.0) for kind in DISPLACEMENT])


def _moved(frame: Frame, values: Mapping[str, float], own: Mapping[str, float]) -> dict[str, Any]:
    numbers = {name: getattr(frame, name).value(values) + own[name] for name in GEOMETRIC}
    if not own["beta"]:
        return {name: value for name, value in numbers.items() if own[name]}
    before = _pose(Placement(0, formula(numbers["gamma"]), formula(numbers["b"])))
    tilt = displacement(np.array([0.0, 0.0, 0.0, 0.0, own["beta"], 0.0]))
    after = Placement(0, **{name: formula(numbers[name]) for name in ("alpha", "d", "theta", "r")})
    return parameters_of(before @ tilt @ _pose(after), near=numbers["gamma"])


def _with_tool(robot: Robot, values: Mapping[str, float], tip: Array) -> Robot:
    tool = robot.tool or Tool(Placement(robot.NL))
    at = tool.place
    place = _pose(at, values) @ displacement(tip)
    return replace(robot, tool=replace(tool, place=Placement(at.ant, **parameters_of(place))))


def _pose(place: Placement, values: Mapping[str, float] | None = None) -> Array:
    known = values or {}
    local = local_pose(place, lambda f: f.value(known))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = local.rotation[0], local.position[0]
    return pose


def parameters_of(pose: Array, near: float = 0.0) -> dict[str, Any]:
    """Return the six geometric parameters (gamma, b, alpha, d, theta, r) of a pose (4, 4).

    There are two solutions; the one whose gamma is nearer to `near` (rad) is returned.
    """
    turn, place = pose[:3, :3], pose[:3, 3]
    sine = math.hypot(turn[0, 2], turn[1, 2])
    if sine < ROUND_OFF:
        gamma = math.atan2(place[1], place[0]) if math.hypot(place[0], place[1]) > 0 else 0.0
        alpha = 0.0 if turn[2, 2] > 0 else math.pi
        total = math.atan2(turn[1, 0], turn[0, 0])  # gamma + theta; gamma - theta if z is reversed
        theta, b, r = (total - gamma if alpha == 0 else gamma - total), place[2], 0.0
        d = math.hypot(place[0], place[1])
    else:
        sign = 1.0 if math.cos(math.atan2(turn[0, 2], -turn[1, 2]) - near) >= 0 else -1.0
        gamma = math.atan2(sign * turn[0, 2], -sign * turn[1, 2])
        alpha = math.atan2(sign * sine, turn[2, 2])
        theta = math.atan2(sign * turn[2, 0], sign * turn[2, 1])
        across = -place[0] * math.sin(gamma) + place[1] * math.cos(gamma)
        d = place[0] * math.cos(gamma) + place[1] * math.sin(gamma)
        r = -across / (sign * sine)
        b = place[2] - r * math.cos(alpha)
    values = (gamma, b, alpha, d, theta, r)
    return {name: formula(float(value)) for name, value in zip(GEOMETRIC, values, strict=True)}
