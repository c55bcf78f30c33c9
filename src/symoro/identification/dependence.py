"""Which columns the data cannot tell apart, and why: by the structure of the robot, or by this motion alone.

The columns of the weighted data, of unit length, are taken in order; one that lies in the span of those before it, to
round-off, cannot be identified beside them. What lies between round-off and noise is told by the deviations. One that
lies in their span at random motions too is so by the structure: no motion of this robot tells it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.identification.least_squares import NEGLIGIBLE

if TYPE_CHECKING:
    from symoro.models.identification.base.parameters import BaseParameters

Array = NDArray[np.float64]
SMALL = 1e-3  # coefficients of unit columns that are not worth a word
HERE = (
    "its column is zero in this log: nothing that was measured depends on it",
    "in this log its column is {}: the motion does not tell them apart",
)
NEVER = (
    "its column is zero for this robot, whatever the motion",
    "its column is {} for this robot, whatever the motion: they act only together",
)


def dependent(
    names: Sequence[str], R: Array, words: tuple[str, str] = HERE, units: Array | float = 1.0
) -> dict[str, str]:
    """Columns that cannot be identified, each with the reason.

    Arguments:
        R: the triangle of the weighted data, columns in the order of the names, y last.
        words: of a column that is zero, and of one that is a sum of others.
        units: of the parameters, for a robot of its size, in which the sizes of columns are comparable.
    """
    A = R[:, :-1]
    norms = np.linalg.norm(A, axis=0)
    sizes = norms * units
    found: dict[str, str] = {}
    kept: list[int] = []
    for k, name in enumerate(names):
        if sizes[k] <= NEGLIGIBLE * float(sizes.max(initial=0.0)) or norms[k] == 0:
            found[name] = words[0]
            continue
        column = A[:, k] / norms[k]
        basis = A[:, kept] / norms[kept]
        weights = np.linalg.lstsq(basis, column, rcond=NEGLIGIBLE)[0] if kept else np.empty(0)
        if kept and np.linalg.norm(basis @ weights - column) <= NEGLIGIBLE * len(names) ** 0.5:
            terms = [
                f"{w * norms[k] / norms[i]:+.4g} {names[i]}"
                for i, w in zip(kept, weights, strict=True)
                if abs(w) > SMALL
            ]
            found[name] = words[1].format(" ".join(terms))
        else:
            kept.append(k)
    return found


def check(
    names: Sequence[str],
    R: Array,
    at_random: Callable[[], Array | None] = lambda: None,
    units: Array | float = 1.0,
) -> None:
    """Refuse data that leave a column undetermined.

    Arguments:
        at_random: the columns (rows, P) at random motions, where they are known: it tells what no motion determines.

    Raises:
        ArgumentError: which names each of them with the reason.
    """
    bad = dependent(names, R, units=units)
    if not bad:
        return
    drawn = at_random()
    always = (
        {}
        if drawn is None
        else dependent(names, np.column_stack([drawn, np.zeros(len(drawn))]), NEVER, units)
    )
    reasons = bad | {name: reason for name, reason in always.items() if name in bad}
    lines = "".join(f"\n  - {name}: {reason}" for name, reason in reasons.items())
    moving = "move the joints more and faster, each on its own too, or leave these columns out"
    structural = [name for name in bad if name in always]
    hint = f"leave out what no motion of this robot tells, {', '.join(structural)}, by the option 'without'"
    if structural and len(structural) < len(bad):
        hint += f"; for the others {moving}"
    raise ArgumentError(
        f"{len(bad)} of {len(names)} parameters cannot be identified from this log:{lines}",
        hint=hint if structural else moving,
    )


def why_no_column(name: str, base: BaseParameters, relations: Mapping[str, Mapping[str, object]]) -> str:
    """Why a standard parameter has no column of its own."""
    if name in base.no_effect:
        return f"{name} has no effect on any torque of this robot"
    holders = [kept for kept, others in relations.items() if name in others]
    if holders:
        return f"{name} acts only together with {', '.join(holders)}, into which it is regrouped"
    return f"{name} is no parameter of this robot"
