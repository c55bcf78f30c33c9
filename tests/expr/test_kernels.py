"""Kernels: sizes, values, singular matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest

from symoro.errors import ProgramError
from symoro.expr import kernels
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import Graph


def system(n: int) -> tuple[Graph, list[int]]:
    g = Graph()
    matrix = [g.symbol(f"a{k}") for k in range(n * n)]
    vector = [g.symbol(f"b{k}") for k in range(n)]
    return g, kernels.call(g, "solve", [matrix, vector])


def values(a: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    n = b.shape[-1]
    flat = a.reshape(*a.shape[:-2], n * n)
    return {f"a{k}": flat[..., k] for k in range(n * n)} | {f"b{k}": b[..., k] for k in range(n)}


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_solve(n):
    rng = np.random.default_rng(n)
    g, x = system(n)
    a, b = rng.normal(size=(5, n, n)), rng.normal(size=(5, n))
    expected = np.linalg.solve(a, b[..., None])[..., 0]
    assert np.stack(evaluate(g, x, values(a, b)), -1) == pytest.approx(expected)
    single = evaluate(g, x, {k: float(v) for k, v in values(a[0], b[0]).items()})
    assert single == pytest.approx(expected[0])
    assert all(type(v) is float for v in single)


def test_one_singular_sample_does_not_spoil_the_others():
    g, x = system(2)
    a = np.array([[[1.0, 2.0], [2.0, 4.0]], [[2.0, 0.0], [0.0, 4.0]]])
    b = np.array([[1.0, 1.0], [1.0, 1.0]])
    result = np.stack(evaluate(g, x, values(a, b)), -1)
    assert np.isnan(result[0]).all()
    assert list(result[1]) == [0.5, 0.25]
    assert all(map(math.isnan, evaluate(g, x, {k: float(v) for k, v in values(a[0], b[0]).items()})))


def test_some_entries_are_arrays():
    g = Graph()
    x = kernels.call(g, "solve", [[g.number(2)], [g.symbol("b")]])
    assert list(evaluate(g, x, {"b": np.array([1.0, 3.0])})[0]) == [0.5, 1.5]


@pytest.mark.parametrize("lengths", [(3, 2), (4, 4), (0, 0), (4,)])
def test_wrong_sizes(lengths):
    g = Graph()
    with pytest.raises(ProgramError, match="solve requires"):
        kernels.call(g, "solve", [[g.symbol("a")] * n for n in lengths])


def test_unknown_kernel():
    with pytest.raises(ProgramError, match="there is no kernel 'invert'") as caught:
        kernels.call(Graph(), "invert", [[0]])
    assert "solve" in str(caught.value)


@pytest.mark.parametrize(("n", "cost"), [(1, (0, 0, 1)), (2, (3, 3, 3)), (3, (11, 11, 6))])
def test_cost(n, cost):
    """Compare with counts by hand: elimination k^2 + k per column, substitution n(n-1)/2."""
    assert kernels.KERNELS["solve"].cost([n * n, n]) == cost
