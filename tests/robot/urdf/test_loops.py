"""Loops of a URDF: <loop_joint>, and SDF's <joint> inside <gazebo>."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import fsolve

import symoro
from symoro.errors import FormatError, SymoroError
from symoro.robot.formats.urdf import read_urdf
from symoro.ui.cli import main

CRANK, COUPLER, ROCKER, GROUND = 0.2, 0.45, 0.35, 0.5
MASS = {"crank": 1.0, "coupler": 2.0, "rocker": 1.5}
CENTRE = {"crank": 0.1, "coupler": 0.2, "rocker": 0.15}


def _closed(angle: float, start: tuple[float, float] = (0.5, 1.3)) -> np.ndarray:
    """Absolute angles of coupler and rocker of the planar four-bar, by its own loop equation."""

    def gap(x: np.ndarray) -> list[float]:
        ends = CRANK * np.exp(1j * angle) + COUPLER * np.exp(1j * x[0]) - GROUND - ROCKER * np.exp(1j * x[1])
        return [ends.real, ends.imag]

    return fsolve(gap, start, xtol=1e-13)


ZERO = 0.9  # rad: the absolute angle of the crank at joint position 0
COUPLER_0, ROCKER_0 = _closed(ZERO)


def four_bar(closing: str, extra: str = "", scale: float = 1.0) -> str:
    """A four-bar in the plane x z; a positive rotation about y lowers the x axis, so angles are negative."""
    links = "".join(
        f'<link name="{name}"><inertial><mass value="{MASS[name]}"/><origin xyz="{scale * CENTRE[name]} 0 0"/>'
        '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>'
        for name in MASS
    )
    return f"""<robot name="fourbar"><link name="base"/>{links}
      <joint name="j1" type="continuous"><parent link="base"/><child link="crank"/><axis xyz="0 1 0"/>
        <origin rpy="0 {-ZERO} 0"/></joint>
      <joint name="j2" type="continuous"><parent link="crank"/><child link="coupler"/><axis xyz="0 1 0"/>
        <origin xyz="{scale * CRANK} 0 0" rpy="0 {ZERO - COUPLER_0} 0"/></joint>
      <joint name="j3" type="continuous"><parent link="base"/><child link="rocker"/><axis xyz="0 1 0"/>
        <origin xyz="{scale * GROUND} 0 0" rpy="0 {-ROCKER_0} 0"/></joint>
      {closing}{extra}</robot>"""


def loop_joint(scale: float = 1.0) -> str:
    return f"""<loop_joint name="j4" type="continuous"><link1 link="coupler" xyz="{scale * COUPLER} 0 0"/>
      <link2 link="rocker" xyz="{scale * ROCKER} 0 0"/><axis xyz="0 1 0"/></loop_joint>"""


def gazebo(scale: float = 1.0) -> str:
    return f"""<gazebo><joint name="j4" type="revolute"><parent>rocker</parent><child>coupler</child>
      <pose>{scale * COUPLER} 0 0 0 0 0</pose><axis><xyz>0 1 0</xyz></axis></joint></gazebo>"""


MOTOR = '<transmission name="t"><joint name="j1"/><actuator name="m"/></transmission>'
CONTROL = '<ros2_control name="c"><joint name="j1"><command_interface name="effort"/></joint></ros2_control>'


def _potential(angle: float, scale: float) -> float:
    """The potential energy of the four-bar with the crank at an absolute angle."""
    coupler, rocker = _closed(angle, (COUPLER_0, ROCKER_0))
    heights = {
        "crank": CENTRE["crank"] * np.sin(angle),
        "coupler": CRANK * np.sin(angle) + CENTRE["coupler"] * np.sin(coupler),
        "rocker": CENTRE["rocker"] * np.sin(rocker),
    }
    return 9.81 * scale * sum(MASS[name] * height for name, height in heights.items())


@pytest.mark.parametrize("scale", [1.0, 1e-3])
@pytest.mark.parametrize("closing", [loop_joint, gazebo])
def test_the_loop_is_closed_as_the_file_describes(closing: object, scale: float) -> None:
    """The gravity torque of the crank is the derivative of the potential energy of the closed mechanism."""
    robot = read_urdf(four_bar(closing(scale), MOTOR, scale))  # type: ignore[operator]
    assert robot.B == 1
    assert [j for j in range(1, robot.NL + 1) if robot.frame(j).mu] == [1]
    assert robot.postures["home"] == (0.0, 0.0, 0.0)
    f = symoro.generate(robot, "gravity-torques").function()
    geometry = symoro.generate(robot, "loop-geometry").function()
    for crank in (0.0, 0.2, -0.3):
        solutions = geometry(qa=[crank])
        angle = ZERO - crank
        coupler, rocker = _closed(angle, (COUPLER_0, ROCKER_0))
        expected = np.array([crank, (angle - coupler) - (ZERO - COUPLER_0), ROCKER_0 - rocker])
        rows = solutions["q"][solutions["status"] == 0]
        apart = np.abs(np.angle(np.exp(1j * (rows - expected)))).max(axis=1)
        assert apart.min() < 1e-8
        step = 1e-5
        slope = (_potential(angle - step, scale) - _potential(angle + step, scale)) / (2 * step)
        np.testing.assert_allclose(f(q=rows[apart.argmin()])["Q"], [slope], rtol=1e-7)


def test_active_joints_come_from_the_file_or_the_user(tmp_path: Path) -> None:
    def active(robot: symoro.Robot) -> list[str]:
        return [frame.name for frame in robot.frames if frame.mu]

    assert active(read_urdf(four_bar(loop_joint(), CONTROL))) == ["j1"]
    assert active(read_urdf(four_bar(loop_joint(), MOTOR), actuated="j3")) == ["j3"]
    without = read_urdf(four_bar(loop_joint()))
    assert any("option 'actuated'" in note for note in without.notes)
    with pytest.raises(SymoroError, match="active"):
        symoro.generate(without, "inverse-dynamics")
    path = tmp_path / "fourbar.urdf"
    path.write_text(four_bar(loop_joint()), encoding="utf-8")
    assert main(["generate", "inverse-dynamics", str(path), "--actuated", "j1"]) == 0
    assert main(["generate", "inverse-dynamics", str(path), "--actuated", "j7"]) == 2


@pytest.mark.parametrize(
    ("closing", "message"),
    [
        (gazebo().replace("revolute", "ball"), "of type 'ball'"),
        (gazebo().replace("rocker", "nothing"), "refers to the link 'nothing'"),
        (gazebo().replace("<pose>", '<pose relative_to="base">'), "relative_to = 'base'"),
        (gazebo().replace("<xyz>0 1 0", "<xyz>0 0 0"), "zero length"),
        (gazebo().replace("0 0 0 0 0</pose>", "0</pose>"), "expected 6 numbers"),
        (
            gazebo().replace("<axis>", "<axis><use_parent_model_frame>1</use_parent_model_frame>"),
            "model frame",
        ),
        (loop_joint().replace('<link2 link="rocker"', '<link3 link="rocker"'), "has no link2"),
        (loop_joint().replace("j4", "j1"), "the name 'j1' is used for a second joint"),
    ],
)
def test_loops_that_cannot_be_read_are_rejected_with_their_place(closing: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read_urdf(four_bar(closing), "file.urdf")
    assert "file.urdf:" in str(caught.value)


def test_gazebo_properties_of_a_joint_do_not_close_a_loop() -> None:
    text = '<gazebo reference="j1"><joint name="x"><physics/></joint><springStiffness>3</springStiffness></gazebo>'
    assert read_urdf(four_bar("", text)).B == 0
