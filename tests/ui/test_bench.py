"""The workbench's service: robots, edits and models as JSON, and what goes wrong as an answer."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.models.geometric.scene import all_frames
from symoro.robot import library
from symoro.runtime.function import Function
from symoro.ui.bench import CALLS, call, call_text

RX90 = call("robot_open", {"id": "rx90"})


def edit(view: dict[str, Any], *edits: dict[str, Any]) -> dict[str, Any]:
    return call("robot_edit", {"robot": view["robot"], "edits": list(edits)})


def cell(view: dict[str, Any], table: str, j: int | str, column: str) -> str:
    (found,) = [t for t in view["tables"] if t["title"] == table]
    (row,) = [r for r in found["rows"] if r["j"] == j]
    return str(row["cells"][found["columns"].index(column)])


@pytest.mark.parametrize("name", library.names())
def test_a_robot_travels_as_its_document(name: str) -> None:
    view = call("robot_open", {"id": name})
    assert "error" not in view
    again = call("robot_view", {"robot": json.loads(json.dumps(view["robot"]))})
    assert again == {**view, "notes": again["notes"]}
    assert view["sizes"]["NF"] == symoro.load(name).NF


@pytest.mark.parametrize(
    ("given", "table", "j", "column"),
    [
        ({"part": "frame", "j": 3, "field": "alpha", "text": "pi/3"}, "geometry", 3, "alpha"),
        ({"part": "frame", "j": 2, "field": "ant", "text": "1"}, "geometry", 2, "ant"),
        ({"part": "frame", "j": 2, "field": "sigma", "text": "P"}, "geometry", 2, "sigma"),
        ({"part": "frame", "j": 2, "field": "upper", "text": "2.5"}, "joints", 2, "upper"),
        ({"part": "frame", "j": 2, "field": "k", "text": "K2"}, "joints", 2, "k"),
        ({"part": "frame", "j": 2, "field": "FO", "text": "0.25"}, "drives", 2, "FO"),
        ({"part": "link", "j": 4, "field": "MX", "text": "c4*m4"}, "inertia", 4, "MX"),
        ({"part": "link", "j": 6, "field": "FX", "text": "FX6"}, "wrenches", 6, "FX"),
        ({"part": "base", "j": "G", "field": "x", "text": "G1"}, "base", "G", "x"),
        ({"part": "location", "j": 1, "field": "4", "text": "h"}, "location", 1, "4"),
        ({"part": "nominal", "j": "D3", "field": "value", "text": "0.5"}, "nominal", "D3", "value"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_an_edit_fills_its_cell(given: dict[str, Any], table: str, j: int | str, column: str) -> None:
    found = edit(RX90, given)
    assert cell(found, table, j, column) == given["text"]
    assert cell(RX90, table, j, column) != given["text"] or given["field"] == "ant"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"part": "frame", "j": 3, "field": "alpha", "text": "pi/*3"}, "alpha: expected a value"),
        ({"part": "frame", "j": 3, "field": "alpha", "text": "__import__('os')"}, "alpha"),
        ({"part": "frame", "j": 9, "field": "alpha", "text": "0"}, "there is no frame 9"),
        ({"part": "frame", "j": 3, "field": "ant", "text": "9"}, "no frame called '9'"),
        ({"part": "frame", "j": 1, "field": "ant", "text": "3"}, "inconsistent"),
        ({"part": "frame", "j": 3, "field": "sigma", "text": "X"}, "expected one of R, P, F"),
        ({"part": "frame", "j": 3, "field": "upper", "text": "a"}, "expected a number"),
        ({"part": "frame", "j": True, "field": "d", "text": "0"}, "expected a whole number"),
        ({"part": "frame", "j": 3, "field": "d"}, "'text' is missing"),
        ({"part": "frame", "j": 3, "field": "limits", "text": "0"}, "is no cell of this table"),
        ({"part": "link", "j": 7, "field": "M", "text": "0"}, "there is no link 7"),
        ({"part": "base", "field": "kind", "text": "flying"}, "expected one of fixed, floating, wheeled"),
        ({"part": "nothing"}, "'part': expected one of"),
        ({"part": "remove_frame", "j": 0}, "there is no link 0"),
    ],
)
def test_an_edit_that_cannot_be_is_told(given: dict[str, Any], words: str) -> None:
    assert words in edit(RX90, given)["error"]["message"]


def test_the_offset_may_be_written_with_the_joint() -> None:
    with_joint = edit(RX90, {"part": "frame", "j": 3, "field": "theta", "text": "q3 + pi/2"})
    assert cell(with_joint, "geometry", 3, "theta") == "pi/2"
    assert (
        with_joint["robot"]
        == edit(RX90, {"part": "frame", "j": 3, "field": "theta", "text": "pi/2"})["robot"]
    )


def test_rows_come_and_go() -> None:
    longer = edit(RX90, {"part": "add_frame"})
    assert longer["sizes"]["NL"] == 7 and cell(longer, "geometry", 7, "ant") == "6"
    assert edit(longer, {"part": "remove_frame", "j": 7})["robot"] == RX90["robot"]
    loop = call("robot_open", {"id": "fourbar"})
    more = edit(loop, {"part": "add_frame", "ant": 1})
    assert more["sizes"]["NF"] == loop["sizes"]["NF"] + 1 and more["sizes"]["B"] == 1
    assert edit(more, {"part": "remove_frame", "j": more["sizes"]["NL"]})["robot"] == loop["robot"]


@pytest.mark.parametrize("structure", ["serial", "tree", "closed-loop"])
@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_a_new_robot_has_models(structure: str, base: str) -> None:
    made = call("robot_new", {"structure": structure, "links": 4, "base": base})
    assert made["structure"] == structure and made["base"] == base
    asked = {"robot": made["robot"], "model": "fast-geometry"}
    assert call("model", asked)["count"]["functions"] > 0


def test_rows_of_three_conventions() -> None:
    rows = [[0, 0, "L1", 0], [0, 0, "L2", 0]]
    made = call("robot_dh", {"rows": rows, "convention": "standard", "name": "two"})
    assert made["description"].startswith("serial, 2 joints") and "L1" in made["symbols"]
    assert "error" in call("robot_dh", {"rows": [[1]], "convention": "standard"})


def test_files_in_and_out() -> None:
    ((name, text),) = call("robot_write", {"robot": RX90["robot"], "format": "par"})["files"].items()
    assert name.endswith(".par")
    read = call("robot_open", {"text": text, "file": name})
    assert read["sizes"] == RX90["sizes"]
    broken = call("robot_open", {"text": text.replace("NL = 6", "NL = six"), "file": name})
    assert broken["error"]["kind"] == "FormatError" and broken["error"]["place"]["line"]


@pytest.mark.parametrize(
    ("robot", "model", "of", "switches"),
    [
        ("rx90", "jacobian", "", []),
        (
            "rx90_floating",
            "inverse-dynamics",
            "a floating base",
            [
                ("base", "given", "a floating base that moves as given"),
                ("free", None, "elastic and free joints on a floating base"),
            ],
        ),
        ("delta", "jacobian", "", [("space", "platform", "a platform on legs, space='platform'")]),
        ("fourbar", "transform", "", [("active", True, "active joints of closed loops")]),
    ],
)
def test_the_catalogue_tells_the_form_of_a_robot(
    robot: str, model: str, of: str, switches: list[tuple[str, Any, str]]
) -> None:
    document = call("robot_open", {"id": robot})["robot"]
    (entry,) = [e for e in call("catalogue", {"robot": document})["models"] if e["id"] == model]
    names = ["", *(form["of"] for form in entry["forms"])]
    assert names[entry["form"]] == of
    assert {(s["option"], s["value"], names[s["form"]]) for s in entry["switches"]} == set(switches)


def test_a_model_to_be_read() -> None:
    found = call("model", {"robot": RX90["robot"], "model": "idm", "options": {"effort": "plain"}})
    made = symoro.generate("rx90", "inverse-dynamics", effort="plain")
    assert found["count"]["multiplications"] == made.count().multiplications
    assert "align" in found["latex"] and found["text"] == str(made)
    assert [port["name"] for port in found["ports"]] == ["q", "qd", "qdd", "tau"]
    assert found["command"] == "symoro generate inverse-dynamics RX90.yaml --effort plain"
    assert 'effort="plain"' in found["python"] or "effort='plain'" in found["python"]
    assert call("explain", {"robot": RX90["robot"], "model": "idm"})["lines"]


def test_base_parameters_with_the_options_of_their_model() -> None:
    robot = RX90["robot"]
    with_rotors = call("base", {"robot": robot})
    without = call("base", {"robot": robot, "options": {"rotor": False}})
    model = call("model", {"robot": robot, "model": "base-parameters", "options": {"rotor": False}})
    assert without["names"] == model["columns"] != with_rotors["names"]
    assert call("base", {"robot": robot, "options": {"rotor": 1}})["error"]["kind"] == "OptionError"
    assert call("base", {"robot": robot, "options": {"rotors": True}})["error"]["kind"] == "UnknownNameError"


def test_numbers_of_a_model() -> None:
    planar = call("robot_open", {"id": "planar2r"})["robot"]
    found = call("evaluate", {"robot": planar, "model": "fast-geometry", "inputs": {"q": [0.3, 0.4]}})
    wanted = symoro.generate("planar2r", "fast-geometry").function(compiled=False)(q=[0.3, 0.4])["T"]
    np.testing.assert_allclose(found["outputs"]["T"], wanted)
    assert "error" in call("evaluate", {"robot": planar, "model": "fast-geometry", "inputs": {"q": [0.3]}})


@pytest.mark.parametrize("name", ["rx90", "sr400", "humanoid_torso", "panda"])
def test_all_frames_are_where_geometry_puts_them(name: str) -> None:
    robot = symoro.load(name).tree()
    values = {symbol: 0.3 + 0.1 * k for k, symbol in enumerate(robot.symbols())} | dict(robot.nominal)
    program = all_frames(robot)
    q = np.linspace(-1, 1, program.inputs[0].shape[0])
    placed = Function(program, values, compiled=False, robot=robot)(q=q)["T"]
    for j in (1, robot.NL // 2 + 1, robot.NL):
        model = symoro.generate(robot, "fast-geometry", to=j)
        wanted = model.function({p: values[p] for p in model.parameters}, compiled=False)(q=q)["T"]
        np.testing.assert_allclose(placed[j - 1], wanted, atol=1e-12)


def test_from_text_to_text_without_numbers_that_json_lacks() -> None:
    answer = call_text(
        "evaluate",
        json.dumps(
            {
                "robot": call("robot_open", {"id": "planar2r"})["robot"],
                "model": "fast-geometry",
                "inputs": {"q": [1e400, 0]},
            }
        ).replace("Infinity", "1e999"),
    )
    assert json.loads(answer)["outputs"]["T"][0][0] is None


def test_an_unknown_call_and_a_payload_that_lacks_something() -> None:
    assert "no call called 'modle'" in call("modle", {})["error"]["message"]
    for name in CALLS:
        answer = call(name, {})
        assert "error" in answer or name in ("about", "catalogue", "robots", "robot_new")
