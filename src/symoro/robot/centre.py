"""Inertial parameters about the origin of a link frame, from those about the centre of mass.

With mass m, centre of mass c and inertia matrix I about c, both expressed in the axes of the link frame,

    M = m,    MS = m c,    J = I + m (c'c 1 - c c').

The computation is exact for symbols and fractions; decimals are computed exactly and rounded once. The entries of I
are those of the matrix: XY is minus the integral of x y dm, as in URDF.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from symoro.errors import ExpressionError, OptionError
from symoro.expr.formula import ZERO, Formula, combine, formula
from symoro.robot.records import INERTIAL

CENTRAL = ("mass", "com", "inertia")
SHAPES = "3 values (the diagonal), 6 values (xx, xy, xz, yy, yz, zz) or 3 rows of 3 values"


def about_origin(
    mass: Formula, com: Sequence[Formula] = (ZERO, ZERO, ZERO), inertia: Sequence[Formula] = (ZERO,) * 6
) -> dict[str, Formula]:
    """Return the ten inertial parameters of a link about the origin of its frame.

    Args:
        mass: mass of the link (kg).
        com: centre of mass in the link frame (m).
        inertia: xx, xy, xz, yy, yz, zz about the centre of mass, in the axes of the link frame (kg m2).

    Returns:
        The parameters by name: XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M.
    """
    x, y, z = com
    xx, xy, xz, yy, yz, zz = inertia
    return {
        "XX": _apply(_diagonal, xx, mass, y, z),
        "XY": _apply(_product, xy, mass, x, y),
        "XZ": _apply(_product, xz, mass, x, z),
        "YY": _apply(_diagonal, yy, mass, x, z),
        "YZ": _apply(_product, yz, mass, y, z),
        "ZZ": _apply(_diagonal, zz, mass, x, y),
        "MX": _apply(_moment, mass, x),
        "MY": _apply(_moment, mass, y),
        "MZ": _apply(_moment, mass, z),
        "M": mass,
    }


def in_other_frame(
    body: Mapping[str, Formula], rotation: Sequence[Formula], position: Sequence[Formula]
) -> dict[str, Formula]:
    """Return the ten inertial parameters of a body, expressed in another frame.

        MS' = R MS + m p,    J' = R J R' + (2 s.p + m p.p) 1 - s p' - p s' - m p p',    s = R MS

    Args:
        body: parameters by name, about the origin and in the axes of the original frame.
        rotation: the nine entries, by rows, of the rotation matrix R of the original frame in the other frame.
        position: position p of the origin of the original frame in the other frame (m).

    Returns:
        The parameters by name, about the origin and in the axes of the other frame.
    """
    values = [body[name] for name in INERTIAL]
    entries = [_apply(_entry(k), *rotation, *position, *values) for k in range(9)]
    return dict(zip(INERTIAL, [*entries, body["M"]], strict=True))


def _entry(k: int) -> Callable[..., Any]:
    """Return a function that computes one inertial parameter in another frame (see `in_other_frame`).

    Args:
        k: index of the parameter in XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ.

    Returns:
        A function of the nine entries of R, the three of p, and the ten parameters in the original frame.
    """

    def entry(*given: Any) -> Any:
        R, p = [given[0:3], given[3:6], given[6:9]], given[9:12]
        xx, xy, xz, yy, yz, zz, *ms, mass = given[12:]
        s = [sum((R[i][j] * ms[j] for j in range(3)), start=0) for i in range(3)]
        if k >= 6:
            return s[k - 6] + mass * p[k - 6]
        J = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        a, b = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))[k]
        rotated = sum((R[a][i] * J[i][j] * R[b][j] for i in range(3) for j in range(3)), start=0)
        shift = -(s[a] * p[b] + p[a] * s[b] + mass * p[a] * p[b])
        if a == b:
            shift = shift + sum((2 * s[i] * p[i] + mass * p[i] * p[i] for i in range(3)), start=0)
        return rotated + shift

    return entry


def point_in_other_frame(
    point: Sequence[Formula], rotation: Sequence[Formula], position: Sequence[Formula]
) -> tuple[Formula, Formula, Formula]:
    """Return the coordinates R x + p of a point in another frame.

    Args:
        point: coordinates x of the point in the original frame (m).
        rotation: the nine entries, by rows, of the rotation matrix R of the original frame in the other frame.
        position: position p of the origin of the original frame in the other frame (m).
    """

    def entry(a: Any, b: Any, c: Any, p: Any, x: Any, y: Any, z: Any) -> Any:
        return a * x + b * y + c * z + p

    first, second, third = (
        _apply(entry, *rotation[3 * i : 3 * i + 3], position[i], *point) for i in range(3)
    )
    return first, second, third


def _diagonal(own: Any, m: Any, a: Any, b: Any) -> Any:
    return own + m * (a * a + b * b)


def _product(own: Any, m: Any, a: Any, b: Any) -> Any:
    return own - m * a * b


def _moment(m: Any, a: Any) -> Any:
    return m * a


def _apply(function: Callable[..., Any], *formulas: Formula) -> Formula:
    """Return the formula that results if a function is applied to formulas.

    The result is exact if all formulas are exact; it is rounded once if one of them contains a decimal.

    Raises:
        ExpressionError: the result is too large for double precision.
    """
    numbers = [_fraction(item) for item in formulas]
    if any(number is None for number in numbers):
        return combine(function, *formulas)
    value = function(*numbers)
    if not any(set(item.text) & set(".e") for item in formulas):
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
    """Return the entries xx, xy, xz, yy, yz, zz of a symmetric inertia matrix.

    Args:
        entries: 3 (the diagonal), 6 (upper triangle by rows) or 9 entries (by rows) of the matrix.

    Returns:
        Six formulas; None if the number of entries is not 3, 6 or 9, or if the matrix is not symmetric.
    """
    if len(entries) == 3:
        x, y, z = entries
        return (x, ZERO, ZERO, y, ZERO, z)
    if len(entries) == 9:
        if any(entries[3 * i + j] != entries[3 * j + i] for i in range(3) for j in range(i)):
            return None
        return tuple(entries[k] for k in (0, 1, 2, 4, 5, 8))
    return tuple(entries) if len(entries) == 6 else None


def without_centre(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a link, with `mass`, `com` and `inertia` replaced by the ten inertial parameters.

    Args:
        changes: fields of a link by name.

    Raises:
        OptionError: the three fields are incomplete, have a wrong shape or are given together with some of the ten
            parameters.
    """
    others = {key: value for key, value in changes.items() if key not in CENTRAL}
    if len(others) == len(changes):
        return others
    mixed = [key for key in others if key in INERTIAL]
    if "mass" not in changes or mixed:
        fields = f"both 'mass' and '{mixed[0]}'" if mixed else "'com' or 'inertia' without 'mass'"
        raise OptionError(
            f"a link cannot have {fields}", hint="give either mass, com and inertia, or XX .. M"
        )
    com = _flat(changes.get("com", (0, 0, 0)))
    entries = _flat(changes.get("inertia", (0, 0, 0)))
    inertia = six_entries(entries)
    if len(com) != 3:
        raise OptionError(f"com: expected 3 values, got {len(com)}")
    if inertia is None:
        count = f"inertia: expected 3, 6 or 9 values, got {len(entries)}"
        raise OptionError(
            "the inertia matrix is not symmetric" if len(entries) == 9 else count, hint=f"give {SHAPES}"
        )
    return others | about_origin(formula(changes["mass"]), com, inertia)


def _flat(given: Any) -> list[Formula]:
    """Return the entries of a list or of nested lists (rows) as one flat list of formulas."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return [formula(given)]
    return [entry for item in given for entry in _flat(item)]
