"""Test the comments at the beginning of parts of the model."""

from __future__ import annotations

import re

import pytest

from symoro import generate
from symoro.emit import emit
from symoro.expr import scalar as sc
from symoro.program.builder import Builder
from symoro.program.program import Program

COMMENT = {
    "c": r"/\* (link \d+: .*) \*/",
    "cpp": r"/\* (link \d+: .*) \*/",
    "fortran": r"! (link \d+: .*)",
    "matlab": r"% (link \d+: .*)",
    "python": r"# (link \d+: .*)",
    "julia": r"# (link \d+: .*)",
    "javascript": r"// (link \d+: .*)",
    "rust": r"// (link \d+: .*)",
    "maple": r"# (link \d+: .*)",
    "mathematica": r"\(\* (link \d+: .*) \*\)",
    "latex": r"(Link \d+: .*):",
    "text": r"(link \d+: .*):",
}


@pytest.mark.parametrize("language", COMMENT)
def test_every_link_and_phase(language: str) -> None:
    """Check the order of links and phases: outward, each link, inward."""
    files = generate("rx90", "inverse-dynamics", effort="plain").code(language, name="f")
    text = next(text for name, text in files.items() if name.startswith("f.") and name != "f.h")
    result = [said.lower() for said in re.findall(rf"^ *{COMMENT[language]}$", text, re.MULTILINE)]
    expected = [f"link {j}: velocities and accelerations" for j in range(2, 7)]
    expected += [f"link {j}: inertial force and moment" for j in range(1, 7)]
    expected += [f"link {j}: total force and moment" for j in range(5, 0, -1)]
    assert result[: len(expected)] == expected
    assert set(result) == set(expected)  # C++ and Fortran repeat it in the function for batches


def said(robot: str, model: str, **options: str) -> list[str]:
    text = generate(robot, model, **options).code("text", name="f")["f.txt"].rpartition("---")[2]
    lines = [line[:-1] for line in text.splitlines() if line.endswith(":")]
    return [line for line in lines if line not in ("Once", "Each call")]


def test_the_three_walks_of_articulated_bodies() -> None:
    """Check that outward, inward and outward recursion contain each link in order."""
    result = said("rx90", "direct-dynamics", method="recursive")
    walks = [f"link {j}: velocities" for j in range(2, 7)]
    walks += [f"link {j}: wrench at zero acceleration" for j in range(2, 7)]
    walks += [f"link {j}: articulated body" for j in range(6, 0, -1)]
    walks += [f"link {j}: accelerations" for j in range(1, 7)]
    assert result[-len(walks) :] == walks


@pytest.mark.parametrize(
    ("robot", "model", "expected"),
    [
        ("rx90", "fast-geometry", ["frame 6 in frame 4", "frame 6 in frame 3", "frame 6 in frame 1"]),
        ("rx90", "jacobian", [f"frame {k}: axis and origin in frame 1" for k in range(3, 7)]),
        ("rx90", "velocities", [f"link {j}: velocities" for j in range(2, 7)]),
        ("rx90", "accelerations", ["velocities", "accelerations"]),
        ("rx90", "energy", ["velocities"]),
        ("rx90", "energy-identification", [f"link {j}: velocities" for j in range(2, 7)]),
    ],
)
def test_every_part_is_named(robot: str, model: str, expected: list[str]) -> None:
    assert list(dict.fromkeys(said(robot, model))) == expected


def test_a_comment_precedes_loads_and_unnamed_statements() -> None:
    lines = [
        line.strip() for line in generate("rx90", "inverse-dynamics").code("c", name="f")["f.c"].splitlines()
    ]
    at = lines.index("/* link 6: inertial force and moment */")
    assert re.match(r"const double MX6 = k\[", lines[at + 1])


def mixed(parts: int, turns: int, phases: int = 1) -> Program:
    """Return statements that alternate between parts, as a schedule may."""
    b = Builder("mixed")
    (x,) = b.input("x", (), ["x"])
    y = x
    for k in range(parts * turns):
        y = b.named(
            f"V{k + 1}", sc.sin(y) * 2 + x, f"link {k % parts + 1}: phase {k * phases // (parts * turns)}"
        )
    b.output("y", y)
    return b.program()


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (mixed(3, 1), ["link 1: phase 0:", "link 2: phase 0:", "link 3: phase 0:"]),
        (mixed(3, 3), ["phase 0:"]),
        (mixed(3, 6, 2), ["phase 0:", "phase 1:"]),
    ],
)
def test_the_phase_alone_where_links_are_mixed(program: Program, expected: list[str]) -> None:
    text = emit(program, "text")["mixed.txt"].rpartition("---")[2]
    assert [line for line in text.splitlines() if line.endswith(":")] == expected


def test_nothing_where_phases_are_mixed_too() -> None:
    b = Builder("mixed")
    (x,) = b.input("x", (), ["x"])
    y = x
    for k in range(12):
        y = b.named(f"V{k + 1}", sc.sin(y) * 2 + x, f"link {k % 4}: phase {k % 2}")
    b.output("y", y)
    text = emit(b.program(), "text")["mixed.txt"].rpartition("---")[2]
    assert not [line for line in text.splitlines() if line.endswith(":")]
