"""Canonical text of an expression, which descriptions store, compare, hash and write to files.

A node becomes a sum {monomial: coefficient}; a monomial is a sorted tuple of (atom, exponent), an atom is the text of a
symbol, of pi, of a function or of a sum in parentheses. Products are not expanded. Like terms are collected, terms and
factors are sorted (numbers last in a sum, first in a product). Where the sign is free (a sum inside a product, the
argument of an odd or even function), the first term is positive. Therefore `a + b` and `b + a` have the same text, and
so do `sin(a - b)` and `-sin(b - a)`.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from symoro.errors import ProgramError
from symoro.expr import number, ops
from symoro.expr.graph import Graph
from symoro.expr.number import Number, normal

if TYPE_CHECKING:
    from symoro.expr.scalar import Expr

Monomial = tuple[tuple[str, int], ...]
Sum = dict[Monomial, Number]

MAX_LENGTH = 20_000
MAX_WORK = 10 * MAX_LENGTH  # limit on the characters of intermediate texts
_UNIT: Monomial = ()
_SUMS = (ops.ADD, ops.SUB)
_SYMMETRIC = (ops.MIN, ops.MAX, ops.EQUAL)


def canonical(expr: Expr) -> str:
    """Return the canonical text of an expression; equal texts mean equal expressions."""
    return _FormWriter(expr.graph).text(expr.lit)


class _FormWriter:
    """Converter of the nodes of one expression to sums {monomial: coefficient}, and of these to text."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.sums: dict[int, Sum] = {}
        self.factors: dict[int, Sum] = {}
        self.groups: dict[str, Sum] = {}  # text in parentheses -> the sum in it
        self.work = 0

    def text(self, root: int) -> str:
        graph = self.graph
        nodes = graph.reachable([root])
        whole = {root >> 1}
        for i in nodes:
            if graph.op[i] not in _SUMS:
                whole.update(lit >> 1 for lit in graph.children(i))
        for i in nodes:
            if graph.op[i] not in _SUMS:
                self.sums[i] = self.of_node(i)
            elif i in whole:
                self.sums[i] = self.collected(i)
        return self.sum_text(self.signed(root))

    def signed(self, lit: int) -> Sum:
        return _negated(self.sums[lit >> 1]) if lit & 1 else self.sums[lit >> 1]

    def of_node(self, i: int) -> Sum:
        op, args = self.graph.op[i], self.graph.args[i]
        if op in (ops.NUMBER, ops.TOLERANCE):
            return {_UNIT: args[0]} if args[0] != 0 else {}
        if op == ops.PI:
            return {(("pi", 1),): 1}
        if op == ops.SYMBOL:
            return {((args[0], 1),): 1}
        if op == ops.KERNEL:
            raise ProgramError("the result of a numerical kernel cannot be written as an expression")
        if op == ops.MUL:
            return self.product(self.factor(args[0] >> 1), self.factor(args[1] >> 1))
        if op == ops.DIV:
            return self.product(self.factor(args[0] >> 1), _inverse(self.factor(args[1] >> 1)))
        return self.function(op, args)

    def collected(self, root: int) -> Sum:
        """Return the sum of node `root` with like terms collected; nested sums are merged into it."""
        graph = self.graph
        total: Sum = {}
        times = {root: 1}
        heap = [-root]
        # from the last node to the first, so that a shared inner sum is visited once, with its multiplicity
        while heap:
            i = -heapq.heappop(heap)
            n = times.pop(i)
            if graph.op[i] not in _SUMS:
                for m, c in self.sums[i].items():
                    total[m] = number.total(total.get(m, 0), number.product(n, c))
                continue
            for lit in graph.terms(i << 1):
                k = lit >> 1
                if k not in times:
                    times[k] = 0
                    heapq.heappush(heap, -k)
                times[k] += -n if lit & 1 else n
        return {m: normal(c) for m, c in total.items() if c != 0}

    def factor(self, i: int) -> Sum:
        """Return node i as a single term, for use in a product.

        A sum of several terms becomes one atom, its text in parentheses, with a positive first term.
        """
        terms = self.sums[i]
        if len(terms) <= 1:
            return terms
        if i not in self.factors:
            sign = -1 if _starts_negative(terms) else 1
            inner = _negated(terms) if sign < 0 else terms
            text = f"({self.sum_text(inner)})"
            self.groups[text] = inner
            self.factors[i] = {((text, 1),): sign}
        return self.factors[i]

    def product(self, a: Sum, b: Sum) -> Sum:
        """Return the product of two single terms.

        A product that equals one parenthesised sum, or minus it, is returned as that sum without parentheses.
        """
        if not a or not b:
            return {}
        (m, c), *_ = a.items()
        (n, d), *_ = b.items()
        powers = dict(m)
        for atom, exponent in n:
            powers[atom] = powers.get(atom, 0) + exponent
        factors = tuple(sorted((x, e) for x, e in powers.items() if e))
        coefficient = normal(number.product(c, d))
        if coefficient in (1, -1) and len(factors) == 1 and factors[0][1] == 1:
            inner = self.groups.get(factors[0][0])
            if inner is not None:
                return inner if coefficient == 1 else _negated(inner)
        return {factors: coefficient} if coefficient != 0 else {}

    def function(self, op: int, args: Sequence[int]) -> Sum:
        inner = [self.signed(lit) for lit in args]
        info, sign = ops.TABLE[op], 1
        if op == ops.SELECT:
            inner[0] = _positive(inner[0])
            if _starts_negative(inner[1] or inner[2]):
                inner[1:], sign = [_negated(terms) for terms in inner[1:]], -1
        elif (info.odd or info.even) and _starts_negative(inner[0]):
            inner[0], sign = _negated(inner[0]), -1 if info.odd else 1
        texts = [self.sum_text(terms) for terms in inner]
        if op in _SYMMETRIC:
            texts.sort()
        return {((f"{info.name}({', '.join(texts)})", 1),): sign}

    def sum_text(self, terms: Sum) -> str:
        text = _sum_text(terms)
        self.work += len(text)
        if len(text) > MAX_LENGTH or self.work > MAX_WORK:
            raise ProgramError(
                f"the expression has more than {MAX_LENGTH} characters and cannot be written as text"
            )
        return text


def _negated(terms: Sum) -> Sum:
    return {m: number.negative(c) for m, c in terms.items()}


def _positive(terms: Sum) -> Sum:
    return _negated(terms) if _starts_negative(terms) else terms


def _starts_negative(terms: Sum) -> bool:
    return bool(terms) and terms[min(terms, key=_order)] < 0


def _inverse(term: Sum) -> Sum:
    if not term:
        raise ProgramError("division by zero")
    ((m, c),) = term.items()
    return {tuple((atom, -e) for atom, e in m): normal(number.quotient(1, c))}


def _order(m: Monomial) -> tuple[bool, Monomial]:
    constant = all(atom == "pi" or atom.startswith("sqrt(") for atom, _ in m)
    return constant, m


def _sum_text(terms: Sum) -> str:
    if not terms:
        return "0"
    parts: list[str] = []
    for m in sorted(terms, key=_order):
        c = terms[m]
        negative = c < 0
        if parts:
            parts.append("-" if negative else "+")
        text = _term_text(m, number.negative(c) if negative else c)
        parts.append(f"-{text}" if negative and not parts else text)
    return " ".join(parts)


def _term_text(m: Monomial, c: Number) -> str:
    above = [_power(a, e) for a, e in m if e > 0]
    below = [_power(a, -e) for a, e in m if e < 0]
    if isinstance(c, float):
        text, divisor = number.decimal_and_divisor(c)
        above.insert(0, text)
        if divisor != 1:
            below.insert(0, str(divisor))
    else:
        c = Fraction(c)
        if c.numerator != 1 or not above:
            above.insert(0, str(c.numerator))
        if c.denominator != 1:
            below.insert(0, str(c.denominator))
    text = "*".join(above)
    if not below:
        return text
    return f"{text}/{below[0]}" if len(below) == 1 else f"{text}/({'*'.join(below)})"


def _power(atom: str, exponent: int) -> str:
    return atom if exponent == 1 else f"{atom}^{exponent}"
