"""Tests that numbers are finite, with the same result in every target language.

Comparisons with NaN are false, and whether max(a, b) returns a NaN depends on the language and on the order of a and b.
A sum of magnitudes, however, is NaN or infinite if any of its terms is:

    |x1| + |x2| + ... <= LARGEST    is true only if every term is finite

Therefore one comparison, which is false for NaN by IEEE 754, covers all terms. LARGEST also excludes finite numbers
that would overflow in intermediate results, such as the eighth power of a coordinate in a quartic of squares.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symoro.expr.linalg import Matrix
from symoro.expr.number import Tolerance
from symoro.expr.scalar import Expr, Scalar, absolute, less_equal, maximum, select
from symoro.program.builder import Builder

LARGEST = 1e30


def magnitude(builder: Builder, values: Iterable[Scalar]) -> Expr:
    """Return the sum of the absolute values of scalars."""
    total: Scalar = 0
    for value in values:
        total = total + absolute(value)
    return builder.number(total)


def largest(values: Sequence[Expr]) -> Expr:
    """Return the largest of several numbers; the result is undefined if one of them is NaN."""
    maximum_value: Scalar = values[0]
    for value in values[1:]:
        maximum_value = maximum(maximum_value, value)
    return maximum_value  # type: ignore[return-value]


def relative(builder: Builder, lengths: Sequence[Scalar], size: Expr) -> Expr:
    """Return the sum of the absolute values of lengths, divided by the robot's size."""
    return builder.number(magnitude(builder, lengths) * (1 / size))


def in_units(placement: Matrix, size: Expr) -> Matrix:
    """Return the upper three rows of a transform, with the position divided by the robot's size.

    Args:
        placement: the transform (4x4).
        size: size of the robot in m.
    """
    inverse = 1 / size
    return [[*row[:3], row[3] * inverse] for row in placement[:3]]


def closes(builder: Builder, misses: Sequence[Expr], tolerance: float) -> Scalar:
    """Return 1 if all residuals are finite and at most equal to the tolerance, else 0.

    Args:
        misses: nonnegative residuals.
    """
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
    """Return one value per solution, replaced by `otherwise` if the inputs or the solution's outputs are not finite.

    A solution without finite numbers then has the same status and values in every target language.

    Args:
        given: sum of the magnitudes of the model's inputs.
        rows: outputs of each solution, which must be finite.
        values: one value per solution, which is returned if the inputs and the solution's outputs are finite.
        otherwise: replacement value; None means NaN.
    """
    guarded_values = []
    for row, value in zip(rows, values, strict=True):
        finite = less_equal(given + magnitude(builder, row), LARGEST)
        none: Scalar = builder.not_a_number(finite) if otherwise is None else otherwise
        guarded_values.append(builder.number(select(finite, value, none)))
    return guarded_values
