"""The computed-torque control law, with compensation of dry friction.

    tau = ID(q, qd, qdd_r + kd (qd_r - qd) + kp (q_r - q)) + C(q, qd_r),     C = sum_j w_j(q)' F_j sign(w_j qd_r)

with F_j = FS_j + FB_j exp(-(w_j qd_r / VS_j)^2). Load-dependent friction is then added: tau / (1 - FL s), where s is
the sign of qd_r times that of tau.

ID is the generated inverse dynamic model without dry friction, the index r denotes the reference motion. This is
exact feedback linearisation: the error e = q_r - q satisfies e'' + kd e' + kp e = 0. C is the dry friction of the
reference motion; the row vector w_j maps the velocities of the coordinates to the velocity of joint j. The sign is
that of the reference velocity, because the sign of a measured velocity near zero is determined by round-off. A joint
whose reference velocity is zero has no compensation.

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

HALVINGS = 60  # bisections of an interval between samples, beyond the round-off of its times


def smooth_part(robot: Robot) -> Robot:
    """Return the robot without dry friction."""
    return robot.replace(
        frames=tuple(replace(frame, FS=ZERO, FB=ZERO, FL=ZERO) for frame in robot.frames),
        motors=tuple(replace(motor, FSM=ZERO) for motor in robot.motors),
    )


class DesiredFriction:
    """Dry friction torques along a reference motion.

    Attributes:
        jumps: times at which the torques are discontinuous, because a desired velocity becomes zero or nonzero.
    """

    def __init__(self, robot: Robot, values: Mapping[str, float], reference: Samples) -> None:
        self._function = _friction_alone(robot, values)
        joints = coordinates_of(robot)
        self._load = np.array([robot.frame(j).FL.value(values) for j in joints])
        self._rests = DESIRED_AT_REST * np.abs(reference.qd).max(axis=0)
        smooth = self._function is None and not self._load.any()
        self.jumps = () if smooth else tuple(_rest_crossings(reference, self._rests))
        self._tied = self._function is not None and any(
            port.name == "qda" for port in self._function.program.inputs
        )

    def torques(self, q: Array, qd: Array) -> Array:
        """Return the generalised friction torques (n,).

        Args:
            q: positions of all joints of the tree.
            qd: desired velocities of the generalised coordinates (n,).
        """
        if self._function is None:
            return np.zeros(len(qd))
        moves = np.where(np.abs(qd) > self._rests, qd, 0.0)
        given = {"qda": moves, "qdda": 0 * moves} if self._tied else {"qd": moves, "qdd": 0 * moves}
        return np.asarray(self._function(q=q, **given)["tau"])

    def loaded(self, torques: Array, qd: Array) -> Array:
        """Return the torques (n,) that overcome load-dependent friction as well.

        Args:
            torques: torques without this friction (n,).
            qd: desired velocities of the generalised coordinates (n,).
        """
        signs = np.where(np.abs(qd) > self._rests, np.sign(qd), 0.0)
        return np.asarray(torques / (1 - self._load * signs * np.sign(torques)))


def _friction_alone(robot: Robot, values: Mapping[str, float]) -> Function | None:
    """Return a function that computes only the torques of dry friction; None if the robot has no dry friction.

    Args:
        values: numbers for the symbols of the robot.
    """
    dry = (*(x for frame in robot.frames for x in (frame.FS, frame.FB)), *(m.FSM for m in robot.motors))
    if all(x == ZERO for x in dry):
        return None
    frames = (replace(frame, IA=ZERO, FV=ZERO, FO=ZERO, FL=ZERO) for frame in robot.frames)
    motors = tuple(replace(motor, IAM=ZERO, FVM=ZERO) for motor in robot.motors)
    base = replace(robot.base, G=(ZERO, ZERO, ZERO))
    links = tuple(Link() for _ in robot.links)
    alone = robot.replace(frames=tuple(frames), links=links, base=base, motors=motors)
    symbols = alone.symbols()
    return generate(alone, "inverse-dynamics").function(
        {name: value for name, value in values.items() if name in symbols}
    )


def _rest_crossings(samples: Samples, rests: Array) -> list[float]:
    """Return the times at which a desired velocity becomes zero or nonzero, located by bisection.

    Args:
        samples: the reference motion.
        rests: per coordinate, the speed below which a joint is considered to be at rest.
    """
    times: set[float] = set()
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
            times.update(map(float, high))
    return sorted(times)


@dataclass(frozen=True, eq=False)
class ComputedTorque:
    """Computed-torque control law along a reference motion, callable as tau(t, state).

    Attributes:
        reference: the desired motion.
        torques: the inverse dynamic model ID without dry friction.
        friction: compensation of the dry friction of the desired motion.
        kp, kd: gains (1/s2 and 1/s).
        tied: whether ID has the velocities of the active joints as input (closed loops, wheels).
    """

    reference: Samples
    torques: Function
    friction: DesiredFriction
    kp: Array
    kd: Array
    tied: bool

    @property
    def jumps(self) -> tuple[float, ...]:
        """Times in seconds at which the torque is discontinuous."""
        return self.friction.jumps

    def __call__(self, t: float, state: State) -> Array:
        q, qd, qdd = (x[0] for x in self.reference.at(t))
        wanted = qdd + self.kd * (qd - state.qd) + self.kp * (q - state.q)
        names = ("qda", "qdda") if self.tied else ("qd", "qdd")
        tree = state.parts["tree"] if self.tied else state.q
        outputs = self.torques(q=tree, **dict(zip(names, (state.qd, wanted), strict=True)))
        return self.friction.loaded(outputs["tau"] + self.friction.torques(tree, qd), qd)


def computed_torque(
    robot: RobotLike,
    reference: Trajectory | Samples,
    *,
    kp: ArrayLike = 400.0,
    kd: ArrayLike = 40.0,
    values: Mapping[str, float] | None = None,
    step: float = 0.001,
) -> ComputedTorque:
    """Return the computed-torque law along a reference motion, as a controller for `simulate`.

        law = symoro.controllers.computed_torque(robot, trajectory, kp=400, kd=40)
        symoro.simulate(robot, 2.0, q="home", tau=law)

    Dry friction is compensated with the sign of the desired velocity; a joint with desired velocity zero has no
    compensation.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        reference: the desired motion, a trajectory or samples.
        kp, kd: gains (1/s2 and 1/s), one number or one per coordinate; kd = 2 sqrt(kp) is critical damping.
        values: numbers for symbols in the controller, which may differ from those of the simulated robot.
        step: seconds between the samples of a trajectory.

    Raises:
        NotApplicableError: some coordinates are not driven (floating, elastic or flexible robots, passive joints), or
            the description of the robot prescribes torques.
    """
    described = as_robot(robot)
    check_rates(described)
    if not described.wheels and (why := follows_from_forces(described)):
        raise NotApplicableError(
            f"the computed-torque law requires that all coordinates of robot '{described.name}' are driven: {why}",
            hint="prescribe the motion of joints (driven=...), or give another controller",
        )
    if fixed := [j for j in coordinates_of(described) if described.frame(j).GAM is not None]:
        raise NotApplicableError(
            f"the computed-torque law requires that all coordinates are driven; the torque of joint {fixed[0]} of "
            f"robot '{described.name}' is prescribed (GAM)"
        )
    samples = (
        reference
        if isinstance(reference, Samples)
        else sampled(described, reference, step=step, values=values)
    )
    samples = driven_columns(described, samples)
    model = generate(smooth_part(described), "inverse-dynamics")
    numbers = {**dict(described.nominal), **(values or {})}
    own = model.robot.symbols()
    torques = model.function({name: value for name, value in numbers.items() if name in own})
    gains = np.asarray(kp, dtype=float), np.asarray(kd, dtype=float)
    tied = "qda" in model.inputs
    return ComputedTorque(samples, torques, DesiredFriction(described, numbers, samples), *gains, tied)
