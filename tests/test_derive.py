"""`symoro.derive`: the generated file, its signatures, and what a type checker accepts."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import symoro
from symoro import derive
from symoro.models.catalogue import Entry, entry

ROOT = Path(__file__).parents[1]
CATALOGUE = symoro.catalogue()
ACCEPTED = """
import symoro
from symoro import Model, derive

robot = symoro.load("rx90").with_payload(mass=1, com=[0, 0, 0.1])
model: Model = symoro.derive.inverse_dynamics(robot, effort="search", free=[2, "J3"])
mass: Model = derive.mass_matrix("sr400")
pose = derive.forward_kinematics(robot, to=3)
contact = derive.contact_dynamics(robot, contacts=[(6, (0, 0, "D6")), 3])
names: list[str] = pose.parameters
"""
REJECTED = {
    'symoro.derive.inverse_dynamics("rx90", effort="fast")': "has incompatible type \"Literal['fast']\"",
    'symoro.derive.inverse_dynamics("rx90", method="aba")': 'Unexpected keyword argument "method"',
    'symoro.derive.jacobian("rx90", 3)': "Too many positional arguments",
    'symoro.derive.inertia_matrix("rx90", q="yes")': 'expected "bool"',
    'x: str = symoro.derive.energy("rx90")': "Incompatible types in assignment",
    "symoro.derive.no_such_model": 'has no attribute "no_such_model"',
}


def mypy(folder: Path, script: str) -> str:
    file = folder / "script.py"
    file.write_text(script)
    options = ["--strict", "--no-error-summary", "--cache-dir", str(ROOT / ".mypy_cache" / "scripts")]
    environment = {"MYPYPATH": str(ROOT / "src"), "PATH": ""}
    command = [
        sys.executable,
        "-m",
        "mypy",
        *options,
        "--config-file",
        str(ROOT / "pyproject.toml"),
        str(file),
    ]
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def function_of(model: Entry) -> Any:
    return getattr(derive, model.id.replace("-", "_"))


def test_the_file_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "derive_functions.py"), "--check"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("model", CATALOGUE.values(), ids=list(CATALOGUE))
def test_signatures_equal_the_options_of_the_catalogue(model: Entry) -> None:
    function = function_of(model)
    robot, *options = inspect.signature(function).parameters.values()
    hints = get_type_hints(function)
    assert robot.name == "robot" and robot.default is robot.empty and hints["return"] is symoro.Model
    assert [(o.name, o.default) for o in options] == [(o.name, o.default) for o in model.all_options]
    assert all(option.kind is option.KEYWORD_ONLY for option in options)
    for option in model.all_options:
        values = {
            value for part in (hints[option.name], *get_args(hints[option.name])) for value in get_args(part)
        }
        assert set(option.choices) <= values
        assert (type(None) in get_args(hints[option.name])) == (option.default is None)


@pytest.mark.parametrize("model", CATALOGUE.values(), ids=list(CATALOGUE))
def test_docstrings_contain_title_options_and_ports(model: Entry) -> None:
    text = " ".join((function_of(model).__doc__ or "").split())
    for words in (f"`{model.id}`", model.title, *(o.title for o in model.all_options), str(model.reference)):
        assert " ".join(words.split()) in text
    assert all(f"`{port.name}` (" in text for port in (*model.inputs, *model.outputs))


@pytest.mark.parametrize("model", CATALOGUE.values(), ids=list(CATALOGUE))
def test_options_have_one_default_in_all_forms(model: Entry) -> None:
    for form in (model, *model.forms):
        for option in form.options:
            (known,) = (o for o in model.all_options if o.name == option.name)
            assert (known.default, known.choices, known.kind) == (option.default, option.choices, option.kind)


def test_functions_equal_generate() -> None:
    robot = symoro.load("planar2r")
    assert str(derive.inverse_dynamics(robot)) == str(symoro.generate(robot, "inverse-dynamics"))
    options = {"to": 1, "frame": 1}
    assert str(derive.jacobian(robot, **options)) == str(symoro.generate(robot, "jacobian", **options))
    floating = robot.floating().with_link(0, M=5, XX=1, YY=1, ZZ=1)
    model = derive.energy(floating, rotation="quaternion")
    assert model.options == {"rotation": "quaternion"}
    assert derive.energy(floating, rotation="matrix").options == {}


def test_aliases_are_the_same_functions() -> None:
    for model in CATALOGUE.values():
        for alias in model.aliases:
            assert getattr(derive, alias.replace("-", "_")) is function_of(model)


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("forward-kinematics", "fast-geometry"),
        ("Mass Matrix", "inertia-matrix"),
        ("forward_dynamics", "direct-dynamics"),
        ("coriolis", "lagrange"),
        ("gravity", "gravity-torques"),
        ("rnea", "inverse-dynamics"),
        ("aba", "direct-dynamics"),
        ("crba", "inertia-matrix"),
        ("regressor", "dynamic-identification"),
        ("ik", "inverse-geometry"),
        ("fk", "fast-geometry"),
        ("inverse-kinematics", "inverse-kinematics"),
    ],
)
def test_models_have_the_names_of_textbooks(name: str, id: str) -> None:
    assert entry(name).id == id


def test_unknown_names_suggest_ids_and_aliases() -> None:
    with pytest.raises(symoro.errors.UnknownNameError, match="did you mean 'mass-matrix'"):
        symoro.generate("rx90", "mas-matrix")
    with pytest.raises(symoro.errors.UnknownNameError, match="'inverse-dynamics'"):
        symoro.generate("rx90", "inverse-dynamic")


def test_swapped_arguments_of_generate_are_rejected() -> None:
    robot = symoro.load("rx90")
    for first, second in (("inverse-dynamics", robot), ("inverse-dynamics", "rx90"), ("fk", "robot.yaml")):
        with pytest.raises(symoro.errors.ArgumentError, match="swapped") as caught:
            symoro.generate(first, second)  # type: ignore[arg-type]
        assert f"generate(robot, '{first}')" in str(caught.value)
    with pytest.raises(symoro.errors.OptionError, match="expected the name of a model, got int"):
        symoro.generate(robot, 3)  # type: ignore[arg-type]


def test_mypy_accepts_a_correct_script(tmp_path: Path) -> None:
    assert mypy(tmp_path, ACCEPTED) == ""


def test_mypy_rejects_wrong_scripts(tmp_path: Path) -> None:
    lines = mypy(tmp_path, "import symoro\n" + "\n".join(REJECTED) + "\n").splitlines()
    for number, message in enumerate(REJECTED.values(), 2):
        assert any(f"script.py:{number}: error" in line and message in line for line in lines), (
            message,
            lines,
        )
