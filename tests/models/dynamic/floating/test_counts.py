"""Operation counts of the models of a floating base: limits for legged robots, linear growth along a chain."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import symoro
from symoro.expr.formula import formula
from symoro.robot.description import Base, BaseKind, Frame, Link, Robot
from tests.models.dynamic.cases import masses
from tests.models.dynamic.floating.cases import without_wrenches
from tests.robot.urdf.examples import example_robots

EXAMPLES = example_robots()
LEGGED = {
    "anymal_b_simple_description/robots/anymal.urdf": (1290, 1870),
    "talos_data/robots/talos_reduced.urdf": (3360, 5190),
}


def operations(robot: Robot, model: str, **options: str) -> int:
    counted = symoro.generate(robot, model, **options).count()
    return counted.additions + counted.multiplications


@pytest.mark.skipif(not EXAMPLES, reason="example-robot-data is not installed")
@pytest.mark.parametrize("name", LEGGED)
def test_legged_robots(name: str) -> None:
    """Additions and multiplications, base given and base free; Pinocchio with CasADi: 2515 and 6027, base given."""
    (path,) = [path for path in EXAMPLES.values() if str(path).endswith(name)]
    robot = symoro.load(path).floating()
    for j, frame in enumerate(robot.frames, 1):
        if frame.moving:
            robot = robot.with_frame(j, FV=0, FS=0, IA=0)
    given, free = LEGGED[name]
    assert operations(robot, "inverse-dynamics", base="given") <= given
    assert operations(robot, "inverse-dynamics") <= free


def chain(n: int) -> Robot:
    """Return links of random mass with alternately perpendicular axes."""
    rng = np.random.default_rng(1)
    frames = [Frame(j, alpha=formula("pi/2" if j % 2 else "-pi/2"), d=formula(0.1)) for j in range(n)]
    links = tuple(Link(**{name: formula(x) for name, x in masses(rng).items()}) for _ in range(n))
    head = Link(**{name: formula(x) for name, x in masses(rng).items()})
    return Robot(f"chain{n}", tuple(frames), links, Base(BaseKind.FLOATING, head))


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("inverse-dynamics", {}),
        ("inverse-dynamics", {"base": "given"}),
        ("direct-dynamics", {}),
    ],
)
def test_every_further_link_costs_the_same(model: str, options: dict[str, str]) -> None:
    sizes = (24, 36, 48, 60)
    costs = [operations(chain(n), model, **options) for n in sizes]
    steps = [b - a for a, b in pairwise(costs)]
    assert max(steps) - min(steps) <= 0.01 * min(steps)


def test_the_snake_costs_no_more_a_link_than_the_eel() -> None:
    eel, snake = (without_wrenches(symoro.load(name)) for name in ("eel", "snake"))
    for model in ("inverse-dynamics", "direct-dynamics"):
        small, large = operations(eel, model) / 12, operations(snake, model) / 100
        assert abs(large - small) < 0.06 * small
