"""Joints with dry friction: how large it is, and how fast they turn as the coordinates move.

    v = w(q) qd,    v' = w(q) qdd + c(q, qd)

A joint with a coordinate of its own has a row of the unit matrix for w; coupled joints have their ratios, passive
joints of loops and wheels the rows of G."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.robot.coordinates import independent, relation
from symoro.robot.description import Robot
from symoro.robot.topology import moving_joints
from symoro.simulation.mechanics import Mechanics

Array = NDArray[np.float64]


def without_friction(robot: Robot, values: Mapping[str, float]) -> tuple[Robot, dict[int, float]]:
    """The robot without the Coulomb friction of its joints, and that friction by joint, where its numbers are known.

    Raises:
        ArgumentError: it is negative.
    """
    found: dict[int, float] = {}
    for j in moving_joints(robot):
        FS = robot.frame(j).FS
        if any(name not in values for name in FS.symbols) or (size := FS.value(values)) == 0:
            continue
        if size < 0:
            raise ArgumentError(f"joint {j} of robot '{robot.name}' has negative friction FS = {size:g}")
        found[j] = size
        robot = robot.with_frame(j, FS=0)
    return robot, found


class Rubbing:
    """The joints with friction of a robot.

    Attributes:
        joints: their numbers; `sizes` their FS.
        own: the number of the coordinate of a joint that has one; -1 for the others.
    """

    def __init__(self, mechanics: Mechanics, friction: Mapping[int, float]) -> None:
        self._mechanics = mechanics
        self.joints = tuple(friction)
        self.sizes = np.array(list(friction.values()), dtype=float)
        places = {j: k for k, j in enumerate(mechanics.coordinates)}
        self.own = [places.get(j, -1) for j in self.joints]
        self._plain = all(k >= 0 for k in self.own)
        self._ratios = joint_ratios(mechanics, self.joints)
        self._rows = np.eye(len(places))[self.own] if self._plain else np.zeros((0, len(places)))

    def __len__(self) -> int:
        return len(self.joints)

    def rows(self, y: Array) -> Array:
        """w, a row a joint, a column a coordinate."""
        return self._rows if self._plain else np.asarray(self._ratios @ self._mechanics.tree_matrix(y))

    def drift(self, y: Array) -> Array:
        """c."""
        return (
            np.zeros(len(self)) if self._plain else np.asarray(self._ratios @ self._mechanics.tree_drift(y))
        )


def joint_ratios(mechanics: Mechanics, joints: tuple[int, ...]) -> Array:
    """How fast the joints turn as those of the tree with a coordinate do."""
    robot, own = mechanics.robot, independent(mechanics.robot)
    values = {**dict(robot.nominal), **mechanics.values}
    found = np.zeros((len(joints), len(own)))
    for row, j in zip(found, joints, strict=True):
        follows = relation(robot, j)
        terms = [(j, 1.0)] if follows is None else [(i, ratio.value(values)) for i, ratio in follows.terms]
        for i, ratio in terms:
            row[own.index(i)] += ratio
    return found
