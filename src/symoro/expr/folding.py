"""Constant folding of powers, sums and functions.

Results are exact where possible, otherwise decimal. A function returns None if the expression cannot be folded.
Expressions are signed node references, see `graph`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from symoro.errors import ProgramError
from symoro.expr import number, ops, trigonometry
from symoro.expr.number import Number
from symoro.expr.ops import ABS, ACOS, ADD, ASIN, EXP, NUMBER, ONE, PI, SIGN, SQRT, SUB, TAN, ZERO

if TYPE_CHECKING:
    from symoro.expr.graph import Graph

MAX_EXPONENT = 4096
_MOST = 32  # maximum number of terms of a sum of constants in normal form
_DECIMAL = {TAN: math.tan, ASIN: math.asin, ACOS: math.acos, EXP: math.exp}


def constant_sum(graph: Graph, x: int, y: int) -> int | None:
    """Return the sum x + y of two constants in normal form; None if it has too many terms.

    In normal form like terms are collected and sorted.
    """
    total: dict[int, Number] = {}
    stack = [x, y]
    while stack:
        lit = stack.pop()
        i = lit >> 1
        if graph.op[i] in (ADD, SUB):
            stack += graph.terms(lit)
            continue
        c, k = (graph.args[i][0], 1) if graph.op[i] == NUMBER else graph.coefficient(i)
        total[k] = number.total(total.get(k, 0), number.negative(c) if lit & 1 else c)
        if len(total) > _MOST:
            return None
    result = ZERO
    for k in sorted(total):
        term = graph.mul(graph.number(total[k]), k << 1)
        result = graph.plain_sum(result, term) if result and term else result or term
    return result


def unary(graph: Graph, op: int, x: int) -> int | None:
    """Return tan, asin, acos, exp, abs or sign (`op`) of the constant x in simplified form; None if there is none."""
    value = graph.value(x)
    if op in (ABS, SIGN):
        return _magnitude(graph, op, x)
    if op in (ASIN, ACOS) and value is not None and not -1 <= value <= 1:
        raise ProgramError(f"{ops.TABLE[op].name}({float(value):g}) is not defined")
    if isinstance(value, float):
        return graph.number(_DECIMAL[op](value))
    if op == EXP:
        return ONE if x == ZERO else None
    return trigonometry.exact_tangent(graph, x) if op == TAN else trigonometry.exact_inverse(graph, op, x)


def _magnitude(graph: Graph, op: int, x: int) -> int | None:
    """Return abs or sign (`op`) of the constant x; None if the sign of x is not known.

    The sign is known for multiples of 1, of pi and of a square root.
    """
    if graph.op[graph.coefficient(x >> 1)[1]] not in (NUMBER, PI, SQRT):
        return None
    if op == ABS:
        return x & ~1
    return ZERO if x >> 1 == 0 else ONE | (x & 1)


def binary(graph: Graph, op: int, x: int, y: int) -> int | None:
    """Return atan2, min, max or a comparison (`op`) of two numbers as a constant; None if x or y is not a number."""
    a, b = _compared(graph, x), _compared(graph, y)
    if a is None or b is None:
        return None
    if op == ops.ATAN2:
        return _atan2(graph, a, b)
    if op == ops.MIN:
        return x if a <= b else y
    if op == ops.MAX:
        return x if a >= b else y
    holds = {ops.LESS: a < b, ops.LESS_EQUAL: a <= b, ops.EQUAL: a == b}[op]
    return ONE if holds else ZERO


def _compared(graph: Graph, lit: int) -> Number | None:
    """Return the value of a number or of a tolerance (in double precision); None for other expressions."""
    if graph.op[lit >> 1] == ops.TOLERANCE:
        value: float = graph.args[lit >> 1][0]
        return -value if lit & 1 else value
    return graph.value(lit)


def _atan2(graph: Graph, a: Number, b: Number) -> int | None:
    turn = trigonometry.exact_atan2(a, b)
    if turn is not None:
        return trigonometry.times_pi(graph, turn)
    if isinstance(a, float) or isinstance(b, float):
        return graph.number(math.atan2(a, b))
    return None


def power(graph: Graph, x: int, exponent: Number) -> int:
    """Return x to the power of an integer or of a multiple of 1/2 or 1/4."""
    try:
        fraction = Fraction(exponent)
    except (ValueError, OverflowError):
        raise ProgramError(f"{exponent} is not a valid exponent") from None
    if fraction.denominator not in (1, 2, 4, 8):
        raise ProgramError(f"power {exponent}: only whole and half exponents are supported")
    n = abs(fraction.numerator)
    if n > MAX_EXPONENT:
        raise ProgramError(f"exponent {exponent} is too large")
    for _ in range(fraction.denominator.bit_length() - 1):
        x = graph.sqrt(x)
    result, square = ONE, x
    while n:
        if n & 1:
            result = graph.mul(result, square)
        n >>= 1
        if n:
            square = graph.mul(square, square)
    return result if fraction >= 0 else graph.div(ONE, result)
