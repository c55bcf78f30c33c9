"""Friction of joints that follow others: which of it acts as other columns do, and so has none of its own.

The joints of a parallelogram turn by the sums of others, so that of the friction of two passive joints only one has a
column, and offsets of passive joints are part of those of the active ones. It is decided in numbers at random motions:
a column goes where it lies in the span of those before it, and the same sum of them gives it at other motions too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.errors import NotApplicableError
from symoro.trajectory.assembly import BrokenLoopsError, LoopAssembly

Array = NDArray[np.float64]
FRICTION = ("FV", "FS", "FO")
MOTIONS = 240
AROUND = (
    0.2,
    0.05,
    0.01,
    1e-3,
)  # radians, or shares of the largest length, that the active joints go to each side; the first that can be
ABSENT = 1e-8
SMALL = 1e-6  # shares of unit columns that are not worth a word


def drawn_motion(
    units: Array, assembly: tuple[LoopAssembly, tuple[float, ...]] | None
) -> tuple[Array, Array, Array]:
    """Motions at random: whole postures, and rates and accelerations of the coordinates.

    Args:
        units: of the coordinates: one radian, or the robot's length.
    """
    chance, joints = np.random.default_rng(5), len(units)
    qd, qdd = chance.standard_normal((2, MOTIONS, joints)) * units
    if assembly is None:
        return chance.uniform(-1, 1, (MOTIONS, joints)) * units, qd, qdd
    loops, start = assembly
    row = np.array(start)
    here = loops.postures(row[None])[0][loops.active]
    course = np.sin(np.linspace(0, 4 * np.pi, MOTIONS)[:, None] * chance.uniform(1, 2, (2, 1, joints))).sum(0)
    for size in AROUND:
        try:
            return loops.postures(loops.along(here + size * loops.active_units * course, row)), qd, qdd
        except BrokenLoopsError:
            continue
    raise NotApplicableError("the loops hardly move from where the log starts: a dead point")


def absorbed(columns: Mapping[str, Array], candidates: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Candidates that others hold, with the names of these.

    Arguments:
        columns: (N, e) each, in the order in which they are kept.
    """
    found: dict[str, tuple[str, ...]] = {}
    kept: list[str] = []
    half = MOTIONS // 2
    for name, column in columns.items():
        early, late = column[:half].ravel(), column[half:].ravel()
        size = float(np.linalg.norm(early)) or 1.0
        if name in candidates and kept:
            basis = np.column_stack([columns[k][:half].ravel() for k in kept])
            scale = np.linalg.norm(basis, axis=0)
            scale[scale == 0] = 1.0
            shares = np.linalg.lstsq(basis / scale, early / size, rcond=ABSENT)[0]
            again = np.column_stack([columns[k][half:].ravel() for k in kept]) / scale
            off = [basis / scale @ shares - early / size, again @ shares - late / size]
            if max(float(np.linalg.norm(x)) for x in off) < ABSENT * len(columns):
                held = [k for k, share in zip(kept, shares, strict=True) if abs(share) > SMALL]
                found[name] = tuple(held)
                continue
        kept.append(name)
    return found
