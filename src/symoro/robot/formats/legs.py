"""Short notation for parallel robots in YAML files: a platform and its legs are expanded to frames and loops.

    platform: {name: plate, link: {...}}         the platform, which has a separate frame
    leg: {chain: [...], attach: ball, ...}       properties that all legs have in common
    legs: [{on: ..., chain: ..., attach: ..., at: ...}, ...]
    modules: [{platform, leg, legs}, ...]        parallel modules in series: each is mounted on the previous platform

A leg starts on the base at `on`, continues with the joints of its `chain` and is attached to the platform at `at`.
Leg 1 carries the platform. Every other leg ends before the last joint of its attachment, which is the cut joint; the
other frame of the cut is `at` on the platform (Khalil and Kleinfinger, ICRA 1986).

`on` and `at` are geometric parameters, or the point x, y, z with axes that are rotated about z towards it:

    gamma = atan2(y, x),  d = sqrt(x^2 + y^2),  b = z

    universal      two revolute joints with perpendicular axes, a massless link between them
    ball           three revolute joints whose axes intersect, the second perpendicular, two massless links
    parallelogram  rod, coupler and second rod with a loop; what follows is fixed in the middle of the coupler

The expansion works on nodes: the reader receives frames and loops, each value with its position in the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from symoro.errors import ProgramError
from symoro.robot.formats.document import Record, YamlList, YamlMapping, YamlNode, YamlScalar
from symoro.robot.formats.record_table import DRIVES, INERTIA, symbols
from symoro.robot.formats.report import MAX_FRAMES, Report, Spot
from symoro.robot.records import GEOMETRIC, Frame, JointType
from symoro.robot.topology import loops, moving_joints, outward

if TYPE_CHECKING:
    from symoro.robot.description import Robot

PoseRows = list[list[float]]

MODULE = ("platform", "leg", "legs")
SHORT = (*MODULE, "modules")
"""Keys of the short notation for a parallel robot."""
_LEG = ("name", "on", "chain", "attach", "at")
_POINT = ("x", "y", "z")
_BY_POINT = ("gamma", "b", "d")  # geometric parameters that the coordinates of a point determine
_JOINT = ("joint", "offset", "active", "name", "limits", "elastic", "drive", "motion", "link", "wrench")
_PLATFORM = ("name", "link", "wrench")
_SINGLE = ("revolute", "prismatic", "fixed")
ATTACHMENTS = ("ball", "universal", "revolute")
_TURNS = {"universal": ("0", "0"), "ball": ("0", "pi/2", "0")}  # offsets of the joints in the home posture
CLOSED = 1e-6  # relative to the largest length, or in rad: smaller gaps of a loop are closed
_INVERSE = {"gamma": "theta", "b": "r", "alpha": "alpha", "d": "d", "theta": "gamma", "r": "b"}


def is_short(node: YamlNode) -> bool:
    """Return whether a YAML document describes a parallel robot in the short notation (by platform and legs)."""
    return isinstance(node, YamlMapping) and any(key in node.entries for key in ("leg", "legs", "modules"))


def with_frames(node: YamlNode, report: Report) -> YamlNode:
    """Return a YAML document with frames and loops in place of legs; other documents are unchanged.

    Args:
        node: document of the robot file.
        report: collects errors.
    """
    if not isinstance(node, YamlMapping) or not is_short(node):
        return node
    top = Record(report, node, "", node.entries)
    for key in ("frames", "loops"):
        if key in top:
            top.problem(
                key,
                f"a robot is described either by its legs or by its {key}, not by both",
                "keep one of them",
            )
    structure = _Frames(node.spot)
    root = 0
    for module in _modules(top):
        root = _Module(module, structure, root).platform
    report.check()
    entries: dict[str, YamlNode] = {k: v for k, v in node.entries.items() if k not in SHORT}
    entries["frames"] = YamlList(node.spot, list(structure.frames))
    entries["loops"] = YamlList(node.spot, list(structure.loops))
    entries["platform"] = _text(root, node.spot)
    keys = {key: node.keys.get(key, node.spot) for key in entries}
    return YamlMapping(node.spot, entries, keys)


def _modules(top: Record) -> list[Record]:
    if "modules" not in top:
        return [top]
    for key in MODULE:
        if key in top:
            top.problem(
                key, f"'{key}' must be given in one of the modules", "modules: [{platform, leg, legs}, ...]"
            )
    items = top.items("modules")
    if not items:
        top.problem("modules", "a robot needs at least one module")
    return [Record(top.report, item, f"modules[{i}]", MODULE) for i, item in enumerate(items, 1)]


# -- nodes


def _text(value: object, spot: Spot) -> YamlScalar:
    return YamlScalar(str(value), spot, plain=True, literal=False)


def _mapping(spot: Spot, entries: Mapping[str, YamlNode]) -> YamlMapping:
    return YamlMapping(spot, dict(entries), dict.fromkeys(entries, spot))


def _symbols(key: str, number: int, value: YamlNode) -> YamlNode:
    """Return a node in which the text 'symbolic' is replaced by a mapping with the default symbols of a frame.

    Args:
        key: key of the node; 'symbolic' is replaced only at the keys `link` and `drive`.
        number: number of the frame, which is the suffix of the symbols (XX1, ...).
        value: the node; it is returned unchanged if it is not the text 'symbolic'.
    """
    names = {"link": symbols(INERTIA), "drive": symbols(DRIVES.fields)}.get(key)
    if names is None or not isinstance(value, YamlScalar) or value.text != "symbolic":
        return value
    return _mapping(value.spot, {name: _text(f"{name}{number}", value.spot) for name in names})


@dataclass
class _Frames:
    """Collection of the frames and loops into which the legs have been expanded so far."""

    spot: Spot
    frames: list[YamlMapping] = field(default_factory=list)
    loops: list[YamlMapping] = field(default_factory=list)

    def frame(self, spot: Spot, ant: int, entries: Mapping[str, YamlNode]) -> int:
        """Add a frame and return its number.

        Args:
            spot: position in the file.
            ant: number of the antecedent.
            entries: the other fields of the frame.
        """
        number = len(self.frames) + 1
        symbolic = {key: _symbols(key, number, value) for key, value in entries.items()}
        fields = {"ant": _text(ant, spot), "active": _text("false", spot), **symbolic}
        self.frames.append(_mapping(spot, fields))
        return number

    def loop(self, spot: Spot, sides: Mapping[str, tuple[int, Mapping[str, YamlNode]]]) -> None:
        entry = {
            side: _mapping(spot, {"ant": _text(ant, spot), **entries})
            for side, (ant, entries) in sides.items()
        }
        self.loops.append(_mapping(spot, entry))


class _Module:
    """Parallel module: a platform and its legs, which are expanded to frames; the legs start on the frame `root`."""

    def __init__(self, record: Record, structure: _Frames, root: int) -> None:
        self.record, self.made, self.root, self.report = record, structure, root, record.report
        self.platform = root
        if "platform" not in record:
            hint = "write platform: {link: {M: ..., ...}}, or platform: {} for a massless platform"
            self.report.add(
                "the platform of the parallel robot is missing", record.spot, record.full("platform"), hint
            )
        self.plate = record.record("platform", _PLATFORM)
        common = record.record("leg", _LEG)
        legs = record.items("legs")
        if len(legs) < 2:
            message = f"a parallel robot has at least two legs, got {len(legs)}"
            self.report.add(message, record.spot_of("legs"), record.full("legs"))
        self.report.check()
        for i, item in enumerate(legs, 1):
            self._leg(i, Record(self.report, item, record.full(f"legs[{i}]"), _LEG), common)

    def _leg(self, number: int, leg: Record, common: Record) -> None:
        node = _mapping(leg.spot, {**common.node.entries, **leg.node.entries})
        node.keys.update({**common.node.keys, **leg.node.keys})
        whole = Record(self.report, node, leg.path, _LEG)
        joints = _joints(whole, number)
        attachment = _attachment(whole, number)
        at = _placement(whole.record("at", (*GEOMETRIC, *_POINT)))
        if attachment is None or not joints:
            return
        if attachment.kind == "ball" and not {"alpha", "theta"} & at.keys():
            right_angle = _text(
                "pi/2", whole.spot
            )  # so that the ball joint is not singular in the home posture
            at = {**at, "alpha": right_angle, "theta": right_angle}
        self._stand(whole, joints[0])
        last, along = self.root, False
        for joint in joints:
            last, along = joint.into(self.made, last, after_parallelogram=along)
        frames = attachment.frames(after_parallelogram=along)
        turns = frames if number == 1 else frames[:-1]
        for turn in turns:
            last = self._room(turn, last)
        if number == 1:
            self.platform = self._carried(last, at)
        else:
            partner = (self.platform, {"joint": _text("fixed", whole.spot), **at})
            self.made.loop(whole.spot, {"open": (last, frames[-1]), "close": partner})

    def _stand(self, leg: Record, first: _Joint) -> None:
        """Add the geometric parameters `on` of a leg to the frame of its first joint.

        Args:
            leg: the leg; `on` is the pose on the base at which it starts.
            first: its first joint.
        """
        place = leg.record("on", (*GEOMETRIC, *_POINT))
        for key, value in _placement(place).items():
            if key in first.entries:
                leg.report.add(
                    f"'{key}' is given both in 'on' and in the first joint of the chain",
                    place.spot_of(key),
                    place.full(key),
                    "both describe the same frame: keep one of them",
                )
            first.entries[key] = value

    def _room(self, entries: Mapping[str, YamlNode], ant: int) -> int:
        if len(self.made.frames) >= MAX_FRAMES:
            self.report.fail(f"the robot has too many frames; the limit is {MAX_FRAMES}", self.record.spot)
        return self.made.frame(self.record.spot, ant, entries)

    def _carried(self, last: int, at: Mapping[str, YamlNode]) -> int:
        """Add the platform after the last joint of leg 1, and return the number of the platform frame.

        Args:
            last: frame of the last joint of leg 1.
            at: geometric parameters of the attachment point in the platform frame; the platform is added with the
                inverse transform.
        """
        spot = self.plate.spot
        name = self.plate.node.entries.get("name", _text("platform", spot))
        held = _symbols("link", last + bool(at), self.plate.node.entries.get("link", _mapping(spot, {})))
        link = held.entries if isinstance(held, YamlMapping) else {}
        own: dict[str, YamlNode] = {"link": _mapping(spot, {"name": name, **link})}
        if "wrench" in self.plate:
            own["wrench"] = self.plate.node.entries["wrench"]
        if not at:
            self.made.frames[last - 1].entries.update(own)
            return last
        place = {
            _INVERSE[key]: _text(f"-({value.text})", value.spot)
            for key, value in at.items()
            if isinstance(value, YamlScalar)
        }
        return self.made.frame(spot, last, {"joint": _text("fixed", spot), **place, **own})


def _placement(place: Record) -> dict[str, YamlNode]:
    """Return the geometric parameters of an attachment point, which may be given by its coordinates x, y, z.

    Args:
        place: the mapping `on` or `at` of a leg.
    """
    entries = place.node.entries
    given = {
        key: value for key, value in entries.items() if key in GEOMETRIC
    }  # unknown keys have been reported
    if not any(key in place for key in _POINT):
        return given
    for key in _BY_POINT:
        if key in given:
            place.report.add(
                f"'{key}' cannot be given together with the coordinates x, y, z, which determine it",
                place.spot_of(key),
                place.full(key),
                "give either x, y and z, or gamma, d and b",
            )
    for key in ("x", "y"):
        if key not in place:
            place.report.add(
                f"the coordinate {key} of the attachment point is missing",
                place.spot,
                place.full(key),
                "x and y are required, z is 0 by default",
            )
    x, y, z = (place.formula(key) for key in _POINT)
    spot = place.spot_of(next(key for key in _POINT if key in place))
    point: dict[str, YamlNode] = {}
    if not (x.is_zero and y.is_zero):
        point["gamma"] = _text(f"atan2({y.text}, {x.text})", spot)
        point["d"] = _text(f"sqrt(({x.text})^2 + ({y.text})^2)", spot)
    if not z.is_zero:
        point["b"] = _text(z.text, place.spot_of("z"))
    return {**point, **{key: value for key, value in given.items() if key not in _BY_POINT}}


@dataclass
class _Joint:
    """Joint in the chain of a leg: its type and the fields of its frame."""

    kind: str
    spot: Spot
    entries: dict[str, YamlNode]
    offsets: list[YamlNode]
    sizes: dict[str, YamlNode]
    number: int

    def frames(self, *, after_parallelogram: bool) -> list[dict[str, YamlNode]]:
        """Return the fields of the frames of this joint, one frame per elementary (revolute or prismatic) joint.

        The last frame has the link; the links of the others are massless.

        Args:
            after_parallelogram: whether the joint follows a parallelogram, and starts in the middle of its coupler.
        """
        first = {key: value for key, value in self.entries.items() if key not in ("link", "wrench")}
        if after_parallelogram:
            middle = {"alpha": _text("-pi/2", self.spot), "r": self._half("-")}
            first = {**middle, **first}
        turns = [first]
        for _ in self.offsets[1:]:
            turns.append({"alpha": _text("pi/2", self.spot)})
        for frame, offset in zip(turns, self.offsets, strict=False):
            frame["offset"] = offset
        turns[-1].update({key: value for key, value in self.entries.items() if key in ("link", "wrench")})
        return turns

    def _half(self, sign: str) -> YamlScalar:
        width = self.sizes["width"]
        return _text(f"{sign}({width.text if isinstance(width, YamlScalar) else 0})/2", self.spot)

    def into(self, structure: _Frames, ant: int, *, after_parallelogram: bool) -> tuple[int, bool]:
        """Add the frames of this joint to the frames of a robot.

        Args:
            structure: frames and loops so far, to which those of this joint are added.
            ant: number of the antecedent frame.
            after_parallelogram: whether the antecedent is the coupler of a parallelogram.

        Returns:
            The number of the last frame, and whether it is the coupler of a parallelogram.
        """
        if self.kind != "parallelogram":
            for frame in self.frames(after_parallelogram=after_parallelogram):
                ant = structure.frame(self.spot, ant, frame)
            return ant, False
        spot, right = self.spot, _text("pi/2", self.spot)
        width, length = self.sizes["width"], self.sizes["length"]
        rod: dict[str, YamlNode] = {**self.entries, "alpha": right}
        one = structure.frame(spot, ant, {**rod, "b": self._half("")})
        coupler = structure.frame(spot, one, {"d": length})
        unnamed = {key: value for key, value in rod.items() if key != "name"}
        other = structure.frame(spot, ant, {**unnamed, "b": self._half("-")})
        partner = {"gamma": _text("-pi/2", spot), "d": width, "theta": right}
        structure.loop(spot, {"open": (other, {"d": length}), "close": (coupler, partner)})
        return coupler, True


def _joints(leg: Record, number: int) -> list[_Joint]:
    chain = leg.items("chain")
    if not chain:
        leg.problem(
            "chain",
            "the chain of joints of this leg is missing",
            "chain: [{joint: universal}, {joint: prismatic}]",
        )
    candidates = [
        _joint(leg.report, node, leg.full(f"chain[{k}]"), (*_SINGLE, *_TURNS, "parallelogram"), number)
        for k, node in enumerate(chain, 1)
    ]
    joints = [joint for joint in candidates if joint is not None]
    for before, joint in pairwise(joints):
        joint.sizes = joint.sizes or before.sizes
    return joints


def _attachment(leg: Record, number: int) -> _Joint | None:
    node = leg.node.entries.get("attach")
    hint = f"attach: {', '.join(ATTACHMENTS)}, or a mapping with 'joint' and its geometric parameters"
    if node is None:
        leg.report.add("the leg is not attached to the platform", leg.spot, leg.full("attach"), hint)
        return None
    if isinstance(node, YamlScalar):
        node = _mapping(node.spot, {"joint": node})
    attachment = _joint(leg.report, node, leg.full("attach"), ATTACHMENTS, number)
    if attachment is not None:
        before = _joints(leg, number)
        attachment.sizes = before[-1].sizes if before else {}
    return attachment


def _joint(report: Report, node: YamlNode, path: str, kinds: Iterable[str], number: int) -> _Joint | None:
    kinds = list(kinds)
    record = Record(report, node, path, (*_JOINT, *GEOMETRIC, "length", "width"))
    kind = record.choice("joint", kinds, "revolute")
    sizes = {key: record.node.entries[key] for key in ("length", "width") if key in record}
    if kind == "parallelogram":
        for key in ("length", "width"):
            if record.scalar(key) is None:
                record.problem(key, f"the {key} of this parallelogram is missing")
                return None
        for key in ("alpha", "b", "active"):
            if key in record:
                record.problem(key, f"'{key}' cannot be given for a parallelogram, whose type determines it")
    elif sizes:
        for key in sizes:
            record.problem(
                key, f"'{key}' is valid only for a parallelogram", "give a length along the leg as 'd' or 'r'"
            )
    entries = {key: value for key, value in record.node.entries.items() if key in (*_JOINT, *GEOMETRIC)}
    if kind in _SINGLE:
        offsets: list[YamlNode] = []
    else:
        offsets = _offsets(record, kind)
        entries = {key: value for key, value in entries.items() if key not in ("joint", "offset")}
    name = record.text("name")
    if name:
        entries["name"] = _text(f"{name} {number}", record.spot_of("name"))
    return _Joint(kind, record.spot, entries, offsets, sizes, number)


def _offsets(record: Record, kind: str) -> list[YamlNode]:
    """Return the position offsets of the elementary joints of a universal or ball joint.

    They are the list `offset` of the file, or default values if the file does not give them.

    Args:
        record: the mapping of the joint.
        kind: 'universal' or 'ball'.
    """
    usual: list[YamlNode] = [_text(offset, record.spot) for offset in _TURNS.get(kind, ())]
    if "offset" not in record:
        return usual
    offsets = record.items("offset")
    if len(offsets) != len(usual):
        record.problem("offset", f"expected a list of {len(usual)} offsets, one per elementary joint")
        return usual
    return offsets


# -- check that the loops are closed in the given postures


def check_reach(robot: Robot, report: Report) -> None:
    """Report each closed loop that cannot be closed in a named posture.

    Robots with symbols that have no value are not checked.
    """
    values = dict(robot.nominal)
    try:
        places = {
            j: [getattr(f, name).value(values) for name in GEOMETRIC] for j, f in enumerate(robot.frames, 1)
        }
    except ProgramError:
        return
    size = (
        max([abs(x) for gamma, b, alpha, d, theta, r in places.values() for x in (b, d, r)], default=0) or 1.0
    )
    for name, q in robot.postures.items():
        at = _frame_poses(robot, places, dict(zip(moving_joints(robot), q, strict=False)))
        for number, loop in enumerate(loops(robot), 1):
            gap, turn = _gap(at[loop.left], at[loop.right], robot.frame(loop.left))
            if gap > CLOSED * size or turn > CLOSED:
                report.add(
                    f"loop {number} is not closed in posture '{name}': frames {loop.left} and {loop.right} are "
                    f"{gap:.3g} m and {math.degrees(turn):.3g} degrees apart; the leg does not reach the platform",
                    None,
                    f"postures.{name}",
                    "correct the posture, 'at', or the lengths of the leg",
                )
    report.check()


def _frame_poses(robot: Robot, places: dict[int, list[float]], q: dict[int, float]) -> dict[int, PoseRows]:
    """Return the poses of all frames in the base frame, as three rows of four numbers (rotation and position).

    Args:
        places: the six geometric parameters of each frame.
        q: joint positions by joint number.
    """
    at: dict[int, PoseRows] = {0: [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0]]}
    for j in outward(robot):
        gamma, b, alpha, d, theta, r = places[j]
        frame = robot.frame(j)
        if frame.sigma == JointType.REVOLUTE:
            theta += q.get(j, 0.0)
        elif frame.sigma == JointType.PRISMATIC:
            r += q.get(j, 0.0)
        at[j] = _moved(
            _rotated(
                _moved(_rotated(_rotated(at[frame.ant], 0, 1, gamma, b), 1, 2, alpha), 0, d), 0, 1, theta
            ),
            2,
            r,
        )
    return at


def _rotated(rows: PoseRows, i: int, k: int, angle: float, up: float = 0.0) -> PoseRows:
    """Return a pose after a translation along its z axis and a rotation in the plane of two of its axes.

    Args:
        rows: the pose, three rows of four numbers.
        i, k: indices of the two axes.
        angle: angle of the rotation from axis i towards axis k (rad).
        up: translation along z (m).
    """
    c, s = math.cos(angle), math.sin(angle)
    result = []
    for row in rows:
        new = list(row)
        new[i], new[k] = c * row[i] + s * row[k], c * row[k] - s * row[i]
        new[3] += up * row[2]
        result.append(new)
    return result


def _moved(rows: PoseRows, axis: int, length: float) -> PoseRows:
    return [[*row[:3], row[3] + length * row[axis]] for row in rows]


def _gap(left: PoseRows, right: PoseRows, opened: Frame) -> tuple[float, float]:
    """Return the distance (m) and the angle (rad) between the two frames of a cut joint.

    Displacements that the joint permits are not counted.

    Args:
        left, right: poses of the two frames.
        opened: the frame with the cut joint.
    """
    apart = [a[3] - b[3] for a, b in zip(left, right, strict=True)]
    axis = [row[2] for row in right]
    if opened.sigma == JointType.PRISMATIC:
        along = sum(x * y for x, y in zip(apart, axis, strict=True))
        apart = [x - along * y for x, y in zip(apart, axis, strict=True)]
    compared = (2,) if opened.sigma == JointType.REVOLUTE else (0, 1, 2)
    turns = [math.dist([row[k] for row in left], [row[k] for row in right]) for k in compared]
    return math.hypot(*apart), max(turns)
