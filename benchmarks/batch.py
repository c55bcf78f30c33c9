"""Batches beside Pinocchio and beside single calls: python benchmarks/batch.py [--rounds N] [PART ...]

    pinocchio   Panda's inverse dynamics, ns per sample on one core: Pinocchio's rnea in C++; symoro's emitted batch
                function; `function()` on arrays (N, 7) of 10,000 and of a million samples, in float64 and float32, with
                arrays of the caller for the torques; the same with two threads
    outputs     a batch beside calls of `raw` from Python, for small and large outputs
    poses       all solutions of inverse geometry, a batch beside single calls in C
    bind        microseconds of `bind`, of another `function()` of the same model

The same random inputs for all, results compared before the times are measured. Each figure is the minimum of many
passes; the contestants run alternately, so that a busy machine disturbs all alike. The first run compiles Pinocchio,
which takes minutes.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import time
from collections.abc import Callable
from typing import Any

from peers.environment import built, enter, versions

PANDA = (
    "panda",
    "Panda, fingers locked",
    "panda_description/urdf/panda.urdf",
    ("panda_finger_joint1", "panda_finger_joint2"),
)
SAMPLES = 16
BATCH = 248  # samples of the emitted batch function, in the cache
ROWS, MANY = 10_000, 1_000_000
POSES = 2048
TOLERANCE = {
    "float64": 1e-10,
    "float32": 1e-4,
}  # largest difference from Pinocchio, relative to the largest torque
MARKS = {  # times faster per sample than rnea, and than one thread
    "C batch function, float64": 37,
    "C batch function, float32": 80,
    "(10,000, 7), float64": 20,
    "(10,000, 7), float32": 40,
}
THREADS_MARK, POSES_MARK, BIND_MARK = 1.8, 2.0, 100
OUTPUTS = (  # robot, model, mark: times faster than calls of `raw`
    ("panda", "inverse-dynamics", 3.0),
    ("rx90", "inverse-dynamics", 3.0),
    ("panda", "direct-dynamics", 3.0),
    ("panda", "inertia-matrix", 3.0),
    ("panda", "inverse-dynamics-derivatives", 3.0),
    ("rx90_floating", "direct-dynamics", 3.0),
    ("humanoid_torso", "inertia-matrix", 1.5),
    ("panda", "dynamic-identification", 1.5),
)
ARMS = ("puma560", "rx90", "ur5e")
Calls = dict[str, tuple[Callable[[], Any], int]]  # who -> (call, samples per call)


def least(calls: Calls, rounds: int) -> dict[str, float]:
    """Return ns per sample of each call: the minimum over the rounds, in which the calls alternate."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for who, (call, samples) in calls.items():
            start = time.perf_counter_ns()
            call()
            best[who] = min(best[who], (time.perf_counter_ns() - start) / samples)
    return best


def compare(who: str, result: Any, wanted: Any, tolerance: float) -> None:
    import numpy as np

    off = float(np.max(np.abs(np.asarray(result, float) - wanted)) / np.max(np.abs(wanted)))
    if not off < tolerance:
        raise SystemExit(f"{who}: off by {off:.1e}")


def verdict(ratio: float, mark: float) -> str:
    return f"{ratio:8.1f}   {mark:g}: {'met' if ratio >= mark else 'missed'}"


# -- beside Pinocchio


def emitted_batch(robot: Any, dtype: str) -> Any:
    """Return the emitted batch function of the inverse dynamics, compiled."""
    from peers.subjects import OURS, SHARED

    import symoro
    from symoro.emit.c import function_name

    model = symoro.generate(robot, "inverse-dynamics")
    scalar = "double" if dtype == "float64" else "float"
    files = {f: t for f, t in model.code("c", scalar=scalar).items() if not f.endswith("_example.c")}
    library = ctypes.CDLL(str(built(f"panda_batch_{scalar}", files, ["gcc", *OURS, *SHARED], ("-lm",))))
    return getattr(library, f"{function_name(model.program)}_batch")


def beside_pinocchio(rounds: int) -> None:
    import numpy as np
    from peers.robots import Case
    from peers.subjects import doubles, pinocchio, timer

    import symoro

    case = Case(*PANDA)
    rnea = pinocchio(case)[0]
    robot = symoro.load(case.urdf)
    order = np.array([case.joints.index(frame.name) for frame in robot.frames if frame.moving])
    n = len(order)
    motion = case.motion(ROWS)[:, :, order]
    given = np.ascontiguousarray(case.motion(ROWS)[:, :SAMPLES].transpose(1, 0, 2))
    torques = np.empty((SAMPLES, n))
    passes = 100

    def time_rnea() -> float:
        return float(timer().time_calls(rnea.call, passes, SAMPLES, n, n, doubles(given), doubles(torques)))

    time_rnea()
    wanted = torques[:, order].copy()
    times: dict[str, Callable[[], float]] = {"Pinocchio C++, rnea": time_rnea}
    model = symoro.generate(robot, "inverse-dynamics")
    calls: Calls = {}
    for dtype in ("float64", "float32"):
        columns = np.ascontiguousarray(motion[:, :BATCH].transpose(0, 2, 1)).astype(dtype)
        out = np.empty((n, BATCH), dtype)
        batch = emitted_batch(robot, dtype)
        measure = timer().time_batch if dtype == "float64" else timer().time_single_batch

        def time_batch(measure: Any = measure, batch: Any = batch, x: Any = columns, y: Any = out) -> float:
            pointers = (ctypes.c_void_p(a.ctypes.data) for a in (x, y))
            return float(measure(batch, passes, BATCH, n, *pointers))

        time_batch()
        compare(f"batch function, {dtype}", out.T[:SAMPLES], wanted, TOLERANCE[dtype])
        times[f"C batch function, {dtype}"] = time_batch
        for samples in (ROWS, MANY):
            names = ("q", "qd", "qdd")
            arrays = dict(
                zip(names, np.tile(motion, (1, samples // ROWS, 1)).astype(dtype, order="C"), strict=True)
            )
            room = {"tau": np.empty((samples, n), dtype)}
            for threads in (1,) if samples == ROWS else (1, 2):
                f = model.function(dtype=dtype, threads=threads)
                f(**arrays, out=room)
                compare(f"{samples}, {dtype}", room["tau"][:SAMPLES], wanted, TOLERANCE[dtype])
                who = f"({samples:,}, 7), {dtype}" + (", 2 threads" if threads > 1 else "")
                calls[who] = ((lambda f=f, x=arrays, y=room: f(**x, out=y)), samples)
    small = {who: call for who, call in calls.items() if call[1] == ROWS}
    large = {who: call for who, call in calls.items() if call[1] == MANY}
    ns = dict.fromkeys([*times, *calls], float("inf"))
    for at in range(rounds):
        for who, measure in times.items():
            ns[who] = min(ns[who], measure())
        figures = least(small, 20)
        if at < max(5, rounds // 4):
            figures |= least(large, 1)
        ns |= {who: min(ns[who], figure) for who, figure in figures.items()}
    print(f"\n{case.title}, inverse dynamics\n{'':36}{'ns per sample':>14}{'x rnea':>9}   mark")
    for who, figure in ns.items():
        ratio = ns["Pinocchio C++, rnea"] / figure
        shown = verdict(ratio, MARKS[who]) if who in MARKS else f"{ratio:8.1f}"
        print(f"{who:36}{figure:14.1f} {shown}")
    for dtype in ("float64", "float32"):
        who = f"({MANY:,}, 7), {dtype}"
        gain = ns[who] / ns[f"{who}, 2 threads"]
        print(f"two threads over one, {dtype:14}{'':14} {verdict(gain, THREADS_MARK)}")


# -- small and large outputs


def bound(name: str) -> Any:
    """Return a bundled robot with numbers for all symbols."""
    import symoro

    robot = symoro.load(name)
    nominal = dict(robot.nominal)
    return robot.bind({symbol: nominal.get(symbol, 0.3) for symbol in robot.symbols()})


def inputs_of(model: Any, samples: int) -> dict[str, Any]:
    """Return random inputs; a rotation where the model takes one."""
    import numpy as np

    rng = np.random.default_rng(1)
    arrays = {name: rng.uniform(-1, 1, (samples, *shape)) for name, shape in model.inputs.items()}
    if "R0" in arrays:
        Q = np.linalg.qr(arrays["R0"])[0]
        arrays["R0"] = Q * np.sign(np.linalg.det(Q))[:, None, None]
    return arrays


def outputs(rounds: int) -> None:
    import numpy as np

    import symoro

    print(f"\n{'ns per sample, 4096 samples':44}{'raw':>8}{'batch':>8}{'float32':>9}   ratio   mark")
    for name, identifier, mark in OUTPUTS:
        model = symoro.generate(bound(name), identifier)
        f, single = model.function(), model.function(dtype="float32")
        x = inputs_of(model, 4096)
        small = {key: array.astype(np.float32) for key, array in x.items()}
        out, small_out = f(**x), single(**small)
        first = [array[0].copy() for array in x.values()]
        room = [np.empty(shape) for shape in model.outputs.values()]
        f.raw(*first, *room)
        for array, (output, batch) in zip(room, out.items(), strict=True):
            compare(f"{name} {identifier}, {output}", batch[0], array, 1e-10)

        def raw(f: Any = f, arguments: Any = (*first, *room)) -> None:
            for _ in range(256):
                f.raw(*arguments)

        calls: Calls = {
            "raw": (raw, 256),
            "batch": ((lambda f=f, x=x, y=out: f(**x, out=y)), 4096),
            "float32": ((lambda f=single, x=small, y=small_out: f(**x, out=y)), 4096),
        }
        ns = least(calls, 10 * rounds)
        figures = f"{ns['raw']:8.0f}{ns['batch']:8.0f}{ns['float32']:9.0f}"
        print(f"{name + ', ' + identifier:44}{figures}{verdict(ns['raw'] / ns['batch'], mark)}", flush=True)


# -- inverse geometry


def one_by_one(f: Any) -> Any:
    """Return a C function (samples, poses, constants, outputs) that solves pose after pose by single calls."""
    import numpy as np

    sizes = [int(np.prod(port.shape)) for port in (*f.program.inputs, *f.program.outputs)]
    given, results = len(f.program.inputs), len(f.program.outputs)
    arguments = (
        ["const double *"] * given + ["const double *"] * bool(len(f.constants)) + ["double *"] * results
    )
    entries = [f"a[{at}] + i * {n}" for at, n in enumerate(sizes)]
    passed = entries[:given] + ["k"] * bool(len(f.constants)) + entries[given:]
    text = "\n".join(
        [
            "#include <stddef.h>",
            f"typedef void (*call)({', '.join(arguments)});",
            "void one_by_one(void *f, size_t n, double *const *a, const double *k)",
            "{",
            "    (void)k;",
            f"    for (size_t i = 0; i < n; ++i) ((call)f)({', '.join(passed)});",
            "}",
        ]
    )
    library = ctypes.CDLL(
        str(built("one_by_one", {"one_by_one.c": text}, ["gcc", "-O2", "-shared", "-fPIC"]))
    )
    return library.one_by_one


def poses(rounds: int) -> None:
    import numpy as np

    import symoro

    print(f"\n{'us per pose, all solutions':44}{'calls in C':>12}{'batch':>8}   ratio   mark")
    for name in ARMS:
        robot = symoro.load(name)
        model = symoro.generate(robot, "inverse-geometry")
        f = model.function()
        q = np.random.default_rng(1).uniform(-2, 2, (POSES, *model.outputs["q"][1:]))
        x = {"T": symoro.generate(robot, "fast-geometry").function()(q=q)["T"]}
        x |= {port.name: np.zeros((POSES, *port.shape)) for port in f.program.inputs if port.name != "T"}
        batch = f(**x)
        room = {key: np.empty_like(array) for key, array in batch.items()}
        loop, arrays = one_by_one(f), [x[port.name] for port in f.program.inputs] + list(room.values())
        pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
        constants = ctypes.c_void_p(f.constants.ctypes.data)

        def calls(loop: Any = loop, f: Any = f, pointers: Any = pointers, k: Any = constants) -> None:
            loop(ctypes.c_void_p(f.address), ctypes.c_size_t(POSES), pointers, k)

        calls()
        if not np.array_equal(batch["status"], room["status"]):
            raise SystemExit(f"{name}: the statuses of a batch and of single calls differ")
        compare(f"{name}, solutions", batch["q"], room["q"], 1e-9)
        turns: Calls = {
            "calls": (calls, POSES),
            "batch": ((lambda f=f, x=x, y=batch: f(**x, out=y)), POSES),
        }
        ns = least(turns, 10 * rounds)
        figures = f"{ns['calls'] / 1e3:12.3f}{ns['batch'] / 1e3:8.3f}"
        print(f"{name:44}{figures}{verdict(ns['calls'] / ns['batch'], POSES_MARK)}", flush=True)


# -- other values of the parameters


def bind(rounds: int) -> None:
    import symoro

    model = symoro.generate("rx90", "inverse-dynamics")
    values = dict.fromkeys(model.parameters, 0.3)
    f = model.function(values)
    ns = least(
        {
            "f.bind({...})": (lambda: f.bind({"D3": 0.5}), 1),
            "model.function(values)": (lambda: model.function(values | {"D3": 0.5}), 1),
        },
        50 * rounds,
    )
    print(f"\n{'RX-90, other values of the parameters':44}{'us':>8}")
    for who, figure in ns.items():
        print(f"{who:44}{figure / 1e3:8.1f}")
    met = ns["f.bind({...})"] / 1e3 <= BIND_MARK
    print(f"  at most {BIND_MARK} us: {'met' if met else 'missed'}", flush=True)


PARTS = {"pinocchio": beside_pinocchio, "outputs": outputs, "poses": poses, "bind": bind}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=40, help="number of turns of each contestant")
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help="pinocchio, outputs, poses, bind; default: all"
    )
    options = parser.parse_args()
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"there is no part '{part}'")
    enter()
    print(versions())
    for name, part in PARTS.items():
        if not options.parts or name in options.parts:
            before = os.getloadavg()[0]
            part(options.rounds)
            print(f"  load of the machine {before:.1f} before, {os.getloadavg()[0]:.1f} after", flush=True)


if __name__ == "__main__":
    main()
