"""Test wheels in a description: reading, writing, binding, errors."""

from __future__ import annotations

from dataclasses import replace

import pytest

import symoro
from symoro.errors import FormatError, RobotError
from symoro.expr.formula import formula
from symoro.robot.description import BaseKind, Robot
from symoro.robot.formats import dumps, loads
from symoro.robot.wheels import Wheel, WheelKind

HEAD = """symoro: 1
name: cart
base: {kind: wheeled}
frames:
  - {ant: 0, name: right, b: rw, alpha: -pi/2, r: -0.3}
  - {ant: 0, name: left, b: rw, alpha: -pi/2, r: 0.3}
  - {ant: 0, name: pivot, b: rw, d: 0.5}
  - {ant: 3, name: front, alpha: -pi/2, d: -E}
  - {ant: 3, name: front2, alpha: -pi/2}
  - {ant: 0, joint: prismatic}
  - {ant: 6, alpha: -pi/2}
  - {ant: 0, joint: prismatic, alpha: pi/2}
  - {ant: 0, joint: fixed}
"""
WHEELS = "wheels:\n  - {frame: right, kind: fixed, radius: rw}\n  - "


def read(wheel: str, head: str = HEAD) -> Robot:
    return loads(head + WHEELS + wheel + "\n", "yaml")


def test_wheels_are_read() -> None:
    robot = read("{frame: front, kind: castor, radius: rw, steering: pivot}")
    assert robot.wheels == (
        Wheel(1, WheelKind.FIXED, formula("rw")),
        Wheel(4, WheelKind.CASTOR, formula("rw"), steering=3),
    )
    swedish = read("{frame: 2, kind: swedish, radius: 0.1, roller: 0.7853981633974483}").wheels[1]
    assert (swedish.kind, swedish.roller) == (WheelKind.SWEDISH, formula("pi/4"))


@pytest.mark.parametrize(
    "name",
    ["diffdrive", "car", "car_ackermann", "mecanum", "omni3", "one_steering", "two_steering", "tricycle"],
)
def test_wheels_are_written_and_read_back(name: str) -> None:
    robot = symoro.load(name)
    text = dumps(robot, "yaml")
    again = loads(text, "yaml")
    assert again == robot and again.wheels
    assert dumps(again, "yaml") == text


def test_wheels_from_rows() -> None:
    """Check rows with degrees, including the angles of the rollers."""
    row = {"ant": 0, "b": 0.1, "alpha": -90, "r": 0.3}
    wheels = [{"frame": 1, "kind": "swedish", "radius": 0.1, "roller": 45}]
    robot = Robot.from_dh([row], "kk", degrees=True, base={"kind": "wheeled"}, wheels=wheels)
    assert robot.wheels[0].roller == formula("pi/4")


def test_other_conventions_are_for_serial_robots() -> None:
    text = "symoro: 1\nname: a\nconvention: craig\nbase: {kind: wheeled}\nframes:\n  - {}\nwheels:\n"
    with pytest.raises(FormatError, match="craig describes serial robots only"):
        loads(text + "  - {frame: 1, kind: fixed, radius: 1}\n", "yaml")


def test_numbers_go_into_wheels() -> None:
    car = symoro.load("car")
    assert "rw" in car.symbols()
    bound = car.bind({"rw": 0.4, "L": 2})
    assert [w.radius for w in bound.wheels] == [formula(0.4)] * 2 and not bound.symbols()


def test_a_par_file_cannot_hold_them() -> None:
    with pytest.raises(Exception, match="the wheels"):
        dumps(symoro.load("car"), "par")
    lossy = loads(dumps(symoro.load("car"), "par", lossy=True), "par")
    assert lossy.base.kind == BaseKind.WHEELED and not lossy.wheels


def test_tables_show_them() -> None:
    shown = str(symoro.load("car_ackermann"))
    assert "wheels" in shown and "follows" in shown and "steering" in shown


@pytest.mark.parametrize(
    ("wheel", "message"),
    [
        ("{kind: fixed, radius: 1}", "'frame' of the wheel is missing"),
        ("{frame: 2, radius: 1}", "'kind' of the wheel is missing"),
        ("{frame: 2, kind: fixed}", "'radius' of the wheel is missing"),
        ("{frame: 2, kind: fixed, radius: 0}", "radius is 0; expected a positive length"),
        ("{frame: 2, kind: fixed, radius: -0.1}", "radius is -0.1; expected a positive length"),
        ("{frame: 2, kind: fixed, radius: 1e40}", "too large"),
        ("{frame: 2, kind: fixed, radius: 1/0}", "radius"),
        ("{frame: 2, kind: round, radius: 1}", "'round' is not one of fixed, steering, castor, swedish"),
        ("{frame: wheel, kind: fixed, radius: 1}", "expected a frame, 0 to 9, got 'wheel'"),
        ("{frame: 12, kind: fixed, radius: 1}", "expected a frame, 0 to 9, got '12'"),
        ("{frame: 0, kind: fixed, radius: 1}", "frame 0 does not exist"),
        ("{frame: 1, kind: fixed, radius: 1}", "wheels 1 and 2 are both attached to frame 1"),
        ("{frame: 6, kind: fixed, radius: 1}", "the joint of a wheel must be revolute"),
        ("{frame: 9, kind: fixed, radius: 1}", "the joint of a wheel must be revolute"),
        ("{frame: 2, kind: fixed, radius: 1, spin: 3}", "unknown key 'spin'"),
        ("{frame: 2, kind: fixed, radius: 1, steering: 3}", "cannot have 'steering'"),
        ("{frame: 2, kind: fixed, radius: 1, roller: 0.3}", "has no rollers"),
        ("{frame: 2, kind: swedish, radius: 1}", "'roller', the angle of the roller axes"),
        ("{frame: 2, kind: swedish, radius: 1, roller: pi/2}", "do not permit rolling"),
        ("{frame: 4, kind: steering, radius: 1}", "requires 'steering'"),
        (
            "{frame: 2, kind: steering, radius: 1, steering: 3}",
            "joint 3 is not between the base and this wheel",
        ),
        (
            "{frame: 2, kind: steering, radius: 1, steering: 2}",
            "joint 2 is not between the base and this wheel",
        ),
        ("{frame: 4, kind: steering, radius: 1, steering: 3}", "passes its centre at a distance"),
        ("{frame: 5, kind: castor, radius: 1, steering: 3}", "horizontal distance from its steering axis"),
        ("{frame: 7, kind: steering, radius: 1, steering: 6}", "steering joint 6 must be revolute"),
        ("{frame: 7, kind: fixed, radius: 1}", "changes the height of the wheel"),
        ("{frame: 3, kind: fixed, radius: 1}", "its axle is not horizontal"),
        (
            "{frame: 5, kind: steering, radius: 1, steering: 3, follows: 3}",
            "expected one of the steering joints that do not follow another: none",
        ),
        ("{frame: 4, kind: castor, radius: 1, steering: 3, follows: 3}", "only a steering wheel can follow"),
    ],
)
def test_errors_are_reported(wheel: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(wheel)
    assert message in str(caught.value)


def test_a_wheel_that_leans() -> None:
    with pytest.raises(RobotError, match=r"its axle is not horizontal but inclined by 0\.1 rad"):
        symoro.load("diffdrive").with_frame(1, alpha="-pi/2 + 0.1")
    for lean in ("1e-3", "1e-6", "1e-8"):
        with pytest.raises(RobotError, match="not horizontal"):
            symoro.load("diffdrive").with_frame(1, alpha=f"-pi/2 + {lean}")
    with pytest.raises(RobotError, match=r"with symbols .*al.* it must hold for all their values"):
        symoro.load("diffdrive").with_frame(1, alpha="al")


def test_a_steering_axis_that_leans_or_misses() -> None:
    car = symoro.load("car")
    with pytest.raises(RobotError, match="its axle is not horizontal"):
        car.with_frame(2, alpha="0.2")
    turned = car.with_frame(2, alpha=0)
    assert turned.wheels == car.wheels
    for off in (1e-3, 1e-6, 1e-8):
        with pytest.raises(RobotError, match="a steering wheel turns about its centre"):
            car.with_frame(3, d=off)


def test_other_bases_have_no_wheels() -> None:
    car = symoro.load("car")
    with pytest.raises(RobotError, match="wheels require a wheeled base; the base of this robot is floating"):
        car.replace(base=replace(car.base, kind=BaseKind.FLOATING))


def test_a_robot_lifted_off_the_ground() -> None:
    lifted = symoro.load("car").floating()
    assert lifted.base.kind == BaseKind.FLOATING and lifted.wheels == ()


def test_a_wheeled_base_is_upright_and_its_motion_is_not_prescribed() -> None:
    car = symoro.load("car")
    text = ["0", "0", "1", "0", "0", "1", "0", "0", "-1", "0", "0", "0", "0", "0", "0", "1"]
    with pytest.raises(RobotError, match="must be vertical"):
        car.replace(base=replace(car.base, Z=tuple(map(formula, text))))
    lifted = ["0", "-1", "0", "3", "1", "0", "0", "0", "0", "0", "1", "h", "0", "0", "0", "1"]
    assert car.replace(base=replace(car.base, Z=tuple(map(formula, lifted)))).wheels
    velocity = (formula("VX"), formula(0), formula(0))
    with pytest.raises(RobotError, match="its velocity and acceleration cannot be prescribed"):
        car.replace(base=replace(car.base, V0=velocity))


def test_a_follower_is_passive() -> None:
    with pytest.raises(RobotError, match="the steering joint of this wheel must be passive"):
        symoro.load("car_ackermann").with_frame(7, mu=True)


def test_wheels_off_the_ground_give_warnings() -> None:
    from symoro.robot.consistency import data_warnings

    car = symoro.load("car")
    assert not data_warnings(car)
    (line,) = data_warnings(car.with_frame(1, b=0.25))
    assert "wheel 1" in line and "0.05" in line and "below the ground" in line
    lifted = ["1", "0", "0", "0", "0", "1", "0", "0", "0", "0", "1", "0.1", "0", "0", "0", "1"]
    first, second = data_warnings(car.replace(base=replace(car.base, Z=tuple(map(formula, lifted)))))
    assert "above the ground" in first and "wheel 2" in second


def test_par_robots_with_a_mobile_base_load_as_before() -> None:
    text = dumps(symoro.load("diffdrive"), "par", lossy=True)
    robot = loads(text, "par")
    assert robot.base.kind == BaseKind.WHEELED and robot.wheels == ()
