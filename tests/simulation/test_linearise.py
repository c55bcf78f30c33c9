"""Test linear models against complex-step derivatives of the emitted direct dynamic model, and known systems."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from scipy.optimize import root

import symoro
from symoro.errors import ArgumentError, SymoroError
from symoro.expr.formula import formula
from symoro.program.bind import bind
from symoro.robot.description import Coupling, Robot
from symoro.robot.formats import loads
from symoro.ui.cli import main
from tests.effort import Effort
from tests.models.loop_cases import heavy
from tests.oracle.complex_step import along, complex_call

RNG = np.random.default_rng


def numeric(name: str, gravity: bool = True) -> Robot:
    """Return a bundled robot with numbers for all symbols."""
    robot = symoro.load(name)
    robot = heavy(robot, RNG(3))
    if not gravity:
        robot = replace(robot, base=replace(robot.base, G=(formula(0), formula(0), formula(0))))
    known = dict(symoro.load(name).nominal)
    return robot.bind({s: known.get(s, 0.4) for s in robot.symbols()})


def truth(linear: symoro.Linearisation, e: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Return A and B by complex steps through the emitted Python of the direct dynamic model."""
    robot = linear.model.robot
    direct = symoro.generate(robot, "direct-dynamics")
    call = complex_call(bind(direct.program, {n: linear.values[n] for n in direct.parameters}))
    at: dict[str, Any] = {name: np.zeros(shape) for name, shape in direct.inputs.items()}
    at |= {"q": linear.q, "tau": linear.tau}
    if "R0" in at:
        at["R0"] = np.eye(3)
    if e is not None:
        at["e"] = e
    G = np.eye(len(linear.q))
    if robot.B:
        loops = symoro.generate(robot, "loop-kinematics").function(compiled=False)
        W = loops(q=linear.q, qd=np.zeros(len(linear.q)))["W"]
        symbols = {port.name: port.symbols for port in direct.program.inputs}
        active = [symbols["q"].index(f"q{name.removeprefix('qd')}") for name in symbols["qda"]]
        passive = [k for k in range(len(linear.q)) if k not in active]
        G = np.zeros((len(linear.q), len(active)))
        G[active, range(len(active))] = 1
        G[passive] = W

    def rates(direction: dict[str, np.ndarray]) -> np.ndarray:
        out = along(call, at, direction)
        names = [name for name in ("Vd0", "qdda" if robot.B else "qdd", "edd") if name in out]
        return np.concatenate([out[name] for name in names])

    half = len(linear.states) // 2
    A = np.zeros((2 * half, 2 * half))
    A[:half, half:] = np.eye(half)
    for k, (position, velocity) in enumerate(zip(linear.states[:half], linear.states[half:], strict=True)):
        A[half:, k] = rates(_shift(direct, position, G))
        A[half:, half + k] = rates(_shift(direct, velocity, G))
    B = np.zeros((2 * half, len(linear.drives)))
    for k, drive in enumerate(linear.drives):
        B[half:, k] = rates(_shift(direct, drive, G))
    return A, B


def _shift(direct: symoro.Model, name: str, G: np.ndarray) -> dict[str, np.ndarray]:
    """Return the direction of the inputs that belongs to a state or a drive."""
    if name.startswith("dP0"):
        return {}
    if name.startswith("dR0"):
        axis = np.eye(3)[int(name[-1]) - 1]
        return {"R0": np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])}
    for port in direct.program.inputs:
        if name in port.symbols:
            unit = np.zeros(port.shape)
            unit[port.symbols.index(name)] = 1
            if port.name == "q" and len(G) != G.shape[1]:
                active = next(p.symbols for p in direct.program.inputs if p.name == "qda")
                return {"q": G[:, active.index(f"qd{name.removeprefix('q')}")]}
            return {port.name: unit}
    raise AssertionError(name)


CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "cartpole": ([0.3, 0.0], {}),
    "planar2r": ([0.4, -0.3], {}),
    "rx90": ([0.1, 0.5, -0.4, 0.3, 0.7, -0.2], {}),
    "panda": ([0.1, -0.2, 0.3, -1.2, 0.2, 1.0, 0.4], {}),
    "stanford": ([0.2, -0.6, 0.5, 0.3, 0.4, 0.1], {}),
    "fivebar": ([2.0, 1.0], {}),
    "fourbar": ([0.8], {}),
    "slidercrank": ([0.7], {}),
    "sr400": ([0.1, 0.5, 0.2, 0.3, 0.4, -0.3], {}),
    "humanoid_torso": (None, {}),
}


@pytest.mark.parametrize("name", CASES)
def test_complex_step(name: str) -> None:
    q, options = CASES[name]
    linear = symoro.linearise(numeric(name) if name != "cartpole" else name, q=q, **options)
    A, B = truth(linear)
    assert np.abs(linear.A - A).max() <= 1e-10 * max(1.0, np.abs(A).max())
    assert np.abs(linear.B - B).max() <= 1e-10 * max(1.0, np.abs(B).max())


def test_floating_without_gravity() -> None:
    linear = symoro.linearise(numeric("rx90_floating", gravity=False), q=[0.1, 0.5, -0.4, 0.3, 0.7, -0.2])
    A, B = truth(linear)
    assert len(linear.states) == 24
    assert np.abs(linear.A - A).max() <= 1e-10 * max(1.0, np.abs(A).max())
    assert np.abs(linear.B - B).max() <= 1e-10 * max(1.0, np.abs(B).max())


def test_elastic_joints_at_rest() -> None:
    """Without gravity the springs are at rest at their rest position; elastic joints have no drive."""
    robot, rng = symoro.load("rx90_elastic"), RNG(4)
    values = {name: 0.0 if name == "G3" else float(rng.uniform(0.5, 1.5)) for name in robot.symbols()}
    linear = symoro.linearise(robot.bind(values), q=[0.1, 0.5, 0, 0.3, 0.7, 0])
    A, B = truth(linear)
    assert linear.drives == ("tau1", "tau2", "tau4", "tau5")
    assert np.abs(linear.A - A).max() <= 1e-10 * max(1.0, np.abs(A).max())
    assert np.abs(linear.B - B).max() <= 1e-10 * max(1.0, np.abs(B).max())


def test_flexible_links_deflect() -> None:
    linear = symoro.linearise("flexible2r")
    values = np.sort(np.abs(linear.eigenvalues().imag))
    stiff = symoro.generate("flexible2r", "inertia-matrix")
    assert stiff.inputs["e"] == (4,)
    assert (values > 0).all()
    assert (
        np.abs(linear.eigenvalues().real).max() < 1e-6 * values.max()
    )  # no damping: a mechanical energy exists


def test_flexible_links_under_gravity() -> None:
    """The static deflection is found here from the direct dynamic model, whose complex steps give the matrices."""
    linear = symoro.linearise("flexible2r", q=[0.3, -0.5])
    direct = symoro.generate("flexible2r", "direct-dynamics").function(linear.values, compiled=False)

    def accelerations(x: np.ndarray) -> np.ndarray:
        out = direct(q=linear.q, qd=np.zeros(2), e=x[:4], ed=np.zeros(4), tau=x[4:])
        return np.concatenate([out["edd"], out["qdd"]])

    assert linear.tau is not None
    balance = root(accelerations, np.concatenate([np.zeros(4), linear.tau]), tol=1e-14).x
    np.testing.assert_allclose(linear.tau, balance[4:], rtol=1e-9)
    A, B = truth(linear, balance[:4])
    assert np.abs(linear.A - A).max() <= 1e-10 * np.abs(A).max()
    assert np.abs(linear.B - B).max() <= 1e-10 * np.abs(B).max()


def test_a_hovering_body_accelerates_where_it_tilts() -> None:
    """A thrust that balances gravity turns with the body: dv = g (theta_y, -theta_x, 0), as for a quadrotor."""
    body = symoro.load("planar2r").floating()
    body = replace(body, base=replace(body.base, G=(formula(0), formula(0), formula(-9.81))))
    arm = {"M2": 1e-9, "ZZ1": 1e-9, "ZZ2": 1e-9}  # negligible
    body = body.bind({name: arm.get(name, 0) for name in body.symbols()})
    link = {"M": 2, "XX": 0.3, "YY": 0.4, "ZZ": 0.5, "FZ": -(2 + 1e-9) * 9.81}
    linear = symoro.linearise(body.with_link(0, **link), q=[0, 0])
    first, tilt = linear.states.index("V0_1"), linear.states.index("dR0_1")
    expected = 9.81 * np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 0]])
    np.testing.assert_allclose(linear.A[first : first + 3, tilt : tilt + 3], expected, atol=1e-6)


def test_cart_and_pole_with_symbols() -> None:
    """Compare with the textbook: l'' = (tau - ...)/(mc + mp/4) for a rod of half length l, without friction."""
    linear = symoro.linearise(symoro.load("cartpole").bind({"FV2": 0}), q=[0, 0])
    A = linear.model.to_sympy()["A"]
    mc, mp, length, g = sympy.symbols("mc mp l G3", real=True)
    row = sympy.Matrix([[3 * g * mp / (4 * mc + mp)], [-3 * g * (mc + mp) / (length * (4 * mc + mp))]])
    assert sympy.simplify(A[2:, 1] - row) == sympy.zeros(2, 1)


def test_transfer_function() -> None:
    linear = symoro.linearise("cartpole", q=[0, 0])
    numerator, denominator = linear.transfer_function("q2", "tau1")
    s = 2.0 + 1.5j
    C = np.eye(4)[1]
    expected = C @ np.linalg.solve(s * np.eye(4) - linear.A, linear.B[:, 0])
    assert np.isclose(np.polyval(numerator, s) / np.polyval(denominator, s), expected, rtol=1e-10)
    with pytest.raises(ArgumentError, match="there is no state 'q9'"):
        linear.transfer_function("q9", "tau1")


@pytest.mark.parametrize(
    ("robot", "options", "message"),
    [
        ("cartpole", {"q": [0, 0.3]}, r"not an equilibrium: .* remain: 0.145 \(q2\)"),
        ("cartpole", {"q": [0, 1e-6]}, "not an equilibrium"),  # near, and still none
        ("rx90_floating", {}, "not an equilibrium"),
        ("planar2r", {"q": [0, 0], "tau": [1, 2]}, "not an equilibrium"),
        ("planar2r", {"q": [0]}, "expected 2"),
        ("planar2r", {"q": [0, float("nan")]}, "not finite|finite"),
        ("planar2r", {"tau": [1, 2, 3]}, "one per driven joint"),
        ("planar2r", {"e": [1]}, "has no state 'e'"),
        ("flexible2r", {"e": [1]}, r"e has shape \(1,\) or is not finite, expected 4 numbers"),
        ("flexible2r", {"e": [0, 0, 0, float("nan")]}, "e has shape"),
        ("rx90_floating", {"Q0": [1, 0, 0]}, "Q0 has shape"),
        ("rx90_floating", {"Q0": [0, 0, 0, 0]}, "the quaternion Q0 is zero"),
        ("diffdrive", {}, "has wheels"),
        ("cartpole", {"q": [0, 0], "values": {"mp": float("nan")}}, "value of mp: expected a finite number"),
        ("cartpole", {"q": [0, 0], "values": {"mq": 1}}, "no symbol of robot 'cartpole' called 'mq'"),
    ],
)
def test_rejections(robot: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(SymoroError, match=message):
        symoro.linearise(robot, **options)


@pytest.mark.parametrize(("field", "message"), [("QP", "fixes the velocity"), ("GAM", "fixes the torque")])
def test_prescribed_motions_and_torques_are_rejected(field: str, message: str) -> None:
    with pytest.raises(SymoroError, match=message):
        symoro.linearise(symoro.load("planar2r").with_frame(1, **{field: 0.3}), q=[0, 0])


def test_small_robots_have_equilibria_too() -> None:
    """Scale lengths by 1e-4 and masses by 1e-12: the decision does not depend on the size."""
    small = symoro.load("cartpole").bind({"l": 0.5e-4, "mc": 1e-12, "mp": 1e-13, "FV2": 0, "FS1": 0})
    symoro.linearise(small, q=[0, 0])
    with pytest.raises(ArgumentError, match="not an equilibrium"):
        symoro.linearise(small, q=[0, 1e-6])


LIFT = """
symoro: 1
name: lift
base: {{gravity: [0, 0, -9.81]}}
frames:
  - {{joint: prismatic, link: {{M: 2}}}}
  - {{alpha: pi/2, active: false, link: {{M: 1, MX: {MX}, ZZ: {ZZ}}}}}
tool: {{on: 2, d: {d}}}
"""


@pytest.mark.parametrize("length", [1.0, 1e-6])
@pytest.mark.parametrize(("angle", "balanced"), [(3e-10, True), (3e-7, False)])
def test_forces_are_no_scale_of_small_torques(length: float, angle: float, balanced: bool) -> None:
    """A pendulum hangs from a lift: the force of the lift is the weight, whatever the size of the pendulum is."""
    robot = loads(LIFT.format(MX=length, ZZ=length**2, d=length), "yaml")
    q = [0.0, -np.pi / 2 + angle]
    if balanced:
        symoro.linearise(robot, q=q)
    else:
        with pytest.raises(ArgumentError, match="not an equilibrium"):
            symoro.linearise(robot, q=q)


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    assert main(["linearise", "cartpole", "q=0,0"]) == 0
    assert "eigenvalues" in capsys.readouterr().out
    assert main(["linearise", "cartpole", "q=0,0.3"]) == 2
    assert "not an equilibrium" in capsys.readouterr().err
    assert (
        main(["linearise", "planar2r", "q=-90,0", "--degrees", "--lang", "c", "-o", str(tmp_path / "out")])
        == 0
    )
    assert (tmp_path / "out" / "planar2R_linearisation.c").is_file()


@pytest.mark.parametrize(
    ("name", "q", "output", "drive"),
    [
        ("cartpole", [0, 0], "q2", "tau1"),
        ("cartpole", [0, "pi"], "qd1", "tau1"),
        ("planar2r", ["-pi/2", 0], "q1", "tau2"),
        ("planar3r", ["pi/2", "0.3", "-0.4"], "q3", "tau1"),
        ("fivebar", None, "q1", "tau1"),
    ],
)
def test_symbolic_transfer_function(name: str, q: Any, output: str, drive: str) -> None:
    robot = numeric(name) if name in ("planar3r", "fivebar") else symoro.load(name)
    q = [1.9, 1.1] if name == "fivebar" else q
    nominal = dict(robot.nominal)
    values = {symbol: nominal.get(symbol, 0.5 + 0.07 * k) for k, symbol in enumerate(robot.symbols())}
    linear = symoro.linearise(robot, q=q, values=values)
    if output not in linear.states or drive not in linear.drives:
        output, drive = linear.states[0], linear.drives[-1]
    G = linear.symbolic_transfer_function(output, drive)
    numbers = {
        symbol: sympy.Float(repr(values[symbol.name]), 40) for symbol in G.free_symbols if symbol.name != "s"
    }
    row, column = linear.states.index(output), linear.drives.index(drive)
    numerator, denominator = linear.transfer_function(output, drive)
    with mpmath.workdps(40):
        A, B = mpmath.matrix(linear.A.tolist()), mpmath.matrix(linear.B[:, [column]].tolist())
        for s in (0.7 + 1.3j, -0.2 + 4j, 2.5):
            exact = mpmath.lu_solve(s * mpmath.eye(len(linear.states)) - A, B)[row]
            value = complex(G.subs(numbers).subs(sympy.Symbol("s"), s).evalf(30))
            assert abs(value - complex(exact)) < 1e-9 * abs(complex(exact))
            scipy_value = np.polyval(numerator, s) / np.polyval(denominator, s)
            assert abs(value - scipy_value) < 1e-6 * abs(value)


def test_common_factors_are_cancelled() -> None:
    pendulum = symoro.load("cartpole").bind({"FV2": 0})
    G = symoro.linearise(pendulum, q=[0, 0]).symbolic_transfer_function("q2", "tau1")
    s = sympy.Symbol("s")
    assert sympy.degree(sympy.denom(G), s) == 2  # the double integrator of the cart is not seen in the angle
    assert sympy.degree(sympy.numer(G), s) == 0


def test_symbolic_transfer_functions_of_large_systems_are_rejected() -> None:
    linear = symoro.linearise(numeric("rx90"), q=[0.1] * 6)
    with pytest.raises(SymoroError, match="at most 4 states with parameters, 6 states"):
        linear.symbolic_transfer_function("q1", "tau1")
    coupled = symoro.load("rx90")
    for j in (3, 4, 5, 6):
        coupled = coupled.with_frame(j, coupling=Coupling(((1, formula(0.5)), (2, formula(-0.3)))))
    linear = symoro.linearise(coupled, q=[0.2, 0.5])
    with pytest.raises(SymoroError, match=r"has \d+ operations"):
        linear.symbolic_transfer_function("q1", "tau1")


def test_symbolic_transfer_function_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["linearise", "cartpole", "q=0,0", "--bind", "FV2=0"]
    assert main([*command, "--transfer", "q2/tau1", "--symbols"]) == 0
    assert "q2/tau1 = " in capsys.readouterr().out
    assert main([*command, "--symbols"]) == 2


def test_a_hanging_pendulum_is_an_equilibrium() -> None:
    """The torques that remain are rounding errors, compared with the weight in other postures."""
    stable = symoro.linearise("cartpole", q=[0, np.pi])
    assert (stable.eigenvalues().real < 1e-9).all()
    symoro.linearise("cartpole", q=[0, np.pi + 1e-10])
    with pytest.raises(ArgumentError, match="not an equilibrium"):
        symoro.linearise("cartpole", q=[0, np.pi + 1e-6])


def test_a_light_pendulum_on_a_heavy_arm() -> None:
    """Compare forces with those on their own joint: the torque of the arm is 1e7 times that of the pendulum."""
    arm = symoro.load("planar2r").with_frame(2, mu=False)
    arm = arm.bind({"D2": 1, "ZZ1": 40, "MX1": 50, "ZZ2": 2e-7, "MX2": 1e-5, "M2": 1e-3})
    symoro.linearise(arm, q=[0, -np.pi / 2])
    symoro.linearise(arm, q=[0, -np.pi / 2 + 1e-12])
    with pytest.raises(ArgumentError, match=r"remain: .*\(q2\)"):
        symoro.linearise(arm, q=[0, -np.pi / 2 + 1e-6])


@pytest.mark.parametrize(("length", "mass"), [(1.0, 1.0), (1e-3, 1e-6), (1e3, 1e6)])
def test_a_pendulum_on_a_lift(length: float, mass: float) -> None:
    """Compare a torque with torques: the force on the lift has another unit."""
    lift = symoro.load("cartpole")
    lift = lift.with_frame(1, gamma=0, alpha=0, theta=0).with_frame(2, alpha="pi/2")
    lift = lift.bind({"l": 0.5 * length, "mc": 100 * mass, "mp": 0.1 * mass})
    symoro.linearise(lift, q=[0, np.pi / 2 + 1e-12])
    with pytest.raises(ArgumentError, match="not an equilibrium"):
        symoro.linearise(lift, q=[0, np.pi / 2 + 1e-6])


def test_the_torques_of_unknown_parameters_are_unknown() -> None:
    linear = symoro.linearise("rx90", q=[0.1] * 6)
    assert linear.tau is None
    with pytest.raises(ArgumentError, match=r"some values of the parameters: q3, q6"):
        symoro.linearise("rx90_elastic", q=[0.1] * 6)


def test_wrenches_have_the_values_of_their_symbols() -> None:
    arm = numeric("planar2r")
    symbols, numbers = {"FX": "FX2", "CZ": "CZ2"}, {"FX2": 3.0, "CZ2": 1.0}
    linear = symoro.linearise(arm.with_link(2, **symbols), q=[0.3, 0.4], values=numbers)
    given = symoro.linearise(arm.with_link(2, FX=3, CZ=1), q=[0.3, 0.4])
    without = symoro.linearise(arm.with_link(2, **symbols), q=[0.3, 0.4])
    np.testing.assert_array_equal(linear.A, given.A)
    assert abs(linear.A - without.A).max() > 0.1
    np.testing.assert_array_equal(without.A, symoro.linearise(arm, q=[0.3, 0.4]).A)


def test_lengths_of_closed_loops_are_numbers() -> None:
    """The positions that close the loops belong to these lengths. At q1 = 0 the guard of singularities is 0 / 0."""
    linear = symoro.linearise("slidercrank", q=[0])
    assert not {"D2", "D4"} & set(linear.model.parameters)
    A, B = truth(symoro.linearise(numeric("slidercrank"), q=[0]))
    same = symoro.linearise(numeric("slidercrank"), q=[0])
    assert np.abs(same.A - A).max() <= 1e-10
    assert np.abs(same.B - B).max() <= 1e-10 * np.abs(B).max()


def test_multiples_of_pi_stay_exact() -> None:
    pendulum = symoro.load("cartpole").bind({"FV2": 0})
    expression = symoro.linearise(pendulum, q=[0, "pi"]).symbolic_transfer_function("q2", "tau1")
    assert symoro.linearise(pendulum, q=[0, np.pi]).symbolic_transfer_function("q2", "tau1") == expression
    text = str(symoro.linearise("planar2r", q=[0.3, -0.4]).symbolic_transfer_function("q2", "tau1"))
    assert (
        max(len(number) for number in re.findall(r"[0-9]+", text)) <= 17
    )  # decimals, not whole numbers of 30 digits


def test_numerators_have_no_rounding_errors_as_leading_coefficients() -> None:
    numerator, _ = symoro.linearise("cartpole", q=[0, 0]).transfer_function("q2", "tau1")
    assert numerator[1] == 0  # torques act on accelerations
    assert numerator[2] == pytest.approx(-1.463415, rel=1e-6)


def test_rejection_before_the_derivatives_are_derived() -> None:
    with Effort(8_000_000), pytest.raises(ArgumentError, match="not an equilibrium"):
        symoro.linearise("snake")


def test_no_output_before_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["linearise", "cartpole", "q=0,0", "--transfer", "q9/tau1"]) == 2
    captured = capsys.readouterr()
    assert not captured.out and "no state 'q9'" in captured.err
    assert main(["linearise", "rx90"]) == 2
    assert "--lang writes A and B with symbols" in capsys.readouterr().err
    assert main(["linearise", "filip3r", "q=0,0,0", "--transfer", "q1/tau1", "--symbols"]) == 2
    assert "without --symbols its coefficients are numbers" in capsys.readouterr().err


def test_symbols_without_numbers_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["linearise", "planar2r", "--bind", "ZZ1=J+K", "--json", "--transfer", "q1/tau1"]
    assert main(arguments) == 2
    assert "without a value: J, K" in capsys.readouterr().out
    assert main([*arguments, "--symbols"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert "A" not in data and data["tau"][1] == pytest.approx(4.905)  # no J in the torques of gravity
    assert "J" in data["transfer"]["q1/tau1"]["expression"]
