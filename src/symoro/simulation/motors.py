"""Motors of elastic joints for a given trajectory of the links: motor motion, motor torques and feasibility.

The torques require the fourth time derivative of the motion (`models/dynamic/actuated_motion`). So the trajectory must
contain all joints, including the link positions of elastic joints, and its third derivative must not jump, because the
motor's velocity would jump too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError
from symoro.models.dynamic.actuated_motion import actuated_motion
from symoro.models.dynamic.force_elements import links_alone
from symoro.robot.description import Robot
from symoro.robot.topology import elastic_joints
from symoro.runtime.function import Function
from symoro.simulation.extremes import pieces_of, quantities, turning_joints
from symoro.simulation.piecewise_chebyshev import PiecewiseChebyshev, QuantityKey, resolved
from symoro.simulation.tolerances import MOTION_JUMP, PIECE_SIDE
from symoro.trajectory.sampling import JointMoments, PartMotion

Array = NDArray[np.float64]

MotorRows = dict[str, Array]
INNER = 9  # times per piece at which magnitudes are evaluated, including its ends
SMOOTH = "use 'law: nonic', whose moves start and end smoothly"


@dataclass(frozen=True, eq=False)
class MotorDrives:
    """Motors of a robot with elastic joints and numerical parameters.

    Attributes:
        links: the robot with its link positions as joint positions; the trajectory prescribes these.
        elastic: joints with a spring between motor and link.
    """

    robot: Robot
    links: Robot
    elastic: tuple[int, ...]
    values: Mapping[str, float]
    function: Function

    @classmethod
    def of(cls, robot: Robot, values: Mapping[str, float]) -> MotorDrives:
        """Return the motors of a robot with elastic joints.

        Args:
            values: numbers for the symbols of the robot.

        Raises:
            NotApplicableError: the robot has no elastic joints.
        """
        function = Function(actuated_motion(robot), values, robot=robot)
        return cls(robot, links_alone(robot), tuple(elastic_joints(robot)), values, function)

    def rows(self, part: PartMotion, times: Array) -> MotorRows:
        """Return the motion of links and motors, and the motor torques, at times of one part of a trajectory.

        Args:
            part: part of the trajectory.
            times: times in seconds from the start of the part.

        Returns:
            Arrays with one row per time, by name: q, qd, qdd, qddd (links), and the outputs of the model such as qmd
            (motor velocities) and tau (motor torques).
        """
        assert isinstance(
            part.moments, JointMoments
        )  # robots with motors behind springs have no loops and no pose trajectories
        q, qd, qdd, _ = part.at(times)
        third, fourth = part.moments.path.higher(times)
        outputs = self.function(q=q, qd=qd, qdd=qdd, qddd=third, qdddd=fourth)
        return {
            "q": q,
            "qd": qd,
            "qdd": qdd,
            "qddd": third,
            **{name: np.asarray(x) for name, x in outputs.items()},
        }

    def at(self, parts: Sequence[PartMotion], t: Array) -> MotorRows:
        """Return the motion of links and motors, and the motor torques, at times t of the whole trajectory.

        The result has the same form as the result of `rows`.
        """
        begins = np.array([part.begin for part in parts])
        number = np.clip(np.searchsorted(begins, t, side="right") - 1, 0, None)
        rows = [self.rows(part, t[number == k] - part.begin) for k, part in enumerate(parts)]
        return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}

    def quantities(self, joints: Sequence[int], rows: MotorRows) -> dict[QuantityKey, Array]:
        """Return the time series of position, velocity, acceleration, effort and power by quantity and joint.

        The power is that of the motors.

        Args:
            joints: numbers of the driven joints.
            rows: motion of links and motors, from `rows` or `at`.
        """
        motion = rows["q"], rows["qd"], rows["qdd"], None
        columns = quantities(self.links, self.values, joints, motion, rows["tau"], {})
        power = rows["tau"] * rows["qmd"]
        return columns | {("power", j): power[:, k] for k, j in enumerate(joints)}

    def whole(
        self, parts: Sequence[PartMotion], joints: Sequence[int], keys: Sequence[QuantityKey]
    ) -> PiecewiseChebyshev:
        """Return the quantities `keys` (kind and joint) along a trajectory as piecewise Chebyshev interpolants.

        Args:
            parts: consecutive parts of the trajectory.
            joints: numbers of the driven joints.
        """

        def evaluate(number: int, times: Array) -> Array:
            columns = self.quantities(joints, self.rows(parts[number], times))
            return np.stack([columns[key] for key in keys], axis=1)

        return resolved(evaluate, pieces_of(parts), keys, turning_joints(self.links, keys))

    def check(self, parts: Sequence[PartMotion], joints: Sequence[int]) -> None:
        """Check that a motion of the links is smooth enough for joints with a spring between motor and link.

        Raises:
            ArgumentError: an acceleration or its derivative jumps; the message contains joint and time.
        """
        pieces = pieces_of(parts)
        sides = [(parts[p.part], p.start, p.end, PIECE_SIDE * (p.end - p.start)) for p in pieces]
        first = [self.rows(part, np.array([start + near])) for part, start, _, near in sides]
        last = [self.rows(part, np.array([end - near])) for part, _, end, near in sides]
        inner = [self.rows(part, np.linspace(start, end, INNER)[1:-1]) for part, start, end, _ in sides]
        for name, what in (("qdd", "acceleration"), ("qddd", "third derivative")):
            ends = np.array([[a[name][0], b[name][0]] for a, b in zip(first, last, strict=True)])
            jumps = np.abs(ends[1:, 0] - ends[:-1, 1])
            most = max(np.abs(ends).max(), *(np.abs(rows[name]).max() for rows in inner))
            wrong = np.argwhere(jumps > MOTION_JUMP * most)
            if len(wrong):
                k, column = (int(x) for x in wrong[0])
                raise ArgumentError(
                    f"the {what} of joint {joints[column]} jumps at t = "
                    f"{pieces[k + 1].begin + pieces[k + 1].start:g} "
                    "s, which a motor behind a spring cannot follow",
                    hint=SMOOTH,
                )

    def warnings(self, rows: MotorRows, joints: Sequence[int]) -> Iterator[str]:
        """Yield warnings about motors that move at the start or end of the motion while their links are at rest."""
        for j in self.elastic:
            k = list(joints).index(j)
            for row, word in ((0, "starts"), (-1, "ends")):
                speed, most = rows["qmd"][row, k], np.abs(rows["qmd"][:, k]).max()
                if rows["qd"][row, k] == 0 and abs(speed) > MOTION_JUMP * most:
                    yield (
                        f"the motor of joint {j} {word} with a velocity of {speed:.4g} while its link is at rest, "
                        "because "
                        f"the third derivative of the trajectory is not zero there; {SMOOTH}"
                    )
