"""Closed loops: every assembly mode, parallelograms, singular configurations, and Newton's method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, OptionError
from symoro.expr.formula import formula
from symoro.models.geometric.inverse.chain.chain import PathMotion, chain_of
from symoro.models.geometric.loop.mechanism import joint_inputs
from symoro.models.geometric.loop.relations import solved_loops
from symoro.program.builder import Builder
from symoro.robot.description import Coupling, Link, Robot
from tests.models.geometric.loops import (
    PI,
    Array,
    Assembly,
    Joint,
    frame,
    open_by,
    planar_platform,
    rhombus,
    ring,
    six_bar,
    two_loops,
)

BUNDLED = ("sr400", "akr3000", "fivebar", "fourbar", "slidercrank")
OTHERS: dict[str, Callable[[], Robot]] = {"two-loops": two_loops, "rhombus": rhombus, "six-bar": six_bar}


def robot_of(name: str) -> Robot:
    return OTHERS[name]() if name in OTHERS else symoro.load(name)


def modes(robot: Robot, qa: Sequence[float] | Array, **options: Any) -> dict[str, Array]:
    return symoro.generate(robot, "loop-geometry", **options).function(compiled=False)(qa=qa)


def drawn(robot: Robot, rng: np.random.Generator) -> Array:
    """Return random active joints, mostly within reach; the pistons of AKR3000 are in the middle of their range."""
    spans = {5: (0.8, 1.0), 6: (0.5, 0.6)} if robot.name == "AKR3000" else {}
    return np.array([rng.uniform(*spans.get(j, (-2.5, 2.5))) for j in Assembly(robot).active])


def check(robot: Robot, qa: Array, outputs: dict[str, Array], wanted: Array, assembly: Assembly) -> None:
    good = outputs["status"] == 0
    rows = np.concatenate([outputs["q"], outputs["qc"]], axis=1)[good]
    assert open_by(robot, outputs["q"][good], outputs["qc"][good]) < 1e-12
    assert (outputs["residual"][good] < 1e-12).all()
    for one in wanted:
        assert any(assembly.distance(one, row) < 1e-6 for row in rows), f"a mode is missing at {qa}"
    assert len(rows) == len(wanted)


@pytest.mark.parametrize("name", [*BUNDLED, *OTHERS])
def test_all_modes_close_and_none_is_missing(name: str) -> None:
    robot = robot_of(name)
    function = symoro.generate(robot, "loop-geometry", modes="all").function(compiled=False)
    assembly, rng = Assembly(robot), np.random.default_rng(5)
    reached = 0
    for _ in range(3):
        qa = drawn(robot, rng)
        result, wanted = function(qa=qa), assembly.every(qa)
        check(robot, qa, result, wanted, assembly)
        reached += len(wanted) > 0
        if not len(wanted):
            assert (result["status"] == 1).all()
    assert reached >= 2


def sides(word: str, rng: np.random.Generator) -> list[Joint]:
    """Return a planar chain: after a prismatic joint, a fixed frame rotates z back to the normal of the plane."""
    results: list[Joint] = []
    for letter in word:
        if letter == "R":
            results.append((0, {"d": rng.uniform(0.3, 1.2)}))
        else:
            results.append((1, {"gamma": rng.uniform(-3, 3), "alpha": PI / 2, "d": rng.uniform(0.1, 0.5)}))
            results.append((2, {"alpha": -PI / 2, "d": rng.uniform(0.1, 0.5)}))
    return results[:-1] if results[-1][0] == 2 else results


def spherical(rng: np.random.Generator) -> list[Joint]:
    return [(0, {"alpha": rng.uniform(0.4, 1.4)}) for _ in range(4)]


def sarrus(rng: np.random.Generator) -> list[Joint]:
    """Return a chain with three parallel axes, then three others: four passive joints besides the cut joint."""
    u = rng.uniform
    second = (0, {"alpha": u(0.5, 1.5), "d": u(0.3, 1), "r": u(0.3, 1)})
    return [
        (0, {}),
        *((0, {"d": u(0.3, 1)}) for _ in range(2)),
        second,
        *((0, {"d": u(0.3, 1)}) for _ in range(2)),
    ]


def lifted(rng: np.random.Generator) -> list[Joint]:
    """Return a chain with parallel axes and a prismatic joint along them."""
    return [(s, {"d": rng.uniform(0.3, 1)}) for s in (0, 0, 1, 0, 0)]


RINGS: dict[str, Callable[[np.random.Generator], list[Joint]]] = {
    **{
        word: lambda rng, word=word: sides(word, rng)  # type: ignore[misc]
        for word in ("RRRR", "RRRP", "RRPR", "RPRR", "PRRR", "RPRP", "RPPR", "PRRP", "PRPR", "PPRR", "RRPP")
    },
    "spherical": spherical,
    "sarrus": sarrus,
    "lifted": lifted,
}


@pytest.mark.parametrize("name", RINGS)
def test_rings_of_every_kind(name: str) -> None:
    rng = np.random.default_rng(sum(map(ord, name)))
    joints = RINGS[name](rng)
    spans = {0: (-2.5, 2.5), 1: (0.2, 1.0), 2: (0.0, 0.0)}
    posture = [rng.uniform(*spans[sigma]) for sigma, _ in joints]
    robot = ring(joints, posture, [1])
    model = symoro.generate(robot, "loop-geometry", method="closed")
    assembly = Assembly(robot)
    result = model.function(compiled=False)(qa=posture[:1])
    own = np.array([q for q, (sigma, _) in zip(posture, joints, strict=True) if sigma < 2])
    rows = np.concatenate([result["q"], result["qc"]], axis=1)[result["status"] == 0]
    assert any(assembly.distance(own, row) < 1e-9 for row in rows)
    check(robot, own[:1], result, assembly.every(own[:1]), assembly)


def test_bennett_with_symbols() -> None:
    """Four skew axes that move only because the lengths match: d / sin(alpha) is the same for all links."""
    frames = (
        frame(0, mu=True),
        frame(1, alpha="a", d="L*sin(a)"),
        frame(2, alpha="b", d="L*sin(b)"),
        frame(3, alpha="a", d="L*sin(a)"),
        frame(0, sigma=2, alpha="-b", d="-L*sin(b)"),
    )
    robot = Robot("bennett", frames, (Link(),) * 3, nominal=(("L", 0.7), ("a", 0.7), ("b", 1.1)))
    model = symoro.generate(robot, "loop-geometry")
    assert set(model.parameters) <= {"L", "a", "b"} and model.outputs["q"] == (1, 3)
    result = model.function(compiled=False)(qa=[1.2])
    check(robot, np.array([1.2]), result, Assembly(robot).every([1.2]), Assembly(robot))


# -- parallelograms


def test_the_parallelogram_of_sr400_is_linear() -> None:
    robot = symoro.load("sr400")
    model = symoro.generate(robot, "loop-geometry")
    assert model.outputs["q"] == (1, 8)
    assert (
        "q3 = -q2 + q7 - pi/2, q8 = q2 - q7, q9 = -q2 + q7; without the crossed mode"
        in model.program.choices[0]
    )
    assert "modes='all'" in model.program.choices[1]
    qa = np.array([0.3, -0.5, 0.1, 0.2, 0.4, 5.0])
    result = model.function(compiled=False)(qa=qa)
    np.testing.assert_allclose(
        result["q"][0, [2, 7]], [5.0 + 0.5 - PI / 2, -5.5]
    )  # linear far out, not wrapped
    np.testing.assert_allclose(result["qc"][0], [5.5])
    assert open_by(robot, result["q"], result["qc"]) < 1e-12


def test_a_parallelogram_on_what_another_loop_gives() -> None:
    model = symoro.generate(two_loops(), "loop-geometry")
    first, second, *_ = model.program.choices
    assert first.startswith("loop 10-12 solved for q6, q8, q10 by Paul's method") and first.endswith(
        "2 modes"
    )
    assert second.startswith("loop 9-11 solved for q4, q7, q9 as a parallelogram, q4 = q8 + g12")
    both = symoro.generate(two_loops().bind({"d12": "d7"}), "loop-geometry")
    assert both.outputs["q"] == (1, 8), "with d12 = d7 the other loop is one as well"


@pytest.mark.parametrize("flip", [False, True])
def test_bars_of_equal_length_are_recognised_from_symbols(flip: bool) -> None:
    """Also if links are described with opposite axes."""
    robot = symoro.load("fourbar")
    if flip:
        robot = robot.with_frame(2, alpha="pi").with_frame(4, alpha="-pi")
    general = symoro.generate(robot, "loop-geometry")
    assert general.outputs["q"][0] == 2
    equal = robot.bind({"D5": "D2", "D4": "D3"})
    linear = symoro.generate(equal, "loop-geometry")
    assert linear.outputs["q"][0] == 1
    values = {"D2": 0.4, "D3": 0.9}
    result = linear.function(values, compiled=False)(qa=[0.7])
    sign = -1 if flip else 1
    np.testing.assert_allclose(result["q"][0], [0.7, -sign * 0.7, 0.7], atol=1e-15)
    assert open_by(equal, result["q"], result["qc"], values) < 1e-12
    kite = robot.bind({"D3": "D2", "D5": "D4"})
    assert symoro.generate(kite, "loop-geometry").outputs["q"][0] == 2


def test_a_parallelogram_with_a_bent_rocker() -> None:
    """The rocker has a fixed frame: its side is (0.4, 0.3) in the axes of its joint, with the crank's length 0.5."""
    frames = (
        frame(0, mu=True),
        frame(1, d=0.5),
        frame(0, d=0.3),
        frame(3, sigma=2, d=0.4),
        frame(2, d=0.3),
        frame(4, sigma=2, d=0.3, gamma="pi/2"),
    )
    robot = Robot("bent", frames, (Link(),) * 4)
    result = modes(robot, [0.7])
    assert result["status"].tolist() == [0] and open_by(robot, result["q"], result["qc"]) < 1e-12
    np.testing.assert_allclose(result["q"][0], [0.7, -0.7, 0.7 - np.arctan2(0.3, 0.4)], atol=1e-15)


def test_the_crossed_mode() -> None:
    robot = symoro.load("fourbar").bind({"D5": "D2", "D4": "D3"})
    result = modes(robot, [1.0], modes="all")
    assert result["status"].tolist() == [0, 0]
    assert result["q"][0, 2] == 1.0 and result["q"][1, 2] < 0
    assert open_by(robot, result["q"], result["qc"]) < 1e-12


# -- no mode, or coincident modes


def test_out_of_reach() -> None:
    robot = symoro.load("fivebar")
    result = modes(robot, [PI, 0.0])
    assert result["status"].tolist() == [1, 1] and np.isfinite(result["q"]).all()
    assert (result["residual"] > 0.1).all()
    crank = symoro.generate(symoro.load("slidercrank"), "loop-geometry").function(
        {"D2": 0.4, "D4": 0.3}, compiled=False
    )
    result = crank(qa=[PI / 2])
    assert result["status"].tolist() == [1, 1] and (result["residual"] > 0.1).all()
    driven = symoro.load("slidercrank").with_frame(1, mu=False).with_frame(3, mu=True)
    result = modes(driven, [0.0])
    assert result["status"].tolist() == [1, 1], "the rod is longer than the crank and cannot fold onto it"


def test_modes_that_meet_are_singular() -> None:
    """Non-Grashof: the crank stops where coupler and rocker are aligned."""
    robot = symoro.load("fourbar")
    values = {"D2": 0.9, "D3": 0.8, "D4": 0.3, "D5": 0.6}
    function = symoro.generate(robot, "loop-geometry").function(values, compiled=False)
    stop = np.arccos((0.9**2 + 0.8**2 - 0.9**2) / (2 * 0.9 * 0.8))
    result = function(qa=[stop])
    assert result["status"].tolist() == [2, 3], "two modes that coincide count once"
    np.testing.assert_allclose(result["q"][0], result["q"][1], atol=1e-6)
    assert open_by(robot, result["q"], result["qc"], values) < 1e-9
    assert function(qa=[stop - 1e-3])["status"].tolist() == [0, 0]
    assert function(qa=[stop + 1e-3])["status"].tolist() == [1, 1]


def test_a_joint_left_free_keeps_its_value() -> None:
    """The motors of a five-bar coincide: the two distal bars rotate together."""
    robot = symoro.load("fivebar")
    model = symoro.generate(robot, "loop-geometry")
    result = model.function({"D3": 0.4}, compiled=False)(qa=[0.0, PI], q0=[0.0, 0.0, 0.0, 0.5])
    assert result["status"].tolist() == [2, 3]
    assert result["q"][0, 3] == pytest.approx(0.5) and result["free"][0].tolist() == [0, 0, 0, 1]
    assert open_by(robot, result["q"][:1], result["qc"][:1], {"D3": 0.4}) < 1e-12


@pytest.mark.parametrize("qa", [[0.5, 0.5], [0.5, 0.5 + PI]])
def test_a_rhombus_that_lies_flat(qa: list[float]) -> None:
    for option in ("parallelogram", "all"):
        result = modes(rhombus(), qa, modes=option)
        assert result["status"][0] == 2 and np.isfinite(result["q"]).all()
        good = result["status"] < 3
        assert open_by(rhombus(), result["q"][good], result["qc"][good]) < 1e-9


@pytest.mark.parametrize("name", [*BUNDLED, *OTHERS])
def test_no_mode_is_valid_and_open(name: str) -> None:
    """At random positions, including multiples of right angles and zero lengths."""
    robot = robot_of(name)
    function = symoro.generate(robot, "loop-geometry", modes="all").function(compiled=False)
    rng = np.random.default_rng(1)
    qa = rng.uniform(-4, 4, (300, len(Assembly(robot).active)))
    qa[:150] = np.round(qa[:150]) * PI / 2
    result = function(qa=qa)
    good = (result["status"] == 0) | (result["status"] == 2)
    rows = np.concatenate([result["q"], result["qc"]], axis=2)[good]
    assert np.isfinite(rows).all()
    assert np.abs(Assembly(robot).gap(rows)).max(initial=0) < 1e-9


# -- order of modes, joints and loops


def test_a_mode_is_one_row_along_a_path() -> None:
    robot = six_bar()
    function = symoro.generate(robot, "loop-geometry").function(compiled=False)
    result = function(qa=np.linspace(0.2, 0.9, 141)[:, None])
    assert (result["status"] == 0).all() and result["q"].shape == (141, 4, 5)
    moved = np.diff(np.concatenate([result["q"], result["qc"]], axis=2), axis=0)
    assert np.abs((moved + PI) % (2 * PI) - PI).max() < 0.05


def test_lengths_stay_symbols() -> None:
    model = symoro.generate(symoro.load("fourbar"), "loop-geometry")
    assert set(model.parameters) == {"D2", "D3", "D4", "D5"}
    assert [port.symbols for port in model.program.inputs] == [("q1",), ("q0_1", "q0_2", "q0_3"), ("q0_4",)]


def test_joints_that_gears_drive() -> None:
    geared = Coupling(((1, formula(2)),), formula(0.4))
    frames = (
        frame(0, mu=True),
        frame(1, d=0.3),
        frame(0, coupling=geared, d=0.5),
        frame(3, d=0.25),
        frame(2, d=0.45),
        frame(4, sigma=2, d=0.4),
    )
    robot = Robot("geared", frames, (Link(),) * 4)
    result = modes(robot, [0.7])
    assert result["q"].shape == (2, 3) and result["status"].tolist() == [0, 0]
    check(robot, np.array([0.7]), result, Assembly(robot).every([0.7]), Assembly(robot))


def test_relations_as_data() -> None:
    robot = symoro.load("sr400")
    builder = Builder("relations")
    active, start = joint_inputs(builder, robot)
    relations = solved_loops(builder, robot, active, start)
    (one,) = relations.solved
    assert not relations.unsolved and one.modes == 1 and sorted(relations.joints) == [3, 8, 9]
    assert one.linear[8].terms == ((2, 1), (7, -1)) and one.linear[8].constant.is_zero
    assert str(one.linear[3]) == "-q2 + q7 - pi/2"


def test_the_derivation_can_be_read() -> None:
    explanation = "\n".join(symoro.generate(two_loops(), "loop-geometry", modes="all").explain())
    assert "1. loop 10-12, " in explanation and "type 8" in explanation
    assert (
        "loop 9-11: parallelogram\n   q4 = g12 + q8" in explanation
        and "crossed: two sides reflected" in explanation
    )


def test_sums_are_not_taken_for_joints_of_two_digits() -> None:
    builder = Builder("labels")
    motions = [PathMotion(joint=j) if j else PathMotion("x", 1, 1) for j in (1, 2, 0, 12)]
    unit = [[float(r == c) for c in range(4)] for r in range(4)]
    chain = chain_of(builder, motions, unit, lambda x: x.is_zero)  # type: ignore[arg-type]
    assert [u.label for u in chain.unknowns] == ["1", "1_2", "12"]


# -- Newton's method


def test_newton_follows_the_mode_of_the_posture() -> None:
    robot = symoro.load("fivebar")
    closed = symoro.generate(robot, "loop-geometry").function(compiled=False)
    model = symoro.generate(robot, "loop-geometry", method="numeric")
    assert model.program.choices[0].startswith(
        "Newton's method, as required by the option method: one assembly mode"
    )
    newton = model.function(compiled=False)
    start, end = closed(qa=[1.4, 1.5]), closed(qa=[0.6, 2.1])
    for k in (0, 1):
        result = newton(qa=[0.6, 2.1], q0=start["q"][k], qc0=start["qc"][k])
        assert result["status"].tolist() == [0] and result["residual"][0] < 1e-12
        rows = [np.concatenate([out["q"][i], out["qc"][i]]) for out, i in ((result, 0), (end, k))]
        assert Assembly(robot).distance(*rows) < 1e-9
    beyond = newton(qa=[PI, 0.0], q0=start["q"][0], qc0=start["qc"][0])
    assert beyond["status"].tolist() == [1] and np.isfinite(beyond["q"]).all()


def test_newton_tells_singular_postures() -> None:
    robot = symoro.load("fourbar").bind({"D5": "D2", "D4": "D3"})
    newton = symoro.generate(robot, "loop-geometry", method="numeric", steps=1).function(compiled=False)
    assert newton(qa=[0.0])["status"].tolist() == [2]
    assert newton(qa=[0.5], q0=[0.5, -0.5, 0.5], qc0=[0.5])["status"].tolist() == [0]


def test_loops_that_hang_together() -> None:
    """A platform with three legs: none of its loops can be solved alone."""
    robot = planar_platform()
    with pytest.raises(NotApplicableError, match="no closed form exists for loop 8-10, 9-11"):
        symoro.generate(robot, "loop-geometry", method="closed")
    model = symoro.generate(robot, "loop-geometry")
    assert "no closed form exists for loop 8-10, 9-11: one assembly mode" in model.program.choices[0]
    start, *_ = Assembly(robot).every([0.5, 0.6, 0.55])
    result = model.function(compiled=False)(qa=[0.52, 0.57, 0.58], q0=start[:7], qc0=start[7:])
    assert result["status"].tolist() == [0] and open_by(robot, result["q"], result["qc"]) < 1e-12


def test_six_unknowns_at_once() -> None:
    """Seven random joints: five passive ones besides the cut joint, all modes by the general kernel."""
    rng = np.random.default_rng(0)
    joints: list[Joint] = [
        (
            0,
            {
                "alpha": rng.uniform(-1.5, 1.5),
                "d": rng.uniform(0.1, 0.6),
                "r": rng.uniform(-0.3, 0.3),
            },
        )
        for _ in range(7)
    ]
    posture = rng.uniform(-2, 2, 7)
    robot = ring(joints, list(posture), [1])
    model = symoro.generate(robot, "loop-geometry", method="closed")
    assert model.outputs["q"] == (16, 6) and "elimination and eigenvalues" in model.program.choices[0]
    result = model.function(compiled=False)(qa=posture[:1])
    assembly = Assembly(robot)
    check(robot, posture[:1], result, assembly.every(posture[:1], starts=150), assembly)
    assert (result["status"] == 0).sum() == 4


# -- refusals


def test_robots_that_it_does_not_apply_to() -> None:
    fourbar, fivebar = symoro.load("fourbar"), symoro.load("fivebar")
    refused = {
        "it has no closed loop": symoro.load("rx90"),
        "none of its joints is active": fourbar.with_frame(1, mu=False),
        "are not independent": fourbar.with_frame(2, mu=True),
        "leave 1 degree of freedom of its loops undetermined": fivebar.with_frame(3, mu=False),
        "joint 4 is passive but not part of a loop": symoro.load("sr400").with_frame(4, mu=False),
        "no configuration closes": fourbar.bind({"D2": 5, "D3": 0.1, "D4": 0.1, "D5": 0.1}),
    }
    fit = {"are not independent": "joint 1 active", "leave 1 degree": "joints 1, 2 active"}
    for words, robot in refused.items():
        with pytest.raises(NotApplicableError, match=words) as caught:
            symoro.generate(robot, "loop-geometry")
        assert all(hint in str(caught.value.hint) for start, hint in fit.items() if words.startswith(start))
    with pytest.raises(OptionError, match="at least 1"):
        symoro.generate(fourbar, "loop-geometry", method="numeric", steps=0)
