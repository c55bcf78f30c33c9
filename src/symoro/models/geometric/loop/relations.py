"""Closed-form solution of loops: passive joints from the active ones, one loop after another.

The loop with the fewest unknowns is solved first; its joints are known for the following loops. Each loop is first
tested for a parallelogram, then solved by Paul's method, as an inverse geometric model whose pose is the unit matrix.
If that fails, a loop with six unknowns is solved by elimination and eigenvalues.

The solution steps contain symbols (Sj, Cj, qj of every solved joint), and `assemblies.py` expands them into the
assembly modes. Models that require only the loops use `solved_loops`.

W. Khalil, D. Creusot, "SYMORO+: a system for the symbolic modelling of robots", Robotica 15, 1997, section 3.4.

Loops of six unknowns have up to sixteen assembly modes:

    M0 V1 M1 V2 .. V6 M6 = 1     <=>     V1 C1 .. V6 C6 = 1,   Ci = Mi (i < 6),   C6 = M6 M0

Vi = Rz(+-qi) or Tz(+-qi); the constants Mi contain the known joints. The kernel `closed_chain` solves this equation,
arranged in one of twelve ways; the arrangement is chosen by trials on closed configurations.

M. Raghavan, B. Roth, "Inverse kinematics of the general 6R manipulator and related linkages", ASME J. Mechanical
Design 115, 1993.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symoro.errors import NotApplicableError
from symoro.expr.linalg import identity
from symoro.expr.scalar import Expr, Scalar, absolute, atan2
from symoro.models.coordinates.couplings import coupled_positions, uncoupled
from symoro.models.geometric.inverse.branches import differences, joint_sine_cosine
from symoro.models.geometric.inverse.chain.chain import (
    Chain,
    Linear,
    PathMotion,
    Unknown,
    chain_of,
    motions_between,
    size_of,
)
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.geometric.inverse.explain import derivation
from symoro.models.geometric.inverse.paul.equations import Equations
from symoro.models.geometric.inverse.paul.paul import Paul
from symoro.models.geometric.inverse.step import Step
from symoro.models.geometric.loop.forms import AngleSum
from symoro.models.geometric.loop.mechanism import (
    joint_unknown,
    loop_path,
    passive_joints,
)
from symoro.models.geometric.loop.parallelogram import parallelogram
from symoro.program.builder import Builder
from symoro.program.program import Sentence, Stage
from symoro.robot.coordinates import relation
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import Loop, loops

if TYPE_CHECKING:
    from symoro.models.geometric.loop.postures import ClosedPostures
from typing import TYPE_CHECKING, Any

from symoro.expr.evaluate import evaluate
from symoro.expr.linalg import Matrix, matmul
from symoro.expr.scalar import cos, sin, symbol
from symoro.models.geometric.inverse.finite import in_units
from symoro.models.geometric.inverse.general.general import NO_POSTURE, SLOTS, WIDTH

JOINTS = 6
AT_ONCE = 0  # type of a step that solves all unknowns together


def general_step(
    builder: Builder,
    robot: Robot,
    motions: Sequence[PathMotion],
    active: Mapping[int, Expr],
    solved: Mapping[int, Unknown],
    joints: Mapping[int, Unknown],
    size: Expr,
) -> tuple[Step, Expr] | None:
    """Solve a loop with six unknown joints by elimination and eigenvalues.

    Args:
        motions: path around the loop, with the active and the solved joints as constants.
        active: input symbols of the active joints, by joint number.
        solved: joints that other loops determine, by joint number.
        joints: unknown joints, by joint number.
        size: length by which the kernel's lengths are divided.

    Returns:
        The solution step and the symbol of its residual; None if the method does not apply.
    """
    # Imported here because they load NumPy, which the catalogue does not require.
    from symoro.models.geometric.inverse.general.plan import FIRST, SECOND, plan
    from symoro.models.geometric.loop.postures import closed_postures

    joint_motions = [motion for motion in motions if motion.joint]
    if len(joint_motions) != JOINTS:
        return None
    constants = _constants(motions)
    kinds = [int(not motion.turns) for motion in joint_motions]
    postures = closed_postures(robot, FIRST + SECOND, nominal=True)
    scaled = [x for matrix in constants for row in in_units(matrix, size) for x in row]
    literals = [builder.number(x).lit for x in scaled]
    try:
        chosen = plan(kinds, _Samples(builder, postures, active, solved, joint_motions, literals, size).draw)
    except NotApplicableError:
        return None
    results = builder.call("closed_chain", [Expr(builder.graph, lit) for lit in literals], kinds, chosen)
    return _step(builder, joint_motions, joints, results, size)


def _constants(motions: Sequence[PathMotion]) -> list[Matrix]:
    """Return the constant transforms C1 to C6 of the loop equation V1 C1 .. V6 C6 = 1.

    V1 to V6 are the transforms of the six unknown joints.

    Args:
        motions: elementary motions around the loop.
    """
    between = [identity(4)]
    for motion in motions:
        if motion.joint:
            between.append(identity(4))
        else:
            between[-1] = matmul(between[-1], motion.matrix)
    return [*between[1:-1], matmul(between[-1], between[0])]


class _Samples:
    """Closed configurations with which the settings of the kernel `closed_chain` are determined.

    Attributes:
        constants: (S, 72) constants of the loop at S configurations.
        values: (S, 6) joint positions.
    """

    def __init__(
        self,
        builder: Builder,
        postures: ClosedPostures,
        active: Mapping[int, Expr],
        solved: Mapping[int, Unknown],
        joint_motions: Sequence[PathMotion],
        literals: Sequence[int],
        size: Expr,
    ) -> None:
        import numpy

        graph = builder.graph
        variables: dict[str, Any] = {}
        for j, q in active.items():
            variables[graph.args[q.lit >> 1][0]] = postures.joints[j]
        for j, unknown in solved.items():
            values = postures.joints[j]
            for name, of in zip(unknown.symbols, (numpy.sin, numpy.cos), strict=False):
                variables[graph.args[name.lit >> 1][0]] = of(values) if unknown.turns else values
            variables[graph.args[unknown.length.lit >> 1][0]] = values
        *evaluated, length = evaluate(graph, [*literals, size.lit], postures.parameters, variables)
        count = len(postures.joints[joint_motions[0].joint])
        self.constants = numpy.array([numpy.broadcast_to(x, (count,)) for x in evaluated]).T
        units = [1 if motion.turns else length for motion in joint_motions]
        signed = [motion.sign * postures.joints[motion.joint] for motion in joint_motions]
        self.values = numpy.array([q / unit for q, unit in zip(signed, units, strict=True)]).T
        self.next = 0

    def draw(self, _: Any) -> tuple[Sequence[float], Sequence[float]]:
        k = self.next % len(self.values)
        self.next += 1
        return self.constants[k].tolist(), self.values[k].tolist()


def _step(
    builder: Builder,
    joint_motions: Sequence[PathMotion],
    joints: Mapping[int, Unknown],
    results: Sequence[Expr],
    size: Expr,
) -> tuple[Step, Expr]:
    """Return the solution step of a loop with six unknown joints, with sixteen branches.

    If there is no solution, the first branch has the status 'out of reach' and the others 'no solution'.

    Args:
        joint_motions: the six joints on the path around the loop.
        joints: their symbols, by joint number.
        results: outputs of the kernel: for each branch six joint positions and the closure error.
        size: length by which the kernel's lengths are divided.

    Returns:
        The step, and the symbol of the closure error.
    """
    number = builder.number
    defect, filled = (
        symbol(builder.graph, f"{name}{joint_motions[0].joint}") for name in ("defect", "filled")
    )
    branches = []
    for k in range(SLOTS):
        *values, miss = results[WIDTH * k : WIDTH * (k + 1)]
        branch = {defect.lit: miss, filled.lit: number(1) if k else 1 - miss / NO_POSTURE}
        for motion, value in zip(joint_motions, values, strict=True):
            own, q = joints[motion.joint], motion.sign * value * (1 if motion.turns else size)
            branch |= {own.sine.lit: number(sin(q)), own.cosine.lit: number(cos(q)), own.length.lit: q}
        branches.append(branch)
    return Step(AT_ONCE, tuple(joints.values()), (), (), tuple(branches), reach=(filled,)), defect


WHOLE = ((True,) * 4,) * 3
NAMING = 0  # type of a step without an equation: it computes single joints from sums of joints


def loop_name(loop: Loop) -> str:
    """Return the name of a loop: the numbers of its two cut frames, for example '7-9'."""
    return f"{loop.left}-{loop.right}"


@dataclass(frozen=True)
class SolvedLoop:
    """Closed loop that is solved in closed form.

    Attributes:
        loop: the loop.
        joints: joints that the loop determines, by number, with the symbols Sj, Cj, qj that the steps define.
        steps: solution steps in order; the choices of each step are its branches.
        differences: closure errors, as expressions of the symbols of the steps.
        linear: for a parallelogram, the joints that are linear in others (on the first branch), by number.
        how: description of the method.
        stages: derivation for the user.
    """

    loop: Loop
    joints: Mapping[int, Unknown]
    steps: tuple[Step, ...]
    differences: tuple[Expr, ...]
    linear: Mapping[int, Linear]
    how: str
    stages: tuple[Stage, ...]

    @property
    def name(self) -> str:
        return loop_name(self.loop)

    @property
    def modes(self) -> int:
        count = 1
        for step in self.steps:
            count *= len(step.choices)
        return count

    @property
    def sentence(self) -> str:
        """Sentence for the user: which joints the loop determines, by which method, and the number of modes."""
        joints = ", ".join(f"q{j}" for j in self.joints)
        return f"loop {self.name} solved for {joints} {self.how}: {self.modes} mode{'s' * (self.modes > 1)}"


@dataclass(frozen=True)
class LoopRelations:
    """Closed-form solution of the loops of a robot.

    Attributes:
        solved: solved loops, in the order of solution.
        unsolved: loops without a closed form.
    """

    solved: tuple[SolvedLoop, ...]
    unsolved: tuple[Loop, ...]

    @property
    def linear(self) -> dict[int, Linear]:
        """Linear functions for the joints of loops with a single assembly mode, by joint number."""
        return {j: law for one in self.solved if one.modes == 1 for j, law in one.linear.items()}

    @property
    def joints(self) -> dict[int, Unknown]:
        return {j: unknown for one in self.solved for j, unknown in one.joints.items()}


def solved_loops(
    builder: Builder,
    robot: Robot,
    active: Mapping[int, Expr],
    start: Mapping[int, Expr],
    *,
    every_mode: bool = False,
) -> LoopRelations:
    """Solve the closed loops of a robot for the passive joints, in closed form.

    Args:
        active: input symbols of the active joints, by joint number.
        start: positions of joints that are free in a singular configuration, by joint number.
        every_mode: whether the crossed mode of parallelograms is included.

    Raises:
        NotApplicableError: the loops cannot close, or the active joints do not determine them.
    """
    # Imported here because it loads NumPy, which the catalogue does not require.
    from symoro.models.geometric.loop.postures import closed_postures

    loop_motions(
        builder, robot
    )  # declares parameters in the order of the loops, independently of the order of solution
    postures = closed_postures(robot, crossed=every_mode)
    check_drive(robot, postures)
    return _Search(builder, robot, active, start, postures, every_mode).relations()


def has_crossed_modes(robot: Robot, modes: str) -> bool:
    """Return whether crossed parallelograms are included in a model.

    They are included if the option `modes` is 'all', or if a parallelogram is crossed in the posture 'home'.
    """
    from symoro.models.geometric.loop.parallelogram import crossed_at_home

    return modes == "all" or crossed_at_home(robot)


def loop_motions(builder: Builder, robot: Robot) -> list[PathMotion]:
    """Return the elementary motions around all loops, with every joint as an unknown."""
    free = uncoupled(robot)
    return [
        part for loop in loops(robot) for part in motions_between(builder, free, loop.right, loop.left, {})
    ]


def unsolved_error(robot: Robot, relations: LoopRelations) -> NotApplicableError:
    """Return the error "no closed form exists" for the unsolved loops of a robot; the caller raises it."""
    names = ", ".join(map(loop_name, relations.unsolved))
    return NotApplicableError(
        f"no closed form exists for loop {names} of robot '{robot.name}'",
        hint="use method='numeric', which follows one assembly mode by Newton's method from the configuration q0",
    )


def check_drive(robot: Robot, postures: ClosedPostures) -> None:
    """Check that the active joints are independent and determine all passive joints.

    Args:
        postures: sampled configurations with closed loops, with the ranks of the closure Jacobian.

    Raises:
        NotApplicableError: the active joints are dependent, or they do not determine all passive joints.
    """
    passive = len(passive_joints(robot))
    if postures.passive_rank < passive:
        missing = passive - postures.passive_rank
        raise NotApplicableError(
            f"the active joints of robot '{robot.name}' leave {missing} degree{'s' if missing > 1 else ''} "
            "of freedom of its loops undetermined",
            hint=f"{_suitable_joints(robot)}; or use method='numeric', which remains near q0",
        )
    if postures.rank > postures.passive_rank:
        raise NotApplicableError(
            f"the active joints of robot '{robot.name}' are not independent: the loops do not allow "
            "arbitrary positions of them",
            hint=_suitable_joints(robot),
        )


def _suitable_joints(robot: Robot) -> str:
    """Return a hint that names joints of the loops that can be active together."""
    from symoro.models.geometric.loop.mobility import fitting_joints

    joints = fitting_joints(robot)
    if not joints:
        return "its loops do not allow any motion"
    named = f"joint{'s' if len(joints) > 1 else ''} {', '.join(map(str, joints))}"
    return f"make {named} active (mu = 1) and all other joints of its loops passive"


class _Search:
    def __init__(
        self,
        builder: Builder,
        robot: Robot,
        active: Mapping[int, Expr],
        start: Mapping[int, Expr],
        postures: ClosedPostures,
        every_mode: bool,
    ) -> None:
        self.builder = builder
        self.robot = robot
        self.active = active
        self.start = start
        self.postures = postures
        self.every_mode = every_mode
        self.joints: dict[int, Unknown] = {}
        # Joints that parallelograms without a crossed mode make linear.
        self.laws: dict[int, AngleSum] = {}
        every = loop_motions(builder, robot)
        self.probes = Probes(builder, every)
        self.probes.parameters.update(postures.parameters)
        for j, q in active.items():
            self.probes.set(q, postures.joints[j])
        slides = [q for j, q in active.items() if robot.frame(j).sigma == JointType.PRISMATIC]
        self.size = size_of(builder, every, slides)
        self.probes.measure(self.size)

    def relations(self) -> LoopRelations:
        left = loops(self.robot)
        solved: list[SolvedLoop] = []
        while left:
            left.sort(key=lambda loop: (len(self._unknown(loop)), loop.left))
            solved_loop = next((one for loop in left if (one := self._solve(loop)) is not None), None)
            if solved_loop is None:
                break
            solved.append(solved_loop)
            self._learn(solved_loop)
            left = [loop for loop in left if loop != solved_loop.loop]
        return LoopRelations(tuple(solved), tuple(left))

    def _known(self) -> dict[int, Scalar]:
        """Return the positions of the known joints, by joint number.

        The known joints are the active joints and the joints that are coupled to active or already solved ones.
        """
        known: dict[int, Scalar] = dict(self.active)
        positions = {**known, **{j: unknown.length for j, unknown in self.joints.items()}}
        return known | coupled_positions(self.robot, positions, self.builder.formula)

    def _unknown(self, loop: Loop) -> list[int]:
        known = self._known()
        frames = [j for j in loop.frames if self.robot.frame(j).moving]
        return sorted(j for j in frames if j not in known and j not in self.joints)

    def _solve(self, loop: Loop) -> SolvedLoop | None:
        """Solve one loop by the first method that applies; return None if no method does."""
        joints = {j: joint_unknown(self.builder, self.robot, j) for j in self._unknown(loop)}
        if any(relation(self.robot, j) for j in joints):
            return None
        return self._parallelogram(loop, joints) or self._paul(loop, joints) or self._general(loop, joints)

    def _parallelogram(self, loop: Loop, joints: Mapping[int, Unknown]) -> SolvedLoop | None:
        if any(relation(self.robot, j) for j in loop.frames):
            return None
        every = loop_path(self.builder, uncoupled(self.robot), loop, {}, {})
        chain = chain_of(self.builder, every, identity(4), self.probes.vanishes, size=self.size)
        known = {**self.active, **{j: unknown.length for j, unknown in self.joints.items()}}
        relations = parallelogram(
            self.builder, self.probes, chain, known, joints, self.laws, every_mode=self.every_mode
        )
        if relations is None:
            return None
        if not self.every_mode:
            self.laws |= relations.forms
        sentences: list[Sentence] = [
            (joints[j].length, "=", relation.value(known)) for j, relation in relations.linear.items()
        ]
        if len(relations.step.choices) > 1:
            sentences.append(("crossed: two sides reflected at the diagonal",))
        stage = Stage(f"loop {loop_name(loop)}: parallelogram", tuple(sentences))
        return SolvedLoop(
            loop, joints, (relations.step,), relations.differences, relations.linear, relations.how, (stage,)
        )

    def _paul(self, loop: Loop, joints: Mapping[int, Unknown]) -> SolvedLoop | None:
        motions = loop_path(self.builder, self.robot, loop, self._known(), self.joints)
        chain = self._chain(motions)
        equations = Equations(chain, self.probes, WHOLE)
        steps, left = Paul(self.builder, self.probes, equations, self.start).steps()
        if left:
            return None
        types = ", ".join(f"{'type ' if k == 0 else ''}{step.type}" for k, step in enumerate(steps))
        closing = tuple(differences(self.builder, chain, WHOLE))
        named = (*steps, self._naming(chain, steps, joints))
        stages = tuple(
            Stage(f"loop {loop_name(loop)}, {stage.title}", stage.sentences) for stage in derivation(steps)
        )
        return SolvedLoop(loop, joints, named, closing, {}, f"by Paul's method, {types}", stages)

    def _general(self, loop: Loop, joints: Mapping[int, Unknown]) -> SolvedLoop | None:
        motions = loop_path(self.builder, self.robot, loop, self._known(), self.joints)
        step_and_residual = general_step(
            self.builder, self.robot, motions, self.active, self.joints, joints, self.size
        )
        if step_and_residual is None:
            return None
        step, defect = step_and_residual
        how = "by elimination and eigenvalues, rows sorted by joint positions, empty rows last"
        names = ", ".join(f"q{j}" for j in joints)
        stage = Stage(f"loop {loop_name(loop)}, {names}: elimination and eigenvalues, up to 16 solutions", ())
        return SolvedLoop(loop, joints, (step,), (defect,), {}, how, (stage,))

    def _chain(self, motions: Sequence[PathMotion]) -> Chain:
        """Return the equation of a loop and set its unknowns to the sampled closed configurations.

        Args:
            motions: elementary motions around the loop.
        """
        import numpy

        chain = chain_of(self.builder, motions, identity(4), self.probes.vanishes, size=self.size)
        for unknown in chain.unknowns:
            if unknown.turns:
                angle = sum(sign * self.postures.joints[j] for j, sign in unknown.parts)
                self.probes.set(unknown.sine, numpy.sin(angle))
                self.probes.set(unknown.cosine, numpy.cos(angle))
            else:
                self.probes.set(unknown.length, self.postures.joints[unknown.joint])
        return chain

    def _naming(self, chain: Chain, steps: Sequence[Step], joints: Mapping[int, Unknown]) -> Step:
        """Return the step that computes single joint angles from the solved sums of parallel joint angles.

        The step defines sine, cosine and position of each joint. If the loop cannot close, a negative radicand is
        replaced by zero, so that the loop may seem closed although s^2 + c^2 differs from 1; the step's checks exclude
        this.

        Args:
            chain: equation of the loop.
            steps: steps that determine the sums.
            joints: symbols of the single joints, by joint number.
        """
        lines: list[tuple[Expr, Expr]] = []
        number = self.builder.number
        for unknown in chain.unknowns:
            own = joints[unknown.joint]
            if own.turns:
                s, c = joint_sine_cosine(unknown)
                lines += [(own.sine, number(s)), (own.cosine, number(c))]
                lines.append((own.length, number(atan2(own.sine, own.cosine))))
            else:
                lines.append((own.length, unknown.length))
        rooted = [u for step in steps if step.meets for u in step.unknowns if u.turns]
        checks = [number(absolute(u.sine * u.sine + u.cosine * u.cosine - 1)) for u in rooted]
        return Step(NAMING, tuple(joints.values()), (), tuple(lines), checks=tuple(checks))

    def _learn(self, solved_loop: SolvedLoop) -> None:
        """Treat the joints of a solved loop as known when the following loops are solved."""
        import numpy

        for j, unknown in solved_loop.joints.items():
            self.joints[j] = unknown
            values = self.postures.joints[j]
            self.probes.set(unknown.length, values)
            if unknown.turns:
                self.probes.set(unknown.sine, numpy.sin(values))
                self.probes.set(unknown.cosine, numpy.cos(values))
