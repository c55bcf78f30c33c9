"""Fewer operations in sums: common factors, then common pairs of terms.

A sum of the call part is seen as a list of terms, flattened through sums used nowhere else. In each list a factor
that several products share is taken out (a*x + b*x -> (a + b)*x); then pairs of terms that several lists share are
computed once, the most frequent first. A sum that gains nothing keeps its shape, and so its variables' names.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from symoro.expr import ops
from symoro.expr.graph import TWO
from symoro.program.passes.rebuild import Rebuild
from symoro.program.program import Program

MAX_TERMS = 32  # longer lists keep their order: pairs grow with the square of the length


@dataclass
class _Terms:
    """A list of terms: plain literals, and factors each with a list of its own."""

    plain: list[int]
    factored: list[tuple[int, _Terms]] = field(default_factory=list)
    changed: bool = False


def share_sums(program: Program) -> Program:
    """Take common factors and common pairs out of the sums of the call part."""
    worker = _Sums(program)
    return worker.run()


class _Sums:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.graph = program.graph
        self.uses = _uses(program)
        self.rebuild = Rebuild(program)
        self.pairs: dict[int, tuple[int, int]] = {}  # extra node -> its two old literals
        self.next = len(self.graph)

    def run(self) -> Program:
        sums = {i: self.factor(terms) for i, terms in self.roots().items()}
        self.share_pairs([terms for tree in sums.values() for terms in _lists(tree)])
        changed = {i: tree for i, tree in sums.items() if any(t.changed for t in _lists(tree))}
        for i in self.program.nodes:
            self.build(i, changed)
        return self.rebuild.finish()

    # -- sums as lists of terms

    def is_sum(self, i: int) -> bool:
        return self.graph.op[i] in (ops.ADD, ops.SUB) and self.graph.cls[i] == ops.VARIABLE

    def roots(self) -> dict[int, list[int]]:
        """Every sum that is not a part of just one other sum, with its terms."""
        graph = self.graph
        inner = set()
        for i in self.program.nodes:
            if self.is_sum(i):
                inner.update(lit >> 1 for lit in graph.args[i] if self.uses[lit >> 1] == 1)
        return {i: self.flat(i) for i in self.program.nodes if self.is_sum(i) and i not in inner}

    def flat(self, root: int) -> list[int]:
        graph = self.graph
        terms: list[int] = []
        stack = [root << 1]
        while stack:
            lit = stack.pop()
            i = lit >> 1
            if self.is_sum(i) and (i == root or self.uses[i] == 1):
                a, b = graph.args[i]
                flip = 1 if graph.op[i] == ops.SUB else 0
                stack += (b ^ (lit & 1) ^ flip, a ^ (lit & 1))
            else:
                terms.append(lit)
        return terms

    def factor(self, terms: list[int]) -> _Terms:
        """Take out the most frequent factor of the products used only here, then look again."""
        result = _Terms(terms)
        while len(result.plain) > 1:
            found: dict[int, list[int]] = {}
            for lit in result.plain:
                for f in self.factors(lit >> 1):
                    found.setdefault(f, []).append(lit)
            best = max(found, key=lambda f: (len(found[f]), self.graph.cls[f >> 1], -f), default=None)
            if best is None or len(found[best]) < 2:
                break
            inside = found[best]
            result.plain = [lit for lit in result.plain if lit not in inside]
            result.factored.append((best, self.factor([self.without(lit, best) for lit in inside])))
            result.changed = True
        return result

    def factors(self, i: int) -> tuple[int, ...]:
        graph = self.graph
        if graph.op[i] != ops.MUL or self.uses[i] != 1 or graph.cls[i] != ops.VARIABLE:
            return ()
        a, b = graph.args[i]
        if a == TWO:
            return ()  # 2x is an addition: taking it out saves nothing
        return (a,) if a == b else (a, b)

    def without(self, lit: int, factor: int) -> int:
        a, b = self.graph.args[lit >> 1]
        other: int = b if a == factor else a
        return other ^ (lit & 1)

    # -- common pairs

    def share_pairs(self, lists: list[_Terms]) -> None:
        where: dict[tuple[int, int], set[int]] = {}
        for n, terms in enumerate(lists):
            if 2 <= len(terms.plain) <= MAX_TERMS:
                for pair in _pairs(terms.plain):
                    where.setdefault(pair, set()).add(n)
        heap = [(-len(users), pair) for pair, users in where.items() if len(users) > 1]
        heapq.heapify(heap)
        while heap:
            negative, pair = heapq.heappop(heap)
            users = where[pair]
            if len(users) < 2:
                continue
            if len(users) != -negative:  # shrunk since it was queued
                heapq.heappush(heap, (-len(users), pair))
                continue
            grown = self.extract(pair, sorted(users), lists, where)
            for new in grown:
                if len(where[new]) > 1:
                    heapq.heappush(heap, (-len(where[new]), new))

    def extract(
        self,
        pair: tuple[int, int],
        users: list[int],
        lists: list[_Terms],
        where: dict[tuple[int, int], set[int]],
    ) -> set[tuple[int, int]]:
        extra = self.next << 1
        self.pairs[self.next] = pair
        self.next += 1
        grown: set[tuple[int, int]] = set()
        for n in users:
            terms = lists[n]
            sign = 0 if pair[0] in terms.plain and pair[1] in terms.plain else 1
            for old in _pairs(terms.plain):
                where[old].discard(n)
            terms.plain.remove(pair[0] ^ sign)
            terms.plain.remove(pair[1] ^ sign)
            terms.plain.append(extra | sign)
            terms.changed = True
            for new in _pairs(terms.plain):
                where.setdefault(new, set()).add(n)
                grown.add(new)
        return grown

    # -- writing the new program

    def build(self, i: int, changed: dict[int, _Terms]) -> None:
        if i in changed:
            self.rebuild.map[i] = self.sum_of(changed[i])
        else:
            self.rebuild.copy(i)

    def term(self, lit: int) -> int:
        pending = [lit >> 1]
        while pending:  # extra nodes are made when they are first read
            i = pending[-1]
            if i in self.rebuild.map:
                pending.pop()
            elif i in self.pairs:
                missing = [p >> 1 for p in self.pairs[i] if p >> 1 not in self.rebuild.map]
                if missing:
                    pending += missing
                else:
                    a, b = self.pairs[i]
                    self.rebuild.map[i] = self.rebuild.new.add(self.rebuild.lit(a), self.rebuild.lit(b))
        return self.rebuild.lit(lit)

    def sum_of(self, terms: _Terms) -> int:
        new = self.rebuild.new
        parts = [self.term(lit) for lit in terms.plain]
        parts += [new.mul(self.term(f), self.sum_of(inner)) for f, inner in terms.factored]
        parts.sort(key=lambda lit: (new.cls[lit >> 1], lit & 1))  # parameters join first and leave the call
        total = parts[0]
        for part in parts[1:]:
            total = new.add(total, part)
        return total


def _uses(program: Program) -> list[int]:
    """How often each node is read; an output counts as more than once."""
    graph = program.graph
    uses = [0] * len(graph)
    for i in program.nodes:
        for lit in graph.children(i):
            uses[lit >> 1] += 1
    for lit in program.roots:
        uses[lit >> 1] += 2
    return uses


def _lists(tree: _Terms) -> list[_Terms]:
    found = [tree]
    for terms in found:
        found += [inner for _, inner in terms.factored]
    return found


def _pairs(terms: list[int]) -> list[tuple[int, int]]:
    """Unordered pairs up to a common sign: (positive literal, literal)."""
    ordered = sorted(set(terms))
    found = []
    for at, x in enumerate(ordered):
        for y in ordered[at + 1 :]:
            found.append((x & ~1, y ^ (x & 1)))
    return found
