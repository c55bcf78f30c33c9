"""Run the device code of a program on the CPU: the same text, compiled as C++ with the words of CUDA defined."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
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
#define __launch_bounds__(n)
#define __restrict__
#define __CUDA_ARCH__ 900
static struct { unsigned x; } blockIdx, threadIdx;
static inline int __double2loint(double x) { long long w; memcpy(&w, &x, 8); return (int)w; }
static inline int __float_as_int(float x) { int w; memcpy(&w, &x, 4); return w; }
static inline void fast_(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
#define __sincosf fast_
"""
GUARD = -77.25  # value of the numbers around an output, which no kernel may overwrite

Arrays = dict[str, np.ndarray]


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
    arrays, arguments, kept = [], [], []
    for port, row in zip((*program.inputs, *program.outputs), rows, strict=True):
        length = size(port.shape)
        given = inputs.get(port.name) if port in program.inputs else None
        shared = given is not None and given.ndim == len(port.shape)
        flat = (
            np.full((1 if shared else count, length), GUARD) if given is None else given.reshape(-1, length)
        )
        stored = np.concatenate([[GUARD], (flat if row else flat.T).ravel(), [GUARD]]).astype(dtype)
        kept.append(stored)
        arguments += [stored.ctypes.data + dtype.itemsize, *((length, 1) if row else (1, len(flat)))]
        if shared:
            arguments[-2:] = [0, 1] if row else [0, len(flat)]
        arrays.append((port, row, stored))
    pointers = [f"({scalar} *)a[{3 * at}], a[{3 * at + 1}], a[{3 * at + 2}]" for at in range(len(arrays))]
    constants = []
    if device.constants:
        constants = ["constants" if device.by_value else "k"]
    lines = [
        SHIM,
        device.text(rows),
        f'extern "C" void run(int n, const long long *a, const {scalar} *k)',
        "{",
    ]
    if device.constants and device.by_value:
        lines += ["    model_constants constants;", "    memcpy(&constants, k, sizeof constants);"]
    lines += [
        f"    for (int i = 0; i < (n + {THREADS - 1})/{THREADS}*{THREADS}; ++i) {{",
        f"        blockIdx.x = i/{THREADS};",
        f"        threadIdx.x = i%{THREADS};",
        f"        {device.kernel}({', '.join(['n', *pointers, *constants])});",
        "    }",
        "}",
    ]
    name = f"{program.name}_{scalar}_{trig}_{layout}"
    (folder / f"{name}.cpp").write_text("\n".join(lines) + "\n")
    flags = ["-std=c++17", "-O1", "-march=native", "-shared", "-fPIC", "-w", "-fno-math-errno"]
    command(need("g++"), *flags, f"{name}.cpp", "-o", f"{name}.so", cwd=folder)
    numbers = np.array(device.constants_of(values), dtype=dtype)
    packed = (ctypes.c_longlong * max(1, len(arguments)))(*map(int, arguments))
    ctypes.CDLL(str(folder / f"{name}.so")).run(count, packed, ctypes.c_void_p(numbers.ctypes.data))
    results = {}
    for port, row, stored in arrays[len(program.inputs) :]:
        assert stored[0] == stored[-1] == np.array(GUARD, dtype), f"{port.name} is written out of bounds"
        inner = stored[1:-1]
        table = inner.reshape(count, -1) if row else inner.reshape(-1, count).T
        results[port.name] = table.reshape(count, *port.shape).astype(float)
    return results
