"""Closed loops with a linear closure: parallelograms, and loops that move like them.

In such a loop each dependent joint position is a linear combination of independent ones plus a constant, for example q3
= q7 - q2 + pi/2, so that the loop can be replaced by such relations. Loops are examined one by one, then the remaining
ones together; the relations of one loop are used for the next. Loops without a linear closure stay open, and their
states are sampled.

A linear closure is guessed from numbers (a configuration in which the dependent rates are whole multiples of the
others), and accepted if the frames of the loop coincide at distant configurations. It is proved if they coincide as
functions of the joints, including symbols; the exact method of trees then applies.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from symoro.expr.formula import ZERO, Formula, formula
from symoro.models.geometric.loop.parallelogram import followed
from symoro.models.identification.base.assembly import (
    Assembly,
    Posture,
    assembled,
    loop_coordinates,
    no_assembly,
    rates,
    starts,
)
from symoro.models.identification.base.functions import FULL, Expansion, LinkBlock
from symoro.models.identification.base.geometry import field_of
from symoro.models.identification.base.numeric import Geometry, completed, numbers
from symoro.models.numeric.closure import closed, closure
from symoro.models.numeric.fixed_point import Array, doubles, exactly
from symoro.models.numeric.home import closed_home
from symoro.models.tolerances import PROVED_RELATION, RELATION, RIGID_LOOP
from symoro.robot.coordinates import Relation, followers, following, relation
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import Loop, loops

_ATTEMPTS = 8  # repetitions with other random values for symbols without a nominal value
_MAX_ANGLES_IN_CONSTANT = 5  # largest number of angles of the description in a constant
_REQUIRED_CONFIGURATIONS = (
    8  # least number of closed configurations among the 16 of `starts` for a conclusion
)


@dataclass(frozen=True)
class Closures:
    """Closed loops of a robot, divided into linear ones (replaced by couplings of joints) and others.

    Attributes:
        robot: the robot with a nominal value for every symbol. Loops whose dependent joint positions are linear in the
            independent ones are replaced by couplings of joints.
        open: the other loops.
        words: the couplings as text, for reports.
        random_symbols: symbols with a random value.
        posture: the closed configuration that selects the assembly mode; None if none is known.
    """

    robot: Robot
    open: tuple[Loop, ...] = ()
    words: str = ""
    random_symbols: tuple[str, ...] = ()
    posture: Posture | None = None


@dataclass(frozen=True)
class LinearClosure:
    """Robot with couplings of joints in place of its loops, and these couplings as text."""

    robot: Robot
    words: str


def linear_closure(robot: Robot, posture: Posture | None = None) -> LinearClosure | None:
    """Return the robot with couplings in place of all its loops; None if a loop has no proved linear closure.

    Args:
        posture: positions by joint number near the assembly mode; by default the posture 'home'.

    Raises:
        NotApplicableError: the loops do not close.
    """
    return proved(robot, closures(robot, posture))


def proved(robot: Robot, closures: Closures) -> LinearClosure | None:
    """Return the robot with couplings in place of its loops, if these are valid for all values of the symbols.

    The result is None if a loop has no linear closure or the proof fails.

    Args:
        closures: the loops of the robot, as `closures` returned them.
    """
    if closures.open or not _proved(closures.robot):
        return None
    return LinearClosure(replace(closures.robot, nominal=robot.nominal).tree(), closures.words)


def closures(robot: Robot, posture: Posture | None = None) -> Closures:
    """Determine which loops of a robot can be replaced by linear couplings of joints.

    Each loop is examined alone; the loops that remain are examined together.

    Args:
        posture: configuration near the assembly mode; by default the robot's posture 'home'.

    Raises:
        NotApplicableError: the loops do not close.
    """
    with np.errstate(all="ignore"):  # configurations that are not finite count as open
        return _closures(robot, posture)


def _closures(robot: Robot, posture: Posture | None) -> Closures:
    whole, random_symbols = completed(robot)
    if not robot.B:
        return Closures(whole, random_symbols=random_symbols)
    for seed in range(1, _ATTEMPTS):
        near = closed_home(whole) if posture is None else posture
        geometry = numbers(whole)
        at = assembled(geometry, geometry.own(near))
        if at or not random_symbols:
            break
        whole, random_symbols = completed(robot, seed)
    if not at:
        raise no_assembly(geometry)
    if near is not None:
        nearest = at[0].q * geometry.metres
        near = {j: float(x) for j, x in zip(geometry.coordinates, nearest, strict=True)}
    left = tuple(loops(whole))
    coupled = whole
    while group := _next_linear(coupled, left, near):
        chosen, relations = group
        coupled = _coupled(coupled, relations)
        left = tuple(loop for loop in left if loop not in chosen)
    return Closures(coupled, left, _words(robot, coupled), random_symbols, near)


def _words(robot: Robot, coupled: Robot) -> str:
    new = {j: law for j, law in followers(coupled).items() if law != relation(robot, j)}
    return "loops closed linearly: " + ", ".join(_word(j, c) for j, c in new.items()) if new else ""


def with_rigid_loops(robot: Robot, closures: Closures) -> Closures | None:
    """Replace loops that cannot move by constant joint positions; return None if all loops can move.

    A loop that cannot move when it is closed alone cannot move when other loops are closed too. A rigid loop in a
    regular configuration has a linear closure. In a singular configuration (a triangle with collinear corners) the
    constraint Jacobian has a null space although the loop cannot move.

    Args:
        closures: the loops of the robot, as `closures` returned them.
    """
    relations: dict[int, Relation] = {}
    rigid = []
    for loop in closures.open:
        geometry = numbers(closures.robot, closing=(loop,))
        q, good = closed(
            geometry, starts(geometry, geometry.own(closures.posture)), range(len(geometry.coordinates)), 150
        )
        inside = loop_coordinates(geometry)
        moved = np.abs((q[good] - q[0])[:, inside] / geometry.units[inside]).max(initial=0)
        if (
            closures.posture is not None
            and good[0]
            and good.sum() >= _REQUIRED_CONFIGURATIONS
            and moved < RIGID_LOOP
        ):
            rigid.append(loop)
            relations |= {
                geometry.coordinates[k]: Relation((), _offset(geometry, k, float(q[0, k]))) for k in inside
            }
    if not rigid:
        return None
    coupled = _coupled(closures.robot, relations)
    left = tuple(loop for loop in closures.open if loop not in rigid)
    return replace(closures, robot=coupled, open=left, words=_words(robot, coupled))


def _next_linear(
    robot: Robot, left: Sequence[Loop], posture: Posture | None
) -> tuple[tuple[Loop, ...], dict[int, Relation]] | None:
    groups = [(loop,) for loop in left] + ([tuple(left)] if len(left) > 1 else [])
    for group in groups:
        relations = _linear(robot, group, posture)
        if relations is not None:
            return group, relations
    return None


def _linear(robot: Robot, group: tuple[Loop, ...], posture: Posture | None) -> dict[int, Relation] | None:
    """Return linear couplings of joints that close the loops of a group, by dependent joint; None if there are none.

    If there are several solutions, the one that moves the most joints is returned: for example, a rhombus can also fold
    up and rotate as two coincident pairs of links.

    Args:
        group: the loops.
        posture: positions by joint number near the assembly mode, or None.
    """
    geometry = numbers(robot, closing=group)
    posture = geometry.own(posture)
    tried: dict[object, dict[int, Relation]] = {}
    for at in assembled(geometry, posture):
        relations = _guess(geometry, at, posture)
        if relations is not None:
            tried.setdefault(tuple(relations.items()), relations)
    for relations in sorted(
        tried.values(), key=lambda candidate: -sum(len(c.terms) for c in candidate.values())
    ):
        if _holds(_coupled(robot, relations), group):
            return relations
    return None


def _guess(geometry: Geometry, at: Assembly, posture: Posture | None) -> dict[int, Relation] | None:
    """Return linear couplings that are valid at closed configurations, within tolerances; None if there are none.

    They are accepted if they hold near the configuration `at`, far from it, and at the given posture.
    """
    if not at.bound:
        return {}
    ratios = rates(geometry, at.q[None], at)[0][at.bound]
    whole = np.round(ratios * 2) / 2
    if np.abs(ratios - whole).max(initial=0) > RELATION or np.abs(whole).max(initial=0) > 8:
        return None
    rng = np.random.default_rng(1)
    q = np.repeat(at.q[None], 6, 0)
    change = rng.uniform(-2, 2, (6, len(at.free)))
    q[:, at.free] += change
    q[:, at.bound] += change @ whole.T
    if np.abs(closure(geometry, q)[0]).max() > RELATION * max(1.0, geometry.size):
        return None
    constants = at.q[at.bound] - whole @ at.q[at.free]
    if posture is not None and not _meets(geometry, at, whole, constants, posture):
        return None
    relations: dict[int, Relation] = {}
    for row, k, constant in zip(whole, at.bound, constants.tolist(), strict=True):
        terms = tuple(
            (geometry.coordinates[i], formula(Fraction(c))) for i, c in zip(at.free, row, strict=True) if c
        )
        relations[geometry.coordinates[k]] = Relation(terms, _offset(geometry, k, constant))
    return relations


def _meets(geometry: Geometry, at: Assembly, ratios: Array, constants: Array, posture: Posture) -> bool:
    """Return whether a posture satisfies given linear couplings, up to full turns of revolute joints.

    Args:
        at: closed configuration with the division into independent and dependent coordinates.
        ratios, constants: coefficients of the couplings, one row per dependent coordinate.
    """
    q = starts(geometry, posture)[0]
    away = q[at.bound] - ratios @ q[at.free] - constants
    turns = [geometry.robot.frame(geometry.coordinates[k]).sigma == JointType.REVOLUTE for k in at.bound]
    away = np.where(turns, away - 2 * np.pi * np.round(away / (2 * np.pi)), away)
    return bool(np.abs(away).max(initial=0) < RELATION)


def _offset(geometry: Geometry, k: int, number: float) -> Formula:
    """Return the constant of a coupling as a formula: a multiple of pi/12 plus symbolic angles, or a number.

    Args:
        k: index of the dependent coordinate.
        number: numerical value of the constant.
    """
    if geometry.robot.frame(geometry.coordinates[k]).sigma == JointType.PRISMATIC:
        return ZERO if abs(number) < RELATION else formula(float(f"{number * geometry.length:.14g}"))
    values = dict(geometry.robot.nominal)
    frames = [geometry.robot.frame(j) for loop in geometry.loops for j in loop.frames]
    angles = {f: f.value(values) for frame in frames for f in (frame.gamma, frame.theta)}
    oblique = [f for f, x in angles.items() if _twelfths(x) is None][:_MAX_ANGLES_IN_CONSTANT]
    tried = sorted(itertools.product((0, 1, -1), repeat=len(oblique)), key=lambda signs: sum(map(abs, signs)))
    for signs in tried:
        rest = number - sum(sign * angles[f] for sign, f in zip(signs, oblique, strict=True))
        turn = _twelfths(rest)
        if turn is not None:
            constant = formula(f"({turn})*pi") if turn else ZERO
            for sign, f in zip(signs, oblique, strict=True):
                constant = constant + f if sign > 0 else constant - f if sign < 0 else constant
            return constant
    return formula(number)


def _twelfths(angle: float) -> Fraction | None:
    """Return angle/pi as a fraction if the angle (rad) is a multiple of pi/12, otherwise None."""
    twelfths = round(angle * 12 / math.pi)
    if abs(angle - twelfths * math.pi / 12) > 1e-9:
        return None
    return Fraction((twelfths + 11) % 24 - 11, 12)


def _coupled(robot: Robot, relations: Mapping[int, Relation]) -> Robot:
    """Return the robot with additional couplings.

    If an existing coupling refers to a joint that becomes dependent, it is rewritten in terms of the independent
    joints.

    Args:
        relations: the couplings, by number of the dependent joint.
    """
    before = {j: followed(law, relations) for j, law in followers(robot).items()}
    # the motion of a dependent joint cannot be prescribed
    frames = tuple(replace(frame, QP=None, QDP=None, GAM=None) for frame in robot.frames)
    return following(replace(robot, frames=frames), {**before, **relations})


def _holds(robot: Robot, group: Sequence[Loop]) -> bool:
    """Return whether the loops of a group are closed at random configurations and nominal values."""
    geometry = numbers(robot, closing=group, exact=True)
    q = exactly(np.random.default_rng(2).uniform(-2.5, 2.5, (6, len(geometry.coordinates))))
    return bool(
        np.abs(doubles(closure(geometry, q)[0])).max(initial=0) < PROVED_RELATION * max(1.0, geometry.size)
    )


def _proved(robot: Robot) -> bool:
    """Return whether every loop is closed for all joint positions and all values of the symbols."""
    geometry = field_of(robot)
    for loop in loops(robot):
        block = LinkBlock(loop.root, loop.frames)
        expansion = Expansion(geometry, robot, block, FULL)
        left, right = (expansion.walked(side) for side in (loop.left_chain, loop.right_chain))
        if left.rotation != right.rotation or left.position != right.position:
            return False
    return True


def _word(j: int, law: Relation) -> str:
    parts = [(str(c), f"q{i}") for i, c in law.terms]
    words = [name if c == "1" else f"-{name}" if c == "-1" else f"{c}*{name}" for c, name in parts]
    if not law.offset.is_zero or not words:
        words.append(str(law.offset))
    return f"q{j} = " + " + ".join(words).replace("+ -", "- ")
