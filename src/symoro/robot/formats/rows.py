"""Robots from Python lists and dicts, without a file.

The rows are converted to the same tree of texts as a YAML file (`document`) and read by the same reader: one
set of keys, checks and messages. This module determines which column is the joint variable, and which values of
a row belong to the link.
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
    """Return a robot from rows of Denavit-Hartenberg parameters; `Robot.from_dh` describes the arguments.

    Raises:
        UnknownNameError: there is no such convention.
        FormatError: a row is invalid; the message contains the row and the key.
    """
    report = Report(None, "robot")
    listed = list(rows.tolist() if hasattr(rows, "tolist") else rows)  # a matrix of SymPy or NumPy
    letters: list[str | None] = list(joints) if joints is not None else [None] * len(listed)
    if len(letters) != len(listed):
        report.fail(f"{len(listed)} rows, but {len(letters)} joint types", None, "joints")
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
    """Converter of the rows of a table to the records of a YAML file."""

    def __init__(self, convention: Convention, count: int, degrees: bool, report: Report) -> None:
        self.convention, self.count, self.degrees, self.report = convention, count, degrees, report
        self.columns = COLUMNS[convention]
        self.letters = {letter: column for column, letter in self.columns.items()}

    def details(self, given: Mapping[str, Any], frames: Sequence[Fields]) -> Fields:
        """Return the data of the robot other than its rows, with the tool on the last frame and angles in radians.

        Args:
            given: keyword arguments of `Robot.from_dh` by name.
            frames: fields of the frames, converted from the rows.
        """
        fields = {key: value for key, value in given.items() if value is not None}
        if self.degrees and isinstance(fields.get("postures"), Mapping):
            moving = [frame["joint"] for frame in frames if frame["joint"] != "fixed"]
            fields["postures"] = {
                name: self._posture(values, moving, f"postures.{name}")
                for name, values in fields["postures"].items()
            }
        if isinstance(fields.get("tool"), Mapping):
            fields["tool"] = {"on": self.count, **self._in_radians(fields["tool"], GEOMETRIC, "tool")}
        if isinstance(fields.get("wheels"), Sequence):
            fields["wheels"] = [
                self._in_radians(wheel, ("roller",), f"wheels[{k}]") if isinstance(wheel, Mapping) else wheel
                for k, wheel in enumerate(fields["wheels"], 1)
            ]
        return fields

    def _posture(self, values: Iterable[Any], moving: Sequence[str], key: str) -> list[Any]:
        """Return the positions of the moving joints in a posture, with angles in radians.

        Args:
            values: positions as given.
            moving: types of the moving joints.
            key: path of the posture, for errors.
        """
        turns = [kind == "revolute" for kind in moving]
        numbers = list(values)
        if len(numbers) != len(turns):
            return numbers  # the description reports the error
        fields = {str(k): value for k, value in enumerate(numbers, 1)}
        names = [name for name, turn in zip(fields, turns, strict=True) if turn]
        return list(self._in_radians(fields, names, key).values())

    def frame(self, j: int, row: Any, kind: str | None) -> Fields:
        """Return the fields of the frame that row j describes.

        Args:
            j: number of the row, from 1.
            row: tuple or dict with the values.
            kind: joint type from the argument `joints`, or None.
        """
        key = f"frames[{j}]"
        if isinstance(row, Mapping):
            fields = {str(name): value for name, value in row.items() if value is not None}
        else:
            fields = self._named(row, key)
        if kind is not None:
            fields.setdefault("joint", kind)
        if self.degrees and (odd := [name for name in ("coupled", "elastic", "motion") if name in fields]):
            self.report.fail(
                f"'{odd[0]}' cannot be given in degrees", None, key, "give all angles in radians"
            )
        sigma = self._sigma(j, fields, key)
        fields["joint"] = sigma.name.lower()
        self._take_variable(j, fields, sigma, key)
        fields = self._in_radians(fields, self.columns, key)
        if sigma == JointType.REVOLUTE:
            fields = self._in_radians(fields, ("offset",), key)
        self._check_constant(j, fields, key)
        return _grouped(self._with_limits(fields, sigma, key))

    def _named(self, row: Any, key: str) -> Fields:
        """Return the values of a row (a tuple) by column name; the first value may be the joint type."""
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
                "the first value may be the joint type R, P or F; a dict also accepts names, limits, "
                "mass, com and inertia"
            )
            self.report.fail(message, None, key, hint)
        columns = names if len(values) == len(names) else short
        return {**joint, **dict(zip(columns, values, strict=True))}

    def _sigma(self, j: int, fields: Fields, key: str) -> JointType:
        """Return the type of joint j: given in its row, or determined by the column that contains its variable.

        The joint is revolute if the row contains neither a type nor a joint variable.

        Args:
            j: number of the joint.
            fields: values of the row by column name.
            key: path of the row, for errors.
        """
        if "joint" in fields:
            word = str(fields["joint"]).lower()
            if word not in _JOINTS:
                hint = "write revolute, prismatic or fixed, or R, P or F"
                self.report.fail(f"'{fields['joint']}' is not a joint type", None, f"{key}.joint", hint)
            return _JOINTS[word]
        types = []
        for letter, sigma in _VARIABLE.items():
            column = self.letters[letter]
            value = self._formula(fields.get(column, 0), f"{key}.{column}")
            if find_variable(value, self._variables(sigma, j)):
                types.append(sigma)
        if len(types) > 1:
            self.report.fail("this row contains two joint variables; a joint has one", None, key)
        return types[0] if types else JointType.REVOLUTE

    def _variables(self, sigma: JointType, j: int) -> list[str]:
        """Return the names that denote the variable of joint j in a row.

        Names such as r3 and t3 are not included, because they are parameters in other columns.
        """
        return [f"q{j}", "q", *([f"th{j}", f"theta{j}"] if sigma == JointType.REVOLUTE else [])]

    def _take_variable(self, j: int, fields: Fields, sigma: JointType, key: str) -> None:
        """Move the constant part of the joint variable's column to the field `offset`, and remove the column.

        Args:
            j: number of the joint.
            fields: values of the row by column name; they are changed.
            sigma: type of the joint.
            key: path of the row, for errors.
        """
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
            self.report.fail(
                f"'{column}' and 'offset' cannot be given together: they define the same value",
                None,
                f"{key}.{column}",
            )
        fields.setdefault("offset", offset)

    def _check_constant(self, j: int, fields: Fields, key: str) -> None:
        """Check that no parameter of row j contains a joint variable."""
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
        """Return the fields with some angles converted to radians; unchanged if the rows are given in radians.

        Args:
            fields: the fields by name.
            names: names of the fields that are angles.
            key: path of the row, for errors.
        """
        converted = dict(fields)
        if not self.degrees:
            return converted
        for name in names:
            letter = self.columns.get(name, name)
            if name in converted and (letter in ANGLES or name not in (*self.columns, *GEOMETRIC)):
                value = self._formula(converted[name], f"{key}.{name}")
                if re.search(r"\bpi\b", value.text):
                    self.report.fail(
                        f"'{value.text}' contains pi, but the angles are in degrees", None, f"{key}.{name}"
                    )
                converted[name] = value * _DEGREE
        return converted

    def _formula(self, value: Any, key: str) -> Formula:
        return _formula(value, self.report, key)


def _grouped(fields: Fields) -> Fields:
    """Return the fields of a frame in the form of a YAML file, with those of link and drive in nested mappings."""
    link, drive, record = {}, {}, {}
    for name, value in fields.items():
        if name in (*INERTIAL, *CENTRAL):
            link[name] = value
        elif name in DRIVE:
            drive[name] = value
        else:
            record[name] = value
    own = record.get("link", {})
    own = {"name": own} if isinstance(own, str) else own
    for name, part in (("link", link), ("drive", drive)):
        entries = own if name == "link" else record.get(name, {})
        if isinstance(entries, Mapping) and (entries or part):
            record[name] = {**entries, **part}
    return record


def _formula(value: Any, report: Report, key: str) -> Formula:
    try:
        return formula(value.item() if getattr(value, "shape", None) == () else value)
    except ExpressionError as error:
        report.fail(error.message, None, key, error.hint)


def _node(value: Any, report: Report, key: str) -> nodes.YamlNode:
    """Convert a Python value to a node of a YAML document."""
    if hasattr(value, "tolist"):  # NumPy scalars and arrays
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
