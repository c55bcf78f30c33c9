"""Small linear algebra with scalars; vectors are lists, matrices are lists of rows.

The entries are numbers or expressions. The functions are used for 3-vectors, 3x3, 4x4 and 6x6 matrices and need no
declared shapes. Products with zeros and ones are simplified, so that a sparse matrix costs only its nonzero entries.
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.expr.scalar import Scalar

Vector = list[Scalar]
Matrix = list[list[Scalar]]
VectorLike = Sequence[Scalar]
MatrixLike = Sequence[Sequence[Scalar]]


def zeros(rows: int, columns: int) -> Matrix:
    return [[0] * columns for _ in range(rows)]


def identity(n: int) -> Matrix:
    return [[1 if i == j else 0 for j in range(n)] for i in range(n)]


def add(a: VectorLike, b: VectorLike) -> Vector:
    return [x + y for x, y in zip(a, b, strict=True)]


def subtract(a: VectorLike, b: VectorLike) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]


def negate(a: VectorLike) -> Vector:
    return [-x for x in a]


def scale(s: Scalar, a: VectorLike) -> Vector:
    return [s * x for x in a]


def dot(a: VectorLike, b: VectorLike) -> Scalar:
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def cross(a: VectorLike, b: VectorLike) -> Vector:
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def skew(a: VectorLike) -> Matrix:
    """Return the 3x3 skew-symmetric matrix S of the cross product: S b = a x b."""
    return [[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]]


def transpose(m: MatrixLike) -> Matrix:
    return [list(column) for column in zip(*m, strict=True)]


def matvec(m: MatrixLike, v: VectorLike) -> Vector:
    return [dot(row, v) for row in m]


def matmul(a: MatrixLike, b: MatrixLike) -> Matrix:
    columns = transpose(b)
    return [[dot(row, column) for column in columns] for row in a]


def matadd(a: MatrixLike, b: MatrixLike) -> Matrix:
    return [add(x, y) for x, y in zip(a, b, strict=True)]


def matscale(s: Scalar, a: MatrixLike) -> Matrix:
    return [scale(s, row) for row in a]


def homogeneous(rotation: MatrixLike, position: VectorLike) -> Matrix:
    """Return the 4x4 homogeneous transform [[R, P], [0, 1]] of a 3x3 rotation R and a position P."""
    rows = [[*row, p] for row, p in zip(rotation, position, strict=True)]
    return [*rows, [0, 0, 0, 1]]


def rotation_of(t: MatrixLike) -> Matrix:
    return [list(row[:3]) for row in t[:3]]


def position_of(t: MatrixLike) -> Vector:
    return [row[3] for row in t[:3]]


def inverse_transform(t: MatrixLike) -> Matrix:
    """Return the inverse of a 4x4 homogeneous transform."""
    r = transpose(rotation_of(t))
    return homogeneous(r, negate(matvec(r, position_of(t))))


def block(rows: Sequence[Sequence[MatrixLike]]) -> Matrix:
    """Return the matrix composed of rows of blocks, such as the 6x6 matrices of spatial algebra."""
    result: Matrix = []
    for blocks in rows:
        for lines in zip(*blocks, strict=True):
            result.append([x for line in lines for x in line])
    return result
