"""MJCF: bodies, hinges and slides as MuJoCo itself places them."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from symoro.errors import FormatError, MissingDependencyError, NotApplicableError
from symoro.robot.description import BaseKind, Limits
from symoro.robot.formats.mjcf import read_mjcf, write_mjcf
from tests.robot.urdf.oracle import Frames, Inertia, homogeneous

ARM = """
<mujoco model="arm">
  <compiler angle="radian"/>
  <option gravity="0 0 -3.7"/>
  <worldbody>
    <body name="stand" pos="0 0 0.5" euler="0 0 0.3">
      <geom type="box" size="0.1 0.1 0.1"/>
      <body name="upper" pos="0.1 0 0.2" quat="0.7071068 0.7071068 0 0">
        <joint name="yaw" axis="0 0 1" pos="0.05 0.02 0" range="-1 2" limited="true" damping="0.4"/>
        <joint name="pitch" axis="0 1 0" pos="0 0.1 0" ref="0.3" frictionloss="0.2"/>
        <joint name="out" type="slide" axis="1 1 0" ref="0.1" armature="0.01"/>
        <geom type="capsule" size="0.05 0.2" pos="0.1 0 0.3" euler="0.2 0 0.4"/>
        <body name="tip" pos="0 0 0.6"><geom size="0.04"/></body>
        <body name="fore" pos="0.3 0 0" euler="0.1 0.2 0.3">
          <joint axis="1 0.2 0"/>
          <inertial pos="0.1 0.2 0.3" mass="2" fullinertia="1 1.1 1.2 0.1 0.2 0.05"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("exact", [True, False])
def test_as_mujoco_places_it(exact: bool) -> None:
    mujoco = pytest.importorskip("mujoco")
    robot = read_mjcf(ARM, exact=exact)
    assert [frame.name for frame in robot.frames] == ["yaw", "pitch", "out", "fore_joint"]
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    frames = Frames(robot)
    on_body = {}
    for seed in range(3):
        data.qpos[:] = np.random.default_rng(seed).uniform(-1, 1, model.nq)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        q = dict(zip((f.name for f in robot.frames), data.qpos, strict=True))
        placed = frames.placements(q)
        for j, name in ((3, "upper"), (4, "fore")):
            body = data.body(name)
            P = homogeneous(body.xmat.reshape(3, 3), body.xpos)
            X = on_body.setdefault(name, np.linalg.solve(P, placed[j]))
            assert np.abs(P @ X - placed[j]).max() < 1e-12
        moved = sum((inertia(data, model, b) for b in ("upper", "tip")), start=inertia(data, model, "fore"))
        mine = sum(
            (frames.inertia(j).seen_from(placed[j]) for j in (1, 2, 3)),
            frames.inertia(4).seen_from(placed[4]),
        )
        assert moved.distance(mine) < 1e-12


def inertia(data, model, name: str) -> Inertia:
    body = data.body(name)
    at_centre = Inertia(float(model.body(name).mass[0]), np.zeros(3), np.diag(model.body(name).inertia))
    return at_centre.seen_from(homogeneous(body.ximat.reshape(3, 3), body.xipos))


def test_drives_limits_and_gravity() -> None:
    pytest.importorskip("mujoco")
    robot = read_mjcf(ARM)
    yaw, pitch, out, _ = robot.frames
    assert yaw.limits == Limits(-1, 2)
    assert (yaw.FV.text, pitch.FS.text, out.IA.text) == ("0.4", "0.2", "0.01")
    assert (robot.name, [g.text for g in robot.base.G]) == ("arm", ["0", "0", "-3.7"])


def test_a_free_joint_frees_the_base() -> None:
    pytest.importorskip("mujoco")
    text = ARM.replace('<geom type="box"', '<freejoint/><geom type="box"')
    robot = read_mjcf(text)
    assert robot.base.kind == BaseKind.FLOATING
    assert robot.base.link.name == "stand"
    assert not robot.base.link.M.is_zero


def test_what_has_no_frame_is_refused() -> None:
    pytest.importorskip("mujoco")
    with pytest.raises(NotApplicableError, match="ball joint"):
        read_mjcf(ARM.replace('type="slide" axis="1 1 0" ref="0.1" armature="0.01"', 'type="ball"'))
    weld = '<equality><weld body1="tip" body2="fore"/></equality></mujoco>'
    with pytest.raises(NotApplicableError, match="1 equality constraint"):
        read_mjcf(ARM.replace("</mujoco>", weld))


@pytest.mark.parametrize("text", ["", "<mujoco>", "<robot/>", "<mujoco><nothing/></mujoco>", "<mujoco/>"])
def test_files_that_do_not_compile(text: str) -> None:
    pytest.importorskip("mujoco")
    with pytest.raises(FormatError):
        read_mjcf(text, "arm.mjcf")


def test_a_urdf_is_sent_to_its_own_reader() -> None:
    with pytest.raises(FormatError, match=r"suffix \.urdf"):
        read_mjcf("<robot/>")


def test_it_is_not_written() -> None:
    pytest.importorskip("mujoco")
    with pytest.raises(NotApplicableError, match="cannot be written as MJCF"):
        write_mjcf(read_mjcf(ARM))


def test_without_mujoco(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingDependencyError) as caught:
        read_mjcf(ARM)
    assert "pip install 'symoro[mujoco]'" in str(caught.value)
