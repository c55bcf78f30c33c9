"""Test the options of `Model.function`: valid and invalid values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import OptionError
from symoro.runtime.options import FunctionOptions, function_options


@pytest.mark.parametrize("threads", [0, -1, 2.5, "many", "2", None, True, [1]])
def test_invalid_numbers_of_threads(threads: Any) -> None:
    with pytest.raises(OptionError, match=r"threads = .*\n.*at least 1"):
        symoro.generate("rx90", "fast-geometry").function(threads=threads)


@pytest.mark.parametrize("dtype", ["float16", "complex128", "int32", "double precision", None, 8, "f2"])
def test_invalid_types(dtype: Any) -> None:
    with pytest.raises(OptionError, match="'float64' or 'float32'"):
        symoro.generate("rx90", "fast-geometry").function(dtype=dtype)


@pytest.mark.parametrize(
    ("option", "value", "valid"),
    [
        ("backend", "opencl", "'c' or 'cuda'"),
        ("backend", None, "'c' or 'cuda'"),
        ("layout", "rows", "'samples' or 'entries'"),
        ("trig", "fast", "'polynomial' or 'libm'"),
        ("trig", 1, "'polynomial' or 'libm'"),
    ],
)
def test_invalid_choices(option: str, value: Any, valid: str) -> None:
    with pytest.raises(OptionError, match=valid):
        symoro.generate("rx90", "fast-geometry").function(**{option: value})


def test_valid_values() -> None:
    assert function_options() == FunctionOptions()
    for dtype in ("float32", np.float32, np.dtype("float32"), "f4"):
        assert function_options(dtype, np.int64(3)) == FunctionOptions("float32", 3)
    assert function_options().scalar == "double" and function_options("float32").scalar == "float"
    assert function_options(backend="cuda").trig == "accurate"
    assert function_options(backend="cuda", trig="fast").trig == "fast"
    with pytest.raises(OptionError, match="'accurate' or 'fast'"):
        function_options(backend="cuda", trig="libm")
