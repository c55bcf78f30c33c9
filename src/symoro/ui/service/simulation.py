"""Simulate in the workbench, starting from a posture; samples are sent while the simulation runs.

During a simulation, samples are reported as progress (`symoro.progress`, `came`) a few times per second:
{"times": [...], "q": [...], "tau": [...], "base": [...]}. Together they contain at most as many samples as the answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

from symoro.errors import UnknownNameError
from symoro.progress import Task, task
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.ui.service.answer_types import EventData, Piece, SimulationAnswer
from symoro.ui.service.motions import motion_of, units_of
from symoro.ui.service.payload import item, robot_of
from symoro.ui.service.playback import Postures, end_frame, kept_rows, number, numbers_of, row, stride

if TYPE_CHECKING:
    from symoro.runtime.function import Array
    from symoro.simulation.mechanics import Controller, State
    from symoro.simulation.result import Simulation

APART = 0.1  # s; shortest time between two reports
MOST_EVENTS = 200  # largest number of reported events
PARTS = ("e", "ed", "P0", "Q0", "V0", "pose")


def simulated(payload: Mapping[str, Any]) -> SimulationAnswer:
    """Simulate a robot from a posture, under constant torques or computed-torque control, and return the motion."""
    from symoro.simulation.options import SimulationOptions
    from symoro.simulation.simulate import simulate

    robot = robot_of(payload)
    values, posture = numbers_of(robot, payload), row(payload, "q")
    duration, step = number(payload, "duration", 5.0), number(payload, "step", 0.01)
    with task("simulating", duration) as work:
        listener = _SampleReport(robot, values, work, duration, step)
        result = simulate(
            robot,
            duration,
            q=[0.0] * len(independent(robot)) if posture is None else posture,
            qd=row(payload, "qd"),
            tau=_torques(robot, payload, values),
            values=values,
            step=step,
            stops=_stops(payload),
            options=SimulationOptions(
                start=start_of(payload),
                method=item(payload, "method", str, "DOP853"),
                friction=item(payload, "friction", str, "events"),
                watch=listener,
            ),
        )
        return simulation_data(result, listener.postures, placing(robot, values))


def start_of(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given parts of the initial state other than q and qd, by name."""
    given: dict[str, Any] = item(payload, "start", dict, {})
    for name in given:
        if name not in PARTS:
            raise UnknownNameError("state variable", name, PARTS)
    return {name: row(given, name) for name in given}


def _stops(payload: Mapping[str, Any]) -> str | float | None:
    given = payload.get("stops")
    return given if given is None or isinstance(given, str) else number(payload, "stops", 0.0)


def _torques(robot: Robot, payload: Mapping[str, Any], values: Mapping[str, float]) -> Controller | Any:
    track = item(payload, "track", str, None)
    if track is None:
        return row(payload, "tau")
    from symoro.simulation.computed_torque import computed_torque

    gains = number(payload, "kp", 400.0), number(payload, "kd", 40.0)
    return computed_torque(robot, motion_of({"text": track}), kp=gains[0], kd=gains[1], values=values)


class _SampleReport:
    """Function that collects samples of a running simulation and sends them to the page in blocks.

    The rate of the blocks and the total number of samples are limited.
    """

    def __init__(
        self, robot: Robot, values: Mapping[str, float], work: Task, duration: float, step: float
    ) -> None:
        from symoro.simulation.options import MOST_SAMPLES  # simulations with more samples are rejected

        self.postures = Postures(robot, values)
        self._place = placing(robot, values)
        self._work = work
        rows = duration / step if step > 0 else 0.0
        self._every = stride(ceil(rows) + 1) if rows < MOST_SAMPLES else 1
        self._count, self._last = 0, time.monotonic()
        self._waiting: list[tuple[State, Array]] = []

    def __call__(self, state: State, tau: Array) -> None:
        if self._count % self._every == 0:
            self._waiting.append((state, tau))
        self._count += 1
        if self._waiting and time.monotonic() - self._last >= APART:
            self._send()

    def _send(self) -> None:
        piece = piece_of(self._waiting, self.postures, self._place)
        self._work.to(piece.times[-1], piece)
        self._waiting, self._last = [], time.monotonic()


BasePlace = Callable[[Mapping[str, "Array"]], list[float]]


def piece_of(samples: Sequence[tuple[State, Array]], postures: Postures, place: BasePlace | None) -> Piece:
    """Return samples of a running simulation for the page.

    Args:
        samples: states with their torques.
        postures: function from the coordinates to the positions of all joints.
        place: function that computes the pose of the base from the parts of the state; None if it is fixed.
    """
    import numpy as np

    states = [state for state, _ in samples]
    return Piece(
        times=[state.t for state in states],
        q=postures(np.array([state.parts["tree"] for state in states])).tolist(),
        tau=[tau.tolist() for _, tau in samples],
        base=None if place is None else [place(state.parts) for state in states],
        modes=[state.parts["e"].tolist() for state in states] if "e" in states[0].parts else None,
    )


def placing(robot: Robot, values: Mapping[str, float]) -> BasePlace | None:
    """Return a function that computes the pose of frame 0 in the world from the parts of the state.

    The pose is a 4x4 transform as 16 numbers by rows. The result is None if the base is fixed.

    Args:
        values: values of the robot's symbols.
    """
    from symoro.robot.description import BaseKind

    if robot.wheels:
        return partial(_rolled, location=_location(robot, values))
    return _floated if robot.base.kind == BaseKind.FLOATING else None


def _location(robot: Robot, values: Mapping[str, float]) -> Array:
    """Return the pose (4, 4) of frame 0 in the world that the robot's description contains.

    Args:
        values: values of the robot's symbols.
    """
    import numpy as np

    known = {**dict(robot.nominal), **values}
    return np.array([entry.value(known) for entry in robot.base.Z]).reshape(4, 4)


def _rolled(parts: Mapping[str, Array], location: Array) -> list[float]:
    """Return the transform of a wheeled base in the world, 16 numbers by rows.

    Args:
        parts: parts of the state by name; `pose` (x, y, heading) is relative to `location`.
        location: pose of frame 0 in the world that the robot's description contains (4, 4).
    """
    import numpy as np

    x, y, heading = map(float, parts["pose"])
    c, s = np.cos(heading), np.sin(heading)
    T = location @ np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    return [float(x) for x in T.ravel()]


def _floated(parts: Mapping[str, Array]) -> list[float]:
    import numpy as np

    from symoro.models.numeric.rotation import from_quaternion

    T = np.eye(4)
    T[:3, :3], T[:3, 3] = from_quaternion(parts["Q0"]), parts["P0"]
    return [float(x) for x in T.ravel()]


def simulation_data(result: Simulation, postures: Postures, place: BasePlace | None) -> SimulationAnswer:
    """Return the answer for a simulation.

    Args:
        postures: function from the coordinates to the positions of all joints.
        place: function that computes the pose of the base from the parts of the state; None if it is fixed.
    """
    rows = kept_rows(len(result.t))
    base = None
    if place is not None:
        base = [place({name: array[k] for name, array in result.parts.items()}) for k in rows]
    return SimulationAnswer(
        times=result.t[rows].tolist(),
        q=postures(result.q[rows]).tolist(),
        base=base,
        modes=result.parts["e"][rows].tolist() if "e" in result.parts else None,
        samples=len(result.t),
        frame=end_frame(result.robot),
        joints=list(result.coordinates),
        units=units_of(result.robot, result.coordinates),
        tau=result.tau[rows].tolist(),
        efforts=[result.robot.frame(j).limits.effort for j in result.coordinates],
        kinetic=None if result.E is None else result.E[rows].tolist(),
        potential=None if result.U is None else result.U[rows].tolist(),
        events=[EventData(time=e.time, joint=e.joint, what=e.what) for e in result.events[:MOST_EVENTS]],
        finished=result.finished,
        why=result.why,
        warnings=list(result.warnings),
    )
