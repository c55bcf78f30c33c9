"""The function of an inverse geometric model: the corrections that its straight-line program cannot make.

A rotation matrix in single precision, or with seven digits, is not a rotation to the model's tolerance. It is then
replaced by the nearest rotation, if that changes no entry by more than `ROTATION_ROUNDED`; status and q are those of
the corrected pose, and the residual grows by the change, so that it is the distance from the pose that was given.

Where a pose is out of reach, the program takes square roots of negative numbers as zero, and its residual is not a
distance. It is computed again here, by direct geometry at the joint positions of the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.expr.linalg import cross, dot, matmul, transpose
from symoro.expr.scalar import Scalar, absolute, maximum
from symoro.models.catalogue import build
from symoro.models.geometric.inverse.chain.pose import given_entries
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot.description import Robot
from symoro.runtime.function import Array, Function, input_array
from symoro.runtime.poses import Turning, turning_part
from symoro.runtime.solutions import OUT_OF_REACH, SOLVED, distances
from symoro.runtime.tolerances import POSE_EXACT, ROTATION_EXACT, ROTATION_ROUNDED

SampleNumbers = NDArray[np.intp]  # of samples

POLAR_STEPS = 3  # from an error of 1e-6 the first leaves 1e-12, the second 1e-24


class PoseFunction(Function):
    """A function of poses `T`, for a model with these options."""

    def __init__(
        self,
        program: Program,
        values: Mapping[str, float],
        *,
        robot: Robot,
        options: Mapping[str, Any],
        compiled: bool | None = None,
    ) -> None:
        super().__init__(program, values, compiled=compiled, robot=robot)
        self._given = given_entries(options.get("pose", "full"))
        self._part = turning_part(self._given)
        self._frames = {name: options[name] for name in ("frm", "to") if name in options}
        self._numbers = dict(values)

    def __call__(self, *unnamed: Any, **inputs: Any) -> dict[str, Any]:
        found = super().__call__(*unnamed, **inputs)
        residual = found["residual"]
        alone = residual.ndim == 1
        if alone and (min(residual.tolist()) <= POSE_EXACT or self._solved_alone(inputs, found)):
            return found
        rows = {name: array[None] if alone else array for name, array in found.items()}
        # a solution after the other: many times as fast as over the short axis
        best = reduce(np.fmin, rows["residual"].T)
        doubtful = np.flatnonzero(~(best <= POSE_EXACT))
        if len(doubtful):
            given = {name: self._each(name, inputs, len(rows["residual"])) for name in inputs}
            self._take_rounded(given, rows, doubtful)
            self._tell_distances(given["T"], rows, doubtful)
        return found

    def _solved_alone(self, inputs: Mapping[str, Any], result: dict[str, Any]) -> bool:
        """Return whether a single pose has a solution; where it is rounded, the result becomes that of a rotation.

        Nothing here runs in NumPy where the function is compiled.
        """
        if self._part is not None:
            near = _nearest_rotation(self._part, self.compiled)(T=inputs["T"])
            change = float(near["change"])
            if not near["deviation"] <= ROTATION_EXACT:
                if not (0 < change <= ROTATION_ROUNDED and near["hand"] > 0):
                    return False
                result.update(super().__call__(**{**inputs, "T": near["T"]}))
                result["residual"] += change
        return any(status in SOLVED for status in result["status"].tolist())

    def _take_rounded(
        self, given: Mapping[str, Array], rows: dict[str, Array], doubtful: SampleNumbers
    ) -> None:
        """Solve again for the nearest rotations, where poses are close to one."""
        if self._part is None:
            return
        made, change = self._part.nearest(given["T"][doubtful])
        near = np.flatnonzero((change > 0) & (change <= ROTATION_ROUNDED))
        if self._part.whole:
            near = near[self._part.hands(made[near]) > 0]
        if not len(near):
            return
        kept = doubtful[near]
        again = super().__call__(**{**{name: array[kept] for name, array in given.items()}, "T": made[near]})
        again["residual"] += change[near, None]
        for name, array in again.items():
            rows[name][kept] = array

    def _tell_distances(self, poses: Array, rows: dict[str, Array], doubtful: SampleNumbers) -> None:
        """The residual of rows out of reach, where no row of the pose is a solution."""
        status = rows["status"][doubtful]
        none = doubtful[~np.isin(status, SOLVED).any(axis=1) & (status == OUT_OF_REACH).any(axis=1)]
        if len(none):
            told = distances(self._place, rows["q"][none], poses[none], self._given)
            if self.robot is not None and self.robot.B:  # a loop may be what does not close
                told = np.maximum(told, rows["residual"][none])
            away = rows["status"][none] == OUT_OF_REACH
            rows["residual"][none] = np.where(away, told, rows["residual"][none])

    @cached_property
    def _place(self) -> Function:
        """Direct geometry between the same frames; rarely asked, and not worth a compiler."""
        assert self.robot is not None
        _, program = build(self.robot, "fast-geometry", self._frames)
        return Function(program, self._numbers, compiled=False)

    def _each(self, name: str, inputs: Mapping[str, Any], samples: int) -> Array:
        """Return an input with one row per sample."""
        port = self._inputs[name]
        return np.broadcast_to(input_array(port, inputs), (samples, *port.shape))


@cache
def _nearest_rotation(part: Turning, compiled: bool) -> Function:
    """Return the function of one pose T: the pose with the nearest orthonormal columns in place of its own.

    Newton's iteration C (3 - C'C) / 2 converges to the polar factor of the columns C. Outputs are also the largest
    entry of C'C - 1 (deviation), the largest change of an entry of C, and the determinant where C is 3 x 3 (hand).
    """
    builder = Builder("nearest_rotation")
    entries = builder.input("T", (4, 4))
    pose: list[list[Scalar]] = [list(entries[4 * r : 4 * r + 4]) for r in range(4)]
    columns = [[pose[r][c] for c in part.columns] for r in range(part.rows)]
    made, deviation = columns, builder.number(0)
    for step in range(POLAR_STEPS):
        square = matmul(transpose(made), made)
        if step == 0:
            for i, row in enumerate(square):
                for j, x in enumerate(row):
                    deviation = builder.number(maximum(deviation, absolute(x - int(i == j))))
        correction = matmul(made, square)
        made = [
            [builder.number(1.5 * x - 0.5 * y) for x, y in zip(*rows, strict=True)]
            for rows in zip(made, correction, strict=True)
        ]
    change = builder.number(0)
    for r, row in enumerate(made):
        for column, x in zip(part.columns, row, strict=True):
            change = builder.number(maximum(change, absolute(x - pose[r][column])))
            pose[r][column] = x
    hand = dot(made[0], cross(made[1], made[2])) if part.whole else 1
    builder.output("T", pose)
    builder.output("deviation", deviation)
    builder.output("change", change)
    builder.output("hand", builder.number(hand))
    return Function(builder.program(), {}, compiled=compiled)
