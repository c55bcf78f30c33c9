"""Display robots, models and an interactive scene in notebooks.

The scene is an inline frame that contains its script and data. It works without a server and without a network, also
after the notebook is reopened or converted to HTML.
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
MOST_LINES = 400  # largest number of displayed lines; the number of the others is shown
NOT_BUILT = (
    "the files of the 3D scene are missing: run 'make gui' in the source tree, or install symoro from a wheel"
)


def robot_html(robot: Robot) -> str:
    """Return a picture and the tables of a robot as HTML."""
    return _picture(robot) + tables.html(robot)


def model_html(model: Model) -> str:
    """Return title, operation count, picture and equations of a model as HTML."""
    lines = model._repr_latex_().splitlines()
    shown = lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        left = f"... {len(lines) - MOST_LINES} more lines: print(model)"
        shown += [r"\end{align*}", left] if _inside(shown) else [left]
    head = (
        f"<h4>{escape(model.entry.title)}</h4><p>{escape(model.robot.name)}: {escape(str(model.count()))}</p>"
    )
    return head + _picture(model.robot, (320, 240)) + "<div>" + escape("\n".join(shown)) + "</div>"


def _inside(lines: Sequence[str]) -> bool:
    r"""Return whether the last \begin or \end in lines of LaTeX is a \begin, so that an environment is open."""
    return next(
        (r"\begin" in line for line in reversed(lines) if r"\begin" in line or r"\end" in line), False
    )


def _picture(robot: Robot, size: tuple[int, int] = (640, 480)) -> str:
    """Return an SVG picture of a robot for HTML, or a paragraph with the reason why there is none."""
    try:
        return svg(draw(robot, size=size), header=False)
    except SymoroError as error:
        return f"<p>no picture: {escape(error.message)}</p>"


@dataclass(frozen=True)
class NotebookScene:
    """Interactive 3D scene of a robot; a notebook cell displays it."""

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
    """Escape "</" in a text for use inside an HTML script element, so that it cannot close the element."""
    return text.replace("</", "<\\/")


def scene(
    robot: RobotLike,
    *,
    values: Mapping[str, float] | None = None,
    posture: Sequence[float] | None = None,
    height: int = 480,
    dark: bool = False,
) -> NotebookScene:
    """Return an interactive scene of a robot for a notebook; closed loops stay closed while joints move.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a robot file.
        values: numbers for symbols, in addition to the nominal values.
        posture: positions of all moving joints (rad, m), in the order of the sliders.
        height: height in pixels, 50 to 10000.
        dark: whether the background is dark.

    Raises:
        ArgumentError: a value is not a finite number, or the posture has a wrong number of joints.
    """
    described = as_robot(robot)
    place = None if posture is None else tuple(float(x) for x in posture)
    joints = sum(frame.moving for frame in described.frames[: described.NJ])
    if place is not None and len(place) != joints:
        raise ArgumentError(
            f"posture: robot '{described.name}' has {joints} moving joints, got {len(place)} numbers"
        )
    if not all(map(math.isfinite, (*(place or ()), *(values or {}).values()))):
        raise ArgumentError("posture and values: expected finite numbers")
    if not 50 <= height <= 10_000:
        raise ArgumentError(f"height: expected 50 to 10000 pixels, got {height}")
    return NotebookScene(described, dict(values or {}), place, int(height), dark)
