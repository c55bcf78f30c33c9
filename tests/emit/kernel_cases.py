"""Cases for the kernels: degenerate roots, closed loops, rows to refine, poses to solve."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import symoro
from symoro.models.geometric.inverse.general.plan import plan
from symoro.program.builder import Builder
from symoro.program.program import Program
from tests.emit.programs import SAMPLES, Case
from tests.expr.test_refine import ARMS as REFINED_ARMS
from tests.expr.test_refine import Refined, posture
from tests.oracle.arms import Arm
from tests.oracle.loops import ARMS as LOOP_ARMS
from tests.oracle.loops import Arm as LoopArm
from tests.oracle.loops import general, kinds_with
from tests.oracle.near_singular import near_singular

# -- roots

CALLS = 8  # a sample

QUARTICS = [
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 3],
    [0, 0, 0, 2, 1],
    [0, 0, 1, 0, -2],
    [0, 1, 0, -1, 0],
    [1, 0, 0, 0, -1],
    [1, 0, 0, 0, 1],
    [math.nan, 1, 2, 3, 4],
    [1, 2, 3, 4, math.nan],
    [1, math.inf, 0, 0, 1],
    [1e-17, 1, -6, 11, -6],
    [1e-18, 1e-17, 1, -3, 2],
    [1e-17, -1e-17, 1e-17, 2, 1],
    [1e150, -10e150, 35e150, -50e150, 24e150],
    [1e-150, -10e-150, 35e-150, -50e-150, 24e-150],
    [1, 0, -1e12, 3e14, 5e18],
    [1, -1, 6e-20, -1.1e-39, 6e-60],
    [3, -0.2, -5, 1, 1],
    [-3, 0.2, 5, -1, 1],
    [1, 0, -5, 0, 4],
    [2, 1, -4, 0.5, 0.5],
    [1, 1, 1, 1, 1],
    [1e-5, 1, 1, -2, -0.1],
    [1, 1, -2, -0.1, 1e-5],
]
CIRCLES = [
    [0, 0, 0, 0, 0],
    [1, 0, 0, 0, 0],
    [0.5, 1, 0, 0, 0],
    [0, 1, 0.5, 0, 0],
    [2, 1, 1, 0, 0],
    [0, 0, 0, 1, 0],
    [0, 0, 0, 0, -3],
    [0.2, 0, 0, 1, 0],
    [math.nan, 1, 0, 0, 0],
    [1, 1, 1, 1, math.nan],
    [1, math.inf, 0, 0, 0],
    [1e150, 2e150, -3e150, 1e150, 0.5e150],
    [1e-150, 2e-150, -3e-150, 1e-150, 0.5e-150],
    [0, 1, 1, 1, 0.2],
    [0.3, 0.7, -0.2, -0.4, 0.6],
    [0.3, 0.7, -0.2, -0.4, -0.6],
    [0.1, -1, 0.1, 2, 1],
    [-0.1, 1, -0.1, -2, -1],
    [0, 1e-9, 1, 0, 1e-9],
    [0, 1, 0, 1e-14, 0],
    [1, 0.1, 0.1, 0.1, 1.5],
    [0.9, 1, 0.2, 0.1, 0.5],
    [-0.5, -0.3, 0, 0.25, 0],
    [0.5, 0.2, 0, -0.3, 1],
]
DOUBLES = [
    ([1, -6, 13, -12, 4], [1, 1, 2, 2]),
    ([0, 0, 1, -2, 1], [1, 1]),
    ([1, -3, -3, 11, -6], [-2, 1, 1, 3]),
    ([0, 1, 0, -3, 2], [-2, 1, 1]),
]


def _root_program(name: str, kernel: str) -> Program:
    b = Builder(name)
    entries = b.input("k", (CALLS, 5))
    b.output("y", [b.call(kernel, entries[5 * j : 5 * j + 5]) for j in range(CALLS)])
    return b.program()


def _root_case(name: str, kernel: str, rows: list[list[float]]) -> Case:
    inputs = {"k": np.array(rows, dtype=float).reshape(SAMPLES, CALLS, 5)}
    return Case(_root_program(name, kernel), inputs, {})


def root_cases() -> list[Case]:
    doubles = [a for a, _ in DOUBLES] * (SAMPLES * CALLS // len(DOUBLES))
    return [
        _root_case("quartics", "quartic", QUARTICS),
        _root_case("circles", "circle", CIRCLES),
        _root_case("doubles", "quartic", doubles),
    ]


# -- rows to refine

REFINED_ROWS = 6


def refine_case(arm: Arm) -> Case:
    """Return rows that are exact, near, duplicate, far, out of reach and NaN."""
    made = Refined(arm)
    b = Builder(f"refine_{arm.robot.name}")
    width = made.n + 2
    T, rows = b.input("T", (12,)), b.input("Q", (REFINED_ROWS * width,))
    placements = [float(x) for p in made.placements for x in p.ravel()]
    marks = [b.number(float(x)) for x in made.marks]
    result = b.call("refine", placements, T, marks, rows)
    b.output("S", [result[width * k : width * (k + 1)] for k in range(REFINED_ROWS)])
    poses, given = [], []
    for sample in range(SAMPLES):
        q = posture(made, sample)
        T4 = made.chain.place(q[None])[0]
        off = np.linspace(1, 2, made.n)
        table = [
            made.row(T4, q + 1e-4 * off, 1),
            made.row(T4, q - 1e-6 * off, 0),
            made.row(T4, q + 0.7, 3),
            made.row(T4, q, 2) if sample else made.row(T4, q + 1e-3, 3),
            made.row(T4, q + 1e-7 * off, 0),
            made.row(T4, q * np.nan, 3),
        ]
        poses.append(T4[:3].ravel())
        given.append(np.concatenate(table))
    return Case(b.program(), {"T": np.array(poses), "Q": np.array(given)}, {})


def refine_cases() -> list[Case]:
    return [refine_case(arm) for arm in REFINED_ARMS]


# -- closed loops

LOOPS = {
    "puma": LOOP_ARMS["puma560"],  # solutions share the pivot's value
    "sliding": general(kinds_with(2, 4), 3),
    "apart": general(kinds_with(1, 4), 4),
}


def loop_case(name: str, arm: LoopArm) -> Case:
    b = Builder(f"loop_{name}")
    c = b.input("C", (72,))
    rows = b.call("closed_chain", c, [int(k) for k in arm.kinds], list(plan(arm.kinds, arm.sample)))
    b.output("S", [rows[7 * k : 7 * k + 7] for k in range(16)])
    rng = np.random.default_rng(3)
    return Case(b.program(), {"C": np.array([arm.sample(rng)[0] for _ in range(SAMPLES)])}, {})


def near_double_roots() -> Case:
    """Return an arm whose wrist is 1e-4 from a singular configuration: pairs of solutions nearly coincide."""
    arm = LOOP_ARMS["jaco2"]
    case = loop_case("near", arm)

    def jacobians(q: np.ndarray) -> np.ndarray:
        made = []
        for row in q:
            slopes = []
            for k in range(6):
                ends = [arm.pose(row + h * np.eye(6)[k]) for h in (-1e-5, 1e-5)]
                turn = (ends[1] - ends[0])[:3, :3] @ arm.pose(row)[:3, :3].T
                slopes.append([*(ends[1] - ends[0])[:3, 3], turn[2, 1], turn[0, 2], turn[1, 0]])
            made.append(np.array(slopes).T / 2e-5)
        return np.array(made)

    q = near_singular(jacobians, 4, np.full(SAMPLES, 1e-4), np.random.default_rng(8))
    case.inputs["C"][:] = [arm.constants(arm.pose(row)) for row in q]
    return case


def loop_cases() -> list[Case]:
    return [*(loop_case(name, arm) for name, arm in LOOPS.items()), near_double_roots()]


def unreachable_loop() -> Case:
    """Return poses that are out of reach, NaN, or not a rotation: sixteen empty slots."""
    case = loop_case("bad", LOOP_ARMS["rx90"])
    assert SAMPLES == 3
    case.inputs["C"][0, 63::4] *= 50
    case.inputs["C"][1, 5] = np.nan
    case.inputs["C"][2] = 7
    return case


# -- poses to solve: reachable, singular and unreachable

ROBOTS = (("rx90", {}), ("stanford", {}), ("iiwa14", {"swivel": True}), ("scara", {"pose": "sx,sy,P"}))


def _inverse_case(name: str, options: dict[str, Any]) -> Case:
    robot = symoro.load(name)
    program = symoro.generate(robot, "inverse-geometry", **options).program
    place = symoro.generate(robot, "fast-geometry").function(compiled=False)
    joints = next(port.shape[0] for port in program.inputs if port.name == "q0")
    q = np.random.default_rng(2).uniform(-1.5, 1.5, (SAMPLES, joints))
    q[1, joints - 2] = 0  # a wrist that is straight
    T = np.array([place(q=one)["T"] for one in q])
    T[2, :3, 3] *= 50  # and a pose far away
    inputs = {"T": T, "q0": q}
    if "swivel" in options:
        inputs["swivel"] = np.linspace(-1, 1, SAMPLES)
    return Case(program, inputs, dict(robot.nominal))


def inverse_cases() -> list[Case]:
    return [_inverse_case(name, options) for name, options in ROBOTS]
