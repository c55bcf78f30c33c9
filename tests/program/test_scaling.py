"""Test the growth with size: no recursion, and linear work."""

from __future__ import annotations

import sys

import pytest

from symoro.expr import scalar as sc
from symoro.program import Builder, Program, count, optimise
from symoro.program.interpret import interpret
from symoro.program.passes.linear import multiply_out
from symoro.program.passes.rebuild import compact
from symoro.program.passes.schedule import depth_first, peak_live, schedule
from symoro.program.passes.sums import share_sums
from tests.effort import growth
from tests.program.programs import chain, chain_of_sines

DEEP = 100_000


@pytest.fixture(scope="module")
def deep() -> Program:
    return chain_of_sines(DEEP)


def test_deep_chains_need_no_recursion(deep):
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        made = optimise(deep)
        result = interpret(made, {"x": 0.3}, {"p": 0.1})
        assert count(made).total == count(deep).total == DEEP
        for step in (compact, share_sums, multiply_out, schedule):
            step(deep)
        peak_live(deep, depth_first(deep))
    finally:
        sys.setrecursionlimit(limit)
    assert 0 < result["y"] < 1


def alternating(terms: int) -> Program:
    """Return a sum that is as deep as it is long, with products that have common factors."""
    b = Builder("sum")
    x = b.input("x", (terms,))
    total: sc.Scalar = 0
    for k in range(terms - 1):
        total = total + x[k] * x[k + 1] - x[k]
    b.output("y", total)
    return b.program()


def many_sums(n: int) -> Program:
    """Return sums that have pairs of terms in common with their neighbours."""
    b = Builder("sums")
    x = b.input("x", (n + 4,))
    b.output("y", [x[k] + x[k + 1] - x[k + 2] + x[k + 3] for k in range(n)])
    return b.program()


def parameters(n: int) -> Program:
    """Return long linear forms with coefficients."""
    b = Builder("linear")
    x = b.input("x", (n + 1,))
    total: sc.Scalar = 0
    for k in range(n):
        p = b.parameter(f"p{k}")
        total = total + p * (x[k] + x[k + 1])
    b.output("y", total)
    return b.program()


def systems(n: int) -> Program:
    """Return kernel calls, each with results of the previous one as inputs."""
    b = Builder("systems")
    x, y = b.input("x", (2,))
    for _ in range(n):
        x, y = b.call("solve", [3, x, y, 4], [x, 1])
    b.output("y", [x, y])
    return b.program()


@pytest.mark.parametrize("make", [alternating, parameters])
def test_long_sums_need_no_recursion(make):
    limit = sys.getrecursionlimit()
    program = make(10_000)
    sys.setrecursionlimit(200)
    try:
        assert count(optimise(program)).total <= count(program).total
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize(
    ("make", "small"),
    [
        (chain, 60),
        (chain_of_sines, 2000),
        (alternating, 500),
        (many_sums, 350),
        (parameters, 500),
        (systems, 200),
    ],
)
def test_work_is_linear(make, small):
    """Check that four times the operations need about four times the calls; sixteen times would be quadratic."""
    programs = [make(small), make(4 * small)]
    operations = [count(p).total for p in programs]
    times = operations[1] / operations[0]
    assert growth(make, small, 4 * small) < 1.1 * times
    assert growth(lambda p: count(optimise(p)), *programs) < 1.1 * times


def test_the_graph_has_no_more_nodes_than_operations_ask_for():
    """Check that building and optimising create no data that grow faster than the program."""
    sizes = [(len(optimise(chain(n)).graph), count(chain(n)).total) for n in (50, 200)]
    assert all(nodes < 1.3 * operations for nodes, operations in sizes)
