"""Recursions over the kinematic tree, the frames of the joints, and the motion of the base and the links.

A recursive model passes a function, the step from one body to the next, to one of three recursions: `outward` (each
body after its antecedent), `inward` (each body before its antecedent) or `toward_base` (along the path from one body
to the base). A `JointFrame` contains the rotation and position of frame j with respect to its antecedent i; it
transforms vectors by one elementary rotation after the other, so that right angles cost no operations. Recursions that
depend on the structure alone use `kinematic_tree`. Velocities and accelerations of the links follow the 1997 paper,
sections 4.2 and 4.3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from symoro.expr.formula import Formula
from symoro.expr.linalg import Vector, VectorLike, add, cross
from symoro.expr.scalar import Expr, Scalar
from symoro.models.joints import JointTransform, Trigonometry, is_zero, joint_transform
from symoro.models.ports import V0, VD0
from symoro.program.builder import Builder
from symoro.program.program import Port
from symoro.robot.description import BaseKind, JointType, Robot
from symoro.robot.topology import outward as outward_order

SinCos = tuple[Expr, Expr]
T = TypeVar("T")


class TreeNode(Protocol):
    """Node of the kinematic tree, with the number j of the body and the number i of its antecedent."""

    @property
    def j(self) -> int: ...

    @property
    def i(self) -> int: ...


S = TypeVar("S", bound=TreeNode)


def turn_back_z(turn: SinCos, v: VectorLike) -> Vector:
    """Return Rz(angle)' v; `turn` contains the sine and cosine of the angle."""
    s, c = turn
    return [c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]]


def turn_z(turn: tuple[Scalar, Scalar], v: VectorLike) -> Vector:
    """Return Rz(angle) v; `turn` contains the sine and cosine of the angle."""
    s, c = turn
    return [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]]


def turn_back_x(turn: SinCos, v: VectorLike) -> Vector:
    """Return Rx(angle)' v; `turn` contains the sine and cosine of the angle."""
    s, c = turn
    return [v[0], c * v[1] + s * v[2], c * v[2] - s * v[1]]


def turn_x(turn: SinCos, v: VectorLike) -> Vector:
    """Return Rx(angle) v; `turn` contains the sine and cosine of the angle."""
    s, c = turn
    return [v[0], c * v[1] - s * v[2], s * v[1] + c * v[2]]


def origin(gamma: SinCos, alpha: SinCos, b: Scalar, d: Scalar, r: Scalar) -> Vector:
    """Return the position iPj of the origin of frame j in its antecedent's frame i.

    iPj = Rz(gamma) (b z + Rx(alpha) (d x + r z)), because Tx(d) and Rx(alpha) commute. Angles are given as (sin, cos).
    """
    x, y, z = turn_z(gamma, turn_x(alpha, [d, 0, r]))
    return [x, y, z + b]


@dataclass(frozen=True)
class JointFrame:
    """Frame j with respect to its antecedent i: sines and cosines of gamma, alpha and theta, and the position iPj.

    `transform` contains the angles and lengths themselves.
    """

    j: int
    i: int
    sigma: JointType
    transform: JointTransform
    gamma: SinCos
    alpha: SinCos
    theta: SinCos
    position: Vector

    def to_child(self, v: VectorLike) -> Vector:
        """Return jAi v, the coordinates in frame j of a vector v given in frame i."""
        return turn_back_z(self.theta, self.before_joint(v))

    def before_joint(self, v: VectorLike) -> Vector:
        """Return the vector v, given in frame i, in the axes of frame j before the joint rotation Rz(theta)."""
        return turn_back_x(self.alpha, turn_back_z(self.gamma, v))

    def to_parent(self, v: VectorLike) -> Vector:
        """Return iAj v, the coordinates in frame i of a vector v given in frame j."""
        return turn_z(self.gamma, turn_x(self.alpha, turn_z(self.theta, v)))

    def axis_in_parent(self) -> Vector:
        """Return the joint axis z_j as a unit vector in frame i."""
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


def joint_frames(
    builder: Builder, robot: Robot, q: Mapping[int, Scalar], trig: Trigonometry | None = None
) -> dict[int, JointFrame]:
    """Return the frame of every link at the joint positions q, by link number, each after its antecedent.

    Args:
        trig: the named sines and cosines, if they are shared with other frames of the program.
    """
    trig = trig or Trigonometry(builder, robot)
    return {
        j: joint_frame(j, link.i, link.sigma, joint_transform(builder, robot, j, q), trig)
        for j, link in kinematic_tree(robot).items()
    }


def joint_frame(
    j: int, i: int, sigma: JointType, transform: JointTransform, trig: Trigonometry
) -> JointFrame:
    """Return frame j with respect to its antecedent i from its geometric parameters.

    Args:
        sigma: type of joint j.
        transform: angles and lengths of the frame.
        trig: names of the sines and cosines.
    """
    gamma, alpha, theta = (trig.sincos(x) for x in (transform.gamma, transform.alpha, transform.theta))
    position = origin(gamma, alpha, transform.b, transform.d, transform.r)
    return JointFrame(j, i, sigma, transform, gamma, alpha, theta, position)


@dataclass(frozen=True)
class TreeLink:
    """Number j of a link, number i of its antecedent, and the type sigma of its joint, without geometry."""

    j: int
    i: int
    sigma: JointType

    @property
    def moving(self) -> bool:
        return self.sigma != JointType.FIXED


def kinematic_tree(robot: Robot) -> dict[int, TreeLink]:
    """Return all links of the robot by number, each after its antecedent."""
    return tree_links(robot, [j for j in outward_order(robot) if j <= robot.NL])


def tree_links(robot: Robot, numbers: Sequence[int]) -> dict[int, TreeLink]:
    """Return the links with the given numbers, in the given order."""
    frames = ((j, robot.frame(j)) for j in numbers)
    return {j: TreeLink(j, frame.ant, frame.sigma) for j, frame in frames}


def outward(tree: Mapping[int, S], start: T, step: Callable[[S, T], T], root: int = 0) -> dict[int, T]:
    """Compute a value for each body from the base to the tips: value_j = step(node_j, value of its antecedent).

    Args:
        start: value of the base.
        root: body at which the recursion starts instead of the base; only the bodies beyond it are then computed.
    """
    values = {root: start}
    for j, frame in tree.items():
        if frame.i in values and j != root:
            values[j] = step(frame, values[frame.i])
    return values


def inward(tree: Mapping[int, S], own: Mapping[int, T], step: Callable[[S, T, T], T]) -> dict[int, T]:
    """Accumulate a value for each body from the tips to the base.

    For each body j with antecedent i, value_i is replaced by step(node_j, value_j, value_i).

    Args:
        own: initial value of each body, including the base.

    Returns:
        The accumulated values of all bodies and of the base.
    """
    values = dict(own)
    for frame in reversed(list(tree.values())):
        values[frame.i] = step(frame, values[frame.j], values[frame.i])
    return values


def toward_base(
    tree: Mapping[int, S], j: int, start: T, step: Callable[[S, T], T], *, base: bool = False
) -> dict[int, T]:
    """Compute a value for each body on the path from body j to the base.

    Body j has the value `start`. Its antecedent has the value step(node j, start), and so on.

    Args:
        base: whether the base, body 0, has a value as well.
    """
    values = {j: start}
    while j and (tree[j].i or base):
        values[tree[j].i] = step(tree[j], values[j])
        j = tree[j].i
    return values


@dataclass(frozen=True)
class BaseMotion:
    """Velocity (v, w) and acceleration (vd, wd) of the base in frame 0; gravity is not included."""

    v: Vector
    w: Vector
    vd: Vector
    wd: Vector

    @property
    def still(self) -> bool:
        return all(is_zero(x) for x in (*self.v, *self.w, *self.vd, *self.wd))


def base_motion(builder: Builder, robot: Robot, *, acceleration: bool = True) -> BaseMotion:
    """Return the prescribed motion of the base.

    Entries that are symbols in the robot description vary in time: they belong to the inputs V0 and Vd0 (linear;
    angular) and are not parameters. For a floating or wheeled base all entries are inputs.

    Args:
        acceleration: whether the acceleration is included; if false, it is set to zero.
    """
    base = robot.base
    v, w = _twist(builder, robot, V0, (*base.V0, *base.W0))
    if not acceleration:
        return BaseMotion(v, w, [0, 0, 0], [0, 0, 0])
    vd, wd = _twist(builder, robot, VD0, (*base.VP0, *base.WP0))
    return BaseMotion(v, w, vd, wd)


def _twist(builder: Builder, robot: Robot, port: Port, entries: Sequence[Formula]) -> tuple[Vector, Vector]:
    free = robot.base.kind != BaseKind.FIXED
    if not free and not any(f.symbols for f in entries):
        numbers = [builder.formula(f) for f in entries]
        return list(numbers[:3]), list(numbers[3:])
    given = builder.input(port, (6,), [f"{port.name}_{k}" for k in range(1, 7)])
    values: list[Scalar] = [
        x if free or f.symbols else builder.formula(f) for x, f in zip(given, entries, strict=True)
    ]
    return values[:3], values[3:]


# -- velocities and accelerations of the links

Vectors = dict[int, Vector]


def angular_velocities(
    frames: Mapping[int, JointFrame], base: BaseMotion, qd: Mapping[int, Scalar]
) -> tuple[Vectors, Vectors]:
    """Return the angular velocities jWi and jWj for each link j with antecedent i, eq. (6a), (6b).

    Both are in frame j: jWi is the angular velocity of the antecedent, jWj that of the link.

    Args:
        base: motion of the base.
        qd: joint velocities.
    """

    def step(frame: JointFrame, antecedent: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        return turned_with(frame, antecedent[1], qd)

    velocities = outward(frames, (base.w, base.w), step)
    return {j: before for j, (before, _) in velocities.items()}, {j: w for j, (_, w) in velocities.items()}


def turned_with(frame: JointFrame, w: Vector, qd: Mapping[int, Scalar]) -> tuple[Vector, Vector]:
    """Return the angular velocities jWi of the antecedent and jWj of link j, both in frame j.

    Args:
        w: angular velocity of the antecedent in its frame i.
        qd: joint velocities.
    """
    before = frame.to_child(w)
    return before, add(before, [0, 0, qd[frame.j]]) if frame.revolute else before


def linear_velocities(
    frames: Mapping[int, JointFrame], base: BaseMotion, w: Vectors, qd: Mapping[int, Scalar]
) -> Vectors:
    """Return the velocity jVj of the origin of each frame j, in frame j, eq. (6c).

    Args:
        w: angular velocity of each link, in its frame.
        base: motion of the base.
        qd: joint velocities.
    """

    def step(frame: JointFrame, v: Vector) -> Vector:
        moved = frame.to_child(add(v, cross(w[frame.i], frame.position)))
        return add(moved, [0, 0, qd[frame.j]]) if frame.prismatic else moved

    return outward(frames, base.v, step)


def apply_u(w: Vector, wd: Vector, p: Vector | tuple[Scalar, Scalar, Scalar]) -> Vector:
    """Return U p = wd x p + w x (w x p), eq. (9), without forming U.

    This is the acceleration of point p of a body with angular velocity w and acceleration wd, relative to the origin.
    """
    return add(cross(wd, p), cross(w, cross(w, p)))


def link_accelerations(
    frames: Mapping[int, JointFrame],
    base: BaseMotion,
    before: Vectors,
    w: Vectors,
    qd: Mapping[int, Scalar],
    qdd: Mapping[int, Scalar],
) -> tuple[Vectors, Vectors]:
    """Return the angular and linear accelerations jWPj and jVPj of all links, in their frames, eq. (8) to (10).

    Args:
        before: angular velocity jWi of the antecedent of each link j, in frame j.
        w: angular velocity of each link, in its frame.
        base: motion of the base.
        qd, qdd: joint velocities and accelerations.
    """

    def step(frame: JointFrame, antecedent: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        j, (wd, vd) = frame.j, antecedent
        turned = frame.to_child(wd)
        moved = frame.to_child(add(vd, apply_u(w[frame.i], wd, frame.position)))
        x, y = before[j][0], before[j][1]
        if frame.revolute:
            turned = add(turned, [y * qd[j], -(x * qd[j]), qdd[j]])
        elif frame.prismatic:
            moved = add(moved, [2 * (y * qd[j]), -(2 * (x * qd[j])), qdd[j]])
        return turned, moved

    accelerations = outward(frames, (base.wd, base.vd), step)
    return {j: wd for j, (wd, _) in accelerations.items()}, {j: vd for j, (_, vd) in accelerations.items()}


# Section comments of emitted code, by the name of the vector.
PHASES = {
    "W": "velocities",
    "V": "velocities",
    "WP": "accelerations",
    "VP": "accelerations",
    "BF": "wrench at zero acceleration",
    "BM": "wrench at zero acceleration",
}


def name_vectors(builder: Builder, vectors: Mapping[str, Vector], j: int) -> None:
    """Name the components of the vectors of frame j as SYMORO does: WP23 is component 2 of WP of frame 3.

    Args:
        vectors: vectors by name, for example {"WP": angular acceleration}.
    """
    for name, v in vectors.items():
        section = f"link {j}: {PHASES[name]}" if name in PHASES else f"link {j}"
        for k, entry in enumerate(v, 1):
            builder.named(f"{name}{k}{j}" if j < 10 else f"{name}{k}_{j}", entry, section)
