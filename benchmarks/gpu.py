"""Panda on a GPU: share of the copy bandwidth, and times beside JAX and PyTorch: python benchmarks/gpu.py [--quick]

    symoro               function(backend="cuda"): fp32 and fp64, accurate and fast trigonometry, both layouts
    symoro, vjp          forward and vjp kernels in turn, over the forward kernel alone
    JAX, PyTorch         the plain Newton-Euler recursion of benchmarks/peers/plain_recursion.py under jit, and eager

Values are compared with those of the CPU before any time is taken. The copy bandwidth is measured in the same run, by
the copy of a large array. The figure is the least of several passes; bytes are those of all inputs and outputs. CuPy
and a device are required; JAX and PyTorch are skipped if they are missing. The table is also written to build/gpu.md.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from peers.plain_recursion import chain_of, inverse_dynamics

import symoro

MODELS = (
    "inverse-dynamics",
    "direct-dynamics",
    "inertia-matrix",
    "dynamic-identification",
    "inverse-dynamics-derivatives",
    "direct-dynamics-derivatives",
)
# Share of the copy bandwidth that is required, in percent, by entries: (model, dtype, trig) -> mark
MARKS = {
    ("inverse-dynamics", "float32", "fast"): 95,
    ("inverse-dynamics", "float32", "accurate"): 85,
    ("inverse-dynamics", "float64", "accurate"): 90,
    ("direct-dynamics", "float32", "accurate"): 60,
    ("direct-dynamics", "float64", "accurate"): 60,
    ("inertia-matrix", "float32", "accurate"): 75,
    ("inertia-matrix", "float64", "accurate"): 85,
    ("dynamic-identification", "float32", "accurate"): 75,
    ("dynamic-identification", "float64", "accurate"): 80,
    ("inverse-dynamics-derivatives", "float32", "accurate"): 70,
    ("inverse-dynamics-derivatives", "float64", "accurate"): 60,
}
TOLERANCES = {("float64", "accurate"): 1e-11, ("float32", "accurate"): 3e-5, ("float32", "fast"): 1e-4}
SOLVED = 30  # factor of the tolerances for models that solve for accelerations
COMPARED = 1000  # samples whose values are compared
BYTES = 4e9  # of all arrays of a timed call
LARGEST = 1 << 24
PASSES = 10

lines: list[str] = []


def say(text: str) -> None:
    """Print a line and keep it for the table."""
    lines.append(text)
    print(text, flush=True)


def least(cp: Any, call: Callable[[], Any]) -> float:
    """Return the least time of a call on the device, in seconds."""
    start, end = cp.cuda.Event(), cp.cuda.Event()
    call()
    best = float("inf")
    for _ in range(PASSES):
        start.record()
        call()
        end.record()
        end.synchronize()
        best = min(best, cp.cuda.get_elapsed_time(start, end) * 1e-3)
    return best


def copy_bandwidth(cp: Any) -> float:
    """Return bytes per second that the copy of a large array reads and writes."""
    source, target = (cp.empty(1 << 28, cp.float64) for _ in range(2))
    rate = 2 * source.nbytes / least(cp, partial(cp.copyto, target, source))
    del source, target
    cp.get_default_memory_pool().free_all_blocks()
    return float(rate)


def inputs_of(cp: Any, model: Any, count: int, dtype: str, layout: str) -> dict[str, Any]:
    """Return random inputs on the device."""
    arrays = {}
    for name, shape in model.inputs.items():
        if layout == "entries":
            stored = cp.random.uniform(-3, 3, (*shape, count), dtype)
            arrays[name] = cp.moveaxis(stored, -1, 0)
        else:
            arrays[name] = cp.random.uniform(-3, 3, (count, *shape), dtype)
    return arrays


def difference(cp: Any, model: Any, inputs: dict[str, Any], outputs: dict[str, Any]) -> float:
    """Return the largest difference from the values of the CPU, relative to the largest entry of the output."""
    given = {name: cp.asnumpy(array).astype(float) for name, array in inputs.items()}
    expected = model.function(compiled=False)(**given)
    errors = []
    for name, array in expected.items():
        result = cp.asnumpy(outputs[name]).astype(float)
        errors.append(float(np.max(np.abs(result - array)) / (np.max(np.abs(array)) or 1)))
    return max(errors)


def kernels(cp: Any, bandwidth: float, models: tuple[str, ...]) -> dict[tuple[str, str, str, str], float]:
    """Compare values, then time every kernel; return samples per second."""
    say(
        "| model | type | trig | layout | registers | local bytes | difference | G samples/s | % of copy | mark |"
    )
    say("|---|---|---|---|---|---|---|---|---|---|")
    rates = {}
    for name in models:
        model = symoro.generate("panda", name)
        entries = sum(int(np.prod(shape)) for shape in [*model.inputs.values(), *model.outputs.values()])
        for (dtype, trig), tolerance in TOLERANCES.items():
            if trig == "fast" and name != "inverse-dynamics":
                continue
            for layout in ("entries", "samples"):
                function = model.function(backend="cuda", dtype=dtype, trig=trig, layout=layout)
                small = inputs_of(cp, model, COMPARED, dtype, layout)
                error = difference(cp, model, small, function(**small))
                size = entries * np.dtype(dtype).itemsize
                count = min(LARGEST, int(BYTES / size))
                inputs = inputs_of(cp, model, count, dtype, layout)
                outputs = function(**inputs)
                rate = count / least(cp, partial(function, **inputs, out=outputs))
                rates[name, dtype, trig, layout] = rate
                share = 100 * rate * size / bandwidth
                mark = MARKS.get((name, dtype, trig)) if layout == "entries" else None
                verdict = "" if mark is None else f"{mark}" if share >= mark else f"**below {mark}**"
                allowed = tolerance * (SOLVED if name.startswith("direct") else 1)
                wrong = "" if error <= allowed else " **WRONG**"
                registers, local = function.kernel.resources()
                say(
                    f"| {name} | {dtype} | {trig} | {layout} | {registers} | {local} | {error:.1e}{wrong} "
                    f"| {rate / 1e9:.2f} | {share:.0f} | {verdict} |"
                )
                del inputs, outputs
                cp.get_default_memory_pool().free_all_blocks()
    return rates


def _in_turn(*calls: Callable[[], Any]) -> None:
    for call in calls:
        call()


def reverse(cp: Any) -> None:
    """Time forward and vjp kernels in turn."""
    model = symoro.generate("panda", "inverse-dynamics")
    pullback = model.derivative("vjp")
    say("")
    say("| forward + vjp over forward | by entries | by samples |")
    say("|---|---|---|")
    for dtype in ("float32", "float64"):
        ratios = []
        for layout in ("entries", "samples"):
            forward = model.function(backend="cuda", dtype=dtype, layout=layout)
            backward = pullback.function(backend="cuda", dtype=dtype, layout=layout)
            inputs = inputs_of(cp, pullback, 4_000_000, dtype, layout)
            given = {name: inputs[name] for name in model.inputs}
            out, bars = forward(**given), backward(**inputs)
            first, second = partial(forward, **given, out=out), partial(backward, **inputs, out=bars)
            ratios.append(least(cp, partial(_in_turn, first, second)) / least(cp, first))
            del inputs, given, out, bars
            cp.get_default_memory_pool().free_all_blocks()
        say(f"| {dtype} | {ratios[0]:.2f} | {ratios[1]:.2f} |")


def peers(rates: dict[tuple[str, str, str, str], float]) -> None:
    """Compare and time the plain recursion under JAX and PyTorch."""
    robot = symoro.load("panda")
    model = symoro.generate(robot, "inverse-dynamics")
    chain = chain_of(robot.bind(dict(robot.nominal)))
    random = np.random.default_rng(1)
    motion = random.uniform(-3, 3, (3, COMPARED, 7))
    expected = model.function(compiled=False)(**dict(zip(model.inputs, motion, strict=True)))["tau"]
    say("")
    say("| peer | type | difference | ns per sample | symoro is faster by |")
    say("|---|---|---|---|---|")
    for title, run in (("JAX, plain recursion, jit", _jax), ("PyTorch, plain recursion, eager", _torch)):
        for dtype in ("float32", "float64"):
            try:
                values, seconds = run(chain, motion, dtype)
            except ImportError as error:
                say(f"| {title} | {dtype} | not tried: {error} | | |")
                continue
            error = np.max(np.abs(values - expected)) / np.max(np.abs(expected))
            ours = rates["inverse-dynamics", dtype, "accurate", "entries"]
            say(f"| {title} | {dtype} | {error:.1e} | {seconds * 1e9:.3f} | {seconds * ours:.0f} |")


def _jax(chain: Any, motion: Any, dtype: str) -> tuple[Any, float]:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import jax.numpy as jnp

    if jax.default_backend() != "gpu":
        raise ImportError("JAX has no GPU")
    jax.config.update("jax_enable_x64", True)
    function = jax.jit(lambda *x: inverse_dynamics(jnp, chain, *x))
    values = np.asarray(function(*(jnp.asarray(x, dtype) for x in motion)), dtype=float)
    count = 4_000_000
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    inputs = [jax.random.uniform(key, (count, 7), dtype, -3, 3) for key in keys]
    jax.block_until_ready(function(*inputs))
    return values, _stopwatch(lambda: jax.block_until_ready(function(*inputs))) / count


def _torch(chain: Any, motion: Any, dtype: str) -> tuple[Any, float]:
    import torch

    if not torch.cuda.is_available():
        raise ImportError("PyTorch has no GPU")
    kind = getattr(torch, dtype)

    def evaluate(inputs: list[Any]) -> Any:
        result = inverse_dynamics(torch, chain, *inputs)
        torch.cuda.synchronize()
        return result

    values = evaluate([torch.tensor(x, dtype=kind, device="cuda") for x in motion]).double().cpu().numpy()
    count = 1_000_000
    inputs = [torch.empty(count, 7, dtype=kind, device="cuda").uniform_(-3, 3) for _ in range(3)]
    evaluate(inputs)
    return values, _stopwatch(lambda: evaluate(inputs)) / count


def _stopwatch(call: Callable[[], Any]) -> float:
    best = float("inf")
    for _ in range(PASSES):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="inverse dynamics only, without peers")
    chosen = parser.parse_args()
    try:
        import cupy as cp

        device = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    except Exception as error:  # no CuPy, or no device: the benchmark has nothing to measure
        raise SystemExit(f"CuPy with a CUDA device is required: {error}") from None
    bandwidth = copy_bandwidth(cp)
    say(
        f"{device}, copy bandwidth {bandwidth / 1e12:.2f} TB/s, CuPy {cp.__version__}, symoro {symoro.__version__}"
    )
    say("")
    rates = kernels(cp, bandwidth, MODELS[:1] if chosen.quick else MODELS)
    if not chosen.quick:
        reverse(cp)
        peers(rates)
    folder = Path(os.environ.get("OUT", Path(__file__).parents[1] / "build"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gpu.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
