"""Wheeled robots in symbols: kinematic models of textbooks, entry by entry, and a dynamic model."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

import symoro
from symoro.robot.description import Robot

q1, q2, q3, q4, heading = sp.symbols("q1 q2 q3 q4 heading", real=True)
L, rw, hw, W2, D, LX, LY = sp.symbols("L rw hw W2 D LX LY", positive=True)


def matrix(robot: Robot | str, model: str, output: str) -> sp.Matrix:
    """Return an output over real variables and positive lengths, assuming nonzero determinants."""
    result = symoro.generate(robot, model).to_sympy()[output]
    names = {s: sp.Symbol(s.name, real=True) for s in result.free_symbols}
    names |= {s: x for s in result.free_symbols for x in (L, rw, hw, W2, D, LX, LY) if s.name == x.name}
    return sp.Matrix(result).subs(names).applyfunc(regular)


def regular(entry: Any) -> Any:
    """Return the entry for nonzero determinants."""
    passed = lambda piece: piece.args[0][0]  # noqa: E731
    tests = entry.atoms(sp.Piecewise)
    return entry.xreplace({piece: passed(piece) for piece in tests}) if tests else entry


def same(actual: sp.Matrix, wanted: Any) -> bool:
    return sp.simplify(actual - sp.Matrix(wanted)) == sp.zeros(*actual.shape)


def test_differential_drive() -> None:
    """V = r (qd_r + qd_l) / 2, turn = r (qd_r - qd_l) / (2 W2)."""
    G = matrix("diffdrive", "wheel-kinematics", "G")
    assert same(G[:3, :], [[hw / 2, hw / 2], [0, 0], [hw / (2 * W2), -hw / (2 * W2)]])
    S = matrix("diffdrive", "posture-kinematics", "S")
    assert same(S, [[sp.cos(heading), 0], [sp.sin(heading), 0], [0, 1]])


def test_the_castor_of_a_differential_drive() -> None:
    """Its axis moves with the chassis: qd_3 = -(v sin q3 + (LC cos q3 ...) w) / EC."""
    S = matrix("diffdrive", "configuration-kinematics", "S")
    LC, EC, hc = sp.symbols("LC EC hc", real=True)
    assert same(S[3:5, :], [[1 / hw, W2 / hw], [1 / hw, -W2 / hw]])
    assert same(S[5:6, :], [[-sp.sin(q3) / EC, -1 - LC * sp.cos(q3) / EC]])
    assert same(S[6:7, :], [[sp.cos(q3) / hc, -LC * sp.sin(q3) / hc]])


def test_car() -> None:
    """The bicycle model: turn = v tan(delta) / L."""
    G = matrix("car", "wheel-kinematics", "G")
    assert same(G[:3, :], [[rw, 0], [0, 0], [rw * sp.tan(q2) / L, 0]])
    assert same(G[5:6, :], [[1 / sp.cos(q2), 0]])
    S = matrix("car", "posture-kinematics", "S")
    v = L * sp.cos(q2)  # eta is the velocity over L cos(delta): of class (1,1) in Campion et al.
    assert same(S, [[v * sp.cos(heading), 0], [v * sp.sin(heading), 0], [sp.sin(q2), 0], [0, 1]])


def test_tricycle() -> None:
    """Front-wheel drive: v = r cos(delta) qd, turn = r sin(delta) qd / L."""
    G = matrix("tricycle", "wheel-kinematics", "G")
    assert same(G[:3, :], [[0, rw * sp.cos(q3)], [0, 0], [0, rw * sp.sin(q3) / L]])


def test_three_omni_wheels() -> None:
    G = matrix("omni3", "wheel-kinematics", "G")
    inverse = [[sp.cos(g), sp.sin(g), -D] for g in (0, 2 * sp.pi / 3, -2 * sp.pi / 3)]
    assert same(sp.Matrix(inverse) / rw * G[:3, :], sp.eye(3))


def test_mecanum() -> None:
    """r qd = v_x -+ v_y -+ (LX + LY) w."""
    G = matrix("mecanum", "wheel-kinematics", "G")
    a = LX + LY
    signs = sp.Matrix([[1, -1, -a], [1, 1, a], [1, 1, -a], [1, -1, a]]) / rw
    assert same(signs * G[:3, :], G[3:, :])


def test_dynamics_of_a_differential_drive() -> None:
    """Two wheels on a chassis, its centre of mass on the axle (Fukao, Nakagawa, Adachi 2000, with d = 0):

    A = r^2 / (4 W2^2) [m W2^2 + I + ..., m W2^2 - I; ...] + the wheels' own inertia, and no drift.
    """
    text = """
symoro: 1
name: cart
base: {kind: wheeled, gravity: [0, 0, -9.81], link: {M: m, ZZ: I}}
frames:
  - {ant: 0, b: hw, alpha: -pi/2, r: -W2, link: {ZZ: Iw}}
  - {ant: 0, b: hw, alpha: -pi/2, r: W2, link: {ZZ: Iw}}
wheels:
  - {frame: 1, kind: fixed, radius: hw}
  - {frame: 2, kind: fixed, radius: hw}
"""
    from symoro.robot.formats import loads

    robot = loads(text, "yaml")
    m, inertia, Iw = sp.symbols("m I Iw", real=True)
    A = matrix(robot, "inertia-matrix", "A")
    own, other = m * W2**2 + inertia, m * W2**2 - inertia
    factor = hw**2 / (4 * W2**2)
    assert same(A, [[factor * own + Iw, factor * other], [factor * other, factor * own + Iw]])
    assert same(matrix(robot, "bias-torques", "H"), [[0], [0]])


def test_dynamics_of_a_car() -> None:
    """A body of mass m, its centre b ahead of the rear axle, massless wheels: with k = tan(delta) / L the bicycle model

    tau = r^2 ((m + (I + m b^2) k^2) qdd + (I + m b^2) k kd qd),   kd = (1 + tan^2) deltad / L.
    """
    text = """
symoro: 1
name: cart
base: {kind: wheeled, gravity: [0, 0, -9.81], link: {M: m, MX: m*b, ZZ: I + m*b^2}}
frames:
  - {ant: 0, b: rw, alpha: -pi/2}
  - {ant: 0, b: rw, d: L, drive: {IA: 1}}
  - {ant: 2, alpha: -pi/2, active: false}
wheels:
  - {frame: 1, kind: fixed, radius: rw}
  - {frame: 3, kind: steering, radius: rw, steering: 2}
"""
    from symoro.robot.formats import loads

    tau = matrix(loads(text, "yaml"), "inverse-dynamics", "tau")
    m, inertia, b = sp.symbols("m I b", real=True)
    qd1, qd2, qdd1, qdd2 = sp.symbols("qd1 qd2 qdd1 qdd2", real=True)
    k, about = sp.tan(q2) / L, inertia + m * b**2
    slope = (1 + sp.tan(q2) ** 2) / L * qd2
    wanted = rw**2 * ((m + about * k**2) * qdd1 + about * k * slope * qd1)
    assert same(tau, [[wanted], [qdd2]])


@pytest.mark.parametrize("name", ["one_steering", "two_steering"])
def test_posture_models_of_the_other_classes(name: str) -> None:
    """Sigma is a basis of the null space of the sliding constraints in every configuration."""
    S = matrix(name, "posture-kinematics", "S")
    angles = {"one_steering": [q1], "two_steering": [q1, q3]}[name]
    places = {"one_steering": [(0, 0)], "two_steering": [(L, 0), (0, 0)]}[name]
    turn = sp.Matrix(
        [[sp.cos(heading), -sp.sin(heading), 0], [sp.sin(heading), sp.cos(heading), 0], [0, 0, 1]]
    )
    sigma = turn.T * S[:3, : S.shape[1] - len(angles)]
    for angle, (x, y) in zip(angles, places, strict=True):
        row = sp.Matrix([[-sp.sin(angle), sp.cos(angle), x * sp.cos(angle) + y * sp.sin(angle)]])
        assert same(row * sigma, sp.zeros(1, sigma.shape[1]))
