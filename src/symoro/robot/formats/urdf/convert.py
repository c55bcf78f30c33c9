"""A document as a robot: frames, parameters, inertias, couplings, and notes that tell what was done."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from symoro.errors import OptionError, RobotError, UnknownNameError
from symoro.expr.formula import ZERO
from symoro.robot.description import (
    IDENTITY16,
    Base,
    BaseKind,
    Coupling,
    Frame,
    JointType,
    Link,
    Placement,
    Robot,
    Tool,
    Triple,
)
from symoro.robot.formats.urdf.inertia import OriginInertia, about_origin, total
from symoro.robot.formats.urdf.model import Document, Joint, LoopJoint, Mimic
from symoro.robot.formats.urdf.notes import Story
from symoro.robot.formats.urdf.parameters import Six, faithful, formulas, number_formula, six, size_of
from symoro.robot.formats.urdf.rigid import (
    Pose,
    apply,
    difference,
    norm,
    subtract,
    transposed,
    turn_x,
    unit,
)
from symoro.robot.formats.urdf.snap import snapped
from symoro.robot.formats.urdf.tree import Rider, Tree, Unit, on_link, place_frames, tree


@dataclass(frozen=True)
class Choices:
    """How a document becomes a robot; None leaves the choice to the file.

    Attributes:
        exact: keep the digits of angles and axes, whatever they seem to stand for.
        base: 'fixed' or 'floating'; by default floating when the first joint is.
        fixed: 'merge' adds links on fixed joints to the link below them, 'keep' gives them frames.
        frames: 'normal' puts x along common normals, 'link' keeps to the links' own frames.
        tool: the link whose frame becomes the tool frame.
        actuated: the active joints by name; None takes those that the file gives an actuator.
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
                raise OptionError(f"{name} is '{known[0]}' or '{known[1]}', got {value!r}")

    def settled(self, document: Document) -> Choices:
        """The choices with the file's word where the caller has none; our own files are kept as they are."""
        own = document.own
        return replace(
            self,
            exact=self.exact or own is not None,
            fixed=self.fixed or ("keep" if own else "merge"),
            frames=self.frames or ("link" if own else "normal"),
            tool=self.tool if self.tool is not None or own is None else own.tool,
        )


def robot(document: Document, choices: Choices) -> Robot:
    """The robot that a document describes.

    Raises:
        FormatError, NotApplicableError: it describes none of ours; with the place in the file.
    """
    return _conversion(document, choices).robot()


def link_places(document: Document, choices: Choices) -> dict[str, tuple[int, Pose]]:
    """Link -> the robot's frame that it is fixed in, and its own frame there; for what is drawn and not modelled."""
    made = _conversion(document, choices)
    made.robot()
    return made.link_places()


def _conversion(document: Document, choices: Choices) -> _Conversion:
    choices = choices.settled(document)
    story = Story(document)
    story.has_tool = choices.tool is not None
    story.doubts(document.bodies, max((norm(joint.origin.xyz) for joint in document.joints), default=0.0))
    if not choices.exact:
        document, rounding = snapped(document)
        story.rounded(rounding)
    cut = tree(document, base=choices.base, kept=_kept(document, choices, story))
    if not cut.units:
        raise document.error(
            "the robot has no joints: there is nothing to model",
            document.bodies[0].spot,
            hint=f"{document.kind} of one rigid body is no robot: it needs joints between bodies",
        )
    return _Conversion(document, cut, choices, story)


def _kept(document: Document, choices: Choices, story: Story) -> set[str]:
    """The fixed joints that get frames."""
    if choices.fixed == "keep":
        return {j.name for j in document.joints if j.kind == "fixed" and j.child != choices.tool}
    if any(joint.moving for joint in document.joints):
        return set()
    story.nothing_moves()
    return {joint.name for joint in document.joints}


class _Conversion:
    def __init__(self, document: Document, cut: Tree, choices: Choices, story: Story) -> None:
        self.document, self.tree, self.choices, self.story = document, cut, choices, story
        self.reach = cut.reach
        self.places = place_frames(cut.units, self.reach, on_links=choices.frames == "link")
        self.frames: list[Frame] = []
        self.links: list[Link] = []
        self.numbers = [0]  # of the frame of each unit, frames put in between counted
        self.names = {joint.name for joint in document.joints}
        self.closes_at_zero = True

    def robot(self) -> Robot:
        inertias = self.inertias()
        for j, u in enumerate(self.tree.units, 1):
            self.add(j, u, inertias[j])
        base = self.base(inertias[0])
        tool = self.tool()
        opened, closed = self.loop_frames()
        frames = self.with_actuation(self.coupled())
        self.story.told(self.tree, frames)
        try:
            return Robot(
                self.document.name,
                (*frames, *opened, *closed),
                tuple(self.links),
                base,
                tool,
                notes=self.story.notes(),
                postures=self.home(frames),
                merged_links=self.tree.merged,
            )
        except RobotError as error:
            raise self.document.error(error.message, None) from None

    def link_places(self) -> dict[str, tuple[int, Pose]]:
        """Where the links' frames stand, once the robot is made."""
        return {
            name: (self.numbers[rider.on], self.places[rider.on].inverse() @ rider.place)
            for name, rider in self.tree.riders.items()
        }

    def inertias(self) -> list[OriginInertia]:
        """The inertia of every unit in its frame, with all links that stand still on it."""
        parts: list[list[OriginInertia]] = [[] for _ in self.places]
        backs = [place.inverse() for place in self.places]
        for rider in self.tree.riders.values():
            if rider.body.mass or any(rider.body.inertia):
                parts[rider.on].append(about_origin(rider.body, backs[rider.on] @ rider.place))
        return [total(found) for found in parts]

    def add(self, j: int, u: Unit, inertia: OriginInertia) -> None:
        """Add the frame of unit j, and one before it where the axes are parallel but for round-off."""
        place = self.places[u.ant].inverse() @ u.place @ self.places[j]
        ant, found = self.parameters(self.numbers[u.ant], place, u.joint.name)
        self.frames.append(self.frame(u.joint, ant, found))
        self.links.append(self.link(u.joint.child, inertia))
        self.numbers.append(len(self.frames))

    def parameters(self, ant: int, place: Pose, name: str) -> tuple[int, Six]:
        """The frame to stand on and the parameters there, of what stands at `place` in frame `ant`."""
        size = size_of(place, self.reach)
        found = six(place, size)
        if faithful(found, place, size, self.reach):
            return ant, found
        # Across both axes: near-parallel axes no longer meet, and all lengths are in the frame in between.
        between = Pose(turn_x(math.pi / 2), place.p)
        self.story.frame_between(name, place)
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

    def frame(self, joint: Joint, ant: int, found: Six) -> Frame:
        fields = formulas(found)
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
        """The frames with mimic joints tied to the joints that drive them."""
        frames = list(self.frames)
        number = {u.joint.name: self.numbers[j] for j, u in enumerate(self.tree.units, 1)}
        found, notes = couplings(self.document)
        self.story.add(notes)
        for name, mimic in found.items():
            terms = ((number[mimic.joint], number_formula(mimic.ratio)),)
            coupling = Coupling(terms, number_formula(mimic.offset))
            j = number[name] - 1
            frames[j] = replace(frames[j], coupling=coupling, mu=False)
        return frames

    def with_actuation(self, frames: list[Frame]) -> list[Frame]:
        """Return the frames with the active joints marked; without loops all stay active unless the user chooses."""
        chosen = self.choices.actuated
        moving = [frame.name for frame in frames if frame.moving]
        for name in chosen or ():
            if name not in moving:
                raise UnknownNameError("joint", name, moving)
        if chosen is None and self.document.loops:
            chosen = tuple(name for name in self.document.driven if name in moving) or None
            self.story.active(chosen)
        if chosen is None:
            return frames
        return [replace(frame, mu=frame.mu and frame.name in chosen) for frame in frames]

    # -- loops

    def loop_frames(self) -> tuple[list[Frame], list[Frame]]:
        """Return the cut joints, and the same frames fixed in the links that they close on."""
        zero = [Pose()]  # the link frame of every unit in the root's, all positions zero
        for u in self.tree.units:
            zero.append(zero[u.ant] @ u.place)
        opened, closed = [], []
        for loop in self.document.loops:
            parent, child = (self.rider(loop, name) for name in (loop.parent, loop.child))
            axis = on_link(unit(loop.axis))
            in_child = child.place @ loop.in_child.pose() @ axis
            if loop.in_parent is None:
                in_parent = zero[parent.on].inverse() @ zero[child.on] @ in_child
            else:
                in_parent = parent.place @ loop.in_parent.pose() @ axis
            sides = []
            for rider, place in ((parent, in_parent), (child, in_child)):
                ant, found = self.parameters(
                    self.numbers[rider.on], self.places[rider.on].inverse() @ place, loop.name
                )
                sides.append({"ant": ant, **formulas(found)})
            kind = {"prismatic": JointType.PRISMATIC, "fixed": JointType.FIXED}.get(
                loop.kind, JointType.REVOLUTE
            )
            opened.append(Frame(sigma=kind, mu=False, name=loop.name, **sides[0]))
            closed.append(Frame(sigma=JointType.FIXED, mu=False, **sides[1]))
            self.closes_at_zero &= _coincide(
                zero[parent.on] @ in_parent, zero[child.on] @ in_child, self.reach, loop.kind
            )
        return opened, closed

    def rider(self, loop: LoopJoint, link: str) -> Rider:
        found = self.tree.riders.get(link)
        if found is None:
            hint = UnknownNameError("link", link, list(self.tree.riders)[:500]).hint or ""
            message = f"the loop joint '{loop.name}' refers to the link '{link}', which does not exist"
            raise self.document.error(message, loop.spot, hint=hint)
        return found

    def home(self, frames: Sequence[Frame]) -> dict[str, tuple[float, ...]]:
        """Return the zero posture as 'home', which selects the assembly mode, if it closes every loop."""
        if not self.document.loops or not self.closes_at_zero:
            return {}
        return {"home": (0.0,) * sum(frame.moving and frame.coupling is None for frame in frames)}

    def base(self, inertia: OriginInertia) -> Base:
        own, gravity = self.document.own, self.document.gravity
        G: Triple = (number_formula(gravity[0]), number_formula(gravity[1]), number_formula(gravity[2]))
        Z = tuple(map(number_formula, own.location)) if own and own.location else IDENTITY16
        name = self.tree.root.name
        if self.tree.floating:
            return Base(BaseKind.FLOATING, self.link(name, inertia), G=G, Z=Z)
        self.story.base_inertia(inertia.mass)
        return Base(link=self.link(name, inertia), G=G, Z=Z)

    def tool(self) -> Tool | None:
        name = self.choices.tool
        if name is None:
            return None
        rider = self.tree.riders.get(name)
        if rider is None:
            raise UnknownNameError("link", name, list(self.tree.riders))
        place = self.places[rider.on].inverse() @ rider.place
        ant, found = self.parameters(self.numbers[rider.on], place, name)
        return Tool(Placement(ant, **formulas(found)), name)


CLOSED = 1e-6  # radians, or metres relative to the reach: files write six digits


def _coincide(left: Pose, right: Pose, reach: float, kind: str) -> bool:
    """Return whether the two frames of a cut joint coincide except for a motion of the joint about or along z."""
    turned, _ = difference(left, right)
    x, y, z = apply(transposed(left.R), subtract(right.p, left.p))
    if kind == "prismatic":
        z = 0.0
    if kind in ("revolute", "continuous"):
        turned = math.dist(left.z, right.z)
    return turned <= CLOSED and math.hypot(x, y, z) <= CLOSED * reach


# -- mimic joints: each coupled to the joint that drives it in the end, through any chain of mimic joints


def couplings(document: Document) -> tuple[dict[str, Mimic], list[str]]:
    """For every mimic joint the independent joint behind it, with ratio and offset; and notes on the way.

    A joint that mimics one which the file does not have is left independent, as other readers do.

    Raises:
        FormatError: a joint mimics one that does not move, or that mimics it in turn.
    """
    joints = {joint.name: joint for joint in document.joints}
    notes, lost = [], set()
    for joint in document.joints:
        if joint.moving and joint.mimic and joint.mimic.joint not in joints:
            lost.add(joint.name)
            notes.append(
                f"joint {joint.name} mimics '{joint.mimic.joint}', which is not there: left independent"
            )
    found: dict[str, Mimic] = {}
    for joint in document.joints:
        if joint.moving and joint.mimic and joint.name not in lost:
            _resolve(document, joints, joint, lost, found)
    return found, notes


def _resolve(
    document: Document, joints: dict[str, Joint], joint: Joint, lost: set[str], found: dict[str, Mimic]
) -> None:
    """Follow the joints that `joint` mimics to the free one, then settle all of them on the way back."""
    way, steps, names = [joint], [], {joint.name: None}
    while (mimic := way[-1].mimic) and way[-1].name not in found and way[-1].name not in lost:
        driver = joints[mimic.joint]
        if not driver.moving:
            raise document.error(
                f"joint '{way[-1].name}' mimics '{driver.name}', which does not move",
                way[-1].spot,
                "mimic",
                "make the follower fixed, at the position that it should have",
            )
        if driver.name in names:
            circle = " -> ".join(f"'{name}'" for name in [*list(names)[:10], driver.name])
            raise document.error(f"joints mimic each other in a circle: {circle}", joint.spot, "mimic")
        way.append(driver)
        names[driver.name] = None
        steps.append(mimic)
    last = way.pop()
    known = found.get(last.name, Mimic(last.name))
    for follower, step in zip(reversed(way), reversed(steps), strict=True):
        known = Mimic(known.joint, step.ratio * known.ratio, step.ratio * known.offset + step.offset)
        if not max(abs(known.ratio), abs(known.offset)) < 1e15:
            message = f"joint '{follower.name}' mimics '{known.joint}' with a ratio too large for a robot"
            raise document.error(message, follower.spot, "mimic")
        found[follower.name] = known
