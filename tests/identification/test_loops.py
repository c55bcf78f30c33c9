"""Robots with closed loops from logs of their active joints alone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, reduce
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, FormatError, NotApplicableError, UnknownNameError
from symoro.expr.formula import formula
from symoro.identification import cluster
from symoro.identification.dynamic import Identification, symbolic_robot
from symoro.identification.friction import Friction
from symoro.identification.log import log_of_arrays
from symoro.identification.postures import start_posture
from symoro.identification.regression import KEPT, weighted
from symoro.identification.rows import joined, merged
from symoro.identification.signals import Preparation, independent_share
from tests.identification.loops import (
    RATE,
    LoopMotion,
    fivebar,
    fivebar_joints,
    fivebar_motion,
    fivebar_posture,
    moved,
    sines,
    sr400,
    sr400_joints,
    sr400_motion,
)
from tests.oracle.branches import four_bar, slider_crank

NOISE = np.array([4.0, 6.0, 1.0, 0.5, 0.3, 5.0])


@cache
def arm(seed: int = 1) -> LoopMotion:
    return sr400_motion(seed)


@cache
def bars(side: float = 1.0, samples: int = 800) -> LoopMotion:
    return fivebar_motion(side, samples)


def known(result: Identification, truth: symoro.Robot) -> dict[str, float]:
    """The numbers of the columns: base parameters, and friction with what it holds of other joints."""
    numbers = dict(truth.symbolic(inertia="all").nominal)
    frames = list(enumerate(truth.frames[: truth.NL], 1))
    for kind in ("FV", "FS", "FO"):
        numbers |= {f"{kind}{j}": float(getattr(f, kind).number or 0) for j, f in frames}
    lengths = {name: formula(value) for name, value in truth.nominal}
    K = {}
    for name, others in result.base.relations.items():
        more = [(c.substitute(lengths).number or 0) * numbers.get(o, 0.0) for o, c in others.items()]
        K[name] = numbers.get(name, 0.0) + sum(more)
    K |= {name: numbers[name] for name in result.estimate.names if name not in K}
    for name, held in result.model.absorbed.items():
        if len(held) == 1:
            K[held[0]] += numbers[name]
    return K


def torques(robot: symoro.Robot, motion: LoopMotion) -> np.ndarray:
    """By the model of the robot with its loops."""
    model = symoro.generate(robot, "inverse-dynamics").function()
    return model(q=sr400_joints(motion.q), qda=motion.qd, qdda=motion.qdd)["tau"]


def test_exact_data_of_a_parallelogram_robot_give_its_parameters() -> None:
    estimate = symoro.identify("sr400", arm().log())
    K = known(estimate, sr400())
    assert len(estimate.base.names) == 42 and len(estimate.estimate.names) == 62
    assert set(estimate.model.absorbed) == {"FO3", "FV8", "FS8", "FO8"}  # q8 = -q3 but for a constant
    assert estimate.model.absorbed["FV8"] == ("FV3",)
    for name, value in estimate.estimate.as_dict().items():
        assert value == pytest.approx(K[name], rel=1e-6, abs=1e-6), name
    assert estimate.warnings == ()


@pytest.mark.parametrize("method", ["ols", "wls", "irls"])
def test_noise_keeps_within_the_deviations(method: str) -> None:
    estimate = symoro.identify("sr400", arm().log(NOISE, 5, exact=False), method=method, decimation=5)
    K = known(estimate, sr400())
    e = estimate.estimate
    z = (e.values - np.array([K[name] for name in e.names])) / e.deviations
    assert np.abs(z).max() < 4 and 0.4 < np.mean(z**2) < 2


def test_the_identified_robot_predicts_another_motion() -> None:
    other = arm(2)
    estimate = symoro.identify(
        "sr400", arm().log(NOISE / 4, 5, exact=False), decimation=5, validate=[other.log(NOISE / 4, 6)]
    )
    off = np.linalg.norm(torques(estimate.robot, other) - other.tau, axis=0) / np.linalg.norm(
        other.tau, axis=0
    )
    assert off.max() < 0.01
    (residual,) = estimate.validation.values()
    noise = NOISE / 4 / np.sqrt(np.mean(other.tau**2, axis=0)) * independent_share(5) ** 0.5 / 5**0.5
    assert (residual.every.equations < 1.5 * np.hypot(noise, off)).all()


@pytest.mark.parametrize(("model", "tolerance"), [("filtered", 1e-4), ("power", 5e-3), ("energy", 5e-3)])
def test_models_without_accelerations_take_loops(model: str, tolerance: float) -> None:
    estimate = symoro.identify(
        "sr400", arm().log(), decimation=10, options=symoro.IdentificationOptions(model=model)
    )
    off = torques(estimate.robot, arm()) - arm().tau
    assert np.linalg.norm(off) < tolerance * np.linalg.norm(arm().tau)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_loops_that_must_be_solved_are_followed_in_the_assembly_that_was_named(side: float) -> None:
    estimate = symoro.identify(
        "fivebar", bars(side).log(), options=symoro.IdentificationOptions(posture=fivebar_posture(side))
    )
    K = known(estimate, fivebar())
    for name, value in estimate.estimate.as_dict().items():
        assert value == pytest.approx(K[name], abs=1e-6), name
    other = symoro.identify(
        "fivebar", bars(side).log(), options=symoro.IdentificationOptions(posture=fivebar_posture(-side))
    )
    assert other.residuals.every.relative > 1e4 * estimate.residuals.every.relative
    (line,) = other.warnings  # and none of units and signs, which would explain it as well
    shown = ",".join(f"{x:.4g}" for x in fivebar_joints(bars(side).q[:1], side)[0, :3])
    assert line.name == "other-assembly" and shown in line


@pytest.mark.parametrize(
    ("sides", "noise"),
    [
        ((1.0, -1.0), 0.0),
        pytest.param((-1.0, 1.0), 5e-3, marks=pytest.mark.slow),
        pytest.param((1.0, -1.0), 0.02, marks=pytest.mark.slow),
        ((1.0, 1.0), 5e-3),
    ],
)
def test_each_of_several_logs_finds_its_own_assembly(sides: tuple[float, float], noise: float) -> None:
    """The robot was folded through between the two."""
    logs = [bars(side).log(noise, k) for k, side in enumerate(sides)]
    estimate = symoro.identify(
        "fivebar", logs, options=symoro.IdentificationOptions(posture=fivebar_posture(sides[0]))
    )
    K = known(estimate, fivebar())
    e = estimate.estimate
    if noise:
        z = (e.values - np.array([K[name] for name in e.names])) / e.deviations
        assert np.abs(z).max() < 4
    else:
        assert e.values == pytest.approx([K[name] for name in e.names], abs=1e-6)
    assert estimate.warnings == ()
    tried = symoro.identify(
        "fivebar",
        logs[0],
        validate=[logs[1]],
        options=symoro.IdentificationOptions(posture=fivebar_posture(sides[0])),
    )
    size = float(np.sqrt(np.mean(bars(sides[1]).tau ** 2)))
    assert next(iter(tried.validation.values())).every.relative < 1.2 * noise / size + 1e-6


def test_each_log_takes_a_separate_posture() -> None:
    logs = [bars(1.0).log(), bars(-1.0).log()]
    estimate = symoro.identify(
        "fivebar",
        logs,
        options=symoro.IdentificationOptions(posture=[fivebar_posture(1.0), fivebar_posture(-1.0)]),
    )
    assert estimate.residuals.every.relative < 1e-6 and estimate.warnings == ()
    wrong = symoro.identify(
        "fivebar",
        logs,
        options=symoro.IdentificationOptions(posture=[fivebar_posture(1.0), fivebar_posture(1.0)]),
    )
    assert any(line.name == "other-assembly" for line in wrong.warnings)
    with pytest.raises(ArgumentError, match="expected one posture, or one for each of the 2 logs, got 3"):
        symoro.identify(
            "fivebar", logs, options=symoro.IdentificationOptions(posture=[fivebar_posture()] * 3)
        )


def test_a_posture_that_parallelograms_do_not_have_is_rejected() -> None:
    robot, log = symbolic_robot(symoro.load("sr400")), arm().log()
    posture = sr400_joints(arm().q[:1])[0]
    assert start_posture(robot, log, posture + 0.01) is None
    posture[2] += 0.5
    with pytest.raises(ArgumentError, match=r"joint 3 is at .*, but the parallelograms require"):
        start_posture(robot, log, posture)


def test_an_undetermined_assembly_mode_is_requested() -> None:
    with pytest.raises(ArgumentError, match=r"have 2 assembly modes .*q1, q2, q3, q4") as caught:
        symoro.identify("fivebar", bars().log())
    first = fivebar_joints(bars().q[:1])[0]
    listed = [[float(x) for x in line.split(",")] for line in str(caught.value).splitlines()[1:3]]
    assert min(np.abs(np.array(one) - first).max() for one in listed) < 1e-3
    at_home = symoro.load("fivebar").replace(postures={"home": tuple(fivebar_posture())})
    estimate = symoro.identify(at_home, bars().log())
    assert estimate.residuals.every.relative < 1e-7
    assert symoro.identify(
        at_home, bars().log(), options=symoro.IdentificationOptions(posture="home")
    ).estimate.values == pytest.approx(estimate.estimate.values, rel=1e-9)


@pytest.mark.parametrize(
    ("posture", "error", "words"),
    [
        ([0.1, 0.2], ArgumentError, "expected 4 numbers, q1, q2, q3, q4"),
        ([0.1, 0.2, 0.3, float("nan")], ArgumentError, "expected 4 numbers"),
        ("folded", UnknownNameError, "folded"),
        ([3.1, 0.0, 0.0, 0.0], ArgumentError, "do not close near the given posture"),
    ],
)
def test_invalid_postures_are_rejected(posture: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        symoro.identify("fivebar", bars().log(), options=symoro.IdentificationOptions(posture=posture))  # type: ignore[arg-type]


def test_pieces_of_a_log_go_on_from_each_other() -> None:
    log = bars(samples=2000).log(1e-3, 2, exact=False)
    given = {"posture": fivebar_posture(), "cutoff": 60.0, "decimation": 4}
    whole = symoro.identify("fivebar", log, **given, options=symoro.IdentificationOptions(piece=10_000))
    for piece in (1, 700):
        estimate = symoro.identify("fivebar", log, **given, options=symoro.IdentificationOptions(piece=piece))
        assert estimate.data.counts == whole.data.counts
        assert estimate.estimate.values == pytest.approx(whole.estimate.values, rel=1e-8, abs=1e-11)


def test_samples_without_a_closed_posture_are_reported_with_their_line(tmp_path: Path) -> None:
    t = bars(samples=1600)
    q = t.q.copy()
    q[900:, 0] += 2.0 * np.linspace(0, 1, len(q) - 900)  # the bars stretch, and then cannot meet
    rows = np.column_stack([np.arange(len(q)) / RATE, q, t.tau]).tolist()
    path = tmp_path / "log.csv"
    lines = ["t,q1,q3,tau1,tau3", *(",".join(repr(x) for x in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        symoro.identify("fivebar", path, options=symoro.IdentificationOptions(posture=fivebar_posture()))
    across = np.linalg.norm(
        [0.24 + 0.2 * (np.cos(q[:, 1]) - np.cos(q[:, 0])), 0.2 * (np.sin(q[:, 1]) - np.sin(q[:, 0]))], axis=0
    )
    beyond = int(np.flatnonzero(across > 0.6)[0])
    assert caught.value.place is not None and caught.value.place.line is not None
    assert abs(caught.value.place.line - 2 - beyond) <= 12
    degrees = log_of_arrays(RATE, np.degrees(t.q), t.tau)
    with pytest.raises(FormatError, match="sample"):
        symoro.identify("fivebar", degrees, options=symoro.IdentificationOptions(posture=fivebar_posture()))


def test_consistent_and_essential_parameters_of_loops() -> None:
    estimate = symoro.identify(
        "sr400",
        arm().log(NOISE, 5, exact=False),
        decimation=5,
        options=symoro.IdentificationOptions(find_consistent=True, find_essential=True),
    )
    assert estimate.consistent is not None and estimate.essential is not None
    assert min(estimate.consistent.eigenvalues.values()) > 0 and estimate.consistent.ratio < 1.02
    off = torques(estimate.robot, arm(2)) - arm(2).tau
    assert np.linalg.norm(off) < 0.02 * np.linalg.norm(arm(2).tau)


def test_methods_that_do_not_support_loops_raise_errors() -> None:
    log = arm().log()
    for method in ("iv", "didim", "cloe"):
        with pytest.raises(NotApplicableError, match="closed kinematic loops such as"):
            symoro.identify("sr400", log, method=method)
    with pytest.raises(NotApplicableError, match="distributed over a cluster"):
        symoro.identify(
            "fivebar",
            bars().log(),
            options=symoro.IdentificationOptions(posture=fivebar_posture(), client=object()),
        )
    with pytest.raises(ArgumentError, match="has 6 active joints: q1, q2, q4, q5, q6, q7"):
        symoro.identify("sr400", log_of_arrays(RATE, sr400_joints(arm().q), sr400_joints(arm().q)))
    with pytest.raises(ArgumentError, match="'FV8': it depends linearly on FV3"):
        symoro.identify("sr400", log, options=symoro.IdentificationOptions(without=["FV8"]))
    rotor = (
        sr400()
        .bind({})
        .replace(
            frames=tuple(
                replace(f, IA=formula(0.5)) if j == 3 else f for j, f in enumerate(sr400().frames, 1)
            )
        )
    )
    with pytest.raises(NotApplicableError, match=r"joint 3 .* is passive but has a rotor inertia"):
        symoro.identify(rotor, log)
    with pytest.raises(ArgumentError, match="robots with closed loops only"):
        symoro.identify(
            "planar2r",
            log_of_arrays(RATE, arm().q[:, :2], arm().tau[:, :2]),
            options=symoro.IdentificationOptions(posture=[0.0, 0.0]),
        )


def test_springs_of_passive_joints_are_taken_off_the_torques() -> None:
    plain = symoro.load("sr400")
    sprung = plain.replace(
        frames=tuple(
            replace(f, eta=True, k=formula(300.0)) if j == 3 else f for j, f in enumerate(plain.frames, 1)
        )
    )
    t = arm()
    whole = sr400_joints(t.q)
    pull = np.zeros_like(t.tau)
    pull[:, 5] = 300.0 * whole[:, 2]  # dq3 = dq7 - dq2
    pull[:, 1] = -300.0 * whole[:, 2]
    log = log_of_arrays(RATE, t.q, t.tau + pull, velocity=t.qd, acceleration=t.qdd)
    estimate = symoro.identify(sprung, log)
    assert estimate.estimate.as_dict() == pytest.approx(known(estimate, sr400()), rel=1e-6, abs=1e-6)
    with pytest.raises(NotApplicableError, match="springs"):
        symoro.identify(sprung, log, options=symoro.IdentificationOptions(model="power"))


def test_a_worker_makes_the_rows_of_its_pieces_of_a_parallelogram_robot() -> None:
    """What a cluster does, here in turn: no piece knows of the one before."""
    log = arm().log(NOISE, 5, exact=False)
    preparation = Preparation(cutoff=60.0, decimation=5)
    share = independent_share(5)
    work = cluster.Work(
        symbolic_robot(symoro.load("sr400")), "dynamic", Friction(), None, (), preparation, share
    )
    whole = symoro.identify("sr400", log, cutoff=60.0, decimation=5)
    support = whole.model.support
    pieces = [cluster._factored(work, log, a, a + 500) for a in range(0, log.samples, 500)]
    data = reduce(joined, [merged(piece, support, KEPT) for piece in pieces])
    assert data.counts == whole.data.counts
    assert weighted(whole.model.names, data).values == pytest.approx(
        whole.estimate.values, rel=1e-8, abs=1e-9
    )


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_total_least_squares_takes_columns_of_exact_positions_for_exact(noise: float) -> None:
    """Errors that are not there would be taken off: ZZ1 was off by seven deviations."""
    estimate = symoro.identify("sr400", arm().log(noise * NOISE, 5, exact=False), method="tls", decimation=5)
    K = known(estimate, sr400())
    e = estimate.estimate
    truth = np.array([K[name] for name in e.names])
    if noise:
        assert np.abs((e.values - truth) / e.deviations).max() < 4
    else:
        assert e.values == pytest.approx(truth, rel=1e-5, abs=1e-5)
    assert estimate.warnings == ()


# -- assembly modes with different base parameters


def slider_joints(qa: np.ndarray) -> np.ndarray:
    """A crank and a rod of 0.4 m whose slide moves."""
    return np.column_stack([qa[:, 0], -2 * qa[:, 0], 0.8 * np.cos(qa[:, 0])])


def crossed_joints(qa: np.ndarray) -> np.ndarray:
    """Bars of 0.5, 0.7, 0.5 and 0.7 m, crossed."""
    q = qa[:, 0]
    pin = 0.5 * np.exp(1j * q)
    along = (0.7 - pin) / np.abs(0.7 - pin)
    coupler = 0.7 * along**2  # of a parallelogram 0.7, mirrored at the line from the pin to the other pivot
    return np.column_stack([q, np.angle(coupler) - q, np.angle(pin + coupler - 0.7)])


@pytest.mark.parametrize("posture", [None, "other", "numbers"])
def test_a_log_is_used_in_its_own_assembly_mode(posture: str | None) -> None:
    """Of a slider-crank that can fold up, the one that moves has two parameters more."""
    robot = slider_crank(0.4, 0.4, 1)
    motion = moved(robot, slider_joints, sines(np.array([0.8]), 0.15, 3), [0], 1500)
    home = robot.postures["home"]
    if posture is not None:
        folded = (0.7, np.pi, 0.0)
        robot = robot.replace(postures={"home": folded, "other": home})
    given = home if posture == "numbers" else posture
    estimate = symoro.identify(
        robot, motion.log(), friction=(), options=symoro.IdentificationOptions(posture=given)
    )
    assert estimate.base.names == ("ZZ1", "MX1", "MY1", "MX2", "MY2")
    assert estimate.residuals.every.relative < 1e-6
    assert estimate.robot.postures == robot.postures


def test_a_log_of_an_antiparallelogram() -> None:
    robot = four_bar(0.5, 0.7, 0.7, 0.5, -1)
    motion = moved(robot, crossed_joints, sines(np.array([1.0]), 0.15, 3), [0], 1500)
    assert np.abs(crossed_joints(np.array([[0.9]]))[0] - robot.postures["home"]).max() < 1e-9
    estimate = symoro.identify(robot, motion.log(), friction=())
    assert len(estimate.base.names) == 8
    assert estimate.residuals.every.relative < 1e-6
