"""What makes a calibration doubtful, in words: misses that stay, corrections that no robot needs; what fits instead.

Units and conventions that are mistaken often are tried one by one, and some together, on the measurements as they are:
one is named where with it the same parameters fit without any of those signs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from symoro.calibrate.fitting import Fitting, farthest, reach
from symoro.errors import ProgramError
from symoro.models.calibration.columns import BASE, END, GeometricColumn
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import from_quaternion, logarithm, quaternion
from symoro.robot.description import ANGLES, JointType

MISS = {"length": 0.01, "angle": 0.05}  # of the robot's size; radians
TURN = 0.2  # radians, of a frame's angle
SHARE = 0.1  # of the robot's size, of a frame's length
GAIN = 0.1
FAR = {BASE: 30.0, END: 3.0}  # of the robot's size, where frame 0 and the end stand
SURE = 3.0  # deviations
NOISY = 5.0  # misses, of the noise that was given
BETTER, ALIKE = 0.5, 2.0  # misses, of those without the change
TRIED = 15  # steps: what fits does so soon
UNITS = {"length": "m", "angle": "rad"}


def doubts(work: Fitting, xi: Array, deviations: Array, noise: Mapping[str, float]) -> list[str]:
    """Sentences for the user; none where nothing is odd.

    Arguments:
        noise: the deviations of the measurements that were given, if any.
    """
    found = odd(work, xi, deviations)
    if found and (meant := likely(work, (xi, deviations))):
        found.append(meant)
    after = work.deviations(work.misses(xi), 0)
    loud = [
        f"{after[n] / noise[n]:.0f} times ({n})" for n in after if after[n] > NOISY * noise.get(n, np.inf)
    ]
    if loud:
        found.append(
            f"misses are {' and '.join(loud)} the noise that was given: check that, and what was measured"
        )
    return found


def odd(work: Fitting, xi: Array, deviations: Array) -> list[str]:
    """What no sound measurements of the robot give."""
    scale = {"length": reach(work) + _tip(work, xi), "angle": 1.0}
    after = work.deviations(work.misses(xi), 0)
    found = []
    if any(value > MISS[name] * scale[name] > 0 for name, value in after.items()):
        found.append(
            f"misses of {_sizes(after)} are left: check the units, the joints' order and signs, and what was measured"
        )
    huge = [f"{column.name} ({x:.3g}{_unit(column.kind)})" for column, x in _huge(work, xi, deviations)]
    if huge:
        more = f" and {len(huge) - 4} more" if len(huge) > 4 else ""
        found.append(
            f"{', '.join(huge[:4])}{more} are corrections larger than robots need: check the units, the zeros and "
            "signs of the joints, and the description"
        )
    stands = 0.0 if work.described is None else np.linalg.norm((work.chain.start - work.described)[:3, 3])
    if whole_size(work) > 0 and stands > FAR[BASE] * whole_size(work):
        found.append(f"frame 0 stands {stands:.3g} m from where it is described: check the units")
    return found


def _huge(work: Fitting, xi: Array, deviations: Array) -> list[tuple[GeometricColumn, float]]:
    """Parameters with corrections larger than robots need."""
    far, tip, size = reach(work), _tip(work, xi), whole_size(work)
    return [
        (column, float(x))
        for column, x, deviation in zip(work.chosen, xi, deviations, strict=True)
        if abs(x) > max(_most(column.kind, column.frame, far, tip, size), SURE * deviation)
    ]


def elsewhere(bases: Sequence[Array]) -> list[str]:
    """Sentences about other places of frame 0 at which everything fits as well."""
    return [
        f"with frame 0 at {_numbers(base[:3, 3])} m, turned by {_numbers(logarithm(base[:3, :3]))} rad, it fits as well: "
        "measure postures that tell them apart, or describe the base and take it as known"
        for base in bases
    ]


def _numbers(values: Array) -> str:
    return " ".join(f"{value:.4g}" for value in values)


def _tip(work: Fitting, xi: Array) -> float:
    """How far what is measured was found to stand off its frame."""
    place = [x for c, x in zip(work.chosen, xi, strict=True) if c.frame == END and c.kind.startswith("T")]
    return float(np.linalg.norm(place))


def _most(kind: str, frame: str, far: float, tip: float, size: float) -> float:
    """The largest correction of a parameter that nobody wonders at."""
    if frame in FAR:
        return FAR[frame] * size if kind.startswith("T") and size > 0 else np.inf
    if kind == "k":
        return GAIN
    if kind in (*ANGLES, "beta"):
        return TURN
    return SHARE * (far + tip) if far + tip > 0 else np.inf


def _unit(kind: str) -> str:
    if kind == "k":
        return ""
    return " rad" if kind in (*ANGLES, "beta") or kind.startswith("R") else " m"


def whole_size(work: Fitting) -> float:
    """The same of the robot's own end: markers on a low frame stand off by the size of the robot, not of the way."""
    return reach(work) if work.whole is None else max(reach(work), farthest(work.whole, work.measured.q))


def _sizes(sizes: Mapping[str, float]) -> str:
    return " and ".join(f"{value:.3g} {UNITS[name]}" for name, value in sizes.items())


# -- what fits instead


@dataclass(frozen=True)
class _Change:
    """Another reading of the same measurements: what it says, what to do, and how it is made.

    Attributes:
        unit: what the measured lengths are multiplied by; their misses shrink or grow with them.
    """

    says: str
    cure: str
    made: Callable[[Fitting], Fitting]
    unit: float = 1.0


def likely(work: Fitting, found: tuple[Array, Array] | None = None) -> str | None:
    """The mistake in units or conventions without which everything fits, as a sentence; None where there is none.

    Arguments:
        found: errors and their deviations, with whose misses others are compared; None where nothing fitted.
    """
    most = np.inf if found is None else _allowed(work, *found)
    for changes in _together(work):
        other = work
        for change in changes:
            other = change.made(other)
        fit = _tried(other)
        unit = prod(change.unit for change in changes)
        if fit is None or odd(other, *fit) or _badness(other, fit[0], unit) > most:
            continue
        after = other.deviations(other.misses(fit[0]), 0)
        says = " and ".join(change.says for change in changes)
        cures = ", ".join(change.cure for change in changes)
        return f"it fits where {says}, misses {_sizes(after)}: {cures}"
    return None


def _together(work: Fitting) -> Iterator[list[_Change]]:
    """Changes alone, then those that go together most often."""
    alone = list(_changes(work))
    yield from ([change] for change in alone)
    often = [change for change in alone if change in (MILLIMETRES, DEGREES, SLIDES, LAST_W)]
    yield from ([a, b] for k, a in enumerate(often) for b in often[k + 1 :])
    if len(often) > 2:
        yield often


def _tried(work: Fitting) -> tuple[Array, Array] | None:
    """Errors and deviations, or None where nothing fits soon."""
    noise = {"length": 1e-3 * (reach(work) or 1.0), "angle": 1e-3}
    try:
        xi, _ = work.solved(np.zeros(len(work.chosen)), noise, TRIED)
        scale = work.deviations(work.misses(xi), len(work.chosen))
        return xi, np.sqrt(np.diag(work.covariance(xi, scale)))
    except (ProgramError, np.linalg.LinAlgError):
        return None


def _allowed(work: Fitting, xi: Array, deviations: Array) -> float:
    """The misses that another reading may leave.

    A robot that is fitted to any unit has lengths of its own far off: misses that are no worse serve then. The place
    of the base or of a marker tells no unit.
    """
    own = any(column.frame not in FAR for column, _ in _huge(work, xi, deviations))
    return (ALIKE if own else BETTER) * _badness(work, xi)


def _badness(work: Fitting, xi: Array, unit: float = 1.0) -> float:
    """Root mean square of the misses, lengths in parts of the robot's size, in the unit that they were measured in."""
    after = work.deviations(work.misses(xi), 0)
    return float(np.hypot(after["length"] / (unit * (reach(work) or 1.0)), after.get("angle", 0.0)))


def _changes(work: Fitting) -> Iterator[_Change]:
    """Those that say something of this robot and measure."""
    measure, kinds = work.measured.measure, {f.sigma for f in work.chain.frames}
    if measure != "plane":
        yield MILLIMETRES
    if measure in ("distance", "plane"):
        yield ALL_MILLIMETRES
    if JointType.REVOLUTE in kinds:
        yield DEGREES
        yield RADIANS
    if JointType.PRISMATIC in kinds:
        yield SLIDES
    if measure == "pose":
        yield LAST_W
        yield INVERSE
    if measure != "plane":
        yield METRES  # last, since large lengths let much pass


def _scaled(factor: float, place: bool = False) -> Callable[[Fitting], Fitting]:
    """The measured lengths in other units; those of the point and the plane too, if so."""

    def made(work: Fitting) -> Fitting:
        poses = work.measured.poses.copy()
        poses[:, :3, 3] *= factor
        measured = replace(work.measured, poses=poses, distances=factor * work.measured.distances)
        if not place:
            return replace(work, measured=measured)
        plane = np.array([*work.plane[:3], factor * work.plane[3]])
        return replace(work, measured=measured, point=factor * work.point, plane=plane)

    return made


def _joints(kind: JointType, factor: float) -> Callable[[Fitting], Fitting]:
    """The positions of one kind of joint in other units."""

    def made(work: Fitting) -> Fitting:
        own = {f.j for f in work.chain.frames if f.sigma == kind}
        factors = [factor if j in own else 1.0 for j in work.chain.coordinates]
        return replace(work, measured=replace(work.measured, q=work.measured.q * factors))

    return made


def _last_w(work: Fitting) -> Fitting:
    poses = work.measured.poses.copy()
    poses[:, :3, :3] = from_quaternion(np.roll(quaternion(poses[:, :3, :3]), 1, -1))
    return replace(work, measured=replace(work.measured, poses=poses))


def _inverse(work: Fitting) -> Fitting:
    return replace(
        work, measured=replace(work.measured, poses=np.asarray(np.linalg.inv(work.measured.poses), float))
    )


MILLIMETRES = _Change("measured lengths are in millimetres", "divide them by 1000", _scaled(1e-3), 1e-3)
METRES = _Change(
    "the description's lengths are in millimetres",
    "describe the robot in metres",
    _scaled(1e3, place=True),
    1e3,
)
ALL_MILLIMETRES = _Change(
    "lengths, those of the point or plane too, are in millimetres",
    "divide them by 1000",
    _scaled(1e-3, place=True),
    1e-3,
)
DEGREES = _Change(
    "the joints' angles are in degrees",
    "read them with --degrees (degrees=True)",
    _joints(JointType.REVOLUTE, np.pi / 180),
)
RADIANS = _Change(
    "the joints' angles are in radians already",
    "read them without --degrees",
    _joints(JointType.REVOLUTE, 180 / np.pi),
)
SLIDES = _Change(
    "sliding joints are in millimetres", "divide them by 1000", _joints(JointType.PRISMATIC, 1e-3)
)
LAST_W = _Change("quaternions are in the order x, y, z, w", "name their columns so: qx, qy, qz, qw", _last_w)
INVERSE = _Change("the poses are those of the base, seen from the end", "invert them", _inverse)
