"""Fewer operations in sums: common factors, then common pairs of terms.

A sum of the call part is treated as a list of terms, flattened through inner sums that are used only once. Opposite
terms cancel, and terms that do not vary are combined, so that their sum is computed once. In each list a factor that
several products have in common is extracted (a*x + b*x -> (a + b)*x). Then pairs of terms that several lists have in
common are computed once, the most frequent first. A sum without improvement keeps its form, and so the names of its
variables.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field

from symoro.expr import ops
from symoro.expr.graph import TWO, ZERO
from symoro.program.passes.rebuild import Rebuild
from symoro.program.program import Program

MAX_TERMS = 32  # longer lists are not changed, because the number of pairs is quadratic in the length

Pair = tuple[int, int]
"""Two terms up to a common sign: (positive literal, literal)."""


@dataclass
class _Terms:
    """List of terms: plain literals, and factors, each with a nested list.

    Attributes:
        replaced: nodes that the list replaces and that are not used elsewhere.
        changed: whether it differs from the program.
        made: literal of its sum in the new program.
    """

    plain: list[int]
    factored: list[tuple[int, _Terms]] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    changed: bool = False
    made: int = ZERO

    def lists(self) -> list[_Terms]:
        """Return the list itself and all nested lists, outer ones first."""
        nested = [self]
        for terms in nested:
            nested += [inner for _, inner in terms.factored]
        return nested


def share_sums(program: Program) -> Program:
    """Extract common factors and common pairs from the sums of the call part."""
    return _Sums(program).run()


class _Sums:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.graph = program.graph
        self.uses = count_uses(program)
        self.pairs: dict[int, Pair] = {}  # extra node -> its two old literals

    def run(self) -> Program:
        sums = {i: self.flat(i) for i in self.outermost()}
        for terms in sums.values():
            self.factor(terms)
        lists = {i: terms.lists() if terms.factored else [terms] for i, terms in sums.items()}
        self.share_pairs([terms for part in lists.values() for terms in part])
        changed = {i: part for i, part in lists.items() if any(terms.changed for terms in part)}
        return self.rewritten(changed) if changed else self.program

    # -- sums as lists of terms

    def outermost(self) -> list[int]:
        """Return every sum of the call part that is not a part of only one other sum."""
        op, args, cls, uses = self.graph.op, self.graph.args, self.graph.cls, self.uses
        sums = [i for i in self.program.nodes if op[i] in (ops.ADD, ops.SUB) and cls[i] == ops.VARIABLE]
        inner = {lit >> 1 for i in sums for lit in args[i] if uses[lit >> 1] == 1}
        return [i for i in sums if i not in inner]

    def flat(self, root: int) -> _Terms:
        """Return the terms of a sum, in order, through inner sums that are used only once; opposite terms cancel."""
        op, cls, uses, terms_of = self.graph.op, self.graph.cls, self.uses, self.graph.terms
        terms: list[int] = []
        inner: list[int] = []
        stack = [root << 1]
        while stack:
            lit = stack.pop()
            i = lit >> 1
            if op[i] in (ops.ADD, ops.SUB) and (i == root or (uses[i] == 1 and cls[i] == ops.VARIABLE)):
                a, b = terms_of(lit)
                stack.append(b)
                stack.append(a)
                inner.append(i)
            else:
                terms.append(lit)
        if len(terms) == 2:
            return _Terms(terms, replaced=inner)
        kept = _cancelled(terms)
        once = sum([cls[lit >> 1] != ops.VARIABLE for lit in kept])
        return _Terms(kept, replaced=inner, changed=kept is not terms or once > 1)

    # -- common factors

    def factor(self, outer: _Terms) -> None:
        """Extract factors from a list and then from the resulting lists, the most frequent first."""
        pending = [outer]
        while pending:
            terms = pending.pop()
            products = [(f, lit) for lit in terms.plain for f in self.factors(lit >> 1)]
            if len({f for f, _ in products}) == len(products):
                continue
            users: dict[int, dict[int, None]] = {}  # factor -> the terms that contain it
            for f, lit in products:
                users.setdefault(f, {})[lit] = None
            heap = [self.rank(f, terms_with) for f, terms_with in users.items() if len(terms_with) > 1]
            heapq.heapify(heap)
            used: set[int] = set()
            while heap:
                n, _, f = heapq.heappop(heap)
                if len(users[f]) != -n:  # its number of uses has decreased since it was queued
                    if len(users[f]) > 1:
                        heapq.heappush(heap, self.rank(f, users[f]))
                    continue
                inside = list(users[f])
                for lit in inside:
                    for g in self.factors(lit >> 1):
                        del users[g][lit]
                used.update(inside)
                terms.replaced += [lit >> 1 for lit in inside]
                inner = _Terms([self.without(lit, f) for lit in inside])
                terms.factored.append((f, inner))
                pending.append(inner)
            if used:
                terms.plain = [lit for lit in terms.plain if lit not in used]
                terms.changed = True

    def rank(self, f: int, users: dict[int, None]) -> tuple[int, int, int]:
        return -len(users), -self.graph.cls[f >> 1], f

    def factors(self, i: int) -> tuple[int, ...]:
        """Return the factors of a product of the call part that is used only once."""
        graph = self.graph
        if graph.op[i] != ops.MUL or self.uses[i] != 1 or graph.cls[i] != ops.VARIABLE:
            return ()
        a, b = graph.args[i]
        if a == TWO:
            return ()  # 2x is an addition: its extraction saves nothing
        return (a,) if a == b else (a, b)

    def without(self, lit: int, factor: int) -> int:
        a, b = self.graph.args[lit >> 1]
        other: int = b if a == factor else a
        return other ^ (lit & 1)

    # -- common pairs

    def share_pairs(self, lists: list[_Terms]) -> None:
        """Compute a pair of terms that several lists contain only once, the most frequent pair first."""
        where = _users(lists)
        heap = [(-len(users), pair) for pair, users in where.items()]
        heapq.heapify(heap)
        while heap:
            n, pair = heapq.heappop(heap)
            users = where[pair]
            if len(users) != -n:  # its number of uses has decreased since it was queued
                if len(users) > 1:
                    heapq.heappush(heap, (-len(users), pair))
                continue
            extra = len(self.graph) + len(self.pairs)
            self.pairs[extra] = pair
            for new in self.replace(pair, extra << 1, sorted(users), lists, where):
                if len(where[new]) > 1:
                    heapq.heappush(heap, (-len(where[new]), new))

    def replace(
        self,
        pair: Pair,
        extra: int,
        users: list[int],
        lists: list[_Terms],
        where: dict[Pair, set[int]],
    ) -> list[Pair]:
        """Replace a pair by the literal `extra` in all lists that contain it; return the new pairs."""
        new_pairs: dict[Pair, None] = {}
        for n in users:
            terms = lists[n]
            sign = 0 if pair[0] in terms.plain and pair[1] in terms.plain else 1
            gone = pair[0] ^ sign, pair[1] ^ sign
            for old in gone:
                terms.plain.remove(old)
            where[pair].discard(n)
            for other in dict.fromkeys(terms.plain):
                for old in gone:
                    if old not in terms.plain and (known := where.get(_pair(old, other))) is not None:
                        known.discard(n)
                new = _pair(extra | sign, other)
                where.setdefault(new, set()).add(n)
                new_pairs[new] = None
            terms.plain.append(extra | sign)
            terms.changed = True
        return list(new_pairs)

    # -- writing the new program

    def rewritten(self, changed: dict[int, list[_Terms]]) -> Program:
        """Return the program with new sums, without the nodes that they replace."""
        rebuild = Rebuild(self.program)
        replaced = {i for part in changed.values() for terms in part for i in terms.replaced}
        since: list[int] = []
        for i in self.program.nodes:
            if i in changed:
                rebuild.copy_all(since)
                since.clear()
                rebuild.map[i] = self.total(changed[i], rebuild)
            elif i not in replaced:
                since.append(i)
        rebuild.copy_all(since)
        return rebuild.finish()

    def total(self, lists: list[_Terms], rebuild: Rebuild) -> int:
        """Return the sum of a list; nested lists are computed first."""
        new = rebuild.new
        for terms in reversed(lists):
            parts = [self.term(lit, rebuild) for lit in terms.plain]
            parts += [new.mul(rebuild.lit(f), inner.made) for f, inner in terms.factored]
            # parameters first, because their sum becomes part of the setup
            parts.sort(key=lambda lit: (new.cls[lit >> 1], lit & 1))
            terms.made = ZERO
            for part in parts:
                terms.made = new.add(terms.made, part)
        return lists[0].made

    def term(self, lit: int, rebuild: Rebuild) -> int:
        """Return a term in the new program; extra nodes are created when they are first used."""
        copied = rebuild.map
        pending = [lit >> 1]
        while pending:
            i = pending[-1]
            if i in copied:
                pending.pop()
                continue
            missing = [p >> 1 for p in self.pairs[i] if p >> 1 not in copied]
            if missing:
                pending += missing
            else:
                a, b = self.pairs[i]
                copied[i] = rebuild.new.add(rebuild.lit(a), rebuild.lit(b))
        return rebuild.lit(lit)


def _cancelled(terms: list[int]) -> list[int]:
    """Return the terms without pairs of opposite ones; the same list if there are none."""
    present = set(terms)
    if not any(lit ^ 1 in present for lit in present if lit & 1):
        return terms
    kept: dict[int, int] = {}  # literal -> number of occurrences
    for lit in terms:
        if kept.get(lit ^ 1):
            kept[lit ^ 1] -= 1
        else:
            kept[lit] = kept.get(lit, 0) + 1
    return [lit for lit, n in kept.items() for _ in range(n)]


def _pair(x: int, y: int) -> Pair:
    if x > y:
        x, y = y, x
    return x & ~1, y ^ (x & 1)


def _users(lists: Iterable[_Terms]) -> dict[Pair, set[int]]:
    """Return the pairs of terms that several lists contain, with the numbers of these lists."""
    first: dict[Pair, int] = {}
    where: dict[Pair, set[int]] = {}
    for n, terms in enumerate(lists):
        if not 2 <= len(terms.plain) <= MAX_TERMS:
            continue
        ordered = sorted(set(terms.plain))
        for at, x in enumerate(ordered):
            for y in ordered[at + 1 :]:
                pair = x & ~1, y ^ (x & 1)
                other = first.setdefault(pair, n)
                if other != n:
                    where.setdefault(pair, {other}).add(n)
    return where


def count_uses(program: Program) -> list[int]:
    """Return the number of uses of each node; an output counts as several uses."""
    graph = program.graph
    op, args = graph.op, graph.args
    KERNEL, ADD = ops.KERNEL, ops.ADD  # local variables make the loop faster
    uses = [0] * len(graph)
    for i in program.nodes:
        if op[i] >= KERNEL:
            for lit in args[i] if op[i] >= ADD else graph.children(i):
                uses[lit >> 1] += 1
    for lit in program.roots:
        uses[lit >> 1] += 2
    return uses
