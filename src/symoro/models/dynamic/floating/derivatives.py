"""`inverse-dynamics-derivatives` and `direct-dynamics-derivatives` of a floating base.

The forces F = [wrench0; tau] depend on q, qd, V0, on the accelerations x = [Vd0; qdd], and on the rotation R0 through
gravity alone. That rotation is varied about the base's own axes, R0 exp(hat(e)), so that gravity g = R0' G in frame 0
changes by dg/de_k = g x e_k:

    base given   dF/dq, dF/dqd, dF/dV0 of Newton-Euler, dF/dx = A, dF/dR0 = -A [g x e_k; 0]
    base free    dVd0 = -A11^-1 dwrench0,  dtau + A12' dVd0         at the Vd0 for which wrench0 = 0
    direct       [dVd0; dqdd] = -A^-1 dF,  A^-1 for the torques     at the accelerations that tau causes

Of gravity a free robot notices its own fall and nothing else: dVd0/dR0 = [g x e_k; 0], and all other derivatives to R0
are zero. They are outputs nevertheless, so that every model of a floating base is linearised by the same names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.expr.linalg import (
    Matrix,
    Vector,
    cross,
    identity,
    matadd,
    matmul,
    matscale,
    transpose,
    zeros,
)
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import Options, form
from symoro.models.coordinates.couplings import own_entries, without_fixed
from symoro.models.coordinates.joint_motion import joint_motion
from symoro.models.dynamic.derivatives import held, released, slopes_along, ways
from symoro.models.dynamic.floating.base import (
    APPLIES_TO,
    EXAMPLE,
    OF,
    ROTATION,
    base_gravity,
    floating_tree,
    has_floating_base,
    is_rigid_and_floats,
    rigid_floating_tree,
)
from symoro.models.dynamic.floating.forces import FloatingForces
from symoro.models.dynamic.floating.inertia import FloatingInertia
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.structures import BASE_MOTION as BASE
from symoro.models.ports import Q0, QD, QDD, R0, TAU, V0, VD0, Q
from symoro.models.recursion import BaseMotion, base_motion
from symoro.models.references import NEWTON_EULER_2010
from symoro.models.solvers import TreeFactors
from symoro.models.spatial import Wrench
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

OF_WHAT = {"tau": ("n", "torques"), "Vd0": ("6", "acceleration of the base"), "qdd": ("n", "accelerations")}
OF_WHAT["wrench0"] = ("6", "wrench on the base")
BY_WHAT = {
    "q": ("n", "positions"),
    "qd": ("n", "velocities"),
    "qdd": ("n", "accelerations"),
    "tau": ("n", "torques"),
    "V0": ("6", "the velocity of the base"),
    "Vd0": ("6", "the acceleration of the base"),
    "R0": ("3", "a rotation of the base about its own axes"),
}
OF_LOOPS = {"q": "qa", "qd": "qda", "qdd": "qdda"}
ACCELERATION = [f"Vd0_{k}" for k in range(1, 7)]


def port(of: str, by: str) -> Port:
    """dof_dby."""
    (rows, what), (columns, to) = OF_WHAT[of], BY_WHAT[by]
    return Port(f"d{of}_d{by}", f"{rows},{columns}", f"derivatives of {what} with respect to {to}")


def port_of_loops(of: str, by: str) -> Port:
    """The same where the coordinates are the active joints."""
    made = port(of, by)
    name = f"d{OF_LOOPS.get(of, of)}_d{OF_LOOPS.get(by, by)}"
    return Port(name, made.shape.replace("n", "na"), f"{made.title}, of the active joints")


def ports(of: Sequence[str], by: Sequence[str]) -> tuple[Port, ...]:
    return tuple(port(x, y) for x in of for y in by)


GIVEN = ("q", "qd", "qdd", "V0", "Vd0", "R0")
FOUND = ("q", "qd", "qdd", "V0", "R0")
CAUSED = ("q", "qd", "tau", "V0", "R0")


class _Linearised:
    """The forces of a floating base at inputs q, qd, V0, and their slopes; accelerations hold gravity."""

    def __init__(self, builder: Builder, robot: Robot) -> None:
        self.builder, self.robot = builder, robot
        self.motion = joint_motion(builder, robot, "qd")
        self.base = base_motion(builder, robot, acceleration=False)
        self.forces = FloatingForces(builder, robot, quick(robot), self.motion.joints)
        self.inertia = FloatingInertia(builder, robot, self.forces.tree, self.motion.joints)
        self.ways = ways(self.motion.joints)
        self.ways["V0"] = [{f"V0_{k}": 1} for k in range(1, 7)]

    def at(self, acceleration: Sequence[Scalar], qdd: Mapping[int, Scalar]) -> list[Scalar]:
        """F at an acceleration of the base, less gravity, and of the coordinates."""
        moved = BaseMotion(self.base.v, self.base.w, list(acceleration[:3]), list(acceleration[3:]))
        return self.forces.given(moved, [0, 0, 0], self.motion.qd, self.motion.accelerated(qdd)).rows()

    def slopes(self, acceleration: Sequence[Scalar], qdd: Mapping[int, Scalar]) -> dict[str, Matrix]:
        """dF/dq, dF/dqd, dF/dV0 at accelerations that are held constant."""
        own = self.motion.joints.own
        names = [*ACCELERATION, *(f"qdd{j}" for j in own)]
        constant = held(self.builder, names)
        values = self.at(constant[:6], dict(zip(own, constant[6:], strict=True)))
        at = [*acceleration, *(qdd[j] for j in own)]
        return {
            name: released(self.builder, slopes_along(self.builder, values, moved), names, at)
            for name, moved in self.ways.items()
        }


def _turned(down: Vector, size: int) -> Matrix:
    """[g x e_k; 0], with as many rows as asked."""
    columns = [cross(down, axis) for axis in identity(3)]
    return transpose([[*column, *([0] * (size - 3))] for column in columns])


def base_is_given(robot: Robot, options: Options) -> bool:
    """Return whether the motion of a floating base is an input."""
    return options.get("base") == "given" and is_rigid_and_floats(robot, options)


@form(
    "inverse-dynamics-derivatives",
    of=OF,
    takes=has_floating_base,
    inputs=(Q, QD, QDD, V0, R0, Q0),
    outputs=ports(("tau", "Vd0"), FOUND),
    options=(BASE, ROTATION),
    reference=NEWTON_EULER_2010.at("section 7.2, eq. (89) to (100), differentiated"),
    applies=rigid_floating_tree,
    applies_to=APPLIES_TO,
    equations=r"d\,{}^0\dot V_0 = -A_{11}^{-1}\,df_0, \quad d\Gamma + A_{12}^T\,d\,{}^0\dot V_0",
    example=EXAMPLE,
)
@form(
    "inverse-dynamics-derivatives",
    of="a floating base that moves as given",
    takes=base_is_given,
    inputs=(Q, QD, QDD, V0, VD0, R0, Q0),
    outputs=ports(("tau", "wrench0"), GIVEN),
    options=(BASE, ROTATION),
    reference=NEWTON_EULER_2010.at("section 3.2, eq. (18) to (31), with link 0, differentiated"),
    applies=rigid_floating_tree,
    applies_to=APPLIES_TO,
    equations=r"\begin{bmatrix} A_{11} & A_{12} \\ A_{12}^T & A_{22} \end{bmatrix} "
    r"\begin{bmatrix} {}^0\dot V_0 \\ \ddot q \end{bmatrix} + \begin{bmatrix} H_1 \\ H_2 \end{bmatrix} = "
    r"\begin{bmatrix} f_0 \\ \Gamma \end{bmatrix}",
    example=EXAMPLE,
)
def floating_inverse_dynamics_derivatives(
    robot: Robot, base: str = "free", rotation: str = "matrix"
) -> Program:
    """Derivatives of the inverse dynamic model."""
    builder = Builder(f"{robot.name}_inverse_dynamics_derivatives")
    model = _Linearised(builder, robot)
    qdd = own_entries(builder, robot, "qdd")
    if base == "given":
        return _given(model, qdd, rotation)
    down = base_gravity(builder, robot, rotation)
    found = model.forces.released(model.base, [0, 0, 0], model.motion.qd, model.motion.accelerated(qdd))
    slopes_of = model.slopes([*found.base.v, *found.base.w], qdd)
    to_base = model.inertia.to_base()
    slopes_of["qdd"] = [*to_base, *model.inertia.of_joints()]
    for name in FOUND[:-1]:
        of_base = _less_solved(model.inertia, slopes_of[name][:6])
        tau = matadd(slopes_of[name][6:], matmul(transpose(to_base), of_base))
        if name == "qdd":
            of_base, tau = without_fixed(robot, "qdd", of_base), without_fixed(robot, "qdd", tau)
        slopes_of[name] = [*tau, *of_base]
    n = len(qdd)
    slopes_of["R0"] = [*zeros(n, 3), *_turned(down, 6)]
    return _written(builder, robot, {"tau": slice(0, n), "Vd0": slice(n, None)}, FOUND, slopes_of)


def _given(model: _Linearised, qdd: Mapping[int, Scalar], rotation: str) -> Program:
    builder, robot = model.builder, model.robot
    vd0 = builder.input(VD0, (6,), ACCELERATION)
    down = base_gravity(builder, robot, rotation)
    felt = [*(a - g for a, g in zip(vd0[:3], down, strict=True)), *vd0[3:]]
    found = model.slopes(felt, qdd)
    a = model.inertia.matrix()
    found["Vd0"] = [row[:6] for row in a]
    found["qdd"] = without_fixed(robot, "qdd", [row[6:] for row in a])
    found["R0"] = matscale(-1, matmul(found["Vd0"], _turned(down, 6)))
    return _written(builder, robot, {"tau": slice(6, None), "wrench0": slice(0, 6)}, GIVEN, found)


def _less_solved(inertia: FloatingInertia, right: Matrix) -> Matrix:
    """-A11^-1 right."""
    columns = []
    for column in transpose(right):
        found = inertia.whole.solve(Wrench([-x for x in column[:3]], [-x for x in column[3:]]))
        columns.append([*found.v, *found.w])
    return transpose(columns)


def _written(
    builder: Builder,
    robot: Robot,
    parts: Mapping[str, slice],
    by: Sequence[str],
    found: Mapping[str, Matrix],
) -> Program:
    named = port_of_loops if robot.B else port
    for of, rows in parts.items():
        for name in by:
            builder.output(named(of, name), found[name][rows])
    return builder.program()


@form(
    "direct-dynamics-derivatives",
    of=OF,
    takes=has_floating_base,
    inputs=(Q, QD, TAU, V0, R0, Q0),
    outputs=ports(("qdd", "Vd0"), CAUSED),
    options=(ROTATION,),
    reference=NEWTON_EULER_2010.at("section 7.1, eq. (83) to (88), differentiated"),
    applies=floating_tree,
    applies_to=APPLIES_TO,
    equations=r"(d\,{}^0\dot V_0; d\ddot q) = -A^{-1}\,d(f_0; \Gamma)",
    example=EXAMPLE,
)
def floating_direct_dynamics_derivatives(robot: Robot, rotation: str = "matrix") -> Program:
    """Derivatives of the direct dynamic model."""
    builder = Builder(f"{robot.name}_direct_dynamics_derivatives")
    model = _Linearised(builder, robot)
    tau = own_entries(builder, robot, "tau")
    down = base_gravity(builder, robot, rotation)
    n, factors = len(tau), model.inertia.factors()
    bias = model.at([0] * 6, dict.fromkeys(tau, 0))
    right = [x - h for x, h in zip([0] * 6 + list(tau.values()), bias, strict=True)]
    (x,) = transpose(_solved(factors, [[r] for r in right]))
    found = model.slopes(x[:6], dict(zip(tau, x[6:], strict=True)))
    found = {name: matscale(-1, _solved(factors, slopes_of)) for name, slopes_of in found.items()}
    units = _solved(factors, [*zeros(6, n), *identity(n)])
    found["tau"] = without_fixed(robot, "tau", units)
    found["R0"] = _turned(down, 6 + n)
    return _written(builder, robot, {"qdd": slice(6, None), "Vd0": slice(0, 6)}, CAUSED, found)


def _solved(factors: TreeFactors[int], right: Matrix) -> Matrix:
    """A^-1 right."""
    order = sorted(factors.pivots)
    columns = []
    for column in transpose(right):
        x = factors.solve(dict(zip(order, column, strict=True)))
        columns.append([x[k] for k in order])
    return transpose(columns)
