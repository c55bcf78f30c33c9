"""Inertial parameters about the origin of a frame (symoro) and about the centre of mass (URDF)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from symoro.robot.description import INERTIAL
from symoro.robot.formats.urdf.model import Body
from symoro.robot.formats.urdf.parameters import clean
from symoro.robot.formats.urdf.rigid import ORIGIN, Matrix3, Pose, Vector3, dot, product, scaled, transposed

_ROUND_OFF = 4e-15
_ZERO: Matrix3 = (ORIGIN, ORIGIN, ORIGIN)


@dataclass(frozen=True)
class OriginInertia:
    """Mass, first moments and inertia matrix of a body about the origin of a frame, in the axes of this frame."""

    mass: float = 0.0
    moment: Vector3 = ORIGIN
    tensor: Matrix3 = _ZERO

    def __add__(self, other: OriginInertia) -> OriginInertia:
        x, y, z = (a + b for a, b in zip(self.moment, other.moment, strict=True))
        return OriginInertia(self.mass + other.mass, (x, y, z), _sum(self.tensor, other.tensor))

    def fields(self) -> dict[str, float]:
        """Return the ten inertial parameters by name (XX, XY, ..., M), with round-off removed."""
        t = self.tensor
        largest = max(abs(entry) for row in t for entry in row)
        values = [t[0][0], t[0][1], t[0][2], t[1][1], t[1][2], t[2][2]]
        cleaned = [clean(value, _ROUND_OFF * largest) for value in values]
        tiny = _ROUND_OFF * max(abs(entry) for entry in self.moment)
        cleaned += [clean(entry, tiny) for entry in self.moment]
        return dict(zip(INERTIAL, [*cleaned, clean(self.mass, 0.0)], strict=True))


def about_origin(body: Body, place: Pose) -> OriginInertia:
    """Return the inertia of a link about the origin of another frame.

    Args:
        body: the link.
        place: pose of the link frame in the other frame.
    """
    centre = place @ body.origin.pose()
    xx, xy, xz, yy, yz, zz = body.inertia
    own: Matrix3 = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    turned = product(product(centre.R, own), transposed(centre.R))
    return OriginInertia(body.mass, scaled(body.mass, centre.p), _sum(turned, steiner(body.mass, centre.p)))


def total(parts: Iterable[OriginInertia]) -> OriginInertia:
    """Return the total inertia of rigidly connected links, all given in the same frame."""
    whole = OriginInertia()
    for part in parts:
        whole = whole + part
    return whole


def steiner(mass: float, c: Vector3) -> Matrix3:
    """Return the inertia matrix of a point mass at position c about the origin."""
    square = dot(c, c)
    x, y, z = (tuple(mass * ((square if i == j else 0.0) - c[i] * c[j]) for j in range(3)) for i in range(3))
    return (x, y, z)  # type: ignore[return-value]


def _sum(a: Matrix3, b: Matrix3) -> Matrix3:
    x, y, z = (tuple(p + q for p, q in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))
    return (x, y, z)  # type: ignore[return-value]
