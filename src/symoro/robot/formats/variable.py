"""Joint variables inside expressions: files contain `th3 + pi/2`, a description contains pi/2."""

from __future__ import annotations

from collections.abc import Iterable

from symoro.errors import SymoroError
from symoro.expr.formula import ZERO, Formula
from symoro.robot.records import JointType

_PREFIXES = {JointType.REVOLUTE: ("th", "t", "q"), JointType.PRISMATIC: ("r", "q"), JointType.FIXED: ()}


def variable_names(sigma: JointType, j: int) -> list[str]:
    """Return the permitted names of the variable of joint j in a file, the usual one first."""
    return [f"{prefix}{j}" for prefix in _PREFIXES[sigma]]


def find_variable(value: Formula, names: Iterable[str]) -> str | None:
    """Return the name among `names` on which a formula depends; None if it depends on none or on several of them."""
    used = [name for name in names if name in value.symbols]
    return used[0] if len(used) == 1 else None


def not_constant(key: str, j: int, name: str, other: int) -> tuple[str, str]:
    """Return error message and hint for a parameter of joint j that contains the variable of another joint.

    Args:
        key: name of the parameter.
        j: number of the joint.
        name: name of the variable.
        other: number of the joint to which the variable belongs.
    """
    return (
        f"{key} of joint {j} contains {name}, the variable of joint {other}",
        "describe coupled joints with the key 'coupled' in a YAML file",
    )


def offset_from(value: Formula, variable: str) -> Formula | None:
    """Return the constant c if a formula equals variable + c, otherwise None.

    The test is exact: c is the formula with zero in place of the variable, and formula - c must equal the variable.
    """
    if value.text == variable:
        return ZERO
    try:
        offset = value.substitute({variable: ZERO})
        return offset if (value - offset).text == variable else None
    except SymoroError:  # for example 1/th1 at th1 = 0
        return None
