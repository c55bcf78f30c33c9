"""Payload's wrench on the environment, by virtual work: it adds tau = J' w."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symoro
from symoro import Robot
from symoro.errors import NotApplicableError
from symoro.expr.formula import Formula
from symoro.robot.coordinates import independent
from symoro.robot.description import WRENCH, Link, Placement, Tool

W = np.array([3.0, -2.0, 5.0, 0.7, -0.4, 1.1])
PLACE = (0.4, 0.1, 0.7, 0.2, -0.3, 0.15)
MASS = {"M": Formula("2"), "MZ": Formula("0.1")}
ARMS = ["panda", "scara", "planar2r"]


def carrying(name: str) -> tuple[Robot, Robot]:
    """Return the robot with a payload that exerts a wrench, and with one that does not."""
    robot = symoro.load(name)
    place = Placement(
        robot.platform or (robot.tool.place.ant if robot.tool else robot.NL), *map(Formula, map(str, PLACE))
    )
    held = robot.replace(tool=Tool(place))
    pushing = Link(**MASS, **{n: Formula(str(w)) for n, w in zip(WRENCH, W, strict=True)})
    return held.replace(payload=pushing), held.replace(payload=Link(**MASS))


def bound(robot: Robot) -> Robot:
    """Return the robot with numbers for symbols without a nominal value."""
    return robot.bind(
        {name: dict(robot.nominal).get(name, 0.2 + 0.01 * k) for k, name in enumerate(robot.symbols())}
    )


def both(name: str) -> tuple[Robot, Robot]:
    pushing, idle = carrying(name)
    return bound(pushing), bound(idle)


def run(robot: Robot, model: str, **given: Any) -> dict[str, np.ndarray]:
    """Options that are arrays are inputs."""
    inputs = {name: value for name, value in given.items() if isinstance(value, np.ndarray)}
    options = {name: value for name, value in given.items() if name not in inputs}
    result: dict[str, np.ndarray] = symoro.generate(robot, model, **options).function()(**inputs)
    return result


def state(robot: Robot) -> dict[str, np.ndarray]:
    n = len(independent(robot))
    rng = np.random.default_rng(3)
    q = 0.3 * rng.uniform(-1, 1, n)
    return {"q": q} | {name: rng.uniform(-1, 1, n) for name in ("qd", "qdd")}


@pytest.mark.parametrize("name", ARMS)
def test_inverse_dynamics(name: str) -> None:
    pushing, idle = both(name)
    at = state(idle)
    J = run(idle, "jacobian", q=at["q"], to="tool", frame="tool")["J"]
    more = run(pushing, "inverse-dynamics", **at)["tau"] - run(idle, "inverse-dynamics", **at)["tau"]
    np.testing.assert_allclose(more, J.T @ W, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", ARMS)
def test_direct_dynamics_undoes_it(name: str) -> None:
    pushing, _ = both(name)
    at = state(pushing)
    tau = run(pushing, "inverse-dynamics", **at)["tau"]
    accelerations = run(pushing, "direct-dynamics", q=at["q"], qd=at["qd"], tau=tau)["qdd"]
    np.testing.assert_allclose(accelerations, at["qdd"], rtol=0, atol=1e-9)


def test_floating_base() -> None:
    """The wrench also acts on the base; on a base with given motion it is the wrench that the arm transmits."""
    pushing, idle = both("rx90_floating")
    rest = {name: np.zeros(k) for name, k in (("qd", 6), ("qdd", 6), ("V0", 6), ("Vd0", 6))}
    given = {"q": state(idle)["q"], **rest, "R0": np.eye(3), "base": "given"}
    with_, without = (run(robot, "inverse-dynamics", **given) for robot in (pushing, idle))
    J = run(idle.replace(base=symoro.load("rx90").base), "jacobian", q=given["q"], to="tool", frame="tool")[
        "J"
    ]
    T = run(idle.replace(base=symoro.load("rx90").base), "fast-geometry", q=given["q"])["T"]
    force, moment = T[:3, :3] @ W[:3], T[:3, :3] @ W[3:]
    np.testing.assert_allclose(with_["tau"] - without["tau"], J.T @ W, rtol=0, atol=1e-11)
    handed = np.concatenate([force, moment + np.cross(T[:3, 3], force)])
    np.testing.assert_allclose(with_["wrench0"] - without["wrench0"], handed, rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    ("name", "active"), [("fivebar", (2.2, 0.6)), ("sr400", (0.1, -1.2, 0.3, 0.2, 0.5, 0.4))]
)
def test_closed_loops(name: str, active: tuple[float, ...]) -> None:
    """A wrench of a payload at the origin of its link equals a wrench of the link itself."""
    pushing, idle = carrying(name)
    ant = pushing.tool.place.ant
    here = Tool(Placement(ant))
    push = {n: getattr(pushing.payload, n) for n in WRENCH}
    links = tuple(replace(link, **push) if j == ant else link for j, link in enumerate(idle.links, 1))
    q = run(bound(idle), "loop-geometry", qa=np.array(active))["q"][0]
    rates = np.linspace(-1, 1, len(active))
    result, wanted, without = (
        run(bound(robot.replace(tool=here)), "inverse-dynamics", q=q, qda=rates, qdda=-rates)["tau"]
        for robot in (pushing, idle.replace(links=links), idle)
    )
    np.testing.assert_allclose(result, wanted, rtol=0, atol=1e-10)
    assert np.abs(result - without).max() > 0.1


def test_gravity_alone_does_not_know_it() -> None:
    pushing, idle = both("panda")
    q = state(idle)["q"]
    there, here = (run(robot, "gravity-torques", q=q)["Q"] for robot in (pushing, idle))
    np.testing.assert_array_equal(there, here)


def test_symbols_are_parameters() -> None:
    robot, _ = carrying("planar2r")
    with_symbol = robot.replace(payload=Link(M=Formula("2"), FX=Formula("push")))
    function = symoro.generate(with_symbol, "inverse-dynamics").function(values={"push": 3.0})
    at = state(with_symbol)
    fixed = robot.replace(payload=Link(M=Formula("2"), FX=Formula("3")))
    np.testing.assert_allclose(function(**at)["tau"], run(fixed, "inverse-dynamics", **at)["tau"], atol=1e-12)


def test_models_without_it_refuse() -> None:
    pushing, _ = carrying("flexible2r")
    with pytest.raises(NotApplicableError, match="payload on the flexible link 2 exerts a wrench"):
        symoro.generate(pushing, "inverse-dynamics")


@pytest.mark.parametrize("name", ["gough_stewart", "3rrr"])
def test_on_a_platform(name: str) -> None:
    """At rest the torques in platform coordinates equal those in joint coordinates, plus J' w."""
    pushing, idle = both(name)
    q = np.asarray(idle.postures["home"], float)
    T = run(idle, "fast-geometry", q=q, to=idle.platform)["T"]
    still = np.zeros(6)
    by_platform, without = (
        run(robot, "inverse-dynamics", space="platform", T=T, V=still, Vd=still)["tau"]
        for robot in (pushing, idle)
    )
    at_rest = np.zeros_like(by_platform)
    by_joints = run(pushing, "inverse-dynamics", q=q, qda=at_rest, qdda=at_rest)["tau"]
    np.testing.assert_allclose(by_platform, by_joints, rtol=0, atol=1e-9)
    assert np.abs(by_platform - without).max() > 0.1
