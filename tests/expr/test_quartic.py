"""Test the quartic kernel: roots from known ones, clusters, lower degrees, scales, and NaN."""

from __future__ import annotations

import math

import numpy as np
import pytest

from symoro.errors import ProgramError
from symoro.expr import kernels
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import Graph


def solve(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return roots and defects."""
    result = np.stack(kernels.KERNELS["quartic"].evaluate([list(np.moveaxis(a, -1, 0))]), -1)
    return result[..., :4], result[..., 4:]


def with_roots(x: np.ndarray) -> np.ndarray:
    """Return coefficients, highest first, with leading zeros for fewer than four roots."""
    a = np.ones((len(x), 1))
    for root in x.T:
        a = np.pad(a, ((0, 0), (0, 1))) - np.pad(a, ((0, 0), (1, 0))) * root[:, None]
    return np.pad(a, ((0, 0), (5 - a.shape[1], 0)))


def errors(x: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Return the relative distance of the worst root of each sample to the nearest computed root."""
    result, defect = solve(a)
    apart = np.abs(result[:, None, :] - x[:, :, None]) / np.abs(x[:, :, None])
    return np.where(defect[:, None, :] < 1e-3, apart, np.inf).min(2).max(1)


def conditions(x: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Return the change of the roots if each coefficient changes by eps: sum |a_k x^k| eps/|x p'(x)|."""
    power = np.arange(4, -1, -1)
    terms = a[:, None, :] * x[:, :, None] ** power
    return np.max(np.sum(np.abs(terms), 2) * 2.3e-16 / np.abs(np.sum(power * terms, 2)), 1)


def roots(count: int = 4, n: int = 3000, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2, 2, (n, count))


def clustered(gap: float, *clusters: list[int]) -> np.ndarray:
    """Return roots in groups with the distance `gap`."""
    x = roots()
    for first, *others in clusters:
        for j, other in enumerate(others, 1):
            x[:, other] = x[:, first] + j * gap
    return x


def spread(decades: float) -> np.ndarray:
    rng = np.random.default_rng(2)
    return 10 ** rng.uniform(-decades, decades, (3000, 4)) * rng.choice([-1, 1], (3000, 4))


CASES = {
    "random": roots(),
    "near double": clustered(1e-3, [0, 1]),
    "nearer double": clustered(1e-5, [0, 1]),
    "two near doubles": clustered(1e-3, [0, 1], [2, 3]),
    "near triple": clustered(1e-2, [0, 1, 2]),
    "two decades": spread(2),
    "six decades": spread(6),
    "one small": roots() * [1e-9, 1, 1, 1],
    "two small": roots() * [1e-6, 1e-6, 1, 1],
    "three small": roots() * [1e-15, 1e-15, 1e-15, 1],
    "millimetres": roots() * 1e4,
    "far": roots() * 1e25,
    "tiny": roots() * 1e-25,
    "cubic": roots(3),
    "quadratic": roots(2),
    "linear": roots(1),
}


@pytest.mark.parametrize("scale", [1.0, 1e-150, 1e150])
@pytest.mark.parametrize("name", CASES)
def test_as_accurate_as_the_coefficients(name, scale):
    x = CASES[name]
    a = with_roots(x) * (scale / np.max(np.abs(with_roots(x)), 1, keepdims=True))
    worst, allowed = errors(x, a), 2e-16 + conditions(x, a)
    ratio = worst / allowed
    assert np.quantile(ratio, 0.999) < 10
    assert np.max(np.where(allowed < 1e-9, worst, 0)) < 1e-6


@pytest.mark.parametrize(
    "lead", [[1e-15], [1e-17], [1e-30], [1e-300], [1e-17, 1e-17], [1e-30, -1e-20], [1e-17, -1e-17, 1e-16]]
)
def test_tiny_leading_coefficients(lead):
    """Check that the other roots are those of the lower degree, without roots below the round-off."""
    x = roots(4 - len(lead))
    a = with_roots(x)
    a[:, : len(lead)] = lead
    result, defect = solve(a)
    assert np.quantile(errors(x, a), 0.99) < 1e-11
    if max(map(abs, lead)) < 1e-15:
        assert np.all(np.sum(defect == 1, 1) == len(lead))
        assert np.all(result[:, 4 - len(lead) :] == 0)


def test_against_numpy():
    a = np.random.default_rng(3).normal(size=(500, 5))
    result, defect = solve(a)
    for row, x, d in zip(a, result, defect, strict=True):
        theirs = sorted(np.roots(row), key=lambda z: z.real)
        np.testing.assert_allclose(x, np.real(theirs), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(d, np.abs(np.imag(theirs)) / (1 + np.abs(theirs)), rtol=1e-8, atol=1e-8)
    assert {0, 2, 4} == set(np.sum(defect == 0, axis=1))


@pytest.mark.parametrize("groups", [[[0, 1]], [[0, 1], [2, 3]]])
def test_double_roots_are_real_parts_with_small_defects(groups):
    x = clustered(0.0, *groups)
    result, defect = solve(with_roots(x))
    assert np.median(errors(x, with_roots(x))) < 3e-8
    assert np.quantile(errors(x, with_roots(x)), 0.99) < 1e-5
    assert np.quantile(defect, 0.99) < 1e-5
    split = (defect[:, 0] > 0) & (defect[:, 1] > 0) & (defect[:, 2] == 0)
    assert np.sum(split) > 20
    np.testing.assert_allclose(result[split, 0], result[split, 1], rtol=1e-12)


@pytest.mark.parametrize(
    ("a", "expected"),
    [
        ([1, 0, 0, 0, -1], [-1, 0, 0, 1, 0, 0.5, 0.5, 0]),
        ([0, 0, 1, 0, -2], [-math.sqrt(2), math.sqrt(2), 0, 0, 0, 0, 1, 1]),
        ([0, 0, 0, 2, 1], [-0.5, 0, 0, 0, 0, 1, 1, 1]),
        ([0, 1, 0, -1, 0], [-1, 0, 1, 0, 0, 0, 0, 1]),
        ([1, 0, 0, 0, 0], [0] * 8),
        ([0, 0, 0, 0, 1], [0] * 4 + [1] * 4),
        ([0] * 5, [0] * 4 + [1] * 4),
        ([math.nan, 1, 1, 1, 1], [0] * 4 + [1] * 4),
        ([1, 1, 1, 1, math.nan], [0] * 4 + [1] * 4),
        ([1, math.inf, 1, 1, 1], [0] * 4 + [1] * 4),
    ],
)
def test_special(a, expected):
    g = Graph()
    results = kernels.call(g, "quartic", [[g.symbol(f"a{j}") for j in range(5)]])
    result = evaluate(g, results, {f"a{j}": float(x) for j, x in enumerate(a)})
    np.testing.assert_allclose(result, expected, atol=1e-15)
    assert all(type(x) is float for x in result)


def test_some_entries_are_arrays():
    g = Graph()
    results = kernels.call(
        g, "quartic", [[g.number(0), g.number(0), g.number(1), g.symbol("b"), g.number(-6)]]
    )
    result = np.stack(evaluate(g, results, {"b": np.array([1.0, -1.0])}), -1)
    np.testing.assert_allclose(result[:, :2], [[-3, 2], [-2, 3]])


def test_wrong_sizes():
    g = Graph()
    with pytest.raises(ProgramError, match="quartic requires"):
        kernels.call(g, "quartic", [[g.symbol("a")] * 4])


def test_what_it_needs_comes_first():
    assert kernels.with_needs({"quartic"}) == ["circle", "quartic"]
    assert kernels.with_needs({"solve", "quartic", "circle"}) == ["circle", "quartic", "solve"]
