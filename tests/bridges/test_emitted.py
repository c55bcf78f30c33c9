"""Emitted Python code of every operation with NumPy, JAX and PyTorch, with real, complex and other entries."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.bridges.emitted import emitted_module
from symoro.emit import emit
from symoro.errors import OptionError, ProgramError
from symoro.program.interpret import interpret
from tests.emit.programs import chain, everything, polynomials, solver


def arrays(library):
    if library == "jax":
        jax = pytest.importorskip("jax")
        jax.config.update("jax_enable_x64", True)
        return jax.numpy.asarray
    if library == "torch":
        return pytest.importorskip("torch").tensor
    return np.asarray


@pytest.mark.parametrize("library", ["numpy", "jax", "torch"])
@pytest.mark.parametrize("make", [everything, solver, lambda: chain(3)])
def test_values_of_every_operation(library, make):
    program, array, rng = make(), arrays(library), np.random.default_rng(2)
    module = emitted_module(program, library)
    numbers = {name: rng.uniform(0.2, 0.9) for name in program.used_parameters}
    inputs = {port.name: rng.uniform(0.1, 0.9, (4, *port.shape)) for port in program.inputs}
    constants = [module.setup(numbers)] if program.constants else []
    outputs = module.call(*(array(inputs[port.name]) for port in program.inputs), *constants)
    for name, want in interpret(program, inputs, numbers).items():
        assert outputs[name].shape == want.shape
        np.testing.assert_allclose(np.asarray(outputs[name]), want, rtol=1e-10, atol=1e-12)


def test_complex_steps_give_derivatives():
    model = symoro.generate("planar2r", "inverse-dynamics")
    module = emitted_module(model.program, "numpy")
    numbers = {name: dict(model.robot.nominal)[name] for name in model.parameters}
    q, qd, qdd, h = np.array([0.3, -0.4]), np.ones(2), np.ones(2), 1e-30
    k = module.setup(numbers)
    tau = module.call(q + np.array([1j * h, 0]), qd, qdd, k)["tau"]
    want = model.derivative("jvp", wrt=["q"]).function()(q=q, qd=qd, qdd=qdd, q_dot=np.array([1.0, 0]))[
        "tau_dot"
    ]
    np.testing.assert_allclose(tau.imag / h, want, atol=1e-12)


def test_symbols_of_other_packages():
    casadi = pytest.importorskip("casadi")
    model = symoro.generate("planar2r", "inverse-dynamics")
    module = emitted_module(model.program, "numpy")
    k = module.setup({name: dict(model.robot.nominal)[name] for name in model.parameters})
    q = casadi.SX.sym("q", 2)
    tau = module.call(np.array([q[0], q[1]], dtype=object), np.ones(2), np.ones(2), k)["tau"]
    value = casadi.Function("tau", [q], [casadi.vertcat(*tau)])([0.3, -0.4])
    want = model.function()(q=[0.3, -0.4], qd=np.ones(2), qdd=np.ones(2))["tau"]
    np.testing.assert_allclose(np.array(value).ravel(), want, atol=1e-12)


def test_wrong_library_and_missing_kernel():
    with pytest.raises(OptionError, match="library 'cupy'") as raised:
        emit(chain(2), "python", library="cupy")
    assert "numpy, jax, torch" in str(raised.value)
    with pytest.raises(ProgramError, match="kernel"):
        emit(polynomials(), "python", library="torch")


def test_texts_import_their_library_alone():
    for library, name in (("jax", "jax.numpy as jnp"), ("torch", "torch")):
        text = next(iter(emit(everything(), "python", library=library).values()))
        assert f"import {name}" in text and "np." not in text.replace("jnp.", "")
