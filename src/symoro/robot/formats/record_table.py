"""Keys of the native robot file: one table for the reader, the writer and the documentation.

A `Field` is a key with one value, a `Group` a key with a mapping. Both contain the name of the corresponding attribute
of the description, which `read_fields` and `write_fields` use. An absent key has its default, and a value that equals
its default is not written.

With a shorthand of the file (`inertia: symbolic`, `friction: symbolic`) the default of the fields with this `symbol`
is SYMORO's symbol, which consists of the key and the number of the frame: XX1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from symoro.errors import ExpressionError, FormatError, ProgramError
from symoro.expr.formula import ZERO, Formula, exact_angle
from symoro.notation import UNITS
from symoro.robot.centre import CENTRAL, SHAPES, about_origin, six_entries
from symoro.robot.conventions import COLUMNS, Convention, variable_field
from symoro.robot.flexibility import MODE_SHAPES, MODES, MOST_MODES, Flexibility
from symoro.robot.formats.document import Record, YamlTree
from symoro.robot.records import (
    ANGLES,
    DRIVE,
    IDENTITY9,
    INERTIAL,
    MOTION,
    MOTOR,
    WRENCH,
    ZERO3,
    Base,
    BaseKind,
    CoupledMotor,
    Coupling,
    Frame,
    JointType,
    Limits,
    Link,
)
from symoro.robot.wheels import Wheel, WheelKind


@dataclass(frozen=True)
class Context:
    """Data about the robot that the reader and writer of a record require.

    Attributes:
        NL, NF: numbers of links and frames.
        names: frame numbers by the name of their joint or link.
        symbolic: shorthands such as `inertia: symbolic` that the file uses.
        number: number of the frame to which the record belongs.
    """

    NL: int = 0
    NF: int = 0
    names: Mapping[str, int] = field(default_factory=dict)
    symbolic: frozenset[str] = frozenset()
    number: int = 0


@dataclass(frozen=True)
class Kind:
    """Type of a value in a robot file: its name in the documentation, its reader, its writer and its default."""

    name: str
    read: Callable[[Record, str, Any, Context], Any]
    write: Callable[[Any], YamlTree] = str
    default: Any = None


@dataclass(frozen=True)
class Field:
    """Key of a robot file with one value.

    Attributes:
        key: name of the key.
        kind: type of the value.
        attribute: attribute of the robot that contains the value; if it is empty, the attribute has the name of the
            key.
        default: value of an absent key; if it is `...`, the default of the kind.
        unit: unit of the value; if it is empty, the unit in `symoro.notation`.
        symbol: the shorthand (such as `inertia`) with which the default is a symbol.
        always: whether the value is written even if it equals the default.
        required: error message for an absent key; if it is empty, the key is optional.
        note: text for the default in the documentation, if the default depends on the record.
        get: function that returns the value to write, if it is not that of the attribute; a result None is not written.
    """

    key: str
    kind: Kind
    attribute: str = ""
    default: Any = ...
    unit: str = ""
    symbol: str = ""
    always: bool = False
    required: str = ""
    note: str = ""
    get: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "attribute", self.attribute or self.key)
        object.__setattr__(self, "unit", self.unit or UNITS.get(self.attribute, ""))
        if self.default is ...:
            object.__setattr__(self, "default", self.kind.default)

    def absent(self, context: Context) -> Any:
        """Return the value that an absent key has: its default, or a symbol such as XX1 if a shorthand is used."""
        return Formula(f"{self.key}{context.number}") if self.symbol in context.symbolic else self.default


@dataclass(frozen=True)
class Group:
    """Key of a robot file whose value is a mapping with further keys.

    Attributes:
        fields: the keys of the mapping.
        attribute: attribute of the robot that contains the values as a separate object, created by `make`; if it is
            empty, the values belong to the same object as the group.
        flag: attribute that is true if the group is given.
        after: function that changes the values read from the mapping.
        always: the group is written even if it is empty.
    """

    key: str
    fields: tuple[Entry, ...]
    attribute: str = ""
    make: Callable[..., Any] = dict
    flag: str = ""
    after: Callable[[Record, dict[str, Any]], dict[str, Any]] | None = None
    always: bool = False
    required: str = ""


Entry = Field | Group


def keys(fields: Iterable[Entry]) -> list[str]:
    """Return the names of the permitted keys of a mapping."""
    return [entry.key for entry in fields]


def symbols(fields: Iterable[Entry]) -> list[str]:
    """Return the names of the keys that have symbols as defaults if the file uses `inertia: symbolic` or the like."""
    return [entry.key for entry in fields if isinstance(entry, Field) and entry.symbol]


# -- reading and writing


def read_fields(
    record: Record, fields: Iterable[Entry], context: Context, defaults: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Read a mapping of a robot file and return its values by attribute.

    Absent keys are omitted from the result, except if their default is a symbol.

    Args:
        record: the mapping.
        fields: its permitted keys.
        context: data about the robot.
        defaults: defaults by attribute, if they are not those of the robot's classes.
    """
    values: dict[str, Any] = dict(defaults or {})
    for entry in fields:
        if entry.required and entry.key not in record:
            record.problem(entry.key, entry.required)
        if isinstance(entry, Group):
            values |= _read_group(record, entry, context)
        elif entry.key in record:
            default = values.get(entry.attribute, entry.default)
            values[entry.attribute] = entry.kind.read(record, entry.key, default, context)
        elif entry.required or entry.symbol in context.symbolic:
            values[entry.attribute] = entry.absent(context)
    return values


def _read_group(record: Record, group: Group, context: Context) -> dict[str, Any]:
    if group.attribute and group.key not in record:
        return {}
    inner = record.record(group.key, keys(group.fields))
    values = read_fields(inner, group.fields, context)
    if group.after:
        values = group.after(inner, values)
    if group.flag:
        values |= {group.flag: True} if group.key in record else {}
    return {group.attribute: group.make(**values)} if group.attribute else values


def write_fields(
    item: object, fields: Iterable[Entry], context: Context, defaults: Mapping[str, Any] | None = None
) -> dict[str, YamlTree]:
    """Return the mapping of a robot file for an object of the description.

    It contains only the values that differ from their defaults.

    Args:
        item: frame, link, base, ...
        fields: keys of the mapping.
        context: data about the robot.
        defaults: defaults by attribute, if they are not those of the fields.
    """
    tree: dict[str, YamlTree] = {}
    for entry in fields:
        if isinstance(entry, Group):
            tree |= _write_group(item, entry, context)
            continue
        value = entry.get(item) if entry.get else getattr(item, entry.attribute)
        usual = (defaults or {}).get(entry.attribute, entry.absent(context))
        if value is not None and (entry.always or value != usual):
            tree[entry.key] = entry.kind.write(value)
    return tree


def _write_group(item: object, group: Group, context: Context) -> dict[str, YamlTree]:
    held = getattr(item, group.attribute) if group.attribute else item
    if held is None or (group.flag and not getattr(item, group.flag)):
        return {}
    tree = write_fields(held, group.fields, context)
    return {group.key: tree} if tree or group.always else {}


# -- kinds of values


def written_number(value: float) -> str:
    """Return the text of a number for a robot file.

    Raises:
        FormatError: the number is not finite.
    """
    if not math.isfinite(value):
        raise FormatError(f"{value} is not a finite number and cannot be written", hint="omit it")
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))


def _lower_name(value: JointType) -> str:
    return value.name.lower()


def _texts(values: Iterable[Formula]) -> YamlTree:
    return [value.text for value in values]


def _rows(values: tuple[Formula, ...]) -> YamlTree:
    return [_texts(values[4 * i : 4 * i + 4]) for i in range(4)]


def _choice(options: Mapping[str, Any], write: Callable[[Any], YamlTree] = str, default: Any = None) -> Kind:
    """Return the type of a value that is selected from named options.

    Args:
        options: the values by name.
        write: function that returns the name of a value.
        default: value of an absent key.
    """
    names = {value: name for name, value in options.items()}

    def read(record: Record, key: str, default: Any, context: Context) -> Any:
        return options[record.choice(key, list(options), names[default])]

    return Kind(", ".join(options), read, write, next(iter(options.values())) if default is None else default)


def _frame(highest: str) -> Kind:
    """Return the type of a value that is a frame, given by number or name.

    Args:
        highest: name of the largest permitted number, 'NF' or 'NL'.
    """

    def read(record: Record, key: str, default: int, context: Context) -> int:
        return record.frame(key, default, getattr(context, highest), dict(context.names))

    return Kind("frame", read, default=0)


def _count(most: int) -> Kind:
    return Kind(f"0 to {most}", lambda record, key, default, context: record.count(key, most), default=0)


def _read_drivers(
    record: Record, key: str, default: object, context: Context
) -> tuple[tuple[int, Formula], ...]:
    drivers = record.record(key, record.keys_of(key))
    terms = []
    for name in drivers.node.entries:
        is_number = name.isascii() and name.isdigit() and len(name) < 10
        number = int(name) if is_number else context.names.get(name, 0)
        if not 1 <= number <= context.NL:
            message = f"'{name[:40]}' is not a joint; expected a name or a number from 1 to {context.NL}"
            record.report.add(message, drivers.spot_of(name), drivers.full(name))
        terms.append((number, drivers.formula(name)))
    return tuple(terms)


def _formula_text(value: Formula) -> str:
    return value.text


TEXT = Kind("text", lambda record, key, default, context: record.text(key), default="")
FLAG = Kind(
    "true, false", lambda record, key, default, context: record.boolean(key, default), bool, default=True
)
FORMULA = Kind("formula", lambda record, key, default, context: record.formula(key), _formula_text, ZERO)
ANGLE = Kind("formula", lambda record, key, default, context: record.angle(key), _formula_text, ZERO)
NUMBER = Kind("number", lambda record, key, default, context: record.number(key), written_number)
VECTOR = Kind(
    "3 formulas", lambda record, key, default, context: record.vector(key, 3, default), _texts, ZERO3
)
ROTATION = Kind(
    "9 formulas", lambda record, key, default, context: record.vector(key, 9, default), _texts, IDENTITY9
)
MATRIX = Kind(
    "4 rows of 4 formulas", lambda record, key, default, context: record.matrix(key, 4, default), _rows
)
ENTRIES = Kind(SHAPES, lambda record, key, default, context: tuple(record.entries(key)))
DRIVERS = Kind(
    "formulas by joint", _read_drivers, lambda terms: {str(i): ratio.text for i, ratio in terms}, ()
)


# -- the table


def _formulas(names: Iterable[str], symbol: str = "", **options: Any) -> tuple[Field, ...]:
    return tuple(Field(name, FORMULA, symbol=symbol, **options) for name in names)


def _never_written(item: object) -> None:
    return None


def about_origin_values(record: Record, values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a link with mass, com and inertia replaced by ten parameters about the frame's origin.

    Args:
        record: the mapping, for errors.
        values: values by attribute.
    """
    central = [key for key in CENTRAL if key in record]
    if not central:
        return values
    for key in INERTIAL:
        if key in record:
            message = (
                f"'{key}' and '{central[0]}' cannot be given together: both define the inertial parameters"
            )
            record.problem(key, message, "keep one of them")
    if "mass" not in record:
        record.problem(central[0], f"'{central[0]}' requires 'mass' as well")
    others = {key: value for key, value in values.items() if key not in CENTRAL}
    mass, com = values.get("mass", ZERO), values.get("com", ZERO3)
    inertia = six_entries(values["inertia"]) if "inertia" in values else (ZERO,) * 6
    if inertia is None:
        record.problem("inertia", "expected a symmetric matrix", f"write {SHAPES}")
        inertia = (ZERO,) * 6
    size = sum(len(item.text) for item in (mass, *com, *inertia) if item.symbols)
    record.report.charge(4 + size**2 / 5000 if size else 0, record.spot, record.full(central[0]))
    try:
        return others | about_origin(mass, com, inertia)
    except (ExpressionError, ProgramError) as error:
        record.problem(central[0], error.message)
        return others


def _both_planes(record: Record, values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a flexible link with the bending stiffness EI replaced by EIy and EIz.

    EI is the default of EIy and EIz.

    Args:
        record: the mapping, for errors.
        values: values by attribute.
    """
    stiffness = values.pop("EI", ZERO)
    return {"length": ZERO, "EIy": stiffness, "EIz": stiffness} | values


def place_fields(convention: Convention = Convention.KHALIL_KLEINFINGER) -> tuple[Field, ...]:
    """Return the keys of the geometric parameters in a convention, one per column of its table."""
    return tuple(
        Field(column, ANGLE if letter in ANGLES else FORMULA, letter)
        for column, letter in COLUMNS[convention].items()
    )


def _constant(letter: str) -> Callable[[Frame], Formula | None]:
    """Return a function that returns the geometric parameter `letter` of a frame; None if it is the joint variable."""
    return lambda frame: None if variable_field(frame.sigma) == letter else getattr(frame, letter)


def _offset(frame: Frame) -> Formula | None:
    variable = variable_field(frame.sigma)
    return getattr(frame, variable) if variable else None


NAME = Field("name", TEXT)
PLACE = place_fields()
INERTIA_ABOUT_CENTRE = (
    Field("mass", FORMULA, unit="kg", get=_never_written),
    Field("com", VECTOR, unit="m", get=_never_written),
    Field("inertia", ENTRIES, unit="kg m2", get=_never_written),
)
INERTIA = (*_formulas(INERTIAL, symbol="inertia"), *INERTIA_ABOUT_CENTRE)
BODY = (*_formulas(INERTIAL), *INERTIA_ABOUT_CENTRE)  # a body whose defaults are never symbols
WRENCHES = Group("wrench", _formulas(WRENCH))
LIMITS = Group(
    "limits",
    (
        Field("lower", NUMBER, unit="rad, m"),
        Field("upper", NUMBER, unit="rad, m"),
        Field("velocity", NUMBER, unit="rad/s, m/s"),
        Field("effort", NUMBER, unit="N m, N"),
    ),
    "limits",
    Limits,
)
ELASTIC = Group(
    "elastic", (Field("stiffness", FORMULA, "k", always=True), Field("rest", FORMULA)), flag="eta"
)
COUPLED = Group(
    "coupled",
    (
        Field("joints", DRIVERS, "terms", always=True, required="the driving joints are missing"),
        Field("offset", FORMULA, unit="rad, m"),
    ),
    "coupling",
    Coupling,
)
MOTIONS = Group(
    "motion",
    tuple(
        Field(key, FORMULA, default=None, unit=UNITS[name])
        for key, name in zip(MOTION, ("qd", "qdd", "tau"), strict=True)
    ),
)
DRIVES = Group(
    "drive",
    (
        *_formulas(("IA",), symbol="inertia"),
        *_formulas(("FV", "FS"), symbol="friction"),
        *_formulas(key for key in DRIVE if key not in ("IA", "FV", "FS")),
    ),
)
JOINT_KINDS = {sigma.name.lower(): sigma for sigma in JointType}


def joint_fields(convention: Convention) -> tuple[Entry, ...]:
    """Return the keys that describe the joint and geometry of a frame in a convention.

    Only Khalil-Kleinfinger frames have a key for the antecedent; frames of the other conventions form a serial chain.
    """
    constants = (
        Field(column.key, column.kind, column.attribute, get=_constant(column.attribute))
        for column in place_fields(convention)
    )
    serial = convention != Convention.KHALIL_KLEINFINGER
    return (
        Field("joint", _choice(JOINT_KINDS, _lower_name), "sigma"),
        *([] if serial else [Field("ant", _frame("NF"), note="the frame before")]),
        NAME,
        *constants,
        Field("offset", FORMULA, unit="rad, m", get=_offset),
        Field("active", FLAG, "mu"),
        LIMITS,
        ELASTIC,
        COUPLED,
        MOTIONS,
    )


LINK = (Group("link", (NAME, *INERTIA), after=about_origin_values), WRENCHES)
TIP = Group("tip", BODY, "tip", Link, after=about_origin_values, always=True)
FLEXIBLE = Group(
    "flexible",
    (
        Field("length", FORMULA, required="'length' of the flexible link is missing"),
        Field("mass_per_length", FORMULA, "density"),
        Field("EI", FORMULA, unit="N m2", get=_never_written),
        *_formulas(("EIz", "EIy", "GJ", "Ip")),
        Group(
            "modes",
            tuple(Field(kind, _count(MOST_MODES)) for kind in MODES),
            always=True,
            required="'modes' of the flexible link is missing",
        ),
        Field("shapes", _choice({name: name for name in MODE_SHAPES})),
        TIP,
    ),
    "flexible",
    Flexibility,
    after=_both_planes,
)
BASE = (
    Field("kind", _choice({str(kind): kind for kind in BaseKind})),
    Field("velocity", VECTOR, "V0", unit="m/s"),
    Field("angular_velocity", VECTOR, "W0", unit="rad/s"),
    Field("acceleration", VECTOR, "VP0", unit="m/s2"),
    Field("angular_acceleration", VECTOR, "WP0", unit="rad/s2"),
    Field("gravity", VECTOR, "G", Base().G),
    Field("location", MATRIX, "Z", Base().Z),
)
WHEEL = (
    Field("frame", _frame("NL"), always=True, required="'frame' of the wheel is missing"),
    Field(
        "kind",
        _choice({str(kind): kind for kind in WheelKind}, default=WheelKind.FIXED),
        always=True,
        required="'kind' of the wheel is missing",
    ),
    Field("radius", FORMULA, unit="m", always=True, required="'radius' of the wheel is missing"),
    Field("steering", _frame("NL")),
    Field("follows", _frame("NL")),
    Field(
        "roller",
        ANGLE,
        unit="rad",
        always=True,
        get=lambda wheel: wheel.roller if wheel.kind == WheelKind.SWEDISH else None,
    ),
)
CAPSULE = (
    Field("frame", _frame("NL"), always=True, required="'frame' of the capsule is missing"),
    Field("start", VECTOR, unit="m"),
    Field("end", VECTOR, unit="m"),
    Field("radius", FORMULA, unit="m", always=True, required="'radius' of the capsule is missing"),
)
LINK_FRAME = (
    Field("name", TEXT, always=True, required="'name' of the link is missing"),
    Field("frame", _frame("NL"), always=True, required="'frame' of the link is missing"),
    Field("rotation", ROTATION),
    Field("position", VECTOR, unit="m"),
)
MOTORS = (
    Field("joint", _frame("NL"), always=True, required="'joint' of the coupled motor is missing"),
    Field(
        "turns_with",
        DRIVERS,
        always=True,
        required="'turns_with' of the coupled motor is missing",
    ),
    *_formulas(MOTOR),
)
TOOL_PLACE = (Field("on", _frame("NL"), "ant", always=True, note="required"), *PLACE)
TOOL_NAME = Field("name", TEXT, default="tool", always=True)
PAYLOAD: tuple[Entry, ...] = (NAME, *BODY, WRENCHES)


def read_place(record: Record, fields: Iterable[Entry], values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a frame with its `offset` stored in the joint variable, theta or r.

    Args:
        record: the mapping of the frame, for errors.
        fields: its keys.
        values: values by attribute, with `offset`.
    """
    sigma = values["sigma"]
    variable = variable_field(sigma)
    for entry in fields:
        if isinstance(entry, Field) and entry.attribute == variable and entry.key in record:
            message = f"{entry.key} is the variable of this {sigma.name.lower()} joint"
            record.problem(
                entry.key, message, f"write its constant part as 'offset': {entry.key} = q + offset"
            )
    if "offset" not in values:
        return values
    offset = values.pop("offset")
    if not variable:
        record.problem(
            "offset", "'offset' is not valid for a fixed joint, which has no variable", "write theta or r"
        )
        return values
    return values | {variable: exact_angle(offset) if variable == "theta" else offset}


def read_wheel(record: Record, context: Context) -> Wheel:
    """Return the wheel that a mapping in the list `wheels` of a robot file describes.

    Args:
        record: the mapping.
        context: data about the robot.
    """
    values = read_fields(record, WHEEL, context)
    if values["kind"] == WheelKind.SWEDISH and "roller" not in record:
        record.problem("roller", "'roller', the angle of the roller axes of a swedish wheel, is missing")
    return Wheel(**values)


def read_motor(record: Record, context: Context) -> CoupledMotor:
    """Return the coupled motor that a mapping in the list `motors` of a robot file describes.

    Args:
        record: the mapping.
        context: data about the robot.
    """
    return CoupledMotor(**read_fields(record, MOTORS, context))


# -- the documentation

_SECTIONS: dict[str, tuple[Entry, ...]] = {
    "base": (*BASE, *LINK),
    "frames": (*joint_fields(Convention.KHALIL_KLEINFINGER), DRIVES, *LINK, FLEXIBLE),
    "wheels": WHEEL,
    "motors": MOTORS,
    "capsules": CAPSULE,
    "link_frames": LINK_FRAME,
    "tool": (*TOOL_PLACE, TOOL_NAME),
    "payload": PAYLOAD,
}


def key_table() -> str:
    """Return the Markdown table of all keys for docs/robot-yaml.md; keys that differ only in name share a row."""
    rows: dict[tuple[str, ...], list[str]] = {}

    def add(path: str, fields: Iterable[Entry]) -> None:
        for entry in fields:
            if isinstance(entry, Field):
                row = (path, entry.kind.name, entry.unit, _written_default(entry))
                rows.setdefault(row, []).append(f"`{entry.key}`")
            else:
                add(f"{path}.{entry.key}", entry.fields)

    for section, fields in _SECTIONS.items():
        add(section, fields)
    lines = ["| record | keys | value | unit | default |", "|---|---|---|---|---|"]
    for (path, kind, unit, default), names in rows.items():
        lines.append(f"| `{path}` | {', '.join(names)} | {kind} | {unit} | {default} |")
    return "\n".join(lines) + "\n"


def _written_default(entry: Field) -> str:
    if entry.note or entry.required:
        return entry.note or "required"
    if entry.default is None or entry.default == ():
        return ""
    tree = entry.kind.write(entry.default)
    text = str(tree).lower() if isinstance(tree, bool) else str(tree).replace("'", "")
    return f"{text}; symbol with `{entry.symbol}: symbolic`" if entry.symbol else text
