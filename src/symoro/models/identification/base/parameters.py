"""`base_parameters`, and the model `base-parameters`: the fewest parameters from which all torques follow.

The torques are linear in the standard inertial parameters, but some have no effect and some act only together. A
base set is a largest set whose functions in the energy are linearly independent modulo constants; every other
parameter then counts as a multiple of them (a *relation*). How they are found is told in `regroup` (trees, exact),
`loops` (closed loops that are linear), `branch` (states of the others), `wheels` (rolling robots) and `fit` (columns
of numbers).

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
    rotors_apart,
    value,
    without_round_off,
)
from symoro.models.identification.base.result import BaseParameters as BaseParameters
from symoro.models.identification.base.result import exact
from symoro.models.identification.base.result import split as split
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
    """The base inertial parameters of a robot.

    Arguments:
        method: 'auto' (exact, but verified numeric relations on wheels, and for closed loops that have no linear
            closure), 'exact' (on wheels the relations of the tree on a free base, which may not be the fewest), or
            'numeric' (random states, at the robot's nominal values).
        rotor: whether rotor inertias IA of motorised joints count; if not they stay apart, as friction does.
        posture: of closed loops, joint positions near the assembly mode: the name of one of the robot's postures, one
            value per joint, or {joint: value}; the posture 'home' unless given.

    Raises:
        OptionError: there is no such method, or the posture does not fit the robot.
        NotApplicableError: method='exact' and a closed loop without a linear closure; or the loops cannot be closed.
        ProgramError: the numbers do not tell which parameters depend on others.
        MissingDependencyError: the geometry has symbols or oblique angles, and SymPy is absent.
    """
    if method not in METHODS:
        raise OptionError(f"method: expected one of {', '.join(METHODS)}, got {method!r}")
    near = None if posture is None else tuple(posture_by_joint(robot, posture).items())
    return _cached_parameters(robot, method, rotor, near)


@lru_cache(maxsize=64)
def _cached_parameters(
    robot: Robot, method: str, rotor: bool, near: tuple[tuple[int, float], ...] | None
) -> BaseParameters:
    """Return the same from hashable arguments, because several models require the result for one robot."""
    rounded, notes = without_round_off(robot)
    notes += rotors_apart(rounded) if rotor else ()
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
            f"the closed loops of robot '{robot.name}' have no linear closure: no exact relations",
            hint="method='auto' gives verified numeric relations on one assembly branch",
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
        Option("method", "exact algebra, or random states at nominal values", "choice", "auto", METHODS),
        Option("rotor", "count the rotor inertias", "flag", True),
        POSTURE,
    ),
    reference=MINIMUM_PARAMETERS_1988.at(
        "section 7.2, eq. (20) to (22); Khalil and Creusot, 1997, section 6.4"
    ),
    equations=r"K_{R,i} = K_i + \sum_k \beta_{ik} K_k",
)
def base_program(
    robot: Robot, method: str = "auto", rotor: bool = True, posture: PostureLike | None = None
) -> Program:
    """The base parameters as a program: it depends on parameters alone."""
    parameters = base_parameters(robot, method=method, rotor=rotor, posture=posture)
    if not parameters.names:
        raise NotApplicableError(f"robot '{robot.name}' has no inertial parameter that is not zero")
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
