"""Random texts of the grammar that Python can also evaluate."""

from __future__ import annotations

import math
import re
from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "D3", "x_1", "sinx", "E")
VALUES = {"a": 0.7, "D3": -1.3, "x_1": 2.1, "sinx": 0.4, "E": -0.2}
FUNCTIONS: dict[str, Any] = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "exp": math.exp,
    "abs": abs,
    "sign": lambda x: (x > 0) - (x < 0),
    "min": min,
    "max": max,
    "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y,
    "equal": lambda x, y: x == y,
    "select": lambda c, x, y: x if c else y,
}
SMOOTH = ("sin", "cos", "atan")

numbers = st.one_of(
    st.integers(0, 30).map(str),
    st.sampled_from(["0.5", "1.25", ".75", "3.", "1e2", "2.5E-1", "1e+1", "007"]),
)
leaves = st.one_of(numbers, st.sampled_from([*NAMES, *NAMES, "pi", "PI"]))


def _spaced(parts: tuple[str, ...]) -> str:
    return "".join(parts)


def texts(functions: tuple[str, ...] = SMOOTH, leaves_: int = 12) -> st.SearchStrategy[str]:
    """Return expressions with all operators, spaces, redundant parentheses and the given functions."""
    space = st.sampled_from(["", "", " ", "  ", "\t"])

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        grouped = inner.map(lambda t: f"({t})")
        return st.one_of(
            st.tuples(inner, space, st.sampled_from("+-*/"), space, inner).map(_spaced),
            st.tuples(grouped, space, st.sampled_from("*/"), space, grouped).map(_spaced),
            st.tuples(st.sampled_from("+-"), space, inner).map(_spaced),
            st.tuples(grouped, st.sampled_from(["^", "**", " ** "]), st.integers(0, 3).map(str)).map(_spaced),
            st.tuples(leaves, st.sampled_from(["^-", "**-"]), st.integers(1, 2).map(str)).map(_spaced),
            grouped,
            *[
                st.tuples(*[inner] * arity(name)).map(lambda a, name=name: f"{name}({', '.join(a)})")
                for name in functions
            ],
        )

    return st.recursive(leaves, larger, max_leaves=leaves_)


def arity(name: str) -> int:
    two = ("atan2", "min", "max", "less", "less_equal", "equal")
    return 3 if name == "select" else 2 if name in two else 1


def python_value(text: str, values: dict[str, float] = VALUES) -> float | None:
    """Return Python's value of a text; None if it cannot be computed."""
    source = re.sub(r"\bPI\b", "pi", text.replace("^", "**"))
    source = re.sub(r"(?<![\w.])0+(?=[1-9])", "", source)  # Python does not accept 007
    try:
        result = eval(source.strip(), {"__builtins__": {}}, {"pi": math.pi, **FUNCTIONS, **values})
        return float(result) if not isinstance(result, complex) and math.isfinite(result) else None
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
