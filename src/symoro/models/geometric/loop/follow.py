"""Inverse geometry of an arm with loops: the joints on the way are solved first, the loops give the others.

The way from the base to the frame is a serial chain (`inverse/`). Each of its solutions is known to the loops, which
are then solved for what is left, motors off the way included, in all assembly modes; what of the motors neither the
way nor the loops determine is taken from q0.

Where the loops tie joints of the way to each other, not every pose of the tree is a pose of the robot, and an equation
may vanish on all that are: the method of solution must not rest on it. A joint that parallelograms make linear in
others of the way is substituted before the way is solved. Other ties are solved for twice, from the pose and from the
loops, and only rows that agree are solutions; the numbers by which equations are chosen, and formulas tried, are then
those of closed postures.

    status    that of the way, or of the loops where it is worse: empty slot, out of reach, singular, valid
    residual  the larger of both: direct geometry less the pose, and by how much a loop stays open

W. Khalil, D. Creusot, "SYMORO+: a system for the symbolic modelling of robots", Robotica 15, 1997, end of section 3.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from symoro.errors import NotApplicableError
from symoro.expr.scalar import Expr, absolute, cos, equal, maximum, select, sin, symbol
from symoro.models.geometric.inverse.branches import EMPTY, OUT_OF_REACH, Solution, unrolled
from symoro.models.geometric.inverse.chain.chain import Linear
from symoro.models.geometric.inverse.chain.problem import ChainClosure, Problem
from symoro.models.geometric.inverse.finite import relative
from symoro.models.geometric.loop.relations import LoopRelations, loop_name, solved_loops
from symoro.program.builder import Builder
from symoro.program.program import Stage
from symoro.robot.coordinates import independent, relation
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import cut_joints, loops, path

if TYPE_CHECKING:
    from symoro.models.geometric.loop.postures import ClosedPostures


@dataclass(frozen=True)
class Followed:
    """The solutions with all joints, what was chosen, and the derivation."""

    solutions: list[Solution]
    choices: tuple[str, ...]
    derivation: tuple[Stage, ...]


@dataclass(frozen=True)
class KnownJoints:
    """What the loops are solved from.

    Attributes:
        way: joints of the way that can be chosen at will; `tied`: those that the loops then determine.
        start: motors off the way, at q0.
    """

    way: list[int]
    tied: list[int]
    start: list[int]

    @property
    def joints(self) -> list[int]:
        return self.way + self.start


@dataclass(frozen=True)
class LoopClosure(ChainClosure):
    """The closure with the loops' solution from the given joints, whose symbols are `active`."""

    given: KnownJoints
    relations: LoopRelations
    active: Mapping[int, Expr]


def loop_closure(
    robot: Robot,
    given: KnownJoints,
    builder: Builder,
    start: Mapping[int, Expr],
    locked: Sequence[int],
    *,
    every_mode: bool,
) -> LoopClosure:
    """Solve the loops from the given joints, and return what they require of the joints on the way.

    Arguments:
        start: q0 by joint.
        locked: joints of the way that q0 gives.
        every_mode: whether parallelograms have their crossed mode too.

    Raises:
        NotApplicableError: no closed form was found for a loop, or the joints do not determine it.
    """
    active = {j: symbol(builder.graph, f"q{j}") for j in given.joints}
    cut_positions = dict.fromkeys(cut_joints(robot), builder.number(0))
    driven = driven_by(robot, given.joints)
    relations = solved_loops(builder, driven, active, {**start, **cut_positions}, every_mode=every_mode)
    if relations.unsolved:
        names = ", ".join(map(loop_name, relations.unsolved))
        raise NotApplicableError(
            f"no closed form was found for loop {names} of robot '{robot.name}' from the joints on the way",
            hint="solve the way alone on robot.tree(), the robot with its loops cut; loop-geometry with "
            "method='numeric', of the robot with the joints on the way active, then closes the loops from a posture",
        )
    known = {j: start[j] for j in (*given.start, *locked)}
    laws = {j: _law(relations, j, known) for j in given.tied if j in relations.linear and j not in locked}
    tied = tuple(j for j in given.tied if j not in laws)

    def postures(count: int, nominal: bool) -> ClosedPostures:
        return _closed_postures(robot, count, nominal=nominal, crossed=every_mode)

    return LoopClosure(laws, tied, postures, given, relations, active)


def _law(relations: LoopRelations, j: int, known: Mapping[int, Expr]) -> Linear:
    """Return a joint that parallelograms make linear, in terms of joints on the way and of known ones alone."""
    terms: dict[int, int] = {}
    law = relations.linear[j]
    constant, left = law.constant, list(law.terms)
    while left:
        i, n = left.pop()
        if i in relations.linear:
            inner = relations.linear[i]
            constant = constant + n * inner.constant
            left += [(k, n * m) for k, m in inner.terms]
        elif i in known:
            constant = constant + n * known[i]
        else:
            terms[i] = terms.get(i, 0) + n
    return Linear(tuple((i, n) for i, n in sorted(terms.items()) if n), constant)


def _closed_postures(robot: Robot, count: int, *, nominal: bool, crossed: bool) -> ClosedPostures:
    """Return closed postures, half of them without crossed parallelograms where there may be some.

    Both kinds of postures have solutions, so that no equation may be chosen that vanishes on one of them.
    """
    from symoro.models.geometric.loop.postures import closed_postures, joined, some_postures

    plain = closed_postures(robot, count, nominal=nominal, crossed=False)
    if not crossed:
        return plain
    every = closed_postures(robot, count, nominal=nominal, crossed=True)
    half = min(count, len(next(iter(plain.joints.values())))) // 2
    return joined([some_postures(plain, slice(half)), some_postures(every, slice(half))])


def followed(problem: Problem, solutions: Sequence[Solution], tolerance: float) -> Followed:
    """Return the solutions of a way, each with every assembly mode of the loops."""
    closure = problem.closure
    assert isinstance(closure, LoopClosure)
    rows = [
        row
        for number, one in enumerate(solutions)
        for row in _modes(problem, closure, one, number, tolerance)
    ]
    stages = tuple(stage for one in closure.relations.solved for stage in one.stages)
    return Followed(rows, _told(problem, closure), stages)


def way_joints(robot: Robot, frm: int, to: int) -> list[int]:
    """Return the joints with a coordinate of their own on the way between two frames, in the order of the way.

    Raises:
        NotApplicableError: the way passes a joint where a loop is opened.
    """
    up, down = path(robot, frm, to)
    frames = [j for j in (*up, *down) if robot.frame(j).moving]
    cut = [j for j in frames if j > robot.NL]
    if cut:
        raise NotApplicableError(
            f"robot '{robot.name}': the way from frame {frm} to frame {to} passes joint {cut[0]}, where a loop is "
            "opened",
            hint=f"ask for the frame of a link, 1 to {robot.NL}",
        )
    laws = {j: relation(robot, j) for j in frames}
    moved = [i for j, law in laws.items() for i in ([j] if law is None else [i for i, _ in law.terms])]
    return list(dict.fromkeys(moved))


def driven_by(robot: Robot, joints: Sequence[int]) -> Robot:
    """The robot with these joints of its loops active, and no others of them."""
    in_loops = {j for loop in loops(robot) for j in loop.frames}
    frames = [
        replace(frame, mu=j in joints) if j in in_loops or j in joints else frame
        for j, frame in enumerate(robot.frames, 1)
    ]
    return replace(robot, frames=tuple(frames))


def given_joints(robot: Robot, on_way: Sequence[int]) -> KnownJoints:
    """Which joints of the way, and which motors off it, tell where the loops stand."""
    from symoro.models.geometric.loop.mobility import (
        constraints,  # it loads NumPy, which the catalogue does without
    )

    at = constraints(robot)
    way = [j for j in on_way if j in at.joints]
    motors = [j for j in independent(robot) if robot.frame(j).mu and j not in way]
    chosen = at.chosen([*way, *motors])
    return KnownJoints(
        [j for j in way if j in chosen],
        [j for j in way if j not in chosen],
        [j for j in motors if j in chosen],
    )


def _modes(
    problem: Problem, closure: LoopClosure, one: Solution, number: int, tolerance: float
) -> list[Solution]:
    """The modes of the loops for one solution of the way."""
    builder, graph = problem.builder, problem.builder.graph
    given, relations = closure.given, closure.relations
    tied = _agreeing(problem, closure)
    way = {j: one.joints.get(j, problem.start[j]) for j in (*given.way, *tied)}
    values = {**way, **{j: problem.start[j] for j in given.start}}
    known = {closure.active[j].lit: values[j] for j in given.joints}
    steps = [step for loop in relations.solved for step in loop.steps]
    joints = {j: unknown.length for j, unknown in relations.joints.items()}
    gaps = [gap for loop in relations.solved for gap in loop.differences]
    agreed = {j: symbol(graph, f"way{j}") for j in tied}
    for j, there in agreed.items():
        gaps += _apart(problem, j, joints[j], there)
    known |= {there.lit: way[j] for j, there in agreed.items()}
    count = 1
    for step in steps:
        count *= len(step.choices)
    modes = unrolled(builder, steps, joints, gaps, tolerance, known=known, first=1 + number * count)
    return [_both(problem, one, mode, values) for mode in modes]


def _agreeing(problem: Problem, closure: LoopClosure) -> list[int]:
    """Return the tied joints whose value on the way must be that of the loops; for an idle joint any value would do."""
    return [j for j in closure.tied if j not in problem.idle]


def _apart(problem: Problem, j: int, x: Expr, y: Expr) -> list[Expr]:
    """Return the differences of two values of a joint, without whole turns; lengths are divided by the robot's size."""
    if problem.robot.frame(j).sigma != JointType.REVOLUTE:
        return [relative(problem.builder, [x - y], problem.chain.size)]
    pairs = [(sin(x), sin(y)), (cos(x), cos(y))]
    return [problem.builder.number(absolute(a - b)) for a, b in pairs]


def _both(problem: Problem, way: Solution, loop: Solution, values: Mapping[int, Expr]) -> Solution:
    """A solution of the way with a mode of the loops."""
    number = problem.builder.number
    joints = {**loop.joints, **values, **way.joints}
    status = maximum(way.status, loop.status)
    for worse in (OUT_OF_REACH, EMPTY):
        either = maximum(equal(way.status, worse), equal(loop.status, worse))
        status = select(either, worse, status)
    return Solution(
        joints,
        {**loop.free, **way.free},
        number(maximum(way.residual, loop.residual)),
        number(status),
    )


def _told(problem: Problem, closure: LoopClosure) -> tuple[str, ...]:
    given, relations = closure.given, closure.relations
    lines = [one.sentence for one in relations.solved]
    lines += [f"q{j} is determined by neither the pose nor the loops: taken from q0" for j in given.start]
    lines += [f"q{j} = {law} by the loops: not an unknown of the pose" for j, law in closure.laws.items()]
    lines += [
        f"q{j} follows from the loops too: rows where both agree are solutions"
        for j in _agreeing(problem, closure)
    ]
    return tuple(lines)
