"""What a notebook shows of a robot or a model that stands on the last line of a cell."""

from __future__ import annotations

from html import escape

from symoro.errors import SymoroError
from symoro.robot import tables
from symoro.robot.description import Robot
from symoro.ui.render import draw
from symoro.ui.render.svg import svg


def robot_html(robot: Robot) -> str:
    """A picture and the tables."""
    return _picture(robot) + tables.html(robot)


def _picture(robot: Robot) -> str:
    """The robot drawn, or why it cannot be."""
    try:
        return svg(draw(robot), header=False)
    except SymoroError as error:
        return f"<p>no picture: {escape(error.message)}</p>"
