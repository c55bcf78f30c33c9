"""Test vectorised sines and cosines of all joints in compiled C."""

from __future__ import annotations

import math

import numpy as np
import pytest

from symoro.expr.scalar import cos, sin
from symoro.program import Builder, Program
from symoro.runtime.compiler import find_compiler
from symoro.runtime.function import Function

ANGLES = [0.0, 1.0, -2.5, 1e3, 1e5, -1e5, 999_999.0, math.pi / 2, -math.pi, 3 * math.pi / 4, 1e7, -1e12]
LARGE = 2  # the last of them are outside the range of the polynomials

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")


def _program() -> Program:
    builder = Builder("turns")
    q = builder.input("q", (3,))
    builder.output("y", [f(x) for x in q for f in (sin, cos)])
    return builder.program()


def _wanted(samples: np.ndarray) -> np.ndarray:
    exact = samples.astype(np.longdouble)
    with np.errstate(invalid="ignore"):
        return np.stack([np.sin(exact), np.cos(exact)], -1).reshape(len(samples), 6).astype(float)


@pytest.mark.parametrize(
    "samples",
    [
        [[a, b, 0.1] for a in ANGLES[:-LARGE] for b in ANGLES[:-LARGE]],
        [[a, b, 0.3] for a in ANGLES for b in ANGLES],
        [[0.3, math.inf, 1.0], [math.nan, 0.0, 2.0]],
    ],
    ids=["in range", "beyond", "not finite"],
)
def test_one_ulp_or_so_everywhere(samples: list[list[float]]) -> None:
    q = np.array(samples)
    function = Function(_program(), {}, compiled=True)
    batch = function(q=q)["y"]
    single = np.array([function(q=row)["y"] for row in q])
    for result in (batch, single):
        np.testing.assert_allclose(result, _wanted(q), rtol=2.3e-16, atol=0)


def test_random_angles_to_an_ulp() -> None:
    rng = np.random.default_rng(3)
    q = rng.uniform(-1, 1, (20_000, 3)) * np.array([4.0, 1e3, 1e5])
    result = Function(_program(), {}, compiled=True)(q=q)["y"]
    wanted = _wanted(q)
    assert np.max(np.abs(result - wanted) / np.spacing(np.abs(wanted))) <= 1.5


def test_constants_of_angles_and_of_the_rest() -> None:
    """Check that constants keep their places although angles are moved to the front."""
    builder = Builder("turns")
    q = builder.input("q", (2,))
    a, b, c = (builder.parameter(name) for name in "abc")
    builder.output("y", [a * b * q[0], c * q[1], sin(q[0] + c), cos(q[1] + a * c) * (a - b)])
    program = builder.program()
    values = {"a": 0.3, "b": 0.7, "c": -1.1}
    point = {"q": np.array([0.4, -0.9])}
    result = Function(program, values, compiled=True)(**point)["y"]
    np.testing.assert_allclose(result, Function(program, values, compiled=False)(**point)["y"], rtol=1e-14)
