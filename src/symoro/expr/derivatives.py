"""Derivatives of expressions, as expressions of the same graph.

The forward mode computes the tangent (directional derivative) of every node along one direction in one pass. The
reverse mode computes the adjoint of every node (the derivative of one weighted sum of the outputs with respect to the
node) in one pass. Both modes visit each node once; kernels have separate rules. For the operations select, min and max,
the derivative is that of the selected argument, so that values which are not selected have no effect. Comparisons and
sign have the derivative zero. Where an expression is 0 / 0 on purpose, to mark an undefined result by NaN, its
derivatives are NaN as well.

Expressions are given and returned as signed node references, see `graph`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from symoro.expr import ops
from symoro.expr.graph import MINUS_ONE, ONE, TWO, ZERO, Graph
from symoro.expr.kernels import KERNELS


def forward(graph: Graph, roots: Sequence[int], seeds: Mapping[int, int]) -> list[int]:
    """Return the derivatives of the expressions `roots` along one direction (forward mode).

    Args:
        roots: signed node references of the expressions.
        seeds: node of a symbol -> reference of its tangent; the tangents of other symbols are zero.
    """
    tangents = Tangents(graph, seeds)
    tangents.push(graph.reachable(roots))
    return [tangents.of(lit) for lit in roots]


class Tangents:
    """Tangents of nodes along one direction, computed in forward mode.

    The slope of a function may be infinite or NaN where its argument is constant because of a choice, as in
    sqrt(max(x, 0)). Therefore a tangent that is zero unless a condition holds is stored together with this condition,
    its guard. The guard is converted to a select operation only where tangents with different guards meet, or where
    the tangent is returned. `Sweep` treats adjoints in the same way.
    """

    def __init__(self, graph: Graph, seeds: Mapping[int, int]) -> None:
        self.graph = graph
        self._seeds = seeds
        self._tangent: dict[int, int] = {}  # nodes that are missing have the tangent zero
        self._guard: dict[int, int] = {}  # nodes that are missing have the guard 1
        self._called: dict[int, list[int]] = {}

    def of(self, lit: int) -> int:
        """Return the tangent of a signed node reference."""
        i, graph = lit >> 1, self.graph
        value = self._tangent.get(i, ZERO)
        if i in self._guard:
            value = graph.select(self._guard[i], value, ZERO)
        return graph.signed(value, lit & 1)

    def push(self, nodes: Sequence[int]) -> None:
        """Compute the tangents of nodes, which are given in evaluation order."""
        graph, tangent = self.graph, self._tangent
        for i in nodes:
            value, guard = ZERO, ONE
            if i in self._seeds:
                value = self._seeds[i]
            elif graph.op[i] >= ops.ADD:
                if any([lit >> 1 in tangent for lit in graph.args[i]]) and not is_undefined(graph, i):  # noqa: C419
                    value, guard = self._pushed(i)
            elif graph.op[i] == ops.KERNEL:
                index, k = graph.args[i]
                if index not in self._called:
                    self._called[index] = _pushed_call(graph, index, self.of)
                value = self._called[index][k]
            if value:
                tangent[i] = value
                if guard != ONE:
                    self._guard[i] = guard

    def _pushed(self, i: int) -> tuple[int, int]:
        """Return the tangent of node i and its guard, from the tangents of its operands."""
        graph = self.graph
        op, args = graph.op[i], graph.args[i]
        if op in (ops.SELECT, ops.MIN, ops.MAX):
            first = args[0] if op == ops.SELECT else _takes_first(graph, i)
            return self._chosen(first, *args[-2:])
        parts = []
        for lit, slope in zip(args, _partials(graph, i), strict=True):
            if lit >> 1 in self._tangent and slope:
                value = graph.signed(self._tangent[lit >> 1], lit & 1)
                parts.append((graph.mul(value, slope), self._guard.get(lit >> 1, ONE)))
        guard = _either(graph, [guard for _, guard in parts])
        total = ZERO
        for value, own in parts:
            total = graph.add(total, value if own == guard else graph.select(own, value, ZERO))
        return total, guard

    def _chosen(self, first: int, x: int, y: int) -> tuple[int, int]:
        """Return the tangent of a choice and its guard.

        Args:
            first: the condition under which x is selected; otherwise y is.
        """
        graph = self.graph
        of_x, of_y = (lit if is_undefined(graph, lit >> 1) else self.of(lit) for lit in (x, y))
        if of_x and of_y:
            return graph.select(first, of_x, of_y), ONE
        lit, value = (x, of_x) if of_x else (y, of_y)
        if lit >> 1 in self._tangent:
            value = graph.signed(self._tangent[lit >> 1], lit & 1)
        guard = self._guard.get(lit >> 1, ONE)
        return value, graph.select(first, guard, ZERO) if of_x else graph.select(first, ZERO, guard)


def _either(graph: Graph, guards: Sequence[int]) -> int:
    """Return the condition that one of several guards holds."""
    different = list(dict.fromkeys(guards))
    if not different or ONE in different:
        return ONE
    either = different[0]
    for guard in different[1:]:
        either = graph.binary(ops.MAX, either, guard)
    return either


def _pushed_call(graph: Graph, index: int, tangent: Callable[[int], int]) -> list[int]:
    """Return the tangents of the results of kernel call number `index`.

    Args:
        tangent: returns the tangent of an input, given as a signed node reference.
    """
    kernel_call = graph.calls[index]
    inputs = [[tangent(lit) for lit in array] for array in kernel_call.inputs]
    if not any(any(array) for array in inputs):
        return [ZERO] * kernel_call.size
    results = graph.call(kernel_call.kernel, kernel_call.inputs, kernel_call.size)
    return KERNELS[kernel_call.kernel].tangents(graph, kernel_call, results, inputs)


def reverse(graph: Graph, roots: Sequence[int], weights: Sequence[int], wrt: Sequence[int]) -> list[int]:
    """Return the gradient of sum(weight * root) with respect to the nodes `wrt` (reverse mode)."""
    sweep = Sweep(graph, roots, weights, wrt)
    return [sweep.of(i) for i in wrt]


class Sweep:
    """Adjoints computed in reverse mode: the derivatives of sum(weight * root) with respect to nodes.

    An argument that a select does not select may be infinite or NaN, and zero times such a value is not zero.
    Therefore an adjoint that was propagated through a select is stored together with its guard, the condition under
    which it has an effect. The guard is converted to a select operation only where the adjoint is added to one with
    another guard, or where it is returned.

    If an expression is 0 / 0 on purpose under a condition, to mark undefined outputs by NaN, all derivatives are NaN
    under this condition, unless the weight of the expression is zero.
    """

    def __init__(
        self, graph: Graph, roots: Sequence[int], weights: Sequence[int], wrt: Sequence[int]
    ) -> None:
        self.graph = graph
        self._adjoint: dict[int, int] = {}
        self._guard: dict[int, int] = {}  # nodes that are missing have the guard 1
        self._void = ZERO  # condition under which the derivatives are not a number
        self._nothing = ZERO
        nodes = graph.reachable(roots)
        self._active = dependent(graph, nodes, wrt)
        for root, weight in zip(roots, weights, strict=True):
            self._give(root, weight, ONE)
        called: set[int] = set()
        for i in reversed(nodes):
            if graph.op[i] == ops.KERNEL:
                index = graph.args[i][0]
                if index not in called:  # in this order all results of a call precede its inputs
                    called.add(index)
                    self._pull_call(index)
            elif i in self._adjoint and graph.op[i] >= ops.ADD:
                self._pull(i)
        if self._void:
            x = wrt[0] << 1
            self._nothing = graph.div(
                graph.select(self._void, ZERO, x), graph.select(self._void, ZERO, x ^ 1)
            )

    def of(self, i: int) -> int:
        """Return the derivative of sum(weight * root) with respect to node i."""
        value = self._guarded(i)
        return self.graph.select(self._void, self._nothing, value) if self._void else value

    def adjoint(self, i: int) -> int:
        """Return the adjoint of node i, which is valid only where node i has an effect on the outputs."""
        return self._adjoint.get(i, ZERO)

    def _guarded(self, i: int) -> int:
        value = self._adjoint.get(i, ZERO)
        return self.graph.select(self._guard[i], value, ZERO) if i in self._guard else value

    def _give(self, lit: int, value: int, guard: int) -> None:
        """Add `value` to the adjoint of the expression `lit`, where the condition `guard` is not zero."""
        i, graph = lit >> 1, self.graph
        if not value >> 1 or i not in self._active:
            return
        value ^= lit & 1
        if i not in self._adjoint:
            self._adjoint[i] = value
            if guard != ONE:
                self._guard[i] = guard
            return
        present = self._guard.get(i, ONE)
        if present == guard:
            self._adjoint[i] = graph.add(self._adjoint[i], value)
            return
        if guard != ONE:
            value = graph.select(guard, value, ZERO)
        self._adjoint[i] = graph.add(self._guarded(i), value)
        self._guard.pop(i, None)
        either = _either(graph, [present, guard])
        if either != ONE:
            self._guard[i] = either

    def _pull(self, i: int) -> None:
        """Add the contributions of node i to the adjoints of its operands."""
        graph, adjoint, guard = self.graph, self._adjoint[i], self._guard.get(i, ONE)
        op, args = graph.op[i], graph.args[i]
        if op in (ops.SELECT, ops.MIN, ops.MAX):
            first = args[0] if op == ops.SELECT else _takes_first(graph, i)
            x, y = args[-2:]
            self._give_choice(x, adjoint, graph.select(first, guard, ZERO))
            self._give_choice(y, adjoint, graph.select(first, ZERO, guard))
            return
        for lit, slope in zip(args, _partials(graph, i), strict=True):
            self._give(lit, graph.mul(adjoint, slope), guard)

    def _give_choice(self, lit: int, adjoint: int, guard: int) -> None:
        """Add the contribution of a select, min or max to the adjoint of its argument `lit`."""
        graph = self.graph
        if is_undefined(graph, lit >> 1):
            has_effect = graph.select(graph.binary(ops.EQUAL, adjoint, ZERO), ZERO, guard)
            self._void = graph.binary(ops.MAX, self._void, has_effect) if self._void else has_effect
        else:
            self._give(lit, adjoint, guard)

    def _pull_call(self, index: int) -> None:
        """Add the contributions of kernel call number `index` to the adjoints of its inputs."""
        graph = self.graph
        kernel_call = graph.calls[index]
        results = graph.call(kernel_call.kernel, kernel_call.inputs, kernel_call.size)
        reached = [r >> 1 for r in results if r >> 1 in self._adjoint]
        if not reached:
            return
        guard = _either(graph, [self._guard.get(i, ONE) for i in reached])
        adjoints = [self._guarded(r >> 1) for r in results]
        parts = KERNELS[kernel_call.kernel].adjoints(graph, kernel_call, results, adjoints)
        for array, values in zip(kernel_call.inputs, parts, strict=True):
            for lit, value in zip(array, values, strict=True):
                self._give(lit, value, guard)


def dependent(graph: Graph, nodes: Sequence[int], wrt: Sequence[int]) -> set[int]:
    """Return those of `nodes` that depend on a node of `wrt`; `nodes` are in evaluation order."""
    active = set(wrt)
    calls: dict[int, bool] = {}
    for i in nodes:
        if graph.op[i] >= ops.ADD:
            if not active.isdisjoint([lit >> 1 for lit in graph.args[i]]):
                active.add(i)
        elif graph.op[i] == ops.KERNEL:
            index = graph.args[i][0]
            if index not in calls:
                calls[index] = any(lit >> 1 in active for lit in graph.children(i))
            if calls[index]:
                active.add(i)
    return active


def is_undefined(graph: Graph, i: int) -> bool:
    """Return whether node i marks an undefined result, 0 / 0 under a condition c or its opposite.

    Such nodes are select(c, 0, x) / select(c, 0, -x) and select(c, x, 0) / select(c, -x, 0).
    """
    if graph.op[i] != ops.DIV:
        return False
    x, y = (lit >> 1 for lit in graph.args[i])
    if graph.op[x] != ops.SELECT or graph.op[y] != ops.SELECT or graph.args[x][0] != graph.args[y][0]:
        return False
    return any(graph.args[x][k] == graph.args[y][k] == ZERO for k in (1, 2))


def jacobian(graph: Graph, roots: Sequence[int], wrt: Sequence[int]) -> list[list[int]]:
    """Return the Jacobian matrix d roots / d wrt by rows, in the mode that requires fewer passes.

    Args:
        roots: signed node references of the differentiated expressions.
        wrt: nodes of the symbols.
    """
    return (forward_jacobian if len(wrt) <= len(roots) else reverse_jacobian)(graph, roots, wrt)


def forward_jacobian(graph: Graph, roots: Sequence[int], wrt: Sequence[int]) -> list[list[int]]:
    """Return the Jacobian matrix d roots / d wrt by one forward pass per column."""
    columns = [forward(graph, roots, {i: ONE}) for i in wrt]
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in roots]


def reverse_jacobian(graph: Graph, roots: Sequence[int], wrt: Sequence[int]) -> list[list[int]]:
    """Return the Jacobian matrix d roots / d wrt by one reverse pass per row."""
    return [reverse(graph, [root], [ONE], wrt) for root in roots]


# -- rules for one node


def _takes_first(graph: Graph, i: int) -> int:
    """Return an expression that is 1 if the result of a min or max node is its first argument, otherwise 0.

    Args:
        graph: graph that contains the node.
        i: index of the min or max node.
    """
    x, y = graph.args[i]
    return graph.binary(ops.LESS_EQUAL, *((x, y) if graph.op[i] == ops.MIN else (y, x)))


def _partials(graph: Graph, i: int) -> tuple[int, ...]:
    """Return the partial derivatives of node i with respect to each of its operands."""
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
    """Return the derivative of a function of one argument with respect to this argument.

    Args:
        op: operation, such as SIN.
        node: node of the function value f(x), which can be part of the derivative.
        x: reference of the argument.
    """
    if op == ops.SIN:
        return graph.cos(x)
    if op == ops.COS:
        return graph.signed(graph.sin(x), 1)
    if op == ops.TAN:
        return graph.add(ONE, graph.mul(node, node))
    if op == ops.SQRT:
        return graph.div(ONE, graph.mul(TWO, node))
    if op == ops.EXP:
        return node
    if op == ops.ABS:
        return graph.unary(ops.SIGN, x)
    slope = graph.div(ONE, graph.sqrt(graph.sub(ONE, graph.mul(x, x))))
    return slope if op == ops.ASIN else graph.signed(slope, 1)
