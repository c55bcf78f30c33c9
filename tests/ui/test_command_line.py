"""The command line as people and scripts use it: answers, files, and one clear message for bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from symoro.robot import library
from symoro.ui.cli import main

COMMANDS = ("robots", "show", "check", "convert", "models", "languages", "singularities", "base", "cite")
WITH_MODEL = ("generate", "count", "eval", "export")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> object:
    code, out, err = run(capsys, *words, "--json")
    assert code == 0, err
    return json.loads(out)


def test_robots(capsys: pytest.CaptureFixture[str]) -> None:
    rows = answer(capsys, "robots")
    assert [row["id"] for row in rows] == library.names()
    assert len(rows) >= 25
    assert all(row["title"] and row["reference"] for row in rows)


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    data = answer(capsys, "show", "rx90")
    assert (data["NL"], data["structure"]) == (6, "serial")
    code, out, _ = run(capsys, "show", "rx90")
    assert code == 0
    for word in ("RX90", "-pi/2", "RL4", "XX1", "gravity"):
        assert word in out


def test_check_lists_every_inconsistency(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(capsys, "check", "rx90")[0] == 0
    path = tmp_path / "bad.yaml"
    path.write_text("symoro: 1\nname: bad\nframes:\n  - {ant: 7}\n  - {ant: 9}\n")
    code, _, err = run(capsys, "check", str(path))
    assert code == 2
    assert "7" in err and "9" in err


@pytest.mark.parametrize("suffix", ["par", "yaml", "urdf"])
def test_convert_by_suffix(capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"arm.{suffix}"
    assert run(capsys, "convert", "ur5e", str(target), "--lossy")[0] == 0
    assert run(capsys, "check", str(target))[0] == 0


def test_convert_to_denavit_hartenberg(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "convert", "scara", "--to", "dh", "--lossy")
    assert code == 0
    assert "denavit-hartenberg" in out


def test_models(capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row["id"]: row for row in answer(capsys, "models", "sr400")}
    assert rows["fast-geometry"]["why_not"] is None
    assert "base is fixed" in rows["wheel-kinematics"]["why_not"]


def test_generate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(capsys, "generate", "fgm", "rx90")
    assert code == 0
    assert "C23 = cos(" in out and "T[1,4] = " in out
    code, out, _ = run(
        capsys, "generate", "fast-geometry", "rx90", "--lang", "c", "-o", str(tmp_path / "out")
    )
    assert code == 0
    assert {p.suffix for p in (tmp_path / "out").iterdir()} == {".c", ".h"}


def test_count(capsys: pytest.CaptureFixture[str]) -> None:
    data = answer(capsys, "count", "jacobian", "rx90", "--frame", "3")
    assert (data["multiplications"], data["additions"]) == (6, 3)
    code, out, _ = run(capsys, "count", "inverse-dynamics", "scemi", "--explain")
    assert code == 0
    assert "link 6: " in out and "operations less" in out


def test_eval(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    data = answer(capsys, "eval", "fast-geometry", "planar2r", "q=pi/2,-pi/2", "--frm", "0", "--to", "2")
    assert np.allclose(np.array(data["T"])[:3, :3], np.eye(3))
    path = tmp_path / "values.json"
    path.write_text(json.dumps({"q": [[0, 0], [1, 2]]}))
    data = answer(capsys, "eval", "fast-geometry", "planar2r", "--values", str(path))
    assert np.shape(data["T"]) == (2, 4, 4)


def test_export_writes_a_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, "export", "fast-geometry", "rx90", "--lang", "c,python", "-o", str(tmp_path))
    assert code == 0, err
    names = {p.name for p in tmp_path.rglob("*") if p.is_file()}
    assert {"README.md", "Makefile", "RX90.yaml"} <= names


def test_singularities(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "singularities", "rx90")
    assert code == 0
    for condition in ("cos(q3) = 0", "sin(q5) = 0", "D3*cos(q2) - RL4*sin(q2 + q3) = 0"):
        assert condition in out


def test_base(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "regrouped.par"
    code, out, _ = run(capsys, "base", "scemi", "-o", str(target))
    assert code == 0
    assert "XXR2 = XX2 - YY2" in out
    assert run(capsys, "check", str(target))[0] == 0
    assert len(answer(capsys, "base", "scemi", "--no-rotor")["names"]) == 36
    assert (
        "tabular" in run(capsys, "base", "scemi", "--latex")[1]
        or "array" in run(capsys, "base", "scemi", "--latex")[1]
    )


def test_cite(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "cite", "idm")
    assert code == 0
    assert "@article{khalil-creusot-1997" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "rx9O"], "rx90"),
        (["generate", "fast-geometri", "rx90"], "fast-geometry"),
        (["generate", "fast-geometry", "rx90", "--lang", "cobol"], "cobol"),
        (["generate", "fast-geometry", "rx90", "--to", "77"], "77"),
        (["generate", "fast-geometry", "rx90", "--colour", "red"], "--colour"),
        (["generate", "direct-dynamics", "sr400", "--method", "recursive"], "closed loops"),
        (["generate", "inverse-dynamics", "rx90", "--effort", "huge"], "huge"),
        (["eval", "fast-geometry", "rx90", "q=1,2"], "(6,)"),
        (["eval", "fast-geometry", "rx90", "q=1,2,3,x,5,6"], "x"),
        (["eval", "fast-geometry", "rx90"], "'q'"),
        (
            ["eval", "inverse-dynamics", "rx90", "q=0,0,0,0,0,0", "qd=0,0,0,0,0,0", "qdd=0,0,0,0,0,0"],
            "requires values",
        ),
        (["generate", "fast-geometry", "rx90", "--bind", "D9=1"], "D9"),
        (["show", "no/such/file.par"], "no such file"),
        (["show", "rx90", "--exact"], "exact"),
        (["export", "fast-geometry", "rx90"], "-o"),
        (["convert", "rx90"], "--to"),
        (["teleport"], "teleport"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_bad_input_ends_in_one_message(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    code, out, err = run(capsys, *words)
    assert code == 2
    assert out == ""
    assert said in err
    assert "Traceback" not in err


def test_binary_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "noise.par"
    path.write_bytes(bytes(range(256)) * 10)
    code, _, err = run(capsys, "check", str(path))
    assert code == 2
    assert "noise.par" in err


@pytest.mark.parametrize("words", [[], *([c] for c in COMMANDS), *([c, "fast-geometry"] for c in WITH_MODEL)])
def test_help_teaches_by_example(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*words, "--help"])
    assert stop.value.code == 0
    assert "example" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["import symoro", "from symoro.ui.cli import main; main(['--help'])"])
def test_start_imports_nothing_heavy(command: str) -> None:
    code = f"{command}\nimport sys\nprint([m for m in ('sympy', 'scipy', 'numpy', 'mujoco') if m in sys.modules])"
    if "main" in command:
        code = f"import sys\ntry:\n    {command}\nexcept SystemExit:\n    pass\n" + code.split("\n", 1)[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")
