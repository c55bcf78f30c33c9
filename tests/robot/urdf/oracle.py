"""Two independent interpretations of a robot as arrays: a plain interpreter of URDF, and the frames of a `Robot`.

The interpreter uses no code of the package, only xml.etree, numpy, and the definitions of the two formats.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass

import numpy as np

from symoro.expr.formula import Formula
from symoro.robot.description import JointType, Link, Robot
from tests.oracle.placement import placement

MOVING = ("revolute", "continuous", "prismatic")


# -- URDF


def numbers(element: ET.Element | None, key: str, default: str) -> np.ndarray:
    text = element.get(key, default) if element is not None else default
    return np.array([float(word) for word in text.split()])


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    x, y, z = axis / math.hypot(*axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def homogeneous(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def placed(element: ET.Element | None) -> np.ndarray:
    origin = element.find("origin") if element is not None else None
    roll, pitch, yaw = numbers(origin, "rpy", "0 0 0")
    x, y, z = np.eye(3)
    return homogeneous(turn(z, yaw) @ turn(y, pitch) @ turn(x, roll), numbers(origin, "xyz", "0 0 0"))


@dataclass(frozen=True)
class Inertia:
    """Mass, first moments and inertia matrix, all in and about one frame."""

    mass: float
    moment: np.ndarray
    tensor: np.ndarray

    def seen_from(self, T: np.ndarray) -> Inertia:
        """Return the inertia in the frame in which its own frame has the pose T."""
        R, p = T[:3, :3], T[:3, 3]
        moment = R @ self.moment
        shift = cross_square(p, moment) + cross_square(moment, p) + self.mass * cross_square(p, p)
        return Inertia(self.mass, moment + self.mass * p, R @ self.tensor @ R.T + shift)

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.mass + other.mass, self.moment + other.moment, self.tensor + other.tensor)

    def distance(self, other: Inertia) -> float:
        """Return the largest difference, relative to the size of the parameters."""
        scale = max(1e-3, abs(self.mass), np.abs(self.moment).max(), np.abs(self.tensor).max())
        parts = (
            abs(self.mass - other.mass),
            np.abs(self.moment - other.moment).max(),
            np.abs(self.tensor - other.tensor).max(),
        )
        return max(parts) / scale


NOTHING = Inertia(0.0, np.zeros(3), np.zeros((3, 3)))


def cross_square(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return -[a]x [b]x."""
    return (a @ b) * np.eye(3) - np.outer(b, a)


class Urdf:
    """Plain interpreter of a URDF."""

    def __init__(self, text: str) -> None:
        root = ET.fromstring(text)
        self.links = {link.get("name", ""): link for link in root.findall("link")}
        self.joints = {joint.get("name", ""): joint for joint in root.findall("joint")}
        self.above = {joint.find("child").get("link"): joint for joint in self.joints.values()}

    def kind(self, joint: str) -> str:
        return self.joints[joint].get("type", "")

    def moving(self) -> list[str]:
        return [name for name in self.joints if self.kind(name) in MOVING]

    def positions(self, q: dict[str, float]) -> dict[str, float]:
        """Return the positions of all moving joints from those of the independent joints."""
        results = {}
        for name in self.moving():
            ratio, offset, mimic = 1.0, 0.0, self.joints[name].find("mimic")
            driver = name
            while mimic is not None and mimic.get("joint") in self.joints:
                step = float(mimic.get("multiplier", "1"))
                offset += ratio * float(mimic.get("offset", "0"))
                ratio *= step
                driver = mimic.get("joint", "")
                mimic = self.joints[driver].find("mimic")
            results[name] = ratio * q[driver] + offset
        return results

    def free_joints(self) -> list[str]:
        def driven(name: str) -> bool:
            mimic = self.joints[name].find("mimic")
            return mimic is not None and mimic.get("joint") in self.joints

        return [name for name in self.moving() if not driven(name)]

    def placements(self, positions: dict[str, float]) -> dict[str, np.ndarray]:
        """Return the pose of every link frame in the root frame."""
        results: dict[str, np.ndarray] = {}
        for link in self.links:
            way = [link]
            while way[-1] in self.above and way[-1] not in results:
                way.append(self.above[way[-1]].find("parent").get("link"))
            T = results.setdefault(way.pop(), np.eye(4))
            for name in reversed(way):
                T = results[name] = T @ self.step(self.above[name], positions)
        return results

    def step(self, joint: ET.Element, positions: dict[str, float]) -> np.ndarray:
        kind, T = joint.get("type"), placed(joint)
        axis = numbers(joint.find("axis"), "xyz", "1 0 0")
        q = positions.get(joint.get("name", ""), 0.0)
        if kind == "prismatic":
            return T @ homogeneous(np.eye(3), q * axis / np.linalg.norm(axis))
        return T @ homogeneous(turn(axis, q), np.zeros(3)) if kind in MOVING else T

    def inertia(self, link: str) -> Inertia:
        """Return the inertia in the link frame."""
        inertial = self.links[link].find("inertial")
        if inertial is None:
            return NOTHING
        mass, tensor = inertial.find("mass"), inertial.find("inertia")
        m = float(mass.get("value", "0")) if mass is not None else 0.0
        xx, xy, xz, yy, yz, zz = (
            float(tensor.get(key, "0")) if tensor is not None else 0.0
            for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        )
        centred = Inertia(m, np.zeros(3), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        return centred.seen_from(placed(inertial))

    def carrier(self, link: str, framed: set[str]) -> str | None:
        """Return the joint with a frame that carries a link; None for the root."""
        while link in self.above:
            joint = self.above[link]
            if joint.get("name") in framed:
                return joint.get("name")
            link = joint.find("parent").get("link")
        return None


# -- Khalil-Kleinfinger


class Frames:
    """Frames of a robot as arrays."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.nominal = dict(robot.nominal)
        self.numbers = {frame.name: j for j, frame in enumerate(robot.frames, 1)}
        self.table = [
            [self.value(getattr(frame, name)) for name in ("gamma", "b", "alpha", "d", "theta", "r")]
            for frame in robot.frames
        ]

    def value(self, formula: Formula) -> float:
        return 0.0 if formula.is_zero else formula.value(self.nominal)

    def positions(self, q: dict[str, float]) -> list[float]:
        results = []
        for frame in self.robot.frames:
            if frame.coupling is None:
                results.append(q[frame.name] if frame.moving else 0.0)
                continue
            terms = [self.value(ratio) * q[self.robot.frame(i).name] for i, ratio in frame.coupling.terms]
            results.append(sum(terms) + self.value(frame.coupling.offset))
        return results

    def placements(self, q: dict[str, float]) -> list[np.ndarray]:
        """Return the poses of frames 0, 1, ... in frame 0."""
        result = [np.eye(4)]
        for frame, row, position in zip(self.robot.frames, self.table, self.positions(q), strict=True):
            gamma, b, alpha, d, theta, r = row
            theta += position if frame.sigma == JointType.REVOLUTE else 0
            r += position if frame.sigma == JointType.PRISMATIC else 0
            result.append(result[frame.ant] @ placement(gamma, b, alpha, d, theta, r))
        return result

    def number(self, joint: str) -> int:
        return self.numbers[joint]

    def inertia(self, j: int) -> Inertia:
        """Return the inertia in frame j."""
        return link_inertia(self.robot.link(j), self.value)


def link_inertia(link: Link, value) -> Inertia:
    xx, xy, xz, yy, yz, zz, mx, my, mz, m = (
        value(getattr(link, name)) for name in ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
    )
    return Inertia(m, np.array([mx, my, mz]), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


# -- the two against each other


def compare(text: str, robot: Robot, q: dict[str, float], *, floating: bool = False) -> tuple[float, float]:
    """Return the largest error of a pose (m, rad) and of an inertia in the root frame (relative).

    A frame may differ from its link's, but must move with it: its pose on the link is that at rest.
    """
    urdf, frames = Urdf(text), Frames(robot)
    rest = dict.fromkeys(urdf.free_joints(), 0.0)
    framed = {frame.name for frame in robot.frames}
    at_rest = (urdf.placements(urdf.positions(rest)), frames.placements(rest))
    moved = (urdf.placements(urdf.positions(q)), frames.placements(q))
    wrong = 0.0
    for joint in urdf.joints:
        if joint in framed:
            j, link = frames.number(joint), urdf.joints[joint].find("child").get("link")
            (P0, F0), (P, F) = ((p[link], f[j]) for p, f in (at_rest, moved))
            wrong = max(wrong, np.abs(P @ inverse(P0) @ F0 - F).max())
            wrong = max(wrong, axis_error(urdf, joint, P, F))
    return wrong, inertia_error(urdf, frames, framed, moved[0], moved[1], floating)


def inverse(T: np.ndarray) -> np.ndarray:
    return homogeneous(T[:3, :3].T, -T[:3, :3].T @ T[:3, 3])


def axis_error(urdf: Urdf, joint: str, P: np.ndarray, F: np.ndarray) -> float:
    """Return the distance of z from the joint axis, in direction (with sign) and, if revolute, in position."""
    if urdf.kind(joint) not in MOVING:
        return float(np.abs(P - F).max())  # the frame of a kept fixed joint is the link frame
    axis = numbers(urdf.joints[joint].find("axis"), "xyz", "1 0 0")
    axis = P[:3, :3] @ axis / np.linalg.norm(axis)
    error = np.abs(F[:3, 2] - axis).max()
    if urdf.kind(joint) != "prismatic":
        error = max(error, np.abs(np.cross(F[:3, 3] - P[:3, 3], axis)).max())
    return float(error)


def inertia_error(
    urdf: Urdf,
    frames: Frames,
    framed: set[str],
    of_links: dict[str, np.ndarray],
    of_frames: list[np.ndarray],
    floating: bool,
) -> float:
    wanted: dict[str | None, Inertia] = dict.fromkeys([None, *framed], NOTHING)
    for link in urdf.links:
        carrier = urdf.carrier(link, framed)
        wanted[carrier] += urdf.inertia(link).seen_from(of_links[link])
    wrong = 0.0
    for joint, inertia in wanted.items():
        j = 0 if joint is None else frames.number(joint)
        if j or floating:
            wrong = max(wrong, inertia.distance(frames.inertia(j).seen_from(of_frames[j])))
    return wrong
