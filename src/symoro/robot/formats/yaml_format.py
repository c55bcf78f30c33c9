"""The native robot file: YAML, schema 1, described in docs/robot-yaml.md.

    symoro: 1          required, the version of the schema
    name               required
    title, reference, convention, inertia, friction
    base               kind, gravity, location, velocity, angular_velocity, acceleration,
                       angular_acceleration, link, wrench
    frames             list: joint, ant, the geometric parameters, offset, active, name, limits, elastic,
                       drive, motion, coupled, link, wrench, flexible
    loops              list: open and close, each like a frame without drive, link and wrench
    wheels             list: frame, kind, radius, steering, roller, follows
    tool, payload, nominal, postures
    platform           the frame of a parallel robot's platform; or, with leg, legs or modules, the platform
                       itself: see `yaml_legs`

Only texts and positions are taken from the YAML (`yaml_nodes`); every value goes through our own parser.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symoro.errors import ExpressionError, NotApplicableError, ProgramError
from symoro.expr.formula import ZERO, Formula
from symoro.expr.parser import NAME, reserved
from symoro.robot.centre import CENTRAL, SHAPES, about_origin, six_entries
from symoro.robot.conventions import COLUMNS, Convention, from_classic, variable_field
from symoro.robot.flexibility import MODE_SHAPES, MODES, MOST_MODES, PROPERTIES, Flexibility
from symoro.robot.formats.reach import check_reach
from symoro.robot.formats.report import MAX_FRAMES, Report, Spot
from symoro.robot.formats.yaml_legs import SHORT, is_short, with_frames
from symoro.robot.formats.yaml_nodes import YamlMapping, YamlNode, YamlScalar
from symoro.robot.formats.yaml_record import Record
from symoro.robot.records import (
    DRIVE,
    GEOMETRIC,
    INERTIAL,
    MOTION,
    WRENCH,
    Base,
    BaseKind,
    Coupling,
    Frame,
    JointType,
    Limits,
    Link,
    Placement,
    Tool,
)
from symoro.robot.wheels import Wheel, WheelKind

if TYPE_CHECKING:
    from symoro.robot.description import Robot

SCHEMA = 1
TEXTS = ("name", "title", "reference")
TOP = (
    *("symoro", *TEXTS, "convention", "inertia", "friction"),
    *("base", "frames", "loops", "wheels", "tool", "payload", "nominal", "postures"),
    *SHORT,
)
MOTION_OF_BASE = {
    "velocity": "V0",
    "angular_velocity": "W0",
    "acceleration": "VP0",
    "angular_acceleration": "WP0",
    "gravity": "G",
}
JOINT_KEYS = ("joint", "ant", "offset", "active", "name", "limits", "elastic", "motion", "coupled")
FLEXIBLE_KEYS = (
    *("length", "mass_per_length", "EI", "EIy", "EIz", "GJ", "Ip"),
    *("modes", "shapes", "tip"),
)
LIMITS = ("lower", "upper", "velocity", "effort")
WHEEL = ("frame", "kind", "radius", "steering", "roller", "follows")
JOINTS = {sigma.name.lower(): sigma for sigma in JointType}


def read_tree(kind: type[Robot], node: YamlNode, report: Report) -> Robot:
    """Return the robot, an object of the class `kind`, that a tree of texts describes."""
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
        self.inertia = self.top.choice("inertia", ["symbolic"], "") == "symbolic"
        self.friction = self.top.choice("friction", ["symbolic"], "") == "symbolic"
        self.items = self.top.items("frames")
        self.loops = self.top.items("loops")
        self.NL, self.B = len(self.items), len(self.loops)
        self.NF = self.NL + 2 * self.B
        self.names = self._frame_names()
        self.spots: list[Spot] = []
        if self.NF > MAX_FRAMES:
            self.top.problem("frames", f"at most {MAX_FRAMES} frames can be read")
            report.check()

    def robot(self, kind: type[Robot]) -> Robot:
        for key in ("name", "frames"):
            if not (self.top.text(key) if key == "name" else self.items):
                self.top.problem(key, f"the robot needs '{key}'")
        frames, links = self._links_and_frames()
        frames += self._loop_frames()
        tool = self._tool()
        payload = self._payload()
        base = self._base()
        platform = self.top.frame("platform", 0, self.NL, self.names) or None
        nominal = self._nominal()
        postures = self._postures()
        wheels = self._wheels()
        if self.convention == Convention.DENAVIT_HARTENBERG:
            frames, links, tool = self._from_classic(frames, links, tool)
        texts: dict[str, Any] = {key: self.top.text(key) for key in TEXTS}
        return self.report.finish(
            lambda: kind(
                frames=tuple(frames),
                links=tuple(links),
                base=base,
                tool=tool,
                payload=payload,
                nominal=nominal,
                postures=postures,
                wheels=wheels,
                platform=platform,
                **texts,
            ),
            lambda j: self.spots[j - 1] if 1 <= j <= len(self.spots) else None,
        )

    def _check_schema(self) -> None:
        version = self.top.text("symoro")
        if version == str(SCHEMA):
            return
        hint = f"the first line of a robot's file is 'symoro: {SCHEMA}'"
        if version.isdigit():
            hint = f"this symoro reads schema {SCHEMA}; a newer one may read the file"
        message = f"schema '{version[:20]}' is unknown" if version else "the version of the schema is missing"
        self.top.problem("symoro", message, hint)
        self.report.check()

    def _frame_names(self) -> dict[str, int]:
        """Frames by the name of their joint or link, for those who stand on them."""
        names: dict[str, int] = {"base": 0}
        for j, node in enumerate(self.items, 1):
            entries = node.entries if isinstance(node, YamlMapping) else {}
            link = entries.get("link")
            for held in (entries, link.entries if isinstance(link, YamlMapping) else {}):
                name = held.get("name")
                if isinstance(name, YamlScalar) and name.text:
                    names.setdefault(name.text, j)
        return names

    # -- frames

    def _links_and_frames(self) -> tuple[list[Frame], list[Link]]:
        frames, links = [], []
        allowed = [*JOINT_KEYS, *COLUMNS[self.convention], "drive", "link", "wrench", "flexible"]
        if self.convention != Convention.KHALIL_KLEINFINGER:
            allowed.remove("ant")
        if self.convention == Convention.DENAVIT_HARTENBERG:  # a beam lies along the axes of Khalil's frames
            allowed.remove("flexible")
        for j, node in enumerate(self.items, 1):
            record = Record(self.report, node, f"frames[{j}]", allowed)
            frame = self._frame(record, ant=j - 1, joint="revolute", active=True)
            moving = frame["sigma"] != JointType.FIXED
            frame |= self._drive(record, j, moving=moving)
            frames.append(Frame(**frame))
            links.append(self._link(record, j, symbolic=self.inertia))
        return frames, links

    def _loop_frames(self) -> list[Frame]:
        """Frames NL + 1 .. NL + B where the loops are opened, then the same seen from the other side."""
        if self.loops and self.convention != Convention.KHALIL_KLEINFINGER:
            hint = "describe loops in Khalil and Kleinfinger's notation"
            self.top.problem("loops", f"the convention {self.convention} describes serial robots only", hint)
        sides = ("open", "close")
        loops = [Record(self.report, node, f"loops[{i}]", sides) for i, node in enumerate(self.loops, 1)]
        opened = [self._loop_side(loop, "open", "revolute") for loop in loops]
        return opened + [self._loop_side(loop, "close", "fixed") for loop in loops]

    def _loop_side(self, loop: Record, side: str, joint: str) -> Frame:
        record = loop.record(side, (*JOINT_KEYS, *GEOMETRIC))
        if "ant" not in record:
            loop.problem(side, f"the side '{side}' of a loop needs 'ant', the frame it stands on")
        return Frame(**self._frame(record, ant=0, joint=joint, active=False))

    def _frame(self, record: Record, *, ant: int, joint: str, active: bool) -> dict[str, Any]:
        """The fields that every frame may have; the arguments are the defaults where they differ."""
        self.spots.append(record.spot)
        sigma = JOINTS[record.choice("joint", list(JOINTS), joint)]
        frame: dict[str, Any] = {
            "ant": record.frame("ant", ant, self.NF, self.names),
            "sigma": sigma,
            "mu": record.boolean("active", active),
            "name": record.text("name"),
            **self._geometry(record, sigma),
            **record.record("motion", MOTION).formulas(MOTION),
        }
        limits = record.record("limits", LIMITS)
        frame["limits"] = Limits(**{key: limits.number(key) for key in LIMITS})
        if "elastic" in record:
            elastic = record.record("elastic", ("stiffness", "rest"))
            frame |= {"eta": True, "k": elastic.formula("stiffness"), "rest": elastic.formula("rest")}
        if "coupled" in record:
            frame["coupling"] = self._coupling(record.record("coupled", ("joints", "offset")))
        return frame

    def _geometry(self, record: Record, sigma: JointType) -> dict[str, Formula]:
        """The six parameters by Khalil's letters; the joint variable's holds the offset."""
        columns = COLUMNS[self.convention]
        variable = variable_field(sigma)
        for column, letter in columns.items():
            if letter == variable and column in record:
                message = f"{column} is the variable of this {sigma.name.lower()} joint"
                record.problem(column, message, f"write its constant part as 'offset': {column} = q + offset")
        values = record.formulas(columns)
        found = {letter: values[column] for column, letter in columns.items() if column in values}
        if "offset" not in record:
            return found
        if not variable:
            record.problem("offset", "a fixed joint has no variable to be offset", "write theta or r")
        elif variable == "theta":
            found["theta"] = record.angle("offset")
        else:
            found["r"] = record.formula("offset")
        return found

    def _coupling(self, record: Record) -> Coupling:
        joints = record.node.entries.get("joints")
        drivers = record.record("joints", record.keys_of("joints"))
        if joints is None:
            record.report.add("the driving joints are missing", record.spot, record.full("joints"))
        terms = []
        for key in drivers.node.entries:
            number = int(key) if key.isascii() and key.isdigit() and len(key) < 10 else self.names.get(key, 0)
            if not 1 <= number <= self.NL:
                message = f"'{key[:40]}' is no joint, 1 to {self.NL}"
                record.report.add(message, drivers.spot_of(key), drivers.full(key))
            terms.append((number, drivers.formula(key)))
        return Coupling(tuple(terms), record.formula("offset"))

    def _drive(self, record: Record, j: int, *, moving: bool) -> dict[str, Formula]:
        given = record.record("drive", DRIVE).formulas(DRIVE)
        symbols = (("IA",) if self.inertia else ()) + (("FV", "FS") if self.friction else ())
        defaults = {key: Formula(f"{key}{j}") for key in symbols if moving}
        return defaults | given

    # -- links, base, tool

    def _link(self, record: Record, j: int, *, symbolic: bool) -> Link:
        """The link of a frame, or of the base: inertial parameters and wrench."""
        link = record.record("link", ("name", *INERTIAL, *CENTRAL))
        flexible = self._flexible(record.record("flexible", FLEXIBLE_KEYS)) if "flexible" in record else None
        values: dict[str, Any] = {key: Formula(f"{key}{j}") for key in INERTIAL if symbolic}
        values |= self._inertial(link) | record.record("wrench", WRENCH).formulas(WRENCH)
        return Link(name=link.text("name"), flexible=flexible, **values)

    def _flexible(self, record: Record) -> Flexibility:
        """The beam of a flexible link; EI stands for both planes."""
        for key in ("length", "modes"):
            if key not in record:
                record.report.add(f"a flexible link needs '{key}'", record.spot, record.full(key))
        values: dict[str, Any] = {key: record.formula("EI") for key in ("EIy", "EIz") if "EI" in record}
        values |= record.formulas([key for key in PROPERTIES if key not in ("length", "density")])
        modes = record.record("modes", MODES)
        values |= {kind: modes.count(kind, MOST_MODES) for kind in MODES}
        if "tip" in record:
            tip: dict[str, Any] = self._inertial(record.record("tip", (*INERTIAL, *CENTRAL)))
            values["tip"] = Link(**tip)
        return Flexibility(
            record.formula("length"),
            record.formula("mass_per_length"),
            shapes=record.choice("shapes", MODE_SHAPES, MODE_SHAPES[0]),
            **values,
        )

    def _inertial(self, record: Record) -> dict[str, Formula]:
        """The inertial parameters that are given, about the frame's origin or the centre of mass."""
        central = [key for key in CENTRAL if key in record]
        given = record.formulas(INERTIAL)
        if not central:
            return given
        for key in given:
            record.problem(
                key, f"'{key}' and '{central[0]}' are two ways to say the same", "keep one of them"
            )
        if "mass" not in record:
            record.problem(central[0], f"'{central[0]}' needs 'mass' beside it")
        com = record.vector("com", 3, (ZERO, ZERO, ZERO))
        inertia = six_entries(record.entries("inertia")) if "inertia" in record else (ZERO,) * 6
        if inertia is None:
            record.problem("inertia", "expected a symmetric matrix", f"write {SHAPES}")
            inertia = (ZERO,) * 6
        mass = record.formula("mass")
        size = sum(len(item.text) for item in (mass, *com, *inertia) if item.symbols)
        self.report.charge(4 + size**2 / 5000 if size else 0, record.spot, record.full(central[0]))
        try:
            return about_origin(mass, com, inertia)
        except (ExpressionError, ProgramError) as error:
            record.problem(central[0], error.message)
            return {}

    def _base(self) -> Base:
        record = self.top.record("base", ("kind", "location", "link", "wrench", *MOTION_OF_BASE))
        kind = BaseKind(record.choice("kind", [str(k) for k in BaseKind], str(BaseKind.FIXED)))
        usual = Base()
        vectors: dict[str, Any] = {
            field: record.vector(key, 3, getattr(usual, field)) for key, field in MOTION_OF_BASE.items()
        }
        link = self._link(record, 0, symbolic=self.inertia and kind != BaseKind.FIXED)
        return Base(kind=kind, link=link, Z=record.matrix("location", 4, usual.Z), **vectors)

    def _tool(self) -> Tool | None:
        if "tool" not in self.top:
            return None
        record = self.top.record("tool", ("on", "name", *GEOMETRIC))
        if "on" not in record:
            self.top.problem("tool", "the tool needs 'on', the frame it stands on")
        values = record.formulas(GEOMETRIC)
        place = Placement(record.frame("on", self.NL, self.NL, self.names), **values)
        return Tool(place, record.text("name") or "tool")

    def _payload(self) -> Link | None:
        if "payload" not in self.top:
            return None
        record = self.top.record("payload", ("name", "wrench", *INERTIAL, *CENTRAL))
        values: dict[str, Any] = self._inertial(record)
        values |= record.record("wrench", WRENCH).formulas(WRENCH)
        return Link(name=record.text("name"), **values)

    def _wheels(self) -> tuple[Wheel, ...]:
        items = self.top.items("wheels")
        if items and self.convention != Convention.KHALIL_KLEINFINGER:
            hint = "describe robots on wheels in Khalil and Kleinfinger's notation"
            self.top.problem("wheels", f"the convention {self.convention} describes serial robots only", hint)
        return tuple(
            self._wheel(Record(self.report, node, f"wheels[{k}]", WHEEL)) for k, node in enumerate(items, 1)
        )

    def _wheel(self, record: Record) -> Wheel:
        for key in ("frame", "kind", "radius"):
            if key not in record:
                record.problem(key, f"a wheel needs '{key}'")
        kind = WheelKind(record.choice("kind", [str(k) for k in WheelKind], str(WheelKind.FIXED)))
        if kind == WheelKind.SWEDISH and "roller" not in record:
            record.problem("roller", "a swedish wheel needs 'roller', the angle of its rollers' axes")
        steering, follows = (record.frame(key, 0, self.NL, self.names) for key in ("steering", "follows"))
        return Wheel(
            frame=record.frame("frame", 0, self.NL, self.names),
            kind=kind,
            radius=record.formula("radius"),
            steering=steering,
            roller=record.angle("roller"),
            follows=follows,
        )

    def _nominal(self) -> tuple[tuple[str, float], ...]:
        record = self.top.record("nominal", self.top.keys_of("nominal"))
        for key in record.node.entries:
            if not NAME.match(key) or reserved(key):
                self.report.add(f"'{key[:40]}' is no symbol", record.spot_of(key), record.full(key))
        return tuple((key, record.number(key) or 0.0) for key in record.node.entries)

    def _postures(self) -> dict[str, tuple[float, ...]]:
        record = self.top.record("postures", self.top.keys_of("postures"))
        found = {}
        for key in record.node.entries:
            values = [value.number for value in record.entries(key)]
            if None in values:
                record.problem(key, "a posture is a list of numbers")
            found[key] = tuple(value or 0.0 for value in values)
        return found

    def _from_classic(
        self, frames: list[Frame], links: list[Link], tool: Tool | None
    ) -> tuple[list[Frame], list[Link], Tool | None]:
        self.report.check()
        try:
            return from_classic(frames, links, tool)
        except NotApplicableError as error:
            self.report.fail(error.message, self.top.spot_of("tool"), "tool", error.hint)
