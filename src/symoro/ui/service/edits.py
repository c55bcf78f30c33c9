"""Edit cells and rows of a robot; the answer is a new document, so that undo restores an old one.

A cell is identified by its part and field: {"part": "frame", "j": 3, "field": "alpha", "text": "pi/2"}.
Either all edits of a request are applied or none; only the final robot must be consistent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symoro.errors import ArgumentError, RobotError, SymoroError
from symoro.expr.formula import ZERO, Formula
from symoro.robot.conventions import variable_field
from symoro.robot.description import DRIVE, GEOMETRIC, INERTIAL, MOTION, WRENCH, BaseKind, Link, Robot
from symoro.robot.flexibility import MODE_SHAPES, MODES, PROPERTIES
from symoro.robot.wheels import WheelKind
from symoro.ui.service.cells import (
    JOINTS,
    SWITCH,
    cell,
    choice,
    coupling,
    frame_number,
    no_field,
    no_row,
    number,
    whole,
)
from symoro.ui.service.draft import Draft, draft_of, robot_of_draft
from symoro.ui.service.payload import item
from symoro.ui.service.rows import ROWS, Edit, coordinates, symbols_of

LIMITS = ("lower", "upper", "velocity", "effort")
BASE_VECTORS = ("G", "V0", "W0", "VP0", "WP0")
TEXTS = ("name", "title", "reference")
Cell = dict[str, Any]


class CellError(Exception):
    """Error of an edit, with the table cell that caused it."""

    def __init__(self, error: SymoroError, at: Cell) -> None:
        super().__init__(error.message)
        self.error, self.at = error, at


def edited(robot: Robot, edits: Sequence[Any]) -> Robot:
    """Return the robot after a list of edits of table cells.

    Raises:
        CellError: an edit is invalid; none is applied.
    """
    draft = draft_of(robot)
    for edit in edits:
        try:
            if not isinstance(edit, dict):
                raise ArgumentError("'edits': expected a list of objects")
            part = item(edit, "part", str)
            draft = choice("'part'", part, EDITS)(draft, edit)
        except SymoroError as error:
            raise CellError(error, _place(edit)) from None
    try:
        return robot_of_draft(draft)
    except SymoroError as error:
        raise CellError(error, _place(_culprit(error, edits))) from None


def _place(edit: Any) -> Cell:
    return {key: edit[key] for key in ("part", "j", "field") if isinstance(edit, dict) and key in edit}


def _culprit(error: SymoroError, edits: Sequence[Any]) -> Any:
    """Return the edit that probably caused an error: the one of the table row that the message names.

    If no edit matches the message, the last edit is returned.

    Args:
        error: error that the edited robot caused.
        edits: the edits of the request.
    """
    message = error.problems[0] if isinstance(error, RobotError) else error.message
    for word, j in re.findall(r"\b(frame|joint|link|wheel|posture) '?(\w+)'?", message):
        part = "frame" if word == "joint" else word
        for edit in edits:
            if str(edit.get("part")).endswith(part) and str(edit.get("j")) == j:
                return edit
    return edits[-1] if edits else {}


def _text(edit: Edit) -> tuple[str, str]:
    return item(edit, "field", str), item(edit, "text", str).strip()


def _frame(draft: Draft, edit: Edit) -> Draft:
    j, (field, text) = item(edit, "j", int), _text(edit)
    frame = draft.frame(j) if 0 < j <= draft.NF else no_row("frame", j)
    if field == "name":
        return draft.with_frame(j, name=text)
    if field == "ant":
        return draft.with_frame(j, ant=frame_number(draft, field, text))
    if field == "sigma":
        return draft.with_frame(j, sigma=choice(field, text.upper(), JOINTS))
    if field == "mu":
        return draft.with_frame(j, mu=choice(field, text, SWITCH))
    if field in ("eta", "k"):
        return _with_spring(draft, j, field, text)
    if field in LIMITS:
        value = number(field, text) if text else None
        return draft.with_frame(j, limits=replace(frame.limits, **{field: value}))
    if field == "coupled":
        held = coupling(field, text)
        return draft.with_frame(j, coupling=held, **({} if held is None else {"mu": False}))
    if field in MOTION:
        return draft.with_frame(j, **{field: cell(field, text) if text else None})
    if field not in (*GEOMETRIC, *DRIVE, "rest"):
        no_field(field)
    return draft.with_frame(j, **{field: _offset(draft, j, field, text)})


def _with_spring(draft: Draft, j: int, field: str, text: str) -> Draft:
    """Return the edited robot data with a new elasticity of joint j: its stiffness (field 'k') or the flag 'eta'.

    A nonzero stiffness makes the joint elastic; a rigid joint has no stiffness.
    """
    if field == "k":
        stiffness = cell(field, text)
        return draft.with_frame(j, eta=not stiffness.is_zero, k=stiffness)
    eta = choice(field, text, SWITCH)
    return draft.with_frame(j, eta=True) if eta else draft.with_frame(j, eta=False, k=ZERO, rest=ZERO)


def _offset(draft: Draft, j: int, field: str, text: str) -> Formula:
    """Return the geometric parameter `field` of frame j from the text of its cell.

    If the parameter is the joint variable, the text may contain the variable, as in 'q3 + pi/2'; then the offset
    pi/2 is returned.
    """
    value = cell(field, text)
    own = f"q{j}"
    if own in value.symbols and field == variable_field(draft.frame(j).sigma):
        value = value - Formula(own)
    for name in value.symbols:
        if re.fullmatch(r"q[0-9]+", name) and field in GEOMETRIC:
            raise ArgumentError(
                f"{field}: '{name}' is a joint's variable", hint=f"write a constant, or {own} + a constant"
            )
    return value


def _link(draft: Draft, edit: Edit) -> Draft:
    j, (field, text) = item(edit, "j", int), _text(edit)
    if not 0 <= j <= draft.NL:
        no_row("link", j)
    if field == "name":
        return draft.with_link(j, name=text)
    if field not in (*INERTIAL, *WRENCH):
        no_field(field)
    return draft.with_link(j, **{field: cell(field, text)})


def _base(draft: Draft, edit: Edit) -> Draft:
    field, text = _text(edit)
    if field == "kind":
        return _on_base(draft, text)
    name = item(edit, "j", str)
    if name not in BASE_VECTORS or field not in ("x", "y", "z"):
        no_field(f"{name} {field}")
    values = list(getattr(draft.base, name))
    values["xyz".index(field)] = cell(f"{name} {field}", text)
    changes: dict[str, Any] = {name: tuple(values)}
    return replace(draft, base=replace(draft.base, **changes))


def _on_base(draft: Draft, text: str) -> Draft:
    """Return the edited robot data with the kind of base in `text`; wheels remain only on a wheeled base."""
    kind = choice("kind", text, {str(kind): kind for kind in BaseKind})
    if draft.wheels and kind != BaseKind.WHEELED:
        raise ArgumentError(
            f"kind: the robot has wheels, its base cannot be {kind}", hint="remove the wheels first"
        )
    return replace(draft, base=replace(draft.base, kind=kind))


def _location(draft: Draft, edit: Edit) -> Draft:
    r, (c, text) = item(edit, "j", int), _text(edit)
    if r not in (1, 2, 3) or c not in ("1", "2", "3", "4"):
        no_field(f"row {r}, column {c}")
    entries = list(draft.base.Z)
    entries[4 * (r - 1) + int(c) - 1] = cell("location", text)
    return replace(draft, base=replace(draft.base, Z=tuple(entries)))


def _nominal(draft: Draft, edit: Edit) -> Draft:
    name, text = item(edit, "j", str), item(edit, "text", str).strip()
    kept = {symbol: value for symbol, value in draft.nominal if symbol != name}
    if text:
        if name not in symbols_of(draft):
            no_row("symbol", name[:40])
        kept[name] = number(name, text)
    return replace(draft, nominal=tuple(kept.items()))


def _robot(draft: Draft, edit: Edit) -> Draft:
    field, text = _text(edit)
    if field == "base":
        return _on_base(draft, text)
    if field == "platform":
        return replace(draft, platform=frame_number(draft, field, text) if text else None)
    if field not in TEXTS:
        no_field(field)
    changes: dict[str, Any] = {field: text}
    return replace(draft, **changes)


def _wheel(draft: Draft, edit: Edit) -> Draft:
    k, (field, text) = item(edit, "j", int), _text(edit)
    if not 0 < k <= len(draft.wheels):
        no_row("wheel", k)
    if field == "kind":
        return _with_kind(draft, k, choice(field, text, {str(kind): kind for kind in WheelKind}))
    if field in ("frame", "steering", "follows"):
        return draft.with_wheel(k, **{field: frame_number(draft, field, text) if text else 0})
    if field not in ("radius", "roller"):
        no_field(field)
    return draft.with_wheel(k, **{field: cell(field, text)})


def _with_kind(draft: Draft, k: int, kind: WheelKind) -> Draft:
    """Return the edited robot data with another kind for wheel number k; properties of the old kind are removed."""
    changed = replace(draft.wheels[k - 1], kind=kind)
    if not changed.turns:
        changed = replace(changed, steering=0)
    if kind != WheelKind.STEERING:
        changed = replace(changed, follows=0)
    if kind != WheelKind.SWEDISH:
        changed = replace(changed, roller=ZERO)
    return replace(draft, wheels=(*draft.wheels[: k - 1], changed, *draft.wheels[k:]))


def _tool(draft: Draft, edit: Edit) -> Draft:
    field, text = _text(edit)
    if draft.tool is None:
        raise ArgumentError("the robot has no tool", hint="add one first")
    if field == "name":
        return replace(draft, tool=replace(draft.tool, name=text))
    changes: dict[str, Any]
    if field == "on":
        changes = {"ant": frame_number(draft, field, text)}
    elif field in GEOMETRIC:
        changes = {field: cell(field, text)}
    else:
        no_field(field)
    return replace(draft, tool=replace(draft.tool, place=replace(draft.tool.place, **changes)))


def _payload(draft: Draft, edit: Edit) -> Draft:
    if draft.payload is None:
        raise ArgumentError("the robot has no payload", hint="add one first")
    return replace(draft, payload=_body(draft.payload, edit, (*INERTIAL, *WRENCH)))


def _body(held: Link, edit: Edit, fields: Sequence[str]) -> Link:
    field, text = _text(edit)
    if field not in fields:
        no_field(field)
    changes: dict[str, Any] = {field: cell(field, text)}
    return replace(held, **changes)


def _flexible(draft: Draft, edit: Edit) -> Draft:
    j, (field, text) = item(edit, "j", int), _text(edit)
    held = draft.link(j).flexible if 0 < j <= draft.NL else None
    if held is None:
        no_row("flexible link", j)
    changes: dict[str, Any]
    if field in MODES:
        changes = {field: whole(field, text or "0")}
    elif field == "shapes":
        changes = {field: choice(field, text, {shape: shape for shape in MODE_SHAPES})}
    elif field in PROPERTIES:
        changes = {field: cell(field, text)}
    else:
        no_field(field)
    return draft.with_link(j, flexible=replace(held, **changes))


def _tip(draft: Draft, edit: Edit) -> Draft:
    j = item(edit, "j", int)
    held = draft.link(j).flexible if 0 < j <= draft.NL else None
    if held is None or held.tip is None:
        no_row("body at the tip of link", j)
    return draft.with_link(j, flexible=replace(held, tip=_body(held.tip, edit, INERTIAL)))


def _posture(draft: Draft, edit: Edit) -> Draft:
    name, (field, text) = item(edit, "j", str), _text(edit)
    if name not in draft.postures:
        no_row("posture", name[:40])
    joints = {f"q{j}": j for j in coordinates(draft)}
    j = choice("field", field, joints)
    changed = {**draft.postures[name], j: number(field, text or "0")}
    return replace(draft, postures={**draft.postures, name: changed})


EDITS: dict[str, Callable[[Draft, Mapping[str, Any]], Draft]] = {
    "frame": _frame,
    "link": _link,
    "base": _base,
    "location": _location,
    "nominal": _nominal,
    "robot": _robot,
    "wheel": _wheel,
    "tool": _tool,
    "payload": _payload,
    "flexible": _flexible,
    "tip": _tip,
    "posture": _posture,
    **ROWS,
}
