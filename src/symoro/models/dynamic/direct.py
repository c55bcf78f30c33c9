"""`direct-dynamics`: the accelerations that torques cause.

Two methods; by default the one that costs fewer operations.

    inertia     A qdd = tau - H, with A by composite links and H by Newton-Euler    (1997, section 5.3)
    recursive   articulated bodies (Khalil 2010, eq. 32 to 44; Featherstone): three walks, no matrix
"""

from __future__ import annotations

from symoro.errors import OptionError
from symoro.models.catalogue import Option, model
from symoro.models.coordinates.couplings import JointEntries, coordinate_joints, own_entries
from symoro.models.coordinates.joint_motion import JointMotion, joint_motion
from symoro.models.dynamic.articulated import articulated
from symoro.models.dynamic.composite import solve
from symoro.models.dynamic.formulation import Formulation
from symoro.models.dynamic.inverse import EFFORT, chosen
from symoro.models.dynamic.setting import APPLIES_TO, fixed_tree
from symoro.models.dynamic.torques import Torques
from symoro.models.ports import QD, QDD, QDDA, TAU, Q
from symoro.models.recursion import outward, skeleton
from symoro.models.references import NEWTON_EULER_2010
from symoro.program.builder import Builder
from symoro.program.count import count
from symoro.program.pipeline import optimise
from symoro.program.program import Program
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.robot.topology import moving_joints

METHOD = Option(
    "method",
    "recursive (articulated bodies) or inertia (matrix)",
    "choice",
    "auto",
    ("auto", "recursive", "inertia"),
)


@model(
    "direct-dynamics",
    menu="Dynamic",
    title="direct dynamic model: accelerations from torques",
    inputs=(Q, QD, TAU),
    outputs=(QDD, QDDA),
    options=(METHOD, EFFORT),
    reference=NEWTON_EULER_2010.at(
        "section 3.3.2, eq. (32) to (44); Khalil and Creusot, 1997, section 5.3, eq. (23) to (25)"
    ),
    aliases=("ddm", "aba"),
    applies=fixed_tree,
    applies_to=APPLIES_TO,
    equations=r"\ddot q = A(q)^{-1} (\Gamma - H(q, \dot q))",
)
def direct_dynamics(robot: Robot, method: str = "auto", effort: str = "quick") -> Program:
    """Accelerations from positions, velocities and torques."""
    joints = len(moving_joints(robot))
    is_coupled = joints != len(coordinate_joints(robot))
    if method == "recursive":
        if is_coupled:
            kind = "closed loops" if robot.B else "coupled joints"
            raise OptionError(f"method recursive does not treat {kind}", hint="use method='inertia'")
        return articulated(robot)
    only = method == "inertia" or is_coupled or joints < RECURSIVE_FROM
    if not only and is_long(robot):
        return articulated(robot)
    by_inertia = chosen(robot, effort, lambda f: _by_inertia(robot, f), "direct-dynamics")
    return by_inertia if only else cheaper(by_inertia, articulated(robot))


RECURSIVE_FROM = 6  # with fewer joints the matrix is cheaper, or nearly so
MATRIX_UP_TO = 20  # with more joints in a row never
CLEAR = 0.8  # a difference that the passes do not make up


def is_long(robot: Robot) -> bool:
    """Whether so many joints stand on one another that no matrix is worth trying."""
    depths = outward(skeleton(robot), 0, lambda bone, before: before + bone.moving)
    return max(depths.values()) > MATRIX_UP_TO


def cheaper(one: Program, other: Program) -> Program:
    """The one of two programs that costs fewer operations."""
    costs = [count(one).total, count(other).total]
    if min(costs) > CLEAR * max(costs):
        costs = [count(optimise(one)).total, count(optimise(other)).total]
    return one if costs[0] <= costs[1] else other


def _by_inertia(robot: Robot, formulation: Formulation) -> Program:
    builder = Builder(f"{robot.name}_direct_dynamics")
    motion = joint_motion(builder, robot, "qd")
    tau = own_entries(builder, robot, "tau")
    torques = Torques(builder, robot, formulation, motion.joints)
    bias = torques.at(motion.qd, motion.qdd)
    right = [[t - h] for t, h in zip(tau.values(), bias, strict=True)]
    solution = solve(builder, robot, motion.joints, torques.locals_, right)
    found = [row[0] for row in solution]
    output_accelerations(builder, robot, motion, dict(zip(tau, found, strict=True)))
    return builder.program()


def output_accelerations(builder: Builder, robot: Robot, motion: JointMotion, found: JointEntries) -> None:
    """Declare qdd, and qdda before it where loops close, from the accelerations of the coordinates."""
    if robot.B:
        builder.output(QDDA, list(found.values()))
        every = motion.accelerated(found)
        found = {j: every[j] for j in independent(robot)}
    builder.output(QDD, list(found.values()))
