"""Test the fixed-step integrator in C: emitted with a direct dynamic model, otherwise an error; no warnings."""

import re

import numpy as np
import pytest

import symoro
from symoro.emit import emit
from symoro.emit.integrator import STEP, STEPS, state_of
from symoro.emit.sample import sample_of
from symoro.errors import OptionError
from symoro.runtime.demo import demo_sample
from symoro.ui.cli import main
from tests.emit.run import WARNINGS, command, need, put
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
        "2: a singular configuration" in head
        and "void fivebar_direct_dynamics_loops(" in files["fivebar_direct_dynamics_loops.h"]
    )
    with pytest.raises(OptionError, match="closes the loops"):
        emit(model.program, "c", integrator="rk4")


def test_names_of_others_are_refused():
    with pytest.raises(OptionError, match="rk4"):
        symoro.generate("planar2r", "direct-dynamics").code("c", integrator="euler")


def test_the_state_of_a_floating_base():
    program = symoro.generate("rx90_floating", "direct-dynamics", rotation="quaternion").program
    layout = state_of(program)
    assert layout.state == ("q", "qd", "P0", "Q0", "V0") and layout.inputs == ("tau",) and layout.total == 25


def test_it_compiles_without_a_warning(tmp_path):
    gcc = need("gcc")
    flags = ["-std=c99", *WARNINGS, "-Wdouble-promotion", "-fsyntax-only"]
    for robot in ("planar2r", "floating", "diffdrive", "fivebar"):
        chosen = FLOATING if robot == "floating" else symoro.load(robot)
        options = {"rotation": "quaternion"} if robot == "floating" else {}
        model = symoro.generate(chosen, "direct-dynamics", **options)
        for scalar in ("double", "float"):
            files = model.code("c", integrator="rk4", scalar=scalar)
            folder = tmp_path / f"{robot}_{scalar}"
            folder.mkdir()
            put(folder, files)
            command(
                gcc, *flags, *(name for name in files if name.endswith(("_rk4.c", "_loops.c"))), cwd=folder
            )


@pytest.mark.parametrize(
    "robot", ["filip3r", "floating", "diffdrive", "fivebar", "sr400", "symbolic fivebar"]
)
def test_the_exported_project_builds_it_and_its_example_takes_the_steps_that_python_takes(tmp_path, robot):
    need("make")
    need("cc")
    chosen = FLOATING if robot == "floating" else None
    if robot.startswith("symbolic"):  # with parameters, some of which only the closure of the loops uses
        chosen = symoro.load(robot.removeprefix("symbolic "))
    chosen = chosen or numbered(symoro.load(robot))
    options = {"rotation": "quaternion"} if robot == "floating" else {}
    model = symoro.generate(chosen, "direct-dynamics", **options)
    values = dict(chosen.nominal)
    chosen_sample = sample_of(model.program, values, demo_sample(chosen, model.program, options, values))
    sample = dict(zip((p.name for p in model.program.inputs), chosen_sample.inputs, strict=True))
    start = {name: sample[name] for name in ("Q0", "V0") if name in sample}
    motion = symoro.simulate(
        chosen,
        STEPS * STEP,
        q=sample["q"],
        qd=sample.get("qd", sample.get("qda")),
        tau=sample["tau"],
        step=STEP,
        options=symoro.SimulationOptions(start=start, method="rk4"),
    )
    ends = {"q": motion.q[-1], "qd": motion.qd[-1], "qda": motion.qd[-1]}
    ends |= {name: rows[-1] for name, rows in motion.parts.items()}
    for scalar, digits in (("double", 1e-8), ("float", 1e-4)):
        folder = tmp_path / scalar
        folder.mkdir()
        put(folder, model.export("c", integrator="rk4", scalar=scalar))
        shown = command("make", "-s", "-C", folder, "run", "CFLAGS=-O0")
        assert "status = 0" in shown or not chosen.B
        parts = re.findall(r"(\w+)_after =\n(.*)\n", shown)
        assert {"q"} < {name for name, _ in parts}
        for name, row in parts:
            numbers = np.array([float(x) for x in row.split()])
            np.testing.assert_allclose(numbers, ends[name], rtol=digits, atol=digits)
    assert np.abs(motion.q[-1] - sample["q"]).max() > 1e-4  # it moves


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
