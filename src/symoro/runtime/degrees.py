"""Inputs and outputs of models with one entry per joint, and their factors between degrees and SI units."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from symoro.program.program import Input
from symoro.robot.description import JointType, Robot

Array = NDArray[np.float64]
POSITIONS = ("q", "q0", "qa", "qc0")  # inputs of joint positions
OF_JOINTS = (*POSITIONS, "qd", "qdd", "qda", "qdda")  # inputs with one entry per joint, in degrees on request
JOINT_OUTPUTS = ("q", "qd", "qdd")  # outputs with one entry per joint, in degrees on request


def joint_numbers(port: Input) -> list[int]:
    """Return the joint number of each entry of a model's input, from the entry's name: q3, qd3 and q0_3 give 3."""
    return [int(re.findall(r"\d+\Z", symbol)[0]) for symbol in port.symbols]


def degree_factors(robot: Robot, joints: Iterable[int]) -> Array:
    """Return, per joint, the factor from degrees or metres to SI units: pi/180 (revolute) or 1 (prismatic)."""
    turns = [robot.frame(j).sigma == JointType.REVOLUTE for j in joints]
    return np.where(turns, np.pi / 180, 1.0)
