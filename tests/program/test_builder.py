"""Test the builder of programs: declarations, names, and errors."""

from __future__ import annotations

import pytest

from symoro.errors import ProgramError
from symoro.expr import Graph, formula, ops
from symoro.expr.scalar import symbol
from symoro.program import Builder


@pytest.fixture
def b() -> Builder:
    return Builder("test")


def test_a_program(b):
    q = b.input("q", (2,), title="positions")
    A = b.input("A", (2, 2), ["A11", "A12", "A21", "A22"], default=[1, 0, 0, 1])
    d = b.parameter("d")
    b.parameter("unused")
    x = b.named("X", q[0] * d + A[3])
    b.output("y", [[x, 0], [1.5, -q[1]]], "a matrix")
    b.output("z", x)
    program = b.program(title="a test")
    assert program.name == "test" and program.title == "a test" and not program.expanded
    assert [(p.name, p.shape, p.symbols) for p in program.inputs] == [
        ("q", (2,), ("q1", "q2")),
        ("A", (2, 2), ("A11", "A12", "A21", "A22")),
    ]
    assert program.inputs[0].title == "positions" and program.inputs[0].default is None
    assert program.inputs[1].default == (1, 0, 0, 1)
    assert [(p.name, p.shape, p.title) for p in program.outputs] == [("y", (2, 2), "a matrix"), ("z", (), "")]
    assert program.outputs[1].lits == (x.lit,)
    assert program.parameters == ("d", "unused") and program.used_parameters == ("d",)
    assert program.names == {x.lit >> 1: ("X", x.lit & 1)}
    assert program.constants == (d.lit >> 1,)


def test_shapes_of_outputs(b):
    b.output("a", 1)
    b.output("b", [])
    b.output("c", [[[1, 2]], [[3, 4]]])
    b.output("d", ((1, 2), (3, 4)))
    assert [port.shape for port in b.program().outputs] == [(), (0,), (2, 1, 2), (2, 2)]


def test_formulas_declare_their_symbols(b):
    made = b.formula(formula("D3*cos(alpha) + 1"))
    assert made.cls == ops.PARAMETER
    b.output("y", made)
    assert set(b.program().parameters) == {"D3", "alpha"}


def test_names(b):
    x, y = b.input("x", (2,))
    first = b.named("V", x + y)
    assert b.named("W", x + y) == first, "the first name stays"
    other = b.named("V", -(x - y))
    b.named("V", x * y)
    for value in (x, 3, 0, b.parameter("p"), b.pi()):
        b.named("nothing", value)
    b.named_array("P", [x * x, y * y])
    b.output("f", [first, other, x * y, x * x, y * y])
    names = b.program().names
    assert sorted(name for name, _ in names.values()) == ["P1", "P2", "V", "V_2", "V_3"]
    assert names[other.lit >> 1] == ("V_2", other.lit & 1), (
        "the variable is x - y with the sign it was named with"
    )


def test_kernel_calls(b):
    x = b.input("x", (2,))
    solution = b.call("solve", [2, x[0], 0, 1], x)
    assert len(solution) == 2
    with pytest.raises(ProgramError, match="no kernel"):
        b.call("fft", x)
    with pytest.raises(ProgramError, match="solve requires"):
        b.call("solve", x, x)


def raises(match: str) -> pytest.RaisesExc[ProgramError]:
    return pytest.raises(ProgramError, match=match)


def test_wrong_inputs(b):
    b.input("q", (2,))
    with raises("input q is declared twice"):
        b.input("q", (1,), ["other"])
    with raises("entry q1 belongs to another input"):
        b.input("p", (1,), ["q1"])
    with raises("expected 2 different entry names"):
        b.input("r", (2,), ["r1"])
    with raises("expected 2 different entry names"):
        b.input("r", (2,), ["r1", "r1"])
    with raises("expected 3 default entries, got 2"):
        b.input("r", (3,), default=[1, 2])


def test_wrong_outputs(b):
    with raises("has no output"):
        b.program()
    with raises("different shapes"):
        b.output("y", [[1, 2], [3]])
    b.output("y", 1)
    with raises("output y is declared twice"):
        b.output("y", 2)
    with raises("expected a number"):
        b.output("z", "text")
    with raises("different graphs"):
        b.output("z", symbol(Graph(), "x"))


@pytest.mark.parametrize(
    ("cls", "kind"), [(ops.VARIABLE, "an entry of an input"), (ops.PARAMETER, "a parameter")]
)
def test_symbols_must_be_declared(b, cls, kind):
    b.output("y", symbol(b.graph, "x", cls) + 1)
    with raises(f"symbol 'x' is not declared as {kind}"):
        b.program()


def test_a_parameter_may_have_the_name_of_an_entry(b):
    (x,) = b.input("T", (1,), ["T11"])
    b.output("y", x - b.parameter("T11"))
    assert b.program().used_parameters == ("T11",)


def test_what_a_setup_hands_over(b):
    (x,) = b.input("x", ())
    p, q = b.parameter("p"), b.parameter("q")
    inner = p * q
    b.output("y", x * (inner + 1))
    b.output("z", p)
    program = b.program()
    assert set(program.constants) == {(inner + 1).lit >> 1, p.lit >> 1}
