"""Forces of rotors and friction, joint springs, motors of elastic joints, and motors that turn with several joints.

    drive    IA qdd + FV qd + (FS + FB exp(-(qd/VS)^2)) sign(qd) + FO
    load     tau = r + FL |tau| sign(qd), where r is the torque without this friction
    coupled  (IAM qdd + FVM qd) (c c' - diag(c)^2) + FSM c sign(c' qd), where c' qd is the velocity of the motor
    spring   k (q - rest)
    motor   s = k (qm + rest - q) on the link and -s on the motor, which has a separate drive

The spring of a motor has no damping; its torque is zero if q - qm equals `rest`. A rotor acts on its own axis alone
(M. Spong, Modeling and control of elastic joint robots, ASME Journal of Dynamic Systems, Measurement and Control 109,
1987). Friction depends on load and velocity as in P. Hamon, M. Gautier, P. Garrec, "Dynamic identification of robots
with a dry friction model depending on load and velocity", IROS 2010.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from symoro.errors import NotApplicableError
from symoro.expr.formula import ZERO
from symoro.expr.scalar import Scalar, absolute, exp, sign
from symoro.models.coordinates.blocks import Block, Coordinate, Values, joint, motor, of_block
from symoro.program.builder import Builder
from symoro.robot.description import DRIVE, MOTOR, CoupledMotor, Robot
from symoro.robot.topology import elastic_joints


def drive_torques(
    builder: Builder, robot: Robot, qd: Mapping[int, Scalar], qdd: Mapping[int, Scalar]
) -> dict[int, Scalar]:
    """Return the torques of rotor inertia and friction, by joint; friction that depends on load is not included.

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
        if not frame.FB.is_zero:
            torque = torque + builder.formula(frame.FB) * stribeck(rate, builder.formula(frame.VS)) * sign(
                rate
            )
        torques[j] = torque
    return torques


def stribeck(rate: Scalar, velocity: Scalar) -> Scalar:
    """Return Stribeck's curve exp(-(rate/velocity)^2)."""
    ratio = rate / velocity
    return exp(-(ratio * ratio))


class MotorShares(NamedTuple):
    """Coupled motor with its velocity for a unit velocity of each joint of the tree, by joint."""

    motor: CoupledMotor
    shares: dict[int, Scalar]

    def velocity(self, rates: Mapping[int, Scalar]) -> Scalar:
        """Return the velocity of the motor for velocities of the joints."""
        total: Scalar = 0
        for j, share in self.shares.items():
            total = total + share * rates[j]
        return total

    def pairs(self) -> Iterator[tuple[int, int, Scalar]]:
        """Yield (i, j, c_i c_j) for each pair of different joints that turn the motor."""
        for i, share in self.shares.items():
            yield from ((i, j, share * other) for j, other in self.shares.items() if j != i)


def coupled_motors(builder: Builder, robot: Robot) -> list[MotorShares]:
    """Return the coupled motors of a robot with their shares as expressions."""
    return [
        MotorShares(motor, {j: builder.formula(share) for j, share in motor.shares.items()})
        for motor in robot.motors
    ]


def coupled_torques(
    builder: Builder, robot: Robot, qd: Mapping[int, Scalar], qdd: Mapping[int, Scalar]
) -> dict[int, Scalar]:
    """Return the torques of rotor inertia and friction of the coupled motors, by joint.

    Args:
        qd, qdd: velocities and accelerations of all joints of the tree.
    """
    torques: dict[int, Scalar] = {}
    for coupled in coupled_motors(builder, robot):
        inertia, viscous, dry = (builder.formula(getattr(coupled.motor, name)) for name in MOTOR)
        for i, j, product in coupled.pairs():
            torques[i] = torques.get(i, 0) + product * (inertia * qdd[j] + viscous * qd[j])
        if not coupled.motor.FSM.is_zero:
            force = dry * sign(coupled.velocity(qd))
            for j, share in coupled.shares.items():
                torques[j] = torques.get(j, 0) + share * force
    return torques


def loaded_torque(builder: Builder, robot: Robot, j: int, torque: Scalar, rate: Scalar) -> Scalar:
    """Return the drive torque tau = r / (1 - FL sign(qd) sign(r)), which overcomes load-dependent friction.

    Args:
        j: number of the joint.
        torque: torque r without this friction.
        rate: velocity qd of the drive.
    """
    load = robot.frame(j).FL
    if load.is_zero:
        return torque
    return torque / (1 - builder.formula(load) * sign(rate) * sign(torque))


def net_torque(builder: Builder, robot: Robot, j: int, torque: Scalar, rate: Scalar) -> Scalar:
    """Return the part tau - FL |tau| sign(qd) of a drive torque that remains after load-dependent friction.

    Args:
        j: number of the joint.
        torque: torque tau of the drive.
        rate: velocity qd of the drive.
    """
    load = robot.frame(j).FL
    if load.is_zero:
        return torque
    return torque - builder.formula(load) * sign(rate) * absolute(torque)


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
    """Return the robot without the springs, rotors and friction of its elastic joints.

    Raises:
        NotApplicableError: the robot has coupled motors, which would act on several motors of elastic joints.
    """
    if robot.motors:
        raise NotApplicableError(
            f"robot '{robot.name}' has coupled motors; motors of elastic joints cannot be coupled",
            hint="omit the option actuators='elastic', or remove 'motors' from the robot",
        )
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
        for j, x in self._coupled(rates, accelerations).items():
            drives[j] = drives[j] + x
        forces = {
            joint(j): x + self.springs.get(j, 0) - self.motor_springs.get(j, 0) for j, x in drives.items()
        }
        motors = self._drives(self.robot, Block.MOTOR, rates, accelerations)
        return forces | {motor(j): x + self.motor_springs[j] for j, x in motors.items()}

    def _drives(self, robot: Robot, block: Block, rates: Values, accelerations: Values) -> dict[int, Scalar]:
        which = of_block(rates, block)
        qd, qdd = ({c.j: values[c] for c in which} for values in (rates, accelerations))
        return drive_torques(self.builder, robot, qd, qdd)

    def _coupled(self, rates: Values, accelerations: Values) -> dict[int, Scalar]:
        if not self.links.motors:
            return {}
        which = of_block(rates, Block.JOINT)
        qd, qdd = ({c.j: values[c] for c in which} for values in (rates, accelerations))
        return coupled_torques(self.builder, self.links, qd, qdd)

    def coupled_inertia(self) -> dict[tuple[Coordinate, Coordinate], Scalar]:
        """Return the entries of the inertia matrix of the tree due to coupled motors, off the diagonal."""
        return self._between_joints("IAM")

    def _between_joints(self, name: str) -> dict[tuple[Coordinate, Coordinate], Scalar]:
        """Return the sum of a parameter of the coupled motors times c c' - diag(c)^2, by pair of joints."""
        entries: dict[tuple[Coordinate, Coordinate], Scalar] = {}
        for coupled in coupled_motors(self.builder, self.links):
            formula = getattr(coupled.motor, name)
            for i, j, product in coupled.pairs() if not formula.is_zero else ():
                pair = joint(i), joint(j)
                entries[pair] = entries.get(pair, 0) + self.builder.formula(formula) * product
        return entries

    def rotor(self, c: Coordinate) -> Scalar:
        """Return the rotor inertia IA that acts on the coordinate c of a joint or motor."""
        robot = self.robot if c.block is Block.MOTOR else self.links
        return self.builder.formula(robot.frame(c.j).IA)

    def damping(self, rates: Values) -> dict[tuple[Coordinate, Coordinate], Scalar]:
        """Return the derivatives of the drive torques with respect to the joint velocities, away from zero velocity.

        Args:
            rates: velocities of the tree's coordinates.
        """
        entries = self._between_joints("FVM")
        for c in of_block(rates, Block.JOINT):
            frame = self.links.frame(c.j)
            entries[c, c] = self.builder.formula(frame.FV)
            if not frame.FB.is_zero:
                rate, velocity = rates[c], self.builder.formula(frame.VS)
                curve = stribeck(rate, velocity) * absolute(rate)
                slope = -2 * self.builder.formula(frame.FB) * curve / (velocity * velocity)
                entries[c, c] = entries[c, c] + slope
        return entries

    def kinetic_energy(self, rates: Values) -> Scalar:
        """Return the kinetic energy of the coupled motors, qd' IAM (c c' - diag(c)^2) qd / 2."""
        doubled: Scalar = 0
        for (i, j), entry in self.coupled_inertia().items():
            doubled = doubled + entry * rates[i] * rates[j]
        return doubled / 2

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
