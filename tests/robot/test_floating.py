"""Test link 0: every reader and writer keeps it for a fixed base, and a floating base uses it."""

from __future__ import annotations

import pytest

import symoro
from symoro.robot.description import INERTIAL, ZERO3, BaseKind, Robot
from symoro.robot.formats import dumps, loads

URDF = """
<robot name="one"><link name="root"><inertial><origin xyz="0.1 0 0"/><mass value="3"/>
<inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="root"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>
"""


def with_base() -> Robot:
    return symoro.load("planar2r").with_link(0, mass=2, com=[0.1, 0, 0], inertia=[0.1, 0.2, 0.3])


def test_a_urdf_keeps_its_root() -> None:
    robot = loads(URDF, "urdf")
    assert robot.base.kind == BaseKind.FIXED
    assert (robot.link(0).M.text, robot.link(0).MX.number) == ("3", pytest.approx(0.3))
    assert any("mass of 3 kg has no effect" in note for note in robot.notes)
    assert robot.floating().link(0) == robot.link(0)


@pytest.mark.parametrize("fmt", ["yaml", "par"])
def test_files_keep_the_link_of_a_fixed_base(fmt: str) -> None:
    robot = with_base()
    again = loads(dumps(robot, fmt), fmt)
    assert again.base.kind == BaseKind.FIXED
    assert all(getattr(again.link(0), name) == getattr(robot.link(0), name) for name in INERTIAL)


def test_a_robot_made_to_float() -> None:
    robot = symoro.load("rx90").replace()
    moved = robot.replace(base=symoro.load("rx90_floating").base)
    free = moved.floating()
    assert free.base.kind == BaseKind.FLOATING
    assert (free.base.V0, free.base.W0) == (ZERO3, ZERO3)
    assert with_base().floating().link(0) == with_base().link(0)
    assert "0" in str(with_base())
