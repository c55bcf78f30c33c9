"""Models as functions of PyTorch tensors.

`kind="compiled"` registers a custom operator per program: compiled C on the CPU, a CUDA kernel on the GPU. Its backward
pass is the operator of the vjp program, whose own backward pass is the operator of the vjp of this vjp. The operators
take tensors (N, ...), one row per sample; the function around them adds and removes batch axes with views.

`kind="emitted"` is the emitted PyTorch code, which PyTorch differentiates.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from symoro.bridges.differentiable import Differentiable, check_names, differentiable, leading_axes
from symoro.bridges.emitted import emitted_module, parameter_list
from symoro.emit.cuda import MOST_BY_SAMPLES
from symoro.errors import ArgumentError, MissingDependencyError, OptionError
from symoro.program.program import Program, Shape, size

KINDS = ("compiled", "emitted")
DEVICES = ("cpu", "cuda")
TYPES = ("float32", "float64")

TensorFunction = Callable[..., dict[str, Any]]


def to_torch(
    program: Program, values: Mapping[str, Any], *, kind: str = "compiled", device: str | None = None
) -> TensorFunction:
    """Return a function of tensors by name that returns tensors by name.

    Args:
        values: numbers for the parameters; for the emitted kind also tensors, which may require gradients.
        kind: "compiled" or "emitted".
        device: "cpu" or "cuda" to accept tensors there only; by default the tensors determine the device.

    Raises:
        OptionError: unknown kind or device.
        MissingDependencyError: PyTorch, a compiler or the device is missing.
    """
    if kind not in KINDS:
        raise OptionError(f"to_torch has no kind '{kind}'", hint=f"kinds: {', '.join(KINDS)}")
    if device is not None and device not in DEVICES:
        raise OptionError(
            f"to_torch has no device '{device}'", hint=f"devices: {', '.join(DEVICES)}, or None for both"
        )
    torch = _torch()
    if device == "cuda" and not torch.cuda.is_available():
        raise MissingDependencyError("PyTorch has no CUDA device", hint="use device='cpu'")
    if kind == "emitted":
        return _emitted(torch, program, values, device)
    for name, value in values.items():
        if getattr(value, "requires_grad", False):
            raise ArgumentError(
                f"the value of parameter '{name}' requires a gradient, which the compiled kind does not compute",
                hint=f'use parameters=["{name}"] and the input p, or kind="emitted"',
            )
    return _compiled(torch, program, values, device)


def _torch() -> Any:
    try:
        return import_module("torch")
    except ImportError:
        raise MissingDependencyError(
            "PyTorch is not installed", hint='install it with: pip install "symoro[torch]"'
        ) from None


def _compiled(
    torch: Any, program: Program, values: Mapping[str, float], device: str | None
) -> TensorFunction:
    model = differentiable(program, values)
    if device != "cuda":
        model.batch_call("float64")  # compiles now, so that a missing compiler is reported here
    operator = _operator(torch, model)
    checked = _Inputs(torch, program, device)
    outputs = [(port.name, port.shape) for port in program.outputs]

    def function(*unnamed: Any, **inputs: Any) -> dict[str, Any]:
        tensors, batch = checked.broadcast(unnamed, inputs)
        results = operator(*tensors)
        results = results if isinstance(results, (tuple, list)) else (results,)
        return {
            name: result.reshape(*batch, *shape)
            for (name, shape), result in zip(outputs, results, strict=True)
        }

    return function


def _emitted(torch: Any, program: Program, values: Mapping[str, Any], device: str | None) -> TensorFunction:
    module = emitted_module(program, "torch")
    names = [port.name for port in program.inputs]
    parameters = parameter_list(program, values)
    constants = [module.setup(parameters)] if program.constants else []
    checked = _Inputs(torch, program, device)

    def function(*unnamed: Any, **inputs: Any) -> dict[str, Any]:
        tensors = checked.tensors(unnamed, inputs)
        moved = [k.to(tensors[0].device) for k in constants]
        results: dict[str, Any] = module.call(*(tensors[at] for at in range(len(names))), *moved)
        return results

    return function


# -- inputs: checks, and one axis of samples for all of them


class _Inputs:
    def __init__(self, torch: Any, program: Program, device: str | None) -> None:
        self.torch, self.program, self.device = torch, program, device
        self.types = [getattr(torch, name) for name in TYPES]

    def tensors(self, unnamed: Sequence[Any], given: Mapping[str, Any]) -> list[Any]:
        """Return the inputs in the order of the program: tensors of one type on one device."""
        check_names(self.program, unnamed, given)
        first = ""
        for name, tensor in given.items():
            self._check(name, tensor)
            first = first or name
            if tensor.dtype != given[first].dtype:
                raise ArgumentError(
                    f"input '{name}' is a tensor of {tensor.dtype}, but input '{first}' is a tensor "
                    f"of {given[first].dtype}",
                    hint=f"give all inputs in one type: {' or '.join(TYPES)}",
                )
            if tensor.device != given[first].device:
                raise ArgumentError(
                    f"input '{name}' is on device {tensor.device}, but input '{first}' is on device "
                    f"{given[first].device}",
                    hint=(
                        "move all inputs to one device; inputs are not copied between devices automatically"
                    ),
                )
        return [
            given[port.name]
            if port.name in given
            else given[first].new_tensor(port.default).reshape(port.shape)
            for port in self.program.inputs
        ]

    def _check(self, name: str, tensor: Any) -> None:
        if not self.torch.is_tensor(tensor):
            raise ArgumentError(
                f"input '{name}' is not a tensor but of type {type(tensor).__name__}",
                hint="convert it with torch.as_tensor",
            )
        if tensor.dtype not in self.types:
            raise ArgumentError(
                f"input '{name}' is a tensor of {tensor.dtype}", hint=f"supported types: {', '.join(TYPES)}"
            )
        allowed = DEVICES if self.device is None else (self.device,)
        if tensor.device.type not in allowed:
            raise ArgumentError(
                f"input '{name}' is on device {tensor.device}",
                hint=f"supported devices: {', '.join(allowed)}",
            )

    def broadcast(
        self, unnamed: Sequence[Any], given: Mapping[str, Any]
    ) -> tuple[list[Any], tuple[int, ...]]:
        """Return the inputs as tensors (N, ...), and the shape of the batch axes of the outputs."""
        tensors = self.tensors(unnamed, given)
        ports = self.program.inputs
        leading = [leading_axes(port, x.shape) for port, x in zip(ports, tensors, strict=True)]
        try:
            batch = tuple(self.torch.broadcast_shapes(*leading))
        except RuntimeError:
            shown = ", ".join(f"{port.name} {axes}" for port, axes in zip(ports, leading, strict=True))
            raise ArgumentError(f"the leading axes of the inputs (samples) do not match: {shown}") from None
        count = size(batch)
        rows = []
        for port, x, axes in zip(ports, tensors, leading, strict=True):
            if axes and axes != batch:
                x = x.expand(*batch, *port.shape)
            # an input without batch axes is expanded with stride zero, which copies nothing
            rows.append(_rows(port.name, x, count, port.shape) if axes else x.expand(count, *port.shape))
        return rows, batch


def _rows(name: str, x: Any, count: int, shape: Shape) -> Any:
    """Return a tensor whose leading batch axes are merged into one axis; on a GPU the result is always a view.

    Args:
        name: name of the input, for the error.
        x: tensor (..., *shape).
        count: number of samples, the product of the lengths of the batch axes.
        shape: shape of the input for one sample.

    Raises:
        ArgumentError: the tensor is on a GPU, and its axes cannot be merged without a copy.
    """
    if x.device.type == "cpu":
        return x.reshape(count, *shape)
    try:
        return x.view(count, *shape)
    except RuntimeError:
        raise ArgumentError(
            f"the batch axes of input '{name}', shape {tuple(x.shape)} and strides {x.stride()}, cannot be merged "
            "without a copy",
            hint="before the call, expand the input to all batch axes and copy it: x.expand(...).contiguous()",
        ) from None


# -- operators: one per program and numbers, registered once per process

_OPERATORS: dict[str, Any] = {}
_REGISTERING = threading.RLock()


def _operator(torch: Any, model: Differentiable) -> Any:
    """Return the registered operator of a program."""
    with _REGISTERING:
        name = f"model_{model.key}"
        if name not in _OPERATORS:
            _OPERATORS[name] = _registered(torch, name, model)
        return _OPERATORS[name]


def _registered(torch: Any, name: str, model: Differentiable) -> Any:
    count, outputs = len(model.inputs), model.outputs
    results = len(outputs)
    arguments = ", ".join(f"Tensor x{at}" for at in range(count))
    returned = "Tensor" if results == 1 else f"({', '.join(['Tensor'] * results)})"

    def shaped(results: list[Any]) -> Any:
        return results[0] if len(results) == 1 else tuple(results)

    def compute(*tensors: Any) -> Any:
        new = [_allocated(torch, tensors, shape) for shape in outputs]
        if not len(tensors[0]):
            return shaped(new)
        run = _run_cuda if tensors[0].device.type == "cuda" else _run_cpu
        run(torch, model, tensors, new)
        return shaped(new)

    def fake(*tensors: Any) -> Any:
        return shaped([_allocated(torch, tensors, shape) for shape in outputs])

    def keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, *gradients: Any) -> Any:
        return _pulled_back(torch, model, ctx.saved_tensors, gradients, ctx.needs_input_grad)

    def vmap(info: Any, axes: tuple[int | None, ...], *tensors: Any) -> tuple[Any, Any]:
        rows = [_merged(x, axis, info.batch_size) for x, axis in zip(tensors, axes, strict=True)]
        merged = operator(*rows)
        merged = [merged] if results == 1 else list(merged)
        apart = [y.reshape(info.batch_size, -1, *shape) for y, shape in zip(merged, outputs, strict=True)]
        return shaped(apart), shaped([0] * results)

    operator = torch.library.custom_op(
        f"symoro::{name}", compute, mutates_args=(), schema=f"({arguments}) -> {returned}"
    )
    operator.register_fake(fake)
    operator.register_autograd(backward, setup_context=keep)
    operator.register_vmap(vmap)
    return operator


def _pulled_back(
    torch: Any,
    model: Differentiable,
    inputs: Sequence[Any],
    gradients: Sequence[Any],
    needed: Sequence[bool],
) -> tuple[Any, ...]:
    """Return the gradients of the inputs that need one, by the vjp program with respect to these inputs."""
    wrt = [at for at, need in enumerate(needed) if need]
    even = [g if _entry_distance(g) is not None else g.contiguous() for g in gradients]
    bars = _operator(torch, model.derived("vjp", wrt))(*inputs, *even)
    by_position = dict(zip(wrt, bars if isinstance(bars, (tuple, list)) else (bars,), strict=True))
    return tuple(by_position.get(at) for at in range(len(inputs)))


def _merged(x: Any, axis: int | None, count: int) -> Any:
    """Return a tensor (B, N, ...) of a vectorised call as (B N, ...)."""
    x = x.unsqueeze(0).expand(count, *x.shape) if axis is None else x.movedim(axis, 0)
    return x.reshape(-1, *x.shape[2:])


def _allocated(torch: Any, inputs: Sequence[Any], shape: Shape) -> Any:
    """Return a new output (N, ...), stored as the inputs are: sample by sample, or on a GPU entry by entry."""
    first = inputs[0]
    count = first.shape[0]
    on_gpu = first.device.type == "cuda"
    if on_gpu and (size(shape) > MOST_BY_SAMPLES or any(_by_entries(x) for x in inputs)):
        return first.new_empty((*shape, count)).movedim(-1, 0)
    return first.new_empty((count, *shape))


def _by_entries(x: Any) -> bool:
    """Return whether a tensor (N, n) is the transpose of a contiguous one."""
    return bool(x.ndim == 2 and x.shape[1] > 1 and x.shape[0] > 1 and x.stride(0) == 1)


def _run_cpu(torch: Any, model: Differentiable, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    call = model.batch_call(_type_name(inputs[0]))
    rows = [x if _is_shared(x) else x.contiguous() for x in inputs]
    steps = [0 if _is_shared(x) else size(shape) for x, shape in zip(rows, model.inputs, strict=True)]
    addresses = [x.data_ptr() for x in rows], [y.data_ptr() for y in outputs]
    call(len(rows[0]), steps, *addresses, threads=torch.get_num_threads())


def _type_name(x: Any) -> str:
    return str(x.dtype).removeprefix("torch.")


def _is_shared(x: Any) -> bool:
    """Return whether all samples are the same one in memory, by rows."""
    return bool(x.stride(0) == 0 and x[0].is_contiguous())


def _run_cuda(torch: Any, model: Differentiable, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    from symoro.bridges.cuda import CudaKernel

    dtype, device = _type_name(inputs[0]), inputs[0].device
    with _REGISTERING:
        if (model.key, dtype) not in _KERNELS:
            kernel = CudaKernel(model.program, dtype)
            _KERNELS[model.key, dtype] = kernel, kernel.constants(model.values)
        kernel, constants = _KERNELS[model.key, dtype]
    kernel.launch(
        len(inputs[0]),
        [_strided(x, port.name) for x, port in zip(inputs, model.program.inputs, strict=True)],
        [_strided(y, port.name) for y, port in zip(outputs, model.program.outputs, strict=True)],
        constants,
        torch.cuda.current_stream(device).cuda_stream,
        device.index,
    )


_KERNELS: dict[tuple[str, str], tuple[Any, Any]] = {}


def _strided(x: Any, name: str) -> Any:
    """Return address and distances of a tensor (N, ...) of the device, whose entries are evenly spaced."""
    from symoro.bridges.cuda import Strided

    entry = _entry_distance(x)
    if entry is None:
        raise ArgumentError(
            f"'{name}', shape {tuple(x.shape)}, has strides {x.stride()}: its entries must be evenly spaced, by rows",
            hint="use x.contiguous(), or store it entry by entry",
        )
    return Strided(x.data_ptr(), x.stride(0), entry)


def _entry_distance(x: Any) -> int | None:
    """Return the distance of the entries of a sample, by rows; None if they are not evenly spaced."""
    axes = [(n, stride) for n, stride in zip(x.shape[1:], x.stride()[1:], strict=True) if n != 1]
    entry = axes[-1][1] if axes else 1
    follow = 1
    for length, stride in reversed(axes):
        if stride != entry * follow:
            return None
        follow *= length
    return int(entry)
