"""The golden robots: fixed base, rigid joints, loops as the cut tree."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.robot.description import BaseKind, Robot
from tests.models.dynamic.cases import Array, error, oracle
from tests.oracle.golden import DATA

CLOSE = 1e-10
MOVING_OR_ELASTIC = ("DiffDrive", "Flex3R", "RX90flex", "RX90floating")
FIXED_AND_RIGID = (
    "Chain12",
    "PUMA560",
    "RPR",
    "RX90",
    "RX90basevel",
    "SCARA",
    "SR400",
    "Stanford",
    "Tool3R",
    "Tree5",
    "testLoop",
)


def golden(name: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((DATA / "golden" / f"{name}.json").read_text())
    return result


def robot_of(data: dict[str, Any]) -> Robot:
    """Return the tree, with the numbers of the file as nominal values."""
    robot = symoro.load(DATA / data["par"]).tree()
    return robot.replace(nominal=tuple(data["env"].items()))


def numbers(data: dict[str, Any], robot: Robot) -> dict[str, Array]:
    moving = [j for j in range(1, robot.NL + 1) if robot.frame(j).moving]
    base, links = data["base"], range(1, robot.NL + 1)
    given = {name: np.array([data[name][str(j)] for j in moving]) for name in ("q", "qd", "qdd")}
    return given | {
        "tau": np.array([data["expected"]["ddm"]["GAM"][j - 1] for j in moving]),
        "wrench": np.array([data["Fex"][str(j)] + data["Nex"][str(j)] for j in links]),
        "V0": np.r_[base["v0"], base["w0"]],
        "Vd0": np.r_[base["vd0"], base["wd0"]],
    }


def run(data: dict[str, Any], model: str, **options: str) -> dict[str, Array]:
    robot = robot_of(data)
    made = symoro.generate(robot, model, **options)
    at = numbers(data, robot)
    return made.function(compiled=False)(**{name: at[name] for name in made.inputs})


def expected(data: dict[str, Any], values: list[Any]) -> Array:
    """Return the expected entries of the moving joints."""
    robot = robot_of(data)
    at = [j - 1 for j in range(1, robot.NL + 1) if robot.frame(j).moving]
    result = np.array(values)
    return result[np.ix_(at, at)] if result.ndim == 2 else result[at]


def test_every_golden_robot_is_here() -> None:
    there = {path.stem for path in (DATA / "golden").glob("*.json")}
    assert there == {*FIXED_AND_RIGID, *MOVING_OR_ELASTIC}
    for name in MOVING_OR_ELASTIC:
        robot = robot_of(golden(name))
        assert robot.base.kind != BaseKind.FIXED or any(frame.eta for frame in robot.frames)


@pytest.mark.parametrize("name", FIXED_AND_RIGID)
def test_torques(name: str) -> None:
    data = golden(name)
    assert error(run(data, "inverse-dynamics")["tau"], expected(data, data["expected"]["tau"])) < CLOSE
    assert error(run(data, "bias-torques")["H"], expected(data, data["expected"]["H"])) < CLOSE


@pytest.mark.parametrize("name", FIXED_AND_RIGID)
def test_inertia_matrix(name: str) -> None:
    data = golden(name)
    inertia = run(data, "inertia-matrix")["A"]
    if name == "Tree5":  # its file has no A
        robot = robot_of(data)
        at = numbers(data, robot)
        assert error(inertia, oracle(robot, at).inertia(at["q"])) < CLOSE
    else:
        assert error(inertia, expected(data, data["expected"]["A"])) < CLOSE


@pytest.mark.parametrize("method", ["inertia", "recursive"])
@pytest.mark.parametrize("name", FIXED_AND_RIGID)
def test_accelerations(name: str, method: str) -> None:
    data = golden(name)
    accelerations = run(data, "direct-dynamics", method=method)["qdd"]
    assert error(accelerations, expected(data, data["expected"]["ddm"]["qdd"])) < CLOSE
