"""Deliberately damaged files for robustness tests; the same number always gives the same file.

A case is a valid file of any format with a few of its words, numbers, lines or bytes exchanged. `survive` reads it and,
if that succeeds, uses the robot; every exception must be a SymoroError.
"""

from __future__ import annotations

import random
import re
import warnings
from functools import cache
from pathlib import Path

import numpy as np

import symoro
from symoro.errors import SymoroError
from symoro.robot import consistency, formats, library
from symoro.robot.description import Robot
from symoro.robot.topology import describe
from symoro.ui.picture import picture
from tests.robot.formats.samples import FLOATING, LOOP, SERIAL, YAML
from tests.robot.formats.test_table import CLASSIC, CRAIG, KHALIL
from tests.robot.urdf.test_hostile import GOOD
from tests.robot.urdf.test_mjcf import ARM, cart
from tests.robot.urdf.test_xacro import BODY, HEAD, MACRO

NUMBERS = (
    *(
        "0",
        "-0",
        "1",
        "-1",
        "2",
        "7",
        "1e308",
        "-1e308",
        "1e309",
        "1e-308",
        "1e-400",
        "1e30",
        "1e16",
        "1e15",
        "nan",
    ),
    *(
        "inf",
        "-inf",
        "9" * 400,
        "1e999999999",
        "0x10",
        "1_0",
        "9007199254740993",
        "1/3",
        "1/0",
        "pi",
        "1e154",
        "1e200",
    ),
    *(
        "3.141592653589793",
        "-1.5707963",
        "1e-16",
        "0.1.2",
        ".",
        "-",
        "+1",
        "1,5",
        "１",
        "99999",
        "1001",
        "-7",
        "1e9",
    ),
)
WORDS = (
    *(
        "",
        " ",
        "\n",
        "\t",
        "x",
        "q1",
        "q2",
        "th1",
        "D2",
        "pi",
        "sin(1)",
        "sqrt(-1)",
        "atan2(0, 0)",
        "acos(2)",
        "1/0",
    ),
    *(
        "a*b",
        "1e308*1e308",
        "10^400",
        "2**0.5",
        "x^-3",
        "tan(pi/2)",
        "exp(1000)",
        "log(0)",
        "é",
        "\u2028",
        "\ud800",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        ",",
        ":",
        "=",
        "#",
        "&a",
        "*a",
        "!x",
        "'",
        '"',
        "|",
        ">",
        "-",
        "%",
        "@",
        "`",
        "\\",
    ),
    *(
        "<",
        ">",
        "/>",
        "</robot>",
        "<!--",
        "-->",
        "<![CDATA[",
        "&amp;",
        "&x;",
        "<?x?>",
        "<!DOCTYPE a>",
        "null",
        "~",
    ),
    *(
        "true",
        "false",
        "yes",
        "revolute",
        "prismatic",
        "fixed",
        "floating",
        "wheeled",
        "planar",
        "continuous",
        "ball",
    ),
    *(
        "free",
        "hinge",
        "slide",
        "mimic",
        "world",
        "base",
        "name",
        "frames",
        "loops",
        "ant",
        "alpha",
        "link",
        "joint",
    ),
    *(
        "nominal",
        "coupled",
        "limits",
        "elastic",
        "tool",
        "payload",
        "G3",
        "symbolic",
        "${1/0}",
        "${x}",
        "$(arg x)",
    ),
    *(
        "$(find x)",
        "${[1]*9}",
        "${2**70}",
        "inertia",
        "1 0 0",
        "0 0 0",
        "1e308 0 0",
        "NL = 9",
        "sigma = {2}",
        "0 0 0 0",
    ),
)
ONE_BODY = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
_NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"\w+")


@cache
def samples() -> dict[str, list[str]]:
    """Return valid files by format."""
    folder = Path(library.__file__).parent
    bundled = [(folder / f"{name}.yaml").read_text(encoding="utf-8") for name in library.names()]
    short = [library.load(name) for name in ("planar2r", "scara", "fourbar", "cartpole")]
    return {
        "yaml": [YAML, *(formats.dumps(robot, "yaml") for robot in short), *bundled[::3]],
        "par": [SERIAL, LOOP, FLOATING, *(formats.dumps(robot, "par", lossy=True) for robot in short)],
        "table": [CLASSIC, CRAIG, KHALIL],
        "urdf": [GOOD, GOOD, formats.dumps(library.load("ur5e"), "urdf")],
        "xacro": [HEAD + MACRO + BODY],
        "mjcf": [ARM, cart(), ONE_BODY],
    }


def mutated(number: int) -> tuple[str, str]:
    """Return the case with a number: (format, text)."""
    rng = random.Random(number)
    fmt = rng.choice(tuple(samples()))
    text = rng.choice(samples()[fmt])
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        text = rng.choice(_CHANGES)(rng, text)
    return fmt, text


def survive(number: int, folder: Path) -> bool:
    """Read the case with a number and use the robot; return whether there was one. Some cases are read from a file.

    No exception other than SymoroError may be raised, and no warning of Python or NumPy.
    """
    fmt, text = mutated(number)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            robot = _read(number, fmt, text, folder)
        except SymoroError as error:
            assert str(error)
            return False
        try:
            USES[number % len(USES)](robot)
        except SymoroError as error:
            assert str(error)
    return True


def _read(number: int, fmt: str, text: str, folder: Path) -> Robot:
    if number % 8:
        return formats.loads(text, fmt, file="<mutated>", lossy=True)
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    rng = random.Random(number)
    for _ in range(rng.randrange(3) if data else 0):
        data[rng.randrange(len(data))] = rng.randrange(256)
    path = folder / f"case.{'csv' if fmt == 'table' else fmt}"
    path.write_bytes(data)
    return formats.load(path, lossy=True)


def _shown(robot: Robot) -> None:
    assert describe(robot)
    assert str(robot)
    assert picture(robot)
    consistency.warnings(robot)


def _written(robot: Robot) -> None:
    assert formats.loads(formats.dumps(robot, "yaml"), "yaml") == robot


def _converted(robot: Robot) -> None:
    for fmt in ("par", "urdf", "craig", "dh"):
        formats.dumps(robot, fmt, lossy=True)


def _placed(robot: Robot) -> None:
    model = symoro.generate(robot, "fast-geometry")
    model.code("c")
    model.function(dict.fromkeys(model.parameters, 0.5), compiled=False)(q=np.full(model.inputs["q"], 0.3))


def _moved(robot: Robot) -> None:
    if robot.NL <= 3:
        model = symoro.generate(robot, "inverse-dynamics")
        inputs = {name: np.full(shape, 0.3) for name, shape in model.inputs.items()}
        model.function(dict.fromkeys(model.parameters, 0.5), compiled=False)(**inputs)


USES = (_shown, _written, _converted, _placed, _moved)


# -- changes


def _another_number(rng: random.Random, text: str) -> str:
    return _exchanged(rng, text, _NUMBER, rng.choice(NUMBERS))


def _another_word(rng: random.Random, text: str) -> str:
    return _exchanged(rng, text, _WORD, rng.choice(WORDS))


def _word_of_its_own(rng: random.Random, text: str) -> str:
    result = _WORD.findall(text)
    return _exchanged(rng, text, _WORD, rng.choice(result)) if result else text


def _exchanged(rng: random.Random, text: str, pattern: re.Pattern[str], new: str) -> str:
    places = [match.span() for match in pattern.finditer(text)]
    if not places:
        return text
    start, end = rng.choice(places)
    return text[:start] + new + text[end:]


def _line(rng: random.Random, text: str) -> str:
    """Remove, duplicate or move a line."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    i, k = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(3)
    taken = lines[i]
    if what != 1:
        del lines[i]
    if what:
        lines.insert(k, taken)
    return "".join(lines)


def _piece(rng: random.Random, text: str) -> str:
    """Remove, duplicate or replace a piece, or remove everything after it."""
    start = rng.randrange(len(text) + 1)
    end = start + rng.choice((0, 1, 1, 2, 5, 20, 100))
    middle = rng.choice(
        ("", text[start:end] * 2, rng.choice(WORDS), chr(rng.choice((0, 9, 127, 233, 0x4E00, 0x1F600))))
    )
    return text[:start] if rng.random() < 0.05 else text[:start] + middle + text[end:]


_CHANGES = (_another_number, _another_number, _another_number, _another_word, _word_of_its_own, _line, _piece)
