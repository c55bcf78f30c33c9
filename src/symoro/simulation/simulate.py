"""Simulation: the state of a robot integrated over time under torques, motions that joints follow, friction and stops.

SciPy's integrators run on the compiled models, with error control; `method="rk4"` runs the generated fixed-step
integrator in C instead (`fixed_step`). What happens in the course of time is in `course`, friction and stops in
`switching`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError, NotApplicableError, OptionError, UnknownNameError
from symoro.robot.description import Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.formats import RobotLike, as_robot
from symoro.simulation.drives import Drives, GivenMotion, joint_motions
from symoro.simulation.event_integrator import EventIntegrator
from symoro.simulation.friction_and_stop_rows import ContactRows, without_friction
from symoro.simulation.friction_and_stops import ContactModes
from symoro.simulation.limits import WatchedLimits
from symoro.simulation.mechanics import Controller, Mechanics, State, Watch
from symoro.simulation.result import Recording, Simulation
from symoro.simulation.tolerances import CONTACT, POSITION_ERRORS
from symoro.trajectory.samples import Samples
from symoro.trajectory.splines import kinks

Array = NDArray[np.float64]

METHODS = ("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA", "rk4")
MOST_SAMPLES = 5_000_000
LEAST_RTOL = 100 * float(np.finfo(float).eps)  # SciPy takes no less
SAME_STEP = 1e-9  # of a step


def simulate(
    robot: RobotLike,
    duration: float,
    *,
    q: ArrayLike | str,
    qd: ArrayLike | None = None,
    tau: Controller | ArrayLike | None = None,
    driven: Mapping[int | str, GivenMotion] | Samples | None = None,
    start: Mapping[str, ArrayLike] | None = None,
    values: Mapping[str, float] | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
    step: float = 0.01,
    times: ArrayLike | None = None,
    method: str = "DOP853",
    rtol: float = 1e-9,
    atol: float = 1e-9,
    max_step: float = np.inf,
    friction: str = "events",
    static: float = 1.0,
    stops: str | float | None = None,
    until: Callable[[float, State], float] | None = None,
    watch: Watch | None = None,
    record: Recording | None = None,
) -> Simulation:
    """The motion of a robot from a state.

    Arguments:
        duration: seconds.
        q: joints at the start, all of them or the name of a posture; of a robot with closed loops all joints near a
            closed posture (or the active ones), and the loops are closed from there.
        qd: velocities of the coordinates (the active joints, where loops or wheels tie the others); zero unless given.
        tau: torques of the coordinates: numbers, or a controller `tau(t, state)`; zero unless given.
        driven: joints that follow a motion t -> (q, qd, qdd), by number or name, or as samples; their torques are
            found. They start as the motion does: q, and qd where it is given, must say the same. Samples that end
            before the duration do so at rest, and stay there.
        start: other parts of the state: e, ed (modes), P0, Q0, V0 (a floating base), pose (x, y, heading, on wheels).
        values: numbers for symbols; the robot's nominal values serve where none is given.
        inputs: other inputs of the direct dynamic model, constant: wrench, V0 and Vd0 of a base that moves as given.
            Where no wrench is given, the values of its symbols are taken.
        step: seconds between the samples of the result, or less, so that the last is at the end (`warnings` then states
            how many); with rk4 also the step of the integrator.
        times: the moments of the samples instead, ascending from 0 to the duration; not with rk4.
        method: DOP853, RK45, RK23, Radau, BDF, LSODA (SciPy's), or rk4 (the generated fixed-step integrator).
        rtol, atol: tolerances of SciPy's integrators; atol in radians, and in shares of the robot's largest length.
        friction: "events" (stick and slip by events), or "sign" (FS sign(qd) as the models have it, which makes small
            steps wherever a joint is at rest).
        static: break-away torque as a multiple of FS, at least 1.
        stops: what happens at the joints' limits: None (nothing), "end" (the simulation ends), or a coefficient of
            restitution, 0 (it stays) to less than 1. Limits of passive, coupled and driven joints end a simulation
            too, and hold nothing else: `warnings` lists them, and `events` when they are passed.
        until: the simulation ends where this function of time and state passes from positive to negative.
        watch: is told each sample as it comes, with its torques; what it raises ends the simulation.
        record: is filled with what lies between the samples; not with rk4.

    Returns:
        The motion up to its end; `finished` and `why` tell where it ended before its time: interrupted (Ctrl-C), at a
        singular posture, at a stop or limit, where a motion that a joint follows is no longer finite.

    Raises:
        ArgumentError: numbers that do not fit, torques that are not finite; with the time.
        UnknownNameError: a value for what is no symbol of the robot.
    """
    asked = as_robot(robot)
    numbers = {**dict(asked.nominal), **(values or {})}
    _check(duration, step, method, rtol, atol, friction, static, max_step)
    _check_values(asked, values or {})
    stops = _stops(asked, stops)
    strip = friction == "events" and method != "rk4"
    bare, rub = without_friction(asked, numbers) if strip else (asked, {})
    mechanics = Mechanics(bare, numbers, inputs or {})
    y = mechanics.start({"q": _posture(asked, q), "qd": qd, **(start or {})})
    motions = joint_motions(asked, mechanics.coordinates, driven, duration)
    control = Drives(mechanics, tau, motions)
    control.check_start(y, speeds=qd is not None or "qd" in (start or {}))
    y = mechanics.projected(control.moved(0.0, y)[0])
    if method == "rk4":
        from symoro.simulation.fixed_step import run_fixed

        if motions or stops is not None or until is not None or times is not None or record is not None:
            raise OptionError(
                "driven joints, stops, 'until', 'times' and 'record' need one of SciPy's methods, not rk4"
            )
        fixed = run_fixed(mechanics, control.torques, control.constant, y, duration, step, watch)
        return _stepped(fixed, duration, step)
    followed = frozenset(motions)
    rows = ContactRows(
        mechanics, rub, None if stops is None else _stop_limits(asked, mechanics, followed), followed
    )
    rows.check_start(y)
    y = rows.clipped(0.0, y, CONTACT)
    modes = ContactModes(mechanics, rows, static, stops if isinstance(stops, float) else 0.0, followed)
    limits = None
    if stops is not None:
        limits = WatchedLimits(mechanics, followed, ends=stops == "end")
        limits.check_start(y)
    breaks = kinks(driven.curve) if isinstance(driven, Samples) else ()
    grid = _grid(duration, step, times)
    grid, untold = (grid, "") if isinstance(driven, Samples) else control.told(grid)
    run = EventIntegrator(
        mechanics,
        control,
        modes,
        limits,
        grid,
        breaks,
        POSITION_ERRORS * (rtol + atol),
        ends=stops == "end",
        until=until,
        watch=watch,
        record=record,
    )
    tolerances = {"rtol": rtol, "atol": atol * mechanics.units}
    found = run.result(_integrator(method), {**tolerances, "max_step": max_step}, y)
    found = replace(found, finished=False, why=untold) if untold and found.finished else found
    return found if times is not None else _stepped(found, duration, step)


def _stepped(found: Simulation, duration: float, step: float) -> Simulation:
    """The simulation, with a word where its samples are not a step apart."""
    taken = duration / max(1, int(np.ceil(duration / step - 1e-9)))
    if abs(taken / step - 1) <= SAME_STEP:
        return found
    told = f"samples are {taken:.6g} s apart, not {step:g} s, so that the last is at {duration:g} s"
    return replace(found, warnings=(*found.warnings, told))


def _integrator(method: str) -> Any:
    from scipy import integrate

    return getattr(integrate, method)


def _grid(duration: float, step: float, times: ArrayLike | None) -> Array:
    """The moments of the samples."""
    if times is None:
        return np.linspace(0.0, duration, max(1, int(np.ceil(duration / step - 1e-9))) + 1)
    grid = np.asarray(times, dtype=float)
    if (
        grid.ndim != 1
        or len(grid) < 2
        or grid[0] != 0
        or grid[-1] != duration
        or not (np.diff(grid) > 0).all()
    ):
        raise ArgumentError(f"times: expected moments that ascend from 0 to the duration, {duration:g} s")
    return grid


def _posture(robot: Robot, q: ArrayLike | str) -> ArrayLike:
    return robot.postures[q] if isinstance(q, str) else q


def _check_values(robot: Robot, values: Mapping[str, float]) -> None:
    """Raise at a value for what is no symbol: it would change nothing."""
    known = robot.symbols()
    for name in values:
        if name not in known:
            raise UnknownNameError(f"symbol of robot '{robot.name}'", name, known)


def _stops(robot: Robot, stops: Any) -> str | float | None:
    """What happens at stops: None, "end", or a number of whatever type it comes in."""
    if stops is None:
        return None
    if flexible_links(robot):
        raise NotApplicableError(f"robot '{robot.name}' has flexible links, for which stops are not modelled")
    if isinstance(stops, str):
        if stops != "end":
            raise OptionError(f"stops = '{stops}': expected 'end', or a coefficient of restitution")
        return stops
    try:
        value = np.asarray(stops)
        bounce = np.nan if value.ndim or value.dtype == bool else float(value)
    except (TypeError, ValueError):
        bounce = np.nan
    if not 0 <= bounce < 1:
        raise ArgumentError(
            f"stops = {stops}: expected 'end', or a coefficient of restitution, at least 0, and less than 1"
        )
    return bounce


def _check(
    duration: float,
    step: float,
    method: str,
    rtol: float,
    atol: float,
    friction: str,
    static: float,
    max_step: float,
) -> None:
    positive = {"duration": duration, "step": step, "rtol": rtol, "atol": atol, "max_step": max_step}
    for name, value in positive.items():
        if not value > 0 or (name != "max_step" and not np.isfinite(value)):
            raise ArgumentError(f"{name} = {value}: expected a positive number")
    if method != "rk4" and rtol < LEAST_RTOL:
        raise ArgumentError(f"rtol = {rtol:g}: expected at least {LEAST_RTOL:.3g}, where round-off begins")
    if duration / step > MOST_SAMPLES:
        raise ArgumentError(f"{duration:g} s in steps of {step:g} s are more than {MOST_SAMPLES} samples")
    if method not in METHODS:
        raise OptionError(f"no method called '{method}'", hint=f"known: {', '.join(METHODS)}")
    if friction not in ("events", "sign"):
        raise OptionError(f"friction = '{friction}': expected 'events' or 'sign'")
    if not 1 <= static < np.inf:
        raise ArgumentError(f"static = {static}: expected at least 1")


def _stop_limits(robot: Robot, mechanics: Mechanics, driven: frozenset[int]) -> tuple[Array, Array]:
    """Return the lower and upper stops of the coordinates that follow no motion, infinite where there is none."""
    limits = [robot.frame(j).limits for j in mechanics.coordinates]
    lower = [-np.inf if k in driven or x.lower is None else x.lower for k, x in enumerate(limits)]
    upper = [np.inf if k in driven or x.upper is None else x.upper for k, x in enumerate(limits)]
    return np.array(lower, dtype=float), np.array(upper, dtype=float)
