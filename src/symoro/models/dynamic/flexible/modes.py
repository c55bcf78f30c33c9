"""Modes of a beam in the recursions of the dynamics, either free or with zero acceleration.

With J* and beta* of all that the tip carries, gamma the tip acceleration at rest, and T the translation from root to
tip, the equations of the beam and f_tip = J* Vd_tip - beta* give

    (J + T' J* T) Vd + B edd = f + beta,          B = C + T' J* S
    B' Vd + D edd = r,                            D = m + S' J* S,   r = -(K e + Coriolis) + S' (beta* - J* gamma)

and, for free modes, edd = D^-1 (r - B' Vd). They are eliminated one by one, as free joints are; this leaves the inertia
(J + T' J* T) - B D^-1 B' and the wrench beta - B D^-1 r.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, Vector
from symoro.expr.scalar import Scalar
from symoro.models.dynamic.flexible.beam import Beam
from symoro.models.joints import is_zero
from symoro.models.spatial import AnyInertia, Twist, Wrench, gathered


@dataclass(frozen=True)
class ModalBlock:
    """Equations B' Vd + D edd = r of the modes of a beam, including the bodies that its tip carries.

    Vd is the acceleration of the root, edd are the modal accelerations.

    Attributes:
        mass: the modal mass matrix D.
        columns: the columns of B, one wrench per mode.
        torques: the generalised forces r at zero accelerations, one per mode.
    """

    mass: Matrix
    columns: list[Wrench]
    torques: Vector


def block(beam: Beam, w: Vector, inertia: AnyInertia, beta: Wrench) -> ModalBlock:
    """Return B, D and r of the equations B' Vd + D edd = r of a beam's modes (see `ModalBlock`).

    Args:
        w: angular velocity of the root.
        inertia, beta: articulated inertia and bias wrench of the tip with all bodies that it carries.
    """
    wrench_at_tip = beta - inertia @ beam.gamma(w)
    moved = [inertia @ tip for tip in beam.tips]
    mass = [
        [m + wrench.dot(tip) for m, wrench in zip(row, moved, strict=True)]
        for row, tip in zip(beam.mass, beam.tips, strict=True)
    ]
    columns = [c + wrench.to_parent(beam.shift) for c, wrench in zip(beam.columns, moved, strict=True)]
    torques = [wrench_at_tip.dot(tip) - borne for tip, borne in zip(beam.tips, beam.modal(w), strict=True)]
    return ModalBlock(mass, columns, torques)


@dataclass(frozen=True)
class Eliminated:
    """Equation of a mode after the elimination of the modes before it.

        edd = inverse (torque - column' Vd - row . edd_after)

    Vd is the acceleration of the beam's root, and edd_after are the accelerations of the modes that follow.
    """

    inverse: Scalar
    column: Wrench
    torque: Scalar
    row: Vector


def eliminated(link: int, block: ModalBlock) -> list[Eliminated]:
    """Eliminate the modes of a link one by one from their equations B' Vd + D edd = r (see `ModalBlock`).

    Args:
        link: number of the link, for the error message.
        block: the equations.

    Raises:
        NotApplicableError: the modal mass is zero.
    """
    mass = [list(row) for row in block.mass]
    columns, torques = list(block.columns), list(block.torques)
    steps = []
    for k in range(len(mass)):
        if is_zero(mass[k][k]):
            raise NotApplicableError(
                f"the modes of link {link} move no mass, so that their accelerations are undetermined",
                hint=f"give link {link} a mass per length (for torsion a polar inertia Ip), or fewer modes",
            )
        inverse = 1 / mass[k][k]
        for m in range(k + 1, len(mass)):
            factor = mass[k][m] * inverse
            for n in range(m, len(mass)):
                mass[m][n] = mass[m][n] - factor * mass[k][n]
            columns[m] = columns[m] - columns[k].times(factor)
            torques[m] = torques[m] - factor * torques[k]
        steps.append(Eliminated(inverse, columns[k], torques[k], mass[k][k + 1 :]))
    return steps


def articulated_root(
    beam: Beam, w: Vector, tip: tuple[AnyInertia, Wrench], root: tuple[AnyInertia, Wrench], *, held: bool
) -> tuple[AnyInertia, Wrench]:
    """Return articulated inertia J* and bias wrench beta* of a beam's root, including the bodies at its tip.

    Args:
        w: angular velocity of the root.
        tip: articulated inertia J* and bias wrench beta* of the tip.
        root: inertia and bias wrench of the root without the bodies that the tip carries.
        held: whether the modes have zero acceleration.
    """
    inertia, beta = tip
    carried = gathered(beam.shift, inertia, root[0])
    wrench_at_tip = beta - inertia @ beam.gamma(w)
    left = root[1] - beam.coriolis(w) + wrench_at_tip.to_parent(beam.shift)
    if held:
        return carried, left
    freed = carried.articulated()
    for mode in eliminated(beam.i, block(beam, w, inertia, beta)):
        share = mode.column.times(mode.inverse)
        freed, left = freed.less(share, mode.column), left - share.times(mode.torque)
    return freed, left


def accelerations(beam: Beam, w: Vector, tip: tuple[AnyInertia, Wrench], root: Twist) -> list[Scalar]:
    """Return the accelerations edd of a beam's free modes.

    They solve B' Vd + D edd = r (see `ModalBlock`).

    Args:
        w: angular velocity of the root.
        tip: articulated inertia and bias wrench of the tip.
        root: acceleration of the root.
    """
    steps = eliminated(beam.i, block(beam, w, *tip))
    edd_of_modes: list[Scalar] = []
    for mode in reversed(steps):
        torque = mode.torque - mode.column.dot(root)
        for entry, edd in zip(mode.row, edd_of_modes, strict=True):
            torque = torque - entry * edd
        edd_of_modes.insert(0, mode.inverse * torque)
    return edd_of_modes


def efforts(beam: Beam, w: Vector, tip: tuple[AnyInertia, Wrench], root: Twist) -> list[Scalar]:
    """Return the generalised forces that keep the accelerations of a beam's modes at zero.

    Args:
        w: angular velocity of the root.
        tip: articulated inertia and bias wrench of the tip.
        root: acceleration Vd of the root.
    """
    modal = block(beam, w, *tip)
    return [column.dot(root) - torque for column, torque in zip(modal.columns, modal.torques, strict=True)]
