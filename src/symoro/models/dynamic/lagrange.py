"""`lagrange`: tau = A qdd + B qd + Q, and the Christoffel coefficients D.

    Coriolis and centrifugal torque_i = sum of D_ijk qd_j qd_k,   D_ijk = D_ikj,   B_ij = sum_k of D_ijk qd_k

`christoffel` differentiates the inertia matrix:

    D_ijk = (dA_ij/dq_k + dA_ik/dq_j - dA_jk/dq_i) / 2

On a floating base nu = [V0; qd] are quasi-velocities. With T_k the tangent of coordinate k, nud the derivative of the
entries of nu (the acceleration of the base less w x v), and c the structure constants [X_i, X_j] = sum_l c_lij X_l,

    D_ijk = (T_j A_ik + T_k A_ij - T_i A_jk + sum_l (c_ljk A_li + c_lij A_lk + c_lik A_lj)) / 2
    B_ik = sum_j of D_ijk nu_j

the Levi-Civita connection in the frame X of the quasi-velocities (Hamel's equations); dA/dt = B + B'.

`recursive` (Renaud's method) computes D_ijk without derivatives. Let k be a joint on the path from the base to joint j,
or j itself, both at unit velocity. Their product adds to the acceleration of link j, in frame j with z = ja,

    j revolute, k revolute   U = 2 hat(ak) hat(z) = 2 (z ak' - (ak.z) 1)     (half of it when k = j)
    j prismatic, k revolute  VP = 2 ak x z
    k prismatic              nothing

The wrench of the composite link j under this acceleration, transformed inward, gives D_ijk for the joints i before j;
the acceleration, transformed outward and applied to the composite links i beyond j, gives D_ijk for the joints i beyond
j. Friction and external wrenches are not included.

M. Renaud, "Contribution a la modelisation et a la commande dynamique des robots manipulateurs", 1980;
V. Filip, "Dynamic modeling of manipulators with symbolic computational method", 2008, eq. (5) to (8).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from symoro.errors import NotApplicableError, ProgramError
from symoro.expr import ops
from symoro.expr.linalg import Matrix, Vector, add, cross, matvec, transpose
from symoro.expr.scalar import Expr, Scalar, wrap
from symoro.models.catalogue import Option
from symoro.models.coordinates.blocks import Values
from symoro.models.coordinates.layout import Layout
from symoro.models.dynamic.composite import along_axes, symmetric, tree_composites
from symoro.models.dynamic.derivatives import jvp
from symoro.models.dynamic.floating_base import ROTATION
from symoro.models.dynamic.formulation import quick
from symoro.models.dynamic.newton_euler import moment_k
from symoro.models.dynamic.setting import at_rest, fixed_tree
from symoro.models.dynamic.structures import FIXED, FLOATING, Structure, tree_model
from symoro.models.dynamic.system import Inputs, System, system
from symoro.models.dynamic.tree_dynamics import State
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.factoring import simplified
from symoro.models.ports import A
from symoro.models.recursion import JointFrame, outward
from symoro.models.references import LAGRANGE_2008
from symoro.models.spatial import Inertia, Wrench
from symoro.program.builder import Builder
from symoro.program.count import LONGEST_EXPANDED, count, written_operations
from symoro.program.program import Port, Program
from symoro.robot.description import Robot
from symoro.robot.topology import chain

B = Port("B", "n,n", "B qd: Coriolis and centrifugal torques")
WEIGHT = Port("Q", "n", "gravity torques")
D = Port("D", "n,n,n", "Christoffel coefficients, symmetric in the last two")

Cube = list[list[list[Scalar]]]


def connection(s: System, a: Matrix) -> Cube:
    """Return the Christoffel coefficients D by differentiation of the inertia matrix `a`.

    The matrix is differentiated along the tangent of each coordinate; quasi-velocities of a free base add Lie brackets.
    D is symmetric in the last two indices if all coordinates commute.

    Args:
        s: the robot's coordinates and constraints.
        a: inertia matrix A over the independent coordinates.
    """
    own, builder = s.provider.own, s.builder
    n = len(own)
    entries = [x for row in a for x in row]
    columns = transpose(jvp(builder, entries, list(s.provider.tangents().values())))
    slopes = [[list(column[i * n : (i + 1) * n]) for i in range(n)] for column in columns]
    place = {c: k for k, c in enumerate(own)}
    brackets = {
        (place[i], place[j]): [(place[c], sign) for c, sign in terms]
        for (i, j), terms in s.provider.brackets().items()
    }
    half = builder.number(1) / 2

    def entry(i: int, j: int, k: int) -> Scalar:
        x = slopes[k][i][j] + slopes[j][i][k] - slopes[i][j][k]
        for pair, third in (((j, k), i), ((i, j), k), ((i, k), j)):
            for m, sign in brackets.get(pair, ()):
                x = x + sign * a[m][third]
        return x * half

    cube = [[[entry(i, j, k) for k in range(n)] for j in range(n)] for i in range(n)]
    return cube if brackets else [symmetric(m) for m in cube]


class Renaud:
    """Recursive computation of the Christoffel coefficients by Renaud's method, without derivatives.

    Every moving joint of the tree must have an independent coordinate.
    """

    def __init__(self, builder: Builder, robot: Robot, frames: Mapping[int, JointFrame]) -> None:
        self.builder, self.robot, self.frames = builder, robot, frames
        self.composite = tree_composites(builder, robot, frames)
        self.joints = [j for j in sorted(frames) if frames[j].moving]
        self.axes: dict[tuple[int, int], Vector] = {}  # (k, j): axis of joint k in frame j

    def run(self) -> Cube:
        n = len(self.joints)
        index = {j: at for at, j in enumerate(self.joints)}
        d: Cube = [[[0] * n for _ in range(n)] for _ in range(n)]
        half = self.builder.number(1) / 2
        for j in self.joints:
            for k in chain(self.robot, j):
                if not self.frames[k].revolute:
                    continue
                for i, value in self._efforts(j, k).items():
                    shared = value if j == k else value * half
                    d[index[i]][index[j]][index[k]] = d[index[i]][index[k]][index[j]] = shared
        return d

    def _axis(self, k: int, j: int) -> Vector:
        if (k, j) not in self.axes:
            z: Vector = [0, 0, 1]
            self.axes[k, j] = z if k == j else self.frames[j].to_child(self._axis(k, self.frames[j].i))
        return self.axes[k, j]

    def _efforts(self, j: int, k: int) -> dict[int, Scalar]:
        """Return the torques of all joints that are due to the velocity product qd_j qd_k, with qd_j = qd_k = 1."""
        x, y, z = self._axis(k, j)
        if self.frames[j].revolute:
            if j == k:
                u: Matrix = [[-1, 0, 0], [0, -1, 0], [0, 0, 0]]
            else:
                u = [[-2 * z, 0, 0], [0, -2 * z, 0], [2 * x, 2 * y, 0]]
            vd: Vector = [0, 0, 0]
        else:
            u, vd = [[0] * 3 for _ in range(3)], [2 * y, -2 * x, 0]
        torques = self._inward(j, u, vd)
        torques.update(self._outward(j, u, vd))
        return torques

    def _wrench(self, inertia: Inertia, u: Matrix, vd: Vector) -> Wrench:
        ms = list(inertia.ms)
        force = [inertia.m * a + b for a, b in zip(vd, matvec(u, ms), strict=True)]
        return Wrench(force, add(moment_k(inertia.k, u), cross(ms, vd)))

    def _inward(self, j: int, u: Matrix, vd: Vector) -> dict[int, Scalar]:
        return along_axes(self.frames, j, self._wrench(self.composite[j], u, vd))

    def _outward(self, j: int, u: Matrix, vd: Vector) -> dict[int, Scalar]:
        torques: dict[int, Scalar] = {}
        for i, (here, there) in outward(self.frames, (u, vd), _carried, root=j).items():
            frame = self.frames[i]
            if i != j and frame.moving:
                torques[i] = self._wrench(self.composite[i], here, there).along(frame)
        return torques


def _carried(frame: JointFrame, moved: tuple[Matrix, Vector]) -> tuple[Matrix, Vector]:
    """Return U = hat(wd) + hat(w)^2 and the acceleration VP of a body that is fixed to its antecedent.

    Args:
        frame: frame of the body, in which the result is expressed.
        moved: U and VP of the antecedent, in its frame.
    """
    u, vd = moved
    turned = [frame.to_child(row) for row in u]
    here = transpose([frame.to_child(column) for column in transpose(turned)])
    return here, frame.to_child(add(vd, matvec(u, frame.position)))


READ = Inputs()


def outputs(structure: Structure) -> tuple[Port, ...]:
    """Return the output ports A, B, Q and D of tau = A qdd + B qd + Q, with the Christoffel coefficients D.

    For a floating base D is not symmetric and is not an output.
    """
    if structure.base:
        return (
            Port("A", "6+n,6+n", "inertia matrix, base rows and columns first, rotor inertias included"),
            Port("B", "6+n,6+n", "B [V0; qd]: Coriolis and centrifugal forces; dA/dt - 2 B is skew"),
            Port("Q", "6+n", "gravity: wrench on the base and torques"),
        )
    return (A, B, WEIGHT, D)


def is_holonomic_tree(robot: Robot) -> str | None:
    """Return the reason why the Lagrange equations are not available for a robot, or None."""
    if robot.wheels:
        return (
            "its base is wheeled: rolling constraints are nonholonomic, so that the velocities are not derivatives of "
            "coordinates, and the Boltzmann-Hamel form needs the Lie brackets of the constraint distribution"
        )
    return fixed_tree(robot)


@tree_model(
    "lagrange",
    title="Lagrange form: A, B, Q and the Christoffel coefficients",
    read=READ,
    outputs=outputs,
    options=(
        Option(
            "coriolis",
            "christoffel: differentiate A; recursive: Renaud's method without derivatives",
            "choice",
            "christoffel",
            ("christoffel", "recursive"),
        ),
        Option("expanded", "write each element as one simplified expression, for reading", "flag", False),
        ROTATION,
    ),
    aliases=("lagrange-euler", "euler-lagrange", "lagrangian", "coriolis", "coriolis-matrix", "christoffel"),
    structures={
        FIXED: {
            "applies": is_holonomic_tree,
            "reference": LAGRANGE_2008.at("section 2, eq. (5) to (8)"),
            "equations": r"\Gamma = A(q)\,\ddot q + B(q, \dot q)\,\dot q + Q(q), \quad D_{ijk} = \tfrac12\left("
            r"\frac{\partial A_{ij}}{\partial q_k} + \frac{\partial A_{ik}}{\partial q_j} - "
            r"\frac{\partial A_{jk}}{\partial q_i}\right)",
        },
        FLOATING: {
            "reference": LAGRANGE_2008.at("section 2, eq. (5) to (8), with the brackets of quasi-velocities"),
            "equations": r"(f_0; \Gamma) = A\,\dot\nu + B\,\nu + Q, \quad \nu = ({}^0V_0; \dot q), \quad "
            r"\dot\nu = ({}^0\dot V_0 - ({}^0\omega_0 \times {}^0V_0; 0); \ddot q)",
        },
    },
    selects=True,
)
def lagrange(
    robot: Robot,
    coriolis: str = "christoffel",
    expanded: bool = False,
    rotation: str = "matrix",
    wanted: Collection[str] = ("A", "B", "Q", "D"),
) -> Program:
    """Return a program that computes A, B, Q of tau = A qdd + B qd + Q, and the Christoffel coefficients D.

    External wrenches and prescribed base motion are not included.

    Args:
        coriolis: 'christoffel' differentiates A; 'recursive' is Renaud's method without derivatives.
        expanded: whether each element is one simplified expression, for reading.
        rotation: representation of the rotation of a floating base, 'matrix' or 'quaternion'.
        wanted: names of the outputs to derive; the coefficients D of a long chain take minutes, A or Q take seconds.
    """
    robot = at_rest(robot)
    layout = Layout(robot)
    s = system("lagrange", layout, quick(robot), READ, rotation=rotation)
    builder, nu = s.builder, [s.state.nu[c] for c in s.provider.own]
    a: Matrix = []
    d: Cube = []
    weights: Vector = []
    curved = "B" in wanted or "D" in wanted
    if curved or "A" in wanted:
        a = s.tree.inertia()
    if expanded:
        _check_size(robot, builder, _entries("A", a))
    if coriolis == "recursive" and (not s.provider.is_identity or layout.has_free_base):
        raise NotApplicableError(
            "the method 'recursive' does not support coupled joints, closed loops or floating bases",
            hint="use coriolis='christoffel'",
        )
    if curved:
        d = Renaud(builder, robot, s.tree.tree).run() if coriolis == "recursive" else connection(s, a)
    if "A" not in wanted:
        a = []
    if "Q" in wanted:
        none: Values = dict.fromkeys(s.provider.own, 0)
        still = State(none, dict.fromkeys(s.provider.tree, 0))
        weights = list(s.tree.efforts(still, none, elements=False).values())
    if expanded:
        _check_size(robot, builder, {f"Q[{i}]": x for i, x in enumerate(weights, 1)})
        written = _Readable(builder, robot, a, d, weights)
        a, d, weights = written.matrix(a), [written.matrix(m) for m in d], written.matrix([weights])[0]
    # B_ik = sum over j of D_ijk nu_j; d is symmetric in the last two but for quasi-velocities.
    b = [matvec(transpose(m) if layout.has_free_base else m, nu) for m in d]
    for port, value in zip(
        outputs(FLOATING if layout.has_free_base else FIXED), (a, b, weights, d), strict=False
    ):
        if port.name in wanted:
            builder.output(port, value)
    if not expanded:
        return builder.program()
    _name_waves(builder, s.tree.trig, [x for rows in (a, [weights], *d) for row in rows for x in row])
    return _written_out(builder.program(expanded=True))


# -- expanded form, for reading


# Ratio of the operations as derived and after simplification that no robot reaches: entries of A that are longer than
# this multiple of the limit are rejected at once, before the much longer derivatives are computed.
MOST_SIMPLIFIED = 1000


def largest_inertia_entry(robot: Robot) -> tuple[int, str]:
    """Return the operations of the longest entry of A as one expression, and its name, without deriving the model.

    The entry is counted as derived, before any simplification. An entry that can become readable returns 0.
    """
    robot = at_rest(robot)
    s = system("lagrange", Layout(robot), quick(robot), READ)
    return _largest(s.builder, _entries("A", s.tree.inertia()))


def _entries(name: str, matrix: Matrix) -> dict[str, Scalar]:
    return {f"{name}[{i},{j}]": x for i, row in enumerate(matrix, 1) for j, x in enumerate(row, 1)}


def _largest(builder: Builder, entries: Mapping[str, Scalar]) -> tuple[int, str]:
    """Return operations and name of the longest entry; (0, "") if it can become readable."""
    lits = {name: wrap(builder.graph, x).lit for name, x in entries.items()}
    sizes = written_operations(builder.graph, lits.values())
    operations, name = max(((sizes[lit >> 1], name) for name, lit in lits.items()), default=(0, ""))
    return (operations, name) if operations > MOST_SIMPLIFIED * LONGEST_EXPANDED else (0, "")


def _check_size(robot: Robot, builder: Builder, entries: Mapping[str, Scalar]) -> None:
    """Check that no entry is so long that no simplification makes it readable.

    Raises:
        ProgramError: an entry is too long; the message contains the estimate.
    """
    operations, name = _largest(builder, entries)
    if operations:
        raise _too_long(robot, name, f"about {operations:.0e} operations")


def _too_long(robot: Robot, name: str, size: str) -> ProgramError:
    return ProgramError(
        f"lagrange of robot '{robot.name}' cannot be expanded: {name} would be one expression of {size} "
        f"(at most {LONGEST_EXPANDED})",
        hint="omit the option 'expanded': the model then has intermediate variables",
    )


class _Readable:
    """Simplified entries of A, B and Q in tau = A qdd + B qd + Q, for reading.

    Raises:
        ProgramError: an entry of A, B or Q would be too long. The longest entries are simplified first, so that this is
            detected early.
    """

    def __init__(self, builder: Builder, robot: Robot, a: Matrix, d: Cube, weights: Vector) -> None:
        self.graph = builder.graph
        self.short: dict[int, Expr] = {}
        entries: dict[str, list[int]] = {}  # the terms of the entry's sum
        entries |= {name: [self._lit(x)] for name, x in _entries("A", a).items()}
        for i, rows in enumerate(d, 1):
            entries |= {f"B[{i},{j}]": [self._lit(x) for x in line] for j, line in enumerate(rows, 1)}
        entries |= {f"Q[{i}]": [self._lit(x)] for i, x in enumerate(weights, 1)}
        before = written_operations(self.graph, {lit for parts in entries.values() for lit in parts})
        sizes = {name: sum(before[lit >> 1] for lit in parts) for name, parts in entries.items()}
        for name in sorted(entries, key=sizes.__getitem__, reverse=True):
            operations = 0
            for lit in sorted(entries[name], key=lambda lit: before[lit >> 1], reverse=True):
                operations += self._operations(lit)
                if operations > LONGEST_EXPANDED:
                    raise _too_long(robot, name, f"more than {operations - 1} operations")

    def matrix(self, entries: Matrix) -> Matrix:
        return [[self._written(self._lit(x)) for x in row] for row in entries]

    def _lit(self, x: Scalar) -> int:
        return wrap(self.graph, x).lit

    def _written(self, lit: int) -> Expr:
        if lit not in self.short:
            self.short[lit] = simplified(Expr(self.graph, lit))
        return self.short[lit]

    def _operations(self, lit: int) -> int:
        """Return the number of operations of the simplified entry with node reference `lit`, as one expression."""
        short = self._written(lit)
        return written_operations(self.graph, [short.lit])[short.lit >> 1]


def _name_waves(builder: Builder, trig: Trigonometry, values: Sequence[Scalar]) -> None:
    """Name the sines and cosines in simplified expressions, for example C23 for cos(q2 + q3).

    Args:
        values: the simplified expressions.
    """
    graph = builder.graph
    for i in graph.reachable([wrap(graph, x).lit for x in values]):
        trig.name(Expr(graph, i << 1))


READABLE = 20_000  # operations of all elements; longer programs keep their intermediate variables


def _written_out(program: Program) -> Program:
    """Return the program without intermediate variables except sines and cosines, if it is short enough.

    A program that would have too many operations is returned unchanged.
    """
    op = program.graph.op
    kept = {i: name for i, name in program.names.items() if op[i] in (ops.SIN, ops.COS)}
    bare = replace(program, names=kept)
    return bare if count(bare).total <= READABLE else program
