"""Operation counts of a program, by the rules of the literature.

Additions are binary + and - (2x counts as the addition x + x), multiplications are binary * (also squares). Divisions
and functions (sin, cos, sqrt, atan2 ..., one each) are counted separately. Negation, sign, comparison and select are
counted as others. Operations that depend on parameters only are counted in `.setup`, because they are computed once.
Operations on constants are done when the code is written and are not counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from symoro.expr import ops
from symoro.expr.graph import TWO, Graph
from symoro.expr.kernels import KERNELS
from symoro.program.program import Program

# Largest number of operations in one entry of an expanded program; a longer entry fills more than ten pages.
LONGEST_EXPANDED = 5000


@dataclass(frozen=True)
class OpCount:
    """Number of operations per call; `setup` contains those of the part that is computed once."""

    additions: int = 0
    multiplications: int = 0
    divisions: int = 0
    functions: int = 0
    others: int = 0
    kernels: int = 0
    setup: OpCount | None = None

    @property
    def total(self) -> int:
        """Return the sum of additions, multiplications, divisions and functions."""
        return self.additions + self.multiplications + self.divisions + self.functions

    def __add__(self, other: OpCount) -> OpCount:
        return OpCount(
            self.additions + other.additions,
            self.multiplications + other.multiplications,
            self.divisions + other.divisions,
            self.functions + other.functions,
            self.others + other.others,
            self.kernels + other.kernels,
            self.setup + other.setup if self.setup and other.setup else self.setup or other.setup,
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


_NAMES = ("additions", "multiplications", "divisions", "functions", "others")
_GROUPS = {op: _NAMES.index(info.group) for op, info in ops.TABLE.items() if op >= ops.ADD}
_ZERO = (0,) * len(_NAMES)

Tally = Sequence[int]
"""Numbers of operations in the order of `_NAMES`."""


def count(program: Program) -> OpCount:
    """Return the number of operations of a program per call, and (in `setup`) those computed once."""
    call, setup = _expanded(program) if program.expanded else _shared(program)
    total = _op_count(call) + _kernel_costs(program.graph, program.nodes)
    return replace(total, setup=_op_count(setup))


def _op_count(tally: Tally) -> OpCount:
    additions, multiplications, divisions, functions, others = tally
    return OpCount(additions, multiplications, divisions, functions, others)


def _group(graph: Graph, i: int) -> int:
    if graph.op[i] == ops.MUL and graph.args[i][0] == TWO:
        return 0
    return _GROUPS[graph.op[i]]


def _shared(program: Program) -> tuple[Tally, Tally]:
    """Return the operation counts per call and of the setup, with each node counted once."""
    graph = program.graph
    op, args, cls, groups = graph.op, graph.args, graph.cls, _GROUPS
    tallies = [0] * 5, [0] * 5, [0] * 5  # by class
    signs = [lit for lit in program.roots if lit & 1]
    calls = set()
    for i in program.nodes:
        o = op[i]
        if o >= ops.ADD:
            group = 0 if o == ops.MUL and args[i][0] == TWO else groups[o]
            tallies[cls[i]][group] += 1
            if o >= ops.SQRT:
                signs += [lit for lit in args[i] if lit & 1]
        elif o == ops.KERNEL and args[i][0] not in calls:
            calls.add(args[i][0])
            signs += [lit for lit in graph.children(i) if lit & 1]
    _, setup, call = tallies
    # Signs that cannot become subtractions: of outputs, and inside functions.
    call[_NAMES.index("others")] += sum(cls[lit >> 1] == ops.VARIABLE for lit in signs)
    return call, setup


def _kernel_costs(graph: Graph, nodes: Iterable[int]) -> OpCount:
    calls = {graph.args[i][0] for i in nodes if graph.op[i] == ops.KERNEL}
    total = OpCount(kernels=len(calls))
    for index in calls:
        kernel_call = graph.calls[index]
        total += OpCount(*KERNELS[kernel_call.kernel].cost([len(a) for a in kernel_call.inputs]))
    return total


def _expanded(program: Program) -> tuple[Tally, Tally]:
    """Return the operation counts per call and of the setup, if each output is written as one expression.

    Subexpressions that are written several times are counted each time.
    """
    graph = program.graph
    constants = set(program.constants)
    cost: dict[int, Tally] = {}
    call: Tally = _ZERO
    setup: Tally = _ZERO
    calls = set()
    for i in program.nodes:
        op, cls = graph.op[i], graph.cls[i]
        cost[i] = _ZERO
        if op == ops.KERNEL and graph.args[i][0] not in calls:
            calls.add(graph.args[i][0])
            call = _sum([call, *(cost[lit >> 1] for lit in graph.children(i))])
        if op < ops.ADD or cls == ops.CONSTANT:
            continue
        own = [0] * len(_NAMES)
        own[_group(graph, i)] = 1
        total = _sum([own, *(cost[lit >> 1] for lit in graph.args[i])])
        if not is_shared_when_expanded(program, i) and i not in constants:
            cost[i] = total
        elif cls == ops.VARIABLE:
            call = _sum([call, total])
        else:
            setup = _sum([setup, total])
    signs = [0, 0, 0, 0, sum(lit & 1 for lit in program.roots)]
    return _sum([call, signs, *(cost[lit >> 1] for lit in program.roots)]), setup


def _sum(tallies: Iterable[Tally]) -> Tally:
    return tuple(map(sum, zip(*tallies, strict=True)))


def is_shared_when_expanded(program: Program, i: int) -> bool:
    """Return whether node i is assigned to a variable in an expanded program: sines, cosines, named nodes.

    In an expanded program each output is otherwise one complete expression."""
    return program.graph.op[i] in (ops.SIN, ops.COS) or i in program.names


def written_operations(graph: Graph, lits: Iterable[int]) -> dict[int, int]:
    """Return {node: number of operations in its text}, if each output is written as one expression.

    Subexpressions are written each time that they are used, except sines, cosines and expressions of parameters,
    which count as 0.

    Args:
        lits: signed node references of the expressions.
    """
    counts: dict[int, int] = {}
    for i in graph.reachable(list(lits)):
        apart = graph.op[i] in (ops.SIN, ops.COS) or graph.cls[i] != ops.VARIABLE
        counts[i] = (
            0 if apart or graph.op[i] < ops.ADD else 1 + sum(counts[lit >> 1] for lit in graph.args[i])
        )
    return counts


def long_entry(program: Program, most: int) -> tuple[int, str] | None:
    """Return the operations and the name, such as "A[1,1]", of the first output entry that is too long.

    Each entry is one expression, in which only sines and cosines are shared. Only the nodes of the entries up to this
    one are visited, because large programs have millions.

    Args:
        most: number of operations that an entry may have.

    Returns:
        None if no entry is too long.
    """
    graph = program.graph
    counts: dict[int, int] = {}
    for out in program.outputs:
        for index, lit in zip(product(*(range(1, n + 1) for n in out.shape)), out.lits, strict=True):
            operations = _operations(graph, lit >> 1, counts)
            if operations > most:
                return operations, f"{out.name}[{','.join(map(str, index))}]" if index else out.name
    return None


def _operations(graph: Graph, root: int, counts: dict[int, int]) -> int:
    """Return the number of operations of node `root` as one expression, and add those of its operands to `counts`."""
    op, cls, args = graph.op, graph.cls, graph.args
    pending = [root]
    while pending:
        i = pending[-1]
        if i in counts:
            pending.pop()
        elif op[i] < ops.ADD or cls[i] == ops.CONSTANT or op[i] in (ops.SIN, ops.COS):
            counts[i] = 0
        else:
            missing = [lit >> 1 for lit in args[i] if lit >> 1 not in counts]
            if missing:
                pending += missing
            else:
                counts[i] = 1 + sum([counts[lit >> 1] for lit in args[i]])
    return counts[root]
