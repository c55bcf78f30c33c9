"""Test all solutions of closed loops: they contain the configuration of each arm and nothing false."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from symoro.errors import ProgramError
from symoro.expr import kernels
from symoro.expr.evaluate import evaluate
from symoro.expr.graph import Graph
from symoro.expr.kernels.closed_chain import closed_chain_, wrapped
from symoro.models.geometric.inverse.general.plan import plan
from tests.oracle.loops import ARMS, MANSEUR_DOTY, Arm, general, kinds_with

CASES = {
    **ARMS,
    "general 6R": general(kinds_with(), 1),
    "5R1P": general(kinds_with(2), 2),
    "4R2P": general(kinds_with(2, 4), 3),
    "4R2P, three apart": general(kinds_with(1, 4), 4),
    "3R3P": general(kinds_with(1, 2, 3), 5),
}
MANY = {
    **ARMS,
    **{f"6R {seed}": general(kinds_with(), seed) for seed in range(100, 120)},
    **{f"5R1P {k}": general(kinds_with(k), 200 + k) for k in range(1, 7)},
    **{f"4R2P {k}": general(kinds_with(*k), 300 + sum(k)) for k in itertools.combinations(range(1, 7), 2)},
}


PLANS: dict[int, tuple[float, ...]] = {}


def planned(arm: Arm) -> tuple[float, ...]:
    """Return the plan of an arm, computed once for all tests."""
    if id(arm) not in PLANS:
        PLANS[id(arm)] = plan(arm.kinds, arm.sample)
    return PLANS[id(arm)]


def solve(arm: Arm, constants: np.ndarray, numbers: tuple[float, ...]) -> np.ndarray:
    """Return the solutions (..., 16, 7)."""
    result = closed_chain_(list(np.moveaxis(constants, -1, 0)), list(arm.kinds), list(numbers))
    return result.reshape(*constants.shape[:-1], 16, 7)


def check(arm: Arm, poses: int, share: float = 1.0) -> None:
    rng = np.random.default_rng(17)
    drawn = [arm.sample(rng) for _ in range(poses)]
    constants, q = (np.array(part) for part in zip(*drawn, strict=True))
    table = solve(arm, constants, planned(arm))
    valid = table[..., 6] < 1e29
    near = np.abs(wrapped(list(arm.kinds), table[..., :6] - q[:, None])).max(-1) < 1e-6
    assert (near & valid).any(1).mean() >= share
    assert table[..., 6][valid].max() < 1e-9
    assert (np.diff(valid.astype(int)) <= 0).all()  # empty slots come last
    for own, kept, pose in zip(table, valid, (arm.pose(x) for x in q), strict=True):
        for solution in own[kept]:
            assert np.abs(arm.pose(solution[:6]) - pose).max() < 1e-9
    angles = table[..., :6][..., np.array(arm.kinds) == 0]
    assert ((angles > -np.pi) & (angles <= np.pi)).all()


@pytest.mark.parametrize("name", CASES)
def test_solutions_contain_the_configuration(name: str) -> None:
    check(CASES[name], 40)


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
def test_solutions_contain_a_thousand_configurations(name: str) -> None:
    check(MANY[name], 1000, 0.999)


def test_sixteen_solutions() -> None:
    """Check the arm with sixteen solutions of Manseur and Doty, IJRR 8(5), 1989."""
    hand = np.eye(4)
    hand[:3] = [
        [-0.760117, -0.641689, 0.102262, -1.140175],
        [0.133333, 0, 0.991071, 0],
        [-0.635959, 0.766965, 0.085558, 0],
    ]
    u, _, v = np.linalg.svd(hand[:3, :3])
    hand[:3, :3] = u @ v
    table = solve(MANSEUR_DOTY, MANSEUR_DOTY.constants(hand), planned(MANSEUR_DOTY))
    assert table[:, 6].max() < 1e-12
    theta1 = [2.517, 168.322, -12.943, -96.285, -120.788, 88.679, 113.844, -178.126]
    assert np.rad2deg(table[:, 0]) == pytest.approx(np.repeat(np.sort(theta1), 2), abs=1e-3)
    first = np.deg2rad([2.5172, 108.0759, 112.0431, -10.5230, 0.0051, -0.1095])
    assert np.abs(table[:, :6] - first).max(1).min() < 2e-6


@pytest.fixture(scope="module")
def puma() -> tuple[Arm, tuple[float, ...]]:
    arm = ARMS["puma560"]
    return arm, planned(arm)


def test_order_and_scale(puma: tuple[Arm, tuple[float, ...]]) -> None:
    """Check that slots are ordered by q1, q2 ..., and that millimetres give the same angles as metres."""
    arm, numbers = puma
    constants, _ = arm.sample(np.random.default_rng(2))
    table = solve(arm, constants, numbers)[:8]
    keys = [tuple(np.round(row[:6], 6)) for row in table]
    assert keys == sorted(keys)
    longer = constants.copy()
    longer[3::4] *= 1000
    assert solve(arm, longer, numbers)[:8, :6] == pytest.approx(table[:, :6], abs=1e-9)


def test_a_rounded_pose(puma: tuple[Arm, tuple[float, ...]]) -> None:
    arm, numbers = puma
    constants, q = arm.sample(np.random.default_rng(3))
    table = solve(arm, constants.astype(np.float32).astype(float), numbers)[:8]
    assert np.abs(wrapped(list(arm.kinds), table[:, :6] - q)).max(1).min() < 1e-5
    assert table[:, 6].max() < 1e-6


@pytest.mark.parametrize("name", ["puma560", "rx90", "ur5", "jaco2", "panda, joint 7 locked"])
def test_singular_poses(name: str) -> None:
    """Check a straight wrist, a stretched elbow and the zero configuration: no false solutions."""
    arm = ARMS[name]
    rng = np.random.default_rng(4)
    configurations = [arm.values(rng) * np.array(mask) for mask in ((1, 1, 1, 1, 0, 1), (1, 1, 0, 1, 1, 1))]
    configurations += [np.zeros(6), np.full(6, np.pi / 2)]
    constants = np.array([arm.constants(arm.pose(q)) for q in configurations])
    table = solve(arm, constants, planned(arm))
    valid = table[..., 6] < 1e29
    assert valid.any(1).all()
    assert not np.isnan(table).any()
    assert table[..., 6][valid].max() < 1e-9


def test_no_solution(puma: tuple[Arm, tuple[float, ...]]) -> None:
    arm, numbers = puma
    constants, _ = arm.sample(np.random.default_rng(5))
    bad = np.stack([constants] * 6)
    bad[0, 63::4] *= 50  # out of reach
    bad[1, 5], bad[2, 7] = np.nan, np.inf
    bad[3], bad[4] = 0, 1e200
    bad[5] = np.random.default_rng(6).normal(size=72)
    table = solve(arm, bad, numbers)
    assert (table[..., 6] == 1e30).all()
    assert (table[..., :6] == 0).all()
    assert (solve(arm, constants, (np.nan,) * 12)[:, 6] == 1e30).all()


def test_in_an_expression(puma: tuple[Arm, tuple[float, ...]]) -> None:
    """Check entries that are numbers, or arrays over samples."""
    arm, numbers = puma
    g = Graph()
    entries = [g.symbol(f"c{k}") for k in range(72)]
    fixed = [[g.number(x) for x in part] for part in (arm.kinds, numbers)]
    made = kernels.call(g, "closed_chain", [entries, *fixed])
    assert len(made) == 112
    rng = np.random.default_rng(7)
    constants = np.array([arm.sample(rng)[0] for _ in range(3)])
    many = evaluate(g, made, {f"c{k}": constants[:, k] for k in range(72)})
    one = evaluate(g, made, {f"c{k}": float(constants[1, k]) for k in range(72)})
    assert all(type(value) is float for value in one)
    assert [value[1] for value in many] == pytest.approx(one, abs=1e-12)


@pytest.mark.parametrize("lengths", [(72, 6, 11), (72, 6), (71, 6, 12)])
def test_wrong_sizes(lengths: tuple[int, ...]) -> None:
    g = Graph()
    with pytest.raises(ProgramError, match="closed_chain requires 72 constants"):
        kernels.call(g, "closed_chain", [[g.symbol("a")] * n for n in lengths])


def test_no_derivatives() -> None:
    kernel = kernels.KERNELS["closed_chain"]
    assert kernel.forward is None and kernel.reverse is None
    assert all(count > 0 for count in kernel.cost([72, 6, 12]))
