"""A URDF text as a `Document`: every element checked, every number read, errors with line and column.

URDF: http://wiki.ros.org/urdf/XML (robot, link, joint; inertial, origin, axis, limit, dynamics, mimic).
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import PurePath
from typing import NoReturn

from symoro.errors import FormatError, Place, UnknownNameError
from symoro.robot.consistency import WARNING
from symoro.robot.description import Limits
from symoro.robot.formats.urdf.markup import XmlNode, parse
from symoro.robot.formats.urdf.model import GRAVITY, KINDS, Body, Document, Joint, Mimic, Origin, Own
from symoro.robot.formats.urdf.rigid import from_quaternion, norm, to_rpy
from symoro.robot.formats.urdf.strangers import strangers

MAX_JOINTS = 1000
LARGEST = 1e9  # metres, kilograms, ...: beyond, no robot; and a limit means no limit

_OF_LINKS = ("link", "inertial", "origin", "mass", "inertia")
_OF_JOINTS = ("joint", "parent", "child", "axis", "limit", "dynamics", "mimic")
_KEEP = frozenset({*_OF_LINKS, *_OF_JOINTS, "symoro"})
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\Z", re.ASCII)
_ENDLESS = re.compile(r"[-+]?(?:inf|infinity|nan)\Z", re.IGNORECASE)
_TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_OTHERS = {
    "mujoco": "this is an MJCF file: give it the suffix .mjcf, or the option 'format'",
    "sdf": "this is an SDF file: convert it to URDF first",
}


def document(text: str, file: str | None) -> Document:
    """The robot that a URDF text describes.

    Raises:
        FormatError: not a URDF; it says where, and what was expected.
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
            self.fail(
                root, f"expected the element 'robot', found '{root.tag[:40]}'", _OTHERS.get(root.tag, "")
            )
        links, joints = list(root.all("link")), list(root.all("joint"))
        if not links:
            self.fail(root, "the robot has no links", "a URDF lists its links and joints below 'robot'")
        if len(joints) > MAX_JOINTS:
            self.fail(root, f"{len(joints)} joints, more than {MAX_JOINTS}", "split the robot")
        self.notes += [f"{WARNING}{sentence}" for sentence in strangers(root)]
        bodies = tuple(self.body(node) for node in links)
        joined = tuple(self.joint(node) for node in joints)
        self.unique("link", links)
        self.unique("joint", joints)
        ours = root.first("symoro")
        return Document(
            root.attributes.get("name", "").strip() or _stem(self.file),
            bodies,
            joined,
            self.file,
            self.own(ours) if ours else None,
            self.vector(ours, "gravity", GRAVITY) if ours else GRAVITY,
            tuple(self.notes),
        )

    def body(self, node: XmlNode) -> Body:
        body = Body(self.name(node), spot=node.spot)
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
            self.fail(node, f"no joint type called '{kind[:40]}'", hint, "type")
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
        """The joint with what only a moving one has."""
        axis, dynamics, mimic = node.first("axis"), node.first("dynamics"), node.first("mimic")
        direction = self.vector(axis, "xyz", joint.axis) if axis else joint.axis
        if norm(direction) < 1e-6:
            self.fail(axis or node, f"the axis of joint '{joint.name}' has no direction", "give xyz a length")
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
                f"joint {joint.name}: lower limit {lower:g} above the upper one {upper:g}, both left out"
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
                self.fail(origin, "a quaternion of length zero", "its length should be 1", "quat_xyzw")
            return Origin(xyz, to_rpy(from_quaternion(w, x, y, z)))
        return Origin(xyz, self.vector(origin, "rpy", (0.0, 0.0, 0.0)))

    def own(self, node: XmlNode) -> Own:
        location = None
        if "location" in node.attributes:
            location = tuple(self.numbers(node, "location", 16))
        return Own(node.attributes.get("tool"), location)

    # -- attributes

    def unique(self, kind: str, nodes: list[XmlNode]) -> None:
        first: dict[str, XmlNode] = {}
        for node in nodes:
            name = self.name(node)
            if name in first:
                line = first[name].spot[0]
                self.fail(node, f"a second {kind} called '{name}'", f"the first stands on line {line}")
            first[name] = node

    def name(self, node: XmlNode) -> str:
        name = self.attribute(node, "name").strip()
        if not name:
            self.fail(node, f"a {node.tag} without a name", 'write name="..."', "name")
        return name

    def attribute(self, node: XmlNode, key: str) -> str:
        if key not in node.attributes:
            self.fail(node, f"'{node.tag}' needs the attribute '{key}'", f'write {key}="..."', key)
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
            self.fail(node, f"expected {count} numbers, found {len(words)}", _advice(words), key)
        return [self.value(node, key, word) for word in words]

    def number(self, node: XmlNode, key: str, default: float | None = None) -> float:
        if default is not None and key not in node.attributes:
            return default
        return self.value(node, key, self.attribute(node, key).strip())

    def value(self, node: XmlNode, key: str, word: str) -> float:
        if len(word) > 400 or not _NUMBER.match(word):
            self.fail(node, f"expected a number, found '{word[:40]}'", _advice([word]), key)
        value = float(word)
        if abs(value) > LARGEST:
            self.fail(
                node, f"{word[:40]} is too large for a robot", "URDF counts in metres and kilograms", key
            )
        return value

    def bound(self, node: XmlNode, key: str) -> float | None:
        """A limit; None when the file gives none, or one so large that it is none."""
        word = node.attributes.get(key, "").strip()
        if not word or (len(word) <= 400 and _ENDLESS.match(word)):
            return None
        if len(word) <= 400 and _NUMBER.match(word) and abs(float(word)) >= LARGEST:
            return None
        return self.value(node, key, word)


def _advice(words: list[str]) -> str:
    if any("$" in word or "{" in word for word in words):
        return "this looks like xacro: give the file the suffix .xacro"
    if any("," in word for word in words):
        return "numbers are separated by spaces, and decimals start after a point"
    return ""


def _stem(file: str | None) -> str:
    stem = PurePath(file).stem if file and not file.startswith("<") else ""
    return stem or "robot"
