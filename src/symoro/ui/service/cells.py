"""Parse the texts of table cells: formulas, numbers, choices and frames, with errors that name the cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from symoro.errors import ArgumentError, ExpressionError, SymoroError
from symoro.expr.formula import ONE, ZERO, Formula, formula
from symoro.robot.description import Coupling, JointType
from symoro.robot.topology import JOINT_LETTERS
from symoro.ui.service.draft import Draft

LONGEST = 2000  # largest number of characters in a cell
JOINTS: dict[str, JointType] = {letter: sigma for sigma, letter in JOINT_LETTERS.items()}
SWITCH = {"1": True, "0": False}


def cell(field: str, text: str) -> Formula:
    """Return the formula in the text of a table cell; an empty cell is zero.

    Args:
        field: name of the column, for errors.
    """
    if len(text) > LONGEST:
        raise ArgumentError(f"{field}: a cell has at most {LONGEST} characters, got {len(text)}")
    try:
        return formula(text.strip() or "0")
    except SymoroError as error:
        error.message = f"{field}: {error.message}"
        raise


def number(field: str, text: str) -> float:
    value = cell(field, text).number
    if value is None:
        raise ExpressionError(f"{field}: expected a number, got '{text[:40]}'", 1)
    return float(value)


def whole(field: str, text: str) -> int:
    """Return the non-negative integer in the text of a table cell."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ArgumentError(f"{field}: expected a whole number, got '{text[:40]}'")
    return int(text)


def choice(field: str, text: str, choices: Mapping[str, Any]) -> Any:
    if text not in choices:
        raise ArgumentError(f"{field}: expected one of {', '.join(choices)}, got '{text[:40]}'")
    return choices[text]


def frame_number(draft: Draft, field: str, text: str) -> int:
    """Return the number of the frame that a table cell names by number, joint or link.

    Args:
        draft: the robot.
        field: name of the column, for errors.
        text: text of the cell.
    """
    names = {"base": 0}
    for j in range(1, draft.NF + 1):
        for name in (draft.frame(j).name, draft.link(j).name if j <= draft.NL else ""):
            if name:
                names.setdefault(name, j)
    if text in names:
        return names[text]
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= draft.NF:
        return int(text)
    raise ArgumentError(f"{field}: no frame called '{text[:40]}'", hint=f"frames are 0 .. {draft.NF}")


def coupling(field: str, text: str) -> Coupling | None:
    """Return the coupling in the text of a table cell, such as 'q1 - 0.5*q2 + pi/2'; None for an empty cell.

    Raises:
        ArgumentError: the text is not a sum of joints with constant ratios.
    """
    if not text.strip():
        return None
    given = cell(field, text)
    joints = {name: int(name[1:]) for name in given.symbols if name[0] == "q" and name[1:].isdigit()}
    if not joints:
        raise ArgumentError(
            f"{field}: expected a linear combination of joint positions, got '{text[:40]}'",
            hint="as in q1 - 0.5*q2",
        )
    try:
        still = dict.fromkeys(joints, ZERO)
        offset = given.substitute(still)
        ratios = {name: given.substitute({**still, name: ONE}) - offset for name in joints}
        made = offset
        for name, ratio in ratios.items():
            made = made + ratio * Formula(name)
        rest = given - made
    except ExpressionError:  # 1/q1 is undefined at zero
        rest = ONE
    if not rest.is_zero:
        hint = "write a constant times each joint, as in 2*q1 - q3 + pi/2"
        raise ArgumentError(
            f"{field}: '{text[:40]}' is not a linear combination of joint positions with constant "
            "coefficients",
            hint=hint,
        )
    terms = tuple(sorted((joints[name], ratio) for name, ratio in ratios.items()))
    return Coupling(tuple((j, r) for j, r in terms), offset)


def coupling_text(held: Coupling | None) -> str:
    """Return the text of a coupling for a table cell, such as 'q1 - 0.5*q2 + pi/2'; empty for None."""
    if held is None:
        return ""
    made = held.offset
    for j, ratio in held.terms:
        made = made + ratio * Formula(f"q{j}")
    return made.text


def no_row(what: str, j: object) -> NoReturn:
    raise ArgumentError(f"there is no {what} {j}")


def no_field(field: str) -> NoReturn:
    raise ArgumentError(f"'{field[:40]}' is not a column of this table")
