"""What a kernel states about itself: sizes, values, derivatives, cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from symoro.errors import ProgramError
from symoro.expr.graph import Call, Graph

NodeArrays = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Kernel:
    """A kernel.

    Attributes:
        size: number of results, from the lengths of the inputs; raises ProgramError when they do not fit.
        numpy: modules beside this one that compute the values, function NAME_ in the last; emitted Python
            takes them over. They load NumPy, and are imported where values are asked for.
        cost: (additions, multiplications, divisions) from the lengths of the inputs.
        forward: literals of the results' tangents, from the call, its results and its inputs' tangents.
        reverse: literals of the inputs' adjoints, from the call, its results and their adjoints.
        needs: kernels whose emitted code this one's calls.
    """

    name: str
    title: str
    size: Callable[[Sequence[int]], int]
    numpy: tuple[str, ...]
    cost: Callable[[Sequence[int]], tuple[int, int, int]]
    forward: Callable[[Graph, Call, Sequence[int], NodeArrays], list[int]] | None = None
    reverse: Callable[[Graph, Call, Sequence[int], Sequence[int]], list[list[int]]] | None = None
    needs: tuple[str, ...] = ()

    def evaluate(self, inputs: list[list[Any]]) -> list[Any]:
        """The results; each entry is a float or an array over samples."""
        module = import_module(f"symoro.expr.kernels.{self.numpy[-1]}")
        found = getattr(module, f"{self.name}_")(*inputs)
        return [found[..., k] if found.ndim > 1 else float(found[k]) for k in range(found.shape[-1])]

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
