"""Names that a sweep can vary or fix: entries of inputs, parameters of the robot, coordinates of a pose.

    q2, qd1, T1_4 ...              an entry of an input of the models; q: every entry of the input
    D3, M2 ...                     a symbol of the robot
    x y z roll pitch yaw           pose of the end effector in frame 0, rotation Rz(yaw) Ry(pitch) Rx(roll); the joints
                                   follow from inverse geometry

Of a robot with closed loops the positions of the active joints are given; those of the passive joints follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.errors import OptionError, UnknownNameError
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.models.units import parameter_units
from symoro.notation import UNITS
from symoro.program.program import Input, Output, size
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import moving_joints
from symoro.runtime.degrees import JOINT_OUTPUTS, OF_JOINTS, POSITIONS, degree_factors, joint_numbers
from symoro.study.ranges import Array, number

POSE = ("x", "y", "z", "roll", "pitch", "yaw")
_PARAMETER = re.compile(r"[A-Z]+\d+_*\Z")  # SYMORO's names of parameters
_DEGREES = {"rad": "deg", "rad/s": "deg/s", "rad/s2": "deg/s2"}


@dataclass(frozen=True)
class Column:
    """Column of a result: name and unit; the unit is empty for numbers without dimension."""

    name: str
    unit: str


def entry_factors(robot: Robot, port: Input, degrees: bool) -> Array:
    """Return, per entry of an input, the factor from the user's unit to the SI unit."""
    if not degrees or port.name not in OF_JOINTS:
        return np.ones(size(port.shape))
    return degree_factors(robot, joint_numbers(port))


def entry_units(robot: Robot, port: Input, degrees: bool) -> list[str]:
    """Return the unit of each entry of an input, as the user gives it."""
    if port.name not in OF_JOINTS:
        return [port.unit] * size(port.shape)
    choices = UNITS[port.name].split(", ")
    slides = [robot.frame(j).sigma == JointType.PRISMATIC for j in joint_numbers(port)]
    units = [choices[int(slide)] for slide in slides]
    return [_DEGREES.get(unit, unit) for unit in units] if degrees else units


def output_columns(robot: Robot, port: Output, degrees: bool) -> tuple[list[Column], Array]:
    """Return the columns of an output of a model, and the factors from SI units to those of the columns.

    Entries of joint quantities have the number of their joint, others their indices from 1.
    """
    names = [port.name]
    factors = np.ones(size(port.shape))
    unit = port.unit
    if len(port.shape) == 1:
        joints = _joints_of(robot, port.shape[0])
        names = [f"{port.name}{j}" for j in joints or range(1, port.shape[0] + 1)]
        if degrees and joints and port.name in JOINT_OUTPUTS:
            factors = 1 / degree_factors(robot, joints)
            unit = _DEGREES.get(unit, unit)
    elif port.shape:
        places = np.ndindex(*port.shape)
        names = ["_".join([port.name, *(str(i + 1) for i in place)]) for place in places]
    return [Column(name, unit) for name in names], factors


def _joints_of(robot: Robot, length: int) -> list[int]:
    """Return the joints to which the entries of a vector of this length belong; empty if this is not clear."""
    candidates = (active_joints(robot) if robot.B else independent(robot), moving_joints(robot))
    return next((list(joints) for joints in candidates if len(joints) == length), [])


@dataclass(frozen=True)
class Names:
    """Names that a sweep of a robot may use.

    Attributes:
        robot: the robot.
        ports: inputs of all models of the sweep, by name.
        degrees: whether angles of joints and of the pose are given in degrees.
        by_pose: whether the joints follow from the pose of the end effector.
    """

    robot: Robot
    ports: Mapping[str, Input]
    degrees: bool
    by_pose: bool

    @property
    def entries(self) -> dict[str, tuple[str, ...]]:
        """Names of the entries of each input that may be given; those of the active joints for closed loops."""
        given: dict[str, tuple[str, ...]] = {}
        for name, port in self.ports.items():
            if name == "q" and self.by_pose:
                continue
            symbols = port.symbols
            if name == "q" and self.robot.B:
                symbols = tuple(f"q{j}" for j in active_joints(self.robot))
            given[name] = symbols
        return given

    def check(self, names: Iterable[str], used_parameters: Iterable[str]) -> None:
        """Check that every name can be varied or fixed.

        Raises:
            UnknownNameError: there is no such entry, symbol or coordinate.
            OptionError: it is the position of a passive joint, or has no effect.
        """
        entries = [entry for one in self.entries.values() for entry in one]
        used = set(used_parameters)
        for name in names:
            if name in entries or name in used or (self.by_pose and name in POSE):
                continue
            if name in self.robot.symbols():
                raise OptionError(
                    f"'{name}' has no effect: it does not occur in the models of this sweep",
                    hint=f"parameters that occur: {', '.join(sorted(used)) or 'none'}",
                )
            if "q" in self.ports and name in self.ports["q"].symbols:
                reason = "the pose" if self.by_pose else "the active joints"
                raise OptionError(f"'{name}' is not a free quantity: it follows from {reason}")
            raise UnknownNameError("quantity to sweep", name, [*entries, *sorted(used)])

    def unit(self, name: str) -> str:
        """Return the unit of a swept quantity, as the user gives it."""
        for port in self.ports.values():
            if name in port.symbols:
                return entry_units(self.robot, port, self.degrees)[port.symbols.index(name)]
        if self.by_pose and name in POSE:
            return "m" if name in POSE[:3] else "deg" if self.degrees else "rad"
        return parameter_units(self.robot).get(name, "")


def fixed_values(names: Names, at: Mapping[str, Any]) -> dict[str, float]:
    """Return the fixed value of each entry, parameter and coordinate by name, in the unit in which it is given.

    Args:
        names: names that the sweep may use.
        at: numbers by name, lists of numbers for whole inputs, or the name of a posture for q.

    Raises:
        OptionError: a list has the wrong length, or a name is given twice.
    """
    fixed: dict[str, float] = {}
    for name, given in at.items():
        entries = names.entries.get(name, (name,))
        if isinstance(given, str) and given in names.robot.postures:
            values: Sequence[Any] = _posture(names, name, given)
        elif isinstance(given, str):
            values = [part for part in given.split(",") if part.strip()]
        else:
            values = list(np.ravel(np.asarray(given, dtype=object)))
        if len(values) == 1 and len(entries) > 1:
            values = [*values] * len(entries)  # one number for all entries
        if len(values) != len(entries):
            raise OptionError(
                f"'{name}' has {len(entries)} entries, but {len(values)} numbers are given",
                hint=f"entries: {', '.join(entries)}",
            )
        for entry, value in zip(entries, values, strict=True):
            if entry in fixed:
                raise OptionError(f"'{entry}' is given twice")
            fixed[entry] = number(entry, value)
    return fixed


def _posture(names: Names, port: str, posture: str) -> list[float]:
    """Return the positions of a named posture for the entries of an input, in the user's unit."""
    robot = names.robot
    if port not in POSITIONS:
        raise OptionError(f"'{port}': expected numbers, got the name of the posture '{posture}'")
    known = dict(zip(independent(robot), robot.postures[posture], strict=True))
    joints = [int(re.findall(r"\d+\Z", entry)[0]) for entry in names.entries[port]]
    factors = degree_factors(robot, joints) if names.degrees else np.ones(len(joints))
    return [known[j] / factor for j, factor in zip(joints, factors, strict=True)]


def with_symbols(robot: Robot, names: Iterable[str]) -> Robot:
    """Return the robot with symbols in place of those of its numbers that have the given names, such as D3 or M2.

    The numbers become nominal values. Names that are symbols already, and unknown names, change nothing.
    """
    wanted = {name for name in names if _PARAMETER.match(name)} - {*robot.symbols()}
    if not wanted:
        return robot
    symbolic = robot.symbolic(inertia=True, geometry=True, friction=True, gravity=True)
    back = {
        name: value for name, value in symbolic.nominal if name not in wanted and name not in robot.symbols()
    }
    known = {*symbolic.symbols()}
    return symbolic.bind({name: value for name, value in back.items() if name in known})
