"""Shapes with which a URDF displays its links, in the robot's frames; they are not part of the robot.

A visual has the pose `origin` in its link frame, and the link has a fixed pose in the frame of its unit:
iTv = iTl lTv. Shapes that cannot be read are omitted, because they do not affect any model.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.robot.formats.urdf.convert import Choices, link_places
from symoro.robot.formats.urdf.markup import XmlNode, parse
from symoro.robot.formats.urdf.reader import document
from symoro.robot.formats.urdf.rigid import Vector3, to_rpy
from symoro.robot.formats.urdf.shapes import numbers, pose_of, shapes

_SHAPES = ("mesh", "box", "cylinder", "sphere")
_KEEP = frozenset({"link", "visual", "origin", "geometry", "material", "color", *_SHAPES})
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
    visual_shapes: list[Visual] = []
    for link in root.all("link"):
        name = link.attributes.get("name", "").strip()
        if name not in places:
            continue  # the world frame of a floating robot
        frame, place = places[name]
        for node in link.all("visual"):
            origin = pose_of(node)
            if origin is None:
                continue
            at = place @ origin
            for shape, size, mesh, scale in shapes(node):
                color = next(
                    (_color(m) or colors.get(m.attributes.get("name", "")) for m in node.all("material")),
                    None,
                )
                visual_shapes.append(Visual(frame, name, shape, size, mesh, scale, at.p, to_rpy(at.R), color))
    return visual_shapes[:MOST_VISUALS]


def _color(node: XmlNode) -> tuple[float, ...] | None:
    color = node.first("color")
    return numbers(color, "rgba", 4) if color else None
