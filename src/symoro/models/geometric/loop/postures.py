"""Closed postures in numbers: for lengths and angles at random, joints with which every loop closes.

They give the probes of Paul's method a true posture, and tell whether the active joints determine the passive ones:
with J the derivative of the closure by all joints, Jp by the passive ones,

    rank Jp = number of passive joints,    rank J = rank Jp.

Levenberg-Marquardt on the twelve entries of each loop's product less I, many postures side by side.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symoro.errors import NotApplicableError
from symoro.expr.evaluate import evaluate
from symoro.expr.scalar import Scalar, wrap
from symoro.models.coordinates import uncoupled
from symoro.models.geometric.inverse.chain import Motion, motions_between
from symoro.models.geometric.inverse.probes import SAMPLES
from symoro.models.geometric.loop.mechanism import passive_joints
from symoro.program.builder import Builder
from symoro.robot.coordinates import drivers, followers, independent
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import cut_joints, loops

SIDE_BY_SIDE = 48
ROUNDS = 4  # with lengths at random; then as many with the robot's own numbers
ITERATIONS = 60
CLOSED = 1e-12
RANK = 1e-6  # singular values below it, relatively, count as zero


@dataclass(frozen=True)
class Postures:
    """Closed postures: numbers by parameter and by joint, and the ranks found at them."""

    parameters: Mapping[str, Any]
    joints: Mapping[int, Any]
    rank: int
    passive_rank: int


def closed_postures(
    builder: Builder, robot: Robot, count: int = SAMPLES, *, nominal: bool = False
) -> Postures:
    """So many closed postures at random; or fewer, but no less than SAMPLES.

    Arguments:
        nominal: take the robot's own numbers first, not random ones.

    Raises:
        NotApplicableError: none was found.
    """
    import numpy

    closing = _Closing(builder, robot)
    chance = random.Random(1)
    found: list[tuple[int, dict[str, float], Any]] = []
    for attempt in range(2 * ROUNDS):
        values = closing.parameters(chance, nominal=(attempt >= ROUNDS) != nominal)
        if values is None:
            continue
        x, closed = closing.solve(values, chance)
        ranks = closing.passive_ranks(values, x)
        for k in numpy.flatnonzero(closed):
            found.append((int(ranks[k]), {name: float(v[k]) for name, v in values.items()}, x[k]))
        # A rhombus can also fold up and turn about one corner: such postures would tell nothing.
        most = max((rank for rank, *_ in found), default=0)
        regular = [(numbers, row) for rank, numbers, row in found if rank == most]
        if len(regular) >= (count if attempt < ROUNDS - 1 else SAMPLES):
            return closing.postures(regular[:count], most)
    raise NotApplicableError(
        f"the loops of robot '{robot.name}' were found to close in no posture",
        hint="check the lengths and angles of the frames of the loop; nominal values help where they must fit",
    )


class _Closing:
    def __init__(self, builder: Builder, robot: Robot) -> None:
        self.builder = builder
        self.robot = robot
        self.own = [*independent(robot), *cut_joints(robot)]
        free = uncoupled(robot)
        self.loops = [motions_between(builder, free, loop.right, loop.left, {}) for loop in loops(robot)]
        numbers = [x for motions in self.loops for motion in motions for x in (motion.angle, motion.length)]
        self.followers = {
            j: (builder.formula(law.offset), drivers(robot, j, builder.formula))
            for j, law in followers(robot).items()
            if j <= robot.NL
        }
        numbers += [x for offset, terms in self.followers.values() for x in (offset, *(r for _, r in terms))]
        self.numbers = numbers
        self.names = sorted({name for x in numbers for name in wrap(builder.graph, x).symbols()})

    def parameters(self, chance: random.Random, *, nominal: bool) -> dict[str, Any] | None:
        import numpy

        known = dict(self.robot.nominal)
        if nominal and not all(name in known for name in self.names):
            return None
        return {
            name: numpy.array(
                [known[name] if nominal else chance.uniform(0.35, 1.65) for _ in range(SIDE_BY_SIDE)]
            )
            for name in self.names
        }

    def solve(self, values: Mapping[str, Any], chance: random.Random) -> tuple[Any, Any]:
        """Joints, one row a posture, and which rows close."""
        import numpy

        turns = [self.robot.frame(j).sigma == JointType.REVOLUTE for j in self.own]
        x = numpy.array(
            [
                [chance.uniform(-3, 3) if t else chance.uniform(0, 1.5) for t in turns]
                for _ in range(SIDE_BY_SIDE)
            ]
        )
        numbers = self._numbers(values)
        residual, jacobian = self._closure(numbers, x)
        damping = numpy.full(len(x), 1e-2)
        eye = numpy.eye(len(self.own))
        for _ in range(ITERATIONS):
            if _closed(residual).sum() >= 2 * SAMPLES:  # some of them may have to go
                break
            normal = numpy.einsum("nri,nrj->nij", jacobian, jacobian)
            scale = damping * (1 + numpy.trace(normal, axis1=1, axis2=2))
            slope = numpy.einsum("nri,nr->ni", jacobian, residual)[..., None]
            step = numpy.linalg.solve(normal + scale[:, None, None] * eye, slope)[..., 0]
            trial, trial_jacobian = self._closure(numbers, x - step)
            better = (trial**2).sum(axis=1) < (residual**2).sum(axis=1)
            x[better] -= step[better]
            residual[better], jacobian[better] = trial[better], trial_jacobian[better]
            damping = numpy.clip(numpy.where(better, damping / 5, damping * 4), 1e-14, 1e6)
        return x, _closed(residual)

    def passive_ranks(self, values: Mapping[str, Any], x: Any) -> Any:
        _, jacobian = self._closure(self._numbers(values), x)
        return _ranks(jacobian[:, :, [self.own.index(j) for j in passive_joints(self.robot)]])

    def postures(self, found: Sequence[tuple[dict[str, float], Any]], passive_rank: int) -> Postures:
        import numpy

        parameters = {name: numpy.array([values[name] for values, _ in found]) for name in self.names}
        x = numpy.array([row for _, row in found])
        numbers = self._numbers(parameters)
        _, jacobian = self._closure(numbers, x)
        joints = {j: q for j, (q, _) in self._positions(numbers, x).items()}
        return Postures(parameters, joints, int(_ranks(jacobian).max()), passive_rank)

    def _numbers(self, values: Mapping[str, Any]) -> dict[int, Any]:
        """The values of the constants, by literal."""
        import numpy

        graph = self.builder.graph
        literals = [wrap(graph, x).lit for x in self.numbers]
        return {
            literal: numpy.asarray(value)
            for literal, value in zip(literals, evaluate(graph, literals, values), strict=True)
        }

    def _value(self, numbers: Mapping[int, Any], x: Scalar) -> Any:
        return numbers[wrap(self.builder.graph, x).lit]

    def _positions(self, numbers: Mapping[int, Any], x: Any) -> dict[int, tuple[Any, list[tuple[int, Any]]]]:
        """Every joint's position, and the columns of x that it depends on."""
        found = {j: (x[:, k], [(k, 1.0)]) for k, j in enumerate(self.own)}
        for j, (offset, terms) in self.followers.items():
            total = self._value(numbers, offset)
            columns = []
            for i, ratio in terms:
                column, value = self.own.index(i), self._value(numbers, ratio)
                total = total + value * x[:, column]
                columns.append((column, value))
            found[j] = (total, columns)
        return found

    def _closure(self, numbers: Mapping[int, Any], x: Any) -> tuple[Any, Any]:
        """Residual (postures, 12 a loop) and its derivative by x."""
        import numpy

        positions = self._positions(numbers, x)
        residuals, jacobians = [], []
        for motions in self.loops:
            placed = [self._matrix(numbers, motion, positions) for motion in motions]
            after = [numpy.broadcast_to(numpy.eye(4), (len(x), 4, 4))]
            for matrix, _ in reversed(placed):
                after.append(matrix @ after[-1])
            after.reverse()
            jacobian = numpy.zeros((len(x), 12, len(self.own)))
            before = after[-1]
            for k, (motion, (matrix, slope)) in enumerate(zip(motions, placed, strict=True)):
                if slope is not None:
                    moved = (before @ slope @ after[k + 1])[:, :3, :].reshape(-1, 12)
                    for column, ratio in positions[motion.joint][1]:
                        jacobian[:, :, column] += moved * numpy.reshape(ratio, (-1, 1))
                before = before @ matrix
            residuals.append((before - numpy.eye(4))[:, :3, :].reshape(-1, 12))
            jacobians.append(jacobian)
        return numpy.concatenate(residuals, axis=1), numpy.concatenate(jacobians, axis=1)

    def _matrix(self, numbers: Mapping[int, Any], motion: Motion, positions: Mapping[int, Any]) -> Any:
        """The motion's placement, and its derivative by its joint."""
        import numpy

        if not motion.joint:
            return _screw(
                motion.axis, self._value(numbers, motion.angle), self._value(numbers, motion.length)
            ), None
        q = motion.sign * positions[motion.joint][0]
        if motion.turns:
            matrix, slope = _screw("z", q, 0 * q), _screw("z", q + numpy.pi / 2, 0 * q)
            slope[:, 2:, :] = 0
        else:
            matrix, slope = _screw("z", 0 * q, q), numpy.zeros((len(q), 4, 4))
            slope[:, 2, 3] = 1
        return matrix, motion.sign * slope


def _screw(axis: str, angle: Any, length: Any) -> Any:
    import numpy

    s, c, length = numpy.broadcast_arrays(numpy.sin(angle), numpy.cos(angle), length)
    i, j, k = (0, 1, 2) if axis == "z" else (1, 2, 0)
    found = numpy.zeros((*s.shape, 4, 4))
    found[..., i, i], found[..., i, j], found[..., j, i], found[..., j, j] = c, -s, s, c
    found[..., k, k] = found[..., 3, 3] = 1
    found[..., k, 3] = length
    return found


def _closed(residual: Any) -> Any:
    return abs(residual).max(axis=1) <= CLOSED


def _ranks(matrices: Any) -> Any:
    import numpy

    values = numpy.linalg.svd(matrices, compute_uv=False)
    return (values > RANK * values[:, :1]).sum(axis=1)
