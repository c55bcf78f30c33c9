"""Linearisation of the equations of motion about an equilibrium: x' = A x + B u.

The state is x = (y; v) with small displacements y and velocities v, the input u contains the torques of the driven
joints, both relative to the equilibrium:

    y = (dP0, dR0, q, e)      position of a floating base in the world, rotation of the base about its own axes, joints
                              (the active ones of closed loops), modes of flexible links
    v = (V0, qd, ed)          twist of the base in its own frame, velocities of joints and modes

At an equilibrium (y0, 0, u0) the accelerations a(y, v, u) of the model `direct-dynamics` are zero, and

    A = [ 0        N     ]      B = [ 0     ]
        [ da/dy    da/dv ]          [ da/du ]

with y' = N v: N is the identity, except dP0' = R0 v_lin. The derivatives are those of `direct-dynamics-derivatives`,
and for flexible links those of the differentiated model. Coulomb friction has the derivative zero at rest.

R.M. Murray, Z. Li, S.S. Sastry, "A mathematical introduction to robotic manipulation", CRC Press, 1994, section 4.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ArgumentError, NotApplicableError
from symoro.expr import ops
from symoro.expr.formula import Formula, formula
from symoro.expr.graph import ONE, ZERO, Graph
from symoro.model import Model, generate
from symoro.models.numeric.rotation import from_quaternion
from symoro.program.count import largest_expression
from symoro.program.interpret import interpret
from symoro.program.passes.rebuild import Rebuild
from symoro.program.pipeline import optimise
from symoro.program.program import Output, Program
from symoro.robot.coordinates import independent
from symoro.robot.description import BaseKind, Robot
from symoro.robot.flexibility import flexible_links, mode_names
from symoro.robot.formats import RobotLike, as_robot
from symoro.robot.size import characteristic_length, joint_units
from symoro.simulation.mechanics import Mechanics
from symoro.simulation.tolerances import UNBALANCED

Array = NDArray[np.float64]
# Two joints with parameters, three with numbers: with more states the coefficients of s fill pages.
MOST_SYMBOLIC_STATES, MOST_STATES = 4, 6
OBLIQUE = np.array([1.0, 2.0, 3.0]) / np.sqrt(
    14.0
)  # axis about which gravity turns with respect to a floating base
LONGEST_ENTRY = 500  # operations of an entry of A; those of closed loops have thousands


@dataclass(frozen=True, eq=False)
class Linearisation:
    """Linear model x' = A x + B u of a robot about an equilibrium, made by `linearise`.

    Attributes:
        model: program with the outputs A and B as expressions of the parameters, for `code`, `to_sympy` ...
        states: names of the entries of x.
        drives: names of the entries of u.
        q, tau: joint positions and torques at the equilibrium; None if a parameter has no value.
        values: numbers for the parameters.
    """

    model: Model
    states: tuple[str, ...]
    drives: tuple[str, ...]
    q: Array
    tau: Array | None
    values: Mapping[str, float]

    @cached_property
    def _matrices(self) -> tuple[Array, Array]:
        missing = [name for name in self.model.parameters if name not in self.values]
        if missing:
            raise ArgumentError(
                f"A and B depend on parameters without a value: {', '.join(missing[:8])}",
                hint="give numbers as values={...}; the attribute `model` contains A and B with symbols",
            )
        result = interpret(
            self.model.program, {}, {name: self.values[name] for name in self.model.parameters}
        )
        return np.asarray(result["A"]), np.asarray(result["B"])

    @property
    def A(self) -> Array:
        """State matrix as numbers."""
        return self._matrices[0]

    @property
    def B(self) -> Array:
        """Input matrix as numbers."""
        return self._matrices[1]

    def eigenvalues(self) -> NDArray[np.complex128]:
        """Return the eigenvalues of A (1/s), sorted by real part, the most unstable first."""
        values = np.linalg.eigvals(self.A).astype(complex)
        return values[np.lexsort((values.imag, -values.real))]

    def transfer_function(self, output: str, drive: str) -> tuple[Array, Array]:
        """Return the coefficients of numerator and denominator of the transfer function from a drive to a state.

        Args:
            output: name of a state, such as "q2".
            drive: name of a drive, such as "tau1".

        Returns:
            Coefficients by descending powers of s.
        """
        from scipy.signal import ss2tf

        row, column = _index(self.states, output, "state"), _index(self.drives, drive, "drive")
        C = np.eye(len(self.states))[[row]]
        numerator, denominator = ss2tf(self.A, self.B[:, [column]], C, np.zeros((1, 1)))
        return np.asarray(numerator[0]), np.asarray(denominator)

    def symbolic_transfer_function(self, output: str, drive: str) -> Any:
        """Return the transfer function from a drive to a state with symbols, as a SymPy expression of s.

        G(s) = c (s 1 - A)^-1 b, by Cramer's rule, as a ratio of polynomials in s whose common factors are cancelled.
        Decimals are converted to fractions; factors that are equal only within their rounding are not cancelled.

        Args:
            output: name of a state, such as "q2".
            drive: name of a drive, such as "tau1".

        Raises:
            NotApplicableError: the system has more than 4 states (6 if it has no parameters), its entries are too
                long, or a parameter has the name s.
        """
        import sympy
        from sympy.polys.matrices import DomainMatrix

        row, column = _index(self.states, output, "state"), _index(self.drives, drive, "drive")
        size = len(self.states)
        most = MOST_SYMBOLIC_STATES if self.model.parameters else MOST_STATES
        if size > most:
            raise NotApplicableError(
                f"a symbolic transfer function of {size} states is too long: at most {MOST_SYMBOLIC_STATES} states "
                f"with parameters, {MOST_STATES} states with numbers",
                hint="transfer_function computes its coefficients as numbers",
            )
        if "s" in self.model.parameters:
            raise NotApplicableError(
                "a parameter has the name s, which is the variable of transfer functions"
            )
        s = sympy.Symbol("s")
        largest, where = largest_expression(self.model.program)
        if not self.model.parameters:
            A, B = (sympy.Matrix(*m.shape, [sympy.Rational(x) for x in m.flat]) for m in (self.A, self.B))
        elif largest > LONGEST_ENTRY:
            raise NotApplicableError(
                f"a symbolic transfer function is too long: {where} has {largest} operations (at most {LONGEST_ENTRY})",
                hint="give numbers for the parameters",
            )
        else:
            matrices = self.model.to_sympy()
            A, B = (sympy.Matrix(sympy.nsimplify(matrices[name], rational=True)) for name in ("A", "B"))
        whole = s * sympy.eye(size) - A
        replaced = whole.copy()
        replaced[:, row] = B[:, column]
        numerator, denominator = (DomainMatrix.from_Matrix(m).to_field() for m in (replaced, whole))
        ratio = numerator.domain.to_sympy(numerator.det()) / denominator.domain.to_sympy(denominator.det())
        return sympy.cancel(ratio)

    def __str__(self) -> str:
        head = f"x = ({', '.join(self.states)}), u = ({', '.join(self.drives)})"
        with np.printoptions(precision=6, suppress=True, linewidth=120, threshold=10_000):
            return f"{head}\nA =\n{self.A}\nB =\n{self.B}\neigenvalues =\n{self.eigenvalues()}"


def _index(names: Sequence[str], name: str, kind: str) -> int:
    if name not in names:
        raise ArgumentError(f"there is no {kind} '{name}'", hint=f"the {kind}s are: {', '.join(names)}")
    return names.index(name)


def linearise(
    robot: RobotLike,
    q: ArrayLike | str | Sequence[Any] | None = None,
    *,
    tau: ArrayLike | None = None,
    values: Mapping[str, float] | None = None,
    **start: ArrayLike,
) -> Linearisation:
    """Return the linear model of a robot about an equilibrium at rest.

        linear = symoro.linearise("cartpole", q=[0, 0])
        linear.A, linear.B, linear.eigenvalues()
        linear.model.to_sympy()["A"]              # with symbols

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        q: joint positions (radians or metres), as numbers or expressions such as "pi/2"; the name of a posture; for
            closed loops also the positions of the active joints. Zero by default.
        tau: torques of the driven joints at the equilibrium; by default those that balance gravity.
        values: numbers for symbols; by default the nominal values of the robot.
        start: `e` (modes of flexible links; by default their static deflection) and `Q0` (quaternion of a floating
            base; by default the identity).

    Raises:
        ArgumentError: the state is not an equilibrium; the message contains the remaining torques.
        NotApplicableError: the robot has wheels, whose equilibria are not isolated from its motion.
    """
    described = as_robot(robot)
    if described.wheels:
        raise NotApplicableError(
            f"linearise does not apply to robot '{described.name}': it has wheels, whose rolling constraints have no "
            "linear model in minimal coordinates"
        )
    numbers = {**dict(described.nominal), **(values or {})}
    point = _Equilibrium(described, numbers, q, tau, start)
    program = point.program()
    point.check()
    entry = replace(point.derivatives.entry, id="linearisation", title=program.title, aliases=(), forms=())
    return Linearisation(
        Model(described, entry, {}, program),
        point.states,
        point.drives,
        np.array(
            [
                position.value(numbers) if position.symbols <= numbers.keys() else np.nan
                for position in point.q
            ]
        ),
        point.torques(),
        numbers,
    )


class _Equilibrium:
    """Posture and torques about which a robot is linearised, and the substitution of both in programs."""

    def __init__(
        self,
        robot: Robot,
        numbers: Mapping[str, float],
        q: Any,
        tau: ArrayLike | None,
        start: Mapping[str, ArrayLike],
    ) -> None:
        self.robot, self.numbers = robot, numbers
        self.flexible = bool(flexible_links(robot))
        self.floating = robot.base.kind == BaseKind.FLOATING
        self.direct = generate(robot, "direct-dynamics")
        self.derivatives = (
            self.direct.derivative("jacobian")
            if self.flexible
            else generate(robot, "direct-dynamics-derivatives")
        )
        self.bias, self.inertia = (generate(robot, name) for name in ("bias-torques", "inertia-matrix"))
        self.velocity = "qda" if robot.B else "qd"
        self.joints = [symbol.removeprefix("qd") for symbol in self._symbols(self.velocity)]
        for name in start:
            if name not in ("e", "Q0") or (name == "e") > self.flexible or (name == "Q0") > self.floating:
                raise ArgumentError(f"robot '{robot.name}' has no state '{name}'")
        self.start = {name: np.asarray(value, dtype=float) for name, value in start.items()}
        self.q = self._positions(q)
        self.driven = self._driven()
        self.given = self._given_torques(tau)
        if self.flexible and "e" not in self.start:
            self.start = {**self.start, "e": self._static_modes()}

    def _symbols(self, port: str) -> tuple[str, ...]:
        return next(p.symbols for p in self.direct.program.inputs if p.name == port)

    def _positions(self, q: Any) -> list[Formula]:
        """Return the positions of all joints as formulas; those of closed loops are numbers that close them."""
        count = len(self._symbols("q"))
        if isinstance(q, str) and q in self.robot.postures:
            q = self.robot.postures[q]
        if self.robot.B:
            mechanics = Mechanics(self.robot, self.numbers, {})
            chosen = self.robot.postures.get("home") if q is None else q
            y = mechanics.start({"q": None if chosen is None else np.asarray(chosen, dtype=float)})
            return [formula(float(x)) for x in y[mechanics.parts["q"]]]
        entries = [0] * count if q is None else list(np.atleast_1d(np.asarray(q, dtype=object)))
        if len(entries) != count:
            raise ArgumentError(f"q has {len(entries)} entries, expected {count} (one per joint)")
        formulas = [formula(x if isinstance(x, str) else float(x)) for x in entries]
        if any(f.number is not None and not np.isfinite(f.number) for f in formulas):
            raise ArgumentError("q: a value is not finite")
        return formulas

    def _driven(self) -> list[bool]:
        """Return for each coordinate whether a drive acts on it: active, and without a spring."""
        if self.robot.B:
            return [True] * len(self.joints)
        frames = [self.robot.frame(j) for j in independent(self.robot)]
        return [frame.mu and not frame.eta for frame in frames]

    def _given_torques(self, tau: ArrayLike | None) -> Array | None:
        if tau is None:
            return None
        given = np.asarray(tau, dtype=float)
        if given.shape == (sum(self.driven),):
            whole = np.zeros(len(self.driven))
            whole[self.driven] = given
            given = whole
        if given.shape != (len(self.driven),) or not np.isfinite(given).all():
            raise ArgumentError(
                f"tau has shape {given.shape} or is not finite, expected {sum(self.driven)} numbers "
                "(one per driven joint)"
            )
        return given

    @property
    def states(self) -> tuple[str, ...]:
        base = [f"d{name}{k}" for name in ("P0_", "R0_") for k in (1, 2, 3)] if self.floating else []
        modes = list(self._symbols("e")) if self.flexible else []
        rates = [f"V0_{k}" for k in range(1, 7)] if self.floating else []
        positions = [f"q{j}" for j in self.joints]
        velocities = [f"qd{j}" for j in self.joints]
        return (
            *base,
            *positions,
            *modes,
            *rates,
            *velocities,
            *(list(self._symbols("ed")) if self.flexible else []),
        )

    @property
    def drives(self) -> tuple[str, ...]:
        return tuple(f"tau{j}" for j, driven in zip(self.joints, self.driven, strict=True) if driven)

    # -- substitution

    def _leaves(self, graph: Graph, program: Program, torques: Sequence[int] | None) -> dict[str, int]:
        """Return the expressions that replace the entries of the inputs of a program."""
        rotation = from_quaternion(self.start["Q0"]) if "Q0" in self.start else np.eye(3)
        leaves: dict[str, int] = {}
        for port in program.inputs:
            for k, symbol in enumerate(port.symbols):
                if port.name == "tau":
                    leaves[symbol] = ZERO if torques is None else torques[k]
                elif port.name == "R0":
                    leaves[symbol] = graph.number(float(rotation.flat[k]))
                elif port.name == "q":
                    leaves[symbol] = self.q[k].into(graph).lit
                elif port.name in self.start:
                    leaves[symbol] = graph.number(float(self.start[port.name][k]))
                else:
                    leaves[symbol] = ZERO  # velocities
        return leaves

    def _balancing(self, graph: Graph) -> list[int]:
        """Return the torques at the equilibrium as expressions: the given ones, or those that balance the robot."""
        if self.given is not None:
            return [graph.number(float(x)) for x in self.given]
        bias = self.bias.program
        lits = _substituted(bias, graph, self._leaves(graph, bias, None))["H"]
        first = 6 if self.floating else 0
        own = lits[first : first + len(self.driven)]
        return [lit if driven else ZERO for lit, driven in zip(own, self.driven, strict=True)]

    def program(self) -> Program:
        """Return the program with the outputs A and B."""
        graph, source = Graph(), self.derivatives.program
        blocks = _substituted(source, graph, self._leaves(graph, source, self._balancing(graph)))
        shapes = {out.name: out.shape for out in source.outputs}
        joint = "qa" if self.robot.B else "q"
        positions = [*(["P0", "R0"] if self.floating else []), joint, *(["e"] if self.flexible else [])]
        velocities = [
            *(["V0"] if self.floating else []),
            self.velocity,
            *(["ed"] if self.flexible else []),
        ]
        accelerations = [
            *(["Vd0"] if self.floating else []),
            "qdda" if self.robot.B else "qdd",
            *(["edd"] if self.flexible else []),
        ]
        half = len(self.states) // 2
        A = [[ZERO] * (2 * half) for _ in range(2 * half)]
        B = [[ZERO] * len(self.drives) for _ in range(2 * half)]
        for i, row in enumerate(self._rates(graph)):
            A[i][half:] = row
        columns = [k for k, driven in enumerate(self.driven) if driven]
        at = half
        for output in accelerations:
            size = len(blocks[f"d{output}_dtau"]) // shapes[f"d{output}_dtau"][1]
            for names, start in ((positions, 0), (velocities, half)):
                column = start
                for name in names:
                    key = f"d{output}_d{name}"
                    width = (
                        shapes[key][1] if key in shapes else 3
                    )  # accelerations do not depend on the position P0
                    for i in range(size) if key in blocks else ():
                        A[at + i][column : column + width] = blocks[key][i * width : (i + 1) * width]
                    column += width
            width = shapes[f"d{output}_dtau"][1]
            for i in range(size):
                row = blocks[f"d{output}_dtau"][i * width : (i + 1) * width]
                B[at + i] = [row[k] for k in columns]
            at += size
        return self._optimised(graph, A, B)

    def _rates(self, graph: Graph) -> list[list[int]]:
        """Return the matrix N of y' = N v at the equilibrium."""
        half = len(self.states) // 2
        rows = [[ONE if i == k else ZERO for k in range(half)] for i in range(half)]
        if self.floating:
            rotation = from_quaternion(self.start["Q0"]) if "Q0" in self.start else np.eye(3)
            for i in range(3):
                rows[i][:3] = [graph.number(float(x)) for x in rotation[i]]
        return rows

    def _optimised(self, graph: Graph, A: list[list[int]], B: list[list[int]]) -> Program:
        source = self.derivatives.program
        size = len(A)
        outputs = (
            Output("A", (size, size), tuple(x for row in A for x in row), "state matrix"),
            Output("B", (size, len(self.drives)), tuple(x for row in B for x in row), "input matrix"),
        )
        names = {graph.args[i][0] for i in range(len(graph)) if graph.op[i] == ops.SYMBOL}
        states = f"x = ({', '.join(self.states)}), u = ({', '.join(self.drives)})"
        point = ", ".join(f"q{k} = {position}" for k, position in enumerate(self.q, 1))
        header = tuple(pair for pair in source.header if pair[0] in ("robot", "joints"))
        program = replace(
            source,
            name=f"{self.direct.program.name.removesuffix('_direct_dynamics')}_linearisation",
            graph=graph,
            inputs=(),
            outputs=outputs,
            parameters=tuple(sorted(names, key=[*source.parameters, *sorted(names)].index)),
            names={},
            sections={},
            title="linear model x' = A x + B u about an equilibrium",
            header=(*header, ("state", states), ("equilibrium", point)),
        )
        return optimise(program)

    # -- the check of the equilibrium

    def torques(self) -> Array | None:
        """Return the torques at the equilibrium, as numbers; None if a parameter has no value."""
        if self.given is not None:
            return self.given
        if not set(self.bias.parameters) <= self.numbers.keys():
            return None
        H = self._numeric(self.bias)["H"]
        first = 6 if self.floating else 0
        return np.asarray(np.where(self.driven, H[first : first + len(self.driven)], 0.0))

    def _numeric(self, model: Model, **more: Array) -> dict[str, Any]:
        known = dict(self.numbers)
        inputs: dict[str, Any] = {name: np.zeros(shape) for name, shape in model.inputs.items()}
        own = {"q": np.array([f.value(known) for f in self.q]), **self.start}
        own["R0"] = from_quaternion(self.start["Q0"]) if "Q0" in self.start else np.eye(3)
        own |= more
        inputs |= {name: value for name, value in own.items() if name in inputs}
        return interpret(model.program, inputs, {name: known[name] for name in model.parameters})

    def check(self) -> None:
        """Check that the accelerations are zero: inertia times acceleration against the torques that act.

        Without numbers for all parameters, random ones of the order of 1 are used: an equilibrium that holds for some
        parameters only is rejected.

        Raises:
            ArgumentError: the state is not an equilibrium.
        """
        rng = np.random.default_rng(0)
        for name in (*self.direct.parameters, *self.bias.parameters, *self.inertia.parameters):
            if name not in self.numbers:
                self.numbers = {**self.numbers, name: float(rng.uniform(0.5, 1.5))}
        residual = self._residual()
        balanced = np.abs(residual) * self._units() <= UNBALANCED * self._largest_torque()
        if not balanced.all():
            names = self.states[len(residual) :]
            remaining = ", ".join(
                f"{residual[k]:.3g} ({name.replace('qd', 'q')})"
                for k, name in enumerate(names)
                if not balanced[k]
            )
            raise ArgumentError(
                f"the state is not an equilibrium: torques or forces in N m or N remain: {remaining}",
                hint="choose q so that the joints without drive are in balance, or give the torques tau",
            )

    def _units(self) -> Array:
        """Return the unit of each generalised coordinate, by which forces become torques: 1, or the robot's length."""
        length = characteristic_length(self.robot, self.numbers)
        return np.array(
            [
                *([length] * 3 + [1.0] * 3 if self.floating else []),
                *joint_units(self.robot, map(int, self.joints), length),
                *(1.0 if name.startswith("et") else length for name in mode_names(self.robot)),
            ]
        )

    def _residual(self) -> Array:
        """Return the generalised forces that remain: inertia times acceleration."""
        outputs = self._numeric(self.direct, tau=self._known_torques())
        names = ["Vd0"] * self.floating + ["qdda" if self.robot.B else "qdd"] + ["edd"] * self.flexible
        acceleration = np.concatenate([outputs[name] for name in names])
        return np.asarray(self._numeric(self.inertia)["A"] @ acceleration)

    def _known_torques(self) -> Array:
        tau = self.torques()
        if tau is None:
            raise ArgumentError(
                "the static deflection of the flexible links needs numbers for all parameters",
                hint="give numbers as values={...}, or the modes e",
            )
        return tau

    def _largest_torque(self) -> float:
        """Return the largest torque, or force times the robot's length, that acts here or as gravity in other postures.

        A hanging pendulum, and a body that a thrust carries, have torques of the size of rounding errors, which are not
        a scale; floating bases are turned as well. The posture of closed loops cannot be changed freely.
        """
        units, first = self._units(), 6 if self.floating else 0
        of_joints = units[first : first + len(self.joints)]
        acting = [np.abs(self._numeric(self.bias)["H"]) * units, np.abs(self._known_torques()) * of_joints]
        q = np.array([f.value(self.numbers) for f in self.q])
        if not self.robot.B:
            frames = [self.robot.frame(j) for j in independent(self.robot)]
            springs = [frame.k.value(self.numbers) if frame.eta else 0.0 for frame in frames]
            rest = [frame.rest.value(self.numbers) for frame in frames]
            acting.append(np.abs(springs * (q - rest)) * of_joints)
        for offset in (
            1.0,
            2.0,
        ):  # units of the coordinates; two, because one posture may be balanced as well
            turned = from_quaternion([np.cos(offset / 2), *np.sin(offset / 2) * OBLIQUE])
            other = {"q": q if self.robot.B else q + offset * of_joints, "R0": turned}
            acting.append(np.abs(self._numeric(self.bias, **other)["H"]) * units)
        return float(np.max(np.concatenate(acting), initial=0.0))

    def _static_modes(self) -> Array:
        """Return the deflections e of the flexible links at rest: the generalised forces of the modes are zero."""
        from scipy.optimize import root

        count = len(self._symbols("e"))

        def forces(e: Array) -> Array:
            self.start = {**self.start, "e": e}
            return self._residual()[-count:]

        return np.asarray(root(forces, np.zeros(count), tol=1e-14).x)


def _substituted(program: Program, graph: Graph, leaves: Mapping[str, int]) -> dict[str, list[int]]:
    """Copy a program into a graph with expressions for the entries of its inputs, and return its outputs."""
    copy = _Substitution(program, graph, leaves)
    copy.copy_all(program.nodes)
    return {out.name: [copy.lit(lit) for lit in out.lits] for out in program.outputs}


class _Substitution(Rebuild):
    """Copier of a program into an existing graph that replaces the entries of inputs by expressions."""

    def __init__(self, program: Program, graph: Graph, leaves: Mapping[str, int]) -> None:
        super().__init__(program)
        self.new, self._leaves = graph, leaves

    def leaf(self, i: int) -> None:
        if self.old.op[i] == ops.SYMBOL and self.old.cls[i] == ops.VARIABLE:
            self.map[i] = self._leaves[self.old.args[i][0]]
        else:
            super().leaf(i)
