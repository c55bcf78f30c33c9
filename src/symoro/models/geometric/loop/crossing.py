"""Which closed postures have all parallelograms as such, none of them crossed: of crossed ones no robot is built."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symoro.expr.evaluate import evaluate
from symoro.expr.linalg import identity
from symoro.models.coordinates.couplings import uncoupled
from symoro.models.geometric.inverse.chain.chain import chain_of
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.geometric.loop.forms import AngleSum
from symoro.models.geometric.loop.mechanism import way_round
from symoro.models.geometric.loop.parallelogram import Side, four_sides
from symoro.models.numeric.closure import Flags
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.home import closed_home
from symoro.program.builder import Builder
from symoro.robot.coordinates import relation
from symoro.robot.description import Robot
from symoro.robot.topology import Loop, loops

ZERO = 1e-7  # of the sum of two opposite sides beside their lengths: it is zero in a parallelogram


def parallelogram_of(builder: Builder, robot: Robot, loop: Loop) -> tuple[list[Side], AngleSum] | None:
    """The sides of a loop that is a parallelogram by its lengths, whatever they are, and what closes it; or None."""
    if any(relation(robot, j) for j in loop.frames):
        return None
    every = way_round(builder, uncoupled(robot), loop, {}, {})
    probes = Probes(builder, every)
    return four_sides(builder, probes, chain_of(builder, every, identity(4), probes.vanishes))


def uncrossed(robot: Robot, parameters: Mapping[str, Array], joints: Mapping[int, Array]) -> Flags:
    """Of each closed posture whether all parallelograms of the robot are such."""
    count = len(next(iter(joints.values())))
    kept = np.ones(count, bool)
    for loop in loops(robot):
        builder = Builder("loop")
        total, size = np.zeros(count, complex), np.zeros(count)
        sides, _ = parallelogram_of(builder, robot, loop) or ([], None)
        for side in sides[::2]:
            lits = [builder.number(x).lit for x in side.vector]
            x, y = evaluate(builder.graph, lits, parameters)
            angle = sum(n * joints[j] for j, n in side.form.joints.items())
            total = total + (x + 1j * y) * np.exp(1j * angle)
            size = size + np.hypot(x, y)
        kept &= np.abs(total) <= ZERO * size
    return kept


def crossed_at_home(robot: Robot) -> bool:
    """Whether the posture 'home' of the robot closes its loops with a crossed parallelogram."""
    home = closed_home(robot)
    if home is None:
        return False
    parameters = {name: np.array([value]) for name, value in robot.nominal}
    return not uncrossed(robot, parameters, {j: np.array([q]) for j, q in home.items()})[0]
