"""Test vectorised arctangents in compiled C."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest

from symoro.expr.scalar import atan2, sin
from symoro.program import Builder, Program
from symoro.runtime.compiler import find_compiler
from symoro.runtime.function import Function

WIDTH = 5  # one vector of four, and one that is filled up
FINITE = [0.0, -0.0, 1.0, -1.0, 0.5, 2.4142135623730951, -0.41421356237309503, 1e-310, -5e-324, 3e-308, 1e9]
SPECIAL = [*FINITE, 1e308, -1.7e308, math.inf, -math.inf, math.nan]

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")


def _program() -> Program:
    builder = Builder("arcs")
    y, x = builder.input("y", (WIDTH,)), builder.input("x", (WIDTH,))
    builder.output("angle", [atan2(a, b) for a, b in zip(y, x, strict=True)])
    return builder.program()


def _both(y: np.ndarray, x: np.ndarray) -> list[np.ndarray]:
    """Return the results of the batch function and of the function for one sample."""
    function = Function(_program(), {}, compiled=True)
    return [
        function(y=y, x=x)["angle"],
        np.array([function(y=a, x=b)["angle"] for a, b in zip(y, x, strict=True)]),
    ]


@pytest.mark.parametrize("values", [FINITE, SPECIAL], ids=["in range", "beyond"])
def test_zeros_infinities_and_what_is_no_number(values: list[float]) -> None:
    pairs = np.array([*itertools.product(values, repeat=2)])
    pairs = np.resize(pairs, (-(-len(pairs) // WIDTH) * WIDTH, 2))
    y, x = (pairs[:, k].reshape(-1, WIDTH) for k in (0, 1))
    wanted = np.arctan2(y, x)
    for result in _both(y, x):
        np.testing.assert_array_equal(np.isnan(result), np.isnan(wanted))
        np.testing.assert_allclose(result, wanted, rtol=4.5e-16, atol=0)
        known = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(result)[known], np.signbit(wanted)[known])


@pytest.mark.parametrize("spread", [0, 3, 30, 900])
def test_two_ulp_in_all_quadrants_and_magnitudes(spread: int) -> None:
    rng = np.random.default_rng(spread)
    y, x = (
        rng.uniform(-1, 1, (400, WIDTH)) * 2.0 ** rng.integers(-spread, spread + 1, (400, WIDTH))
        for _ in "yx"
    )
    with mpmath.workprec(120):
        wanted = np.array(
            [[mpmath.atan2(a, b) for a, b in zip(*rows, strict=True)] for rows in zip(y, x, strict=True)]
        )
        for result in _both(y, x):
            off = np.abs(result - wanted).astype(float)
            assert np.max(off / np.spacing(np.abs(wanted.astype(float)))) <= 2.0


def test_angles_near_axes_and_diagonals() -> None:
    steps = np.concatenate([[0.0], 2.0 ** np.arange(-60, -4)])
    turns = (np.arange(-8, 9) * math.pi / 8)[:, None] + np.concatenate([steps, -steps])
    turns = np.resize(turns, (-(-turns.size // WIDTH), WIDTH))
    y, x = np.sin(turns), np.cos(turns)
    wanted = np.arctan2(y.astype(np.longdouble), x.astype(np.longdouble))
    for result in _both(y, x):
        assert np.max(np.abs(result - wanted) / np.spacing(np.abs(wanted.astype(float)))) <= 2.0


def test_one_point_beyond_leaves_the_others_right() -> None:
    y = np.array([[1.0, math.inf, math.nan, 0.3, -2.0]])
    x = np.array([[2.0, math.inf, 1.0, -0.2, 0.0]])
    for result in _both(y, x):
        np.testing.assert_allclose(result, np.arctan2(y, x), rtol=4.5e-16)


def test_arctangents_of_arctangents() -> None:
    """Check two layers, sums of angles and angles of parameters, in the order of their outputs."""
    builder = Builder("arcs")
    q = builder.input("q", (4,))
    k = builder.parameter("k")
    first = [atan2(q[j] * q[j - 1] - k, q[j - 2]) for j in range(4)]
    second = [atan2(sin(first[j]), -first[j - 1]) for j in range(3)]
    outputs = [
        first[0] - k,
        q[0],
        -first[1],
        second[0] + first[2],
        second[1] * q[1],
        second[2],
        atan2(q[0], k),
    ]
    builder.output("angle", outputs)
    program = builder.program()
    q_values = np.random.default_rng(1).uniform(-2, 2, (7, 4))
    compiled, plain = (Function(program, {"k": 0.3}, compiled=how) for how in (True, False))
    for point in [*q_values, q_values]:
        np.testing.assert_allclose(compiled(q=point)["angle"], plain(q=point)["angle"], rtol=1e-14)
