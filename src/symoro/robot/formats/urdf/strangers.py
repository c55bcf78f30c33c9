"""Elements and attributes of a URDF that nobody reads: a misspelt `inertial` is a link without mass.

Extensions that other programs read, and whatever has a namespace, are no strangers.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from symoro.robot.formats.urdf.markup import XmlNode

# What is read in each element, and what others put there.
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


def strangers(root: XmlNode) -> list[str]:
    """A sentence for every kind of element and attribute that is not read and no known extension."""
    found: dict[str, list[tuple[int, int]]] = {}
    for node in _walk(root):
        for sentence, spot in (*_elements(node), *_attributes(node)):
            found.setdefault(sentence, []).append(spot)
    told = []
    for sentence, spots in list(found.items())[:_SHOWN]:
        more = f" and {len(spots) - 1} more" if len(spots) > 1 else ""
        told.append(f"line {spots[0][0]}{more}: {sentence}")
    rest = len(found) - len(told)
    return [*told, f"{rest} more kinds of elements that are not read"] if rest else told


def _walk(root: XmlNode) -> Iterator[XmlNode]:
    """Yield the elements of URDF proper; those inside extensions have rules of their own."""
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
    """Attributes close to one that is read and absent; others belong to other programs."""
    absent = [name for name in _ATTRIBUTES.get(node.tag, ()) if name not in node.attributes]
    for name in node.attributes:
        if name not in _ATTRIBUTES.get(node.tag, (name,)) and _close(name, absent):
            yield f"the attribute '{name[:40]}' of '{node.tag}' is not read{_meant(name, absent)}", node.spot


def _close(name: str, known: tuple[str, ...] | list[str]) -> list[str]:
    return difflib.get_close_matches(name[:40].lower(), known, n=1, cutoff=0.65)


def _meant(name: str, known: tuple[str, ...] | list[str]) -> str:
    close = _close(name, known)
    return f"; did you mean '{close[0]}'?" if close else ""
