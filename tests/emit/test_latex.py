"""LaTeX that is easy to read: squares, delimiters as tall as their content, arrays without their zeros."""

from __future__ import annotations

import re

import pytest

from symoro.emit.latex import broken, readable
from symoro.model import generate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"M_{3} \, D_{3} \, D_{3}", r"M_{3} \, D_{3}^{2}"),
        (r"10^{-12} \, \mathit{RL}_{4} \, \mathit{RL}_{4}", r"10^{-12} \, \mathit{RL}_{4}^{2}"),
        (r"\dot q_{1} \, \dot q_{1} + x", r"\dot q_{1}^{2} + x"),
        (r"\dot q_{1} \, q_{1}", r"\dot q_{1} \, q_{1}"),  # two symbols
        (r"q_{1} \, \dot q_{1}", r"q_{1} \, \dot q_{1}"),
        (r"x_{1} \, x_{11}", r"x_{1} \, x_{11}"),
        (r"x \, x_{1}", r"x \, x_{1}"),
        (r"M_{3}' \, M_{3}", r"M_{3}' \, M_{3}"),
        (r"a \, (b + c)", r"a \, (b + c)"),
        (r"a \, (\frac{b}{2} + c)", r"a \, \left(\frac{b}{2} + c\right)"),
        (r"\cos((a + b) + \frac{c}{2})", r"\cos\left((a + b) + \frac{c}{2}\right)"),
        (r"\lvert \frac{c}{2} \rvert", r"\left\lvert \frac{c}{2} \right\rvert"),
        (
            r"\left(\begin{cases} 1 & (a) < b \\ 0 & c \end{cases}\right)",
            r"\left(\begin{cases} 1 & (a) < b \\ 0 & c \end{cases}\right)",
        ),
    ],
)
def test_squares_and_delimiters(text: str, expected: str) -> None:
    assert readable(text) == expected


def test_long_expressions_have_delimiters_that_permit_line_breaks() -> None:
    text = readable("(" + " + ".join(rf"\frac{{x_{{{k}}}}}{{2}}" for k in range(20)) + ")")
    assert text.startswith(r"\Bigl(") and text.endswith(r"\Bigr)")
    assert "\\\\\n" in broken(text)


def test_no_line_breaks_between_left_and_right() -> None:
    sums = " + ".join(rf"\left(\frac{{a_{{{k}}}}}{{2}} - b\right)" for k in range(12))
    for line in broken(sums).split("\\\\\n"):
        assert line.count(r"\left") == line.count(r"\right")


def test_zero_entries_of_an_array_share_one_equation() -> None:
    lines = generate("planar2r", "lagrange")._repr_latex_().splitlines()
    entries = [line for line in lines if line.startswith("D_{") and "&=" in line and "D_{2}" not in line]
    assert [line.partition(" &=")[0] for line in entries] == [
        "D_{1,1,2}",
        "D_{1,2,1}",
        "D_{1,2,2}",
        "D_{2,1,1}",
        "D_{i,j,k}",
    ]
    assert r"0 \quad \text{for all other indices}" in entries[-1]


def test_an_array_of_zeros_is_one_equation() -> None:
    lines = generate("cartesian", "lagrange")._repr_latex_().splitlines()
    assert [line for line in lines if line.startswith("D_{")] == [
        r"D_{i,j,k} &= 0 \quad \text{for all indices}"
    ]


@pytest.mark.parametrize("robot", ["rx90", "puma560"])
def test_delimiters_are_balanced(robot: str) -> None:
    text = generate(robot, "inverse-geometry")._repr_latex_()
    assert text.count(r"\left") == text.count(r"\right") and text.count(r"\Bigl") == text.count(r"\Bigr")
    assert not re.search(r"(\w+_\{[\w,]+\}) \\, \1(?![\w'])", text)


@pytest.mark.parametrize(
    ("model", "symbols"), [("jacobian-determinant", [r"\mathit{det}"]), ("energy", ["E", "U"])]
)
def test_a_scalar_output_has_its_own_name(model: str, symbols: list[str]) -> None:
    outputs = generate("rx90", model)._repr_latex_().split("Outputs:")[1]
    assert re.findall(r"^(.+?) &=", outputs, re.MULTILINE) == symbols
