"""Conversion of the links and joints of a URDF or MJCF file into a robot with Khalil-Kleinfinger frames."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symoro.errors import OptionError, RobotError, UnknownNameError
from symoro.expr.formula import ZERO
from symoro.robot.consistency import WARNING
from symoro.robot.description import (
    IDENTITY16,
    Base,
    BaseKind,
    Capsule,
    Coupling,
    Frame,
    JointType,
    Link,
    LinkFrame,
    Placement,
    Robot,
    Tool,
    Triple,
)
from symoro.robot.formats.urdf.inertia import OriginInertia, about_origin, total
from symoro.robot.formats.urdf.model import Document, Joint, LoopJoint, Mimic
from symoro.robot.formats.urdf.notes import ImportNotes
from symoro.robot.formats.urdf.parameters import Six, formulas, number_formula, reproduces, six, size_of
from symoro.robot.formats.urdf.rigid import (
    Pose,
    Vector3,
    apply,
    difference,
    norm,
    subtract,
    transposed,
    turn_x,
    unit,
)
from symoro.robot.formats.urdf.shapes import placed
from symoro.robot.formats.urdf.snap import snapped
from symoro.robot.formats.urdf.tree import AttachedLink, Tree, Unit, on_link, place_frames, tree


@dataclass(frozen=True)
class Choices:
    """Options of the conversion of a URDF or MJCF file into a robot; the file determines options that are None.

    Attributes:
        exact: whether to keep the digits of angles and axes, even if they are rounded multiples of pi.
        base: 'fixed' or 'floating'; by default floating if the first joint is floating.
        fixed: 'merge' adds links on fixed joints to the links that carry them, 'keep' gives them frames.
        frames: 'normal' places x along common normals, 'link' uses the link frames of the file.
        tool: name of the link whose frame becomes the tool frame.
        actuated: names of the active joints; None selects those with an actuator in the file.
    """

    exact: bool = False
    base: str | None = None
    fixed: str | None = None
    frames: str | None = None
    tool: str | None = None
    actuated: str | Sequence[str] | None = None

    def __post_init__(self) -> None:
        if self.actuated is not None:
            words = self.actuated.split(",") if isinstance(self.actuated, str) else self.actuated
            object.__setattr__(self, "actuated", tuple(str(word).strip() for word in words))
        for name, known in (
            ("base", ("fixed", "floating")),
            ("fixed", ("merge", "keep")),
            ("frames", ("normal", "link")),
        ):
            value = getattr(self, name)
            if value is not None and value not in known:
                raise OptionError(f"{name} must be '{known[0]}' or '{known[1]}', got {value!r}")

    def completed(self, document: Document) -> Choices:
        """Return the options with missing values determined by the file; files exported by symoro keep their frames."""
        own = document.own
        return replace(
            self,
            exact=self.exact or own is not None,
            fixed=self.fixed or ("keep" if own else "merge"),
            frames=self.frames or ("link" if own else "normal"),
            tool=self.tool if self.tool is not None or own is None else own.tool,
        )


def robot(document: Document, choices: Choices) -> Robot:
    """Return the robot described by a URDF or MJCF document.

    Raises:
        FormatError, NotApplicableError: the document is invalid or not supported; the error contains the position
            in the file.
    """
    return _conversion(document, choices).robot()


def link_places(document: Document, choices: Choices) -> dict[str, tuple[int, Pose]]:
    """Return, by link name, the number of the robot frame to which the link is fixed, and its pose in that frame."""
    conversion = _conversion(document, choices)
    conversion.robot()
    return conversion.link_places()


def _conversion(document: Document, choices: Choices) -> _Conversion:
    choices = choices.completed(document)
    notes = ImportNotes(document)
    notes.has_tool = choices.tool is not None
    notes.check_bodies(
        document.bodies, max((norm(joint.origin.xyz) for joint in document.joints), default=0.0)
    )
    if not choices.exact:
        document, rounding = snapped(document)
        notes.rounded(rounding)
    cut = tree(document, base=choices.base, kept=_kept(document, choices, notes))
    if not cut.units:
        raise document.error(
            "the robot has no joints, so there is nothing to model",
            document.bodies[0].spot,
            hint=f"{document.kind} files describe robots by joints between bodies: add joints",
        )
    return _Conversion(document, cut, choices, notes)


def _kept(document: Document, choices: Choices, notes: ImportNotes) -> set[str]:
    """Return the names of the fixed joints whose child links get separate frames in the robot."""
    if choices.fixed == "keep":
        return {j.name for j in document.joints if j.kind == "fixed" and j.child != choices.tool}
    if any(joint.moving for joint in document.joints):
        return set()
    notes.nothing_moves()
    return {joint.name for joint in document.joints}


class _Conversion:
    def __init__(self, document: Document, cut: Tree, choices: Choices, notes: ImportNotes) -> None:
        self.document, self.tree, self.choices, self.notes = document, cut, choices, notes
        self.reach = cut.reach
        self.places = place_frames(cut.units, self.reach, on_links=choices.frames == "link")
        self.frames: list[Frame] = []
        self.links: list[Link] = []
        self.numbers = [0]  # frame number of each unit, including auxiliary frames
        self.names = {joint.name for joint in document.joints}
        self.closes_at_zero = True

    def robot(self) -> Robot:
        inertias = self.inertias()
        for j, u in enumerate(self.tree.units, 1):
            self.add(j, u, inertias[j])
        base = self.base(inertias[0])
        self.notes.missing_inertia(
            [
                u.joint.child
                for u, inertia in zip(self.tree.units, inertias[1:], strict=True)
                if u.joint.moving and not any(inertia.fields().values())
            ]
        )
        tool = self.tool()
        opened, closed = self.loop_frames()
        frames = self.with_actuation(self.coupled())
        self.notes.complete(self.tree, frames)
        try:
            return Robot(
                self.document.name,
                (*frames, *opened, *closed),
                tuple(self.links),
                base,
                tool,
                notes=self.notes.notes(),
                postures=self.home(frames),
                link_frames=self.link_frames(),
                capsules=tuple(self.capsules()),
            )
        except RobotError as error:
            raise self.document.error(error.message, None) from None

    def link_places(self) -> dict[str, tuple[int, Pose]]:
        """Return, by link name, the number of the robot frame to which the link is fixed, and its pose in that frame.

        This method can be called only after the robot has been created.
        """
        return {
            name: (self.numbers[attached.on], self.places[attached.on].inverse() @ attached.place)
            for name, attached in self.tree.attached_links.items()
        }

    def link_frames(self) -> tuple[LinkFrame, ...]:
        """Return the link frames of the file that do not coincide with frames of the robot, up to round-off."""
        return tuple(
            LinkFrame(
                name,
                frame,
                tuple(number_formula(x) for row in pose.R for x in row),
                tuple(map(number_formula, pose.p)),
            )
            for name, (frame, pose) in self.link_places().items()
            if name in self.tree.merged or not _is_identity(pose, self.reach)
        )

    def capsules(self) -> Iterator[Capsule]:
        """Yield the capsules that enclose the collision shapes of the links, in the frames of the robot."""
        places = self.link_places()
        for name, attached in self.tree.attached_links.items():
            frame, place = places[name]
            for one in (placed(capsule, place) for capsule in attached.body.capsules):
                start, end = (_triple(point) for point in (one.start, one.end))
                yield Capsule(frame, start, end, number_formula(one.radius))

    def inertias(self) -> list[OriginInertia]:
        """Return the inertia of each moving link in its frame, including all links fixed to it; entry 0 is the base."""
        parts: list[list[OriginInertia]] = [[] for _ in self.places]
        backs = [place.inverse() for place in self.places]
        for attached in self.tree.attached_links.values():
            if attached.body.mass or any(attached.body.inertia):
                parts[attached.on].append(about_origin(attached.body, backs[attached.on] @ attached.place))
        return [total(members) for members in parts]

    def add(self, j: int, u: Unit, inertia: OriginInertia) -> None:
        """Add the frame and link of moving joint j.

        If the joint axis is parallel to the preceding axis except for round-off, an auxiliary frame is added before it.

        Args:
            j: number of the joint, from 1.
            u: the joint, with the pose of its link frame.
            inertia: inertia of the link and of all links fixed to it.
        """
        place = self.places[u.ant].inverse() @ u.place @ self.places[j]
        ant, parameters = self.parameters(self.numbers[u.ant], place, u.joint.name)
        self.frames.append(self.frame(u.joint, ant, parameters))
        self.links.append(self.link(u.joint.child, inertia))
        self.numbers.append(len(self.frames))

    def parameters(self, ant: int, place: Pose, name: str) -> tuple[int, Six]:
        """Return the six parameters of a pose, and the antecedent frame to which they refer.

        If six parameters cannot represent the pose, an auxiliary frame is added, to which the result refers.

        Args:
            ant: number of the antecedent frame.
            place: pose in the antecedent frame.
            name: name of the joint, for notes.

        Returns:
            The number of the antecedent or auxiliary frame, and the parameters.
        """
        size = size_of(place, self.reach)
        six_parameters = six(place, size)
        if reproduces(six_parameters, place, size, self.reach):
            return ant, six_parameters
        # The auxiliary axis is perpendicular to both nearly parallel axes, so that all lengths remain moderate.
        between = Pose(turn_x(math.pi / 2), place.p)
        self.notes.frame_between(name, place)
        fields = formulas(six(between, size))
        self.frames.append(Frame(ant, JointType.FIXED, mu=False, name=self.unused(name), **fields))
        self.links.append(Link())
        return len(self.frames), six(between.inverse() @ place, size)

    def unused(self, joint: str) -> str:
        name = f"{joint}_before"
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name

    def frame(self, joint: Joint, ant: int, parameters: Six) -> Frame:
        fields = formulas(parameters)
        if not joint.moving:
            return Frame(ant, JointType.FIXED, mu=False, name=joint.name, **fields)
        return Frame(
            ant,
            JointType.PRISMATIC if joint.kind == "prismatic" else JointType.REVOLUTE,
            IA=number_formula(joint.rotor),
            FV=number_formula(joint.damping),
            FS=number_formula(joint.friction),
            FO=number_formula(joint.bias),
            eta=joint.stiffness != 0,
            k=number_formula(joint.stiffness),
            rest=number_formula(joint.rest) if joint.stiffness else ZERO,
            limits=joint.limits,
            name=joint.name,
            **fields,
        )

    def link(self, name: str, inertia: OriginInertia) -> Link:
        fields: dict[str, Any] = {key: number_formula(value) for key, value in inertia.fields().items()}
        return Link(name=name, **fields)

    def coupled(self) -> list[Frame]:
        """Return the frames of the robot, with each mimic joint coupled to the joint that drives it."""
        frames = list(self.frames)
        number = {u.joint.name: self.numbers[j] for j, u in enumerate(self.tree.units, 1)}
        mimics, notes = couplings(self.document)
        self.notes.add(notes)
        for name, mimic in mimics.items():
            terms = ((number[mimic.joint], number_formula(mimic.ratio)),)
            coupling = Coupling(terms, number_formula(mimic.offset))
            j = number[name] - 1
            frames[j] = replace(frames[j], coupling=coupling, mu=False)
        return frames

    def with_actuation(self, frames: list[Frame]) -> list[Frame]:
        """Return the frames with mu set for the active joints only; without loops all joints are active by default."""
        chosen = self.choices.actuated
        moving = [frame.name for frame in frames if frame.moving]
        for name in chosen or ():
            if name not in moving:
                raise UnknownNameError("joint", name, moving)
        if chosen is None and self.document.loops:
            chosen = tuple(name for name in self.document.driven if name in moving) or None
            self.notes.active(chosen)
        if chosen is None:
            return frames
        return [replace(frame, mu=frame.mu and frame.name in chosen) for frame in frames]

    # -- loops

    def loop_frames(self) -> tuple[list[Frame], list[Frame]]:
        """Return the frames of the cut joints, and the second frame of each cut, which is fixed to the other link."""
        zero = [Pose()]  # pose of the link frame of every unit in the root frame, all joint positions zero
        for u in self.tree.units:
            zero.append(zero[u.ant] @ u.place)
        opened, closed = [], []
        for loop in self.document.loops:
            parent, child = (self.attached(loop, name) for name in (loop.parent, loop.child))
            axis = on_link(unit(loop.axis))
            in_child = child.place @ loop.in_child.pose() @ axis
            if loop.in_parent is None:
                in_parent = zero[parent.on].inverse() @ zero[child.on] @ in_child
            else:
                in_parent = parent.place @ loop.in_parent.pose() @ axis
            sides = []
            for attached, place in ((parent, in_parent), (child, in_child)):
                ant, parameters = self.parameters(
                    self.numbers[attached.on], self.places[attached.on].inverse() @ place, loop.name
                )
                sides.append({"ant": ant, **formulas(parameters)})
            kind = {"prismatic": JointType.PRISMATIC, "fixed": JointType.FIXED}.get(
                loop.kind, JointType.REVOLUTE
            )
            opened.append(Frame(sigma=kind, mu=False, name=loop.name, **sides[0]))
            closed.append(Frame(sigma=JointType.FIXED, mu=False, **sides[1]))
            self.closes_at_zero &= _coincide(
                zero[parent.on] @ in_parent, zero[child.on] @ in_child, self.reach, loop.kind
            )
        return opened, closed

    def attached(self, loop: LoopJoint, link: str) -> AttachedLink:
        carried = self.tree.attached_links.get(link)
        if carried is None:
            hint = UnknownNameError("link", link, list(self.tree.attached_links)[:500]).hint or ""
            message = f"the loop joint '{loop.name}' refers to the link '{link}', which does not exist"
            raise self.document.error(message, loop.spot, hint=hint)
        return carried

    def home(self, frames: Sequence[Frame]) -> dict[str, tuple[float, ...]]:
        """Return the zero posture as 'home' if it closes every loop, otherwise an empty dict.

        The posture 'home' selects the assembly mode.
        """
        if not self.document.loops or not self.closes_at_zero:
            return {}
        return {"home": (0.0,) * sum(frame.moving and frame.coupling is None for frame in frames)}

    def base(self, inertia: OriginInertia) -> Base:
        own, gravity = self.document.own, self.document.gravity
        G = _triple(gravity)
        Z = tuple(map(number_formula, own.location)) if own and own.location else IDENTITY16
        name = self.tree.root.name
        if self.tree.floating:
            return Base(BaseKind.FLOATING, self.link(name, inertia), G=G, Z=Z)
        self.notes.base_inertia(inertia.mass)
        return Base(link=self.link(name, inertia), G=G, Z=Z)

    def tool(self) -> Tool | None:
        name = self.choices.tool
        if name is None:
            return None
        attached = self.tree.attached_links.get(name)
        if attached is None:
            raise UnknownNameError("link", name, list(self.tree.attached_links))
        place = self.places[attached.on].inverse() @ attached.place
        ant, parameters = self.parameters(self.numbers[attached.on], place, name)
        return Tool(Placement(ant, **formulas(parameters)), name)


def _triple(v: Vector3) -> Triple:
    return number_formula(v[0]), number_formula(v[1]), number_formula(v[2])


CLOSED = 1e-6  # radians, or metres relative to the reach: files contain six digits
SAME_FRAME = 1e-9  # rotation entries, and metres relative to the reach: round-off of chained transforms


def _is_identity(pose: Pose, reach: float) -> bool:
    """Return whether a pose is the identity except for round-off; `reach` is the size of the robot in metres."""
    turned, moved = difference(pose, Pose())
    return turned <= SAME_FRAME and moved <= SAME_FRAME * max(reach, norm(pose.p))


def _coincide(left: Pose, right: Pose, reach: float, kind: str) -> bool:
    """Return whether the two frames of a cut joint coincide except for a motion of the joint about or along z.

    Args:
        left, right: poses of the two frames.
        reach: size of the robot in metres.
        kind: joint type.
    """
    turned, _ = difference(left, right)
    x, y, z = apply(transposed(left.R), subtract(right.p, left.p))
    if kind == "prismatic":
        z = 0.0
    if kind in ("revolute", "continuous"):
        turned = math.dist(left.z, right.z)
    return turned <= CLOSED and math.hypot(x, y, z) <= CLOSED * reach


# -- mimic joints: each is coupled to the independent joint at the end of its chain of mimic joints


def couplings(document: Document) -> tuple[dict[str, Mimic], list[str]]:
    """Return the couplings of the mimic joints to independent joints by joint name, and a list of notes.

    A mimic joint whose driving joint does not exist in the file becomes independent, as in other readers.

    Raises:
        FormatError: a joint mimics a fixed joint, or mimic joints form a cycle.
    """
    joints = {joint.name: joint for joint in document.joints}
    notes, independent = [], set()
    for joint in document.joints:
        if joint.moving and joint.mimic and joint.mimic.joint not in joints:
            independent.add(joint.name)
            notes.append(
                f"{WARNING}joint {joint.name} mimics '{joint.mimic.joint}', which does not exist: joint "
                f"{joint.name} is independent"
            )
    resolved: dict[str, Mimic] = {}
    for joint in document.joints:
        if joint.moving and joint.mimic and joint.name not in independent:
            _resolve(document, joints, joint, independent, resolved)
    return resolved, notes


def _resolve(
    document: Document,
    joints: dict[str, Joint],
    joint: Joint,
    independent: set[str],
    resolved: dict[str, Mimic],
) -> None:
    """Compute the coupling of a mimic joint to an independent joint, along its chain of mimic joints.

    Args:
        joints: all joints by name.
        joint: the mimic joint.
        independent: names of mimic joints that are independent, because their driving joint does not exist.
        resolved: computed couplings by joint name; those of the chain are added.
    """
    path, steps, names = [joint], [], {joint.name: None}
    while (mimic := path[-1].mimic) and path[-1].name not in resolved and path[-1].name not in independent:
        driver = joints[mimic.joint]
        if not driver.moving:
            raise document.error(
                f"joint '{path[-1].name}' mimics '{driver.name}', which does not move",
                path[-1].spot,
                "mimic",
                "replace the mimic joint by a fixed joint at the required position",
            )
        if driver.name in names:
            circle = " -> ".join(f"'{name}'" for name in [*list(names)[:10], driver.name])
            raise document.error(
                f"the mimic joints form a cycle: {circle}",
                joint.spot,
                "mimic",
                "remove the element mimic of one of them",
            )
        path.append(driver)
        names[driver.name] = None
        steps.append(mimic)
    last = path.pop()
    known = resolved.get(last.name, Mimic(last.name))
    for follower, step in zip(reversed(path), reversed(steps), strict=True):
        known = Mimic(known.joint, step.ratio * known.ratio, step.ratio * known.offset + step.offset)
        if not max(abs(known.ratio), abs(known.offset)) < 1e15:
            message = f"joint '{follower.name}' mimics '{known.joint}' with a ratio that is too large"
            raise document.error(message, follower.spot, "mimic")
        resolved[follower.name] = known
