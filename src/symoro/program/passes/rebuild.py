"""Base class of the optimisation passes: a program is copied, node by node, into a new graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.program.program import Program


class Rebuild:
    """Copier of the nodes of a program into a new graph, in evaluation order, with simplification."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.old = program.graph
        self.new = Graph()
        self.map: dict[int, int] = {}  # old node -> reference in the new graph
        self._results: dict[int, list[int]] = {}  # old kernel call -> references of its results

    def lit(self, lit: int) -> int:
        """Return the reference in the new graph of the old expression `lit`, whose node has been copied."""
        return self.new.signed(self.map[lit >> 1], lit & 1)

    def copy_all(self, nodes: Iterable[int]) -> None:
        """Copy nodes with simplification; each node must come after its operands."""
        op, args, new = self.old.op, self.old.args, self.map
        add, mul = self.new.add, self.new.mul
        MUL, ADD, SUB = ops.MUL, ops.ADD, ops.SUB  # local variables make the loop faster
        for i in nodes:
            o = op[i]
            if o == MUL:
                a, b = args[i]
                new[i] = mul(new[a >> 1] ^ (a & 1), new[b >> 1] ^ (b & 1))
            elif o == ADD:
                a, b = args[i]
                new[i] = add(new[a >> 1] ^ (a & 1), new[b >> 1] ^ (b & 1))
            elif o == SUB:
                a, b = args[i]
                new[i] = add(new[a >> 1] ^ (a & 1), new[b >> 1] ^ (b & 1) ^ 1)
            elif o > ADD:
                new[i] = self.new.apply(o, [self.lit(lit) for lit in args[i]])
            else:
                self.leaf(i)

    def move_all(self, nodes: Iterable[int]) -> None:
        """Copy nodes without simplification, for passes that change only the order of the nodes."""
        op, args, cls, new, node = self.old.op, self.old.args, self.old.cls, self.map, self.new.new_node
        for i in nodes:
            if op[i] >= ops.ADD:
                moved = tuple([new[lit >> 1] | (lit & 1) for lit in args[i]])
                new[i] = node(op[i], moved, cls[i])
            else:
                self.leaf(i)

    def leaf(self, i: int) -> None:
        """Copy node i, which is a number, a symbol or a result of a kernel call."""
        old, new, op = self.old, self.new, self.old.op[i]
        if op == ops.KERNEL:
            index, k = old.args[i]
            if index not in self._results:
                call = old.calls[index]
                arrays = [[self.lit(lit) for lit in array] for array in call.inputs]
                self._results[index] = new.call(call.kernel, arrays, call.size)
            self.map[i] = self._results[index][k]
        else:
            self.map[i] = new.node(op, old.args[i], old.cls[i])

    def finish(self) -> Program:
        """Return the program over the new graph; variables keep their names if their nodes still exist."""
        names: dict[int, tuple[str, int]] = {}
        for i, (name, sign) in self.program.names.items():
            literal = self.map.get(i)
            if literal is not None and self.new.op[literal >> 1] >= ops.ADD and literal >> 1 not in names:
                names[literal >> 1] = (name, sign ^ (literal & 1))
        outputs = tuple(
            replace(output, lits=tuple(map(self.lit, output.lits))) for output in self.program.outputs
        )
        return replace(self.program, graph=self.new, outputs=outputs, names=names)


def copied(program: Program) -> Program:
    """Return a copy of the program with a separate graph, to which nodes can be added."""
    rebuild = Rebuild(program)
    rebuild.move_all(program.nodes)
    return rebuild.finish()


# -- removing nodes that no output needs


def compact(program: Program) -> Program:
    """Return the program with a graph of only those nodes that its outputs need, in the same order."""
    graph = program.graph
    if len(program.nodes) >= len(graph) - 3:  # except the numbers 0, 1, 2, which every graph contains
        return program
    return copied(program)
