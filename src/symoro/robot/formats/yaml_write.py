"""The native robot file, written for people: defaults left out, short records on one line.

A robot becomes a tree (dict, list, str, bool), and the tree becomes lines: what fits on a line is written
in YAML's flow style, the rest as a block. Texts are quoted only where YAML would read them otherwise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from symoro.errors import FormatError
from symoro.expr.formula import Formula
from symoro.files import MADE_BY
from symoro.robot.conventions import variable_field
from symoro.robot.description import (
    DRIVE,
    GEOMETRIC,
    INERTIAL,
    MOTION,
    WRENCH,
    Base,
    BaseKind,
    Frame,
    Link,
    Robot,
    with_nominal_gravity,
)
from symoro.robot.flexibility import MODE_SHAPES, MODES, PROPERTIES, Flexibility
from symoro.robot.formats.report import Report, unix_lines
from symoro.robot.formats.yaml_format import LIMITS, MOTION_OF_BASE, SCHEMA, TEXTS, read_tree
from symoro.robot.formats.yaml_nodes import compose
from symoro.robot.wheels import Wheel, WheelKind

_WIDTH = 100
_PLAIN = re.compile(r"(?!- )[\w.(+-](?:[\w.+*/^()', -]*[\w.)'])?\Z")
_PLAIN_IN_FLOW = re.compile(r"(?!- )[\w.(+-](?:[\w.+*/^()' -]*[\w.)'])?\Z")
_SPECIAL = ("true", "false", "null", "yes", "no", "on", "off", "y", "n", "-", ".")

YamlTree = str | bool | dict[str, "YamlTree"] | list["YamlTree"]


def read_yaml(text: str, file: str | None = None) -> Robot:
    """The robot that a YAML text describes.

    Raises:
        FormatError: with the position of the first problem, and all others found.
    """
    report = Report(file)
    return read_tree(Robot, compose(unix_lines(text), report), report)


def write_yaml(robot: Robot, *, lossy: bool = False) -> str:
    """The robot as a YAML text. Nothing is lost, so `lossy` makes no difference."""
    return "\n".join([f"# {MADE_BY}", *_block(tree_of(robot), 0)]) + "\n"


# -- from the robot to a tree of texts


def tree_of(robot: Robot) -> dict[str, YamlTree]:
    """The robot's document: what its file holds, as dictionaries and lists of texts."""
    inertia, friction = _mostly_symbolic(robot, inertia=True), _mostly_symbolic(robot, inertia=False)
    tree: dict[str, YamlTree] = {"symoro": str(SCHEMA)}
    tree |= {key: getattr(robot, key) for key in TEXTS if getattr(robot, key) or key == "name"}
    if inertia:
        tree["inertia"] = "symbolic"
    if friction:
        tree["friction"] = "symbolic"
    if base := _base(robot.base, inertia=inertia):
        tree["base"] = base
    frames: list[YamlTree] = []
    for j, (frame, link) in enumerate(zip(robot.frames, robot.links, strict=False), 1):
        record = _frame(frame, ant=j - 1, joint=None, active=True)
        record |= _given("drive", _drive(frame, j, inertia=inertia, friction=friction))
        frames.append(record | _link(link, _symbols(INERTIAL, j) if inertia else {}))
    tree["frames"] = frames
    tree |= _given("loops", _loops(robot))
    tree |= _given("wheels", [_wheel(wheel) for wheel in robot.wheels])
    if robot.platform is not None:
        tree["platform"] = str(robot.platform)
    if robot.tool:
        place = robot.tool.place
        tree["tool"] = {"on": str(place.ant), **_formulas(place, GEOMETRIC), "name": robot.tool.name}
    if robot.payload:
        values = _formulas(robot.payload, INERTIAL)
        tree["payload"] = _name(robot.payload.name) | values | _wrench(robot.payload)
    default = with_nominal_gravity((), robot.base)  # the reader adds it again, in front
    given = robot.nominal[1:] if default and robot.nominal[:1] == default else robot.nominal
    tree |= _given("nominal", {name: _number(value) for name, value in given})
    postures: dict[str, YamlTree] = {name: [_number(x) for x in q] for name, q in robot.postures.items()}
    return tree | _given("postures", postures)


def _mostly_symbolic(robot: Robot, *, inertia: bool) -> bool:
    """Whether SYMORO's symbols are the better default: more values are those symbols than are zero."""
    balance = 0
    for j, (frame, link) in enumerate(zip(robot.frames, robot.links, strict=False), 1):
        drive = _drive_symbols(frame, inertia=inertia, friction=not inertia)
        values = {key: getattr(frame, key) for key in drive}
        if inertia:
            values |= {key: getattr(link, key) for key in INERTIAL}
        for key, value in values.items():
            balance += (value.text == f"{key}{j}") - value.is_zero
    return balance > 0


def _drive_symbols(frame: Frame, *, inertia: bool, friction: bool) -> tuple[str, ...]:
    """Which values of a joint the shorthands of the file stand for."""
    if not frame.moving:
        return ()
    return (("IA",) if inertia else ()) + (("FV", "FS") if friction else ())


def _symbols(keys: Iterable[str], j: int) -> dict[str, str]:
    return {key: f"{key}{j}" for key in keys}


def _given(key: str, tree: YamlTree) -> dict[str, YamlTree]:
    return {key: tree} if tree else {}


def _nonzero(key: str, value: Formula) -> dict[str, YamlTree]:
    return {} if value.is_zero else {key: value.text}


def _name(name: str) -> dict[str, YamlTree]:
    return {"name": name} if name else {}


def _formulas(
    item: object, keys: Iterable[str], defaults: dict[str, str] | None = None
) -> dict[str, YamlTree]:
    """The values that differ from their defaults; zero where none is said."""
    values = {key: getattr(item, key).text for key in keys}
    return {key: text for key, text in values.items() if text != (defaults or {}).get(key, "0")}


def _frame(frame: Frame, *, ant: int | None, joint: str | None, active: bool) -> dict[str, YamlTree]:
    kind = frame.sigma.name.lower()
    tree: dict[str, YamlTree] = {"joint": kind} if kind != joint else {}
    if frame.ant != ant:
        tree["ant"] = str(frame.ant)
    tree |= _name(frame.name)
    variable = variable_field(frame.sigma)
    tree |= _formulas(frame, [key for key in GEOMETRIC if key != variable])
    if variable:
        tree |= _nonzero("offset", getattr(frame, variable))
    if frame.mu != active:
        tree["active"] = frame.mu
    values = {key: getattr(frame.limits, key) for key in LIMITS}
    tree |= _given("limits", {key: _number(value) for key, value in values.items() if value is not None})
    if frame.eta:
        tree["elastic"] = {"stiffness": frame.k.text, **_nonzero("rest", frame.rest)}
    if frame.coupling:
        joints: dict[str, YamlTree] = {str(i): ratio.text for i, ratio in frame.coupling.terms}
        tree["coupled"] = {"joints": joints, **_nonzero("offset", frame.coupling.offset)}
    motion = {key: getattr(frame, key) for key in MOTION}
    return tree | _given("motion", {key: value.text for key, value in motion.items() if value is not None})


def _drive(frame: Frame, j: int, *, inertia: bool, friction: bool) -> dict[str, YamlTree]:
    return _formulas(frame, DRIVE, _symbols(_drive_symbols(frame, inertia=inertia, friction=friction), j))


def _link(link: Link, defaults: dict[str, str]) -> dict[str, YamlTree]:
    values = _name(link.name) | _formulas(link, INERTIAL, defaults)
    return _given("link", values) | _wrench(link) | _flexible(link.flexible)


def _flexible(flexible: Flexibility | None) -> dict[str, YamlTree]:
    if flexible is None:
        return {}
    tree = _nonzero("length", flexible.length) | _nonzero("mass_per_length", flexible.density)
    tree |= _formulas(flexible, [key for key in PROPERTIES if key not in ("length", "density")])
    tree["modes"] = {kind: str(getattr(flexible, kind)) for kind in MODES if getattr(flexible, kind)}
    if flexible.shapes != MODE_SHAPES[0]:
        tree["shapes"] = flexible.shapes
    if flexible.tip is not None:
        tree["tip"] = _formulas(flexible.tip, INERTIAL)
    return {"flexible": tree}


def _wrench(link: Link) -> dict[str, YamlTree]:
    return _given("wrench", _formulas(link, WRENCH))


def _base(base: Base, *, inertia: bool) -> dict[str, YamlTree]:
    usual = Base()
    tree: dict[str, YamlTree] = {} if base.kind == usual.kind else {"kind": str(base.kind)}
    for key, field in MOTION_OF_BASE.items():
        if getattr(base, field) != getattr(usual, field):
            tree[key] = [value.text for value in getattr(base, field)]
    if base.Z != usual.Z:
        tree["location"] = [[value.text for value in base.Z[4 * i : 4 * i + 4]] for i in range(4)]
    symbolic = inertia and base.kind != BaseKind.FIXED
    return tree | _link(base.link, _symbols(INERTIAL, 0) if symbolic else {})


def _loops(robot: Robot) -> list[YamlTree]:
    loops: list[YamlTree] = []
    for k in range(robot.NL + 1, robot.NJ + 1):
        opened = _frame(robot.frame(k), ant=None, joint=None, active=False)
        closed = _frame(robot.frame(k + robot.B), ant=None, joint="fixed", active=False)
        loops.append({"open": opened, "close": closed})
    return loops


def _wheel(wheel: Wheel) -> YamlTree:
    tree: dict[str, YamlTree] = {
        "frame": str(wheel.frame),
        "kind": str(wheel.kind),
        "radius": wheel.radius.text,
    }
    for key in ("steering", "follows"):
        if getattr(wheel, key):
            tree[key] = str(getattr(wheel, key))
    if wheel.kind == WheelKind.SWEDISH:
        tree["roller"] = wheel.roller.text
    return tree


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise FormatError(f"{value} is not a finite number and cannot be written", hint="leave it out")
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))


# -- from the tree to lines


def _block(tree: YamlTree, indent: int) -> list[str]:
    """The lines of a mapping or list in block style."""
    lines: list[str] = []
    margin = " " * indent
    if isinstance(tree, dict):
        for key, value in tree.items():
            head = f"{margin}{_text(key, flow=False)}:"
            lines += _entry(head, value, indent + 2, wide=key in ("frames", "loops", "wheels", "location"))
    elif isinstance(tree, list):
        for value in tree:
            lines += _item(margin, value, indent)
    return lines


def _entry(head: str, value: YamlTree, indent: int, *, wide: bool) -> list[str]:
    """A key with its value beside it, when that fits; `wide` lists have one line an item."""
    if isinstance(value, str | bool):
        return [f"{head} {_scalar(value, flow=False)}"]
    line = f"{head} {_flow(value)}"
    return [line] if not value or (len(line) <= _WIDTH and not wide) else [head, *_block(value, indent)]


def _item(margin: str, value: YamlTree, indent: int) -> list[str]:
    line = f"{margin}- {_flow(value)}"
    if len(line) <= _WIDTH or isinstance(value, str | bool):
        return [line]
    first, *rest = _block(value, indent + 2)
    return [f"{margin}- {first.lstrip()}", *rest]


def _flow(tree: YamlTree) -> str:
    if isinstance(tree, dict):
        pairs = [f"{_text(key, flow=True)}: {_flow(value)}" for key, value in tree.items()]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(_flow(value) for value in tree) + "]"
    return _scalar(tree, flow=True)


def _scalar(value: str | bool, *, flow: bool) -> str:
    return _text(value, flow=flow) if isinstance(value, str) else str(value).lower()


def _text(text: str, *, flow: bool) -> str:
    """A scalar, plain where every YAML reader takes it for the same text."""
    if (_PLAIN_IN_FLOW if flow else _PLAIN).match(text) and text.lower() not in _SPECIAL:
        return text
    return '"' + "".join(_escaped(sign) for sign in text) + '"'


def _escaped(sign: str) -> str:
    if sign in '"\\':
        return "\\" + sign
    if sign.isprintable():
        return sign
    number = ord(sign)
    if 0xD800 <= number < 0xE000:
        message = f"the sign {sign!r} of a name is half a character, and UTF-8 cannot write it"
        raise FormatError(message, hint="change the name")
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
