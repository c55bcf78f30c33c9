"""Numbers of sweeps against other computations: finite differences, textbook formulas, other models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError, OptionError, SymoroError, UnknownNameError
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType
from symoro.runtime.poses import from_angles
from symoro.trajectory import Line, Move, Trajectory

ELBOWS_OUT = 2  # solution of the five-bar robot's inverse geometry


def rx90_position_and_axes(q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return end position, joint axes (6, 3) and origins (6, 3) of RX90 by products of homogeneous matrices."""
    table = [
        (0, 0, 0),
        (np.pi / 2, 0, 0),
        (0, 0.45, 0),
        (-np.pi / 2, 0, 0.45),
        (np.pi / 2, 0, 0),
        (-np.pi / 2, 0, 0),
    ]
    T, axes, origins = np.eye(4), [], []
    for (alpha, d, r), angle in zip(table, q, strict=True):
        ca, sa, c, s = np.cos(alpha), np.sin(alpha), np.cos(angle), np.sin(angle)
        T = T @ [[c, -s, 0, d], [ca * s, ca * c, -sa, -r * sa], [sa * s, sa * c, ca, r * ca], [0, 0, 0, 1]]
        axes.append(T[:3, 2])
        origins.append(T[:3, 3])
    return T[:3, 3], np.array(axes), np.array(origins)


def test_reach_and_manipulability_of_rx90_at_a_thousand_postures() -> None:
    result = symoro.sweep(
        "rx90",
        "jacobian",
        sample={"q": (-2.5, 2.5)},
        count=1000,
        measures=["reach", "manipulability"],
        seed=2,
    )
    columns = result.columns
    for row in range(1000):
        p, axes, origins = rx90_position_and_axes(np.array([columns[f"q{j}"][row] for j in range(1, 7)]))
        J = np.concatenate([np.cross(axes, p - origins), axes], axis=1).T
        assert columns["reach"][row] == pytest.approx(np.linalg.norm(p), abs=1e-12)
        assert columns["manipulability"][row] == pytest.approx(abs(np.linalg.det(J)), abs=1e-12)
    assert result.compilations == 2


def test_a_swept_parameter_equals_a_bound_one() -> None:
    result = symoro.sweep(
        "planar2r",
        "inverse-dynamics",
        over={"q1": (-1, 1, 3), "q2": (-2, 2, 3)},
        sample={"M2": (0.5, 3), "D2": (0.5, 1.5)},
        count=4,
        at={"qd": [0.3, -0.2], "qdd": [1, 2]},
    )
    table = result.columns
    assert list(table) == ["q1", "q2", "M2", "D2", "tau1", "tau2"] and result.compilations == 1
    assert result.units == {"q1": "rad", "q2": "rad", "M2": "kg", "D2": "m", "tau1": "N m", "tau2": "N m"}
    for row in (0, 7, 20, 35):
        robot = symoro.load("planar2r").bind({"M2": table["M2"][row], "D2": table["D2"][row]})
        q = [table["q1"][row], table["q2"][row]]
        tau = symoro.generate(robot, "inverse-dynamics").function()(q=q, qd=[0.3, -0.2], qdd=[1, 2])["tau"]
        assert [table["tau1"][row], table["tau2"][row]] == pytest.approx(tau, rel=1e-12)


def test_a_number_of_the_description_can_be_swept() -> None:
    result = symoro.sweep(
        "ur5e", "fast-geometry", over={"D3": (-0.5, -0.3, 3)}, at={"q": 0}, measures=["position"]
    )
    x = result.columns["x"]
    assert np.abs(np.diff(x)) == pytest.approx([0.1, 0.1], abs=1e-12)
    nominal = symoro.sweep("ur5e", "fast-geometry", over={"q1": [0]}, at={f"q{j}": 0 for j in range(2, 7)})
    assert np.interp(-0.425, [-0.5, -0.4, -0.3], x) == pytest.approx(nominal.columns["T_1_4"][0], abs=1e-12)


def five_bar(q1: float, q3: float, P: np.ndarray) -> np.ndarray:
    """Return the Jacobian of the tip of the bundled five-bar robot: A v = B qd with the two distal bars."""
    E1, E2 = 0.2 * np.array([np.cos(q1), np.sin(q1)]), 0.2 * np.array([np.cos(q3), np.sin(q3)])
    tangents = [np.array([-E[1], E[0]]) for E in (E1, E2)]
    bars = [P - E1, P - E2 - [0.24, 0]]
    B = np.diag([bar @ tangent for bar, tangent in zip(bars, tangents, strict=True)])
    return np.linalg.solve(np.array(bars), B)


def test_the_five_bar_robot_by_pose_and_by_active_joints() -> None:
    measures = ["singularity-distance", "manipulability", "condition", "inverse-condition"]
    by_pose = symoro.sweep(
        "fivebar",
        "jacobian",
        over={"x": (0, 0.24, 5), "y": (0.2, 0.5, 5)},
        at={"z": 0},
        task="x,y",
        length=0.3,
        mode=ELBOWS_OUT,
        measures=measures,
    ).columns
    solve = symoro.generate("fivebar", "inverse-geometry", pose="position").function()
    checked = 0
    for row in range(25):
        T = np.eye(4)
        T[:2, 3] = by_pose["x"][row], by_pose["y"][row]
        answer = solve(T=T)
        if answer["status"][ELBOWS_OUT - 1]:
            assert np.isnan(by_pose["manipulability"][row]) and np.isnan(by_pose["condition"][row])
            continue
        q = answer["q"][ELBOWS_OUT - 1]
        s = np.linalg.svd(five_bar(q[0], q[2], T[:2, 3]) / 0.3, compute_uv=False)
        assert by_pose["singularity_distance_serial"][row] == pytest.approx(s[1], rel=1e-9)
        assert by_pose["singularity_distance_parallel"][row] == pytest.approx(1 / s[0], rel=1e-9)
        assert by_pose["manipulability"][row] == pytest.approx(s.prod(), rel=1e-9)
        assert by_pose["inverse_condition"][row] == pytest.approx(s[1] / s[0], rel=1e-9)
        checked += 1
    assert 10 < checked < 25
    by_joints = symoro.sweep(
        "fivebar",
        "jacobian",
        over={"q1": (100, 140, 3), "q3": (40, 80, 3)},
        degrees=True,
        task="x,y",
        length=0.3,
        measures=[*measures, "position"],
    ).columns
    for row in range(9):
        angles = np.radians([by_joints["q1"][row], by_joints["q3"][row]])
        P = np.array([by_joints["x"][row], by_joints["y"][row]])
        s = np.linalg.svd(five_bar(*angles, P) / 0.3, compute_uv=False)
        assert by_joints["singularity_distance_serial"][row] == pytest.approx(s[1], rel=1e-9)
        assert by_joints["singularity_distance_parallel"][row] == pytest.approx(1 / s[0], rel=1e-9)


def test_a_length_is_swept_at_a_fixed_pose() -> None:
    table = symoro.sweep(
        "fivebar",
        "jacobian",
        over={"D5": (0.25, 0.35, 3)},
        at={"x": 0.12, "y": 0.3, "z": 0},
        task="x,y",
        mode=ELBOWS_OUT,
        measures=["manipulability"],
    ).columns
    for row in range(3):
        robot = symoro.load("fivebar").bind({"D5": table["D5"][row]})
        one = symoro.sweep(
            robot,
            "jacobian",
            over={"x": [0.12]},
            at={"y": 0.3, "z": 0},
            task="x,y",
            mode=ELBOWS_OUT,
            measures=["manipulability"],
        )
        assert table["manipulability"][row] == pytest.approx(one.columns["manipulability"][0], rel=1e-12)


@pytest.mark.parametrize("mode", [0, 1])
def test_the_assembly_mode_is_that_of_the_posture_home(mode: int) -> None:
    plain = symoro.load("fivebar")
    qa = [2.0, 1.0]
    home = symoro.generate(plain, "loop-geometry").function()(qa=qa)["q"][mode]
    robot = plain.replace(postures={"home": tuple(home)})
    for swept in ({"q1": (1.9, 2.1, 2)}, {"D5": (0.29, 0.31, 2), "q1": [2.0]}):
        table = symoro.sweep(
            robot, "fast-geometry", over=swept, at={"q3": 1.0}, measures=["position"]
        ).columns
        T = symoro.generate(plain, "fast-geometry").function()(q=home)["T"]
        assert table["y"].mean() == pytest.approx(T[1, 3], abs=0.02)


@pytest.mark.parametrize(
    ("name", "task", "over", "at"),
    [
        ("fivebar", "x,y", {"q1": (1.7, 2.4, 4), "q3": (0.7, 1.4, 4)}, {}),
        ("gough_stewart", "pose", {"x": (-0.1, 0.1, 4), "yaw": (-0.4, 0.4, 4)}, {"y": 0, "z": 0.8}),
    ],
)
def test_distances_equal_those_of_the_singularity_analysis(
    name: str, task: str, over: dict[str, Any], at: dict[str, float]
) -> None:
    given: dict[str, Any] = {
        "over": over,
        "at": at,
        "task": task,
        "length": 0.3,
        "measures": ["singularity-distance"],
    }
    table = symoro.sweep(name, "jacobian", **given).columns
    if "x" in over:
        T = from_angles(table["x"], 0, 0.8, 0, 0, table["yaw"])
        expected = symoro.singularity_distance(name, T=T, length=0.3)
    else:
        solve = symoro.generate(name, "loop-geometry").function()
        q = solve(qa=np.stack([table["q1"], table["q3"]], axis=1))["q"][:, 0]
        expected = symoro.singularity_distance(name, q, length=0.3)
    assert table["singularity_distance_serial"] == pytest.approx(expected["serial"], rel=1e-6)
    assert table["singularity_distance_parallel"] == pytest.approx(expected["parallel"], rel=1e-6)


LIMITS = {"x": 0.15, "y": 0.15, "roll": 0.2, "pitch": 0.2, "yaw": 0.4}


@pytest.mark.parametrize(
    ("name", "task", "swept", "at", "length"),
    [
        ("delta", "x,y,z", ("x", "y"), {"z": -0.6}, 1.0),
        ("3rrr", "x,y,rz", ("x", "y", "yaw"), {"z": 0}, 0.3),
        ("gough_stewart", "x,y,z,rx,ry,rz", ("x", "y", "roll", "pitch", "yaw"), {"z": 0.8}, 0.5),
    ],
)
def test_distances_of_platforms_against_differences_of_inverse_geometry(
    name: str, task: str, swept: tuple[str, ...], at: dict[str, float], length: float
) -> None:
    """The rates of the active joints for unit twists are central differences of inverse geometry."""
    count, step = 1000, 1e-5
    sample = {one: (-LIMITS[one], LIMITS[one]) for one in swept}
    table = symoro.sweep(
        name,
        "jacobian",
        sample=sample,
        count=count,
        at=at,
        task=task,
        length=length,
        measures=["singularity-distance"],
    ).columns
    robot = symoro.load(name)
    frames = [robot.frame(j) for j in independent(robot)]
    active = [k for k, frame in enumerate(frames) if frame.mu]
    units = np.array([length if frames[k].sigma == JointType.PRISMATIC else 1.0 for k in active])
    solve = symoro.generate(name, "inverse-geometry").function()
    T = from_angles(*(table.get(one, at.get(one, 0.0)) for one in ("x", "y", "z", "roll", "pitch", "yaw")))
    columns = []
    for axis in task.split(","):
        k, ends = "xyz".index(axis[-1]), []
        for sign in (1, -1):
            moved = T.copy()
            if axis in "xyz":
                moved[:, k, 3] += sign * step * length
            else:
                turn = np.eye(3)[k] * sign * step
                moved[:, :3, :3] = from_angles(0, 0, 0, *turn)[:3, :3] @ moved[:, :3, :3]
            answer = solve(T=moved)
            assert (answer["status"][:, 0] == 0).all()
            ends.append(answer["q"][:, 0][:, active])
        difference = ends[0] - ends[1]
        columns.append(np.arctan2(np.sin(difference), np.cos(difference)) / (2 * step) / units)
    s = np.linalg.svd(np.stack(columns, axis=2), compute_uv=False)
    assert table["singularity_distance_parallel"] == pytest.approx(s[:, -1], rel=1e-6)
    assert table["singularity_distance_serial"] == pytest.approx(1 / s[:, 0], rel=1e-6)


def test_stiffness_and_frequencies_are_those_of_the_eigenvalue_problem() -> None:
    q = {"q1": 0.1, "q3": -0.4, "q4": -1.2, "q5": 0.3, "q6": 1.0, "q7": 0.2}
    k = [2e4, 3e4, 1e4, 2e4, 5e3, 6e3, 4e3]
    table = symoro.sweep(
        "panda",
        "jacobian",
        over={"q2": (-1, 1, 3)},
        at=q,
        measures=["stiffness", "frequencies"],
        stiffness=k,
    ).columns
    posture = np.array([0.1, 1.0, *list(q.values())[1:]])
    A = symoro.generate("panda", "inertia-matrix").function()(q=posture)["A"]
    J = symoro.generate("panda", "jacobian").function()(q=posture)["J"][:3]
    squares = np.linalg.eigvals(np.linalg.solve(A, np.diag(k))).real
    frequencies = [table[f"frequency{i}"][2] for i in range(1, 8)]
    assert frequencies == pytest.approx(np.sort(np.sqrt(squares)) / (2 * np.pi), rel=1e-9)
    assert table["stiffness"][2] == pytest.approx(
        np.linalg.eigvalsh(np.linalg.inv(J @ np.diag(1 / np.array(k)) @ J.T))[0], rel=1e-9
    )


def test_elastic_joints_have_their_own_stiffness() -> None:
    robot = symoro.load("planar2r").with_frame(2, eta=1, k="K2")
    at = {"q1": 0.0, "q2": 0.5}
    table = symoro.sweep(
        robot, "jacobian", over={"K2": (100, 400, 2)}, at=at, measures=["frequencies"]
    ).columns
    A = symoro.generate("planar2r", "inertia-matrix").function()(q=[0, 0.5])["A"]
    assert table["frequency1"] == pytest.approx(np.sqrt(np.array([100, 400]) / A[1, 1]) / (2 * np.pi))


@pytest.mark.parametrize("by_pose", [False, True])
def test_peaks_along_a_trajectory_with_a_payload(by_pose: bool) -> None:
    robot = symoro.load("planar2r").with_payload(mass="MP")
    part = Line(by=(0.1, -0.1, 0), duration=1) if by_pose else Move((1.0, -0.5), duration=1)
    path = Trajectory(start=(0.3, 0.8), parts=(part,), pose="position")
    step = 0.02 if by_pose else 0.002
    table = symoro.sweep(
        robot,
        "inverse-dynamics",
        over={"MP": (0, 3, 2), "D2": (0.9, 1.1, 2)},
        measures=["torque-peak", "speed-peak", "drive-energy"],
        trajectory=path,
        step=step,
    ).columns
    bound = robot.bind({"MP": table["MP"][3], "D2": table["D2"][3]})
    report = symoro.torques(bound, path, step=step)
    for k, peak in enumerate(report.peaks, 1):
        assert table[f"torque_peak{k}"][3] == pytest.approx(abs(peak.torque), rel=5e-3)
        assert table[f"drive_energy{k}"][3] == pytest.approx(report.energy[k - 1], rel=5e-3, abs=5e-3)
        speeds = np.abs(report.samples.qd[:, k - 1])
        assert table[f"speed_peak{k}"][3] == pytest.approx(speeds.max(), rel=1e-9)


def test_largest_value_root_mean_square_and_energy() -> None:
    given: dict[str, Any] = {"over": {"q2": (-1, 1, 3)}, "at": {"q1": 0.2, "qd": [1, 2], "qdd": 0}}
    table = symoro.sweep(
        "planar2r", "inverse-dynamics", measures=["max:tau", "rms:tau", "energy"], **given
    ).columns
    tau = symoro.sweep("planar2r", "inverse-dynamics", **given).columns
    both = np.stack([tau["tau1"], tau["tau2"]])
    assert table["max_tau"] == pytest.approx(np.abs(both).max(0))
    assert table["rms_tau"] == pytest.approx(np.sqrt((both**2).mean(0)))
    energy = symoro.generate("planar2r", "energy").function()(q=[0.2, 1], qd=[1, 2])
    assert [table["E"][2], table["U"][2]] == pytest.approx([float(energy["E"]), float(energy["U"])])


def test_degrees_apply_to_joints_and_to_joint_outputs() -> None:
    given: dict[str, Any] = {"over": {"q2": [30.0]}, "at": {"q1": 10, "qd": 0, "tau": 0}}
    degrees = symoro.sweep("planar2r", "direct-dynamics", degrees=True, **given)
    radians = symoro.sweep(
        "planar2r", "direct-dynamics", over={"q2": [np.pi / 6]}, at={"q1": np.pi / 18, "qd": 0, "tau": 0}
    )
    assert degrees.units["q2"] == "deg" and degrees.units["qdd1"] == "deg/s2"
    assert np.radians(degrees.columns["qdd1"]) == pytest.approx(radians.columns["qdd1"], rel=1e-12)


@pytest.mark.parametrize("name", ["scara", "rx90_floating", "mobile_manipulator", "sr400"])
def test_the_characteristic_length_is_a_change_of_units(name: str) -> None:
    """With the unit of length L, linear rows are divided by L, columns of prismatic joints and bases multiplied."""
    given: dict[str, Any] = {"sample": {"q": (-1, 1)}, "count": 3, "seed": 1}
    J = symoro.sweep(name, "jacobian", **given)
    table = symoro.sweep(name, "jacobian", measures=["singular-values"], length=0.2, **given).columns
    columns = len(J.outputs) // 6
    matrices = np.stack([J.columns[one.name] for one in J.outputs], axis=1).reshape(3, 6, columns)
    matrices[:, :3] /= 0.2
    matrices[:, :, {"scara": [2], "rx90_floating": [0, 1, 2]}.get(name, [])] *= 0.2
    s = np.linalg.svd(matrices, compute_uv=False)
    assert np.stack([table[f"sigma{k + 1}"] for k in range(s.shape[1])], axis=1) == pytest.approx(
        s, abs=1e-12
    )


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"over": {"q9": (0, 1, 3)}}, UnknownNameError, "q9"),
        ({"over": {"M2": (0, 1, 3)}}, OptionError, "'M2' has no effect"),
        ({"measures": ["beauty"]}, UnknownNameError, "beauty"),
        ({"measures": ["max:beauty"]}, UnknownNameError, "beauty"),
        ({"measures": ["torque-peak"]}, OptionError, "trajectory"),
        ({"measures": ["stiffness"]}, OptionError, "stiffness"),
        ({"at": {}}, ArgumentError, "q1"),
        ({"at": {"q1": 0, "q2": 1}}, OptionError, "'q2' is swept"),
        ({"at": {"q1": 0, "banana": 1}}, UnknownNameError, "banana"),
        ({"at": {"q": [1, 2, 3]}}, OptionError, "3 numbers"),
        ({"mode": 1}, OptionError, "mode"),
        ({"trajectory": "filip3r"}, OptionError, "trajectory has no effect"),
        ({"length": 0}, OptionError, "length"),
        ({"task": "w"}, UnknownNameError, "w"),
        ({"chunk": 0}, OptionError, "chunk"),
        ({"workers": -1}, OptionError, "workers"),
        ({"seed": -1}, OptionError, "seed"),
        ({"sampling": "magic"}, OptionError, "magic"),
        ({"output": "table.csv2"}, OptionError, "csv2"),
    ],
)
def test_invalid_requests_are_rejected(change: dict[str, Any], kind: type[SymoroError], words: str) -> None:
    given = {"over": {"q2": (0, 1, 3)}, "at": {"q1": 0}, "measures": ["manipulability"]}
    with pytest.raises(kind, match=words):
        symoro.sweep("planar2r", "jacobian", **(given | change))


def test_passive_joints_and_wrong_structures_are_rejected() -> None:
    with pytest.raises(OptionError, match="active joints"):
        symoro.sweep("fivebar", "jacobian", over={"q2": (0, 1, 3)}, measures=["rank"])
    with pytest.raises(NotApplicableError, match="open chain"):
        symoro.sweep(
            "fivebar", "jacobian", over={"q1": (1, 2, 3)}, at={"q3": 1}, measures=["stiffness"], stiffness=1e3
        )
    with pytest.raises(OptionError, match="mode"):
        symoro.sweep("fivebar", "jacobian", over={"q1": (1, 2, 3)}, at={"q3": 1}, measures=["rank"], mode=3)
