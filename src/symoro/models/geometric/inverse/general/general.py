"""General method of inverse geometry: six joints of any type as a closed loop, up to sixteen solutions at once.

    M0 V1 M1 V2 ... V6 M6 = U0     <=>     V1 C1 V2 C2 ... V6 C6 = 1,   Ci = Mi (i < 6),   C6 = M6 U0^-1 M0

with Vi = Rz(qi) or Tz(qi). The loop is solved by the kernel `closed_chain` (elimination and eigenvalues). The loop
equation can be arranged in twelve ways; the arrangements that are suitable for the robot are determined here, once, on
random configurations.

Five joints with given position and axis are treated as six joints with a virtual revolute joint about that axis: any s
and n that complete the axis to a rotation are admissible.

M. Raghavan, B. Roth, "Inverse kinematics of the general 6R manipulator and related linkages", ASME J. Mechanical
Design 115, 1993; D. Manocha, J. Canny, "Efficient inverse kinematics for general 6R manipulators", IEEE Trans.
Robotics and Automation 10, 1994.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symoro.errors import NotApplicableError
from symoro.expr.evaluate import evaluate
from symoro.expr.linalg import Matrix, cross, inverse_transform, matmul, scale
from symoro.expr.scalar import Expr, Scalar, absolute, cos, less, select, sin, sqrt
from symoro.expr.substitute import substitute
from symoro.models.geometric.inverse.branches import (
    EMPTY,
    OUT_OF_REACH,
    UNDECIDED,
    VALID,
    Solution,
    differences,
)
from symoro.models.geometric.inverse.chain.chain import PathMotion, links
from symoro.models.geometric.inverse.chain.pose import given_entries
from symoro.models.geometric.inverse.chain.problem import Problem, check_unknowns
from symoro.models.geometric.inverse.finite import closes, in_units, largest

SLOTS, WIDTH = 16, 7  # solutions of the kernel, each with six joints and a closure error
NO_POSTURE = 1e29  # a larger closure error marks a slot of the kernel without any configuration
VIRTUAL = PathMotion(joint=-1)


def general_solutions(problem: Problem, tolerance: float) -> list[Solution]:
    """Return the sixteen results of the general method, valid solutions first.

    If there are fewer than sixteen solutions, the remaining results have the status 'no solution'.

    Args:
        tolerance: largest residual of a valid solution.

    Raises:
        NotApplicableError: there are not six unknown joints, or they are dependent in every configuration.
    """
    loop = _Loop(problem)
    builder = problem.builder
    size = problem.chain.size
    constants = [x for matrix in loop.constants() for row in in_units(matrix, size) for x in row]
    kinds = [int(not joint.turns) for joint in loop.joints]
    numbers = builder.call("closed_chain", constants, kinds, loop.plan(kinds))
    misses = [x.lit for x in differences(builder, problem.chain, problem.given)]
    return [
        _solution(problem, loop.joints, numbers[WIDTH * k : WIDTH * (k + 1)], misses, tolerance, k)
        for k in range(SLOTS)
    ]


def _solution(
    problem: Problem,
    joints: Sequence[PathMotion],
    slot: Sequence[Expr],
    misses: Sequence[int],
    tolerance: float,
    number: int,
) -> Solution:
    """Return one result of the kernel `closed_chain` with its residual and status.

    If no result is a solution, the status of the first result is 'out of reach' or 'not decided'. It is 'not decided'
    if the roots of the elimination are too close to a double root for a reliable decision; the kernel then returns the
    configuration that is closest to the pose.

    Args:
        joints: the six joints of the loop.
        slot: six joint positions and the closure error, as computed by the kernel.
        misses: residuals of direct geometry as expressions of the unknowns (node references).
        tolerance: largest residual of a valid solution.
        number: index of the result, from 0.
    """
    builder = problem.builder
    *values, defect = slot
    units = [1 if joint.turns else problem.chain.size for joint in joints]
    q = {joint.joint: joint.sign * x * unit for joint, x, unit in zip(joints, values, units, strict=True)}
    known: dict[int, int] = {}
    for unknown in problem.chain.unknowns:
        if unknown.turns:
            angle: Scalar = 0
            for j, sign in unknown.parts:
                angle = angle + sign * q[j]
            known[unknown.sine.lit >> 1] = builder.number(sin(angle)).lit
            known[unknown.cosine.lit >> 1] = builder.number(cos(angle)).lit
        else:
            known[unknown.length.lit >> 1] = builder.number(q[unknown.joint]).lit
    distances = [defect, *(Expr(builder.graph, miss) for miss in substitute(builder.graph, misses, known))]
    closed = closes(builder, distances, tolerance)
    status: Scalar = EMPTY
    if number == 0:
        status = select(less(NO_POSTURE, defect), OUT_OF_REACH, UNDECIDED)
    status = select(closed, VALID, status)
    own = {j: builder.number(x) for j, x in q.items() if j > 0}
    return Solution(own, {}, largest(distances), builder.number(status))


class _Loop:
    """Closed loop of six joints that is equivalent to the inverse geometry problem.

    Attributes:
        problem: the problem.
        completed: whether only position and axis are given, so that a virtual joint was added.
        joints: the six joints.
        between: the seven constant transforms M0 to M6 before, between and after the six joints.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        motions = problem.chain.motions
        check_unknowns(motions)
        self.completed = problem.given == given_entries("axis")
        if self.completed:
            motions = (*motions, VIRTUAL)
        self.joints, self.between = links(motions)
        if len(self.joints) != 6 or not (self.completed or problem.given == given_entries("full")):
            raise NotApplicableError(
                f"the general method requires six unknown joints and the full pose (or five joints, position and "
                f"axis), not {len(problem.chain.unknowns)} joints and {sum(map(sum, problem.given))} entries",
                hint="lock joints of a longer chain with the option 'locked'",
            )

    def constants(self) -> list[Matrix]:
        """Return the symbolic constant transforms C1 to C6 of the loop equation V1 C1 ... V6 C6 = 1.

        V1 to V6 are the transforms of the six joints.
        """
        target = self._completed() if self.completed else self.problem.chain.target
        last = matmul(matmul(self.between[-1], inverse_transform(target)), self.between[0])
        return [*self.between[1:-1], last]

    def _completed(self) -> Matrix:
        """Return the given pose with vectors s and n that complete its axis a to a rotation."""
        target = self.problem.chain.target
        a = [row[2] for row in target[:3]]
        steep = less(0.9, absolute(a[2]))
        s = cross([select(steep, 1, 0), 0, select(steep, 0, 1)], a)
        s = scale(1 / sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]), s)
        n = cross(a, s)
        return [[s[r], n[r], a[r], target[r][3]] for r in range(3)] + [[0, 0, 0, 1]]

    def plan(self, kinds: Sequence[int]) -> tuple[float, ...]:
        """Return the settings (12 numbers) with which the kernel `closed_chain` solves the loop of this robot.

        They are determined at random configurations. Parameters of the robot have their nominal values; parameters
        without a nominal value have random ones.

        Args:
            kinds: kinds of the six joints, 0 revolute, 1 prismatic.
        """
        import numpy

        from symoro.models.geometric.inverse.general.plan import plan

        problem = self.problem
        graph = problem.builder.graph
        literals = [problem.builder.number(x).lit for m in self.between for row in m for x in row]
        names = {name for lit in literals for name in Expr(graph, lit).symbols()}
        nominal = dict(problem.robot.nominal)

        def sample(rng: Any) -> tuple[Sequence[float], Sequence[float]]:
            numbers = {name: nominal.get(name, float(rng.uniform(0.3, 1.2))) for name in sorted(names)}
            drawn = {name: float(rng.uniform(-3, 3)) for name in numbers if name not in nominal}
            values = evaluate(graph, literals, numbers, {**numbers, **drawn})
            between = numpy.array(values, dtype=float).reshape(-1, 4, 4)
            size = abs(between[:, :3, 3]).max() or 1.0
            q = [float(rng.uniform(0.2, 1.0) * size if kind else rng.uniform(-3, 3)) for kind in kinds]
            product = between[1]
            for x, kind, after in zip(q[1:], kinds[1:], between[2:], strict=True):
                product = product @ _moved(x, kind) @ after
            closing = numpy.linalg.inv(_moved(q[0], kinds[0]) @ product)
            between[6] = between[6] @ closing
            return between[1:, :3].ravel().tolist(), q

        return plan(kinds, sample)


def _moved(x: float, slides: int) -> Any:
    """Return the numerical transform (4x4) of a joint at position x: Rz(x), or Tz(x) if `slides` is 1."""
    import numpy

    transform = numpy.eye(4)
    if slides:
        transform[2, 3] = x
    else:
        transform[:2, :2] = [[numpy.cos(x), -numpy.sin(x)], [numpy.sin(x), numpy.cos(x)]]
    return transform
