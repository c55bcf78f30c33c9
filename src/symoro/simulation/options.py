"""Options of `simulate`: frozen data, checked when they are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError, OptionError
from symoro.simulation.mechanics import State, Watch
from symoro.simulation.result import Recording
from symoro.trajectory.samples import even_times

METHODS = ("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA", "rk4")
MOST_SAMPLES = 5_000_000
LEAST_RTOL = 100 * float(np.finfo(float).eps)  # the smallest value that SciPy accepts


@dataclass(frozen=True, kw_only=True, eq=False)
class SimulationOptions:
    """Options of `symoro.simulate` beyond its keywords.

        symoro.simulate(robot, 2.0, q="home", options=symoro.SimulationOptions(method="Radau", rtol=1e-6))

    Attributes:
        start: other parts of the initial state by name: e, ed (flexible modes), P0, Q0, V0 (floating base), pose (x, y,
            heading of a wheeled robot).
        inputs: other inputs of the direct dynamic model by name, constant: wrench, V0 and Vd0 of a base with prescribed
            motion. If no wrench is given, the values of its symbols are used.
        times: times of the samples in seconds, ascending from 0 to the duration, instead of `step`; not available
            with rk4.
        method: integrator: DOP853, RK45, RK23, Radau, BDF, LSODA (SciPy), or rk4 (generated C code, fixed step).
        rtol, atol: relative and absolute tolerance of SciPy's integrators; `atol` is in radians for angles, and for
            lengths a fraction of the robot's largest length.
        max_step: largest step of SciPy's integrators in seconds.
        friction: treatment of Coulomb friction: "events" (stick and slip, located as events) or "sign" (FS sign(qd) as
            in the models; the integrator takes small steps where a joint is at rest).
        static: static friction torque as a multiple of FS, at least 1.
        until: function of time and state; the simulation ends when its value changes from positive to negative.
        watch: function that is called with each sample and its torques; if it raises an exception, the simulation ends.
        record: `Recording` that receives the motion between the samples; not available with rk4.

    Raises:
        ArgumentError: a number is out of range.
        OptionError: the method or the treatment of friction does not exist.
    """

    start: Mapping[str, ArrayLike] | None = None
    inputs: Mapping[str, ArrayLike] | None = None
    times: ArrayLike | None = None
    method: str = "DOP853"
    rtol: float = 1e-9
    atol: float = 1e-9
    max_step: float = np.inf
    friction: str = "events"
    static: float = 1.0
    until: Callable[[float, State], float] | None = None
    watch: Watch | None = None
    record: Recording | None = None

    def __post_init__(self) -> None:
        for name in ("rtol", "atol", "max_step"):
            value = getattr(self, name)
            if not value > 0 or (name != "max_step" and not np.isfinite(value)):
                raise ArgumentError(f"{name} = {value}: expected a positive number")
        if self.method not in METHODS:
            raise OptionError(
                f"no method called '{self.method}'", hint=f"available methods: {', '.join(METHODS)}"
            )
        if self.method != "rk4" and self.rtol < LEAST_RTOL:
            raise ArgumentError(
                f"rtol = {self.rtol:g}: expected at least {LEAST_RTOL:.3g}, a hundred times the round-off"
            )
        if self.friction not in ("events", "sign"):
            raise OptionError(f"friction = '{self.friction}': expected 'events' or 'sign'")
        if not 1 <= self.static < np.inf:
            raise ArgumentError(f"static = {self.static}: expected at least 1")


def check_times(duration: float, step: float) -> None:
    """Reject a duration or a step that is not positive, and too many samples.

    Raises:
        ArgumentError: a value is out of range.
    """
    for name, value in (("duration", duration), ("step", step)):
        if not (value > 0 and np.isfinite(value)):
            raise ArgumentError(f"{name} = {value}: expected a positive number")
    if duration / step > MOST_SAMPLES:
        raise ArgumentError(f"{duration:g} s in steps of {step:g} s are more than {MOST_SAMPLES} samples")


def sample_times(duration: float, step: float, times: ArrayLike | None) -> NDArray[np.float64]:
    """Return the times of the samples in seconds.

    Args:
        duration: duration of the simulation.
        step: largest time between samples, if `times` is None.
        times: times given by the user, or None.
    """
    if times is None:
        return even_times(duration, step)
    grid = np.asarray(times, dtype=float)
    if (
        grid.ndim != 1
        or len(grid) < 2
        or grid[0] != 0
        or grid[-1] != duration
        or not (np.diff(grid) > 0).all()
    ):
        raise ArgumentError(f"times: expected values that ascend from 0 to the duration, {duration:g} s")
    return grid
