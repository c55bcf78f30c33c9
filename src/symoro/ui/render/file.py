"""A robot's picture in a file: SVG or PNG by the suffix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from symoro.errors import OptionError
from symoro.files import write_files
from symoro.robot.description import Robot
from symoro.ui.render import draw
from symoro.ui.render.png import png
from symoro.ui.render.svg import svg


def write_picture(
    robot: Robot, path: Path, *, size: str = "640x480", force: bool = False, **options: Any
) -> None:
    """Draw a robot into a file; the options are those of `draw`.

    Raises:
        OptionError: the suffix is neither .svg nor .png, or an option is not one of those that there are.
    """
    suffix = path.suffix.lower()
    if suffix not in (".svg", ".png"):
        raise OptionError(f"pictures are .svg or .png files, got '{path.name[:80]}'")
    drawing = draw(robot, size=_size(size), **options)
    write_files({path: svg(drawing) if suffix == ".svg" else png(drawing)}, force=force)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal() and len(text) < 20):
        raise OptionError(f"size: expected WIDTHxHEIGHT in pixels, as in 640x480, got '{text[:40]}'")
    return int(width), int(height)
