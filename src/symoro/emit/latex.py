r"""LaTeX: NAME.tex, a document (or, with `fragment`, its equations) in amsmath's align.

    C_{2} &= \cos(q_{2})

The option `symbol` is a function from names to LaTeX. By default a trailing number is the index, the stem has the
symbol of the notation (qd2 is \dot q_{2}), and names of Greek letters become those letters. Parentheses are plain, so
that lines can break in them; around fractions and cases they are as tall as their content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from symoro.emit.code import Code, Instruction, KernelCall, code_of
from symoro.emit.dialect import Dialect, Files, Language
from symoro.emit.header import clean, commented, header_lines
from symoro.emit.keywords import words
from symoro.emit.layout import indices, remark
from symoro.expr import ops
from symoro.expr.graph import Number
from symoro.notation import indexed
from symoro.program.program import Program

_GREEK = words(
    """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi
    omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega
    """
)
_SPECIAL = {c: f"\\{c}" for c in "#$%&_{}"} | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}
_NAME = re.compile(r"([A-Za-z]+?)_?(\d\w*)?")
_DERIVATIVE = re.compile(
    r"(\w+)_(bar|dot)(?:_?(\d\w*))?"
)  # names of `program.derivative`: adjoints and tangents
_ANOTHER = re.compile(r"(\w*[^_])__([2-9])")  # suffix of a name whose symbol is used by another name


def _number(value: Number) -> str:
    if isinstance(value, Fraction):
        return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
    if isinstance(value, int):
        return str(value)
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits
    return (rf"{digits} \cdot " if digits != "1" else "") + f"10^{{{int(exponent)}}}"


def _cases(condition: str) -> str:
    return (
        rf"\left(\begin{{{{cases}}}} 1 & {condition} \\ 0 & \text{{{{otherwise}}}} \end{{{{cases}}}}\right)"
    )


_TRUE = {ops.LESS: "{0} < {1}", ops.LESS_EQUAL: r"{0} \leq {1}", ops.EQUAL: "{0} = {1}"}
DIALECT = Dialect(
    comment="{0}:",
    functions={
        ops.SQRT: r"\sqrt{{{0}}}",
        ops.SIN: r"\sin({0})",
        ops.COS: r"\cos({0})",
        ops.TAN: r"\tan({0})",
        ops.ASIN: r"\arcsin({0})",
        ops.ACOS: r"\arccos({0})",
        ops.ATAN2: r"\operatorname{{atan2}}({0}, {1})",
        ops.EXP: r"\exp({0})",
        ops.ABS: r"\lvert {0} \rvert",
        ops.SIGN: r"\operatorname{{sign}}({0})",
        ops.MIN: r"\min({0}, {1})",
        ops.MAX: r"\max({0}, {1})",
        **{op: _cases(text) for op, text in _TRUE.items()},
        ops.SELECT: r"\left(\begin{{cases}} {1} & {0} \\ {2} & \text{{otherwise}} \end{{cases}}\right)",
    },
    conditions=_TRUE,
    truth=r"{0} \neq 0",
    number=_number,
    exact=True,
    pi=r"\pi",
    times=r" \, ",
    divide=r"\frac{{{0}}}{{{1}}}",
    square="{0}^{{2}}",
    element="{{{0}}}_{{{1}}}",
    base=1,
    longest=1000,
    listing=True,
)


def symbol_of(name: str) -> str:
    r"""Return the LaTeX symbol of a name: q_{2} for q2, \dot q_{2} for qd2, \alpha_{1} for alpha1, C_{2,3} for C2_3.

    The endings _bar and _dot mark derivatives: \overline{\tau_{1}} for tau_bar1, \delta q_{1} for q1_dot.

    The ending __2 marks a name whose symbol would equal that of another name; it becomes a prime: M_{3}' for M3__2.
    """
    if another := _ANOTHER.fullmatch(name):
        return symbol_of(another[1]) + "'" * (int(another[2]) - 1)
    if derivative := _DERIVATIVE.fullmatch(name):
        stem, kind, index = derivative.groups()
        variable = symbol_of(stem if index is None else f"{stem}_{index}")
        return rf"\overline{{{variable}}}" if kind == "bar" else rf"\delta {variable}"
    match = _NAME.fullmatch(name)
    if match is None:
        return rf"\mathit{{{name.replace('_', chr(92) + '_')}}}"
    stem, index = match.groups()
    index = None if index is None else index.strip("_").replace("_", ",")
    known = indexed(stem, index or "")
    if known is not None:
        return known
    letters = rf"\{stem}" if stem in _GREEK else stem if len(stem) == 1 else rf"\mathit{{{stem}}}"
    return letters if index is None else f"{letters}_{{{index}}}"


def write(
    program: Program,
    *,
    name: str | None = None,
    symbol: Callable[[str], str] = symbol_of,
    fragment: bool = False,
) -> Files:
    """Return {"NAME.tex": text} with the equations of a program.

    Args:
        symbol: function that returns the LaTeX symbol of a name.
        fragment: write the equations only, not a complete document.
    """
    dialect = replace(DIALECT, symbol=symbol, reserved=entry_names(program))
    code = code_of(program, dialect, name=name, split=not program.expanded)
    equations = _equations(code, symbol)
    if fragment:
        return {f"{code.arrays.base}.tex": equations}
    title = program.title or program.name
    text = (
        commented(header_lines(code, functions=False), "%")
        + "\\documentclass{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\begin{document}\n\n"
        + f"\\section*{{{escaped(title)}}}\n\n{equations}\n\\end{{document}}\n"
    )
    return {f"{code.arrays.base}.tex": text}


def entry_names(program: Program) -> frozenset[str]:
    """Return the names whose LaTeX symbols would equal that of an output entry, such as T12 for T_{1,2}.

    A variable that is the entry may have its symbol, and inputs keep theirs: the velocity of joint 4, qd4, can be the
    entry 3 of an output qd. Scalar outputs are not entries: they have the names of outputs.
    """
    inputs = {symbol for port in program.inputs for symbol in port.symbols}
    return frozenset(
        name
        for out in program.outputs
        if out.shape
        for index, lit in zip(indices(out.shape, 1), out.lits, strict=True)
        if program.names.get(lit >> 1) != (name := out.name + "_".join(map(str, index)), lit & 1)
        and name not in inputs
    )


def _equations(code: Code, symbol: Callable[[str], str]) -> str:
    parts = []
    if code.setup:
        parts += _sections(code, "Once:", code.setup)
    parts += [*_sections(code, "Each call:" if code.setup else "", code.call)]
    parts.append(("Outputs:", _results(code, symbol)))
    return "\n".join(aligned(heading, lines) for heading, lines in parts if lines)


_INDICES = "ijklmn"  # of the entries of an array
# Entries of a matrix that are wider than the first of these limits (pt) with which the matrix fits on a page have an
# equation of their own.
WIDE_ENTRY = (200.0, 100.0, 50.0)
ENTRY_SYMBOL = 20.0  # pt; the width of such an entry in the matrix
BETWEEN_COLUMNS = 10.0  # pt
# The text of an article is 345 pt wide; the rest is for the left sides of equations, and for errors of 10 %.
WIDEST, WIDEST_MATRIX, WIDEST_SMALL_MATRIX = 260.0, 265.0, 345.0


def _results(code: Code, symbol: Callable[[str], str]) -> list[str]:
    """Return the equations of the outputs; vectors and matrices are written as such, zero matrices as one symbol."""
    lines: list[str] = []
    for name, port, texts in zip(code.arrays.outputs, code.program.outputs, code.outputs, strict=True):
        if len(port.shape) == 2 and set(texts) == {"0"}:
            lines.append(f"{symbol(name)} &= 0_{{{port.shape[0]} \\times {port.shape[1]}}}")
            continue
        named = [entry_symbol(name, index, symbol) for index in indices(port.shape, 1)]
        if not port.shape or 0 in port.shape:
            lines += [_line(left, text) for left, text in zip(named, texts, strict=True)]
            continue
        matrix = None
        if len(port.shape) <= 2:
            columns = port.shape[1] if len(port.shape) == 2 else 1
            matrix = _matrix(symbol(name), columns, named, texts, code.variables)
        lines += matrix or _nonzero_entries(name, port.shape, dict(zip(named, texts, strict=True)), symbol)
    return lines


def _matrix(
    symbol: str, columns: int, named: Sequence[str], texts: Sequence[str], variables: Container[str]
) -> list[str] | None:
    """Return the equation of a matrix, after those of its wide entries; None if it is too wide for a page.

    Args:
        named: symbols of the entries, by rows.
        texts: the entries.
        variables: symbols of other quantities.
    """
    widths = [printed_width(text, _INDEX_SIZE) for text in texts]
    limit = next((one for one in WIDE_ENTRY if _width(widths, columns, one) <= WIDEST_MATRIX), WIDE_ENTRY[-1])
    width = _width(widths, columns, limit)
    if _width(widths, columns, limit, _INDEX_SIZE) > WIDEST_SMALL_MATRIX:
        return None
    lines: list[str] = []
    own: dict[str, str] = {}  # equal entries, as those of symmetric matrices, have one equation
    shown = []
    for left, text, one in zip(named, texts, widths, strict=True):
        if one > limit and text not in own:
            own[text] = left
            if left != text:
                own[text] += "'" * (left in variables)  # the symbol of an input
                lines.append(_line(own[text], text))
        shown.append(own[text] if one > limit else readable(text))
    rows = [" & ".join(shown[row : row + columns]) for row in range(0, len(texts), columns)]
    body = " \\\\\n    ".join(rows)
    begin, end = f"\\begin{{array}}{{{'c' * columns}}}", "\\end{array}"
    if width > WIDEST_MATRIX:
        begin, end = "\\begin{smallmatrix}", "\\end{smallmatrix}"
    return [*lines, f"{symbol} &= \\left[{begin}\n    {body}\n{end}\\right]"]


def _width(widths: Sequence[float], columns: int, limit: float, size: float = 1.0) -> float:
    """Return the width in pt of a matrix in which entries wider than `limit` are symbols.

    Args:
        size: of the characters, relative to the text; smaller ones have half the distance between the columns.
    """
    shown = [width if width <= limit else ENTRY_SYMBOL for width in widths]
    between = BETWEEN_COLUMNS if size == 1 else BETWEEN_COLUMNS / 2
    return sum(size * max(shown[column::columns]) + between for column in range(columns))


_IN_BRACES = r"(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*"  # at most three levels of braces inside
_FRACTION = re.compile(rf"\\frac\{{({_IN_BRACES})\}}\{{({_IN_BRACES})\}}")
_PRINTED = re.compile(
    r"(?P<none>\\(?:mathit|mathrm|operatorname|text|left|right|d?dot|hat|bar|overline|begin|end)\b)"
    r"|[_^](?:\{(?P<index>(?:[^{}]|\{[^{}]*\})*)\}|(?P<digit>\w))"
    r"|(?P<space>\\[,;! ])|(?P<quad>\\q?quad\b)"
    r"|\\(?P<function>sin|cos|tan|max|min|exp|arcsin|arccos)\b|(?P<symbol>\\[a-zA-Z]+)"
    r"|(?P<sign> (?:[-+=<>]|\\times) )|(?P<capital>[A-Z])|(?P<small>[a-z0-9-])|(?P<narrow>[][().,'|])"
)
# Width in pt of characters in the font of an article (10 pt).
_WIDTHS = {
    "space": 1.7,
    "quad": 15.0,
    "symbol": 6.0,
    "sign": 12.2,
    "capital": 7.4,
    "small": 5.2,
    "narrow": 3.6,
}
WIDEST_UNBROKEN = 100.0  # pt; wider content of parentheses must allow a line break
_INDEX_SIZE = 0.75  # of a character in an index or a fraction, relative to others


def printed_width(text: str, fractions: float = 1.0) -> float:
    """Return the approximate width in pt of a formula on one line.

    Args:
        fractions: size of the characters in fractions, which are smaller in matrices.
    """
    width = 0.0
    while fraction := _FRACTION.search(text):
        width += fractions * max(printed_width(fraction[1]), printed_width(fraction[2])) + 2.4
        text = text[: fraction.start()] + text[fraction.end() :]
    for match in _PRINTED.finditer(text):
        kind = match.lastgroup
        if kind in ("index", "digit"):
            width += _INDEX_SIZE * printed_width(match[kind])
        elif kind == "function":
            width += _WIDTHS["small"] * len(match[kind])
        elif kind != "none":
            width += _WIDTHS[str(kind)]
    return width


def _nonzero_entries(
    name: str, shape: tuple[int, ...], entries: Mapping[str, str], symbol: Callable[[str], str]
) -> list[str]:
    """Return the equations of an array with more than two indices; entries that are zero share one equation."""
    lines = [_line(left, text) for left, text in entries.items() if text not in ("0", left)]
    if "0" in entries.values():
        general = entry_symbol(name, tuple(_INDICES[: len(shape)]), symbol)
        lines.append(rf"{general} &= 0 \quad \text{{for all {'other ' if lines else ''}indices}}")
    return lines


def entry_symbol(name: str, index: tuple[int | str, ...], symbol: Callable[[str], str] = symbol_of) -> str:
    """Return the LaTeX symbol of an output entry, T_{1,2} for the name T and the index (1, 2)."""
    shown = symbol(name)
    if index:
        shown = (f"{{{shown}}}" if "_" in shown else shown) + f"_{{{','.join(map(str, index))}}}"
    return shown


def _sections(code: Code, heading: str, steps: Sequence[Instruction]) -> list[tuple[str, list[str]]]:
    """Return (heading, equations) of the statements, with a new heading where a section of the model begins."""
    sections: list[tuple[str, list[str]]] = [(heading, [])]
    for step in steps:
        for said in remark(code, step):
            if not sections[-1][1]:
                said = f"{sections.pop()[0]} {said}".lstrip()
            sections.append((said[:1].upper() + said[1:], []))
        sections[-1][1].extend(_kernel(step) if isinstance(step, KernelCall) else [_line(*step)])
    return sections


def aligned(heading: str, lines: Iterable[str]) -> str:
    body = " \\\\\n".join(lines)
    return f"{heading}\n\\begin{{align*}}\n{body}\n\\end{{align*}}\n".lstrip("\n")


def _line(name: str, text: str) -> str:
    return f"{name} &= " + broken(readable(text))


def _kernel(call: KernelCall) -> list[str]:
    lines = []
    for name, entries in call.inputs:
        lines += [_line(f"{{{name}}}_{{{at}}}", text) for at, text in enumerate(entries, 1)]
    arguments = ", ".join(name for name, _ in call.inputs)
    return [*lines, rf"{call.result} &= \operatorname{{{call.kernel}}}({arguments})"]


_FACTOR = r"(?:\\[a-zA-Z]+ ?\w*|\w+)(?:\{\w+\})?(?:_\{[\w,]+\})?'*"
_ACCENTED = r"(?<!dot )(?<!delta )"  # in \dot q \, q the second factor is another symbol
_REPEATED = re.compile(rf"(?<![\w\\}}']){_ACCENTED}({_FACTOR}) \\, \1(?![\w\\{{(_^'])")
_NUMBER_LATER = re.compile(rf"(?<![\w\}}'])((?:{_FACTOR}(?:\^\{{2\}})? \\, )+)(\d+(?:\.\d+)?) \\, ")
_SQUARED_POWER_OF_TEN = re.compile(
    r"((?:[\d.]+ \\cdot )?10\^\{-?\d+\})\^\{2\}"
)  # two superscripts are an error
_CASES, _END_OF_CASES = r"\left(\begin{cases} ", r" \end{cases}\right)"
_BARE_CASES, _END_OF_BARE_CASES = (
    _CASES.removeprefix(r"\left("),
    _END_OF_CASES.removesuffix(r"\right)"),
)
_SEPARATORS = (" & ", r" \\ ")
_OTHERWISE, _AND = r"\text{otherwise}", r" \text{ and } "
_NOT_ZERO = r" \neq 0"
_CASES_TOKEN = re.compile("|".join(map(re.escape, (_CASES, _END_OF_CASES))))
_CELL_END = re.compile("|".join(map(re.escape, (_CASES, _END_OF_CASES, *_SEPARATORS))))
_PARENTHESIS = re.compile(r"\\left\(|\\right\)|\\lvert|\\rvert|[()]")
_TALL = re.compile(r"\\frac|\\begin")
_GROWN = {"(": r"\left(", ")": r"\right)", r"\lvert": r"\left\lvert", r"\rvert": r"\right\rvert"}
_GROWN_BREAKABLE = {"(": r"\Bigl(", ")": r"\Bigr)", r"\lvert": r"\Bigl\lvert", r"\rvert": r"\Bigr\rvert"}


def readable(text: str) -> str:
    """Return an expression with repeated factors as squares, numbers first, and delimiters as tall as their content."""
    text = _with_flat_cases(_SQUARED_POWER_OF_TEN.sub(r"(\1)^{2}", text))
    return _with_bare_cases(_grown(_NUMBER_LATER.sub(r"\2 \\, \1", _REPEATED.sub(r"\1^{2}", text))))


def _with_flat_cases(text: str) -> str:
    """Return an expression in which cases inside cases are rows of the outer ones.

    Nested cases are as wide as all of them together.
    """
    parts, at = [], 0
    while (start := text.find(_CASES, at)) >= 0:
        end = _end_of_cases(text, start)
        rows = _rows(_with_flat_cases(text[start + len(_CASES) : end - len(_END_OF_CASES)]))
        parts += [text[at:start], _CASES, r" \\ ".join(map(" & ".join, rows)), _END_OF_CASES]
        at = end
    return "".join([*parts, text[at:]])


def _end_of_cases(text: str, start: int) -> int:
    """Return the end of the cases that begin at `start`."""
    depth = 0
    for token in _CASES_TOKEN.finditer(text, start):
        depth += 1 if token.group() == _CASES else -1
        if depth == 0:
            return token.end()
    raise AssertionError(text)


def _rows(text: str) -> list[tuple[str, str]]:
    """Return value and condition of each row of cases whose contents are flat."""
    cells, start, depth = [], 0, 0
    for token in _CELL_END.finditer(text):
        depth += (token.group() == _CASES) - (token.group() == _END_OF_CASES)
        if depth == 0 and token.group() in _SEPARATORS:
            cells.append(text[start : token.start()])
            start = token.end()
    cells.append(text[start:])
    rows = [(value, _condition(condition)) for value, condition in zip(cells[::2], cells[1::2], strict=True)]
    rows = [row for value, condition in rows for row in _flat_rows(value, condition)]
    while len(rows) > 1 and rows[-2][0] == rows[-1][0]:  # the same value as otherwise
        del rows[-2]
    return rows


def _with_bare_cases(text: str) -> str:
    """Return an expression without the parentheses around cases that are all of it, or all that is between braces."""
    parts, at = [], 0
    while (start := text.find(_CASES, at)) >= 0:
        end = _end_of_cases(text, start)
        content = _with_bare_cases(text[start + len(_CASES) : end - len(_END_OF_CASES)])
        alone = (text[max(0, start - 1) : start] or "{") == "{" and (text[end : end + 1] or "}") == "}"
        opening, closing = (_BARE_CASES, _END_OF_BARE_CASES) if alone else (_CASES, _END_OF_CASES)
        parts += [text[at:start], opening, content, closing]
        at = end
    return "".join([*parts, text[at:]])


def _flat_rows(value: str, condition: str) -> list[tuple[str, str]]:
    """Return a row of cases, or the rows of its value if that consists of cases."""
    inner = _content(value)
    if inner is None:
        return [(value, condition)]
    *rows, (last, _) = _rows(inner)
    shared = "" if condition == _OTHERWISE else condition + _AND
    return [*((each, shared + its) for each, its in rows), (last, condition)]


def _content(text: str) -> str | None:
    """Return the rows of a text that consists of cases; otherwise None."""
    if not text.startswith(_CASES) or _end_of_cases(text, 0) != len(text):
        return None
    return text[len(_CASES) : -len(_END_OF_CASES)]


def _condition(text: str) -> str:
    """Return a condition: the number 1 if a < b, otherwise 0, is not zero if a < b."""
    return (_indicated(text.removesuffix(_NOT_ZERO)) if text.endswith(_NOT_ZERO) else None) or text


def _indicated(text: str) -> str | None:
    """Return the condition under which cases are 1, if they are 0 otherwise; None if they have other values."""
    content = _content(text)
    rows = _rows(content) if content is not None else []
    return rows[0][1] if [value for value, _ in rows] == ["1", "0"] else None


def _grown(text: str) -> str:
    """Return an expression in which delimiters around fractions and cases grow.

    Lines cannot break between \\left and \\right, so that delimiters of long expressions have a fixed, larger size.
    """
    replaced: dict[int, str] = {}
    opened: list[re.Match[str]] = []
    for token in _PARENTHESIS.finditer(text):
        if token.group() in ("(", r"\left(", r"\lvert"):
            opened.append(token)
            continue
        start = opened.pop()
        content = text[start.end() : token.start()]
        if start.group() == r"\left(" or not _TALL.search(content):
            continue
        sizes = _GROWN if printed_width(content) <= WIDEST_UNBROKEN else _GROWN_BREAKABLE
        replaced |= {one.start(): sizes[one.group()] for one in (start, token)}
    return _PARENTHESIS.sub(lambda token: replaced.get(token.start(), token.group()), text)


def broken(text: str) -> str:
    """Return a wide sum divided into several lines, broken at a sign outside braces, cases and grown delimiters.

    The arguments of a function may be on several lines too.
    """
    lines, start, last, depth = [], 0, 0, 0
    width = 0.0  # from `start` to `last`, the last sign at which the line can be broken
    for token in re.finditer(r"\\begin\b|\\end\b|\\left\b|\\right\b|[{}]| [+-] |(?<=[^\\],) |\Z", text):
        word = token.group()
        if word in ("{", "\\begin", "\\left"):
            depth += 1
        elif word in ("}", "\\end", "\\right"):
            depth -= 1
        elif depth == 0:
            part = printed_width(text[last : token.start()])
            if width + part > WIDEST and last > start:
                lines.append(text[start:last])
                start, width = last, 0.0
            width += part
            last = token.start()
    return " \\\\\n    &\\quad".join([*lines, text[start:]])


def escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in clean(text))


LANGUAGE = Language(
    "latex",
    "LaTeX",
    ".tex",
    write,
    aliases=("tex",),
    options={
        "symbol": "function that returns the LaTeX symbol of a name",
        "fragment": "True to write only the equations",
    },
    first_index=DIALECT.base,
)
