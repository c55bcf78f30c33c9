"""Write the fixtures for the tests of the page: views of small robots with generated transforms, generated models.

python tools/page_fixtures.py
"""

import json
from pathlib import Path

from symoro.ui.service import call

SOURCES = Path(__file__).parent.parent / "frontend" / "src"
MODELS = (("inverse-dynamics", "planar2r"), ("jacobian", "planar2r"), ("loop-geometry", "fourbar"))
SOLVED = ("rx90", "sr400", "3rrr")  # robots with their inverse geometric model

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
    views = {name: call("robot_open", {"id": name}) for name in ("rx90", "fourbar", "sr400", "3rrr")}
    views["gripper"] = call("robot_open", {"text": COUPLED, "file": "gripper.yaml"})
    for name, view in views.items():
        if "error" in view:
            raise SystemExit(f"{name}: {view['error']}")
        kept = {key: value for key, value in view.items() if key not in ("tables", "notes", "warnings")}
        fixture = {"view": {**kept, "tables": [], "notes": [], "warnings": []}}
        # The closure of the loops of a platform is large, and the tests close them by iteration.
        fixture["placements"] = call("frames", {"robot": view["robot"], "loops": view["platform"] is None})
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


if __name__ == "__main__":
    write_robots(SOURCES / "scene" / "fixtures")
    write_models(SOURCES / "models" / "fixtures")
