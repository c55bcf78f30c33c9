"""`base_parameters`, and the model `base-parameters`: the fewest parameters from which all torques follow.

The torques are linear in the standard inertial parameters, but some have no effect and some act only together. A
base set is a largest set whose functions in the energy are linearly independent modulo constants; every other
parameter then counts as a multiple of them (a *relation*). How they are found is told in `regroup` (trees, exact),
`loops` (closed loops that are linear), `branch` (states of the others) and `fit` (columns of numbers).

M. Gautier, W. Khalil, "A direct determination of minimum inertial parameters of robots", ICRA 1988,
sections 5 to 8. W. Khalil, D. Creusot, "SYMORO+", Robotica 15, 1997, section 6.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

from symoro.errors import NotApplicableError, OptionError
from symoro.expr.formula import ZERO, Formula, combine
from symoro.expr.scalar import Expr
from symoro.models.catalogue import Option, model
from symoro.models.identification.base import report
from symoro.models.identification.base.exact.element import Element, ExactScalar
from symoro.models.identification.base.exact.field import Field
from symoro.models.identification.base.functions import FULL, Span
from symoro.models.identification.base.geometry import (
    ParameterKey,
    columns,
    field_of,
    moves,
    rotors_apart,
    tidied,
    value,
    with_values,
)
from symoro.models.identification.base.regroup import Regrouping, gravity_span, ordered, regroup
from symoro.models.identification.columns import POSTURE
from symoro.models.recursion import skeleton
from symoro.models.references import MINIMUM_PARAMETERS_1988
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.coordinates import PostureLike, posture_by_joint
from symoro.robot.description import BaseKind, Robot

K = Port("K", "P", "base parameters, named by the columns")

METHODS = ("auto", "exact", "numeric")


class Coefficient(Formula):
    """A coefficient of a relation: a formula that `float` takes when it has no symbols."""

    def __float__(self) -> float:
        number = self.number
        if number is None:
            raise TypeError(f"'{self.text}' depends on {', '.join(sorted(self.symbols))}")
        return number

    __hash__ = Formula.__hash__


@dataclass(frozen=True)
class BaseParameters:
    """A base set of inertial parameters.

    Attributes:
        names: the kept parameters, in the order of the columns.
        no_effect: the parameters that no torque depends on.
        relations: kept -> {other: coefficient}: kept stands for itself plus the others times their coefficients.
        original: the robot that they are of (without round-off in its geometry, see `notes`).
        method: how each part was found.
        conditions: what must not be zero for the relations to hold, where symbols are divided by.
        friction: friction parameters, which stay as they are, each a column of its own.
        notes: what else a reader should know.
    """

    names: tuple[str, ...]
    no_effect: tuple[str, ...]
    relations: Mapping[str, Mapping[str, Coefficient]]
    original: Robot
    method: str
    conditions: tuple[str, ...] = ()
    friction: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Relations that cannot be written to: who asks for the same robot gets the same object."""
        fixed = {kept: MappingProxyType(dict(others)) for kept, others in self.relations.items()}
        object.__setattr__(self, "relations", MappingProxyType(fixed))

    def __reduce__(self) -> tuple[Any, ...]:
        """For copies and for other processes."""
        plain = {kept: dict(others) for kept, others in self.relations.items()}
        parts = [plain if part.name == "relations" else getattr(self, part.name) for part in fields(self)]
        return BaseParameters, tuple(parts)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def robot(self) -> Robot:
        """The regrouped robot: kept parameters hold what they stand for, the others are zero."""
        robot = self.original
        values: dict[ParameterKey, Formula] = {}
        for kept, others in self.relations.items():
            values[split(kept)] = _regrouped(robot, kept, others)
            values |= {split(name): ZERO for name in others}
        values |= {split(name): ZERO for name in self.no_effect}
        note = f"base parameters of {robot.name}: each kept parameter holds what it stands for"
        return replace(with_values(robot, values), notes=(*robot.notes, note))

    def report(self) -> str:
        """The relations as the papers print them."""
        return report.report(self)

    def latex(self) -> str:
        """The same as a LaTeX table."""
        return report.latex(self)

    def __str__(self) -> str:
        return self.report()


def split(name: str) -> ParameterKey:
    """A parameter's name as (link, letters)."""
    letters = name.rstrip("0123456789")
    return int(name[len(letters) :]), letters


def written(column: ParameterKey) -> str:
    """The name of a column."""
    return f"{column[1]}{column[0]}"


def _regrouped(robot: Robot, kept: str, others: Mapping[str, Coefficient]) -> Formula:
    arguments: list[Formula] = [value(robot, split(kept))]
    for name, c in others.items():
        arguments += [c, value(robot, split(name))]
    return combine(_weighted, *arguments)


def _weighted(own: Expr, *pairs: Expr) -> Expr:
    for c, x in zip(pairs[::2], pairs[1::2], strict=True):
        own = own + c * x
    return own


def base_parameters(
    robot: Robot,
    *,
    method: str = "auto",
    rotor: bool = True,
    posture: PostureLike | None = None,
) -> BaseParameters:
    """The base inertial parameters of a robot.

    Arguments:
        method: 'auto' (exact, but verified numeric relations for closed loops that have no linear closure),
            'exact', or 'numeric' (random states, at the robot's nominal values).
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
    return _found(robot, method, rotor, near)


@lru_cache(maxsize=64)
def _found(
    robot: Robot, method: str, rotor: bool, near: tuple[tuple[int, float], ...] | None
) -> BaseParameters:
    """Return the same from hashable arguments, because several models require the result for one robot."""
    tidy, notes = tidied(robot)
    notes += rotors_apart(tidy) if rotor else ()
    if method != "numeric" and not tidy.B:
        return exact(tidy, tidy, rotor=rotor, notes=notes)
    from symoro.models.identification.base.compare import numeric_base_parameters
    from symoro.models.identification.base.loops import closures, proved
    from symoro.models.identification.base.modes import other_modes

    known = closures(tidy, dict(near) if near else None)
    closed = proved(tidy, known) if method != "numeric" else None
    if closed is not None:
        found = exact(closed.robot, tidy, rotor=rotor, notes=notes, closure=closed.words)
    elif method != "exact":
        found = numeric_base_parameters(tidy, rotor=rotor, linear=known, notes=notes)
    else:
        raise NotApplicableError(
            f"the closed loops of robot '{robot.name}' have no linear closure: no exact relations",
            hint="method='auto' gives verified numeric relations on one assembly branch",
        )
    return found if known.posture else replace(found, notes=(*found.notes, *other_modes(found, known)))


def exact(
    tree: Robot, original: Robot, *, rotor: bool, notes: tuple[str, ...] = (), closure: str = ""
) -> BaseParameters:
    """By the general rule and the exact null space.

    Arguments:
        tree: the robot with its loops cut and closed by joints that follow others.
    """
    geometry = field_of(tree)
    allowed = columns(original, rotor=rotor)
    root, base_words = _root(geometry, tree)
    found = regroup(geometry, tree, root, allowed)
    words = [_how(tree, found), base_words, closure]
    return assembled(original, allowed, geometry, found, method="; ".join(w for w in words if w), notes=notes)


def _root(geometry: Field, robot: Robot) -> tuple[Span | None, str]:
    if robot.base.kind == BaseKind.FLOATING:
        return None, "floating base with link 0"
    if robot.base.kind == BaseKind.WHEELED:
        return None, "wheeled base taken as free in space, with link 0: its wheels may hide some parameters"
    if moves(robot):
        return FULL, "base that moves as prescribed, taken as any motion"
    return gravity_span(geometry, robot), ""


def _how(robot: Robot, found: Regrouping) -> str:
    rest = sorted(skeleton(robot).keys() - set(found.early))
    words = []
    if found.early:
        words.append(f"exact null space for {_links(found.early)}")
    if rest:
        words.append(f"general rule for {_links(rest)}")
    return ", ".join(words)


def _links(numbers: Sequence[int]) -> str:
    """Link numbers, runs of them as 4 to 6."""
    runs: list[list[int]] = []
    for j in sorted(numbers):
        if runs and runs[-1][-1] == j - 1:
            runs[-1].append(j)
        else:
            runs.append([j])
    parts = [str(r[0]) if len(r) == 1 else f"{r[0]} to {r[-1]}" for r in runs]
    return ("link " if len(numbers) == 1 else "links ") + ", ".join(parts)


def assembled(
    robot: Robot,
    allowed: set[ParameterKey],
    geometry: Field,
    found: Regrouping,
    *,
    method: str,
    notes: tuple[str, ...],
) -> BaseParameters:
    """The result, its exact numbers written as formulas."""
    made: dict[ExactScalar, Coefficient] = {}
    conditions: dict[str, None] = {}

    def coefficient(x: ExactScalar) -> Coefficient:
        if x not in made:
            made[x] = Coefficient(geometry.formula(x).text)
            if isinstance(x, Element) and x.den != x.ring.one:
                conditions.setdefault(geometry.denominator(x).text)
        return made[x]

    relations = {}
    used: set[ParameterKey] = set()
    for kept, form in found.kept.items():
        others = [column for column in ordered(robot, set(form)) if column != kept]
        relations[written(kept)] = {written(column): coefficient(form[column]) for column in others}
        used.update(form)
    idle = tuple(written(column) for column in ordered(robot, allowed - used))
    return BaseParameters(
        tuple(relations), idle, relations, robot, method, tuple(conditions), friction(robot), notes
    )


def friction(robot: Robot) -> tuple[str, ...]:
    """Names of the friction parameters and offsets that are not zero."""
    return tuple(
        f"{name}{j}"
        for j, frame in enumerate(robot.frames[: robot.NL], 1)
        for name in ("FV", "FS", "FO")
        if frame.moving and not getattr(frame, name).is_zero
    )


@model(
    "base-parameters",
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
    found = base_parameters(robot, method=method, rotor=rotor, posture=posture)
    if not found.names:
        raise NotApplicableError(f"robot '{robot.name}' has no inertial parameter that is not zero")
    builder = Builder(f"{robot.name}_base_parameters")
    entries = []
    for kept, others in found.relations.items():
        total: Expr = builder.formula(value(found.original, split(kept)))
        for sign, text, names in report.grouped(others):
            parts = [builder.formula(value(found.original, split(name))) for name in names]
            together = parts[0]
            for part in parts[1:]:
                together = together + part
            total = total + sign * builder.formula(Formula(text)) * together
        entries.append(builder.named(report.renamed(kept), total))
    builder.output(K, entries, "base parameters: " + ", ".join(found.names))
    header = tuple(("remark", note) for note in found.notes)
    return replace(builder.program(), columns=found.names, choices=(found.method,), header=header)
