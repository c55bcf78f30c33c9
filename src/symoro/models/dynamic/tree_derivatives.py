"""Derivatives of the forces on the coordinates of a tree, by recursion over its composite links.

If q_j or qd_j changes, the links beyond joint j move as one body: in frame j only the motion of this frame changes, by
dw, dwd and dvd. A point x of these links with the velocity xd relative to frame j then has the change of acceleration

    dvd + dU x + 2 dw x xd,    dU = hat(dwd) + hat(dw) hat(w) + hat(w) hat(dw)

The wrench on the composite link j changes accordingly, with the composite inertia P_j and C_j, the integral of
2 xd [x; 1]' dm, which is accumulated inward like P_j: C_i <- C_i + iTj (C_j + 2 qd_j S P_j) iTj'. In frame j

    revolute   q:  dw = w x z,  dwd = wd x z,  dvd = vd x z        qd:  dw = z,  dwd = w x z,  dvd = 0
    prismatic  q:  dw = 0,      dwd = 0,       dvd = U z           qd:  dw = 0,  dwd = 0,      dvd = 2 w x z

The changed wrench is transformed inward and gives the rows of the joints between joint j and the base. Conversely,
the torque of joint j is a linear function of the changes (dvd, dwd, dw) of frame j. This function is transformed inward
as well, to the frames of the joints between, and gives their columns. Its part for (dvd, dwd) is column j of A.

The recursion is that of J. Carpentier and N. Mansard, Analytical derivatives of rigid body dynamics algorithms,
Robotics: Science and Systems, 2018, and of S. Singh, R. Russell and P. Wensing, Efficient analytical derivatives of
rigid-body dynamics using spatial vector algebra, IEEE Robotics and Automation Letters 7, 2022, in the axes of the links
and with pseudo-inertias.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from symoro.expr.linalg import (
    Matrix,
    Vector,
    VectorLike,
    add,
    cross,
    dot,
    identity,
    matadd,
    matvec,
    scale,
    zeros,
)
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.blocks import BASE, Coordinate, Values, joint
from symoro.models.dynamic.composite import column_of
from symoro.models.dynamic.formulation import Formulation
from symoro.models.dynamic.newton_euler import LinkState, moment_k
from symoro.models.dynamic.tree_dynamics import NONE, State, TreeDynamics
from symoro.models.recursion import JointFrame, inward, outward, toward_base
from symoro.models.spatial import Inertia, Twist, Wrench, matrix_to_parent

Entries = dict[tuple[Coordinate, Coordinate], Scalar]
"""Entries of a matrix by (row, column); missing entries are zero."""


def in_link_axes(formulation: Formulation) -> Formulation:
    """Return a formulation with all vectors of a link in the axes of its frame, and with complete moments."""
    links = tuple(replace(choice, before=False, doubled=False) for choice in formulation.links)
    return replace(formulation, links=links, parallel_in=False)


@dataclass(frozen=True)
class VelocityMoments:
    """Integrals k of 2 xd x' dm and p of 2 xd dm over a composite link, in its frame.

    x is the position of a point in the frame, xd its velocity relative to the frame.
    """

    k: Matrix
    p: Vector

    def to_parent(
        self, frame: JointFrame, rate: Scalar, inertia: Inertia, onto: VelocityMoments
    ) -> VelocityMoments:
        """Return the sum of these integrals, transformed to the antecedent's frame i, and of `onto`.

        Args:
            frame: frame j of the composite link.
            inertia: composite inertia of link j.
            rate: velocity of joint j.
            onto: integrals of the antecedent, in frame i.
        """
        (xx, xy, xz, x), (_, yy, yz, y), (*_, z), _ = inertia.matrix()
        k, p, twice = self.k, self.p, 2 * rate
        if frame.revolute:
            k = matadd(k, [scale(-twice, [xy, yy, yz]), scale(twice, [xx, xy, xz]), [0, 0, 0]])
            p = add(p, [-(twice * y), twice * x, 0])
        elif frame.prismatic:
            k = matadd(k, [[0, 0, 0], [0, 0, 0], scale(twice, [x, y, z])])
            p = add(p, [0, 0, twice * inertia.m])
        k, p = matrix_to_parent(frame, k), frame.to_parent(p)
        moved = [[a * b for b in frame.position] for a in p]
        return VelocityMoments(matadd(onto.k, matadd(k, moved)), add(onto.p, p))

    def moment(self) -> Matrix:
        """Return N = tr(k) 1 - k, so that N w is the moment of the accelerations 2 w x xd."""
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = self.k
        return [[yy + zz, -xy, -xz], [-yx, xx + zz, -yz], [-zx, -zy, xx + yy]]


@dataclass(frozen=True)
class MotionGradient:
    """Derivatives of a joint torque with respect to the motion of one link on the path to the base.

    Attributes:
        acceleration: derivatives with respect to the linear and angular acceleration (vd; wd), a wrench.
        w: derivatives with respect to the angular velocity.
    """

    acceleration: Wrench
    w: Vector

    def to_parent(self, frame: JointFrame, rate: Scalar, lever: Matrix) -> MotionGradient:
        """Return the derivatives with respect to the motion of the antecedent i.

        Args:
            rate: velocity of joint j.
            lever: result of `velocity_lever` for the antecedent.
            frame: frame j of the link.
        """
        f, m, w = self.acceleration.f, self.acceleration.m, self.w
        if frame.revolute:  # wd_j contains (jw_i x z) qd
            w = [w[0] - rate * m[1], w[1] + rate * m[0], w[2]]
        elif frame.prismatic:  # vd_j contains 2 (jw_i x z) qd
            twice = 2 * rate
            w = [w[0] - twice * f[1], w[1] + twice * f[0], w[2]]
        wrench = self.acceleration.to_parent(frame)
        return MotionGradient(wrench, add(frame.to_parent(w), matvec(lever, wrench.f)))

    def along(self, change: MotionChange) -> Scalar:
        """Return the change of the joint torque that a change of the link's motion causes."""
        return self.acceleration.dot(Twist(change.vd, change.wd)) + dot(self.w, change.w)


def velocity_lever(w: Vector, p: Vector) -> Matrix:
    """Return the matrix M for which f' (dw x (w x p) + w x (dw x p)) = (M f)' dw, for all vectors f and dw.

    M = p w' + (p' w) 1 - 2 w p'; it describes the change of the centripetal acceleration of the point p with the
    angular velocity w.
    """
    x, y, z = (a * b for a, b in zip(w, p, strict=True))
    diagonal, twice = (y + z, x + z, x + y), scale(2, p)
    return [[diagonal[r] if r == c else p[r] * w[c] - w[r] * twice[c] for c in range(3)] for r in range(3)]


@dataclass(frozen=True)
class MotionChange:
    """Change of the motion of frame j per unit change of a coordinate.

    The attribute `u` is dU = hat(dwd) + hat(dw) hat(w) + hat(w) hat(dw).

    The attributes `w`, `wd` and `vd` are the changes of angular velocity, angular and linear acceleration.
    """

    w: Vector
    wd: Vector
    vd: Vector
    u: Matrix

    def wrench(self, inertia: Inertia, moments: VelocityMoments) -> Wrench:
        """Return the change of the wrench on the composite link j.

        Args:
            inertia, moments: integrals over the composite link j.
        """
        ms = list(inertia.ms)
        f = add(matvec(self.u, ms), add(scale(inertia.m, self.vd), cross(self.w, moments.p)))
        m = add(moment_k(inertia.k, self.u), cross(ms, self.vd))
        return Wrench(f, add(m, matvec(moments.moment(), self.w)))


def position_change(frame: JointFrame, body: LinkState) -> MotionChange:
    """Return the derivative of the motion of frame j with respect to the joint position q_j.

    Args:
        body: velocities and accelerations of link j.
    """
    w, u = body.w, body.u
    if frame.prismatic:
        return MotionChange(NONE, NONE, [row[2] for row in u], zeros(3, 3))
    twice, difference = 2 * (w[0] * w[1]), u[1][1] - u[0][0]
    turned = [  # U hat(z) - hat(z) U
        [twice, difference, u[1][2]],
        [difference, -twice, -u[0][2]],
        [u[2][1], -u[2][0], 0],
    ]
    return MotionChange(_times_z(w), _times_z(body.wd), _times_z(body.vd), turned)


def velocity_change(frame: JointFrame, w: Vector) -> MotionChange:
    """Return the derivative of the motion of frame j with respect to qd_j, with w the angular velocity of link j."""
    twice = scale(2, w)
    if frame.prismatic:
        return MotionChange(NONE, NONE, _times_z(twice), zeros(3, 3))
    turned: Matrix = [[-twice[2], 0, 0], [0, -twice[2], 0], [twice[0], twice[1], 0]]  # 2 hat(w) hat(z)
    return MotionChange([0, 0, 1], _times_z(w), NONE, turned)


def turning_change(axis: Vector, w: Vector) -> MotionChange:
    """Return the derivative of the motion of a free base with respect to its angular velocity about an axis.

    Args:
        axis: unit vector of the axis, in frame 0.
        w: angular velocity of the base.
    """
    twice = 2 * dot(axis, w)
    turned = [
        [axis[r] * w[c] + w[r] * axis[c] - (twice if r == c else 0) for c in range(3)] for r in range(3)
    ]
    return MotionChange(axis, NONE, NONE, turned)


def _times_z(v: VectorLike) -> Vector:
    """Return the vector product v x z with the unit vector z = (0, 0, 1)."""
    return [v[1], -v[0], 0]


def gradient(frame: JointFrame, w: Vector, inertia: Inertia, moments: VelocityMoments) -> MotionGradient:
    """Return the derivatives of the torque of joint j with respect to the motion of frame j.

    Args:
        w: angular velocity of link j.
        inertia, moments: integrals of the composite link j.
    """
    column = column_of(frame, inertia)
    if frame.prismatic:
        (x, y, z), p = inertia.ms, moments.p
        by_w = [
            w[2] * x - 2 * (w[0] * z) + p[1],
            w[2] * y - 2 * (w[1] * z) - p[0],
            w[0] * x + w[1] * y,
        ]
        return MotionGradient(column, by_w)
    xx, yy, _, xy, xz, yz = inertia.k
    difference, twice = xx - yy, 2 * xy
    third = moments.moment()[2]
    by_w = [
        difference * w[1] - twice * w[0] - yz * w[2] + third[0],
        difference * w[0] + twice * w[1] + xz * w[2] + third[1],
        xz * w[1] - yz * w[0] + third[2],
    ]
    return MotionGradient(column, by_w)


def _times(entries: Entries, values: Values) -> dict[Coordinate, Scalar]:
    """Return the product of a sparse matrix (entries by row and column) with a vector of values by coordinate."""
    product: dict[Coordinate, Scalar] = {}
    for (row, column), x in entries.items():
        product[row] = product.get(row, 0) + x * values[column]
    return product


class TreeDerivatives:
    """Derivatives of the forces on the coordinates of a tree, at given velocities of its coordinates.

    The dynamics of the tree must use a formulation that `in_link_axes` returned.
    """

    def __init__(self, dynamics: TreeDynamics, state: State) -> None:
        self.dynamics, self.state = dynamics, state
        self.frames, self.composites = dynamics.tree, dynamics.composites
        self.base, self.elements = dynamics.with_base, dynamics.elements
        rates = {j: state.rates[joint(j)] for j in dynamics.joints}
        self.rates: Mapping[int, Scalar] = {j: rates.get(j, 0) for j in self.frames}
        still: Values = dict.fromkeys(dynamics.provider.tree, 0)
        motion = dynamics.motion(state, still, NONE)
        self.w = {0: motion.ground.w, **{j: body.w for j, body in motion.bodies.items()}}

    @cached_property
    def moments(self) -> dict[int, VelocityMoments]:
        """Return the velocity moments of the composite links; the moments of a base that is not free are zero."""
        none = VelocityMoments(zeros(3, 3), NONE)

        def step(frame: JointFrame, own: VelocityMoments, onto: VelocityMoments) -> VelocityMoments:
            if not frame.i and not self.base:
                return onto
            return own.to_parent(frame, self.rates[frame.j], self.composites[frame.j], onto)

        return inward(self.frames, dict.fromkeys((0, *self.frames), none), step)

    @cached_property
    def gradients(self) -> dict[int, dict[int, MotionGradient]]:
        """Return the derivatives of each joint torque with respect to the motion of the links on the path to the base.

        The entry [j][i] contains the derivatives of the torque of joint j with respect to the motion of link i.
        """
        levers = {
            j: velocity_lever(self.w[frame.i], list(frame.position)) for j, frame in self.frames.items()
        }

        def step(frame: JointFrame, of: MotionGradient) -> MotionGradient:
            return of.to_parent(frame, self.rates[frame.j], levers[frame.j])

        return {
            j: toward_base(
                self.frames,
                j,
                gradient(frame, self.w[j], self.composites[j], self.moments[j]),
                step,
                base=self.base,
            )
            for j, frame in self.frames.items()
            if frame.moving
        }

    @cached_property
    def by_velocity(self) -> Entries:
        """Return the derivatives of the forces with respect to the velocities of the tree's coordinates."""
        entries = dict(self._of_links)
        for pair, x in self.elements.damping(self.state.rates).items():
            entries[pair] = entries.get(pair, 0) + x
        return entries

    @cached_property
    def _of_links(self) -> Entries:
        """Return the derivatives of the inertial forces with respect to the velocities of the tree's coordinates."""
        changes = {j: velocity_change(frame, self.w[j]) for j, frame in self.frames.items() if frame.moving}
        wrenches = {j: change.wrench(self.composites[j], self.moments[j]) for j, change in changes.items()}
        entries = self._entries(changes, wrenches)
        for c, axis in zip(BASE[3:], identity(3), strict=True) if self.base else ():
            change = turning_change(axis, self.w[0])
            wrench = change.wrench(self.composites[0], self.moments[0])
            entries |= {(r, c): x for r, x in zip(BASE, (*wrench.f, *wrench.m), strict=True)}
            entries |= {(joint(j), c): path[0].along(change) for j, path in self.gradients.items()}
        return entries

    @cached_property
    def bias(self) -> dict[Coordinate, Scalar]:
        """Return the forces on the tree's coordinates at zero accelerations of these coordinates.

        The Coriolis and centrifugal forces h are homogeneous of degree 2 in the velocities nu, so that h = (dh/dnu) nu
        / 2. If the base has a prescribed motion, this does not hold, and the Newton-Euler recursion is used.
        """
        dynamics, rates = self.dynamics, self.state.rates
        if not self.base and not dynamics.prescribed.still:
            return dynamics.tree_forces(self.state, dict.fromkeys(dynamics.provider.tree, 0))
        twice = _times(self._of_links, rates)
        rest = self._forces_at_rest()
        drives = dynamics.elements.forces(rates, dict.fromkeys(dynamics.provider.tree, 0))
        return {
            c: twice.get(c, 0) / 2 + rest.get(c, 0) + drives.get(c, 0) for c in self.dynamics.provider.tree
        }

    def _forces_at_rest(self) -> dict[Coordinate, Scalar]:
        """Return the forces that balance gravity and the external wrenches."""
        dynamics = self.dynamics
        up = outward(self.frames, scale(-1, dynamics.gravity), lambda frame, v: frame.to_child(v))
        none = Wrench(NONE, NONE)
        loads = {j: Wrench(load[:3], load[3:]) for j, load in dynamics.loads.items()}
        own = {j: loads.get(j, none) for j in (0, *self.frames)}
        wrenches = inward(self.frames, own, lambda frame, load, onto: onto + load.to_parent(frame))
        forces: dict[Coordinate, Scalar] = {}
        for j in dynamics.joints:
            frame = self.frames[j]
            weight = column_of(frame, self.composites[j]).dot(Twist(up[j], NONE))
            forces[joint(j)] = weight + wrenches[j].along(frame)
        if self.base:
            weight_of_all = self.composites[0] @ Twist(up[0], NONE)
            total = weight_of_all + wrenches[0]
            forces |= zip(BASE, (*total.f, *total.m), strict=True)
        return forces

    def forces(self, accelerations: Values) -> dict[Coordinate, Scalar]:
        """Return the forces A nud + H on the tree's coordinates, with the inertia matrix A and the bias forces H.

        Args:
            accelerations: accelerations nud of the tree's coordinates.
        """
        inertial = _times(self.inertia, accelerations)
        return {c: x + inertial.get(c, 0) for c, x in self.bias.items()}

    @cached_property
    def inertia(self) -> Entries:
        """Return the inertia matrix over the tree's coordinates, including rotors, with both halves."""
        half = self.dynamics.tree_inertia
        return {**{(j, i): x for (i, j), x in half.items()}, **half}

    def by_position(self, accelerations: Values) -> Entries:
        """Return the derivatives of the forces with respect to the joint positions.

        Args:
            accelerations: accelerations of the tree's coordinates.
        """
        bodies = self.dynamics.walk(self.state, accelerations, self.dynamics.inertias).bodies
        changes, wrenches = {}, {}
        for j, frame in self.frames.items():
            if not frame.moving:
                continue
            body = bodies[j]
            changes[j] = position_change(frame, body)
            changed = changes[j].wrench(self.composites[j], self.moments[j])
            # The wrench on the links beyond joint j moves with them.
            turned = [-body.force[1], body.force[0], 0]
            if frame.prismatic:
                wrenches[j] = changed + Wrench(NONE, turned)
            else:
                wrenches[j] = changed + Wrench(turned, [-body.moment[1], body.moment[0], 0])
        entries = self._entries(changes, wrenches)
        for j in changes:
            entries[joint(j), joint(j)] = entries[joint(j), joint(j)] + self.elements.stiffness(j)
        return entries

    def _entries(self, changes: Mapping[int, MotionChange], wrenches: Mapping[int, Wrench]) -> Entries:
        """Return the derivatives of the forces with respect to the joint positions, or to the joint velocities.

        Args:
            changes: for each joint j, the derivative of the motion of link j with respect to q_j (or qd_j).
            wrenches: for each joint j, the derivative of the wrench on the composite link j with respect to q_j (or
                qd_j).
        """
        entries: Entries = {}
        for j, wrench in wrenches.items():
            path = toward_base(self.frames, j, wrench, lambda frame, x: x.to_parent(frame), base=self.base)
            for i, handed in path.items():
                if i == 0:
                    entries |= {(c, joint(j)): x for c, x in zip(BASE, (*handed.f, *handed.m), strict=True)}
                elif i in changes:
                    entries[joint(i), joint(j)] = handed.along(self.frames[i])
                    if i != j:
                        entries[joint(j), joint(i)] = self.gradients[j][i].along(changes[i])
        return entries
