"""Transforms of the factors of a chain and their inverses, with polynomials, expressions or numbers as scalars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from symoro.expr.linalg import inverse_transform, position_of, rotation_of
from symoro.expr.scalar import Expr, Scalar
from symoro.models.geometric.inverse.chain.chain import AxisOffset, Fixed, Item, Run, Slide, Unknown

MatrixRow = list[Any]
Rows = list[list[Any]]


@dataclass(frozen=True)
class Algebra:
    """Conversion of expressions into another type of scalars (polynomials or numbers).

    Attributes:
        value: function that converts the symbol of an unknown.
        lift: function that converts a known expression or number.
    """

    value: Callable[[Expr], Any]
    lift: Callable[[Scalar], Any]


def forward(item: Item, algebra: Algebra) -> tuple[Rows, MatrixRow]:
    """Return the transform of a factor of the chain (constant, prismatic joint or run of parallel joints).

    Returns:
        Rotation and position, with scalars converted by `algebra`.
    """
    if isinstance(item, Fixed):
        return _lifted(item.matrix, algebra)
    if isinstance(item, Slide):
        return _straight(algebra, item.sign * algebra.value(item.unknown.length))
    position = [algebra.lift(0)] * 3
    for turn, move in zip(item.turns, item.moves, strict=False):
        turned = _turned(*_direction(turn, algebra), _vector(move, algebra))
        position = [p + x for p, x in zip(position, turned, strict=True)]
    return _about_z(algebra, *_direction(item.turns[-1], algebra)), position


def backward(item: Item, algebra: Algebra) -> tuple[Rows, MatrixRow]:
    """Return the inverse transform of a factor of the chain (constant, prismatic joint or run of parallel joints).

    Its entries contain no product of two symbols of the same angle, such as S1 C1.

    Returns:
        Rotation and position, with scalars converted by `algebra`.
    """
    if isinstance(item, Fixed):
        return _lifted(inverse_transform(item.matrix), algebra)
    if isinstance(item, Slide):
        return _straight(algebra, -item.sign * algebra.value(item.unknown.length))
    return _run_backward(item, algebra)


def _run_backward(run: Run, algebra: Algebra) -> tuple[Rows, MatrixRow]:
    """Return the inverse transform of a run of parallel joints as (rotation, position).

    rotation Rz(-phi_last),   position -sum_k Rz(phi_k - phi_last) t_k

    phi_k are the sums of the joint angles of the run and t_k the translations between its axes.
    """
    last = run.turns[-1]
    c, s = _direction(last, algebra)
    position = [algebra.lift(0)] * 3
    for turn, move in zip(run.turns, run.moves, strict=False):
        ck, sk = _direction(turn, algebra)
        # If a sum occurs twice in a run, C^2 + S^2 = 1 is applied here, because these polynomials have no powers.
        between = (algebra.lift(1), algebra.lift(0)) if turn == last else (ck * c + sk * s, sk * c - ck * s)
        turned = _turned(*between, _vector(move, algebra))
        position = [p - x for p, x in zip(position, turned, strict=True)]
    return _about_z(algebra, c, -s), position


def _direction(turn: Unknown, algebra: Algebra) -> tuple[Any, Any]:
    """Return the cosine and sine of an unknown sum of joint angles, converted by `algebra`."""
    if turn.constant:
        return algebra.lift(1), algebra.lift(0)
    return algebra.value(turn.cosine), algebra.value(turn.sine)


def _vector(move: AxisOffset, algebra: Algebra) -> MatrixRow:
    vector = [algebra.lift(x) for x in move.constant]
    for unknown, direction in move.slides:
        length = algebra.value(unknown.length)
        vector = [x + algebra.lift(d) * length for x, d in zip(vector, direction, strict=True)]
    return vector


def _lifted(matrix: Sequence[Sequence[Scalar]], algebra: Algebra) -> tuple[Rows, MatrixRow]:
    rotation = [[algebra.lift(x) for x in row] for row in rotation_of(matrix)]
    return rotation, [algebra.lift(x) for x in position_of(matrix)]


def _straight(algebra: Algebra, length: Any) -> tuple[Rows, MatrixRow]:
    zero, one = algebra.lift(0), algebra.lift(1)
    return [[one, zero, zero], [zero, one, zero], [zero, zero, one]], [zero, zero, length]


def _about_z(algebra: Algebra, c: Any, s: Any) -> Rows:
    zero, one = algebra.lift(0), algebra.lift(1)
    return [[c, -s, zero], [s, c, zero], [zero, zero, one]]


def _turned(c: Any, s: Any, v: MatrixRow) -> MatrixRow:
    return [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]]


def times(row: MatrixRow, placement: tuple[Rows, MatrixRow]) -> MatrixRow:
    """Return the product of a row vector (4) and a transform (rotation, position)."""
    rotation, position = placement
    first = [sum((row[k] * rotation[k][c] for k in range(1, 3)), row[0] * rotation[0][c]) for c in range(3)]
    return [*first, sum((row[k] * position[k] for k in range(3)), row[3])]


def applied(placement: tuple[Rows, MatrixRow], column: MatrixRow) -> MatrixRow:
    """Return the product of a transform (rotation, position) and a column vector (4)."""
    rotation, position = placement
    return [
        sum((rotation[r][k] * column[k] for k in range(3)), position[r] * column[3]) for r in range(3)
    ] + [column[3]]
