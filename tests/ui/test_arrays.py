"""Check symoro's own arrays against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from symoro.errors import MissingDependencyError
from symoro.ui import arrays as plain

A = np.random.default_rng(0).uniform(-2, 2, (3, 4, 5))
B = np.random.default_rng(1).uniform(-2, 2, (4, 5))
SQUARE = np.random.default_rng(2).uniform(-1, 1, (3, 6, 6))
FLAGS = B > 0.3

CASES: dict[str, Any] = {
    "broadcasting": lambda np, a, b: a * b - a[:, :1] / (b + 3) + 2 * a[..., None, 0] ** 2,
    "division by zero": lambda np, a, b: (a[0] - a[0]) / (a[0] - a[0]),
    "roots of negative numbers": lambda np, a, b: np.sqrt(a),
    "views": lambda np, a, b: np.swapaxes(a, 0, 2)[1:, ::2, -1],
    "negative steps": lambda np, a, b: a[::-1, ::-2].copy(),
    "index arrays": lambda np, a, b: a[[0, 2, 1], 1:, [0, 3, 1]],
    "separated index arrays": lambda np, a, b: a[[[0], [2]], :, [1, 2, 3]],
    "truth values": lambda np, a, b: a[:, b > 0.3],
    "where": lambda np, a, b: np.where(b > 0, a, -1),
    "sums": lambda np, a, b: a.sum((0, 2)),
    "extremes": lambda np, a, b: a.max(1) - a.min(1, keepdims=True)[:, 0],
    "nan in extremes": lambda np, a, b: np.sqrt(a).max(2),
    "matrix products": lambda np, a, b: a @ np.swapaxes(b, 0, 1),
    "einsum": lambda np, a, b: np.einsum("kij,ij,kl->lj", a, b, a[:, 0]),
    "einsum with batches": lambda np, a, b: np.einsum("...ij,ij->...i", a, b),
    "cross products": lambda np, a, b: np.cross(a[:, :, :3], b[:, 1:4]),
    "order": lambda np, a, b: np.take_along_axis(a, np.argsort(a, -1, kind="stable"), -1),
    "differences": lambda np, a, b: np.diff(a, axis=1),
    "sums up to each element": lambda np, a, b: np.cumsum(a, axis=1) + np.cumsum(b)[:5],
    "counts up to each element": lambda np, a, b: np.cumsum(b > 0.3),
    "elements by number": lambda np, a, b: np.take(a, [7, 0]) + np.take(b, [1, 3], axis=1)[1],
    "joining": lambda np, a, b: np.concatenate([a, np.stack([b, 2 * b])], 0),
    "remainders": lambda np, a, b: (a + 3) % -1.5 + a // 0.7,
    "random numbers": lambda np, a, b: np.random.default_rng(7).uniform(-1, 1, (3, 2)),
    "permutations": lambda np, a, b: np.random.default_rng(7).permutation(np.arange(9)),
    "normal numbers": lambda np, a, b: np.random.default_rng(7).standard_normal(500),
    "integers": lambda np, a, b: np.random.default_rng(7).integers(-1, 3, (4, 5)),
}


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_numpy(name: str) -> None:
    with np.errstate(all="ignore"):
        expected = CASES[name](np, A, B)
    result = CASES[name](plain, plain.array(A.tolist()), plain.array(B.tolist()))
    assert result.shape == expected.shape
    np.testing.assert_allclose(np.array(result.tolist()), expected, rtol=1e-12, atol=1e-13)


def test_assignments_change_views() -> None:
    for module in (np, plain):
        a = module.zeros((3, 4))
        a[:, 1:3] = module.array([[1.0], [2.0], [3.0]])
        row = a[1]
        row += 10
        a[a > 11.5] = -1
        a[[0, 2], [0, 3]] = [7, 8]
        assert a.tolist() == [[7, 1, 1, 0], [10, -1, -1, 10], [0, 3, 3, 8]]


def test_linear_algebra() -> None:
    given = plain.array(SQUARE.tolist())
    linalg = plain.linalg
    np.testing.assert_allclose(linalg.inv(given).tolist(), np.linalg.inv(SQUARE), rtol=1e-9)
    np.testing.assert_allclose(linalg.det(given).tolist(), np.linalg.det(SQUARE), rtol=1e-10)
    for part, expected in zip(
        linalg.qr(given[:, :, :4], mode="complete"), np.linalg.qr(SQUARE[:, :, :4], "complete"), strict=True
    ):
        np.testing.assert_allclose(part.tolist(), expected, atol=1e-12)
    for matrix in (SQUARE, SQUARE[:, :4], SQUARE[:, :, :2], SQUARE[:, [0, 0, 1]]):  # the last one is singular
        u, s, v = linalg.svd(plain.array(matrix.tolist()))
        np.testing.assert_allclose(s.tolist(), np.linalg.svd(matrix, compute_uv=False), atol=1e-13)
        left, right, k = np.array(u.tolist()), np.array(v.tolist()), s.shape[-1]
        np.testing.assert_allclose(
            left[:, :, :k] * np.array(s.tolist())[:, None] @ right[:, :k], matrix, atol=1e-13
        )
        for factor in (left, right):
            unit = np.broadcast_to(np.eye(factor.shape[-1]), factor.shape)
            np.testing.assert_allclose(factor @ np.swapaxes(factor, 1, 2), unit, atol=1e-13)
        np.testing.assert_allclose(
            linalg.pinv(plain.array(matrix.tolist())).tolist(), np.linalg.pinv(matrix), atol=1e-11
        )
    pairs = zip(np.array(linalg.eigvals(given).tolist()), np.linalg.eigvals(SQUARE), strict=True)
    for values, expected in pairs:
        assert np.abs(values[:, None] - expected).min(0).max() < 1e-12
        assert np.abs(values[:, None] - expected).min(1).max() < 1e-12
    values, vectors = (np.array(x.tolist()) for x in linalg.eig(given))
    np.testing.assert_allclose(SQUARE @ vectors, vectors * values[:, None], atol=1e-10)
    symmetric = SQUARE + np.swapaxes(SQUARE, 1, 2)
    values, vectors = (np.array(x.tolist()) for x in linalg.eigh(plain.array(symmetric.tolist())))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(symmetric), atol=1e-12)
    np.testing.assert_allclose(symmetric @ vectors, vectors * values[:, None], atol=1e-12)


def test_singular_matrices_are_rejected() -> None:
    with pytest.raises(plain.linalg.LinAlgError):
        plain.linalg.solve(plain.zeros((2, 2)), plain.ones(2))


def test_functions_that_do_not_exist_name_numpy() -> None:
    with pytest.raises(MissingDependencyError, match="NumPy"):
        _ = plain.corrcoef
