"""Test malicious and damaged input: a clear error after little work, and no other kind of exception."""

from __future__ import annotations

import faulthandler
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symoro.errors import FormatError, SymoroError
from symoro.robot import formats
from symoro.robot.formats.report import MAX_FRAMES
from tests.effort import Effort
from tests.robot.formats.samples import FLOATING, LOOP, SERIAL, YAML, YAML_BY_NAME
from tests.robot.formats.test_table import CLASSIC, KHALIL

N = MAX_FRAMES
HEAD = f"NL = {N}\nNJ = {N}\n"


@pytest.fixture
def ending() -> Iterator[None]:
    """Terminate the process if a regular expression does not end, because it makes no calls that can be counted."""
    faulthandler.dump_traceback_later(300, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def array(key: str, value: str) -> str:
    """Return an array of a thousand values, in which `#` is replaced by the number of each."""
    return f"{key} = {{{','.join(value.replace('#', str(j)) for j in range(1, N + 1))}}}\n"


def arrays(value: str) -> str:
    keys = "b d gamma alpha XX XY XZ YY YZ ZZ MX MY MZ M IA FV FS FX FY FZ CX CY CZ"
    return HEAD + "".join(array(key, value) for key in keys.split())


def yaml_frames(frame: str) -> str:
    lines = [f"  - {frame.replace('#', str(j))}\n" for j in range(1, N + 1)]
    return "symoro: 1\nname: x\nframes:\n" + "".join(lines)


BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
)

HOSTILE: dict[str, tuple[str, str]] = {
    "code": ("par", SERIAL.replace("D2", "__import__('os').system('touch /tmp/evil')")),
    "code without quotes": ("par", SERIAL.replace("D2", "__import__(os).system(x)")),
    "attribute": ("par", SERIAL.replace("D2", "a.b.c")),
    "tower": ("par", SERIAL.replace("D2", "9**9**9**9")),
    "large power": ("par", SERIAL.replace("D2", "(1/9999)^4096*a")),
    "parentheses": ("par", SERIAL.replace("D2", "(" * 10_000 + "1" + ")" * 10_000)),
    "functions": ("par", SERIAL.replace("D2", "sin(" * 3000 + "1" + ")" * 3000)),
    "minus signs": ("par", SERIAL.replace("D2", "-" * 8000 + "1")),
    "long product": ("par", SERIAL.replace("D2", "*".join(f"a{i}" for i in range(3000)))),
    "endless number": ("par", "NL = 1e999"),
    "many digits": ("par", "NL = " + "9" * 3_999_000),
    "huge": ("par", "a" * 100_000_000),
    "one line": ("par", "a" * 3_999_000),
    "line ends": ("par", "\n" * 3_999_000 + "x"),
    "comments": ("par", "(**)" * 999_000),
    "open comments": ("par", "(*" * 1_999_000),
    "open arrays": ("par", "NL={" * 999_000),
    "empty arrays": ("par", "a={}\n" * 799_000),
    "many values": ("par", "NL = 6\nd = {" + "0," * 1_999_000 + "0}"),
    "open parentheses": ("par", "NL = 6\nd = {" + "(" * 3_999_000 + "0}"),
    "many decimals": ("par", arrays("0.#")),
    "many expressions": ("par", arrays("a# + b*c#")),
    "many long expressions": ("par", arrays("*".join(f"a{i}" for i in range(30)))),
    "long circle": ("par", HEAD + "Type = 1\n" + array("ant", "#+").replace("+", "").replace("{1,", "{2,")),
    "deep list": ("yaml", "[" * 100_000),
    "deep mapping": ("yaml", "{a: " * 100_000),
    "deep block": ("yaml", "- " * 100_000),
    "bomb": ("yaml", BOMB),
    "object": ("yaml", "!!python/object/apply:os.system ['touch /tmp/evil']"),
    "many frames": ("yaml", "symoro: 1\nname: x\nframes: [" + "{}," * 1_300_000 + "]"),
    "many keys": ("yaml", "".join(f"k{i}: 1\n" for i in range(300_000))),
    "long scalar": ("yaml", "name: " + "x" * 3_900_000),
    "colons": ("yaml", ":" * 3_999_000),
    "question marks": ("yaml", "? " * 1_999_000),
    "wrong escape": ("yaml", 'symoro: "\\U99999999"'),
    "control signs": ("yaml", "symoro: 1\nname: \x01\n"),
    "yaml decimals": ("yaml", yaml_frames("{d: 0.#, link: {XX: 1.#, YY: 2.#, M: 3.#}}")),
    "yaml expressions": ("yaml", yaml_frames("{alpha: a# + b, d: c*# + 1.5, r: x#/3}")),
    "many rows": ("table", "joint,alpha,d,theta,r\n" + "R,0,0,0,0\n" * 390_000),
    "long line": ("table", "joint,alpha,d,theta,r\n" + "R," * 1_900_000),
    "many comments": ("table", "#\n" * 1_999_000),
    "table expressions": (
        "table",
        "# convention: dh\njoint,alpha,d,theta,a\n"
        + "".join(f"R,90+c{i},c*{i},d{i}+q{i + 1},0\n" for i in range(N)),
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_ends_soon(name: str, ending: None) -> None:
    fmt, text = HOSTILE[name]
    try:
        with Effort(most=6_000_000):  # 2.2 million at most when this was written
            formats.loads(text, fmt, file="hostile")
    except FormatError as error:
        assert len(str(error)) < 5000


@pytest.mark.parametrize("name", ["code", "tower", "huge", "deep list", "bomb", "object", "parentheses"])
def test_it_is_an_error(name: str) -> None:
    fmt, text = HOSTILE[name]
    with pytest.raises(FormatError):
        formats.loads(text, fmt)


def test_a_file_of_a_hundred_megabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.par"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="larger"):
            formats.load(path)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


# -- mutations

TEXTS = [
    ("par", SERIAL),
    ("par", LOOP),
    ("par", FLOATING),
    ("yaml", YAML),
    ("yaml", YAML_BY_NAME),
    ("table", CLASSIC),
    ("table", KHALIL),
]
PIECES = st.sampled_from(
    (
        *("", "{", "}", "[", "]", "(", ")", ",", ":", "=", "\n", " ", "  ", "-", "**", "^", "/", "#", "!"),
        *("&a", "*a", "'", '"', "x", "7", "0", "1e999", "é", "\t", "\x00", "\u2028", "pi", "sqrt("),
        *("NL = 9\n", "sigma = {2}"),
    )
)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a valid file with some characters replaced, removed, duplicated or cut off."""
    fmt, text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.sampled_from([0, 1, 1, 2, 8]))
        kind = draw(st.sampled_from(["replace", "replace", "replace", "double", "cut"]))
        if kind == "cut":
            text = text[:start]
        elif kind == "double":
            text = text[:end] + text[start:]
        else:
            text = text[:start] + draw(PIECES) + text[end:]
    return fmt, text


def loads_or_fails(fmt: str, text: str) -> None:
    """Check that a text gives a robot that can be written and read again, or a SymoroError."""
    try:
        robot = formats.loads(text, fmt, file="mutated")
    except SymoroError as error:
        assert str(error)
        return
    assert formats.loads(formats.dumps(robot, "yaml"), "yaml") == robot


@settings(max_examples=250, deadline=1000, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
def test_mutated_files(case: tuple[str, str]) -> None:
    loads_or_fails(*case)


@settings(max_examples=100, deadline=1000)
@given(st.sampled_from(["par", "yaml", "table"]), st.text(max_size=200))
def test_any_text(fmt: str, text: str) -> None:
    loads_or_fails(fmt, text)


@pytest.mark.slow
@settings(max_examples=5000, deadline=None, suppress_health_check=list(HealthCheck))
@given(mutated())
def test_many_mutated_files(case: tuple[str, str]) -> None:
    loads_or_fails(*case)
