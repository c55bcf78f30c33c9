"""Run `symoro torques`: read a trajectory, compute the torques, print them as table, CSV, JSON or chart."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.deprecation import FORMER_WARNINGS_KEY
from symoro.errors import OptionError
from symoro.files import write_files
from symoro.robot.description import Robot
from symoro.simulation.extremes import PEAK_COLUMNS, peak_rows
from symoro.simulation.torques import TorqueReport, torques
from symoro.tables import table_text
from symoro.trajectory.files import load_trajectory
from symoro.trajectory.samples import Samples
from symoro.trajectory.trajectory import Trajectory
from symoro.ui import present
from symoro.ui.outputs import deliver
from symoro.ui.values import binding, numbers, posture_word

STATE = ("q", "qd", "e", "ed", "P0", "Q0", "V0", "pose")
Array = NDArray[np.float64]
Writers = Mapping[str, Callable[[], str | bytes]]


def show_torques(robot: Robot, options: argparse.Namespace) -> int:
    """Compute the torques along a trajectory, print and write them, and return the exit code."""
    from symoro.ui.charts import torque_chart

    start, values = _start(robot, options.values)
    trajectory = load_trajectory(options.trajectory)
    report = torques(
        robot,
        trajectory,
        step=options.step,
        values=values,
        start=start,
        posture=posture_word(options.posture) if options.posture else None,
        actuators=options.actuators,
    )
    writers = {
        ".csv": lambda: table_text(report.columns),
        ".svg": lambda: torque_chart(report),
        ".json": lambda: page_motion(report.samples.t, report.samples.q, report.samples.tree),
    }
    posed = _posed_frame(robot, trajectory)

    def data() -> dict[str, Any]:
        return {**torque_data(report), **({"frame": posed} if posed else {})}

    def show() -> None:
        if options.csv:
            sys.stdout.write(table_text(report.columns))
            return
        _table(report)
        if posed:
            other = "" if robot.tool else "; to use another link of a URDF: --tool LINK"
            print(f"poses of the trajectory: {posed}{other}")

    def write() -> list[str]:
        return write_results(options.output, writers, options.force)

    return deliver(options, data, show, write, "files" if options.output else None)


def _start(robot: Robot, words: list[str]) -> tuple[dict[str, Array], dict[str, float]]:
    """Split the arguments NAME=VALUE into parts of the initial state, and numbers for symbols.

    Args:
        words: arguments of the command line.

    Returns:
        The parts of the initial state by name, and the numbers by symbol name.
    """
    state: dict[str, Array] = {}
    values: dict[str, float] = {}
    symbols = robot.symbols()
    for item in words:
        name, text = binding(item)
        if name in state or name in values:
            raise OptionError(f"'{name}' is given twice")
        number = numbers(name, text)
        if name in STATE:
            state[name] = np.atleast_1d(np.asarray(number, dtype=float))
        elif name not in symbols:
            raise OptionError(
                f"'{name}' is neither a state variable nor a symbol of the robot",
                hint=f"state variables: {', '.join(STATE)}",
            )
        elif isinstance(number, list):
            raise OptionError(f"'{name}' is not a state variable, and a symbol takes one number")
        else:
            values[name] = number
    return state, values


def write_results(files: list[str], writers: Writers, force: bool) -> list[str]:
    """Write a result to several files in the formats of their suffixes; either all files are written or none.

    Args:
        files: paths.
        writers: per suffix, the function that returns the contents.
        force: overwrite files that symoro did not write.
    """
    contents: dict[Path, str | bytes] = {}
    for name in files:
        contents[Path(name)] = writers[Path(name).suffix.lower()]()
    write_files(contents, force=force)
    return files


def page_motion(t: Array, q: Array, tree: Array | None) -> str:
    """Return a motion for the graphical page as JSON text: times, and positions of all joints per time.

    Args:
        t: times in seconds (N,).
        q: positions of the driven joints (N, n).
        tree: positions of all joints of the tree, if they are known.
    """
    import json

    rows = q if tree is None else tree
    if not np.isfinite(rows).all():
        raise OptionError(
            "the motion contains values that are not finite and cannot be written for the workbench"
        )
    return json.dumps({"times": t.tolist(), "q": rows.tolist()}, allow_nan=False) + "\n"


def _posed_frame(robot: Robot, trajectory: Trajectory | Samples) -> str:
    """Return the name of the frame whose pose a trajectory prescribes; empty if it prescribes joint positions."""
    if isinstance(trajectory, Samples) or not trajectory.has_poses:
        return ""
    if trajectory.frame is None and robot.tool is not None:
        return f"tool frame '{robot.tool.name}'"
    number = robot.frame_number(trajectory.frame or robot.platform or robot.NL)
    name = robot.link(number).name or robot.frame(number).name
    return f"frame {number}" + (f" ('{name}')" if name else "")


def torque_data(report: TorqueReport) -> dict[str, Any]:
    """Return a summary of a torque report as a dictionary for JSON."""
    samples = report.samples
    return {
        "robot": report.robot.name,
        "joints": list(samples.joints),
        "duration": float(samples.t[-1] - samples.t[0]),
        "samples": len(samples.t),
        "peaks": [asdict(peak) for peak in report.peaks],
        "energy": float(report.energy.sum()),
        "passed": [asdict(one) for one in report.passed],
        "between": report.between,
        "warnings": list(report.warnings),
        FORMER_WARNINGS_KEY: list(report.warnings),
        "end": _end(report),
    }


def _end(report: TorqueReport) -> dict[str, float] | None:
    """Return the final values of the simulated coordinates by name; None if no coordinates are simulated."""
    if report.follows is None:
        return None
    return {name: float(rows[-1]) for name, rows in report.follows.columns.items()}


def _table(report: TorqueReport) -> None:
    present.table(PEAK_COLUMNS, peak_rows(report.robot, report.peaks), report.title)
    for line in report.remarks:
        print(line)
