"""What OpenSYMORO gets wrong in these models (B2, B3, B5, B6, B9, B10), each where it would show.

B1, B4, B7, B8, B11 and B12 concern inverse geometry, kinematics, loops, base parameters and files.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.expr.formula import Formula, formula
from symoro.robot.description import Base, Frame, JointType, Link, Robot
from tests.models.dynamic.cases import error, loaded, oracle, outputs, state

CLOSE = 1e-11


def heavy(name: str, frames: list[Frame], seed: int = 1, **options: bool) -> Robot:
    robot = Robot(name, tuple(frames), (Link(),) * len(frames))
    chosen = {"symbols": True, "wrenches": False, "drives": True, "payload": False} | options
    return loaded(robot, seed, **chosen)


def frame(ant: int, sigma: int = 0, **place: object) -> Frame:
    return Frame(ant, JointType(sigma), **{name: formula(value) for name, value in place.items()})


def check_torques(robot: Robot) -> None:
    at = state(robot)
    expected = oracle(robot, at).torques(at["q"], at["qd"], at["qdd"])
    assert error(outputs(robot, "inverse-dynamics", at)["tau"], expected) < CLOSE


# -- B2: the inertia matrix assumes that every chain passes through link 1

FORKS = {
    "two arms on the base": [
        frame(0),
        frame(1, d=0.5),
        frame(0, gamma=1, b=0.3, alpha="pi/2"),
        frame(3, d=0.4),
    ],
    "the fork behind a fixed frame": [
        frame(0, 2, alpha="pi/3"),
        frame(1),
        frame(1, 1, gamma="pi/2"),
        frame(0),
    ],
    "numbered backwards": [frame(2, d=0.3), frame(3, alpha="pi/2"), frame(0), frame(0, 1, alpha="-pi/2")],
    "as testLoop": [frame(0), frame(1, d=0.4), frame(0, d=0.7), frame(2, d=0.6)],
}


@pytest.mark.parametrize("which", FORKS)
def test_b2_inertia_matrix_of_chains_that_do_not_pass_link_1(which: str) -> None:
    robot = heavy("fork", FORKS[which])
    at = state(robot)
    A = outputs(robot, "inertia-matrix", at)["A"]
    assert error(A, oracle(robot, at).inertia(at["q"])) < CLOSE
    result = outputs(robot, "lagrange", at)
    assert error(result["A"], A) < CLOSE
    tau = oracle(robot, at).torques(at["q"], at["qd"], at["qdd"])
    for method in ("inertia", "recursive"):
        solved = outputs(robot, "direct-dynamics", at | {"tau": tau}, method=method)["qdd"]
        assert error(solved, at["qdd"]) < 1e-9


# -- B3: w0 in place of wdot0 in direct dynamics on a base that moves as prescribed


@pytest.mark.parametrize("method", ["inertia", "recursive"])
@pytest.mark.parametrize("only", ["V0", "W0", "VP0", "WP0", "all"])
def test_b3_direct_dynamics_with_prescribed_base_motion(only: str, method: str) -> None:
    robot = heavy(
        "arm", [frame(0, alpha="pi/3", d=0.2), frame(1, alpha="pi/2", d=0.3), frame(2, 1, alpha=1.0)]
    )
    names = ("V0", "W0", "VP0", "WP0") if only == "all" else (only,)
    motion = {name: tuple(Formula(f"{name}{k}") for k in "xyz") for name in names}
    robot = robot.replace(base=replace(robot.base, **motion))
    at = state(robot)
    tau = oracle(robot, at).torques(at["q"], at["qd"], at["qdd"])
    assert error(outputs(robot, "direct-dynamics", at | {"tau": tau}, method=method)["qdd"], at["qdd"]) < 1e-9
    assert error(outputs(robot, "inverse-dynamics", at)["tau"], tau) < CLOSE
    assert error(outputs(robot, "bias-torques", at)["H"], oracle(robot, at).bias(at["q"], at["qd"])) < CLOSE


# -- B5: cos(q12) and cos(q1 + q2) under one name


def twelve() -> Robot:
    """Joint 12 comes first; joints 1 and 2 on it are parallel, so that q12 and the sum q1 + q2 both occur."""
    frames = [frame(12, alpha="pi/2", d=0.2), frame(1, d=0.3)]
    frames += [frame(j, d=0.3, alpha=("pi/2", "-pi/2", 0)[j % 3]) for j in range(2, 11)]
    return heavy("twelve", [*frames, frame(0, alpha="pi/2")])


def test_b5_twelve_joints() -> None:
    check_torques(twelve())


@pytest.mark.parametrize("model", ["inverse-dynamics", "direct-dynamics", "inertia-matrix", "lagrange"])
def test_b5_names_are_distinct(model: str) -> None:
    program = symoro.generate(twelve(), model).program
    names = [name for name, _ in program.names.values()]
    assert len(names) == len(set(names))
    symbols = {s for port in program.inputs for s in port.symbols} | set(program.parameters)
    assert not symbols & set(names)
    if model == "inverse-dynamics":
        assert {"C1_2", "C12"} <= set(names)


def test_b5_in_code() -> None:
    """C1_2 and C12 are two variables of the emitted text, each assigned once."""
    text = str(symoro.generate(twelve(), "inverse-dynamics"))
    lines = text.splitlines()
    assert lines.count("C12 = cos(q12)") == 1
    assert sum(line.startswith("C1_2 = cos(") for line in lines) == 1


# -- B6: parameters that are sums, of a link and of the base


def test_b6_parameters_that_are_sums() -> None:
    robot = heavy("sums", [frame(0), frame(1, alpha="pi/2", d=0.3)])
    nominal = dict(robot.nominal) | {"a": 0.3, "b": 0.2}
    robot = robot.with_link(1, ZZ="ZZ1 + a*b", MX="MX1 - b", M="M1 + a + b")
    robot = robot.with_link(2, XX="a + XX2", YY="YY2 + a", ZZ="ZZ2 + b", XY="a - b").with_frame(
        1, IA="a + IA1"
    )
    robot = robot.replace(nominal=tuple(nominal.items()))
    check_torques(robot)
    at = state(robot)
    assert error(outputs(robot, "inertia-matrix", at)["A"], oracle(robot, at).inertia(at["q"])) < CLOSE


# -- B9: the regrouping takes the first joint's own rotation for that of the base


@pytest.mark.parametrize("alpha", ["pi/2", "-pi/2", "pi", "pi/3", "0.7", "AL1"])
def test_b9_a_first_axis_that_is_not_vertical(alpha: str) -> None:
    """Horiz3R and its like, with rotor inertias: 0.2 of relative error in OpenSYMORO."""
    frames = [frame(0, alpha=alpha), frame(1, alpha="pi/2"), frame(2, d=0.5)]
    robot = heavy("horizontal", frames)
    base = Base(G=(formula(0), formula(0), formula(-9.81)))
    robot = robot.replace(base=base, nominal=(*robot.nominal, ("AL1", 0.4)))
    check_torques(robot)
    at = state(robot)
    A = outputs(robot, "inertia-matrix", at)["A"]
    assert error(A, oracle(robot, at).inertia(at["q"])) < CLOSE


# -- B10: rotor inertia of joints that do not move


def test_b10_fixed_joints_have_no_drive() -> None:
    frames = [
        frame(0),
        frame(1, alpha="pi/2"),
        frame(2, 2, d=0.3, alpha="pi/2"),
        frame(3, d=0.2),
        frame(4, 2, r=0.1),
    ]
    robot = heavy("tool", frames)
    geared = robot.with_frame(3, IA="IA3", FV="FV3", FS="FS3", FO="FO3").with_frame(5, IA="IA5")
    at = state(robot)
    for model in ("inverse-dynamics", "inertia-matrix", "direct-dynamics", "energy", "bias-torques"):
        made = symoro.generate(geared, model)
        assert not {"IA3", "FV3", "FS3", "FO3", "IA5"} & set(made.parameters)
        for name, value in outputs(robot, model, at).items():
            assert np.array_equal(outputs(geared, model, at)[name], value)
    check_torques(robot)
    assert symoro.generate(geared, "inverse-dynamics").outputs["tau"] == (3,)


def test_b10_mass_behind_a_fixed_joint_is_booked_once() -> None:
    """A call costs the same whether a tool is a link on a fixed joint or was added to its link beforehand."""
    plain = heavy("plain", [frame(0), frame(1, alpha="pi/2", d=0.3)], drives=False)
    tool = heavy("tool", [*plain.frames, frame(2, 2, d=0.2, r=0.1, alpha="pi/2")], drives=False)
    counts = [symoro.generate(r, "inverse-dynamics").count() for r in (plain, tool)]
    assert counts[1].total == counts[0].total
    check_torques(tool)
