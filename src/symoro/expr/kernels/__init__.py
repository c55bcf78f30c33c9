"""Kernels: algorithms that are not straight-line code and are called as one statement with array arguments.

A kernel defines its number of results, its cost and, if it has them, its derivatives in both modes, as expressions. Its
values are computed by the NumPy function NAME_ of the module NAME in this package, which is imported when values are
needed. The implementation in each target language is in `symoro.emit.kernels`. Expressions are signed node
references (see `symoro.expr.graph`).
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
    """Description of a kernel, an algorithm that is called as one statement with array arguments.

    Attributes:
        name, title: name in code, and meaning in words.
        size: returns the number of results from the lengths of the inputs; raises ProgramError if they do not match.
        cost: (additions, multiplications, divisions) from the lengths of the inputs.
        forward: returns the tangents of the results from the call, its results and the tangents of its inputs.
        reverse: returns the adjoints of the inputs from the call, its results and the adjoints of the results.
        needs: kernels that the emitted code of this kernel calls.
    """

    name: str
    title: str
    size: Callable[[Sequence[int]], int]
    cost: Callable[[Sequence[int]], tuple[int, int, int]]
    forward: Callable[[Graph, Call, Sequence[int], NodeArrays], list[int]] | None = None
    reverse: Callable[[Graph, Call, Sequence[int], Sequence[int]], list[list[int]]] | None = None
    needs: tuple[str, ...] = ()

    def evaluate(self, inputs: list[list[Any]]) -> list[Any]:
        """Return the numerical results of the kernel; each entry is a float or an array over samples."""
        module = import_module(f"symoro.expr.kernels.{self.name}")
        results = getattr(module, f"{self.name}_")(*inputs)
        return [results[..., k] if results.ndim > 1 else float(results[k]) for k in range(results.shape[-1])]

    def tangents(
        self, graph: Graph, kernel_call: Call, results: Sequence[int], tangents: NodeArrays
    ) -> list[int]:
        """Return the tangents (directional derivatives) of the results of a kernel call, as expressions.

        Args:
            results: references of the results of the call.
            tangents: tangents of the inputs, array by array.

        Raises:
            ProgramError: the kernel has no derivatives.
        """
        if self.forward is None:
            raise ProgramError(f"kernel '{self.name}' ({self.title}) has no derivatives")
        return self.forward(graph, kernel_call, results, tangents)

    def adjoints(
        self, graph: Graph, kernel_call: Call, results: Sequence[int], adjoints: Sequence[int]
    ) -> list[list[int]]:
        """Return the adjoints (reverse-mode derivatives) of the inputs of a kernel call, as expressions.

        Args:
            results: references of the results of the call.
            adjoints: adjoints of the results.

        Raises:
            ProgramError: the kernel has no derivatives.
        """
        if self.reverse is None:
            raise ProgramError(f"kernel '{self.name}' ({self.title}) has no derivatives")
        return self.reverse(graph, kernel_call, results, adjoints)


def _solve_size(lengths: Sequence[int]) -> int:
    if len(lengths) != 2 or lengths[0] != lengths[1] ** 2 or lengths[1] == 0:
        raise ProgramError(f"solve requires a matrix (n,n) and a vector (n), got lengths {list(lengths)}")
    return lengths[1]


def _solve_forward(graph: Graph, kernel_call: Call, x: Sequence[int], tangents: NodeArrays) -> list[int]:
    """Return the tangents dx of the solution of A x = b, from A dx = db - dA x."""
    matrix, _ = kernel_call.inputs
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


def _solve_reverse(
    graph: Graph, kernel_call: Call, x: Sequence[int], adjoints: Sequence[int]
) -> list[list[int]]:
    """Return the adjoints of A and b of the linear system A x = b.

    With the solution y of A' y = (adjoint of x), the adjoint of b is y and the adjoint of A is -y x'.
    """
    matrix, _ = kernel_call.inputs
    n = len(x)
    transposed = [matrix[j * n + i] for i in range(n) for j in range(n)]
    y = graph.call("solve", [transposed, adjoints], n)
    return [[graph.signed(graph.mul(y[i], x[j]), 1) for i in range(n) for j in range(n)], y]


def _solve_cost(lengths: Sequence[int]) -> tuple[int, int, int]:
    """Return the operations of Gaussian elimination with partial pivoting: (additions, multiplications, divisions)."""
    n = lengths[1]
    products = sum(k * (k + 1) for k in range(1, n)) + n * (n - 1) // 2
    return products, products, n * (n - 1) // 2 + n


JOINTS = 16  # largest number of joints of refine, because the C arrays have this size


def _refine_size(lengths: Sequence[int]) -> int:
    placements, target, marks, rows = lengths if len(lengths) == 4 else (0, 0, 0, 0)
    n = marks - 14
    if not 1 <= n <= JOINTS or placements != 12 * (n + 1) or target != 12 or rows == 0 or rows % (n + 2):
        raise ProgramError(
            "refine requires four arrays with 12 (n + 1), 12, 14 + n and K (n + 2) numbers for n = 1 "
            f".. {JOINTS} joints, got lengths {list(lengths)}"
        )
    return rows


def _fixed(
    name: str, arguments: str, expected: Sequence[int], results: int
) -> Callable[[Sequence[int]], int]:
    """Return a function that checks the lengths of a kernel's input arrays and returns the number of its results.

    The function is the attribute `size` of a kernel whose arrays have fixed lengths.

    Args:
        name: name of the kernel, for the error message.
        arguments: description of the input arrays, for the error message.
        expected: lengths of the input arrays.
        results: number of results of the kernel.
    """

    def size(lengths: Sequence[int]) -> int:
        if list(lengths) != list(expected):
            raise ProgramError(f"{name} requires {arguments}, got lengths {list(lengths)}")
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
            lambda lengths: (
                176,
                239,
                34,
            ),  # operations of the C code for four real angles with one Newton step each
        ),
        Kernel(
            "quartic",
            "real roots of a4 x^4 + a3 x^3 + a2 x^2 + a1 x + a0 = 0",
            _fixed("quartic", "5 coefficients, highest first", [5], 8),
            lambda lengths: (
                305,
                392,
                100,
            ),  # operations of the C code for four real roots, including those of circle
            needs=("circle",),
        ),
        # Order of magnitude for the C code and a general arm with four real solutions; it depends on the pose. Two
        # thirds are the eigenvalues of a matrix n x n, n = 24: 10/3 n^3 for the Hessenberg form and some 6 n^3 for the
        # shifted QR steps. The equations and the elimination take 30 000 operations, each solution 8 000.
        Kernel(
            "closed_chain",
            "all solutions of a closed loop of six joints, by elimination and eigenvalues",
            _fixed(
                "closed_chain",
                "72 constants, 6 joint types and an elimination plan of 12 numbers",
                [72, 6, 12],
                112,
            ),
            lambda lengths: (90_000, 90_000, 2_000),
        ),
        Kernel(
            "refine",
            "solutions of a serial chain refined by Newton's method",
            _refine_size,
            lambda lengths: (0, 1, 0),  # if every row is already exact: comparisons only
        ),
    )
}


def call(graph: Graph, kernel: str, inputs: NodeArrays) -> list[int]:
    """Add a call of a kernel to the graph and return its results; the lengths of the inputs are checked."""
    if kernel not in KERNELS:
        raise ProgramError(f"there is no kernel '{kernel}'", hint="available kernels: " + ", ".join(KERNELS))
    return graph.call(kernel, inputs, KERNELS[kernel].size([len(a) for a in inputs]))


def with_needs(names: Iterable[str]) -> list[str]:
    """Return the given kernels and all kernels that their code calls; each occurs once, after those that it calls."""
    ordered: list[str] = []
    for name in sorted(names):
        ordered += [n for n in (*with_needs(KERNELS[name].needs), name) if n not in ordered]
    return ordered
