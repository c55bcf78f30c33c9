"""Test the evaluation of programs: one sample, a batch, common inputs, defaults, and wrong shapes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from symoro.errors import ArgumentError, ProgramError
from symoro.expr import scalar as sc
from symoro.program import Builder, Program
from symoro.program.interpret import interpret
from tests.expr.expressions import close
from tests.program.programs import Case, cases


def example() -> Program:
    b = Builder("example")
    q = b.input("q", (2,))
    A = b.input("A", (2, 2), default=[1, 2, 3, 4])
    (k,) = b.input("k", (), default=[10])
    m = b.parameter("m")
    b.output("y", [q[0] * A[0] + q[1] * A[1], q[0] * A[2] + q[1] * A[3]])
    b.output("s", sc.sin(q[0]) * m + k)
    b.output("c", [[1, 2, 3]])
    b.output("none", [])
    return b.program()


A = np.array([[1.0, 2.0], [3.0, 4.0]])


def test_one_sample():
    result = interpret(example(), {"q": [0.1, 0.2], "A": 2 * A, "k": 1}, {"m": 3})
    assert result["y"] == pytest.approx(2 * A @ [0.1, 0.2])
    assert result["s"] == pytest.approx(3 * np.sin(0.1) + 1)
    assert {name: np.shape(v) for name, v in result.items()} == {
        "y": (2,),
        "s": (),
        "c": (1, 3),
        "none": (0,),
    }


def test_defaults():
    result = interpret(example(), {"q": [0.1, 0.2]}, {"m": 3})
    assert result["y"] == pytest.approx(A @ [0.1, 0.2])
    assert result["s"] == pytest.approx(3 * np.sin(0.1) + 10)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_batch(n):
    q = np.random.default_rng(1).normal(size=(n, 2))
    result = interpret(example(), {"q": q, "k": np.arange(n)}, {"m": 3})
    assert result["y"] == pytest.approx(q @ A.T)
    assert result["s"] == pytest.approx(3 * np.sin(q[:, 0]) + np.arange(n))
    assert result["c"].shape == (n, 1, 3) and result["none"].shape == (n, 0)
    result["c"][...] = 0  # the caller's own


def test_an_input_without_the_axis_is_shared():
    result = interpret(example(), {"q": [0.1, 0.2], "A": np.stack([A, 3 * A])}, {"m": 3})
    assert result["y"] == pytest.approx(np.stack([A, 3 * A]) @ [0.1, 0.2])


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "input 'q' is missing"),
        ({"q": [1]}, r"input 'q' has shape \(1,\), expected \(2,\)"),
        ({"q": 1}, r"has shape \(\)"),
        ({"q": [[[1, 2]]]}, r"has shape \(1, 1, 2\)"),
        ({"q": [1, 2], "A": [1, 2, 3, 4]}, "input 'A' has shape"),
        ({"q": np.zeros((3, 2)), "A": np.zeros((4, 2, 2))}, "4 samples, but another input has 3"),
    ],
)
def test_what_does_not_fit(inputs, message):
    with pytest.raises(ArgumentError, match=message):
        interpret(example(), inputs, {"m": 1})


def test_a_parameter_without_a_value():
    with pytest.raises(ProgramError, match="no value given for 'm'"):
        interpret(example(), {"q": [1, 2]})


def test_a_parameter_with_the_name_of_an_entry():
    b = Builder("names")
    (x,) = b.input("T", (1,), ["T11"])
    b.output("y", x - b.parameter("T11"))
    assert interpret(b.program(), {"T": [5]}, {"T11": 2})["y"] == 3


@given(cases())
def test_random_programs(case: Case):
    for got, expected in zip(case.run(case.program), case.expected, strict=True):
        assert close(got, expected)


@given(cases(max_size=15))
def test_a_batch_is_its_samples(case: Case):
    rng = np.random.default_rng(0)
    v = rng.uniform(-1, 1, (4, 2))
    many = interpret(case.program, {"v": v}, case.values)
    for k in range(4):
        one = interpret(case.program, {"v": v[k]}, case.values)
        for name in one:
            np.testing.assert_allclose(many[name][k], one[name], rtol=1e-11, atol=1e-12)
