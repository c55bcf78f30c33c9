"""Test chains, paths, branches, loops and the description of the structure."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import symoro
from symoro.robot.description import Frame, JointType, Link, Robot
from symoro.robot.topology import (
    branches,
    chain,
    children,
    common_ancestor,
    cut_joints,
    describe,
    is_prefix_ordered,
    leaves,
    loops,
    moving_joints,
    outward,
    path,
    structure,
    subtree,
)
from tests.oracle.robots import closed, trees


def tree(*ants: int, sigma: JointType = JointType.REVOLUTE) -> Robot:
    return Robot("tree", tuple(Frame(ant, sigma) for ant in ants), (Link(),) * len(ants))


#       0
#      / \
#     1   5
#    / \
#   2   4        numbered so that 4 is the antecedent of 3
#       |
#       3
FORK = tree(0, 1, 4, 1, 0)


def test_a_fork() -> None:
    assert structure(FORK) == "tree" and structure(tree(0, 1, 2)) == "serial"
    assert children(FORK, 1) == [2, 4] and children(FORK, 0) == [1, 5]
    assert chain(FORK, 3) == [1, 4, 3] and chain(FORK, 0) == []
    assert path(FORK, 2, 3) == ([2], [4, 3])
    assert path(FORK, 3, 2) == ([3, 4], [2])
    assert path(FORK, 3, 5) == ([3, 4, 1], [5])
    assert path(FORK, 3, 3) == ([], [])
    assert common_ancestor(FORK, 2, 3) == 1 and common_ancestor(FORK, 3, 5) == 0
    assert subtree(FORK, 1) == [1, 2, 4, 3] and subtree(FORK, 0) == [0, 1, 2, 4, 3, 5]
    assert outward(FORK) == [1, 2, 4, 5, 3]
    assert leaves(FORK) == [2, 3, 5]
    assert branches(FORK) == [[1], [2], [4, 3], [5]]
    assert not is_prefix_ordered(FORK) and is_prefix_ordered(tree(0, 1, 1))


@settings(max_examples=60, deadline=None)
@given(trees() | closed())
def test_of_any_robot(robot: Robot) -> None:
    order = outward(robot)
    assert sorted(order) == list(range(1, robot.NF + 1))
    place = {0: -1} | {j: k for k, j in enumerate(order)}
    assert all(place[robot.frame(j).ant] < place[j] for j in order)
    for j in range(robot.NF + 1):
        steps = chain(robot, j)
        assert [robot.frame(k).ant for k in steps] == [0, *steps][:-1]
        up, down = path(robot, j, robot.NF)
        assert not set(up) & set(down)
        assert (robot.frame(up[-1]).ant if up else j) == (robot.frame(down[0]).ant if down else robot.NF)
    runs = branches(robot)
    assert sorted(j for run in runs for j in run) == list(range(1, robot.NL + 1))
    for result in loops(robot):
        assert result.right == result.left + robot.B
        assert result.root in (0, *chain(robot, result.left)) and result.root in (
            0,
            *chain(robot, result.right),
        )
        assert not set(result.left_chain) & set(result.right_chain)
        assert result.frames[-1] == result.right


def test_joints() -> None:
    robot = symoro.load("akr3000")
    assert len(loops(robot)) == robot.B == 2
    assert moving_joints(robot) == [j for j in range(1, robot.NL + 1) if robot.frame(j).moving]
    assert all(robot.NL < j <= robot.NJ for j in cut_joints(robot))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rx90", "serial, 6 joints (RRRRRR)"),
        ("rx90_floating", "serial, 6 joints (RRRRRR), floating base"),
        ("rx90_elastic", "serial, 6 joints (RRRRRR), 2 elastic"),
        ("akr3000", "closed-loop, 10 joints (RRRRPPRRRR), 2 loops"),
    ],
)
def test_in_words(name: str, words: str) -> None:
    assert describe(symoro.load(name)) == words


def test_long_and_short_words() -> None:
    assert describe(tree(*range(40))) == "serial, 40 joints (RRRRRRRRRRRRRRR...)"
    assert describe(tree(0, sigma=JointType.FIXED)) == "serial, 0 joints (F)"
    assert describe(tree(0)) == "serial, 1 joint (R)"


def test_frames_numbered_backwards() -> None:
    n = 1500
    robot = tree(*(*range(2, n + 1), 0))
    assert outward(robot) == list(range(n, 0, -1))
    assert len(chain(robot, 1)) == n
