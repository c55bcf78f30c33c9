"""Compare the URDFs of example-robot-data with Pinocchio: poses, joint axes, inertias."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from symoro.errors import FormatError
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.robot.formats.urdf import read_urdf, write_urdf
from symoro.robot.formats.urdf.reader import document
from symoro.robot.formats.urdf.snap import snapped
from tests.effort import Effort
from tests.robot.urdf.examples import BROKEN, example_robots, whole_robots
from tests.robot.urdf.oracle import Frames, Inertia, Urdf, axis_error, inverse

ROBOTS = example_robots()
pytestmark = pytest.mark.skipif(not ROBOTS, reason="example-robot-data is not installed")
POSTURES = 2


def positions(robot: Robot, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return {robot.frame(j).name: float(rng.uniform(-1.5, 1.5)) for j in independent(robot)}


class Pinocchio:
    """URDF as read by Pinocchio: all joints independent, the root fixed."""

    def __init__(self, path: Path) -> None:
        self.pin = pytest.importorskip("pinocchio")
        self.model = self.pin.buildModelFromUrdf(str(path))
        self.data = self.model.createData()

    def move(self, q: dict[str, float]) -> None:
        configuration = self.pin.neutral(self.model)
        for name, value in q.items():
            i = self.model.getJointId(name)
            at = self.model.idx_qs[i]
            entries = [value] if self.model.nqs[i] == 1 else [np.cos(value), np.sin(value)]
            configuration[at : at + len(entries)] = entries
        self.pin.framesForwardKinematics(self.model, self.data, configuration)

    def placement(self, link: str) -> np.ndarray:
        return np.array(self.data.oMf[self.model.getFrameId(link, self.pin.FrameType.BODY)].homogeneous)

    def inertia(self, joint: str) -> Inertia:
        """Return the inertia of all bodies that move with a joint, in the root frame."""
        i = self.model.getJointId(joint)
        body = self.data.oMi[i].act(self.model.inertias[i])
        about_centre = Inertia(body.mass, np.zeros(3), np.array(body.inertia))
        T = np.eye(4)
        T[:3, 3] = body.lever
        return about_centre.seen_from(T)


def errors(path: Path, robot: Robot) -> tuple[float, float]:
    """Return the largest error of a pose, relative to the robot, and of an inertia over random postures."""
    urdf, pinocchio, frames = Urdf(path.read_text()), Pinocchio(path), Frames(robot)
    on_link = {}
    wrong, heavy = 0.0, 0.0
    for seed in range(POSTURES + 1):
        q = positions(robot, seed) if seed else {frame.name: 0.0 for frame in robot.frames}
        placed = frames.placements(q)
        moved = dict(zip((f.name for f in robot.frames), frames.positions(q), strict=True))
        pinocchio.move({name: moved[name] for name in urdf.moving()})
        scale = max(1.0, *(np.abs(F[:3, 3]).max() for F in placed))
        for joint in (name for name in urdf.joints if name in frames.numbers):
            P = pinocchio.placement(urdf.joints[joint].find("child").get("link"))
            F = placed[frames.number(joint)]
            X = on_link.setdefault(joint, inverse(P) @ F)
            wrong = max(wrong, np.abs(P @ X - F).max() / scale, axis_error(urdf, joint, P, F) / scale)
            if urdf.kind(joint) != "fixed":
                mine = frames.inertia(frames.number(joint)).seen_from(F)
                heavy = max(heavy, pinocchio.inertia(joint).distance(mine))
    return wrong, heavy


@pytest.mark.parametrize("name", whole_robots())
def test_equal_to_pinocchio(name: str) -> None:
    robot = read_urdf(ROBOTS[name].read_text(), str(ROBOTS[name]), exact=True)
    placed, inertia = errors(ROBOTS[name], robot)
    assert placed <= 1e-11
    assert inertia <= 1e-11


@pytest.mark.parametrize("name", whole_robots())
def test_equal_to_pinocchio_but_for_rounded_angles(name: str) -> None:
    text = ROBOTS[name].read_text()
    _, rounding = snapped(document(text, None))
    changed = rounding.largest * min(12, rounding.angles + rounding.axes)  # at most so many in one chain
    placed, inertia = errors(ROBOTS[name], read_urdf(text))
    assert placed <= 1e-11 + 2 * changed
    assert inertia <= 1e-11 + 4 * changed


@pytest.mark.parametrize("name", BROKEN)
def test_errors_of_broken_files_state_the_reason(name: str) -> None:
    path = ROBOTS[name]
    with pytest.raises(FormatError, match=BROKEN[name]) as caught:
        read_urdf(path.read_text(), str(path))
    assert caught.value.place is not None
    assert caught.value.place.file == str(path)
    assert caught.value.place.line is not None


@pytest.mark.parametrize("name", whole_robots())
def test_export_and_import_give_the_same_robot(name: str) -> None:
    robot = read_urdf(ROBOTS[name].read_text(), base="floating")
    again = read_urdf(write_urdf(robot))
    q = positions(robot, 1)
    one, two = Frames(robot), Frames(again)
    assert again.base.kind == robot.base.kind
    for a, b in zip(one.placements(q), two.placements(q), strict=True):
        assert np.abs(a - b).max() <= 1e-12 * max(1, np.abs(a).max())
    for j in range(robot.NL + 1):
        assert one.inertia(j).distance(two.inertia(j)) <= 1e-12


def test_exported_file_is_read_by_pinocchio(tmp_path: Path) -> None:
    robot = read_urdf(ROBOTS["tiago_description/tiago_no_hand.urdf"].read_text(), tool="arm_tool_link")
    path = tmp_path / "tiago.urdf"
    path.write_text(write_urdf(robot))
    pinocchio, frames, q = Pinocchio(path), Frames(robot), positions(robot, 3)
    pinocchio.move(q)
    for j, F in enumerate(frames.placements(q)):
        name = robot.link(j).name or f"link{j}"
        assert np.abs(pinocchio.placement(name) - F).max() <= 1e-12


@pytest.mark.parametrize("name", ["tiago_description/tiago_dual.urdf", "pr2_description/pr2.urdf"])
def test_a_hundred_joints_are_little_work(name: str) -> None:
    text = ROBOTS[name].read_text()
    with Effort(most=1_000_000):  # 0.25 million at most when this was written
        robot = read_urdf(text)
    assert robot.NL >= 30
