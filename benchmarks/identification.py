"""The regressor beside the peers: python benchmarks/identification.py [--counts]

Operations: multiplications and additions per call, sines and cosines not counted, of the columns of the standard and
of the base parameters, rotor inertias included. OpenSYMORO's figure is that of its dynamic identification model for
the RX90, SymPyBotics' that of its regressor for the PUMA560, both with base columns.

Time: the emitted C beside computeJointTorqueRegressor of Pinocchio, compiled here from the headers of its wheel (see
dynamics.py for how). One thread, -O3 -march=native for both, the same random inputs, entries compared before the
stopwatch starts; the least of many passes, and the parties take turns.
"""

from __future__ import annotations

import argparse
import ctypes
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from peers.environment import PEERS, built, enter, prefix, versions

import symoro
from symoro.emit.c import function_name
from symoro.expr.formula import Formula
from symoro.model import Model
from symoro.robot.description import GEOMETRIC, INERTIAL, JointType, Robot

SAMPLES, PASSES, ROUNDS = 16, 100, 40
TOLERANCE = 1e-8
MARK = 8  # times faster than Pinocchio, with base columns
THEIRS = ("M", "MX", "MY", "MZ", "XX", "XY", "YY", "XZ", "YZ", "ZZ")  # Pinocchio's order
REGRESSOR = """
#include <memory>

#include "robot.hpp"
#include <pinocchio/algorithm/regressor.hpp>

using Vector = Eigen::Map<const Eigen::VectorXd>;

static std::unique_ptr<pinocchio::Model> model;
static std::unique_ptr<pinocchio::Data> data;

extern "C" {

void setup(int joints, const double *rows)
{
    model = std::make_unique<pinocchio::Model>(model_of(joints, rows));
    data = std::make_unique<pinocchio::Data>(*model);
}

void matrix(double *y) // of the last call, by rows
{
    const auto &w = data->jointTorqueRegressor;
    for (int i = 0; i < w.rows(); ++i)
        for (int j = 0; j < w.cols(); ++j) y[i * w.cols() + j] = w(i, j);
}

void regressor(const double *q, const double *v, const double *x, double *y) // fills data, and stays there
{
    const int n = model->nv;
    pinocchio::computeJointTorqueRegressor(*model, *data, Vector(q, n), Vector(v, n), Vector(x, n));
    *y = data->jointTorqueRegressor(0, 0);
}

}
"""


@dataclass(frozen=True)
class Case:
    """A bundled robot, with the mark for base columns, what a peer needs, and lengths that the peer takes as zero."""

    name: str
    mark: int | None = None
    peer: str = ""
    zero: tuple[str, ...] = ()


CASES = (
    Case("rx90", 640, "OpenSYMORO 913"),
    Case("puma560", 690, "SymPyBotics 1021", ("RL2",)),
    Case("panda"),
)


def full(case: Case) -> Robot:
    """The robot with a symbol for every inertial parameter and rotor inertia, without friction."""
    robot = symoro.load(case.name)
    robot = robot.bind({s: 0 if s in case.zero else v for s, v in robot.nominal if s in robot.symbols()})
    links, frames = [], []
    for j in range(1, robot.NL + 1):
        links.append(replace(robot.link(j), **{n: Formula(f"{n}{j}") for n in INERTIAL}))
        drives = {"IA": Formula(f"IA{j}"), **dict.fromkeys(("FV", "FS", "FO"), Formula("0"))}
        frames.append(replace(robot.frame(j), **drives) if robot.frame(j).moving else robot.frame(j))
    return replace(robot, links=tuple(links), frames=tuple(frames), tool=None, payload=None)


def counts() -> None:
    print(f"{'':12}{'standard':>12}{'base':>12}{'base, * and +':>16}{'mark':>8}  peer")
    for case in CASES:
        robot = full(case)
        models = [
            symoro.generate(robot, "dynamic-identification", parameters=p) for p in ("standard", "base")
        ]
        standard, base = (model.count() for model in models)
        cells = [f"{c.multiplications + c.additions:>12}" for c in (standard, base)]
        detail = f"{base.multiplications} + {base.additions}"
        print(f"{case.name:12}{''.join(cells)}{detail:>16}{case.mark or '':>8}  {case.peer}", flush=True)


# -- time


def described(robot: Robot) -> Any:
    """A row of numbers a joint for peers/robot.hpp: serial robots, joint variable about or along z."""
    rows = []
    for frame in robot.frames:
        axis = [0.0] * 6
        axis[2 if frame.sigma == JointType.PRISMATIC else 5] = 1.0
        place = _place([getattr(frame, name).number for name in GEOMETRIC])
        body = [1.0, 0.1, 0.2, 0.3, 0.4, 0.0, 0.0, 0.5, 0.0, 0.6]
        rows.append([float(frame.ant), *axis, *place[:3, :3].ravel(), *place[:3, 3], *body])
    return np.array(rows)


def _place(numbers: list[float]) -> Any:
    gamma, b, alpha, d, theta, r = numbers
    return _about_z(gamma, b) @ _about_x(alpha, d) @ _about_z(theta, r)


def _about_z(angle: float, along: float) -> Any:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, along], [0, 0, 0, 1]])


def _about_x(angle: float, along: float) -> Any:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0, along], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])


def theirs(robot: Robot) -> Any:
    """Pinocchio's library, set up for a robot."""
    from peers.subjects import BOOST, OPTIMISED, SHARED, doubles

    files = {"robot.hpp": (PEERS / "robot.hpp").read_text(), "regressor.cpp": REGRESSOR}
    include = [f"-isystem{prefix() / 'include'}", f"-isystem{prefix() / 'include' / 'eigen3'}"]
    flags = ["-std=c++17", "-w", "-DNDEBUG", *BOOST, *include, *OPTIMISED, *SHARED]
    library = ctypes.CDLL(str(built("regressor", files, ["g++", *flags])))
    library.setup(robot.NL, doubles(np.ascontiguousarray(described(robot))))
    return library


def ours(robot: Robot, parameters: str) -> tuple[Model, Any]:
    """The model and its compiled function, behind the timer's signature."""
    from peers.subjects import OURS, SHARED

    model = symoro.generate(robot, "dynamic-identification", parameters=parameters)
    name = function_name(model.program)
    files = {f: text for f, text in model.code("c").items() if not f.endswith("_example.c")}
    arguments = "const double *q, const double *v, const double *x, double *y"
    files["calls.c"] = f'#include "{name}.h"\nvoid call({arguments}) {{ {name}(q, v, x, y); }}\n'
    library = built(f"{robot.name}_{parameters}", files, ["gcc", *OURS, *SHARED], ("-lm",))
    return model, ctypes.CDLL(str(library)).call


def least(call: Any, given: Any, outputs: int, passes: int = PASSES) -> tuple[float, Any]:
    """(ns of a call, what it wrote for each sample)."""
    from peers.subjects import doubles, timer

    out = np.empty((len(given), outputs))
    ns = timer().time_calls(call, passes, len(given), given.shape[2], outputs, doubles(given), doubles(out))
    return ns, out


def check(library: Any, models: dict[str, tuple[Model, Any]], given: Any) -> float:
    """The largest difference of our columns from Pinocchio's."""
    from peers.subjects import doubles

    n, worst = given.shape[2], 0.0
    expected = np.empty((n, 10 * n))
    for s in range(len(given)):
        sample = np.ascontiguousarray(given[s : s + 1])
        least(library.regressor, sample, 1, 1)
        library.matrix(doubles(expected))
        for model, call in models.values():
            _, out = least(call, sample, n * len(model.columns), 1)
            w = out.reshape(n, len(model.columns))
            for c, name in enumerate(model.columns):
                kind, j = name.rstrip("0123456789"), int(name.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
                if kind in THEIRS:
                    worst = max(worst, np.abs(w[:, c] - expected[:, 10 * (j - 1) + THEIRS.index(kind)]).max())
    if not worst < TOLERANCE * max(1.0, np.abs(expected).max()):
        raise SystemExit(f"our entries differ from Pinocchio's by {worst:.1e}")
    return worst


def times(case: Case) -> None:
    robot = full(case)
    library = theirs(robot)
    models = {parameters: ours(robot, parameters) for parameters in ("standard", "base")}
    random = np.random.default_rng(1)
    given = random.uniform(-1, 1, (SAMPLES, 3, robot.NL)) * np.array([3.0, 2.0, 5.0])[:, None]
    worst = check(library, models, given)
    figures = {"Pinocchio C++": (library.regressor, 1)}
    for parameters, (model, call) in models.items():
        figures[f"symoro, {parameters}"] = (call, robot.NL * len(model.columns))
    best = dict.fromkeys(figures, np.inf)
    for _ in range(ROUNDS):
        for who, (call, outputs) in figures.items():
            best[who] = min(best[who], least(call, given, outputs)[0])
    print(f"\n{case.name}: entries agree to {worst:.0e}")
    for who, ns in best.items():
        ratio = best["Pinocchio C++"] / ns
        verdict = (
            ("  (mark 8: met)" if ratio >= MARK else "  (mark 8: missed)") if who.endswith("base") else ""
        )
        print(f"{who:20}{ns:8.0f} ns{ratio:8.1f} x{verdict}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", action="store_true", help="operation counts alone")
    options = parser.parse_args()
    if not options.counts:
        enter()
    counts()
    if not options.counts:
        print(f"\n{versions()}")
        for case in CASES:
            times(case)


if __name__ == "__main__":
    main()
