"""`inverse-dynamics-derivatives` and `direct-dynamics-derivatives`: linearisation for control and optimisation.

Let the index f denote the coordinates of known force, k those of known acceleration, and let F = A nud + H be the
forces. F is differentiated at constant accelerations along the tangents of the coordinates (exactly, on the expressions
of the program):

    dnud_f = -A_ff^-1 dF_f,        dF_k + A_kf dnud_f,        dF/dnud = A,        dnud/dtau = A^-1

In inverse dynamics, f contains the free base and the joints driven by a spring alone; in direct dynamics, f contains
all coordinates.

With closed loops and wheels the configuration depends on the active joints, dq = G dqa; derivatives are along this
constraint, at constant qda and qdda. G, its drift and tau depend on q as well.

The rotation of a floating base is varied about its own axes, R0 exp(hat(e)), so that gravity g = R0' G in frame 0
changes by dg/de_k = g x e_k. The forces depend on R0 only through the acceleration of the base minus gravity: dF/dR0 =
-A [g x e_k; 0] if the motion of the base is given. A free base falls, dVd0/dR0 = [g x e_k; 0], and all other
derivatives with respect to R0 are zero. They are outputs nevertheless, so that all linearised models have the same
names.

Coulomb friction is constant between changes of sign. Quantities that the robot prescribes (QP, QDP, GAM) are not
variables: their columns are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from symoro.expr import ops
from symoro.expr.derivatives import forward
from symoro.expr.linalg import Matrix, Vector, cross, identity, matadd, matmul, matscale, transpose
from symoro.expr.scalar import Expr, Scalar, wrap
from symoro.expr.substitute import substitute
from symoro.models.catalogue import Option
from symoro.models.coordinates.blocks import BASE, Coordinate, Values, joint
from symoro.models.coordinates.couplings import FIXED_BY
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic.floating_base import ROTATION, base_gravity
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.search import cheaper
from symoro.models.dynamic.structures import (
    BASE_MOTION,
    FIXED,
    FLOATING,
    WHEELED,
    Structure,
    tree_model,
    without_load_friction,
)
from symoro.models.dynamic.system import Inputs, System, joint_entries, system
from symoro.models.dynamic.tree_derivatives import TreeDerivatives, in_link_axes
from symoro.models.dynamic.tree_dynamics import NONE, Known, Method
from symoro.models.joints import is_zero
from symoro.models.ports import Q0, QD, QDA, QDD, QDDA, R0, TAU, TAU_ACTIVE, V0, VD0, Q
from symoro.models.references import NEWTON_EULER_2010, WHEELED_1996
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

# Per output: row dimension and text; per variable: column dimension and text.
DIFFERENTIATED = {
    "tau": ("n", "torques"),
    "Vd0": ("6", "acceleration of the base"),
    "qdd": ("n", "accelerations"),
    "qdd_out": ("n", "accelerations of the joints that only a spring drives"),
    "wrench0": ("6", "wrench on the base"),
}
VARIABLES = {
    "q": ("n", "positions"),
    "qd": ("n", "velocities"),
    "qdd": ("n", "accelerations"),
    "tau": ("n", "torques"),
    "V0": ("6", "the velocity of the base"),
    "Vd0": ("6", "the acceleration of the base"),
    "R0": ("3", "a rotation of the base about its own axes"),
}
ACTIVE = {"q": "qa", "qd": "qda", "qdd": "qdda"}


def jvp(builder: Builder, values: Sequence[Scalar], tangents: Sequence[Mapping[str, Scalar]]) -> Matrix:
    """Return the directional derivatives of expressions, one row per expression and one column per direction.

    Args:
        values: the expressions.
        tangents: the directions; each one is a dictionary of the rates of symbols by name. Other symbols have the rate
            zero.
    """
    graph = builder.graph
    lits = [wrap(graph, x).lit for x in values]
    columns = []
    for tangent in tangents:
        seeds = {graph.symbol(name, ops.VARIABLE) >> 1: wrap(graph, x).lit for name, x in tangent.items()}
        columns.append([Expr(graph, x) for x in forward(graph, lits, seeds)])
    return transpose(columns)


def frozen(builder: Builder, names: Sequence[str]) -> list[Scalar]:
    """Return new symbols that replace expressions during a differentiation and are treated as constants.

    Args:
        names: a name for each expression. After the differentiation `unfrozen` substitutes the expressions for the
            symbols.
    """
    graph = builder.graph
    return [Expr(graph, graph.symbol(f"held {name}", ops.VARIABLE)) for name in names]


def unfrozen(builder: Builder, matrix: Matrix, names: Sequence[str], values: Sequence[Scalar]) -> Matrix:
    """Return the matrix with expressions substituted for the symbols that `frozen` returned.

    Args:
        names: the names given to `frozen`.
        values: the expression for each name.
    """
    graph = builder.graph
    at = {
        graph.symbol(f"held {name}", ops.VARIABLE) >> 1: wrap(graph, x).lit
        for name, x in zip(names, values, strict=True)
    }
    lits = [[wrap(graph, x).lit for x in row] for row in matrix]
    return [[Expr(graph, x) for x in substitute(graph, row, at)] for row in lits]


# -- ports


def port(of: str, by: str, *, active: bool = False) -> Port:
    """Return the output port d{of}_d{by}, the derivatives of `of` with respect to `by` (for example dtau_dq).

    Args:
        active: whether the names of active joints are used (dtau_dqa), for robots with loops or wheels.
    """
    (rows, what), (columns, to) = DIFFERENTIATED[of], VARIABLES[by]
    shape, title = f"{rows},{columns}", f"derivatives of {what} with respect to {to}"
    if not active:
        return Port(f"d{of}_d{by}", shape, title)
    name = f"d{ACTIVE.get(of, of)}_d{ACTIVE.get(by, by)}"
    return Port(name, shape.replace("n", "na"), f"{title}, of the active joints")


def ports(of: Sequence[str], by: Sequence[str], *, active: bool = False) -> tuple[Port, ...]:
    """Return the output ports of the derivatives of each quantity `of` with respect to each variable `by`.

    Args:
        of, by: names of the quantities and of the variables.
        active: whether the names of active joints are used (dtau_dqa), for robots with loops or wheels.
    """
    return tuple(port(x, y, active=active) for x in of for y in by)


def variables(structure: Structure, given: Sequence[str], *, moved: bool = False) -> tuple[str, ...]:
    """Return the names of the variables with respect to which a model of a structure is differentiated.

    Args:
        given: names of variables besides positions and velocities, for example "tau".
        moved: whether the acceleration of the base is an input.
    """
    base = ("V0", *(("Vd0",) if moved else ()), "R0") if structure.base else ()
    return ("q", "qd", *given, *base)


def inverse_outputs(structure: Structure) -> tuple[Port, ...]:
    """Return the output ports of the derivatives of inverse dynamics."""
    by = variables(structure, ("qdd",))
    if structure.wheels:
        return ports(("tau", "qdd_out"), by, active=True)
    if not structure.base:
        return (*ports(("tau",), by), *ports(("tau",), by, active=True), *ports(("qdd_out",), by))
    moved = variables(structure, ("qdd",), moved=True)
    return (*ports(("tau",), moved), *ports(("qdd_out", "Vd0"), by), *ports(("wrench0",), moved))


def direct_outputs(structure: Structure) -> tuple[Port, ...]:
    """Return the output ports of the derivatives of direct dynamics."""
    by = variables(structure, ("tau",))
    if structure.wheels:
        return ports(("qdd",), by, active=True)
    if structure.base:
        return ports(("qdd", "Vd0"), by)
    return (*ports(("qdd",), by), *ports(("qdd",), by, active=True))


# -- the equations


class Linearisation:
    """Forces F = A nud + H of a robot, and their derivatives with respect to q, qd and the base twist V0.

    The derivatives are taken at constant accelerations nud. For a floating base gravity is part of the base
    acceleration; the rotation R0 of the base is the last input.

    Args:
        name: suffix of the program's name, after the name of the robot.
        recursive: whether the derivatives follow from a recursion over the tree (`tree_derivatives`); otherwise the
            expressions of the forces are differentiated.
    """

    def __init__(self, name: str, robot: Robot, *, recursive: bool) -> None:
        self.robot, self.layout = robot, Layout(robot)
        formulation = in_link_axes(quick(robot)) if recursive else quick(robot)
        self.s: System = system(name, self.layout, formulation, Inputs(weight=not self.layout.has_free_base))
        self.builder, self.dynamics, self.own = self.s.builder, self.s.tree, self.s.provider.own
        self.joints = self.s.joints
        if self.layout.has_free_base:
            self.dynamics.gravity = NONE
        self.tree = TreeDerivatives(self.dynamics, self.s.state) if recursive else None

    def tangents(self) -> dict[str, list[dict[str, Scalar]]]:
        """Return the directions of differentiation for q, qd and the base twist V0, by name of the variable.

        Each direction belongs to one coordinate and contains the rates of the input symbols.
        """
        tangents = self.s.provider.tangents()
        rates: dict[str, list[dict[str, Scalar]]] = {
            "q": [tangents[c] for c in self.joints],
            "qd": [{f"qd{c.j}": 1} for c in self.joints],
        }
        if self.layout.has_free_base:
            rates["V0"] = [{f"V0_{k}": 1} for k in range(1, 7)]
        return rates

    def accelerations(self, known: Known) -> Values:
        """Return the accelerations of all independent coordinates from the known accelerations and forces.

        If the derivatives follow from the recursion, its inertia matrix and bias forces are used;
        otherwise `TreeDynamics.solve` computes the accelerations.

        Args:
            known: the known accelerations, and the known forces on the other coordinates.
        """
        if self.tree is None:
            method = Method.BASE if tuple(known.forces) == BASE else Method.PARTITION
            return self.dynamics.solve(self.s.state, known, method).accelerations
        provider, free = self.s.provider, list(known.forces)
        nud = {c: known.accelerations.get(c, 0) for c in self.own}
        forces = provider.project(self.tree.forces(provider.accelerations(nud, self.s.state.nu)))
        return {**nud, **self.dynamics.solver(free)({c: known.forces[c] - forces[c] for c in free})}

    def slopes(self, nud: Values, *, solved: bool) -> dict[str, Matrix]:
        """Return the derivatives of the forces F with respect to q, qd and the base twist V0.

        The accelerations are constant. The matrices dF/dq, dF/dqd and dF/dV0 have one row per independent coordinate.

        Args:
            nud: accelerations of the independent coordinates.
            solved: whether `nud` contains expressions in q, qd and V0; these are treated as constants.
        """
        names = [f"nud {c.words}" for c in self.own]
        constant = dict(zip(self.own, frozen(self.builder, names), strict=True)) if solved else dict(nud)
        values = [nud[c] for c in self.own]
        if self.tree is not None:
            accelerations = list(self.s.provider.accelerations(constant, self.s.state.nu).values())
            changes = {
                name: jvp(self.builder, accelerations, along) for name, along in self.tangents().items()
            }
            if solved:
                changes = {name: unfrozen(self.builder, x, names, values) for name, x in changes.items()}
            return self._by_recursion(self.tree, nud, changes)
        forces = list(self.dynamics.efforts(self.s.state, constant).values())
        slopes = {name: jvp(self.builder, forces, along) for name, along in self.tangents().items()}
        if not solved:
            return slopes
        return {name: unfrozen(self.builder, matrix, names, values) for name, matrix in slopes.items()}

    def _by_recursion(
        self, tree: TreeDerivatives, nud: Values, accelerations: Mapping[str, Matrix]
    ) -> dict[str, Matrix]:
        """Return the derivatives of the forces on the independent coordinates from those of the tree (chain rule).

        G maps the independent velocities nu to those of the tree (nu_tree = G nu, nud_tree = G nud + g), so that F = G'
        F_tree and

            dF = G' (dF_tree/dq dq + dF_tree/dqd d(G nu) + A_tree d(G nud + g)) + dG' F_tree

        Args:
            nud: accelerations of the independent coordinates.
            accelerations: changes of the accelerations of the tree's coordinates at constant nud, by variable.
        """
        provider, state = self.s.provider, self.s.state
        motion = provider.accelerations(nud, state.nu)
        by_position, by_velocity, inertia = tree.by_position(motion), tree.by_velocity, tree.inertia
        moved = [joint(j) for j in provider.positions]
        names = [f"force {c.words}" for c in provider.tree]
        held = dict(zip(provider.tree, frozen(self.builder, names), strict=True))
        projected = [] if provider.is_constant else list(provider.project(held).values())
        forces = [] if provider.is_constant else list(self.dynamics.tree_forces(state, motion).values())
        slopes = {}
        for name, along in self.tangents().items():
            changes = (
                (by_position, moved, jvp(self.builder, list(provider.positions.values()), along)),
                (by_velocity, list(state.rates), jvp(self.builder, list(state.rates.values()), along)),
                (inertia, list(provider.tree), accelerations[name]),
            )
            columns = []
            for k in range(len(along)):
                total: dict[Coordinate, Scalar] = dict.fromkeys(provider.tree, 0)
                for entries, coordinates, matrix in changes:
                    for c, row in zip(coordinates, matrix, strict=True):
                        if not is_zero(row[k]):
                            total = {i: x + entries.get((i, c), 0) * row[k] for i, x in total.items()}
                columns.append(list(provider.project(total).values()))
            slopes[name] = transpose(columns)
            if projected:
                turned = unfrozen(self.builder, jvp(self.builder, projected, along), names, forces)
                slopes[name] = matadd(slopes[name], turned)
        return slopes

    def columns(self, which: Sequence[Coordinate]) -> Matrix:
        """Return the columns of the inertia matrix A that belong to the coordinates `which`."""
        return [[self.dynamics.entry(i, c) for c in which] for i in self.own]

    def solved(self, slopes: Mapping[str, Matrix], free: Sequence[Coordinate]) -> dict[str, Matrix]:
        """Return the derivatives of the unknown accelerations nud_f and forces F_k.

        Args:
            slopes: derivatives dF of the forces at constant accelerations, by variable, with one row per independent
                coordinate.
            free: the coordinates f whose forces are known; the accelerations of the other coordinates k are known.

        Returns:
            Matrices by variable. With the blocks A_ff and A_kf of the inertia matrix they contain the rows dnud_f =
            -A_ff^-1 dF_f of the free coordinates f, and the rows dF_k +
            A_kf dnud_f of the coordinates k.
        """
        if not free:
            return dict(slopes)
        kept = [c for c in self.own if c not in free]
        results = {}
        for name, matrix in slopes.items():
            columns = [dict(zip(self.own, column, strict=True)) for column in transpose(matrix)]
            solutions = self.dynamics.solve_columns(
                free, [{c: -forces[c] for c in free} for forces in columns]
            )
            totals = []
            for forces, x in zip(columns, solutions, strict=True):
                total = {c: x.get(c, forces[c]) for c in self.own}
                for c in kept:
                    for i in free:
                        total[c] = total[c] + self.dynamics.entry(c, i) * x[i]
                totals.append(list(total.values()))
            results[name] = transpose(totals)
        return results

    def gravity(self, rotation: str) -> Vector:
        """Return gravity in frame 0 of a free base and declare the rotation of the base as an input.

        The result is zero, and there is no input, if the base is not free. The inertial parameters are declared before
        this input, because ports and parameters are listed in order of declaration.

        Args:
            rotation: 'matrix' or 'quaternion'.
        """
        if not self.layout.has_free_base:
            return NONE
        _ = self.dynamics.tree_inertia
        return base_gravity(self.builder, self.robot, rotation)

    def written(
        self,
        outputs: Mapping[str, Sequence[Coordinate]],
        slopes: Mapping[str, Matrix],
        springs: Sequence[Coordinate] = (),
    ) -> Program:
        """Declare the derivatives as outputs and return the program.

        Args:
            outputs: the differentiated quantities by name, each with the coordinates of its rows.
            slopes: the derivatives by variable, with one row per independent coordinate.
            springs: joints of inverse dynamics that only a spring drives, tau = -k (q - rest).
        """
        active = bool(self.robot.B or self.robot.wheels)
        for of, coordinates in outputs.items():
            for by in (name for name in VARIABLES if coordinates and name in slopes):
                rows = dict(zip(self.own, slopes[by], strict=True))
                if of == "tau":
                    rows |= {c: self._spring_row(c, by, len(rows[c])) for c in springs}
                if of == "qdd_out":
                    rows |= {c: self._given_row(c, by, len(rows[c])) for c in self.joints if c not in springs}
                self.builder.output(port(of, by, active=active), [rows[c] for c in coordinates])
        return self.builder.program()

    def _spring_row(self, c: Coordinate, by: str, width: int) -> Vector:
        """Return the derivatives of a joint's spring torque tau = -k (q - rest) with respect to one variable.

        Args:
            c: coordinate of the joint.
            by: name of the variable: "q", "qd" and so on. The derivatives are zero except for "q".
            width: number of entries of the variable, the length of the row.
        """
        if by != "q":
            return [0] * width
        torque = -self.dynamics.elements.springs[c.j]
        return jvp(self.builder, [torque], self.tangents()["q"])[0]

    def _given_row(self, c: Coordinate, by: str, width: int) -> Vector:
        """Return the derivatives of a joint acceleration that is an input: 1 with respect to itself, otherwise 0.

        Args:
            c: coordinate of the joint.
            by: name of the variable: "q", "qdd" and so on.
            width: number of entries of the variable, the length of the row.
        """
        if by != "qdd":
            return [0] * width
        unit: Matrix = [[1 if i == c else 0 for i in self.joints]]
        return variable_columns(self.robot, "qdd", self.joints, unit)[0]


def variable_columns(
    robot: Robot,
    name: str,
    joints: Sequence[Coordinate],
    matrix: Matrix,
    without: Sequence[Coordinate] = (),
) -> Matrix:
    """Return derivatives with respect to qdd or tau, with zero columns for joints that are not variables.

    Args:
        name: the variable, "qdd" or "tau". Joints for which the robot prescribes it are not variables.
        joints: the joints of the columns.
        matrix: the derivatives with respect to all joints, one column per joint.
        without: further joints whose columns are zero.
    """
    kept = [c not in without and getattr(robot.frame(c.j), FIXED_BY[name]) is None for c in joints]
    return [[x if variable else 0 for x, variable in zip(row, kept, strict=True)] for row in matrix]


def mirrored(
    matrix: Matrix, rows: Sequence[Coordinate], columns: Sequence[Coordinate], which: Sequence[Coordinate]
) -> Matrix:
    """Copy the upper triangle of the symmetric part of a matrix to the lower one, and return the matrix.

    Args:
        rows, columns: coordinates of the rows and columns.
        which: the coordinates whose rows and columns form the symmetric part.
    """
    result = [list(row) for row in matrix]
    for k, c in enumerate(which):
        for other in which[:k]:
            result[rows.index(c)][columns.index(other)] = matrix[rows.index(other)][columns.index(c)]
    return result


def rotated_gravity(down: Vector, rows: int) -> Matrix:
    """Return the matrix with the columns [g x e_k; 0], k = 1 .. 3, the change of gravity when the base rotates.

    Args:
        down: gravity g in frame 0.
        rows: number of rows of the matrix.
    """
    columns = [cross(down, axis) for axis in identity(3)]
    return transpose([[*column, *([0] * (rows - 3))] for column in columns])


def by_method(method: str, build: Callable[[bool], Program]) -> Program:
    """Return the program of a method, or the one with fewer operations if the method is 'auto'.

    Args:
        build: function that returns the program; its argument is true for the method 'recursion', false for 'forward'.
    """
    if method == "auto":
        return cheaper(build(False), build(True))
    return build(method == "recursion")


# -- the models


METHOD = Option(
    "method",
    "recursion: derivatives of composite links; forward: differentiation of the forces along each "
    "coordinate; auto: the method with fewer operations",
    "choice",
    "auto",
    ("auto", "recursion", "forward"),
)
ROLLING = WHEELED_1996.at("configuration dynamical model, differentiated")


@tree_model(
    "inverse-dynamics-derivatives",
    title="partial derivatives of the torques",
    read=Inputs(accelerations=True),
    outputs=inverse_outputs,
    options=(METHOD, BASE_MOTION, ROTATION),
    requirements=(without_load_friction,),
    aliases=("idm-derivatives", "rnea-derivatives"),
    structures={
        FIXED: {
            "inputs": (Q, QD, QDD, QDA, QDDA),
            "reference": NEWTON_EULER_2010.at("section 3.2, eq. (18) to (31), differentiated"),
            "equations": r"\partial \Gamma / \partial q, \quad \partial \Gamma / \partial \dot q, \quad "
            r"\partial \Gamma / \partial \ddot q = A, \qquad "
            r"\partial \Gamma / \partial q_a = (\partial \Gamma / \partial q)\,G",
        },
        FLOATING: {
            "inputs": (Q, QD, QDD, V0, VD0, R0, Q0),
            "reference": NEWTON_EULER_2010.at("section 7.2, eq. (89) to (100), differentiated"),
            "equations": r"d\,{}^0\dot V_0 = -A_{11}^{-1}\,df_0, \quad d\Gamma + A_{12}^T\,d\,{}^0\dot V_0",
        },
        WHEELED: {
            "inputs": (Q, QDA, QDDA),
            "reference": ROLLING,
            "equations": r"\partial \Gamma / \partial q_a = (\partial \Gamma / \partial q)\,G, \quad "
            r"\partial \Gamma / \partial \dot q_a, \quad \partial \Gamma / \partial \ddot q_a = G^T A\,G",
        },
    },
)
def inverse_dynamics_derivatives(
    robot: Robot, method: str = "auto", base: str = "free", rotation: str = "matrix"
) -> Program:
    """Return a program that computes the partial derivatives of the inverse dynamic model.

    Args:
        method: 'recursion' over the composite links, 'forward' differentiation of the forces, or 'auto' for the one
            with fewer operations.
        base: 'free' if no wrench acts on a floating base, 'given' if its acceleration is an input.
        rotation: representation of the rotation of a floating base, 'matrix' or 'quaternion'.
    """
    return by_method(method, lambda recursive: _inverse(robot, base, rotation, recursive=recursive))


def _inverse(robot: Robot, base: str, rotation: str, *, recursive: bool) -> Program:
    model = Linearisation("inverse_dynamics_derivatives", robot, recursive=recursive)
    builder, layout, own = model.builder, model.layout, model.own
    nud = joint_entries(builder, robot, model.s.provider, "qdd")
    moved = layout.has_free_base and base == "given"
    if moved:
        given = builder.input(VD0, (6,), [f"Vd0_{k}" for k in range(1, 7)])
        nud |= zip(BASE, given, strict=True)
    springs = [c for c in model.joints if layout.is_spring_driven(c.j)]
    free = [*(BASE if layout.has_free_base and not moved else ()), *springs]
    down = model.gravity(rotation)
    if moved:
        nud |= {c: nud[c] - g for c, g in zip(BASE[:3], down, strict=True)}
    if free:
        known = Known({c: nud[c] for c in own if c not in free}, dict.fromkeys(free, 0))
        nud = dict(model.accelerations(known))
    slopes = model.slopes(nud, solved=bool(free) or moved)
    slopes["qdd"] = model.columns(model.joints)
    if moved:
        slopes["Vd0"] = model.columns(BASE)
        slopes["R0"] = matmul(model.columns(BASE[:3]), matscale(-1, rotated_gravity(down, 3)))
    slopes = model.solved(slopes, free)
    kept = [c for c in model.joints if c not in free]
    slopes["qdd"] = mirrored(slopes["qdd"], own, model.joints, kept)
    slopes["qdd"] = variable_columns(robot, "qdd", model.joints, slopes["qdd"], springs)
    if layout.has_free_base and not moved:
        slopes["R0"] = rotated_gravity(down, len(own))
    outputs = {"tau": model.joints, "qdd_out": model.joints if springs else []}
    if layout.has_free_base:
        outputs["wrench0" if moved else "Vd0"] = list(BASE)
    return model.written(outputs, slopes, springs)


@tree_model(
    "direct-dynamics-derivatives",
    title="partial derivatives of the accelerations",
    read=Inputs(torques=True),
    outputs=direct_outputs,
    options=(METHOD, ROTATION),
    requirements=(without_load_friction,),
    aliases=("ddm-derivatives", "aba-derivatives", "forward-dynamics-derivatives", "linearization"),
    structures={
        FIXED: {
            "inputs": (Q, QD, TAU, QDA),
            "reference": NEWTON_EULER_2010.at("section 3.1, eq. (7), (8), differentiated"),
            "equations": r"\partial \ddot q / \partial q = -A^{-1}\,\partial\Gamma/\partial q, \quad "
            r"\partial \ddot q / \partial \dot q = -A^{-1}\,\partial\Gamma/\partial\dot q, \quad "
            r"\partial \ddot q / \partial \Gamma = A^{-1}",
        },
        FLOATING: {
            "inputs": (Q, QD, TAU, V0, R0, Q0),
            "reference": NEWTON_EULER_2010.at("section 7.1, eq. (83) to (88), differentiated"),
            "equations": r"(d\,{}^0\dot V_0; d\ddot q) = -A^{-1}\,d(f_0; \Gamma)",
        },
        WHEELED: {
            "inputs": (Q, QDA, TAU_ACTIVE),
            "reference": ROLLING,
            "equations": r"\partial \ddot q_a / \partial q_a = -A^{-1} (\partial \Gamma / \partial q)\,G, \quad "
            r"\partial \ddot q_a / \partial \dot q_a = -A^{-1}\,\partial\Gamma/\partial\dot q_a, \quad "
            r"\partial \ddot q_a / \partial \Gamma = A^{-1}",
        },
    },
)
def direct_dynamics_derivatives(robot: Robot, method: str = "auto", rotation: str = "matrix") -> Program:
    """Return a program that computes the partial derivatives of the direct dynamic model.

    Args:
        method: 'recursion' over the composite links, 'forward' differentiation of the forces, or 'auto' for the one
            with fewer operations.
        rotation: representation of the rotation of a floating base, 'matrix' or 'quaternion'.
    """
    return by_method(method, lambda recursive: _direct(robot, rotation, recursive=recursive))


def _direct(robot: Robot, rotation: str, *, recursive: bool) -> Program:
    model = Linearisation("direct_dynamics_derivatives", robot, recursive=recursive)
    layout, dynamics, own = model.layout, model.dynamics, model.own
    springs = [c for c in model.joints if layout.is_spring_driven(c.j)]
    forces: dict[Coordinate, Scalar] = dict.fromkeys(own, 0)
    forces |= joint_entries(model.builder, robot, model.s.provider, "tau")
    forces |= dict.fromkeys(springs, 0)
    down = model.gravity(rotation)
    nud = model.accelerations(Known({}, forces))
    slopes = model.solved(model.slopes(nud, solved=True), own)
    units = [{i: int(i == c) for i in own} for c in model.joints]
    columns = [list(x.values()) for x in dynamics.solve_columns(own, units)]
    inverse = mirrored(transpose(columns), own, model.joints, model.joints)
    slopes["tau"] = variable_columns(robot, "tau", model.joints, inverse, springs)
    outputs = {"qdd": model.joints}
    if layout.has_free_base:
        slopes["R0"] = rotated_gravity(down, len(own))
        outputs["Vd0"] = list(BASE)
    return model.written(outputs, slopes)
