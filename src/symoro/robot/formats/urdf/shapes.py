"""Shapes of links in URDF and MJCF files, and the capsules that enclose them.

A cylinder of radius r and length l is enclosed by the capsules with the half length h of the axis and

    R = sqrt(r^2 + (l/2 - h)^2),     0 <= h <= l/2

of which the one with the smallest volume is used. A box is enclosed like the cylinder through its corners along its
longest edge, a flat box in up to four strips; a mesh like the box along its principal axes that contains its vertices.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symoro.robot.formats.urdf.markup import XmlNode
from symoro.robot.formats.urdf.rigid import Matrix3, Pose, Vector3, add, from_rpy, scaled

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST = 1e6  # m: a larger size of a shape is a mistake
LARGEST_MESH = 64 * 2**20  # bytes
MOST_STRIPS = 4  # capsules side by side in a flat box
HALF_LENGTHS = 32  # tried half lengths of a capsule
_STL_TRIANGLE = 50  # bytes: normal, three vertices, two bytes


@dataclass(frozen=True)
class LinkCapsule:
    """Capsule in the axes of a link frame: end points of its axis, and radius (m)."""

    start: Vector3
    end: Vector3
    radius: float


def shapes(node: XmlNode) -> Iterator[tuple[str, tuple[float, ...], str | None, Vector3]]:
    """Yield kind, size, mesh file and scale of the shapes in the element 'geometry' of a visual or a collision.

    The sizes are the edges of a box, radius and length of a cylinder, the radius of a sphere; empty for a mesh (m).
    Shapes that cannot be read are omitted.
    """
    geometry = node.first("geometry")
    for shape in geometry.children if geometry else ():
        scale = numbers(shape, "scale", 3, (1.0, 1.0, 1.0))
        sizes = {
            "box": numbers(shape, "size", 3),
            "sphere": numbers(shape, "radius", 1),
            "cylinder": _pair(numbers(shape, "radius", 1), numbers(shape, "length", 1)),
            "mesh": (),
        }
        size, mesh = sizes.get(shape.tag), shape.attributes.get("filename")
        if size is not None and scale is not None and (shape.tag != "mesh" or mesh):
            yield shape.tag, size, mesh if shape.tag == "mesh" else None, (scale[0], scale[1], scale[2])


def _pair(a: tuple[float, ...] | None, b: tuple[float, ...] | None) -> tuple[float, ...] | None:
    return None if a is None or b is None else a + b


def pose_of(node: XmlNode) -> Pose | None:
    """Return the pose in the element 'origin' of a visual or a collision; None if it cannot be read."""
    origin = node.first("origin")
    if origin is None:
        return Pose()
    xyz, rpy = (numbers(origin, key, 3, (0.0, 0.0, 0.0)) for key in ("xyz", "rpy"))
    if xyz is None or rpy is None:
        return None
    return Pose(from_rpy((rpy[0], rpy[1], rpy[2])), (xyz[0], xyz[1], xyz[2]))


def numbers(
    node: XmlNode, key: str, count: int, default: tuple[float, ...] | None = None
) -> tuple[float, ...] | None:
    """Return the numbers in an attribute; the default if it is absent, None if it cannot be read."""
    if key not in node.attributes:
        return default
    try:
        values = tuple(float(word) for word in node.attributes[key].split())
    except ValueError:
        return None
    sound = len(values) == count and all(math.isfinite(x) and abs(x) <= LARGEST for x in values)
    return values if sound else None


# -- capsules


def collision_capsules(node: XmlNode, file: str | None) -> tuple[list[LinkCapsule], list[str]]:
    """Return the capsules that enclose the shapes of a collision element, and the reasons why shapes are omitted.

    Args:
        node: the element 'collision'.
        file: path of the URDF file, relative to which meshes are searched.
    """
    place, read = pose_of(node), list(shapes(node))
    if place is None or not read:
        return [], ["its pose, kind or size cannot be read"]
    capsules: list[LinkCapsule] = []
    reasons: list[str] = []
    for kind, size, mesh, scale in read:
        if mesh is None and min(size) < 0:
            reasons.append("its size is negative")
        elif mesh is None:
            capsules += [placed(one, place) for one in enclosing(kind, size)]
        elif (points := _vertices(mesh, file)) is not None:
            capsules += [placed(one, place) for one in around(points * scale)]
        else:
            reasons.append(f"its mesh '{mesh[-60:]}' is missing, or is not an STL or OBJ file")
    return capsules, reasons


def enclosing(kind: str, size: tuple[float, ...]) -> list[LinkCapsule]:
    """Return capsules that enclose a 'box', 'cylinder' (along z) or 'sphere' about the origin; none if it is flat.

    Args:
        kind: the kind of shape.
        size: edges of a box; radius and length of a cylinder; radius of a sphere (m).
    """
    if kind == "sphere":
        return [LinkCapsule((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), size[0])] if size[0] > 0 else []
    if kind == "cylinder":
        return _along((0.0, 0.0, 1.0), (0.0, 0.0, 0.0), size[0], size[1])
    (c, _), (b, wide), (a, long) = sorted((edge, axis) for axis, edge in enumerate(size))
    strips = max(1, min(MOST_STRIPS, math.ceil(b / c) if c > 0 else MOST_STRIPS))
    direction = _unit(long)
    centres = [(k + 0.5) / strips - 0.5 for k in range(strips)]
    radius = math.hypot(b / strips, c) / 2
    return [one for x in centres for one in _along(direction, scaled(x * b, _unit(wide)), radius, a)]


def _unit(axis: int) -> Vector3:
    return (float(axis == 0), float(axis == 1), float(axis == 2))


def _along(direction: Vector3, centre: Vector3, radius: float, length: float) -> list[LinkCapsule]:
    """Return the smallest capsule that encloses a cylinder, as a list; empty if the cylinder has no size."""

    def volume(h: float) -> float:
        r = math.hypot(radius, length / 2 - h)
        return r * r * (2 * h + 4 / 3 * r)

    half = min((length / 2 * k / HALF_LENGTHS for k in range(HALF_LENGTHS + 1)), key=volume)
    r = math.hypot(radius, length / 2 - half)
    start, end = (add(centre, scaled(sign * half, direction)) for sign in (-1, 1))
    return [LinkCapsule(start, end, r)] if r > 0 else []


def around(points: NDArray[Any]) -> list[LinkCapsule]:
    """Return capsules that enclose points (S, 3), through the box along their principal axes."""
    import numpy as np

    _, _, axes = np.linalg.svd(points - points.mean(0), full_matrices=False)
    axes[2] = np.cross(axes[0], axes[1])
    local = points @ axes.T
    low, high = local.min(0), local.max(0)
    x, y, z = ((float(v[0]), float(v[1]), float(v[2])) for v in axes.T)
    p = (low + high) / 2 @ axes
    rotation: Matrix3 = (x, y, z)
    place = Pose(rotation, (float(p[0]), float(p[1]), float(p[2])))
    edges = tuple(float(edge) for edge in high - low)
    return [placed(one, place) for one in enclosing("box", edges)]


def placed(capsule: LinkCapsule, place: Pose) -> LinkCapsule:
    """Return a capsule in other axes; `place` is the pose of its present axes in them."""
    start, end = ((place @ Pose(p=point)).p for point in (capsule.start, capsule.end))
    return LinkCapsule(start, end, capsule.radius)


# -- meshes


def _vertices(mesh: str, file: str | None) -> NDArray[Any] | None:
    """Return the vertices (S, 3) of an STL or OBJ file; None if it cannot be read."""
    import numpy as np

    path = _mesh_path(mesh, file)
    try:
        if path is None or path.stat().st_size > LARGEST_MESH:
            return None
        raw = path.read_bytes()
        points = _obj(raw) if path.suffix.lower() == ".obj" else _stl(raw)
    except (OSError, ValueError):
        return None
    sound = len(points) >= 3 and np.isfinite(points).all() and np.abs(points).max() <= LARGEST
    return points if sound else None


def _mesh_path(mesh: str, file: str | None) -> Path | None:
    """Return the path of a mesh: relative to the URDF file, or below one of its folders for package://name/path."""
    if file is None or Path(mesh).suffix.lower() not in (".stl", ".obj"):
        return None
    folder = Path(file).parent
    scheme, _, rest = mesh.rpartition("://")
    if scheme == "package":
        inside = rest.partition("/")[2]
        tried = [parent / part for parent in (folder, *folder.resolve().parents) for part in (rest, inside)]
    else:
        tried = [folder / rest if scheme != "file" else Path(rest)]
    return next((path for path in tried if path.is_file()), None)


def _stl(raw: bytes) -> NDArray[Any]:
    import numpy as np

    count = int.from_bytes(raw[80:84], "little")
    if len(raw) == 84 + _STL_TRIANGLE * count:
        triangles = np.frombuffer(raw, np.uint8, offset=84).reshape(count, _STL_TRIANGLE)[:, 12:48]
        return np.ascontiguousarray(triangles).view("<f4").reshape(-1, 3).astype(float)
    return _lines(raw, rb"^\s*vertex\s+(\S+)\s+(\S+)\s+(\S+)")


def _obj(raw: bytes) -> NDArray[Any]:
    return _lines(raw, rb"^\s*v\s+(\S+)\s+(\S+)\s+(\S+)")


def _lines(raw: bytes, pattern: bytes) -> NDArray[Any]:
    import numpy as np

    rows = [[float(x) for x in row] for row in re.findall(pattern, raw, re.MULTILINE)]
    return np.array(rows, dtype=float).reshape(-1, 3)
