"""System of a model: inputs, constraints and dynamics of a robot in one program.

The inputs have a fixed order: q, qd, qdd, tau_free, qm, qmd, qmdd, tau, e, ed, V0, Vd0, P0, R0 or Q0, wrench. Each is
present if the robot has such coordinates and the model uses it. With closed loops or wheels, qda and qdda of the active
joints replace qd and qdd.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, Vector
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.blocks import BASE, Block, Coordinate, Values, joint, motor, of_block
from symoro.models.coordinates.couplings import FIXED_BY, LOOP_PORTS, PORTS, fixed_value
from symoro.models.coordinates.layout import Layout, PlatformSpace, constraint_provider
from symoro.models.coordinates.provider import ConstraintProvider
from symoro.models.dynamic.flexible.tree import mode_inputs
from symoro.models.dynamic.floating_base import base_gravity, base_position
from symoro.models.dynamic.force_elements import ForceElements, loaded_torque, net_torque
from symoro.models.dynamic.formulation import Formulation
from symoro.models.dynamic.tree_dynamics import Known, Method, Solution, State, TreeDynamics
from symoro.models.platform.dynamics import platform_dynamics, platform_input
from symoro.models.platform.pose import PLATFORM_TAU, PLATFORM_V, PLATFORM_VD, twist_input
from symoro.models.ports import QM, QMD, QMDD, TAU_FREE, V0, VD0
from symoro.program.builder import Builder
from symoro.program.program import Port
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot

OF_PLATFORM = {"bias_torques": "platform_bias"}  # names of programs in the coordinates of a platform


class Dynamics(Protocol):
    """Equations of motion A nud + H = forces over the independent coordinates (abstract interface).

    The robot is a tree with constraints, or a platform on six legs.

    nud are the accelerations of the coordinates, A is the inertia matrix, H the bias forces.
    """

    def state(self, nu: Values) -> State: ...

    def efforts(
        self, state: State, nud: Values, gravity: Vector | None = None, *, elements: bool = True
    ) -> dict[Coordinate, Scalar]: ...

    def inertia(self) -> Matrix: ...

    def methods(self, known: Known) -> list[Method]: ...

    def solve(self, state: State, known: Known, method: Method) -> Solution: ...


@dataclass(frozen=True)
class Inputs:
    """Flags for the quantities that a model uses as inputs besides the positions.

    Attributes:
        rates: the velocities; without this flag the robot is at rest.
        accelerations: the accelerations of the joints and motors that are not force-driven.
        all_accelerations: the accelerations of the force-driven joints as well; no force is known then.
        base_acceleration: the acceleration of a free base; without this flag the force on the base is zero.
        torques: the torques of the drives.
        weight: whether gravity acts on the robot.
        position: the position of a free base.
    """

    rates: bool = True
    accelerations: bool = False
    all_accelerations: bool = False
    base_acceleration: bool = False
    torques: bool = False
    weight: bool = True
    position: bool = False


@dataclass(frozen=True)
class System:
    """Program of a model during its construction: inputs, constraints and dynamics of a robot.

    Attributes:
        layout: the coordinates of the robot that the model uses.
        provider: the constraints between the coordinates.
        state: velocities of the coordinates.
        known: given accelerations and forces; empty if the model has neither.
        position: position of a free base, if it is an input.
    """

    builder: Builder
    layout: Layout
    provider: ConstraintProvider
    dynamics: Dynamics
    state: State
    known: Known
    position: Vector

    @property
    def tree(self) -> TreeDynamics:
        """Return the dynamics of the kinematic tree.

        It does not exist for a platform on six UPS legs, which has special equations.
        """
        assert isinstance(self.dynamics, TreeDynamics)
        return self.dynamics

    @property
    def joints(self) -> list[Coordinate]:
        """Return the independent coordinates that are joint positions."""
        return of_block(self.provider.own, Block.JOINT)

    def loaded(self, torques: Sequence[Scalar]) -> list[Scalar]:
        """Return the drive torques that overcome load-dependent friction as well.

        Args:
            torques: torques of the drives without this friction, in their order.
        """
        drives, robot = self.provider.actuation.drives, self.layout.robot
        rates = {j: self.state.rates[motor(j) if j in self.layout.motors else joint(j)] for j in drives}
        return [
            loaded_torque(self.builder, robot, j, torque, rates[j])
            for j, torque in zip(drives, torques, strict=True)
        ]


def system(
    name: str,
    layout: Layout,
    formulation: Formulation,
    inputs: Inputs,
    *,
    rotation: str = "matrix",
    regroup: bool = True,
    every_loop: bool = False,
) -> System:
    """Declare the inputs of a model and return its system.

    Args:
        name: suffix of the program's name, after the name of the robot.
        layout: the coordinates of the robot that the model uses.
        formulation: formulation of the Newton-Euler recursion.
        inputs: the quantities that are inputs besides the positions.
        rotation: representation of the rotation of a free base, 'matrix' or 'quaternion'.
        regroup: whether inertias may be regrouped across joints, as in `TreeDynamics`.
        every_loop: whether parallelograms have closure equations like other loops instead of linear couplings.
    """
    if layout.platform is not None:
        return _platform_system(name, layout, layout.platform, inputs)
    builder = Builder(f"{layout.robot.name}_{name}")
    provider = constraint_provider(builder, layout, every_loop=every_loop)
    return _Declaration(builder, layout, provider, inputs).system(formulation, rotation, regroup)


def _platform_system(name: str, layout: Layout, space: PlatformSpace, inputs: Inputs) -> System:
    """Return the system of a model in platform coordinates and declare its inputs.

    Args:
        name: suffix of the program's name, after the name of the robot.
        layout: the coordinates of the robot.
        space: options of the platform coordinates.
        inputs: the quantities that are inputs besides the pose T: the twist V, its derivative Vd, and the torques tau.
    """
    builder = Builder(f"{layout.robot.name}_{OF_PLATFORM.get(name, f'platform_{name}')}")
    provider = platform_input(builder, layout.robot, space.to, space.working_mode)
    dynamics = platform_dynamics(provider)
    nu: dict[Coordinate, Scalar] = dict.fromkeys(provider.own, 0)
    nud: dict[Coordinate, Scalar] = {}
    forces: dict[Coordinate, Scalar] = {}
    if inputs.rates:
        nu = twist_input(builder, PLATFORM_V, provider.own)
    if inputs.accelerations:
        nud = twist_input(builder, PLATFORM_VD, provider.own)
    if inputs.torques:
        drives = provider.actuation.drives
        tau = builder.input(PLATFORM_TAU, (len(drives),), [f"tau{j}" for j in drives])
        forces |= zip(provider.own, provider.actuation.forces(tau), strict=True)
    state = dynamics.state(nu) if inputs.rates else State(nu, {})
    return System(builder, layout, provider, dynamics, state, Known(nud, forces), [])


def joint_entries(
    builder: Builder, robot: Robot, provider: ConstraintProvider, name: str
) -> dict[Coordinate, Scalar]:
    """Declare the input `name` (qd, qdd or tau) and return its entries by coordinate.

    With loops or wheels the inputs are qda and qdda of the active joints. Values that the robot description prescribes
    replace the entries of the input.

    Raises:
        NotApplicableError: the robot prescribes the motion of a joint that is determined by its wheels.
    """
    joints = [c.j for c in of_block(provider.own, Block.JOINT)]
    if name == "tau":
        joints = list(provider.actuation.drives)
    if robot.wheels:
        fixed = [j for j in independent(robot) if getattr(robot.frame(j), FIXED_BY[name]) is not None]
        wrong = [j for j in fixed if j not in joints]
        if wrong:
            raise NotApplicableError(
                f"joint {wrong[0]} cannot have a prescribed {FIXED_BY[name]}: "
                "the rolling constraints determine its motion"
            )
    port = (LOOP_PORTS if robot.B or robot.wheels else PORTS)[name]
    given = builder.input(port, (len(joints),), [f"{name}{j}" for j in joints])
    values: dict[Coordinate, Scalar] = {}
    for j, x in zip(joints, given, strict=True):
        held = fixed_value(builder, robot, name, j)
        values[joint(j)] = x if held is None else held
    return values


class _Declaration:
    """Declaration of the inputs of one program, in their order."""

    def __init__(
        self, builder: Builder, layout: Layout, provider: ConstraintProvider, inputs: Inputs
    ) -> None:
        self.builder, self.layout, self.provider, self.inputs = builder, layout, provider, inputs
        self.robot = layout.robot
        self.own = provider.own
        self.nu: dict[Coordinate, Scalar] = dict.fromkeys(self.own, 0)
        self.nud: dict[Coordinate, Scalar] = {}
        self.forces: dict[Coordinate, Scalar] = {}

    def system(self, formulation: Formulation, rotation: str, regroup: bool) -> System:
        inputs, builder, provider = self.inputs, self.builder, self.provider
        position: Vector = []
        dynamics = self._dynamics(formulation, regroup)
        if self.robot.wheels:  # the input of wrenches precedes the motion of the active joints
            _ = dynamics.tree, dynamics.loads, dynamics.gravity
        if inputs.rates:
            self.nu |= self._joint_entries("qd")
        if inputs.weight and self.layout.has_free_base:
            provider.rates(self.nu)  # the parameters of loops are listed before those of the base
        if inputs.all_accelerations:
            self.nud |= self._joint_entries("qdd")
        elif inputs.accelerations:
            given = self._joint_entries("qdd")
            self.nud |= {c: x for c, x in given.items() if not self.layout.is_force_driven(c.j)}
            self.forces |= self._free_forces(dynamics.elements)
        self._motors(dynamics.elements)
        if inputs.torques:
            self._torques()
        self._modes(dynamics)
        if self.layout.has_free_base:
            position = self._base(dynamics, rotation)
        still = State(self.nu, dict.fromkeys(provider.tree, 0))
        state = dynamics.state(self.nu) if inputs.rates else still
        known = Known(
            {c: self.nud[c] for c in self.own if c in self.nud},
            {c: self.forces[c] for c in self.own if c in self.forces},
        )
        return System(builder, self.layout, provider, dynamics, state, known, position)

    def _dynamics(self, formulation: Formulation, regroup: bool) -> TreeDynamics:
        elements = ForceElements(self.builder, self.robot, self.provider.positions, self.layout.motors)
        links = elements.links.floating() if self.robot.wheels else elements.links
        return TreeDynamics(self.builder, links, self.provider, elements, formulation, regroup=regroup)

    def _joint_entries(self, name: str) -> dict[Coordinate, Scalar]:
        return joint_entries(self.builder, self.robot, self.provider, name)

    def _free_forces(self, elements: ForceElements) -> dict[Coordinate, Scalar]:
        """Return the known forces on force-driven joints and modes, and declare the input tau_free if it is needed.

        The input is needed if the option `free` lists joints. Joints driven by springs or motors have zero force here;
        `ForceElements` adds the forces of springs and motors.
        """
        joints = of_block(self.own, Block.JOINT)
        forces: dict[Coordinate, Scalar] = {c: 0 for c in joints if self.layout.is_force_driven(c.j)}
        elements.read_springs([c.j for c in forces])
        named = [c for c in forces if c.j in self.layout.free and not self.layout.is_spring_driven(c.j)]
        if named:
            given = self.builder.input(TAU_FREE, (len(joints),), [f"tau_free{c.j}" for c in joints])
            for c in named:
                held = fixed_value(self.builder, self.robot, "tau", c.j)
                forces[c] = self._net_torque(c.j, given[joints.index(c)] if held is None else held)
        rest = of_block(self.own, Block.MODE)
        return forces | dict.fromkeys(rest, 0)

    def _motors(self, elements: ForceElements) -> None:
        """Declare the positions, velocities and accelerations of the motors as inputs, if motors have coordinates."""
        if not self.layout.motors:
            return
        elements.qm = self._motor_entries(QM)
        if self.inputs.rates:
            self.nu |= {motor(j): x for j, x in self._motor_entries(QMD).items()}
        _ = elements.motor_springs
        if self.inputs.accelerations or self.inputs.all_accelerations:
            self.nud |= {motor(j): x for j, x in self._motor_entries(QMDD).items()}

    def _motor_entries(self, port: Port) -> dict[int, Scalar]:
        joints = independent(self.robot)
        given = self.builder.input(port, (len(joints),), [f"{port.name}{j}" for j in joints])
        return {j: x for j, x in zip(joints, given, strict=True) if j in self.layout.motors}

    def _torques(self) -> None:
        """Declare the input tau.

        The torques act on the motors if these have coordinates, otherwise on the joints without springs.
        """
        given = {c: self._net_torque(c.j, x) for c, x in self._joint_entries("tau").items()}
        spread = dict(
            zip(
                of_block(self.own, Block.JOINT),
                self.provider.actuation.forces(list(given.values())),
                strict=True,
            )
        )
        for c, x in spread.items():
            at_motor = c.j in self.layout.motors
            self.forces[c] = 0 if at_motor or self.layout.is_spring_driven(c.j) else x
            if at_motor:
                self.forces[motor(c.j)] = x
        self.forces |= dict.fromkeys(of_block(self.own, Block.MODE), 0)

    def _net_torque(self, j: int, torque: Scalar) -> Scalar:
        """Return the torque of the drive of joint j without the part that overcomes load-dependent friction."""
        if self.robot.frame(j).FL.is_zero:
            return torque
        rate = self.nu[motor(j)] if j in self.layout.motors else self.provider.rates(self.nu)[joint(j)]
        return net_torque(self.builder, self.robot, j, torque, rate)

    def _modes(self, dynamics: TreeDynamics) -> None:
        """Declare the modal coordinates of flexible links and their velocities as inputs."""
        if self.layout.modes:
            e, ed = mode_inputs(self.builder, self.robot, rates=self.inputs.rates)
            self.nu |= {c: ed[c.j][c.k - 1] for c in self.layout.modes}
            dynamics.modes = e, ed

    def _base(self, dynamics: TreeDynamics, rotation: str) -> Vector:
        """Declare the motion and the rotation of a free base as inputs.

        Returns:
            The position of the base; empty if it is not an input.
        """
        inputs = self.inputs
        if inputs.rates:
            self.nu |= self._twist(V0)
        if inputs.base_acceleration:
            self.nud |= self._twist(VD0)
        elif inputs.accelerations or inputs.torques:
            self.forces |= dict.fromkeys(BASE, 0)
        position = base_position(self.builder) if inputs.position else []
        if inputs.weight:
            dynamics.gravity = base_gravity(self.builder, self.robot, rotation)
        return position

    def _twist(self, port: Port) -> dict[Coordinate, Scalar]:
        given = self.builder.input(port, (6,), [f"{port.name}_{k}" for k in range(1, 7)])
        return dict(zip(BASE, given, strict=True))
