"""Check the help: commands by purpose, URDF options in one place, exit codes, examples that run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from symoro.emit.targets import TARGETS
from symoro.models.catalogue import catalogue
from symoro.ui import cli
from symoro.ui.cli import PURPOSES, main
from symoro.ui.failure import EXIT_CODES
from symoro.ui.model_arguments import WITH_MODEL

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS = cli._subparsers(cli._parser([]))
URDF_OPTIONS = ("--fixed", "--tool", "--frames", "--exact", "--actuated", "--arg", "--package")
IMPERATIVE = {
    *(
        "list",
        "print",
        "draw",
        "check",
        "write",
        "derive",
        "count",
        "show",
        "evaluate",
        "compute",
        "simulate",
    ),
    *("compare", "determine", "estimate", "open", "optimise", "rewrite"),
}


def help_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as stop:
        main([*words, "--help"])
    assert stop.value.code == 0
    return capsys.readouterr().out


def examples_in(text: str) -> list[list[str]]:
    """Return the commands of the examples at the end of a help text; remarks follow after three spaces."""
    after = re.split(r"^examples?:\n", text, flags=re.MULTILINE)[1]
    lines = [line.strip() for line in after.split("\n\n")[0].splitlines()]
    return [shlex.split(line.split("   ")[0])[1:] for line in lines]


def test_every_command_has_one_purpose_and_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    listed = [name for names in PURPOSES.values() for name in names]
    assert sorted(listed) == sorted(COMMANDS)
    assert len(set(listed)) == len(listed)
    text = help_of(capsys)
    for purpose in PURPOSES:
        assert f"\n{purpose}:\n" in text
    assert [next(iter(purpose.split())) for purpose in PURPOSES][:6] == [
        *("describe", "derive", "solve", "simulate", "identify", "export")
    ]
    for name in listed:
        (line,) = re.findall(rf"^  {name} +(.*)$", text, flags=re.MULTILINE)
        assert line.split()[0] in IMPERATIVE, line
        assert len(line) < 75


def test_urdf_options_are_described_once(capsys: pytest.CaptureFixture[str]) -> None:
    main(["help", "urdf"])
    topic = capsys.readouterr().out
    for option in URDF_OPTIONS:
        assert re.search(rf"^  {option}\b", topic, flags=re.MULTILINE), option
    for name, parser in COMMANDS.items():
        text = parser.format_help()
        assert not any(re.search(rf"^  {option}\b", text, re.MULTILINE) for option in URDF_OPTIONS), name
        if "--fixed" in parser._option_string_actions:
            assert "symoro help urdf" in text, name


def test_exit_codes_are_in_the_help_and_in_the_documentation(capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of(capsys)
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    assert set(EXIT_CODES) == {0, 1, 2, 130}
    for code, meaning in EXIT_CODES.items():
        assert re.search(rf"^  {code} +{re.escape(meaning)}$", text, flags=re.MULTILINE)
        assert f"| {code} | {meaning}" in page


def test_help_of_a_command_and_of_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["count"], ["generate", "mass-matrix"]):
        assert main(["help", *words]) == 0
        assert capsys.readouterr().out == help_of(capsys, *words)
    assert main(["help"]) == 0
    assert capsys.readouterr().out == help_of(capsys)
    assert main(["help", "udrf"]) == 2
    assert "did you mean 'urdf'" in capsys.readouterr().err


@pytest.mark.parametrize("model", list(catalogue()))
@pytest.mark.parametrize("command", WITH_MODEL)
def test_the_examples_of_every_model_run(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    model: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = examples_in(help_of(capsys, command, model))
    entry = catalogue()[model]
    assert len(commands) == (1 + len(entry.forms) if command == "generate" else 1)
    for words in commands[: None if command == "generate" else 1]:
        assert words[:2] == [command, model]
        assert main(words) == 0, capsys.readouterr().err
    capsys.readouterr()


@pytest.mark.parametrize(
    "command",
    [name for name in COMMANDS if name not in ("gui", "identify", "compare", "calibrate", "excite")],
)
def test_the_example_of_every_command_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["convert", "rx90", "arm.par", "--lossy"]) == 0
    assert main(["generate", "inverse-dynamics", "rx90", "--name", "RX90_idm", "-o", "."]) == 0
    for words in examples_in(help_of(capsys, command)):
        assert main(words) == 0, capsys.readouterr().err


def test_the_examples_of_the_first_help_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in examples_in(help_of(capsys)):
        assert main(words) == 0, capsys.readouterr().err


@pytest.mark.parametrize("command", ["count", "explain", "generate", "cite"])
def test_aliases_of_models_are_accepted(capsys: pytest.CaptureFixture[str], command: str) -> None:
    for entry in catalogue().values():
        for alias in entry.aliases:
            words = [command, alias] if command == "cite" else [command, alias, "--help"]
            if command == "cite":
                assert main(words) == 0
                assert entry.id in capsys.readouterr().out
            else:
                assert f"options of {entry.id}:" in help_of(capsys, *words[:2])


def test_export_lists_the_targets_with_their_options(capsys: pytest.CaptureFixture[str]) -> None:
    lines = help_of(capsys, "export").splitlines()
    for name, target in TARGETS.items():
        (line,) = (line for line in lines if line.startswith(f"  {name} ") and target.title in line)
        assert "--name" in line and ("--float32" in line) is ("scalar" in target.options)
