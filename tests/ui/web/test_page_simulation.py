"""Check the simulation of a page without SciPy against `symoro.simulate`: the emitted JavaScript is integrated in node.

Robots start in their first posture, with velocities. Skipped where there is no node, or no packages of the page.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symoro.robot import library
from symoro.simulation.options import SimulationOptions
from symoro.simulation.simulate import simulate
from symoro.ui.service import call
from symoro.ui.service.page import PAGE_CALLS
from symoro.ui.service.payload import robot_of
from tests.ui.web.test_browser import FRONTEND, NODE

BUNDLER = FRONTEND / "node_modules" / "rolldown" / "bin" / "cli.mjs"
pytestmark = pytest.mark.skipif(
    NODE is None or not BUNDLER.is_file(), reason="missing: node, or the packages of the page"
)

RUN = """
import { readFileSync, writeFileSync } from "node:fs";
import { simulate } from "./simulation.mjs";

let count = 0;
const addressOf = (source) => {
  const file = new URL(`model${count++}.mjs`, import.meta.url);
  writeFileSync(file, source);
  return file.href;
};
const plan = JSON.parse(readFileSync(new URL("plan.json", import.meta.url), "utf-8"));
console.log(JSON.stringify(await simulate(plan, undefined, addressOf)));
"""
QUICK = ("puma560", "scara")
# The loops do not close at zero: upper arm up, forearm level.
STARTS = {"akr3000": [0.0, 1.5, -0.1, 0.6, 1.005, 0.5, 3.1, 0.0, 0.0, 0.0]}
# Sign(qd) is integrated in steps of 1e-4 s where it is not continuous.
NEAR_SINGULAR = 5  # samples
SMOOTH, WITH_FRICTION = 1e-5, 1e-3  # rad, or lengths relative to the robot's length


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the integrator of the page as a module of node."""
    made = tmp_path_factory.mktemp("simulation")
    source = FRONTEND / "src" / "backend" / "simulation.ts"
    command = [str(NODE), str(BUNDLER), str(source), "--format", "esm", "-o", str(made / "simulation.mjs")]
    subprocess.run(command, check=True, capture_output=True, cwd=FRONTEND)
    (made / "run.mjs").write_text(RUN)
    return made


def plan_of(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments of a simulation of a bundled robot, and its plan."""
    view = call("robot_open", {"id": name})
    random = np.random.default_rng(5)
    home = STARTS.get(name) or next(iter(view["postures"].values()), [0.0] * len(view["coordinates"]))
    payload = {"robot": view["robot"], "values": view["values"], "duration": 1.0, "step": 0.01, "q": home}
    if view["base"] == "floating":
        payload["start"] = {"V0": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}
    for _ in range(10):
        plan = call("simulation_plan", payload, PAGE_CALLS)
        if "error" not in plan:
            break
        payload["q"] = (
            np.array(home) + random.uniform(-0.3, 0.3, len(home))
        ).tolist()  # the loops do not close
    first, end = plan["parts"]["qd"]
    payload["qd"] = random.uniform(-0.3, 0.3, end - first).tolist()
    return payload, call("simulation_plan", payload, PAGE_CALLS)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in library.names()],
)
def test_motions_are_those_of_python(folder: Path, name: str) -> None:
    payload, plan = plan_of(name)
    assert "error" not in plan
    (folder / "plan.json").write_text(json.dumps(plan))
    done = subprocess.run([str(NODE), str(folder / "run.mjs")], check=True, capture_output=True, text=True)
    states = json.loads(done.stdout)
    parts = {part: slice(*ends) for part, ends in plan["parts"].items()}
    start = np.array(plan["start"])
    others = {part: start[at] for part, at in parts.items() if part not in ("q", "qd")}
    expected = simulate(
        robot_of(payload),
        1.0,
        q=start[parts["q"]],
        qd=start[parts["qd"]],
        tau=plan["tau"],
        values=payload["values"],
        options=SimulationOptions(start=others),
    )
    count = min(len(expected.t), len(states["times"]))
    # A singular configuration ends both motions; errors increase without bound near it.
    assert bool(states["why"]) != expected.finished
    assert abs(len(expected.t) - len(states["times"])) <= 1
    count -= 0 if expected.finished else NEAR_SINGULAR
    assert count > 10
    rows, units = np.array(states["rows"])[:count], np.array(plan["units"])
    places = {"q": expected.q, **{part: expected.parts[part] for part in others}}
    tolerance = WITH_FRICTION if plan["dry_friction"] else SMOOTH
    for part, values in places.items():
        error = np.abs(rows[:, parts[part]] - values[:count]) / units[parts[part]]
        assert error.max() < tolerance, part
    assert np.abs(rows[-1] - rows[0]).max() > 0.01
