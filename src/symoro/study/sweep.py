"""Sweeps: a model or measures of a robot over grids and samples of postures and parameters.

map = symoro.sweep("rx90", "jacobian", over={"q2": (-90, 90, 181), "q3": (-120, 60, 181)},
                   at={"q1": 0, "q4": 10, "q5": 40, "q6": 0}, degrees=True, measures=["manipulability"])
map.columns["manipulability"]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from symoro import progress
from symoro.display import OneLineRepr
from symoro.errors import OptionError, UnknownNameError
from symoro.models.catalogue import entry
from symoro.robot.description import Robot
from symoro.robot.formats import RobotLike, as_robot
from symoro.study.chunks import CHUNK, ChunkFolder, chunk_folder, computed, metadata
from symoro.study.evaluation import WHOLE_POSE, SweepRequest
from symoro.study.measures import planned
from symoro.study.quantities import Column, with_symbols
from symoro.study.ranges import Array, Rows, positive_whole
from symoro.study.storage import Table, check_output, read_table, temporary_name
from symoro.threads import one_thread, processors

AXES = ("x", "y", "z", "rx", "ry", "rz")  # rows of a Jacobian
TASKS = {"pose": AXES, "position": AXES[:3], "orientation": AXES[3:]}


@dataclass(frozen=True)
class ColumnRange:
    """Smallest and largest finite value of a column (NaN if there is none), and the number of other values."""

    low: float
    high: float
    undefined: int

    def joined(self, other: ColumnRange) -> ColumnRange:
        """Return the range of the values of both."""
        low, high = np.fmin(self.low, other.low), np.fmax(self.high, other.high)
        return ColumnRange(float(low), float(high), self.undefined + other.undefined)


def column_range(values: Array) -> ColumnRange:
    """Return the range of the values of a column."""
    good = np.isfinite(values)
    known = values if good.all() else values[good]
    ends = (float(known.min()), float(known.max())) if known.size else (np.nan, np.nan)
    return ColumnRange(*ends, int(len(values) - len(known)))


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(OneLineRepr):
    """Result of a sweep.

    Attributes:
        robot: the robot.
        model: id of the model.
        rows: rows of the sweep: grids, sample and their values.
        swept: columns of the swept quantities.
        outputs: columns of the outputs or measures.
        compilations: number of models that were compiled.
        path: file or folder of the table; None if it is in memory only.
        metadata: description of the sweep, as in the file.
        ranges: range of the values of each output column by name.
    """

    robot: Robot
    model: str
    rows: Rows
    swept: tuple[Column, ...]
    outputs: tuple[Column, ...]
    compilations: int
    path: Path | None
    metadata: Mapping[str, Any]
    ranges: Mapping[str, ColumnRange]
    numbers: Mapping[str, Array] | None = None

    @cached_property
    def columns(self) -> Mapping[str, Array]:
        """Columns by name: the swept quantities, then the outputs; read from the file if there is one."""
        if self.numbers is not None:
            return self.numbers
        assert self.path is not None
        return read_table(self.path)

    @property
    def units(self) -> dict[str, str]:
        """Unit of each column by name."""
        return {one.name: one.unit for one in (*self.swept, *self.outputs)}

    def __str__(self) -> str:
        names = ", ".join(one.name for one in self.outputs)
        return f"sweep of {self.model} of {self.robot.name}: {self.rows.total} rows, {names}"


def sweep(
    robot: RobotLike,
    model: str,
    *,
    over: Mapping[str, Any] | None = None,
    sample: Mapping[str, Any] | None = None,
    count: int | None = None,
    at: Mapping[str, Any] | None = None,
    measures: Sequence[str] = (),
    degrees: bool = False,
    length: float = 1.0,
    task: str | Sequence[str] = "pose",
    mode: int | None = None,
    stiffness: float | Sequence[float] | None = None,
    trajectory: Any = None,
    step: float = 0.01,
    sampling: str = "random",
    seed: int = 0,
    output: str | Path | None = None,
    workers: int | None = 1,
    cluster: str | None = None,
    chunk: int = CHUNK,
    max_rows: int | None = None,
    force: bool = False,
    **options: Any,
) -> Sweep:
    """Evaluate a model or measures over grids and samples of postures and parameters.

    Grids and samples combine as a product; the last grid varies fastest, the sample slowest. The rows and their order
    do not depend on the number of workers. A sweep to a file that was interrupted continues when it is called again.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        model: id or alias of a model.
        over: grids by name: (low, high, count), or a list of values. Names are entries of inputs (q2), inputs (q: every
            entry), symbols of the robot (D3), and coordinates x, y, z, roll, pitch, yaw of the end effector's pose.
        sample: intervals (low, high) by name, sampled together.
        count: number of sampled points.
        at: fixed values by name; a list of numbers for a whole input, or the name of a posture for q.
        measures: names of measures (`symoro.study.MEASURES`), max:OUTPUT or rms:OUTPUT; by default the outputs of the
            model.
        degrees: angles of revolute joints and of the pose are in degrees, also in the result.
        length: characteristic length in metres, with which Jacobians become dimensionless.
        task: rows of the Jacobian that measures use: 'pose', 'position', 'orientation', or a list of x, y, z, rx, ry,
            rz in the axes of frame 0.
        mode: assembly mode of closed loops, or solution of inverse geometry if the pose is given, from 1; by default 1,
            or the assembly mode of the posture 'home'.
        stiffness: joint stiffnesses (N m/rad, N/m) for stiffness and frequencies; by default those of elastic joints.
        trajectory: trajectory, samples, path of a file, or name of a bundled trajectory for the measures along it.
        step: largest time between samples of the trajectory in seconds.
        sampling: 'random', 'sobol' or 'halton' (scrambled low-discrepancy sequences).
        seed: seed of the sample.
        output: file .parquet or folder .zarr; by default the result is in memory only.
        workers: number of threads; None uses all processors.
        cluster: address of the scheduler of a Dask cluster, for example 'tcp://10.0.0.1:8786'.
        chunk: rows per chunk.
        max_rows: largest number of rows; by default 10^9.
        force: overwrite the output.
        options: options of the model.

    Raises:
        UnknownNameError: there is no such model, name or measure.
        OptionError: a range is empty or an option has a wrong value; the cluster does not answer.
        ArgumentError: values are missing.
        WriteError: the output exists or cannot be written.
    """
    path = None if output is None else Path(output)
    if path is not None:
        check_output(path, force=force)
    request = SweepRequest(
        robot=with_symbols(as_robot(robot), [*(over or {}), *(sample or {}), *(at or {})]),
        model=entry(model).id,
        options=options,
        over=dict(over or {}),
        sample=dict(sample or {}),
        at=dict(at or {}),
        count=count,
        sampling=sampling,
        seed=seed,
        max_rows=None if max_rows is None else positive_whole("max_rows", max_rows),
        degrees=degrees,
        measures=tuple(measures),
        length=_positive("length", length),
        task=task_rows(task),
        mode=mode,
        stiffness=None if stiffness is None else tuple(np.atleast_1d(stiffness).astype(float).tolist()),
        trajectory=_motion(trajectory),
        step=_positive("step", step),
    )
    threads = processors() if workers is None else positive_whole("workers", workers)
    return run_sweep(request, path, workers=threads, cluster=cluster, chunk=positive_whole("chunk", chunk))


@one_thread
def run_sweep(
    request: SweepRequest,
    path: Path | None,
    *,
    workers: int = 1,
    cluster: str | None = None,
    chunk: int = CHUNK,
) -> Sweep:
    """Compute the rows of a sweep and write them to a file, or return them in memory.

    Args:
        request: the sweep.
        path: file .parquet or folder .zarr; None keeps the result in memory.
        workers: number of threads.
        cluster: address of the scheduler of a Dask cluster.
        chunk: rows per chunk.
    """
    with progress.task("deriving the models"):
        evaluation = planned(request)
    description = metadata(request, evaluation, chunk)
    total = evaluation.rows.total
    folder = None
    if path is not None and total > chunk:
        folder = ChunkFolder(chunk_folder(path), description["fingerprint"], len(evaluation.columns))
    columns = (*evaluation.swept, *evaluation.columns)
    repeated = [grid.name for grid in evaluation.rows.grids]
    ranges: dict[str, ColumnRange] = {}
    parts: list[dict[str, Array]] = []
    with ExitStack() as stack:
        work = stack.enter_context(progress.task("computing rows", total))
        table = None
        if path is not None:
            beside = temporary_name(path, None if folder is None else folder.path)
            table = stack.enter_context(Table(path, beside, columns, repeated, total, chunk, description))
        done = 0
        for one in computed(evaluation, chunk, folder, workers=workers, cluster=cluster):
            numbers = {column.name: one.numbers[:, k] for k, column in enumerate(evaluation.columns)}
            for name, values in numbers.items():
                present = column_range(values)
                ranges[name] = ranges[name].joined(present) if name in ranges else present
            block = {**one.swept, **numbers}
            if table is None:
                parts.append(block)
            else:
                table.write(block)
            done += len(one.numbers)
            work.to(done)
        if table is not None:
            table.finish()
    if folder is not None:
        folder.remove()
    return Sweep(
        request.robot,
        request.model,
        evaluation.rows,
        evaluation.swept,
        evaluation.columns,
        evaluation.compilations,
        path,
        description,
        ranges,
        {one.name: np.concatenate([part[one.name] for part in parts]) for one in columns} if parts else None,
    )


def task_rows(given: str | Sequence[str]) -> tuple[int, ...]:
    """Return the indices of the rows of a Jacobian that belong to a task.

    Args:
        given: 'pose', 'position', 'orientation', or a list of x, y, z, rx, ry, rz; also as a text with commas.

    Raises:
        UnknownNameError: there is no such row.
        OptionError: there are no rows.
    """
    if isinstance(given, str):
        given = TASKS.get(given) or [word.strip() for word in given.split(",") if word.strip()]
    for name in given:
        if name not in AXES:
            raise UnknownNameError("task", name, [*TASKS, *AXES])
    rows = tuple(sorted({AXES.index(name) for name in given}))
    if not rows:
        raise OptionError("task: no rows are given", hint=f"choose from {', '.join([*TASKS, *AXES])}")
    return WHOLE_POSE if len(rows) == len(AXES) else rows


def _motion(given: Any) -> Any:
    if given is None:
        return None
    from symoro.trajectory.files import as_trajectory

    return as_trajectory(given)


def _positive(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < value < np.inf:
        raise OptionError(f"{name}: expected a positive number, got {value!r}")
    return float(value)
