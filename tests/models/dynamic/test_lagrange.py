"""Lagrange form by both methods and expanded, against momentum; and the example of the paper."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symoro
from symoro.errors import NotApplicableError, ProgramError
from symoro.expr.scalar import Expr
from symoro.models.dynamic import lagrange as lagrange_model
from symoro.models.kinematic.factoring import simplified
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.robot.topology import moving_joints
from tests.models.dynamic.cases import error, examples, heavy_trees, oracle, outputs, seeded_tree, state
from tests.oracle.dynamics import difference

CLOSE = 1e-11
WAYS = ("christoffel", "recursive")


def ways(robot: Robot) -> list[str]:
    free = len(independent(robot)) == len(moving_joints(robot))
    return [way for way in WAYS if free or way == "christoffel"]


def check(robot: Robot, seed: int, **options: Any) -> None:
    at = state(robot, seed)
    truth = oracle(robot, at)
    q, qd = at["q"], at["qd"]
    A, D, Q = truth.inertia(q), truth.coriolis(q), truth.weight(q)
    for way in ways(robot):
        result = outputs(robot, "lagrange", at, coriolis=way, **options)
        assert error(result["A"], A) < CLOSE, way
        assert error(result["D"], D) < CLOSE, way
        assert error(result["B"], D @ qd) < CLOSE, way
        assert error(result["Q"], Q) < CLOSE, way
        assert np.array_equal(result["D"], result["D"].transpose(0, 2, 1)), way


@given(heavy_trees(most=4), st.integers(0, 1000))
@examples(20)
def test_random_trees(robot: Robot, seed: int) -> None:
    check(robot, seed)


@given(heavy_trees(most=2), st.integers(0, 1000))
@examples(12)
def test_expanded(robot: Robot, seed: int) -> None:
    check(robot, seed, expanded=True)


@pytest.mark.parametrize("name", ["planar2r", "planar3r", "cartpole", "scara"])
def test_expanded_library(name: str) -> None:
    robot = symoro.load(name)
    nominal = {s: 0.3 + k / 7 for k, s in enumerate(robot.symbols())} | dict(robot.nominal)
    check(robot.replace(nominal=tuple(nominal.items())), 1, expanded=True)


@pytest.mark.parametrize("seed", range(6))
def test_seeded_trees(seed: int) -> None:
    check(seeded_tree(seed, 5), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3000, 3100))
def test_many_seeded_trees(seed: int) -> None:
    check(seeded_tree(seed, 2 + seed % 5), seed)


# -- identities


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("way", WAYS)
def test_identities(seed: int, way: str) -> None:
    robot = seeded_tree(seed, 4, coupled=False)
    at = state(robot, seed)
    truth = oracle(robot, at)
    q, qd = at["q"], at["qd"]
    model = symoro.generate(robot, "lagrange", coriolis=way)
    f = model.function(compiled=False)
    result = f(q=q, qd=qd)
    # dA/dt - 2B is skew-symmetric, and dA/dt = B + B'
    rate = difference(lambda x: f(q=x, qd=qd)["A"], q) @ qd
    assert error(rate, result["B"] + result["B"].T) < 1e-9
    # B qd is what is left of H without weight, friction, wrenches and the motion of the base
    assert error(result["B"] @ qd, truth.inertial(q, qd, 0 * qd)) < CLOSE


@pytest.mark.parametrize("name", ["planar3r", "scara", "rx90", "stanford"])
def test_coriolis_torques_are_the_bias_without_weight_and_friction(name: str) -> None:
    robot = symoro.load(name)
    numbers = {s: 0.3 + k / 7 for k, s in enumerate(robot.symbols())} | dict(robot.nominal)
    robot = robot.replace(nominal=tuple(numbers.items()))
    at = state(robot)
    result = outputs(robot, "lagrange", at)
    H, Q = outputs(robot, "bias-torques", at)["H"], outputs(robot, "gravity-torques", at)["Q"]
    friction = [
        robot.frame(j).FV.value(numbers) * x + robot.frame(j).FS.value(numbers) * np.sign(x)
        for j, x in zip(independent(robot), at["qd"], strict=True)
    ]
    assert error(result["B"] @ at["qd"], H - Q - friction) < CLOSE
    assert error(result["Q"], Q) < CLOSE


def test_recursive_says_that_it_does_not_treat_coupled_joints() -> None:
    robot = seeded_tree(1, 5, coupled=True)
    with pytest.raises(NotApplicableError, match="coupled") as caught:
        symoro.generate(robot, "lagrange", coriolis="recursive")
    assert "christoffel" in str(caught.value.hint)


# -- the 3R of Filip, 2008, section 4


def printed() -> dict[str, Any]:
    """The printed equations: A, gravity, and the quadratic forms in the velocities.

    As ERRATA.md has it, "+ m[3]" in Q[2] and Q[3] is a product, and the scan lost a cosine in Q[1].
    """
    sympy = pytest.importorskip("sympy")
    q1, q2, q3, a, b, c = sympy.symbols("q1 q2 q3 qd1 qd2 qd3")
    m1, m2, m3, J1, J2, J3, g = sympy.symbols("m1 m2 m3 Jm1 Jm2 Jm3 g")
    cos, sin = sympy.cos, sympy.sin
    C2, C3, C23, S2, S3, S23 = cos(q2), cos(q3), cos(q2 + q3), sin(q2), sin(q3), sin(q2 + q3)
    A12 = (1 + 2 * C2) * m2 + (5 + 4 * C2 + 4 * C3 + 2 * C23) * m3
    A13 = (1 + 2 * C3 + 2 * C23) * m3
    A23 = (1 + 2 * C3) * m3
    A = [
        [J1 + m1 + (5 + 4 * C2) * m2 + (9 + 8 * C2 + 4 * C3 + 4 * C23) * m3, A12, A13],
        [A12, J2 + m2 + (5 + 4 * C3) * m3, A23],
        [A13, A23, J3 + m3],
    ]
    C1, C12, C123 = cos(q1), cos(q1 + q2), cos(q1 + q2 + q3)
    Q = [
        g * C1 * m1 + (2 * g * C1 + g * C12) * m2 + (2 * g * C1 + 2 * g * C12 + g * C123) * m3,
        g * C12 * m2 + (2 * g * C12 + g * C123) * m3,
        g * C123 * m3,
    ]
    e2, e3 = -2 * m2 * S2 + m3 * (-4 * S2 - 2 * S23), m3 * (-2 * S3 - 2 * S23)
    quadratic = [
        2 * e2 * a * b + e2 * b**2 + 2 * e3 * a * c + 2 * e3 * b * c + e3 * c**2,
        -e2 * a**2 - 4 * m3 * S3 * a * c - 4 * m3 * S3 * b * c - 2 * m3 * S3 * c**2,
        -e3 * a**2 + 4 * m3 * S3 * a * b + 2 * m3 * S3 * b**2,
    ]
    return {"A": A, "Q": Q, "quadratic": quadratic, "qd": (a, b, c)}


def _plain(value: Any) -> Any:
    """The same with symbols of which nothing is assumed."""
    sympy = pytest.importorskip("sympy")
    return value.xreplace({s: sympy.Symbol(s.name) for s in value.free_symbols})


@pytest.mark.parametrize("way", WAYS)
def test_filip(way: str) -> None:
    """Term by term, without a trigonometric identity between ours and the paper's."""
    sympy = pytest.importorskip("sympy")
    paper = printed()
    model = symoro.generate(symoro.load("planar3r"), "lagrange", expanded=True, coriolis=way)
    result = {name: _plain(value) for name, value in model.to_sympy().items()}
    assert result["A"].expand() == sympy.Matrix(paper["A"]).expand()
    assert result["Q"].expand() == sympy.Matrix(paper["Q"]).expand()
    qd = sympy.Matrix(paper["qd"])
    assert (result["B"] * qd).expand() == sympy.Matrix(paper["quadratic"]).expand()
    for i, form in enumerate(paper["quadratic"]):
        for j in range(3):
            for k in range(3):
                half = sympy.diff(form, qd[j], qd[k]) / 2
                assert sympy.expand(result["D"][i, j, k] - half) == 0


def test_filip_reads_as_printed() -> None:
    """Sums of angles by their names, each element written out, no other intermediate variable."""
    pytest.importorskip("sympy")
    text = str(symoro.generate(symoro.load("planar3r"), "lagrange", expanded=True))
    equations = text[text.index("\nC1 =") :].splitlines()[:-1]  # the last line is the number of lines
    named = [line.split(" =")[0] for line in equations if " = cos(" in line or " = sin(" in line]
    assert sorted(named) == ["C1", "C12", "C123", "C2", "C23", "C3", "S2", "S23", "S3"]
    elements = [line for line in equations if line and line.split(" =")[0] not in named]
    assert all(re.match(r"[ABQD]\[[\d,]+\] = ", line) for line in elements)
    assert "Q[3] = m3*g*C123" in equations
    assert {"A[3,3] = m3 + Jm3", "A[3,3] = Jm3 + m3"} & set(equations)


def test_filip_torques() -> None:
    """The other models give the same numbers."""
    robot = symoro.load("planar3r")
    at = state(robot)
    result = outputs(robot, "lagrange", at, expanded=True)
    tau = result["A"] @ at["qdd"] + result["B"] @ at["qd"] + result["Q"]
    assert error(tau, outputs(robot, "inverse-dynamics", at)["tau"]) < CLOSE
    assert error(tau, oracle(robot, at).torques(at["q"], at["qd"], at["qdd"])) < CLOSE


def test_what_is_too_long_keeps_names() -> None:
    pytest.importorskip("sympy")
    robot = seeded_tree(1, 4, coupled=False)
    model = symoro.generate(robot, "lagrange", expanded=True)
    assert len(str(model)) < 2_000_000


@pytest.mark.parametrize("name", ["rx90", "humanoid_torso", "3rrr", "jaco2", "panda"])
def test_what_cannot_be_written_is_rejected_before_the_work(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entries with most operations come first: a few of the hundreds are simplified."""
    tried = []

    def counted(value: Expr) -> Expr:
        tried.append(value)
        return simplified(value)

    monkeypatch.setattr(lagrange_model, "simplified", counted)
    with pytest.raises(ProgramError, match=r"cannot be expanded: B\[\d,\d\] would be") as raised:
        symoro.generate(name, "lagrange", expanded=True)
    assert "omit the option 'expanded'" in str(raised.value)
    assert 0 < len(tried) <= 16


@pytest.mark.parametrize("name", ["puma560", "stanford", "ur5e"])
def test_what_can_be_written_is_not_rejected(name: str) -> None:
    model = symoro.generate(name, "lagrange", expanded=True)
    assert max(len(line) for line in str(model).split("\n\n")) > 1000
