"""Estimators on made-up equations, against NumPy, SciPy and the conditions that their solutions must meet."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import linalg, signal

from symoro.errors import ArgumentError
from symoro.identification.autocorrelation import with_autocorrelation
from symoro.identification.equations import RowBlock
from symoro.identification.essential_parameters import essential
from symoro.identification.instrumental_variables import burg
from symoro.identification.regression import (
    KEPT,
    check_dependence,
    dependent,
    ordinary,
    own_deviations,
    residual,
    weighted,
)
from symoro.identification.robust import robust
from symoro.identification.rows import RFactors, absorbed, compressed, empty, joined, merged
from symoro.identification.tolerances import HUBER
from symoro.identification.total_least_squares import total

NAMES = ("A1", "B1", "FS1", "A2", "B2")
K = np.array([1.5, -0.3, 0.8, 0.02, 4.0])
SIGMA = np.array([0.05, 0.5])
SUPPORT = np.array([[True, True, True, True, True], [False, False, False, True, True]])


def block(samples: int = 400, seed: int = 0, noise: float = 1.0) -> RowBlock:
    """Two equations of different noise, the second without three of the columns."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((samples, 2, 5)) * np.array([1, 3, 1, 0.2, 0.5])
    A[:, 1, :3] = 0.0
    y = A @ K + noise * SIGMA * rng.standard_normal((samples, 2))
    return RowBlock(
        np.arange(samples) / samples, A, y, np.ones((samples, 2)), np.ones((samples, 2), dtype=bool)
    )


def pieces(whole: RowBlock, *cuts: int) -> list[RowBlock]:
    marks = [0, *cuts, len(whole.time)]
    fields = ("time", "A", "y", "direction", "kept")
    return [RowBlock(*(getattr(whole, f)[a:b] for f in fields)) for a, b in pairwise(marks)]


def data_of(*blocks: RowBlock) -> RFactors:
    result = empty(SUPPORT)
    for one in blocks:
        result = absorbed(result, one, one.kept)
    return result


def dense(whole: RowBlock, sigma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    A = np.concatenate([whole.A[:, k] / sigma[k] for k in range(2)])
    y = np.concatenate([whole.y[:, k] / sigma[k] for k in range(2)])
    return A, y


def test_ordinary_least_squares_is_numpys() -> None:
    whole = block()
    result = ordinary(NAMES, data_of(whole))
    A, y = dense(whole, np.ones(2))
    assert result.values == pytest.approx(np.linalg.lstsq(A, y, rcond=None)[0], abs=1e-11)
    weights = np.repeat(result.sigma**2, len(whole.time))
    inverse = np.linalg.inv(A.T @ A)
    assert result.covariance == pytest.approx(inverse @ (A.T * weights) @ A @ inverse, rel=1e-8)


def test_weighted_least_squares_is_numpys_of_weighted_rows() -> None:
    whole = block()
    result = weighted(NAMES, data_of(whole))
    A, y = dense(whole, result.sigma)
    values, off, _, _ = np.linalg.lstsq(A, y, rcond=None)
    assert result.values == pytest.approx(values, abs=1e-11)
    assert result.covariance == pytest.approx(float(off[0]) / (800 - 5) * np.linalg.inv(A.T @ A), rel=1e-8)


def test_deviations_of_equations_are_those_of_each_alone() -> None:
    whole = block()
    result = own_deviations(data_of(whole))
    for k, columns in enumerate(([0, 1, 2, 3, 4], [3, 4])):
        off = np.linalg.lstsq(whole.A[:, k][:, columns], whole.y[:, k], rcond=None)[1]
        assert result[k] == pytest.approx((float(off[0]) / (400 - len(columns))) ** 0.5)


@pytest.mark.parametrize("cuts", [(1,), (3, 7, 200), tuple(range(13, 400, 13))])
def test_pieces_make_the_triangle_of_the_whole(cuts: tuple[int, ...]) -> None:
    whole, parts = data_of(block()), [data_of(piece) for piece in pieces(block(), *cuts)]
    streamed = data_of(*pieces(block(), *cuts))
    backwards = parts[-1]
    for part in reversed(parts[:-1]):
        backwards = joined(backwards, part)
    for other in (streamed, backwards):
        assert other.counts == whole.counts
        assert weighted(NAMES, other).values == pytest.approx(weighted(NAMES, whole).values, abs=1e-12)
        assert other.residuals(K) == pytest.approx(whole.residuals(K), rel=1e-12)


def test_thirds_and_dropped_rows_are_kept_apart() -> None:
    whole = block()
    whole.kept[::7, 0] = False
    parts = compressed(pieces(whole, 50, 260), SUPPORT, 1.0)
    assert {part: item.rows for part, item in parts.items() if part[1]} == {
        (t, True): int(whole.kept[(whole.time * 3).astype(int) == t].sum()) for t in range(3)
    }
    kept = merged(parts, SUPPORT, KEPT)
    A = np.concatenate([whole.A[whole.kept[:, k], k] for k in range(2)])
    y = np.concatenate([whole.y[whole.kept[:, k], k] for k in range(2)])
    assert ordinary(NAMES, kept).values == pytest.approx(np.linalg.lstsq(A, y, rcond=None)[0], abs=1e-11)


def test_relative_residual_is_that_of_the_weighted_rows() -> None:
    whole = block()
    result = weighted(NAMES, data_of(whole))
    A, y = dense(whole, result.sigma)
    got = residual(data_of(whole), result)
    assert got.relative == pytest.approx(np.linalg.norm(A @ result.values - y) / np.linalg.norm(y))


def test_data_without_noise_give_the_parameters() -> None:
    result = weighted(NAMES, data_of(block(noise=0.0)))
    assert result.values == pytest.approx(K, abs=1e-10)
    assert np.isfinite(result.deviations).all()


def test_robust_weights_satisfy_hubers_equation_and_tolerate_outliers() -> None:
    whole = block(600, 3)
    rng = np.random.default_rng(5)
    bad = rng.random((600, 2)) < 0.06
    whole.y[bad] += 30 * rng.standard_normal(int(bad.sum()))
    data = data_of(whole)
    plain = weighted(NAMES, data)
    result = robust(NAMES, lambda: pieces(whole, 100), plain, data)
    A, y = dense(whole, result.sigma)
    e = A @ result.values - y
    assert np.abs(A.T @ np.clip(e, -HUBER, HUBER)).max() < 1e-4 * np.abs(A).sum(axis=0).max()
    z = (result.values - K) / result.deviations
    assert np.abs(z).max() < 4
    assert np.linalg.norm(result.deviations) < 0.5 * np.linalg.norm(plain.deviations)


def test_total_least_squares_is_the_singular_vector() -> None:
    whole = block()
    data = data_of(whole)
    scales = np.array([0.01, 0.02, 0.01, 0.01, 0.03])
    result = total(NAMES, data, errors=scales, exact=())
    A, y = dense(whole, result.sigma)
    right = linalg.svd(np.column_stack([A / scales, y]))[2][-1]
    assert result.values == pytest.approx(-right[:-1] / right[-1] / scales, rel=1e-8)


def test_total_least_squares_takes_the_bias_of_noisy_columns_away() -> None:
    """Exact columns are not changed; with given deviations of the errors, least squares has no bias."""
    rng = np.random.default_rng(2)
    rows = 40_000
    true = rng.standard_normal((rows, 1, 5)) * np.array([1, 1, 1, 1, 1])
    y = (true @ K) + 0.1 * rng.standard_normal((rows, 1))
    noisy = true + np.array([0.3, 0.3, 0, 0.3, 0.3]) * rng.standard_normal(true.shape)
    one = RowBlock(np.arange(rows) / rows, noisy, y, np.ones((rows, 1)), np.ones((rows, 1), dtype=bool))
    data = absorbed(empty(np.ones((1, 5), dtype=bool)), one, one.kept)
    sigma = own_deviations(data)[0]  # the rows are divided by this
    size = 0.1 / sigma
    result = total(NAMES, data, errors=np.array([0.3, 0.3, 1, 0.3, 0.3]) / sigma / size, exact=("FS1",))
    plain = weighted(NAMES, data)
    z = (result.values - K) / result.deviations
    assert np.abs(z).max() < 4
    assert np.abs((plain.values - K) / plain.deviations).max() > 20


def test_essential_parameters_are_those_that_matter() -> None:
    rng = np.random.default_rng(1)
    truth = np.array([2.0, 1.0, 3.0, 0.0, 0.0, 0.0])
    names = ("A", "B", "C", "X", "Y", "Z")
    A = rng.standard_normal((500, 1, 6))
    y = A @ truth + 0.1 * rng.standard_normal((500, 1))
    one = RowBlock(np.arange(500) / 500, A, y, np.ones((500, 1)), np.ones((500, 1), dtype=bool))
    data = absorbed(empty(np.ones((1, 6), dtype=bool)), one, one.kept)
    result = essential(weighted(names, data), data)
    assert set(result.removed) == {"X", "Y", "Z"} and result.estimate.names == ("A", "B", "C")
    assert 0 <= result.statistic <= result.critical
    assert result.estimate.values == pytest.approx(
        np.linalg.lstsq(A[:, 0, :3], y[:, 0], rcond=None)[0], abs=1e-10
    )


def test_autocorrelation_of_rows_in_which_a_joint_rests() -> None:
    """The rows at the beginning of a long log widen the deviations of parameters without effect on them too."""
    samples, a = 4000, 0.9
    t = np.arange(samples) / samples
    A = np.stack([np.ones(samples), np.sin(20 * t), np.where(t > 0.5, np.cos(30 * t), 0.0)], axis=1)
    noise = signal.lfilter([np.sqrt(1 - a * a)], [1, -a], np.random.default_rng(3).standard_normal(samples))
    every = np.ones((samples, 1), dtype=bool)
    rows = RowBlock(t, A[:, None], (A.sum(1) + noise)[:, None], np.ones((samples, 1)), every)
    estimate = weighted(("A", "B", "C"), absorbed(empty(np.ones((1, 3), dtype=bool)), rows, every))
    early = RowBlock(*(getattr(rows, f)[: samples // 2] for f in ("time", "A", "y", "direction", "kept")))
    result = with_autocorrelation(estimate, [early], "dynamic", 1)
    expected = ((1 + a) / (1 - a)) ** 0.5  # of parameters that vary slowly
    assert result.autocorrelation == pytest.approx(expected, rel=0.15)
    assert result.deviations / estimate.deviations == pytest.approx(np.full(3, expected), rel=0.15)


def test_widened_deviations_are_those_of_the_essential_parameters() -> None:
    """Autocorrelation widens the covariance; the reduced set does not return to that of independent rows."""
    data = data_of(block())
    estimate = weighted(NAMES, data)
    factors = np.array([1.0, 2.0, 3.0, 2.0, 1.5])
    widened = replace(estimate, covariance=estimate.covariance * np.outer(factors, factors))
    for given in (estimate, widened):
        kept = essential(given, data, ratio=np.inf).estimate
        assert kept.covariance == pytest.approx(given.covariance, rel=1e-8)
    left_out = essential(widened, data, ratio=0.0, level=0.0).estimate
    assert len(left_out.names) == 1
    k = NAMES.index(left_out.names[0])
    precision = np.linalg.inv(widened.covariance)[k, k]
    assert left_out.deviations[0] >= precision**-0.5 * (1 - 1e-8)


def test_columns_that_depend_on_others_are_named() -> None:
    whole = block()
    whole.A[:, 0, 1] = 2 * whole.A[:, 0, 0]
    whole.A[:, :, 3] = 0.0
    with pytest.raises(ArgumentError) as error:
        check_dependence(NAMES, data_of(whole).together([1.0, 1.0]))
    assert "2 of 5 parameters" in error.value.message
    assert "B1: in this log its column equals +2 A1" in error.value.message
    assert "A2: its column is zero in this log" in error.value.message


def test_nearly_dependent_columns_are_not_rejected() -> None:
    """Columns that only noise distinguishes have large deviations and are not rejected."""
    whole = block()
    whole.A[:, 0, 1] = 2 * whole.A[:, 0, 0] + 1e-6 * np.random.default_rng(0).standard_normal(400)
    assert dependent(NAMES, data_of(whole).together([1.0, 1.0])) == {}


@pytest.mark.parametrize("gaps", [False, True])
def test_burgs_autoregression_is_that_of_the_noise(gaps: bool) -> None:
    """Missing samples have no effect, for any values in their rows."""
    from scipy.signal import lfilter

    true = np.array([1.0, 0.9, 0.4])
    e = lfilter([1.0], true, np.random.default_rng(3).standard_normal(50_000))
    kept = np.arange(len(e)) % 9 > (2 if gaps else -1)
    e[~kept] = 100.0
    result, variance = burg(e, kept, 2)
    assert result == pytest.approx(true, abs=0.02)
    assert variance == pytest.approx(1.0, rel=0.03)
