"""What is timed: Pinocchio's C++, the C of Pinocchio with CasADi, and symoro's C, all behind one signature."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import symoro
from peers.environment import BUILD, PEERS, built, casadi_folder, prefix
from peers.robots import Case
from symoro.emit.c import function_name
from symoro.expr.formula import Formula
from symoro.robot.description import INERTIAL, Robot

MODELS = {"inverse": "inverse-dynamics", "inertia": "inertia-matrix", "direct": "direct-dynamics"}
CONVENTIONS = {
    "inverse": ("inverse",),
    "inertia": ("inertia_local", "inertia_world"),
    "direct": ("direct_local", "direct_world"),
}
OPTIMISED = ["-O3", "-march=native"]
OURS = ["-std=c99", *OPTIMISED, "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"]
SHARED = ["-shared", "-fPIC"]
BOOST = [
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]
DOUBLES = ctypes.POINTER(ctypes.c_double)


@dataclass
class Subject:
    """A function to be timed.

    Attributes:
        who: the line of the table.
        what: the model, a key of MODELS.
        call: the address of the C function.
        order: which of Pinocchio's joints is the subject's joint j.
        outputs: numbers that it writes.
        read: what it wrote for a sample -> the result, joints in Pinocchio's order; called right after the sample.
        batch: whether it takes all samples at once.
    """

    who: str
    what: str
    call: Any
    order: Any
    outputs: int
    read: Callable[[Any], Any]
    batch: bool = False


def doubles(array: Any) -> Any:
    return array.ctypes.data_as(DOUBLES)


@cache
def timer() -> ctypes.CDLL:
    source = {"timer.c": (PEERS / "timer.c").read_text()}
    library = ctypes.CDLL(str(built("timer", source, ["gcc", "-O2", "-march=native", *SHARED], ("-lm",))))
    for name in ("time_calls", "time_batch", "time_single_batch"):
        getattr(library, name).restype = ctypes.c_double
    return library


def cpp(name: str, flags: list[str], after: tuple[str, ...] = ()) -> Any:
    files = {file: (PEERS / file).read_text() for file in ("robot.hpp", f"{name}.cpp")}
    include = [f"-isystem{prefix() / 'include'}", f"-isystem{prefix() / 'include' / 'eigen3'}"]
    return built(name, files, ["g++", "-std=c++17", "-w", "-DNDEBUG", *BOOST, *include, *flags], after)


def pinocchio(case: Case) -> list[Subject]:
    """Pinocchio's C++, all from its headers; the two conventions where there are two."""
    library = ctypes.CDLL(str(cpp("pinocchio", [*OPTIMISED, *SHARED])))
    n = len(case.joints) + 6 * case.floating
    library.setup(len(case.rows), doubles(np.ascontiguousarray(case.rows)))

    def matrix(_: Any) -> Any:
        result = np.empty((n, n))
        library.matrix(doubles(result))
        return result

    return [
        Subject(
            "Pinocchio C++",
            what,
            getattr(library, name),
            np.arange(n),
            1 if what == "inertia" else n,
            matrix if what == "inertia" else np.copy,
        )
        for what, names in CONVENTIONS.items()
        for name in names
    ]


def casadi(case: Case) -> list[Subject]:
    """The C that Pinocchio generates through CasADi."""
    folder = casadi_folder()
    links = (f"-L{folder}", f"-Wl,-rpath,{folder}", "-lcasadi")
    generator = cpp("casadi", ["-O1", f"-isystem{folder / 'include'}"], links)
    numbers, source = BUILD / f"{case.name}.rows", BUILD / f"{case.name}_casadi.c"
    np.savetxt(numbers, case.rows, fmt="%.17g")
    subprocess.run([generator, numbers, source.name], cwd=BUILD, check=True)
    names = [name for listed in CONVENTIONS.values() for name in listed]
    files = {"model.c": source.read_text(), "calls.c": casadi_calls(names)}
    library = ctypes.CDLL(str(built(f"{case.name}_casadi", files, ["gcc", *OPTIMISED, *SHARED], ("-lm",))))
    subjects = []
    for what, listed in CONVENTIONS.items():
        for name in listed:
            n = len(case.joints) + 6 * case.floating
            entries, read = _sparse(library, name, n, what == "inertia")
            call = getattr(library, f"call_{name}")
            subjects.append(Subject("Pinocchio + CasADi, C", what, call, np.arange(n), entries, read))
    return subjects


def casadi_calls(names: list[str], outputs: int = 1, size: int = 0) -> str:
    """CasADi's functions take arrays of pointers, and want room to work in.

    Arguments:
        outputs, size: how many arrays a function writes, and the numbers between their beginnings.
    """
    results = ", ".join(f"y + {k * size}" for k in range(outputs))
    lines = []
    for name in names:
        lines += [
            f"int {name}(const double **arg, double **res, long long *iw, double *w, int mem);",
            f"void call_{name}(const double *q, const double *v, const double *x, double *y)",
            "{",
            "    const double *arg[] = {q, v, x};",
            f"    double *res[] = {{{results}}};",
            f"    {name}(arg, res, 0, 0, 0);",
            "}",
        ]
    return "\n".join([*lines, ""])


def sparsity(library: ctypes.CDLL, name: str, output: int) -> tuple[list[int], list[int]]:
    """The rows and columns of the numbers that a generated function writes for one output."""
    pattern = getattr(library, f"{name}_sparsity_out")
    pattern.restype = ctypes.POINTER(ctypes.c_longlong)
    sparsity = pattern(ctypes.c_longlong(output))
    columns = sparsity[1]
    if sparsity[2] == 1:  # dense
        rows, at = zip(*[(r, c) for c in range(columns) for r in range(sparsity[0])], strict=True)
        return list(rows), list(at)
    starts = [sparsity[2 + c] for c in range(columns + 1)]
    at = [c for c in range(columns) for _ in range(starts[c], starts[c + 1])]
    return [sparsity[3 + columns + k] for k in range(starts[-1])], at


def _sparse(library: ctypes.CDLL, name: str, n: int, matrix: bool) -> tuple[int, Callable[[Any], Any]]:
    """How many numbers a generated function writes, and how they make its result."""
    rows, at = sparsity(library, name, 0)

    def read(y: Any) -> Any:
        result = np.zeros((n, n if matrix else 1))
        result[rows, at] = y
        return np.triu(result) + np.triu(result, 1).T if matrix else result[:, 0]

    return len(rows), read


def ours(case: Case, who: str, robot: Robot, what: str, **options: Any) -> list[Subject]:
    """symoro's C: the function for one sample, and the one for a batch."""
    model = symoro.generate(robot, MODELS[what], **options)
    name = function_name(model.program)
    files = {f: text for f, text in model.code("c").items() if not f.endswith("_example.c")}
    files["calls.c"] = our_calls(name, list(model.inputs), bool(model.program.constants))
    library = ctypes.CDLL(str(built(f"{case.name}_{what}", files, ["gcc", *OURS, *SHARED], ("-lm",))))
    if model.program.constants:
        values = np.array([dict(robot.nominal)[p] for p in model.parameters])
        library.prepare(doubles(values))
    order = np.array([case.joints.index(frame.name) for frame in robot.frames if frame.moving])
    back = np.argsort(order)
    n = len(order)

    def read(y: Any) -> Any:
        return y.reshape(n, n)[np.ix_(back, back)] if what == "inertia" else y[back]

    one = Subject(who, what, library.call, order, n * n if what == "inertia" else n, read)
    return [one, replace(one, who=f"{who}, batch", call=library.call_batch, batch=True)]


def our_calls(name: str, inputs: list[str], constants: bool) -> str:
    given = ", ".join([*["q", "v", "x"][: len(inputs)], *(["k"] if constants else []), "y"])
    arguments = "const double *q, const double *v, const double *x, double *y"
    lines = [f'#include "{name}.h"', f"void call({arguments}) {{ (void)v, (void)x; {name}({given}); }}"]
    lines.append(f"void call_batch(size_t n, {arguments}) {{ (void)v, (void)x; {name}_batch(n, {given}); }}")
    if constants:
        lines.insert(1, f"static double k[{name.upper()}_CONSTANTS];")
        lines.append(f"void prepare(const double *p) {{ {name}_setup(p, k); }}")
    return "\n".join([*lines, ""])


def freed(robot: Robot) -> Robot:
    """The robot with symbols for the inertial numbers that are not zero: they are given at run time."""
    links, values = [], dict(robot.nominal)
    for j, link in enumerate(robot.links, 1):
        names = {name: f"{name}{j}" for name in INERTIAL if not getattr(link, name).is_zero}
        values |= {symbol: getattr(link, name).number for name, symbol in names.items()}
        links.append(replace(link, **{name: Formula(symbol) for name, symbol in names.items()}))
    return replace(robot, links=tuple(links), nominal=tuple(values.items()))
