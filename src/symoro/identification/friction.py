"""Regressor columns in addition to those of the catalogue's models, for further friction and coupled motors.

    stribeck      FBj   sign(qd) exp(-(qd/vs)^2)     additional dry friction at low speed; vs of each joint is given
    load          FLj   |tau_j| sign(qd)             friction proportional to the load, the measured torque
    coupled       IAMk, FVMk, FSMk                   of motors that turn with several joints (`transmission`)

Each column is the time derivative of a momentum M qd plus a torque D, so that it exists in every identification model:

    dynamic   M qdd + D        filtered   d(M qd)/dt + D        power   d(qd' M qd / 2)/dt + qd' D

P. Hamon, M. Gautier, P. Garrec, "Dynamic identification of robots with a dry friction model depending on load and
velocity", IROS 2010. B. Armstrong-Helouvry, "Control of machines with friction", 1991 (Stribeck's curve).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, OptionError
from symoro.identification.log_description import Transmission
from symoro.models.coordinates.couplings import coordinate_joints
from symoro.robot.description import Robot

Array = NDArray[np.float64]
TERMS = {"viscous": "FV", "coulomb": "FS", "offset": "FO", "stribeck": "FB", "load": "FL"}
USUAL = ("viscous", "coulomb", "offset")
STRIBECK_VELOCITY = 0.05  # rad/s or m/s: of a joint without a described one


@dataclass(frozen=True)
class Friction:
    """Friction terms of every joint.

    Attributes:
        terms: names of the terms, such as 'viscous' and 'coulomb'.
        stribeck_velocity: velocity vs of Stribeck's curve (rad/s or m/s): one for all joints, or one per joint.
    """

    terms: tuple[str, ...] = USUAL
    stribeck_velocity: tuple[float, ...] = (STRIBECK_VELOCITY,)

    def __post_init__(self) -> None:
        for term in self.terms:
            if term not in TERMS:
                raise OptionError(f"friction: expected terms among {', '.join(TERMS)}, got '{term}'")
        if not all(velocity > 0 for velocity in self.stribeck_velocity):
            listed = ", ".join(f"{velocity:g}" for velocity in self.stribeck_velocity)
            raise ArgumentError(f"stribeck_velocity: expected positive numbers, got {listed}")

    def velocities(self, joints: int) -> Array:
        """Return Stribeck's velocity of each joint (n,).

        Args:
            joints: number of joints.

        Raises:
            ArgumentError: their number is neither one nor that of the joints.
        """
        if len(self.stribeck_velocity) not in (1, joints):
            raise ArgumentError(
                f"stribeck_velocity: expected one number, or {joints}, one per joint, got "
                f"{len(self.stribeck_velocity)}"
            )
        return np.broadcast_to(np.array(self.stribeck_velocity, dtype=float), (joints,))


def friction_of(robot: Robot, terms: Sequence[str], velocity: float | Sequence[float] | None) -> Friction:
    """Return friction terms with Stribeck's velocity of each joint.

    Args:
        robot: the robot, whose velocities VS are used by default; `STRIBECK_VELOCITY` for a joint without one.
        terms: names of the terms.
        velocity: given velocity, for all joints or one per joint; None for the default.
    """
    if velocity is None:
        known = dict(robot.nominal)
        described = (robot.frame(j).VS for j in coordinate_joints(robot))
        numbers = (VS.value(known) if all(name in known for name in VS.symbols) else 0.0 for VS in described)
        return Friction(tuple(terms), tuple(x if x > 0 else STRIBECK_VELOCITY for x in numbers))
    return Friction(tuple(terms), tuple(float(x) for x in np.atleast_1d(np.asarray(velocity, dtype=float))))


@dataclass(frozen=True)
class FurtherColumns:
    """Regressor columns in addition to those of the catalogue's model: further friction terms and coupled motors.

    Attributes:
        names: names of the columns.
        masses: one symmetric matrix M (n, n) per column, zero if the column is not an inertia.
        support: (n, columns), False where a column is zero for every motion.
        friction: the friction terms.
        joints: numbers of the joints.
        shares: for each coupled motor its index, and its velocity for a unit velocity of each joint.
    """

    names: tuple[str, ...]
    masses: Array
    support: NDArray[np.bool_]
    friction: Friction
    joints: tuple[int, ...]
    shares: tuple[tuple[int, tuple[float, ...]], ...]

    def torques(self, qd: Array, tau: Array) -> Array:
        """Return the part D of each column that does not depend on inertia (N, n, columns).

        Args:
            qd, tau: velocities and measured torques of the joints (N, n).
        """
        samples, n = qd.shape
        torques = np.zeros((samples, n, len(self.names)))
        signs, k = np.sign(qd), 0
        every = np.arange(n)
        for term in self.friction.terms:
            if term == "stribeck":
                curve = signs * np.exp(-((qd / self.friction.velocities(n)) ** 2))
                torques[:, every, k + every] = curve
            elif term == "load":
                torques[:, every, k + every] = np.abs(tau) * signs
            if term in ("stribeck", "load"):
                k += n
        for _, share in self.shares:
            c = np.array(share)
            torques[:, :, k + 1] = c * ((qd @ c)[:, None] - c * qd)
            torques[:, :, k + 2] = c * np.sign(qd @ c)[:, None]
            k += 3
        return torques

    def inertias(self, rates: Array) -> Array:
        """Return the inertial part M v of each column (N, n, columns).

        Args:
            rates: velocities or accelerations v of the joints (N, n).
        """
        return np.asarray(np.einsum("pij,kj->kip", self.masses, rates))

    def energies(self, qd: Array) -> Array:
        """Return the kinetic energy qd' M qd / 2 of each column per unit of its parameter (N, columns)."""
        return np.asarray(np.einsum("pij,ki,kj->kp", self.masses, qd, qd) / 2)


def further_columns(joints: Sequence[int], friction: Friction, gear: Transmission | None) -> FurtherColumns:
    """Return the regressor columns of further friction terms and of coupled motors.

    Args:
        joints: numbers of the joints.
        friction: friction terms of every joint.
        gear: transmission between motors and joints; None if motors are not coupled.
    """
    n = len(joints)
    friction.velocities(n)  # their number is checked before the work
    names = [f"{TERMS[term]}{j}" for term in friction.terms if term in ("stribeck", "load") for j in joints]
    coupled = [] if gear is None else gear.coupled()
    shares = tuple((k, tuple(float(x) for x in gear.shares(k))) for k in coupled) if gear is not None else ()
    names += [f"{kind}{joints[k]}" for k in coupled for kind in ("IAM", "FVM", "FSM")]
    masses, support = np.zeros((len(names), n, n)), np.zeros((n, len(names)), dtype=bool)
    at = len(names) - 3 * len(coupled)
    for column in range(at):
        support[column % n, column] = True
    for row, (_, share) in enumerate(shares):
        c = np.array(share)
        masses[at + 3 * row] = np.outer(c, c) - np.diag(c * c)
        support[c != 0, at + 3 * row : at + 3 * row + 3] = True
    return FurtherColumns(tuple(names), masses, support, friction, tuple(joints), shares)
