"""Closed loops whose closure is linear: parallelograms, and whatever else moves like one.

There the dependent joints are sums of independent ones plus a constant, q3 = q7 - q2 + pi/2 say: the loops can be
replaced by couplings, and the exact method of trees applies. A linear closure is guessed from numbers (a posture
where the dependent rates are whole multiples of the others) and then proved: with the couplings in place the two
frames of each loop coincide as functions of the joints, symbols included.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from symoro.expr.formula import ZERO, Formula, formula
from symoro.models.identification.base_assembly import (
    Assembly,
    assembled,
    closure_error,
    no_assembly,
    rates,
    starts,
)
from symoro.models.identification.base_functions import FULL, Block, Expansion
from symoro.models.identification.base_geometry import field_of
from symoro.models.identification.base_numeric import Geometry, numbers
from symoro.robot.description import Coupling, JointType, Robot
from symoro.robot.topology import loops

Posture = Mapping[int, float] | Sequence[float]
_SMALL = 1e-6


@dataclass(frozen=True)
class Closure:
    """The tree with couplings in place of loops, and the couplings in words."""

    robot: Robot
    words: str


def linear_closure(robot: Robot, posture: Posture | None = None) -> Closure | None:
    """The linear closure of all loops, proved, or None.

    Raises:
        NotApplicableError: no assembled posture was found.
    """
    geometry, _ = numbers(robot)
    found = assembled(geometry, starts(geometry, posture))
    if not found:
        raise no_assembly(geometry)
    tried: set[object] = set()
    for at in found:
        couplings = _guess(geometry, at)
        if couplings is None or tuple(couplings.items()) in tried:
            continue
        tried.add(tuple(couplings.items()))
        with_couplings = _coupled(robot, couplings)
        if _proved(with_couplings):
            words = "loops closed linearly: " + ", ".join(_word(j, c) for j, c in couplings.items())
            return Closure(with_couplings.tree(), words)
    return None


def _guess(geometry: Geometry, at: Assembly) -> dict[int, Coupling] | None:
    """Couplings that hold near the posture and far from it, to the precision of the numbers."""
    if not at.bound:
        return {}
    ratios = rates(geometry, at.q[None], at)[0][at.bound]
    whole = np.round(ratios * 2) / 2
    if np.abs(ratios - whole).max() > _SMALL or np.abs(whole).max() > 8:
        return None
    rng = np.random.default_rng(1)
    q = np.repeat(at.q[None], 6, 0)
    change = rng.uniform(-2, 2, (6, len(at.free)))
    q[:, at.free] += change
    q[:, at.bound] += change @ whole.T
    if np.abs(closure_error(geometry, q)).max() > _SMALL:
        return None
    couplings: dict[int, Coupling] = {}
    for row, k in zip(whole, at.bound, strict=True):
        j = geometry.coordinates[k]
        offset = _offset(geometry, k, at.q[k] - row @ at.q[at.free])
        if offset is None:
            return None
        terms = tuple(
            (geometry.coordinates[i], formula(Fraction(c))) for i, c in zip(at.free, row, strict=True) if c
        )
        couplings[j] = Coupling(terms, offset)
    return couplings


def _offset(geometry: Geometry, k: int, number: float) -> Formula | None:
    """The constant of a coupling: a multiple of pi/12; a length must be zero or the number itself."""
    if geometry.robot.frame(geometry.coordinates[k]).sigma == JointType.PRISMATIC:
        return ZERO if abs(number) < _SMALL else formula(round(number, 12))
    twelfths = round(number * 12 / math.pi)
    if abs(number - twelfths * math.pi / 12) > _SMALL:
        return None
    turn = Fraction((twelfths + 11) % 24 - 11, 12)
    return formula(f"({turn})*pi") if turn else ZERO


def _coupled(robot: Robot, couplings: Mapping[int, Coupling]) -> Robot:
    """The robot with couplings; those it had follow the joints that now depend on others."""
    frames = []
    for j, frame in enumerate(robot.frames, 1):
        coupling = couplings.get(j, frame.coupling)
        if frame.coupling and j not in couplings:
            coupling = _followed(frame.coupling, couplings)
        # a joint that follows others has no motion of its own to fix
        frames.append(replace(frame, coupling=coupling, QP=None, QDP=None, GAM=None))
    return replace(robot, frames=tuple(frames))


def _followed(given: Coupling, couplings: Mapping[int, Coupling]) -> Coupling:
    terms: dict[int, Formula] = {}
    offset = given.offset
    for i, ratio in given.terms:
        inner = couplings.get(i, Coupling(((i, formula(1)),)))
        offset = offset + ratio * inner.offset
        for k, c in inner.terms:
            terms[k] = terms.get(k, ZERO) + ratio * c
    return Coupling(tuple((k, c) for k, c in terms.items() if not c.is_zero), offset)


def _proved(robot: Robot) -> bool:
    """Whether the frames of every loop coincide for all positions and symbols."""
    geometry = field_of(robot)
    for loop in loops(robot):
        block = Block(loop.root, loop.frames)
        expansion = Expansion(geometry, robot, block, FULL)
        left, right = (expansion.walked(side) for side in (loop.left_chain, loop.right_chain))
        if left.rotation != right.rotation or left.position != right.position:
            return False
    return True


def _word(j: int, coupling: Coupling) -> str:
    parts = [(str(c), f"q{i}") for i, c in coupling.terms]
    text = " + ".join(name if c == "1" else f"-{name}" if c == "-1" else f"{c}*{name}" for c, name in parts)
    constant = "" if coupling.offset.is_zero else f" + {coupling.offset}"
    return f"q{j} = " + (text + constant or "0").replace("+ -", "- ")
