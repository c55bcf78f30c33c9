"""Samples whose velocities or accelerations are not those of their positions: another unit, mostly.

Over windows of a tenth of a second, in which noise averages out, the change of a position is compared with the integral
of the velocity, h/2 (qd0 + qd1) - h^2/12 (qdd1 - qdd0) from sample to sample; that of a velocity with the trapezoidal
rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import pi

import numpy as np
from numpy.typing import NDArray

from symoro.motion.samples import Samples

Array = NDArray[np.float64]
WINDOW = 0.1  # s
MOVED = 1e-3  # rad, or shares of the robot's length, or these per second: smaller changes are not compared
UNLIKE = 0.8  # a correlation: less is no derivative
OFF = 0.1  # of 1, that the factor may be
NEAR = 0.04
FACTORS = {
    "degrees for radians": 180 / pi,
    "radians for degrees": pi / 180,
    "rpm for rad/s": 30 / pi,
    "rad/s for rpm": pi / 30,
    "turns for radians": 0.5 / pi,
    "radians for turns": 2 * pi,
    "milli": 1e3,
    "kilo": 1e-3,
    "of the other sign": -1.0,
}


def rate_doubts(samples: Samples, units: Sequence[float]) -> Iterator[str]:
    """Yield sentences for the user; none if positions, velocities and accelerations agree.

    Args:
        units: of the joints' positions: one radian, or the robot's length in metres.
    """
    if len(samples.t) < 3:
        return
    h = np.diff(samples.t)[:, None]
    q, qd, qdd = samples.q, samples.qd, samples.qdd
    velocity, acceleration = (h / 2 * (rows[1:] + rows[:-1]) for rows in (qd, qdd))
    velocity = velocity - h**2 / 12 * np.diff(qdd, axis=0)
    ends = _windows(samples.t)
    pairs = (("velocities", "positions", q, velocity), ("accelerations", "velocities", qd, acceleration))
    for higher, lower, rows, steps in pairs:
        moved = np.diff(rows[ends], axis=0)
        told = np.add.reduceat(steps, ends[:-1], axis=0)
        for k, j in enumerate(samples.joints):
            why = compared(moved[:, k] / units[k], told[:, k] / units[k])
            if why:
                yield f"the {higher} of joint {j} {why} of its {lower}"


def _windows(t: Array) -> NDArray[np.intp]:
    """Samples that are a window or more apart, the last one with them; all where there are less than three windows."""
    marks = np.searchsorted(t, np.arange(t[0], t[-1], WINDOW))
    ends = np.unique(np.append(marks, len(t) - 1))
    return ends if len(ends) > 3 else np.arange(len(t))


def compared(moved: Array, told: Array, least: float = MOVED, slack: float = OFF) -> str | None:
    """What is odd about changes of a quantity beside what its rate makes of them.

    Arguments:
        least: changes that tell something.
        slack: of 1, that their ratio may be.
    """
    own, other = float(np.linalg.norm(moved)), float(np.linalg.norm(told))
    if max(np.abs(moved).max(), np.abs(told).max()) < least:
        return None
    alike = float(moved @ told) / (own * other) if own * other > 0 else 0.0
    if abs(alike) < UNLIKE:
        return f"are not the derivative (their correlation is {alike:.2f})"
    factor = np.sign(alike) * other / own
    # noise of either side pulls the factor from the one regression (times alike) to the other (by alike)
    if factor * abs(alike) * (1 - slack) < 1 < factor / abs(alike) * (1 + slack):
        return None
    words = next((f" ({w}?)" for w, f in FACTORS.items() if abs(factor / f - 1) < NEAR), "")
    return f"are {factor:.3g} times the derivative{words}"
