"""Stribeck and load-dependent friction and coupled motors: every model includes them or rejects them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, OptionError
from symoro.expr.formula import formula
from symoro.robot.coordinates import independent
from symoro.robot.description import CoupledMotor, Robot
from symoro.robot.topology import moving_joints
from symoro.simulation.mechanics import Mechanics
from tests.emit.programs import SAMPLES, Case
from tests.emit.run import assert_close, c_library, run_javascript, run_library, run_python
from tests.models.dynamic.cases import state
from tests.simulation.robots import numbered

FB, VS, IAM, FVM, FSM = 0.3, 0.2, 0.05, 0.2, 0.1
RATIOS = (0.5, -0.3)


def rubbing(robot: Robot) -> Robot:
    """Return the robot with Stribeck friction in all joints and one motor that turns with up to three joints."""
    joints = moving_joints(robot)
    for j in joints:
        robot = robot.with_frame(j, FB=FB * j, VS=VS * j)
    own, *others = reversed(joints)
    ratios = tuple((j, formula(x)) for j, x in zip(others, RATIOS, strict=False))
    return robot.replace(motors=(CoupledMotor(own, ratios, *map(formula, (IAM, FVM, FSM))),))


def tree_torques(robot: Robot, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Return the torques of these terms on all joints of the tree, from the formulas."""
    j = np.array(moving_joints(robot))
    c = np.array([float(robot.motors[0].shares.get(int(k), formula(0)).number) for k in j])
    between = np.outer(c, c) - np.diag(c * c)
    dry = FB * j * np.exp(-((qd / (VS * j)) ** 2)) * np.sign(qd) + FSM * c * np.sign(c @ qd)
    return dry + between @ (IAM * qdd + FVM * qd)


def inputs(robot: Robot, model: symoro.Model, seed: int) -> dict[str, np.ndarray]:
    """Return random inputs of a model: closed loops, and velocities that are not near zero."""
    rng = np.random.default_rng(seed)
    given = {name: rng.uniform(0.1, 0.5, shape) for name, shape in model.inputs.items()}
    if "R0" in given:
        given["R0"] = np.array([[0, -1, 0], [0.6, 0, -0.8], [0.8, 0, 0.6]])
    if robot.B:
        mechanics = Mechanics(robot, {}, {})
        near = np.full(len(independent(robot)), 0.3)
        given["q"] = mechanics.start({"q": near})[mechanics.parts["q"]]
    return given


OPEN = ("rx90", "scara", "stanford", "puma560")
FLOATING = ("rx90_floating",)
FLEXIBLE = ("flexible2r", "flexible_satellite")


@pytest.mark.parametrize("name", OPEN)
def test_inverse_dynamics_of_trees_has_the_torques_of_the_formulas(name: str) -> None:
    plain = numbered(symoro.load(name))
    robot = rubbing(plain)
    with_friction, without, direct, inertia, bias = (
        symoro.generate(which, model).function()
        for which, model in (
            (robot, "inverse-dynamics"),
            (plain, "inverse-dynamics"),
            (robot, "direct-dynamics"),
            (robot, "inertia-matrix"),
            (robot, "bias-torques"),
        )
    )
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, qd, qdd = rng.uniform(-1, 1, (3, len(independent(robot))))
        qd = 0.4 * qd
        tau = with_friction(q=q, qd=qd, qdd=qdd)["tau"]
        expected = without(q=q, qd=qd, qdd=qdd)["tau"] + tree_torques(robot, qd, qdd)
        assert tau == pytest.approx(expected, rel=1e-11, abs=1e-11)
        assert inertia(q=q)["A"] @ qdd + bias(q=q, qd=qd)["H"] == pytest.approx(tau, rel=1e-11, abs=1e-11)
        assert direct(q=q, qd=qd, tau=tau)["qdd"] == pytest.approx(qdd, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ["fivebar", "sr400", "diffdrive", "mobile_manipulator"])
def test_loops_and_wheels_project_the_torques_of_the_tree(name: str) -> None:
    """The added power equals that of the tree's joints, and direct dynamics inverts inverse dynamics."""
    plain = numbered(symoro.load(name))
    robot = rubbing(plain)
    mechanics = Mechanics(robot, {}, {})
    near = robot.postures.get("home", np.full(len(independent(robot)), 0.3))
    rng = np.random.default_rng(2)
    n = len(mechanics.coordinates)
    y = mechanics.start({"q": near, "qd": 0.4 * rng.normal(size=n)})
    q, qda, qdda = y[mechanics.parts["q"]], y[mechanics.parts["qd"]], rng.normal(size=n)
    G, drift = mechanics.tree_matrix(y), mechanics.tree_drift(y)
    added = tree_torques(robot, G @ qda, G @ qdda + drift)
    inverse = [symoro.generate(r, "inverse-dynamics").function() for r in (robot, plain)]
    tau, tau0 = (f(q=q, qda=qda, qdda=qdda)["tau"] for f in inverse)
    assert tau - tau0 == pytest.approx(G.T @ added, rel=1e-9, abs=1e-9)
    direct = symoro.generate(robot, "direct-dynamics").function()
    assert direct(q=q, qda=qda, tau=tau)["qdda"] == pytest.approx(qdda, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("name", [*FLOATING, *FLEXIBLE])
def test_direct_dynamics_inverts_inverse_dynamics_of_free_bases_and_flexible_links(name: str) -> None:
    robot = rubbing(numbered(symoro.load(name)))
    inverse, direct = (symoro.generate(robot, f"{which}-dynamics") for which in ("inverse", "direct"))
    given = inputs(robot, inverse, 3)
    outputs = inverse.function()(**given)
    back = direct.function()(**{port: ({**outputs, **given})[port] for port in direct.inputs})
    assert back["qdd"] == pytest.approx(given["qdd"], rel=1e-8, abs=1e-8)
    for port in set(outputs) & set(back):
        assert back[port] == pytest.approx(outputs[port], rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("name", ["scara", "rx90_floating", "fivebar"])
@pytest.mark.parametrize("method", ["recursion", "forward"])
def test_derivatives_agree_with_differences(name: str, method: str) -> None:
    robot = rubbing(numbered(symoro.load(name)))
    slopes = symoro.generate(robot, "inverse-dynamics-derivatives", method=method)
    model = symoro.generate(robot, "inverse-dynamics")
    rate = "qda" if "qda" in model.inputs else "qd"
    at = inputs(robot, model, 5)
    function, h = model.function(), 1e-6
    columns = []
    for unit in np.eye(len(at[rate])):
        up, down = (function(**{**at, rate: at[rate] + s * h * unit})["tau"] for s in (1, -1))
        columns.append((up - down) / (2 * h))
    exact = slopes.function()(**{port: at[port] for port in slopes.inputs})[f"dtau_d{rate}"]
    assert exact == pytest.approx(np.array(columns).T, rel=1e-6, abs=1e-6)


def test_kinetic_energy_is_that_of_the_inertia_matrix() -> None:
    robot = rubbing(numbered(symoro.load("rx90")))
    q, qd = np.random.default_rng(0).uniform(-1, 1, (2, 6))
    a = symoro.generate(robot, "inertia-matrix").function()(q=q)["A"]
    energy = symoro.generate(robot, "energy").function()(q=q, qd=qd)["E"]
    assert energy == pytest.approx(qd @ a @ qd / 2, rel=1e-12)
    lagrange = symoro.generate(robot, "lagrange").function()(q=q, qd=qd)
    assert lagrange["A"] == pytest.approx(a, rel=1e-12)


@pytest.mark.parametrize("name", ["rx90", "rx90_floating", "fivebar", "flexible2r"])
def test_friction_of_the_load_is_a_share_of_the_drive_torque(name: str) -> None:
    plain = numbered(symoro.load(name))
    j = next(j for j in independent(plain) if plain.frame(j).mu)
    robot = plain.with_frame(j, FL=0.2)
    models = [symoro.generate(which, "inverse-dynamics") for which in (robot, plain)]
    at = inputs(robot, models[0], 7)
    tau, net = (model.function()(**at)["tau"] for model in models)
    drives = [i for i in independent(robot) if robot.frame(i).mu] if robot.B else independent(robot)
    load = np.array([0.2 * (i == j) for i in drives])
    rates = at["qda" if robot.B else "qd"]
    assert tau == pytest.approx(net + load * np.abs(tau) * np.sign(rates), rel=1e-12)
    direct = symoro.generate(robot, "direct-dynamics")
    back = direct.function()(**{port: tau if port == "tau" else at[port] for port in direct.inputs})
    wanted = "qdda" if robot.B else "qdd"
    assert back[wanted] == pytest.approx(at[wanted], rel=1e-8, abs=1e-8)


# Models whose results do not contain friction by definition, whether it depends on the load or not.
WITHOUT_FRICTION = {
    *("lagrange", "inertia-matrix", "gravity-torques", "energy", "centroidal-momentum", "static-torques"),
    *("base-parameters", "energy-identification"),
}
EXAMPLES = (
    *("scara", "fivebar", "flexible2r"),
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("rx90", "rx90_floating", "mobile_manipulator")),
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_model_includes_or_rejects_each_term(name: str) -> None:
    """Symbols of the terms occur in the model, or the model is rejected, or it contains no friction at all."""
    robot = symoro.load(name)
    j = next(j for j in independent(robot) if robot.frame(j).mu)
    other = next(i for i in moving_joints(robot) if i != j)
    motor = CoupledMotor(j, ((other, formula(0.5)),), *map(formula, ("IAM1", "FVM1", "FSM1")))
    terms = {
        "FB": robot.with_frame(j, FB="FB1", VS="VS1"),
        "FL": robot.with_frame(j, FL="FL1"),
        "IAM": robot.replace(motors=(motor,)),
    }
    dynamic = {id: one for id, one in symoro.catalogue().items() if one.menu in ("Dynamic", "Identification")}
    del dynamic["geometric-identification"]
    for term, changed in terms.items():
        for id, one in dynamic.items():
            if one.why_not(robot) or one.why_not(changed):
                continue
            options = {"contacts": [(robot.NL, [formula(0)] * 3)]} if id == "contact-dynamics" else {}
            try:
                model = symoro.generate(changed, id, **options)
            except NotApplicableError:
                assert id == "contact-dynamics"  # the contact is not suitable for this robot
                continue
            stems = ("IAM", "FVM", "FSM") if term == "IAM" else (term,)
            used = any(parameter.startswith(stems) for parameter in model.parameters)
            inertial = term == "IAM" and id in ("lagrange", "inertia-matrix", "energy")
            assert used != (id in WITHOUT_FRICTION and not inertial), (term, id)


def test_rejections_state_the_reason() -> None:
    loaded = symoro.load("rx90").with_frame(1, FL=0.1)
    for id in ("bias-torques", "inverse-dynamics-derivatives", "dynamic-identification"):
        with pytest.raises(NotApplicableError, match="FL"):
            symoro.generate(loaded, id)
    for id in ("base-parameters", "power-identification"):
        with pytest.raises(NotApplicableError, match="coupled"):
            symoro.generate(rubbing(symoro.load("rx90")), id)
    with pytest.raises(OptionError, match="coupled motors"):
        symoro.generate(rubbing(symoro.load("rx90")), "direct-dynamics", method="recursive")
    with pytest.raises(NotApplicableError, match="platform coordinates"):
        symoro.generate(rubbing(symoro.load("gough_stewart")), "inverse-dynamics", space="platform")


def test_stribeck_friction_of_a_platform_acts_on_its_drives() -> None:
    plain = numbered(symoro.load("gough_stewart"))
    drives = [j for j in independent(plain) if plain.frame(j).mu]
    robot = plain
    for j in drives:
        robot = robot.with_frame(j, FB=0.4, VS=0.3)
    models = [
        symoro.generate(r, "inverse-dynamics", space="platform", q=True).function() for r in (robot, plain)
    ]
    pose = np.eye(4)
    pose[:3, 3] = [0.02, -0.01, 0.8]
    V, h = np.array([0.1, -0.2, 0.15, 0.1, 0.05, -0.1]), 1e-7
    tau, tau0 = (f(T=pose, V=V, Vd=np.zeros(6))["tau"] for f in models)
    moved = pose.copy()
    moved[:3, 3] += h * V[:3]
    w = V[3:]
    moved[:3, :3] += h * np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    at = [list(independent(plain)).index(j) for j in drives]
    still = {"V": np.zeros(6), "Vd": np.zeros(6)}
    rates = (models[0](T=moved, **still)["q"] - models[0](T=pose, **still)["q"])[at] / h
    assert tau - tau0 == pytest.approx(0.4 * np.exp(-((rates / 0.3) ** 2)) * np.sign(rates), abs=1e-5)


def test_emitted_code_of_this_friction(tmp_path: Path) -> None:
    robot = rubbing(symoro.load("scara")).with_frame(1, FL="FL1", VS="VS1")
    rng = np.random.default_rng(1)
    values = {name: float(rng.uniform(0.2, 0.8)) for name in robot.symbols()}
    robot = robot.replace(nominal=tuple(values.items()))
    cases = []
    for id in ("inverse-dynamics", "direct-dynamics"):
        model = symoro.generate(robot, id)
        rows = [state(robot, seed) for seed in range(SAMPLES)]
        inputs = {name: np.stack([row[name] for row in rows]) for name in model.inputs}
        cases.append(Case(model.program, inputs, {p: values[p] for p in model.program.parameters}))
    assert_close(run_library(c_library(tmp_path, cases), cases), cases, 1e-9)
    assert_close(run_library(c_library(tmp_path, cases), cases, batch=True), cases, 1e-9)
    assert_close(run_python(tmp_path, cases, batch=False), cases, 1e-9)
    assert_close(run_javascript(tmp_path, cases), cases, 1e-9)
