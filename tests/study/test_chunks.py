"""Tables of sweeps: the same bytes after an interruption, with workers and on a cluster; never a foreign chunk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import OptionError, WriteError
from symoro.progress import Progress, listening
from symoro.study import chunks
from symoro.study.storage import read_table

pytest.importorskip("pyarrow")
GIVEN: dict[str, Any] = {
    "over": {"q2": (-1, 1, 40)},
    "sample": {"q1": (-2, 2), "D2": (0.5, 1)},
    "count": 25,
    "at": {"qd": 0.1, "qdd": 0.2},
    "chunk": 90,
}


def swept(path: Path | None, **changes: Any) -> symoro.Sweep:
    return symoro.sweep("planar2r", "inverse-dynamics", output=path, **(GIVEN | changes))


class Stopped(Exception):
    """Interruption of a sweep."""


def interrupted(path: Path, rows: int, **changes: Any) -> None:
    """Start a sweep and stop it when this number of rows has been written."""

    def listener(progress: Progress) -> None:
        if progress.title == "computing rows" and progress.done >= rows and not progress.finished:
            raise Stopped

    with pytest.raises(Stopped), listening(listener):
        swept(path, **changes)


def test_an_interrupted_sweep_resumes_and_gives_the_same_file(tmp_path: Path) -> None:
    swept(tmp_path / "whole.parquet")
    part = tmp_path / "part.parquet"
    interrupted(part, 500)
    kept = list((tmp_path / "part.parquet.chunks").glob("*.chunk"))
    assert len(kept) >= 5 and not part.exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["part.parquet.chunks", "whole.parquet"]
    times = {p.name: p.stat().st_mtime_ns for p in kept}
    seen = []
    original = chunks.ChunkFolder.save
    chunks.ChunkFolder.save = lambda self, index, chunk: (seen.append(index), original(self, index, chunk))[1]  # type: ignore[method-assign]
    try:
        swept(part)
    finally:
        chunks.ChunkFolder.save = original  # type: ignore[method-assign]
    assert len(seen) == 12 - len(times)  # 1000 rows are 12 chunks; the kept ones were not computed again
    assert part.read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert not (tmp_path / "part.parquet.chunks").exists()


@pytest.mark.parametrize(
    "change",
    [
        {"at": {"qd": 0.1, "qdd": 0.3}},
        {"seed": 1},
        {"sampling": "sobol"},
        {"measures": ["max:tau", "rms:tau"]},
        {"count": 26},
    ],
)
def test_a_chunk_of_another_sweep_is_not_used(tmp_path: Path, change: dict[str, Any]) -> None:
    part = tmp_path / "part.parquet"
    interrupted(part, 500)
    swept(part, **change)
    expected = swept(None, **change)
    table = read_table(part)
    assert list(table) == list(expected.columns)
    assert all(np.array_equal(table[name], expected.columns[name]) for name in table)


def test_the_fingerprint_depends_on_robot_model_options_and_version(monkeypatch: pytest.MonkeyPatch) -> None:
    from symoro.study.evaluation import SweepRequest

    robot = symoro.load("planar2r")
    base = SweepRequest(robot, "jacobian", over={"q1": (0, 1, 3)})
    others = [
        SweepRequest(robot.bind({"D2": 1.5}), "jacobian", over={"q1": (0, 1, 3)}),
        SweepRequest(
            robot.replace(nominal=(*robot.nominal[1:], ("D2", 1.5))), "jacobian", over={"q1": (0, 1, 3)}
        ),
        SweepRequest(robot, "fast-geometry", over={"q1": (0, 1, 3)}),
        SweepRequest(robot, "jacobian", {"to": 1}, over={"q1": (0, 1, 3)}),
        SweepRequest(robot, "jacobian", over={"q1": (0, 1, 4)}),
        SweepRequest(robot, "jacobian", over={"q1": (0, 1, 3)}, length=2.0),
    ]
    marks = {chunks.fingerprint(one, 10, True) for one in (base, *others)}
    marks |= {chunks.fingerprint(base, 11, True), chunks.fingerprint(base, 10, False)}
    assert chunks.fingerprint(base, 10, True) in marks and len(marks) == 9
    monkeypatch.setattr(chunks, "__version__", "99.0")
    assert chunks.fingerprint(base, 10, True) not in marks


def test_a_damaged_chunk_is_computed_again(tmp_path: Path) -> None:
    swept(tmp_path / "whole.parquet")
    part = tmp_path / "part.parquet"
    interrupted(part, 500)
    first, second, *_ = sorted((tmp_path / "part.parquet.chunks").glob("*.chunk"))
    first.write_bytes(first.read_bytes()[:-8])
    damaged = bytearray(second.read_bytes())
    damaged[100] ^= 1
    second.write_bytes(damaged)
    swept(part)
    assert part.read_bytes() == (tmp_path / "whole.parquet").read_bytes()


@pytest.mark.parametrize("suffix", ["parquet", "zarr"])
def test_workers_give_the_same_table(tmp_path: Path, suffix: str) -> None:
    if suffix == "zarr":
        pytest.importorskip("zarr")
    one, two = tmp_path / f"one.{suffix}", tmp_path / f"two.{suffix}"
    swept(one)
    result = swept(two, workers=2)
    a, b, memory = read_table(one), read_table(two), swept(None).columns
    assert list(a) == list(b) == list(memory)
    assert all(np.array_equal(a[name], b[name]) and np.array_equal(a[name], memory[name]) for name in a)
    assert np.array_equal(result.columns["tau1"], a["tau1"]) and result.ranges["tau1"].high == a["tau1"].max()


def test_units_and_description_are_stored(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    swept(tmp_path / "a.parquet")
    schema = pq.read_schema(tmp_path / "a.parquet")
    units = {name: schema.field(name).metadata[b"unit"].decode() for name in schema.names}
    assert units == {"q2": "rad", "q1": "rad", "D2": "m", "tau1": "N m", "tau2": "N m"}
    description = json.loads(schema.metadata[b"symoro"])
    assert description["model"] == "inverse-dynamics" and description["over"] == {"q2": [-1.0, 1.0, 40]}
    zarr = pytest.importorskip("zarr")
    swept(tmp_path / "a.zarr")
    group = zarr.open_group(str(tmp_path / "a.zarr"), mode="r")
    assert group["D2"].attrs["unit"] == "m"
    assert group.attrs["symoro"]["fingerprint"] == description["fingerprint"]


@pytest.mark.parametrize("suffix", ["parquet", "zarr"])
def test_a_finished_table_is_overwritten_on_request_only(tmp_path: Path, suffix: str) -> None:
    if suffix == "zarr":
        pytest.importorskip("zarr")
    path = tmp_path / f"a.{suffix}"
    swept(path)
    with pytest.raises(WriteError, match="exists"):
        swept(path, seed=5)
    swept(path, seed=5, force=True)
    assert np.array_equal(read_table(path)["q1"], swept(None, seed=5).columns["q1"])
    if suffix == "zarr":
        other = tmp_path / "folder.zarr"
        other.mkdir()
        (other / "mine.txt").write_text("keep")
        with pytest.raises(WriteError, match="not the result of a sweep"):
            swept(other, force=True)
        assert (other / "mine.txt").exists()


def test_a_cluster_gives_the_same_file(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    swept(tmp_path / "one.parquet")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        swept(tmp_path / "two.parquet", cluster=cluster.scheduler_address)
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_a_failing_cluster_is_reported_and_keeps_the_finished_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    swept(tmp_path / "one.parquet")
    original, calls = chunks.Evaluation.outputs, []

    def failing(self: Any, swept: Any) -> Any:
        calls.append(1)
        if len(calls) > 5:
            raise RuntimeError("not enough memory")
        return original(self, swept)

    path = tmp_path / "two.parquet"
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        monkeypatch.setattr(chunks.Evaluation, "outputs", failing)  # the worker is a thread of this process
        with pytest.raises(OptionError, match="RuntimeError: not enough memory"):
            swept(path, cluster=cluster.scheduler_address)
        assert len(list((tmp_path / "two.parquet.chunks").iterdir())) == 5 and not path.exists()
    monkeypatch.undo()
    swept(path)
    assert path.read_bytes() == (tmp_path / "one.parquet").read_bytes()


def test_a_worker_that_would_compute_other_numbers_is_rejected() -> None:
    from symoro.study.evaluation import SweepRequest

    request = SweepRequest(symoro.load("planar2r"), "jacobian", over={"q1": (0, 1, 3)}, at={"q2": 0})
    mark = chunks.fingerprint(request, 10, True)
    assert chunks.computed_remotely(request, mark, 10, 1, 3).shape == (2, 12)
    with pytest.raises(OptionError, match="another version"):
        chunks.computed_remotely(request, "0" * 32, 10, 1, 3)


@pytest.mark.parametrize("address", ["nonsense", "tcp://127.0.0.1", "tcp://127.0.0.1:99999", "tcp:// :1", ""])
def test_an_address_that_is_not_valid_is_rejected_at_once(tmp_path: Path, address: str) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(OptionError, match="is not the address"):
        swept(tmp_path / "a.parquet", cluster=address)
    assert not list(tmp_path.iterdir())


def test_a_cluster_that_does_not_answer_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(chunks, "ANSWER_TIME", 0.5)
    with pytest.raises(OptionError, match=r"127\.0\.0\.1:1"):
        swept(tmp_path / "a.parquet", cluster="tcp://127.0.0.1:1")
    assert not list(tmp_path.iterdir())


COMMAND = [
    *(sys.executable, "-m", "symoro.ui.cli", "sweep", "inverse-dynamics", "panda", "--sample", "q=-2:2"),
    *("--sample", "qd=-1:1", "--sample", "qdd=-1:1", "--count", "600000", "--chunk", "10000"),
]


@pytest.mark.slow
def test_a_killed_process_leaves_no_file_and_resumes(tmp_path: Path) -> None:
    subprocess.run([*COMMAND, "-o", "whole.parquet"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    running = subprocess.Popen([*COMMAND, "-o", "part.parquet"], cwd=tmp_path, stdout=subprocess.DEVNULL)
    folder = tmp_path / "part.parquet.chunks"
    while running.poll() is None and not (folder.is_dir() and len(list(folder.glob("*.chunk"))) > 29):
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL and not (tmp_path / "part.parquet").exists()
    subprocess.run([*COMMAND, "-o", "part.parquet"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "part.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()


@pytest.mark.slow
def test_a_killed_worker_of_a_cluster_does_not_change_the_file(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    subprocess.run([*COMMAND, "-o", "whole.parquet"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        words = [*COMMAND, "--cluster", cluster.scheduler_address, "-o", "two.parquet"]
        running = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL)
        while running.poll() is None and not (tmp_path / "two.parquet.chunks").is_dir():
            time.sleep(0.01)
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        assert running.wait() == 0
    assert (tmp_path / "two.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
