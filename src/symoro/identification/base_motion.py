"""Motion of a floating base from the columns of a log.

The regressor depends on the angular velocity w of the base, on its derivative, and on the specific force of the origin
of frame 0, all in frame 0. Translation at constant velocity has no effect, so linear velocities are not required:

    W(q, qd, qdd, w, dw/dt, s)      s = a - R0' g

An inertial measurement unit measures w and s; the orientation R0 is then required only for contact forces in the axes
of the world. Without it the acceleration a follows from one of these columns, and gravity from the orientation:

    acceleration    a in frame 0, gravity removed
    velocity        v of the origin of frame 0, in frame 0:          a = dv/dt + w x v
    position        p of the origin of frame 0, in the world:        a = R0' d2p/dt2

Orientations are unit quaternions (w, x, y, z) of the rotation R0 of frame 0 in the world. The signs of consecutive
quaternions are chosen such that they are continuous; the components pass the low-pass filter of the positions, and the
result is divided by its length. For unit quaternions the angular velocity in frame 0 is

    (0, w) = 2 conj(Q) dQ/dt

It is used if no angular velocity was measured. A measured one passes the low-pass filter and is differentiated once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.models.numeric.rotation import from_quaternion

Array = NDArray[np.float64]
PREFIX = "base_"
ORIENTATION = "orientation"
ANGULAR_VELOCITY = "angular_velocity"
SPECIFIC_FORCE = "specific_force"
LINEAR = (SPECIFIC_FORCE, "acceleration", "velocity", "position")
COMPONENTS = {ORIENTATION: 4, ANGULAR_VELOCITY: 3, **dict.fromkeys(LINEAR, 3)}  # columns of each quantity


@dataclass(frozen=True, eq=False)
class BaseMotion:
    """Motion of a floating base at N samples, and the measured contact wrenches.

    Attributes:
        rotation: R0 (N, 3, 3), axes of frame 0 in the world; unit matrices if no orientation was measured.
        angular: angular velocity in frame 0 (N, 3).
        angular_rate: its time derivative (N, 3).
        linear: linear acceleration, or specific force, of the origin of frame 0 in frame 0 (N, 3).
        has_gravity: whether `linear` is the specific force a - R0' g.
        wrenches: force and moment of each contact (N, C, 6), in its own axes; moments that were not measured are zero.
    """

    rotation: Array
    angular: Array
    angular_rate: Array
    linear: Array
    has_gravity: bool
    wrenches: Array

    def __getitem__(self, rows: slice) -> BaseMotion:
        """Return the motion at some of the samples."""
        return replace(
            self,
            rotation=self.rotation[rows],
            angular=self.angular[rows],
            angular_rate=self.angular_rate[rows],
            linear=self.linear[rows],
            wrenches=self.wrenches[rows],
        )

    def inputs(self, gravity: Array) -> dict[str, Array]:
        """Return the inputs V0, Vd0 and R0 of the models of a floating base.

        The linear velocity in V0 is zero, because it has no effect on forces.

        Args:
            gravity: acceleration of gravity in the world (3,).
        """
        down = np.einsum("kji,j->ki", self.rotation, gravity)
        acceleration = self.linear + down if self.has_gravity else self.linear
        return {
            "V0": np.hstack([np.zeros_like(self.angular), self.angular]),
            "Vd0": np.hstack([acceleration, self.angular_rate]),
            "R0": self.rotation,
        }


def check_quantities(given: Mapping[str, object], contacts_in_world: bool) -> None:
    """Check that the quantities of a base determine its motion.

    Args:
        given: the quantities by name.
        contacts_in_world: whether contact forces are given in the axes of the world.

    Raises:
        ArgumentError: a quantity is missing, or two contradict each other.
    """
    unknown = next((name for name in given if name not in COMPONENTS), None)
    if unknown is not None:
        raise ArgumentError(
            f"there is no quantity '{str(unknown)[:40]}' of a floating base",
            hint=f"give {', '.join(COMPONENTS)}",
        )
    linear = [name for name in LINEAR if name in given]
    if len(linear) != 1:
        raise ArgumentError(
            f"the base of a floating robot requires one of {', '.join(LINEAR)}, got {', '.join(linear) or 'none'}",
            hint=f"an inertial measurement unit at the origin of frame 0 measures the {SPECIFIC_FORCE} a - g",
        )
    if ORIENTATION not in given and ANGULAR_VELOCITY not in given:
        raise ArgumentError(
            f"the base of a floating robot requires {ORIENTATION} or {ANGULAR_VELOCITY}, got neither",
            hint="both are measured by an inertial measurement unit",
        )
    if ORIENTATION not in given and (linear != [SPECIFIC_FORCE] or contacts_in_world):
        what = "contact forces in the axes of the world" if contacts_in_world else f"the base {linear[0]}"
        raise ArgumentError(
            f"{what} require the {ORIENTATION} of the base",
            hint=f"give the quaternion (w, x, y, z) of the base, or use {SPECIFIC_FORCE} and axes of the frames",
        )


def continuous(quaternions: Array) -> Array:
    """Return quaternions (N, 4) with signs such that consecutive ones are near each other."""
    signs = np.where(np.sum(quaternions[1:] * quaternions[:-1], axis=1) < 0, -1.0, 1.0)
    first = np.ones(min(len(quaternions), 1))
    return np.asarray(quaternions * np.concatenate([first, np.cumprod(signs)])[:, None])


def continuous_orientation(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return samples of a log by quantity with continuous quaternions, so that they can be interpolated."""
    kind = PREFIX + ORIENTATION
    return {**arrays, kind: continuous(arrays[kind])} if kind in arrays else dict(arrays)


def angular_velocity(quaternions: Array, rates: Array) -> Array:
    """Return the angular velocity (N, 3) in frame 0, from unit quaternions and their time derivatives (N, 4)."""
    w, v = quaternions[:, :1], quaternions[:, 1:]
    return np.asarray(2 * (w * rates[:, 1:] - v * rates[:, :1] - np.cross(v, rates[:, 1:])))


def base_motion(
    arrays: Mapping[str, Array],
    wrenches: Array,
    smooth: Callable[[Array], Array],
    slopes: Callable[[Array], Array],
) -> BaseMotion:
    """Return the motion of a floating base, filtered and differentiated.

    Args:
        arrays: samples of a log by quantity; those of the base have the prefix `PREFIX`.
        wrenches: contact wrenches (N, C, 6); they are not filtered, like torques.
        smooth: low-pass filter of samples (N, ...).
        slopes: time derivative of samples (N, ...).
    """
    given = {kind.removeprefix(PREFIX): x for kind, x in arrays.items() if kind.startswith(PREFIX)}
    count = len(arrays["position"])
    rotation = np.broadcast_to(np.eye(3), (count, 3, 3))
    angular = smooth(given[ANGULAR_VELOCITY]) if ANGULAR_VELOCITY in given else np.zeros((count, 3))
    if ORIENTATION in given:
        filtered = smooth(continuous(given[ORIENTATION]))
        unit = filtered / np.linalg.norm(filtered, axis=1, keepdims=True)
        rotation = from_quaternion(unit)
        if ANGULAR_VELOCITY not in given:
            angular = angular_velocity(unit, slopes(unit))
    name = next(name for name in LINEAR if name in given)
    linear = smooth(given[name])
    if name == "velocity":
        linear = slopes(linear) + np.cross(angular, linear)
    elif name == "position":
        linear = np.einsum("kji,kj->ki", rotation, slopes(slopes(linear)))
    return BaseMotion(rotation, angular, slopes(angular), linear, name == SPECIFIC_FORCE, wrenches)


def random_base_motion(count: int, contacts: int, length: float, rng: np.random.Generator) -> BaseMotion:
    """Return random motions of a base without contact forces.

    Args:
        count: number of samples.
        contacts: number of contacts.
        length: scale of the linear accelerations in m/s2, the length of the robot.
        rng: random number generator.
    """
    quaternions = rng.standard_normal((count, 4))
    angular, rate, linear = rng.standard_normal((3, count, 3))
    return BaseMotion(
        from_quaternion(quaternions), angular, rate, length * linear, False, np.zeros((count, contacts, 6))
    )
