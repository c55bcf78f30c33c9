"""Functions that C computes four at a time, by the polynomials of `kernels/sincos.c` and `kernels/atan2.c`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symoro.emit.code import Code
from symoro.emit.vectors.arcs import Arc
from symoro.emit.vectors.turns import Turn
from symoro.expr import ops

INDENT = "    "
LANES = 4


@dataclass(frozen=True)
class Bulk:
    """Statements of the call part that are done together.

    Attributes:
        steps: their indices in `Code.call`.
        at_once: the lines for one sample; where the polynomials do not reach, the library does all of it again.
        one_by_one: the lines inside the loop over samples, which is the one that is vectorised; they set `far_`.
    """

    steps: frozenset[int]
    at_once: list[str]
    one_by_one: list[str]


def bulks(code: Code) -> list[Bulk]:
    """What is done together: the sines and cosines, and each layer of arctangents."""
    found = []
    if code.turns:
        steps = frozenset(step for turn in code.turns for step in turn.steps)
        found.append(Bulk(steps, _turns_at_once(code.turns), _turns_one_by_one(code.turns)))
    for number, arcs in enumerate(code.arcs, 1):
        steps = frozenset(arc.step for arc in arcs)
        found.append(Bulk(steps, _arcs_at_once(arcs, number), _arcs_one_by_one(arcs)))
    return found


def _padded(texts: Sequence[str], filler: str) -> list[list[str]]:
    """Texts in rows of LANES; the last one filled up."""
    length = -(-len(texts) // LANES) * LANES
    filled = [*texts, *[filler] * (length - len(texts))]
    return [filled[at : at + LANES] for at in range(0, length, LANES)]


def _offset(array: str, row: int) -> str:
    return f"{array} + {row * LANES}" if row else array


def _turns_at_once(turns: Sequence[Turn]) -> list[str]:
    angles = [turn.argument for turn in turns]
    rows = _padded(angles, "0")
    length = len(rows) * LANES
    lines = [f"double sine_[{length}], cosine_[{length}];"]
    for at, row in enumerate(rows):
        start = "const double reach_ =" if len(rows) == 1 else "reach_ +=" if at else "double reach_ ="
        arrays = f"{_offset('sine_', at)}, {_offset('cosine_', at)}"
        lines.append(f"{start} sincos4_({', '.join(row)}, {arrays});")
    lines += [
        "if (reach_ > SINCOS_LIMIT_) {",
        f"{INDENT}const double angle_[{len(angles)}] = {{{', '.join(angles)}}};",
        f"{INDENT}sincos_far_({len(angles)}, angle_, sine_, cosine_);",
        "}",
    ]
    for at, turn in enumerate(turns):
        for op, array in ((ops.SIN, "sine_"), (ops.COS, "cosine_")):
            if op in turn.names:
                lines.append(f"const double {turn.names[op]} = {array}[{at}];")
    return lines


def _turns_one_by_one(turns: Sequence[Turn]) -> list[str]:
    lines = []
    for at, turn in enumerate(turns, 1):
        names = [turn.names.get(op, f"unused{at}_") for op in (ops.SIN, ops.COS)]
        lines.append(f"double {', '.join(names)};")
        lines.append(f"sincos_({turn.argument}, &{names[0]}, &{names[1]});")
        lines += [f"(void){name};" for name in names if name.startswith("unused")]
    squares = " + ".join(_square(turn.argument) for turn in turns)
    return [*lines, f"far_ |= {squares} > SINCOS_LIMIT_;"]


def _square(text: str) -> str:
    factor = text if text.isidentifier() else f"({text})"
    return f"{factor}*{factor}"


def _arcs_at_once(arcs: Sequence[Arc], number: int) -> list[str]:
    ys, xs = [arc.y for arc in arcs], [arc.x for arc in arcs]
    rows = [*zip(_padded(ys, "0"), _padded(xs, "1"), strict=True)]
    array, far, count = f"arc{number}_", f"far{number}_", len(arcs)
    lines = [f"double {array}[{len(rows) * LANES}];"]
    for at, (y, x) in enumerate(rows):
        start = f"const int {far} =" if len(rows) == 1 else f"{far} |=" if at else f"int {far} ="
        lines.append(f"{start} atan2x4_({', '.join([*y, *x])}, {_offset(array, at)});")
    lines += [
        f"if ({far}) {{",
        f"{INDENT}const double y_[{count}] = {{{', '.join(ys)}}};",
        f"{INDENT}const double x_[{count}] = {{{', '.join(xs)}}};",
        f"{INDENT}atan2_far_({count}, y_, x_, {array});",
        "}",
    ]
    return lines + [f"const double {arc.name} = {arc.minus}{array}[{at}];" for at, arc in enumerate(arcs)]


def _arcs_one_by_one(arcs: Sequence[Arc]) -> list[str]:
    lines = []
    for arc in arcs:
        lines.append(f"const double {arc.name} = {arc.minus}atan2_({arc.y}, {arc.x});")
        lines.append(f"far_ |= fabs({arc.y}) + fabs({arc.x}) > ATAN2_LIMIT_;")
    return lines
