"""Three joint angles from a given orientation: those of a spherical joint, or of an arm with three prismatic joints.

    M = J1 K1 J2 K2 J3            J = Rz(q); K1, K2 constant rotations, not necessarily by right angles; M known

Let c be the third column of K1, b the third column of K2, k the third row of K2, and m the third column of M:

    (J1 c)' m = bz                                              type 2 for q1
    J2 b = K1' J1' m              in x and y                    type 3 for q2, with the determinant bx^2 + by^2
    k J3 = (J1 c)' M              in x and y                    type 3 for q3, with the determinant kx^2 + ky^2

If axes 1 and 3 are aligned, then mx = my = 0 and q1 is free. Near this configuration q1 is not well determined, but the
other angles compensate for its error, because their determinants are constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symoro.expr.linalg import Matrix, dot, matvec, transpose
from symoro.expr.scalar import Scalar
from symoro.models.geometric.inverse.chain.chain import Unknown
from symoro.models.geometric.inverse.chain.problem import Problem, shorthand
from symoro.models.geometric.inverse.paul import equation_types
from symoro.models.geometric.inverse.step import Draft, Step


def orientation_steps(
    problem: Problem, angles: Sequence[Unknown], between: Sequence[Matrix], turned: Matrix, name: str = "M"
) -> list[Step] | None:
    """Return solution steps for three angles q1, q2, q3 from the orientation M = J1 K1 J2 K2 J3, with Ji = Rz(qi).

    Args:
        angles: unknowns q1, q2, q3.
        between: constant rotations K1 and K2 between the axes.
        turned: known rotation M.
        name: prefix of the names of M's entries.

    Returns:
        Steps for q1, q2 and q3; None if two consecutive axes are parallel.
    """
    first, second = between
    c, b = ([row[2] for row in matrix] for matrix in (first, second))
    k = second[2]
    if any(problem.probes.vanishes(v[0] * v[0] + v[1] * v[1]) for v in (c, b)):
        return None
    named = [
        [shorthand(problem, f"{name}{r}{s}", x) for s, x in enumerate(row, 1)]
        for r, row in enumerate(turned, 1)
    ]
    lines = tuple(line for row in named for _, defining in row for line in defining)
    known: Matrix = [[x for x, _ in row] for row in named]
    q1, q2, q3 = angles
    step = _first(problem, q1, c, [row[2] for row in known], b[2])
    seen = _turned_back(q1, [row[2] for row in known])
    right = matvec(transpose(first), seen)[:2]
    axis = _turned(q1, c)
    row = [dot(axis, column) for column in transpose(known)[:2]]
    return [
        replace(step, lines=lines + step.lines),
        _twice(problem, q2, [[b[0], -b[1]], [b[1], b[0]]], right),
        _twice(problem, q3, [[k[0], k[1]], [k[1], -k[0]]], row),
    ]


def _first(problem: Problem, q: Unknown, c: Sequence[Scalar], m: Sequence[Scalar], height: Scalar) -> Step:
    """Solve the equation S (cx my - cy mx) + C (cx mx + cy my) = bz - cz mz for the first angle q.

    S and C are the sine and cosine of q. The equation follows from the orientation M = J1 K1 J2 K2 J3, where J1, J2, J3
    are the rotations of the joints and K1, K2 constant rotations.

    Args:
        c: third column of K1.
        m: third column of M.
        height: bz, the last entry of K2.
    """
    number = problem.builder.number
    x, y = number(c[0] * m[1] - c[1] * m[0]), number(c[0] * m[0] + c[1] * m[1])
    z = number(height - c[2] * m[2])
    z = number(0) if problem.probes.vanishes(z) else z
    draft = Draft(problem.builder, 2, problem.start, frozenset(), problem.chain.size)
    equation_types.solve_turn(draft, q, x, y, z, 0)
    return draft.step((x * q.sine + y * q.cosine, z))


def _twice(
    problem: Problem, q: Unknown, matrix: equation_types.Matrix2, right: equation_types.Vector2
) -> Step:
    number = problem.builder.number
    draft = Draft(problem.builder, 3, problem.start, frozenset(), problem.chain.size)
    right = [draft.let(f"e{q.label}_{n}", x) for n, x in enumerate(right, 1)]
    equation_types.solve_turn_twice(draft, q, matrix, right, 0)
    left = matvec(matrix, [q.cosine, q.sine])
    return draft.step(*((number(x), number(y)) for x, y in zip(left, right, strict=True)))


def _turned(q: Unknown, v: Sequence[Scalar]) -> list[Scalar]:
    """Return the vector Rz(q) v."""
    s, c = q.sine, q.cosine
    return [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]]


def _turned_back(q: Unknown, v: Sequence[Scalar]) -> list[Scalar]:
    """Return the vector Rz(-q) v."""
    s, c = q.sine, q.cosine
    return [c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]]
