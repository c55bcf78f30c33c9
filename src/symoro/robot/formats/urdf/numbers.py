"""The formulas of a robot as numbers, with the symbols that have none collected for one message."""

from __future__ import annotations

import math
from collections.abc import Sequence

from symoro.errors import FormatError, ProgramError
from symoro.expr.formula import Formula
from symoro.robot.description import INERTIAL, Link, Robot


class NominalNumbers:
    """Values of formulas at the robot's nominal values.

    Attributes:
        lost: what had no value and could be left out.
    """

    def __init__(self, robot: Robot, lossy: bool) -> None:
        self.lost: list[str] = []
        self._robot, self._lossy = robot, lossy
        self._nominal = dict(robot.nominal)
        self._missing: dict[str, None] = {}

    def value(self, formula: Formula, without: str | None = None) -> float:
        """The value; zero, and a name to tell, when it has none.

        Arguments:
            without: what is left out with this formula when the caller accepts a loss.
        """
        if formula.is_zero:
            return 0.0
        unknown = sorted(formula.symbols - self._nominal.keys())
        if not unknown:
            return self._evaluated(formula)
        if without and self._lossy:
            self._lose(without)
        else:
            self._missing |= dict.fromkeys(unknown)
        return 0.0

    def several(self, formulas: Sequence[Formula], what: str) -> tuple[float, ...] | None:
        """Values that a URDF need not have; None when one is unknown."""
        if any(f.symbols - self._nominal.keys() for f in formulas):
            self._lose(f"{what} (no value)")
            return None
        return tuple(self.value(f) for f in formulas)

    def inertia(self, link: Link) -> dict[str, float]:
        """The ten inertial parameters of a link; none of them when one is unknown and a loss is accepted."""
        formulas = {name: getattr(link, name) for name in INERTIAL}
        if self._lossy and any(f.symbols - self._nominal.keys() for f in formulas.values()):
            self._lose("inertial parameters without a value")
            return {}
        return {name: self.value(f) for name, f in formulas.items()}

    def check(self) -> None:
        """Raise what is missing, if anything is."""
        if self._missing:
            names = list(self._missing)
            shown = ", ".join(names[:30]) + (f" and {len(names) - 30} more" if len(names) > 30 else "")
            first = names[0]
            raise FormatError(
                f"a URDF holds numbers, and robot '{self._robot.name}' has symbols without a value: {shown}",
                hint=f"give them values first: robot.bind({{'{first}': 0.5, ...}}); lossy=True leaves out "
                "inertias and friction without values",
            )

    def _lose(self, what: str) -> None:
        if what not in self.lost:
            self.lost.append(what)

    def _evaluated(self, formula: Formula) -> float:
        try:
            value = formula.value(self._nominal)
        except (ProgramError, ArithmeticError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise FormatError(
                f"'{formula}' has no finite value at the nominal values of robot '{self._robot.name}'",
                hint="change the nominal values",
            )
        return value
