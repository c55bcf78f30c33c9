"""Closed loops along a motion: all joints of the tree from the active ones, closed again near a posture.

Newton's method (`models/numeric/closure`) moves the passive joints alone. From one moment to the next they start where
they stood, and `check_way` tells whether one way of assembly was kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symoro.errors import NotClosedError
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.models.kinematic.loop.parallelograms import linear_loops
from symoro.models.numeric.closure import closed
from symoro.models.numeric.tree import numeric_tree
from symoro.motion.assembly import FAR, ROWS, BrokenLoopsError, LoopAssembly, opened_joints
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot

Array = NDArray[np.float64]
FLAT = 1e-4  # radians, or shares of the loops' size: farther away a loop is closed, but crossed and not a parallelogram
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
        guess = np.concatenate([near, opened_joints(self._tree, near)])[None]
        guess[0, self.active] = qa
        found, flags = closed(self._tree, guess, self._unknown, damped=True)
        if not flags[0]:
            raise NotClosedError(f"the loops do not close at t = {t:g} s, near the posture before", hint=HINT)
        return self._straightened(np.asarray(found[0, : self._size]))

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
            yield j, away, abs(away) >= FLAT * (1.0 if turns else self._tree.size)

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
        pieces = int(min(ROWS, np.ceil(self._assembly.length(begin, end) / FAR)))
        between = path(np.arange(1, pieces) / pieces) if pieces > 1 else np.empty((0, len(end)))
        reason = self._assembly.broken_way(np.vstack([begin, between, end]), found)
        if reason is not None:
            raise NotClosedError(f"{reason}, at t = {t:g} s", hint=HINT)

    @cached_property
    def _assembly(self) -> LoopAssembly:
        return LoopAssembly(self._robot, self._values)
