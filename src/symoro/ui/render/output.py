"""Convert a drawing to the text of an SVG file or the bytes of a PNG file."""

from __future__ import annotations

import io
from html import escape
from typing import Any

from symoro.errors import MissingDependencyError
from symoro.files import MADE_BY
from symoro.ui.render.shapes import Area, Drawing, Flat, Shape, Stroke

# -- PNG by Pillow: drawn at three times the size and reduced for smooth edges

FINER = 3
DASH = 4.0


def png(drawing: Drawing) -> bytes:
    """Return a drawing as the bytes of a PNG file.

    Raises:
        MissingDependencyError: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw, PngImagePlugin
    except ImportError:
        raise MissingDependencyError(
            "PNG pictures need Pillow, which is not installed",
            hint="pip install 'symoro[png]', or write .svg",
        ) from None
    clear = drawing.background == "none"
    image: Any = Image.new(
        "RGBA",
        (FINER * drawing.width, FINER * drawing.height),
        (0, 0, 0, 0) if clear else drawing.background,
    )
    for shape in drawing.shapes:
        if isinstance(shape, Area) and shape.opacity < 1:
            layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
            _draw(ImageDraw.Draw(layer), shape)
            image = Image.alpha_composite(image, layer)
        else:
            _draw(ImageDraw.Draw(image), shape)
    small = image.resize((drawing.width, drawing.height), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    mark = PngImagePlugin.PngInfo()
    mark.add_text("Software", f"\n{MADE_BY}\n")  # on a separate line, as in text files
    small.save(buffer, "PNG", optimize=True, pnginfo=mark)
    return buffer.getvalue()


def _draw(brush: Any, shape: Any) -> None:
    from PIL import ImageColor, ImageFont

    if isinstance(shape, Stroke):
        width = max(1, round(FINER * shape.width))
        for piece in _dashes(shape) if shape.dashed else [shape.points]:
            brush.line(_fine(piece), fill=shape.colour, width=width, joint="curve")
    elif isinstance(shape, Area):
        red, green, blue = ImageColor.getrgb(shape.colour)[:3]
        brush.polygon(_fine(shape.points), fill=(red, green, blue, round(255 * shape.opacity)))
        if shape.line:
            brush.line(_fine((*shape.points, shape.points[0])), fill=shape.line, width=FINER, joint="curve")
    else:
        (place,) = _fine([shape.at])
        font = ImageFont.load_default(FINER * shape.size)
        brush.text(place, shape.text, fill=shape.colour, font=font, anchor="ls")


def _fine(points: Any) -> list[Flat]:
    return [(FINER * x, FINER * y) for x, y in points]


def _dashes(stroke: Stroke) -> list[tuple[Flat, Flat]]:
    """Return the start and end points of the dashes of a dashed line."""
    dashes = []
    for (x0, y0), (x1, y1) in zip(stroke.points, stroke.points[1:], strict=False):
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        count = max(1, round(length / (2 * DASH)))
        for k in range(count):
            a, b = k / count, (k + 0.55) / count
            dashes.append(
                ((x0 + a * (x1 - x0), y0 + a * (y1 - y0)), (x0 + b * (x1 - x0), y0 + b * (y1 - y0)))
            )
    return dashes


# -- SVG


def svg(drawing: Drawing, *, header: bool = True) -> str:
    """Return a drawing as SVG text.

    Args:
        header: whether the text begins with the header of an SVG file; an HTML page embeds the text without it.
    """
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
