"""Draw docs/walks.svg: two models on their way through the house, floor by floor.

What the picture says stands below as data; the page around it is docs/architecture.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "walks.svg"

LEFT, RIGHT, WIDTH = 96, 532, 416  # left edges of the two columns, and their width
TOTAL = RIGHT + WIDTH + 20
LINE, HEAD, GAP = 16, 26, 26  # heights of a line of text, of a box without text, of an arrow
STYLE = """
  .paper { fill: #ffffff } .floor { fill: #f1f4f8 } .box { fill: #ffffff; stroke: #7a8797 }
  .way { stroke: #55657a; fill: none } .tip { fill: #55657a }
  text { fill: #1c2530; font: 12px "DejaVu Sans", Verdana, sans-serif }
  .name { font: bold 12px "DejaVu Sans Mono", Menlo, Consolas, monospace }
  .label { font-weight: bold; font-size: 14px } .title { font-weight: bold; font-size: 15px }
  .given { fill: #55657a; font-style: italic }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #12161c } .floor { fill: #1b222b } .box { fill: #252e39; stroke: #7f8d9e }
    .way { stroke: #9aa9bb } .tip, .given { fill: #9aa9bb } text { fill: #e4e9ef }
  }
"""


@dataclass(frozen=True)
class Box:
    """A module, what it is called for, and what it hands on."""

    name: str
    lines: tuple[str, ...] = ()
    gives: str = ""

    @property
    def height(self) -> int:
        return HEAD + LINE * len(self.lines)


@dataclass(frozen=True)
class Shared:
    """A module on both ways: a line of each way beside the other."""

    name: str
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    gives: str = ""

    @property
    def height(self) -> int:
        return HEAD + LINE * max(len(self.left), len(self.right))


@dataclass(frozen=True)
class Apart:
    """What each way does on its own."""

    left: tuple[Box, ...]
    right: tuple[Box, ...]


TITLES = ("RX90, inverse dynamics", "PUMA 560, inverse geometry")
FLOORS: tuple[tuple[str, tuple[Shared | Apart, ...]], ...] = (
    (
        "robot",
        (
            Shared(
                "robot/library",
                ("rx90.yaml: 6 joints, 81 symbols",),
                ("puma560.yaml: 6 joints and a tool, 65 symbols",),
                "text",
            ),
            Shared(
                "robot/formats",
                ("load, loads, yaml_file.read_yaml",),
                ("every number and symbol a Formula, never evaluated",),
            ),
            Shared(
                "robot/description",
                ("frozen; validation.problems finds what is wrong",),
                ("topology and coordinates: functions over it",),
                "Robot",
            ),
        ),
    ),
    (
        "models",
        (
            Shared(
                "models/catalogue",
                ("build: entry 'inverse-dynamics',", "structure, options and requirements checked"),
                ("build: entry 'inverse-geometry',", "options checked"),
            ),
            Apart(
                (
                    Box("dynamic/models", ("inverse_dynamics, solved, chosen",)),
                    Box("dynamic/formulation", ("quick: how each link is written; link 6 before its turn",)),
                    Box(
                        "dynamic/system, models/coordinates",
                        ("system declares q, qd, qdd; G = 1 here",),
                        "ConstraintProvider",
                    ),
                    Box(
                        "models/joints, models/recursion",
                        ("place_of, local_frames: iTj of 6 frames,", "C23 named once for cos(q2 + q3)"),
                        "Local",
                    ),
                    Box(
                        "dynamic/tree_dynamics",
                        (
                            "efforts: A nud + H of the tree, then G'",
                            "force elements: rotors, friction, springs",
                        ),
                    ),
                    Box(
                        "dynamic/inertia",
                        (
                            "effective_inertias: regrouped by an inward walk,",
                            "38 entries of 60 are left, 10 get an R",
                        ),
                        "Inertia",
                    ),
                    Box(
                        "dynamic/newton_euler",
                        (
                            "move, a step of outward: W, WP, U, VP of each body",
                            "load, each body alone: its F and N",
                            "gather, a step of inward: E and M, efforts on the way",
                        ),
                        "efforts along the axes",
                    ),
                    Box("models/coordinates", ("project: tau = G' efforts",), "output tau"),
                ),
                (
                    Box("geometric/inverse/model", ("inverse_geometry",)),
                    Box("inverse/chain/problem", ("pose_problem: all 6 joints move the pose, rank 6",)),
                    Box(
                        "inverse/chain/chain",
                        (
                            "motions_between, chain_of: 5 runs of parallel axes;",
                            "unknowns q1, q2, q2 + q3, q4, q5, q6",
                        ),
                    ),
                    Box("inverse/chain/probes", ("what vanishes, at 12 random postures",), "Problem"),
                    Box("inverse/methods", ("solved: by_paul, else by_pieper, else by_general",)),
                    Box("inverse/paul/equations", ("792 entries of 66 matrices: 156 equations that differ",)),
                    Box(
                        "inverse/paul/paul, paul/types",
                        ("q1 type 2; q2, q2 + q3 type 8; q4 type 2;", "q5 type 3; q6 type 3"),
                        "5 steps",
                    ),
                    Box("inverse/branches", ("solutions: 2 x 2 x 2 branches, unrolled",), "8 rows"),
                    Box(
                        "inverse/trial, inverse/refine",
                        ("1133 regular postures: none lost, all exact;", "refined is not called"),
                    ),
                    Box(
                        "inverse/conditions, inverse/finite",
                        (
                            "divisors: D4^2 + RL4^2 != 0, else empty slots;",
                            "where_finite: no row with a NaN is valid",
                        ),
                        "outputs q, status, residual, free",
                    ),
                ),
            ),
        ),
    ),
    (
        "program",
        (
            Shared(
                "program/builder, on expr/graph",
                ("638 nodes that tau needs, 148 of them named",),
                ("1876 nodes that the outputs need",),
                "Program",
            ),
            Shared(
                "program/pipeline, program/passes",
                ("share_sums 469 -> 466; multiply_out and schedule", "find nothing to gain"),
                ("share_sums 1399 -> 1244; multiply_out and schedule", "find nothing to gain"),
                "Program",
            ),
            Shared(
                "program/count",
                ("233 x, 221 +, 12 functions; once 25 x, 50 +",),
                ("603 x, 587 +, 7 /, 47 functions; once 6 x, 3 +, 1 /",),
            ),
        ),
    ),
    (
        "emit",
        (
            Shared(
                "emit/code, emit/vectors",
                (
                    "26 statements once, 178 a call, 60 constants;",
                    "turns: sin and cos of 6 angles, four at a time",
                ),
                ("8 statements once, 545 a call, 12 constants;", "arcs: 34 arctangents, four at a time"),
                "Code",
            ),
            Shared(
                "emit/c, emit/clike, emit/kernels",
                (".h, .c, _batch.c, _example.c with sincos.c",),
                ("the same with sincos.c and atan2.c",),
                "text",
            ),
        ),
    ),
    (
        "runtime",
        (
            Shared(
                "runtime/compiler",
                ("library: built once, then from the cache",),
                ("the same",),
                "shared library",
            ),
            Shared(
                "runtime/native",
                ("setup once; one by the fast path; many by a second", "library, samples side by side"),
                (
                    "setup once; one by the fast path; many call after call:",
                    "arctangents fill the vectors already",
                ),
            ),
            Apart(
                (Box("runtime/function", ("Function: arrays checked, batch or not",), "tau"),),
                (
                    Box(
                        "runtime/pose_function",
                        ("PoseFunction: the rotation made one",),
                        "q, status, residual, free",
                    ),
                ),
            ),
        ),
    ),
    (
        "ui",
        (
            Shared(
                "ui/cli, ui/commands",
                ("count, generate, eval inverse-dynamics rx90",),
                ("explain inverse-geometry puma560, solve puma560",),
            ),
        ),
    ),
)


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "") -> str:
    made = f' class="{kind}"' if kind else ""
    made += f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:g}" y="{y:g}"{made} xml:space="preserve">{escape(text)}</text>'


def _arrow(x: float, top: float, bottom: float, label: str = "") -> Iterator[str]:
    yield f'<path class="way" d="M{x:g} {top:g}V{bottom - 6:g}"/>'
    yield f'<path class="tip" d="M{x - 4:g} {bottom - 7:g}h8l-4 7z"/>'
    if label:
        yield _text(x + 10, (top + bottom) / 2 + 4, label, "given")


def _box(x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="box" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4"/>'


def _lines(x: float, y: float, lines: tuple[str, ...]) -> Iterator[str]:
    for k, line in enumerate(lines):
        yield _text(x + 12, y + HEAD + 8 + LINE * k, line)


def _ways() -> tuple[float, float]:
    return LEFT + WIDTH / 2, RIGHT + WIDTH / 2


class Drawing:
    """Grows downward; `ways` holds for each column where its last box ended and what it hands on."""

    def __init__(self) -> None:
        self.y = 52.0
        self.made: list[str] = []
        self.behind: list[str] = []
        self.ways: list[tuple[float, str]] | None = None

    def floor(self, name: str, rows: tuple[Shared | Apart, ...]) -> None:
        top = self.y
        self.y += 10
        for row in rows:
            if isinstance(row, Shared):
                self._shared(row)
            else:
                self._apart(row)
        end = self.y - GAP + 10
        self.behind.append(
            f'<rect class="floor" x="8" y="{top:g}" width="{TOTAL - 16}" height="{end - top:g}" rx="6"/>'
        )
        self.made.append(_text(20, top + 24, name, "label"))
        self.y = end + GAP - 10

    def _from_above(self) -> None:
        for x, (ended, gives) in zip(_ways(), self.ways or (), strict=bool(self.ways)):
            self.made += _arrow(x, ended, self.y, gives)

    def _shared(self, row: Shared) -> None:
        self._from_above()
        height = row.height
        self.made.append(_box(LEFT, self.y, RIGHT + WIDTH - LEFT, height + 4))
        self.made.append(_text((LEFT + RIGHT + WIDTH) / 2, self.y + 18, row.name, "name", "middle"))
        self.made += _lines(LEFT, self.y, row.left)
        self.made += _lines(RIGHT, self.y, row.right)
        self.ways = [(self.y + height + 4, row.gives)] * 2
        self.y += height + 4 + GAP

    def _apart(self, row: Apart) -> None:
        self._from_above()
        heights = [sum(box.height + 4 for box in column) for column in (row.left, row.right)]
        arrows = [len(column) - 1 for column in (row.left, row.right)]
        whole = max(h + GAP * a for h, a in zip(heights, arrows, strict=True))
        self.ways = []
        for x, column, height, between in zip(
            (LEFT, RIGHT), (row.left, row.right), heights, arrows, strict=True
        ):
            gap = (whole - height) / between if between else GAP
            y = self.y
            for k, box in enumerate(column):
                self.made.append(_box(x, y, WIDTH, box.height + 4))
                self.made.append(_text(x + 12, y + 18, box.name, "name"))
                self.made += _lines(x, y, box.lines)
                y += box.height + 4
                if k < between:
                    self.made += _arrow(x + WIDTH / 2, y, y + gap, box.gives)
                    y += gap
            self.ways.append((y, column[-1].gives))
        self.y += whole + GAP

    def finished(self) -> str:
        height = self.y - GAP + 18
        heads = [_text(x, 32, title, "title", "middle") for x, title in zip(_ways(), TITLES, strict=True)]
        paper = f'<rect class="paper" width="{TOTAL}" height="{height:g}"/>'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {TOTAL} {height:g}" role="img">',
            f"<title>Two models through the house: {escape(' and '.join(TITLES))}</title>",
            f"<style>{STYLE}</style>",
            *(paper, *self.behind, *heads, *self.made),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"


def picture() -> str:
    """The whole picture."""
    drawing = Drawing()
    for name, rows in FLOORS:
        drawing.floor(name, rows)
    return drawing.finished()


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
