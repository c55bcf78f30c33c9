"""Reduction of operations in sums: extraction of common factors, then of common pairs of terms.

A sum that is evaluated at every call is treated as a list of terms; nested sums that are used only once are merged into
it. Opposite terms cancel. Terms that do not vary are added first, so that their sum is computed once. From each list a
factor that several products have in common is extracted (a*x + b*x -> (a + b)*x). Then pairs of terms that several sums
have in common are computed once, the most frequent first. A sum without improvement is not changed, so that its
variables keep their names. Terms are signed node references (see `symoro.expr.graph`).
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
"""Two terms up to a common sign: signed node references, the first one positive."""


@dataclass
class _Terms:
    """Sum as a list of terms: plain terms, and products of a factor and a nested sum.

    Attributes:
        plain: signed node references of the plain terms.
        factored: (factor, nested sum) of each product.
        replaced: nodes that the list replaces and that are not used elsewhere.
        changed: whether the list differs from the sum in the program.
        made: reference of the sum in the new program.
    """

    plain: list[int]
    factored: list[tuple[int, _Terms]] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    changed: bool = False
    made: int = ZERO

    def lists(self) -> list[_Terms]:
        """Return this sum and all nested sums, outer ones first."""
        nested = [self]
        for terms in nested:
            nested += [inner for _, inner in terms.factored]
        return nested


def share_sums(program: Program) -> Program:
    """Return the program with common factors and common pairs of terms extracted from its sums."""
    return _Sums(program).run()


class _Sums:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.graph = program.graph
        self.uses = count_uses(program)
        self.pairs: dict[int, Pair] = {}  # new node -> the two terms that it adds

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
        """Return the nodes of all sums that are evaluated at every call, except terms of only one other sum."""
        op, args, cls, uses = self.graph.op, self.graph.args, self.graph.cls, self.uses
        sums = [i for i in self.program.nodes if op[i] in (ops.ADD, ops.SUB) and cls[i] == ops.VARIABLE]
        inner = {lit >> 1 for i in sums for lit in args[i] if uses[lit >> 1] == 1}
        return [i for i in sums if i not in inner]

    def flat(self, root: int) -> _Terms:
        """Return the terms of the sum `root`; nested sums used only once are merged and opposite terms cancel."""
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
        """Extract common factors from the sum `outer` and then from the nested sums, the most frequent factor first."""
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
        """Return the factors of node i if it is a varying product used only once, otherwise an empty tuple."""
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
        """Replace each pair of terms that several sums have in common by one new node, the most frequent first."""
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
        """Replace a pair of terms by the term `extra` in the sums that contain it, and return the new pairs.

        Args:
            users: positions in `lists` of the sums that contain the pair.
            where: pair -> positions of the sums that contain it; it is updated.
        """
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
        """Return the program with the changed sums, without the nodes that they replace.

        Args:
            changed: node of a sum -> the sum and its nested sums.
        """
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
        """Build a sum in the new program and return its reference.

        Args:
            lists: the sum and its nested sums, outer ones first.
        """
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
        """Return a term as a reference in the new program; a common pair is added when it is first used."""
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
    """Return the terms without pairs x, -x; the same list object if there are no such pairs."""
    present = set(terms)
    if not any(lit ^ 1 in present for lit in present if lit & 1):
        return terms
    kept: dict[int, int] = {}  # term -> number of occurrences
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
    """Return {pair of terms: positions of the sums that contain it}, for pairs that several sums contain."""
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
    """Return how often each node is used; a use as an operand counts 1, a use as an output counts 2."""
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
