"""Conditions of singularity against numbers: they are satisfied exactly in the singular configurations."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.expr.formula import formula
from symoro.models.kinematic.determinant import chosen_part
from symoro.models.kinematic.jacobian import joint_provider
from symoro.models.kinematic.singularities import Condition, Singularities
from symoro.models.rank import always_singular
from symoro.program.builder import Builder
from symoro.robot.coordinates import independent
from symoro.robot.description import Frame, JointType, Link, Robot

Array = np.ndarray
FUNCTIONS: dict[str, Any] = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "pi": math.pi}
Residual = Callable[[Array], Array]


def arm(seed: int, n: int, slides: Sequence[int] = ()) -> Robot:
    """Return a serial arm with right angles and few lengths."""
    rng = np.random.default_rng(seed)
    frames = []
    for j in range(1, n + 1):
        alpha = formula(str(rng.choice(["0", "pi/2", "-pi/2"])) if j > 1 else "0")
        d, r = (formula(str(rng.choice(["0", "1/2", "3/4"]))) for _ in "dr")
        kind = JointType.PRISMATIC if j in slides else JointType.REVOLUTE
        frames.append(
            Frame(j - 1, kind, alpha=alpha, d=d) if j in slides else Frame(j - 1, kind, alpha=alpha, d=d, r=r)
        )
    return Robot(f"arm{seed}", tuple(frames), (Link(),) * n)


def jacobian_of(robot: Robot) -> Residual:
    f = symoro.generate(robot, "jacobian", to=robot.NL, frame=0).function(compiled=False)
    return lambda q: np.asarray(f(q=q)["J"])


def smallest(jacobian: Array) -> float:
    return float(np.linalg.svd(jacobian, compute_uv=False)[-1])


def singular_posture(jacobian: Residual, q: Array) -> Array | None:
    """Return a configuration near q in which J (or J', the wider one) has a null vector."""
    n = len(q)

    def f(x: Array) -> Array:
        J = jacobian(x[:n])
        product = x[n:] @ J if n >= 6 else J @ x[n:]
        return np.append(product, x[n:] @ x[n:] - 1)

    u, _, v = np.linalg.svd(jacobian(q))
    result = downhill(f, np.concatenate([q, u[:, 5] if n >= 6 else v[n - 1]]))
    return None if result is None else result[:n]


def slope(f: Callable[[Array], Array], q: Array, h: float = 1e-6) -> Array:
    return np.transpose([(f(q + h * e) - f(q - h * e)) / (2 * h) for e in np.eye(len(q))])


def downhill(f: Residual, q: Array, rounds: int = 40) -> Array | None:
    """Return a zero of f near q by Gauss-Newton with minimum-norm steps; None if it does not converge."""
    for _ in range(rounds):
        value = f(q)
        if np.abs(value).max() < 1e-11:
            return q
        step = np.linalg.lstsq(slope(f, q), -value, rcond=1e-9)[0]
        q = q + step * min(1, 0.5 / max(np.abs(step).max(), 1e-12))
    return q if np.abs(f(q)).max() < 1e-8 else None


def residuals(robot: Robot, result: Singularities) -> list[Residual]:
    """Return each condition as a function of q, with expressions scaled by their typical magnitude."""
    own, nominal = independent(robot), dict(robot.nominal)
    rng = np.random.default_rng(0)

    def of(condition: Condition) -> Residual:
        codes = [compile(text.replace("^", "**"), "condition", "eval") for text in condition.expressions]

        def values(q: Array) -> Array:
            at = {f"q{j}": float(x) for j, x in zip(own, q, strict=True)}
            return np.array([eval(code, FUNCTIONS | nominal | at) for code in codes])

        usual = np.mean([np.abs(values(rng.uniform(-3, 3, len(own)))) for _ in range(20)], axis=0)
        return lambda q: values(q) / usual

    return [of(condition) for condition in result.conditions]


def check(robot: Robot, seed: int = 0, starts: int = 6) -> int:
    """Check both directions; return the number of singular configurations."""
    result = symoro.singularities(robot, robot.NL)
    assert result.complete and not result.always
    jacobian, conditions = jacobian_of(robot), residuals(robot, result)
    rng = np.random.default_rng(seed)
    n = len(independent(robot))
    met = 0
    for _ in range(starts):
        q = singular_posture(jacobian, rng.uniform(-3, 3, n))
        if q is not None:
            met += 1
            assert conditions and min(np.abs(c(q)).max() for c in conditions) < 1e-4, q
        q = rng.uniform(-3, 3, n)
        if smallest(jacobian(q)) > 1e-2:
            assert all(np.abs(c(q)).max() > 1e-7 for c in conditions), q
    for condition in conditions:
        for _ in range(2):
            q = downhill(condition, rng.uniform(-3, 3, n))
            if q is not None:  # a case may have no real posture
                assert smallest(jacobian(q)) < 1e-4, q
    return met


@pytest.mark.parametrize("name", ["iiwa14", "panda", "ur5e", "irb120"])
def test_bundled_robots(name: str) -> None:
    robot = symoro.load(name)
    robot = robot.replace(tool=None, payload=None)
    assert check(robot) > 0


@pytest.mark.parametrize(
    ("seed", "n", "slides"),
    [
        pytest.param(8, 7, (), marks=pytest.mark.slow),
        (5, 5, ()),
        (8, 5, ()),
        (5, 4, ()),
        (12, 7, (3,)),
        (18, 5, (2,)),
    ],
)
def test_arms_with_more_and_fewer_joints(seed: int, n: int, slides: Sequence[int]) -> None:
    robot = arm(seed, n, slides)
    if symoro.singularities(robot).always:
        pytest.fail("choose another seed: nothing is tested here")
    check(robot)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_many_arms(seed: int) -> None:
    robot = arm(100 + seed, (7, 5, 4, 6)[seed % 4], ((), (2,), (3,))[seed % 3])
    result = symoro.singularities(robot, robot.NL)
    if not result.always and result.complete and result.meaning in ("J", "J J'", "J' J"):
        check(robot, seed)


def test_an_arm_with_spherical_shoulder_and_wrist() -> None:
    """As in the handbooks: the elbow is stretched, or two conditions hold together."""
    result = symoro.singularities(symoro.load("iiwa14"))
    assert [c.expressions for c in result.conditions] == [
        ("sin(q4)",),
        ("sin(q2)", "sin(q6)"),
        ("sin(q2)", "cos(q3)"),
        ("cos(q5)", "sin(q6)"),
    ]
    assert str(result).splitlines()[2] == ("  sin(q2) = 0 and sin(q6) = 0   at q2 = 0 or pi, q6 = 0 or pi")


def test_a_long_chain_is_not_singular_in_every_configuration() -> None:
    """Bounds of the rounding errors that grow with each joint would hide the determinant of a snake."""
    n = 28
    turns = [formula(("-pi/2", "pi/2")[k % 2]) for k in range(n)]
    frames = tuple(Frame(k, alpha=turn, d=formula("0.1")) for k, turn in enumerate(turns))
    robot = Robot("snake", frames, (Link(),) * n)
    builder = Builder("jacobian")
    square = chosen_part(builder, robot, n, joint_provider(builder, robot)).square()
    assert not always_singular(builder, square)
    dependent = [*square[:-1], [x + y for x, y in zip(square[0], square[1], strict=True)]]
    assert always_singular(builder, dependent)


def test_long_expressions_are_named() -> None:
    lines = str(symoro.singularities(symoro.load("jaco2"))).splitlines()
    assert lines[1] == "  E1 = 0" and lines[2].startswith("  with E1 = D2*D3*sin(q2)")


def test_without_sympy(monkeypatch: pytest.MonkeyPatch) -> None:
    """An expression that cannot be factored is a condition in its original form."""
    for name in ("sympy", "sympy.polys", "sympy.polys.rings"):
        monkeypatch.setitem(sys.modules, name, None)
    result = symoro.singularities(symoro.load("planar2r"))
    assert len(result.conditions) == 1 and result.complete and result.notes
    condition = formula(result.conditions[0].expression)
    at = dict.fromkeys(condition.symbols, 0.7)
    assert abs(condition.value(at)) > 0.1
    assert condition.value(at | {"q2": 0.0}) == pytest.approx(0)
