"""Test inertial parameters about the centre of mass with a body of point masses, in files and in Python."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.errors import FormatError, OptionError
from symoro.expr.formula import formula
from symoro.robot.centre import about_origin
from symoro.robot.description import INERTIAL
from symoro.robot.formats import dumps, loads


def test_a_body_of_points() -> None:
    """Compare with sums over point masses about the origin and the centre, without formulas of the module."""
    rng = np.random.default_rng(7)
    masses, points = rng.uniform(0.1, 2, 6), rng.uniform(-1, 1, (6, 3))

    def tensor(at: np.ndarray) -> np.ndarray:
        arms = points - at
        return sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, arms, strict=True))

    mass, com = masses.sum(), masses @ points / masses.sum()
    about = tensor(com)[np.triu_indices(3)]
    result = about_origin(formula(mass), [formula(x) for x in com], [formula(x) for x in about])
    expected = [*tensor(np.zeros(3))[np.triu_indices(3)], *(mass * com), mass]
    np.testing.assert_allclose([result[name].number for name in INERTIAL], expected, rtol=1e-13)


def test_decimals_are_rounded_once() -> None:
    """Check that 2 * 0.1^2 + 0.01 is 0.03 and not 0.030000000000000006 as in double precision."""
    result = about_origin(formula("2"), [formula("0.1"), formula("0"), formula("0")], [formula("0.01")] * 6)
    assert [str(result[name]) for name in ("YY", "XX", "XY", "MX", "M")] == [
        "0.03",
        "0.01",
        "0.01",
        "0.2",
        "2",
    ]


def test_symbols_are_exact() -> None:
    result = about_origin(formula("m"), [formula(x) for x in ("cx", "cy", "1/10")], [formula("I")] * 6)
    assert result["XX"] == formula("I + m*(cy^2 + 1/100)") and result["XY"] == formula("I - m*cx*cy")
    assert result["MZ"] == formula("m/10") and result["M"] == formula("m")


FILE = """
symoro: 1
name: arm
inertia: symbolic
base: {{kind: floating, link: {{mass: 5}}}}
frames:
  - link: {{name: upper, {link}}}
  - {{}}
tool: {{on: upper}}
payload: {{mass: 2, com: [0, 0, 1/10], inertia: [1, 1, 1]}}
"""


@pytest.mark.parametrize(
    "inertia", ["[1, 0.1, 0.2, 2, 0.3, 3]", "[[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]]"]
)
def test_in_a_file(inertia: str) -> None:
    robot = loads(FILE.format(link=f"mass: 2, com: [1, 2, c], inertia: {inertia}"), "yaml")
    link = robot.link("upper")
    assert formula("1 + 2*(4 + c^2)") == link.XX and formula("0.3 - 4*c") == link.YZ
    assert formula("4") == link.MY and formula("2") == link.M, "no symbol of the default is left"
    assert formula("XX2") == robot.link(2).XX and formula("5") == robot.base.link.M
    assert robot.payload is not None and formula("1") == robot.payload.ZZ
    assert formula("51/50") == robot.payload.XX and robot.tool is not None and robot.tool.place.ant == 1
    again = loads(dumps(robot, "yaml"), "yaml")
    assert again == robot


def test_a_diagonal_is_three_values() -> None:
    robot = loads(FILE.format(link="mass: 2, inertia: [1, 2, 3]"), "yaml")
    values = [str(getattr(robot.link(1), name)) for name in INERTIAL]
    assert values == ["1", "0", "0", "2", "0", "3", "0", "0", "0", "2"]


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("mass: 1, XX: 2", "line 7"),
        ("com: [0, 0, 0]", "'com' requires 'mass'"),
        ("mass: 1, com: 3", "expected a list"),
        ("mass: 1, inertia: [1, 2, 3, 4]", "expected a symmetric matrix"),
        ("mass: 1, inertia: [[1, 2, 3], [3, 4, 5], [6, 7, 8]]", "expected a symmetric matrix"),
        ("mass: 1, inertia: 4", "expected a list"),
        ("mass: 1 +", "ends too early"),
        ("mass: 1e308, com: [1e308, 1, 1]", "line 7"),
        ("mass: m, com: [1e308, 1e308, 1]", "line 7"),
    ],
)
def test_errors_in_a_file(link: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        loads(FILE.format(link=link), "yaml")
    assert said in caught.value.text()


def test_with_link() -> None:
    robot = symoro.load("planar2r").with_link(2, mass="m", com=["c", 0, 0], inertia=np.diag([0, 0, 0.5]))
    assert formula("0.5 + m*c^2") == robot.link(2).ZZ and formula("m*c") == robot.link(2).MX
    assert robot.link(1) == symoro.load("planar2r").link(1)
    for changes in (
        {"mass": 1, "XX": 2},
        {"com": [0, 0, 0]},
        {"mass": 1, "com": [1]},
        {"mass": 1, "inertia": [1]},
    ):
        with pytest.raises(OptionError):
            robot.with_link(2, **changes)
