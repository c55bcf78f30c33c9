"""Random samples of all symbols, to test numerically whether an expression is identically zero.

At each sample the given pose is the direct geometry of the sampled joint positions. Therefore an expression that is
zero only for reachable poses is recognised as zero, too. An expression that is zero at a dozen random points is zero
everywhere, except with probability zero.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from symoro.expr import ops
from symoro.expr.evaluate import evaluate, missing
from symoro.expr.scalar import Expr, Scalar, wrap
from symoro.models.geometric.inverse.chain.chain import PathMotion, Unknown
from symoro.models.tolerances import ZERO_AT_PROBES
from symoro.program.builder import Builder

SAMPLES = 12


class Probes:
    """Random numbers for the symbols of expressions, and the values of expressions at these samples.

    Random numbers are drawn for a symbol when it first occurs in an expression.

    Attributes:
        lengths: names of the symbols that occur in constant lengths but in no angle.
        unit: largest constant length that is given as a number, or 1 if there is none; unit of the random lengths.
        length: size of the chain; lengths are compared with zero relative to it, and squares relative to its square.
    """

    def __init__(self, builder: Builder, motions: Iterable[PathMotion] = (), seed: int = 1) -> None:
        self.builder = builder
        self.graph = builder.graph
        self.generator = random.Random(seed)
        parts = [motion for motion in motions if not motion.joint]
        lengths = [wrap(self.graph, x) for motion in parts for x in motion.lengths]
        numbers = [abs(float(x.number)) for x in lengths if x.number is not None]
        self.unit = max(numbers, default=0.0) or 1.0
        self.length = self.unit
        self.parameters: dict[str, Any] = {}
        self.variables: dict[str, Any] = {}
        self.known: dict[int, Any] = {}
        angles = {name for motion in parts for name in wrap(self.graph, motion.angle).symbols()}
        self.lengths = {name for x in lengths for name in x.symbols()} - angles

    def draw(self, low: float = 0.35, high: float = 1.65) -> Any:
        import numpy

        return numpy.array([self.generator.uniform(low, high) for _ in range(SAMPLES)])

    def set(self, symbol: Expr, values: Any) -> None:
        """Set the values of a symbol at all samples.

        Args:
            symbol: the symbol.
            values: its values, one per sample.
        """
        name, _ = self.graph.args[symbol.lit >> 1]
        self.variables[name] = values

    def of(self, value: Scalar) -> Any:
        """Return the values of an expression at the random samples, as an array."""
        import numpy

        literal = wrap(self.graph, value).lit
        for i in missing(self.graph, [literal], self.known):
            if self.graph.op[i] == ops.SYMBOL:
                name, cls = self.graph.args[i]
                table = self.parameters if cls == ops.PARAMETER else self.variables
                if name not in table:
                    table[name] = (self.unit if name in self.lengths else 1.0) * self.draw()
        (values,) = evaluate(self.graph, [literal], self.parameters, self.variables, self.known)
        return numpy.broadcast_to(values, (SAMPLES,))

    def vanishes(self, value: Scalar, size: float = 1.0) -> bool:
        """Return whether an expression is zero at every sample, up to round-off.

        Args:
            size: magnitude relative to which the values are compared with zero.
        """
        values = self.of(value)
        return bool(abs(values).max() <= ZERO_AT_PROBES * size)

    def whole_number(self, value: Scalar) -> int | None:
        """Return the nonzero integer that an expression equals at every sample; None if it does not equal one.

        For example, S^2 + C^2 gives 1.
        """
        values = self.of(value)
        number = round(float(values[0]))
        return number if number and abs(values - number).max() <= ZERO_AT_PROBES else None

    def measure(self, size: Expr) -> None:
        """Set `length`, relative to which lengths are compared with zero, to the largest sampled size of the chain.

        Args:
            size: size of the chain as an expression.
        """
        self.length = self.largest(size)

    def largest(self, value: Scalar) -> float:
        return float(abs(self.of(value)).max())

    def set_unknowns(
        self, unknowns: Iterable[Unknown], postures: Mapping[int, Any] | None = None
    ) -> Mapping[int, Any]:
        """Set the symbols of the unknowns (sine and cosine, or length) at all samples.

        Args:
            unknowns: unknowns of the chain.
            postures: sampled positions by joint number; other joints have random positions.

        Returns:
            The joint positions, one array over the samples per joint number.
        """
        import numpy

        joints: dict[int, Any] = {}
        for unknown in unknowns:
            if postures is not None and unknown.joint in postures:
                joints[unknown.joint] = postures[unknown.joint]
            else:
                joints[unknown.joint] = self.draw(-3, 3) if unknown.turns else self.unit * self.draw()
            if unknown.turns:
                angle = sum(sign * joints[j] for j, sign in unknown.parts)
                self.set(unknown.sine, numpy.sin(angle))
                self.set(unknown.cosine, numpy.cos(angle))
            else:
                self.set(unknown.length, joints[unknown.joint])
        return joints
