"""Numeric inverse geometry beside roboticstoolbox: python benchmarks/numeric_inverse.py [--poses N] [NAME ...]

    rtb ik_LM            the C++ of version 1.5, one call a pose from Python, as it comes: Chan's damping, k = 1, up to
                         100 starts; its tolerance of 1e-6 is on half the square of the error: a millimetre may be left
    rtb ik_LM, k = 0.1   less damping, which suits these arms
    rtb ik_LM, exact     the same with a tolerance that leaves 1e-9, as ours does
    symoro, one call     `numeric_inverse(robot)`, one call a pose from Python, residual below 1e-9
    symoro, batch        all poses in one call

Redundant arms: Panda, LBR iiwa 14, LWR 4+ (bundled) and the arm of Fetch on its torso. The poses are those of random
postures within the limits (half a turn of zero where there are none). Every answer is judged by a direct geometry of
the benchmark's own:

    solved       of all poses, what the party calls solved
    within       of all poses, solved and every joint within its limits
    residual     the worst entry of T(q) - T among what it calls solved
    us           processor time for a pose, the mean over blocks of the least of some rounds; the parties take turns

roboticstoolbox is installed into build/bench/venv; a peer that cannot be installed is reported and omitted.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from peers.environment import BUILD, enter_with, versions

PEERS = ("roboticstoolbox-python",)
NAMES = ("panda", "iiwa14", "lwr4plus", "fetch")
BLOCK, BLOCKS = 50, 10  # poses that are timed
AGREE = 1e-12  # placements of the same arm described in two ways
WANTED = 0.995

# Joint, kind, position on the previous link (metres), axis, limits: the arm of Fetch as published by the manufacturer.
FETCH = (
    ("torso_lift", "prismatic", "-0.086875 0 0.37743", "0 0 1", (0.0, 0.38615)),
    ("shoulder_pan", "revolute", "0.119525 0 0.34858", "0 0 1", (-1.6056, 1.6056)),
    ("shoulder_lift", "revolute", "0.117 0 0.06", "0 1 0", (-1.221, 1.518)),
    ("upperarm_roll", "continuous", "0.219 0 0", "1 0 0", None),
    ("elbow_flex", "revolute", "0.133 0 0", "0 1 0", (-2.251, 2.251)),
    ("forearm_roll", "continuous", "0.197 0 0", "1 0 0", None),
    ("wrist_flex", "revolute", "0.1245 0 0", "0 1 0", (-2.16, 2.16)),
    ("wrist_roll", "continuous", "0.1385 0 0", "1 0 0", None),
    ("gripper", "fixed", "0.16645 0 0", "0 0 1", None),
)


@dataclass(frozen=True)
class Party:
    """Someone who solves poses (N, 4, 4): q (N, n), and which of them count as solved."""

    who: str
    solve: Callable[[Any], tuple[Any, Any]]


def fetch_urdf() -> str:
    """The arm of Fetch as a file."""
    parts = ['<robot name="fetch"><link name="link0"/>']
    for k, (name, kind, origin, axis, limits) in enumerate(FETCH):
        parts.append(f'<link name="link{k + 1}"/><joint name="{name}" type="{kind}"><origin xyz="{origin}"/>')
        parts.append(f'<parent link="link{k}"/><child link="link{k + 1}"/><axis xyz="{axis}"/>')
        if limits:
            parts.append(f'<limit lower="{limits[0]}" upper="{limits[1]}" effort="1" velocity="1"/>')
        parts.append("</joint>")
    return "".join([*parts, "</robot>"])


def described(name: str) -> Any:
    """One of NAMES."""
    from peers.arms import measured

    import symoro

    if name == "fetch":
        BUILD.mkdir(parents=True, exist_ok=True)
        file = BUILD / "fetch.urdf"
        file.write_text(fetch_urdf(), encoding="utf-8")
        return measured(name, "Fetch", symoro.load(file))
    robot = symoro.load(name)
    return measured(name, robot.title, robot)


def limits(arm: Any) -> tuple[Any, Any]:
    """Lower and upper ones; half a turn where a joint has none."""
    import numpy as np

    results = [frame.limits for frame in arm.robot.frames]
    lower = [-np.pi if limit.lower is None else limit.lower for limit in results]
    upper = [np.pi if limit.upper is None else limit.upper for limit in results]
    return np.array(lower), np.array(upper)


def ours(arm: Any) -> list[Party]:
    import numpy as np

    import symoro

    start = time.perf_counter()
    solver = symoro.numeric_inverse(arm.robot, compiled=True)
    print(f"  symoro: generated and compiled in {time.perf_counter() - start:.1f} s")

    def batch(poses: Any) -> tuple[Any, Any]:
        results = solver(poses)
        return results["q"], results["status"] == 0

    def one(poses: Any) -> tuple[Any, Any]:
        results = [solver(pose) for pose in poses]
        return np.array([x["q"] for x in results]), np.array([x["status"] == 0 for x in results])

    return [Party("symoro, one call", one), Party("symoro, batch", batch)]


def toolbox(arm: Any) -> list[Party]:
    """The same frames as elementary transforms."""
    import numpy as np
    from peers.arms import direct
    from roboticstoolbox import ET, ETS

    lower, upper = limits(arm)
    transforms = []
    for k, (gamma, b, alpha, d, theta, r) in enumerate(arm.rows):
        made = zip((ET.Rz, ET.tz, ET.Rx, ET.tx, ET.Rz, ET.tz), (gamma, b, alpha, d, theta, r), strict=True)
        transforms += [transform(float(x)) for transform, x in made if x]
        if k < arm.joints:
            joint = ET.Rz if arm.revolute[k] else ET.tz
            transforms.append(joint(jindex=k, qlim=[lower[k], upper[k]]))
    chain = ETS(transforms)
    q = (lower + upper) / 2 + 0.1
    off = np.abs(chain.fkine(q).A - direct(arm, q)).max()
    if not off < AGREE:
        raise SystemExit(f"{arm.title}: the transforms of roboticstoolbox are off by {off:.1e}")

    def party(who: str, **options: Any) -> Party:
        def solve(poses: Any) -> tuple[Any, Any]:
            results = [chain.ik_LM(pose, **options) for pose in poses]
            return np.array([x.q for x in results]), np.array([x.success for x in results], dtype=bool)

        return Party(who, solve)

    return [
        party("rtb ik_LM"),
        party("rtb ik_LM, k = 0.1", k=0.1),
        party("rtb ik_LM, exact", k=0.1, tol=1e-18),
    ]


def timed(parties: Sequence[Party], poses: Any, rounds: int) -> dict[str, float]:
    """us a pose."""
    import numpy as np

    blocks = [poses[BLOCK * b : BLOCK * (b + 1)] for b in range(BLOCKS)]
    least = {party.who: np.full(len(blocks), np.inf) for party in parties}
    for _ in range(rounds):
        for party in parties:
            for b, block in enumerate(blocks):
                start = time.process_time_ns()
                party.solve(block)
                taken = (time.process_time_ns() - start) / len(block) / 1000
                least[party.who][b] = min(least[party.who][b], taken)
    return {who: float(parts.mean()) for who, parts in least.items()}


def run(name: str, count: int, rounds: int) -> None:
    """One arm."""
    import numpy as np
    from peers.arms import direct

    arm = described(name)
    print(f"\n{arm.title}: {count} poses, timed on {BLOCK * BLOCKS}")
    lower, upper = limits(arm)
    poses = direct(arm, np.random.default_rng(2026).uniform(lower, upper, (count, arm.joints)))
    parties = ours(arm)
    try:
        parties = toolbox(arm) + parties
    except ImportError as missing:
        print(f"  {missing}")
    us = timed(parties, poses, rounds)
    rival = min((value for who, value in us.items() if who.startswith("rtb")), default=None)
    print(
        f"{'':22}" + "".join(f"{head:>12}" for head in ("solved %", "within %", "residual", "us", "of rtb"))
    )
    for party in parties:
        q, solved = party.solve(poses)
        within = solved & ((q >= lower - 1e-9) & (q <= upper + 1e-9)).all(axis=1)
        worst = np.abs(direct(arm, q[solved]) - poses[solved]).max(initial=0)
        cells = [f"{100 * solved.mean():.2f}", f"{100 * within.mean():.2f}", f"{worst:.0e}"]
        cells += [f"{us[party.who]:.1f}", "" if rival is None else f"{us[party.who] / rival:.4f}"]
        print(f"{party.who:22}" + "".join(f"{cell:>12}" for cell in cells), flush=True)
        if party.who == "symoro, batch":
            print(f"  mark: {100 * WANTED} % within limits: {'met' if within.mean() >= WANTED else 'missed'}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--poses", type=int, default=10_000, help="how many poses are solved and judged")
    parser.add_argument("--rounds", type=int, default=3, help="how many times all take their turn")
    parser.add_argument("names", nargs="*", help=f"only these arms: {', '.join(NAMES)}")
    options = parser.parse_args()
    for name in options.names:
        if name not in NAMES:
            parser.error(f"no arm called {name}: {', '.join(NAMES)}")
    if options.poses < BLOCK * BLOCKS:
        parser.error(f"at least {BLOCK * BLOCKS} poses")
    enter_with(PEERS)
    print(versions(("roboticstoolbox-python", "numpy")))
    for name in options.names or NAMES:
        run(name, options.poses, options.rounds)
    print(f"load of the machine {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
