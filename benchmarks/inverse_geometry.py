"""Inverse geometry, all solutions, beside the peers: python benchmarks/inverse_geometry.py [--rounds N] [NAME ...]

    EAIK C++             compiled here from its published sources; the time of Robot::calculate_IK alone, no copying
    EAIK wheel, batch    calculate_IK_batched of the wheel on one thread, called from Python, conversions included
    roboticstoolbox C    what analytic_ik().generate("c") of version 1.5 writes, its check by direct geometry included
    symoro               the emitted C, one pose a call, with its check by direct geometry; the arm's numbers folded
    symoro, symbols      the lengths not folded, but given at run time
    symoro, batch        the emitted batch function, time for one pose; NumPy batch: the same called with arrays

One thread, all compiled with the same options, the same random poses, each made from a random posture. The arm of
the peers is measured on ours in position zero. Before the stopwatch starts, every solution of every party is put into
a direct geometry of the benchmark's own:

    hit          poses whose own posture is among the solutions
    of most      number of solutions, relative to the largest number of any solver for the pose
    solutions    mean number of different ones
    residual     the worst entry of T(q) - T among solutions that the party calls valid
    us           for a pose, all solutions: the least of many passes over each few poses, the parties take turns
    generate, compile   seconds of preparation; roboticstoolbox's is kept from its first run, as its C is

What is missing (wheels of EAIK, roboticstoolbox, cmeel-eigen) is installed into build/bench/venv; a peer that cannot be
installed is reported and omitted. The first run takes minutes: EAIK is compiled, roboticstoolbox derives each arm.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from peers.environment import enter_with, versions

PEERS = ("EAIK", "roboticstoolbox-python[ik]", "cmeel-eigen")
POSES, TIMED = 1000, 256
SAME = 1e-5  # radians or metres a joint within which two solutions are one; roboticstoolbox's own tolerance
REACHES = 1e-5  # a residual above this is no solution
AGREE = 1e-12  # placements of the same arm described in two ways
RIVALS = ("EAIK C++", "roboticstoolbox C")
MARKS = {  # largest share of the time of EAIK and of roboticstoolbox, largest seconds of generation
    "puma560": (0.4, 0.35, 5),
    "rx90": (0.4, 0.35, 5),
    "ur5e": (0.5, None, 5),
    "tx40": (None, None, 5),
    "jaco2": (None, None, 2),
    "panda": (None, None, 5),
    "stanford": (None, None, 5),
    "general6r": (None, 0.5, 2),
}


@dataclass(frozen=True)
class Quality:
    """What the solutions of one party are worth, over all poses."""

    hit: float
    share: float
    number: float
    residual: float


def qualities(arm: Any, postures: Any, poses: Any, solutions: dict[str, list[Any]]) -> dict[str, Quality]:
    """Check the solutions of each solver; `solutions` contains, per pose, those that it returns as valid."""
    import numpy as np

    distinct: dict[str, list[Any]] = {}
    worst: dict[str, float] = {}
    for who, lists in solutions.items():
        counts = [len(rows) for rows in lists]
        rows = np.concatenate(lists)
        off = _off(arm, rows, np.repeat(poses, counts, axis=0))
        worst[who] = float(off.max(initial=0))
        kept = np.split(off < REACHES, np.cumsum(counts)[:-1])
        pairs = zip(lists, kept, strict=True)
        distinct[who] = [_different(arm, list(rows[reached])) for rows, reached in pairs]
    most = sum(max(map(len, of_pose)) for of_pose in zip(*distinct.values(), strict=True))
    result = {}
    for who, lists in distinct.items():
        number = sum(map(len, lists))
        hits = sum(_contains(arm, rows, q) for rows, q in zip(lists, postures, strict=True))
        result[who] = Quality(hits / len(poses), number / most, number / len(poses), worst[who])
    return result


def _off(arm: Any, q: Any, poses: Any) -> Any:
    """Residuals; what is not a number counts as infinite."""
    import numpy as np
    from peers.arms import direct

    return np.nan_to_num(np.abs(direct(arm, q) - poses).max(axis=(-2, -1)), nan=np.inf)


def _contains(arm: Any, rows: Sequence[Any], q: Any) -> bool:
    import numpy as np

    if not len(rows):
        return False
    apart = np.asarray(rows) - q
    apart = np.where(arm.revolute, (apart + np.pi) % (2 * np.pi) - np.pi, apart)
    return bool((np.abs(apart).max(axis=1) < SAME).any())


def _different(arm: Any, rows: Sequence[Any]) -> list[Any]:
    kept: list[Any] = []
    for q in rows:
        if not _contains(arm, kept, q):
            kept.append(q)
    return kept


def parties(arm: Any) -> list[Any]:
    """Return all solvers of the arm; print why the others do not apply."""
    from peers.own_solver import ours
    from peers.solvers import Missing, eaik, toolbox

    solutions = []
    for make in (eaik, toolbox, ours):
        try:
            solutions += make(arm)
        except Missing as why:
            print(f"  {why}", flush=True)
        except Exception as failed:  # the other arms and parties are still worth their minutes
            print(f"  {make.__name__}: {type(failed).__name__}: {failed}", flush=True)
    return solutions


def agree(arm: Any, postures: Any, poses: Any) -> None:
    """Stop when the table that the peers are given is another arm."""
    import numpy as np
    from peers.arms import axes, standard, standard_direct

    off = float(np.abs(standard_direct(standard(axes(arm)), postures, arm.revolute) - poses).max())
    if not off < AGREE:
        raise SystemExit(f"{arm.title}: the Denavit-Hartenberg table is off by {off:.1e}")


def timed(solvers: Sequence[Any], poses: Any, rounds: int) -> dict[str, float]:
    """us a pose, the least of each part; the solvers take turns."""
    import numpy as np

    least: dict[str, Any] = {}
    for _ in range(rounds):
        for solver in solvers:
            us = solver.lap(poses)
            least[solver.who] = np.minimum(least.get(solver.who, us), us)
    return {who: float(parts.mean()) for who, parts in least.items()}


def report(arm: Any, solvers: Sequence[Any], worth: dict[str, Quality], us: dict[str, float]) -> None:
    """The table of one arm."""
    heads = (
        "hit %",
        "of most %",
        "solutions",
        "residual",
        "us",
        "of EAIK",
        "of rtb C",
        "generate",
        "compile",
    )
    print(f"{'':22}" + "".join(f"{head:>10}" for head in heads))
    for solver in solvers:
        q = worth[solver.who]
        cells = [f"{100 * q.hit:.1f}", f"{100 * q.share:.2f}", f"{q.number:.3f}", f"{q.residual:.0e}"]
        cells.append(f"{us[solver.who]:.2f}")
        cells += [f"{us[solver.who] / us[rival]:.3f}" if rival in us else "" for rival in RIVALS]
        cells += [_seconds(solver.generate), _seconds(solver.compile)]
        print(f"{solver.who:22}" + "".join(f"{cell:>10}" for cell in cells) + f"  {solver.how}")
    print(f"  marks: {verdict(MARKS[arm.name], solvers, us)}")


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if value >= 0.01 else f"{value:.0e}"


def verdict(marks: tuple[float | None, float | None, float], solvers: Sequence[Any], us: Any) -> str:
    """The marks of an arm, and whether symoro meets them."""
    own = next((solver for solver in solvers if solver.who == "symoro"), None)
    parts = []
    for rival, mark in zip(RIVALS, marks[:2], strict=True):
        if mark is not None:
            known = own is not None and rival in us
            parts.append(_mark(f"{mark} of {rival}", mark, us["symoro"] / us[rival] if known else None))
    parts.append(_mark(f"generated in {marks[2]} s", marks[2], own.generate if own else None))
    return ", ".join(parts)


def _mark(text: str, mark: float, value: float | None) -> str:
    if value is None:
        return f"{text}: not measured"
    return f"{text}: {'met' if value <= mark else 'missed'} ({value:.3g})"


def run(name: str, rounds: int) -> None:
    """One arm."""
    from peers.arms import arm as arm_named
    from peers.arms import direct

    arm = arm_named(name)
    print(f"\n{arm.title}: {POSES} poses, timed on {TIMED}")
    postures = arm.postures(POSES)
    poses = direct(arm, postures)
    agree(arm, postures, poses)
    solvers = parties(arm)
    if not solvers:
        return
    solutions = {solver.who: solver.solve(poses) for solver in solvers}
    worth = qualities(arm, postures, poses, solutions)
    before = os.getloadavg()[0]
    us = timed(solvers, poses[:TIMED], rounds)
    report(arm, solvers, worth, us)
    print(f"  load of the machine {before:.1f} before, {os.getloadavg()[0]:.1f} after", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=30, help="how many times all take their turn")
    parser.add_argument("names", nargs="*", help=f"only these arms: {', '.join(MARKS)}")
    options = parser.parse_args()
    for name in options.names:
        if name not in MARKS:
            parser.error(f"no arm called {name}: {', '.join(MARKS)}")
    enter_with(PEERS)
    print(versions(("EAIK", "roboticstoolbox-python", "cmeel-eigen")))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SYMORO_CACHE"] = folder  # nothing prepared by an earlier run
        for name in options.names or MARKS:
            run(name, options.rounds)


if __name__ == "__main__":
    main()
