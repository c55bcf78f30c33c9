"""Units of a model's arrays and parameters, from the table of symbols in `notation.py`.

A parameter has the unit of the description field that consists of this symbol alone. A symbol that is used in fields of
different units, or only inside formulas, has no unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from symoro.expr.formula import Formula
from symoro.notation import UNITS, metres
from symoro.program.program import Input, Output, Program
from symoro.robot.coordinates import independent
from symoro.robot.description import (
    DRIVE,
    GEOMETRIC,
    INERTIAL,
    MOTOR,
    WRENCH,
    BaseKind,
    JointType,
    Link,
    Robot,
)
from symoro.robot.flexibility import PROPERTIES, flexible_links
from symoro.robot.topology import cut_joints, moving_joints

FIELD_SYMBOLS = {
    "QP": "qd",
    "QDP": "qdd",
    "GAM": "tau",
    "rest": "q",
}  # symbol of frame fields whose names differ from the notation


NO_UNIT = ("G",)  # arrays without a unit: G is gravity as a parameter, but a matrix of rates as an array


def with_units(program: Program, robot: Robot) -> Program:
    """Return the program with the units of its inputs, outputs and parameters."""
    return replace(
        program,
        inputs=tuple(replace(port, unit=_of_port(robot, port)) for port in program.inputs),
        outputs=tuple(replace(port, unit=_of_port(robot, port)) for port in program.outputs),
        units=parameter_units(robot),
    )


def _of_port(robot: Robot, port: Input | Output) -> str:
    """Return the unit of an input or output array of a program.

    The unit may depend on the types of the joints to which the entries belong; for example it is "rad or m".
    """
    choices = ("" if port.name in NO_UNIT else UNITS.get(port.name, "")).split(", ")
    if len(choices) == 1:
        return choices[0]
    every = f"{', '.join(choices[:-1])} or {choices[-1]}"
    if robot.base.kind == BaseKind.FLOATING and port.shape[-1:] == (6 + len(independent(robot)),):
        return every  # rows or columns of the base, linear and angular
    flexible = flexible_links(robot).values()
    if port.name in ("e", "ed", "edd"):
        kinds_of_modes = {
            int(which) for f in flexible for which in (0, 1) if (f.twist if which else f.y + f.z)
        }
        return choices[kinds_of_modes.pop()] if len(kinds_of_modes) == 1 else every
    if flexible and port.name in ("A", "H"):  # rows of modes and of joints have different units
        return every
    tree, own = moving_joints(robot), independent(robot)
    active = [j for j in own if robot.frame(j).mu]
    joints = tree if port.shape[-1:] == (len(tree),) else own
    if port.name in ("qc", "qc0"):
        joints = cut_joints(robot)
    elif port.name in ("qa", "qda", "qdda") or (robot.B and port.shape[-1:] == (len(active),)):
        joints = active
    kinds = {robot.frame(j).sigma for j in joints}
    if len(kinds) == 1:
        return choices[int(JointType.PRISMATIC in kinds)]
    return every


def parameter_units(robot: Robot) -> dict[str, str]:
    """Return the unit of each symbol of the robot description; symbols without a unique unit are omitted."""
    units_of: dict[str, set[str]] = {}
    for formula, unit in _places(robot):
        name = formula.text.removeprefix("-")
        if unit and not name[0].isdigit() and Formula(name).is_symbol:
            units_of.setdefault(name, set()).add(unit)
    return {name: units.pop() for name, units in units_of.items() if len(units) == 1}


def column_length_power(robot: Robot, name: str) -> int:
    """Return the power of the metre in the unit of an identified parameter, given by its name.

    It is 2 for ZZ3 and 1 for the Coulomb friction FS3 (N) of a prismatic joint. Friction parameters that the notation
    does not list have the unit of torques.
    """
    match = re.fullmatch(r"([A-Za-z]+)(\d+)", name)
    if match is None:
        return 0
    return length_power(robot, int(match[2]), match[1])


def length_power(robot: Robot, number: int, stem: str) -> int:
    """Return the power of the metre in the unit of a parameter of a link or joint.

    Args:
        number: number of the link or joint; 0 is the base.
        stem: name of the parameter without the number, for example "ZZ".
    """
    slides = 1 <= number <= robot.NF and robot.frame(number).sigma == JointType.PRISMATIC
    unit = UNITS.get(stem, UNITS["tau"])
    return metres(unit.split(", ")[-1 if slides else 0])


def _places(robot: Robot) -> Iterator[tuple[Formula, str]]:
    """Yield each formula of a robot description together with its unit."""
    for frame in robot.frames:
        which = int(frame.sigma == JointType.PRISMATIC)
        for name in (*GEOMETRIC, *DRIVE, "k", *FIELD_SYMBOLS):
            formula = getattr(frame, name)
            if formula is not None:
                yield formula, UNITS[FIELD_SYMBOLS.get(name, name)].split(", ")[-1 if which else 0]
    for motor in robot.motors:
        which = int(robot.frame(motor.joint).sigma == JointType.PRISMATIC)
        for name in MOTOR:
            yield getattr(motor, name), UNITS[name].split(", ")[-1 if which else 0]
    for link in (robot.base.link, *robot.links):
        yield from _of_link(link)
    if robot.payload is not None:
        yield from _of_link(robot.payload)
    if robot.tool is not None:
        for name in GEOMETRIC:
            yield getattr(robot.tool.place, name), UNITS[name]
    for wheel in robot.wheels:
        yield wheel.radius, UNITS["r"]
        yield wheel.roller, UNITS["gamma"]
    for formula in robot.base.G:
        yield formula, UNITS["G"]


def _of_link(link: Link) -> Iterator[tuple[Formula, str]]:
    for name in (*INERTIAL, *WRENCH):
        yield getattr(link, name), UNITS[name]
    if link.flexible:
        for name in PROPERTIES:
            yield getattr(link.flexible, name), UNITS[name]
        yield from _of_link(link.flexible.tip or Link())
