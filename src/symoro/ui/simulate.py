"""Run `symoro simulate`: read initial state and torques, simulate, print the motion as table, CSV, JSON or chart."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symoro.deprecation import FORMER_WARNINGS_KEY
from symoro.errors import OptionError
from symoro.expr.parser import NAME, reserved
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.simulation.computed_torque import computed_torque
from symoro.simulation.mechanics import Controller
from symoro.simulation.options import SimulationOptions
from symoro.simulation.result import JOINT_COLUMNS, Simulation
from symoro.simulation.simulate import simulate
from symoro.trajectory.files import load_trajectory
from symoro.trajectory.samples import Samples
from symoro.trajectory.sampling import sampled
from symoro.ui import present
from symoro.ui.failure import INTERRUPTED
from symoro.ui.outputs import deliver
from symoro.ui.torques import STATE, page_motion, write_results
from symoro.ui.values import binding, numbers, posture_named

INPUTS = ("wrench", "Vd0")
GAINS = "400,40"


def show_simulation(robot: Robot, options: argparse.Namespace) -> int:
    """Simulate a motion, print and write it, and return the exit code (130 if it was interrupted)."""
    given, values = state_and_symbols(robot, options.values)
    if options.track is not None and not {"q", "qd"} & given.keys():
        given |= _start_of_track(robot, options.track, values)
    _check_start(robot, given)
    result = simulate(
        robot,
        options.duration,
        q=given.pop("q", np.zeros(0)),
        qd=given.pop("qd", None),
        tau=_torques(robot, given.pop("tau", None), options, values),
        driven=_driven(robot, options, values),
        values=values,
        step=options.step,
        stops=_stops(options.stops),
        options=SimulationOptions(
            inputs={name: given.pop(name) for name in INPUTS if name in given},
            start=given,
            method=options.method,
            rtol=options.rtol,
            atol=options.atol,
            friction=options.friction,
            static=options.static,
        ),
    )

    def show() -> None:
        if options.csv:
            sys.stdout.write(result.csv())
        else:
            _table(result)

    def write() -> list[str]:
        return _written(result, options)

    code = deliver(options, lambda: simulation_data(result), show, write, "files" if options.output else None)
    return INTERRUPTED if result.why == "interrupted" else code


def state_and_symbols(robot: Robot, words: list[str]) -> tuple[dict[str, Any], dict[str, float]]:
    """Split the arguments NAME=VALUE into values of state variables and inputs, and numbers for symbols.

    Args:
        words: arguments of the command line.

    Returns:
        The values by name of the state variable or input, and the numbers by symbol name.
    """
    given: dict[str, Any] = {}
    values: dict[str, float] = {}
    for item in words:
        name, text = binding(item)
        if name in given or name in values:
            raise OptionError(f"'{name}' is given twice")
        if name == "q" and NAME.match(text) and not reserved(text):
            given[name] = posture_named(robot, text)
            continue
        number = numbers(name, text)
        if name in (*STATE, *INPUTS, "tau"):
            given[name] = np.atleast_1d(number)
        elif isinstance(number, list):
            raise OptionError(f"'{name}' is not a state variable or input, and a symbol takes one number")
        else:
            values[name] = number
    return given, values


def _start_of_track(robot: Robot, file: str, values: Mapping[str, float]) -> dict[str, Any]:
    """Return position and velocity at the start of a trajectory, of all joints of the tree if there are loops."""
    path = _samples(robot, file, values)
    return {"q": path.q[0] if path.tree is None else path.tree[0], "qd": path.qd[0]}


def _check_start(robot: Robot, given: Mapping[str, Any]) -> None:
    """Check that the initial position is given."""
    if "q" not in given:
        count = len(independent(robot))
        raise OptionError(
            f"the initial position is missing: give q=... ({count} number{'s' if count > 1 else ''})",
            hint=_start_hint(robot, count),
        )


def _start_hint(robot: Robot, count: int) -> str:
    example = ",".join(["0.1"] * count)
    named = f", or q={next(iter(robot.postures))}, a posture of the robot" if robot.postures else ""
    return f"for example q={example}{named}"


def _torques(
    robot: Robot, tau: Any, options: argparse.Namespace, values: Mapping[str, float]
) -> Controller | Any:
    if options.track is None:
        if options.gains is not None:
            raise OptionError("--gains applies to computed-torque control, which requires --track")
        return tau
    if tau is not None:
        raise OptionError(
            "tau and --track exclude each other: the torques are either given or computed by the controller"
        )
    gains = np.atleast_1d(numbers("gains", options.gains or GAINS))
    if gains.shape != (2,):
        raise OptionError(f"--gains {options.gains}: expected two numbers, KP,KD")
    path = load_trajectory(options.track)
    return computed_torque(robot, path, kp=gains[0], kd=gains[1], values=dict(values))


def _driven(robot: Robot, options: argparse.Namespace, values: Mapping[str, float]) -> Samples | None:
    return None if options.driven is None else _samples(robot, options.driven, values)


def _samples(robot: Robot, file: str, values: Mapping[str, float]) -> Samples:
    path = load_trajectory(file)
    return path if isinstance(path, Samples) else sampled(robot, path, values=dict(values))


def _stops(text: str | None) -> str | float | None:
    if text is None or text == "end":
        return text
    value = numbers("stops", text)
    if isinstance(value, list):
        raise OptionError(f"--stops {text}: expected 'end' or one number")
    return float(value)


def _written(result: Simulation, options: argparse.Namespace) -> list[str]:
    from symoro.ui.charts import simulation_chart

    writers: dict[str, Callable[[], str | bytes]] = {
        ".csv": result.csv,
        ".svg": lambda: simulation_chart(result),
        ".parquet": result.parquet,
        ".json": lambda: page_motion(result.t, result.q, None),
    }
    return write_results(options.output, writers, options.force)


def simulation_data(result: Simulation) -> dict[str, Any]:
    """Return a summary of a simulation for JSON: reason of the end, final state, energy and events."""
    energy = result.energy
    return {
        "robot": result.robot.name,
        "finished": result.finished,
        "why": result.why,
        "warnings": list(result.warnings),
        FORMER_WARNINGS_KEY: list(result.warnings),
        "samples": len(result.t),
        "t": float(result.t[-1]) if len(result.t) else 0.0,
        "end": {name: float(column[-1]) for name, column in result.columns.items() if len(column)},
        "energy": None if energy is None else {"start": float(energy[0]), "end": float(energy[-1])},
        "events": [{"time": e.time, "joint": e.joint, "what": e.what} for e in result.events],
    }


def _table(result: Simulation) -> None:
    present.table(JOINT_COLUMNS, result.joint_rows, result.title)
    for line in result.remarks:
        print(line)
