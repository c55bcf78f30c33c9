"""Loops followed over many samples at once."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.errors import NotClosedError
from symoro.trajectory.assembly import BrokenLoopsError, LoopAssembly, LoopCloser


def assembly(name: str, **values: float) -> LoopAssembly:
    robot = symoro.load(name)
    return LoopAssembly(robot, {**dict(robot.nominal), **values})


def around(row: np.ndarray, loops: LoopAssembly, size: float, samples: int = 300) -> np.ndarray:
    here = loops.postures(row[None])[0, loops.active]
    rates = np.linspace(1, 2, len(here))
    return here + size * np.sin(np.linspace(0, 3, samples)[:, None] * rates)


@pytest.mark.parametrize("name", ["3rrr", "delta", "sr400"])
def test_many_samples_are_closed_as_one_after_the_other(name: str) -> None:
    loops, robot = assembly(name), symoro.load(name)
    start = robot.postures.get("home", (0.1, -1.0, 0.9 - np.pi / 2, 0, 0, 0, -0.1, -0.9))
    row = loops.row(start)
    qa = around(row, loops, 0.15)
    result = loops.postures(loops.along(qa, row))
    closer = LoopCloser(robot, dict(robot.nominal))
    assert result == pytest.approx(closer.along(np.arange(len(qa)), qa, np.array(start)), abs=1e-8)
    assert result[:, loops.active] == pytest.approx(qa, abs=0)


def test_both_assembly_modes_of_four_bars_are_followed_over_full_turns() -> None:
    loops = assembly("fourbar")
    rows = loops.assemblies(np.array([0.3]))
    assert len(rows) == 2
    for row in rows:
        result = loops.postures(loops.along(np.linspace(0.3, 0.3 + 6 * np.pi, 900)[:, None], row))
        assert np.abs(np.diff(result, axis=0)).max() < 0.2
        end = (result[-1] - result[0]) / (2 * np.pi)
        assert end == pytest.approx(np.round(end), abs=1e-9)


def test_one_leap_or_many_give_the_same_rows() -> None:
    loops = assembly("fivebar")
    row = loops.assemblies(np.array([2.0, 1.0]))[0]
    qa = around(row, loops, 0.5)
    whole = loops.along(qa, row)
    single = row
    for k in range(0, 300, 37):
        single = loops.walked(single, qa[k])
        assert single == pytest.approx(whole[k], abs=1e-10)


@pytest.mark.parametrize("step", [0.3, 0.01, 1e-4])
def test_the_end_of_the_range_is_reported_for_any_sampling(step: float) -> None:
    """Bars of 0.2 and 0.3 m, motors 0.24 m apart: with q1 = pi - q3 they stretch at cos q3 = 0.9."""
    loops = assembly("fivebar")
    start = np.array([np.pi - 0.9, 0.9])
    rows = loops.assemblies(start)
    end = np.arccos((0.6 - 0.24) / 0.4)
    across = np.arange(0.9, end - max(step, 0.05), -step)
    with pytest.raises(BrokenLoopsError) as caught:
        loops.along(np.column_stack([np.pi - across, across]), rows[0])
    first = int(np.flatnonzero(across < end)[0])
    assert abs(caught.value.row - first) <= 1 + int(0.02 / step)


def test_a_path_through_the_singular_configuration_of_a_parallelogram_is_rejected() -> None:
    """Lengths that are equal in numbers alone: where it is flat it may go on as a parallelogram, or crossed."""
    loops = assembly("fourbar", D2=0.5, D3=0.8, D4=0.8, D5=0.5)
    row = loops.assemblies(np.array([0.7]))[0]
    with pytest.raises(BrokenLoopsError):
        loops.along(np.linspace(0.7, -0.7, 401)[:, None], row)


def test_postures_that_are_far_from_closed_are_rejected() -> None:
    with pytest.raises(NotClosedError):
        assembly("fivebar").row([np.pi, 0.0, 0.0, 0.0])
    with pytest.raises(NotClosedError):
        assembly("fivebar").assemblies(np.array([np.pi, 0.0]))
