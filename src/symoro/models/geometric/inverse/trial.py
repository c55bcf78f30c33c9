"""Verification of formulas at generation: from the poses of random postures the postures must be recovered.

The formulas are evaluated with the robot's numbers (nominal ones, or random ones where it has none) at poses whose
postures are known: some random, some with joints next to a multiple of a right angle, where closed forms are weakest.
Lengths are divided by the robot's size, and the smallest singular value of a posture's Jacobian is compared with that
of the best-conditioned posture: a robot whose axes are almost parallel is verified as any other. Postures that are
singular except for round-off do not count. Where loops constrain the joints, the postures satisfy them.

    lost     no row of status 0 or 2 contains the posture
    rough    the residual of the row that contains it, if any, exceeds ROUGH_POSTURE: a divisor is small, or the
             formulas hold for a similar robot only
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symoro.expr import ops
from symoro.expr.evaluate import evaluate
from symoro.models.geometric.inverse.branches import Solution
from symoro.models.geometric.inverse.chain.chain import links
from symoro.models.geometric.inverse.chain.pose import entry_name
from symoro.models.geometric.inverse.chain.problem import Problem
from symoro.models.tolerances import EPSILON, INTENDED_POSTURE, ROUGH_POSTURE, SAME_POSTURE, WELL_CONDITIONED

SEED = 5
RANDOM, SQUARE = 600, 600  # postures at random, postures next to right angles
# Error of a pose; divided by the smallest singular value it is the error of the joints.
AMPLIFIED = 100 * EPSILON
FEW = 0.01  # share of random postures that may be rough, if Newton's method makes them exact


@dataclass(frozen=True)
class TrialResult:
    """Of the regular postures, those that are lost; and the share of the random ones that are rough.

    `exact`: every row that should hold a posture does so to a tenth of the tolerance, nothing is lost.
    """

    postures: int
    lost: int
    rough: float
    exact: bool


class Trial:
    """Postures and their poses, the same for all methods that are tried on a problem."""

    def __init__(self, problem: Problem) -> None:
        import numpy

        from symoro.expr.kernels.refine import refine_chain_

        self.problem = problem
        rng = numpy.random.default_rng(SEED)
        joints, between = links(problem.chain.motions)
        unknown = [joint for joint in joints if not joint.terms]
        self.joints = [joint.joint for joint in unknown]
        self.turns = numpy.array([joint.turns for joint in unknown])
        self.count = RANDOM + SQUARE
        literals = [problem.builder.number(x).lit for matrix in between for row in matrix for x in row]
        self.parameters: dict[str, Any] = {}
        self.variables: dict[str, Any] = {}
        closed = self._closed()
        self._draw(literals, rng)
        flat = evaluate(problem.builder.graph, literals, self.parameters, self.variables)
        spread = [numpy.broadcast_to(x, (self.count,)) for x in flat]
        placements = numpy.stack(spread, -1).reshape(self.count, -1, 4, 4)
        size = abs(placements[:, :, :3, 3]).sum((1, 2))
        size[size == 0] = 1.0
        placements[:, :, :3, 3] /= size[:, None, None]
        self.units = numpy.where(self.turns, 1.0, size[:, None])
        self.q = _postures(rng, self.turns)[: self.count]
        for k, j in enumerate(self.joints):
            if j in closed:
                self.q[:, k] = closed[j] / self.units[:, k]
        kinds = numpy.array([joint.sign * (1 if joint.turns else 2) for joint in joints])
        # All joints from the unknown ones.
        tangents = numpy.array([joint.tangent(self.joints) for joint in joints])
        ends, slopes = refine_chain_(placements, kinds, self.q @ tangents.T)
        slopes = slopes @ tangents
        given = numpy.array(problem.given)
        # Poses come rounded to the size of their largest entries: a formula must not count on more of the small ones.
        ends[:, :3] = ends[:, :3] + EPSILON * rng.uniform(-1, 1, ends[:, :3].shape)
        ends[:, :3, 3] *= size[:, None]
        for r in range(4):
            for c in range(4):
                known = r < 3 and given[r, c]
                self.variables[entry_name(r, c)] = ends[:, r, c] if known else float(r == c)
        least = numpy.linalg.svd(slopes[:, given], compute_uv=False)[:, -1]
        self.regular = least > WELL_CONDITIONED * least.max()
        self.near = numpy.minimum(SAME_POSTURE + AMPLIFIED / least.clip(EPSILON), INTENDED_POSTURE)

    def _closed(self) -> Mapping[int, Any]:
        """Return joints by number, of postures that satisfy the loops where these constrain the joints of the chain."""
        closure = self.problem.closure
        if closure is None or not closure.tied:
            return {}
        sample = closure.postures(self.count, True)
        self.count = len(next(iter(sample.joints.values())))
        self.parameters.update(sample.parameters)
        for j, entry in self.problem.start.items():
            if j in sample.joints:
                self.variables[self.problem.builder.graph.args[entry.lit >> 1][0]] = sample.joints[j]
        return sample.joints

    def _draw(self, literals: Sequence[int], rng: Any) -> None:
        """Numbers for the symbols that have none yet."""
        graph = self.problem.builder.graph
        nominal = dict(self.problem.robot.nominal)
        for i in graph.reachable(literals):
            if graph.op[i] == ops.SYMBOL:
                name, cls = graph.args[i]
                unit = self.problem.probes.unit if name in self.problem.probes.lengths else 1.0
                if cls == ops.PARAMETER and name not in self.parameters:
                    drawn = unit * rng.uniform(0.3, 1.2, self.count)
                    self.parameters[name] = nominal.get(name, drawn)
                elif cls == ops.VARIABLE and name not in self.variables:
                    self.variables[name] = unit * rng.uniform(-3, 3, self.count)

    def of(self, found: Sequence[Solution], tolerance: float) -> TrialResult:
        """Return how many postures the solutions of a method recover."""
        import numpy

        graph = self.problem.builder.graph
        literals = [
            x.lit for one in found for x in (*(one.joints[j] for j in self.joints), one.residual, one.status)
        ]
        self._draw(literals, numpy.random.default_rng(SEED))
        with numpy.errstate(all="ignore"):
            values = evaluate(graph, literals, self.parameters, self.variables)
            rows = numpy.stack([numpy.broadcast_to(x, (self.count,)) for x in values], -1)
            rows = rows.reshape(self.count, len(found), -1)
            apart = rows[:, :, :-2] / self.units[:, None] - self.q[:, None]
            apart = numpy.where(self.turns, numpy.arctan2(numpy.sin(apart), numpy.cos(apart)), apart)
            apart = numpy.nan_to_num(abs(apart).max(2), nan=numpy.inf)
            residual, status = rows[:, :, -2], rows[:, :, -1]
            good = ((status == 0) | (status == 2)) & (apart < self.near[:, None])
            missed = numpy.nanmin(numpy.where(apart < INTENDED_POSTURE, residual, numpy.inf), 1)
        lost = self.regular & ~good.any(1)
        rough = self.regular & ~(missed <= ROUGH_POSTURE)
        share = rough[:RANDOM].sum() / max(1, self.regular[:RANDOM].sum())
        exact = not lost.any() and bool((missed[self.regular] <= tolerance / 10).all())
        return TrialResult(int(self.regular.sum()), int(lost.sum()), float(share), exact)


def _postures(rng: Any, turns: Any) -> Any:
    """Return random joints, lengths in units of the robot's size; half of them have some next to a right angle."""
    import numpy

    shape = (RANDOM + SQUARE, len(turns))
    q = rng.uniform(-1, 1, shape) * numpy.where(turns, numpy.pi, 1)
    beside = rng.choice([-1, 1], shape) * 10 ** rng.uniform(-4.5, -1.5, shape)
    square = numpy.where(turns, rng.integers(-1, 3, shape) * numpy.pi / 2, 0) + beside
    chosen = rng.random(shape) < 0.4
    chosen[:RANDOM] = False
    return numpy.where(chosen, square, q)
