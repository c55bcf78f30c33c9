"""Inverse dynamics of the RX-90: derived, compared with published operation counts, compiled and timed."""

from __future__ import annotations

import time

import numpy as np

import symoro
from symoro.runtime.compiler import find_compiler

PUBLISHED = (
    253,
    238,
)  # Gautier and Khalil, 1988, table 1: this geometry, base parameters, six rotor inertias
SAMPLES = 200_000


def main() -> None:
    robot = symoro.load("rx90")
    robot = robot.bind({name: 0 for name in robot.symbols() if name.startswith(("FV", "FS"))})
    start = time.perf_counter()
    model = symoro.generate(robot, "inverse-dynamics")
    print(f"derived in {1e3 * (time.perf_counter() - start):.0f} ms")
    ours = model.count()
    print(f"operations a call     {ours.multiplications} x  {ours.additions} +   (quick formulation)")
    best = symoro.generate(robot, "inverse-dynamics", effort="search").count()
    print(f"                      {best.multiplications} x  {best.additions} +   (after a search)")
    print(f"published in 1988     {PUBLISHED[0]} x  {PUBLISHED[1]} +")
    if find_compiler() is None:
        print("no C compiler here: not timed")
        return
    function = model.function(dict.fromkeys(model.parameters, 0.3))
    rng = np.random.default_rng(1)
    q, qd, qdd = (rng.uniform(-2, 2, (SAMPLES, 6)) for _ in range(3))
    function(q=q, qd=qd, qdd=qdd)
    best_time = min(_timed(function, q, qd, qdd) for _ in range(5))
    print(f"compiled, in batches  {1e9 * best_time / SAMPLES:.0f} ns a sample, on one core")


def _timed(function: object, *motion: np.ndarray) -> float:
    q, qd, qdd = motion
    start = time.perf_counter()
    function(q=q, qd=qd, qdd=qdd)  # type: ignore[operator]
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
