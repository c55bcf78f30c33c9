"""Measures of Jacobians against NumPy, in other units, near thresholds and at singular configurations."""

from __future__ import annotations

import numpy as np
import pytest

from symoro.study import jacobians

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("shape", [(6, 6), (6, 7), (6, 3), (2, 2), (3, 2)])
def test_manipulability_is_the_product_of_the_singular_values(shape: tuple[int, int]) -> None:
    J = RNG.normal(size=(50, *shape))
    s = np.linalg.svd(J, compute_uv=False)
    assert jacobians.manipulability(J) == pytest.approx(s.prod(1), rel=1e-11)
    assert jacobians.singular_values(J) == pytest.approx(s, rel=1e-12)
    assert jacobians.condition(s) == pytest.approx(s[:, 0] / s[:, -1], rel=1e-12)


def test_matrices_that_are_not_finite_give_nan_and_leave_the_others() -> None:
    J = RNG.normal(size=(3, 6, 6))
    expected = np.linalg.svd(J, compute_uv=False)
    J[1, 2, 3] = np.nan
    s = jacobians.singular_values(J)
    assert np.isnan(s[1]).all() and s[[0, 2]] == pytest.approx(expected[[0, 2]], rel=1e-12)
    assert np.isnan(jacobians.manipulability(J)).tolist() == [False, True, False]
    assert np.isnan(jacobians.rank(s)).tolist() == [False, True, False]


def test_dimensionless_jacobians_do_not_depend_on_the_unit_of_length() -> None:
    J = RNG.normal(size=(10, 6, 4))
    prismatic = np.array([False, True, False, True])
    millimetres = J.copy()
    millimetres[:, :3] *= 1000  # linear velocities in mm/s
    millimetres[:, :, prismatic] /= 1000  # joint rates in mm/s
    task = tuple(range(6))
    metres = jacobians.homogeneous(J, prismatic, 0.4, task)
    assert jacobians.homogeneous(millimetres, prismatic, 400.0, task) == pytest.approx(metres, rel=1e-12)
    assert jacobians.homogeneous(J, prismatic, 0.4, (0, 5)) == pytest.approx(metres[:, [0, 5]], rel=1e-15)


@pytest.mark.parametrize(("smallest", "rank"), [(3e-9, 2), (3e-10, 1), (0.0, 1)])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_rank_changes_at_a_relative_threshold(smallest: float, rank: int, scale: float) -> None:
    s = np.array([[1.0, smallest]]) * scale
    assert jacobians.rank(s).tolist() == [rank]


def test_a_closed_posture_without_jacobian_is_a_singularity_of_type_2() -> None:
    s = np.array([[4.0, 0.5], [np.nan, np.nan], [np.nan, np.nan]])
    first, second = jacobians.singularity_distances(s, np.array([True, True, False]))
    assert first[0] == 0.5 and second[0] == 0.25
    assert second[1] == 0 and np.isnan(second[2])
