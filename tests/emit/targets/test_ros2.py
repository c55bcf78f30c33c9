"""Files of the ROS 2 package: escaped names, configuration, missing numbers. tests/bridges builds and runs them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

import symoro
from symoro.errors import ArgumentError, OptionError
from symoro.files import is_ours, write_folder

HOSTILE = '../x*/ "; } ??/ \\\n <a> & --> ü'


def hostile_robot() -> symoro.Robot:
    robot = symoro.load("ur5e")
    frames = (replace(robot.frames[0], name=HOSTILE), *robot.frames[1:])
    return replace(robot, name=HOSTILE, frames=frames)


def test_names_are_escaped(tmp_path: Path) -> None:
    files = symoro.generate(hostile_robot(), "inverse-geometry").export("ros2", name="Arm")
    assert all(".." not in path for path in files)
    for path in ("package.xml", "arm_kinematics.xml"):
        ElementTree.fromstring(str(files[path]))
    settings = yaml.safe_load(str(files["config/arm.yaml"]))["arm"]["ros__parameters"]
    assert settings["joint_names"][0] == HOSTILE
    assert "\\012 <a> & --> \\303\\274" in str(files["include/arm/arm_ports.hpp"])
    for path in write_folder(tmp_path, files):
        assert is_ours(path), path


def test_plugin_is_part_of_inverse_geometry_of_serial_robots_only() -> None:
    assert not any("kinematics" in path for path in symoro.generate("ur5e", "fast-geometry").export("ros2"))


def test_wrong_input() -> None:
    robot = symoro.load("planar2r")
    model = symoro.generate(replace(robot, nominal=type(robot.nominal)()), "inverse-dynamics")
    with pytest.raises(ArgumentError, match=r"a number for every parameter.*D2"):
        model.export("ros2")
    with pytest.raises(OptionError, match="no option 'scalar'"):
        symoro.generate("ur5e", "fast-geometry").export("ros2", scalar="float")
