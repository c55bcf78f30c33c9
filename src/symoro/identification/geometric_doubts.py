"""What makes a calibration doubtful, in words: misses that stay, corrections that no robot needs; what fits instead.

Units and conventions that are mistaken often are tried one by one, and some together, on the measurements as they are:
one is named where with it the same parameters fit without any of those signs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from symoro.errors import ProgramError
from symoro.identification.alignment import alignments, hopeless, near, placed
from symoro.identification.geometric_fit import WEAKEST, Fitting, condition, farthest, reach
from symoro.identification.readings import readings
from symoro.models.calibration.columns import BASE, END, GeometricColumn
from symoro.models.numeric.fixed_point import Array
from symoro.models.numeric.rotation import logarithm
from symoro.robot.description import ANGLES

MISS = {"length": 0.01, "angle": 0.05}  # of the robot's size; radians
TURN = 0.2  # radians, of a frame's angle
OVER = 1.0  # radians, the same of one that cannot be meant
SHARE = 0.1  # of the robot's size, of a frame's length
GAIN = 0.1
FAR = {BASE: 30.0, END: 3.0}  # of the robot's size, where frame 0 and the end stand
SURE = 3.0  # deviations
NOISY = 5.0  # misses, of the noise that was given
PLENTY = 2  # equations for each unknown, below which more unknowns take misses out by themselves
FAINT = 0.02  # the effect of a gain that tells nothing, of the strongest
ROUNDED = 1e-9  # misses that are round-off, of the robot's size
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
    elif geared := gears(work, xi):
        found.append(geared)
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
    after = work.deviations(work.misses(xi), 0)
    found = []
    if _left(work, xi):
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


def _left(work: Fitting, xi: Array) -> bool:
    """Whether misses are left that no sound measurements leave."""
    scale = {"length": reach(work) + _tip(work, xi), "angle": 1.0}
    after = work.deviations(work.misses(xi), 0)
    return any(value > MISS[name] * scale[name] > 0 for name, value in after.items())


def _turned_over(work: Fitting, xi: Array) -> bool:
    """Whether an axis or a zero is off by so much that the joint is another one."""
    angles = [x for c, x in zip(work.chosen, xi, strict=True) if c.kind in (*ANGLES, "beta")]
    return bool(np.abs(angles).max(initial=0.0) > OVER)


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
        f"with frame 0 at {_numbers(base[:3, 3])} m, turned by {_numbers(logarithm(base[:3, :3]))} rad, it fits as "
        "well: measure postures that tell them apart, or describe the base and take it as known"
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


def likely(work: Fitting, found: tuple[Array, Array] | None = None) -> str | None:
    """The mistake in units or conventions without which everything fits, as a sentence; None where there is none.

    Arguments:
        found: errors and their deviations, with whose misses others are compared; None where nothing fitted.
    """
    most = np.inf if found is None else _allowed(work, *found)
    joints = found is None or _left(work, found[0]) or _turned_over(work, found[0])
    for changes in readings(work, joints=joints):
        other = work
        for change in changes:
            other = change.made(other)
        fit = _tried(other)
        unit = prod(change.unit for change in changes)
        if fit is None or odd(*fit) or _badness(fit[0], fit[1], unit) > most:
            continue
        after = fit[0].deviations(fit[0].misses(fit[1]), 0)
        says = " and ".join(change.says for change in changes)
        cures = ", ".join(change.cure for change in changes)
        return f"it fits where {says}, misses {_sizes(after)}: {cures}"
    return None


def gears(work: Fitting, xi: Array) -> str | None:
    """Joints that move by other factors of their readings, as a sentence, where with those most misses go."""
    whole = work.measured.measure in ("pose", "position") and not any(c.kind == "k" for c in work.chosen)
    if not whole or _badness(work, xi) < ROUNDED:
        return None
    gains = [GeometricColumn("k", str(f.j)) for f in work.chain.frames if f.ratios.any()]
    effect = np.linalg.norm(replace(work, chosen=gains).rows_at(work.errors(xi)), axis=0)
    gains = [gain for gain, size in zip(gains, effect, strict=True) if size > FAINT * effect.max()]
    other = replace(work, chosen=[*work.chosen, *gains])
    start = np.concatenate([xi, np.zeros(len(gains))])
    rows = other.rows(start)
    if len(rows) < PLENTY * len(start) or condition(rows)[0] * WEAKEST > 1:
        return None
    try:
        weights = work.deviations(work.misses(xi), 0)
        xi, _ = work.solved(xi, weights)  # the same weights for both: those of the fit may be others
        found, _ = other.solved(np.concatenate([xi, start[len(xi) :]]), weights)
    except ProgramError:
        return None
    scale = other.deviations(other.misses(found), len(found))
    deviations = np.sqrt(np.diag(other.covariance(found, scale)))
    named = zip(gains, found[len(xi) :], deviations[len(xi) :], strict=True)
    factors = [f"{gain.name} ({x:.3g})" for gain, x, deviation in named if abs(x) > SURE * deviation]
    if not factors or _badness(other, found) > BETTER * _badness(work, xi):
        return None
    return (
        f"with gains of the joints, {', '.join(factors)}, misses are {_sizes(scale)}: calibrate with --gains "
        "(gains=True), or check the gears"
    )


def _tried(work: Fitting) -> tuple[Fitting, Array, Array] | None:
    """The fit with its errors and deviations, or None where nothing fits soon."""
    noise = {"length": 1e-3 * (reach(work) or 1.0), "angle": 1e-3}
    try:
        work, start = _begun(work)
        if start is None or condition(work.rows(start))[0] * WEAKEST > 1:
            return None
        xi, _ = work.solved(start, noise, TRIED)
        scale = work.deviations(work.misses(xi), len(work.chosen))
        return work, xi, np.sqrt(np.diag(work.covariance(xi, scale)))
    except (ProgramError, np.linalg.LinAlgError):
        return None


def _begun(work: Fitting) -> tuple[Fitting, Array | None]:
    """Where to start from; no errors where nothing is near that fits."""
    zero = np.zeros(len(work.chosen))
    if work.measured.measure not in ("pose", "position"):
        return work, zero
    if work.described is not None:
        work = placed(work, work.described)
    if hopeless(work):
        return work, None
    places = alignments(work)
    if not places or near(work, places[0]):
        return work, zero
    tip = places[0].tip
    return placed(work, places[0].base), np.array([tip.get(column.name, 0.0) for column in work.chosen])


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
