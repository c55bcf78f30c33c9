"""What drives a simulated robot: torques, given or by a law, and the motions that joints follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError
from symoro.motion.control import GivenMotion
from symoro.motion.mechanics import Controller, Mechanics
from symoro.robot.coordinates import loose_joints

Array = NDArray[np.float64]
SAME = 1e-4  # of a start, against the motion that a joint follows
HALVINGS = 60


class Drives:
    """The torques of the drives, and the motions that joints follow."""

    def __init__(
        self, mechanics: Mechanics, tau: Controller | ArrayLike | None, motions: Mapping[int, GivenMotion]
    ) -> None:
        self.mechanics, self.motions = mechanics, motions
        self._n = len(mechanics.coordinates)
        loose = loose_joints(mechanics.robot)
        self._loose = [k for k, j in enumerate(mechanics.coordinates) if j in loose]
        self._law: Controller | None = None
        self.constant: Array | None = None
        if callable(tau):
            self._law = tau
        else:
            self.constant = self._checked(np.zeros(self._n) if tau is None else tau, 0.0)

    def torques(self, t: float, y: Array) -> Array:
        if self._law is None:
            assert self.constant is not None
            return self.constant
        return self._checked(self._law(t, self.mechanics.state(t, y)), t)

    def _checked(self, tau: Any, t: float) -> Array:
        try:
            found = np.asarray(tau, dtype=float)
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
        for k in self._loose:
            if found[k]:
                raise ArgumentError(
                    f"joint {self.mechanics.coordinates[k]} is passive, and its torque at t = {t:g} s is {found[k]:g}: "
                    "no motor is there to give it",
                    hint="give 0 for it; or describe the joint as active",
                )
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
