"""Identification of floating robots with measured contact forces, against Pinocchio's free flyer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, FormatError, NotApplicableError, OptionError
from symoro.identification.base_motion import angular_velocity, continuous
from symoro.identification.contacts import Contact
from symoro.identification.log import log_of_arrays
from symoro.identification.tolerances import QUATERNION_LENGTH
from symoro.robot.description import Placement, Tool
from symoro.robot.formats.urdf import read_urdf
from symoro.ui.identification_report import report_files
from tests.identification.floating import FloatingTruth, moved, urdf_of, walker
from tests.robot.urdf.examples import example_robots

pytest.importorskip("pinocchio")
LEGS = ("0.2 0.1 -0.1", "0.2 -0.1 -0.1", "-0.2 0.1 -0.1", "-0.2 -0.12 -0.1")
IMU = ("angular_velocity", "specific_force")
NOISE = {"torque": 0.3, "force": 1.0}


def errors(result: symoro.Identification, truth: FloatingTruth) -> np.ndarray:
    known = [truth.K.get(name, 0.0) for name in result.estimate.names]
    return result.estimate.values - np.array(known)


def names(result: symoro.Identification) -> set[str]:
    return {line.name for line in result.warnings}


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


# -- exact data


@pytest.mark.parametrize(("joints", "count"), [("RRR", 31), ("RP", 21)])
def test_exact_data_give_all_base_parameters(joints: str, count: int) -> None:
    """10 + 7 per revolute + 4 per prismatic joint, with and without torques; rotor inertias need torques."""
    t = walker(joints)
    alone = symoro.identify(t.robot, t.log(torques=False))
    both = symoro.identify(t.robot, t.log(), friction=())
    assert len(alone.estimate.names) == count
    assert len(both.estimate.names) == count + len(joints)
    assert alone.model.labels == both.model.labels[:6] == alone.model.labels[:6]
    for result in (alone, both):
        assert np.abs(errors(result, t)).max() < 1e-9
        assert result.residuals.kept.relative < 1e-9
        assert result.warnings == ()
    if "P" not in joints:
        assert alone.estimate.as_dict()["M0"] == pytest.approx(t.mass, rel=1e-9)


@pytest.mark.parametrize("linear", ["specific_force", "acceleration", "velocity", "position"])
def test_every_description_of_the_base_motion_gives_the_same_parameters(linear: str) -> None:
    t = walker("RRR")
    result = symoro.identify(t.robot, t.log(base=("orientation", linear)), friction=())
    assert np.abs(errors(result, t)).max() < 1e-7


def test_forces_of_point_feet_in_the_axes_of_the_world() -> None:
    t = walker("RR", LEGS, 3, samples=600)
    result = symoro.identify(t.robot, t.log(axes="world"), friction=())
    assert np.abs(errors(result, t)).max() < 1e-9
    on_ground = t.log(sign=-1.0, contacts=[Contact(foot, by="robot") for foot in t.feet])
    assert np.abs(errors(symoro.identify(t.robot, on_ground, friction=()), t)).max() < 1e-9


def test_contact_on_the_base_at_a_point() -> None:
    """A wrench about another point of the base is the same wrench."""
    t = walker("RRR")
    result = symoro.identify(t.robot, t.log(torques=False), friction=())
    base, force = (
        t.base,
        result.predicted()[2],
    )  # the generalised force of the base about the origin of frame 0
    rows = slice(16, 16 + len(force))
    point = np.array([0.1, -0.2, 0.3])
    wrench = np.hstack([force[:, :3], force[:, 3:] - np.cross(point, force[:, :3])])
    log = symoro.Log.from_arrays(
        rate=t.rate,
        q=t.q[rows],
        base={name: base[name][rows] for name in IMU},
        contacts={(0, tuple(point)): wrench},
    )
    assert np.abs(errors(symoro.identify(t.robot, log), t)).max() < 1e-9


def test_a_known_payload_is_not_part_of_the_estimate() -> None:
    t = walker("RRR")
    loaded = t.robot.replace(tool=Tool(Placement(t.robot.NL))).with_payload(0.5, [0.1, 0.0, 0.05], [0.01] * 3)
    for torques in (True, False):
        result = symoro.identify(loaded, t.log(torques=torques), friction=())
        assert result.residuals.kept.relative < 1e-9
        assert result.estimate.as_dict()["M0"] == pytest.approx(t.mass - 0.5, rel=1e-9)


@pytest.mark.parametrize("link", [0, 1])
def test_a_payload_of_a_log_on_any_link(link: int) -> None:
    """A load on the body changes the rows of the base, even if no joint moves."""
    t = walker("RRR")
    payload = {"mass": 0.5, "com": [0.1, 0.0, 0.2], "link": link}
    given = symoro.IdentificationOptions(payloads=[payload])
    result = symoro.identify(t.robot, t.log(torques=False), options=given)
    assert result.residuals.kept.relative < 1e-9
    assert result.estimate.as_dict()["M0"] == pytest.approx(t.mass - 0.5, rel=1e-9)
    if link == 0:
        assert result.estimate.as_dict()["MX0"] == pytest.approx(t.K["MX0"] - 0.05, rel=1e-9)


# -- signals


def test_quaternions_with_sign_changes_and_uneven_times() -> None:
    t = walker("RRR")
    base = dict(t.base)
    base["orientation"] = base["orientation"] * np.where(rng(0).uniform(size=(len(t.q), 1)) < 0.5, -1.0, 1.0)
    times = np.arange(len(t.q)) / t.rate
    keep = np.ones(len(t.q), dtype=bool)
    keep[600:640] = False  # a gap of 0.2 s
    keep[rng(0).integers(0, len(t.q), 20)] = False  # lost samples
    log = symoro.Log.from_arrays(
        t=times[keep],
        q=t.q[keep],
        tau=t.tau[keep],
        base={name: base[name][keep] for name in ("orientation", "position")},
        contacts={t.feet[0]: t.wrenches[keep, 0]},
    )
    result = symoro.identify(t.robot, log, friction=(), cutoff=30.0)
    assert len(result.logs) == 2 and names(result) <= {"uneven-times"}
    assert result.estimate.as_dict()["M0"] == pytest.approx(t.mass, rel=1e-4)
    assert result.residuals.kept.relative < 1e-3


def test_angular_velocity_of_quaternions() -> None:
    t = walker("RRR")
    Q = continuous(t.base["orientation"] * np.where(np.arange(len(t.q)) % 3 == 0, -1.0, 1.0)[:, None])
    assert np.abs(np.diff(Q, axis=0)).max() < 0.1
    rates = np.gradient(Q, 1 / t.rate, axis=0)[1:-1]
    w = angular_velocity(Q[1:-1], rates)
    assert np.abs(w - t.base["angular_velocity"][1:-1]).max() < 0.02


def test_a_delay_of_torques_and_forces_is_corrected() -> None:
    t = walker("RRR")
    late = 4
    log = symoro.Log.from_arrays(
        rate=t.rate,
        q=t.q[late:],
        tau=t.tau[:-late],
        base={name: t.base[name][late:] for name in ("orientation", *IMU)},
        contacts={t.feet[0]: t.wrenches[:-late, 0]},
    )
    options = symoro.IdentificationOptions(delay=late / t.rate)
    result = symoro.identify(t.robot, log, friction=(), options=options)
    assert np.abs(errors(result, t)).max() < 1e-6


# -- statistics


@pytest.mark.parametrize("torques", [True, False])
def test_deviations_are_correct(torques: bool) -> None:
    """The mean squared normalised error is 1, and 95 % intervals contain the parameters, for noisy forces and torques.

    Six runs of 31 parameters or more, which are correlated: the mean has a deviation of about 0.13.
    """
    t = walker("RRR")
    scores, inside = [], []
    for seed in range(6):
        log = t.log(rng(seed + 20), torques=torques, base=IMU, **NOISE)
        result = symoro.identify(t.robot, log, friction=())
        assert result.warnings == ()
        off = np.abs(errors(result, t)) / result.estimate.deviations
        scores.append(np.mean(off**2))
        inside.append(np.mean(off < 1.96))
    assert 0.7 < np.mean(scores) < 1.3
    assert 0.90 <= np.mean(inside) <= 0.98


@cache
def quadruped() -> FloatingTruth:
    """Return a motion of ANYmal with forces at its feet."""
    import pinocchio as pin

    end = "anymal_b_simple_description/robots/anymal.urdf"
    path = next((path for path in map(str, example_robots().values()) if path.endswith(end)), None)
    if path is None:
        pytest.skip("example-robot-data is not installed")
    robot = read_urdf(Path(path).read_text(), path, exact=True).floating()
    model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
    return moved(robot, model, 3, 2000, 200.0, ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"))


@pytest.mark.slow
@pytest.mark.parametrize("torques", [True, False])
def test_a_quadruped(torques: bool) -> None:
    """ANYmal with forces in the axes of the world: 10 + 12 * 7 parameters from the rows of the base."""
    t = quadruped()
    scores, inside = [], []
    for seed in range(3):
        log = t.log(rng(seed), torques=torques, axes="world", torque=0.3, force=2.0)
        result = symoro.identify(t.robot, log, friction=())
        assert result.warnings == ()
        assert len(result.estimate.names) == 10 + 7 * 12 + (12 if torques else 0)
        off = np.abs(errors(result, t)) / result.estimate.deviations
        scores.append(np.mean(off**2))
        inside.append(np.mean(off < 1.96))
        assert result.estimate.as_dict()["M0"] == pytest.approx(t.mass, rel=1e-3)
    assert 0.7 < np.mean(scores) < 1.3
    assert 0.90 <= np.mean(inside) <= 0.98


def test_consistent_parameters_include_the_body() -> None:
    pytest.importorskip("cvxpy")
    t = walker("RRR")
    options = symoro.IdentificationOptions(find_consistent=True)
    result = symoro.identify(t.robot, t.log(rng(), base=IMU, **NOISE), friction=(), options=options)
    assert result.consistent is not None and result.consistent.ratio < 1.01
    assert set(result.consistent.eigenvalues) == {0, 1, 2, 3}
    mass = sum(result.consistent.standard[f"M{j}"] for j in range(4))
    assert mass == pytest.approx(t.mass, rel=1e-3)
    assert result.robot.base.link.M.number == pytest.approx(result.consistent.standard["M0"])


@pytest.mark.parametrize("consistent", [True, False])
def test_without_torques_the_drives_are_those_of_the_description(consistent: bool) -> None:
    if consistent:
        pytest.importorskip("cvxpy")
    t = walker("RRR")
    robot = t.robot.with_frame(2, IA=0.5, FV=0.3, FS=0.2, FB=0.1, VS=0.05)
    options = symoro.IdentificationOptions(find_consistent=consistent)
    result = symoro.identify(robot, t.log(rng(), base=IMU, torques=False, **NOISE), options=options)
    got = result.robot.frame(2)
    numbers = [getattr(got, name).number for name in ("IA", "FV", "FS", "FB", "VS")]
    assert numbers == [0.5, 0.3, 0.2, 0.1, 0.05]
    assert result.consistent is None or "IA2" not in result.consistent.standard


def test_plots_of_the_report_have_names_without_spaces() -> None:
    t = walker("RRR")
    result = symoro.identify(t.robot, t.log(rng(), base=IMU, **NOISE), friction=())
    files = report_files(result)
    assert "torque-base-force-x.svg" in files and not any(" " in name for name in files)
    assert "](residual-base-moment-z.svg)" in files["report.md"]


# -- wrong data


@pytest.mark.parametrize("torques", [True, False])
@pytest.mark.parametrize(
    "change",
    [
        {"sign": -1.0},
        {"contacts": [Contact("foot0", axes="base")]},
        {"contacts": [Contact("leg0_1")]},
        {"contacts": [Contact("foot0", (0.0, 0.0, 0.1))]},
    ],
    ids=["sign", "axes", "frame", "point"],
)
def test_wrong_contacts_give_a_warning(change: Mapping[str, Any], torques: bool) -> None:
    t = walker("RRR")
    result = symoro.identify(t.robot, t.log(rng(), torques=torques, **NOISE, **change), friction=())
    assert names(result) & {"negative-parameter", "inconsistent-torques", "unexplained-torques"}


def test_residuals_and_messages_name_the_rows_of_the_base() -> None:
    t = walker("RRR")
    result = symoro.identify(
        t.robot, t.log(rng(), contacts=[Contact("foot0", axes="base")], **NOISE), friction=()
    )
    assert result.model.labels[:6] == (
        *("base force x", "base force y", "base force z"),
        *("base moment x", "base moment y", "base moment z"),
    )
    text = "".join(result.warnings)
    assert "base force x" in text and "joint base" not in text
    assert "kg" in str(result)


def test_columns_of_the_base_that_contradict_each_other_give_a_warning() -> None:
    t = walker("RRR")
    turned = dict(t.base) | {"orientation": t.base["orientation"][:, [1, 2, 3, 0]]}
    removed = dict(t.base) | {"specific_force": t.base["acceleration"]}
    for base, name in ((turned, "base-rotation"), (removed, "specific-force")):
        log = symoro.Log.from_arrays(
            rate=t.rate,
            q=t.q,
            tau=t.tau,
            base={kind: base[kind] for kind in ("orientation", *IMU)},
            contacts={t.feet[0]: t.wrenches[:, 0]},
        )
        assert name in names(symoro.identify(t.robot, log, friction=()))


def from_arrays(t: FloatingTruth, base: Mapping[str, Any], contacts: Mapping[Any, Any]) -> symoro.Log:
    return symoro.Log.from_arrays(rate=t.rate, q=t.q, tau=t.tau, base=base, contacts=contacts)


def test_bad_arrays_are_rejected() -> None:
    t = walker("RRR")
    imu = {name: t.base[name] for name in IMU}
    foot = {"foot0": t.wrenches[:, 0]}
    with pytest.raises(ArgumentError, match="requires one of specific_force"):
        from_arrays(t, {"orientation": t.base["orientation"]}, foot)
    with pytest.raises(ArgumentError, match="requires orientation or angular_velocity"):
        from_arrays(t, {"specific_force": t.base["specific_force"]}, foot)
    with pytest.raises(ArgumentError, match="require the orientation"):
        from_arrays(t, imu, {Contact("foot0", axes="world"): t.wrenches[:, 0]})
    with pytest.raises(ArgumentError, match="no quantity 'pose'"):
        from_arrays(t, imu | {"pose": t.q}, foot)
    with pytest.raises(ArgumentError, match=r"contact foot0 has shape \(1200, 2\)"):
        from_arrays(t, imu, {"foot0": t.wrenches[:, 0, :2]})
    with pytest.raises(ArgumentError, match="axes of contact 3: expected one of frame"):
        Contact(3, axes="tool")
    with pytest.raises(ArgumentError, match="not a number at sample 7"):
        bad = t.wrenches[:, 0].copy()
        bad[7, 1] = np.nan
        from_arrays(t, imu, {"foot0": bad})
    with pytest.raises(ArgumentError, match="torques tau"):
        symoro.Log.from_arrays(rate=t.rate, q=t.q)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("share", "accepted"), [(0.9, True), (1.1, False)])
def test_quaternions_have_length_one(share: float, accepted: bool, sign: int) -> None:
    t = walker("RRR")
    Q = t.base["orientation"].copy()
    Q[11] *= 1 + sign * share * QUATERNION_LENGTH
    base = {"orientation": Q, "specific_force": t.base["specific_force"]}
    if accepted:
        assert from_arrays(t, base, {"foot0": t.wrenches[:, 0]}).samples == len(t.q)
    else:
        with pytest.raises(ArgumentError, match=r"quaternions of length 1.* at sample 11"):
            from_arrays(t, base, {"foot0": t.wrenches[:, 0]})


def test_unsupported_combinations_are_rejected() -> None:
    t = walker("RRR")
    log = t.log()
    with pytest.raises(ArgumentError, match="contact hand: no frame called 'hand'"):
        symoro.identify(t.robot, t.log(contacts=[Contact("hand")]))
    with pytest.raises(ArgumentError, match="the base of robot 'walker' is fixed"):
        symoro.identify(read_urdf(urdf_of("RRR"), "walker.urdf"), log)
    with pytest.raises(OptionError, match="contains no contact forces"):
        symoro.identify(t.robot, log_of_arrays(t.rate, t.q, t.tau))
    with pytest.raises(NotApplicableError, match="simulates a robot with a fixed base"):
        symoro.identify(t.robot, log, method="didim")
    with pytest.raises(NotApplicableError, match="depends on the load"):
        symoro.identify(t.robot, log, friction=("load",))
    for model in ("filtered", "power", "energy"):
        with pytest.raises(NotApplicableError, match=f"the {model} model is not supported"):
            symoro.identify(t.robot, log, options=symoro.IdentificationOptions(model=model))
    weighed = symoro.IdentificationOptions(
        drive_gains="estimate", payloads=[None, {"unknown": "box", "mass": 2, "link": "foot0"}]
    )
    with pytest.raises(
        NotApplicableError, match="drive gains cannot be estimated for robots with a floating base"
    ):
        symoro.identify(t.robot, [log, t.log()], options=weighed)
    given = symoro.IdentificationOptions(drive_gains=[1.0, 1.0, 1.0])
    with pytest.raises(ArgumentError, match="the log contains no torques"):
        symoro.identify(t.robot, t.log(torques=False), options=given)
    with pytest.raises(ArgumentError, match="only one of both logs contains torques"):
        symoro.identify(t.robot, [log, t.log(torques=False)])


# -- files


def write_log(folder: Path, t: FloatingTruth) -> Path:
    """Write a log with the quaternion in the order x, y, z, w and other units, and its description."""
    columns = {
        "t": np.arange(len(t.q)) / t.rate,
        **{f"q{k + 1}": t.q[:, k] for k in range(3)},
        **{f"tau{k + 1}": t.tau[:, k] for k in range(3)},
        **{f"o{name}": t.base["orientation"][:, k] for k, name in enumerate("wxyz")},
        **{f"w{name}": np.degrees(t.base["angular_velocity"][:, k]) for k, name in enumerate("xyz")},
        **{f"a{name}": t.base["specific_force"][:, k] / 9.80665 for k, name in enumerate("xyz")},
        **{
            f"{name}": t.wrenches[:, 0, k] / 1e3
            for k, name in enumerate(("fx", "fy", "fz", "mx", "my", "mz"))
        },
    }
    numbers = np.column_stack(list(columns.values()))
    np.savetxt(folder / "log.csv", numbers, delimiter=",", header=",".join(columns), comments="", fmt="%.15g")
    path = folder / "columns.yaml"
    path.write_text(DESCRIPTION, encoding="utf-8")
    return path


DESCRIPTION = """symoro-log: 1
time: {column: t}
position: {columns: [q1, q2, q3]}
torque: {columns: [tau1, tau2, tau3]}
base:
  orientation: {columns: [ox, oy, oz, ow], order: xyzw}
  angular_velocity: {columns: [wx, wy, wz], unit: deg/s}
  specific_force: {columns: [ax, ay, az], unit: g}
contacts:
  - {frame: foot0, columns: [fx, fy, fz, mx, my, mz], unit: kN}
"""


def described(path: Path, text: str) -> symoro.IdentificationOptions:
    path.write_text(text, encoding="utf-8")
    return symoro.IdentificationOptions(description=path)


def test_logs_in_files(tmp_path: Path) -> None:
    t = walker("RRR")
    path = write_log(tmp_path, t)
    data = tmp_path / "log.csv"
    result = symoro.identify(t.robot, data, friction=(), options=described(path, DESCRIPTION))
    assert np.abs(errors(result, t)).max() < 1e-6
    without = DESCRIPTION.replace("torque: {columns: [tau1, tau2, tau3]}\n", "")
    alone = symoro.identify(t.robot, data, options=described(path, without))
    assert alone.model.labels[-1] == "base moment z"
    assert np.abs(errors(alone, t)).max() < 1e-6


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("  specific_force: {columns: [ax, ay, az], unit: g}\n", "", "requires one of specific_force"),
        ("[ox, oy, oz, ow]", "[ox, oy, oz]", "expected 4 columns, got 3"),
        ("[ox, oy, oz, ow]", "[ox, oy, oz, t]", "quaternions of length 1"),
        ("[ax, ay, az]", "[ax, ay, nothing]", "no column 'nothing'"),
        ("[ax, ay, az]", "[ax, ay, ay]", "column 'ay' is used twice"),
        ("frame: foot0", "frame: hand", "no frame called 'hand'"),
        ("frame: foot0, ", "", "a contact requires 'frame'"),
        ("unit: kN", "unit: lbf", "'lbf' is not one of N, kN"),
        ("unit: kN", "axes: sensor", "'sensor' is not one of frame, base, world"),
        ("unit: kN", "point: [0, 1]", "expected 3 values, got 2"),
    ],
)
def test_bad_descriptions_are_rejected(tmp_path: Path, before: str, after: str, message: str) -> None:
    t = walker("RRR")
    path = write_log(tmp_path, t)
    assert before in DESCRIPTION
    options = described(path, DESCRIPTION.replace(before, after))
    with pytest.raises((FormatError, ArgumentError), match=message.replace("(", r"\(")):
        symoro.identify(t.robot, tmp_path / "log.csv", options=options)


def test_a_log_without_a_description_is_rejected(tmp_path: Path) -> None:
    t = walker("RRR")
    write_log(tmp_path, t)
    with pytest.raises(FormatError, match="requires a description of the columns of its base"):
        symoro.identify(t.robot, tmp_path / "log.csv")
