"""Constants of the form r*sqrt(n) (surds) with a number r and an integer n, such as the sine of pi/3.

Each surd has a normal form with one node: r, sqrt(n), or the product of the two. Square factors of n with small prime
factors are extracted. Expressions are returned as signed node references, see `graph`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from symoro.expr.number import Number
from symoro.expr.number import product as product_of
from symoro.expr.ops import CONSTANT, MUL, NUMBER, SQRT, ZERO

if TYPE_CHECKING:
    from symoro.expr.graph import Graph

LARGEST_RADICAND = 10**12  # larger integers under the root are not factorised
_PRIMES = (2, 3, 5, 7, 11, 13)


def surd(graph: Graph, r: Number, n: int) -> int:
    """Return the expression r*sqrt(n) in normal form."""
    factor, rest = square_free(n)
    number = graph.number(product_of(r, factor))
    if rest == 1 or number == ZERO:
        return number
    root = graph.node(SQRT, (graph.number(rest),), CONSTANT)
    if number >> 1 == 1:
        return root | (number & 1)
    return graph.node(MUL, (number & ~1, root), CONSTANT) | (number & 1)


def as_surd(graph: Graph, i: int) -> tuple[Number, int] | None:
    """Return (r, n) if node i equals r*sqrt(n), otherwise None."""
    r, k = graph.coefficient(i)
    if k == i and graph.op[i] == NUMBER:
        return graph.args[i][0], 1
    if graph.op[k] == SQRT:
        radicand = graph.value(graph.args[k][0])
        if isinstance(radicand, int):
            return r, radicand
    return None


def product(graph: Graph, i: int, j: int) -> int | None:
    """Return the product of two nodes of the form r*sqrt(n); None if one has another form."""
    left, right = as_surd(graph, i), as_surd(graph, j)
    if left is None or right is None:
        return None
    (r, m), (s, n) = left, right
    value = product_of(r, s)
    if isinstance(value, float):
        return graph.number(value * math.sqrt(m) * math.sqrt(n) if m != n else product_of(value, m))
    return surd(graph, value, m * n)


def inverse(graph: Graph, i: int) -> int | None:
    """Return the reciprocal 1 / (r sqrt n) = sqrt(n) / (r n) of node i; None if it has no exact r."""
    parts = as_surd(graph, i)
    if parts is None or isinstance(parts[0], float):
        return None
    r, n = parts
    return surd(graph, Fraction(1) / (r * n), n)


def root(graph: Graph, value: Number) -> int | None:
    """Return the square root of an exact number as r*sqrt(n), or None if it has no normal form."""
    fraction = Fraction(value)
    n = fraction.numerator * fraction.denominator
    if n < LARGEST_RADICAND or math.isqrt(n) ** 2 == n:
        return surd(graph, Fraction(1, fraction.denominator), n)
    return None


def square_free(n: int) -> tuple[int, int]:
    """Return (factor, rest) with n = factor^2 * rest; square factors of small primes are extracted."""
    factor, rest = 1, n
    whole = math.isqrt(n)
    if whole * whole == n:
        return (whole, 1)
    for p in _PRIMES:
        while rest % (p * p) == 0:
            rest //= p * p
            factor *= p
    return factor, rest
