"""Bases along a motion: which ones are told by the description alone.

A base that is described as moving (W0, WP0, V0, VP0) keeps its rotation in the models, which hold for one moment. Along
a motion it may only turn steadily about the direction of gravity, which then stays where it is in frame 0.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symoro.errors import NotApplicableError
from symoro.robot.description import BaseKind, Robot

PARALLEL = 1e-9


def check_steady(robot: Robot, values: Mapping[str, float]) -> None:
    """Raise where the description turns the base so that gravity would turn in frame 0.

    Raises:
        NotApplicableError: with what to do.
    """
    base = robot.base
    if base.kind != BaseKind.FIXED:
        return
    entries = (*base.W0, *base.WP0, *base.G, *base.Z)
    if any(name not in values for entry in entries for name in entry.symbols):
        return  # what is missing is an input, or is told by the model
    w, wd, g = (np.array([x.value(values) for x in part]) for part in (base.W0, base.WP0, base.G))
    fixed = np.array([x.value(values) for x in base.Z]).reshape(4, 4)[:3, :3].T @ g
    turns = np.abs(np.cross(w, fixed)).max() > PARALLEL * max(1.0, float(np.abs(fixed).max()))
    if wd.any() or turns:
        raise NotApplicableError(
            f"the base of robot '{robot.name}' turns (W0, WP0), and gravity would turn in its frame along the motion",
            hint="describe the turning as a joint that follows a motion",
        )
