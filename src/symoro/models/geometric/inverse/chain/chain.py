"""Path between two frames as an equation of constant transforms and unknown joints.

    K0 G1 K1 G2 ... Gm Km = U0

Each factor of the chain is a constant transform K, a translation Tz(r) of a prismatic joint, or the transform G of a
run. A run is a sequence of consecutive revolute joints with parallel axes. Its unknowns are the sums of the joint
angles, phi_k = phi_(k-1) +- q_k, so that its transform is linear in their sines and cosines:

    G = [ Rz(phi_last)   sum_k Rz(phi_k) t_k ]        t_k: from axis k to axis k + 1, including prismatic joints
        [      0                  1          ]

Joints with known positions (locked, or active in a closed loop) are part of the constants. A joint that a closed loop
makes a linear function of other joints of the path is not an unknown either. For example, in a palletiser
q4 = -q2 - q3 keeps the flange vertical: the last sum phi of its run is zero, so that the run is a pure translation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, add, homogeneous, identity, matmul, matvec, position_of, rotation_of
from symoro.expr.ops import VARIABLE
from symoro.expr.scalar import Expr, Scalar, absolute, cos, maximum, sin, symbol
from symoro.models.geometric.screws import attachment_frame
from symoro.models.joints import JointTransform, fixed_transform, is_zero, joint_transform
from symoro.models.tolerances import SMALLEST_SIZE
from symoro.program.builder import Builder
from symoro.robot.coordinates import relation
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import path

IsZero = Callable[[Expr], bool]


@dataclass(frozen=True)
class Unknown:
    """Unknown of inverse geometry: a sum of parallel joint angles, or a prismatic joint position.

    Attributes:
        label: suffix of the symbols, for example '23' for q2 + q3.
        parts: joints of the sum as (joint number, sign); the last one is the joint that this unknown determines.
        turns: whether the unknown is an angle (revolute joints) instead of a length (prismatic joint).
        sine, cosine: symbols for the sine and cosine of the angle.
        length: symbol for the length.
        before: sum without the last joint; None for the first joint of a run of parallel joints.
    """

    label: str
    parts: tuple[tuple[int, int], ...]
    turns: bool
    sine: Expr = field(compare=False)
    cosine: Expr = field(compare=False)
    length: Expr = field(compare=False)
    before: Unknown | None = field(default=None, compare=False)

    @property
    def constant(self) -> bool:
        """Whether the joint angles of the sum cancel, so that its sine is 0 and its cosine is 1."""
        return not self.parts

    @property
    def joint(self) -> int:
        return self.parts[-1][0]

    @property
    def sign(self) -> int:
        return self.parts[-1][1]

    @property
    def symbols(self) -> tuple[Expr, ...]:
        return (self.sine, self.cosine) if self.turns else (self.length,)

    def __str__(self) -> str:
        words = [f"{'-' if s < 0 else '+'} q{j}" for j, s in self.parts]
        return " ".join(words).removeprefix("+ ")


@dataclass(frozen=True)
class Fixed:
    """Constant transform, a factor in the product of transforms of a chain.

    Attributes:
        matrix: the transform (4x4).
    """

    matrix: Matrix


@dataclass(frozen=True)
class Slide:
    """Translation Tz(sign r) of a prismatic joint, a factor in the product of transforms of a chain.

    Attributes:
        unknown: unknown joint position r.
        sign: 1 or -1.
    """

    unknown: Unknown
    sign: int


@dataclass(frozen=True)
class AxisOffset:
    """Translation between two parallel revolute axes.

    Attributes:
        constant: constant part of the translation.
        slides: prismatic joints between the axes, as (unknown, constant direction).
    """

    constant: tuple[Scalar, ...]
    slides: tuple[tuple[Unknown, tuple[Scalar, ...]], ...] = ()


@dataclass(frozen=True)
class Run:
    """Consecutive revolute joints with parallel axes, one factor in the product of transforms of a chain.

    Attributes:
        turns: for each joint, the sum of the angles of the joints of this run up to and including that joint.
        moves: translation from the axis of each joint to the next axis.
    """

    turns: tuple[Unknown, ...]
    moves: tuple[AxisOffset, ...]

    @property
    def slides(self) -> tuple[Unknown, ...]:
        return tuple(unknown for move in self.moves for unknown, _ in move.slides)


Item = Fixed | Slide | Run


@dataclass(frozen=True)
class Chain:
    """Equation of inverse geometry: a product of transforms with unknown joints equals a given pose.

    Attributes:
        items: factors of the product.
        unknowns: unknowns, in the order of the joints.
        target: pose (4x4) that the product must equal.
        motions: elementary motions from which the factors were formed.
        size: length relative to which other lengths are compared with zero, see `size_of`.
    """

    items: tuple[Item, ...]
    unknowns: tuple[Unknown, ...]
    target: Matrix
    motions: tuple[PathMotion, ...]
    size: Expr


@dataclass(frozen=True)
class PathMotion:
    """Elementary motion along a path: either a constant screw motion or the motion of one joint.

    Attributes:
        axis: axis of the screw motion, 'x' or 'z'.
        angle, length: constant rotation about the axis and constant translation along it.
        joint: number of the joint; 0 for a constant motion.
        sign: 1, or -1 if the path crosses the joint towards the base.
        turns: whether the joint is revolute.
        terms: for a joint whose position is sum n_j q_j, the pairs (joint number j, factor n_j); empty for other
            joints.
    """

    axis: str = "z"
    angle: Scalar = 0
    length: Scalar = 0
    joint: int = 0
    sign: int = 1
    turns: bool = True
    terms: tuple[tuple[int, int], ...] = ()

    @property
    def matrix(self) -> Matrix:
        s, c = sin(self.angle), cos(self.angle)
        if self.axis == "z":
            return [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, self.length], [0, 0, 0, 1]]
        return [[1, 0, 0, self.length], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]]

    @property
    def lengths(self) -> tuple[Scalar, ...]:
        """Lengths of the constant translation of this motion; one length, along the axis."""
        return (self.length,)

    def tangent(self, joints: Sequence[int]) -> list[int]:
        """Return the derivatives of the position of this motion's joint with respect to the positions of other joints.

        Args:
            joints: numbers of the unknown joints with respect to which the derivatives are computed.
        """
        terms = dict(self.terms or ((self.joint, 1),))
        return [terms.get(j, 0) for j in joints]

    @property
    def inverse(self) -> PathMotion:
        return PathMotion(
            self.axis, -self.angle, -self.length, self.joint, -self.sign, self.turns, self.terms
        )


@dataclass(frozen=True)
class Linear:
    """Position of a dependent joint as a linear function of other joint positions, q = sum n_j q_j + constant.

    Attributes:
        terms: pairs (joint number j, factor n_j).
        constant: constant term, in rad or m.
    """

    terms: tuple[tuple[int, int], ...]
    constant: Expr

    def value(self, positions: Mapping[int, Scalar]) -> Expr:
        total = self.constant
        for j, n in self.terms:
            total = total + n * positions[j]
        return total

    def __str__(self) -> str:
        words = [f"{'-' if n < 0 else '+'} {'' if abs(n) == 1 else f'{abs(n)} '}q{j}" for j, n in self.terms]
        text = " ".join(words).removeprefix("+ ").replace("- ", "-", 1 if words and words[0][0] == "-" else 0)
        if self.constant.is_zero and words:
            return text
        return f"{text} + {self.constant}".removeprefix(" + ").replace("+ -", "- ")


class UnrepresentableJoint(Exception):
    """Exception: a dependent joint cannot be eliminated from the inverse geometry problem.

    A joint that is a linear function of others can be eliminated only in a run of consecutive parallel joints, and only
    if the sum of angles up to it is zero or equals an earlier sum of the same run.

    Attributes:
        joint: number of the joint.
    """

    def __init__(self, joint: int) -> None:
        super().__init__(f"joint {joint}")
        self.joint = joint


def substituted(motions: Sequence[PathMotion], laws: Mapping[int, Linear]) -> tuple[PathMotion, ...]:
    """Replace each dependent joint of a path by a constant rotation and a sum of joints, Rz(constant) Rz(sum n_j q_j).

    Args:
        motions: elementary motions of the path.
        laws: linear functions of the dependent joints, by joint number.
    """
    parts: list[PathMotion] = []
    for motion in motions:
        law = laws.get(motion.joint) if motion.joint else None
        if law is None:
            parts.append(motion)
        else:
            parts.append(PathMotion("z", motion.sign * law.constant))
            parts += [replace(motion, terms=law.terms)] if law.terms else []
    return tuple(parts)


def links(motions: Sequence[PathMotion]) -> tuple[list[PathMotion], list[Matrix]]:
    """Split a path into its joints and the constant transforms before, between and after the joints.

    Args:
        motions: elementary motions of the path.

    Returns:
        The m joints, and the m + 1 constant transforms (4x4).
    """
    between = [identity(4)]
    for motion in motions:
        if motion.joint:
            between.append(identity(4))
        else:
            between[-1] = matmul(between[-1], motion.matrix)
    return [motion for motion in motions if motion.joint], between


def size_of(builder: Builder, motions: Sequence[PathMotion], given: Sequence[Scalar] = ()) -> Expr:
    """Return the size of a chain: the sum of its constant lengths, an upper bound of its reach.

    For a chain with prismatic joints, the magnitudes of the given lengths are added. A chain without any length has
    size 1; the size is never zero.

    Args:
        motions: elementary motions of the chain.
        given: known lengths: the entries of the given position, or the positions of known prismatic joints.
    """
    total = builder.number(0)
    for length in (builder.number(x) for motion in motions if not motion.joint for x in motion.lengths):
        if length.cls != VARIABLE:
            total = total + absolute(length)
    if any(motion.joint and not motion.turns for motion in motions):
        for x in given:
            total = total + absolute(x)
    if total.is_zero:
        return builder.number(1)
    return total if total.number is not None else builder.number(maximum(total, SMALLEST_SIZE))


def motions_between(
    builder: Builder, robot: Robot, frm: int | str, to: int | str, known: Mapping[int, Scalar]
) -> tuple[PathMotion, ...]:
    """Return the elementary motions of the path from frame `frm` to frame `to`.

    Args:
        known: positions of joints that are not unknowns, by joint number.

    Raises:
        NotApplicableError: a joint on the path is coupled to another joint and its position is not known.
    """
    up, down = path(robot, attachment_frame(robot, frm), attachment_frame(robot, to))
    parts: list[PathMotion] = []
    if frm == "tool" and robot.tool:
        parts += _back(_along(fixed_transform(builder, robot.tool.place)))
    for j in up:
        parts += _back(_motions_to(builder, robot, j, known))
    for j in down:
        parts += _motions_to(builder, robot, j, known)
    if to == "tool" and robot.tool:
        parts += _along(fixed_transform(builder, robot.tool.place))
    return tuple(parts)


def _motions_to(builder: Builder, robot: Robot, j: int, known: Mapping[int, Scalar]) -> list[PathMotion]:
    frame = robot.frame(j)
    if relation(robot, j) is not None and j not in known:
        raise NotApplicableError(
            f"joint {j} of robot '{robot.name}' is coupled to another joint; inverse geometry does not "
            "solve coupled joints",
            hint="choose an end frame whose chain does not contain it with the option 'to', or describe the "
            "coupling as a closed loop",
        )
    if not frame.moving or j in known:
        return _along(joint_transform(builder, robot, j, known))
    joint = PathMotion(joint=j, turns=frame.sigma == JointType.REVOLUTE)
    return _along(joint_transform(builder, robot, j, {j: 0}), joint)


def _along(place: JointTransform, *joint: PathMotion) -> list[PathMotion]:
    """Return the elementary motions of the transform iTj of a frame j in its antecedent i.

    Args:
        place: geometric parameters of the transform.
        joint: motion of the joint of frame j if it is unknown; it is inserted between Rz(theta) and Tz(r).
    """
    first = [PathMotion("z", place.gamma.value, place.b), PathMotion("x", place.alpha.value, place.d)]
    return [*first, PathMotion("z", place.theta.value), *joint, PathMotion("z", 0, place.r)]


def _back(motions: Sequence[PathMotion]) -> list[PathMotion]:
    return [motion.inverse for motion in reversed(motions)]


def chain_of(
    builder: Builder,
    motions: Sequence[PathMotion],
    target: Matrix,
    vanishes: IsZero,
    *,
    runs: bool = True,
    size: Expr | None = None,
) -> Chain:
    """Return the equation of inverse geometry for a path.

    Args:
        motions: elementary motions of the path.
        target: pose (4x4) that their product must equal.
        vanishes: function that returns whether an expression is zero for all values of its symbols.
        runs: if true, joints with parallel axes are combined and the sums of their angles are the unknowns; if false,
            each joint is a separate unknown.
        size: size of the chain; by default that of `size_of`.

    Raises:
        UnrepresentableJoint: the sum of angles up to a dependent joint is neither zero nor an earlier sum of its run.
    """
    chain = _Assembly(builder, vanishes, runs).chain(motions, target)
    return chain if size is None else replace(chain, size=size)


class _Assembly:
    """Construction of a chain from elementary motions, which are added in the order of the path."""

    def __init__(self, builder: Builder, vanishes: IsZero, runs: bool) -> None:
        self.builder = builder
        self.vanishes = vanishes
        self.runs = runs
        self.items: list[Item] = []
        self.unknowns: list[Unknown] = []
        self.turns: list[Unknown] = []
        self.moves: list[AxisOffset] = []
        self.inside = identity(3)  # constant rotation since the last angle of the run
        self.tail: list[Matrix | Slide] = []
        self.apart = False  # whether labels of sums are written 1_2, because 12 could be a joint

    def chain(self, motions: Sequence[PathMotion], target: Matrix) -> Chain:
        self.apart = any(motion.joint > 9 for motion in motions)
        for motion in motions:
            if not motion.joint:
                self.tail.append(motion.matrix)
            elif motion.turns:
                self._turn(motion)
            else:
                slide = Slide(self._unknown(((motion.joint, motion.sign),), turns=False), motion.sign)
                self.tail.append(slide)
        self._close()
        size = size_of(self.builder, motions)
        return Chain(tuple(self.items), tuple(self.unknowns), target, tuple(motions), size)

    def _turn(self, motion: PathMotion) -> None:
        across = self.inside
        for part in self.tail:
            if not isinstance(part, Slide):
                across = matmul(across, rotation_of(part))
        if self.runs and self.turns and all(self._zero(across[k][2]) for k in (0, 1)):
            self.moves.append(self._move())
            flipped = self._zero(self.builder.number(across[2][2]) + 1)
            self.turns.append(self._sum(motion, -motion.sign if flipped else motion.sign))
            return
        if motion.terms:
            raise UnrepresentableJoint(motion.joint)
        self._close()
        self.turns = [self._unknown(((motion.joint, motion.sign),), turns=True)]

    def _sum(self, motion: PathMotion, sign: int) -> Unknown:
        """Extend the current sum of parallel joint angles by one joint and return the new sum.

        If the joint depends linearly on other joints, the new sum must be zero or equal an earlier sum of the run.

        Args:
            motion: the joint that is added.
            sign: sign of the joint in the sum; -1 if its axis is opposite to the first axis of the run.

        Raises:
            UnrepresentableJoint: the joint is dependent, and the new sum is neither zero nor an earlier sum of the run.
        """
        before = self.turns[-1]
        if not motion.terms:
            parts = (*before.parts, (motion.joint, sign))
            return self._unknown(parts, turns=True, before=None if before.constant else before)
        total = dict(before.parts)
        for j, n in motion.terms:
            total[j] = total.get(j, 0) + sign * n
        total = {j: n for j, n in total.items() if n}
        if not total:
            zero, one = self.builder.number(0), self.builder.number(1)
            return Unknown("", (), True, zero, one, zero)
        for earlier in self.turns:
            if dict(earlier.parts) == total:
                return earlier
        raise UnrepresentableJoint(motion.joint)

    def _zero(self, x: Scalar) -> bool:
        return is_zero(x) or self.vanishes(self.builder.number(x))

    def _move(self) -> AxisOffset:
        """Combine the motions since the last revolute joint into one translation from its axis to the next axis.

        The constant rotation of these motions is multiplied to `inside`, the constant rotation since the last angle of
        the run.
        """
        constant: list[Scalar] = [0, 0, 0]
        slides = []
        for part in self.tail:
            if isinstance(part, Slide):
                direction = tuple(part.sign * row[2] for row in self.inside)
                slides.append((part.unknown, direction))
            else:
                constant = add(constant, matvec(self.inside, position_of(part)))
                self.inside = matmul(self.inside, rotation_of(part))
        self.tail = []
        return AxisOffset(tuple(constant), tuple(slides))

    def _close(self) -> None:
        """End the current run of parallel joints and append its transform to the chain.

        The motions since its last joint are appended as separate constant transforms and prismatic joints.
        """
        if self.turns:
            self.items.append(Run(tuple(self.turns), tuple(self.moves)))
        fixed = homogeneous(self.inside, [0, 0, 0])
        for part in self.tail:
            if isinstance(part, Slide):
                self._fixed(fixed)
                self.items.append(part)
                fixed = identity(4)
            else:
                fixed = matmul(fixed, part)
        self._fixed(fixed)
        self.turns, self.moves, self.tail, self.inside = [], [], [], identity(3)

    def _fixed(self, matrix: Matrix) -> None:
        if any(not is_zero(x - (r == c)) for r, row in enumerate(matrix) for c, x in enumerate(row)):
            self.items.append(Fixed(matrix))

    def _unknown(
        self, parts: tuple[tuple[int, int], ...], *, turns: bool, before: Unknown | None = None
    ) -> Unknown:
        joints = [str(j) if s > 0 else f"m{j}" for j, s in parts]
        label = ("_" if self.apart or any(len(word) > 1 for word in joints) else "").join(joints)
        graph = self.builder.graph
        sine, cosine, length = (symbol(graph, f"{letter}{label}") for letter in "SCq")
        made = Unknown(label, parts, turns, sine, cosine, length, before)
        self.unknowns.append(made)
        return made
