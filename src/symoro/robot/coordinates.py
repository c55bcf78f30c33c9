"""Independent and coupled joints of the tree: q_j = sum ratio_i q_i + offset.

Coupled joints (mimic joints, geared wrists, parallelograms) have no generalised coordinate. This module contains the
data; every model computes the resulting motion of the tree with `models/coordinates.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

from symoro.errors import OptionError
from symoro.expr.formula import Formula
from symoro.expr.scalar import Scalar
from symoro.robot.postures import HOME
from symoro.robot.records import Coupling
from symoro.robot.topology import elastic_joints, moving_joints

if TYPE_CHECKING:
    from symoro.robot.description import Robot

Into = Callable[[Formula], Scalar]
Relation = Coupling  # linear relation between a joint and others, also one derived from a loop
PostureLike = (
    str | Sequence[float] | Mapping[int, float]
)  # name, values in the order of q, or values by joint


def independent(robot: Robot) -> list[int]:
    """Return the numbers of the joints that have a generalised coordinate, in the order of the entries of q."""
    return [j for j in moving_joints(robot) if robot.frame(j).coupling is None]


def unconstrained_passive_joints(robot: Robot) -> list[int]:
    """Return the passive joints that have a generalised coordinate but neither an actuator nor a spring.

    The list is empty for robots with loops or wheels, which constrain their passive joints.
    """
    if robot.B or robot.wheels:
        return []
    springs = elastic_joints(robot)
    return [j for j in independent(robot) if not robot.frame(j).mu and j not in springs]


def has_followers(robot: Robot) -> bool:
    """Return whether the position of some joint of the tree is coupled to those of other joints."""
    return len(independent(robot)) != len(moving_joints(robot))


def relation(robot: Robot, j: int) -> Relation | None:
    """Return the coupling q_j = sum ratio_i q_i + offset of joint j; None for an independent joint."""
    return robot.frame(j).coupling


def followers(robot: Robot) -> dict[int, Relation]:
    """Return the coupling of every coupled joint by joint number, including cut joints of loops."""
    return {j: frame.coupling for j, frame in enumerate(robot.frames, 1) if frame.coupling is not None}


def following(robot: Robot, relations: Mapping[int, Relation]) -> Robot:
    """Return the robot with the given couplings by joint number; couplings of all other joints are removed."""
    frames = [replace(frame, coupling=relations.get(j)) for j, frame in enumerate(robot.frames, 1)]
    return replace(robot, frames=tuple(frames))


def posture_by_joint(robot: Robot, posture: PostureLike) -> dict[int, float]:
    """Return a posture as joint positions by joint number (rad, m).

    Args:
        posture: name of one of the robot's postures; or one number per independent joint (or per moving joint of the
            tree); or a mapping from joint numbers to values.

    Raises:
        UnknownNameError: the robot has no posture of this name.
        OptionError: the number of values or a joint number is wrong.
    """
    if isinstance(posture, str):
        posture = robot.postures[posture]
    if not isinstance(posture, Mapping):
        orders = (independent(robot), moving_joints(robot))
        joints = next((order for order in orders if len(order) == len(posture)), None)
        if joints is None:
            names = ", ".join(f"q{j}" for j in orders[0])
            raise OptionError(f"posture: expected {len(orders[0])} numbers, {names}; got {len(posture)}")
        posture = dict(zip(joints, posture, strict=True))
    for j, x in posture.items():
        if not 1 <= j <= robot.NJ or not robot.frame(j).moving:
            raise OptionError(f"posture: joint {j} of robot '{robot.name}' does not exist or does not move")
        if not isfinite(x):
            raise OptionError(f"posture: expected a finite number for joint {j}, got {x}")
    return {j: float(x) for j, x in posture.items()}


def with_home(robot: Robot, posture: PostureLike | None) -> Robot:
    """Return the robot with the given posture as its posture 'home', which selects the assembly mode of loops.

    The robot is unchanged if the posture is None.
    """
    if posture is None:
        return robot
    values = posture_by_joint(robot, posture)
    home = tuple(values.get(j, 0.0) for j in independent(robot))
    return replace(robot, postures={**robot.postures, HOME: home})


def positions(robot: Robot, q: Mapping[int, Scalar], into: Into) -> dict[int, Scalar]:
    """Return the position of every moving joint of the tree, including coupled joints.

    Args:
        robot: the robot.
        q: positions of the independent joints by joint number.
        into: function that converts a formula to the type of the entries of q.

    Returns:
        The positions by joint number, without the constant offsets of the geometric parameters theta and r.
    """
    position: dict[int, Scalar] = {}
    for j in moving_joints(robot):
        coupling = robot.frame(j).coupling
        position[j] = q[j] if coupling is None else into(coupling.offset)
        for i, ratio in coupling.terms if coupling else ():
            position[j] = into(ratio) * q[i] + position[j]
    return position


def drivers(robot: Robot, j: int, into: Into) -> list[tuple[int, Scalar]]:
    """Return the independent joints i that move joint j, each with its ratio dq_j/dq_i.

    Args:
        robot: the robot.
        j: number of the joint.
        into: function that converts a formula to the type of the ratios.
    """
    coupling = robot.frame(j).coupling
    return [(j, 1)] if coupling is None else [(i, into(ratio)) for i, ratio in coupling.terms]
