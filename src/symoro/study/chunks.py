"""Computation of a sweep in chunks of rows: resumable, in threads of this process or on a Dask cluster.

A chunk is a fixed number of consecutive rows. Its numbers depend only on the request and on its position, so that the
result does not depend on who computes it, or when. Chunks that are complete are kept in the folder OUTPUT.chunks until
the table is finished. The name of a chunk contains the fingerprint of the sweep (robot, model, options, ranges,
measures, version of symoro and chunk size) and its contents a checksum, so that a chunk of another sweep, or an
incomplete one, is never used.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import struct
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from symoro._version import __version__
from symoro.errors import OptionError, SymoroError, WriteError
from symoro.files import reason
from symoro.optional_packages import needed
from symoro.robot.description import Robot
from symoro.study.evaluation import Evaluation, SweepRequest
from symoro.study.measures import planned
from symoro.study.ranges import Array
from symoro.threads import one_thread

CHUNK = 50_000  # rows; the Jacobians of a chunk then need 14 MB
AHEAD = 3  # chunks per worker that are submitted before their results are needed
ANSWER_TIME = 10  # seconds in which the scheduler of a cluster must answer
WORKER_TIME = 30  # seconds to wait for the first worker of a cluster
LAST_PORT = 65535
_ADDRESS = re.compile(r"(inproc://\S+|([a-z]+://)?(\[[^\]\s]+\]|[^\s:/\[]+):(?P<port>\d{1,6}))\Z")
_NAME = re.compile(r"([0-9a-f]{32}-\d+\.chunk(\.tmp)?|\.symoro-[0-9a-f]{16}\.tmp)\Z")


def fingerprint(request: SweepRequest, chunk: int, compiled: bool) -> str:
    """Return a text that identifies the numbers of a sweep: 32 hexadecimal digits.

    Args:
        chunk: rows per chunk.
        compiled: whether the models run in compiled code, which rounds differently.
    """
    contents = json.dumps([__version__, chunk, compiled, _plain(request)], sort_keys=True)
    return hashlib.sha256(contents.encode()).hexdigest()[:32]


def _plain(item: Any) -> Any:
    """Return data as lists, dictionaries, texts and numbers; every field of frozen data is included."""
    if isinstance(item, np.ndarray):
        return [str(item.dtype), list(item.shape), hashlib.sha256(item.tobytes()).hexdigest()]
    if is_dataclass(item) and not isinstance(item, type):
        return [type(item).__name__, {f.name: _plain(getattr(item, f.name)) for f in fields(item)}]
    if isinstance(item, Mapping):
        return {str(key): _plain(value) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [_plain(one) for one in item]
    return item if item is None or isinstance(item, bool | int | float | str) else repr(item)


def metadata(request: SweepRequest, evaluation: Evaluation, chunk: int) -> dict[str, Any]:
    """Return the description of a sweep for its result; it does not depend on time, place or number of workers."""
    robot: Robot = request.robot
    return {
        "version": __version__,
        "robot": robot.name,
        "model": request.model,
        "options": _plain(request.options),
        "over": {
            grid.name: list(grid.listed) or [grid.low, grid.high, grid.count]
            for grid in evaluation.rows.grids
        },
        "sample": {one.name: [one.low, one.high] for one in evaluation.rows.intervals},
        "count": evaluation.rows.count,
        "sampling": request.sampling,
        "seed": request.seed,
        "at": evaluation.fixed,
        "measures": list(request.measures),
        "length": request.length,
        "fingerprint": fingerprint(request, chunk, evaluation.compiled),
    }


# -- chunks on disk


@dataclass(frozen=True)
class ChunkFolder:
    """Folder of the completed chunks of a sweep.

    Attributes:
        path: the folder; it is created with the first chunk.
        sweep: fingerprint of the sweep.
        columns: number of columns of a chunk.
    """

    path: Path
    sweep: str
    columns: int

    def _file(self, index: int) -> Path:
        return self.path / f"{self.sweep}-{index}.chunk"

    def load(self, index: int, rows: int) -> Array | None:
        """Return a chunk; None if it is not there or not complete."""
        try:
            data = self._file(index).read_bytes()
        except OSError:
            return None
        body = data[4:]
        if len(body) != 8 * rows * self.columns or data[:4] != struct.pack("<I", zlib.crc32(body)):
            return None
        return np.frombuffer(body).reshape(rows, self.columns)

    def save(self, index: int, chunk: Array) -> None:
        """Write a chunk, complete or not at all."""
        target = self._file(index)
        beside = target.with_name(f"{target.name}.tmp")
        body = np.ascontiguousarray(chunk).tobytes()
        try:
            self.path.mkdir(exist_ok=True)
            with beside.open("wb") as stream:
                stream.write(struct.pack("<I", zlib.crc32(body)))
                stream.write(body)
            beside.replace(target)
        except OSError as error:
            raise WriteError(
                f"a chunk cannot be written to '{self.path}': {reason(error)}",
                hint="check that the folder is writable and has free space; the sweep then resumes",
            ) from None

    def remove(self) -> None:
        """Remove the chunks, also those of other sweeps to the same output, and the folder if nothing else is in it."""
        if not self.path.is_dir():
            return
        for file in self.path.iterdir():
            if _NAME.match(file.name) and file.is_dir():  # an incomplete Zarr group
                shutil.rmtree(file, ignore_errors=True)
            elif _NAME.match(file.name):
                file.unlink(missing_ok=True)
        if not any(self.path.iterdir()):
            shutil.rmtree(self.path, ignore_errors=True)


# -- computation


@dataclass(frozen=True)
class Chunk:
    """Computed chunk: values of the swept quantities by name, and numbers of the other columns."""

    swept: Mapping[str, Array]
    numbers: Array


def computed(
    evaluation: Evaluation, chunk: int, folder: ChunkFolder | None, *, workers: int, cluster: str | None
) -> Iterator[Chunk]:
    """Yield all chunks of a sweep in order.

    Args:
        chunk: rows per chunk.
        folder: folder of completed chunks; None keeps nothing.
        workers: number of threads.
        cluster: address of a Dask scheduler; None computes in this process.
    """
    total = evaluation.rows.total
    spans = [(first, min(first + chunk, total)) for first in range(0, total, chunk)]

    def finished(index: int) -> Array | None:
        return None if folder is None else folder.load(index, spans[index][1] - spans[index][0])

    if cluster is not None:
        yield from _on_cluster(evaluation, chunk, spans, finished, folder, cluster)
        return

    def work(index: int) -> Chunk:
        swept = evaluation.rows.block(*spans[index])
        numbers = finished(index)
        if numbers is None:
            numbers = evaluation.outputs(swept)
            if folder is not None:
                folder.save(index, numbers)
        return Chunk(swept, numbers)

    if workers == 1:
        yield from map(work, range(len(spans)))
        return
    with ThreadPoolExecutor(workers, thread_name_prefix="symoro-sweep") as pool:
        yield from _in_order(range(len(spans)), lambda index: pool.submit(work, index), AHEAD * workers)


def _in_order(indices: range, submit: Callable[[int], Any], ahead: int) -> Iterator[Any]:
    """Yield results in order; at most `ahead` tasks are submitted before their results are needed."""
    waiting: deque[Any] = deque()
    try:
        for index in indices:
            waiting.append(submit(index))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for one in waiting:
            one.cancel()


# -- cluster

_EVALUATIONS: dict[str, Evaluation] = {}  # of a worker, by fingerprint


def connected(address: str) -> Any:
    """Return a client of a Dask scheduler that has at least one worker.

    Raises:
        MissingDependencyError: Dask is not installed.
        OptionError: the address is not valid, or the scheduler does not answer or has no workers.
    """
    import logging

    distributed = needed("distributed", "a cluster")
    parts = _ADDRESS.match(address)
    if parts is None or int(parts["port"] or 0) > LAST_PORT:
        raise OptionError(
            f"cluster: '{address}' is not the address of a scheduler", hint="for example tcp://10.0.0.1:8786"
        )
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are reported below, once
    try:
        client = distributed.Client(address, timeout=ANSWER_TIME, set_as_default=False)
    except (OSError, ValueError) as error:
        raise OptionError(
            f"the cluster '{address}' does not answer: {reason(error) or type(error).__name__}",
            hint="start it with 'dask scheduler' and 'dask worker', and give the address that the scheduler prints",
        ) from None
    try:
        client.wait_for_workers(1, timeout=WORKER_TIME)
    except TimeoutError:
        client.close()
        raise OptionError(
            f"the cluster '{address}' has no workers", hint=f"start one with 'dask worker {address}'"
        ) from None
    return client


@one_thread
def computed_remotely(request: SweepRequest, sweep: str, chunk: int, first: int, end: int) -> Array:
    """Return the numbers of the rows first .. end - 1; this function runs on a worker of a cluster.

    Args:
        request: the sweep.
        sweep: its fingerprint.
        chunk: rows per chunk.

    Raises:
        OptionError: the worker would compute other numbers.
    """
    if sweep not in _EVALUATIONS:
        evaluation = planned(request)
        if fingerprint(request, chunk, evaluation.compiled) != sweep:
            raise OptionError(
                "a worker of the cluster has another version of symoro, or no C compiler",
                hint="install the same version and a compiler on all workers",
            )
        _EVALUATIONS.clear()
        _EVALUATIONS[sweep] = evaluation
    evaluation = _EVALUATIONS[sweep]
    return evaluation.outputs(evaluation.rows.block(first, end))


def _on_cluster(
    evaluation: Evaluation,
    chunk: int,
    spans: list[tuple[int, int]],
    finished: Callable[[int], Array | None],
    folder: ChunkFolder | None,
    address: str,
) -> Iterator[Chunk]:
    """Yield all chunks in order; missing ones are computed on a cluster, which repeats those of a lost worker."""
    client = connected(address)
    sweep = fingerprint(evaluation.request, chunk, evaluation.compiled)
    try:
        request = client.scatter(evaluation.request, broadcast=True)
        ahead = AHEAD * max(sum(client.nthreads().values()), 1)

        def submit(index: int) -> _Result:
            numbers = finished(index)
            if numbers is not None:
                return _Result(numbers)
            # Impure: Dask would otherwise keep results of equal calls.
            span = spans[index]
            task = client.submit(computed_remotely, request, sweep, chunk, *span, pure=False, retries=3)
            return _Result(task, lambda numbers: None if folder is None else folder.save(index, numbers))

        numbers = _in_order(range(len(spans)), submit, ahead)
        for index, one in enumerate(numbers):
            yield Chunk(evaluation.rows.block(*spans[index]), one)
    finally:
        client.close()


class _Result:
    """Numbers of a chunk: known, or those of a task on the cluster."""

    def __init__(self, source: Any, keep: Callable[[Array], None] | None = None) -> None:
        self._source, self._keep = source, keep

    def result(self) -> Array:
        if self._keep is None:
            return np.asarray(self._source)
        try:
            numbers = np.asarray(self._source.result())
        except SymoroError:
            raise
        except Exception as error:  # Dask has no common class for lost workers, schedulers and connections
            raise OptionError(
                f"the computation on the cluster failed: {type(error).__name__}: {str(error)[:200]}",
                hint="give the same command again: finished chunks are kept",
            ) from None
        self._keep(numbers)
        return numbers

    def cancel(self) -> None:
        if self._keep is not None:
            self._source.cancel()


def chunk_folder(path: Path) -> Path:
    """Return the folder of the chunks of an output."""
    return Path(os.path.realpath(path)).with_name(f"{path.name}.chunks")
