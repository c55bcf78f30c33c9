"""Define flat shapes with depth, and the orthographic camera that projects points.

Parallel lines stay parallel. With e the direction towards the camera, u up and s to the right,

    (x, y) = (s . p, u . p),     depth = e . p      larger is nearer
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symoro.errors import OptionError
from symoro.models.geometric.posture import Point
from symoro.robot.formats.urdf.rigid import dot

Flat = tuple[float, float]


@dataclass(frozen=True)
class Stroke:
    """Line through points of the picture; `width` is in pixels."""

    points: tuple[Flat, ...]
    colour: str
    width: float
    depth: float
    dashed: bool = False


@dataclass(frozen=True)
class Area:
    """Filled polygon of the picture, with an outline if `line` is a colour."""

    points: tuple[Flat, ...]
    colour: str
    depth: float
    line: str | None = None
    opacity: float = 1.0


@dataclass(frozen=True)
class Label:
    """Text of the picture that starts at a point; `size` is its height in pixels."""

    at: Flat
    text: str
    colour: str
    size: float
    depth: float


Shape = Stroke | Area | Label


@dataclass(frozen=True)
class Drawing:
    """Picture as a list of shapes in pixels, y downwards, the farthest shape first."""

    width: int
    height: int
    background: str
    title: str
    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class Eye:
    """Orthographic camera, given by its direction: azimuth from x about z, and elevation, in degrees."""

    azimuth: float
    elevation: float

    def axes(self) -> tuple[Point, Point, Point]:
        """Return the unit vectors of the picture: to the right, up, and towards the camera."""
        a, e = math.radians(self.azimuth), math.radians(self.elevation)
        right = (-math.sin(a), math.cos(a), 0.0)
        up = (-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e))
        return right, up, (math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e))

    def seen(self, point: Point) -> tuple[float, float, float]:
        """Project a point to the picture: x to the right, y up, and the depth (larger is nearer)."""
        right, up, towards = self.axes()
        return dot(right, point), dot(up, point), dot(towards, point)


VIEWS = {"iso": Eye(-52, 24), "front": Eye(-90, 0), "side": Eye(0, 0), "top": Eye(-90, 90)}


def eye_named(name: str) -> Eye:
    """Return the camera of a named view, or of azimuth and elevation in degrees as in '30,20'.

    Raises:
        OptionError: the text is neither a name nor two angles.
    """
    if name in VIEWS:
        return VIEWS[name]
    try:
        azimuth, elevation = (float(part) for part in name.split(","))
    except ValueError:
        azimuth = elevation = math.nan
    if not (math.isfinite(azimuth) and math.isfinite(elevation)):
        raise OptionError(
            f"view: expected one of {', '.join(VIEWS)}, or two angles in degrees, got '{name[:40]}'",
            hint="-52,24 looks from the front right, 24 degrees above the ground",
        )
    return Eye(azimuth, elevation)


def along(start: Point, *steps: tuple[Point, float]) -> Point:
    """Return the point `start` displaced by lengths along directions, given as pairs (direction, length)."""
    x, y, z = start
    for (dx, dy, dz), length in steps:
        x, y, z = x + length * dx, y + length * dy, z + length * dz
    return x, y, z


def hull(points: Iterable[Flat]) -> list[Flat]:
    """Return the corners of the convex hull of points in the plane (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered
    lower, upper = _half(ordered), _half(ordered[::-1])
    return lower[:-1] + upper[:-1]


def _half(points: Sequence[Flat]) -> list[Flat]:
    kept: list[Flat] = []
    for p in points:
        while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 0:
            kept.pop()
        kept.append(p)
    return kept


def _turn(a: Flat, b: Flat, c: Flat) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
