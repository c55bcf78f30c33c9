"""R factors of all regression rows of the logs, computed in this process or on a Dask cluster.

On a cluster each worker reads, filters and factors pieces of the log; only the R factors are sent. The R factors of all
pieces are stacked to a tall and skinny array, whose QR decomposition (`dask.array.linalg.tsqr`) has the R factor of all
rows. Workers read the samples of a log in files themselves, so its files must have the same path on every worker; a log
of arrays is sent to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symoro.identification.contacts import Contact
from symoro.identification.equations import Booleans, RowBlock, RowModel, equations
from symoro.identification.friction import Friction
from symoro.identification.load_friction import LoadPoint, at_load
from symoro.identification.log import Log
from symoro.identification.log_description import Transmission
from symoro.identification.payloads import PayloadColumns, with_payloads
from symoro.identification.rows import LogPart, LogRows, RFactors, compressed, empty, joined
from symoro.identification.signals import Preparation, motion_between, planned
from symoro.optional_packages import needed
from symoro.progress import task
from symoro.robot.description import Robot
from symoro.threads import one_thread

# -- cluster


PIECES = 8  # pieces of the planned size per task


@dataclass(frozen=True)
class Work:
    """Data that a worker of the cluster needs to compute regression rows; the worker compiles the model itself.

    Attributes:
        robot: the robot, with symbols for its inertial parameters.
        kind: identification model: 'dynamic', 'filtered', 'power' or 'energy'.
        friction: friction terms of every joint.
        gear: transmission between motors and joints; None if motors are not coupled.
        without: columns of the regressor that are left out.
        preparation: filters and decimation of the samples.
        share: fraction of the rows that counts as independent.
        at: parameter values at which load-dependent friction is predicted; None if there is no such friction.
        payloads: columns of the payloads of the logs; None if there are none.
        contacts: contacts of a robot with a floating base.
        torques: whether torques were measured.
    """

    robot: Robot
    kind: str
    friction: Friction
    gear: Transmission | None
    without: tuple[str, ...]
    preparation: Preparation
    share: float
    at: LoadPoint | None = None
    payloads: PayloadColumns | None = None
    contacts: tuple[Contact, ...] = ()
    torques: bool = True


def _model(work: Work) -> RowModel:
    model = equations(
        work.robot,
        work.kind,
        work.friction,
        work.gear,
        work.without,
        contacts=work.contacts,
        torques=work.torques,
    )
    model = model if work.at is None else at_load(model, work.at)
    return with_payloads(model, work.payloads)


def compressed_on_cluster(work: Work, log: Log, support: Booleans, client: Any) -> dict[LogPart, RFactors]:
    """Compute the R factors of a log on a cluster; the result equals that of `rows.compressed`.

    Args:
        work: data for the workers.
        log: the log.
        support: (equations, columns), False where the regressor is zero for every motion.
        client: a `distributed.Client`.

    Returns:
        The R factors by part of the log: (third of the log 0, 1 or 2; whether the fit uses the rows).
    """
    dask = needed("dask", "a cluster")
    size = PIECES * planned(log, work.preparation).size
    pieces = [(first, min(first + size, log.samples)) for first in range(0, log.samples, size)]
    sent = client.scatter(log, broadcast=True)
    tasks = [dask.delayed(_factored, pure=False)(work, sent, a, b) for a, b in pieces]
    tasks = client.persist(tasks)
    parts = [client.compute(dask.delayed(_row_counts)(task)) for task in tasks]
    known = client.gather(parts)
    factors: dict[LogPart, RFactors] = {}
    for part in sorted({part for item in known for part in item}):
        tasks_with_part = [
            (task, item[part]) for task, item in zip(tasks, known, strict=True) if part in item
        ]
        factors[part] = _joined(client, part, tasks_with_part, support, work.share)
    return factors


@one_thread
def _factored(work: Work, log: Log, first: int, end: int) -> dict[LogPart, RFactors]:
    """Return the R factors of the samples first .. end - 1 of a log; this function runs on a worker.

    Args:
        work: data for the worker.
        log: the log.
        first, end: number of the first sample, and of the last sample plus one.
    """
    model = _model(work)
    return compressed(
        _blocks(work, log, model, first, end), model.support, log.samples / log.rate, work.share
    )


def _blocks(work: Work, log: Log, model: RowModel, first: int, end: int) -> Iterator[RowBlock]:
    size = planned(log, work.preparation).size
    postures = model.postures(log)
    for lower in range(first, end, size):
        motion = motion_between(log, work.preparation, lower, min(lower + size, end))
        block = None if motion is None else model.block(motion, postures, work.preparation)
        if block is not None:
            yield block


def _row_counts(factors: dict[LogPart, RFactors]) -> dict[LogPart, tuple[int, ...]]:
    """Return the number of rows per equation in the R factors of one piece of a log, by part of the log."""
    return {part: one.counts for part, one in factors.items()}


def _joined(
    client: Any,
    part: LogPart,
    tasks_with_part: Sequence[tuple[Any, tuple[int, ...]]],
    support: Booleans,
    share: float,
) -> RFactors:
    array = needed("dask.array", "a cluster")
    dask = needed("dask", "a cluster")
    shapes = [factor.shape for factor in empty(support).factors]
    joined = []
    for k, shape in enumerate(shapes):
        blocks = [
            array.from_delayed(dask.delayed(_factor)(task, part, k), shape, dtype=float)
            for task, _ in tasks_with_part
        ]
        tall = array.concatenate(blocks, axis=0)
        joined.append(array.linalg.tsqr(tall)[1] if len(blocks) > 1 else tall)
    factors = client.gather(client.compute(joined))
    counts = np.sum([count for _, count in tasks_with_part], axis=0)
    return RFactors(tuple(np.asarray(f) for f in factors), tuple(int(c) for c in counts), support, share)


def _factor(factors: dict[LogPart, RFactors], part: LogPart, k: int) -> Any:
    return factors[part].factors[k]


# -- passes


@dataclass(frozen=True, eq=False)
class Passes:
    """Function object that reads all logs once and returns their regression rows and R factors.

    Attributes:
        model: identification model of the robot.
        logs: the logs.
        work: data for the workers of a cluster, and options of the signal processing.
        client: a `distributed.Client`; None to compute in this process.
    """

    model: RowModel
    logs: Sequence[Log]
    work: Work
    client: Any = None

    def __call__(self, at: LoadPoint | None = None) -> tuple[LogRows, dict[LogPart, RFactors]]:
        """Return the regression rows of all logs, and the R factors of these rows.

        Args:
            at: parameter values at which load-dependent friction is predicted; None if there is no such friction.

        Returns:
            The rows, and the R factors by part of the logs: (third of the log 0, 1 or 2; whether the fit uses the
                rows).
        """
        model = self.model if at is None else at_load(self.model, at)
        rows = LogRows(model, self.logs, self.work.preparation)
        parts: dict[LogPart, RFactors] = {}
        with task("reading the log", len(self.logs)) as work:
            for k, log in enumerate(self.logs):
                work.to(k)
                if self.client is None:
                    length = log.samples / log.rate
                    factors = compressed(rows.of(k), model.support, length, self.work.share)
                else:
                    factors = compressed_on_cluster(
                        replace(self.work, at=at), log, model.support, self.client
                    )
                parts |= {p: joined(parts[p], t) if p in parts else t for p, t in factors.items()}
        return rows, parts
