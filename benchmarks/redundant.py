"""Branches of redundant arms beside ssik: python benchmarks/redundant.py [--poses N] [--timed N] [NAME ...]

    symoro            `branch_solver(robot)(T)`, one call per pose from Python, 64 samples of the free parameter
    ssik              `Manipulator.solve(T)` of version 8.2 with the prebuilt arm, one call per pose, as it comes (16
                      samples)

19 commercial arms with seven joints. The poses are those of random postures within the joint limits (half a turn of
zero where there are none). Every row is judged by a direct geometry of the benchmark's own:

    empty             poses without a row
    distance          median over the poses of the Euclidean distance (rad) from the true posture to the nearest row
    residual          largest entry of T(q) - T of all rows
    outside           rows outside the joint limits
    us                processor time per pose, mean over the timed poses of the least of five rounds; the parties take
                      turns
    ratio             time of ssik divided by that of symoro

ssik is installed into build/bench/venv; without it, only the rows of symoro are printed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from peers.environment import enter_with

PEERS = ("ssik==8.2",)
ROUNDS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--timed", type=int, default=100)
    options = parser.parse_args()
    enter_with(PEERS)
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.seven_joint_arms import arms

    names = options.names or list(arms())
    print(
        f"{'arm':14} {'free':>6} {'empty':>5} {'distance':>8} {'residual':>8} {'outside':>7} {'us':>6}",
        end="",
    )
    print(f" | {'ssik us':>8} {'empty':>5} {'distance':>8} {'ratio':>5}")
    return max(_compare(name, options.poses, options.timed) for name in names)


def _compare(name: str, poses: int, timed: int) -> int:
    import numpy as np

    import symoro
    from tests.seven_joint_arms import arm, arms

    robot, described = arm(name), arms()[name]
    solver = symoro.branch_solver(robot)
    limits = [joint["limits"] or (-np.inf, np.inf) for joint in described["joints"]]
    lower, upper = np.array(limits).T
    first, last = np.maximum(lower, -np.pi - 4), np.minimum(upper, np.pi + 4)
    first, last = np.where(np.isinf(lower), -np.pi, first), np.where(np.isinf(upper), np.pi, last)
    q = np.random.default_rng(2026).uniform(first, last, (poses, 7))
    T = np.array([_direct_geometry(described, one) for one in q])
    results = [solver(pose) for pose in T]
    empty = sum(len(result) == 0 for result in results)
    away = [_distance(result.q, one, limits) for result, one in zip(results, q, strict=True)]
    worst, outside = 0.0, 0
    for result, pose in zip(results[:timed], T, strict=False):
        few = result.q[:: max(1, len(result) // 50)]
        reached = np.array([_direct_geometry(described, one) for one in few]).reshape(-1, 4, 4)
        worst = max(worst, float(np.abs(reached - pose).max(initial=0.0)))
    for result in results:
        outside += int(((result.q < lower - 1e-8) | (result.q > upper + 1e-8)).any(axis=1).sum())
    chosen = T[:timed]
    parties: dict[str, Callable[[Any], Any]] = {"symoro": solver}
    peer = _peer(name)
    if peer is not None:
        parties["ssik"] = peer.solve
    times = _times(parties, chosen)
    print(
        f"{name:14} {solver.parameter!s:>6} {empty:5d} {np.median(away):8.3f} {worst:8.0e} {outside:7d} "
        f"{times['symoro']:6.0f}",
        end="",
    )
    if peer is not None:
        theirs = [[solution.q for solution in peer.solve(pose)] for pose in chosen]
        missing = sum(not rows for rows in theirs)
        near = [_distance(np.array(rows), one, limits) for rows, one in zip(theirs, q, strict=False)]
        print(
            f" | {times['ssik']:8.0f} {missing:5d} {np.median(near):8.3f} {times['ssik'] / times['symoro']:5.1f}",
            end="",
        )
    print(flush=True)
    return int(empty > 0)


def _direct_geometry(described: dict[str, Any], q: Sequence[float]) -> Any:
    """Return the pose (4, 4) of the flange by Rodrigues' formula."""
    import numpy as np

    pose = np.eye(4)
    for joint, angle in zip(described["joints"], q, strict=True):
        x, y, z = joint["axis"]
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) / np.sqrt(x * x + y * y + z * z)
        step = np.eye(4)
        step[:3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        step[:3, 3] = joint["origin"]
        pose = pose @ step
    tool = np.eye(4)
    tool[:3] = described["tool"]
    u, _, v = np.linalg.svd(tool[:3, :3])
    tool[:3, :3] = u @ v  # the data have twelve digits
    return pose @ tool


def _distance(rows: Any, q: Any, limits: Sequence[Any]) -> float:
    """Return the distance (rad) of the nearest row; joints without limits are compared on the circle."""
    import numpy as np

    if not len(rows):
        return np.inf
    apart = rows - q
    turned = apart - 2 * np.pi * np.round(apart / (2 * np.pi))
    endless = np.array([np.isinf(low) for low, _ in limits])
    return float(np.linalg.norm(np.where(endless, turned, apart), axis=1).min())


def _peer(name: str) -> Any:
    try:
        import ssik
    except ImportError:
        return None
    return ssik.Manipulator.from_prebuilt(f"{name}_ik")


def _times(parties: dict[str, Callable[[Any], Any]], poses: Any) -> dict[str, float]:
    """Return the processor time per pose in microseconds of each party."""
    least = {who: [float("inf")] * len(poses) for who in parties}
    for _ in range(ROUNDS):
        for who, solve in parties.items():
            for i, pose in enumerate(poses):
                start = time.process_time()
                solve(pose)
                least[who][i] = min(least[who][i], time.process_time() - start)
    return {who: 1e6 * sum(values) / len(values) for who, values in least.items()}


if __name__ == "__main__":
    raise SystemExit(main())
