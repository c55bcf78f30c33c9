"""Reader of URDF: every element is checked, every number is read, errors have line and column.

URDF: http://wiki.ros.org/urdf/XML (robot, link, joint; inertial, origin, axis, limit, dynamics, mimic).
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NoReturn

from symoro.errors import FormatError, Place, UnknownNameError
from symoro.robot.consistency import WARNING
from symoro.robot.description import Limits
from symoro.robot.formats.report import name_from
from symoro.robot.formats.urdf.markup import XmlNode, parse
from symoro.robot.formats.urdf.model import (
    GRAVITY,
    KINDS,
    Body,
    Document,
    ExportedData,
    Joint,
    LoopJoint,
    Mimic,
    Origin,
)
from symoro.robot.formats.urdf.rigid import from_quaternion, norm, to_rpy
from symoro.robot.formats.urdf.shapes import collision_capsules

MAX_JOINTS = 1000
LARGEST = 1e9  # metres, kilograms, ...: larger values are rejected; a larger limit means no limit

_OF_LINKS = ("link", "inertial", "origin", "mass", "inertia")
_OF_COLLISIONS = ("collision", "geometry", "mesh", "box", "cylinder", "sphere")
_OF_JOINTS = ("joint", "parent", "child", "axis", "limit", "dynamics", "mimic")
_OF_LOOPS = (
    "loop_joint",
    "link1",
    "link2",
    "gazebo",
    "pose",
    "xyz",
    "use_parent_model_frame",
    "damping",
    "friction",
)
_OF_ACTUATORS = ("transmission", "ros2_control", "command_interface")
_KEEP = frozenset({*_OF_LINKS, *_OF_COLLISIONS, *_OF_JOINTS, *_OF_LOOPS, *_OF_ACTUATORS, "symoro"})
_LOOP_KINDS = ("revolute", "continuous", "prismatic", "fixed")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\Z", re.ASCII)
_ENDLESS = re.compile(r"[-+]?(?:inf|infinity|nan)\Z", re.IGNORECASE)
XACRO = "this looks like xacro: give the file the suffix .xacro"
_DEFINITIONS = ("xacro:property", "xacro:arg", "xacro:macro")
_TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_OTHERS = {
    "mujoco": "this is an MJCF file: give it the suffix .mjcf, or the option 'format'",
    "sdf": "this is an SDF file: convert it to URDF first",
}


def document(text: str, file: str | None) -> Document:
    """Return the links and joints of a URDF text.

    Raises:
        FormatError: the text is not a valid URDF; the message contains the position and the expected contents.
    """
    root = parse(text, file, _KEEP)
    return _Reader(file).robot(root)


class _Reader:
    def __init__(self, file: str | None) -> None:
        self.file = file
        self.notes: list[str] = []

    def fail(self, node: XmlNode, message: str, hint: str = "", key: str | None = None) -> NoReturn:
        line, column = node.spot
        raise FormatError(message, place=Place(self.file, line, column, key), hint=hint or None)

    # -- elements

    def robot(self, root: XmlNode) -> Document:
        if root.tag != "robot":
            self.fail(root, f"expected the element 'robot', got '{root.tag[:40]}'", _OTHERS.get(root.tag, ""))
        self.no_macros(root)
        links, joints = list(root.all("link")), list(root.all("joint"))
        if not links:
            self.fail(
                root, "the robot has no links", "a URDF contains its links and joints in the element 'robot'"
            )
        if len(joints) > MAX_JOINTS:
            self.fail(
                root, f"{len(joints)} joints, more than {MAX_JOINTS}", "split the robot into several files"
            )
        self.notes += [f"{WARNING}{sentence}" for sentence in unknown_markup(root)]
        bodies = tuple(self.body(node) for node in links)
        joined = tuple(self.joint(node) for node in joints)
        self.unique("link", links)
        closing = [*root.all("loop_joint"), *_sdf_joints(root)]
        loops = tuple(self.loops(root))
        self.unique("joint", [*joints, *closing])
        ours = root.first("symoro")
        return Document(
            root.attributes.get("name", "").strip() or name_from(self.file),
            bodies,
            joined,
            self.file,
            self.own(ours) if ours else None,
            self.vector(ours, "gravity", GRAVITY) if ours else GRAVITY,
            tuple(self.notes),
            loops=loops,
            driven=tuple(self.driven(root)),
        )

    def no_macros(self, root: XmlNode) -> None:
        """Check that no links or joints are missing because a macro has not been expanded; definitions add none.

        Raises:
            FormatError: the file uses a xacro macro.
        """
        for node in _walk(root):
            for tag, (line, column) in node.skipped.items():
                if tag.startswith("xacro:") and tag not in _DEFINITIONS:
                    raise FormatError(
                        f"the element '{tag[:40]}' is a macro, which has not been expanded",
                        place=Place(self.file, line, column),
                        hint=XACRO,
                    )

    # -- loops and actuators

    def loops(self, root: XmlNode) -> Iterator[LoopJoint]:
        """Yield the joints that close loops: elements <loop_joint>, and SDF's <joint> inside <gazebo>."""
        for node in root.all("loop_joint"):
            yield self.loop_joint(node)
        for node in _sdf_joints(root):
            yield self.sdf_joint(node)

    def loop_kind(self, node: XmlNode) -> str:
        kind = self.attribute(node, "type").strip()
        if kind not in _LOOP_KINDS:
            self.fail(
                node,
                f"the loop joint '{self.name(node)}' is of type '{kind[:40]}', expected {', '.join(_LOOP_KINDS)}",
                "cut the loop at another joint, or describe the robot in YAML, with a spherical joint as three "
                "revolute joints",
                "type",
            )
        return kind

    def loop_joint(self, node: XmlNode) -> LoopJoint:
        """Return the loop-closing joint that a <loop_joint> element describes.

        The element has the attributes name and type, and contains <link1 link xyz rpy/>, <link2 .../> and <axis xyz/>.
        """
        kind, ends = self.loop_kind(node), []
        for tag in ("link1", "link2"):
            side = node.first(tag)
            if side is None:
                self.fail(
                    node,
                    f"the loop joint '{self.name(node)}' has no {tag}",
                    f'write <{tag} link="..."/> inside it',
                )
            zero = (0.0, 0.0, 0.0)
            origin = Origin(self.vector(side, "xyz", zero), self.vector(side, "rpy", zero))
            ends.append((self.attribute(side, "link").strip(), origin))
        axis = node.first("axis")
        direction = self.vector(axis, "xyz", (1.0, 0.0, 0.0)) if axis else (1.0, 0.0, 0.0)
        (parent, in_parent), (child, in_child) = ends
        return self.directed(
            node, LoopJoint(self.name(node), kind, parent, child, in_child, in_parent, direction, node.spot)
        )

    def sdf_joint(self, node: XmlNode) -> LoopJoint:
        """Return the joint of an SDF element: its pose is given in the child link frame, its axis in its own frame."""
        kind, name = self.loop_kind(node), self.name(node)
        ends = []
        for tag in ("parent", "child"):
            end = node.first(tag)
            if end is None or not end.text.strip():
                self.fail(
                    node, f"the loop joint '{name}' has no {tag}", f"write <{tag}>LINK</{tag}> inside it"
                )
            ends.append(end.text.strip())
        pose, axis = node.first("pose"), node.first("axis")
        origin = Origin()
        if pose is not None:
            self.only(pose, "relative_to", ("", *ends))
            self.only(pose, "degrees", ("", "false", "0"))
            self.only(pose, "rotation_format", ("", "euler_rpy"))
            x, y, z, roll, pitch, yaw = self.text_numbers(pose, 6)
            origin = Origin((x, y, z), (roll, pitch, yaw))
            if pose.attributes.get("relative_to") == ends[0]:  # the inverse joint, from child to parent
                ends.reverse()
        direction = (0.0, 0.0, 1.0)
        if axis is not None:
            flag = axis.first("use_parent_model_frame")
            if flag is not None and flag.text.strip() not in ("", "0", "false"):
                self.fail(
                    flag,
                    f"the axis of joint '{name}' is given in the model frame",
                    "give it in the joint frame",
                )
            xyz = axis.first("xyz")
            if xyz is not None:
                self.only(xyz, "expressed_in", ("", name))
                a, b, c = self.text_numbers(xyz, 3)
                direction = (a, b, c)
            dynamics = axis.first("dynamics")
            for key in ("damping", "friction"):
                value = dynamics and dynamics.first(key)
                if value and any(self.text_numbers(value, 1)):
                    self.notes.append(
                        f"{WARNING}{key} of the loop joint {name} is omitted: a cut joint has no friction; "
                        "cut the loop at another joint to keep it"
                    )
        return self.directed(
            node, LoopJoint(name, kind, ends[0], ends[1], origin, None, direction, node.spot)
        )

    def directed(self, node: XmlNode, loop: LoopJoint) -> LoopJoint:
        if loop.kind != "fixed" and norm(loop.axis) < 1e-6:
            self.fail(
                node,
                f"the axis of the loop joint '{loop.name}' has zero length",
                "give a vector xyz that is not zero",
            )
        return loop if loop.kind != "fixed" else replace(loop, axis=(0.0, 0.0, 1.0))

    def only(self, node: XmlNode, key: str, known: tuple[str, ...]) -> None:
        """Check that the attribute `key` of an SDF element has one of the supported values `known`."""
        value = node.attributes.get(key, "").strip()
        if value not in known:
            self.fail(
                node,
                f"{key} = '{value[:40]}' of '{node.tag}' is not supported in a loop joint",
                "omit it",
                key,
            )

    def text_numbers(self, node: XmlNode, count: int) -> list[float]:
        words = node.text.split()
        if len(words) != count:
            self.fail(node, f"expected {count} numbers in '{node.tag}', got {len(words)}", _advice(words))
        return [self.value(node, node.tag, word) for word in words]

    def driven(self, root: XmlNode) -> Iterator[str]:
        """Yield the names of the joints with a transmission, or with a command interface of ros2_control."""
        names: dict[str, None] = {}
        for transmission in root.all("transmission"):
            names |= dict.fromkeys(
                joint.attributes.get("name", "").strip() for joint in transmission.all("joint")
            )
        for control in root.all("ros2_control"):
            names |= {
                joint.attributes.get("name", "").strip(): None
                for joint in control.all("joint")
                if joint.first("command_interface")
            }
        return iter(names)

    # -- links and joints

    def body(self, node: XmlNode) -> Body:
        read = [collision_capsules(collision, self.file) for collision in node.all("collision")]
        body = Body(
            self.name(node),
            spot=node.spot,
            capsules=tuple(capsule for capsules, _ in read for capsule in capsules),
            omitted=tuple(reason for _, reasons in read for reason in reasons),
        )
        inertial = node.first("inertial")
        if inertial is None:
            return body
        mass, inertia = inertial.first("mass"), inertial.first("inertia")
        return replace(
            body,
            mass=self.number(mass, "value") if mass else 0.0,
            origin=self.origin(inertial),
            inertia=tuple(self.number(inertia, key) for key in _TENSOR) if inertia else body.inertia,
        )

    def joint(self, node: XmlNode) -> Joint:
        kind = self.attribute(node, "type").strip()
        if kind not in KINDS:
            hint = UnknownNameError("joint type", kind, KINDS).hint or ""
            self.fail(node, f"unknown joint type '{kind[:40]}'", hint, "type")
        joint = Joint(
            self.name(node),
            kind,
            self.end(node, "parent"),
            self.end(node, "child"),
            self.origin(node),
            spot=node.spot,
        )
        return self.moving(joint, node) if joint.moving else joint

    def moving(self, joint: Joint, node: XmlNode) -> Joint:
        """Return the joint with the data that only moving joints have: axis, limits, dynamics, mimic."""
        axis, dynamics, mimic = node.first("axis"), node.first("dynamics"), node.first("mimic")
        direction = self.vector(axis, "xyz", joint.axis) if axis else joint.axis
        if norm(direction) < 1e-6:
            self.fail(
                axis or node,
                f"the axis of joint '{joint.name}' has zero length",
                "give a vector xyz that is not zero",
            )
        extra = node.first("symoro")
        return replace(
            joint,
            axis=direction,
            limits=self.limits(joint, node.first("limit")),
            damping=self.number(dynamics, "damping", 0.0) if dynamics else 0.0,
            friction=self.number(dynamics, "friction", 0.0) if dynamics else 0.0,
            rotor=self.number(extra, "IA", 0.0) if extra else 0.0,
            bias=self.number(extra, "FO", 0.0) if extra else 0.0,
            mimic=self.mimic(mimic) if mimic else None,
        )

    def end(self, node: XmlNode, which: str) -> str:
        link = node.first(which)
        if link is None:
            name = node.attributes.get("name", "")
            self.fail(node, f"joint '{name}' has no {which}", f'write <{which} link="..."/> inside it')
        return self.attribute(link, "link").strip()

    def limits(self, joint: Joint, node: XmlNode | None) -> Limits:
        if node is None:
            return Limits()
        lower, upper, velocity, effort = (
            self.bound(node, key) for key in ("lower", "upper", "velocity", "effort")
        )
        if joint.kind == "continuous":
            lower = upper = None
        if lower is not None and upper is not None and lower > upper:
            self.notes.append(
                f"joint {joint.name}: the lower limit {lower:g} exceeds the upper limit {upper:g}; both are omitted"
            )
            lower = upper = None
        return Limits(lower, upper, velocity, effort)

    def mimic(self, node: XmlNode) -> Mimic:
        driver = self.attribute(node, "joint").strip()
        return Mimic(driver, self.number(node, "multiplier", 1.0), self.number(node, "offset", 0.0))

    def origin(self, node: XmlNode) -> Origin:
        origin = node.first("origin")
        if origin is None:
            return Origin()
        xyz = self.vector(origin, "xyz", (0.0, 0.0, 0.0))
        if "quat_xyzw" in origin.attributes:
            x, y, z, w = self.numbers(origin, "quat_xyzw", 4)
            if math.hypot(x, y, z, w) < 1e-6:
                self.fail(
                    origin, "the quaternion has length zero", "give a quaternion of length 1", "quat_xyzw"
                )
            return Origin(xyz, to_rpy(from_quaternion(w, x, y, z)))
        return Origin(xyz, self.vector(origin, "rpy", (0.0, 0.0, 0.0)))

    def own(self, node: XmlNode) -> ExportedData:
        location = None
        if "location" in node.attributes:
            location = tuple(self.numbers(node, "location", 16))
        return ExportedData(node.attributes.get("tool"), location)

    # -- attributes

    def unique(self, kind: str, nodes: list[XmlNode]) -> None:
        first: dict[str, XmlNode] = {}
        for node in nodes:
            name = self.name(node)
            if name in first:
                line = first[name].spot[0]
                self.fail(
                    node,
                    f"the name '{name}' is used for a second {kind}",
                    f"it was first used on line {line}",
                )
            first[name] = node

    def name(self, node: XmlNode) -> str:
        name = self.attribute(node, "name").strip()
        if not name:
            self.fail(node, f"the element '{node.tag}' has no name", 'write name="..."', "name")
        return name

    def attribute(self, node: XmlNode, key: str) -> str:
        if key not in node.attributes:
            self.fail(
                node, f"the element '{node.tag}' requires the attribute '{key}'", f'write {key}="..."', key
            )
        return node.attributes[key]

    def vector(
        self, node: XmlNode, key: str, default: tuple[float, float, float]
    ) -> tuple[float, float, float]:
        if key not in node.attributes:
            return default
        x, y, z = self.numbers(node, key, 3)
        return (x, y, z)

    def numbers(self, node: XmlNode, key: str, count: int) -> list[float]:
        words = self.attribute(node, key)[:2000].split()
        if len(words) != count:
            self.fail(node, f"expected {count} numbers, got {len(words)}", _advice(words), key)
        return [self.value(node, key, word) for word in words]

    def number(self, node: XmlNode, key: str, default: float | None = None) -> float:
        if default is not None and key not in node.attributes:
            return default
        return self.value(node, key, self.attribute(node, key).strip())

    def value(self, node: XmlNode, key: str, word: str) -> float:
        if len(word) > 400 or not _NUMBER.match(word):
            self.fail(node, f"expected a number, got '{word[:40]}'", _advice([word]), key)
        value = float(word)
        if abs(value) > LARGEST:
            self.fail(node, f"{word[:40]} is too large", "the units of URDF are metres and kilograms", key)
        return value

    def bound(self, node: XmlNode, key: str) -> float | None:
        """Return the limit in attribute `key` of an element; None if there is no limit.

        There is no limit if the attribute is absent or if its number is very large.
        """
        word = node.attributes.get(key, "").strip()
        if not word or (len(word) <= 400 and _ENDLESS.match(word)):
            return None
        if len(word) <= 400 and _NUMBER.match(word) and abs(float(word)) >= LARGEST:
            return None
        return self.value(node, key, word)


def _sdf_joints(root: XmlNode) -> Iterator[XmlNode]:
    """Yield the SDF joints inside <gazebo> elements, which close loops.

    Other <gazebo> elements only add properties to a joint of the URDF.
    """
    for extension in root.all("gazebo"):
        yield from (node for node in extension.all("joint") if node.first("parent") or node.first("child"))


def _advice(words: list[str]) -> str:
    if any("$" in word or "{" in word for word in words):
        return XACRO
    if any("," in word for word in words):
        return "separate numbers by spaces and write decimals with a point"
    return ""


# -- unknown elements and attributes: a misspelt `inertial` would lead to a massless link
#
# Known extensions of other programs, and elements with a namespace, are accepted.


# Children and attributes that are read in each element, and known extensions.
_READ = {
    "robot": ("link", "joint", "loop_joint", "symoro"),
    "link": ("inertial",),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "symoro"),
}
_EXTENSIONS = {
    "robot": frozenset(
        (
            *(
                "material",
                "gazebo",
                "transmission",
                "sensor",
                "ros2_control",
                "mujoco",
                "model_state",
                "group",
            ),
            *("fixed_frame", "frame", "camera", "actuator", "controller", "plugin", "capsule", "verbose"),
            *("disable_collisions", "self_collision_checking"),
        )
    ),
    "link": frozenset(
        (
            *("visual", "collision", "sensor", "gazebo", "contact", "surface", "material", "gravity"),
            *("kinematic", "collision_checking", "self_collision_checking", "self_filter", "audio_source"),
            *("capsule", "verbose"),
        )
    ),
    "joint": frozenset(
        (
            *("calibration", "safety_controller", "gazebo", "sensor", "transmission", "actuator"),
            "hardwareInterface",
        )
    ),
}
_ATTRIBUTES = {
    "origin": ("xyz", "rpy", "quat_xyzw"),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "velocity", "effort"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
}
_SHOWN = 10


def unknown_markup(root: XmlNode) -> list[str]:
    """Return one warning per unknown element or attribute name."""
    spots_by_message: dict[str, list[tuple[int, int]]] = {}
    for node in _walk(root):
        for sentence, spot in (*_elements(node), *_attributes(node)):
            spots_by_message.setdefault(sentence, []).append(spot)
    messages = []
    for sentence, spots in list(spots_by_message.items())[:_SHOWN]:
        more = f" and {len(spots) - 1} more" if len(spots) > 1 else ""
        messages.append(f"line {spots[0][0]}{more}: {sentence}")
    rest = len(spots_by_message) - len(messages)
    return [*messages, f"{rest} more kinds of elements that are not read"] if rest else messages


def _walk(root: XmlNode) -> Iterator[XmlNode]:
    """Yield all elements of standard URDF below the root, without the contents of extensions such as <gazebo>."""
    yield root
    for child in root.children:
        if child.tag not in _EXTENSIONS["robot"]:
            yield from _walk(child)


def _elements(node: XmlNode) -> Iterator[tuple[str, tuple[int, int]]]:
    known = _READ.get(node.tag, ())
    spots = {tag: spot for tag, spot in node.skipped.items() if tag not in _EXTENSIONS.get(node.tag, ())}
    known_too = (*known, *_EXTENSIONS.get(node.tag, ()))
    spots |= {child.tag: child.spot for child in reversed(node.children) if child.tag not in known_too}
    if node.tag in _READ:
        for tag, spot in spots.items():
            if ":" not in tag:
                yield f"the element '{tag[:40]}' in '{node.tag}' is not read{_meant(tag, known)}", spot


def _attributes(node: XmlNode) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield a warning, with line and column, for each unknown attribute that may be misspelt.

    An attribute may be misspelt if a known attribute with a similar name is absent. Other unknown attributes are
    ignored, because they belong to other programs.
    """
    absent = [name for name in _ATTRIBUTES.get(node.tag, ()) if name not in node.attributes]
    for name in node.attributes:
        if name not in _ATTRIBUTES.get(node.tag, (name,)) and _close(name, absent):
            yield f"the attribute '{name[:40]}' of '{node.tag}' is not read{_meant(name, absent)}", node.spot


def _close(name: str, known: tuple[str, ...] | list[str]) -> list[str]:
    return difflib.get_close_matches(name[:40].lower(), known, n=1, cutoff=0.65)


def _meant(name: str, known: tuple[str, ...] | list[str]) -> str:
    close = _close(name, known)
    return f"; did you mean '{close[0]}'?" if close else ""
