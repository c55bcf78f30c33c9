"""Check `compare`: tables, JSON, files and errors."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symoro.robot.formats import dumps
from symoro.ui.cli import main
from tests.identification.truth import smooth, two_links


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: Any) -> Path:
    """A robot, and the results of two identifications of it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.yaml").write_text(dumps(two_links(), "yaml"), encoding="utf-8")
    t = smooth(two_links())
    for seed in (0, 1):
        tau = t.tau + 0.2 * np.random.default_rng(seed).standard_normal(t.tau.shape)
        table = np.column_stack([np.arange(len(t.q)) / t.rate, t.q, tau])
        names = "t,q1,q2,tau1,tau2"
        np.savetxt(f"log{seed}.csv", table, delimiter=",", header=names, comments="", fmt="%.12g")
        result = data("identify", "arm.yaml", f"log{seed}.csv", "--decimation", "10", "-o", f"{seed}.yaml")
        (tmp_path / f"{seed}.json").write_text(json.dumps(result), encoding="utf-8")
    return tmp_path


def test_results_and_robots_are_compared(run: Any, data: Any, folder: Path) -> None:
    text = run("compare", "0.json", "1.json")
    for words in ("degrees of freedom, p = ", "ZZ1", "kg m^2", "normalised", "last third", "joint 2"):
        assert words in text
    numbers = data("compare", "0.json", "1.json")
    assert numbers["freedom"] == 13 and 0 < numbers["p_value"] < 1 and numbers["significant"] == []
    robot = data("compare", "0.json", "0.yaml")  # the file of the same estimate
    assert robot["chi_square"] < 1e-6 and robot["p_value"] == pytest.approx(1)
    both = data("compare", "0.yaml", "arm.yaml")
    assert both["chi_square"] is None and "MX2" in both["significant"] and both["residuals"]["first"] == {}


def test_the_comparison_is_written(run: Any, folder: Path) -> None:
    assert "wrote table.csv" in run("compare", "0.json", "1.json", "-o", "table.csv")
    run("compare", "0.json", "1.json", "-o", "table.csv")  # our own file may be overwritten
    lines = [line for line in (folder / "table.csv").read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    assert len(rows) == 13 and {"name", "unit", "first", "second", "deviation", "difference"} <= set(rows[0])
    assert float(rows[0]["second"]) - float(rows[0]["first"]) == pytest.approx(float(rows[0]["difference"]))
    run("compare", "0.json", "arm.yaml", "-o", "report.md")
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert report.startswith("<!-- Made by symoro") and "| ZZ1 |" in report and "chi-square" in report


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("0.json",), "SECOND"),
        (("0.json", "missing.json"), "missing.json: the file cannot be read"),
        (("0.json", "log0.csv"), "log0.csv"),
        (("0.json", "puma560"), "compare results of robots with the same geometry"),
        (("0.json", "1.json", "-o", "out.pdf"), "supported formats are .csv, .md"),
    ],
)
def test_errors_are_reported(
    words: tuple[str, ...], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *words]) == 2
    assert message in capsys.readouterr().err
    assert not (folder / "out.pdf").exists()
