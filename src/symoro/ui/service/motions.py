"""Trajectories in the workbench: samples of all joints, the torques that they take, and motions that excite a robot."""

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
    """A trajectory on a robot: all joints at its moments, torques, powers, peaks, limits passed.

    The trajectory comes as the text of its file (YAML or CSV), or as the tree of the YAML file.
    """
    from symoro.simulation.torques import torques

    robot = robot_of(payload)
    values = numbers_of(robot, payload)
    motion = motion_of(payload)
    named = payload.get("posture")
    posture = named if isinstance(named, str) else row(payload, "posture")
    found = torques(robot, motion, step=number(payload, "step", STEP), values=values, posture=posture)
    return _data(found, motion, values)


def motion_of(payload: Mapping[str, Any]) -> Trajectory | Samples:
    """The trajectory that a payload holds."""
    from symoro.trajectory.files import read_trajectory_text
    from symoro.trajectory.samples import read_table

    text = item(payload, "text", str, None)
    document = item(payload, "document", dict, None)
    if (text is None) == (document is None):
        raise ArgumentError("a trajectory comes as 'text' or as 'document': one of the two")
    if document is not None:
        try:
            return read_trajectory_text(json.dumps(document, allow_nan=False), FILE)
        except (RecursionError, ValueError, TypeError):
            raise ArgumentError(
                "'document' is no trajectory", hint="it is the tree of its YAML file"
            ) from None
    return read_table(text, FILE) if is_table(text) else read_trajectory_text(text, FILE)


def is_table(text: str) -> bool:
    """Whether a text is a table: the first line that is no remark names columns."""
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    sign = next((mark for mark in (",", ";", "\t") if mark in first), None)
    return sign is not None and first.partition(sign)[0].strip() in ("t", "time")


def _data(found: TorqueReport, motion: Trajectory | Samples, values: Mapping[str, float]) -> TrajectoryAnswer:
    from symoro.ui.torques import no_limit, told

    robot, samples = found.robot, found.samples
    rows = kept_rows(len(samples.t))
    tree = samples.q if samples.tree is None else samples.tree
    return TrajectoryAnswer(
        times=samples.t[rows].tolist(),
        q=Postures(robot, values)(tree[rows]).tolist(),
        samples=len(samples.t),
        frame=_frame(robot, motion),
        joints=list(samples.joints),
        units=units_of(robot, samples.joints),
        tau=found.tau[rows].tolist(),
        power=found.power[rows].tolist(),
        efforts=[robot.frame(j).limits.effort for j in samples.joints],
        peaks=[PeakData(**asdict(peak)) for peak in found.peaks],
        energy=float(found.energy.sum()),
        passed=[PassedLimit(**asdict(one), told=told(robot, one)) for one in found.passed],
        verdict=no_limit(found),
        warnings=list(found.doubts),
    )


def units_of(robot: Robot, joints: Any) -> list[str]:
    """The units of the joints' efforts."""
    from symoro.simulation.torques import unit_of

    return [unit_of(robot, j)[1] for j in joints]


def _frame(robot: Robot, motion: Trajectory | Samples) -> int:
    """The frame that a trajectory leads, whose path is drawn."""
    which = getattr(motion, "frame", None)
    if which is None or (robot.tool is not None and which == robot.tool.name):
        return end_frame(robot)
    return int(robot.frame_number(which))


def excitation(payload: Mapping[str, Any]) -> ExcitationAnswer:
    """A motion that shows the robot's parameters well, as the text of its file."""
    from symoro.identification.excitation import excite, trajectory_text
    from symoro.identification.options import ExcitationOptions

    robot = robot_of(payload)
    found = excite(
        robot,
        harmonics=item(payload, "harmonics", int, 5),
        frequency=number(payload, "frequency", 0.1),
        values=numbers_of(robot, payload),
        options=ExcitationOptions(starts=item(payload, "starts", int, 1)),
    )
    return ExcitationAnswer(
        text=trajectory_text(found), condition=found.condition, columns=list(found.columns)
    )
