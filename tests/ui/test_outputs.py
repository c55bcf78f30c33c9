"""Check that commands reject invalid output files before the computation and print results before writing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symoro.robot.formats import dumps
from symoro.ui import cli, commands
from symoro.ui.cli import main
from tests.identification.truth import smooth, two_links

# command -> words before the target, suffix of the target ('' is a folder), and what does the work
COMMANDS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "generate": (
        ("generate", "fast-geometry", "planar2r", "--lang", "c", "-o"),
        "",
        "symoro.ui.commands.generate",
    ),
    "export": (
        ("export", "fast-geometry", "planar2r", "--lang", "c", "-o"),
        "",
        "symoro.ui.commands.generate",
    ),
    "optimise": (("optimise", "listing.txt", "-o"), "", "symoro.listings.optimise"),
    "linearise": (("linearise", "planar2r", "--lang", "c", "-o"), "", "symoro.ui.linearise.linearise"),
    "convert": (("convert", "planar2r"), ".yaml", "symoro.robot.formats.dumps"),
    "render": (("render", "planar2r", "-o"), ".svg", "symoro.ui.render.draw"),
    "base": (("base", "planar2r", "-o"), ".yaml", "symoro.ui.commands.base_parameters"),
    "calibrate": (
        ("calibrate", "planar2r", "poses.csv", "-o"),
        ".yaml",
        "symoro.identification.read_measurements",
    ),
    "identify": (("identify", "arm.yaml", "log.csv", "-o"), ".yaml", "symoro.ui.identify.identify"),
    "compare": (("compare", "arm.yaml", "arm.yaml", "-o"), ".csv", "symoro.ui.compare.compare"),
    "torques": (("torques", "planar3r", "filip3r", "-o"), ".csv", "symoro.ui.torques.torques"),
    "simulate": (
        ("simulate", "planar2r", "q=0,1", "--duration", "0.1", "-o"),
        ".csv",
        "symoro.ui.simulate.simulate",
    ),
    "excite": (("excite", "arm.yaml", "-o"), ".yaml", "symoro.ui.excitation.excite"),
    "explain": (
        ("explain", "inverse-dynamics", "planar2r", "--link", "1", "-o"),
        ".tex",
        "symoro.ui.recursion.newton_euler",
    ),
    "postures": (
        ("postures", "planar3r", "-o"),
        ".csv",
        "symoro.identification.posture_design.optimal_postures",
    ),
    "sweep": (
        ("sweep", "jacobian", "planar2r", "--over", "q=0:1:2", "-o"),
        ".parquet",
        "symoro.ui.sweep.sweep",
    ),
    "study": (("study", "elbow-arm", "-o"), ".csv", "symoro.ui.study.optimise_design"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    t = smooth(two_links(), 600)
    tau = t.tau + 0.2 * np.random.default_rng(0).standard_normal(t.tau.shape)
    table = np.column_stack([np.arange(len(t.q)) / t.rate, t.q, tau])
    np.savetxt(
        tmp_path / "log.csv", table, delimiter=",", header="t,q1,q2,tau1,tau2", comments="", fmt="%.12g"
    )
    (tmp_path / "arm.yaml").write_text(dumps(two_links(), "yaml"), encoding="utf-8")
    (tmp_path / "listing.txt").write_text("a = sin(q1)*b\n")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "file").write_text("somebody's notes")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def never(*_: Any, **__: Any) -> None:
    raise AssertionError("the work was begun")


def test_every_command_that_writes_is_tried() -> None:
    parsers = cli._subparsers(cli._parser([]))
    writing = {
        name for name, parser in parsers.items() if "output" in {action.dest for action in parser._actions}
    }
    assert writing == set(COMMANDS)
    assert all(parsers[name].get_default("target") for name in writing)


@pytest.mark.parametrize("command", COMMANDS)
def test_targets_are_checked_before_the_work(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words, suffix, work = COMMANDS[command]
    monkeypatch.setattr(work, never)
    names = (
        {"file/x": "file"} if not suffix else {f"missing/x{suffix}": "folder", f"file/x{suffix}": "folder"}
    )
    if suffix:
        (folder / f"foreign{suffix}").write_text("somebody's notes")
        names |= {
            f"foreign{suffix}": "did not write it",
            "x.nope": ".nope" if command != "render" else "suffix",
        }
    for name, message in names.items():
        assert main([*words, name]) == 2
        assert message in capsys.readouterr().err.replace("x.nope", "suffix .nope")
    if suffix:
        with pytest.raises(AssertionError, match="the work was begun"):
            main([*words, f"foreign{suffix}", "--force"])


@pytest.mark.parametrize(
    ("command", "name"), [("generate", "planar2R_fast_geometry.c"), ("export", "README.md")]
)
def test_a_foreign_file_in_a_folder_is_detected_before_the_computation(
    command: str, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "foreign" / name).write_text("somebody's notes")
    monkeypatch.setattr("symoro.ui.commands.generate", never)
    assert main([*COMMANDS[command][0], "foreign"]) == 2
    assert name in capsys.readouterr().err
    (folder / "foreign" / name).rename(folder / "foreign" / "other.c")
    with pytest.raises(AssertionError, match="the work was begun"):
        main([*COMMANDS[command][0], "foreign"])


BUILT = {
    "c": ("arm_example", "arm.o", "build/arm.c"),
    "cmake": ("Makefile", "arm.c", "build/Makefile", "build/arm_example", "build/arm.o"),
    "cortex-m": ("arm.o", "build-cortex-m4/arm.o", "build-cortex-m4/arm.elf", "build-cortex-m4/main.c"),
    "mex": ("arm_mex.mex", "arm.o", "Makefile"),
    "fmu": ("arm.c", "arm/arm.c", "Makefile"),
    "c,matlab": ("c/arm_example", "c/arm.o", "arm.c"),
}
"""Targets -> files of a build, which an export does not write."""


@pytest.mark.parametrize("target", BUILT)
def test_a_folder_that_was_built_is_exported_again(target: str, folder: Path) -> None:
    words = ["export", "fast-geometry", "planar2r", "--name", "arm", "--lang", target, "-o", "out"]
    assert main(words) == 0
    for name in BUILT[target]:
        (folder / "out" / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / "out" / name).write_bytes(b"\x7fELF")
    assert main(words) == 0
    assert all((folder / "out" / name).read_bytes() == b"\x7fELF" for name in BUILT[target])
    (folder / "out" / "README.md").write_text("somebody's notes")
    assert main(words) == 2


@pytest.mark.parametrize("target", ["c", "cmake", "cortex-m"])
def test_foreign_sources_are_kept(target: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = folder / "out" / ("arm/arm.c" if target == "cmake" else "arm.c")
    source.parent.mkdir(parents=True)
    source.write_text("my own work")
    words = ["export", "fast-geometry", "planar2r", "--name", "arm", "--lang", target, "-o", "out"]
    assert main(words) == 2
    assert "did not write it" in capsys.readouterr().err
    assert [path for path in (folder / "out").rglob("*") if path.is_file()] == [source]


def test_formats_that_identify_cannot_write_are_rejected_before_the_computation(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("symoro.ui.identify.identify", never)
    words = ("identify", "arm.yaml", "log.csv")
    (folder / "foreign" / "report.md").write_text("somebody's notes")
    cases = {
        ("-o", "identified.urdf"): "--consistent",
        ("-o", "identified.mjcf", "--consistent"): "MJCF",
        ("--report", "file"): "not a folder",
        ("--report", "foreign"): "report.md",
        ("--report", "file/out"): "not a folder",
    }
    for more, message in cases.items():
        assert main([*words, *more]) == 2
        assert message in capsys.readouterr().err
    with pytest.raises(AssertionError, match="the work was begun"):
        main([*words, "-o", "identified.urdf", "--consistent"])


@pytest.mark.parametrize("command", ["base", "identify", "torques", "simulate"])
def test_results_are_shown_even_if_writing_fails(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk may fill up after the check."""
    words, suffix, _ = COMMANDS[command]
    monkeypatch.setattr(commands, "check_outputs", lambda options: None)
    name = f"missing/x{suffix}"
    assert main([*words, name]) == 2
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) > 3 and "cannot be written" in shown.err
    assert main([*words, name, "--json"]) == 2
    data = json.loads(capsys.readouterr().out)
    assert "cannot be written" in data["error"]["message"] and len(data) > 2
