"""Dynamics of robots with flexible links: Euler-Bernoulli beams with assumed modes, by generalised Newton-Euler.

The modes e are free coordinates beside the joints q, with the stiffness of the beams:

    A(q, e) [qdd; edd] + H(q, qd, e, ed) = [tau; 0],      H: with K e, weight, friction and springs

    inverse   qdd known: tau and edd        direct   tau known: qdd and edd

both by the mixed recursion with a block of modes a link (`modes.py`). Joints may be elastic or named free as well.

The kinetic energy is exact in these coordinates, small rotations at the tip included: they are taken one after the
other, about z, y and x. What is not in it is the shortening of a bent beam, and so centrifugal stiffening: at a spin W
of the link the square of its first bending frequency comes out too low by about 1.2 W^2, that is by one per cent where
W is a tenth of the frequency.

F. Boyer, W. Khalil, "An efficient calculation of flexible manipulator inverse dynamics", IJRR 17, 1998.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symoro.expr.linalg import dot, matvec
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import Options, form
from symoro.models.coordinates.couplings import own_entries
from symoro.models.coordinates.joint_motion import coordinates, joint_motion
from symoro.models.dynamic.articulated import Driven, Free, Mixed, TreeElement, free_joints, mixed
from symoro.models.dynamic.energy import E, whole_mass
from symoro.models.dynamic.flexible.beam import Beam
from symoro.models.dynamic.flexible.matrix import inertia_rows, rows_of
from symoro.models.dynamic.flexible.tree import FlexibleTree, ModesOfLinks, flexible_tree, mode_inputs
from symoro.models.dynamic.floating.base import OPEN_APPLIES_TO as FLOATING_TREES
from symoro.models.dynamic.floating.base import ROTATION, base_gravity, base_position, open_floating_tree
from symoro.models.dynamic.hybrid import FREE, given_torques, ground, is_floating, named_joints, of_base
from symoro.models.dynamic.setting import (
    drive_torques,
    gravity,
    open_tree,
    spring_energy,
    spring_torques,
    wrenches,
)
from symoro.models.ports import (
    MODE_ACCELERATIONS,
    MODE_RATES,
    MODES,
    P0,
    Q0,
    QD,
    QDD,
    QDD_OUT,
    R0,
    TAU,
    TAU_FREE,
    V0,
    VD0,
    Q,
)
from symoro.models.recursion import base_motion, outward
from symoro.models.references import FLEXIBLE_1998
from symoro.models.spatial import Twist, along
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.coordinates import has_followers
from symoro.robot.description import Robot
from symoro.robot.flexibility import flexible_links

COUPLED = "it has flexible links and coupled joints"
A = Port("A", "n+ne,n+ne", "inertia matrix over [q; e], rotor inertias included")
H = Port("H", "n+ne", "torques at qdd = 0, edd = 0, and what the modes then bear")
A_AFLOAT = Port("A", "6+n+ne,6+n+ne", "inertia matrix over [V0; q; e], rotor inertias included")
H_AFLOAT = Port("H", "6+n+ne", "wrench on the base, torques, and what the modes bear, at Vd0, qdd, edd = 0")
STRAINED = Port("U", "", "potential energy of gravity, springs and bent links")
EQUATIONS = (
    r"A(q, e) \begin{bmatrix} \ddot q \\ \ddot e \end{bmatrix} + H(q, \dot q, e, \dot e) = "
    r"\begin{bmatrix} \Gamma \\ 0 \end{bmatrix}"
)


def has_flexible_links(robot: Robot, options: Options) -> bool:
    """Whether a link of the robot is flexible, and its base is not free."""
    return bool(flexible_links(robot)) and not is_floating(robot)


def has_flexible_links_afloat(robot: Robot, options: Options) -> bool:
    """The same on a floating base."""
    return bool(flexible_links(robot)) and is_floating(robot)


def flexible_fixed_tree(robot: Robot) -> str | None:
    """Why the models do not apply, if so."""
    return COUPLED if has_followers(robot) else open_tree(robot)


def flexible_floating_tree(robot: Robot) -> str | None:
    """The same on a floating base."""
    return COUPLED if has_followers(robot) else open_floating_tree(robot)


ON_FIXED_BASE: Mapping[str, Any] = {
    "of": "flexible links",
    "takes": has_flexible_links,
    "flexible": True,
    "reference": FLEXIBLE_1998,
    "applies": flexible_fixed_tree,
    "applies_to": "serial and tree robots with flexible links on a base that is fixed or moves as prescribed",
    "example": "flexible2r",
}
ON_FLOATING_BASE: Mapping[str, Any] = {
    **ON_FIXED_BASE,
    "of": "flexible links on a floating base",
    "takes": has_flexible_links_afloat,
    "applies": flexible_floating_tree,
    "applies_to": FLOATING_TREES,
    "example": "flexible_satellite",
}


def solved(
    builder: Builder,
    robot: Robot,
    tree: FlexibleTree,
    qd: Mapping[int, Scalar],
    joints: Mapping[int, Driven | Free],
    rotation: str = "matrix",
    *,
    held: bool = False,
) -> Mixed:
    """The mixed recursion over joints and modes, and the base where it is free."""
    floats = is_floating(robot)
    base, down = ground(builder, robot, rotation)
    loads = wrenches(builder, robot, with_base=floats)
    return mixed(
        *(builder, tree.elements, qd, joints, base, down, tree.inertias, loads), free_base=floats, held=held
    )


@form(
    "inverse-dynamics",
    **ON_FLOATING_BASE,
    inputs=(Q, QD, QDD, TAU_FREE, MODES, MODE_RATES, V0, R0, Q0),
    outputs=(TAU, MODE_ACCELERATIONS, QDD_OUT, VD0),
    options=(FREE, ROTATION),
    equations=EQUATIONS,
)
@form(
    "inverse-dynamics",
    **ON_FIXED_BASE,
    inputs=(Q, QD, QDD, TAU_FREE, MODES, MODE_RATES),
    outputs=(TAU, MODE_ACCELERATIONS, QDD_OUT),
    options=(FREE,),
    equations=EQUATIONS,
)
def flexible_inverse_dynamics(
    robot: Robot, free: Sequence[int | str] | None = None, rotation: str = "matrix"
) -> Program:
    """Torques of the driven joints, accelerations of the modes, and of the free joints where there are any."""
    builder = Builder(f"{robot.name}_inverse_dynamics")
    motion = joint_motion(builder, robot, "qd")
    qdd = own_entries(builder, robot, "qdd")
    torques = given_torques(builder, robot, motion, named_joints(robot, free))
    tree = flexible_tree(builder, robot, motion.q, *mode_inputs(builder, robot))
    friction = drive_torques(builder, robot, motion.qd, motion.qdd)
    known = {j: x for j, x in qdd.items() if j not in torques}
    joints: dict[int, Driven | Free] = {j: Driven(x) for j, x in known.items()}
    for j, torque in torques.items():
        joints[j] = Free(torque - friction[j], builder.formula(robot.frame(j).IA))
    found = solved(builder, robot, tree, motion.qd, joints, rotation)
    drives = drive_torques(builder, robot, {j: motion.qd[j] for j in known}, known)
    tau = {**torques, **{j: found.efforts[j] + drives[j] for j in known}}
    builder.output(TAU, [tau[j] for j in qdd])
    builder.output(MODE_ACCELERATIONS, rows_of(tree, found.modes))
    of_base(builder, robot, found)
    if torques:
        every = {**known, **found.qdd}
        builder.output(QDD_OUT, [every[j] for j in qdd])
    return builder.program()


@form(
    "direct-dynamics",
    **ON_FLOATING_BASE,
    inputs=(Q, QD, TAU, MODES, MODE_RATES, V0, R0, Q0),
    outputs=(QDD, MODE_ACCELERATIONS, VD0),
    options=(ROTATION,),
    equations=EQUATIONS,
)
@form(
    "direct-dynamics",
    **ON_FIXED_BASE,
    inputs=(Q, QD, TAU, MODES, MODE_RATES),
    outputs=(QDD, MODE_ACCELERATIONS),
    equations=EQUATIONS,
)
def flexible_direct_dynamics(robot: Robot, rotation: str = "matrix") -> Program:
    """Accelerations of joints and modes."""
    builder = Builder(f"{robot.name}_direct_dynamics")
    motion = joint_motion(builder, robot, "qd")
    torques = own_entries(builder, robot, "tau")
    tree = flexible_tree(builder, robot, motion.q, *mode_inputs(builder, robot))
    joints = free_joints(builder, robot, motion, torques)
    found = solved(builder, robot, tree, motion.qd, joints, rotation)
    builder.output(QDD, [found.qdd[j] for j in torques])
    builder.output(MODE_ACCELERATIONS, rows_of(tree, found.modes))
    of_base(builder, robot, found)
    return builder.program()


@form(
    "bias-torques",
    **ON_FLOATING_BASE,
    inputs=(Q, QD, MODES, MODE_RATES, V0, R0, Q0),
    outputs=(H_AFLOAT,),
    options=(ROTATION,),
    equations=r"H = [f_0; \Gamma; 0] \text{ at } {}^0\dot V_0 = 0, \ddot q = 0, \ddot e = 0",
)
@form(
    "bias-torques",
    **ON_FIXED_BASE,
    inputs=(Q, QD, MODES, MODE_RATES),
    outputs=(H,),
    equations=r"H(q, \dot q, e, \dot e) = [\Gamma; 0] \text{ at } \ddot q = 0, \ddot e = 0",
)
def flexible_bias_torques(robot: Robot, rotation: str = "matrix") -> Program:
    """What joints and modes, and the base where it is free, bear without acceleration."""
    builder = Builder(f"{robot.name}_bias_torques")
    motion = joint_motion(builder, robot, "qd")
    tree = flexible_tree(builder, robot, motion.q, *mode_inputs(builder, robot))
    found = solved(builder, robot, tree, motion.qd, dict.fromkeys(motion.q, Driven(0)), rotation, held=True)
    drives = drive_torques(builder, robot, motion.qd, motion.qdd)
    springs = spring_torques(builder, robot, motion.q)
    of_joints = [found.efforts[j] + drives[j] + springs.get(j, 0) for j in drives]
    of_root = [*found.wrench.f, *found.wrench.m] if found.wrench else []
    builder.output(H, [*of_root, *of_joints, *rows_of(tree, found.modes)])
    return builder.program()


@form(
    "inertia-matrix",
    **ON_FLOATING_BASE,
    inputs=(Q, MODES),
    outputs=(A_AFLOAT,),
    equations=r"E = \tfrac12 [{}^0V_0; \dot q; \dot e]^T A(q, e)\,[{}^0V_0; \dot q; \dot e]",
)
@form(
    "inertia-matrix",
    **ON_FIXED_BASE,
    inputs=(Q, MODES),
    outputs=(A,),
    equations=r"E = \tfrac12 [\dot q; \dot e]^T A(q, e)\,[\dot q; \dot e]",
)
def flexible_inertia_matrix(robot: Robot) -> Program:
    """The inertia matrix of joints and modes."""
    builder = Builder(f"{robot.name}_inertia_matrix")
    joints = coordinates(builder, robot)
    tree = flexible_tree(builder, robot, joints.positions, *mode_inputs(builder, robot, rates=False))
    builder.output(A, inertia_rows(builder, robot, tree, free_base=is_floating(robot)))
    return builder.program()


@form(
    "energy",
    **ON_FLOATING_BASE,
    inputs=(Q, QD, MODES, MODE_RATES, V0, P0, R0, Q0),
    outputs=(E, STRAINED),
    options=(ROTATION,),
    equations=r"E = \tfrac12 [{}^0V_0; \dot q; \dot e]^T A(q, e)\,[{}^0V_0; \dot q; \dot e], \quad "
    r"U = -g^T (M P_0 + R_0\,{}^0MS) + \tfrac12 e^T K e + \tfrac12 \sum_j k_j (q_j - q_{0,j})^2",
)
@form(
    "energy",
    **ON_FIXED_BASE,
    inputs=(Q, QD, MODES, MODE_RATES),
    outputs=(E, STRAINED),
    equations=r"E = \tfrac12 [\dot q; \dot e]^T A(q, e)\,[\dot q; \dot e], \quad "
    r"U = -\sum_j {}^0g^T (M_j {}^0P_j + {}^0A_j {}^jMS_j) + \tfrac12 e^T K e + "
    r"\tfrac12 \sum_j k_j (q_j - q_{0,j})^2",
)
def flexible_energy(robot: Robot, rotation: str = "matrix") -> Program:
    """Energies, by recursion over links and beams."""
    builder = Builder(f"{robot.name}_energy")
    motion = joint_motion(builder, robot, "qd")
    e, ed = mode_inputs(builder, robot)
    tree = flexible_tree(builder, robot, motion.q, e, ed)
    kinetic = _kinetic(builder, robot, tree, motion.qd, ed)
    potential = spring_energy(builder, robot, motion.q) + _weight(builder, robot, tree, rotation)
    for j, beam in tree.beams.items():
        potential = potential + dot(beam.stiff, e[j]) / 2
    builder.output(E, kinetic)
    builder.output(STRAINED, potential)
    return builder.program()


def _weight(builder: Builder, robot: Robot, tree: FlexibleTree, rotation: str) -> Scalar:
    """The potential energy of gravity; that of link 0 counts where it moves."""
    shifts = {j: x.shift if isinstance(x, Beam) else x for j, x in tree.elements.items()}
    if not is_floating(robot):
        _, moment = whole_mass(shifts, {j: inertia for j, inertia in tree.inertias.items() if j})
        return -dot(gravity(builder, robot), moment)
    mass, moment = whole_mass(shifts, tree.inertias)
    place, down = base_position(builder), base_gravity(builder, robot, rotation)
    world = [builder.formula(g) for g in robot.base.G]
    return -(mass * dot(world, place) + dot(down, moment))


def _kinetic(
    builder: Builder, robot: Robot, tree: FlexibleTree, qd: Mapping[int, Scalar], ed: ModesOfLinks
) -> Scalar:
    """V' J V / 2 of every body, V' C ed + ed' m ed / 2 of every beam, and the rotors."""

    def step(element: TreeElement, antecedent: Twist) -> Twist:
        if isinstance(element, Beam):
            return antecedent.to_child(element.shift) + element.rate
        moved = antecedent.to_child(element)
        return moved + along(element, qd[element.j]) if element.moving else moved

    base = base_motion(builder, robot, acceleration=False)
    twists = outward(tree.elements, Twist(base.v, base.w), step)
    doubled: Scalar = 0
    for j, inertia in tree.inertias.items():
        if j or is_floating(robot):
            doubled = doubled + (inertia @ twists[j]).dot(twists[j])
    for j, beam in tree.beams.items():
        doubled = doubled + dot(ed[j], matvec(beam.mass, ed[j]))
        for column, rate in zip(beam.columns, ed[j], strict=True):
            doubled = doubled + 2 * rate * column.dot(twists[j])
    for j, rate in qd.items():
        doubled = doubled + builder.formula(robot.frame(j).IA) * (rate * rate)
    return doubled / 2
