"""Constraint provider of a platform: q' = G V, its derivative, and the tangents of the pose, by differences."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.models.coordinates.blocks import Values
from symoro.models.platform.coordinates import twist_of
from symoro.models.platform.dynamics import platform_input
from symoro.models.platform.pose import PLATFORM_V, PLATFORM_VD, twist_input
from symoro.program.builder import Builder
from symoro.runtime.function import Function
from tests.oracle.cut_tree import Array
from tests.oracle.platforms import FREEDOMS, LIBRARY, poses, robots, turned


def moved(T: Array, V: Array, t: float) -> Array:
    """Return the pose after a motion with a constant twist."""
    result = T.copy()
    result[:3, :3] = turned(t * V[3:]) @ T[:3, :3]
    result[:3, 3] += t * V[:3]
    return result


@pytest.mark.parametrize("name", ["3rrr", "delta", "6-RUS", "3-RPR"])
def test_rates_and_accelerations_are_derivatives(name: str) -> None:
    robot = symoro.load(name) if name in LIBRARY else robots()[name]
    builder = Builder("provider")
    provider = platform_input(builder, robot, None, "1")
    nu, nud = (twist_input(builder, port, provider.own) for port in (PLATFORM_V, PLATFORM_VD))

    def listed(values: Values) -> list[object]:
        return [values[c] for c in provider.tree]

    positions = provider.joint_positions()[0]
    builder.output("q", [positions[c.j] for c in provider.tree])
    builder.output("qd", listed(provider.rates(nu)))
    builder.output("qdd", listed(provider.accelerations(nud, nu)))
    builder.output("G", provider.matrix())
    builder.output("Gd", provider.matrix_rate(nu))
    builder.output("own", twist_of(nu))
    run = Function(builder.program(), dict(robot.nominal), compiled=False)
    rng = np.random.default_rng(1)
    T, free = poses(name, robot, 1, 8)[0], list(FREEDOMS.get(name, range(6)))
    V, Vd = np.zeros((2, 6))
    V[free], Vd[free] = rng.uniform(-1, 1, (2, len(free)))
    out, h = run(T=T, V=V, Vd=Vd), 1e-5
    before, after = (run(T=moved(T, V, t), V=V, Vd=Vd) for t in (-h, h))
    np.testing.assert_allclose(out["own"], V, atol=1e-15)
    np.testing.assert_allclose(out["G"] @ V[free], out["qd"], atol=1e-12)
    np.testing.assert_allclose((after["q"] - before["q"]) / (2 * h), out["qd"], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose((after["G"] - before["G"]) / (2 * h), out["Gd"], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(out["G"] @ Vd[free] + out["Gd"] @ V[free], out["qdd"], rtol=1e-9, atol=1e-9)
