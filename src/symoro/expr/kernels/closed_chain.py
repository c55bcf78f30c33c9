"""closed_chain: all real solutions of a closed loop of six joints, prod_{i=1..6} J_i(q_i) C_i = 1.

J_i is Rz(q_i) or Tz(q_i); the constant transforms C_i contain offsets, links, tool and the given pose.

Inputs:
    constants (72): the upper three rows of C_1 .. C_6, each 3 x 4 by rows.
    kinds (6): 0 revolute, 1 prismatic.
    plan (12): three times (arrangement, shifts of its roles 3, 4, 5), in the order in which they are tried; computed
        by `symoro.models.geometric.inverse.general.plan`. Arrangement 0 .. 5 starts at joint 1 .. 6; 6 .. 11 has the
        reverse order, from joint 6 .. 1. A shift is the origin of a variable: an angle, or a length divided by the
        largest length among the constants. Role 6 must be revolute, or roles 3 and 6 both prismatic.

Results (112): sixteen slots of q1 .. q6 and the defect, the largest entry of |prod - 1|. Angles are in (-pi, pi].
Slots are ordered by q1, then q2 and so on. An empty slot contains zeros and the defect 1e30; empty slots come last. All
slots are empty if a number is not finite, a transform contains no rotation, or it is certain that the pose cannot be
reached. If that is not certain, the first slot contains the posture with the smallest defect, which is larger than that
of a solution. Rotation matrices with rounding errors are orthonormalised first; the defect is that of the given
numbers.

Close to a singular configuration two solutions nearly coincide, and the elimination determines them only to the square
root of the working precision, or less accurately. Solutions of other arrangements and of nearby poses are then added.
Near a posture at which Newton's method fails, or has a nearly singular Jacobian, it is started again at both roots s of
the parabola

    u'e(q + s v) = c + b s + a s^2 / 2,    u, v: left and right singular vectors of the least singular value

with the error e of the loop. Two rows are the same solution if the posture between them closes the loop as well as they
do.

The method is that of Raghavan and Roth (Inverse kinematics of the general 6R manipulator and related linkages, ASME
J. Mechanical Design 115, 1993): fourteen equations, from which two joints are eliminated linearly and two more
dialytically, with the eigenvalues of Manocha and Canny (Efficient inverse kinematics for general 6R manipulators,
IEEE Trans. Robotics and Automation 10, 1994). Two prismatic joints three places apart require another elimination, of
degree eight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# The following code is copied into emitted Python code.

# -- equations of a closed loop of six joints in one of its twelve arrangements
# The loop prod J_i C_i = 1 can start at any joint, also in reverse order: (J C)^-1 rotated about x by pi has the same
# form. An arrangement numbers the joints 1 .. 6 (roles) from its start in its direction.
#
# Role 6 revolute: J3 C3 J4 C4 J5 C5 = (J6 C6 J1 C1 J2 C2)^-1, whose third and fourth columns l and p do not depend on
# q6. Fourteen functions of them are of degree one in the cosine and sine of every angle (Raghavan and Roth 1993):
# p, l, p.p, p.l, p x l, (p.p) l - 2 (p.l) p. They are of degree two at most in a prismatic variable.
#
# Roles 3 and 6 prismatic (sliding ends): the rotation (nine) and the moment of the two sliding directions about each
# other, z.(p x l), do not depend on q3 and q6.
#
# Three values per variable determine such a function: its coefficients are computed by interpolation.

TURN = np.diag([1.0, -1.0, -1.0, 1.0])  # about x by pi
ANGLES = np.array([0, 2, 4]) * np.pi / 3
NODES = (ANGLES, np.array([-1.0, 0.0, 1.0]))  # interpolation nodes of a revolute and of a prismatic variable
FIT = (  # maps values at the nodes to coefficients of (cos, sin, 1) or (r^2, r, 1)
    np.stack([np.cos(ANGLES), np.sin(ANGLES), np.full(3, 0.5)]) * 2 / 3,
    np.array([[0.5, -1.0, 0.5], [-0.5, 0.0, 0.5], [0.0, 1.0, 0.0]]),
)
HALF = (  # maps these to coefficients of (x^2, x, 1), x = tan(q/2) or r, times 1 + x^2 for an angle
    np.array([[-1.0, 0.0, 1.0], [0.0, 2.0, 0.0], [1.0, 0.0, 1.0]]),
    np.eye(3),
)


def rigid_inverse(placement: Array) -> Array:
    """Return the inverse of homogeneous transforms (..., 4, 4)."""
    inverse = np.zeros_like(placement)
    inverse[..., :3, :3] = np.swapaxes(placement[..., :3, :3], -1, -2)
    inverse[..., :3, 3] = -(inverse[..., :3, :3] @ placement[..., :3, 3:])[..., 0]
    inverse[..., 3, 3] = 1
    return inverse


def joint_placement(kind: int, value: Array) -> Array:
    """Return the transform (..., 4, 4) of a joint: Rz(value) if it is revolute, Tz(value) if prismatic (kind 1)."""
    value = np.asarray(value, dtype=float)
    placement = np.zeros((*value.shape, 4, 4))
    placement[...] = np.eye(4)
    if kind:
        placement[..., 2, 3] = value
    else:
        placement[..., 0, 0] = placement[..., 1, 1] = np.cos(value)
        placement[..., 1, 0] = np.sin(value)
        placement[..., 0, 1] = -placement[..., 1, 0]
    return placement


def role_order(arrangement: int) -> list[int]:
    """Return the joints of the loop, counted from 0, in the order of an arrangement.

    Arrangements 0 .. 5 start at joint 1 .. 6; arrangements 6 .. 11 have the reverse order.
    """
    joints = [0, 1, 2, 3, 4, 5] if arrangement < 6 else [5, 4, 3, 2, 1, 0]
    start = arrangement % 6
    return joints[start:] + joints[:start]


def arrange(placements: Array, arrangement: int) -> Array:
    """Return the constant transforms (..., 6, 4, 4) of the loop, starting at another joint or in reverse order.

    The arrangement is the number of the first joint minus 1, plus 6 for the reverse order.

    In reverse order the transforms are inverted and rotated about x by pi.
    """
    order = role_order(arrangement)
    if arrangement < 6:
        return placements[..., order, :, :]
    before = [(joint + 5) % 6 for joint in order]
    return TURN @ rigid_inverse(placements[..., before, :, :]) @ TURN


def loop_functions(product: Array, sliding_ends: bool) -> Array:
    """Return functions of a product of transforms that must be equal on both sides of the loop equation.

    There are 14 functions of the third and fourth columns; 10 if joints 3 and 6 are prismatic (`sliding_ends`).
    """
    l, p = product[..., :3, 2], product[..., :3, 3]
    cross = np.stack([p[..., i - 2] * l[..., i - 1] - p[..., i - 1] * l[..., i - 2] for i in range(3)], -1)
    if sliding_ends:
        rotation = product[..., :3, :3].reshape(*product.shape[:-2], 9)
        return np.concatenate([rotation, cross[..., 2:]], -1)
    pp = np.sum(p * p, -1, keepdims=True)
    pl = np.sum(p * l, -1, keepdims=True)
    return np.concatenate([p, l, pp, pl, cross, pp * l - 2 * pl * p], -1)


def coefficients(placements: Array, kinds: list[int], sliding_ends: bool) -> tuple[Array, Array]:
    """Return the coefficients of both sides of the loop equations, computed by interpolation.

    Joints and transforms are in the order of the arrangement.

    Args:
        placements: constant transforms (N, 6, 4, 4), including the shifts of the variables.
        kinds: joint types, 0 revolute, 1 prismatic.
        sliding_ends: whether joints 3 and 6 are prismatic.

    Returns:
        left: coefficients (N, functions, 3, 3, 3) of the products of the basis functions of joints 3, 4, 5,
            minus the constant of the right side; with sliding ends (N, functions, 3, 3, 1), joints 4 and 5 only.
        right: coefficients (N, functions, 8) of the products for joints 1 and 2, without the constant.
    """
    at = [joint_placement(kinds[i], NODES[kinds[i]]) @ placements[:, i, None] for i in range(5)]
    if sliding_ends:
        products = placements[:, 2, None, None] @ at[3][:, :, None] @ at[4][:, None]
        values = loop_functions(products, True)[:, :, :, None]
        left = np.einsum("ai,bj,nijkf->nfabk", FIT[kinds[3]], FIT[kinds[4]], values)
    else:
        products = at[2][:, :, None, None] @ (at[3][:, :, None] @ at[4][:, None])[:, None]
        fits = [FIT[kinds[i]] for i in (2, 3, 4)]
        left = np.einsum("ai,bj,ck,nijkf->nfabc", *fits, loop_functions(products, False), optimize=True)
    backward = rigid_inverse(placements[:, 5, None, None] @ at[0][:, :, None] @ at[1][:, None])
    values = loop_functions(backward, sliding_ends)
    right = np.einsum("ai,bj,nijf->nfab", FIT[kinds[0]], FIT[kinds[1]], values).reshape(*left.shape[:2], 9)
    left[..., -1, -1, -1] -= right[..., 8]
    return left, right[..., :8]


def pencil(left: Array, right: Array, kinds: list[int], sliding_ends: bool) -> Array:
    """Return the matrices M2, M1, M0 (N, 3, n, n) of the polynomial eigenvalue problem (M2 x^2 + M1 x + M0) m = 0.

    The variables x, y, z are tan(q/2) of a revolute joint or the length of a prismatic joint: x that of the third joint
    (the fourth with sliding ends), y and z those of the next two joints (with sliding ends there is no z). The vector m
    contains the products of y^3, y^2, y, 1 with z^2, z, 1; its length n is 12, or 4 with sliding ends.

    The equations are linear combinations of the loop equations from which the first two joints are eliminated, and the
    same combinations times y. Their coefficients are the last columns of Q in the complete QR decomposition of `right`.

    Args:
        left, right: coefficients of the loop equations (see `coefficients`), for N samples.
        kinds: joint types, 0 revolute, 1 prismatic.
        sliding_ends: whether joints 3 and 6 are prismatic.
    """
    cancel = np.linalg.qr(right, mode="complete")[0][..., 8:]
    pivot = 3 if sliding_ends else 2
    equations = np.einsum("nfk,nfabc->nkabc", cancel, left)
    equations = np.einsum("ax,nkabc->nkxbc", HALF[kinds[pivot]], equations)
    equations = np.einsum("by,nkxbc->nkxyc", HALF[kinds[pivot + 1]], equations)
    if not sliding_ends:
        equations = np.einsum("cz,nkxyc->nkxyz", HALF[kinds[pivot + 2]], equations)
    samples, count, _, _, last = equations.shape
    stacked = np.zeros((samples, 3, 2 * count, 4, last))
    stacked[:, :, :count, 1:] = stacked[:, :, count:, :3] = np.moveaxis(equations, 2, 1)
    return stacked.reshape(samples, 3, 2 * count, 4 * last)


# -- real roots of the pencil, and the corresponding joint values (Manocha and Canny 1994)

REAL = 1e-3  # imaginary part of an angle up to which a root may be real except for round-off
NEARLY_REAL = 0.03  # the same for a root of multiplicity four or more
FAR = 1e-5  # inverse of a length beyond which a sliding pivot is at infinity
# Entries of the companion matrix beyond which its roots are inaccurate, and its leading matrix is singular.
LARGE = (1e6, 1e10)
NULL = 1e-6  # singular value, relative to the largest, that counts as zero in the pencil
RANK = 1e-9  # the same for the right side
SHARED = 4  # largest number of solutions with the same value of the pivot that are separated
MIXTURE = 0.37  # weight of z in a combination with y, so that two solutions with the same y differ


def real_roots(matrices: Array, kind: int, limits: Array | float = REAL) -> tuple[Array, Array, Array]:
    """Return the real roots x = tan(half) of det(M2 x^2 + M1 x + M0) = 0 for N samples of the matrices.

    t = 1/x is an eigenvalue of the companion matrix of M0 t^2 + M1 t + M2. The origin of x has been shifted such
    that the leading matrix M0 is regular.

    Args:
        matrices: M2, M1, M0, (N, 3, n, n).
        kind: type of the joint whose variable is x.
        limits: imaginary part up to which a root counts as real, one number or one per sample.

    Returns:
        The sample number of each root (K,), its half angle (K,), and an uncertainty flag per sample (N,): 2 if the
        leading matrix is singular, 1 if it is nearly singular or if roots beyond the limit are nearly real, else 0.
    """
    samples, _, n, _ = matrices.shape
    companion = np.zeros((samples, 2 * n, 2 * n))
    companion[:, :n, n:] = np.eye(n)
    largest = np.full(samples, np.inf)
    for sample in range(samples):
        try:
            lower = np.linalg.solve(
                matrices[sample, 2], np.hstack([matrices[sample, 0], matrices[sample, 1]])
            )
        except np.linalg.LinAlgError:
            continue
        if np.isfinite(lower).all():
            companion[sample, n:] = -lower
            largest[sample] = np.abs(lower).max()
    t = np.linalg.eigvals(companion)
    imaginary = np.abs(t.imag) / (1 + np.abs(t) ** 2)
    if kind:
        imaginary[np.abs(t) < FAR] = np.inf
    real = imaginary < np.broadcast_to(limits, samples)[:, None]
    which, column = np.nonzero(real)
    nearly = (~real & (imaginary < NEARLY_REAL)).any(1) | ~(largest < LARGE[0])
    return which, np.arctan2(1, t.real[which, column]), np.where(largest < LARGE[1], nearly.astype(int), 2)


def monomials(matrices: Array) -> tuple[Array, Array]:
    """Return null vectors (K', n) of matrices (K, n, n) that are vectors of monomials, and the matrix number of each.

    Two solutions may have the same value of the first unknown (as in wrists). Then the null space has several
    dimensions. Multiplication by y and by z maps it to itself, and the eigenvectors of these maps are the solutions.
    """
    n = matrices.shape[-1]
    _, sizes, rows = np.linalg.svd(matrices)
    nullity = np.clip((sizes < NULL * sizes[:, :1]).sum(1), 1, SHARED)
    vectors, owners = [np.zeros((0, n))], [np.zeros(0, dtype=int)]
    for size in range(1, SHARED + 1):
        index = np.nonzero(nullity == size)[0]
        space = np.swapaxes(rows[index, n - size :], 1, 2)
        if size == 1 or not len(index):
            vectors.append(space[..., 0])
            owners.append(index)
            continue
        grid = space.reshape(len(index), 4, n // 4, size)
        action = multiplication(grid[:, :3], grid[:, 1:])
        if n == 12:
            action = action + MIXTURE * multiplication(grid[:, :, :2], grid[:, :, 1:])
        factors, directions = np.linalg.eig(action)
        k, column = np.nonzero(np.abs(factors.imag) < 1e-2 * (1 + np.abs(factors)))
        vectors.append(np.swapaxes(space @ directions, 1, 2)[k, column].real)
        owners.append(index[k])
    return np.concatenate(vectors), np.concatenate(owners)


def multiplication(high: Array, low: Array) -> Array:
    """Return the matrices S (k, size, size) with high = low S, in the least-squares sense.

    Args:
        high, low: entries (k, powers, powers, size) of a null-space basis, with monomials one degree apart.
    """
    count, size = high.shape[0], high.shape[-1]
    return np.asarray(np.linalg.pinv(low.reshape(count, -1, size)) @ high.reshape(count, -1, size))


def ratio_value(kind: int, high: Array, low: Array) -> Array:
    """Return the joint value q whose variable x (tan(q/2), or a length) satisfies high = x low.

    Args:
        kind: 0 revolute, 1 prismatic.
        high, low: monomials (k, powers, powers), one degree apart.
    """
    top, bottom = np.sum(high * low, (1, 2)), np.sum(low * low, (1, 2))
    return np.asarray(top / np.where(bottom > 0, bottom, 1) if kind else 2 * np.arctan2(top, bottom))


def basis(kind: int, value: Array) -> Array:
    """Return the basis functions of a joint value: (cos, sin, 1) if revolute, (r^2, r, 1) if prismatic (kind 1)."""
    if kind:
        return np.stack([value * value, value, np.ones_like(value)], -1)
    return np.stack([np.cos(value), np.sin(value), np.ones_like(value)], -1)


def candidates(
    placements: Array, kinds: list[int], step: list[float], limits: Array | float = REAL
) -> tuple[Array, Array, Array]:
    """Return approximate solutions (K, 6) in joint order, the sample number of each, and uncertainty flags (N,).

    Args:
        placements: constant transforms (N, 6, 4, 4) of N samples.
        kinds: joint types, 0 revolute, 1 prismatic.
        step: number of the arrangement, and the shifts (origins) of the variables of its joints 3, 4, 5.
        limits: imaginary part up to which a root counts as real, one number or one per sample.
    """
    arrangement = int(step[0])
    order = role_order(arrangement)
    kinds = [kinds[joint] for joint in order]
    shifts = np.array([0, 0, *step[1:4], 0])
    roles = arrange(placements, arrangement).copy()
    for i in (2, 3, 4):
        roles[:, i] = joint_placement(kinds[i], shifts[i]) @ roles[:, i]
    sliding_ends = bool(kinds[2] and kinds[5])
    left, right = coefficients(roles, kinds, sliding_ends)
    matrices = pencil(left, right, kinds, sliding_ends)

    pivot = 3 if sliding_ends else 2
    which, half, uncertainty = real_roots(matrices, kinds[pivot], limits)
    s, c = np.sin(half)[:, None, None], np.cos(half)[:, None, None]
    at_root = matrices[which, 0] * s * s + matrices[which, 1] * s * c + matrices[which, 2] * c * c
    vectors, owners = monomials(at_root)
    which, half = which[owners], half[owners]
    grid = vectors.reshape(len(vectors), 4, vectors.shape[1] // 4)

    values = np.zeros((len(which), 6))
    values[:, pivot] = np.tan(half) if kinds[pivot] else 2 * half
    values[:, pivot + 1] = ratio_value(kinds[pivot + 1], grid[:, :3], grid[:, 1:])
    bases = [basis(kinds[i], values[:, i]) for i in (pivot, pivot + 1)]
    if sliding_ends:
        bases.append(np.ones((len(which), 1)))
    else:
        values[:, 4] = ratio_value(kinds[4], grid[:, :, :2], grid[:, :, 1:])
        bases.append(basis(kinds[4], values[:, 4]))
    known = np.einsum("kfabc,ka,kb,kc->kf", left[which], *bases)
    products = (np.linalg.pinv(right, rcond=RANK)[which] @ known[..., None])[..., 0]
    values[:, 0] = products[:, 5] if kinds[0] else np.arctan2(products[:, 5], products[:, 2])
    values[:, 1] = products[:, 7] if kinds[1] else np.arctan2(products[:, 7], products[:, 6])
    if not sliding_ends:  # otherwise Newton's first step computes both lengths, because they enter linearly
        chain = roles[which, 5]
        for i in range(5):
            chain = chain @ joint_placement(kinds[i], values[:, i]) @ roles[which, i]
        values[:, 5] = np.arctan2(-chain[:, 1, 0], chain[:, 0, 0])
    postures = np.empty_like(values)
    postures[:, order] = values + shifts
    return postures, which, uncertainty


# -- Newton steps on the loop, and the table of distinct solutions

SLOTS = 16
TRIES = 5  # three arrangements, and a nearby pose on either side
EMPTY = 1e30  # defect of a slot without solution
STEPS = 40  # largest number of Newton steps; a simple root requires three
SETTLED = 1e-8  # after a smaller step the next one would be round-off
JUMP = 0.5  # rad, largest change of an angle in one step
DAMPING = (1e-12, 1e-6)  # limits of the damping that is then added to J'J; it equals the defect
WEAK = 1e3  # motion per unit error beyond which two solutions nearly coincide
# Change of a pose that separates coinciding roots, and isolates solutions of a loop with internal motion.
NUDGE = 1e-5
ACCEPT = 1e-10  # defect of a solution, lengths divided by the largest one
CLOSE = 1e-6  # defect of a posture below which a solution may be near it
ROUGH = 1e-2  # defect of a posture up to which the loop's error next to it is a parabola
STEP = 1e-3  # step of the difference quotient for that parabola
REACH = 0.5  # rad, largest step along it
ROUND_OFF = 1e-14  # defect of a posture that closes the loop up to rounding
SAME = 1e-5  # distance below which two rows may be one solution
GRAIN = 1e-6  # distance below which two joint values count as equal in the order of the slots
DEVIATION = 0.1  # largest entry of R R' - 1 of a rotation R with rounding errors
CHUNK = 512  # samples at a time, to bound the memory


def loop_errors(placements: Array, kinds: list[int], q: Array) -> tuple[Array, Array, Array]:
    """Return the closure errors of K loops at joint positions q (K, 6).

    Returns:
        Error twists (K, 6), their Jacobians (K, 6, 6), and the products of all transforms (K, 4, 4), which equal the
        identity if the loop is closed."""
    count = len(q)
    chain = np.broadcast_to(np.eye(4), (count, 4, 4))
    axes, points = np.empty((count, 6, 3)), np.empty((count, 6, 3))
    for i in range(6):
        axes[:, i], points[:, i] = chain[:, :3, 2], chain[:, :3, 3]
        chain = chain @ joint_placement(kinds[i], q[:, i]) @ placements[:, i]
    jacobian = np.zeros((count, 6, 6))
    for i in range(6):
        if kinds[i]:
            jacobian[:, :3, i] = axes[:, i]
        else:
            jacobian[:, :3, i] = np.cross(axes[:, i], chain[:, :3, 3] - points[:, i])
            jacobian[:, 3:, i] = axes[:, i]
    r = chain[:, :3, :3]
    twist = [r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]]
    return np.concatenate([chain[:, :3, 3], np.stack(twist, -1) / 2], -1), jacobian, chain


def solved(matrices: Array, right: Array) -> Array:
    """Return the solutions (K, n) of linear systems; for a singular matrix, the solution of minimum norm."""
    try:
        return np.asarray(np.linalg.solve(matrices, right[..., None])[..., 0])
    except np.linalg.LinAlgError:
        return np.asarray((np.linalg.pinv(matrices) @ right[..., None])[..., 0])


def newton_steps(
    jacobian: Array, error: Array, defect: Array, kinds: list[int]
) -> tuple[Array, Array, Array]:
    """Return Newton steps (K, 6), and two flags per step: it is damped; the Jacobian is nearly singular.

    A step is damped if an angle would change too much because the Jacobian is nearly singular.
    """
    probe = np.where(np.arange(6) % 2, 1.0, -1.0)
    both = np.stack([error, np.broadcast_to(probe, error.shape)], -1)
    try:
        solution = np.linalg.solve(jacobian, both)
    except np.linalg.LinAlgError:
        solution = np.linalg.pinv(jacobian) @ both
    steps, motions = solution[..., 0].copy(), np.abs(solution[..., 1]).max(1)
    jumps = ~(np.abs(steps[:, np.array(kinds) == 0]).max(1, initial=0) < JUMP)
    turned = np.swapaxes(jacobian[jumps], 1, 2)
    damping = np.clip(defect[jumps], *DAMPING)[:, None, None]
    damped = turned @ jacobian[jumps] + damping * np.eye(6)
    steps[jumps] = solved(damped, (turned @ error[jumps][..., None])[..., 0])
    return steps, jumps, jumps | ~(motions < WEAK)


def polish(placements: Array, kinds: list[int], q: Array) -> tuple[Array, Array]:
    """Refine approximate solutions q (K, 6) by Newton's method.

    Returns:
        The iterate with the smallest defect and this defect (K, 7), and whether the last Jacobian of each is nearly
        singular (K,).
    """
    q = q.copy()
    best, weak = np.zeros((len(q), 7)), np.ones(len(q), dtype=bool)
    best[:, 6] = EMPTY
    index = np.nonzero(np.isfinite(q).all(1))[0]
    settled = np.zeros(len(index), dtype=bool)
    for _ in range(STEPS):
        q[index] = wrapped(kinds, q[index])
        error, jacobian, chain = loop_errors(placements[index], kinds, q[index])
        defect = np.abs(chain - np.eye(4)).max((1, 2))
        better = defect < best[index, 6]
        best[index[better]] = np.column_stack([q[index[better]], defect[better]])
        going = ~settled & (defect < EMPTY)
        if not going.any():
            break
        index = index[going]
        step, damped, weak[index] = newton_steps(jacobian[going], error[going], defect[going], kinds)
        q[index] -= step
        settled = (np.abs(step).max(1) < SETTLED) & ~damped
    return best, weak


def split(placements: Array, kinds: list[int], q: Array) -> tuple[Array, Array]:
    """Return the solutions near postures q (K, 6) at which two solutions nearly coincide.

    Along the direction v in which the error of a loop grows least, the error is approximated by the parabola
    c + b s + a s^2 / 2. Newton's method is started at both of its roots s.

    Args:
        placements: constant transforms (K, 6, 4, 4) of the loops.

    Returns:
        Solutions with their defects (K', 7), and for each the number of the posture from which it was computed (K',).
    """
    jacobian = loop_errors(placements, kinds, q)[1]
    left, sizes, right = np.linalg.svd(jacobian)
    u, v, b = left[:, :, 5], right[:, 5], sizes[:, 5]
    low, c, high = ((loop_errors(placements, kinds, q + h * v)[0] * u).sum(1) for h in (-STEP, 0, STEP))
    a = (low - 2 * c + high) / (STEP * STEP)
    root = np.sqrt(np.maximum(b * b - 2 * a * c, 0))
    s = np.stack([-root - b, root - b], 1) / a[:, None]
    which, side = np.nonzero(np.abs(s) < REACH)
    rows = polish(placements[which], kinds, q[which] + s[which, side, None] * v[which])[0]
    good = rows[:, 6] < ACCEPT
    return rows[good], which[good]


def wrapped(kinds: list[int], q: Array) -> Array:
    """Return the joint values with angles in (-pi, pi]."""
    turned = -((-q + np.pi) % (2 * np.pi) - np.pi)
    return np.where(np.array(kinds) == 1, q, turned)


def distinct(placements: Array, kinds: list[int], rows: Array) -> Array:
    """Return the different solutions among rows (K, 7) of one loop, each row q1 .. q6 and the defect.

    Two rows are the same solution if the posture between them closes the loop (6, 4, 4) as well as they do, up to
    `ROUND_OFF`; the first of them is returned. Rows are ordered by the first joint, then by the second and so on; -pi
    counts as pi.
    """
    kept: list[Array] = []
    for row in rows:
        for other in kept:
            apart = wrapped(kinds, row[:6] - other[:6])
            if np.abs(apart).max() < SAME:
                chain = loop_errors(placements[None], kinds, (other[:6] + apart / 2)[None])[2]
                if np.abs(chain - np.eye(4)).max() <= max(ROUND_OFF, row[6], other[6]):
                    break
        else:
            kept.append(row)
    table = np.array(kept)
    low = (table[:, :6] < GRAIN - np.pi) & (np.array(kinds) == 0)
    keys = np.rint(np.where(low, table[:, :6] + 2 * np.pi, table[:, :6]) / GRAIN)
    return np.asarray(table[np.lexsort(keys.T[::-1])][:SLOTS])


def straightened(placements: Array) -> Array:
    """Return transforms (..., 4, 4) with orthonormal rotation matrices, by Newton's iteration for the polar factor."""
    placements = placements.copy()
    for _ in range(3):
        r = placements[..., :3, :3]
        placements[..., :3, :3] = 1.5 * r - 0.5 * r @ np.swapaxes(r, -1, -2) @ r
    return placements


def nudged(placements: Array, size: float) -> Array:
    """Return the constant transforms (N, 6, 4, 4) of N loops with the last one displaced by about `size`."""
    moved = placements.copy()
    moved[:, 5, :3] += size * np.array([[0, 1, -0.7, 0.3], [-1, 0, 0.4, -0.5], [0.7, -0.4, 0, 0.6]])
    return straightened(moved)


def added(placements: Array, kinds: list[int], rows: Array, others: Array) -> Array:
    """Return the different solutions among `rows` and `others` (each (K, 7)) of one loop, sorted as by `distinct`."""
    return distinct(placements, kinds, np.concatenate([rows, others])) if len(others) else rows


def fill(table: Array, placements: Array, kinds: list[int], plan: list[float]) -> None:
    """Write the solutions of N loops into table (N, 16, 7); the defects are those of the given transforms.

    Real solutions come in pairs. Solutions may be missing if their number is odd, if Newton's method fails for a
    candidate, or if there is no solution and the roots are uncertain. For these samples, and for those in which two
    solutions nearly coincide, the loop is solved again from another joint (as the plan prescribes), and for nearby
    poses, whose solutions are then refined for the given pose.
    """
    scale = np.abs(placements[:, :, :3, 3]).max((1, 2))
    scale[scale == 0] = 1
    scaled = placements.copy()
    scaled[:, :, :3, 3] /= scale[:, None, None]
    scaled = straightened(scaled)
    lengths = np.where(np.array(kinds) == 1, scale[:, None], 1)
    solutions = [np.zeros((0, 7)) for _ in scale]
    best = np.zeros((len(scale), 7))  # posture with the smallest defect, for samples without solution
    best[:, 6] = np.abs(loop_errors(scaled, kinds, best[:, :6])[2] - np.eye(4)).max((1, 2))
    decided = np.zeros(len(scale), dtype=bool)
    again = np.arange(len(scale))
    for tries in range(TRIES):
        step = plan[4 * (tries % 3) : 4 * (tries % 3) + 4]
        if not len(again) or not 0 <= step[0] < 12:
            break
        order = role_order(int(step[0]))
        if kinds[order[5]] and not kinds[order[2]]:
            continue
        moved = scaled[again] if tries < 3 else nudged(scaled[again], NUDGE if tries == 3 else -NUDGE)
        none = np.array([len(solutions[sample]) == 0 for sample in again])
        starts, which, uncertainty = candidates(
            moved, kinds, step, np.where(none & (tries > 0), NEARLY_REAL, REAL)
        )
        ends, weak = polish(scaled[again[which]], kinds, starts)
        decided[again] |= (uncertainty == 0) & (tries < 3)
        failed = ~(ends[:, 6] < ACCEPT)
        index = np.nonzero(failed & (ends[:, 6] < ROUGH))[0]
        near, owners = split(scaled[again[which[index]]], kinds, ends[index, :6])
        rows = np.concatenate([ends[~failed], near])
        origin = np.concatenate([which[~failed], which[index[owners]]])
        incomplete, before = np.zeros(len(again), dtype=bool), np.zeros(len(again), dtype=int)
        for position, sample in enumerate(again):
            mine, before[position] = which == position, len(solutions[sample])
            solutions[sample] = added(scaled[sample], kinds, solutions[sample], rows[origin == position])
            if mine.any() and ends[mine, 6].min() < best[sample, 6]:
                best[sample] = ends[mine][ends[mine, 6].argmin()]
            count, uncertain = len(solutions[sample]), uncertainty[position]
            incomplete[position] = (
                uncertain > 1 or failed[mine].any() or count % 2 or (not count and uncertain)
            )
        kept = incomplete | np.isin(np.arange(len(again)), which[weak])
        again, incomplete, before = again[kept], incomplete[kept], before[kept]
        origin = np.repeat(np.arange(len(again)), [len(solutions[sample]) for sample in again])
        rows = np.concatenate([np.zeros((0, 7)), *(solutions[sample] for sample in again)])
        near, owners = split(scaled[again[origin]], kinds, rows[:, :6])
        for position, sample in enumerate(again):
            more = near[origin[owners] == position]
            solutions[sample] = added(scaled[sample], kinds, solutions[sample], more)
        counts = np.array([len(solutions[sample]) for sample in again], dtype=int)
        again = again[incomplete | (tries == 0) | (counts > before) | (counts % 2 == 1)]
    for k, known in enumerate(solutions):
        if not len(known) and (not decided[k] or best[k, 6] < CLOSE):
            solutions[k] = best[k : k + 1]
    for slots, own, length, rows in zip(table, placements, lengths, solutions, strict=True):
        if len(rows):
            q = rows[:, :6] * length
            chains = loop_errors(np.broadcast_to(own, (len(rows), 6, 4, 4)), kinds, q)[2]
            slots[: len(rows), :6] = q
            slots[: len(rows), 6] = np.abs(chains - np.eye(4)).max((1, 2))


def closed_chain_(constants: list[Array], kinds: list[Array], plan: list[Array]) -> Array:
    """Return all solutions of a closed loop of six joints (..., 112), 16 rows of q1 .. q6 and the defect.

    Each entry of the inputs (see the module) is a number or an array over samples.
    """
    entries = [*constants, *kinds, *plan]
    shape = np.broadcast_shapes(*(np.shape(x) for x in entries))
    rows = np.stack([np.broadcast_to(np.asarray(x, dtype=float), shape) for x in entries], -1).reshape(-1, 90)
    table = np.zeros((len(rows), SLOTS, 7))
    table[:, :, 6] = EMPTY
    rotations = rows[:, :72].reshape(-1, 6, 3, 4)[..., :3]
    with np.errstate(all="ignore"):
        squares = rotations @ np.swapaxes(rotations, -1, -2)
        usable = np.isfinite(rows).all(1) & (np.abs(squares - np.eye(3)) < DEVIATION).all((1, 2, 3))
    for choice in np.unique(rows[usable, 72:], axis=0):
        index = np.nonzero(usable & (rows[:, 72:] == choice).all(1))[0]
        for start in range(0, len(index), CHUNK):
            part = index[start : start + CHUNK]
            placements = np.zeros((len(part), 6, 4, 4))
            placements[:, :, :3] = rows[part, :72].reshape(-1, 6, 3, 4)
            placements[:, :, 3, 3] = 1
            slots = table[part]
            with np.errstate(all="ignore"):  # overflow leads to an empty result
                fill(slots, placements, [int(kind > 0.5) for kind in choice[:6]], choice[6:].tolist())
            table[part] = slots
    return table.reshape(*shape, SLOTS * 7)
