"""Derivatives of the dynamics beside the peers, time per call: python benchmarks/derivatives.py [--rounds N] [NAME ...]

    Pinocchio C++            computeRNEADerivatives and computeABADerivatives, compiled here from its wheel's headers
    Pinocchio + CasADi, C    the C that the two generate together, common subexpressions eliminated: Pinocchio's
                             derivatives on CasADi's expressions, or (fixed base) CasADi's Jacobians of rnea and aba,
                             whichever is faster
    symoro                   the emitted C of both derivative models, one sample a call; batch: time for one sample
    symoro, recursion        method="recursion"; forward: method="forward" (symoro takes the one with fewer operations)

All read the same URDF. On a floating base the inverse dynamics is that with the motion of the base given. The matrices
are compared before the stopwatch starts: Pinocchio's columns of the base's velocity are converted, because its
acceleration of the base is the spatial one. CasADi writes half of symmetric matrices, and Pinocchio leaves its results
in its own data. One thread, -march=native -O3 (-O1 for the generated code of robots with more than 20 joints, whose
compilation takes too long otherwise); symoro's with the option that `Model.function` adds for single calls
(-fno-tree-slp-vectorize; CasADi's code is not faster with it). The parties take turns, the least of many passes counts.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from floating import CASADI, CPP, OURS, SAMPLES, Timed, check, packed, spatial, state, timed
from peers.environment import BUILD, built, casadi_folder, enter, versions

TITLES = {"inverse": "inverse dynamics", "direct": "direct dynamics"}
COPIES = 3
LARGE = 20  # joints; compilers need minutes for the code of larger robots with -O3
FINGERS = ("panda_finger_joint1", "panda_finger_joint2")
GENERAL = "general 6R"
ROBOTS: dict[str, tuple[str, str, tuple[str, ...], bool]] = {  # title, file, locked joints, floating
    "ur5": ("UR5", "ur_description/urdf/ur5_robot.urdf", (), False),
    "panda": ("Panda, fingers locked", "panda_description/urdf/panda.urdf", FINGERS, False),
    "general": (GENERAL, "", (), False),
    "anymal": ("ANYmal B, fixed base", "anymal_b_simple_description/robots/anymal.urdf", (), False),
    "anymal_floating": (
        "ANYmal B, floating base",
        "anymal_b_simple_description/robots/anymal.urdf",
        (),
        True,
    ),
    "talos": ("Talos, reduced, fixed base", "talos_data/robots/talos_reduced.urdf", (), False),
}
MARKS = {  # how many times faster than CasADi's C: inverse, direct
    "ur5": (6.3, 5.0),
    "panda": (3.3, 2.2),
    "general": (2.4, 1.8),
    "anymal_floating": (3.5, 3.5),
    "talos": (2.2, 1.7),
}
Figures = dict[tuple[str, str], float]


def general_arm() -> str:
    """Return the URDF of an arm with six revolute joints, without right angles and with full inertias."""
    import numpy as np

    random = np.random.default_rng(5)

    def row(low: float, high: float, count: int = 3) -> str:
        return " ".join(f"{x:.6f}" for x in random.uniform(low, high, count))

    parts = ['<link name="link0"/>']
    for j in range(1, 7):
        moments = random.uniform(3, 4, 3)
        ixy, ixz, iyz = random.uniform(0.1, 0.3, 3)
        tensor = {"ixx": moments[0], "iyy": moments[1], "izz": moments[2], "ixy": ixy, "ixz": ixz, "iyz": iyz}
        entries = " ".join(f'{name}="{x:.6f}"' for name, x in tensor.items())
        parts.append(
            f'<link name="link{j}"><inertial><origin xyz="{row(0.05, 0.2)}"/>'
            f'<mass value="{random.uniform(2, 5):.6f}"/><inertia {entries}/></inertial></link>'
            f'<joint name="joint{j}" type="revolute"><parent link="link{j - 1}"/><child link="link{j}"/>'
            f'<origin xyz="{row(0.1, 0.5)}" rpy="{row(0.3, 1.2)}"/><axis xyz="0 0 1"/>'
            '<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
        )
    return f'<robot name="general6r">{"".join(parts)}</robot>'


def case_of(name: str) -> Any:
    from peers.robots import Case

    title, file, locked, floating = ROBOTS[name]
    if title == GENERAL:
        source = BUILD / "general6r_source.urdf"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(general_arm(), encoding="utf-8")
        file = str(source)
    return Case(name, title, file, locked, floating)


def flags(case: Any) -> list[str]:
    """Return the compiler's options for generated code."""
    return ["-O1" if len(case.joints) > LARGE else "-O3", "-march=native", "-falign-functions=64"]


def loaded(library: Path) -> list[ctypes.CDLL]:
    """Return a library and copies of it, each in other pages of the memory.

    Code that is larger than the first-level cache is slower by up to a sixth in unlucky pages; the best copy counts.
    """
    paths = [library.with_name(f"{library.name}_{k}") for k in range(COPIES)]
    for path in paths:
        if not path.exists():  # a library that is in use must not be overwritten
            shutil.copyfile(library, path)
    return [ctypes.CDLL(str(path)) for path in paths]


def motion(case: Any, at: dict[str, Any], what: str) -> Any:
    """Return the inputs of Pinocchio's functions, on positions (P0; quaternion x y z w; q) if the base floats."""
    import numpy as np

    if not case.floating:
        return packed((at["q"],), (at["qd"],), (at["qdd"],))
    turn = np.hstack([np.zeros((SAMPLES, 3)), at["Q0"][:, 1:], at["Q0"][:, :1]])
    moved = at["Vd0"] + spatial(at) if what == "inverse" else np.zeros((SAMPLES, 6))
    return packed((turn, at["q"]), (at["V0"], at["qd"]), (moved, at["qdd"]))


# -- the peers


def pinocchio(case: Any, at: dict[str, Any]) -> list[Timed]:
    import numpy as np
    from peers import subjects as make

    n = len(case.joints) + 6 * case.floating

    def reader(library: ctypes.CDLL, what: str) -> Callable[[Any, int], Any]:
        def read(_: Any, sample: int) -> Any:
            result = np.empty((3, n, n))
            getattr(library, f"{what}_matrices")(make.doubles(result))
            return compared(case, what, result)

        return read

    subjects = []
    for library in loaded(make.cpp("pinocchio_derivatives", [*make.OPTIMISED, *make.SHARED])):
        library.setup(len(case.rows), make.doubles(np.ascontiguousarray(case.rows)))
        for what in TITLES:
            call = getattr(library, what)
            subjects.append(Timed(CPP, what, call, motion(case, at, what), 1, reader(library, what)))
    return subjects


def compared(case: Any, what: str, matrices: Any) -> Any:
    """Return those of Pinocchio's columns that symoro has: not those of forces on a free base."""
    import numpy as np

    free = 6 if case.floating and what == "direct" else 0
    return np.concatenate([matrices[0], matrices[1], matrices[2][:, free:]], axis=1)


def casadi(case: Any, at: dict[str, Any]) -> list[Timed]:
    import numpy as np
    from peers import subjects as make

    folder = casadi_folder()
    links = (f"-L{folder}", f"-Wl,-rpath,{folder}", "-lcasadi")
    generator = make.cpp("casadi_derivatives", ["-O0", f"-isystem{folder / 'include'}"], links)
    numbers, source = BUILD / f"{case.name}.rows", BUILD / f"{case.name}_derivatives.c"
    np.savetxt(numbers, case.rows, fmt="%.17g")
    subprocess.run([generator, numbers, source.name], cwd=BUILD, check=True)
    kinds = ("analytical",) if case.floating else ("analytical", "jacobian")
    names = {(what, kind): f"{what}_{kind}" for what in TITLES for kind in kinds}
    n = len(case.joints) + 6 * case.floating
    files = {"model.c": source.read_text(), "calls.c": make.casadi_calls(list(names.values()), 3, n * n)}
    command = ["gcc", *flags(case), *make.SHARED]
    libraries = loaded(built(f"{case.name}_derivatives", files, command, ("-lm",)))
    subjects = []
    for (what, _), name in names.items():
        patterns = [make.sparsity(libraries[0], name, k) for k in range(3)]

        def read(y: Any, sample: int, what: str = what, patterns: Any = patterns) -> Any:
            result = np.zeros((3, n, n))
            for k, (rows, columns) in enumerate(patterns):
                result[k][rows, columns] = y[k * n * n : k * n * n + len(rows)]
            result[2] = np.triu(result[2]) + np.triu(result[2], 1).T
            return compared(case, what, result)

        for library in libraries:
            call = getattr(library, f"call_{name}")
            subjects.append(Timed(CASADI, what, call, motion(case, at, what), 3 * n * n, read))
    return subjects


# -- symoro


def ours(case: Any, at: dict[str, Any], what: str, method: str) -> tuple[list[Timed], int]:
    """Return symoro's functions and their number of operations."""
    import numpy as np
    from floating import calls
    from peers import subjects as make

    import symoro
    from symoro.runtime.compiler import STRAIGHT

    robot = symoro.load(case.urdf)
    options: dict[str, str] = {"method": method}
    if case.floating:
        robot, options = robot.floating(), options | {"rotation": "quaternion"}
        options |= {"base": "given"} if what == "inverse" else {}
    model = symoro.generate(robot, f"{what}-dynamics-derivatives", **options)
    name = make.function_name(model.program)
    files = {f: text for f, text in model.code("c").items() if not f.endswith("_example.c")}
    files["calls.c"] = calls(name, model, floating=case.floating)
    command = ["gcc", "-std=c99", *flags(case), *make.OURS[3:], *STRAIGHT, *make.SHARED]
    libraries = loaded(built(f"{case.name}_{what}_derivatives", files, command, ("-lm",)))
    if model.program.constants:
        for library in libraries:
            library.prepare(make.doubles(np.array([dict(robot.nominal)[p] for p in model.parameters])))
    order = np.array([case.joints.index(frame.name) for frame in robot.frames if frame.moving])
    q, qd, qdd = (at[key][:, order] for key in ("q", "qd", "qdd"))
    given = packed((q,), (qd,), (qdd,))
    if case.floating:
        given = packed((at["Q0"], q), (at["V0"], qd), (at["Vd0"], qdd))
    sizes = {port: int(np.prod(shape)) for port, shape in model.outputs.items()}

    def read(y: Any, sample: int) -> Any:
        starts = np.cumsum([0, *sizes.values()])
        made = {
            port: y[start : start + sizes[port]].reshape(shape)
            for start, (port, shape) in zip(starts, model.outputs.items(), strict=False)
        }
        return assembled(case, what, made, np.argsort(order), at["V0"][sample])

    who = OURS if method == "auto" else f"{OURS}, {method}"
    size = sum(sizes.values())
    subjects = [Timed(who, what, library.call, given, size, read) for library in libraries]
    if method == "auto":
        batches = (Timed(f"{who}, batch", what, x.call_batch, given, size, read, True) for x in libraries)
        subjects += batches
    return subjects, model.count().total


def assembled(case: Any, what: str, made: dict[str, Any], back: Any, twist: Any) -> Any:
    """Return symoro's matrices as Pinocchio's, side by side: by positions, velocities, accelerations or torques."""
    import numpy as np

    of, last = ("tau", "qdd") if what == "inverse" else ("qdd", "tau")
    joints = {by: made[f"d{of}_d{by}"][np.ix_(back, back)] for by in ("q", "qd", last)}
    if not case.floating:
        return np.hstack(list(joints.values()))
    first = "wrench0" if what == "inverse" else "Vd0"
    whole = {by: np.vstack([made[f"d{first}_d{by}"][:, back], x]) for by, x in joints.items()}
    for by in ("R0", "V0", *(("Vd0",) if what == "inverse" else ())):
        whole[by] = np.vstack([made[f"d{first}_d{by}"], made[f"d{of}_d{by}"][back]])
    v, w = twist[:3], twist[3:]
    more = np.hstack([np.cross(np.eye(3), w), np.cross(np.eye(3), -v)])  # of w x v, with respect to V0
    if what == "inverse":
        whole["V0"] = whole["V0"] + whole["Vd0"][:, :3] @ more
    else:
        whole["V0"][:3] -= more
    none = np.zeros((len(whole["q"]), 3))
    names = (whole["R0"], whole["q"], whole["V0"], whole["qd"])
    return np.hstack([none, *names, *([whole["Vd0"]] if what == "inverse" else []), whole[last]])


# -- the table


def report(name: str, case: Any, ns: Figures, counts: dict[tuple[str, str], int], worst: float) -> None:
    joints = f"{'6 + ' if case.floating else ''}{len(case.joints)}"
    print(f"\n{case.title}: {joints} coordinates; results agree to {worst:.0e}")
    print(f"{'':26}" + "".join(f"{title:>34}" for title in TITLES.values()))
    print(f"{'':26}" + f"{'ns':>10}{'C++':>7}{'CasADi':>7}{'operations':>12}" * len(TITLES))
    for who in dict.fromkeys(who for who, _ in ns):
        cells = []
        for what in TITLES:
            own, operations = ns[who, what], counts.get((who, what), "")
            cells.append(
                f"{own:10.0f}{ns[CPP, what] / own:7.1f}{ns[CASADI, what] / own:7.2f}{operations!s:>10}"
            )
        print(f"{who:26}" + "".join(cells))
    for what, mark in zip(TITLES, MARKS.get(name, ()), strict=False):
        ratio = ns[CASADI, what] / ns[OURS, what]
        print(f"  {TITLES[what]}, {mark} x CasADi: {'met' if ratio >= mark else 'missed'} ({ratio:.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=50, help="how many times all take their turn")
    parser.add_argument("names", nargs="*", help=f"only these robots: {', '.join(ROBOTS)}")
    options = parser.parse_args()
    enter()
    print(versions())
    for name in options.names or ROBOTS:
        case = case_of(name)
        at = state(len(case.joints))
        subjects, counts = [*pinocchio(case, at), *casadi(case, at)], {}
        for what in TITLES:
            for method in ("auto", "recursion", "forward"):
                made, count = ours(case, at, what, method)
                subjects += made
                counts[made[0].who, what] = count
        worst = check(subjects)
        before = os.getloadavg()[0]
        report(name, case, timed(subjects, options.rounds), counts, worst)
        print(f"  load of the machine {before:.1f} before, {os.getloadavg()[0]:.1f} after", flush=True)


if __name__ == "__main__":
    main()
