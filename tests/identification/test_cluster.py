"""The same numbers on a Dask cluster."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from tests.identification.truth import truth, two_links

distributed = pytest.importorskip("distributed")
GIVEN = {"cutoff": 60.0, "decimation": 5, "slow": 0.05, "piece": 400}


def written(folder: Path) -> Path:
    t = truth(4000, 500.0)
    log = t.log(np.random.default_rng(1), torque=0.5)
    (chunk,) = log.chunks(4000)
    table = np.column_stack([np.arange(4000) / t.rate, chunk["position"], chunk["torque"]])
    path = folder / "log.csv"
    np.savetxt(path, table, delimiter=",", header="t,q1,q2,tau1,tau2", comments="", fmt="%.17g")
    return path


def same(path: Path, client: object) -> None:
    here = symoro.identify(two_links(), path, **GIVEN)
    there = symoro.identify(two_links(), path, **GIVEN, options=symoro.IdentificationOptions(client=client))
    assert there.data.counts == here.data.counts
    assert there.estimate.values == pytest.approx(here.estimate.values, rel=1e-9)
    assert there.estimate.deviations == pytest.approx(here.estimate.deviations, rel=1e-9)
    assert there.residuals.every.relative == pytest.approx(here.residuals.every.relative, rel=1e-9)


def test_workers_in_threads(tmp_path: Path) -> None:
    with distributed.Client(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as client:
        same(written(tmp_path), client)


@pytest.mark.slow
def test_workers_in_processes(tmp_path: Path) -> None:
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        same(written(tmp_path), client)
