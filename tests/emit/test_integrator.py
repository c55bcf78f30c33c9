"""The fixed-step integrator in C: emitted with a direct dynamic model, refused where there is none, compiled clean."""

import shutil
import subprocess

import pytest

import symoro
from symoro.emit.integrator import state_of
from symoro.errors import OptionError
from symoro.ui.cli import main


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
        ("fivebar", "direct-dynamics", {}),
        ("rx90_floating", "direct-dynamics", {}),
    ],
)
def test_models_that_are_no_rates_are_refused(robot, model, options):
    with pytest.raises(OptionError):
        symoro.generate(robot, model, **options).code("c", integrator="rk4")


def test_names_of_others_are_refused():
    with pytest.raises(OptionError, match="rk4"):
        symoro.generate("planar2r", "direct-dynamics").code("c", integrator="euler")


def test_the_state_of_a_floating_base():
    program = symoro.generate("rx90_floating", "direct-dynamics", rotation="quaternion").program
    layout = state_of(program)
    assert layout.state == ("q", "qd", "P0", "Q0", "V0") and layout.inputs == ("tau",) and layout.total == 25


@pytest.mark.parametrize("scalar", ["double", "float"])
@pytest.mark.parametrize("robot", ["planar2r", "floating"])
def test_it_compiles_without_a_warning(tmp_path, scalar, robot):
    gcc = shutil.which("gcc") or pytest.skip("no gcc")
    chosen = (
        symoro.load("planar2r").floating().with_link(0, mass=3, inertia=[0.2, 0.3, 0.4])
        if robot == "floating"
        else symoro.load(robot)
    )
    options = {"rotation": "quaternion"} if robot == "floating" else {}
    files = symoro.generate(chosen, "direct-dynamics", **options).code("c", integrator="rk4", scalar=scalar)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    source = next(name for name in files if name.endswith("_rk4.c"))
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wdouble-promotion", "-Wconversion"]
    subprocess.run([gcc, *flags, "-c", source], cwd=tmp_path, check=True)


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
