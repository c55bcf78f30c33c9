"""Warnings about physically inconsistent or unusual numbers: inertias, masses, units.

These are warnings and not errors, because the models are defined for any numbers. A rigid body has a mass m > 0, and
its inertia matrix about the centre of mass has principal moments I1 <= I2 <= I3 with

    I1 >= 0 and I1 + I2 >= I3,

because each moment is an integral of two of x^2, y^2, z^2 over the mass. Traversaro et al., "Identification of fully
physical consistent inertial parameters using optimization on manifolds", IROS 2016, section III.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from symoro.errors import ProgramError
from symoro.expr.formula import Formula
from symoro.robot.description import ANGLES, GEOMETRIC, INERTIAL, BaseKind, Link, Robot
from symoro.robot.free_base import inertia_free_base_joint
from symoro.robot.size import characteristic_length
from symoro.robot.topology import outward
from symoro.robot.wheel_checks import heights

TOLERANCE = 1e-3
"""Tolerance relative to the largest moment: files round to 3 or 4 digits, and a thin rod satisfies I1 + I2 = I3."""

POINT = 1e-12
"""Tolerance relative to the squared length of the robot: less inertia per mass is a point mass with round-off."""

SWEEPS = 12
"""Maximum number of Jacobi sweeps; the convergence is quadratic, and four or five sweeps suffice."""

WARNING = "warning: "
"""Prefix of those notes of a robot that are warnings about its file."""

LARGEST_ANGLE = 2 * math.pi
"""Radians: a constant angle larger than one turn was probably given in degrees."""

LARGEST_LENGTH = 50.0
"""Metres: no arm in use is longer, so a larger number was probably given in millimetres."""

DRIVE_QUANTITIES = {
    "IA": "rotor inertia",
    "FV": "viscous friction",
    "FS": "dry friction",
    "FB": "dry friction at low speed",
    "FL": "load-dependent friction",
}

Tensor = Sequence[Sequence[float]]


def warnings(robot: Robot) -> list[str]:
    """Return all warnings about a robot: those of its file reader, then those about unusual numbers."""
    read = [note.removeprefix(WARNING) for note in robot.notes if note.startswith(WARNING)]
    rest = [
        line
        for label, line in _labelled_warnings(robot)
        if not any(warning.startswith(label) for warning in read)
    ]
    return [*read, *rest]


def data_warnings(robot: Robot) -> list[str]:
    """Return warnings about physically impossible or improbable numbers of a robot.

    Links with symbols that have no value are not checked.
    """
    return [line for _, line in _labelled_warnings(robot)]


def _labelled_warnings(robot: Robot) -> Iterator[tuple[str, str]]:
    """Yield pairs (name of the link or joint concerned, warning)."""
    values = _Values(robot)
    links = {f"link {j}": link for j, link in enumerate(robot.links, 1)}
    if robot.base.kind != BaseKind.FIXED:
        links["the base"] = robot.base.link
    if robot.payload:
        links["the payload"] = robot.payload
    for position, link in links.items():
        label = f"link '{link.name}'" if link.name else position
        yield from ((label, line) for line in _link_warnings(label, link, values))
    for j, frame in enumerate(robot.frames, 1):
        label = f"joint '{frame.name}'" if frame.name else f"joint {j}"
        for field, quantity in DRIVE_QUANTITIES.items():
            value = values.of(getattr(frame, field))
            if value is not None and value < 0:
                yield label, f"{label}: the {quantity} {field} = {value:g} is negative"
        velocity, load = values.of(frame.VS), values.of(frame.FL)
        if not frame.FB.is_zero and velocity is not None and velocity <= 0:
            yield label, f"{label}: Stribeck's velocity VS = {velocity:g} is not positive"
        if load is not None and load >= 1:
            yield (
                label,
                f"{label}: the friction FL = {load:g} of the whole drive torque makes the joint self-locking",
            )
    for motor in robot.motors:
        label = f"the coupled motor of joint {motor.joint}"
        for field in ("IAM", "FVM", "FSM"):
            value = values.of(getattr(motor, field))
            if value is not None and value < 0:
                yield label, f"{label}: {field} = {value:g} is negative"
    yield from heights(robot)
    yield from _base_warnings(robot, values)
    yield from (("the robot", line) for line in without_inertia(robot))
    yield from _unit_warnings(robot, values)


def without_inertia(robot: Robot) -> list[str]:
    """Return a list with a warning about joints that move neither mass nor inertia; empty if there are none.

    In robots with closed loops or wheels some joints usually move no inertia. For such robots there is a warning only
    if no link at all has a mass or an inertia.
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
            "no moving link has a mass or an inertia: the dynamic models contain no inertial and no gravity torques; "
            "add the inertial parameters to the description"
        ]
    if not idle or robot.B or robot.wheels:
        return []
    names = ", ".join(robot.frame(j).name or str(j) for j in idle[:8]) + (" ..." if len(idle) > 8 else "")
    return [
        f"{'joints' if len(idle) > 1 else 'joint'} {names}: no mass and no inertia is moved, so the inertial and "
        "gravity torques there are zero and the inertia matrix is singular"
    ]


def _unit_warnings(robot: Robot, values: _Values) -> Iterator[tuple[str, str]]:
    """Yield (label, warning) for constants that were probably given in degrees or millimetres.

    Args:
        robot: the robot; its constant angles and lengths are checked.
        values: evaluator of formulas at the nominal values.
    """
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


def _base_warnings(robot: Robot, values: _Values) -> Iterator[tuple[str, str]]:
    """Yield (name of the base, warning) about a floating base without inertia or with prescribed motion.

    A prescribed motion of a floating base is not used, because the motion is an input of the models.
    """
    base = robot.base
    if base.kind != BaseKind.FLOATING:
        return
    label = f"link '{base.link.name}'" if base.link.name else "the base"
    j = inertia_free_base_joint(robot, lambda formula: values.of(formula) == 0)
    if j is not None:
        yield (
            label,
            f"{label} has no mass, and joint {j} is the only joint on it: the inertia matrix A of the "
            "floating robot is "
            f"singular in every posture, and torques determine no accelerations; give link 0 a mass and an inertia, "
            f"or joint {j} a rotor inertia IA",
        )
    if any(f.number not in (None, 0) for f in (*base.V0, *base.W0, *base.VP0, *base.WP0)):
        yield (
            label,
            f"{label}: the velocity and acceleration of a floating base are inputs of its models, V0 and Vd0; the "
            f"numbers that the description gives are not used",
        )


def body_warnings(label: str, mass: float, tensor: Tensor, length: float = 1.0) -> list[str]:
    """Return warnings about the mass and the inertia matrix of a body.

    Args:
        label: name of the body in the warnings.
        mass: mass (kg).
        tensor: inertia matrix about the centre of mass (kg m2), 3x3.
        length: length of the robot in metres; inertias that are negligible for this length are considered to be
            round-off.
    """
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
    """Return the eigenvalues of a symmetric 3x3 matrix in increasing order, by Jacobi's method.

    NumPy is not used, because this module must also run in browsers without NumPy.
    """
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


def _link_warnings(label: str, link: Link, values: _Values) -> Iterator[str]:
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
        # The difference of two large moments contains their round-off.
        noise = 1e-9 * max(abs(v["XX"]), abs(v["YY"]), abs(v["ZZ"]), mass * far)
        rounded = [[x if abs(x) > noise else 0.0 for x in row] for row in tensor]
        yield from body_warnings(label, mass, rounded, values.length)


class _Values:
    """Evaluator of formulas at the nominal parameter values of a robot."""

    def __init__(self, robot: Robot) -> None:
        self._nominal = dict(robot.nominal)
        self.length = characteristic_length(robot)

    def of(self, formula: Formula) -> float | None:
        """Return the value of a formula, or None if a symbol has no value or the formula cannot be evaluated."""
        if formula.is_zero:
            return 0.0
        if formula.symbols - self._nominal.keys():
            return None
        try:
            return formula.value(self._nominal)
        except (ProgramError, ArithmeticError):
            return None
