"""Replacement of rounded angles by exact ones: 1.5708 by pi/2, the axis 0.7071 0 0.7071 by 45 degrees.

Rounded angles would increase the number of operations of a model by a fifth, and parallel axes would become axes whose
common normal is a hundred kilometres away. The replacement precedes all computations with the angles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from symoro.robot.formats.urdf.model import Document, Origin
from symoro.robot.formats.urdf.rigid import STEP, Vector3, sincos, unit

TOLERANCE = 1e-5
_CHANGED = 1e-13  # smaller differences concern only the last digits of pi


@dataclass
class Rounding:
    """Record of the angles and axes that were replaced: their number, and the largest change in radians."""

    angles: int = 0
    axes: int = 0
    largest: float = 0.0

    def note(self) -> str | None:
        if not self.angles + self.axes:
            return None
        words = (self.angles, "angle", "angles"), (self.axes, "axis", "axes")
        counts = [f"{n} {one if n == 1 else many}" for n, one, many in words if n]
        return (
            f"{' and '.join(counts)} within {TOLERANCE:g} of a multiple of 30 or 45 degrees replaced by exact values, "
            f"changed by at most {self.largest:.1e} rad (exact=True keeps the digits)"
        )


def snapped(document: Document) -> tuple[Document, Rounding]:
    """Return a URDF document with rounded angles and axes replaced by exact ones, and a record of the changes."""
    rounding = Rounding()
    bodies = tuple(replace(b, origin=_origin(b.origin, rounding)) for b in document.bodies)
    joints = tuple(
        replace(j, origin=_origin(j.origin, rounding), axis=_axis(j.axis, rounding) if j.moving else j.axis)
        for j in document.joints
    )
    loops = tuple(
        replace(
            loop,
            in_parent=loop.in_parent and _origin(loop.in_parent, rounding),
            in_child=_origin(loop.in_child, rounding),
            axis=_axis(loop.axis, rounding),
        )
        for loop in document.loops
    )
    return replace(document, bodies=bodies, joints=joints, loops=loops), rounding


def nearest(angle: float) -> float | None:
    """Return the multiple of 30 or 45 degrees (in radians) that an angle equals up to rounding, or None."""
    k = round(angle / STEP)
    exact = k * STEP
    return exact if (k % 2 == 0 or k % 3 == 0) and abs(angle - exact) <= TOLERANCE else None


def _origin(origin: Origin, rounding: Rounding) -> Origin:
    roll, pitch, yaw = (_angle(angle, rounding) for angle in origin.rpy)
    return replace(origin, rpy=(roll, pitch, yaw))


def _angle(angle: float, rounding: Rounding) -> float:
    exact = nearest(angle)
    if exact is None:
        return angle
    change = abs(angle - exact)
    if change > _CHANGED:
        rounding.angles += 1
        rounding.largest = max(rounding.largest, change)
    return exact


def _axis(axis: Vector3, rounding: Rounding) -> Vector3:
    """Return the unit vector of a joint axis, with rounded components replaced by exact ones.

    Components near zero become zero. An axis in a coordinate plane gets an exact angle if its angle is near a multiple
    of 30 or 45 degrees.

    Args:
        axis: direction as in the file.
        rounding: record to which the change is added.
    """
    direction = unit(axis)
    nonzero = [i for i in range(3) if abs(direction[i]) > TOLERANCE]
    exact = [0.0, 0.0, 0.0]
    for i in nonzero:
        exact[i] = direction[i]
    if len(nonzero) == 1:
        exact[nonzero[0]] = math.copysign(1.0, direction[nonzero[0]])
    elif len(nonzero) == 2:
        a, b = nonzero
        angle = nearest(math.atan2(direction[b], direction[a]))
        if angle is not None:
            exact[b], exact[a] = sincos(angle)
    settled = unit((exact[0], exact[1], exact[2]))
    change = math.dist(direction, settled)
    if change > _CHANGED:
        rounding.axes += 1
        rounding.largest = max(rounding.largest, change)
    return settled
