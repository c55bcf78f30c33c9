"""Check --payload: its syntax, and that every command derives the model of `Robot.with_payload`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import OptionError
from symoro.ui import cli
from symoro.ui.cli import main
from symoro.ui.values import payload_fields

TEXT = "mass=2,com=0,0,0.1,inertia=.01,0,0,.01,0,.004"


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("mass=2", {"mass": "2"}),
        ("mass=2,com=0,0,0.1", {"mass": "2", "com": ["0", "0", "0.1"]}),
        ("com=0,0,LP, mass=MP", {"com": ["0", "0", "LP"], "mass": "MP"}),
        (
            "mass=1,inertia=1,2,3,4,5,6,link=hand",
            {"mass": "1", "inertia": ["1", "2", "3", "4", "5", "6"], "link": "hand"},
        ),
        ("mass=max(1,2)", {"mass": "max(1,2)"}),
    ],
)
def test_syntax(text: str, fields: dict[str, Any]) -> None:
    assert payload_fields(text) == fields


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("com=0,0,1", "the mass is missing"),
        ("2,com=0,0,1", "'2' is not valid"),
        ("mass=2,com", "'mass' has one value, got 2"),
        ("mas=2", "'mas=2' is not valid"),
        ("mass=2,mass=3", "'mass' is given twice"),
        ("mass=2,link=a,b", "'link' has one value, got 2"),
        ("", "'' is not valid"),
    ],
)
def test_errors_of_the_syntax(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        payload_fields(text)


@pytest.mark.parametrize(("text", "message"), [("mass=2,com=0,1", "com"), ("mass=-1", "not negative")])
def test_errors_of_the_robot(capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    assert main(["count", "inverse-dynamics", "planar2r", "--payload", text]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("link", [None, 1])
def test_eval_uses_the_payload(capsys: pytest.CaptureFixture[str], link: int | None) -> None:
    text = TEXT if link is None else f"{TEXT},link={link}"
    matrix = answer(capsys, "eval", "mass-matrix", "planar2r", "q=0.3,1.2", "--payload", text)["A"]
    robot = symoro.load("planar2r")
    loaded = robot.with_payload(2, [0, 0, 0.1], [0.01, 0, 0, 0.01, 0, 0.004], link)
    expected = symoro.generate(loaded, "inertia-matrix").function(compiled=False)(q=[0.3, 1.2])["A"]
    assert np.allclose(matrix, expected, rtol=1e-12)
    bare = symoro.generate(robot, "inertia-matrix").function(compiled=False)(q=[0.3, 1.2])["A"]
    assert not np.allclose(matrix, bare)


def test_a_payload_of_symbols_is_bound(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("eval", "mass-matrix", "planar2r", "q=0,1")
    symbolic = answer(capsys, *words, "--payload", "mass=MP,com=LP,0,0", "--bind", "MP=2", "--bind", "LP=0.1")
    assert symbolic == answer(capsys, *words, "--payload", "mass=2,com=0.1,0,0")


@pytest.mark.parametrize(
    "words",
    [
        ["torques", "planar3r", "filip3r"],
        ["simulate", "planar2r", "q=0,1", "--duration", "0.1"],
        ["count", "inverse-dynamics", "rx90"],
        ["generate", "inverse-dynamics", "rx90"],
        ["base", "scara"],
        ["show", "rx90"],
        ["convert", "rx90", "--to", "yaml"],
    ],
    ids=lambda words: words[0],
)
def test_every_dynamic_command_has_the_option(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    bare = answer(capsys, *words)
    loaded = answer(capsys, *words, "--payload", "mass=3,com=0.1,0.2,0.3")
    if words[0] != "base":  # a payload on the last link does not change the grouping
        assert loaded != bare


def test_the_commands_with_the_option() -> None:
    parsers = cli._subparsers(cli._parser([]))
    assert {name for name, parser in parsers.items() if "--payload" in parser._option_string_actions} == {
        *("show", "convert", "base", "generate", "count", "explain", "eval", "export"),
        *("torques", "simulate", "excite", "identify", "linearise", "sweep"),
    }
