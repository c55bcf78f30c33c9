"""Conversion of parameters to an input of a program, so that they can vary from call to call and be differentiated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symoro.errors import OptionError, UnknownNameError
from symoro.expr import ops
from symoro.program.passes.rebuild import Rebuild, compact
from symoro.program.passes.schedule import schedule
from symoro.program.program import Input, Program

NAME = "p"


def with_parameter_input(program: Program, names: Sequence[str]) -> Program:
    """Return the program with the additional input `p`, which replaces the named parameters.

    Operations that depend on these parameters are then computed at every call and not in the setup.

    Args:
        names: parameters in the order of the entries of `p`.

    Raises:
        UnknownNameError: the program has no such parameter.
        OptionError: a name is given twice, or the program has an input `p`.
    """
    for name in names:
        if name not in program.used_parameters:
            raise UnknownNameError(f"parameter of {program.name}", name, program.used_parameters)
    if len(set(names)) < len(names):
        raise OptionError(f"a parameter is given twice: {', '.join(names)}")
    if NAME in [port.name for port in program.inputs]:
        raise OptionError(f"{program.name} has an input '{NAME}' already")
    rebuild = _Promote(program, frozenset(names))
    rebuild.copy_all(program.nodes)
    port = Input(NAME, (len(names),), tuple(names), f"the parameters {', '.join(names)}")
    parameters = tuple(name for name in program.parameters if name not in names)
    promoted = rebuild.finish()
    return schedule(compact(replace(promoted, inputs=(*program.inputs, port), parameters=parameters)))


class _Promote(Rebuild):
    def __init__(self, program: Program, names: frozenset[str]) -> None:
        super().__init__(program)
        self._names = names

    def leaf(self, i: int) -> None:
        name = self.old.args[i][0] if self.old.op[i] == ops.SYMBOL else None
        if name in self._names and self.old.cls[i] == ops.PARAMETER:
            self.map[i] = self.new.symbol(name)
        else:
            super().leaf(i)
