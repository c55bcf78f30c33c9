"""Measure frame intervals and pose errors while the end effector is dragged in the workbench, in a real browser.

    python benchmarks/drag.py [ROBOT ...] [--screenshots FOLDER]

The browser renders in software at 1280 x 720. The pointer drags a handle of the end effector for two seconds along a
line, with all other solutions drawn as ghosts. Requirements: median interval at most 33 ms, 95th percentile at most
66 ms, error of the pose at most 1e-6 of the reach in each frame. The error is the difference of the pose of the handles
and that of the frame; that the handles follow the pointer is measured on the screen. The exit code is 1 if the pose is
wrong, if the handles do not follow the pointer, or if there are no ghosts; intervals depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROBOTS = ("rx90", "gough_stewart")
MOST_ERROR = 1e-6  # of the reach, and of the entries of the rotation
FEWEST_PICTURES = 5  # in two seconds; fewer do not show a drag
# Path of the handle on the screen relative to that of the pointer: perspective changes it by a few percent.
FOLLOWED = (0.85, 1.15)


def main() -> None:
    parser = argparse.ArgumentParser(description="frame intervals of drags in the workbench")
    parser.add_argument("robots", nargs="*", default=ROBOTS)
    parser.add_argument("--screenshots", default="", help="folder for a picture of each drag")
    arguments = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    sys.path.insert(0, str(ROOT / "tools"))
    import page

    node = page.node_of_path() or page.node_of_package()
    if chromium is None or node is None:
        sys.exit("the measurement requires chromium and node")
    if arguments.screenshots:
        Path(arguments.screenshots).mkdir(parents=True, exist_ok=True)
    code = "import sys; from symoro.ui.cli import main; sys.exit(main(sys.argv[1:]))"
    server = subprocess.Popen(
        [sys.executable, "-c", code, "gui", "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout
        address = server.stdout.readline().split("symoro gui: ")[1].split()[0]
        script = ROOT / "frontend" / "tests" / "drag_timing.mjs"
        command = [str(node), str(script), chromium, address, arguments.screenshots, *arguments.robots]
        output = subprocess.run(command, cwd=ROOT / "frontend", check=False, capture_output=True, text=True)
    finally:
        server.terminate()
        server.wait(20)
    if output.returncode:
        sys.exit(f"the browser stopped: {output.stderr}")
    answer = json.loads(output.stdout)
    if answer["thrown"]:
        sys.exit(f"the page reported errors: {answer['thrown']}")
    columns = f"{'robot':24}{'pictures':>9}{'median':>9}{'95 %':>8}{'position':>11}{'rotation':>11}"
    print(f"{columns}{'handle':>8}{'ghosts':>8}")
    wrong = []
    for robot, row in answer["results"].items():
        drawn = row["drawn"]
        print(
            f"{robot:24}{drawn['count']:9d}{drawn['median']:6.1f} ms{drawn['p95']:5.1f} ms"
            f"{row['position_error']:11.1e}{row['rotation_error']:11.1e}{row['followed']:8.2f}{row['ghosts']:8d}"
        )
        follows = FOLLOWED[0] < row["followed"] < FOLLOWED[1]
        right = max(row["position_error"], row["rotation_error"]) <= MOST_ERROR
        if not (follows and right and row["ghosts"] > 0 and drawn["count"] >= FEWEST_PICTURES):
            wrong.append(robot)
    if wrong:
        sys.exit(f"the pose, the handle, the ghosts or the number of pictures is wrong: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
