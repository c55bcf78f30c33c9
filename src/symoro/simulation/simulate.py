"""Simulation of a robot under torques, prescribed joint motions, dry friction and joint stops.

SciPy's integrators evaluate the compiled models, with error control; `method="rk4"` runs the generated fixed-step
integrator in C instead (`fixed_step`). Events are located in `event_integrator`; friction and stops are in
`friction_and_stops`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.deprecation import takes_options
from symoro.errors import ArgumentError, NotApplicableError, OptionError, UnknownNameError
from symoro.robot.description import Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.formats import RobotLike, as_robot
from symoro.simulation.drives import Drives, GivenMotion, joint_motions
from symoro.simulation.event_integrator import EventIntegrator
from symoro.simulation.friction_and_stop_rows import ContactRows, without_friction
from symoro.simulation.friction_and_stops import ContactModes
from symoro.simulation.limits import WatchedLimits
from symoro.simulation.mechanics import Controller, Mechanics
from symoro.simulation.options import SimulationOptions, check_times, sample_times
from symoro.simulation.result import Simulation
from symoro.simulation.tolerances import CONTACT, POSITION_ERRORS
from symoro.trajectory.samples import Samples, even_times
from symoro.trajectory.splines import kinks
from symoro.trajectory.tolerances import SAME_STEP

Array = NDArray[np.float64]


@takes_options(SimulationOptions)
def simulate(
    robot: RobotLike,
    duration: float,
    *,
    q: ArrayLike | str,
    qd: ArrayLike | None = None,
    tau: Controller | ArrayLike | None = None,
    driven: Mapping[int | str, GivenMotion] | Samples | None = None,
    values: Mapping[str, float] | None = None,
    step: float = 0.01,
    stops: str | float | None = None,
    options: SimulationOptions | None = None,
) -> Simulation:
    """Integrate the motion of a robot from an initial state.

        symoro.simulate("cartpole", 2.0, q=[0, 0.1], tau=lambda t, state: [-5 * state.q[0], 0])

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        duration: seconds.
        q: initial joint positions (radians or metres): of all joints, or the name of a posture. For a robot with closed
            loops: positions of all joints near a closed configuration (or of the active joints), from which the loops
            are closed.
        qd: initial velocities of the coordinates (of the active joints if loops or wheels constrain the others); zero
            by default.
        tau: torques of the coordinates: numbers, or a controller `tau(t, state)`; zero by default.
        driven: joints that follow a prescribed motion t -> (q, qd, qdd), by number or name, or samples of all of them;
            their torques are computed. `q`, and `qd` if given, must equal the start of the motion. Samples that end
            before the duration must end at rest; the joints then stay there.
        values: numbers for symbols; by default the nominal values of the robot.
        step: seconds between the samples of the result. It is reduced if the duration is not a multiple of it
            (`warnings` then states the value). With rk4 it is also the step of the integrator.
        stops: what happens at the joint limits: None (nothing), "end" (the simulation ends), or a coefficient of
            restitution from 0 (the joint stays) to less than 1. Limits of passive, coupled and driven joints can only
            end a simulation; `warnings` lists them, and `events` contains the times at which they are passed.
        options: further options: integrator, tolerances, friction, events (`SimulationOptions`).

    Returns:
        The motion up to its end. `finished` is False and `why` contains the reason if it ended before the duration:
        interrupted (Ctrl-C), at a singular configuration, at a stop or limit, or where a prescribed motion is not
        finite.

    Raises:
        ArgumentError: numbers have a wrong shape or range, or torques are not finite (the message contains the time).
        OptionError: an option has a wrong value.
        UnknownNameError: `values` contains a name that is not a symbol of the robot.
    """
    chosen = options or SimulationOptions()
    described = as_robot(robot)
    numbers = {**dict(described.nominal), **(values or {})}
    check_times(duration, step)
    check_values(described, values or {})
    stops = _stops(described, stops)
    by_events = chosen.friction == "events" and chosen.method != "rk4"
    frictionless, friction = without_friction(described, numbers) if by_events else (described, [])
    mechanics = Mechanics(frictionless, numbers, chosen.inputs or {})
    start = chosen.start or {}
    y = mechanics.start({"q": _posture(described, q), "qd": qd, **start})
    motions = joint_motions(described, mechanics.coordinates, driven, duration)
    control = Drives(mechanics, tau, motions)
    control.check_start(y, speeds=qd is not None or "qd" in start)
    y = mechanics.projected(control.moved(0.0, y)[0])
    if chosen.method == "rk4":
        from symoro.simulation.fixed_step import run_fixed

        events = (stops, chosen.until, chosen.times, chosen.record)
        if motions or any(item is not None for item in events):
            raise OptionError(
                "driven joints, stops, 'until', 'times' and 'record' need one of SciPy's methods, not rk4"
            )
        fixed = run_fixed(mechanics, control.torques, control.constant, y, duration, step, chosen.watch)
        return _stepped(fixed, duration, step)
    followed = frozenset(motions)
    rows = ContactRows(
        mechanics, friction, None if stops is None else _stop_limits(described, mechanics, followed), followed
    )
    rows.check_start(y)
    y = rows.clipped(0.0, y, CONTACT)
    modes = ContactModes(mechanics, rows, chosen.static, stops if isinstance(stops, float) else 0.0, followed)
    limits = None
    if stops is not None:
        limits = WatchedLimits(mechanics, followed, ends=stops == "end")
        limits.check_start(y)
    breaks = kinks(driven.curve) if isinstance(driven, Samples) else ()
    grid = sample_times(duration, step, chosen.times)
    grid, reason = (grid, "") if isinstance(driven, Samples) else control.finite_times(grid)
    run = EventIntegrator(
        mechanics,
        control,
        modes,
        limits,
        grid,
        breaks,
        POSITION_ERRORS * (chosen.rtol + chosen.atol),
        ends=stops == "end",
        until=chosen.until,
        watch=chosen.watch,
        record=chosen.record,
    )
    settings = {
        "rtol": chosen.rtol,
        "atol": chosen.atol * mechanics.units,
        "max_step": chosen.max_step,
    }
    result = run.result(_integrator(chosen.method), settings, y)
    result = replace(result, finished=False, why=reason) if reason and result.finished else result
    return result if chosen.times is not None else _stepped(result, duration, step)


def _stepped(simulation: Simulation, duration: float, step: float) -> Simulation:
    """Return the simulation, with an additional warning if the time between its samples differs from `step`.

    Args:
        duration: duration of the simulation in seconds.
        step: requested time between samples in seconds.
    """
    taken = even_times(duration, step)[1]
    if abs(taken / step - 1) <= SAME_STEP:
        return simulation
    warning = f"samples are {taken:.6g} s apart, not {step:g} s, so that the last is at {duration:g} s"
    return replace(simulation, warnings=(*simulation.warnings, warning))


def _integrator(method: str) -> Any:
    from scipy import integrate

    return getattr(integrate, method)


def _posture(robot: Robot, q: ArrayLike | str) -> ArrayLike:
    return robot.postures[q] if isinstance(q, str) else q


def check_values(robot: Robot, values: Mapping[str, float]) -> None:
    """Reject values that are not finite, and values for names that are not symbols of the robot."""
    known = robot.symbols()
    for name, value in values.items():
        if name not in known:
            raise UnknownNameError(f"symbol of robot '{robot.name}'", name, known)
        if not np.isfinite(value):
            raise ArgumentError(f"value of {name}: expected a finite number, got {value}")


def _stops(robot: Robot, stops: Any) -> str | float | None:
    """Check and return the option `stops`: None, "end", or the coefficient of restitution as a float."""
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


def _stop_limits(robot: Robot, mechanics: Mechanics, driven: frozenset[int]) -> tuple[Array, Array]:
    """Return the lower and upper stop of each coordinate; infinite for driven joints and joints without limits.

    Args:
        driven: indices of the coordinates with prescribed motion.
    """
    limits = [robot.frame(j).limits for j in mechanics.coordinates]
    lower = [-np.inf if k in driven or x.lower is None else x.lower for k, x in enumerate(limits)]
    upper = [np.inf if k in driven or x.upper is None else x.upper for k, x in enumerate(limits)]
    return np.array(lower, dtype=float), np.array(upper, dtype=float)
