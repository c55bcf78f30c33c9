"""`jacobian`, `velocities`, `accelerations` and `jdot-qdot` of a floating base: its six coordinates come first.

    V_n = J [V0; qd],      Vd_n = J [Vd0; qdd] + a,      a: `jdot-qdot`, at Vd0 = 0 and qdd = 0

The base moves along and turns about the axes of frame 0: in the third factor of Renaud's (1997 paper, eq. 4) it has the
columns of three joints that slide and three that turn there. Accelerations are the classical ones, so that a has
centripetal terms of the base's own turn.
"""

from __future__ import annotations

from symoro.expr.linalg import cross, rotation_of, transpose
from symoro.models.catalogue import form
from symoro.models.coordinates.couplings import Coordinates
from symoro.models.dynamic.floating.base import EXAMPLE, OF, has_floating_base
from symoro.models.geometric.relative_placement import placement_between
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.jacobian import EQUATIONS, Factors, factors, jacobian_program, needs_joints
from symoro.models.kinematic.jacobian import OPTIONS as JACOBIAN_OPTIONS
from symoro.models.kinematic.motion import (
    EQUATIONS_A,
    EQUATIONS_V,
    JDOT_QDOT,
    OPTIONS,
    accelerations,
    velocities,
    velocity_acceleration,
)
from symoro.models.ports import QD, QDD, V0, VD, VD0, WD, Q, V, W
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

J = Port(
    "J", "6,6+n", "rows linear then angular; columns of the base first, zero ones for joints off the way"
)


def with_base(
    builder: Builder,
    robot: Robot,
    end: int,
    frame: int | str,
    m: int,
    joints: Coordinates,
    trig: Trigonometry,
) -> Factors:
    """The factors, with the columns of the base in the third one."""
    found = factors(builder, robot, end, frame, m, joints, trig)
    place = placement_between(builder, robot, m, 0, joints.positions, trig)
    axes, origin = transpose(rotation_of(place)), [row[3] for row in place[:3]]
    sliding = [[*axis, 0, 0, 0] for axis in axes]
    turning = [[*cross(origin, axis), *axis] for axis in axes]
    third = transpose([*sliding, *turning, *transpose(found.third)])
    return Factors(found.rotation, found.lever, third)


@form(
    "jacobian",
    of=OF,
    takes=has_floating_base,
    inputs=(Q,),
    outputs=(J,),
    options=JACOBIAN_OPTIONS,
    reference=SYMORO_1997.at("section 4.1, eq. (4), (5), with the base"),
    applies=needs_joints,
    applies_to="serial and tree robots on a floating base",
    equations=EQUATIONS,
    example=EXAMPLE,
)
def floating_jacobian(
    robot: Robot, to: int | str | None = None, frame: int | str = 0, mid: int | str | None = None
) -> Program:
    """The Jacobian of a frame from the motion of base and joints."""
    return jacobian_program(robot, to, frame, mid, with_base)


@form(
    "jdot-qdot",
    of=OF,
    takes=has_floating_base,
    inputs=(Q, QD, V0),
    outputs=(JDOT_QDOT,),
    options=OPTIONS,
    reference=SYMORO_1997.at("section 4.4, with the base"),
    applies_to="serial and tree robots on a floating base",
    equations=r"\dot J ({}^0V_0; \dot q) = (\dot V_n, \dot\omega_n) \text{ at } {}^0\dot V_0 = 0, \ddot q = 0",
    example=EXAMPLE,
)
def floating_jdot_qdot(robot: Robot, to: int | str | None = None, frame: int | str = 0) -> Program:
    """The acceleration of a frame that the velocities of base and joints alone cause."""
    return velocity_acceleration(robot, to, frame, with_base=False)


@form(
    "velocities",
    of=OF,
    takes=has_floating_base,
    inputs=(Q, QD, V0),
    outputs=(V, W),
    reference=SYMORO_1997.at("section 4.2, eq. (6)"),
    applies_to="serial and tree robots on a floating base",
    equations=EQUATIONS_V,
    example=EXAMPLE,
)
def floating_velocities(robot: Robot) -> Program:
    """Velocities of all links, from those of base and joints."""
    return velocities(robot)


@form(
    "accelerations",
    of=OF,
    takes=has_floating_base,
    inputs=(Q, QD, QDD, V0, VD0),
    outputs=(V, W, VD, WD),
    reference=SYMORO_1997.at("section 4.3, eq. (8) to (10)"),
    applies_to="serial and tree robots on a floating base",
    equations=EQUATIONS_A,
    example=EXAMPLE,
)
def floating_accelerations(robot: Robot) -> Program:
    """Velocities and accelerations of all links, from those of base and joints."""
    return accelerations(robot)
