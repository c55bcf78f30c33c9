"""Result of a simulation: samples and their tables, and the motion between samples.

A segment is one run of the integrator from event to event. Within it the modes of friction and stops do not change and
prescribed motions have no kink, so that torques are smooth.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.deprecation import FormerWarningsName
from symoro.display import OneLineRepr, aligned
from symoro.files import write_files
from symoro.optional_packages import needed
from symoro.robot.description import Robot
from symoro.simulation.drives import Drives
from symoro.simulation.friction_and_stops import ContactModes, MotionEvent
from symoro.simulation.mechanics import Mechanics
from symoro.tables import table_text
from symoro.trajectory.samples import ENTRIES

Array = NDArray[np.float64]
JOINT_COLUMNS = ("joint", "q at the start", "q at the end", "qd at the end", "largest qd", "largest torque")
SHOWN_EVENTS = 20


@dataclass(frozen=True, eq=False, repr=False)
class Simulation(OneLineRepr, FormerWarningsName):
    """Result of a simulation: the motion at N samples, and its events.

    Attributes:
        joints: numbers of the joints of the tree, one per column of q.
        coordinates: joint numbers of the columns of qd and tau.
        t: times in seconds (N,).
        q, qd: positions (N, joints) and velocities (N, coordinates).
        tau: torques of the drives (N, coordinates); friction is not subtracted.
        parts: the other parts of the state by name: e, ed, P0, Q0, V0, pose.
        E, U: kinetic and potential energy (N,) in the world frame; None if the robot has no energy model, numbers are
            missing, or its base has a prescribed motion that is not steady and horizontal (see `warnings`).
        events: events of joints that stick, slide, reach and leave stops, and exceed limits that are not stops.
        finished: whether the end of the duration was reached.
        why: reason why the simulation ended early; empty otherwise.
        warnings: sentences about limits and inputs that had no effect.
    """

    robot: Robot
    joints: tuple[int, ...]
    coordinates: tuple[int, ...]
    t: Array
    q: Array
    qd: Array
    tau: Array
    parts: Mapping[str, Array]
    E: Array | None
    U: Array | None
    events: tuple[MotionEvent, ...]
    finished: bool
    why: str
    warnings: tuple[str, ...] = ()

    @classmethod
    def made(
        cls,
        mechanics: Mechanics,
        times: Sequence[float],
        rows: Sequence[Array],
        taus: Sequence[Array],
        events: Sequence[MotionEvent],
        why: str,
        warnings: Iterable[str] = (),
    ) -> Simulation:
        """Return the result of a simulation from its samples.

        Args:
            mechanics: equations of motion of the robot.
            times: times of the samples in seconds.
            rows, taus: state vector and torques at each time.
            events: events in the order of time.
            why: reason why the simulation ended early; empty otherwise.
            warnings: sentences about limits and inputs that had no effect.
        """
        y = np.array(rows).reshape(len(times), mechanics.size)
        energies = mechanics.energies(y) if len(times) else None
        reason = mechanics.unknown_energy_reason
        others = {name: y[:, part] for name, part in mechanics.parts.items() if name not in ("q", "qd")}
        return cls(
            mechanics.robot,
            tuple(mechanics.joints),
            tuple(mechanics.coordinates),
            np.array(times),
            y[:, mechanics.parts["q"]],
            y[:, mechanics.parts["qd"]],
            np.array(taus).reshape(len(times), len(mechanics.coordinates)),
            others,
            None if energies is None else energies[0],
            None if energies is None else energies[1],
            tuple(events),
            not why,
            why,
            (*warnings, *([f"the energies are unknown: {reason}"] if reason else [])),
        )

    @property
    def energy(self) -> Array | None:
        """Total energy E + U in joules (N,); None if unknown."""
        return None if self.E is None or self.U is None else self.E + self.U

    @property
    def columns(self) -> dict[str, Array]:
        """Columns of the table of samples (times, positions, velocities, torques, ...) by name."""
        table = {"t": self.t}
        table |= {f"q{j}": self.q[:, k] for k, j in enumerate(self.joints)}
        table |= {f"qd{j}": self.qd[:, k] for k, j in enumerate(self.coordinates)}
        table |= {f"tau{j}": self.tau[:, k] for k, j in enumerate(self.coordinates)}
        for name, rows in self.parts.items():
            names = ENTRIES.get(name, tuple(f"{name}{k}" for k in range(1, rows.shape[1] + 1)))
            table |= {label: rows[:, k] for k, label in enumerate(names)}
        if self.E is not None and self.U is not None:
            table |= {"E": self.E, "U": self.U}
        return table

    @property
    def title(self) -> str:
        """Robot, duration and number of samples, in words."""
        end = self.t[-1] if len(self.t) else 0.0
        return f"{self.robot.name}: {end:g} s in {len(self.t)} samples"

    @property
    def joint_rows(self) -> list[list[str]]:
        """Rows of a table of the joints' motion, for the columns `JOINT_COLUMNS`."""
        rows = []
        places = {j: k for k, j in enumerate(self.coordinates)}
        for k, j in enumerate(self.joints if len(self.t) else ()):
            cells = [f"{x:.6g}" for x in (self.q[0, k], self.q[-1, k])]
            if j in places:
                qd, tau = self.qd[:, places[j]], self.tau[:, places[j]]
                cells += [f"{x:.6g}" for x in (qd[-1], np.abs(qd).max(), np.abs(tau).max())]
            else:
                cells += ["", "", ""]
            rows.append([f"{j} {self.robot.frame(j).name}".strip(), *cells])
        return rows

    @property
    def remarks(self) -> list[str]:
        """Energy, events, warnings and the reason of an early end, one sentence each."""
        lines = []
        if (energy := self.energy) is not None and len(energy):
            lines.append(f"energy: {energy[0]:.9g} J at the start, {energy[-1]:.9g} J at the end")
        lines += [
            f"t = {event.time:.6g} s: joint {event.joint} {event.what}"
            for event in self.events[:SHOWN_EVENTS]
        ]
        if len(self.events) > SHOWN_EVENTS:
            lines.append(f"and {len(self.events) - SHOWN_EVENTS} more events")
        lines += [f"warning: {warning}" for warning in self.warnings]
        return lines if self.finished else [*lines, f"not finished: {self.why}"]

    def __str__(self) -> str:
        return "\n".join([self.title, *aligned(JOINT_COLUMNS, self.joint_rows), *self.remarks])

    def csv(self) -> str:
        """Return the table of samples as CSV text."""
        return table_text(self.columns)

    def write_parquet(self, file: str | Path, *, force: bool = False) -> None:
        """Write the table of samples to a Parquet file; an existing file is overwritten only with `force`.

        Raises:
            MissingDependencyError: pyarrow is not installed.
            WriteError: the file cannot be written, or exists.
        """
        write_files({Path(file): self.parquet()}, force=force)

    def parquet(self) -> bytes:
        """Return the table of samples as the bytes of a Parquet file.

        Raises:
            MissingDependencyError: pyarrow is not installed.
        """
        parquet = needed("pyarrow.parquet", "writing Parquet files", "parquet")
        buffer = io.BytesIO()
        parquet.write_table(needed("pyarrow", "writing Parquet files").table(dict(self.columns)), buffer)
        return buffer.getvalue()


@dataclass
class _Segment:
    """Run of the integrator between two events.

    Attributes:
        begin: start time in seconds.
        modes: modes of friction and stops.
        ends: end times of the integration steps in seconds.
        curves: interpolating function of each step.
    """

    begin: float
    modes: ContactModes
    ends: list[float] = field(default_factory=list)
    curves: list[Any] = field(default_factory=list)


class Recording:
    """Motion of a simulation between its samples.

    Pass an empty recording to `simulate`, which fills it.
    """

    def __init__(self) -> None:
        self._segments: list[_Segment] = []

    def begin(self, mechanics: Mechanics, control: Drives) -> None:
        """Delete earlier contents and start the recording of a simulation.

        Args:
            mechanics: equations of motion of the robot.
            control: torques and prescribed motions of the simulation.
        """
        self.mechanics, self._control, self._segments = mechanics, control, []

    def run(self, t: float, modes: ContactModes) -> None:
        """Start a new segment (a run of the integrator between two events) at time t with these contact modes."""
        self._segments.append(_Segment(t, modes.copy()))

    def step(self, end: float, curve: Any) -> None:
        """Add an integration step of the present segment: its end time and its interpolating function."""
        self._segments[-1].ends.append(end)
        self._segments[-1].curves.append(curve)

    @property
    def spans(self) -> dict[int, tuple[float, float]]:
        """Start and end time of each segment of nonzero length, by segment number."""
        ends = {k: (one.begin, one.ends[-1]) for k, one in enumerate(self._segments) if one.ends}
        return {k: (start, end) for k, (start, end) in ends.items() if end > start}

    def at(self, number: int, times: Array) -> tuple[Array, Array, Array]:
        """Evaluate the recorded motion at N times within one segment.

        Args:
            number: index of the segment.
            times: times in seconds (N,).

        Returns:
            States (N, size of the state), torques (N, coordinates), and accelerations (N, coordinates) of the joints
            with prescribed motion, zero for other joints.
        """
        segment, parts = self._segments[number], self.mechanics.parts
        rows, taus = np.empty((len(times), self.mechanics.size)), []
        driven = np.zeros((len(times), parts["qd"].stop - parts["qd"].start))
        for row, t in enumerate(times):
            which = min(bisect_right(segment.ends, t), len(segment.ends) - 1)
            y, known = self._control.moved(float(t), segment.curves[which](t))
            y = segment.modes.project(self.mechanics.projected(y, float(t)))
            taus.append(segment.modes.drive_torques(y, self._control.torques(float(t), y), known))
            rows[row] = y
            for k, x in known.items():
                driven[row, k] = x
        return rows, np.array(taus), driven
