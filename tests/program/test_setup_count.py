"""What `count` says of the setup part is what stands in the emitted code; 2p is one addition, as p + p."""

from __future__ import annotations

import ast

import pytest

import symoro


def _operations(function: ast.FunctionDef) -> tuple[int, int]:
    """(additions, multiplications and divisions)."""
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
