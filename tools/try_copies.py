"""Run what the page copies, for robots of every structure and every model: python tools/try_copies.py [ROBOT ...]

The texts of "Copy as Python" and "Copy as command" are taken from the page's service, with the default options and with
one changed option, and each runs in a new process in a folder that contains only the robot file that the page saves.
What they print must be the page's model. One line per failure, then the counts; the exit code is 1 after a failure.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from symoro.models.catalogue import Option, catalogue
from symoro.models.catalogue import entry as entry_of
from symoro.robot.description import Robot
from symoro.ui.service import call
from symoro.ui.service.payload import robot_of

BUNDLED = (
    *("rx90", "panda", "scara", "sr400", "gough_stewart", "delta", "cartpole", "mobile_manipulator"),
    *("flexible2r", "rx90_floating", "rx90_elastic", "diffdrive"),
)
ROBOTS = (*BUNDLED, "from-urdf", "edited", "new")
LONGEST = 120  # s for one derivation on the page or one copied text; the page itself ends a job after 600 s
# The page reports these instead of a model; ProgramError: an expanded expression would be too long.
REJECTED = ("NotApplicableError", "MissingError", "OptionError", "ProgramError")

TEXTS = {"working_mode": "2", "pose": "position"}  # another value of an option that is a text


def document(name: str) -> dict[str, Any]:
    """Return the document of a bundled robot, or of a robot that the page opened from a file, edited or created."""
    if name == "from-urdf":
        panda = call("robot_open", {"id": "panda"})["robot"]
        ((file, text),) = call("robot_write", {"robot": panda, "format": "urdf"})["files"].items()
        return answered("robot_open", {"text": text, "file": file})["robot"]
    if name == "edited":
        rx90 = call("robot_open", {"id": "rx90"})["robot"]
        edit = {"part": "frame", "j": 3, "field": "d", "text": "0.5"}
        return answered("robot_edit", {"robot": rx90, "edits": [edit]})["robot"]
    if name == "new":
        return answered("robot_new", {"name": "my arm (2)", "links": 3})["robot"]
    return answered("robot_open", {"id": name})["robot"]


def answered(name: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of a call that must succeed."""
    answer = call(name, payload)
    assert "error" not in answer, answer["error"]
    return answer


def changed_options(model: str, robot: dict[str, Any], first: int) -> Iterator[dict[str, Any]]:
    """Yield sets of one changed option each, beginning with option number `first` of the variant for the robot."""
    described = robot_of({"robot": robot})
    options = entry_of(model).form(described, {}).options
    for k in range(len(options)):
        option = options[(first + k) % len(options)]
        for value in other_values(option, described):
            yield {option.name: value}


def other_values(option: Option, robot: Robot) -> list[Any]:
    """Return values of an option that differ from its default, as the form of the page sends them."""
    match option.kind:
        case "choice":
            return [choice for choice in option.choices if choice != option.default]
        case "flag":
            return [option.default is not True]
        case "frame":
            return [2, 1]
        case "frames":
            return [[2]]
        case "points":
            return [[[2, ["0.1", "0", "-0.2"]]], [2]]
        case "number":
            return [2 * option.default if option.default else 0.01]
        case "posture":
            return list(robot.postures)
    return [TEXTS[option.name]] if option.name in TEXTS else []


def run(command: str, folder: Path) -> str:
    """Return the output of a shell command in a folder; the commands of the running environment are on the path.

    Raises:
        RuntimeError: the command failed or took longer than `LONGEST`; the text ends with its last error lines.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    try:
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"did not end in {LONGEST} s") from None
    if done.returncode:
        raise RuntimeError(f"status {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def check(robot: dict[str, Any], answer: dict[str, Any]) -> None:
    """Run both texts of an answer of the page in an empty folder.

    Raises:
        RuntimeError: one of them fails, or prints another model than that of the page.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if answer.get("file"):
            for path, text in answered("robot_write", {"robot": robot, "format": "yaml"})["files"].items():
                (folder / path).write_text(text, encoding="utf-8")
        by_python = run(shlex.join([sys.executable, "-c", answer["python"]]), folder)
        by_command = run(answer["command"], folder)
    for kind, printed in (("Python", by_python), ("command", by_command)):
        if answer["text"].strip() not in printed:
            raise RuntimeError(f"the copied {kind} derives another model: {answer['command']}")


def try_model(name: str, model: str) -> list[str]:
    """Try one model of a robot with the default options and with one changed option.

    Returns:
        One line per attempt: "runs", "rejected: reason", "slow: ..." or "FAILED: reason".
    """

    def stop(*_: object) -> None:
        raise TimeoutError

    robot = document(name)
    first = ROBOTS.index(name) if name in ROBOTS else 0  # so that different robots change different options
    results = []
    for attempts in ([{}], changed_options(model, robot, first)):
        for options in attempts:
            place = f"{name} {model} {options or ''}".strip()
            signal.signal(signal.SIGALRM, stop)
            signal.alarm(LONGEST)
            try:
                answer = call("model", {"robot": robot, "model": model, "options": options})
            except TimeoutError:
                results.append(f"slow: {place}: the page needs more than {LONGEST} s")
                break
            finally:
                signal.alarm(0)
            error = answer.get("error")
            if error and error["kind"] in REJECTED:
                if not options:
                    return [f"rejected: {place}: {error['message']}"]
                continue  # the next option
            try:
                if error:
                    raise RuntimeError(f"{error['kind']}: {error['message']}")
                check(robot, answer)
                results.append(f"runs: {place}")
            except RuntimeError as failed:
                results.append(f"FAILED: {place}: {failed}")
            break
    return results


def _try(pair: tuple[str, str]) -> list[str]:
    return try_model(*pair)


def main() -> int:
    parser = argparse.ArgumentParser(description="run what the page copies, for every model of the robots")
    parser.add_argument(
        "robots", nargs="*", default=ROBOTS, metavar="ROBOT", help=f"default: {' '.join(ROBOTS)}"
    )
    parser.add_argument("--workers", type=int, help="number of processes (default: one per processor)")
    parser.add_argument("-v", "--verbose", action="store_true", help="also print the attempts that run")
    given = parser.parse_args()
    pairs = [(robot, model) for robot in given.robots for model in catalogue()]
    counts: Counter[str] = Counter()
    with Pool(given.workers, maxtasksperchild=20) as pool:  # derived models stay in memory
        for results in pool.imap_unordered(_try, pairs):
            for result in results:
                counts[result.partition(":")[0]] += 1
                if not result.startswith(("runs", "rejected")) or given.verbose:
                    print(result, flush=True)
    models = len(catalogue())
    print(f"{len(given.robots)} robots x {models} models: {dict(counts)}; 'runs': one Python and one command")
    return int(counts["FAILED"] > 0)


if __name__ == "__main__":
    sys.exit(main())
