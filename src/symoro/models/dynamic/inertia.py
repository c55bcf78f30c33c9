"""Effective inertias of the links: pseudo-inertias, regrouped by the general rule (`models.regrouping`).

Parameters that reach a fixed base have no effect. A link that rotates only about its own z axis, such as the first one,
needs only ZZ of the inertia tensor. The result depends on parameters alone, so that it can be computed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.expr.linalg import Matrix, Vector, matadd, transpose, zeros
from symoro.models.joints import Trigonometry, fixed_transform, is_zero
from symoro.models.recursion import JointFrame, inward, joint_frame, outward
from symoro.models.regrouping import carried, moving, of_matrix, staying
from symoro.models.spatial import ZERO_INERTIA, Inertia
from symoro.program.builder import Builder
from symoro.robot.description import BaseKind, JointType, Link, Robot, Tool

SECTION = "regrouped inertial parameters"


def of_link(builder: Builder, link: Link) -> Inertia:
    """Return the inertia of a link from its ten standard parameters."""
    xx, xy, xz, yy, yz, zz = (builder.formula(getattr(link, n)) for n in ("XX", "XY", "XZ", "YY", "YZ", "ZZ"))
    half = builder.number(1) / 2
    k = ((yy + zz - xx) * half, (xx + zz - yy) * half, (xx + yy - zz) * half, -xy, -xz, -yz)
    ms = (builder.formula(link.MX), builder.formula(link.MY), builder.formula(link.MZ))
    return Inertia(k, ms, builder.formula(link.M), (xx, xy, xz, yy, yz, zz))


def link_inertias(builder: Builder, robot: Robot) -> dict[int, Inertia]:
    """Return the inertias of all links, link 0 first; a payload is added to the link with the tool."""
    inertias = {j: of_link(builder, link) for j, link in enumerate((robot.base.link, *robot.links))}
    for j, payload in payloads(builder, robot).items():
        inertias[j] = joined(inertias[j], payload)
    return inertias


def payloads(builder: Builder, robot: Robot) -> dict[int, Inertia]:
    """Return the inertia of the payload, by the number of the frame to which the tool is attached and in this frame.

    The dictionary is empty if there is no payload.
    """
    if not robot.payload or not robot.tool:
        return {}
    tool = tool_frame(builder, robot, robot.tool)
    moved = carried(of_link(builder, robot.payload).matrix(), _rotation(tool), tool.position)
    return {tool.i: of_matrix(moved)}


def tool_frame(builder: Builder, robot: Robot, tool: Tool) -> JointFrame:
    """Return the tool frame as an additional frame, with its fixed transform to the frame that carries the tool."""
    place = fixed_transform(builder, tool.place)
    return joint_frame(robot.NF + 1, tool.place.ant, JointType.FIXED, place, Trigonometry(builder, robot))


def joined(one: Inertia, other: Inertia) -> Inertia:
    """Return the inertia of two bodies that are fixed to each other, both given in the same frame."""
    return of_matrix(matadd(one.matrix(), other.matrix()))


def effective_inertias(
    builder: Builder,
    robot: Robot,
    frames: Mapping[int, JointFrame],
    basis: Mapping[int, str],
    *,
    alone: bool = True,
) -> dict[int, Inertia]:
    """Return the regrouped inertias of the links, without parameters that have no effect on the joint torques.

    The regrouped parameters are named variables of the program.

    Args:
        basis: for a revolute link, which parameter vanishes: 'K' for Kzz (default), 'J' for YY.
        alone: whether each inertia is used without being added to that of other links. If so, the tensor of a link that
            rotates only about its own z axis is reduced to ZZ.
    """
    about_z = _turning_about_z(robot, frames)
    inertias = regrouped(frames, _about_z_alone(link_inertias(builder, robot), about_z), basis)
    for j in about_z if alone else ():
        inertias[j] = Inertia((inertias[j].tensor()[5], 0, 0, 0, 0, 0), inertias[j].ms, inertias[j].m)
    for j in (*([0] if robot.base.kind == BaseKind.FLOATING else []), *frames):
        only_zz = j in about_z and is_zero(inertias[j].k[1])
        name_inertia(builder, j, inertias[j], of_link(builder, robot.link(j)), only_zz=only_zz)
    return inertias


def regrouped_inertias(
    builder: Builder, robot: Robot, frames: Mapping[int, JointFrame], *, with_base: bool
) -> dict[int, Inertia]:
    """Return the regrouped inertias of the links; the total mass of the robot does not change.

    Parameters that move with no joint are added to link 0.

    Args:
        with_base: whether the inertia of link 0 is included.
    """
    inertias = link_inertias(builder, robot)
    if not with_base:
        inertias[0] = ZERO_INERTIA
    return regrouped(frames, _about_z_alone(inertias, _turning_about_z(robot, frames)), {})


def _about_z_alone(inertias: Mapping[int, Inertia], links: Sequence[int]) -> dict[int, Inertia]:
    """Return the inertias, reduced to ZZ for the given links, which rotate only about their own z axis."""
    reduced = dict(inertias)
    for j in links:
        zz = inertias[j].tensor()[5]
        reduced[j] = Inertia((zz, 0, 0, 0, 0, 0), inertias[j].ms, inertias[j].m)
    return reduced


def name_inertia(builder: Builder, j: int, effective: Inertia, own: Inertia, *, only_zz: bool) -> None:
    """Name the inertial parameters of link j in the program.

    A parameter is named KXX3 if it belongs to link 3 alone, and KXXR3 if parameters of other links are added to it.

    Args:
        effective: inertia after regrouping.
        own: inertia of the link alone.
        only_zz: whether only ZZ of the inertia tensor has an effect; the first entry is then named ZZ instead of KXX.
    """
    names = (*("ZZ" if only_zz else "KXX", "KYY", "KZZ", "KXY", "KXZ", "KYZ"), "MX", "MY", "MZ", "M")
    own_k = (own.tensor()[5], *own.k[1:]) if only_zz else own.k
    for name, value, before in zip(
        names, (*effective.k, *effective.ms, effective.m), (*own_k, *own.ms, own.m), strict=True
    ):
        same = builder.number(value).lit == builder.number(before).lit
        builder.named(f"{name}{'' if same else 'R'}{j}", value, SECTION)


def _turning_about_z(robot: Robot, frames: Mapping[int, JointFrame]) -> list[int]:
    """Return the links that rotate only about their own z axis.

    These are the first revolute link and the following links with parallel axes, on a base that does not rotate.
    """
    turns = any(not f.is_zero for f in (*robot.base.W0, *robot.base.WP0))
    if turns or robot.base.kind != BaseKind.FIXED:
        return []

    def step(frame: JointFrame, antecedent: tuple[bool, bool]) -> tuple[bool, bool]:
        """Return whether a link rotates at all, and whether only about its own z axis.

        Args:
            frame: frame of the link.
            antecedent: the same two flags for the antecedent of the link.
        """
        turns, about_z = antecedent
        return turns or frame.revolute, not turns or (about_z and is_zero(frame.alpha[0]))

    turning = outward(frames, (False, False), step)
    return [j for j in frames if turning[j][1]]


def regrouped(
    frames: Mapping[int, JointFrame], inertias: Mapping[int, Inertia], basis: Mapping[int, str]
) -> dict[int, Inertia]:
    """Return the inertias of all links after regrouping by the general rule, from the tips inward.

    Args:
        basis: for a revolute link, which parameter vanishes: 'K' for Kzz, 'J' for YY (SYMORO's choice).
    """
    moved: dict[int, Matrix] = {0: zeros(4, 4)}

    def step(frame: JointFrame, p: Matrix, onto: Matrix) -> Matrix:
        moved[frame.j] = moving(p, frame.sigma, basis.get(frame.j, "K"))
        return matadd(onto, carried(moved[frame.j], _rotation(frame), _fixed_position(frame)))

    gathered = inward(frames, {j: inertia.matrix() for j, inertia in inertias.items()}, step)
    return {j: of_matrix(staying(p, moved[j])) for j, p in gathered.items()}


def _rotation(frame: JointFrame) -> Matrix:
    """Return the rotation matrix iAj of frame j.

    For a revolute joint only the last column, which does not depend on theta, is computed; the other two columns are
    zero.
    """
    if frame.revolute:
        axis = frame.axis_in_parent()
        return [[0, 0, axis[r]] for r in range(3)]
    return transpose([frame.to_parent(e) for e in ([1, 0, 0], [0, 1, 0], [0, 0, 1])])


def _fixed_position(frame: JointFrame) -> Vector:
    """Return the position iPj of frame j; zero for a prismatic joint, where it has no effect."""
    return [0, 0, 0] if frame.prismatic else frame.position
