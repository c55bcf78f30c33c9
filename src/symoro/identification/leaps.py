"""Leaps: positions that go from one sample to the next as no joint can.

Of a joint that moves, neighbouring steps are alike. A step is a leap where at most two of the sixteen around it are a
tenth of it (a spike has two steps, there and back), and where it is more than a joint's acceleration explains, and more
than a few counts of a coarse encoder.
"""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from symoro.errors import FormatError
from symoro.identification.log import Log

Array = NDArray[np.float64]
AROUND = 8  # steps to each side
ALIKE = 0.1
OTHERS = 2
SMALL = 1e-3  # rad, or shares of the robot's length: smaller steps may be those of coarse encoders
ACCELERATION = 1e3  # rad/s2, or robot lengths per s2: no joint accelerates more
USUAL = 10.0  # times the usual step that is not zero
ENOUGH = 8  # such steps, which tell what is usual
TURN = 0.05  # of a turn
BACK = 0.2  # of a leap, that may be left of a spike


def check_leaps(q: Array, start: int, log: Log) -> None:
    """Refuse positions that leap.

    Arguments:
        q: (N, n), raw samples of a log from the sample `start` on.

    Raises:
        FormatError: with the line of the sample after the first leap.
    """
    steps = np.abs(np.diff(q, axis=0))
    if not len(steps):
        return
    least = max(SMALL, ACCELERATION / log.rate**2) * log.position_units
    leaps = (steps > least) & (steps > USUAL * _usual(steps))
    if not leaps.any():
        return
    others = np.zeros(steps.shape, dtype=int)
    for shift in range(1, AROUND + 1):
        others[shift:] += steps[:-shift] > ALIKE * steps[shift:]
        others[:-shift] += steps[shift:] > ALIKE * steps[:-shift]
    found = np.argwhere(leaps & (others <= OTHERS))
    if len(found):
        _refuse(q, int(found[0][0]), int(found[0][1]), start, log)


def _usual(steps: Array) -> Array:
    """The median of the steps of each joint that are not zero."""
    moved = [column[column > 0] for column in steps.T]
    return np.array([float(np.median(column)) if len(column) >= ENOUGH else 0.0 for column in moved])


def _refuse(q: Array, k: int, joint: int, start: int, log: Log) -> None:
    named = log.description.position.columns if log.description else ()
    name = f"column '{named[joint]}'" if named else f"joint {joint + 1}"
    step = float(q[k + 1, joint] - q[k, joint])
    back = np.abs(q[k + 2 : k + 2 + OTHERS, joint] - q[k, joint]) < BACK * abs(step)
    turns = round(abs(step) / (2 * pi))
    if turns and abs(abs(step) - 2 * pi * turns) < TURN * 2 * pi:
        what = f"leaps by {step:.4g}, {'a whole turn' if turns == 1 else f'{turns} whole turns'}"
        hint = (
            "the angle is wrapped: count the turns on (numpy.unwrap), so that the position goes on smoothly"
        )
    elif back.any():
        samples = int(np.argmax(back)) + 1
        what = f"leaps by {step:.4g} for {'one sample' if samples == 1 else f'{samples} samples'}, and back"
        hint = "a spike of the measurement: put a value between those before and after in its place"
    else:
        what = f"leaps by {step:.4g} from one sample to the next, others go by much less"
        hint = "cut the log there, or repair it: no joint moves so"
    raise FormatError(f"the position of {name} {what}", place=log.place(start + k + 1), hint=hint)
