"""The articulated-body recursion: direct dynamics without a matrix (Khalil 2010, eq. 24 to 36).

Wrench (f; m) of an articulated body = [ Mm  H' ; H  I ] (a; wd) + (pf; pm), a the acceleration of the origin.

Outward: velocities, and zeta = (w x (w x P) and Coriolis terms; w x qd a), the acceleration at qdd = 0.
Inward:  U = column of the inertia along the joint, D = its own entry + Ia, u = tau - friction - p along it,
         I' = I - U U' / D,  p' = p + I' zeta + U u / D, both handed to the antecedent.
Outward: qdd = (u - U' a) / D.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.expr.linalg import Matrix, Vector, add, cross, matvec, transpose
from symoro.expr.scalar import Scalar
from symoro.models.coordinates import joint_motion, own_entries
from symoro.models.dynamic.composite import inverse_inertia
from symoro.models.dynamic.inertia import Inertia, Symmetric, effective_inertias, to_parent
from symoro.models.dynamic.setting import drive_torques, gravity, wrenches
from symoro.models.kinematic.motion import angular_velocities
from symoro.models.recursion import Local, base_motion, local_frames, name_vectors
from symoro.program.builder import Builder
from symoro.program.program import Program
from symoro.robot.description import Robot

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # entries of a Symmetric


@dataclass
class Articulated:
    """Inertia and bias wrench of an articulated body, in its own frame."""

    mass: Symmetric
    h: Matrix
    tensor: Symmetric
    force: Vector
    moment: Vector


def _full(k: Symmetric) -> Matrix:
    xx, yy, zz, xy, xz, yz = k
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def _packed(m: Matrix) -> Symmetric:
    return m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]


def _of_link(inertia: Inertia, w: Vector) -> Articulated:
    """A rigid body: its inertia and the gyroscopic wrench."""
    xx, xy, xz, yy, yz, zz = inertia.tensor()
    x, y, z = inertia.ms
    m = inertia.m
    tensor: Symmetric = (xx, yy, zz, xy, xz, yz)
    momentum = matvec(_full(tensor), w)
    force = cross(w, cross(w, [x, y, z]))
    return Articulated(
        (m, m, m, 0, 0, 0), [[0, -z, y], [z, 0, -x], [-y, x, 0]], tensor, force, cross(w, momentum)
    )


@dataclass(frozen=True)
class Step:
    """What joint j keeps for the last walk: U (force; moment), 1/D, u."""

    uf: Vector
    um: Vector
    inverse: Scalar
    u: Scalar


def articulated(robot: Robot) -> Program:
    """Direct dynamics by articulated bodies."""
    builder = Builder(f"{robot.name}_direct_dynamics")
    joints = joint_motion(builder, robot, "qd")
    qd = joints.qd
    torques = own_entries(builder, robot, "tau")
    friction = drive_torques(builder, robot, qd, joints.qdd)
    tau = {j: t - friction[j] for j, t in torques.items()}
    locals_ = local_frames(builder, robot, joints.q)
    base = base_motion(builder, robot)
    before, w = angular_velocities(locals_, base, qd)
    zeta = {j: _zeta(local, before[j], w[local.i], qd.get(j, 0)) for j, local in locals_.items()}
    inertias = effective_inertias(builder, robot, locals_, {})
    bodies = {j: _of_link(inertias[j], w[j]) for j in locals_}
    for j, wrench in wrenches(builder, robot).items():
        bodies[j].force = add(bodies[j].force, wrench[:3])
        bodies[j].moment = add(bodies[j].moment, wrench[3:])
    for j in locals_:
        name_vectors(builder, {"W": w[j], "PF": bodies[j].force, "PM": bodies[j].moment}, j)
    steps: dict[int, Step] = {}
    for j in reversed(list(locals_)):
        ia = builder.formula(robot.frame(j).IA)
        steps[j] = _inward(builder, locals_[j], bodies, zeta[j], tau.get(j), ia)
    start = [a - g for a, g in zip(base.vd, gravity(builder, robot), strict=True)]
    found = _outward(locals_, zeta, steps, start, base.wd)
    builder.output("qdd", [found[j] for j in torques], "joint accelerations")
    return builder.program()


def _zeta(local: Local, before: Vector, w: Vector, qd: Scalar) -> tuple[Vector, Vector]:
    """Acceleration of frame j at rest of its antecedent's accelerations and qdd = 0."""
    linear = local.to_child(cross(w, cross(w, local.position)))
    angular: Vector = [0, 0, 0]
    x, y = before[0] * qd, before[1] * qd
    if local.revolute:
        angular = [y, -x, 0]
    elif local.prismatic:
        linear = [linear[0] + 2 * y, linear[1] - 2 * x, linear[2]]
    return linear, angular


def _inward(
    builder: Builder,
    local: Local,
    bodies: dict[int, Articulated],
    zeta: tuple[Vector, Vector],
    tau: Scalar | None,
    ia: Scalar,
) -> Step:
    body = bodies[local.j]
    linear, angular = zeta
    mass, tensor, h = _full(body.mass), _full(body.tensor), body.h
    step = Step([0, 0, 0], [0, 0, 0], 0, 0)
    if tau is not None:
        uf, um = (h[2], tensor[2]) if local.revolute else (mass[2], [row[2] for row in h])
        own, along = (um[2], body.moment[2]) if local.revolute else (uf[2], body.force[2])
        inverse = builder.named(f"ID{local.j}", inverse_inertia(local.j, own + ia))
        step = Step(uf, um, inverse, builder.named(f"u{local.j}", tau - along))
    if local.i:
        _hand_over(local, body, step, (mass, h, tensor), linear, angular, bodies[local.i])
    return step


def _hand_over(
    local: Local,
    body: Articulated,
    step: Step,
    inertia: tuple[Matrix, Matrix, Matrix],
    linear: Vector,
    angular: Vector,
    parent: Articulated,
) -> None:
    """The inertia and bias that the antecedent feels, turned and shifted to its origin."""
    mass, h, tensor = inertia
    kf, km = ([x * step.inverse for x in u] for u in (step.uf, step.um))
    mass = [[mass[a][b] - kf[a] * step.uf[b] for b in range(3)] for a in range(3)]
    tensor = [[tensor[a][b] - km[a] * step.um[b] for b in range(3)] for a in range(3)]
    h = [[h[a][b] - km[a] * step.uf[b] for b in range(3)] for a in range(3)]
    force = add(
        add(body.force, add(matvec(mass, linear), matvec(transpose(h), angular))), [k * step.u for k in kf]
    )
    moment = add(add(body.moment, add(matvec(h, linear), matvec(tensor, angular))), [k * step.u for k in km])
    turned_mass = to_parent(local, _packed(mass))
    turned_tensor = to_parent(local, _packed(tensor))
    columns = [local.to_parent([row[b] for row in h]) for b in range(3)]
    turned_h = [local.to_parent([columns[b][a] for b in range(3)]) for a in range(3)]
    p = list(local.position)
    full = _full(turned_mass)
    shifted = [cross(p, [full[a][b] for a in range(3)]) for b in range(3)]  # column b of hat(P) Mm
    new_h = [[turned_h[a][b] + shifted[b][a] for b in range(3)] for a in range(3)]
    first = [cross(p, turned_h[b]) for b in range(3)]  # column b of hat(P) H'
    second = [cross(p, new_h[a]) for a in range(3)]  # row a of (hat(P) Hs')'
    gained = [(first[b][a] + second[a][b]) for a, b in PAIRS]
    force = local.to_parent(force)
    moment = add(local.to_parent(moment), cross(p, force))
    parent.mass = _sum(parent.mass, turned_mass)
    parent.h = [[x + y for x, y in zip(r, s, strict=True)] for r, s in zip(parent.h, new_h, strict=True)]
    xx, yy, zz, xy, xz, yz = gained
    parent.tensor = _sum(_sum(parent.tensor, turned_tensor), (xx, yy, zz, xy, xz, yz))
    parent.force, parent.moment = add(parent.force, force), add(parent.moment, moment)


def _sum(a: Symmetric, b: Symmetric) -> Symmetric:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


def _outward(
    locals_: dict[int, Local],
    zeta: dict[int, tuple[Vector, Vector]],
    steps: dict[int, Step],
    vd0: Vector,
    wd0: Vector,
) -> dict[int, Scalar]:
    found: dict[int, Scalar] = {}
    accelerations: dict[int, tuple[Vector, Vector]] = {0: (vd0, wd0)}
    for j, local in locals_.items():
        vd, wd = accelerations[local.i]
        a = add(local.to_child(add(vd, cross(wd, local.position))), zeta[j][0])
        e = add(local.to_child(wd), zeta[j][1])
        if local.revolute or local.prismatic:
            s = steps[j]
            total = s.u
            for x, y in zip((*s.uf, *s.um), (*a, *e), strict=True):
                total = total - x * y
            found[j] = total * s.inverse
            if local.revolute:
                e = add(e, [0, 0, found[j]])
            else:
                a = add(a, [0, 0, found[j]])
        accelerations[j] = (a, e)
    return found
