"""Monitored limits: joints without a stop that exceed their limits, and wheels in a singular configuration.

Limits of passive, coupled and driven joints are not stops, because an impulse would act through the loops or
against a prescribed motion. They are event functions instead. With the joint position p = ratios q + offset,

    margin = min(p - lower, upper - p)       while the joint is within its limits, and the negative of this while
                                             it is beyond a limit

so that leaving the range and returning to it are one event each. Cut joints have no coordinate; a warning reports that
their limits are not monitored.

Some wheeled robots have singular configurations. A car that is driven at the rear cannot be driven with its steering at
a right angle: the determinant det of the model `wheel-kinematics` is zero, and the matrix G from the velocities of the
coordinates to those of all joints does not exist. Error control may step over such a configuration, so its determinant
is an event function too:

    margin = s det(q) - SMALL_DETERMINANT D

s is the sign of det at the start, D the largest |det| at random configurations.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.robot.coordinates import relation
from symoro.robot.description import Robot
from symoro.robot.size import joint_units
from symoro.robot.topology import cut_joints, moving_joints
from symoro.simulation.friction_and_stop_rows import joint_ratios
from symoro.simulation.friction_and_stops import MotionEvent
from symoro.simulation.mechanics import Mechanics
from symoro.simulation.tolerances import CONTACT, SAME_DETERMINANT, SMALL_DETERMINANT

Array = NDArray[np.float64]
SINGULAR_WHEELS = (
    "the wheels are in a singular configuration, in which the active joints cannot drive the robot"
)
POSTURES = 64


class WatchedLimits:
    """Joint limits that are monitored during a simulation but are not stops.

    Attributes:
        joints: numbers of the monitored joints.
        beyond: mask of the joints that are beyond a limit at present.
        named: cut joints, whose limits are reported as not monitored.
    """

    def __init__(self, mechanics: Mechanics, driven: frozenset[int], *, ends: bool) -> None:
        robot = mechanics.robot
        self._mechanics, self._ends = mechanics, ends
        self._follow = {mechanics.coordinates[k] for k in driven}
        held = set(mechanics.coordinates) - self._follow
        self.joints = tuple(j for j in moving_joints(robot) if j not in held and _limited(robot, j))
        self.named = tuple(j for j in cut_joints(robot) if _limited(robot, j))
        limits = [robot.frame(j).limits for j in self.joints]
        self.lower = np.array([-np.inf if x.lower is None else x.lower for x in limits])
        self.upper = np.array([np.inf if x.upper is None else x.upper for x in limits])
        self._ratios, self._offsets = joint_ratios(mechanics, self.joints), _offsets(mechanics, self.joints)
        self._units = np.array(joint_units(robot, self.joints, mechanics.length))
        self.beyond = np.zeros(len(self.joints), dtype=bool)
        self._passed: dict[int, float] = {}

    def __len__(self) -> int:
        return len(self.joints)

    def check_start(self, y: Array) -> None:
        """Determine the joints that are beyond their limits in the initial state y.

        Raises:
            ArgumentError: a joint is beyond its limits, although exceeding a limit ends the simulation.
        """
        places = self._places(y)
        self.beyond = self._inside(places) < -CONTACT
        for i in np.flatnonzero(self.beyond):
            if self._ends:
                raise ArgumentError(
                    f"joint {self.joints[i]} starts at {places[i]:g}, beyond its limits {self.lower[i]:g} and "
                    f"{self.upper[i]:g}"
                )
            self._passed[self.joints[i]] = 0.0

    def margins(self, y: Array) -> Array:
        """Return one event function per monitored joint in the state y.

        The function of a joint within its limits is positive until the joint exceeds a limit; that of a joint beyond
        a limit is positive until the joint returns.
        """
        inside = self._inside(self._places(y))
        return np.where(self.beyond, -inside, inside)

    def switch(self, t: float, i: int) -> MotionEvent:
        """Record that a monitored joint exceeds its limit, or returns from beyond it, and return the event.

        Args:
            t: time in seconds.
            i: index of the joint among the monitored joints.
        """
        self.beyond[i] = not self.beyond[i]
        joint = self.joints[i]
        if not self.beyond[i]:
            return MotionEvent(t, joint, "comes back within its limits")
        self._passed.setdefault(joint, t)
        return MotionEvent(t, joint, "passes its limit")

    def warnings(self) -> Iterator[str]:
        """Yield warnings about limits that do not stop the motion, with the times at which they were exceeded."""
        if self.joints and not self._ends:
            passages = [f"joint {j} exceeds its limit at t = {t:g} s" for j, t in self._passed.items()]
            yield (
                f"the limits of {self._words(self.joints)} do not stop the motion, because these joints are not "
                "independent "
                f"or have a prescribed motion: {'; '.join(passages) or 'none of these limits is exceeded'}"
            )
        if self.named:
            yield f"the limits of {self._words(self.named)} are not monitored"

    def _words(self, joints: tuple[int, ...]) -> str:
        return ", ".join(f"joint {j} ({self._kind(j)})" for j in joints)

    def _kind(self, j: int) -> str:
        robot = self._mechanics.robot
        if j > robot.NL:
            return "cut"
        if relation(robot, j) is not None:
            return "coupled"
        return "driven" if j in self._follow else "passive"

    def _places(self, y: Array) -> Array:
        return np.asarray(self._ratios @ y[self._mechanics.parts["q"]] + self._offsets)

    def _inside(self, places: Array) -> Array:
        """Return the distance of each monitored joint to its nearest limit.

        Distances are in radians, or relative to the robot's length; they are negative beyond a limit.

        Args:
            places: positions of the monitored joints.
        """
        return np.asarray(np.minimum(places - self.lower, self.upper - places) / self._units)


def _limited(robot: Robot, j: int) -> bool:
    limits = robot.frame(j).limits
    return limits.lower is not None or limits.upper is not None


def _offsets(mechanics: Mechanics, joints: tuple[int, ...]) -> Array:
    robot = mechanics.robot
    values = {**dict(robot.nominal), **mechanics.values}
    laws = [relation(robot, j) for j in joints]
    return np.array([0.0 if law is None else law.offset.value(values) for law in laws])


class WheelWatch:
    """Monitor of the singular configurations of a wheeled robot, with the determinant of its wheel kinematics."""

    def __init__(self, mechanics: Mechanics) -> None:
        self._mechanics = mechanics
        self._sign = self._least = 0.0
        self.varies = False
        if mechanics.rolling:
            chance = np.random.default_rng(1)
            drawn = chance.uniform(-np.pi, np.pi, (POSTURES, len(mechanics.joints)))
            sizes = np.array([mechanics.wheel_determinant(q) for q in drawn])
            sizes = sizes[np.isfinite(sizes)]
            most = float(np.abs(sizes).max(initial=0.0))
            self.varies = bool(np.ptp(sizes) > SAME_DETERMINANT * most) if len(sizes) else False
            self._least = SMALL_DETERMINANT * most

    def __len__(self) -> int:
        return int(self.varies)

    def begin(self, y: Array) -> None:
        """Store the sign of the determinant in the initial state y.

        Raises:
            ArgumentError: the initial configuration of the wheels is singular.
        """
        if self.varies:
            self._sign = float(np.sign(self._determinant(y)))
            if not (self.margins(y) > 0).all():
                raise ArgumentError(
                    "the initial configuration of the wheels is singular: the active joints cannot drive the robot"
                )

    def margins(self, y: Array) -> Array:
        """Return the event function of singular wheel configurations in the state y.

        The array has one entry, or none if the determinant is constant.
        """
        return np.array([self._sign * self._determinant(y) - self._least] if self.varies else [])

    def _determinant(self, y: Array) -> float:
        return self._mechanics.wheel_determinant(y[self._mechanics.parts["q"]])
