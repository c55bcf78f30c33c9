"""Inertial parameters about a frame's origin from those about the centre of mass.

With mass m, centre of mass c and inertia matrix I about it, both in the axes of the link's frame,

    M = m,    MS = m c,    J = I + m (c'c 1 - c c'),

exactly, symbols included. The entries of I are those of the matrix: XY is minus the integral of x y dm, as in URDF.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from symoro.errors import OptionError
from symoro.expr.formula import ZERO, Formula, combine, formula
from symoro.robot.description import INERTIAL

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
    places = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    found = {name: inertia[k] + _point(mass, com, *places[k]) for k, name in enumerate(SIX)}
    found |= {name: mass * c for name, c in zip(("MX", "MY", "MZ"), com, strict=True)}
    return {**found, "M": mass}


def _point(mass: Formula, com: Sequence[Formula], i: int, j: int) -> Formula:
    """Entry (i, j) of the inertia of a point mass at the centre."""
    if i != j:
        return combine(lambda m, a, b: -(m * a * b), mass, com[i], com[j])
    a, b = (com[k] for k in range(3) if k != i)
    return combine(lambda m, x, y: m * (x * x + y * y), mass, a, b)


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
