"""symoro's own inverse geometry, as emitted C: one pose a call, a batch, and a batch through NumPy."""

from __future__ import annotations

import ctypes
import time
from pathlib import Path
from typing import Any

import numpy as np

import symoro
from peers.arms import Arm
from peers.environment import built, seconds
from peers.solvers import (
    BUDGET,
    FLAGS,
    ROOM,
    SHARED,
    Missing,
    Solver,
    call_time,
    collected,
    doubles,
    lap,
    timer,
)
from symoro.emit.c import function_name
from symoro.robot.description import Robot

MODEL = "inverse-geometry"
BATCH = 64  # poses a call of the batch function; the timed poses are a multiple
REACHED = (0, 2)  # status: valid, singular


def ours(arm: Arm) -> list[Solver]:
    """The numbers of the arm folded into the code; and, where lengths are symbols, given at run time."""
    try:
        folded, code, taken = _generated(arm.number)
        library = _library(arm, folded, code)
        solvers = [
            _one("symoro", folded, library, taken),
            _batch("symoro, batch", folded, library),
            _numpy("symoro, NumPy batch", folded),
        ]
        free, code, taken = _generated(arm.robot)
        if free.parameters:
            solvers.append(_one("symoro, symbols", free, _library(arm, free, code), taken))
    except symoro.SymoroError as refused:
        raise Missing(f"symoro: {str(refused).splitlines()[0]}") from None
    return solvers


def _generated(robot: Robot) -> tuple[Any, dict[str, str], float]:
    """(model, C, seconds)."""
    start = time.perf_counter()
    model = symoro.generate(robot, MODEL)
    code = model.code("c")
    return model, code, time.perf_counter() - start


def _library(arm: Arm, model: Any, code: dict[str, str]) -> Path:
    files = {file: text for file, text in code.items() if not file.endswith("_example.c")}
    files["calls.c"] = calls(model)
    command = ["gcc", "-std=c99", *FLAGS, *SHARED]
    return built(f"{arm.name}_inverse_geometry", files, command, ("-lm",), again=True)


def _one(who: str, model: Any, path: Path, generated: float) -> Solver:
    library = ctypes.CDLL(str(path))
    values = np.array([dict(model.robot.nominal)[p] for p in model.parameters])
    library.prepare(doubles(values))
    n = model.outputs["q"][1]
    return Solver(
        who,
        lambda poses: collected(library.solve, n, poses),
        lambda poses: lap(library.timed, n, poses),
        generated,
        seconds(path),
        "; ".join(model.program.choices),
    )


def calls(model: Any) -> str:
    """C that gives the emitted functions the signatures of the stopwatch."""
    name = function_name(model.program)
    sizes = {port: int(np.prod(shape)) for port, shape in model.outputs.items()}
    rows, joints = model.outputs["q"]
    if rows > ROOM:
        raise Missing(f"symoro: {rows} solutions are more than the benchmark has room for")
    constants = f"{name.upper()}_CONSTANTS"
    k = ["k"] if model.program.constants else []
    held = [f"static double {port}_[{size}];" for port, size in sizes.items()]
    held += [f"static double k[{constants}];"] if k else []
    given = ["T" if port == "T" else "zero" for port in model.inputs]
    one = ", ".join([*given, *k, *(f"{port}_" for port in sizes)])
    starts = np.cumsum([0, *sizes.values()])
    many = ", ".join(["n", *given, *k, *(f"y + {start} * n" for start in starts[: len(sizes)])])
    reached = " || ".join(f"status_[i] == {code}" for code in REACHED)
    setup = f"{name}_setup(p, k);" if k else "(void)p;"
    return f"""#include "{name}.h"
static const double zero[1 << 16];
{chr(10).join(held)}
void prepare(const double *p) {{ {setup} }}
int timed(const double *T, double *q) {{ (void)q; {name}({one}); return 0; }}
void many(size_t n, const double *T, double *y) {{ {name}_batch({many}); }}
int solve(const double *T, double *q)
{{
    int count = 0;
    timed(T, q);
    for (int i = 0; i < {rows}; ++i) {{
        if (!({reached})) continue;
        for (int j = 0; j < {joints}; ++j) q[{joints} * count + j] = q_[{joints} * i + j];
        ++count;
    }}
    return count;
}}
"""


def reached(q: Any, status: Any) -> list[Any]:
    """Of each pose the rows of q that count as solutions."""
    return [rows[np.isin(np.round(codes), REACHED)] for rows, codes in zip(q, status, strict=True)]


def _batch(who: str, model: Any, path: Path) -> Solver:
    library = ctypes.CDLL(str(path))
    sizes = [int(np.prod(shape)) for shape in model.outputs.values()]
    ports = list(model.outputs)

    def solve(poses: Any) -> list[Any]:
        given = np.ascontiguousarray(poses.reshape(len(poses), 16).T)
        out = np.zeros((sum(sizes), len(poses)))
        library.many(ctypes.c_size_t(len(poses)), doubles(given), doubles(out))
        parts = dict(zip(ports, np.split(out, np.cumsum(sizes)[:-1]), strict=True))
        return reached(parts["q"].T.reshape(len(poses), *model.outputs["q"]), parts["status"].T)

    def turn(poses: Any) -> Any:
        given = np.ascontiguousarray(poses.reshape(-1, BATCH, 16).transpose(0, 2, 1))
        out, least = np.zeros((sum(sizes), BATCH)), np.empty(len(given))
        numbers = (ctypes.c_double(BUDGET), len(given), BATCH)
        timer().time_solver_batch(library.many, *numbers, doubles(given), doubles(out), doubles(least))
        return least / 1000

    return Solver(who, solve, turn)


def _numpy(who: str, model: Any) -> Solver:
    function = model.function(compiled=True)

    def solve(poses: Any) -> list[Any]:
        solvers = function(T=poses)
        return reached(solvers["q"], solvers["status"])

    return Solver(who, solve, lambda poses: call_time(lambda given: function(T=given), poses))
