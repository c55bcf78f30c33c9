"""Formulations of the Newton-Euler recursion: choices that change the operation count, not the result.

In the formulas, U = hat(wd) + hat(w)^2 and w is the angular velocity of the link.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from symoro.models.recursion import inward, kinematic_tree
from symoro.robot.description import JointType, Robot


@dataclass(frozen=True)
class Choice:
    """Selection among equivalent equations of link j in the Newton-Euler recursion, which differ in operation count.

    w = (w1, w2, w3) is the angular velocity of the link, wd = (WP1, WP2, WP3) its angular acceleration, i its
    antecedent, and U_j = hat(wd) + hat(w)^2 with the elements U11 .. U33.

    Attributes:
        basis: inertial parameter that regrouping makes zero: 'K' (Kzz) or 'J' (YY).
        column: whether the third column of U_j is computed from the antecedent, U_j z_j = jAi U_i z_j.
        third: whether U33 is taken from the antecedent, so that w2^2 (or w1^2 + w2^2) is not computed.
        difference: whether U11 is computed as U33 + (w1^2 - w3^2); the difference is also used in the moment.
        doubled: whether U31 is computed as w1 (2 w3) - U13 instead of w1 w3 - WP2.
        before: whether the vectors of link j are expressed in the axes that frame j has before the rotation of joint j.
            The inertia of the link is then rotated into these axes.
    """

    basis: str = "K"
    column: bool = True
    third: bool = True
    difference: bool = False
    doubled: bool = False
    before: bool = False

    def __str__(self) -> str:
        words = [f"basis {self.basis}"]
        words += [name for name in FLAGS if getattr(self, name)]
        return ", ".join(words)


FLAGS = ("column", "third", "difference", "doubled", "before")


@dataclass(frozen=True)
class Change:
    """Change of one choice of a formulation.

    Attributes:
        name: name of the choice, for example "column".
        link: number of the link; 0 for a choice of the whole robot.
    """

    name: str
    link: int = 0


@dataclass(frozen=True)
class Formulation:
    """Formulation of the Newton-Euler recursion for a robot.

    Attributes:
        links: the choices for each link, link 1 first.
        parallel_out, parallel_in: whether rotations about parallel axes are replaced by one rotation with the sum of
            the angles, in the outward and in the inward recursion.
    """

    links: tuple[Choice, ...]
    parallel_out: bool = True
    parallel_in: bool = True

    def of(self, j: int) -> Choice:
        return self.links[j - 1]

    def bases(self) -> dict[int, str]:
        """Return, for each link, the inertial parameter that regrouping makes zero: 'K' (Kzz) or 'J' (YY)."""
        return {j: choice.basis for j, choice in enumerate(self.links, 1)}

    def moves(self, robot: Robot) -> list[Change]:
        """Return all changes of a single choice that are possible for a robot."""
        revolute = [j for j, _ in enumerate(self.links, 1) if robot.frame(j).sigma == JointType.REVOLUTE]
        moves = [Change(name, j) for j in revolute for name in ("before", "column", "basis", "difference")]
        moves += [Change(name, j) for j in revolute for name in ("doubled", "third")]
        return [*moves, Change("parallel_out"), Change("parallel_in")]

    def changed(self, move: Change) -> Formulation:
        """Return the formulation after the change `move` of one choice."""
        where = self.of(move.link) if move.link else self
        change: dict[str, Any] = {move.name: not getattr(where, move.name)}
        if move.link == 0:
            return replace(self, **change)
        choice = self.of(move.link)
        if move.name == "basis":
            change = {"basis": "J" if choice.basis == "K" else "K"}
        choice = replace(choice, **change)
        return replace(self, links=(*self.links[: move.link - 1], choice, *self.links[move.link :]))

    def words(self) -> list[str]:
        """Return a description of the choices for the header of a program, one line per link."""
        lines = [f"link {j}: {choice}" for j, choice in enumerate(self.links, 1)]
        sums = [w for w, used in (("outward", self.parallel_out), ("inward", self.parallel_in)) if used]
        return [*lines, f"sums of parallel axes: {' and '.join(sums) or 'not used'}"]


def plain(robot: Robot) -> Formulation:
    """Return the formulation of SYMORO: vectors in the link frames, U = hat(wd) + hat(w)^2 computed link by link."""
    choice = Choice(basis="J", column=False, third=False)
    return Formulation((choice,) * robot.NL, parallel_out=False, parallel_in=False)


def _carrying(robot: Robot) -> set[int]:
    """Return the links that carry a moving joint, directly or through fixed frames."""
    links = kinematic_tree(robot)
    none = dict.fromkeys((0, *links), False)
    carrying = inward(links, none, lambda node, beyond, onto: onto or beyond or node.moving)
    return {j for j, carries in carrying.items() if carries}


def quick(robot: Robot) -> Formulation:
    """Return a formulation that needs few operations for nearly every robot, without a search.

    Computing the third column of U = hat(wd) + hat(w)^2 from the antecedent saves operations if the angle between the
    axes is a multiple of 90 degrees. The vectors of a terminal link are expressed in the axes before its joint
    rotation, which needs the fewest operations.
    """
    inner = _carrying(robot)
    links = []
    for j, frame in enumerate(robot.frames[: robot.NL], 1):
        exact = frame.alpha.is_zero or (frame.alpha.number is not None and "pi" in frame.alpha.text)
        tip = j not in inner and frame.sigma == JointType.REVOLUTE
        links.append(Choice(column=exact, third=exact, before=tip and exact, doubled=tip and exact))
    return Formulation(tuple(links))
