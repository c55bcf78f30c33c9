"""Regressor against inverse dynamics: W K = tau, rank, columns, operation count."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symoro
from symoro.emit import LANGUAGES
from symoro.errors import NotApplicableError
from symoro.expr.formula import Formula
from symoro.models.dynamic.formulation import plain
from symoro.models.identification.columns import columns
from symoro.models.identification.dynamic_regressor import formulations, regressor_program
from symoro.program.interpret import interpret
from symoro.robot.coordinates import independent
from symoro.robot.description import INERTIAL, WRENCH, Link, Robot
from tests.models.dynamic.cases import error, examples, heavy_trees, outputs, seeded_tree, state
from tests.models.identification.linear import bare, library, numbers, run
from tests.oracle.golden import golden

CLOSE = 1e-12
ROBOTS = ("rx90", "puma560", "stanford", "scara", "cartpole", "panda", "gantry", "humanoid_torso")
RANKS = ("RX90", "PUMA560", "Stanford", "SCARA", "RPR", "Tree5")


def check(robot: Robot, seed: int, **options: str) -> None:
    robot = bare(robot)
    model = symoro.generate(robot, "dynamic-identification", **options)
    at = state(robot, seed)
    result = run(model, at)["W"] @ numbers(model, options.get("parameters", "standard"))
    assert error(result, outputs(robot, "inverse-dynamics", at)["tau"]) < CLOSE


def massive(robot: Robot) -> bool:
    return any(frame.moving and frame.coupling is None for frame in robot.frames)


@given(heavy_trees(most=6).filter(massive), st.integers(0, 1000))
@examples(30)
def test_random_trees(robot: Robot, seed: int) -> None:
    check(robot, seed)


@pytest.mark.parametrize("seed", range(12))
def test_seeded_trees(seed: int) -> None:
    check(seeded_tree(seed, coupled=seed % 2 == 0), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_many_seeded_trees(seed: int) -> None:
    check(seeded_tree(seed), seed)


@pytest.mark.parametrize("name", ROBOTS)
def test_library(name: str) -> None:
    for parameters in ("standard", "base"):
        check(library(name), 3, parameters=parameters)


@pytest.mark.parametrize("name", RANKS)
def test_golden_torques(name: str) -> None:
    """W K plus the torques of external wrenches equals the torques of another implementation."""
    known = golden(name)
    env = known.data["env"]
    wrench = {s: env[s] for s in known.robot.symbols() if s.rstrip("0123456789") in WRENCH}
    loads, free = (replace(known, robot=r) for r in (known.robot.bind(wrench), bare(known.robot)))
    added = loads.run("inverse-dynamics")["tau"] - free.run("inverse-dynamics")["tau"]
    model = symoro.generate(free.robot, "dynamic-identification")
    result = free.run("dynamic-identification")["W"] @ numbers(model, values=env)
    assert error(result + added, np.array(known.expected["tau"])) < 1e-10


@pytest.mark.parametrize("name", RANKS)
def test_rank(name: str) -> None:
    """The rank over many samples is the number of base parameters, and their columns have full rank."""
    known = golden(name)
    stacked = {}
    for parameters in ("standard", "base"):
        model = symoro.generate(known.robot, "dynamic-identification", parameters=parameters, friction="none")
        values = {p: known.data["env"][p] for p in model.parameters}
        n = len(independent(known.robot))
        motion = np.random.default_rng(1).uniform(-2, 2, (3, 120, n))
        at = dict(zip(("q", "qd", "qdd"), motion, strict=True))
        stacked[parameters] = model.function(values, compiled=False)(**at)["W"].reshape(
            -1, len(model.columns)
        )
    rank = _rank(stacked["standard"])
    assert rank == known.expected.get("n_base_params_numeric_rank", rank)
    assert stacked["base"].shape[1] == _rank(stacked["base"]) == rank


def _rank(w: np.ndarray) -> int:
    size = np.abs(w).max(axis=0)
    there = size > 1e-9 * size.max()
    return int(np.linalg.matrix_rank(w[:, there] / size[there], tol=1e-8))


# -- columns


def test_columns_are_the_parameters_that_are_not_zero() -> None:
    robot = library("planar2r").with_link(1, XX=0, MZ=0).with_frame(2, FS=0, IA=0)
    names = symoro.generate(robot, "dim").columns
    assert names[:9] == ["XY1", "XZ1", "YY1", "YZ1", "ZZ1", "MX1", "MY1", "M1", "IA1"]
    assert names[9:12] == ["FV1", "FS1", "FO1"]
    assert names[12:] == [*(f"{n}2" for n in INERTIAL), "FV2", "FO2"]


def test_friction_on_request() -> None:
    robot = library("planar2r").with_frame(2, FV=0, FS=0, FO=0)
    assert [c.name for c in columns(robot, friction="all") if c.kind[0] == "F"] == [
        *("FV1", "FS1", "FO1"),
        *("FV2", "FS2", "FO2"),
    ]
    assert not [c for c in columns(robot, friction="none") if c.kind[0] == "F"]
    model = symoro.generate(robot, "dim", friction="all")
    at = {"q": np.zeros(2), "qd": np.array([-2.0, 3.0]), "qdd": np.zeros(2)}
    w = run(model, at)["W"]
    assert [w[1, model.columns.index(n)] for n in ("FV2", "FS2", "FO2")] == [3.0, 1.0, 1.0]
    assert [w[0, model.columns.index(n)] for n in ("FV1", "FS1", "FO1")] == [-2.0, -1.0, 1.0]


def test_massless_robot_is_rejected() -> None:
    robot = symoro.load("planar2r").replace(links=(Link(), Link()))
    with pytest.raises(NotApplicableError, match="inertial parameters"):
        symoro.generate(robot, "dynamic-identification")


def test_formulations_agree() -> None:
    robot = bare(seeded_tree(5))
    at, chosen = state(robot, 5), columns(robot)
    results = []
    for formulation in (*formulations(robot), plain(robot)):
        program = regressor_program(robot, formulation, chosen)
        results.append(
            interpret(program, {p.name: at[p.name] for p in program.inputs}, dict(robot.nominal))["W"]
        )
    assert all(error(w, results[0]) < CLOSE for w in results)


# -- code


def with_rotors(name: str) -> Robot:
    """Return a bundled robot with symbols for all identifiable parameters except friction."""
    robot = symoro.load(name)
    if name == "puma560":  # as the peers have it: the shoulder's offset booked on joint 3
        robot = robot.with_frame(2, r=0)
    for j in range(1, robot.NL + 1):
        robot = robot.with_frame(j, IA=Formula(f"IA{j}"), FV=0, FS=0, FO=0)
        robot = robot.with_link(j, **{n: Formula(f"{n}{j}") for n in INERTIAL})
    return robot


@pytest.mark.parametrize(("name", "most"), [("rx90", 610), ("puma560", 662)])
def test_operations(name: str, most: int) -> None:
    made = symoro.generate(with_rotors(name), "dynamic-identification", parameters="base").count()
    assert made.multiplications + made.additions <= most


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
@pytest.mark.parametrize("name", ["dynamic", "energy", "power", "filtered"])
def test_c_agrees(name: str) -> None:
    robot = library("stanford")
    model = symoro.generate(robot, f"{name}-identification")
    at = {key: value for key, value in state(robot, 2).items() if key in model.inputs}
    compiled, plainly = model.function(compiled=True)(**at), model.function(compiled=False)(**at)
    for output, value in plainly.items():
        assert error(compiled[output], value) < CLOSE


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language(language: str) -> None:
    for name in ("dynamic", "energy", "power", "filtered"):
        text = "".join(symoro.generate(library("planar2r"), f"{name}-identification").code(language).values())
        assert text


def test_the_header_explains_the_names_of_base_columns() -> None:
    """Column ZZ1 belongs to the base parameter that the report calls ZZR1."""
    model = symoro.generate("rx90", "dynamic-identification", parameters="base")
    assert "ZZ1" in model.columns
    assert any("ZZ1 is the column of the base parameter ZZR1" in note for note in model.notes)
    assert not symoro.generate("rx90", "dynamic-identification").notes
