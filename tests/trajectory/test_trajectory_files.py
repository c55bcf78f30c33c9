"""Trajectories from files: valid texts, and errors with their positions."""

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, FormatError, UnknownNameError
from symoro.tables import table_text
from symoro.trajectory.files import bundled, read_trajectory_text
from symoro.trajectory.samples import columns_of, read_table
from symoro.trajectory.trajectory import Circle, Fourier, Hold, Line, Move, Poses, Start, Trajectory, Via

HEAD = "symoro-trajectory: 1\n"

WHOLE = """\
symoro-trajectory: 1
name: all kinds
start: {pose: [0.5, 0.1, 0.3, 0, 90, 0], near: [0, 45, 0]}
frame: tool
pose: position
method: numeric
degrees: true
parts:
  - {joints: [90, 0, pi], law: trapezoidal, velocity: 90, acceleration: [180, 180, 360]}
  - {via: [[1, 2, 3], [4, 5, 6]], times: [0.5, 1]}
  - {fourier: {frequency: 0.5, sine: [[1], [2], [3]], cosine: [[0], [0], [0]], offset: [0, 0, 0]}, duration: 4}
  - {line: {to: [0.1, 0.2, 0.3]}, duration: 1}
  - {line: {by: [0, 0, 0.1]}, velocity: [0.2, 1], acceleration: 2}
  - {circle: {centre: [0, 0, 0.3], normal: [0, 0, 1], angle: 180, turning: true}, duration: 2}
  - {poses: [[0, 0, 0.1, 0, 0, 90]], times: [1]}
  - {hold: 0.5}
"""


def test_all_kinds_are_read_with_degrees_for_angles_alone():
    result = read_trajectory_text(WHOLE)
    a = np.pi / 180
    assert result.name == "all kinds" and result.frame == "tool" and result.pose == "position"
    assert isinstance(result.start, Start)
    assert result.start.pose == pytest.approx((0.5, 0.1, 0.3, 0, np.pi / 2, 0))
    assert result.start.near == pytest.approx((0, np.pi / 4, 0))
    move, via, fourier, line, by, circle, poses, hold = result.parts
    assert isinstance(move, Move) and move.to == pytest.approx((np.pi / 2, 0, np.pi * a))
    assert move.velocity == pytest.approx((np.pi / 2,)) and move.acceleration == pytest.approx(
        (np.pi, np.pi, 2 * np.pi)
    )
    assert isinstance(via, Via) and via.points[1] == pytest.approx((4 * a, 5 * a, 6 * a))
    assert isinstance(fourier, Fourier) and fourier.sine[2] == pytest.approx((3 * a,))
    assert isinstance(line, Line) and line.to == (0.1, 0.2, 0.3) and line.duration == 1
    assert isinstance(by, Line) and by.velocity == (0.2, 1) and by.acceleration == (2,)
    assert isinstance(circle, Circle) and circle.angle == pytest.approx(np.pi) and circle.turning
    assert isinstance(poses, Poses) and poses.poses[0][5] == pytest.approx(np.pi / 2)
    assert hold == Hold(0.5)


@pytest.mark.parametrize("name", bundled())
def test_bundled_trajectories_are_for_the_robot_of_their_name(name):
    assert len(symoro.trajectory.sampled(name, symoro.trajectory.load(name)).t) > 10


@pytest.mark.parametrize(
    "text, line, words",
    [
        ("", None, "contains no"),
        ("parts: [{hold: 1}]\n", 1, "symoro-trajectory: 1"),
        (HEAD + "start: [0]\n", 1, "at least one part"),
        (HEAD + "parts: [{hold: 1}]\n", 1, "start of the trajectory is missing"),
        (HEAD + "start: [0]\nparts:\n  - {hold: -1}\n", 4, "positive number"),
        (HEAD + "start: [0]\nparts:\n  - {hold: 1, duration: 2}\n", 4, "unknown key 'duration'"),
        (HEAD + "start: [0]\nparts:\n  - {joint: [1], duration: 2}\n", 4, "no key that gives its kind"),
        (
            HEAD + "start: [0]\nparts:\n  - {joints: [1], hold: 2}\n",
            4,
            "more than one key that gives its kind",
        ),
        (HEAD + "start: [0]\nparts:\n  - {joints: [a], duration: 1}\n", 4, "expected a number, got 'a'"),
        (HEAD + "start: [0]\nparts:\n  - {joints: 3, duration: 1}\n", 4, "expected a list"),
        (HEAD + "start: [0]\nparts:\n  - {joints: [1], duration: 1, law: cubic}\n", 4, "not one of quintic"),
        (HEAD + "start: [0]\nparts:\n  - {via: [[1], [2]], times: [1, 1]}\n", 4, "must increase"),
        (HEAD + "start: [0]\nparts:\n  - {via: [[1], [2]], times: [1]}\n", 4, "expected one per point"),
        (HEAD + "start: [0]\nparts:\n  - {line: {}, duration: 1}\n", 4, "requires either a pose"),
        (HEAD + "start: [0]\nparts:\n  - {line: {by: [1, 2]}, duration: 1}\n", 4, "expected 3 numbers"),
        (HEAD + "start: [0]\nparts:\n  - {line: {to: [1, 2]}, duration: 1}\n", 4, "3, 6 or 16 numbers"),
        (
            HEAD + "start: [0]\nparts:\n  - {circle: {centre: [0, 0, 0]}, duration: 1}\n",
            4,
            "'normal' is missing",
        ),
        (
            HEAD + "start: [0]\nparts:\n  - {circle: {centre: [0, 0, 0], normal: [0, 0, 0]}, duration: 1}\n",
            4,
            "must not be zero",
        ),
        (HEAD + "start: [0]\nparts: [{hold: 1}]\nmethod: magic\n", 4, "'magic' is not one of"),
        (HEAD + "start: [1e999]\nparts: [{hold: 1}]\n", 2, ""),
        (HEAD + "start: &a [0]\nparts: [{hold: 1}]\n", 2, "anchors"),
        (
            HEAD + "parts:\n  - {fourier: {frequency: 0, sine: [[1]], cosine: [[1]], offset: [0]}}\n",
            3,
            "frequency",
        ),
        (
            HEAD + "parts:\n  - {fourier: {frequency: 1, sine: [[1]], cosine: [[1, 2]], offset: [0]}}\n",
            3,
            "one row",
        ),
        (HEAD + "start: [0\n", None, "not valid YAML"),
        *(
            (HEAD + f"start: [0]\nparts:\n  - {{hold: 1}}\n  - {{{kind}{timing}}}\n", 5, words)
            for kind in (
                "joints: [1]",
                "line: {by: [0, 0, 1]}",
                "circle: {centre: [0, 0, 0], normal: [0, 0, 1]}",
            )
            for timing, words in [
                ("", "parts[2]: the duration of the move is not given"),
                (", duration: 0", "parts[2]: a duration of 0 s"),
                (", duration: -1", "parts[2]: a duration of -1 s"),
                (", duration: 1e9", "at most 1e+06"),
                (", velocity: 1", "parts[2]: the duration of the move is not given"),
                (
                    ", duration: 1, velocity: 1, acceleration: 1",
                    "parts[2]: a move has either a duration or limits",
                ),
                (", velocity: 0, acceleration: 1", "parts[2]: the largest velocity"),
                (", velocity: 1, acceleration: [1, -1]", "parts[2]: the largest acceleration"),
            ]
        ),
    ],
)
def test_errors_name_their_position(text, line, words):
    with pytest.raises(FormatError) as caught:
        read_trajectory_text(text, "path.yaml")
    assert words in caught.value.text()
    assert caught.value.place.file == "path.yaml"
    if line is not None:
        assert caught.value.place.line == line


def test_errors_of_several_parts_are_reported_together():
    parts = "  - {joints: [1], duration: 0}\n  - {hold: 1}\n  - {joints: [1]}\n"
    with pytest.raises(FormatError) as caught:
        read_trajectory_text(HEAD + "start: [0]\nparts:\n" + parts)
    assert (
        "duration of 0 s" in caught.value.text()
        and "the duration of the move is not given" in caught.value.text()
    )


@pytest.mark.parametrize(
    "start, part, line, words",
    [
        ("[0, 0]", "{hold: 1}", 2, "start: start: expected 3 numbers, got 2"),
        (
            "[0, 0, 0]",
            "{joints: [1, 2], duration: 1}",
            5,
            "parts[2]: to: expected 3 numbers (q1, q2, q3), got 2",
        ),
        (
            "[0, 0, 0]",
            "{joints: [1, 2, 3], velocity: [1, 1], acceleration: 1}",
            5,
            "velocity: expected 3 numbers",
        ),
        ("[0, 0, 0]", "{line: {by: [1, 0, 0]}, velocity: [1, 1, 1], acceleration: 1}", 5, "got 3"),
        (
            "[0, 1, 1]",
            "{line: {by: [9, 0, 0]}, duration: 1}",
            5,
            "parts[2]: the solution branch ends at t = 1.",
        ),
        ("[0, 0, 0]", "{via: [[1, 2]], times: [1]}", 5, "parts[2]: via: expected 3 numbers"),
    ],
)
def test_parts_that_do_not_fit_the_robot_are_reported_with_their_position(start, part, line, words):
    text = HEAD + f"start: {start}\nparts:\n  - {{hold: 1}}\n  - {part}\npose: planar\n"
    with pytest.raises(ArgumentError) as caught:
        symoro.trajectory.sampled("filip3r", read_trajectory_text(text, "path.yaml"))
    assert words in caught.value.text()
    assert (caught.value.place.file, caught.value.place.line) == ("path.yaml", line)
    assert caught.value.place.column in (1, 5)


def test_frozen_and_equal():
    one = Trajectory([Move([1, 2], duration=1)], [0, 0])
    assert one == Trajectory((Move((1.0, 2.0), duration=1.0),), (0.0, 0.0)) and hash(one)


@pytest.mark.parametrize("value", [np.nan, np.inf, "x", None])
def test_invalid_numbers_are_rejected(value):
    with pytest.raises(ArgumentError):
        Move((0.0, value), duration=1)


def test_a_word_in_place_of_numbers_is_rejected():
    with pytest.raises(ArgumentError):
        Move("abc", duration=1)
    with pytest.raises(ArgumentError):
        Hold("soon")


# -- tables


def test_a_table_gives_the_same_doubles_back():
    samples = symoro.trajectory.sampled("filip3r", symoro.trajectory.load("filip3r"), step=0.05)
    again = read_table(table_text(columns_of(samples)))
    assert again.joints == samples.joints
    for name in ("t", "q", "qd", "qdd"):
        assert (getattr(again, name) == getattr(samples, name)).all()


def test_positions_alone_get_their_rates_from_a_spline():
    t = np.linspace(0, 2 * np.pi, 300)
    text = "t,q1,remark\n" + "".join(f"{x!r},{float(np.sin(x))!r},fine\n" for x in t.tolist())
    samples = read_table(text)
    assert np.abs(samples.qd[:, 0] - np.cos(t)).max() < 1e-5


@pytest.mark.parametrize("sign", [",", ";", "\t", " ; "])
def test_the_separator_is_determined_from_the_header(sign):
    rows = ["# made by hand, today", "t~q1~note", "0~1~a", "0.5~2~b", "1~4~c"]
    samples = read_table("\n".join(rows).replace("~", sign))
    assert samples.t.tolist() == [0, 0.5, 1] and samples.q[:, 0].tolist() == [1, 2, 4]


def test_decimal_commas_are_reported():
    with pytest.raises(FormatError, match="decimal point") as caught:
        read_table("t;q1\n0;1\n0,5;2\n", "log.csv")
    assert caught.value.place.line == 3


@pytest.mark.parametrize(
    "text, line, words",
    [
        ("", None, "no rows"),
        ("t,q1\n", None, "no rows"),
        ("s,q1\n0,1\n", None, "'t' is missing"),
        ("t,x\n0,1\n", None, "'q1' is missing"),
        ("t,q1,q2,qd1,qd2,qdd1\n0,1,1,1,1,1\n", None, "'qdd2' is missing"),
        ("t,q1,qd1,qdd1,qdd2\n0,1,1,1,1\n", None, "'qd2' is missing"),
        ("t,q1,qd1,qd2\n0,1,1,1\n", None, "'q2' is missing"),
        ("t,q1,qdd1\n0,1,1\n", None, "columns 'qd...' are missing"),
        (
            "t,q1,qd1\n0,1,1\n1,1,1\n",
            None,
            "positions and velocities without accelerations require at least 3 rows",
        ),
        ("t,q1,q1\n0,1,1\n", 1, "twice"),
        ("t,q1\n0,1\n1,nan\n", 3, "not a finite"),
        ("t,q1\n0,1\n1,inf\n", 3, "not a finite"),
        ("t,q1\n0,1\n# a remark\n1\n", 4, "1 values, but the first line has 2"),
        ("t,q1\n0,1\n1,x\n", 3, "expected a number, got 'x'"),
        ("t,q1\n0,1\n2,1\n1,1\n", 4, "times must increase: 1 s follows 2 s"),
        ("t,q1\n0,1\n0,1\n", 3, "times must increase"),
        ("t,q1\n0,1\n1,1\n", None, "at least 3 rows"),
    ],
)
def test_invalid_tables_are_reported_with_the_line(text, line, words):
    with pytest.raises(FormatError) as caught:
        read_table(text, "log.csv")
    assert words in caught.value.text() and caught.value.place.file == "log.csv"
    assert caught.value.place.line == line


def test_names_and_files_that_are_not_there(tmp_path):
    with pytest.raises(UnknownNameError, match="filip3r"):
        symoro.trajectory.load("filip3")
    with pytest.raises(FormatError, match="cannot be read"):
        symoro.trajectory.load(tmp_path / "none.yaml")
    (tmp_path / "odd.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FormatError, match="UTF-8"):
        symoro.trajectory.load(tmp_path / "odd.csv")
