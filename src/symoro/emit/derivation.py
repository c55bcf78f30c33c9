"""Derivation of a symbolic solution as text or LaTeX, one string per step (stage) of the derivation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from symoro.emit import latex, text
from symoro.emit.dialect import Dialect
from symoro.emit.render import Renderer
from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.scalar import Expr
from symoro.program.program import RELATIONS, Sentence, Stage

Written = Callable[[Expr], str]


def as_text(stages: Sequence[Stage]) -> list[str]:
    """Return each step of a derivation as plain text: its title and indented lines."""
    written = _canonical(_writer(stages, text.DIALECT))
    return [
        "\n   ".join([f"{number}. {stage.title}", *(_text(s, written) for s in stage.sentences)])
        for number, stage in enumerate(stages, 1)
    ]


def as_latex(stages: Sequence[Stage]) -> list[str]:
    """Return each step of a derivation as a LaTeX paragraph with equations in the align environment."""
    written = _writer(stages, replace(latex.DIALECT, symbol=latex.symbol_of))
    return [
        latex.aligned(
            rf"\paragraph{{{number}. {latex.escaped(stage.title)}}}",
            [_latex(sentence, written) for sentence in stage.sentences],
        )
        for number, stage in enumerate(stages, 1)
    ]


def _text(sentence: Sentence, written: Written) -> str:
    parts = []
    for part in sentence:
        if isinstance(part, Expr):
            parts.append(written(part))
        else:
            parts.append(f" {part} " if part in RELATIONS else part)
    return "".join(parts)


def _latex(sentence: Sentence, written: Written) -> str:
    """Return a sentence as a line of a LaTeX align environment, aligned at its relation sign or first word.

    Args:
        written: returns the LaTeX text of an expression.
    """
    aligned = not isinstance(sentence[0], Expr)
    parts = ["&"] if aligned else []
    for part in sentence:
        if isinstance(part, Expr):
            parts.append(latex.broken(written(part)) if aligned else written(part))
        elif part in RELATIONS:
            parts.append(f" {'' if aligned else '&'}{part} ")
            aligned = True
        else:
            before, after = " " * part.startswith(" "), " " * part.endswith(" ")
            parts.append(rf"\text{{{before}{latex.escaped(part)}{after}}}")
    return "".join(parts)


def _canonical(written: Written) -> Written:
    """Return a function that writes expressions as canonical text, with like terms collected.

    It uses `written` for an expression that has no canonical text.
    """

    def of(expr: Expr) -> str:
        try:
            return str(expr)
        except ProgramError:
            return written(expr)

    return of


def _writer(stages: Sequence[Stage], dialect: Dialect) -> Written:
    """Return a function that writes the expressions of a derivation as texts in one language."""
    exprs = [part for stage in stages for s in stage.sentences for part in s if isinstance(part, Expr)]
    if not exprs:
        return str
    graph = exprs[0].graph
    nodes = graph.reachable([expr.lit for expr in exprs])
    renderer = Renderer(graph, dialect)
    renderer.constants([i for i in nodes if graph.cls[i] == ops.CONSTANT])
    symbol = dialect.symbol
    for i in nodes:
        if graph.op[i] == ops.SYMBOL:
            renderer.leaf(i, symbol(graph.args[i][0]))
        elif graph.op[i] == ops.KERNEL:
            index, entry = graph.args[i]
            renderer.leaf(i, dialect.element.format(graph.calls[index].kernel, entry + dialect.base))
        elif graph.cls[i] != ops.CONSTANT:
            renderer.expression(i)
    return lambda expr: renderer.signed(expr.lit)
