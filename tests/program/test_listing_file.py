"""Test the reader of listings: every form, against Python's own evaluation of the assignments, and damaged files."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.emit import emit
from symoro.errors import FormatError, UnknownNameError
from symoro.models.catalogue import entry
from symoro.program.count import count
from symoro.program.interpret import interpret
from symoro.program.listing_file import listing_program, read_listing
from symoro.program.pipeline import optimise
from symoro.program.program import Program

OPENSYMORO = """\
Inverse dynamic model using Newton - Euler Algorith

Geometric parameters
j       ant     sigma   mu      gamma   b       alpha   d       theta   r
1       0       0       1       0       0       0       0       th1     0
2       1       1       1       0       0       Pi/2    D2      0       r2

Dynamic inertia parameters
j       XX      XY      XZ      YY      YZ      ZZ      MX      MY      MZ      M       IA
1       0       0       0       0       0       ZZ1     0       0       0       0       IA1
2       XX2     XY2     XZ2     YY2     YZ2     ZZ2     MX2     MY2     MZ2     M2      0

Base velicities parameters
axis    W0      WP0     V0      VP0     G
Z       0       0       0       0       G3

Equations:

# velocities
C1 = cos(th1)
S1 = sin(th1)
DV331 = QP1**2
VSP12 = -D2*DV331 + 2*QP1*QP2*0
F12 = M2*(C1*G3 - VSP12) + MX2*C1*C1 + MX2*S1*S1
F22 = M2*(QDP2 - r2*DV331)
No31 = ZZ1*QDP1 + ZZ2*QDP1 + M2*r2**2*QDP1
GAM1 = No31 + IA1*QDP1 + D2*F12 + FS1*sign(QP1)
GAM2 = F22 + FV2*QP2
*=*
"""


def evaluated(text: str, given: dict[str, float]) -> dict[str, float]:
    """Return the values of all names of a listing, computed by Python line by line."""
    scope: dict[str, Any] = {name: getattr(math, name) for name in ("cos", "sin", "tan", "sqrt", "atan2")}
    scope |= {"sign": lambda x: float(np.sign(x)), "Pi": math.pi, **given}
    for line in text.splitlines():
        if "=" in line and not line.startswith(("#", "*")):
            exec(line.strip(), scope)
    return {name: value for name, value in scope.items() if isinstance(value, float | int)}


def numbers(program: Program, seed: int = 0) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    rng = np.random.default_rng(seed)
    inputs = {port.name: rng.uniform(0.2, 1.2, port.shape) for port in program.inputs}
    return inputs, {name: float(rng.uniform(0.2, 1.2)) for name in program.parameters}


def by_symbol(program: Program, inputs: dict[str, np.ndarray]) -> dict[str, float]:
    return {
        symbol: float(value)
        for port in program.inputs
        for symbol, value in zip(port.symbols, np.ravel(inputs[port.name]), strict=True)
    }


def test_opensymoro() -> None:
    listing = read_listing(OPENSYMORO, "arm_idm.txt")
    raw = listing_program(listing, "arm")
    program = optimise(raw)
    assert {port.name: port.symbols for port in program.inputs} == {
        "th": ("th1",),
        "QP": ("QP1", "QP2"),
        "QDP": ("QDP1", "QDP2"),
        "r": ("r2",),  # the table declares it as the variable of a prismatic joint
    }
    assert {out.name: out.shape for out in program.outputs} == {"GAM": (2,)}
    assert program.title.startswith("Inverse dynamic model")
    inputs, parameters = numbers(program)
    truth = evaluated(OPENSYMORO.partition("Equations:")[2], by_symbol(program, inputs) | parameters)
    result = interpret(program, inputs, parameters)["GAM"]
    np.testing.assert_allclose(result, [truth["GAM1"], truth["GAM2"]], rtol=1e-13)
    assert count(program).total < listing.written.total


@pytest.mark.parametrize("name", ["rx90", "stanford", "scara"])
def test_the_formulation_of_symoro(name: str) -> None:
    """Write SYMORO's own formulation as OpenSYMORO does, read it back, and compare with an evaluation by Python."""
    plain = entry("inverse-dynamics").plain
    assert plain is not None
    text = next(iter(emit(plain(symoro.load(name)), "text").values()))
    lines = [line for line in text.partition("---\n")[2].splitlines() if "=" in line]
    body = "\n".join(lines).replace("^", "**")
    body = re.sub(r"tau\[(\d+)\]", r"GAM\1", body)
    listing = read_listing(f"Title\n\nEquations:\n\n{body}\n*=*\n", "x.txt")
    program = optimise(listing_program(listing, "x"))
    inputs, parameters = numbers(program)
    truth = evaluated(body, by_symbol(program, inputs) | parameters)
    (out,) = program.outputs
    expected = [truth[f"GAM{k}"] for k in range(1, out.shape[0] + 1)]
    np.testing.assert_allclose(
        interpret(program, inputs, parameters)["GAM"], expected, rtol=1e-11, atol=1e-11
    )


@pytest.mark.parametrize(
    ("robot", "model"),
    [
        ("rx90", "inverse-dynamics"),
        ("fivebar", "direct-dynamics"),
        ("ur5e", "inverse-geometry"),
        ("rx90", "lagrange"),
        ("car", "inverse-dynamics"),
        ("rx90_floating", "energy"),
    ],
)
def test_own_text(robot: str, model: str) -> None:
    made = symoro.generate(robot, model)
    program = optimise(listing_program(read_listing(str(made), "own.txt"), "own"))
    assert {port.name: port.shape for port in program.inputs} == made.inputs
    assert {port.name: port.shape for port in program.outputs} == made.outputs
    inputs, parameters = numbers(program)
    numbers_of_all = {name: parameters.get(name, 0.5) for name in made.parameters}
    ours, theirs = interpret(program, inputs, numbers_of_all), interpret(made.program, inputs, numbers_of_all)
    for name in ours:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-12, atol=1e-12)


def test_c_assignments() -> None:
    good = """\
#include <math.h>
/* a; b */ double t1;
t1 = 2.0f*q[0];
const double t2 = pow(t1, 2)
    + fabs(k);
out[0] = t1; out[1] = t2;
"""
    listing = read_listing(good, "x.c")
    program = listing_program(listing, "x")
    assert [one.line for one in listing.assignments] == [3, 4, 6, 6]
    assert {out.name: out.shape for out in program.outputs} == {"out": (2,)}
    result = interpret(program, {"q": np.array([0.5])}, {"k": -3.0})["out"]
    np.testing.assert_allclose(result, [1.0, 4.0])


def test_inputs_and_outputs_by_name() -> None:
    text = "a = x1*m\nb = a + x2\nc = b*m\n"
    program = listing_program(read_listing(text), "p", inputs=["x"], outputs=["b", "c"])
    assert [port.symbols for port in program.inputs] == [("x1", "x2")]
    assert program.parameters == ("m",)
    assert [out.name for out in program.outputs] == ["b", "c"]
    with pytest.raises(UnknownNameError, match="input of the listing"):
        listing_program(read_listing(text), "p", inputs=["y"])
    with pytest.raises(UnknownNameError, match="output of the listing"):
        listing_program(read_listing(text), "p", outputs=["x1"])


def test_a_choice_of_a_sign_is_an_input() -> None:
    text = "Title\nEquations:\nEPS1 = (1, -1)\nth1 = atan2(EPS1*sqrt(1 - X1**2), X1)\n*=*\n"
    program = listing_program(read_listing(text), "p")
    assert "EPS1" in [symbol for port in program.inputs for symbol in port.symbols]


def test_matrices() -> None:
    text = "J11 = cos(q1)\nJ12 = 0*q1\nJ21 = J11*2\nJ22 = 1 + q1\n"
    program = listing_program(read_listing(text), "p")
    assert [(out.name, out.shape) for out in program.outputs] == [("J", (2, 2))]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (OPENSYMORO.replace("*=*\n", ""), 28, "listing is cut"),
        (OPENSYMORO + "x = 1\n", 30, "continues after"),
        (OPENSYMORO.replace("C1 = cos(th1)\n", ""), 23, "C1 is not defined, and the tables"),
        (OPENSYMORO.replace("C1 = cos(th1)", "C1 cos(th1)"), 20, "expected an assignment"),
        (OPENSYMORO.replace("cos(th1)", "cos(th1"), 20, r"expected '\)'"),
        (OPENSYMORO.replace("cos(th1)", "cosine(th1)"), 20, "unknown function 'cosine'"),
        ("a = C12*q1\n", 1, "name of a sine or cosine"),
        ("a = b1\nb1 = q1\n", 1, "used before it is defined in line 2"),
        ("a = q1\na = q2\n", 2, "defined twice: first in line 1"),
        ("W12 = q1\nb = W12*W13\n", 2, "W13 is not defined"),
        ("double t1 = sin(q1);\nt2 = t1*t3;\n", 2, "t3 is not defined"),
        ("a = q1 +\n", 1, "ends too early"),
        ("a =\n", 1, "expected an assignment"),
        ("a = q1*$\n", 1, "unexpected character"),
        ("x[0] = 1/2*q[0];\n", 1, "division of integers"),
        ("x[0] = q[0];\ny = 2", 2, "no semicolon"),
        ("", None, "no assignment"),
        ("a = __import__('os')\n", 1, "unexpected character|unknown function"),
        (OPENSYMORO.replace("QP1*QP2", "QP1*QP29"), 23, "QP29 is not defined, and the tables contain only 2"),
        (
            OPENSYMORO.replace("cos(th1)", "cos(th10)"),
            20,
            "th10 is not defined, and the tables contain only 2",
        ),
        ("co\ndouble s1 = sin(q[0]);\nx = 2*s1;\n", 1, "expected an assignment"),
        ("void f(double *x) {\n  x[0] = 1;\n}\n", 1, "expected an assignment"),
        ("Té1 = q1\n", 1, "expected an assignment"),
    ],
)
def test_damaged_listings(text: str, line: int | None, message: str) -> None:
    with pytest.raises(FormatError, match=message) as raised:
        listing_program(read_listing(text, "file.txt"), "p")
    assert raised.value.place is not None
    assert (raised.value.place.file, raised.value.place.line) == ("file.txt", line)


def test_every_cut_of_own_text_is_rejected() -> None:
    text = str(symoro.generate("planar2r", "inverse-dynamics"))
    lines = text.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("---"))
    for end in range(start + 1, len(lines) - 1):
        with pytest.raises(FormatError):
            listing_program(read_listing("\n".join(lines[:end]), "cut.txt"), "p")


@pytest.mark.parametrize(
    ("robot", "model", "parameter"),
    [("planar2r", "filtered-identification", "D2"), ("one_steering", "energy", "E_2")],
)
def test_own_text_with_a_parameter_that_has_the_name_of_an_output(
    robot: str, model: str, parameter: str
) -> None:
    made = symoro.generate(robot, model)
    program = listing_program(read_listing(str(made), "own.txt"), "own")
    assert parameter in program.parameters
    assert program.title == made.program.title
    inputs, parameters = numbers(program)
    theirs = parameters | {name.removesuffix("_2"): value for name, value in parameters.items()}
    result = interpret(program, inputs, parameters)
    for name, expected in interpret(made.program, inputs, theirs).items():
        np.testing.assert_allclose(result[name], expected, rtol=1e-12, atol=1e-12)
