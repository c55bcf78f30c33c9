"""Floating bases beside the peers, time per call: python benchmarks/floating.py [--rounds N] [NAME ...]

    Pinocchio C++            rnea (the motion of the base given), crba, aba on a free flyer, compiled here from the
                             headers of its wheel, the better of its conventions
    Pinocchio + CasADi, C    the C that the two generate together, the better of the conventions
    symoro                   the emitted C, one sample a call; batch: many samples at once, time for one
    base free                inverse dynamics with no wrench on the base: Pinocchio has no such function

The rotation of the base is a quaternion for all. Everything else is as in dynamics.py: one thread, -O3 -march=native,
results compared before the stopwatch starts, the parties take turns, the least of many passes counts. Operations
(additions and multiplications) are those of symoro's programs.
"""

from __future__ import annotations

import argparse
import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from peers.environment import enter, versions

SAMPLES = 16
BATCH = 248
PASSES = 100
TOLERANCE = 1e-8
TITLES = {
    "inverse": "inverse, base given",
    "free": "inverse, base free",
    "inertia": "inertia matrix",
    "direct": "direct dynamics",
}
MODELS: dict[str, tuple[str, dict[str, str]]] = {
    "inverse": ("inverse-dynamics", {"base": "given", "rotation": "quaternion"}),
    "free": ("inverse-dynamics", {"rotation": "quaternion"}),
    "inertia": ("inertia-matrix", {}),
    "direct": ("direct-dynamics", {"rotation": "quaternion"}),
}
MARKS = {
    "inverse": 5,
    "inertia": 3,
    "direct": 4,
}  # times faster than C++; and faster than CasADi's C throughout
ROBOTS = (
    ("solo12", "Solo12", "solo_description/robots/solo12.urdf"),
    ("anymal", "ANYmal B", "anymal_b_simple_description/robots/anymal.urdf"),
    ("talos", "Talos, reduced", "talos_data/robots/talos_reduced.urdf"),
)
CPP, CASADI, OURS = "Pinocchio C++", "Pinocchio + CasADi, C", "symoro"


@dataclass
class Timed:
    """A function on inputs of its own layout, `width` numbers for each of its three arrays."""

    who: str
    what: str
    call: Any
    inputs: Any  # (samples, 3, width)
    outputs: int
    read: Callable[[Any, int], Any]
    batch: bool = False


def state(joints: int) -> dict[str, Any]:
    """The same motion for all; quaternions (w, x, y, z)."""
    import numpy as np

    random = np.random.default_rng(1)
    result = {
        name: random.uniform(-1, 1, (SAMPLES, joints)) * size
        for name, size in (("q", 3.0), ("qd", 2.0), ("qdd", 5.0))
    }
    result |= {name: random.uniform(-1, 1, (SAMPLES, 6)) for name in ("V0", "Vd0")}
    turn = random.normal(size=(SAMPLES, 4))
    result["Q0"] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
    return result


def spatial(at: dict[str, Any]) -> Any:
    """What Pinocchio's acceleration of the base is more than the classical one."""
    import numpy as np

    across = np.cross(at["V0"][:, 3:], at["V0"][:, :3])
    return np.hstack([-across, np.zeros((SAMPLES, 3))])


def packed(*rows: tuple[Any, ...]) -> Any:
    """Three arrays of one width, from their parts."""
    import numpy as np

    width = max(sum(part.shape[1] for part in parts) for parts in rows)
    result = np.zeros((SAMPLES, 3, width))
    for k, parts in enumerate(rows):
        whole = np.hstack(parts)
        result[:, k, : whole.shape[1]] = whole
    return result


def peers(case: Any, at: dict[str, Any]) -> list[Timed]:
    """Pinocchio's functions, on positions (P0; quaternion x y z w; q)."""
    import numpy as np
    from peers import subjects as make

    turn = np.hstack([np.zeros((SAMPLES, 3)), at["Q0"][:, 1:], at["Q0"][:, :1]])
    still = np.zeros((SAMPLES, 6))
    moved = {"inverse": at["Vd0"] + spatial(at), "direct": still, "inertia": still}
    result = []
    for subject in (*make.pinocchio(case), *make.casadi(case)):
        given = packed((turn, at["q"]), (at["V0"], at["qd"]), (moved[subject.what], at["qdd"]))
        result.append(
            Timed(subject.who, subject.what, subject.call, given, subject.outputs, _plain(subject.read))
        )
    return result


def _plain(read: Callable[[Any], Any]) -> Callable[[Any, int], Any]:
    return lambda y, sample: read(y)


def ours(case: Any, at: dict[str, Any], what: str, **options: str) -> tuple[list[Timed], Any]:
    """symoro's function for one sample and the one for a batch, on (Q0; q), (V0; qd), (Vd0; qdd or tau)."""
    import numpy as np
    from peers import subjects as make
    from peers.environment import built

    import symoro

    robot = symoro.load(case.urdf).floating()
    name, fixed = MODELS[what]
    model = symoro.generate(robot, name, **fixed, **options)
    function = make.function_name(model.program)
    files = {f: text for f, text in model.code("c").items() if not f.endswith("_example.c")}
    files["calls.c"] = calls(function, model)
    command = ["gcc", *make.OURS, *make.SHARED]
    library = ctypes.CDLL(str(built(f"{case.name}_floating_{what}", files, command, ("-lm",))))
    if model.program.constants:
        library.prepare(make.doubles(np.array([dict(robot.nominal)[p] for p in model.parameters])))
    order = np.array([case.joints.index(frame.name) for frame in robot.frames if frame.moving])
    q, qd, qdd = (at[key][:, order] for key in ("q", "qd", "qdd"))
    given = packed((at["Q0"], q), (at["V0"], qd), (at["Vd0"], qdd))
    outputs = sum(int(np.prod(shape)) for shape in model.outputs.values())
    read = _read(what, np.argsort(order), at)
    one = Timed(OURS, what, library.call, given, outputs, read)
    return [one, Timed(f"{OURS}, batch", what, library.call_batch, given, outputs, read, True)], model.count()


def calls(function: str, model: Any, *, floating: bool = True) -> str:
    """The function behind the timer's signature; in a batch an array of a rows starts a times as far."""
    place = {"Q0": ("q", 0), "q": ("q", 4), "V0": ("v", 0), "qd": ("v", 6), "Vd0": ("x", 0)}
    place |= {"qdd": ("x", 6), "tau": ("x", 6)}
    if not floating:
        place = {"q": ("q", 0), "qd": ("v", 0), "qdd": ("x", 0), "tau": ("x", 0)}
    sizes = [
        1 if not shape else shape[0] * (shape[1] if len(shape) > 1 else 1) for shape in model.outputs.values()
    ]
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    constants = ["k"] if model.program.constants else []
    head = "const double *q, const double *v, const double *x, double *y"
    lines = [f'#include "{function}.h"']
    if constants:
        lines.append(f"static double k[{function.upper()}_CONSTANTS];")
        lines.append(f"void prepare(const double *p) {{ {function}_setup(p, k); }}")
    for suffix, first, times in (("", "", "1"), ("_batch", "size_t n, ", "n")):
        taken = [f"{place[name][0]} + {place[name][1]} * {times}" for name in model.inputs]
        made = [f"y + {start} * {times}" for start in starts]
        arguments = ", ".join([*(["n"] if suffix else []), *taken, *constants, *made])
        lines.append(
            f"void call{suffix}({first}{head}) {{ (void)v, (void)x; {function}{suffix}({arguments}); }}"
        )
    return "\n".join([*lines, ""])


def _read(what: str, back: Any, at: dict[str, Any]) -> Callable[[Any, int], Any]:
    """What was written -> Pinocchio's result."""
    import numpy as np

    n, more = len(back), spatial(at)
    rows = np.r_[np.arange(6), 6 + back]

    def inertia(y: Any, sample: int) -> Any:
        return y.reshape(6 + n, 6 + n)[np.ix_(rows, rows)]

    def forces(y: Any, sample: int) -> Any:
        return np.r_[y[n:], y[:n][back]]

    def accelerations(y: Any, sample: int) -> Any:
        return np.r_[y[n:] + more[sample], y[:n][back]]

    return {"inertia": inertia, "inverse": forces, "free": forces, "direct": accelerations}[what]


def placed(size: int) -> Any:
    """An array that starts at a random multiple of 64 bytes within two pages.

    Code is slower by up to a sixth where its stack and its arrays happen to share the low bits of their addresses; with
    a new place in each round every party has its best one.
    """
    import numpy as np

    whole = np.empty(size + 2 * 1024)
    start = (-whole.ctypes.data // 8) % 8 + 8 * int(np.random.default_rng().integers(0, 128))
    return whole[start : start + size]


def measure(subject: Timed, passes: int) -> tuple[float, Any]:
    """(ns, outputs a sample)."""
    import numpy as np
    from peers.subjects import doubles, timer

    width, inputs = subject.inputs.shape[2], subject.inputs
    if subject.batch:
        inputs = inputs[np.arange(BATCH) % SAMPLES].transpose(1, 2, 0)
    given, out = placed(inputs.size), placed(subject.outputs * (BATCH if subject.batch else SAMPLES))
    given[:] = np.ascontiguousarray(inputs).ravel()
    if subject.batch:
        least = timer().time_batch(subject.call, passes, BATCH, width, doubles(given), doubles(out))
        return least, out.reshape(subject.outputs, BATCH).T[:SAMPLES]
    least = timer().time_calls(
        subject.call, passes, SAMPLES, width, subject.outputs, doubles(given), doubles(out)
    )
    return least, out.reshape(SAMPLES, subject.outputs)


def check(subjects: list[Timed]) -> float:
    """The largest relative difference from the first of each model; stops when it is too large."""
    import numpy as np

    wanted: dict[tuple[str, int], Any] = {}
    worst = 0.0
    for subject in subjects:
        for s in range(SAMPLES):
            alone = Timed(
                **{**vars(subject), "inputs": np.repeat(subject.inputs[s : s + 1], SAMPLES, axis=0)}
            )
            _, out = measure(alone, 1)
            result = subject.read(out[0], s)
            reference = wanted.setdefault((subject.what, s), result)
            off = float(np.abs(result - reference).max() / max(1.0, np.abs(reference).max()))
            if not off < TOLERANCE:
                raise SystemExit(f"{subject.who}, {TITLES[subject.what]}: off by {off:.1e}")
            worst = max(worst, off)
    return worst


def timed(subjects: list[Timed], rounds: int) -> dict[tuple[str, str], float]:
    """Least ns of each line and model; the subjects take turns."""
    least: dict[tuple[str, str], float] = {}
    for _ in range(rounds):
        for subject in subjects:
            ns, _ = measure(subject, max(1, PASSES * SAMPLES // BATCH) if subject.batch else PASSES)
            key = subject.who, subject.what
            least[key] = min(least.get(key, ns), ns)
    return least


def report(case: Any, ns: dict[tuple[str, str], float], counts: dict[str, Any], worst: float) -> None:
    print(f"\n{case.title}: 6 + {len(case.joints)} coordinates; results agree to {worst:.0e}")
    print(f"{'ns a call, times faster than C++ and than CasADi':>48}")
    print(f"{'':26}" + "".join(f"{title:>24}" for title in TITLES.values()))
    for who in dict.fromkeys(who for who, _ in ns):
        print(f"{who:26}" + "".join(_cell(ns, who, what) for what in TITLES))
    totals = (f"{counts[what].additions + counts[what].multiplications:10d}{'':14}" for what in TITLES)
    print(f"{'operations':26}" + "".join(totals))
    for what, mark in MARKS.items():
        first, second = _ratios(ns, OURS, what)
        words = [f"{mark} x C++: {'met' if first >= mark else 'missed'} ({first:.2f})"]
        words.append(f"CasADi: {'faster' if second > 1 else 'slower'} ({second:.2f})")
        print(f"  {TITLES[what]}: {', '.join(words)}")


def _ratios(ns: dict[tuple[str, str], float], who: str, what: str) -> tuple[float, float]:
    return ns[CPP, what] / ns[who, what], ns[CASADI, what] / ns[who, what]


def _cell(ns: dict[tuple[str, str], float], who: str, what: str) -> str:
    if (who, what) not in ns:
        return " " * 24
    if what == "free":
        return f"{ns[who, what]:10.0f}{'':14}"
    first, second = _ratios(ns, who, what)
    return f"{ns[who, what]:10.0f}{first:7.1f}{second:7.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=100, help="how many times all take their turn")
    parser.add_argument("names", nargs="*", help="only these robots: solo12, anymal, talos")
    options = parser.parse_args()
    enter()
    from peers.robots import Case

    print(versions())
    for robot in ROBOTS:
        if options.names and robot[0] not in options.names:
            continue
        case = Case(*robot, floating=True)
        at = state(len(case.joints))
        subjects, counts = peers(case, at), {}
        for what in TITLES:
            made, counts[what] = ours(case, at, what)
            subjects += made
        worst = check(subjects)
        before = os.getloadavg()[0]
        report(case, timed(subjects, options.rounds), counts, worst)
        print(f"  load of the machine {before:.1f} before, {os.getloadavg()[0]:.1f} after", flush=True)


if __name__ == "__main__":
    main()
