"""A robot scaled by s, and the factor by which each entry of its models' arrays changes.

Masses and times do not change. A quantity whose unit contains the metre to the power p (newton once, joule twice) is
multiplied by s^p, as are prismatic positions and gravity. The units are those of `symoro.notation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.expr.formula import Formula, formula
from symoro.notation import UNITS
from symoro.robot.coordinates import independent
from symoro.robot.description import (
    INERTIAL,
    WRENCH,
    Base,
    BaseKind,
    Frame,
    JointType,
    Limits,
    Link,
    Robot,
    Tool,
)
from symoro.robot.flexibility import MODES, Flexibility, flexible_links
from symoro.robot.topology import cut_joints, moving_joints

Array = NDArray[np.float64]

METRES = {"m": 1, "N": 1, "J": 2}  # powers of the metre in the units that contain it
FIELDS = {"rest": "q", "QP": "qd", "QDP": "qdd", "GAM": "tau", "radius": "r", "roller": "gamma"}
BASE_FIELDS = {"G": "m/s2", "V0": "m/s", "VP0": "m/s2", "W0": "rad/s", "WP0": "rad/s2"}
TWIST = [1, 1, 1, 0, 0, 0]  # linear, angular


def power(unit: str) -> int:
    """Return the power of the metre in a unit such as 'N m s/rad'."""
    above, _, below = unit.partition("/")
    return _metres(above) - _metres(below)


def _metres(product: str) -> int:
    total = 0
    for factor in product.split():
        letters = factor.rstrip("0123456789")
        total += METRES.get(letters, 0) * int(factor[len(letters) :] or 1)
    return total


def of_joint(name: str, sigma: int) -> int:
    """Return the power of a joint quantity, whose unit depends on the kind of joint."""
    return power(UNITS[name].split(", ")[-1 if sigma == JointType.PRISMATIC else 0])


def complete(robot: Robot, seed: int = 0) -> Robot:
    """Return the robot with numbers for its symbols: nominal, else physically possible; wrenches stay symbols."""
    rng = np.random.default_rng(seed)
    wrenches = {str(getattr(link, name)) for link in (robot.base.link, *robot.links) for name in WRENCH}
    values: dict[str, float] = {}
    for name in robot.symbols():
        stem = name.rstrip("0123456789")
        low, high = {"M": (1, 3), "k": (20, 40), "G": (-9.81, -9.81)}.get(stem, (0.1, 0.4))
        if stem in ("XX", "YY", "ZZ"):
            low, high = 0.4, 0.6
        elif stem in ("XY", "XZ", "YZ", "MX", "MY", "MZ"):
            low, high = -0.04, 0.04
        values[name] = round(float(rng.uniform(low, high)), 3)
    values.update({name: value for name, value in robot.nominal if name in values})
    return robot.bind({name: value for name, value in values.items() if name not in wrenches})


def scaled(robot: Robot, s: Fraction) -> Robot:
    """Return the robot scaled by s; its formulas contain only numbers, or symbols that are not scaled."""
    kinds = [frame.sigma for frame in robot.frames]
    changed = replace(
        robot,
        frames=tuple(_scaled_frame(frame, s) for frame in robot.frames),
        links=tuple(_scaled_record(link, s) for link in robot.links),
        base=_scaled_base(robot.base, s),
        tool=robot.tool and Tool(_scaled_record(robot.tool.place, s), robot.tool.name),
        payload=robot.payload and _scaled_record(robot.payload, s),
        wheels=tuple(_scaled_record(wheel, s) for wheel in robot.wheels),
    )
    factors = [float(s) ** of_joint("q", kinds[j - 1]) for j in moving_joints(robot)]
    own = [float(s) ** of_joint("q", kinds[j - 1]) for j in independent(robot)]
    postures = {
        name: tuple(x * f for x, f in zip(q, own if len(q) == len(own) else factors, strict=True))
        for name, q in robot.postures.items()
    }
    return replace(changed, postures=postures)


def times(value: Formula, s: Fraction, p: int) -> Formula:
    """Return a formula times s^p, exactly; a formula with a symbol is unchanged."""
    if value.symbols or value.is_zero or p == 0:
        return value
    return formula(f"({value})*({s**p})")


def _scaled_record(item: Any, s: Fraction) -> Any:
    changes: dict[str, Any] = {}
    for field in fields(item):
        value = getattr(item, field.name)
        if isinstance(value, Formula):
            changes[field.name] = times(value, s, power(UNITS[FIELDS.get(field.name, field.name)]))
        elif isinstance(value, (Flexibility, Link)):
            changes[field.name] = _scaled_record(value, s)
    return replace(item, **changes)


def _scaled_frame(frame: Frame, s: Fraction) -> Frame:
    changes: dict[str, Any] = {}
    for field in fields(frame):
        value = getattr(frame, field.name)
        if isinstance(value, Formula):
            changes[field.name] = times(value, s, of_joint(FIELDS.get(field.name, field.name), frame.sigma))
    names = {"lower": "q", "upper": "q", "velocity": "qd", "effort": "tau"}
    limits = {
        name: None if getattr(frame.limits, name) is None else getattr(frame.limits, name) * float(s) ** p
        for name, p in ((name, of_joint(unit, frame.sigma)) for name, unit in names.items())
    }
    return replace(frame, limits=Limits(**limits), **changes)


def _scaled_base(base: Base, s: Fraction) -> Base:
    vectors = {
        name: tuple(times(x, s, power(unit)) for x in getattr(base, name))
        for name, unit in BASE_FIELDS.items()
    }
    Z = tuple(times(x, s, int(k in (3, 7, 11))) for k, x in enumerate(base.Z))
    return replace(base, link=_scaled_record(base.link, s), Z=Z, **vectors)


# -- arrays of models


class Powers:
    """Powers of s of the entries of a robot's arrays."""

    def __init__(self, robot: Robot, columns: Sequence[str] = (), *, platform: bool = False) -> None:
        kind = [of_joint("q", frame.sigma) for frame in robot.frames]
        self.robot, self.platform = robot, platform
        self.n = [kind[j - 1] for j in independent(robot)]
        self.tree = [kind[j - 1] for j in moving_joints(robot)]
        self.na = [kind[j - 1] for j in independent(robot) if robot.frame(j).mu]
        self.p = [kind[j - 1] for j in independent(robot) if not robot.frame(j).mu]
        self.cut = [kind[j - 1] for j in cut_joints(robot)]
        self.e = [
            int(which != "twist")
            for beam in flexible_links(robot).values()
            for which in MODES
            for _ in range(getattr(beam, which))
        ]
        self.P = [self.of_parameter(name) for name in columns]

    def of_parameter(self, name: str) -> int:
        stem = name.rstrip("0123456789")
        number = int(name[len(stem) :] or 0)
        if stem in INERTIAL:
            return power(UNITS[stem])
        if not number or stem not in UNITS:
            return 0
        return of_joint(stem, self.robot.frame(number).sigma)

    def _motion(self, name: str, length: int) -> list[int]:
        """Return the powers of a vector of positions or rates."""
        if name in ("V", "V0", "Vd", "Vd0", "a"):
            return TWIST if length == 6 else [1, 1, 0]
        if name == "R0":
            return [0] * length
        if name in ("e", "ed", "edd"):
            return self.e
        if name in ("qc", "qc0"):
            return self.cut
        if name in ("qa", "qda", "qdda"):
            return self.na
        return self._coordinates(length)

    def _coordinates(self, length: int) -> list[int]:
        """Return the powers of a vector with one entry per coordinate: base, joints, modes."""
        if self.platform and length == 6:
            return TWIST
        wheeled = self.robot.base.kind == BaseKind.WHEELED
        bases = ([], TWIST, [1, 1, 0]) if not wheeled else ([], [1, 1, 0])
        candidates = [
            [*base, *joints, *modes]
            for modes in (self.e, [])
            for base in bases
            for joints in ((self.na, self.n, self.tree) if self.robot.B or wheeled else (self.n, self.tree))
        ]
        candidates += [TWIST]
        return next(c for c in candidates if len(c) == length)

    def of(self, model: str, name: str, shape: tuple[int, ...]) -> Array | None:
        """Return the powers of an array; None if its name does not determine them."""
        if name in ("status", "residual", "free", "R0", "Q0", "damping", "swivel"):
            return np.zeros(shape)
        if name == "T":
            powers = np.zeros(shape)
            powers[..., :3, 3] = 1
            return powers
        uniform = {"E": 2, "U": 2, "com": 1, "forces": 1, "v": 1, "vd": 1, "w": 0, "wd": 0, "P0": 1}
        if name in uniform:
            return np.full(shape, uniform[name])
        if name in ("reactions", "cut_reactions", "wrench", "wrench0", "F"):
            return np.broadcast_to([1, 1, 1, 2, 2, 2], shape).astype(float)
        if name == "h" and model == "centroidal-momentum":
            return np.array([1, 1, 1, 2, 2, 2])
        if name in ("h", "dh", "p"):
            return 2 - np.array(self.P)
        if name == "K":
            return np.array(self.P)
        return self._of_matrix(model, name, shape)

    def _of_matrix(self, model: str, name: str, shape: tuple[int, ...]) -> Array | None:
        if name == "det":
            return None
        if not shape:
            return np.zeros(())
        if name in ("A", "B", "D", "H", "Q", "tau", "tau_free"):
            total = np.full(shape, 2.0)
            for k, length in enumerate(shape):
                axis = np.array(self._coordinates(length))
                total = total - axis.reshape([-1 if i == k else 1 for i in range(len(shape))])
            return total
        if name in ("W", "D1", "D2") and model.endswith("identification") and self.P:
            return np.subtract.outer(2 - np.array(self._coordinates(shape[0])), self.P)
        if name == "J":
            return np.subtract.outer(TWIST, self._coordinates(shape[1]))
        if name == "Jinv":
            return np.subtract.outer(self._coordinates(shape[0]), TWIST)
        if name == "AG":
            return np.subtract.outer([1, 1, 1, 2, 2, 2], self._coordinates(shape[1]))
        if name in ("W", "b") and model == "loop-kinematics":
            return np.subtract.outer(self.p, self.na) if name == "W" else np.array(self.p)
        if name == "G" and model == "wheel-kinematics":
            return np.subtract.outer(self._coordinates(shape[0]), self.na)
        if "_d" in name and name[0] == "d":
            above, below = name[1:].split("_d", 1)
            return np.subtract.outer(self._vector(above, shape[0]), self._vector(below, shape[1]))
        if name in ("det", "Wa", "Wp", "Wac", "Wpc", "Wc", "Psi", "Phi", "S", "W", "springs"):
            return None
        return np.broadcast_to(self._motion(name, shape[-1]), shape).astype(float)

    def _vector(self, name: str, length: int) -> Array:
        if name == "tau":
            return 2 - np.array(self._coordinates(length))
        if name == "wrench0":
            return np.array([1, 1, 1, 2, 2, 2])
        return np.array(self._motion(name, length))


def difference(actual: Array, expected: Array, powers: Array) -> float:
    """Return the largest difference of two arrays, relative to the largest entry of the same power of s.

    The arrays are those of a robot of about a metre, in which entries of different units are comparable: entries below
    a thousandth of the largest entry count as this size, so that round-off of zeros is not compared.
    """
    worst, whole = 0.0, 1e-3 * float(np.nanmax(np.abs(expected), initial=0.0))
    for p in np.unique(powers):
        here = np.broadcast_to(powers == p, actual.shape)
        a, b = actual[here], expected[here]
        if not np.array_equal(np.isnan(a), np.isnan(b)):
            return float("inf")
        size = max(np.nanmax(np.abs(b), initial=0.0), whole)
        off = np.nanmax(np.abs(a - b), initial=0.0)
        worst = max(worst, off / size if size else float(off > 0))
    return worst
