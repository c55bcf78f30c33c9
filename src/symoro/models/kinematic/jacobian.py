"""`jacobian`: velocity of a frame from joint velocities, in Renaud's three factors (1997 paper, section 4.1).

    rJn = [ rAi  0  ] [ I  -hat(iLjn) ] iJnj                                                (4)
          [  0  rAi ] [ 0      I      ]
    Jnj column k = [ s ak + sb (ak x Lkj) ]                                                 (5)
                   [        sb ak         ]

Here r is the frame of expression, n the moving frame, ak the axis of joint k, s = 1 and sb = 0 for a prismatic joint, s
= 0 and sb = 1 for a revolute one. The intermediate frame m is used for both i and j: the third factor is the Jacobian
of the point of link n that coincides with Om, in the axes of frame m. A suitable m makes it simple. By default, a few
frames m are tried, and the one that requires the fewest operations is used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from symoro.errors import OptionError
from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    block,
    cross,
    identity,
    matmul,
    matscale,
    matvec,
    position_of,
    rotation_of,
    scale,
    skew,
    subtract,
    transpose,
    zeros,
)
from symoro.models.catalogue import Option
from symoro.models.coordinates.blocks import BASE, Coordinate, joint
from symoro.models.coordinates.joint_motion import coordinates
from symoro.models.coordinates.layout import Layout, constraint_provider
from symoro.models.coordinates.provider import ConstraintProvider, TreeCoordinates
from symoro.models.dynamic.floating_base import base_rotation, in_world
from symoro.models.dynamic.structures import (
    FIXED,
    FLOATING,
    PLATFORM,
    WHEELED,
    Structure,
    structure_of,
    tree_model,
)
from symoro.models.dynamic.system import Inputs
from symoro.models.geometric.relative_placement import axes_from, placement_between
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.platform import PLATFORM_DETAILS, PLATFORM_J, platform_jacobian
from symoro.models.kinematic.tool import moving_frame
from symoro.models.kinematic.wheels.setting import on_wheels
from symoro.models.platform.pose import SPACE, TO, WORKING_MODE
from symoro.models.ports import R0, Q
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.count import count
from symoro.program.pipeline import optimise
from symoro.program.program import Port, Program
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import chain

OPTIONS = (
    Option(
        "to",
        "frame whose velocity is computed; by default the tool, the platform or the last link's frame",
        "frame",
        None,
    ),
    Option("frame", "frame in whose axes the result is expressed", "frame", 0),
    Option("mid", "intermediate frame of Renaud's factorisation, on the path to frame `to`", "frame", None),
)
IN_WORLD = replace(
    OPTIONS[1], title=OPTIONS[1].title + "; 'world' of a floating base adds its rotation R0 to the inputs"
)
EQUATIONS = (
    r"{}^rJ_n = \begin{bmatrix} {}^rA_i & 0 \\ 0 & {}^rA_i \end{bmatrix} "
    r"\begin{bmatrix} I_3 & -{}^i\hat L_{j,n} \\ 0 & I_3 \end{bmatrix} {}^iJ_{n,j}"
)


@dataclass(frozen=True)
class Factors:
    """The three factors of the Jacobian, eq. (4).

    Attributes:
        rotation: rotation (3,3) from the axes of the intermediate frame m to the frame of expression.
        lever: vector mPn from the origin of frame m to that of frame n, in the axes of m.
        third: Jacobian at the origin of frame m in its axes, with six rows and one column per coordinate.
    """

    rotation: Matrix
    lever: Vector
    third: Matrix


def joint_column(robot: Robot, j: int, axis: Vector, position: Vector) -> Vector:
    """Return the Jacobian column (linear; angular) of joint j at the origin of the frame of expression.

    Args:
        axis: direction of the joint axis in the frame of expression.
        position: origin of frame j in the frame of expression.
    """
    if robot.frame(j).sigma == JointType.REVOLUTE:
        return [*cross(position, axis), *axis]  # aj x Ljm with Ljm = -mPj
    return [*axis, 0, 0, 0]


def factors(
    builder: Builder,
    robot: Robot,
    end: int,
    frame: int | str,
    m: int,
    provider: ConstraintProvider,
    trig: Trigonometry,
    *,
    named: bool = True,
) -> Factors:
    """Return the three factors of the Jacobian, eq. (4), for the intermediate frame m.

    Args:
        end: number n of the moving frame.
        frame: frame in which the velocity is expressed.
        m: number of the intermediate frame.
        named: whether the components of axes and lever arms become named variables of the program.
    """
    axes = axes_from(builder, robot, m, end, provider.positions, trig)
    if named:
        for k, (axis, position) in axes.items():
            section = f"frame {k}: axis and origin in frame {m}"
            for c in range(3):
                builder.named(f"A{k}_{c + 1}", axis[c], section)
                builder.named(f"L{k}_{c + 1}", position[c], section)
    columns = {joint(k): joint_column(robot, k, *axes[k]) for k in chain(robot, end) if robot.frame(k).moving}
    rotation = rotation_of(placement_between(builder, robot, frame, m, provider.positions, trig))
    if BASE[0] in provider.tree:
        base_transform = placement_between(builder, robot, m, 0, provider.positions, trig)
        columns |= base_columns(transpose(rotation_of(base_transform)), position_of(base_transform))
    third = provider.columns(columns, 6)
    return Factors(rotation, axes[end][1], transpose(list(third.values())))


def base_columns(axes: Matrix, origin: Vector) -> dict[Coordinate, Vector]:
    """Return the Jacobian columns of the six velocity components of the base.

    The components are the translations along the axes of frame 0, then the rotations about them.

    Args:
        axes: the three axes of frame 0 in the frame of expression.
        origin: origin of frame 0 in the frame of expression.
    """
    translating: list[Vector] = [[*axis, 0, 0, 0] for axis in axes]
    rotating: list[Vector] = [[*cross(origin, axis), *axis] for axis in axes]
    return dict(zip(BASE, [*translating, *rotating], strict=True))


def carried(rotation: Matrix, lever: Vector, column: Vector) -> Vector:
    """Multiply a column of the third factor of the Jacobian by the second and then by the first factor.

    Args:
        rotation: rotation of the first factor.
        lever: lever arm of the second factor.
        column: column (linear; angular) of the third factor.
    """
    linear, angular = column[:3], column[3:]
    return matvec(rotation, add(linear, cross(angular, lever))) + matvec(rotation, angular)


def assembled(f: Factors) -> Matrix:
    """Return the Jacobian, the product of its three factors."""
    return transpose([carried(f.rotation, f.lever, column) for column in transpose(f.third)])


def tree_columns(
    builder: Builder,
    robot: Robot,
    end: int,
    frame: int | str,
    provider: ConstraintProvider,
    trig: Trigonometry,
) -> dict[Coordinate, Vector]:
    """Return the Jacobian columns of frame `end`, one per coordinate of the tree (base velocities, then joints).

    The joint axes are computed in frame 0; the columns are expressed in `frame`.
    """
    axes = axes_from(builder, robot, 0, end, provider.positions, trig)
    rotation = rotation_of(placement_between(builder, robot, frame, 0, provider.positions, trig))
    point = position_of(placement_between(builder, robot, 0, end, provider.positions, trig))
    columns = {
        joint(k): joint_column(robot, k, axes[k][0], subtract(axes[k][1], point))
        for k in chain(robot, end)
        if robot.frame(k).moving
    }
    if BASE[0] in provider.tree:
        columns |= base_columns(identity(3), scale(-1, point))
    return {c: carried(rotation, [0, 0, 0], column) for c, column in columns.items()}


def checked_mid(robot: Robot, end: int, mid: int | str | None) -> int | None:
    """Return the number of the intermediate frame given with the option `mid`; None if it is not given.

    Raises:
        OptionError: the frame is not on the path from the base to frame `end`.
    """
    if mid is None:
        return None
    number = robot.frame_number(mid)
    if number not in (0, *chain(robot, end)):
        raise OptionError(
            f"the intermediate frame {number} is not on the path from the base to frame {end}",
            hint="choose one of " + ", ".join(map(str, (0, *chain(robot, end)))),
        )
    return number


def candidates(robot: Robot, end: int, frame: int | str) -> list[int]:
    """Return the numbers of the frames that are tried as intermediate frame of the Jacobian.

    If the frame of expression is on the path to frame `end`, it is the only one; if not, the first two frames of the
    path are tried.
    """
    path = [0, *chain(robot, end)]
    return [int(frame)] if frame in path[1:] else path[:2]


def needs_joints(robot: Robot) -> str | None:
    """Return the reason why the robot has no Jacobian with respect to its joints, or None if it has one."""
    if robot.wheels:
        return on_wheels(robot)
    return None if independent(robot) else "it has no moving joint"


def joint_provider(builder: Builder, robot: Robot) -> ConstraintProvider:
    """Declare the input q and return the independent coordinates, without those of a free base.

    It is used by models in which the motion of a free base is an input.
    """
    if robot.wheels:
        return constraint_provider(builder, Layout(robot))
    return TreeCoordinates(coordinates(builder, robot))


def jacobian_port(structure: Structure) -> Port:
    """Return the description (name, shape, text) of the output `J` for a kind of robot."""
    if structure.platform:
        return PLATFORM_J
    if structure.wheels:
        return Port(
            "J", "6,na", "rows linear then angular, columns by active joint; velocity relative to the ground"
        )
    rows = "rows linear then angular; "
    if structure.base:
        return Port(
            "J", "6,6+n", rows + "columns of the base first; zero columns for joints that are not on the path"
        )
    return Port("J", "6,n", rows + "zero columns for joints that are not on the path")


RENAUD_1997 = SYMORO_1997.at("section 4.1, eq. (4), (5)")


@tree_model(
    "jacobian",
    menu="Kinematic",
    title="Jacobian matrix of a frame",
    read=Inputs(rates=False, weight=False),
    outputs=lambda structure: (jacobian_port(structure),),
    options=(OPTIONS[0], IN_WORLD, OPTIONS[2], SPACE, TO, WORKING_MODE),
    aliases=("jac", "jacobian-matrix", "geometric-jacobian", "differential-kinematics"),
    structures={
        FIXED: {
            "reference": RENAUD_1997,
            "equations": EQUATIONS,
            "applies": needs_joints,
            "applies_to": "every robot with a moving joint",
        },
        FLOATING: {
            "inputs": (Q, R0),
            "reference": SYMORO_1997.at("section 4.1, eq. (4), (5), with the base"),
            "equations": EQUATIONS,
            "applies": needs_joints,
        },
        WHEELED: {
            "reference": RENAUD_1997,
            "equations": r"J = \begin{bmatrix} I & k \times p \\ 0 & k \end{bmatrix} G_0 + J_0\, G_q",
            "applies": needs_joints,
        },
        PLATFORM: PLATFORM_DETAILS,
    },
)
def jacobian(
    robot: Robot,
    to: int | str | None = None,
    frame: int | str = 0,
    mid: int | str | None = None,
    space: str | None = None,
    working_mode: str = "1",
) -> Program:
    """Derive the Jacobian of frame `to` with respect to the independent coordinates.

    Args:
        to: frame whose velocity is computed; by default the tool, the platform or the last link's frame.
        frame: frame in whose axes the velocity is expressed. With 'world', a robot on a floating base has the further
            input R0; the velocity V0 of the base remains expressed in frame 0.
        mid: intermediate frame of Renaud's factorisation; if it is given, the three factors are additional outputs.
        space: 'platform' for the Jacobian between motors and platform of a parallel robot; None for other robots.
        working_mode: working mode of the legs of a parallel robot, 1 or 2: one digit for all legs, or one per leg.
    """
    if space == "platform":
        return platform_jacobian(robot, to, working_mode)
    world = in_world(robot, frame)
    tree, end, expressed = moving_frame(robot, to, 0 if world else frame)
    chosen = checked_mid(tree, end, mid)
    if chosen is not None:
        return _program(tree, end, expressed, chosen, show_factors=True, world=world)
    programs = [_program(tree, end, expressed, m, world=world) for m in candidates(tree, end, expressed)]
    if not robot.wheels:
        return min(programs, key=lambda program: count(program).total)
    # The passes combine products of G with those of J, which the count before the passes does not show.
    return min((*programs, _program(tree, end, expressed, None)), key=cost)


def cost(program: Program) -> tuple[int, int]:
    """Return the numbers of operations of the optimised program: per call, and once at set-up."""
    counted = count(optimise(program))
    return counted.total, counted.setup.total if counted.setup else 0


def _program(
    robot: Robot,
    end: int,
    frame: int | str,
    m: int | None,
    *,
    show_factors: bool = False,
    world: bool = False,
) -> Program:
    """Return the program that computes the Jacobian of frame `end`, expressed in `frame`.

    Args:
        m: intermediate frame of the three factors. If it is None, the Jacobian with respect to the coordinates of the
            tree is multiplied by G, the derivative of these coordinates with respect to the independent coordinates.
        show_factors: whether the three factors are outputs as well.
        world: whether the Jacobian is expressed in the axes of the world, with the rotation R0 of `frame` as an input.
    """
    builder = Builder(f"{robot.name}_jacobian")
    provider = constraint_provider(builder, Layout(robot))
    trig = Trigonometry(builder, robot)
    title = f"Jacobian of frame {end} in {'the axes of the world' if world else f'frame {frame}'}"
    port = jacobian_port(structure_of(Layout(robot)))
    if m is None:
        columns = provider.columns(tree_columns(builder, robot, end, frame, provider, trig), 6)
        builder.output(port, transpose(list(columns.values())), title)
        return builder.program()
    f = factors(builder, robot, end, frame, m, provider, trig)
    if world:
        f = replace(f, rotation=matmul(base_rotation(builder), f.rotation))
    builder.output(port, assembled(f), title)
    if show_factors:
        nothing = zeros(3, 3)
        lever = block([[identity(3), matscale(-1, skew(f.lever))], [nothing, identity(3)]])
        builder.output("J1", block([[f.rotation, nothing], [nothing, f.rotation]]), "first factor, rotation")
        builder.output("J2", lever, "second factor, lever arm")
        builder.output("J3", f.third, f"third factor, in frame {m}")
    return builder.program()
