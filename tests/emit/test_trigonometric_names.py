"""A printed name that reads as the sine or cosine of a sum of joints equals that sine or cosine."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator

import pytest

import symoro
from symoro.emit import emit
from symoro.emit.code import KernelCall, code_of
from symoro.emit.text import DIALECT
from symoro.errors import SymoroError
from symoro.models.catalogue import catalogue
from symoro.program.program import Program
from symoro.robot.formats import loads
from symoro.robot.library import names as bundled

_WAVE = re.compile(r"([SC])(m?\d+(?:_m?\d+)*|\d+)")
_WORD = re.compile(r"[A-Za-z_]\w*(?!\w*[(\[])")
_CALLS = {name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan2", "sqrt")}


def definitions(program: Program) -> dict[str, str]:
    """Return the printed definitions by name."""
    code = code_of(program, DIALECT)
    return {step[0]: step[1] for step in [*code.setup, *code.call] if not isinstance(step, KernelCall)}


def joints_of(label: str, joints: set[str]) -> list[tuple[str, int]]:
    """Return the joints in a label with their signs: 23 is q2 + q3, 2_m3 is q2 - q3, 12 is q12 if that joint exists."""
    if label.isdigit() and f"q{label}" in joints:
        return [(f"q{label}", 1)]
    parts = label.split("_") if "_" in label or "m" in label else list(label)
    return [(f"q{part.removeprefix('m')}", -1 if part[0] == "m" else 1) for part in parts]


def wrong_names(program: Program) -> Iterator[str]:
    """Yield definitions whose value is not the sine or cosine that the name states."""
    defined = definitions(program)
    inputs = {symbol for port in program.inputs for symbol in port.symbols}
    joints = {symbol for symbol in inputs | set(defined) if re.fullmatch(r"q\d+", symbol)}
    rng = random.Random(1)
    values: dict[str, float] = {}

    def value(name: str) -> float:
        """Return the value of a name: that of its definition, or a random number for an input or parameter."""
        if name not in values:
            if name in defined and name not in joints:
                text = defined[name].replace("^", "**")
                names = {word: value(word) for word in _WORD.findall(text) if word not in (*_CALLS, "pi")}
                values[name] = eval(text, {**_CALLS, "pi": math.pi}, names)
            else:
                values[name] = rng.uniform(-3, 3)
        return values[name]

    for name, text in defined.items():
        match = _WAVE.fullmatch(name)
        if match:
            angle = sum(sign * value(joint) for joint, sign in joints_of(match[2], joints))
            expected = math.sin(angle) if match[1] == "S" else math.cos(angle)
            try:
                if math.isclose(value(name), expected, abs_tol=1e-12):
                    continue
            except (NameError, SyntaxError, TypeError, ValueError, ZeroDivisionError):
                pass
            yield f"{name} = {text}"


FAST = [
    ("3rrr", "jacobian"),
    ("car_ackermann", "velocities"),
    ("fivebar", "inverse-geometry"),
    ("fourbar", "loop-kinematics"),
    ("fourbar", "energy-identification"),
    ("gough_stewart", "fast-geometry"),
    ("gough_stewart", "inverse-geometry"),
    ("hybrid", "gravity-torques"),
    ("puma560", "lagrange"),
    ("rx90", "inverse-geometry"),
]


@pytest.mark.parametrize(("robot", "model"), FAST)
def test_bundled_robots(robot: str, model: str) -> None:
    assert not list(wrong_names(symoro.generate(robot, model).program))


@pytest.mark.slow
@pytest.mark.parametrize("robot", [name for name in bundled() if name not in ("snake", "humanoid_torso")])
def test_all_models(robot: str) -> None:
    for model in catalogue():
        try:
            program = symoro.generate(robot, model).program
        except SymoroError:  # the model does not apply to the robot
            continue
        assert not list(wrong_names(program)), model


def arm(*offsets: str) -> Program:
    """Return the fast geometry of a planar arm whose joints have offsets in theta."""
    frames = ", ".join(f"{{d: {'L' if j else 0}, offset: {offset}}}" for j, offset in enumerate(offsets))
    text = f"symoro: 1\nname: x\nframes: [{frames}]\n"
    return symoro.generate(loads(text, "yaml"), "fast-geometry").program


@pytest.mark.parametrize(
    "offset", ["pi/2", "-pi/2", "pi", "3*pi/2", "pi/4", "0.3", "phi", "phi + pi/2", "m2", "-2*phi"]
)
@pytest.mark.parametrize("joint", [0, 1, 3])
def test_offsets_of_joints(offset: str, joint: int) -> None:
    program = arm(*[offset if j == joint else "0" for j in range(4)])
    assert not list(wrong_names(program))
    assert any(_WAVE.fullmatch(name) for name in definitions(program)) or joint == 0


def test_a_right_angle_keeps_plain_names() -> None:
    names = definitions(arm("0", "0", "0", "pi/2"))
    assert names["C1234"].startswith("cos(") and names["S1234"].startswith("sin(")


def test_a_parameter_with_the_name_of_a_sine_keeps_it() -> None:
    """Check that the sine of q1 + q2 then has another name, which does not look like a sine: no S12_2."""
    text = "symoro: 1\nname: x\nframes: [{}, {d: S12}, {d: C2}]\n"
    for model in ("fast-geometry", "velocities", "inverse-dynamics"):
        program = symoro.generate(loads(text, "yaml"), model).program
        assert not list(wrong_names(program))
        assert not {"S12_2", "C2_2"} & set(definitions(program))


def test_latex_and_code_use_the_same_names() -> None:
    program = arm("0", "0", "pi/4", "pi/4")
    for language, pattern in (
        ("latex", r"([SC])_\{([\d,m]+)\} &= \\(sin|cos)\("),
        ("javascript", r"\b([SC])(\d+) = Math.(sin|cos)\("),
    ):
        matches = re.findall(pattern, "".join(emit(program, language).values()))
        assert matches and all((letter == "S") == (function == "sin") for letter, _, function in matches)
