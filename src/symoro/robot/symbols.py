"""Symbols of a description: list them, replace them by numbers, or replace numbers by symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from symoro.errors import ExpressionError, OptionError, UnknownNameError
from symoro.expr.formula import Formula, FormulaLike, formula
from symoro.robot.records import DRIVE, INERTIAL, BaseKind, CoupledMotor, Coupling

if TYPE_CHECKING:
    from symoro.robot.description import Robot

T = TypeVar("T")


def each_formula(robot: Robot, change: Callable[[Formula], Formula]) -> Robot:
    """Return the robot with every formula f of its description replaced by change(f)."""
    changed: Robot = _rebuilt(robot, change)
    return changed


def _rebuilt(item: Any, change: Callable[[Formula], Formula]) -> Any:
    if isinstance(item, Formula):
        return change(item)
    if isinstance(item, Coupling):
        terms = tuple((i, change(ratio)) for i, ratio in item.terms)
        return Coupling(terms, change(item.offset))
    if isinstance(item, CoupledMotor):
        ratios = tuple((i, change(ratio)) for i, ratio in item.turns_with)
        return CoupledMotor(item.joint, ratios, change(item.IAM), change(item.FVM), change(item.FSM))
    if isinstance(item, tuple):
        return tuple(_rebuilt(x, change) for x in item)
    if hasattr(item, "__dataclass_fields__"):
        return replace(item, **{f.name: _rebuilt(getattr(item, f.name), change) for f in fields(item)})
    return item


def symbols(robot: Robot) -> tuple[str, ...]:
    """Return the names of all symbols of a robot, in the order of the description."""
    names: dict[str, None] = {}

    def note(f: Formula) -> Formula:
        for name in sorted(f.symbols):
            names.setdefault(name)
        return f

    _rebuilt(robot, note)
    return tuple(names)


def bind(robot: Robot, values: Mapping[str, FormulaLike]) -> Robot:
    """Return the robot with symbols replaced by numbers, expressions or other symbols.

    A symbol that is replaced by a new symbol is renamed and keeps its nominal value.

    Raises:
        UnknownNameError: a name is not a symbol of the robot.
    """
    known = symbols(robot)
    replacement = {}
    for name, value in values.items():
        if name not in known:
            raise UnknownNameError(f"symbol of robot '{robot.name}'", name, known)
        try:
            replacement[name] = formula(value)
        except ExpressionError as error:
            raise OptionError(f"value of '{name}': {error.message}") from None
    bound = each_formula(robot, lambda f: f.substitute(replacement))
    renamed = {
        name: value.text for name, value in replacement.items() if value.symbols == {value.text} - set(known)
    }
    kept = {
        renamed.get(name, name): number
        for name, number in robot.nominal
        if name in renamed or name not in values
    }
    return replace(bound, nominal=tuple(kept.items()))


def zero_inertial_parameters(robot: Robot) -> list[str]:
    """Return the names of the inertial parameters that are zero in the description, for example XY2."""
    given, every = (
        symbolic(robot, inertia=which, geometry=False, friction=False, gravity=False)
        for which in (True, "all")
    )
    known = set(symbols(given))
    return [name for name in symbols(every) if name not in known]


def symbolic(
    robot: Robot, *, inertia: bool | Literal["all"], geometry: bool, friction: bool, gravity: bool
) -> Robot:
    """Return the robot with numbers replaced by SYMORO's symbols (XX1, D3, RL4, G3).

    The numbers become nominal values of the symbols. Zeros remain zero, except with inertia='all': then zeros of links,
    and of rotors of actuated joints, become symbols too.

    Args:
        robot: the robot.
        inertia: whether to replace the inertial parameters, or 'all'.
        geometry, friction, gravity: whether to replace the geometric parameters, the friction and rotor parameters, the
            gravity.

    Raises:
        OptionError: inertia is neither a truth value nor 'all'.
    """
    if inertia not in (True, False, "all"):
        raise OptionError(f"inertia: expected True, False or 'all', got {inertia!r}")
    nominal = dict(robot.nominal)
    used = set(symbols(robot))

    def symbol_for(value: Formula, name: str, zeros: bool = False) -> Formula:
        number = value.number
        if number is None or (number == 0 and not zeros):
            return value
        while name in used:
            name += "_"
        used.add(name)
        nominal[name] = number
        return Formula(name)

    def with_symbols(item: T, names: Mapping[str, str], number: int, zeros: bool = False) -> T:
        changes = {f: symbol_for(getattr(item, f), f"{s}{number}", zeros) for f, s in names.items()}
        return replace(item, **changes)  # type: ignore[type-var]

    frames, links, base = list(robot.frames), list(robot.links), robot.base
    motors = list(robot.motors)
    if geometry:
        lengths = {"b": "B", "d": "D", "r": "RL"}
        frames = [with_symbols(f, lengths, j) for j, f in enumerate(frames, 1)]
    if friction:
        drive = {name: name for name in DRIVE if name != "IA"}
        frames = [with_symbols(f, drive, j) for j, f in enumerate(frames, 1)]
        motors = [with_symbols(m, {"FVM": "FVM", "FSM": "FSM"}, m.joint) for m in motors]
    if inertia:
        names, every = {name: name for name in INERTIAL}, inertia == "all"
        driven = [every and f.mu and f.moving and j <= robot.NL for j, f in enumerate(frames, 1)]
        frames = [with_symbols(f, {"IA": "IA"}, j, driven[j - 1]) for j, f in enumerate(frames, 1)]
        motors = [with_symbols(m, {"IAM": "IAM"}, m.joint) for m in motors]
        links = [with_symbols(link, names, j, every) for j, link in enumerate(links, 1)]
        base = replace(base, link=with_symbols(base.link, names, 0, every and base.kind != BaseKind.FIXED))
    if gravity:
        x, y, z = (symbol_for(g, f"G{i}") for i, g in enumerate(base.G, 1))
        base = replace(base, G=(x, y, z))
    return replace(
        robot,
        frames=tuple(frames),
        links=tuple(links),
        base=base,
        motors=tuple(motors),
        nominal=tuple(sorted(nominal.items())),
    )
