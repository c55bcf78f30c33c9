"""Check that no robot name leads to a file outside the output folder."""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath

import pytest

from symoro.ui.cli import main
from symoro.ui.service import call

NAMES = [
    "../../.bashrc.d/x",
    "..",
    "/etc/passwd",
    "a\\..\\..\\b",
    "C:x",
    "<img src=x onerror=alert(1)>",
    "$(touch x)",
    "x\ny",
    "con",
    "a" * 300,
]
PLAIN = re.compile(r"[\w-][\w.-]*\Z")
TEXT = "symoro: 1\nname: {name}\nframes:\n- {{link: {{M: 1, MX: MX1, ZZ: ZZ1}}}}\n"


def stays_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and all(PLAIN.match(part) and not set(part) <= {"."} for part in parts)


@pytest.mark.parametrize("name", NAMES)
def test_the_service_names_files_and_folders(name: str) -> None:
    opened = call("robot_open", {"text": TEXT.format(name=json.dumps(name)), "file": "x.yaml"})
    assert opened["name"] == name and stays_inside(opened["file"]) and "/" not in opened["file"]
    robot = {"robot": opened["robot"]}
    wanted = {**robot, "model": "inverse-dynamics"}
    project = call("export", {**wanted, "languages": ["c", "python", "matlab"]})
    assert stays_inside(project["folder"]) and "/" not in project["folder"]
    assert project["folder"].endswith("_inverse_dynamics") and len(project["folder"]) < 120
    code = call("code", {**wanted, "language": "c"})
    written = call("robot_write", {**robot, "format": "yaml"})
    paths = [*project["files"], *code["files"], *written["files"]]
    assert len(paths) > 12 and all(map(stays_inside, paths)), paths


@pytest.mark.parametrize("name", NAMES[:6])
def test_commands_write_inside_their_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "one" / "two" / "three"
    home.mkdir(parents=True)
    monkeypatch.chdir(home)
    (home / "x.yaml").write_text(TEXT.format(name=json.dumps(name)), encoding="utf-8")
    commands = [
        "export inverse-dynamics x.yaml --lang c,python,matlab -o exported",
        "generate inverse-dynamics x.yaml --lang c -o generated",
        "convert x.yaml converted.yaml",
        "render x.yaml -o drawn.svg",
    ]
    for command in commands:
        assert main(command.split()) == 0, capsys.readouterr().err
    made = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(path.is_relative_to(home) for path in made)
    tops = {path.relative_to(home).parts[0] for path in made}
    assert tops == {"x.yaml", "exported", "generated", "converted.yaml", "drawn.svg"}
    assert all(stays_inside(str(path.relative_to(home))) for path in made)
