"""Velocities of joints that closed loops or wheels tie to the active ones, along a motion.

loops: W qda, with W of `loop-kinematics`;    wheels: G qda, with G of `wheel-kinematics`
"""

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
    """The loops or wheels of a robot with numbers; of a robot with neither no joint is tied."""

    def __init__(self, robot: Robot, values: Mapping[str, float]) -> None:
        driven, symbols = active_joints(robot), robot.symbols()
        own = {name: value for name, value in values.items() if name in symbols}
        self._joints, self._wheels = independent(robot), bool(robot.wheels)
        self._passive = [j for j in self._joints if j not in driven] if robot.B or robot.wheels else []
        if self._passive:
            model = "wheel-kinematics" if self._wheels else "loop-kinematics"
            self._function = generate(robot, model).function(own)

    def at(self, tree: Array, qda: Array) -> dict[int, Array]:
        """By joint, from postures of all joints and velocities of the active ones, one a row."""
        if not self._passive:
            return {}
        if self._wheels:  # three rows of the base, then all joints
            rows = [3 + self._joints.index(j) for j in self._passive]
            matrix = self._function(q=tree)["G"][:, rows]
        else:
            matrix = self._function(q=tree, qd=np.zeros_like(tree))["W"]
        found = np.einsum("kij,kj->ki", matrix, qda)
        return {j: found[:, k] for k, j in enumerate(self._passive)}
