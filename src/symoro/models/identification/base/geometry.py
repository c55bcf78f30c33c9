"""Input of the computation of base parameters: the parameters of a robot, and its geometry without round-off.

An angle within 1e-5 of a multiple of pi/12 is replaced by that multiple. A length below 1e-9 of the robot's
size, and a component of gravity below 1e-9 of its magnitude, are replaced by zero. Otherwise axes that are
parallel except for round-off would separate parameters that cannot be distinguished in an experiment. The
result contains a note on each change, and the regrouped robot has the changed geometry.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symoro.expr.formula import ZERO, Formula, exact_angle
from symoro.models.identification.base.exact.field import Field
from symoro.models.tolerances import ANGLE_TOLERANCE, LENGTH_TOLERANCE
from symoro.robot.coordinates import followers
from symoro.robot.description import ANGLES, INERTIAL, BaseKind, JointType, Robot
from symoro.robot.size import LENGTHS, characteristic_length

POSITION = (3, 7, 11)  # entries of base.Z that are lengths
ParameterKey = tuple[int, str]


def columns(robot: Robot, *, rotor: bool) -> set[ParameterKey]:
    """Return the nonzero inertial parameters of a robot as pairs (link, name).

    Args:
        rotor: whether the rotor inertias of actuated joints (of every joint for wheeled robots) are included.
    """
    base = [] if robot.base.kind == BaseKind.FIXED else [(0, robot.base.link)]
    chosen = {
        (j, name)
        for j, link in (*base, *enumerate(robot.links, 1))
        for name in INERTIAL
        if not getattr(link, name).is_zero
    }
    if rotor:
        for j, frame in enumerate(robot.frames[: robot.NL], 1):
            if (frame.mu or robot.wheels) and frame.moving and not frame.IA.is_zero:
                chosen.add((j, "IA"))
    return chosen


def passive_rotor_notes(robot: Robot) -> tuple[str, ...]:
    """Return a tuple with a note on the rotor inertias that are omitted because their joints are passive."""
    passive = [
        f"IA{j}"
        for j, frame in enumerate(robot.frames[: robot.NL], 1)
        if frame.moving and not frame.mu and not robot.wheels and not frame.IA.is_zero
    ]
    return (f"rotor inertias of passive joints are not regrouped: {', '.join(passive)}",) if passive else ()


def value(robot: Robot, column: ParameterKey) -> Formula:
    """Return the value of a parameter (link, name) in the robot description."""
    j, name = column
    formula: Formula = robot.frame(j).IA if name == "IA" else getattr(robot.link(j), name)
    return formula


def without_round_off(robot: Robot) -> tuple[Robot, tuple[str, ...]]:
    """Return the robot with round-off removed from its angles, lengths and gravity, and notes on the changes."""
    changed: list[str] = []
    frames = []
    least = LENGTH_TOLERANCE * characteristic_length(robot)
    for j, frame in enumerate(robot.frames, 1):
        new: dict[str, Any] = {}
        for name in (*ANGLES, *LENGTHS):
            old = getattr(frame, name)
            rounded = _angle(old) if name in ANGLES else _without_round_off(old, least)
            if rounded != old:
                new[name] = rounded
                changed.append(f"{name}{j} = {old} was replaced by {rounded}")
        frames.append(replace(frame, **new) if new else frame)
    weight = max(abs(x.number or 0.0) for x in robot.base.G)
    g = [_without_round_off(x, LENGTH_TOLERANCE * weight) for x in robot.base.G]
    if tuple(g) != robot.base.G:
        changed.append("components of gravity below 1e-9 of its magnitude were replaced by zero")
    place = tuple(
        _without_round_off(x, least if k in POSITION else LENGTH_TOLERANCE)
        for k, x in enumerate(robot.base.Z)
    )
    base = replace(robot.base, G=(g[0], g[1], g[2]), Z=place)
    return replace(robot, frames=tuple(frames), base=base), tuple(changed)


def _angle(f: Formula) -> Formula:
    number = f.number
    if number is None or "pi" in f.text:
        return f
    return ZERO if abs(number) < ANGLE_TOLERANCE else exact_angle(f, ANGLE_TOLERANCE / 4)


def _without_round_off(f: Formula, least: float) -> Formula:
    """Return the formula, or zero if it is a number with a magnitude below `least`."""
    number = f.number
    return ZERO if number is not None and abs(number) < least else f


def field_of(robot: Robot) -> Field:
    """Return a converter of a robot's geometry, including the frames of loops, to exact numbers."""
    lengths: list[Formula] = [*robot.base.G, *robot.base.Z]
    angles: list[Formula] = []
    for frame in robot.frames:
        angles += [getattr(frame, name) for name in ANGLES]
        lengths += [getattr(frame, name) for name in LENGTHS]
    for j, law in followers(robot).items():
        lengths += [ratio for _, ratio in law.terms]
        (angles if robot.frame(j).sigma == JointType.REVOLUTE else lengths).append(law.offset)
    return Field(lengths, angles)


def moves(robot: Robot) -> bool:
    """Return whether the robot description prescribes a motion of a fixed base."""
    base = robot.base
    return any(not f.is_zero for name in ("W0", "WP0", "V0", "VP0") for f in getattr(base, name))


def with_values(robot: Robot, values: dict[ParameterKey, Formula]) -> Robot:
    """Return the robot with the given values of parameters (link, name)."""
    links: dict[int, dict[str, Any]] = {j: {} for j, _ in enumerate((robot.base.link, *robot.links))}
    rotors: dict[int, Formula] = {}
    for (j, name), f in values.items():
        if name == "IA":
            rotors[j] = f
        else:
            links[j][name] = f
    frames = tuple(
        replace(frame, IA=rotors[j]) if j in rotors else frame for j, frame in enumerate(robot.frames, 1)
    )
    return replace(
        robot,
        frames=frames,
        links=tuple(replace(link, **links[j]) for j, link in enumerate(robot.links, 1)),
        base=replace(robot.base, link=replace(robot.base.link, **links[0])),
    )
