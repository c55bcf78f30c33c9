"""Check `solve` with the numeric method, on request and if there is no closed form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.model import Model
from symoro.ui.cli import main

Q = [0.1, 0.2, 0.3, -1.4, 0.5, 1.6, 0.7]
AT = ",".join(map(str, Q))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs solve with --json and returns the value and standard error."""

    def call(*words: str) -> tuple[Any, str]:
        code = main(["solve", *words, "--json"])
        printed = capsys.readouterr()
        assert code in (0, 1), printed.err
        return json.loads(printed.out), printed.err

    return call


def placed(name: str, q: Any, **frames: Any) -> np.ndarray:
    return symoro.generate(symoro.load(name), "fast-geometry", **frames).function(compiled=False)(q=q)["T"]


def test_a_start_selects_the_numeric_method_for_a_redundant_arm(run: Any) -> None:
    result, note = run("panda", "--at", AT, "--start", "0,0,0,-1,0,1,0")
    assert result["method"] == "numeric"
    assert "select the numeric method, one solution per pose" in note and note.count("\n") == 1
    (row,) = result["solutions"]
    assert row["status"] == "valid" and row["residual"] < 1e-9
    assert np.abs(placed("panda", row["q"]) - placed("panda", Q)).max() < 1e-9
    assert symoro.solutions.within_limits(symoro.load("panda"), row["q"])


def test_closed_forms_are_reported(run: Any) -> None:
    result, note = run("rx90", "--at", "0,60,-45,0,45,0", "--degrees")
    assert result["method"] == "closed form" and note == "" and len(result["solutions"]) > 1


def test_the_method_on_request(run: Any) -> None:
    words = ("rx90", "--pose", "0.4,0.2,0.3,180,0,0", "--degrees", "--method", "numeric")
    result, note = run(*words)
    assert result["method"] == "numeric" and note == "" and result["solutions"][0]["status"] == "valid"
    near, _ = run(*words, "--near", "10,20,30,0,50,0")
    q = near["solutions"][0]["q"]
    closed, _ = run(*words[:-2])
    apart = [
        np.abs(np.remainder(np.subtract(row["q"], q) + 180, 360) - 180).max() for row in closed["solutions"]
    ]
    assert min(apart) < 1e-5


def test_a_preferred_posture(run: Any) -> None:
    words = ("panda", "--at", AT, "--start", "1,0,0,-1,0,1,0")
    wanted = np.array([-0.5, 0.2, 0.3, -1.4, 0.5, 1.6, 0.7])
    plain, _ = run(*words)
    near, _ = run(*words, "--prefer", ",".join(map(str, wanted)))
    apart = [np.linalg.norm(result["solutions"][0]["q"] - wanted) for result in (plain, near)]
    assert apart[1] < apart[0]


def test_limits(run: Any) -> None:
    """A posture outside the limits: within them where that can be had, outside only when that is allowed."""
    words = ("panda", "--at", "0.1,0.2,0.3,0.5,0.5,1.6,0.7", "--given", "position")
    result, _ = run(*words, "--limits")
    assert all(symoro.solutions.within_limits(symoro.load("panda"), row["q"]) for row in result["solutions"])
    assert result["solutions"]


def test_partial_poses_and_locked_joints(run: Any) -> None:
    result, note = run(
        "panda", "--given", "P,az", "--locked", "7", "--near", AT, "--pose", "0.4,0.2,0.5,0,0,0"
    )
    (row,) = result["solutions"]
    T = placed("panda", row["q"])
    assert row["status"] == "valid" and row["q"][6] == Q[6] and "numerically" in note
    assert np.abs([*(T[:3, 3] - [0.4, 0.2, 0.5]), T[2, 2] - 1]).max() < 1e-9


def test_poses_that_the_iteration_does_not_reach_are_not_called_out_of_reach(run: Any) -> None:
    result, _ = run("panda", "--pose", "4,0,0,0,0,0", "--method", "numeric")
    (row,) = result["solutions"]
    assert row["status"] == "not reached" and row["residual"] > 2


def test_many_poses(run: Any, tmp_path: Path) -> None:
    q = Q + np.linspace(0, 0.3, 8)[:, None]
    T = placed("panda", q)
    file = tmp_path / "poses.json"
    file.write_text(json.dumps({"T": T.tolist()}))
    result, note = run("panda", "--values", str(file), "--method", "numeric")
    assert len(result) == 8 and note == ""
    answers = [row["q"] for pose in result for row in pose["solutions"] if row["status"] == "valid"]
    assert np.abs(placed("panda", answers) - T).max() < 1e-9


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("rx90", "--start", "0,0,0,0,0,0"),
            "--start applies to the numeric method only\nhint: add --method numeric",
        ),
        (("rx90", "--prefer", "0,0,0,0,0,0"), "--prefer applies to the numeric method only"),
        (("panda", "--prefer", "0,0"), "--prefer: expected 7 numbers"),
        (("panda", "--method", "paul"), "Paul's types"),
        (("iiwa14", "--method", "numeric", "--swivel"), "the option swivel requires a closed-form solution"),
        (("sr400", "--method", "numeric"), "closed loops"),
        (("rx90", "--method", "numeric", "--locked", "9"), "no frame called '9'"),
        (("rx90", "--method", "numeric", "--given", "zz"), "is not an entry of the pose"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    assert main(["solve", *words, "--pose", "0.4,0.2,0.5,0,0,0"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and message in printed.err


def test_a_rejected_model_suggests_the_numeric_method(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "inverse-geometry", "panda", "--pose", "position"]) == 2
    assert "numerically" in capsys.readouterr().err


def test_poses_without_a_closed_form_solution_are_solved_numerically(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Formulas may degenerate at a regular configuration; the numeric method then gives one solution."""
    usual = Model.function

    def without_solutions(self: Model, *arguments: Any, **options: Any) -> Any:
        function = usual(self, *arguments, **options)

        def out_of_reach(**inputs: Any) -> Any:
            solutions = function(**inputs)
            return {**solutions, "status": np.ones_like(solutions["status"])}

        return out_of_reach if self.entry.id == "inverse-geometry" else function

    monkeypatch.setattr(Model, "function", without_solutions)
    arguments = ["solve", "puma560", "--at", "0.1,0.2,0.3,0.4,0.5,0.6"]
    assert main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["method"] == "numeric" and [row["status"] for row in result["solutions"]] == ["valid"]
    assert main(arguments) == 0
    assert (
        "note: the closed form has no solution for a pose that the robot reaches" in capsys.readouterr().out
    )
    assert main(["solve", "puma560", "--pose", "9,9,9,0,0,0", "--json"]) == 1  # out of reach
    assert json.loads(capsys.readouterr().out)["method"] == "closed form"
