"""Newton-Euler recursion as printed in the paper, line by line (W. Khalil, ICINCO 2010, section 3.2, eq. 13 to 31).

Outward, for j = 1 .. n with i = a(j); s = sigma_j, sb = 1 - s:

    jw_i  = jR_i iw_i                                                       (18)
    jw_j  = jw_i + sb qd a                                                  (19)
    jwd_j = jR_i iwd_i + sb (qdd a + jw_i x qd a)                           (20)
    jVd_j = jR_i (iVd_i + iU_i iP_j) + s (qdd a + 2 jw_i x qd a)            (21)     U = hat(wd) + hat(w) hat(w)
    jF_j  = M jVd_j + jU_j jMS_j                                            (22)
    jM_j  = jJ_j jwd_j + jw_j x (jJ_j jw_j) + jMS_j x jVd_j                 (23)

with w_0 and wd_0 of the base and Vd_0 minus gravity. Inward, for j = n .. 1 and then the base:

    jf_j = jF_j + jf_ej,  jm_j = jM_j + jm_ej                               (26), (27)
    if_j = iR_j jf_j,  f_ei += if_j,  m_ei += iR_j jm_j + iP_j x if_j       (28) to (30)
    Gamma_j = (s jf_j + sb jm_j)' a + the torque of the drive               (31)

The links have their standard parameters, so that the wrenches are the actual reactions of the joints; that of link 0 is
the wrench on the base (section 7.1). `newton_euler` computes the same torques with fewer operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symoro.expr.linalg import Vector, add, cross, scale, subtract
from symoro.expr.scalar import Scalar
from symoro.models.recursion import (
    BaseMotion,
    JointFrame,
    apply_u,
    inward,
    outward,
)
from symoro.models.spatial import Inertia, Twist, Wrench


@dataclass(frozen=True)
class LinkMotion:
    """Angular velocity w and acceleration wd of a link, and acceleration vd of its origin, in the link's frame."""

    w: Vector
    wd: Vector
    vd: Vector


def link_motions(
    tree: Mapping[int, JointFrame],
    base: BaseMotion,
    down: Vector,
    qd: Mapping[int, Scalar],
    qdd: Mapping[int, Scalar],
) -> dict[int, LinkMotion]:
    """Return the motion of every link, including the base.

    Args:
        base: motion of the base.
        down: gravity in frame 0; it is subtracted from the acceleration of the base.
        qd, qdd: joint velocities and accelerations.
    """

    def step(frame: JointFrame, i: LinkMotion) -> LinkMotion:
        rate, acceleration = qd.get(frame.j, 0), qdd.get(frame.j, 0)
        w = frame.to_child(i.w)  # (18)
        wd = frame.to_child(i.wd)
        vd = frame.to_child(add(i.vd, apply_u(i.w, i.wd, frame.position)))
        along: Vector = [0, 0, acceleration]
        across = cross(w, [0, 0, rate])
        if frame.revolute:
            wd = add(wd, add(along, across))  # (20)
            w = add(w, [0, 0, rate])  # (19)
        elif frame.prismatic:
            vd = add(vd, add(along, scale(2, across)))  # (21)
        return LinkMotion(w, wd, vd)

    return outward(tree, LinkMotion(base.w, base.wd, subtract(base.vd, down)), step)


def wrench_of(inertia: Inertia, motion: LinkMotion) -> Wrench:
    """Return the external wrench that a motion of a link requires, in the link's frame (9).

    Args:
        inertia: inertia of the link, in its frame.
        motion: velocity and acceleration of the link.
    """
    w, wd, vd, ms = motion.w, motion.wd, motion.vd, inertia.ms
    force = add(scale(inertia.m, vd), apply_u(w, wd, ms))  # (22)
    spin, gained = ((inertia @ Twist([0, 0, 0], x)).m for x in (w, wd))
    moment = add(add(gained, cross(w, spin)), cross(ms, vd))  # (23)
    return Wrench(force, moment)


def link_wrenches(
    tree: Mapping[int, JointFrame],
    motions: Mapping[int, LinkMotion],
    inertias: Mapping[int, Inertia],
    loads: Mapping[int, Vector],
) -> dict[int, Wrench]:
    """Return the wrench of the antecedent on every link, in the link's frame; for link 0 the wrench on the base.

    Args:
        motions: motion of each link, including the base.
        loads: wrench (force; moment) of links on the environment.
        inertias: inertia of each link.
    """
    own: dict[int, Wrench] = {}
    for j, motion in motions.items():
        own[j] = wrench_of(inertias[j], motion)
        if j in loads:
            own[j] = own[j] + Wrench(loads[j][:3], loads[j][3:])  # (26), (27)
    return inward(tree, own, lambda frame, f, onto: onto + f.to_parent(frame))  # (25), (28) to (30)


def efforts(tree: Mapping[int, JointFrame], wrenches: Mapping[int, Wrench]) -> dict[int, Scalar]:
    """Return the component of each link's wrench along its joint axis, without rotor inertia and friction (31).

    Args:
        wrenches: wrench of the antecedent on each link, in the link's frame.
    """
    return {j: wrenches[j].along(frame) for j, frame in tree.items() if frame.moving}
