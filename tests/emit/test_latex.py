"""LaTeX that is easy to read: squares, delimiters as tall as their content, arrays without their zeros."""

from __future__ import annotations

import random
import re

import pytest

from symoro.emit.latex import WIDEST, broken, printed_width, readable
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
            r"\begin{cases} 1 & (a) < b \\ 0 & c \end{cases}",
        ),
        (
            r"\frac{1}{\left(\begin{cases} 1 & a \\ 0 & c \end{cases}\right)}",
            r"\frac{1}{\begin{cases} 1 & a \\ 0 & c \end{cases}}",
        ),
        (
            r"2 \, \left(\begin{cases} 1 & a \\ 0 & c \end{cases}\right)",
            r"2 \, \left(\begin{cases} 1 & a \\ 0 & c \end{cases}\right)",
        ),
        (
            r"\left(\begin{cases} 1 & a \\ 0 & c \end{cases}\right)^{2}",
            r"\left(\begin{cases} 1 & a \\ 0 & c \end{cases}\right)^{2}",
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


@pytest.mark.parametrize(
    ("text", "width"),
    [  # widths from \\the\\wd of LaTeX in pt, article with 10 pt
        (r"\mathit{MX}_{4} \, S_{4} + \mathit{MY}_{4} \, C_{4}", 83.1),
        (r"\arcsin(S_{1} \, C_{2}) - \operatorname{atan2}(S_{1}, C_{1})", 128.5),
        (r"D_{3}^{2} \, M_{3} + 2 \, D_{3} \, \mathit{MX}_{3}", 84.7),
        (r"\dot q_{1} \, \dot q_{2} \, \sin(q_{2} + q_{3})", 73.1),
        (r"\left(\mathit{XX}_{1} - \mathit{YY}_{2}\right) \, \omega_{2}^{2}", 76.6),
        (r"{}^{0}T_{1} \, \lambda_{2} = \alpha", 46.6),
        (r"10^{-12} \, (\min(q_{1}, -q_{2}) - 123456789012)", 161.0),
    ],
)
def test_widths_are_those_of_latex(text: str, width: float) -> None:
    assert printed_width(text) == pytest.approx(width, rel=0.1)


def test_width_of_nested_fractions() -> None:
    numerator = r"\sqrt{1 + q_{1}^{2} + \frac{a_{1}}{b_{2}^{2}}}"
    assert printed_width(rf"\frac{{{numerator}}}{{2}}") == pytest.approx(printed_width(numerator), abs=5)


def test_lines_fit_on_the_page() -> None:
    terms = [rf"\mathit{{MX}}_{{{k}}} \, S_{{{k}}} \, C_{{{k + 1}}}" for k in range(30)]
    lines = broken(" + ".join(terms)).split("\\\\\n")
    assert len(lines) > 3
    term = printed_width(" + " + terms[-1])
    for line in lines[:-1]:
        assert WIDEST - term < printed_width(line.replace(r"&\quad", "")) <= WIDEST


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


def test_symbols_of_parameters_and_outputs_differ() -> None:
    """A scalar output keeps its symbol; a parameter with the name of an output, or an entry, gets a prime."""
    energy = next(iter(generate("planar2r", "energy").code("latex").values()))
    assert "\nE &= " in energy and "\nU &= " in energy
    filtered = next(iter(generate("planar2r", "filtered-identification").code("latex").values()))
    assert "D_{2} &= \\left[" in filtered and r"D_{2}' \, \dot q_{1}" in filtered
    assert "%   D_{2}' stands for D2" in filtered
    # qd4 is the entry 3 of the output qd, and an input
    wheeled = next(iter(generate("one_steering", "direct-dynamics").code("latex").values()))
    assert r"\dot q_{4} \, g_{8,4}" in wheeled and r"\dot q_{4}'" not in wheeled


def test_matrices_fit_on_a_page() -> None:
    """Entries of the textbook arm are in its matrices; long ones of a Jacobian have equations of their own."""
    lagrange = generate("planar2r", "lagrange", expanded=True).with_outputs(["A", "C", "Q"])
    text = next(iter(lagrange.code("latex", fragment=True).values()))
    assert (
        "A_{1,1}" not in text
        and "C_{1,2}" not in text
        and r"2 \, D_{2} \, \mathit{MX}_{2} \, C_{2} &" in text
    )
    jacobian = next(iter(generate("rx90", "jacobian").expanded().code("latex", fragment=True).values()))
    assert "J_{4,6} &= " in jacobian and "J_{6,4}" not in jacobian


def _cases(value: str, condition: str, otherwise: str) -> str:
    return rf"\left(\begin{{cases}} {value} & {condition} \\ {otherwise} & \text{{otherwise}} \end{{cases}}\right)"


def test_cases_inside_cases_are_rows() -> None:
    indicator = _cases(_cases("1", "x < y", "0"), "z = 0", "0")
    text = readable(_cases("1", "k < 0", _cases("2", rf"{indicator} \neq 0", "3")))
    rows = r"1 & k < 0 \\ 2 & z = 0 \text{ and } x < y \\ 3 & \text{otherwise}"
    assert text == rf"\begin{{cases}} {rows} \end{{cases}}"


@pytest.mark.parametrize("seed", range(20))
def test_flat_cases_have_the_same_values(seed: int) -> None:
    rng = random.Random(seed)
    facts = {f"x_{{{k}}} < y": rng.random() < 0.5 for k in range(4)}

    def choice(depth: int) -> tuple[str, str]:
        """Return nested cases and their value."""
        if depth == 0:
            number = str(rng.randrange(9))
            return number, number
        condition, holds = rng.choice(list(facts.items()))
        if rng.random() < 0.4:
            other, other_holds = rng.choice(list(facts.items()))
            condition = rf"{_cases(_cases('1', condition, '0'), other, '0')} \neq 0"
            holds = holds and other_holds
        (first, its), (second, own) = choice(depth - 1), choice(depth - 1)
        return _cases(first, condition, second), its if holds else own

    text, value = choice(4)
    flat = readable(text)
    assert flat.count(r"\begin") == 1
    rows = flat.removeprefix(r"\begin{cases} ").removesuffix(r" \end{cases}").split(r" \\ ")
    cells = [row.split(" & ") for row in rows]
    true = facts | {r"\text{otherwise}": True}
    assert next(v for v, c in cells if all(true[each] for each in c.split(r" \text{ and } "))) == value


def test_squares_of_powers_of_ten() -> None:
    """LaTeX rejects 10^{-6}^{2}."""
    assert (
        readable(r"10^{-6}^{2} \, x + 2.5 \cdot 10^{7}^{2}") == r"(10^{-6})^{2} \, x + (2.5 \cdot 10^{7})^{2}"
    )


def test_zero_matrices_are_one_symbol() -> None:
    assert r"\mathit{free} &= 0_{8 \times 7}" in generate("3rrr", "inverse-geometry")._repr_latex_()
