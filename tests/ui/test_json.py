"""--json on every command: one JSON value on standard output and nothing beside it, errors included."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symoro.robot.formats import dumps
from symoro.ui import cli
from tests.identification.truth import smooth, two_links

Q = "q=0,0,0,0,0,0"
WORKING = {
    "robots": [],
    "show": ["rx90"],
    "check": ["rx90"],
    "convert": ["rx90", "--to", "dh"],
    "models": ["rx90"],
    "languages": [],
    "singularities": ["scara"],
    "base": ["scara"],
    "cite": ["jacobian"],
    "generate": ["jacobian", "rx90"],
    "count": ["jacobian", "rx90"],
    "explain": ["inverse-geometry", "rx90"],
    "eval": ["jacobian", "rx90", Q],
    "solve": ["rx90", "--at", "0,1,-1,0,1,0"],
    "pose": ["delta", "qa=0.1,0.2,0.3"],
    "export": ["jacobian", "rx90", "-o", "out"],
    "render": ["rx90", "-o", "rx90.svg"],
    "calibrate": ["rx90"],
    "excite": ["planar2r", "--harmonics", "2", "--starts", "1", "--no-torque"],
    "postures": ["planar3r", "--count", "5", "--candidates", "20"],
    "torques": ["planar3r", "filip3r"],
    "simulate": ["cartpole", "q=0,0.1", "--duration", "0.1"],
    "linearise": ["cartpole", "q=0,0", "--transfer", "q2/tau1"],
    "compare": ["arm.yaml", "arm.yaml"],
    "optimise": ["listing.txt"],
    "identify": ["arm.yaml", "log.csv", "--decimation", "10"],
    "sweep": ["jacobian", "rx90", "--sample", "q=-1:1", "--count", "5", "--measure", "reach"],
    "study": ["elbow-arm"],
}
OTHERS = [
    ["convert", "rx90", "arm.yaml"],
    ["generate", "jacobian", "rx90", "--lang", "c"],
    ["generate", "jacobian", "rx90", "--lang", "c", "-o", "out"],
    ["count", "inverse-dynamics", "scara", "--explain"],
    ["explain", "inverse-geometry", "rx90", "--latex"],
    ["explain", "jacobian", "rx90"],
    ["base", "scara", "-o", "regrouped.yaml"],
    ["cite"],
    ["models"],
    ["show", "panda", "--bind", "G3=-1"],
    ["check", "sr400", "--tree"],
    ["solve", "rx90", "--at", "0,1,-1,0,1,0", "--csv"],
    ["solve", "rx90", "--pose", "9,9,9,0,0,0"],
]
FAILING = {
    "robots": [["extra"], ["--nope"]],
    "show": [[], ["nope"], ["missing.par"], ["rx90", "--bind", "D9=1"], ["broken.yaml"]],
    "check": [[], ["broken.yaml"], ["missing.yaml"], ["rx90", "--nope"]],
    "convert": [["rx90"], ["rx90", "--to", "word"], ["sr400", "--to", "urdf"], ["rx90", "/none/arm.yaml"]],
    "models": [["nope"]],
    "languages": [["c"]],
    "singularities": [["rx90", "--to", "99"], []],
    "base": [["nope"], ["rx90", "-o", "/none/arm.yaml"]],
    "cite": [["nope"]],
    "generate": [
        ["nope", "rx90"],
        ["jacobian"],
        ["jacobian", "rx90", "--lang", "cobol"],
        ["jacobian", "rx90", "--to"],
    ],
    "count": [["inverse-dynamics", "sr400", "--actuators", "elastic"], ["jacobian", "rx90", "--frame", "99"]],
    "explain": [["nope", "rx90"]],
    "eval": [
        ["jacobian", "rx90"],
        ["jacobian", "rx90", "q=1,2"],
        ["jacobian", "rx90", "q=home"],
        ["jacobian"],
    ],
    "pose": [["delta"], ["delta", "qa=1,2"], ["rx90", "qa=1"], []],
    "solve": [["rx90"], ["rx90", "--at", "1,2"], ["gantry", "--nope"]],
    "export": [["jacobian", "rx90"], ["jacobian", "rx90", "-o", "broken.yaml"]],
    "render": [["rx90"], ["rx90", "-o", "rx90.gif"], ["rx90", "-o", "rx90.svg", "--view", "behind"]],
    "calibrate": [["rx90", "missing.csv"], ["fourbar"], ["rx90", "-o", "better.yaml"]],
    "excite": [["planar2r", "--harmonics", "0"], ["planar2r", "--acceleration", "-1"]],
    "postures": [["nope"], ["planar3r", "--count", "0"], ["planar3r", "--noise", "1,2,3"]],
    "torques": [["planar3r"], ["planar3r", "nope"], ["rx90", "filip3r"]],
    "simulate": [["cartpole", "--duration", "-1"], ["nope"]],
    "linearise": [["cartpole", "q=0,0.3"], ["nope"], ["cartpole", "q=0"], ["cartpole", "--transfer", "q9"]],
    "optimise": [["missing.txt"], ["broken.yaml"], []],
    "compare": [["rx90"], ["rx90", "missing.json"], ["broken.yaml", "rx90"], ["planar2r", "rx90"]],
    "identify": [["rx90"], ["rx90", "none.csv"], ["arm.yaml", "log.csv", "--method", "nope"]],
    "sweep": [["jacobian", "rx90"], ["jacobian", "rx90", "--over", "q2=0:1"], ["nope", "rx90"]],
    "study": [[], ["nope"], ["broken.yaml"]],
}
WITHOUT_JSON = {"gui", "help"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in measured().items():
        (tmp_path / name).write_text(text)
    (tmp_path / "listing.txt").write_text("a = sin(q1)*b\nc = a*cos(q2) + a\n")
    (tmp_path / "broken.yaml").write_text("symoro: 1\nname: bad\nframes: [{ant: 7}, {alpha: 1 +}]\n")


@cache
def measured() -> dict[str, str]:
    """A robot and a log of it."""
    t = smooth(two_links())
    table = np.column_stack([np.arange(len(t.q)) / t.rate, t.q, t.tau])
    lines = ["t,q1,q2,tau1,tau2", *(",".join(f"{x:.12g}" for x in row) for row in table)]
    return {"arm.yaml": dumps(two_links(), "yaml"), "log.csv": "\n".join(lines)}


def answer(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    """Exit code and value; what is printed must be strict JSON, and nothing else."""
    code = cli.main([*words, "--json"])
    printed = capsys.readouterr()
    assert printed.err == ""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return code, json.loads(printed.out, parse_constant=refuse)


def test_every_command_is_tried() -> None:
    commands = set(cli._subparsers(cli._parser([])))
    assert commands - WITHOUT_JSON == set(WORKING) == set(FAILING)


@pytest.mark.parametrize(
    "words", [*([name, *words] for name, words in WORKING.items()), *OTHERS], ids=" ".join
)
def test_answers(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, value = answer(words, capsys)
    assert code in (0, 1 if words[0] == "solve" else 0)
    assert isinstance(value, dict | list)


@pytest.mark.parametrize(
    "words", [[name, *words] for name, tried in FAILING.items() for words in tried], ids=" ".join
)
def test_errors(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, value = answer(words, capsys)
    assert code == 2
    error = value["error"]
    assert error["message"] and error["kind"].endswith("Error")
    assert set(error) <= {"kind", "message", "hint", "place", "problems"}


@pytest.mark.parametrize("words", [["bogus"], ["--bogus"], ["robots", "--jsn"]])
def test_errors_before_a_command_is_known(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, value = answer(words, capsys)
    assert code == 2 and value["error"]["message"]


def test_an_error_has_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    _, value = answer(["show", "broken.yaml"], capsys)
    place = value["error"]["place"]
    assert place["file"] == "broken.yaml" and place["line"] == 3 and place["key"].startswith("frames[")


def test_numbers_without_a_json_form_are_null(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "values.json").write_text('{"q": [0, NaN]}')
    _, value = answer(["eval", "fast-geometry", "planar2r", "--values", "values.json"], capsys)
    assert value["T"][0][0] is None and value["T"][2][2] == 1.0
