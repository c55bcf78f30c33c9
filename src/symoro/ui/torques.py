"""The command `torques`: a motion read, torques along it, shown as a table, CSV, JSON or chart."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import OptionError
from symoro.files import write_files
from symoro.robot.description import Robot
from symoro.simulation.extremes import Passed
from symoro.simulation.torques import TorqueReport, torques, unit_of
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
    """Torques along a trajectory."""
    from symoro.ui.charts import torque_chart

    start, values = _start(robot, options.values)
    trajectory = load_trajectory(options.trajectory)
    found = torques(
        robot,
        trajectory,
        step=options.step,
        values=values,
        start=start,
        posture=posture_word(options.posture) if options.posture else None,
        actuators=options.actuators,
    )
    writers = {
        ".csv": lambda: table_text(found.columns),
        ".svg": lambda: torque_chart(found),
        ".json": lambda: page_motion(found.samples.t, found.samples.q, found.samples.tree),
    }
    posed = _posed_frame(robot, trajectory)

    def data() -> dict[str, Any]:
        return {**torque_data(found), **({"frame": posed} if posed else {})}

    def show() -> None:
        if options.csv:
            sys.stdout.write(table_text(found.columns))
            return
        _table(found)
        if posed:
            other = "" if robot.tool else "; to use another link of a URDF: --tool LINK"
            print(f"poses of the trajectory: {posed}{other}")

    def write() -> list[str]:
        return write_results(options.output, writers, options.force)

    return deliver(options, data, show, write, "files" if options.output else None)


def _start(robot: Robot, words: list[str]) -> tuple[dict[str, Array], dict[str, float]]:
    """Parts of the state at the start, and numbers for symbols."""
    found: dict[str, Array] = {}
    values: dict[str, float] = {}
    symbols = robot.symbols()
    for item in words:
        name, text = binding(item)
        if name in found or name in values:
            raise OptionError(f"'{name}' is given twice")
        number = numbers(name, text)
        if name in STATE:
            found[name] = np.atleast_1d(np.asarray(number, dtype=float))
        elif name not in symbols:
            raise OptionError(
                f"'{name}' is no part of a state, and no symbol of the robot",
                hint=f"known: {', '.join(STATE)}",
            )
        elif isinstance(number, list):
            raise OptionError(f"'{name}' is no part of a state, and a symbol has one value")
        else:
            values[name] = number
    return found, values


def write_results(files: list[str], writers: Writers, force: bool) -> list[str]:
    """Write results by the suffixes of their files; all of them or none."""
    contents: dict[Path, str | bytes] = {}
    for name in files:
        contents[Path(name)] = writers[Path(name).suffix.lower()]()
    write_files(contents, force=force)
    return files


def page_motion(t: Array, q: Array, tree: Array | None) -> str:
    """A motion that the workbench's page plays: times, and a row of joint positions each."""
    import json

    rows = q if tree is None else tree
    if not np.isfinite(rows).all():
        raise OptionError("a motion that is not finite cannot be played")
    return json.dumps({"times": t.tolist(), "q": rows.tolist()}, allow_nan=False) + "\n"


def _posed_frame(robot: Robot, trajectory: Trajectory | Samples) -> str:
    """Return the frame whose poses a trajectory gives, in words; empty if it gives joint positions alone."""
    if isinstance(trajectory, Samples) or not trajectory.has_poses:
        return ""
    if trajectory.frame is None and robot.tool is not None:
        return f"tool frame '{robot.tool.name}'"
    number = robot.frame_number(trajectory.frame or robot.platform or robot.NL)
    name = robot.link(number).name or robot.frame(number).name
    return f"frame {number}" + (f" ('{name}')" if name else "")


def torque_data(found: TorqueReport) -> dict[str, Any]:
    """Torques along a motion, for scripts."""
    samples = found.samples
    return {
        "robot": found.robot.name,
        "joints": list(samples.joints),
        "duration": float(samples.t[-1] - samples.t[0]),
        "samples": len(samples.t),
        "peaks": [asdict(peak) for peak in found.peaks],
        "energy": float(found.energy.sum()),
        "passed": [asdict(one) for one in found.passed],
        "between": found.between,
        "warnings": list(found.warnings),
        "doubts": list(found.warnings),
        "end": _end(found),
    }


def _end(found: TorqueReport) -> dict[str, float] | None:
    """Where the rest of the robot came to, where it follows from forces."""
    if found.follows is None:
        return None
    return {name: float(rows[-1]) for name, rows in found.follows.columns.items()}


def _table(found: TorqueReport) -> None:
    samples, robot = found.samples, found.robot
    rows = []
    for peak in found.peaks:
        _, effort = unit_of(robot, peak.joint)
        name = robot.frame(peak.joint).name
        rows.append(
            [
                f"{peak.joint} {name}".strip(),
                f"{peak.torque:.4g} {effort}",
                f"{peak.torque_time:.4g}",
                f"{peak.rms:.4g}",
                f"{peak.velocity:.4g}",
                f"{peak.acceleration:.4g}",
                f"{peak.power:.4g}",
                f"{peak.energy:.4g}",
            ]
        )
    columns = ["joint", "peak torque", "at (s)", "rms", "peak qd", "peak qdd", "peak power (W)", "energy (J)"]
    duration = samples.t[-1] - samples.t[0]
    present.table(columns, rows, f"{robot.name}: {duration:g} s in {len(samples.t)} samples")
    print(f"energy of all drives: {found.energy.sum():.6g} J")
    for j, spring in found.springs.items():
        at = int(np.abs(spring).argmax())
        print(
            f"spring of joint {j}: {spring[at]:.6g} {unit_of(robot, j)[1]} at most, at {samples.t[at]:.4g} s"
        )
    if found.follows is not None:
        print(f"what else moves is simulated: {', '.join(found.follows.parts) or 'joints that follow'}")
    _verdict(found)


def _verdict(found: TorqueReport) -> None:
    """The limits passed, and the warnings."""
    if found.passed:
        print("limits passed:")
        for one in found.passed:
            print(f"  {told(found.robot, one)}")
    else:
        print(no_limit(found))
    for warning in found.warnings:
        print(f"warning: {warning}")


def no_limit(found: TorqueReport) -> str:
    """That no limit is passed, as far as that is known."""
    if found.between:
        return "no limit is passed that the robot tells"
    return "no limit that the robot tells is passed at the samples; between them nothing is known"


def told(robot: Robot, one: Passed) -> str:
    """A passed limit in words."""
    position, effort = unit_of(robot, one.joint)
    unit = {"position": position, "velocity": f"{position}/s", "effort": effort}[one.what]
    return (
        f"joint {one.joint}: {one.what} {one.limit:.6g} {unit} from t = {one.time:.4g} s, "
        f"worst {one.worst:.6g} {unit} at {one.worst_time:.4g} s"
    )
