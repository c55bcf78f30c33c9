"""One step of an inverse model: which unknowns it gives, by which formulas, on which branches, under what conditions.

A step is written once, in symbols: the sines, cosines and lengths solved before stand in it as symbols, and so does
the choice of branch (eps = +-1, or the root of a polynomial). `branches.py` unrolls the steps into the solutions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symoro.expr.ops import SYMBOL, VARIABLE
from symoro.expr.scalar import Expr, Scalar, absolute, cos, less_equal, maximum, select, sin, sqrt, symbol
from symoro.models.geometric.inverse.chain.chain import Unknown
from symoro.models.tolerances import SINGULAR_PIVOT
from symoro.program.builder import Builder


@dataclass(frozen=True)
class Step:
    """A step.

    Attributes:
        type: number of the equation's type in the table of the documentation.
        equations: the equations as (left side, right side), to be read.
        lines: (symbol, value) in order; the last ones are the sines, cosines or lengths of the unknowns.
        choices: one mapping a branch, from the literal of a symbol to its value on that branch.
        reach: each is negative (below -OUT_OF_REACH_ROOT) where the pose is out of reach.
        free: (unknown, 1 where any value does).
        checks: each is zero on a true solution.
        meets: (sign, distance): two branches, those of the sign or else all, meet where the distance is zero.
        repeats: the same, where branches that meet are one value of this step's unknown, but not one solution.
    """

    type: int
    unknowns: tuple[Unknown, ...]
    equations: tuple[tuple[Expr, Expr], ...]
    lines: tuple[tuple[Expr, Expr], ...]
    choices: tuple[Mapping[int, Expr], ...] = field(default=({},))
    reach: tuple[Expr, ...] = ()
    free: tuple[tuple[Unknown, Expr], ...] = ()
    checks: tuple[Expr, ...] = ()
    meets: tuple[tuple[Expr | None, Expr], ...] = ()
    repeats: tuple[tuple[Expr | None, Expr], ...] = ()


class Draft:
    """Collects a step.

    An equation is of degree 1 if it compares lengths, of degree 0 if it compares sines and cosines; multiplied
    equations have the sum of the degrees. What counts as zero is relative to that power of the size.

    Arguments:
        start: values of the joints that are taken where a joint is free.
        size: the robot's size, see `chain.size_of`.
    """

    def __init__(
        self,
        builder: Builder,
        type_number: int,
        start: Mapping[int, Expr],
        solved: frozenset[Unknown],
        size: Expr,
    ) -> None:
        self.builder = builder
        self.size = size
        self.type = type_number
        self.start = start
        self.solved = solved
        self.lines: list[tuple[Expr, Expr]] = []
        self.choices: list[Mapping[int, Expr]] = [{}]
        self.reach: list[Expr] = []
        self.free: list[tuple[Unknown, Expr]] = []
        self.checks: list[Expr] = []
        self.meets: list[tuple[Expr | None, Expr]] = []
        self.unknowns: list[Unknown] = []

    def let(self, name: str, value: Scalar) -> Expr:
        """A named intermediate value; numbers and symbols need no name."""
        graph = self.builder.graph
        expr = self.builder.number(value)
        if expr.number is not None or graph.op[expr.lit >> 1] == SYMBOL:
            return expr
        made = symbol(graph, name)
        self.lines.append((made, expr))
        return made

    def let_varying(self, name: str, value: Scalar) -> Expr:
        """The same for what varies; what depends on the robot alone stays known as such."""
        expr = self.builder.number(value)
        return self.let(name, expr) if expr.cls == VARIABLE else expr

    def sign(self, name: str = "eps") -> Expr:
        """+1 on one half of the branches, -1 on the other."""
        one = self.builder.number(1)
        return self.pick([name], [[one], [-one]])[0]

    def pick(self, names: Sequence[str], rows: Sequence[Sequence[Expr]]) -> list[Expr]:
        """One of the rows of values, a branch each."""
        made = [symbol(self.builder.graph, name) for name in names]
        picked = [{m.lit: value for m, value in zip(made, row, strict=True)} for row in rows]
        self.choices = [{**choice, **row} for choice in self.choices for row in picked]
        return made

    def root(self, slack: Scalar, inverse: Scalar = 1, name: str = "eps") -> Expr:
        """eps sqrt(slack), the pose being out of reach where slack < 0; slack * inverse is of the order of 1."""
        sign = self.sign(name)
        self.reach.append(self.builder.number(slack * inverse))
        self.meets.append((sign, self.reach[-1]))
        return sign * sqrt(maximum(slack, 0))

    def vanishing(self, square: Expr, degree: int) -> Expr | None:
        """Return 1 where the square of a quantity of some degree is zero; None if it depends on the robot alone."""
        if square.cls != VARIABLE:
            return None
        return self.builder.number(less_equal(square, SINGULAR_PIVOT**2 * self.power(2 * degree)))

    def power(self, degree: int) -> Expr:
        """Return the size to some power."""
        size_power = self.builder.number(1)
        for _ in range(abs(degree)):
            size_power = size_power * self.size
        return size_power if degree >= 0 else 1 / size_power

    def angle(self, unknown: Unknown, sine: Scalar, cosine: Scalar, free: Expr | None = None) -> None:
        """Give an unknown angle by its sine and cosine; where it is free, keep the start's value."""
        if free is not None:
            s, c = self._started(unknown)
            sine, cosine = select(free, s, sine), select(free, c, cosine)
            self.free.append((unknown, free))
        self._give(unknown, (unknown.sine, sine), (unknown.cosine, cosine))

    def length(self, unknown: Unknown, value: Scalar, free: Expr | None = None) -> None:
        """Give an unknown length."""
        if free is not None:
            value = select(free, self.start[unknown.joint], value)
            self.free.append((unknown, free))
        self._give(unknown, (unknown.length, value))

    def unit(self, unknown: Unknown) -> None:
        """Ask that sine and cosine, found from two equations, lie on the circle."""
        s, c = unknown.sine, unknown.cosine
        self.checks.append(self.builder.number(absolute(s * s + c * c - 1)))

    def step(self, *equations: tuple[Expr, Expr]) -> Step:
        return Step(
            self.type,
            tuple(self.unknowns),
            equations,
            tuple(self.lines),
            tuple(self.choices),
            tuple(self.reach),
            tuple(self.free),
            tuple(self.checks),
            tuple(self.meets),
        )

    def _give(self, unknown: Unknown, *values: tuple[Expr, Scalar]) -> None:
        self.unknowns.append(unknown)
        self.lines += [(target, self.builder.number(value)) for target, value in values]

    def _started(self, unknown: Unknown) -> tuple[Scalar, Scalar]:
        """Sine and cosine of the angle at the start's value of its joint."""
        if unknown.before is not None and unknown.before in self.solved:
            angle = unknown.sign * self.start[unknown.joint]
            s, c = sin(angle), cos(angle)
            s0, c0 = unknown.before.sine, unknown.before.cosine
            return s0 * c + c0 * s, c0 * c - s0 * s
        angle = self.builder.number(0)
        for j, sign in unknown.parts:
            angle = angle + sign * self.start[j]
        return sin(angle), cos(angle)
