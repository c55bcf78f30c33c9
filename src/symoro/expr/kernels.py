"""Kernels: what a straight-line program cannot unroll, as one opaque statement with arrays in and out.

Each kernel states its sizes, its values (NumPy), its derivatives in both directions as further expressions,
and its cost. The implementation in each target language stands in `symoro.emit.kernels`.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symoro.errors import ProgramError
from symoro.expr.graph import ZERO, Call, Graph

Arrays = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Kernel:
    """A kernel.

    Attributes:
        size: number of results, from the lengths of the inputs; raises ProgramError when they do not fit.
        evaluate: values, each entry a float or an array over samples.
        forward: literals of the results' tangents, from the call, its results and its inputs' tangents.
        reverse: literals of the inputs' adjoints, from the call, its results and their adjoints.
        cost: (additions, multiplications, divisions) from the lengths of the inputs.
    """

    name: str
    title: str
    size: Callable[[Sequence[int]], int]
    evaluate: Callable[[list[list[Any]]], list[Any]]
    forward: Callable[[Graph, Call, Sequence[int], Arrays], list[int]]
    reverse: Callable[[Graph, Call, Sequence[int], Sequence[int]], list[list[int]]]
    cost: Callable[[Sequence[int]], tuple[int, int, int]]


def call(graph: Graph, kernel: str, inputs: Arrays) -> list[int]:
    """Call a kernel by name; the lengths are checked."""
    if kernel not in KERNELS:
        raise ProgramError(f"no kernel called '{kernel}'", hint="known: " + ", ".join(KERNELS))
    return graph.call(kernel, inputs, KERNELS[kernel].size([len(a) for a in inputs]))


# -- solve: x = A^-1 b, A (n,n) by rows, b (n,)


def _solve_size(lengths: Sequence[int]) -> int:
    if len(lengths) != 2 or lengths[0] != lengths[1] ** 2 or lengths[1] == 0:
        raise ProgramError(f"solve needs a matrix (n,n) and a vector (n), got lengths {list(lengths)}")
    return lengths[1]


def _solve_values(inputs: list[list[Any]]) -> list[Any]:
    import numpy

    matrix, vector = inputs
    n = len(vector)
    shape = numpy.broadcast_shapes(*(numpy.shape(x) for x in (*matrix, *vector)))
    a = numpy.stack([numpy.broadcast_to(x, shape) for x in matrix], -1).reshape(*shape, n, n)
    b = numpy.stack([numpy.broadcast_to(x, shape) for x in vector], -1).reshape(*shape, n, 1)
    x = numpy.full((*shape, n), math.nan)  # what a singular matrix leaves
    try:
        x = numpy.linalg.solve(a, b)[..., 0]
    except numpy.linalg.LinAlgError:
        for sample in numpy.ndindex(shape):
            with contextlib.suppress(numpy.linalg.LinAlgError):
                x[sample] = numpy.linalg.solve(a[sample], b[sample])[..., 0]
    return [x[..., k] if shape else float(x[k]) for k in range(n)]


def _solve_forward(graph: Graph, made: Call, x: Sequence[int], tangents: Arrays) -> list[int]:
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
    return call(graph, "solve", [matrix, right])


def _solve_reverse(graph: Graph, made: Call, x: Sequence[int], adjoints: Sequence[int]) -> list[list[int]]:
    """A' y = adjoint of x; the adjoint of b is y, that of A is -y x'."""
    matrix, _ = made.inputs
    n = len(x)
    transposed = [matrix[j * n + i] for i in range(n) for j in range(n)]
    y = call(graph, "solve", [transposed, adjoints])
    return [[graph.signed(graph.mul(y[i], x[j]), 1) for i in range(n) for j in range(n)], y]


def _solve_cost(lengths: Sequence[int]) -> tuple[int, int, int]:
    """Elimination with partial pivoting and substitution, as the emitted code does it."""
    n = lengths[1]
    products = sum(k * (k + 1) for k in range(1, n)) + n * (n - 1) // 2
    return products, products, n * (n - 1) // 2 + n


KERNELS: Mapping[str, Kernel] = {
    "solve": Kernel(
        "solve",
        "linear system A x = b by elimination with partial pivoting",
        _solve_size,
        _solve_values,
        _solve_forward,
        _solve_reverse,
        _solve_cost,
    )
}
