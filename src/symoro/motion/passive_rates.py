"""Velocities of the passive joints of closed loops along a motion: W qda, with W of `loop-kinematics`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from symoro.model import generate
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot

Array = NDArray[np.float64]


class PassiveRates:
    """The loops of a robot with numbers."""

    def __init__(self, robot: Robot, values: Mapping[str, float] | None) -> None:
        driven = active_joints(robot)
        self._passive = [j for j in independent(robot) if j not in driven]
        self._matrix = generate(robot, "loop-kinematics").function(values)

    def at(self, tree: Array, qda: Array) -> dict[int, Array]:
        """By joint, from postures of all joints and velocities of the active ones, one a row."""
        found = np.einsum("kij,kj->ki", self._matrix(q=tree, qd=np.zeros_like(tree))["W"], qda)
        return {j: found[:, k] for k, j in enumerate(self._passive)}
