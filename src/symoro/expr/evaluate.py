"""Numerical evaluation of expressions in one pass over the nodes, with floats or NumPy arrays.

The arithmetic is that of the emitted code. A division by zero or the square root of a negative number gives inf or nan,
which `select` can discard. Only a constant without a finite value is an error, because then the program is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.graph import Graph
from symoro.expr.kernels import KERNELS

# Operation -> function of floats, name of NumPy's function.
_RULES: dict[int, tuple[Callable[..., Any], str]] = {
    ops.ADD: (lambda a, b: a + b, "add"),
    ops.SUB: (lambda a, b: a - b, "subtract"),
    ops.MUL: (lambda a, b: a * b, "multiply"),
    ops.DIV: (lambda a, b: a / b, "divide"),
    ops.SQRT: (math.sqrt, "sqrt"),
    ops.SIN: (math.sin, "sin"),
    ops.COS: (math.cos, "cos"),
    ops.TAN: (math.tan, "tan"),
    ops.ASIN: (math.asin, "arcsin"),
    ops.ACOS: (math.acos, "arccos"),
    ops.ATAN2: (math.atan2, "arctan2"),
    ops.EXP: (math.exp, "exp"),
    ops.ABS: (abs, "abs"),
    ops.SIGN: (lambda a: a if a != a else float((a > 0) - (a < 0)), "sign"),  # nan is returned as nan
    ops.MIN: (min, "minimum"),
    ops.MAX: (max, "maximum"),
    ops.LESS: (lambda a, b: float(a < b), "less"),
    ops.LESS_EQUAL: (lambda a, b: float(a <= b), "less_equal"),
    ops.EQUAL: (lambda a, b: float(a == b), "equal"),
    ops.SELECT: (lambda c, a, b: a if c else b, "where"),
}


def evaluate(
    graph: Graph,
    roots: Sequence[int],
    values: Mapping[str, Any],
    variables: Mapping[str, Any] | None = None,
    results: dict[int, Any] | None = None,
) -> list[Any]:
    """Return the numerical values of expressions.

    Args:
        roots: signed node references of the expressions (see `graph`).
        values: symbol -> number, or array with one entry per sample.
        variables: the same for symbols of class VARIABLE, if a parameter may have the same name.
        results: node -> value, a cache that is read and extended; share it between calls with the same `values`.

    Raises:
        ProgramError: a symbol has no value, or a constant cannot be computed.
    """
    results = {} if results is None else results
    called: dict[int, Sequence[Any]] = {}
    known = {ops.PARAMETER: values, ops.VARIABLE: values if variables is None else variables}

    def get(lit: int) -> Any:
        value = results[lit >> 1]
        return -value if lit & 1 else value

    for i in missing(graph, roots, results):
        op, args = graph.op[i], graph.args[i]
        if op >= ops.ADD:
            results[i] = _apply(op, [get(lit) for lit in args], graph.cls[i])
        elif op in (ops.NUMBER, ops.TOLERANCE):
            results[i] = float(args[0])
        elif op == ops.PI:
            results[i] = math.pi
        elif op == ops.SYMBOL:
            name, cls = args
            if name not in known[cls]:
                raise ProgramError(f"no value given for '{name}'")
            results[i] = _number(known[cls][name])
        else:
            index = args[0]
            if index not in called:
                call = graph.calls[index]
                called[index] = KERNELS[call.kernel].evaluate([[get(x) for x in a] for a in call.inputs])
            results[i] = called[index][args[1]]
    return [get(lit) for lit in roots]


def missing(graph: Graph, roots: Sequence[int], results: Mapping[int, Any]) -> list[int]:
    """Return the nodes required for `roots` that have no value in `results`, in evaluation order."""
    if not results:
        return list(graph.reachable(roots))
    pending: set[int] = set()
    waiting = [lit >> 1 for lit in roots]
    while waiting:
        i = waiting.pop()
        if i not in results and i not in pending:
            pending.add(i)
            waiting += [lit >> 1 for lit in graph.children(i)]
    return sorted(pending)


def _number(value: Any) -> Any:
    """Return a value as a float, or as an array of floats."""
    if isinstance(value, (int, float)):
        return float(value)
    import numpy

    array = numpy.asarray(value, dtype=float)
    return array if array.ndim else float(array)


def _apply(op: int, arguments: list[Any], cls: int) -> Any:
    scalar, array = _RULES[op]
    if all(isinstance(a, float) for a in arguments):
        try:
            return scalar(*arguments)
        except (ZeroDivisionError, ValueError, OverflowError):
            if cls == ops.CONSTANT:
                shown = ", ".join(f"{a:g}" for a in arguments)
                raise ProgramError(f"{ops.TABLE[op].name} cannot be computed at ({shown})") from None
    import numpy

    with numpy.errstate(all="ignore"):
        result = getattr(numpy, array)(*arguments)
    if result.dtype == bool:
        result = result * 1.0
    return result if result.ndim else float(result)
