"""`power-identification`: the power of the drives as a linear function of the parameters.

    qd' tau = d(h K)/dt + p K

h are the energy functions (1997 paper, eq. 52), p is the power loss by friction: FV qd^2, FS |qd|, FO qd. h is zero in
the columns of friction and p in all others. Both depend on q and qd alone. In practice both sides are filtered by the
same low-pass filter F, and F' = s F gives the derivative (eq. 45, 46):

    F[qd' tau] = (F'[h] + F[p]) K

If accelerations are known (simulation, tests), the option `acceleration` also returns the exact dh = dh/dt = qd' W:

    qd' tau = (dh + p) K
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.expr.scalar import Scalar, absolute
from symoro.models.catalogue import Option
from symoro.models.coordinates.blocks import joint
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic.floating_base import ROTATION
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.structures import FIXED, FLOATING, WHEELED, tree_model
from symoro.models.dynamic.system import Inputs, System, system
from symoro.models.identification.column import (
    FRICTION_OPTION,
    PARAMETERS,
    POSTURE,
    SPRING_ENERGY,
    Column,
    at_posture,
    has_friction_columns,
    output_spring_energy,
    unloaded,
    with_parameters,
)
from symoro.models.identification.columns import columns, with_columns
from symoro.models.identification.dynamic_regressor import formulations, regressor
from symoro.models.identification.energy import energy_columns
from symoro.models.ports import P0, Q0, QD, QDA, QDD, QDDA, R0, V0, VD0, Q
from symoro.models.references import SYMORO_1997
from symoro.program.program import Port, Program
from symoro.robot.coordinates import PostureLike
from symoro.robot.description import INERTIAL, Robot

H = Port("h", "P", "energy functions h; zero for friction parameters")
LOSS = Port("p", "P", "power loss p by friction, in qd' tau = d(h K)/dt + p K; zero for inertial parameters")
ACCELERATION = Option("acceleration", "also return dh/dt; qdd is then an input", "flag", False)
DH = Port("dh", "P", "dh/dt (option acceleration)")


def is_stored(column: Column) -> bool:
    """Return whether the parameter of a column stores energy, as masses and springs do; friction does not."""
    return column.kind in (*INERTIAL, "IA", "k")


def lost(column: Column, qd: Mapping[int, Scalar]) -> Scalar:
    """Return the power loss per unit of a friction or offset parameter.

    Args:
        column: the parameter.
        qd: velocities by joint.
    """
    rate = qd[column.j]
    if column.kind == "FS":
        return absolute(rate)
    return rate * rate if column.kind == "FV" else rate


def energy_rates(s: System) -> dict[Column, Scalar]:
    """Return the time derivative of the energy per unit of each parameter, by column.

    With the velocities nu of the coordinates and the regressor W of the torques it equals nu' W.
    """
    rates: dict[Column, Scalar] = {}
    for (c, column), entry in regressor(s, formulations(s.layout.robot)[0]).items():
        rates[column] = rates.get(column, 0) + s.state.rates[c] * entry
    return rates


READ = Inputs(position=True)
WITH_ACCELERATIONS = Inputs(accelerations=True, all_accelerations=True, base_acceleration=True, position=True)
QDD_FOR_DH = Port("qdd", "n", "joint accelerations (option acceleration)")


@tree_model(
    "power-identification",
    menu="Identification",
    title="power identification model: the power of the drives as a linear function of the parameters",
    read=WITH_ACCELERATIONS,
    outputs=lambda structure: (H, LOSS, DH, *(() if structure.wheels else (SPRING_ENERGY,))),
    requirements=(has_friction_columns,),
    options=(PARAMETERS, FRICTION_OPTION, ACCELERATION, ROTATION, POSTURE),
    aliases=("pim", "power-regressor"),
    structures={
        FIXED: {
            "inputs": (Q, QD, QDD_FOR_DH),
            "applies": with_parameters(FIXED, at_rest=True),
            "applies_to": "serial, tree and closed-loop robots on a base at rest",
            "reference": SYMORO_1997.at(
                "section 6.3, eq. (47) to (54), differentiated; filters of section 6.2, eq. (45), (46)"
            ),
            "equations": r"\dot q^T \Gamma = \frac{d}{dt}(h K) + p K",
        },
        FLOATING: {
            "inputs": (Q, QD, QDD, V0, VD0, P0, R0, Q0),
            "applies": with_parameters(FLOATING),
            "reference": SYMORO_1997.at("section 6.3, eq. (47) to (54), differentiated, with link 0"),
            "equations": r"{}^0V_0^T f_0 + \dot q^T \Gamma = \frac{d}{dt}(h K) + p K",
        },
        WHEELED: {
            "inputs": (Q, QDA, QDDA),
            "applies": with_parameters(WHEELED),
            "reference": SYMORO_1997.at("section 6.3, eq. (47) to (54), differentiated, with link 0"),
            "equations": r"\dot q_a^T \Gamma = \frac{d}{dt}(h K) + p K",
        },
    },
)
def power_identification(
    robot: Robot,
    parameters: str = "standard",
    friction: str = "given",
    acceleration: bool = False,
    rotation: str = "matrix",
    posture: PostureLike | None = None,
) -> Program:
    """Return a program that computes h and p of the power balance qd' tau = d(h K)/dt + p K.

    K are the parameters. h contains the energy, p the power loss by friction, per unit of each parameter. The arguments
    are the options of the model.
    """
    robot = at_posture(robot, posture)
    read = WITH_ACCELERATIONS if acceleration else READ
    layout = Layout(unloaded(robot))
    s = system("power_identification", layout, quick(robot), read, rotation=rotation)
    qd = {j: s.state.rates[joint(j)] for j in s.tree.joints}
    chosen = columns(robot, parameters, friction)
    h = energy_columns(s)
    s.builder.output(H, [h[c] if is_stored(c) else 0 for c in chosen])
    s.builder.output(LOSS, [0 if is_stored(c) else lost(c, qd) for c in chosen])
    if acceleration:
        rates = energy_rates(s)
        s.builder.output(DH, [rates.get(c, 0) if is_stored(c) else 0 for c in chosen])
    output_spring_energy(s)
    return with_columns(s.builder.program(), chosen, robot, parameters)
