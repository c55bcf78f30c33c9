"""Base parameters against published results: counts and printed relations."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import symoro
from symoro.expr.formula import ZERO, Formula, formula
from symoro.models.identification.base.parameters import BaseParameters, base_parameters
from symoro.models.identification.base.report import relation
from symoro.robot.description import GEOMETRIC, INERTIAL, Base, Frame, JointType, Link, Robot
from tests.oracle.golden import DATA

KNOWN = DATA / "base-parameters" / "known.json"


def known() -> list[Any]:
    """Return every published robot with and without rotor inertias."""
    robots = {name: g for name, g in json.loads(KNOWN.read_text()).items() if name[0] != "_"}
    cases = []
    for name, g in robots.items():
        for rotor in (False, True):
            if not (rotor and name.startswith("floating")):
                cases.append(pytest.param(name, g, rotor, id=f"{name}-{'Ia' if rotor else 'plain'}"))
    return cases


def robot_of(name: str, g: dict[str, Any]) -> Robot:
    """Return a robot of the file; frames that close a loop come last in both."""
    loops = len(g["loops"])
    count = len(g["links"]) - 2 * loops
    frames = []
    for j, row in enumerate(g["links"], 1):
        opened = count < j <= count + loops
        sigma = JointType.REVOLUTE if opened else JointType(row["sigma"])
        mu = bool(row.get("mu", 1)) and j <= count
        rotor = Formula(f"IA{j}") if mu and sigma != JointType.FIXED else ZERO
        place = {key: formula(float(row[key])) for key in GEOMETRIC}
        frames.append(Frame(row["ant"], sigma, mu=mu, IA=rotor, **place))
    links = [
        Link() if j in g["massless"] else Link(**{n: Formula(f"{n}{j}") for n in INERTIAL})
        for j in range(1, count + 1)
    ]
    x, y, z = (formula(float(v)) for v in g["gravity"])
    return Robot(name, tuple(frames), tuple(links), Base(G=(x, y, z)))


@pytest.mark.parametrize(("name", "g", "rotor"), known())
def test_count_names_and_every_coefficient(name: str, g: dict[str, Any], rotor: bool) -> None:
    robot = robot_of(name, g)
    result = base_parameters(robot, rotor=rotor)
    answer = g["base_with_Ia" if rotor else "base_no_Ia"]
    assert len(result.names) == g["count_with_Ia" if rotor else "count_no_Ia"]
    assert result.names == tuple(answer["kept"])

    def there(parameter: str) -> bool:  # the file books parameters on the frames of loops too
        j = int(re.sub(r"\D", "", parameter))
        return j <= robot.NL and j not in g["massless"]

    assert set(result.no_effect) == set(filter(there, answer["no_effect"]))
    for kept, others in result.relations.items():
        expected = {p: c for p, c in answer["regroup"].get(kept, {}).items() if there(p)}
        assert {p: float(c) for p, c in others.items()} == pytest.approx(expected, abs=1e-6), kept


# -- relations as printed, errata of the 1988 paper applied: YYR2 has a YY3 more, and so ZZR1; XXR2 has none

SCEMI = """
ZZR1 = ZZ1 + YY2 + YY3 + D3^2*(M3 + M4 + M5 + M6)
XXR2 = XX2 - YY2 - D3^2*(M3 + M4 + M5 + M6)
XZR2 = XZ2 - D3*MZ3
ZZR2 = ZZ2 + D3^2*(M3 + M4 + M5 + M6)
MXR2 = MX2 + D3*(M3 + M4 + M5 + M6)
XXR3 = XX3 - YY3 + YY4 + 2*RL4*MZ4 + RL4^2*(M4 + M5 + M6)
ZZR3 = ZZ3 + YY4 + 2*RL4*MZ4 + RL4^2*(M4 + M5 + M6)
MYR3 = MY3 + MZ4 + RL4*(M4 + M5 + M6)
XXR4 = XX4 - YY4 + YY5
ZZR4 = ZZ4 + YY5
MYR4 = MY4 - MZ5
XXR5 = XX5 - YY5 + YY6
ZZR5 = ZZ5 + YY6
MYR5 = MY5 + MZ6
XXR6 = XX6 - YY6
"""

SR400 = """
ZZR1 = ZZ1 + IA1 + YY2 + YY3 + XX7 + YY8 + d2^2*(M2 + M7 + M8) + (d2^2 + d3^2)*M3 + (d2^2 + d3^2 + d4^2)*(M4 + M5 + M6)
XYR2 = XY2 + XY8
MYR3 = MY3 + MZ4 + r4*(M4 + M5 + M6) - d8/d3*MX8
MXR7 = MX7 + d8/d3*MX8 - d8*M8
"""


def printed(result: BaseParameters) -> list[str]:
    return [relation(kept, others) for kept, others in result.relations.items() if others]


def test_the_relations_of_the_1988_paper() -> None:
    result = base_parameters(symoro.load("scemi"), rotor=False)
    assert len(result.names) == 36
    assert printed(result) == SCEMI.split("\n")[1:-1]
    assert set(result.no_effect) == {f"{n}1" for n in INERTIAL if n != "ZZ"} | {"MZ2", "M2"}


def test_the_parallelogram_of_the_sr400_is_closed_exactly() -> None:
    result = base_parameters(symoro.load("sr400"))
    assert len(result.names) == 42
    assert set(SR400.split("\n")[1:-1]) <= set(printed(result))
    assert "q3 = -q2 + q7 - pi/2" in result.method
    assert result.conditions == ("d3",)


@pytest.mark.parametrize(
    ("name", "count"),
    [("rx90", 40), ("stanford", 37), ("tx40", 40), ("iiwa14", 48), ("lwr4plus", 48), ("rx90_floating", 58)],
)
def test_counts_of_bundled_robots(name: str, count: int) -> None:
    assert len(base_parameters(symoro.load(name))) == count
