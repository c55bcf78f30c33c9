"""Check that `count` of the setup part equals the emitted code; 2p is one addition, as p + p."""

from __future__ import annotations

import ast
import re

import pytest

import symoro


def _operations(function: ast.FunctionDef) -> tuple[int, int]:
    """Return (additions, multiplications and divisions)."""
    additions = others = 0
    for node in ast.walk(function):
        if isinstance(node, ast.BinOp):
            factor = node.left.operand if isinstance(node.left, ast.UnaryOp) else node.left
            twice = isinstance(node.op, ast.Mult) and isinstance(factor, ast.Constant) and factor.value == 2
            if isinstance(node.op, ast.Add | ast.Sub) or twice:
                additions += 1
            else:
                others += 1
    return additions, others


@pytest.mark.parametrize("robot", ["rx90", "stanford", "planar3r", "scara"])
@pytest.mark.parametrize(
    "model", ["inverse-dynamics", "inertia-matrix", "lagrange", "inverse-dynamics-derivatives", "jacobian"]
)
def test_the_setup_part_is_counted_whole(robot: str, model: str) -> None:
    made = symoro.generate(symoro.load(robot), model)
    (text,) = (text for name, text in made.code("python").items() if name.endswith(".py"))
    functions = [f for f in ast.parse(text).body if isinstance(f, ast.FunctionDef) and f.name == "setup"]
    counted = made.count().setup
    assert counted is not None
    expected = (counted.additions, counted.multiplications + counted.divisions)
    assert (_operations(functions[0]) if functions else (0, 0)) == expected


_TOKEN = re.compile(r"[A-Za-z_]\w*|[0-9.]+(?:e[-+]?[0-9]+)?|[-+*/()=]")


def _operations_in_c(text: str) -> tuple[int, int]:
    """Return the same for a C function, read character by character; unary minus is not counted."""
    additions = others = 0
    for line in re.sub(r"\[\d+\]", "", text).split(";"):
        before = "="
        for token in _TOKEN.findall(line.partition("=")[2]):
            if (token in "+-" and before not in "=(*/+-") or (token in "*/" and before == "2"):
                additions += 1
            elif token in "*/":
                others += 1
            before = token
    return additions, others


@pytest.mark.parametrize("robot", ["rx90", "stanford", "scara"])
@pytest.mark.parametrize("model", ["inverse-dynamics", "inertia-matrix", "lagrange"])
def test_the_setup_part_of_c_does_what_is_counted(robot: str, model: str) -> None:
    made = symoro.generate(symoro.load(robot), model)
    match = re.search(
        r"void model_setup\([^)]*\)\s*\{(.*?)\n\}", made.code("c", name="model")["model.c"], re.DOTALL
    )
    counted = made.count().setup
    assert counted is not None
    assert _operations_in_c(match[1] if match else "") == (
        counted.additions,
        counted.multiplications + counted.divisions,
    )
