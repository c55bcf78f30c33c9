"""Floating robots against reference values: an RX90 by OpenSYMORO, a six-legged walker in NumPy."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.robot.formats import loads
from tests.models.dynamic.cases import Array, error
from tests.oracle.golden import DATA

CLOSE = 1e-9
RX90 = json.loads((DATA / "golden" / "RX90floating.json").read_text())
HEXAPOD = json.loads((DATA / "free" / "floating-hexapod.json").read_text())


def rx90(model: str, **options: Any) -> dict[str, Array]:
    """Return the outputs of a model at the state of the file, with R0 = 1."""
    robot = symoro.load(DATA / RX90["par"])
    made = symoro.generate(robot, model, **options)
    base, first = RX90["base"], 0 if made.inputs.get("wrench", (6,))[0] == 7 else 1
    at = {name: np.array([RX90[name][str(j)] for j in range(1, 7)]) for name in ("q", "qd", "qdd")}
    at["tau"] = np.array(RX90["expected"]["ddm"]["GAM"])
    at["wrench"] = np.array([RX90["Fex"][str(j)] + RX90["Nex"][str(j)] for j in range(first, 7)])
    at["V0"], at["R0"] = np.r_[base["v0"], base["w0"]], np.eye(3)
    values = {name: RX90["env"][name] for name in made.parameters}
    return made.function(values=values, compiled=False)(**{name: at[name] for name in made.inputs})


def test_inverse_dynamics_of_opensymoro() -> None:
    result = rx90("inverse-dynamics")
    assert error(result["tau"], RX90["expected"]["tau_or_GAM"]) < CLOSE
    assert error(result["Vd0"], np.concatenate(RX90["expected"]["base_acc"])) < CLOSE


@pytest.mark.parametrize("method", ["inertia", "recursive"])
def test_direct_dynamics_of_opensymoro(method: str) -> None:
    assert error(rx90("direct-dynamics", method=method)["qdd"], RX90["expected"]["ddm"]["qdd"]) < CLOSE


def test_inertia_matrix() -> None:
    wanted = RX90["expected"]
    A12 = np.array(wanted["A12"])
    whole = np.block([[np.array(wanted["A11"]), A12], [A12.T, np.array(wanted["A"])]])
    assert error(rx90("inertia-matrix")["A"], whole) < CLOSE


@pytest.mark.parametrize("query", HEXAPOD["queries"], ids=lambda query: query["model"])
def test_a_walker_on_six_legs(query: dict[str, Any]) -> None:
    options = {
        key: [(frame, tuple(point)) for frame, point in value] if key == "contacts" else value
        for key, value in query["options"].items()
    }
    robot = loads(HEXAPOD["robot"], "yaml")
    function = symoro.generate(robot, query["model"], **options).function(compiled=False)
    result = function(**{name: np.array(value, float) for name, value in query["inputs"].items()})
    for name, value in query["expected"].items():
        assert error(result[name], np.array(value)) < CLOSE, name
