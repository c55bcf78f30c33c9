"""Base parameters of robots with closed loops, on many random robots: python benchmarks/base_loops.py [--robots N]

One to three loops a robot (four-bar, parallelogram, crossed parallelogram, slider-crank, five-bar, spherical, spatial;
on the base, on links of a tree, on links of other loops, on the frame that closes another loop), numeric and symbolic
lengths, any gravity. The number of base parameters is compared with the rank of the energy's functions in a hundred
digits (`tests/oracle/base_rank.py`). Each robot is asked in one of three ways, in turn:

    posture   near the posture in which it was drawn
    default   without a posture, where that does not choose another branch (a crossed parallelogram)
    rounded   frames that stand on oblique ones placed in numbers of sixteen digits: planar loops close to 1e-16

Exit code 1 when a number is wrong, or more than one in twenty is refused.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from symoro.errors import SymoroError
from symoro.models.identification.base.parameters import base_parameters
from symoro.robot.description import Robot
from tests.oracle.base_rank import rank_of
from tests.oracle.loop_robots import folded, loop_robot


@dataclass
class Summary:
    """Results of a sweep."""

    right: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def asked(seed: int, number: int) -> tuple[Robot, dict[int, float] | None, int, str]:
    """Return a robot, the posture of the request, its rank, and a description."""
    robot, closed, words = loop_robot(np.random.default_rng([seed, number]), number)
    rank = rank_of(robot, closed)
    way = ("posture", "default", "rounded")[number % 3]
    posture: dict[int, float] | None = {j: q for j, q in closed.items() if j <= robot.NL}
    if way == "default" and "crossed" not in words:
        posture = None
    if way == "rounded":
        robot, closed = folded(robot, closed)
        posture = {j: q for j, q in closed.items() if j <= robot.NL}
    if posture is not None:
        posture = {j: q for j, q in posture.items() if robot.frame(j).moving}
    return robot, posture, rank, f"{way}, {' + '.join(words)}"


def swept(numbers: Iterable[int], seed: int, *, aloud: bool = False) -> Summary:
    """Compute the base parameters of many robots."""
    summary = Summary()
    for number in numbers:
        robot, posture, rank, words = asked(seed, number)
        start = time.process_time()  # the machine may be busy with something else
        try:
            count = len(base_parameters(robot, posture=posture))
        except SymoroError as error:
            summary.refused += 1
            print(f"{number} ({words}): refused: {error.message}", flush=True)
            continue
        summary.seconds.append(time.process_time() - start)
        if count == rank:
            summary.right += 1
        else:
            summary.wrong.append(f"{number} ({words}): {count} parameters, rank {rank}")
            print(summary.wrong[-1], flush=True)
        if aloud:
            print(f"{number} ({words}): {count}, {summary.seconds[-1]:.1f} s", flush=True)
    return summary


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--robots", type=int, default=200)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--aloud", action="store_true", help="a line for every robot")
    given = options.parse_args()
    summary = swept(range(given.first, given.first + given.robots), given.seed, aloud=given.aloud)
    print(
        f"{given.robots} robots: {summary.right} right, {len(summary.wrong)} wrong, {summary.refused} refused; "
        f"{np.median(summary.seconds):.2f} s in the median, {max(summary.seconds):.1f} s at most"
    )
    return 1 if summary.wrong or 20 * summary.refused > given.robots else 0


if __name__ == "__main__":
    sys.exit(main())
