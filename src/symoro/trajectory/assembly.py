"""Closed loops along a motion: the passive joints are computed from the active ones, in one assembly mode.

Joints of parallelograms follow others by linear relations (`geometric.loop.parallelogram`). The remaining loops are
closed by Newton's method (`models.numeric.closure`), for many samples at once, starting from the preceding posture. A
step from sample k to sample k+1, in which the active and passive joint positions change by dqa and dqp, is accepted if

    Jp is regular at both,   det(Jp(k)' Jp(k+1)) > 0,   dqp = (W(k) + W(k+1))/2 dqa  within AGREEMENT,

where Jp and Ja are the derivatives of the loop-closure equations with respect to the passive and the active joint
positions qp and qa, and W = -Jp^+ Ja. Otherwise the step is halved. So neither a jump to another assembly mode nor a
path through a singular configuration is accepted as a motion.

`LoopAssembly` follows many samples, `LoopCloser` closes the loops near given postures, and `first_posture` chooses the
assembly mode in which a motion starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, FormatError, NotClosedError, Place, SymoroError, UnknownNameError
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.models.geometric.loop.parallelogram import linear_loops
from symoro.models.kinematic.loop.choice import loop_choice
from symoro.models.numeric.closure import around, balanced_closure, closed, least_squares
from symoro.models.numeric.tree import NumericTree, joint_positions, numeric_tree
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.trajectory.tolerances import (
    AGREEMENT,
    AGREEMENT_ROUND_OFF,
    CROSSED,
    LEAP,
    LEAST_SHARE,
    POSTURE_READ,
    SAME_POSTURE,
    SINGULAR_LOOPS,
)

Array = NDArray[np.float64]

ROWS = 512  # samples computed in one step
ROUNDS = 15
STARTS = 160
CONFIRMED = 16  # closed postures required to determine the number of assembly modes

OPEN = "the loops do not close"
SINGULAR = (
    "the loops are in a singular configuration, in which the active joints do not determine the passive ones"
)
JUMP = "the passive joints have no continuous motion: a singular configuration, or positions out of reach of the loops"


class BrokenLoopsError(NotClosedError):
    """Error if the closed loops of a robot cannot be followed along a motion.

    `row` is the index of the first sample at which the loops do not close.
    """

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(reason)
        self.row = row


class LoopAssembly:
    """Solver that follows the closed loops of a robot along a motion, in one assembly mode.

    The parameters of the robot are numbers. Methods use rows of loop coordinates: each row contains the positions
    of the tree's independent joints, followed by those of the cut joints, at one posture.

    Attributes:
        linear: whether all loops are parallelograms, which have linear relations.
        joints: numbers of the joints of the tree, in the order of postures.
        active: indices of the active joints in `joints`.
    """

    def __init__(self, robot: Robot, values: Mapping[str, float]) -> None:
        loops = loop_choice(robot).linear
        self._tree = numeric_tree(loops.robot, lambda f: f.value(values), closing=loops.open)
        own, driven = self._tree.coordinates, active_joints(robot)
        self.joints = tuple(independent(robot))
        self.active = [self.joints.index(j) for j in driven]
        self.linear = not loops.open
        self._driven = [own.index(j) for j in driven]
        self._unknown = [k for k, j in enumerate(own) if j not in driven]
        self._of_tree = [self.joints.index(j) for j in own if j in self.joints]

    @property
    def active_units(self) -> Array:
        """Unit of each active joint: 1 rad, or the largest length of the loops in metres for a prismatic joint."""
        return self._tree.units[self._driven]

    def postures(self, rows: Array) -> Array:
        """Return the positions of all joints of the tree (N, n) from N rows of loop coordinates."""
        return np.asarray(joint_positions(self._tree, rows)[:, [j - 1 for j in self.joints]])

    def row(self, posture: Sequence[float] | Array) -> Array:
        """Return the loop coordinates of a posture, after closing its loops exactly.

        Args:
            posture: positions of all joints of the tree, with which the loops may close only approximately.

        Raises:
            NotClosedError: the loops do not close near the posture.
        """
        given = np.asarray(posture, dtype=float)[self._of_tree]
        whole = np.concatenate([given, cut_joint_positions(self._tree, given)])[None]
        if self._unknown:
            whole, good = closed(self._tree, whole, self._unknown, damped=True)
            if not good[0]:
                raise NotClosedError("the loops do not close near this posture")
        return np.asarray(whole[0])

    def assemblies(self, qa: Array) -> list[Array]:
        """Return the loop coordinates of each assembly mode for given positions qa of the active joints.

        The modes are computed by Newton's method from random starts.

        Raises:
            NotClosedError: too few starts converge to determine the number of assembly modes.
        """
        chance = np.random.default_rng(1)
        turns = [self._tree.robot.frame(j).sigma == JointType.REVOLUTE for j in self._tree.coordinates]
        x = np.where(turns, chance.uniform(-np.pi, np.pi, (STARTS, len(turns))), 0.0)
        x += np.where(turns, 0.0, chance.uniform(-2, 2, x.shape)) * self._tree.units
        x[:, self._driven] = qa
        if self._unknown:
            x, good = closed(self._tree, x, self._unknown, damped=True)
            x = x[good]
            if len(x) < CONFIRMED:
                raise NotClosedError(OPEN)
        x = np.where(turns, np.remainder(x + np.pi, 2 * np.pi) - np.pi, x)
        x[:, self._driven] = qa
        distinct: list[Array] = []
        for one in x:
            if not any(self._alike(one, other, turns) for other in distinct):
                distinct.append(one)
        return distinct

    def alike(self, one: Array, other: Array) -> bool:
        """Return whether two rows of loop coordinates describe the same posture.

        Positions of revolute joints that differ by full turns are equal.
        """
        turns = [self._tree.robot.frame(j).sigma == JointType.REVOLUTE for j in self._tree.coordinates]
        return self._alike(one, other, turns)

    def _alike(self, one: Array, other: Array, turns: Sequence[bool]) -> bool:
        away = (one - other) / self._tree.units
        away = np.where(turns, np.sin(away / 2), away)
        return bool(np.abs(away).max() < SAME_POSTURE)

    def walked(self, row: Array, qa: Array) -> Array:
        """Follow the loops while the active joints move on a straight line in joint space to the positions qa.

        Args:
            row: loop coordinates at the start of the line.
            qa: positions of the active joints at the end of the line.

        Returns:
            The loop coordinates at the end of the line.

        Raises:
            BrokenLoopsError: the loops cannot be followed.
        """
        here, there = row[self._driven], np.asarray(qa, dtype=float)
        length = float(np.abs((there - here) / self._tree.units[self._driven]).max(initial=0.0))
        most = min(1.0, LEAP / length) if length > 0 else 1.0
        done, step = 0.0, most
        while done < 1.0:
            fraction = min(1.0, done + step)
            goal = here + fraction * (there - here)
            rows, reason = self._leap(row, goal[None])
            if reason is None:
                row, done, step = rows[0], fraction, min(2 * step, most)
            elif step > LEAST_SHARE * most:
                step /= 2
            else:
                raise BrokenLoopsError(0, reason)
        return row

    def along(self, qa: Array, row: Array) -> Array:
        """Follow the loops along N samples of the active joint positions.

        Args:
            qa: active joint positions (N, active).
            row: loop coordinates near the first sample.

        Returns:
            The loop coordinates at each sample, one row per sample.

        Raises:
            BrokenLoopsError: the loops cannot be followed; the error contains the sample.
        """
        coordinates = np.empty((len(qa), len(row)))
        start = 0
        while start < len(qa):
            end = self._reach(qa, start, row)
            rows, reason = self._leap(row, qa[start:end])
            for k in range(start, end) if reason is not None else ():
                try:
                    rows[k - start] = row = self.walked(row, qa[k])
                except BrokenLoopsError as error:
                    raise BrokenLoopsError(k, error.message) from None
            coordinates[start:end] = rows
            row, start = coordinates[end - 1], end
        return coordinates

    def _reach(self, qa: Array, start: int, row: Array) -> int:
        """Return the end of the range of samples whose loops Newton's method can close when it starts from `row`.

        In these samples the active joints are near their positions in `row`.

        Args:
            qa: positions of the active joints, one row per sample.
            start: index of the first sample of the range.
            row: loop coordinates near the sample `start`.

        Returns:
            The last index of the range plus one; the range contains at least one sample.
        """
        if not self._unknown:
            return len(qa)
        following = qa[start : start + ROWS]
        away = np.abs((following - row[self._driven]) / self._tree.units[self._driven]).max(axis=1)
        beyond = np.flatnonzero(away > LEAP)
        return start + max(1, int(beyond[0]) if beyond.size else len(following))

    def _leap(self, row: Array, qa: Array) -> tuple[Array, str | None]:
        """Close the loops at several samples with Newton's method, which starts from the same row for all samples.

        Args:
            row: loop coordinates at which Newton's method starts.
            qa: positions of the active joints, one row per sample.

        Returns:
            The loop coordinates at each sample, and the reason of a failure (None for success).
        """
        rows = np.repeat(row[None], len(qa), 0)
        rows[:, self._driven] = qa
        if not self._unknown:
            return rows, None
        rows, good = closed(self._tree, rows, self._unknown, ROUNDS)
        if not good.all():
            return rows, OPEN
        return rows, self._broken(np.concatenate([row[None], rows]))

    def broken_path(self, postures: Array, end: Array) -> str | None:
        """Return the reason why consecutive postures are not in one assembly mode; None if they are.

        Args:
            postures: positions of all joints, one posture per row. Their loops are nearly closed, and consecutive
                postures are at most `LEAP` apart.
            end: the last posture after its loops were closed exactly.
        """
        given = np.vstack([postures, end])[:, self._of_tree]
        rows = np.concatenate([given, cut_joint_positions(self._tree, given)], axis=1)
        _, slopes = balanced_closure(self._tree, rows)
        if _is_singular(slopes[:, :, self._unknown]):
            return SINGULAR
        return JUMP if self.length(postures[-1], end) > LEAP else None

    def broken_sample(self, nearly: Array, closed_postures: Array) -> tuple[int, str] | None:
        """Compare the assembly mode of postures before and after their loops were closed.

        Args:
            nearly: postures with nearly closed loops, one per row.
            closed_postures: the same postures after closing the loops.

        Returns:
            The index of the first posture whose assembly mode changes, and the reason; None if there is none.
        """
        given = np.stack([nearly, closed_postures], axis=1).reshape(-1, nearly.shape[1])[:, self._of_tree]
        rows = np.concatenate([given, cut_joint_positions(self._tree, given)], axis=1)
        passive = balanced_closure(self._tree, rows)[1][:, :, self._unknown]
        dead = _singular(passive).reshape(-1, 2).any(axis=1) | _sign_changes(passive[::2], passive[1::2])
        units = self._tree.units[: len(self._of_tree)]
        far = (np.abs((closed_postures - nearly)[:, self._of_tree] / units) > LEAP).any(axis=1)
        for row in np.flatnonzero(dead | far)[:1]:
            return int(row), SINGULAR if dead[row] else JUMP
        return None

    def length(self, one: Array, other: Array) -> float:
        """Return the largest change of a joint position between the postures `one` and `other`.

        It is in radians; for prismatic joints it is the displacement divided by the largest length of the loops.
        """
        units = self._tree.units[: len(self._of_tree)]
        return float(np.abs((other - one)[self._of_tree] / units).max(initial=0.0))

    def _broken(self, rows: Array) -> str | None:
        """Return the reason why consecutive rows of loop coordinates are not a continuous motion; None if they are."""
        _, slopes = balanced_closure(self._tree, rows)
        passive, active = slopes[:, :, self._unknown], slopes[:, :, self._driven]
        if _is_singular(passive):
            return SINGULAR
        W = -least_squares(passive, active)
        change = np.diff(rows, axis=0) / self._tree.units
        expected = (((W[:-1] + W[1:]) / 2) @ change[:, self._driven, None])[:, :, 0]
        off = np.abs(change[:, self._unknown] - expected).max(axis=1)
        return JUMP if (off > AGREEMENT * np.abs(expected).max(axis=1) + AGREEMENT_ROUND_OFF).any() else None


def _is_singular(passive: Array) -> bool:
    """Return whether Jp is singular at one of the samples or between two of them.

    Args:
        passive: Jp, the derivative of the loop-closure equations with respect to the passive joints, one per sample.
    """
    return bool(_singular(passive).any() or _sign_changes(passive[:-1], passive[1:]).any())


def _singular(passive: Array) -> NDArray[np.bool_]:
    """Return a mask of the samples at which Jp (`passive`, one matrix per sample) is singular."""
    squares = np.linalg.eigvalsh(passive.transpose(0, 2, 1) @ passive)
    return np.asarray(squares[:, 0] < SINGULAR_LOOPS**2 * squares[:, -1])


def _sign_changes(before: Array, after: Array) -> NDArray[np.bool_]:
    """Return a mask of the steps at which det(Jp(before)' Jp(after)) is not positive.

    Jp is the derivative of the loop-closure equations with respect to the passive joints.

    Args:
        before, after: Jp at the start and at the end of each step.
    """
    return np.asarray(np.linalg.det(before.transpose(0, 2, 1) @ after) <= 0)


def cut_joint_positions(tree: NumericTree, near: Array) -> Array:
    """Return the positions of the cut joints that best align the two frames of each cut joint.

    Args:
        tree: the robot with numerical parameters and its loops cut.
        near: positions of the tree's independent joints without the cut joints, for one posture (n,) or several (N, n).
    """
    given = np.atleast_2d(near)
    own = given.shape[1]
    q = np.concatenate([given, np.zeros((len(given), len(tree.coordinates) - own))], axis=1)
    for loop in tree.loops:
        if loop.left not in tree.coordinates:
            continue
        at = around(tree, loop, q)
        left, right = at[loop.left], at[loop.right]
        back = np.asarray(left.rotation, dtype=float).transpose(0, 2, 1)
        turn = back @ np.asarray(right.rotation, dtype=float)
        shift = back @ np.asarray(right.position - left.position, dtype=float)[:, :, None]
        slides = tree.robot.frame(loop.left).sigma == JointType.PRISMATIC
        place = tree.coordinates.index(loop.left)
        q[:, place] = shift[:, 2, 0] if slides else np.arctan2(turn[:, 1, 0], turn[:, 0, 0])
    return np.asarray(q[:, own:].reshape(*np.shape(near)[:-1], -1))


HINT = (
    "start in a posture of all joints in which the loops are closed, and remain within the reach of the loops"
)


class LoopCloser:
    """Solver that closes the loops of a robot with numerical parameters near given postures.

    Attributes:
        active, passive: indices of the active and the passive joints among the joints of the tree.
    """

    def __init__(self, robot: Robot, values: Mapping[str, float]) -> None:
        self._robot, self._values = robot, values
        self._tree = numeric_tree(robot, lambda f: f.value(values))
        joints, driven = independent(robot), set(active_joints(robot))
        self.active = [k for k, j in enumerate(joints) if j in driven]
        self.passive = [k for k, j in enumerate(joints) if j not in driven]
        self._unknown = [k for k, j in enumerate(self._tree.coordinates) if j not in driven]
        self._size = len(joints)
        self._laws = [
            (
                joints.index(j),
                [(joints.index(i), ratio.value(values)) for i, ratio in law.terms],
                law.offset.value(values),
                robot.frame(j).sigma == JointType.REVOLUTE,
            )
            for j, law in linear_loops(robot).relations.items()
            if j in joints
        ]

    def at(self, qa: Array, near: Array, t: float = 0.0) -> Array:
        """Return the positions of all joints of the tree, with loops closed near a posture.

        Args:
            qa: positions of the active joints.
            near: approximate positions of all joints of the tree.
            t: time in seconds, for messages.

        Raises:
            NotClosedError: the loops do not close near this posture.
        """
        return np.asarray(self.rows_at(qa[None], near[None], [t])[0])

    def rows_at(self, qa: Array, near: Array, times: Sequence[float] | Array) -> Array:
        """Close the loops at many samples at once, each near a separate posture.

        Args:
            qa: positions of the active joints, one row per sample.
            near: approximate positions of all joints of the tree, one row per sample.
            times: times of the samples in seconds, for messages.

        Returns:
            The positions of all joints of the tree, one row per sample.

        Raises:
            NotClosedError: the loops do not close at one of the samples.
        """
        guess = np.concatenate([near, cut_joint_positions(self._tree, near)], axis=1)
        guess[:, self.active] = qa
        coordinates, flags = closed(self._tree, guess, self._unknown, damped=True)
        for k in np.flatnonzero(~flags)[:1]:
            raise NotClosedError(
                f"the loops do not close at t = {times[k]:g} s near the previous posture", hint=HINT
            )
        return np.array([self._with_exact_parallelograms(row) for row in coordinates[:, : self._size]])

    def guess(self, qa: Array) -> Array:
        """Return an approximate posture of all joints for given positions qa of the active joints.

        The posture has the assembly mode of 'home' if it can be reached from 'home'. Otherwise the joints of
        parallelograms satisfy their linear relations, and the other passive joints are at zero.
        """
        home = self._robot.postures.get("home")
        if home is not None and not self._assembly.linear:
            with suppress(NotClosedError):
                row = self._assembly.row(home)
                return np.asarray(self._assembly.postures(self._assembly.walked(row, qa)[None])[0])
        q = np.zeros(self._size)
        q[self.active] = qa
        for j, away, _ in self._deviations(q):
            q[j] -= away
        return q

    def check_start(self, q: Array) -> None:
        """Check that no parallelogram of an initial posture is crossed, because the models cannot represent this.

        Args:
            q: positions of all joints of the tree.

        Raises:
            NotClosedError: a joint of a parallelogram does not satisfy its linear relation.
        """
        for j, away, is_crossed in self._deviations(q):
            if is_crossed:
                joint = independent(self._robot)[j]
                raise NotClosedError(
                    "the loops are not closed in the initial posture: with these active joints, joint "
                    f"{joint} must be at {q[j] - away:.6g} to close the parallelogram",
                    hint="give the active joints only, or a posture of all joints in which the loops are closed",
                )

    def _with_exact_parallelograms(self, q: Array) -> Array:
        """Return the posture q with the joints of parallelograms set exactly by their linear relations.

        This is necessary because Newton's method is inexact where a parallelogram is flat (a singular configuration).
        """
        for j, away, is_crossed in self._deviations(q):
            if not is_crossed:
                q[j] -= away
        return q

    def _deviations(self, q: Array) -> Iterator[tuple[int, float, bool]]:
        """Compare the joints of parallelograms with their linear relations at the posture q.

        Yields:
            For each such joint: its index in q, the deviation of its position from the linear relation, and whether the
            parallelogram is crossed.
        """
        for j, terms, offset, turns in self._laws:
            away = float(q[j] - offset - sum(ratio * q[i] for i, ratio in terms))
            away -= 2 * np.pi * np.round(away / (2 * np.pi)) if turns else 0.0
            yield j, away, abs(away) >= CROSSED * (1.0 if turns else self._tree.size)

    def along(self, t: Array, qa: Array, near: Array) -> Array:
        """Return the positions of all joints at each sample of a motion, in one assembly mode.

        Args:
            t: times in seconds (N,), for messages.
            qa: positions of the active joints (N, active).
            near: approximate posture of all joints at the first sample.

        Raises:
            NotClosedError: the loops cannot be followed.
        """
        first = self.at(qa[0], near, float(t[0]))
        try:
            rows = self._assembly.along(qa, self._assembly.row(first))
        except BrokenLoopsError as error:
            raise NotClosedError(f"{error.message}, at t = {t[error.row]:g} s", hint=HINT) from None
        return self._assembly.postures(rows)

    def check_path(
        self, path: Callable[[Array], Array], begin: Array, end: Array, closed_end: Array, t: float
    ) -> None:
        """Reject a path between two postures if it passes through a singular configuration.

        The loops are nearly closed in both postures.

        Args:
            path: function that returns the postures at given fractions (0 to 1) of the path, one posture per row.
            begin, end: first and last posture of the path.
            closed_end: the last posture after closing its loops.
            t: time in seconds, for messages.

        Raises:
            NotClosedError: the path is singular, or the last posture has another assembly mode.
        """
        if self._assembly.linear:
            return
        pieces = int(min(ROWS, np.ceil(self._assembly.length(begin, end) / LEAP)))
        between = path(np.arange(1, pieces) / pieces) if pieces > 1 else np.empty((0, len(end)))
        reason = self._assembly.broken_path(np.vstack([begin, between, end]), closed_end)
        if reason is not None:
            raise NotClosedError(f"{reason}, at t = {t:g} s", hint=HINT)

    def check_samples(self, nearly: Array, closed_postures: Array, times: Sequence[float] | Array) -> None:
        """Reject samples whose assembly mode changed when their loops were closed.

        Args:
            nearly: postures with nearly closed loops, one per row.
            closed_postures: the same postures after closing the loops.
            times: times of the samples in seconds.

        Raises:
            NotClosedError: the assembly mode of a sample changed; the message contains the time of the first one.
        """
        if self._assembly.linear:
            return
        broken = self._assembly.broken_sample(nearly, closed_postures)
        if broken is not None:
            row, reason = broken
            raise NotClosedError(f"{reason}, at t = {times[row]:g} s", hint=HINT)

    @cached_property
    def _assembly(self) -> LoopAssembly:
        return LoopAssembly(self._robot, self._values)


SHOWN = 4  # assembly modes that a message lists


def first_posture(
    robot: Robot,
    values: Mapping[str, float],
    first: Array,
    posture: str | Sequence[float] | None,
    source: str,
    place: Place | None = None,
) -> tuple[float, ...] | None:
    """Return the positions of all joints of a robot with closed loops at the first sample of a motion.

    The result is None if all loops are parallelograms, which need no choice of an assembly mode.

    Args:
        values: values of the robot's symbols.
        first: positions of the active joints at the first sample.
        posture: name of a posture of the robot, or the positions of all joints of the tree; 'home' by default.
        source: name of the data, for messages.
        place: position of the sample in a file, for messages.

    Raises:
        ArgumentError: the loops have several assembly modes at the first sample, and no posture is given.
        SymoroError: the loops do not close at the sample; a FormatError if `place` is given.
    """
    assembly = LoopAssembly(robot, values)
    named = _named(robot, assembly, posture)
    if assembly.linear:
        if posture is not None and named is not None:
            _check_sums(assembly, named)
        return None
    if named is None:
        return _only_assembly_mode(robot, assembly, first, source, place)
    try:
        row = assembly.row(named)
    except NotClosedError:
        raise ArgumentError(
            "posture: the loops do not close near the given posture",
            hint=f"give the approximate positions of all joints at the start of {source}",
        ) from None
    try:
        return tuple(assembly.postures(assembly.walked(row, first)[None])[0])
    except BrokenLoopsError as error:
        raise _rejection(
            f"between the given posture and the first sample {error.message}",
            place,
            "check units, signs and offsets of the positions, or give a posture nearer to the first sample",
        ) from None


def _rejection(message: str, place: Place | None, hint: str) -> SymoroError:
    return (
        ArgumentError(message, hint=hint) if place is None else FormatError(message, place=place, hint=hint)
    )


def _named(
    robot: Robot, assembly: LoopAssembly, posture: str | Sequence[float] | None
) -> Sequence[float] | None:
    if posture is None:
        return robot.postures.get("home")
    if isinstance(posture, str):
        if posture not in robot.postures:
            raise UnknownNameError(
                f"posture '{posture}' of robot '{robot.name}'", posture, list(robot.postures)
            )
        return robot.postures[posture]
    given = [float(x) for x in posture]
    if len(given) != len(assembly.joints) or not np.isfinite(given).all():
        names = ", ".join(f"q{j}" for j in assembly.joints)
        raise ArgumentError(f"posture: expected {len(assembly.joints)} numbers, {names}; got {len(given)}")
    return given


def _check_sums(assembly: LoopAssembly, posture: Sequence[float]) -> None:
    """Reject a posture (positions of all joints) that violates the linear relations of parallelograms."""
    closed = assembly.postures(assembly.row(posture)[None])[0]
    away = np.abs(np.angle(np.exp(1j * (closed - np.asarray(posture)))))
    k = int(np.argmax(away))
    if away[k] > POSTURE_READ:
        raise ArgumentError(
            f"posture: joint {assembly.joints[k]} is at {posture[k]:.4g}, but the parallelograms require "
            f"{closed[k]:.4g} for the other joints",
            hint="leave out the posture: parallelograms have only one assembly mode",
        )


def _only_assembly_mode(
    robot: Robot, assembly: LoopAssembly, first: Array, source: str, place: Place | None
) -> tuple[float, ...]:
    """Return the posture at the first sample of a motion if the loops have exactly one assembly mode there.

    Args:
        first: positions of the active joints at the first sample.
        source: name of the data, for messages.
        place: position of the sample in a file, for messages.

    Raises:
        SymoroError: there are several assembly modes or none.
    """
    try:
        postures = [assembly.postures(row[None])[0] for row in assembly.assemblies(first)]
    except NotClosedError:
        raise _rejection(
            f"the loops of robot '{robot.name}' do not close at these positions",
            place,
            "check units, signs and offsets of the positions, and the robot's lengths",
        ) from None
    if len(postures) == 1:
        return tuple(postures[0])
    shown = "".join(f"\n  {','.join(f'{x:.4g}' for x in one)}" for one in postures[:SHOWN])
    names = ", ".join(f"q{j}" for j in assembly.joints)
    raise ArgumentError(
        f"the loops of robot '{robot.name}' have {len(postures)} assembly modes at the start of {source}, and none "
        "is "
        f"selected ({names}):{shown}{'' if len(postures) <= SHOWN else ' ...'}",
        hint="select one by the option 'posture', or by a posture 'home' in the robot's file",
    )
