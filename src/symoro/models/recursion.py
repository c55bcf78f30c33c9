"""The walks over the tree: frames with their local transforms, and the motion of the base.

A recursive model visits the frames outward (each after its antecedent) or inward (each before it). What it needs of
frame j on its antecedent i is a `Local`: it carries vectors from i to j and back, one elementary turn at a time, so
that a right angle costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from symoro.expr.formula import Formula
from symoro.expr.linalg import Vector, VectorLike
from symoro.expr.scalar import Expr, Scalar
from symoro.models.joints import Trigonometry, angle_of, constant_angle, is_zero, length_of
from symoro.program.builder import Builder
from symoro.robot.description import BaseKind, JointType, Robot
from symoro.robot.topology import outward as outward_order

SinCos = tuple[Expr, Expr]
T = TypeVar("T")


def turn_back_z(turn: SinCos, v: VectorLike) -> Vector:
    """Rz(angle)' v."""
    s, c = turn
    return [c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]]


def turn_z(turn: SinCos, v: VectorLike) -> Vector:
    """Rz(angle) v."""
    s, c = turn
    return [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]]


def turn_back_x(turn: SinCos, v: VectorLike) -> Vector:
    """Rx(angle)' v."""
    s, c = turn
    return [v[0], c * v[1] + s * v[2], c * v[2] - s * v[1]]


def turn_x(turn: SinCos, v: VectorLike) -> Vector:
    """Rx(angle) v."""
    s, c = turn
    return [v[0], c * v[1] - s * v[2], s * v[1] + c * v[2]]


@dataclass(frozen=True)
class Local:
    """Frame j on its antecedent i: turns about z (gamma), x (alpha), z (theta), and iPj."""

    j: int
    i: int
    sigma: JointType
    gamma: SinCos
    alpha: SinCos
    theta: SinCos
    position: tuple[Scalar, Scalar, Scalar]

    def to_child(self, v: VectorLike) -> Vector:
        """jAi v."""
        return turn_back_z(self.theta, turn_back_x(self.alpha, turn_back_z(self.gamma, v)))

    def to_parent(self, v: VectorLike) -> Vector:
        """iAj v."""
        return turn_z(self.gamma, turn_x(self.alpha, turn_z(self.theta, v)))

    def axis_in_parent(self) -> Vector:
        """The joint's axis z_j in frame i."""
        return turn_z(self.gamma, turn_x(self.alpha, [0, 0, 1]))

    @property
    def revolute(self) -> bool:
        return self.sigma == JointType.REVOLUTE

    @property
    def prismatic(self) -> bool:
        return self.sigma == JointType.PRISMATIC

    @property
    def moving(self) -> bool:
        return self.sigma != JointType.FIXED


def local_frames(
    builder: Builder, robot: Robot, q: Mapping[int, Scalar], trig: Trigonometry | None = None
) -> dict[int, Local]:
    """Every frame that carries a link, each after its antecedent."""
    trig = trig or Trigonometry(builder, robot)
    return {j: _local(builder, robot, j, q, trig) for j in outward_order(robot) if j <= robot.NL}


def outward(tree: Mapping[int, Local], start: T, step: Callable[[Local, T], T]) -> dict[int, T]:
    """From the base to the tips: what each body has follows from what its antecedent has; the base has `start`."""
    found = {0: start}
    for j, local in tree.items():
        found[j] = step(local, found[local.i])
    return found


def inward(tree: Mapping[int, Local], own: Mapping[int, T], step: Callable[[Local, T, T], T]) -> dict[int, T]:
    """From the tips to the base: step(frame, what has gathered on its body, what is on its antecedent so far).

    `own` is what each body, the base included, has to begin with; the result is what each has in the end.
    """
    found = dict(own)
    for local in reversed(list(tree.values())):
        found[local.i] = step(local, found[local.j], found[local.i])
    return found


def _local(builder: Builder, robot: Robot, j: int, q: Mapping[int, Scalar], trig: Trigonometry) -> Local:
    frame = robot.frame(j)
    gamma = trig.sincos(constant_angle(builder, robot, j, "gamma"))
    alpha = trig.sincos(constant_angle(builder, robot, j, "alpha"))
    theta = trig.sincos(angle_of(builder, robot, j, q))
    b, d = builder.formula(frame.b), builder.formula(frame.d)
    r = length_of(builder, robot, j, q)
    p = turn_z(gamma, turn_x(alpha, [d, 0, r]))  # Tx(d) and Rx(alpha) commute
    return Local(j, frame.ant, frame.sigma, gamma, alpha, theta, (p[0], p[1], p[2] + b))


@dataclass(frozen=True)
class BaseMotion:
    """Velocity and acceleration of the base in frame 0; gravity is not in it."""

    v: Vector
    w: Vector
    vd: Vector
    wd: Vector

    @property
    def still(self) -> bool:
        return all(is_zero(x) for x in (*self.v, *self.w, *self.vd, *self.wd))


def base_motion(builder: Builder, robot: Robot, *, acceleration: bool = True) -> BaseMotion:
    """The prescribed motion of the base.

    Entries that the robot leaves symbolic vary in time: they are inputs V0 and Vd0 (linear; angular), never
    parameters. A base that can move on its own has all of them as inputs.
    """
    base = robot.base
    v, w = _twist(
        builder, robot, "V0", (*base.V0, *base.W0), "velocity of the base (linear; angular), in frame 0"
    )
    if not acceleration:
        return BaseMotion(v, w, [0, 0, 0], [0, 0, 0])
    vd, wd = _twist(
        builder,
        robot,
        "Vd0",
        (*base.VP0, *base.WP0),
        "acceleration of the base (linear; angular), in frame 0",
    )
    return BaseMotion(v, w, vd, wd)


def _twist(
    builder: Builder, robot: Robot, name: str, entries: Sequence[Formula], title: str
) -> tuple[Vector, Vector]:
    free = robot.base.kind != BaseKind.FIXED
    if not free and not any(f.symbols for f in entries):
        numbers = [builder.formula(f) for f in entries]
        return list(numbers[:3]), list(numbers[3:])
    given = builder.input(name, (6,), [f"{name}_{k}" for k in range(1, 7)], title)
    values: list[Scalar] = [
        x if free or f.symbols else builder.formula(f) for x, f in zip(given, entries, strict=True)
    ]
    return values[:3], values[3:]


def name_vectors(builder: Builder, vectors: Mapping[str, Vector], j: int) -> None:
    """Name the entries of a frame's vectors as SYMORO does: WP23 is entry 2 of WP of frame 3."""
    for name, v in vectors.items():
        for k, entry in enumerate(v, 1):
            builder.named(f"{name}{k}{j}" if j < 10 else f"{name}{k}_{j}", entry, f"link {j}")
