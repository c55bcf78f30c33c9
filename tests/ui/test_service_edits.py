"""Check edits of rows: each result equals the expected robot, or the edit is rejected with a reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from symoro.robot.description import Robot
from symoro.robot.formats import loads
from symoro.ui.service import call


def robot(**tree: Any) -> dict[str, Any]:
    """A document; the reader sees to it that it is sound."""
    return {"symoro": 1, "name": "hand", **tree}


def read(document: dict[str, Any]) -> Robot:
    return loads(json.dumps(document), "yaml")


def edit(document: dict[str, Any], *edits: dict[str, Any]) -> dict[str, Any]:
    return call("robot_edit", {"robot": document, "edits": list(edits)})


def revolute(**more: Any) -> dict[str, Any]:
    return {"joint": "revolute", **more}


ARM = robot(
    frames=[
        revolute(name="a", link={"M": "M1"}),
        revolute(d="D2", name="b", link={"M": "M2"}),
        revolute(d="D3", coupled={"joints": {2: "-1"}}, name="c", active=False),
        revolute(d="D4", name="e", link={"M": "M4"}),
    ],
    tool={"on": 4, "r": "0.2"},
    postures={"home": [0.1, 0.2, 0.4]},
    nominal={"D2": 0.5},
)
LOOP = robot(
    frames=[
        revolute(ant=0),
        revolute(ant=1, d=1, active=False),
        revolute(ant=0, d=2, active=False),
        revolute(ant=1, d="E", name="aside"),
    ],
    loops=[{"open": revolute(ant=2, d=1), "close": {"ant": 3, "d": 1}}],
    postures={"home": [0.5, -0.5, 0.5, 0.7]},
)
CAR = robot(
    base={"kind": "wheeled", "location": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, "r"], [0, 0, 0, 1]]},
    frames=[
        {"joint": "revolute", "ant": 0, "gamma": "pi/2", "b": 0, "alpha": "-pi/2", "r": "w"},
        {"joint": "revolute", "ant": 0, "gamma": "pi/2", "b": 0, "alpha": "-pi/2", "r": "-w"},
        {"joint": "revolute", "ant": 0, "d": "l", "name": "arm"},
    ],
    wheels=[
        {"frame": 1, "kind": "fixed", "radius": "r"},
        {"frame": 2, "kind": "fixed", "radius": "r"},
    ],
)


def test_a_frame_in_the_middle_moves_everything_that_comes_after() -> None:
    result = edit(ARM, {"part": "add_frame", "after": 1, "carry": True, "sigma": "P", "name": "new"})
    wanted = robot(
        frames=[
            revolute(name="a", link={"M": "M1"}),
            {"joint": "prismatic", "d": 1, "name": "new"},
            revolute(ant=2, d="D2", name="b", link={"M": "M2"}),
            revolute(d="D3", coupled={"joints": {3: "-1"}}, name="c", active=False),
            revolute(d="D4", name="e", link={"M": "M4"}),
        ],
        tool={"on": 5, "r": "0.2"},
        postures={"home": [0.1, 0, 0.2, 0.4]},
        nominal={"D2": 0.5},
    )
    assert read(result["robot"]) == read(wanted)


def test_an_added_branch_does_not_change_other_frames() -> None:
    result = edit(ARM, {"part": "add_frame", "after": 2, "ant": 1})
    made = read(result["robot"])
    assert [frame.ant for frame in made.frames] == [0, 1, 1, 2, 4]
    assert made.frame(4).coupling is not None and made.frame(4).coupling.terms[0][0] == 2
    assert made.tool is not None and made.tool.place.ant == 5


def test_a_frame_is_removed_and_its_descendants_remain() -> None:
    result = edit(ARM, {"part": "remove_frame", "j": 1})
    wanted = robot(
        frames=[
            revolute(d="D2", name="b", link={"M": "M2"}),
            revolute(d="D3", coupled={"joints": {1: "-1"}}, name="c", active=False),
            revolute(d="D4", name="e", link={"M": "M4"}),
        ],
        tool={"on": 3, "r": "0.2"},
        postures={"home": [0.2, 0.4]},
        nominal={"D2": 0.5},
    )
    assert read(result["robot"]) == read(wanted)
    last = read(edit(ARM, {"part": "remove_frame", "j": 4})["robot"])
    assert last.tool is not None and last.tool.place.ant == 3


def test_frames_of_a_loop_keep_their_places() -> None:
    longer = read(edit(LOOP, {"part": "add_frame", "after": 1, "ant": 0})["robot"])
    assert [frame.ant for frame in longer.frames] == [0, 0, 1, 0, 1, 3, 4]
    assert longer.postures["home"] == (0.5, 0, -0.5, 0.5, 0.7)
    shorter = read(edit(LOOP, {"part": "remove_frame", "j": 4})["robot"])
    assert [frame.ant for frame in shorter.frames] == [0, 1, 0, 2, 3]
    assert shorter.postures["home"] == (0.5, -0.5, 0.5)


def test_a_loop_is_added_and_removed() -> None:
    opened = {key: value for key, value in LOOP.items() if key != "loops"}
    closed = edit(
        opened,
        {"part": "add_loop", "from": 2, "to": 3},
        {"part": "frame", "j": 5, "field": "d", "text": "1"},
        {"part": "frame", "j": 6, "field": "d", "text": "1"},
    )
    assert read(closed["robot"]) == read(LOOP)
    two = edit(LOOP, {"part": "add_loop", "from": 4, "to": 2})
    assert two["sizes"]["B"] == 2
    assert [frame.ant for frame in read(two["robot"]).frames[4:]] == [2, 4, 3, 2]
    for j in (6, 8):  # by its opened joint, or by its twin
        assert read(edit(two["robot"], {"part": "remove_loop", "j": j})["robot"]) == read(LOOP)
    assert read(edit(LOOP, {"part": "remove_loop", "j": 5})["robot"]) == read(opened)


def test_wheels_follow_their_frames() -> None:
    result = read(edit(CAR, {"part": "add_frame", "after": 0, "ant": 0})["robot"])
    assert [wheel.frame for wheel in result.wheels] == [2, 3]
    without = read(edit(CAR, {"part": "remove_wheel", "j": 1}, {"part": "remove_frame", "j": 1})["robot"])
    assert [wheel.frame for wheel in without.wheels] == [1]
    again = edit(CAR, {"part": "remove_wheel", "j": 2}, {"part": "add_wheel", "frame": 2, "radius": "r"})
    assert read(again["robot"]) == read(CAR)


def test_cells_of_one_row_are_changed_together() -> None:
    """A wheel that is to be steered is sound only when its joint is named too."""
    document = call("robot_open", {"id": "tricycle"})["robot"]
    wheels = read(document).wheels
    k = next(k for k, wheel in enumerate(wheels, 1) if wheel.steering)
    rigid = {"part": "wheel", "j": k, "field": "kind", "text": "swedish"}
    back = [
        {"part": "wheel", "j": k, "field": "kind", "text": str(wheels[k - 1].kind)},
        {"part": "wheel", "j": k, "field": "steering", "text": str(wheels[k - 1].steering)},
    ]
    assert "requires 'steering'" in edit(document, rigid, back[0])["error"]["message"]
    assert read(edit(document, rigid, *back)["robot"]) == read(document)


@pytest.mark.parametrize(
    ("document", "given", "words", "place"),
    [
        (ARM, {"part": "remove_frame", "j": 2}, "joint 3 is coupled to joint 2", {"j": 2}),
        (CAR, {"part": "remove_frame", "j": 2}, "wheel 2 uses frame 2", {"j": 2}),
        (CAR, {"part": "base", "field": "kind", "text": "fixed"}, "has wheels", {"field": "kind"}),
        (
            CAR,
            {"part": "wheel", "j": 1, "field": "frame", "text": "3"},
            "wheel 1",
            {"j": 1, "field": "frame"},
        ),
        (LOOP, {"part": "remove_frame", "j": 9}, "there is no link 9", {"j": 9}),
        (LOOP, {"part": "remove_loop", "j": 4}, "there is no loop at frame 4", {"j": 4}),
        (LOOP, {"part": "add_loop", "from": 5, "to": 1}, "has no link", {}),
        (LOOP, {"part": "add_loop", "from": 1, "to": 1}, "have the same antecedent", {}),
        (
            LOOP,
            {"part": "add_flexible", "j": 1},
            "flexible links are not supported in robots with closed loops",
            {"j": 1},
        ),
        (
            LOOP,
            {"part": "frame", "j": 5, "field": "mu", "text": "1"},
            "must be passive",
            {"j": 5, "field": "mu"},
        ),
        (
            ARM,
            {"part": "frame", "j": 1, "field": "coupled", "text": "q2^2"},
            "not a linear combination",
            {"j": 1},
        ),
        (
            ARM,
            {"part": "frame", "j": 1, "field": "coupled", "text": "1/q2"},
            "not a linear combination",
            {"j": 1},
        ),
        (
            ARM,
            {"part": "frame", "j": 1, "field": "coupled", "text": "q3"},
            "itself coupled",
            {"field": "coupled"},
        ),
        (ARM, {"part": "frame", "j": 1, "field": "coupled", "text": "q9"}, "not a moving joint", {"j": 1}),
        (ARM, {"part": "frame", "j": 2, "field": "theta", "text": "q1"}, "is a joint's variable", {"j": 2}),
        (ARM, {"part": "frame", "j": 2, "field": "theta", "text": "2*q2"}, "is a joint's variable", {"j": 2}),
        (ARM, {"part": "add_payload"}, "", {}),
        (ARM, {"part": "tool", "j": "tool", "field": "on", "text": "9"}, "no frame called", {"field": "on"}),
        (ARM, {"part": "posture", "j": "home", "field": "q3", "text": "1"}, "expected one of q1, q2, q4", {}),
        (ARM, {"part": "robot", "j": "robot", "field": "platform", "text": "7"}, "platform", {}),
        (ARM, {"part": "add_frame", "after": 7}, "has no link", {}),
        (ARM, {"part": "frame", "j": 2, "field": "d", "text": "x" * 3000}, "at most 2000", {"j": 2}),
    ],
)
def test_invalid_edits_are_rejected_with_their_cell(
    document: dict[str, Any], given: dict[str, Any], words: str, place: dict[str, Any]
) -> None:
    result = edit(document, given)
    if not words:
        assert "error" not in result
        return
    assert words in result["error"]["message"]
    assert result["error"]["place"].items() >= {"part": given["part"], **place}.items()


def test_tool_and_payload() -> None:
    result = edit(
        ARM,
        {"part": "add_payload"},
        {"part": "payload", "j": "payload", "field": "M", "text": "mp"},
        {"part": "tool", "j": "tool", "field": "alpha", "text": "pi/2"},
    )
    wanted = {**ARM, "payload": {"M": "mp"}, "tool": {"on": 4, "r": "0.2", "alpha": "pi/2"}}
    assert read(result["robot"]) == read(wanted)
    without = edit(result["robot"], {"part": "remove_tool"})
    assert read(without["robot"]) == read({k: v for k, v in ARM.items() if k != "tool"})


def test_flexible_links() -> None:
    result = edit(
        ARM,
        {"part": "add_flexible", "j": 2},
        {"part": "flexible", "j": 2, "field": "length", "text": "l2"},
        {"part": "flexible", "j": 2, "field": "y", "text": "2"},
        {"part": "flexible", "j": 2, "field": "shapes", "text": "clamped"},
        {"part": "add_tip", "j": 2},
    )
    beam = {"length": "l2", "mass_per_length": "rho2", "EIz": "EI2", "modes": {"y": 2}, "shapes": "clamped"}
    frames = [dict(frame) for frame in ARM["frames"]]
    frames[1]["flexible"] = {**beam, "tip": {"M": 1}}
    assert read(result["robot"]) == read({**ARM, "frames": frames})
    assert read(edit(result["robot"], {"part": "remove_flexible", "j": 2})["robot"]) == read(ARM)


def test_couplings_as_they_are_read() -> None:
    given = {"part": "frame", "j": 3, "field": "coupled", "text": "pi/2 - q2*k + 2*q1"}
    result = edit(ARM, given)
    assert result["couplings"] == [
        {"frame": 3, "terms": [{"frame": 1, "ratio": "2"}, {"frame": 2, "ratio": "-k"}], "offset": "pi/2"}
    ]
    (joints,) = [table for table in result["tables"] if table["title"] == "joints"]
    shown = joints["rows"][2]["cells"][joints["columns"].index("coupled")]
    assert edit(ARM, {**given, "text": shown})["robot"] == result["robot"]
    alone = edit(ARM, {**given, "text": ""})
    assert alone["coordinates"] == [1, 2, 3, 4] and alone["postures"]["home"] == [0.1, 0.2, 0, 0.4]


def test_a_new_symbolic_link_shares_no_symbol() -> None:
    document = call("robot_new", {"links": 3})["robot"]
    result = read(edit(document, {"part": "add_frame", "after": 1, "inertia": True})["robot"])
    assert result.link(2).M.text == "M2_" and result.link(3).M.text == "M2"


@pytest.mark.parametrize(
    "name", ["tricycle", "delta", "flexible2r", "rx90_elastic", "sr400", "humanoid_torso"]
)
def test_every_cell_can_be_written_as_it_is_read(name: str) -> None:
    """Typing into each cell what it shows changes nothing."""
    shown = call("robot_open", {"id": name})
    edits = [
        {"part": table["part"], "j": row["j"], "field": column, "text": text}
        for table in shown["tables"]
        for row in table["rows"]
        for column, text in zip(table["columns"], row["cells"], strict=True)
    ]
    assert call("robot_edit", {"robot": shown["robot"], "edits": edits})["robot"] == shown["robot"]


@pytest.mark.parametrize("name", ["tricycle", "delta", "flexible2r", "rx90"])
def test_tables_describe_their_cells(name: str) -> None:
    kinds = {"formula", "number", "count", "choice", "flag", "text"}
    for table in call("robot_open", {"id": name})["tables"]:
        assert len(table["columns"]) == len(table["kinds"]) == len(table["hints"])
        assert set(table["kinds"]) <= kinds and all(table["hints"])
        for column, kind in zip(table["columns"], table["kinds"], strict=True):
            assert (kind == "choice") == (column in table["choices"])
            at = table["columns"].index(column)
            if kind == "choice":
                assert {row["cells"][at] for row in table["rows"]} <= set(table["choices"][column])
