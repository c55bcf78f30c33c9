"""Sample the workspace of a robot for the scene: positions of the end effector, coloured by manipulability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from symoro.errors import NotApplicableError
from symoro.models.tolerances import DEPENDENT_JOINTS
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.size import characteristic_length
from symoro.ui.service.answer_types import WorkspaceCloud
from symoro.ui.service.payload import item, robot_of

COUNT = 4000


def cloud(payload: Mapping[str, Any]) -> WorkspaceCloud:
    """Return positions of the end effector at postures that fill the ranges of the joints: evenly, if SciPy exists."""
    import numpy as np

    from symoro.study import sweep

    robot, values = robot_of(payload), item(payload, "values", dict, {})
    if robot.B or robot.wheels:
        raise NotApplicableError(
            f"the workspace of robot '{robot.name}' is not drawn: its joints are not independent",
            hint="sample poses of the platform with a sweep instead",
        )
    result = sweep(
        robot,
        "jacobian",
        sample={f"q{j}": joint_range(robot, j, values) for j in independent(robot)},
        count=item(payload, "count", int, COUNT),
        at={name: value for name, value in values.items() if name in robot.symbols()},
        measures=["position", "singular-values"],
        task="position",
        sampling="sobol" if find_spec("scipy") else "random",
    )
    columns = result.numbers or {}
    points = np.column_stack([columns[name] for name in ("x", "y", "z")])
    sigma = np.column_stack([values for name, values in columns.items() if name.startswith("sigma")])
    # A planar robot has no velocity normal to its plane: its manipulability is that in the plane.
    greatest = sigma.max(axis=0, initial=0.0)
    measure = sigma[:, greatest > DEPENDENT_JOINTS * greatest.max(initial=0.0)].prod(axis=1)
    largest = float(measure.max(initial=0.0))
    return WorkspaceCloud(
        points=points.ravel().tolist(), manipulability=(measure / (largest or 1.0)).tolist()
    )


def joint_range(robot: Robot, j: int, values: Mapping[str, float]) -> tuple[float, float]:
    """Return the range of a joint: its limits; a full turn or the length of the robot where there are none."""
    limits = robot.frame(j).limits
    if robot.frame(j).sigma == JointType.REVOLUTE:
        low, high = -math.pi, math.pi
    else:
        low, high = 0.0, characteristic_length(robot, {**dict(robot.nominal), **values})
    return (low if limits.lower is None else limits.lower, high if limits.upper is None else limits.upper)
