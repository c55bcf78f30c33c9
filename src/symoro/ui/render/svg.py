"""A drawing as SVG."""

from __future__ import annotations

from html import escape

from symoro.files import MADE_BY
from symoro.ui.render.shapes import Area, Drawing, Flat, Shape, Stroke


def svg(drawing: Drawing, *, header: bool = True) -> str:
    """The text of an SVG file; without its header, for pages that hold it."""
    lines = [f"<!-- {MADE_BY} -->"] if header else []
    size = f'width="{drawing.width}" height="{drawing.height}"'
    lines.append(
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {drawing.width} {drawing.height}" '
        'role="img" font-family="sans-serif" stroke-linecap="round" stroke-linejoin="round">'
    )
    lines.append(f"<title>{escape(drawing.title)}</title>")
    if drawing.background != "none":
        lines.append(f'<rect width="100%" height="100%" fill="{drawing.background}"/>')
    lines += [_written(shape) for shape in drawing.shapes]
    return "\n".join([*lines, "</svg>", ""])


def _written(shape: Shape) -> str:
    if isinstance(shape, Stroke):
        dash = ' stroke-dasharray="4 3"' if shape.dashed else ""
        line = f'stroke="{shape.colour}" stroke-width="{shape.width:g}"{dash}'
        return f'<polyline points="{_points(shape.points)}" fill="none" {line}/>'
    if isinstance(shape, Area):
        line = f' stroke="{shape.line}" stroke-width="1"' if shape.line else ""
        clear = f' fill-opacity="{shape.opacity:g}"' if shape.opacity < 1 else ""
        return f'<polygon points="{_points(shape.points)}" fill="{shape.colour}"{clear}{line}/>'
    x, y = shape.at
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{shape.size:g}" fill="{shape.colour}"'
    return f"<text {place}>{escape(shape.text)}</text>"


def _points(points: tuple[Flat, ...]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
