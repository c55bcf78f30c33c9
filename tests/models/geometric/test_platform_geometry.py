"""Inverse geometry and Jacobians of platforms, against direct geometry on the cut tree."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from tests.models.dynamic.test_platform import FREEDOMS, ROBOTS, spread
from tests.oracle.cut_tree import CutTree


@pytest.mark.parametrize("name", ROBOTS)
def test_every_valid_row_reaches_the_pose(name: str) -> None:
    robot, T = symoro.load(name), spread(name, np.random.default_rng(1), 12)
    model = symoro.generate(robot, "inverse-geometry")
    found = model.function(compiled=False)(T=T)
    closed = CutTree(robot)
    assert np.all(found["status"][:, 0] == 0)
    for row in range(found["q"].shape[1]):
        valid = found["status"][:, row] == 0
        x = closed.opened(found["q"][valid, row])
        assert closed.gap(x).max(initial=0) < 1e-9
        assert np.abs(closed.platform(x, robot.platform)[0] - T[valid]).max(initial=0) < 1e-9


@pytest.mark.parametrize("name", ROBOTS)
def test_home_is_the_first_row(name: str) -> None:
    robot = symoro.load(name)
    closed = CutTree(robot)
    home = np.array([robot.postures["home"]])
    T = closed.platform(closed.opened(home), robot.platform)[0]
    found = symoro.generate(robot, "inverse-geometry").function(compiled=False)(T=T)
    gap = (found["q"][0, 0] - home[0] + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(gap).max() < 1e-12 and found["status"][0, 0] == 0


@pytest.mark.parametrize("name", ["3rrr", "delta", "orthoglide"])
def test_all_working_modes_are_different(name: str) -> None:
    T = spread(name, np.random.default_rng(2), 1)
    rows = symoro.generate(name, "inverse-geometry").function(compiled=False)(T=T)["q"][0]
    assert len(rows) == 8
    apart = [np.abs(a - b).max() for i, a in enumerate(rows) for b in rows[:i]]
    assert min(apart) > 1e-3


def test_out_of_reach_and_singular() -> None:
    far = np.eye(4)
    far[:3, 3] = 0.5, 0.2, -3
    assert np.all(symoro.generate("delta", "inverse-geometry").function(compiled=False)(T=far)["status"] == 1)
    robot = symoro.load("gough_stewart").bind({"RP": "RB", "GP": "GB"})
    assert np.all(
        symoro.generate(robot, "inverse-geometry").function(compiled=False)(T=np.eye(4))["status"] != 0
    )


@pytest.mark.parametrize("name", ROBOTS)
def test_jacobians(name: str) -> None:
    robot, T = symoro.load(name), spread(name, np.random.default_rng(3), 6)
    made = {
        m: symoro.generate(robot, m, space="platform").function(compiled=False)
        for m in ("jacobian", "jacobian-inverse")
    }
    q = symoro.generate(robot, "inverse-geometry", fold="1").function(compiled=False)(T=T)["q"][:, 0]
    closed = CutTree(robot)
    true = closed.platform(closed.opened(q), robot.platform)[1]
    assert np.abs(made["jacobian"](T=T)["J"] - true).max() < 1e-9 * max(1, np.abs(true).max())
    inverse = made["jacobian-inverse"](T=T)["Jinv"]
    assert np.abs(inverse @ true - np.eye(true.shape[2])).max() < 1e-10
    V = np.zeros(6)
    V[list(FREEDOMS.get(name, range(6)))] = 0.3
    found = symoro.generate(robot, "inverse-kinematics", space="platform").function(compiled=False)(T=T, V=V)
    assert np.abs(found["qda"] - inverse @ V).max() < 1e-12
