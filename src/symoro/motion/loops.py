"""Closed loops along a motion: all joints of the tree from the active ones, closed again near a posture.

Newton's method (`models/numeric/closure`) moves the passive joints alone. From one moment to the next they start where
they stood, so that one way of assembly is kept.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from symoro.errors import NotClosedError
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.models.numeric.closure import around, closed
from symoro.models.numeric.tree import NumericTree, numeric_tree
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot

Array = NDArray[np.float64]


class LoopCloser:
    """The loops of a robot with numbers.

    Attributes:
        active, passive: places of these joints among the joints of the tree.
    """

    def __init__(self, robot: Robot, values: Mapping[str, float]) -> None:
        self._tree = numeric_tree(robot, lambda f: f.value(values))
        joints, driven = independent(robot), set(active_joints(robot))
        self.active = [k for k, j in enumerate(joints) if j in driven]
        self.passive = [k for k, j in enumerate(joints) if j not in driven]
        self._unknown = [k for k, j in enumerate(self._tree.coordinates) if j not in driven]
        self._size = len(joints)
        self._opened: Array | None = None

    def at(self, qa: Array, near: Array, t: float = 0.0) -> Array:
        """All joints of the tree with these active ones, near a posture.

        Raises:
            NotClosedError: the loops do not close there.
        """
        opened = opened_joints(self._tree, near) if self._opened is None else self._opened
        guess = np.concatenate([near, opened])[None]
        guess[0, self.active] = qa
        found, flags = closed(self._tree, guess, self._unknown, damped=True)
        if not flags[0]:
            raise NotClosedError(
                f"the loops do not close at t = {t:g} s, near the posture before",
                hint="start in a posture of all joints in which the loops are closed, and keep within the reach",
            )
        self._opened = found[0, self._size :]
        return np.asarray(found[0, : self._size])

    def along(self, t: Array, qa: Array, near: Array) -> Array:
        """The same for each row of a motion, each near the one before."""
        self._opened = None  # it may begin elsewhere than the motion before ended
        rows = np.empty((len(t), self._size))
        for k, row in enumerate(qa):
            rows[k] = near = self.at(row, near, float(t[k]))
        return rows


def opened_joints(tree: NumericTree, near: Array) -> Array:
    """Opened joints that turn (or shift) one side of each loop onto the other, as far as their axis allows.

    Arguments:
        near: the coordinates of the tree before them.
    """
    q = np.concatenate([near, np.zeros(len(tree.coordinates) - len(near))])
    for loop in tree.loops:
        if loop.left not in tree.coordinates:
            continue
        at = around(tree, loop, q[None])
        left, right = at[loop.left], at[loop.right]
        rotation = np.asarray(left.rotation[0], dtype=float)
        turn = rotation.T @ np.asarray(right.rotation[0], dtype=float)
        shift = rotation.T @ np.asarray(right.position[0] - left.position[0], dtype=float)
        slides = tree.robot.frame(loop.left).sigma == JointType.PRISMATIC
        place = tree.coordinates.index(loop.left)
        q[place] = shift[2] if slides else np.arctan2(turn[1, 0], turn[0, 0])
    return q[len(near) :]
