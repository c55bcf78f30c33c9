"""`inverse-dynamics`, `bias-torques`, `gravity-torques`: the torques of a motion, by Newton-Euler recursion.

    tau = A(q) qdd + H(q, qd)          H: the torques at qdd = 0          Q: those at rest

W. Khalil, D. Creusot, Robotica 15, 1997, sections 5.1, 5.3.1; W. Khalil, ICINCO 2010, section 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from symoro.models.catalogue import Option, model
from symoro.models.coordinates.joint_motion import joint_motion
from symoro.models.dynamic.formulation import Formulation, plain, quick
from symoro.models.dynamic.search import searched
from symoro.models.dynamic.setting import APPLIES_TO, RIGID_APPLIES_TO, at_rest, fixed_tree, rigid_fixed_tree
from symoro.models.dynamic.torques import Torques
from symoro.models.ports import CUT_REACTIONS, QD, QDD, REACTIONS, TAU, Q
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.pipeline import optimise
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

EFFORT = Option(
    "effort",
    "quick, search for the formulation with the fewest operations, or plain: the papers' own, to be read",
    "choice",
    "quick",
    ("quick", "search", "plain"),
)
REACTIONS_TOO = Option("reactions", "give the reaction wrenches of the joints too", "flag", False)
FORMULATIONS = {"quick": quick, "plain": plain}
H = Port("H", "n", "torques at qdd = 0")
WEIGHT = Port("Q", "n", "torques at rest, without friction and wrenches")
EQUATIONS = (
    r"{}^jF_j = M_j\,{}^j\dot V_j + {}^jU_j\,{}^jMS_j, \quad {}^jM_j = {}^jJ_j\,{}^j\dot\omega_j + "
    r"{}^j\omega_j \times ({}^jJ_j\,{}^j\omega_j) + {}^jMS_j \times {}^j\dot V_j, \quad "
    r"\Gamma_j = (\sigma_j f_j + \bar\sigma_j m_j)^T a_j + F_{s,j}\,\mathrm{sign}(\dot q_j) + "
    r"F_{v,j} \dot q_j + F_{o,j} + I_{a,j} \ddot q_j"
)


def torque_program(
    robot: Robot,
    name: str,
    formulation: Formulation,
    *,
    output: Port = TAU,
    given: Sequence[str] = ("qd", "qdd"),
    friction: bool = True,
    reactions: bool = False,
) -> Program:
    """The program of the torques, at the velocities and accelerations that are given; others are zero."""
    builder = Builder(f"{robot.name}_{name}")
    motion = joint_motion(builder, robot, *given)
    torques = Torques(builder, robot, formulation, motion.joints, regrouped=not reactions)
    recursion = torques.recursion(motion.qd, motion.qdd)
    builder.output(output, torques.of(recursion, motion.qd, motion.qdd, friction=friction))
    if reactions:
        rows = [body.force + body.moment for _, body in sorted(recursion.bodies.items())]
        builder.output(REACTIONS, rows)
    return builder.program()


def chosen(robot: Robot, effort: str, build: Callable[[Formulation], Program], name: str) -> Program:
    """The program in the quick formulation, in the best that a search finds, or in the papers' own; it says which."""
    formulation = searched(robot, build, name) if effort == "search" else FORMULATIONS[effort](robot)
    written = replace(build(formulation), as_written=effort == "plain")
    return replace(written, choices=tuple(formulation.words()))


@model(
    "inverse-dynamics",
    menu="Dynamic",
    title="inverse dynamic model: torques of a motion",
    inputs=(Q, QD, QDD),
    outputs=(TAU, REACTIONS, CUT_REACTIONS),
    options=(EFFORT, REACTIONS_TOO),
    reference=SYMORO_1997.at("section 5.1, eq. (15) to (20)"),
    aliases=("idm", "rnea"),
    applies=rigid_fixed_tree,
    applies_to=RIGID_APPLIES_TO,
    equations=EQUATIONS,
    plain=lambda robot: optimise(torque_program(robot, "inverse_dynamics", plain(robot))),
)
def inverse_dynamics(robot: Robot, effort: str = "quick", reactions: bool = False) -> Program:
    """Torques from positions, velocities and accelerations."""
    if reactions and robot.B:
        from symoro.models.dynamic.reactions import (
            loop_reactions,  # it loads NumPy, which the catalogue does without
        )

        return loop_reactions(robot, "inverse_dynamics")
    if reactions:
        return torque_program(robot, "inverse_dynamics", plain(robot), reactions=True)
    return chosen(robot, effort, lambda f: torque_program(robot, "inverse_dynamics", f), "inverse-dynamics")


@model(
    "bias-torques",
    menu="Dynamic",
    title="torques at zero acceleration: centrifugal, Coriolis, gravity, friction",
    inputs=(Q, QD),
    outputs=(H,),
    options=(EFFORT,),
    reference=SYMORO_1997.at("section 5.3.1"),
    aliases=("ccg",),
    applies=fixed_tree,
    applies_to=APPLIES_TO,
    equations=r"H(q, \dot q) = \Gamma \text{ at } \ddot q = 0",
)
def bias_torques(robot: Robot, effort: str = "quick") -> Program:
    """Torques without acceleration."""

    def build(formulation: Formulation) -> Program:
        return torque_program(robot, "bias_torques", formulation, output=H, given=("qd",))

    return chosen(robot, effort, build, "bias-torques")


@model(
    "gravity-torques",
    menu="Dynamic",
    title="torques of gravity alone",
    inputs=(Q,),
    outputs=(WEIGHT,),
    reference=SYMORO_1997.at("section 5.1, eq. (15) to (20), at rest"),
    aliases=("gravity",),
    applies=fixed_tree,
    applies_to=APPLIES_TO,
    equations=r"Q(q) = \partial U / \partial q",
)
def gravity_torques(robot: Robot) -> Program:
    """Torques that hold the robot still against its weight."""
    return torque_program(
        at_rest(robot),
        "gravity_torques",
        quick(robot),
        output=WEIGHT,
        given=(),
        friction=False,
    )
