"""Draw charts of motions: positions, torques and power over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symoro.robot.description import JointType, Robot
from symoro.simulation.result import Simulation
from symoro.simulation.torques import TorqueReport
from symoro.ui.plot import Series, line_chart, stacked

TIME = "time [s]"
Array = NDArray[np.float64]


def torque_chart(report: TorqueReport) -> str:
    """Return an SVG picture with charts of positions, torques and power along a motion, one below the other."""
    samples, robot = report.samples, report.robot
    rows = {
        "Position": (samples.q, "rad", "m"),
        "Torque": (report.tau, "N m", "N"),
        "Power": (report.power, "W", "W"),
    }
    return stacked(
        [_chart(title, robot, samples.t, samples.joints, *values) for title, values in rows.items()]
    )


def simulation_chart(result: Simulation) -> str:
    """Return an SVG picture with charts of positions, velocities, torques and energies of a simulated motion."""
    robot, t = result.robot, result.t
    charts = [
        _chart("Position", robot, t, result.joints, result.q, "rad", "m"),
        _chart("Velocity", robot, t, result.coordinates, result.qd, "rad/s", "m/s"),
        _chart("Torque", robot, t, result.coordinates, result.tau, "N m", "N"),
    ]
    if result.E is not None and result.U is not None:
        energies = [
            Series("kinetic", t, result.E),
            Series("potential", t, result.U),
            Series("sum", t, result.E + result.U),
        ]
        charts.append(line_chart(energies, f"Energy: {robot.name}", TIME, "[J]"))
    return stacked(charts)


def _chart(
    title: str, robot: Robot, t: Array, joints: tuple[int, ...], rows: Array, turning: str, sliding: str
) -> str:
    """Return a chart of a joint quantity over time as SVG text, with one line per joint.

    Args:
        title: title of the chart.
        t: times in seconds (N,).
        joints: joint number of each column of `rows`.
        rows: values of the quantity (N, joints).
        turning, sliding: units of the quantity for revolute and prismatic joints, for the axis label.
    """
    lines = [Series(joint_name(robot, j), t, rows[:, k]) for k, j in enumerate(joints)]
    kinds = {robot.frame(j).sigma for j in joints}
    units = [turning] * (JointType.REVOLUTE in kinds) + [sliding] * (JointType.PRISMATIC in kinds)
    return line_chart(lines, f"{title}: {robot.name}", TIME, f"[{', '.join(dict.fromkeys(units))}]")


def joint_name(robot: Robot, j: int) -> str:
    """Return the label of joint j in the legend of a chart."""
    name = robot.frame(j).name
    return f"{j} {name}" if name and name != str(j) else f"joint {j}"
