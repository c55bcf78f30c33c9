"""Check files opened in the workbench: only the given file is read, and nothing is executed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symoro.models.geometric.scene import all_frames
from symoro.robot.formats import loads
from symoro.runtime.function import Function
from symoro.ui.service import call

URDF = """<robot name="two">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="base"><visual><origin xyz="0 0 0.1"/><geometry><box size="1 2 3"/></geometry></visual></link>
  <joint name="a" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.3 0 0.2"/><axis xyz="0 1 0"/></joint>
  <link name="upper">
    <visual><origin xyz="0.4 0 0" rpy="0 1.2 0"/><geometry><cylinder radius="0.1" length="0.5"/></geometry>
      <material name="blue"/></visual>
    <visual><geometry><mesh filename="package://two/upper.stl" scale="0.001 0.001 0.001"/></geometry></visual>
    <visual><origin xyz="no numbers"/><geometry><sphere radius="1"/></geometry></visual>
    <visual><geometry><sphere radius="nan"/></geometry></visual>
  </link>
  <joint name="b" type="prismatic"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.5 0 0" rpy="0 0 0.7"/><axis xyz="1 0 0"/></joint>
  <link name="lower"/>
  <joint name="c" type="fixed"><parent link="lower"/><child link="tip"/><origin xyz="0 0.3 0" rpy="1 0 0"/></joint>
  <link name="tip"><visual><origin xyz="0 0 0.2" rpy="0.1 0.2 0.3"/><geometry><sphere radius="0.05"/></geometry>
    <material name="x"><color rgba="1 0 0 0.5"/></material></visual></link>
</robot>"""


def turned(rpy: Any, xyz: Any) -> Any:
    """The placement of an origin element, written out."""
    (sr, sp, sy), (cr, cp, cy) = np.sin(rpy), np.cos(rpy)
    x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = z @ y @ x, xyz
    return T


def test_shapes_have_the_poses_of_the_urdf() -> None:
    """World placements by the URDF's own chain, and by our frames with the visual in them."""
    result = call("robot_open", {"text": URDF, "file": "two.urdf"})
    q = [0.4, 0.15]
    places = Function(all_frames(loads(URDF, "urdf")), {}, compiled=False)(q=q)["T"]
    upper = turned([0.3, 0, 0.2], [0.1, 0.2, 0.3]) @ turned([0, q[0], 0], [0, 0, 0])
    lower = upper @ turned([0, 0, 0.7], [0.5, 0, 0]) @ turned([0, 0, 0], [q[1], 0, 0])
    tip = lower @ turned([1, 0, 0], [0, 0.3, 0])
    wanted = [
        ("box", turned([0, 0, 0], [0, 0, 0.1])),
        ("cylinder", upper @ turned([0, 1.2, 0], [0.4, 0, 0])),
        ("mesh", upper),
        ("sphere", tip @ turned([0.1, 0.2, 0.3], [0, 0, 0.2])),
    ]
    assert [one["shape"] for one in result["visuals"]] == [shape for shape, _ in wanted]
    for one, (_, place) in zip(result["visuals"], wanted, strict=True):
        frame = places[one["frame"] - 1] if one["frame"] else np.eye(4)
        np.testing.assert_allclose(frame @ turned(one["rpy"], one["xyz"]), place, atol=1e-9)
    box, cylinder, mesh, sphere = result["visuals"]
    assert box["size"] == [1, 2, 3] and cylinder["size"] == [0.1, 0.5] and sphere["size"] == [0.05]
    assert mesh["file"] == "package://two/upper.stl" and mesh["scale"] == [0.001] * 3
    assert cylinder["color"] == [0, 0, 1, 1] and sphere["color"] == [1, 0, 0, 0.5] and mesh["color"] is None


def test_shapes_of_a_floating_robot() -> None:
    free = URDF.replace(
        '<link name="base">',
        '<link name="world"><visual><geometry><sphere radius="9"/></geometry></visual></link>'
        '<joint name="f" type="floating"><parent link="world"/><child link="base"/></joint><link name="base">',
    )
    result = call("robot_open", {"text": free, "file": "free.urdf"})
    assert result["floating"] and [one["shape"] for one in result["visuals"]] == [
        "box",
        "cylinder",
        "mesh",
        "sphere",
    ]


def test_the_error_of_a_broken_file_contains_the_line() -> None:
    for text, file in (
        (URDF.replace('type="prismatic"', 'type="sliding"'), "a.urdf"),
        (URDF.replace("</link>", "", 1), "a.urdf"),
        ("symoro: 1\nname: x\nframes:\n  - {joint: turning}\n", "a.yaml"),
        ("symoro: 1\nname: [\n", "a.yml"),
    ):
        result = call("robot_open", {"text": text, "file": file})["error"]
        assert result["place"]["line"] >= 1 and result["place"]["file"] == file, result


def test_a_xacro_file_is_not_run() -> None:
    text = '<robot xmlns:xacro="http://ros.org/wiki/xacro" name="x"><xacro:include filename="/etc/passwd"/></robot>'
    for payload in (
        {"file": "x.xacro"},
        {"file": "x.urdf.xacro"},
        {"file": "x"},
        {"file": "x", "format": "xacro"},
    ):
        result = call("robot_open", {"text": text, **payload})["error"]
        assert "not executed in the workbench" in result["message"] and "convert it to URDF" in result["hint"]


@pytest.mark.parametrize("left", ["0 0 ${length}", "0 0 $(arg length)"])
def test_the_hint_for_a_rest_of_xacro_in_a_urdf_can_be_followed_in_the_workbench(left: str) -> None:
    text = (
        f'<robot name="x"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>'
        f'<child link="b"/><origin xyz="{left}"/></joint></robot>'
    )
    error = call("robot_open", {"text": text, "file": "x.urdf"})["error"]
    assert error["place"]["key"] == "xyz"
    assert "xacro" in error["hint"] and "suffix" not in error["hint"]  # .xacro files are rejected
    assert "convert it to URDF" in error["hint"]


def test_a_name_is_not_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of that name is there, and it is not looked at."""
    (tmp_path / "secret.yaml").write_text("symoro: 1\nname: secret\nframes: [{joint: revolute}]\n")
    monkeypatch.chdir(tmp_path)
    mine = "symoro: 1\nname: mine\nframes: [{joint: revolute}]\n"
    for file in ("secret.yaml", str(tmp_path / "secret.yaml"), "../secret.yaml", "a/../secret.yaml"):
        assert call("robot_open", {"text": mine, "file": file})["name"] == "mine"
    for id in ("secret.yaml", str(tmp_path / "secret.yaml"), "../library/rx90", "rx90.yaml"):
        assert call("robot_open", {"id": id})["error"]["kind"] == "UnknownNameError"
    broken = call("robot_open", {"text": "symoro: 1", "file": "/etc/a\\\\b/c.yaml"})["error"]
    assert broken["place"]["file"] == "c.yaml"


MJCF = (
    '<mujoco model="two"><worldbody><body><joint axis="0 1 0"/><geom size="0.1" mass="1"/>'
    '<body pos="0.5 0 0"><joint axis="0 0 1"/><geom size="0.1" mass="1"/></body></body></worldbody></mujoco>'
)


@pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="needs MuJoCo")
def test_a_mujoco_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.xml").write_text(MJCF.replace('model="two"', 'model="another"'))
    result = call("robot_open", {"text": MJCF, "file": "two.xml"})
    assert result["name"] == "two" and result["sizes"]["NL"] == 2


@pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="needs MuJoCo")
def test_a_mujoco_model_is_opened_without_the_features_that_are_not_supported() -> None:
    text = MJCF.replace('axis="0 1 0"', 'axis="0 1 0" name="j"').replace(
        "</worldbody>",
        '</worldbody><tendon><fixed stiffness="9"><joint joint="j" coef="1"/></fixed></tendon>',
    )
    request = {"text": text, "file": "two.xml"}
    assert "leave it out" in call("robot_open", request)["error"]["hint"]
    view = call("robot_open", request | {"lossy": True})
    assert view["sizes"]["NL"] == 2
    assert any(note.startswith("omitted, although it changes the dynamics") for note in view["notes"])


@pytest.mark.parametrize(
    "part",
    [
        '<include file="/etc/passwd"/>',
        '<asset><mesh name="m" file="/etc/passwd"/></asset>',
        '<compiler meshdir="/etc"/>',
        "<asset><hfield name='h' FILE = '/etc/passwd'/></asset>",
        '<asset><texture name="t" type="cube" fileright="/etc/passwd"/></asset>',
        '<extension><plugin plugin="mujoco.sdf"/></extension><asset><model name="a" file="/etc/passwd"/></asset>',
    ],
)
def test_a_model_that_names_other_files_is_rejected(part: str) -> None:
    result = call(
        "robot_open", {"text": MJCF.replace("<worldbody>", part + "\n<worldbody>", 1), "format": "mjcf"}
    )
    assert "includes other files" in result["error"]["message"] and result["error"]["place"]["line"] == 1


def test_the_error_without_mujoco_contains_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mujoco", None)
    result = call("robot_open", {"text": MJCF, "file": "two.xml"})["error"]
    assert result["kind"] == "MissingDependencyError" and "symoro[mujoco]" in result["hint"]


@pytest.mark.parametrize("format", ["par", "yaml", "urdf", "khalil-kleinfinger", "xacro", "mjcf", "nothing"])
def test_writing_answers(format: str) -> None:
    robot = call("robot_open", {"id": "planar2r"})["robot"]
    result = call("robot_write", {"robot": robot, "format": format, "lossy": True})
    assert ("error" in result) == (format in ("xacro", "mjcf", "nothing")), result


def legged(chains: int, mass: float, joints: int = 2) -> str:
    """Return a URDF with chains of joints on a base; the lowest link of each chain has no inertia."""
    body = f'<mass value="{mass}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    parts = [f'<link name="body"><inertial>{body}</inertial></link>']
    for leg in range(chains):
        for k in range(joints):
            parent = f"leg{leg}_{k - 1}" if k else "body"
            inertial = f"<inertial>{body}</inertial>" if k < joints - 1 else ""
            parts.append(
                f'<link name="leg{leg}_{k}">{inertial}</link><joint name="j{leg}_{k}" type="continuous">'
                f'<parent link="{parent}"/><child link="leg{leg}_{k}"/><origin xyz="0.{leg + 1} 0 -0.2"/>'
                '<axis xyz="0 1 0"/><dynamics damping="0.5" friction="0.1"/></joint>'
            )
    return f'<robot name="walker">{"".join(parts)}</robot>'


@pytest.mark.parametrize(
    ("chains", "mass", "joints", "legs"),
    [(4, 8, 2, 4), (2, 8, 3, 2), (1, 8, 3, 0), (4, 0, 2, 0), (3, 8, 1, 0)],
)
def test_several_chains_on_a_base_with_mass_are_legs(
    chains: int, mass: float, joints: int, legs: int
) -> None:
    view = call("robot_open", {"text": legged(chains, mass, joints), "file": "walker.urdf"})
    assert view["base"] == "fixed" and view["legs"] == legs
    edit = {"part": "robot", "field": "base", "text": "floating"}
    floating = call("robot_edit", {"robot": view["robot"], "edits": [edit]})
    assert floating["base"] == "floating" and floating["legs"] == 0


def test_friction_and_missing_inertia_of_a_urdf_are_reported() -> None:
    view = call("robot_open", {"text": legged(2, 8), "file": "walker.urdf"})
    assert len(view["notes"]) > 4
    notes = "\n".join(view["notes"][:6])  # before those on merged links and shapes
    assert "the damping (FV) in the file contributes to the torques: joints j0_0, j0_1, j1_0, j1_1" in notes
    assert "the friction (FS) in the file contributes to the torques" in notes
    assert "links leg0_1, leg1_1 have no mass and no inertia in the file" in notes
    assert any("no mass and no inertia is moved" in warning for warning in view["warnings"])


def test_notes_name_controls_of_the_page_and_contain_no_warnings() -> None:
    wrong = legged(2, 8).replace('ixx="1"', 'ixx="9"', 1)
    hand = '<link name="hand"/><joint name="mount" type="fixed"><parent link="leg1_1"/><child link="hand"/></joint>'
    view = call("robot_open", {"text": wrong.replace("</robot>", hand + "</robot>"), "file": "walker.urdf"})
    assert any("no body has the principal inertias" in warning for warning in view["warnings"])
    assert not any("principal inertias" in note for note in view["notes"])
    assert any(
        "the table Tool can place a tool frame at a link beyond it: hand" in note for note in view["notes"]
    )
