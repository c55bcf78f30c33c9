"""Provide default numbers for symbols without a nominal value, according to the quantity that a symbol denotes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from symoro.errors import SymoroError
from symoro.expr.formula import Formula
from symoro.robot.description import JointType, Link, Robot, scalars
from symoro.robot.flexibility import Flexibility
from symoro.robot.records import CoupledMotor, Frame, Placement
from symoro.robot.size import binary_length, characteristic_length
from symoro.robot.wheels import Wheel

_Usual = TypeVar("_Usual")

LENGTH = 0.4  # m
_PLACE = {**dict.fromkeys(("b", "d", "r"), LENGTH), **dict.fromkeys(("gamma", "alpha", "theta"), 0.5)}
_WHEEL, _BEAM_LENGTH = {"radius": 0.1}, {"length": 0.5}
_GRAVITY = (0.0, 0.0, -9.81)
_OTHER = 0.0

# Numbers for a robot whose largest length is LENGTH, and the powers of its size by which they are multiplied for other
# sizes, so that robots of the same masses move alike in their own time scale, sqrt(size / g).
_LINK = {
    "M": (1.0, 0.0),
    "MX": (0.05, 1.0),  # x of the frame of a link often points along the link
    **dict.fromkeys(("MY", "MZ"), (0.0, 1.0)),
    **dict.fromkeys(("XX", "YY", "ZZ"), (0.1, 2.0)),
    **dict.fromkeys(("XY", "XZ", "YZ"), (0.0, 2.0)),
}
_WHEEL_LINK = {**_LINK, "MX": (0.0, 1.0)}  # balanced
_REVOLUTE = {
    "IA": (0.01, 2.0),  # kg m2
    "FV": (0.1, 1.5),  # Nms/rad
    "FS": (0.1, 1.0),  # N m
    "FB": (0.05, 1.0),  # N m
    "VS": (0.1, -0.5),  # rad/s
    "k": (100.0, 1.0),  # N m/rad
}
_PRISMATIC = {
    "IA": (0.01, 0.0),  # kg
    "FV": (0.1, -0.5),  # Ns/m
    "FS": (0.1, 0.0),  # N
    "FB": (0.05, 0.0),  # N
    "VS": (0.1, 0.5),  # m/s
    "k": (100.0, -1.0),  # N/m
}
_MOTOR = {"IAM": (0.01, 2.0), "FVM": (0.1, 1.5), "FSM": (0.1, 1.0)}
_BEAM = {
    "density": (1.0, -1.0),  # kg/m
    **dict.fromkeys(("EIz", "EIy"), (100.0, 2.0)),  # N m2
    "GJ": (50.0, 2.0),  # N m2
    "Ip": (0.01, 1.0),  # kg m
}


def default_values(robot: Robot) -> dict[str, float]:
    """Return a number for each symbol of a robot: its nominal value, or a default if it has none.

    The default depends on the first quantity (length, mass, inertia, ...) in which the symbol occurs, and on the
    size of the robot.
    """
    values = dict(robot.nominal)
    for value, usual in _geometry(robot):
        for name in value.symbols:
            values.setdefault(name, usual)
    size = binary_length(characteristic_length(robot, values) / LENGTH)
    for value, (usual, power) in _dynamics(robot):
        for name in value.symbols:
            values.setdefault(name, float(f"{usual * size**power:.2g}"))
    return {name: values.get(name, _OTHER) for name in robot.symbols()}


def number_at(value: Formula, values: Mapping[str, float]) -> float | None:
    """Return the value of a formula at given numbers of its symbols; None if it is undefined."""
    try:
        return value.value(values)
    except SymoroError:
        return None


def _geometry(robot: Robot) -> Iterator[tuple[Formula, float]]:
    """Yield pairs (formula of the geometry or of gravity, default number for the symbols in it)."""
    for frame in robot.frames:
        yield from _of(frame, _PLACE)
    if robot.tool:
        yield from _of(robot.tool.place, _PLACE)
    for wheel in robot.wheels:
        yield from _of(wheel, _WHEEL)
    for link in robot.links:
        if link.flexible:
            yield from _of(link.flexible, _BEAM_LENGTH)
    yield from zip(robot.base.G, _GRAVITY, strict=True)
    yield from ((robot.base.Z[4 * r + c], 1.0 if r == c else 0.0) for r in range(3) for c in range(4))


def _dynamics(robot: Robot) -> Iterator[tuple[Formula, tuple[float, float]]]:
    """Yield each formula of the dynamics with the default number of its symbols and its power of the size."""
    wheels = {wheel.frame for wheel in robot.wheels}
    for j, link in enumerate((*robot.links, robot.base.link), 1):
        if link.flexible:
            yield from _of(link.flexible, _BEAM)
            yield from _of(link.flexible.tip or Link(), _LINK)
        yield from _of(link, _WHEEL_LINK if j in wheels else _LINK)
    if robot.payload:
        yield from _of(robot.payload, _LINK)
    for frame in robot.frames:
        yield from _of(frame, _PRISMATIC if frame.sigma == JointType.PRISMATIC else _REVOLUTE)
        if frame.coupling:
            yield from ((ratio, (1.0, 0.0)) for _, ratio in frame.coupling.terms)
    for motor in robot.motors:
        yield from _of(motor, _MOTOR)
        yield from ((ratio, (1.0, 0.0)) for _, ratio in motor.turns_with)


def _of(
    held: Frame | Link | Placement | CoupledMotor | Flexibility | Wheel, usual: Mapping[str, _Usual]
) -> Iterator[tuple[Formula, _Usual]]:
    return ((value, usual[name]) for name, value in scalars(held) if name in usual)
