"""A robot from Python's own lists and dicts, without a file.

The rows become the tree of texts that a YAML file becomes (`document`), and the reader of YAML does the rest: one
set of keys, checks and messages. What is decided here is what a row of a table leaves unsaid: which column is the
joint's variable, and which of its values are a link's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symoro.errors import ExpressionError
from symoro.expr.formula import Formula, formula
from symoro.robot.centre import CENTRAL
from symoro.robot.conventions import COLUMNS, Convention, convention_named
from symoro.robot.formats import document as nodes
from symoro.robot.formats.report import NOWHERE, Report
from symoro.robot.formats.robot_tree import SCHEMA, read_tree
from symoro.robot.formats.variable import find_variable, not_constant, offset_from
from symoro.robot.records import ANGLES, DRIVE, GEOMETRIC, INERTIAL, JointType

if TYPE_CHECKING:
    from symoro.robot.description import Robot

SHORT = {Convention.KHALIL_KLEINFINGER: ("alpha", "d", "theta", "r")}
_DEGREE = Formula("pi/180")
_LETTERS = {"r": JointType.REVOLUTE, "p": JointType.PRISMATIC, "f": JointType.FIXED}
_JOINTS = _LETTERS | {sigma.name.lower(): sigma for sigma in JointType}
_VARIABLE = {"theta": JointType.REVOLUTE, "r": JointType.PRISMATIC}

Fields = dict[str, Any]


def from_rows(
    kind: type[Robot],
    rows: Iterable[Any],
    convention: str,
    name: str = "robot",
    *,
    degrees: bool = False,
    joints: Iterable[str] | None = None,
    gravity: Sequence[Any] | None = None,
    **details: Any,
) -> Robot:
    """The robot of `Robot.from_dh`, where the arguments are described.

    Raises:
        UnknownNameError: there is no such convention.
        FormatError: with the row and key of what is wrong.
    """
    report = Report(None, "robot")
    listed = list(rows.tolist() if hasattr(rows, "tolist") else rows)  # a matrix of SymPy or NumPy
    letters: list[str | None] = list(joints) if joints is not None else [None] * len(listed)
    if len(letters) != len(listed):
        report.fail(f"{len(listed)} rows, but {len(letters)} kinds of joints", None, "joints")
    table = _Rows(convention_named(convention), len(listed), degrees, report)
    frames = [
        table.frame(j, row, letter) for j, (row, letter) in enumerate(zip(listed, letters, strict=True), 1)
    ]
    top: Fields = {"symoro": SCHEMA, "name": name, "convention": str(table.convention), "frames": frames}
    top |= table.details(details, frames)
    base = dict(top.get("base") or {})
    if gravity is not None:
        top["base"] = base | {"gravity": gravity}
    return read_tree(kind, _node(top, report, ""), report)


class _Rows:
    """Rows of a table as records of a YAML file."""

    def __init__(self, convention: Convention, count: int, degrees: bool, report: Report) -> None:
        self.convention, self.count, self.degrees, self.report = convention, count, degrees, report
        self.columns = COLUMNS[convention]
        self.letters = {letter: column for column, letter in self.columns.items()}

    def details(self, given: Mapping[str, Any], frames: Sequence[Fields]) -> Fields:
        """The rest of the robot, with the tool on the last frame and angles in radians."""
        found = {key: value for key, value in given.items() if value is not None}
        if self.degrees and isinstance(found.get("postures"), Mapping):
            moving = [frame["joint"] for frame in frames if frame["joint"] != "fixed"]
            found["postures"] = {
                name: self._posture(values, moving, f"postures.{name}")
                for name, values in found["postures"].items()
            }
        if isinstance(found.get("tool"), Mapping):
            found["tool"] = {"on": self.count, **self._in_radians(found["tool"], GEOMETRIC, "tool")}
        if isinstance(found.get("wheels"), Sequence):
            found["wheels"] = [
                self._in_radians(wheel, ("roller",), f"wheels[{k}]") if isinstance(wheel, Mapping) else wheel
                for k, wheel in enumerate(found["wheels"], 1)
            ]
        return found

    def _posture(self, values: Iterable[Any], moving: Sequence[str], key: str) -> list[Any]:
        """A posture in radians."""
        turns = [kind == "revolute" for kind in moving]
        given = list(values)
        if len(given) != len(turns):
            return given  # the description says what is wrong with that
        fields = {str(k): value for k, value in enumerate(given, 1)}
        names = [name for name, turn in zip(fields, turns, strict=True) if turn]
        return list(self._in_radians(fields, names, key).values())

    def frame(self, j: int, row: Any, kind: str | None) -> Fields:
        """The record of row j."""
        key = f"frames[{j}]"
        if isinstance(row, Mapping):
            fields = {str(name): value for name, value in row.items() if value is not None}
        else:
            fields = self._named(row, key)
        if kind is not None:
            fields.setdefault("joint", kind)
        if self.degrees and (odd := [name for name in ("coupled", "elastic", "motion") if name in fields]):
            self.report.fail(f"'{odd[0]}' cannot be told in degrees", None, key, "give all angles in radians")
        sigma = self._sigma(j, fields, key)
        fields["joint"] = sigma.name.lower()
        self._take_variable(j, fields, sigma, key)
        fields = self._in_radians(fields, self.columns, key)
        if sigma == JointType.REVOLUTE:
            fields = self._in_radians(fields, ("offset",), key)
        self._check_constant(j, fields, key)
        return _grouped(self._with_limits(fields, sigma, key))

    def _named(self, row: Any, key: str) -> Fields:
        """The values of a tuple by column, with the kind of joint when that comes first."""
        names = tuple(self.columns)
        if isinstance(row, str) or not isinstance(row, Iterable):
            self.report.fail(f"expected a row, {', '.join(names)}, got {row!r}", None, key)
        values = list(row)
        short = SHORT.get(self.convention, names)
        joint = {}
        if len(values) in (len(names) + 1, len(short) + 1) and str(values[0]).lower() in _JOINTS:
            joint = {"joint": values.pop(0)}
        if len(values) not in (len(names), len(short)):
            message = f"expected {len(short)} values, {', '.join(short)}, got {len(values)}"
            hint = (
                "R, P or F in front is the joint; a dict takes names, limits, mass, com and inertia besides"
            )
            self.report.fail(message, None, key, hint)
        columns = names if len(values) == len(names) else short
        return {**joint, **dict(zip(columns, values, strict=True))}

    def _sigma(self, j: int, fields: Fields, key: str) -> JointType:
        """What the row says, or where its variable stands; revolute when nothing tells."""
        if "joint" in fields:
            word = str(fields["joint"]).lower()
            if word not in _JOINTS:
                hint = "write revolute, prismatic or fixed, or R, P or F"
                self.report.fail(f"'{fields['joint']}' is no kind of joint", None, f"{key}.joint", hint)
            return _JOINTS[word]
        found = []
        for letter, sigma in _VARIABLE.items():
            column = self.letters[letter]
            value = self._formula(fields.get(column, 0), f"{key}.{column}")
            if find_variable(value, self._variables(sigma, j)):
                found.append(sigma)
        if len(found) > 1:
            self.report.fail("a joint has one variable, and this row has two", None, key)
        return found[0] if found else JointType.REVOLUTE

    def _variables(self, sigma: JointType, j: int) -> list[str]:
        """Names of joint j's variable; of those that are a parameter's elsewhere (r3, t3) none is taken."""
        return [f"q{j}", "q", *([f"th{j}", f"theta{j}"] if sigma == JointType.REVOLUTE else [])]

    def _take_variable(self, j: int, fields: Fields, sigma: JointType, key: str) -> None:
        """Put the constant part of the variable's column under `offset`."""
        letter = next((letter for letter, kind in _VARIABLE.items() if kind == sigma), None)
        if letter is None or self.letters[letter] not in fields:
            return
        column = self.letters[letter]
        value = self._formula(fields.pop(column), f"{key}.{column}")
        variable = find_variable(value, self._variables(sigma, j))
        offset = offset_from(value, variable) if variable else value
        if offset is None:
            message = f"{column} of joint {j} must be its variable plus a constant, got '{value.text[:40]}'"
            self.report.fail(message, None, f"{key}.{column}", f"write q{j} + offset, or the offset alone")
        if "offset" in fields and not offset.is_zero:
            self.report.fail(f"'{column}' and 'offset' say the same twice", None, f"{key}.{column}")
        fields.setdefault("offset", offset)

    def _check_constant(self, j: int, fields: Fields, key: str) -> None:
        """No parameter may be a joint's variable."""
        variables = {f"q{i}": i for i in range(1, self.count + 1)}
        for column in (*self.columns, "offset"):
            value = self._formula(fields.get(column, 0), f"{key}.{column}")
            for name in sorted(value.symbols & variables.keys()):
                message, hint = not_constant(column, j, name, variables[name])
                self.report.fail(message, None, f"{key}.{column}", hint)

    def _with_limits(self, fields: Fields, sigma: JointType, key: str) -> Fields:
        limits = fields.get("limits")
        if isinstance(limits, Sequence) and not isinstance(limits, str) and len(limits) == 2:
            limits = {"lower": limits[0], "upper": limits[1]}
        if isinstance(limits, Mapping) and sigma == JointType.REVOLUTE:
            limits = self._in_radians(limits, ("lower", "upper", "velocity"), f"{key}.limits")
        return fields if limits is None else fields | {"limits": limits}

    def _in_radians(self, fields: Mapping[str, Any], names: Iterable[str], key: str) -> Fields:
        """The fields with those angles turned to radians, where degrees were announced."""
        found = dict(fields)
        if not self.degrees:
            return found
        for name in names:
            letter = self.columns.get(name, name)
            if name in found and (letter in ANGLES or name not in (*self.columns, *GEOMETRIC)):
                value = self._formula(found[name], f"{key}.{name}")
                if re.search(r"\bpi\b", value.text):
                    self.report.fail(
                        f"'{value.text}' holds pi, and angles are in degrees", None, f"{key}.{name}"
                    )
                found[name] = value * _DEGREE
        return found

    def _formula(self, value: Any, key: str) -> Formula:
        return _formula(value, self.report, key)


def _grouped(fields: Fields) -> Fields:
    """Values of the link and of the drive put where a YAML file has them."""
    link, drive, found = {}, {}, {}
    for name, value in fields.items():
        if name in (*INERTIAL, *CENTRAL):
            link[name] = value
        elif name in DRIVE:
            drive[name] = value
        else:
            found[name] = value
    own = found.get("link", {})
    own = {"name": own} if isinstance(own, str) else own
    for name, part in (("link", link), ("drive", drive)):
        given = own if name == "link" else found.get(name, {})
        if isinstance(given, Mapping) and (given or part):
            found[name] = {**given, **part}
    return found


def _formula(value: Any, report: Report, key: str) -> Formula:
    try:
        return formula(value.item() if getattr(value, "shape", None) == () else value)
    except ExpressionError as error:
        report.fail(error.message, None, key, error.hint)


def _node(value: Any, report: Report, key: str) -> nodes.YamlNode:
    """A value of Python as a node of a file."""
    if hasattr(value, "tolist"):  # of NumPy
        value = value.tolist()
    if isinstance(value, Mapping):
        entries = {
            str(name): _node(item, report, f"{key}.{name}" if key else str(name))
            for name, item in value.items()
        }
        return nodes.YamlMapping(NOWHERE, entries, dict.fromkeys(entries, NOWHERE))
    if isinstance(value, Iterable) and not isinstance(value, str):
        return nodes.YamlList(
            NOWHERE, [_node(item, report, f"{key}[{i}]") for i, item in enumerate(value, 1)]
        )
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, str):
        text = value
    else:
        text = _formula(value, report, key).text
    return nodes.YamlScalar(text, NOWHERE, plain=True, literal=False)
