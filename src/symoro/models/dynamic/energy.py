"""Kinetic and potential energy of a tree, by recursion over the links.

    E = sum of (w' J w + M v.v + 2 MS.(v x w)) / 2 + sum of Ia qd^2 / 2                   (1997 paper, eq. 49)
    U = - sum of g' (M 0Pj + 0Aj jMSj)                                      (eq. 50, with the mass that it omits)

The inertias of the links may be regrouped: E, and mass and first moments of the whole robot, do not change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from symoro.expr.linalg import Vector, add, cross, dot, matvec, scale
from symoro.expr.scalar import Scalar
from symoro.models.dynamic.articulated import TreeElement
from symoro.models.dynamic.flexible.beam import Beam
from symoro.models.dynamic.flexible.tree import FlexibleTree, ModesOfLinks
from symoro.models.recursion import (
    BaseMotion,
    JointFrame,
    angular_velocities,
    inward,
    linear_velocities,
    name_vectors,
    outward,
)
from symoro.models.spatial import Inertia, Twist, along
from symoro.program.builder import Builder
from symoro.robot.description import Robot

Moments = tuple[Scalar, Vector]  # mass, first moment


class Energy(NamedTuple):
    """Kinetic energy of a robot, strain energy of its beams, and its total mass and first moments in frame 0."""

    kinetic: Scalar
    mass: Scalar
    moment: Vector
    strain: Scalar


def kinetic_energy(
    builder: Builder,
    robot: Robot,
    frames: Mapping[int, JointFrame],
    base: BaseMotion,
    qd: Mapping[int, Scalar],
    inertias: Mapping[int, Inertia],
) -> Scalar:
    """Return the kinetic energy of the links whose inertias are given, and of all rotors.

    Args:
        base: motion of the base.
        qd: joint velocities.
        inertias: inertias by link.
    """
    _, w = angular_velocities(frames, base, qd)
    v = linear_velocities(frames, base, w, qd)
    half = builder.number(1) / 2
    kinetic: Scalar = 0
    for j in inertias:
        name_vectors(builder, {"W": w[j], "V": v[j]}, j)
        xx, xy, xz, yy, yz, zz = inertias[j].tensor()
        momentum = matvec([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], w[j])
        ms, m = list(inertias[j].ms), inertias[j].m
        twice = dot(w[j], momentum) + m * dot(v[j], v[j]) + 2 * dot(ms, cross(v[j], w[j]))
        kinetic = kinetic + half * twice
    for j, rate in qd.items():
        kinetic = kinetic + half * builder.formula(robot.frame(j).IA) * (rate * rate)
    return kinetic


def whole_mass(frames: Mapping[int, JointFrame], inertias: Mapping[int, Inertia]) -> Moments:
    """Return the total mass and first moments, about the origin of frame 0, of the links whose inertias are given."""
    nothing: Moments = (0, [0, 0, 0])
    own: dict[int, Moments] = {0: nothing} | {j: (body.m, list(body.ms)) for j, body in inertias.items()}
    return inward(frames, own, _carried)[0]


def _carried(frame: JointFrame, body: Moments, onto: Moments) -> Moments:
    """Return the sum of the mass and first moments of a body and of its antecedent, in the antecedent's frame.

    Args:
        frame: frame of the body.
        body: mass and first moments of the body, in its frame.
        onto: mass and first moments of the antecedent, in the antecedent's frame.
    """
    mass, moment = body
    return onto[0] + mass, add(onto[1], add(frame.to_parent(moment), scale(mass, frame.position)))


def flexible_energy(
    builder: Builder,
    robot: Robot,
    tree: FlexibleTree,
    base: BaseMotion,
    qd: Mapping[int, Scalar],
    modes: tuple[ModesOfLinks, ModesOfLinks],
    *,
    with_base: bool,
) -> Energy:
    """Return the energy, mass and first moments of a robot with flexible links.

    The energy contains V' J V / 2 of every body (twist V, spatial inertia J), V' C ed + ed' m ed / 2 (kinetic, with the
    coupling matrix C and modal mass m) and e' K e / 2 (strain, with the stiffness K) of every beam, and IA qd^2 / 2 of
    every rotor.

    Args:
        base: motion of the base.
        with_base: whether the energy and mass of link 0 are included.
        qd: joint velocities.
        modes: modal coordinates e and their velocities ed, each by link.
    """

    def step(element: TreeElement, antecedent: Twist) -> Twist:
        if isinstance(element, Beam):
            return antecedent.to_child(element.shift) + element.rate
        moved = antecedent.to_child(element)
        return moved + along(element, qd[element.j]) if element.moving else moved

    e, ed = modes
    twists = outward(tree.elements, Twist(base.v, base.w), step)
    bodies = {j: inertia for j, inertia in tree.inertias.items() if j or with_base}
    doubled: Scalar = 0
    for j, inertia in bodies.items():
        doubled = doubled + (inertia @ twists[j]).dot(twists[j])
    strain: Scalar = 0
    for j, beam in tree.beams.items():
        doubled = doubled + dot(ed[j], matvec(beam.mass, ed[j]))
        for column, rate in zip(beam.columns, ed[j], strict=True):
            doubled = doubled + 2 * rate * column.dot(twists[j])
        strain = strain + dot(beam.stiff, e[j]) / 2
    for j, rate in qd.items():
        doubled = doubled + builder.formula(robot.frame(j).IA) * (rate * rate)
    shifts = {j: x.shift if isinstance(x, Beam) else x for j, x in tree.elements.items()}
    return Energy(doubled / 2, *whole_mass(shifts, bodies), strain)
