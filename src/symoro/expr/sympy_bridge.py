"""Conversion from and to SymPy, which is imported only when needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from symoro.errors import MissingDependencyError, ProgramError
from symoro.expr import ops
from symoro.expr.graph import ONE, ZERO, Graph
from symoro.expr.parser import Resolve
from symoro.expr.scalar import Expr


def _sympy() -> Any:
    try:
        import sympy
    except ImportError:
        raise MissingDependencyError(
            "SymPy is not installed", hint="install it with: pip install sympy"
        ) from None
    return sympy


# -- to SymPy


def to_sympy(graph: Graph, roots: Sequence[int]) -> list[Any]:
    """Return expressions as SymPy expressions; the symbols have the same names and are real.

    A parameter with the same name as a variable gets the suffix _2.

    Args:
        roots: signed node references of the expressions.
    """
    sp = _sympy()
    rules = _rules(sp)
    converted: dict[int, Any] = {}
    nodes = graph.reachable(roots)
    symbols = [graph.args[i] for i in nodes if graph.op[i] == ops.SYMBOL]
    variables = {name for name, cls in symbols if cls == ops.VARIABLE}

    def of(lit: int) -> Any:
        return -converted[lit >> 1] if lit & 1 else converted[lit >> 1]

    for i in nodes:
        op, args = graph.op[i], graph.args[i]
        if op == ops.SELECT:
            condition, x, y = args
            test = _condition(sp, graph, condition >> 1, of)
            converted[i] = sp.Piecewise((of(x), test), (of(y), True))
        elif op in ops.COMPARISONS:
            converted[i] = sp.Piecewise((1, _condition(sp, graph, i, of)), (0, True))
        elif op >= ops.ADD:
            converted[i] = rules[op](*(of(lit) for lit in args))
        elif op in (ops.NUMBER, ops.TOLERANCE):
            value = args[0]
            converted[i] = sp.Float(value) if isinstance(value, float) else sp.Rational(value)
        elif op == ops.PI:
            converted[i] = sp.pi
        elif op == ops.SYMBOL:
            name, cls = args
            ambiguous = cls == ops.PARAMETER and name in variables
            converted[i] = sp.Symbol(f"{name}_2" if ambiguous else name, real=True)
        else:
            raise ProgramError("a kernel call has no SymPy expression", hint="evaluate it with function()")
    return [of(lit) for lit in roots]


def _rules(sp: Any) -> dict[int, Callable[..., Any]]:
    return {
        ops.ADD: lambda a, b: a + b,
        ops.SUB: lambda a, b: a - b,
        ops.MUL: lambda a, b: a * b,
        ops.DIV: lambda a, b: a / b,
        ops.SQRT: sp.sqrt,
        ops.SIN: sp.sin,
        ops.COS: sp.cos,
        ops.TAN: sp.tan,
        ops.ASIN: sp.asin,
        ops.ACOS: sp.acos,
        ops.ATAN2: sp.atan2,
        ops.EXP: sp.exp,
        ops.ABS: sp.Abs,
        ops.SIGN: sp.sign,
        ops.MIN: sp.Min,
        ops.MAX: sp.Max,
    }


def _condition(sp: Any, graph: Graph, i: int, of: Callable[[int], Any]) -> Any:
    """Return the SymPy condition that node i is not zero; `of` converts a reference to SymPy."""
    relations = {ops.LESS: sp.Lt, ops.LESS_EQUAL: sp.Le, ops.EQUAL: sp.Eq}
    if graph.op[i] in relations:
        x, y = graph.args[i]
        return relations[graph.op[i]](of(x), of(y))
    return sp.Ne(of(i << 1), 0)


# -- from SymPy


def from_sympy(graph: Graph, expression: Any, resolve: Resolve | None = None) -> Expr:
    """Convert a SymPy expression to an expression of the graph.

    Args:
        resolve: returns the signed node reference of a name; by default each name is a parameter.

    Raises:
        ProgramError: `expression` is not a SymPy expression, or contains an unsupported function or power.
    """
    sp = _sympy()
    if resolve is None:

        def resolve(name: str) -> int:
            return graph.symbol(name, ops.PARAMETER)

    root = sp.Integer(expression) if type(expression) is int else expression
    if not isinstance(root, sp.Basic):  # in particular no text, because SymPy would execute it
        raise ProgramError(f"expected one SymPy expression, got {type(expression).__name__}")
    converted: dict[Any, int] = {}
    for node in sp.postorder_traversal(root):
        # the pairs are read together with their Piecewise
        if node not in converted and type(node).__name__ != "ExprCondPair":
            converted[node] = _read(sp, graph, node, converted, resolve)
    return Expr(graph, converted[root])


def _read(sp: Any, graph: Graph, node: Any, converted: dict[Any, int], resolve: Resolve) -> int:
    if node.is_Rational:
        return graph.number(Fraction(int(node.p), int(node.q)))
    if node.is_Float:
        return graph.number(float(node))
    if node is sp.pi:
        return graph.pi()
    if node.is_Symbol:
        return resolve(node.name)
    if node in (sp.true, sp.false):
        return ONE if node is sp.true else ZERO
    if isinstance(node, sp.Piecewise):
        return _read_piecewise(sp, graph, node, converted)
    children = [converted[arg] for arg in node.args]
    if node.is_Pow:
        if not node.exp.is_Rational:
            raise ProgramError(f"the SymPy power {node} is not supported: the exponent must be a fraction")
        return graph.power(children[0], Fraction(int(node.exp.p), int(node.exp.q)))
    return _read_function(graph, type(node).__name__, children)


def _read_piecewise(sp: Any, graph: Graph, node: Any, converted: dict[Any, int]) -> int:
    *pairs, (otherwise, condition) = node.args
    if condition != sp.true:
        raise ProgramError(f"the SymPy expression {node} is not supported: its last condition must be True")
    result = converted[otherwise]
    for value, test in reversed(pairs):
        result = graph.select(converted[test], converted[value], result)
    return result


# Names of SymPy's classes -> operation, applied from left to right if there are several arguments.
_FOLDED = {
    "Add": ops.ADD,
    "Mul": ops.MUL,
    "Min": ops.MIN,
    "Max": ops.MAX,
    "And": ops.MIN,
    "Or": ops.MAX,
}
_RELATIONS = {"StrictLessThan": ops.LESS, "LessThan": ops.LESS_EQUAL, "Equality": ops.EQUAL}
_REVERSED = {"StrictGreaterThan": ops.LESS, "GreaterThan": ops.LESS_EQUAL}
_FUNCTIONS = {"Abs": ops.ABS} | {
    name: op for name, op in ops.FUNCTIONS.items() if op <= ops.SIGN or op == ops.EXP
}


def _read_function(graph: Graph, name: str, children: Sequence[int]) -> int:
    if name in _FOLDED:
        return reduce(lambda x, y: graph.binary(_FOLDED[name], x, y), children)
    if name in _RELATIONS:
        return graph.binary(_RELATIONS[name], *children)
    if name in _REVERSED:
        return graph.binary(_REVERSED[name], *reversed(children))
    if name == "Unequality":
        return graph.select(graph.binary(ops.EQUAL, *children), ZERO, ONE)
    if name == "Not":
        return graph.select(children[0], ZERO, ONE)
    if name == "ITE":
        return graph.select(*children)
    if name == "atan":
        return graph.binary(ops.ATAN2, children[0], ONE)
    if name not in _FUNCTIONS:
        raise ProgramError(f"the SymPy function '{name}' is not supported")
    return graph.apply(_FUNCTIONS[name], children)
