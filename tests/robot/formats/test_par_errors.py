"""Errors of .par files contain line, column and key; several errors are reported together."""

from __future__ import annotations

import pytest

from symoro.errors import FormatError
from symoro.robot.formats.par import read_par
from tests.robot.formats.samples import FLOATING, LOOP, SERIAL

# text, replaced, by, (line, column, key), part of the message
CASES = [
    (SERIAL, "mu = ", "mew = ", (17, 1, "mew"), "unknown key"),
    (SERIAL, "mu = {1,1,0}", "mu = {1,1,0}\nMU = {1,1,0}", (18, 1, "mu"), "given twice"),
    (SERIAL, "b = {0,0,0}", "b = {0,0}", (12, 1, "b"), "requires 3 values"),
    (SERIAL, "b = {0,0,0}", "b = {0,0,0, 7}", (12, 13, "b"), "requires 3 values"),
    (SERIAL, "b = {0,0,0}", "b = {0,,0}", (12, 8, "b"), "missing"),
    (SERIAL, "ant = {0,1,2}", "ant = {0,1,9}", (10, 12, "ant"), "a frame, 0 to 3"),
    (SERIAL, "ant = {0,1,2}", "ant = {0,1,x}", (10, 12, "ant"), "a frame, 0 to 3"),
    (SERIAL, "ant = {0,1,2}", "ant = {0,1,0}", (10, 12, "ant"), "serial chain"),
    (SERIAL, "Type = 0\n", "Type = 2\n", (5, 1, "Type"), "closed loops"),
    (SERIAL, "Type = 0\n", "Type = 7\n", (5, 1, "Type"), "unknown Type 7"),
    (LOOP, "Type = 2\n", "Type = 1\n", (5, 1, "Type"), "no closed loops"),
    (SERIAL, "NF = 3", "NF = 4", (4, 1, "NF"), "it must be 3"),
    (SERIAL, "NL = 3", "NL = three", (2, 6, "NL"), "whole number"),
    (SERIAL, "NL = 3", "NL = 0", (2, 1, "NL"), "0 links"),
    (SERIAL, "NJ = 3", "NJ = 2", (3, 1, "NJ"), "3 links"),
    (SERIAL, "NJ = 3", "NJ = {3}", (3, 6, "NJ"), "one word"),
    (SERIAL, "b = {0,0,0}", "b = 0", (12, 5, "b"), "an array"),
    (SERIAL, "b = {0,0,0}", "b = {0,0,0", (12, 5, "b"), "not closed"),
    (SERIAL, "b = {0,0,0}", "b = 0,0,0}", (12, 5, "b"), "an array"),
    (SERIAL, "b = {0,0,0}", "b = {0,0,0} d", (12, 13, "b"), "unexpected 'd'"),
    (SERIAL, "b = {0,0,0}", "b = {0,(a,0}", (12, 8, "b"), "parenthesis"),
    (SERIAL, "b = {0,0,0}", "b = {0,0,0}\nhello", (13, 1, None), "hello"),
    (SERIAL, "(* Joint parameters *)", "(* Joint parameters", (25, 1, None), "comment"),
    (SERIAL, "-D3 + 1/2", "-D3 + * 1/2", (13, 17, "d"), "expected a value"),
    (SERIAL, "D2,", "D2 $,", (13, 11, "d"), "unexpected character"),
    (SERIAL, "atan2(a,b)", "atan3(a,b)", (21, 15, "XX"), "unknown function"),
    (SERIAL, "sigma = {0,1,0}", "sigma = {0,3,0}", (11, 12, "sigma"), "0, 1 or 2"),
    (SERIAL, "mu = {1,1,0}", "mu = {1,1,2}", (17, 11, "mu"), "0 or 1"),
    (SERIAL, "is_mobile = False", "is_mobile = maybe", (7, 13, "is_mobile"), "True or False"),
    (FLOATING, "theta", "is_mobile = 1\ntheta", (6, 1, "is_mobile"), "both floating and mobile"),
    (SERIAL, "M = {M1,M2,3}", "M = {M0,M1,M2,3}", (22, 15, "M"), "requires 3 values"),
    (SERIAL, "k = {0,0,k3}", "k = {0,k2,k3}", (27, 8, "k"), "not elastic"),
    (SERIAL, "q3 - pi/2", "a", (18, 16, "theta"), "its variable plus a constant"),
    (SERIAL, "q3 - pi/2", "2*th3", (18, 16, "theta"), "its variable plus a constant"),
    (SERIAL, "q3 - pi/2", "th3*a", (18, 16, "theta"), "its variable plus a constant"),
    (SERIAL, "q3 - pi/2", "th3 + sin(th3)", (18, 16, "theta"), "its variable plus a constant"),
    (SERIAL, "q3 - pi/2", "th3 + 1/th3", (18, 16, "theta"), "its variable plus a constant"),
    (SERIAL, "q3 - pi/2", "th3 + q3", (18, 16, "theta"), "its variable plus a constant"),
    (SERIAL, "q3 - pi/2", "-th3", (18, 16, "theta"), "its variable plus a constant"),
    (SERIAL, "q3 - pi/2", "th3 + th1", (18, 16, "theta"), "variable of joint 1"),
    (SERIAL, "r2 + RL2", "th2", (14, 9, "r"), "prismatic joint 2"),
    (SERIAL, "-9.81", "asin(2)", (33, 10, "G"), "asin"),
    (SERIAL, "-9.81", "1e308*pi", (33, 10, "G"), ""),
    (SERIAL, ",x,0,1,0,0,0,0,1,0,0,0,0,1}", ",x}", (34, 1, "Z"), "16 values"),
    (LOOP, "{0,1,0,3,2}", "{0,1,0,3,3}", (6, 14, None), "same antecedent"),
    (LOOP, "{0,1,0,3,2}", "{2,1,0,3,2}", (6, 8, None), "cycle"),
]


@pytest.mark.parametrize(
    ("text", "old", "new", "where", "message"), CASES, ids=[f"{c[2][:20]!r}" for c in CASES]
)
def test_position(text: str, old: str, new: str, where: tuple[int, int, str | None], message: str) -> None:
    assert text.count(old) == 1
    with pytest.raises(FormatError) as caught:
        read_par(text.replace(old, new), "arm.par")
    place = caught.value.place
    assert place is not None
    assert (place.file, place.line, place.column, place.key) == ("arm.par", *where)
    assert message in caught.value.message


def test_all_errors_are_reported_together() -> None:
    text = SERIAL.replace("b = {0,0,0}", "b = {0,0}").replace("D2,", "D2 +,").replace("sigma", "stigma")
    with pytest.raises(FormatError) as caught:
        read_par(text, "arm.par")
    message = str(caught.value)
    assert message.startswith("arm.par:11:1, stigma: unknown key")
    assert "line 12, column 1, b: " in message
    assert "line 13, column 12, d: " in message
    assert "did you mean 'sigma'" in message


def test_a_file_without_links() -> None:
    with pytest.raises(FormatError, match="number of links is missing"):
        read_par("NJ = 3\n")


def test_loops_need_their_antecedents() -> None:
    with pytest.raises(FormatError, match="requires the array 'ant'"):
        read_par("NL = 2\nNJ = 3\nType = 2\n")
