"""Write the fixtures for the tests of the page's scene: views of small robots with generated transforms.

python tools/scene_fixtures.py
"""

import json
from pathlib import Path

from symoro.ui.service import call

FOLDER = Path(__file__).parent.parent / "frontend" / "src" / "scene" / "fixtures"

COUPLED = """
symoro: 1
name: gripper
frames:
  - {ant: 0, joint: prismatic, name: left, limits: {lower: 0, upper: 0.04}}
  - {ant: 0, joint: prismatic, name: right, alpha: pi, coupled: {joints: {1: k}, offset: 0.01}}
nominal: {k: 2}
"""


def main() -> None:
    """Write one file per robot."""
    FOLDER.mkdir(exist_ok=True)
    views = {name: call("robot_open", {"id": name}) for name in ("rx90", "fourbar", "sr400")}
    views["gripper"] = call("robot_open", {"text": COUPLED, "file": "gripper.yaml"})
    for name, view in views.items():
        if "error" in view:
            raise SystemExit(f"{name}: {view['error']}")
        kept = {key: value for key, value in view.items() if key not in ("tables", "notes", "warnings")}
        fixture = {"view": {**kept, "tables": [], "notes": [], "warnings": []}}
        fixture["placements"] = call("frames", {"robot": view["robot"]})
        text = json.dumps(fixture, indent=1)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
