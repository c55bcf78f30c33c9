"""Pieper's method: every position of the spherical joint, all kinds and arrangements of the other joints.

`tests/models/geometric/test_inverse_geometry.py` checks the same classes with the method that is selected for them.
Here the method is prescribed, and the arms cover the branches of its formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.expr.evaluate import evaluate
from symoro.expr.scalar import symbol
from symoro.expr.substitute import substitute
from symoro.models.geometric.inverse.paul import equation_types
from symoro.models.geometric.inverse.step import Draft
from symoro.program.builder import Builder
from tests.models.geometric.postures import EMPTY, SINGULAR, VALID, Array, Solver, bundled
from tests.oracle.arms import (
    DOWN,
    FLAT,
    UP,
    Arm,
    Number,
    disguised,
    elbow_arm,
    general,
    length,
    oblique,
    oblique_wrist,
    puma_like,
    quartic_wrist,
    right,
    serial,
    spherical_shoulder,
    three_axes,
    three_prismatic,
)

POSES = 40


def drawn(
    centre: int, kinds: str, seed: int, bend: Sequence[Number | None] = (), meet: Sequence[int] = ()
) -> Arm:
    """Return an arm whose axes around `centre` intersect; the other three joints are of the given kinds.

    Joints have the angles of `bend` with respect to the previous axis, oblique ones for None; joints of `meet`
    intersect it.
    """
    rng = np.random.default_rng([seed, centre, *map(ord, kinds)])
    angles: list[Number] = [oblique(rng) for _ in range(6)]
    d, r = ([length(rng) for _ in range(6)] for _ in range(2))
    others = [j for j in range(1, 7) if abs(j - centre) > 1]
    for j, angle in zip(others, bend, strict=False):
        angles[j - 1] = oblique(rng) if angle is None else angle
    for j in meet:
        d[j - 1] = 0
    d[centre - 1] = d[centre] = r[centre - 1] = 0
    sliding = [j for j, kind in zip(others, kinds, strict=True) if kind == "P"]
    robot = serial(f"{kinds}{centre}", angles, d, r, sliding, {j: oblique(rng) for j in sliding})
    return Arm(robot, 6)


def missed(arm: Arm, poses: int = POSES) -> int:
    return Solver(arm, "pieper").sweep(np.random.default_rng(3), poses=poses, counted=0)


def words(arm: Arm) -> str:
    return Solver(arm, "pieper").model.program.choices[0]


# -- structures


KINDS = ["".join(k) for k in product("RP", repeat=3)][:-1]


@pytest.mark.first(10)
@pytest.mark.parametrize(("centre", "kinds"), [*product([4, 5], KINDS), *product([2, 3], ["RRR", "PRR"])])
def test_every_place_and_kind(centre: int, kinds: str) -> None:
    assert missed(drawn(centre, kinds, 1)) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("centre", "kinds"), list(product([2, 3, 4, 5], KINDS)))
def test_many_arms_of_every_place_and_kind(centre: int, kinds: str) -> None:
    assert sum(missed(drawn(centre, kinds, seed), 1000) for seed in range(50)) == 0


@pytest.mark.first(12)
@pytest.mark.parametrize(
    ("centre", "kinds", "bend", "meet"),
    [
        (5, "RRR", (FLAT, UP, FLAT), ()),  # j and k parallel
        (5, "RRR", (FLAT, FLAT, UP), ()),  # i and j parallel
        (5, "RRR", (FLAT, UP, None), (2,)),  # i and j cross
        (5, "RRR", (FLAT, None, UP), (3,)),  # j and k cross
        (5, "RRR", (FLAT, UP, DOWN), (2, 3)),
        (5, "RRP", (FLAT, UP, UP), ()),  # k slides square to j
        (5, "RRP", (FLAT, UP, FLAT), ()),  # k slides along j
        (5, "RRP", (FLAT, FLAT, None), ()),
        (5, "RPR", (FLAT, UP, None), ()),  # j square to i
        (5, "RPR", (FLAT, FLAT, FLAT), ()),  # all along one direction
        (5, "RPP", (FLAT, UP, UP), ()),
        (5, "PRR", (FLAT, UP, None), ()),
        (5, "PRR", (FLAT, None, FLAT), ()),
        (5, "PRP", (FLAT, UP, None), ()),
        (5, "PPR", (FLAT, UP, UP), ()),
        (4, "RRR", (FLAT, FLAT, None), ()),
        (4, "RRR", (FLAT, UP, None), (2,)),
        (4, "RRP", (FLAT, UP, None), ()),
        (4, "PRP", (FLAT, UP, None), ()),
        (3, "RRR", (FLAT, None, FLAT), ()),
        (3, "RRR", (FLAT, None, UP), (6,)),
        (2, "RRR", (None, FLAT, UP), ()),
        (2, "RRR", (None, UP, UP), (6,)),
    ],
)
def test_where_the_formulas_fork(
    centre: int, kinds: str, bend: Sequence[Number | None], meet: Sequence[int]
) -> None:
    assert missed(drawn(centre, kinds, 2, bend, meet)) == 0


@pytest.mark.parametrize("places", [(1, 2, 3), (1, 3, 5), (2, 4, 6), (4, 5, 6), (1, 2, 6)])
def test_three_prismatic_joints_anywhere(places: Sequence[int]) -> None:
    rng = np.random.default_rng([5, *places])
    arm = three_prismatic(rng)
    while arm.robot.name != "prismatic" + "".join(map(str, places)):
        arm = three_prismatic(rng)
    assert missed(arm) == 0
    assert "three prismatic joints" in words(arm)


@pytest.mark.parametrize("kinds", ["RRR", "RRP", "RPR", "PRR", "PPR", "PRP", "RPP", "PPP"])
def test_three_joints_and_a_point(kinds: str) -> None:
    rng = np.random.default_rng(6)
    sliding = [j for j, kind in enumerate(kinds, 1) if kind == "P"]
    robot = serial(
        kinds,
        [FLAT, oblique(rng), oblique(rng)],
        [0, length(rng), length(rng)],
        [0, length(rng), length(rng)],
        sliding,
        {j: oblique(rng) for j in sliding},
        tool={"d": length(rng), "r": length(rng), "alpha": oblique(rng)},
    )
    assert missed(Arm(robot, "tool", pose="position")) == 0


@pytest.mark.parametrize("pose", ["axis", "full"])
def test_five_joints_two_of_which_meet(pose: str) -> None:
    """The last axis passes through the point, so that position and axis determine it."""
    rng = np.random.default_rng(7)
    angles = [FLAT, oblique(rng), oblique(rng), oblique(rng), right(rng)]
    d, r = [0, length(rng), length(rng), length(rng), 0], [0, length(rng), length(rng), length(rng), 0]
    robot = serial("five", angles, d, r, tool={"alpha": oblique(rng), "r": length(rng)})
    assert missed(Arm(robot, "tool", pose=pose)) == 0


@pytest.mark.parametrize("pose", ["full", "s,P"])
def test_four_joints_and_a_point_of_the_last_axis(pose: str) -> None:
    rng = np.random.default_rng(8)
    lengths = [[0, *(length(rng) for _ in range(3))] for _ in range(2)]
    robot = serial("four", [FLAT, *(oblique(rng) for _ in range(3))], *lengths)
    assert missed(Arm(robot, 4, pose=pose)) == 0


def test_a_hidden_spherical_joint_is_found() -> None:
    rng = np.random.default_rng(9)
    arm = disguised(quartic_wrist(rng), rng)
    assert "spherical joint 4-5-6; position RRX by a quartic in q3" in words(arm)
    assert missed(arm) == 0


# -- notes


def test_the_panda_with_its_last_joint_locked_is_solved_in_closed_form() -> None:
    panda = bundled("panda")
    assert words(panda) == "method: Pieper, spherical joint 1-2-3; position RRX by type 2 in q4"
    assert missed(panda) == 0


def test_parallel_and_crossing_axes_need_no_quartic() -> None:
    rng = np.random.default_rng(10)
    for arm in (puma_like(rng), spherical_shoulder(rng), elbow_arm(rng)):
        assert "quartic" not in words(arm)


@pytest.mark.parametrize(
    ("arm", "reason"),
    [
        (general()(np.random.default_rng(0)), "neither three revolute axes through one point nor"),
        (Arm(bundled("planar3r").robot, 3, pose="planar"), "with 3 joints"),
        (Arm(bundled("planar3r").robot, 3, pose="Px,Py"), "three to six unknown joints, got 2"),
    ],
)
def test_an_arm_without_the_structure_is_told(arm: Arm, reason: str) -> None:
    with pytest.raises(NotApplicableError, match=reason):
        Solver(arm, "pieper")


def test_explain_tells_the_structure() -> None:
    arm = quartic_wrist(np.random.default_rng(11))
    lines = symoro.generate(arm.robot, "inverse-geometry", to=6).explain()
    assert any("method: Pieper, spherical joint 4-5-6" in line for line in lines)


# -- close to a singularity


@pytest.mark.parametrize("bend", [1e-3, 1e-5, 1e-7])
def test_an_oblique_wrist_almost_straight(bend: float) -> None:
    solver = Solver(oblique_wrist(np.random.default_rng(12)), "pieper")
    for q in solver.postures(np.random.default_rng(13), 10):
        q[4] = bend
        answer = solver(solver.pose(q))
        assert solver.has(answer, q, 1e-12 / bend + 1e-6)
        assert answer.residual[answer.status == VALID].max() < 1e-13


@pytest.mark.parametrize("arm", ["wrist", "shoulder"])
def test_a_straight_spherical_joint_leaves_a_joint_free(arm: str) -> None:
    maker, straight = {"wrist": (quartic_wrist, 4), "shoulder": (spherical_shoulder, 1)}[arm]
    solver = Solver(maker(np.random.default_rng(14)), "pieper")
    for q in solver.postures(np.random.default_rng(15), 5):
        q[straight] = 0
        answer = solver(solver.pose(q), q)
        chosen = answer.status == SINGULAR
        assert chosen.any()
        assert answer.free[chosen].sum() == chosen.sum()
        assert solver.chain.distance(answer.q[chosen], q).min() < 1e-6


def test_three_slides_in_a_plane_leave_one_of_them_free() -> None:
    """Joint 3 rotates the axis of joint 4 into the plane of joints 1 and 2."""
    rng = np.random.default_rng(17)
    angles = [FLAT, UP, UP, UP, oblique(rng), oblique(rng)]
    lengths = [[length(rng) for _ in range(6)] for _ in range(2)]
    solver = Solver(Arm(serial("slides", angles, *lengths, [1, 2, 4]), 6), "pieper")
    q = solver.postures(rng, 1)[0]
    q[2] = 0
    answer = solver(solver.pose(q), q)
    singular = answer.status == SINGULAR
    assert singular.sum() == 1
    assert list(answer.free[singular][0]) == [0, 0, 0, 1, 0, 0]
    assert solver.chain.distance(answer.q[singular], q).min() < 1e-9
    elsewhere = solver(solver.pose(q), q + 0.3)
    assert solver.chain.error(elsewhere.q[singular], solver.pose(q)).max() < 1e-12


@pytest.mark.parametrize("beside", [1e-4, 1e-6, 1e-8])
def test_a_wrist_almost_above_the_shoulder(beside: float) -> None:
    angles = [FLAT, DOWN, FLAT, UP, DOWN, UP]
    solver = Solver(Arm(serial("arm", angles, [0, 0, 0.4, 0, 0, 0], [0.3, 0, 0, 0.5, 0, 0]), 6), "pieper")
    for q in solver.postures(np.random.default_rng(16), 10):
        q[2] = np.arcsin((beside - 0.4 * np.cos(q[1])) / 0.5) - q[1]
        answer = solver(solver.pose(q))
        valid = answer.status == VALID
        assert valid.sum() == 8
        assert answer.residual[valid].max() < 1e-13


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_where_two_roots_of_the_quartic_meet(seed: int) -> None:
    """Three skew axes that cannot move the point in every direction: the solution is singular and returned once.

    The configuration is known only to about 1e-9, so that its two roots are up to about 1e-6 apart.
    """
    solver = Solver(three_axes(np.random.default_rng(seed)), "pieper")
    q = folded(solver, solver.postures(np.random.default_rng(seed), 1)[0])
    answer = solver(solver.pose(q))
    near = (answer.status != EMPTY) & (solver.chain.distance(answer.q, q) < 1e-5)
    assert set(answer.status[near]) == {SINGULAR}
    assert all(solver.chain.distance(answer.q[near][:1], one).min() > 1e-7 for one in answer.q[near][1:])
    assert answer.residual[near].max() < 1e-13


def folded(solver: Solver, q: Array) -> Array:
    """Return the configuration with its third joint at a sign change of the determinant of the position's Jacobian."""

    def determinant(angle: float) -> float:
        at = np.array([*q[:2], angle])
        steps = 1e-6 * np.eye(3)
        columns = [(solver.pose(at + s) - solver.pose(at - s))[:3, 3] for s in steps]
        return float(np.linalg.det(np.array(columns) / 2e-6))

    angles = np.linspace(-3, 3, 61)
    signs = np.sign([determinant(angle) for angle in angles])
    k = int(np.flatnonzero(signs[:-1] != signs[1:])[0])
    low, high = angles[k], angles[k + 1]
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if np.sign(determinant(middle)) == signs[k] else (low, middle)
    return np.array([*q[:2], low])


# -- roots


@pytest.mark.parametrize(
    ("a", "b", "c", "roots"),
    [(1, -3, 2, (2, 1)), (0, 2, -4, (2,)), (1e-16, 2, -4, (2,)), (1e-16, -2, 4, (2,)), (1, 0, -4, (2, -2))],
)
def test_roots_where_the_square_may_vanish(a: float, b: float, c: float, roots: Sequence[float]) -> None:
    builder = Builder("roots")
    draft = Draft(builder, 9, {}, frozenset(), builder.number(1))
    x = equation_types.quadratic_root(draft, "x", *(symbol(builder.graph, name) for name in "abc"), (0, 0))
    results = []
    for choice in draft.choices:
        values = {sign >> 1: chosen.lit for sign, chosen in choice.items()}
        for target, line in draft.lines:
            values[target.lit >> 1] = substitute(builder.graph, [line.lit], values)[0]
        results += evaluate(builder.graph, [values[x.lit >> 1]], {"a": a, "b": b, "c": c})
    for root in roots:
        assert min(abs(one - root) for one in results) < 1e-12
