"""Contact dynamics against the complete system of equations of motion and constraints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, OptionError, UnknownNameError
from symoro.expr.formula import formula
from symoro.robot.description import Base, BaseKind, Frame, Link, Placement, Robot, Tool
from tests.models.dynamic.cases import error, masses, outputs
from tests.models.dynamic.floating.cases import floating_tree, state, truth
from tests.oracle.dynamics import difference
from tests.oracle.floating import Contact

CLOSE = 1e-8


def walker(legs: int = 4) -> Robot:
    """Return a body on legs of three joints, each HAA, HFE, KFE."""
    rng = np.random.default_rng(1)
    frames: list[Frame] = []
    for leg in range(legs):
        angle = formula(float(np.round(np.pi / 2 * leg, 12)))
        hip = len(frames)
        frames += [
            Frame(0, gamma=angle, b=formula(0.05), d=formula(0.3)),
            Frame(hip + 1, alpha=formula("pi/2"), d=formula(0.1)),
            Frame(hip + 2, d=formula(0.3)),
        ]
    links = tuple(Link(**{n: formula(x) for n, x in masses(rng).items()}) for _ in frames)
    body = Link(**{n: formula(5 * x) for n, x in masses(rng).items()})
    base = Base(BaseKind.FLOATING, body, G=(formula(0), formula(0), formula(-9.81)))
    return Robot("walker", tuple(frames), links, base)


FEET: tuple[Contact, ...] = tuple((3 * leg, (0.3, 0.0, 0.0)) for leg in (1, 2, 3, 4))


def check(robot: Robot, contacts: tuple[Contact, ...], seed: int) -> None:
    at = state(robot, seed)
    oracle = truth(robot, at)
    x, forces, J = oracle.contact(at["q"], at["qd"], at["tau"], at["V0"], contacts)
    result = outputs(robot, "contact-dynamics", at, contacts=contacts)
    assert error(result["forces"], forces) < CLOSE
    assert error(np.r_[result["Vd0"], result["qdd"]], x) < CLOSE
    assert np.linalg.matrix_rank(J) == len(J)


@pytest.mark.parametrize("feet", [1, 2, 3, 4])
def test_feet_of_a_walker(feet: int) -> None:
    check(walker(), FEET[:feet], feet)


@pytest.mark.parametrize("seed", range(60, 66))
def test_one_point_anywhere(seed: int) -> None:
    robot = floating_tree(seed)
    for j in (0, robot.NL):
        check(robot, ((j, (0.1, -0.2, 0.3)),), seed)


def test_a_frame_is_the_point_at_its_origin() -> None:
    robot, at = walker(), state(walker())
    by_frame = outputs(robot, "contact-dynamics", at, contacts=(3,))
    by_point = outputs(robot, "contact-dynamics", at, contacts=((3, (0, 0, 0)),))
    for name, value in by_frame.items():
        assert error(value, by_point[name]) == 0


def test_the_tool_is_a_point_and_the_one_by_default() -> None:
    tool = Tool(Placement(3, d=formula(0.3)))
    robot, at = walker().replace(tool=tool), state(walker())
    expected = outputs(walker(), "contact-dynamics", at, contacts=FEET[:1])
    for options in ({}, {"contacts": ("tool",)}):
        result = outputs(robot, "contact-dynamics", at, **options)
        assert error(result["forces"], expected["forces"]) < CLOSE


def test_a_point_in_symbols_is_a_parameter() -> None:
    robot, at = walker(), state(walker())
    model = symoro.generate(robot, "contact-dynamics", contacts=[(3, ("foot", 0, 0))])
    assert "foot" in model.parameters
    result = model.function(values={"foot": 0.3}, compiled=False)(**{n: at[n] for n in model.inputs})
    expected = outputs(robot, "contact-dynamics", at, contacts=FEET[:1])
    assert error(result["forces"], expected["forces"]) < CLOSE


def test_the_forces_carry_the_weight_of_a_robot_that_stands() -> None:
    """At rest with holding torques, the sum of the ground forces is the weight."""
    robot = walker()
    at = state(robot) | {"R0": np.eye(3), "qd": np.zeros(12), "V0": np.zeros(6)}
    A = outputs(robot, "inertia-matrix", at)["A"]
    result = outputs(robot, "contact-dynamics", at | {"tau": np.zeros(12)}, contacts=FEET[:2])
    x = np.r_[result["Vd0"], result["qdd"]]
    momentum = A[:3] @ x  # the rate of the linear momentum
    mass = A[0, 0]
    assert error(momentum, mass * np.array([0, 0, -9.81]) - result["forces"].sum(0)) < CLOSE


# -- contacts that determine no forces

FOOT = tuple((3, (0.3 + 0.05 * i, 0.0, 0.05 * k)) for i in (0, 1) for k in (0, 1))


@pytest.mark.parametrize(
    "contacts",
    [
        FOOT,
        FOOT[:2],
        (FEET[0], FEET[0]),
        ((0, (0, 0, 0)), (0, (1, 0, 0))),
        ((3, (0.3, 0, 0)), (3, (0.3, 0, 1e-3))),
        (*FEET, (2, (0.1, 0, 0)), (5, (0.1, 0, 0)), (8, (0.1, 0, 0))),
    ],
    ids=["a foot of four points", "two points", "twice", "the base", "close by", "too many"],
)
def test_refused(contacts: Any) -> None:
    with pytest.raises(NotApplicableError, match=r"contact \d+ \(frame \d+ at .*is not determined") as caught:
        symoro.generate(walker(), "contact-dynamics", contacts=contacts)
    assert "damping" in str(caught.value)


def test_two_points_that_no_joint_moves_apart() -> None:
    """A point on a joint's axis belongs to both bodies, here the base and the first link of a leg."""
    with pytest.raises(NotApplicableError, match="contact 2"):
        symoro.generate(walker(), "contact-dynamics", contacts=[0, 1])


@pytest.mark.parametrize("bad", [3, [(3, 4)], [(3, (0, 0))], [None], "3", [(3, (0, 0, float("nan")))]])
def test_what_is_no_list_of_points(bad: Any) -> None:
    with pytest.raises(OptionError, match="contacts"):
        symoro.generate(walker(), "contact-dynamics", contacts=bad)


def test_no_contacts_and_frames_that_are_not_there() -> None:
    with pytest.raises(OptionError, match="requires at least one contact point"):
        symoro.generate(walker(), "contact-dynamics", contacts=[])
    with pytest.raises(UnknownNameError):
        symoro.generate(walker(), "contact-dynamics", contacts=[99])
    with pytest.raises(OptionError, match="damping"):
        symoro.generate(walker(), "contact-dynamics", contacts=[3], damping=0.0)


def test_damped() -> None:
    """The equations are satisfied, and the contact points accelerate by eps f."""
    robot, eps = walker(), 1e-6
    at = state(robot) | {"qd": np.zeros(12), "V0": np.zeros(6)}
    result = outputs(robot, "contact-dynamics", at, contacts=FOOT, damping=eps)
    oracle = truth(robot, at)
    A, H = oracle.inertia(at["q"]), oracle.bias(at["q"], at["qd"], at["V0"])
    x, forces = np.r_[result["Vd0"], result["qdd"]], result["forces"].ravel()
    rows = np.vstack([oracle_rows(oracle, at, c) for c in FOOT])
    assert error(A @ x + rows.T @ forces + H, np.r_[np.zeros(6), at["tau"]]) < CLOSE
    assert error(rows @ x, eps * forces) < CLOSE
    assert np.abs(forces).max() < 1e3  # the least ones
    model = symoro.generate(robot, "contact-dynamics", contacts=FOOT, damping=eps)
    assert "damped" in str(model.explain())


def oracle_rows(oracle: Any, at: Any, contact: Contact) -> Any:
    units = np.eye(6 + len(at["q"]))
    return np.array([at["R0"].T @ oracle.point(at["q"], e[6:], e[:6], contact).real for e in units]).T


# -- contacts that become redundant in some postures


def stretched(seed: int, bend: float) -> dict[str, Any]:
    """Return a configuration with the knee of the first leg almost in line with its hip."""
    at = state(walker(), seed)
    at["q"][2] = bend
    return at


HIP_AND_FOOT = ((1, (0.1, 0.0, 0.0)), (3, (0.3, 0.0, 0.0)))


def test_nan_where_redundant_contacts_contradict_each_other() -> None:
    """Hip and foot of a straight leg with a moving knee: no acceleration of the knee keeps their distance."""
    robot = walker()
    result = outputs(robot, "contact-dynamics", stretched(1, 0.0), contacts=HIP_AND_FOOT)
    assert all(np.all(np.isnan(value)) for value in result.values())


@pytest.mark.parametrize("bend", [1e-1, 1e-2, 1e-3, -1e-3])
def test_right_beside_redundant_postures(bend: float) -> None:
    at = stretched(1, bend)
    x, forces, _ = truth(walker(), at).contact(at["q"], at["qd"], at["tau"], at["V0"], HIP_AND_FOOT)
    result = outputs(walker(), "contact-dynamics", at, contacts=HIP_AND_FOOT)
    assert error(result["forces"], forces) < 1e-6
    assert error(np.r_[result["Vd0"], result["qdd"]], x) < 1e-6


@pytest.mark.parametrize("bend", [1e-4, 1e-5, 1e-6, 1e-8])
def test_right_or_nan_close_by(bend: float) -> None:
    """Near redundant contacts the error is small relative to the result, or all outputs are NaN."""
    at = stretched(1, bend)
    result = outputs(walker(), "contact-dynamics", at, contacts=HIP_AND_FOOT)
    if np.isnan(result["forces"]).any():
        assert all(np.all(np.isnan(value)) for value in result.values())
        return
    _, forces, _ = truth(walker(), at).contact(at["q"], at["qd"], at["tau"], at["V0"], HIP_AND_FOOT)
    assert error(result["forces"], forces) < 1e-3


def test_symbols_that_make_contacts_redundant() -> None:
    """A length that is zero at run time makes the distance of hip and foot constant."""
    robot, at = walker(), state(walker())
    model = symoro.generate(robot, "contact-dynamics", contacts=[(3, ("foot", 0, 0)), (1, (0.1, 0, 0))])
    at_rest = {name: at[name] for name in model.inputs}
    assert np.all(np.isfinite(model.function(values={"foot": 0.4}, compiled=False)(**at_rest)["forces"]))
    lost = model.function(values={"foot": 0.0}, compiled=False)(**at_rest)
    assert all(np.all(np.isnan(value)) for value in lost.values())


def planar_legs(feet: int) -> Robot:
    """Return a body on legs, each with hip and knee about the lateral axis y of frame 0."""
    rng = np.random.default_rng(2)
    frames: list[Frame] = []
    for leg in range(feet):
        fore, side = 0.2 * (-1) ** (leg // 2), 0.1 * (-1) ** leg
        hip = len(frames) + 1
        # frame `hip` has its z axis along y of frame 0, at the distance `side` from the middle of the body
        frames += [
            Frame(0, b=formula(0.0), alpha=formula("-pi/2"), d=formula(fore), r=formula(side)),
            Frame(hip, d=formula(0.3)),
        ]
    links = tuple(Link(**{n: formula(x) for n, x in masses(rng).items()}) for _ in frames)
    body = Link(**{n: formula(5 * x) for n, x in masses(rng).items()})
    return Robot(
        "planar_legs",
        tuple(frames),
        links,
        Base(BaseKind.FLOATING, body, G=(formula(0), formula(0), formula(-9.81))),
    )


@pytest.mark.parametrize("feet", [2, 3])
def test_symmetric_stance_of_planar_legs(feet: int) -> None:
    """The lateral equations of the feet are dependent: accelerations are unique, forces those of least norm."""
    robot = planar_legs(feet)
    contacts = tuple((2 * leg, (0.3, 0.0, 0.0)) for leg in range(1, feet + 1))
    n = 2 * feet
    at = state(robot) | {
        "q": np.tile([1.2, 0.7], feet),
        "qd": np.zeros(n),
        "tau": np.linspace(-20, 20, n),
        "V0": np.zeros(6),
        "R0": np.eye(3),
    }
    oracle = truth(robot, at)
    A, H = oracle.inertia(at["q"]), oracle.bias(at["q"], at["qd"], at["V0"])
    J = np.vstack([oracle_rows(oracle, at, c) for c in contacts])
    assert np.linalg.matrix_rank(J, tol=1e-9) < len(J)
    result = outputs(robot, "contact-dynamics", at, contacts=contacts)
    x, forces = np.r_[result["Vd0"], result["qdd"]], result["forces"].ravel()
    assert error(A @ x + J.T @ forces + H, np.r_[np.zeros(6), at["tau"]]) < CLOSE
    assert np.abs(J @ x).max() < CLOSE
    assert error(forces, np.linalg.pinv(J @ J.T, rcond=1e-10) @ (J @ J.T) @ forces) < CLOSE  # least norm


def test_nan_goes_through() -> None:
    at = state(walker())
    at["q"][0] = np.nan
    result = outputs(walker(), "contact-dynamics", at, contacts=FEET[:1])
    assert np.all(np.isnan(result["forces"]))


# -- elastic joints


def sprung(robot: Robot, joints: tuple[int, ...]) -> Robot:
    for j in joints:
        robot = robot.with_frame(j, eta=True, k=40.0 + j, rest=0.1 * j, FV=0.3)
    return robot


@pytest.mark.parametrize("joints", [(3,), (2, 6, 9), tuple(range(1, 13))])
def test_elastic_joints(joints: tuple[int, ...]) -> None:
    """Elastic joints have spring and friction torques; their entries of tau are ignored."""
    robot, at = sprung(walker(), joints), state(walker())
    tau = at["tau"].copy()
    for j in joints:
        tau[j - 1] = -(40.0 + j) * (at["q"][j - 1] - 0.1 * j) - 0.3 * at["qd"][j - 1]
    x, forces, _ = truth(walker(), at).contact(at["q"], at["qd"], tau, at["V0"], FEET[:2])
    unread = at["tau"].copy()
    unread[[j - 1 for j in joints]] = np.nan
    result = outputs(robot, "contact-dynamics", at | {"tau": unread}, contacts=FEET[:2])
    assert error(result["forces"], forces) < CLOSE
    assert error(np.r_[result["Vd0"], result["qdd"]], x) < CLOSE


def test_a_point_that_is_hardly_held_moves_as_a_free_robot() -> None:
    """The limit of large damping is direct dynamics, including springs."""
    robot, at = sprung(walker(), (2, 5)), state(walker())
    free = outputs(robot, "direct-dynamics", at)
    soft = outputs(robot, "contact-dynamics", at, contacts=FEET[:1], damping=1e12)
    assert error(soft["qdd"], free["qdd"]) < 1e-6
    assert error(soft["Vd0"], free["Vd0"]) < 1e-6


def test_derivatives_of_accelerations_with_springs() -> None:
    """They are those of the robot with spring torques as inputs, plus the spring stiffness terms."""
    robot, at = sprung(walker(2), (2, 5)), state(walker(2))
    held = outputs(robot, "direct-dynamics-derivatives", at)
    for name, size in (("q", 1e-3), ("qd", 1e-3)):

        def caused(y: Any, name: str = name) -> Any:
            result = outputs(robot, "direct-dynamics", at | {name: y})
            return np.r_[result["Vd0"], result["qdd"]]

        wanted = difference(caused, at[name], size)
        assert error(np.r_[held[f"dVd0_d{name}"], held[f"dqdd_d{name}"]], wanted) < 1e-7
    assert not held["dqdd_dtau"][:, [1, 4]].any()
