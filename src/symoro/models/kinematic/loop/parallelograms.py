"""Parallelograms among the loops, as relations between joints: their velocity equations need no solution.

On the branch where opposite sides are parallel the joints of a parallelogram are sums of others plus a constant
(`geometric.loop.parallelogram`): G is constant there, b = 0, also where the four sides lie in one line and the
velocity equations (1997 paper, eq. 12) have no solution. It is one whatever the numbers, that
is by sides of equal length in symbols; any passive joint, not an active one alone, may be what the others follow.

A loop with the lengths of a parallelogram that is crossed in the posture 'home' of the robot (an antiparallelogram, or
a rhombus folded up) has velocity equations like any other loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import remainder, tau

from symoro.expr.formula import ZERO, Formula, formula
from symoro.expr.linalg import identity
from symoro.expr.scalar import symbol
from symoro.models.geometric.inverse.chain.chain import Linear, chain_of
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.geometric.loop.mechanism import joint_unknown, way_round
from symoro.models.geometric.loop.parallelogram import parallelogram
from symoro.models.numeric.home import closed_home
from symoro.program.builder import Builder
from symoro.robot.coordinates import Relation, followers, following, relation
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import Loop, loops

MOST_DRIVERS = 2  # passive joints of a loop that may stand for what the others follow
OFF_BRANCH = 1e-4  # sine of half the angle by which a closed loop misses the relations of a parallelogram


@dataclass(frozen=True)
class LinearLoops:
    """A robot with relations in place of its parallelograms.

    Attributes:
        robot: the robot; joints of parallelograms follow others.
        relations: those joints, opened ones included, with what they follow.
        open: the loops that are no parallelograms.
    """

    robot: Robot
    relations: Mapping[int, Relation]
    open: tuple[Loop, ...]


@lru_cache(maxsize=64)
def linear_loops(robot: Robot) -> LinearLoops:
    """The parallelograms of a robot, and the loops that are left."""
    found: dict[int, Relation] = {}
    left = loops(robot)
    home = closed_home(robot)
    while one := next(((loop, law) for loop in left if (law := _relations(robot, loop, found, home))), None):
        loop, laws = one
        found.update({j: _followed(law, found) for j, law in laws.items()})
        left = [other for other in left if other != loop]
    given = {j: _followed(law, found) for j, law in followers(robot).items()}
    return LinearLoops(following(robot, {**given, **found}) if found else robot, found, tuple(left))


def _relations(
    robot: Robot, loop: Loop, known: Mapping[int, Relation], home: Mapping[int, float] | None
) -> dict[int, Relation] | None:
    """Return the relations of the joints of a parallelogram; None for another loop, or one that 'home' crosses."""
    moving = [j for j in loop.frames if robot.frame(j).moving]
    if any(relation(robot, j) for j in loop.frames):
        return None
    passive = [j for j in moving if j not in known and (j > robot.NL or not robot.frame(j).mu)]
    kept = len(passive) - 3
    if not 0 <= kept <= MOST_DRIVERS:
        return None
    builder = Builder("parallelogram")
    every = way_round(builder, robot, loop, {}, {})
    probes = Probes(builder, every)
    chain = chain_of(builder, every, identity(4), probes.vanishes)
    for drivers in combinations([j for j in passive if j <= robot.NL], kept):
        unknown = {j: joint_unknown(builder, robot, j) for j in passive if j not in drivers}
        given = {j: symbol(builder.graph, f"q{j}") for j in moving if j not in unknown}
        found = parallelogram(builder, probes, chain, given, unknown, every_mode=False)
        if found is not None:
            laws = {j: _relation(law) for j, law in found.linear.items()}
            return laws if home is None or _hold(robot, laws, home) else None
    return None


def _hold(robot: Robot, laws: Mapping[int, Relation], q: Mapping[int, float]) -> bool:
    """Return whether the turning joints satisfy the relations at a closed posture, except for whole turns."""
    values = dict(robot.nominal)
    for j, law in laws.items():
        away = q[j] - law.offset.value(values) - sum(c.value(values) * q[i] for i, c in law.terms)
        if robot.frame(j).sigma == JointType.REVOLUTE and abs(remainder(away, tau)) > 2 * OFF_BRANCH:
            return False
    return True


def _relation(law: Linear) -> Relation:
    terms = tuple((i, formula(n)) for i, n in law.terms if n)
    return Relation(terms, formula(str(law.constant)))


def _followed(law: Relation, known: Mapping[int, Relation]) -> Relation:
    """A relation in terms of joints that follow no other."""
    terms: dict[int, Formula] = {}
    offset = law.offset
    for i, ratio in law.terms:
        inner = known.get(i, Relation(((i, formula(1)),)))
        offset = offset + ratio * inner.offset
        for k, share in inner.terms:
            terms[k] = terms.get(k, ZERO) + ratio * share
    return Relation(tuple((k, c) for k, c in terms.items() if not c.is_zero), offset)
