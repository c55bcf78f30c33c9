"""Notes in a model's header: missing inertias, friction given by numbers, the location of the base."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.robot.consistency import warnings
from symoro.ui.cli import main
from tests.oracle.branches import slider_crank

ARM = """<robot name="arm"><link name="base"/>{links}
  <joint name="j1" type="continuous"><parent link="base"/><child link="a"/>{dynamics}</joint>
  <joint name="j2" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>"""
BODY = """<link name="{}"><inertial><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>"""


def _load(folder: Path, first: bool, second: bool, dynamics: str = "") -> symoro.Robot:
    links = [
        BODY.format(name) if there else f'<link name="{name}"/>'
        for name, there in (("a", first), ("b", second))
    ]
    path = folder / "arm.urdf"
    path.write_text(ARM.format(links="".join(links), dynamics=dynamics), encoding="utf-8")
    return symoro.load(path)


def test_a_robot_without_inertia_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robot = _load(tmp_path, False, False)
    assert any("no moving link has a mass or an inertia" in line for line in warnings(robot))
    assert any(
        "no moving link has a mass" in note for note in symoro.generate(robot, "inverse-dynamics").notes
    )
    assert symoro.generate(robot, "jacobian").notes == []
    path = str(tmp_path / "arm.urdf")
    for command in (["check", path], ["show", path], ["generate", "inertia-matrix", path]):
        assert main(command) == 0
        assert "no moving link has a mass" in capsys.readouterr().out.replace("\n    ", " ")
    assert main(["eval", "gravity-torques", path, "q=0,0"]) == 0
    assert "no moving link has a mass" in capsys.readouterr().err


def test_joints_that_move_no_mass_are_reported(tmp_path: Path) -> None:
    assert any(line.startswith("joint j2: no mass") for line in warnings(_load(tmp_path, True, False)))
    for first in (True, False):  # a massless link between joints is common, and moves what follows
        assert not warnings(_load(tmp_path, first, True))


def test_friction_of_a_file_is_reported(tmp_path: Path) -> None:
    robot = _load(tmp_path, True, True, '<dynamics damping="0.5" friction="0.2"/>')
    assert any("damping (FV)" in note and "j1" in note for note in robot.notes)
    notes = symoro.generate(robot, "direct-dynamics").notes
    assert [("viscous" in n, "Coulomb" in n, "j1" in n) for n in notes] == [
        (True, False, True),
        (False, True, True),
    ]
    assert symoro.generate(robot, "energy").notes == [], "the energy contains no friction"
    assert symoro.generate("rx90", "inverse-dynamics").notes == [], "symbols are among the parameters"


def test_notes_on_base_parameters_are_reported() -> None:
    """Without a posture the assembly modes of this slider-crank have different base parameters."""
    unknown = slider_crank(0.4, 0.4, 1).replace(postures={})
    model = symoro.generate(unknown, "dynamic-identification", parameters="base")
    assert any("several assembly modes" in note for note in model.notes)


def test_the_location_of_the_base_is_reported() -> None:
    assert symoro.generate("rx90", "fast-geometry").notes == []
    Z = np.eye(4)
    Z[2, 3] = 0.7
    placed = symoro.Robot.from_dh([(0, 0, 0.5, 0)], "standard", base={"location": Z.tolist()})
    assert "location of the base" in symoro.generate(placed, "fast-geometry").notes[0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"alpha": 90}, "alpha = 90 rad is more than one turn; write 90*pi/180"),
        ({"d": 450}, "d = 450 m is very long; lengths are in metres: write 0.45"),
        ({"alpha": "pi/2", "d": 0.45}, None),
        ({"alpha": 6.2, "d": 40}, None),
    ],
)
def test_units_that_look_wrong(row: dict[str, object], message: str | None) -> None:
    link = {"mass": 1, "inertia": [1, 1, 1]}
    lines = warnings(symoro.Robot.from_dh([{**row, "link": link}], "khalil-kleinfinger"))
    assert len(lines) == bool(message)
    assert message is None or message in lines[0]


def test_the_default_gravity_has_a_nominal_value(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text("symoro: 1\nname: x\nframes: [{alpha: pi/2, link: {M: 1, MX: 0.5}}]\n", encoding="utf-8")
    f = symoro.generate(symoro.load(path), "gravity-torques").function()
    np.testing.assert_allclose(np.abs(f(q=[0.0])["Q"]), [9.81 * 0.5])
    assert "G3" not in dict(symoro.load(path).bind({"G3": -1.62}).nominal)


def test_matrices_by_their_entries() -> None:
    robot = symoro.load("puma560")
    T = symoro.generate(robot, "fast-geometry").function()(q=np.linspace(0.1, 0.6, 6))["T"]
    f = symoro.generate(robot, "inverse-geometry").function()
    expected = f(T=T)["q"]
    np.testing.assert_array_equal(f(T=T.ravel())["q"], expected)
    np.testing.assert_array_equal(f(T=T.ravel().tolist())["q"], expected)
    np.testing.assert_array_equal(f(T=np.array([T.ravel()] * 3))["q"], [expected] * 3)
    far = T.copy()
    far[:3, 3] *= 1.5 + 2 / np.linalg.norm(far[:3, 3])  # out of reach: the distance is computed from the pose
    for pose, flat in ((far, far.ravel()), (np.array([far, T]), np.array([far.ravel(), T.ravel()]))):
        np.testing.assert_array_equal(f(T=flat)["residual"], f(T=pose)["residual"])
    text = ",".join(map(str, T.ravel()))
    assert main(["eval", "inverse-geometry", "puma560", f"T={text}"]) == 0
    with pytest.raises(symoro.SymoroError, match="shape"):
        f(T=T.ravel()[:12])


def test_a_matrix_of_one_row_is_one_sample() -> None:
    robot = symoro.Robot.from_dh([{"wrench": {"FX": "f"}, "link": {"M": 1, "ZZ": 1}}], "khalil-kleinfinger")
    f = symoro.generate(robot, "inverse-dynamics").function()
    inputs = {"q": [0.1], "qd": [0.2], "qdd": [0.3], "wrench": [[1, 0, 0, 0, 0, 2]]}
    assert f(**inputs)["tau"].shape == (1,)
