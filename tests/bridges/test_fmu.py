"""FMUs in FMPy: validation, model exchange, co-simulation, life cycle and directional derivatives."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symoro
from symoro.model import Model
from symoro.models.kinematic.loop.closure import loop_closure
from symoro.runtime.compiler import find_compiler
from symoro.runtime.demo import demo_sample
from symoro.runtime.function import Function
from symoro.simulation.options import SimulationOptions
from tests.emit.run import WARNINGS, command, need

fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed")
validate_fmu = pytest.importorskip("fmpy.validation").validate_fmu

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")
VERSIONS = ("2.0", "3.0")
Array = np.ndarray


def numbers(robot: symoro.Robot) -> dict[str, float]:
    """Return the nominal values of a robot, and different numbers for its other symbols."""
    known = dict(robot.nominal)
    return {name: float(known.get(name, 0.2 + 0.01 * k)) for k, name in enumerate(sorted(robot.symbols()))}


def inputs_of(model: Model, values: Mapping[str, float], seed: int = 1) -> dict[str, Array]:
    """Return random inputs of a model; positions close the loops, and poses can be reached."""
    rng = np.random.default_rng(seed)
    sample = demo_sample(model.robot, model.program, model.options, values) or {}
    fixed = {
        name: np.reshape(sample[name], model.inputs[name]) for name in ("q", "qa", "T") if name in sample
    }
    fixed["R0"] = Rotation.from_rotvec(rng.uniform(-1, 1, 3)).as_matrix()
    return {name: fixed.get(name, rng.uniform(-1, 1, shape)) for name, shape in model.inputs.items()}


class Instance:
    """Instance of an FMU with the same methods for both versions of FMI.

    Attributes:
        log: messages of the FMU.
    """

    def __init__(self, path: Path, kind: str = "CoSimulation") -> None:
        self.description = fmpy.read_model_description(str(path))
        self.second = self.description.fmiVersion == "2.0"
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        self.log: list[str] = []
        folder = path.with_suffix("")
        if not folder.exists():
            fmpy.extract(str(path), str(folder))
        from fmpy import fmi2, fmi3

        classes = {
            "CoSimulation": (fmi2.FMU2Slave, fmi3.FMU3Slave),
            "ModelExchange": (fmi2.FMU2Model, fmi3.FMU3Model),
        }[kind]
        self.fmu = classes[0 if self.second else 1](
            guid=self.description.guid,
            unzipDirectory=str(folder),
            modelIdentifier=self.description.coSimulation.modelIdentifier,
            instanceName="instance",
        )
        if self.second:
            callbacks = fmi2.fmi2CallbackFunctions()
            callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(lambda *given: self.log.append(given[4].decode()))
            self.fmu.instantiate(callbacks=callbacks)
        else:
            self.fmu.instantiate(logMessage=lambda *given: self.log.append(given[3].decode()))

    def get(self, names: Sequence[str]) -> Array:
        references = [self.references[name] for name in names]
        return np.array(self.fmu.getReal(references) if self.second else self.fmu.getFloat64(references))

    def set(self, values: Mapping[str, float]) -> None:
        set_values = self.fmu.setReal if self.second else self.fmu.setFloat64
        set_values([self.references[name] for name in values], [float(x) for x in values.values()])

    def array(self, name: str) -> list[str]:
        """Return the names of the entries of an array."""
        return [each for each in self.references if each == name or each.startswith(f"{name}[")]

    def enter_initialisation(self) -> None:
        if self.second:
            self.fmu.setupExperiment()
        self.fmu.enterInitializationMode()

    def start(self, values: Mapping[str, float] | None = None) -> None:
        self.set(values or {})
        self.enter_initialisation()
        self.fmu.exitInitializationMode()

    def derivatives(self, unknowns: Sequence[str], knowns: Sequence[str], seed: Array) -> Array:
        of = [self.references[name] for name in unknowns], [self.references[name] for name in knowns]
        return np.array(self.fmu.getDirectionalDerivative(*of, [float(x) for x in seed]))

    def free(self) -> None:
        free = self.fmu.fmi2FreeInstance if self.second else self.fmu.fmi3FreeInstance
        free(self.fmu.component)


def evaluate(
    model: Model, inputs: Mapping[str, Array], folder: Path, scalar: str = "double", **options: Any
) -> dict[str, Array]:
    """Export the FMU of a model with its inputs as start values, and return its outputs after initialisation.

    The base of direct dynamics has a quaternion in the FMU; R0 must be a rotation.
    """
    assert scalar == "double", "FMUs compute in double precision"
    path, start = folder / "model.fmu", dict(inputs)
    if model.entry.id == "direct-dynamics" and "R0" in start:
        start["Q0"] = Rotation.from_matrix(start.pop("R0")).as_quat(scalar_first=True)
    model.write_fmu(path, initial=start, **options)
    instance = Instance(path)
    instance.start()
    outputs = {
        name: np.reshape(instance.get(instance.array(name)), shape) for name, shape in model.outputs.items()
    }
    instance.free()
    return outputs


def assert_same(got: Mapping[str, Array], expected: Mapping[str, Any]) -> None:
    for name, value in expected.items():
        scale = max(1.0, float(np.nanmax(np.abs(value), initial=0.0)))
        np.testing.assert_allclose(got[name], value, rtol=0, atol=1e-12 * scale, err_msg=name)


@pytest.mark.parametrize(
    ("robot", "name", "options", "version"),
    [
        ("planar2r", "direct-dynamics", {}, "2.0"),
        ("fivebar", "direct-dynamics", {}, "3.0"),
        ("flexible_satellite", "direct-dynamics", {}, "2.0"),
        ("mobile_manipulator", "direct-dynamics", {}, "2.0"),
        ("rx90_elastic", "direct-dynamics", {"actuators": "elastic"}, "3.0"),
        ("scara", "inverse-dynamics", {}, "2.0"),
        ("scara", "inverse-dynamics", {}, "3.0"),
        ("fivebar", "loop-geometry", {}, "2.0"),
        ("rx90", "base-parameters", {}, "3.0"),
        ("planar2r", "lagrange", {}, "2.0"),
        ("mobile_manipulator", "fast-geometry", {}, "3.0"),
    ],
)
def test_an_fmu_is_valid_and_computes_its_model(
    robot: str, name: str, options: dict[str, Any], version: str, tmp_path: Path
) -> None:
    model = symoro.generate(robot, name, **options)
    values = numbers(model.robot)
    inputs = inputs_of(model, values)
    got = evaluate(model, inputs, tmp_path, version=version, values=values)
    assert validate_fmu(str(tmp_path / "model.fmu")) == []
    expected = model.function(values)(**inputs)
    assert_same(got, {key: x for key, x in expected.items() if key != "residual"})


# -- motion: the same as in a simulation

HANGING = np.array([0.1, 3.025, 0.073, -0.608, 1.088, 2.208, 0.22])  # 0.1 rad from the stable equilibrium
STEPS = 100  # samples of the comparison


@pytest.mark.parametrize(("robot", "version"), [("panda", "2.0"), ("panda", "3.0"), ("sr400", "2.0")])
def test_motions_agree_with_a_simulation(robot: str, version: str, tmp_path: Path) -> None:
    """Two seconds from the same start; the free Panda is chaotic elsewhere, where no two integrators agree."""
    model = symoro.generate(robot, "direct-dynamics")
    values = {name: 0.0 if name.startswith("FS") else x for name, x in numbers(model.robot).items()}
    start = HANGING if robot == "panda" else np.array([0.1, -0.3, 0.2, 0.1, 0.2, 0.3])
    expected = symoro.simulate(
        model.robot,
        2.0,
        q=start,
        values=values,
        step=2.0 / STEPS,
        options=SimulationOptions(rtol=1e-13, atol=1e-13),
    ).q
    path = tmp_path / "model.fmu"
    model.write_fmu(path, version=version, initial={"q": start}, values=values)
    names = [f"q[{j + 1}]" for j in range(expected.shape[1])]
    for kind in ("CoSimulation", "ModelExchange"):
        result = fmpy.simulate_fmu(
            str(path),
            fmi_type=kind,
            stop_time=2.0,
            output_interval=1e-3 if kind == "CoSimulation" else 2.0 / STEPS,
            relative_tolerance=1e-12,
        )
        got = np.stack([result[name] for name in names], axis=1)
        rows = got[:: (len(got) - 1) // STEPS]
        assert np.abs(rows - expected).max() < 1e-8, kind


@pytest.mark.parametrize(
    ("name", "columns", "variables"),
    [
        (
            "flexible_satellite",
            ["P0x", "P0y", "P0z", "Q0w", "Q0x", "Q0y", "Q0z", "V0x", "V0z", "W0x", "W0z"],
            [
                "P0[1]",
                "P0[2]",
                "P0[3]",
                "Q0[1]",
                "Q0[2]",
                "Q0[3]",
                "Q0[4]",
                "V0[1]",
                "V0[3]",
                "V0[4]",
                "V0[6]",
            ],
        ),
        ("mobile_manipulator", ["x", "y", "heading"], ["pose[1]", "pose[2]", "pose[3]"]),
    ],
)
def test_every_state_is_integrated(
    name: str, columns: list[str], variables: list[str], tmp_path: Path
) -> None:
    model = symoro.generate(name, "direct-dynamics")
    values = {symbol: 0.0 if symbol.startswith("FS") else x for symbol, x in numbers(model.robot).items()}
    count = model.inputs["q"][0]
    q, tau = np.linspace(0.1, 0.3, count), np.full(model.inputs["tau"], 0.05)
    simulation = symoro.simulate(
        model.robot,
        0.1,
        q=q,
        tau=tau,
        values=values,
        step=0.01,
        options=SimulationOptions(rtol=1e-12, atol=1e-12),
    )
    path = tmp_path / "model.fmu"
    model.write_fmu(path, initial={"q": q, "tau": tau}, values=values, step=2.5e-5)
    result = fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=0.1, output_interval=0.01)
    named = dict(zip(columns, variables, strict=True))
    named |= {
        f"{part}{k}": f"{part}[{k}]"
        for part in ("e", "ed")
        for k in range(1, 7)
        if name == "flexible_satellite"
    }
    for column, variable in named.items():
        assert np.abs(result[variable] - simulation.columns[column]).max() < 1e-8, column
    got = np.stack([result[f"q[{j + 1}]"] for j in range(count)], axis=1)
    assert np.abs(got - simulation.q).max() < 1e-8


def test_motors_of_elastic_joints_are_integrated(tmp_path: Path) -> None:
    model = symoro.generate("rx90_elastic", "direct-dynamics", actuators="elastic")
    values, path = numbers(model.robot), tmp_path / "model.fmu"
    f, tau, h = model.function(values), np.linspace(-0.1, 0.1, 6), 1e-3
    y = np.stack([np.linspace(0.1, 0.2, 6), np.zeros(6), np.linspace(0.1, 0.3, 6), np.zeros(6)])

    def rate(y: Array) -> Array:
        result = f(q=y[0], qd=y[1], qm=y[2], qmd=y[3], tau=tau)
        return np.stack([y[1], result["qdd"], y[3], result["qmdd"]])

    model.write_fmu(path, initial={"q": y[0], "qm": y[2], "tau": tau}, values=values, step=h)
    for _ in range(20):
        a = rate(y)
        b = rate(y + h / 2 * a)
        c = rate(y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c))
    result = fmpy.simulate_fmu(str(path), fmi_type="CoSimulation", stop_time=20 * h, output_interval=h)
    got = [[result[f"{name}[{j}]"][-1] for j in range(1, 7)] for name in ("q", "qd", "qm", "qmd")]
    np.testing.assert_allclose(got, y, rtol=0, atol=1e-12)


def test_start_values_are_inside(tmp_path: Path) -> None:
    """An importer that sets nothing starts at the initial state."""
    model = symoro.generate("planar2r", "direct-dynamics")
    path = tmp_path / "model.fmu"
    initial = {"q": [0.3, -0.4], "qd": [0.1, 0.2], "tau": [1.0, 2.0]}
    model.write_fmu(path, initial=initial, values=numbers(model.robot))
    result = fmpy.simulate_fmu(str(path), stop_time=0.0, apply_default_start_values=False)
    assert [result[f"q[{k}]"][0] for k in (1, 2)] == [0.3, -0.4]
    instance = Instance(path)
    instance.start()
    for name, values in initial.items():
        assert instance.get(instance.array(name)).tolist() == values
    instance.free()


# -- life cycle


@pytest.fixture(scope="module", params=VERSIONS)
def planar(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of an FMU of the direct dynamics of a planar robot."""
    model = symoro.generate("planar2r", "direct-dynamics")
    path = tmp_path_factory.mktemp("fmu") / "planar.fmu"
    model.write_fmu(path, version=request.param, initial={"q": [0.3, 0.2]}, values=numbers(model.robot))
    return path


@pytest.fixture(scope="module", params=VERSIONS)
def fivebar(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of an FMU of the direct dynamics of a robot with a closed loop."""
    model = symoro.generate("fivebar", "direct-dynamics")
    path = tmp_path_factory.mktemp("fmu") / "fivebar.fmu"
    model.write_fmu(path, version=request.param, values=numbers(model.robot))
    return path


def steps(instance: Instance, lengths: Sequence[float]) -> Array:
    """Return the state after communication steps of given lengths."""
    time = 0.0
    for length in lengths:
        instance.fmu.doStep(currentCommunicationPoint=time, communicationStepSize=length)
        time += length
    return instance.get(["q[1]", "q[2]", "qd[1]", "qd[2]", "time"])


def test_reset_and_several_instances(planar: Path) -> None:
    first, second = Instance(planar), Instance(planar)
    first.start()
    second.start({"q[1]": 1.0, "tau[1]": 0.5})
    once = steps(first, [0.01] * 5)
    other = steps(second, [0.01] * 5)
    assert np.abs(once - other)[:4].max() > 0.1
    first.fmu.reset()
    first.start()
    assert (steps(first, [0.01] * 5) == once).all()
    second.fmu.reset()
    second.start()
    assert (steps(second, [0.01] * 5) == once).all()
    for instance in (first, second):
        instance.free()


def test_communication_steps_of_any_length(planar: Path) -> None:
    """The inner step is 1 ms; steps that are not a multiple of it have a shorter last step."""
    whole, parts, tiny = Instance(planar), Instance(planar), Instance(planar)
    for instance in (whole, parts, tiny):
        instance.start()
    expected = steps(whole, [0.05])
    assert (steps(whole, [0.0])[:4] == expected[:4]).all()
    assert np.abs(steps(parts, [0.0017] * 29 + [0.0007]) - expected).max() < 1e-10
    assert np.abs(steps(tiny, [0.0001] * 500) - expected).max() < 1e-10
    for instance in (whole, parts, tiny):
        instance.free()


def test_saved_states(planar: Path) -> None:
    instance = Instance(planar)
    instance.start()
    state = instance.fmu.getFMUState()
    expected = steps(instance, [0.01])
    instance.fmu.setFMUState(state)
    assert (steps(instance, [0.01]) == expected).all()
    serialise = instance.fmu.serializeFMUstate if instance.second else instance.fmu.serializeFMUState
    read = instance.fmu.deSerializeFMUstate if instance.second else instance.fmu.deserializeFMUState
    copy = read(serialise(state))
    instance.fmu.setFMUState(copy if copy is not None else state)
    assert (steps(instance, [0.01]) == expected).all()
    instance.fmu.freeFMUState(state)
    instance.free()


def test_a_parameter_changes_the_motion(planar: Path) -> None:
    instance = Instance(planar)
    instance.start()
    before = instance.get(["qdd[1]", "qdd[2]"])
    instance.set({"G2": 0.0})
    assert np.abs(instance.get(["qdd[1]", "qdd[2]"]) - before).max() > 1e-3
    instance.free()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.fmu.doStep(0.0, 0.01),
        lambda x: x.fmu.terminate(),
        lambda x: (x.start(), x.fmu.exitInitializationMode()),
        lambda x: (x.start(), x.set({"q[1]": 0.0})),
        lambda x: x.set({"qdd[1]": 0.0}),
        lambda x: x.set({"time": 0.0}),
        lambda x: (x.references.update(none=100_000), x.get(["none"])),
        lambda x: (x.references.update(none=100_000), x.set({"none": 1.0})),
        lambda x: (x.start(), x.fmu.doStep(0.0, -0.01)),
        lambda x: (x.start(), x.fmu.doStep(0.0, float("nan"))),
        lambda x: (x.start(), x.derivatives(["qdd[1]"], ["G2"], np.ones(1))),
        lambda x: (x.start(), x.derivatives(["tau[1]"], ["q[1]"], np.ones(1))),
    ],
)
def test_wrong_calls_are_errors(planar: Path, call: Callable[[Instance], object]) -> None:
    instance = Instance(planar)
    with pytest.raises(Exception, match=r"status 3|unexpected|error"):
        call(instance)
    assert instance.log
    instance.free()


def test_a_wrong_guid_is_rejected(planar: Path) -> None:
    instance = Instance(planar)
    instance.fmu.guid = "{0}"
    with pytest.raises(Exception, match="nstantiate"):
        instance.fmu.instantiate()
    instance.free()


# -- directional derivatives


def difference(path: Path, outputs: Sequence[str], knowns: Sequence[str], direction: Array) -> Array:
    """Return central differences of outputs along a direction of inputs and states."""
    instance = Instance(path)
    base, h, ends = instance.get(knowns), 1e-6, []
    for sign in (1, -1):
        instance.fmu.reset()
        instance.enter_initialisation()
        instance.set(dict(zip(knowns, base + sign * h * direction, strict=True)))
        ends.append(instance.get(outputs))
    instance.free()
    return (ends[0] - ends[1]) / (2 * h)


@pytest.mark.parametrize(
    ("robot", "name"),
    [
        ("panda", "direct-dynamics"),
        ("fivebar", "direct-dynamics"),
        ("flexible_satellite", "direct-dynamics"),
        ("mobile_manipulator", "direct-dynamics"),
        ("flexible2r", "inverse-dynamics"),
    ],
)
def test_directional_derivatives(robot: str, name: str, tmp_path: Path) -> None:
    model = symoro.generate(robot, name)
    rng, path = np.random.default_rng(3), tmp_path / "model.fmu"
    initial = {
        key: rng.uniform(-1, 1, size)
        for key, size in model.inputs.items()
        if key in ("qd", "qda", "V0", "tau")
    }
    model.write_fmu(path, values=numbers(model.robot), initial=initial, version="3.0")
    instance = Instance(path)
    variables = instance.description.modelVariables
    assert (
        'providesDirectionalDerivatives="true"' in (path.with_suffix("") / "modelDescription.xml").read_text()
    )
    knowns = [v.name for v in variables if v.causality != "parameter" and v.start is not None]
    outputs = [v.name for v in variables if v.initial == "calculated"]
    instance.start()
    direction = rng.uniform(-1, 1, len(knowns))
    got, expected = (
        instance.derivatives(outputs, knowns, direction),
        difference(path, outputs, knowns, direction),
    )
    assert np.abs(got - expected).max() < 1e-7 * np.abs(expected).max()
    instance.free()


def test_dependencies_include_every_derivative(fivebar: Path) -> None:
    """An entry that does not occur among the dependencies of an unknown has no influence on it."""
    instance = Instance(fivebar)
    instance.start()
    description = instance.description
    for unknown in [*description.outputs, *description.derivatives]:
        listed = {variable.name for variable in unknown.dependencies}
        for known in instance.array("qa") + instance.array("qda") + instance.array("tau"):
            slope = instance.derivatives([unknown.variable.name], [known], np.ones(1))[0]
            assert known in listed or slope == 0
    instance.free()


# -- closed loops


def test_loops_remain_closed_far_from_the_start(fivebar: Path) -> None:
    """Other active positions are reached in the assembly mode of the start."""
    closure = loop_closure(symoro.load("fivebar"))
    gap = Function(closure, numbers(symoro.load("fivebar")), compiled=False)
    instance = Instance(fivebar)
    instance.enter_initialisation()
    start = instance.get(instance.array("qa"))
    for way in ([0.3, 0.1], [-0.2, 0.3], [0.0, 0.0]):
        instance.set(dict(zip(instance.array("qa"), start + way, strict=True)))
        q = instance.get(instance.array("q"))
        assert gap(q=q, qda=np.zeros(2))["gap"] < 1e-14
    instance.free()


def test_a_loop_that_cannot_be_closed_is_reported(fivebar: Path) -> None:
    instance = Instance(fivebar, "ModelExchange")
    instance.enter_initialisation()
    instance.set({"qa[1]": 3.0, "qa[2]": 0.0})  # the ends of the cranks are farther apart than both rods
    with pytest.raises(Exception, match="status 2"):
        instance.get(["qdd[1]"])
    assert any("loops" in message for message in instance.log)
    with pytest.raises(Exception, match="status 3"):
        instance.fmu.exitInitializationMode()
    instance.fmu.reset()
    instance.start()
    assert np.isfinite(instance.get(["qdd[1]"])).all()
    instance.free()


def test_a_singular_configuration_ends_the_motion(tmp_path: Path) -> None:
    """A co-simulation ends with an error at the communication step in which the simulation ends."""
    model = symoro.generate("fivebar", "direct-dynamics")
    values, path, tau, h = numbers(model.robot), tmp_path / "model.fmu", [0.3, -0.3], 1e-3
    model.write_fmu(path, values=values, initial={"tau": tau})
    instance = Instance(path)
    instance.start()
    simulation = symoro.simulate(
        model.robot, 1.0, q=instance.get(instance.array("q")), tau=tau, values=values, step=h
    )
    assert "singular" in simulation.why
    count = len(simulation.t) - 1
    for k in range(count):
        instance.fmu.doStep(k * h, h)
    with pytest.raises(Exception, match="status 3"):
        instance.fmu.doStep(count * h, h)
    assert any("loops" in message for message in instance.log)
    instance.free()


# -- the C interface


@pytest.mark.parametrize("version", VERSIONS)
def test_functions_have_the_types_of_the_standard(version: str, tmp_path: Path) -> None:
    """The functions are compared with the headers of the standard, which FMPy contains."""
    need("cc")
    model = symoro.generate("fivebar", "direct-dynamics")
    model.write_fmu(tmp_path / "model.fmu", version=version, values=numbers(model.robot))
    fmpy.extract(str(tmp_path / "model.fmu"), str(tmp_path))
    sources = tmp_path / "sources"
    command("cc", "-std=c99", *WARNINGS, "-fsyntax-only", *sorted(sources.glob("*.c")))
    text, digit = (sources / "fmu.c").read_text(), version[0]
    headers = Path(fmpy.__file__).parent / "c-code"
    types = re.findall(rf"\b(fmi{digit}\w+)TYPE\b", (headers / f"fmi{digit}FunctionTypes.h").read_text())
    assert len(set(types)) == {"2": 44, "3": 75}[digit]
    begin = text.index("typedef enum { fmi")
    end = text.index("static void report_", begin)
    ours = text[begin:end]
    text = text[:begin] + f'#include "fmi{digit}FunctionTypes.h"\n' + text[end:]
    text += "".join(f"fmi{digit}{name[4:]}TYPE *check_{name} = {name};\n" for name in sorted(set(types)))
    assert "fmi" in ours
    (sources / "check.c").write_text(text)
    command("cc", "-std=c99", "-Werror", f"-I{headers}", "-fsyntax-only", sources / "check.c")
