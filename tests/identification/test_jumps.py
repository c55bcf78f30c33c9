"""Positions that leap between two samples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.errors import FormatError
from symoro.identification import simulated_rows
from symoro.identification.control_loop import Simulated, loop_of
from symoro.identification.dynamic import symbolic_robot
from symoro.identification.equations import equations
from symoro.identification.friction import Friction
from symoro.identification.log import log_of_arrays
from symoro.identification.log_description import PdController
from symoro.identification.signals import Preparation, check_jumps
from tests.identification.test_logs import written
from tests.identification.truth import smooth, two_links


def checked(q: np.ndarray, rate: float = 1000.0) -> None:
    column = q[:, None] if q.ndim == 1 else q
    check_jumps(column, 0, log_of_arrays(rate, column, column))


def turned(samples: int = 3000) -> np.ndarray:
    """A motion that goes beyond half a turn."""
    time = np.arange(samples) / 1000
    return 3 * np.sin(time) + 1.5 * np.sin(2 * time)


def test_wrapped_angles_are_reported_with_the_line(tmp_path: Path) -> None:
    t = smooth(two_links(), 1500, 500.0)
    q = 6 * t.q
    wrapped = (q + np.pi) % (2 * np.pi) - np.pi
    line = int(np.argmax(np.abs(np.diff(wrapped, axis=0)).max(axis=1) > 3)) + 3
    table = np.column_stack([np.arange(1500) / 500, wrapped, t.tau])
    path = written(tmp_path, table.tolist())
    for piece in (64, 4096):
        with pytest.raises(FormatError, match=r"column 'q\d' jumps by .*, one full turn") as caught:
            symoro.identify(two_links(), path, options=symoro.IdentificationOptions(piece=piece))
        assert caught.value.place is not None and caught.value.place.line == line
        assert "wrapped" in (caught.value.hint or "")


@pytest.mark.parametrize("size", [0.1, -0.3, 1.0])
@pytest.mark.parametrize(
    ("length", "words"), [(1, "for one sample, and back"), (2, "for 2 samples, and back")]
)
def test_spikes_are_reported(size: float, length: int, words: str) -> None:
    q = np.column_stack([turned(), turned()[::-1]])
    q[1200 : 1200 + length, 1] += size
    with pytest.raises(FormatError, match=f"joint 2 jumps by .* {words}") as caught:
        checked(q)
    assert caught.value.place is not None and caught.value.place.key == "sample 1200"


def test_permanent_jumps_are_reported() -> None:
    q = turned()
    q[1200:] += 0.2
    with pytest.raises(FormatError, match=r"jumps by 0.\d+ between two samples"):
        checked(q)


@pytest.mark.parametrize("at", [1, 2, 2998, 2999])
def test_jumps_at_the_ends_are_reported(at: int) -> None:
    q = turned()
    q[at] += 0.5
    with pytest.raises(FormatError, match="jumps"):
        checked(q)


def test_constant_joints_with_a_spike_are_reported() -> None:
    q = np.full(1000, 0.25)
    q[400] = 1.0
    with pytest.raises(FormatError, match="for one sample, and back"):
        checked(q)


def test_motions_do_not_leap() -> None:
    """Noise, coarse encoders at rest and in motion, sudden starts, stale samples, quick moves seen seldom."""
    chance = np.random.default_rng(1)
    q = turned()
    checked(q)
    checked(q + 1e-2 * chance.standard_normal(q.shape))
    for count in (1e-4, 1e-2):
        checked(np.round(q / count) * count)
        checked(np.round((0.3 + 0.3 * count * chance.standard_normal(3000)) / count) * count)
        checked(np.round(0.02 * q / count) * count)
    sudden = np.concatenate([np.zeros(500), 2e-3 * np.arange(500), np.full(500, 1.0)])
    checked(sudden)
    stale = q.copy()
    stale[7::50] = stale[6::50]
    checked(stale)
    moves = np.concatenate([np.zeros(20), [0.2, 0.5, 0.6], np.full(20, 0.6)])
    checked(moves, rate=10.0)


def test_jumps_of_a_simulated_motion_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    t = smooth(two_links(), 2000, 1000.0)
    log = log_of_arrays(1000.0, t.q, t.tau, reference=t.q)
    model = equations(symbolic_robot(two_links()), "dynamic", Friction(), None)
    preparation = Preparation(decimation=10)
    measured = simulated_rows.whole(list(model.blocks(log, preparation)))
    q = t.q.copy()
    q[900:, 1] += 2.0
    leaping = Simulated(*(x[None] for x in (q, t.qd, t.qdd, t.tau)))
    monkeypatch.setattr(simulated_rows, "simulated", lambda *_: leaping)
    loop = loop_of(log, PdController((300.0, 300.0), (30.0, 30.0)), None)[0]
    pair = simulated_rows.paired(model, log, measured, loop, np.zeros(len(model.names)), preparation)
    assert np.isfinite(pair.simulated.A).all() and pair.simulated.y == pytest.approx(measured.y)
    with pytest.raises(FormatError, match="joint 2 jumps by"):
        list(model.blocks(log_of_arrays(1000.0, q, t.tau), preparation))
