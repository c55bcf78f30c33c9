"""Kernels: what a straight-line program cannot unroll, as one opaque statement with arrays in and out.

A kernel states its sizes, its cost and, where it has them, its derivatives in both directions as further expressions.
Its values are computed by the NumPy function NAME_ of the module NAME beside this one, which is imported where values
are needed. The implementation in each target language is in `symoro.emit.kernels`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from symoro.errors import ProgramError
from symoro.expr.graph import ZERO, Call, Graph

NodeArrays = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Kernel:
    """A kernel.

    Attributes:
        size: number of results, from the lengths of the inputs; raises ProgramError when they do not fit.
        cost: (additions, multiplications, divisions) from the lengths of the inputs.
        forward: literals of the results' tangents, from the call, its results and its inputs' tangents.
        reverse: literals of the inputs' adjoints, from the call, its results and their adjoints.
        needs: kernels whose emitted code this one's calls.
    """

    name: str
    title: str
    size: Callable[[Sequence[int]], int]
    cost: Callable[[Sequence[int]], tuple[int, int, int]]
    forward: Callable[[Graph, Call, Sequence[int], NodeArrays], list[int]] | None = None
    reverse: Callable[[Graph, Call, Sequence[int], Sequence[int]], list[list[int]]] | None = None
    needs: tuple[str, ...] = ()

    def evaluate(self, inputs: list[list[Any]]) -> list[Any]:
        """The results; each entry is a float or an array over samples."""
        module = import_module(f"symoro.expr.kernels.{self.name}")
        results = getattr(module, f"{self.name}_")(*inputs)
        return [results[..., k] if results.ndim > 1 else float(results[k]) for k in range(results.shape[-1])]

    def tangents(self, graph: Graph, made: Call, results: Sequence[int], tangents: NodeArrays) -> list[int]:
        """The results' tangents.

        Raises:
            ProgramError: the kernel has no derivatives.
        """
        if self.forward is None:
            raise ProgramError(f"kernel '{self.name}' ({self.title}) has no derivatives")
        return self.forward(graph, made, results, tangents)

    def adjoints(
        self, graph: Graph, made: Call, results: Sequence[int], adjoints: Sequence[int]
    ) -> list[list[int]]:
        """The inputs' adjoints.

        Raises:
            ProgramError: the kernel has no derivatives.
        """
        if self.reverse is None:
            raise ProgramError(f"kernel '{self.name}' ({self.title}) has no derivatives")
        return self.reverse(graph, made, results, adjoints)


def _solve_size(lengths: Sequence[int]) -> int:
    if len(lengths) != 2 or lengths[0] != lengths[1] ** 2 or lengths[1] == 0:
        raise ProgramError(f"solve needs a matrix (n,n) and a vector (n), got lengths {list(lengths)}")
    return lengths[1]


def _solve_forward(graph: Graph, made: Call, x: Sequence[int], tangents: NodeArrays) -> list[int]:
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


def _solve_reverse(graph: Graph, made: Call, x: Sequence[int], adjoints: Sequence[int]) -> list[list[int]]:
    """A' y = adjoint of x; the adjoint of b is y, that of A is -y x'."""
    matrix, _ = made.inputs
    n = len(x)
    transposed = [matrix[j * n + i] for i in range(n) for j in range(n)]
    y = graph.call("solve", [transposed, adjoints], n)
    return [[graph.signed(graph.mul(y[i], x[j]), 1) for i in range(n) for j in range(n)], y]


def _solve_cost(lengths: Sequence[int]) -> tuple[int, int, int]:
    """Elimination with partial pivoting and substitution, as the emitted code does it."""
    n = lengths[1]
    products = sum(k * (k + 1) for k in range(1, n)) + n * (n - 1) // 2
    return products, products, n * (n - 1) // 2 + n


JOINTS = 16  # of refine at most: C has arrays of this size


def _refine_size(lengths: Sequence[int]) -> int:
    placements, target, marks, rows = lengths if len(lengths) == 4 else (0, 0, 0, 0)
    n = marks - 14
    if not 1 <= n <= JOINTS or placements != 12 * (n + 1) or target != 12 or rows == 0 or rows % (n + 2):
        raise ProgramError(
            f"refine needs 12 (n + 1), 12, 14 + n and K (n + 2) numbers for n = 1 .. {JOINTS} joints, got lengths "
            f"{list(lengths)}"
        )
    return rows


def _fixed(
    name: str, arguments: str, expected: Sequence[int], results: int
) -> Callable[[Sequence[int]], int]:
    """Return the size function of a kernel whose arrays have fixed lengths."""

    def size(lengths: Sequence[int]) -> int:
        if list(lengths) != list(expected):
            raise ProgramError(f"{name} needs {arguments}, got lengths {list(lengths)}")
        return results

    return size


KERNELS: Mapping[str, Kernel] = {
    kernel.name: kernel
    for kernel in (
        Kernel(
            "solve",
            "linear system A x = b by elimination with partial pivoting",
            _solve_size,
            _solve_cost,
            _solve_forward,
            _solve_reverse,
        ),
        Kernel(
            "circle",
            "angles t where k0 + kc cos t + ks sin t + kcc cos 2t + kss sin 2t = 0",
            _fixed("circle", "(k0, kc, ks, kcc, kss)", [5], 12),
            lambda lengths: (176, 239, 34),  # of the C text for four real angles, polished once each
        ),
        Kernel(
            "quartic",
            "real roots of a4 x^4 + a3 x^3 + a2 x^2 + a1 x + a0 = 0",
            _fixed("quartic", "5 coefficients, highest first", [5], 8),
            lambda lengths: (305, 392, 100),  # of the C text for four real roots, those of circle included
            needs=("circle",),
        ),
        # The order of what the C text does for a general arm with four real solutions; it varies with the pose. Two
        # thirds are the eigenvalues of a matrix n x n, n = 24: 10/3 n^3 for the Hessenberg form and some 6 n^3 for the
        # shifted QR steps. The equations and the elimination take 30 000 operations, each solution 8 000.
        Kernel(
            "closed_chain",
            "all solutions of a closed loop of six joints, by elimination and eigenvalues",
            _fixed("closed_chain", "72 constants, 6 kinds and a plan of 12", [72, 6, 12], 112),
            lambda lengths: (90_000, 90_000, 2_000),
        ),
        Kernel(
            "refine",
            "solutions of a serial chain made exact by Newton's method",
            _refine_size,
            lambda lengths: (0, 1, 0),  # where every row is exact already: comparisons only
        ),
    )
}


def call(graph: Graph, kernel: str, inputs: NodeArrays) -> list[int]:
    """Call a kernel by name; the lengths are checked."""
    if kernel not in KERNELS:
        raise ProgramError(f"no kernel called '{kernel}'", hint="known: " + ", ".join(KERNELS))
    return graph.call(kernel, inputs, KERNELS[kernel].size([len(a) for a in inputs]))


def with_needs(names: Iterable[str]) -> list[str]:
    """Kernels and those that their code calls, each once and after what it needs."""
    ordered: list[str] = []
    for name in sorted(names):
        ordered += [n for n in (*with_needs(KERNELS[name].needs), name) if n not in ordered]
    return ordered
