"""Programs for tests: random ones with all operations, and long ones of a given size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from symoro.expr.linalg import homogeneous, identity, matmul
from symoro.expr.scalar import Expr, cos, sin
from symoro.program import Builder, Program
from symoro.program.interpret import interpret
from tests.expr.expressions import ALL, PARAMETERS, SOLVE, VARIABLES, Num, Pool, Recipe, pool, recipes


@dataclass(frozen=True)
class Case:
    """Program with numbers, and its outputs as plain floats with a bound of their error."""

    program: Program
    values: dict[str, float]
    expected: list[Num]

    def run(self, program: Program) -> np.ndarray:
        """Return the outputs of another program with the same inputs."""
        inputs = {"v": [self.values[name] for name in VARIABLES]}
        result = interpret(program, inputs, {name: self.values[name] for name in PARAMETERS})
        return np.concatenate([np.ravel(result[port.name]) for port in program.outputs])


def build(recipe: Recipe, seed: int, *, expanded: bool = False) -> Case:
    """Return a program with inputs x, y, parameters a, b, every third step named, the last steps as two outputs."""
    b = Builder("random")
    b.input("v", (len(VARIABLES),), VARIABLES)
    for name in PARAMETERS:
        b.parameter(name)
    result: Pool = pool(seed, b.graph).run(recipe)
    for k, lit in enumerate(result.lits):
        if k % 3 == 0:
            b.named(f"V{k}", Expr(b.graph, lit))
    lits, nums = result.lits[-6:], result.nums[-6:]
    entries = [Expr(b.graph, b.graph.signed(lit, k % 2)) for k, lit in enumerate(lits)]
    b.output("f", [entries[:3], entries[3:]])
    b.output("last", entries[-1])
    expected = [-n if k % 2 else n for k, n in enumerate(nums)]
    return Case(b.program(expanded=expanded), result.values, [*expected, expected[-1]])


def cases(
    operations: tuple[int, ...] = (*ALL, SOLVE), max_size: int = 40, **options: bool
) -> st.SearchStrategy[Case]:
    steps = recipes(operations, max_size=max_size)
    return st.builds(lambda recipe, seed: build(recipe, seed, **options), steps, st.integers(0, 10_000))


def chain(joints: int) -> Program:
    """Return the poses of all frames of a chain of revolute joints: about 32 operations per joint."""
    b = Builder("chain")
    q = b.input("q", (joints,))
    placement, placements = identity(4), []
    for j in range(1, joints + 1):
        s, c = sin(q[j - 1]), cos(q[j - 1])
        sign = 1 if j % 2 else -1
        step = homogeneous([[c, -s, 0], [0, 0, -sign], [sign * s, sign * c, 0]], [b.parameter(f"d{j}"), 0, 0])
        placement = matmul(placement, step)
        placements.append(placement)
    b.output("T", placements)
    return b.program()


def chain_of_sines(nodes: int) -> Program:
    """Return x -> sin(x + p) ...: as deep as it is long."""
    b = Builder("deep")
    (x,) = b.input("x", ())
    p = b.parameter("p")
    for _ in range(nodes // 2):
        x = sin(x + p)
    b.output("y", x)
    return b.program()
