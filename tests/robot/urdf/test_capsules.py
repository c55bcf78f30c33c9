"""Capsules of URDF and MJCF files enclose the collision shapes and are as small as stated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.models.geometric.capsules import capsule_model, closest_points
from symoro.robot.formats.urdf.shapes import LinkCapsule, around, enclosing

RNG = np.random.default_rng(3)


def outside(points: np.ndarray, capsules: list[LinkCapsule]) -> float:
    """Return the largest distance of points from the nearest capsule; not positive if all are enclosed."""
    zero = np.zeros(3)
    gaps = [
        closest_points(points, zero, np.array(one.start), np.subtract(one.end, one.start))[0] - one.radius
        for one in capsules
    ]
    return float(np.min(gaps, axis=0).max())


@pytest.mark.parametrize("size", [(0.1, 0.2, 0.9), (1.0, 0.05, 0.6), (0.3, 0.3, 0.3), (2.0, 0.0, 0.1)])
def test_boxes_are_enclosed(size: tuple[float, ...]) -> None:
    capsules = enclosing("box", size)
    points = RNG.uniform(-0.5, 0.5, (20000, 3)) * size
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.array(size) / 2
    assert outside(np.concatenate([points, corners]), capsules) <= 1e-12
    assert max(one.radius for one in capsules) <= np.linalg.norm(size) / 2


@pytest.mark.parametrize("size", [(0.1, 1.0), (0.5, 0.1), (0.2, 0.4)])
def test_cylinders_and_spheres_are_enclosed(size: tuple[float, float]) -> None:
    angle = RNG.uniform(0, 2 * np.pi, 4000)
    height = np.repeat([-0.5, 0.5], 2000) * size[1]
    rim = np.stack([size[0] * np.cos(angle), size[0] * np.sin(angle), height], 1)
    (capsule,) = enclosing("cylinder", size)
    assert outside(rim, [capsule]) <= 1e-12
    assert enclosing("sphere", (0.3,)) == [LinkCapsule((0, 0, 0), (0, 0, 0), 0.3)]
    assert enclosing("sphere", (0.0,)) == []


def test_meshes_are_enclosed() -> None:
    turn = np.linalg.qr(RNG.standard_normal((3, 3)))[0]
    points = RNG.uniform(-1, 1, (500, 3)) * [0.1, 0.5, 0.12] @ turn.T + [1, 2, 3]
    capsules = around(points)
    assert outside(points, capsules) <= 1e-12
    assert capsules[0].radius < 0.25


URDF = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
  <link name="upper">
    <collision><origin xyz="0.25 0 0" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.03" length="0.5"/></geometry></collision>
  </link>
  <link name="hand">
    <collision><origin xyz="0.1 0 0"/><geometry><sphere radius="0.05"/></geometry></collision>
    <collision><geometry><mesh filename="{mesh}" scale="0.001 0.001 0.001"/></geometry></collision>
  </link>
  <joint name="j1" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="1" effort="9"/></joint>
  <joint name="j2" type="revolute"><parent link="upper"/><child link="hand"/><origin xyz="0.5 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="1" effort="9"/></joint>
</robot>
"""


def test_collision_shapes_of_a_urdf_become_capsules(tmp_path: Path) -> None:
    """Distances of the hand's sphere from the base agree with those of the link frames of the file."""
    corners = 1000 * np.array([[0, 0, 0], [0.08, 0, 0], [0, 0.02, 0], [0, 0, 0.02]])
    faces = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    triangles = b"".join(
        np.concatenate([np.zeros((1, 3)), corners[list(face)]]).astype("<f4").tobytes() + b"\0\0"
        for face in faces
    )
    (tmp_path / "hand.stl").write_bytes(bytes(80) + (4).to_bytes(4, "little") + triangles)
    file = tmp_path / "arm.urdf"
    file.write_text(URDF.format(mesh="hand.stl"))
    robot = symoro.load(file)
    assert [one.frame for one in robot.capsules] == [0, 1, *[2] * (len(robot.capsules) - 2)]
    model = capsule_model(robot)
    assert model.described and model.pairs == ((0, 2),)
    q = np.array([0.7, -0.4])
    elbow = np.array([0.5 * np.cos(q[0]), 0, 0.3 - 0.5 * np.sin(q[0])])
    centre = elbow + 0.1 * np.array([np.cos(q.sum()), 0, -np.sin(q.sum())])
    rows = model.row_distances(q[None])[0]
    base = model.capsules[0]
    start, end = base.points
    expected = closest_points(centre, np.zeros(3), start, end - start)[0] - base.radius - 0.05
    assert rows[0] == pytest.approx(float(expected))
    assert symoro.loads(symoro.dumps(robot, "yaml"), "yaml").capsules == robot.capsules


def test_shapes_that_cannot_be_read_give_notes(tmp_path: Path) -> None:
    for mesh in ("absent.stl", "hand.dae", "damaged.stl"):
        (tmp_path / "damaged.stl").write_bytes(b"solid nothing")
        file = tmp_path / "arm.urdf"
        file.write_text(URDF.format(mesh=mesh))
        robot = symoro.load(file)
        assert len(robot.capsules) == 3
        assert any(
            "collision shape of link 'hand' is omitted" in note and mesh in note for note in robot.notes
        )


def test_geoms_of_an_mjcf_become_capsules() -> None:
    pytest.importorskip("mujoco")
    text = """<mujoco model="arm"><worldbody><body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" pos="0 0 0.1"/>
      <geom type="capsule" size="0.05 0.2" pos="0.2 0 0"/><geom type="box" size="0.1 0.1 0.1" contype="0"
      conaffinity="0"/><body pos="0.5 0 0"><joint axis="0 1 0"/><geom type="sphere" size="0.04"/></body></body>
      </worldbody></mujoco>"""
    robot = symoro.loads(text, "mjcf")
    first, second = capsule_model(robot).capsules
    assert (first.radius, second.radius) == (0.05, 0.04)
    assert np.linalg.norm(first.points[1] - first.points[0]) == pytest.approx(0.4)
    assert np.linalg.norm((first.points[0] + first.points[1]) / 2) == pytest.approx(np.hypot(0.2, 0.1))
