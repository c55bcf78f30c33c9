"""Loops and platforms in micrometres, millimetres, metres and kilometres have equal modes, kinds and mobilities."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.expr.formula import Formula, formula
from symoro.models.geometric.loop.mobility import loop_mobility
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot

SIZES = (1e-6, 1e-4, 1e3)
SAME = 1e-9
CRANK = """frames:
  - {link: {M: 1}}
  - {ant: 1, d: L1, active: false}
  - {ant: 0, joint: prismatic, gamma: pi/2, alpha: pi/2, active: false}
loops:
  - {open: {ant: 2, d: L2}, close: {ant: 3, alpha: -pi/2}}
"""
FOUR_BAR = """frames:
  - {link: {M: 1}}
  - {ant: 1, d: L1, active: false}
  - {ant: 0, d: L4, active: false}
loops:
  - {open: {ant: 2, d: L2}, close: {ant: 3, d: L3}}
"""
BRACED = """frames:
  - {link: {M: 1}}
  - {ant: 1, d: 0.5, active: false}
  - {ant: 1, active: false}
loops:
  - {open: {ant: 2, d: 0.4}, close: {ant: 3, d: 0.3}}
"""
LOOPS = {
    "slider-crank": (CRANK, {"L1": 0.3, "L2": 0.5}, "planar"),
    "four-bar": (FOUR_BAR, {"L1": 0.3, "L2": 0.7, "L3": 0.5, "L4": 0.6}, "planar"),
    "parallelogram": (FOUR_BAR, {"L1": 0.3, "L2": 0.6, "L3": 0.3, "L4": 0.6}, "parallelogram"),
}


def times(value: Formula, s: float) -> Formula:
    return value if value.is_zero or value.number is None else formula(f"({value})*{s!r}")


def units(robot: Robot, s: float) -> list[float]:
    return [s if robot.frame(j).sigma == JointType.PRISMATIC else 1.0 for j in independent(robot)]


def enlarged(robot: Robot, s: float) -> Robot:
    """Return the robot with numbers for its lengths, multiplied by s."""
    bound = robot.bind(dict(robot.nominal))
    frames = [replace(f, b=times(f.b, s), d=times(f.d, s), r=times(f.r, s)) for f in bound.frames]
    postures = {
        name: tuple(x * unit for x, unit in zip(q, units(robot, s), strict=True))
        for name, q in robot.postures.items()
    }
    return replace(bound, frames=tuple(frames), postures=postures)


def loaded(folder: Path, text: str, values: dict[str, float]) -> Robot:
    path = folder / "loop.yaml"
    nominal = ", ".join(f"{name}: {value}" for name, value in values.items())
    path.write_text(f"symoro: 1\nname: loop\n{text}nominal: {{{nominal}}}\n", encoding="utf-8")
    return symoro.load(path)


@pytest.mark.parametrize("numbers", [True, False])
@pytest.mark.parametrize("name", LOOPS)
def test_the_size_changes_no_mode(tmp_path: Path, name: str, numbers: bool) -> None:
    """With numbers, and with symbols that have values only at run time."""
    text, values, kind = LOOPS[name]
    robot = loaded(tmp_path, text, values)
    plain = None
    for s in (1.0, *SIZES):
        own = enlarged(robot, s) if numbers else robot
        given = {} if numbers else {key: s * x for key, x in values.items()}
        solutions = symoro.generate(own, "loop-geometry", modes="all").function(given, compiled=False)(
            qa=[0.7]
        )
        q = solutions["q"] / units(robot, s)
        assert (solutions["residual"] < 1e-12).all()
        if plain is None:
            plain = q
        assert solutions["status"].tolist() == [0] * len(plain)
        apart = np.abs(np.exp(1j * q) - np.exp(1j * plain))
        assert apart.max() < SAME
        if numbers:
            mobility = loop_mobility(own)
            assert (mobility.mobility, mobility.loops[0].kind) == (1, kind)


@pytest.mark.parametrize("name", ["slider-crank", "four-bar"])
def test_newton_s_method_follows_a_mode_at_every_size(tmp_path: Path, name: str) -> None:
    text, values, _ = LOOPS[name]
    robot = loaded(tmp_path, text, values)
    for s in (1.0, *SIZES):
        own = enlarged(robot, s)
        start = symoro.generate(own, "loop-geometry").function(compiled=False)(qa=[0.7])
        follow = symoro.generate(own, "loop-geometry", method="numeric").function(compiled=False)
        solution = follow(qa=[0.9], q0=start["q"][0], qc0=start["qc"][0])
        there = symoro.generate(own, "loop-geometry").function(compiled=False)(qa=[0.9])
        assert solution["status"].tolist() == [0]
        assert np.abs((solution["q"] - there["q"][0]) / units(robot, s)).max() < SAME


def test_singularities_are_the_same_at_every_size(tmp_path: Path) -> None:
    text, values, _ = LOOPS["four-bar"]
    robot = loaded(tmp_path, text, values)
    plain = str(symoro.singularities(enlarged(robot, 1.0)))
    assert "sin(q1 + q2 - q3) = 0" in plain
    for s in SIZES:
        assert str(symoro.singularities(enlarged(robot, s))).splitlines()[:3] == plain.splitlines()[:3]


@pytest.mark.parametrize("s", [1.0, *SIZES])
def test_a_loop_that_its_home_closes(tmp_path: Path, s: float) -> None:
    """A braced arm closes only in isolated configurations, and is a valid robot."""
    robot = loaded(tmp_path, BRACED, {})
    home = (0.2, 2.498091544796509, 0.9272952180016124)
    robot = enlarged(replace(robot, postures={"home": home}), s)
    assert loop_mobility(robot).mobility == 1
    solutions = symoro.generate(robot, "loop-geometry").function(compiled=False)(qa=[0.2])
    valid = solutions["q"][solutions["status"] == 0]
    assert np.abs(valid - home).max(axis=1).min() < SAME


@pytest.mark.parametrize("name", ["gough_stewart", "delta", "3rrr", "orthoglide"])
def test_platforms(name: str) -> None:
    """All working modes, and the pose from the motors."""
    robot = symoro.load(name)
    tree = replace(robot.tree(), platform=None)
    home = symoro.generate(tree, "fast-geometry", to=robot.platform).function(compiled=False)(
        q=robot.postures["home"]
    )["T"]
    plain = None
    for s in (1.0, *SIZES):
        own = enlarged(robot, s)
        pose = np.array(home)
        pose[:3, 3] *= s
        solutions = symoro.generate(own, "inverse-geometry").function(compiled=False)(T=pose)
        q = solutions["q"] / units(robot, s)
        if plain is None:
            plain = (solutions["status"], q)
        assert solutions["status"].tolist() == plain[0].tolist()
        valid = plain[0] == 0
        assert valid.any()
        assert np.abs(np.exp(1j * q) - np.exp(1j * plain[1]))[valid].max() < SAME
        assert solutions["residual"][valid].max() < 1e-12
        active = [robot.frame(j).mu for j in independent(robot)]
        reached = symoro.platform_pose(own, own.postures["home"] @ np.eye(len(active))[:, active])
        assert reached.reached
        assert np.abs(reached.T - pose)[:3, 3].max() < 1e-9 * s
