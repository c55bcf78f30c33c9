"""A log larger than memory: python benchmarks/identification_stream.py [--samples 10000000] [--cluster] [--folder DIR]

A log of a TX40 is made up and written to Parquet piece by piece: sums of sines at every joint, torques of the inverse
dynamic model with noise. It is then identified out of core in a separate process, whose peak memory is printed.
Beside it NumPy's QR of the same rows: the regressor's rows of a piece, which fit in memory, factored again and
again, all columns at once. The rates are in rows a second, the ratio at most 2. With --cluster the same log goes
through a local Dask cluster of two workers, and the numbers are compared.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import symoro
from symoro.identification.dynamic import symbolic_robot
from symoro.identification.equations import equations
from symoro.identification.friction import Friction
from symoro.identification.log import open_log
from symoro.identification.signals import Preparation

RATE, PIECE = 1000.0, 200_000
GIVEN: dict[str, Any] = {"cutoff": 50.0, "decimation": 1, "slow": 0.0}
MARK = 2.0
MEMORY = 500.0  # MB


def values(seed: int = 0) -> dict[str, float]:
    """Numbers for all parameters of the arm: bodies of ten kilograms, some friction."""
    rng = np.random.default_rng(seed)
    result = {}
    for j in range(1, 7):
        m, c = 10.0 / j, rng.uniform(-0.1, 0.1, 3)
        A = rng.uniform(-0.1, 0.1, (3, 3))
        J = m * (A @ A.T + c @ c * np.eye(3) - np.outer(c, c)) + 0.05 * np.eye(3)
        kinds = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M", "IA", "FV", "FS")
        numbers = (*J[np.triu_indices(3)], *(m * c), m, 0.3, 2.0, 3.0)
        result |= {f"{kind}{j}": float(value) for kind, value in zip(kinds, numbers, strict=True)}
    return result


def write(path: Path, samples: int) -> None:
    """The log, in pieces; periods that have no common multiple keep it from repeating."""
    import pyarrow as pa
    from pyarrow import parquet

    torques = symoro.generate("tx40", "inverse-dynamics").function(values=values())
    rng = np.random.default_rng(1)
    w = 2 * np.pi * rng.uniform(0.05, 0.8, (6, 5))
    a, p = rng.uniform(0.1, 0.5, (6, 5)), rng.uniform(0, 6, (6, 5))
    names = ["t", *(f"q{j}" for j in range(1, 7)), *(f"tau{j}" for j in range(1, 7))]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with parquet.ParquetWriter(path, schema, compression="none") as writer:
        for start in range(0, samples, PIECE):
            t = np.arange(start, min(start + PIECE, samples)) / RATE
            angle = t[:, None, None] * w + p
            q, qd, qdd = (
                (a * np.sin(angle)).sum(2),
                (a * w * np.cos(angle)).sum(2),
                -(a * w**2 * np.sin(angle)).sum(2),
            )
            tau = torques(q=q, qd=qd, qdd=qdd)["tau"] + 0.5 * rng.standard_normal(q.shape)
            table = np.column_stack([t, q, tau])
            writer.write_table(pa.table(dict(zip(names, table.T, strict=True)), schema=schema))


def stream(path: Path) -> None:
    """Identify out of core, and tell as JSON; the process is this one alone, for its memory."""
    symoro.generate(
        "tx40", "dynamic-identification", parameters="base", friction="all"
    ).function()  # compiled before
    begin = perf_counter()
    result = symoro.identify("tx40", path, **GIVEN)
    seconds = perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    e = result.estimate
    print(
        json.dumps(
            {
                "seconds": seconds,
                "rows": result.data.rows,
                "peak": peak,
                "values": dict(zip(e.names, e.values.tolist(), strict=True)),
                "deviations": e.deviations.tolist(),
                "residual": result.residuals.kept.relative,
            }
        )
    )


def numpy_rate(path: Path, seconds: float = 6.0) -> float:
    """Rows a second of NumPy's QR of a piece's rows, [W y] with all columns."""
    robot = symbolic_robot(symoro.load("tx40"))
    model = equations(robot, "dynamic", Friction(), None)
    block = next(model.blocks(open_log(path, robot), Preparation(**GIVEN)))
    rows = np.concatenate([np.column_stack([block.A[:, k], block.y[:, k]]) for k in range(6)])
    np.linalg.qr(rows, mode="r")
    done, begin = 0, perf_counter()
    while perf_counter() - begin < seconds:
        np.linalg.qr(rows, mode="r")
        done += len(rows)
    return done / (perf_counter() - begin)


def on_cluster(path: Path) -> dict[str, float]:
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        return symoro.identify(
            "tx40", path, **GIVEN, options=symoro.IdentificationOptions(client=client)
        ).estimate.as_dict()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--cluster", action="store_true")
    parser.add_argument("--stream", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stream:
        stream(options.stream)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "log.parquet"
        write(path, options.samples)
        print(f"log: {options.samples} samples, {path.stat().st_size / 1e6:.0f} MB")
        before = numpy_rate(path)
        text = subprocess.run(
            [sys.executable, __file__, "--stream", str(path)], capture_output=True, text=True, check=True
        ).stdout
        result = json.loads(text)
        rate = (before + numpy_rate(path)) / 2  # on both sides, since other work shares the machine
        ours = result["rows"] / result["seconds"]
        print(
            f"out of core: {result['seconds']:.1f} s, {result['rows']} rows, {ours / 1e6:.2f} million a second"
        )
        print(
            f"NumPy's QR of such rows: {rate / 1e6:.2f} million a second; ratio {rate / ours:.2f} (at most {MARK})"
        )
        print(
            f"memory: {result['peak']:.0f} MB (at most {MEMORY:.0f}); residual {100 * result['residual']:.2f} %"
        )
        if options.cluster:
            there = on_cluster(path)
            scale = dict(zip(result["values"], result["deviations"], strict=True))
            apart = max(
                abs(there[name] - value) / max(abs(value), scale[name])
                for name, value in result["values"].items()
            )
            print(f"two workers: largest relative difference {apart:.1e} (at most 1e-9)")


if __name__ == "__main__":
    main()
