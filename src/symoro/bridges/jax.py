"""Models as functions of JAX arrays.

`kind="compiled"` is a primitive of JAX that XLA lowers to a call of compiled code through its foreign function
interface: C on the CPU, a CUDA kernel on the GPU. Its rules call derived programs:

    jvp         the value, and the jvp program, which is linear in the directions
    transpose   of a jvp program: the vjp program; of a vjp program, which is linear in the weights: the jvp program
    vmap        the new axis becomes a part of the axis of samples

so that derivatives of any order and in any mode are available. `kind="emitted"` is the emitted jnp code.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module, resources
from typing import Any

import numpy as np

from symoro.bridges.differentiable import (
    Differentiable,
    check_names,
    differentiable,
    key_of,
    leading_axes,
)
from symoro.bridges.emitted import emitted_module, parameter_list
from symoro.emit.cuda import MOST_BY_SAMPLES
from symoro.errors import ArgumentError, MissingDependencyError, OptionError
from symoro.program.program import Program, size

KINDS = ("compiled", "emitted")
TYPES = ("float32", "float64")
TARGET = "symoro_call"
MOST = 30  # inputs and outputs of a program, as in xla_call.c

ArrayFunction = Callable[..., dict[str, Any]]


def to_jax(program: Program, values: Mapping[str, Any], *, kind: str = "compiled") -> ArrayFunction:
    """Return a function of arrays by name that returns arrays by name.

    Args:
        values: numbers for the parameters; for the emitted kind also traced arrays.
        kind: "compiled" or "emitted".

    Raises:
        OptionError: unknown kind.
        MissingDependencyError: JAX or a compiler is missing.
    """
    if kind not in KINDS:
        raise OptionError(f"to_jax has no kind '{kind}'", hint=f"kinds: {', '.join(KINDS)}")
    jax = _jax()
    return (_emitted if kind == "emitted" else _compiled)(jax, program, values)


def _jax() -> Any:
    try:
        import_module("jax.ffi")
        return import_module("jax")
    except ImportError:
        raise MissingDependencyError(
            "JAX is not installed", hint='install it with: pip install "symoro[jax]"'
        ) from None


def _emitted(jax: Any, program: Program, values: Mapping[str, Any]) -> ArrayFunction:
    module = emitted_module(program, "jax")
    parameters = parameter_list(program, values)
    constants = program.constants

    def function(*unnamed: Any, **inputs: Any) -> dict[str, Any]:
        arrays = _arrays(jax, program, unnamed, inputs)
        results: dict[str, Any] = module.call(*arrays, *([module.setup(parameters)] if constants else []))
        return results

    return function


def _compiled(jax: Any, program: Program, values: Mapping[str, float]) -> ArrayFunction:
    model = differentiable(program, values)
    if jax.default_backend() == "cpu":
        model.batch_call("float64")  # compiles now, so that a missing compiler is reported here
    primitive = _primitive()

    def function(*unnamed: Any, **inputs: Any) -> dict[str, Any]:
        arrays = _arrays(jax, program, unnamed, inputs)
        ports = program.inputs
        leading = [leading_axes(port, x.shape) for port, x in zip(ports, arrays, strict=True)]
        try:
            batch = np.broadcast_shapes(*leading)
        except ValueError:
            shown = ", ".join(f"{port.name} {axes}" for port, axes in zip(ports, leading, strict=True))
            raise ArgumentError(f"the leading axes of the inputs (samples) do not match: {shown}") from None
        shared = tuple(bool(batch) and not axes for axes in leading)
        rows = []
        for port, x, axes, alone in zip(ports, arrays, leading, shared, strict=True):
            if not alone:
                whole = x if axes == batch else jax.numpy.broadcast_to(x, (*batch, *port.shape))
                x = whole.reshape(-1, *port.shape)
            rows.append(x)
        results = primitive.bind(*rows, model=model, count=size(batch), shared=shared, linear=None)
        pairs = zip(program.outputs, results, strict=True)
        return {port.name: result.reshape(*batch, *port.shape) for port, result in pairs}

    return function


def _arrays(jax: Any, program: Program, unnamed: Sequence[Any], given: Mapping[str, Any]) -> list[Any]:
    """Return the inputs in the order of the program: arrays of one type."""
    check_names(program, unnamed, given)
    arrays: dict[str, Any] = {}
    for name, value in given.items():
        try:
            arrays[name] = jax.numpy.asarray(value)
        except (TypeError, ValueError):
            raise ArgumentError(f"input '{name}' is not an array of numbers") from None
        first, dtype = next(iter(arrays)), arrays[name].dtype
        if str(dtype) not in TYPES:
            raise ArgumentError(
                f"input '{name}' is an array of {dtype}", hint=f"supported types: {', '.join(TYPES)}"
            )
        if dtype != arrays[first].dtype:
            raise ArgumentError(
                f"input '{name}' is an array of {dtype}, but input '{first}' is an array of "
                f"{arrays[first].dtype}",
                hint=f"give all inputs in one type: {' or '.join(TYPES)}",
            )
    known = next(iter(arrays.values())).dtype if arrays else None
    return [
        arrays[port.name]
        if port.name in arrays
        else jax.numpy.asarray(port.default, known).reshape(port.shape)
        for port in program.inputs
    ]


# -- the primitive
#
# Inputs have the shape (count, ...) or, if they are shared by all samples, (...); outputs have the shape (count, ...).
# `linear` describes a call of a derived program.


@dataclass(frozen=True)
class _Linear:
    """Origin of a derived program: `kind` of derivative of a program with respect to some inputs."""

    kind: str
    model: Differentiable
    wrt: tuple[int, ...]

    @property
    def first(self) -> int:
        """Return the position of the first input in which the call is linear; the following ones are too."""
        return len(self.model.inputs)

    def transposed(self, wrt: tuple[int, ...]) -> _Linear:
        return _Linear("vjp" if self.kind == "jvp" else "jvp", self.model, wrt)


@cache
def _primitive() -> Any:
    jax = _jax()
    ad, batching, mlir = (import_module(f"jax.interpreters.{name}") for name in ("ad", "batching", "mlir"))
    primitive = import_module("jax.extend.core").Primitive("symoro_call")
    primitive.multiple_results = True

    @cache
    def jitted(**parameters: Any) -> Any:
        return jax.jit(partial(primitive.bind, **parameters))

    def run(*arrays: Any, **parameters: Any) -> Any:
        return jitted(**parameters)(*arrays)

    def shapes(*arrays: Any, model: Differentiable, count: int, **_: Any) -> Any:
        return [jax.core.ShapedArray((count, *shape), arrays[0].dtype) for shape in model.outputs]

    primitive.def_impl(run)
    primitive.def_abstract_eval(shapes)
    ad.primitive_jvps[primitive] = partial(_jvp, ad, primitive)
    ad.primitive_transposes[primitive] = partial(_transpose, ad, primitive)
    batching.primitive_batchers[primitive] = partial(_batch, jax, primitive)
    mlir.register_lowering(primitive, partial(_lower_cpu, jax), platform="cpu")
    mlir.register_lowering(primitive, partial(_lower_cuda, jax), platform="cuda")
    return primitive


def _jvp(
    ad: Any,
    primitive: Any,
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    model: Differentiable,
    count: int,
    shared: tuple[bool, ...],
    linear: _Linear | None,
) -> tuple[Any, Any]:
    values = primitive.bind(*primals, model=model, count=count, shared=shared, linear=linear)
    moving = tuple(at for at, tangent in enumerate(tangents) if type(tangent) is not ad.Zero)
    if linear is not None and moving and moving[0] >= linear.first:
        directions = [ad.instantiate_zeros(tangent) for tangent in tangents[linear.first :]]
        arrays = [*primals[: linear.first], *directions]
        return values, primitive.bind(*arrays, model=model, count=count, shared=shared, linear=linear)
    slopes = primitive.bind(
        *primals,
        *(tangents[at] for at in moving),
        model=model.derived("jvp", moving),
        count=count,
        shared=(*shared, *(shared[at] for at in moving)),
        linear=_Linear("jvp", model, moving),
    )
    return values, slopes


def _transpose(
    ad: Any,
    primitive: Any,
    cotangents: Sequence[Any],
    *arrays: Any,
    model: Differentiable,
    count: int,
    shared: tuple[bool, ...],
    linear: _Linear | None,
) -> list[Any]:
    unknown = [at for at, x in enumerate(arrays) if ad.is_undefined_primal(x)]
    if linear is None or unknown[0] < linear.first:
        raise NotImplementedError(
            "the model is not linear in these inputs, so that its transpose does not exist"
        )
    results: list[Any] = [None] * len(arrays)
    if all(type(x) is ad.Zero for x in cotangents):
        return [ad.Zero(arrays[at].aval) if at in unknown else None for at in range(len(arrays))]
    first = linear.first
    # A jvp program has one direction per chosen input; a vjp program has weights of all outputs.
    wrt = tuple(linear.wrt[at - first] for at in unknown) if linear.kind == "jvp" else linear.wrt
    other = linear.transposed(wrt)
    weights = [ad.instantiate_zeros(x) for x in cotangents]
    rows = primitive.bind(
        *arrays[:first],
        *weights,
        model=linear.model.derived(other.kind, wrt),
        count=count,
        shared=(*shared[:first], *([False] * len(weights))),
        linear=other,
    )
    positions = unknown if linear.kind == "jvp" else range(first, len(arrays))
    for at, row in zip(positions, rows, strict=True):
        if at in unknown:
            results[at] = row.sum(axis=0) if shared[at] else row
    return results


def _batch(
    jax: Any,
    primitive: Any,
    arrays: Sequence[Any],
    axes: Sequence[Any],
    *,
    model: Differentiable,
    count: int,
    shared: tuple[bool, ...],
    linear: _Linear | None,
) -> tuple[list[Any], list[int]]:
    numpy = jax.numpy
    (length,) = {x.shape[axis] for x, axis in zip(arrays, axes, strict=True) if axis is not None}
    rows, alone = [], []
    for x, axis, is_shared in zip(arrays, axes, shared, strict=True):
        alone.append(is_shared and axis is None)
        if not alone[-1]:
            x = x[None] if axis is None else numpy.moveaxis(x, axis, 0)
            x = x[:, None] if is_shared else x
            rest = x.shape[2:]
            x = numpy.broadcast_to(x, (length, count, *rest)).reshape(length * count, *rest)
        rows.append(x)
    results = primitive.bind(*rows, model=model, count=length * count, shared=tuple(alone), linear=linear)
    return [y.reshape(length, count, *y.shape[1:]) for y in results], [0] * len(results)


# -- lowering to calls of the compiled code

_REGISTERED: dict[tuple[str, str, str], tuple[int, Any]] = {}
_REGISTERING = threading.Lock()


def _lower_cpu(
    jax: Any, ctx: Any, *arrays: Any, model: Differentiable, shared: Sequence[bool], **_: Any
) -> Any:
    dtype = ctx.avals_in[0].dtype
    attributes = {
        "id": _registered(jax, model, str(dtype), _register_cpu),
        "shared": _bits(shared),
        "bytes": dtype.itemsize,
        "operations": len(model.program.nodes),
    }
    lower = jax.ffi.ffi_lowering(f"{TARGET}_cpu")
    return lower(ctx, *arrays, **{name: np.int64(number) for name, number in attributes.items()})


def _lower_cuda(
    jax: Any, ctx: Any, *arrays: Any, model: Differentiable, shared: Sequence[bool], **_: Any
) -> Any:
    number = _registered(jax, model, str(ctx.avals_in[0].dtype), _register_cuda)
    # XLA orders axes from the fastest to the slowest; large outputs are stored entry by entry
    layouts = [
        (0, *reversed(range(1, len(aval.shape)))) if large else tuple(reversed(range(len(aval.shape))))
        for aval, large in zip(ctx.avals_out, _large(model), strict=True)
    ]
    lower = jax.ffi.ffi_lowering(f"{TARGET}_cuda", result_layouts=layouts)
    return lower(ctx, *arrays, id=np.int64(number), shared=np.int64(_bits(shared)))


def _large(model: Differentiable) -> list[bool]:
    """Return which outputs are stored entry by entry on a GPU, where rows of many entries are stored slowly."""
    return [size(shape) > MOST_BY_SAMPLES for shape in model.outputs]


def _bits(flags: Sequence[bool]) -> int:
    return sum(1 << at for at, flag in enumerate(flags) if flag)


def _registered(
    jax: Any, model: Differentiable, dtype: str, register: Callable[[Any, Differentiable, str, int], Any]
) -> int:
    """Return the number under which the compiled code of a program is registered; compile it at the first call."""
    with _REGISTERING:
        wanted = (model.key, dtype, register.__name__)
        if wanted not in _REGISTERED:
            number = int(key_of(wanted)[:15], 16)
            _REGISTERED[wanted] = number, register(jax, model, dtype, number)
        return _REGISTERED[wanted][0]


def _register_cpu(jax: Any, model: Differentiable, dtype: str, number: int) -> Any:
    """Register the compiled code of a program; return the objects to which the addresses belong."""
    call = model.batch_call(dtype)
    constants = call.constants.ctypes.data if len(call.constants) else None
    entries = [False] * (len(model.inputs) + len(model.outputs))
    _register(jax, model, number, 0, call.address, constants, False, entries)
    return call


def _register_cuda(jax: Any, model: Differentiable, dtype: str, number: int) -> Any:
    """Register the kernel of a program on all GPUs; return the objects to which the addresses belong."""
    from symoro.bridges.cuda import CudaKernel

    kernel = CudaKernel(model.program, dtype)
    constants = kernel.constants(model.values)
    entries = [*([False] * len(model.inputs)), *_large(model)]
    for device in jax.local_devices(backend="cuda"):
        rows = tuple(not entry for entry in entries)
        place = device.local_hardware_id
        function, address, by_value = kernel.prepared(rows, constants, place)
        _register(jax, model, number, place, function, address, by_value, entries)
    _library(jax).xla_call_driver(ctypes.c_void_p(_driver_function("cuLaunchKernel")))
    return kernel, constants


def _driver_function(name: str) -> int:
    driver = ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")
    return ctypes.cast(getattr(driver, name), ctypes.c_void_p).value or 0


def _register(
    jax: Any,
    model: Differentiable,
    number: int,
    device: int,
    function: int,
    constants: int | None,
    by_value: bool,
    entries: Sequence[bool],
) -> None:
    sizes = [size(shape) for shape in (*model.inputs, *model.outputs)]
    integers = ctypes.c_int64 * len(sizes)
    failed = _library(jax).xla_call_register(
        ctypes.c_int64(number),
        ctypes.c_int64(device),
        ctypes.c_void_p(function),
        ctypes.c_void_p(constants),
        ctypes.c_int64(by_value),
        ctypes.c_int64(len(sizes)),
        integers(*sizes),
        integers(*entries),
    )
    if failed:
        raise ArgumentError(f"the model has {len(sizes)} inputs and outputs; at most {MOST} are supported")


@cache
def _library(jax: Any) -> ctypes.CDLL:
    """Return the library of the handlers, registered with XLA."""
    from symoro.runtime.compiler import library

    header = f"{jax.ffi.include_dir()}/xla/ffi/api/c_api.h"
    text = (resources.files("symoro.bridges") / "xla_call.c").read_text(encoding="ascii")
    version = import_module("jaxlib").__version__  # another version has another header under the same path
    opened = library({"xla_call.c": f'/* jaxlib {version} */\n#include "{header}"\n{text}'})
    for name, platform in (("cpu", "cpu"), ("cuda", "CUDA")):
        handler = jax.ffi.pycapsule(getattr(opened, f"xla_call_{name}"))
        jax.ffi.register_ffi_target(f"{TARGET}_{name}", handler, platform=platform)
    return opened
