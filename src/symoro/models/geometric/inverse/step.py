"""Step of an inverse geometric model: its unknowns, formulas, branches and conditions.

A step is written once, with symbols, for all branches. Quantities of earlier steps (sines, cosines and lengths) and the
choice of branch (eps = +-1, or the root of a polynomial) appear as symbols. `branches.py` expands the steps into the
solutions.
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
    """Solution step that determines some unknowns of an inverse geometric model.

    Attributes:
        type: number of the equation's type, 1 to 10, see `paul.equation_types`.
        unknowns: unknowns that the step determines.
        equations: the equations as (left side, right side), for the derivation.
        lines: assignments (symbol, value) in order; the last ones define the sines, cosines or lengths of the unknowns.
        choices: one mapping per branch, from the node reference of a symbol to its value on that branch.
        reach: expressions that are negative (below -OUT_OF_REACH_ROOT) if the pose is out of reach.
        free: pairs (unknown, flag); the flag is 1 if every value of the unknown is a solution.
        checks: expressions that are zero on a true solution.
        meets: pairs (sign, distance): where the distance is zero, the two branches that differ in this sign symbol
            coincide. If the sign is None, the branch coincides with another one of the step.
        repeats: pairs as in `meets`, for branches that have the same value of this step's unknown but are different
            solutions.
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
    """Incomplete solution step, to which formulas and conditions are added.

    An equation has degree 1 if it compares lengths and degree 0 if it compares sines and cosines; the degree of a
    product of equations is the sum of their degrees. The threshold for zero is relative to that power of the robot's
    size.

    Args:
        builder: builder of the program.
        type_number: number of the equation's type.
        start: joint positions to use where a joint is free, by joint number.
        solved: unknowns that are determined by earlier steps.
        size: robot's size, see `chain.size_of`.
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
        """Introduce a named intermediate variable and return its symbol.

        A number or a symbol is returned unchanged, without a new variable.
        """
        graph = self.builder.graph
        expr = self.builder.number(value)
        if expr.number is not None or graph.op[expr.lit >> 1] == SYMBOL:
            return expr
        made = symbol(graph, name)
        self.lines.append((made, expr))
        return made

    def let_varying(self, name: str, value: Scalar) -> Expr:
        """Introduce a named intermediate variable for a value that depends on the pose.

        A value that depends only on the robot's parameters is returned unchanged, without a new variable.
        """
        expr = self.builder.number(value)
        return self.let(name, expr) if expr.cls == VARIABLE else expr

    def sign(self, name: str = "eps") -> Expr:
        """Double the branches of the step by a choice of sign, and return the symbol of the sign.

        The symbol is +1 on one half of the branches and -1 on the other half.

        Args:
            name: name of the symbol.
        """
        one = self.builder.number(1)
        return self.pick([name], [[one], [-one]])[0]

    def pick(self, names: Sequence[str], rows: Sequence[Sequence[Expr]]) -> list[Expr]:
        """Multiply the branches by a choice among several sets of values.

        Args:
            names: names of the values.
            rows: the alternatives, one list of values each.

        Returns:
            The symbols of the values.
        """
        made = [symbol(self.builder.graph, name) for name in names]
        picked = [{m.lit: value for m, value in zip(made, row, strict=True)} for row in rows]
        self.choices = [{**choice, **row} for choice in self.choices for row in picked]
        return made

    def root(self, radicand: Scalar, inverse: Scalar = 1, name: str = "eps") -> Expr:
        """Return eps sqrt(radicand) with a choice of sign eps = +-1.

        The pose is out of reach if the radicand is negative.

        Args:
            radicand: expression under the root.
            inverse: factor that scales the radicand to the order of 1.
            name: name of the symbol eps.
        """
        sign = self.sign(name)
        self.reach.append(self.builder.number(radicand * inverse))
        self.meets.append((sign, self.reach[-1]))
        return sign * sqrt(maximum(radicand, 0))

    def vanishing(self, square: Expr, degree: int) -> Expr | None:
        """Return a flag that is 1 where a quantity is zero.

        Args:
            square: square of the quantity.
            degree: dimension of the quantity, as a power of a length.

        Returns:
            The flag; None if the quantity depends only on the robot's parameters.
        """
        if square.cls != VARIABLE:
            return None
        return self.builder.number(less_equal(square, SINGULAR_PIVOT**2 * self.power(2 * degree)))

    def power(self, degree: int) -> Expr:
        """Return the robot's size to the power `degree`, which may be negative."""
        size_power = self.builder.number(1)
        for _ in range(abs(degree)):
            size_power = size_power * self.size
        return size_power if degree >= 0 else 1 / size_power

    def angle(self, unknown: Unknown, sine: Scalar, cosine: Scalar, free: Expr | None = None) -> None:
        """Define an unknown angle by its sine and cosine.

        Args:
            free: flag that is 1 where the angle is free; the joint's position in the input q0 is used there. None if
                the angle is never free.
        """
        if free is not None:
            s, c = self._started(unknown)
            sine, cosine = select(free, s, sine), select(free, c, cosine)
            self.free.append((unknown, free))
        self._give(unknown, (unknown.sine, sine), (unknown.cosine, cosine))

    def length(self, unknown: Unknown, value: Scalar, free: Expr | None = None) -> None:
        """Define an unknown length by its value.

        Args:
            free: flag that is 1 where the length is free; the joint's position in the input q0 is used there. None if
                the length is never free.
        """
        if free is not None:
            value = select(free, self.start[unknown.joint], value)
            self.free.append((unknown, free))
        self._give(unknown, (unknown.length, value))

    def unit(self, unknown: Unknown) -> None:
        """Add the check s^2 + c^2 = 1 for an angle whose sine s and cosine c were computed from two equations."""
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
        """Return the sine and cosine of a sum of joint angles whose last joint is at its position in the input q0."""
        if unknown.before is not None and unknown.before in self.solved:
            angle = unknown.sign * self.start[unknown.joint]
            s, c = sin(angle), cos(angle)
            s0, c0 = unknown.before.sine, unknown.before.cosine
            return s0 * c + c0 * s, c0 * c - s0 * s
        angle = self.builder.number(0)
        for j, sign in unknown.parts:
            angle = angle + sign * self.start[j]
        return sin(angle), cos(angle)
