"""Inverse geometry of an arm with closed loops: the joints on the path are solved first, then the loops.

The path from the base to the frame is a serial chain (`inverse/`). For each of its solutions, the loops are solved for
the other joints, including motors that are not on the path, in all assembly modes. Motors that neither the path nor
the loops determine have the positions given by q0.

If the loops constrain joints of the path, the robot cannot reach all poses that the tree with cut loops can reach, and
an equation may vanish on all poses that the robot can reach. The method of solution must not use such an equation. A
joint that parallelograms make a linear function of other joints of the path is substituted before the path is solved.
Other dependent joints are solved twice, from the pose and from the loops, and only rows in which both results agree are
solutions. In this case, equations are chosen and formulas are verified at sampled configurations with closed loops.

    status    the worse status of path and loops; from worst to best: no solution, out of reach, singular, valid
    residual  the larger residual: difference of direct geometry from the pose, or closure error of the loops

W. Khalil, D. Creusot, "SYMORO+: a system for the symbolic modelling of robots", Robotica 15, 1997, end of section
3.3.
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
class LoopSolutions:
    """Solutions of inverse geometry for a robot with closed loops.

    Attributes:
        solutions: solutions with the positions of all joints.
        choices: notes about the solutions, for the user.
        derivation: derivation of the loops' formulas.
    """

    solutions: list[Solution]
    choices: tuple[str, ...]
    derivation: tuple[Stage, ...]


@dataclass(frozen=True)
class KnownJoints:
    """Classification of the joints in an inverse geometry problem with loops; the loops are solved from some of them.

    Attributes:
        on_path: numbers of the independent joints of the path; the loops are solved from them.
        tied: numbers of the joints of the path that the loops determine from the other joints.
        start: numbers of motors that are not on the path; the loops are solved from their positions in q0.
    """

    on_path: list[int]
    tied: list[int]
    start: list[int]

    @property
    def joints(self) -> list[int]:
        return self.on_path + self.start


@dataclass(frozen=True)
class LoopClosure(ChainClosure):
    """Constraints of the loops on the joints of the path, and the solution of the loops.

    Attributes:
        given: joints from which the loops are solved.
        relations: closed-form solution of the loops.
        active: symbols of the joints from which the loops are solved, by joint number.
    """

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
    """Solve the loops from the joints on the path and return their constraints on these joints.

    Args:
        given: joints from which the loops are solved.
        start: input q0 (given joint positions), by joint number.
        locked: joints of the path whose positions are given by q0.
        every_mode: whether the crossed mode of parallelograms is included.

    Raises:
        NotApplicableError: a loop has no closed-form solution, or the joints do not determine it.
    """
    active = {j: symbol(builder.graph, f"q{j}") for j in given.joints}
    cut_positions = dict.fromkeys(cut_joints(robot), builder.number(0))
    driven = driven_by(robot, given.joints)
    relations = solved_loops(builder, driven, active, {**start, **cut_positions}, every_mode=every_mode)
    if relations.unsolved:
        names = ", ".join(map(loop_name, relations.unsolved))
        raise NotApplicableError(
            f"no closed form exists for loop {names} of robot '{robot.name}' from the joints on the path",
            hint="solve the inverse geometry of robot.tree(), the robot with cut loops; then make the "
            "joints on the path active, and close the loops with the model loop-geometry, "
            "method='numeric', from a posture q0",
        )
    known = {j: start[j] for j in (*given.start, *locked)}
    laws = {j: _law(relations, j, known) for j in given.tied if j in relations.linear and j not in locked}
    tied = tuple(j for j in given.tied if j not in laws)

    def postures(count: int, nominal: bool) -> ClosedPostures:
        return _closed_postures(robot, count, nominal=nominal, crossed=every_mode)

    return LoopClosure(laws, tied, postures, given, relations, active)


def _law(relations: LoopRelations, j: int, known: Mapping[int, Expr]) -> Linear:
    """Return joint j as a linear function of independent joints of the path.

    The linear functions of several parallelograms are substituted into each other.

    Args:
        relations: closed-form solution of the loops, with linear functions of the joints of parallelograms.
        j: number of the joint.
        known: positions of known joints, by joint number; they become part of the constant.
    """
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
    """Return sampled configurations with closed loops.

    If crossed parallelograms are included, at most half of the configurations contain one. An equation that vanishes on
    all crossed or on all uncrossed configurations must not be chosen, because both kinds have solutions.

    Args:
        count: number of configurations.
        nominal: whether the robot's nominal parameter values are used where possible.
        crossed: whether crossed parallelograms are included.
    """
    from symoro.models.geometric.loop.postures import closed_postures, joined, some_postures

    plain = closed_postures(robot, count, nominal=nominal, crossed=False)
    if not crossed:
        return plain
    every = closed_postures(robot, count, nominal=nominal, crossed=True)
    half = min(count, len(next(iter(plain.joints.values())))) // 2
    return joined([some_postures(plain, slice(half)), some_postures(every, slice(half))])


def with_loop_modes(problem: Problem, solutions: Sequence[Solution], tolerance: float) -> LoopSolutions:
    """Combine each solution of the path with every assembly mode of the loops.

    Args:
        solutions: solutions of the path as a serial chain.
        tolerance: largest residual of a valid solution.
    """
    closure = problem.closure
    assert isinstance(closure, LoopClosure)
    rows = [
        row
        for number, one in enumerate(solutions)
        for row in _modes(problem, closure, one, number, tolerance)
    ]
    stages = tuple(stage for one in closure.relations.solved for stage in one.stages)
    return LoopSolutions(rows, _notes(problem, closure), stages)


def path_joints(robot: Robot, frm: int, to: int) -> list[int]:
    """Return the numbers of the independent joints on the path between two frames, in path order.

    Raises:
        NotApplicableError: the path contains a cut joint.
    """
    up, down = path(robot, frm, to)
    frames = [j for j in (*up, *down) if robot.frame(j).moving]
    cut = [j for j in frames if j > robot.NL]
    if cut:
        raise NotApplicableError(
            f"robot '{robot.name}': the path from frame {frm} to frame {to} contains the cut joint {cut[0]} of a loop",
            hint=f"choose the frame of a link, 1 to {robot.NL}",
        )
    laws = {j: relation(robot, j) for j in frames}
    moved = [i for j, law in laws.items() for i in ([j] if law is None else [i for i, _ in law.terms])]
    return list(dict.fromkeys(moved))


def driven_by(robot: Robot, joints: Sequence[int]) -> Robot:
    """Return a copy of the robot in which the given joints are the only active joints of the loops."""
    in_loops = {j for loop in loops(robot) for j in loop.frames}
    frames = [
        replace(frame, mu=j in joints) if j in in_loops or j in joints else frame
        for j, frame in enumerate(robot.frames, 1)
    ]
    return replace(robot, frames=tuple(frames))


def given_joints(robot: Robot, joints_on_path: Sequence[int]) -> KnownJoints:
    """Select independent joints from which the loops can be solved.

    Joints of the path have priority over motors that are not on the path.

    Args:
        joints_on_path: numbers of the joints on the path.
    """
    from symoro.models.geometric.loop.mobility import (
        constraints,  # imported here because it loads NumPy
    )

    at = constraints(robot)
    on_path = [j for j in joints_on_path if j in at.joints]
    motors = [j for j in independent(robot) if robot.frame(j).mu and j not in on_path]
    chosen = at.independent([*on_path, *motors])
    return KnownJoints(
        [j for j in on_path if j in chosen],
        [j for j in on_path if j not in chosen],
        [j for j in motors if j in chosen],
    )


def _modes(
    problem: Problem, closure: LoopClosure, one: Solution, number: int, tolerance: float
) -> list[Solution]:
    """Return one solution per assembly mode of the loops, for one solution of the path.

    Args:
        closure: solution of the loops.
        one: the solution of the path.
        number: index of that solution, used in the names of variables.
        tolerance: largest residual of a valid solution.
    """
    builder, graph = problem.builder, problem.builder.graph
    given, relations = closure.given, closure.relations
    tied = _agreeing(problem, closure)
    on_path = {j: one.joints.get(j, problem.start[j]) for j in (*given.on_path, *tied)}
    values = {**on_path, **{j: problem.start[j] for j in given.start}}
    known = {closure.active[j].lit: values[j] for j in given.joints}
    steps = [step for loop in relations.solved for step in loop.steps]
    joints = {j: unknown.length for j, unknown in relations.joints.items()}
    gaps = [gap for loop in relations.solved for gap in loop.differences]
    agreed = {j: symbol(graph, f"path{j}") for j in tied}
    for j, on_path_symbol in agreed.items():
        gaps += _apart(problem, j, joints[j], on_path_symbol)
    known |= {on_path_symbol.lit: on_path[j] for j, on_path_symbol in agreed.items()}
    count = 1
    for step in steps:
        count *= len(step.choices)
    modes = unrolled(builder, steps, joints, gaps, tolerance, known=known, first=1 + number * count)
    return [_both(problem, one, mode, values) for mode in modes]


def _agreeing(problem: Problem, closure: LoopClosure) -> list[int]:
    """Return the numbers of the joints whose positions from the pose and from the loops must agree."""
    return [j for j in closure.tied if j not in problem.idle]


def _apart(problem: Problem, j: int, x: Expr, y: Expr) -> list[Expr]:
    """Return the differences between two positions x and y of joint j.

    They are the differences of sine and cosine for a revolute joint, and the difference divided by the robot's size
    for a prismatic one.
    """
    if problem.robot.frame(j).sigma != JointType.REVOLUTE:
        return [relative(problem.builder, [x - y], problem.chain.size)]
    pairs = [(sin(x), sin(y)), (cos(x), cos(y))]
    return [problem.builder.number(absolute(a - b)) for a, b in pairs]


def _both(problem: Problem, on_path: Solution, loop: Solution, values: Mapping[int, Expr]) -> Solution:
    """Combine a solution of the path with an assembly mode of the loops.

    Args:
        on_path: solution of the path.
        loop: assembly mode of the loops.
        values: positions of the joints from which the loops were solved, by joint number.
    """
    number = problem.builder.number
    joints = {**loop.joints, **values, **on_path.joints}
    status = maximum(on_path.status, loop.status)
    for worse in (OUT_OF_REACH, EMPTY):
        either = maximum(equal(on_path.status, worse), equal(loop.status, worse))
        status = select(either, worse, status)
    return Solution(
        joints,
        {**loop.free, **on_path.free},
        number(maximum(on_path.residual, loop.residual)),
        number(status),
    )


def _notes(problem: Problem, closure: LoopClosure) -> tuple[str, ...]:
    given, relations = closure.given, closure.relations
    lines = [one.sentence for one in relations.solved]
    lines += [
        f"q{j} is determined neither by the pose nor by the loops: its value is taken from q0"
        for j in given.start
    ]
    lines += [
        f"q{j} = {law} because of the loops: it is not an unknown of the pose"
        for j, law in closure.laws.items()
    ]
    lines += [
        f"q{j} is also determined by the loops: only rows in which both values agree are solutions"
        for j in _agreeing(problem, closure)
    ]
    return tuple(lines)
