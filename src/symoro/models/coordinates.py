"""The joints' motion as models take it: the inputs q, qd, qdd and tau, and the motion of the tree that follows.

A robot may fix the velocity (QP), the acceleration (QDP) or the torque (GAM) of a joint. One rule for every model:

    the fixed value stands in the place of the entry of qd, qdd or tau, which then has no effect,
    and derivatives with respect to that entry are zero.

So a model of such a robot is the model of the same robot with all motion free, at the fixed values. A model that gives
qd, qdd or tau gives what its equations say, and one that is defined at rest or at qdd = 0 stays so.
"""

from __future__ import annotations

from symoro.expr.linalg import Matrix
from symoro.expr.scalar import Scalar
from symoro.program.builder import Builder
from symoro.robot.coordinates import independent, positions, rates
from symoro.robot.description import Robot
from symoro.robot.topology import cut_joints

TITLES = {"qd": "joint velocities", "qdd": "joint accelerations", "tau": "joint torques and forces"}
FIXED_BY = {"qd": "QP", "qdd": "QDP", "tau": "GAM"}


def joint_positions(builder: Builder, robot: Robot, *, cut: bool = False) -> dict[int, Scalar]:
    """Declare the input q (and qc for opened joints, when asked) and give every joint's position."""
    own = independent(robot)
    q = builder.input("q", (len(own),), [f"q{j}" for j in own], "joint positions")
    found = positions(robot, dict(zip(own, q, strict=True)), builder.formula)
    if cut:
        opened = cut_joints(robot)
        qc = builder.input("qc", (len(opened),), [f"q{j}" for j in opened], "positions of the opened joints")
        found.update(zip(opened, qc, strict=True))
    return found


def joint_velocities(builder: Builder, robot: Robot) -> dict[int, Scalar]:
    """Declare the input qd and give the velocity of every joint of the tree."""
    return rates(robot, own_entries(builder, robot, "qd"), builder.formula)


def joint_accelerations(builder: Builder, robot: Robot) -> dict[int, Scalar]:
    """Declare the input qdd and give the acceleration of every joint of the tree."""
    return rates(robot, own_entries(builder, robot, "qdd"), builder.formula)


def own_entries(builder: Builder, robot: Robot, name: str) -> dict[int, Scalar]:
    """Declare the input qd, qdd or tau; its entries by joint, fixed values in their place."""
    own = independent(robot)
    given = builder.input(name, (len(own),), [f"{name}{j}" for j in own], TITLES[name])
    values: dict[int, Scalar] = dict(zip(own, given, strict=True))
    for j in own:
        fixed = getattr(robot.frame(j), FIXED_BY[name])
        if fixed is not None:
            values[j] = builder.formula(fixed)
    return values


def without_fixed(robot: Robot, name: str, matrix: Matrix) -> Matrix:
    """Derivatives with respect to qd, qdd or tau, a column an entry: those of fixed entries are zero."""
    free = [getattr(robot.frame(j), FIXED_BY[name]) is None for j in independent(robot)]
    return [[x if kept else 0 for x, kept in zip(row, free, strict=True)] for row in matrix]
