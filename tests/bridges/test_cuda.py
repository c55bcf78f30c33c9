"""Test functions of CuPy arrays: arguments on a substitute of CuPy, values on a device if there is one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, MissingDependencyError
from tests.bridges.fake_cupy import fake_cupy

COUNT = 200


@pytest.fixture
def cupy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    fake = fake_cupy(tmp_path, devices=2)
    monkeypatch.setitem(sys.modules, "cupy", fake)
    return fake


def motion(names: tuple[str, ...] = ("q", "qd", "qdd"), dtype: str = "float64") -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    return {name: rng.uniform(-1, 1, (COUNT, 2)).astype(dtype) for name in names}


@pytest.fixture
def model() -> Any:
    return symoro.generate("planar2r", "inverse-dynamics")


@pytest.fixture
def values(model: Any) -> dict[str, float]:
    return {name: 0.1 * at for at, name in enumerate(model.parameters, 1)}


@pytest.mark.parametrize("layout", ["samples", "entries"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_values(cupy: Any, model: Any, values: dict[str, float], dtype: str, layout: str) -> None:
    x = motion(dtype=dtype)
    function = model.function(values, backend="cuda", dtype=dtype, layout=layout)
    tau = function(**{name: cupy.asarray(array) for name, array in x.items()})["tau"]
    assert isinstance(tau, cupy.ndarray)
    assert tau.dtype == dtype
    assert tau.shape == (COUNT, 2)
    assert tau.flags.c_contiguous == (layout == "samples")
    assert cupy.launched[0][2] == 77  # the current stream
    expected = model.function(values, compiled=False)(**x)["tau"]
    np.testing.assert_allclose(tau, expected, atol=1e-12 if dtype == "float64" else 1e-5)


def test_storage_of_inputs(cupy: Any, model: Any, values: dict[str, float]) -> None:
    """Check arrays by samples, by entries, with gaps, reversed, and shared by all samples."""
    x = motion()
    function = model.function(values, backend="cuda")
    gaps = np.zeros((COUNT, 5))
    gaps[:, 1:5:2] = x["qd"]
    arrays = {
        "q": cupy.asarray(np.ascontiguousarray(x["q"].T)).T,
        "qd": cupy.asarray(gaps)[:, 1:5:2],
        "qdd": cupy.asarray(x["qdd"][3]),
    }
    expected = model.function(values, compiled=False)(**{**x, "qdd": x["qdd"][3]})["tau"]
    np.testing.assert_allclose(function(**arrays)["tau"], expected, atol=1e-12)
    reversed_q = arrays | {"q": cupy.asarray(x["q"][::-1].copy())[::-1]}
    np.testing.assert_allclose(function(**reversed_q)["tau"], expected, atol=1e-12)


def test_one_sample_and_none(cupy: Any, model: Any, values: dict[str, float]) -> None:
    x = motion()
    function = model.function(values, backend="cuda")
    one = function(**{name: cupy.asarray(array[0]) for name, array in x.items()})["tau"]
    expected = model.function(values, compiled=False)(**x)["tau"]
    np.testing.assert_allclose(one, expected[0], atol=1e-12)
    none = function(**{name: cupy.asarray(array[:0]) for name, array in x.items()})["tau"]
    assert none.shape == (0, 2)
    assert len(cupy.launched) == 1


def test_large_outputs_are_views_by_entries(cupy: Any) -> None:
    model = symoro.generate("rx90", "inertia-matrix")
    values = dict.fromkeys(model.parameters, 0.5)
    q = np.random.default_rng(0).uniform(-1, 1, (COUNT, 6))
    matrix = model.function(values, backend="cuda")(q=cupy.asarray(q))["A"]
    assert matrix.shape == (COUNT, 6, 6)
    assert matrix.strides[0] == 8
    np.testing.assert_allclose(matrix, model.function(values, compiled=False)(q=q)["A"], atol=1e-12)


def test_out_and_bind(cupy: Any, model: Any, values: dict[str, float]) -> None:
    x = {name: cupy.asarray(array) for name, array in motion().items()}
    function = model.function(values, backend="cuda")
    target = cupy.empty((COUNT, 2), "float64")
    assert function(**x, out={"tau": target})["tau"] is target
    other = model.parameters[0]
    bound = function.bind({other: 3.0})
    assert bound.kernel is function.kernel
    expected = model.function({**values, other: 3.0}, compiled=False)(**motion())["tau"]
    np.testing.assert_allclose(bound(**x)["tau"], expected, atol=1e-12)
    np.testing.assert_array_equal(function(**x)["tau"], target)


def test_arguments_are_not_converted(cupy: Any, model: Any, values: dict[str, float]) -> None:
    x = {name: cupy.asarray(array) for name, array in motion().items()}
    function = model.function(values, backend="cuda")
    elsewhere = cupy.asarray(motion()["qd"])
    elsewhere.number_of_device = 1
    whole = cupy.asarray(np.zeros((COUNT, 8)))
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"qd": motion()["qd"]}, r"input 'qd' is not a CuPy array but numpy\.ndarray"),
        ({"qd": x["qd"].astype("float32")}, "input 'qd' has type float32, expected float64"),
        ({"qd": elsewhere}, "input 'qd' is on device 1"),
        ({"qd": x["qd"][:, :1]}, r"input 'qd' has shape \(200, 1\)"),
        ({"qd": x["qd"][:-1]}, "input 'qd' has 199 samples, but input 'q' has 200"),
        ({"speed": x["qd"]}, "there is no input 'speed'"),
        ({"out": {"torque": x["q"]}}, "there is no output 'torque'"),
        ({"out": {"tau": np.zeros((COUNT, 2))}}, "output 'tau' is not a CuPy array"),
        ({"out": {"tau": whole[:, :3]}}, r"output 'tau' has shape \(200, 3\)"),
        ({"out": {"tau": x["q"]}}, "output 'tau' shares memory with input 'q'"),
        ({"out": {"tau": np.broadcast_to(whole[:1, :2], (COUNT, 2), subok=True)}}, "share the same memory"),
    ]
    for change, message in wrong:
        with pytest.raises(ArgumentError, match=message):
            function(**{**x, **change})
    with pytest.raises(ArgumentError, match="input 'qdd' is missing"):
        function(q=x["q"], qd=x["qd"])
    with pytest.raises(ArgumentError, match="by name"):
        function(x["q"])
    assert not cupy.launched


def test_matrices_must_be_evenly_spaced(cupy: Any) -> None:
    model = symoro.generate("puma560", "inverse-geometry")
    function = model.function(dict.fromkeys(model.parameters, 0.4), backend="cuda")
    poses = np.broadcast_to(np.eye(4), (COUNT, 4, 4))
    with pytest.raises(ArgumentError, match="input 'T' has strides"):
        function(T=cupy.asarray(poses.transpose(0, 2, 1).copy()).transpose(0, 2, 1))
    assert function(T=cupy.asarray(poses.reshape(COUNT, 16)))["q"].shape[0] == COUNT


def test_missing_package_and_device(model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(MissingDependencyError, match="cupy"):
        model.function(dict.fromkeys(model.parameters, 1.0), backend="cuda")
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy(tmp_path, devices=0))
    with pytest.raises(MissingDependencyError, match="CUDA device"):
        model.function(dict.fromkeys(model.parameters, 1.0), backend="cuda")


def test_values_on_a_device() -> None:
    """Run kernels of several kinds on the GPU and compare them with the CPU."""
    cp = pytest.importorskip("cupy", reason="CuPy is not installed: no kernel runs on a device")
    try:
        cp.cuda.runtime.getDeviceCount()
    except cp.cuda.runtime.CUDARuntimeError:
        pytest.skip("there is no CUDA device: no kernel runs on a device")
    rng = np.random.default_rng(2)
    for robot, name in (
        ("panda", "inverse-dynamics"),
        ("panda", "inertia-matrix"),
        ("rx90", "direct-dynamics"),
    ):
        model = symoro.generate(robot, name)
        values = {key: rng.uniform(0.5, 1.0) for key in model.parameters} | dict(model.robot.nominal)
        x = {key: rng.uniform(-1, 1, (COUNT, *shape)) for key, shape in model.inputs.items()}
        expected = model.function(values, compiled=False)(**x)
        for layout in ("samples", "entries"):
            function = model.function(values, backend="cuda", layout=layout)
            results = function(**{key: cp.asarray(array) for key, array in x.items()})
            for key, array in expected.items():
                scale = np.abs(array).max()
                np.testing.assert_allclose(cp.asnumpy(results[key]) / scale, array / scale, atol=1e-11)
