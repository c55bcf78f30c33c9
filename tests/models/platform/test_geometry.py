"""Inverse geometry and Jacobians of platforms, against direct geometry on the cut tree."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.models.geometric.platform import working_mode_rows
from symoro.program.builder import Builder
from symoro.robot.platform import parallel_robot
from tests.oracle.cut_tree import CutTree
from tests.oracle.platforms import LIBRARY, poses, robots


@pytest.mark.parametrize("name", LIBRARY)
def test_every_valid_row_reaches_the_pose(name: str) -> None:
    robot = symoro.load(name)
    T = poses(name, robot, 12, 1)
    model = symoro.generate(robot, "inverse-geometry")
    result = model.function(compiled=False)(T=T)
    closed = CutTree(robot)
    assert np.all(result["status"][:, 0] == 0)
    for row in range(result["q"].shape[1]):
        valid = result["status"][:, row] == 0
        x = closed.opened(result["q"][valid, row])
        assert closed.gap(x).max(initial=0) < 1e-9
        assert np.abs(closed.platform(x, robot.platform)[0] - T[valid]).max(initial=0) < 1e-9


@pytest.mark.parametrize("name", LIBRARY)
def test_home_is_the_first_row(name: str) -> None:
    robot = symoro.load(name)
    closed = CutTree(robot)
    home = np.array([robot.postures["home"]])
    T = closed.platform(closed.opened(home), robot.platform)[0]
    model = symoro.generate(robot, "inverse-geometry").function(compiled=False)(T=T)
    gap = (model["q"][0, 0] - home[0] + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(gap).max() < 1e-12 and model["status"][0, 0] == 0


@pytest.mark.parametrize("name", ["3rrr", "delta", "orthoglide"])
def test_all_working_modes_are_different(name: str) -> None:
    T = poses(name, symoro.load(name), 1, 2)
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


def test_spatial_legs_have_two_working_modes_each() -> None:
    robot = robots()["3-RRS"]
    out = symoro.generate(robot, "inverse-geometry").function(compiled=False)(
        T=poses("3-RRS", robot, 1, 7)[0]
    )
    assert (out["status"] == 0).all() and out["residual"].max() < 1e-9
    assert len({tuple(np.round(row, 6)) for row in out["q"]}) == 8
    assert len(working_mode_rows(Builder("six"), parallel_robot(robots()["6-RUS"]))) == 64
