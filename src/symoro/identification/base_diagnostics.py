"""Criteria of the warnings about the motion of a floating base: orientation, angular velocity and specific force.

Over windows of a tenth of a second the rotation vector of the change of orientation, in frame 0, is compared with the
integral of the measured angular velocity. They differ if the quaternion is in another order or inverted, or if the
angular velocity is in the axes of the world or in another unit.

The mean of the specific force R0 s over a log is nearly -g, because velocities remain bounded. An acceleration from
which gravity was removed has the mean zero instead. Without an orientation the magnitudes are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.identification.base_motion import ANGULAR_VELOCITY, ORIENTATION, PREFIX, SPECIFIC_FORCE
from symoro.identification.diagnostics import DiagnosticWarning, warning
from symoro.identification.log import Log
from symoro.identification.tolerances import (
    DIAGNOSED_SAMPLES,
    FACTOR_OF_RATES,
    GRAVITY_MISMATCH,
    LEAST_CHANGE,
    RATE_WINDOW,
)
from symoro.models.numeric.rotation import from_quaternion, logarithm
from symoro.trajectory.samples import compared

Array = NDArray[np.float64]


def base_warnings(logs: Sequence[Log], gravity: Array) -> list[DiagnosticWarning]:
    """Return warnings about contradictions between the measured quantities of a floating base.

    Args:
        logs: the logs of a floating robot.
        gravity: acceleration of gravity in the world (3,).
    """
    warnings = []
    for log in logs:
        first = max(0, log.samples - DIAGNOSED_SAMPLES) // 2
        part = log.part(first, min(log.samples, first + DIAGNOSED_SAMPLES))
        lines = [*_rotation_warnings(part, log.rate), *_gravity_warnings(part, gravity)]
        warnings += [line.in_log(log.name) for line in lines] if len(logs) > 1 else lines
    return warnings


def _rotation_warnings(part: dict[str, Array], rate: float) -> Iterator[DiagnosticWarning]:
    Q, w = part.get(PREFIX + ORIENTATION), part.get(PREFIX + ANGULAR_VELOCITY)
    if Q is None or w is None:
        return
    step = max(1, round(RATE_WINDOW * rate))
    rotations = from_quaternion(Q[::step])
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum((w[1:] + w[:-1]) / 2, axis=0)]) / rate
    integrals = np.diff(sums[::step], axis=0)
    if len(rotations) < 4:
        return
    turns = logarithm(np.swapaxes(rotations[:-1], 1, 2) @ rotations[1:])
    mismatch = compared(turns.ravel(), integrals.ravel(), LEAST_CHANGE, FACTOR_OF_RATES)
    if mismatch:
        yield warning("base-rotation", mismatch=mismatch)


def _gravity_warnings(part: dict[str, Array], gravity: Array) -> Iterator[DiagnosticWarning]:
    specific, Q = part.get(PREFIX + SPECIFIC_FORCE), part.get(PREFIX + ORIENTATION)
    size = float(np.linalg.norm(gravity))
    if specific is None or size == 0:
        return
    if Q is None:
        mean = float(np.linalg.norm(specific, axis=1).mean())
        off, shown = abs(mean - size), f"its mean magnitude is {mean:.3g} m/s2"
    else:
        average = np.einsum("kij,kj->ki", from_quaternion(Q), specific).mean(axis=0)
        off = float(np.linalg.norm(average + gravity))
        shown = f"its mean in the world is ({', '.join(f'{x:.3g}' for x in average)}) m/s2"
    if off > GRAVITY_MISMATCH * size:
        expected = f"({', '.join(f'{-x:.3g}' for x in gravity)})" if Q is not None else f"{size:.3g}"
        yield warning("specific-force", mean=shown, expected=expected)
