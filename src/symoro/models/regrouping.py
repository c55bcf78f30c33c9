"""General rule of regrouping: which inertial parameters of a link are moved to its antecedent.

The inertia of a link is its pseudo-inertia, over scalars of any kind (expressions, exact numbers):

    P = [ K   MS ]     K = integral of r r' dm:  Kxx = (YY + ZZ - XX)/2, Kxy = -XY, ...
        [ MS'  M ]

A change of frame is P_i = T P_j T' with T = iTj. The part of P that the joint motion does not affect can be assigned to
the link or to its antecedent; the general rule assigns it to the antecedent (Gautier and Khalil 1988, eq. 20 to 22):

    revolute   the block (z, 1): Kzz, MZ, M         its columns of T do not depend on theta
    prismatic  K                                     the rotation of T does not depend on r
    fixed      everything

Any part of Kzz may be moved: Kzz itself (basis 'K'), or YY = Kxx + Kzz (basis 'J'), which leaves YY = 0 and
XXR = XX - YY. SYMORO and the papers use the latter.
"""

from __future__ import annotations

from fractions import Fraction

from symoro.expr.linalg import Matrix, MatrixLike, VectorLike, homogeneous, matmul, transpose, zeros
from symoro.expr.scalar import Scalar
from symoro.models.spatial import Inertia
from symoro.robot.description import INERTIAL, JointType

Coefficients = dict[str, Scalar]


def of_matrix(p: MatrixLike) -> Inertia:
    """Return the inertial parameters of the body that has the 4x4 pseudo-inertia matrix p."""
    return Inertia(
        (p[0][0], p[1][1], p[2][2], p[0][1], p[0][2], p[1][2]), (p[0][3], p[1][3], p[2][3]), p[3][3]
    )


def moving(p: Matrix, sigma: JointType, basis: str = "K") -> Matrix:
    """Return the part of a link's pseudo-inertia p that is moved to the antecedent, in the link's frame.

    Args:
        sigma: type of the link's joint.
        basis: which parameter of a revolute link becomes zero: 'K' for Kzz, 'J' for YY.
    """
    if sigma == JointType.FIXED:
        return p
    moves = zeros(4, 4)
    if sigma == JointType.PRISMATIC:
        for r in range(3):
            moves[r][:3] = p[r][:3]
        return moves
    moves[2][2] = p[2][2] if basis == "K" else p[0][0] + p[2][2]
    moves[2][3] = moves[3][2] = p[2][3]
    moves[3][3] = p[3][3]
    return moves


def staying(p: MatrixLike, moves: MatrixLike) -> Matrix:
    """Return p - moves, the part of a link's pseudo-inertia p that remains on the link.

    Args:
        moves: the part that is moved to the antecedent.
    """
    return [[x - y for x, y in zip(r, s, strict=True)] for r, s in zip(p, moves, strict=True)]


def carried(p: MatrixLike, rotation: MatrixLike, position: VectorLike) -> Matrix:
    """Return T P T': the pseudo-inertia P transformed to another frame by T with the given rotation and position."""
    t = homogeneous(rotation, position)
    return matmul(matmul(t, p), transpose(t))


def relations(
    sigma: JointType, rotation: MatrixLike, position: VectorLike
) -> tuple[dict[str, Coefficients], dict[str, Coefficients]]:
    """Return the regrouping of the standard inertial parameters of a link, such that YY = 0.

    The rule is linear, so it is evaluated for unit values of the parameters.

    Args:
        sigma: type of the link's joint.
        rotation, position: iAj and iPj of the link's frame j with respect to its antecedent i.

    Returns:
        Two dictionaries {parameter of the link: {parameter to which it is added: coefficient}}, without zeros: the
        first for the parameters that remain on the link, the second for the parameters of the antecedent.
    """
    stay: dict[str, Coefficients] = {}
    gain: dict[str, Coefficients] = {}
    for name in INERTIAL:
        p = _unit(name).matrix()
        moves = moving(p, sigma, basis="J")
        stay[name] = _standard(of_matrix(staying(p, moves)))
        gain[name] = _standard(of_matrix(carried(moves, rotation, position))) if any(map(any, moves)) else {}
    return stay, gain


def _unit(name: str) -> Inertia:
    """Return the inertia with one standard parameter equal to one and the others zero."""
    xx, xy, xz, yy, yz, zz, x, y, z, m = (int(name == each) for each in INERTIAL)
    half = Fraction(1, 2)
    return Inertia(
        ((yy + zz - xx) * half, (xx + zz - yy) * half, (xx + yy - zz) * half, -xy, -xz, -yz), (x, y, z), m
    )


def _standard(inertia: Inertia) -> Coefficients:
    values = (*inertia.tensor(), *inertia.ms, inertia.m)
    return {name: value for name, value in zip(INERTIAL, values, strict=True) if value}
