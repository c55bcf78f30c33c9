"""The joint variable inside an expression: formats write `th3 + pi/2` where a description keeps pi/2."""

from __future__ import annotations

from collections.abc import Iterable

from symoro.errors import SymoroError
from symoro.expr.formula import ZERO, Formula
from symoro.robot.records import JointType

_PREFIXES = {JointType.REVOLUTE: ("th", "t", "q"), JointType.PRISMATIC: ("r", "q"), JointType.FIXED: ()}


def variable_names(sigma: JointType, j: int) -> list[str]:
    """The names that the variable of joint j may have, the usual one first."""
    return [f"{prefix}{j}" for prefix in _PREFIXES[sigma]]


def find_variable(value: Formula, names: Iterable[str]) -> str | None:
    """The one of the names that a formula depends on; None when there is none, or more than one."""
    found = [name for name in names if name in value.symbols]
    return found[0] if len(found) == 1 else None


def not_constant(key: str, j: int, name: str, other: int) -> tuple[str, str]:
    """Message and hint for a parameter of joint j that holds the variable of another joint."""
    return (
        f"{key} of joint {j} holds {name}, the variable of joint {other}",
        "joints that move together are written with 'coupled' in a YAML file",
    )


def offset_from(value: Formula, variable: str) -> Formula | None:
    """The constant that a formula adds to the variable; None when it is not `variable + constant`.

    Exact: what is left at variable = 0 does not depend on it, and the difference must be the variable alone.
    """
    if value.text == variable:
        return ZERO
    try:
        offset = value.substitute({variable: ZERO})
        return offset if (value - offset).text == variable else None
    except SymoroError:  # 1/th1 has no value at zero
        return None
