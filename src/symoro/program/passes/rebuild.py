"""The base of every pass: a program written again, node by node, into a fresh graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.program.program import Program


class Rebuild:
    """Copies nodes of a program into a new graph through the folding constructors, on demand or in order."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.old = program.graph
        self.new = Graph()
        self.map: dict[int, int] = {}  # old node -> new literal

    def lit(self, lit: int) -> int:
        """The new literal of an old one whose node has been copied."""
        new = self.map[lit >> 1] ^ (lit & 1)
        return new if new >> 1 else 0

    def copy(self, i: int) -> int:
        """Copy one node whose children have been copied."""
        old, new, op = self.old, self.new, self.old.op[i]
        if op == ops.ADD:
            a, b = old.args[i]
            made = new.add(self.lit(a), self.lit(b))
        elif op == ops.MUL:
            a, b = old.args[i]
            made = new.mul(self.lit(a), self.lit(b))
        elif op >= ops.ADD:
            made = new.apply(op, [self.lit(lit) for lit in old.args[i]])
        elif op == ops.KERNEL:
            index, k = old.args[i]
            call = old.calls[index]
            arrays = [[self.lit(lit) for lit in array] for array in call.inputs]
            made = new.call(call.kernel, arrays, call.size)[k]
        elif op == ops.NUMBER:
            made = new.number(old.args[i][0])
        elif op == ops.PI:
            made = new.pi()
        else:
            made = new.symbol(*old.args[i])
        self.map[i] = made
        return made

    def copy_all(self, nodes: Iterable[int]) -> None:
        for i in nodes:
            if i not in self.map:
                self.copy(i)

    def finish(self) -> Program:
        """The new program; names follow their nodes where these still exist."""
        names: dict[int, tuple[str, int]] = {}
        for i, (name, sign) in self.program.names.items():
            made = self.map.get(i)
            if made is not None and self.new.op[made >> 1] >= ops.ADD and made >> 1 not in names:
                names[made >> 1] = (name, sign ^ (made & 1))
        outputs = tuple(
            replace(output, lits=tuple(self.lit(lit) for lit in output.lits)) for output in self.program.outputs
        )
        return replace(self.program, graph=self.new, outputs=outputs, names=names)
