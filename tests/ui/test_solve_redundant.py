"""`symoro solve` lists the branches of a redundant arm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.ui.cli import main

Q = [0.3, 0.4, -0.2, -1.8, 0.1, 2.1, 0.6]
AT = ",".join(map(str, Q))


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    assert main(["solve", *words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def placed(q: Any) -> Any:
    return symoro.generate("panda", "fast-geometry").function(compiled=False)(q=q)["T"]


def test_branches_within_limits_are_sorted(capsys: pytest.CaptureFixture[str]) -> None:
    result = run(capsys, "panda", "--at", AT, "--limits", "--samples", "16")
    assert result["method"] == "closed form"
    q = np.array([row["q"] for row in result["solutions"]])
    assert len(q) > 5 and symoro.solutions.within_limits("panda", q).all()
    assert np.abs(placed(q) - placed(Q)).max() < 1e-8
    distances = np.linalg.norm(q - Q, axis=1)
    assert (np.diff(distances) > -1e-9).all() and distances[0] < 1e-6
    assert np.allclose(result["nearest"]["q"], Q)
    assert all(abs(row["parameter"] - row["q"][5]) < 1e-9 for row in result["solutions"][1:])
    denser = run(capsys, "panda", "--at", AT, "--limits", "--samples", "64")
    assert len(denser["solutions"]) > len(q)


def test_near_and_degrees(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("panda", "--at", AT, "--samples", "8")
    near = run(capsys, *words, "--near", "2,0,-2,-1.7,-0.7,1.9,1.1")
    first = np.linalg.norm(np.subtract(near["solutions"][0]["q"], [2, 0, -2, -1.7, -0.7, 1.9, 1.1]))
    others = [
        np.linalg.norm(np.subtract(row["q"], [2, 0, -2, -1.7, -0.7, 1.9, 1.1])) for row in near["solutions"]
    ]
    assert abs(min(others) - first) < 1e-9
    degrees = run(
        capsys, "panda", "--at", ",".join(f"{np.degrees(x):.12f}" for x in Q), "--samples", "8", "--degrees"
    )
    assert np.abs(np.radians(degrees["solutions"][0]["q"]) - Q).max() < 1e-6


def test_the_table_lists_one_solution_per_branch(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "panda", "--at", AT, "--limits", "--samples", "16"]) == 0
    printed = capsys.readouterr().out
    assert "q6 is sampled at 16 values" in printed and "--json or --csv" in printed
    assert "5 solutions" in printed or "4 solutions" in printed


def test_several_poses(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    poses = placed(np.array(Q) + np.linspace(0, 0.2, 3)[:, None])
    file = tmp_path / "poses.json"
    file.write_text(json.dumps({"T": poses.tolist()}))
    results = run(capsys, "panda", "--values", str(file), "--samples", "8")
    for result, pose in zip(results, poses, strict=True):
        rows = np.array([row["q"] for row in result["solutions"]])
        assert len(rows) and np.abs(placed(rows) - pose).max() < 1e-8


def test_out_of_reach(capsys: pytest.CaptureFixture[str]) -> None:
    result = run(capsys, "panda", "--pose", "4,0,0,0,0,0", code=1)
    assert result["solutions"] == [] and result["reason"] == "out of reach"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("panda", "--samples", "0"), "--samples: expected a whole number, at least 1"),
        (("rx90", "--samples", "8"), "--samples applies to an arm with one redundant joint"),
        (
            ("panda", "--locked", "7", "--samples", "8"),
            "--samples applies to an arm with one redundant joint",
        ),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    assert main(["solve", *words, "--pose", "0.4,0.2,0.5,0,0,0"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and message in printed.err
