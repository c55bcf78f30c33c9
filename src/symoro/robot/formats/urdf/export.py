"""Writer of URDF: numbers for all symbols, Khalil-Kleinfinger link frames, every joint axis along z.

URDF has no elements for rotor inertias, torque offsets, gravity and the tool frame; they are written in elements
called `symoro`, which other readers ignore. A file with such an element below `robot` is read back with the same
frames.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from html import escape

from symoro.errors import FormatError, NotApplicableError, ProgramError
from symoro.expr.formula import Formula
from symoro.files import MADE_BY
from symoro.robot.description import (
    FURTHER_FRICTION,
    GEOMETRIC,
    INERTIAL,
    WRENCH,
    BaseKind,
    Frame,
    JointType,
    Limits,
    Link,
    Placement,
    Robot,
)
from symoro.robot.formats.urdf.inertia import steiner
from symoro.robot.formats.urdf.model import GRAVITY
from symoro.robot.formats.urdf.parameters import Six, clean_angle
from symoro.robot.formats.urdf.reader import LARGEST
from symoro.robot.formats.urdf.rigid import ORIGIN, Pose, Vector3, to_rpy

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UNIT = tuple(1.0 if i % 5 == 0 else 0.0 for i in range(16))


def written(robot: Robot, *, lossy: bool) -> str:
    """Return the robot as a URDF text; see `write_urdf`."""
    _refuse(robot)
    omitted = list(_unsupported(robot))
    if omitted and not lossy:
        raise FormatError(
            f"a URDF cannot represent {' or '.join(omitted)} of robot '{robot.name}'; without it the model changes",
            hint="write a YAML file, or omit these data with lossy=True",
        )
    numbers = NominalNumbers(robot, lossy)
    body = list(_XmlWriter(robot, numbers).lines())
    numbers.check()
    omitted += [*numbers.lost, *(name for name in ("postures", "capsules") if getattr(robot, name))]
    notes = [f"  <!-- not kept: {_comment(', '.join(omitted))} -->"] if omitted else []
    head = ['<?xml version="1.0"?>', f"<!-- {MADE_BY} -->", f"<robot name={_quoted(robot.name)}>", *notes]
    return "\n".join([*head, *body, "</robot>"]) + "\n"


def _refuse(robot: Robot) -> None:
    if robot.B:
        raise NotApplicableError(
            f"robot '{robot.name}' has closed loops; a URDF describes only a tree",
            hint="cut its loops with robot.tree()",
        )
    if robot.base.kind == BaseKind.WHEELED:
        raise NotApplicableError(f"robot '{robot.name}' has wheels, which a URDF cannot represent")
    for j, frame in enumerate(robot.frames, 1):
        if frame.coupling and len(frame.coupling.terms) != 1:
            raise NotApplicableError(
                f"joint {j} has {len(frame.coupling.terms)} driving joints; a mimic joint of URDF has only one"
            )


def _unsupported(robot: Robot) -> Iterator[str]:
    """Yield descriptions of the robot's data that URDF cannot represent and whose omission changes a model."""
    if any(frame.eta for frame in robot.frames):
        yield "elastic joints"
    if any(link.flexible for link in robot.links):
        yield "flexible links"
    for name, words in FURTHER_FRICTION.items():
        if any(not getattr(frame, name).is_zero for frame in robot.frames):
            yield f"{words} ({name})"
    if robot.motors:
        yield "coupled motors (IAM, FVM, FSM)"
    if any(value is not None for frame in robot.frames for value in (frame.QP, frame.QDP, frame.GAM)):
        yield "prescribed joint motion"
    links = (robot.base.link, *robot.links, *([robot.payload] if robot.payload else []))
    if any(not getattr(link, name).is_zero for link in links for name in WRENCH):
        yield "wrenches on the environment"
    base = robot.base
    if base.kind == BaseKind.FIXED and any(
        not value.is_zero for triple in (base.W0, base.WP0, base.V0, base.VP0) for value in triple
    ):
        yield "the motion of the base"


class _XmlWriter:
    def __init__(self, robot: Robot, numbers: NominalNumbers) -> None:
        self.robot, self.numbers = robot, numbers
        self.links = _UniqueNames()
        self.joints = _UniqueNames()
        names = [robot.base.link.name or "base"]
        names += [link.name or f"link{j}" for j, link in enumerate(robot.links, 1)]
        self.link_names = [self.links.unused(name) for name in names]
        self.joint_names = [
            self.joints.unused(frame.name or f"joint{j}") for j, frame in enumerate(robot.frames, 1)
        ]

    def lines(self) -> Iterator[str]:
        tool = self.links.unused(self.robot.tool.name or "tool") if self.robot.tool else None
        yield f"  <symoro{self.settings(tool)}/>"
        yield from self.base()
        for j, frame in enumerate(self.robot.frames, 1):
            yield from self.link(self.link_names[j], self.robot.link(j))
            yield from self.joint(j, frame)
        if self.robot.tool and tool:
            yield from self.link(tool, self.robot.payload or Link())
            place = self.robot.tool.place
            yield from self.fixed(self.joints.unused(f"{tool}_joint"), place, tool)

    def settings(self, tool: str | None) -> str:
        base = self.robot.base
        gravity = self.numbers.several(base.G, "gravity")
        location = self.numbers.several(base.Z, "the pose of the base")
        text = f" tool={_quoted(tool)}" if tool else ""
        if gravity and gravity != GRAVITY:
            text += f' gravity="{_spaced(gravity)}"'
        if location and location != _UNIT:
            text += f' location="{_spaced(location)}"'
        return text

    def base(self) -> Iterator[str]:
        if self.robot.base.kind == BaseKind.FLOATING:
            world = self.links.unused("world")
            yield f"  <link name={_quoted(world)}/>"
            yield f'  <joint name={_quoted(self.joints.unused("world_joint"))} type="floating">'
            yield from self.ends(world, self.link_names[0])
            yield "  </joint>"
        yield from self.link(self.link_names[0], self.robot.base.link)

    def link(self, name: str, link: Link) -> Iterator[str]:
        inertial = list(self.inertial(name, link))
        if not inertial:
            yield f"  <link name={_quoted(name)}/>"
            return
        yield f"  <link name={_quoted(name)}>"
        yield from inertial
        yield "  </link>"

    def inertial(self, name: str, link: Link) -> Iterator[str]:
        values = self.numbers.inertia(link)
        if not any(values.values()):
            return
        mass = values["M"]
        moment = (values["MX"], values["MY"], values["MZ"])
        if any(abs(x) > 1e6 * abs(mass) for x in moment):
            raise FormatError(
                f"link '{name}' has first moments but no mass, which a URDF cannot represent",
                hint="a robot with base inertial parameters is not physical: write the original robot",
            )
        centre: Vector3 = (moment[0] / mass, moment[1] / mass, moment[2] / mass) if mass else ORIGIN
        about = steiner(mass, centre)
        tensor = {
            f"i{'xyz'[i]}{'xyz'[k]}": values["XYZ"[i] + "XYZ"[k]] - about[i][k]
            for i in range(3)
            for k in range(i, 3)
        }
        yield "    <inertial>"
        yield f'      <origin xyz="{_spaced(centre)}"/>'
        yield f'      <mass value="{mass!r}"/>'
        yield "      <inertia " + " ".join(f'{key}="{value!r}"' for key, value in tensor.items()) + "/>"
        yield "    </inertial>"

    def joint(self, j: int, frame: Frame) -> Iterator[str]:
        if not frame.moving:
            yield from self.fixed(self.joint_names[j - 1], frame, self.link_names[j])
            return
        kind = _kind(frame)
        yield f'  <joint name={_quoted(self.joint_names[j - 1])} type="{kind}">'
        yield from self.ends(self.link_names[frame.ant], self.link_names[j])
        yield from self.origin(frame)
        yield '    <axis xyz="0 0 1"/>'
        yield from _limit(kind, frame.limits)
        yield from self.drive(frame)
        if frame.coupling:
            (driver, ratio), *_ = frame.coupling.terms
            multiplier, offset = self.numbers.value(ratio), self.numbers.value(frame.coupling.offset)
            name = _quoted(self.joint_names[driver - 1])
            yield f'    <mimic joint={name} multiplier="{multiplier!r}" offset="{offset!r}"/>'
        yield "  </joint>"

    def fixed(self, name: str, place: Frame | Placement, link: str) -> Iterator[str]:
        yield f'  <joint name={_quoted(name)} type="fixed">'
        yield from self.ends(self.link_names[place.ant], link)
        yield from self.origin(place)
        yield "  </joint>"

    def ends(self, parent: str, child: str) -> Iterator[str]:
        yield f"    <parent link={_quoted(parent)}/>"
        yield f"    <child link={_quoted(child)}/>"

    def origin(self, place: Frame | Placement) -> Iterator[str]:
        pose: Pose = Six(*(self.numbers.value(getattr(place, name)) for name in GEOMETRIC)).pose()
        roll, pitch, yaw = (clean_angle(angle) for angle in to_rpy(pose.R))
        yield f'    <origin xyz="{_spaced(pose.p)}" rpy="{_spaced((roll, pitch, yaw))}"/>'

    def drive(self, frame: Frame) -> Iterator[str]:
        damping, friction, rotor, bias = (
            self.numbers.value(value, "friction and rotor inertias without a value")
            for value in (frame.FV, frame.FS, frame.IA, frame.FO)
        )
        if damping or friction:
            yield f'    <dynamics damping="{damping!r}" friction="{friction!r}"/>'
        if rotor or bias:
            yield f'    <symoro IA="{rotor!r}" FO="{bias!r}"/>'


def _kind(frame: Frame) -> str:
    if frame.sigma == JointType.PRISMATIC:
        return "prismatic"
    return "continuous" if frame.limits.lower is None and frame.limits.upper is None else "revolute"


def _limit(kind: str, limits: Limits) -> Iterator[str]:
    """Yield the lines of the `limit` element of a joint.

    Unknown limits that URDF requires are written as very large numbers.

    Args:
        kind: URDF joint type.
    """
    known = {name: getattr(limits, name) for name in ("lower", "upper", "effort", "velocity")}
    if kind == "continuous":
        if limits.effort is None and limits.velocity is None:
            return
        del known["lower"], known["upper"]
    words = []
    for name, value in known.items():
        none = -LARGEST if name == "lower" else LARGEST
        words.append(f'{name}="{none if value is None else float(value)!r}"')
    yield f"    <limit {' '.join(words)}/>"


class _UniqueNames:
    """Generator of distinct names for the links and joints of a file."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def unused(self, base: str) -> str:
        name = base = _ILLEGAL.sub("_", base).strip() or "_"
        number = 2
        while name in self.taken:
            name, number = f"{base}_{number}", number + 1
        self.taken.add(name)
        return name


def _quoted(text: str) -> str:
    """Return a quoted attribute value; line ends and tabs are escaped, since XML reads them as spaces."""
    marked = re.sub("[\t\n\r]", lambda sign: f"&#{ord(sign[0])};", escape(_ILLEGAL.sub("_", text)))
    return f'"{marked}"'


def _comment(text: str) -> str:
    return _ILLEGAL.sub("_", text).replace("--", "- -")


def _spaced(values: tuple[float, ...]) -> str:
    return " ".join(repr(value + 0.0) for value in values)


# -- numerical values of formulas; symbols without a value are collected for one message


class NominalNumbers:
    """Evaluator of formulas at the nominal parameter values of a robot.

    Attributes:
        lost: descriptions of the data that are omitted, because they contain symbols without a value.
    """

    def __init__(self, robot: Robot, lossy: bool) -> None:
        self.lost: list[str] = []
        self._robot, self._lossy = robot, lossy
        self._nominal = dict(robot.nominal)
        self._missing: dict[str, None] = {}

    def value(self, formula: Formula, without: str | None = None) -> float:
        """Return the value of a formula for the exported file, or zero if a symbol of the formula has no value.

        In the latter case the data are omitted and reported as lost if `lossy` is given and they can be omitted.
        Otherwise the symbols without a value are recorded, and `check` raises an error that lists them.

        Args:
            formula: the formula.
            without: description of the data that contain the formula, if they can be omitted; None if they cannot.
        """
        if formula.is_zero:
            return 0.0
        unknown = sorted(formula.symbols - self._nominal.keys())
        if not unknown:
            return self._evaluated(formula)
        if without and self._lossy:
            self._lose(without)
        else:
            self._missing |= dict.fromkeys(unknown)
        return 0.0

    def several(self, formulas: Sequence[Formula], what: str) -> tuple[float, ...] | None:
        """Return the values of formulas that are optional data of a URDF; None if one of the values is unknown.

        Args:
            formulas: the formulas.
            what: description of these data, for the list of omitted data.
        """
        if any(f.symbols - self._nominal.keys() for f in formulas):
            self._lose(f"{what} (no value)")
            return None
        return tuple(self.value(f) for f in formulas)

    def inertia(self, link: Link) -> dict[str, float]:
        """Return the ten inertial parameters of a link; an empty dict if one is unknown and `lossy` is given."""
        formulas = {name: getattr(link, name) for name in INERTIAL}
        if self._lossy and any(f.symbols - self._nominal.keys() for f in formulas.values()):
            self._lose("inertial parameters without a value")
            return {}
        return {name: self.value(f) for name, f in formulas.items()}

    def check(self) -> None:
        """Raise an error if symbols without a value were evaluated."""
        if self._missing:
            names = list(self._missing)
            shown = ", ".join(names[:30]) + (f" and {len(names) - 30} more" if len(names) > 30 else "")
            first = names[0]
            raise FormatError(
                f"a URDF contains only numbers, but robot '{self._robot.name}' has symbols without a value: {shown}",
                hint=f"give them values first: robot.bind({{'{first}': 0.5, ...}}); lossy=True omits "
                "inertias and friction without values",
            )

    def _lose(self, what: str) -> None:
        if what not in self.lost:
            self.lost.append(what)

    def _evaluated(self, formula: Formula) -> float:
        try:
            value = formula.value(self._nominal)
        except (ProgramError, ArithmeticError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise FormatError(
                f"'{formula}' has no finite value at the nominal values of robot '{self._robot.name}'",
                hint="change the nominal values",
            )
        return value
