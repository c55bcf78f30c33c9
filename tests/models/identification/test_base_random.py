"""Exact base parameters against numeric ranks and relations on random robots; the whole sweep is a benchmark."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.base_parameters import problems, random_robot

COUNT, PER_TEST = 60, 10


def checked(seed: int, numbers: range) -> None:
    for number in numbers:
        robot = random_robot(np.random.default_rng([seed, number]), number)
        what, _ = problems(robot)
        assert not what, f"{robot.name}: {what}\n{robot}"


@pytest.mark.parametrize("start", range(0, COUNT, PER_TEST))
def test_random_robots(start: int) -> None:
    checked(101, range(start, start + PER_TEST))


@pytest.mark.slow
def test_many_random_robots() -> None:
    checked(102, range(2000))
