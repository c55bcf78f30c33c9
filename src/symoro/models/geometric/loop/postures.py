"""Sampled closed configurations: joint positions that close every loop, for random or nominal lengths and angles.

They are the samples of Paul's method. They also show whether the active joints determine the passive ones. Let J be the
derivative of the closure errors with respect to all joints, and Jp that with respect to the passive joints; the
conditions are

    rank Jp = number of passive joints,    rank J = rank Jp.

Newton's method (`numeric.closure`) computes many configurations at once, each with a separate geometry.
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

SIDE_BY_SIDE = 48  # configurations that are closed at once
ROUNDS = 4  # for random lengths and for nominal ones; more only while some configurations close
MOST_ROUNDS = 40  # of each kind: with n parallelograms, one of 2^n closed configurations has none crossed
ITERATIONS = 60
AROUND = 0.3  # rad, or fraction of the largest length: distance of configurations from a named one


@dataclass(frozen=True)
class ClosedPostures:
    """Sampled configurations of a robot with closed loops.

    Attributes:
        parameters: values of the robot's symbols, one per configuration, by name.
        joints: joint positions, one per configuration, by joint number.
        rank: rank of the closure Jacobian with respect to all joints.
        passive_rank: rank of the closure Jacobian with respect to the passive joints.
    """

    parameters: Mapping[str, Array]
    joints: Mapping[int, Array]
    rank: int
    passive_rank: int


def closed_postures(
    robot: Robot, count: int = SAMPLES, *, nominal: bool = False, crossed: bool = True
) -> ClosedPostures:
    """Return random configurations with closed loops.

    Args:
        count: desired number of configurations; fewer may be returned, but at least SAMPLES.
        nominal: whether to try the robot's nominal numbers before random ones.
        crossed: whether parallelograms may be crossed.

    Raises:
        NotApplicableError: no configuration closes the loops.
    """
    closing = _Closing(robot)
    generator = random.Random(1)
    closed_samples: list[tuple[int, dict[str, float], Array]] = []
    for own_numbers in (nominal, not nominal):
        for attempt in range(MOST_ROUNDS):
            values = closing.parameters(generator, nominal=own_numbers)
            if values is None:
                break
            tree = closing.tree(values)
            x = closing.starts(tree, generator)
            enough = 2 * SAMPLES  # some of them may be discarded
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
            # A folded rhombus can rotate about one corner: such configurations have a different mobility.
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
        f"no configuration closes the loops of robot '{robot.name}'",
        hint="check the lengths and angles of the frames of the loop; give nominal values for lengths that must match",
    )


def every_closed(robot: Robot, seed: int = 1) -> ClosedPostures | None:
    """Return all closed configurations to which Newton's method converges from one set of random initial values.

    The robot's parameters have their nominal values if all of them have one; if not, they have random values.

    Args:
        seed: seed of the random numbers.

    Returns:
        The configurations; None if the loops close in none of them.
    """
    closing = _Closing(robot)
    generator = random.Random(seed)
    values = closing.parameters(generator, nominal=True) or closing.parameters(generator, nominal=False)
    assert values is not None
    tree = closing.tree(values)
    x = closing.starts(tree, generator)
    x, good = closed(tree, x, range(x.shape[1]), ITERATIONS, damped=True)
    kept = np.flatnonzero(good)
    rows = [({name: float(v[k]) for name, v in values.items()}, x[k]) for k in kept]
    return closing.postures(rows, int(closing.passive_ranks(tree, x)[kept].max())) if rows else None


def postures_near(robot: Robot, posture: Sequence[float], seed: int = 1) -> ClosedPostures | None:
    """Return closed configurations near a given one, with the robot's nominal numbers.

    Only neighbours are returned, because other assembly modes of the mechanism may move differently: an
    antiparallelogram does not move like a parallelogram. If the loops close in few of the neighbouring configurations,
    others are drawn closer to the given one.

    Args:
        posture: positions of the independent joints, rounded positions of a closed configuration.
        seed: seed of the random numbers.

    Returns:
        The configurations; None if the given one cannot be closed or a symbol has no nominal value.
    """
    closing = _Closing(robot)
    generator = random.Random(seed)
    values = closing.parameters(generator, nominal=True)
    if values is None:
        return None
    tree = closing.tree(values)
    x = closing.starts(tree, generator)
    columns = range(len(tree.coordinates))
    own = dict(zip(independent(robot), posture, strict=True))
    given = [k for k in columns if tree.coordinates[k] in own]
    x[:, given] = [own[tree.coordinates[k]] for k in given]
    x, _ = closed(tree, x, [k for k in columns if k not in given], ITERATIONS, damped=True)
    best = x[np.abs(balanced_closure(tree, x)[0]).max(1).argmin()]
    for spread in (AROUND, AROUND / 10, AROUND / 100):
        away = np.array([[generator.uniform(-spread, spread) for _ in columns] for _ in x]) * tree.units
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


def closure_jacobian(robot: Robot, postures: ClosedPostures) -> tuple[tuple[int, ...], Array]:
    """Return the Jacobian of the closure errors with respect to all joints at each configuration.

    Lengths are divided by the largest length, so that entries are comparable.

    Returns:
        The joint numbers (of the tree and cut joints) of the columns, and the Jacobian (S, 12 L, joints) for S
        configurations and L loops.
    """
    count = len(next(iter(postures.joints.values())))
    tree = _Closing(robot).tree(postures.parameters, count)
    x = np.array([postures.joints[j] for j in tree.coordinates]).T
    return tree.coordinates, balanced_closure(tree, x)[1]


def loops_size(robot: Robot, postures: ClosedPostures) -> float:
    """Return the largest distance between consecutive frames in the loops, in m.

    Args:
        postures: sampled configurations with closed loops, which give the lengths of the robot.
    """
    return _Closing(robot).tree(postures.parameters, len(next(iter(postures.joints.values())))).size


def loop_axes(
    robot: Robot, postures: ClosedPostures, loop: Loop
) -> tuple[dict[int, tuple[Array, Array]], float]:
    """Return the axes of all joints of a loop at the sampled configurations.

    They are expressed in the frame at which the two branches of the loop begin.

    Returns:
        The direction (S, 3) and origin (S, 3) of each axis, by joint number, and the largest length in the loops (m); S
        is the number of configurations.
    """
    count = len(next(iter(postures.joints.values())))
    tree = _Closing(robot).tree(postures.parameters, count)
    at = around(tree, loop, np.array([postures.joints[j] for j in tree.coordinates]).T)
    return {j: (at[j].rotation[:, :, 2], at[j].position) for j in loop.frames}, tree.size


def some_postures(postures: ClosedPostures, kept: Flags | slice) -> ClosedPostures:
    """Return a subset of sampled configurations.

    Args:
        kept: mask or slice of the configurations to return.
    """
    parameters = {name: values[kept] for name, values in postures.parameters.items()}
    return replace(postures, parameters=parameters, joints={j: q[kept] for j, q in postures.joints.items()})


def joined(parts: Sequence[ClosedPostures]) -> ClosedPostures:
    """Join several sets of sampled configurations into one set, with the ranks of the first one."""
    parameters = {
        name: np.concatenate([one.parameters[name] for one in parts]) for name in parts[0].parameters
    }
    joints = {j: np.concatenate([one.joints[j] for one in parts]) for j in parts[0].joints}
    return replace(parts[0], parameters=parameters, joints=joints)


class _Closing:
    """Closure equations of a robot's loops, which are evaluated for random or nominal lengths and angles."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.frames = sorted({j for loop in loops(robot) for j in loop.frames})
        self.names = sorted({name for f in formulas(robot, self.frames) for name in f.symbols})
        places = [robot.frame(j) for j in self.frames]
        lengths = [x for place in places for x in (place.b, place.d, place.r)]
        numbers = [abs(float(x.number)) for x in lengths if x.number is not None]
        # Random lengths are of the order of the known ones.
        self.unit = max(numbers, default=0.0) or 1.0
        angles = [x for place in places for x in (place.gamma, place.alpha, place.theta)]
        self.angles = {name for x in angles for name in x.symbols}

    def parameters(self, generator: random.Random, *, nominal: bool) -> dict[str, Array] | None:
        known = dict(self.robot.nominal)
        if nominal and not all(name in known for name in self.names):
            return None
        values = {}
        for name in self.names:
            unit = 1.0 if name in self.angles else self.unit
            drawn = [
                known[name] if nominal else unit * generator.uniform(0.35, 1.65) for _ in range(SIDE_BY_SIDE)
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

    def starts(self, tree: NumericTree, generator: random.Random) -> Array:
        """Return random initial joint positions (configurations, joints), in rad or m.

        Positions of prismatic joints are up to 1.5 times the largest length of the loops.
        """
        turns = [self.robot.frame(j).sigma == JointType.REVOLUTE for j in tree.coordinates]
        rows = [
            [generator.uniform(-3, 3) if t else generator.uniform(0, 1.5) for t in turns]
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
    matrices = np.nan_to_num(matrices)  # NaN where lengths have no value
    return np.array(numeric_ranks(matrices, threshold(CLOSED_POSTURES.present)))
