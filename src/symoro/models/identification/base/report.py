"""Report of base parameters: the relations as printed in the papers, as text and in LaTeX.

    XXR2 = XX2 - YY2 - D3^2*(M3 + M4 + M5 + M6)

Parameters with the same coefficient share one bracket. A parameter with which no other parameter is grouped keeps its
name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from symoro.expr.formula import Formula
from symoro.notation import latex as notation_latex

if TYPE_CHECKING:
    from symoro.models.identification.base.result import BaseParameters

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\^|\*|.")
_FUNCTIONS = ("cos", "sin", "tan", "pi")


def grouped(others: Mapping[str, Formula]) -> list[tuple[int, str, list[str]]]:
    """Group the terms of a relation by coefficient.

    Args:
        others: coefficients of the regrouped parameters, by name.

    Returns:
        Tuples (sign, coefficient without its sign, names of the parameters), in the order of first occurrence.
    """
    groups: dict[tuple[int, str], list[str]] = {}
    for name, c in others.items():
        negative = c.text.startswith("-")
        sign, text = (-1, (-c).text) if negative else (1, c.text)
        groups.setdefault((sign, text), []).append(name)
    return [(sign, text, names) for (sign, text), names in groups.items()]


def renamed(name: str) -> str:
    """Return the name of a regrouped parameter, for example XXR2 for XX2."""
    letters = name.rstrip("0123456789")
    return f"{letters}R{name[len(letters) :]}"


def relation(kept: str, others: Mapping[str, Formula]) -> str:
    """Return a relation as one line, for example XXR2 = XX2 - YY2 - D3^2*(M3 + M4).

    Args:
        kept: name of the base parameter.
        others: coefficients of the parameters that are grouped with it.
    """
    if not others:
        return kept
    parts = [kept]
    for sign, text, names in grouped(others):
        mark = "-" if sign < 0 else "+"
        if text == "1":
            parts += [f"{mark} {name}" for name in names]
            continue
        factor = f"({text})" if " " in text else text
        inner = names[0] if len(names) == 1 else f"({' + '.join(names)})"
        parts.append(f"{mark} {factor}*{inner}")
    return f"{renamed(kept)} = {' '.join(parts)}"


def report(parameters: BaseParameters) -> str:
    """Return the base parameters and their relations as text."""
    lines = [
        f"{parameters.original.name}: {len(parameters.names)} base parameters",
        f"method: {parameters.method}",
    ]
    lines += [f"note: {note}" for note in parameters.notes]
    if parameters.conditions:
        lines.append("valid if none of these is zero: " + ", ".join(parameters.conditions))
    lines += ["", *("  " + relation(kept, others) for kept, others in parameters.relations.items())]
    if parameters.no_effect:
        lines += ["", "no effect: " + ", ".join(parameters.no_effect)]
    if parameters.friction:
        lines += ["", "apart: " + ", ".join(parameters.friction)]
    return "\n".join(lines) + "\n"


def latex(parameters: BaseParameters) -> str:
    """Return the relations of base parameters as a LaTeX table, which a document can include."""
    rows = [
        rf"  ${latex_regrouped(kept) if others else latex_name(kept)}$ & ${_right_side(kept, others)}$ \\"
        for kept, others in parameters.relations.items()
    ]
    idle = ", ".join(f"${latex_name(name)}$" for name in parameters.no_effect)
    head = [
        f"% base parameters of {parameters.original.name}: {parameters.method}",
        r"\begin{tabular}{ll}",
        r"  \hline",
        r"  parameter & combination \\",
        r"  \hline",
    ]
    tail = [r"  \hline", r"\end{tabular}"]
    if idle:
        tail.append(rf"\par No effect: {idle}.")
    return "\n".join([*head, *rows, *tail]) + "\n"


def latex_relation(kept: str, others: Mapping[str, Formula]) -> str:
    """Return a relation in LaTeX, for example \\mathit{ZZR}_{1} = \\mathit{ZZ}_{1} + D_{2}^{2}\\,M_{2}.

    Args:
        kept: name of the base parameter.
        others: coefficients of the parameters that are grouped with it.
    """
    text = f"{latex_regrouped(kept)} = {_right_side(kept, others)}" if others else latex_name(kept)
    return re.sub(r"\b([A-Z]{2,})_", r"\\mathit{\1}_", text)


def latex_name(name: str) -> str:
    """Return the name of a parameter in LaTeX, for example XX_{2}."""
    return rf"I_{{a,{name[2:]}}}" if re.fullmatch(r"IA\d+", name) else notation_latex(name)


def latex_regrouped(name: str) -> str:
    """Return the LaTeX name of a regrouped parameter, for example XXR_{2}."""
    letters = name.rstrip("0123456789")
    number = name[len(letters) :]
    return rf"I_{{aR,{number}}}" if letters == "IA" else rf"{letters}R_{{{number}}}"


def _right_side(kept: str, others: Mapping[str, Formula]) -> str:
    parts = [latex_name(kept)]
    for sign, text, names in grouped(others):
        mark = "-" if sign < 0 else "+"
        symbols = [latex_name(name) for name in names]
        if text == "1":
            parts += [f"{mark} {symbol}" for symbol in symbols]
            continue
        factor = f"({latex_formula(text)})" if " " in text else latex_formula(text)
        inner = symbols[0] if len(symbols) == 1 else f"({' + '.join(symbols)})"
        parts.append(rf"{mark} {factor}\,{inner}")
    return " ".join(parts)


def latex_formula(text: str) -> str:
    """Convert the text of a formula to LaTeX."""
    out: list[str] = []
    roots: list[int] = []  # bracket depths at which roots end
    depth = 0
    tokens = _TOKEN.findall(text)
    k = 0
    while k < len(tokens):
        token = tokens[k]
        if token == "sqrt":
            out.append(r"\sqrt{")
            roots.append(depth)
            depth += 1
            k += 1  # its bracket
        elif token == ")" and roots and roots[-1] == depth - 1:
            out.append("}")
            roots.pop()
            depth -= 1
        elif token == "^":
            out.append(f"^{{{tokens[k + 1]}}}")
            k += 1
        elif token == "*":
            out.append(r"\,")
        elif token in _FUNCTIONS:
            out.append(rf"\{token} " if token == "pi" else rf"\{token}")
        elif re.match(r"[A-Za-z_]", token):
            out.append(latex_name(token))
        else:
            depth += {"(": 1, ")": -1}.get(token, 0)
            out.append(token)
        k += 1
    return "".join(out)
