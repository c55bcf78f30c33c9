"""The Coulomb friction of a motion that is desired, as a controller compensates it.

    tau = sum over joints of w_j(q)' FS_j sign(w_j qd_r)

with w_j the row of the joint's velocity over those of the coordinates. The sign is that of the desired velocity, not of
the measured one: at rest the latter is decided by its last digit, and a torque that follows it either holds a joint
that should start, or drives one that should stand. A joint that is desired to rest gets none.

B. Armstrong-Helouvry, P. Dupont, C. Canudas de Wit, "A survey of models, analysis tools and compensation methods for
the control of machines with friction", Automatica 30 (7), 1994, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symoro.expr.formula import ZERO
from symoro.model import generate
from symoro.motion.samples import Samples
from symoro.motion.spline import hermite
from symoro.robot.description import Link, Robot
from symoro.runtime.function import Function

Array = NDArray[np.float64]
STANDS = 1e-9  # of the largest velocity of a joint: one that counts as none
HALVINGS = 60


def smooth_part(robot: Robot) -> Robot:
    """The robot without Coulomb friction."""
    return robot.replace(frames=tuple(replace(frame, FS=ZERO) for frame in robot.frames))


class DesiredFriction:
    """The Coulomb friction along a reference.

    Attributes:
        jumps: moments at which it jumps, as a desired velocity comes to zero or leaves it.
    """

    def __init__(self, robot: Robot, values: Mapping[str, float], reference: Samples) -> None:
        self._function = _friction_alone(robot, values)
        self._rests = STANDS * np.abs(reference.qd).max(axis=0)
        self.jumps = () if self._function is None else tuple(_passings(reference, self._rests))
        self._tied = self._function is not None and any(
            port.name == "qda" for port in self._function.program.inputs
        )

    def torques(self, q: Array, qd: Array) -> Array:
        """The torques of the coordinates, with `q` the joints of the tree and `qd` the desired velocities."""
        if self._function is None:
            return np.zeros(len(qd))
        moves = np.where(np.abs(qd) > self._rests, qd, 0.0)
        given = {"qda": moves, "qdda": 0 * moves} if self._tied else {"qd": moves, "qdd": 0 * moves}
        return np.asarray(self._function(q=q, **given)["tau"])


def _friction_alone(robot: Robot, values: Mapping[str, float]) -> Function | None:
    """The inverse dynamic model of the robot with nothing but its Coulomb friction; None where it has none."""
    if all(frame.FS == ZERO for frame in robot.frames):
        return None
    frames = (replace(frame, IA=ZERO, FV=ZERO, FO=ZERO) for frame in robot.frames)
    base = replace(robot.base, G=(ZERO, ZERO, ZERO))
    alone = robot.replace(frames=tuple(frames), links=tuple(Link() for _ in robot.links), base=base)
    symbols = alone.symbols()
    return generate(alone, "inverse-dynamics").function(
        {name: value for name, value in values.items() if name in symbols}
    )


def _passings(samples: Samples, rests: Array) -> list[float]:
    """Where velocities come to be rest, or are no longer."""
    found: set[float] = set()
    for k, rest in enumerate(rests):
        for level in (-rest, rest):
            above = samples.qd[:, k] > level
            at = np.flatnonzero(above[1:] != above[:-1])
            low, high = samples.t[at], samples.t[at + 1]
            for _ in range(HALVINGS if len(at) else 0):
                middle = (low + high) / 2
                rate = hermite(samples.t, samples.q, samples.qd, samples.qdd, middle)[1][:, k]
                same = (rate > level) == above[at]
                low, high = np.where(same, middle, low), np.where(same, high, middle)
            found.update(map(float, high))
    return sorted(found)
