"""The part of CuPy that symoro uses, on the CPU: arrays are NumPy's, and kernels run one thread after the other."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from tests.emit.cuda_on_cpu import compiled_kernel


class FakeArray(np.ndarray):
    """NumPy array with the attributes of a CuPy array."""

    number_of_device = 0

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.__array_interface__["data"][0])

    @property
    def device(self) -> Any:
        return SimpleNamespace(id=self.number_of_device)

    def __array_finalize__(self, parent: Any) -> None:
        self.number_of_device = getattr(parent, "number_of_device", 0)


def fake_cupy(folder: Path, devices: int = 1) -> ModuleType:
    """Return a module that replaces cupy; `launched` lists (kernel, blocks, stream) of all launches."""
    cupy = ModuleType("cupy")
    functions: dict[int, Any] = {}
    launched: list[tuple[int, int, int]] = []

    class CUDARuntimeError(RuntimeError):
        pass

    def count() -> int:
        if not devices:
            raise CUDARuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected")
        return devices

    class RawModule:
        def __init__(self, code: str, options: tuple[str, ...]) -> None:
            assert "-std=c++17" in options
            self.code = code

        def get_function(self, name: str) -> Any:
            assert name in self.code
            number = len(functions) + 1
            functions[number] = compiled_kernel(folder, self.code, f"kernel{number}")
            return SimpleNamespace(kernel=SimpleNamespace(ptr=number), num_regs=1, local_size_bytes=0)

    def launch_kernel(kernel: int, blocks: int, *numbers: int) -> None:
        stream, arguments = numbers[-3:-1]
        launched.append((kernel, blocks, stream))
        functions[kernel](blocks, arguments)

    def device(number: int) -> AbstractContextManager[None]:
        assert number < devices
        return nullcontext()

    def asarray(x: Any, dtype: Any = None) -> Any:
        return np.array(x, dtype=dtype).view(FakeArray)

    contents: dict[str, Any] = {
        "ndarray": FakeArray,
        "RawModule": RawModule,
        "asarray": asarray,
        "empty": lambda shape, dtype: np.full(shape, np.nan, dtype).view(FakeArray),
        "moveaxis": np.moveaxis,
        "launched": launched,
        "cuda": SimpleNamespace(
            Device=device,
            get_current_stream=lambda: SimpleNamespace(ptr=77, synchronize=lambda: None),
            driver=SimpleNamespace(ctxGetCurrent=lambda: 1, launchKernel=launch_kernel),
            runtime=SimpleNamespace(
                getDeviceCount=count, getDevice=lambda: 0, CUDARuntimeError=CUDARuntimeError
            ),
        ),
    }
    for name, value in contents.items():
        setattr(cupy, name, value)
    return cupy
