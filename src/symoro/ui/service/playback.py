"""Convert motions for display: positions of all joints per sample, and poses of the base.

The joints are in the order in which the page displays them.
"""

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

MOST_ROWS = 4000  # largest number of samples of a motion that are sent


def numbers_of(robot: Robot, payload: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers for symbols that a request contains, by name.

    Raises:
        UnknownNameError: a name is not a symbol of the robot.
    """
    symbols = robot.symbols()
    known, nominal = set(symbols), dict(robot.nominal)
    numbers = {}
    for name, value in item(payload, "values", dict, {}).items():
        if name not in known and name not in nominal:  # symbols with a nominal value may be unused
            raise UnknownNameError(f"symbol of robot '{robot.name}'", name, symbols)
        number = _number(f"values.{name}", value)
        if name in known:
            numbers[name] = number
    return numbers


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ArgumentError(f"'{name}': expected a finite number")
    return float(value)


def number(payload: Mapping[str, Any], name: str, default: float) -> float:
    """Return the number at a key of a request; `default` if it is absent."""
    return _number(name, payload.get(name, default))


def row(payload: Mapping[str, Any], name: str) -> list[float] | None:
    """Return the list of numbers at a key of a request; None if it is absent."""
    given: list[Any] | None = item(payload, name, list, None)
    return None if given is None else [_number(name, value) for value in given]


def stride(rows: int) -> int:
    """Return n such that sending every n-th of `rows` samples to the page does not exceed the limit on samples."""
    return max(1, ceil((rows - 1) / MOST_ROWS)) if rows > 1 else 1


def kept_rows(rows: int) -> list[int]:
    """Return the indices of the samples that are sent to the page; the last sample is always among them.

    Args:
        rows: number of samples.
    """
    return [*range(0, rows - 1, stride(rows)), rows - 1] if rows else []


class Postures:
    """Function from the generalised coordinates of a robot to the positions of all its joints.

    Coupled joints and cut joints are included.
    """

    def __init__(self, robot: Robot, values: Mapping[str, float]) -> None:
        from symoro.runtime.function import Function

        self.robot, self.cut = robot, cut_joints(robot)
        program = all_frames(robot)
        self._follow = any(port.name == "joints" for port in program.outputs)
        self._places = None
        if self.cut or self._follow:
            self._places = Function(program, {**dict(robot.nominal), **values}, compiled=False)

    def __call__(self, tree: Array) -> Array:
        """Return the positions of all displayed joints (N, joints).

        Args:
            tree: positions of the tree's independent joints, one row per sample (N, coordinates).
        """
        import numpy as np

        if self._places is None or not len(tree):
            return tree
        opened = self._cut_positions(tree)
        if not self._follow:
            return np.concatenate([tree, opened], axis=1)
        return np.asarray(self._at(tree, opened)["joints"])

    def _at(self, tree: Array, opened: Array) -> dict[str, Array]:
        assert self._places is not None
        return self._places(q=tree, **({"qc": opened} if self.cut else {}))

    def _cut_positions(self, tree: Array) -> Array:
        """Return the positions of the cut joints (rad or m) for N postures, (N, cut joints).

        They are computed from the poses of the two frames of each cut.

        Args:
            tree: positions of the tree's independent joints, one row per posture.
        """
        import numpy as np

        positions = np.zeros((len(tree), len(self.cut)))
        if not self.cut:
            return positions
        T = self._at(tree, positions.copy())["T"]
        for k, j in enumerate(self.cut):
            step = np.linalg.solve(T[:, j - 1], T[:, j + self.robot.B - 1])
            turns = self.robot.frame(j).sigma == JointType.REVOLUTE
            positions[:, k] = np.arctan2(step[:, 1, 0], step[:, 0, 0]) if turns else step[:, 2, 3]
            if turns:
                positions[:, k] = np.unwrap(positions[:, k])
        return positions


def end_frame(robot: Robot) -> int:
    """Return the number of the frame whose path the page draws: the tool frame, the platform or the last link."""
    if robot.tool is not None:
        return robot.NF + 1
    return robot.platform or robot.NL
