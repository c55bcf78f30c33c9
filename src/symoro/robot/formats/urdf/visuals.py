"""Shapes with which a URDF displays its links, in the robot's frames; they are not part of the robot.

A visual has the pose `origin` in its link frame, and the link has a fixed pose in the frame of its unit:
iTv = iTl lTv. Shapes that cannot be read are omitted, because they do not affect any model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from symoro.robot.formats.urdf.convert import Choices, link_places
from symoro.robot.formats.urdf.markup import XmlNode, parse
from symoro.robot.formats.urdf.model import Origin
from symoro.robot.formats.urdf.reader import document
from symoro.robot.formats.urdf.rigid import Vector3, to_rpy

_SHAPES = ("mesh", "box", "cylinder", "sphere")
_KEEP = frozenset({"link", "visual", "origin", "geometry", "material", "color", *_SHAPES})
LARGEST = 1e6
MOST_VISUALS = 2000


@dataclass(frozen=True)
class Visual:
    """Visual shape that is fixed to a frame of the robot.

    Attributes:
        frame: number of the frame; 0 is the base.
        shape: 'mesh', 'box', 'cylinder' (along z) or 'sphere'.
        size: edges of a box; radius and length of a cylinder; radius of a sphere; empty for a mesh (m).
        file: file of a mesh, as written in the URDF.
        scale: scale of a mesh.
        color: red, green, blue and opacity, from 0 to 1.
    """

    frame: int
    link: str
    shape: str
    size: tuple[float, ...]
    file: str | None
    scale: Vector3
    xyz: Vector3
    rpy: Vector3
    color: tuple[float, ...] | None


def visuals(text: str, file: str | None = None) -> list[Visual]:
    """Return the visual shapes in a URDF text; the text must describe a valid robot."""
    root = parse(text, file, _KEEP)
    places = link_places(document(text, file), Choices())
    colors = {node.attributes.get("name", ""): _color(node) for node in root.all("material")}
    shapes: list[Visual] = []
    for link in root.all("link"):
        name = link.attributes.get("name", "").strip()
        if name not in places:
            continue  # the world frame of a floating robot
        frame, place = places[name]
        for node in link.all("visual"):
            origin = _origin(node)
            if origin is None:
                continue
            at = place @ origin.pose()
            for shape, size, mesh, scale in _shapes(node):
                color = next(
                    (_color(m) or colors.get(m.attributes.get("name", "")) for m in node.all("material")),
                    None,
                )
                shapes.append(Visual(frame, name, shape, size, mesh, scale, at.p, to_rpy(at.R), color))
    return shapes[:MOST_VISUALS]


def _shapes(node: XmlNode) -> Iterator[tuple[str, tuple[float, ...], str | None, Vector3]]:
    geometry = node.first("geometry")
    for shape in geometry.children if geometry else ():
        scale = _numbers(shape, "scale", 3, (1.0, 1.0, 1.0))
        sizes = {
            "box": _numbers(shape, "size", 3),
            "sphere": _numbers(shape, "radius", 1),
            "cylinder": _pair(_numbers(shape, "radius", 1), _numbers(shape, "length", 1)),
            "mesh": (),
        }
        size, mesh = sizes.get(shape.tag), shape.attributes.get("filename")
        if size is not None and scale is not None and (shape.tag != "mesh" or mesh):
            yield shape.tag, size, mesh if shape.tag == "mesh" else None, (scale[0], scale[1], scale[2])


def _pair(a: tuple[float, ...] | None, b: tuple[float, ...] | None) -> tuple[float, ...] | None:
    return None if a is None or b is None else a + b


def _origin(node: XmlNode) -> Origin | None:
    origin = node.first("origin")
    if origin is None:
        return Origin()
    xyz, rpy = (_numbers(origin, key, 3, (0.0, 0.0, 0.0)) for key in ("xyz", "rpy"))
    if xyz is None or rpy is None:
        return None
    return Origin((xyz[0], xyz[1], xyz[2]), (rpy[0], rpy[1], rpy[2]))


def _color(node: XmlNode) -> tuple[float, ...] | None:
    color = node.first("color")
    return _numbers(color, "rgba", 4) if color else None


def _numbers(
    node: XmlNode, key: str, count: int, default: tuple[float, ...] | None = None
) -> tuple[float, ...] | None:
    if key not in node.attributes:
        return default
    try:
        values = tuple(float(word) for word in node.attributes[key].split())
    except ValueError:
        return None
    sound = len(values) == count and all(math.isfinite(x) and abs(x) <= LARGEST for x in values)
    return values if sound else None
