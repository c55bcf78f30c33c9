"""Reduction of operations in sums by multiplying out parameters, if terms can then be combined.

    p*(x + y) + q*x  ->  (p + q)*x + p*y        one addition less at every call, because p + q is computed once

A sum that is evaluated at every call is treated as a linear form: coefficients (expressions of parameters) times
factors that vary, called atoms. A product p*(x + y) whose sum is used only once can be multiplied out. Terms that have
an atom in common, directly or through other terms, form a group. A group is multiplied out if that reduces the number
of operations. Terms are signed node references (see `symoro.expr.graph`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from symoro.expr import ops
from symoro.expr.graph import ONE, ZERO
from symoro.program.passes.rebuild import Rebuild, compact
from symoro.program.passes.sums import count_uses
from symoro.program.program import Program


@dataclass
class _Group:
    """Group of terms of a linear form that have varying factors (atoms) in common.

    Attributes:
        atoms: node of a varying factor -> its coefficients, each a product of two references (outer, inner).
        before: number of operations of the terms as they are.
        opened: whether a product of a parameter and a sum is among the terms.
    """

    atoms: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    before: int = 0
    opened: bool = False

    def after(self) -> int:
        """Return the number of operations of the group after multiplying out, including its additions."""
        return sum(1 + (len(parts) > 1 or _is_product(parts[0])) for parts in self.atoms.values())

    def join(self, other: _Group) -> None:
        for atom, parts in other.atoms.items():
            self.atoms.setdefault(atom, []).extend(parts)
        self.before += other.before
        self.opened |= other.opened


def _distinct(groups: Iterable[_Group]) -> list[_Group]:
    return list({id(group): group for group in groups}.values())


def _is_product(part: tuple[int, int]) -> bool:
    return part[0] >> 1 != ONE >> 1 or part[1] >> 1 != ONE >> 1


def multiply_out(program: Program) -> Program:
    """Return the program with parameters multiplied into sums where this saves operations."""
    return _Linear(program).run()


class _Linear:
    def __init__(self, program: Program) -> None:
        self.program, self.graph = program, program.graph
        self.uses = count_uses(program)

    def run(self) -> Program:
        if not any(map(self.can_open, self.program.nodes)):
            return self.program
        groups = {i: self.groups(i) for i in self.outermost() if self.has_product_of_sum(i)}
        gained = {i: g for i, g in groups.items() if any(x.opened and x.after() < x.before for x in g)}
        return self.rewritten(gained) if gained else self.program

    def can_open(self, i: int) -> bool:
        """Return whether node i is a parameter times a sum, with product and sum both used only once."""
        graph = self.graph
        if graph.op[i] != ops.MUL or self.uses[i] != 1:
            return False
        a, b = graph.args[i]
        return graph.cls[a >> 1] < ops.VARIABLE and self.is_sum(b >> 1) and self.uses[b >> 1] == 1

    def is_sum(self, i: int) -> bool:
        return self.graph.op[i] in (ops.ADD, ops.SUB) and self.graph.cls[i] == ops.VARIABLE

    def outermost(self) -> list[int]:
        sums = [i for i in self.program.nodes if self.is_sum(i)]
        inner = {lit >> 1 for i in sums for lit in self.graph.args[i] if self.uses[lit >> 1] == 1}
        return [i for i in sums if i not in inner]

    def has_product_of_sum(self, root: int) -> bool:
        """Return whether the sum `root` has a term of the form parameter times sum."""
        op, args, cls, uses = self.graph.op, self.graph.args, self.graph.cls, self.uses
        for lit in self.terms(root):
            i = lit >> 1
            if op[i] == ops.MUL and uses[i] == 1:
                a, b = args[i]
                if cls[a >> 1] < ops.VARIABLE and op[b >> 1] in (ops.ADD, ops.SUB) and uses[b >> 1] == 1:
                    return True
        return False

    def terms(self, root: int) -> list[int]:
        """Return the terms of the sum `root` as signed references; nested sums used only once are merged."""
        args, op, uses, literals, stack = self.graph.args, self.graph.op, self.uses, [], [root << 1]
        while stack:
            lit = stack.pop()
            i = lit >> 1
            if (i == root or uses[i] == 1) and self.is_sum(i):
                a, b = args[i]
                stack += (b ^ (lit & 1) ^ (op[i] == ops.SUB), a ^ (lit & 1))
            else:
                literals.append(lit)
        return literals

    def split(self, lit: int) -> tuple[int, int]:
        """Split a term into (coefficient, atom): the parameter and the varying factor; (1, term) for other terms."""
        graph, i = self.graph, lit >> 1
        if graph.op[i] == ops.MUL and self.uses[i] == 1 and graph.cls[i] == ops.VARIABLE:
            a, b = graph.args[i]
            if graph.cls[a >> 1] < ops.VARIABLE:
                return a ^ (lit & 1), b
        return ONE ^ (lit & 1), lit & ~1

    def groups(self, root: int) -> list[_Group]:
        """Return the groups of terms of the sum `root`; groups with a common varying factor are merged."""
        owner: dict[int, _Group] = {}
        for lit in self.terms(root):
            group = own = self.group_of(lit)
            for other in _distinct(owner[atom] for atom in own.atoms if atom in owner):
                small, group = sorted((group, other), key=lambda g: len(g.atoms))
                group.join(small)
                owner.update(dict.fromkeys(small.atoms, group))
            if group is own:
                owner.update(dict.fromkeys(own.atoms, own))
        return _distinct(owner.values())

    def group_of(self, lit: int) -> _Group:
        outer, atom = self.split(lit)
        product = outer >> 1 != ONE >> 1
        if not product or not self.is_sum(atom >> 1) or self.uses[atom >> 1] != 1:
            return _Group({atom >> 1: [(outer ^ (atom & 1), ONE)]}, 1 + product)
        group = _Group(before=1, opened=True)
        for term in self.terms(atom >> 1):
            inner, leaf = self.split(term)
            group.atoms.setdefault(leaf >> 1, []).append((outer, inner ^ (leaf & 1)))
            group.before += 1 + (inner >> 1 != ONE >> 1)
        return group

    def rewritten(self, gained: dict[int, list[_Group]]) -> Program:
        rebuild = Rebuild(self.program)
        rebuild.map[ONE >> 1] = ONE  # a coefficient may not be part of the program
        since: list[int] = []
        for i in self.program.nodes:
            if i in gained:
                rebuild.copy_all(since)
                since.clear()
                rebuild.map[i] = self.sum_of(rebuild, i, gained[i])
            else:
                since.append(i)
        rebuild.copy_all(since)
        return compact(rebuild.finish())

    def sum_of(self, rebuild: Rebuild, root: int, groups: list[_Group]) -> int:
        new = rebuild.new
        opened = [g for g in groups if g.opened and g.after() < g.before]
        atoms = {atom for g in opened for atom in g.atoms}
        total = ZERO
        for lit in self.terms(root):
            if not self.group_of(lit).atoms.keys() & atoms:
                total = new.add(total, rebuild.lit(lit))
        for group in opened:
            for atom, parts in group.atoms.items():
                coefficient = ZERO
                for outer, inner in parts:
                    coefficient = new.add(coefficient, new.mul(rebuild.lit(outer), rebuild.lit(inner)))
                total = new.add(total, new.mul(coefficient, rebuild.map[atom]))
        return total
