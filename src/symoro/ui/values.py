"""Read numbers from the command line and from JSON files."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from symoro.errors import ArgumentError, ExpressionError, OptionError, Place, UnknownNameError
from symoro.expr.formula import formula
from symoro.expr.parser import NAME, reserved
from symoro.robot.description import Robot

MAX_BYTES = 64 * 2**20
PAYLOAD_HINT = "write mass=2,com=0,0,0.1 and, if needed, inertia=XX,XY,XZ,YY,YZ,ZZ and link=NAME"


def binding(item: str) -> tuple[str, str]:
    """Split a text NAME=VALUE into name and value."""
    name, separator, value = item.partition("=")
    if not separator or not name or not value:
        raise OptionError(f"'{item}' is not of the form NAME=VALUE")
    return name.strip(), value.strip()


def assignments(option: str, texts: Sequence[str]) -> dict[str, str]:
    """Return values by name from texts such as 'q1=0,q4=10' or 'qd=0,0'; a part without '=' continues a list.

    Args:
        option: name of the option, for errors.

    Raises:
        OptionError: a text does not begin with NAME=, or a name is given twice.
    """
    values: dict[str, list[str]] = {}
    for text in texts:
        name = ""
        for part in _split(option, text):
            key, equals, value = part.partition("=")
            if equals:
                name = key.strip()
                if name in values:
                    raise OptionError(f"{option} {text}: '{name}' is given twice")
                values[name] = [value.strip()]
            elif name:
                values[name].append(part.strip())
            else:
                raise OptionError(f"{option} {text}: '{part.strip()}' is not of the form NAME=VALUE")
    return {name: ",".join(parts) for name, parts in values.items()}


PAYLOAD_KEYS = ("mass", "com", "inertia", "link")


def payload_fields(text: str) -> dict[str, Any]:
    """Return the arguments of `Robot.with_payload` from a text such as 'mass=2,com=0,0,0.1,link=hand'.

    A part without '=' belongs to the list of the preceding key.

    Raises:
        OptionError: an unknown or repeated key, a missing mass, or more than one value for mass or link.
    """
    fields: dict[str, list[str]] = {}
    for part in _split("payload", text):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals and fields:
            fields[next(reversed(fields))].append(part.strip())
            continue
        if key not in PAYLOAD_KEYS or not equals:
            raise OptionError(f"--payload {text}: '{part.strip()}' is not valid", hint=PAYLOAD_HINT)
        if key in fields:
            raise OptionError(f"--payload {text}: '{key}' is given twice")
        fields[key] = [value.strip()]
    if "mass" not in fields:
        raise OptionError(f"--payload {text}: the mass is missing", hint=PAYLOAD_HINT)
    for key in ("mass", "link"):
        if len(fields.get(key, [""])) > 1:
            raise OptionError(f"--payload {text}: '{key}' has one value, got {len(fields[key])}")
    return {key: values[0] if key in ("mass", "link") else values for key, values in fields.items()}


def log_payload_fields(text: str) -> dict[str, Any] | str:
    """Return the payload of a log from a text such as 'mass=2,com=0,0,0.1' or 'unknown=box,mass=2'.

    The words 'none' and 'unknown' are returned unchanged.

    Raises:
        OptionError: the text consists of neither fields nor one of these words.
    """
    if text in ("none", "unknown"):
        return text
    fields = assignments("--log-payload", [text])
    return {key: words(value) if key in ("com", "inertia") else value for key, value in fields.items()}


def posture_named(robot: Robot, text: str) -> tuple[float, ...] | None:
    """Return the joint positions of the posture that a text names; None if the text contains numbers.

    Raises:
        UnknownNameError: the robot has no posture with this name.
    """
    if text in robot.postures:
        return robot.postures[text]
    if not NAME.match(text) or reserved(text):
        return None
    hint = None if robot.postures else "the robot has no named postures; give numbers, for example 0,pi/2,0"
    raise UnknownNameError(f"posture of robot '{robot.name}'", text, list(robot.postures), hint=hint)


def posture_word(text: str) -> str | list[float]:
    """Return a posture from the command line: its name, or a list of numbers.

    Raises:
        OptionError: the text is neither a name nor numbers.
    """
    if NAME.match(text) and not reserved(text):
        return text
    values = numbers("posture", text)
    return [values] if isinstance(values, float | int) else list(values)


def read_values(items: Sequence[str], file: str | None) -> dict[str, Any]:
    """Return values by name from a JSON file and from texts NAME=1,2,3; the texts have precedence."""
    values = _from_json(file) if file else {}
    for item in items:
        name, text = binding(item)
        values[name] = numbers(name, text)
    return values


def words(text: str) -> list[str]:
    """Split a comma-separated list such as FO2,XX4 into words."""
    return [word.strip() for word in text.split(",") if word.strip()]


def numbers(name: str, text: str) -> Any:
    """Return the number or the (nested) list of numbers in a text, for example 1,2,3 or [1, 2, 3].

    Args:
        name: name of the argument, for errors.
    """
    text = text.strip()
    parts = _split(name, text)
    if len(parts) > 1:
        return [numbers(name, part) for part in parts]
    if text.startswith("["):
        return [numbers(name, part) for part in _split(name, text[1:-1])]
    return _number(name, text)


def _split(name: str, text: str) -> list[str]:
    """Split a text at its commas, except those inside brackets.

    Args:
        name: name of the argument, for errors.
    """
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if depth < 0:
            break
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    if depth:
        raise ArgumentError(f"value of '{name}': the brackets of '{text[:60]}' do not match")
    return parts


def _number(name: str, text: str) -> float:
    """Return the value of a number or of an expression without symbols, such as -pi/2.

    Args:
        name: name of the argument, for errors.
    """
    try:
        value = formula(text).number
    except ExpressionError as error:
        raise ArgumentError(f"value of '{name}': {error.text()}") from None
    if value is None:
        raise ArgumentError(f"value of '{name}': '{text.strip()}' contains a symbol, expected a number")
    return value


def _from_json(file: str) -> dict[str, Any]:
    try:
        text = sys.stdin.read(MAX_BYTES) if file == "-" else Path(file).read_text(encoding="utf-8")
        data = json.loads(text)
    except OSError as error:
        raise ArgumentError(f"cannot read '{file}': {error.strerror or error}") from None
    except json.JSONDecodeError as error:
        raise ArgumentError(
            f"invalid JSON: {error.msg}", place=Place(file, error.lineno, error.colno)
        ) from None
    except (ValueError, RecursionError):  # not text, numbers with thousands of digits, or nested too deeply
        raise ArgumentError(f"'{file}' is not a JSON text") from None
    if not isinstance(data, dict):
        raise ArgumentError(f"'{file}': expected an object with names and values", hint='{"q": [0, 0, 0]}')
    return data
