"""The command `solve`: a pose from the command line, and its solutions as a table, JSON or CSV."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from symoro.errors import ArgumentError, OptionError
from symoro.model import Model, generate
from symoro.models.geometric.inverse.pose import given_entries
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.runtime import poses
from symoro.runtime.function import Array
from symoro.runtime.solutions import Nearest, nearest, windings
from symoro.ui import present
from symoro.ui.values import numbers, read_values

if TYPE_CHECKING:
    from symoro.ui.solve_numeric import Numeric

WORDS = ("valid", "out of reach", "singular", "no solution")
EMPTY = WORDS.index("no solution")
POSES = ("at", "pose", "matrix", "file")
ROUND_OFF = 1e-9


@dataclass(frozen=True, eq=False)
class Row:
    """A posture to be shown: row `number` of the model's result, from 1."""

    number: int
    q: Array
    status: str
    residual: float
    free: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Answer:
    """The postures of one pose; `nearest` tells which is nearest to the posture that was named, if one was."""

    rows: tuple[Row, ...]
    nearest: Nearest | None


def solve(model: Model | Numeric, options: argparse.Namespace) -> None:
    """Solve for every pose that was given, and show the answers."""
    joints = Joints(model.robot, options.degrees)
    targets, aim = _poses(model, options, joints)
    targets, notes = _rotations(targets, model.options.get("pose", "full"))
    solver = model.function(compiled=False)
    q0 = np.zeros(len(joints.names)) if aim is None else aim
    answers = [_answer(model.robot, joints, solver(T=T, q0=q0), aim, options.limits) for T in targets]
    numeric = not isinstance(model, Model)
    if numeric:
        answers = [_not_proved(answer) for answer in answers]
    if options.json:
        method = "numeric" if numeric else "closed form"
        data = [{**_data(answer, joints), "method": method} for answer in answers]
        present.as_json(data[0] if len(data) == 1 else data)
    elif options.csv:
        print("\n".join(_csv(answers, joints)))
    else:
        for note in notes:
            print(f"note: {note}")
        for number, answer in enumerate(answers, 1):
            _show(
                answer, joints, f"{model.robot.name}, pose {number}" if len(answers) > 1 else model.robot.name
            )


class Joints:
    """Joint positions as the user writes and reads them."""

    def __init__(self, robot: Robot, degrees: bool) -> None:
        own = independent(robot)
        turns = [robot.frame(j).sigma == JointType.REVOLUTE for j in own]
        self.names = [f"q{j}" for j in own]
        self.units = [("deg" if degrees else "rad") if turn else "m" for turn in turns]
        self.angle = np.pi / 180 if degrees else 1.0
        self.factors = np.where(turns, self.angle, 1.0)

    def read(self, name: str, text: str) -> Array:
        """A posture."""
        return _vector(name, text, self.names) * self.factors

    def written(self, q: Array) -> Array:
        return np.round(q / self.factors, 12) + 0.0


def _vector(name: str, text: str, entries: Sequence[str]) -> Array:
    given = numbers(name, text)
    if not isinstance(given, list) or len(given) != len(entries) or any(isinstance(x, list) for x in given):
        raise ArgumentError(
            f"--{name}: expected {len(entries)} numbers, {','.join(entries)}; got '{text[:60]}'"
        )
    return np.array(given, dtype=float)


# -- what is asked


def _poses(
    model: Model | Numeric, options: argparse.Namespace, joints: Joints
) -> tuple[list[Array], Array | None]:
    """The poses, and the posture to be near to."""
    if sum(getattr(options, name) is not None for name in POSES) != 1:
        raise OptionError(
            "expected one of --at, --pose, --matrix and --values, to tell the pose",
            hint="--at 0,0.5,... is the pose of a posture, --pose x,y,z,roll,pitch,yaw that of a frame",
        )
    aim = None if options.near is None else joints.read("near", options.near)
    if options.at is not None:
        posture = joints.read("at", options.at)
        return [_placed(model, posture)], posture if aim is None else aim
    if options.pose is not None:
        x, y, z, *angles = _vector("pose", options.pose, ["x", "y", "z", "roll", "pitch", "yaw"])
        roll, pitch, yaw = (angle * joints.angle for angle in angles)
        return [poses.from_angles(x, y, z, roll, pitch, yaw)], aim
    if options.matrix is not None:
        return [poses.from_entries(_array("--matrix", numbers("matrix", options.matrix)))], aim
    return _from_file(options.file), aim


def _placed(model: Model | Numeric, posture: Array) -> Array:
    """Where the frame is in a posture."""
    frames = {name: model.options[name] for name in ("frm", "to") if name in model.options}
    place = generate(model.robot, "fast-geometry", **frames).function(compiled=False)
    return np.asarray(place(q=posture)["T"])


def _from_file(file: str) -> list[Array]:
    values = read_values([], file)
    if list(values) != ["T"]:
        raise ArgumentError(
            f"'{file}': expected the poses under the name T", hint='{"T": [[1, 0, 0, 0.5], ...]}'
        )
    entries = _array(file, values["T"])
    one = entries.ndim == 1 or (entries.ndim == 2 and entries.shape[1] == 4)
    return [poses.from_entries(pose) for pose in ([entries] if one else entries)]


def _array(name: str, given: Any) -> Array:
    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected numbers, in rows of one length") from None


def _rotations(targets: Sequence[Array], entries: str) -> tuple[list[Array], list[str]]:
    """The poses with true rotations, where a whole rotation is given, and a word on those that were not."""
    if not all(all(row[:3]) for row in given_entries(entries)):
        return list(targets), []
    made, notes = [], []
    for target in targets:
        pose, change = poses.orthonormal(target)
        made.append(pose if change > ROUND_OFF else target)
        if change > ROUND_OFF:
            notes.append(f"the rotation was made orthonormal, which changed it by {change:.1g}")
    return made, notes


# -- what is found


def _answer(robot: Robot, joints: Joints, found: dict[str, Any], aim: Array | None, limits: bool) -> Answer:
    rows = []
    for k, status in enumerate(found["status"].astype(int)):
        if status == EMPTY or (limits and WORDS[status] == "out of reach"):
            continue
        free = tuple(name for name, flag in zip(joints.names, found["free"][k], strict=True) if flag)
        for q in windings(robot, found["q"][k]) if limits else [found["q"][k]]:
            rows.append(Row(k + 1, q, WORDS[status], float(found["residual"][k]), free))
    if aim is None or not rows:
        return Answer(tuple(rows), None)
    listed = {
        "q": np.array([row.q for row in rows]),
        "status": np.array([WORDS.index(row.status) for row in rows]),
    }
    best = nearest(listed, aim, robot=robot, limits=limits)
    return Answer(tuple(rows), best if best.index >= 0 else None)


def _not_proved(answer: Answer) -> Answer:
    """That no posture was found by iteration does not mean that there is none."""
    rows = tuple(replace(r, status="not reached") if r.status == "out of reach" else r for r in answer.rows)
    return replace(answer, rows=rows)


def _show(answer: Answer, joints: Joints, title: str) -> None:
    solved = sum(row.status in ("valid", "singular") for row in answer.rows)
    heading = f"{title}: {solved or 'no'} solution{'s' * (solved != 1)}"
    if not answer.rows:
        print(heading)
        return
    names = [f"{name} ({unit})" for name, unit in zip(joints.names, joints.units, strict=True)]
    lines = []
    for k, row in enumerate(answer.rows):
        mark = "*" if answer.nearest is not None and answer.nearest.index == k else ""
        positions = [f"{x:.6g}" for x in joints.written(row.q)]
        status = row.status + (f", {' '.join(row.free)} free" if row.free else "")
        lines.append([mark, str(row.number), *positions, status, f"{row.residual:.1e}"])
    present.table(["", "no.", *names, "status", "residual"], lines, heading)
    if answer.nearest is not None:
        text = ", ".join(f"{x:.6g}" for x in joints.written(answer.nearest.q))
        print(f"* the nearest: {text}; distance {answer.nearest.distance:.4g}")


def _data(answer: Answer, joints: Joints) -> dict[str, Any]:
    rows = [
        {
            "number": row.number,
            "q": joints.written(row.q).tolist(),
            "status": row.status,
            "free": row.free,
            "residual": row.residual,
        }
        for row in answer.rows
    ]
    best = answer.nearest
    return {
        "joints": joints.names,
        "units": joints.units,
        "solutions": rows,
        "nearest": best
        and {
            "number": answer.rows[best.index].number,
            "q": joints.written(best.q).tolist(),
            "distance": float(best.distance),
        },
    }


def _csv(answers: Sequence[Answer], joints: Joints) -> list[str]:
    lines = [",".join(["pose", "number", *joints.names, "status", "free", "residual"])]
    for pose, answer in enumerate(answers, 1):
        for row in answer.rows:
            cells = [pose, row.number, *joints.written(row.q), row.status, " ".join(row.free), row.residual]
            lines.append(",".join(map(str, cells)))
    return lines
