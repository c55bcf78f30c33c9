"""Test the choice of frames: common normals, zero parameters, exact angles, auxiliary frames."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symoro.expr.formula import formula
from symoro.robot.description import GEOMETRIC, JointType, Robot
from symoro.robot.formats.urdf import read_urdf
from symoro.robot.formats.urdf.parameters import Six, clean, number_formula, six
from symoro.robot.formats.urdf.rigid import Pose, difference, from_rpy, to_rpy

Z, Y, X = "0 0 1", "0 1 0", "1 0 0"


def chain(*joints: tuple[str, str, str], kinds: str = "", **choices: object) -> Robot:
    """Return a serial robot from (xyz, rpy, axis); `kinds` has a letter R or P per joint."""
    parts = ['<link name="l0"/>']
    for k, (xyz, rpy, axis) in enumerate(joints, 1):
        kind = "prismatic" if kinds[k - 1 : k] == "P" else "continuous"
        parts.append(
            f'<link name="l{k}"/><joint name="j{k}" type="{kind}">'
            f'<parent link="l{k - 1}"/><child link="l{k}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/></joint>'
        )
    return read_urdf(f"<robot>{''.join(parts)}</robot>", **choices)  # type: ignore[arg-type]


def row(robot: Robot, j: int) -> list[str]:
    return [getattr(robot.frame(j), name).text for name in GEOMETRIC]


# -- zeros


def test_axes_along_z_one_above_the_other_are_one_line() -> None:
    robot = chain(("0 0 0.3", "0 0 0", Z), ("0 0 0.2", "0 0 0", Z))
    assert [row(robot, j) for j in (1, 2)] == [["0", "0", "0", "0", "0", "0.5"], ["0"] * 6]


def test_parallel_axes_have_one_length_along_them() -> None:
    """Check that three offsets along parallel axes (shoulder of the UR5) become one, before the first axis."""
    robot = chain(
        ("0 0 0", "0 0 0", Z), ("0 0.1 0", "0 0 0", Y), ("0 -0.2 0.4", "0 0 0", Y), ("0.3 0.05 0", "0 0 0", Y)
    )
    assert [row(robot, j)[5] for j in (2, 3, 4)] == ["-0.05", "0", "0"]
    assert all(row(robot, j)[:2] == ["0", "0"] for j in (2, 3, 4))
    assert [row(robot, j)[2] for j in (3, 4)] == ["0", "0"]


def test_axes_that_meet_have_no_length_between_them() -> None:
    robot = chain(("0 0 0", "0 0 0", Z), ("0 0 0.4", "0 0 0", Y), ("0.3 0 0", "0 0 0", X))
    assert row(robot, 1) == ["0", "0", "0", "0", "0", "0.4"] or row(robot, 1)[5] == "0.4"
    assert [row(robot, j)[3] for j in (2, 3)] == ["0", "0"]
    assert row(robot, 3)[0:2] == ["0", "0"]


def test_a_prismatic_axis_goes_through_the_next_origin() -> None:
    robot = chain(
        ("0 0 0", "0 0 0", Z), ("0.1 0.2 0.3", "0 0 0", X), ("0.5 0.6 0.7", "0 0 0", Z), kinds="RPR"
    )
    assert robot.frame(2).sigma == JointType.PRISMATIC
    assert [row(robot, 3)[k] for k in (0, 1, 3, 5)] == ["0", "0", "0", "0"]


def test_the_sense_of_the_axis_is_kept() -> None:
    """Check that an axis pointing down gives a frame pointing down, so that q keeps its sign."""
    assert row(chain(("0 0 0.5", "0 0 0", "0 0 -1")), 1) == ["0", "0", "pi", "0", "0", "-0.5"]


def test_the_last_frame_is_the_links_own() -> None:
    robot = chain(("0 0 0", "0 0 0", Z), ("0.5 0 0.25", "0 0 0.3", Z))
    assert row(robot, 2) == ["0", "0", "0", "0.5", "0.3", "0"]


def test_the_longer_branch_gets_the_common_normal() -> None:
    links = "".join(f'<link name="l{k}"/>' for k in range(5))
    ends = [(0, 1, X), (1, 2, Y), (1, 3, "0.1 0.2 1"), (3, 4, Z)]
    joints = "".join(
        f'<joint name="j{b}" type="continuous"><parent link="l{a}"/><child link="l{b}"/>'
        f'<origin xyz="0.1 0.2 0.3"/><axis xyz="{axis}"/></joint>'
        for a, b, axis in ends
    )
    robot = read_urdf(f"<robot>{links}{joints}</robot>")
    assert row(robot, 3)[:2] == ["0", "0"]
    assert row(robot, 2)[:2] != ["0", "0"]


# -- exact angles


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("1.5708", "pi/2"),
        ("-1.570796", "-pi/2"),
        ("3.14159", "pi"),
        ("-3.1415926", "pi"),
        ("0.785398", "pi/4"),
        ("2.356194", "3*pi/4"),
        ("0.523599", "pi/6"),
        ("-2.094395", "-2*pi/3"),
        ("0.261799", "0.261799"),  # 15 degrees are not a rounded multiple of 30 or 45 degrees
        ("0.7854", "pi/4"),
        ("1.57", "1.57"),
        ("4e-6", "0"),
    ],
)
def test_rounded_angles(written: str, text: str) -> None:
    assert row(chain(("0 0 0", f"0 0 {written}", Z)), 1)[4] == text


def test_the_note_contains_number_and_largest_change() -> None:
    robot = chain(("0 0 0", "1.5708 0 0", Z), ("0 0 1", "0 1.5708 3.14159265358979", "1e-7 0 1"))
    assert "2 angles and 1 axis within 1e-05" in " ".join(robot.notes)
    assert "at most 3.7e-06 rad" in " ".join(robot.notes)


def test_exact_keeps_the_digits() -> None:
    robot = chain(("0 0 0", "0 0 1.5708", Z), exact=True)
    assert row(robot, 1)[4] == "1.5708"
    assert not any("replaced by exact values" in note for note in robot.notes)


@pytest.mark.parametrize(
    ("axis", "alpha"),
    [
        ("0 0.7071 0.7071", "-pi/4"),
        ("0 -0.5 0.86603", "pi/6"),
        ("0 1e-6 1", "0"),
        ("0 0.866025 0.5", "-pi/3"),
    ],
)
def test_rounded_axes(axis: str, alpha: str) -> None:
    assert row(chain(("0 0 0", "0 0 0", axis)), 1)[2] == alpha


# -- parallel but for round-off


def test_nearly_parallel_axes_get_a_frame_in_between() -> None:
    joints = (("0 0 0", "0 0 0", Z), ("0.5 0.1 0", "1e-6 0 0", Z), ("0.5 0 0", "0 0 0", Z))
    robot = chain(*joints, exact=True)
    assert [frame.name for frame in robot.frames] == ["j1", "j2_before", "j2", "j3"]
    assert [frame.ant for frame in robot.frames] == [0, 1, 2, 3]
    assert robot.frame(2).sigma == JointType.FIXED
    assert any("parallel except for round-off: j2 (1.0e-06 rad)" in note for note in robot.notes)
    assert [frame.name for frame in chain(*joints).frames] == ["j1", "j2", "j3"]


def test_nearly_parallel_axes_that_meet_need_none() -> None:
    robot = chain(("0 0 0", "0 0 0", Z), ("0 0 0", "1e-6 0 0", Z), exact=True)
    assert [frame.name for frame in robot.frames] == ["j1", "j2"]
    assert float(row(robot, 2)[2]) == pytest.approx(1e-6)


def test_a_right_angle_from_two_fixed_rotations_is_exact() -> None:
    """Check that 60 and 30 degrees on two fixed joints give an exact right angle."""
    text = (
        '<robot><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="f" type="fixed"><parent link="a"/><child link="b"/><origin rpy="1.0472 0 0"/></joint>'
        '<joint name="j" type="continuous"><parent link="b"/><child link="c"/><origin rpy="0.5236 0 0"/>'
        '<axis xyz="0 0 1"/></joint></robot>'
    )
    assert row(read_urdf(text), 1)[2] == "pi/2"


# -- numbers


@given(st.floats(-1e9, 1e9))
def test_texts_of_numbers_are_those_of_formulas(value: float) -> None:
    assert number_formula(value) == formula(value)


@given(st.tuples(*[st.floats(-3.1, 3.1)] * 6))
def test_six_parameters_of_a_placement(values: tuple[float, ...]) -> None:
    place = Six(*values).pose()
    result = six(place, 10.0)
    if abs(math.sin(values[2])) > 1e-3:
        turned, moved = difference(result.pose(), place)
        assert turned < 1e-11 and moved < 1e-9


@given(st.tuples(*[st.floats(-4, 4) | st.sampled_from([math.pi / 2, -math.pi / 2, 0.0, math.pi])] * 3))
def test_roll_pitch_yaw_and_back(rpy: tuple[float, float, float]) -> None:
    R = from_rpy(rpy)
    turned, _ = difference(Pose(from_rpy(to_rpy(R))), Pose(R))
    assert turned < 4e-15


def test_round_off_is_cleared() -> None:
    assert clean(0.1 + 0.2, 1e-13) == 0.3
    assert clean(1e-14, 1e-13) == 0.0
    assert clean(0.12345678901234568, 1e-13) == 0.12345678901234568
