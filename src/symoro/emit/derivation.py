"""Derivation of a symbolic solution as text, LaTeX or Markdown, one string per step (stage) of the derivation."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from symoro.emit import latex, text
from symoro.emit.dialect import Dialect
from symoro.emit.render import Renderer
from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.scalar import Expr
from symoro.files import MADE_BY
from symoro.notation import component
from symoro.program.program import RELATIONS, Notation, Rows, Sentence, Stage

Written = Callable[[Expr], str]
_NUMBERED = re.compile(r"\\qquad \(([^&\\]*)\)$")  # the number of an equation in its publication


@dataclass(frozen=True)
class Derivation:
    """A derivation with matrices, as text, LaTeX or Markdown.

    Attributes:
        title: one line.
        stages: the steps in order.
    """

    title: str
    stages: tuple[Stage, ...]

    @cached_property
    def equations(self) -> dict[str, str]:
        """Return the scalar equations in order: {name: expression}, in the syntax of symoro's expressions."""
        written = _writer(self.stages, text.DIALECT)
        equations: dict[str, str] = {}
        for stage in self.stages:
            for sentence in stage.sentences:
                if len(sentence) == 3 and sentence[1] == "=":
                    name, _, value = sentence
                    if isinstance(name, Expr) and isinstance(value, Expr):
                        equations[written(name)] = written(value)
        return equations

    def text(self) -> str:
        """Return the derivation as plain text."""
        written = _writer(self.stages, text.DIALECT)
        return "\n\n".join([self.title, *_numbered(self.stages, written)]) + "\n"

    def latex(self, *, fragment: bool = False) -> str:
        """Return the derivation in LaTeX (amsmath).

        Args:
            fragment: write the equations only, not a complete document.
        """
        body = "\n".join(as_latex(self.stages))
        if fragment:
            return body
        return (
            f"% {MADE_BY}\n\\documentclass{{article}}\n\\usepackage{{amsmath}}\n\\allowdisplaybreaks\n"
            f"\\begin{{document}}\n\n\\section*{{{latex.escaped(self.title)}}}\n\n{body}\n\\end{{document}}\n"
        )

    def markdown(self) -> str:
        """Return the derivation in Markdown, with formulas between dollar signs."""
        written = _latex_writer(self.stages)
        parts = [f"# {self.title}", f"<!--\n{MADE_BY}\n-->"]
        for number, stage in enumerate(self.stages, 1):
            lines = " \\\\\n".join(_latex(sentence, written) for sentence in stage.sentences)
            parts += [
                f"## {number}. {stage.title}",
                f"$$\n\\begin{{aligned}}\n{lines}\n\\end{{aligned}}\n$$",
            ]
        return "\n\n".join(parts) + "\n"

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        return self.markdown()


def as_text(stages: Sequence[Stage]) -> list[str]:
    """Return each step of a derivation as plain text: its title and indented lines."""
    return _numbered(stages, _canonical(_writer(stages, text.DIALECT)))


def as_latex(stages: Sequence[Stage]) -> list[str]:
    """Return each step of a derivation as a LaTeX paragraph with equations in the align environment."""
    written = _latex_writer(stages)
    return [
        latex.aligned(
            rf"\paragraph{{{number}. {latex.escaped(stage.title)}}}",
            [_NUMBERED.sub(r"\\tag{\1}", _latex(sentence, written)) for sentence in stage.sentences],
        )
        for number, stage in enumerate(stages, 1)
    ]


def _latex_writer(stages: Sequence[Stage]) -> Written:
    return _writer(
        stages, replace(latex.DIALECT, symbol=lambda name: component(name) or latex.symbol_of(name))
    )


def _numbered(stages: Sequence[Stage], written: Written) -> list[str]:
    return [
        "\n   ".join([f"{number}. {stage.title}", *(_text(s, written) for s in stage.sentences)])
        for number, stage in enumerate(stages, 1)
    ]


def _text(sentence: Sentence, written: Written) -> str:
    """Return a sentence as text; if it contains matrices, its other parts are on the middle line."""
    blocks = []
    for part in sentence:
        if isinstance(part, Expr):
            blocks.append([written(part)])
        elif isinstance(part, Rows):
            blocks.append(_matrix_lines(part, written))
        elif isinstance(part, Notation):
            blocks.append([part.text])
        else:
            blocks.append([f" {part} " if part in RELATIONS else part])
    height = max(map(len, blocks))
    lines = [""] * height
    for block in blocks:
        above = (height - len(block)) // 2
        width = max(map(len, block))
        padded = [""] * above + block + [""] * (height - above - len(block))
        lines = [line + piece.ljust(width) for line, piece in zip(lines, padded, strict=True)]
    return "\n   ".join(line.rstrip() if height > 1 else line for line in lines)


def _matrix_lines(matrix: Rows, written: Written) -> list[str]:
    cells = [[written(x) for x in row] for row in matrix.entries]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "[" + "  ".join(cell.center(width) for cell, width in zip(row, widths, strict=True)) + "]"
        for row in cells
    ]


def _latex(sentence: Sentence, written: Written) -> str:
    """Return a sentence as a line of a LaTeX align environment, aligned at its relation sign or first word.

    Args:
        written: returns the LaTeX text of an expression.
    """
    aligned = isinstance(sentence[0], str)
    parts = ["&"] if aligned else []
    width, sign, depth = 0.0, None, 0  # of the line, its last sign outside parentheses, open parentheses
    since = 0.0  # width since that sign
    for part in sentence:
        if isinstance(part, Expr):
            text = latex.readable(written(part))
            since += latex.printed_width(text)
            parts.append(latex.broken(text) if aligned else text)
        elif isinstance(part, Rows):
            cells = [[latex.readable(written(x)) for x in row] for row in part.entries]
            body = r" \\ ".join(map(" & ".join, cells))
            parts.append(rf"\begin{{bmatrix}} {body} \end{{bmatrix}}")
            columns = [max(map(latex.printed_width, column)) for column in zip(*cells, strict=True)]
            since += sum(columns) + latex.BETWEEN_COLUMNS * (len(columns) + 1)
            if width + since > latex.WIDEST and sign is not None:
                parts[sign] = " \\\\\n    &\\quad + "
                width, sign = 0.0, None
        elif isinstance(part, Notation):
            depth += part.latex.count(r"\left") - part.latex.count(r"\right")
            if part.latex == " + " and depth == 0:
                width, since, sign = width + since, 0.0, len(parts)
            since += latex.printed_width(part.latex)
            parts.append(part.latex)
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
    parts = [part for stage in stages for sentence in stage.sentences for part in sentence]
    exprs = [part for part in parts if isinstance(part, Expr)]
    exprs += [x for part in parts if isinstance(part, Rows) for row in part.entries for x in row]
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
