"""Names of regrouped parameters in emitted code."""

from __future__ import annotations

import re

import pytest

from symoro import generate, load
from symoro.expr.formula import Formula
from symoro.robot.description import Link, Placement, Tool


def constants(robot: str, model: str, **options: str) -> list[str]:
    """Return the names of the constants that the setup code passes to the call, in C."""
    text = next(iter(generate(robot, model, **options).code("c", name="f").values()))
    listed = re.search(r"Constants.*?: (.*?)\n \*\n", text, re.DOTALL)
    assert listed is not None
    return listed[1].replace(" *", "").split()


def test_regrouped_parameters_of_a_model() -> None:
    names = constants("rx90", "inverse-dynamics")
    for name in ("KYYR3", "MYR3", "KXXR2", "KXZR2", "MYR4", "MYR5", "KYYR5"):
        assert name in names  # others are booked on them
    for name in ("KXX3", "KYY2", "KXX6"):
        assert name in names  # the link's own
    left = [name for name in names if re.fullmatch(r"k\d+", name)]
    assert len(left) == 7  # products with lengths and gravity, and sums that the passes formed


def test_what_they_are() -> None:
    text = generate("rx90", "inverse-dynamics").code("text").popitem()[1]
    lines = text.splitlines()
    assert "MYR5 = MY5 + MZ6" in lines
    assert "MYR4 = MY4 - MZ5" in lines
    assert any(line.startswith("ZZR1 = ") and "ZZ1" in line[7:] for line in lines)


@pytest.mark.parametrize("model", ["inverse-dynamics", "direct-dynamics", "inertia-matrix"])
def test_a_link_that_only_turns_about_its_axis_has_one_inertia(model: str) -> None:
    text = generate("planar2r", model).code("text").popitem()[1]
    assert re.search(r"^ZZR1 = ZZ1 \+ ", text, re.MULTILINE)
    assert "KXX" not in text


def test_a_payload_does_not_take_the_name_of_a_parameter() -> None:
    robot = load("rx90").replace(
        tool=Tool(Placement(6)), payload=Link(M=Formula("load"), MX=Formula("shift"))
    )
    text = generate(robot, "inertia-matrix").code("text").popitem()[1]
    assert re.search(r"^MXR6 = MX6 \+ shift$", text, re.MULTILINE)
    assert not re.search(r"^MX6", text, re.MULTILINE)
