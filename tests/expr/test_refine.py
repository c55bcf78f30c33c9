"""Test the refine kernel: near rows become exact, exact or far rows do not change, no solution occurs twice."""

from __future__ import annotations

import numpy as np
import pytest

from symoro.errors import ProgramError
from symoro.expr import kernels
from symoro.expr.graph import Graph
from tests.oracle.arms import Arm, five_axes, prismatic_arm, puma_like, three_axes
from tests.oracle.inverse_geometry import Chain

TOLERANCE = 1e-9
ARMS = [
    puma_like(np.random.default_rng(1)),
    prismatic_arm("RPR")(np.random.default_rng(2)),
    three_axes(np.random.default_rng(3)),
    five_axes(np.random.default_rng(4)),
]


class Refined:
    """Inputs of the kernel for an arm, from the frames of the oracle."""

    def __init__(self, arm: Arm) -> None:
        self.chain = Chain(arm.robot, arm.to, pose=arm.pose)
        tree = self.chain.tree
        places = [tree.rest[j][:3] for j in tree.above(self.chain.to)]
        self.placements = [*places, *([np.eye(4)[:3]] if arm.to != "tool" else [])]
        self.n = len(self.chain.unknown)
        kinds = [1 if turns else 2 for turns in self.chain.turns]
        self.marks = [self.n, TOLERANCE, *self.chain.mask.ravel().astype(int), *kinds]

    def __call__(self, T: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the rows (K, n + 2) computed by the kernel."""
        target = [
            x if known else np.nan for x, known in zip(T[:3].ravel(), self.chain.mask.ravel(), strict=True)
        ]
        inputs = [np.concatenate([p.ravel() for p in self.placements]), target, self.marks, rows.ravel()]
        result = kernels.KERNELS["refine"].evaluate([list(map(float, array)) for array in inputs])
        return np.reshape(result, rows.shape)

    def row(self, T: np.ndarray, q: np.ndarray, status: int) -> np.ndarray:
        return np.array([*q, self.chain.error(q[None], T)[0], status])


def posture(made: Refined, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    while True:
        q = rng.uniform(-2, 2, made.n)
        if made.chain.sensitivity(q)[0] > 0.03:
            return q


@pytest.mark.parametrize("arm", ARMS, ids=str)
@pytest.mark.parametrize("off", [1e-8, 1e-6, 1e-4])
@pytest.mark.parametrize("status", [0, 1, 3])
def test_what_is_near_becomes_exact(arm: Arm, off: float, status: int) -> None:
    made = Refined(arm)
    q = posture(made, 5)
    T = made.chain.place(q[None])[0]
    (result,) = made(T, made.row(T, q + off * np.linspace(-1, 1, made.n), status)[None])
    assert result[-1] == 0
    assert result[-2] < 1e-14
    np.testing.assert_allclose(made.chain.wrapped(result[:-2] - q), 0, atol=1e-11)


@pytest.mark.parametrize("arm", ARMS, ids=str)
def test_what_is_exact_or_far_or_no_number_stays(arm: Arm) -> None:
    made = Refined(arm)
    q = posture(made, 6)
    T = made.chain.place(q[None])[0]
    rows = np.array([made.row(T, q, 0), made.row(T, q + 0.5, 3), made.row(T, q + 0.5, 1), made.row(T, q, 2)])
    rows[3, 0] = rows[3, -2] = np.nan
    np.testing.assert_array_equal(made(T, rows), rows)


@pytest.mark.parametrize("first", [0, 1e-6])
def test_the_same_solution_is_kept_once(first: float) -> None:
    made = Refined(ARMS[0])
    q = posture(made, 7)
    T = made.chain.place(q[None])[0]
    result = made(
        T, np.array([made.row(T, q + first, 0), made.row(T, q - 1e-6, 0), made.row(T, q + 1e-4, 1)])
    )
    assert sorted(result[:, -1]) == [0, 3, 3]


def test_a_singular_row_stays_singular() -> None:
    made = Refined(ARMS[0])
    q = posture(made, 8)
    T = made.chain.place(q[None])[0]
    (result,) = made(T, made.row(T, q + 1e-6, 2)[None])
    assert result[-1] == 2
    assert result[-2] < 1e-14


@pytest.mark.parametrize("apart", [1e-2, 1e-3, 1e-4])
def test_two_solutions_that_almost_coincide_from_rows_between_them(apart: float) -> None:
    """Check an almost stretched elbow: both postures from two rows in the middle, where the Jacobian is singular."""
    made = Refined(ARMS[2])
    q = posture(made, 9)
    steps = np.linspace(-3, 3, 200)
    signs = [np.linalg.det(made.chain.residual(np.array([[*q[:2], x]]))[1][0]) for x in steps]
    k = int(np.flatnonzero(np.sign(signs[1:]) != np.sign(signs[:-1]))[0])
    low, high = steps[k], steps[k + 1]
    for _ in range(50):
        middle = (low + high) / 2
        sign = np.sign(np.linalg.det(made.chain.residual(np.array([[*q[:2], middle]]))[1][0]))
        low, high = (middle, high) if sign == np.sign(signs[k]) else (low, middle)
    fold = np.array([*q[:2], low])
    way = np.linalg.svd(made.chain.residual(fold[None])[1][0])[2][-1]
    one = fold + apart * way
    T = made.chain.place(one[None])[0]
    result = made(T, np.array([made.row(T, fold, 1)] * 2))
    assert list(result[:, -1]) == [0, 0]
    assert made.chain.error(result[:, :-2], T).max() < 1e-12
    assert made.chain.distance(result[:, :-2], one).min() < 1e-9
    assert made.chain.distance(result[:1, :-2], result[1, :-2])[0] > apart


def test_a_solution_beyond_reach_is_not_made_up() -> None:
    made = Refined(ARMS[2])
    T = np.eye(4)
    T[:3, 3] = 1.0
    far = np.array([0.1, 0.2, 0.3])
    T[:3, 3] = 1.001 * made.chain.place(far[None])[0, :3, 3] * 50
    row = made.row(T, far, 1)
    row[-2] = 1e-3
    np.testing.assert_array_equal(made(T, row[None])[0], row)


@pytest.mark.parametrize("lengths", [[24, 12, 15, 4], [24, 12, 15], [12, 12, 14, 2], [24, 11, 15, 3]])
def test_lengths_are_checked(lengths: list[int]) -> None:
    graph = Graph()
    with pytest.raises(ProgramError, match="refine requires"):
        kernels.call(graph, "refine", [[graph.number(0)] * n for n in lengths])
