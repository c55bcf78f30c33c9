"""`Tracker`: one posture per control cycle for a stream of poses, within joint limits and joint speeds.

    tracker = Tracker(solver, q)        # a solver from `symoro.branch_solver`
    step = tracker.step(T, dt)          # step.q, step.state

The same C code is emitted by `Model.code("c", branches=True)`. Each cycle continues the followed solution by damped
least squares from the last one. If that fails, all branches are enumerated and the nearest is taken; a joint motion of
more than `jump` is a change of branch.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.emit.branches import JUMP, SAMPLES, STATES
from symoro.errors import ArgumentError
from symoro.runtime.branches import BranchSolver

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TrackerStep:
    """Result of one control cycle.

    Attributes:
        q: joint positions to command (n,).
        state: 'ok', 'limited' (a joint speed delays the motion), 'held' (unchanged: the pose has no solution within the
            limits, or only one of another branch) or 'jumped' (the goal changed to another branch).
        residual: largest entry of direct geometry at q minus the pose, lengths divided by the robot's size; nan if the
            pose is not finite.
    """

    q: Array
    state: str
    residual: float


class Tracker:
    """Solver for control loops: one posture per cycle for a stream of poses.

    Args:
        solver: solver of the robot, from `symoro.branch_solver`.
        q: posture (n,) at the start.
        speed: largest speed of all joints, or of each joint (rad/s or m/s); by default that of the robot.
        jump: joint motion between two cycles (rad or m) above which the solution belongs to another branch.
        allow_jump: change to another branch if the followed one ends; otherwise the posture is held.
        samples: number of values of the free parameter if the followed branch ends.

    Raises:
        ArgumentError: an argument has a wrong shape or value.
        MissingDependencyError: there is no C compiler.
    """

    def __init__(
        self,
        solver: BranchSolver,
        q: ArrayLike,
        *,
        speed: ArrayLike | None = None,
        jump: float = JUMP,
        allow_jump: bool = False,
        samples: int = SAMPLES,
    ) -> None:
        start = solver.posture(q)[0]
        n = len(start)
        if not 0 < jump < np.inf:
            raise ArgumentError(f"jump = {jump!r}: expected a positive number (rad or m)")
        if samples < 1:
            raise ArgumentError(f"samples = {samples!r}: expected a whole number, at least 1")
        self._library = solver.library
        self._state = _tracker_type(n)()
        self._address = ctypes.addressof(self._state)
        self._library.start(self._address, start.ctypes.data)
        self._state.jump, self._state.allow_jump, self._state.samples = jump, int(allow_jump), samples
        if speed is not None:
            speeds = np.broadcast_to(np.asarray(speed, dtype=float), (n,))
            if not (speeds > 0).all():
                raise ArgumentError("speed: expected positive numbers (rad/s or m/s), one or one per joint")
            self._state.speed[:] = speeds.tolist()

    @property
    def q(self) -> Array:
        """The commanded joint positions."""
        return np.array(self._state.q)

    @property
    def goal(self) -> Array:
        """The solution that is followed; it differs from `q` while a joint speed delays the motion."""
        return np.array(self._state.goal)

    def step(self, T: ArrayLike, dt: float) -> TrackerStep:
        """Return the joint positions of the next control cycle.

        Args:
            T: homogeneous transform (4, 4) that the frame shall reach.
            dt: time since the last cycle (s).

        Raises:
            ArgumentError: T is not one pose, or dt is negative.
        """
        pose = np.ascontiguousarray(T, dtype=float)
        if pose.shape != (4, 4):
            raise ArgumentError(f"T has shape {pose.shape}, expected (4, 4)")
        if not dt >= 0:
            raise ArgumentError(f"dt = {dt!r}: expected a time in seconds, not negative")
        state = self._library.track(self._address, pose.ctypes.data, dt)
        return TrackerStep(self.q, STATES[state], self._state.residual)


def _tracker_type(n: int) -> Any:
    """Return the C structure NAME_tracker for n joints."""
    numbers = ctypes.c_double * n
    fields: Sequence[tuple[str, Any]] = (
        ("q", numbers),
        ("goal", numbers),
        ("speed", numbers),
        ("jump", ctypes.c_double),
        ("residual", ctypes.c_double),
        ("samples", ctypes.c_size_t),
        ("allow_jump", ctypes.c_int),
    )
    return type("NativeTracker", (ctypes.Structure,), {"_fields_": fields})
