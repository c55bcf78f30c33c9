"""What the models share: the angles and lengths of the joints, and the names of their sines and cosines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symoro.expr.scalar import Expr, Scalar, cos, sin
from symoro.program.builder import Builder
from symoro.robot.description import GEOMETRIC, Placement, Robot


def is_zero(x: Scalar) -> bool:
    """Whether a scalar is the number zero."""
    return x.is_zero if isinstance(x, Expr) else x == 0


@dataclass(frozen=True)
class Angle:
    """An angle with what it is the sum of: each part a joint's number or a symbol, and its sign."""

    value: Expr
    parts: tuple[tuple[str, int], ...] = ()

    def __add__(self, other: Angle) -> Angle:
        return Angle(self.value + other.value, self.parts + other.parts)

    def __neg__(self) -> Angle:
        return Angle(-self.value, tuple((name, -sign) for name, sign in self.parts))


class Trigonometry:
    """Sines and cosines of a model, each named once after the parts of its angle: C23 for cos(q2 + q3).

    The parts are run together as SYMORO does, unless the robot has a joint with two digits or a part is negative or
    no joint: then C12 could be cos(q12) or cos(q1 + q2), and the parts are kept apart (C1_2).
    """

    def __init__(self, builder: Builder, robot: Robot) -> None:
        self.builder = builder
        self.apart = robot.NF > 9

    def sincos(self, angle: Angle) -> tuple[Expr, Expr]:
        """(sin, cos) of an angle."""
        parts = _summed(angle.parts)
        if parts and parts[0][1] < 0:
            s, c = self.sincos(-angle)
            return -s, c
        s, c = self.builder.number(sin(angle.value)), self.builder.number(cos(angle.value))
        if not parts:
            return s, c
        label = self._written(parts)
        return self.builder.named(f"S{label}", s), self.builder.named(f"C{label}", c)

    def _written(self, parts: Sequence[tuple[str, int]]) -> str:
        run_together = not self.apart and all(name.isdigit() and times == 1 for name, times in parts)
        words = ["_".join([f"m{name}" if times < 0 else name] * abs(times)) for name, times in parts]
        return ("" if run_together else "_").join(words)


def _summed(parts: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Each part once with how often it occurs; joints by number, then symbols."""
    total: dict[str, int] = {}
    for name, sign in parts:
        total[name] = total.get(name, 0) + sign
    order = sorted(total, key=lambda name: (0, int(name), "") if name.isdigit() else (1, 0, name))
    return [(name, total[name]) for name in order if total[name]]


@dataclass(frozen=True)
class JointPlace:
    """Where frame j stands: iTj = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)         (1997 paper, eq. 1)"""

    gamma: Angle
    b: Expr
    alpha: Angle
    d: Expr
    theta: Angle
    r: Expr


def place_of(builder: Builder, robot: Robot, j: int, q: Mapping[int, Scalar]) -> JointPlace:
    """The place of frame j on its antecedent, its joint's position included."""
    frame = robot.frame(j)
    gamma, alpha = constant_angle(builder, robot, j, "gamma"), constant_angle(builder, robot, j, "alpha")
    theta = angle_of(builder, robot, j, q)
    b, d = builder.formula(frame.b), builder.formula(frame.d)
    return JointPlace(gamma, b, alpha, d, theta, length_of(builder, robot, j, q))


def fixed_place(builder: Builder, place: Placement) -> JointPlace:
    """The place of a frame that does not move, as the tool's."""
    gamma, b, alpha, d, theta, r = (builder.formula(getattr(place, name)) for name in GEOMETRIC)
    return JointPlace(Angle(gamma), b, Angle(alpha), d, Angle(theta), r)


def angle_of(builder: Builder, robot: Robot, j: int, q: Mapping[int, Scalar]) -> Angle:
    """theta_j with the name of its joint."""
    frame = robot.frame(j)
    offset = builder.formula(frame.theta)
    if frame.sigma == 0:
        return Angle(builder.number(q[j] + offset), ((str(j), 1),))
    return constant_angle(builder, robot, j, "theta")


def constant_angle(builder: Builder, robot: Robot, j: int, which: str) -> Angle:
    """gamma_j, alpha_j or the theta of a joint that does not turn, named by its symbol."""
    formula = getattr(robot.frame(j), which)
    value = builder.formula(formula)
    if formula.number is not None:
        return Angle(value)
    name = formula.text.replace("_", "") if formula.is_symbol else f"{which}{j}"
    return Angle(value, ((name, 1),))


def length_of(builder: Builder, robot: Robot, j: int, q: Mapping[int, Scalar]) -> Expr:
    """r_j, the joint position of a prismatic joint included."""
    frame = robot.frame(j)
    offset = builder.formula(frame.r)
    return builder.number(q[j] + offset) if frame.sigma == 1 else offset
