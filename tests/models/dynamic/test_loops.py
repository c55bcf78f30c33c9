"""Dynamic models of closed loops against Lagrange multipliers, energy and each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, OptionError
from symoro.models.identification.columns import parameter_values
from symoro.robot.description import Robot
from tests.models.loop_cases import (
    DRAWN,
    GOLDEN,
    Case,
    bundled,
    drawn,
    error,
    golden,
    random_loops,
    rhombus,
    run,
)
from tests.oracle.closed import Array, Closed
from tests.oracle.dynamics import difference

CLOSE = 1e-9


def inputs(case: Case, seed: int = 3) -> dict[str, Any]:
    truth, rng = case.truth, np.random.default_rng(seed)
    qda, qdda = rng.uniform(-1.5, 1.5, truth.na), rng.uniform(-3, 3, truth.na)
    return {"q": case.q, "qda": qda, "qdda": qdda, "tau": truth.torques(case.x, qda, qdda)}


def check(case: Case, seed: int = 3) -> None:
    truth, at, robot = case.truth, inputs(case, seed), case.robot
    moved = truth.moved(case.x, at["qda"], at["qdda"])
    size = CLOSE / min(1.0, moved.condition)
    assert error(run(robot, "inverse-dynamics", at)["tau"], at["tau"]) < size
    assert error(run(robot, "bias-torques", at)["H"], truth.bias(case.x, at["qda"])) < size
    assert error(run(robot, "gravity-torques", at)["Q"], truth.weight(case.x)) < size
    A = truth.inertia(case.x)
    assert error(run(robot, "inertia-matrix", at)["A"], A) < size
    result = run(robot, "direct-dynamics", at)
    size *= max(1.0, np.linalg.cond(A) * 1e-2)
    assert error(result["qdda"], at["qdda"]) < size
    assert error(result["qdd"], moved.qdd[: truth.n]) < size
    energies = run(robot, "energy", at)
    E, U = truth.energies(case.x, at["qda"])
    assert error([energies["E"], energies["U"]], [E, U]) < CLOSE


@pytest.mark.parametrize("kind", DRAWN)
def test_drawn(kind: str) -> None:
    check(drawn(kind))


@pytest.mark.parametrize(
    ("name", "qa"),
    [("fivebar", [1.9, 0.9]), ("sr400", [0.3, 0.4, -0.2, 0.5, 0.7, 0.9]), ("slidercrank", [0.8])],
)
def test_bundled(name: str, qa: list[float]) -> None:
    check(bundled(name, qa))


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str) -> None:
    robot, data = golden(name)
    for state in data["states"]:
        at = {key: np.array(state[key]) for key in ("q", "qd", "qda", "qdda", "tau")}
        for model, keys in (
            ("inverse-dynamics", "tau"),
            ("bias-torques", "H"),
            ("gravity-torques", "Q"),
            ("inertia-matrix", "A"),
            ("direct-dynamics", "qdda qdd"),
        ):
            result = run(robot, model, at)
            for key in keys.split():
                assert error(result[key], state[key]) < 1e-8
        assert error(run(robot, "jacobian", at, to=data["to"], frame=0)["J"], state["J"]) < 1e-8
        break  # the others differ by the posture only; `loop-kinematics` has them all


def random_check(seed: int) -> None:
    case, words = random_loops(seed)
    if "crossed" in words:
        assert np.isnan(run(case.robot, "inverse-dynamics", inputs(case))["tau"]).all()
    else:
        check(case, seed)


@pytest.mark.parametrize("seed", range(3))
def test_random(seed: int) -> None:
    random_check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 60))
def test_random_many(seed: int) -> None:
    random_check(seed)


def test_compiled_and_in_batches() -> None:
    case = drawn("five-bar")
    at = inputs(case)
    f = symoro.generate(case.robot, "inverse-dynamics").function()
    batch = f(**{key: np.array([at[key], at[key]]) for key in ("q", "qda", "qdda")})["tau"]
    assert error(batch[1], at["tau"]) < CLOSE
    assert error(f(q=at["q"], qda=at["qda"], qdda=at["qdda"])["tau"], at["tau"]) < CLOSE


def test_a_fixed_velocity_stands_for_the_entry() -> None:
    case = drawn("five-bar")
    at, first = inputs(case), case.truth.own[case.truth.active[0]]
    fixed = case.robot.with_frame(first, QP=float(at["qda"][0]), QDP=0.5)
    moved = {**at, "qda": at["qda"] * [np.nan, 1], "qdda": at["qdda"] * [np.nan, 1]}
    truth = run(case.robot, "inverse-dynamics", {**at, "qdda": np.array([0.5, at["qdda"][1]])})["tau"]
    assert error(run(fixed, "inverse-dynamics", moved)["tau"], truth) < CLOSE


# -- springs


def sprung(case: Case) -> Case:
    """Return the robot with a spring at the first passive joint."""
    j = case.truth.own[case.truth.passive[0]]
    return Case(case.robot.with_frame(j, eta=True, k="30", rest="0.2"), case.x)


def test_springs_of_passive_joints() -> None:
    case = sprung(drawn("five-bar"))
    check(case)
    at, robot = inputs(case), case.robot
    columns = symoro.generate(robot, "dynamic-identification", friction="all")
    result = columns.function(compiled=False)(q=at["q"], qda=at["qda"], qdda=at["qdda"])
    k = np.array([f.value({}) for f in parameter_values(robot, columns.columns)])
    assert error(result["W"] @ k + result["springs"], at["tau"]) < CLOSE
    result = run(robot, "energy-identification", at)
    energies = run(robot, "energy", at)
    names = symoro.generate(robot, "energy-identification").columns
    k = np.array([f.value({}) for f in parameter_values(robot, names)])
    assert error(result["h"] @ k + result["springs"], energies["E"] + energies["U"]) < CLOSE


# -- identification


@pytest.mark.parametrize("kind", ["four-bar", "slider-crank", "spherical", "five-bar on a turning base"])
@pytest.mark.parametrize("parameters", ["standard", "base"])
def test_regressors(kind: str, parameters: str) -> None:
    case = drawn(kind)
    at, robot = inputs(case), case.robot
    model = symoro.generate(robot, "dynamic-identification", parameters=parameters, friction="given")
    w = model.function(compiled=False)(q=at["q"], qda=at["qda"], qdda=at["qdda"])["W"]
    k = np.array([f.value({}) for f in parameter_values(robot, model.columns, parameters)])
    assert error(w @ k, at["tau"]) < 1e-7
    power = symoro.generate(robot, "power-identification", parameters=parameters, acceleration=True)
    result = power.function(compiled=False)(q=at["q"], qda=at["qda"], qdda=at["qdda"])
    k = np.array([f.value({}) for f in parameter_values(robot, power.columns, parameters)])
    assert error((result["dh"] + result["p"]) @ k, at["qda"] @ at["tau"]) < 1e-7


@pytest.mark.parametrize("kind", ["four-bar", "five-bar", "spherical"])
def test_filtered_regressor(kind: str) -> None:
    """tau = d(D1 K)/dt + D2 K along the motion, which is followed in small steps."""
    case = drawn(kind)
    truth, at, robot = case.truth, inputs(case), case.robot
    model = symoro.generate(robot, "filtered-identification")
    f = model.function(compiled=False)
    k = np.array([g.value({}) for g in parameter_values(robot, model.columns)])

    def momenta(t: Array) -> Array:
        x = np.array(case.x)
        moved = truth.moved(case.x, at["qda"], at["qdda"])
        x = x + moved.qd * t[0] + moved.qdd * t[0] ** 2 / 2
        x[truth.active] = case.x[truth.active] + at["qda"] * t[0] + at["qdda"] * t[0] ** 2 / 2
        closed = truth.close(x, hold=True)
        assert closed is not None
        return np.asarray(f(q=closed[: truth.n], qda=at["qda"] + at["qdda"] * t[0])["D1"] @ k)

    rate = difference(momenta, np.zeros(1), 0.002)[:, 0]
    second = f(q=at["q"], qda=at["qda"])["D2"] @ k
    assert error(rate + second, at["tau"]) < 1e-7


# -- Lagrange


@pytest.mark.parametrize("kind", ["four-bar", "five-bar", "spherical", "slider-crank"])
def test_lagrange(kind: str) -> None:
    case = drawn(kind)
    truth, at = case.truth, inputs(case)
    result = run(case.robot, "lagrange", at)
    assert error(result["A"], truth.inertia(case.x)) < CLOSE
    assert error(result["Q"], truth.weight(case.x)) < CLOSE
    friction = drag(truth, case, at["qda"])
    assert error(result["B"] @ at["qda"] + result["Q"] + friction, truth.bias(case.x, at["qda"])) < 1e-7
    twice = np.einsum("ijk,j,k->i", result["D"], at["qda"], at["qda"])
    assert error(twice, result["B"] @ at["qda"]) < CLOSE
    assert error(result["D"], result["D"].transpose(0, 2, 1)) < CLOSE


def drag(truth: Closed, case: Case, qda: Array) -> Array:
    """Return the contribution of friction to the active torques."""
    moved = truth.moved(case.x, qda, 0 * qda)
    qd = moved.qd[: truth.n]
    _, fv, fs, fo = np.array([truth.tree.drive[j] for j in truth.tree.moving]).T
    return np.asarray(moved.G.T @ (fv * qd + fs * np.sign(qd) + fo))


def test_the_recursive_ways_are_refused() -> None:
    robot = symoro.load("fivebar")
    with pytest.raises(NotApplicableError, match="closed loops"):
        symoro.generate(robot, "lagrange", coriolis="recursive")
    with pytest.raises(OptionError, match="closed loops"):
        symoro.generate(robot, "direct-dynamics", method="recursive")


# -- motion of the links


def test_motion_of_the_links() -> None:
    case = drawn("five-bar on a turning base")
    at, truth = inputs(case), case.truth
    moved = truth.moved(case.x, at["qda"], at["qdda"])
    tree = {"q": at["q"], "qd": moved.qd[: truth.n], "qdd": moved.qdd[: truth.n]}
    for model in ("velocities", "accelerations"):
        result, open_ = run(case.robot, model, at), run(case.robot.tree(), model, tree)
        for key in open_:
            assert error(result[key], open_[key]) < CLOSE
    J = run(case.robot, "jacobian", at)["J"]
    J_tree = run(case.robot.tree(), "jacobian", tree)["J"]
    assert error(J, J_tree @ moved.G) < CLOSE
    bias = truth.moved(case.x, at["qda"], 0 * at["qdda"])
    still = {"q": at["q"], "qd": bias.qd[: truth.n]}
    open_a = run(case.robot.tree(), "jdot-qdot", still)["a"] + J_tree @ bias.qdd[: truth.n]
    assert error(run(case.robot, "jdot-qdot", at)["a"], open_a) < CLOSE
    F = np.arange(1.0, 7.0)
    assert error(run(case.robot, "static-torques", {**at, "F": F})["tau"], J.T @ F) < CLOSE


def test_a_tool_stands_on_a_robot_with_loops() -> None:
    robot = symoro.load("fivebar")
    assert robot.tool is not None
    J = symoro.generate(robot, "jacobian").function(compiled=False)
    truth = Closed(robot)
    x = truth.close(np.array([0.6, 1.0, 2.3, -0.9, 0.4]))
    assert x is not None
    at = truth.placements(x, 0 * x, 0 * x)[5][0]  # the tool is where the loop closes
    shifted = [truth.close(np.r_[x[:0], x + h * np.eye(5)[0]], hold=True) for h in (1e-5, -1e-5)]
    assert all(s is not None for s in shifted)
    ends = [truth.placements(s, 0 * s, 0 * s)[5][0][:2, 3] for s in shifted if s is not None]
    assert error(J(q=x[:4])["J"][:2, 0], (ends[0] - ends[1]) / 2e-5) < 1e-8
    assert at.shape == (4, 4)


# -- reactions


@pytest.mark.parametrize("kind", DRAWN)
def test_reactions(kind: str) -> None:
    case = drawn(kind)
    truth, at = case.truth, inputs(case)
    model = symoro.generate(case.robot, "inverse-dynamics", reactions=True)
    result = model.function(compiled=False)(q=at["q"], qda=at["qda"], qdda=at["qdda"])
    assert error(result["tau"], at["tau"]) < 1e-8
    wrenches, loose = truth.cut_wrenches(case.x, at["qda"], at["qdda"])
    assert np.array_equal(np.isnan(result["cut_reactions"]), loose)
    assert error(np.where(loose, 0, result["cut_reactions"]), np.where(loose, 0, wrenches)) < 1e-8
    assert loose.any() == any("do not determine" in line for line in model.program.choices)
    check_links(case, at, result)


def check_links(case: Case, at: dict[str, Any], computed: dict[str, Any]) -> None:
    """Check that the reaction along each joint axis is the torque of the drive, friction and rotor."""
    truth = case.truth
    moved = truth.moved(case.x, at["qda"], at["qdda"])
    tau = dict(zip((truth.own[k] for k in truth.active), at["tau"], strict=True))
    for k, j in enumerate(truth.own):
        ia, fv, fs, fo = truth.tree.drive[j]
        qd, qdd = moved.qd[k], moved.qdd[k]
        lost = ia * qdd + fv * qd + fs * np.sign(qd) + fo
        bears = computed["reactions"][j - 1, 5 if truth.tree.sigma[j] == 0 else 2]
        assert abs(bears - (tau.get(j, 0.0) - lost)) < 1e-8 * max(1.0, np.abs(at["tau"]).max())


def test_reactions_of_a_parallelogram() -> None:
    case = bundled("sr400", [0.3, 0.4, -0.2, 0.5, 0.7, 0.9])
    truth, at = case.truth, inputs(case)
    result = run(case.robot, "inverse-dynamics", at, reactions=True)
    wrenches, loose = truth.cut_wrenches(case.x, at["qda"], at["qdda"])
    assert np.array_equal(np.isnan(result["cut_reactions"]), loose)
    assert error(np.where(loose, 0, result["cut_reactions"]), np.where(loose, 0, wrenches)) < 1e-8


# -- dead points


def dead_five_bar(beside: float) -> tuple[Robot, Array]:
    """Return a five-bar with almost collinear distal bars, whose pose the motors do not determine."""
    robot = symoro.load("fivebar")
    v = dict(robot.nominal)
    span = v["D5"] + v["D6"] * np.cos(beside)
    height = v["D6"] * np.sin(beside)
    reach = np.hypot(span, height)
    gap = (reach - v["D3"]) / 2  # both cranks swung out until their tips are so far from each other
    a = np.arccos(-gap / v["D2"])
    left, right = (
        np.array([v["D2"] * np.cos(a), v["D2"] * np.sin(a)]),
        np.array([v["D3"] + gap, v["D2"] * np.sin(a)]),
    )
    tilt = -np.arctan2(height, span) + np.arctan2(*(right - left)[::-1])
    phi2, phi4 = tilt, tilt + beside + np.pi
    q = np.array([a, phi2 - a, np.pi - a, phi4 - (np.pi - a)])
    x = Closed(robot).close(np.r_[q, phi4 - phi2])
    assert x is not None
    return robot, x


MODELS = (
    "loop-kinematics",
    "inverse-dynamics",
    "inertia-matrix",
    "direct-dynamics",
    "velocities",
    "jacobian",
    "lagrange",
)


def test_a_dead_point_has_no_value() -> None:
    robot, x = dead_five_bar(0.0)
    one = np.ones(2)
    for model in MODELS:
        result = run(robot, model, {"q": x[:4], "qd": np.zeros(4), "qda": one, "qdda": one, "tau": one})
        for name, values in result.items():
            assert np.isnan(values).all(), (model, name)


@pytest.mark.parametrize("beside", [1e-2, -1e-2, 1e-3, -1e-3, 1e-4, 1e-5])
def test_beside_a_dead_point_it_is_right(beside: float) -> None:
    robot, x = dead_five_bar(beside)
    truth, one = Closed(robot), np.ones(2)
    moved = truth.moved(x, one, one)
    tau = run(robot, "inverse-dynamics", {"q": x[:4], "qda": one, "qdda": one})["tau"]
    want = truth.torques(x, one, one)
    assert np.abs(tau - want).max() < 1e-8 / moved.condition * max(1.0, np.abs(want).max())


def test_a_flat_parallelogram_is_no_dead_point() -> None:
    robot = rhombus()
    for fold in (0.0, 1e-9, 1.0, np.pi):
        q = np.array([0.3, fold, 0.3 + fold, -fold])
        torques = run(robot, "inverse-dynamics", {"q": q, "qda": [1.0, 1.0], "qdda": [1.0, 0.0]})["tau"]
        assert np.isfinite(torques).all()
    crossed = np.array([0.3, 0.0, 1.3, np.pi])  # folded over: closed too, but no parallelogram
    assert np.isnan(
        run(robot, "inverse-dynamics", {"q": crossed, "qda": [1.0, 1.0], "qdda": [1.0, 0.0]})["tau"]
    ).all()


def test_not_a_number_in_gives_not_a_number_out() -> None:
    robot = symoro.load("fivebar")
    result = run(robot, "inverse-dynamics", {"q": [np.nan, 1, 2, 3], "qda": np.ones(2), "qdda": np.ones(2)})
    assert np.isnan(result["tau"]).all()


# -- counts


def test_a_parallelogram_costs_no_more_than_its_tree() -> None:
    robot = symoro.load("sr400")
    closed, tree = (symoro.generate(r, "inverse-dynamics").count() for r in (robot, robot.tree()))
    assert closed.multiplications + closed.additions <= 1.1 * (tree.multiplications + tree.additions)


def test_a_five_bar_is_short() -> None:
    model = symoro.generate("fivebar", "inverse-dynamics").count()
    assert model.multiplications + model.additions <= 118 and model.functions == 6 and model.divisions == 2
