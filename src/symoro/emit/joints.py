"""Names of the joints of the robot description as constants of the emitted code: indices into its arrays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from symoro.emit.dialect import Dialect
from symoro.emit.names import Names, identifier
from symoro.program.program import Program

_VARIABLE = re.compile(r"(?:q|qd|qdd|tau|q0_)(\d+)")
_ALL = ("q", "q0")
_ACTIVE = ("qa", "qda", "tau")


@dataclass(frozen=True)
class JointIndex:
    """Position of a joint in the arrays of a model.

    Attributes:
        kind: "JOINT" for arrays of all joints, such as q; "ACTIVE" for arrays of the active joints, such as qda.
        name: name of the joint in the description of the robot.
        identifier: the name reduced to letters, digits and underscores, unique among those of its kind.
        index: position, counted from 0.
    """

    kind: str
    name: str
    identifier: str
    index: int


def joint_indices(program: Program) -> list[JointIndex]:
    """Return the positions of all joints, and of the active joints if they are only some of them.

    The list is empty if the program is not the model of a robot.
    """
    if not program.joints:
        return []
    ports = {port.name: port.symbols for port in program.inputs}
    every = _joints(next((ports[name] for name in _ALL if name in ports), ()))
    active = _joints(next((ports[name] for name in _ACTIVE if name in ports), ()))
    result = _indices(program, "JOINT", every)
    return result + (_indices(program, "ACTIVE", active) if active != every else [])


def _joints(symbols: Sequence[str]) -> list[str]:
    """Return the joint variables, such as q3, that belong to the entries of an array, such as qd3."""
    matches = [_VARIABLE.fullmatch(symbol) for symbol in symbols]
    return [f"q{match[1]}" for match in matches if match is not None]


def _indices(program: Program, kind: str, variables: Sequence[str]) -> list[JointIndex]:
    names = Names(Dialect())
    result = []
    for index, variable in enumerate(variables):
        name = program.joints.get(variable, variable)
        result.append(JointIndex(kind, name, names.claim(identifier(name, "joint")), index))
    return result
