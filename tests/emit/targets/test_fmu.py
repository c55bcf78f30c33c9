"""FMUs without an importer: contents of the archive, names from descriptions, rejected options."""

from __future__ import annotations

import io
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import symoro
from symoro.bridges import fmu as bridge
from symoro.emit.fmi.ode import ode_of
from symoro.emit.fmi.variables import entries
from symoro.emit.project import find_target, project
from symoro.errors import (
    ArgumentError,
    MissingDependencyError,
    NotApplicableError,
    OptionError,
    SymoroError,
    UnknownNameError,
)
from symoro.files import is_ours
from symoro.model import Model
from symoro.models.kinematic.loop.closure import loop_closure
from symoro.models.tolerances import HOME_ERROR
from symoro.runtime import compiler
from symoro.runtime.function import Function
from symoro.ui.cli import main

pytestmark = pytest.mark.skipif(compiler.find_compiler() is None, reason="there is no C compiler")
VALUES = {"D2": 0.4, "D3": 0.3, "ZZ1": 0.6, "MX1": 0.9, "ZZ2": 0.2, "MX2": 0.3, "M2": 1.5, "G2": -9.81}


@pytest.fixture(scope="module")
def model() -> Model:
    return symoro.generate("planar2r", "direct-dynamics")


@pytest.fixture(scope="module")
def archive(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fmu") / "planar.fmu"
    model.write_fmu(path, version="3.0", initial={"q": [0.3, 0.2]}, values=VALUES)
    return path


def description(content: bytes) -> ElementTree.Element:
    with zipfile.ZipFile(io.BytesIO(content)) as members:
        return ElementTree.fromstring(members.read("modelDescription.xml"))


def test_the_archive_contains_description_sources_and_binary(archive: Path) -> None:
    with zipfile.ZipFile(archive) as members:
        names = members.namelist()
        build = ElementTree.fromstring(members.read("sources/buildDescription.xml"))
    assert names[0] == "modelDescription.xml"
    assert {"sources/fmu.c", "sources/model.c", "sources/model_jvp.c"} <= set(names)
    assert [name for name in names if name.startswith("binaries/")]
    listed = {f"sources/{element.get('name')}" for element in build.iter("SourceFile")}
    assert listed == {name for name in names if name.endswith(".c")}


def test_the_archive_is_reproducible_and_ours(archive: Path, model: Model, tmp_path: Path) -> None:
    again, other = tmp_path / "again.fmu", tmp_path / "other.fmu"
    model.write_fmu(again, version="3.0", initial={"q": [0.3, 0.2]}, values=VALUES)
    model.write_fmu(other, version="3.0", initial={"q": [0.3, 0.3]}, values=VALUES)
    assert again.read_bytes() == archive.read_bytes()
    tokens = [description(path.read_bytes()).get("instantiationToken") for path in (archive, other)]
    assert len(set(tokens)) == 2
    assert is_ours(again)
    model.write_fmu(again, values=VALUES)  # our own file may be overwritten


def test_a_foreign_file_is_not_overwritten(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.fmu"
    path.write_bytes(b"foreign")
    with pytest.raises(SymoroError, match="did not write"):
        model.write_fmu(path, values=VALUES)
    assert path.read_bytes() == b"foreign"


def test_the_library_has_no_variables_that_instances_share(archive: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(archive) as members:
        members.extractall(tmp_path)
    cc = compiler.find_compiler()
    assert cc is not None
    for source in sorted((tmp_path / "sources").glob("*.c")):
        target = source.with_suffix(".o")
        subprocess.run([*cc.command, "-std=c99", "-O2", "-c", str(source), "-o", str(target)], check=True)
        listed = subprocess.run(["nm", str(target)], capture_output=True, text=True, check=True).stdout
        assert not [line for line in listed.splitlines() if line.split()[-2] in "BbCDd"]


def test_hostile_names(tmp_path: Path) -> None:
    """Names of robots and joints may contain anything; they are texts of the description and nothing else."""
    hostile = '../../"<&>\n*/ %s\x00\\ü'
    robot = symoro.load("planar2r").replace(name=hostile)
    robot = robot.replace(
        frames=tuple(replace(frame, name=hostile + str(k)) for k, frame in enumerate(robot.frames))
    )
    files = symoro.generate(robot, "direct-dynamics").export("fmu", values=VALUES)
    name = next(name for name in files if name.endswith(".fmu"))
    assert "/" not in name
    content = files[name]
    assert isinstance(content, bytes)
    root = description(content)
    titles = [element.get("description") or "" for element in root.iter("ScalarVariable")]
    assert any('"<&> */ %s \\ü' in title for title in titles)


def test_names_of_entries() -> None:
    assert entries("U", ()) == ["U"]
    assert entries("q", (2,)) == ["q[1]", "q[2]"]
    assert entries("T", (1, 2)) == ["T[1,1]", "T[1,2]"]


def test_a_parameter_with_the_name_of_an_array(tmp_path: Path) -> None:
    robot = symoro.load("planar2r").bind({"M2": "tau", "MX2": "time"})
    model = symoro.generate(robot, "inverse-dynamics")
    values = {name: x for name, x in VALUES.items() if name in model.parameters}
    files = model.export("fmu", values={**values, "tau": 1.5, "time": 0.3})
    content = next(content for name, content in files.items() if name.endswith(".fmu"))
    assert isinstance(content, bytes)
    names = [element.get("name") for element in description(content).iter("ScalarVariable")]
    assert len(set(names)) == len(names)
    assert {"parameters.tau", "parameters.time"} <= set(names)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"version": "1.0"}, OptionError, "'1.0'"),
        ({"step": 0.0}, OptionError, "step = 0.0"),
        ({"step": float("nan")}, OptionError, "step = nan"),
        ({"step": float("inf")}, OptionError, "step = inf"),
        ({"step": "1 ms"}, OptionError, "1 ms"),
        ({"initial": {"q": [0.0]}}, ArgumentError, "q has 1 numbers, expected 2"),
        ({"initial": {"q": [0.0, float("nan")]}}, ArgumentError, "not finite"),
        ({"initial": {"q": ["a", "b"]}}, ArgumentError, "numbers"),
        ({"initial": {"qx": [0.0]}}, UnknownNameError, "qx"),
        ({"initial": {"q": "home"}}, UnknownNameError, "home"),
        ({"initial": [0.0, 0.0]}, OptionError, "by name"),
    ],
)
def test_bad_options(
    model: Model, options: dict[str, Any], error: type[SymoroError], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.fmu"
    with pytest.raises(error, match=message):
        model.write_fmu(path, **{"values": VALUES, **options})
    assert not path.exists()


def test_parameters_without_values(tmp_path: Path) -> None:
    model = symoro.generate("rx90", "direct-dynamics")
    with pytest.raises(ArgumentError, match="ZZ1"):
        model.write_fmu(tmp_path / "model.fmu")
    with pytest.raises(ArgumentError, match="ZZ1"):
        model.export("fmu")
    with pytest.raises(UnknownNameError, match="ZZ99"):
        model.write_fmu(tmp_path / "model.fmu", values={"ZZ99": 1.0})
    assert not list(tmp_path.iterdir())


def test_models_without_a_state(tmp_path: Path) -> None:
    inverse = symoro.generate("planar2r", "inverse-dynamics")
    with pytest.raises(OptionError, match="no state"):
        inverse.write_fmu(tmp_path / "model.fmu", values=VALUES, step=1e-3)
    platform = symoro.generate("delta", "direct-dynamics", space="platform")
    with pytest.raises(NotApplicableError, match="cannot be integrated"):
        platform.write_fmu(tmp_path / "model.fmu")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("robot", "joint"), [("sr400", 2), ("fivebar", 1)])
@pytest.mark.parametrize("share", [0.9, 1.1])
def test_an_initial_posture_must_nearly_close_the_loops(
    robot: str, joint: int, share: float, tmp_path: Path
) -> None:
    """A passive joint is moved until the closure error is a share of its limit."""
    model = symoro.generate(robot, "direct-dynamics")
    values = {name: dict(model.robot.nominal).get(name, 0.3) for name in model.robot.symbols()}
    known = bridge.FmuModel(model.robot, "direct-dynamics", model.program, {}, values)
    closure = loop_closure(model.robot)
    q = np.array(bridge._start(known, ode_of(model.program), closure, None)[1])
    function, still = Function(closure, values, compiled=False), np.zeros(model.inputs["qda"])
    error = share * HOME_ERROR
    if robot == "fivebar":  # the error of its loop is a length; that of a parallelogram is the angle itself
        moved = q + 1e-4 * np.eye(len(q))[joint]
        error *= 1e-4 / float(function(q=moved, qda=still)["gap"])
    q[joint] += error
    path = tmp_path / "model.fmu"
    if share > 1:
        with pytest.raises(ArgumentError, match="do not close"):
            model.write_fmu(path, values=values, initial={"q": q})
        assert not path.exists()
    else:
        model.write_fmu(path, values=values, initial={"q": q})


def test_without_a_compiler(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "find_compiler", lambda: None)
    with pytest.raises(MissingDependencyError, match="no C compiler"):
        model.write_fmu(tmp_path / "model.fmu", values=VALUES)
    assert not list(tmp_path.iterdir())


def test_the_target_needs_a_robot(model: Model) -> None:
    assert find_target("fmi").id == "fmu"
    with pytest.raises(NotApplicableError, match="compiler and the robot"):
        project(model.program, ["fmu"], values=VALUES)


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = [word for name, x in VALUES.items() for word in ("--bind", f"{name}={x}")]
    start = ["--fmi", "3.0", "--step", "1/500", "--initial", "q=pi/6,0", "--initial", "qd=0,1"]
    command = ["export", "direct-dynamics", "planar2r", "--lang", "fmu", *values]
    folder = tmp_path / "out"
    assert main([*command, *start, "-o", str(folder)]) == 0
    root = description(next(folder.glob("*.fmu")).read_bytes())
    starts = {element.get("name"): element.get("start") for element in root.iter("Float64")}
    assert float(starts["q[1]"] or 0) == pytest.approx(np.pi / 6)
    assert float(starts["qd[2]"] or 0) == 1
    element = root.find("CoSimulation")
    assert element is not None
    assert element.get("fixedInternalStepSize") == "0.002"
    for wrong in (
        ["--fmi", "1.0"],
        ["--step", "0"],
        ["--initial", "q=1"],
        ["--initial", "q=1,2", "--initial", "q=1,2"],
    ):
        assert main([*command, *wrong, "-o", str(tmp_path / "wrong")]) != 0
    assert not (tmp_path / "wrong").exists()
    capsys.readouterr()
