"""An arm in micrometres, millimetres, metres and kilometres has the same solutions, even with almost parallel axes.

All lengths and prismatic positions are multiplied by s: statuses, numbers of solutions and angles are equal. An arm
whose axes are almost parallel, or almost intersect, loses no configuration, for any small angle or offset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.expr.formula import Formula, formula
from symoro.robot.description import JointType, Limits, Robot
from tests.models.geometric.postures import OUT_OF_REACH, SINGULAR, VALID, Answer, Array, Solver
from tests.oracle.arms import DOWN, FLAT, UP, Arm, Number, serial

SIZES = (1e-6, 1e3)
SAME = 1e-9  # angles, and lengths relative to the size

PUMA = Arm(
    serial("puma", [FLAT, DOWN, FLAT, DOWN, UP, DOWN], [0, 0, 0.43, 0.02, 0, 0], [0, 0, 0.15, 0.43, 0, 0]), 6
)
UR = Arm(
    serial(
        "ur", [FLAT, UP, FLAT, FLAT, UP, DOWN], [0, 0, -0.42, -0.39, 0, 0], [0.09, 0, 0, 0.11, 0.09, 0.08]
    ),
    6,
)
SCARA = Arm(serial("scara", [FLAT, FLAT, FLAT, FLAT], [0, 0.4, 0.3, 0], [0, 0, 0, 0], [3]), 4)
ARMS = {
    "PUMA-like": PUMA,
    "UR-like": UR,
    "quartic": Arm(
        serial(
            "quartic",
            [FLAT, DOWN, 0.3, DOWN, UP, DOWN],
            [0, 0.1, 0.4, 0.07, 0, 0],
            [0.3, 0.05, 0.1, 0.4, 0, 0],
        ),
        6,
    ),
    "quartic in a length": Arm(
        serial(
            "slide", [FLAT, 0.8, 1.2, UP, UP, DOWN], [0, 0.2, 0.3, 0.2, 0, 0], [0, 0.1, 0, 0.3, 0, 0], [3]
        ),
        6,
    ),
    "gantry": Arm(
        serial(
            "gantry", [UP, DOWN, UP, 0.7, UP, DOWN], [0.1, 0, 0, 0.2, 0, 0], [0, 0, 0, 0, 0.1, 0], [1, 2, 6]
        ),
        6,
    ),
    "cylinder without lengths": Arm(
        serial("cylinder", [FLAT, FLAT, UP, 0.3, UP, DOWN], [0] * 6, [0] * 6, [2, 3]), 6
    ),
    "general": Arm(
        serial(
            "general",
            [FLAT, 0.7, -1.1, 0.9, 1.3, -0.6],
            [0, 0.3, 0.5, 0.2, 0.1, 0.3],
            [0, 0.2, 0.3, 0.4, 0.2, 0],
        ),
        6,
    ),
    "point": Arm(
        serial("point", [FLAT, UP, 0.2], [0, 0.1, 0.4], [0, 0.1, 0.1], tool={"d": 0.3}),
        "tool",
        pose="position",
    ),
}


def times(value: Formula, s: float) -> Formula:
    return value if value.is_zero else formula(f"({value})*{s!r}")


def enlarged(arm: Arm, s: float) -> Arm:
    """Return the arm with all lengths multiplied by s."""
    frames = [replace(f, b=times(f.b, s), d=times(f.d, s), r=times(f.r, s)) for f in arm.robot.frames]
    tool = arm.robot.tool and replace(
        arm.robot.tool, place=replace(arm.robot.tool.place, d=times(arm.robot.tool.place.d, s))
    )
    return replace(arm, robot=replace(arm.robot, frames=tuple(frames), tool=tool))


def with_symbols(arm: Arm) -> tuple[Arm, dict[str, float]]:
    """Return the arm with symbols for its lengths, and their values."""
    values: dict[str, float] = {}
    frames = []
    for j, frame in enumerate(arm.robot.frames, 1):
        for name in ("d", "r"):
            length = getattr(frame, name)
            if not length.is_zero:
                values[f"{name.upper()}{j}"] = float(length.number)
                frame = replace(frame, **{name: formula(f"{name.upper()}{j}")})
        frames.append(frame)
    return replace(arm, robot=replace(arm.robot, frames=tuple(frames))), values


def units(robot: Robot, s: float) -> Array:
    return np.array([s if frame.sigma == JointType.PRISMATIC else 1.0 for frame in robot.frames])


def answers(solver: Solver, q: Array, s: float) -> list[Answer]:
    own = q * units(solver.arm.robot, s)
    T = np.array([solver.pose(one) for one in own])
    batch = solver.batch(T, 0 * own)
    for answer in batch:
        rows = answer.q[np.isin(answer.status, (VALID, SINGULAR))]
        assert len(rows)
        assert (answer.residual[answer.status == VALID] < 1e-11).all()
    return batch


def check_same(arm: Arm, small: Sequence[Answer], plain: Sequence[Answer], s: float) -> None:
    """Check that statuses and joints of valid rows are equal."""
    for one, other in zip(small, plain, strict=True):
        assert one.status.tolist() == other.status.tolist()
        valid = other.status == VALID
        factors = units(arm.robot, s)[: one.q.shape[1]]
        turns = units(arm.robot, 0.0)[: one.q.shape[1]] == 1.0
        apart = one.q[valid] / factors - other.q[valid]
        apart = np.where(turns, np.arctan2(np.sin(apart), np.cos(apart)), apart)
        assert np.abs(apart).max(initial=0) < SAME


def postures(arm: Arm, count: int) -> Array:
    rng = np.random.default_rng(7)
    return np.asarray(rng.uniform(-2.8, 2.8, (count, len(arm.robot.frames))) * units(arm.robot, 0.2))


@pytest.mark.first(4)
@pytest.mark.parametrize("name", ARMS)
def test_the_size_changes_no_answer(name: str) -> None:
    arm = ARMS[name]
    q = postures(arm, 8)
    plain = answers(Solver(arm), q, 1.0)
    for s in SIZES:
        check_same(arm, answers(Solver(enlarged(arm, s)), q, s), plain, s)


@pytest.mark.first(2)
@pytest.mark.parametrize("name", ["PUMA-like", "quartic", "quartic in a length"])
def test_lengths_given_at_run_time(name: str) -> None:
    """Thresholds of emitted code are relative to lengths that are unknown when it is generated."""
    arm, values = with_symbols(ARMS[name])
    q = postures(arm, 8)
    plain = answers(Solver(arm, values=values), q, 1.0)
    for s in SIZES:
        check_same(arm, answers(Solver(arm, values={k: s * x for k, x in values.items()}), q, s), plain, s)


def test_a_pose_is_out_of_reach_at_every_size() -> None:
    for s in (1.0, *SIZES):
        inverse = symoro.generate(enlarged(PUMA, s).robot, "inverse-geometry").function(compiled=False)
        pose = np.eye(4)
        pose[:3, 3] = [1.1 * s, 0, 0]
        assert OUT_OF_REACH in inverse(T=pose)["status"]
        assert VALID not in inverse(T=pose)["status"]
        pose[:3, 3] = [0.5 * s, 0.1 * s, 0.2 * s]
        assert VALID in inverse(T=pose)["status"]


def almost(values: Mapping[int, tuple[str, Number]], arm: Arm) -> Arm:
    """Return the arm with one parameter of some frames changed."""
    frames = list(arm.robot.frames)
    for j, (name, value) in values.items():
        frames[j - 1] = replace(frames[j - 1], **{name: formula(value)})
    return replace(arm, robot=replace(arm.robot, frames=tuple(frames)))


FOUR_PARALLEL = Arm(
    serial(
        "parallel", [FLAT, FLAT, FLAT, FLAT, UP, DOWN], [0, 0.5, 0.5, 0.5, 0.1, 0], [0.5, 0.3, 0, 0.4, 0, 0]
    ),
    6,
)


@pytest.mark.first(3)
@pytest.mark.parametrize("alpha", [1e-2, 1.4e-4, 1e-4, 6e-5, 2e-7])
def test_almost_parallel_axes(alpha: float) -> None:
    """Four axes of which the first is tilted: the smallest singular value is small in every configuration."""
    solver = Solver(almost({2: ("alpha", alpha)}, FOUR_PARALLEL))
    q = np.random.default_rng(1).uniform(-2.8, 2.8, (25, 6))
    T = np.array([solver.pose(one) for one in q])
    for answer, one in zip(solver.batch(T, 0 * q), q, strict=True):
        rows = answer.q[np.isin(answer.status, (VALID, SINGULAR))]
        assert len(rows)
        apart = np.arctan2(np.sin(rows - one), np.cos(rows - one))
        assert np.abs(apart).max(axis=1).min() < 1e-5 + 1e-12 / alpha


def test_axes_that_are_parallel_to_working_precision_are_rejected() -> None:
    robot = almost({2: ("alpha", 1e-10)}, FOUR_PARALLEL).robot
    with pytest.raises(NotApplicableError, match="the joints are almost dependent"):
        symoro.generate(robot, "inverse-geometry")
    with pytest.raises(NotApplicableError, match="infinitely many solutions"):
        symoro.generate(FOUR_PARALLEL.robot, "inverse-geometry")


CHANGES: dict[str, tuple[Arm, int, str]] = {
    "tilted elbow": (PUMA, 3, "alpha"),
    "wrist that is almost a point": (PUMA, 5, "d"),
    "tilted parallel axes": (UR, 4, "alpha"),
    "shifted wrist": (UR, 6, "d"),
    "tilted elbow of a SCARA": (SCARA, 2, "alpha"),
}


def check_almost(change: str, s: float, orders: Sequence[int]) -> None:
    """Check that neither the closed form of the special arm nor "out of reach" is returned."""
    arm, j, name = CHANGES[change]
    rng = np.random.default_rng(2)
    for order in orders:
        offset = float(10.0**order * rng.uniform(0.4, 1))
        solver = Solver(enlarged(almost({j: (name, offset)}, arm), s))
        q = rng.uniform(-2.8, 2.8, (12, len(arm.robot.frames))) * units(arm.robot, s / 4)
        T = np.array([solver.pose(one) for one in q])
        for answer, one in zip(solver.batch(T, 0 * q), q, strict=True):
            rows = answer.q[np.isin(answer.status, (VALID, SINGULAR))]
            assert len(rows)
            assert solver.chain.distance(rows, one[solver.unknown_columns]).min() < 1e-6


@pytest.mark.first(2)
@pytest.mark.parametrize("change", CHANGES)
def test_almost_simple_arms(change: str) -> None:
    check_almost(change, 1e-6, (-4, -9))


@pytest.mark.slow
@pytest.mark.parametrize("s", [1.0, 1e-6, 1e3])
@pytest.mark.parametrize("change", CHANGES)
def test_almost_simple_arms_for_offsets_of_all_orders(change: str, s: float) -> None:
    check_almost(change, s, range(-12, 0))


def test_a_method_that_loses_postures_is_rejected() -> None:
    """Paul's formulas for the arm with offset 0 divide by the offset."""
    robot = almost({6: ("d", 1e-5)}, UR).robot
    with pytest.raises(
        NotApplicableError, match=r"method 'paul' does not recover \d+ of \d+ random configurations"
    ):
        symoro.generate(robot, "inverse-geometry", method="paul")
    symoro.generate(robot, "inverse-geometry")


@pytest.mark.parametrize("compiled", [False, None])
def test_numeric_inverse_at_every_size(compiled: bool | None) -> None:
    arm = ARMS["general"]
    q = postures(arm, 6)
    for s in (1.0, *SIZES):
        solver = Solver(enlarged(arm, s))
        solutions = symoro.numeric_inverse(solver.arm.robot, compiled=compiled)(
            np.array([solver.pose(one) for one in q])
        )
        assert solutions["status"].tolist() == [0] * len(q)
        for one, pose in zip(solutions["q"], q, strict=True):
            missed = solver.pose(one) - solver.pose(pose)
            assert np.abs(missed[:3, 3]).max() < 1e-8 * s


def test_limits_of_slides_at_every_size() -> None:
    """A position that exceeds its limit by a thousandth is outside, in micrometres as well."""
    rail = serial("rail", [FLAT], [0], [0], [1])
    for s in (1.0, *SIZES):
        robot = replace(rail, frames=(replace(rail.frames[0], limits=Limits(0.0, s)),))
        assert symoro.solutions.within_limits(robot, [s * (1 + 1e-12)])
        assert not symoro.solutions.within_limits(robot, [1.001 * s])
