"""From the side of the motors to that of the joints, with transmissions that couple joints.

    q_motor = R q_joint,      tau_joint = R' tau_motor

since both sides have the same power, qd_motor' tau_motor = qd_joint' tau_joint. R has the reduction ratios on its
diagonal; an entry beside it is a motor that also turns with another joint, as in a wrist whose motor 6 turns with
joint 5. Such a motor carries its rotor inertia and friction over to the other joint. With c = row k of R over R_kk
(what motor k turns, in terms of joint k) its cross terms are

    IAMk:  c_i sum_{j != i} c_j qdd_j      FVMk:  c_i sum_{j != i} c_j qd_j      FSMk:  c_i sign(c' qd)

on joint i; the terms on the diagonal are part of IA and FV of the joints.

M. Gautier, P. Vandanjon, C. Presse, "Identification of inertial and drive gain parameters of robots", CDC 1994.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Transmission:
    """The matrix R of q_motor = R q_joint, by rows."""

    rows: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        matrix = np.array(self.rows)
        n = len(self.rows)
        if matrix.shape != (n, n) or not np.isfinite(matrix).all():
            raise ArgumentError(f"a transmission is a square matrix of numbers, got shape {matrix.shape}")
        if (np.diag(matrix) == 0).any():
            k = int(np.flatnonzero(np.diag(matrix) == 0)[0]) + 1
            raise ArgumentError(
                f"the ratio of motor {k} to joint {k} is zero", hint="give each joint its motor"
            )
        if np.linalg.matrix_rank(matrix) < n:
            raise ArgumentError("the motors do not determine the joints: the transmission is singular")

    @property
    def matrix(self) -> Array:
        return np.array(self.rows)

    def positions(self, motor: Array) -> Array:
        """Positions, velocities or accelerations of the joints, one row a sample."""
        return np.asarray(np.linalg.solve(self.matrix, motor.T).T)

    def torques(self, motor: Array) -> Array:
        """Torques at the joints."""
        return motor @ self.matrix

    def coupled(self) -> list[int]:
        """Motors that turn with more than one joint, from 0."""
        return [k for k, row in enumerate(self.rows) if sum(1 for x in row if x) > 1]

    def shares(self, k: int) -> Array:
        """c: what motor k turns for a unit rate of each joint, in terms of joint k."""
        row = self.matrix[k]
        return np.asarray(row / row[k])


def transmission(
    ratios: Sequence[float],
    turns_with: Mapping[int, Mapping[int, float]] | None = None,
    joints: Sequence[int] | None = None,
) -> Transmission:
    """A transmission by its ratios.

    Arguments:
        ratios: turns of the motor for one of its joint.
        turns_with: motor -> {joint: ratio}: what the motor turns with joints that are not its own; a motor has the
            number of its joint.
        joints: their numbers, 1, 2, ... unless given.
    """
    n = len(ratios)
    place = {j: k for k, j in enumerate(joints or range(1, n + 1))}
    rows = [[float(ratio) if i == k else 0.0 for i in range(n)] for k, ratio in enumerate(ratios)]
    for motor, others in (turns_with or {}).items():
        for joint, ratio in others.items():
            if motor not in place or joint not in place or motor == joint:
                numbers = ", ".join(map(str, place))
                raise ArgumentError(
                    f"motor {motor} that turns with joint {joint}: expected two different joints of {numbers}"
                )
            rows[place[motor]][place[joint]] = float(ratio)
    return Transmission(tuple(tuple(row) for row in rows))
