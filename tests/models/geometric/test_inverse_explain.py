"""Derivations of inverse geometric models: their formulas can be evaluated, and their LaTeX is valid."""

from __future__ import annotations

import math
import re
from itertools import product

import numpy as np
import pytest

import symoro
from symoro.emit.derivation import as_latex, as_text
from symoro.expr.scalar import symbol
from symoro.models.geometric.inverse.chain.chain import Unknown
from symoro.models.geometric.inverse.chain.pose import entry_name
from symoro.models.geometric.inverse.explain import derivation
from symoro.models.geometric.inverse.step import Step
from symoro.program.builder import Builder

ARMS = {"puma560": "full", "stanford": "full", "ur5e": "full", "scara": "full", "planar3r": "planar"}
ASSIGNMENT = re.compile(r"^   (\w+) = (.+)$")
ANGLE = re.compile(r"^   ([q\d +-]+) = (atan2\(.+\))$")


def stages(model: symoro.Model) -> list[str]:
    return [text for text in model.explain() if re.match(r"\d+\. ", text)]


@pytest.mark.parametrize("arm", ARMS)
def test_the_text_read_from_top_to_bottom_gives_a_posture(arm: str) -> None:
    robot = symoro.load(arm)
    model = symoro.generate(robot, "inverse-geometry", pose=ARMS[arm])
    place = symoro.generate(robot, "fast-geometry").function()
    n = model.inputs["q0"][0]
    q = np.random.default_rng(7).uniform(0.2, 1.2, n)
    T = place(q=q)["T"]
    result = model.function(compiled=False)(T=T)
    postures = [row for row, status in zip(result["q"], result["status"], strict=True) if status == 0]
    texts = stages(model)
    signs = ["two solutions" in text for text in texts]
    read = [_computed(texts, choice, T, robot) for choice in product(*([1, -1] if s else [1] for s in signs))]
    for posture in postures:
        angles = [[math.remainder(a - b, 2 * math.pi) for a, b in zip(posture, r, strict=True)] for r in read]
        assert min(np.abs(angles).max(axis=1)) < 1e-9


def _computed(texts: list[str], signs: tuple[int, ...], T: np.ndarray, robot: symoro.Robot) -> list[float]:
    """Return the joints computed by the formulas of the text alone."""
    known = {entry_name(r, c): T[r, c] for r in range(3) for c in range(4)} | dict(robot.nominal)
    names = {"atan2": math.atan2, "sqrt": lambda x: math.sqrt(max(x, 0.0))}
    sums: list[tuple[str, float]] = []
    for text, eps in zip(texts, signs, strict=True):
        known["eps"] = eps
        for line in text.splitlines()[1:]:
            if " where " in line or line.strip().startswith("eps"):
                continue
            angle = ANGLE.match(line)
            result = angle or ASSIGNMENT.match(line)
            if result:  # equations with a sum on the left are solved by the lines after them
                value = eval(result[2].replace("^", "**"), {**names, **known})
                sums.append((result[1], value)) if angle else known.setdefault(result[1], value)
    joints = sorted({int(j) for text, _ in sums for j in re.findall(r"q(\d+)", text)})
    rows = [[_sign(text, j) for j in joints] for text, _ in sums]
    solved = dict(zip(joints, np.linalg.solve(rows, [value for _, value in sums]), strict=True))
    own = range(1, max([*joints, *(int(k[1:]) for k in known if re.fullmatch(r"q\d+", k))]) + 1)
    return [solved.get(j, known.get(f"q{j}", 0.0)) for j in own]


def _sign(text: str, joint: int) -> int:
    match = re.search(rf"(^|[+-] ?)q{joint}\b", text)
    return 0 if match is None else -1 if "-" in match[1] else 1


def test_steps_tell_type_branches_reach_and_singularity() -> None:
    first = stages(symoro.generate(symoro.load("stanford"), "inverse-geometry"))[0].splitlines()
    assert first == [
        "1. q1: type 2, X S + Y C = Z; two solutions",
        "   C1*Py - Px*S1 = RL2",
        "   eps = 1 or -1",
        "   square1 = Px^2 + Py^2",
        "   inverse1 = 1/square1",
        "   root1 = eps*sqrt(-RL2^2 + square1)",
        "   S1 = -(Px*RL2 - Py*root1)*inverse1",
        "   C1 = (Px*root1 + Py*RL2)*inverse1",
        "   q1 = atan2(S1, C1)",
        "   out of reach if Px^2 + Py^2 - RL2^2 < 0",
        "   singular if Px^2 + Py^2 = 0: q1 is then free",
    ]


def test_latex_has_a_paragraph_a_step_with_aligned_lines() -> None:
    model = symoro.generate(symoro.load("scara"), "inverse-geometry")
    result = model.explain(latex=True)
    assert len(result) == len(model.program.derivation) == len(stages(model))
    for text in result:
        assert text.startswith(r"\paragraph{") and text.count("{") == text.count("}")
        lines = text.split(r"\begin{align*}")[1].split(r"\end{align*}")[0].strip().split("\\\\\n")
        assert all(line.count("&") == 1 for line in lines)
    assert r"\text{singular if }" in result[-1] and r"\operatorname{atan2}(S_{1}, C_{1})" in result[-1]


def test_other_models_have_no_derivation() -> None:
    model = symoro.generate(symoro.load("scara"), "fast-geometry")
    assert model.program.derivation == () and model.explain(latex=True) == []


def test_branches_from_a_kernel_are_described() -> None:
    """Roots of a polynomial: their symbols, the kernel and its arguments are named; the lines remain readable."""
    builder = Builder("roots")
    x, y = builder.input("x", (2,))
    name = symbol(builder.graph, "r3_root")
    roots = builder.call("solve", [x, y, y, x], [x, 1 - y])
    length = symbol(builder.graph, "q3")
    unknown = Unknown("3", ((3, 1),), False, length, length, length)
    lines = ((length, name), (symbol(builder.graph, "t"), roots[0] + x))
    choices = tuple({name.lit: root} for root in roots)
    step = Step(9, (unknown,), ((length * x, y),), lines, choices, reach=(-x * x,))
    (stage,) = derivation([step])
    (text,) = as_text([stage])
    assert text.splitlines()[:4] == [
        "1. q3: type 9, a4 r^4 + a3 r^3 + a2 r^2 + a1 r + a0 = 0; two solutions",
        "   q3*x1 = x2",
        "   r3_root: one of the roots that solve(x1, x2, x2, x1, x1, -x2 + 1) computes",
        "   q3 = r3_root",
    ]
    assert "out of reach if -x1^2 < 0" in text
    (latex,) = as_latex([stage])
    assert r"\text{r3\_root: one of the roots that solve(" in latex
