"""Decide the solids with which a robot is drawn: a body for every link, and joints by type.

The solids are given in the frames of the robot, so that they are the same in every configuration. Pictures without a
browser (`ui.render`) and the scene of the workbench draw the same parts.

A link is drawn along its parameters to the frames that it carries: b along z, d along x, then r along z of the next
frame. A link that carries no frame ends at the first of these points that the description contains: the tool frame, the
tip of a beam, the frame of a URDF link that is fixed to it, the end of the uniform rod with its mass, centre of mass
and inertia. Otherwise it is a short stub. A uniform rod of mass m and length l, whose centre is at the distance c and
whose moment of inertia about the centre is I = m l^2 / 12, ends at

    c + l / 2 = c + sqrt(3 I / m).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import matmul
from typing import Literal

from symoro.errors import ProgramError
from symoro.expr.formula import Formula
from symoro.robot.coordinates import independent
from symoro.robot.description import BaseKind, Frame, JointType, Placement, Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.formats.urdf.rigid import Pose, Vector3, cross, norm, subtract, turn_x, turn_z
from symoro.robot.size import characteristic_length

Shape = Literal["path", "bar", "beam", "rail", "drum", "box", "ball", "disc", "plate", "hull"]
Role = Literal["link", "active", "passive", "cut", "base", "plate", "wheel"]

# Sizes relative to the robot: half the width of a link is this part of the typical link length, within bounds that
# are parts of the robot's size.
WIDTH, THINNEST, THICKEST = 0.13, 0.008, 0.026
SHORT = 1e-6  # part of the robot's size below which a length is not drawn
PARALLEL = 1e-6  # rad: smaller angles between axes are round-off of a file
NEAR = 0.02  # part of the robot's size below which a centre of mass does not show the direction of a link
TRAVEL = 0.6  # part of the robot's size: length of a rail without limits
NEARBY = 1.2  # part of the robot's size: largest length of a rail on one side of its carriage at 'home'
STUB = 5.0  # length of a stub, relative to half the width of a link
FLAT = 1e-3  # part of the square of the robot's size: smallest area of a plate


@dataclass(frozen=True)
class BodyPart:
    """Solid of a drawing, placed in a frame of the robot; lengths in metres.

    Attributes:
        link: number of the link to which it belongs; 0 is the base.
        shape: 'path', a bar along the parameters from the antecedent frame to `frame`; 'bar', from the origin of
            `frame` to `point`; 'beam', a flexible bar along x of `frame`; 'rail', a bar along z of the prismatic joint
            `frame`; 'drum', 'box' and 'disc', with the axis z of `frame`, centred at `point`; 'ball'; 'plate', the
            polygon of the origins of `corners`; 'hull', the box around them.
        role: what the part represents; it determines the colour.
        frame: number of the frame; the tool frame has the number NF + 1.
        radius: radius, or half the side of a square section.
        length: length along the axis.
        point: end of a bar or centre of a solid, in `frame`.
        low, high: ends of a rail along z of its joint, relative to the point after b and d.
        corners: frames of a plate or hull.
    """

    link: int
    shape: Shape
    role: Role
    frame: int
    radius: float
    length: float = 0.0
    point: Vector3 = (0.0, 0.0, 0.0)
    low: float = 0.0
    high: float = 0.0
    corners: tuple[int, ...] = ()


@dataclass(frozen=True)
class Bodies:
    """Solids of a robot.

    Attributes:
        size: largest distance of a frame or the end of a link from the base in the posture 'home', in metres.
        unit: half the width of a link, in metres.
        parts: the solids.
    """

    size: float
    unit: float
    parts: tuple[BodyPart, ...]


def bodies(robot: Robot, values: Mapping[str, float]) -> Bodies:
    """Return the solids of a robot.

    Args:
        values: numbers of the symbols; symbols without a number count as zero.
    """
    return _Builder(robot, {**dict(robot.nominal), **values}).built()


@dataclass
class _Builder:
    robot: Robot
    values: Mapping[str, float]
    parts: list[BodyPart] = field(default_factory=list)

    def __post_init__(self) -> None:
        robot = self.robot
        self.beams = {j: abs(self.of(beam.length)) for j, beam in flexible_links(robot).items()}
        self.places: dict[int, Frame | Placement] = dict(enumerate(robot.frames, 1))
        if robot.tool:
            self.places[robot.NF + 1] = robot.tool.place
        self.home = dict(zip(independent(robot), robot.postures.get("home", ()), strict=False))
        self.wheels = {wheel.frame: wheel for wheel in robot.wheels}
        poses = self.poses()
        ends = {j: self.end(j) for j in range(1, robot.NL + 1) if not self.carried(j)}
        points = [pose.p for pose in poses.values()]
        points += [(poses[j] @ Pose(p=end)).p for j, end in ends.items() if end]
        lengths = [math.dist(poses[p.ant].p, poses[k].p) for k, p in self.places.items()]
        lengths += [math.hypot(*end) for end in ends.values() if end]
        self.size = max(map(math.hypot, *zip(*points, strict=True))) if points else 0.0
        whole = characteristic_length(robot, self.values)
        if not self.size > SHORT * whole:
            self.size = whole
        drawn = sorted(x for x in lengths if x > SHORT * self.size)
        typical = drawn[len(drawn) // 2] if drawn else self.size
        self.unit = min(THICKEST * self.size, max(THINNEST * self.size, WIDTH * typical))

    def of(self, formula: Formula) -> float:
        try:
            value = formula.value(self.values)
        except (ProgramError, ArithmeticError):
            return 0.0
        return value if math.isfinite(value) else 0.0

    def carried(self, link: int) -> list[int]:
        """Return the frames, including the tool frame, whose antecedent is a link."""
        return [k for k, place in self.places.items() if place.ant == link]

    def local(self, k: int, q: float = 0.0) -> Pose:
        """Return the pose of frame k in its antecedent frame at the joint position q."""
        place = self.places[k]
        sigma = place.sigma if isinstance(place, Frame) else JointType.FIXED
        theta = self.of(place.theta) + (q if sigma == JointType.REVOLUTE else 0.0)
        r = self.of(place.r) + (q if sigma == JointType.PRISMATIC else 0.0)
        steps = (
            Pose(p=(self.beams.get(place.ant, 0.0), 0.0, 0.0)),
            Pose(turn_z(self.of(place.gamma)), (0.0, 0.0, self.of(place.b))),
            Pose(turn_x(self.of(place.alpha)), (self.of(place.d), 0.0, 0.0)),
            Pose(turn_z(theta), (0.0, 0.0, r)),
        )
        return reduce(matmul, steps)

    def poses(self) -> dict[int, Pose]:
        """Return the poses of all frames in frame 0 in the posture 'home'; loops are not closed."""
        known = {0: Pose()}

        def pose(k: int) -> Pose:
            if k not in known:
                known[k] = pose(self.places[k].ant) @ self.local(k, self.home.get(k, 0.0))
            return known[k]

        for k in self.places:
            pose(k)
        return known

    # -- the end of a link without a child frame

    def end(self, j: int) -> Vector3 | None:
        """Return the point at which the description ends link j, in frame j; None if it contains none."""
        if j in self.beams:
            return self.beams[j], 0.0, 0.0
        fixed = [frame.position for frame in self.robot.link_frames if frame.frame == j]
        points = [(self.of(x), self.of(y), self.of(z)) for x, y, z in fixed]
        farthest = max(points, key=lambda p: math.hypot(*p), default=(0.0, 0.0, 0.0))
        if any(farthest):
            return farthest
        return self.rod(j)

    def rod(self, j: int) -> Vector3 | None:
        """Return the end of the uniform rod with mass, centre of mass and inertia of link j.

        The result is None if these have no numbers, or if the centre of mass is at the origin of the frame.
        """
        link, nominal = self.robot.link(j), dict(self.robot.nominal)
        moments = (link.M, link.MX, link.MY, link.MZ, link.XX, link.YY, link.ZZ)
        try:
            mass, mx, my, mz, *inertia = (f.value(nominal) for f in moments)
        except (ProgramError, ArithmeticError):
            return None
        if not mass > 0:
            return None
        distance = math.hypot(mx, my, mz) / mass
        if not 0 < distance < math.inf:
            return None
        central = max(0.0, max(inertia) - mass * distance**2)
        longer = 1 + min(1.0, math.sqrt(3 * central / mass) / distance)
        return longer * mx / mass, longer * my / mass, longer * mz / mass

    # -- parts

    def built(self) -> Bodies:
        groups = self.groups()
        plates = {root: corners for root, members in groups.items() if (corners := self.plate(root, members))}
        for root, members in groups.items():
            if root in plates:
                role: Role = "plate" if root else "base"
                self.add(root, "plate", role, root, 0.6 * self.unit, corners=plates[root])
            for j in members:
                self.link(j, root, plates.get(root, ()))
        for j in range(1, self.robot.NJ + 1):
            self.joint(j)
        return Bodies(self.size, self.unit, tuple(self.parts))

    def groups(self) -> dict[int, list[int]]:
        """Return the links by rigid body: links that fixed joints connect belong to the first of them."""
        roots: dict[int, int] = {0: 0}
        for j in range(1, self.robot.NL + 1):
            frame = self.robot.frame(j)
            fixed = frame.sigma == JointType.FIXED and j not in self.beams and frame.ant not in self.beams
            roots[j] = roots.get(frame.ant, frame.ant) if fixed else j
        grouped: dict[int, list[int]] = {}
        for j, root in roots.items():
            grouped.setdefault(root, []).append(j)
        return grouped

    def plate(self, root: int, members: list[int]) -> tuple[int, ...]:
        """Return the frames at the corners of a body; empty unless they span an area.

        Args:
            root: first link of the body.
            members: links of the body.
        """
        if root == 0 and self.robot.base.kind != BaseKind.FIXED:
            return ()
        fixed = {root: Pose()}
        corners = {root: fixed[root].p} if root else {}
        for j in members:
            for k in self.carried(j):
                pose = fixed[j] @ self.local(k)
                if k in members:
                    fixed[k] = pose
                elif k > self.robot.NF or self.robot.frame(k).sigma != JointType.PRISMATIC:
                    corners[k] = pose.p
        if len(corners) < 3 or not _area(list(corners.values())) > FLAT * self.size**2:
            return ()
        return tuple(corners)

    def link(self, j: int, root: int, corners: tuple[int, ...]) -> None:
        """Append the solids of link j; `corners` are the frames at the corners of its plate."""
        before, unit = len(self.parts), self.unit
        if j == 0:
            self.base(corners)
        if j in self.wheels:
            radius = abs(self.of(self.wheels[j].radius)) or 4 * unit
            self.add(j, "disc", "wheel", j, radius, length=0.3 * radius)
        if j in self.beams:
            self.add(j, "beam", "link", j, 0.7 * unit, length=self.beams[j])
        # The plate of a platform contains the arms to its corners.
        covered = corners if len(corners) > 3 or root == 0 else ()
        for k in self.carried(j):
            place = self.places[k]
            slides = isinstance(place, Frame) and place.sigma == JointType.PRISMATIC
            lengths = [self.of(place.b), self.of(place.d), 0.0 if slides else self.of(place.r)]
            if k not in covered and max(map(abs, lengths)) > SHORT * self.size:
                self.add(j, "path", "link", k, unit)
            if slides:
                self.rail(j, k)
        drawn = len(self.parts) > before or (j == root and bool(corners))
        if not drawn and self.carried(j):
            self.add(j, "ball", "link", j, 1.5 * unit)
        elif not drawn and j:
            self.add(j, "bar", "link", j, unit, point=self.tip(j))

    def tip(self, j: int) -> Vector3:
        """Return the end of link j, which carries no frame, in frame j."""
        end = self.end(j)
        if end and math.hypot(*end) > NEAR * self.size:
            return end
        frame = self.robot.frame(j)
        length = abs(self.of(frame.d))
        planar = frame.sigma == JointType.REVOLUTE and abs(math.sin(self.of(frame.alpha))) < PARALLEL
        if planar and length > SHORT * self.size:  # the links of a planar arm are parallel to x
            return length, 0.0, 0.0
        return 0.0, 0.0, STUB * self.unit

    def rail(self, link: int, k: int) -> None:
        """Append the rail of the prismatic joint k: along its limits, its position at 'home', or a default length."""
        frame, unit = self.robot.frame(k), self.unit
        offset = self.of(frame.r)
        at_home = offset + self.home.get(k, 0.0)
        low, high = min(0.0, at_home), max(0.0, at_home)
        if frame.limits.lower is not None and frame.limits.upper is not None:
            # A long track is drawn near the robot only; the scene extends it to the position of the joint.
            low = max(offset + frame.limits.lower, at_home - NEARBY * self.size)
            high = min(offset + frame.limits.upper, at_home + NEARBY * self.size)
        elif high - low < NEAR * self.size:
            high = low + TRAVEL * self.size
        self.add(link, "rail", "link", k, 0.6 * unit, low=low, high=high)

    def base(self, corners: tuple[int, ...]) -> None:
        """Append the solid of the base: a pedestal, the body of a floating base, or a chassis."""
        unit = self.unit
        if self.robot.base.kind == BaseKind.FIXED:
            if not corners:
                centre = (0.0, 0.0, -0.6 * unit)
                self.add(0, "box", "base", 0, 3.2 * unit, length=1.2 * unit, point=centre)
            return
        wheels = tuple(self.wheels) if self.robot.base.kind == BaseKind.WHEELED else ()
        carried = wheels or (0, *(k for k in self.carried(0) if k <= self.robot.NF))
        self.add(0, "hull", "base", 0, (1.2 if wheels else 2.5) * unit, corners=carried)

    def joint(self, j: int) -> None:
        """Append the solid of joint j, by type."""
        frame, unit = self.robot.frame(j), self.unit
        if not frame.moving or j in self.wheels:
            return
        cut = j > self.robot.NL
        role: Role = "cut" if cut else "active" if frame.mu else "passive"
        link = frame.ant if cut else j
        if frame.sigma == JointType.REVOLUTE:
            self.add(link, "drum", role, j, 1.65 * unit, length=4.4 * unit)
        else:
            self.add(link, "box", role, j, 1.9 * unit, length=4.4 * unit)

    def add(
        self,
        link: int,
        shape: Shape,
        role: Role,
        frame: int,
        radius: float,
        *,
        length: float = 0.0,
        point: Vector3 = (0.0, 0.0, 0.0),
        low: float = 0.0,
        high: float = 0.0,
        corners: tuple[int, ...] = (),
    ) -> None:
        self.parts.append(BodyPart(link, shape, role, frame, radius, length, point, low, high, corners))


def _area(points: list[Vector3]) -> float:
    """Return the largest area of a parallelogram with corners at the first point and two others."""
    arms = [subtract(point, points[0]) for point in points[1:]]
    return max(norm(cross(a, b)) for a in arms for b in arms)
