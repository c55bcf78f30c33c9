"""The robot's nominal values as columns of a regressor: base parameters and friction."""

from __future__ import annotations

from symoro.expr.formula import Formula
from symoro.models.identification.base.geometry import value
from symoro.models.identification.base.parameters import BaseParameters, split

FRICTION = ("FV", "FS", "FO")


def nominal_columns(base: BaseParameters) -> dict[str, float] | None:
    """Nominal base parameters and friction by name; None where a base parameter has no number.

    Friction that the robot does not tell is left out.
    """
    robot = base.original
    known = dict(robot.nominal)

    def has_number(formula: Formula) -> bool:
        return all(name in known for name in formula.symbols)

    found = {}
    for kept, others in base.relations.items():
        held = {name: value(robot, split(name)) for name in (kept, *others)}
        if not all(map(has_number, (*held.values(), *others.values()))):
            return None
        numbers = {name: formula.value(known) for name, formula in held.items()}
        found[kept] = numbers[kept] + sum(numbers[name] * c.value(known) for name, c in others.items())
    for j, frame in enumerate(robot.frames, 1):
        terms = {f"{kind}{j}": getattr(frame, kind) for kind in FRICTION}
        found |= {name: formula.value(known) for name, formula in terms.items() if has_number(formula)}
    return found
