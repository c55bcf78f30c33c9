"""`jacobian`: from joint velocities to the velocity of a frame, in Renaud's three factors (1997 paper, section 4.1).

    rJn = [ rAi  0  ] [ I  -hat(iLjn) ] iJnj                                                (4)
          [  0  rAi ] [ 0      I      ]
    Jnj column k = [ s ak + sb (ak x Lkj) ]                                                 (5)
                   [        sb ak         ]

The intermediate frame m stands for both i and j: the third factor is the Jacobian of the point of link n that lies
at Om, in the axes of frame m. A good m leaves it simple; by default one that costs few operations is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symoro.errors import OptionError
from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    block,
    cross,
    identity,
    matscale,
    matvec,
    rotation_of,
    skew,
    transpose,
    zeros,
)
from symoro.models.catalogue import Option, model
from symoro.models.coordinates.couplings import Coordinates
from symoro.models.coordinates.joint_motion import coordinates
from symoro.models.geometric.relative_placement import axes_from, placement_between
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.tool import moving_frame
from symoro.models.ports import Q
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.count import count
from symoro.program.program import Port, Program
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import chain

J = Port("J", "6,n", "rows linear then angular; zero columns for joints off the way")

OPTIONS = (
    Option(
        "to",
        "frame whose velocity is meant; by default the tool, the platform or the last link's frame",
        "frame",
        None,
    ),
    Option("frame", "frame of expression", "frame", 0),
    Option("mid", "intermediate frame of Renaud's factorisation, on the way to frame `to`", "frame", None),
)
EQUATIONS = (
    r"{}^rJ_n = \begin{bmatrix} {}^rA_i & 0 \\ 0 & {}^rA_i \end{bmatrix} "
    r"\begin{bmatrix} I_3 & -{}^i\hat L_{j,n} \\ 0 & I_3 \end{bmatrix} {}^iJ_{n,j}"
)


@dataclass(frozen=True)
class Factors:
    """The three factors of eq. (4): rotation (3,3), lever arm mPn, and the third, one column a coordinate."""

    rotation: Matrix
    lever: Vector
    third: Matrix


def joint_column(robot: Robot, j: int, axis: Vector, position: Vector) -> Vector:
    """The velocity (linear; angular) that a moving joint gives to the point of its link at the origin."""
    if robot.frame(j).sigma == JointType.REVOLUTE:
        return [*cross(position, axis), *axis]  # aj x Ljm with Ljm = -mPj
    return [*axis, 0, 0, 0]


def factors(
    builder: Builder,
    robot: Robot,
    end: int,
    frame: int | str,
    m: int,
    joints: Coordinates,
    trig: Trigonometry,
    *,
    named: bool = True,
) -> Factors:
    """The factors of eq. (4) for the intermediate frame m; axes and levers get names when asked."""
    axes = axes_from(builder, robot, m, end, joints.positions, trig)
    if named:
        for k, (axis, position) in axes.items():
            section = f"frame {k}: axis and origin in frame {m}"
            for c in range(3):
                builder.named(f"A{k}_{c + 1}", axis[c], section)
                builder.named(f"L{k}_{c + 1}", position[c], section)
    columns = {k: joint_column(robot, k, *axes[k]) for k in chain(robot, end) if robot.frame(k).moving}
    rotation = rotation_of(placement_between(builder, robot, frame, m, joints.positions, trig))
    return Factors(rotation, axes[end][1], transpose(joints.columns(columns, 6)))


def assembled(f: Factors) -> Matrix:
    """The product of the factors."""
    columns = []
    for column in transpose(f.third):
        linear, angular = column[:3], column[3:]
        moved = add(linear, cross(angular, f.lever))
        columns.append(matvec(f.rotation, moved) + matvec(f.rotation, angular))
    return transpose(columns)


def checked_mid(robot: Robot, end: int, mid: int | str | None) -> int | None:
    """The intermediate frame as a number, refused when it is not on the way."""
    if mid is None:
        return None
    number = robot.frame_number(mid)
    if number not in (0, *chain(robot, end)):
        raise OptionError(
            f"the intermediate frame {number} is not on the way from the base to frame {end}",
            hint="choose one of " + ", ".join(map(str, (0, *chain(robot, end)))),
        )
    return number


def candidates(robot: Robot, end: int, frame: int | str) -> list[int]:
    """Intermediate frames worth trying: that of expression; seen from the base, the base and the first one."""
    way = [0, *chain(robot, end)]
    return [int(frame)] if frame in way[1:] else way[:2]


def needs_joints(robot: Robot) -> str | None:
    """Why there is no Jacobian by all joints, if so."""
    if robot.wheels:
        return "its base rolls on wheels"
    return None if independent(robot) else "it has no moving joint"


@model(
    "jacobian",
    menu="Kinematic",
    title="Jacobian matrix of a frame",
    inputs=(Q,),
    outputs=(J,),
    options=OPTIONS,
    reference=SYMORO_1997.at("section 4.1, eq. (4), (5)"),
    aliases=("jac", "jacobian-matrix"),
    applies=needs_joints,
    applies_to="every robot with a moving joint",
    equations=EQUATIONS,
)
def jacobian(
    robot: Robot, to: int | str | None = None, frame: int | str = 0, mid: int | str | None = None
) -> Program:
    """The Jacobian; with `mid` its three factors are outputs too."""
    return jacobian_program(robot, to, frame, mid, factors)


FactorMaker = Callable[[Builder, Robot, int, int | str, int, Coordinates, Trigonometry], Factors]


def jacobian_program(
    robot: Robot, to: int | str | None, frame: int | str, mid: int | str | None, factored: FactorMaker
) -> Program:
    """The program of the Jacobian, from what gives its factors."""
    tree, end, expressed = moving_frame(robot, to, frame)
    chosen = checked_mid(tree, end, mid)
    if chosen is not None:
        return _program(tree, end, expressed, chosen, factored, show_factors=True)
    mids = candidates(tree, end, expressed)
    programs = [_program(tree, end, expressed, m, factored, show_factors=False) for m in mids]
    return min(programs, key=lambda program: count(program).total)


def _program(
    robot: Robot, end: int, frame: int | str, m: int, factored: FactorMaker, *, show_factors: bool
) -> Program:
    builder = Builder(f"{robot.name}_jacobian")
    joints = coordinates(builder, robot)
    f = factored(builder, robot, end, frame, m, joints, Trigonometry(builder, robot))
    builder.output(J, assembled(f), f"Jacobian of frame {end} in frame {frame}")
    if show_factors:
        nothing = zeros(3, 3)
        lever = block([[identity(3), matscale(-1, skew(f.lever))], [nothing, identity(3)]])
        builder.output("J1", block([[f.rotation, nothing], [nothing, f.rotation]]), "first factor, rotation")
        builder.output("J2", lever, "second factor, lever arm")
        builder.output("J3", f.third, f"third factor, in frame {m}")
    return builder.program()
