"""Elastic and free joints against the partition of A qdd + H = tau, closed forms, and the golden robots."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import symoro
from symoro.errors import NotApplicableError, OptionError, UnknownNameError
from symoro.expr.formula import formula
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic import system as systems
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.tree_dynamics import Method
from symoro.program.interpret import interpret
from symoro.robot.coordinates import independent
from symoro.robot.description import IDENTITY16, Base, Frame, JointType, Link, Robot
from symoro.robot.formats import loads
from tests.models.dynamic.cases import (
    Array,
    Inputs,
    error,
    examples,
    heavy_trees,
    masses,
    oracle,
    outputs,
    seeded_tree,
    state,
)
from tests.models.dynamic.test_golden import golden, numbers, robot_of
from tests.oracle.free_base import FreeTree
from tests.oracle.golden import DATA

SOLVED = 1e-8  # the condition of the inertia matrix comes in
CLOSE = 1e-11


def sprung(robot: Robot, seed: int) -> Robot:
    """Return the robot with springs on some joints, at least one, by numbers or by symbols with nominal values."""
    rng = np.random.default_rng(seed)
    own = independent(robot)
    nominal = dict(robot.nominal)
    for j in {j for j in own if rng.random() < 0.4} | {int(rng.choice(own))}:
        k, rest = (float(x) for x in rng.uniform((5, -1), (500, 1)))
        if seed % 3 == 0:
            nominal |= {f"k{j}": k, f"rest{j}": rest}
            robot = robot.with_frame(j, eta=True, k=f"k{j}", rest=f"rest{j}")
        else:
            robot = robot.with_frame(j, eta=True, k=k, rest=rest)
    return robot.replace(nominal=tuple(nominal.items()))


def springs(robot: Robot, q: Array) -> Array:
    """-k (q - rest) of the coordinates."""
    values = dict(robot.nominal)
    frames = [robot.frame(j) for j in independent(robot)]
    return np.array([-f.k.value(values) * (x - f.rest.value(values)) for f, x in zip(frames, q, strict=True)])


def parted(robot: Robot, at: Inputs, free: Array, torques: Array) -> tuple[Array, Array]:
    """Return (qdd, tau) from accelerations of driven joints and torques of free joints."""
    truth = oracle(robot, at)
    A, H = truth.inertia(at["q"]), truth.bias(at["q"], at["qd"])
    x, f = np.where(free, 0.0, at["qdd"]), np.where(free, torques, 0.0)
    right = f[free] - H[free] - A[np.ix_(free, ~free)] @ x[~free]
    x[free] = np.linalg.solve(A[np.ix_(free, free)], right)
    f[~free] = (A @ x + H)[~free]
    return x, f


def unread(values: Array, where: Array) -> Array:
    return np.where(where, np.nan, values)


def check(robot: Robot, seed: int, named: Collection[int] = ()) -> None:
    """Check inverse and direct dynamics, with NaN in all ignored entries."""
    at, own = state(robot, seed), independent(robot)
    elastic = np.array([robot.frame(j).eta for j in own])
    free = elastic | np.array([j in named for j in own])
    torques = np.where(elastic, springs(robot, at["q"]), at["tau"])
    given = at | {"qdd": unread(at["qdd"], free), "tau_free": unread(at["tau"], ~free | elastic)}
    options: dict[str, Any] = {"free": tuple(named)} if named else {}
    result = outputs(robot, "inverse-dynamics", given, **options)
    x, f = parted(robot, at, free, torques)
    assert error(result["qdd_out"], x) < SOLVED
    assert error(result["tau"], f) < SOLVED
    given = at | {"tau": unread(at["tau"], elastic)}
    x, _ = parted(robot, at, np.ones(len(own), dtype=bool), torques)
    methods = ["inertia"] if len(own) != len(oracle(robot, at).moving) else ["recursive", "inertia"]
    for method in methods:
        assert error(outputs(robot, "direct-dynamics", given, method=method)["qdd"], x) < SOLVED


@given(heavy_trees(), st.integers(0, 1000))
@examples(25)
def test_random_trees(robot: Robot, seed: int) -> None:
    """Coupled joints among them."""
    own = independent(robot)
    check(sprung(robot, seed), seed, own[seed % 3 :: 2])


@pytest.mark.parametrize("seed", range(300, 308))
def test_seeded_trees(seed: int) -> None:
    robot = seeded_tree(seed)
    check(sprung(robot, seed), seed)
    check(robot, seed, independent(robot)[::2])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3000, 3150))
def test_many_seeded_trees(seed: int) -> None:
    robot = sprung(seeded_tree(seed), seed)
    check(robot, seed, independent(robot)[:: 1 + seed % 3])


@pytest.mark.parametrize("seed", [310, 311])
def test_both_ways_to_part_the_equations(seed: int) -> None:
    robot = sprung(seeded_tree(seed, 6, coupled=False), seed)
    at = state(robot, seed)
    given = at | {"tau_free": at["tau"]}
    layout = Layout(robot, free=tuple(independent(robot)[::2]))
    solutions = []
    for method in (Method.PARTITION, Method.RECURSION):
        s = systems.system("parted", layout, quick(robot), systems.Inputs(accelerations=True))
        solution = s.dynamics.solve(s.state, s.known, method)
        for name, values in (("qdd", solution.accelerations), ("tau", solution.forces)):
            s.builder.output(name, [values[c] for c in s.provider.own])
        program = s.builder.program()
        inputs = {port.name: given[port.name] for port in program.inputs}
        solutions.append(interpret(program, inputs, dict(robot.nominal)))
    for name in ("tau", "qdd"):
        assert error(solutions[0][name], solutions[1][name]) < SOLVED


def test_a_torque_that_is_fixed_needs_no_input() -> None:
    robot = symoro.load("planar2r").with_frame(2, GAM=0.7)
    robot = robot.bind(dict.fromkeys(robot.symbols(), 0.5))
    at = state(robot, 3) | {"tau_free": np.array([np.nan, np.nan])}
    result = outputs(robot, "inverse-dynamics", at, free=(2,))
    assert result["tau"][1] == 0.7
    bare = robot.with_frame(2, GAM=None)
    other = outputs(bare, "inverse-dynamics", at | {"tau_free": np.array([np.nan, 0.7])}, free=(2,))
    assert error(result["qdd_out"], other["qdd_out"]) < CLOSE


def test_ports() -> None:
    robot = symoro.load("rx90_elastic")
    assert list(symoro.generate(robot, "inverse-dynamics").inputs) == ["q", "qd", "qdd"]
    with_free = symoro.generate(robot, "inverse-dynamics", free=["J2", 6])
    assert list(with_free.inputs) == ["q", "qd", "qdd", "tau_free"]
    assert list(with_free.outputs) == ["tau", "qdd_out"]
    assert "tau_free" not in symoro.generate(robot, "inverse-dynamics", free=[3, 6]).inputs


def test_free_joints_that_are_none() -> None:
    with pytest.raises(UnknownNameError, match="frame"):
        symoro.generate("rx90", "inverse-dynamics", free=["elbow"])
    with pytest.raises(OptionError, match="option free: 0 is not a joint"):
        symoro.generate("rx90", "inverse-dynamics", free=[0])
    with pytest.raises(OptionError, match="list of frames"):
        symoro.generate("rx90", "inverse-dynamics", free=[1.5])
    with pytest.raises(OptionError, match="option free: 2 is not a joint"):
        symoro.generate("fourbar", "inverse-dynamics", free=[2])


# -- the other models


@pytest.mark.parametrize("seed", range(320, 325))
def test_the_springs_are_in_what_the_joints_bear(seed: int) -> None:
    """A qdd + H = tau with tau = 0 at elastic joints; weight, A and Coriolis know no springs."""
    robot = sprung(seeded_tree(seed), seed)
    at, truth = state(robot, seed), None
    truth = oracle(robot, at)
    pull = springs(robot, at["q"])
    assert error(outputs(robot, "bias-torques", at)["H"], truth.bias(at["q"], at["qd"]) - pull) < CLOSE
    assert error(outputs(robot, "gravity-torques", at)["Q"], truth.weight(at["q"])) < CLOSE
    assert error(outputs(robot, "inertia-matrix", at)["A"], truth.inertia(at["q"])) < CLOSE


@pytest.mark.parametrize("seed", range(330, 334))
def test_energy_counts_the_springs(seed: int) -> None:
    robot = sprung(seeded_tree(seed), seed)
    at = state(robot, seed)
    E, U = oracle(robot, at).energies(at["q"], at["qd"])
    values = dict(robot.nominal)
    for j, x in zip(independent(robot), at["q"], strict=True):
        U += robot.frame(j).k.value(values) * (x - robot.frame(j).rest.value(values)) ** 2 / 2
    result = outputs(robot, "energy", at)
    assert error([result["E"], result["U"]], [E, U]) < CLOSE


def test_slopes_of_the_accelerations() -> None:
    robot = sprung(seeded_tree(340, 4, coupled=False), 340)
    at = state(robot, 340)
    result = outputs(robot, "direct-dynamics-derivatives", at)

    def slope(name: str) -> Array:
        columns = []
        for step in 1e-5 * np.eye(len(at["q"])):
            ends = [
                outputs(robot, "direct-dynamics", at | {name: at[name] + s})["qdd"] for s in (step, -step)
            ]
            columns.append((ends[0] - ends[1]) / 2e-5)
        return np.array(columns).T

    for name in ("q", "qd", "tau"):
        assert error(result[f"dqdd_d{name}"], slope(name)) < 1e-6
    elastic = [robot.frame(j).eta for j in independent(robot)]
    assert not result["dqdd_dtau"][:, elastic].any()


# -- closed forms


def in_a_row(sigma: JointType, *joints: tuple[float, float, float, float]) -> Robot:
    """Bodies in a row that slide, or turn, along one axis: (mass or inertia, rotor, stiffness, rest) each."""
    frames, links = [], []
    for j, (m, ia, k, rest) in enumerate(joints):
        spring = {"eta": True, "k": formula(k), "rest": formula(rest)} if k else {}
        frames.append(Frame(j, sigma, IA=formula(ia), **spring))
        links.append(
            Link(M=formula(m)) if sigma == JointType.PRISMATIC else Link(ZZ=formula(m), M=formula(1))
        )
    zero = formula(0)
    return Robot("row", tuple(frames), tuple(links), Base(G=(zero, zero, zero)))


def frequencies(robot: Robot) -> Array:
    """From the slope of the accelerations with respect to the positions."""
    n = robot.NL
    made = symoro.generate(robot, "direct-dynamics").function(compiled=False)
    at = [made(q=q, qd=np.zeros(n), tau=np.full(n, 0.0))["qdd"] for q in (np.zeros(n), *np.eye(n))]
    slopes = np.array([x - at[0] for x in at[1:]]).T
    return np.sqrt(np.sort(np.abs(np.linalg.eigvals(-slopes))))


@pytest.mark.parametrize(("m1", "m2", "k1", "k2"), [(1, 2, 100, 300), (3.3, 0.4, 250, 80), (1, 1, 1, 1e4)])
def test_two_masses_on_two_springs(m1: float, m2: float, k1: float, k2: float) -> None:
    robot = in_a_row(JointType.PRISMATIC, (m1, 0, k1, 0.1), (m2, 0, k2, 0.2))
    b, c = (k1 + k2) / m1 + k2 / m2, k1 * k2 / m1 / m2
    root = np.sqrt(b * b - 4 * c)
    expected = np.sqrt([2 * c / (b + root), (b + root) / 2])
    assert np.abs(frequencies(robot) / expected - 1).max() < 1e-9


def test_a_motor_and_a_link() -> None:
    robot = in_a_row(JointType.REVOLUTE, (0.7, 0, 0, 0), (1.3, 0, 150, 0))
    assert frequencies(robot)[-1] == pytest.approx(np.sqrt(150 * (1 / 0.7 + 1 / 1.3)), rel=1e-12)
    robot = in_a_row(JointType.REVOLUTE, (0.7, 0, 0, 0), (1.3, 0.2, 150, 0))  # the rotor turns with q2 alone
    M = np.array([[2.0, 1.3], [1.3, 1.5]])
    expected = np.sqrt(150 * np.linalg.inv(M)[1, 1])
    assert frequencies(robot)[-1] == pytest.approx(expected, rel=1e-12)


def test_a_stiff_spring_is_rigid() -> None:
    """Deflected as far as the rigid torque asks, the joint stays where it is: the error falls as 1/k."""
    rigid = seeded_tree(351, 5, coupled=False)
    j = independent(rigid)[1]
    at = state(rigid, 351)
    at["qd"][1] = at["qdd"][1] = 0.0
    tau = outputs(rigid, "inverse-dynamics", at)["tau"]
    errors = []
    for k in (1e5, 1e7):
        stiff = rigid.with_frame(j, eta=True, k=k, rest=float(at["q"][1] + tau[1] / k))
        result = outputs(stiff, "inverse-dynamics", at)
        moved = outputs(stiff, "inverse-dynamics", at | {"q": at["q"] + np.eye(len(tau))[1] * 1e-9})
        assert error(result["tau"], tau) < SOLVED
        assert abs(result["qdd_out"][1]) < 1e-6
        assert abs(moved["qdd_out"][1]) > 0
        bent = at["q"] - np.eye(len(tau))[1] * tau[1] / k
        stiff = rigid.with_frame(j, eta=True, k=k, rest=float(at["q"][1]))
        result = outputs(stiff, "inverse-dynamics", at | {"q": bent})
        errors.append(max(error(result["tau"], tau), abs(result["qdd_out"][1])))
    assert errors[1] < 1e-3
    assert errors[0] > 30 * errors[1]


@pytest.mark.parametrize("name", ["Flex3R", "RX90flex"])
@pytest.mark.parametrize("spring", [False, True])
def test_golden(name: str, spring: bool) -> None:
    """There the torque is a number GAM; the inverse model has neither rotor nor friction of the elastic joint."""
    data = golden(name)
    expected, robot = data["expected"], robot_of(data)
    at = {int(j) for j in expected["qdd_solved"]}
    inverse, direct = robot, robot
    for j in at:
        torque = expected["tau_or_GAM"][j - 1]
        inverse = inverse.with_frame(j, IA=0, FV=0, FS=0)
        if spring:
            inverse = inverse.with_frame(j, rest=data["q"][str(j)] + torque / data["env"][f"k{j}"])
        else:
            inverse = inverse.with_frame(j, eta=False, k=0)
        direct = direct.with_frame(j, eta=False, k=0)
    values = numbers(data, robot) | {"tau_free": np.array(expected["tau_or_GAM"])}
    result = outputs(inverse, "inverse-dynamics", values, **({} if spring else {"free": tuple(at)}))
    assert error(result["tau"], expected["tau_or_GAM"]) < 1e-10
    for j, qdd in expected["qdd_solved"].items():
        assert result["qdd_out"][int(j) - 1] == pytest.approx(qdd, rel=1e-9)
    assert error(outputs(direct, "direct-dynamics", values)["qdd"], expected["ddm"]["qdd"]) < 1e-10


def test_stored_tree() -> None:
    data = json.loads((DATA / "free" / "elastic-tree5.json").read_text())
    robot = loads(data["robot"], "yaml")
    for query in data["queries"]:
        options = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in query["options"].items()
        }
        at = {name: np.array(value, dtype=float) for name, value in query["inputs"].items()}
        result = outputs(robot, query["model"], at, **options)
        for name, expected in query["expected"].items():
            assert error(result[name], expected) < 1e-10


# -- elastic actuators


def motors(robot: Robot, at: Inputs) -> Inputs:
    """Return motors with small deflections and rotors; NaN at rigid joints."""
    rng = np.random.default_rng(5)
    n = len(at["q"])
    rigid = np.array([not robot.frame(j).eta for j in independent(robot)])
    qm = at["q"] + rng.uniform(-0.1, 0.1, n)
    return {
        "qm": unread(qm, rigid),
        "qmd": unread(rng.uniform(-1, 1, n), rigid),
        "qmdd": unread(rng.uniform(-1, 1, n), rigid),
    }


def actuated(robot: Robot, at: Inputs) -> tuple[Array, Array, Array]:
    """(A, H) of the links without the rotors and friction of elastic joints, and the springs' torques."""
    bare, values = robot, dict(robot.nominal)
    pull = np.zeros(len(at["q"]))
    for i, j in enumerate(independent(robot)):
        frame = robot.frame(j)
        if frame.eta:
            bare = bare.with_frame(j, IA=0, FV=0, FS=0, FO=0, eta=False, k=0, rest=0)
            pull[i] = frame.k.value(values) * (at["qm"][i] + frame.rest.value(values) - at["q"][i])
    truth = oracle(bare, at)
    return truth.inertia(at["q"]), truth.bias(at["q"], at["qd"]), pull


@pytest.mark.parametrize("seed", range(360, 366))
def test_elastic_actuators(seed: int) -> None:
    robot = sprung(seeded_tree(seed, 5, coupled=False), seed)
    at = state(robot, seed)
    at |= motors(robot, at)
    A, H, pull = actuated(robot, at)
    values, own = dict(robot.nominal), independent(robot)
    elastic = np.array([robot.frame(j).eta for j in own])
    ia, fv, fs, fo = (
        np.array([getattr(robot.frame(j), n).value(values) for j in own]) for n in ("IA", "FV", "FS", "FO")
    )
    resist = fv * at["qmd"] + fs * np.sign(at["qmd"]) + fo + pull
    qdd = np.linalg.solve(A, np.where(elastic, pull, at["tau"]) - H)
    result = outputs(robot, "direct-dynamics", at, actuators="elastic")
    assert error(result["qdd"], qdd) < SOLVED
    assert error(result["qmdd"], np.where(elastic, (at["tau"] - resist) / ia, qdd)) < SOLVED
    x = np.where(elastic, 0.0, at["qdd"])
    right = (pull - H - A @ x)[elastic]
    x[elastic] = np.linalg.solve(A[np.ix_(elastic, elastic)], right)
    given = at | {"qdd": unread(at["qdd"], elastic)}
    result = outputs(robot, "inverse-dynamics", given, actuators="elastic")
    assert error(result["qdd_out"], x) < SOLVED
    assert error(result["tau"], np.where(elastic, ia * at["qmdd"] + resist, A @ x + H)) < SOLVED


def test_motor_and_link_vibrate_against_each_other() -> None:
    robot = in_a_row(JointType.REVOLUTE, (1.3, 0.6, 150.0, 0.3))
    made = symoro.generate(robot, "direct-dynamics", actuators="elastic").function(compiled=False)
    zero = np.zeros(1)
    at = [made(q=[q], qd=zero, qm=[qm], qmd=zero, tau=zero) for q, qm in ((0.3, 0), (1.3, 0), (0.3, 1))]
    rates = np.array([[x["qdd"][0], x["qmdd"][0]] for x in at])
    assert np.abs(rates[0]).max() < 1e-12  # at rest where the deflection is the spring's own
    slopes = (rates[1:] - rates[0]).T
    omega = np.sqrt(np.abs(np.linalg.eigvals(slopes)).max())
    assert omega == pytest.approx(np.sqrt(150 * (1 / 1.3 + 1 / 0.6)), rel=1e-12)


def test_stiff_actuators_are_rigid() -> None:
    """Strained as far as the rigid robot's motion asks, motors and links stay together."""
    rigid = seeded_tree(371, 3, coupled=False)
    at = state(rigid, 371)
    qdd = oracle(rigid, at).accelerations(at["q"], at["qd"], at["tau"])
    values, own = dict(rigid.nominal), independent(rigid)
    ia, fv, fs, fo = (
        np.array([getattr(rigid.frame(j), n).value(values) for j in own]) for n in ("IA", "FV", "FS", "FO")
    )
    passing = at["tau"] - ia * qdd - fv * at["qd"] - fs * np.sign(at["qd"]) - fo
    for k in (1e3, 1e6):
        stiff = rigid
        for j in own:
            stiff = stiff.with_frame(j, eta=True, k=k)
        given = at | {"qm": at["q"] + passing / k, "qmd": at["qd"]}
        result = outputs(stiff, "direct-dynamics", given, actuators="elastic")
        assert error(result["qdd"], qdd) < SOLVED
        assert error(result["qmdd"], qdd) < SOLVED
        ahead = outputs(stiff, "direct-dynamics", given | {"qm": given["qm"] + 1e-3}, actuators="elastic")
        assert error(ahead["qmdd"], qdd) > 1e-4 * k


def test_actuators_that_are_none() -> None:
    with pytest.raises(NotApplicableError, match="none of its joints is elastic"):
        symoro.generate("rx90", "direct-dynamics", actuators="elastic")
    with pytest.raises(OptionError, match="one of elastic"):
        symoro.generate("rx90_elastic", "direct-dynamics", actuators="stiff")
    massless = symoro.load("rx90_elastic").with_frame(3, IA=0)
    with pytest.raises(NotApplicableError, match="motor of joint 3 has no inertia"):
        symoro.generate(massless, "direct-dynamics", actuators="elastic")


# -- on a floating base


def afloat(robot: Robot, seed: int) -> Robot:
    """Return the robot on a floating base with mass."""
    link = Link(**{name: formula(value) for name, value in masses(np.random.default_rng(seed)).items()})
    return robot.replace(base=replace(robot.base, link=link)).floating()


def turned(seed: int) -> Array:
    result: Array = Rotation.random(random_state=seed).as_matrix()
    return result


def check_afloat(robot: Robot, seed: int, named: Collection[int] = ()) -> None:
    at = state(robot, seed) | {"R0": turned(seed)}
    level = robot.replace(base=replace(robot.base, G=weight_in_frame_0(robot, at["R0"]), Z=IDENTITY16))
    truth = FreeTree(level, dict(robot.nominal), oracle(level, at).wrench)
    own = independent(robot)
    elastic = np.array([robot.frame(j).eta for j in own])
    free = elastic | np.array([j in named for j in own])
    torques = np.where(elastic, springs(robot, at["q"]), at["tau"])
    known = np.r_[np.zeros(6), np.where(free, torques, at["qdd"])]
    x, f = truth.partition(at["q"], at["qd"], at["V0"], known, [True] * 6 + list(free))
    given = at | {"qdd": unread(at["qdd"], free), "tau_free": unread(at["tau"], ~free | elastic)}
    options: dict[str, Any] = {"free": tuple(named)} if named else {}
    result = outputs(robot, "inverse-dynamics", given, **options)
    assert error(result["qdd_out"], x[6:]) < SOLVED
    assert error(result["tau"], f[6:]) < SOLVED
    assert error(result["Vd0"], x[:6]) < SOLVED
    known = np.r_[np.zeros(6), torques]
    x, _ = truth.partition(at["q"], at["qd"], at["V0"], known, [True] * len(known))
    given = at | {"tau": unread(at["tau"], elastic)}
    for method in ("recursive", "inertia"):
        result = outputs(robot, "direct-dynamics", given, method=method)
        assert error(np.r_[result["Vd0"], result["qdd"]], x) < SOLVED


def weight_in_frame_0(robot: Robot, R0: Array) -> Any:
    down = R0.T @ [g.value(dict(robot.nominal)) for g in robot.base.G]
    return tuple(formula(float(g)) for g in down)


@pytest.mark.parametrize("seed", range(380, 386))
def test_elastic_and_floating(seed: int) -> None:
    robot = afloat(sprung(seeded_tree(seed, 1 + seed % 5, coupled=False), seed), seed)
    check_afloat(robot, seed)
    check_afloat(robot, seed, independent(robot)[::2])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3200, 3260))
def test_many_elastic_and_floating(seed: int) -> None:
    robot = afloat(sprung(seeded_tree(seed, coupled=False), seed), seed)
    check_afloat(robot, seed, independent(robot)[:: 1 + seed % 3])


def test_the_other_models_afloat() -> None:
    """A [Vd0; qdd] + H = [0; tau], with tau = 0 at elastic joints; the springs are in U."""
    robot = afloat(sprung(seeded_tree(391, 4, coupled=False), 391), 391)
    at = state(robot, 391) | {"R0": turned(391), "P0": np.zeros(3)}
    elastic = [robot.frame(j).eta for j in independent(robot)]
    A = outputs(robot, "inertia-matrix", at)["A"]
    H = outputs(robot, "bias-torques", at)["H"]
    result = outputs(robot, "direct-dynamics", at)
    torques = np.where(elastic, 0.0, at["tau"])
    assert error(A @ np.r_[result["Vd0"], result["qdd"]] + H, np.r_[np.zeros(6), torques]) < SOLVED
    rigid = robot
    for j in independent(robot):
        rigid = rigid.with_frame(j, eta=False, k=0, rest=0)
    strained = -springs(robot, at["q"]) @ (at["q"] - rests(robot)) / 2
    assert strained > 0.1
    U, other = (outputs(which, "energy", at)["U"] for which in (robot, rigid))
    assert float(U - other) == pytest.approx(strained, rel=1e-9)


def rests(robot: Robot) -> Array:
    values = dict(robot.nominal)
    return np.array([robot.frame(j).rest.value(values) for j in independent(robot)])


def test_a_quaternion_does_as_well() -> None:
    robot = afloat(sprung(seeded_tree(392, 3, coupled=False), 392), 392)
    at = state(robot, 392) | {"R0": turned(392)}
    x, y, z, w = Rotation.from_matrix(at["R0"]).as_quat()
    at["Q0"] = 2.5 * np.array([w, x, y, z])
    by_matrix = outputs(robot, "inverse-dynamics", at)
    by_quaternion = outputs(robot, "inverse-dynamics", at, rotation="quaternion")
    for name in ("tau", "qdd_out", "Vd0"):
        assert error(by_quaternion[name], by_matrix[name]) < 1e-10


@pytest.mark.parametrize("seed", [395, 396])
def test_elastic_actuators_afloat(seed: int) -> None:
    """A heavy base moves as a fixed one; inverse dynamics inverts direct dynamics."""
    robot = afloat(sprung(seeded_tree(seed, 4, coupled=False), seed), seed)
    at = state(robot, seed) | {"R0": turned(seed)}
    at |= motors(robot, at)
    elastic = np.array([robot.frame(j).eta for j in independent(robot)])
    direct = outputs(robot, "direct-dynamics", at, actuators="elastic")
    given = at | {"qdd": unread(direct["qdd"], elastic), "qmdd": unread(direct["qmdd"], ~elastic)}
    result = outputs(robot, "inverse-dynamics", given, actuators="elastic")
    assert error(result["tau"], at["tau"]) < SOLVED
    assert error(result["qdd_out"], direct["qdd"]) < SOLVED
    assert error(result["Vd0"], direct["Vd0"]) < SOLVED
    bare = robot
    for j in independent(robot):
        if robot.frame(j).eta:
            bare = bare.with_frame(j, IA=0, FV=0, FS=0, FO=0, eta=False, k=0, rest=0)
    _, _, pull = actuated(robot, at)
    links = outputs(bare, "direct-dynamics", at | {"tau": np.where(elastic, pull, at["tau"])})
    assert error(np.r_[direct["Vd0"], direct["qdd"]], np.r_[links["Vd0"], links["qdd"]]) < SOLVED
