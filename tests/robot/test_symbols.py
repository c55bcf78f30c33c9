"""Test symbols and numbers: list symbols, bind them, and replace numbers by symbols."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import symoro
from symoro.errors import OptionError, UnknownNameError
from symoro.expr.formula import formula
from symoro.robot.description import (
    INERTIAL,
    Base,
    BaseKind,
    Coupling,
    Frame,
    JointType,
    Link,
    Placement,
    Robot,
    Tool,
)
from symoro.robot.symbols import each_formula
from tests.strategies import robots

ROBOT = Robot(
    "r",
    (
        Frame(0, d=formula("L1 + L2"), IA=formula("Ia"), QP=formula("speed")),
        Frame(
            1, JointType.PRISMATIC, r=formula("off"), coupling=Coupling(((1, formula("k")),), formula("c0"))
        ),
    ),
    (Link(M=formula("m1")), Link(XX=formula("m1*L1^2"))),
    base=Base(V0=(formula("vx"), formula("0"), formula("0"))),
    tool=Tool(Placement(2, r=formula("hand"))),
    payload=Link(M=formula("load")),
    nominal=(("L1", 0.5), ("m1", 2.0)),
)


def test_symbols_of_every_part() -> None:
    assert set(ROBOT.symbols()) == {
        *("L1", "L2", "Ia", "speed", "off", "k", "c0", "m1", "vx", "G3", "hand", "load"),
    }
    assert len(ROBOT.symbols()) == len(set(ROBOT.symbols()))


def test_bind_renames_a_symbol() -> None:
    robot = symoro.load("rx90").bind({"D3": "L2"})
    assert "L2" in robot.symbols() and "D3" not in robot.symbols()
    model = symoro.generate(robot, "fast-geometry")
    assert sorted(model.parameters) == ["L2", "RL4"]
    plain = symoro.generate("rx90", "fast-geometry")
    q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    renamed = model.function({"L2": 0.45, "RL4": 0.4}, compiled=False)(q=q)["T"]
    assert np.array_equal(renamed, plain.function({"D3": 0.45, "RL4": 0.4}, compiled=False)(q=q)["T"])


def test_a_renamed_symbol_keeps_its_nominal_value() -> None:
    robot = symoro.load("planar2r")
    number = dict(robot.nominal)["D2"]
    assert dict(robot.bind({"D2": "L"}).nominal)["L"] == number
    assert "D2" not in dict(robot.bind({"D2": "2*L"}).nominal)
    assert dict(robot.bind({"D2": "M2"}).nominal)["M2"] == dict(robot.nominal)["M2"]


def test_bind_to_the_name_of_another_symbol_makes_them_equal() -> None:
    robot = symoro.load("rx90").bind({"D3": "RL4"})
    assert list(symoro.generate(robot, "fast-geometry").parameters) == ["RL4"]


def test_bind() -> None:
    bound = ROBOT.bind({"L1": 0.25, "k": "1/3", "m1": "rho*L2", "hand": np.float32(0.5)})
    assert bound.frame(1).d == formula("L2 + 0.25")
    assert bound.frame(2).coupling is not None and bound.frame(2).coupling.terms[0][1] == formula("1/3")
    assert formula("rho*L2") == bound.link(1).M
    assert bound.tool is not None and bound.tool.place.r.number == 0.5
    assert bound.nominal == (("G3", -9.81),), "the default gravity keeps its nominal value"
    assert ROBOT.frame(1).d == formula("L1 + L2"), "the old robot is as it was"
    assert ROBOT.bind({}) == ROBOT


def test_bind_all_at_once() -> None:
    """Check that values with other symbols are not bound in turn."""
    assert ROBOT.bind({"L1": "L2", "L2": "L1"}).frame(1).d == formula("L1 + L2")


def test_bind_nonsense() -> None:
    with pytest.raises(UnknownNameError, match="no symbol of robot 'r' called 'L3'") as caught:
        ROBOT.bind({"L3": 1})
    assert "did you mean 'L2' or 'L1'" in str(caught.value) or "did you mean 'L1' or 'L2'" in str(
        caught.value
    )
    for value in ("1 +", "__import__('os')", None, float("nan"), [1], True):
        with pytest.raises(OptionError, match="value of 'L1'"):
            ROBOT.bind({"L1": value})  # type: ignore[dict-item]


def test_numbers_give_the_same_model_as_symbols() -> None:
    robot = symoro.load("rx90")
    q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    free = symoro.generate(robot, "fast-geometry").function({"D3": 0.3, "RL4": 0.7}, compiled=False)
    bound = symoro.generate(robot.bind({"D3": 0.3, "RL4": 0.7}), "fast-geometry")
    assert bound.parameters == []
    np.testing.assert_allclose(bound.function(compiled=False)(q=q)["T"], free(q=q)["T"], rtol=0, atol=1e-15)


def test_symbolic() -> None:
    robot = symoro.load("ur5e")
    given = robot.symbolic(inertia=True, geometry=True, gravity=True)
    assert set(given.symbols()) >= {"D3", "D4", "RL1", "M1", "M6"}
    values = dict(given.nominal)
    assert values["D3"] == robot.frame(3).d.number
    assert (
        given.bind({name: values[name] for name in values if name in given.symbols()}).frames == robot.frames
    )
    zero = [(f.d, g.d) for f, g in zip(robot.frames, given.frames, strict=True) if f.d.is_zero]
    assert all(a == b for a, b in zero), "zeros stay zero"
    assert robot.symbolic() == robot


def test_symbolic_with_all_inertial_parameters() -> None:
    robot = symoro.load("fourbar")
    given = robot.symbolic(inertia="all")
    assert not [n for link in given.links for n in INERTIAL if getattr(link, n).is_zero]
    assert [f.IA.is_zero for f in given.frames] == [False, True, True, True, True], (
        "of motorised joints alone"
    )
    assert all(getattr(given.base.link, n).is_zero for n in INERTIAL), "a fixed base has none"
    assert given.link(1).YY == robot.link(1).YY, "what is no number stays"
    assert dict(given.nominal)["XY2"] == 0
    floating = robot.replace(base=replace(robot.base, kind=BaseKind.FLOATING)).symbolic(inertia="all")
    assert str(floating.base.link.M) == "M0"
    with pytest.raises(OptionError, match="True, False or 'all'"):
        robot.symbolic(inertia="every")  # type: ignore[arg-type]


def test_symbolic_avoids_names_that_are_taken() -> None:
    robot = Robot("r", (Frame(0, d=formula("D2")), Frame(1, d=formula("0.5"))), (Link(),) * 2)
    given = robot.symbolic(geometry=True)
    assert given.frame(1).d == formula("D2") and given.frame(2).d == formula("D2_")
    assert dict(given.nominal) == {"D2_": 0.5, "G3": -9.81}


@settings(max_examples=40, deadline=None)
@given(robots())
def test_every_formula_is_reached(robot: Robot) -> None:
    seen: list[str] = []
    same = each_formula(robot, lambda f: seen.append(f.text) or f)  # type: ignore[func-returns-value]
    assert same == robot
    assert len(seen) >= 6 * robot.NF + 10 * robot.NL
    numbers = dict.fromkeys(robot.symbols(), 0.7)
    with suppress(OptionError):  # a value that cannot be computed, as a division by zero
        assert not robot.bind(numbers).symbols()
