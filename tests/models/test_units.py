"""Units of arrays and parameters, from the field that contains a symbol."""

from __future__ import annotations

import pytest

from symoro import Robot, generate
from symoro.expr.formula import Formula
from symoro.models.units import parameter_units
from symoro.robot.description import Frame, JointType, Link
from symoro.robot.library import load


def test_a_symbol_has_the_unit_of_its_place() -> None:
    units = parameter_units(load("scara"))
    assert units["D2"] == "m"
    assert units["ZZ1"] == "kg m2"
    assert units["IA2"] == "kg m2"
    assert units["IA3"] == "kg"  # joint 3 is prismatic
    assert "G3" not in units or units["G3"] == "m/s2"


def test_a_symbol_in_two_kinds_of_places_has_none() -> None:
    x, both = Formula("x"), Formula("both")
    frames = (
        Frame(0, d=x, alpha=both),
        Frame(1, JointType.PRISMATIC, d=both, b=Formula("2*y"), r=Formula("-z")),
    )
    units = parameter_units(Robot("odd", frames, (Link(M=Formula("D3")), Link())))
    assert units["x"] == "m"
    assert units["z"] == "m"
    assert units["D3"] == "kg"  # whatever it is called
    assert "both" not in units
    assert "y" not in units


@pytest.mark.parametrize(
    ("robot", "unit", "matrix"),
    [("rx90", "rad", "kg m2"), ("scara", "rad or m", "kg m2, kg or kg m"), ("gantry", "m", "kg")],
)
def test_arrays_have_the_units_of_their_joints(robot: str, unit: str, matrix: str) -> None:
    program = generate(robot, "inertia-matrix").program
    assert [port.unit for port in program.inputs] == [unit]
    assert [port.unit for port in program.outputs] == [matrix]


def test_opened_and_active_joints_have_their_own() -> None:
    program = generate("slidercrank", "loop-geometry").program
    units = {port.name: port.unit for port in (*program.inputs, *program.outputs)}
    assert units["qa"] == units["qc"] == units["qc0"] == "rad"
    assert units["q"] == units["q0"] == "rad or m"
    assert units["status"] == ""
