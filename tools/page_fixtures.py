"""Write the fixtures for the tests of the page: views of small robots with generated transforms, generated models.

python tools/page_fixtures.py
"""

import json
from pathlib import Path

from symoro.simulation.options import SimulationOptions
from symoro.simulation.simulate import simulate
from symoro.ui.service import call
from symoro.ui.service.page import PAGE_CALLS
from symoro.ui.service.payload import robot_of

SOURCES = Path(__file__).parent.parent / "frontend" / "src"
MODELS = (("inverse-dynamics", "planar2r"), ("jacobian", "planar2r"), ("loop-geometry", "fourbar"))
SOLVED = (  # robots with their inverse geometric model
    *("rx90", "puma560", "ur5e", "scara", "planar2r", "panda", "sr400"),
    *("fivebar", "3rrr", "delta", "orthoglide", "gough_stewart"),
)
# The code that closes the loops of a spatial platform is large, and the tests close them by iteration.
WITHOUT_LOOPS = ("delta", "orthoglide", "gough_stewart")

COUPLED = """
symoro: 1
name: gripper
frames:
  - {ant: 0, joint: prismatic, name: left, limits: {lower: 0, upper: 0.04}}
  - {ant: 0, joint: prismatic, name: right, alpha: pi, coupled: {joints: {1: k}, offset: 0.01}}
nominal: {k: 2}
"""


def write_robots(folder: Path) -> None:
    """Write one file per robot with its view and the generated code of its transforms."""
    views = {name: call("robot_open", {"id": name}) for name in ("fourbar", *SOLVED)}
    views["gripper"] = call("robot_open", {"text": COUPLED, "file": "gripper.yaml"})
    for name, view in views.items():
        if "error" in view:
            raise SystemExit(f"{name}: {view['error']}")
        kept = {key: value for key, value in view.items() if key not in ("tables", "notes", "warnings")}
        fixture = {"view": {**kept, "tables": [], "notes": [], "warnings": []}}
        fixture["placements"] = call("frames", {"robot": view["robot"], "loops": name not in WITHOUT_LOOPS})
        if name in SOLVED:
            fixture["inverse"] = call("inverse", {"robot": view["robot"]})
        text = json.dumps(fixture, indent=1)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def write_models(folder: Path) -> None:
    """Write one JavaScript module per model."""
    for model, robot in MODELS:
        payload = {
            "robot": call("robot_open", {"id": robot})["robot"],
            "model": model,
            "language": "javascript",
        }
        answer = call("code", payload)
        if "error" in answer:
            raise SystemExit(f"{model} of {robot}: {answer['error']}")
        (text,) = (text for name, text in answer["files"].items() if name.endswith(".js"))
        name = f"{robot}_{model.replace('-', '_')}.js"
        (folder / name).write_text(text, encoding="utf-8")


SIMULATIONS = {  # robot: positions of the active joints, velocities of the coordinates
    "cartpole": ([0.0, 0.5], [0.2, -0.4]),
    "fourbar": ([0.9], [0.5]),
    "diffdrive": ([0.1, 0.2], [2.0, 1.0]),
    "rx90_floating": ([0.3, -0.4, 0.5, 0.2, 0.6, -0.1], [0.1, 0.2, -0.3, 0.4, -0.5, 0.6]),
}


def write_simulations(folder: Path) -> None:
    """Write, per robot, the plan of a simulation in the page, and the states that SciPy computes for it."""
    folder.mkdir(exist_ok=True)
    for name, (q, qd) in SIMULATIONS.items():
        view = call("robot_open", {"id": name})
        # SciPy needs very small steps where sign(qd) changes.
        values = {name: 0.0 if name.startswith("FS") else x for name, x in view["values"].items()}
        payload = {"robot": view["robot"], "values": values, "duration": 0.5, "step": 0.1, "qd": qd}
        payload["q"] = q
        if view["sizes"]["B"]:
            closed = call("evaluate", {**payload, "model": "loop-geometry", "inputs": {"qa": q}})["outputs"]
            payload["q"] = closed["q"][0]
        if view["base"] == "floating":
            payload["start"] = {"V0": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}
        elif name == "diffdrive":
            payload["q"] = [0.0] * (len(view["coordinates"]) - len(q)) + q
        plan = call("simulation_plan", payload, PAGE_CALLS)
        if "error" in plan:
            raise SystemExit(f"{name}: {plan['error']}")
        robot = robot_of(payload)
        options = SimulationOptions(start=payload.get("start"), friction="sign", rtol=1e-11, atol=1e-11)
        exact = simulate(robot, 0.5, q=payload["q"], qd=qd, step=0.1, values=values, options=options)
        end = [*exact.q[-1], *exact.qd[-1], *(x for part in exact.parts.values() for x in part[-1])]
        (folder / f"{name}.json").write_text(json.dumps({"plan": plan, "end": end}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_simulations(SOURCES / "backend" / "fixtures")
    write_robots(SOURCES / "scene" / "fixtures")
    write_models(SOURCES / "models" / "fixtures")
