"""Test the header of every emitted file."""

from __future__ import annotations

from functools import cache

import pytest

from symoro import Model, generate
from symoro.emit import LANGUAGES
from symoro.emit.header import unit_groups
from symoro.emit.latex import symbol_of
from symoro.robot.formats import loads


@cache
def model() -> Model:
    return generate("rx90", "inverse-dynamics")


def header(language: str) -> str:
    """Return the header of the main file in one line, without comment signs."""
    text = next(text for text in model().code(language).values() if "Operations" in text)
    lines = text.partition("Made by")[0].splitlines()
    return " ".join(line.strip(" */!%#(") for line in lines)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_header_counts_what_the_model_counts(language: str) -> None:
    assert f"Operations per call: {model().count()}" in " ".join(header(language).split())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_header_contains_the_title_once(language: str) -> None:
    assert header(language).count(model().entry.title) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_header_has_the_units(language: str) -> None:
    text = " ".join(header(language).split())
    assert "joint velocities, in rad/s" in text
    assert "joint torques and forces, in N m" in text
    assert "D RL in m; ZZ XX XY XZ YY YZ IA in kg m2; MX MY MZ in kg m; M in kg; G in m/s2" in text


def test_parameters_of_one_stem_and_several_units_are_listed_each() -> None:
    units = {"IA1": "kg m2", "IA2": "kg", "M1": "kg", "M2": "kg", "x": "m"}
    assert unit_groups(["IA1", "IA2", "M1", "M2", "x", "c1"], units) == {
        "kg m2": ["IA1"],
        "kg": ["IA2", "M"],
        "m": ["x"],
    }


def test_latex_has_the_symbols_of_the_table() -> None:
    names = ("q2", "qd2", "qdd11", "qd", "tau3", "IA4", "XX2", "G3", "q0_1", "C2_3", "M3__2", "M3__3")
    assert [symbol_of(name) for name in names] == [
        "q_{2}",
        r"\dot q_{2}",
        r"\ddot q_{11}",
        r"\dot q",
        r"\Gamma_{3}",
        "I_{a,4}",
        r"\mathit{XX}_{2}",
        "g_{3}",
        "q_{0,1}",
        "C_{2,3}",
        "M_{3}'",
        "M_{3}''",
    ]
    text = next(iter(model().code("latex").values()))
    assert r"\dot q_{1}" in text
    assert r"\ddot q_{1}" in text
    assert r"\mathit{qd}" not in text


NAMED = """<robot name="named"><link name="a"/><link name="b"/><link name="c"/>
  <joint name="lift_joint" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="slide_joint" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_joint_names_of_a_urdf(language: str) -> None:
    made = generate(loads(NAMED, "urdf"), "fast-geometry")
    text = " ".join("".join(made.code(language).values()).split())
    assert "joints: q1 lift_joint, q2 slide_joint" in text


def test_joint_names_in_readme_and_examples() -> None:
    made = generate(loads(NAMED, "urdf"), "fast-geometry")
    files = made.export(["c", "cpp", "fortran", "python", "matlab", "julia", "javascript"])
    examples = [path for path in files if "_example." in path]
    assert len(examples) == 7
    for path in ["README.md", *examples]:
        assert "joints: q1 lift_joint, q2 slide_joint" in " ".join(files[path].split()), path


def test_joint_names_that_only_count_are_left_out() -> None:
    assert "joints:" not in header("text")
