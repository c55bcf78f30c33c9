"""Answer calls about trajectories: samples of all joints, required torques, and exciting trajectories."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from symoro.errors import ArgumentError
from symoro.robot.description import Robot
from symoro.ui.service.answer_types import ExcitationAnswer, PassedLimit, PeakData, TrajectoryAnswer
from symoro.ui.service.payload import item, robot_of
from symoro.ui.service.playback import Postures, end_frame, kept_rows, number, numbers_of, row

if TYPE_CHECKING:
    from symoro.simulation.torques import TorqueReport
    from symoro.trajectory.samples import Samples
    from symoro.trajectory.trajectory import Trajectory

FILE = "trajectory"
STEP = 0.01


def trajectory(payload: Mapping[str, Any]) -> TrajectoryAnswer:
    """Return positions of all joints, torques, powers, peaks and exceeded limits along a trajectory.

    The trajectory is the text of its file (YAML or CSV) or the tree of the YAML file.
    """
    from symoro.simulation.torques import torques

    robot = robot_of(payload)
    values = numbers_of(robot, payload)
    motion = motion_of(payload)
    named = payload.get("posture")
    posture = named if isinstance(named, str) else row(payload, "posture")
    report = torques(robot, motion, step=number(payload, "step", STEP), values=values, posture=posture)
    return _data(report, motion, values)


def motion_of(payload: Mapping[str, Any]) -> Trajectory | Samples:
    """Return the trajectory or the samples that a request contains."""
    from symoro.trajectory.files import read_trajectory_text
    from symoro.trajectory.samples import read_table

    text = item(payload, "text", str, None)
    document = item(payload, "document", dict, None)
    if (text is None) == (document is None):
        raise ArgumentError("expected a trajectory either as 'text' or as 'document'")
    if document is not None:
        try:
            return read_trajectory_text(json.dumps(document, allow_nan=False), FILE)
        except (RecursionError, ValueError, TypeError):
            raise ArgumentError(
                "'document' is not the description of a trajectory",
                hint="expected an object with the keys of a trajectory's YAML file",
            ) from None
    return read_table(text, FILE) if is_table(text) else read_trajectory_text(text, FILE)


def is_table(text: str) -> bool:
    """Return whether a text is a table of samples, not YAML.

    The first line of a table that is not a comment contains column names.
    """
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    sign = next((mark for mark in (",", ";", "\t") if mark in first), None)
    return sign is not None and first.partition(sign)[0].strip() in ("t", "time")


def _data(
    report: TorqueReport, motion: Trajectory | Samples, values: Mapping[str, float]
) -> TrajectoryAnswer:
    from symoro.simulation.extremes import limit_text

    robot, samples = report.robot, report.samples
    rows = kept_rows(len(samples.t))
    tree = samples.q if samples.tree is None else samples.tree
    return TrajectoryAnswer(
        times=samples.t[rows].tolist(),
        q=Postures(robot, values)(tree[rows]).tolist(),
        samples=len(samples.t),
        frame=_frame(robot, motion),
        joints=list(samples.joints),
        units=units_of(robot, samples.joints),
        tau=report.tau[rows].tolist(),
        power=report.power[rows].tolist(),
        efforts=[robot.frame(j).limits.effort for j in samples.joints],
        peaks=[PeakData(**asdict(peak)) for peak in report.peaks],
        energy=float(report.energy.sum()),
        passed=[PassedLimit(**asdict(one), text=limit_text(robot, one)) for one in report.passed],
        verdict=report.no_limit,
        warnings=list(report.warnings),
    )


def units_of(robot: Robot, joints: Any) -> list[str]:
    """Return, per joint, the unit of its torque or force as text.

    Args:
        joints: joint numbers.
    """
    from symoro.robot.size import unit_of

    return [unit_of(robot, j)[1] for j in joints]


def _frame(robot: Robot, motion: Trajectory | Samples) -> int:
    """Return the number of the frame whose path the page draws.

    It is the frame whose poses the trajectory prescribes, otherwise the end effector.
    """
    which = getattr(motion, "frame", None)
    if which is None or (robot.tool is not None and which == robot.tool.name):
        return end_frame(robot)
    return int(robot.frame_number(which))


def excitation(payload: Mapping[str, Any]) -> ExcitationAnswer:
    """Compute an exciting trajectory for identification and return it as the text of a trajectory file."""
    from symoro.identification.excitation import excite, trajectory_text
    from symoro.identification.options import ExcitationOptions

    robot = robot_of(payload)
    excitation_result = excite(
        robot,
        harmonics=item(payload, "harmonics", int, 5),
        frequency=number(payload, "frequency", 0.1),
        values=numbers_of(robot, payload),
        options=ExcitationOptions(starts=item(payload, "starts", int, 1)),
    )
    return ExcitationAnswer(
        text=trajectory_text(excitation_result),
        condition=excitation_result.condition,
        columns=list(excitation_result.columns),
    )
