"""Warnings about the numbers of a description: inertias that no body has, missing inertias, units that look wrong.

They are warnings and not errors, because models exist for any numbers. A body has a mass m > 0, and its inertia matrix
about the centre of mass has principal moments I1 <= I2 <= I3 with

    I1 >= 0 and I1 + I2 >= I3,

as each is an integral of two of x^2, y^2, z^2 over the mass. Traversaro et al., "Identification of fully physical
consistent inertial parameters using optimization on manifolds", IROS 2016, section III.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from symoro.errors import ProgramError
from symoro.expr.formula import Formula
from symoro.robot.description import ANGLES, GEOMETRIC, INERTIAL, BaseKind, Link, Robot
from symoro.robot.free_base import unborne_joint
from symoro.robot.size import characteristic_length
from symoro.robot.topology import outward
from symoro.robot.wheel_checks import heights

TOLERANCE = 1e-3
"""Of the largest moment: files round to three or four digits, and a rod is at the limit already."""

POINT = 1e-12
"""Of the square of the robot's length: a body with less inertia per mass is a point, and the rest is round-off."""

SWEEPS = 12
"""Of Jacobi's rotations; they converge quadratically, and four or five do."""

WARNING = "warning: "
"""Prefix of those notes of a robot that are warnings about its file."""

LARGEST_ANGLE = 2 * math.pi
"""Radians: a constant angle has no reason to exceed one turn, so a larger number is probably in degrees."""

LARGEST_LENGTH = 50.0
"""Metres: the longest arms in use are shorter, so a larger number is probably in millimetres."""

Tensor = Sequence[Sequence[float]]


def warnings(robot: Robot) -> list[str]:
    """What the reader of the robot's file found doubtful, and what its numbers give cause to doubt."""
    read = [note.removeprefix(WARNING) for note in robot.notes if note.startswith(WARNING)]
    rest = [line for label, line in _doubts(robot) if not any(told.startswith(label) for told in read)]
    return [*read, *rest]


def doubts(robot: Robot) -> list[str]:
    """What no real robot has, as sentences; links with symbols that have no value are left alone."""
    return [line for _, line in _doubts(robot)]


def _doubts(robot: Robot) -> Iterator[tuple[str, str]]:
    """Sentences, each with the link or joint that it is about."""
    values = _Values(robot)
    links = {f"link {j}": link for j, link in enumerate(robot.links, 1)}
    if robot.base.kind != BaseKind.FIXED:
        links["the base"] = robot.base.link
    if robot.payload:
        links["the payload"] = robot.payload
    for place, link in links.items():
        label = f"link '{link.name}'" if link.name else place
        yield from ((label, line) for line in _of_link(label, link, values))
    for j, frame in enumerate(robot.frames, 1):
        label = f"joint '{frame.name}'" if frame.name else f"joint {j}"
        for field, what in (("IA", "rotor inertia"), ("FV", "viscous friction"), ("FS", "dry friction")):
            value = values.of(getattr(frame, field))
            if value is not None and value < 0:
                yield label, f"{label}: the {what} {field} = {value:g} is negative"
    yield from heights(robot)
    yield from _of_base(robot, values)
    yield from (("the robot", line) for line in without_inertia(robot))
    yield from _units(robot, values)


def without_inertia(robot: Robot) -> list[str]:
    """Return a sentence about the joints that move neither mass nor inertia, if there are any.

    Loops and wheels couple the joints, so that a joint without inertia of its own is common there; for such robots
    only the absence of every inertia is reported.
    """
    values = _Values(robot)

    def present(link: Link | None) -> bool:
        return link is not None and any(values.of(getattr(link, name)) != 0 for name in INERTIAL)

    # The mass of a link is moved by every joint between the link and the base.
    moves = [present(robot.link(j)) or bool(robot.link(j).flexible) for j in range(robot.NL + 1)]
    if robot.tool and present(robot.payload):
        moves[robot.tool.place.ant] = True
    for j in reversed([j for j in outward(robot) if 1 <= j <= robot.NL]):
        moves[robot.frame(j).ant] = moves[robot.frame(j).ant] or moves[j]
    joints = [j for j in range(1, robot.NL + 1) if robot.frame(j).moving]
    idle = [j for j in joints if not moves[j] and values.of(robot.frame(j).IA) == 0]
    if joints and idle == joints:
        return [
            "no link has a mass or an inertia: the dynamic models contain no inertial and no gravity torques; "
            "add the inertial parameters to the description"
        ]
    if not idle or robot.B or robot.wheels:
        return []
    names = ", ".join(robot.frame(j).name or str(j) for j in idle[:8]) + (" ..." if len(idle) > 8 else "")
    return [
        f"{'joints' if len(idle) > 1 else 'joint'} {names}: no mass and no inertia is moved, so the inertial and "
        "gravity torques there are zero and the inertia matrix is singular"
    ]


def _units(robot: Robot, values: _Values) -> Iterator[tuple[str, str]]:
    """Constant angles and lengths that look like degrees and millimetres."""
    for j, frame in enumerate(robot.frames, 1):
        label = f"frame {j}" + (f" ('{frame.name}')" if frame.name else "")
        for name in GEOMETRIC:
            value = values.of(getattr(frame, name)) or 0.0
            if name in ANGLES and abs(value) > LARGEST_ANGLE:
                degrees = f"write {value:g}*pi/180 for {value:g} degrees"
                yield label, f"{label}: {name} = {value:g} rad is more than one turn; {degrees}"
            elif name not in ANGLES and abs(value) > LARGEST_LENGTH:
                metres = f"lengths are in metres: write {value / 1000:g} for {value:g} mm"
                yield label, f"{label}: {name} = {value:g} m is very long; {metres}"


def _of_base(robot: Robot, values: _Values) -> Iterator[tuple[str, str]]:
    """What a floating base lacks, and what is said of it in vain."""
    base = robot.base
    if base.kind != BaseKind.FLOATING:
        return
    label = f"link '{base.link.name}'" if base.link.name else "the base"
    j = unborne_joint(robot, lambda formula: values.of(formula) == 0)
    if j is not None:
        yield (
            label,
            f"{label} has no mass, and joint {j} alone stands on it: the inertia matrix A of the floating robot is "
            f"singular in every posture, and torques determine no accelerations; give link 0 a mass and an inertia, "
            f"or joint {j} a rotor inertia IA",
        )
    if any(f.number not in (None, 0) for f in (*base.V0, *base.W0, *base.VP0, *base.WP0)):
        yield (
            label,
            f"{label}: the velocity and acceleration of a floating base are inputs of its models, V0 and Vd0; the "
            f"numbers that the description gives are not used",
        )


def of_body(label: str, mass: float, tensor: Tensor, length: float = 1.0) -> list[str]:
    """What is doubtful about a mass and an inertia matrix about the centre of mass."""
    if mass < 0:
        return [f"{label}: the mass {mass:g} is negative"]
    largest = max(abs(value) for row in tensor for value in row)
    if largest <= POINT * length**2 * abs(mass):
        return []
    if mass == 0:
        return [f"{label} has an inertia but no mass"]
    low, middle, high = principal(tensor)
    shown = ", ".join(f"{0.0 if abs(value) < 1e-9 * high else value:.4g}" for value in (low, middle, high))
    if low < -TOLERANCE * high:
        return [f"{label}: the principal inertias about the centre of mass ({shown}) are not all positive"]
    if low + middle < high * (1 - TOLERANCE):
        return [
            f"{label}: no body has the principal inertias {shown} about its centre of mass: "
            "the largest exceeds the sum of the others"
        ]
    return []


def principal(tensor: Tensor) -> tuple[float, float, float]:
    """The eigenvalues of a symmetric matrix, in rising order: by Jacobi's rotations, for want of NumPy in a browser."""
    scale = max(abs(value) for row in tensor for value in row) or 1.0
    a = [[value / scale for value in row] for row in tensor]
    for _ in range(SWEEPS):
        for p, q, r in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
            if a[p][q] == 0:
                continue
            half = (a[q][q] - a[p][p]) / (2 * a[p][q])
            t = math.copysign(1.0, half) / (abs(half) + math.hypot(half, 1.0))
            c = 1 / math.hypot(t, 1.0)
            a[p][p], a[q][q] = a[p][p] - t * a[p][q], a[q][q] + t * a[p][q]
            a[p][r], a[q][r] = c * (a[p][r] - t * a[q][r]), c * (a[q][r] + t * a[p][r])
            a[r][p], a[r][q] = a[p][r], a[q][r]
            a[p][q] = a[q][p] = 0.0
    low, middle, high = sorted(a[i][i] * scale for i in range(3))
    return low, middle, high


def _of_link(label: str, link: Link, values: _Values) -> Iterator[str]:
    known = {name: values.of(getattr(link, name)) for name in INERTIAL}
    mass = known["M"]
    if mass is None or any(value is None for value in known.values()):
        if mass is not None and mass < 0:
            yield f"{label}: the mass {mass:g} is negative"
        return
    v = {name: value for name, value in known.items() if value is not None}
    moment = (v["MX"], v["MY"], v["MZ"])
    if mass == 0 and any(moment):
        yield f"{label} has first moments but no mass"
        return
    centre = [x / mass for x in moment] if mass else [0.0, 0.0, 0.0]
    far = sum(x * x for x in centre)
    tensor = [
        [
            v["XYZ"[min(i, k)] + "XYZ"[max(i, k)]] - mass * (far * (i == k) - centre[i] * centre[k])
            for k in range(3)
        ]
        for i in range(3)
    ]
    if all(math.isfinite(x) for row in tensor for x in row):
        # What is left of large moments about the frame's origin is round-off.
        noise = 1e-9 * max(abs(v["XX"]), abs(v["YY"]), abs(v["ZZ"]), mass * far)
        rounded = [[x if abs(x) > noise else 0.0 for x in row] for row in tensor]
        yield from of_body(label, mass, rounded, values.length)


class _Values:
    """Numbers of formulas at the robot's nominal values."""

    def __init__(self, robot: Robot) -> None:
        self._nominal = dict(robot.nominal)
        self.length = characteristic_length(robot)

    def of(self, formula: Formula) -> float | None:
        """The value, or None where a symbol has none or the formula cannot be computed."""
        if formula.is_zero:
            return 0.0
        if formula.symbols - self._nominal.keys():
            return None
        try:
            return formula.value(self._nominal)
        except (ProgramError, ArithmeticError):
            return None
