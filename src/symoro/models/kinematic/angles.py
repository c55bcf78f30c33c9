"""Rewrite a matrix in fewer angles: sums of joint angles that always occur together become one angle.

In a planar mechanism, only the orientations of the bars occur, such as q1 + q2 + q3 - q5 - q6, and no single joint
angle. Expanded in the joint angles, the sine of such a sum has sixteen terms; as a separate angle it has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.expr.scalar import Expr, Scalar, symbol
from symoro.expr.substitute import substitute
from symoro.program.builder import Builder

AngleForm = dict[int, int]  # integer multiple per symbol (node)


@dataclass(frozen=True)
class Condensed:
    """Matrix written in new angle symbols, each of which denotes a sum of joint angles.

    Attributes:
        matrix: entries of the matrix in terms of the new angles.
        meaning: sum of joint angles (node reference in the expression graph) by node of the new angle symbol.
    """

    matrix: list[list[Expr]]
    meaning: Mapping[int, int]

    def written(self, value: Expr) -> Expr:
        """Return an expression in which the new angles are replaced by the sums of joint angles that they denote."""
        (lit,) = substitute(value.graph, [value.lit], self.meaning)
        return Expr(value.graph, lit)


def condensed(builder: Builder, matrix: Sequence[Sequence[Scalar]], *, between: bool = False) -> Condensed:
    """Return the matrix rewritten in as few angles as possible.

    Args:
        matrix: entries that contain sines and cosines of sums of joint angles.
        between: whether a difference of two of these sums may be used as an angle if it is shorter; for example, q2 is
            the difference of q1 + q2 and q1.
    """
    graph = builder.graph
    entries = [[builder.number(x) for x in row] for row in matrix]
    lits = [x.lit for row in entries for x in row]
    waves = [i for i in graph.reachable(lits) if graph.op[i] in (ops.SIN, ops.COS)]
    forms = {i: _form(graph, graph.args[i][0]) for i in waves}
    occurring = [form for form, _ in forms.values() if form]
    basis = _between(occurring) if between else _independent(occurring)
    angles = [symbol(graph, f"angle{k}") for k in range(1, len(basis) + 1)]
    replaced: dict[int, int] = {}
    for i, (form, rest) in forms.items():
        shares = _shares(form, basis) if form else None
        if shares is None or any(abs(n) > 1 for n in shares):
            continue
        total = Expr(graph, rest)
        for n, angle in zip(shares, angles, strict=True):
            total = total + n * angle
        replaced[i] = (graph.sin if graph.op[i] == ops.SIN else graph.cos)(total.lit)
    made = substitute(graph, lits, replaced)
    width = len(entries[0])
    rows = [[Expr(graph, lit) for lit in made[width * r : width * (r + 1)]] for r in range(len(entries))]
    meaning = {angle.lit >> 1: _sum(graph, form).lit for angle, form in zip(angles, basis, strict=True)}
    return Condensed(rows, meaning)


def _form(graph: Graph, lit: int) -> tuple[AngleForm, int]:
    """Decompose an angle into integer multiples of symbols and a constant remainder.

    Args:
        lit: reference of the angle in the expression graph.

    Returns:
        Integer multiple per symbol, and the reference of the remainder. If the angle is not a sum of multiples of
        symbols, there are no multiples.
    """
    form: AngleForm = {}
    rest = 0
    stack = [(lit, 1)]
    while stack:
        x, sign = stack.pop()
        i, sign = x >> 1, -sign if x & 1 else sign
        if graph.op[i] in (ops.ADD, ops.SUB):
            a, b = graph.args[i]
            stack += [(a, sign), (b, -sign if graph.op[i] == ops.SUB else sign)]
        elif graph.op[i] == ops.SYMBOL:
            form[i] = form.get(i, 0) + sign
        elif graph.cls[i] == ops.VARIABLE:
            return {}, lit
        else:
            rest = graph.add(rest, 2 * i if sign > 0 else 2 * i + 1)
    form = {i: n for i, n in form.items() if n}
    moves = any(graph.cls[i] == ops.VARIABLE for i in form)
    return (form, rest) if moves else ({}, lit)


def _between(forms: Sequence[AngleForm]) -> list[AngleForm]:
    """Return a basis of short angle sums in which each given sum has coefficients -1, 0 or 1.

    The basis consists of given sums and of sums or differences of two of them. If there is no such basis, it consists
    of linearly independent given sums.
    """
    tried = [*forms, *(_added(a, b, n) for a, b in combinations(forms, 2) for n in (-1, 1))]
    basis: list[AngleForm] = []
    for form in sorted(tried, key=len):
        if form and len(basis) < len(forms) and _shares(form, basis) is None:
            basis.append(form)
    needed = [_shares(form, basis) for form in forms]
    if all(shares is not None and max(map(abs, shares)) <= 1 for shares in needed):
        return [one for k, one in enumerate(basis) if any(shares and shares[k] for shares in needed)]
    return _independent(forms)


def _independent(forms: Sequence[AngleForm]) -> list[AngleForm]:
    """Return a linearly independent subset of the given angle sums; long sums are selected first."""
    independent: list[AngleForm] = []
    for form in sorted(forms, key=len, reverse=True):
        if _shares(form, independent) is None:
            independent.append(form)
    return independent


def _added(a: AngleForm, b: AngleForm, n: int) -> AngleForm:
    total = {i: a.get(i, 0) + n * b.get(i, 0) for i in (*a, *b)}
    return {i: times for i, times in total.items() if times}


def _shares(form: AngleForm, basis: Sequence[AngleForm]) -> list[int] | None:
    """Return the integer coefficients of an angle sum in a basis of angle sums; None if there are no such integers."""
    names = sorted({i for one in (form, *basis) for i in one})
    rows = [[Fraction(one.get(i, 0)) for one in (*basis, form)] for i in names]
    pivot = 0
    for c in range(len(basis)):
        at = next((r for r in range(pivot, len(rows)) if rows[r][c]), None)
        if at is None:
            return None
        rows[pivot], rows[at] = rows[at], list(rows[pivot])
        leading = rows[pivot][c]
        rows[pivot] = [x / leading for x in rows[pivot]]
        for r in range(len(rows)):
            if r != pivot and rows[r][c]:
                factor = rows[r][c]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[pivot], strict=True)]
        pivot += 1
    if any(row[-1] for row in rows[pivot:]):
        return None
    shares = [rows[k][-1] for k in range(len(basis))]
    return [int(x) for x in shares] if all(x.denominator == 1 for x in shares) else None


def _sum(graph: Graph, form: AngleForm) -> Expr:
    total = Expr(graph, 0)
    for i, n in sorted(form.items()):
        total = total + n * Expr(graph, i << 1)
    return total
