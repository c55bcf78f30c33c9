"""Charts of motions: positions, torques and power over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symoro.motion.result import Simulation
from symoro.motion.samples import Samples
from symoro.motion.torques import TorqueReport
from symoro.robot.description import JointType, Robot
from symoro.ui.plot import Series, line_chart, stacked

TIME = "time [s]"
Array = NDArray[np.float64]


def torque_chart(found: TorqueReport) -> str:
    """Positions, torques and power along a motion, below each other."""
    samples, robot = found.samples, found.robot
    rows = {"Position": samples.q, "Torque": found.tau, "Power": found.power}
    units = {
        "Position": _unit(robot, samples.joints, "rad", "m"),
        "Torque": _unit(robot, samples.joints, "Nm", "N"),
        "Power": "[W]",
    }
    charts = [
        line_chart(_series(robot, samples, values), f"{title}: {robot.name}", TIME, units[title])
        for title, values in rows.items()
    ]
    return stacked(charts)


def _series(robot: Robot, samples: Samples, rows: Array) -> list[Series]:
    return [Series(joint_name(robot, j), samples.t, rows[:, k]) for k, j in enumerate(samples.joints)]


def joint_name(robot: Robot, j: int) -> str:
    """What a joint is called in a chart."""
    name = robot.frame(j).name
    return f"{j} {name}" if name and name != str(j) else f"joint {j}"


def _unit(robot: Robot, joints: tuple[int, ...], turning: str, sliding: str) -> str:
    kinds = {robot.frame(j).sigma for j in joints}
    words = [turning] * (JointType.REVOLUTE in kinds) + [sliding] * (JointType.PRISMATIC in kinds)
    return f"[{', '.join(words)}]"


def simulation_chart(found: Simulation) -> str:
    """Positions, velocities, torques and energies of a simulated motion, below each other."""
    robot, t = found.robot, found.t

    def lines(joints: tuple[int, ...], rows: Array) -> list[Series]:
        return [Series(joint_name(robot, j), t, rows[:, k]) for k, j in enumerate(joints)]

    charts = [
        line_chart(
            lines(found.joints, found.q),
            f"Position: {robot.name}",
            TIME,
            _unit(robot, found.joints, "rad", "m"),
        ),
        line_chart(
            lines(found.coordinates, found.qd),
            f"Velocity: {robot.name}",
            TIME,
            _unit(robot, found.coordinates, "rad/s", "m/s"),
        ),
        line_chart(
            lines(found.coordinates, found.tau),
            f"Torque: {robot.name}",
            TIME,
            _unit(robot, found.coordinates, "Nm", "N"),
        ),
    ]
    if found.E is not None and found.U is not None:
        energies = [
            Series("kinetic", t, found.E),
            Series("potential", t, found.U),
            Series("sum", t, found.E + found.U),
        ]
        charts.append(line_chart(energies, f"Energy: {robot.name}", TIME, "[J]"))
    return stacked(charts)
