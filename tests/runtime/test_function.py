"""Test programs as functions: compiled and in NumPy, one sample and many, and wrong arguments."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symoro
from symoro.errors import ArgumentError, UnknownNameError
from symoro.expr.formula import formula
from symoro.model import Model
from symoro.program.interpret import interpret
from symoro.robot.description import Frame, JointType, Link, Robot
from symoro.runtime.compiler import find_compiler
from tests.oracle.robots import numbers

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler on this machine")
BOTH = [pytest.param(True, marks=needs_compiler, id="compiled"), pytest.param(False, id="numpy")]


@pytest.fixture(scope="module")
def damped() -> Model:
    """Return a model with inputs of rank 0 and 1, optional ones, a kernel call, parameters, a moving base."""
    robot = symoro.load("rx90_floating")
    return symoro.generate(robot, "inverse-kinematics", method="damped")


@pytest.fixture(scope="module")
def placed() -> Model:
    return symoro.generate(symoro.load("rx90"), "fast-geometry")


def arguments(model: Model, samples: int | None, shared: tuple[str, ...] = ()) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    lead = {name: () if samples is None or name in shared else (samples,) for name in model.inputs}
    return {name: rng.uniform(0.2, 1.5, lead[name] + shape) for name, shape in model.inputs.items()}


MODELS = [
    ("rx90", "fast-geometry"),
    ("scara", "jacobian"),
    ("ur5e", "velocities"),
    ("stanford", "jacobian-determinant"),
    ("panda", "inverse-kinematics"),
    ("rx90_floating", "jdot-qdot"),
    ("akr3000", "transform"),
]


@needs_compiler
@pytest.mark.parametrize(("robot", "name"), MODELS)
def test_compiled_and_numpy_agree(robot: str, name: str) -> None:
    model = symoro.generate(symoro.load(robot), name)
    fast, slow = model.function(compiled=True), model.function(compiled=False)
    assert fast.compiled and not slow.compiled
    for samples in (None, 1, 37, 700):
        given = arguments(model, samples)
        a, b = fast(**given), slow(**given)
        assert list(a) == list(b) == list(model.outputs)
        for output, shape in model.outputs.items():
            lead = () if samples is None else (samples,)
            assert a[output].shape == b[output].shape == lead + shape
            assert a[output].dtype == b[output].dtype == np.float64
            np.testing.assert_allclose(a[output], b[output], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("compiled", BOTH)
def test_a_batch_is_its_samples(damped: Model, compiled: bool) -> None:
    f = damped.function(compiled=compiled)
    given = arguments(damped, 9)
    many = f(**given)["qd"]
    for k in range(9):
        one = f(**{name: array[k] for name, array in given.items()})["qd"]
        np.testing.assert_allclose(many[k], one, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("compiled", BOTH)
@pytest.mark.parametrize(
    "shared", [("q",), ("V",), ("damping",), ("q", "V", "V0"), ("V", "qd0", "damping", "V0")]
)
def test_an_input_without_the_batch_axis_is_shared(
    damped: Model, compiled: bool, shared: tuple[str, ...]
) -> None:
    f = damped.function(compiled=compiled)
    given = arguments(damped, 5, shared)
    whole = {name: np.array([array] * 5) if name in shared else array for name, array in given.items()}
    np.testing.assert_allclose(f(**given)["qd"], f(**whole)["qd"], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("compiled", BOTH)
def test_optional_inputs_have_defaults(damped: Model, compiled: bool) -> None:
    f = damped.function(compiled=compiled)
    for samples in (None, 4):
        given = arguments(damped, samples)
        short = {name: array for name, array in given.items() if name not in ("qd0", "damping")}
        full = short | {"qd0": np.zeros(6), "damping": 0.01}
        np.testing.assert_allclose(f(**short)["qd"], f(**full)["qd"], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("compiled", BOTH)
def test_arrays_of_any_kind_are_taken(placed: Model, compiled: bool) -> None:
    f = placed.function(compiled=compiled)
    q = numbers(1, 6)
    wanted = f(q=q)["T"]
    wide = np.zeros((6, 4))
    wide[:, 2] = q
    for other in (list(q), tuple(q), wide[:, 2], q[::-1].copy()[::-1], q.astype(np.longdouble)):
        np.testing.assert_array_equal(f(q=other)["T"], wanted)
    whole = np.arange(6)
    np.testing.assert_array_equal(f(q=whole)["T"], f(q=whole.astype(float))["T"])
    turned = np.asfortranarray(np.array([q, 2 * q, 3 * q]))
    np.testing.assert_allclose(f(q=turned)["T"][0], wanted, rtol=0, atol=1e-15)
    read_only = q.copy()
    read_only.flags.writeable = False
    np.testing.assert_array_equal(f(q=read_only)["T"], wanted)


@pytest.mark.parametrize("compiled", BOTH)
def test_inputs_are_left_alone_and_outputs_are_fresh(placed: Model, compiled: bool) -> None:
    f, q = placed.function(compiled=compiled), numbers(1, 6)
    before = q.copy()
    first = f(q=q)["T"]
    first[:] = 7
    np.testing.assert_array_equal(q, before)
    assert not (f(q=q)["T"] == 7).any()


@pytest.mark.parametrize("compiled", BOTH)
def test_no_samples(placed: Model, compiled: bool) -> None:
    assert placed.function(compiled=compiled)(q=np.zeros((0, 6)))["T"].shape == (0, 4, 4)


@pytest.mark.parametrize("compiled", BOTH)
def test_no_joints(compiled: bool) -> None:
    robot = Robot("stand", (Frame(0, JointType.FIXED, d=formula("L")),), (Link(),))
    f = symoro.generate(robot, "fast-geometry").function({"L": 2.0}, compiled=compiled)
    assert f(q=[])["T"][0, 3] == 2
    assert f(q=np.zeros((3, 0)))["T"].shape == (3, 4, 4)


@pytest.mark.parametrize("compiled", BOTH)
@pytest.mark.parametrize(
    "name", ["my_example", "4 legs", "é ü", "main", "double", "a/b", "..", "x" * 300, "“"]
)
def test_a_robot_may_have_any_name(name: str, compiled: bool) -> None:
    robot = symoro.load("planar2r").replace(name=name)
    f = symoro.generate(robot, "fast-geometry").function(compiled=compiled)
    assert f(q=[0, 0])["T"].shape == (4, 4)


# -- values


def test_values_over_nominal_ones(placed: Model) -> None:
    """Check that the robot's nominal values are used if the caller gives none."""
    q = np.zeros(6)
    assert placed.function(compiled=False)(q=q)["T"][0, 3] == pytest.approx(0.45)
    assert placed.function({"D3": 2.0}, compiled=False)(q=q)["T"][0, 3] == pytest.approx(2)
    assert placed.function({"XX1": 2.0}, compiled=False)(q=q)["T"][0, 3] == pytest.approx(0.45)


def test_missing_values_are_listed() -> None:
    robot = symoro.load("rx90").replace(nominal=())
    with pytest.raises(ArgumentError, match=r"requires values for 2 parameter\(s\): D3, RL4") as caught:
        symoro.generate(robot, "fast-geometry").function()
    assert "give them as values={...}" in str(caught.value)


def test_an_unknown_value_is_reported(placed: Model) -> None:
    with pytest.raises(UnknownNameError, match="no parameter of fast-geometry called 'D33'") as caught:
        placed.function({"D33": 1.0})
    assert "did you mean 'D3'" in str(caught.value)


@pytest.mark.parametrize("value", ["long", None, [1, 2], 10**400, 1j])
def test_a_value_that_is_no_number(placed: Model, value: Any) -> None:
    with pytest.raises(ArgumentError, match="'D3' is not a number"):
        placed.function({"D3": value})


# -- wrong arguments


@pytest.mark.parametrize("compiled", BOTH)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"q": np.zeros(5)}, r"input 'q' has shape \(5,\), expected \(6,\) or \(N, 6\) for N samples"),
        ({"q": np.zeros((6, 5))}, r"input 'q' has shape \(6, 5\)"),
        ({"q": np.zeros((2, 2, 6))}, r"input 'q' has shape \(2, 2, 6\)"),
        ({"q": 0.0}, r"input 'q' has shape \(\)"),
        ({"q": "abc"}, "input 'q' is not an array of real numbers"),
        ({"q": [[1, 2], [3]]}, "input 'q' is not an array of real numbers"),
        ({"q": [1j] * 6}, "input 'q' is not an array of real numbers"),
        ({"q": np.ones(6) * 1j}, "input 'q' is not an array of real numbers"),
        ({"q": [10**400] * 6}, "input 'q' is not an array of real numbers"),
        ({"q": {"a": 1}}, "input 'q' is not an array of real numbers"),
        ({"V": np.zeros((3, 6)), "q": np.zeros((2, 6))}, "has 3 samples, but another input has 2"),
        ({"qd": np.zeros(6)}, "there is no input 'qd'"),
    ],
)
def test_wrong_inputs(damped: Model, compiled: bool, wrong: dict[str, Any], message: str) -> None:
    f = damped.function(compiled=compiled)
    good = {"q": np.zeros(6), "V": np.zeros(6), "V0": np.zeros(6)}
    with pytest.raises(ArgumentError, match=message):
        f(**(good | wrong))


@pytest.mark.parametrize("compiled", BOTH)
def test_missing_inputs(damped: Model, compiled: bool) -> None:
    with pytest.raises(ArgumentError, match="input 'V' is missing") as caught:
        damped.function(compiled=compiled)(q=np.zeros(6))
    assert "expected V (6,)" in str(caught.value)


def test_the_message_names_the_entries(placed: Model) -> None:
    with pytest.raises(ArgumentError) as caught:
        placed.function(compiled=False)(q=[1, 2])
    assert "entries of the input: q1, q2, q3, q4, q5, q6" in str(caught.value)


# -- the rest


@needs_compiler
def test_threads_share_a_function(damped: Model) -> None:
    f = damped.function(compiled=True)
    given = [arguments(damped, 50) | {"q": numbers(k, 300).reshape(50, 6)} for k in range(8)]
    wanted = [f(**each)["qd"] for each in given]
    result: list[Any] = [None] * 8

    def work(k: int) -> None:
        for _ in range(30):
            result[k] = f(**given[k])["qd"]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for a, b in zip(result, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


def test_it_says_what_it_is(placed: Model) -> None:
    assert repr(placed.function(compiled=False)) == "<Function RX90_fast_geometry(q (6,)), NumPy>"
    assert repr(placed).startswith("<Model fast-geometry of RX90: 44 x, 19 +")


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 5), st.integers(0, 10**6))
def test_broadcasting_in_numpy_is_the_interpreter(samples: int, seed: int) -> None:
    model = symoro.generate(symoro.load("scara"), "jacobian")
    q = np.random.default_rng(seed).uniform(-3, 3, (samples, 4))
    wanted = interpret(model.program, {"q": q}, dict(model.robot.nominal))["J"]
    np.testing.assert_array_equal(model.function(compiled=False)(q=q)["J"], wanted)


def test_quiet_when_asked_for_numpy(placed: Model, recwarn: Callable[..., Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        placed.function(compiled=False)(q=np.zeros(6))


@pytest.mark.parametrize(
    "given", [[None, None], [0.1, None], [[0.1, 0.2], [None, 0.3]], np.array([None, 1.0])]
)
@pytest.mark.parametrize("compiled", [False, True])
def test_none_is_no_number(given: Any, compiled: bool) -> None:
    if compiled and find_compiler() is None:
        pytest.skip("no C compiler")
    f = symoro.generate(symoro.load("planar2r"), "transform").function(compiled=compiled)
    with pytest.raises(ArgumentError, match="input 'q' is not an array of real numbers"):
        f(q=given)
    assert np.isnan(f(q=[0.1, float("nan")])["T"]).any()
