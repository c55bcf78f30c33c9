"""Regrouping of sums for processors with fused multiply-add: fewer instructions and shorter dependency chains.

a*b + c is one instruction on such a processor. In a sum of several terms every product is fused with the preceding
partial sum if the first term is not a product:

    (a*b + c*d) + e     three instructions         (e + a*b) + c*d     two

Nested sums that are used only once and have no name are merged into the outer sum. Its first term is the earliest one
that is not a product to be fused; the others follow in the order in which their values become available.
"""

from __future__ import annotations

from symoro.expr import ops
from symoro.program.passes.rebuild import Rebuild
from symoro.program.passes.sums import count_uses
from symoro.program.program import Program

SINE = 12  # approximate cost of a sine or cosine in additions


def grouped(program: Program) -> Program:
    """Return the program with the sums that are evaluated at every call regrouped."""
    if program.expanded:
        return program
    regrouped = _Groups(program).run()
    return regrouped if regrouped.used_parameters == program.used_parameters else program


class _Groups:
    def __init__(self, program: Program) -> None:
        self.program, self.graph = program, program.graph
        self.uses = count_uses(program)
        self.summed = self._summed()
        self.depth = self._depths()
        self.rebuild = Rebuild(program)

    def run(self) -> Program:
        since: list[int] = []
        for i in self.program.nodes:
            if not self._is_sum(i):
                since.append(i)
            elif not self._is_inner(i):
                self.rebuild.copy_all(since)
                since.clear()
                self.rebuild.map[i] = self._total(self._terms(i))
        self.rebuild.copy_all(since)
        return self.rebuild.finish()

    def _is_sum(self, i: int) -> bool:
        return self.graph.op[i] in (ops.ADD, ops.SUB) and self.graph.cls[i] == ops.VARIABLE

    def _is_inner(self, i: int) -> bool:
        """Return whether node i is an unnamed sum whose only use is as a term of another sum."""
        return self._is_sum(i) and self.uses[i] == 1 == self.summed[i] and i not in self.program.names

    def _is_fused(self, i: int) -> bool:
        """Return whether node i is a product used only as a term of sums, so that multiply-add can be fused."""
        return (
            self.graph.op[i] == ops.MUL
            and self.graph.cls[i] == ops.VARIABLE
            and self.uses[i] == self.summed[i]
        )

    def _summed(self) -> list[int]:
        """Return, for each node, in how many sums it is a term."""
        counts = [0] * len(self.graph)
        for i in self.program.nodes:
            if self._is_sum(i):
                for lit in self.graph.args[i]:
                    counts[lit >> 1] += 1
        return counts

    def _depths(self) -> list[int]:
        """Return, for each node, the length of its longest dependency chain, in additions."""
        graph = self.graph
        depth = [0] * len(graph)
        for i in self.program.nodes:
            if graph.cls[i] == ops.VARIABLE and graph.op[i] >= ops.KERNEL:
                latest = max([depth[lit >> 1] for lit in graph.children(i)], default=0)
                depth[i] = latest + (SINE if graph.op[i] in (ops.SIN, ops.COS) else 1)
        return depth

    def _terms(self, i: int) -> list[int]:
        """Return the terms of the sum at node i, in the order in which they are added."""
        terms: list[int] = []
        pending = [*reversed(self.graph.terms(i << 1))]
        while pending:
            lit = pending.pop()
            if self._is_inner(lit >> 1):
                pending += reversed(self.graph.terms(lit))
            else:
                terms.append(lit)
        if len(terms) > 2:
            terms.sort(key=lambda lit: self.depth[lit >> 1])
            first = next((lit for lit in terms if not self._is_fused(lit >> 1)), terms[0])
            terms.remove(first)
            terms.insert(0, first)
        return terms

    def _total(self, terms: list[int]) -> int:
        """Add the terms in the new graph, without simplification, and return the reference of the sum."""
        new, lit = self.rebuild.new, self.rebuild.lit
        total = lit(terms[0])
        for term in map(lit, terms[1:]):
            total = new.plain_sum(total, term) if total >> 1 != term >> 1 else new.add(total, term)
        return total
