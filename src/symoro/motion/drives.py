"""What drives a simulated robot: torques, given or by a law, and the motions that joints follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError
from symoro.motion.control import GivenMotion
from symoro.motion.mechanics import Controller, Mechanics

Array = NDArray[np.float64]
SAME = 1e-4  # of a start, against the motion that a joint follows
HALVINGS = 60
INSIDE = 1e-15  # of a moment: so near to a jump a law may be on its other side


class Drives:
    """The torques of the drives, and the motions that joints follow."""

    def __init__(
        self, mechanics: Mechanics, tau: Controller | ArrayLike | None, motions: Mapping[int, GivenMotion]
    ) -> None:
        self.mechanics, self.motions = mechanics, motions
        self._n = len(mechanics.coordinates)
        self._law: Controller | None = None
        self.constant: Array | None = None
        self.jumps: tuple[float, ...] = ()
        self.within(-np.inf, np.inf)
        if callable(tau):
            self._law, self.jumps = tau, _jumps(tau)
        else:
            self.constant = self._checked(np.zeros(self._n) if tau is None else tau, 0.0)

    def torques(self, t: float, y: Array) -> Array:
        """What the law says at a moment."""
        if self._law is None:
            assert self.constant is not None
            return self.constant
        return self._checked(self._law(t, self.mechanics.state(t, y)), t)

    def within(self, start: float, end: float) -> None:
        """The law is smooth between two moments: what acts there is what it says inside."""
        width = INSIDE * max((abs(t) for t in (start, end) if np.isfinite(t)), default=0.0)
        self._first, self._last = (start + width, end - width) if end - start > 4 * width else (start, end)

    def acting(self, t: float, y: Array) -> Array:
        """The torques that act at a moment; at an end of a smooth stretch those inside, not those beyond the jump."""
        return self.torques(min(max(t, self._first), self._last), y)

    def _checked(self, tau: Any, t: float) -> Array:
        try:
            found = np.array(tau, dtype=float)  # a copy: the law may give the same array again
        except (TypeError, ValueError):
            raise ArgumentError(f"the torques at t = {t:g} s are no numbers: {str(tau)[:60]}") from None
        if found.shape != (self._n,):
            joints = ", ".join(map(str, self.mechanics.coordinates))
            raise ArgumentError(
                f"the torques at t = {t:g} s have shape {found.shape}, expected ({self._n},) for joints {joints}"
            )
        if not np.isfinite(found).all():
            joint = self.mechanics.coordinates[int(np.flatnonzero(~np.isfinite(found))[0])]
            raise ArgumentError(f"the torque of joint {joint} is not a finite number at t = {t:g} s")
        return found

    def check_start(self, y: Array, *, speeds: bool) -> None:
        """Raise where a state contradicts the motions; with `speeds`, its velocities too."""
        state = self.mechanics.state(0.0, y)
        given = {"q": state.q, **({"qd": state.qd} if speeds else {})}
        for k, motion in self.motions.items():
            told = dict(zip(("q", "qd"), motion(0.0), strict=False))
            for name, values in given.items():
                if abs(values[k] - told[name]) > SAME * (1 + abs(told[name])):
                    joint = self.mechanics.coordinates[k]
                    raise ArgumentError(
                        f"{name} of joint {joint} is {values[k]:g} at the start, and {told[name]:g} by the motion that "
                        "the joint follows",
                        hint="start where the motion does",
                    )

    def told(self, grid: Array) -> tuple[Array, str]:
        """The moments up to which the motions are finite numbers, and a reason where they are not all."""
        for i, t in enumerate(grid):
            if (joint := self._untold(float(t))) is None:
                continue
            good, bad = float(grid[i - 1]), float(t)
            for _ in range(HALVINGS):
                middle = (good + bad) / 2
                good, bad = (middle, bad) if self._untold(middle) is None else (good, middle)
            why = f"the motion of joint {joint} is not a finite number from t = {bad:g} s on"
            return (grid[:i] if good == grid[i - 1] else np.append(grid[:i], good)), why
        return grid, ""

    def _untold(self, t: float) -> int | None:
        """A joint whose motion is not finite at a moment."""
        for k, motion in self.motions.items():
            if not np.isfinite(motion(t)).all():
                return self.mechanics.coordinates[k]
        return None

    def moved(self, t: float, y: Array) -> tuple[Array, dict[int, float]]:
        """The state with driven joints where and as fast as their motions say, and their accelerations."""
        if not self.motions:
            return y, {}
        y, known = y.copy(), {}
        for k, motion in self.motions.items():
            q, qd, known[k] = motion(t)
            if not np.isfinite((q, qd, known[k])).all():
                joint = self.mechanics.coordinates[k]
                raise FloatingPointError(f"the motion of joint {joint} is not finite at t = {t:g} s")
            y[self.mechanics.parts["q"].start + self.mechanics.at[k]] = q
            y[self.mechanics.parts["qd"].start + k] = qd
        return y, known


def _jumps(law: Any) -> tuple[float, ...]:
    """The moments at which a law jumps, where it has the attribute."""
    try:
        found = np.array(getattr(law, "jumps", ()), dtype=float)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise ArgumentError("the attribute 'jumps' of the torques' law: expected moments, in seconds")
    return tuple(map(float, found))
