"""Torques of a motion against momentum: inverse dynamics in every formulation, bias, gravity, reactions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symoro
from symoro.expr import ops
from symoro.expr.evaluate import evaluate
from symoro.expr.formula import Formula, formula
from symoro.models.coordinates.couplings import joint_positions
from symoro.models.dynamic.formulation import FLAGS, Change, Choice, Formulation, plain, quick
from symoro.models.dynamic.inertia import link_inertias, regrouped
from symoro.models.recursion import joint_frames
from symoro.program.builder import Builder
from symoro.program.interpret import interpret
from symoro.program.pipeline import optimise
from symoro.robot.description import INERTIAL, Frame, JointType, Link, Robot
from tests.models.dynamic.cases import (
    Array,
    Inputs,
    error,
    examples,
    heavy_trees,
    loaded,
    oracle,
    outputs,
    seeded_tree,
    state,
    torque_program,
)
from tests.oracle.dynamics import Tree

CLOSE = 1e-11


def check(robot: Robot, seed: int) -> None:
    at = state(robot, seed)
    truth = oracle(robot, at)
    q, qd, qdd = at["q"], at["qd"], at["qdd"]
    tau = truth.torques(q, qd, qdd)
    assert error(outputs(robot, "inverse-dynamics", at)["tau"], tau) < CLOSE
    assert error(outputs(robot, "bias-torques", at)["H"], truth.bias(q, qd)) < CLOSE
    assert error(outputs(robot, "gravity-torques", at)["Q"], truth.weight(q)) < CLOSE
    both = outputs(robot, "inverse-dynamics", at, reactions=True)
    assert error(both["tau"], tau) < CLOSE
    assert error(both["reactions"], truth.reactions(q, qd, qdd)) < CLOSE


@given(heavy_trees(most=6), st.integers(0, 1000))
@examples(30)
def test_random_trees(robot: Robot, seed: int) -> None:
    check(robot, seed)


@pytest.mark.parametrize("seed", range(12))
def test_seeded_trees(seed: int) -> None:
    check(seeded_tree(seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1300))
def test_many_seeded_trees(seed: int) -> None:
    check(seeded_tree(seed), seed)


# -- formulations: choices change the cost, not the values


def torques(robot: Robot, formulation: Formulation, at: Inputs) -> Array:
    program = optimise(torque_program(robot, formulation))
    return interpret(program, {port.name: at[port.name] for port in program.inputs}, dict(robot.nominal))[
        "tau"
    ]


@st.composite
def formulations(draw: st.DrawFn, links: int) -> Formulation:
    flag = st.booleans()
    choice = st.builds(Choice, st.sampled_from(["K", "J"]), *[flag] * len(FLAGS))
    return Formulation(tuple(draw(choice) for _ in range(links)), draw(flag), draw(flag))


@given(st.data(), heavy_trees(), st.integers(0, 1000))
@examples(40)
def test_any_formulation(data: st.DataObject, robot: Robot, seed: int) -> None:
    at = state(robot, seed)
    chosen = data.draw(formulations(robot.NL))
    assert error(torques(robot, chosen, at), oracle(robot, at).torques(at["q"], at["qd"], at["qdd"])) < CLOSE


def parallel_arm() -> Robot:
    """Return sequences of parallel axes with a branch in the middle, before a perpendicular axis."""
    places = (
        {"ant": 0, "alpha": "pi/2"},
        {"ant": 1, "d": 0.3},
        {"ant": 2, "d": 0.2, "r": 0.1},
        {"ant": 2, "d": -0.4, "gamma": "pi/3", "b": 0.2},
        {"ant": 4, "d": 0.25, "theta": "pi/2"},
        {"ant": 5, "alpha": "-pi/2", "d": 0.1},
    )
    frames = [Frame(**{k: v if k == "ant" else formula(v) for k, v in place.items()}) for place in places]
    robot = Robot("parallel", tuple(frames), (Link(),) * 6)
    return loaded(robot, 1, symbols=False, wrenches=True, drives=True, payload=False)


@pytest.mark.parametrize("flag", ["basis", *FLAGS])
@pytest.mark.parametrize("start", [plain, quick])
def test_each_flag_alone(flag: str, start: object) -> None:
    robot = parallel_arm()
    at = state(robot)
    expected = oracle(robot, at).torques(at["q"], at["qd"], at["qdd"])
    for j in range(1, robot.NL + 1):
        changed = start(robot).changed(Change(flag, j))  # type: ignore[operator]
        assert error(torques(robot, changed, at), expected) < CLOSE


@pytest.mark.parametrize("out", [False, True])
@pytest.mark.parametrize("back", [False, True])
def test_sums_of_parallel_axes(out: bool, back: bool) -> None:
    robot = parallel_arm()
    at = state(robot)
    expected = oracle(robot, at).torques(at["q"], at["qd"], at["qdd"])
    for base in (plain(robot), quick(robot)):
        chosen = replace(base, parallel_out=out, parallel_in=back)
        assert error(torques(robot, chosen, at), expected) < CLOSE


# -- the regrouping


def regrouped_robot(robot: Robot, basis: str) -> Robot:
    """Return the robot with the regrouped parameters, as numbers, in place of its own."""
    builder = Builder("regrouped")
    frames = joint_frames(builder, robot, joint_positions(builder, robot))
    result = regrouped(frames, link_inertias(builder, robot), dict.fromkeys(frames, basis))
    numbers = dict(robot.nominal)
    changed = robot.replace(payload=None)
    for j in frames:
        xx, xy, xz, yy, yz, zz = result[j].tensor()
        parameters = [builder.number(x) for x in (xx, xy, xz, yy, yz, zz, *result[j].ms, result[j].m)]
        assert all(x.cls != ops.VARIABLE for x in parameters)
        values = evaluate(builder.graph, [x.lit for x in parameters], numbers)
        fields = {name: formula(float(x)) for name, x in zip(INERTIAL, values, strict=True)}
        changed = changed.with_link(j, **fields)
    return changed


def gone(robot: Robot, j: int, basis: str) -> list[str]:
    """Return the parameters of link j that vanish by the general rule."""
    kinds = {
        JointType.REVOLUTE: ["YY" if basis == "J" else "", "MZ", "M"],
        JointType.PRISMATIC: ["XX", "XY", "XZ", "YY", "YZ", "ZZ"],
        JointType.FIXED: list(INERTIAL),
    }
    return [name for name in kinds[robot.frame(j).sigma] if name]


@given(heavy_trees(), st.sampled_from(["K", "J"]), st.integers(0, 1000))
@examples(30)
def test_regrouped_parameters_give_the_same_torques(robot: Robot, basis: str, seed: int) -> None:
    at = state(robot, seed)
    fewer = regrouped_robot(robot, basis)
    for j in range(1, robot.NL + 1):
        for name in gone(robot, j, basis):
            assert abs(getattr(fewer.link(j), name).number) < 1e-12, (j, name)
        if basis == "K" and robot.frame(j).sigma == JointType.REVOLUTE:
            xx, yy, zz = (getattr(fewer.link(j), n).number for n in ("XX", "YY", "ZZ"))
            assert abs(xx + yy - zz) < 1e-12
    motion = at["q"], at["qd"], at["qdd"]
    assert error(oracle(fewer, at).torques(*motion), oracle(robot, at).torques(*motion)) < CLOSE


def test_regrouping_is_done_once() -> None:
    """For all standard parameters, a call computes with the regrouped ones only."""
    full = symoro.load("rx90")
    few = full
    for j in range(1, 7):
        few = few.with_link(j, YY=0, MZ=0, M=0) if j > 1 else few.with_link(1, XX=0, XY=0, XZ=0, YZ=0)
    few = few.with_link(1, YY=0, MX=0, MY=0, MZ=0, M=0)
    for model in ("inverse-dynamics", "inertia-matrix", "direct-dynamics"):
        assert symoro.generate(full, model).count().total <= symoro.generate(few, model).count().total + 2
        assert (
            symoro.generate(full, model).count().setup.total > symoro.generate(few, model).count().setup.total
        )


# -- special values


def fixed(robot: Robot, **values: object) -> Robot:
    """Return the robot with QP or QDP of all joints prescribed."""
    for j in range(1, robot.NL + 1):
        robot = robot.with_frame(j, **values)
    return robot


@pytest.mark.parametrize(
    "special", [{"QP": 0}, {"QDP": 0}, {"QP": 0, "QDP": 0}, {"QP": 1}, {"QP": 1, "QDP": 1}]
)
def test_special_values_customise(special: dict[str, int]) -> None:
    robot = symoro.load("puma560")
    at = state(robot)
    names = {"QP": "qd", "QDP": "qdd"}
    there = at | {names[name]: np.full(6, float(value)) for name, value in special.items()}
    other = fixed(robot, **special)
    general, custom = (symoro.generate(r, "inverse-dynamics") for r in (robot, other))
    expected = general.function(compiled=False)(**{name: there[name] for name in general.inputs})["tau"]
    # What the caller gives for a fixed value has no effect.
    assert error(outputs(other, "inverse-dynamics", at)["tau"], expected) < CLOSE
    assert custom.count().total < general.count().total


def test_one_joint_at_a_fixed_speed() -> None:
    robot = seeded_tree(3, 5, coupled=False).with_frame(2, sigma=JointType.REVOLUTE)
    at = state(robot)
    moving = [j for j in range(1, 6) if robot.frame(j).moving]
    k = moving.index(2)
    slower = robot.with_frame(2, QP="speed", QDP=1).replace(nominal=(*robot.nominal, ("speed", 0.7)))
    there = {name: x.copy() for name, x in at.items()}
    there["qd"][k], there["qdd"][k] = 0.7, 1.0
    motion = there["q"], there["qd"], there["qdd"]
    assert error(outputs(slower, "inverse-dynamics", at)["tau"], oracle(robot, at).torques(*motion)) < CLOSE
    assert error(outputs(slower, "bias-torques", at)["H"], oracle(robot, at).bias(*motion[:2])) < CLOSE
    E, _ = oracle(robot, at).energies(*motion[:2])
    assert error(outputs(slower, "energy", at)["E"], E) < CLOSE
    tau = oracle(robot, at).torques(*motion)
    for method in ("recursive", "inertia"):
        accelerations = outputs(slower, "direct-dynamics", at | {"tau": tau}, method=method)["qdd"]
        assert error(accelerations, there["qdd"]) < 1e-9


@pytest.mark.parametrize("method", ["recursive", "inertia"])
def test_a_passive_joint_without_torque(method: str) -> None:
    """With GAM = 0 the entry of tau has no effect and the model costs less."""
    robot = symoro.load("cartpole")
    at = state(robot)
    passive = robot.with_frame(2, GAM=0)
    expected = outputs(robot, "direct-dynamics", at | {"tau": at["tau"] * [1, 0]}, method=method)["qdd"]
    assert error(outputs(passive, "direct-dynamics", at, method=method)["qdd"], expected) < CLOSE
    counts = [symoro.generate(r, "direct-dynamics", method=method).count().total for r in (passive, robot)]
    assert counts[0] <= counts[1]


# -- what enters and how


def test_signs_of_friction_at_rest() -> None:
    robot = symoro.load("planar2r").with_frame(1, FS="FS1").with_frame(2, FO="FO2", FV="FV2")
    f = symoro.generate(robot, "bias-torques").function(
        values={"FS1": 3, "FO2": 0.5, "FV2": 9}, compiled=False
    )
    g = symoro.generate(symoro.load("planar2r"), "gravity-torques").function(compiled=False)
    q = np.array([0.3, 0.4])
    assert error(f(q=q, qd=[0, 0])["H"], g(q=q)["Q"] + [0, 0.5]) < CLOSE


def test_symbolic_wrenches_and_base_motion_are_inputs() -> None:
    robot = symoro.load("planar2r").with_link(2, FX="FX2", CZ=2)
    base = replace(robot.base, WP0=(formula(0), formula(0), Formula("WPz")))
    model = symoro.generate(robot.replace(base=base), "inverse-dynamics")
    assert model.inputs == {"q": (2,), "qd": (2,), "qdd": (2,), "wrench": (2, 6), "Vd0": (6,)}
    assert not {"FX2", "WPz"} & set(model.parameters)


def test_weight_follows_the_place_of_the_base() -> None:
    """For a robot on a wall, rotating the base by 90 degrees rotates gravity backwards."""
    robot = symoro.load("planar2r")
    turned = [formula(x) for x in (0, -1, 0, 5, 1, 0, 0, 6, 0, 0, 1, 7, 0, 0, 0, 1)]
    wall = robot.replace(base=replace(robot.base, Z=tuple(turned)))
    q = np.array([0.3, -0.2])
    gravity = outputs(wall, "gravity-torques", {"q": q})["Q"]
    assert error(gravity, outputs(robot, "gravity-torques", {"q": q + np.array([np.pi / 2, 0])})["Q"]) < CLOSE


def test_a_batch_is_its_samples_and_parameters_without_effect_are_not_asked_for() -> None:
    """Nobody has published the first link's moments of the PUMA but for ZZ1, and nobody needs them."""
    robot = symoro.load("puma560")
    at = {name: np.stack([state(robot, s)[name] for s in range(4)]) for name in ("q", "qd", "qdd")}
    result = outputs(robot, "inverse-dynamics", at)["tau"]
    unknown = {name: 5.0 for name in robot.symbols() if name not in dict(robot.nominal)}
    assert "XX1" in unknown
    truth = Tree(robot, unknown)
    for k in range(4):
        assert error(result[k], truth.torques(at["q"][k], at["qd"][k], at["qdd"][k])) < CLOSE


@pytest.mark.parametrize(
    "model", ["inverse-dynamics", "direct-dynamics", "inertia-matrix", "energy", "lagrange"]
)
def test_a_first_link_counts_by_its_moment_about_the_axis(model: str) -> None:
    requested = symoro.generate(symoro.load("rx90"), model).parameters
    first = [name for name in requested if name.endswith("1")]
    assert not {"XX1", "XY1", "XZ1", "YY1", "YZ1"} & set(first)
    assert "ZZ1" in first
