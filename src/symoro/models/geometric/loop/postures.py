"""Closed postures in numbers: for lengths and angles at random, joints with which every loop closes.

They give the probes of Paul's method a true posture, and tell whether the active joints determine the passive ones:
with J the derivative of the closure by all joints, Jp by the passive ones,

    rank Jp = number of passive joints,    rank J = rank Jp.

Newton's method (`numeric.closure`) finds them, many side by side, each with a geometry of its own.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from symoro.errors import NotApplicableError
from symoro.expr.evaluate import evaluate
from symoro.expr.formula import Formula
from symoro.expr.graph import Graph
from symoro.models.geometric.inverse.chain.probes import SAMPLES
from symoro.models.geometric.loop.mechanism import passive_joints
from symoro.models.geometric.loop.parallelogram import uncrossed
from symoro.models.numeric.closure import Flags, around, balanced_closure, closed
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.tree import NumericTree, formulas, joint_positions, numeric_tree
from symoro.models.rank import ranks as numeric_ranks
from symoro.models.rank import threshold
from symoro.models.tolerances import CLOSED_POSTURES
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import Loop, loops

SIDE_BY_SIDE = 48
ROUNDS = 4  # with lengths at random, then with the robot's own numbers; more only while they close
MOST_ROUNDS = 40  # of each kind: of n parallelograms only one of 2^n closed postures has none crossed
ITERATIONS = 60
AROUND = 0.3  # radians, or shares of the largest length, by which postures differ from one that was named


@dataclass(frozen=True)
class ClosedPostures:
    """Closed postures: numbers by parameter and by joint, and the ranks found at them."""

    parameters: Mapping[str, Array]
    joints: Mapping[int, Array]
    rank: int
    passive_rank: int


def closed_postures(
    robot: Robot, count: int = SAMPLES, *, nominal: bool = False, crossed: bool = True
) -> ClosedPostures:
    """So many closed postures at random; or fewer, but no less than SAMPLES.

    Arguments:
        nominal: take the robot's own numbers first, not random ones.
        crossed: whether parallelograms may be crossed.

    Raises:
        NotApplicableError: none was found.
    """
    closing = _Closing(robot)
    chance = random.Random(1)
    closed_samples: list[tuple[int, dict[str, float], Array]] = []
    for own_numbers in (nominal, not nominal):
        for attempt in range(MOST_ROUNDS):
            values = closing.parameters(chance, nominal=own_numbers)
            if values is None:
                break
            tree = closing.tree(values)
            x = closing.starts(tree, chance)
            enough = 2 * SAMPLES  # some of them may have to go
            x, good = closed(
                tree, x, range(x.shape[1]), ITERATIONS, damped=True, enough=enough if crossed else None
            )
            if not crossed:
                good &= uncrossed(robot, values, closing.by_joint(joint_positions(tree, x)))
            ranks = closing.passive_ranks(tree, x)
            for k in np.flatnonzero(good):
                closed_samples.append(
                    (int(ranks[k]), {name: float(v[k]) for name, v in values.items()}, x[k])
                )
            # A rhombus can also fold up and turn about one corner: such postures are not those of its mobility.
            most = max((rank for rank, *_ in closed_samples), default=0)
            regular = [(numbers, row) for rank, numbers, row in closed_samples if rank == most]
            if len(regular) >= (count if attempt < ROUNDS - 1 else SAMPLES):
                return closing.postures(regular[:count], most)
            if attempt >= ROUNDS - 1 and not regular:
                break
    for posture in robot.postures.values():
        near = postures_near(robot, posture)
        if near is not None:
            return near
    raise NotApplicableError(
        f"the loops of robot '{robot.name}' were found to close in no posture",
        hint="check the lengths and angles of the frames of the loop; nominal values help where they must fit",
    )


def every_closed(robot: Robot, seed: int = 1) -> ClosedPostures | None:
    """The closed postures of one draw, of any kind, with the robot's own numbers where it has them; None without."""
    closing = _Closing(robot)
    chance = random.Random(seed)
    values = closing.parameters(chance, nominal=True) or closing.parameters(chance, nominal=False)
    assert values is not None
    tree = closing.tree(values)
    x = closing.starts(tree, chance)
    x, good = closed(tree, x, range(x.shape[1]), ITERATIONS, damped=True)
    kept = np.flatnonzero(good)
    rows = [({name: float(v[k]) for name, v in values.items()}, x[k]) for k in kept]
    return closing.postures(rows, int(closing.passive_ranks(tree, x)[kept].max())) if rows else None


def postures_near(robot: Robot, posture: Sequence[float], seed: int = 1) -> ClosedPostures | None:
    """Closed postures around one of the robot's own, with its own numbers; None where it cannot be closed.

    A mechanism may be assembled in other ways too, which move otherwise: an antiparallelogram is no parallelogram.

    Where few of the postures nearby close, those are drawn closer and closer to it.

    Arguments:
        posture: the joints with a coordinate of their own, closed but for the digits that were left out.
    """
    closing = _Closing(robot)
    chance = random.Random(seed)
    values = closing.parameters(chance, nominal=True)
    if values is None:
        return None
    tree = closing.tree(values)
    x = closing.starts(tree, chance)
    columns = range(len(tree.coordinates))
    own = dict(zip(independent(robot), posture, strict=True))
    given = [k for k in columns if tree.coordinates[k] in own]
    x[:, given] = [own[tree.coordinates[k]] for k in given]
    x, _ = closed(tree, x, [k for k in columns if k not in given], ITERATIONS, damped=True)
    best = x[np.abs(balanced_closure(tree, x)[0]).max(1).argmin()]
    for spread in (AROUND, AROUND / 10, AROUND / 100):
        away = np.array([[chance.uniform(-spread, spread) for _ in columns] for _ in x]) * tree.units
        away[0] = 0
        x, good = closed(tree, best + away, columns, ITERATIONS, damped=True)
        good &= (np.abs(x - best) / tree.units).max(1) < 3 * spread
        if not good[0]:
            return None
        if good.sum() > SAMPLES:
            numbers = {name: float(v[0]) for name, v in values.items()}
            rows = [(numbers, row) for row in x[1:][good[1:]][:SAMPLES]]
            return closing.postures(rows, int(closing.passive_ranks(tree, x)[good].max()))
    return None


def closure_slopes(robot: Robot, postures: ClosedPostures) -> tuple[tuple[int, ...], Array]:
    """The joints of the tree and the opened ones, and the derivative of the closure by them at each posture.

    Lengths are in units of the largest one, so that sizes can be compared.
    """
    count = len(next(iter(postures.joints.values())))
    tree = _Closing(robot).tree(postures.parameters, count)
    x = np.array([postures.joints[j] for j in tree.coordinates]).T
    return tree.coordinates, balanced_closure(tree, x)[1]


def loops_size(robot: Robot, postures: ClosedPostures) -> float:
    """Return the largest length in the loops."""
    return _Closing(robot).tree(postures.parameters, len(next(iter(postures.joints.values())))).size


def loop_axes(
    robot: Robot, postures: ClosedPostures, loop: Loop
) -> tuple[dict[int, tuple[Array, Array]], float]:
    """Axis and a point on it of every joint of a loop, from where its sides part, and the largest length."""
    count = len(next(iter(postures.joints.values())))
    tree = _Closing(robot).tree(postures.parameters, count)
    at = around(tree, loop, np.array([postures.joints[j] for j in tree.coordinates]).T)
    return {j: (at[j].rotation[:, :, 2], at[j].position) for j in loop.frames}, tree.size


def some_postures(postures: ClosedPostures, kept: Flags | slice) -> ClosedPostures:
    """Return a part of a sample."""
    parameters = {name: values[kept] for name, values in postures.parameters.items()}
    return replace(postures, parameters=parameters, joints={j: q[kept] for j, q in postures.joints.items()})


def joined(parts: Sequence[ClosedPostures]) -> ClosedPostures:
    """Return several samples as one, with the ranks of the first."""
    parameters = {
        name: np.concatenate([one.parameters[name] for one in parts]) for name in parts[0].parameters
    }
    joints = {j: np.concatenate([one.joints[j] for one in parts]) for j in parts[0].joints}
    return replace(parts[0], parameters=parameters, joints=joints)


class _Closing:
    """The loops of a robot, for numbers to come."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.frames = sorted({j for loop in loops(robot) for j in loop.frames})
        self.names = sorted({name for f in formulas(robot, self.frames) for name in f.symbols})
        places = [robot.frame(j) for j in self.frames]
        lengths = [x for place in places for x in (place.b, place.d, place.r)]
        numbers = [abs(float(x.number)) for x in lengths if x.number is not None]
        # Random lengths are of the size of the known ones.
        self.unit = max(numbers, default=0.0) or 1.0
        angles = [x for place in places for x in (place.gamma, place.alpha, place.theta)]
        self.angles = {name for x in angles for name in x.symbols}

    def parameters(self, chance: random.Random, *, nominal: bool) -> dict[str, Array] | None:
        known = dict(self.robot.nominal)
        if nominal and not all(name in known for name in self.names):
            return None
        values = {}
        for name in self.names:
            unit = 1.0 if name in self.angles else self.unit
            drawn = [
                known[name] if nominal else unit * chance.uniform(0.35, 1.65) for _ in range(SIDE_BY_SIDE)
            ]
            values[name] = np.array(drawn)
        return values

    def tree(self, values: Mapping[str, Array], count: int = SIDE_BY_SIDE) -> NumericTree:
        graph = Graph()

        def value(f: Formula) -> Array | float:
            known = f.number
            if known is None:
                known = evaluate(graph, [f.into(graph).lit], values)[0]
            return known

        return numeric_tree(self.robot, value, postures=count, frames=self.frames)

    def starts(self, tree: NumericTree, chance: random.Random) -> Array:
        """Return random joints to start from; lengths up to one and a half of the largest in the loops."""
        turns = [self.robot.frame(j).sigma == JointType.REVOLUTE for j in tree.coordinates]
        rows = [
            [chance.uniform(-3, 3) if t else chance.uniform(0, 1.5) for t in turns]
            for _ in range(SIDE_BY_SIDE)
        ]
        return np.array(rows) * tree.units

    def passive_ranks(self, tree: NumericTree, x: Array) -> Array:
        _, jacobian = balanced_closure(tree, x)
        return _ranks(jacobian[:, :, [tree.coordinates.index(j) for j in passive_joints(self.robot)]])

    def by_joint(self, positions: Array) -> dict[int, Array]:
        frames = enumerate(self.robot.frames[: self.robot.NJ], 1)
        return {j: positions[:, j - 1] for j, frame in frames if frame.moving}

    def postures(
        self, samples: Sequence[tuple[dict[str, float], Array]], passive_rank: int
    ) -> ClosedPostures:
        parameters = {name: np.array([values[name] for values, _ in samples]) for name in self.names}
        x = np.array([row for _, row in samples])
        tree = self.tree(parameters, len(x))
        joints = self.by_joint(joint_positions(tree, x))
        return ClosedPostures(
            parameters, joints, int(_ranks(balanced_closure(tree, x)[1]).max()), passive_rank
        )


def _ranks(matrices: Array) -> Array:
    matrices = np.nan_to_num(matrices)  # where lengths have no value
    return np.array(numeric_ranks(matrices, threshold(CLOSED_POSTURES.present)))
