"""Joint transforms of the modified Denavit-Hartenberg notation, and the names of their sines and cosines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.expr.scalar import Expr, Scalar, cos, sin
from symoro.program.builder import Builder
from symoro.robot.description import GEOMETRIC, Placement, Robot


def is_zero(x: Scalar) -> bool:
    """Return whether a scalar is the number zero."""
    return x.is_zero if isinstance(x, Expr) else x == 0


@dataclass(frozen=True)
class Angle:
    """Angle as an expression, with the names of the terms of which it is the sum.

    Attributes:
        value: the angle (rad).
        parts: the terms (name, sign); the name is a joint number or the name of a constant angle.
    """

    value: Expr
    parts: tuple[tuple[str, int], ...] = ()

    def __add__(self, other: Angle) -> Angle:
        return Angle(self.value + other.value, self.parts + other.parts)

    def __neg__(self) -> Angle:
        return Angle(-self.value, tuple((name, -sign) for name, sign in self.parts))


_JOINT = re.compile(r"q([0-9]+)")
_READS_AS_JOINT = re.compile(r"m?[0-9]+")


class Trigonometry:
    """Sines and cosines of a model, each named after its angle: C23 is always cos(q2 + q3).

    The name follows from the expression itself: with theta4 = q4 + pi/2, the sine of theta4 is cos(q4) and is named C4.
    An angle that contains another constant is named after theta4.

    The joint numbers are joined as in SYMORO (C12). The numbers are separated (C1_2) if the robot has ten or more
    frames, or if a term is negative or is not a joint: C12 could otherwise mean cos(q12) or cos(q1 + q2).
    """

    def __init__(self, builder: Builder, robot: Robot) -> None:
        self.builder = builder
        self.apart = robot.NF > 9
        self._labels: dict[int, tuple[str, bool]] = {}

    def sincos(self, angle: Angle) -> tuple[Expr, Expr]:
        """Return (sin, cos) of an angle, named after its terms."""
        s, c = self.builder.number(sin(angle.value)), self.builder.number(cos(angle.value))
        if angle.value.cls != ops.CONSTANT and not (self.name(s) and self.name(c)):
            label, flip = self._label(_summed(angle.parts))
            if any(not name.isdigit() for name, _ in angle.parts):
                self._named(f"S{label}", -s if flip else s)
                self._named(f"C{label}", c)
        return s, c

    def name(self, wave: Expr) -> bool:
        """Name a sine or cosine after its angle, if the angle is a sum of joint positions.

        Returns:
            Whether `wave` is such a sine or cosine.
        """
        graph, i = self.builder.graph, wave.lit >> 1
        if graph.op[i] not in (ops.SIN, ops.COS):
            return False
        angle, sine = graph.args[i][0], graph.op[i] == ops.SIN
        if angle not in self._labels:
            self._labels[angle] = self._label(_summed(_joints(graph, angle)))
        label, flip = self._labels[angle]
        if label:
            self._named(f"{'S' if sine else 'C'}{label}", Expr(graph, i << 1 | (flip and sine)))
        return bool(label)

    def _named(self, name: str, value: Expr) -> None:
        """Give a name to an expression, unless another expression already has this name.

        For example C2_2 is reserved for cos(2 q2).
        """
        if not self.builder.has_name(name):
            self.builder.named(name, value)

    def _label(self, parts: Sequence[tuple[str, int]]) -> tuple[str, bool]:
        """Return the label of an angle such as "23" for q2 + q3, and whether the angle was negated for it.

        Args:
            parts: the terms of the angle, each with its name and factor. The angle is negated if its first factor is
                negative.
        """
        flip = bool(parts) and parts[0][1] < 0
        if flip:
            parts = [(name, -times) for name, times in parts]
        run_together = not self.apart and all(name.isdigit() and times == 1 for name, times in parts)
        words = ["_".join([f"m{name}" if times < 0 else name] * abs(times)) for name, times in parts]
        return ("" if run_together else "_").join(words), flip


def _joints(graph: Graph, angle: int) -> list[tuple[str, int]]:
    """Return the terms of an angle as pairs (joint number, factor).

    The list is empty unless all terms are integer multiples of joint positions.

    Args:
        graph: expression graph that contains the angle.
        angle: reference to the node of the angle.
    """
    parts: list[tuple[str, int]] = []
    stack = [(angle, 1)]
    while stack:
        x, times = stack.pop()
        i, times = x >> 1, -times if x & 1 else times
        args, op = graph.args[i], graph.op[i]
        factor = graph.value(args[0]) if op == ops.MUL else None
        joint = _JOINT.fullmatch(args[0]) if op == ops.SYMBOL and graph.cls[i] == ops.VARIABLE else None
        if joint:
            parts.append((joint[1], times))
        elif op in (ops.ADD, ops.SUB):
            stack += [(args[1], -times if op == ops.SUB else times), (args[0], times)]
        elif isinstance(factor, int):
            stack.append((args[1], times * factor))
        else:
            return []
    return parts


def _summed(parts: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Add the factors of equal terms of an angle and sort the terms.

    Args:
        parts: the terms (name, factor). Joints are sorted by number and precede other symbols.
    """
    total: dict[str, int] = {}
    for name, sign in parts:
        total[name] = total.get(name, 0) + sign
    if len(total) == 1:
        return [*total.items()] if all(total.values()) else []
    order = sorted(total, key=lambda name: (0, int(name), "") if name.isdigit() else (1, 0, name))
    return [(name, total[name]) for name in order if total[name]]


@dataclass(frozen=True)
class JointTransform:
    """Transform iTj = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r) of frame j           (1997 paper, eq. 1)"""

    gamma: Angle
    b: Expr
    alpha: Angle
    d: Expr
    theta: Angle
    r: Expr


def joint_transform(builder: Builder, robot: Robot, j: int, q: Mapping[int, Scalar]) -> JointTransform:
    """Return the transform of frame j with respect to its antecedent at the joint positions q."""
    frame = robot.frame(j)
    gamma, alpha = constant_angle(builder, robot, j, "gamma"), constant_angle(builder, robot, j, "alpha")
    theta = angle_of(builder, robot, j, q)
    b, d = builder.formula(frame.b), builder.formula(frame.d)
    return JointTransform(gamma, b, alpha, d, theta, length_of(builder, robot, j, q))


def fixed_transform(builder: Builder, place: Placement) -> JointTransform:
    """Return the transform of a frame without a joint, for example of the tool frame."""
    gamma, b, alpha, d, theta, r = (builder.formula(getattr(place, name)) for name in GEOMETRIC)
    return JointTransform(Angle(gamma), b, Angle(alpha), d, Angle(theta), r)


def angle_of(builder: Builder, robot: Robot, j: int, q: Mapping[int, Scalar]) -> Angle:
    """Return the angle theta_j of frame j at the joint positions q, with the names of its terms.

    The terms are the joint and a symbolic offset. If the offset is a number, the angle has the single term theta_j.
    """
    frame = robot.frame(j)
    if frame.sigma != 0:
        return constant_angle(builder, robot, j, "theta")
    offset = constant_angle(builder, robot, j, "theta")
    position = builder.number(q[j])
    value = position + offset.value
    if _joints(builder.graph, position.lit) == [(str(j), 1)] and (offset.parts or offset.value.is_zero):
        return Angle(value, ((str(j), 1), *offset.parts))
    return Angle(value, ((f"theta{j}", 1),))


def constant_angle(builder: Builder, robot: Robot, j: int, which: str) -> Angle:
    """Return a constant angle of frame j, named after its symbol.

    Args:
        which: "gamma", "alpha" or "theta".
    """
    formula = getattr(robot.frame(j), which)
    value = builder.formula(formula)
    if formula.number is not None:
        return Angle(value)
    name = formula.text.replace("_", "") if formula.is_symbol else f"{which}{j}"
    if _READS_AS_JOINT.fullmatch(name):  # a symbol m2 would be read as -q2
        name = f"{which}{j}"
    return Angle(value, ((name, 1),))


def length_of(builder: Builder, robot: Robot, j: int, q: Mapping[int, Scalar]) -> Expr:
    """Return the distance r_j of frame j; for a prismatic joint it includes the joint position."""
    frame = robot.frame(j)
    offset = builder.formula(frame.r)
    return builder.number(q[j] + offset) if frame.sigma == 1 else offset
