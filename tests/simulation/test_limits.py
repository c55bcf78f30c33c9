"""Limits that no stop holds: of passive, coupled and driven joints."""

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError
from symoro.expr.formula import formula
from symoro.robot.description import Coupling, Limits
from symoro.ui.simulate import simulation_data
from tests.simulation.robots import without_drives

FINE = {"rtol": 1e-11, "atol": 1e-11}
FOURBAR = [0.7]


def limited_fourbar(**limits):
    robot = without_drives(symoro.load("fourbar"))
    return robot.with_frame(2, limits=Limits(**limits))


def test_a_simulation_ends_where_a_passive_joint_passes_its_limit():
    free = symoro.simulate(limited_fourbar(), 0.5, q=FOURBAR, qd=[2.0], **FINE)
    passive = free.q[:, free.joints.index(2)]
    upper = float((passive[0] + passive[10]) / 2)
    way = {"upper": upper} if passive[10] > passive[0] else {"lower": upper}
    motion = symoro.simulate(limited_fourbar(**way), 0.5, q=FOURBAR, qd=[2.0], stops="end", **FINE)
    assert not motion.finished and motion.why.startswith("joint 2 exceeds its limit at t = 0.0")
    assert motion.q[-1, motion.joints.index(2)] == pytest.approx(upper, abs=1e-9)
    assert [e.what for e in motion.events] == ["passes its limit"] and motion.warnings == ()
    through = symoro.simulate(limited_fourbar(**way), 0.5, q=FOURBAR, qd=[2.0], stops=0.5, **FINE)
    assert through.finished and through.events[0].time == pytest.approx(motion.t[-1], abs=1e-9)
    assert (
        "joint 2 (passive) do not stop the motion" in through.warnings[0]
        and "joint 2 exceeds its limit at" in through.warnings[0]
    )
    assert simulation_data(through)["warnings"] == list(through.warnings)
    with pytest.raises(ArgumentError, match=r"joint 2 starts at .*, beyond its limits"):
        beyond = {name: passive[0] + (0.1 if name == "lower" else -0.1) for name in way}
        symoro.simulate(limited_fourbar(**beyond), 0.5, q=FOURBAR, stops="end")


def test_limits_of_coupled_and_driven_joints_are_watched():
    rows = [("P", 0, 0, 0, 0), ("P", 0, 0, 0, 0)]
    robot = symoro.Robot.from_dh(rows, "kk", gravity=[0, 0, 0]).with_link(1, M=1).with_link(2, M=1)
    robot = robot.with_frame(2, limits=Limits(lower=-1.0, upper=0.6))
    mimic = robot.with_frame(2, coupling=Coupling(((1, formula(2)),), formula(0.1)))
    motion = symoro.simulate(mimic, 1.0, q=[0.0], qd=[1.0], stops="end", **FINE)
    assert "joint 2 exceeds its limit at t = 0.25 s" in motion.why

    def swing(t):
        return np.sin(t), np.cos(t), -np.sin(t)

    motion = symoro.simulate(robot, 7.0, q=[0.0, 0.0], driven={2: swing}, stops=0.0)
    assert [(round(e.time, 6), e.joint, e.what) for e in motion.events] == [
        (round(np.arcsin(0.6), 6), 2, "passes its limit"),
        (round(np.pi - np.arcsin(0.6), 6), 2, "comes back within its limits"),
        (round(2 * np.pi + np.arcsin(0.6), 6), 2, "passes its limit"),
    ]
    assert motion.finished and "joint 2 (driven)" in motion.warnings[0]
    quiet = symoro.simulate(robot, 0.5, q=[0.0, 0.0], driven={2: swing}, stops=0.0)
    assert "none of these limits is exceeded" in quiet.warnings[0] and not quiet.events
