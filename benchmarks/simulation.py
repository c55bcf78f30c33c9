"""What a simulated second costs: the generated fixed-step integrator at 1 kHz beside SciPy's at a tolerance of 1e-9.

    python benchmarks/simulation.py

RX90 with the numbers of the golden sample, and SR400, whose parallelogram is closed after each step, without friction.
The best of some runs each; it also prints how far both are from a solution at 1e-12, and how well a minute of RX90
keeps its energy.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import symoro
from symoro.robot.description import Robot
from symoro.simulation.fixed_step import FixedStep
from symoro.simulation.mechanics import Mechanics
from tests.simulation.robots import frictionless_rx90, numbered, without_drives

RUNS = 5


def best(function: Callable[[], object], runs: int = RUNS) -> float:
    """Seconds of the fastest run."""
    fastest = np.inf
    for _ in range(runs):
        start = time.perf_counter()
        function()
        fastest = min(fastest, time.perf_counter() - start)
    return float(fastest)


def report(robot: Robot, q: list[float], qd: list[float]) -> None:
    """A second of a robot, both ways."""
    mechanics = Mechanics(robot, {}, {})
    y = mechanics.start({"q": q, "qd": qd})
    integrator, tau, n = FixedStep(mechanics), np.zeros(len(mechanics.coordinates)), len(mechanics.joints)
    true = symoro.simulate(
        robot, 1.0, q=q, qd=qd, step=1.0, options=symoro.SimulationOptions(rtol=1e-12, atol=1e-12)
    )
    fixed = best(lambda: integrator.advance(y, tau, 1e-3, 1000), 50)
    scipy = best(lambda: symoro.simulate(robot, 1.0, q=q, qd=qd, step=1.0))
    end, why = integrator.advance(y, tau, 1e-3, 1000)
    assert not why, why
    loose = symoro.simulate(robot, 1.0, q=q, qd=qd, step=1.0)
    print(f"one second of {robot.name:16s}cost        error of q")
    for name, cost, last in (("rk4 in C, 1 kHz", fixed, end[:n]), ("DOP853, 1e-9", scipy, loose.q[-1])):
        print(f"  {name:20s} {1e3 * cost:10.3f} ms  {np.abs(last - true.q[-1]).max():10.1e}")
    print(f"  SciPy / generated: {scipy / fixed:.0f}")


def main() -> None:
    robot, q, qd = frictionless_rx90()
    report(robot, q, qd)
    report(
        without_drives(numbered(symoro.load("sr400"))),
        [0.2, 0.3, -0.2, 0.1, 0.5, 0.9],
        [-0.5, -0.3, -0.1, 0.1, 0.3, 0.5],
    )
    minute = symoro.simulate(
        robot, 60.0, q=q, qd=qd, step=0.05, options=symoro.SimulationOptions(rtol=1e-12, atol=1e-12)
    )
    energy = minute.energy
    assert energy is not None
    print(f"a minute at 1e-12: energy {energy[0]:.6f} J, drift {np.ptp(energy):.1e} J")


if __name__ == "__main__":
    main()
