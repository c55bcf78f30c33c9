"""Driven joints that follow a motion while the rest moves as forces let it: a free or rolling base, springs, modes.

It is a simulation, with samples at the moments of the motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError
from symoro.motion.equilibrium import at_equilibrium
from symoro.motion.mechanics import Mechanics
from symoro.motion.recording import Recording
from symoro.motion.result import Simulation
from symoro.motion.samples import Samples
from symoro.motion.sampling import default_posture
from symoro.motion.simulation import simulate
from symoro.robot.description import Robot
from symoro.robot.size import joint_units

Array = NDArray[np.float64]
SAME = 1e-6  # of a position, a radian or the robot's length: positions that a user wrote with six digits


def led(
    robot: Robot,
    samples: Samples,
    values: Mapping[str, float],
    start: Mapping[str, ArrayLike],
    inputs: Mapping[str, ArrayLike],
    method: str,
    tolerance: float,
    record: Recording | None = None,
) -> Simulation:
    """The motion of the whole robot, with the torques of its driven joints.

    Arguments:
        start: parts of the state; springs (in q) and modes (e) that are not told start in equilibrium.
        record: is filled with what lies between samples, in seconds from the first of them.

    Raises:
        ArgumentError: the motion cannot be followed to its end.
    """
    if len(samples.t) < 2:
        raise ArgumentError("a motion that the rest of the robot follows takes more than one sample")
    own = {name: value for name, value in values.items() if name in robot.symbols()}
    moved = replace(samples, t=samples.t - samples.t[0])
    posture, rest = _begin(Mechanics(robot, own, inputs), moved, values, start)
    found = simulate(
        robot,
        float(moved.t[-1]),
        q=posture,
        start=rest,
        driven=moved,
        values=own,
        inputs=inputs,
        times=moved.t,
        method=method,
        rtol=tolerance,
        atol=tolerance,
        record=record,
    )
    if found.why == "interrupted":
        raise KeyboardInterrupt
    if not found.finished:
        raise ArgumentError(f"the motion cannot be followed to its end: {found.why}")
    return replace(found, t=samples.t)


def _begin(
    mechanics: Mechanics, samples: Samples, values: Mapping[str, float], start: Mapping[str, ArrayLike]
) -> tuple[Array, dict[str, ArrayLike]]:
    """All joints at the start, and the other parts of the state."""
    near = default_posture(mechanics.robot, values) if samples.tree is None else samples.tree[0]
    posture = np.array(start.get("q", near), dtype=float)
    if posture.shape == (len(mechanics.joints),):
        led = [mechanics.joints.index(j) for j in samples.joints]
        off = np.abs(posture[led] - samples.q[0])
        units = joint_units(mechanics.robot, samples.joints, mechanics.length)
        if "q" in start and not (off <= SAME * np.maximum(units, np.abs(samples.q[0]))).all():
            j = samples.joints[int(np.argmax(off))]
            raise ArgumentError(
                f"joint {j} starts at {posture[mechanics.joints.index(j)]:g}, the trajectory at "
                f"{samples.q[0][int(np.argmax(off))]:g}",
                hint="leave out q, or give the joints that are led their first positions",
            )
        posture[led] = samples.q[0]
    y = mechanics.start({**start, "q": posture})
    parts = mechanics.split(at_equilibrium(mechanics, y, told=start))
    rest: dict[str, ArrayLike] = {"e": parts["e"]} if "e" in parts else {}
    return parts["q"], rest | {name: value for name, value in start.items() if name != "q"}
