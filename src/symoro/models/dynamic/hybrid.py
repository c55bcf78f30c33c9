"""`inverse-dynamics` of robots with free joints: torques of the driven joints, accelerations of the free ones.

An elastic joint is free, with the torque of its spring (Khalil 2010, section 6, eq. 67 to 82),

    tau_j = -k_j (q_j - rest_j),

and so is any joint that the option `free` names, with the torque tau_free. Friction and the rotor's inertia act
besides. The equations of motion are parted as the joints are,

    [ A_dd  A_df ] [ qdd_d ]   [ H_d ]   [ tau_d ]        known: qdd_d, tau_f
    [ A_df' A_ff ] [ qdd_f ] + [ H_f ] = [ tau_f ]        sought: tau_d, qdd_f

and solved in one of two ways, by default the one with fewer operations:

    partition   qdd_f from its rows, with A_ff by composite links and the rest by Newton-Euler
    recursion   the mixed recursion (`articulated.py`), without A and H; behind the last free joint it goes on with the
                ten numbers of composite links. It does not treat joints that follow others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from symoro.errors import OptionError
from symoro.expr.linalg import Vector, add
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import Option, Options, form, names_something
from symoro.models.coordinates.couplings import FIXED_BY, own_entries
from symoro.models.coordinates.joint_motion import JointMotion, joint_motion
from symoro.models.dynamic.articulated import Driven, Free, Mixed, body_inertias, mixed
from symoro.models.dynamic.composite import MatrixEntries, coupled, inverse_inertia, tree_inertia
from symoro.models.dynamic.direct import cheaper, is_long
from symoro.models.dynamic.floating.base import OPEN_APPLIES_TO as FLOATING_TREES
from symoro.models.dynamic.floating.base import ROTATION, base_gravity, has_floating_base, open_floating_tree
from symoro.models.dynamic.floating.forces import FloatingForces
from symoro.models.dynamic.floating.inertia import FloatingInertia
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.setting import (
    OPEN_APPLIES_TO,
    drive_torques,
    gravity,
    open_tree,
    spring_torques,
    wrenches,
)
from symoro.models.dynamic.torques import Torques
from symoro.models.ports import Q0, QD, QDD, QDD_OUT, R0, TAU, TAU_FREE, V0, VD0, Q
from symoro.models.recursion import FREE_BASE, BaseMotion, base_motion, local_frames
from symoro.models.references import NEWTON_EULER_2010
from symoro.models.solvers import TreeFactors, chain_parents
from symoro.models.spatial import Twist
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot.coordinates import has_followers, independent
from symoro.robot.description import BaseKind, Robot
from symoro.robot.topology import elastic_joints

EQUATIONS = (
    r"\begin{bmatrix} A_{11} & A_{12} \\ A_{12}^T & A_{22} \end{bmatrix} "
    r"\begin{bmatrix} \ddot q_r \\ \ddot q_f \end{bmatrix} + \begin{bmatrix} H_r \\ H_f \end{bmatrix} = "
    r"\begin{bmatrix} \Gamma_r \\ \Gamma_f \end{bmatrix}, \quad \Gamma_{f,j} = -k_j (q_j - q_{0,j})"
)
FREE = Option(
    "free", "joints of known torque tau_free, by number or name; their accelerations are found", "frames"
)


def has_free_joints(robot: Robot, options: Options) -> bool:
    """Whether a tree has elastic joints, or free ones are named, and no motor moves apart from its link."""
    if options.get("actuators"):
        return False
    if names_something(options.get("free")):
        return True
    return not robot.B and bool(elastic_joints(robot))


def named_joints(robot: Robot, free: Sequence[int | str] | None) -> list[int]:
    """The joints that the option `free` names.

    Raises:
        UnknownNameError, OptionError: there is no such joint, or it has no torque of its own.
    """
    found = [robot.frame_number(name) for name in free or ()]
    own = independent(robot)
    for name, j in zip(free or (), found, strict=True):
        if j not in own:
            raise OptionError(
                f"option free: {name} is no joint with a coordinate of its own",
                hint="joints that can be free: " + ", ".join(map(str, own)),
            )
    return found


def given_torques(
    builder: Builder, robot: Robot, motion: JointMotion, named: Collection[int]
) -> dict[int, Scalar]:
    """The torques of the free joints: those of springs, and the input tau_free where others are named."""
    own = independent(robot)
    springs = spring_torques(builder, robot, {j: motion.q[j] for j in own})
    found: dict[int, Scalar] = {j: -torque for j, torque in springs.items()}
    others = [j for j in own if j in named and j not in found]
    if others:
        entries = builder.input(TAU_FREE, (len(own),), [f"tau_free{j}" for j in own])
        for j in others:
            fixed = getattr(robot.frame(j), FIXED_BY["tau"])
            found[j] = entries[own.index(j)] if fixed is None else builder.formula(fixed)
    return found


def are_free_afloat(robot: Robot, options: Options) -> bool:
    """The same on a floating base."""
    return has_floating_base(robot, options) and has_free_joints(robot, options)


def are_free_on_the_ground(robot: Robot, options: Options) -> bool:
    """The same on a base that is not floating."""
    return not has_floating_base(robot, options) and has_free_joints(robot, options)


@form(
    "inverse-dynamics",
    of="elastic and free joints on a floating base",
    takes=are_free_afloat,
    inputs=(Q, QD, QDD, TAU_FREE, V0, R0, Q0),
    outputs=(TAU, QDD_OUT, VD0),
    options=(FREE, ROTATION),
    reference=NEWTON_EULER_2010.at("section 7.3, eq. (101) to (112), with driven joints among the free ones"),
    example="rx90_floating_elastic",
    applies=open_floating_tree,
    applies_to=FLOATING_TREES,
    equations=EQUATIONS,
)
@form(
    "inverse-dynamics",
    of="elastic and free joints",
    takes=are_free_on_the_ground,
    inputs=(Q, QD, QDD, TAU_FREE),
    outputs=(TAU, QDD_OUT),
    options=(FREE,),
    reference=NEWTON_EULER_2010.at("section 6, eq. (67) to (82)"),
    example="rx90_elastic",
    applies=open_tree,
    applies_to=OPEN_APPLIES_TO,
    equations=EQUATIONS,
)
def hybrid_inverse_dynamics(
    robot: Robot, free: Sequence[int | str] | None = None, rotation: str = "matrix"
) -> Program:
    """Torques of driven joints and accelerations of free ones."""
    named = named_joints(robot, free)
    return cheapest(robot, lambda way: hybrid_program(robot, named, way, rotation))


JointValues = dict[int, Scalar]


@dataclass(frozen=True)
class Parted:
    """Torques and accelerations of all coordinates, and the acceleration of a base that is free."""

    tau: JointValues
    qdd: JointValues
    base: Twist


@dataclass(frozen=True)
class Knowns:
    """What is known: accelerations of driven joints, torques of free ones; how the rotation of a base is given."""

    motion: JointMotion
    known: Mapping[int, Scalar]
    torques: Mapping[int, Scalar]
    rotation: str


Way = Callable[[Builder, Robot, Knowns], Parted]


def cheapest(robot: Robot, build: Callable[[Way], Program]) -> Program:
    """The program by partition or by recursion, whichever applies and takes fewer operations."""
    if has_followers(robot):
        return build(by_partition)
    if is_long(robot):
        return build(by_recursion)
    return cheaper(build(by_partition), build(by_recursion))


def hybrid_program(robot: Robot, named: Collection[int], way: Way, rotation: str) -> Program:
    """The program of the free joints named beside the elastic ones."""
    builder = Builder(f"{robot.name}_inverse_dynamics")
    motion = joint_motion(builder, robot, "qd")
    qdd = own_entries(builder, robot, "qdd")
    torques = given_torques(builder, robot, motion, named)
    known = {j: x for j, x in qdd.items() if j not in torques}
    found = way(builder, robot, Knowns(motion, known, torques, rotation))
    builder.output(
        TAU, [found.tau[j] for j in qdd], "joint torques and forces; the given ones at free joints"
    )
    builder.output(QDD_OUT, [found.qdd[j] for j in qdd])
    of_base(builder, robot, found)
    return builder.program()


def is_floating(robot: Robot) -> bool:
    """Whether the base is free in space."""
    return robot.base.kind == BaseKind.FLOATING


def ground(builder: Builder, robot: Robot, rotation: str) -> tuple[BaseMotion, Vector]:
    """How the base moves, its acceleration not read where it is free, and gravity in frame 0."""
    if is_floating(robot):
        return base_motion(builder, robot, acceleration=False), base_gravity(builder, robot, rotation)
    return base_motion(builder, robot), gravity(builder, robot)


def of_base(builder: Builder, robot: Robot, found: Mixed | Parted) -> None:
    """Give the acceleration of a base that is free."""
    if is_floating(robot):
        builder.output(VD0, [*found.base.v, *found.base.w])


def by_recursion(builder: Builder, robot: Robot, knowns: Knowns) -> Parted:
    """By the mixed recursion."""
    motion, known = knowns.motion, knowns.known
    friction = drive_torques(builder, robot, motion.qd, motion.qdd)
    joints: dict[int, Driven | Free] = {j: Driven(x) for j, x in known.items()}
    for j, torque in knowns.torques.items():
        joints[j] = Free(torque - friction[j], builder.formula(robot.frame(j).IA))  # (69)
    found = recursion(builder, robot, motion, joints, *ground(builder, robot, knowns.rotation))
    drives = drive_torques(builder, robot, {j: motion.qd[j] for j in known}, known)
    tau = {**knowns.torques, **{j: found.efforts[j] + drives[j] for j in known}}
    return Parted(tau, {**known, **found.qdd}, found.base)


def recursion(
    builder: Builder,
    robot: Robot,
    motion: JointMotion,
    joints: Mapping[int, Driven | Free],
    base: BaseMotion,
    down: Vector,
) -> Mixed:
    """The mixed recursion of a robot on its base."""
    free_base = is_floating(robot)
    tree = local_frames(builder, robot, motion.q)
    inertias = body_inertias(builder, robot, tree, free_base=free_base)
    loads = wrenches(builder, robot, with_base=free_base)
    return mixed(builder, tree, motion.qd, joints, base, down, inertias, loads, free_base=free_base)


def by_partition(builder: Builder, robot: Robot, knowns: Knowns) -> Parted:
    """By the equations of the coordinates: the rows of the free ones are solved, then the others follow.

    The springs are among what the joints bear, and those of free joints are given: they are taken out again. The base
    is free like a joint without torque, and its acceleration holds gravity, as in direct dynamics.
    """
    motion, own = knowns.motion, list(knowns.motion.joints.own)
    qdd = motion.accelerated({j: knowns.known.get(j, 0) for j in own})
    borne, entry, down = equations(builder, robot, knowns, qdd)
    springs = spring_torques(builder, robot, {j: motion.q[j] for j in knowns.torques})
    given = {j: torque + springs.get(j, 0) for j, torque in knowns.torques.items()}
    given |= dict.fromkeys(FREE_BASE if is_floating(robot) else (), 0)
    left = {j: given[j] - borne[j] for j in sorted(given)}
    x = TreeFactors(entry, chain_parents(list(left)), inverse_inertia).solve(left)
    tau: JointValues = dict(knowns.torques)
    for j in knowns.known:
        tau[j] = borne[j]
        for i, acceleration in x.items():
            tau[j] = tau[j] + entry[j, i] * acceleration
    linear, angular = ([x.get(k, 0) for k in rows] for rows in (FREE_BASE[:3], FREE_BASE[3:]))
    return Parted(tau, {**knowns.known, **x}, Twist(add(linear, down), angular))


def equations(
    builder: Builder, robot: Robot, knowns: Knowns, qdd: Mapping[int, Scalar]
) -> tuple[JointValues, MatrixEntries, Vector]:
    """What the coordinates, those of a free base first, bear at given accelerations; A by its entries; gravity.

    A free base bears no weight here: its acceleration will hold gravity.
    """
    joints = knowns.motion.joints
    down: Vector = [0, 0, 0]
    if not is_floating(robot):
        bearing = Torques(builder, robot, quick(robot), joints)
        rows, order = bearing.at(knowns.motion.qd, qdd), list(joints.own)
        a = coupled(joints, tree_inertia(builder, robot, bearing.locals_))
    else:
        base, down = ground(builder, robot, knowns.rotation)
        forces = FloatingForces(builder, robot, quick(robot), joints)
        rows, order = forces.given(base, [0, 0, 0], knowns.motion.qd, qdd).rows(), [*FREE_BASE, *joints.own]
        a = FloatingInertia(builder, robot, forces.tree, joints).matrix()
    entry = {(i, j): a[r][c] for r, i in enumerate(order) for c, j in enumerate(order)}
    return dict(zip(order, rows, strict=True)), entry, down
