"""Function of an inverse geometric model, with corrections that its straight-line program cannot make.

A rotation matrix in single precision, or with seven digits, is not a rotation to the model's tolerance. It is then
replaced by the nearest rotation, if that changes no entry by more than `ROTATION_ROUNDED`. Status and q are those of
the corrected pose. The change is added to the residual, so that it is the distance from the given pose. A function in
single precision has a tolerance for such rotations and does not correct them.

For a pose out of reach, the program replaces square roots of negative numbers by zero, and its residual is not a
distance. The residual is then computed by direct geometry at the joint positions of each solution.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property, reduce
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from symoro.expr.linalg import cross, dot, matmul, transpose
from symoro.expr.number import in_single
from symoro.expr.scalar import Scalar, absolute, maximum
from symoro.models.catalogue import build
from symoro.models.geometric.inverse.chain.pose import given_entries
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot.description import Robot
from symoro.runtime.function import Array, Function, input_array
from symoro.runtime.options import DEFAULT, FunctionOptions
from symoro.runtime.poses import RotationPart, rotation_part
from symoro.runtime.solutions import OUT_OF_REACH, SOLVED, distances
from symoro.runtime.tolerances import POSE_EXACT, ROTATION_EXACT, ROTATION_ROUNDED

SampleNumbers = NDArray[np.intp]  # numbers of samples

POLAR_STEPS = 3  # from an error of 1e-6 the first leaves 1e-12, the second 1e-24


class PoseFunction(Function):
    """Function of an inverse geometric model, which returns joint positions for poses `T`."""

    def __init__(
        self,
        program: Program,
        values: Mapping[str, float],
        *,
        robot: Robot,
        options: Mapping[str, Any],
        compiled: bool | None = None,
        call_options: FunctionOptions = DEFAULT,
    ) -> None:
        super().__init__(program, values, compiled=compiled, robot=robot, options=call_options)
        self._model_options = dict(options)
        self._given = given_entries(options.get("pose", "full"))
        double = call_options.dtype == "float64"
        self._part = rotation_part(self._given) if double else None
        self._exact = POSE_EXACT if double else in_single(POSE_EXACT)
        self._frames = {name: options[name] for name in ("frm", "to") if name in options}
        self._numbers = dict(values)

    def bind(self, values: Mapping[str, float]) -> Self:
        bound = super().bind(values)
        bound._numbers = self._numbers | dict(values)
        for dependent in ("_place", "_in_double"):
            bound.__dict__.pop(dependent, None)
        return bound

    def __call__(self, *unnamed: Any, out: Any = None, **inputs: Any) -> dict[str, Any]:
        if not self.compiled and self.options.dtype != "float64":
            return self._rounded(*unnamed, out=out, **inputs)
        outputs = super().__call__(*unnamed, out=out, **inputs)
        residual = outputs["residual"]
        alone = residual.ndim == 1
        if alone and (min(residual.tolist()) <= self._exact or self._solved_alone(inputs, outputs)):
            return outputs
        rows = {name: array[None] if alone else array for name, array in outputs.items()}
        # one solution after the other, which is much faster than a reduction over the short axis
        best = reduce(np.fmin, rows["residual"].T)
        unsolved = np.flatnonzero(~(best <= self._exact))
        if len(unsolved):
            arrays = {name: self._each(name, inputs, len(rows["residual"])) for name in inputs}
            self._solve_rounded(arrays, rows, unsolved)
            self._set_distances(arrays["T"], rows, unsolved)
        return outputs

    def _rounded(self, *unnamed: Any, out: Any, **inputs: Any) -> dict[str, Any]:
        """Return results computed in double precision and rounded to the number type of the function.

        It is used without a compiler, because NumPy evaluates tolerances that are valid for double precision only.
        """
        outputs = super().__call__(*unnamed, out=out, **inputs)
        for name, array in self._in_double(**inputs).items():
            outputs[name][...] = array
        return outputs

    @cached_property
    def _in_double(self) -> PoseFunction:
        assert self.robot is not None
        return PoseFunction(
            self.program, self._numbers, robot=self.robot, options=self._model_options, compiled=False
        )

    def _solved_alone(self, inputs: Mapping[str, Any], result: dict[str, Any]) -> bool:
        """Return whether a single pose has a solution, and solve again for the nearest rotation if it is rounded.

        The dictionary `result` is updated in this case. NumPy is not used if the program is compiled.
        """
        if self._part is not None:
            near = _nearest_rotation(self._part, self.compiled)(T=inputs["T"])
            change = float(near["change"])
            if not near["deviation"] <= ROTATION_EXACT:
                if not (0 < change <= ROTATION_ROUNDED and near["hand"] > 0):
                    return False
                super().__call__(**{**inputs, "T": near["T"]}, out=result)
                result["residual"] += change
        return any(status in SOLVED for status in result["status"].tolist())

    def _solve_rounded(
        self, arrays: Mapping[str, Array], rows: dict[str, Array], unsolved: SampleNumbers
    ) -> None:
        """Solve unsolved poses again with the nearest rotation, if their rotation matrices are rounded.

        Args:
            arrays: inputs, one row per sample.
            rows: results, one row per sample; they are updated.
            unsolved: numbers of the samples without a solution.
        """
        if self._part is None:
            return
        corrected, change = self._part.nearest(arrays["T"][unsolved])
        near = np.flatnonzero((change > 0) & (change <= ROTATION_ROUNDED))
        if self._part.whole:
            near = near[self._part.hands(corrected[near]) > 0]
        if not len(near):
            return
        kept = unsolved[near]
        again = super().__call__(
            **{**{name: array[kept] for name, array in arrays.items()}, "T": corrected[near]}
        )
        again["residual"] += change[near, None]
        for name, array in again.items():
            rows[name][kept] = array

    def _set_distances(self, poses: Array, rows: dict[str, Array], unsolved: SampleNumbers) -> None:
        """Replace the residuals of poses out of reach by the pose errors at the returned joint positions.

        Args:
            poses: homogeneous transforms (N, 4, 4).
            rows: results, one row per sample; the residuals are updated.
            unsolved: numbers of the samples without a solution.
        """
        status = rows["status"][unsolved]
        none = unsolved[~np.isin(status, SOLVED).any(axis=1) & (status == OUT_OF_REACH).any(axis=1)]
        if len(none):
            residual = distances(self._place, rows["q"][none], poses[none], self._given)
            if self.robot is not None and self.robot.B:  # another cause may be a loop that cannot be closed
                residual = np.maximum(residual, rows["residual"][none])
            away = rows["status"][none] == OUT_OF_REACH
            rows["residual"][none] = np.where(away, residual, rows["residual"][none])

    @cached_property
    def _place(self) -> Function:
        """Return the direct geometry between the frames of the model, as a function that is not compiled."""
        assert self.robot is not None
        _, program = build(self.robot, "fast-geometry", self._frames)
        return Function(program, self._numbers, compiled=False)

    def _each(self, name: str, inputs: Mapping[str, Any], samples: int) -> Array:
        """Return the input `name` as an array with one row per sample."""
        port = self._inputs[name]
        return np.broadcast_to(input_array(port, inputs), (samples, *port.shape))


@cache
def _nearest_rotation(part: RotationPart, compiled: bool) -> Function:
    """Return a function that replaces the rotation columns of a pose T by the nearest orthonormal ones.

    Newton's iteration C (3 - C'C) / 2 converges to the polar factor of the columns C. The outputs of the function are
    the corrected T, the largest entry of C'C - 1 (deviation), the largest change of an entry of C (change), and the
    determinant if C is 3 x 3 (hand).
    """
    builder = Builder("nearest_rotation")
    entries = builder.input("T", (4, 4))
    pose: list[list[Scalar]] = [list(entries[4 * r : 4 * r + 4]) for r in range(4)]
    columns = [[pose[r][c] for c in part.columns] for r in range(part.rows)]
    rotation, deviation = columns, builder.number(0)
    for step in range(POLAR_STEPS):
        square = matmul(transpose(rotation), rotation)
        if step == 0:
            for i, row in enumerate(square):
                for j, x in enumerate(row):
                    deviation = builder.number(maximum(deviation, absolute(x - int(i == j))))
        correction = matmul(rotation, square)
        rotation = [
            [builder.number(1.5 * x - 0.5 * y) for x, y in zip(*rows, strict=True)]
            for rows in zip(rotation, correction, strict=True)
        ]
    change = builder.number(0)
    for r, row in enumerate(rotation):
        for column, x in zip(part.columns, row, strict=True):
            change = builder.number(maximum(change, absolute(x - pose[r][column])))
            pose[r][column] = x
    hand = dot(rotation[0], cross(rotation[1], rotation[2])) if part.whole else 1
    builder.output("T", pose)
    builder.output("deviation", deviation)
    builder.output("change", change)
    builder.output("hand", builder.number(hand))
    return Function(builder.program(), {}, compiled=compiled)
