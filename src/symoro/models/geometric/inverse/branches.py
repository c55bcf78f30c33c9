"""Enumeration of the solutions of an inverse geometric model: one solution per combination of branches of its steps.

    status    0 valid
              1 out of reach
              2 singular: a joint is free, or two branches coincide
              3 no solution in this row: the root of an equation is not a solution, or the solution is a repetition
              4 not decided: the general method did not obtain a solution although one may exist
    residual  the largest of
              - the absolute differences between direct geometry and the given entries of the rotation,
              - the sum of the absolute differences between direct geometry and the given entries of the position,
                divided by the robot's size (`chain.size_of`),
              - |S^2 + C^2 - 1| of each joint angle whose sine S and cosine C were computed from two equations

The sines and cosines that the steps compute are used directly in direct geometry; each joint requires one atan2, for
the output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from symoro.expr.scalar import Expr, Scalar, absolute, atan2, less, less_equal, maximum, minimum, select
from symoro.expr.substitute import substitute
from symoro.models.geometric.inverse.chain.chain import Chain, Unknown
from symoro.models.geometric.inverse.chain.placement import Algebra, forward, times
from symoro.models.geometric.inverse.finite import closes, largest, relative
from symoro.models.geometric.inverse.step import Step
from symoro.models.tolerances import DOUBLE_ROOT, OUT_OF_REACH_ROOT
from symoro.program.builder import Builder

EXACT = Algebra(lambda symbol: symbol, lambda x: x)
VALID, OUT_OF_REACH, SINGULAR, EMPTY, UNDECIDED = range(5)


@dataclass(frozen=True)
class Solution:
    """One solution of an inverse geometric model, as expressions.

    Attributes:
        joints: joint positions, by joint number.
        free: by number, for each joint that can be free: 1 if every position of the joint is a solution, else 0.
        residual: largest difference from the given pose.
        status: 0 valid, 1 out of reach, 2 singular, 3 no solution, 4 not decided (see the module's docstring).
        more: values of further expressions requested by the caller.
    """

    joints: Mapping[int, Expr]
    free: Mapping[int, Expr]
    residual: Expr
    status: Expr
    more: tuple[Expr, ...] = ()


def solutions(
    builder: Builder,
    chain: Chain,
    steps: Sequence[Step],
    given: Sequence[Sequence[bool]],
    tolerance: float,
) -> list[Solution]:
    """Return all solutions of a chain, one per combination of the branches of the steps.

    The branch of the last step varies fastest.

    Args:
        chain: the equation of inverse geometry.
        steps: solution steps, in order; each determines unknowns from earlier ones.
        given: for each entry of the upper three rows of the pose, whether it is given.
        tolerance: largest residual of a valid solution.
    """
    joints = {u.joint: joint_position(builder, u) for u in chain.unknowns}
    return unrolled(builder, steps, joints, list(differences(builder, chain, given)), tolerance)


def unrolled(
    builder: Builder,
    steps: Sequence[Step],
    joints: Mapping[int, Expr],
    differences: Sequence[Expr],
    tolerance: float,
    *,
    more: Sequence[Expr] = (),
    known: Mapping[int, Expr] | None = None,
    first: int = 1,
) -> list[Solution]:
    """Evaluate the solution steps on every combination of their branches.

    Args:
        steps: solution steps, in order; each computes symbols from earlier ones.
        joints: position of each joint as an expression of these symbols, by joint number.
        differences: residuals as expressions of these symbols.
        tolerance: largest residual of a valid solution.
        more: further expressions to evaluate for each solution.
        known: values of symbols that the steps treat as given, by node reference of the symbol.
        first: number of the first solution, used in the names of variables.
    """
    unroll = _Unrolling(builder, steps, joints, differences, tolerance, more, known or {})
    return [unroll.solution(number, choice) for number, choice in enumerate(unroll.choices(), first)]


def joint_position(builder: Builder, unknown: Unknown) -> Expr:
    """Return the position of the joint that an unknown determines; an angle is in (-pi, pi].

    Args:
        unknown: sum of parallel joint angles of which this joint is the last one, or a prismatic joint position.
    """
    if not unknown.turns:
        return unknown.length
    s, c = joint_sine_cosine(unknown)
    return builder.number(atan2(s, c))


def joint_sine_cosine(unknown: Unknown) -> tuple[Scalar, Scalar]:
    """Return the sine and cosine of the last joint angle q of a sum phi of parallel joint angles.

    With the sum phi0 before this joint, q = +-(phi - phi0).

    Args:
        unknown: the sum phi; `unknown.before` is phi0, or None if q is the first angle of the sum.
    """
    s, c = unknown.sine, unknown.cosine
    if unknown.before is not None:
        s0, c0 = unknown.before.sine, unknown.before.cosine
        s, c = s * c0 - c * s0, c * c0 + s * s0
    return unknown.sign * s, c


def differences(builder: Builder, chain: Chain, given: Sequence[Sequence[bool]]) -> Iterator[Expr]:
    """Yield the residuals of a chain: direct geometry minus the given entries of the pose.

    First the absolute difference of each given rotation entry; then one value for the position, the sum of the absolute
    differences of its given entries, divided by the robot's size.

    Args:
        given: for each entry of the upper three rows of the pose, whether it is given.
    """
    number = builder.number
    lengths: list[Scalar] = []
    for r in range(3):
        row: list[Scalar] = [int(r == k) for k in range(4)]
        for item in chain.items:  # multiplied from the base, so that solutions share common factors
            row = times(row, forward(item, EXACT))
        for c in range(4):
            if given[r][c]:
                difference = number(row[c]) - chain.target[r][c]
                if c < 3:
                    yield number(absolute(difference))
                else:
                    lengths.append(difference)
    if lengths:
        yield relative(builder, lengths, chain.size)


class _Unrolling:
    def __init__(
        self,
        builder: Builder,
        steps: Sequence[Step],
        joints: Mapping[int, Expr],
        differences: Sequence[Expr],
        tolerance: float,
        more: Sequence[Expr],
        known: Mapping[int, Expr],
    ) -> None:
        self.builder = builder
        self.graph = builder.graph
        self.steps = steps
        self.joints = joints
        self.differences = differences
        self.tolerance = tolerance
        self.more = more
        self.known = {literal >> 1: value.lit for literal, value in known.items()}

    def choices(self) -> Iterator[tuple[int, ...]]:
        return product(*(range(len(step.choices)) for step in self.steps))

    def solution(self, number: int, choice: Sequence[int]) -> Solution:
        values = dict(self.known)
        reach: list[Expr] = []
        free: dict[int, Expr] = {}
        checks: list[Expr] = []
        is_duplicate: Scalar = self.builder.number(0)
        singular: Scalar = is_duplicate
        for step, branch in zip(self.steps, choice, strict=True):
            self._lines(step, branch, number, values)
            reach += self._put(step.reach, values)
            checks += self._put(step.checks, values)
            for sign, distance in (*step.meets, *step.repeats):
                meets = (sign, distance) in step.meets
                (distance,) = self._put([distance], values)
                singular = maximum(singular, less_equal(distance, OUT_OF_REACH_ROOT)) if meets else singular
                if branch if sign is None else step.choices[branch][sign.lit].number != 1:
                    # Two branches that coincide give one solution.
                    is_duplicate = maximum(is_duplicate, less_equal(distance, DOUBLE_ROOT))
            for unknown, flag in step.free:
                (free[unknown.joint],) = self._put([flag], values)
                singular = maximum(singular, free[unknown.joint])
                if branch:  # the branches of a free joint coincide as well
                    is_duplicate = maximum(is_duplicate, free[unknown.joint])
        misses = [*self._put(self.differences, values), *checks]
        joints = dict(zip(self.joints, self._put(list(self.joints.values()), values), strict=True))
        status = self._status(reach, singular, misses, is_duplicate)
        return Solution(joints, free, largest(misses), status, tuple(self._put(self.more, values)))

    def _lines(self, step: Step, branch: int, number: int, values: dict[int, int]) -> None:
        """Evaluate one solution step on one of its branches and store the results in `values`.

        A branch choice may depend on results of the same step, for example on the roots of a polynomial.

        Args:
            branch: index of the branch.
            number: number of the solution, used in the names of variables.
            values: value of each symbol that is already determined, by node; extended here.
        """
        chosen = step.choices[branch]
        for target, value in step.lines:
            self._choose(chosen, values)
            (made,) = self._put([value], values)
            values[target.lit >> 1] = self._named(target, made, number).lit
        self._choose(chosen, values)

    def _choose(self, chosen: Mapping[int, Expr], values: dict[int, int]) -> None:
        for literal, value in chosen.items():
            values[literal >> 1] = self._put([value], values)[0].lit

    def _put(self, exprs: Sequence[Expr], values: Mapping[int, int]) -> list[Expr]:
        return [Expr(self.graph, lit) for lit in substitute(self.graph, [e.lit for e in exprs], values)]

    def _named(self, target: Expr, made: Expr, number: int) -> Expr:
        name, _ = self.graph.args[target.lit >> 1]
        return self.builder.named(f"{name}_b{number}", made)  # b for branch: S1_2 would be sin(q1 + q2)

    def _status(
        self, reach: Sequence[Expr], singular: Scalar, misses: Sequence[Expr], is_duplicate: Scalar
    ) -> Expr:
        fine = select(is_duplicate, EMPTY, select(singular, SINGULAR, VALID))
        closed = select(closes(self.builder, misses, self.tolerance), fine, EMPTY)
        if reach:
            closed = select(less(_least(reach), -OUT_OF_REACH_ROOT), OUT_OF_REACH, closed)
        return self.builder.number(closed)


def _least(values: Sequence[Expr]) -> Expr:
    least: Scalar = values[0]
    for value in values[1:]:
        least = minimum(least, value)
    return least  # type: ignore[return-value]
