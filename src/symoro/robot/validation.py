"""Validation of a description: all inconsistencies are reported together."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from symoro.errors import ProgramError
from symoro.expr.formula import Formula
from symoro.expr.parser import NAME, reserved
from symoro.robot.flexibility import flexible_problems
from symoro.robot.postures import Postures
from symoro.robot.records import ANGLES, DRIVE, MOTION, Frame, JointType, Link, scalars
from symoro.robot.wheel_checks import wheel_problems

if TYPE_CHECKING:
    from symoro.robot.description import Robot

LARGEST = 1e30
"""Largest accepted length, mass or inertia: products of several such values do not overflow."""
LARGEST_ANGLE = 1e9
"""Radians: a larger angle has no accurate direction in double precision."""

_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?\Z", re.ASCII)


def problems(robot: Robot) -> list[str]:
    """Return the errors in a robot's description as sentences; an empty list if there are none."""
    errors = list(_sizes(robot))
    if errors:  # the other checks require correct sizes
        return errors
    for check in (
        _antecedents,
        _loops,
        _joints,
        _couplings,
        _motors,
        _names,
        _base,
        _tool,
        flexible_problems,
        _platform,
        _capsules,
        _link_frames,
        _numbers,
        _postures,
    ):
        errors += check(robot)
    return errors or list(wheel_problems(robot))


def _sizes(robot: Robot) -> Iterator[str]:
    extra = robot.NF - robot.NL
    if not robot.links:
        yield "a robot needs at least one link"
    if extra < 0:
        yield f"{robot.NL} links but only {robot.NF} frames: every link requires one frame"
    elif extra % 2:
        yield (
            f"{robot.NL} links and {robot.NF} frames: each loop adds two frames (k and k + B), "
            f"so the number of frames beyond the links cannot be {extra}"
        )
    if len(robot.base.Z) != 16:
        yield f"Z needs 16 entries, got {len(robot.base.Z)}"
    for name in ("W0", "WP0", "V0", "VP0", "G"):
        if len(getattr(robot.base, name)) != 3:
            yield f"{name} needs 3 entries, got {len(getattr(robot.base, name))}"


def _antecedents(robot: Robot) -> Iterator[str]:
    bad = set()
    for j, frame in enumerate(robot.frames, 1):
        if not 0 <= frame.ant <= robot.NF:
            yield f"frame {j}: antecedent {frame.ant} does not exist (frames are 0 .. {robot.NF})"
            bad.add(j)
        elif frame.ant == j:
            yield f"frame {j} is its own antecedent"
            bad.add(j)
        elif j <= robot.NL < frame.ant:
            yield f"frame {j} carries a link, but its antecedent is frame {frame.ant}, which only closes a loop"
    if not bad:
        yield from _cycles(robot)


def _cycles(robot: Robot) -> Iterator[str]:
    settled = {0}
    for start in range(1, robot.NF + 1):
        path: dict[int, None] = {}
        j = start
        while j not in settled and j not in path:
            path[j] = None
            j = robot.frame(j).ant
        if j in path:
            walked = list(path)
            cycle = [str(i) for i in (*walked[walked.index(j) :], j)]
            shown = cycle if len(cycle) <= 12 else [*cycle[:10], "...", cycle[-1]]
            yield "the antecedents form a cycle: " + " -> ".join(shown)
        settled.update(path)


def _loops(robot: Robot) -> Iterator[str]:
    for k in range(robot.NL + 1, robot.NJ + 1):
        partner = k + robot.B
        if robot.frame(partner).sigma != JointType.FIXED:
            yield f"frame {partner} closes the loop that is cut at joint {k} and must be fixed (sigma 2)"
        if robot.frame(k).ant == robot.frame(partner).ant:
            yield f"frames {k} and {partner} close a loop but have the same antecedent {robot.frame(k).ant}"
        if robot.frame(k).mu:
            yield f"joint {k} is the cut joint of a loop and must be passive (mu 0)"


def _joints(robot: Robot) -> Iterator[str]:
    for j, frame in enumerate(robot.frames, 1):
        if not frame.eta and not frame.k.is_zero:
            yield f"joint {j} has a stiffness but is not elastic (eta 0)"
        if not frame.eta and not frame.rest.is_zero:
            yield f"joint {j} has a rest position but is not elastic (eta 0)"
        if frame.sigma == JointType.FIXED:
            if frame.eta:
                yield f"joint {j} is fixed and cannot be elastic"
            if frame.coupling:
                yield f"joint {j} is fixed and cannot be coupled"
        if j > robot.NL:
            for name in DRIVE:
                if not getattr(frame, name).is_zero:
                    yield f"joint {j} is the cut joint of a loop and cannot have {name}"
        yield from _dry_friction(j, frame)
        low, high = frame.limits.lower, frame.limits.upper
        if low is not None and high is not None and low > high:
            yield f"joint {j}: lower limit {low:g} is above the upper limit {high:g}"


def _dry_friction(j: int, frame: Frame) -> Iterator[str]:
    velocity, load = _number(frame.VS), _number(frame.FL)
    if not frame.FB.is_zero and (frame.VS.is_zero or (velocity is not None and velocity <= 0)):
        yield f"joint {j} has friction FB but no Stribeck velocity: VS is {frame.VS}, expected a positive value"
    if load is not None and not -1 < load < 1:
        yield (
            f"joint {j}: FL = {load:g}, expected a value between -1 and 1; with friction of the whole drive torque the "
            "joint is self-locking"
        )


def _number(value: Formula) -> float | None:
    """Return the number of a constant formula; None if it has symbols or is undefined."""
    try:
        return value.number
    except (ProgramError, ArithmeticError):
        return None


def _motors(robot: Robot) -> Iterator[str]:
    joints = [motor.joint for motor in robot.motors]
    for j in sorted({j for j in joints if joints.count(j) > 1}):
        yield f"joint {j} has more than one coupled motor"
    for motor in robot.motors:
        label = f"the coupled motor of joint {motor.joint}"
        turned = [motor.joint, *(i for i, _ in motor.turns_with)]
        for i in turned:
            if not 1 <= i <= robot.NL or not robot.frame(i).moving:
                yield f"{label} turns with joint {i}, which is not a moving joint of the tree"
        if len(set(turned)) != len(turned):
            yield f"{label} contains a joint more than once; 'turns_with' lists the other joints"
        if len(turned) < 2:
            yield f"{label} turns with no other joint; give its parameters as IA, FV and FS of joint {motor.joint}"


def _couplings(robot: Robot) -> Iterator[str]:
    for j, frame in enumerate(robot.frames, 1):
        if not frame.coupling:
            continue
        drivers = [i for i, _ in frame.coupling.terms]
        for i in sorted({i for i in drivers if drivers.count(i) > 1}):
            yield f"joint {j} contains joint {i} more than once in its coupling"
        for i in drivers:
            if not 1 <= i <= robot.NL or not robot.frame(i).moving:
                yield f"joint {j} is coupled to joint {i}, which is not a moving joint"
            elif robot.frame(i).coupling:
                yield (
                    f"joint {j} is coupled to joint {i}, which is itself coupled; give the joints that "
                    f"drive joint {i} instead"
                )
        for name in MOTION:
            if getattr(frame, name) is not None:
                yield (
                    f"joint {j} is coupled and cannot have a prescribed {name}; prescribe it for the "
                    "joints that drive it"
                )


def _names(robot: Robot) -> Iterator[str]:
    joints, links = [frame.name for frame in robot.frames], [link.name for link in robot.links]
    for kind, names in (("joint", joints), ("link", links)):
        first: dict[str, int] = {}
        for j, name in enumerate(names, 1):
            if name and name in first:
                yield f"{kind}s {first[name]} and {j} are both called '{name}'"
            first.setdefault(name, j)


def _base(robot: Robot) -> Iterator[str]:
    bottom = [str(z) for z in robot.base.Z[12:]]
    if bottom != ["0", "0", "0", "1"]:
        yield f"the last row of Z must be 0 0 0 1, got {' '.join(bottom)}"


def _tool(robot: Robot) -> Iterator[str]:
    if robot.tool and not 0 <= robot.tool.place.ant <= robot.NL:
        yield f"the tool is fixed to frame {robot.tool.place.ant}, which carries no link"
    if robot.payload and not robot.tool:
        yield "a payload requires a tool frame, in which its parameters are given"


def _platform(robot: Robot) -> Iterator[str]:
    if robot.platform is not None and not 1 <= robot.platform <= robot.NL:
        yield f"the platform is frame {robot.platform}, which carries no link (links are 1 .. {robot.NL})"


def _numbers(robot: Robot) -> Iterator[str]:
    """Yield errors about numbers of a robot that are too large for double precision."""
    for label, name, value in _values(robot):
        size, largest = _size(value), LARGEST_ANGLE if name in ANGLES else LARGEST
        if not size <= largest:
            yield f"{label}: {name} = {value.text[:40]} is too large, more than {largest:g}"
    for name, number in robot.nominal:
        if not abs(number) <= LARGEST:
            yield f"the nominal value of {name} is {number:g}: expected a number up to {LARGEST:g}"


def _values(robot: Robot) -> Iterator[tuple[str, str, Formula]]:
    """Yield (label, field name, formula) for every formula of a robot's description.

    The label is the name of the frame, link or other record that contains the formula.
    """
    for j, frame in enumerate(robot.frames, 1):
        yield from ((f"frame {j}", name, value) for name, value in scalars(frame))
        if frame.coupling:
            yield from ((f"joint {j}", f"the ratio to joint {i}", ratio) for i, ratio in frame.coupling.terms)
            yield f"joint {j}", "the offset of its coupling", frame.coupling.offset
    for j in range(robot.NL + 1):
        yield from ((f"link {j}", name, value) for name, value in scalars(robot.link(j)))
        flexible = robot.link(j).flexible
        if flexible:
            yield from ((f"link {j}", name, value) for name, value in scalars(flexible))
            yield from (
                (f"the tip of link {j}", name, value) for name, value in scalars(flexible.tip or Link())
            )
    for name in ("W0", "WP0", "V0", "VP0", "G", "Z"):
        yield from (("the base", name, value) for value in getattr(robot.base, name))
    if robot.tool:
        yield from (("the tool", name, value) for name, value in scalars(robot.tool.place))
    if robot.payload:
        yield from (("the payload", name, value) for name, value in scalars(robot.payload))
    for k, wheel in enumerate(robot.wheels, 1):
        yield from ((f"wheel {k}", name, value) for name, value in scalars(wheel))
    for motor in robot.motors:
        label = f"the coupled motor of joint {motor.joint}"
        yield from ((label, name, value) for name, value in scalars(motor))
        yield from ((label, f"the ratio to joint {i}", ratio) for i, ratio in motor.turns_with)
    for k, capsule in enumerate(robot.capsules, 1):
        yield from ((f"capsule {k}", "a coordinate", value) for value in (*capsule.start, *capsule.end))
        yield f"capsule {k}", "radius", capsule.radius
    for link in robot.link_frames:
        yield from ((f"link '{link.name}'", "a coordinate", x) for x in (*link.rotation, *link.position))


def _size(value: Formula) -> float:
    """Return the magnitude of a constant formula; zero for a formula with symbols."""
    if value.is_zero or value.is_symbol:
        return 0.0
    if _DECIMAL.match(value.text):  # the most frequent case, checked at low cost
        return abs(float(value.text))
    try:
        return abs(value.number or 0.0)
    except (ProgramError, ArithmeticError):
        return math.inf


def _capsules(robot: Robot) -> Iterator[str]:
    for k, capsule in enumerate(robot.capsules, 1):
        if not 0 <= capsule.frame <= robot.NL:
            yield f"capsule {k} is on frame {capsule.frame}, which does not exist (links are 0 .. {robot.NL})"
        if not capsule.radius.symbols and not capsule.radius.value({}) > 0:
            yield f"capsule {k} has the radius {capsule.radius.text}, which is not positive"


def _link_frames(robot: Robot) -> Iterator[str]:
    for link in robot.link_frames:
        if not 0 <= link.frame <= robot.NL:
            yield f"link '{link.name}' is on frame {link.frame}, which does not exist (links are 0 .. {robot.NL})"


def _postures(robot: Robot) -> Iterator[str]:
    expected = _coordinates(robot) if robot.postures else 0
    for name, values in robot.postures.items():
        if not NAME.match(name) or reserved(name):
            yield f"posture '{name}': a name consists of letters, digits and _ and is not a constant or function"
        if len(values) != expected:
            yield f"posture '{name}' has {len(values)} numbers, the robot has {expected} coordinates"


def with_length(postures: Postures, robot: Robot) -> Postures:
    """Return those of the postures that have one number per generalised coordinate of the robot."""
    n = _coordinates(robot) if postures else 0
    if all(len(values) == n for values in postures.values()):
        return postures
    return Postures({name: values for name, values in postures.items() if len(values) == n})


def _coordinates(robot: Robot) -> int:
    """Return the number of independent joints of the robot."""
    return sum(frame.moving and frame.coupling is None for frame in robot.frames[: robot.NL])
