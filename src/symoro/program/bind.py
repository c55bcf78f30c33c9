"""Substitution of numbers for the parameters of a program."""

from __future__ import annotations

from collections.abc import Mapping

from symoro.expr import ops
from symoro.program.passes.rebuild import Rebuild
from symoro.program.program import Program


class _Bind(Rebuild):
    """Copier of a program into a new graph that replaces parameters by numbers."""

    def __init__(self, program: Program, values: Mapping[str, float]) -> None:
        super().__init__(program)
        self._values = values

    def leaf(self, i: int) -> None:
        if self.old.op[i] == ops.SYMBOL and self.old.cls[i] == ops.PARAMETER:
            self.map[i] = self.new.number(self._values[self.old.args[i][0]])
        else:
            super().leaf(i)


def bind(program: Program, values: Mapping[str, float]) -> Program:
    """Return the program with all parameters replaced by numbers and the constants simplified.

    Args:
        values: parameter -> number, for each parameter that the program uses.
    """
    rebuild = _Bind(program, values)
    rebuild.copy_all(program.nodes)
    return rebuild.finish()
