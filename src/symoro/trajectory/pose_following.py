"""Joint motions that follow a path of poses, on the solution branch of the initial posture.

At a pose with twist V and its time derivative Vd

    S J qd = S V,     S J qdd = S (Vd - Jdot qd) + ...

where S selects the entries of the pose that are given: all of V and Vd, or, for the entry in row r and column c of the
rotation matrix, (w x c)_r and its derivative (c also denotes this column, w is the angular velocity). The omitted terms
are the centripetal terms of these entries. For a redundant robot qd is the solution of least norm, and qdd contains the
term (1 - J^+ J) Jdot' J^+' qd, with which qd remains the solution of least norm.

At each time the posture is the solution of the inverse geometric model that is nearest to the predicted posture, or the
result of Newton's method started at the predicted posture. It is accepted if the motion since the previous time agrees
with the velocities and accelerations at both times,

    q1 - q0 = h (qd0 + qd1)/2 - h^2 (qdd1 - qdd0)/12,     h = time between them.

Otherwise the step is halved, so that a jump to another branch is not accepted as a motion. If no step is small enough,
or the determinant of J changes its sign, the branch ends, and an error reports the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, NotApplicableError
from symoro.model import generate
from symoro.models.geometric.inverse.chain.pose import given_entries
from symoro.models.geometric.inverse.redundancy import has_redundant_joint
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.models.numeric.rotation import hat, logarithm
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.robot.size import joint_units
from symoro.runtime.ranges import joint_ranges
from symoro.runtime.solutions import nearest
from symoro.trajectory.paths import PoseMotion, PosesThrough, Round, Straight
from symoro.trajectory.tolerances import (
    POSE_AGREEMENT,
    POSE_DIFFERENCE,
    POSE_MET,
    POSE_ROUND_OFF,
    POSE_STILL,
    SINGULAR_POSE,
)

Array = NDArray[np.float64]

PosePath = Straight | Round | PosesThrough

# Lengths and positions of prismatic joints are in units of the robot's reach.
HALVINGS = 16
NEWTON = 25


@dataclass(frozen=True, eq=False)
class PathState:
    """State of the robot at one pose of a path.

    Attributes:
        q: positions of all joints of the tree.
        qd, qdd: velocities and accelerations of the driven joints.
        jacobian: Jacobian of the given entries of the pose, scaled by the units of the entries and of the joints.
    """

    q: Array
    qd: Array
    qdd: Array
    jacobian: Array


class Follower:
    """Solver for the joint motion with which a frame of a robot follows a path of poses."""

    def __init__(
        self,
        robot: Robot,
        frame: int | str | None,
        pose: str,
        method: str,
        values: Mapping[str, float],
    ) -> None:
        self.robot = robot
        self.joints = independent(robot)
        self.driven = active_joints(robot) if robot.B else self.joints
        self._at = [self.joints.index(j) for j in self.driven]
        self._given = np.array(given_entries(pose))
        self._whole = bool(self._given.all())
        own: dict[str, Any] = {} if frame is None else {"to": frame}
        self.place = generate(robot, "fast-geometry", **own).function(values)
        self._jacobian = generate(robot, "jacobian", **own).function(values)
        self._bias = generate(robot, "jdot-qdot", **own).function(values)
        self._loops = generate(robot, "loop-kinematics").function(values) if robot.B else None
        self._inverse = self._solver(own, pose, method, values)
        self._size = joint_ranges(robot, values, limits=False).reach
        lengths = [c == 3 for r in range(3) for c in range(4) if self._given[r, c]]
        self._weights = np.where([1, 1, 1, 0, 0, 0] if self._whole else lengths, 1 / self._size, 1.0)
        self._units = np.array(joint_units(robot, self.driven, self._size))
        self._tree_units = np.array(joint_units(robot, self.joints, self._size))
        self.rank = self._generic_rank()

    def _solver(self, own: dict[str, Any], pose: str, method: str, values: Mapping[str, float]) -> Any:
        """Return the compiled inverse geometric model; None if Newton's method is used instead.

        Args:
            own: option `to` of the models (the frame), or empty.
            pose: option `pose` of the model: which entries of a pose are given.
            method: 'algebraic', 'numeric' or 'auto'.
            values: values of the robot's symbols.
        """
        if method == "numeric":
            if self.robot.B:
                raise NotApplicableError(
                    f"robot '{self.robot.name}' has closed loops, for which the numeric method does not exist",
                    hint="use 'method: algebraic'",
                )
            return None
        try:
            # the model of platforms takes whole poses and has no option 'pose'
            partial = {} if pose == "full" else {"pose": pose}
            model = generate(self.robot, "inverse-geometry", **partial, **own)
            if not has_redundant_joint(model.program):
                return model.function(values)
            # Its closed form keeps one joint, but the joint velocities of a motion have the least norm.
            raise NotApplicableError(
                f"robot '{self.robot.name}' is redundant, and its motion is computed by the numeric method",
                hint="use 'method: numeric'",
            )
        except NotApplicableError:
            if method == "algebraic" or self.robot.B:
                raise
            return None

    def _generic_rank(self) -> int:
        """Return the largest rank, over random postures, of the Jacobian of the given pose entries."""
        if self.robot.B:
            return len(self.driven)
        drawn = np.random.default_rng(3).uniform(-1, 1, (8, len(self.joints))) * self._tree_units
        return max(self._rank(self._matrix(q, self.place(q=q)["T"])) for q in drawn)

    def _rank(self, matrix: Array) -> int:
        values = np.linalg.svd(self._scaled(matrix) * self._units, compute_uv=False)
        return int((values > SINGULAR_POSE * values[0]).sum()) if values.size and values[0] > 0 else 0

    def _scaled(self, matrix: Array) -> Array:
        """Return a Jacobian with the rows of linear velocities divided by the robot's reach."""
        return matrix * self._weights[:, None]

    def _pseudo_inverse(self, scaled: Array) -> Array:
        """Return the pseudo-inverse of a scaled Jacobian, which gives joint velocities of least norm.

        The norm is computed in joint units: 1 rad, or the robot's reach for prismatic joints.
        """
        return np.asarray(self._units[:, None] * np.linalg.pinv(scaled * self._units, rcond=SINGULAR_POSE))

    # -- velocities and accelerations at a posture

    def _rows(self, T: Array) -> Array:
        """Return the matrix S that maps a twist (v; w) to the time derivatives of the given entries of the pose T."""
        if self._whole:
            return np.eye(6)
        rows = []
        for r in range(3):
            for c in range(4):
                if self._given[r, c]:
                    v = np.eye(3)[r] if c == 3 else np.zeros(3)
                    w = np.zeros(3) if c == 3 else -hat(T[:3, c])[r]
                    rows.append(np.r_[v, w])
        return np.array(rows)

    def _turning(self, T: Array, w: Array) -> Array:
        """Return the centripetal term of the second time derivative of the given entries of the pose T.

        For the entry in row r and column c of the rotation matrix it is (w x (w x c))_r, where c denotes the column;
        for the position it is zero.

        Args:
            w: angular velocity.
        """
        if self._whole:
            return np.zeros(6)
        second = hat(w) @ hat(w) @ T[:3, :3]
        return np.array(
            [second[r, c] if c < 3 else 0.0 for r in range(3) for c in range(4) if self._given[r, c]]
        )

    def _matrix(self, q: Array, T: Array) -> Array:
        return np.asarray(self._rows(T) @ self._jacobian(q=q)["J"])

    def tree_rates(self, q: Array, qd: Array) -> Array:
        """Return the velocities of all joints of the tree from the velocities qd of the driven joints."""
        if self._loops is None:
            return qd
        rates = np.zeros(len(self.joints))
        passive = [k for k in range(len(self.joints)) if k not in self._at]
        rates[self._at] = qd
        rates[passive] = self._loops(q=q, qd=np.zeros(len(self.joints)))["W"] @ qd
        return rates

    def state(self, q: Array, T: Array, V: Array, Vd: Array, t: float) -> PathState:
        """Compute the joint velocities and accelerations with which the robot follows the path at a posture.

        Args:
            q: positions of all joints of the tree.
            T, V, Vd: pose on the path, twist of the path and its time derivative.
            t: time in seconds, for messages.

        Raises:
            ArgumentError: the posture is singular, or the robot cannot perform the motion.
        """
        here = self.place(q=q)["T"]
        matrix = self._matrix(q, here)
        scaled = self._scaled(matrix)
        rank = self._rank(matrix)
        if rank < self.rank:
            raise _singular(q, t)
        weights = self._weights
        inverse = self._pseudo_inverse(scaled)
        first = (self._rows(T) @ V) * weights
        qd = inverse @ first
        if not _agrees(scaled @ qd, first):
            raise self._motion_error(q, t)
        speeds = np.abs(qd) / self._units
        moving = np.where(speeds < POSE_STILL * speeds.max(initial=0.0), 0.0, qd)
        if _agrees(scaled @ moving, first):  # near a singular posture small velocities matter
            qd = moving  # otherwise friction would act on round-off
        bias = self._bias(q=q, **({"qda": qd} if self.robot.B else {"qd": qd}))["a"]
        w = (self._jacobian(q=q)["J"] @ qd)[3:]
        second = self._rows(T) @ Vd + self._turning(T, V[3:])
        second = (second - self._rows(here) @ bias - self._turning(here, w)) * weights
        qdd = inverse @ second
        if self.rank < len(self.driven):
            qdd = qdd + self._drift(q, qd, scaled, inverse)
        return PathState(q, qd, qdd, scaled * self._units)

    def _motion_error(self, q: Array, t: float) -> ArgumentError:
        """Return the error for a path velocity that the robot cannot have at the posture q and time t.

        The reason is a nearly singular posture, or too few joints.
        """
        if self.rank >= len(self._weights):
            return _singular(q, t)
        return ArgumentError(
            f"the robot has too few joints for the motion of the path at t = {t:g} s",
            hint="select the entries of the pose to be followed, for example 'pose: position'",
        )

    def _drift(self, q: Array, qd: Array, scaled: Array, inverse: Array) -> Array:
        """Return the joint acceleration term with which the joint velocity remains the solution of least norm.

        It is (1 - J^+ J) Jdot' J^+' qd, computed in joint units.

        Args:
            q, qd: joint positions and velocities.
            scaled, inverse: scaled Jacobian and its pseudo-inverse.
        """
        size = float((np.abs(qd) / self._units).max())
        if size == 0.0:
            return np.zeros_like(qd)
        h = POSE_DIFFERENCE / size
        sides = [self._scaled(self._matrix(x, self.place(q=x)["T"])) for x in (q - h * qd, q + h * qd)]
        squares = self._units**2
        turned = squares * (((sides[1] - sides[0]) / (2 * h)).T @ (inverse.T @ (qd / squares)))
        return np.asarray(turned - inverse @ (scaled @ turned))

    # -- postures

    def start(self, T: Array, near: Array) -> Array:
        """Return the joint positions that reach the pose T and are nearest to the posture `near`."""
        if self._inverse is not None:
            solution = nearest(self._rows_of(T, near), near, robot=self.robot)
            if solution.index < 0:
                raise ArgumentError("no posture within the joint limits reaches the initial pose")
            return np.asarray(solution.q)
        positions = self._newton(near, T)
        if positions is None:
            raise ArgumentError(
                "Newton's method does not converge to the initial pose",
                hint="give an initial posture nearer to it",
            )
        return positions

    def _rows_of(self, T: Array, near: Array) -> Any:
        """Return all solutions of the inverse geometric model at the pose T.

        Joints that the pose does not determine keep their positions of the posture `near`.
        """
        takes = any(port.name == "q0" for port in self._inverse.program.inputs)
        return self._inverse(T=T, q0=near) if takes else self._inverse(T=T)

    def _solved(self, T: Array, predicted: Array) -> Array | None:
        """Return the joint positions that reach the pose T, nearest to a predicted posture; None if there are none.

        Args:
            predicted: joint positions of the predicted posture.
        """
        if self._inverse is None:
            return self._newton(predicted, T)
        solution = nearest(self._rows_of(T, predicted), predicted, robot=self.robot, limits=False)
        return None if solution.index < 0 else np.asarray(solution.q)

    def _newton(self, q: Array, T: Array) -> Array | None:
        for _ in range(NEWTON):
            here = self.place(q=q)["T"]
            error = self._error(here, T)
            if np.abs(error).max(initial=0.0) < POSE_MET:
                return q
            matrix = self._scaled(self._matrix(q, here))
            step = self._pseudo_inverse(matrix) @ error
            if not np.isfinite(step).all():
                return None
            q = q + step * min(1.0, 0.5 / max(float((np.abs(step) / self._units).max()), 1e-300))
        return None

    def _error(self, here: Array, T: Array) -> Array:
        if self._whole:
            turn = here[:3, :3] @ logarithm(here[:3, :3].T @ T[:3, :3])
            return np.concatenate([(T[:3, 3] - here[:3, 3]) / self._size, turn])
        miss = (T - here)[:3] / np.array([1.0, 1.0, 1.0, self._size])
        return np.asarray(miss[self._given])

    # -- along a path

    def begun(self, path: PosePath, q: Array, begin: float) -> PathState:
        """Return the state at the start of a path of poses.

        Args:
            q: joint positions that reach the first pose of the path.
            begin: start time of the path in seconds, for messages.
        """
        return self._state_at(path.at(np.zeros(1)), 0, q, begin)

    def advanced(
        self,
        path: PosePath,
        known: PoseMotion,
        row: int,
        state: PathState,
        now: float,
        end: float,
        begin: float,
    ) -> list[tuple[float, PathState]]:
        """Follow a path to a later time; steps that are too long are bisected.

        Args:
            path: the path of poses.
            known: poses of the path at several times, which include the later time.
            row: index of the later time in `known`.
            state: present state.
            now: present time in seconds from the start of the path.
            end: the later time in seconds from the start of the path.
            begin: start time of the path, added to times in messages.

        Returns:
            All intermediate times with their states; the last one is the later time.
        """
        states: list[tuple[float, PathState]] = []
        ends = [(end, 0, known, row)]
        while ends:
            end, depth, motion, row = ends[-1]
            stepped = self._stepped(state, end - now, motion, row, begin + end)
            if stepped is not None:
                state, now = stepped, end
                states.append((now, state))
                ends.pop()
            elif depth >= HALVINGS:
                raise ArgumentError(
                    f"the solution branch ends at t = {begin + now:g} s: the next pose is out of reach, or beyond a "
                    "singular "
                    f"posture; q = {_shown(state.q)}",
                    hint="change the path, or start on another solution branch",
                )
            else:
                middle = (now + end) / 2
                ends.append((middle, depth + 1, path.at(np.array([middle])), 0))
        return states

    def _state_at(self, known: PoseMotion, k: int, q: Array, t: float) -> PathState:
        return self.state(q, known.T[k], known.V[k], known.Vd[k], t)

    def _stepped(
        self, state: PathState, h: float, motion: PoseMotion, row: int, t: float
    ) -> PathState | None:
        """Return the state after one step along a path; None if the step is too long.

        Args:
            state: state before the step.
            h: length of the step in seconds.
            motion, row: poses of the path, and the index of the pose at the end of the step.
            t: time at the end of the step, for messages.
        """
        rates = self.tree_rates(state.q, state.qd)
        guess = state.q + h * rates
        if self.robot.B == 0:
            guess = guess + h**2 / 2 * state.qdd
        redundant = self._inverse is None and self.rank < len(self.driven)
        reached: PathState | None = None
        for _ in range(3 if redundant else 1):
            q = self._solved(motion.T[row], guess)
            if q is None:
                return None
            try:
                reached = self._state_at(motion, row, q, t)
            except ArgumentError:
                if h < 1e-4:
                    raise
                return None
            guess = (
                state.q + h / 2 * (state.qd + reached.qd) - h**2 / 12 * (reached.qdd - state.qdd)
                if redundant
                else guess
            )
        assert reached is not None
        return reached if self._agree(state, reached, h) else None

    def _agree(self, a: PathState, b: PathState, h: float) -> bool:
        change = (b.q - a.q)[self._at] / self._units
        expected = (h / 2 * (a.qd + b.qd) - h**2 / 12 * (b.qdd - a.qdd)) / self._units
        size = h * float((np.abs(a.qd) / self._units).max() + (np.abs(b.qd) / self._units).max())
        if np.abs(change - expected).max() > POSE_AGREEMENT * size + POSE_ROUND_OFF:
            return False
        wide = a.jacobian.shape[0] < a.jacobian.shape[1]
        product = a.jacobian @ b.jacobian.T if wide else a.jacobian.T @ b.jacobian
        return bool(self.rank < min(product.shape) or np.linalg.det(product) > 0)


def _agrees(rates: Array, wanted: Array) -> bool:
    return bool(np.abs(rates - wanted).max(initial=0.0) <= 1e-6 * max(np.abs(wanted).max(initial=0.0), 1e-3))


def _singular(q: Array, t: float) -> ArgumentError:
    return ArgumentError(
        f"the solution branch ends at t = {t:g} s in a singular posture: q = {_shown(q)}",
        hint="change the path so that it avoids this posture, or move past it with a part 'joints' of the trajectory",
    )


def _shown(q: Array) -> str:
    return "[" + ", ".join(f"{x:.4g}" for x in q) + "]"
