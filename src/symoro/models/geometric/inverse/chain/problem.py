"""Inverse geometry problem of a robot: its chain, the given pose, and random samples to test identities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from symoro.errors import NotApplicableError, OptionError
from symoro.expr.linalg import Matrix
from symoro.expr.scalar import Expr, Scalar, symbol
from symoro.models.geometric.inverse.chain.chain import (
    Chain,
    Linear,
    PathMotion,
    UnrepresentableJoint,
    chain_of,
    links,
    motions_between,
    size_of,
    substituted,
)
from symoro.models.geometric.inverse.chain.placement import Algebra, forward, times
from symoro.models.geometric.inverse.chain.pose import Given, entry_name, given_entries
from symoro.models.geometric.inverse.chain.probes import SAMPLES, Probes
from symoro.models.ports import GIVEN, POSE
from symoro.models.rank import ranks, threshold
from symoro.models.tolerances import DEPENDENT_JOINTS, ZERO_SINGULAR_VALUE
from symoro.program.builder import Builder
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot

FREEDOMS = 6  # degrees of freedom of a frame in space
NUMERIC = "solve it numerically, one solution per pose, with numeric_inverse()"


@dataclass(frozen=True)
class Problem:
    """Inverse geometry problem: determine the joint positions of a chain for which its end frame has a given pose.

    Attributes:
        builder: builder of the program of the model.
        robot: the robot.
        chain: equation of transforms with the unknown joints.
        probes: random samples to test whether expressions are identically zero.
        start: input q0 by joint number: positions of the locked joints, and values for free joints.
        given: for each entry of the upper three rows of the pose, whether it is given.
        idle: numbers of the joints that do not change the given entries; their positions are those of q0.
        closure: constraints of closed loops on the joints of the chain; None for a tree.
        redundant: number of unknown joints beyond the independent conditions of the pose.
    """

    builder: Builder
    robot: Robot
    chain: Chain
    probes: Probes
    start: Mapping[int, Expr]
    given: Given
    idle: tuple[int, ...] = ()
    closure: ChainClosure | None = None
    redundant: int = 0


class PostureSample(Protocol):
    """Sampled configurations: values of the robot's parameters by name, and of the joints by number."""

    @property
    def parameters(self) -> Mapping[str, Any]: ...

    @property
    def joints(self) -> Mapping[int, Any]: ...


@dataclass(frozen=True)
class ChainClosure:
    """Constraints that closed loops impose on the joints of a chain.

    Attributes:
        laws: joints of the chain that are linear functions of other joints of the chain, by joint number; they are not
            unknowns.
        tied: numbers of the joints of the chain that depend nonlinearly on its other joints; they are unknowns that
            must satisfy the loop equations.
        postures: function (count, nominal) that returns about `count` configurations with closed loops, for the robot's
            nominal parameter values (nominal true) or for random ones (nominal false).
    """

    laws: Mapping[int, Linear]
    tied: tuple[int, ...]
    postures: Callable[[int, bool], PostureSample]

    def without(self, joint: int) -> ChainClosure:
        """Return the constraints without the linear function of one joint.

        The joint becomes an unknown that must satisfy the loop equations.

        Args:
            joint: number of the joint.
        """
        laws = {j: law for j, law in self.laws.items() if j != joint}
        return replace(self, laws=laws, tied=(*self.tied, joint))


Closing = Callable[[Builder, Mapping[int, Expr], Sequence[int]], ChainClosure]


def pose_problem(
    robot: Robot,
    frm: int | str,
    to: int | str,
    pose: str,
    locked: str | None,
    surplus: int = 0,
    closing: Closing | None = None,
) -> Problem:
    """Formulate the inverse geometry problem of reaching a pose.

    Joints that do not change the given entries of the pose are not unknowns; their positions are taken from the input
    q0.

    Args:
        frm: frame in which the pose is given.
        to: end frame, whose pose is given.
        pose: given entries of the pose, see `given_entries`.
        locked: joints whose positions are given by the input q0, such as '7' or '3,5'.
        surplus: number of redundant joints that the caller determines by other conditions, such as the swivel angle.
        closing: function that returns the constraints of closed loops; its arguments are the builder, q0 by joint
            number and the numbers of the locked joints.

    Raises:
        NotApplicableError: no joint changes a given entry, or there are too many joints.
        OptionError: an unknown joint in `locked`, or an unknown entry in `pose`.
    """
    if "world" in (frm, to) and any(z.number != (k % 5 == 0) for k, z in enumerate(robot.base.Z)):
        raise NotApplicableError(
            f"robot '{robot.name}': a pose in the world frame is not supported, because frame 0 is not the world frame",
            hint="give the pose in frame 0: Z^-1 T, where Z is the pose of frame 0 in the world",
        )
    given = given_entries(pose)
    fixed = locked_joints(robot, locked)
    problem = _problem(robot, frm, to, given, fixed, closing)
    mobility = Mobility(problem) if problem.chain.unknowns else None
    idle = [j for j in mobility.joints if not mobility.moves(j)] if mobility else []
    if mobility is None or len(idle) == len(mobility.joints):
        raise NotApplicableError(
            f"no joint of robot '{robot.name}' changes the given entries of the pose of frame {to} in frame {frm}"
        )
    redundant = len(mobility.joints) - len(idle) - mobility.rank()
    is_almost_dependent = redundant > 0 and mobility.rank(ZERO_SINGULAR_VALUE) - mobility.rank() >= redundant
    # A chain without all six degrees of freedom cannot reach most poses: its joints are dependent, not redundant.
    allowed = surplus if mobility.rank() == FREEDOMS else 0
    if redundant > allowed or is_almost_dependent:
        _check_ties(problem, len(mobility.joints) - len(idle), mobility.rank())
        why = (
            "the joints are almost dependent, and a pose in double precision does not determine them"
            if is_almost_dependent
            else "there are infinitely many solutions"
        )
        raise NotApplicableError(
            f"robot '{robot.name}' has {len(mobility.joints) - len(idle)} unknown joints for {mobility.rank()} "
            f"independent conditions of the pose: {why}",
            hint=f"lock {redundant} of the joints, for example with locked='{mobility.joints[-1]}', and give their "
            f"positions in q0; or give the swivel angle of an arm with spherical shoulder and wrist; or {NUMERIC}",
        )
    if idle:
        motions = motions_between(
            problem.builder, robot, frm, to, {j: problem.start[j] for j in (*fixed, *idle)}
        )
        problem = _with_motions(problem, motions)
    return replace(problem, idle=tuple(idle), redundant=redundant)


def _check_ties(problem: Problem, joints: int, rank: int) -> None:
    """Reject a problem with redundant joints that only nonlinear loop equations would determine.

    It is called if there are more unknown joints than independent conditions of the pose.

    Args:
        joints: number of unknown joints.
        rank: number of independent conditions of the pose.

    Raises:
        NotApplicableError: the loops determine a joint of the chain by nonlinear equations.
    """
    tied = [j for j in problem.closure.tied if j not in problem.idle] if problem.closure else []
    if tied:
        raise NotApplicableError(
            f"robot '{problem.robot.name}' with cut loops has {joints} unknown joints for {rank} independent "
            f"conditions of the pose; the loops determine {', '.join(f'q{j}' for j in tied)} by nonlinear equations, "
            "which cannot be solved together with the pose",
            hint="choose frames without these joints between them; or cut the loops "
            "elsewhere, so that these joints are not between the frames; or lock these joints at positions q0 that "
            f"satisfy the loops; or {NUMERIC}",
        )


def _problem(
    robot: Robot,
    frm: int | str,
    to: int | str,
    given: Given,
    locked: Sequence[int],
    closing: Closing | None,
) -> Problem:
    builder = Builder(f"{robot.name}_inverse_geometry")
    names = [entry_name(r, c) for r in range(4) for c in range(4)]
    entries = builder.input(POSE, (4, 4), names, f"pose of frame {to} in frame {frm}")
    own = independent(robot)
    q0 = builder.input(GIVEN, (len(own),), [f"q0_{j}" for j in own], default=[0.0] * len(own))
    start = dict(zip(own, q0, strict=True))
    target: Matrix = [[*entries[4 * r : 4 * r + 4]] for r in range(3)]
    target.append([0, 0, 0, 1])
    motions = motions_between(builder, robot, frm, to, {j: start[j] for j in locked})
    closure = closing(builder, start, locked) if closing else None
    position = [row[3] for row, known in zip(target, given, strict=False) if known[3]]
    chain = Chain((), (), target, motions, size_of(builder, motions, position))
    probes = Probes(builder, motions)
    return _with_motions(Problem(builder, robot, chain, probes, start, given, (), closure), motions)


def _with_motions(problem: Problem, motions: Sequence[PathMotion], *, runs: bool = True) -> Problem:
    """Return the same problem for other elementary motions of the path, with new random samples.

    The pose to be reached does not change. If the robot has closed loops, the sampled configurations satisfy them.

    Args:
        motions: the new elementary motions.
        runs: whether joints with parallel axes are combined, with sums of angles as unknowns.
    """
    closure, builder, target = problem.closure, problem.builder, problem.chain.target
    probes, joints = Probes(builder, motions), None
    if closure and closure.tied:
        sample = closure.postures(SAMPLES, False)
        probes.parameters.update(sample.parameters)
        joints = sample.joints
        for j in (
            joints.keys() & problem.start.keys()
        ):  # values of q0 at which locked joints satisfy the loops
            probes.set(problem.start[j], joints[j])
    laws = closure.laws if closure else {}
    position = [row[3] for row, known in zip(target, problem.given, strict=False) if known[3]]
    size = size_of(builder, motions, position)
    try:
        path = substituted(motions, laws)
        chain = chain_of(builder, path, target, probes.vanishes, runs=runs, size=size)
    except UnrepresentableJoint as error:
        assert closure is not None
        return _with_motions(replace(problem, closure=closure.without(error.joint)), motions, runs=runs)
    _set_posture(chain, probes, joints)
    return replace(problem, chain=chain, probes=probes)


def with_own_joints(problem: Problem) -> Problem:
    """Return the same problem with every joint as a separate unknown, even if axes are parallel.

    Raises:
        NotApplicableError: closed loops make a joint of the chain a linear function of others.
    """
    check_unknowns(problem.chain.motions)
    return _with_motions(problem, problem.chain.motions, runs=False)


def check_unknowns(motions: Sequence[PathMotion]) -> None:
    """Reject a chain with joints that depend linearly on other joints.

    This check is for methods that treat every joint as an unknown.

    Args:
        motions: elementary motions of the chain.

    Raises:
        NotApplicableError: closed loops make a joint of the chain a linear function of others.
    """
    linear = [f"q{motion.joint}" for motion in motions if motion.terms]
    if linear:
        raise NotApplicableError(
            f"the loops determine {', '.join(linear)}, but this method requires that every joint is an unknown"
        )


def shorthand(
    problem: Problem, name: str, value: Scalar, degree: int = 0
) -> tuple[Expr, tuple[tuple[Expr, Expr], ...]]:
    """Introduce a symbol for a known value, unless it is a number or zero at all samples.

    Args:
        name: name of the symbol.
        value: the known value.
        degree: dimension of the value, as a power of a length (1 for a length, 2 for a square).

    Returns:
        The symbol (or the number), and the assignments that define the symbol: one pair (symbol, value), or none.
    """
    expr = problem.builder.number(value)
    if expr.number is not None or problem.probes.vanishes(expr, problem.probes.length**degree):
        return (expr if expr.number is not None else problem.builder.number(0)), ()
    made = symbol(problem.builder.graph, name)
    problem.probes.set(made, problem.probes.of(expr))
    return made, ((made, expr),)


def _set_posture(chain: Chain, probes: Probes, postures: Mapping[int, Any] | None) -> None:
    """Set the sampled joint positions of a chain and the corresponding poses of its end.

    Args:
        postures: sampled positions that close the loops, by joint number; joints that are not included, and all joints
            if this is None, have random positions.
    """
    joints = probes.set_unknowns(chain.unknowns, postures)
    for row, values in zip(chain.target, direct_geometry(chain, probes, joints), strict=False):
        for entry, value in zip(row, values, strict=True):
            if isinstance(entry, Expr) and entry.symbols():
                probes.set(entry, value)
    probes.measure(chain.size)


def locked_joints(robot: Robot, locked: str | None) -> list[int]:
    """Return the numbers of the locked joints.

    Args:
        locked: joint numbers or names, separated by commas, such as '7' or '3,5'; None for no locked joint.

    Raises:
        OptionError: a frame in the text does not have an independent joint.
    """
    joints = []
    for word in (locked or "").replace(" ", "").split(","):
        if word:
            j = robot.frame_number(word)
            if j not in independent(robot):
                raise OptionError(f"option locked: frame {word} does not have an independent joint")
            joints.append(j)
    return joints


def direct_geometry(chain: Chain, probes: Probes, joints: Mapping[int, Any]) -> list[list[Any]]:
    """Return the upper three rows of the end pose of the chain at the random samples.

    Args:
        joints: sampled positions by joint number, one array over the samples each.

    Returns:
        Three rows of four entries; each entry is an array over the samples.
    """
    import numpy

    numbers: dict[int, Any] = {}
    for unknown in chain.unknowns:
        if unknown.turns:
            angle = sum(sign * joints[j] for j, sign in unknown.parts)
            numbers[unknown.sine.lit], numbers[unknown.cosine.lit] = numpy.sin(angle), numpy.cos(angle)
        else:
            numbers[unknown.length.lit] = joints[unknown.joint]
    algebra = Algebra(lambda symbol: numbers[symbol.lit], probes.of)
    rows = []
    for r in range(3):
        row: list[Any] = [float(r == k) for k in range(4)]
        for item in chain.items:
            row = times(row, forward(item, algebra))
        rows.append(row)
    return rows


class Mobility:
    """Jacobian of the given pose entries with respect to the unknown joints, at random configurations.

    Lengths are divided by the chain's size.

    Attributes:
        joints: numbers of the unknown joints, in increasing order.
        jacobian: array (samples, given entries, joints).
    """

    def __init__(self, problem: Problem) -> None:
        import numpy

        from symoro.expr.kernels.refine import refine_chain_

        probes = problem.probes
        joints_on_path, between = links(problem.chain.motions)
        unknown = [joint for joint in joints_on_path if not joint.terms]
        self.joints = [joint.joint for joint in unknown]
        shape = (SAMPLES, len(between), 4, 4)
        entries = [probes.of(x) for matrix in between for row in matrix for x in row]
        placements = numpy.stack(entries, -1).reshape(shape)
        placements[:, :, :3, 3] /= probes.length
        kinds = numpy.array([joint.sign * (1 if joint.turns else 2) for joint in joints_on_path])
        q = numpy.stack([probes.draw(-3, 3) if joint.turns else probes.draw(-1, 1) for joint in unknown], -1)
        # derivative of all joints by the unknown ones
        tangents = numpy.array([joint.tangent(self.joints) for joint in joints_on_path])
        of_path = refine_chain_(placements, kinds, q @ tangents.T)[1][:, numpy.array(problem.given)]
        by_joint = of_path @ tangents
        order = numpy.argsort(self.joints)
        self.joints.sort()
        self.jacobian = by_joint[..., order]  # axes: sample, entry, joint

    def moves(self, joint: int) -> bool:
        return bool(abs(self.jacobian[..., self.joints.index(joint)]).max() > DEPENDENT_JOINTS)

    def rank(self, least: float = DEPENDENT_JOINTS) -> int:
        """Return the number of independent conditions that the pose imposes on the joints.

        It is the largest rank of the Jacobian at the sampled configurations.

        Args:
            least: threshold above which a singular value of the Jacobian counts as nonzero.
        """
        decided = ranks(self.jacobian, threshold(least))
        return max(rank for rank in decided if rank is not None)
