"""Check the data of the scene: poses of frames, closed loops, coupled joints, and rollers of wheels."""

import numpy as np
import pytest

import symoro
from symoro.models.geometric.scene import all_frames
from symoro.robot.coordinates import independent
from symoro.robot.formats import loads
from symoro.runtime.function import Function
from symoro.ui.service import answers, call

COUPLED = """
symoro: 1
name: hand
frames:
  - {ant: 0, name: master}
  - {ant: 1, name: slave, d: 0.3, coupled: {joints: {1: k}, offset: 0.1}}
  - {ant: 2, name: last, d: 0.2}
nominal: {k: -0.5}
"""


def test_placements_contain_the_loop_closure_only_on_request() -> None:
    robot = call("robot_open", {"id": "fourbar"})["robot"]
    quick = call("frames", {"robot": robot, "loops": False})
    whole = call("frames", {"robot": robot})
    assert quick["loops"] is None
    assert whole["loops"] is not None
    assert quick["frames"] == whole["frames"]
    assert "error" in call("frames", {"robot": robot, "loops": "no"})


@pytest.mark.parametrize("name", ["delta", "gough_stewart", "3rrr"])
def test_the_scene_closes_the_loops_of_parallel_robots_after_a_small_step(name: str) -> None:
    """One call closes the loops after a step of 0.1 (rad or m) of an active joint, the largest step of the scene."""
    robot = symoro.load(name)
    closing = answers._loop_closure(robot)
    assert closing.options["steps"] == 1
    close = closing.function(compiled=False)
    own = independent(robot)
    home = np.array(robot.postures["home"])
    qa = home[[own.index(j) for j in own if robot.frame(j).mu]]
    cut = np.zeros(closing.inputs["qc0"])
    start = close(qa=qa, q0=home, qc0=cut)
    for k in range(len(qa)):
        moved = close(qa=qa + 0.1 * np.eye(len(qa))[k], q0=start["q"][0], qc0=start["qc"][0])
        assert moved["status"][0] == 0
        assert moved["residual"][0] < 1e-9


def test_positions_of_all_joints_where_some_follow_others() -> None:
    robot = loads(COUPLED, "yaml")
    result = Function(all_frames(robot), {"k": -0.5}, compiled=False, robot=robot)(q=[0.4, 0.7])
    np.testing.assert_allclose(result["joints"], [0.4, 0.1 - 0.5 * 0.4, 0.7])
    assert "joints" not in {port.name for port in all_frames(symoro.load("rx90")).outputs}


@pytest.mark.parametrize(
    ("name", "wanted"), [("mecanum", [-1, 1, 1, -1]), ("omni3", [0, 0, 0]), ("diffdrive", [None, None, None])]
)
def test_rollers_of_wheels(name: str, wanted: list[float | None]) -> None:
    wheels = call("robot_open", {"id": name})["wheels"]
    angles = [None if sign is None else sign * np.pi / 4 for sign in wanted]
    assert [wheel["roller"] for wheel in wheels] == pytest.approx(angles)


def test_the_inverse_geometry_is_returned_as_one_module_with_all_solutions() -> None:
    answer = call("inverse", {"robot": call("robot_open", {"id": "rx90"})["robot"]})
    (module,) = answer["modules"]
    assert module["outputs"]["q"] == [8, 6]
    assert "export function call" in module["source"]
    assert answer["complete"]
    assert answer["legs"] == []


@pytest.mark.parametrize(
    ("name", "pose", "solutions"),
    [
        ("planar2r", "position", 2),
        ("fivebar", "position", 4),
        ("mobile_manipulator", "position", 4),
        ("planar3r", "full", 2),  # the position leaves one joint free
        ("scara", "full", 2),  # so does that of a SCARA: its last joint turns the tool
        ("cartpole", "full", 1),
        ("slidercrank", "position", 2),
    ],
)
def test_arms_that_cannot_choose_their_rotation_are_solved_for_the_position(
    name: str, pose: str, solutions: int
) -> None:
    answer = call("inverse", {"robot": call("robot_open", {"id": name})["robot"]})
    (module,) = answer["modules"]
    assert (answer["pose"], module["outputs"]["q"][0]) == (pose, solutions)


def test_the_inverse_geometry_of_a_platform_is_returned_per_working_mode() -> None:
    view = call("robot_open", {"id": "gough_stewart"})
    answer = call("inverse", {"robot": view["robot"]})
    assert [module["outputs"]["q"] for module in answer["modules"]] == [[1, 31], [1, 31]]
    assert answer["modules"][0]["source"] != answer["modules"][1]["source"]
    # Each joint of the tree belongs to exactly one leg, so that the modes of the legs can be combined.
    frames = [j for leg in answer["legs"] for j in leg]
    assert len(frames) == len(set(frames))
    assert set(view["coordinates"]) <= set(frames)


def test_without_a_closed_form_the_reason_is_returned() -> None:
    answer = call("inverse", {"robot": call("robot_open", {"id": "snake"})["robot"]})
    assert answer["modules"] == []
    assert not answer["complete"]
    assert "infinitely many solutions" in answer["why_not"]
