"""Solutions put to use: the valid ones, limits and turns, the nearest, and a branch along a path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError
from symoro.runtime.function import Function

HOME = np.array([0.3, 1.1, -0.8, 0.5, 0.7, -0.4])


@pytest.fixture(scope="module")
def robot() -> symoro.Robot:
    return symoro.load("rx90")


@pytest.fixture(scope="module")
def place(robot: symoro.Robot) -> Function:
    return symoro.generate(robot, "fast-geometry").function(compiled=False)


@pytest.fixture(scope="module")
def solve(robot: symoro.Robot) -> Function:
    return symoro.generate(robot, "inverse-geometry").function(compiled=False)


def shifted(*delta: float) -> np.ndarray:
    return HOME + np.array(delta)


def result(*status: int) -> dict[str, Any]:
    """A result with a row of its own for each status."""
    q = np.arange(2.0 * len(status)).reshape(len(status), 2)
    return {"q": q, "status": np.array(status, dtype=float)}


def test_the_package_shows_them() -> None:
    assert {"valid", "within_limits", "windings", "nearest", "follow"} <= set(dir(symoro.solutions))
    with pytest.raises(AttributeError, match="nonsense"):
        symoro.nonsense


# -- valid


def test_valid_keeps_the_rows_that_are_solutions() -> None:
    actual = result(0, 1, 2, 3, 0)
    assert symoro.solutions.valid(actual).tolist() == [[0, 1], [8, 9]]
    assert symoro.solutions.valid(actual, singular=True).tolist() == [[0, 1], [4, 5], [8, 9]]
    assert symoro.solutions.valid(result(1, 3)).shape == (0, 2)


def test_valid_of_a_batch_is_a_list(robot: symoro.Robot, place: Function, solve: Function) -> None:
    q = np.random.default_rng(1).uniform(-2, 2, (5, 6))
    actual = symoro.solutions.valid(solve(T=place(q=q)["T"]))
    assert len(actual) == 5 and all(rows.shape == (8, 6) for rows in actual)
    for pose, rows in zip(place(q=q)["T"], actual, strict=True):
        assert np.allclose(place(q=rows)["T"], pose, atol=1e-9)


def test_another_result_is_refused(robot: symoro.Robot, place: Function) -> None:
    with pytest.raises(ArgumentError, match="inverse geometric"):
        symoro.solutions.valid(place(q=HOME))


# -- limits and turns


def test_limits(robot: symoro.Robot) -> None:
    assert symoro.solutions.within_limits(robot, HOME)
    far = shifted(0, 0, 0, 0, 2, 0)
    assert symoro.solutions.within_limits(robot, [HOME, far]).tolist() == [True, False]
    assert symoro.solutions.within_limits(symoro.load("planar3r"), [100, 0, 0])  # has none
    with pytest.raises(ArgumentError, match=r"\(\.\.\., 6\)"):
        symoro.solutions.within_limits(robot, [0, 0])


def test_windings_are_all_turns_within_the_limits(robot: symoro.Robot) -> None:
    actual = symoro.solutions.windings(
        robot, shifted(0, 0, 0, 2, 0, 2)
    )  # J4 and J6 turn by 270 degrees both ways
    assert actual.shape == (4, 6) and symoro.solutions.within_limits(robot, actual).all()
    assert np.allclose(np.exp(1j * actual), np.exp(1j * (shifted(0, 0, 0, 2, 0, 2))))
    assert len({tuple(np.round(row, 6)) for row in actual}) == 4
    assert symoro.solutions.windings(robot, [HOME, shifted(0, 0, 0, 0, 2, 0)]).shape == (
        1,
        6,
    )  # the second has none


def test_windings_leave_lengths_alone_and_endless_joints_where_they_are() -> None:
    scara = symoro.load("scara")
    assert symoro.solutions.windings(scara, [0.1, 0.2, 0.1, 0.0])[:, 2].tolist() == 3 * [
        0.1
    ]  # J4 turns three times
    assert symoro.solutions.windings(scara, [0.1, 0.2, 0.5, 0.0]).shape == (0, 4)  # the slide is too far out
    assert symoro.solutions.windings(symoro.load("planar3r"), [1, 7, -9]).tolist() == [[1, 7, -9]]
    assert symoro.solutions.windings(
        scara, symoro.solutions.nearest(result(3), [0, 0]).q[[0, 0, 1, 1]]
    ).shape == (0, 4)


# -- the nearest


def test_nearest_finds_the_posture_that_the_pose_came_from(place: Function, solve: Function) -> None:
    actual = solve(T=place(q=HOME)["T"])
    best = symoro.solutions.nearest(actual, HOME)
    assert np.allclose(best.q, HOME) and best.distance < 1e-6
    assert np.array_equal(best.q, actual["q"][best.index])


def test_nearest_takes_the_turn_that_the_robot_allows(
    robot: symoro.Robot, place: Function, solve: Function
) -> None:
    aim = shifted(0, 0, 0, 3.6, 0, 0)
    actual = solve(T=place(q=aim)["T"])
    assert not np.allclose(symoro.solutions.nearest(actual, aim).q, aim)
    assert np.allclose(symoro.solutions.nearest(actual, aim, robot=robot).q, aim)
    beyond = shifted(0, 0, 0, 5, 0, 0)  # J4 ends at 4.71
    actual = solve(T=place(q=beyond)["T"])
    assert np.allclose(symoro.solutions.nearest(actual, beyond, robot=robot, limits=False).q, beyond)
    assert symoro.solutions.within_limits(robot, symoro.solutions.nearest(actual, beyond, robot=robot).q)


def test_weights_choose() -> None:
    actual = {"q": np.array([[1.0, 0.0], [0.0, 2.0]]), "status": np.zeros(2)}
    assert symoro.solutions.nearest(actual, [0, 0]).index == 0
    assert symoro.solutions.nearest(actual, [0, 0], weights=[9, 1]).index == 1


def test_no_solution_is_reported(robot: symoro.Robot) -> None:
    best = symoro.solutions.nearest(result(1, 3), [0, 0])
    assert best.index == -1 and np.isnan(best.q).all() and best.distance == np.inf
    assert symoro.solutions.nearest(result(2), [0, 0]).index == 0
    assert symoro.solutions.nearest(result(2), [0, 0], singular=False).index == -1


def test_nearest_in_a_batch(robot: symoro.Robot, place: Function, solve: Function) -> None:
    q = HOME + np.random.default_rng(2).uniform(-0.2, 0.2, (20, 6))
    T = place(q=q)["T"]
    T[3, :3, 3] = 9  # out of reach
    shared, own = (symoro.solutions.nearest(solve(T=T), aim, robot=robot) for aim in (HOME, q))
    assert shared.q.shape == (20, 6) and own.index[3] == -1 and np.isnan(own.q[3]).all()
    assert np.allclose(np.delete(own.q, 3, 0), np.delete(q, 3, 0), atol=1e-6)
    one = symoro.solutions.nearest(solve(T=T[5]), HOME, robot=robot)
    assert one.index == shared.index[5] and np.allclose(one.q, shared.q[5])
    with pytest.raises(ArgumentError, match="posture of shape"):
        symoro.solutions.nearest(solve(T=T), q[:3])


# -- along a path


def test_a_branch_is_followed_through_several_turns(place: Function, solve: Function) -> None:
    s = np.linspace(0, 1, 200)[:, None]
    q = HOME + s * [0.4, -0.5, 0.3, 4.0, 0.2, -4.0]
    track = symoro.solutions.follow(solve, place(q=q)["T"], HOME)
    assert np.allclose(track.q, q, atol=1e-6)
    assert track.jumps == track.missing == track.singular == ()


def test_a_singular_pose_is_bridged(place: Function, solve: Function) -> None:
    q = HOME + np.linspace(-1, 1, 41)[:, None] * [0.2, 0.1, 0.1, 0, 0, 0]
    q[:, 4] = np.linspace(0.8, -0.8, 41)  # the wrist is straight in the middle
    track = symoro.solutions.follow(solve, place(q=q)["T"], q[0])
    assert track.singular == (20,) and track.missing == track.jumps == ()
    assert np.allclose(track.q, q, atol=1e-6)


def test_gaps_and_jumps_are_reported(robot: symoro.Robot, place: Function, solve: Function) -> None:
    q = np.tile(HOME, (6, 1))
    q[4:, 0] += 0.9
    T = place(q=q)["T"]
    T[2, :3, 3] = 9
    track = symoro.solutions.follow(solve, T, HOME)
    assert track.missing == (2,) and track.jumps == (4,) and track.index[2] == -1
    assert symoro.solutions.follow(solve, T, HOME, largest_step=1).jumps == ()
    with pytest.raises(ArgumentError, match="poses have shape"):
        symoro.solutions.follow(solve, T[0], HOME)


def test_limits_are_respected_along_a_path_by_default(place: Function, solve: Function) -> None:
    q = HOME + np.linspace(0, 1, 50)[:, None] * [0, 0, 0, 5, 0, 0]  # J4 ends at 4.71
    T = place(q=q)["T"]
    assert symoro.solutions.follow(solve, T, HOME).jumps
    assert np.allclose(symoro.solutions.follow(solve, T, HOME, limits=False).q, q, atol=1e-6)


def test_a_locked_joint_stays() -> None:
    arm = symoro.load("planar3r")
    place = symoro.generate(arm, "fast-geometry").function(compiled=False)
    model = symoro.generate(arm, "inverse-geometry", pose="Px,Py", locked="3")
    q = np.array([0.2, 0.5, 0.3]) + np.linspace(0, 1, 30)[:, None] * [1, 0.5, 0]
    track = symoro.solutions.follow(model.function(compiled=False), place(q=q)["T"], q[0])
    assert np.allclose(track.q, q, atol=1e-6)


def test_a_branch_of_closed_loops_is_followed() -> None:
    """`follow` takes positions of the active joints for the function of loop-geometry."""
    function = symoro.generate("fivebar", "loop-geometry").function(compiled=False)
    begin = function(qa=[0.6, 1.2])["q"]
    path = np.array([0.6, 1.2]) + np.linspace(0, 0.4, 20)[:, None]
    for start in begin:
        track = symoro.solutions.follow(function, path, start)
        assert track.missing == () and track.jumps == ()
        assert np.allclose(track.q[0], start) and np.allclose(track.q[:, [0, 2]], path)
    with pytest.raises(ArgumentError, match=r"expected \(N, 2\) for the input qa"):
        symoro.solutions.follow(function, np.eye(4)[None], begin[0])
    place = symoro.generate("fivebar", "fast-geometry").function(compiled=False)
    with pytest.raises(ArgumentError, match="does not compute configurations"):
        symoro.solutions.follow(place, path, begin[0])
