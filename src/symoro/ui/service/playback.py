"""Motions as the page plays them: a row of all joints a moment, in the order of the view, and where the base stands."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, isfinite
from typing import TYPE_CHECKING, Any

from symoro.errors import ArgumentError, UnknownNameError
from symoro.models.geometric.scene import all_frames
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import cut_joints
from symoro.ui.service.payload import item

if TYPE_CHECKING:
    from symoro.runtime.function import Array

MOST_ROWS = 4000  # that a page is sent of one motion


def numbers_of(robot: Robot, payload: Mapping[str, Any]) -> dict[str, float]:
    """The numbers for symbols that came.

    Raises:
        UnknownNameError: one for what is no symbol of the robot: it would change nothing.
    """
    symbols = robot.symbols()
    known, nominal = set(symbols), dict(robot.nominal)
    found = {}
    for name, value in item(payload, "values", dict, {}).items():
        if name not in known and name not in nominal:  # which may have a number that nothing uses
            raise UnknownNameError(f"symbol of robot '{robot.name}'", name, symbols)
        number = _number(f"values.{name}", value)
        if name in known:
            found[name] = number
    return found


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ArgumentError(f"'{name}': expected a finite number")
    return float(value)


def number(payload: Mapping[str, Any], name: str, default: float) -> float:
    """A number of the payload."""
    return _number(name, payload.get(name, default))


def row(payload: Mapping[str, Any], name: str) -> list[float] | None:
    """A list of numbers of the payload; None where it has none."""
    given: list[Any] | None = item(payload, name, list, None)
    return None if given is None else [_number(name, value) for value in given]


def stride(rows: int) -> int:
    """Every which row is sent, so that they are not too many."""
    return max(1, ceil((rows - 1) / MOST_ROWS)) if rows > 1 else 1


def kept_rows(rows: int) -> list[int]:
    """The rows that are sent: some, the last one among them."""
    return [*range(0, rows - 1, stride(rows)), rows - 1] if rows else []


class Postures:
    """Rows of the coordinates of a tree as rows of all joints: those that follow and the opened ones too."""

    def __init__(self, robot: Robot, values: Mapping[str, float]) -> None:
        from symoro.runtime.function import Function

        self.robot, self.cut = robot, cut_joints(robot)
        program = all_frames(robot)
        self._follow = any(port.name == "joints" for port in program.outputs)
        self._places = None
        if self.cut or self._follow:
            self._places = Function(program, {**dict(robot.nominal), **values}, compiled=False)

    def __call__(self, tree: Array) -> Array:
        """(N, coordinates of the tree) -> (N, joints of the view)."""
        import numpy as np

        if self._places is None or not len(tree):
            return tree
        opened = self._opened(tree)
        if not self._follow:
            return np.concatenate([tree, opened], axis=1)
        return np.asarray(self._at(tree, opened)["joints"])

    def _at(self, tree: Array, opened: Array) -> dict[str, Array]:
        assert self._places is not None
        return self._places(q=tree, **({"qc": opened} if self.cut else {}))

    def _opened(self, tree: Array) -> Array:
        """The opened joints by the place of their twins: an angle about z, or a length along it."""
        import numpy as np

        found = np.zeros((len(tree), len(self.cut)))
        if not self.cut:
            return found
        T = self._at(tree, found.copy())["T"]
        for k, j in enumerate(self.cut):
            step = np.linalg.solve(T[:, j - 1], T[:, j + self.robot.B - 1])
            turns = self.robot.frame(j).sigma == JointType.REVOLUTE
            found[:, k] = np.arctan2(step[:, 1, 0], step[:, 0, 0]) if turns else step[:, 2, 3]
            if turns:
                found[:, k] = np.unwrap(found[:, k])
        return found


def end_frame(robot: Robot) -> int:
    """The frame whose path is drawn: the tool's, the platform's, or the last link's."""
    if robot.tool is not None:
        return robot.NF + 1
    return robot.platform or robot.NL
