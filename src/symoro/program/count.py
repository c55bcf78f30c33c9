"""Operations of a program, counted as the papers do.

Additions are binary + and - (2x is one, as x + x), multiplications binary * (squares too), divisions and functions
(sin, cos, sqrt, atan2 ..., one each) apart; negation, sign, comparison and select are listed as others. Work on
parameters alone is counted in `.setup`; work on constants is done when the code is written and costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from symoro.expr import ops
from symoro.expr.graph import TWO, Graph
from symoro.expr.kernels import KERNELS
from symoro.program.program import Program


@dataclass(frozen=True)
class OpCount:
    """Operations per call; `setup` is the same for the part done once."""

    additions: int = 0
    multiplications: int = 0
    divisions: int = 0
    functions: int = 0
    others: int = 0
    kernels: int = 0
    setup: OpCount | None = None

    @property
    def total(self) -> int:
        """Additions, multiplications, divisions and functions together."""
        return self.additions + self.multiplications + self.divisions + self.functions

    def __add__(self, other: OpCount) -> OpCount:
        return OpCount(
            self.additions + other.additions,
            self.multiplications + other.multiplications,
            self.divisions + other.divisions,
            self.functions + other.functions,
            self.others + other.others,
            self.kernels + other.kernels,
        )

    def __str__(self) -> str:
        parts = [f"{self.multiplications} x", f"{self.additions} +"]
        for number, word in (
            (self.divisions, "/"),
            (self.functions, "functions"),
            (self.others, "others"),
            (self.kernels, "kernel calls"),
        ):
            if number:
                parts.append(f"{number} {word}")
        text = ", ".join(parts)
        if self.setup is not None and (self.setup.total or self.setup.others):
            text += f"; once: {self.setup}"
        return text


def count(program: Program) -> OpCount:
    """The operations of a program per call, and of its setup part."""
    if program.expanded:
        return _count_expanded(program)
    graph = program.graph
    call, setup = [0] * 6, [0] * 6
    for i in program.nodes:
        group = _group(graph, i)
        if group is not None and graph.cls[i] != ops.CONSTANT:
            (call if graph.cls[i] == ops.VARIABLE else setup)[group] += 1
    call[4] += _negations(program)
    per_call = OpCount(*call) + _kernel_costs(graph, program.nodes)
    return replace(per_call, setup=OpCount(*setup))


_GROUPS = {"additions": 0, "multiplications": 1, "divisions": 2, "functions": 3, "others": 4}


def _group(graph: Graph, i: int) -> int | None:
    op = graph.op[i]
    if op < ops.ADD:
        return None
    if op == ops.MUL and graph.args[i][0] == TWO:
        return 0
    return _GROUPS[ops.TABLE[op].group]


def _negations(program: Program) -> int:
    """Signs that no subtraction absorbs: of outputs, and inside functions."""
    graph = program.graph
    signs = sum(lit & 1 for lit in program.roots if graph.cls[lit >> 1] == ops.VARIABLE)
    for i in program.nodes:
        if graph.cls[i] == ops.VARIABLE and graph.op[i] >= ops.SQRT:
            signs += sum(lit & 1 for lit in graph.args[i] if graph.cls[lit >> 1] == ops.VARIABLE)
    return signs


def _kernel_costs(graph: Graph, nodes: Iterable[int]) -> OpCount:
    calls = {graph.args[i][0] for i in nodes if graph.op[i] == ops.KERNEL}
    total = OpCount(kernels=len(calls))
    for index in calls:
        made = graph.calls[index]
        total += OpCount(*KERNELS[made.kernel].cost([len(a) for a in made.inputs]))
    return total


def _count_expanded(program: Program) -> OpCount:
    """As written: an entry repeats what it uses, except sines, cosines and named variables."""
    graph = program.graph
    zero = (0,) * 5
    cost: dict[int, tuple[int, ...]] = {}
    call, setup = [0] * 5, [0] * 5
    for i in program.nodes:
        op, cls = graph.op[i], graph.cls[i]
        if op < ops.ADD or cls == ops.CONSTANT:
            cost[i] = zero
            continue
        total = [sum(c) for c in zip(*(cost[lit >> 1] for lit in graph.args[i]), strict=True)]
        total[_group(graph, i) or 0] += 1
        if is_shared_when_expanded(program, i):
            target = call if cls == ops.VARIABLE else setup
            for k in range(5):
                target[k] += total[k]
            cost[i] = zero
        else:
            cost[i] = tuple(total)
    for lit in program.roots:
        for k in range(5):
            call[k] += cost[lit >> 1][k]
        call[4] += lit & 1
    return OpCount(*call, setup=OpCount(*setup))


def is_shared_when_expanded(program: Program, i: int) -> bool:
    """Whether an expanded program still gives node i a statement of its own."""
    return program.graph.op[i] in (ops.SIN, ops.COS) or i in program.names
