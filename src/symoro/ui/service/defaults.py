"""Provide default numbers for symbols without a nominal value, according to the quantity that a symbol denotes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symoro.errors import SymoroError
from symoro.expr.formula import Formula
from symoro.robot.description import CoupledMotor, Frame, Link, Placement, Robot, scalars

_LENGTHS = dict.fromkeys(("b", "d", "r"), 0.4)
_ANGLES = dict.fromkeys(("gamma", "alpha", "theta"), 0.5)
_LINK = {
    **dict.fromkeys(("XX", "YY", "ZZ"), 0.1),
    **dict.fromkeys(("XY", "XZ", "YZ", "MY", "MZ"), 0.0),
    "M": 1.0,
    "MX": 0.05,  # x of the frame of a link often points along the link
}
_DRIVE = {"IA": 0.01, "FV": 0.1, "FS": 0.1, "FB": 0.05, "VS": 0.1, "k": 100.0}
_MOTOR = {"IAM": 0.01, "FVM": 0.1, "FSM": 0.1}
_BEAM = {"length": 0.5, "density": 1.0, "EIz": 100.0, "EIy": 100.0, "GJ": 50.0, "Ip": 0.01}
_WHEEL = {"radius": 0.1}
_GRAVITY = (0.0, 0.0, -9.81)
_OTHER = 0.0


def default_values(robot: Robot) -> dict[str, float]:
    """Return a number for each symbol of a robot: its nominal value, or a default if it has none.

    The default depends on the first quantity (length, mass, inertia, ...) in which the symbol occurs.
    """
    usual_values: dict[str, float] = {}
    for value, usual in _places(robot):
        for name in value.symbols:
            usual_values.setdefault(name, usual)
    values = {name: usual_values.get(name, _OTHER) for name in robot.symbols()}
    return {**values, **{name: number for name, number in robot.nominal if name in values}}


def number_at(value: Formula, values: Mapping[str, float]) -> float | None:
    """Return the value of a formula at given numbers of its symbols; None if it is undefined."""
    try:
        return value.value(values)
    except SymoroError:
        return None


def _places(robot: Robot) -> Iterator[tuple[Formula, float]]:
    """Yield pairs (formula of the robot, default number for the symbols in it); geometric parameters come first."""
    for frame in robot.frames:
        yield from _of(frame, {**_LENGTHS, **_ANGLES})
    if robot.tool:
        yield from _of(robot.tool.place, {**_LENGTHS, **_ANGLES})
    for wheel in robot.wheels:
        yield wheel.radius, _WHEEL["radius"]
    for link in (*robot.links, robot.base.link):
        if link.flexible:
            yield from ((getattr(link.flexible, name), usual) for name, usual in _BEAM.items())
            yield from _of(link.flexible.tip or Link(), _LINK)
        yield from _of(link, _LINK)
    if robot.payload:
        yield from _of(robot.payload, _LINK)
    yield from zip(robot.base.G, _GRAVITY, strict=True)
    yield from ((robot.base.Z[4 * r + c], 1.0 if r == c else 0.0) for r in range(3) for c in range(4))
    for frame in robot.frames:
        yield from _of(frame, _DRIVE)
        if frame.coupling:
            yield from ((ratio, 1.0) for _, ratio in frame.coupling.terms)
    for motor in robot.motors:
        yield from _of(motor, _MOTOR)
        yield from ((ratio, 1.0) for _, ratio in motor.turns_with)


def _of(
    held: Frame | Link | Placement | CoupledMotor, usual: Mapping[str, float]
) -> Iterator[tuple[Formula, float]]:
    return ((value, usual[name]) for name, value in scalars(held) if name in usual)
