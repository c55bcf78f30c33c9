"""Run the device code of a program on the CPU: the same text, compiled as C++ with the words of CUDA defined."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from symoro.emit.cuda import THREADS, device_code, rows_of
from symoro.program.program import Program, size
from tests.emit.run import command, need

SHIM = """\
#include <cmath>
#include <cstring>
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __restrict__
#define __stcs(address, value) (*(address) = (value))
#define __CUDA_ARCH__ 900
static struct { unsigned x; } blockIdx, threadIdx;
static inline int __double2loint(double x) { long long w; memcpy(&w, &x, 8); return (int)w; }
static inline int __float_as_int(float x) { int w; memcpy(&w, &x, 4); return w; }
static inline float __int_as_float(int w) { float x; memcpy(&x, &w, 4); return x; }
static inline void fast_(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
#define __sincosf fast_
"""
GUARD = -77.25  # value of the numbers around an output, which no kernel may overwrite

Arrays = dict[str, np.ndarray]


def compiled_kernel(folder: Path, text: str, name: str = "kernel") -> Callable[[int, int], None]:
    """Return a function of the number of blocks and the address of an array of addresses of the arguments.

    It executes all threads of a kernel one after the other, as `cuLaunchKernel` executes them at once.
    """
    scalar = re.search(r"const (\w+) \*__restrict__", text) or re.search(r"(\w+) \*__restrict__", text)
    assert scalar is not None
    number = f"*({scalar[1]} **)"
    kernel = re.search(r"(\w+_kernel)\((.*?)\)", text, re.DOTALL)
    assert kernel is not None
    kinds = [part.strip() for part in kernel[2].split(",")]
    casts = []
    for kind in kinds:
        if "*__restrict__" in kind:
            casts.append(number)
        else:
            casts.append(f"*({kind.removeprefix('const ').rsplit(' ', 1)[0]} *)")
    arguments = ", ".join(f"{cast}a[{at}]" for at, cast in enumerate(casts))
    lines = [
        SHIM,
        text,
        'extern "C" void launch(int blocks, void **a)',
        "{",
        f"    for (int i = 0; i < blocks*{THREADS}; ++i) {{",
        f"        blockIdx.x = i/{THREADS};",
        f"        threadIdx.x = i%{THREADS};",
        f"        {kernel[1]}({arguments});",
        "    }",
        "}",
    ]
    (folder / f"{name}.cpp").write_text("\n".join(lines) + "\n")
    flags = ["-std=c++17", "-O1", "-march=native", "-shared", "-fPIC", "-w", "-fno-math-errno"]
    command(need("g++"), *flags, f"{name}.cpp", "-o", f"{name}.so", cwd=folder)
    launch = ctypes.CDLL(str(folder / f"{name}.so")).launch
    launch.argtypes, launch.restype = [ctypes.c_int, ctypes.c_void_p], None
    return launch


def device_on_cpu(
    folder: Path,
    program: Program,
    inputs: Mapping[str, np.ndarray],
    values: Mapping[str, float],
    *,
    scalar: str = "double",
    trig: str = "accurate",
    layout: str = "samples",
) -> Arrays:
    """Return the outputs of a batch; inputs without an axis of samples are shared."""
    dtype = np.dtype("float32" if scalar == "float" else "float64")
    device, rows = device_code(program, "model", scalar, trig), rows_of(program, layout)
    count = next(len(inputs[p.name]) for p in program.inputs if inputs[p.name].ndim > len(p.shape))
    arrays, numbers = [], [count]
    for port, row in zip((*program.inputs, *program.outputs), rows, strict=True):
        length = size(port.shape)
        given = inputs.get(port.name) if port in program.inputs else None
        shared = given is not None and given.ndim == len(port.shape)
        flat = np.full((count, length), GUARD) if given is None else given.reshape(-1, length)
        stored = np.concatenate([[GUARD], (flat if row else flat.T).ravel(), [GUARD]]).astype(dtype)
        arrays.append((port, row, stored))
        sample = 0 if shared else length if row else 1
        numbers += [stored.ctypes.data + dtype.itemsize, sample, 1 if row else len(flat)]
    constants = np.array(device.constants_of(values), dtype=dtype)
    if device.constants and not device.by_value:
        numbers.append(constants.ctypes.data)
    packed = np.array(numbers, dtype=np.int64)
    addresses = [packed.ctypes.data + 8 * at for at in range(len(numbers))]
    if device.constants and device.by_value:
        addresses.append(constants.ctypes.data)
    pointers = np.array(addresses, dtype=np.int64)
    launch = compiled_kernel(folder, device.text(rows), f"{program.name}_{scalar}_{trig}_{layout}")
    launch(-(-count // THREADS), pointers.ctypes.data)
    results = {}
    for port, row, stored in arrays[len(program.inputs) :]:
        assert stored[0] == stored[-1] == np.array(GUARD, dtype), f"{port.name} is written out of bounds"
        inner = stored[1:-1]
        table = inner.reshape(count, -1) if row else inner.reshape(-1, count).T
        results[port.name] = table.reshape(count, *port.shape).astype(float)
    return results
