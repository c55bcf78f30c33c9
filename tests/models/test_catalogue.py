"""Catalogue: ids and aliases, options and their kinds, and the descriptions of the models."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError, OptionError, UnknownNameError
from symoro.expr.evaluate import evaluate
from symoro.models.catalogue import MENUS, Entry, Option, build, entry
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

CATALOGUE = symoro.catalogue()


def test_ids_and_aliases_are_distinct() -> None:
    names = [name for e in CATALOGUE.values() for name in (e.id, *e.aliases)]
    assert len(names) == len(set(names))
    assert [e.menu for e in CATALOGUE.values()] == sorted(
        (e.menu for e in CATALOGUE.values()), key=MENUS.index
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fgm", "fast-geometry"),
        ("FGM", "fast-geometry"),
        ("fast_geometry", "fast-geometry"),
        (" jacobian ", "jacobian"),
        ("jpqp", "jdot-qdot"),
        ("ikm", "inverse-kinematics"),
    ],
)
def test_names_as_people_write_them(name: str, expected: str) -> None:
    assert entry(name).id == expected


def test_an_unknown_model() -> None:
    with pytest.raises(UnknownNameError, match="no model called 'jacobain'") as caught:
        symoro.generate(symoro.load("rx90"), "jacobain")
    assert "did you mean 'jacobian'" in str(caught.value)


@pytest.mark.parametrize("model", [e for e in CATALOGUE.values() if e.menu in MENUS[:2]], ids=lambda e: e.id)
def test_an_entry_says_what_its_model_does(model: Entry) -> None:
    made = symoro.generate(symoro.load(model.example), model.id)
    declared = {port.name for port in model.inputs}
    assert set(made.inputs) <= declared
    assert list(made.outputs) == [port.name for port in model.outputs]
    assert model.equations and model.reference.bibtex.startswith("@")
    assert all(option.title for option in model.options)


def test_options_are_checked() -> None:
    rx90 = symoro.load("rx90")
    with pytest.raises(UnknownNameError, match="no option of jacobian called 'frm'") as caught:
        symoro.generate(rx90, "jacobian", frm=1)
    assert "did you mean 'frame'" in str(caught.value)
    with pytest.raises(
        OptionError, match=r"option method of inverse-kinematics: expected one of auto, .* got 7"
    ):
        symoro.generate(rx90, "inverse-kinematics", method=7)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("flag", [True, False, None], [1, "yes"]),
        ("number", [1, 2.5, np.float64(3)], ["1", True, [1]]),
        ("text", ["", "abc"], [1, b"abc"]),
        ("frame", [1, np.int8(2), "elbow", None], [1.0, True, [1], b"x"]),
        ("frames", [[1, "elbow"], [], None], [1.0, [True], [[1]], b"x"]),
    ],
)
def test_kinds_of_options(
    kind: str, good: list[Any], bad: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []

    def made(robot: Robot, value: Any) -> Program:
        taken.append(value)
        builder = Builder("trial")
        builder.output("y", 1)
        return builder.program()

    trial = Entry(
        "trial",
        "Geometric",
        "a trial",
        (),
        (Port("y", "", "one"),),
        SYMORO_1997.at("nowhere"),
        made,
        options=(Option("value", "any", kind),),
        applies=lambda robot: "it is too small" if robot.NL < 3 else None,
    )
    monkeypatch.setattr("symoro.models.catalogue.entry", lambda name: trial)
    robot = symoro.load("rx90")
    for value in good:
        build(robot, "trial", {"value": value})
    assert taken == good
    for value in bad:
        with pytest.raises(OptionError, match="option value of trial: expected"):
            build(robot, "trial", {"value": value})
    with pytest.raises(NotApplicableError, match="trial does not apply to robot 'planar2R': it is too small"):
        build(symoro.load("planar2r"), "trial", {})


def test_a_form_takes_the_robots_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(value: float) -> Program:
        builder = Builder("trial")
        builder.output("y", value)
        return builder.program()

    plain = Entry("trial", "Geometric", "a trial", (), (), SYMORO_1997.at("nowhere"), lambda robot: made(1))
    form = replace(
        plain,
        of="two joints",
        takes=lambda robot, options: robot.NL == 2 or bool(options.get("small")),
        build=lambda robot, small=None: made(2),
        options=(Option("small", "as if it had two", "flag"),),
        applies=lambda robot: "it is not flat" if robot.NL > 3 else None,
    )
    whole = replace(plain, forms=(form,))
    monkeypatch.setattr("symoro.models.catalogue.entry", lambda name: whole)
    rx90, planar2r, planar3r = symoro.load("rx90"), symoro.load("planar2r"), symoro.load("planar3r")
    value = lambda robot, **options: numbers(build(robot, "trial", options)[1])  # noqa: E731
    assert value(rx90) == 1 and value(planar2r) == 2 and value(planar3r, small=True) == 2
    assert whole.why_not(rx90) is None
    with pytest.raises(NotApplicableError, match="it is not flat"):
        build(rx90, "trial", {"small": True})
    with pytest.raises(OptionError, match="option small of trial does not apply to this robot") as caught:
        build(rx90, "trial", {"small": False})
    assert "options of this variant: none" in str(caught.value)


def numbers(program: Program) -> float:
    return float(evaluate(program.graph, program.outputs[0].lits, {}, {})[0])


EVERY_MODULE = """
import importlib, pkgutil, symoro.models
from symoro.models.catalogue import catalogue
listed = {entry.id: len(entry.forms) for entry in catalogue().values()}
for module in pkgutil.walk_packages(symoro.models.__path__, "symoro.models."):
    importlib.import_module(module.name)
catalogue.cache_clear()
assert listed == {entry.id: len(entry.forms) for entry in catalogue().values()}
"""


def test_every_model_is_listed_without_loading_every_module() -> None:
    """The catalogue loads the modules that register models; no other module contains an entry."""
    done = subprocess.run([sys.executable, "-c", EVERY_MODULE], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
