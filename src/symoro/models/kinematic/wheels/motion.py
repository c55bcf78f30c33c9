"""`velocities`, `accelerations`, `jdot-qdot`, `jacobian` of a robot on wheels, from its active joints.

The base moves as `rolling` says, and its links with it. With J_0 the Jacobian of the frame on the base at rest, and p
its origin in frame 0,

    J = [ 1  k x p ] G_0 + J_0 G_q          G_0, G_q: the rows of G of the base and of the joints
        [ 0  k     ]

seen from the ground, in the axes of frame 0 (or of another frame of the robot).
"""

from __future__ import annotations

from symoro.expr.linalg import Matrix, Vector, add, cross, matvec, position_of, rotation_of, scale, transpose
from symoro.models.catalogue import Option, form
from symoro.models.geometric.relative_placement import axes_from, placement_between
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.motion import angular_velocities, linear_velocities, link_accelerations
from symoro.models.kinematic.tool import moving_frame
from symoro.models.kinematic.wheels.rolling import Rolling, active_entries, rolling
from symoro.models.kinematic.wheels.setting import APPLIES_TO, EXAMPLE, OF, has_wheels, on_wheels
from symoro.models.ports import QDA, QDDA, VD, WD, Q, V, W
from symoro.models.recursion import local_frames, name_vectors
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import chain

J = Port("J", "6,na", "rows linear then angular, columns by the active joints; seen from the ground")
A = Port("a", "6", "acceleration (linear; angular) of frame `to` at qdda = 0, expressed in frame `frame`")
TO = Option("to", "frame that moves; by default the tool or the last link's frame", "frame", None)
FRAME = Option("frame", "frame of expression", "frame", 0)


@form(
    "velocities",
    of=OF,
    takes=has_wheels,
    inputs=(Q, QDA),
    outputs=(V, W),
    reference=SYMORO_1997.at("section 4.2, eq. (6)"),
    applies=on_wheels,
    applies_to=APPLIES_TO,
    example=EXAMPLE,
)
def wheeled_velocities(robot: Robot) -> Program:
    """Velocities of all links, seen from the ground."""
    return _links(robot, "velocities", accelerate=False)


@form(
    "accelerations",
    of=OF,
    takes=has_wheels,
    inputs=(Q, QDA, QDDA),
    outputs=(V, W, VD, WD),
    reference=SYMORO_1997.at("section 4.3, eq. (8) to (10)"),
    applies=on_wheels,
    applies_to=APPLIES_TO,
    example=EXAMPLE,
)
def wheeled_accelerations(robot: Robot) -> Program:
    """Velocities and accelerations of all links, seen from the ground."""
    return _links(robot, "accelerations", accelerate=True)


def _links(robot: Robot, name: str, *, accelerate: bool) -> Program:
    builder = Builder(f"{robot.name}_{name}")
    motion = rolling(builder, robot)
    qda = active_entries(builder, robot, motion, QDA)
    qdda = active_entries(builder, robot, motion, QDDA) if accelerate else [0] * len(qda)
    x = motion.rates(qda)
    still: Vector = [0] * motion.size
    xd = motion.accelerations(x, qdda) if accelerate else still
    tree = local_frames(builder, robot, motion.positions)
    base, qd = motion.base(x, xd), motion.tree(x)
    before, w = angular_velocities(tree, base, qd)
    v = linear_velocities(tree, base, w, qd)
    found = {V: v, W: w}
    if accelerate:
        found[WD], found[VD] = link_accelerations(tree, base, before, w, qd, motion.tree(xd))
    for j in tree:
        name_vectors(builder, {port.name.upper(): vectors[j] for port, vectors in found.items()}, j)
    for port in (V, W, VD, WD)[: len(found)]:
        builder.output(port, [found[port][j] for j in sorted(tree)])
    return builder.program()


@form(
    "jdot-qdot",
    of=OF,
    takes=has_wheels,
    inputs=(Q, QDA),
    outputs=(A,),
    options=(TO, FRAME),
    reference=SYMORO_1997.at("section 4.4"),
    applies=on_wheels,
    applies_to=APPLIES_TO,
    equations=r"\dot J \dot q_a = (\dot V_n, \dot\omega_n) \text{ at } \ddot q_a = 0",
    example=EXAMPLE,
)
def wheeled_jdot_qdot(robot: Robot, to: int | str | None = None, frame: int | str = 0) -> Program:
    """The acceleration of a frame that the velocities alone cause."""
    robot, end, expressed = moving_frame(robot, to, frame)
    builder = Builder(f"{robot.name}_jdot_qdot")
    trig = Trigonometry(builder, robot)
    motion = rolling(builder, robot, trig)
    x = motion.rates(active_entries(builder, robot, motion, QDA))
    xd = motion.drift(x)
    tree = local_frames(builder, robot, motion.positions, trig)
    base, qd = motion.base(x, xd), motion.tree(x)
    before, w = angular_velocities(tree, base, qd)
    wd, vd = link_accelerations(tree, base, before, w, qd, motion.tree(xd))
    rotation = rotation_of(placement_between(builder, robot, expressed, end, motion.positions, trig))
    builder.output(A, matvec(rotation, vd[end]) + matvec(rotation, wd[end]))
    return builder.program()


@form(
    "jacobian",
    of=OF,
    takes=has_wheels,
    inputs=(Q,),
    outputs=(J,),
    options=(TO, FRAME),
    reference=SYMORO_1997.at("section 4.1, eq. (5)"),
    applies=on_wheels,
    applies_to=APPLIES_TO,
    equations=r"J = \begin{bmatrix} I & k \times p \\ 0 & k \end{bmatrix} G_0 + J_0\, G_q",
    example=EXAMPLE,
)
def wheeled_jacobian(robot: Robot, to: int | str | None = None, frame: int | str = 0) -> Program:
    """From velocities of the active joints to the velocity of a frame."""
    robot, end, expressed = moving_frame(robot, to, frame)
    builder = Builder(f"{robot.name}_jacobian")
    trig = Trigonometry(builder, robot)
    motion = rolling(builder, robot, trig)
    rotation = rotation_of(placement_between(builder, robot, expressed, 0, motion.positions, trig))
    columns = []
    for column in transpose(_unit_columns(builder, robot, end, motion, trig)):
        columns.append(matvec(rotation, column[:3]) + matvec(rotation, column[3:]))
    builder.output(J, _product(transpose(columns), motion.G))
    return builder.program()


def _product(a: Matrix, b: Matrix) -> Matrix:
    return transpose([matvec(a, column) for column in transpose(b)])


def _unit_columns(builder: Builder, robot: Robot, end: int, motion: Rolling, trig: Trigonometry) -> Matrix:
    """The velocity (linear; angular) of a frame, in frame 0, for each entry of x alone."""
    axes = axes_from(builder, robot, 0, end, motion.positions, trig)
    place: Vector = position_of(placement_between(builder, robot, 0, end, motion.positions, trig))
    up: Vector = [0, 0, 1]
    columns: list[Vector] = [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [*cross(up, place), *up]]
    of_joints: dict[int, Vector] = {}
    for j in chain(robot, end):
        axis, origin = axes[j]
        if robot.frame(j).sigma == JointType.REVOLUTE:
            of_joints[j] = [*cross(axis, add(place, scale(-1, origin))), *axis]
        elif robot.frame(j).sigma == JointType.PRISMATIC:
            of_joints[j] = [*axis, 0, 0, 0]
    return transpose([*columns, *motion.joints.columns(of_joints, 6)])
