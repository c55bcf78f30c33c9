"""Compare exact base parameters with numeric ranks on many random robots, and measure the time.

    python benchmarks/base_parameters.py                 2,000 robots, then the named robots and a 30-joint tree
    python benchmarks/base_parameters.py --robots 100 --seed 7

Serial, tree and degenerate robots: parallel, perpendicular, coaxial and oblique axes, prismatic and fixed joints
anywhere, coupled joints, any gravity, some on a floating base. For each: the number of exact base parameters equals
the rank of the energy regressor, and the relations hold at random states. Exit code 1 if one does not.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterator

import numpy as np

import symoro
from symoro.expr.formula import ZERO, Formula, formula
from symoro.models.identification.base.compare import numeric_rank
from symoro.models.identification.base.geometry import columns, without_round_off
from symoro.models.identification.base.numeric import (
    coefficient_unit,
    completed,
    energy_rows,
    numbers,
    random_states,
)
from symoro.models.identification.base.parameters import BaseParameters, base_parameters, split
from symoro.models.identification.base.regroup import ordered
from symoro.robot.description import INERTIAL, Base, BaseKind, Coupling, Frame, JointType, Link, Robot

RIGHT = ("0", "0", "pi/2", "-pi/2", "pi")
OBLIQUE = ("pi/4", "-pi/4", "pi/3", "pi/6", "2*pi/3", "pi/12")
NAMED = ("rx90", "puma560", "stanford", "panda", "sr400")


def random_robot(rng: np.random.Generator, number: int) -> Robot:
    """Return a robot of one to six links, likely to be degenerate."""
    n = int(rng.integers(1, 7))
    tree, planar, oblique = rng.random() < 0.4, rng.random() < 0.25, rng.random() < 0.3

    def angle() -> Formula:
        if planar:
            return formula(str(rng.choice(["0", "0", "0", "pi"])))
        u = rng.random()
        if u < 0.15:
            return formula(round(float(rng.uniform(-3, 3)), 2))
        return formula(str(rng.choice(OBLIQUE if oblique and u < 0.5 else RIGHT)))

    def length() -> Formula:
        return ZERO if rng.random() < 0.5 else formula(round(float(rng.uniform(-0.8, 0.8)), 2))

    frames: list[Frame] = []
    for j in range(1, n + 1):
        ant = int(rng.integers(0, j)) if tree else j - 1
        sigma = JointType(int(rng.choice([0, 1, 2], p=[0.62, 0.3, 0.08])))
        branch = ant != j - 1
        frames.append(
            Frame(
                ant,
                sigma,
                mu=bool(rng.random() < 0.85),
                gamma=angle() if branch else ZERO,
                b=length() if branch else ZERO,
                alpha=angle(),
                d=length(),
                theta=angle() if sigma else ZERO,
                r=ZERO if sigma == 1 else length(),
                IA=Formula(f"IA{j}") if sigma != 2 else ZERO,
                coupling=_coupling(rng, frames) if sigma != 2 else None,
            )
        )
    links = tuple(_link(rng, j) for j in range(1, n + 1))
    floating = rng.random() < 0.08
    gravity = [("0", "0", "-9.81"), ("0", "-9.81", "0"), ("0", "0", "0"), ("1.5", "2", "-9")]
    g = [formula(x) for x in gravity[int(rng.choice(4, p=[0.5, 0.25, 0.05, 0.2]))]]
    base = Base(
        BaseKind.FLOATING if floating else BaseKind.FIXED,
        link=_link(rng, 0) if floating else Link(),
        G=(g[0], g[1], g[2]),
    )
    return Robot(f"random{number}", tuple(frames), links, base)


def _coupling(rng: np.random.Generator, frames: list[Frame]) -> Coupling | None:
    drivers = [j for j, f in enumerate(frames, 1) if f.moving and f.coupling is None]
    if not drivers or rng.random() > 0.06:
        return None
    ratio = formula(str(rng.choice(["1", "-1", "2", "1/2"])))
    return Coupling(((int(rng.choice(drivers)), ratio),))


def _link(rng: np.random.Generator, j: int) -> Link:
    """Return all ten parameters; sometimes only some, or none."""
    u = rng.random()
    share = 1.0 if u < 0.8 else 0.5 if u < 0.95 else 0.0
    return Link(**{name: Formula(f"{name}{j}") for name in INERTIAL if rng.random() < share})


def relations_hold(robot: Robot, base: BaseParameters, *, seed: int = 11) -> float:
    """Return the largest error of the relations at random states, relative to the columns."""
    tidy, _ = without_round_off(robot)
    geometry = numbers(completed(tidy)[0])
    wanted = ordered(tidy, columns(tidy, rotor=True))
    if not wanted:
        return 0.0
    rng = np.random.default_rng(seed)
    states = random_states(geometry, 60, rng, moving=tidy.base.kind != BaseKind.FIXED)
    rows = energy_rows(geometry, states, wanted)
    rows = rows - rows.mean(0)
    place = {column: k for k, column in enumerate(wanted)}
    left = {column: rows[:, k].copy() for column, k in place.items()}
    for kept, others in base.relations.items():
        for name, c in others.items():
            unit = coefficient_unit(tidy, split(kept), split(name), geometry.length)
            left[split(name)] -= float(c) / unit * rows[:, place[split(kept)]]
        left.pop(split(kept))
    scale = [max(1e-3, float(np.linalg.norm(rows[:, place[c]]))) for c in left]
    return max((float(np.linalg.norm(x)) / s for x, s in zip(left.values(), scale, strict=True)), default=0.0)


def problems(robot: Robot) -> tuple[str, float]:
    """Return the error in the result for a robot, if any, and the seconds it took."""
    start = time.process_time()  # the machine may be busy with something else
    base = base_parameters(robot)
    seconds = time.process_time() - start
    rank, smallest, largest = numeric_rank(without_round_off(robot)[0])
    if rank != len(base.names):
        return f"{len(base.names)} parameters, rank {rank} (gap {smallest:.1e} {largest:.1e})", seconds
    error = relations_hold(robot, base)
    return (f"relations off by {error:.1e}" if error > 1e-7 else ""), seconds


def sweep(count: int, seed: int) -> Iterator[tuple[Robot, str, float]]:
    """Yield random robots with their errors and times."""
    for number in range(count):
        robot = random_robot(np.random.default_rng([seed, number]), number)
        what, seconds = problems(robot)
        yield robot, what, seconds


def thirty_joints() -> Robot:
    """Return a tree of 30 joints with symbols everywhere: a trunk of six and four limbs of six."""
    frames, links = [], []
    for j in range(1, 31):
        ant = j - 1 if (j - 1) % 6 or j == 1 else 6
        turn = formula("pi/2" if j % 3 == 0 else "-pi/2" if j % 3 == 1 and j > 1 else "0")
        fork = {"gamma": Formula(f"gam{j}"), "b": Formula(f"B{j}")} if ant != j - 1 else {}
        place = {"alpha": turn, "d": Formula(f"D{j}"), "r": Formula(f"RL{j}"), **fork}
        frames.append(Frame(ant, IA=Formula(f"IA{j}"), **place))
        links.append(Link(**{name: Formula(f"{name}{j}") for name in INERTIAL}))
    return Robot("thirty", tuple(frames), tuple(links))


def planar_chain(n: int = 30) -> Robot:
    """Return thirty parallel axes: every link requires the null space."""
    frames = tuple(Frame(j - 1, d=Formula(f"D{j}") if j > 1 else ZERO) for j in range(1, n + 1))
    links = tuple(Link(**{x: Formula(f"{x}{j}") for x in INERTIAL}) for j in range(1, n + 1))
    return Robot("planar", frames, links, Base(G=(ZERO, Formula("G2"), ZERO)))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--robots", type=int, default=2000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    times, bad = [], 0
    for robot, what, seconds in sweep(given.robots, given.seed):
        times.append(seconds)
        if what:
            bad += 1
            print(f"{robot.name} (seed {given.seed}): {what}", flush=True)
    if times:
        print(
            f"{len(times)} random robots, {bad} wrong; exact answer {statistics.mean(times) * 1e3:.1f} ms on "
            f"average, {max(times) * 1e3:.0f} ms at most"
        )
    for robot in (*map(symoro.load, NAMED), thirty_joints(), planar_chain()):
        start = time.perf_counter()
        base = base_parameters(robot)
        print(f"{robot.name}: {len(base.names)} parameters in {time.perf_counter() - start:.3f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
