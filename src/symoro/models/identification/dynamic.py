"""`dynamic-identification`: the torques as a linear function of the parameters, tau = W K (1997 paper, eq. 39)."""

from __future__ import annotations

from symoro.models.dynamic.floating_base import ROTATION
from symoro.models.dynamic.models import has_motors
from symoro.models.dynamic.structures import ACTUATORS, FIXED, FLOATING, WHEELED, tree_model
from symoro.models.identification.column import (
    FRICTION_OPTION,
    PARAMETERS,
    POSTURE,
    SPRING_TORQUES,
    at_posture,
    has_friction_columns,
    with_parameters,
)
from symoro.models.identification.columns import columns, with_columns
from symoro.models.identification.dynamic_regressor import ALL, formulations, regressor_program, w_port
from symoro.models.references import SYMORO_1997
from symoro.program.count import count
from symoro.program.program import Program
from symoro.robot.coordinates import PostureLike
from symoro.robot.description import Robot


@tree_model(
    "dynamic-identification",
    menu="Identification",
    title="dynamic identification model: the torques as a linear function of the parameters",
    read=ALL,
    outputs=lambda structure: (w_port(structure), *(() if structure.wheels else (SPRING_TORQUES,))),
    options=(PARAMETERS, FRICTION_OPTION, ROTATION, POSTURE, ACTUATORS),
    aliases=("dim", "regressor", "dynamic-regressor"),
    requirements=(has_motors, has_friction_columns),
    structures={
        FIXED: {
            "applies": with_parameters(FIXED),
            "reference": SYMORO_1997.at("section 6.1, eq. (39)"),
            "equations": r"\Gamma = W(q, \dot q, \ddot q)\,K",
        },
        FLOATING: {
            "applies": with_parameters(FLOATING),
            "reference": SYMORO_1997.at("section 6.1, eq. (39), with link 0"),
            "equations": r"(f_0; \Gamma) = W(q, \dot q, \ddot q, {}^0V_0, {}^0\dot V_0, R_0)\,K",
        },
        WHEELED: {
            "applies": with_parameters(WHEELED),
            "reference": SYMORO_1997.at("section 6.1, eq. (39), with link 0 and rolling constraints"),
            "equations": r"\Gamma = G^T W(q, \dot q, \ddot q, {}^0V_0, {}^0\dot V_0)\,K",
        },
    },
)
def dynamic_identification(
    robot: Robot,
    parameters: str = "standard",
    friction: str = "given",
    rotation: str = "matrix",
    posture: PostureLike | None = None,
    actuators: str | None = None,
) -> Program:
    """Return a program that computes the regressor W of tau = W K, where K are the inertial and friction parameters.

    W has one row per independent coordinate and one column per parameter. The arguments are the options of the model.
    """
    robot = at_posture(robot, posture)
    chosen = columns(robot, parameters, friction)
    programs = [regressor_program(robot, f, chosen, rotation, actuators) for f in formulations(robot)]
    best = min(programs, key=lambda program: count(program).total)
    return with_columns(best, chosen, robot, parameters)
