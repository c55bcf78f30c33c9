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

from symoro.emit.code import without_guards
from symoro.errors import ArgumentError, NotApplicableError
from symoro.expr import ops
from symoro.expr.formula import Formula, exact_angle, formula
from symoro.expr.graph import ONE, ZERO, Graph
from symoro.model import Model, generate
from symoro.models.geometric.loop.mechanism import active_joints
from symoro.models.numeric.rotation import from_quaternion
from symoro.program.count import long_entry
from symoro.program.interpret import interpret
from symoro.program.passes.rebuild import Rebuild
from symoro.program.pipeline import optimise
from symoro.program.program import Output, Program
from symoro.robot.coordinates import independent
from symoro.robot.description import GEOMETRIC, WRENCH, BaseKind, JointType, Robot
from symoro.robot.flexibility import flexible_links, mode_names
from symoro.robot.formats import RobotLike, as_robot
from symoro.robot.size import characteristic_length, joint_units
from symoro.robot.topology import moving_joints
from symoro.simulation.mechanics import Mechanics
from symoro.simulation.simulate import check_values
from symoro.simulation.tolerances import FORCE_ROUND_OFF, UNBALANCED
from symoro.trajectory.prescribed import check_rates, check_steady

Array = NDArray[np.float64]
# Two joints with parameters, three with numbers: with more states the coefficients of s fill pages.
MOST_SYMBOLIC_STATES, MOST_STATES = 4, 6
OBLIQUE = np.array([1.0, 2.0, 3.0]) / np.sqrt(
    14.0
)  # axis about which gravity turns with respect to a floating base
DECIMAL_DIGITS = 15  # of a number in double precision
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
                hint="give numbers as values={...}; the attribute model contains A and B with symbols",
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
        coefficients = np.asarray(numerator[0])
        response = self.B[:, column]  # c A^k b = 0 for k < m: the relative degree is larger than m
        for k in range(len(self.states)):
            if response[row] != 0:
                break
            coefficients[: k + 2] = 0.0  # otherwise rounding errors, which would be additional zeros
            response = self.A @ response
        return coefficients, np.asarray(denominator)

    def symbolic_transfer_function(self, output: str, drive: str) -> Any:
        """Return the transfer function from a drive to a state with symbols, as a SymPy expression of s.

        G(s) = c (s 1 - A)^-1 b, by Cramer's rule, as a ratio of polynomials in s whose common factors are cancelled.
        Decimals are converted to fractions for the division; factors that are equal only within their rounding are not
        cancelled. Coefficients that are decimals are divided by the largest one.

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
                hint="transfer_function() computes its coefficients as numbers",
            )
        if "s" in self.model.parameters:
            raise NotApplicableError(
                "a parameter has the name s, which is the variable of transfer functions"
            )
        s = sympy.Symbol("s")
        too_long = long_entry(self.model.program, LONGEST_ENTRY)
        if not self.model.parameters:
            A, B = (sympy.Matrix(*m.shape, [sympy.Rational(x) for x in m.flat]) for m in (self.A, self.B))
        elif too_long:
            operations, where = too_long
            raise NotApplicableError(
                f"a symbolic transfer function is too long: {where} has {operations} operations (at most "
                f"{LONGEST_ENTRY})",
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
        return _with_decimals(sympy.cancel(ratio))

    def __str__(self) -> str:
        head = f"x = ({', '.join(self.states)}), u = ({', '.join(self.drives)})"
        with np.printoptions(precision=6, suppress=True, linewidth=120, threshold=10_000):
            return f"{head}\nA =\n{self.A}\nB =\n{self.B}\neigenvalues =\n{self.eigenvalues()}"


def _with_decimals(ratio: Any) -> Any:
    """Return a quotient of polynomials with decimals in place of integers that have more digits than decimals."""
    import sympy

    parts = [part.as_coefficients_dict() for part in map(sympy.expand, ratio.as_numer_denom())]
    largest = max(abs(c) for part in parts for c in part.values())
    if largest < 10**DECIMAL_DIGITS:
        return ratio
    numerator, denominator = (
        sympy.Add(*(sympy.Float(c / largest, DECIMAL_DIGITS) * term for term, c in part.items()))
        for part in parts
    )
    return numerator / denominator


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

    External wrenches with symbols are inputs: they are zero unless their symbols have numbers.

    Raises:
        ArgumentError: the state is not an equilibrium; the message contains the remaining torques.
        NotApplicableError: the robot has wheels, joints with a prescribed motion or torque, or a base with respect to
            which gravity turns.
        UnknownNameError: a name in `values` is not a symbol of the robot.
    """
    described = as_robot(robot)
    check_values(described, values or {})
    numbers = {**dict(described.nominal), **(values or {})}
    _check_applicable(described, numbers)
    described = _with_constants(described, numbers)
    point = _Equilibrium(described, numbers, q, tau, start)
    point.check()
    program = point.program()
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


def _check_applicable(robot: Robot, numbers: Mapping[str, float]) -> None:
    """Reject wheels, joints with a prescribed motion or torque, and bases with respect to which gravity turns."""
    if robot.wheels:
        raise NotApplicableError(
            f"linearise does not apply to robot '{robot.name}': it has wheels, whose rolling constraints have no "
            "linear model in minimal coordinates"
        )
    check_rates(robot)
    check_steady(robot, numbers)
    for j in moving_joints(robot):
        if robot.frame(j).GAM is not None:
            raise NotApplicableError(
                f"robot '{robot.name}' fixes the torque of joint {j} (GAM = {robot.frame(j).GAM}), which cannot be an "
                "input of the linear model",
                hint="leave out GAM, and give the torques tau",
            )


def _with_constants(robot: Robot, numbers: Mapping[str, float]) -> Robot:
    """Return a robot with numbers for the symbols that determine its equilibrium and are not parameters of A and B.

    These are the lengths of closed loops, because the positions that close them are numbers, and external wrenches and
    the motion of the base, which are inputs of the models. Inputs without a number are zero.
    """
    base = robot.base
    given = [getattr(link, name) for link in (base.link, *robot.links) for name in WRENCH]
    given += [*base.V0, *base.W0, *base.VP0, *base.WP0]
    if robot.B:
        given += [getattr(frame, name) for frame in robot.frames for name in GEOMETRIC]
    return robot.bind({name: numbers[name] for f in given for name in f.symbols if name in numbers})


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
        self.bias = generate(robot, "bias-torques")
        self.velocity = "qda" if robot.B else "qd"
        self.joints = [symbol.removeprefix("qd") for symbol in self._symbols(self.velocity)]
        self.start = self._checked_start(start)
        self.rotation = from_quaternion(self.start.get("Q0", [1.0, 0.0, 0.0, 0.0]))
        self.q = self._positions(q)
        self.driven = self._driven()
        self.given = self._given_torques(tau)
        if self.flexible and "e" not in self.start:
            self.start = {**self.start, "e": self._static_modes()}

    @cached_property
    def derivatives(self) -> Model:
        """Model with the derivatives of the accelerations; its derivation takes longer than that of the others."""
        if self.flexible:
            return generate(self.robot, "direct-dynamics").derivative("jacobian")
        return generate(self.robot, "direct-dynamics-derivatives")

    def _checked_start(self, start: Mapping[str, ArrayLike]) -> dict[str, Array]:
        sizes = {"e": len(self._symbols("e"))} if self.flexible else {}
        sizes |= {"Q0": 4} if self.floating else {}
        checked = {}
        for name, value in start.items():
            if name not in sizes:
                raise ArgumentError(f"robot '{self.robot.name}' has no state '{name}'")
            array = np.asarray(value, dtype=float)
            if array.shape != (sizes[name],) or not np.isfinite(array).all():
                raise ArgumentError(
                    f"{name} has shape {array.shape} or is not finite, expected {sizes[name]} numbers"
                )
            if name == "Q0" and not np.linalg.norm(array) > 0:
                raise ArgumentError("the quaternion Q0 is zero")
            checked[name] = array
        return checked

    def _symbols(self, port: str) -> tuple[str, ...]:
        return next(p.symbols for p in self.bias.program.inputs if p.name == port)

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
        frames = [self.robot.frame(j) for j in independent(self.robot)]
        return [
            exact_angle(f) if frame.sigma == JointType.REVOLUTE else f
            for f, frame in zip(formulas, frames, strict=True)
        ]

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
        leaves: dict[str, int] = {}
        for port in program.inputs:
            for k, symbol in enumerate(port.symbols):
                if port.name == "tau":
                    leaves[symbol] = ZERO if torques is None else torques[k]
                elif port.name == "R0":
                    leaves[symbol] = graph.number(float(self.rotation.flat[k]))
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
            for i in range(3):
                rows[i][:3] = [graph.number(float(x)) for x in self.rotation[i]]
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
            name=f"{self.bias.program.name.removesuffix('_bias_torques')}_linearisation",
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

    def torques(self, numbers: Mapping[str, float] | None = None) -> Array | None:
        """Return the torques at the equilibrium, as numbers; None if a parameter has no value.

        Args:
            numbers: values of the parameters; by default the known ones.
        """
        known = self.numbers if numbers is None else numbers
        if self.given is not None:
            return self.given
        if not set(self.bias.parameters) <= known.keys():
            return None
        first = 6 if self.floating else 0
        H = self._bias(known)[first : first + len(self.driven)]
        return np.asarray(np.where(self.driven, H, 0.0))

    def _bias(self, numbers: Mapping[str, float], **other: Array) -> Array:
        """Return the generalised forces H of the model `bias-torques` at rest.

        Args:
            numbers: values of the parameters.
            other: entries of the state that differ from the equilibrium (q, R0).
        """
        inputs: dict[str, Any] = {name: np.zeros(shape) for name, shape in self.bias.inputs.items()}
        state = {"q": self._posture(numbers), "R0": self.rotation, **self.start, **other}
        inputs |= {name: value for name, value in state.items() if name in inputs}
        known = {name: numbers[name] for name in self.bias.parameters}
        return np.asarray(interpret(self.bias.program, inputs, known)["H"])

    def _posture(self, numbers: Mapping[str, float]) -> Array:
        return np.array([position.value(dict(numbers)) for position in self.q])

    def check(self) -> None:
        """Check that no generalised force remains: the torques of the drives are equal to H.

        Parameters without a value have random numbers of the order of 1: an equilibrium that holds for some values only
        is rejected.

        Raises:
            ArgumentError: the state is not an equilibrium, or the configuration is singular.
        """
        rng = np.random.default_rng(0)
        names = {*self.bias.parameters, *(name for position in self.q for name in position.symbols)}
        unknown = sorted(names - self.numbers.keys())
        numbers = {**self.numbers, **{name: float(rng.uniform(0.5, 1.5)) for name in unknown}}
        H, tau = self._bias(numbers), self.torques(numbers)
        if not np.isfinite(H).all():
            raise ArgumentError(
                "the model has no value at the equilibrium: the configuration is singular, or has another assembly "
                "mode than the one for which the model is derived",
                hint="choose other positions q",
            )
        forces = np.zeros(len(H))
        first = 6 if self.floating else 0
        forces[first : first + len(self.driven)] = tau
        tolerances = self._tolerances(numbers, np.maximum(abs(forces), abs(H)))
        remaining = np.flatnonzero(~(np.abs(forces - H) <= tolerances))  # NaN is not an equilibrium
        if remaining.size:
            states = [name.replace("qd", "q") for name in self.states[len(H) :]]
            if unknown:
                where = "torques or forces remain for some values of the parameters: "
                where += ", ".join(states[k] for k in remaining)
            else:
                torques = (f"{forces[k] - H[k]:.3g} ({states[k]})" for k in remaining)
                where = f"torques or forces in N m or N remain: {', '.join(torques)}"
            raise ArgumentError(
                f"the state is not an equilibrium: {where}",
                hint="choose q so that the joints without drive (passive, elastic) are in balance, or give the torques "
                "tau",
            )

    def _tolerances(self, numbers: Mapping[str, float], acting: Array) -> Array:
        """Return the generalised forces that are negligible, one per coordinate.

        Each is relative to the largest force on its own coordinate in this posture and in others. One posture is not
        sufficient: the torques of a hanging pendulum, or of a body in balance with a thrust, are rounding errors.
        The rounding errors themselves are relative to the forces on all coordinates, in units of the robot's length.
        The posture of closed loops is not changed, because the loops would open.

        Args:
            acting: largest absolute value of the forces at the equilibrium, one per coordinate.
        """
        length = characteristic_length(self.robot, numbers)
        q = self._posture(numbers)
        steps = np.array(joint_units(self.robot, independent(self.robot), length))
        for offset in (1.0, 2.0):  # rad, or lengths of the robot; two, because one may be balanced as well
            turned = from_quaternion([np.cos(offset / 2), *np.sin(offset / 2) * OBLIQUE])
            posture = q if self.robot.B else q + offset * steps
            acting = np.maximum(acting, abs(self._bias(numbers, q=posture, R0=turned)))
        joints = active_joints(self.robot) if self.robot.B else independent(self.robot)
        base = [length] * 3 + [1.0] * 3 if self.floating else []
        modes = [1.0 if name.startswith("et") else length for name in mode_names(self.robot)]
        units = np.array([*base, *joint_units(self.robot, joints, length), *modes])
        # The entries of a vector depend on the axes: the largest one counts.
        groups = [slice(0, 3), slice(3, 6)] if self.floating else []
        for group in (*groups, slice(len(base) + len(joints), None)):
            acting[group] = acting[group].max(initial=0.0)
        rounding = FORCE_ROUND_OFF * (acting * units).max(initial=0.0) / units
        return np.asarray(UNBALANCED * acting + rounding)

    def _static_modes(self) -> Array:
        """Return the deflections e of the flexible links at rest: the generalised forces of the modes are zero."""
        from scipy.optimize import root

        if not set(self.bias.parameters) <= self.numbers.keys():
            raise ArgumentError(
                "the static deflection of the flexible links needs numbers for all parameters",
                hint="give numbers as values={...}, or the modes e",
            )
        count = len(self._symbols("e"))

        def forces(e: Array) -> Array:
            self.start = {**self.start, "e": e}
            return self._bias(self.numbers)[-count:]

        return np.asarray(root(forces, np.zeros(count), tol=1e-14).x, dtype=float)


def _substituted(program: Program, graph: Graph, leaves: Mapping[str, int]) -> dict[str, list[int]]:
    """Copy a program into a graph with expressions for the entries of its inputs, and return its outputs."""
    program = without_guards(program)  # the configuration is not singular, as the check has shown
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
