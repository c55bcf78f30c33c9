"""What a simulated second costs: the generated fixed-step integrator at 1 kHz beside SciPy's at a tolerance of 1e-9.

    python benchmarks/simulation.py

RX90 with the numbers of the golden sample, without friction. The best of some runs each; told besides is how far both
are from a solution at 1e-12, and how well a minute keeps its energy.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import symoro
from symoro.motion.fixed_step import FixedStep
from symoro.motion.mechanics import Mechanics
from tests.motion.robots import frictionless_rx90

RUNS = 5


def best(function: Callable[[], object], runs: int = RUNS) -> float:
    """Seconds of the fastest run."""
    found = np.inf
    for _ in range(runs):
        start = time.perf_counter()
        function()
        found = min(found, time.perf_counter() - start)
    return float(found)


def main() -> None:
    robot, q, qd = frictionless_rx90()
    mechanics = Mechanics(robot, {}, {})
    y = mechanics.start({"q": q, "qd": qd})
    integrator, tau = FixedStep(mechanics), np.zeros(6)
    true = symoro.simulate(robot, 1.0, q=q, qd=qd, rtol=1e-12, atol=1e-12, step=1.0)
    fixed = best(lambda: integrator.advance(y, tau, 1e-3, 1000), 50)
    scipy = best(lambda: symoro.simulate(robot, 1.0, q=q, qd=qd, step=1.0))
    end = integrator.advance(y, tau, 1e-3, 1000)
    loose = symoro.simulate(robot, 1.0, q=q, qd=qd, step=1.0)
    print("one second of RX90            cost        error of q")
    for name, cost, last in (("rk4 in C, 1 kHz", fixed, end[:6]), ("DOP853, 1e-9", scipy, loose.q[-1])):
        print(f"  {name:20s} {1e3 * cost:10.3f} ms  {np.abs(last - true.q[-1]).max():10.1e}")
    print(f"  SciPy / generated: {scipy / fixed:.0f}")
    minute = symoro.simulate(robot, 60.0, q=q, qd=qd, rtol=1e-12, atol=1e-12, step=0.05)
    energy = minute.energy
    assert energy is not None
    print(f"a minute at 1e-12: energy {energy[0]:.6f} J, drift {np.ptp(energy):.1e} J")


if __name__ == "__main__":
    main()
