"""Small linear algebra against NumPy: with numbers, and with expressions."""

from __future__ import annotations

import numpy as np
import pytest

from symoro.expr import Graph, linalg
from symoro.expr.evaluate import evaluate
from symoro.expr.scalar import Expr, symbol

RNG = np.random.default_rng(3)
A, B = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 5))
S = RNG.normal(size=(3, 4))
U, V = RNG.normal(size=3), RNG.normal(size=3)


def rotation(rng: np.random.Generator) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


T = np.eye(4)
T[:3, :3], T[:3, 3] = rotation(RNG), RNG.normal(size=3)


def cross_matrix(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


CASES = {
    "add": (linalg.add, (U, V), U + V),
    "subtract": (linalg.subtract, (U, V), U - V),
    "negate": (linalg.negate, (U,), -U),
    "dot": (linalg.dot, (U, V), U @ V),
    "cross": (linalg.cross, (U, V), np.cross(U, V)),
    "skew": (linalg.skew, (U,), cross_matrix(U)),
    "transpose": (linalg.transpose, (A,), A.T),
    "matvec": (linalg.matvec, (B.T[:, :3], V), B.T[:, :3] @ V),
    "matmul": (linalg.matmul, (A, B), A @ B),
    "matadd": (linalg.matadd, (A, S), A + S),
    "homogeneous": (linalg.homogeneous, (T[:3, :3], T[:3, 3]), T),
    "rotation_of": (linalg.rotation_of, (T,), T[:3, :3]),
    "position_of": (linalg.position_of, (T,), T[:3, 3]),
    "inverse_transform": (linalg.inverse_transform, (T,), np.linalg.inv(T)),
}


def symbolic(graph: Graph, array: np.ndarray, values: dict[str, float]) -> list:
    """Return lists of symbols with the numbers of an array."""
    if array.ndim > 1:
        return [symbolic(graph, row, values) for row in array]
    results = []
    for number in array:
        values[f"s{len(values)}"] = float(number)
        results.append(symbol(graph, f"s{len(values) - 1}"))
    return results


def numbers(result: object, graph: Graph, values: dict[str, float]) -> object:
    if isinstance(result, list):
        return [numbers(x, graph, values) for x in result]
    return evaluate(graph, [result.lit], values)[0] if isinstance(result, Expr) else float(result)


@pytest.mark.parametrize(("function", "arguments", "expected"), CASES.values(), ids=CASES.keys())
def test_against_numpy(function, arguments, expected):
    plain = function(*(a.tolist() for a in arguments))
    assert np.array(plain, dtype=float) == pytest.approx(np.array(expected))
    graph, values = Graph(), {}
    made = function(*(symbolic(graph, a, values) for a in arguments))
    assert np.array(numbers(made, graph, values)) == pytest.approx(np.array(expected))


def test_scaling():
    assert linalg.scale(2, U.tolist()) == pytest.approx(2 * U)
    assert np.array(linalg.matscale(-0.5, A.tolist())) == pytest.approx(-0.5 * A)


def test_constant_matrices():
    assert linalg.zeros(2, 3) == [[0] * 3] * 2
    assert linalg.identity(3) == np.eye(3).tolist()
    rows = linalg.zeros(2, 2)
    rows[0][0] = 1
    assert rows[1][0] == 0, "rows are not shared"


def test_blocks():
    a, b, c, d = (RNG.normal(size=(3, 3)) for _ in range(4))
    made = linalg.block([[a.tolist(), b.tolist()], [c.tolist(), d.tolist()]])
    assert np.array(made) == pytest.approx(np.block([[a, b], [c, d]]))


def test_shapes_must_fit():
    with pytest.raises(ValueError):
        linalg.add([1, 2], [1, 2, 3])
    with pytest.raises(ValueError):
        linalg.matmul([[1, 2]], [[1, 2]])


def test_zeros_and_ones_cost_nothing():
    graph = Graph()
    x = [[symbol(graph, f"x{i}{j}") for j in range(4)] for i in range(4)]
    size = len(graph)
    assert linalg.matmul(linalg.identity(4), x) == x
    assert len(graph) == size
