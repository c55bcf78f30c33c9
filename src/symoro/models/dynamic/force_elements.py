"""Forces on single coordinates: rotors and friction, joint springs, motors of elastic joints.

    drive   IA qdd + FV qd + FS sign(qd) + FO
    spring  k (q - rest)
    motor   s = k (qm + rest - q) on the link and -s on the motor, which has a separate drive

The spring of a motor has no damping; its torque is zero if q - qm equals `rest`. A rotor acts on its own axis alone
(M. Spong, Modeling and control of elastic joint robots, ASME Journal of Dynamic Systems, Measurement and Control 109,
1987).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from symoro.errors import NotApplicableError
from symoro.expr.formula import ZERO
from symoro.expr.scalar import Scalar, sign
from symoro.models.coordinates.blocks import Block, Coordinate, Values, joint, motor, of_block
from symoro.program.builder import Builder
from symoro.robot.description import DRIVE, Robot
from symoro.robot.topology import elastic_joints


def drive_torques(
    builder: Builder, robot: Robot, qd: Mapping[int, Scalar], qdd: Mapping[int, Scalar]
) -> dict[int, Scalar]:
    """Return the torques of rotor inertia and friction, IA qdd + FV qd + FS sign(qd) + FO, by joint.

    Args:
        qd: velocities of the joints concerned.
        qdd: accelerations of the same joints.
    """
    torques: dict[int, Scalar] = {}
    for j, rate in qd.items():
        frame = robot.frame(j)
        torque: Scalar = builder.formula(frame.FO)
        torque = torque + builder.formula(frame.IA) * qdd[j] + builder.formula(frame.FV) * rate
        if not frame.FS.is_zero:
            torque = torque + builder.formula(frame.FS) * sign(rate)
        torques[j] = torque
    return torques


def spring_torques(builder: Builder, robot: Robot, q: Mapping[int, Scalar]) -> dict[int, Scalar]:
    """Return the torque k (q - rest) that balances the spring (stiffness k) of each elastic joint, by joint."""
    elastic = {j: robot.frame(j) for j in q if robot.frame(j).eta}
    return {j: builder.formula(f.k) * (q[j] - builder.formula(f.rest)) for j, f in elastic.items()}


def spring_energy(builder: Builder, robot: Robot, q: Mapping[int, Scalar]) -> Scalar:
    """Return the potential energy k (q - rest)^2 / 2 of all joint springs (stiffness k, rest position `rest`)."""
    strained: Scalar = 0
    for j, torque in spring_torques(builder, robot, q).items():
        strained = strained + torque * (q[j] - builder.formula(robot.frame(j).rest)) / 2
    return strained


def links_alone(robot: Robot) -> Robot:
    """Return the robot without the springs, rotors and friction of its elastic joints."""
    for j in elastic_joints(robot):
        robot = robot.with_frame(j, eta=False, **dict.fromkeys(("k", "rest", *DRIVE), ZERO))
    return robot


class ForceElements:
    """Forces that act on single coordinates of the tree: drives, springs and motors.

    Args:
        robot: the robot as described.
        q: positions of the joints of the tree.
        motors: the joints whose motors have coordinates. The drive of such a joint acts on the motor.

    Attributes:
        links: the robot without the springs, rotors and friction of these joints.
        qm: positions of the motors, by joint.
    """

    def __init__(
        self, builder: Builder, robot: Robot, q: Mapping[int, Scalar], motors: Sequence[int] = ()
    ) -> None:
        self.builder, self.robot, self.q = builder, robot, q
        self.links = links_alone(robot) if motors else robot
        self.qm: Mapping[int, Scalar] = {}

    @cached_property
    def springs(self) -> dict[int, Scalar]:
        """Return the spring torques k (q - rest) of the elastic joints whose motors have no coordinates, by joint."""
        return spring_torques(self.builder, self.links, self.q)

    def read_springs(self, joints: Sequence[int]) -> None:
        """Declare the spring parameters (stiffness and rest position) of some joints in the program.

        A program lists its parameters in order of declaration; this call determines their position.
        """
        spring_torques(self.builder, self.links, {j: self.q[j] for j in joints})

    @cached_property
    def motor_springs(self) -> dict[int, Scalar]:
        """Return the torque k (qm + rest - q) of each motor's spring on its link, by joint (motor position qm)."""
        springs: dict[int, Scalar] = {}
        for j, x in self.qm.items():
            frame = self.robot.frame(j)
            stretch = x + self.builder.formula(frame.rest) - self.q[j]
            springs[j] = self.builder.named(f"spring{j}", self.builder.formula(frame.k) * stretch)
        return springs

    def forces(self, rates: Values, accelerations: Values) -> dict[Coordinate, Scalar]:
        """Return the forces on joints and motors that drives, springs and motors require during a motion of the tree.

        Args:
            rates, accelerations: velocities and accelerations of the tree's coordinates.
        """
        drives = self._drives(self.links, Block.JOINT, rates, accelerations)
        forces = {
            joint(j): x + self.springs.get(j, 0) - self.motor_springs.get(j, 0) for j, x in drives.items()
        }
        motors = self._drives(self.robot, Block.MOTOR, rates, accelerations)
        return forces | {motor(j): x + self.motor_springs[j] for j, x in motors.items()}

    def _drives(self, robot: Robot, block: Block, rates: Values, accelerations: Values) -> dict[int, Scalar]:
        which = of_block(rates, block)
        qd, qdd = ({c.j: values[c] for c in which} for values in (rates, accelerations))
        return drive_torques(self.builder, robot, qd, qdd)

    def rotor(self, c: Coordinate) -> Scalar:
        """Return the rotor inertia IA that acts on the coordinate c of a joint or motor."""
        robot = self.robot if c.block is Block.MOTOR else self.links
        return self.builder.formula(robot.frame(c.j).IA)

    def damping(self, j: int) -> Scalar:
        """Return the viscous friction FV of joint j, the derivative of its drive torque with respect to qd."""
        return self.builder.formula(self.links.frame(j).FV)

    def stiffness(self, j: int) -> Scalar:
        """Return the stiffness of the spring of joint j, zero if the joint is not elastic."""
        frame = self.links.frame(j)
        return self.builder.formula(frame.k) if frame.eta else 0

    def motor_acceleration(self, c: Coordinate, force: Scalar) -> Scalar:
        """Return the acceleration of the motor that has the coordinate c, the net torque divided by the rotor inertia.

        Args:
            force: net torque on the rotor.

        Raises:
            NotApplicableError: the rotor inertia is zero.
        """
        if self.robot.frame(c.j).IA.is_zero:
            message = f"the motor of joint {c.j} has no inertia, so that its acceleration is undetermined"
            raise NotApplicableError(message, hint=f"give joint {c.j} a rotor inertia IA")
        return force / self.rotor(c)

    def energy(self) -> Scalar:
        """Return the potential energy of the springs of joints whose motors have no coordinates."""
        return spring_energy(self.builder, self.links, self.q)
