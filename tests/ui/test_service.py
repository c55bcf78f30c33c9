"""Check the workbench's service: robots, edits and models as JSON, and errors as answers."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from base64 import b64decode
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

import symoro
from symoro.models.geometric.scene import all_frames
from symoro.robot import library
from symoro.robot.formats import loads
from symoro.runtime.function import Function
from symoro.runtime.ranges import pose_size
from symoro.ui.failure import on_the_page
from symoro.ui.service import CALLS, call, call_text
from symoro.ui.service.defaults import default_values
from symoro.ui.service.postures import _LoopClosure

RX90 = call("robot_open", {"id": "rx90"})


def edit(view: dict[str, Any], *edits: dict[str, Any]) -> dict[str, Any]:
    return call("robot_edit", {"robot": view["robot"], "edits": list(edits)})


def cell(view: dict[str, Any], table: str, j: int | str, column: str) -> str:
    (result,) = [t for t in view["tables"] if t["title"] == table]
    (row,) = [r for r in result["rows"] if r["j"] == j]
    return str(row["cells"][result["columns"].index(column)])


@pytest.mark.parametrize("name", library.names())
def test_a_robot_travels_as_its_document(name: str) -> None:
    view = call("robot_open", {"id": name})
    assert "error" not in view
    again = call("robot_view", {"robot": json.loads(json.dumps(view["robot"]))})
    assert {**again, "visuals": []} == view  # the page answers robot_view from a prepared robot_open
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
    result = edit(RX90, given)
    assert cell(result, table, j, column) == given["text"]
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
        ({"part": "frame", "j": 3, "field": "limits", "text": "0"}, "is not a column of this table"),
        ({"part": "link", "j": 7, "field": "M", "text": "0"}, "there is no link 7"),
        ({"part": "base", "field": "kind", "text": "flying"}, "expected one of fixed, floating, wheeled"),
        ({"part": "nothing"}, "'part': expected one of"),
        ({"part": "remove_frame", "j": 0}, "there is no link 0"),
    ],
)
def test_an_invalid_edit_is_reported(given: dict[str, Any], words: str) -> None:
    assert words in edit(RX90, given)["error"]["message"]


def test_the_offset_may_be_written_with_the_joint() -> None:
    with_joint = edit(RX90, {"part": "frame", "j": 3, "field": "theta", "text": "q3 + pi/2"})
    assert cell(with_joint, "geometry", 3, "theta") == "pi/2"
    assert (
        with_joint["robot"]
        == edit(RX90, {"part": "frame", "j": 3, "field": "theta", "text": "pi/2"})["robot"]
    )


def test_rows_are_added_and_removed() -> None:
    longer = edit(RX90, {"part": "add_frame"})
    assert longer["sizes"]["NL"] == 7 and cell(longer, "geometry", 7, "ant") == "6"
    assert edit(longer, {"part": "remove_frame", "j": 7})["robot"] == RX90["robot"]
    loop = call("robot_open", {"id": "fourbar"})
    more = edit(loop, {"part": "add_frame", "ant": 1})
    assert more["sizes"]["NF"] == loop["sizes"]["NF"] + 1 and more["sizes"]["B"] == 1
    assert edit(more, {"part": "remove_frame", "j": more["sizes"]["NL"]})["robot"] == loop["robot"]


@pytest.mark.parametrize("structure", call("about", {})["structures"])
@pytest.mark.parametrize("base", call("about", {})["bases"])
@pytest.mark.parametrize("inertia", ["symbolic", "zero"])
def test_a_new_robot_has_models(structure: str, base: str, inertia: str) -> None:
    made = call("robot_new", {"structure": structure, "links": 4, "base": base, "inertia": inertia})
    assert made["base"] == base and made["sizes"]["NL"] == 4 + 2 * (base == "wheeled")
    assert made["structure"] == structure or (structure, base) == ("serial", "wheeled")
    for model in (
        "fast-geometry",
        *(["inverse-dynamics"] if (structure, base) != ("closed-loop", "wheeled") else []),
    ):
        assert call("model", {"robot": made["robot"], "model": model})["latex"]
    assert set(made["values"]) == set(made["symbols"])


@pytest.mark.parametrize("links", [3, 4, 7])
@pytest.mark.parametrize("base", ["fixed", "wheeled"])
def test_a_new_loop_is_closed_at_home(links: int, base: str) -> None:
    made = call("robot_new", {"structure": "closed-loop", "links": links, "base": base})
    robot, (loop,) = loads(json.dumps(made["robot"]), "yaml"), made["loops"]
    turn = -2 * np.pi / (links + 1)
    places = Function(all_frames(robot), made["values"], compiled=False)(
        q=made["postures"]["home"], qc=[turn]
    )["T"]
    np.testing.assert_allclose(places[loop["opened"] - 1][:3, 3], places[loop["twin"] - 1][:3, 3], atol=1e-12)


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
            [],
        ),
        ("delta", "jacobian", "", [("space", "platform", "a platform with legs, space='platform'")]),
        ("fourbar", "transform", "", [("active", True, "active joints of closed loops")]),
    ],
)
def test_the_catalogue_contains_the_form_of_a_robot(
    robot: str, model: str, of: str, switches: list[tuple[str, Any, str]]
) -> None:
    document = call("robot_open", {"id": robot})["robot"]
    (entry,) = [e for e in call("catalogue", {"robot": document})["models"] if e["id"] == model]
    names = ["", *(form["of"] for form in entry["forms"])]
    assert names[entry["form"]] == of
    assert {(s["option"], s["value"], names[s["form"]]) for s in entry["switches"]} == set(switches)


def test_a_model_to_be_read() -> None:
    result = call("model", {"robot": RX90["robot"], "model": "idm", "options": {"effort": "plain"}})
    made = symoro.generate("rx90", "inverse-dynamics", effort="plain")
    assert result["count"]["multiplications"] == made.count().multiplications
    assert "align" in result["latex"] and result["text"] == str(made)
    assert [port["name"] for port in result["ports"]] == ["q", "qd", "qdd", "tau"]
    assert result["command"] == "symoro generate inverse-dynamics rx90 --effort plain"
    assert 'effort="plain"' in result["python"] or "effort='plain'" in result["python"]
    assert call("explain", {"robot": RX90["robot"], "model": "idm"})["lines"]


@pytest.mark.parametrize(
    ("name", "file"),
    [("RX90", "RX90.yaml"), ('x"; rm -r $(HOME) #', "x___rm_-r___HOME___.yaml"), ("é", "'é.yaml'")],
)
def test_copied_code_names_the_file_of_a_robot_that_is_not_bundled(name: str, file: str) -> None:
    edits = [{"part": "frame", "j": 4, "field": "r", "text": "0.3"}]
    changed = call("robot_edit", {"robot": {**RX90["robot"], "name": name}, "edits": edits})
    result = call("model", {"robot": changed["robot"], "model": "jacobian"})
    assert result["command"].startswith(f"symoro generate jacobian {file}")
    assert f'symoro.load("{file.strip(chr(39))}")  # Robot, Save as YAML' in result["python"]


def test_base_parameters_with_the_options_of_their_model() -> None:
    robot = RX90["robot"]
    with_rotors = call("base", {"robot": robot})
    without = call("base", {"robot": robot, "options": {"rotor": False}})
    model = call("model", {"robot": robot, "model": "base-parameters", "options": {"rotor": False}})
    assert without["names"] == model["columns"] != with_rotors["names"]
    assert call("base", {"robot": robot, "options": {"rotor": 1}})["error"]["kind"] == "OptionError"
    assert call("base", {"robot": robot, "options": {"rotors": True}})["error"]["kind"] == "UnknownNameError"


@pytest.fixture(scope="module")
def planar() -> dict[str, Any]:
    robot: dict[str, Any] = call("robot_open", {"id": "planar2r"})["robot"]
    return robot


def test_the_offered_export_targets_have_files() -> None:
    """Targets other than languages; an FMU is a binary file, encoded in base64."""
    targets = [target["id"] for target in call("about", {})["targets"]]
    assert {"ros2", "simulink", "fmu"} <= set(targets)
    robot = call("robot_open", {"id": "ur5e"})["robot"]
    request = {"robot": robot, "model": "gravity-torques"}
    package = call("export", {**request, "languages": ["ros2"]})
    assert "package.xml" in package["files"] and package["binaries"] == {}
    (content,) = call("export", {**request, "languages": ["fmu"]})["binaries"].values()
    with ZipFile(BytesIO(b64decode(content))) as archive:
        assert "modelDescription.xml" in archive.namelist()


def test_the_offered_integrators_can_run(monkeypatch: pytest.MonkeyPatch) -> None:
    from symoro.simulation.options import METHODS
    from symoro.ui.service import answers

    assert (*answers.SCIPY_INTEGRATORS, "rk4") == METHODS
    assert set(call("about", {})["integrators"]) <= set(METHODS)
    monkeypatch.setattr("symoro.runtime.compiler.find_compiler", lambda: None)
    assert "rk4" not in call("about", {})["integrators"]
    monkeypatch.setattr(answers, "find_spec", lambda name: None)
    assert call("about", {})["integrators"] == []


def test_messages_of_simulations_refer_to_the_page() -> None:
    hint = on_the_page("method='DOP853'")
    assert hint == "choose the integrator DOP853"
    loops = call("robot_open", {"id": "fourbar"})
    wrong = call(
        "simulate", {"robot": loops["robot"], "q": [0.0] * len(loops["coordinates"]), "duration": 0.01}
    )
    assert wrong["error"]["hint"].startswith("move the robot to a posture in which the loops are closed")


def test_numbers_of_a_model(planar: dict[str, Any]) -> None:
    result = call("evaluate", {"robot": planar, "model": "fast-geometry", "inputs": {"q": [0.3, 0.4]}})
    wanted = symoro.generate("planar2r", "fast-geometry").function(compiled=False)(q=[0.3, 0.4])["T"]
    np.testing.assert_allclose(result["outputs"]["T"], wanted)
    assert "error" in call("evaluate", {"robot": planar, "model": "fast-geometry", "inputs": {"q": [0.3]}})


def test_names_in_the_equations_have_meaning_unit_and_value(planar: dict[str, Any]) -> None:
    request = {"robot": planar, "model": "lagrange"}
    inputs = {"q": [0.3, 0.5], "qd": [1.0, 2.0]}
    values = {"ZZ2": 0.2, "ZZ1": 0.3, "MX1": 0.1, "MX2": 0.4, "M2": 2.0, "D2": 0.5, "G2": -9.81}
    shown = {
        one["name"]: one
        for one in call("variables", request | {"inputs": inputs, "values": values})["variables"]
    }
    assert (shown["qd2"]["latex"], shown["qd2"]["kind"]) == (r"\dot q_{2}", "input")
    assert (shown["qd2"]["unit"], shown["qd2"]["value"]) == ("rad/s", 2.0)
    assert shown["ZZ2"]["unit"] == "kg m2" and "link 2" in shown["ZZ2"]["meaning"]
    assert shown["C2"]["value"] == pytest.approx(math.cos(0.5))
    # A(1,1) of the inertia matrix of a planar arm
    expected = 0.3 + 2.0 * 0.5**2 + 0.2 + 2 * 0.5 * 0.4 * math.cos(0.5)
    assert shown["A1_1"]["value"] == pytest.approx(expected)
    assert shown["Q"]["kind"] == "output" and shown["Q"]["unit"] == "N m"
    latex = call("model", request)["latex"]
    assert all(one["latex"] in latex for one in shown.values() if one["kind"] == "variable")


def test_intermediate_quantities_have_a_unit() -> None:
    def shown(name: str) -> dict[str, tuple[str, str]]:
        robot = call("robot_open", {"id": name})["robot"]
        answer = call("variables", {"robot": robot, "model": "inverse-dynamics"})
        return {one["name"]: (one["meaning"], one["unit"]) for one in answer["variables"]}

    rx90 = shown("rx90")
    assert rx90["W12"] == ("angular velocity, component 1, link 2", "rad/s")
    assert rx90["U132"][0].endswith("element (1, 3), link 2") and rx90["U132"][1] == "1/s2"
    assert rx90["M15"] == ("total moment, component 1, link 5", "N m")
    assert rx90["KYYR5"] == ("regrouped inertial parameters", "kg m2")
    assert rx90["t1"] == ("", "")
    torso = shown("humanoid_torso")
    assert torso["W1_10"] == ("angular velocity, component 1, link 10", "rad/s")
    assert torso["M15__2"][1] == ""


def test_names_without_numbers_have_no_value(planar: dict[str, Any]) -> None:
    shown = call("variables", {"robot": planar, "model": "inverse-dynamics"})["variables"]
    assert {one["value"] for one in shown if one["kind"] == "input"} == {None}


@pytest.mark.parametrize("given", [[0.3], [0.3, "a"], [0.3, True], 0.3])
def test_names_reject_inputs_of_another_size_or_type(planar: dict[str, Any], given: Any) -> None:
    wrong = call("variables", {"robot": planar, "model": "fast-geometry", "inputs": {"q": given}})
    assert wrong["error"]["kind"] == "ArgumentError"


def test_names_reject_values_that_are_not_numbers(planar: dict[str, Any]) -> None:
    wrong = call("variables", {"robot": planar, "model": "fast-geometry", "values": {"D2": "long"}})
    assert wrong["error"]["kind"] == "ArgumentError"
    infinite = {"robot": planar, "model": "fast-geometry", "inputs": {"q": [math.inf, 0.0]}}
    assert {one["value"] for one in call("variables", infinite)["variables"] if one["name"] == "C1"} == {None}


def test_relations_of_base_parameters_are_equations(planar: dict[str, Any]) -> None:
    latex = call("base", {"robot": planar})["latex"]
    assert latex["ZZ1"] == r"\mathit{ZZR}_{1} = \mathit{ZZ}_{1} + D_{2}^{2}\,M_{2}"
    assert latex["MX2"] == r"\mathit{MX}_{2}"


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


@pytest.mark.parametrize(
    "name", ["rx90", "scara", "sr400", "delta", "gough_stewart", "3rrr", "fivebar", "panda"]
)
def test_all_postures_of_a_pose(name: str) -> None:
    """Every solution reaches the pose and closes the loops, and the initial posture is among them."""
    view = call("robot_open", {"id": name})
    robot, values = symoro.load(name), view["values"]
    home = view["postures"].get("home", [0.3 + 0.1 * k for k in range(len(view["coordinates"]))])
    place = symoro.generate(robot, "fast-geometry").function(values, compiled=False)
    T = place(q=home)["T"]
    result = call("solve", {"robot": view["robot"], "pose": T.tolist(), "values": values, "q0": home})
    assert result["complete"] == (name != "panda") and result["solutions"]
    places = Function(all_frames(robot), values, compiled=False)
    for one in result["solutions"]:
        np.testing.assert_allclose(place(q=one["q"])["T"], T, atol=1e-9)
        at = places(q=one["q"], **({"qc": one["qc"]} if one["qc"] else {}))["T"]
        for loop in view["loops"]:
            np.testing.assert_allclose(at[loop["opened"] - 1], at[loop["twin"] - 1], atol=1e-9)
    away = [
        np.abs(np.exp(1j * np.array(one["q"])) - np.exp(1j * np.array(home))).max()
        for one in result["solutions"]
    ]
    assert min(away) < 1e-6 or name in ("sr400", "fivebar", "panda")  # not closed at the start; one of many


def test_the_closure_of_loops_is_relative_to_the_size_of_the_robot() -> None:
    robot = symoro.load("fourbar")
    gaps = []
    for scale in (1e-4, 1.0, 1e4):
        values = {name: float(x) * (scale if name.startswith("D") else 1) for name, x in robot.nominal}
        size = float(pose_size(robot, values, np.eye(4)))
        gaps.append(_LoopClosure(robot, values, size)(np.array([0.5, 0.3, 0.2]), None)[1])
    np.testing.assert_allclose(gaps, gaps[0], rtol=1e-9)
    assert gaps[0] > 0.1


def test_a_pose_out_of_reach_has_no_posture() -> None:
    far = np.eye(4)
    far[0, 3] = 10.0
    result = call("solve", {"robot": RX90["robot"], "pose": far.tolist(), "values": RX90["values"]})
    assert result["solutions"] == [] and result["complete"]
    for pose in ([[1, 2], [3, 4]], [[None] * 4] * 4, [["x"] * 4] * 4, [[1e400] * 4] * 4, [[[1]] * 4] * 4):
        assert call("solve", {"robot": RX90["robot"], "pose": pose})["error"]["kind"] == "ArgumentError"


def test_default_values_give_a_visible_robot() -> None:
    made = call("robot_new", {"links": 2})
    free = {"part": "frame", "j": 2, "field": "r", "text": "height"}
    shown = edit(made, free, {"part": "base", "j": "G", "field": "z", "text": "G3"})
    assert shown["values"]["height"] > 0 and shown["values"]["G3"] == -9.81 and shown["values"]["L2"] == 0.4
    assert shown["values"]["M1"] > 0 and "height" not in shown["nominal"]


@pytest.mark.parametrize("size", [2.0**-10, 1.0, 2.0**10])
def test_default_masses_are_those_of_a_robot_of_the_same_size(size: float) -> None:
    """The mass is that of any robot; lengths are relative to the robot, moments to its weight at this length."""
    robot = symoro.load("rx90")
    small = robot.bind({"D3": 0.4 * size, "RL4": 0.4 * size})
    values = default_values(small)
    assert values["M2"] == 1.0
    powers = {"MX2": 1, "XX2": 2, "IA2": 2, "FS2": 1, "FV2": 1.5}
    expected = {"MX2": 0.05, "XX2": 0.1, "IA2": 0.01, "FS2": 0.1, "FV2": 0.1}
    for name, power in powers.items():  # two digits
        assert values[name] == pytest.approx(expected[name] * size**power, rel=0.05)


def test_wheels_are_balanced_by_default() -> None:
    values = default_values(symoro.load("diffdrive"))
    assert [values[f"MX{j}"] for j in (1, 2, 4)] == [0, 0, 0]
    assert values["MX0"] > 0


def test_data_of_the_scene() -> None:
    car = call("robot_open", {"id": "diffdrive"})
    assert [wheel["frame"] for wheel in car["wheels"]] == [1, 2, 4]
    assert car["wheels"][0]["radius"] == 0.033 and car["wheels"][0]["symbol"] == "hw"
    delta = call("robot_open", {"id": "delta"})
    assert delta["platform"]["frame"] in delta["platform"]["body"] and len(delta["platform"]["legs"]) == 3
    assert call("robot_open", {"id": "rx90_floating"})["floating"] and not RX90["floating"]
    links = [
        call("robot_open", {"id": name})["tool_link"] for name in ("sr400", "fivebar", "puma560", "rx90")
    ]
    assert links == [6, 2, 6, None]


def test_the_quick_calls_do_without_numpy() -> None:
    """The page in a browser lists robots and models before it has loaded NumPy."""
    lines = """
import sys
for name in ("numpy", "sympy"):
    sys.modules[name] = None
from symoro.ui.service import call
assert call("about", {})["version"]
for card in call("robots", {})["robots"]:
    view = call("robot_open", {"id": card["id"]})
    document = view["robot"]
    assert "error" not in view and "error" not in call("robot_view", {"robot": document})
    for entry in call("catalogue", {"robot": document})["models"]:
        assert "why_not" in entry
assert "error" not in call("frames", {"robot": call("robot_open", {"id": "rx90"})["robot"]})
assert "error" not in call("model", {"robot": call("robot_open", {"id": "rx90"})["robot"], "model": "idm"})
"""
    subprocess.run([sys.executable, "-c", lines], check=True)


def test_the_catalogue_contains_the_aliases_that_the_page_searches() -> None:
    aliases = {entry["id"]: entry["aliases"] for entry in call("catalogue", {})["models"]}
    assert "forward-kinematics" in aliases["fast-geometry"]
    assert "mass-matrix" in aliases["inertia-matrix"]


def test_the_gallery() -> None:
    cards = call("robots", {})["robots"]
    assert [card["id"] for card in cards] == library.names()
    families = {card["id"]: card["family"] for card in cards}
    assert families["rx90"] == "serial" and families["delta"] == "parallel" and families["car"] == "wheeled"
    assert families["rx90_elastic"] == "elastic" and families["fourbar"] == "closed-loop"
    assert families["flexible2r"] == "flexible" and families["rx90_floating"] == "floating"


@pytest.mark.parametrize("name", ["gough_stewart", "delta", "fourbar", "3rrr"])
def test_loops_are_closed_from_a_posture_nearby(name: str) -> None:
    view = call("robot_open", {"id": name})
    robot, values = symoro.load(name), view["values"]
    own, active = view["coordinates"], [j["frame"] for j in view["joints"] if j["active"]]
    at = view["postures"].get("home")
    if at is None:
        start = {"qa": [0.5] * len(active), "q0": [0.5] * len(own)}
        first = call("close", {"robot": view["robot"], "values": values, **start})["outputs"]
        at = first["q"][0]
    moved = [at[own.index(j)] + 0.02 for j in active]
    result = call("close", {"robot": view["robot"], "values": values, "qa": moved, "q0": at})["outputs"]
    assert result["status"][0] == 0
    q, qc = result["q"][0], result["qc"][0]
    np.testing.assert_allclose([q[own.index(j)] for j in active], moved, atol=1e-12)
    places = Function(all_frames(robot), values, compiled=False)(q=q, qc=qc)["T"]
    for loop in view["loops"]:
        np.testing.assert_allclose(places[loop["opened"] - 1], places[loop["twin"] - 1], atol=1e-9)


def test_hints_name_controls_of_the_page() -> None:
    """Hints for the page contain neither Python code nor command-line flags."""
    answers = [
        call("robot_write", {"robot": RX90["robot"], "format": "urdf"}),
        call("robot_write", {"robot": call("robot_open", {"id": "sr400"})["robot"], "format": "urdf"}),
        call("robot_write", {"robot": call("robot_open", {"id": "rx90_elastic"})["robot"], "format": "urdf"}),
        call("model", {"robot": RX90["robot"], "model": "centroidal-momentum"}),
        call("model", {"robot": call("robot_open", {"id": "delta"})["robot"], "model": "loop-geometry"}),
    ]
    entries = call("catalogue", {"robot": RX90["robot"]})["models"]
    said = [f"{one['error']['message']}; {one['error'].get('hint', '')}" for one in answers if "error" in one]
    said += [entry["why_not"] for entry in entries if entry["why_not"]]
    assert len(said) > 5
    for text in said:
        assert not re.search(r"\w\(|--\w|=True|\w='", text), text


def test_data_that_a_file_cannot_represent_can_be_omitted() -> None:
    """The page offers to save without it where the hint says so."""
    view = call("robot_open", {"id": "car"})
    refused = call("robot_write", {"robot": view["robot"], "format": "par"})["error"]
    assert re.search("leaves? out", refused["hint"])
    assert call("robot_write", {"robot": view["robot"], "format": "par", "lossy": True})["files"]
