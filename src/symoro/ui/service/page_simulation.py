"""Simulate in a page without SciPy: the emitted JavaScript of a robot is integrated by the page.

    plan      initial state, layout of the state vector and JavaScript modules, from the arguments of `simulate`
    piece     samples of a running simulation, from the states that the page has computed since the last piece
    answer    the answer of `simulate`, from all states that the page has computed

The page integrates without events: Coulomb friction is the function sign(qd) of the model, and joint limits are
ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any

from symoro.errors import NotApplicableError
from symoro.files import file_name
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.ui.service.answer_types import Piece, SimulationAnswer
from symoro.ui.service.payload import item, robot_of
from symoro.ui.service.playback import Postures, number, numbers_of, row, stride
from symoro.ui.service.simulation import BasePlace, piece_of, placing, simulation_data, start_of

if TYPE_CHECKING:
    from symoro.program.program import Program
    from symoro.simulation.mechanics import Mechanics

METHOD = "dopri5"
"""Name of the integrator of the page: Dormand and Prince, order 5 with error estimate of order 4."""
HINT = "or run symoro on your machine: pip install symoro"


def plan(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page needs to integrate the motion of a robot.

    Raises:
        NotApplicableError: the simulation requires events or a control law, which the page does not have.
    """
    import numpy as np

    from symoro.models.kinematic.loop.closure import loop_closure
    from symoro.simulation.drives import Drives
    from symoro.simulation.options import SimulationOptions, check_times, sample_times

    if item(payload, "track", str, None) is not None:
        raise NotApplicableError(
            "computed-torque control is not available in this page", hint=f"choose constant torques, {HINT}"
        )
    if payload.get("stops") is not None:
        raise NotApplicableError(
            "joint stops are not available in this page", hint=f"ignore joint limits, {HINT}"
        )
    mechanics, _, _ = _prepared(payload)
    duration, step = number(payload, "duration", 5.0), number(payload, "step", 0.01)
    check_times(duration, step)
    times = sample_times(duration, step, None).tolist()
    posture = row(payload, "q")
    start = mechanics.start(
        {
            "q": [0.0] * len(independent(mechanics.robot)) if posture is None else posture,
            "qd": row(payload, "qd"),
            **start_of(payload),
        }
    )
    torques = Drives(mechanics, row(payload, "tau"), {}).torques(0.0, start)
    options = SimulationOptions()
    closing, wheels = None, None
    if mechanics.loops is not None:
        closing = _javascript(loop_closure(mechanics.robot))
    if mechanics.rolling:
        wheels = _javascript(mechanics.model("wheel-kinematics").program)
    return {
        "parts": {name: [part.start, part.stop] for name, part in mechanics.parts.items()},
        "start": start.tolist(),
        "units": mechanics.units.tolist(),
        "times": times,
        "every": stride(len(times)),
        "tau": torques.tolist(),
        "at": mechanics.at,
        "rtol": options.rtol,
        "atol": options.atol,
        "inputs": {name: np.ravel(array).tolist() for name, array in mechanics.inputs.items()},
        "values": {name: x for name, x in mechanics.values.items() if isfinite(x)},
        "dry_friction": _has_dry_friction(mechanics),
        "direct": _javascript(mechanics.model("direct-dynamics").program),
        "closing": closing,
        "wheels": wheels,
    }


def piece(payload: Mapping[str, Any]) -> Piece:
    """Return samples of a running simulation for the states in the request, which are those of `answer`."""
    import numpy as np

    mechanics, postures, place = _prepared(payload)
    torques = np.array(item(payload, "torques", list))
    states = zip(item(payload, "times", list), item(payload, "rows", list), strict=True)
    return piece_of([(mechanics.state(t, np.array(y)), torques) for t, y in states], postures, place)


def answer(payload: Mapping[str, Any]) -> SimulationAnswer:
    """Return the answer of `simulate` for the states in the request.

    The request contains the arguments of `simulate`, and `times`, `rows` (one state per time), `tau` and `why`.
    """
    import numpy as np

    from symoro.simulation.result import Simulation

    mechanics, postures, place = _prepared(payload)
    times = item(payload, "times", list)
    torques = [np.array(item(payload, "torques", list))] * len(times)
    rows = [np.array(y) for y in item(payload, "rows", list)]
    warnings = ["Coulomb friction is FS sign(qd), without stick-slip"] if _has_dry_friction(mechanics) else []
    result = Simulation.made(mechanics, times, rows, torques, [], item(payload, "why", str, ""), warnings)
    return simulation_data(result, postures, place)


def _prepared(payload: Mapping[str, Any]) -> tuple[Mechanics, Postures, BasePlace | None]:
    """Return the equations of motion of the robot in a request, and the functions that place it in the scene."""
    robot = robot_of(payload)
    return _prepared_for(robot, tuple({**dict(robot.nominal), **numbers_of(robot, payload)}.items()))


@lru_cache(maxsize=1)  # plan, pieces and answer of one simulation
def _prepared_for(
    robot: Robot, values: tuple[tuple[str, float], ...]
) -> tuple[Mechanics, Postures, BasePlace | None]:
    from symoro.simulation.mechanics import Mechanics

    mechanics = Mechanics(robot, dict(values), {})
    return mechanics, Postures(robot, mechanics.values), placing(robot, mechanics.values)


def _has_dry_friction(mechanics: Mechanics) -> bool:
    from symoro.simulation.friction_and_stop_rows import without_friction

    return bool(without_friction(mechanics.robot, mechanics.values)[1])


def _javascript(program: Program) -> str:
    """Return a program as a JavaScript module."""
    from symoro.emit.javascript import write

    name = file_name(program.name)
    return next(text for file, text in write(program, name=name).items() if file.endswith((".js", ".mjs")))
