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
        ("x[0] = (1 + 2)/4*q[0];\n", 1, r"\(1 \+ 2\)/4 is a division of integers"),
        ("x[0] = q[0];\ny = 2", 2, "no semicolon"),
        ("", None, "no assignment"),
        ("a = __import__('os')\n", 1, "unexpected character|unknown function"),
        (OPENSYMORO.replace("   theta  ", "   thet   "), 4, "table of the frames, with the columns"),
        (OPENSYMORO.replace("cos(th1)", "cos(t1)"), 20, "t1 is not defined, and the tables"),
        (
            OPENSYMORO.replace("*MX2*C1", "*MX1*C1").replace(" MX2*C1", " MX1*C1"),
            24,
            "MX1 is not defined, and the",
        ),
        (OPENSYMORO.replace("r2**2", "r1**2"), 26, "r1 is not defined, and the tables"),
        (
            OPENSYMORO.replace("C1*G3", "V3*G3").replace("DV331", "V12"),
            24,
            "V3 is not defined, and the tables",
        ),
        (OPENSYMORO.replace("QP1*QP2", "QP1*QP29"), 23, "QP29 is not defined, and the tables contain only 2"),
        (
            OPENSYMORO.replace("cos(th1)", "cos(th10)"),
            20,
            "th10 is not defined, and the tables contain only 2",
        ),
        ("co\ndouble s1 = sin(q[0]);\nx = 2*s1;\n", 1, "expected an assignment"),
        ("void f(double *x) {\n  x[0] = 1;\n}\nvoid g() {\n}\n", 1, "expected an assignment"),
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


# -- what OpenSYMORO and SYMORO+ write besides assignments

ARM = """\
{title}

Geometric parameters
j       ant     sigma   mu      gamma   b       alpha   d       theta   r
1       0       0       1       gam1    0.25    pi/3    0       th1 + pi/2RL1
2       1       1       1       0       0.125000000000000pi/2   D2      0       r2 + 0.3

Equations:
{equations}
*=*
"""


def arm(title: str, equations: str) -> str:
    return ARM.format(title=title, equations=equations.strip())


def read(text: str) -> Program:
    return listing_program(read_listing(text, "file.txt"), "p")


def test_wide_cells_of_tables() -> None:
    """OpenSYMORO writes no blank after a cell of eight characters: th1 + pi/2RL1, 0.125000000000000pi/2."""
    program = read(arm("Title", "GAM1 = cos(th1 + gam1)*QP1\nGAM2 = r2*D2 + QP2*sin(th1)*RL1"))
    assert [port.symbols for port in program.inputs] == [("th1",), ("QP1", "QP2"), ("r2",)]
    assert program.parameters == ("gam1", "D2", "RL1")


FRACTIONS = """\
(** SYMORO+ : SYmbolic MOdelling of RObots **)

 j        ant      mu       sigma    gamma    b        alpha    d        theta    r

 1        0        1        0        0        0        0        0        t1       r1

                                                       Pi                -Pi
 2        1        1        0        0        0        --       0        --- + t2 0
                                                       2                  2
 3        2        1        1        0        0        0        L3       0        r3

 Equations:

 S2=-cos(t2);
 DV331=-QP1^2
 GAM1=ZZ1*QDP1 + DV331*L3*r3 + S2*QDP3
 *=*
 Number of operations : 3 '+' or '-', 7 '*' or '/'
"""


def test_tables_with_fractions_and_a_number_of_operations() -> None:
    program = read(FRACTIONS.replace(";", ""))
    assert [port.symbols for port in program.inputs] == [("t2",), ("QP1",), ("QDP1", "QDP3"), ("r3",)]
    assert set(program.parameters) == {"L3", "ZZ1"}
    with pytest.raises(FormatError, match="the row of frame 2 is missing") as raised:
        read(FRACTIONS.replace("\n 2  ", "\n x  "))
    assert raised.value.place is not None and raised.value.place.line == 10


def test_a_title_is_not_a_table() -> None:
    program = read("Inverse dynamic model of a robot with two joints\nEquations:\nGAM1 = D3*cos(th1)\n*=*\n")
    assert program.parameters == ("D3",)


JACOBIAN = "\n".join(
    [
        "cos(th1 + q2) = -sin(th1)*sin(q2) + cos(th1)*cos(q2)",
        "sin(th1) = -sin(q2)*cos(th1 + q2) + sin(th1 + q2)*cos(q2)",
        *(f"J{row}{column} = {row}*D2*sin(th1)" for column in (1, 2) for row in range(1, 7)),
        *(f"L{row}{column} = {row} + {column}*D2" for column in (1, 2, 3) for row in (1, 2, 3)),
    ]
)


def test_trigonometric_identities() -> None:
    """OpenSYMORO lists the identities that it has used; they are not assignments."""
    program = read(arm("Jacobian matrix for frame 2\nProjection frame 0", JACOBIAN))
    assert [(out.name, out.shape) for out in program.outputs] == [("J", (6, 2)), ("L", (3, 3))]
    with pytest.raises(FormatError, match="or a trigonometric identity"):
        read(arm("Jacobian matrix for frame 2", JACOBIAN.replace("-sin(th1)*sin(q2)", "sin(th1)*sin(q2)")))


MATRICES = "\n".join(
    [
        "Tramsformation matrix 0 T 2",
        *(f"T0T2{row}{column} = {row}*D2*sin(th1)" for column in range(1, 5) for row in range(1, 4)),
        "",
    ]
)


def test_titles_of_matrices() -> None:
    program = read(arm("Direct Geometrix model", MATRICES))
    assert len([lit for out in program.outputs for lit in out.lits]) == 12


INVERSE = """\
# Solving type 3
YPSth1 = (1, -1)
Cth1 = P1/D2
th1 = atan2(YPSth1*sqrt(1 - Cth1**2), Cth1)
r2 = P3 - D2*cos(th1)
"""


@pytest.mark.parametrize("letter", ["P", "p"])
def test_inverse_geometry(letter: str) -> None:
    """The entries of the pose are inputs, the joint variables are outputs, although other assignments use them."""
    text = arm(
        "Inverse Geometrix Model for frame 2", INVERSE.replace("P", letter).replace(f"Y{letter}S", "YPS")
    )
    program = read(text)
    assert [port.symbols for port in program.inputs] == [("YPSth1",), (f"{letter}1", f"{letter}3")]
    assert program.parameters == ("D2",)
    assert [out.name for out in program.outputs] == ["th", "r"] or len(program.outputs) == 2
    with pytest.raises(FormatError, match="th1 is not defined, although it is a joint variable"):
        read("\n".join(line for line in text.splitlines() if not line.startswith("th1 =")))
    with pytest.raises(FormatError, match="joint variable r2 is not assigned, although X1r2 is"):
        read(text.replace(f"r2 = {letter}3", f"X1r2 = {letter}3"))


BASE = arm("Base parameters computation", "XXR2 = XX2 - YY2\nMR1 = M1 + M2\nZZR1 = ZZ1 + D2**2*MR1")
GROUPED = """
arm grouped inertia parameters

Geometric parameters
j       ant     sigma   mu      gamma   b       alpha   d       theta   r
1       0       0       1       gam1    0.25    pi/3    0       th1     0
2       1       1       1       0       0       pi/2    D2      0       r2

Dynamic inertia parameters
j       XX      XY      XZ      YY      YZ      ZZ      MX      MY      MZ      M       IA
1       0       0       0       0       0       ZZR1    0       0       0       MR1     0
2       XXR2    0       0       0       0       0       0       0       0       0       0

*=*
"""


def test_grouped_parameters_after_the_end() -> None:
    """The parameters in the second tables are the results, although MR1 is used."""
    program = read(BASE + GROUPED)
    assert sorted(out.name for out in program.outputs) == ["MR", "XXR2", "ZZR"]
    with pytest.raises(FormatError, match="its result XXR2 is not assigned"):
        read(BASE.replace("XXR2 = XX2 - YY2\n", "") + GROUPED)
    with pytest.raises(FormatError, match="cut"):
        read(BASE + GROUPED.replace("*=*", ""))
    with pytest.raises(FormatError, match="continues"):
        read(BASE + "x = 2*th1\n*=*\n")


VELOCITIES = "\n".join(
    f"{name}{row}{link} = {row}*QP{link}" for name in "WV" for link in (1, 2) for row in (1, 2, 3)
)
INERTIA = "A11 = D2*cos(r2)\nA12 = 0\nA22 = M2\nA13 = D2\nA23 = 1\nA33 = M2"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (OPENSYMORO, "GAM2"),
        (arm("Jacobian matrix for frame 2", JACOBIAN), "J42"),
        (arm("Jacobian matrix for frame 2", JACOBIAN), "L33"),
        (arm("Direct Geometrix model", MATRICES), "T0T234"),
        (arm("Direct Geometrix model", MATRICES.split("\n", 1)[1]), "T0T211"),
        (arm("Link velocities", VELOCITIES), "V32"),
        (arm("Inertia Matrix using composite links", INERTIA), "A12"),
        (arm("Inertia Matrix using composite links", INERTIA), "A11"),
    ],
)
def test_a_missing_result(text: str, name: str) -> None:
    """A listing without one of its results is not complete, although every name in it is defined."""
    read(text)
    with pytest.raises(FormatError, match=rf"its result {name} is not assigned"):
        read(re.sub(rf"(?m)^{name} = .*\n", "", text))


def test_a_missing_column_of_an_identification_model() -> None:
    tables = OPENSYMORO.replace("Inverse dynamic", "Dynamic identification").partition("Equations:")[0]
    names = ["ZZ1", *(f"{name}2" for name in ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M"))]
    columns = [f"DG{j}{name} = {j}*QDP{name[-1]}" for name in names for j in range(1, int(name[-1]) + 1)]
    for missing in columns[1:]:  # the first one is the only column of link 1
        lines = "\n".join(line for line in columns if line != missing)
        with pytest.raises(FormatError, match=f"its result {missing.split()[0]} is not assigned"):
            read(f"{tables}Equations:\n{lines}\n*=*\n")


def test_a_missing_link() -> None:
    """The table shows the links, if no frame is fixed."""
    for family in "WV":
        left = [line for line in VELOCITIES.splitlines() if not re.match(rf"{family}.2 ", line)]
        with pytest.raises(FormatError, match=f"its result {family}12 is not assigned"):
            read(arm("Link velocities", "\n".join(left)))


C_FUNCTION = """\
/* (** SYMORO+ : SYmbolic MOdelling of RObots **) */
#include <math.h>
extern double q1, qd1, GX,
  MX1;
extern double H1, A[3][3];
void arm_ccg()
{
double S1, C1, WI12;

	S1=sin(q1);
	C1=cos(q1);
	WI12=qd1*S1 - (C1*GX);
	A[1][1]=WI12*MX1;
	A[2][1]=2.*C1;
	H1=WI12*MX1 + sign(qd1);
}
/* *=* */
"""


def test_a_function_in_c() -> None:
    """SYMORO+ writes one function with declarations; they show which assignment is missing."""
    listing = read_listing(C_FUNCTION, "x.c")
    assert [one.line for one in listing.assignments] == [10, 11, 12, 13, 14, 15]
    program = listing_program(listing, "x")
    assert [port.symbols for port in program.inputs] == [("q1",), ("qd1",)]
    assert [(out.name, out.shape) for out in program.outputs] == [("A", (2, 1)), ("H", (1,))]
    result = interpret(program, {"q": np.array([0.5]), "qd": np.array([2.0])}, {"GX": 3.0, "MX1": 0.5})
    W = 2 * math.sin(0.5) - 3 * math.cos(0.5)
    np.testing.assert_allclose(result["H"], [W / 2 + 1])


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("\tC1=cos(q1);\n", "", 8, "C1 is declared, but not assigned"),
        ("\tH1=WI12*MX1 + sign(qd1);\n", "", 5, "H1 is declared, but not assigned"),
        ("q1, qd1", "q1", 12, "qd1 is not defined, and it is not declared"),
        ("}\n", "", 16, "no closing brace"),
        ("RObots **) */", "RObots **)", 1, "a comment has no end"),
        ("/* *=* */", "/* *=*", 17, "a comment has no end"),
    ],
)
def test_a_damaged_function_in_c(old: str, new: str, line: int, message: str) -> None:
    with pytest.raises(FormatError, match=message) as raised:
        read(C_FUNCTION.replace(old, new, 1))
    assert raised.value.place is not None and raised.value.place.line == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (arm("Title", "GAM1 = (th1 < 2)*D2"), "expected '\\)', got '<'"),  # only symoro writes comparisons
        (
            arm("Title", "GAM1 = th1 #+ D2"),
            "unexpected character '#'",
        ),  # OpenSYMORO has remarks in their own lines
        (arm("Title", "th1 = nan"), "nan is not defined, it is the result of an undefined operation"),
        ("pi = 3\na = pi*q1\n", "pi is a function or a constant"),
        (arm("Title", "GAM1 = D2*QP1").replace("j       ant", "x       ant"), "has no header row"),
        ("a\x07 = 1\n", r"got 'a\? = 1'"),
    ],
)
def test_other_damage(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(text)


@pytest.mark.parametrize(("robot", "model"), [("panda", "transform"), ("planar2r", "inverse-dynamics")])
def test_every_missing_line_of_own_text_is_recognised(robot: str, model: str) -> None:
    """Also a line that continues an expression: without it, the expression would be another one."""
    text = str(symoro.generate(robot, model))
    lines = text.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("---"))
    assert robot == "planar2r" or any(line.startswith("    ") for line in lines[start:])  # a continued line
    for k in range(start + 1, len(lines)):
        if lines[k]:
            with pytest.raises(FormatError):
                read("\n".join(lines[:k] + lines[k + 1 :]) + "\n")


def test_a_damaged_header_of_own_text() -> None:
    text = str(symoro.generate("planar2r", "inverse-dynamics"))
    with pytest.raises(FormatError, match="tau does not have 2 different entries"):
        read(text.replace("Outputs\n", ""))


def test_long_expressions() -> None:
    """The entries of an inverse Jacobian fill pages."""
    program = read("a = " + " + ".join(f"q1*k{i}" for i in range(5000)) + "\n")
    assert len(program.parameters) == 5000


def test_a_last_line_without_an_end_is_reported() -> None:
    assert read_listing("a = q1 + q2\n").warnings == ()
    assert "no line end" in read_listing("a = q1 + q2").warnings[0]
    assert read_listing(OPENSYMORO.rstrip()).warnings == ()  # its last line is *=*


# -- robots with a floating base or elastic joints

BASE_MOTION = """\
# SOLVE NUMERICALLY FOR BASE ACCELERATION - START
numMJE0 = numpy.zeros((6, 6))
{matrix}
# setup numVBE0 matrix in numpy format
numVBE0 = numpy.zeros((6, 1))
{right}
# In Matlab use
# numVP0 = numMJE0 \\ numVBE0
numVP0 = numpy.linalg.solve(numMJE0, numVBE0)
{accelerations}
# SOLVE NUMERICALLY FOR BASE ACCELERATION - END
"""


def floating() -> str:
    """Return a listing as OpenSYMORO writes it: names above the diagonal, their definitions below, no zeros."""
    entries = {(i, i): f"9 + {i}*D2" for i in range(6)} | {
        (0, 4): "D2 - th1",
        (1, 3): "r2*D2",
        (3, 5): "D2*th1",
    }
    definitions = [f"MJE{i + 1}{k + 1}0 = {text}" for (i, k), text in entries.items()]
    definitions += [f"VBE{i + 1}0 = th1*{i + 1}" for i in range(6) if i != 2]
    upper = [f"numMJE0[{i}, {k}] = MJE{i + 1}{k + 1}0" for i, k in entries]
    lower = [f"numMJE0[{k}, {i}] = {text}" for (i, k), text in entries.items() if i != k]
    return "\n".join(
        [
            *definitions,
            BASE_MOTION.format(
                matrix="\n".join(upper + lower),
                right="\n".join(f"numVBE0[{i}, 0] = VBE{i + 1}0" for i in range(6) if i != 2),
                accelerations="\n".join(f"{'VW'[i > 2]}P{i % 3 + 1}0 = numVP0[{i}, 0]" for i in range(6)),
            ),
            "GAM1 = VP10*th1 + WP10\nGAM2 = QP2 + WP30*r2",
        ]
    )


def test_the_acceleration_of_a_floating_base() -> None:
    text = floating()
    program = optimise(read(arm("Title", text)))
    shapes = {out.name: out.shape for out in program.outputs}
    assert shapes.pop("GAM") == (2,)
    assert sorted(shapes) == ["VP10", "VP20", "VP30", "WP10", "WP20", "WP30"]
    inputs, parameters = numbers(program)
    scope: dict[str, Any] = {"numpy": np} | by_symbol(program, inputs) | parameters
    for line in text.splitlines():
        exec(line, scope)
    result = interpret(program, inputs, parameters)
    np.testing.assert_allclose(result["GAM"], [scope["GAM1"], scope["GAM2"]], rtol=1e-13)
    np.testing.assert_allclose(
        [result[name] for name in shapes], [scope[name] for name in shapes], rtol=1e-12
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("numMJE0[4, 4] = MJE550\n", "", "numVP0 =", r"the entry \[4, 4\] of numMJE0 is not assigned"),
        ("numMJE0[4, 0] = D2 - th1\n", "", "numMJE0[0, 4]", "numMJE0 is not symmetric"),
        ("numMJE0[0, 4] = MJE150\n", "", "numMJE0[4, 0]", "numMJE0 is not symmetric"),
        ("numMJE0[4, 0] = D2 -", "numMJE0[4, 0] = D2 +", "numMJE0[0, 4]", r"\[0, 4\] and \[4, 0\] differ"),
        ("numMJE0[4, 4]", "numMJE0[3, 3]", "numMJE0[3, 3] = MJE5", r"\[3, 3\] is defined twice"),
        ("numMJE0[4, 4]", "numMJE0[4, 6]", "numMJE0[4, 6]", r"no entry \[4, 6\]"),
        ("numVBE0[0, 0] = VBE10\n", "", "numVP0 =", r"the entry \[0, 0\] of numVBE0 is not assigned"),
        ("VP30 = numVP0[2, 0]\n", "", "WP10 =", r"expected NAME = numVP0\[2, 0\], got WP10"),
        ("numVP0[2, 0]", "numVP0[1, 0]", "VP30 =", r"expected NAME = numVP0\[2, 0\], got VP30"),
        ("solve(numMJE0, numVBE0)", "solve(numMJE0, numVBE)", "numVP0 =", "expected NAME = numpy.linalg"),
        ("GAM1 = VP10", "GAM1 = numVP0", "GAM1 =", "numVP0 is not defined"),
    ],
)
def test_damaged_systems(old: str, new: str, line: str, message: str) -> None:
    text = arm("Title", floating()).replace(old, new, 1)
    expected = next(k for k, each in enumerate(text.splitlines(), 1) if each.startswith(line))
    with pytest.raises(FormatError, match=message) as raised:
        read(text)
    assert raised.value.place is not None and raised.value.place.line == expected


def test_elastic_joints_have_accelerations_in_place_of_torques() -> None:
    tables = OPENSYMORO.partition("Equations:")[0] + "Equations:\n"
    program = read(f"{tables}QDP1 = th1*GAM1\nGAM2 = D2*QDP1 + QDP2\n*=*\n")
    assert [out.name for out in program.outputs] == ["QDP1", "GAM2"]
    with pytest.raises(FormatError, match="its result GAM1 is not assigned"):
        read(f"{tables}GAM2 = D2*QDP1 + QDP2\n*=*\n")


def test_names_of_velocities_in_the_tables() -> None:
    """The user of OpenSYMORO chooses the names of the joint variables and their derivatives."""
    table = "\n".join(
        [
            "External forces and joint parameters",
            "j       FX      FY      FZ      CX      CY      CZ      FS      FV      QP      QDP     GAM     eta     k",
            "1       0       0       0       0       0       0       0       FV1     dq1     ddq1    TAU1    0       0",
            "2       FX2     0       0       0       0       0       0       0       dq2     ddq2    TAU2    0       0",
            "",
            "Equations:",
        ]
    )
    program = read(arm("Title", "GAM1 = cos(th1)*dq1*ddq2*FV1\nGAM2 = TAU1*FX2").replace("Equations:", table))
    assert [port.name for port in program.inputs] == ["th", "dq", "ddq", "TAU"]
    assert program.parameters == ("FV1", "FX2")


def test_pieper() -> None:
    """OpenSYMORO separates the steps of Pieper's method by dashes; the entries of the pose have letters."""
    steps = ["Cth1 = px/D2", "-" * 92, "YPSth1 = (1, -1)", "th1 = atan2(YPSth1*sqrt(1 - Cth1**2), Cth1)"]
    program = read(arm("Inverse Geometrix Model for frame 2", "\n".join([*steps, "r2 = pz"])))
    assert [port.symbols for port in program.inputs] == [("YPSth1",), ("px",), ("pz",)]


@pytest.mark.parametrize(
    "text", ["t2 = 2*q[0]; x[0] = t2*k;\n", "function x=f(q)\nk=1; t2=2*q(1); x(1)=t2*k;\n"]
)
def test_statements_in_one_line(text: str) -> None:
    program = read(text)
    q = np.array([0.3])
    result = interpret(program, {"q": q}, {"k": 1.0} if program.parameters else {})
    np.testing.assert_allclose(result["x"], [0.6])


# -- arrays


@pytest.mark.parametrize(
    ("text", "inputs", "outputs"),
    [
        (
            "void f(const double q[3], double x[1]) {\n  x[0] = q[2];\n}\n",
            {"q": (3,)},
            {"x": (1,)},
        ),  # q[1] is not used
        ("x[0] = T[0][2];\n", {"T": (1, 3)}, {"x": (1,)}),
        ("x[1] = q[1]\nx[2] = q[3]\n", {"q": (3,)}, {"x": (2,)}),  # indices that start at 1
        ("J[1] = q[0];\nJ[2] = q[1];\n", {"q": (2,)}, {"J_1": (), "J_2": ()}),  # not J[0] and J[1]
        ("GAM1 = 2*q[0];\nGAM2 = q[1];\nGAM[0] = GAM1;\nGAM[1] = GAM2;\n", {"q": (2,)}, {"GAM": (2,)}),
        ("W1 = q1\nW01 = 2*q1\nW_1 = 3*q1\n", {"q": (1,)}, {"W1": (), "W01": (), "W_1": ()}),
        ("t_1 = sin(q[0]);\nx[0] = t[1]*t_1;\n", {"q": (1,), "t": (2,)}, {"x": (1,)}),  # t[1] is not t_1
        ("QDP1 = q1*QDP3\nQDP2 = 2*QDP3\n", {"q": (1,), "QDP": (1,)}, {"QDP1": (), "QDP2": ()}),
        ("y = q*q1 + q2\n", {"q1": (), "q2": ()}, {"y": ()}),  # the name of the array is that of a parameter
    ],
)
def test_places_in_arrays(text: str, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
    """Each quantity keeps its place, and none replaces another one."""
    program = read(text)
    assert {port.name: port.shape for port in program.inputs} == inputs
    assert {out.name: out.shape for out in program.outputs} == outputs


def test_values_of_arrays_with_gaps() -> None:
    program = read("t_1 = sin(q[0]);\nx[0] = t[1]*t_1;\nx[1] = q[2];\n")
    given = {"q": np.array([0.3, 0.4, 0.5]), "t": np.array([7.0, 2.0])}
    np.testing.assert_allclose(interpret(program, given, {})["x"], [2 * math.sin(0.3), 0.5])


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("x[0] = q[0];\nx[2] = q[1];\n", 2, "entry 1 of x is not assigned"),
        ("x = q[0]*q[0][1];\n", None, "different numbers of indices"),
        ("x = q[99999999];\n", None, "more than 10000 entries"),
    ],
)
def test_bad_arrays(text: str, line: int | None, message: str) -> None:
    with pytest.raises(FormatError, match=message) as raised:
        read(text)
    assert raised.value.place is not None and raised.value.place.line == line


def test_own_text_with_scalars_and_arrays() -> None:
    made = symoro.generate("diffdrive", "posture-kinematics")
    program = read(str(made))
    assert {out.name: out.shape for out in program.outputs} == made.outputs == {"S": (3, 2), "det": ()}


# -- MATLAB

MATLAB = """\
% (** SYMORO+ : SYmbolic MOdelling of RObots **)
%{
old = 1;
%}
% Equations:

% Declaration of the function
function QDPOINT=arm_ddm(u)

% Declaration of global input variables
global L1 FV1 FS1, t2=u(4);
QP1=u(2); % 100 % of the speed
L2=0.5;

	S2=sin(t2);
	JD1=1./(L2 + L1.*S2.^2);
	GW1=-(FV1.*QP1) - ...
	FS1.*sign(QP1);
	QDP1=GW1.*JD1;

% *=*
% Number of operations : 3 '+' or '-', 5 '*' or '/'

QDPOINT=[QDP1; -QDP1; atan2(S2, 1)
];
"""
GLOBAL = """\
% Equations:
function []=arm_ddm()
% Declaration of global input variables
global t1 QP1 L1
% Declaration of global output variables
global QDP1 QDP2

	S1=sin(t1);
	QDP1=S1.*L1;
	QDP2=QDP1.*QP1.^2;
% *=*
"""


def test_a_function_in_matlab() -> None:
    """SYMORO+ writes MATLAB, whose functions users complete: arguments, numbers and vectors of results."""
    listing = read_listing(MATLAB, "x.m")
    assert [one.line for one in listing.assignments] == [11, 12, 13, 15, 16, 17, 19, 24, 24, 24]
    program = listing_program(listing, "x")
    assert [(port.name, port.shape) for port in program.inputs] == [("u", (4,))]
    assert program.parameters == ("L1", "FV1", "FS1")
    assert [(out.name, out.shape) for out in program.outputs] == [("QDPOINT", (3,))]
    u = np.array([0.0, -0.7, 0.0, 0.4])
    result = interpret(program, {"u": u}, {"L1": 2.0, "FV1": 0.3, "FS1": 0.1})["QDPOINT"]
    rate = (0.21 + 0.1) / (0.5 + 2 * math.sin(0.4) ** 2)
    np.testing.assert_allclose(result, [rate, -rate, math.atan2(math.sin(0.4), 1)], rtol=1e-14)


def test_global_variables_in_matlab() -> None:
    program = read(GLOBAL)
    assert [port.symbols for port in program.inputs] == [("t1",), ("QP1",)]
    assert program.parameters == ("L1",)
    assert [(out.name, out.shape) for out in program.outputs] == [("QDP", (2,))]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("[u(1) - 1 u(2)]", [1, 3]),
        ("[u(1) -1; u(2)*2 3]", [[2, -1], [6, 3]]),
        ("[u(1), - u(2)\n atan2(0, 1), 1e-1]", [[2, -3], [0, 0.1]]),
        ("[u(1)+ 1; 2.*u(2).^2; 1./u(1)]", [3, 18, 0.5]),
    ],
)
def test_matrices_in_matlab(text: str, values: list[Any]) -> None:
    """The values are those of GNU Octave."""
    program = read(f"function y=f(u)\ny={text};\nendfunction\n")
    np.testing.assert_allclose(interpret(program, {"u": np.array([2.0, 3.0])}, {})["y"], values)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (MATLAB.replace("; -QDP1;", "; -QDP1,"), 24, "rows of the matrix have different lengths"),
        (MATLAB.replace("% *=*\n", ""), 24, "'% \\*=\\*' is missing"),
        (MATLAB.replace("S2=sin(t2);\n", "\n"), 16, "S2 is not defined, and it is not declared"),
        (MATLAB.replace("%}\n", ""), 24, "a comment has no end"),
        (MATLAB.replace("L2=0.5;", "for k = 1:2"), 13, "without loops and conditions"),
        (MATLAB.replace("1./(L2", "1./((L2"), 16, r"expected '\)'"),
        (MATLAB.replace("S2.^2)", "S2).^2)"), 16, r"unexpected '\)'"),
        (MATLAB.replace("S2.^2", "S2.^2.^3"), 16, r"is \(a\^b\)\^c in MATLAB"),
        (MATLAB[: MATLAB.index("QDPOINT=[")], 8, "the result QDPOINT is not assigned"),
        (GLOBAL.replace("\tQDP2=QDP1.*QP1.^2;\n", ""), 6, "the result QDP2 is not assigned"),
        ("function y=f(u)\ny(1)=u(1);\ny(3)=u(2);\nend\n", 3, "entry 2 of y is not assigned"),
        ("function y=f(u)\ny=u(1);\nend\nz=1;\n", 4, "continues after its function"),
    ],
)
def test_damaged_matlab(text: str, line: int, message: str) -> None:
    with pytest.raises(FormatError, match=message) as raised:
        read(text)
    assert raised.value.place is not None and raised.value.place.line == line
