"""Conversion between robots and the documents of native files (schema 1, described in docs/robot-yaml.md).

`read_tree` returns the robot of a document, `tree_of` the document of a robot. The keys are those of `record_table`;
this module handles the robot as a whole: numbers and names of frames, conventions, loops, shorthands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symoro.errors import NotApplicableError
from symoro.expr.parser import NAME as SYMBOL
from symoro.expr.parser import reserved
from symoro.robot.conventions import Convention, from_classic
from symoro.robot.formats.document import Record, YamlMapping, YamlNode, YamlScalar, YamlTree
from symoro.robot.formats.legs import SHORT, check_reach, is_short, with_frames
from symoro.robot.formats.record_table import (
    BASE,
    CAPSULE,
    DRIVES,
    FLEXIBLE,
    LINK,
    LINK_FRAME,
    MOTORS,
    PAYLOAD,
    TOOL_NAME,
    TOOL_PLACE,
    WHEEL,
    Context,
    Entry,
    Field,
    about_origin_values,
    joint_fields,
    keys,
    read_fields,
    read_motor,
    read_place,
    read_wheel,
    write_fields,
    written_number,
)
from symoro.robot.formats.report import MAX_FRAMES, Report, Spot
from symoro.robot.records import (
    Base,
    BaseKind,
    Capsule,
    CoupledMotor,
    Frame,
    JointType,
    Link,
    LinkFrame,
    Placement,
    Tool,
    with_nominal_gravity,
)
from symoro.robot.wheels import Wheel

if TYPE_CHECKING:
    from symoro.robot.description import Robot

SCHEMA = 1
TEXTS = ("name", "title", "reference")
SHORTHANDS = ("inertia", "friction")
TOP = (
    *("symoro", *TEXTS, "convention", *SHORTHANDS),
    *("base", "frames", "loops", "wheels", "motors", "capsules", "link_frames", "tool", "payload"),
    *("nominal", "postures"),
    *SHORT,
)
KHALIL = joint_fields(Convention.KHALIL_KLEINFINGER)
OPENED = {"sigma": JointType.REVOLUTE, "mu": False}  # defaults of the sides of a loop
CLOSED = {"sigma": JointType.FIXED, "mu": False}


def read_tree(kind: type[Robot], node: YamlNode, report: Report) -> Robot:
    """Return the robot that a document describes.

    Args:
        kind: class of the robot, `Robot` or a subclass.
        node: the document.
        report: collects errors.
    """
    robot = _Reader(with_frames(node, report), report).robot(kind)
    if is_short(node):
        check_reach(robot, report)
    return robot


class _Reader:
    def __init__(self, node: YamlNode, report: Report) -> None:
        self.report = report
        self.top = Record(report, node, "", TOP)
        self._check_schema()
        names = [str(c) for c in Convention]
        self.convention = Convention(self.top.choice("convention", names, names[0]))
        self.items = self.top.items("frames")
        self.loops = self.top.items("loops")
        NL = len(self.items)
        symbolic = [key for key in SHORTHANDS if self.top.choice(key, ["symbolic"], "")]
        NF = NL + 2 * len(self.loops)
        self.context = Context(NL, NF, self._frame_names(), frozenset(symbolic))
        self.plain = replace(self.context, symbolic=frozenset())
        self.spots: list[Spot] = []
        if NF > MAX_FRAMES:
            self.top.problem("frames", f"the robot has too many frames; the limit is {MAX_FRAMES}")
            report.check()

    def robot(self, kind: type[Robot]) -> Robot:
        for key in ("name", "frames"):
            if not (self.top.text(key) if key == "name" else self.items):
                self.top.problem(key, f"the key '{key}' of the robot is missing")
        frames, links = self._links_and_frames()
        frames += self._loop_frames()
        tool = self._tool()
        values: dict[str, Any] = {key: self.top.text(key) for key in TEXTS}
        values |= {
            "payload": self._payload(),
            "base": self._base(),
            "platform": self.top.frame("platform", 0, self.context.NL, dict(self.context.names)) or None,
            "nominal": self._nominal(),
            "postures": self._postures(),
            "wheels": self._wheels(),
            "motors": self._motors(),
            "capsules": tuple(Capsule(**one) for one in self._fixed_to_links("capsules", CAPSULE)),
            "link_frames": tuple(LinkFrame(**one) for one in self._fixed_to_links("link_frames", LINK_FRAME)),
        }
        if self.convention == Convention.DENAVIT_HARTENBERG:
            frames, links, tool = self._from_classic(frames, links, tool)
        return self.report.finish(
            lambda: kind(frames=tuple(frames), links=tuple(links), tool=tool, **values),
            lambda j: self.spots[j - 1] if 1 <= j <= len(self.spots) else None,
        )

    def _check_schema(self) -> None:
        version = self.top.text("symoro")
        if version == str(SCHEMA):
            return
        hint = f"the first line of a robot file must be 'symoro: {SCHEMA}'"
        if version.isdigit():
            hint = f"this version of symoro reads schema {SCHEMA}; a newer version may read the file"
        message = f"schema '{version[:20]}' is unknown" if version else "the version of the schema is missing"
        self.top.problem("symoro", message, hint)
        self.report.check()

    def _frame_names(self) -> dict[str, int]:
        """Return the frame numbers by the name of their joint or link."""
        names: dict[str, int] = {"base": 0}
        for j, node in enumerate(self.items, 1):
            entries = node.entries if isinstance(node, YamlMapping) else {}
            link = entries.get("link")
            for held in (entries, link.entries if isinstance(link, YamlMapping) else {}):
                name = held.get("name")
                if isinstance(name, YamlScalar) and name.text:
                    names.setdefault(name.text, j)
        return names

    # -- frames and links

    def _links_and_frames(self) -> tuple[list[Frame], list[Link]]:
        frames, links = [], []
        fields = joint_fields(self.convention)
        link: tuple[Entry, ...] = LINK
        if self.convention != Convention.DENAVIT_HARTENBERG:  # the x axis of a beam refers to Khalil's frames
            link = (*LINK, FLEXIBLE)
        for j, node in enumerate(self.items, 1):
            record = Record(self.report, node, f"frames[{j}]", keys((*fields, DRIVES, *link)))
            context = replace(self.context, number=j)
            values = self._frame(record, fields, {"ant": j - 1, "sigma": JointType.REVOLUTE, "mu": True})
            moving = values["sigma"] != JointType.FIXED
            values |= read_fields(record, [DRIVES], context if moving else self.plain)
            frames.append(Frame(**values))
            links.append(Link(**read_fields(record, link, context)))
        return frames, links

    def _frame(
        self, record: Record, fields: tuple[Entry, ...], defaults: Mapping[str, Any]
    ) -> dict[str, Any]:
        self.spots.append(record.spot)
        return read_place(record, fields, read_fields(record, fields, self.plain, defaults))

    def _loop_frames(self) -> list[Frame]:
        """Return the frames NL + 1 .. NL + B of the cut joints, then the second frame of each cut."""
        if self.loops:
            self._check_tree("loops", "describe loops in Khalil and Kleinfinger's notation")
        sides = ("open", "close")
        loops = [Record(self.report, node, f"loops[{i}]", sides) for i, node in enumerate(self.loops, 1)]
        opened = [self._loop_side(loop, "open", OPENED) for loop in loops]
        return opened + [self._loop_side(loop, "close", CLOSED) for loop in loops]

    def _loop_side(self, loop: Record, side: str, defaults: Mapping[str, Any]) -> Frame:
        record = loop.record(side, keys(KHALIL))
        if "ant" not in record:
            loop.problem(side, f"'ant', the antecedent frame, is missing for the side '{side}' of the loop")
        return Frame(**self._frame(record, KHALIL, {"ant": 0, **defaults}))

    def _check_tree(self, key: str, hint: str) -> None:
        if self.convention != Convention.KHALIL_KLEINFINGER:
            self.top.problem(key, f"the convention {self.convention} describes serial robots only", hint)

    def _from_classic(
        self, frames: list[Frame], links: list[Link], tool: Tool | None
    ) -> tuple[list[Frame], list[Link], Tool | None]:
        self.report.check()
        try:
            return from_classic(frames, links, tool)
        except NotApplicableError as error:
            self.report.fail(error.message, self.top.spot_of("tool"), "tool", error.hint)

    # -- base, tool, wheels

    def _base(self) -> Base:
        record = self.top.record("base", keys((*BASE, *LINK)))
        values = read_fields(record, BASE, self.plain)
        free = values.get("kind", BaseKind.FIXED) != BaseKind.FIXED
        return Base(link=Link(**read_fields(record, LINK, self.context if free else self.plain)), **values)

    def _tool(self) -> Tool | None:
        if "tool" not in self.top:
            return None
        record = self.top.record("tool", keys((*TOOL_PLACE, TOOL_NAME)))
        if "on" not in record:
            self.top.problem("tool", "'on', the frame to which the tool is fixed, is missing")
        place = Placement(**read_fields(record, TOOL_PLACE, self.plain, {"ant": self.context.NL}))
        return Tool(place, record.text("name") or "tool")

    def _payload(self) -> Link | None:
        if "payload" not in self.top:
            return None
        record = self.top.record("payload", keys(PAYLOAD))
        return Link(**about_origin_values(record, read_fields(record, PAYLOAD, self.plain)))

    def _wheels(self) -> tuple[Wheel, ...]:
        items = self.top.items("wheels")
        if items:
            self._check_tree("wheels", "describe wheeled robots in Khalil and Kleinfinger's notation")
        records = [Record(self.report, node, f"wheels[{k}]", keys(WHEEL)) for k, node in enumerate(items, 1)]
        return tuple(read_wheel(record, self.plain) for record in records)

    def _fixed_to_links(self, key: str, fields: tuple[Field, ...]) -> list[dict[str, Any]]:
        """Return the values of the mappings in a list of objects that are fixed to frames of links."""
        items = self.top.items(key)
        if items and self.convention == Convention.DENAVIT_HARTENBERG:
            hint = f"describe robots with {key} in Khalil and Kleinfinger's notation"
            self.top.problem(key, f"{key} refer to Khalil and Kleinfinger's frames", hint)
        records = [Record(self.report, node, f"{key}[{k}]", keys(fields)) for k, node in enumerate(items, 1)]
        return [read_fields(record, fields, self.plain) for record in records]

    def _motors(self) -> tuple[CoupledMotor, ...]:
        items = self.top.items("motors")
        records = [Record(self.report, node, f"motors[{k}]", keys(MOTORS)) for k, node in enumerate(items, 1)]
        return tuple(read_motor(record, self.plain) for record in records)

    def _nominal(self) -> tuple[tuple[str, float], ...]:
        record = self.top.record("nominal", self.top.keys_of("nominal"))
        for key in record.node.entries:
            if not SYMBOL.match(key) or reserved(key):
                self.report.add(f"'{key[:40]}' is not a symbol", record.spot_of(key), record.full(key))
        return tuple((key, record.number(key) or 0.0) for key in record.node.entries)

    def _postures(self) -> dict[str, tuple[float, ...]]:
        record = self.top.record("postures", self.top.keys_of("postures"))
        postures = {}
        for key in record.node.entries:
            values = [value.number for value in record.entries(key)]
            if None in values:
                record.problem(key, "a posture must be a list of numbers")
            postures[key] = tuple(value or 0.0 for value in values)
        return postures


# -- conversion of a robot into a document


def tree_of(robot: Robot) -> dict[str, YamlTree]:
    """Return the YAML document of a robot as nested dictionaries and lists of texts."""
    shorthands = [key for key in SHORTHANDS if _mostly_symbolic(robot, key)]
    plain, context = Context(), Context(symbolic=frozenset(shorthands))
    tree: dict[str, YamlTree] = {"symoro": str(SCHEMA)}
    tree |= {key: getattr(robot, key) for key in TEXTS if getattr(robot, key) or key == "name"}
    tree |= dict.fromkeys(shorthands, "symbolic")
    base_link = context if robot.base.kind != BaseKind.FIXED else plain
    parts: dict[str, YamlTree] = {
        "base": {
            **write_fields(robot.base, BASE, plain),
            **write_fields(robot.base.link, (*LINK, FLEXIBLE), base_link),
        },
        "frames": [_frame(robot, j, replace(context, number=j)) for j in range(1, robot.NL + 1)],
        "loops": [_loop(robot, k) for k in range(robot.NL + 1, robot.NJ + 1)],
        "wheels": [write_fields(wheel, WHEEL, plain) for wheel in robot.wheels],
        "motors": [write_fields(motor, MOTORS, plain) for motor in robot.motors],
        "capsules": [write_fields(capsule, CAPSULE, plain) for capsule in robot.capsules],
        "link_frames": [write_fields(link, LINK_FRAME, plain) for link in robot.link_frames],
    }
    tree |= {key: part for key, part in parts.items() if part}
    if robot.platform is not None:
        tree["platform"] = str(robot.platform)
    if robot.tool:
        tree["tool"] = write_fields(robot.tool.place, TOOL_PLACE, plain) | {"name": robot.tool.name}
    if robot.payload:
        tree["payload"] = write_fields(robot.payload, PAYLOAD, plain)
    default = with_nominal_gravity((), robot.base)  # the reader adds it again as the first entry
    nominal = robot.nominal[1:] if default and robot.nominal[:1] == default else robot.nominal
    if nominal:
        tree["nominal"] = {name: written_number(value) for name, value in nominal}
    if robot.postures:
        tree["postures"] = {name: [written_number(x) for x in q] for name, q in robot.postures.items()}
    return tree


def _frame(robot: Robot, j: int, context: Context) -> dict[str, YamlTree]:
    frame = robot.frame(j)
    tree = _joint(frame, {"ant": j - 1, "mu": True})
    tree |= write_fields(frame, [DRIVES], context if frame.moving else Context())
    return tree | write_fields(robot.link(j), (*LINK, FLEXIBLE), context)


def _joint(frame: Frame, defaults: Mapping[str, Any]) -> dict[str, YamlTree]:
    return write_fields(frame, KHALIL, Context(), {"sigma": None, "ant": None, **defaults})


def _loop(robot: Robot, k: int) -> dict[str, YamlTree]:
    closed = _joint(robot.frame(k + robot.B), CLOSED)
    return {"open": _joint(robot.frame(k), {"mu": False}), "close": closed}


def _mostly_symbolic(robot: Robot, shorthand: str) -> bool:
    """Return whether a shorthand such as `inertia: symbolic` makes the file shorter.

    It does if the number of values that equal the symbols of the shorthand exceeds the number of zeros.
    """
    balance = 0
    for j, (frame, link) in enumerate(zip(robot.frames, robot.links, strict=False), 1):
        items: list[tuple[object, tuple[Entry, ...]]] = [(link, LINK[0].fields)]
        if frame.moving:
            items.append((frame, DRIVES.fields))
        for item, fields in items:
            for entry in fields:
                if isinstance(entry, Field) and entry.symbol == shorthand:
                    value = getattr(item, entry.attribute)
                    balance += (value.text == f"{entry.key}{j}") - value.is_zero
    return balance > 0
