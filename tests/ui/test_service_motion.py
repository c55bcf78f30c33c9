"""Check trajectories and simulations in the workbench: values of the library, and partial results."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import symoro
from symoro.progress import Progress, listening
from symoro.robot.formats import as_robot
from symoro.simulation.simulate import simulate
from symoro.trajectory.files import load_trajectory
from symoro.ui.service import call
from symoro.ui.service.answer_types import Piece
from symoro.ui.service.playback import MOST_ROWS, kept_rows

PICK = {"symoro-trajectory": 1, "start": [0, 0.5], "parts": [{"joints": [1, 0], "duration": 1}]}


def opened(name: str) -> dict[str, Any]:
    return call("robot_open", {"id": name})


def text_of(name: str) -> str:
    from importlib import resources

    return (resources.files("symoro.trajectory.library") / f"{name}.yaml").read_text(encoding="utf-8")


def test_a_trajectory_has_the_numbers_of_the_library() -> None:
    view = opened("filip3r")
    result = call("trajectory", {"robot": view["robot"], "text": text_of("filip3r")})
    wanted = symoro.torques("filip3r", load_trajectory("filip3r"))
    assert np.allclose(result["times"], wanted.samples.t) and np.allclose(result["q"], wanted.samples.q)
    assert np.allclose(result["tau"], wanted.tau) and np.allclose(result["power"], wanted.power)
    assert [peak["torque"] for peak in result["peaks"]] == [peak.torque for peak in wanted.peaks]
    assert result["energy"] == pytest.approx(wanted.energy.sum())
    assert result["frame"] == len(view["frames"]) + 1 and view["tool"]  # its path is drawn
    assert result["units"] == ["N m"] * 3 and result["efforts"] == [None] * 3


def test_a_tree_and_a_table_are_trajectories_too() -> None:
    robot = opened("planar2r")["robot"]
    result = call("trajectory", {"robot": robot, "document": PICK, "step": 0.1})
    head = "t,q1,q2,qd1,qd2,qdd1,qdd2"
    rows = [head] + [f"{t},{q[0]},{q[1]},0,0,0,0" for t, q in zip(result["times"], result["q"], strict=True)]
    again = call("trajectory", {"robot": robot, "text": "# a remark\n" + "\n".join(rows)})
    assert again["q"] == result["q"] and again["times"] == result["times"]
    assert result["verdict"].startswith("no limit of the robot is exceeded") and not result["warnings"]
    assert "at the samples" in again["verdict"]
    assert again["warnings"][0].startswith("the velocities of joint 1 are not the derivative")
    apart = call("trajectory", {"robot": robot, "text": "\n".join(rows).replace(",", ";")})
    assert apart["q"] == result["q"]


def test_exceeded_limits_are_described_in_sentences() -> None:
    view = opened("planar2r")
    edits = [{"part": "frame", "j": 1, "field": "effort", "text": "1e-3"}]
    edited = call("robot_edit", {"robot": view["robot"], "edits": edits})
    assert "error" not in edited, edited["error"]
    result = call("trajectory", {"robot": edited["robot"], "document": PICK})
    assert [(one["joint"], one["what"]) for one in result["passed"]][:1] == [(1, "effort")]
    assert result["passed"][0]["text"].startswith("joint 1: effort")
    assert result["efforts"][0] == 1e-3


@pytest.mark.parametrize("name", ["fourbar", "fivebar"])
def test_loops_are_closed_in_every_row(name: str) -> None:
    """The opened joints of a row bring both sides of the loop together."""
    view = opened(name)
    start = next(iter(view["postures"].values()), None) or [0.5] * len(view["coordinates"])
    active = [start[k] + 0.1 for k, j in enumerate(view["coordinates"]) if as_robot(name).frame(j).mu]
    document = {"symoro-trajectory": 1, "start": start, "parts": [{"joints": active, "duration": 1}]}
    result = call("trajectory", {"robot": view["robot"], "document": document, "step": 0.05})
    assert "error" not in result, result
    robot = as_robot(name)
    own = len(view["coordinates"])
    from symoro.models.geometric.scene import all_frames
    from symoro.runtime.function import Function

    places = Function(all_frames(robot), dict(robot.nominal), compiled=False)
    q = np.array(result["q"])
    assert q.shape[1] == len(view["joints"])
    T = places(q=q[:, :own], qc=q[:, own:])["T"]
    for loop in view["loops"]:
        assert np.abs(T[:, loop["opened"] - 1] - T[:, loop["twin"] - 1]).max() < 1e-8


def test_coupled_joints_follow() -> None:
    edits = [{"part": "frame", "j": 2, "field": "coupled", "text": "0.5*q1 + 0.1"}]
    view = call("robot_edit", {"robot": opened("planar2r")["robot"], "edits": edits})
    assert view["coordinates"] == [1] and len(view["joints"]) == 2
    document = {"symoro-trajectory": 1, "start": [0], "parts": [{"joints": [1], "duration": 1}]}
    q = np.array(call("trajectory", {"robot": view["robot"], "document": document})["q"])
    assert q[-1, 0] == 1 and np.allclose(q[:, 1], 0.5 * q[:, 0] + 0.1)


def test_a_long_motion_is_thinned_to_its_ends() -> None:
    rows = kept_rows(100_001)
    assert len(rows) <= MOST_ROWS + 1 and rows[0] == 0 and rows[-1] == 100_000
    assert kept_rows(3) == [0, 1, 2] and kept_rows(1) == [0] and kept_rows(0) == []


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({}, "'text' or as 'document'"),
        ({"text": "x", "document": {}}, "'text' or as 'document'"),
        ({"text": "symoro-trajectory: 1\nparts:\n  - {hold: x}"}, ""),
        ({"text": "t,q1,q2\n0,1,nan"}, "not a finite number"),
        ({"document": PICK, "step": 0}, "positive"),
        ({"document": PICK, "step": 1e-12}, "samples"),
        ({"document": PICK, "values": {"M1": "x"}}, "finite number"),
    ],
)
def test_errors_of_a_trajectory_are_reported(payload: dict[str, Any], words: str) -> None:
    result = call("trajectory", {"robot": opened("planar2r")["robot"], **payload})
    assert words in result["error"]["message"]


def test_poses_of_a_robot_without_a_fixed_base_are_rejected_and_its_joints_are_followed() -> None:
    robot = opened("mobile_manipulator")["robot"]
    line = {"line": {"by": [0.1, 0, 0]}, "duration": 1}
    path = {"symoro-trajectory": 1, "start": [0] * 5, "parts": [line]}
    result = call("trajectory", {"robot": robot, "document": path})
    assert result["error"]["kind"] == "NotApplicableError"
    path["parts"] = [{"joints": [1, 1, 0.1, 0.2, 0.3], "duration": 1}]
    result = call("trajectory", {"robot": robot, "document": path, "step": 0.1})
    assert len(result["q"][0]) == 7 and len(result["tau"][0]) == 5


def test_a_simulation_has_the_numbers_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symoro.ui.service.simulation.APART", 0.0)
    robot = opened("planar2r")["robot"]
    pieces: list[Piece] = []

    def hear(progress: Progress) -> None:
        if progress.came is not None:
            pieces.append(progress.came)

    with listening(hear):
        result = call("simulate", {"robot": robot, "q": [0.3, 0.1], "tau": [0.1, 0], "duration": 0.5})
    wanted = simulate("planar2r", 0.5, q=[0.3, 0.1], tau=[0.1, 0])
    assert np.allclose(result["q"], wanted.q) and np.allclose(result["tau"], wanted.tau)
    assert wanted.energy is not None
    assert np.allclose(np.add(result["kinetic"], result["potential"]), wanted.energy)
    assert result["finished"] and result["base"] is None
    # The partial results equal the final result.
    times = [t for piece in pieces for t in piece.times]
    assert times == result["times"] and [q for piece in pieces for q in piece.q] == result["q"]


def test_a_robot_without_masses_is_rejected_at_once() -> None:
    """Accelerations that are no numbers: SciPy's integrators would halve their step for ever."""
    view = opened("rx90")
    zero = dict.fromkeys(view["symbols"], 0.0)
    result = call("simulate", {"robot": view["robot"], "q": [0.3] * 6, "duration": 0.1, "values": zero})
    assert "not determined" in result["error"]["message"]


def test_reported_samples_are_at_most_those_of_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symoro.ui.service.simulation.APART", 0.0)
    monkeypatch.setattr("symoro.ui.service.playback.MOST_ROWS", 10)
    robot = opened("planar2r")["robot"]
    came: list[int] = []
    with listening(lambda progress: came.append(len(progress.came.times)) if progress.came else None):
        result = call("simulate", {"robot": robot, "q": [0.3, 0.1], "duration": 0.5})
    assert sum(came) <= len(result["times"]) == 11 and result["samples"] == 51


def test_a_trajectory_is_tracked() -> None:
    robot = opened("planar2r")["robot"]
    track = json.dumps(PICK)
    result = call("simulate", {"robot": robot, "q": [0, 0.5], "track": track, "duration": 1})
    assert np.allclose(result["q"][-1], [1, 0], atol=1e-4)


def test_the_motion_of_a_floating_base_is_reported() -> None:
    """Nothing pushes a satellite that drifts: its base goes on as it began."""
    payload = {"q": [0, 0], "duration": 0.1, "start": {"V0": [1, 0, 0, 0, 0, 0]}}
    result = call("simulate", {"robot": opened("flexible_satellite")["robot"], **payload})
    base = np.array(result["base"]).reshape(-1, 4, 4)
    assert len(base) == len(result["times"])
    assert np.allclose(base[:, 0, 3], result["times"], atol=1e-9) and np.allclose(base[:, :3, :3], np.eye(3))


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 3),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["end", "t,q1"]),
)
VALUES = st.one_of(
    SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(st.text(max_size=4), SCALARS, max_size=2)
)
PART = st.one_of(
    st.fixed_dictionaries(
        {"joints": st.lists(SCALARS, max_size=3)}, optional={"duration": SCALARS, "law": SCALARS}
    ),
    st.fixed_dictionaries({"line": VALUES}, optional={"velocity": VALUES}),
    st.fixed_dictionaries({"hold": SCALARS}),
    st.dictionaries(st.sampled_from(["via", "times", "fourier", "circle", "poses"]), VALUES, max_size=2),
)
DOCUMENT = st.fixed_dictionaries(
    {"symoro-trajectory": st.just(1), "parts": st.lists(PART, max_size=2)},
    optional={"start": VALUES, "frame": SCALARS, "pose": SCALARS, "method": SCALARS, "degrees": SCALARS},
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.one_of(
        st.fixed_dictionaries(
            {"document": st.one_of(DOCUMENT, VALUES)}, optional={"step": SCALARS, "values": VALUES}
        ),
        st.fixed_dictionaries({"text": st.text(max_size=60)}),
    )
)
def test_any_trajectory_gets_an_answer(payload: dict[str, Any]) -> None:
    answered("trajectory", payload)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.fixed_dictionaries(
        {"duration": st.sampled_from([0.02, 0, -1, float("nan"), 1e300, "x"])},
        optional={
            **dict.fromkeys(
                ("q", "qd", "tau", "start", "values", "track", "stops", "friction", "method"), VALUES
            ),
            "step": st.sampled_from([0.01, 0, -1, 1e-300, float("inf"), None]),
        },
    )
)
def test_any_simulation_gets_an_answer(payload: dict[str, Any]) -> None:
    answered("simulate", payload)


def answered(name: str, payload: dict[str, Any]) -> None:
    result = call(name, {"robot": opened("planar2r")["robot"], **payload})
    json.dumps(result, allow_nan=False)
    if "error" in result:
        assert result["error"]["kind"] and result["error"]["message"]


def test_an_excitation_can_be_followed() -> None:
    robot = opened("planar2r")["robot"]
    result = call("excitation", {"robot": robot, "harmonics": 2})
    assert 1 <= result["condition"] < 50 and "ZZ2" in result["columns"]
    followed = call("trajectory", {"robot": robot, "text": result["text"], "step": 0.1})
    assert followed["times"][-1] == pytest.approx(10)
    wrong = call("excitation", {"robot": robot, "harmonics": 0})
    assert wrong["error"]["kind"] == "OptionError"


# -- what the command line refuses is refused here too


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"values": {"m9": 5}}, "symbol of robot 'Filip3R' called 'm9'"),
        ({"start": {"XX": [1]}}, "state variable called 'XX'"),
        ({"q": []}, "q has shape"),
        ({"start": {"pose": [0, 0, 0]}}, "has no part 'pose'"),
    ],
)
def test_invalid_or_unused_values_are_rejected(more: dict[str, Any], words: str) -> None:
    result = call("simulate", {"robot": opened("filip3r")["robot"], "duration": 0.01, **more})
    assert words in result["error"]["message"]


def test_numbers_that_a_view_brings_are_taken() -> None:
    for name in ("filip3r", "cartpole", "diffdrive", "sr400", "flexible2r"):
        view = opened(name)
        from symoro.ui.service.payload import robot_of
        from symoro.ui.service.playback import numbers_of

        assert numbers_of(robot_of(view), view).keys() <= set(view["symbols"])


def test_a_base_on_wheels_starts_where_the_description_puts_it() -> None:
    from dataclasses import replace

    from symoro.expr.formula import formula
    from symoro.ui.service.simulation import placing

    robot = symoro.load("tricycle")
    entries = [[0, -1, 0, 2], [1, 0, 0, 3], [0, 0, 1, "h"], [0, 0, 0, 1]]
    location = tuple(formula(str(x)) for line in entries for x in line)
    robot = robot.replace(base=replace(robot.base, Z=location))
    place = placing(robot, {"h": 0.1})
    assert place is not None
    rest = np.array(place({"pose": np.zeros(3)})).reshape(4, 4)
    assert np.allclose(rest, [[0, -1, 0, 2], [1, 0, 0, 3], [0, 0, 1, 0.1], [0, 0, 0, 1]])
    ahead = np.array(place({"pose": np.array([0.5, 0, np.pi / 2])})).reshape(4, 4)
    assert np.allclose(ahead[:3, 3], [2, 3.5, 0.1]) and np.allclose(ahead[:3, 0], [-1, 0, 0])


def test_a_table_selects_the_assembly_mode_of_loops() -> None:
    from symoro.tables import table_text
    from symoro.trajectory.trajectory import Move, Trajectory

    wanted = symoro.torques("fivebar", Trajectory((Move((2.0, 0.9), duration=1),), (2.2, 0.6)))
    samples, robot = wanted.samples, opened("fivebar")["robot"]
    bare = table_text({"time": samples.t, "q3": samples.q[:, 1], "q1": samples.q[:, 0]})
    assert "2 assembly modes" in call("trajectory", {"robot": robot, "text": bare})["error"]["message"]
    posture = samples.tree[0].tolist()
    result = call("trajectory", {"robot": robot, "text": bare, "posture": posture})
    assert np.allclose(np.array(result["q"])[:, :4], samples.tree, atol=1e-8)
    assert np.allclose(np.array(result["tau"])[3:-3], wanted.tau[3:-3], atol=1e-4)
    whole = table_text({"time": samples.t, **{k: v for k, v in wanted.columns.items() if k != "t"}})
    assert np.allclose(call("trajectory", {"robot": robot, "text": whole})["tau"], wanted.tau)


def test_a_wheeled_robot_starts_at_the_given_pose() -> None:
    view = call("robot_open", {"id": "diffdrive"})
    payload = {"robot": view["robot"], "q": [0, 0, 0, 0], "values": view["values"], "duration": 0.05}
    answer = call("simulate", payload | {"start": {"pose": [1.5, -0.5, np.pi / 2]}})
    first = np.reshape(answer["base"][0], (4, 4))
    assert first[:2, 3] == pytest.approx([1.5, -0.5]) and first[:2, 0] == pytest.approx([0, 1])
    assert "modes" not in view


def test_flexible_links_start_with_given_modal_coordinates() -> None:
    view = call("robot_open", {"id": "flexible2r"})
    assert view["modes"] == ["ey1_1", "ey1_2", "ey2_1", "ey2_2"]
    start = {"e": [0.02, 0, -0.01, 0], "ed": [0, 1, 0, 0]}
    answer = call("simulate", {"robot": view["robot"], "q": [0, 0], "duration": 0.02, "start": start})
    assert answer["modes"][0] == pytest.approx(start["e"])
    # Without the initial rate the second mode would start with another sign or magnitude.
    still = call(
        "simulate", {"robot": view["robot"], "q": [0, 0], "duration": 0.02, "start": {"e": start["e"]}}
    )
    assert not np.allclose(answer["modes"][1], still["modes"][1], atol=1e-6)
