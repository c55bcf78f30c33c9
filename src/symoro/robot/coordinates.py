"""Joint coordinates of the tree from the independent ones: q_tree = G q + offset, and its rates.

Coupled joints (mimic joints, geared wrists, parallelograms) have no coordinate of their own; every model reads its
joint positions here, so that none has to know of couplings. G is constant: rates need no further term.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symoro.expr.formula import Formula
from symoro.expr.scalar import Scalar
from symoro.robot.description import Robot
from symoro.robot.topology import moving_joints

Into = Callable[[Formula], Scalar]


def independent(robot: Robot) -> list[int]:
    """Joints of the tree that have a coordinate of their own, in frame order: the entries of q."""
    return [j for j in moving_joints(robot) if robot.frame(j).coupling is None]


def positions(robot: Robot, q: Mapping[int, Scalar], into: Into) -> dict[int, Scalar]:
    """The position of every moving joint of the tree (offsets of the joint variable not included)."""
    return _mapped(robot, q, into, with_offset=True)


def rates(robot: Robot, qd: Mapping[int, Scalar], into: Into) -> dict[int, Scalar]:
    """Velocities, or accelerations, of every moving joint of the tree."""
    return _mapped(robot, qd, into, with_offset=False)


def _mapped(robot: Robot, q: Mapping[int, Scalar], into: Into, with_offset: bool) -> dict[int, Scalar]:
    values: dict[int, Scalar] = {}
    for j in moving_joints(robot):
        coupling = robot.frame(j).coupling
        if coupling is None:
            values[j] = q[j]
            continue
        total: Scalar = into(coupling.offset) if with_offset else 0
        for i, ratio in coupling.terms:
            total = into(ratio) * q[i] + total
        values[j] = total
    return values


def project(robot: Robot, efforts: Mapping[int, Scalar], into: Into) -> list[Scalar]:
    """Efforts of the tree's joints as efforts on the independent coordinates: G' tau."""
    totals: dict[int, Scalar] = {j: efforts[j] for j in independent(robot)}
    for j in moving_joints(robot):
        coupling = robot.frame(j).coupling
        if coupling is not None:
            for i, ratio in coupling.terms:
                totals[i] = totals[i] + into(ratio) * efforts[j]
    return [totals[j] for j in independent(robot)]


def drivers(robot: Robot, j: int, into: Into) -> list[tuple[int, Scalar]]:
    """The independent joints that move joint j, with the ratios: row j of G."""
    coupling = robot.frame(j).coupling
    return [(j, 1)] if coupling is None else [(i, into(ratio)) for i, ratio in coupling.terms]


def matrix(robot: Robot, into: Into) -> list[list[Scalar]]:
    """G: one row a moving joint of the tree, one column an independent coordinate."""
    columns = independent(robot)
    rows: list[list[Scalar]] = []
    for j in moving_joints(robot):
        ratios = dict(drivers(robot, j, into))
        rows.append([ratios.get(i, 0) for i in columns])
    return rows
