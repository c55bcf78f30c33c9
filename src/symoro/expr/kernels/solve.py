"""solve: x = A^-1 b, A (n,n) by rows, b (n,)."""

from __future__ import annotations

from collections.abc import Sequence

from symoro.errors import ProgramError
from symoro.expr.graph import ZERO, Call, Graph
from symoro.expr.kernels.kernel import Kernel, NodeArrays


def _size(lengths: Sequence[int]) -> int:
    if len(lengths) != 2 or lengths[0] != lengths[1] ** 2 or lengths[1] == 0:
        raise ProgramError(f"solve needs a matrix (n,n) and a vector (n), got lengths {list(lengths)}")
    return lengths[1]


def _forward(graph: Graph, made: Call, x: Sequence[int], tangents: NodeArrays) -> list[int]:
    """A dx = db - dA x."""
    matrix, _ = made.inputs
    d_matrix, d_vector = tangents
    n = len(x)
    right = []
    for i in range(n):
        total = d_vector[i]
        for j in range(n):
            total = graph.sub(total, graph.mul(d_matrix[i * n + j], x[j]))
        right.append(total)
    if all(r == ZERO for r in right):
        return [ZERO] * n
    return graph.call("solve", [matrix, right], n)


def _reverse(graph: Graph, made: Call, x: Sequence[int], adjoints: Sequence[int]) -> list[list[int]]:
    """A' y = adjoint of x; the adjoint of b is y, that of A is -y x'."""
    matrix, _ = made.inputs
    n = len(x)
    transposed = [matrix[j * n + i] for i in range(n) for j in range(n)]
    y = graph.call("solve", [transposed, adjoints], n)
    return [[graph.signed(graph.mul(y[i], x[j]), 1) for i in range(n) for j in range(n)], y]


def _cost(lengths: Sequence[int]) -> tuple[int, int, int]:
    """Elimination with partial pivoting and substitution, as the emitted code does it."""
    n = lengths[1]
    products = sum(k * (k + 1) for k in range(1, n)) + n * (n - 1) // 2
    return products, products, n * (n - 1) // 2 + n


SOLVE = Kernel(
    "solve",
    "linear system A x = b by elimination with partial pivoting",
    _size,
    ("solve_table",),
    _cost,
    _forward,
    _reverse,
)
