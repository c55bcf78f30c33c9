"""Which joints of a tree have a coordinate of their own, and what the others follow: q_j = sum ratio_i q_i + offset.

Coupled joints (mimic joints, geared wrists, parallelograms) have no coordinate. This is the data; the motion of the
tree that follows from it is read by every model from `models/coordinates.py`.
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
Relation = Coupling  # a joint as a sum of others, wherever it comes from
PostureLike = str | Sequence[float] | Mapping[int, float]  # a name, numbers as in q, or numbers by joint


def independent(robot: Robot) -> list[int]:
    """Joints of the tree that have a coordinate of their own, in frame order: the entries of q."""
    return [j for j in moving_joints(robot) if robot.frame(j).coupling is None]


def loose_joints(robot: Robot) -> list[int]:
    """Passive joints that no loop, wheel or spring moves: they have a coordinate of their own, and no drive."""
    if robot.B or robot.wheels:
        return []
    springs = elastic_joints(robot)
    return [j for j in independent(robot) if not robot.frame(j).mu and j not in springs]


def has_followers(robot: Robot) -> bool:
    """Whether a joint of the tree has no coordinate of its own."""
    return len(independent(robot)) != len(moving_joints(robot))


def relation(robot: Robot, j: int) -> Relation | None:
    """What a joint follows; None for one with a coordinate of its own."""
    return robot.frame(j).coupling


def followers(robot: Robot) -> dict[int, Relation]:
    """The joints that follow others, those where loops are opened included."""
    return {j: frame.coupling for j, frame in enumerate(robot.frames, 1) if frame.coupling is not None}


def following(robot: Robot, relations: Mapping[int, Relation]) -> Robot:
    """The robot whose joints follow others as told, and by no other relation."""
    frames = [replace(frame, coupling=relations.get(j)) for j, frame in enumerate(robot.frames, 1)]
    return replace(robot, frames=tuple(frames))


def posture_by_joint(robot: Robot, posture: PostureLike) -> dict[int, float]:
    """Return a posture as position by joint (radians, metres).

    Arguments:
        posture: the name of one of the robot's postures; one number for each joint that has a coordinate of its own (or
            for each moving joint of the tree); or numbers by joint.

    Raises:
        UnknownNameError: the robot has no posture of this name.
        OptionError: the numbers do not fit the joints.
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
    """Return the robot with another posture 'home', which selects the assembly mode of loops; unchanged for None."""
    if posture is None:
        return robot
    given = posture_by_joint(robot, posture)
    home = tuple(given.get(j, 0.0) for j in independent(robot))
    return replace(robot, postures={**robot.postures, HOME: home})


def positions(robot: Robot, q: Mapping[int, Scalar], into: Into) -> dict[int, Scalar]:
    """The position of every moving joint of the tree (offsets of the joint variable not included)."""
    found: dict[int, Scalar] = {}
    for j in moving_joints(robot):
        coupling = robot.frame(j).coupling
        found[j] = q[j] if coupling is None else into(coupling.offset)
        for i, ratio in coupling.terms if coupling else ():
            found[j] = into(ratio) * q[i] + found[j]
    return found


def drivers(robot: Robot, j: int, into: Into) -> list[tuple[int, Scalar]]:
    """The independent joints that move joint j, with the ratios: row j of G."""
    coupling = robot.frame(j).coupling
    return [(j, 1)] if coupling is None else [(i, into(ratio)) for i, ratio in coupling.terms]
