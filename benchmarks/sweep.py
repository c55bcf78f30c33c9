"""Sweeps: rows per second of tables on disk: python benchmarks/sweep.py [NAME ...]

    map        reach and manipulability of RX90 at 1e6 postures, with one and two threads; 1,000 rows are compared with
               a product of homogeneous matrices and the determinant of the Jacobian
    large      gravity torques of a planar arm on a grid of 1e8 postures
    resume     a sweep of 3e6 rows that is killed at half of its chunks and resumed: the files must be equal
    cluster    the same sweep on two Dask workers, one of which is killed: the numbers must be equal

Times include the start of Python, the derivation of the models and writing the table. Seconds of processor time are
listed because other programs may be running.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

COMMAND = (sys.executable, "-m", "symoro.ui.cli", "sweep")
MAP = ("jacobian", "rx90", "--sample", "q=-2.5:2.5", "--count", "1000000", "--measure", "reach")
LARGE = (
    "gravity-torques",
    "planar2r",
    "--over",
    "q1=-3:3:10000",
    "--over",
    "q2=-3:3:10000",
    "--measure",
    "max:Q",
)
PANDA = (
    *("inverse-dynamics", "panda", "--sample", "q=-2:2", "--sample", "qd=-1:1", "--sample", "qdd=-1:1"),
    *("--count", "3000000", "--seed", "3"),
)
MARK = 10.0  # seconds for the map on two cores
CHECKED = 1000


def timed(folder: Path, *words: str) -> tuple[float, float]:
    """Run a sweep; return seconds, and seconds of processor time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*COMMAND, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - start, used


def posture_map(folder: Path) -> None:
    for workers in ("1", "2"):
        words = (*MAP, "--measure", "manipulability", "--workers", workers, "-o", f"map{workers}.parquet")
        seconds, used = timed(folder, *words)
        print(f"map, {workers} thread(s): {seconds:.1f} s, {used:.1f} s of processor time (mark {MARK:g} s)")
    same = (folder / "map1.parquet").read_bytes() == (folder / "map2.parquet").read_bytes()
    print(f"map: the files of one and two threads are {'equal' if same else 'DIFFERENT'}")
    print(f"map: largest error at {CHECKED} rows: {largest_error(folder / 'map2.parquet'):.1e}")


def largest_error(path: Path) -> float:
    """Return the largest difference of reach and manipulability from products of homogeneous matrices."""
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    rows = np.random.default_rng(1).integers(0, table.num_rows, CHECKED)
    columns = {name: table[name].to_numpy()[rows] for name in table.column_names}
    lengths = [
        (0, 0, 0),
        (np.pi / 2, 0, 0),
        (0, 0.45, 0),
        (-np.pi / 2, 0, 0.45),
        (np.pi / 2, 0, 0),
        (-np.pi / 2, 0, 0),
    ]
    worst = 0.0
    for k in range(CHECKED):
        T, axes, origins = np.eye(4), [], []
        for j, (alpha, d, r) in enumerate(lengths, 1):
            q = columns[f"q{j}"][k]
            ca, sa, c, s = np.cos(alpha), np.sin(alpha), np.cos(q), np.sin(q)
            T = T @ [
                [c, -s, 0, d],
                [ca * s, ca * c, -sa, -r * sa],
                [sa * s, sa * c, ca, r * ca],
                [0, 0, 0, 1],
            ]
            axes.append(T[:3, 2])
            origins.append(T[:3, 3])
        J = np.concatenate([np.cross(axes, T[:3, 3] - np.array(origins)), axes], axis=1)
        errors = (
            columns["reach"][k] - np.linalg.norm(T[:3, 3]),
            columns["manipulability"][k] - abs(np.linalg.det(J)),
        )
        worst = max(worst, *map(abs, errors))
    return worst


def large(folder: Path) -> None:
    seconds, used = timed(folder, *LARGE, "--workers", "2", "-o", "large.parquet")
    size = (folder / "large.parquet").stat().st_size / 1e9
    print(f"large: 1e8 rows in {seconds:.0f} s, {used:.0f} s of processor time, {size:.2f} GB")


def resume(folder: Path) -> None:
    seconds, used = timed(folder, *PANDA, "-o", "whole.parquet")
    print(f"resume: 3e6 rows in {seconds:.1f} s, {used:.1f} s of processor time")
    running = subprocess.Popen(
        [*COMMAND, *PANDA, "-o", "part.parquet"], cwd=folder, stdout=subprocess.DEVNULL
    )
    chunks = folder / "part.parquet.chunks"
    while running.poll() is None and not (chunks.is_dir() and len(list(chunks.iterdir())) >= 30):
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    print(f"resume: killed after {len(list(chunks.iterdir()))} of 60 chunks")
    timed(folder, *PANDA, "-o", "part.parquet")
    report("resume", folder, "part.parquet")


def cluster(folder: Path) -> None:
    from distributed import LocalCluster

    if not (folder / "whole.parquet").exists():
        timed(folder, *PANDA, "-o", "whole.parquet")
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        words = [*COMMAND, *PANDA, "--cluster", local.scheduler_address, "-o", "cluster.parquet"]
        running = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL)
        while running.poll() is None and not (folder / "cluster.parquet.chunks").is_dir():
            time.sleep(0.01)
        os.kill(next(iter(local.workers.values())).pid, signal.SIGKILL)
        running.wait()
    report("cluster, one worker killed", folder, "cluster.parquet")


def report(what: str, folder: Path, name: str) -> None:
    same = (folder / name).read_bytes() == (folder / "whole.parquet").read_bytes()
    print(f"{what}: the files are {'equal' if same else 'DIFFERENT'}")


PARTS = {"map": posture_map, "large": large, "resume": resume, "cluster": cluster}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for part in sys.argv[1:] or PARTS:
            PARTS[part](Path(name))
