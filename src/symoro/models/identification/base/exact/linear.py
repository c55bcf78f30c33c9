"""Linear dependence of sparse vectors over an exact field, by Gauss-Jordan elimination."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from symoro.models.identification.base.exact.element import Element, ExactScalar, inverse

SparseVector = dict[Any, ExactScalar]


def add_to(a: SparseVector, b: Mapping[Any, ExactScalar], k: ExactScalar) -> None:
    """Add k b to the sparse vector a in place; zero entries are removed."""
    for key, c in b.items():
        value = a[key] + k * c if key in a else k * c
        if value:
            a[key] = value
        else:
            a.pop(key, None)


@dataclass
class Elimination:
    """Linearly independent vectors of a list, and the other vectors as combinations of them.

    Attributes:
        pivots: positions of the independent vectors in the list, in order.
        relations: by position of a dependent vector, its coefficients by position of the independent vectors.
    """

    pivots: list[int] = field(default_factory=list)
    relations: dict[int, dict[int, ExactScalar]] = field(default_factory=dict)


def independent(vectors: Sequence[Mapping[Hashable, ExactScalar]]) -> Elimination:
    """Determine which sparse vectors of a list are linearly independent of the previous ones.

    Returns:
        The positions of the independent vectors, and the coefficients of the others in terms of them.
    """
    elimination = Elimination()
    rows: dict[
        Hashable, tuple[SparseVector, SparseVector]
    ] = {}  # leading entry -> vector, and its combination of input vectors
    for n, given in enumerate(vectors):
        vector, made_of = dict(given), {n: Fraction(1)}
        for lead in [key for key in vector if key in rows]:
            c = vector[lead]
            add_to(vector, rows[lead][0], -c)
            add_to(made_of, rows[lead][1], -c)
        if not vector:
            elimination.relations[n] = {p: -c for p, c in made_of.items() if p != n}
            continue
        elimination.pivots.append(n)
        lead = min(vector, key=lambda key: _size(vector[key]))
        k = inverse(vector[lead])
        vector = {key: k * c for key, c in vector.items()}
        made_of = {p: k * c for p, c in made_of.items()}
        for other, combination in rows.values():
            c = other.get(lead)
            if c:
                add_to(other, vector, -c)
                add_to(combination, made_of, -c)
        rows[lead] = vector, made_of
    return elimination


def _size(c: ExactScalar) -> int:
    """Return the sort key of a pivot: 0 for rational numbers, which are preferred, otherwise the number of terms."""
    return c.size if isinstance(c, Element) else 0
