"""Where springs and modes rest: elastic joints and flexible links that carry the robot's weight and do not move.

With the driven joints where they are and the base free where it is free, the accelerations of elastic joints and modes
are zero. Newton's method goes there from the springs' rest, by differences.
"""

from __future__ import annotations

from collections.abc import Callable, Container

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.motion.mechanics import Mechanics
from symoro.motion.partition import Holds

Array = NDArray[np.float64]
STEPS = 50
DIFFERENCE = 1e-6  # radians, or shares of the robot's length: the step of differences
SETTLED = 1e-10  # the same: the last step of Newton's method


def at_equilibrium(mechanics: Mechanics, y: Array, told: Container[str]) -> Array:
    """The state at rest with its springs and modes in equilibrium, the other joints and the base where they are.

    Arguments:
        told: parts of the state that stay as they are: "q" (springs), "e" (modes).

    Raises:
        ArgumentError: there is none near the springs' rest.
    """
    parts = mechanics.parts
    springs = [] if "q" in told else mechanics.springs
    modes = "e" in parts and "e" not in told
    places = [parts["q"].start + mechanics.at[k] for k in springs]
    places += range(parts["e"].start, parts["e"].stop) if modes else ()
    if not places:
        return y
    y = y.copy()
    for name in ("qd", "ed", "V0"):
        if name in parts:
            y[parts[name]] = 0.0
    values = {**dict(mechanics.robot.nominal), **mechanics.values}
    rest = [mechanics.robot.frame(mechanics.coordinates[k]).rest.value(values) for k in springs]
    y[places] = [*rest, *np.zeros(len(places) - len(rest))]
    rates = [parts["qd"].start + k for k in springs]
    rates += range(parts["ed"].start, parts["ed"].stop) if modes else ()
    units = mechanics.units[places]
    accelerations = _accelerations(mechanics, y, places, rates)
    found = _zero(lambda u: accelerations(u * units) / units, y[places] / units, mechanics.robot.name)
    y[places] = found * units
    return y


def _accelerations(
    mechanics: Mechanics, y: Array, places: list[int], rates: list[int]
) -> Callable[[Array], Array]:
    n = len(mechanics.coordinates)
    holds = Holds({k: 0.0 for k in range(n) if mechanics.parts["qd"].start + k not in rates})

    def found(u: Array) -> Array:
        here = y.copy()
        here[places] = u
        return np.asarray(mechanics.rates(0.0, here, np.zeros(n), holds)[rates])

    return found


def _zero(function: Callable[[Array], Array], u: Array, name: str) -> Array:
    for _ in range(STEPS):
        value = function(u)
        slopes = np.empty((len(u), len(u)))
        for k in range(len(u)):
            step = np.zeros(len(u))
            step[k] = DIFFERENCE
            slopes[:, k] = (function(u + step) - function(u - step)) / (2 * DIFFERENCE)
        if not np.isfinite(slopes).all() or not np.isfinite(value).all():
            break
        move = np.linalg.lstsq(slopes, -value, rcond=1e-12)[0]
        if np.abs(slopes @ move + value).max() > 1e-6 * (1 + np.abs(value).max()):
            break
        u = u + move
        if np.abs(move).max() < SETTLED * (1 + np.abs(u).max()):
            return u
    raise ArgumentError(
        f"springs and modes of robot '{name}' have no equilibrium near their rest",
        hint="tell where they start: start={'q': ..., 'e': ...}",
    )
