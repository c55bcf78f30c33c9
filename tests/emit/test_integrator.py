"""The fixed-step integrator in C: emitted with a direct dynamic model, refused where there is none, compiled clean."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import symoro
from symoro.emit import emit
from symoro.emit.integrator import STEP, STEPS
from symoro.emit.integrator_state import state_of
from symoro.emit.sample import sample_of
from symoro.errors import OptionError
from symoro.runtime.demo import demo_sample
from symoro.ui.cli import main
from tests.emit.run import command, need
from tests.simulation.robots import numbered

FLOATING = symoro.load("planar2r").floating().with_link(0, mass=3, inertia=[0.2, 0.3, 0.4])


def test_it_comes_with_a_direct_dynamic_model():
    files = symoro.generate("planar2r", "direct-dynamics").code("c", integrator="rk4")
    head = files["planar2R_direct_dynamics_rk4.h"]
    assert (
        "void planar2R_direct_dynamics_rk4(size_t steps, double h, double *q, double *qd, const double *tau, "
        "const double *k);" in head
    )
    assert "rk4" not in "".join(symoro.generate("planar2r", "direct-dynamics").code("c"))


@pytest.mark.parametrize(
    "robot, model, options",
    [
        ("planar2r", "inverse-dynamics", {}),
        ("fivebar", "inertia-matrix", {}),
        ("rx90_floating", "direct-dynamics", {}),
    ],
)
def test_models_that_are_no_rates_are_refused(robot, model, options):
    with pytest.raises(OptionError):
        symoro.generate(robot, model, **options).code("c", integrator="rk4")


def test_closed_loops_come_with_what_closes_them():
    model = symoro.generate("fivebar", "direct-dynamics")
    files = model.code("c", integrator="rk4")
    head = files["fivebar_direct_dynamics_rk4.h"]
    assert "int fivebar_direct_dynamics_rk4(size_t steps, double h, double *q, double *qda" in head
    assert (
        "2: a dead point" in head
        and "void fivebar_direct_dynamics_loops(" in files["fivebar_direct_dynamics_loops.h"]
    )
    with pytest.raises(OptionError, match="closes them"):
        emit(model.program, "c", integrator="rk4")


def test_names_of_others_are_refused():
    with pytest.raises(OptionError, match="rk4"):
        symoro.generate("planar2r", "direct-dynamics").code("c", integrator="euler")


def test_the_state_of_a_floating_base():
    program = symoro.generate("rx90_floating", "direct-dynamics", rotation="quaternion").program
    layout = state_of(program)
    assert layout.state == ("q", "qd", "P0", "Q0", "V0") and layout.inputs == ("tau",) and layout.total == 25


@pytest.mark.parametrize("scalar", ["double", "float"])
@pytest.mark.parametrize("robot", ["planar2r", "floating", "diffdrive", "fivebar"])
def test_it_compiles_without_a_warning(tmp_path, scalar, robot):
    gcc = shutil.which("gcc") or pytest.skip("no gcc")
    chosen = FLOATING if robot == "floating" else symoro.load(robot)
    options = {"rotation": "quaternion"} if robot == "floating" else {}
    files = symoro.generate(chosen, "direct-dynamics", **options).code("c", integrator="rk4", scalar=scalar)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    sources = [name for name in files if name.endswith(("_rk4.c", "_loops.c"))]
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wdouble-promotion", "-Wconversion"]
    subprocess.run([gcc, *flags, "-c", *sources], cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    "robot", ["filip3r", "floating", "diffdrive", "fivebar", "sr400", "symbolic fivebar"]
)
@pytest.mark.parametrize("scalar", ["double", "float"])
def test_the_exported_project_builds_it_and_its_example_takes_the_steps_that_python_takes(
    tmp_path, robot, scalar
):
    need("make")
    need("cc")
    chosen = FLOATING if robot == "floating" else None
    if robot.startswith("symbolic"):  # with parameters, some of which closing the loops alone takes
        chosen = symoro.load(robot.removeprefix("symbolic "))
    chosen = chosen or numbered(symoro.load(robot))
    options = {"rotation": "quaternion"} if robot == "floating" else {}
    model = symoro.generate(chosen, "direct-dynamics", **options)
    for path, text in model.export("c", integrator="rk4", scalar=scalar).items():
        (tmp_path / path).write_text(text)
    shown = command("make", "-s", "-C", tmp_path, "run")
    values = dict(chosen.nominal)
    told = sample_of(model.program, values, demo_sample(chosen, model.program, options, values))
    sample = dict(zip((p.name for p in model.program.inputs), told.inputs, strict=True))
    start = {name: sample[name] for name in ("Q0", "V0") if name in sample}
    found = symoro.simulate(
        chosen,
        STEPS * STEP,
        q=sample["q"],
        qd=sample.get("qd", sample.get("qda")),
        tau=sample["tau"],
        start=start,
        step=STEP,
        method="rk4",
    )
    ends = {"q": found.q[-1], "qd": found.qd[-1], "qda": found.qd[-1]}
    ends |= {name: rows[-1] for name, rows in found.parts.items()}
    assert "status = 0" in shown or not chosen.B
    parts = re.findall(r"(\w+)_after =\n(.*)\n", shown)
    assert {"q"} < {name for name, _ in parts}
    for name, row in parts:
        digits = 1e-8 if scalar == "double" else 1e-4
        numbers = np.array([float(x) for x in row.split()])
        np.testing.assert_allclose(numbers, ends[name], rtol=digits, atol=digits)
    assert np.abs(found.q[-1] - sample["q"]).max() > 1e-4  # it moves


def test_from_the_command_line(tmp_path):
    words = [
        "generate",
        "direct-dynamics",
        "planar2r",
        "--lang",
        "c",
        "--integrator",
        "rk4",
        "-o",
        str(tmp_path),
    ]
    assert main(words) == 0
    assert (tmp_path / "planar2R_direct_dynamics_rk4.c").exists()
