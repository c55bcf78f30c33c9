"""Rows of sweeps: order, blocks that do not depend on each other, invalid ranges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from symoro.errors import OptionError
from symoro.study.ranges import SAMPLINGS, planned_rows


def test_the_last_grid_varies_fastest_and_the_sample_slowest() -> None:
    rows = planned_rows({"a": (0, 1, 3), "b": [5, 7]}, {"c": (2, 3)}, 2)
    block = rows.block(0, rows.total)
    assert rows.names == ("a", "b", "c") and rows.total == 12
    assert block["a"].tolist() == [0, 0, 0.5, 0.5, 1, 1] * 2
    assert block["b"].tolist() == [5, 7] * 6
    assert len(np.unique(block["c"][:6])) == len(np.unique(block["c"][6:])) == 1
    assert 2 <= block["c"].min() < block["c"].max() < 3


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_a_block_does_not_depend_on_the_others(sampling: str) -> None:
    rows = planned_rows(
        {"a": "0:1:3", "b": "1,2"}, {"c": (0, 2), "d": "1:pi"}, 100, sampling=sampling, seed=3
    )
    whole = rows.block(0, rows.total)
    for first, end in ((300, 310), (0, 7), (50, 301), (301, 600), (599, 600)):
        part = rows.block(first, end)
        assert all(np.array_equal(part[name], whole[name][first:end]) for name in whole)
    other = planned_rows({}, {"c": (0, 2)}, 100, sampling=sampling, seed=4)
    assert not np.array_equal(other.block(0, 100)["c"], whole["c"][::6])


@pytest.mark.parametrize("sampling", ["sobol", "halton"])
def test_low_discrepancy_samples_fill_the_box_evenly(sampling: str) -> None:
    from scipy.stats import qmc

    points = {
        kind: np.stack(
            list(planned_rows({}, {"a": (0, 1), "b": (0, 1)}, 512, sampling=kind).block(0, 512).values()), 1
        )
        for kind in (sampling, "random")
    }
    assert qmc.discrepancy(points[sampling]) < 0.2 * qmc.discrepancy(points["random"])


def test_both_ends_of_a_grid_are_exact() -> None:
    rows = planned_rows({"a": (-0.1, 0.3, 7)}, None, None)
    assert rows.block(0, 7)["a"] == pytest.approx(np.linspace(-0.1, 0.3, 7), abs=1e-16)
    assert rows.block(6, 7)["a"][0] == 0.3


@pytest.mark.parametrize(
    ("over", "sample", "count", "words"),
    [
        ({"a": "0:1"}, {}, None, "'a'"),
        ({"a": "0:1:0"}, {}, None, "'a'"),
        ({"a": "0:1:2.5"}, {}, None, "'a'"),
        ({"a": "0:1:1"}, {}, None, "empty"),
        ({"a": "1:1:3"}, {}, None, "empty"),
        ({"a": "nan:1:3"}, {}, None, "'a'"),
        ({"a": (0, np.inf, 3)}, {}, None, "'a'"),
        ({"a": []}, {}, None, "'a'"),
        ({"a": (0, 1)}, {}, None, "'a'"),
        ({}, {"a": "1:1"}, 3, "empty"),
        ({}, {"a": "2:1"}, 3, "empty"),
        ({}, {"a": "0:1:5"}, 3, "'a'"),
        ({}, {"a": "0:1"}, None, "number of samples"),
        ({}, {"a": "0:1"}, 0, "count"),
        ({"a": "0:1:3"}, {}, 5, "nothing is sampled"),
        ({"a": "0:1:3"}, {"a": "0:1"}, 5, "twice"),
        ({}, {}, None, "nothing to sweep"),
        ({"a": "0:1:100000", "b": "0:1:100000"}, {}, None, "10,000,000,000"),
    ],
)
def test_invalid_ranges_are_rejected(over: Any, sample: Any, count: Any, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        planned_rows(over, sample, count)


def test_more_rows_can_be_allowed() -> None:
    given = {"a": "0:1:100000", "b": "0:1:20000"}
    with pytest.raises(OptionError, match="2,000,000,000"):
        planned_rows(given, None, None)
    assert planned_rows(given, None, None, max_rows=2 * 10**9).total == 2 * 10**9
    with pytest.raises(OptionError, match="1,999,999,999"):
        planned_rows(given, None, None, max_rows=2 * 10**9 - 1)
