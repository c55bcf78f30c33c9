"""The equation to be solved for a robot: its chain, the pose that is given, and numbers to probe it with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symoro.errors import NotApplicableError, OptionError
from symoro.expr.linalg import Matrix
from symoro.expr.scalar import Expr, Scalar, symbol
from symoro.models.geometric.inverse.chain.chain import Chain, chain_of, links, motions_between, size_of
from symoro.models.geometric.inverse.chain.placement import Algebra, forward, times
from symoro.models.geometric.inverse.chain.pose import Given, entry_name, given_entries
from symoro.models.geometric.inverse.chain.probes import SAMPLES, Probes
from symoro.models.ports import GIVEN, POSE
from symoro.program.builder import Builder
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot

ROUND_OFF = 1e-13  # of the largest singular value: what is left of a zero
DEPENDENT = (
    1e-9  # of the largest singular value: beyond, a pose in doubles does not determine the joints to 1e-6
)
NUMERIC = "solve it numerically, one posture a pose (numeric_inverse in Python, solve on the command line)"


@dataclass(frozen=True)
class Problem:
    """What every method starts from.

    Attributes:
        start: q0 by joint number: values for free joints, and of the joints that are given.
        given: which entries of the pose are given.
        idle: joints that do not move what is given; q0 says where they stand.
    """

    builder: Builder
    robot: Robot
    chain: Chain
    probes: Probes
    start: Mapping[int, Expr]
    given: Given
    idle: tuple[int, ...] = ()


def pose_problem(
    robot: Robot, frm: int | str, to: int | str, pose: str, locked: str | None, surplus: int = 0
) -> Problem:
    """The problem of reaching a pose. Joints that do not move what is given are taken from q0.

    Arguments:
        surplus: joints beyond the conditions that the caller will tell about in another way.

    Raises:
        NotApplicableError: no joint moves what is given, the joints are too many.
        OptionError: an unknown joint in `locked`, an unknown entry in `pose`.
    """
    if "world" in (frm, to) and any(z.number != (k % 5 == 0) for k, z in enumerate(robot.base.Z)):
        raise NotApplicableError(
            f"robot '{robot.name}': a pose in the world is not solved, as frame 0 does not stand there",
            hint="give the pose in frame 0, as Z^-1 T with Z of the base",
        )
    given = given_entries(pose)
    fixed = locked_joints(robot, locked)
    problem = _problem(robot, frm, to, given, fixed)
    mobility = Mobility(problem) if problem.chain.unknowns else None
    idle = [j for j in mobility.joints if not mobility.moves(j)] if mobility else []
    if mobility is None or len(idle) == len(mobility.joints):
        raise NotApplicableError(
            f"no joint of robot '{robot.name}' moves what is given of frame {to} in frame {frm}"
        )
    surplus = len(mobility.joints) - len(idle) - mobility.rank() - surplus
    if surplus > 0:
        almost = mobility.rank(ROUND_OFF) - mobility.rank()
        why = (
            "almost dependent joints, which a pose in double precision does not determine"
            if almost >= surplus
            else "infinitely many solutions"
        )
        raise NotApplicableError(
            f"{len(mobility.joints) - len(idle)} joints of robot '{robot.name}' for {mobility.rank()} independent "
            f"conditions: {why}",
            hint=f"lock {surplus} of the joints, as locked='{mobility.joints[-1]}': q0 then says where they stand; "
            f"or give the swivel angle of an arm with spherical shoulder and wrist; or {NUMERIC}",
        )
    if idle:
        problem = _problem(robot, frm, to, given, [*fixed, *idle])
    return replace(problem, idle=tuple(idle))


def _problem(robot: Robot, frm: int | str, to: int | str, given: Given, locked: Sequence[int]) -> Problem:
    builder = Builder(f"{robot.name}_inverse_geometry")
    names = [entry_name(r, c) for r in range(4) for c in range(4)]
    entries = builder.input(POSE, (4, 4), names, f"placement of frame {to} in frame {frm}")
    own = independent(robot)
    q0 = builder.input(GIVEN, (len(own),), [f"q0_{j}" for j in own], default=[0.0] * len(own))
    start = dict(zip(own, q0, strict=True))
    target: Matrix = [[*entries[4 * r : 4 * r + 4]] for r in range(3)]
    target.append([0, 0, 0, 1])
    motions = motions_between(builder, robot, frm, to, {j: start[j] for j in locked})
    probes = Probes(builder, motions)
    position = [row[3] for row, known in zip(target, given, strict=False) if known[3]]
    size = size_of(builder, motions, position)
    chain = chain_of(builder, motions, target, probes.vanishes, size=size)
    _set_posture(chain, probes)
    return Problem(builder, robot, chain, probes, start, given)


def with_own_joints(problem: Problem) -> Problem:
    """The same problem with every joint as an unknown of its own, parallel to another one or not."""
    chain = problem.chain
    probes = Probes(problem.builder, chain.motions)
    chain = chain_of(
        problem.builder, chain.motions, chain.target, probes.vanishes, runs=False, size=chain.size
    )
    _set_posture(chain, probes)
    return replace(problem, chain=chain, probes=probes)


def shorthand(
    problem: Problem, name: str, value: Scalar, degree: int = 0
) -> tuple[Expr, tuple[tuple[Expr, Expr], ...]]:
    """A symbol for what is known by then, its probes set, and the line that defines it; a number stays what it is.

    The value is a length to the power of the degree.
    """
    expr = problem.builder.number(value)
    if expr.number is not None or problem.probes.vanishes(expr, problem.probes.length**degree):
        return (expr if expr.number is not None else problem.builder.number(0)), ()
    made = symbol(problem.builder.graph, name)
    problem.probes.set(made, problem.probes.of(expr))
    return made, ((made, expr),)


def _set_posture(chain: Chain, probes: Probes) -> None:
    """Random joints for the probes, and the pose that they give."""
    joints = probes.set_unknowns(chain.unknowns)
    for row, values in zip(chain.target, direct_geometry(chain, probes, joints), strict=False):
        for entry, value in zip(row, values, strict=True):
            if isinstance(entry, Expr) and entry.symbols():
                probes.set(entry, value)
    probes.measure(chain.size)


def locked_joints(robot: Robot, locked: str | None) -> list[int]:
    """The joints that a text such as '7' or '3,5' names, by number or name."""
    found = []
    for word in (locked or "").replace(" ", "").split(","):
        if word:
            j = robot.frame_number(word)
            if j not in independent(robot):
                raise OptionError(f"option locked: frame {word} has no joint of its own")
            found.append(j)
    return found


def direct_geometry(chain: Chain, probes: Probes, joints: Mapping[int, Any]) -> list[list[Any]]:
    """The upper rows of the product of the chain in numbers, one a sample."""
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
    """How the given entries move with the joints, at random postures; lengths are in units of the chain's size."""

    def __init__(self, problem: Problem) -> None:
        import numpy

        from symoro.expr.kernels.refine_table import refine_chain_

        probes = problem.probes
        ways, between = links(problem.chain.motions)
        self.joints = sorted(way.joint for way in ways)
        shape = (SAMPLES, len(between), 4, 4)
        entries = [probes.of(x) for matrix in between for row in matrix for x in row]
        placements = numpy.stack(entries, -1).reshape(shape)
        placements[:, :, :3, 3] /= probes.length
        kinds = numpy.array([way.sign * (1 if way.turns else 2) for way in ways])
        q = numpy.stack([probes.draw(-3, 3) if way.turns else probes.draw(-1, 1) for way in ways], -1)
        slopes = refine_chain_(placements, kinds, q)[1][:, numpy.array(problem.given)]
        order = numpy.argsort([way.joint for way in ways])
        self.jacobian = slopes[..., order]  # sample, entry, joint

    def moves(self, joint: int) -> bool:
        return bool(abs(self.jacobian[..., self.joints.index(joint)]).max() > DEPENDENT)

    def rank(self, least: float = DEPENDENT) -> int:
        """The number of independent conditions, in the best of the postures."""
        import numpy

        sizes = numpy.linalg.svd(self.jacobian, compute_uv=False)
        return int((sizes > least * sizes[:, :1]).sum(axis=1).max())
