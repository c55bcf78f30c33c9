"""What a notebook shows: a robot as picture and tables, a model as equations, and the workbench's scene in a cell.

The scene stands in a frame of its own with all that it needs: a notebook shows it without a server or a network, also
when it is opened again or written as HTML.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from symoro.errors import ArgumentError, SymoroError
from symoro.robot import tables
from symoro.robot.description import Robot
from symoro.robot.formats import RobotLike, as_robot
from symoro.ui.render import draw
from symoro.ui.render.output import svg

if TYPE_CHECKING:
    from symoro.model import Model

BUILT = Path(__file__).parent / "web" / "static" / "notebook"
MOST_LINES = 400  # of equations; the others are told of
NOT_BUILT = "the scene is not built: run make gui in the clone, or install symoro from its wheel"


def robot_html(robot: Robot) -> str:
    """A picture and the tables."""
    return _picture(robot) + tables.html(robot)


def model_html(model: Model) -> str:
    """Title, cost, picture and equations."""
    lines = model._repr_latex_().splitlines()
    shown = lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        left = f"... {len(lines) - MOST_LINES} lines more: print(model)"
        shown += [r"\end{align*}", left] if _inside(shown) else [left]
    head = (
        f"<h4>{escape(model.entry.title)}</h4><p>{escape(model.robot.name)}: {escape(str(model.count()))}</p>"
    )
    return head + _picture(model.robot, (320, 240)) + "<div>" + escape("\n".join(shown)) + "</div>"


def _inside(lines: Sequence[str]) -> bool:
    """Whether the lines end within a block of equations."""
    return next(
        (r"\begin" in line for line in reversed(lines) if r"\begin" in line or r"\end" in line), False
    )


def _picture(robot: Robot, size: tuple[int, int] = (640, 480)) -> str:
    """The robot drawn, or why it cannot be."""
    try:
        return svg(draw(robot, size=size), header=False)
    except SymoroError as error:
        return f"<p>no picture: {escape(error.message)}</p>"


@dataclass(frozen=True)
class NotebookScene:
    """The workbench's scene of a robot, as a cell shows it."""

    robot: Robot
    values: Mapping[str, float]
    posture: tuple[float, ...] | None
    height: int
    dark: bool

    def _repr_html_(self) -> str:
        try:
            script = (BUILT / "scene.js").read_text(encoding="utf-8")
            style = (BUILT / "scene.css").read_text(encoding="utf-8")
        except OSError:
            return f"<p>{NOT_BUILT}</p>" + _picture(self.robot)
        page = (
            f'<!doctype html><html><head><meta charset="utf-8"><style>{_inert(style)}</style></head><body>'
            f'<div id="page"></div><script type="application/json" id="shown">{_inert(self._data())}</script>'
            f"<script>{_inert(script)}</script></body></html>"
        )
        return (
            f'<iframe srcdoc="{escape(page, quote=True)}" title="{escape(self.robot.name, quote=True)}" '
            f'style="width:100%;height:{self.height}px;border:1px solid #8884"></iframe>'
        )

    def _data(self) -> str:
        from symoro.robot.formats.robot_tree import tree_of
        from symoro.ui.service import call

        robot = self.robot.replace(nominal=tuple({**dict(self.robot.nominal), **self.values}.items()))
        document = tree_of(robot)
        shown = {
            "view": call("robot_view", {"robot": document}),
            "placements": call("frames", {"robot": document, "loops": bool(robot.B)}),
            "q": self.posture,
            "dark": self.dark,
        }
        return json.dumps(shown, allow_nan=False)


def _inert(text: str) -> str:
    """Text that does not end the element it stands in."""
    return text.replace("</", "<\\/")


def scene(
    robot: RobotLike,
    *,
    values: Mapping[str, float] | None = None,
    posture: Sequence[float] | None = None,
    height: int = 480,
    dark: bool = False,
) -> NotebookScene:
    """A robot to be looked at and moved in a notebook: frames, joints, loops closed as they move.

    Arguments:
        values: numbers for symbols, beside the nominal ones.
        posture: of all joints that move, in the order of their sliders.
        height: in pixels.

    Raises:
        ArgumentError: a value is no finite number, or the posture has another number of joints.
    """
    asked = as_robot(robot)
    place = None if posture is None else tuple(float(x) for x in posture)
    joints = sum(frame.moving for frame in asked.frames[: asked.NJ])
    if place is not None and len(place) != joints:
        raise ArgumentError(
            f"posture: robot '{asked.name}' has {joints} joints that move, got {len(place)} numbers"
        )
    if not all(map(math.isfinite, (*(place or ()), *(values or {}).values()))):
        raise ArgumentError("posture and values: expected finite numbers")
    if not 50 <= height <= 10_000:
        raise ArgumentError(f"height: expected 50 to 10000 pixels, got {height}")
    return NotebookScene(asked, dict(values or {}), place, int(height), dark)
