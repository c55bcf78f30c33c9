"""Joints with dry friction and joint stops (contacts), each as a row vector w over the generalised coordinates.

    v = w(q) qd,     v' = w(q) qdd + c(q, qd),     generalised force w' l

v is the speed of the contact, l its force, c its acceleration for qdd = 0. The row w of a joint with an independent
coordinate is a unit vector. The row of a coupled joint contains its ratios to the independent joints. The row of a
passive joint of loops or wheels is a row of G, which maps the velocities of the coordinates to those of all joints of
the tree (qd_tree = G qd). The row of a coupled motor contains its velocity per unit velocity of each joint. The
magnitude of the friction force is

    FS + FB exp(-(v/VS)^2) + FL |tau|        while the contact slides
    FS + FB + FL |tau|                       at most, at rest

with the torque tau of the joint's drive. The force of a stop has the bounds [0, inf), and its row w points away from
the stop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotApplicableError
from symoro.expr.formula import ZERO
from symoro.models.dynamic.structures import supported_friction
from symoro.robot.coordinates import independent, relation
from symoro.robot.description import Robot
from symoro.robot.size import joint_units
from symoro.robot.topology import moving_joints
from symoro.simulation.mechanics import Mechanics
from symoro.simulation.tolerances import CONTACT, POSITION

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class DryFriction:
    """Dry friction of a joint or of a coupled motor, in numbers.

    Attributes:
        joint: number of the joint.
        FS, FB, VS, FL: Coulomb friction, additional friction at low speed with Stribeck's velocity, friction per unit
            of the drive torque.
        shares: velocity of a coupled motor per unit velocity of each joint; None for a joint.
    """

    joint: int
    FS: float = 0.0
    FB: float = 0.0
    VS: float = 1.0
    FL: float = 0.0
    shares: Mapping[int, float] | None = None


DRY = ("FS", "FB", "VS", "FL")


def without_friction(robot: Robot, values: Mapping[str, float]) -> tuple[Robot, list[DryFriction]]:
    """Return the robot without dry friction, and the dry friction of its joints and coupled motors.

    Joints with friction that has no number keep it.

    Args:
        values: numbers for the symbols of the robot.

    Raises:
        ArgumentError: a friction parameter is out of its range.
        NotApplicableError: a joint without a drive has load-dependent friction.
    """
    friction: list[DryFriction] = []
    for j in moving_joints(robot):
        frame = robot.frame(j)
        formulas = {name: getattr(frame, name) for name in DRY}
        if any(name not in values for formula in formulas.values() for name in formula.symbols):
            continue
        numbers = {name: formula.value(values) for name, formula in formulas.items()}
        if not any(numbers[name] for name in ("FS", "FB", "FL")):
            continue
        _check(robot, j, numbers)
        if not numbers["FB"]:
            numbers["VS"] = 1.0  # any value, because it has no effect
        friction.append(DryFriction(j, **numbers))
        robot = robot.with_frame(j, **dict.fromkeys(DRY, 0))
    motors = []
    for motor in robot.motors:
        formulas = {name: getattr(motor, name) for name in ("FSM",)} | {
            str(j): x for j, x in motor.shares.items()
        }
        known = all(name in values for formula in formulas.values() for name in formula.symbols)
        if known and (size := motor.FSM.value(values)):
            if size < 0:
                raise ArgumentError(
                    f"the coupled motor of joint {motor.joint} has negative friction FSM = {size:g}"
                )
            shares = {j: share.value(values) for j, share in motor.shares.items()}
            friction.append(DryFriction(motor.joint, FS=size, shares=shares))
            motor = replace(motor, FSM=ZERO)
        motors.append(motor)
    return robot.replace(motors=tuple(motors)), friction


def _check(robot: Robot, j: int, numbers: Mapping[str, float]) -> None:
    label = f"joint {j} of robot '{robot.name}'"
    for name in ("FS", "FB", "FL"):
        if numbers[name] < 0:
            raise ArgumentError(f"{label} has negative friction {name} = {numbers[name]:g}")
    if numbers["FB"] and not numbers["VS"] > 0:
        raise ArgumentError(
            f"{label} has friction FB, but its Stribeck velocity VS = {numbers['VS']:g} is not positive"
        )
    if numbers["FL"] >= 1:
        raise ArgumentError(f"{label} is self-locking: its friction FL = {numbers['FL']:g} is not below 1")
    reason = supported_friction(robot, {}) if numbers["FL"] else None
    if reason:
        raise NotApplicableError(f"robot '{robot.name}' cannot be simulated: {reason}")


class ContactRows:
    """Contacts of a robot (joints with dry friction, then joint stops), one row of the matrix w per contact.

    Row w of a contact maps the velocities of the coordinates to the speed of the contact, v = w qd.

    Attributes:
        joints: joint of each contact.
        coordinate: index of the contact's coordinate if its row is a unit vector, otherwise -1.
        stop: mask of the stops.
        friction: Coulomb friction torque FS per contact, infinite for stops.
        low_speed, velocity, load: FB, VS and FL per contact.
        units: per contact 1 rad, or the robot's length in metres for prismatic joints.
        driven: mask of the joints whose motion depends on driven coordinates only; their friction changes only the
            torques of the drives, not the motion.
        plain: whether the rows of all joints with friction are unit vectors.
    """

    def __init__(
        self,
        mechanics: Mechanics,
        friction: Sequence[DryFriction],
        limits: tuple[Array, Array] | None = None,
        driven: frozenset[int] = frozenset(),
    ) -> None:
        coordinates = mechanics.coordinates
        n = len(coordinates)
        self._mechanics = mechanics
        self._rubbing = tuple(one.joint for one in friction)
        none = np.full(n, np.inf)
        self.lower: Array = -none if limits is None else limits[0]
        self.upper: Array = none if limits is None else limits[1]
        stops = [(k, 1.0, self.lower[k]) for k in range(n) if np.isfinite(self.lower[k])]
        stops += [(k, -1.0, self.upper[k]) for k in range(n) if np.isfinite(self.upper[k])]
        places = {j: k for k, j in enumerate(coordinates)}
        own = [-1 if one.shares is not None else places.get(one.joint, -1) for one in friction]
        at_stop = [k for k, _, _ in stops]
        self.joints = (*self._rubbing, *(coordinates[k] for k in at_stop))
        self.coordinate = np.array([*own, *at_stop], dtype=int)
        self.stop = np.arange(len(self.joints)) >= len(self._rubbing)
        self.friction = np.array([*(one.FS for one in friction), *(np.inf for _ in stops)])
        self.low_speed = np.array([*(one.FB for one in friction), *(0.0 for _ in stops)])
        self.velocity = np.array([*(one.VS for one in friction), *(1.0 for _ in stops)])
        self.load = np.array([*(one.FL for one in friction), *(0.0 for _ in stops)])
        self.varies = bool(self.low_speed.any() or self.load.any())
        self.units = np.array(joint_units(mechanics.robot, self.joints, mechanics.length))
        self.plain = all(k >= 0 for k in own)
        self._ratios = friction_ratios(mechanics, friction)
        self._unit_rows = np.eye(n)[own] if self.plain else np.zeros((0, n))
        self._side = np.array([side for _, side, _ in stops])
        self._stop_rows = np.eye(n)[at_stop] * self._side[:, None]
        self._limit = np.array([limit for _, _, limit in stops])
        self._place = np.array([mechanics.at[k] for k in at_stop], dtype=int)
        self.driven = self._led(driven, own, len(stops))

    def _led(self, driven: frozenset[int], own: Sequence[int], stops: int) -> Mask:
        """Return the mask of the joints with friction whose motion depends on driven coordinates only.

        Args:
            driven: indices of the driven coordinates.
            own: per joint with friction, the index of its coordinate, or -1.
            stops: number of stops, for which the mask is False.
        """
        mechanics = self._mechanics
        tied = mechanics.loops is not None or mechanics.rolling
        tree = np.ones(
            len(mechanics.joints), dtype=bool
        )  # joints of the tree that coordinates other than driven ones move
        if len(driven) == len(mechanics.coordinates):
            tree[:] = False
        elif not tied:
            tree[[mechanics.at[k] for k in driven]] = False
        led = [
            k in driven if k >= 0 else not ratios[tree].any()
            for k, ratios in zip(own, self._ratios, strict=True)
        ]
        return np.array([*led, *([False] * stops)], dtype=bool)

    def __len__(self) -> int:
        return len(self.joints)

    def sliding_friction(self, speeds: Array, tau: Array) -> Array:
        """Return the magnitude of the friction force of each contact while it slides.

        Args:
            speeds: speeds of the contacts (rad/s or m/s).
            tau: torques of the drives.
        """
        if not self.varies:
            return self.friction
        curve = np.exp(-((speeds / self.velocity) ** 2))
        return np.asarray(self.friction + self.low_speed * curve + self._of_load(tau))

    def static_friction(self, tau: Array) -> Array:
        """Return the largest magnitude of the friction force of each contact at rest, for drive torques tau."""
        if not self.varies:
            return self.friction
        return np.asarray(self.friction + self.low_speed + self._of_load(tau))

    def _of_load(self, tau: Array) -> Array:
        """Return the friction FL |tau|; that of driven joints is part of the torques of their drives."""
        torques = np.where(self.coordinate >= 0, tau[self.coordinate], 0.0)
        return np.asarray(np.where(self.driven, 0.0, self.load * np.abs(torques)))

    def matrix(self, y: Array) -> Array:
        """Return the matrix w in the state y, which maps coordinate velocities to contact speeds: v = w qd.

        It has one row per contact (joint with friction, or stop) and one column per coordinate.
        """
        rubbing = self._unit_rows if self.plain else self._ratios @ self._mechanics.tree_matrix(y)
        return np.vstack([rubbing, self._stop_rows]) if len(self._limit) else np.asarray(rubbing)

    def drift(self, y: Array) -> Array:
        """Return the accelerations of the contacts in the state y if all coordinate accelerations are zero.

        A contact is a joint with friction or a stop.
        """
        drift = np.zeros(len(self))
        if not self.plain:
            drift[: len(self._rubbing)] = self._ratios @ self._mechanics.tree_drift(y)
        return drift

    # -- stops

    def gaps(self, y: Array) -> Array:
        """Return, per stop, the distance of the joint from the stop in the state y (rad or m); negative beyond it."""
        return np.asarray(self._side * (y[self._mechanics.parts["q"]][self._place] - self._limit))

    @property
    def gap_noise(self) -> Array:
        """Round-off of the distances that `gaps` returns."""
        return np.asarray(POSITION * np.maximum(self.units[self.stop], np.abs(self._limit)))

    def at_limit(self, y: Array, row: int) -> Array:
        """Return the state y with the joint of a stop set exactly to the position of the stop.

        Args:
            row: index of the contact, which is a stop.
        """
        i = row - len(self._rubbing)
        y = y.copy()
        y[self._mechanics.parts["q"].start + self._place[i]] = self._limit[i]
        return y

    def clipped(self, t: float, y: Array, most: float) -> Array:
        """Return the state y at time t, with joints that are slightly beyond a stop set to the stop.

        Args:
            most: largest distance beyond a stop that is corrected, in rad.
        """
        mechanics = self._mechanics
        places = mechanics.parts["q"].start + np.array(mechanics.at)
        inside = np.clip(y[places], self.lower, self.upper)
        beyond = np.abs(y[places] - inside)
        near = (beyond > 0) & (beyond <= most * mechanics.coordinate_units)
        if not near.any():
            return y
        y = y.copy()
        y[places[near]] = inside[near]
        return mechanics.projected(y, t)

    def check_start(self, y: Array) -> None:
        """Check that no joint is beyond a stop in the initial state y."""
        mechanics = self._mechanics
        q = y[mechanics.parts["q"]][mechanics.at]
        beyond = CONTACT * mechanics.coordinate_units
        for k in np.flatnonzero((q < self.lower - beyond) | (q > self.upper + beyond)):
            raise ArgumentError(
                f"joint {mechanics.coordinates[k]} starts at {q[k]:g}, beyond its stops {self.lower[k]:g} and "
                f"{self.upper[k]:g}"
            )


def friction_ratios(mechanics: Mechanics, friction: Sequence[DryFriction]) -> Array:
    """Return the ratios of the speeds of contacts to the velocities of the tree's independent joints, one row each."""
    ratios = joint_ratios(mechanics, [one.joint for one in friction])
    for row, one in zip(ratios, friction, strict=True):
        if one.shares is not None:
            row[:] = list(one.shares.values()) @ joint_ratios(mechanics, list(one.shares))
    return ratios


def joint_ratios(mechanics: Mechanics, joints: Sequence[int]) -> Array:
    """Return the ratios of joint velocities to the velocities of the tree's independent joints, one row per joint.

    Args:
        joints: joint numbers.
    """
    robot, own = mechanics.robot, independent(mechanics.robot)
    values = {**dict(robot.nominal), **mechanics.values}
    ratios = np.zeros((len(joints), len(own)))
    for row, j in zip(ratios, joints, strict=True):
        follows = relation(robot, j)
        terms = [(j, 1.0)] if follows is None else [(i, ratio.value(values)) for i, ratio in follows.terms]
        for i, ratio in terms:
            row[own.index(i)] += ratio
    return ratios
