"""Closed loops along a motion: the passive joints from the active ones, in one assembly mode.

Joints of parallelograms follow others by linear relations (`geometric.loop.parallelogram`). The remaining loops are
closed by Newton's method (`models.numeric.closure`), many samples at once, from the posture before them. A step from
one sample to the next is accepted if

    Jp is regular at both,   det(Jp(k)' Jp(k+1)) > 0,   dqp = (W(k) + W(k+1))/2 dqa  within AGREEMENT,

where Jp and Ja are the derivatives of the closure by the passive and the active joints and W = -Jp^+ Ja. Otherwise it
is halved: neither a jump to another assembly mode nor a path through a singular configuration counts as a motion.

`LoopAssembly` follows many samples, `LoopCloser` closes postures near given ones, `first_posture` chooses the assembly
mode in which a motion starts.
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

ROWS = 512  # in one leap
ROUNDS = 15
STARTS = 160
CONFIRMED = 16  # closed postures without which nothing is said of how many assemblies there are

OPEN = "the loops do not close"
DEAD = "the loops stand in a dead point, where the active joints do not determine the others"
JUMP = "the way of the passive joints ends: a dead point, or positions that the loops cannot have"


class BrokenLoopsError(NotClosedError):
    """The loops cannot be followed; `row` is the first sample where they cannot."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(reason)
        self.row = row


class LoopAssembly:
    """The loops of a robot with numbers.

    Attributes:
        linear: whether all of them are parallelograms, so that there is nothing to follow.
        joints: of the tree, in whose order postures are given.
        active: places of the active ones among them.
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
        """The units of the active joints: one radian, or the largest length of the loops."""
        return self._tree.units[self._driven]

    def postures(self, rows: Array) -> Array:
        """All joints of the tree (N, n), from rows of coordinates as `along` has them."""
        return np.asarray(joint_positions(self._tree, rows)[:, [j - 1 for j in self.joints]])

    def row(self, posture: Sequence[float] | Array) -> Array:
        """The row of coordinates of a posture of all joints, which need not be closed to the last digit.

        Raises:
            NotClosedError: the loops do not close near it.
        """
        given = np.asarray(posture, dtype=float)[self._of_tree]
        whole = np.concatenate([given, opened_joints(self._tree, given)])[None]
        if self._unknown:
            whole, good = closed(self._tree, whole, self._unknown, damped=True)
            if not good[0]:
                raise NotClosedError("the loops do not close near this posture")
        return np.asarray(whole[0])

    def assemblies(self, qa: Array) -> list[Array]:
        """Rows of the assemblies that have these active joints, as many as starts at random find.

        Raises:
            NotClosedError: too few of them close to tell.
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
        found: list[Array] = []
        for one in x:
            if not any(self._alike(one, other, turns) for other in found):
                found.append(one)
        return found

    def alike(self, one: Array, other: Array) -> bool:
        """Whether two rows are one posture, but for whole turns."""
        turns = [self._tree.robot.frame(j).sigma == JointType.REVOLUTE for j in self._tree.coordinates]
        return self._alike(one, other, turns)

    def _alike(self, one: Array, other: Array, turns: Sequence[bool]) -> bool:
        away = (one - other) / self._tree.units
        away = np.where(turns, np.sin(away / 2), away)
        return bool(np.abs(away).max() < SAME_POSTURE)

    def walked(self, row: Array, qa: Array) -> Array:
        """From a row to others of the active joints, on the straight way between them, step by step.

        Raises:
            BrokenLoopsError: the loops cannot be followed.
        """
        here, there = row[self._driven], np.asarray(qa, dtype=float)
        length = float(np.abs((there - here) / self._tree.units[self._driven]).max(initial=0.0))
        most = min(1.0, LEAP / length) if length > 0 else 1.0
        done, step = 0.0, most
        while done < 1.0:
            ahead = min(1.0, done + step)
            goal = here + ahead * (there - here)
            rows, reason = self._leap(row, goal[None])
            if reason is None:
                row, done, step = rows[0], ahead, min(2 * step, most)
            elif step > LEAST_SHARE * most:
                step /= 2
            else:
                raise BrokenLoopsError(0, reason)
        return row

    def along(self, qa: Array, row: Array) -> Array:
        """Rows for samples (N, active) of the active joints; `row` stands near the first.

        Raises:
            BrokenLoopsError: the loops cannot be followed, with the sample.
        """
        found = np.empty((len(qa), len(row)))
        start = 0
        while start < len(qa):
            end = self._reach(qa, start, row)
            rows, reason = self._leap(row, qa[start:end])
            for k in range(start, end) if reason is not None else ():
                try:
                    rows[k - start] = row = self.walked(row, qa[k])
                except BrokenLoopsError as error:
                    raise BrokenLoopsError(k, error.message) from None
            found[start:end] = rows
            row, start = found[end - 1], end
        return found

    def _reach(self, qa: Array, start: int, row: Array) -> int:
        """Up to which sample one leap may go, one at least."""
        if not self._unknown:
            return len(qa)
        ahead = qa[start : start + ROWS]
        away = np.abs((ahead - row[self._driven]) / self._tree.units[self._driven]).max(axis=1)
        beyond = np.flatnonzero(away > LEAP)
        return start + max(1, int(beyond[0]) if beyond.size else len(ahead))

    def _leap(self, row: Array, qa: Array) -> tuple[Array, str | None]:
        """All samples from one row at once, and why that cannot be, where it cannot."""
        rows = np.repeat(row[None], len(qa), 0)
        rows[:, self._driven] = qa
        if not self._unknown:
            return rows, None
        rows, good = closed(self._tree, rows, self._unknown, ROUNDS)
        if not good.all():
            return rows, OPEN
        return rows, self._broken(np.concatenate([row[None], rows]))

    def broken_way(self, way: Array, end: Array) -> str | None:
        """Why postures of all joints on a way, each with the next, are not of one assembly.

        Arguments:
            way: nearly closed postures, `LEAP` apart or less.
            end: the last of them, closed.
        """
        given = np.vstack([way, end])[:, self._of_tree]
        rows = np.concatenate([given, opened_joints(self._tree, given)], axis=1)
        _, slopes = balanced_closure(self._tree, rows)
        if _dead(slopes[:, :, self._unknown]):
            return DEAD
        return JUMP if self.length(way[-1], end) > LEAP else None

    def broken_sample(self, nearly: Array, found: Array) -> tuple[int, str] | None:
        """Return the first row at which a nearly closed posture and its closed one differ in assembly, and why."""
        given = np.stack([nearly, found], axis=1).reshape(-1, nearly.shape[1])[:, self._of_tree]
        rows = np.concatenate([given, opened_joints(self._tree, given)], axis=1)
        passive = balanced_closure(self._tree, rows)[1][:, :, self._unknown]
        dead = _singular(passive).reshape(-1, 2).any(axis=1) | _turned_over(passive[::2], passive[1::2])
        units = self._tree.units[: len(self._of_tree)]
        far = (np.abs((found - nearly)[:, self._of_tree] / units) > LEAP).any(axis=1)
        for row in np.flatnonzero(dead | far)[:1]:
            return int(row), DEAD if dead[row] else JUMP
        return None

    def length(self, one: Array, other: Array) -> float:
        """The longest way of a joint between two postures, in radians or shares of the largest length."""
        units = self._tree.units[: len(self._of_tree)]
        return float(np.abs((other - one)[self._of_tree] / units).max(initial=0.0))

    def _broken(self, rows: Array) -> str | None:
        """Why rows, each with the next, are no motion."""
        _, slopes = balanced_closure(self._tree, rows)
        passive, active = slopes[:, :, self._unknown], slopes[:, :, self._driven]
        if _dead(passive):
            return DEAD
        W = -least_squares(passive, active)
        way = np.diff(rows, axis=0) / self._tree.units
        told = (((W[:-1] + W[1:]) / 2) @ way[:, self._driven, None])[:, :, 0]
        off = np.abs(way[:, self._unknown] - told).max(axis=1)
        return JUMP if (off > AGREEMENT * np.abs(told).max(axis=1) + AGREEMENT_ROUND_OFF).any() else None


def _dead(passive: Array) -> bool:
    """Whether Jp of rows is singular at one of them, or between one and the next."""
    return bool(_singular(passive).any() or _turned_over(passive[:-1], passive[1:]).any())


def _singular(passive: Array) -> NDArray[np.bool_]:
    """Return at which rows Jp is singular."""
    squares = np.linalg.eigvalsh(passive.transpose(0, 2, 1) @ passive)
    return np.asarray(squares[:, 0] < SINGULAR_LOOPS**2 * squares[:, -1])


def _turned_over(before: Array, after: Array) -> NDArray[np.bool_]:
    """Return between which rows det(Jp(before)' Jp(after)) is not positive."""
    return np.asarray(np.linalg.det(before.transpose(0, 2, 1) @ after) <= 0)


def opened_joints(tree: NumericTree, near: Array) -> Array:
    """Opened joints that turn (or shift) one side of each loop onto the other, as far as their axis allows.

    Arguments:
        near: the coordinates of the tree before them, of one posture or of many, one a row.
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


HINT = "start in a posture of all joints in which the loops are closed, and keep within the reach"


class LoopCloser:
    """The loops of a robot with numbers.

    Attributes:
        active, passive: places of these joints among the joints of the tree.
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
        """All joints of the tree with these active ones, near a posture.

        Raises:
            NotClosedError: the loops do not close there.
        """
        return np.asarray(self.rows_at(qa[None], near[None], [t])[0])

    def rows_at(self, qa: Array, near: Array, times: Sequence[float] | Array) -> Array:
        """Return `at` for many samples at once, one per row, each near a posture of its own.

        Raises:
            NotClosedError: the loops do not close at one of them.
        """
        guess = np.concatenate([near, opened_joints(self._tree, near)], axis=1)
        guess[:, self.active] = qa
        found, flags = closed(self._tree, guess, self._unknown, damped=True)
        for k in np.flatnonzero(~flags)[:1]:
            raise NotClosedError(
                f"the loops do not close at t = {times[k]:g} s, near the posture before", hint=HINT
            )
        return np.array([self._straightened(row) for row in found[:, : self._size]])

    def guess(self, qa: Array) -> Array:
        """Return a posture with these active joints, in the assembly mode of 'home' if it can be reached from there.

        Otherwise the joints of parallelograms are closed and the other passive joints are zero.
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
        """Raise where Newton's method has crossed a parallelogram, which the models do not represent.

        Raises:
            NotClosedError: the posture that was given is open, or crossed.
        """
        for j, away, is_crossed in self._deviations(q):
            if is_crossed:
                joint = independent(self._robot)[j]
                raise NotClosedError(
                    f"the loops are open in the posture at the start: with its active joints, joint {joint} closes "
                    f"the parallelogram at {q[j] - away:.6g}",
                    hint="give the active joints alone, or a posture of all joints in which the loops are closed",
                )

    def _straightened(self, q: Array) -> Array:
        """Return joints of parallelograms where their relations have them: Newton's method is inexact at flat ones."""
        for j, away, is_crossed in self._deviations(q):
            if not is_crossed:
                q[j] -= away
        return q

    def _deviations(self, q: Array) -> Iterator[tuple[int, float, bool]]:
        """Yield the joints of parallelograms: each with its distance from its relation, and whether it is crossed."""
        for j, terms, offset, turns in self._laws:
            away = float(q[j] - offset - sum(ratio * q[i] for i, ratio in terms))
            away -= 2 * np.pi * np.round(away / (2 * np.pi)) if turns else 0.0
            yield j, away, abs(away) >= CROSSED * (1.0 if turns else self._tree.size)

    def along(self, t: Array, qa: Array, near: Array) -> Array:
        """The same for each row of a motion, each on the way from the one before, in one assembly (`assembly`).

        Raises:
            NotClosedError: the loops cannot be followed.
        """
        first = self.at(qa[0], near, float(t[0]))
        try:
            rows = self._assembly.along(qa, self._assembly.row(first))
        except BrokenLoopsError as error:
            raise NotClosedError(f"{error.message}, at t = {t[error.row]:g} s", hint=HINT) from None
        return self._assembly.postures(rows)

    def check_way(
        self, path: Callable[[Array], Array], begin: Array, end: Array, found: Array, t: float
    ) -> None:
        """Raise where a way between two postures, which are nearly closed, goes through a dead point.

        Arguments:
            path: postures at shares of the way between 0 and 1, a row each.
            found: the end as `at` closed it.

        Raises:
            NotClosedError: it does, or the end was closed in another assembly.
        """
        if self._assembly.linear:
            return
        pieces = int(min(ROWS, np.ceil(self._assembly.length(begin, end) / LEAP)))
        between = path(np.arange(1, pieces) / pieces) if pieces > 1 else np.empty((0, len(end)))
        reason = self._assembly.broken_way(np.vstack([begin, between, end]), found)
        if reason is not None:
            raise NotClosedError(f"{reason}, at t = {t:g} s", hint=HINT)

    def check_samples(self, nearly: Array, found: Array, times: Sequence[float] | Array) -> None:
        """Raise if postures that are nearly closed, one per row, were closed through a singular configuration.

        Raises:
            NotClosedError: with the time of the first of them.
        """
        if self._assembly.linear:
            return
        broken = self._assembly.broken_sample(nearly, found)
        if broken is not None:
            row, reason = broken
            raise NotClosedError(f"{reason}, at t = {times[row]:g} s", hint=HINT)

    @cached_property
    def _assembly(self) -> LoopAssembly:
        return LoopAssembly(self._robot, self._values)


SHOWN = 4  # assemblies that a message lists


def first_posture(
    robot: Robot,
    values: Mapping[str, float],
    first: Array,
    posture: str | Sequence[float] | None,
    source: str,
    place: Place | None = None,
) -> tuple[float, ...] | None:
    """All joints of a robot with closed loops, at the first sample of its active ones; None where there is no choice.

    Arguments:
        first: the active joints there.
        posture: the name of one of the robot's, or the positions of all joints of the tree; 'home' unless given.
        source: what the sample is from, and `place` where it stands, for messages.

    Raises:
        ArgumentError: the loops can be assembled in several ways there, and nothing tells in which.
        SymoroError: they do not close with the sample; a FormatError where it has a place.
    """
    assembly = LoopAssembly(robot, values)
    named = _named(robot, assembly, posture)
    if assembly.linear:
        if posture is not None and named is not None:
            _check_sums(assembly, named)
        return None
    if named is None:
        return _only(robot, assembly, first, source, place)
    try:
        row = assembly.row(named)
    except NotClosedError:
        raise ArgumentError(
            "posture: the loops do not close near it",
            hint=f"give the positions of all joints with which {source} starts, as near as you know them",
        ) from None
    try:
        return tuple(assembly.postures(assembly.walked(row, first)[None])[0])
    except BrokenLoopsError as error:
        raise _refused(
            f"on the way from the given posture to the first sample {error.message}",
            place,
            "check units, signs and offsets of the positions; or give a posture nearer to the first sample",
        ) from None


def _refused(message: str, place: Place | None, hint: str) -> SymoroError:
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
    """Refuse a posture that parallelograms do not have."""
    closed = assembly.postures(assembly.row(posture)[None])[0]
    away = np.abs(np.angle(np.exp(1j * (closed - np.asarray(posture)))))
    k = int(np.argmax(away))
    if away[k] > POSTURE_READ:
        raise ArgumentError(
            f"posture: joint {assembly.joints[k]} at {posture[k]:.4g}, where the parallelograms have it at "
            f"{closed[k]:.4g} with the other joints",
            hint="leave it out: parallelograms can be assembled in one way alone",
        )


def _only(
    robot: Robot, assembly: LoopAssembly, first: Array, source: str, place: Place | None
) -> tuple[float, ...]:
    """The one assembly with the first sample's positions."""
    try:
        found = [assembly.postures(row[None])[0] for row in assembly.assemblies(first)]
    except NotClosedError:
        raise _refused(
            f"the loops of robot '{robot.name}' do not close with these positions",
            place,
            "check units, signs and offsets of the positions, and the robot's lengths",
        ) from None
    if len(found) == 1:
        return tuple(found[0])
    shown = "".join(f"\n  {','.join(f'{x:.4g}' for x in one)}" for one in found[:SHOWN])
    names = ", ".join(f"q{j}" for j in assembly.joints)
    raise ArgumentError(
        f"the loops of robot '{robot.name}' can be assembled in {len(found)} ways where {source} starts, and nothing "
        f"tells in which ({names}):{shown}{'' if len(found) <= SHOWN else ' ...'}",
        hint="say which by the option 'posture', or by a posture 'home' in the robot's file",
    )
