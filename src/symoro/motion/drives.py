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


class Drives:
    """The torques of the drives, and the motions that joints follow."""

    def __init__(
        self, mechanics: Mechanics, tau: Controller | ArrayLike | None, motions: Mapping[int, GivenMotion]
    ) -> None:
        self.mechanics, self.motions = mechanics, motions
        self._n = len(mechanics.coordinates)
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
        return found

    def moved(self, t: float, y: Array) -> tuple[Array, dict[int, float]]:
        """The state with driven joints where and as fast as their motions say, and their accelerations."""
        if not self.motions:
            return y, {}
        y, known = y.copy(), {}
        for k, motion in self.motions.items():
            q, qd, known[k] = motion(t)
            y[self.mechanics.parts["q"].start + self.mechanics.at[k]] = q
            y[self.mechanics.parts["qd"].start + k] = qd
        return y, known
