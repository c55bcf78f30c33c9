"""Singular values in plain Python against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from symoro.models.rank import singular_values


@pytest.mark.parametrize("m", [1, 2, 6, 7])
@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("seed", range(6))
def test_they_are_those_of_numpy(m: int, n: int, seed: int) -> None:
    draw = np.random.default_rng([m, n, seed])
    matrix = draw.normal(size=(m, n)) * 10.0 ** draw.uniform(-seed, seed, size=(1, n))
    wanted = np.linalg.svd(matrix, compute_uv=False)
    np.testing.assert_allclose(singular_values(matrix.tolist()), wanted, rtol=0, atol=1e-14 * wanted[0])


@pytest.mark.parametrize("n", range(2, 8))
@pytest.mark.parametrize("offset", [0.0, 1e-3, 1e-5, 1e-8])
def test_a_dependent_column_leaves_nothing_and_one_that_nearly_is_leaves_what_it_is_off(
    n: int, offset: float
) -> None:
    matrix = np.random.default_rng(n).normal(size=(n, n))
    matrix[:, -1] = matrix[:, :-1] @ np.arange(1, n) + offset * matrix[:, -1]
    result = singular_values(matrix.tolist())
    wanted = np.linalg.svd(matrix, compute_uv=False)
    assert result[-1] == pytest.approx(wanted[-1], rel=1e-6, abs=1e-14 * wanted[0])
    assert (result[-1] > 1e-13 * result[0]) == (offset > 0)


@pytest.mark.parametrize(
    ("matrix", "wanted"),
    [
        ([[0.0, 0.0], [0.0, 0.0]], [0.0, 0.0]),
        ([[1e300, 0.0], [0.0, -1e200]], [1e300, 1e200]),
        ([[5e-324]], [5e-324]),
        ([[3.0], [4.0]], [5.0]),
    ],
)
def test_zeros_and_extremes(matrix: list[list[float]], wanted: list[float]) -> None:
    assert singular_values(matrix) == pytest.approx(wanted, rel=1e-15)
