"""Payloads of logs: parameters, intervals, groups, and what is rejected."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, FormatError, NotApplicableError, SymoroError, UnknownNameError
from symoro.identification import payloads
from symoro.identification.consistent import pseudo_inertia
from symoro.identification.dynamic import Identification
from symoro.identification.log import Log
from symoro.identification.log_description import parse_description
from symoro.identification.log_payload import LogPayload, log_payload
from symoro.robot.description import INERTIAL
from symoro.robot.formats import loads
from tests.identification.loops import SR400, moved, sines, sr400, sr400_joints, sr400_motion
from tests.identification.truth import inverse_dynamics, two_links

BOX: dict[str, Any] = {"mass": 2.0, "com": [0.3, 0.1, 0.2], "inertia": [0.05, 0.06, 0.07]}
TRUE = {"M_box": 2.0, "MX_box": 0.6, "MY_box": 0.2, "ZZ_box": 0.07 + 2 * (0.3**2 + 0.1**2)}
UNKNOWN = {"unknown": "box"}
WEIGHED = {"unknown": "box", "mass": 2.0}
NOISE = np.array([0.3, 0.1])  # N m
PENDULUM = """
symoro: 1
name: pendulum
base: {gravity: [0, -9.81, 0]}
frames:
  - {drive: {IA: 0.1, FV: 1.0, FS: 0.8}, link: {ZZ: 1.2, MX: 1.5, MY: 0.1, M: 3}}
tool: {on: 1, d: 0.5}
"""
BODY = """<inertial><origin xyz="0.1 0 0.2"/><mass value="3"/>
<inertia ixx="0.1" iyy="0.1" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>"""
HAND = f"""<robot name="arm"><link name="base"/>
<joint name="j1" type="continuous"><parent link="base"/><child link="l1"/><origin xyz="0 0 0.3" rpy="0.2 0 0"/>
<axis xyz="0 1 0"/></joint><link name="l1">{BODY}</link>
<joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><origin xyz="0 0.1 0.5" rpy="0.3 0.4 1"/>
<axis xyz="1 0 0"/></joint><link name="l2">{BODY}</link>
<joint name="fixed" type="fixed"><parent link="l2"/><child link="hand"/><origin xyz="0.1 0.2 0.3" rpy="0.3 0.1 0.7"/>
</joint><link name="hand"/></robot>"""


def recorded(
    payload: Mapping[str, Any] | str | None = None,
    *,
    loaded: bool | None = None,
    robot: symoro.Robot | None = None,
    seed: int = 0,
    noise: float = 1.0,
    gains: Any = 1.0,
    name: str = "log",
) -> Log:
    """A log along random sines.

    Args:
        payload: what the log contains about the payload.
        loaded: whether the robot carries the box; by default if the log has a payload.
        robot: the robot; the two links by default.
        seed: of the motion and the noise.
        noise: factor of the noise.
        gains: torque per unit of each torque column.
        name: name of the log.
    """
    robot = robot or two_links()
    carries = payload is not None if loaded is None else loaded
    rng = np.random.default_rng([seed, carries])
    w = 2 * np.pi * 0.4 * np.arange(1, 5)
    amplitude = rng.uniform(0.1, 0.35, (robot.NL, 4))
    angle = np.arange(1500)[:, None, None] / 500 * w + rng.uniform(0, 6, (robot.NL, 4))
    q, qd = (amplitude * np.sin(angle)).sum(2), (amplitude * w * np.cos(angle)).sum(2)
    qdd = -(amplitude * w**2 * np.sin(angle)).sum(2)
    tau = inverse_dynamics(robot.with_payload(**BOX) if carries else robot)(q=q, qd=qd, qdd=qdd)["tau"]
    tau = tau + noise * NOISE[: robot.NL] * rng.standard_normal(tau.shape)
    return Log.from_arrays(rate=500, q=q, tau=tau / gains, payload=payload, name=name)


def identified(*logs: Log, robot: symoro.Robot | None = None, **options: Any) -> Identification:
    keywords = {key: options.pop(key) for key in ("method", "friction", "validate") if key in options}
    return symoro.identify(
        robot or two_links(), logs, decimation=5, **keywords, options=symoro.IdentificationOptions(**options)
    )


@pytest.mark.parametrize("model", ["dynamic", "filtered", "power", "energy"])
def test_an_unknown_payload_is_recovered_by_every_model(model: str) -> None:
    result = identified(recorded(noise=0), recorded(UNKNOWN, noise=0), model=model)
    box = result.payloads["box"]
    assert dict(zip(box.names, box.values, strict=True)) == pytest.approx(TRUE, rel=1e-5)
    assert box.mass == pytest.approx(2) and box.com == pytest.approx([0.3, 0.1, np.nan], nan_ok=True)
    assert box.inertia[2, 2] == pytest.approx(0.07, rel=1e-4)
    assert np.isnan(box.inertia).sum() == 8  # a planar arm has no torques of the other entries
    assert set(box.no_effect) == {f"{kind}_box" for kind in ("XX", "XY", "XZ", "YY", "YZ", "MZ")}
    assert result.robot.payload is None


@pytest.mark.parametrize("payload", [UNKNOWN, WEIGHED])
def test_intervals_contain_the_parameters(payload: dict[str, Any]) -> None:
    z = []
    for seed in range(16):
        box = identified(recorded(seed=seed), recorded(payload, seed=seed)).payloads["box"]
        z.append((box.values - np.array([TRUE[name] for name in box.names])) / box.deviations)
    assert 0.7 < float(np.mean(np.square(z))) < 1.3
    assert 0.88 < float(np.mean(np.abs(z) < 1.96)) <= 1


def test_one_estimation_is_more_accurate_than_the_difference_of_two() -> None:
    result = identified(recorded(), recorded(UNKNOWN))
    apart = [identified(recorded()), identified(recorded(loaded=True))]
    variances = sum(np.diag(run.estimate.covariance) for run in apart)
    difference = dict(zip(apart[0].estimate.names, np.sqrt(variances), strict=True))
    box = result.payloads["box"]
    deviations = dict(zip(box.names, box.deviations, strict=True))
    for kind in (
        "MX",
        "MY",
        "ZZ",
    ):  # these parameters of link 2 are base parameters that nothing else changes
        assert deviations[f"{kind}_box"] < 0.95 * difference[f"{kind}2"]


def test_the_values_of_derived_quantities_have_their_deviations() -> None:
    boxes = [identified(recorded(seed=k), recorded(UNKNOWN, seed=k)).payloads["box"] for k in range(16)]
    z = [(box.com[0] - 0.3) / box.com_deviations[0] for box in boxes]
    z += [(box.inertia[2, 2] - 0.07) / box.inertia_deviations[2, 2] for box in boxes]
    assert 0.5 < float(np.mean(np.square(z))) < 1.6


def test_a_known_payload_is_subtracted() -> None:
    plain = identified(recorded(noise=0), recorded(BOX, noise=0))
    alone = identified(recorded(noise=0))
    assert plain.payloads == {} and plain.estimate.names == alone.estimate.names
    assert plain.estimate.values == pytest.approx(alone.estimate.values, rel=1e-6, abs=1e-8)
    carried = recorded(loaded=True, noise=0)
    of_robot = identified(carried, robot=two_links().with_payload(**BOX))
    of_log = identified(carried, payloads=[BOX])
    assert of_log.estimate.values == pytest.approx(of_robot.estimate.values, rel=1e-9, abs=1e-12)


def test_payloads_of_several_logs_have_names() -> None:
    logs = [recorded(), recorded(UNKNOWN, seed=1), recorded(UNKNOWN, seed=2)]
    same = identified(*logs).payloads
    apart = identified(*logs[:2], recorded({"unknown": "other"}, loaded=True, seed=2)).payloads
    assert list(same) == ["box"] and list(apart) == ["box", "other"]
    assert (same["box"].deviations < apart["box"].deviations).all()


def test_a_payload_on_a_link_refers_to_its_frame() -> None:
    robot = two_links()
    loaded = robot.with_payload(**BOX, link=1)
    carried = recorded(robot=loaded, noise=0, seed=3, name="loaded")
    result = identified(recorded(noise=0), carried, payloads=["none", {"unknown": "box", "link": 1}])
    box = result.payloads["box"]
    assert dict(zip(box.names, box.values, strict=True)) == pytest.approx(
        {name: value for name, value in TRUE.items() if name != "M_box"}, rel=1e-6
    )
    assert np.isnan(box.mass) and "do not determine its mass" in str(result)


def test_parameters_that_act_together_are_grouped() -> None:
    """One joint: M, MX, MY and ZZ of a payload at a distance from the axis act on ZZ1, MX1 and MY1."""
    robot = loads(PENDULUM, "yaml")
    result = identified(recorded(robot=robot, noise=0), recorded(UNKNOWN, robot=robot, noise=0), robot=robot)
    box = result.payloads["box"]
    assert box.names == ("M_box", "MX_box", "MY_box")
    assert set(box.relations) == {"M_box", "MX_box"}
    standard = dict(TRUE)
    for name, value in zip(box.names, box.values, strict=True):
        groups = box.relations.get(name, {})
        assert value == pytest.approx(
            standard[name] + sum(c * standard[other] for other, c in groups.items())
        )
    assert np.isnan(box.mass) and np.isnan(box.com).all()


@pytest.mark.parametrize("angle", ["pi/2", "pi/2 + 1e-9", "pi/2 - 1e-7", "1.5708"])
def test_angles_near_a_right_angle_give_the_groups_of_the_right_angle(angle: str) -> None:
    """The z axis of the tool is normal to the joint axis: MY of the payload acts by the error of the angle only."""
    robot = loads(PENDULUM.replace("d: 0.5", f"d: 0.5, alpha: {angle}"), "yaml")
    box = identified(
        recorded(robot=robot, noise=0), recorded(UNKNOWN, robot=robot, noise=0), robot=robot
    ).payloads["box"]
    assert box.names == ("M_box", "MX_box", "MZ_box") and "MY_box" in box.no_effect
    assert box.relations.keys() == {"M_box", "MX_box"} and box.values[2] == pytest.approx(0.4, rel=1e-5)


@pytest.mark.parametrize(("angle", "independent"), [(1e-5, 2), (1e-9, None), (1e-13, 1)])
def test_nearly_dependent_parameters_are_rejected(angle: float, independent: int | None) -> None:
    matrix = np.zeros((2, 10))
    matrix[:, INERTIAL.index("MX")] = 1.0, 0.0
    matrix[:, INERTIAL.index("MY")] = 1.0, angle
    names = ["MX2", "MY2"]
    if independent is None:
        with pytest.raises(ArgumentError, match="nearly degenerate"):
            payloads._groups(two_links(), names, matrix, ["MX", "MY"])
    else:
        kept, relations, _ = payloads._groups(two_links(), names, matrix, ["MX", "MY"])
        assert len(kept) == independent and (relations["MX"] == {"MY": pytest.approx(1)}) == (
            independent == 1
        )


def test_consistent_parameters_of_a_payload_are_those_of_a_body() -> None:
    result = identified(recorded(noise=40), recorded(UNKNOWN, noise=40), find_consistent=True)
    assert result.consistent is not None
    body = [result.consistent.standard[f"{kind}_box"] for kind in INERTIAL]
    assert np.linalg.eigvalsh(pseudo_inertia(body))[0] > 0
    weighed = identified(recorded(), recorded(WEIGHED), find_consistent=True, find_essential=True)
    assert weighed.consistent is not None and weighed.essential is not None
    assert weighed.consistent.standard["M_box"] == pytest.approx(2.0, rel=1e-6)
    assert weighed.consistent.standard["MX_box"] == pytest.approx(
        weighed.payloads["box"].com[0] * 2, rel=1e-3
    )
    assert weighed.consistent.ratio == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("method", ["ols", "irls", "tls"])
def test_other_estimators(method: str) -> None:
    box = identified(recorded(), recorded(UNKNOWN), method=method).payloads["box"]
    errors = box.values - np.array([TRUE[name] for name in box.names])
    assert np.abs(errors / box.deviations).max() < 4


def test_validation_logs_have_payloads() -> None:
    logs = recorded(), recorded(UNKNOWN)
    others = [recorded(UNKNOWN, seed=5, name="box"), recorded(BOX, seed=6, name="known")]
    result = identified(*logs, validate=others)
    assert all(one.kept.relative < 0.01 for one in result.validation.values())
    with pytest.raises(ArgumentError, match="no log of the estimation has"):
        identified(*logs, validate=[recorded({"unknown": "other"}, seed=5)])


def test_a_negative_mass_gives_a_warning() -> None:
    swapped = identified(recorded(loaded=True), recorded(UNKNOWN, loaded=False))
    assert [line for line in swapped.warnings if line.name == "negative-parameter" and "M_box" in line]
    assert identified(recorded(), recorded(UNKNOWN)).warnings == ()


def test_the_description_of_a_log_contains_its_payload() -> None:
    head = "symoro-log: 1\nrate: 500\nposition: {columns: [a, b]}\ntorque: {columns: [c, d]}\n"

    def payload(text: str) -> LogPayload | None:
        return parse_description(head + f"payload: {text}\n", [1, 2]).payload

    assert payload("unknown") == LogPayload("payload") and payload("none") is None
    assert payload("{unknown: box, mass: 2, link: 1}") == LogPayload("box", 2.0, (), 1)
    known = payload("{mass: 2, com: [0.3, 0.1, 0.2], inertia: [0.05, 0.06, 0.07]}")
    assert known == log_payload(BOX) and known is not None and known.parameters[9] == 2.0
    for text, words in (
        ("{mass: -2}", "the mass is -2 kg"),
        ("{unknown: box, com: [0, 0, 1]}", "com of the unknown payload"),
        ("{unknown: box, weight: 2}", "unknown key 'weight'"),
        ("{mass: 2, com: [0, 1]}", "com: expected 3 values, got 2"),
        ("{mass: 2, com: [0, 1, x]}", "expected numbers, got the symbols x"),
        ("[1, 2]", "expected a mapping"),
    ):
        with pytest.raises(FormatError, match=words) as error:
            payload(text)
        assert error.value.place is not None and error.value.place.line == 5


@pytest.mark.parametrize(
    ("logs", "options", "words"),
    [
        ([UNKNOWN], {}, "every log has an unknown payload"),
        ([UNKNOWN, {"unknown": "other"}], {}, "every log has an unknown payload"),
        ([None, UNKNOWN, WEIGHED], {}, "described differently"),
        ([None, UNKNOWN], {"method": "iv"}, "simulates the robot"),
        ([None, UNKNOWN], {"friction": ("viscous", "coulomb", "load")}, "load-dependent friction"),
        ([None, UNKNOWN], {"without": ["MX2"]}, "a payload changes MX2"),
        ([None, UNKNOWN], {"payloads": [None]}, "one for each of the 2 logs, got 1"),
        ([None, UNKNOWN], {"payloads": [None, BOX]}, "contains another payload"),
        ([None, None], {"payloads": [None, {"mass": 0}]}, "expected a positive number"),
        ([None, None], {"payloads": [None, {"mass": 1, "link": 0}]}, "payload on the base"),
        ([None, None], {"payloads": [None, {"mass": 1, "link": "hand"}]}, "no frame called 'hand'"),
        ([None, None], {"payloads": [None, {"masse": 1}]}, "no field 'masse'"),
        ([None, None], {"payloads": [None, {"unknown": "a b"}]}, "letters, digits and underscores"),
        ([None, None], {"payloads": UNKNOWN}, "one payload per log"),
    ],
)
def test_rejected_payloads(logs: list[Any], options: dict[str, Any], words: str) -> None:
    with pytest.raises((ArgumentError, NotApplicableError, UnknownNameError, SymoroError), match=words):
        identified(*(recorded(payload, seed=k) for k, payload in enumerate(logs)), **options)


def test_the_payload_of_the_robot_and_that_of_a_log_contradict_each_other() -> None:
    with pytest.raises(ArgumentError, match="has a payload, and a log has another one"):
        identified(recorded(), recorded(BOX), robot=two_links().with_payload(mass=1))


def test_a_cluster_has_the_same_result() -> None:
    distributed = pytest.importorskip("distributed")
    logs = recorded(), recorded(WEIGHED)
    with distributed.Client(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as client:
        there = identified(*logs, client=client)
    assert there.estimate.values == pytest.approx(identified(*logs).estimate.values, rel=1e-9)


def test_six_joints_against_pinocchio() -> None:
    """Ten parameters of a payload of a PUMA 560."""
    pytest.importorskip("pinocchio")
    from benchmarks.identification_payload import identified as case
    from benchmarks.identification_payload import normalised_errors

    result = case(1, "payload")
    z = normalised_errors(result)
    assert len(z) == 10 and np.abs(z).max() < 4 and 0.1 < float(np.mean(z**2)) < 3
    assert np.isfinite(result.payloads["box"].inertia).all() and result.warnings == ()


def test_a_payload_on_a_robot_with_closed_loops() -> None:
    """SR400, whose base parameters regroup links of the parallelogram."""
    box = {**BOX, "link": 6}
    course = sines(np.array([0, -1, 0.3, 0.4, 0.2, 0.2]), 0.25, 2)
    carried = moved(sr400().with_payload(**box), sr400_joints, course, SR400, 1000).log()
    logs = [sr400_motion(samples=1000).log(), carried]
    result = identified(*logs, robot=sr400(), payloads=["none", {"unknown": "box", "link": 6}])
    payload = result.payloads["box"]
    assert payload.mass == pytest.approx(2, rel=1e-5) and payload.com == pytest.approx(BOX["com"], rel=1e-4)
    assert payload.inertia == pytest.approx(np.diag(BOX["inertia"]), abs=1e-4)


def test_a_payload_on_a_link_of_a_file_refers_to_the_frame_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(HAND, encoding="utf-8")
    robot = symoro.load(path)
    loaded = robot.with_payload(**BOX, link="hand")
    logs = recorded(robot=robot, noise=0), recorded(robot=loaded, noise=0, seed=1)
    box = identified(*logs, robot=robot, payloads=["none", {**UNKNOWN, "link": "hand"}]).payloads["box"]
    assert box.mass == pytest.approx(2) and box.com == pytest.approx(BOX["com"], rel=1e-4)
    assert box.inertia == pytest.approx(np.diag(BOX["inertia"]), abs=1e-5)
    with pytest.raises(ArgumentError, match="frame of the payload is not determined"):
        identified(*logs, robot=robot, payloads=["none", UNKNOWN])
