"""Common zeros of several products, as a list of cases.

A matrix that is not square loses rank where all its largest minors are zero. Each minor is a product of factors, so
that one factor of each minor must vanish. The cases are enumerated recursively. A factor f of one minor is set to zero,
the other minors are simplified accordingly, and so on until all minors vanish. When the next factor of the same minor
is tried, f may be assumed nonzero, because the case f = 0 has been treated. If sin(q) is set to zero, sin(q) is removed
from the other minors and cos(q) cannot vanish, and vice versa.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from symoro.expr import ops
from symoro.expr.canonical import canonical
from symoro.expr.scalar import Expr
from symoro.expr.substitute import substitute
from symoro.models.kinematic.factoring import factored

MAX_CHOICES = 300
MAX_CASES = 20  # with more cases, the list of minors is as readable

_ZERO = 0  # literal of the number zero
_SIMPLE = (ops.SIN, ops.COS, ops.SYMBOL)

Product = dict[str, Expr]  # factors by text; an empty product cannot vanish
Case = tuple[Expr, ...]


class TooManyCases(Exception):
    """Exception: the common zeros of several products have too many combinations of factors."""


def common_zeros(products: Sequence[Sequence[Expr]]) -> list[Case]:
    """Return the cases in which all products vanish; in each case, all listed factors are zero.

    Args:
        products: factors of each product.

    Raises:
        TooManyCases: there are more cases than a reader can use; the products themselves are more informative.
        ProgramError: a factor is too long for text.
    """
    minimal: list[Product] = []
    left = [MAX_CHOICES]
    for case in _cases([{text_of(f): f for f in factors} for factors in products], left):
        if not any(other.keys() <= case.keys() for other in minimal):
            minimal = [other for other in minimal if not case.keys() <= other.keys()]
            minimal.append(case)
    if len(minimal) > MAX_CASES:
        raise TooManyCases
    return [tuple(case.values()) for case in minimal]


def text_of(value: Expr) -> str:
    """Return the text of an expression or of its negative, whichever has no leading minus sign.

    Both have the same zeros.

    Raises:
        ProgramError: the expression is too long for text.
    """
    text = canonical(value)
    return canonical(-value) if text.startswith("-") else text


def _cases(products: list[Product], left: list[int]) -> Iterator[Product]:
    if not products:
        yield {}
        return
    chosen = min(products, key=_order)
    rest = [p for p in products if p is not chosen]
    not_zero: set[str] = set()
    for text, factor in sorted(chosen.items(), key=lambda item: -_shared(item[0], rest)):
        left[0] -= 1
        if left[0] < 0:
            raise TooManyCases
        remaining = _remaining(rest, text, factor, not_zero)
        if remaining is not None:
            for case in _cases(remaining, left):
                yield {text: factor, **case}
        not_zero.add(text)


def _order(product: Product) -> tuple[bool, int]:
    """Return the sort key that determines the order in which products are treated, smallest first.

    Products that contain a sine, a cosine or a coordinate come first, because its zero simplifies other products. Among
    them, products with few factors come first.
    """
    return not any(f.graph.op[f.lit >> 1] in _SIMPLE for f in product.values()), len(product)


def _shared(text: str, products: Sequence[Product]) -> int:
    """Return the number of products that contain the factor with the given text."""
    return sum(text in p for p in products)


def _remaining(
    products: Sequence[Product], text: str, zero: Expr, not_zero: set[str]
) -> list[Product] | None:
    """Return the products that must still vanish after one factor is set to zero.

    Args:
        products: the products, each with its factors by text.
        text: text of the factor that is set to zero.
        zero: that factor.
        not_zero: texts of factors that are assumed nonzero.

    Returns:
        The products that are not zero yet; None if one of them cannot vanish.
    """
    simplified = _simplifier(zero)
    remaining: list[Product] = []
    for product in products:
        if text in product:
            continue
        parts = [part for factor in product.values() for part in simplified(factor)]
        if any(part.is_zero for part in parts):
            continue
        if any(text_of(part) == text for part in parts):
            continue
        kept = {text_of(part): part for part in parts}
        kept = {name: part for name, part in kept.items() if name not in not_zero}
        if not kept:
            return None
        remaining.append(kept)
    return remaining


def _simplifier(zero: Expr) -> Callable[[Expr], list[Expr]]:
    """Return a function that factors an expression under the condition that `zero` vanishes.

    If `zero` is not a sine, a cosine or a coordinate, the function returns its argument unchanged.
    """
    graph, node = zero.graph, zero.lit >> 1
    op = graph.op[node]
    if op not in _SIMPLE:
        return lambda value: [value]
    other = None
    if op != ops.SYMBOL:
        angle = graph.args[node][0]
        other = (graph.cos(angle) if op == ops.SIN else graph.sin(angle)) >> 1

    def simplified(value: Expr) -> list[Expr]:
        (lit,) = substitute(graph, [value.lit], {node: _ZERO})
        if lit == value.lit:
            return [] if _never_zero(value, other) else [value]
        if lit == _ZERO:
            return [Expr(graph, _ZERO)]
        parts = [part for part, _ in factored(Expr(graph, lit)).factors]
        moving = [
            part for part in parts if part.is_zero or part.cls == ops.VARIABLE
        ]  # without factors that contain only lengths
        return [x for part in moving for x in simplified(part)]

    return simplified


def _never_zero(value: Expr, unit: int | None) -> bool:
    """Return whether an expression is nonzero if a sine or cosine in it is 1 and if it is -1.

    Args:
        value: the expression.
        unit: node of the sine or cosine; if it is None, the result is False.
    """
    if unit is None:
        return False
    graph = value.graph
    both = [Expr(graph, substitute(graph, [value.lit], {unit: graph.number(x)})[0]) for x in (1, -1)]
    return all(x.number is not None and not x.is_zero for x in both)
