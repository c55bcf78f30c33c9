"""What a simulation gives: arrays, and the files that they are written to."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symoro.errors import MissingDependencyError
from symoro.files import write_files
from symoro.motion.mechanics import Mechanics
from symoro.motion.samples import ENTRIES
from symoro.motion.switching import MotionEvent
from symoro.robot.description import Robot
from symoro.tables import table_text

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulated motion.

    Attributes:
        joints, coordinates: joints of the tree, and those that qd and tau tell of.
        t: times (N,); q (N, joints), qd (N, coordinates), tau (N, coordinates, friction not taken off).
        parts: the other parts of the state by name: e, ed, P0, Q0, V0, pose.
        E, U: kinetic and potential energy (N,) in the world; None where the robot has no such model, numbers are
            missing, or its base moves as given and not steadily on one level (`doubts` says so).
        events: joints that stick, slide, meet and leave stops, pass limits that are no stops.
        finished: whether it came to its end; `why` says why not.
        doubts: what was not heeded, in sentences.
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
    doubts: tuple[str, ...] = ()

    @classmethod
    def made(
        cls,
        mechanics: Mechanics,
        times: Sequence[float],
        rows: Sequence[Array],
        taus: Sequence[Array],
        events: Sequence[MotionEvent],
        why: str,
        doubts: Iterable[str] = (),
    ) -> Simulation:
        """From states, one a sample."""
        y = np.array(rows).reshape(len(times), mechanics.size)
        energies = mechanics.energies(y) if len(times) else None
        untold = mechanics.energy_doubt
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
            (*doubts, *([f"energies are not told: {untold}"] if untold else [])),
        )

    @property
    def energy(self) -> Array | None:
        """E + U."""
        return None if self.E is None or self.U is None else self.E + self.U

    @property
    def columns(self) -> dict[str, Array]:
        """The columns of its table."""
        found = {"t": self.t}
        found |= {f"q{j}": self.q[:, k] for k, j in enumerate(self.joints)}
        found |= {f"qd{j}": self.qd[:, k] for k, j in enumerate(self.coordinates)}
        found |= {f"tau{j}": self.tau[:, k] for k, j in enumerate(self.coordinates)}
        for name, rows in self.parts.items():
            names = ENTRIES.get(name, tuple(f"{name}{k}" for k in range(1, rows.shape[1] + 1)))
            found |= {label: rows[:, k] for k, label in enumerate(names)}
        if self.E is not None and self.U is not None:
            found |= {"E": self.E, "U": self.U}
        return found

    def csv(self) -> str:
        """Its table as CSV."""
        return table_text(self.columns)

    def write_parquet(self, file: str | Path, *, force: bool = False) -> None:
        """Write its table to a Parquet file; one that exists is overwritten by force alone.

        Raises:
            MissingDependencyError: pyarrow is not there.
            WriteError: the file cannot be written, or exists.
        """
        write_files({Path(file): self.parquet()}, force=force)

    def parquet(self) -> bytes:
        """Its table as the bytes of a Parquet file.

        Raises:
            MissingDependencyError: pyarrow is not there.
        """
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise MissingDependencyError("Parquet needs pyarrow", hint="pip install pyarrow") from None
        made = io.BytesIO()
        parquet.write_table(pyarrow.table(dict(self.columns)), made)
        return made.getvalue()
