"""Random expressions, computed with plain floats and with the graph.

A recipe is a list of steps; each takes operands from a growing pool. The floats have a bound of their rounding error.
A step that would magnify the error, or is close to a discontinuity, is omitted in both computations, so that the
others must agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from symoro.expr import kernels, ops
from symoro.expr.graph import Graph

EPS = 2.3e-16
PARAMETERS = ("a", "b")
VARIABLES = ("x", "y")
NUMBERS = (0, 1, 2, -1, 3, Fraction(1, 2), Fraction(-2, 3), 0.5, 0.7, -1.25)
ANGLES = (Fraction(1, 2), Fraction(1, 6), Fraction(-3, 4), Fraction(5, 12), Fraction(2))  # times pi

SUMS = (ops.ADD, ops.SUB)
ARITHMETIC = (ops.ADD, ops.SUB, ops.MUL, ops.DIV)
SMOOTH = (*ARITHMETIC, ops.SQRT, ops.SIN, ops.COS, ops.TAN, ops.ASIN, ops.ACOS, ops.ATAN2, ops.EXP)
ALL = (*SMOOTH, ops.ABS, ops.SIGN, ops.MIN, ops.MAX, *ops.COMPARISONS, ops.SELECT)
SOLVE = -1  # a step that solves a linear system of two equations

Step = tuple[int, int, int, int]
Recipe = list[Step]


def recipes(
    operations: tuple[int, ...] = ALL, min_size: int = 1, max_size: int = 25
) -> st.SearchStrategy[Recipe]:
    """Return steps (operation, operands counted from the end of the pool); sums and products are frequent."""
    chosen = st.sampled_from([*operations, *(op for op in (*ARITHMETIC, *SUMS) if op in operations)])
    near = st.integers(0, 30)
    return st.lists(st.tuples(chosen, near, near, near), min_size=min_size, max_size=max_size)


class Skip(Exception):
    """The step is not defined, badly conditioned, or close to a discontinuity."""


@dataclass(frozen=True)
class Num:
    """Float with a bound of its error; zero error means that it is exact."""

    v: float
    e: float = 0.0

    def __neg__(self) -> Num:
        return Num(-self.v, self.e)


def made(v: float, e: float) -> Num:
    if not math.isfinite(v) or abs(v) > 1e5 or e > 1e-12 * max(1.0, abs(v)):
        raise Skip
    return Num(v, e + EPS * abs(v))


def _split(x: Num, y: Num, same: bool) -> float:
    """Return x - y if rounding cannot change its sign."""
    if same or (x.e == y.e == 0 and x.v == y.v):
        return 0.0
    if abs(x.v - y.v) < 1e-9:
        raise Skip
    return x.v - y.v


def _inside(x: Num, low: float, high: float) -> None:
    if not low <= x.v <= high:
        raise Skip


def numeric(op: int, x: Num, y: Num, z: Num, *, same: bool) -> Num:
    """Return the result of an operation with floats; `same` means that x and y are the same operand."""
    a, b = x.v, y.v
    if op == ops.ADD:
        return made(a + b, x.e + y.e)
    if op == ops.SUB:
        return made(a - b, x.e + y.e)
    if op == ops.MUL:
        return made(a * b, abs(a) * y.e + abs(b) * x.e)
    if op == ops.DIV:
        if abs(b) < 1e-3:
            raise Skip
        return made(a / b, (x.e + abs(a / b) * y.e) / abs(b))
    if op == ops.SQRT:
        _inside(x, 1e-3, math.inf)
        return made(math.sqrt(a), x.e / math.sqrt(a))
    if op == ops.SIN:
        return made(math.sin(a), x.e + EPS * (1 + abs(a)))
    if op == ops.COS:
        return made(math.cos(a), x.e + EPS * (1 + abs(a)))
    if op == ops.TAN:
        _inside(Num(math.tan(a)), -10, 10)
        return made(math.tan(a), 101 * (x.e + EPS * (1 + abs(a))))
    if op in (ops.ASIN, ops.ACOS):
        _inside(x, -0.99, 0.99)
        return made((math.asin if op == ops.ASIN else math.acos)(a), 10 * (x.e + EPS))
    if op == ops.ATAN2:
        if a * a + b * b < 1e-3 or (b < 0 and abs(a) < 1e-9 and x.e > 0):
            raise Skip
        return made(math.atan2(a, b), 1e3 * (x.e + y.e) + EPS)
    if op == ops.EXP:
        _inside(x, -10, 3)
        return made(math.exp(a), math.exp(a) * x.e)
    if op == ops.ABS:
        return Num(abs(a), x.e)
    if op == ops.SIGN:
        d = _split(x, Num(0.0), same=False)
        return Num(float((d > 0) - (d < 0)))
    d = _split(x, y, same)
    if op == ops.MIN:
        return x if d <= 0 else y
    if op == ops.MAX:
        return x if d >= 0 else y
    if op == ops.LESS:
        return Num(float(d < 0))
    if op == ops.LESS_EQUAL:
        return Num(float(d <= 0))
    if op == ops.EQUAL:
        return Num(float(d == 0))
    return y if _split(x, Num(0.0), same=False) else z


def solved(x: Num, y: Num) -> tuple[Num, Num]:
    """Return x1, x2 of [[5, x], [y, 4]] (x1, x2) = (1, y)."""
    if abs(x.v) > 2 or abs(y.v) > 2:
        raise Skip
    matrix = np.array([[5, x.v], [y.v, 4]])
    result = np.linalg.solve(matrix, [1, y.v])
    error = 10 * (x.e + y.e + EPS)
    return made(float(result[0]), error), made(float(result[1]), error)


@dataclass
class Pool:
    """Pairs (literal, float) of one graph."""

    graph: Graph
    values: dict[str, float]
    lits: list[int] = field(default_factory=list)
    nums: list[Num] = field(default_factory=list)

    def put(self, lit: int, num: Num) -> None:
        self.lits.append(lit)
        self.nums.append(num)

    def run(self, recipe: Recipe) -> Pool:
        for op, *places in recipe:
            at = [-1 - k % len(self.lits) for k in places]
            x, y, z = (self.nums[k] for k in at)
            p, q, r = (self.lits[k] for k in at)
            try:
                if op == SOLVE:
                    pair = solved(x, y)
                    for lit, num in zip(solve_call(self.graph, p, q), pair, strict=True):
                        self.put(lit, num)
                    continue
                num = numeric(op, x, y, z, same=p == q)
            except Skip:
                continue
            self.put(self.graph.apply(op, [p, q, r][: ops.TABLE[op].arity]), num)
        return self


def solve_call(graph: Graph, p: int, q: int) -> list[int]:
    matrix = [graph.number(5), p, q, graph.number(4)]
    return kernels.call(graph, "solve", [matrix, [graph.number(1), q]])


def symbol_values(seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    names = (*PARAMETERS, *VARIABLES)
    return dict(zip(names, (rng.uniform(0.2, 1.8, 4) * rng.choice([-1, 1], 4)).tolist(), strict=True))


def pool(seed: int, graph: Graph | None = None) -> Pool:
    """Return a pool of symbols of both classes, small numbers of each kind, angles and a root."""
    graph = graph or Graph()
    result = Pool(graph, symbol_values(seed))
    for n in NUMBERS:
        result.put(graph.number(n), Num(float(n), 0.0 if float(n) == n else EPS))
    for turn in ANGLES:
        result.put(graph.mul(graph.number(turn), graph.pi()), Num(float(turn) * math.pi, 4 * EPS))
    result.put(graph.sqrt(graph.number(2)), Num(math.sqrt(2), EPS))
    for name in (*PARAMETERS, *VARIABLES):
        cls = ops.PARAMETER if name in PARAMETERS else ops.VARIABLE
        result.put(graph.symbol(name, cls), Num(result.values[name]))
    return result


def close(got: float, expected: Num, relative: float = 1e-10) -> bool:
    return abs(got - expected.v) <= relative * abs(expected.v) + 1e3 * expected.e + 1e-14


def check_graph(graph: Graph) -> None:
    """Check the invariants of a graph: unique nodes, order, signs and classes."""
    seen = set()
    for i, (op, args, cls) in enumerate(zip(graph.op, graph.args, graph.cls, strict=True)):
        key = (op, tuple((type(a), a) for a in args))
        assert key not in seen, f"node {i} exists twice"
        seen.add(key)
        children = graph.children(i)
        assert all(lit >> 1 < i for lit in children), f"node {i} reads a later node"
        assert 1 not in children, f"node {i} reads minus zero"
        if op >= ops.ADD:
            assert cls == max(graph.cls[lit >> 1] for lit in children), f"class of node {i}"
            assert len(args) == ops.TABLE[op].arity
        if op in ARITHMETIC:
            assert not any(lit & 1 for lit in args), f"node {i} has a sign inside"
            assert args[-1] != 0
        if op in SUMS:
            assert 0 < args[0] < args[1], f"order of the terms of node {i}"
        if op == ops.MUL:
            a, b = args[0] >> 1, args[1] >> 1
            assert graph.cls[a] <= graph.cls[b] and a > 1 and b > 1
            assert graph.op[b] != ops.NUMBER
        if op == ops.NUMBER:
            value, decimal = args
            assert value >= 0 and type(value) in (int, Fraction, float)
            assert decimal == (type(value) is float)
