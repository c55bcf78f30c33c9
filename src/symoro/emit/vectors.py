"""Computation of several sines, cosines or arctangents together by vector operations.

Trigonometry is the larger part of a model's computing time. An angle is called *early* if it is computed from inputs
and parameters by sums and products only. Early angles are computed at the beginning of the call part, followed by their
sines and cosines, four per vector operation. A `Turn` is an early angle with its sine and cosine; an `Arc` is an
arctangent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from symoro.expr import ops
from symoro.program.passes.rebuild import Rebuild
from symoro.program.program import Program

FEWEST_ANGLES = 2  # from this number of early angles on, vectors are faster than the library


@dataclass
class Turn:
    """Angle whose sine and cosine are computed before the other statements.

    Attributes:
        argument: text of the angle.
        names: operation SIN or COS -> variable; an operation that is not used is missing.
        steps: positions of these statements among those computed at every call.
    """

    argument: str
    names: dict[int, str]
    steps: list[int]


def early_nodes(program: Program) -> tuple[list[int], list[int]]:
    """Return the nodes of angles that can be computed first, and of their sines and cosines.

    These angles depend on inputs and parameters by sums and products only. The first list contains all nodes that are
    needed for the angles; both lists are in evaluation order.
    """
    graph = program.graph
    plain = bytearray(len(graph))
    for i in program.nodes:
        op = graph.op[i]
        if graph.cls[i] != ops.VARIABLE or op == ops.SYMBOL:
            plain[i] = 1
        elif op in (ops.ADD, ops.SUB, ops.MUL):
            plain[i] = all(plain[lit >> 1] for lit in graph.args[i])
    turns = [
        i
        for i in program.nodes
        if graph.op[i] in (ops.SIN, ops.COS) and graph.cls[i] == ops.VARIABLE and plain[graph.args[i][0] >> 1]
    ]
    return graph.reachable([graph.args[i][0] for i in turns]), turns


def turns_first(program: Program, fewest: int) -> Program:
    """Return the program with early sines and cosines moved before all other statements that vary.

    They are those whose angles depend on inputs and parameters by sums and products only.

    Operations on parameters keep their order, and so do the constants. With less than `fewest` angles the program is
    not changed.
    """
    graph = program.graph
    inside, turns = early_nodes(program)
    arguments = {graph.args[i][0] for i in turns}
    if len(arguments) < fewest:
        return program
    rebuild = Rebuild(program)
    once = [i for i in program.nodes if graph.cls[i] != ops.VARIABLE]
    first = dict.fromkeys([*once, *inside, *turns])
    rebuild.move_all([*first, *(i for i in program.nodes if i not in first)])
    return _named_as_they_are(rebuild.finish(), [rebuild.map[i] >> 1 for i in turns])


def _named_as_they_are(program: Program, turns: list[int]) -> Program:
    """Rename variables that equal minus a sine or cosine: C2 = -sin(q2) becomes mC2 = sin(q2).

    Args:
        turns: nodes of the sines and cosines.
    """
    names = dict(program.names)
    for i in turns:
        name, sign = names.get(i, ("", 0))
        if sign:
            names[i] = (f"m{name}", 0)
    return replace(program, names=names)


# -- arctangents in vectors of four: the points first, then their angles
#
# An inverse geometric model ends in dozens of atan2(y, x). They form layers: those of layer n depend on a chain of n
# others. Usually there is one layer, since angles are results and only sums are computed from them.

FEWEST_ARCS = 2  # from this number of arctangents in a layer on, vectors are faster


@dataclass(frozen=True)
class Arc:
    """Arctangent atan2(y, x) that is computed together with others.

    Attributes:
        y, x: texts of the arguments.
        name: variable of the result.
        minus: "-" if the variable is minus the arctangent, otherwise "".
        step: position of its statement among those computed at every call.
    """

    y: str
    x: str
    name: str
    minus: str
    step: int


def _layers(program: Program) -> list[int]:
    """Return, for each node, the largest number of arctangents in a dependency chain before it."""
    graph = program.graph
    layer = [0] * len(graph)
    for i in program.nodes:
        if graph.cls[i] == ops.VARIABLE:
            for lit in graph.children(i):
                child = lit >> 1
                layer[i] = max(layer[i], layer[child] + _is_arc(program, child))
    return layer


def _is_arc(program: Program, i: int) -> bool:
    return program.graph.op[i] == ops.ATAN2 and program.graph.cls[i] == ops.VARIABLE


def arc_layers(program: Program) -> list[list[int]]:
    """Return groups of nodes of arctangents that do not depend on each other; small groups are left out."""
    arcs = [i for i in program.nodes if _is_arc(program, i)]
    if program.expanded or len(arcs) < FEWEST_ARCS:
        return []
    layer = _layers(program)
    layers: dict[int, list[int]] = {}
    for i in arcs:
        layers.setdefault(layer[i], []).append(i)
    return [layers[at] for at in sorted(layers) if len(layers[at]) >= FEWEST_ARCS]


def arcs_together(program: Program) -> Program:
    """Return the program with independent arctangents next to each other, before all nodes that depend on them."""
    if not arc_layers(program):
        return program
    layer = _layers(program)
    rebuild = Rebuild(program)
    rebuild.move_all(sorted(program.nodes, key=lambda i: (layer[i], _is_arc(program, i))))
    return rebuild.finish()
