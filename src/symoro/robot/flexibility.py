"""Flexible links: an Euler-Bernoulli beam along x of the link frame, and its assumed modes.

The beam begins at the origin of the link frame; its undeformed tip is at (L, 0, 0). The points of the deformed beam are

    (x, v, w),   v = sum of ey_k phi_k(x),   w = sum of ez_k phi_k(x),   twisted by the angle sum of et_k psi_k(x)

about x. Following frames, tool and payload are fixed to the tip frame at (L, v(L), w(L)) with the orientation

    Rz(v'(L)) Ry(-w'(L)) Rx(twist(L)).

`tip` is a body fixed in the tip frame. The inertial parameters of the link itself are those of a rigid body at the
root of the beam.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from symoro.errors import ProgramError
from symoro.expr.formula import ZERO, Formula

if TYPE_CHECKING:
    from symoro.robot.description import Robot
    from symoro.robot.records import Link

MODE_SHAPES = ("polynomial", "clamped")
MODES = ("y", "z", "twist")
MOST_MODES = 12  # maximum number of modes of one kind
MOST_POLYNOMIALS = 6  # more polynomials are almost linearly dependent in double precision


@dataclass(frozen=True)
class Flexibility:
    """Properties of a flexible link, a beam from the origin of the link frame to its tip.

    Attributes:
        length: length of the beam along x (m).
        density: mass per length (kg/m).
        EIz, EIy: bending stiffness for deflection along y (about z), and along z (about y), in N m2.
        GJ: torsional stiffness (N m2).
        Ip: polar moment of inertia of the sections per length, about x (kg m).
        y, z, twist: number of modes of each kind.
        shapes: 'polynomial', (x/L)^2, (x/L)^3, ... in bending and x/L, (x/L)^2, ... in torsion; or 'clamped', the
            modes of a clamped-free beam. Each shape function equals 1 at the tip.
        tip: inertial parameters of a body fixed to the tip, in the tip's frame.
    """

    length: Formula
    density: Formula = ZERO
    EIz: Formula = ZERO
    EIy: Formula = ZERO
    GJ: Formula = ZERO
    Ip: Formula = ZERO
    y: int = 0
    z: int = 0
    twist: int = 0
    shapes: str = "polynomial"
    tip: Link | None = None

    @property
    def modes(self) -> int:
        return self.y + self.z + self.twist


PROPERTIES = tuple(f.name for f in fields(Flexibility) if str(f.type).startswith("Formula"))
STIFFNESS = {"y": "EIz", "z": "EIy", "twist": "GJ"}


def flexible_links(robot: Robot) -> dict[int, Flexibility]:
    """Return the properties of the flexible links of a robot, by link number."""
    links = ((j, link.flexible) for j, link in enumerate(robot.links, 1))
    return {j: flexible for j, flexible in links if flexible is not None}


def mode_names(robot: Robot) -> list[str]:
    """Return the names of the modal coordinates e.

    They are ordered by link, then along y, along z, and in torsion; ey2_1 is the first mode of link 2.
    """
    return [
        f"e{kind[0]}{j}_{k}"
        for j, flexible in flexible_links(robot).items()
        for kind in MODES
        for k in range(1, getattr(flexible, kind) + 1)
    ]


def _negative(value: Formula) -> bool:
    try:
        return (value.number or 0) < 0
    except (ProgramError, ArithmeticError):  # reported by the check of all numbers
        return False


def flexible_problems(robot: Robot) -> Iterator[str]:
    """Yield a sentence for each error in the description of flexible links."""
    if robot.base.link.flexible is not None:
        yield "the base cannot be flexible; add a fixed frame with a flexible link to it"
    for j, flexible in flexible_links(robot).items():
        counts = {kind: getattr(flexible, kind) for kind in MODES}
        if any(count < 0 or count > MOST_MODES for count in counts.values()):
            yield f"flexible link {j}: expected 0 to {MOST_MODES} modes of each kind"
        if flexible.shapes == MODE_SHAPES[0] and max(counts.values()) > MOST_POLYNOMIALS:
            yield (
                f"link {j} has more than {MOST_POLYNOMIALS} polynomial shapes of one kind, which are almost linearly "
                "dependent in double precision; use the shapes 'clamped'"
            )
        if not flexible.modes:
            yield f"link {j} is flexible but has no mode"
        if flexible.length.is_zero:
            yield f"link {j} is flexible and needs a length"
        for name in PROPERTIES:
            if _negative(getattr(flexible, name)):
                yield f"link {j} is flexible: {name} = {getattr(flexible, name)} is negative"
        if flexible.shapes not in MODE_SHAPES:
            yield f"link {j}: expected the shapes {' or '.join(MODE_SHAPES)}, got '{flexible.shapes}'"
        for kind, count in counts.items():
            if count and getattr(flexible, STIFFNESS[kind]).is_zero:
                yield f"link {j} has modes of {kind} but no stiffness {STIFFNESS[kind]}"
    if robot.B and flexible_links(robot):
        yield "flexible links are not supported in robots with closed loops"
