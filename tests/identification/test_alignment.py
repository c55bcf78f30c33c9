"""Placements of the tracker: rotated bases, far markers; ambiguous measurements are rejected or reported.

The oracle is a product of exponentials of its own, fitted by SciPy from the truth: nothing fits better than that.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ProgramError, SymoroError
from symoro.expr.formula import formula
from symoro.identification import Calibration, Measurements, calibrate, simulated, write_measurements
from symoro.identification.alignment import CUBE, RotationProblem, angle_between, rotations
from symoro.models.calibration.chain import end_poses, numeric_chain
from symoro.models.calibration.columns import path_to
from symoro.models.calibration.identifiable import geometric_parameters, on_plane
from symoro.models.numeric.rotation import exponential, from_quaternion, logarithm
from symoro.robot.description import Frame, JointType, Link, Robot

PLACE, TURN = ("TX", "TY", "TZ"), ("RX", "RY", "RZ")
GIMBAL = [
    [math.pi, 0, 0],
    [0, math.pi, 0],
    [0, 0, math.pi],
    [0, math.pi / 2 - 1e-9, 0],
    [math.pi / 2, 0, 0],
    [0, 0, -math.pi / 2],
    [0, math.pi - 1e-7, 1e-7],
    [2.2, 2.2, 0],
]


def anywhere(rng: np.random.Generator, k: int) -> np.ndarray:
    """A rotation vector: special ones first, then any."""
    return np.array(GIMBAL[k]) if k < len(GIMBAL) else logarithm(from_quaternion(rng.standard_normal(4)))


def moving(robot: Robot) -> int:
    return sum(f.moving for f in robot.frames)


def case(
    robot: Robot, measure: str, k: int, size: float, count: int = 40
) -> tuple[dict[str, float], Measurements]:
    """Errors of the robot, base and end anywhere, and measurements with noise of 0.1 mm and 0.1 mrad."""
    rng = np.random.default_rng(100 + k)
    names = geometric_parameters(robot, measure=measure, offset=[0.1, 0.2, 0.3]).names
    errors = {name: float(size * rng.standard_normal()) for name in names}
    errors |= zip((kind + "0" for kind in PLACE), map(float, rng.uniform(-6, 6, 3)), strict=True)
    errors |= zip((kind + "0" for kind in TURN), map(float, anywhere(rng, k)), strict=True)
    lever = rng.standard_normal(3)
    lever *= rng.uniform(0.2, 0.5) / np.linalg.norm(lever)
    turn = logarithm(from_quaternion(rng.standard_normal(4)))
    tip = dict(zip((kind + "E" for kind in (*PLACE, *TURN)), [*lever, *turn], strict=True))
    errors |= {name: float(value) for name, value in tip.items() if name in names}
    q = rng.uniform(-2, 2, (count, moving(robot)))
    poses = simulated(robot, q, errors, length=1e-4, angle=1e-4, seed=k).poses
    return errors, Measurements(measure, q, poses, np.zeros(0))


def ends(robot: Robot, q: np.ndarray, errors: dict[str, float]) -> np.ndarray:
    return end_poses(numeric_chain(path_to(robot, None)), q, errors)


def displaced(values: list[float]) -> np.ndarray:
    result = np.eye(4)
    result[:3, 3], result[:3, :3] = values[:3], exponential(values[3:])
    return result


def errors_from_base(result: Calibration, robot: Robot, errors: dict[str, float]) -> np.ndarray:
    """Return the true errors in the order of the estimated ones; those of frame 0 relative to the estimated base."""
    true = dict(errors)
    names = [kind + "0" for kind in (*PLACE, *TURN)]
    if result.base is not None:
        described = np.array([f.value({}) for f in robot.base.Z]).reshape(4, 4)
        moved = np.linalg.inv(result.base) @ described @ displaced([errors[name] for name in names])
        true |= zip(names, [*moved[:3, 3], *logarithm(moved[:3, :3])], strict=True)
    return np.array([true.get(name, 0.0) for name in result.names])


def test_rotations_are_never_reflections() -> None:
    near = np.random.default_rng(0).standard_normal((200, 3, 3))
    result = rotations(np.concatenate([near, -near, np.diag([1.0, 1.0, -1e-9])[None]]))
    assert np.linalg.det(result) == pytest.approx(np.ones(401))
    assert result[-1] == pytest.approx(np.eye(3), abs=1e-8)
    assert len(CUBE) == 24 and np.linalg.det(CUBE) == pytest.approx(np.ones(24))


@pytest.mark.parametrize("flat", [1.0, 1e-2, 1e-4, 0.0])
def test_points_almost_in_a_plane_are_turned_and_not_mirrored(flat: float) -> None:
    """A reflection in the plane fits points there as well: it is no rotation."""
    for k in range(12):
        rng = np.random.default_rng(k)
        own = np.repeat(np.eye(4)[None], 20, 0)
        own[:, :3, 3] = rng.standard_normal((20, 3)) * [1, 1, flat]
        true = displaced([*rng.uniform(-9, 9, 3), *anywhere(rng, k)])
        measured = true @ own
        measured[:, :3, 3] += 1e-7 * rng.standard_normal((20, 3))
        (best, *_) = RotationProblem(own, measured, np.zeros((3, 0)), 0.0, False).solutions(np.eye(3))
        assert angle_between(best.base[:3, :3], true[:3, :3]) < 1e-3
        assert np.linalg.det(best.base[:3, :3]) == pytest.approx(1)


SLICE = [("puma560", "pose", 1), ("puma560", "position", 8), ("scara", "position", 3), ("ur5e", "pose", 0)]
WHOLE = [
    (name, measure, k)
    for name in ("puma560", "rx90", "ur5e", "panda", "scara")
    for measure in ("pose", "position")
    for k in range(12)
]


def recovered(robot: Robot, measure: str, k: int, size: float) -> list[float]:
    """Squares of normalised errors of a case that must come out right; those of the end's turn act by a chart."""
    errors, measured = case(robot, measure, k, size)
    result = calibrate(robot, measured, noise={"length": 1e-4, "angle": 1e-4})
    assert result.warnings == ()
    fresh = np.random.default_rng(1).uniform(-2, 2, (20, moving(robot)))
    away = (ends(result.calibrated, fresh, {}) - ends(robot, fresh, errors))[:, :3, 3]
    assert np.abs(away).max() < 1e-3
    assert result.after["length"] == pytest.approx(1e-4, rel=0.35)
    normalised = (result.errors - errors_from_base(result, robot, errors)) / result.deviations
    kept = [
        x for x, name in zip(normalised, result.names, strict=True) if name[:2] not in TURN or name[2] == "0"
    ]
    assert max(map(abs, kept)) < 4.5  # of thousands in all
    return [float(x * x) for x in kept]


@pytest.mark.parametrize(("name", "measure", "k"), SLICE)
def test_errors_are_recovered_for_any_base_pose(name: str, measure: str, k: int) -> None:
    recovered(symoro.load(name), measure, k, 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e-3, 1e-2])
def test_errors_are_recovered_from_several_bases(size: float) -> None:
    squares = [x for name, measure, k in WHOLE for x in recovered(symoro.load(name), measure, k, size)]
    assert 0.7 < float(np.mean(squares)) < 1.3


def random_arm(seed: int) -> Robot:
    """4 to 7 joints that turn, in general places: nothing is almost special."""
    rng = np.random.default_rng(seed)
    frames = [
        Frame(
            j,
            JointType.REVOLUTE,
            alpha=formula(round(float(rng.choice([-1, 1]) * rng.uniform(0.4, 1.6)), 2)),
            d=formula(round(float(rng.uniform(0.1, 0.5)), 2)),
            r=formula(round(float(rng.uniform(0.1, 0.5)), 2)),
        )
        for j in range(4 + seed % 4)
    ]
    return Robot(f"arm{seed}", frames=tuple(frames), links=tuple(Link() for _ in frames))


@pytest.mark.parametrize("seed", [2, *(pytest.param(k, marks=pytest.mark.slow) for k in range(20))])
def test_errors_of_random_arms_are_recovered(seed: int) -> None:
    for measure in ("pose", "position"):
        recovered(random_arm(seed), measure, seed, 3e-3)


# -- the oracle: exponentials of twists, one a joint


def twist_pose(twist: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """exp(angle twist) by its series' closed form (S, 4, 4), v then w; w of length about one."""
    v, w = twist[:3], twist[3:]
    size = float(np.linalg.norm(w))
    a = angle * size
    cross = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) / size
    s, c = np.sin(a)[:, None, None], np.cos(a)[:, None, None]
    result = np.zeros((len(angle), 4, 4))
    result[:, :3, :3] = np.eye(3) + s * cross + (1 - c) * cross @ cross
    way = a[:, None, None] * np.eye(3) + (1 - c) * cross + (a[:, None, None] - s) * cross @ cross
    result[:, :3, 3] = way @ v / size
    result[:, 3, 3] = 1
    return result


class Exponentials:
    """wTe = exp(x1 q1) .. exp(xn qn) T, twists and T in numbers that are free."""

    def __init__(self, robot: Robot, errors: dict[str, float]) -> None:
        """Twists of the true robot, by differences of its end's pose: the fit starts there."""
        n = moving(robot)
        self.home = ends(robot, np.zeros((1, n)), errors)[0]
        step = 1e-5
        self.twists = []
        for j in range(n):
            there, back = (ends(robot, np.eye(n)[j][None] * x, errors)[0] for x in (step, -step))
            rate = (there - back) / (2 * step) @ np.linalg.inv(self.home)
            self.twists.append([*rate[:3, 3], rate[2, 1], rate[0, 2], rate[1, 0]])
        self.n = n

    def poses(self, x: np.ndarray, q: np.ndarray) -> np.ndarray:
        at = np.repeat(np.eye(4)[None], len(q), 0)
        for j in range(self.n):
            at = at @ twist_pose(np.array(self.twists[j]) + x[6 * j : 6 * j + 6], q[:, j])
        return at @ self.home @ displaced(list(x[-6:]))

    def misses(self, x: np.ndarray, measured: Measurements) -> np.ndarray:
        """Angles as the skew part of the rotation that is left, which is small."""
        said = self.poses(x, measured.q)
        off = (measured.poses - said)[:, :3, 3]
        if measured.measure == "position":
            return off.reshape(-1)
        left = measured.poses[:, :3, :3] @ said[:, :3, :3].transpose(0, 2, 1)
        skew = np.stack(
            [left[:, 2, 1] - left[:, 1, 2], left[:, 0, 2] - left[:, 2, 0], left[:, 1, 0] - left[:, 0, 1]], 1
        )
        return np.concatenate([off, skew / 2], 1).reshape(-1)


@pytest.mark.parametrize(
    ("name", "measure", "k"),
    [
        ("puma560", "pose", 4),
        ("rx90", "position", 9),
        pytest.param("ur5e", "position", 2, marks=pytest.mark.slow),
        pytest.param("panda", "pose", 10, marks=pytest.mark.slow),
    ],
)
def test_no_geometry_fits_better(name: str, measure: str, k: int) -> None:
    """The oracle has a few more unknowns that change nothing, and starts at the truth."""
    from scipy import optimize

    robot = symoro.load(name)
    errors, measured = case(robot, measure, k, 1e-2, 50)
    result = calibrate(robot, measured, noise={"length": 1e-4, "angle": 1e-4})
    oracle = Exponentials(robot, errors)
    best = optimize.least_squares(
        lambda x: oracle.misses(x, measured) / 1e-4,
        np.zeros(6 * oracle.n + 6),
        x_scale=1e-3,
        xtol=1e-14,
        ftol=1e-13,
    )
    reported = ends(result.calibrated, measured.q, {})
    ours = np.sum((measured.poses - reported)[:, :3, 3] ** 2) / 1e-8
    if measure == "pose":
        ours += (
            np.sum(logarithm(measured.poses[:, :3, :3] @ reported[:, :3, :3].transpose(0, 2, 1)) ** 2) / 1e-8
        )
    # Its twists need not keep their pitch zero: one more unknown a joint, each worth about one.
    assert 2 * best.cost <= ours * (1 + 1e-9)
    assert ours < 2 * best.cost + 4 * (oracle.n + 3)
    fresh = np.random.default_rng(3).uniform(-2, 2, (20, oracle.n))
    apart = (ends(result.calibrated, fresh, {}) - oracle.poses(best.x, fresh))[:, :3, 3]
    assert np.abs(apart).max() < 4e-4


# -- small errors, and what is known


def test_small_errors_are_estimated_without_alignment() -> None:
    robot = symoro.load("puma560")
    q = np.random.default_rng(0).uniform(-2, 2, (30, 6))
    small = calibrate(
        robot, simulated(robot, q, {"theta2": 3e-3, "TX0": 3.0, "RZ0": 0.8}, length=1e-4, angle=1e-4)
    )
    assert small.base is None and small.robot is robot
    assert small.errors[small.names.index("TX0")] == pytest.approx(3.0, abs=1e-3)
    assert small.errors[small.names.index("RZ0")] == pytest.approx(0.8, abs=1e-3)
    tip = calibrate(robot, simulated(robot, q, {"theta2": 3e-3, "RXE": 2.5, "TZE": 0.3}))
    assert tip.base is None
    assert tip.errors[tip.names.index("RXE")] == pytest.approx(2.5, abs=1e-6)


def test_known_parameters_are_unchanged() -> None:
    robot = symoro.load("rx90")
    q = np.random.default_rng(0).uniform(-2, 2, (30, 6))
    measured = simulated(robot, q, {"theta2": 3e-3, "RYE": 2.8, "TXE": 0.3}, length=1e-4, angle=1e-4)
    result = calibrate(robot, measured, known_base=True)
    assert result.base is None and not any(name.endswith("0") for name in result.names)
    assert result.after["length"] < 1.3e-4 and result.calibrated.base == robot.base
    turned = simulated(robot, q, {"theta2": 3e-3, "RY0": 2.8, "TX0": 7.0}, length=1e-4, angle=1e-4)
    result = calibrate(robot, turned, known_tool=True)
    assert not any(name.endswith("E") for name in result.names) and result.calibrated.tool == robot.tool
    assert result.after["length"] < 1.3e-4
    for measure in ("pose", "position"):  # a base that is said to be known and is not
        assert diagnosis(robot, replace(turned, measure=measure), known_base=True, known_tool=True)


@pytest.mark.parametrize("to", [1, 4])
def test_a_marker_on_another_frame_measured_from_any_base(to: int) -> None:
    robot = symoro.load("puma560")
    q = np.random.default_rng(5).uniform(-2, 2, (40, 6))
    errors = {"theta2": 3e-3, "RX0": 2.4, "RZ0": 1.0, "TY0": 5.0, "TXE": 0.2, "RYE": 2.0}
    result = calibrate(robot, simulated(robot, q, errors, to=to, length=1e-5, angle=1e-5), to=to)
    assert result.warnings == () and result.marker is not None
    reported = ends(result.calibrated.replace(tool=result.marker), q, {})
    assert reported == pytest.approx(end_poses(numeric_chain(path_to(robot, to)), q, errors), abs=1e-4)


# -- distances and contacts


def test_distances_to_another_point() -> None:
    """The point is given in a world frame in which the base is far from its described pose."""
    robot, q = symoro.load("puma560"), np.random.default_rng(5).uniform(-2, 2, (150, 6))
    place = {"TX0": -2.5, "TY0": 1.5, "TZ0": -0.8, "RZ0": 2.5}
    point = np.array([-2.0, 0.5, 0.4])
    poses = simulated(robot, q, {"theta3": 5e-3, **place}, length=1e-5).poses
    far = np.linalg.norm(poses[:, :3, 3] - point, axis=1)
    result = calibrate(
        robot,
        Measurements("distance", q, np.zeros((0, 4, 4)), far),
        options=symoro.CalibrationOptions(point=point),
    )
    assert result.warnings == () and result.base is not None
    assert result.after["length"] < 1.5e-5
    fresh = np.random.default_rng(9).uniform(-2, 2, (30, 6))
    reported, true = (
        np.linalg.norm(ends(r, fresh, e)[:, :3, 3] - point, axis=1)
        for r, e in ((result.calibrated, {}), (robot, {"theta3": 5e-3, **place}))
    )
    assert reported == pytest.approx(true, abs=2e-4)


def test_contacts_with_a_plane_that_faces_elsewhere() -> None:
    robot, q = symoro.load("puma560"), np.random.default_rng(5).uniform(-2, 2, (220, 6))
    normal, height = np.array([0.6, 0.0, 0.8]), 0.3
    turned = displaced([0.3, 0.2, 0.1, 0.0, 1.3, 0.4])
    true = {"theta3": 4e-3, "d3": 2e-3}
    q = on_plane(
        numeric_chain(path_to(robot, None)), q, turned[:3, :3].T @ normal, np.array([0.3, 0.1, 0.4]), true
    )
    seen = (turned @ ends(robot, q, true))[:, :3, 3] @ normal
    assert np.ptp(seen) < 1e-8
    result = calibrate(
        robot,
        Measurements("plane", q, np.zeros((0, 4, 4)), np.zeros(0)),
        noise={"length": 1e-4},
        options=symoro.CalibrationOptions(plane=[*normal, height]),
    )
    assert result.warnings == () and result.after["length"] < 1e-8
    assert ends(result.calibrated, q, {})[:, :3, 3] @ normal == pytest.approx(
        np.full(len(q), height), abs=1e-7
    )


# -- ambiguous measurements, and wrong units or conventions


def diagnosis(robot: Robot, measured: Measurements, **more: Any) -> str:
    """What is said where nothing is right: the warnings, or the rejection with its hint."""
    try:
        return " ".join(calibrate(robot, measured, **more).warnings)
    except SymoroError as error:
        return f"{error} {getattr(error, 'hint', '')}"


def mirrored(measured: Measurements, axis: int, turns: bool) -> Measurements:
    mirror = np.eye(3)
    mirror[axis, axis] = -1
    poses = measured.poses.copy()
    poses[:, :3, 3] = poses[:, :3, 3] @ mirror
    if turns:
        poses[:, :3, :3] = mirror @ poses[:, :3, :3] @ mirror
    return replace(measured, poses=poses)


@pytest.mark.parametrize(
    ("name", "measure", "k", "turns"),
    [
        ("puma560", "position", 9, False),
        ("puma560", "pose", 9, True),
        pytest.param("ur5e", "position", 1, False, marks=pytest.mark.slow),
        pytest.param("rx90", "pose", 2, True, marks=pytest.mark.slow),
        pytest.param("panda", "position", 8, False, marks=pytest.mark.slow),
    ],
)
def test_left_handed_axes_are_named(name: str, measure: str, k: int, turns: bool) -> None:
    robot = symoro.load(name)
    _, measured = case(robot, measure, k, 1e-3)
    assert "left-handed" in diagnosis(robot, mirrored(measured, k % 3, turns))


def test_motions_of_one_joint_are_rejected_for_any_base_pose() -> None:
    robot = symoro.load("puma560")
    for measure in ("pose", "position"):
        errors, measured = case(robot, measure, 9, 1e-3)
        q = np.repeat(measured.q[:1], 40, 0)
        q[:, 0] = np.linspace(-2, 2, 40)
        poses = simulated(robot, q, errors, length=1e-4, angle=1e-4).poses
        with pytest.raises(ProgramError, match="do not determine"):
            calibrate(robot, Measurements(measure, q, poses, np.zeros(0)))


def test_similar_postures_give_no_unit_warning() -> None:
    robot = symoro.load("rx90")
    errors, _ = case(robot, "position", 9, 1e-3)
    rng = np.random.default_rng(3)
    q = rng.uniform(-1, 1, 6) + rng.uniform(-0.05, 0.05, (40, 6))
    poses = simulated(robot, q, errors, length=1e-4, angle=1e-4, seed=5).poses
    with pytest.raises(ProgramError) as caught:
        calibrate(robot, Measurements("position", q, poses, np.zeros(0)), noise={"length": 1e-4})
    assert "configurations that differ more" in str(caught.value.hint)


@pytest.mark.parametrize("count", [6, pytest.param(7, marks=pytest.mark.slow), 8])
def test_few_postures_give_correct_results_or_warnings(count: int) -> None:
    """The estimate is within its deviations, or the measurements are rejected or give a warning."""
    robot = symoro.load("puma560")
    for k in range(8, 12):
        errors, measured = case(robot, "pose", k, 1e-3, count)
        try:
            result = calibrate(robot, measured, noise={"length": 1e-4, "angle": 1e-4})
        except SymoroError:
            continue
        normalised = (result.errors - errors_from_base(result, robot, errors)) / result.deviations
        kept = [
            x
            for x, name in zip(normalised, result.names, strict=True)
            if name[:2] not in TURN or name[2] == "0"
        ]
        assert result.warnings or max(map(abs, kept)) < 5


def changed(measured: Measurements, column: int, factor: float = 1.0, shift: float = 0.0) -> Measurements:
    q = measured.q.copy()
    q[:, column] = factor * q[:, column] + shift
    return replace(measured, q=q)


def test_inverted_joints_and_gear_ratios_are_named() -> None:
    robot = symoro.load("puma560")
    q = np.random.default_rng(7).uniform(-2, 2, (30, 6))
    m = simulated(robot, q, {"theta2": 3e-3, "RX0": 2.0, "TX0": 4.0}, length=1e-4, angle=1e-4)
    assert "the sign of joint 3 is wrong" in diagnosis(robot, changed(m, 2, -1.0))
    assert "k3 (-0.047" in diagnosis(robot, changed(m, 2, 1.05))
    assert diagnosis(robot, changed(m, 2, shift=math.radians(10))) == ""


@pytest.mark.slow
@pytest.mark.parametrize("turned", [False, True])
def test_mistaken_joints_and_axes_are_named(turned: bool) -> None:
    robot = symoro.load("puma560")
    q = np.random.default_rng(7).uniform(-2, 2, (30, 6))
    base = {"RX0": 2.0, "RY0": -1.5, "TX0": 4.0} if turned else {}
    m = simulated(robot, q, {"theta2": 3e-3, "d3": 2e-3, **base}, length=1e-4, angle=1e-4)
    swapped = replace(m, q=m.q[:, [0, 2, 1, 3, 4, 5]])
    columns = replace(m, poses=m.poses.copy())
    columns.poses[:, :2, 3] = m.poses[:, [1, 0], 3]
    conjugate = replace(m, poses=m.poses.copy())
    conjugate.poses[:, :3, :3] = m.poses[:, :3, :3].transpose(0, 2, 1)
    assert "the sign of joint 3 is wrong" in diagnosis(robot, changed(m, 2, -1.0))
    assert "columns q2 and q3 are swapped" in diagnosis(robot, swapped)
    assert "columns x, y, z contain y, x, z" in diagnosis(robot, columns)
    assert "the rotations are those of the base" in diagnosis(robot, conjugate)
    assert "k3 (-0.047" in diagnosis(robot, changed(m, 2, 1.05))
    assert diagnosis(robot, changed(m, 2, shift=math.radians(10))) == ""
    assert "theta2" in diagnosis(robot, changed(m, 1, shift=math.radians(30)))
    assert diagnosis(robot, m) == ""


def test_roll_pitch_and_yaw_read_as_a_rotation_vector(tmp_path: Path) -> None:
    from symoro.identification import read_measurements

    robot = symoro.load("puma560")
    q = np.random.default_rng(7).uniform(-2, 2, (30, 6))
    m = simulated(robot, q, {"theta2": 3e-3}, length=1e-4, angle=1e-4)
    R = m.poses[:, :3, :3]
    angles = np.stack(
        [np.arctan2(R[:, 2, 1], R[:, 2, 2]), np.arcsin(-R[:, 2, 0]), np.arctan2(R[:, 1, 0], R[:, 0, 0])], 1
    )
    rows = np.concatenate([q, m.poses[:, :3, 3], angles], 1)
    path = tmp_path / "rpy.csv"
    np.savetxt(path, rows, delimiter=",", header="q1,q2,q3,q4,q5,q6,x,y,z,rx,ry,rz", comments="")
    assert "roll, pitch and yaw" in diagnosis(robot, read_measurements(robot, path))


def test_the_pose_of_the_base_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from symoro.ui.cli import main

    robot, log, out = symoro.load("puma560"), tmp_path / "log.csv", tmp_path / "better.yaml"
    q = np.random.default_rng(7).uniform(-2, 2, (30, 6))
    measured = simulated(robot, q, {"theta2": 3e-3, "TX0": 4.0, "RX0": 2.5}, length=1e-5, angle=1e-5)
    write_measurements(robot, measured, log)
    assert main(["calibrate", "puma560", str(log), "-o", str(out)]) == 0
    assert "frame 0 is at 4" in capsys.readouterr().out
    assert ends(symoro.load(out), q, {}) == pytest.approx(measured.poses, abs=1e-3)
    assert main(["calibrate", "puma560", str(log), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["base"]["position"] == pytest.approx([4, 0, 0], abs=1e-3)
    assert data["base"]["rotation"] == pytest.approx([2.5, 0, 0], abs=1e-3)
    assert data["before"]["length"] < 0.02 and data["warnings"] == []
