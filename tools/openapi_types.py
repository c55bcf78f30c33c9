"""The page's types of the service: src/symoro/ui/web -> frontend/src/back/openapi.json -> frontend/src/back/api.d.ts.

python tools/openapi_types.py            write both; the types by openapi-typescript, where node has it
python tools/openapi_types.py --check    exit code 1 where the document no longer is what the server says
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

FRONTEND = Path(__file__).parent.parent / "frontend"
DOCUMENT = FRONTEND / "src" / "back" / "openapi.json"
TYPES = FRONTEND / "src" / "back" / "api.d.ts"


def document() -> dict[str, Any]:
    """What the server says of itself, with the payloads and answers of the long calls, which travel inside of jobs."""
    from symoro.ui.web.guard import Rules
    from symoro.ui.web.server import application

    found: dict[str, Any] = application(Rules(frozenset())).openapi()
    found["info"]["version"] = "0"  # of the package: a release changes no type
    return found


def text() -> str:
    return json.dumps(document(), indent=1, sort_keys=True) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    if parser.parse_args().check:
        same = DOCUMENT.is_file() and DOCUMENT.read_text(encoding="utf-8") == text()
        print("same" if same else f"{DOCUMENT} is out of date: run python tools/openapi_types.py")
        return int(not same)
    DOCUMENT.write_text(text(), encoding="utf-8")
    npx = shutil.which("npx")
    if npx is None:
        print("no node: the document is written, the types are not", file=sys.stderr)
        return 1
    made = subprocess.run(
        [npx, "--no-install", "openapi-typescript", str(DOCUMENT), "-o", str(TYPES)],
        cwd=FRONTEND,
        check=False,
    )
    return made.returncode


if __name__ == "__main__":
    sys.exit(main())
