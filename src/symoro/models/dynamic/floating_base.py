"""Floating base: applicability of the models, rotation of the base, gravity in frame 0.

Frame 0 is at the position P0 with the rotation R0: a vector v given in frame 0 has the world coordinates R0 v, and
gravity is R0' G in frame 0. R0 is an input, by its nine entries or as a nonzero quaternion (w, x, y, z) of any length:

    R0 = 1 + s (w hat(u) + hat(u)^2),   u = (x, y, z),   s = 2 / (w^2 + x^2 + y^2 + z^2)

R0 is not checked: a matrix that is not a rotation gives the gravity R0' G without an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.expr.linalg import Matrix, Vector, add, cross, dot, homogeneous, matvec, scale, transpose
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import Option
from symoro.models.dynamic.setting import unsupported_loops
from symoro.models.ports import P0, Q0, R0
from symoro.program.builder import Builder
from symoro.robot.coordinates import independent
from symoro.robot.description import BaseKind, Robot

ROTATION = Option(
    "rotation",
    "representation of the base rotation: matrix R0 or quaternion Q0",
    "choice",
    "matrix",
    ("matrix", "quaternion"),
)


def floating_tree(robot: Robot) -> str | None:
    """Return the reason why the models of a floating base do not apply to a robot, or None."""
    if robot.B:
        return unsupported_loops(robot)
    return None if independent(robot) else "it has no moving joint"


def base_gravity(builder: Builder, robot: Robot, rotation: str) -> Vector:
    """Declare the rotation of the base as an input and return gravity in frame 0.

    Args:
        rotation: 'matrix' for the input R0 (rotation matrix of the base), 'quaternion' for the input Q0.
    """
    world: Vector = [builder.formula(g) for g in robot.base.G]
    if rotation == "quaternion":
        return _turned_back(builder.input(Q0, (4,), [f"Q0_{k}" for k in range(1, 5)]), world)
    return matvec(transpose(base_rotation(builder)), world)


def base_rotation(builder: Builder) -> Matrix:
    """Declare the rotation matrix R0 of the base as an input and return it."""
    entries = builder.input(R0, (3, 3), [f"R0_{r}{c}" for r in (1, 2, 3) for c in (1, 2, 3)])
    return [list(entries[3 * r : 3 * r + 3]) for r in range(3)]


def base_pose(builder: Builder) -> Matrix:
    """Declare position P0 and rotation R0 of the base as inputs and return the pose (4, 4) of frame 0 in the world."""
    position = base_position(builder)
    return homogeneous(base_rotation(builder), position)


def in_world(robot: Robot, *frames: int | str | None) -> bool:
    """Return whether one of the given frames is the world of a robot on a floating base."""
    return robot.base.kind == BaseKind.FLOATING and "world" in frames


def _turned_back(quaternion: Sequence[Scalar], v: Vector) -> Vector:
    """Return R0' v, where R0 is the rotation matrix of a quaternion (w, u) of any nonzero length.

    R0' v = v + s (w (v x u) + u x (u x v)), with s = 2 / (w^2 + u.u).
    """
    w, u = quaternion[0], list(quaternion[1:])
    turned = add(scale(w, cross(v, u)), cross(u, cross(u, v)))
    return add(v, scale(2 / dot(quaternion, quaternion), turned))


def base_position(builder: Builder) -> Vector:
    """Declare the position of the base as an input and return its three coordinates in the world."""
    return list(builder.input(P0, (3,), [f"P0_{k}" for k in (1, 2, 3)]))
