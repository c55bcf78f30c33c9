"""Regular configurations at which an equation does not determine its unknown.

The derivative dF/du of an equation F(u) = 0 with respect to its unknown u vanishes where its coefficients vanish or two
of its roots coincide. If the Jacobian of the pose is singular there, no other equation determines u. For an arm with
fewer than six joints, not every pose is possible, and dF/du may vanish at regular configurations as well. Example: an
arm of one vertical axis and three parallel horizontal axes, with the tool axis a and the position P in the plane of the
arm:

    C1 ay - S1 ax = 0     degenerate if the tool is vertical
    C1 Py - S1 Px = 0     degenerate if P is on the vertical axis

Each of these two equations determines q1 where the other one does not. Degenerate configurations have probability zero
among random configurations; therefore Newton's method computes them, starting from random configurations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symoro.expr.evaluate import evaluate
from symoro.expr.scalar import Expr, Scalar, wrap
from symoro.models.geometric.inverse.chain.chain import Chain
from symoro.models.geometric.inverse.chain.probes import SAMPLES, Probes
from symoro.models.geometric.inverse.chain.problem import direct_geometry
from symoro.models.tolerances import WELL_CONDITIONED, ZERO_AT_PROBES

STARTS = 4  # number of random starts of Newton's method per sample of the robot's parameters
ITERATIONS = 25
LONGEST_STEP = 0.5  # rad, or in units of the robot's size
INCREMENT = 1e-7  # of finite differences; same units


class Degeneracy:
    """Search for regular configurations of a chain at which given functions vanish.

    Args:
        given: which entries of the pose are given.
    """

    def __init__(self, chain: Chain, probes: Probes, given: Sequence[Sequence[bool]]) -> None:
        import numpy

        self.numpy = numpy
        self.chain = chain
        self.probes = probes
        self.known: dict[tuple[int, ...], bool] = {}
        self.given = [(r, c) for r in range(3) for c in range(4) if given[r][c]]
        rng = numpy.random.default_rng(3)
        self.units = numpy.array([1.0 if u.turns else probes.length for u in chain.unknowns])
        self.random = rng.uniform(-numpy.pi, numpy.pi, (STARTS, SAMPLES, len(self.units)))
        self.least = self._least_singular_values(self.random)

    def at_regular_configuration(self, *functions: Scalar) -> bool:
        """Return whether all functions vanish together at a regular configuration."""
        literals = tuple(wrap(self.probes.graph, f).lit for f in functions)
        if literals not in self.known:
            self.known[literals] = self._vanish(literals)
        return self.known[literals]

    def _vanish(self, literals: Sequence[int]) -> bool:
        numpy = self.numpy
        q = self.random
        scale = abs(self._values(literals, q)).max(axis=(0, 1))
        if (scale == 0).any():
            return True
        for _ in range(ITERATIONS):
            values = self._values(literals, self._varied(q)) / scale
            slopes = numpy.moveaxis((values[1:] - values[0]) / INCREMENT, 0, -1)
            step = -(numpy.linalg.pinv(slopes, rcond=1e-6) @ values[0][..., None])[..., 0]
            longest = numpy.linalg.norm(step, axis=-1, keepdims=True)
            q = q + step * numpy.minimum(1, LONGEST_STEP / numpy.maximum(longest, LONGEST_STEP))
        zero = (abs(self._values(literals, q)) <= ZERO_AT_PROBES * scale).all(axis=-1)
        regular = self._least_singular_values(q) > WELL_CONDITIONED * self.least.max(axis=0)
        return bool((zero & regular).any())

    def _varied(self, q: Any) -> Any:
        """Return q and copies of q with one joint increased in each, for finite differences.

        The first axis of the result is the copy.
        """
        increments = INCREMENT * self.numpy.eye(q.shape[-1])
        return self.numpy.concatenate([q[None], q[None] + increments[:, None, None]])

    def _values(self, literals: Sequence[int], q: Any) -> Any:
        """Return the values of expressions at joint positions q; the last axis of the result is the expression.

        Args:
            literals: node references of the expressions, which contain unknowns and entries of the pose.
            q: joint positions (..., joints), in rad or in units of the robot's size.
        """
        numpy, graph = self.numpy, self.probes.graph
        variables = dict(self.probes.variables)

        def set_symbol(symbol: Expr, values: Any) -> None:
            variables[graph.args[symbol.lit >> 1][0]] = values

        joints = self._joints(q)
        for unknown in self.chain.unknowns:
            if unknown.turns:
                angle = sum(sign * joints[j] for j, sign in unknown.parts)
                set_symbol(unknown.sine, numpy.sin(angle))
                set_symbol(unknown.cosine, numpy.cos(angle))
            else:
                set_symbol(unknown.length, joints[unknown.joint])
        for row, values in zip(
            self.chain.target, direct_geometry(self.chain, self.probes, joints), strict=False
        ):
            for entry, value in zip(row, values, strict=True):
                if isinstance(entry, Expr) and entry.symbols():
                    set_symbol(entry, value)
        with numpy.errstate(all="ignore"):
            arrays = evaluate(graph, list(literals), self.probes.parameters, variables)
        return numpy.stack([numpy.broadcast_to(x, q.shape[:-1]) for x in arrays], -1)

    def _joints(self, q: Any) -> dict[int, Any]:
        return {u.joint: q[..., k] * self.units[k] for k, u in enumerate(self.chain.unknowns)}

    def _least_singular_values(self, q: Any) -> Any:
        """Return the smallest singular value of the Jacobian of the given pose entries at each configuration q.

        Lengths are divided by the robot's size.
        """
        numpy = self.numpy
        rows = direct_geometry(self.chain, self.probes, self._joints(self._varied(q)))
        shape = (len(self.units) + 1, *q.shape[:-1])
        entries = numpy.stack(
            [
                numpy.broadcast_to(rows[r][c] / (self.probes.length if c == 3 else 1.0), shape)
                for r, c in self.given
            ],
            -1,
        )
        jacobian = (entries[1:] - entries[0]) / INCREMENT
        return numpy.linalg.svd(numpy.moveaxis(jacobian, 0, -1), compute_uv=False)[..., -1]
