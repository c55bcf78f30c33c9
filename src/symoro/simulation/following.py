"""Simulation of a robot whose driven joints follow a trajectory.

The other coordinates are simulated: a floating or wheeled base, elastic joints (springs) and flexible modes. The
samples are at the times of the trajectory. Springs and modes start in equilibrium: for the given driven joints and
base, the accelerations of elastic joints and modes are zero. The equilibrium is computed by Newton's method with finite
differences.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError
from symoro.robot.description import Robot
from symoro.robot.size import joint_units
from symoro.simulation.mechanics import Mechanics
from symoro.simulation.options import SimulationOptions
from symoro.simulation.result import Recording, Simulation
from symoro.simulation.simulate import simulate
from symoro.simulation.tolerances import DIFFERENCE, GIVEN_POSITION, NEWTON_MISS, NEWTON_RANK, NEWTON_STEP
from symoro.trajectory.samples import Samples
from symoro.trajectory.sampling import default_posture

Array = NDArray[np.float64]

NEWTON_STEPS = 50


def at_equilibrium(mechanics: Mechanics, y: Array, given: Container[str]) -> Array:
    """Return the state at rest in which springs and flexible modes are in equilibrium.

    The positions of other joints and of the base are unchanged.

    Args:
        mechanics: equations of motion of the robot.
        y: initial state, in which the positions of elastic joints and modes are replaced.
        given: names of the parts of the state that the user gives and that are not replaced: "q" (elastic joints), "e"
            (modes).

    Raises:
        ArgumentError: there is no equilibrium near the rest positions of the springs.
    """
    parts = mechanics.parts
    springs = [] if "q" in given else mechanics.springs
    modes = "e" in parts and "e" not in given
    places = [parts["q"].start + mechanics.at[k] for k in springs]
    places += range(parts["e"].start, parts["e"].stop) if modes else ()
    if not places:
        return y
    y = y.copy()
    for name in ("qd", "ed", "V0"):
        if name in parts:
            y[parts[name]] = 0.0
    values = {**dict(mechanics.robot.nominal), **mechanics.values}
    rest = [mechanics.robot.frame(mechanics.coordinates[k]).rest.value(values) for k in springs]
    y[places] = [*rest, *np.zeros(len(places) - len(rest))]
    rates = [parts["qd"].start + k for k in springs]
    rates += range(parts["ed"].start, parts["ed"].stop) if modes else ()
    units = mechanics.units[places]
    accelerations = _accelerations(mechanics, y, places, rates)
    equilibrium = _zero(lambda u: accelerations(u * units) / units, y[places] / units, mechanics.robot.name)
    y[places] = equilibrium * units
    return y


def _accelerations(
    mechanics: Mechanics, y: Array, places: list[int], rates: list[int]
) -> Callable[[Array], Array]:
    n = len(mechanics.coordinates)
    known = {k: 0.0 for k in range(n) if mechanics.parts["qd"].start + k not in rates}

    def accelerations(u: Array) -> Array:
        here = y.copy()
        here[places] = u
        x = mechanics.free_dynamics(here, np.zeros(n), np.zeros(n), known).accelerations()
        return np.asarray(mechanics.rates(here, x)[rates])

    return accelerations


def _zero(function: Callable[[Array], Array], u: Array, name: str) -> Array:
    for _ in range(NEWTON_STEPS):
        value = function(u)
        slopes = np.empty((len(u), len(u)))
        for k in range(len(u)):
            step = np.zeros(len(u))
            step[k] = DIFFERENCE
            slopes[:, k] = (function(u + step) - function(u - step)) / (2 * DIFFERENCE)
        if not np.isfinite(slopes).all() or not np.isfinite(value).all():
            break
        move = np.linalg.lstsq(slopes, -value, rcond=NEWTON_RANK)[0]
        if np.abs(slopes @ move + value).max() > NEWTON_MISS * (1 + np.abs(value).max()):
            break
        u = u + move
        if np.abs(move).max() < NEWTON_STEP * (1 + np.abs(u).max()):
            return u
    raise ArgumentError(
        f"the springs and modes of robot '{name}' have no equilibrium near their rest positions",
        hint="give their initial positions: start={'q': ..., 'e': ...}",
    )


def followed_motion(
    robot: Robot,
    samples: Samples,
    values: Mapping[str, float],
    start: Mapping[str, ArrayLike],
    inputs: Mapping[str, ArrayLike],
    method: str,
    tolerance: float,
    record: Recording | None = None,
) -> Simulation:
    """Simulate a robot whose driven joints follow samples; return the motion and the torques of these joints.

    Args:
        samples: prescribed motion of the driven joints.
        values: numbers for symbols.
        start: parts of the initial state by name. Elastic joints (in q) and modes (e) that are not given start in
            equilibrium.
        inputs: other inputs of the direct dynamic model by name; they are constant.
        method: SciPy integrator.
        tolerance: relative and absolute tolerance of the integrator.
        record: receives the motion between samples, with times in seconds from the first sample.

    Raises:
        ArgumentError: the motion cannot be followed to its end.
    """
    if len(samples.t) < 2:
        raise ArgumentError("the trajectory must have more than one sample")
    own = {name: value for name, value in values.items() if name in robot.symbols()}
    moved = replace(samples, t=samples.t - samples.t[0])
    posture, rest = _begin(Mechanics(robot, own, inputs), moved, values, start)
    simulation = simulate(
        robot,
        float(moved.t[-1]),
        q=posture,
        driven=moved,
        values=own,
        options=SimulationOptions(
            start=rest,
            inputs=inputs,
            times=moved.t,
            method=method,
            rtol=tolerance,
            atol=tolerance,
            record=record,
        ),
    )
    if simulation.why == "interrupted":
        raise KeyboardInterrupt
    if not simulation.finished:
        raise ArgumentError(f"the motion cannot be followed to its end: {simulation.why}")
    return replace(simulation, t=samples.t)


def _begin(
    mechanics: Mechanics, samples: Samples, values: Mapping[str, float], start: Mapping[str, ArrayLike]
) -> tuple[Array, dict[str, ArrayLike]]:
    """Return the initial positions of all joints, and the other parts of the initial state by name.

    Args:
        samples: prescribed motion of the driven joints.
        values: numbers for symbols.
        start: parts of the initial state that the user gives.
    """
    near = default_posture(mechanics.robot, values) if samples.tree is None else samples.tree[0]
    posture = np.array(start.get("q", near), dtype=float)
    if posture.shape == (len(mechanics.joints),):
        led = [mechanics.joints.index(j) for j in samples.joints]
        off = np.abs(posture[led] - samples.q[0])
        units = joint_units(mechanics.robot, samples.joints, mechanics.length)
        if "q" in start and not (off <= GIVEN_POSITION * np.maximum(units, np.abs(samples.q[0]))).all():
            j = samples.joints[int(np.argmax(off))]
            raise ArgumentError(
                f"joint {j} starts at {posture[mechanics.joints.index(j)]:g}, but its trajectory starts at "
                f"{samples.q[0][int(np.argmax(off))]:g}",
                hint="leave out q, or give the driven joints the first positions of the trajectory",
            )
        posture[led] = samples.q[0]
    y = mechanics.start({**start, "q": posture})
    parts = mechanics.split(at_equilibrium(mechanics, y, given=start))
    rest: dict[str, ArrayLike] = {"e": parts["e"]} if "e" in parts else {}
    return parts["q"], rest | {name: value for name, value in start.items() if name != "q"}
