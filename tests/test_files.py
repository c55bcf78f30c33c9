"""Check that files are written inside their folder and foreign files are kept unless force is given."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import symoro
from symoro.errors import WriteError
from symoro.files import MADE_BY, file_name, is_ours, write_folder
from symoro.robot import formats
from symoro.ui.cli import main

NAMES = [
    "/x/evil", "../../escape", "..", ".", "", "a/b\\c", "C:\\evil", ".hidden", "a\0b", "a\nb", "con", "NUL.txt",
    "x" * 5000, "日本" * 300, "-rf", "~root", "$(touch x)", "a..b", "\ud800", "é" * 400, "aux.", "name ",
]  # fmt: skip
LANGUAGES = (
    *("c", "cpp", "fortran", "matlab", "python", "julia", "javascript"),
    *("maple", "mathematica", "latex", "text"),
)


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


@pytest.mark.parametrize("name", NAMES)
def test_clean_names(name: str, tmp_path: Path) -> None:
    result = file_name(name)
    assert result
    assert result == file_name(result)
    assert not set(result) & set("/\\:\0\n$~ ")
    assert not result.startswith(".")
    path = tmp_path / f"{result}.yaml"
    path.write_text("x")
    assert tree(tmp_path) == {path.name}


def test_valid_names_are_unchanged() -> None:
    for name in ("rx90", "planar2R", "Stäubli-TX40.v2", "日本"):
        assert file_name(name) == name


@pytest.mark.parametrize("name", ["/x/evil", "../../escape", "/tmp/evil", "..", "con"])
def test_export_stays_in_its_folder(name: str, tmp_path: Path) -> None:
    robot = symoro.load("planar2r").replace(name=name)
    model = symoro.generate(robot, "fast-geometry")
    out = tmp_path / "a" / "b" / "out"
    written = write_folder(out, model.export(["c", "python"]))
    assert all(path.is_relative_to(out) and ".." not in path.parts for path in written)
    assert tree(tmp_path) == {path.relative_to(tmp_path).as_posix() for path in written}


def test_export_from_the_command_line_stays_in_its_folder(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    text = formats.dumps(symoro.load("planar2r"), "yaml").replace("planar2R", '"../../escape"')
    (work / "arm.yaml").write_text(text, encoding="utf-8")
    assert main(["export", "fast-geometry", str(work / "arm.yaml"), "-o", str(work / "out")]) == 0
    assert {path.split("/")[0] for path in tree(tmp_path)} == {"work"}
    assert tree(work / "out") >= {"Makefile", "README.md", "____escape.yaml"}


@pytest.mark.parametrize("name", ["/abs", "../up", "a/../../b", "", "a\\b"])
def test_paths_that_lead_out_are_rejected(name: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="points outside"):
        write_folder(tmp_path / "out", {name: "x"})
    assert tree(tmp_path) == set()


# -- whose file is it?


def test_every_emitted_file_names_its_generator(tmp_path: Path) -> None:
    model = symoro.generate(symoro.load("rx90"), "inverse-dynamics")
    projects = {lang: model.export(lang) for lang in LANGUAGES} | {"all": model.export(list(LANGUAGES))}
    for lang, files in projects.items():
        for path in write_folder(tmp_path / lang, files):
            assert is_ours(path), path
        write_folder(tmp_path / lang, files)  # once more


@pytest.mark.parametrize("suffix", ["par", "yaml", "csv", "urdf"])
def test_every_robot_file_names_its_generator(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"arm.{suffix}"
    robot = symoro.load("ur5e")
    symoro.save(robot, path, lossy=True)
    assert is_ours(path)
    symoro.save(robot.replace(name="other"), path, lossy=True)
    assert symoro.load(path).name == "other"


@pytest.mark.parametrize(
    "text",
    ["symoro: 1\nname: mine\n", "made with symoro 1\n", "x Made by symoro 0.1.0\n", f"{MADE_BY} is a lie"],
)
def test_a_hand_written_file_is_kept(text: str, tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(text, encoding="utf-8")
    robot = symoro.load("planar2r")
    with pytest.raises(WriteError, match="did not write it") as caught:
        symoro.save(robot, path)
    assert "force" in (caught.value.hint or "")
    assert path.read_text(encoding="utf-8") == text
    symoro.save(robot, path, force=True)
    assert symoro.load(path) == robot


COMMANDS = {
    "arm.par": ["convert", "planar2r", "OUT/arm.par"],
    "base.par": ["base", "planar2r", "-o", "OUT/base.par"],
    "planar2R_fast_geometry.c": ["generate", "fast-geometry", "planar2r", "--lang", "c", "-o", "OUT"],
    "Makefile": ["export", "fast-geometry", "planar2r", "--lang", "c", "-o", "OUT"],
    "planar2R.yaml": ["export", "fast-geometry", "planar2r", "--lang", "c", "-o", "OUT"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_ask_for_force(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [word.replace("OUT", str(tmp_path)) for word in COMMANDS[name]]
    (tmp_path / name).write_text("my own work\n")
    assert main(words) == 2
    assert "did not write it" in capsys.readouterr().err
    assert tree(tmp_path) == {name}  # nothing else was written either
    assert (tmp_path / name).read_text() == "my own work\n"
    assert main([*words, "--force"]) == 0
    assert is_ours(tmp_path / name)
    assert main(words) == 0


# -- targets that cannot be overwritten


def test_symbolic_links_and_folders_with_the_target_name(tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    (out / "folder.c").mkdir(parents=True)
    elsewhere.mkdir()
    (out / "nowhere.c").symlink_to(tmp_path / "gone")
    (out / "away").symlink_to(elsewhere)
    (elsewhere / "ours.c").write_text(f"/* {MADE_BY} */\n")
    (out / "ours.c").symlink_to(elsewhere / "ours.c")
    for name, message in (
        ("folder.c", "a folder with this name exists"),
        ("nowhere.c", "a broken symbolic link"),
        ("away/new.c", "points outside the folder"),
        ("ours.c", "points outside the folder"),
    ):
        with pytest.raises(WriteError, match=message):
            write_folder(out, {"first.c": "x", name: "x"}, force=True)
    assert tree(elsewhere) == {"ours.c"}
    assert "first.c" not in tree(out)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_device(capsys: pytest.CaptureFixture[str]) -> None:
    before = os.stat("/dev/full")  # noqa: PTH116
    with pytest.raises(WriteError, match="no space left"):
        symoro.save(symoro.load("planar2r"), "/dev/full", "yaml")
    assert main(["convert", "planar2r", "/dev/full", "--to", "yaml"]) == 2
    assert "no space left" in capsys.readouterr().err
    assert os.stat("/dev/full").st_rdev == before.st_rdev  # noqa: PTH116


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("words", [["show", "rx90"], ["robots", "--json"]])
def test_output_to_a_full_device(words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "symoro.ui.cli", *words], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr.lower() == "symoro: cannot continue: no space left on device\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such devices")
def test_a_device_takes_the_text(tmp_path: Path) -> None:
    symoro.save(symoro.load("planar2r"), "/dev/null", "yaml")
    assert Path("/dev/null").is_char_device()
