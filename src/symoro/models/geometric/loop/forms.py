"""Sums of joint angles with integer coefficients, modulo 2 pi, for parallel axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TypeVar

from symoro.expr import ops
from symoro.expr.scalar import Expr, Scalar, atan2
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.tolerances import SAME_ANGLE
from symoro.program.builder import Builder

Key = TypeVar("Key")

SHARE = 12  # multiples of pi/12 are recognised
SEVERAL = 3  # largest number of symbols that are tried in a constant angle


@dataclass(frozen=True)
class AngleSum:
    """Angle with the value (sum of n_j q_j) + (sum of n_k angle_k) + turn pi, with integers n_j and n_k.

    Attributes:
        joints: coefficients n_j of the joint positions, by joint number.
        angles: coefficients n_k of constant angles, by angle.
        turn: constant in units of pi.
    """

    joints: Mapping[int, int] = field(default_factory=dict)
    angles: Mapping[Expr, int] = field(default_factory=dict)
    turn: Fraction = Fraction(0)

    def __add__(self, other: AngleSum) -> AngleSum:
        return AngleSum(
            _added(self.joints, other.joints), _added(self.angles, other.angles), self.turn + other.turn
        )

    def __rmul__(self, n: int) -> AngleSum:
        if n == 0:
            return AngleSum()
        return AngleSum(
            {j: n * k for j, k in self.joints.items()},
            {x: n * k for x, k in self.angles.items()},
            n * self.turn,
        )

    def __neg__(self) -> AngleSum:
        return -1 * self

    def __sub__(self, other: AngleSum) -> AngleSum:
        return self + -other

    def constant(self, builder: Builder) -> Expr:
        """Return the constant part of the angle, (sum of n_k angle_k) + turn pi, with turn reduced to (-1, 1]."""
        turn = self.turn - 2 * ((self.turn + 1) // 2)
        total = builder.pi() * (turn if turn > -1 else Fraction(1))
        for angle, n in self.angles.items():
            total = total + n * angle
        return total

    def value(self, builder: Builder, positions: Mapping[int, Scalar]) -> Expr:
        total = self.constant(builder)
        for j, n in self.joints.items():
            total = total + n * positions[j]
        return total


def _added(a: Mapping[Key, int], b: Mapping[Key, int]) -> dict[Key, int]:
    total = {key: a.get(key, 0) + b.get(key, 0) for key in [*a, *b]}
    return {key: n for key, n in total.items() if n}


def constant_angle(builder: Builder, probes: Probes, y: Scalar, x: Scalar) -> AngleSum:
    """Return the angle atan2(y, x) of two constants, in a simple form if possible.

    The simple form is a multiple of pi/12 plus or minus symbols of the robot. If there is none, the angle is an atan2
    expression.
    """
    import numpy

    graph = builder.graph
    y, x = builder.number(y), builder.number(x)
    angle = numpy.arctan2(probes.of(y), probes.of(x))
    nodes = graph.reachable([y.lit, x.lit])
    symbols = [Expr(graph, 2 * i) for i in nodes if graph.op[i] == ops.SYMBOL]
    tried = symbols if len(symbols) <= SEVERAL else []
    combinations = sorted(product((0, 1, -1), repeat=len(tried)), key=lambda ns: sum(map(abs, ns)))
    for ns in combinations:
        rest = angle - sum(n * probes.of(s) for n, s in zip(ns, tried, strict=True))
        share = rest / numpy.pi * SHARE
        share = share - 2 * SHARE * numpy.round(share / (2 * SHARE))
        k = round(float(abs(share[0]))) * (1 if share[0] >= 0 else -1)
        away = share - k
        if (abs(away - 2 * SHARE * numpy.round(away / (2 * SHARE))) < SAME_ANGLE).all():
            chosen = {s: n for n, s in zip(ns, tried, strict=True) if n}
            return AngleSum(angles=chosen, turn=Fraction(k, SHARE))
    return AngleSum(angles={builder.number(atan2(y, x)): 1})
