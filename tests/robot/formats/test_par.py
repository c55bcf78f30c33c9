"""Test reading and writing of SYMORO's .par files, and that both agree."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from symoro.errors import FormatError
from symoro.expr.formula import Formula, formula
from symoro.robot.description import BaseKind, Coupling, JointType, Limits, Link, Placement, Robot, Tool
from symoro.robot.formats.par import read_par
from symoro.robot.formats.par_write import write_par
from tests.robot.formats.samples import FLOATING, LOOP, MINIMAL, SERIAL, par_files
from tests.strategies import robots


@pytest.mark.parametrize("path", par_files())
def test_files_round_trip(path: Path) -> None:
    robot = read_par(path.read_text(encoding="utf-8"), str(path))
    assert robot.name == path.stem
    assert not robot.notes
    assert read_par(write_par(robot)) == robot


@pytest.mark.parametrize("text", [SERIAL, LOOP, FLOATING, MINIMAL])
def test_carried_files_round_trip(text: str) -> None:
    robot = read_par(text, "sample.par")
    again = read_par(write_par(robot), "sample.par")
    assert again == robot
    assert write_par(again) == write_par(robot)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(robots(plain=True))
def test_random_robots_round_trip(robot: Robot) -> None:
    assert read_par(write_par(robot)) == robot


def test_serial_file() -> None:
    robot = read_par(SERIAL)
    assert (robot.name, robot.NL, robot.NJ, robot.NF) == ("arm", 3, 3, 3)
    assert [f.sigma for f in robot.frames] == [JointType.REVOLUTE, JointType.PRISMATIC, JointType.REVOLUTE]
    assert [f.mu for f in robot.frames] == [True, True, False]
    assert robot.frame(3).theta == formula("-pi/2")
    assert robot.frame(2).r == Formula("RL2")
    assert robot.frame(1).r == Formula("r1"), "r of a revolute joint is a plain parameter"
    assert robot.frame(3).alpha == formula("-pi/2"), "the rounding of pi is undone"
    assert (robot.frame(3).eta, robot.frame(3).k) == (True, Formula("k3"))
    assert robot.frame(1).QP is None
    assert [str(robot.frame(2).QP), str(robot.frame(3).GAM)] == ["0", "5"]
    assert str(robot.link(3).XX) == "atan2(a, b)"
    assert [str(g) for g in robot.base.G] == ["0", "0", "-9.81"]
    assert robot.base.Z[3] == Formula("x")


def test_missing_arrays_have_the_defaults_of_symoro() -> None:
    robot = read_par(MINIMAL, "folder/two.par")
    assert robot.name == "two"
    assert [f.ant for f in robot.frames] == [0, 1]
    assert str(robot.link(2).XX) == "XX2"
    assert robot.link(2).FX.is_zero
    assert [str(robot.frame(1).IA), str(robot.frame(1).FS)] == ["IA1", "FS1"]
    assert robot.base.G[2] == Formula("G3")
    assert robot.frame(1).QP is None
    assert robot.frame(1).mu


def test_a_fixed_joint_has_no_symbolic_drive_by_default() -> None:
    robot = read_par("NL = 2\nsigma = {0,2}\ntheta = {th1,pi/3}\nQP = {QP1,0}\n")
    assert (robot.frame(2).IA.is_zero, robot.frame(2).QP) == (True, None)
    assert str(robot.link(2).M) == "M2"


def test_keys_in_any_case_and_arrays_over_lines() -> None:
    robot = read_par("nl = 2\nALPHA = {0,\n  Pi/2\n}\nXx = {A, B} (* a comment *)\n")
    assert robot.frame(2).alpha == formula("pi/2")
    assert str(robot.link(2).XX) == "B"


def test_a_tree_may_be_a_chain() -> None:
    assert read_par(SERIAL.replace("Type = 0", "Type = 1")) == read_par(SERIAL)


def test_windows_line_ends() -> None:
    assert read_par(SERIAL.replace("\n", "\r\n")) == read_par(SERIAL)


def test_loop() -> None:
    robot = read_par(LOOP)
    assert (robot.B, robot.frame(4).mu, robot.frame(5).sigma) == (1, False, JointType.FIXED)
    marked = read_par(LOOP.replace("Mu = {1,0,0,0,0}", "Mu = {1,0,0,1,0}"))
    assert marked == robot
    assert "joint 4" in marked.notes[0]


def test_moving_base_counts_links_from_zero() -> None:
    robot = read_par(FLOATING)
    assert robot.base.kind == BaseKind.FLOATING
    assert [str(robot.link(j).M) for j in (0, 1)] == ["M0", "M1"]
    assert [str(robot.link(0).XX), str(robot.link(0).FX)] == ["XX0", "FX0"]
    assert str(robot.frame(1).IA) == "IA1"
    wheeled = read_par(FLOATING.replace("is_floating", "is_mobile"))
    assert wheeled.base.kind == BaseKind.WHEELED


def test_moving_base_with_values_for_its_links_alone() -> None:
    robot = read_par(FLOATING.replace("{M0,M1}", "{M1}"))
    assert robot.base.link.M.is_zero
    assert any("M has no value for link 0" in note for note in robot.notes)


def test_drive_of_the_base_is_left_out_with_a_note() -> None:
    robot = read_par(FLOATING.replace("{0,IA1}", "{IA0,IA1}"))
    assert str(robot.frame(1).IA) == "IA1"
    assert robot.notes == ("IA0 = IA0 is ignored: the base has no joint",)


@pytest.mark.parametrize("written", ["th3", "t3", "q3", "pi/4 + th3", "2*q3 - q3", "(th3 + a) - a"])
def test_names_of_the_variable(written: str) -> None:
    robot = read_par(SERIAL.replace("q3 - pi/2", written))
    assert robot.frame(3).theta == (formula("pi/4") if "pi" in written else formula(0))


def test_a_variables_name_elsewhere_is_a_parameter_with_a_note() -> None:
    robot = read_par(SERIAL.replace("d = {0,D2", "d = {0,th1"))
    assert robot.frame(2).d == Formula("th1")
    assert "th1 in d of frame 2 is interpreted as a parameter" in robot.notes[0]


def test_omitted_data_are_listed() -> None:
    robot = read_par(SERIAL).replace(title="an arm", nominal=(("D2", 1.0),), tool=Tool(Placement(3)))
    robot = robot.with_frame(1, name="waist", limits=Limits(lower=-1.0))
    text = write_par(robot)
    assert "(* not kept: title, nominal values, tool frame, names of joints, joint limits *)" in text
    assert read_par(text) == read_par(SERIAL)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda r: r.with_frame(3, coupling=Coupling(((1, Formula("n")),)), GAM=None), "coupled joints"),
        (lambda r: r.with_frame(3, FO="f"), "friction offsets"),
        (lambda r: r.with_frame(3, rest="x0"), "rest positions"),
        (lambda r: r.replace(tool=Tool(Placement(3)), payload=Link(M=Formula("m"))), "the payload"),
    ],
)
def test_a_loss_that_changes_the_model_is_rejected(change: object, word: str) -> None:
    robot = change(read_par(SERIAL))  # type: ignore[operator]
    with pytest.raises(FormatError, match=word) as caught:
        write_par(robot)
    assert "lossy" in (caught.value.hint or "")
    assert word in write_par(robot, lossy=True)
    read_par(write_par(robot, lossy=True))


def test_offsets_that_use_names_of_variables() -> None:
    robot = read_par(SERIAL).with_frame(3, theta="th1")
    assert read_par(write_par(robot)) == robot, "joint 1 is then written with another of its names"
    with pytest.raises(FormatError, match="joint 3"):
        write_par(robot.with_frame(3, theta="2*q3"))


def test_a_name_that_no_comment_can_hold() -> None:
    text = write_par(read_par(SERIAL).replace(name="it's *) odd"))
    assert read_par(text).name == "it_s _ odd"
