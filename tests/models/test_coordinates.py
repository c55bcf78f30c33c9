"""Coordinates: positions, rates and accelerations of the tree, and projection of the efforts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symoro
from symoro.expr.formula import Formula, formula
from symoro.models.coordinates.couplings import CoupledCoordinates, coordinates_at
from symoro.program.interpret import interpret
from symoro.robot.coordinates import independent
from symoro.robot.description import Coupling, Frame, JointType, Link, Robot
from tests.oracle.numeric import Numeric
from tests.oracle.robots import numbers, trees

WRIST = Robot(
    "wrist",
    (
        Frame(0),
        Frame(1, JointType.FIXED),
        Frame(2, coupling=Coupling(((1, formula("-2")), (4, formula("1/2"))), formula("pi"))),
        Frame(3),
    ),
    (Link(),) * 4,
)


def number(f: Formula) -> float:
    return f.value({})


def test_a_coupled_joint() -> None:
    joints = coordinates_at(WRIST, {1: 1.0, 4: 3.0}, number)
    assert joints.own == (1, 4) and not joints.free
    assert joints.positions == {1: 1.0, 3: pytest.approx(np.pi - 0.5), 4: 3.0}
    assert joints.rates({1: 1.0, 4: 3.0}) == {1: 1.0, 3: -0.5, 4: 3.0}
    assert joints.accelerations({1: 2.0, 4: 4.0}, {1: 1.0, 4: 3.0}) == {1: 2.0, 3: -2.0, 4: 4.0}
    assert joints.matrix() == [[1, 0], [-2.0, 0.5], [0, 1]]
    assert joints.rows[3] == ((1, -2.0), (4, 0.5)) and joints.rows[4] == ((4, 1),)
    assert joints.project({1: 10.0, 3: 4.0, 4: 1.0}) == [2.0, 3.0]
    assert joints.columns({1: [1.0, 2.0], 3: [3.0, 4.0]}, 2) == [[-5.0, -6.0], [1.5, 2.0]]


@settings(max_examples=50, deadline=None)
@given(trees(), st.integers(0, 99))
def test_against_numpy(robot: Robot, seed: int) -> None:
    oracle = Numeric(robot)
    own = independent(robot)
    assert own == oracle.own
    q = numbers(seed, len(own))
    given = dict(zip(own, q, strict=True))
    joints = coordinates_at(robot, given, oracle.number)
    assert joints.positions == pytest.approx(oracle.positions(q))
    assert joints.rates(given) == pytest.approx(oracle.rates(q))
    np.testing.assert_allclose(joints.matrix(), oracle.ratios())
    efforts = numbers(seed + 1, len(oracle.moving))
    result = joints.project(dict(zip(oracle.moving, efforts, strict=True)))
    np.testing.assert_allclose(result, oracle.ratios().T @ efforts, atol=1e-12)


@pytest.mark.parametrize("model", ["bias-torques", "jdot-qdot", "direct-dynamics"])
def test_every_model_takes_the_bias_of_the_layer(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bias Gdot qd = b acts as qdd = b in inverse dynamics, and reduces qdd by b in direct dynamics."""
    robot, b = symoro.load("planar3r"), np.full(3, 0.5)
    rng = np.random.default_rng(1)
    at = {name: rng.uniform(-1, 1, 3) for name in ("q", "qd", "tau")} | {"qdd": b}

    def value(name: str) -> np.ndarray:
        options = {"method": "inertia"} if name == "direct-dynamics" else {}
        program = symoro.generate(robot, name, **options).program
        used = {port.name: at[port.name] for port in program.inputs}
        return next(iter(interpret(program, used, dict.fromkeys(program.parameters, 0.7)).values()))

    without = value(model)
    expected = {
        "bias-torques": lambda: value("inverse-dynamics"),
        "jdot-qdot": lambda: without + value("jacobian") @ b,
        "direct-dynamics": lambda: without - b,
    }[model]()
    monkeypatch.setattr(CoupledCoordinates, "bias", lambda self, qd: dict.fromkeys(self.rows, 0.5))
    result = value(model)
    assert not np.allclose(result, without)
    np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9)
