"""Kernels: what a straight-line program cannot unroll, as one opaque statement with arrays in and out.

Each kernel states its sizes, its values (NumPy), its cost and, where it has them, its derivatives in both directions
as further expressions. The implementation in each target language stands in `symoro.emit.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symoro.errors import ProgramError
from symoro.expr.graph import Graph
from symoro.expr.kernels.circle import CIRCLE
from symoro.expr.kernels.closed_chain import CLOSED_CHAIN
from symoro.expr.kernels.kernel import Kernel, NodeArrays
from symoro.expr.kernels.quartic import QUARTIC
from symoro.expr.kernels.refine import REFINE
from symoro.expr.kernels.solve import SOLVE

KERNELS: Mapping[str, Kernel] = {
    kernel.name: kernel for kernel in (SOLVE, CIRCLE, QUARTIC, CLOSED_CHAIN, REFINE)
}


def call(graph: Graph, kernel: str, inputs: NodeArrays) -> list[int]:
    """Call a kernel by name; the lengths are checked."""
    if kernel not in KERNELS:
        raise ProgramError(f"no kernel called '{kernel}'", hint="known: " + ", ".join(KERNELS))
    return graph.call(kernel, inputs, KERNELS[kernel].size([len(a) for a in inputs]))


def with_needs(names: Iterable[str]) -> list[str]:
    """Kernels and those that their code calls, each once and after what it needs."""
    found: list[str] = []
    for name in sorted(names):
        found += [n for n in (*with_needs(KERNELS[name].needs), name) if n not in found]
    return found
