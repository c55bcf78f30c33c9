"""Test the circle kernel: angles from known zeros, double zeros, lower degrees, scales, and NaN."""

from __future__ import annotations

import math

import numpy as np
import pytest

from symoro.errors import ProgramError
from symoro.expr import kernels
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import Graph

NONE = [0.0] * 4 + [1.0] * 8


def solve(k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return angles and defects."""
    result = np.stack(kernels.KERNELS["circle"].evaluate([list(np.moveaxis(k, -1, 0))]), -1)
    s, c, defect = result[..., :4], result[..., 4:8], result[..., 8:]
    np.testing.assert_allclose(s * s + c * c, 1, atol=4e-15)
    return np.arctan2(s, c), defect


def with_zeros(t: np.ndarray) -> np.ndarray:
    """Return the coefficients of the product of sin((t - t_j)/2), from that of (z - z_j), z = exp(it)."""
    p = np.ones((len(t), 1), dtype=complex)
    for zero in np.exp(1j * t).T:
        p = np.pad(p, ((0, 0), (0, 1))) - np.pad(p, ((0, 0), (1, 0))) * zero[:, None]
    p *= np.exp(-0.5j * t.sum(1))[:, None]
    return np.stack(
        [p[:, 2].real, 2 * p[:, 1].real, -2 * p[:, 1].imag, 2 * p[:, 0].real, -2 * p[:, 0].imag], 1
    )


def left(k: np.ndarray, t: np.ndarray) -> np.ndarray:
    basis = np.stack([np.ones_like(t), np.cos(t), np.sin(t), np.cos(2 * t), np.sin(2 * t)], -1)
    return np.einsum("...te,...e->...t", basis, k) / np.max(np.abs(k), -1)[..., None]


def errors(t: np.ndarray, scale: float = 1.0, near: float = 1e-3) -> np.ndarray:
    """Return the distance of the worst zero of each sample to the nearest computed angle."""
    result, defect = solve(with_zeros(t) * scale)
    apart = np.abs((result[:, None, :] - t[:, :, None] + np.pi) % (2 * np.pi) - np.pi)
    return np.where(defect[:, None, :] < near, apart, np.inf).min(2).max(1)


def random_angles(n: int = 4000, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, (n, 4))


@pytest.mark.parametrize("scale", [1.0, 1e-150, 1e150])
def test_four_angles(scale):
    worst = errors(random_angles(), scale)
    assert np.median(worst) < 2e-15
    assert worst.max() < 1e-8  # three of the random angles may be close together


def test_backward_error_and_order():
    """Check that the left side is zero to round-off for any conditioning, and that no zero is missing or wrong."""
    k = np.random.default_rng(2).normal(size=(1500, 5))
    result, defect = solve(k)
    assert np.abs(np.where(defect == 0, left(k, result), 0)).max() < 4e-15
    assert np.all(np.diff(np.where(defect < 1, result, np.inf)) >= 0)
    t = np.linspace(-np.pi, np.pi, 721)
    changes = np.sum(np.diff(np.sign(left(k, np.broadcast_to(t, (len(k), 721))))) != 0, axis=1)
    assert np.sum(changes != np.sum(defect == 0, axis=1)) < 20  # two zeros within half a degree


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6, 1e-8, 0.0])
def test_nearly_double(gap):
    """Check that a perturbation of the coefficients by eps moves a zero by eps/gap, and at most by sqrt(eps)."""
    t = random_angles()
    t[:, 1] = t[:, 0] + gap
    worst = errors(t)
    assert np.median(worst) < min(1e-15 / max(gap, 1e-30), 1e-8) + 2e-15
    assert np.quantile(worst, 0.99) < min(1e-12 / max(gap, 1e-30), 1e-6)


def test_two_double_zeros_are_real_parts_with_small_defects():
    t = random_angles(500)
    t[:, 1], t[:, 3] = t[:, 0], t[:, 2]
    result, defect = solve(with_zeros(t))
    assert np.median(errors(t)) < 1e-8
    assert np.quantile(defect, 0.99) < 1e-5
    split = (defect[:, 0] > 0) & (defect[:, 1] > 0)
    assert np.sum(split) > 20
    np.testing.assert_allclose(result[split, 0], result[split, 1], atol=1e-12)


@pytest.mark.parametrize("angle", [math.pi, 0.0, math.pi / 2, -math.pi / 2, math.pi / 4])
def test_no_angle_is_special(angle):
    t = random_angles(500)
    t[:, 0] = angle
    assert np.quantile(errors(t), 0.99) < 1e-11


def test_two_angles_of_type_2():
    k = np.random.default_rng(3).normal(size=(2000, 5)) * [1, 1, 1, 0, 0]
    result, defect = solve(k)
    reached = np.hypot(k[:, 1], k[:, 2]) > np.abs(k[:, 0])
    assert np.all(np.sum(defect == 0, axis=1) == 2 * reached)
    assert np.all(defect[:, 2:] == 1) and np.all(result[:, 2:] == 0)
    k, result = k[reached], result[reached]
    middle, half = np.arctan2(k[:, 2], k[:, 1]), np.arccos(-k[:, 0] / np.hypot(k[:, 1], k[:, 2]))
    both = np.sort(np.angle(np.exp(1j * (middle[:, None] + np.stack([-half, half], 1)))), 1)
    np.testing.assert_allclose(result[:, :2], both, atol=1e-6)


def test_pi_itself():
    """Check that 1 + cos t has only a double zero at pi."""
    result, defect = solve(np.array([1.0, 1, 0, 0, 0]))
    assert list(result[:2]) == [math.pi, math.pi] and list(defect) == [0, 0, 1, 1]


@pytest.mark.parametrize(
    "k", [[0] * 5, [1, 0, 0, 0, 0], [math.nan, 1, 0, 0, 0], [1, 0, 0, 0, math.nan], [1, math.inf, 0, 0, 0]]
)
def test_nothing_to_find(k):
    g = Graph()
    result = evaluate(
        g,
        kernels.call(g, "circle", [[g.symbol(f"k{j}") for j in range(5)]]),
        {f"k{j}": float(x) for j, x in enumerate(k)},
    )
    assert result == NONE and all(type(x) is float for x in result)


def test_one_sample_that_is_no_number_does_not_spoil_the_others():
    k = np.array([[math.nan, 1, 0, 0, 0], [0, 1, 0, 0, 0]])
    result, defect = solve(k)
    assert list(defect[0]) == [1] * 4
    np.testing.assert_allclose(result[1, :2], [-math.pi / 2, math.pi / 2])


def test_wrong_sizes():
    g = Graph()
    with pytest.raises(ProgramError, match="circle requires"):
        kernels.call(g, "circle", [[g.symbol("a")] * 4])


def test_no_derivatives():
    g = Graph()
    kernel = kernels.KERNELS["circle"]
    with pytest.raises(ProgramError, match="no derivatives"):
        kernel.tangents(g, g.calls, [], [])
