"""The quadratic program on a box: optimality conditions on random problems, and loads that rows can just hold."""

from itertools import combinations

import numpy as np
import pytest

from symoro.simulation.box_qp import InfeasibleError, implied_rows, solve_box


def random_problem(rng):
    """Rows of any rank and scale, some of them zero or repeated; friction and stops."""
    m, n = int(rng.integers(1, 13)), int(rng.integers(1, 7))
    M = rng.normal(size=(m, n)) * 10.0 ** rng.uniform(-3, 3, size=(m, 1))
    M[rng.random(m) < 0.1] = 0.0
    for i in np.flatnonzero(rng.random(m) < 0.3):
        M[i] = M[rng.integers(m)] * rng.normal()
    size = 10.0 ** rng.uniform(-3, 3, size=m)
    stop = rng.random(m) < 0.3
    b = M @ rng.normal(size=n) * 10.0 ** rng.uniform(-3, 3)
    b += rng.normal(size=m) * (
        rng.random(m) < 0.3
    )  # a part outside the range of G: joints that follow a motion
    return M, b, np.where(stop, 0.0, -size), np.where(stop, np.inf, size)


def optimality_error(G, b, lo, hi, result):
    """The largest violation of the conditions of Karush, Kuhn and Tucker, of the largest term of each gradient."""
    gradient = G @ result.forces + b
    terms = np.abs(b) + np.abs(G) @ np.abs(result.forces)
    largest = (terms / np.sqrt(np.maximum(np.diag(G), 1e-300))).max()
    size = np.maximum(terms, largest * np.sqrt(np.diag(G))) + 1e-300
    inside = (result.forces > lo) & (result.forces < hi)
    wrong = np.where(
        inside,
        np.abs(gradient),
        np.where(result.forces <= lo, np.maximum(-gradient, 0), np.maximum(gradient, 0)),
    )
    assert (result.forces >= lo).all() and (result.forces <= hi).all()
    return (wrong / size).max()


def test_random_problems_of_any_rank_meet_the_optimality_conditions():
    rng, solved = np.random.default_rng(1), 0
    for _ in range(600):
        M, b, lo, hi = random_problem(rng)
        G = M @ M.T
        try:
            result = solve_box(G, b, lo, hi, rng.random(len(b)) < 0.5)
        except InfeasibleError:
            assert np.isinf(hi).any()  # friction alone can always be solved
            continue
        assert optimality_error(G, b, lo, hi, result) < 1e-9
        other = solve_box(G, b, lo, hi, rng.random(len(b)) < 0.5)
        motion = result.forces @ M, other.forces @ M  # of least distance: unique, from whatever face
        assert np.abs(motion[0] - motion[1]).max() <= 1e-5 * (1e-9 + np.abs(motion[0]).max())
        solved += 1
    assert solved > 500


def test_stops_that_contradict_each_other_are_infeasible():
    for G, b in (([[0.0]], [-1.0]), ([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0])):
        m = len(b)
        with pytest.raises(InfeasibleError):
            solve_box(np.array(G), np.array(b), np.zeros(m), np.full(m, np.inf), np.ones(m, dtype=bool))


def moving_rows(W, force, most):
    """The accelerations of rows at rest on a unit inertia, of the largest term."""
    G, b = W @ W.T, W @ force
    result = solve_box(G, b, -most, most, np.ones(len(most), dtype=bool))
    return result.gradient / (np.linalg.norm(W, axis=1) * np.linalg.norm(force)), result


@pytest.mark.parametrize("seed", range(6))
def test_dependent_rows_hold_the_largest_load_over_all_directions_of_slip(seed):
    """The largest f'u / sum FS |w u| is met by a u for which as many rows stand as possible: all are enumerated."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 4)), 6
    W, most, force = rng.normal(size=(m, n)), rng.uniform(0.5, 2, size=m), 20 * rng.normal(size=n)
    share = 0.0
    for still in combinations(range(m), n - 1):
        u = np.linalg.svd(np.vstack([W[list(still)], np.zeros((1, n))]))[2][-1]
        share = max(share, abs(force @ u) / (most @ np.abs(W @ u)))
    assert np.abs(moving_rows(W, force / share * (1 - 1e-9), most)[0]).max() < 1e-11
    slips, _ = moving_rows(W, force / share * (1 + 1e-6), most)
    assert np.abs(slips).max() > 1e-8 and (np.abs(slips) < 1e-11).sum() == n - 1


@pytest.mark.parametrize("small", [1e-3, 1e-6, 1e-9, 1e-12])
def test_a_row_with_next_to_no_friction_is_not_held_by_one_with_much(small):
    excess = small / np.hypot(0.5, 2 * small)  # the load of the second row is twice its friction
    slips, result = moving_rows(np.eye(2), np.array([0.5, 2 * small]), np.array([1.0, small]))
    assert result.free.tolist() == [True, False] and slips[0] == 0
    assert slips[1] == pytest.approx(excess, rel=1e-9, abs=0)
    W = np.array([[1.0, 0], [0, 1], [1, 0]])
    slips, result = moving_rows(W, np.array([0.5, 2 * small]), np.array([1.0, small, 1.0]))
    assert result.free.tolist() == [True, False, True]
    assert result.forces[[0, 2]] == pytest.approx([-0.25, -0.25])
    assert slips[1] == pytest.approx(excess, rel=1e-9, abs=0)


@pytest.mark.parametrize("bend", [0, 1e-13, 1e-11, 1e-6, 1e-3])
def test_rows_that_are_almost_the_same_hold_almost_the_same(bend):
    W = np.array([[1.0, 0.0], [1.0, bend], [0.0, 1.0]])
    assert np.abs(moving_rows(W, np.array([1.5, 0.0]), np.ones(3))[0]).max() < 1e-12
    slips, result = moving_rows(W, np.array([2.2, 0.0]), np.ones(3))
    assert slips[0] == pytest.approx(0.2 / 2.2, rel=1e-9)  # 1.1 times what both rows hold
    assert slips[1] == pytest.approx(slips[0], rel=2e-3) and abs(slips[2]) < 1e-12
    assert result.forces == pytest.approx([-1, -1, bend])


def test_a_row_that_held_rows_imply_is_recognised():
    W = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, -1.0]])
    held = np.array([True, True, False])
    assert implied_rows(W @ W.T, held).tolist() == [True, True, True]
    assert implied_rows(W @ W.T, np.array([True, False, False])).tolist() == [True, False, False]
