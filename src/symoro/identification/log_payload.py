"""Payload that a robot carried in a log: known, or unknown and estimated.

    payload: {mass: 2, com: [0, 0, 0.1], inertia: [0.01, 0.01, 0.004]}    known, as in `Robot.with_payload`
    payload: {unknown: box}                    ten parameters are estimated; logs with the same name carry the same body
    payload: {unknown: box, mass: 2}           the mass was weighed, the other nine parameters are estimated

`link` names the link that carries it; by default it is fixed to the tool frame. The ten parameters of an unknown
payload have the names XX_box, ..., M_box. They are about the origin and in the axes of the frame that carries it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from symoro.errors import ArgumentError, ExpressionError, SymoroError
from symoro.expr.formula import formula
from symoro.robot.centre import without_centre
from symoro.robot.records import INERTIAL

PAYLOAD_KEYS = ("unknown", "mass", "com", "inertia", "link")
UNKNOWN = "unknown"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}\Z")
_HINT = "give mass, and if known com and inertia, or unknown: NAME for a payload that is estimated"


@dataclass(frozen=True)
class LogPayload:
    """Payload of a log.

    Attributes:
        unknown: name of a payload that is estimated; None if it is known.
        mass: its mass in kg; None if it is estimated.
        parameters: XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M of a known payload, about the origin of the frame that
            carries it; empty if the payload is unknown.
        link: number or name of the link that carries it; None for the tool frame.
    """

    unknown: str | None = None
    mass: float | None = None
    parameters: tuple[float, ...] = ()
    link: int | str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the ten parameters of an unknown payload."""
        return tuple(f"{kind}_{self.unknown}" for kind in INERTIAL)

    def __str__(self) -> str:
        where = "" if self.link is None else f" on link {self.link}"
        if self.unknown is None:
            return f"known, {self.mass:g} kg{where}"
        return f"'{self.unknown}', unknown{where}" + ("" if self.mass is None else f", mass {self.mass:g} kg")


def payload_kind(name: str) -> str | None:
    """Return the kind of a parameter of an unknown payload, such as 'XX' for 'XX_box'; None for other parameters."""
    kind, separator, _ = name.partition("_")
    return kind if separator and kind in INERTIAL else None


def log_payload(fields: Mapping[str, Any] | str | LogPayload | None) -> LogPayload | None:
    """Return the payload of a log from its fields, after a check.

    Args:
        fields: keys `unknown`, `mass`, `com`, `inertia` and `link`; 'unknown' for a payload of which nothing is known;
            None or 'none' for no payload.

    Raises:
        ArgumentError: a key or a value is not valid.
    """
    if fields is None or isinstance(fields, LogPayload):
        return fields
    if isinstance(fields, str):
        if fields not in (UNKNOWN, "none"):
            raise ArgumentError(
                f"payload: expected fields, 'unknown' or 'none', got '{fields[:40]}'", hint=_HINT
            )
        return LogPayload("payload") if fields == UNKNOWN else None
    if not isinstance(fields, Mapping):
        raise ArgumentError(
            f"payload: expected fields such as mass and com, got {str(fields)[:40]!r}", hint=_HINT
        )
    for key in fields:
        if key not in PAYLOAD_KEYS:
            raise ArgumentError(
                f"payload: there is no field '{str(key)[:40]}'", hint=f"fields: {', '.join(PAYLOAD_KEYS)}"
            )
    mass = None if fields.get("mass") is None else _number("mass", fields["mass"])
    if mass is not None and not mass > 0:
        raise ArgumentError(f"payload: the mass is {mass:g} kg, expected a positive number")
    link = fields.get("link")
    if isinstance(link, str) and link.isascii() and link.isdigit():
        link = int(link)
    name = fields.get("unknown")
    if name is None:
        return _known(fields, mass, link)
    if not isinstance(name, str) or not _NAME.match(name):
        raise ArgumentError(
            "payload: the name of an unknown payload consists of letters, digits and underscores, got "
            f"'{str(name)[:40]}'"
        )
    given = [key for key in ("com", "inertia") if fields.get(key) is not None]
    if given:
        raise ArgumentError(
            f"payload: {given[0]} of the unknown payload '{name}' is given, but it is estimated",
            hint="omit it, or omit 'unknown' if the whole payload is known",
        )
    return LogPayload(name, mass, (), link)


def _known(fields: Mapping[str, Any], mass: float | None, link: int | str | None) -> LogPayload:
    if mass is None:
        raise ArgumentError("payload: the mass of a known payload is missing", hint=_HINT)
    given = {key: fields[key] for key in ("com", "inertia") if fields.get(key) is not None}
    try:
        body = without_centre({"mass": mass, **given})
    except SymoroError as error:
        raise ArgumentError(f"payload: {error.message}", hint=error.hint) from None
    numbers = {kind: body[kind].number for kind in INERTIAL}
    parameters = tuple(float(x) for x in numbers.values() if x is not None)
    if len(parameters) < len(INERTIAL):
        symbols = ", ".join(sorted({name for kind in INERTIAL for name in body[kind].symbols}))
        raise ArgumentError(f"payload: expected numbers, got the symbols {symbols}")
    return LogPayload(None, mass, parameters, link)


def _number(key: str, value: Any) -> float:
    try:
        number = formula(value).number
    except (ExpressionError, TypeError):
        number = None
    if number is None or not isfinite(number):
        raise ArgumentError(f"payload: expected a finite number for {key}, got '{str(value)[:40]}'")
    return float(number)
