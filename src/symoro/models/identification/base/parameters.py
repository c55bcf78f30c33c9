"""`base_parameters`, and the model `base-parameters`: the smallest set of parameters that determines all torques.

The torques are linear in the standard inertial parameters, but some have no effect and some act only in combination. A
base set is a largest set of parameters whose energy functions are linearly independent modulo constants. Each of the
other parameters is added to parameters of the base set, multiplied by constant coefficients (a *relation*). The
algorithms are in `regroup` (trees, exact), `loops` (closed loops with a linear closure), `compare` (sampled states of
other loops), `wheels` (wheeled robots) and `fit` (numeric columns).

M. Gautier, W. Khalil, "A direct determination of minimum inertial parameters of robots", ICRA 1988,
sections 5 to 8. W. Khalil, D. Creusot, "SYMORO+", Robotica 15, 1997, section 6.4.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from symoro.errors import NotApplicableError, OptionError
from symoro.expr.formula import Formula
from symoro.expr.scalar import Expr
from symoro.models.catalogue import POSTURE, Option, model
from symoro.models.identification.base import report
from symoro.models.identification.base.geometry import (
    passive_rotor_notes,
    value,
    without_round_off,
)
from symoro.models.identification.base.result import BaseParameters as BaseParameters
from symoro.models.identification.base.result import exact
from symoro.models.identification.base.result import split as split
from symoro.models.identification.column import without_coupled_motors
from symoro.models.references import MINIMUM_PARAMETERS_1988
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.coordinates import PostureLike, posture_by_joint
from symoro.robot.description import Robot

K = Port("K", "P", "base parameters, named by the columns")

METHODS = ("auto", "exact", "numeric")


def base_parameters(
    robot: Robot,
    *,
    method: str = "auto",
    rotor: bool = True,
    posture: PostureLike | None = None,
) -> BaseParameters:
    """Return the base inertial parameters of a robot.

    Args:
        robot: the robot; parameters that are zero in its description are not considered.
        method: 'auto' (exact; numeric and verified for wheels and for closed loops without a linear closure), 'exact'
            (for wheels the relations of the tree on a free base, which may not be minimal), or 'numeric' (random
            states, at the robot's nominal values).
        rotor: whether rotor inertias IA of actuated joints are regrouped; if false, each rotor inertia stays a separate
            parameter, like friction.
        posture: for closed loops, joint positions near the assembly mode: the name of one of the robot's postures, one
            value per joint (rad or m), or {joint: value}; by default the posture 'home'.

    Returns:
        The base parameters, the relations between them and the standard parameters, and the regrouped robot.

    Raises:
        OptionError: there is no such method, or the posture does not fit the robot.
        NotApplicableError: method='exact' and a closed loop has no linear closure, or the loops cannot be closed,
            or motors turn with several joints.
        ProgramError: there is no gap between dependent and independent parameters.
        MissingDependencyError: the geometry has symbols or oblique angles, and SymPy is not installed.
    """
    if method not in METHODS:
        raise OptionError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")
    reason = without_coupled_motors(robot, {})
    if reason:
        raise NotApplicableError(f"the base parameters of robot '{robot.name}' are not available: {reason}")
    near = None if posture is None else tuple(posture_by_joint(robot, posture).items())
    return _cached_parameters(robot, method, rotor, near)


@lru_cache(maxsize=64)
def _cached_parameters(
    robot: Robot, method: str, rotor: bool, near: tuple[tuple[int, float], ...] | None
) -> BaseParameters:
    """Compute the base parameters from hashable arguments; the results are cached, because several models need them.

    Args:
        method, rotor: see `base_parameters`.
        near: joint positions near the assembly mode, as pairs (joint, position).
    """
    rounded, notes = without_round_off(robot)
    notes += passive_rotor_notes(rounded) if rotor else ()
    if rounded.wheels and method != "exact":
        from symoro.models.identification.base.wheels import wheeled_base_parameters

        return wheeled_base_parameters(
            rounded, rotor=rotor, posture=dict(near) if near else None, notes=notes
        )
    if method != "numeric" and not rounded.B:
        return exact(rounded, rounded, rotor=rotor, notes=notes)
    from symoro.models.identification.base.compare import numeric_base_parameters
    from symoro.models.identification.base.loops import closures, proved
    from symoro.models.identification.base.modes import other_modes

    known = closures(rounded, dict(near) if near else None)
    closed = proved(rounded, known) if method != "numeric" else None
    if closed is not None:
        result = exact(closed.robot, rounded, rotor=rotor, notes=notes, closure=closed.words)
    elif method != "exact":
        result = numeric_base_parameters(rounded, rotor=rotor, linear=known, notes=notes)
    else:
        raise NotApplicableError(
            f"the closed loops of robot '{robot.name}' have no linear closure, so that there are no exact relations",
            hint="use method='auto', which returns verified numeric relations on one assembly branch",
        )
    return result if known.posture else replace(result, notes=(*result.notes, *other_modes(result, known)))


@model(
    "base-parameters",
    aliases=("minimal-parameters", "identifiable-parameters"),
    menu="Identification",
    title="base inertial parameters from the standard ones",
    inputs=(),
    outputs=(K,),
    options=(
        Option(
            "method",
            "exact: symbolic algebra; numeric: random states at nominal values; auto: exact if possible",
            "choice",
            "auto",
            METHODS,
        ),
        Option("rotor", "include the rotor inertias", "flag", True),
        POSTURE,
    ),
    requirements=(without_coupled_motors,),
    reference=MINIMUM_PARAMETERS_1988.at(
        "section 7.2, eq. (20) to (22); Khalil and Creusot, 1997, section 6.4"
    ),
    equations=r"K_{R,i} = K_i + \sum_k \beta_{ik} K_k",
)
def base_program(
    robot: Robot, method: str = "auto", rotor: bool = True, posture: PostureLike | None = None
) -> Program:
    """Return a program that computes the values of the base parameters from those of the standard parameters.

    The arguments are those of `base_parameters`.
    """
    parameters = base_parameters(robot, method=method, rotor=rotor, posture=posture)
    if not parameters.names:
        raise NotApplicableError(f"robot '{robot.name}' has no nonzero inertial parameter")
    builder = Builder(f"{robot.name}_base_parameters")
    entries = []
    for kept, others in parameters.relations.items():
        total: Expr = builder.formula(value(parameters.original, split(kept)))
        for sign, text, names in report.grouped(others):
            parts = [builder.formula(value(parameters.original, split(name))) for name in names]
            together = parts[0]
            for part in parts[1:]:
                together = together + part
            total = total + sign * builder.formula(Formula(text)) * together
        entries.append(builder.named(report.renamed(kept), total))
    builder.output(K, entries, "base parameters: " + ", ".join(parameters.names))
    header = tuple(("remark", note) for note in parameters.notes)
    return replace(builder.program(), columns=parameters.names, choices=(parameters.method,), header=header)
