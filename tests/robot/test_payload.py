"""`Robot.with_payload` against a body fixed by hand, against Pinocchio, and with symbols."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, OptionError, UnknownNameError
from symoro.expr.formula import ZERO, formula
from symoro.robot.description import Frame, JointType, Link, Placement, Robot, Tool
from symoro.robot.formats import dumps

COM = [0.02, -0.03, 0.07]
INERTIA = [[0.011, 0.001, -0.002], [0.001, 0.012, 0.003], [-0.002, 0.003, 0.009]]
PLACE = {"gamma": 0.3, "b": 0.1, "alpha": -0.7, "d": 0.05, "theta": 0.4, "r": 0.2}
CLOSE = 1e-11


def arm() -> Robot:
    """Return the PUMA 560 without friction and rotors, its tool frame displaced and rotated."""
    robot = symoro.load("puma560")
    frames = tuple(replace(frame, FV=ZERO, FS=ZERO, FO=ZERO, IA=ZERO) for frame in robot.frames)
    place = {name: formula(value) for name, value in PLACE.items()}
    robot = robot.replace(frames=frames, tool=Tool(Placement(6, **place)))
    return robot.with_link(
        1, mass=5, com=[0.1, 0, 0.2], inertia=[0.1, 0.2, 0.3]
    )  # symbols in the description


def motion(count: int = 6) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    return {name: rng.uniform(-1, 1, (20, count)) for name in ("q", "qd", "qdd")}


def torques(robot: Robot) -> Any:
    return symoro.generate(robot, "inverse-dynamics").function()(**motion())["tau"]


def test_a_payload_at_the_tool_equals_a_body_on_a_fixed_frame() -> None:
    robot = arm()
    place = {name: formula(value) for name, value in PLACE.items()}
    frame = Frame(6, JointType.FIXED, mu=False, **place)
    by_hand = robot.replace(frames=(*robot.frames, frame), links=(*robot.links, Link()), tool=None)
    by_hand = by_hand.with_link(7, mass=2.5, com=COM, inertia=INERTIA)
    loaded = robot.with_payload(mass=2.5, com=COM, inertia=INERTIA)
    assert np.abs(torques(loaded) - torques(by_hand)).max() < CLOSE
    assert np.abs(torques(loaded) - torques(robot)).max() > 1


def test_a_payload_at_the_tool_agrees_with_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    robot = arm()
    model = pin.buildModelFromXML(dumps(robot, "urdf"))
    frame = model.frames[model.getFrameId(robot.tool.name)]
    body = pin.Inertia(2.5, np.array(COM), np.array(INERTIA))
    model.appendBodyToJoint(frame.parentJoint, body, frame.placement)
    data, given = model.createData(), motion()
    expected = np.array([pin.rnea(model, data, *row) for row in zip(*given.values(), strict=True)])
    assert np.abs(torques(robot.with_payload(2.5, COM, INERTIA)) - expected).max() < 1e-9


def test_a_payload_on_a_link_equals_a_payload_at_a_tool_frame_on_it() -> None:
    robot = arm()
    at_tool = robot.replace(tool=Tool(Placement(3))).with_payload(1.5, COM, INERTIA)
    assert np.abs(torques(robot.with_payload(1.5, COM, INERTIA, link=3)) - torques(at_tool)).max() < CLOSE


def test_payloads_add_up() -> None:
    robot = arm()
    twice = robot.with_payload(1, COM).with_payload(2, COM)
    assert np.abs(torques(twice) - torques(robot.with_payload(3, COM))).max() < CLOSE


def test_a_robot_without_a_tool_frame_carries_it_at_the_last_link() -> None:
    robot = symoro.load("rx90")
    loaded = robot.with_payload(mass="MP", com=[0, 0, "LP"])
    assert robot.tool is None and loaded.tool == Tool(Placement(6))
    assert {"MP", "LP"} <= set(symoro.generate(loaded, "inverse-dynamics").parameters)
    pose = symoro.generate(loaded, "fast-geometry")
    assert pose.count() == symoro.generate(robot, "fast-geometry").count()


def test_wrong_payloads_are_rejected() -> None:
    robot = arm()
    with pytest.raises(ArgumentError, match="mass of the payload is -1 kg"):
        robot.with_payload(mass=-1)
    with pytest.raises(OptionError, match="com: expected 3 values"):
        robot.with_payload(mass=1, com=[0, 1])
    with pytest.raises(UnknownNameError, match="no frame called 'hand'"):
        robot.with_payload(mass=1, link="hand")
    forked = symoro.load("planar3r").replace(tool=None).with_frame(3, ant=1)
    with pytest.raises(
        ArgumentError, match=r"2 terminal links[\s\S]*link=\.\.\.; the terminal links are 2, 3"
    ):
        forked.with_payload(mass=1)
    with pytest.raises(ArgumentError, match="flexible"):
        symoro.load("flexible2r").with_payload(mass=1, link=1)


URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><mass value="2"/><origin xyz="0.1 0 0"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="fore"><inertial><mass value="1"/><origin xyz="0 0.1 0.02"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.015" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
  <link name="flange"/>
  <joint name="j1" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.3" rpy="0.3 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
  <joint name="j2" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0.4 0.1 0" rpy="0 0.4 0.2"/>
    <axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
  <joint name="end" type="fixed"><parent link="fore"/><child link="flange"/>
    <origin xyz="0 0.3 0.1" rpy="0.5 0 0.7"/></joint>
</robot>"""


def with_body(urdf: str, link: str, mass: float, com: str, inertia: tuple[float, ...]) -> str:
    """Return the text of a URDF file with a body on a fixed joint at the frame of a link."""
    ixx, ixy, ixz, iyy, iyz, izz = inertia
    body = (
        f'<link name="load"><inertial><mass value="{mass}"/><origin xyz="{com}"/><inertia ixx="{ixx}" ixy="{ixy}" '
        f'ixz="{ixz}" iyy="{iyy}" iyz="{iyz}" izz="{izz}"/></inertial></link>'
        f'<joint name="held" type="fixed"><parent link="{link}"/><child link="load"/></joint></robot>'
    )
    return urdf.replace("</robot>", body)


@pytest.mark.parametrize("link", ["upper", "fore", "flange"])
def test_the_payload_of_a_urdf_link_is_given_in_the_frame_of_the_file(link: str, tmp_path: Path) -> None:
    """The frames of the file differ from those of the robot; a body in the file itself is the reference."""
    inertia = (0.01, 0.001, -0.002, 0.02, 0.003, 0.015)
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "loaded.urdf").write_text(with_body(URDF, link, 3.0, "0.05 -0.1 0.2", inertia))
    arm, loaded = (symoro.load(tmp_path / f"{name}.urdf") for name in ("arm", "loaded"))
    carried = arm.with_payload(mass=3, com=[0.05, -0.1, 0.2], inertia=inertia, link=link)
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, 2))
    expected, actual = (
        symoro.generate(robot, "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"]
        for robot in (loaded, carried)
    )
    assert np.allclose(actual, expected, rtol=1e-11)


def test_a_payload_without_a_frame_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    arm = symoro.load(tmp_path / "arm.urdf")
    with pytest.raises(ArgumentError, match=r"frame of the payload is not determined") as caught:
        arm.with_payload(mass=1)
    assert "link='flange'" in (caught.value.hint or "")
    with pytest.raises(ArgumentError, match=r"the frame of link 'fore' in the file is not a frame of robot"):
        symoro.generate(arm, "fast-geometry", to="fore")
    tool = symoro.load(tmp_path / "arm.urdf", tool="flange")
    symoro.generate(tool, "fast-geometry", to="flange")
    assert tool.with_payload(mass=1).payload is not None
