"""effort="plain": the formulation of the papers, equal to the others and not optimised."""

from __future__ import annotations

import re

import numpy as np
import pytest

from symoro import generate
from symoro.program.interpret import interpret


@pytest.mark.parametrize("robot", ["rx90", "scara", "stanford"])
@pytest.mark.parametrize("model", ["inverse-dynamics", "bias-torques", "direct-dynamics"])
def test_the_same_numbers_in_no_fewer_operations(robot: str, model: str) -> None:
    plain, quick = (generate(robot, model, effort=effort) for effort in ("plain", "quick"))
    rng = np.random.default_rng(5)
    inputs = {port.name: rng.uniform(-1, 1, port.shape) for port in quick.program.inputs}
    values = {name: float(rng.uniform(0.2, 1.5)) for name in quick.program.parameters}
    result, expected = (interpret(m.program, inputs, values) for m in (plain, quick))
    for name in expected:
        np.testing.assert_allclose(result[name], expected[name], rtol=1e-10, atol=1e-10)
    assert plain.count().total >= quick.count().total


def test_it_is_written_link_by_link_outward_then_inward() -> None:
    text = generate("rx90", "inverse-dynamics", effort="plain").code("text").popitem()[1]
    order = re.findall(r"^(VP|F|M)\d(\d) = ", text.partition("Each call:")[2], re.MULTILINE)
    links = {kind: [int(j) for k, j in order if k == kind] for kind in ("VP", "F", "M")}
    assert links["VP"] == sorted(links["VP"])
    assert links["F"] == sorted(links["F"])
    assert links["M"] == sorted(links["M"], reverse=True)
    assert [kind for kind, _ in order] == sorted([kind for kind, _ in order], key=["VP", "F", "M"].index)
    assert "W23 = C3*W22 - S3*W12" in text.splitlines()


def test_explain_says_what_it_costs() -> None:
    lines = generate("rx90", "inverse-dynamics", effort="plain").explain()
    assert not any(line.startswith("pass ") for line in lines)
    assert lines[-1].endswith("operations more, as written")
