"""Test the warnings about inertial parameters that no rigid body can have."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symoro
from symoro.robot import formats, library
from symoro.robot.consistency import body_warnings, data_warnings, warnings
from symoro.ui.cli import main

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0.1 0 0"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <link name="cap"><inertial><mass value="1"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="j1" type="continuous"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3" rpy="0 0 0"/><axis xyz="0 0 1"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="cap_joint" type="fixed"><parent link="upper"/><child link="cap"/></joint>
  <gazebo reference="upper"><inertail/></gazebo>
</robot>
"""


def file_warnings(text: str) -> list[str]:
    return warnings(formats.loads(text, "urdf"))


def test_a_sound_file_gives_no_cause() -> None:
    assert file_warnings(URDF) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('value="2"', 'value="-2"', "link 'upper': the mass -2 is negative"),
        ('value="1"', 'value="-1"', "link 'cap': the mass -1 is negative"),  # not visible in the sum of both
        ('value="2"', 'value="0"', "link 'upper' has an inertia but no mass"),
        ('izz="0.25"', 'izz="0.35"', "link 'upper': no body has the principal inertias 0.1, 0.2, 0.35"),
        (
            'ixx="0.1" ixy="0" ixz="0" iyy="0.2"',
            'ixx="-0.1" ixy="0" ixz="0" iyy="0.2"',
            "are not all positive",
        ),
        ('ixy="0"', 'ixy="0.3"', "are not all positive"),
        ("<inertial><origin", "<inertail><origin", ""),
        ('damping="0.1"', 'damping="-0.1"', "joint 'j1': the viscous friction FV = -0.1 is negative"),
    ],
)
def test_physically_impossible_inertias(old: str, new: str, message: str) -> None:
    text = URDF.replace(old, new, 1)
    if "inertail" in new:
        text = text.replace("</inertial>", "</inertail>", 1)
        message = "the element 'inertail' in 'link' is not read; did you mean 'inertial'?"
    result = file_warnings(text)
    assert len(result) == 1
    assert message in result[0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<mass", "<mas", "'mas' in 'inertial' is not read; did you mean 'mass'?"),
        ("<origin", "<orign", "'orign' in 'inertial' is not read; did you mean 'origin'?"),
        ("<dynamics", "<dynamic", "'dynamic' in 'joint' is not read; did you mean 'dynamics'?"),
        ("<axis", "<Axis", "'Axis' in 'joint' is not read; did you mean 'axis'?"),
        ('<link name="base"/>', '<links/><link name="base"/>', "'links' in 'robot'"),
        ('<link name="base"/>', '<link name="base"><mass value="1"/></link>', "'mass' in 'link' is not read"),
        (
            '<link name="base"/>',
            '<closed_loop name="x"/><link name="base"/>',
            "'closed_loop' in 'robot' is not read",
        ),
        ('rpy="0 0 0"', 'ryp="0 0 1"', "attribute 'ryp' of 'origin' is not read; did you mean 'rpy'?"),
        ('damping="0.1"', 'dampping="0.1"', "attribute 'dampping' of 'dynamics'"),
    ],
)
def test_strangers_are_named(old: str, new: str, message: str) -> None:
    (result, *_) = file_warnings(URDF.replace(old, new, 1))
    assert message in result
    assert result.startswith("line ")


@pytest.mark.parametrize(
    "element",
    [
        *(
            '<gazebo reference="a"><x/></gazebo>',
            '<transmission name="t"/>',
            '<sensor name="s"/>',
            "<mujoco/>",
        ),
        *('<drake:acceleration value="1"/>', "<ros2_control/>", '<material name="m"/>', "<xacro:arg/>"),
    ],
)
def test_known_extensions_give_no_warning(element: str) -> None:
    assert file_warnings(URDF.replace("<link ", f"{element}<link ", 1)) == []


def test_the_bundled_robots() -> None:
    """Check that only Armstrong's PUMA has warnings, about its link 3."""
    result = {name: data_warnings(library.load(name)) for name in library.names()}
    assert [name for name, lines in result.items() if lines] == ["puma560"]
    assert len(result["puma560"]) == 1


def test_values_come_from_nominal_values_too() -> None:
    robot = symoro.load("planar2r").with_link(1, M="m1", ZZ=1)
    assert data_warnings(robot) == []
    assert data_warnings(robot.replace(nominal=(*robot.nominal, ("m1", -1.0)))) == [
        "link 1: the mass -1 is negative"
    ]
    assert data_warnings(robot.with_link(1, M=0, MX=1, MY=0, MZ=0)) == [
        "link 1 has first moments but no mass"
    ]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.floats(-6, 6), st.floats(-3, 3))
def test_clouds_of_points_are_bodies(seed: int, count: int, size: float, away: float) -> None:
    """Check that any set of point masses, also flat, thin or far from the origin, gives no warning."""
    rng = np.random.default_rng(seed)
    masses = rng.uniform(0.1, 2, count)
    points = (rng.normal(size=(count, 3)) * rng.integers(0, 2, 3) + 10**away) * 10 ** (size / 2)
    M, moment = masses.sum(), masses @ points
    I = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points, strict=True))
    values = dict(zip(("XX", "XY", "XZ", "YY", "YZ", "ZZ"), I[np.triu_indices(3)], strict=True))
    values |= dict(zip(("MX", "MY", "MZ"), moment, strict=True)) | {"M": M}
    robot = symoro.load("planar2r").with_link(1, **{key: float(value) for key, value in values.items()})
    assert data_warnings(robot) == []


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(1.01, 5))
def test_the_inequality_is_that_of_the_principal_moments(seed: int, excess: float) -> None:
    rng = np.random.default_rng(seed)
    low, middle = rng.uniform(0.1, 1, 2)
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    for factor, expected in ((0.99, 0), (excess, 1)):
        high = (low + middle) * factor
        tensor = R @ np.diag([low, middle, high]) @ R.T
        if high >= max(low, middle):
            assert len(body_warnings("it", 1.0, tensor.tolist())) == expected


def test_check_reports_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.replace('value="2"', 'value="-2"'), encoding="utf-8")
    assert main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert "arm: readable, with 1 warning. serial" in out
    assert "warning: link 'upper': the mass -2 is negative" in out
    assert "sound" not in out
    assert main(["check", str(path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["ok"] is True
    assert data["warnings"] == ["link 'upper': the mass -2 is negative"]
    assert not any("warning" in note for note in data["notes"])
    path.write_text(URDF, encoding="utf-8")
    assert main(["check", str(path)]) == 0
    assert "arm: sound." in capsys.readouterr().out


# -- floating bases

HEAVY = {"mass": 3.0, "com": [0, 0, 0.1], "inertia": [0.1, 0.2, 0.2]}


def test_a_base_without_mass_under_one_joint() -> None:
    arm = symoro.load("ur5e")
    assert warnings(arm) == []
    (line,) = warnings(arm.floating())
    assert "has no mass, and joint 1 is the only joint on it" in line
    assert warnings(arm.floating().with_link(0, **HEAVY)) == []
    assert warnings(arm.floating().with_frame(1, IA=0.1)) == []


def test_where_the_base_is_borne_after_all() -> None:
    """Check that more than one joint, a fixed link or a loop gives no warning; unbound symbols are not zero."""
    for robot in (symoro.load("fivebar"), symoro.load("flexible_satellite"), symoro.load("rx90_floating")):
        assert not any("is the only joint on it" in line for line in warnings(robot.floating()))
    text = URDF.replace('type="continuous"', 'type="fixed"').replace('type="fixed"', 'type="continuous"', 1)
    assert any("joint 1" in line for line in warnings(formats.loads(text, "urdf").floating()))


def test_a_symbol_that_is_zero_by_its_nominal_value() -> None:
    robot = symoro.load("planar2r").floating().with_link(0, M="M0")
    assert not any("no mass" in line for line in warnings(robot))
    zero = robot.replace(nominal=(*robot.nominal, ("M0", 0.0)))
    assert any("no mass" in line for line in warnings(zero))


def test_a_velocity_that_no_model_reads() -> None:
    text = "symoro: 1\nname: x\nbase: {kind: floating, velocity: [%s, 0, 0], link: {M: 1, XX: 1, YY: 1, ZZ: 1}}\n"
    text += "frames:\n  - {link: {M: 1, ZZ: 1}}\n"
    (line,) = [w for w in warnings(formats.loads(text % "0.5", "yaml")) if "inputs" in w]
    assert "V0 and Vd0" in line
    for entry in ("0", "VX0"):
        assert not any("inputs" in w for w in warnings(formats.loads(text % entry, "yaml")))


def test_show_describes_the_base(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "ur5e", "--base", "floating"]) == 0
    assert "joint 1 is the only joint on it" in " ".join(capsys.readouterr().out.split())
