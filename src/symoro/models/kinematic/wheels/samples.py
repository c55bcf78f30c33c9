"""What holds generically, found in numbers: rows of constraints at random joints and random values of the symbols.

A rank counts singular values of rows scaled to length one, in units of a length of the robot: the columns of the base's
translation have no unit, the others are lengths. Values above PRESENT count, those below ABSENT are round-off; if one
lies between them at any sample, the model is rejected.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symoro.errors import NotApplicableError, ProgramError
from symoro.expr import ops
from symoro.expr.evaluate import evaluate
from symoro.expr.linalg import MatrixLike
from symoro.expr.scalar import Expr, Scalar
from symoro.program.builder import Builder
from symoro.robot.description import Robot

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray

SAMPLES = 5
TRIES = 40
PRESENT = 1e-7  # of the largest, as all tolerances here: constraints that are meant to differ do so by more
ABSENT = 1e-11  # round-off of rows whose entries are sums of some products


def robot_length(builder: Builder, robot: Robot) -> Scalar:
    """Return a length of the size of the robot, from its parameters: the sum of the radii."""
    total: Scalar = 0
    for wheel in robot.wheels:
        total = total + builder.formula(wheel.radius)
    return total


class WheelSamples:
    """Numbers for the expressions of a builder, the same for every question."""

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
        """The values at every sample.

        Raises:
            NotApplicableError: they can be computed at too few.
        """
        import math

        exprs = [self.builder.number(x) for x in scalars]
        found: list[list[float]] = []
        for seed in self.seeds:
            try:
                row = self._numbers(exprs, seed)
            except ProgramError:
                continue
            if all(math.isfinite(x) for x in row):
                found.append(row)
            if len(found) == SAMPLES:
                return found
        raise NotApplicableError("the wheels' constraints cannot be computed at ordinary numbers")

    def matrices(self, rows: MatrixLike, length: Scalar) -> list[Array]:
        """Return the rows over the base (x, y, turn) and the joints at every sample, in units of a length."""
        import numpy as np

        shape = (len(rows), len(rows[0]) if rows else 0)
        sampled = self.values([*(x for row in rows for x in row), length])
        found = [np.reshape(one[:-1], shape) for one in sampled]
        for matrix, one in zip(found, sampled, strict=True):
            matrix[:, 2:] /= one[-1]
        return found

    def at_zero(self, joints: Sequence[int], value: Expr) -> float:
        """A value where the given joints are at zero."""
        (found,) = self._numbers([value], 0, still=frozenset(f"q{j}" for j in joints))
        return found


def rank(matrices: Sequence[Array], what: str) -> int:
    """The generic rank: the largest, with a gap below it at every sample.

    Raises:
        NotApplicableError: there is no gap.
    """
    import numpy as np

    if not matrices or not matrices[0].size:
        return 0
    found, spectra = 0, []
    for matrix in matrices:
        sizes = np.linalg.norm(matrix, axis=1, keepdims=True)
        spectra.append(np.linalg.svd(matrix / np.where(sizes > 0, sizes, 1), compute_uv=False))
        found = max(found, int((spectra[-1] > PRESENT).sum()))
    if any(found < len(s) and s[found] > ABSENT for s in spectra):
        raise NotApplicableError(
            f"{what} are almost redundant: whether they bind one motion or two is a matter of rounding",
            hint="write lengths and angles that are meant to be equal with the same digits, or with symbols",
        )
    return found


def independent_rows(matrices: Sequence[Array], what: str) -> list[int]:
    """The first rows that make up the generic rank."""
    kept: list[int] = []
    count = len(matrices[0]) if matrices else 0
    for row in range(count):
        if rank([matrix[[*kept, row]] for matrix in matrices], what) > len(kept):
            kept.append(row)
    return kept
