"""Numerical velocity equations of the loops at random closed configurations.

Each loop has a left and a right side, from its root to the closing point p (the common origin of frames k and k + B).
The coefficients of a coordinate are the velocity of p and the angular velocity on the left side minus those on the
right side, for unit velocity of this coordinate, in the axes of the root. With z the axis and o the origin of a joint,
the joint contributes

    revolute joint  (z x (p - o); z)        prismatic joint  (z; 0)        left side +, right side -
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symoro.errors import NotApplicableError
from symoro.expr.evaluate import evaluate
from symoro.expr.formula import Formula
from symoro.expr.graph import Graph
from symoro.models.geometric.loop.postures import ClosedPostures, closed_postures
from symoro.models.numeric.closure import around
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.tree import NumericTree, numeric_tree
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import Loop

POSTURES = 24  # number of configurations; half of them select, the others confirm


@dataclass(frozen=True)
class LoopSample:
    """Velocity equations of one loop in S configurations with c coordinates.

    Attributes:
        linear, angular: (S, 3, c) coefficients in the axes of the root.
        axes: rotation (S, 3, 3) of each frame in the root; that of frame k before the rotation of its joint.
        arms: vector (S, 3) from the origin of each frame to the closing point, in the axes of the root.
    """

    loop: Loop
    linear: Array
    angular: Array
    axes: dict[int, Array]
    arms: dict[int, Array]


@dataclass(frozen=True)
class LoopSamples:
    """Velocity equations of several loops at random closed configurations.

    Attributes:
        coordinates: numbers of the joints to which the columns of the equations belong.
        loops: equations of each loop.
        length: largest length of the loops.
    """

    coordinates: tuple[int, ...]
    loops: tuple[LoopSample, ...]
    length: float


def samples(robot: Robot, open_loops: Sequence[Loop], closing: Robot) -> LoopSamples:
    """Return the velocity equations of loops at random closed configurations.

    Args:
        robot: robot whose independent joints are the coordinates.
        open_loops: loops whose equations are returned.
        closing: the robot with its parallelograms replaced by linear relations. The configurations are drawn from this
            robot, so that no parallelogram is crossed; crossed ones satisfy other equations.

    Raises:
        NotApplicableError: no configuration closes the loops.
    """
    postures = closed_postures(closing, POSTURES)
    tree = _tree(robot, open_loops, postures)
    q = np.stack([postures.joints[j] for j in tree.coordinates], 1)
    joints = tuple(independent(robot))
    loop_samples = tuple(_sampled(tree, loop, q, len(joints)) for loop in open_loops)
    if not all(np.isfinite(part).all() for one in loop_samples for part in (one.linear, one.angular)):
        raise NotApplicableError(
            f"the geometry of robot '{robot.name}' is not finite at its closed configurations"
        )
    return LoopSamples(joints, loop_samples, tree.size)


def _tree(robot: Robot, open_loops: Sequence[Loop], postures: ClosedPostures) -> NumericTree:
    graph, count = Graph(), len(next(iter(postures.joints.values())))

    def value(f: Formula) -> Array | float:
        known = f.number
        return evaluate(graph, [f.into(graph).lit], postures.parameters)[0] if known is None else known

    frames = sorted({j for loop in open_loops for j in loop.frames})
    return numeric_tree(robot, value, postures=count, frames=frames, closing=open_loops)


def _sampled(tree: NumericTree, loop: Loop, q: Array, coordinates: int) -> LoopSample:
    at = around(tree, loop, q)
    closing_point = at[loop.right].position
    count = len(q)
    linear, angular = (np.zeros((count, 3, coordinates)) for _ in range(2))
    sides = [(j, 1.0) for j in loop.left_chain if j != loop.left] + [(j, -1.0) for j in loop.right_chain]
    for j, sign in sides:
        sigma, axis = tree.robot.frame(j).sigma, at[j].rotation[:, :, 2]
        ratios = sign * tree.ratios[:, j - 1, None, :coordinates]
        if sigma == JointType.REVOLUTE:
            linear += np.cross(axis, closing_point - at[j].position)[:, :, None] * ratios
            angular += axis[:, :, None] * ratios
        elif sigma == JointType.PRISMATIC:
            linear += axis[:, :, None] * ratios
    axes = {j: np.broadcast_to(at[j].rotation, (count, 3, 3)) for j in (loop.root, *loop.frames)}
    if tree.robot.frame(loop.left).sigma == JointType.REVOLUTE:
        angle = q[:, tree.coordinates.index(loop.left)]
        axes[loop.left] = axes[loop.left] @ _back(angle)
    arms = {j: closing_point - at[j].position for j in loop.frames}
    return LoopSample(loop, linear, angular, axes, arms)


def _back(angle: Array) -> Array:
    """Return the rotation matrices (S, 3, 3) about z by the angles with opposite sign."""
    rotation = np.zeros((len(angle), 3, 3))
    rotation[:, 0, 0] = rotation[:, 1, 1] = np.cos(angle)
    rotation[:, 0, 1], rotation[:, 1, 0], rotation[:, 2, 2] = np.sin(angle), -np.sin(angle), 1
    return rotation
