"""Charts of motions: positions, torques and power over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symoro.robot.description import JointType, Robot
from symoro.simulation.result import Simulation
from symoro.simulation.torques import TorqueReport
from symoro.ui.plot import Series, line_chart, stacked

TIME = "time [s]"
Array = NDArray[np.float64]


def torque_chart(found: TorqueReport) -> str:
    """Positions, torques and power along a motion, below each other."""
    samples, robot = found.samples, found.robot
    rows = {
        "Position": (samples.q, "rad", "m"),
        "Torque": (found.tau, "Nm", "N"),
        "Power": (found.power, "W", "W"),
    }
    return stacked(
        [_chart(title, robot, samples.t, samples.joints, *values) for title, values in rows.items()]
    )


def simulation_chart(found: Simulation) -> str:
    """Positions, velocities, torques and energies of a simulated motion, below each other."""
    robot, t = found.robot, found.t
    charts = [
        _chart("Position", robot, t, found.joints, found.q, "rad", "m"),
        _chart("Velocity", robot, t, found.coordinates, found.qd, "rad/s", "m/s"),
        _chart("Torque", robot, t, found.coordinates, found.tau, "Nm", "N"),
    ]
    if found.E is not None and found.U is not None:
        energies = [
            Series("kinetic", t, found.E),
            Series("potential", t, found.U),
            Series("sum", t, found.E + found.U),
        ]
        charts.append(line_chart(energies, f"Energy: {robot.name}", TIME, "[J]"))
    return stacked(charts)


def _chart(
    title: str, robot: Robot, t: Array, joints: tuple[int, ...], rows: Array, turning: str, sliding: str
) -> str:
    """A line a joint, with the units of joints that turn and of those that slide."""
    lines = [Series(joint_name(robot, j), t, rows[:, k]) for k, j in enumerate(joints)]
    kinds = {robot.frame(j).sigma for j in joints}
    units = [turning] * (JointType.REVOLUTE in kinds) + [sliding] * (JointType.PRISMATIC in kinds)
    return line_chart(lines, f"{title}: {robot.name}", TIME, f"[{', '.join(dict.fromkeys(units))}]")


def joint_name(robot: Robot, j: int) -> str:
    """What a joint is called in a chart."""
    name = robot.frame(j).name
    return f"{j} {name}" if name and name != str(j) else f"joint {j}"
