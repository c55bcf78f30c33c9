"""Models as PyTorch functions: values, gradients of both orders, operators, layouts and wrong arguments."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import symoro
from symoro.bridges.torch import to_torch
from symoro.errors import (
    ArgumentError,
    MissingDependencyError,
    NotApplicableError,
    OptionError,
    UnknownNameError,
)

torch = pytest.importorskip("torch", reason="the package torch is not installed (symoro[torch])")

VALUES = {"D2": 0.4, "D3": 0.3, "ZZ1": 0.6, "MX1": 0.9, "ZZ2": 0.2, "MX2": 0.3, "M2": 1.5, "G2": -9.81}


@pytest.fixture(scope="module")
def model():
    return symoro.generate("planar2r", "inverse-dynamics")


@pytest.fixture(scope="module")
def function(model):
    return model.to_torch(values(model))


def values(model, **other):
    return {name: VALUES[name] for name in model.parameters} | other


def sample(model, *axes, dtype=None, seed=1):
    rng = np.random.default_rng(seed)
    dtype = dtype or torch.float64
    return {
        name: torch.tensor(rng.uniform(-1, 1, (*axes, *shape)), dtype=dtype)
        for name, shape in model.inputs.items()
    }


def expected(model, x):
    return model.function(values(model))(**{name: v.double().numpy() for name, v in x.items()})["tau"]


@pytest.mark.parametrize("kind", ["compiled", "emitted"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_values(model, kind, dtype):
    f = model.to_torch(values(model), kind=kind)
    x = sample(model, 5, dtype=getattr(torch, dtype))
    tau = f(**x)["tau"]
    assert tau.dtype == getattr(torch, dtype)
    np.testing.assert_allclose(tau.numpy(), expected(model, x), atol=1e-12 if dtype == "float64" else 1e-5)


@pytest.mark.parametrize("kind", ["compiled", "emitted"])
def test_axes_of_samples(model, kind):
    f = model.to_torch(values(model), kind=kind)
    x = sample(model, 12)
    want = f(**x)["tau"]
    one = {name: v[3] for name, v in x.items()}
    torch.testing.assert_close(f(**one)["tau"], want[3], rtol=0, atol=1e-14)
    torch.testing.assert_close(
        f(**{k: v.reshape(3, 4, 2) for k, v in x.items()})["tau"], want.reshape(3, 4, 2)
    )
    mixed = f(q=x["q"].reshape(3, 4, 2), qd=one["qd"], qdd=x["qdd"][:4])["tau"]
    assert mixed.shape == (3, 4, 2)
    alone = f(q=x["q"][6], qd=one["qd"], qdd=x["qdd"][2])["tau"]
    torch.testing.assert_close(mixed[1, 2], alone, rtol=0, atol=1e-14)
    assert f(**sample(model, 0))["tau"].shape == (0, 2)
    strided = {k: v.T.contiguous().T for k, v in x.items()}
    torch.testing.assert_close(f(**strided)["tau"], want, rtol=0, atol=1e-14)


def test_gradients_of_both_orders(model, function):
    x = [v.requires_grad_() for v in sample(model, 2).values()]

    def tau(q, qd, qdd):
        return function(q=q, qd=qd, qdd=qdd)["tau"]

    assert torch.autograd.gradcheck(tau, x)
    assert torch.autograd.gradgradcheck(tau, x)


def test_gradients_equal_those_of_the_emitted_code(model, function):
    emitted = model.to_torch(values(model), kind="emitted")
    x = sample(model, 7)
    x["qd"] = x["qd"][0]  # all samples have the same velocities: their gradients are added
    leaves = [v.requires_grad_() for v in x.values()]
    ours, theirs = (torch.autograd.grad(f(**x)["tau"].sin().sum(), leaves) for f in (function, emitted))
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def test_only_the_gradients_that_are_needed(model, function):
    x = sample(model, 3)
    x["qdd"].requires_grad_()
    function(**x)["tau"].sum().backward()
    assert x["q"].grad is None and x["qdd"].grad is not None


def test_operator_passes_the_checks_of_pytorch(model, function):
    from symoro.bridges.torch import _OPERATORS

    x = [v.requires_grad_() for v in sample(model, 3).values()]
    operator = next(op for op in _OPERATORS.values() if len(op._opoverload._schema.arguments) == 3)
    report = torch.library.opcheck(operator, tuple(x))
    assert set(report.values()) == {"SUCCESS"}


def test_equal_models_share_one_operator(model, function):
    from symoro.bridges.torch import _OPERATORS

    before = set(_OPERATORS)
    again = model.to_torch(values(model))
    assert set(_OPERATORS) == before
    other = model.to_torch(values(model, M2=3.0))
    assert len(_OPERATORS) == len(before) + 1
    x = sample(model, 2)
    assert torch.equal(again(**x)["tau"], function(**x)["tau"])
    assert not torch.equal(other(**x)["tau"], function(**x)["tau"])


def test_compiled_graph_contains_one_call(model, function):
    counted = []

    def backend(graph, inputs):
        counted.append([node.target for node in graph.graph.nodes if "symoro" in str(node.target)])
        return graph.forward

    whole = torch.compile(
        lambda q, qd, qdd: 2 * function(q=q, qd=qd, qdd=qdd)["tau"], fullgraph=True, backend=backend
    )
    x = sample(model, 6)
    torch.testing.assert_close(whole(**x), 2 * function(**x)["tau"])
    assert len(counted) == 1 and len(counted[0]) == 1


def test_vmap(model, function):
    x = sample(model, 5)
    shared = x["qdd"][0]
    got = torch.func.vmap(lambda q, qd: function(q=q, qd=qd, qdd=shared)["tau"])(x["q"], x["qd"])
    torch.testing.assert_close(got, function(q=x["q"], qd=x["qd"], qdd=shared)["tau"])


def test_parameters_as_an_input(model):
    names = ["M2", "MX2"]
    f = model.to_torch(values(model), parameters=names)
    x, p = sample(model, 4), torch.tensor([1.5, 0.3], dtype=torch.float64, requires_grad=True)
    np.testing.assert_allclose(f(**x, p=p)["tau"].detach().numpy(), expected(model, x), atol=1e-12)
    assert torch.autograd.gradcheck(lambda p: f(**x, p=p)["tau"], (p,))
    each = torch.tensor([[1.5, 0.3], [2.0, 0.1], [1.0, 0.2], [0.5, 0.0]], dtype=torch.float64)
    apart = model.to_torch(values(model, M2=2.0, MX2=0.1))
    one = {name: v[1] for name, v in x.items()}
    torch.testing.assert_close(f(**x, p=each)["tau"][1], apart(**one)["tau"])
    with pytest.raises(UnknownNameError, match="M9"):
        model.to_torch(values(model), parameters=["M9"])


def test_emitted_code_takes_parameters_that_require_gradients(model):
    mass = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    x = sample(model, 3)
    f = model.to_torch(values(model, M2=mass), kind="emitted")
    (slope,) = torch.autograd.grad(f(**x)["tau"].sum(), mass)
    h = 1e-6
    up, down = (model.to_torch(values(model, M2=1.5 + s * h))(**x)["tau"].sum() for s in (1, -1))
    assert abs(float(slope) - float(up - down) / (2 * h)) < 1e-6


def test_nan_leaves_neighbours_unchanged(model, function):
    x = sample(model, 9)
    want = function(**x)["tau"]
    x["q"][4, 1] = float("nan")
    x["q"].requires_grad_()
    got = function(**x)["tau"]
    others = [k for k in range(9) if k != 4]
    assert torch.isnan(got[4]).all() and torch.equal(got[others], want[others])
    got.sum().backward()
    assert torch.isfinite(x["q"].grad[others]).all()


def test_linear_solves_have_gradients():
    robot = symoro.load("fivebar")
    model = symoro.generate(robot, "direct-dynamics")
    numbers = {name: dict(robot.nominal).get(name, 0.3) for name in model.parameters}
    compiled, emitted = (model.to_torch(numbers, kind=kind) for kind in ("compiled", "emitted"))
    x = sample(model, 2)
    leaves = [v.requires_grad_() for v in x.values()]
    ours, theirs = (
        torch.autograd.grad(sum(y.sum() for y in f(**x).values()), leaves) for f in (compiled, emitted)
    )
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-8, atol=1e-8)


def test_wrong_arguments(model, function):
    x = sample(model, 3)
    wrong = [
        ({"q": x["q"].half()}, "'q'.*float16", "float32, float64"),
        ({"q": x["q"].float()}, "'qd'.*float64.*'q'.*float32", "one type"),
        ({"qd": x["qd"].to("meta")}, "'qd' is on device meta", "cpu, cuda"),
        ({"q": x["q"].numpy()}, "'q' is not a tensor", "as_tensor"),
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
    with pytest.raises(ArgumentError, match="by name"):
        function(x["q"])


def test_wrong_options(model):
    with pytest.raises(OptionError, match="kind 'jit'") as raised:
        model.to_torch(values(model), kind="jit")
    assert "compiled, emitted" in str(raised.value)
    with pytest.raises(OptionError, match="device 'tpu'") as raised:
        model.to_torch(values(model), device="tpu")
    assert "cpu, cuda" in str(raised.value)
    with pytest.raises(UnknownNameError, match="M9"):
        model.to_torch({"M9": 1.0})
    with pytest.raises(ArgumentError, match="requires values"):
        to_torch(model.program, {"M2": 1.0})
    if not torch.cuda.is_available():
        with pytest.raises(MissingDependencyError, match="CUDA"):
            model.to_torch(values(model), device="cuda")


def test_kernels_without_derivatives():
    model = symoro.generate("rx90", "inverse-geometry", method="general")
    numbers = {name: dict(model.robot.nominal).get(name, 0.4) for name in model.parameters}
    f = model.to_torch(numbers)
    T = torch.eye(4, dtype=torch.float64, requires_grad=True)
    with pytest.raises(NotApplicableError, match="kernel"):
        f(T=T)["q"].sum().backward()
    with pytest.raises(NotApplicableError, match="kernel"):
        model.to_torch(numbers, kind="emitted")


def test_pytorch_is_imported_when_it_is_requested():
    text = (
        "import sys, symoro; symoro.generate('planar2r', 'inverse-dynamics'); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
class TestOnAGPU:
    @pytest.fixture(scope="class")
    def panda(self):
        return symoro.generate("panda", "inverse-dynamics")

    @pytest.mark.parametrize("dtype", ["float64", "float32"])
    @pytest.mark.parametrize("by_entries", [False, True])
    def test_values_gradients_and_layouts(self, panda, dtype, by_entries):
        f, tolerance = panda.to_torch(), 1e-10 if dtype == "float64" else 1e-3
        x = sample(panda, 1000, dtype=getattr(torch, dtype))
        y = {k: v.cuda().T.contiguous().T if by_entries else v.cuda() for k, v in x.items()}
        for tensors in (x, y):
            for v in tensors.values():
                v.requires_grad_()
        ours, theirs = f(**y)["tau"], f(**x)["tau"]
        assert ours.stride() == ((1, 1000) if by_entries else (7, 1))
        torch.testing.assert_close(ours.cpu(), theirs, rtol=0, atol=tolerance)
        ours.sin().sum().backward()
        theirs.sin().sum().backward()
        for k, v in y.items():
            assert v.grad.stride() == v.stride()
            torch.testing.assert_close(v.grad.cpu(), x[k].grad, rtol=0, atol=10 * tolerance)

    def test_the_current_stream_is_used(self, panda):
        f = panda.to_torch(device="cuda")
        stream = torch.cuda.Stream()
        x = sample(panda, 100_000)
        with torch.cuda.stream(stream):
            y = {k: v.cuda(non_blocking=True) for k, v in x.items()}
            tau = f(**y)["tau"]
        stream.synchronize()
        np.testing.assert_allclose(tau.cpu().numpy(), panda.to_torch()(**x)["tau"].numpy(), atol=1e-10)

    def test_mixed_devices_are_rejected(self, panda):
        x = sample(panda, 3)
        with pytest.raises(ArgumentError, match="'qd' is on device cpu, but input 'q' is on device cuda"):
            panda.to_torch()(**{**x, "q": x["q"].cuda()})
        with pytest.raises(ArgumentError, match="'q' is on device cpu"):
            panda.to_torch(device="cuda")(**x)

    def test_large_outputs_are_stored_entry_by_entry(self):
        model = symoro.generate("panda", "inertia-matrix")
        q = sample(model, 500)["q"]
        A = model.to_torch()(q=q.cuda())["A"]
        assert A.stride(0) == 1
        torch.testing.assert_close(A.cpu(), model.to_torch()(q=q)["A"], rtol=0, atol=1e-10)

    def test_compiled_on_the_gpu(self, panda):
        f = panda.to_torch()
        x = {k: v.cuda() for k, v in sample(panda, 64).items()}
        whole = torch.compile(lambda q, qd, qdd: 2 * f(q=q, qd=qd, qdd=qdd)["tau"], fullgraph=True)
        torch.testing.assert_close(whole(**x), 2 * f(**x)["tau"])


def test_parameters_that_cannot_be_learned_are_rejected() -> None:
    model = symoro.generate("rx90", "inverse-dynamics")
    values = dict.fromkeys(model.parameters, 0.3)
    tensor = torch.tensor(0.3, requires_grad=True)
    with pytest.raises(ArgumentError, match="'XX6' requires a gradient"):
        model.to_torch({**values, "XX6": tensor})
    with pytest.raises(OptionError, match="expected a list of names, got 'XX6'"):
        model.to_torch(values, parameters="XX6")
