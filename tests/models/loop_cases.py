"""Robots with closed loops for tests: bundled, golden and random ones, with closed configurations."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import symoro
from symoro.expr.formula import formula
from symoro.robot.description import DRIVE, INERTIAL, Frame, JointType, Link, Robot
from tests.oracle.arms import Rng
from tests.oracle.closed import Array, Closed
from tests.oracle.loop_robots import (
    Draft,
    five_bar,
    four_bar,
    loop_robot,
    on_cut_frame,
    slider_crank,
    spherical,
)

DATA = Path(__file__).parents[1] / "data" / "loops"
GOLDEN = sorted(path.stem for path in DATA.glob("*.json"))
Outputs = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """Robot in numbers, and a configuration in which its loops close."""

    robot: Robot
    x: Array

    @property
    def truth(self) -> Closed:
        return Closed(self.robot)

    @property
    def q(self) -> Array:
        return self.x[: self.truth.n]


def golden(name: str) -> tuple[Robot, dict[str, Any]]:
    """Return a golden mechanism with its numbers, and its states."""
    data = json.loads((DATA / f"{name}.json").read_text())
    robot = symoro.load(str(DATA / f"{name}.par"))
    return replace(robot, nominal=tuple(data["values"].items())), data


def run(robot: Robot, model: str, inputs: Mapping[str, Any], **options: Any) -> Outputs:
    """Return the outputs of a model at those of the given inputs that it has, by the interpreter."""
    made = symoro.generate(robot, model, **options)
    return made.function(compiled=False)(**{name: inputs[name] for name in made.inputs})


def error(computed: Any, truth: Any) -> float:
    """Return the largest difference, relative to the largest entry or 1."""
    computed, truth = np.asarray(computed, float), np.asarray(truth, float)
    assert computed.shape == truth.shape
    gap = np.max(np.abs(computed - truth), initial=0) / max(1.0, np.max(np.abs(truth), initial=0))
    return float(gap) if np.isfinite(computed).all() else np.inf


def heavy(robot: Robot, rng: Rng) -> Robot:
    """Return the robot in numbers: feasible inertias, friction and rotors on every joint."""
    links = []
    for link in robot.links:
        if all(getattr(link, n).is_zero for n in INERTIAL):
            links.append(link)
            continue
        m, c = rng.uniform(0.5, 3), rng.uniform(-0.2, 0.2, 3)
        a = rng.uniform(-1, 1, (3, 3)) * 0.2
        J = a @ a.T + 0.02 * np.eye(3) + m * (c @ c * np.eye(3) - np.outer(c, c))
        values = [J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2], *(m * c), m]
        links.append(Link(**{n: formula(float(v)) for n, v in zip(INERTIAL, values, strict=True)}))
    frames = [
        replace(f, **{n: formula(float(rng.uniform(0.02, 0.3))) for n in DRIVE[:4]})
        if j <= robot.NL and f.moving
        else f
        for j, f in enumerate(robot.frames, 1)
    ]
    named = dict(robot.nominal)
    made = replace(robot, frames=tuple(frames), links=tuple(links))
    return made.bind({s: named[s] for s in made.symbols() if s in named})


def posture(robot: Robot, positions: Mapping[int, float]) -> Array:
    truth = Closed(robot)
    return np.array([positions[j] for j in truth.joints])


Drawn = Callable[[Draft], object]


def _six_bar(draft: Draft) -> None:
    on_cut_frame(draft, four_bar(draft, 0))


def _on_turning_base(draft: Draft) -> None:
    base = draft.joint(0, 0.3, active=True)
    five_bar(draft, draft.mark(base, alpha="pi/2", d=draft.length()))


def _spatial(draft: Draft) -> None:
    """Return a loop of seven revolute joints in space."""
    rng = draft.rng

    def place() -> dict[str, object]:
        return {"alpha": round(float(rng.uniform(0.4, 1.4)), 3), "d": draft.length(), "r": 0.2}

    left = draft.joint(0, 0.4, active=True, **place())
    left = draft.joint(draft.joint(left, -0.8, **place()), 0.5, **place())
    right = draft.joint(draft.joint(draft.joint(0, 0.9, **place()), 0.7, **place()), -0.4, **place())
    draft.close(left, right, 0.2, **place())


DRAWN: dict[str, Drawn] = {
    "four-bar": lambda draft: four_bar(draft, 0),
    "five-bar": lambda draft: five_bar(draft, 0),
    "five-bar on a turning base": _on_turning_base,
    "slider-crank": lambda draft: slider_crank(draft, 0),
    "loop on a twin": _six_bar,
    "spherical": lambda draft: spherical(draft, 0),
    "spatial": _spatial,
}
LEAST = 1e-2  # 1/condition of the postures


@cache
def drawn(kind: str, seed: int = 1) -> Case:
    """Return a random mechanism of a kind in a regular configuration; lengths are symbols with nominal values."""
    rng = np.random.default_rng(seed)
    while True:
        draft = Draft(rng, symbols=0.0)
        DRAWN[kind](draft)
        robot, positions = draft.robot(kind)
        made = heavy(robot, rng)
        case = Case(made, posture(made, positions))
        if _good(case):
            return case


def _good(case: Case) -> bool:
    truth = case.truth
    x = truth.close(case.x)
    if x is None or np.abs(x - case.x).max() > 1e-9:
        return False
    sizes = np.linalg.svd(truth.jacobian(x)[:, truth.rest], compute_uv=False)
    return bool(len(sizes) >= len(truth.rest) and sizes[len(truth.rest) - 1] > LEAST * sizes[0])


def random_loops(seed: int) -> tuple[Case, list[str]]:
    """Return a robot with one to three random loops, with symbolic or numeric lengths."""
    rng = np.random.default_rng(seed)
    while True:
        robot, positions, words = loop_robot(rng, seed)
        frames = [  # joints outside the loops are active
            replace(f, mu=True) if _loose(robot, j) else f for j, f in enumerate(robot.frames, 1)
        ]
        made = heavy(replace(robot, frames=tuple(frames)), rng)
        case = Case(made, posture(made, positions))
        if _good(case):
            return case, words


def _loose(robot: Robot, j: int) -> bool:
    from symoro.robot.topology import loops

    held = {i for loop in loops(robot) for i in loop.frames}
    return j <= robot.NL and robot.frame(j).moving and j not in held


def bundled(name: str, qa: list[float]) -> Case:
    """Return a bundled robot with numeric inertias, closed at some active joints."""
    robot = heavy(symoro.load(name), np.random.default_rng(2))
    known = dict(symoro.load(name).nominal)
    robot = robot.bind({s: known.get(s, 0.4) for s in robot.symbols()})
    result = run(
        robot, "loop-geometry", {"qa": qa, "q0": np.zeros(len(Closed(robot).own)), "qc0": np.zeros(robot.B)}
    )
    row = int(np.flatnonzero(np.asarray(result["status"]) == 0)[0])
    return Case(robot, np.r_[result["q"][row], result["qc"][row]])


def rhombus() -> Robot:
    """Return two coaxial motors and four equal bars: a parallelogram."""
    d = {"d": formula("d")}
    frames = (
        Frame(0),
        Frame(1, mu=False, **d),
        Frame(0),
        Frame(3, mu=False, **d),
        Frame(4, mu=False, **d),
        Frame(2, JointType.FIXED, mu=False, **d),
    )
    return Robot("rhombus", frames, (Link(M=formula("M1")),) * 4, nominal=(("d", 0.5), ("M1", 1.0)))
