"""Models of a floating base against the rates of momentum in the world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symoro
from symoro.errors import NotApplicableError, OptionError
from symoro.expr.formula import Formula, formula
from symoro.models.catalogue import Entry
from symoro.robot.coordinates import independent
from symoro.robot.description import BaseKind, Robot
from symoro.robot.topology import moving_joints
from tests.models.dynamic.cases import Array, Inputs, error, examples, heavy_trees, outputs
from tests.models.dynamic.floating.cases import (
    afloat,
    floating_tree,
    state,
    truth,
    with_symbolic_base,
    without_wrenches,
)
from tests.oracle.dynamics import Twist, difference
from tests.oracle.floating import Floating

CLOSE = 1e-10
SOLVED = 1e-8  # the condition of the inertia matrix comes in


def check(robot: Robot, seed: int) -> None:
    """Check forces, accelerations, inertia, energies and momentum."""
    at = state(robot, seed)
    oracle = truth(robot, at)
    q, qd, qdd, tau, V0, Vd0 = (at[name] for name in ("q", "qd", "qdd", "tau", "V0", "Vd0"))
    A, H = oracle.inertia(q), oracle.bias(q, qd, V0)
    forces = oracle.forces(q, qd, qdd, V0, Vd0)
    result = outputs(robot, "inverse-dynamics", at, base="given")
    assert error(np.r_[result["wrench0"], result["tau"]], forces) < CLOSE
    expected, acceleration = oracle.inverse(q, qd, qdd, V0)
    result = outputs(robot, "inverse-dynamics", at)
    assert error(result["tau"], expected) < SOLVED
    assert error(result["Vd0"], acceleration) < SOLVED
    assert error(outputs(robot, "inertia-matrix", at)["A"], A) < CLOSE
    assert error(outputs(robot, "bias-torques", at)["H"], H) < CLOSE
    still = truth(without_wrenches(robot), at)
    rest = still.forces(q, 0 * q, 0 * q, 0 * V0, 0 * V0) - drive_offsets(robot)
    assert error(outputs(robot, "gravity-torques", at)["Q"], rest) < CLOSE
    x = oracle.direct(q, qd, tau, V0)
    coupled = len(independent(robot)) < len(moving_joints(robot))
    for method in ("auto", "inertia", *(() if coupled else ("recursive",))):
        result = outputs(robot, "direct-dynamics", at, method=method)
        assert error(np.r_[result["Vd0"], result["qdd"]], x) < SOLVED, method
    check_energies(robot, at)


def drive_offsets(robot: Robot) -> Array:
    """Return FO, which Q does not include, in the rows of [base; coordinates]."""
    oracle = truth(robot, state(robot))
    offsets = np.array([oracle.tree.drive[j][3] for j in oracle.tree.moving])
    return np.r_[np.zeros(6), oracle.tree.G.T @ offsets]


def check_energies(robot: Robot, at: Inputs) -> None:
    oracle = truth(robot, at)
    q, qd, V0 = at["q"], at["qd"], at["V0"]
    result = outputs(robot, "energy", at)
    assert error([result["E"], result["U"]], oracle.energies(q, qd, V0)) < CLOSE
    h, com = oracle.momentum(q, qd, V0)
    result = outputs(robot, "centroidal-momentum", at)
    assert error(result["h"], h) < CLOSE
    assert error(result["com"], com) < CLOSE
    units = np.eye(6 + len(q))
    AG = np.array([oracle.momentum(q, e[6:], e[:6])[0] for e in units]).T
    assert error(result["AG"], AG) < CLOSE


@given(heavy_trees(most=4), st.integers(0, 1000))
@examples(20)
def test_random_trees(robot: Robot, seed: int) -> None:
    check(afloat(robot, seed), seed)


@pytest.mark.parametrize("seed", range(40, 50))
def test_seeded_trees(seed: int) -> None:
    check(floating_tree(seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3000, 3200))
def test_many_seeded_trees(seed: int) -> None:
    check(floating_tree(seed), seed)


@pytest.mark.parametrize("effort", ["quick", "plain", "search"])
def test_every_formulation(effort: str) -> None:
    robot = floating_tree(7, 3, coupled=False)
    at = state(robot)
    oracle = truth(robot, at)
    q, qd, qdd, V0, Vd0 = (at[name] for name in ("q", "qd", "qdd", "V0", "Vd0"))
    result = outputs(robot, "inverse-dynamics", at, effort=effort)
    assert error(result["tau"], oracle.inverse(q, qd, qdd, V0)[0]) < SOLVED
    result = outputs(robot, "inverse-dynamics", at, effort=effort, base="given")
    assert error(result["wrench0"], oracle.forces(q, qd, qdd, V0, Vd0)[:6]) < CLOSE
    assert error(outputs(robot, "bias-torques", at, effort=effort)["H"], oracle.bias(q, qd, V0)) < CLOSE


# -- the rotation of the base

QUATERNION = {
    "inverse-dynamics": {},
    "direct-dynamics": {},
    "bias-torques": {},
    "gravity-torques": {},
    "energy": {},
    "dynamic-identification": {},
    "energy-identification": {},
    "filtered-identification": {},
    "power-identification": {},
    "inverse-dynamics-derivatives": {},
    "direct-dynamics-derivatives": {},
    "contact-dynamics": {"contacts": ((2, (0.1, 0.2, 0.3)),)},
}


@pytest.mark.parametrize("model", QUATERNION)
def test_a_quaternion_in_place_of_the_matrix(model: str) -> None:
    robot = floating_tree(44, 3, coupled=False)
    at = state(robot)
    options = QUATERNION[model]
    made = symoro.generate(robot, model, rotation="quaternion", **options)
    assert "Q0" in made.inputs
    assert "R0" not in made.inputs
    by_matrix = outputs(robot, model, at, **options)
    for name, value in outputs(robot, model, at, rotation="quaternion", **options).items():
        assert error(value, by_matrix[name]) < CLOSE, name


def test_a_matrix_that_is_no_rotation_is_taken_as_it_is() -> None:
    """Gravity in frame 0 is R0' G for any matrix R0; NaN entries give NaN."""
    robot = floating_tree(41, 3)
    at = state(robot)
    twice = outputs(robot, "gravity-torques", at | {"R0": 2 * at["R0"]})["Q"]
    assert error(twice, 2 * outputs(robot, "gravity-torques", at)["Q"]) < CLOSE
    lost = outputs(robot, "inverse-dynamics", at | {"R0": np.full((3, 3), np.nan)})
    assert np.all(np.isnan(lost["Vd0"][:3]))
    assert np.all(np.isfinite(lost["Vd0"][3:]))
    assert np.all(np.isfinite(lost["tau"]))  # what falls freely does not notice gravity
    assert np.all(np.isnan(outputs(robot, "energy", at | {"Q0": np.zeros(4)}, rotation="quaternion")["U"]))


# -- wrenches


def test_a_wrench_of_the_base_is_the_first_row() -> None:
    robot = floating_tree(45, 4)
    symbols = {name: Formula(f"{name}0") for name in ("FX", "FY", "FZ", "CX", "CY", "CZ")}
    free = replace(robot, base=replace(robot.base, link=replace(robot.base.link, **symbols)))
    model = symoro.generate(free, "bias-torques")
    assert model.inputs["wrench"] == (robot.NL + 1, 6)
    at = state(robot)
    load = [getattr(robot.base.link, name).value({}) for name in symbols]
    wrench = np.vstack([load, at["wrench"]])
    bias = outputs(free, "bias-torques", at | {"wrench": wrench})["H"]
    assert error(bias, outputs(robot, "bias-torques", at)["H"]) < CLOSE


def test_reactions() -> None:
    robot = floating_tree(47, 5, coupled=False)
    at = state(robot)
    oracle = truth(robot, at)
    for base in ("free", "given"):
        result = outputs(robot, "inverse-dynamics", at, base=base, reactions=True)
        Vd0 = at["Vd0"] if base == "given" else result["Vd0"]
        total = in_frames(oracle, at, Vd0)
        assert error(result["reactions"], total) < SOLVED


def in_frames(oracle: Floating, at: Inputs, Vd0: Array) -> Array:
    """Return the wrench of the antecedent on each link, in its frame."""
    tree = oracle.tree
    V0 = at["V0"]
    base = Twist(V0[:3], V0[3:], Vd0[:3], Vd0[3:])
    total = tree.carried(at["q"], at["qd"], at["qdd"], weight=True, loads=True, base=base)
    T = tree.motion(at["q"], at["qd"], base).T
    rows = []
    for j in tree.frames:
        R, o = T[j][:3, :3].real, T[j][:3, 3].real
        f = total[j, :3]
        rows.append(np.r_[R.T @ f, R.T @ (total[j, 3:] - np.cross(o, f))])
    return np.array(rows)


# -- derivatives


def slopes(robot: Robot, at: Inputs, h: float = 0.01) -> Mapping[str, Array]:
    """Return differences of the oracle by name of the output."""

    def at_rotation(e: Array) -> Inputs:
        angle = np.linalg.norm(e)
        axis = e / angle if angle else e
        K = np.cross(np.eye(3), axis)  # hat(axis)
        return at | {"R0": at["R0"] @ (np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)}

    def forces(**changes: Array) -> Array:
        s = at | changes
        return truth(robot, s).forces(s["q"], s["qd"], s["qdd"], s["V0"], s["Vd0"])

    def free(**changes: Array) -> Array:
        s = at | changes
        return np.concatenate(truth(robot, s).inverse(s["q"], s["qd"], s["qdd"], s["V0"])[::-1])

    def caused(**changes: Array) -> Array:
        s = at | changes
        return truth(robot, s).direct(s["q"], s["qd"], s["tau"], s["V0"])

    results = {}
    by = {"given": (forces, "wrench0", "tau"), "free": (free, "Vd0", "tau"), "direct": (caused, "Vd0", "qdd")}
    for kind, (function, first, second) in by.items():
        for name in ("q", "qd", "qdd", "tau", "V0", "Vd0"):
            slope = difference(lambda x, f=function, n=name: f(**{n: x}), at[name], h)
            results[f"{kind} d{first}_d{name}"], results[f"{kind} d{second}_d{name}"] = slope[:6], slope[6:]
        slope = difference(lambda e, f=function: f(R0=at_rotation(e)["R0"]), np.zeros(3), h)
        results[f"{kind} d{first}_dR0"], results[f"{kind} d{second}_dR0"] = slope[:6], slope[6:]
    return results


@pytest.mark.parametrize("seed", [3, 6])
def test_derivatives(seed: int) -> None:
    robot = without_friction(floating_tree(seed, 3))
    at = state(robot, seed)
    expected = slopes(robot, at)
    for kind, model, options in (
        ("given", "inverse-dynamics-derivatives", {"base": "given"}),
        ("free", "inverse-dynamics-derivatives", {}),
        ("direct", "direct-dynamics-derivatives", {}),
    ):
        for method in ("recursion", "forward"):
            for name, value in outputs(robot, model, at, method=method, **options).items():
                assert error(value, expected[f"{kind} {name}"]) < 1e-7, (kind, method, name)


def without_friction(robot: Robot) -> Robot:
    """Return the robot without Coulomb friction, which is discontinuous."""
    return replace(robot, frames=tuple(replace(frame, FS=formula(0)) for frame in robot.frames))


# -- kinematics


@pytest.mark.parametrize("seed", range(50, 56))
def test_jacobian_and_accelerations(seed: int) -> None:
    robot = floating_tree(seed)
    at = state(robot, seed)
    x, xd = np.r_[at["V0"], at["qd"]], np.r_[at["Vd0"], at["qdd"]]
    moved = outputs(robot, "accelerations", at)
    for frame in (0, "tool"):
        J = outputs(robot, "jacobian", at, to=robot.NL, frame=frame)["J"]
        a = outputs(robot, "jdot-qdot", at, to=robot.NL, frame=frame)["a"]
        R = outputs(robot, "transform", at, frm=frame, to=robot.NL)["T"][:3, :3]
        v, w, vd, wd = (R @ moved[name][robot.NL - 1] for name in ("v", "w", "vd", "wd"))
        assert error(J @ x, np.r_[v, w]) < CLOSE
        assert error(J @ xd + a, np.r_[vd, wd]) < CLOSE
    result = outputs(robot, "velocities", at)
    motion = truth(robot, at).motion(at["q"], at["qd"], at["V0"])
    for j in range(1, robot.NL + 1):
        turn = motion.T[j][:3, :3].real.T
        assert error(result["v"][j - 1], turn @ motion.v[j].real) < CLOSE
        assert error(result["w"][j - 1], turn @ motion.w[j].real) < CLOSE


# -- whom the models take

FORMS = [
    (entry, form)
    for entry in symoro.catalogue().values()
    for form in (*entry.forms, *([entry] if entry.example == "rx90_floating" else []))
    if form.of in ("", "a floating base", "a floating base that moves as given")
    if "floating base" in (form.of or form.applies_to)
]
ON_REQUEST = {"Q0", "reactions", "qdd", "qdda", "Vd0", "wrench0", "dh"}
# Free joints, motors behind springs, springs in loops.
WITH_OPTIONS = {"tau_free", "qdd_out", "qm", "qmd", "qmdd", "springs"}
DERIVATIVES = ("dqdd_out_", "dwrench0_", "dtau_dVd0")  # with elastic joints, with the base given


@pytest.mark.parametrize(("entry", "form"), FORMS, ids=[f"{e.id} of {f.of or 'itself'}" for e, f in FORMS])
def test_a_form_says_what_it_takes_and_gives(entry: Entry, form: Entry) -> None:
    options = {"base": "given"} if "given" in form.of else {}
    made = symoro.generate(form.example, entry.id, **options)
    taken, given = [port.name for port in form.inputs], [port.name for port in form.outputs]
    assert set(made.inputs) <= set(taken)
    assert [name for name in given if name in made.outputs] == list(made.outputs)
    missing = {*taken, *given} - {*made.inputs, *made.outputs}
    in_world = {"R0"} if entry.id in ("jacobian", "jdot-qdot") else set()
    assert {
        name for name in missing if not name.startswith(DERIVATIVES)
    } <= ON_REQUEST | WITH_OPTIONS | in_world
    assert form.equations
    assert form.applies_to
    assert str(form.reference)
    words = {port.name: port.shape for port in (*form.inputs, *form.outputs)}
    sizes = {"n": 6, "6+n": 12, "L": 6, "C": 1, "P": len(made.columns or ()), "na": 6}
    for name, shape in {**made.inputs, **made.outputs}.items():
        assert shape == tuple(sizes.get(word) or int(word) for word in words[name].split(",") if word), name


def test_a_fixed_base_does_not_read_link_0() -> None:
    robot = symoro.load("rx90")
    heavy = robot.with_link(0, M=100, XX=3, MZ=7)
    for model in ("inverse-dynamics", "direct-dynamics", "inertia-matrix", "energy", "lagrange"):
        one, other = symoro.generate(robot, model), symoro.generate(heavy, model)
        assert one.code("c") == other.code("c")
    assert symoro.base_parameters(heavy).names == symoro.base_parameters(robot).names


def test_a_robot_made_to_float_is_one_that_floats() -> None:
    bundled = symoro.load("rx90_floating")
    made = symoro.load("rx90").floating()
    assert made.base.kind == BaseKind.FLOATING
    assert (
        symoro.generate(made, "inverse-dynamics").outputs
        == symoro.generate(bundled, "inverse-dynamics").outputs
    )


def test_symbols_of_link_0_are_parameters() -> None:
    robot = with_symbolic_base(floating_tree(48, 3, coupled=False))
    check(robot, 48)
    assert "M0" in symoro.generate(robot, "inverse-dynamics").parameters


def test_models_of_other_structures_refuse() -> None:
    arm = symoro.load("rx90")
    with pytest.raises(OptionError, match="base"):
        symoro.generate(arm, "inverse-dynamics", base="given")
    with pytest.raises(OptionError, match="coupled"):
        symoro.generate(floating_tree(50, 5, coupled=True), "direct-dynamics", method="recursive")


def test_a_base_without_mass_that_nothing_makes_up_for() -> None:
    robot = symoro.load("planar2r").floating()
    bare = robot.bind({name: 0 for name in robot.symbols() if name not in ("L1", "L2", "G3", "G1", "G2")})
    for model in ("inverse-dynamics", "direct-dynamics"):
        with pytest.raises(NotApplicableError, match="mass"):
            symoro.generate(bare, model)


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("direct-dynamics", {"method": "inertia"}),
        ("direct-dynamics", {"method": "recursive"}),
        ("direct-dynamics", {}),
        ("contact-dynamics", {}),
        ("direct-dynamics-derivatives", {}),
    ],
)
def test_a_base_without_mass_has_no_accelerations(model: str, options: dict[str, Any]) -> None:
    """A massless base rotates freely against its only joint: results would be round-off."""
    robot = symoro.load("ur5e").floating()
    with pytest.raises(NotApplicableError, match="mass"):
        symoro.generate(robot, model, **options)
    borne = robot.with_frame(1, IA=0.1)
    assert symoro.generate(borne, model, **options).outputs["Vd0" if "deriv" not in model else "dVd0_dq"]
