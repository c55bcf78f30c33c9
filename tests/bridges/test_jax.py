"""Models as JAX functions: values, derivatives against those of XLA on the emitted code, wrong arguments."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError, OptionError, UnknownNameError

jax = pytest.importorskip("jax", reason="the package jax is not installed (symoro[jax])")
jnp = jax.numpy

VALUES = {"D2": 0.4, "D3": 0.3, "ZZ1": 0.6, "MX1": 0.9, "ZZ2": 0.2, "MX2": 0.3, "M2": 1.5, "G2": -9.81}


@pytest.fixture(scope="module", autouse=True)
def double_precision():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture(scope="module")
def model():
    return symoro.generate("planar2r", "inverse-dynamics")


def values(model, **other):
    return {name: VALUES[name] for name in model.parameters} | other


@pytest.fixture(scope="module")
def function(model):
    return model.to_jax(values(model))


@pytest.fixture(scope="module")
def emitted(model):
    return model.to_jax(values(model), kind="emitted")


def sample(model, *axes, seed=1):
    rng = np.random.default_rng(seed)
    return {name: jnp.asarray(rng.uniform(-1, 1, (*axes, *shape))) for name, shape in model.inputs.items()}


def expected(model, x):
    return model.function(values(model))(**{name: np.asarray(v, float) for name, v in x.items()})["tau"]


@pytest.mark.parametrize("kind", ["compiled", "emitted"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_values(model, kind, dtype):
    f = model.to_jax(values(model), kind=kind)
    x = {name: v.astype(dtype) for name, v in sample(model, 5).items()}
    for call in (f, jax.jit(f)):
        tau = call(**x)["tau"]
        assert tau.dtype == dtype
        np.testing.assert_allclose(tau, expected(model, x), atol=1e-12 if dtype == "float64" else 1e-5)


def test_axes_of_samples(model, function, emitted):
    x = sample(model, 12)
    one = {name: v[3] for name, v in x.items()}
    mixed = {"q": x["q"].reshape(3, 4, 2), "qd": one["qd"], "qdd": x["qdd"][:4]}
    for given in (one, mixed, sample(model, 0), {k: np.asarray(v) for k, v in x.items()}):
        ours, theirs = function(**given)["tau"], emitted(**given)["tau"]
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_vmap(model, function, emitted):
    x, one = sample(model, 5), sample(model)
    for axes in ((0, 0, 0), (0, None, None), (None, 0, 0)):
        args = [x[k] if axis == 0 else one[k] for k, axis in zip(x, axes, strict=True)]
        ours, theirs = (
            jax.vmap(lambda q, qd, qdd, f=f: f(q=q, qd=qd, qdd=qdd)["tau"], axes)(*args)
            for f in (function, emitted)
        )
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    nested = jax.vmap(
        jax.vmap(lambda q, qd: function(q=q, qd=qd, qdd=one["qdd"])["tau"], (0, None)), (None, 0)
    )
    got = nested(x["q"], x["qd"])
    np.testing.assert_allclose(
        got[2, 3], function(q=x["q"][3], qd=x["qd"][2], qdd=one["qdd"])["tau"], atol=1e-12
    )


def loss(f):
    return lambda x: jnp.sum(jnp.sin(f(**x)["tau"]))


def test_gradients_equal_those_of_xla(model, function, emitted):
    x = sample(model, 6)
    x["qd"] = x["qd"][0]  # all samples have the same velocities: their gradients are added
    ours, theirs = jax.jit(jax.grad(loss(function)))(x), jax.jit(jax.grad(loss(emitted)))(x)
    for name in x:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "transformation",
    [
        lambda f: jax.jacrev(f),
        lambda f: jax.jacfwd(f),
        lambda f: lambda x: jax.jvp(f, (x,), (jax.tree.map(jnp.ones_like, x),)),
        lambda f: lambda x: jax.linearize(f, x)[1](x),
    ],
    ids=["jacrev", "jacfwd", "jvp", "linearize"],
)
def test_first_derivatives(model, function, emitted, transformation):
    x = sample(model)
    ours, theirs = (transformation(lambda x, f=f: f(**x)["tau"])(x) for f in (function, emitted))
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "transformation",
    [
        jax.hessian,
        lambda f: jax.jacrev(jax.jacrev(f)),
        lambda f: jax.jacfwd(jax.jacfwd(f)),
        lambda f: jax.jacrev(jax.jacfwd(f)),
        lambda f: jax.jit(jax.hessian(f)),
    ],
    ids=["hessian", "reverse-reverse", "forward-forward", "reverse-forward", "jit"],
)
def test_second_derivatives(model, function, emitted, transformation):
    x = sample(model)
    ours, theirs = (
        transformation(lambda q, f=f: loss(f)({**x, "q": q}))(x["q"]) for f in (function, emitted)
    )
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10)


def test_hessians_of_a_batch(model, function, emitted):
    x, one = sample(model, 3), sample(model)
    ours, theirs = (
        jax.vmap(jax.hessian(lambda q, f=f: loss(f)({**one, "q": q})))(x["q"]) for f in (function, emitted)
    )
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10)


def test_parameters_as_an_input(model):
    f = model.to_jax(values(model), parameters=["M2", "MX2"])
    e = model.to_jax(values(model), parameters=["M2", "MX2"], kind="emitted")
    x, p = sample(model, 4), jnp.array([1.5, 0.3])
    np.testing.assert_allclose(f(**x, p=p)["tau"], expected(model, x), atol=1e-12)
    ours, theirs = (jax.grad(lambda p, g=g: jnp.sum(g(**x, p=p)["tau"] ** 2))(p) for g in (f, e))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10)


def test_emitted_code_differentiates_values_of_parameters(model):
    x = sample(model, 3)

    def total(mass):
        return jnp.sum(model.to_jax(values(model, M2=mass), kind="emitted")(**x)["tau"])

    f = model.to_jax(values(model), parameters=["M2"])
    want = jax.grad(lambda p: jnp.sum(f(**x, p=p)["tau"]))(jnp.array([1.5]))
    np.testing.assert_allclose(jax.grad(total)(1.5), want[0], atol=1e-10)


def test_linear_solves_have_gradients():
    robot = symoro.load("fivebar")
    model = symoro.generate(robot, "direct-dynamics")
    numbers = {name: dict(robot.nominal).get(name, 0.3) for name in model.parameters}
    x = sample(model, 2)
    ours, theirs = (
        jax.grad(lambda x, f=f: sum(jnp.sum(y) for y in f(**x).values()))(x)
        for f in (model.to_jax(numbers), model.to_jax(numbers, kind="emitted"))
    )
    for name in x:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-8, atol=1e-8)


def test_nan_leaves_neighbours_unchanged(model, function):
    x = sample(model, 9)
    want = function(**x)["tau"]
    bad = {**x, "q": x["q"].at[4, 1].set(jnp.nan)}
    got, others = function(**bad)["tau"], np.arange(9) != 4
    assert np.isnan(got[4]).all() and (got[others] == want[others]).all()
    assert np.isfinite(jax.grad(loss(function))(bad)["q"][others]).all()


def test_wrong_arguments(model, function):
    x = sample(model, 3)
    wrong = [
        ({"q": x["q"].astype("float16")}, "'q'.*float16", "float32, float64"),
        ({"q": x["q"].astype("float32")}, "'qd'.*float64.*'q'.*float32", "one type"),
        ({"q": x["q"].astype(int)}, "'q'.*int", "float32, float64"),
        ({"q": "here"}, "'q' is not an array", ""),
        ({"q": x["q"][:, :1]}, r"'q' has shape \(3, 1\)", ""),
        ({"q": x["q"][:2]}, "leading axes of the inputs", ""),
        ({"z": x["q"]}, "no input 'z'", "inputs: q"),
    ]
    for change, message, hint in wrong:
        with pytest.raises(ArgumentError, match=message) as raised:
            function(**{**x, **change})
        assert hint in str(raised.value)
    with pytest.raises(ArgumentError, match="'qdd' is missing"):
        function(q=x["q"], qd=x["qd"])


def test_wrong_options(model):
    with pytest.raises(OptionError, match="kind 'xla'") as raised:
        model.to_jax(values(model), kind="xla")
    assert "compiled, emitted" in str(raised.value)
    with pytest.raises(UnknownNameError, match="M9"):
        model.to_jax({"M9": 1.0})


def test_kernels_without_derivatives():
    model = symoro.generate("rx90", "inverse-geometry", method="general")
    numbers = {name: dict(model.robot.nominal).get(name, 0.4) for name in model.parameters}
    f = model.to_jax(numbers)
    with pytest.raises(NotApplicableError, match="kernel"):
        jax.grad(lambda T: jnp.sum(f(T=T)["q"]))(jnp.eye(4))
    with pytest.raises(NotApplicableError, match="kernel"):
        model.to_jax(numbers, kind="emitted")


def test_jax_is_imported_when_it_is_requested():
    text = "import sys, symoro; symoro.generate('planar2r', 'inverse-dynamics'); print('jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def _has_gpu() -> bool:
    if "cpu" in os.environ.get("JAX_PLATFORMS", ""):
        return False
    try:
        return bool(jax.devices("cuda"))
    except RuntimeError:
        return False


@pytest.mark.skipif(not _has_gpu(), reason="there is no CUDA device")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["inverse-dynamics", "inertia-matrix"])
def test_on_a_gpu(name, dtype):
    model = symoro.generate("panda", name)
    f, e, tolerance = model.to_jax(), model.to_jax(kind="emitted"), 1e-10 if dtype == "float64" else 2e-3
    gpu, cpu = jax.devices("cuda")[0], jax.devices("cpu")[0]
    x = {k: v.astype(dtype) for k, v in sample(model, 1000).items()}
    here, there = (jax.device_put(x, place) for place in (cpu, gpu))
    output = next(iter(model.outputs))
    ours, theirs = jax.jit(f)(**there)[output], jax.jit(f)(**here)[output]
    assert ours.devices() == {gpu}
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance)
    scalar = lambda g: jax.jit(jax.grad(lambda x: jnp.sum(jnp.sin(g(**x)[output]))))  # noqa: E731
    ours, theirs = scalar(f)(there), scalar(e)(here)
    for k in x:
        np.testing.assert_allclose(ours[k], theirs[k], rtol=0, atol=10 * tolerance)
