"""Friction that depends on speed and load, and coupled motors, in robot files."""

from __future__ import annotations

import pytest

import symoro
from symoro.errors import FormatError, RobotError
from symoro.expr.formula import formula
from symoro.robot.consistency import data_warnings
from symoro.robot.description import CoupledMotor, Robot
from symoro.robot.formats import dumps, loads

TEXT = """symoro: 1
name: wrist
frames:
  - {alpha: pi/2, name: bend, link: {M: 1}, drive: {FS: 0.2, FB: FB1, VS: 0.1}}
  - {alpha: pi/2, link: {M: 1}, drive: {FL: 1/8}}
motors:
  - {joint: 2, turns_with: {bend: 1/3}, IAM: IAM2, FVM: 0.1, FSM: 0.2}
"""


def wrist() -> Robot:
    return loads(TEXT, "yaml")


def test_files_keep_all_terms() -> None:
    robot = wrist()
    assert robot.motors == (CoupledMotor(2, ((1, formula("1/3")),), *map(formula, ("IAM2", 0.1, 0.2))),)
    assert (robot.frame(1).FB.text, robot.frame(1).VS.number, robot.frame(2).FL.number) == ("FB1", 0.1, 0.125)
    assert loads(dumps(robot, "yaml"), "yaml") == robot
    assert set(robot.symbols()) >= {"FB1", "IAM2"}
    named = robot.symbolic(friction=True, inertia=True)
    assert set(named.symbols()) >= {"FS1", "FB1", "VS1", "FL2", "IAM2", "FVM2", "FSM2"}
    assert dict(named.nominal)["FSM2"] == 0.2
    assert robot.bind({"IAM2": 0.5}).motors[0].IAM.number == 0.5
    assert "coupled motors" in str(robot)


@pytest.mark.parametrize(
    "before, after, match",
    [
        ("VS: 0.1", "VS: 0", "no Stribeck velocity"),
        (", VS: 0.1", "", "no Stribeck velocity"),
        ("VS: 0.1", "VS: -1", "no Stribeck velocity"),
        ("FL: 1/8", "FL: 1", "self-locking"),
        ("FL: 1/8", "FL: -1", "self-locking"),
        ("{bend: 1/3}", "{3: 1}", "not a joint"),
        ("{bend: 1/3}", "{2: 1}", "more than once"),
        ("turns_with: {bend: 1/3}, ", "", "turns_with"),
        ("{joint: 2, ", "{", "'joint' of the coupled motor is missing"),
        ("IAM: IAM2", "IAN: IAM2", "IAN"),
    ],
)
def test_wrong_files_are_rejected(before: str, after: str, match: str) -> None:
    assert before in TEXT
    with pytest.raises(FormatError, match=match):
        loads(TEXT.replace(before, after), "yaml")


def test_wrong_descriptions_are_rejected() -> None:
    with pytest.raises(RobotError, match="more than one coupled motor"):
        wrist().replace(motors=wrist().motors * 2)
    with pytest.raises(RobotError, match="turns with no other joint"):
        wrist().replace(motors=(CoupledMotor(1),))
    assert wrist().with_frame(2, FL=0.999).frame(2).FL.number == 0.999


def test_improbable_numbers_give_warnings() -> None:
    robot = wrist().with_frame(1, FB=-1).with_frame(2, FL="FL2").bind({"IAM2": -1})
    lines = " ".join(data_warnings(robot.replace(nominal=(("FL2", 1.5),))))
    assert "FB = -1 is negative" in lines and "IAM = -1 is negative" in lines and "self-locking" in lines
    assert not any("FB" in line or "IAM" in line for line in data_warnings(wrist()))


@pytest.mark.parametrize("fmt", ["par", "urdf"])
def test_other_formats_reject_what_they_would_lose(fmt: str) -> None:
    plain = symoro.load("rx90" if fmt == "par" else "ur5e")
    for changed, words in (
        (plain.with_frame(1, FB=1, VS=0.1), "Stribeck friction"),
        (plain.with_frame(1, FL=0.1), "load-dependent friction"),
        (plain.replace(motors=(CoupledMotor(2, ((1, formula(1)),)),)), "coupled motors"),
    ):
        with pytest.raises(FormatError, match=words):
            dumps(changed, fmt)
