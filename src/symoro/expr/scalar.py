"""Scalar expressions with Python operators; an `Expr` is a signed node reference together with its graph.

Algorithms are written once with the functions of this module: given numbers they compute numbers, given `Expr` objects
they derive expressions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.canonical import canonical
from symoro.expr.graph import Graph, Number
from symoro.expr.number import Tolerance, written


class Expr:
    """Scalar expression of a graph. Two expressions are equal if they have the same node and sign."""

    __slots__ = ("graph", "lit")

    def __init__(self, graph: Graph, lit: int) -> None:
        self.graph = graph
        self.lit = lit

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Expr):
            return self.graph is other.graph and self.lit == other.lit
        if isinstance(other, (int, float, Fraction)):
            return self.graph.value(self.lit) == other
        return NotImplemented

    def __hash__(self) -> int:
        number = self.graph.value(self.lit)  # equal to the Python number, so the hash is the same
        return hash((id(self.graph), self.lit)) if number is None else hash(number)

    def __add__(self, other: Scalar) -> Expr:
        graph = self.graph
        lit = other.lit if type(other) is Expr and other.graph is graph else self._lit(other)
        return Expr(graph, graph.add(self.lit, lit))

    def __sub__(self, other: Scalar) -> Expr:
        return Expr(self.graph, self.graph.add(self.lit, self._lit(other) ^ 1))

    def __rsub__(self, other: Scalar) -> Expr:
        return Expr(self.graph, self.graph.add(self._lit(other), self.lit ^ 1))

    def __mul__(self, other: Scalar) -> Expr:
        graph = self.graph
        lit = other.lit if type(other) is Expr and other.graph is graph else self._lit(other)
        return Expr(graph, graph.mul(self.lit, lit))

    def __truediv__(self, other: Scalar) -> Expr:
        return Expr(self.graph, self.graph.div(self.lit, self._lit(other)))

    def __rtruediv__(self, other: Scalar) -> Expr:
        return Expr(self.graph, self.graph.div(self._lit(other), self.lit))

    def __pow__(self, exponent: Number) -> Expr:
        return Expr(self.graph, self.graph.power(self.lit, exponent))

    def __neg__(self) -> Expr:
        return Expr(self.graph, self.graph.signed(self.lit, 1))

    __radd__ = __add__
    __rmul__ = __mul__

    def _lit(self, other: Scalar) -> int:
        if isinstance(other, Expr):
            if other.graph is not self.graph:
                raise ProgramError("two expressions of different graphs cannot be combined")
            return other.lit
        if type(other) is int and 0 <= other <= 2:  # the first nodes of every graph
            return 2 * other
        return _number(self.graph, other)

    @property
    def is_zero(self) -> bool:
        return self.lit >> 1 == 0

    @property
    def number(self) -> Number | None:
        """Return the number if the expression is a number, otherwise None."""
        return self.graph.value(self.lit)

    @property
    def cls(self) -> int:
        """Return the class of the expression: CONSTANT, PARAMETER or VARIABLE."""
        return self.graph.cls[self.lit >> 1]

    def symbols(self) -> set[str]:
        """Return the names of the symbols on which the expression depends."""
        graph = self.graph
        nodes = graph.reachable([self.lit])
        return {graph.args[i][0] for i in nodes if graph.op[i] == ops.SYMBOL}

    def __str__(self) -> str:
        return canonical(self)

    def __repr__(self) -> str:
        try:
            return f"Expr({self})"
        except ProgramError:  # too long to be written, or the result of a kernel
            return f"Expr(<{'-' * (self.lit & 1)}node {self.lit >> 1} of {len(self.graph)}>)"


def _number(graph: Graph, value: Number) -> int:
    """Return a Python number as a signed node reference of the graph."""
    return graph.tolerance(value) if isinstance(value, Tolerance) else graph.number(written(value))


Scalar = Expr | int | float | Fraction


def wrap(graph: Graph, value: Scalar) -> Expr:
    """Return `value`, a number or an expression, as an expression of the graph."""
    if not isinstance(value, Expr):
        return Expr(graph, _number(graph, value))
    if value.graph is not graph:
        raise ProgramError("two expressions of different graphs cannot be combined")
    return value


def symbol(graph: Graph, name: str, cls: int = ops.VARIABLE) -> Expr:
    return Expr(graph, graph.symbol(name, cls))


def pi(graph: Graph) -> Expr:
    return Expr(graph, graph.pi())


def _unary(op: int, x: Scalar) -> Scalar:
    if isinstance(x, Expr):
        return Expr(x.graph, x.graph.unary(op, x.lit))
    return _NUMERIC[op](x)


_NUMERIC: dict[int, Callable[[Any], Number]] = {
    ops.SIN: math.sin,
    ops.COS: math.cos,
    ops.TAN: math.tan,
    ops.SQRT: math.sqrt,
    ops.ASIN: math.asin,
    ops.ACOS: math.acos,
    ops.EXP: math.exp,
    ops.ABS: abs,
    ops.SIGN: lambda x: (x > 0) - (x < 0),
}


def sin(x: Scalar) -> Scalar:
    return _unary(ops.SIN, x)


def cos(x: Scalar) -> Scalar:
    return _unary(ops.COS, x)


def tan(x: Scalar) -> Scalar:
    return _unary(ops.TAN, x)


def sqrt(x: Scalar) -> Scalar:
    return _unary(ops.SQRT, x)


def asin(x: Scalar) -> Scalar:
    return _unary(ops.ASIN, x)


def acos(x: Scalar) -> Scalar:
    return _unary(ops.ACOS, x)


def exp(x: Scalar) -> Scalar:
    return _unary(ops.EXP, x)


def absolute(x: Scalar) -> Scalar:
    return _unary(ops.ABS, x)


def sign(x: Scalar) -> Scalar:
    """Return -1, 0 or 1; sign(0) is 0 in every target language."""
    return _unary(ops.SIGN, x)


def _binary(op: int, numeric: Callable[[Any, Any], Number], x: Scalar, y: Scalar) -> Scalar:
    graph = x.graph if isinstance(x, Expr) else y.graph if isinstance(y, Expr) else None
    if graph is None:
        return numeric(x, y)
    return Expr(graph, graph.binary(op, wrap(graph, x).lit, wrap(graph, y).lit))


def atan2(y: Scalar, x: Scalar) -> Scalar:
    return _binary(ops.ATAN2, math.atan2, y, x)


def minimum(x: Scalar, y: Scalar) -> Scalar:
    return _binary(ops.MIN, min, x, y)


def maximum(x: Scalar, y: Scalar) -> Scalar:
    return _binary(ops.MAX, max, x, y)


def less(x: Scalar, y: Scalar) -> Scalar:
    """Return 1 where x < y, else 0."""
    return _binary(ops.LESS, lambda a, b: int(a < b), x, y)


def less_equal(x: Scalar, y: Scalar) -> Scalar:
    """Return 1 where x <= y, else 0."""
    return _binary(ops.LESS_EQUAL, lambda a, b: int(a <= b), x, y)


def equal(x: Scalar, y: Scalar) -> Scalar:
    """Return 1 where x == y, else 0."""
    return _binary(ops.EQUAL, lambda a, b: int(a == b), x, y)


def select(condition: Scalar, x: Scalar, y: Scalar) -> Scalar:
    """Return x where the condition is not zero, and y elsewhere; the emitted code has no branch."""
    if not isinstance(condition, Expr):
        return x if condition != 0 else y
    graph = condition.graph
    return Expr(graph, graph.select(condition.lit, wrap(graph, x).lit, wrap(graph, y).lit))
