"""Pieper's method: arms with three revolute axes through one point, or with three prismatic joints.

    spherical joint at 1-2-3, 2-3-4, 3-4-5 or 4-5-6    the position of its centre determines the other three joints
                                                       (see position.py); the orientation then determines the three
                                                       angles of the spherical joint
    three prismatic joints                             the orientation determines the three angles, then the position
                                                       gives three linear equations for the lengths

Arms with fewer joints and a partial pose are solved in the same manner: five joints of which two axes intersect in a
point that the pose determines, four joints with a point on one axis, three joints with the position alone. Paul's
method solves the unknowns that remain after the position.

D. L. Pieper, "The kinematics of manipulators under computer control", Stanford, 1968; W. Khalil, D. Creusot,
"SYMORO+: a system for the symbolic modelling of robots", Robotica 15, 1997, section 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from symoro.errors import NotApplicableError
from symoro.expr.linalg import (
    Matrix,
    dot,
    inverse_transform,
    matmul,
    matvec,
    position_of,
    rotation_of,
    subtract,
    transpose,
)
from symoro.models.geometric.inverse.chain.chain import Chain, Fixed, Item, Run
from symoro.models.geometric.inverse.chain.problem import Problem, shorthand, with_own_joints
from symoro.models.geometric.inverse.paul import equation_types
from symoro.models.geometric.inverse.paul.equations import Equations
from symoro.models.geometric.inverse.paul.paul import Paul
from symoro.models.geometric.inverse.pieper.arm import Arm, Centre, along, arm_of, centres, reversed_arm
from symoro.models.geometric.inverse.pieper.orientation import orientation_steps
from symoro.models.geometric.inverse.pieper.position import Position, position_of_centre, position_steps
from symoro.models.geometric.inverse.step import Draft, Step
from symoro.models.tolerances import TINY

CARRIED = 3  # number of joints that move the centre


@dataclass(frozen=True)
class Structure:
    """Solution of an inverse geometry problem by Pieper's method.

    Attributes:
        problem: the problem, in which every joint is a separate unknown.
        steps: solution steps for all joints, in order.
        words: description of the structure that was used, for example 'spherical joint 4-5-6'.
    """

    problem: Problem
    steps: tuple[Step, ...]
    words: str


def pieper(problem: Problem) -> Structure:
    """Solve an inverse geometry problem by Pieper's method.

    If several structures apply, the one with the fewest branches is used.

    Raises:
        NotApplicableError: the arm has no suitable intersection point and not three prismatic joints, or the pose does
            not determine the intersection point.
    """
    own = with_own_joints(problem)
    arm = arm_of(own.chain, own.given)
    structures = [*_orientation_first(own, arm), *_position_first(own, arm)]
    if not structures:
        raise NotApplicableError(_missing(len(arm.joints)))
    return min(structures, key=lambda one: math.prod(len(step.choices) for step in one.steps))


def _missing(joints: int) -> str:
    if joints == 6:
        return "there are neither three revolute axes through one point nor three prismatic joints"
    if 3 <= joints < 6:
        return (
            f"with {joints} joints, the pose must determine a point that does not move with "
            f"{joints - 3} of the joints; there is none"
        )
    return f"it requires three to six unknown joints, got {joints}"


# -- intersecting axes


def _position_first(problem: Problem, arm: Arm) -> Iterator[Structure]:
    """Yield a solution for each usable intersection point of axes: first the position, then the orientation."""
    n = len(arm.joints)
    if n < CARRIED:
        return
    for seen in (arm, reversed_arm(arm)):
        for first in (CARRIED, CARRIED - 1) if n > CARRIED else (CARRIED,):
            last = first + n - CARRIED
            meeting = (first, last) if seen is arm else (n - last, n - first)
            for centre in centres(seen, first, last, problem.probes):
                position = position_of_centre(problem, seen, centre)
                steps = position_steps(problem, position) if position else None
                rest = _meeting_joints(problem, arm, meeting) if steps else None
                if position is not None and steps is not None and rest is not None:
                    words = f"{_centre_words(seen, centre)}; {_position_words(position, steps)}"
                    yield Structure(problem, (*steps, *rest), words)
                    break


def _meeting_joints(problem: Problem, arm: Arm, joints: tuple[int, int]) -> list[Step] | None:
    """Return solution steps for the joints whose axes intersect in one point; the other joints are already solved.

    The joints form a separate chain: the product of their transforms and of the constant transforms between them equals
    a known pose, the given pose multiplied by the inverse transforms of the solved parts before and after these joints.

    Args:
        joints: indices (first, last); the joints are those from `first` to `last` - 1.

    Returns:
        The steps; None if the joints cannot be solved.
    """
    first, last = joints
    target = matmul(inverse_transform(along(arm, 0, first)), arm.target)
    unknowns = [joint.unknown for joint in arm.joints[first:last]]
    between = arm.constants[first + 1 : last]
    if all(arm.given) and len(unknowns) == 3:
        target = matmul(target, inverse_transform(along(arm, last, len(arm.joints))))
        turned = [rotation_of(matrix) for matrix in (*between, target)]
        return orientation_steps(problem, unknowns, turned[:2], turned[2])
    if not unknowns:
        return []
    items: list[Item] = []
    for unknown, after in zip(unknowns, (*between, along(arm, last, len(arm.joints))), strict=True):
        items += [Run((unknown,), ()), Fixed(after)]
    return _by_paul(problem, items, target, arm.given)


def _by_paul(
    problem: Problem, items: Sequence[Item], target: Matrix, given: Sequence[bool]
) -> list[Step] | None:
    """Return solution steps of Paul's method for a part of the chain; None if it does not solve all unknowns.

    Args:
        items: factors of this part of the chain.
        target: known pose that their product must equal.
        given: for each of the four columns of the pose, whether it is given.
    """
    unknowns = tuple(unknown for item in items if isinstance(item, Run) for unknown in item.turns)
    named = [
        [shorthand(problem, f"W{r}{c}", x if given[c - 1] else 0, int(c == 4)) for c, x in enumerate(row, 1)]
        for r, row in enumerate(target[:3], 1)
    ]
    rows: Matrix = [[x for x, _ in row] for row in named]
    chain = Chain(tuple(items), unknowns, [*rows, [0, 0, 0, 1]], (), problem.chain.size)
    equations = Equations(chain, problem.probes, (tuple(given),) * 3)
    steps, left = Paul(problem.builder, problem.probes, equations, problem.start).steps()
    if left or not steps:
        return None if left else steps
    lines = tuple(line for row in named for _, defining in row for line in defining)
    return [replace(steps[0], lines=lines + steps[0].lines), *steps[1:]]


def _centre_words(arm: Arm, centre: Centre) -> str:
    joints = sorted(joint.unknown.joint for joint in arm.joints[centre.first : centre.last])
    names = "-".join(map(str, joints))
    return {0: "position of the frame", 1: f"a point of axis {names}", 2: f"axes {names} intersect"}.get(
        len(joints), f"spherical joint {names}"
    )


def _position_words(position: Position, steps: Sequence[Step]) -> str:
    kind = "".join("R" if joint.turns else "P" for joint in (position.i, position.j)) + "X"
    first = steps[0]
    how = "a quartic" if len(first.choices) == 4 and first.type >= 9 else f"type {first.type}"
    return f"position {kind} by {how} in q{position.k.unknown.joint}"


# -- three prismatic joints


def _orientation_first(problem: Problem, arm: Arm) -> Iterator[Structure]:
    """Yield the solution of an arm with three prismatic joints; nothing for other arms.

    The angles are solved from the orientation, then the lengths from the position.
    """
    if not all(arm.given) or [joint.turns for joint in arm.joints].count(True) != 3 or len(arm.joints) != 6:
        return
    one, two, three = (n for n, joint in enumerate(arm.joints) if joint.turns)
    between = [rotation_of(along(arm, one + 1, two)), rotation_of(along(arm, two + 1, three))]
    before, behind = (rotation_of(along(arm, *ends)) for ends in ((0, one), (three + 1, len(arm.joints))))
    turned = matmul(matmul(transpose(before), rotation_of(arm.target)), transpose(behind))
    angles = [arm.joints[n].unknown for n in (one, two, three)]
    steps = orientation_steps(problem, angles, between, turned)
    lengths = _lengths(problem, arm)
    if steps is not None and lengths is not None:
        words = "three prismatic joints; orientation first, then the lengths"
        yield Structure(problem, (*steps, lengths), words)


def _lengths(problem: Problem, arm: Arm) -> Step | None:
    """Solve the position equation a r1 + z r2 + b r3 = e for the lengths r1, r2, r3 of three prismatic joints.

    The equation is written in the frame of the second prismatic joint, whose axis is z; a and b are the axes of the
    first and third one.

    Returns:
        The solution step; None if the three axes are coplanar in all configurations.
    """
    one, two, three = (n for n, joint in enumerate(arm.joints) if not joint.turns)
    to_two = along(arm, one + 1, two)
    from_two = along(arm, two + 1, three)
    base = matmul(along(arm, 0, one), to_two)
    hand = matmul(from_two, along(arm, three + 1, len(arm.joints)))
    pose = position_of(arm.target)
    e = subtract(matvec(transpose(rotation_of(base)), subtract(pose, position_of(base))), position_of(hand))
    axes = {
        arm.joints[one].unknown: [arm.joints[one].sign * x for x in rotation_of(to_two)[2]],
        arm.joints[three].unknown: [arm.joints[three].sign * row[2] for row in rotation_of(from_two)],
    }
    # If all three axes are coplanar, one length is free: not the one whose angle with the second axis is constant.
    spread = {unknown: abs(problem.probes.of(dot(axis[:2], axis[:2]))) for unknown, axis in axes.items()}
    first, last = sorted(axes, key=lambda unknown: -spread[unknown].min() / (spread[unknown].max() + TINY))
    a, b = axes[first], axes[last]
    area = a[0] * b[1] - a[1] * b[0]
    if problem.probes.vanishes(area):
        return None
    number = problem.builder.number
    draft = Draft(problem.builder, 1, problem.start, frozenset(), problem.chain.size)
    second = arm.joints[two].unknown
    e = [draft.let(f"e{second.label}_{n}", x) for n, x in enumerate(e, 1)]
    area = draft.let(f"det{second.label}", area)
    equation_types.solve_length(draft, last, area, number(a[0] * e[1] - a[1] * e[0]))
    rest = [e[n] - b[n] * last.length for n in range(3)]
    equation_types.solve_length(draft, first, number(dot(a[:2], a[:2])), number(dot(a[:2], rest[:2])))
    draft.length(second, arm.joints[two].sign * (rest[2] - a[2] * first.length))
    own = arm.joints[two].sign * second.length
    rows = matvec(transpose([a, [0, 0, 1], b]), [first.length, own, last.length])
    return draft.step(*((number(row), number(x)) for row, x in zip(rows, e, strict=True)))
