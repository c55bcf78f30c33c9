"""What must not be zero for the formulas of an inverse model to hold: divisors that no pose changes.

A divisor that depends on the pose is guarded where it is made (a joint is then free, or the row no solution). One of
the robot's symbols, or of the joints that q0 gives, cannot be mended at run time: where it vanishes the formulas say
nothing, and every row is an empty slot rather than "out of reach". Products are told factor by factor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.bounds import bounds_for_size
from symoro.expr.graph import Graph
from symoro.expr.scalar import Expr, absolute, less_equal, maximum, select, wrap
from symoro.expr.substitute import substitute
from symoro.models.geometric.inverse.branches import EMPTY, Solution
from symoro.models.geometric.inverse.chain.problem import Problem
from symoro.models.tolerances import ZERO_DIVISOR


def divisors(problem: Problem, found: Sequence[Solution]) -> list[Expr]:
    """Return the factors of all divisors that depend on the robot's symbols, or on q0, alone; each once.

    The size of the robot is none of them: it is never zero.
    """
    graph = problem.builder.graph
    start = {graph.args[x.lit >> 1][0] for x in problem.start.values()}
    literals = [x.lit for one in found for x in (*one.joints.values(), one.residual, one.status)]
    fixed: dict[int, bool] = {}  # whether a symbol is in it, of the nodes without the pose
    factors: dict[int, None] = {}
    for i in graph.reachable(literals):
        op, args = graph.op[i], graph.args[i]
        if op in (ops.NUMBER, ops.PI, ops.TOLERANCE):
            fixed[i] = False
        elif op == ops.SYMBOL:
            if args[1] == ops.PARAMETER or args[0] in start:
                fixed[i] = True
        elif op != ops.KERNEL and all(lit >> 1 in fixed for lit in args):
            fixed[i] = any(fixed[lit >> 1] for lit in args)
        if op == ops.DIV and fixed.get(args[1] >> 1):
            factors.update(dict.fromkeys(j for j in _factors(graph, args[1] >> 1) if fixed.get(j)))
    return [Expr(graph, i << 1) for i in factors if i != problem.chain.size.lit >> 1]


def _factors(graph: Graph, i: int) -> Iterator[int]:
    """The nodes whose product, up to roots and powers, a node is; a guarded one has none."""
    op, args = graph.op[i], graph.args[i]
    if op in (ops.MUL, ops.SQRT, ops.ABS):
        for lit in args:
            yield from _factors(graph, lit >> 1)
    elif op == ops.DIV:
        yield from _factors(graph, args[0] >> 1)
    elif op != ops.SELECT:
        yield i


def as_text(factors: Sequence[Expr], size: Expr) -> tuple[str, ...]:
    """Return the conditions as text, in which the robot's size, a unit of length, is 1."""
    found = []
    for factor in factors:
        graph = factor.graph
        (plain,) = substitute(graph, [factor.lit], {size.lit >> 1: wrap(graph, 1).lit})
        factor = Expr(graph, plain)
        try:
            found.append(f"{factor} != 0")
        except ProgramError:  # too long to be written
            found.append("a divisor of the robot's parameters != 0")
    return tuple(dict.fromkeys(found))


def guarded(problem: Problem, found: Sequence[Solution], factors: Sequence[Expr]) -> list[Solution]:
    """The solutions, all of them empty slots where a factor vanishes."""
    if not factors:
        return list(found)
    number = problem.builder.number
    sizes = bounds_for_size(factors, problem.chain.size)
    flags = [less_equal(absolute(x), ZERO_DIVISOR * size) for x, size in zip(factors, sizes, strict=True)]
    fails = flags[0]
    for flag in flags[1:]:
        fails = maximum(fails, flag)
    return [replace(one, status=number(select(fails, EMPTY, one.status))) for one in found]
