"""Design studies: optima against grid searches and theory, reproducibility, errors with line and column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import FormatError, OptionError, SymoroError, UnknownNameError
from symoro.study import DesignStudy, bundled_studies, load_study, optimise_design, read_study

TWO_LINKS = """\
robot: planar2r
variables: {D2: [0.2, 1.0], D3: [0.2, 1.0]}
objectives:
  - {measure: manipulability, over: {q2: [10, 170, 17]}, at: {q1: 0}, degrees: true, task: "x,y", maximise: true}
constraints:
  - {expression: D2 + D3, most: 1}
algorithm: {population: 20, generations: 200}
seed: 3
"""


def test_two_links_of_limited_length_are_equal() -> None:
    """The manipulability of a planar arm is D2 D3 |sin q2| (Yoshikawa), largest for equal links."""
    result = optimise_design(read_study(TWO_LINKS))
    assert result.designs[0] == pytest.approx([0.5, 0.5], abs=1e-3)
    angles = np.radians(np.linspace(10, 170, 17))
    assert result.objectives[0, 0] == pytest.approx(0.25 * np.sin(angles).mean(), rel=1e-5)
    assert result.constraints[0, 0] <= 1 + 1e-9 and result.converged
    assert result.history[-1] == pytest.approx(result.objectives[0, 0])
    assert result.robot().symbols() == tuple(
        s for s in symoro.load("planar2r").symbols() if s not in ("D2", "D3")
    )


def test_the_same_seed_gives_the_same_design() -> None:
    study = read_study(TWO_LINKS.replace("200}", "5}"))
    first, second = optimise_design(study), optimise_design(study)
    assert np.array_equal(first.designs, second.designs)
    assert not np.array_equal(first.designs, optimise_design(replace(study, seed=4)).designs)


def test_a_six_joint_arm_against_a_grid_search() -> None:
    study = load_study("elbow-arm")
    result = optimise_design(study)
    (objective,) = study.objectives
    table = symoro.sweep(
        "rx90",
        "jacobian",
        over={"D3": (0.2, 0.7, 41), "RL4": (0.2, 0.7, 41), **objective.over},
        at=objective.at,
        degrees=True,
        measures=["manipulability"],
    ).columns
    points = {name: column.reshape(41 * 41, -1) for name, column in table.items()}
    allowed = points["D3"][:, 0] + points["RL4"][:, 0] <= 0.9 + 1e-9
    values = np.where(allowed, points["manipulability"].mean(1), -np.inf)
    best = int(values.argmax())
    assert result.objectives[0, 0] >= values[best]
    assert result.objectives[0, 0] == pytest.approx(values[best], rel=2e-3)
    cell = 0.5 / 40
    assert result.designs[0] == pytest.approx([points["D3"][best, 0], points["RL4"][best, 0]], abs=2 * cell)


def test_the_front_of_a_five_bar_robot_against_a_grid_search() -> None:
    pytest.importorskip("pymoo")
    study = load_study("fivebar")
    result = optimise_design(study)
    count = 33
    grid = {name: (*ends, count) for name, ends in study.variables.items()}
    dexterity, torque, distance = (
        symoro.sweep(
            study.robot,
            one.model,
            over={**grid, **one.over},
            at=one.at,
            measures=[one.measure],
            task=["x", "y"],
            length=one.settings.get("length", 1.0),
            mode=one.settings["mode"],
        ).columns
        for one in (*study.objectives, *study.constraints)
    )
    good = dexterity["inverse_condition"].reshape(count**2, -1).mean(1)
    cost = torque["max_tau"].reshape(count**2, -1).max(1)
    least = distance["singularity_distance_parallel"].reshape(count**2, -1).min(1)
    feasible = np.isfinite(good) & np.isfinite(cost) & (least >= 0.5)
    assert 50 < feasible.sum() < count**2
    points = np.stack([good, cost], axis=1)[feasible]
    front = result.objectives
    span = points.max(0) - points.min(0)
    for value, price in points:  # no point of the grid is clearly better than the front in both objectives
        reached = (front[:, 0] >= value - 0.01 * span[0]) & (front[:, 1] <= price + 0.01 * span[1])
        assert reached.any(), (value, price)
    for value, price in front:  # and no design of the front is dominated by another one
        better = (front[:, 0] >= value) & (front[:, 1] <= price)
        assert better.sum() == 1
    again = optimise_design(study)
    assert np.array_equal(again.designs, result.designs) and np.array_equal(again.objectives, front)


def test_a_study_without_feasible_design_is_reported() -> None:
    text = TWO_LINKS.replace("most: 1}", "most: 0.3, name: size}").replace("200}", "3}")
    with pytest.raises(OptionError, match=r"no design.*'size'"):
        optimise_design(read_study(text))
    unreachable = """\
robot: fivebar
variables: {D2: [0.1, 0.2]}
objectives: [{measure: condition, over: {x: [2, 3, 2]}, at: {y: 0.3, z: 0}, task: "x,y"}]
algorithm: {population: 5, generations: 2}
"""
    with pytest.raises(OptionError, match="undefined"):
        optimise_design(read_study(unreachable))


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "words"),
    [
        ("planar2r", "planar99", 1, 8, "planar99"),
        ("D3: [0.2, 1.0]", "Q7: [0.2, 1.0]", 2, 29, "'Q7' is not a symbol"),
        ("[0.2, 1.0], D3", "[1.0, 0.2], D3", 2, 17, "empty"),
        ("[0.2, 1.0], D3", "[0.2], D3", 2, 17, "low, high"),
        ("measure: manipulability", "measure: beauty", 4, 15, "beauty"),
        ("measure: manipulability, ", "", 4, 5, "either a measure or an expression"),
        ("maximise: true", "maximise: perhaps", 4, 109, "true or false"),
        ("[10, 170, 17]", "[10, 170]", 4, 42, "low, high, count"),
        ("most: 1", "mist: 1", 6, 5, "unknown key 'mist'"),
        (", most: 1", "", 6, 5, "bound is missing"),
        ("D2 + D3", "D2 +", 6, 22, "expression|expected"),
        ("population: 20", "population: -3", 7, 25, "whole number"),
        ("seed: 3", "seed: three", 8, 7, "whole number"),
        ("seed: 3", "seeds: 3", 8, 1, "unknown key 'seeds'"),
    ],
)
def test_errors_contain_line_and_column(old: str, new: str, line: int, column: int, words: str) -> None:
    assert old in TWO_LINKS
    with pytest.raises(FormatError, match=words) as raised:
        read_study(TWO_LINKS.replace(old, new), "study.yaml")
    place = raised.value.place
    assert place is not None and (place.file, place.line, place.column) == ("study.yaml", line, column)


def test_errors_of_the_models_name_the_objective() -> None:
    study = read_study(TWO_LINKS.replace("q2: [10", "q9: [10"), "study.yaml")
    with pytest.raises(SymoroError, match="q9") as raised:
        optimise_design(study)
    place = raised.value.place
    assert place is not None and (place.line, place.key) == (4, "objectives[1]")


def test_bundled_studies_and_unknown_ones() -> None:
    assert {"elbow-arm", "fivebar"} <= {*bundled_studies()}
    assert all(isinstance(load_study(name), DesignStudy) for name in bundled_studies())
    with pytest.raises(UnknownNameError, match="fivebra"):
        load_study("fivebra")
    with pytest.raises(FormatError, match="cannot be read"):
        load_study("none.yaml")
