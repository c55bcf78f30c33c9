"""Elastic actuators: a spring between each motor and its link, both with a coordinate of their own.

With actuators="elastic" the spring of an elastic joint stands behind its motor. The joint's own coordinate q is the
link's, qm the motor's on the joint side of the gear, and the two inertias are apart:

    link    A(q) qdd + H(q, qd) = s,           s = k (qm + rest - q)        A without the rotors of elastic joints
    motor   IA qmdd + FV qmd + FS sign(qmd) + FO + s = tau

that is, no torque passes where the deflection q - qm equals `rest`. Rotor inertia and friction belong to the motor; the
spring itself has no damping. A rigid joint has qm = q, whose entries are not read.

    inverse   the motors' accelerations qmdd are given: their torques, and the accelerations of the links
    direct    the motors' torques are given: the accelerations of both

The links are free joints (Khalil 2010, section 6; `hybrid.py`) under the torque of their springs. The rotor
acts on its own axis alone, as everywhere (M. Spong, Modeling and control of elastic joint robots, ASME Journal of
Dynamic Systems, Measurement and Control 109, 1987).
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.errors import NotApplicableError
from symoro.expr.formula import ZERO
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import Option, Options, form
from symoro.models.coordinates.couplings import own_entries
from symoro.models.coordinates.joint_motion import JointMotion, joint_motion
from symoro.models.dynamic.floating.base import OPEN_APPLIES_TO as FLOATING_TREES
from symoro.models.dynamic.floating.base import ROTATION, open_floating_tree
from symoro.models.dynamic.hybrid import Knowns, Way, cheapest, is_floating, of_base
from symoro.models.dynamic.setting import OPEN_APPLIES_TO, drive_torques, open_tree
from symoro.models.ports import Q0, QD, QDD, QDD_OUT, QM, QMD, QMDD, R0, TAU, V0, VD0, Q
from symoro.models.references import NEWTON_EULER_2010
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.coordinates import has_followers, independent
from symoro.robot.description import DRIVE, Robot
from symoro.robot.topology import elastic_joints

ACTUATORS = Option(
    "actuators",
    "elastic: motors behind the springs, with coordinates of their own",
    "choice",
    None,
    ("elastic",),
)
REFERENCE = NEWTON_EULER_2010.at("section 6, eq. (67) to (82)")
EQUATIONS = (
    r"A(q)\,\ddot q + H(q, \dot q) = s, \quad I_a \ddot q_m + F_v \dot q_m + F_s\,\mathrm{sign}(\dot q_m) + s = "
    r"\Gamma, \quad s = k\,(q_m + q_0 - q)"
)


def has_elastic_actuators(robot: Robot, options: Options) -> bool:
    """Whether the option asks for them, on a base that is not floating."""
    return options.get("actuators") is not None and not is_floating(robot)


def has_elastic_actuators_afloat(robot: Robot, options: Options) -> bool:
    """The same on a floating base."""
    return options.get("actuators") is not None and is_floating(robot)


def elastic_tree(robot: Robot) -> str | None:
    """Why there are no elastic actuators, if so."""
    if has_followers(robot):
        return "its joints are coupled, and elastic actuators of such robots are not modelled"
    if not elastic_joints(robot):
        return "none of its joints is elastic"
    return open_floating_tree(robot) if is_floating(robot) else open_tree(robot)


def links_alone(robot: Robot) -> Robot:
    """The robot without the springs, rotors and friction of its elastic joints."""
    for j in elastic_joints(robot):
        robot = robot.with_frame(j, eta=False, **dict.fromkeys(("k", "rest", *DRIVE), ZERO))
    return robot


class Motors:
    """The motors of the elastic joints: what drives their links, and what their torque is."""

    def __init__(self, builder: Builder, robot: Robot, motion: JointMotion) -> None:
        self.builder, self.robot = builder, robot
        self.elastic = elastic_joints(robot)
        qm, self.qmd = self._entries(QM), self._entries(QMD)
        self.springs: dict[int, Scalar] = {}
        for j in self.elastic:
            frame = robot.frame(j)
            stretch = qm[j] + builder.formula(frame.rest) - motion.q[j]
            self.springs[j] = builder.named(f"spring{j}", builder.formula(frame.k) * stretch)

    def _entries(self, port: Port) -> dict[int, Scalar]:
        own = independent(self.robot)
        entries = self.builder.input(port, (len(own),), [f"{port.name}{j}" for j in own])
        given: dict[int, Scalar] = dict(zip(own, entries, strict=True))
        return {j: given[j] for j in self.elastic}

    def accelerations(self) -> dict[int, Scalar]:
        """The input qmdd."""
        return self._entries(QMDD)

    def torques(self, qmdd: Mapping[int, Scalar]) -> dict[int, Scalar]:
        """tau of the motors."""
        drives = drive_torques(self.builder, self.robot, self.qmd, qmdd)
        return {j: drives[j] + spring for j, spring in self.springs.items()}

    def accelerated(self, tau: Mapping[int, Scalar]) -> dict[int, Scalar]:
        """qmdd of the motors.

        Raises:
            NotApplicableError: a motor has no inertia.
        """
        at_rest = self.torques(dict.fromkeys(self.elastic, 0))
        found: dict[int, Scalar] = {}
        for j in self.elastic:
            if self.robot.frame(j).IA.is_zero:
                message = f"the motor of joint {j} has no inertia: its acceleration has no value"
                raise NotApplicableError(message, hint=f"give joint {j} a rotor inertia IA")
            found[j] = (tau[j] - at_rest[j]) / self.builder.formula(self.robot.frame(j).IA)
        return found


@form(
    "inverse-dynamics",
    of="elastic actuators on a floating base",
    takes=has_elastic_actuators_afloat,
    inputs=(Q, QD, QDD, QM, QMD, QMDD, V0, R0, Q0),
    outputs=(TAU, QDD_OUT, VD0),
    options=(ACTUATORS, ROTATION),
    reference=REFERENCE,
    example="rx90_floating_elastic",
    example_options={"actuators": "elastic"},
    applies=elastic_tree,
    applies_to="robots with elastic joints: " + FLOATING_TREES,
    equations=EQUATIONS,
)
@form(
    "inverse-dynamics",
    of="elastic actuators",
    takes=has_elastic_actuators,
    inputs=(Q, QD, QDD, QM, QMD, QMDD),
    outputs=(TAU, QDD_OUT),
    options=(ACTUATORS,),
    reference=REFERENCE,
    example="rx90_elastic",
    example_options={"actuators": "elastic"},
    applies=elastic_tree,
    applies_to="robots with elastic joints: " + OPEN_APPLIES_TO,
    equations=EQUATIONS,
)
def actuated_inverse_dynamics(
    robot: Robot, actuators: str | None = None, rotation: str = "matrix"
) -> Program:
    """Torques of the motors and accelerations of the links, from the motors' accelerations."""

    def build(way: Way) -> Program:
        builder = Builder(f"{robot.name}_inverse_dynamics")
        motion = joint_motion(builder, robot, "qd")
        given = own_entries(builder, robot, "qdd")
        motors = Motors(builder, robot, motion)
        qmdd = motors.accelerations()
        known = {j: x for j, x in given.items() if j not in motors.springs}
        found = way(builder, links_alone(robot), Knowns(motion, known, motors.springs, rotation))
        tau = found.tau | motors.torques(qmdd)
        builder.output(TAU, [tau[j] for j in given], "torques and forces of the motors")
        builder.output(QDD_OUT, [found.qdd[j] for j in given])
        of_base(builder, robot, found)
        return builder.program()

    return cheapest(robot, build)


@form(
    "direct-dynamics",
    of="elastic actuators on a floating base",
    takes=has_elastic_actuators_afloat,
    inputs=(Q, QD, QM, QMD, TAU, V0, R0, Q0),
    outputs=(QDD, QMDD, VD0),
    options=(ACTUATORS, ROTATION),
    reference=REFERENCE,
    example="rx90_floating_elastic",
    example_options={"actuators": "elastic"},
    applies=elastic_tree,
    applies_to="robots with elastic joints: " + FLOATING_TREES,
    equations=EQUATIONS,
)
@form(
    "direct-dynamics",
    of="elastic actuators",
    takes=has_elastic_actuators,
    inputs=(Q, QD, QM, QMD, TAU),
    outputs=(QDD, QMDD),
    options=(ACTUATORS,),
    reference=REFERENCE,
    example="rx90_elastic",
    example_options={"actuators": "elastic"},
    applies=elastic_tree,
    applies_to="robots with elastic joints: " + OPEN_APPLIES_TO,
    equations=EQUATIONS,
)
def actuated_direct_dynamics(robot: Robot, actuators: str | None = None, rotation: str = "matrix") -> Program:
    """Accelerations of links and motors."""
    bare = links_alone(robot)

    def build(way: Way) -> Program:
        builder = Builder(f"{robot.name}_direct_dynamics")
        motion = joint_motion(builder, robot, "qd")
        motors = Motors(builder, robot, motion)
        tau = own_entries(builder, bare, "tau")
        found = way(builder, bare, Knowns(motion, {}, tau | motors.springs, rotation))
        qmdd = found.qdd | motors.accelerated(tau)
        builder.output(QDD, [found.qdd[j] for j in tau], "joint accelerations, of the links")
        builder.output(QMDD, [qmdd[j] for j in tau])
        of_base(builder, robot, found)
        return builder.program()

    return cheapest(robot, build)
