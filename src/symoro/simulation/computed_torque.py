"""The computed-torque control law, with compensation of Coulomb friction.

    tau = ID(q, qd, qdd_r + kd (qd_r - qd) + kp (q_r - q)) + C(q, qd_r),     C = sum_j w_j(q)' FS_j sign(w_j qd_r)

ID is the generated inverse dynamic model without Coulomb friction, r the reference: exact feedback linearisation, the
error obeys e'' + kd e' + kp e = 0. C is the Coulomb friction of the desired motion, w_j the row of joint j over the
coordinates. Its sign is that of the desired velocity: at rest the last digit of the measured velocity would decide
whether the torque holds a joint that should start, or drives one that should rest. A joint that is desired to rest has
no compensation.

W. Khalil, E. Dombre, "Modeling, identification and control of robots", Hermes Penton, 2002, section 14.4;
B. Armstrong-Helouvry, P. Dupont, C. Canudas de Wit, "A survey of models, analysis tools and compensation methods for
the control of machines with friction", Automatica 30 (7), 1994, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import NotApplicableError
from symoro.expr.formula import ZERO
from symoro.model import generate
from symoro.robot.description import Link, Robot
from symoro.robot.formats import RobotLike, as_robot
from symoro.runtime.function import Function
from symoro.simulation.mechanics import State
from symoro.simulation.tolerances import DESIRED_AT_REST
from symoro.trajectory.prescribed import check_rates
from symoro.trajectory.robot_samples import driven_columns
from symoro.trajectory.samples import Samples
from symoro.trajectory.sampling import coordinates_of, follows_from_forces, sampled
from symoro.trajectory.trajectory import Trajectory

Array = NDArray[np.float64]

HALVINGS = 60


def smooth_part(robot: Robot) -> Robot:
    """The robot without Coulomb friction."""
    return robot.replace(frames=tuple(replace(frame, FS=ZERO) for frame in robot.frames))


class DesiredFriction:
    """The Coulomb friction along a reference.

    Attributes:
        jumps: moments at which it jumps, as a desired velocity comes to zero or leaves it.
    """

    def __init__(self, robot: Robot, values: Mapping[str, float], reference: Samples) -> None:
        self._function = _friction_alone(robot, values)
        self._rests = DESIRED_AT_REST * np.abs(reference.qd).max(axis=0)
        self.jumps = () if self._function is None else tuple(_passings(reference, self._rests))
        self._tied = self._function is not None and any(
            port.name == "qda" for port in self._function.program.inputs
        )

    def torques(self, q: Array, qd: Array) -> Array:
        """The torques of the coordinates, with `q` the joints of the tree and `qd` the desired velocities."""
        if self._function is None:
            return np.zeros(len(qd))
        moves = np.where(np.abs(qd) > self._rests, qd, 0.0)
        given = {"qda": moves, "qdda": 0 * moves} if self._tied else {"qd": moves, "qdd": 0 * moves}
        return np.asarray(self._function(q=q, **given)["tau"])


def _friction_alone(robot: Robot, values: Mapping[str, float]) -> Function | None:
    """The inverse dynamic model of the robot with nothing but its Coulomb friction; None where it has none."""
    if all(frame.FS == ZERO for frame in robot.frames):
        return None
    frames = (replace(frame, IA=ZERO, FV=ZERO, FO=ZERO) for frame in robot.frames)
    base = replace(robot.base, G=(ZERO, ZERO, ZERO))
    alone = robot.replace(frames=tuple(frames), links=tuple(Link() for _ in robot.links), base=base)
    symbols = alone.symbols()
    return generate(alone, "inverse-dynamics").function(
        {name: value for name, value in values.items() if name in symbols}
    )


def _passings(samples: Samples, rests: Array) -> list[float]:
    """Where velocities come to be rest, or are no longer."""
    found: set[float] = set()
    for k, rest in enumerate(rests):
        for level in (-rest, rest):
            above = samples.qd[:, k] > level
            at = np.flatnonzero(above[1:] != above[:-1])
            low, high = samples.t[at], samples.t[at + 1]
            for _ in range(HALVINGS if len(at) else 0):
                middle = (low + high) / 2
                rate = samples.at(middle)[1][:, k]
                same = (rate > level) == above[at]
                low, high = np.where(same, middle, low), np.where(same, high, middle)
            found.update(map(float, high))
    return sorted(found)


@dataclass(frozen=True, eq=False)
class ComputedTorque:
    """The computed-torque law of a robot along a reference.

    Attributes:
        torques: ID; `tied` where it takes the velocities of active joints.
        friction: C.
    """

    reference: Samples
    torques: Function
    friction: DesiredFriction
    kp: Array
    kd: Array
    tied: bool

    @property
    def jumps(self) -> tuple[float, ...]:
        """Moments at which the torque jumps."""
        return self.friction.jumps

    def __call__(self, t: float, state: State) -> Array:
        q, qd, qdd = (x[0] for x in self.reference.at(t))
        wanted = qdd + self.kd * (qd - state.qd) + self.kp * (q - state.q)
        names = ("qda", "qdda") if self.tied else ("qd", "qdd")
        tree = state.parts["tree"] if self.tied else state.q
        found = self.torques(q=tree, **dict(zip(names, (state.qd, wanted), strict=True)))
        return np.asarray(found["tau"] + self.friction.torques(tree, qd))


def computed_torque(
    robot: RobotLike,
    reference: Trajectory | Samples,
    *,
    kp: ArrayLike = 400.0,
    kd: ArrayLike = 40.0,
    values: Mapping[str, float] | None = None,
    step: float = 0.001,
) -> ComputedTorque:
    """The computed-torque law along a reference, as a controller for `simulate`.

    Coulomb friction is compensated by the desired velocity's sign: a joint that is desired to rest gets none.

    Arguments:
        kp, kd: gains, one number or one a coordinate; kd = 2 sqrt(kp) damps the error critically.
        values: the controller's numbers for symbols, which may differ from the robot's.
        step: of the samples of a trajectory.

    Raises:
        NotApplicableError: not all that moves is driven: floating, elastic and flexible robots, passive joints, fixed
            torques.
    """
    asked = as_robot(robot)
    check_rates(asked)
    if not asked.wheels and (why := follows_from_forces(asked)):
        raise NotApplicableError(
            f"the computed-torque law takes all joints as driven, and of robot '{asked.name}' {why}",
            hint="let joints follow a motion (driven=...), or give a law of your own",
        )
    if fixed := [j for j in coordinates_of(asked) if asked.frame(j).GAM is not None]:
        raise NotApplicableError(
            f"the computed-torque law takes all joints as driven, and robot '{asked.name}' fixes the torque of "
            f"joint {fixed[0]} (GAM)"
        )
    samples = (
        reference if isinstance(reference, Samples) else sampled(asked, reference, step=step, values=values)
    )
    samples = driven_columns(asked, samples)
    model = generate(smooth_part(asked), "inverse-dynamics")
    numbers = {**dict(asked.nominal), **(values or {})}
    own = model.robot.symbols()
    torques = model.function({name: value for name, value in numbers.items() if name in own})
    gains = np.asarray(kp, dtype=float), np.asarray(kd, dtype=float)
    tied = "qda" in model.inputs
    return ComputedTorque(samples, torques, DesiredFriction(asked, numbers, samples), *gains, tied)
