"""Test MJCF: poses of bodies, hinges and slides compared with MuJoCo."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import FormatError, MissingDependencyError, NotApplicableError, OptionError
from symoro.expr.formula import ZERO
from symoro.robot.description import BaseKind, Limits, Robot
from symoro.robot.formats.urdf import read_mjcf, write_mjcf
from symoro.ui.cli import main
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


def test_features_without_a_frame_are_rejected() -> None:
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


# -- numbers of MuJoCo

CART = """
<mujoco model="cart">
  <option gravity="0.3 -0.2 -9.5"><flag {flags}/></option>
  <worldbody>
    <body name="cart" pos="0 0 1">
      <joint name="slide" type="slide" axis="1 0 0.2" damping="0.7" armature="0.3" frictionloss="0.4"/>
      <geom type="box" size="0.2 0.1 0.05" mass="3"/>
      <body name="pole" pos="0.1 0 0.05" euler="20 10 0">
        <joint name="swing" axis="0 1 0" ref="15" damping="0.05" {swing}/>
        <joint name="twist" axis="0 0.3 1" pos="0 0 0.1" armature="0.02"/>
        <geom type="capsule" fromto="0 0 0 0.1 0 0.6" size="0.03" mass="0.8"/>
        <body name="tip" pos="0.1 0 0.6" {tip}>
          <joint name="wrist" axis="1 0 0"/>
          <inertial pos="0.02 0.01 0.1" mass="0.4" fullinertia="0.01 0.012 0.005 0.001 -0.002 0.0005"/>
        </body>
      </body>
    </body>
  </worldbody>
  {rest}
</mujoco>
"""


def cart(flags: str = "", swing: str = "", tip: str = "", rest: str = "") -> str:
    return CART.format(flags=flags, swing=swing, tip=tip, rest=rest)


def of_mujoco(text: str, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return MuJoCo's torques and inertia matrix; friction loss, a soft constraint there, is added as sign(qd)."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(text)
    friction = model.dof_frictionloss.copy()
    if model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS):
        friction[:] = 0
    model.dof_frictionloss[:] = 0
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
    mujoco.mj_inverse(model, data)
    M = []
    for i in range(model.nv):  # a column at a time, which every version of MuJoCo can
        column = np.zeros(model.nv)
        mujoco.mj_mulM(model, data, column, np.eye(model.nv)[i])
        M.append(column)
    return data.qfrc_inverse + friction * np.sign(qd), np.array(M)


def ours(robot: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    tau = symoro.generate(robot, "inverse-dynamics").function(compiled=False)(q=q, qd=qd, qdd=qdd)
    M = symoro.generate(robot, "inertia-matrix").function(compiled=False)(q=q)
    return next(iter(tau.values())), next(iter(M.values()))


SOUND = {
    "plain": cart(),
    "arm": ARM,
    "no gravity": cart('gravity="disable"'),
    "no friction": cart('frictionloss="disable"'),
    "springs that are off": cart('spring="disable"', 'stiffness="30"'),
    "no dampers": cart('damper="disable"'),
    "no passive forces": cart('spring="disable" damper="disable"', 'stiffness="30"', 'gravcomp="1"'),
    "compensation of no gravity": cart('gravity="disable"', tip='gravcomp="1"'),
    "a motor": cart(rest='<actuator><motor joint="swing" gear="50"/></actuator>'),
    "a tendon that only reaches": cart(
        rest='<tendon><fixed limited="true" range="-1 1"><joint joint="swing" coef="1"/></fixed></tendon>'
    ),
    "constraints that are off": cart(
        'equality="disable"', rest='<equality><joint joint1="swing" joint2="wrist"/></equality>'
    ),
    "an idle constraint": cart(
        rest='<equality><joint joint1="swing" joint2="wrist" active="false"/></equality>'
    ),
}


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("case", SOUND)
def test_torques_and_inertia_as_mujoco_has_them(case: str, exact: bool) -> None:
    pytest.importorskip("mujoco")
    robot = read_mjcf(SOUND[case], exact=exact)
    for seed in range(3):
        q, qd, qdd = np.random.default_rng(seed).uniform(-1, 1, (3, 4))
        for mine, theirs in zip(ours(robot, q, qd, qdd), of_mujoco(SOUND[case], q, qd, qdd), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9 * (1 + np.abs(theirs).max()))


TENDON = '<tendon><fixed {}><joint joint="swing" coef="2"/><joint joint="wrist" coef="1"/></fixed></tendon>'
SPRINGS = "joint springs that are not linear, or at joints with an actuator or a coupling"
MOTOR = '<actuator><motor joint="swing"/></actuator>'
CHANGING = {
    f"{SPRINGS} (swing)": cart(swing='stiffness="30"', rest=MOTOR),
    "armature of tendons": cart(rest=TENDON.format('armature="0.1"')),
    "springs of tendons": cart(rest=TENDON.format('stiffness="3"')),
    "damping of tendons": cart(rest=TENDON.format('damping="3"')),
    "friction of tendons": cart(rest=TENDON.format('frictionloss="3"')),
    "gravity compensation (tip)": cart(tip='gravcomp="0.5"'),
    "a fluid (density 1000, viscosity 0)": cart().replace("<option ", '<option density="1000" '),
    "a fluid (density 0, viscosity 0.5)": cart().replace("<option ", '<option viscosity="0.5" '),
    "1 equality constraint other than linear ones between joints": cart(
        rest='<equality><joint joint1="swing" joint2="wrist" polycoef="0 1 0.5 0 0"/></equality>'
    ),
    "armature, damping or friction of a free joint": ARM.replace(
        '<geom type="box"', '<joint type="free" damping="1"/><geom type="box"'
    ),
}


@pytest.mark.parametrize("what", CHANGING)
def test_unsupported_dynamics_are_rejected_or_noted(what: str) -> None:
    pytest.importorskip("mujoco")
    with pytest.raises(NotApplicableError) as caught:
        read_mjcf(CHANGING[what])
    assert what in caught.value.message
    assert "lossy" in (caught.value.hint or "")
    robot = read_mjcf(CHANGING[what], lossy=True)
    assert f"omitted, although it changes the dynamics: {what}" in robot.notes


def test_with_the_loss_the_rest_is_right() -> None:
    pytest.importorskip("mujoco")
    text = cart(swing='stiffness="30"', rest=MOTOR + TENDON.format('armature="0.1"'))
    robot = read_mjcf(text, lossy=True)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 4))
    for mine, theirs in zip(ours(robot, q, qd, qdd), of_mujoco(cart(), q, qd, qdd), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("attribute", ['damping="1 2"', 'stiffness="0 5"'])
def test_polynomials_of_newer_versions(attribute: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    text = cart(swing=attribute) if "damp" not in attribute else cart().replace('damping="0.05"', attribute)
    try:
        mujoco.MjModel.from_xml_string(text)
    except ValueError:
        pytest.skip("this MuJoCo has no such attribute")
    with pytest.raises(NotApplicableError, match=r"not linear.*\(swing\)"):
        read_mjcf(text)


def test_joint_springs_are_elastic_joints() -> None:
    """Accelerations under gravity, springs and torques equal those of MuJoCo's own forward dynamics."""
    mujoco = pytest.importorskip("mujoco")
    text = cart(swing='stiffness="30" springref="20"')
    robot = read_mjcf(text)
    names = [frame.name for frame in robot.frames if frame.eta]
    assert names == ["swing"]
    model = mujoco.MjModel.from_xml_string(text)
    model.dof_frictionloss[:] = 0  # MuJoCo's dry friction is a soft constraint
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    frames = tuple(replace(frame, FS=ZERO) for frame in robot.frames)
    f = symoro.generate(robot.replace(frames=frames), "direct-dynamics").function()
    for seed in range(3):
        q, qd, tau = np.random.default_rng(seed).uniform(-1, 1, (3, 4))
        data = mujoco.MjData(model)
        free = [j for j, frame in enumerate(robot.frames) if not frame.eta]
        data.qpos[:], data.qvel[:] = q, qd
        data.qfrc_applied[free] = tau[free]
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(f(q=q, qd=qd, tau=tau)["qdd"], data.qacc, rtol=1e-8, atol=1e-8)


def test_linear_equalities_are_couplings() -> None:
    """The torques equal MuJoCo's full inverse dynamics, projected onto the independent joint positions."""
    pytest.importorskip("mujoco")
    constraint = '<equality><joint joint1="wrist" joint2="swing" polycoef="0.2 -1.5 0 0 0"/></equality>'
    coupled = read_mjcf(cart(rest=constraint))
    names = [frame.name for frame in coupled.frames]
    wrist, swing = names.index("wrist"), names.index("swing")
    f = symoro.generate(coupled, "inverse-dynamics").function()
    G = np.delete(np.eye(4), wrist, axis=1)
    G[wrist, swing if swing < wrist else swing - 1] = -1.5
    assert coupled.frames[wrist].coupling is not None
    offset = 0.2 + 1.5 * np.deg2rad(15)  # the driver's reference position is 15 degrees
    for seed in range(3):
        q, qd, qdd = np.random.default_rng(seed).uniform(-1, 1, (3, 3))
        full = G @ q
        full[wrist] += offset
        tau, _ = of_mujoco(cart(), full, G @ qd, G @ qdd)
        np.testing.assert_allclose(f(q=q, qd=qd, qdd=qdd)["tau"], G.T @ tau, rtol=0, atol=1e-9)
    held = read_mjcf(cart(rest='<equality><joint joint1="wrist" polycoef="0.2 0 0 0 0"/></equality>'))
    q, qd, qdd = np.random.default_rng(5).uniform(-1, 1, (3, 3))
    fixed = [np.insert(values, wrist, value) for values, value in ((q, 0.2), (qd, 0), (qdd, 0))]
    np.testing.assert_allclose(
        symoro.generate(held, "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"],
        np.delete(of_mujoco(cart(), *fixed)[0], wrist),
        rtol=0,
        atol=1e-9,
    )


def test_omitted_and_disabled_features_are_noted() -> None:
    pytest.importorskip("mujoco")
    rest = '<actuator><motor joint="swing"/></actuator>' + TENDON.format('limited="true" range="-1 1"')
    notes = " ".join(read_mjcf(cart('gravity="disable" limit="disable"', 'range="-9 9"', rest=rest)).notes)
    assert "gravity is disabled" in notes
    assert "actuators (1)" in notes
    assert "contacts" in notes
    assert "joint limits are disabled" in notes
    assert "limits of tendons" in " ".join(read_mjcf(cart(rest=rest)).notes)


def test_options_as_for_a_urdf(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path = tmp_path / "arm.mjcf"
    path.write_text(ARM, encoding="utf-8")
    robot = symoro.load(path, exact=True, base="floating", tool="tip", fixed="merge", frames="link")
    assert robot.base.kind == BaseKind.FLOATING
    assert robot.tool is not None
    assert robot.tool.name == "tip"
    with pytest.raises(OptionError, match="'arguments'"):
        symoro.load(path, arguments={})
    assert main(["show", str(path), "--exact", "--tool", "tip"]) == 0


def test_lossy_from_everywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mujoco")
    path = tmp_path / "cart.xml"
    path.write_text(cart(swing='stiffness="30"', rest=MOTOR), encoding="utf-8")
    assert main(["check", str(path)]) == 2
    assert f"{SPRINGS} (swing)" in capsys.readouterr().err
    for command in (["check"], ["show"], ["models"], ["count", "fast-geometry"]):
        assert main([*command, str(path), "--lossy"]) == 0
    assert f"{SPRINGS} (swing)" in " ".join(capsys.readouterr().out.split())
    assert main(["convert", str(path), str(tmp_path / "cart.yaml"), "--lossy"]) == 0
    assert main(["convert", str(tmp_path / "cart.yaml"), "--to", "urdf", "--lossy"]) == 0
    assert symoro.load("rx90", lossy=True) == symoro.load("rx90")


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("<mujocoinclude><body/></mujocoinclude>", "part of an MJCF model", "the main file that includes it"),
        ('<body name="a"/>', "expected the element 'mujoco', got 'body'", "the main file that includes it"),
        ("<mujoco/>", "no joints", "MJCF"),
        (
            "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>",
            "no joints",
            "MJCF",
        ),
        ("mujoco", "not an XML file", "<mujoco"),
    ],
)
def test_messages_name_mjcf(text: str, message: str, hint: str) -> None:
    pytest.importorskip("mujoco")
    with pytest.raises(FormatError) as caught:
        read_mjcf(text, "part.xml")
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")
    assert "URDF" not in str(caught.value)


def test_names_made_by_the_reader_are_unique() -> None:
    pytest.importorskip("mujoco")
    text = """<mujoco><worldbody>
      <body name="a"><joint/><joint axis="0 1 0" name="a_joint_"/><geom size="1"/>
        <body name="a_1"><joint name="a_1_joint"/><geom size="1"/><body><joint/><geom size="1"/></body>
          <body name="body3"><joint name="a_joint"/><geom size="1"/></body></body></body>
    </worldbody></mujoco>"""
    robot = read_mjcf(text)
    assert robot.NL == 5
    assert len({frame.name for frame in robot.frames}) == 5
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 5))
    for mine, theirs in zip(ours(robot, q, qd, qdd), of_mujoco(text, q, qd, qdd), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-6)


def test_a_file_in_latin_letters(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>' + ARM.strip().replace('"yaw"', '"drehen_\u00fc"')
    path.write_bytes(text.encode("latin-1"))
    assert symoro.load(path).frames[0].name == "drehen_\u00fc"
