"""Result type of the base parameters, and their exact computation by the general rule and null spaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from symoro.display import OneLineRepr
from symoro.expr.formula import ZERO, Formula, combine
from symoro.expr.scalar import Expr
from symoro.models.identification.base import report
from symoro.models.identification.base.exact.element import Element, ExactScalar
from symoro.models.identification.base.exact.field import Field
from symoro.models.identification.base.functions import FULL, Span
from symoro.models.identification.base.geometry import (
    ParameterKey,
    columns,
    field_of,
    moves,
    value,
    with_values,
)
from symoro.models.identification.base.regroup import Regrouping, gravity_span, ordered, regroup
from symoro.models.recursion import kinematic_tree
from symoro.robot.description import FRICTION, FURTHER_FRICTION, BaseKind, Robot


class Coefficient(Formula):
    """Coefficient of a relation between parameters, as the text of a formula.

    `float` converts it to a number if it has no symbols.
    """

    def __float__(self) -> float:
        number = self.number
        if number is None:
            raise TypeError(f"'{self.text}' depends on {', '.join(sorted(self.symbols))}")
        return number

    __hash__ = Formula.__hash__


@dataclass(frozen=True, repr=False)
class BaseParameters(OneLineRepr):
    """Base inertial parameters of a robot.

    Attributes:
        names: the base parameters, in the order of the regressor columns.
        no_effect: the parameters that do not affect any torque.
        relations: for each base parameter, the coefficients of the parameters regrouped with it, by name. The value of
            the base parameter is the standard parameter of this name plus the sum of coefficient times regrouped
            parameter.
        original: the robot with its standard parameters; round-off in its geometry is removed (see `notes`).
        method: description of the method by which the parameters of each link were computed.
        conditions: symbolic divisors of the coefficients; the result is valid where they are not zero.
        friction: friction parameters, which are not regrouped; each has a separate column.
        notes: remarks on changes of the geometry, assumptions and precision.
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
        """Make the relations read-only, because equal requests share one cached object."""
        fixed = {kept: MappingProxyType(dict(others)) for kept, others in self.relations.items()}
        object.__setattr__(self, "relations", MappingProxyType(fixed))

    def __reduce__(self) -> tuple[Any, ...]:
        """Return constructor and arguments for copying and pickling."""
        plain = {kept: dict(others) for kept, others in self.relations.items()}
        parts = [plain if part.name == "relations" else getattr(self, part.name) for part in fields(self)]
        return BaseParameters, tuple(parts)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def robot(self) -> Robot:
        """Robot with the regrouped parameters: base parameters have the regrouped values, other parameters are zero."""
        robot = self.original
        values: dict[ParameterKey, Formula] = {}
        for kept, others in self.relations.items():
            values[split(kept)] = _regrouped(robot, kept, others)
            values |= {split(name): ZERO for name in others}
        values |= {split(name): ZERO for name in self.no_effect}
        note = f"base parameters of {robot.name}: each kept parameter has the value of its combination"
        return replace(with_values(robot, values), notes=(*robot.notes, note))

    def report(self) -> str:
        """Return the base parameters and their relations as text, in the notation of the literature."""
        return report.report(self)

    def latex(self) -> str:
        """Return the relations of the base parameters as a LaTeX table."""
        return report.latex(self)

    def __str__(self) -> str:
        return self.report()


def split(name: str) -> ParameterKey:
    """Split the name of a parameter into link number and letters: (2, 'XX') for XX2."""
    letters = name.rstrip("0123456789")
    return int(name[len(letters) :]), letters


def written(column: ParameterKey) -> str:
    """Return the name of a parameter: XX2 for (2, 'XX')."""
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


def exact(
    tree: Robot, original: Robot, *, rotor: bool, notes: tuple[str, ...] = (), closure: str = ""
) -> BaseParameters:
    """Return the base parameters of a robot by exact algebra (the general regrouping rule, and null spaces).

    Args:
        tree: the robot with couplings of joints in place of its loops.
        original: the robot with its loops.
        rotor: whether rotor inertias are included.
        closure: text about the loops, for the description of the method.
        notes: remarks for the result.
    """
    geometry = field_of(tree)
    allowed = columns(original, rotor=rotor)
    root, base_words = _root(geometry, tree)
    regrouping = regroup(geometry, tree, root, allowed)
    words = [_how(tree, regrouping), base_words, closure]
    return assembled(
        original, allowed, geometry, regrouping, method="; ".join(w for w in words if w), notes=notes
    )


def _root(geometry: Field, robot: Robot) -> tuple[Span | None, str]:
    if robot.base.kind == BaseKind.FLOATING:
        return None, "floating base with link 0"
    if robot.base.kind == BaseKind.WHEELED:
        return (
            None,
            "wheeled base treated as a free base with link 0: rolling constraints may regroup further parameters",
        )
    if moves(robot):
        return FULL, "prescribed motion of the base, treated as arbitrary"
    return gravity_span(geometry, robot), ""


def _how(robot: Robot, regrouping: Regrouping) -> str:
    rest = sorted(kinematic_tree(robot).keys() - set(regrouping.early))
    words = []
    if regrouping.early:
        words.append(f"exact null space for {_links(regrouping.early)}")
    if rest:
        words.append(f"general rule for {_links(rest)}")
    return ", ".join(words)


def _links(numbers: Sequence[int]) -> str:
    """Return link numbers as text, with consecutive ones as a range, for example "links 1, 4 to 6"."""
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
    regrouping: Regrouping,
    *,
    method: str,
    notes: tuple[str, ...],
) -> BaseParameters:
    """Return the base parameters with coefficients as formulas.

    Args:
        allowed: the nonzero standard parameters.
        geometry: converter of exact numbers to formulas.
        regrouping: base parameters with exact coefficients.
        method: description of the method.
        notes: remarks for the result.
    """
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
    for kept, form in regrouping.kept.items():
        others = [column for column in ordered(robot, set(form)) if column != kept]
        relations[written(kept)] = {written(column): coefficient(form[column]) for column in others}
        used.update(form)
    idle = tuple(written(column) for column in ordered(robot, allowed - used))
    return BaseParameters(
        tuple(relations), idle, relations, robot, method, tuple(conditions), friction(robot), notes
    )


def friction(robot: Robot) -> tuple[str, ...]:
    """Return the names of the nonzero friction parameters and torque offsets of a robot."""
    return tuple(
        f"{name}{j}"
        for j, frame in enumerate(robot.frames[: robot.NL], 1)
        for name in (*FRICTION, *FURTHER_FRICTION)
        if frame.moving and not getattr(frame, name).is_zero
    )
