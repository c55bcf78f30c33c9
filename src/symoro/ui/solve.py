"""Run `symoro solve`: read a pose, solve for the joint positions, print the solutions as table, JSON or CSV."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symoro.emit.branches import SAMPLES
from symoro.errors import ArgumentError, NotApplicableError, OptionError, UnknownNameError
from symoro.model import Model, branch_solver, generate, numeric_inverse
from symoro.models.geometric.inverse.chain.pose import Given, given_entries
from symoro.models.geometric.inverse.redundancy import has_redundant_joint
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.progress import each
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import cut_joints
from symoro.runtime import poses
from symoro.runtime.compiler import find_compiler
from symoro.runtime.function import Array, Function
from symoro.runtime.numeric_inverse import NumericInverse
from symoro.runtime.solutions import Nearest, distances, nearest, windings
from symoro.ui import present
from symoro.ui.values import binding, numbers, posture_named, read_values

WORDS = ("valid", "out of reach", "singular", "no solution", "not decided")
EMPTY = WORDS.index("no solution")
SOLVED = ("valid", "singular")
ORDER = (*SOLVED, "not decided", "out of reach")  # order of the displayed rows
POSES = ("at", "pose", "matrix", "file")
WIDE = 11  # largest number of joints displayed as columns
ROUND_OFF = 1e-9
FLAT = 1e-9


@dataclass(frozen=True, eq=False)
class PostureRow:
    """Solution of the inverse geometric model as displayed.

    `number` is the row of the solution in the model's output (from 1), `residual` the difference between the reached
    pose and the requested one. `parameter` is the value of the free parameter of a redundant arm.
    """

    number: int
    q: Array
    status: str
    residual: float
    free: tuple[str, ...]
    parameter: float | None = None


@dataclass(frozen=True, eq=False)
class PoseAnswer:
    """Solutions of the inverse geometric model for one pose; valid solutions come first.

    If the user gives a posture, `nearest` is the solution nearest to it. `reason` states why there is no solution, if
    this is known.
    """

    rows: tuple[PostureRow, ...]
    nearest: Nearest | None
    reason: str = ""

    @property
    def solved(self) -> int:
        return sum(row.status in SOLVED for row in self.rows)


def solve(model: Model | Numeric | Redundant, options: argparse.Namespace) -> int:
    """Solve the inverse geometric model for every given pose and print the solutions.

    Returns:
        The exit code: 1 if no pose has a solution, otherwise 0.
    """
    joints = JointDisplay(model.robot, options.degrees)
    place = _direct_geometry(model)
    given = given_entries(model.options.get("pose", "full"))
    targets, aim = _poses(place, options, joints)
    turned, notes = _rotations(targets, given, place)
    if isinstance(model, Redundant):
        answers = [model.answer(T, aim) for T in each(turned, "solving")]
        shown = answers if options.json or options.csv else [_one_per_branch(answer) for answer in answers]
        hidden = sum(len(answer.rows) for answer in answers) - sum(len(answer.rows) for answer in shown)
        if hidden:
            notes.append(
                f"{model.words}; the nearest solution of each branch is listed, {hidden} others with --json or --csv"
            )
        return _print(shown, [model.method] * len(shown), notes, joints, options)
    solver = model.function(compiled=False)
    q0 = np.zeros(len(joints.names)) if aim is None else aim
    numeric = not isinstance(model, Model)
    # Closed forms of platforms have no start.
    start = {"q0": q0} if not isinstance(model, Model) or "q0" in model.inputs else {}
    answers = []
    fallback = numeric_fallback(model) if isinstance(model, Model) else None
    methods = []
    for target, T in each(list(zip(targets, turned, strict=True)), "solving"):
        solutions = solver(T=T, **start)
        methods.append("numeric" if numeric else "closed form")
        if fallback is not None and not np.isin(solutions["status"], (0, 2)).any():
            numeric_solutions = fallback(T, aim)
            if numeric_solutions is not None:
                solutions, methods[-1] = numeric_solutions, "numeric"
                notes.append(NUMERIC_NOTE)
        away = distances(place, solutions["q"], target, given)
        solutions["residual"] = np.maximum(away, solutions["residual"]) if model.robot.B else away
        answer = answer_of(model.robot, joints, solutions, aim, options.limits)
        answers.append(_not_proved(answer) if numeric else answer)
    return _print(answers, methods, notes, joints, options)


def _print(
    answers: Sequence[PoseAnswer],
    methods: Sequence[str],
    notes: Sequence[str],
    joints: JointDisplay,
    options: argparse.Namespace,
) -> int:
    """Print the solutions as table, JSON or CSV, and return the exit code."""
    if options.json:
        data = [
            {**as_data(answer, joints), "method": method}
            for answer, method in zip(answers, methods, strict=True)
        ]
        present.as_json(data[0] if len(data) == 1 else data)
    elif options.csv:
        print("\n".join(as_csv(answers, joints)))
    else:
        for note in dict.fromkeys(notes):
            print(f"note: {note}")
        for number, answer in enumerate(answers, 1):
            name = joints.robot.name
            show_answer(answer, joints, f"{name}, pose {number}" if len(answers) > 1 else name)
    return int(not any(answer.solved for answer in answers))


class JointDisplay:
    """Conversion of joint positions between SI units and displayed units (degrees if requested).

    Args:
        cut: whether the cut joints of loops are included.
    """

    def __init__(self, robot: Robot, degrees: bool, *, cut: bool = False) -> None:
        own = independent(robot) + (cut_joints(robot) if cut else [])
        turns = [robot.frame(j).sigma == JointType.REVOLUTE for j in own]
        self.names = [f"q{j}" for j in own]
        self.titles = [robot.frame(j).name for j in own]
        self.units = [("deg" if degrees else "rad") if turn else "m" for turn in turns]
        self.angle = np.pi / 180 if degrees else 1.0
        self.factors = np.where(turns, self.angle, 1.0)
        self.robot = robot

    def read(self, name: str, text: str) -> Array:
        """Return joint positions in SI units from a text with numbers or the name of a posture.

        Args:
            name: name of the option, for errors.
        """
        if (named := posture_named(self.robot, text.strip())) is not None:
            return np.array(named)
        return _vector(name, text, self.names) * self.factors

    def written(self, q: Array) -> Array:
        return np.round(q / self.factors[: len(q)], 12) + 0.0


def _vector(name: str, text: str, entries: Sequence[str]) -> Array:
    given = numbers(name, text)
    if len(entries) == 1 and not isinstance(given, list):
        given = [given]
    if not isinstance(given, list) or len(given) != len(entries) or any(isinstance(x, list) for x in given):
        raise ArgumentError(
            f"--{name}: expected {len(entries)} numbers, {','.join(entries)}; got '{text[:60]}'"
        )
    return np.array(given, dtype=float)


# -- poses


def _poses(
    place: Function, options: argparse.Namespace, joints: JointDisplay
) -> tuple[list[Array], Array | None]:
    """Return the poses given on the command line, and the joint positions of the option --near or None.

    Args:
        place: direct geometric model: function that computes the pose of the frame from joint positions.
        options: the parsed command line.
        joints: conversion of joint positions from displayed units.
    """
    if sum(getattr(options, name) is not None for name in POSES) != 1:
        active = (
            f"; qa={_list(active_joints(joints.robot))} gives all assembly modes" if joints.robot.B else ""
        )
        raise OptionError(
            "the pose is missing or given twice: expected exactly one of --at, --pose, --matrix and --values",
            hint=f"--at {','.join(joints.names)} gives the pose at these joint positions, "
            f"--pose x,y,z,roll,pitch,yaw position and angles{active}",
        )
    aim = None if options.near is None else joints.read("near", options.near)
    if options.at is not None:
        posture = joints.read("at", options.at)
        return [np.asarray(place(q=posture)["T"])], posture if aim is None else aim
    if options.pose is not None:
        x, y, z, *angles = _vector("pose", options.pose, ["x", "y", "z", "roll", "pitch", "yaw"])
        roll, pitch, yaw = (angle * joints.angle for angle in angles)
        return [poses.from_angles(x, y, z, roll, pitch, yaw)], aim
    if options.matrix is not None:
        return [poses.from_entries(_array("--matrix", numbers("matrix", options.matrix)))], aim
    return _from_file(options.file), aim


def _direct_geometry(model: Model | Numeric | Redundant) -> Function:
    """Return the function that computes the pose of the solved frame from the joint positions.

    Args:
        model: inverse geometric model, or the numerical solver in its place.
    """
    frames = {name: model.options[name] for name in ("frm", "to") if name in model.options}
    return generate(model.robot, "fast-geometry", **frames).function(compiled=False)


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


def _rotations(targets: Sequence[Array], given: Given, place: Function) -> tuple[list[Array], list[str]]:
    """Return the poses with orthonormal rotation matrices, and a note for each rotation that was changed.

    Args:
        targets: homogeneous transforms (4, 4).
        given: which entries of the transforms are given; the others are unknown.
        place: direct geometric model: function that computes the pose of the frame from joint positions.
    """
    if not np.isfinite(targets).all():
        raise ArgumentError("an entry of the pose is not a finite number")
    part = poses.rotation_part(given)
    hand = None if part is None else _hand(part, place)
    if part is None or hand == 0:
        return list(targets), []
    made, notes = [], []
    for target in targets:
        pose, change = poses.orthonormal(target, part, hand)
        made.append(pose if change > ROUND_OFF else target)
        if change > ROUND_OFF:
            notes.append(f"the rotation was made orthonormal, which changed it by {change:.1g}")
    return made, notes


def _hand(part: poses.RotationPart, place: Function) -> int | None:
    """Return the handedness of a frame that moves in a plane.

    The result is 1 or -1 for a right- or left-handed frame, 0 if the frame leaves the plane, and None if the pose
    has no rotation part. A frame that stays in a plane has the same handedness in all postures: -1 if its z axis
    points down.

    Args:
        part: entries of the pose that describe a rotation.
        place: direct geometric model: function that computes the pose of the frame from joint positions.
    """
    if part.whole or part.rows != len(part.columns):
        return 1 if part.whole else None
    postures = np.random.default_rng(0).uniform(-1, 1, (4, len(place.program.inputs[0].symbols)))
    hands = part.hands(place(q=postures)["T"])
    return round(float(hands[0])) if np.ptp(hands) < FLAT and abs(abs(hands[0]) - 1) < FLAT else 0


# -- results


def answer_of(
    robot: Robot, joints: JointDisplay, solutions: dict[str, Any], aim: Array | None, limits: bool
) -> PoseAnswer:
    """Return the solutions of a model for display.

    Args:
        joints: conversion of joint positions to displayed units.
        solutions: outputs q, status, free and residual of the model, one row per solution.
        aim: joint positions of a posture, to which the nearest solution is determined, or None.
        limits: keep only solutions within the joint limits.
    """
    rows, n = [], len(independent(robot))
    for k, status in enumerate(solutions["status"].astype(int)):
        if status == EMPTY or (limits and WORDS[status] not in SOLVED):
            continue
        free = tuple(name for name, flag in zip(joints.names, solutions["free"][k], strict=True) if flag)
        row = solutions["q"][k]
        turned = windings(robot, row[:n]) if limits else [row[:n]]
        for q in (np.concatenate([one, row[n:]]) for one in turned):
            rows.append(PostureRow(k + 1, q, WORDS[status], float(solutions["residual"][k]), free))
    rows.sort(key=lambda row: (ORDER.index(row.status), 0.0 if row.status in SOLVED else row.residual))
    if aim is None or not rows:
        return PoseAnswer(tuple(rows), None)
    listed = {
        "q": np.array([row.q[:n] for row in rows]),
        "status": np.array([WORDS.index(row.status) for row in rows]),
    }
    best = nearest(listed, aim, robot=robot, limits=limits)
    return PoseAnswer(tuple(rows), best if best.index >= 0 else None)


def _not_proved(answer: PoseAnswer) -> PoseAnswer:
    """Return the answer with the status 'out of reach' replaced by 'not reached'.

    The answer is that of an iteration, whose failure does not prove that the pose is out of reach.
    """
    rows = tuple(replace(r, status="not reached") if r.status == "out of reach" else r for r in answer.rows)
    return replace(answer, rows=rows)


def show_answer(answer: PoseAnswer, joints: JointDisplay, title: str, what: str = "solution") -> None:
    """Print a table of the solutions for one pose.

    Args:
        answer: the solutions.
        joints: conversion to displayed units.
        title: heading of the table.
        what: noun for a row of the table.
    """
    solved = answer.solved
    heading = f"{title}: {solved or 'no'} {what}{'s' * (solved != 1)}"
    if answer.reason:
        heading += f" ({answer.reason})"
    if not answer.rows:
        print(heading)
        return
    names = list(zip(joints.names, joints.units, joints.titles, strict=True))
    lines = []
    for k, row in enumerate(answer.rows):
        mark = "*" if answer.nearest is not None and answer.nearest.index == k else ""
        positions = [f"{x:.6g}" for x in joints.written(row.q)]
        status = row.status + (f", {' '.join(row.free)} free" if row.free else "")
        lines.append([mark, str(row.number), *positions, status, f"{row.residual:.1e}"])
    if len(names) <= WIDE:
        heads = [f"{name} ({unit})" + (f"\n{title}" if title else "") for name, unit, title in names]
        present.table(["", "no.", *heads, "status", "residual"], lines, heading)
    else:  # one row per joint
        heads = ["", "no.", *(f"{name} ({unit}) {title}".strip() for name, unit, title in names)]
        turned = zip(*([[*heads, "status", "residual"], *lines]), strict=True)
        present.table([""] * (1 + len(lines)), [list(line) for line in turned], heading)
    if answer.nearest is not None:
        text = ", ".join(f"{x:.6g}" for x in joints.written(answer.nearest.q))
        print(f"* the nearest: {text}; distance {answer.nearest.distance:.4g}")


def as_data(answer: PoseAnswer, joints: JointDisplay) -> dict[str, Any]:
    """Return the solutions for one pose as a dictionary for JSON."""
    rows = [
        {
            "number": row.number,
            "q": joints.written(row.q).tolist(),
            "status": row.status,
            "free": row.free,
            "residual": row.residual,
            **({} if row.parameter is None else {"parameter": row.parameter / joints.angle}),
        }
        for row in answer.rows
    ]
    best = answer.nearest
    return {
        "joints": joints.names,
        "names": joints.titles,
        "units": joints.units,
        "solutions": rows,
        **({"reason": answer.reason} if answer.reason else {}),
        "nearest": best
        and {
            "number": answer.rows[best.index].number,
            "q": joints.written(best.q).tolist(),
            "distance": float(best.distance),
        },
    }


def as_csv(answers: Sequence[PoseAnswer], joints: JointDisplay) -> list[str]:
    """Return the solutions for several poses as lines of comma-separated values."""
    lines = [",".join(["pose", "number", *joints.names, "status", "free", "residual"])]
    for pose, answer in enumerate(answers, 1):
        for row in answer.rows:
            cells = [pose, row.number, *joints.written(row.q), row.status, " ".join(row.free), row.residual]
            lines.append(",".join(map(str, cells)))
    return lines


# -- the method: closed form where there is one, otherwise numeric, with one posture per pose

METHOD = "numeric"
ONLY_NUMERIC = ("start", "prefer")
FIRST_RESTARTS = 20  # number of restarts in NumPy, before the solver is compiled
FEW = 5  # largest number of poses for which NumPy is tried first; beyond it compiling is faster


class Numeric:
    """Numerical solver of the inverse geometric model, which can be called like a closed-form model."""

    def __init__(self, robot: Robot, chosen: Mapping[str, Any], options: argparse.Namespace) -> None:
        self.robot = robot
        self.options = {name: value for name, value in chosen.items() if name != "method"}
        if self.options.pop("swivel", False):
            raise OptionError(
                "the option swivel requires a closed-form solution",
                hint="omit swivel; with --prefer Q1,Q2,... the solution closest to these joint positions is computed",
            )
        joints = JointDisplay(robot, options.degrees)
        start_option = next(
            (name for name in ("start", "near", "at") if getattr(options, name) is not None), None
        )
        self._start = (
            None if start_option is None else joints.read(start_option, getattr(options, start_option))
        )
        self._prefer = None if options.prefer is None else joints.read("prefer", options.prefer)
        self._only_limits = options.limits
        self._poses = 0
        self._solvers: dict[tuple[tuple[str, Any], ...], NumericInverse] = {}
        self._solver(compiled=False, limits=True, restarts=0)  # raises errors of the options early

    def function(self, *, compiled: bool | None = None) -> Numeric:
        return self

    def __call__(self, T: Array, q0: Array) -> dict[str, Any]:
        """Return one solution for the pose T, as a dictionary with the same keys as the outputs of a closed-form model.

        Args:
            T: pose of the frame (4, 4).
            q0: joint positions at which the iteration starts (options --start, --near or --at).
        """
        compiled = None if find_compiler() else False
        attempts: list[dict[str, Any]] = [
            {"compiled": False, "limits": True, "restarts": FIRST_RESTARTS},
            {"compiled": compiled, "limits": True},
            {"compiled": compiled, "limits": False},
        ]
        self._poses += 1
        many = compiled is None and self._poses > FEW
        for attempt in attempts[int(many) : 2 if self._only_limits else 3]:
            solution = self._solver(**attempt)(T, self._start, prefer=self._prefer)
            if solution["status"] == 0:
                break
        return {
            "q": solution["q"][None],
            "status": np.array([solution["status"]]),
            "residual": np.array([solution["residual"]]),
            "free": np.zeros((1, len(solution["q"]))),
        }

    def _solver(self, **attempt: Any) -> NumericInverse:
        key = tuple(attempt.items())
        if key not in self._solvers:
            self._solvers[key] = numeric_inverse(self.robot, **self.options, **attempt)
        return self._solvers[key]


class Redundant:
    """All branches of an arm with one redundant joint, at samples of its free parameter."""

    def __init__(self, robot: Robot, chosen: Mapping[str, Any], options: argparse.Namespace) -> None:
        self.robot = robot
        self.options = {name: chosen[name] for name in ("frm", "to", "tolerance") if name in chosen}
        self.samples = SAMPLES if options.samples is None else options.samples
        if self.samples < 1:
            raise OptionError(f"--samples: expected a whole number, at least 1; got {self.samples}")
        compiled = None if options.file is not None and find_compiler() else False
        self._solver = branch_solver(robot, limits=options.limits, compiled=compiled, **self.options)
        self.method = "closed form" if self._solver.exact else "refined closed form of a similar arm"
        free = "the swivel angle" if self._solver.parameter == "swivel" else f"q{self._solver.parameter}"
        self.words = f"one joint is redundant: {free} is sampled at {self.samples} values"

    def answer(self, T: Array, aim: Array | None) -> PoseAnswer:
        """Return all solutions of a pose T (4, 4), the nearest to the positions `aim` first."""
        branches = self._solver(T, aim, samples=self.samples)
        rows = tuple(
            PostureRow(
                int(branch) + 1, q, "valid", float(residual), (), None if np.isnan(value) else float(value)
            )
            for q, branch, residual, value in zip(
                branches.q, branches.branch, branches.residual, branches.parameter, strict=True
            )
        )
        if not rows:
            return PoseAnswer(rows, None, branches.status)
        if aim is None:
            return PoseAnswer(rows, None)
        return PoseAnswer(rows, Nearest(branches.q[0], 0, float(branches.distance[0])))


def _one_per_branch(answer: PoseAnswer) -> PoseAnswer:
    """Return the answer with the first row of each branch, which is the nearest one."""
    first: dict[int, PostureRow] = {}
    for row in answer.rows:
        first.setdefault(row.number, row)
    return replace(answer, rows=tuple(first.values()))


NUMERIC_NOTE = (
    "the closed form has no solution for a pose that the robot reaches, because its equations are degenerate there; "
    "the pose is solved numerically, which gives one solution"
)
FALLBACK_RESTARTS = 4  # few, because most poses without a closed-form solution are out of reach


def numeric_fallback(model: Model) -> Callable[[Array, Array | None], dict[str, Any] | None] | None:
    """Return a function that solves for a pose numerically if the closed form has no solution.

    The function takes a pose and joint positions at which to start, or None. It returns the outputs of the closed form
    with one solution, or None if the iteration does not reach the pose. There is no such function (None) for models
    that the numerical method cannot replace.
    """
    if model.robot.B or model.options.get("swivel") or model.options.get("method", "auto") != "auto":
        return None
    options = {
        name: value for name, value in model.options.items() if name in ("frm", "to", "pose", "locked")
    }
    solvers: list[NumericInverse] = []

    def solved(T: Array, start: Array | None) -> dict[str, Any] | None:
        if not solvers:
            solvers.append(
                numeric_inverse(
                    model.robot, **options, compiled=False, limits=False, restarts=FALLBACK_RESTARTS
                )
            )
        solution = solvers[0](T, start)
        if solution["status"] != 0 or solution["residual"] > model.options.get("tolerance", np.inf):
            return None
        q = solution["q"][None]
        return {
            "q": q,
            "status": np.zeros(1),
            "residual": np.array([solution["residual"]]),
            "free": np.zeros_like(q),
        }

    return solved


def model_or_numeric(
    robot: Robot, chosen: Mapping[str, Any], options: argparse.Namespace
) -> Model | Numeric | Redundant:
    """Return the solver of the inverse geometric model.

    The option --method selects it; without this option, the first method that applies to the robot is used.

    Args:
        chosen: options of the model by name.
        options: the parsed command line.
    """
    method = chosen.get("method", "auto")
    if method == METHOD:
        return Numeric(robot, chosen, options)
    try:
        model = generate(robot, options.model, **chosen)
    except NotApplicableError as refusal:
        if method != "auto" or chosen.get("swivel") or robot.B:
            raise
        numeric = Numeric(robot, chosen, options)
        reason = refusal.message.splitlines()[0]
        print(f"symoro: note: {reason}; solved numerically, one solution per pose", file=sys.stderr)
        return numeric
    is_redundant = has_redundant_joint(model.program)
    if is_redundant and method == "auto" and any(getattr(options, name) is not None for name in ONLY_NUMERIC):
        print(
            "symoro: note: --start and --prefer select the numeric method, one solution per pose",
            file=sys.stderr,
        )
        return Numeric(robot, chosen, options)
    if is_redundant and method == "auto":
        return Redundant(robot, chosen, options)
    if options.samples is not None:
        raise OptionError(
            "--samples applies to an arm with one redundant joint, without the options locked and swivel"
        )
    for name in ONLY_NUMERIC:
        if getattr(options, name) is not None:
            raise OptionError(f"--{name} applies to the numeric method only", hint=f"add --method {METHOD}")
    return model


# -- robots with closed loops: all assembly modes at given active joints, as a table, JSON or CSV

ACTIVE, START, START_CUT = "qa", "q0", "qc0"


def solve_modes(robot: Robot, words: list[str], options: argparse.Namespace, chosen: dict[str, Any]) -> int:
    """Print every assembly mode of a robot for given positions of its active joints.

    Args:
        words: arguments NAME=VALUE of the command line, with the positions of the active joints.
        options: the parsed command line.
        chosen: options of the model by name.

    Returns:
        The exit code: 1 if there is no assembly mode, otherwise 0.
    """
    _check(robot, options)
    joints = {
        ACTIVE: active_joints(robot),
        START: independent(robot),
        START_CUT: cut_joints(robot),
    }
    given = {
        name: _positions(robot, name, joints[name], text, options) for name, text in _named(words, joints)
    }
    if ACTIVE not in given:
        raise ArgumentError(
            f"expected the active joints of robot '{robot.name}' as {ACTIVE}={_list(joints[ACTIVE])}"
        )
    model = generate(robot, "loop-geometry", **chosen)
    solutions = model.function(compiled=False)(**given)
    shown = JointDisplay(robot, options.degrees, cut=True)
    aim = None if options.near is None else JointDisplay(robot, options.degrees).read("near", options.near)
    solutions = {**solutions, "q": np.concatenate([solutions["q"], solutions["qc"]], axis=1)}
    solutions["free"] = np.concatenate([solutions["free"], np.zeros_like(solutions["qc"])], axis=1)
    answer = answer_of(robot, shown, solutions, aim, options.limits)
    if options.json:
        present.as_json({**as_data(answer, shown), "method": _method(model)})
    elif options.csv:
        print("\n".join(as_csv([answer], shown)))
    else:
        show_answer(answer, shown, robot.name, "assembly mode")
        if _method(model) == "numeric":
            print(f"note: {model.program.choices[0]}")
    return int(not answer.solved)


def _method(model: Model) -> str:
    return "numeric" if model.program.choices[0].startswith("Newton") else "closed form"


def _check(robot: Robot, options: argparse.Namespace) -> None:
    """Reject options of `symoro solve` that cannot be combined with active joint positions."""
    if not robot.B:
        raise NotApplicableError(
            f"robot '{robot.name}' has no closed loops: there are no passive joints to compute from qa",
            hint="give a pose with --at, --pose, --matrix or --values",
        )
    given_poses = [
        f"--{name}" for name in (*POSES[:-1], "start", "prefer") if getattr(options, name) is not None
    ]
    if options.file is not None:
        given_poses.append("--values")
    if given_poses:
        raise OptionError(
            f"{ACTIVE} and {given_poses[0]} exclude each other: give either the active joints or a pose",
            hint=f"{START}=... gives the start of Newton's method" if given_poses[0] == "--start" else None,
        )


def _named(words: list[str], joints: dict[str, list[int]]) -> list[tuple[str, str]]:
    pairs = [binding(word) for word in words]
    for name, _ in pairs:
        if name not in joints:
            hint = f"the active joints are {ACTIVE}={_list(joints[ACTIVE])}"
            raise UnknownNameError("input of solve", name, list(joints), hint=hint)
    return pairs


def _positions(robot: Robot, name: str, joints: list[int], text: str, options: argparse.Namespace) -> Array:
    """Return joint positions in SI units from a text with numbers or the name of a posture.

    Args:
        name: name of the option, for errors.
        joints: numbers of the joints.
        text: the numbers, or the name.
        options: the parsed command line, which selects degrees or radians.
    """
    shown = JointDisplay(robot, options.degrees, cut=True)
    factors = dict(zip([*independent(robot), *cut_joints(robot)], shown.factors, strict=True))
    named = posture_named(robot, text.strip()) if name != START_CUT else None
    if named is not None:
        at = dict(zip(independent(robot), named, strict=True))
        return np.array([at[j] for j in joints])
    given = numbers(name, text)
    values = given if isinstance(given, list) else [given]
    if len(values) != len(joints) or any(isinstance(x, list) for x in values):
        plural = "s" if len(joints) != 1 else ""
        what = {ACTIVE: "active joint", START: "joint", START_CUT: "cut joint"}[name]
        raise ArgumentError(
            f"{name}: robot '{robot.name}' has {len(joints)} {what}{plural}, {_list(joints)}; got {len(values)} "
            f"value{'s' if len(values) != 1 else ''}",
            hint=f"for example {name}={','.join('0.5' for _ in joints)}",
        )
    positions: Array = np.array(values, dtype=float) * np.array([factors[j] for j in joints])
    return positions


def _list(joints: list[int]) -> str:
    return ",".join(f"q{j}" for j in joints)
