"""The command `simulate`: a start and torques from words, the motion shown as a table, CSV, JSON or chart."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symoro.errors import OptionError
from symoro.expr.parser import NAME, reserved
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.simulation.computed_torque import computed_torque
from symoro.simulation.mechanics import Controller
from symoro.simulation.options import SimulationOptions
from symoro.simulation.result import Simulation
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
    """Simulate, and show what came of it; the exit code tells whether it was interrupted."""
    given, values = _words(robot, options.values)
    found = simulate(
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
            sys.stdout.write(found.csv())
        else:
            _table(found)

    def write() -> list[str]:
        return _written(found, options)

    code = deliver(options, lambda: simulation_data(found), show, write, "files" if options.output else None)
    return INTERRUPTED if found.why == "interrupted" else code


def _words(robot: Robot, words: list[str]) -> tuple[dict[str, Any], dict[str, float]]:
    """Parts of the state and inputs, and numbers for symbols."""
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
            raise OptionError(f"'{name}' is no part of a state, and a symbol has one value")
        else:
            values[name] = number
    if "q" not in given:
        count = len(independent(robot))
        raise OptionError(
            f"the initial position is missing: give q=... ({count} number{'s' if count > 1 else ''})",
            hint=_start_hint(robot, count),
        )
    return given, values


def _start_hint(robot: Robot, count: int) -> str:
    example = ",".join(["0.1"] * count)
    named = f", or q={next(iter(robot.postures))}, a posture of the robot" if robot.postures else ""
    return f"for example q={example}{named}"


def _torques(
    robot: Robot, tau: Any, options: argparse.Namespace, values: Mapping[str, float]
) -> Controller | Any:
    if options.track is None:
        if options.gains is not None:
            raise OptionError("--gains are those of the law that follows --track, which is not given")
        return tau
    if tau is not None:
        raise OptionError("torques are given, or follow from --track: one of the two")
    gains = np.atleast_1d(numbers("gains", options.gains or GAINS))
    if gains.shape != (2,):
        raise OptionError(f"--gains {options.gains}: expected two numbers, KP,KD")
    path = load_trajectory(options.track)
    return computed_torque(robot, path, kp=gains[0], kd=gains[1], values=dict(values))


def _driven(robot: Robot, options: argparse.Namespace, values: Mapping[str, float]) -> Samples | None:
    if options.driven is None:
        return None
    path = load_trajectory(options.driven)
    return path if isinstance(path, Samples) else sampled(robot, path, values=dict(values))


def _stops(text: str | None) -> str | float | None:
    if text is None or text == "end":
        return text
    value = numbers("stops", text)
    if isinstance(value, list):
        raise OptionError(f"--stops {text}: expected 'end' or one number")
    return float(value)


def _written(found: Simulation, options: argparse.Namespace) -> list[str]:
    from symoro.ui.charts import simulation_chart

    writers: dict[str, Callable[[], str | bytes]] = {
        ".csv": found.csv,
        ".svg": lambda: simulation_chart(found),
        ".parquet": found.parquet,
        ".json": lambda: page_motion(found.t, found.q, None),
    }
    return write_results(options.output, writers, options.force)


def simulation_data(found: Simulation) -> dict[str, Any]:
    """A simulation for scripts: how it ended, and where."""
    energy = found.energy
    return {
        "robot": found.robot.name,
        "finished": found.finished,
        "why": found.why,
        "warnings": list(found.warnings),
        "doubts": list(found.warnings),
        "samples": len(found.t),
        "t": float(found.t[-1]) if len(found.t) else 0.0,
        "end": {name: float(column[-1]) for name, column in found.columns.items() if len(column)},
        "energy": None if energy is None else {"start": float(energy[0]), "end": float(energy[-1])},
        "events": [{"time": e.time, "joint": e.joint, "what": e.what} for e in found.events],
    }


def _table(found: Simulation) -> None:
    rows = []
    places = {j: k for k, j in enumerate(found.coordinates)}
    for k, j in enumerate(found.joints):
        q = found.q[:, k]
        rates = (
            [f"{x:.6g}" for x in (found.qd[-1, places[j]], np.abs(found.qd[:, places[j]]).max())]
            if j in places
            else ["", ""]
        )
        torque = f"{np.abs(found.tau[:, places[j]]).max():.6g}" if j in places else ""
        rows.append(
            [f"{j} {found.robot.frame(j).name}".strip(), *(f"{x:.6g}" for x in (q[0], q[-1])), *rates, torque]
        )
    columns = ["joint", "q at the start", "q at the end", "qd at the end", "largest qd", "largest torque"]
    present.table(columns, rows, f"{found.robot.name}: {found.t[-1]:g} s in {len(found.t)} samples")
    energy = found.energy
    if energy is not None:
        print(f"energy: {energy[0]:.9g} J at the start, {energy[-1]:.9g} J at the end")
    for event in found.events[:20]:
        print(f"t = {event.time:.6g} s: joint {event.joint} {event.what}")
    if len(found.events) > 20:
        print(f"and {len(found.events) - 20} more events")
    for warning in found.warnings:
        print(f"warning: {warning}")
    if not found.finished:
        print(f"not finished: {found.why}")
