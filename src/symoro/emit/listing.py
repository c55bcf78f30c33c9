"""Program as an ordered list of statements, independent of the language.

A statement assigns one node to a variable. These nodes have a variable: named ones, those used more than once, sines
and cosines, and those that would make a statement too long to read. All others are written inside the expression that
uses them. Statements have the ascending order of nodes, which a scheduling pass determined.

An expanded program shares only sines, cosines and named nodes: each output entry is one expression.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.program.count import LONGEST_EXPANDED, is_shared_when_expanded
from symoro.program.program import Program

LONGEST = 12  # maximum number of operations in one statement
DEEPEST = 200  # maximum nesting of an expression: compilers and interpreters parse recursively


@dataclass(frozen=True)
class Listing:
    """Statements of a program, independent of the language. A node has a variable if a statement assigns it.

    Attributes:
        setup: nodes with a variable that are computed once from the parameters (setup part), in order.
        constants: nodes that the setup part passes to the call part, in order, including parameters that are passed
            unchanged.
        call: nodes with a variable that are computed at every call (call part), in order; the first result of a kernel
            call represents the call.
        own: 1 for each node with a variable.
        votes: node -> number of uses with a plus sign minus those with a minus sign, where the sign would be written.
    """

    program: Program
    setup: list[int]
    constants: tuple[int, ...]
    call: list[int]
    own: bytearray
    votes: dict[int, int]


def lower(
    program: Program,
    *,
    split: bool = True,
    longest_expanded: int = LONGEST_EXPANDED,
    kept: Iterable[int] = (),
) -> Listing:
    """Determine which nodes of a program are assigned to variables, and return the statements.

    Args:
        split: separate operations on parameters as `setup`; otherwise they are part of the call.
        longest_expanded: maximum number of operations in one statement, if each output is written as one expression.
        kept: additional nodes that must have a variable.
    """
    constants = program.constants if split else ()
    own = bytearray(len(program.graph))
    required = {*constants, *program.names, *kept}
    if program.expanded:
        _choose_expanded(program, own, required, longest_expanded)
    else:
        _choose(program, own, required)
    setup: list[int] = []
    call: list[int] = []
    graph, called = program.graph, set()
    for i in program.nodes:
        if own[i]:
            (setup if split and graph.cls[i] == ops.PARAMETER else call).append(i)
        elif graph.op[i] == ops.KERNEL and graph.args[i][0] not in called:
            called.add(graph.args[i][0])
            call.append(i)
    return Listing(program, setup, constants, call, own, _votes(program))


def _choose(program: Program, own: bytearray, kept: set[int]) -> None:
    """Mark in `own` the nodes that are assigned to a variable.

    These are the nodes `kept`, shared nodes, sines and cosines, and nodes at which a statement becomes too long.
    """
    graph = program.graph
    op, cls, args = graph.op, graph.cls, graph.args
    uses = _uses(program)
    size = [0] * len(graph)  # number of operations inside the expression of a node
    for i in program.nodes:
        o = op[i]
        if o < ops.ADD or cls[i] == ops.CONSTANT:
            continue
        total = 1
        for lit in args[i]:
            total += size[lit >> 1]
        while total > LONGEST:
            largest = max((lit >> 1 for lit in args[i]), key=size.__getitem__)
            own[largest] = 1
            size[largest] = 0
            total = 1 + sum(size[lit >> 1] for lit in args[i])
        if uses[i] > 1 or o == ops.SIN or o == ops.COS or i in kept:
            own[i] = 1
        else:
            size[i] = total


def _choose_expanded(program: Program, own: bytearray, kept: set[int], longest: int) -> None:
    """Mark in `own` the nodes assigned to a variable if each output is written as one expression.

    These are the nodes `kept`, sines and cosines, and nodes at which an expression has more than `longest` operations
    or is nested too deeply.
    """
    graph = program.graph
    size = [0] * len(graph)
    depth = [0] * len(graph)
    whole = [0] * len(
        graph
    )  # operations of a node without additional variables, to reject unreadable expressions
    for i in program.nodes:
        if graph.op[i] < ops.ADD or graph.cls[i] == ops.CONSTANT:
            continue
        children = [lit >> 1 for lit in graph.args[i]]
        whole[i] = _checked(program, 1 + sum(whole[c] for c in children))
        while 1 + sum(size[c] for c in children) > longest or 1 + max(depth[c] for c in children) > DEEPEST:
            largest = max(children, key=lambda c: (depth[c] >= DEEPEST, size[c]))
            own[largest] = 1
            size[largest] = depth[largest] = 0
        if is_shared_when_expanded(program, i) or i in kept:
            own[i] = 1
            whole[i] = 0
        else:
            size[i] = 1 + sum(size[c] for c in children)
            depth[i] = 1 + max(depth[c] for c in children)


def _checked(program: Program, operations: int) -> int:
    if operations > LONGEST_EXPANDED:
        raise ProgramError(
            f"an entry of {program.name} would be one expression of more than {LONGEST_EXPANDED} operations",
            hint="generate a model with intermediate variables: without the option 'expanded', or fast-geometry "
            "instead of transform",
        )
    return operations


def _uses(program: Program) -> list[int]:
    """Return how often each node is used."""
    graph = program.graph
    op, args = graph.op, graph.args
    uses = [0] * len(graph)
    called = set()
    for i in program.nodes:
        if op[i] >= ops.ADD:
            for lit in args[i]:
                uses[lit >> 1] += 1
        elif op[i] == ops.KERNEL and args[i][0] not in called:
            called.add(args[i][0])
            for lit in graph.children(i):
                uses[lit >> 1] += 1
    for lit in program.roots:
        uses[lit >> 1] += 1
    return uses


def _votes(program: Program) -> dict[int, int]:
    """Return, for each node, the number of its uses with a plus sign less those with a minus sign.

    Only uses are counted where a minus sign would have to be written: in outputs, arguments of functions and kernel
    calls. In a product the minus sign can be moved to a factor that is a difference or a product.
    """
    graph = program.graph
    op, args = graph.op, graph.args
    votes: dict[int, int] = {}
    literals = program.roots
    called = set()
    for i in program.nodes:
        if op[i] >= ops.SQRT:
            literals += args[i]
        elif op[i] == ops.KERNEL and args[i][0] not in called:
            called.add(args[i][0])
            literals += graph.children(i)
    for lit in literals:
        votes[lit >> 1] = votes.get(lit >> 1, 0) + (-1 if lit & 1 else 1)
    for i in reversed(program.nodes):
        if (op[i] == ops.MUL or op[i] == ops.DIV) and votes.get(i):
            for lit in args[i]:
                if op[lit >> 1] in (ops.SUB, ops.MUL):
                    votes[lit >> 1] = votes.get(lit >> 1, 0) + votes[i]
                    break
    return votes
