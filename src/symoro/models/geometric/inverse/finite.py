"""Which numbers may be called a solution: all of them finite, in every language.

A NaN is neither below nor above anything, and whether max(a, b) keeps it depends on the language and the order of a
and b. A sum of magnitudes keeps it wherever it stands, and an infinite term too:

    |x1| + |x2| + ... <= LARGEST    holds only where every term is finite

so that one comparison, false for NaN by IEEE 754, answers for all of them. LARGEST also keeps out what is finite but
would overflow on the way: the eighth power of a coordinate, as a quartic of squares has it, still is a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symoro.expr.linalg import Matrix
from symoro.expr.number import Tolerance
from symoro.expr.scalar import Expr, Scalar, absolute, less_equal, maximum, select
from symoro.program.builder import Builder

LARGEST = 1e30


def magnitude(builder: Builder, values: Iterable[Scalar]) -> Expr:
    """The sum of the magnitudes."""
    total: Scalar = 0
    for value in values:
        total = total + absolute(value)
    return builder.number(total)


def largest(values: Sequence[Expr]) -> Expr:
    """The largest of some numbers; where one is NaN, any of them."""
    maximum_value: Scalar = values[0]
    for value in values[1:]:
        maximum_value = maximum(maximum_value, value)
    return maximum_value  # type: ignore[return-value]


def relative(builder: Builder, lengths: Sequence[Scalar], size: Expr) -> Expr:
    """Return the sum of the magnitudes of some lengths, divided by the size of the robot: their part of a residual."""
    return builder.number(magnitude(builder, lengths) * (1 / size))


def in_units(placement: Matrix, size: Expr) -> Matrix:
    """Return the upper three rows of a placement, its position divided by the size of the robot."""
    inverse = 1 / size
    return [[*row[:3], row[3] * inverse] for row in placement[:3]]


def closes(builder: Builder, misses: Sequence[Expr], tolerance: float) -> Scalar:
    """1 where all of some distances, none negative, are finite and within the tolerance."""
    total: Scalar = 0
    for miss in misses:
        total = total + miss
    within = less_equal(largest(misses), Tolerance(tolerance))
    return select(builder.number(less_equal(total, LARGEST)), within, 0)


def where_finite(
    builder: Builder,
    given: Expr,
    rows: Iterable[Sequence[Scalar]],
    values: Iterable[Scalar],
    otherwise: int | None,
) -> list[Expr]:
    """One value per row, and `otherwise` if an entry of the row or the magnitude of what is given is not finite.

    None as `otherwise` is NaN. So status and residual follow one rule in every language: such a row has no solution,
    and its residual is NaN.
    """
    guarded_values = []
    for row, value in zip(rows, values, strict=True):
        finite = less_equal(given + magnitude(builder, row), LARGEST)
        none: Scalar = builder.not_a_number(finite) if otherwise is None else otherwise
        guarded_values.append(builder.number(select(finite, value, none)))
    return guarded_values
