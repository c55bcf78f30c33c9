"""Motors behind springs along a trajectory of the links: their motion and torques, and what they cannot follow.

The torques need the fourth derivative of the motion (`models/dynamic/actuated_motion`). So the trajectory must give all
joints, the links of elastic ones included, and its third derivative must not jump, as a motor's velocity would.
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
from symoro.simulation.piecewise_chebyshev import Panels, QuantityKey, resolved
from symoro.simulation.tolerances import MOTION_JUMP, PIECE_SIDE
from symoro.trajectory.sampling import JointMoments, PartMotion

Array = NDArray[np.float64]

MotorRows = dict[str, Array]
INNER = 9  # moments of a piece that tell sizes, its ends included
SMOOTH = "law: nonic makes moves that start and end smoothly"


@dataclass(frozen=True, eq=False)
class MotorDrives:
    """The motors of a robot with numbers.

    Attributes:
        links: the robot whose joints a trajectory tells.
        elastic: joints with a motor behind a spring.
    """

    robot: Robot
    links: Robot
    elastic: tuple[int, ...]
    values: Mapping[str, float]
    function: Function

    @classmethod
    def of(cls, robot: Robot, values: Mapping[str, float]) -> MotorDrives:
        """Those of a robot.

        Raises:
            NotApplicableError: it has none.
        """
        function = Function(actuated_motion(robot), values, robot=robot)
        return cls(robot, links_alone(robot), tuple(elastic_joints(robot)), values, function)

    def rows(self, part: PartMotion, times: Array) -> MotorRows:
        """Motion of the links and motors, and torques, at moments of a part."""
        assert isinstance(part.moments, JointMoments)  # no loops, no poses
        q, qd, qdd, _ = part.at(times)
        third, fourth = part.moments.path.higher(times)
        found = self.function(q=q, qd=qd, qdd=qdd, qddd=third, qdddd=fourth)
        return {
            "q": q,
            "qd": qd,
            "qdd": qdd,
            "qddd": third,
            **{name: np.asarray(x) for name, x in found.items()},
        }

    def at(self, parts: Sequence[PartMotion], t: Array) -> MotorRows:
        """The same at moments of the whole trajectory."""
        begins = np.array([part.begin for part in parts])
        number = np.clip(np.searchsorted(begins, t, side="right") - 1, 0, None)
        rows = [self.rows(part, t[number == k] - part.begin) for k, part in enumerate(parts)]
        return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}

    def quantities(self, joints: Sequence[int], rows: MotorRows) -> dict[QuantityKey, Array]:
        """What is told of the joints; the power is that of the motors."""
        motion = rows["q"], rows["qd"], rows["qdd"], None
        found = quantities(self.links, self.values, joints, motion, rows["tau"], {})
        power = rows["tau"] * rows["qmd"]
        return found | {("power", j): power[:, k] for k, j in enumerate(joints)}

    def whole(
        self, parts: Sequence[PartMotion], joints: Sequence[int], keys: Sequence[QuantityKey]
    ) -> Panels:
        """The quantities along the parts, at moments that they ask for themselves."""

        def evaluate(number: int, times: Array) -> Array:
            found = self.quantities(joints, self.rows(parts[number], times))
            return np.stack([found[key] for key in keys], axis=1)

        return resolved(evaluate, pieces_of(parts), keys, turning_joints(self.links, keys))

    def check(self, parts: Sequence[PartMotion], joints: Sequence[int]) -> None:
        """Raise where the motion is not smooth enough to be followed.

        Raises:
            ArgumentError: with joint and time.
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
                    f"the {what} of joint {joints[column]} jumps at t = {pieces[k + 1].begin + pieces[k + 1].start:g} "
                    "s: no motor behind a spring can follow that",
                    hint=SMOOTH,
                )

    def warnings(self, rows: MotorRows, joints: Sequence[int]) -> Iterator[str]:
        """Motors that do not rest where their links do."""
        for j in self.elastic:
            k = list(joints).index(j)
            for row, word in ((0, "starts"), (-1, "ends")):
                speed, most = rows["qmd"][row, k], np.abs(rows["qmd"][:, k]).max()
                if rows["qd"][row, k] == 0 and abs(speed) > MOTION_JUMP * most:
                    yield (
                        f"the motor of joint {j} {word} with a velocity of {speed:.4g} while its link rests, as the "
                        f"third derivative of the trajectory is not zero there; {SMOOTH}"
                    )
