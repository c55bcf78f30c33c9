"""Generic ranks of rolling constraints, from their values at random joint positions and random parameters.

Lengths are divided by a length of the robot, so that all coefficients are comparable. A model is rejected if no sample
gives a clear rank.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from symoro.errors import NotApplicableError, ProgramError
from symoro.expr import ops
from symoro.expr.evaluate import evaluate
from symoro.expr.linalg import MatrixLike
from symoro.expr.scalar import Expr, Scalar
from symoro.models.rank import generic_rank
from symoro.program.builder import Builder
from symoro.robot.description import Robot

Matrix = list[list[float]]

SAMPLES = 5  # number of samples
TRIES = 40  # largest number of random draws


def robot_length(builder: Builder, robot: Robot) -> Scalar:
    """Return the sum of the wheel radii, as a length of the order of the robot's size."""
    total: Scalar = 0
    for wheel in robot.wheels:
        total = total + builder.formula(wheel.radius)
    return total


class WheelSamples:
    """Random values of symbols, at which expressions are evaluated.

    Within one sample, a symbol has the same value in all expressions.
    """

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.seeds = range(TRIES)

    def _numbers(
        self, exprs: Sequence[Expr], seed: int, *, still: frozenset[str] = frozenset()
    ) -> list[float]:
        graph = self.builder.graph
        parameters: dict[str, float] = {}
        variables: dict[str, float] = {}
        for i in graph.reachable([e.lit for e in exprs]):
            if graph.op[i] == ops.SYMBOL:
                name, cls = graph.args[i]
                draw = random.Random(f"{seed} {name} {cls}")
                if cls == ops.PARAMETER:
                    parameters[name] = draw.uniform(0.3, 1.7)
                else:
                    variables[name] = 0.0 if name in still else draw.uniform(-1.4, 1.4)
        return evaluate(graph, [e.lit for e in exprs], parameters, variables)

    def values(self, scalars: Sequence[Scalar]) -> list[list[float]]:
        """Return the values of expressions at several samples, one list per sample.

        Raises:
            NotApplicableError: the expressions have finite values at too few samples.
        """
        import math

        exprs = [self.builder.number(x) for x in scalars]
        rows: list[list[float]] = []
        for seed in self.seeds:
            try:
                row = self._numbers(exprs, seed)
            except ProgramError:
                continue
            if all(math.isfinite(x) for x in row):
                rows.append(row)
            if len(rows) == SAMPLES:
                return rows
        raise NotApplicableError(
            "the coefficients of the rolling constraints are not finite at random joint positions and parameters",
            hint="check the formulas of the wheels and their frames for divisions by zero",
        )

    def matrices(self, rows: MatrixLike, length: Scalar) -> list[Matrix]:
        """Return the values of rolling constraints at several samples, one matrix per sample.

        Args:
            rows: coefficients of the base velocities (x, y, turn) and the joint coordinates.
            length: length by which coefficients that are lengths are divided.
        """
        width = len(rows[0]) if rows else 0
        matrices: list[Matrix] = []
        for values in self.values([*(x for row in rows for x in row), length]):
            *entries, size = values
            scaled = [x if k % width < 2 else x / size for k, x in enumerate(entries)]
            matrices.append([scaled[k : k + width] for k in range(0, len(scaled), width)])
        return matrices

    def at_zero(self, joints: Sequence[int], value: Expr) -> float:
        """Return the value of an expression at zero positions of some joints and random values of all other symbols.

        Args:
            joints: numbers of the joints at position zero.
            value: the expression.
        """
        (number,) = self._numbers([value], 0, still=frozenset(f"q{j}" for j in joints))
        return number


def rank(matrices: Sequence[Matrix], what: str) -> int:
    """Return the generic rank of rolling constraints, from their values at several samples.

    Args:
        matrices: values of the constraints, one matrix per sample.
        what: subject of the error message, in the plural, such as 'the constraints of the wheels'.

    Raises:
        NotApplicableError: the rank is not clear.
    """
    decided = generic_rank(matrices)
    if decided is None:
        raise NotApplicableError(
            f"{what} are almost linearly dependent: their rank depends on the rounding of the numbers",
            hint="give equal lengths and angles with the same digits, or as one symbol",
        )
    return decided


def independent_rows(matrices: Sequence[Matrix], what: str) -> list[int]:
    """Return the indices of the first linearly independent rows, as many as the generic rank.

    Args:
        matrices: values of the rows at several samples.
        what: subject of the error message, in the plural, such as 'the constraints of the wheels'.
    """
    kept: list[int] = []
    count = len(matrices[0]) if matrices else 0
    for row in range(count):
        if rank([[matrix[r] for r in (*kept, row)] for matrix in matrices], what) > len(kept):
            kept.append(row)
    return kept
