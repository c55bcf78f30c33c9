"""A call from Python beside pin.rnea, and how soon a function is ready: python benchmarks/calls.py [NAME ...]

    calls    f(q=q, ...) and f.raw(q, ..., tau) with arrays at hand, over Pinocchio's own Python call in the same run
    ready    function() with an empty cache: seconds, and seconds of processor time (other programs may be running)

The figures are the least of many passes, and the parties take turns.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import timeit
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from peers.environment import enter, versions

CALLS, ROUNDS = 2_000, 25
MARK = 2.0  # times pin.rnea
READY, LONG_CHAIN = 1.5, 10.0  # seconds
ARMS = (
    ("ur5", "UR5", "ur_description/urdf/ur5_robot.urdf", ()),
    ("panda", "Panda", "panda_description/urdf/panda.urdf", ("panda_finger_joint1", "panda_finger_joint2")),
)
SOLVED = ("puma560", "rx90", "ur5e", "tx40", "scara", "stanford", "irb120", "planar3r")
MODELS = (
    "fast-geometry",
    "jacobian",
    "inverse-geometry",
    "inverse-dynamics",
    "inertia-matrix",
    "direct-dynamics",
    "inverse-dynamics-derivatives",
)
GENERAL = ("jaco2",)  # by the general inverse geometry


def least(parties: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return microseconds per call of each function; the calls alternate."""
    times = dict.fromkeys(parties, float("inf"))
    for _ in range(ROUNDS):
        for who, call in parties.items():
            times[who] = min(times[who], timeit.timeit(call, number=CALLS) / CALLS * 1e6)
    return times


def dynamics(arm: tuple[Any, ...]) -> dict[str, Callable[[], Any]]:
    """Return calls on the same robot and inputs, after a comparison of their results."""
    import numpy as np
    import pinocchio as pin
    from peers.robots import Case

    import symoro

    case = Case(*arm)
    model = pin.buildModelFromUrdf(str(case.urdf))
    data = model.createData()
    q, v, a = (np.ascontiguousarray(row) for row in case.motion(1)[:, 0])
    f = symoro.generate(symoro.load(case.urdf), "inverse-dynamics").function()
    tau = np.empty(len(q))
    f.raw(q, v, a, tau)
    wanted = pin.rnea(model, data, q, v, a)
    for times in (tau, f(q=q, qd=v, qdd=a)["tau"]):
        if not np.allclose(times, wanted, rtol=1e-8, atol=1e-8):
            raise SystemExit(f"{case.title}: results differ by {np.abs(times - wanted).max():.1e}")
    return {
        "pin.rnea": lambda: pin.rnea(model, data, q, v, a),
        "symoro": lambda: f(q=q, qd=v, qdd=a),
        "symoro, raw": lambda: f.raw(q, v, a, tau),
    }


def solutions(name: str) -> Callable[[], Any]:
    """Return a call of the inverse geometry of a bundled robot."""
    import numpy as np

    import symoro

    robot = symoro.load(name)
    place = symoro.generate(robot, "fast-geometry").function()
    solve = symoro.generate(robot, "inverse-geometry").function()
    T = np.ascontiguousarray(place(q=np.full(place.program.inputs[0].shape, 0.3))["T"])
    return lambda: solve(T=T)


def calls() -> None:
    for arm in ARMS:
        parties = dynamics(arm)
        if arm is ARMS[-1]:
            parties |= {f"inverse geometry, {name}": solutions(name) for name in SOLVED}
        us = least(parties)
        print(f"\n{arm[1]}: {'us a call':>30}{'over pin.rnea':>16}")
        for who, figure in us.items():
            print(f"{who:28}{figure:8.2f}{figure / us['pin.rnea']:16.2f}")
        met = us["symoro"] <= MARK * us["pin.rnea"]
        print(f"  at most {MARK:.0f} x pin.rnea: {'met' if met else 'missed'}", flush=True)


def chain(joints: int) -> Any:
    """Return a chain of general revolute and prismatic joints with numbers."""
    import numpy as np

    from symoro.expr.formula import formula
    from symoro.robot.description import Frame, JointType, Link, Robot

    rng = np.random.default_rng(0)

    def number(low: float, high: float) -> Any:
        return formula(float(rng.uniform(low, high)))

    kinds = [JointType.PRISMATIC if rng.random() < 0.2 else JointType.REVOLUTE for _ in range(joints)]
    frames = [
        Frame(j, kind, alpha=number(-3, 3), d=number(0.1, 0.5), theta=number(-3, 3), r=number(0.1, 0.5))
        for j, kind in enumerate(kinds)
    ]
    names = {"XX": 0.5, "YY": 0.5, "ZZ": 0.5, "XY": -0.1, "XZ": -0.1, "YZ": -0.1, "MX": -0.1, "MY": -0.1}
    links = [Link(**{name: number(low, 1) for name, low in names.items()}, M=number(1, 2)) for _ in kinds]
    return Robot(f"chain{joints}", tuple(frames), tuple(links))


def ready(robot: Any, what: str) -> tuple[float, float] | None:
    """Return seconds and processor seconds of `function()`; None if the robot has no such model."""
    import symoro

    try:
        model = symoro.generate(robot, what)
    except symoro.errors.SymoroError:
        return None
    values = dict.fromkeys(model.parameters, 0.5) | dict(robot.nominal)
    start, used = time.perf_counter(), os.times()
    model.function({name: values[name] for name in model.parameters}, compiled=True)
    now = os.times()
    return time.perf_counter() - start, sum(now[:4]) - sum(used[:4])


def compilation(names: list[str]) -> None:
    import symoro
    from symoro.robot.library import names as bundled

    with tempfile.TemporaryDirectory() as folder:
        os.environ["SYMORO_CACHE"] = folder
        print(f"\n{'function(), the cache empty':44}{'s':>8}{'processor':>12}")
        worst = (0.0, "")
        for name in names or bundled():
            for what in MODELS:
                figures = ready(symoro.load(name), what)
                if figures is None:
                    continue
                if figures[1] > 0.5:
                    print(f"{name + ', ' + what:44}{figures[0]:8.2f}{figures[1]:12.2f}", flush=True)
                if not (name in GENERAL and what == "inverse-geometry"):
                    worst = max(worst, (figures[1], f"{name}, {what}"))
        print(f"  under {READY} s of processor time: {'met' if worst[0] < READY else 'missed'} {worst}")
        for what in () if names else ("inverse-dynamics", "direct-dynamics"):
            figures = ready(chain(100), what)
            assert figures is not None
            print(f"{'chain of 100, ' + what:44}{figures[0]:8.2f}{figures[1]:12.2f}", flush=True)
            print(f"  under {LONG_CHAIN:.0f} s: {'met' if figures[1] < LONG_CHAIN else 'missed'}")


def main() -> None:
    if find_spec("pinocchio") is None:
        enter()
    print(versions(("pin", "numpy")))
    print(f"load of the machine {os.getloadavg()[0]:.1f}")
    calls()
    compilation(sys.argv[1:])


if __name__ == "__main__":
    main()
