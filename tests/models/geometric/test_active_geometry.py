"""Transforms from the active joints agree with `fast-geometry` at every assembly mode of a search."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import symoro
from symoro.errors import NotApplicableError, OptionError
from symoro.robot.description import Robot
from symoro.runtime.compiler import find_compiler
from tests.models.geometric.loops import Assembly, planar_platform, rhombus, six_bar, two_loops
from tests.oracle.numeric import Numeric

Array = NDArray[np.float64]
needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler on this machine")

CASES: dict[str, tuple[Robot, int | str]] = {
    "sr400": (symoro.load("sr400"), 6),
    "sr400, the cut joint": (symoro.load("sr400"), 9),
    "akr3000": (symoro.load("akr3000"), 10),
    "fivebar": (symoro.load("fivebar"), "tool"),
    "fourbar": (symoro.load("fourbar"), 2),
    "slidercrank": (symoro.load("slidercrank"), 3),
    "two loops": (two_loops(), 5),
    "rhombus": (rhombus(), 2),
    "six bars": (six_bar(), 5),
}


def drawn(robot: Robot, rng: np.random.Generator) -> Array:
    spans = {5: (0.8, 1.0), 6: (0.5, 0.6)} if robot.name == "AKR3000" else {}
    return np.array([rng.uniform(*spans.get(j, (-2.5, 2.5))) for j in Assembly(robot).active])


@pytest.mark.parametrize("name", CASES)
def test_the_placement_in_every_mode(name: str) -> None:
    robot, to = CASES[name]
    model = symoro.generate(robot, "fast-geometry", to=to, active=True, modes="all")
    f, oracle, assembly = model.function(compiled=False), Numeric(robot), Assembly(robot)
    rng = np.random.default_rng(3)
    n = len(assembly.joints) - robot.B
    found_some = 0
    for k in range(4):
        qa = drawn(robot, rng)
        out = f(qa=qa)
        got = out["T"][out["status"] == 0]
        every = assembly.every(qa, seed=k)
        assert len(got) == len(every)
        for row in every:
            T = oracle.transform(row[:n], 0, to, row[n:])
            assert np.abs(got - T).max(axis=(1, 2)).min() < 1e-9
            found_some += 1
    assert found_some


@pytest.mark.parametrize("name", ["fivebar", "akr3000", "sr400"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_numbers_that_are_none(name: str, value: float) -> None:
    model = symoro.generate(name, "fast-geometry", active=True)
    count = model.inputs["qa"][0]
    for k in range(count):
        qa = np.full(count, 0.7)
        qa[k] = value
        assert (model.function(compiled=False)(qa=qa)["status"] == 3).all()


def test_out_of_reach() -> None:
    out = symoro.generate("fivebar", "fast-geometry", active=True).function(compiled=False)(qa=[3.0, 0.1])
    assert (out["status"] == 1).all()


@pytest.mark.parametrize("power", range(3, 9))
def test_next_to_the_end_of_reach(power: int) -> None:
    """Two bars of 0.3 m whose far ends are almost 0.6 m apart have two modes close to each other."""
    robot = symoro.load("fivebar")
    f = symoro.generate(robot, "fast-geometry", active=True).function(compiled=False)
    oracle, assembly = Numeric(robot), Assembly(robot)
    half = math.asin((0.3 * (1 - 10.0**-power) - 0.12) / 0.2)
    qa = np.array([math.pi / 2 + half, math.pi / 2 - half])
    out = f(qa=qa)
    assert (out["status"] == 0).all()
    tips = out["T"][:, :2, 3]
    elbows = np.array([[0.2 * math.cos(qa[0]), 0.2 * math.sin(qa[0])]])
    np.testing.assert_allclose(np.linalg.norm(tips - elbows, axis=1), 0.3, rtol=1e-12)
    for row in assembly.every(qa, starts=20):
        T = oracle.transform(row[:4], 0, "tool", row[4:])
        assert np.abs(out["T"] - T).max(axis=(1, 2)).min() < 1e-4


def test_by_newton_where_there_is_no_closed_form() -> None:
    robot = planar_platform()
    assembly = Assembly(robot)
    row = assembly.every([0.6, 0.6, 0.6])[0]
    start = {"q0": row[:7], "qc0": row[7:]}
    qa = np.array([0.62, 0.58, 0.61])
    model = symoro.generate(robot, "fast-geometry", to=3, active=True)
    assert "Newton's method, no closed form exists" in model.program.choices[0]
    out = model.function(compiled=False)(qa=qa, **start)
    loops = symoro.generate(robot, "loop-geometry").function(compiled=False)(qa=qa, **start)
    assert out["status"] == [0] and out["residual"] < 1e-12
    T = Numeric(robot).transform(loops["q"][0], 0, 3, loops["qc"][0])
    np.testing.assert_allclose(out["T"][0], T, atol=1e-12)
    with pytest.raises(NotApplicableError, match="no closed form exists for loop 8-10, 9-11") as refused:
        symoro.generate(robot, "fast-geometry", to=3, active=True, method="closed")
    assert "method='numeric'" in str(refused.value)


def test_one_expression_an_entry_for_parallelograms() -> None:
    model = symoro.generate("sr400", "transform", to=6, active=True)
    text = str(model)
    assert "T[1,1,4] = d2*C1 + d3*C2*C1 + d4*C1*S7 + r4*C1*C7" in text
    f = symoro.generate("sr400", "fast-geometry", to=6, active=True).function(compiled=False)
    qa = np.random.default_rng(0).uniform(-3, 3, (20, 6))
    np.testing.assert_allclose(model.function(compiled=False)(qa=qa)["T"], f(qa=qa)["T"], atol=1e-12)
    with pytest.raises(NotApplicableError, match="some of its loops are not parallelograms"):
        symoro.generate("fivebar", "transform", active=True)


def test_what_is_refused() -> None:
    with pytest.raises(NotApplicableError, match="it has no closed loop"):
        symoro.generate("rx90", "fast-geometry", active=True)
    with pytest.raises(OptionError, match="expected True or False"):
        symoro.generate("fivebar", "fast-geometry", active="yes")
    plain = symoro.generate("fivebar", "fast-geometry", active=False)
    assert list(plain.inputs) == ["q"]


def test_frames_of_the_world() -> None:
    """Frame 0 is not the world frame."""
    from dataclasses import replace

    from symoro.expr.formula import formula

    Z = (0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1)
    plain = symoro.load("fivebar")
    robot = replace(plain, base=replace(plain.base, Z=tuple(formula(z) for z in Z)))
    made = symoro.generate(robot, "fast-geometry", frm="world", active=True).function(compiled=False)
    other = symoro.generate(plain, "fast-geometry", active=True).function(compiled=False)
    matrix = np.reshape(Z, (4, 4))
    np.testing.assert_allclose(made(qa=[1.2, 0.5])["T"], matrix @ other(qa=[1.2, 0.5])["T"], atol=1e-15)


@needs_compiler
def test_compiled_as_interpreted() -> None:
    model = symoro.generate("akr3000", "fast-geometry", to=10, active=True)
    rng = np.random.default_rng(7)
    qa = np.array([drawn(symoro.load("akr3000"), rng) for _ in range(10)])
    here, there = (model.function(compiled=c)(qa=qa) for c in (False, True))
    np.testing.assert_array_equal(here["status"], there["status"])
    np.testing.assert_allclose(here["T"], there["T"], atol=1e-12)
