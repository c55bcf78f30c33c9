"""Which of several joints at rest slide, and which way, when a joint that follows a motion moves them off.

Between a wall and a slide that is driven a block cannot rest on both. Each joint at rest sticks, or slides one way; a
choice is right where

    what sticks has w x + c = 0, and needs no more force than it can hold
    what slides has s (w x + c) > 0, with s its direction, against which its friction acts

x being the accelerations that the choice makes (`partition`). It is a linear complementarity problem, whose solution is
the only one where the inertia matrix is positive definite; with few joints all choices are tried.

F. Pfeiffer, C. Glocker, "Multibody dynamics with unilateral contacts", Wiley, 1996, chapter 6."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOST = 6  # joints of which all choices are tried
ZERO = 1e-6  # of the largest acceleration that is given
HELD = 1e-9  # of what a joint can hold: more is too much


@dataclass(frozen=True, eq=False)
class ChoiceOutcome:
    """What comes of a choice.

    Attributes:
        accelerations: w x + c of the joints.
        share: of what the sticking ones can hold, the largest.
    """

    accelerations: Array
    share: float


def breakaway(
    joints: Sequence[int], size: float, tried: Callable[[dict[int, float]], ChoiceOutcome]
) -> list[dict[int, float]]:
    """The choices that are right, each as direction by joint, 0 where it sticks; none where joints are too many.

    Arguments:
        size: of the accelerations that are given.
        tried: a choice -> what comes of it, in the order of the joints.
    """
    if len(joints) > MOST:
        return []
    found = []
    for signs in product((0.0, 1.0, -1.0), repeat=len(joints)):
        choice = dict(zip(joints, signs, strict=True))
        trial, ways = tried(choice), np.array(signs)
        still = ways == 0
        if not np.isfinite(trial.accelerations).all() or trial.share > 1 + HELD:
            continue
        off = ZERO * size
        rests = (np.abs(trial.accelerations[still]) <= off).all()
        if rests and (ways * trial.accelerations > off)[~still].all():
            found.append(choice)
    return found
