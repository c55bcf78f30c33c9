"""Check that the texts of "Copy as Python" and "Copy as command" run without changes."""

from __future__ import annotations

import contextlib
import io
import shlex
from pathlib import Path
from typing import Any

import pytest

import symoro
from symoro.models.catalogue import catalogue
from symoro.ui.cli import main
from symoro.ui.service import call

ROBOTS = [
    "rx90",
    "humanoid_torso",
    "sr400",
    "fourbar",
    "3rrr",
    "delta",
    "rx90_floating",
    "mobile_manipulator",
    "rx90_elastic",
    "flexible2r",
    "flexible_satellite",
    "cartpole",
]
OFTEN = [  # robot, model, options
    ("rx90", "inverse-dynamics", {}),
    ("sr400", "direct-dynamics", {}),
    ("rx90", "base-parameters", {}),
    ("planar2r", "jacobian", {"to": 1}),
    ("rx90_floating", "contact-dynamics", {}),
    ("fourbar", "loop-geometry", {"method": "numeric"}),
    ("scara", "inverse-geometry", {}),
    ("mobile_manipulator", "inverse-dynamics", {}),
    ("flexible2r", "direct-dynamics", {}),
    ("rx90_elastic", "inertia-matrix", {}),
    ("3rrr", "jacobian", {}),
    ("sr400", "loop-geometry", {"steps": 20}),
    ("rx90_floating", "contact-dynamics", {"contacts": [[2, ["0.1", "0", "-0.2"]]]}),
    ("rx90_floating", "contact-dynamics", {"contacts": [[2, ["-0.1", "0", "0.2"]], 6]}),
]


def copied(robot: dict[str, Any], model: str, options: dict[str, Any]) -> dict[str, Any] | None:
    """Return the answer of the page; None where the model does not apply to the robot."""
    answer = call("model", {"robot": robot, "model": model, "options": options})
    if "error" not in answer:
        return answer
    assert answer["error"]["kind"] in ("NotApplicableError", "MissingError"), answer["error"]
    return None


def runs(answer: dict[str, Any]) -> None:
    """Run both, and compare the model of the copied Python with the page's."""
    names: dict[str, Any] = {"__name__": "__copied__"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(answer["python"], names)
        assert main(shlex.split(answer["command"])[1:]) == 0
    assert names["model"].parameters == answer["parameters"]
    assert callable(names["f"]) and str(names["model"]) in printed.getvalue()


@pytest.mark.parametrize(("robot", "model", "options"), OFTEN)
def test_copied_code_runs(robot: str, model: str, options: dict[str, Any]) -> None:
    answer = copied(call("robot_open", {"id": robot})["robot"], model, options)
    assert answer is not None
    runs(answer)


@pytest.mark.parametrize("name", ["mine", "-mine", "my arm (2)", "../x", 'a"b'])
def test_of_a_robot_that_was_saved(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file is the one that the page saves; numbers are there for the parameters without a value alone."""
    monkeypatch.chdir(tmp_path)
    robot = {**call("robot_open", {"id": "planar2r"})["robot"], "name": name, "inertia": "symbolic"}
    for path, text in call("robot_write", {"robot": robot, "format": "yaml"})["files"].items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    answer = copied(robot, "inverse-dynamics", {})
    assert answer is not None
    assert (tmp_path / answer["file"]).is_file()
    runs(answer)
    known = dict(symoro.load("planar2r").nominal)
    assert all((f'"{one}": ' in answer["python"]) == (one not in known) for one in answer["parameters"])


@pytest.mark.slow
@pytest.mark.parametrize("robot", ROBOTS)
def test_every_model_that_is_copied_runs(robot: str) -> None:
    document = call("robot_open", {"id": robot})["robot"]
    applies = [model for model, entry in catalogue().items() if entry.why_not(symoro.load(robot)) is None]
    answers = {model: copied(document, model, {}) for model in catalogue()}
    made = {model: answer for model, answer in answers.items() if answer is not None}
    assert set(made) <= set(applies) and len(made) >= 5
    for answer in made.values():
        runs(answer)
