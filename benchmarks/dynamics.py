"""Time per call beside the peers: python benchmarks/dynamics.py [--no-search] [--rounds N] [NAME ...]

    Pinocchio C++            rnea, crba, aba, compiled here from the headers of its wheel, the better of its conventions
    Pinocchio + CasADi, C    the C that the two generate together, the better of the conventions
    symoro                   the emitted C, one sample a call; batch: many samples at once, time for one
    symoro, free             the inertial parameters not folded, but given at run time
    symoro, search           effort="search"

One thread, everything compiled with -O3 -march=native, the same random inputs, results compared before the stopwatch
starts. The figure is the least of many passes, and the parties take turns, so that a busy machine disturbs all alike.
What is missing (wheels of pin, casadi, example-robot-data, cmeel-eigen) is installed into build/bench/venv.
The first run compiles Pinocchio, which takes minutes; later ones find it in build/bench.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from peers.environment import enter, versions

SAMPLES = 16
BATCH = 248  # a power of two would put all entries of a sample into the same few places of the cache
PASSES = 100  # in a row
TOLERANCE = 1e-8
SEARCHED = 8  # joints up to which a search takes seconds
TITLES = {"inverse": "inverse dynamics", "inertia": "inertia matrix", "direct": "direct dynamics"}
FINGERS = ("panda_finger_joint1", "panda_finger_joint2")
ROBOTS = (
    ("ur5", "UR5", "ur_description/urdf/ur5_robot.urdf", ()),
    ("panda", "Panda, fingers locked", "panda_description/urdf/panda.urdf", FINGERS),
    ("talos", "Talos, reduced, fixed base", "talos_data/robots/talos_reduced.urdf", ()),
)
MARKS = {  # how many times faster than C++ and than CasADi's C: on an arm, on a tree
    "inverse": ((10, 2), (3, 0)),
    "inertia": ((3, 0), (3, 0)),
    "direct": ((5, 0), (5, 0)),
}
Figures = dict[tuple[str, str], float]


def subjects_of(case: Any, search: bool) -> list[Any]:
    """Return all functions that are timed on a robot."""
    from peers import subjects as make

    import symoro

    robot = symoro.load(case.urdf)
    subjects = [*make.pinocchio(case), *make.casadi(case)]
    for what in TITLES:
        subjects += make.ours(case, "symoro", robot, what)
        subjects += make.ours(case, "symoro, free", make.freed(robot), what)
        if search and what != "inertia" and len(case.joints) <= SEARCHED:
            subjects += make.ours(case, "symoro, search", robot, what, effort="search")
    return subjects


def inputs_of(subject: Any, motion: Any) -> Any:
    """Return the inputs in the subject's order of joints and of samples."""
    import numpy as np

    given = motion[:, :, subject.order]
    if subject.batch:
        return np.ascontiguousarray(given[:, np.arange(BATCH) % SAMPLES].transpose(0, 2, 1))
    return np.ascontiguousarray(given.transpose(1, 0, 2))


def measure(subject: Any, given: Any, joints: int, passes: int) -> tuple[float, Any]:
    """Return (ns, outputs per sample)."""
    import numpy as np
    from peers.subjects import doubles, timer

    if subject.batch:
        out = np.empty((subject.outputs, BATCH))
        least = timer().time_batch(subject.call, passes, BATCH, joints, doubles(given), doubles(out))
        return least, out.T[:SAMPLES]
    out = np.empty((SAMPLES, subject.outputs))
    least = timer().time_calls(
        subject.call, passes, SAMPLES, joints, subject.outputs, doubles(given), doubles(out)
    )
    return least, out


def check(subjects: Sequence[Any], motion: Any) -> float:
    """Return the largest relative difference of a result from the first subject's; stop if it is too large."""
    import numpy as np

    wanted: dict[tuple[str, int], Any] = {}
    worst = 0.0
    for subject in subjects:
        for s in range(SAMPLES):
            given = inputs_of(subject, np.repeat(motion[:, s : s + 1], SAMPLES, axis=1))
            _, out = measure(subject, given, motion.shape[2], 1)
            result = subject.read(out[0])
            reference = wanted.setdefault((subject.what, s), result)
            off = float(np.abs(result - reference).max() / max(1.0, np.abs(reference).max()))
            if not off < TOLERANCE:
                raise SystemExit(f"{subject.who}, {TITLES[subject.what]}: off by {off:.1e}")
            worst = max(worst, off)
    return worst


def timed(subjects: Sequence[Any], motion: Any, rounds: int) -> tuple[Figures, float]:
    """Return (least ns of each line and model, ns of six sines and cosines of the C library)."""
    from dataclasses import replace

    from peers.subjects import timer

    floor = replace(subjects[0], who="floor", call=timer().six_sincos, outputs=12)
    turns = [(s, inputs_of(s, motion)) for s in [*subjects, floor]]
    least: Figures = {}
    for _ in range(rounds):
        for subject, given in turns:
            passes = max(1, PASSES * SAMPLES // BATCH) if subject.batch else PASSES
            ns, _ = measure(subject, given, motion.shape[2], passes)
            key = (subject.who, subject.what)
            least[key] = min(least.get(key, ns), ns)
    return least, least.pop(("floor", subjects[0].what))


def report(case: Any, ns: Figures, floor: float, worst: float) -> None:
    """Print the table of one robot."""
    print(f"\n{case.title}: {len(case.joints)} joints; results agree to {worst:.0e}")
    print(f"{'ns a call, times faster than C++ and than CasADi':>48}")
    print(f"{'':26}" + "".join(f"{title:>24}" for title in TITLES.values()))
    for who in dict.fromkeys(who for who, _ in ns):
        print(f"{who:26}" + "".join(_cell(ns, who, what) for what in TITLES))
    print(f"{'six sincos of libm':26}{floor:10.0f}")
    for what, (arm, tree) in MARKS.items():
        print(_verdict(ns, what, arm if len(case.joints) <= SEARCHED else tree))


def _ratios(ns: Figures, who: str, what: str) -> tuple[float, float]:
    own = ns[who, what]
    return ns["Pinocchio C++", what] / own, ns["Pinocchio + CasADi, C", what] / own


def _cell(ns: Figures, who: str, what: str) -> str:
    if (who, what) not in ns:
        return " " * 24
    first, second = _ratios(ns, who, what)
    return f"{ns[who, what]:10.0f}{first:7.1f}{second:7.1f}"


def _verdict(ns: Figures, what: str, marks: tuple[int, int]) -> str:
    parts = []
    for name, mark, ratio in zip(("C++", "CasADi"), marks, _ratios(ns, "symoro", what), strict=True):
        if mark:
            parts.append(f"{mark} x {name}: {'met' if ratio >= mark else 'missed'} ({ratio:.2f})")
    return f"  {TITLES[what]}: " + ", ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--no-search", action="store_true", help="leave effort='search' out")
    parser.add_argument("--rounds", type=int, default=100, help="how many times all take their turn")
    parser.add_argument("names", nargs="*", help="only these robots: ur5, panda, talos")
    options = parser.parse_args()
    enter()
    from peers.robots import Case

    print(versions())
    for robot in ROBOTS:
        if options.names and robot[0] not in options.names:
            continue
        case = Case(*robot)
        subjects = subjects_of(case, not options.no_search)
        motion = case.motion(SAMPLES)
        worst = check(subjects, motion)
        before = os.getloadavg()[0]
        ns, floor = timed(subjects, motion, options.rounds)
        report(case, ns, floor, worst)
        print(f"  load of the machine {before:.1f} before, {os.getloadavg()[0]:.1f} after", flush=True)


if __name__ == "__main__":
    main()
