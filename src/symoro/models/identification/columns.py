"""Columns of the identification models: standard or base parameters, and their values.

Base parameters (1997 paper, section 6.4) use a subset of the standard columns, with other values:

    W K = W_b K_b,     K_b = K_kept + sum of coefficient K_other over the parameters regrouped with K_kept
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symoro.expr.formula import Formula
from symoro.models.identification.base.report import renamed
from symoro.models.identification.base.result import BaseParameters
from symoro.models.identification.column import (
    Column,
    all_inertial_columns,
    friction_columns,
    inertial_columns,
    stiffness_columns,
)
from symoro.program.program import Program
from symoro.robot.description import FRICTION, INERTIAL, Robot


def columns(robot: Robot, parameters: str = "standard", friction: str = "given") -> list[Column]:
    """Return the columns of an identification model, link by link: inertia, rotor inertia, friction, stiffness.

    Args:
        parameters: 'standard' or 'base'.
        friction: 'all', 'given' (only nonzero parameters) or 'none'.
    """
    inertial = base_columns(robot) if parameters == "base" else inertial_columns(robot)
    chosen = [*inertial, *friction_columns(robot, friction), *stiffness_columns(robot)]
    order = (*INERTIAL, "IA", *FRICTION, "k")
    return sorted(chosen, key=lambda column: (column.j, order.index(column.kind)))


def base_columns(robot: Robot) -> list[Column]:
    """Return the columns of the base parameters.

    The list may contain a parameter that is zero in the robot description, if other parameters are regrouped with it.
    """
    kept = set(regressor_base(robot).names)
    return [column for column in all_inertial_columns(robot) if column.name in kept]


def regressor_base(robot: Robot) -> BaseParameters:
    """Return the base parameters, including rotor inertias of passive joints that affect the torques."""
    from symoro.models.identification.base.parameters import (
        base_parameters,  # imported here because it is slow and loads NumPy
    )

    if robot.wheels:  # every rotor inertia has a column already; more active joints are not possible
        return base_parameters(robot)
    frames = tuple(frame if frame.IA.is_zero else replace(frame, mu=True) for frame in robot.frames)
    return base_parameters(replace(robot, frames=frames))


def with_columns(program: Program, chosen: Sequence[Column], robot: Robot, parameters: str) -> Program:
    """Return the program with the names of its regressor columns, and with remarks on base parameters.

    Args:
        chosen: the columns of the regressor, in order.
        parameters: 'standard' or 'base'; remarks are added for 'base'.
    """
    notes = _base_notes(robot) if parameters == "base" else ()
    header = (*program.header, *(("remark", note) for note in notes))
    return replace(program, columns=tuple(column.name for column in chosen), header=header)


def _base_notes(robot: Robot) -> tuple[str, ...]:
    """Return remarks on the names of base parameters and on how they were computed."""
    base = regressor_base(robot)
    sums = [kept for kept, others in base.relations.items() if others]
    if not sums:
        return base.notes
    return (
        *base.notes,
        f"a column has the name of the parameter that is kept: {sums[0]} is the column of the base parameter "
        f"{renamed(sums[0])}, a sum of parameters (base-parameters gives the sums)",
    )


def parameter_values(robot: Robot, names: Sequence[str], parameters: str = "standard") -> list[Formula]:
    """Return the parameter values for the columns of a regressor, the vector K of tau = W K.

    Args:
        names: names of the columns.
        parameters: 'standard' or 'base'.
    """
    known = {
        column.name: column
        for column in (
            *all_inertial_columns(robot),
            *friction_columns(robot, "all"),
            *stiffness_columns(robot),
        )
    }
    owner = regressor_base(robot).robot if parameters == "base" else robot
    return [known[name].value(owner) for name in names]
