"""Test the direct geometry of platforms in Python and on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError
from symoro.ui.cli import main
from tests.oracle.platforms import LIBRARY, poses


def motors(name: str, T: np.ndarray) -> np.ndarray:
    robot = symoro.load(name)
    q = symoro.generate(robot, "inverse-geometry", working_mode="1").function(compiled=False)(T=T)["q"][0]
    moving = [j for j in range(1, robot.NL + 1) if robot.frame(j).moving]
    return np.array([x for j, x in zip(moving, q, strict=True) if robot.frame(j).mu])


@pytest.mark.parametrize("name", LIBRARY)
def test_newton_finds_the_pose_from_home(name: str) -> None:
    T = poses(name, symoro.load(name), 3, 1)[2]
    result = symoro.platform_pose(name, motors(name, T))
    assert result.reached and result.residual < 1e-9
    assert np.abs(result.T - T).max() < 1e-8


def test_from_a_pose_that_is_given() -> None:
    T = poses("delta", symoro.load("delta"), 1, 2)[0]
    near = T.copy()
    near[2, 3] -= 0.02
    assert np.abs(symoro.platform_pose("delta", motors("delta", T), near).T - T).max() < 1e-9


def test_motors_that_no_pose_has() -> None:
    result = symoro.platform_pose("gough_stewart", [0.9, 0.9, 0.9, 0.9, 0.9, 9.0])
    assert not result.reached and np.all(np.isnan(result.T))


def test_all_poses_contain_the_computed_one() -> None:
    T = poses("gough_stewart_general", symoro.load("gough_stewart_general"), 1, 3)[0]
    modes = symoro.assembly_modes("gough_stewart_general", motors("gough_stewart_general", T))
    assert modes.confirmed
    assert min(np.abs(pose - T).max() for pose in modes.poses) < 1e-9


def test_bad_arguments() -> None:
    with pytest.raises(ArgumentError, match="expected 3 finite numbers"):
        symoro.platform_pose("delta", [0, 0])
    with pytest.raises(ArgumentError, match="expected 3 finite numbers"):
        symoro.platform_pose("delta", [0, 0, np.nan])
    with pytest.raises(ArgumentError, match="near"):
        symoro.platform_pose("delta", [0, 0, 0], np.eye(3))
    with pytest.raises(ArgumentError, match="length"):
        symoro.assembly_modes("gough_stewart", [0.9, 0.9, 0.9, 0.9, 0.9, -0.9])
    with pytest.raises(NotApplicableError, match="six legs"):
        symoro.assembly_modes("delta", [0, 0, 0])
    with pytest.raises(NotApplicableError):
        symoro.platform_pose("rx90", [0] * 6, np.eye(4))


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pose", "delta", "qa=0.1,0.2,0.3"]) == 0
    assert "residual" in capsys.readouterr().out
    assert main(["pose", "delta", "qa=0.1,0.2,0.3", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["reached"] and np.asarray(data["T"]).shape == (4, 4)
    assert main(["pose", "gough_stewart", "qa=.9,.9,.9,.9,.9,9"]) == 1
    assert "did not converge" in capsys.readouterr().out
    assert main(["pose", "delta"]) == 2
    assert "qa=" in capsys.readouterr().err
    assert main(["pose", "delta", "qa=1,2"]) == 2


def test_all_poses_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pose", "gough_stewart_general", "qa=.9,.91,.9,.89,.9,.9", "--all", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["confirmed"] and len(data["poses"]) >= 2 and data["seconds"] > 0
