"""Derivatives of expressions, as expressions of the same graph.

The forward mode computes the tangent of every node along one direction in one pass. The reverse mode computes the
adjoint of every node for one output in one pass. Both visit each node once; kernels have their own rules. Choices
(select, min, max) select among the derivatives, so that values which are not selected have no effect; comparisons and
sign have derivative zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from symoro.expr import ops
from symoro.expr.graph import MINUS_ONE, ONE, TWO, ZERO, Graph
from symoro.expr.kernels import KERNELS


def forward(graph: Graph, roots: Sequence[int], seeds: Mapping[int, int]) -> list[int]:
    """Return the derivatives of `roots` along one direction.

    Args:
        seeds: node -> literal of its tangent; other symbols have tangent zero.
    """
    tangent: dict[int, int] = {}
    called: dict[int, list[int]] = {}

    def of(lit: int) -> int:
        return graph.signed(tangent.get(lit >> 1, ZERO), lit & 1)

    for i in graph.reachable(roots):
        if i in seeds:
            tangent[i] = seeds[i]
        elif graph.op[i] >= ops.ADD:
            tangents = [of(lit) for lit in graph.args[i]]
            if any(tangents):
                tangent[i] = _pushed(graph, i, tangents)
        elif graph.op[i] == ops.KERNEL:
            index, k = graph.args[i]
            if index not in called:
                kernel_call = graph.calls[index]
                results = graph.call(kernel_call.kernel, kernel_call.inputs, kernel_call.size)
                inputs = [[of(lit) for lit in array] for array in kernel_call.inputs]
                called[index] = KERNELS[kernel_call.kernel].tangents(graph, kernel_call, results, inputs)
            tangent[i] = called[index][k]
    return [of(lit) for lit in roots]


def reverse(graph: Graph, roots: Sequence[int], weights: Sequence[int], wrt: Sequence[int]) -> list[int]:
    """Return the derivatives of sum(weight * root) with respect to the nodes `wrt`."""
    adjoint: dict[int, int] = {}

    def give(lit: int, value: int) -> None:
        if value >> 1:
            i = lit >> 1
            adjoint[i] = graph.add(adjoint.get(i, ZERO), value ^ (lit & 1))

    for root, weight in zip(roots, weights, strict=True):
        give(root, weight)
    done: set[int] = set()
    for i in reversed(graph.reachable(roots)):
        value = adjoint.get(i, ZERO)
        if graph.op[i] == ops.KERNEL:
            index = graph.args[i][0]
            if index not in done:  # in this order all results of a call precede its inputs
                done.add(index)
                _reverse_call(graph, index, adjoint, give)
        elif value and graph.op[i] >= ops.ADD and graph.cls[i] != ops.CONSTANT:
            for lit, part in zip(graph.args[i], _pulled(graph, i, value), strict=True):
                give(lit, part)
    return [adjoint.get(i, ZERO) for i in wrt]


def _reverse_call(
    graph: Graph, index: int, adjoint: Mapping[int, int], give: Callable[[int, int], None]
) -> None:
    kernel_call = graph.calls[index]
    results = graph.call(kernel_call.kernel, kernel_call.inputs, kernel_call.size)
    adjoints = [adjoint.get(r >> 1, ZERO) for r in results]
    if not any(adjoints):
        return
    parts = KERNELS[kernel_call.kernel].adjoints(graph, kernel_call, results, adjoints)
    for array, values in zip(kernel_call.inputs, parts, strict=True):
        for lit, value in zip(array, values, strict=True):
            give(lit, value)


def jacobian(graph: Graph, roots: Sequence[int], wrt: Sequence[int]) -> list[list[int]]:
    """Return the matrix d roots / d wrt, in the mode that requires fewer passes."""
    if len(wrt) <= len(roots):
        columns = [forward(graph, roots, {i: ONE}) for i in wrt]
        return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in roots]
    return [reverse(graph, [root], [ONE], wrt) for root in roots]


# -- rules for one node


def _pushed(graph: Graph, i: int, tangents: Sequence[int]) -> int:
    """Return the tangent of node i from those of its children."""
    op, args = graph.op[i], graph.args[i]
    if op == ops.SELECT:
        return graph.select(args[0], tangents[1], tangents[2])
    if op in (ops.MIN, ops.MAX):
        return graph.select(_takes_first(graph, i), tangents[0], tangents[1])
    total = ZERO
    for t, slope in zip(tangents, _partials(graph, i), strict=True):
        total = graph.add(total, graph.mul(t, slope))
    return total


def _pulled(graph: Graph, i: int, adjoint: int) -> tuple[int, ...]:
    """Return the contributions of node i to the adjoints of its children."""
    op, args = graph.op[i], graph.args[i]
    if op == ops.SELECT:
        return ZERO, graph.select(args[0], adjoint, ZERO), graph.select(args[0], ZERO, adjoint)
    if op in (ops.MIN, ops.MAX):
        first = _takes_first(graph, i)
        return graph.select(first, adjoint, ZERO), graph.select(first, ZERO, adjoint)
    return tuple(graph.mul(adjoint, slope) for slope in _partials(graph, i))


def _takes_first(graph: Graph, i: int) -> int:
    """Return 1 where a min or max equals its first argument."""
    x, y = graph.args[i]
    return graph.binary(ops.LESS_EQUAL, *((x, y) if graph.op[i] == ops.MIN else (y, x)))


def _partials(graph: Graph, i: int) -> tuple[int, ...]:
    """Return the partial derivatives of node i with respect to each of its children."""
    op, args = graph.op[i], graph.args[i]
    if op == ops.ADD:
        return ONE, ONE
    if op == ops.SUB:
        return ONE, MINUS_ONE
    if op == ops.MUL:
        return args[1], args[0]
    if op == ops.DIV:
        inverse = graph.div(ONE, args[1])
        return inverse, graph.signed(graph.mul(i << 1, inverse), 1)
    if op == ops.ATAN2:
        y, x = args
        square = graph.add(graph.mul(y, y), graph.mul(x, x))
        return graph.div(x, square), graph.signed(graph.div(y, square), 1)
    if op in (ops.SIGN, *ops.COMPARISONS):
        return (ZERO,) * len(args)
    return (_slope(graph, op, i << 1, args[0]),)


def _slope(graph: Graph, op: int, node: int, x: int) -> int:
    """Return the derivative of a function of one argument, from its value `node` and its argument x."""
    if op == ops.SIN:
        return graph.cos(x)
    if op == ops.COS:
        return graph.signed(graph.sin(x), 1)
    if op == ops.TAN:
        return graph.add(ONE, graph.mul(node, node))
    if op == ops.SQRT:
        return graph.div(ONE, graph.mul(TWO, node))
    if op == ops.ABS:
        return graph.unary(ops.SIGN, x)
    slope = graph.div(ONE, graph.sqrt(graph.sub(ONE, graph.mul(x, x))))
    return slope if op == ops.ASIN else graph.signed(slope, 1)
