"""Test the listing: which nodes have a statement, in which order, with which sign, and the expressions."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import symoro
from symoro.emit import c, emit
from symoro.emit.listing import LONGEST, lower
from symoro.errors import OptionError, ProgramError, UnknownNameError
from symoro.expr import ops
from symoro.expr import scalar as sc
from symoro.program.builder import Builder
from symoro.program.program import Program
from tests.effort import growth
from tests.emit.programs import chain, everything, expanded


def listing(b: Builder, **options: bool) -> list[str]:
    """Return the equations of a program in the text listing."""
    (text,) = emit(b.program(**options), "text").values()
    body = text.split("\n-----", 1)[1].split("\n", 1)[1].replace("\n    ", " ")
    return [line for line in body.splitlines() if line][:-1]  # without the number of lines


def test_used_once_is_written_where_it_is_used() -> None:
    b = Builder("f")
    x, y, z = b.input("q", (3,))
    b.output("r", [x * y + z])
    assert listing(b) == ["r[1] = q3 + q1*q2"]


def test_used_twice_named_and_trigonometric_get_a_statement() -> None:
    b = Builder("f")
    x, y = b.input("q", (2,))
    shared = x * y
    b.output("r", [shared + 1, shared + 2, b.named("U", x + y), sc.cos(x)])
    assert listing(b) == [
        "t1 = q1*q2",
        "U = q1 + q2",
        "C1 = cos(q1)",
        "r[1] = 1 + t1",
        "r[2] = 2 + t1",
        "r[3] = U",
        "r[4] = C1",
    ]


def test_statements_stay_short_and_in_order() -> None:
    b = Builder("f")
    total = sum((x * k for k, x in enumerate(b.input("q", (60,)), 3)), b.number(0))
    b.output("r", total)
    program = b.program()
    low = lower(program)
    assert low.call == sorted(low.call) and len(low.call) > 60 // LONGEST
    for line in listing(b):
        assert sum(line.count(sign) for sign in "+*") <= LONGEST


def test_a_difference_wanted_negated_is_turned_round() -> None:
    b = Builder("f")
    x, y, z = b.input("q", (3,))
    d = x - y
    b.output("r", [-d, -d, -(d * z)])
    assert listing(b) == ["t1 = q2 - q1", "r[1] = t1", "r[2] = t1", "r[3] = q3*t1"]


def test_signs_are_absorbed() -> None:
    b = Builder("f")
    w, x, y, z = b.input("q", (4,))
    b.output("r", [x - (y - z), -(x * (y - z)), x - (y + z), -(y - z) + w - x, -x, -(x + y), (w - x) / -y])
    assert listing(b)[0] == "t1 = q4 - q3"
    assert listing(b)[1:] == [
        "r[1] = q2 + t1",
        "r[2] = q2*t1",
        "r[3] = q2 - (q3 + q4)",
        "r[4] = q1 + t1 - q2",
        "r[5] = -q2",
        "r[6] = -(q2 + q3)",
        "r[7] = (q2 - q1)/q3",
    ]


def test_a_name_can_stand_for_the_negated_node() -> None:
    b = Builder("f")
    x, y = b.input("q", (2,))
    u = b.named("U", -(x + y))
    b.output("r", [u, -u, u * x, x - u])
    assert listing(b) == ["U = -(q1 + q2)", "r[1] = U", "r[2] = -U", "r[3] = q1*U", "r[4] = q1 - U"]


def test_constants_are_exact_in_text_and_one_decimal_in_code() -> None:
    b = Builder("f")
    (x,) = b.input("q", (1,))
    third, root = b.number(1) / 3, sc.sqrt(b.number(3)) / 2
    b.output("r", [x * third, x * root, b.pi() / 4, 2 * x / 3, sc.cos(b.number(1)) * x, x * 1e-9])
    assert listing(b) == [
        "r[1] = q1/3",
        "r[2] = sqrt(3)/2*q1",
        "r[3] = pi/4",
        "r[4] = 2*q1/3",
        "r[5] = cos(1)*q1",
        "r[6] = 1e-09*q1",
    ]
    code = emit(b.program(), "c")["f.c"]
    for text in (
        "0.3333333333333333*q1",
        "0.8660254037844386*q1",
        "0.7853981633974483;",
        "0.5403023058681398*q1",
    ):
        assert text in code


def test_parameters_alone_are_done_once() -> None:
    b = Builder("f")
    (x,) = b.input("q", (1,))
    m, c = b.parameter("M"), b.parameter("X")
    b.parameter("unused")
    b.output("r", [m * c * x, m])
    assert listing(b) == ["Once:", "k1 = M*X", "Each call:", "r[1] = k1*q1", "r[2] = M"]
    code = emit(b.program(), "c")
    assert "#define F_PARAMETERS 2" in code["f.h"] and "#define F_CONSTANTS 2" in code["f.h"]
    assert [b.graph.op[i] for i in b.program().constants] == [ops.SYMBOL, ops.MUL]


def test_no_parameters_no_setup() -> None:
    b = Builder("f")
    (x,) = b.input("q", (1,))
    b.output("r", [x])
    assert "setup" not in "".join(emit(b.program(), "c").values())


def test_expanded_writes_whole_entries() -> None:
    (text,) = emit(expanded(), "text").values()
    assert "P[1] = C1*(D3*C2 - C3*(1 + D3)*S2)\n" in text
    assert "P[2] = S1*(D3*C2 - C3*(1 + D3)*S2)\n" in text


def _nested(levels: int, is_expanded: bool = True) -> Program:
    b = Builder("f")
    x, y = b.input("q", (2,))
    for _ in range(levels):
        x, y = x * y + 1, x - y * y
    b.output("r", [x, y])
    return b.program(expanded=is_expanded)


def test_expanded_refuses_what_nobody_could_read() -> None:
    with pytest.raises(ProgramError, match="more than 5000 operations") as error:
        emit(_nested(40), "c")
    assert "intermediate variables" in str(error.value)
    emit(_nested(40, is_expanded=False), "c")


@pytest.mark.parametrize("language", ["python", "fortran", "c"])
def test_deep_expressions_are_cut(language: str) -> None:
    b = Builder("f")
    x, y = b.input("q", (2,))
    total = x
    for k in range(1500):
        total = (total + y) * (1 + k) if k % 2 else total - x
    b.output("r", total)
    files = emit(b.program(expanded=True), language)
    if language == "python":
        compile(files["f.py"], "f.py", "exec")
    assert max(len(line) for text in files.values() for line in text.splitlines()) <= 132


def test_unknown_language_and_options() -> None:
    program = expanded()
    with pytest.raises(UnknownNameError, match="no language called 'forth'"):
        emit(program, "forth")
    with pytest.raises(OptionError, match="has no option 'scalr'"):
        emit(program, "c", scalr="float")
    with pytest.raises(OptionError, match="'double' or 'float'"):
        emit(program, "c", scalar="half")
    for alias, name in (("C++", "cpp"), ("octave", "matlab"), ("txt", "text")):
        assert emit(program, alias) == emit(program, name)
    assert list(emit(program, "c", name="other")) == [
        "other.h",
        "other.c",
        "other_batch.c",
        "other_example.c",
    ]


def test_a_symbol_that_nobody_declared() -> None:
    with pytest.raises(ProgramError, match="'D3' is not a parameter"):
        emit(replace(expanded(), parameters=()), "c")
    with pytest.raises(ProgramError, match="'q1' is not an entry of an input"):
        emit(replace(expanded(), inputs=()), "c")


@pytest.mark.parametrize("name", ["RX-90 transform", "gamma", "main", "2R", "_x"])
def test_the_runtime_can_ask_for_the_name_of_the_c_function(name: str) -> None:
    program = replace(expanded(), name=name)
    function = c.function_name(program)
    assert (
        f"void {function}(const double *q, const double *k, double *P);"
        in emit(program, "c")[f"{function}.h"]
    )


def test_emission_repeats_itself() -> None:
    for language in ("c", "text", "latex"):
        assert emit(everything(), language) == emit(everything(), language)


def test_work_is_linear() -> None:
    """Check that ten times the program needs about ten times the calls."""
    assert growth(lambda program: emit(program, "c"), chain(40), chain(400)) < 13


# -- guards


@pytest.mark.parametrize("model", ["loop-kinematics", "inverse-dynamics", "dynamic-identification"])
@pytest.mark.parametrize("robot", ["fivebar", "fourbar", "sr400"])
def test_formulas_have_no_guards_and_code_has(robot: str, model: str) -> None:
    made = symoro.generate(robot, model)
    (text,), (latex,) = made.code("text").values(), made.code("latex").values()
    assert "select" not in text and "cases" not in latex and "select" not in latex
    assert "singular configurations" in text and "singular configurations" in latex
    code = "".join(made.code("c").values())
    assert "singular configurations" not in code and re.search(r"\? 0 : q1\)/\(", code)


@pytest.mark.parametrize(
    ("robot", "model"),
    [("scara", "inverse-geometry"), ("rx90", "inverse-geometry"), ("fourbar", "loop-geometry")],
)
def test_residuals_have_no_guards_in_formulas(robot: str, model: str) -> None:
    made = symoro.generate(robot, model)
    (text,), (latex,) = made.code("text").values(), made.code("latex").values()
    assert not re.search(r"^residual\[\d+\] = .*select", text, re.MULTILINE) and "select(t" in text
    assert "NaN as residual" in " ".join(text.split()) and "NaN as residual" in " ".join(latex.split())
    assert "NaN as residual" not in " ".join("".join(made.code("c").values()).split())


def test_other_choices_stay_in_formulas() -> None:
    b = Builder("f")
    x, y = b.input("q", (2,))
    b.output("r", [sc.select(sc.less(x, y), x, y)])
    assert listing(b) == ["r[1] = select(q1 < q2, q1, q2)"]
    b.void_where(sc.less(x, 0))
    assert listing(b) == ["r[1] = select(q1 < q2, q1, q2)"]


def test_a_guarded_output_keeps_its_sign() -> None:
    b = Builder("f")
    x, y = b.input("q", (2,))
    b.void_where(sc.less(x, 0))
    b.output("r", [-x * y, 2, 0])
    assert listing(b) == ["r[1] = -q1*q2", "r[2] = 2", "r[3] = 0"]
