"""Contacts of a floating robot with its environment, and the generalised forces of their measured wrenches.

With the force f and the moment m that the ground exerts on the robot at the contact point c, in the axes of frame 0,

    [0; tau] + sum over contacts of Jc' [f; m] = W K

Jc (6, 6+n) is the Jacobian of the point. The six rows of the base do not contain the torques; alone they identify all
inertial parameters of the links.

K. Ayusawa, G. Venture, Y. Nakamura, "Identifiability and identification of inertial parameters using the underactuated
base-link dynamics for legged multibody systems", International Journal of Robotics Research 33, 2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ArgumentError, OptionError, SymoroError
from symoro.identification.base_motion import BaseMotion
from symoro.model import generate
from symoro.models.geometric.screws import resolve
from symoro.robot.description import Robot
from symoro.runtime.function import Function

Array = NDArray[np.float64]
AXES = ("frame", "base", "world")
SOURCES = ("ground", "robot")
PREFIX = "contact"
BASE_ROWS = tuple(f"base {what} {axis}" for what in ("force", "moment") for axis in "xyz")


@dataclass(frozen=True)
class Contact:
    """Contact of a floating robot with its environment, at which the force or the wrench was measured.

    Attributes:
        frame: number or name of a frame, or the name of a link of the robot's file, as in `contact-dynamics`.
        point: the contact point in this frame, in metres; moments are about this point.
        axes: axes of the measured components: 'frame' (those of `frame`), 'base' (frame 0) or 'world'.
        by: what exerts the force: 'ground' for forces on the robot, 'robot' for forces on the ground.

    Raises:
        ArgumentError: a field has a wrong value.
    """

    frame: int | str
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axes: str = "frame"
    by: str = "ground"

    def __post_init__(self) -> None:
        for name, value, choices in (("axes", self.axes, AXES), ("by", self.by, SOURCES)):
            if value not in choices:
                raise ArgumentError(
                    f"{name} of contact {self.frame}: expected one of {', '.join(choices)}, got '{value}'"
                )
        if np.shape(self.point) != (3,) or not np.isfinite(self.point).all():
            raise ArgumentError(f"point of contact {self.frame}: expected 3 finite numbers, got {self.point}")

    def __str__(self) -> str:
        return f"contact {self.frame}"


ContactLike = Contact | int | str | tuple[int | str, Sequence[float]]


def as_contact(given: ContactLike) -> Contact:
    """Return a contact that is given as such, by its frame, or by its frame and a point in this frame."""
    if isinstance(given, Contact):
        return given
    if isinstance(given, tuple):
        frame, point = given
        x, y, z = (float(value) for value in point)
        return Contact(frame, (x, y, z))
    return Contact(given)


def column_kind(k: int) -> str:
    """Return the name of the quantity of a log that contains the wrench of the contact with index k."""
    return f"{PREFIX}{k + 1}"


@dataclass(frozen=True)
class ContactPose:
    """Pose of the axes of a contact in the frame of a link.

    Attributes:
        link: number of the link.
        rotation: (3, 3), axes of the contact in the frame of the link.
        position: the contact point in the frame of the link (3,).
    """

    link: int
    rotation: Array
    position: Array


def contact_pose(robot: Robot, contact: Contact) -> ContactPose:
    """Return the pose of a contact in the frame of its link.

    Raises:
        ArgumentError: there is no such frame, or it is not fixed to a link.
    """
    numbers = dict(robot.nominal)
    point = np.array(contact.point, dtype=float)
    named = robot.link_frame(contact.frame)
    if named is not None:
        rotation = np.array([x.value(numbers) for x in named.rotation]).reshape(3, 3)
        position = np.array([x.value(numbers) for x in named.position])
        return ContactPose(named.frame, rotation, position + rotation @ point)
    try:
        which = resolve(robot, contact.frame, 0)
    except SymoroError as error:
        raise ArgumentError(f"{contact}: {error.message}", hint=error.hint) from None
    if isinstance(which, str) or which > robot.NL:
        raise ArgumentError(f"{contact} is not the frame of a link", hint=f"frames 0 .. {robot.NL}")
    return ContactPose(which, np.eye(3), point)


class ContactForces:
    """Function object that computes the generalised forces of the measured contact wrenches."""

    def __init__(self, robot: Robot, contacts: Sequence[Contact]) -> None:
        """Compile the Jacobians and the poses of the links with contacts.

        Args:
            robot: a robot with a floating base.
            contacts: the contacts.

        Raises:
            ArgumentError: the frame of a contact does not exist.
        """
        self.contacts = tuple(contacts)
        self.poses = [contact_pose(robot, contact) for contact in self.contacts]
        self.links: dict[int, tuple[Function, Function]] = {
            link: (
                generate(robot, "jacobian", to=link, frame=0).function(),
                generate(robot, "fast-geometry", to=link).function(),
            )
            for link in {pose.link for pose in self.poses} - {0}
        }

    def __call__(self, q: Array, motion: BaseMotion) -> Array:
        """Return the generalised forces of all contacts on the robot (N, 6 + n), the rows of the base first.

        Args:
            q: joint positions (N, n).
            motion: rotation of the base, and the measured wrenches.
        """
        samples, n = q.shape
        total = np.zeros((samples, 6 + n))
        placed = {link: (J(q=q)["J"], T(q=q)["T"][:, :3, :3]) for link, (J, T) in self.links.items()}
        for k, (contact, pose) in enumerate(zip(self.contacts, self.poses, strict=True)):
            J, rotation = placed.get(pose.link, (None, np.broadcast_to(np.eye(3), (samples, 3, 3))))
            axes = {
                "frame": rotation @ pose.rotation,
                "base": np.broadcast_to(np.eye(3), (samples, 3, 3)),
                "world": np.swapaxes(motion.rotation, 1, 2),
            }[contact.axes]
            sign = 1.0 if contact.by == "ground" else -1.0
            force, moment = (
                sign * np.einsum("kij,kj->ki", axes, part)
                for part in (motion.wrenches[:, k, :3], motion.wrenches[:, k, 3:])
            )
            wrench = np.hstack([force, moment + np.cross(rotation @ pose.position, force)])
            if J is None:
                total[:, :6] += wrench
            else:
                total += np.einsum("kij,ki->kj", J, wrench)
        return total


def check_contacts(robot: Robot, contacts: Sequence[Contact]) -> None:
    """Check that a log of a floating robot contains contacts, each at a frame of the robot.

    Raises:
        OptionError: there are no contacts.
        ArgumentError: the frame of a contact does not exist.
    """
    if not contacts:
        raise OptionError(
            f"the log of the floating robot '{robot.name}' contains no contact forces, without which its mass "
            "cannot be identified",
            hint="describe the measured forces under contacts in the description of the log, with frame and columns",
        )
    for contact in contacts:
        contact_pose(robot, contact)


def contact_wrenches(arrays: dict[str, Array], count: int, samples: int) -> Array:
    """Return the wrenches of all contacts (N, C, 6) from the columns of a log; absent moments are zero.

    Args:
        arrays: samples of a log by quantity.
        count: number of contacts.
        samples: number N of samples.
    """
    wrenches = np.zeros((samples, count, 6))
    for k in range(count):
        x = arrays[column_kind(k)]
        wrenches[:, k, : x.shape[1]] = x
    return wrenches
