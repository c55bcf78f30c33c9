"""A program as equations to be shown one by one: each as text and as LaTeX, with the part of the model it belongs to.

The lines are those of the readable listing and of the LaTeX document, side by side: both write the same statements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from symoro.emit import latex, text
from symoro.emit.code import Code, Instruction, KernelCall, code_of
from symoro.emit.layout import output_entries, remark
from symoro.program.program import Program

ONCE, CALL, OUTPUT = "once", "call", "output"


@dataclass(frozen=True)
class EquationLine:
    """One line.

    Attributes:
        phase: 'once' (on parameters alone), 'call' or 'output'.
        part: what it is a part of, as "link 3: velocities"; empty where nothing is said.
        name: its left side, as the text has it.
    """

    phase: str
    part: str
    name: str
    text: str
    latex: str


def equations(program: Program) -> list[EquationLine]:
    """The lines of a program, in order."""
    split = not program.expanded
    plain = code_of(program, text.DIALECT, split=split)
    symbols = replace(latex.DIALECT, symbol=latex.symbol_of, reserved=latex.entry_names(program))
    typeset = code_of(program, symbols, split=split)
    found = list(_steps(ONCE, plain, plain.setup, typeset.setup))
    found += _steps(CALL, plain, plain.call, typeset.call)
    return found + list(_outputs(plain, typeset))


def _steps(
    phase: str, code: Code, plain: Sequence[Instruction], typeset: Sequence[Instruction]
) -> Iterator[EquationLine]:
    part = ""
    for one, other in zip(plain, typeset, strict=True):
        for said in remark(code, one):
            part = said.removesuffix(":")
        if isinstance(one, KernelCall) and isinstance(other, KernelCall):
            yield from _kernel(phase, part, one, other)
        elif isinstance(one, tuple) and isinstance(other, tuple):
            yield _equation(phase, part, *one, *other)


def _kernel(phase: str, part: str, one: KernelCall, other: KernelCall) -> Iterator[EquationLine]:
    for (name, entries), (symbol, formulas) in zip(one.inputs, other.inputs, strict=True):
        for k, (entry, formula) in enumerate(zip(entries, formulas, strict=True), 1):
            yield _equation(phase, part, f"{name}[{k}]", entry, f"{{{symbol}}}_{{{k}}}", formula)
    arguments = (", ".join(name for name, _ in call.inputs) for call in (one, other))
    plain, typeset = arguments
    made = rf"\operatorname{{{other.kernel}}}({typeset})"
    yield _equation(phase, part, one.result, f"{one.kernel}({plain})", other.result, made)


def _outputs(plain: Code, typeset: Code) -> Iterator[EquationLine]:
    for (name, index, entry), (array, _, formula) in zip(
        output_entries(plain, 1), output_entries(typeset, 1), strict=True
    ):
        place = f"[{','.join(map(str, index))}]" if index else ""
        yield _equation(OUTPUT, "", name + place, entry, latex.entry_symbol(array, index), formula)


def _equation(phase: str, part: str, name: str, entry: str, symbol: str, formula: str) -> EquationLine:
    line = latex.broken(formula)
    body = f"{symbol} &= {line}"
    shown = rf"\begin{{aligned}} {body} \end{{aligned}}" if line != formula else f"{symbol} = {formula}"
    return EquationLine(phase, part, name, f"{name} = {entry}", shown)
