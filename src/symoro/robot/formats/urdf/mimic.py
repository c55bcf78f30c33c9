"""Mimic joints: each tied to the joint that drives it in the end, whatever joints stand between."""

from __future__ import annotations

from symoro.robot.formats.urdf.model import Document, Joint, Mimic


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
