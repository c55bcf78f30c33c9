"""Inertial parameters about a frame's origin from those about the centre of mass.

With mass m, centre of mass c and inertia matrix I about it, both in the axes of the link's frame,

    M = m,    MS = m c,    J = I + m (c'c 1 - c c'),

exactly with symbols; decimals are computed exactly and rounded once. The entries of I are those of the matrix: XY is
minus the integral of x y dm, as in URDF.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from symoro.errors import ExpressionError, OptionError
from symoro.expr.formula import ZERO, Formula, combine, formula
from symoro.robot.records import INERTIAL

CENTRAL = ("mass", "com", "inertia")
SIX = INERTIAL[:6]
SHAPES = "3 values (the diagonal), 6 (xx, xy, xz, yy, yz, zz) or 3 rows of 3"


def about_origin(
    mass: Formula, com: Sequence[Formula] = (ZERO, ZERO, ZERO), inertia: Sequence[Formula] = (ZERO,) * 6
) -> dict[str, Formula]:
    """The ten parameters about the origin of the frame, by name.

    Arguments:
        com: the centre of mass in the link's frame.
        inertia: xx, xy, xz, yy, yz, zz about the centre of mass, in the link's axes.
    """
    x, y, z = com
    xx, xy, xz, yy, yz, zz = inertia
    return {
        "XX": _worked_out(_diagonal, xx, mass, y, z),
        "XY": _worked_out(_product, xy, mass, x, y),
        "XZ": _worked_out(_product, xz, mass, x, z),
        "YY": _worked_out(_diagonal, yy, mass, x, z),
        "YZ": _worked_out(_product, yz, mass, y, z),
        "ZZ": _worked_out(_diagonal, zz, mass, x, y),
        "MX": _worked_out(_moment, mass, x),
        "MY": _worked_out(_moment, mass, y),
        "MZ": _worked_out(_moment, mass, z),
        "M": mass,
    }


def _diagonal(own: Any, m: Any, a: Any, b: Any) -> Any:
    return own + m * (a * a + b * b)


def _product(own: Any, m: Any, a: Any, b: Any) -> Any:
    return own - m * a * b


def _moment(m: Any, a: Any) -> Any:
    return m * a


def _worked_out(function: Callable[..., Any], *given: Formula) -> Formula:
    """A function of formulas; of numbers it is exact, and rounded once where one of them is a decimal.

    Raises:
        ExpressionError: a number comes out too large.
    """
    numbers = [_fraction(item) for item in given]
    if any(number is None for number in numbers):
        return combine(function, *given)
    value = function(*numbers)
    if not any(set(item.text) & set(".e") for item in given):
        return formula(value)
    try:
        return formula(float(value))
    except OverflowError:
        raise ExpressionError("a constant is too large for double precision", 1) from None


def _fraction(item: Formula) -> Fraction | None:
    try:
        return Fraction(item.text)
    except ValueError:
        return None


def six_entries(entries: Sequence[Formula]) -> tuple[Formula, ...] | None:
    """xx, xy, xz, yy, yz, zz of 3, 6 or 9 entries; None for any other number, or a matrix that is not symmetric."""
    if len(entries) == 3:
        x, y, z = entries
        return (x, ZERO, ZERO, y, ZERO, z)
    if len(entries) == 9:
        if any(entries[3 * i + j] != entries[3 * j + i] for i in range(3) for j in range(i)):
            return None
        return tuple(entries[k] for k in (0, 1, 2, 4, 5, 8))
    return tuple(entries) if len(entries) == 6 else None


def without_centre(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a link in which `mass`, `com` and `inertia` are turned into the ten parameters.

    Raises:
        OptionError: they are mixed with some of the ten, incomplete or of a wrong shape.
    """
    others = {key: value for key, value in changes.items() if key not in CENTRAL}
    if len(others) == len(changes):
        return others
    mixed = [key for key in others if key in INERTIAL]
    if "mass" not in changes or mixed:
        what = f"'{mixed[0]}' beside 'mass'" if mixed else "'com' or 'inertia' without 'mass'"
        raise OptionError(f"a link cannot have {what}", hint="give mass, com and inertia, or XX .. M")
    com = _flat(changes.get("com", (0, 0, 0)))
    inertia = six_entries(_flat(changes.get("inertia", (0, 0, 0))))
    if len(com) != 3:
        raise OptionError(f"com needs 3 values, got {len(com)}")
    if inertia is None:
        raise OptionError("inertia is no symmetric matrix", hint=f"give {SHAPES}")
    return others | about_origin(formula(changes["mass"]), com, inertia)


def _flat(given: Any) -> list[Formula]:
    """The entries of a list, or of the rows of one."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return [formula(given)]
    return [entry for item in given for entry in _flat(item)]
