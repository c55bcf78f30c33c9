"""Check the workbench's service without NumPy and SymPy, as in a page that runs Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from symoro.robot import library
from symoro.ui.service import call, workspace
from symoro.ui.service.page import PAGE_CALLS, answer

BLOCKED = """
import json, sys

lacking = {"numpy", "scipy", "sympy", "mujoco"}

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *rest):
        return None if name.partition(".")[0] in lacking else self.finder.find_spec(name, *rest)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
from symoro.ui.service.page import answer, use_plain_arrays
if "plain" in sys.argv:
    use_plain_arrays()
for line in sys.stdin:
    name, payload = json.loads(line)
    if name == "load":
        lacking -= set(json.loads(payload))
    print(answer(name, payload, lambda *progress: None), flush=True)
"""

SERIAL = ("rx90", "puma560", "panda", "ur5e", "scara", "gantry", "planar3r", "humanoid_torso")
OTHER = ("rx90_floating", "rx90_elastic", "flexible2r", "flexible_satellite")
MODELS = (
    "fast-geometry",
    "transform",
    "velocities",
    "jacobian",
    "jdot-qdot",
    "inverse-dynamics",
    "inertia-matrix",
    "gravity-torques",
    "direct-dynamics",
    "energy",
    "jacobian-inverse",
    "inverse-kinematics",
)


class Page:
    """A Python process without NumPy, SciPy, SymPy and C compiler that answers calls."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", BLOCKED, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"CC": "none"},
        )

    def call(self, name: str, /, **payload: Any) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        print(json.dumps([name, json.dumps(payload)]), file=self.process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    made = Page()
    yield made
    made.close()


@pytest.fixture(scope="module")
def plain() -> Iterator[Page]:
    """One with symoro's own arrays instead of NumPy's."""
    made = Page("plain")
    yield made
    made.close()


@pytest.fixture
def fresh_page() -> Iterator[Page]:
    """One that may load packages later."""
    made = Page()
    yield made
    made.close()


def test_models_robots_and_languages_are_listed(page: Page) -> None:
    assert len(page.call("catalogue")["models"]) > 20
    assert {row["id"] for row in page.call("robots")["robots"]} == set(library.names())
    assert "c" in {row["id"] for row in page.call("about")["languages"]}


@pytest.mark.parametrize("name", library.names())
def test_every_robot_opens_and_is_written(page: Page, name: str) -> None:
    view = page.call("robot_open", id=name)
    assert "error" not in view
    assert "error" not in page.call("robot_write", robot=view["robot"], format="yaml")
    assert "error" not in page.call("catalogue", robot=view["robot"])


@pytest.mark.parametrize("name", [*SERIAL, *OTHER])
def test_models_and_their_code(page: Page, name: str) -> None:
    robot = page.call("robot_open", id=name)["robot"]
    assert "error" not in page.call("frames", robot=robot)
    for model in MODELS:
        result = page.call("model", robot=robot, model=model)
        assert "missing" not in result
        assert result == call("model", {"robot": robot, "model": model})  # NumPy changes nothing
        if "error" in result:
            assert result["error"]["kind"] in ("NotApplicableError", "OptionError")
        else:
            assert page.call("code", robot=robot, model=model, language="c")["files"]


@pytest.mark.parametrize("language", ["c", "python", "javascript", "matlab", "fortran", "julia"])
def test_a_folder_is_exported_without_the_numbers_that_need_numpy(page: Page, language: str) -> None:
    robot = page.call("robot_open", id="rx90")["robot"]
    files = page.call("export", robot=robot, model="inverse-dynamics", languages=[language])["files"]
    assert "The demo prints the outputs." in files["README.md"]


def test_a_folder_is_exported_with_numbers_in_a_page(plain: Page) -> None:
    request = {"robot": plain.call("robot_open", id="rx90")["robot"], "model": "lagrange", "languages": ["c"]}
    files = plain.call("export", **request)["files"]
    assert files == call("export", request)["files"]
    assert "\nQ =\n" in files["README.md"]


def test_an_edited_cell_and_a_new_robot(page: Page) -> None:
    view = page.call("robot_new", name="arm", links=3)
    edited = page.call(
        "robot_edit",
        robot=view["robot"],
        edits=[{"part": "frame", "j": 2, "field": "alpha", "text": "pi/2"}],
    )
    assert edited["tables"][0]["rows"] != view["tables"][0]["rows"]
    assert page.call("model", robot=edited["robot"], model="inverse-dynamics")["count"]


def test_calls_that_need_numpy_name_it(page: Page) -> None:
    robot = page.call("robot_open", id="fivebar")["robot"]
    result = page.call("model", robot=robot, model="loop-kinematics")
    assert next(iter(result)) == "missing"  # where the page looks for it
    assert result["missing"] == "numpy"
    assert result["error"]["kind"] == "MissingDependencyError"
    assert "NumPy" in result["error"]["message"]


def test_calls_improved_by_sympy_name_it_and_are_repeated(fresh_page: Page) -> None:
    page = fresh_page
    robot = page.call("robot_open", id="rx90")["robot"]
    result = page.call("model", robot=robot, model="jacobian-determinant")
    assert result.pop("missing") == "sympy"
    assert result["count"]["multiplications"] > 0
    factored = call("model", {"robot": robot, "model": "jacobian-determinant"})
    assert result != factored
    page.call("load", sympy=True)
    assert page.call("model", robot=robot, model="jacobian-determinant") == factored


def test_calls_that_need_sympy_name_it(page: Page) -> None:
    robot = page.call("robot_open", id="rx90")["robot"]
    result = page.call("base", robot=robot)
    assert result["missing"] == "sympy"
    assert "SymPy" in result["error"]["message"]


SAMPLED = ("loop-geometry", "loop-kinematics", "inverse-geometry", "inverse-dynamics", "direct-dynamics")


def check_code(plain: Page, name: str, models: Sequence[str]) -> None:
    """Check that the emitted code of models that are decided by sampled numbers does not depend on NumPy."""
    robot = plain.call("robot_open", id=name)["robot"]
    for model in models:
        payload = {"robot": robot, "model": model, "language": "javascript"}
        assert plain.call("code", **payload) == call("code", payload), (name, model)


@pytest.mark.parametrize(
    ("name", "models"), [("fourbar", SAMPLED), ("sr400", SAMPLED[-2:]), ("diffdrive", SAMPLED[-2:])]
)
def test_code_of_closed_loops_is_that_with_numpy(plain: Page, name: str, models: Sequence[str]) -> None:
    check_code(plain, name, models)


@pytest.mark.slow
@pytest.mark.parametrize("name", library.names())
def test_code_of_every_robot_is_that_with_numpy(plain: Page, name: str) -> None:
    check_code(plain, name, (*SAMPLED, "inertia-matrix"))


def test_singularities_of_closed_loops_are_those_with_numpy() -> None:
    page = Page("plain")
    page.call("load", sympy=True)
    robot = page.call("robot_open", id="fourbar")["robot"]
    assert page.call("singularities", robot=robot) == call("singularities", {"robot": robot})
    page.close()


def test_all_solutions_of_a_pose(plain: Page) -> None:
    robot = plain.call("robot_open", id="puma560")["robot"]
    q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    pose = call("evaluate", {"robot": robot, "model": "fast-geometry", "inputs": {"q": q}})["outputs"]["T"]
    request = {"robot": robot, "pose": pose, "q0": q}
    solved, expected = plain.call("solve", **request), call("solve", request)
    assert len(solved["solutions"]) == len(expected["solutions"]) == 8
    for one, other in zip(solved["solutions"], expected["solutions"], strict=True):
        assert one["q"] == pytest.approx(other["q"], abs=1e-9)


def test_numbers_of_a_model_whose_input_is_part_of_a_pose(plain: Page) -> None:
    pose = [[0.6, -0.8, 0, 0.3], [0.8, 0.6, 0, 0.2], [0, 0, 1, 0], [0, 0, 0, 1]]
    view = plain.call("robot_open", id="planar2r")
    request = {
        "robot": view["robot"],
        "values": view["values"],
        "model": "inverse-geometry",
        "inputs": {"T": pose},
    }
    assert plain.call("evaluate", **request) == call("evaluate", request)


def test_distances_to_singularities_are_those_with_numpy(plain: Page) -> None:
    view = plain.call("robot_open", id="3rrr")
    posture = [float(x) for x in view["robot"]["postures"]["home"]]
    request = {"robot": view["robot"], "values": view["values"], "q": posture}
    expected = call("singularity_distances", request)
    assert plain.call("singularity_distances", **request) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["planar2r", "3rrr"])
def test_the_workspace_is_sampled_without_scipy(
    plain: Page, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    view = plain.call("robot_open", id=name)
    request = {"robot": view["robot"], "values": view["values"], "count": 60}
    cloud = plain.call("workspace", **request)
    assert len(cloud["points"]) > 30
    even = call("workspace", request)["points"]
    monkeypatch.setattr(workspace, "find_spec", lambda name: None)
    for key, expected in call("workspace", request).items():
        assert cloud[key] == pytest.approx(expected, abs=1e-12)
        assert expected != even


@pytest.mark.parametrize("name", ["cartpole", "sr400", "rx90_floating", "diffdrive", "flexible2r"])
def test_the_plan_of_a_simulation_is_that_with_numpy(plain: Page, name: str) -> None:
    view = plain.call("robot_open", id=name)
    request = {"robot": view["robot"], "values": view["values"], "duration": 0.02}
    plan = plain.call("simulation_plan", **request)
    expected = call("simulation_plan", request, PAGE_CALLS)
    assert plan.pop("start") == pytest.approx(expected.pop("start"), abs=1e-9)
    assert plan == expected
    states = {
        "times": [0.0, 0.02],
        "rows": [expected_row := call("simulation_plan", request, PAGE_CALLS)["start"]] * 2,
    }
    assert len(expected_row) == len(plan["units"])
    answer = plain.call("simulation_answer", **request, **states, torques=plan["tau"], why="")
    assert answer["samples"] == 2
    assert answer["finished"]
    piece = plain.call("simulation_piece", **request, **states, torques=plan["tau"], why="")
    assert piece == {key: answer[key] for key in piece}


def test_simulations_that_need_events_or_control_are_rejected(plain: Page) -> None:
    view = plain.call("robot_open", id="cartpole")
    for more in ({"stops": "end"}, {"track": "duration: 1"}):
        error = plain.call("simulation_plan", robot=view["robot"], values=view["values"], **more)["error"]
        assert error["kind"] == "NotApplicableError"
        assert "pip install symoro" in error["hint"]


def test_bugs_are_reported_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(payload: Any) -> None:
        raise TypeError("a detail of the implementation")

    monkeypatch.setitem(PAGE_CALLS, "broken", broken)
    error = json.loads(answer("broken", "{}", lambda *_: None))["error"]
    assert (error["kind"], error["message"]) == ("InternalError", "internal error in 'broken': TypeError")
    assert "a detail of the implementation" in capsys.readouterr().err


def test_packages_that_a_page_cannot_have_are_named_with_a_way_to_use_them(plain: Page) -> None:
    error = plain.call("robot_open", text="<mujoco/>", file="arm.xml")["error"]
    assert error["hint"] == "run symoro on your machine: pip install 'symoro[mujoco]'"
