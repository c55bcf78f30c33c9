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

from symoro.errors import OptionError
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import Option, Options, form
from symoro.models.coordinates import FIXED_BY, JointMotion, joint_motion, own_entries
from symoro.models.dynamic.articulated import Driven, Free, Mixed, body_inertias, mixed
from symoro.models.dynamic.composite import coupled, solve_tree, tree_inertia
from symoro.models.dynamic.direct import MATRIX_UP_TO, cheaper, depth
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.setting import (
    APPLIES_TO,
    drive_torques,
    fixed_tree,
    gravity,
    spring_torques,
    wrenches,
)
from symoro.models.dynamic.torques import Torques
from symoro.models.ports import QD, QDD, QDD_OUT, TAU, TAU_FREE, Q
from symoro.models.recursion import base_motion, local_frames
from symoro.models.references import NEWTON_EULER_2010
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot.coordinates import has_followers, independent
from symoro.robot.description import Robot
from symoro.robot.topology import elastic_joints

FREE = Option(
    "free", "joints of known torque tau_free, by number or name; their accelerations are found", "frames"
)


def has_free_joints(robot: Robot, options: Options) -> bool:
    """Whether a tree has elastic joints, or free ones are named, and no motor moves apart from its link."""
    if options.get("actuators"):
        return False
    if options.get("free"):
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


@form(
    "inverse-dynamics",
    of="elastic and free joints",
    takes=has_free_joints,
    inputs=(Q, QD, QDD, TAU_FREE),
    outputs=(TAU, QDD_OUT),
    options=(FREE,),
    reference=NEWTON_EULER_2010.at("section 6, eq. (67) to (82)"),
    example="rx90_elastic",
    applies=fixed_tree,
    applies_to=APPLIES_TO,
    equations=r"\begin{bmatrix} A_{11} & A_{12} \\ A_{12}^T & A_{22} \end{bmatrix} "
    r"\begin{bmatrix} \ddot q_r \\ \ddot q_f \end{bmatrix} + \begin{bmatrix} H_r \\ H_f \end{bmatrix} = "
    r"\begin{bmatrix} \Gamma_r \\ \Gamma_f \end{bmatrix}, \quad \Gamma_{f,j} = -k_j (q_j - q_{0,j})",
)
def hybrid_inverse_dynamics(robot: Robot, free: Sequence[int | str] | None = None) -> Program:
    """Torques of driven joints and accelerations of free ones."""
    named = named_joints(robot, free)
    if has_followers(robot):
        return _program(robot, named, by_partition)
    if depth(robot) > MATRIX_UP_TO:
        return _program(robot, named, by_recursion)
    return cheaper(_program(robot, named, by_partition), _program(robot, named, by_recursion))


JointValues = dict[int, Scalar]
Parting = Callable[
    [Builder, Robot, JointMotion, Mapping[int, Scalar], Mapping[int, Scalar]], tuple[JointValues, JointValues]
]


def _program(robot: Robot, named: Collection[int], parted: Parting) -> Program:
    builder = Builder(f"{robot.name}_inverse_dynamics")
    motion = joint_motion(builder, robot, "qd")
    qdd = own_entries(builder, robot, "qdd")
    torques = given_torques(builder, robot, motion, named)
    known = {j: x for j, x in qdd.items() if j not in torques}
    tau, found = parted(builder, robot, motion, known, torques)
    builder.output(TAU, [tau[j] for j in qdd], "joint torques and forces; the given ones at free joints")
    builder.output(QDD_OUT, [found[j] for j in qdd])
    return builder.program()


def by_recursion(
    builder: Builder,
    robot: Robot,
    motion: JointMotion,
    known: Mapping[int, Scalar],
    torques: Mapping[int, Scalar],
) -> tuple[JointValues, JointValues]:
    """All torques and accelerations, by the mixed recursion."""
    friction = drive_torques(builder, robot, motion.qd, motion.qdd)
    joints: dict[int, Driven | Free] = {j: Driven(x) for j, x in known.items()}
    for j, torque in torques.items():
        joints[j] = Free(torque - friction[j], builder.formula(robot.frame(j).IA))  # (69)
    found = recursion(builder, robot, motion, joints)
    qdd = {**known, **found.qdd}
    drives = drive_torques(builder, robot, {j: motion.qd[j] for j in known}, known)
    return {**torques, **{j: found.efforts[j] + drives[j] for j in known}}, qdd


def recursion(
    builder: Builder, robot: Robot, motion: JointMotion, joints: Mapping[int, Driven | Free]
) -> Mixed:
    """The mixed recursion of a robot on its base."""
    tree, base = local_frames(builder, robot, motion.q), base_motion(builder, robot)
    inertias, loads = body_inertias(builder, robot, tree), wrenches(builder, robot)
    return mixed(builder, tree, motion.qd, joints, base, gravity(builder, robot), inertias, loads)


def by_partition(
    builder: Builder,
    robot: Robot,
    motion: JointMotion,
    known: Mapping[int, Scalar],
    torques: Mapping[int, Scalar],
) -> tuple[JointValues, JointValues]:
    """The same from the equations of the coordinates: those of the free ones solved, then the others.

    The springs are among what the joints bear, and those of free joints are given: they are taken out again.
    """
    own = list(motion.joints.own)
    at_rest = motion.accelerated({j: known.get(j, 0) for j in own})
    bearing = Torques(builder, robot, quick(robot), motion.joints)
    borne = dict(zip(own, bearing.at(motion.qd, at_rest), strict=True))
    springs = spring_torques(builder, robot, {j: motion.q[j] for j in torques})
    a = coupled(motion.joints, tree_inertia(builder, robot, bearing.locals_))
    entry = {(i, j): a[r][c] for r, i in enumerate(own) for c, j in enumerate(own)}
    left = {j: torques[j] + springs.get(j, 0) - borne[j] for j in sorted(torques)}
    in_a_row = dict(zip(left, [0, *list(left)[:-1]], strict=True))  # as if each stood on the one before
    x = solve_tree(entry, in_a_row, left)
    tau: JointValues = dict(torques)
    for j in known:
        tau[j] = borne[j]
        for i, qdd in x.items():
            tau[j] = tau[j] + entry[j, i] * qdd
    return tau, {**known, **x}
