"""The kernel closed_chain in every language that can be run here, against NumPy; the others are read."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

from symoro.emit import emit
from symoro.models.geometric.inverse.general.plan import plan
from symoro.program.builder import Builder
from tests.emit.programs import SAMPLES, Case
from tests.emit.run import (
    WRAPPER_NAMES,
    Results,
    c_library,
    cpp_library,
    fortran_library,
    run_javascript,
    run_library,
    run_octave,
    run_python,
)
from tests.oracle.loops import ARMS, Arm, general, kinds_with
from tests.oracle.near_singular import near_singular

WHO = {
    "puma": ARMS["puma560"],  # solutions share the pivot's value
    "sliding": general(kinds_with(2, 4), 3),
    "apart": general(kinds_with(1, 4), 4),
}


def case_of(name: str, arm: Arm) -> Case:
    b = Builder(f"loop_{name}")
    c = b.input("C", (72,))
    rows = b.call("closed_chain", c, [int(k) for k in arm.kinds], list(plan(arm.kinds, arm.sample)))
    b.output("S", [rows[7 * k : 7 * k + 7] for k in range(16)])
    rng = np.random.default_rng(3)
    return Case(b.program(), {"C": np.array([arm.sample(rng)[0] for _ in range(SAMPLES)])}, {})


def near_double_roots() -> Case:
    """An arm whose wrist is 1e-4 from a singular posture: pairs of solutions nearly meet."""
    arm = ARMS["jaco2"]
    case = case_of("near", arm)

    def jacobians(q: np.ndarray) -> np.ndarray:
        made = []
        for row in q:
            slopes = []
            for k in range(6):
                ends = [arm.pose(row + h * np.eye(6)[k]) for h in (-1e-5, 1e-5)]
                turn = (ends[1] - ends[0])[:3, :3] @ arm.pose(row)[:3, :3].T
                slopes.append([*(ends[1] - ends[0])[:3, 3], turn[2, 1], turn[0, 2], turn[1, 0]])
            made.append(np.array(slopes).T / 2e-5)
        return np.array(made)

    q = near_singular(jacobians, 4, np.full(SAMPLES, 1e-4), np.random.default_rng(8))
    case.inputs["C"][:] = [arm.constants(arm.pose(row)) for row in q]
    return case


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [*(case_of(name, arm) for name, arm in WHO.items()), near_double_roots()]


def assert_same(found: Results, cases: list[Case], tolerance: float = 1e-9) -> None:
    for case, result in zip(cases, found, strict=True):
        expected = case.expected()["S"]
        np.testing.assert_allclose(result["S"][..., :6], expected[..., :6], rtol=0, atol=tolerance)
        full = expected[..., 6] < 1e29
        assert (full == (result["S"][..., 6] < 1e29)).all()
        assert full.any(1).all()
        assert result["S"][..., 6][full].max() < tolerance


def test_c(tmp_path: Path, cases: list[Case]) -> None:
    library = c_library(tmp_path, cases)
    assert_same(run_library(library, cases), cases)
    assert_same(run_library(library, cases, batch=True), cases)


def test_c_in_float(tmp_path: Path, cases: list[Case]) -> None:
    cases = cases[:-1]  # a pose rounded to single precision is no longer close to a double root
    library = c_library(tmp_path, cases, "-Wno-conversion", "-Wdouble-promotion", scalar="float")
    assert_same(run_library(library, cases, scalar="float32"), cases, 1e-3)


def test_cpp(tmp_path: Path, cases: list[Case]) -> None:
    assert_same(run_library(cpp_library(tmp_path, cases), cases, names=WRAPPER_NAMES), cases)


def test_fortran(tmp_path: Path, cases: list[Case]) -> None:
    library = fortran_library(tmp_path, cases)
    assert_same(run_library(library, cases, names=WRAPPER_NAMES, fortran=True), cases)


def test_python(tmp_path: Path, cases: list[Case]) -> None:
    assert_same(run_python(tmp_path, cases, batch=True), cases, 1e-11)


def test_octave(tmp_path: Path, cases: list[Case]) -> None:
    assert_same(run_octave(tmp_path, cases), cases)


def test_javascript(tmp_path: Path, cases: list[Case]) -> None:
    assert_same(run_javascript(tmp_path, cases), cases)
    assert_same(run_javascript(tmp_path, cases, batch=True), cases)


def test_julia_parses(cases: list[Case]) -> None:
    tree_sitter = pytest.importorskip("tree_sitter")
    grammar = pytest.importorskip("tree_sitter_julia")
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    (text,) = emit(cases[0].program, "julia").values()
    assert not parser.parse(text.encode()).root_node.has_error


@pytest.mark.parametrize("language", ["maple", "mathematica"])
def test_brackets_match(cases: list[Case], language: str) -> None:
    (text,) = emit(cases[0].program, language).values()
    code = re.sub(r"\(\*.*?\*\)|^#.*?$", "", text, flags=re.S if language == "mathematica" else re.M)
    for opening, closing in ("()", "[]", "{}"):
        assert code.count(opening) == code.count(closing)
    called = "kernelClosedChain[112," if language == "mathematica" else "closed_chain_(112,"
    assert called in text


def test_no_solution_in_c(tmp_path: Path) -> None:
    """Out of reach, not a number, no rotation: sixteen empty slots in C too."""
    case = case_of("bad", ARMS["rx90"])
    assert SAMPLES == 3
    case.inputs["C"][0, 63::4] *= 50
    case.inputs["C"][1, 5] = np.nan
    case.inputs["C"][2] = 7
    (found,) = run_library(c_library(tmp_path, [case]), [case])
    assert (found["S"][..., 6] == 1e30).all()
    assert (found["S"][..., :6] == 0).all()


def test_c_finds_configurations_again(tmp_path: Path) -> None:
    """Many samples in one call."""
    arms = {"jaco": ARMS["jaco2"], "one": general(kinds_with(5), 8)}
    cases = [case_of(name, arm) for name, arm in arms.items()]
    library = ctypes.CDLL(str(c_library(tmp_path, cases)))
    rng, count = np.random.default_rng(11), 500
    for name, arm in arms.items():
        constants, q = (np.array(part) for part in zip(*(arm.sample(rng) for _ in range(count)), strict=True))
        given, out = np.ascontiguousarray(constants.T), np.zeros((112, count))
        pointers = (a.ctypes.data_as(ctypes.c_void_p) for a in (given, out))
        getattr(library, f"loop_{name}_batch")(ctypes.c_size_t(count), *pointers)
        table = out.T.reshape(count, 16, 7)
        gap = np.abs(table[..., :6] - q[:, None])
        near = (
            np.where(np.array(arm.kinds) == 0, np.minimum(gap, np.abs(gap - 2 * np.pi)), gap).max(-1) < 1e-6
        )
        assert near.any(1).all()
        assert table[..., 6][table[..., 6] < 1e29].max() < 1e-9
