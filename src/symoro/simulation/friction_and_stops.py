"""Dry friction and stops: the mode of each contact (held, sliding or open) follows from one convex problem per event.

A contact is a joint with friction or a stop (`friction_and_stop_rows`). It has a force l in [lo, hi] and a speed v.
For a contact at rest (v = 0)

    v' > 0 => l = lo,      v' < 0 => l = hi,      lo < l < hi => v' = 0

Contacts that move have l = -b sign(v); the magnitude b of friction depends on the speed and on the load, and so do the
bounds at rest. With constant friction b = FS.

The equations of motion are A x = Q - H + W'l with the accelerations x, the
inertia matrix A, the generalised forces Q - H and one row w of W per contact; a = A^-1 (Q - H) are the accelerations
without contact forces, and W x + c are the accelerations of the contacts. The forces of the contacts at rest solve

    min 1/2 l'G l + b'l,   lo <= l <= hi,     G = W A^-1 W',   b = W a + c                    (`box_qp`)

which is the dual of Gauss' principle, min 1/2 (x - a)'A(x - a) + sum b |w x + c| with w x >= 0 at stops. That
problem is strictly convex: x exists and is unique. The forces l may be indeterminate if rows of W are linearly
dependent; the solution of least norm is used. A contact is called carried if its force is at a bound and its rest
follows from the held contacts; its force is constant.

Static friction (`static` > 1) is modelled as follows: contacts at rest have the bound `static` times b(v = 0); those
that slip get b(v = 0), and the problem is solved again. The set of slipping contacts only grows. Impacts are the same
problem over impulses p with Newton's restitution:

    min 1/2 p'G p + (v - r)'p,   p >= 0,      r = restitution times the speed of approach, 0 for stops at rest

F. Pfeiffer, C. Glocker, "Multibody dynamics with unilateral contacts", Wiley, 1996, chapters 5, 6 and 8;
J.J. Moreau, "Quadratic programming in mechanics: dynamics of one-sided constraints", SIAM J. Control 4, 1966.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from symoro.errors import UndecidedError
from symoro.simulation.box_qp import InfeasibleError, implied_rows, solve_box
from symoro.simulation.friction_and_stop_rows import ContactRows
from symoro.simulation.mechanics import FreeDynamics, Mechanics
from symoro.simulation.tolerances import (
    FORCE_NOISE,
    RANK,
    REBOUND_HEIGHT,
    REBOUND_SPEED,
    RESIDUAL,
    VELOCITY_REST,
)

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
What = Literal[
    "sticks",
    "slides",
    "has a motor that sticks",
    "has a motor that slides",
    "meets its stop",
    "leaves its stop",
    "passes its limit",
    "comes back within its limits",
]


@dataclass(frozen=True)
class MotionEvent:
    """Event of a joint: it or its motor starts to stick or to slide, it reaches or leaves a stop, or passes a limit."""

    time: float
    joint: int
    what: What


class Mode:
    """Mode of a contact (a joint with dry friction, or a stop), a plain integer for use in arrays.

    With the speed v of the contact and its force l in [lo, hi]:

    - OPEN: the joint does not touch the stop, and there is no force;
    - HELD: at rest, the force l follows from v' = 0;
    - FORWARD: v > 0 with l = lo;
    - BACKWARD: v < 0 with l = hi;
    - CARRIED: at rest because other contacts are held, with the force l at a bound.
    """

    OPEN = 0
    HELD = 1
    FORWARD = 2
    BACKWARD = 3
    CARRIED = 4


@dataclass(frozen=True, eq=False)
class HeldMotion:
    """Accelerations and contact forces of a state, with the present contact modes.

    Attributes:
        x: accelerations of base, coordinates and flexible modes.
        forces: force l of every contact (joint with friction, or stop).
        softness: diagonal entries of G = W A^-1 W' for the held contacts, in their order; W contains the rows of the
            contacts, A is the inertia matrix.
    """

    x: Array
    forces: Array
    softness: Array
    rows: Array
    dynamics: FreeDynamics


class ContactModes:
    """Present modes of the contacts of a robot (joints with dry friction, stops).

    Attributes:
        mode: one `Mode` per contact.
        force: forces of the contacts that are not held; those of sliding contacts follow from their speeds.
        factor: static friction of held contacts as a multiple of the friction at zero speed.
        left: mask of the stops from which the joint moved away at the last event.
        near: mask of the open stops that were touched at the last event.
    """

    def __init__(
        self,
        mechanics: Mechanics,
        rows: ContactRows,
        static: float,
        restitution: float,
        driven: frozenset[int],
    ) -> None:
        self.mechanics, self.rows, self.static, self.restitution = mechanics, rows, static, restitution
        self._loose = [k for k in range(len(mechanics.coordinates)) if k not in driven]
        self._driven = sorted(driven)
        m = len(rows)
        self.mode = np.full(m, Mode.OPEN, dtype=int)
        self.force, self.factor = np.zeros(m), np.ones(m)
        self.left, self.near = np.zeros(m, dtype=bool), np.zeros(m, dtype=bool)

    @property
    def idle(self) -> bool:
        """Whether no contact (joint with friction, or stop) can ever change its mode."""
        return bool(self.rows.driven.all())

    @property
    def at_rest(self) -> Mask:
        """Mask of the contacts (joints with friction, stops) at rest."""
        return _at_rest(self.mode)

    def copy(self) -> ContactModes:
        """Return a copy of the present modes of all contacts."""
        copied = copy(self)
        for name in ("mode", "force", "factor", "left", "near"):
            setattr(copied, name, getattr(self, name).copy())
        return copied

    def restore(self, before: ContactModes) -> None:
        """Restore the modes that were copied before."""
        self.__dict__.update(before.copy().__dict__)

    # -- between events

    def accelerations(self, y: Array, tau: Array, known: Mapping[int, float]) -> Array:
        """Return the accelerations of base, coordinates and flexible modes in the present modes of the contacts.

        Args:
            y: state.
            tau: torques of the drives.
            known: prescribed accelerations by index of the coordinate.
        """
        if self.idle and not known:
            return self.mechanics.accelerations(y, tau)
        if known or (self.mode == Mode.HELD).any():
            return self.held_motion(y, tau, known).x
        force = self.forces(y, tau)
        row_forces = force @ self.rows.matrix(y) if force.any() else np.zeros(len(tau))
        if row_forces[self.mechanics.springs].any():  # the model ignores torques of elastic joints
            return self.mechanics.free_dynamics(y, tau, row_forces, known).accelerations()
        return self.mechanics.accelerations(y, tau + row_forces)

    def forces(self, y: Array, tau: Array) -> Array:
        """Return the forces of the contacts that are not held, in the present modes.

        Args:
            y: state.
            tau: torques of the drives.
        """
        if not self.rows.varies:
            return self.force
        sign = np.select([self.mode == Mode.FORWARD, self.mode == Mode.BACKWARD], [1.0, -1.0], 0.0)
        speeds = self.rows.matrix(y) @ y[self.mechanics.parts["qd"]]
        slides = (sign != 0) & ~self.rows.stop
        return np.where(slides, -sign * self.rows.sliding_friction(speeds, tau), self.force)

    def held_motion(self, y: Array, tau: Array, known: Mapping[int, float]) -> HeldMotion:
        """Return the accelerations and contact forces in the present modes; held contacts have zero acceleration.

        If the held contacts are linearly dependent, the contact forces of least norm are returned. The method is a
        singular value decomposition U S V' of M = (L^-1 W')', where A = L L' is the inertia matrix and W contains the
        rows of the held contacts, whose acceleration is W x + c. With z = L^-1 times the generalised forces, the
        contact forces are l = -U S^-2 U'(M z + c), and they change L'x by -V S^-1 U'(M z + c).

        Args:
            y: state.
            tau: torques of the drives.
            known: prescribed accelerations by index of the coordinate.
        """
        rows = self.rows.matrix(y)
        forces = self.forces(y, tau).copy()
        dynamics = self.mechanics.free_dynamics(y, tau, forces @ rows, known)
        held = np.flatnonzero(self.mode == Mode.HELD)
        if not len(held):
            return HeldMotion(dynamics.accelerations(), forces, np.zeros(0), rows, dynamics)
        M = dynamics.reduced_rows(rows[held])
        norms = np.linalg.norm(M, axis=1)
        size = np.where(norms > 0, norms, 1.0)
        drift = M @ dynamics.reduced + self.rows.drift(y)[held] + dynamics.given_part(rows[held])
        U, S, V = np.linalg.svd(M / size[:, None], full_matrices=False)
        kept = np.sqrt(RANK) < S
        part = -(U[:, kept].T @ (drift / size)) / S[kept]
        x = dynamics.accelerations(V[kept].T @ part)
        forces[held] = U[:, kept] @ (part / S[kept]) / size
        own = self.rows.coordinate[held]
        still = own[(own >= 0) & (norms > 0)]
        x[dynamics.columns.start + still] = 0.0  # for unit rows exactly zero
        return HeldMotion(x, forces, norms**2, rows, dynamics)

    def drive_torques(self, y: Array, tau: Array, known: Mapping[int, float]) -> Array:
        """Return the torques of all drives, including the torques that prescribed motions require.

        Args:
            y: state.
            tau: torques of the drives whose joints have no prescribed motion.
            known: prescribed accelerations by index of the coordinate.
        """
        if not known:
            return tau.copy()
        motion = self.held_motion(y, tau, known)
        driven, forces = self.rows.driven, motion.forces.copy() - self.forces(y, tau)
        speeds = motion.rows @ y[self.mechanics.parts["qd"]]
        moves = driven & (np.abs(speeds) > VELOCITY_REST * self.rows.units)
        forces[driven] = 0.0
        friction = self.rows.sliding_friction(speeds, tau)
        forces[moves] = -friction[moves] * np.sign(speeds[moves])
        missing = motion.dynamics.missing_forces(motion.x) - forces @ motion.rows
        torques = tau.copy()
        torques[self._driven] += missing[self._driven]
        for i in np.flatnonzero(moves & (self.rows.load > 0)):  # tau = r / (1 - FL sign(v) sign(r))
            k = self.rows.coordinate[i]
            torques[k] /= 1 - self.rows.load[i] * np.sign(speeds[i]) * np.sign(torques[k])
        return torques

    def margins(self, y: Array, tau: Array, known: Mapping[int, float]) -> Array:
        """Return event functions that are positive while the present modes are valid.

        There is one per contact (joint with friction, or stop), and one more for all contacts at rest:

        - a sliding joint: its speed;
        - an open stop: the distance to it; if the stop was touched at the last event, only while the joint approaches,
          because interpolated q and qd may disagree;
        - a held contact: the distance of its force from the bounds;
        - the last entry: a tolerance minus the largest acceleration of the contacts at rest.

        Args:
            y: state.
            tau: torques of the drives.
            known: prescribed accelerations by index of the coordinate.
        """
        functions = np.ones(len(self.rows) + 1)
        rows, mode, stop = self.rows, self.mode, self.rows.stop
        by_row = functions[:-1]  # a view
        slides = ~stop & ~rows.driven & ((mode == Mode.FORWARD) | (mode == Mode.BACKWARD))
        open_stops = stop & (mode == Mode.OPEN)
        rest = self.at_rest
        motion = self.held_motion(y, tau, known) if rest.any() else None
        if slides.any() or open_stops.any():
            matrix = rows.matrix(y) if motion is None else motion.rows
            speeds = self._speeds(matrix, self.project(y))  # without drift of the held contacts
            by_row[slides] = np.where(mode == Mode.FORWARD, speeds, -speeds)[slides]
            by_row[open_stops] = (rows.gaps(y) / rows.units[stop])[open_stops[stop]]
            leaving = open_stops & self.near & (speeds >= 0)
            by_row[leaving] = np.maximum(by_row[leaving], 0.0)
        if motion is not None:
            held = np.flatnonzero(mode == Mode.HELD)
            force, upper = motion.forces[held], self.factor[held] * rows.static_friction(tau)[held]
            room = np.where(stop[held], force, upper - np.abs(force))
            size = np.where(upper > 0, upper, 1.0)  # friction that depends on load alone vanishes with it
            by_row[held] = np.where(stop[held], room * motion.softness / rows.units[held], room / size)
            if not rows.plain or (mode == Mode.CARRIED).any():
                functions[-1] = self._residual(y, motion, rest)
        return functions

    def _residual(self, y: Array, motion: HeldMotion, rest: Mask) -> float:
        """Return a tolerance minus the largest acceleration of the contacts that should be at rest.

        A negative value means that these contacts cannot remain at rest.

        Args:
            y: state.
            motion: accelerations and forces in this state.
            rest: mask of the contacts at rest.
        """
        x = motion.x[motion.dynamics.columns]
        moves = np.abs(motion.rows[rest] @ x + self.rows.drift(y)[rest]) / self.rows.units[rest]
        return float(RESIDUAL * (1 + np.abs(x / self.mechanics.coordinate_units).max()) - moves.max())

    def noise(self, position_error: float) -> Array:
        """Return the round-off of each event function of `margins`.

        Args:
            position_error: position error of the integrator in rad; a joint that leaves a stop may be beyond the
                stop by this amount.
        """
        rows, round_off = self.rows, np.full(len(self.rows) + 1, FORCE_NOISE)
        by_row = round_off[:-1]  # a view
        sliding = ~rows.stop & ~self.at_rest
        by_row[sliding] = VELOCITY_REST
        open_stops = rows.stop & (self.mode == Mode.OPEN)
        by_row[open_stops] = (rows.gap_noise / rows.units[rows.stop])[open_stops[rows.stop]]
        by_row[self.left] = position_error
        round_off[-1] = 0.0
        return round_off

    # -- at an event

    def begin(self, y: Array) -> list[int]:
        """Set the initial modes of all contacts; joints with friction and zero speed are held.

        Returns:
            The indices of the stops at which an impact occurs in the initial state y.
        """
        speeds = self._speeds(self.rows.matrix(y), y)
        friction = ~self.rows.stop & ~self.rows.driven
        self.mode[friction & (np.abs(speeds) <= VELOCITY_REST)] = Mode.HELD
        return [int(i) for i in np.flatnonzero(self._touching(y) & (speeds < -VELOCITY_REST))]

    def _speeds(self, matrix: Array, y: Array) -> Array:
        """Return the speeds of the contacts in rad/s; for prismatic joints in robot lengths per second.

        Args:
            matrix: W, which maps coordinate velocities to contact speeds, one row per contact.
            y: state.
        """
        return np.asarray(matrix @ y[self.mechanics.parts["qd"]] / self.rows.units)

    def _touching(self, y: Array) -> Mask:
        """Return the mask of the stops that are touched in the state y, up to round-off."""
        touching = self.rows.stop.copy()
        touching[self.rows.stop] = np.abs(self.rows.gaps(y)) <= self.rows.gap_noise
        return touching

    def project(self, y: Array) -> Array:
        """Return the state y with the speeds of held contacts (sticking joints, joints at a stop) set to zero."""
        held = np.flatnonzero(self.mode == Mode.HELD)
        if not len(held):
            return y
        y = y.copy()
        qd = y[self.mechanics.parts["qd"]]  # a view
        own = self.rows.coordinate[held]
        qd[own[own >= 0]] = 0.0
        tied = held[own < 0]
        columns = [k for k in self._loose if k not in own]
        if len(tied) and columns:
            self._stop_tied(self.rows.matrix(y)[tied], qd, columns)
        return y

    def _stop_tied(self, rows: Array, qd: Array, columns: list[int]) -> None:
        """Change the velocities qd in place, by least squares, such that given contacts come to rest.

        Args:
            rows: matrix that maps qd to the speeds of these contacts. Contacts whose row is zero in all `columns` are
                ignored.
            qd: velocities of the coordinates.
            columns: indices of the coordinates whose velocities may change.
        """
        units = self.mechanics.coordinate_units[columns]
        W = rows[:, columns] * units
        norms, whole = (
            np.linalg.norm(W, axis=1),
            np.linalg.norm(rows * self.mechanics.coordinate_units, axis=1),
        )
        kept = norms > np.sqrt(RANK) * whole
        if not kept.any():
            return
        unit_rows, speeds = W[kept] / norms[kept, None], (rows[kept] @ qd) / norms[kept]
        change, _, rank, _ = np.linalg.lstsq(unit_rows, speeds, rcond=np.sqrt(RANK))
        if rank == len(columns) and not self._driven:
            qd[columns] = 0.0
        else:
            qd[columns] -= units * change

    def stopped(self, y: Array, row: int) -> Array:
        """Return the state y with the speed of one contact set to exactly zero.

        Args:
            row: index of the contact (joint with friction, or stop).
        """
        before = self.mode.copy()
        self.mode[row] = Mode.HELD
        y = self.project(y)
        self.mode = before
        return y

    def settle(
        self,
        t: float,
        y: Array,
        tau: Array,
        known: Mapping[int, float],
        *,
        event: int | None = None,
        begin: bool = False,
        struck: bool = False,
    ) -> tuple[Array, list[MotionEvent]]:
        """Determine the modes of all contacts at rest after an event.

        Args:
            t, y: time and state.
            tau: torques of the drives, without friction.
            known: prescribed accelerations by index of the coordinate.
            event: index of the contact whose event function has become zero.
            begin: whether this is the start of the simulation.
            struck: whether there was an impact, which may have moved contacts that were at rest.

        Returns:
            The state with the speeds of resting contacts set to zero, and the events of joints that changed their
            modes.
        """
        before = self.mode.copy()
        stops = event is not None and event < len(self.rows) and not self.rows.stop[event]
        came = event if stops and before[event] in (Mode.FORWARD, Mode.BACKWARD) else None
        self.left[:] = False
        if not begin and not struck:
            y = self.project(y)
        rows, touching = self.rows.matrix(y), self._touching(y)
        decided = np.zeros(len(self.rows), dtype=bool)
        while True:  # held contacts may bring others to rest; the set only grows
            speeds = self._speeds(rows, y)
            resting = decided | (np.abs(speeds) <= VELOCITY_REST) & np.where(
                self.rows.stop, touching, ~self.rows.driven
            )
            if came is not None:
                resting[came] = True
            self._slide(~resting, speeds, tau)
            if (resting == decided).all():
                break
            decided = resting
            self._decide(t, y, rows, tau, known, np.flatnonzero(decided), before, event, came, struck=struck)
            y = self.project(y)
        self.near = touching & (self.mode == Mode.OPEN)
        return y, list(self._news(t, before, event if struck else None))

    def _slide(self, moving: Mask, speeds: Array, tau: Array) -> None:
        """Set the modes and friction forces of moving contacts from the signs of their speeds.

        Args:
            moving: mask of the moving contacts (joints with friction, stops).
            speeds: speed of every contact in rad/s; for prismatic joints in robot lengths per second.
            tau: torques of the drives.
        """
        friction = moving & ~self.rows.stop & ~self.rows.driven
        sign = np.where(friction & (np.abs(speeds) > VELOCITY_REST), np.sign(speeds), 0.0)
        self.mode[moving] = np.select([sign > 0, sign < 0], [Mode.FORWARD, Mode.BACKWARD], Mode.OPEN)[moving]
        self.force[moving] = 0.0
        size = self.rows.sliding_friction(speeds * self.rows.units, tau)
        self.force[sign != 0] = (-sign * np.where(friction, size, 0.0))[sign != 0]

    def _decide(
        self,
        t: float,
        y: Array,
        rows: Array,
        tau: Array,
        known: Mapping[int, float],
        Q: NDArray[np.intp],
        before: NDArray[np.int_],
        event: int | None,
        came: int | None,
        *,
        struck: bool,
    ) -> None:
        """Determine the modes of contacts at rest by solving min 1/2 l'G l + b'l, lo <= l <= hi, for their forces l.

        The module docstring defines G and b.

        Args:
            t, y: time and state.
            rows: matrix W, one row per contact.
            tau: torques of the drives, without friction.
            known: prescribed accelerations by index of the coordinate.
            Q: indices of the contacts at rest.
            before: modes before the event.
            event: index of the contact whose event function became zero.
            came: index of the contact that has come to rest at this event, or None.
            struck: whether there was an impact.

        Raises:
            UndecidedError: no accelerations satisfy all stops.
        """
        others = self.forces(y, tau).copy()
        others[Q] = 0.0
        dynamics = self.mechanics.free_dynamics(y, tau, others @ rows, known)
        M = dynamics.reduced_rows(rows[Q])
        G = M @ M.T
        b = M @ dynamics.reduced + self.rows.drift(y)[Q] + dynamics.given_part(rows[Q])
        stop, units = self.rows.stop[Q], self.rows.units[Q]
        sliding = np.isin(before[Q], (Mode.FORWARD, Mode.BACKWARD)) & (came != Q)
        factor = np.where(
            sliding & (not struck), 1.0, self.static
        )  # sliding contacts have no static friction
        at_rest = self.rows.static_friction(tau)[Q]
        start = ~((event == Q) & (before[Q] == Mode.HELD))  # a force that has reached its bound starts there
        while True:
            hi = np.where(stop, np.inf, factor * at_rest)
            lo = np.where(stop, 0.0, -hi)
            try:
                solution = solve_box(G, b, lo, hi, start)
            except InfeasibleError:
                joints = ", ".join(str(self.rows.joints[i]) for i in Q)
                raise UndecidedError(
                    f"no accelerations satisfy the stops of joints {joints} at t = {t:g} s"
                ) from None
            x = (
                dynamics.accelerations(solution.forces @ M)[dynamics.columns]
                / self.mechanics.coordinate_units
            )
            still = np.abs(solution.gradient) / units <= RESIDUAL * (1 + np.abs(x).max(initial=0.0))
            carried = implied_rows(G, solution.free) & ~solution.free & still
            mode = np.select(
                [solution.free, carried, solution.lower],
                [Mode.HELD, Mode.CARRIED, Mode.FORWARD],
                Mode.BACKWARD,
            )
            slips = ~_at_rest(mode) & (factor > 1.0) & ~stop
            if not slips.any():
                break
            factor[slips], start = 1.0, solution.free
        self.mode[Q], self.factor[Q] = mode, factor
        self.force[Q] = np.where(solution.free, 0.0, solution.forces)
        gone = Q[stop & ~_at_rest(mode)]
        self.mode[gone], self.force[gone] = Mode.OPEN, 0.0
        self.left[gone] = True

    def impact(self, t: float, y: Array, tau: Array, known: Mapping[int, float], row: int) -> Array:
        """Return the state after an impact of a joint at a stop, including other stops that are touched.

        Friction forces are finite and have no impulse. Slow and low rebounds are inelastic.

        Args:
            t, y: time and state before the impact.
            tau: torques of the drives.
            known: prescribed accelerations by index of the coordinate.
            row: index of the contact, which is a stop.
        """
        y = self.mechanics.projected(self.rows.at_limit(y, row), t)
        touching = self._touching(y) | (self.rows.stop & self.at_rest)
        touching[row] = True
        Q = np.flatnonzero(touching)
        matrix = self.rows.matrix(y)
        dynamics = self.mechanics.free_dynamics(y, tau, np.zeros(len(tau)), known)
        M = dynamics.reduced_rows(matrix[Q])
        speeds, units = matrix[Q] @ y[self.mechanics.parts["qd"]], self.rows.units[Q]
        press = -(M @ dynamics.reduced) / units  # acceleration towards each stop without contact forces
        rebound = self.restitution * np.maximum(-speeds, 0.0)
        low = (rebound / units) ** 2 < 2 * REBOUND_HEIGHT * np.maximum(press, 0.0)
        rebound[low | (rebound < REBOUND_SPEED * units)] = 0.0
        solution = solve_box(
            M @ M.T, speeds - rebound, np.zeros(len(Q)), np.full(len(Q), np.inf), np.ones(len(Q), dtype=bool)
        )
        change = np.zeros(len(dynamics.free))
        change[dynamics.free] = dynamics.from_reduced(solution.forces @ M)
        y = self.mechanics.with_impulse(y, change)
        qd = y[self.mechanics.parts["qd"]]  # a view
        stays = (solution.forces > 0) & (rebound == 0) | (np.abs(self._speeds(matrix, y)[Q]) <= VELOCITY_REST)
        qd[self.rows.coordinate[Q[stays]]] = 0.0
        return y

    def _news(self, t: float, before: NDArray[np.int_], struck: int | None) -> Iterator[MotionEvent]:
        """Yield the events of contacts whose mode has changed; a joint at a stop has no friction events.

        Args:
            t: time of the events in seconds.
            before: modes of the contacts before the change.
            struck: index of the stop at which an impact occurred, if any.
        """
        was, now = _at_rest(before), self.at_rest
        stop, coordinate = self.rows.stop, self.rows.coordinate
        at_stop = set(coordinate[stop & (was | now)].tolist())
        if struck is not None:
            yield MotionEvent(t, self.rows.joints[struck], "meets its stop")
        for i in np.flatnonzero(stop & (was != now)):
            if i != struck:
                yield MotionEvent(t, self.rows.joints[i], "meets its stop" if now[i] else "leaves its stop")
        for i in np.flatnonzero(~stop & (before != self.mode) & ~(was & now)):
            if coordinate[i] < 0 or coordinate[i] not in at_stop:
                yield MotionEvent(t, self.rows.joints[i], self._friction_event(int(i), bool(now[i])))

    def _friction_event(self, i: int, rests: bool) -> What:
        """Return the change of contact i, which is a joint or a coupled motor with dry friction."""
        if self.rows.motor[i]:
            return "has a motor that sticks" if rests else "has a motor that slides"
        return "sticks" if rests else "slides"


def _at_rest(mode: NDArray[np.int_]) -> Mask:
    return np.asarray((mode == Mode.HELD) | (mode == Mode.CARRIED))
