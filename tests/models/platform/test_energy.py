"""Energy along free motions of platforms without friction, integrated by SciPy; the oracle computes the energy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

import symoro
from tests.oracle.cut_tree import Array, CutTree
from tests.oracle.platforms import FREEDOMS, LIBRARY, home, model, poses, robots

LEAST = 1e-3  # 1 / condition at which a motion ends


class Released:
    """Platform that moves under gravity and given torques, without friction."""

    def __init__(self, name: str) -> None:
        robot = symoro.load(name) if name in LIBRARY else robots()[name]
        for j in range(1, robot.NL + 1):
            robot = robot.with_frame(j, FV=0, FS=0)
        self.robot, self.closed = robot, CutTree(robot)
        self.direct = model(robot, "direct-dynamics")
        self.posture = model(robot, "inertia-matrix", q=True)
        self.inverse = model(robot, "jacobian-inverse")
        self.free = list(FREEDOMS.get(name, range(6)))
        self.home = home(robot) if name in LIBRARY else poses(name, robot, 1, 6)[0]
        self.tau = 0.3 * np.arange(1, len(self.closed.active) + 1)

    def pose(self, y: Array) -> Array:
        T = np.eye(4)
        T[:3, 3], T[:3, :3] = y[:3], y[3:12].reshape(3, 3)
        return T

    def slope(self, t: float, y: Array) -> Array:
        T, V = self.pose(y), y[12:18]
        x, y_, z = V[3:]
        spin = np.array([[0, -z, y_], [z, 0, -x], [-y_, x, 0]]) @ T[:3, :3]
        power = self.tau @ (self.inverse(T=T)["Jinv"] @ V)
        Vd = self.direct(T=T, V=V, tau=self.tau)["Vd"]
        return np.concatenate([V[:3], spin.ravel(), Vd, [power]])

    def condition(self, t: float, y: Array) -> float:
        rows = self.inverse(T=self.pose(y))["Jinv"][:, self.free]
        values = np.linalg.svd(rows, compute_uv=False)
        return float(values[-1] / values[0] - LEAST)

    def joints(self, y: Array) -> tuple[Array, Array]:
        """Return positions and rates of all joints."""
        T, V = self.pose(y), y[12:18]
        x = self.closed.opened(self.posture(T=T)["q"][None])
        qda = self.inverse(T=T)["Jinv"] @ V
        return x, (self.closed.basis(x)[0][0] @ qda)[None]

    def run(self, seconds: float) -> tuple[float, float]:
        """Return the largest relative energy error, and the largest residual of the loops."""
        start = np.concatenate([self.home[:3, 3], self.home[:3, :3].ravel(), np.zeros(7)])
        stop = self.condition
        stop.__func__.terminal = True  # type: ignore[attr-defined]
        result = integrate.solve_ivp(
            self.slope, (0, seconds), start, "DOP853", rtol=1e-12, atol=1e-12, events=stop, max_step=0.02
        )
        assert result.success and len(result.t) > 5
        picked = result.y[:, :: max(1, result.y.shape[1] // 40)].T
        energies, gaps = [], []
        for y in picked:
            x, xd = self.joints(y)
            energies.append(float(self.closed.energy(x, xd)[0]) - y[18])
            gaps.append(float(self.closed.gap(x)[0]))
        size = max(1.0, abs(energies[0]))
        return float(np.ptp(energies)) / size, max(gaps)


@pytest.mark.first(2)
@pytest.mark.parametrize("name", ["gough_stewart", "delta", "6-RUS", "3-RPS", "3-UPU"])
def test_energy_at_the_start_of_a_motion(name: str) -> None:
    change, gap = Released(name).run(0.15)
    assert change < 1e-8 and gap < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", LIBRARY)
def test_energy_over_ten_seconds_or_up_to_a_singularity(name: str) -> None:
    change, gap = Released(name).run(10)
    assert change < 1e-8 and gap < 1e-9
