"""Formulas: the symbolic scalars of a robot description, immutable, hashable and stored as canonical text.

A robot description exists longer than the expression graphs of its models. Therefore its fields are texts and not graph
nodes; each model parses them into its own graph. The simplification rules are those of the graph and the syntax is that
of the parser; there is no separate expression tree.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any

from symoro.errors import ExpressionError, ProgramError
from symoro.expr import ops
from symoro.expr.canonical import canonical
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import Graph
from symoro.expr.number import decimal_of
from symoro.expr.parser import NAME, parse, reserved
from symoro.expr.scalar import Expr

_DECIMAL = re.compile(r"-?[0-9]+\.[0-9]+(?:e[+-]?[0-9]{1,3})?\Z")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,15})\Z")


@dataclass(frozen=True)
class Formula:
    """Immutable symbolic expression of parameters, stored as text in a canonical form.

    Formulas are created by `formula(...)`. Two formulas are equal if their canonical texts are equal.
    """

    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def is_zero(self) -> bool:
        return self.text == "0"

    @property
    def is_symbol(self) -> bool:
        """Return whether the formula is a single name."""
        return NAME.match(self.text) is not None and not reserved(self.text)

    @cached_property
    def symbols(self) -> frozenset[str]:
        """Return the names on which the formula depends."""
        if self.is_symbol:
            return frozenset({self.text})
        return frozenset() if _INTEGER.match(self.text) else frozenset(self.into(Graph()).symbols())

    @cached_property
    def number(self) -> float | None:
        """Return the value as a double if the formula contains no symbol, otherwise None."""
        return None if self.symbols else self.value({})

    def value(self, values: Mapping[str, float]) -> float:
        """Return the value of the formula as a double.

        Args:
            values: symbol -> number, for every symbol of the formula.

        Raises:
            ProgramError: a symbol has no value, or the formula is not defined there (a division by zero).
        """
        expr = self.into(Graph())
        result = float(evaluate(expr.graph, [expr.lit], values)[0])
        if not math.isfinite(result):
            at = ", ".join(f"{name} = {values[name]:g}" for name in sorted(self.symbols))
            raise ProgramError(f"{self.text} cannot be computed" + (f" at {at}" if at else ""))
        return result

    def into(self, graph: Graph, resolve: Callable[[str], int] | None = None) -> Expr:
        """Return the formula as an expression of `graph`.

        Args:
            resolve: returns the signed node reference of a name; by default each name becomes a parameter.
        """
        # Most fields of a robot are 0, and most others are decimals: both are converted without the parser.
        if self.text == "0":
            return Expr(graph, 0)
        if _DECIMAL.match(self.text):
            return Expr(graph, graph.number(decimal_of(self.text)))
        if _INTEGER.match(self.text):
            return Expr(graph, graph.number(int(self.text)))
        if self.is_symbol:
            lit = resolve(self.text) if resolve else graph.symbol(self.text, ops.PARAMETER)
            return Expr(graph, lit)
        return parse(self.text, graph, resolve)

    def substitute(self, values: Mapping[str, Formula]) -> Formula:
        """Return the formula with names replaced by formulas, all at the same time.

        Args:
            values: name -> formula; other names are not changed.
        """
        if not self.symbols & values.keys():
            return self
        graph = Graph()

        def resolve(name: str) -> int:
            if name in values:
                return values[name].into(graph).lit
            return graph.symbol(name, ops.PARAMETER)

        return _stable(self.into(graph, resolve))

    def __add__(self, other: Formula) -> Formula:
        return combine(lambda a, b: a + b, self, other)

    def __sub__(self, other: Formula) -> Formula:
        return combine(lambda a, b: a - b, self, other)

    def __mul__(self, other: Formula) -> Formula:
        return combine(lambda a, b: a * b, self, other)

    def __neg__(self) -> Formula:
        return combine(lambda a: -a, self)


def combine(function: Callable[..., Expr], *arguments: Formula) -> Formula:
    """Return function(*arguments) as a formula, where `function` computes with expressions."""
    graph = Graph()
    return _stable(function(*(a.into(graph) for a in arguments)))


FormulaLike = Formula | str | int | float | Fraction


def formula(value: FormulaLike) -> Formula:
    """Return a formula from a text, a number, a formula or a SymPy expression.

    Raises:
        ExpressionError: the text is not an expression of the grammar (with the position), or the SymPy expression
            contains a function or a symbol that a formula cannot have.
    """
    if isinstance(value, Formula):
        return value
    if isinstance(value, str):
        text = value.strip()
        if _INTEGER.match(text) and text != "-0":
            return Formula(text)
        if NAME.match(text) and not reserved(text):
            return Formula(text)
        return _stable(parse(value, Graph()))
    if sys.modules.get("sympy") and isinstance(value, sys.modules["sympy"].Basic):
        return _formula_of_sympy(value)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ExpressionError(f"expected a number or an expression, got {type(value).__name__}", 1)
    if isinstance(value, float) and not math.isfinite(value):
        raise ExpressionError(f"{value} is not a finite number", 1)
    graph = Graph()
    try:
        return _stable(Expr(graph, graph.number(value)))
    except ProgramError as error:
        raise ExpressionError(error.message, 1) from None


def _formula_of_sympy(expression: Any) -> Formula:
    """Convert a SymPy expression to a formula, node by node (text is never parsed)."""
    from symoro.expr.sympy_bridge import from_sympy

    graph = Graph()

    def resolve(name: str) -> int:
        if not NAME.match(name) or reserved(name):
            raise ProgramError(f"the SymPy symbol '{name}' cannot be the name of a parameter")
        return graph.symbol(name, ops.PARAMETER)

    try:
        return _stable(from_sympy(graph, expression, resolve))
    except ProgramError as error:
        raise ExpressionError(error.message, 1, hint=error.hint) from None


def _stable(expr: Expr) -> Formula:
    """Return an expression as a formula whose text does not change when it is parsed and written again.

    Several rounds may be necessary, because sorting the terms can make further constant folding possible.
    """
    try:
        _check_constants(expr)
        text = canonical(expr)
        for _ in range(8):
            written = canonical(parse(text, Graph()))
            if written == text:
                break
            text = written
    except ProgramError as error:
        raise ExpressionError(error.message, 1, hint=error.hint) from None
    return Formula(text)


def _check_constants(expr: Expr) -> None:
    """Raise an error if a constant of the expression has no finite value, such as sqrt(2 - pi)."""
    graph = expr.graph
    nodes = graph.reachable([expr.lit])
    constants = [i << 1 for i in nodes if graph.op[i] >= ops.ADD and graph.cls[i] == ops.CONSTANT]
    if not all(map(math.isfinite, evaluate(graph, constants, {}))):
        raise ProgramError("a constant is too large for double precision")


ZERO = Formula("0")
ONE = Formula("1")


def exact_angle(angle: Formula, tolerance: float = 4e-16) -> Formula:
    """Replace a decimal angle (rad) by a multiple of pi/12 if they agree within `tolerance` times pi.

    Other formulas are returned unchanged. The default tolerance only removes the rounding of pi itself:
    1.5707963267948966 becomes pi/2.
    """
    number = angle.number
    if (
        number is None or number == 0 or not abs(number) < 1e9
    ):  # larger angles are always close to some multiple
        return angle
    twelfths = round(number * 12 / math.pi)
    allowed = tolerance * max(math.pi, abs(number))
    if twelfths == 0 or abs(number - twelfths * math.pi / 12) > allowed:
        return angle
    return formula(f"{Fraction(twelfths, 12)}*pi")
