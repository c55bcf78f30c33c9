"""Linear algebra of small matrices in plain Python, with the names and arguments of `numpy.linalg`.

| function | method |
|---|---|
| solve, inv, det | elimination with partial pivoting |
| svd, pinv, lstsq, cond, eigh | one-sided and two-sided Jacobi rotations |
| qr | Householder reflections, signs as in LAPACK |
| eigvals, eig | Hessenberg form and shifted QR steps in complex arithmetic; eigenvectors by inverse iteration |

Matrices are the last two axes. G. H. Golub and C. F. Van Loan, Matrix Computations, 4th edition, chapters 3, 5, 7, 8.
"""

from __future__ import annotations

import cmath
import math
import operator
from typing import Any, NamedTuple

from symoro.ui.arrays.elements import (
    COMPLEX,
    FLOAT,
    asarray,
    broadcast_shapes,
    count_of,
    missing,
    ndarray,
    scalar,
)
from symoro.ui.arrays.functions import absolute, eye, sum_, swapaxes, where

EPSILON = 2.220446049250313e-16  # distance from 1.0 to the next larger double
SWEEPS = 60  # upper limit on Jacobi sweeps; convergence needs about ten
QR_STEPS = 60  # upper limit on QR steps per eigenvalue; convergence needs about three
PATIENCE = (
    20  # QR steps after which entries are compared with the size of the matrix instead of their neighbours
)

Rows = list[list[Any]]


class LinAlgError(ValueError):
    """A matrix is singular, or an iteration does not converge."""


def _matrices(value: Any, square: bool = False) -> tuple[tuple[int, ...], list[Rows], Any]:
    """Return the leading axes, the matrices as lists of rows, and the element type (float or complex).

    Raises:
        LinAlgError: the array has fewer than two axes, or its matrices are not square although they must be.
    """
    given = asarray(value)
    if given.ndim < 2:
        raise LinAlgError(f"{given.ndim}-dimensional array given; an array must have at least two axes")
    if square and given.shape[-1] != given.shape[-2]:
        raise LinAlgError(f"a square matrix is required, not {given.shape[-2]} x {given.shape[-1]}")
    dtype = COMPLEX if given.dtype.kind == "c" else FLOAT
    given = given.astype(dtype, copy=False)
    (m, n), flat = given.shape[-2:], given.flat
    count = count_of(given.shape[:-2])
    made = [[flat[(s * m + r) * n : (s * m + r + 1) * n] for r in range(m)] for s in range(count)]
    return given.shape[:-2], made, dtype


def _joined(lead: tuple[int, ...], matrices: list[Rows], shape: tuple[int, int], dtype: Any) -> ndarray:
    return ndarray([x for matrix in matrices for row in matrix for x in row], (*lead, *shape), dtype)


def _finite(rows: Rows) -> bool:
    return all(cmath.isfinite(x) for row in rows for x in row)


def _eliminated(a: Rows, b: Rows) -> tuple[Rows, Any]:
    """Return the solution of a x = b and the determinant of a, nan for matrices with inf or nan.

    Both arguments are overwritten.

    Raises:
        LinAlgError: a pivot is zero.
    """
    n, determinant = len(a), 1.0
    if not _finite(a):
        return [[math.nan] * len(row) for row in b], math.nan
    for k in range(n):
        p = max(range(k, n), key=lambda r: abs(a[r][k]))
        pivot = a[p][k]
        if pivot == 0:
            raise LinAlgError("singular matrix")
        if p != k:
            a[k], a[p], b[k], b[p] = a[p], a[k], b[p], b[k]
            determinant = -determinant
        determinant = determinant * pivot
        top, right = a[k], b[k]
        for r in range(k + 1, n):
            row = a[r]
            if row[k] != 0:
                f = row[k] / pivot
                a[r] = [x - f * y for x, y in zip(row, top, strict=True)]
                b[r] = [x - f * y for x, y in zip(b[r], right, strict=True)]
    for k in range(n - 1, -1, -1):
        row, x = a[k], b[k]
        for c in range(k + 1, n):
            f = row[c]
            if f != 0:
                x = [u - f * v for u, v in zip(x, b[c], strict=True)]
        b[k] = [u / row[k] for u in x]
    return b, determinant


def solve(a: Any, b: Any) -> ndarray:
    """Return the solutions of linear systems.

    Raises:
        LinAlgError: a matrix is singular or not square.
        ValueError: the right sides have another number of rows.
    """
    left, right = asarray(a), asarray(b)
    vector = right.ndim == 1
    if vector:
        right = right[:, None]
    if right.shape[-2] != left.shape[-1]:
        raise ValueError(f"solve: shapes {left.shape} and {asarray(b).shape} do not fit")
    lead = broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left = left.spread((*lead, *left.shape[-2:]))
    right = right.spread((*lead, *right.shape[-2:]))
    if "c" in (left.dtype.kind, right.dtype.kind):
        left, right = left.astype(complex), right.astype(complex)
    _, matrices, dtype = _matrices(left, square=True)
    _, sides, _ = _matrices(right)
    solutions = [_eliminated(m, s)[0] for m, s in zip(matrices, sides, strict=True)]
    made = _joined(lead, solutions, (right.shape[-2], right.shape[-1]), dtype)
    return made[..., 0] if vector else made


def inv(a: Any) -> ndarray:
    """Return inverse matrices."""
    return solve(a, eye(asarray(a).shape[-1]))


def det(a: Any) -> Any:
    """Return determinants."""
    lead, matrices, dtype = _matrices(a, square=True)
    numbers = []
    for matrix in matrices:
        try:
            numbers.append(dtype.convert(_eliminated(matrix, [[] for _ in matrix])[1]))
        except LinAlgError:
            numbers.append(dtype.zero)
    return ndarray(numbers, lead, dtype) if lead else scalar(numbers[0], dtype)


def norm(value: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return Euclidean norms of vectors, or of all elements; with ord=2 spectral norms of matrices."""
    given = asarray(value)
    if ord == 2 and axis is None and given.ndim == 2:
        return scalar(max(svd(given, compute_uv=False).flat, default=0.0), FLOAT)
    if ord not in (None, 2, "fro") or (ord == 2 and isinstance(axis, tuple)):
        raise missing(f"linalg.norm with ord={ord} and axis={axis}")
    sizes = absolute(given) * 1.0
    squares = sizes * sizes
    return sum_(squares, axis, keepdims) ** 0.5


class SVD(NamedTuple):
    """Singular value decomposition a = U diag(S) Vh."""

    U: ndarray
    S: ndarray
    Vh: ndarray


def _dot(x: list[Any], y: list[Any]) -> Any:
    return sum(map(operator.mul, [u.conjugate() for u in x] if x and isinstance(x[0], complex) else x, y))


def _length(x: list[Any]) -> float:
    return math.hypot(*map(abs, x)) if x and isinstance(x[0], complex) else math.hypot(*x)


def _jacobi(columns: Rows, vectors: Rows | None) -> None:
    """Rotate pairs of columns until all are orthogonal; the same rotations are applied to `vectors`."""
    count = len(columns)
    tables = (columns,) if vectors is None else (columns, vectors)
    # Columns below this length are round-off of the others; they cannot become more orthogonal.
    negligible = EPSILON * (EPSILON * max((_length(c) for c in columns), default=0.0)) ** 2
    for _ in range(SWEEPS):
        turned = False
        squares = [_dot(c, c).real for c in columns]  # updated by the rotations of this sweep
        for q in range(count):
            for p in range(q):
                ab = _dot(columns[p], columns[q])
                size = abs(ab)
                if size <= negligible or size <= EPSILON * math.sqrt(abs(squares[p] * squares[q])):
                    continue
                turned = True
                phase = ab / size
                half = (squares[q] - squares[p]) / (2 * size)
                t = math.copysign(1 / (abs(half) + math.hypot(half, 1)), half)
                c = 1 / math.hypot(t, 1)
                s, back = c * t * phase.conjugate(), c * t * phase
                squares[p] -= t * size
                squares[q] += t * size
                for rows in tables:
                    a, b = rows[p], rows[q]
                    rows[p] = [c * x - s * y for x, y in zip(a, b)]  # noqa: B905
                    rows[q] = [back * x + c * y for x, y in zip(a, b)]  # noqa: B905
        if not turned:
            return


def _completed(vectors: Rows, n: int, one: Any) -> Rows:
    """Return orthonormal vectors of length n, the given ones first; vectors of length zero are replaced."""
    if len(vectors) == n and all(vectors):
        return vectors
    basis: Rows = [v for v in vectors if v]
    made: Rows = []
    axis = 0
    for k in range(n):
        if k < len(vectors) and vectors[k]:
            made.append(vectors[k])
            continue
        best: list[Any] = []
        while not best:
            candidate = [one * (r == axis) for r in range(n)]
            axis += 1
            for _ in range(2):  # one pass of Gram-Schmidt loses orthogonality in floating point
                for v in basis:
                    f = _dot(v, candidate)
                    candidate = [x - f * y for x, y in zip(candidate, v, strict=True)]
            length = _length(candidate)
            if length > 0.5 / math.sqrt(n):  # at least one axis has this distance from the space of the basis
                best = [x / length for x in candidate]
        basis.append(best)
        made.append(best)
    return made


def _svd(matrix: Rows, vectors: bool) -> tuple[Rows, list[float], Rows]:
    """Return left singular vectors (as rows), singular values in decreasing order, and right vectors (as rows)."""
    m, n = len(matrix), len(matrix[0]) if matrix else 0
    if m < n:
        turned = [[x.conjugate() for x in column] for column in zip(*matrix, strict=True)]
        right, values, left = _svd(turned, vectors)
        return left, values, right
    columns = [list(c) for c in zip(*matrix, strict=True)]
    if not _finite(matrix):
        raise LinAlgError("SVD did not converge: the matrix contains inf or nan")
    scale = max((abs(x) for c in columns for x in c), default=0.0)
    one = 1 + 0j if matrix and n and isinstance(matrix[0][0], complex) else 1.0
    if scale:
        columns = [[x / scale for x in c] for c in columns]
    own = [[one * (r == c) for r in range(n)] for c in range(n)] if vectors else None
    _jacobi(columns, own)
    lengths = [_length(c) for c in columns]
    order = sorted(range(n), key=lambda k: -lengths[k])
    values = [lengths[k] * scale for k in order]
    if own is None:
        return [], values, []
    least = EPSILON * max(lengths, default=0.0)
    left = [[x / lengths[k] for x in columns[k]] if lengths[k] > least else [] for k in order]
    return _completed(left, m, one), values, [own[k] for k in order]


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return the singular value decomposition, or the singular values alone."""
    lead, matrices, dtype = _matrices(a)
    m, n = asarray(a).shape[-2:]
    parts = [_svd(matrix, compute_uv) for matrix in matrices]
    rank = min(m, n)
    values = ndarray([x for _, s, _ in parts for x in s], (*lead, rank), FLOAT)
    if not compute_uv:
        return values
    rows, columns = (m, n) if full_matrices else (rank, rank)
    left = _joined(lead, [u[:rows] for u, _, _ in parts], (rows, m), dtype)
    right = [[[x.conjugate() for x in v] for v in _completed(list(w), n, 1.0)[:columns]] for _, _, w in parts]
    return SVD(swapaxes(left, -1, -2), values, _joined(lead, right, (columns, n), dtype))


def pinv(a: Any, rcond: float | None = None) -> ndarray:
    """Return pseudoinverse matrices; singular values below rcond times the largest one are zero."""
    given = asarray(a)
    least = max(given.shape[-2:]) * EPSILON if rcond is None else rcond
    if not given.size:
        return swapaxes(given, -1, -2).copy()
    u, s, v = svd(given, full_matrices=False)
    large = s > least * s[..., :1]
    inverse = where(large, 1 / where(large, s, 1.0), 0.0)
    made: ndarray = swapaxes(v, -1, -2) @ (inverse[..., None] * swapaxes(u, -1, -2))
    if given.dtype.kind == "c":
        made = _conjugate(swapaxes(v, -1, -2)) @ (inverse[..., None] * _conjugate(swapaxes(u, -1, -2)))
    return made


def _conjugate(a: ndarray) -> ndarray:
    return ndarray([x.conjugate() for x in a.flat], a.shape, a.dtype)


def lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[ndarray, ndarray, int, ndarray]:
    """Return the least-squares solution of minimum norm, residuals, rank and singular values."""
    left, right = asarray(a), asarray(b)
    least = max(left.shape) * EPSILON if rcond is None else rcond
    values = svd(left, compute_uv=False)
    x = pinv(left, rcond=least) @ right
    rank = sum(s > least * values.flat[0] for s in values.flat) if values.size else 0
    gap = (left @ x - right).reshape(left.shape[0], -1)
    residuals = (gap * gap).sum(0) if rank == left.shape[1] < left.shape[0] else ndarray([], (0,), FLOAT)
    return x, residuals, rank, values


def cond(a: Any) -> Any:
    """Return the condition numbers of matrices, inf for matrices of zeros."""
    values = svd(a, compute_uv=False)
    return where(values[..., 0] > 0, values[..., 0] / values[..., -1], math.inf)


def qr(a: Any, mode: str = "reduced") -> Any:
    """Return the QR decomposition by Householder reflections, of mode "r" the triangular factor alone."""
    if mode not in ("reduced", "complete", "r"):
        raise missing(f"linalg.qr with mode={mode}")
    lead, matrices, _ = _matrices(a)
    m, n = asarray(a).shape[-2:]
    inner = m if mode == "complete" else min(m, n)
    lefts, rights = [], []
    for rows in matrices:
        q = [[1.0 * (r == c) for c in range(m)] for r in range(m)]
        for k in range(min(m - 1, n)):
            length = math.hypot(*(rows[r][k] for r in range(k + 1, m)))
            if length == 0.0:
                continue
            beta = -math.copysign(math.hypot(rows[k][k], length), rows[k][k])
            tau, scale = (beta - rows[k][k]) / beta, 1 / (rows[k][k] - beta)
            v = [1.0, *(rows[r][k] * scale for r in range(k + 1, m))]
            total = [tau * sum(x * rows[k + r][c] for r, x in enumerate(v)) for c in range(n)]
            for r, x in enumerate(v):
                rows[k + r] = [y - x * t for y, t in zip(rows[k + r], total, strict=True)]
            for row in q:
                f = tau * sum(map(operator.mul, row[k:], v))
                row[k:] = [y - f * x for y, x in zip(row[k:], v, strict=True)]
        lefts.append([row[:inner] for row in q])
        rights.append(
            [[x if c >= r else 0.0 for c, x in enumerate(row)] for r, row in enumerate(rows[:inner])]
        )
    triangle = _joined(lead, rights, (inner, n), FLOAT)
    return triangle if mode == "r" else (_joined(lead, lefts, (m, inner), FLOAT), triangle)


def eigh(a: Any) -> tuple[ndarray, ndarray]:
    """Return the eigenvalues of symmetric matrices in increasing order, and their eigenvectors as columns."""
    lead, matrices, _ = _matrices(a, square=True)
    n = asarray(a).shape[-1]
    values, vectors = [], []
    for rows in matrices:
        if not _finite(rows):
            values.append([math.nan] * n)
            vectors.append([[math.nan] * n for _ in range(n)])
            continue
        rows = [[rows[max(r, c)][min(r, c)] for c in range(n)] for r in range(n)]  # from the lower triangle
        v = [[1.0 * (r == c) for c in range(n)] for r in range(n)]  # eigenvectors as rows
        size = max((abs(x) for row in rows for x in row), default=0.0)
        for _ in range(SWEEPS):
            if all(abs(rows[p][q]) <= EPSILON * EPSILON * size for q in range(n) for p in range(q)):
                break
            for q in range(n):
                for p in range(q):
                    off = rows[p][q]
                    if off == 0:
                        continue
                    half = (rows[q][q] - rows[p][p]) / (2 * off)
                    t = math.copysign(1 / (abs(half) + math.hypot(half, 1)), half)
                    c = 1 / math.hypot(t, 1)
                    s = t * c
                    for table in (rows, v):
                        x, y = table[p], table[q]
                        table[p] = [c * f - s * g for f, g in zip(x, y, strict=True)]
                        table[q] = [s * f + c * g for f, g in zip(x, y, strict=True)]
                    for row in rows:
                        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
        order = sorted(range(n), key=lambda k: rows[k][k])
        values.append([rows[k][k] for k in order])
        vectors.append([[v[k][r] for k in order] for r in range(n)])
    eigenvalues = ndarray([x for row in values for x in row], (*lead, n), FLOAT)
    return eigenvalues, _joined(lead, vectors, (n, n), FLOAT)


# -- eigenvalues of general matrices


def _balanced(rows: Rows) -> Rows:
    """Return a similar matrix whose rows and columns have similar lengths; factors are powers of two."""
    n = len(rows)
    rows = [list(row) for row in rows]
    for _ in range(20):
        done = True
        for i in range(n):
            c = sum(abs(rows[r][i]) for r in range(n) if r != i)
            r_ = sum(abs(rows[i][k]) for k in range(n) if k != i)
            if c == 0 or r_ == 0:
                continue
            f = 2.0 ** round(math.log2(r_ / c) / 2)
            if c * f + r_ / f < 0.95 * (c + r_):
                done = False
                rows[i] = [x / f for x in rows[i]]
                for row in rows:
                    row[i] *= f
        if done:
            break
    return rows


def _hessenberg(rows: Rows) -> Rows:
    """Return a similar matrix with zeros below its first subdiagonal, by elimination with pivoting."""
    n = len(rows)
    for k in range(n - 2):
        p = max(range(k + 1, n), key=lambda r: abs(rows[r][k]))
        if rows[p][k] == 0:
            continue
        if p != k + 1:
            rows[p], rows[k + 1] = rows[k + 1], rows[p]
            for row in rows:
                row[p], row[k + 1] = row[k + 1], row[p]
        for r in range(k + 2, n):
            f = rows[r][k] / rows[k + 1][k]
            if f == 0:
                continue
            rows[r] = [x - f * y for x, y in zip(rows[r], rows[k + 1], strict=True)]
            rows[r][k] = type(f)(0)
            for row in rows:
                row[k + 1] += f * row[r]
    return rows


def _eigenvalues(rows: Rows) -> list[complex]:
    """Return the eigenvalues of a matrix by shifted QR steps on its Hessenberg form.

    Raises:
        LinAlgError: the matrix contains inf or nan, or the iteration does not converge.
    """
    if not _finite(rows):
        raise LinAlgError("the matrix contains inf or nan")
    # Squares of the entries must be finite; a power of two does not change their digits.
    scale = math.ldexp(1.0, math.frexp(max((abs(x) for row in rows for x in row), default=0.0))[1])
    h = [
        [complex(x) for x in row]
        for row in _hessenberg(_balanced([[x / scale for x in row] for row in rows]))
    ]
    n = len(h)
    size = max((abs(x) for row in h for x in row), default=0.0)
    values: list[complex] = []
    steps, top = 0, n - 1
    while top >= 0:
        low = top
        while low > 0:
            near = abs(h[low][low]) + abs(h[low - 1][low - 1])
            # Where the steps do not converge, the entry is round-off of larger entries.
            if abs(h[low][low - 1]) <= EPSILON * (near if near and steps < PATIENCE else size):
                h[low][low - 1] = 0j
                break
            low -= 1
        if low == top:
            values.append(h[top][top])
            top, steps = top - 1, 0
            continue
        steps += 1
        if steps > QR_STEPS:
            raise LinAlgError("eigenvalues did not converge")
        a, b, c, d = h[top - 1][top - 1], h[top - 1][top], h[top][top - 1], h[top][top]
        root = cmath.sqrt((a - d) * (a - d) / 4 + b * c)
        middle = (a + d) / 2
        shift = min(middle + root, middle - root, key=lambda x: abs(x - d))
        if steps % 10 == 0:  # exceptional shift, if the iteration cycles
            shift = complex(abs(c) + abs(h[top - 1][top - 2] if top > 1 else 0))
        _qr_step(h, low, top, shift)
    return [x * scale for x in reversed(values)]


def _qr_step(h: Rows, low: int, top: int, shift: complex) -> None:
    """Replace the block low .. top of a Hessenberg matrix by R Q + shift, with Q R = block - shift."""
    for k in range(low, top + 1):
        h[k][k] -= shift
    turns = []
    for k in range(low, top):
        x, y = h[k][k], h[k + 1][k]
        length = math.hypot(abs(x), abs(y))
        c, s = (x.conjugate() / length, y.conjugate() / length) if length else (1 + 0j, 0j)
        turns.append((c, s))
        cc, sc = c.conjugate(), s.conjugate()
        first, second = h[k], h[k + 1]
        part, below = first[k : top + 1], second[k : top + 1]
        first[k : top + 1] = [c * u + s * v for u, v in zip(part, below, strict=True)]
        second[k : top + 1] = [cc * v - sc * u for u, v in zip(part, below, strict=True)]
    for k, (c, s) in enumerate(turns, low):
        cc, sc = c.conjugate(), s.conjugate()
        for r in range(low, min(k + 2, top) + 1):
            row = h[r]
            u, v = row[k], row[k + 1]
            row[k], row[k + 1] = u * cc + v * sc, v * c - u * s
    for k in range(low, top + 1):
        h[k][k] += shift


def eigvals(a: Any) -> ndarray:
    """Return the eigenvalues of general matrices, as complex numbers."""
    lead, matrices, _ = _matrices(a, square=True)
    n = asarray(a).shape[-1]
    return ndarray([x for rows in matrices for x in _eigenvalues(rows)], (*lead, n), COMPLEX)


def eig(a: Any) -> tuple[ndarray, ndarray]:
    """Return the eigenvalues of general matrices and their eigenvectors as columns, by inverse iteration."""
    lead, matrices, _ = _matrices(a, square=True)
    n = asarray(a).shape[-1]
    values: list[complex] = []
    columns: list[Rows] = []
    for rows in matrices:
        own = _eigenvalues([list(row) for row in rows])
        size = max((abs(x) for row in rows for x in row), default=0.0) or 1.0
        vectors = []
        for k, value in enumerate(own):
            # A slightly different shift keeps the matrix regular, and separates equal eigenvalues.
            near = value + size * EPSILON * (4 + k)
            v = [[complex(1 + 0.3 * ((r * 7 + k * 3) % n) / n)] for r in range(n)]
            for _ in range(3):
                shifted = [
                    [complex(x) - near * (r == c) for c, x in enumerate(row)] for r, row in enumerate(rows)
                ]
                try:
                    v = _eliminated(shifted, v)[0]
                except LinAlgError:
                    near += size * EPSILON * 4
                    continue
                length = _length([x for (x,) in v])
                v = [[x / length] for (x,) in v]
            vectors.append([x for (x,) in v])
        values += own
        columns.append([[vector[r] for vector in vectors] for r in range(n)])
    return ndarray(values, (*lead, n), COMPLEX), _joined(lead, columns, (n, n), COMPLEX)
