"""Exact trigonometry: sines of multiples of pi/6 and pi/4, their inverses, and sin^2 + cos^2 = 1.

Angles are written as turn*pi with an exact fraction `turn`. Expressions are signed node references, see `graph`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from symoro.errors import ProgramError
from symoro.expr import surds
from symoro.expr.number import Number
from symoro.expr.ops import ACOS, ADD, CONSTANT, COS, MUL, ONE, PI, SIN, SUB, ZERO

if TYPE_CHECKING:
    from symoro.expr.graph import Graph

_HALF, _QUARTER = Fraction(1, 2), Fraction(1, 4)
_KNOWN = (Fraction(0), Fraction(1, 6), _QUARTER, Fraction(1, 3), _HALF)
_DEEPEST = 16  # largest number of nested sums searched for a multiple of pi, or of factors for a square


def sincos(graph: Graph, op: int, x: int) -> int:
    """Return sin x or cos x (`op`), as an exact constant if possible.

    Otherwise multiples of pi/2 are removed from x, so that a constant term of the angle is in (-pi/4, pi/4].
    """
    if x >> 1 == 0:
        return ZERO if op == SIN else ONE
    value = graph.value(x)
    if isinstance(value, float):
        return graph.number(math.sin(value) if op == SIN else math.cos(value))
    turn, rest = split_pi(graph, x)
    flip = 0
    if turn:
        if rest == ZERO:
            exact = exact_sine(graph, turn + _HALF if op == COS else turn)
            if exact is not None:
                return exact
        if rest & 1:  # make the rest positive first, so that x and -x are reduced in the same way
            turn, rest = -turn, rest ^ 1
            flip = 1 if op == SIN else 0
        quarters = math.ceil(turn * 2 - _HALF)  # the remaining constant is in (-pi/4, pi/4]
        phase = (quarters + (1 if op == COS else 0)) % 4
        x = graph.add(rest, times_pi(graph, turn - Fraction(quarters, 2)))
        op = COS if phase & 1 else SIN
        flip ^= phase >> 1
    if isinstance(graph.value(x), float):
        literal = sincos(graph, op, x)
    else:
        literal = graph.node(op, (x & ~1,), graph.cls[x >> 1]) | (x & 1 if op == SIN else 0)
    return graph.signed(literal, flip)


def times_pi(graph: Graph, turn: Fraction) -> int:
    """Return the expression turn*pi."""
    return graph.mul(graph.number(turn), graph.pi())


def split_pi(graph: Graph, x: int) -> tuple[Fraction, int]:
    """Split x = turn*pi + rest; return the exact fraction `turn` and the reference of the rest."""
    turn = Fraction(0)
    while (split := _find_pi(graph, x)) is not None:
        part, x = split
        turn += part
    return turn, x


def _find_pi(graph: Graph, x: int) -> tuple[Fraction, int] | None:
    """Return one multiple of pi among the terms of x and the sum of the other terms; None if there is none."""
    stack: list[tuple[int, tuple[int, ...]]] = [
        (x, ())
    ]  # a term, and the other terms of the sums that contain it
    for _ in range(2 * _DEEPEST):
        if not stack:
            return None
        lit, beside = stack.pop()
        i, sign = lit >> 1, lit & 1
        c, k = graph.coefficient(i)
        if graph.op[k] == PI and _is_exact(c):
            rest = ZERO
            for term in reversed(beside):
                rest = graph.add(rest, term)
            return Fraction(-c if sign else c), rest
        if graph.op[i] == ADD or graph.op[i] == SUB:
            a, b = graph.terms(lit)
            stack.append((a, (*beside, b)))
            stack.append((b, (*beside, a)))
    return None


def _is_exact(c: Number) -> bool:
    """Return whether c*pi is an exact multiple of pi; decimals such as 0.5 and 0.25 count as exact."""
    return not isinstance(c, float) or Fraction(c).denominator <= 8


def exact_sine(graph: Graph, turn: Fraction) -> int | None:
    """Return sin(turn*pi) if it is 0, +-1/2, +-sqrt(2)/2, +-sqrt(3)/2 or +-1, otherwise None."""
    turn %= 2
    sign = 0
    if turn >= 1:
        turn, sign = turn - 1, 1
    if turn > _HALF:
        turn = 1 - turn
    if turn not in _KNOWN:
        return None
    k = _KNOWN.index(turn)  # the k-th of these angles has the sine sqrt(k)/2
    return graph.signed(surds.surd(graph, _HALF, k), sign)


def exact_tangent(graph: Graph, x: int) -> int | None:
    """Return tan x if x is a multiple of pi/6 or pi/4, otherwise None."""
    turn, rest = split_pi(graph, x)
    if rest != ZERO:
        return None
    sine, cosine = exact_sine(graph, turn), exact_sine(graph, turn + _HALF)
    if sine is None or cosine is None:
        return None
    if cosine == ZERO:
        raise ProgramError(f"tan({turn}*pi) is not defined")
    return graph.div(sine, cosine)


def exact_inverse(graph: Graph, op: int, x: int) -> int | None:
    """Return asin x or acos x (`op`) if it is a multiple of pi/6 or pi/4, otherwise None."""
    if graph.cls[x >> 1] != CONSTANT:
        return None
    for turn in _KNOWN:
        if exact_sine(graph, turn) == x & ~1:
            angle = -turn if x & 1 else turn
            return times_pi(graph, _HALF - angle if op == ACOS else angle)
    return None


def exact_atan2(a: Number, b: Number) -> Fraction | None:
    """Return atan2(a, b) / pi if the point (b, a) is on an axis or a diagonal, otherwise None."""
    if (a and b and abs(a) != abs(b)) or a == b == 0:
        return None
    up, right = (a > 0) - (a < 0), (b > 0) - (b < 0)
    eighths = {(0, 1): 0, (1, 1): 1, (1, 0): 2, (1, -1): 3, (0, -1): 4}[abs(up), right]
    return Fraction(-eighths if up < 0 else eighths, 4)


# -- sin^2 + cos^2 = 1


def pythagoras(graph: Graph, i: int, j: int) -> int | None:
    """Return the sum i + j = u if nodes i and j are (sin a)^2 u and (cos a)^2 u, otherwise None."""
    a, b = graph.args[i][0] >> 1, graph.args[i][1] >> 1
    if a != b and graph.op[a] != MUL and graph.op[b] != MUL:
        return None
    left = _factors(graph, i)
    squares = {f for f in left if graph.op[f] in (SIN, COS) and left.count(f) > 1}
    if not squares:
        return None
    right = _factors(graph, j)
    for trig in sorted(squares):
        partner = graph.table.get((COS if graph.op[trig] == SIN else SIN, graph.args[trig]))
        if partner is None or right.count(partner) < 2:
            continue
        common, others = _without_square(left, trig), _without_square(right, partner)
        if sorted(common) == sorted(others):
            product = ONE
            for f in common:
                product = graph.mul(product, f << 1)
            return product
    return None


def _without_square(factors: list[int], f: int) -> list[int]:
    rest = list(factors)
    rest.remove(f)
    rest.remove(f)
    return rest


def _factors(graph: Graph, i: int) -> list[int]:
    """Return the nodes of the factors of node i; nested products are split up to a limited number of factors."""
    factors: list[int] = []
    stack = [i]
    while stack and len(factors) + len(stack) <= _DEEPEST:
        k = stack.pop()
        if graph.op[k] == MUL:
            stack += (graph.args[k][0] >> 1, graph.args[k][1] >> 1)
        else:
            factors.append(k)
    return factors + stack
