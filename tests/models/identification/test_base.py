"""Base parameters: symbols of every kind, closed loops, the numeric method, the regrouped robot, report and model."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import MissingDependencyError, NotApplicableError, OptionError
from symoro.expr.formula import ZERO, Formula, formula
from symoro.models.identification.base.loops import linear_closure
from symoro.models.identification.base.parameters import base_parameters
from symoro.models.identification.base.report import latex_formula
from symoro.models.identification.base.result import Coefficient
from symoro.robot.description import (
    GEOMETRIC,
    INERTIAL,
    Base,
    BaseKind,
    Coupling,
    Frame,
    JointType,
    Link,
    Robot,
)
from symoro.robot.library import names
from symoro.robot.symbols import symbols

R, P, F = JointType.REVOLUTE, JointType.PRISMATIC, JointType.FIXED


def robot(rows: list[dict[str, Any]], gravity: str = "0 0 G3", name: str = "test", **base: Any) -> Robot:
    """Return a robot with symbolic inertial parameters; by default each frame is on the previous one."""
    frames, links = [], []
    for j, given in enumerate(rows, 1):
        row = {"ant": j - 1, **given}
        place = {key: formula(row.pop(key)) for key in GEOMETRIC if key in row}
        rotor = ZERO if row.get("sigma") == F else Formula(f"IA{j}")
        frames.append(Frame(IA=rotor, **row, **place))
        links.append(Link(**{n: Formula(f"{n}{j}") for n in INERTIAL}))
    x, y, z = map(formula, gravity.split())
    return Robot(name, tuple(frames), tuple(links), Base(G=(x, y, z), **base))


def formulas(text: str) -> tuple[Formula, ...]:
    return tuple(formula(part) for part in text.split())


def driven(*terms: tuple[int, str], offset: str = "0") -> Coupling:
    return Coupling(tuple((i, formula(c)) for i, c in terms), formula(offset))


CASES = {
    "symbolic alpha": robot(
        [{}, {"alpha": "al2", "d": "D2"}, {"alpha": "al3", "d": "D3", "r": "R3"}, {"alpha": "pi/2"}]
    ),
    "the same angle twice": robot(
        [{}, {"alpha": "al", "d": "D2", "r": "R2"}, {"alpha": "-al", "d": "D3"}], "G1 G2 G3"
    ),
    "fractions of an angle": robot(
        [{"alpha": "be/2"}, {"alpha": "be + pi/4", "d": "D2"}, {"alpha": "-be", "d": "D3"}]
    ),
    "oblique": robot([{"alpha": "pi/4"}, {"alpha": "pi/3", "d": "D2"}, {"alpha": "pi/12"}], "0 G2 G3"),
    "oblique, then parallel to gravity": robot(
        [{"alpha": "pi/4"}, {"alpha": "-pi/4", "d": "D2"}, {"sigma": P, "alpha": "pi/6", "theta": "pi/3"}],
        "0 0 G3",
    ),
    "prismatic first": robot(
        [{"sigma": P, "alpha": "a1"}, {"sigma": P, "alpha": "a2", "theta": "th"}, {"alpha": "a3", "d": "D3"}]
    ),
    "decimal angles": robot(
        [{"alpha": "0.3"}, {"alpha": "-0.3", "d": "D2"}, {"alpha": "1.0472", "d": "0.4"}], "0 G2 0"
    ),
    "fixed frames": robot(
        [{}, {"sigma": F, "alpha": "pi/4", "d": "D2"}, {"alpha": "pi/4"}, {"sigma": F, "r": "R4"}]
    ),
    "geared by a symbol": robot([{}, {"d": "D2"}, {"d": "D3", "coupling": driven((2, "-k"))}], "0 G2 0"),
    "geared by a decimal": robot([{}, {"alpha": "pi/2", "d": "D2"}, {"coupling": driven((2, "1.37"))}]),
    "screw": robot([{}, {"sigma": P, "coupling": driven((1, "h"))}, {"alpha": "pi/2", "d": "D3"}]),
    "differential wrist": robot(
        [
            {},
            {"alpha": "pi/2", "d": "D2"},
            {"alpha": "pi/2", "coupling": driven((1, "1"), (2, "-1"), offset="pi/2")},
        ]
    ),
    "gripper on a tree": robot(
        [
            {"alpha": "pi/2"},
            {"alpha": "pi/2", "d": "D2"},
            {"sigma": P, "ant": 2, "alpha": "pi/2"},
            {"sigma": P, "ant": 2, "alpha": "-pi/2", "coupling": driven((3, "1"))},
        ]
    ),
    "roots and functions": robot(
        [{}, {"d": "sqrt(L^2+1)/2", "r": "2*L*cos(al)"}, {"alpha": "al", "d": "sqrt(6)*L"}], "0 G2 0"
    ),
    "numbered against the tree": robot([{"ant": 2, "d": "D1"}, {"ant": 0}, {"ant": 1, "alpha": "pi/2"}]),
    "tilted base": robot(
        [{}, {"alpha": "pi/2"}, {"d": "D3"}],
        Z=formulas("1 0 0 0 0 cos(ti) -sin(ti) 0 0 sin(ti) cos(ti) 0 0 0 0 1"),
    ),
    "floating": robot([{"d": "D1"}, {"alpha": "al", "sigma": P}], kind=BaseKind.FLOATING),
    "moved base": robot([{"d": "D1"}, {"alpha": "pi/2"}], W0=(ZERO, ZERO, Formula("W3"))),
}


def geometric(robot: Robot) -> list[str]:
    return [s for s in symbols(robot) if not any(s.rstrip("0123456789") == n for n in (*INERTIAL, "IA"))]


@pytest.mark.parametrize("name", CASES)
def test_symbolic_relations_hold_at_numbers(name: str) -> None:
    given = CASES[name]
    rng = np.random.default_rng(5)
    values = {s: round(float(rng.uniform(0.3, 1.3)), 3) for s in geometric(given)}
    result = base_parameters(given)
    numeric = base_parameters(given.bind(values), method="numeric")
    assert result.names == numeric.names
    assert result.no_effect == numeric.no_effect
    for kept, others in result.relations.items():
        expected = {p: float(c) for p, c in numeric.relations[kept].items()}
        assert {p: c.value(values) for p, c in others.items()} == pytest.approx(expected, abs=1e-6), kept


# -- the regrouped robot


def torques(model: symoro.Model, values: Mapping[str, float], sample: Mapping[str, Any]) -> Any:
    used = {name: values[name] for name in model.parameters}
    return model.function(values=used, compiled=False)(**sample)["tau"]


def same_torques(first: Robot, second: Robot) -> None:
    rng = np.random.default_rng(9)
    model = symoro.generate(first, "inverse-dynamics")
    other = symoro.generate(second, "inverse-dynamics")
    values = {s: float(rng.uniform(0.2, 1.0)) for s in (*model.parameters, *other.parameters)}
    sample = {name: rng.uniform(-1, 1, (5, *shape)) for name, shape in model.inputs.items()}
    one, two = torques(model, values, sample), torques(other, values, sample)
    assert np.abs(one - two).max() <= 1e-12 * max(1.0, np.abs(one).max())


def rigid_trees() -> list[str]:
    """Return the bundled robots with inverse dynamics and without loops and flexible links."""
    model = symoro.catalogue()["inverse-dynamics"]
    robots = {name: symoro.load(name) for name in names()}
    stiff = {name: r for name, r in robots.items() if not r.B and not any(link.flexible for link in r.links)}
    return [name for name, robot in stiff.items() if model.why_not(robot) is None]


@pytest.mark.parametrize("name", rigid_trees())
def test_the_regrouped_robot_has_the_same_torques(name: str) -> None:
    given = symoro.load(name)
    same_torques(given, base_parameters(given, method="exact").robot)


def test_the_regrouped_parallelogram_has_the_same_torques() -> None:
    given = symoro.load("sr400")
    closed = linear_closure(given)
    assert closed is not None
    result = base_parameters(given)
    regrouped = closed.robot.replace(
        links=result.robot.links,
        frames=tuple(
            frame.__class__(**{**vars(frame), "IA": new.IA})
            for frame, new in zip(closed.robot.frames, result.robot.frames, strict=False)
        ),
    )
    same_torques(closed.robot, regrouped)


def test_the_regrouped_robot_can_be_saved_and_loaded(tmp_path: Path) -> None:
    result = base_parameters(symoro.load("sr400"))
    symoro.save(result.robot, tmp_path / "regrouped.par")
    again = symoro.load(tmp_path / "regrouped.par")
    assert again.links == result.robot.links
    assert len(base_parameters(again)) == 42


def test_a_base_set_is_its_own_base_set() -> None:
    result = base_parameters(symoro.load("rx90"))
    again = base_parameters(result.robot)
    assert again.names == result.names
    assert not any(again.relations.values())


# -- what counts as a column


def test_zero_parameters_have_no_columns() -> None:
    given = CASES["symbolic alpha"].with_link(2, XX=0, M=0).with_frame(2, IA=0)
    result = base_parameters(given)
    everything = {*result.names, *result.no_effect, *(p for r in result.relations.values() for p in r)}
    assert not everything & {"XX2", "M2", "IA2"}
    assert "YY2" in result.names  # it took the place of XX2


def test_rotor_inertias_of_passive_joints_and_friction_stay_apart() -> None:
    given = symoro.load("sr400")
    result = base_parameters(given)
    assert str(result.robot.frame(3).IA) == "IA3"
    assert any("passive joints are not regrouped: IA3, IA8" in note for note in result.notes)
    assert "FV3" in result.friction
    assert str(result.robot.frame(3).FV) == "FV3"


def test_without_rotor_inertias() -> None:
    result = base_parameters(symoro.load("rx90"), rotor=False)
    assert len(result.names) == 36
    assert str(result.robot.frame(1).IA) == "IA1"


def test_seven_n_minus_four_is_the_bound() -> None:
    rows = [{"alpha": f"a{j}", "d": f"D{j}", "r": f"R{j}"} for j in range(1, 5)]
    assert len(base_parameters(robot(rows, "G1 G2 G3"), rotor=False)) == 7 * 4 - 4


def test_a_base_whose_wheels_are_not_described_is_taken_as_free() -> None:
    result = base_parameters(symoro.load("diffdrive").replace(wheels=()))
    assert len(result) == 10 + 7 * 4 + 2  # the rotors of the castor have no drive
    assert "treated as a free base" in result.method


# -- round-off


def test_nearly_right_angles_become_right_angles() -> None:
    given = robot([{}, {"alpha": "1.5707963", "d": "0.2"}, {"alpha": "1e-8", "d": "0.3", "r": "1e-14"}])
    result = base_parameters(given)
    exact = base_parameters(robot([{}, {"alpha": "pi/2", "d": "0.2"}, {"d": "0.3"}]))
    assert (result.names, result.relations) == (exact.names, exact.relations)
    assert any("alpha2" in note for note in result.notes)


# -- closed loops


@pytest.mark.parametrize("name", ["fourbar", "fivebar", "slidercrank"])
def test_general_loops_by_verified_numbers(name: str) -> None:
    given = symoro.load(name).symbolic(inertia=True)
    result = base_parameters(given)
    assert "numeric" in result.method
    assert "one assembly branch" in result.method
    with pytest.raises(NotApplicableError, match="no linear closure"):
        base_parameters(given, method="exact")


def full(name: str) -> Robot:
    """Return a bundled robot with all inertial parameters."""
    given = symoro.load(name)
    links = tuple(Link(**{n: Formula(f"{n}{j}") for n in INERTIAL}) for j in range(1, given.NL + 1))
    return given.replace(links=links)


@pytest.mark.parametrize(("name", "count"), [("fourbar", 8), ("slidercrank", 6)])
def test_counts_of_general_loops(name: str, count: int) -> None:
    assert len(base_parameters(full(name))) == count


def test_a_general_loop_on_a_floating_base() -> None:
    given = full("fourbar")
    link = Link(**{n: Formula(f"{n}0") for n in INERTIAL})
    result = base_parameters(given.replace(base=Base(BaseKind.FLOATING, link, G=given.base.G)))
    assert result.names[:10] == ("XX0", "XY0", "XZ0", "YZ0", "ZZ0", "MX0", "MY0", "YY0", "MZ0", "M0")
    assert not result.no_effect


def test_both_assemblies_of_a_fourbar_have_the_same_base_parameters() -> None:
    given = full("fourbar")
    up = base_parameters(given, posture={1: 1.0, 2: -1.0, 3: 1.5})
    down = base_parameters(given, posture={1: 1.0, 2: 2.0, 3: -2.0})
    assert up.names == down.names
    assert up.method != down.method


def test_a_posture_that_makes_no_sense() -> None:
    with pytest.raises(OptionError, match="expected 3 numbers, q1, q2, q3"):
        base_parameters(symoro.load("fourbar"), posture=[1.0])
    with pytest.raises(OptionError, match="joint 9"):
        base_parameters(symoro.load("fourbar"), posture={9: 1.0})


# -- the numeric method


def test_the_numeric_method_lists_parameters_lost_by_special_numbers() -> None:
    given = robot([{}, {"d": "D2"}, {"alpha": "pi/2", "d": "D3"}], "0 0 -9.81")
    generic = base_parameters(given.bind({"D2": 0.4, "D3": 0.2}), method="numeric")
    assert any("same number" in note for note in generic.notes)
    coaxial = given.replace(nominal=(("D2", 0.0), ("D3", 0.2)))
    result = base_parameters(coaxial, method="numeric")
    assert len(result) == len(base_parameters(coaxial)) - 2
    assert any(
        "2 base parameters of symbolic lengths vanish for these numbers: MX2, MY2" in n for n in result.notes
    )


def test_symbols_without_a_value_get_one_and_are_named() -> None:
    result = base_parameters(CASES["symbolic alpha"], method="numeric")
    assert any("random values" in note and "al2" in note for note in result.notes)
    assert result.names == base_parameters(CASES["symbolic alpha"]).names


def test_numbers_need_no_sympy(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [m for m in sys.modules if m == "sympy" or m.startswith("sympy.")]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "sympy", None)
    numbers = {"D3": 0.4, "RL4": 0.4, "G3": -9.81}
    assert len(base_parameters(symoro.load("scemi").bind(numbers))) == 40
    with pytest.raises(MissingDependencyError, match="SymPy"):
        base_parameters(symoro.load("scemi").replace(name="not met before"))


def test_unknown_method() -> None:
    with pytest.raises(OptionError, match="auto, exact, numeric"):
        base_parameters(symoro.load("rx90"), method="magic")


# -- report, LaTeX, model


def test_report() -> None:
    text = base_parameters(symoro.load("scemi")).report()
    assert "SCEMI: 40 base parameters" in text
    assert "  XXR2 = XX2 - YY2 - D3^2*(M3 + M4 + M5 + M6)\n" in text
    assert "no effect: XX1, XY1, XZ1, YZ1, MX1, MY1, YY1, MZ1, M1, MZ2" in text
    assert "apart: FV1, FS1" in text


def test_latex() -> None:
    text = base_parameters(symoro.load("scemi")).latex()
    assert r"$XXR_{2}$ & $XX_{2} - YY_{2} - D_{3}^{2}\,(M_{3} + M_{4} + M_{5} + M_{6})$ \\" in text
    assert r"I_{a,1}" in text
    assert latex_formula("2*D3^2*sqrt(3)/4 - cos(al)") == r"2\,D_{3}^{2}\,\sqrt{3}/4 - \cos(\mathit{al})"


def test_coefficients() -> None:
    result = base_parameters(CASES["oblique"]).relations
    coefficients = [c for others in result.values() for c in others.values()]
    assert all(isinstance(c, Coefficient) for c in coefficients)
    assert float(Coefficient("sqrt(2)/2")) == pytest.approx(0.5**0.5)
    with pytest.raises(TypeError, match="D3"):
        float(Coefficient("2*D3"))


def test_the_model() -> None:
    given = symoro.load("puma560")
    model = symoro.generate(given, "base-parameters")
    result = base_parameters(given)
    assert model.columns == list(result.names)
    assert model.outputs == {"K": (len(result),)}
    assert not model.inputs
    rng = np.random.default_rng(2)
    values = {name: float(rng.uniform(0.1, 1)) for name in given.symbols()}
    k = model.function(values={p: values[p] for p in model.parameters}, compiled=False)()["K"]
    for number, name in zip(k, result.names, strict=True):
        letters = name.rstrip("0123456789")
        j = int(name[len(letters) :])
        held = result.robot.frame(j).IA if letters == "IA" else getattr(result.robot.link(j), letters)
        assert number == pytest.approx(held.value(values), rel=1e-12)


def test_the_model_of_a_robot_without_mass() -> None:
    bare = symoro.load("rx90")
    none = bare.replace(links=tuple(Link() for _ in bare.links))
    with pytest.raises(NotApplicableError, match="no nonzero inertial parameter"):
        symoro.generate(none, "base-parameters", rotor=False)
