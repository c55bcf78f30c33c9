"""Determinants against NumPy, and the readable text of singularities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symoro
from symoro.errors import NotApplicableError
from symoro.expr.formula import formula
from symoro.models.kinematic.singularities import Condition
from symoro.models.solvers import block_sign, diagonal_blocks, minor, permutation_sign
from symoro.robot.description import Frame, JointType, Link, Robot
from tests.effort import Effort
from tests.oracle.numeric import Array, Numeric, Where
from tests.oracle.robots import numbers, places

ANGLES = ("0", "pi/2", "-pi/2")


def determinant(robot: Robot, q: Array, to: Where | None = None) -> float:
    return float(symoro.generate(robot, "jacobian-determinant", to=to).function(compiled=False)(q=q)["det"])


@st.composite
def arms(draw: st.DrawFn, joints: int) -> Robot:
    """Draw serial arms with typical geometry: mostly right angles, few lengths, some oblique angles."""
    frames = []
    for j in range(joints):
        geometry = draw(places(serial=True))
        geometry["alpha"] = formula(draw(st.sampled_from([*ANGLES, "pi/2", "-pi/2", "0.3"])))
        sigma = draw(st.sampled_from([JointType.REVOLUTE] * 5 + [JointType.PRISMATIC]))
        frames.append(Frame(j, sigma, **geometry))
    values = {"a1": 0.7, "a2": -0.4, "L1": 0.5, "L2": -0.31, "L3": 0.17}
    return Robot("arm", tuple(frames), (Link(),) * joints, nominal=tuple(values.items()))


@pytest.mark.parametrize(
    "name", ["rx90", "puma560", "stanford", "ur5e", "tx40", "irb120", "jaco2", "akr3000"]
)
def test_the_determinant_of_six_joints(name: str) -> None:
    robot = symoro.load(name).tree()
    oracle, to = Numeric(robot), "tool" if robot.tool else robot.NL
    for seed in range(3):
        q = numbers(seed, len(oracle.own))
        jacobian = oracle.jacobian(q, to)
        wanted = np.linalg.det(jacobian[:, np.abs(jacobian).max(axis=0) > 0])
        assert determinant(robot, q) == pytest.approx(wanted, rel=1e-9, abs=1e-15)


@pytest.mark.first(1)
@pytest.mark.parametrize("name", ["iiwa14", "panda", "lwr4plus"])
def test_the_determinant_of_seven_joints(name: str) -> None:
    """J J', expanded or as a program with intermediate variables, with a bound on the number of graph nodes."""
    robot = symoro.load(name)
    with Effort(most=20_000_000):  # 3.6 million at most when this was written
        model = symoro.generate(robot, "jacobian-determinant")
    oracle, q = Numeric(robot), numbers(1, 7)
    jacobian = oracle.jacobian(q, "tool")
    result = model.function(compiled=False)(q=q)["det"]
    assert result == pytest.approx(np.linalg.det(jacobian @ jacobian.T), rel=1e-9)
    assert model.program.header[-1][1].startswith("determinant of J J'")


def test_the_determinant_of_four_joints() -> None:
    """SCARA: the four rows that are not identically zero."""
    robot, q = symoro.load("scara"), numbers(2, 4)
    jacobian = Numeric(robot).jacobian(q, 4)
    wanted = np.linalg.det(jacobian[[0, 1, 2, 5]])
    assert abs(determinant(robot, q)) == pytest.approx(abs(wanted), rel=1e-12)


@settings(max_examples=12, deadline=None)
@given(arms(6), st.integers(0, 99))
def test_any_arm_of_six_joints(robot: Robot, seed: int) -> None:
    q = numbers(seed, 6)
    jacobian = Numeric(robot).jacobian(q, 6)
    wanted = np.linalg.det(jacobian)
    assert determinant(robot, q) == pytest.approx(wanted, rel=1e-8, abs=1e-12)
    result = symoro.singularities(robot)
    assert result.meaning == "J"
    sizes = np.linalg.svd(jacobian, compute_uv=False)
    assert result.always == (sizes[-1] < 1e-12)


@settings(max_examples=5, deadline=None)
@given(arms(3) | arms(4) | arms(5), st.integers(0, 99))
def test_arms_with_fewer_joints(robot: Robot, seed: int) -> None:
    """The determinant is zero where the whole Jacobian loses rank."""
    q = numbers(seed, robot.NL)
    jacobian = Numeric(robot).jacobian(q, robot.NL)
    result, value = symoro.singularities(robot), determinant(robot, q)
    columns = jacobian[:, np.abs(jacobian).max(axis=0) > 0]
    if result.meaning == "J' J":
        assert value == pytest.approx(np.linalg.det(columns.T @ columns), rel=1e-8, abs=1e-12)
    if np.linalg.matrix_rank(columns, tol=1e-10) < columns.shape[1]:
        assert value == pytest.approx(0, abs=1e-10)


# -- readable text


def test_the_singularities_of_the_rx90() -> None:
    result = symoro.singularities(symoro.load("rx90"))
    assert result.conditions == (
        Condition(("cos(q3)",), "q3 = pi/2 or -pi/2"),
        Condition(("sin(q5)",), "q5 = 0 or pi"),
        Condition(("D3*cos(q2) - RL4*sin(q2 + q3)",)),
    )
    assert str(result).splitlines() == [
        "RX90: determinant of J",
        "  cos(q3) = 0   at q3 = pi/2 or -pi/2",
        "  sin(q5) = 0   at q5 = 0 or pi",
        "  D3*cos(q2) - RL4*sin(q2 + q3) = 0",
    ]


def test_the_factors_of_the_rx90_in_the_model() -> None:
    text = str(symoro.generate(symoro.load("rx90"), "jacobian-determinant"))
    body = text.split("-----\n", 1)[1].splitlines()
    assert "F1 = RL4*S23 - D3*C2" in body
    assert "det = -F1*RL4*S5*D3*C3" in body


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("puma560", ["sin(q5)", "D4*sin(q3) - RL4*cos(q3)"]),
        ("stanford", ["sin(q2)", "q3", "sin(q5)"]),
        ("ur5e", ["sin(q3)", "sin(q5)"]),
        ("scara", ["sin(q2)"]),
        ("planar2r", ["sin(q2)"]),
        ("planar3r", ["sin(q2)"]),
        ("tx40", ["sin(q3)", "sin(q5)"]),
        ("iiwa14", ["sin(q4)"]),
        ("gantry", []),
    ],
)
def test_singularities_of_known_robots(name: str, expected: list[str]) -> None:
    result = [c.expression for c in symoro.singularities(symoro.load(name)).conditions]
    assert set(expected) <= set(result)
    assert result or not expected


def test_never_and_always() -> None:
    assert str(symoro.singularities(symoro.load("gantry"))).endswith("never zero")
    parallel = Robot("parallel", tuple(Frame(j, d=formula("1")) for j in range(6)), (Link(),) * 6)
    result = symoro.singularities(parallel)
    assert result.always and str(result).endswith("zero in every configuration")
    assert determinant(parallel, numbers(0, 6)) == 0


def test_singular_by_way_of_sines_and_cosines() -> None:
    """Four parallel axes and two others: the pattern of zeros does not show the singularity, trigonometry does."""
    alphas = ("pi/2", "0.4", "0", "0", "0", "0.9")
    frames = tuple(Frame(j, alpha=formula(a), d=formula("1/3")) for j, a in enumerate(alphas))
    robot = Robot("four", frames, (Link(),) * 6)
    assert symoro.singularities(robot).always
    assert determinant(robot, numbers(3, 6)) == 0
    with pytest.raises(NotApplicableError, match="singular in every configuration"):
        symoro.generate(robot, "inverse-kinematics")


def test_an_incomplete_answer_says_so() -> None:
    robot = Robot(
        "general",
        tuple(Frame(j, alpha=formula(f"a{j}"), d=formula(f"d{j}")) for j in range(6)),
        (Link(),) * 6,
    )
    result = symoro.singularities(robot)
    assert not result.complete and not result.always and result.notes
    assert "incomplete: there may be other singular configurations" in str(result)
    assert "never zero" not in str(result)


def test_no_joint_moves_the_frame() -> None:
    robot = symoro.load("rx90")
    for name in ("jacobian-determinant", "jacobian-inverse", "inverse-kinematics"):
        with pytest.raises(NotApplicableError, match="no joint moves frame 0"):
            symoro.generate(robot, name, to=0)
    with pytest.raises(NotApplicableError, match="no joint moves frame 0"):
        symoro.singularities(robot, 0)
    stand = Robot("stand", (Frame(0, JointType.FIXED),), (Link(),))
    with pytest.raises(NotApplicableError, match="it has no moving joint"):
        symoro.singularities(stand)


def test_six_joints_are_little_work() -> None:
    symoro.singularities(symoro.load("scara"))  # SymPy is imported here
    for name in ("rx90", "puma560", "stanford"):
        with Effort(most=1_500_000):  # 0.3 million at most when this was written
            symoro.generate(symoro.load(name), "jacobian-determinant")


# -- block by block


@given(st.integers(1, 5), st.integers(0, 999), st.floats(0.2, 0.9))
def test_blocks_and_minors(n: int, seed: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-3, 4, (n, n)) * (rng.random((n, n)) < density)
    wanted = np.linalg.det(matrix)
    rows = [[int(x) for x in row] for row in matrix]
    assert minor(rows, range(n), range(n)) == pytest.approx(wanted, abs=1e-9)
    blocks = diagonal_blocks(rows)
    if blocks is None:
        assert wanted == pytest.approx(0, abs=1e-9)
        return
    product = block_sign(blocks) * np.prod([float(minor(rows, b.rows, b.columns)) for b in blocks])
    assert product == pytest.approx(wanted, abs=1e-9)


@given(st.permutations(range(6)))
def test_the_sign_of_a_permutation(order: list[int]) -> None:
    assert permutation_sign(order) == round(np.linalg.det(np.eye(6)[order]))
