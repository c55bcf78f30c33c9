"""Where a simulation starts: loops are closed before anything else is asked for, and wrenches are values of symbols."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotClosedError
from symoro.robot.formats import loads
from symoro.ui.service import call
from symoro.ui.service.defaults import default_values

SR400 = symoro.load("sr400")
RANDOM = np.random.default_rng(3).uniform(-1, 1, (12, 8))


def closed_error(q: np.ndarray) -> float:
    """The distance of a posture of the SR400 from its parallelogram: q3 = q7 - q2 - pi/2, q8 = q2 - q7."""
    away = np.array([q[2] - q[6] + q[1] + np.pi / 2, q[7] - q[1] + q[6]])
    return float(np.abs(np.angle(np.exp(1j * away))).max())


def test_active_joints_alone_close_a_parallelogram() -> None:
    values = default_values(SR400)
    active = [0, 1, 3, 4, 5, 6]
    for row in RANDOM[:3]:
        simulation = symoro.simulate(SR400, 0.01, q=row[active], values=values)
        assert closed_error(simulation.q[0]) < 1e-12
        assert simulation.q[0][active] == pytest.approx(row[active], abs=0)


MODES = """symoro: 1
name: x
frames: [{{link: {{M: 1, ZZ: 0.1}}}}, {{ant: 1, d: 0.2, active: false, link: {{M: 2, MX: 0.3, ZZ: 0.2}}}},
  {{ant: 0, d: 0.55, active: false, link: {{M: 1, ZZ: 0.1}}}}]
loops: [{{open: {{ant: 2, d: 0.5}}, close: {{ant: 3, d: {rocker}}}}}]
base: {{gravity: [0, -9.81, 0]}}
postures: {{home: [0.8, {coupler}, {follower}]}}
"""


@pytest.mark.parametrize("side", [1, -1])
def test_active_joints_alone_are_closed_in_the_assembly_mode_of_home(side: int) -> None:
    """The coupler is on the same side of the line from crank to rocker pivot at home and at the start."""

    def posture(q1: float) -> list[float]:
        way = 0.55 - 0.2 * np.exp(1j * q1)
        inner = np.arccos((0.25 + abs(way) ** 2 - 0.45**2) / abs(way))
        coupler = float(np.angle(way)) + side * inner
        return [q1, coupler - q1, float(np.angle(0.5 * np.exp(1j * coupler) - way))]

    _, coupler, follower = posture(0.8)
    robot = loads(MODES.format(rocker=0.45, coupler=coupler, follower=follower), "yaml")
    for q1 in (0.8, 0.9, -1.5, 2.5):
        start = symoro.simulate(robot, 0.001, q=[q1]).q[0]
        assert np.exp(1j * start) == pytest.approx(np.exp(1j * np.array(posture(q1))), abs=1e-9)


def test_open_loops_are_reported_before_parameters_without_a_value() -> None:
    """Newton's method closes an open posture, or ends in the crossed parallelogram, which the models do not have."""
    reports = []
    for row in RANDOM:
        with pytest.raises(ArgumentError) as error:
            symoro.simulate(SR400, 0.01, q=row)
        reports.append(error.type)
        if error.type is NotClosedError:
            assert "the loops are not closed in the initial posture" in error.value.message
            assert "active joints" in (error.value.hint or "")
        else:
            assert "requires values for 93 parameter(s)" in error.value.message
    assert reports.count(NotClosedError) >= 3 and len(set(reports)) == 2
    with pytest.raises(ArgumentError, match=r"expected \(8,\), or \(6,\) for the active joints"):
        symoro.simulate(SR400, 0.01, q=[0.0] * 5)


def test_wrenches_are_the_values_of_their_symbols() -> None:
    values = {**default_values(symoro.load("eel")), "FX1": -2.0, "CZ12": 0.1}
    wrench = np.zeros((13, 6))
    wrench[1, 0], wrench[12, 5] = -2.0, 0.1
    q = [0.1] * 12
    by_values = symoro.simulate("eel", 0.02, q=q, values=values)
    for given in (wrench, wrench.ravel()):
        assert (
            symoro.simulate("eel", 0.02, q=q, options=symoro.SimulationOptions(inputs={"wrench": given})).q
            == by_values.q
        ).all()
    assert (
        np.abs(
            by_values.q
            - symoro.simulate(
                "eel", 0.02, q=q, options=symoro.SimulationOptions(inputs={"wrench": 0 * wrench})
            ).q
        ).max()
        > 1e-5
    )
    with pytest.raises(
        ArgumentError, match=r"input 'wrench' .* is missing.*\n.*\(13, 6\), or values of its symbols"
    ):
        symoro.simulate("eel", 0.02, q=q, values={"FX1": 1.0})
    with pytest.raises(ArgumentError, match=r"'wrench' has shape \(12,\), expected \(13, 6\)"):
        symoro.simulate("eel", 0.02, q=q, options=symoro.SimulationOptions(inputs={"wrench": np.zeros(12)}))


def test_the_page_simulates_a_robot_with_wrenches() -> None:
    view = call("robot_open", {"id": "eel"})
    answer = call("simulate", {"robot": view["robot"], "duration": 0.02, "values": view["values"]})
    assert "error" not in answer and answer["finished"]
