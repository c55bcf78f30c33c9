"""Small pictures of the bundled robots for the documentation and the page: frontend/public/thumbnails/ID.svg.

python tools/thumbnails.py           draw them anew
python tools/thumbnails.py --check   exit 1 where one is missing, or is of no bundled robot
"""

from __future__ import annotations

import sys
from pathlib import Path

from symoro.robot import library
from symoro.ui.render import thumbnail

FOLDER = Path(__file__).parent.parent / "frontend" / "public" / "thumbnails"


def main(arguments: list[str]) -> int:
    wanted = set(library.names())
    if arguments == ["--check"]:
        there = {path.stem for path in FOLDER.glob("*.svg")}
        for name in sorted(wanted ^ there):
            print(
                f"frontend/public/thumbnails/{name}.svg: {'missing' if name in wanted else 'of no bundled robot'}"
            )
        return int(wanted != there)
    FOLDER.mkdir(exist_ok=True)
    for name in sorted(wanted):
        (FOLDER / f"{name}.svg").write_text(thumbnail(library.load(name)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
