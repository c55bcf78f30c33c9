"""Model `inverse-geometry`: all joint positions for which a frame has a given pose.

The formulas are valid only if their divisors do not vanish. A divisor that depends on the pose is guarded where it is
formed: if it vanishes, the joint is free, or there is no solution on this branch. A divisor that contains only
parameters of the robot or joint positions given by q0 is the same for every pose. If such a divisor vanishes, the
formulas are invalid, and the status of every solution is 3 (no solution) rather than 1 (out of reach). The divisors are
listed as conditions, products factor by factor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symoro.errors import ProgramError
from symoro.expr import ops
from symoro.expr.bounds import bounds_for_size
from symoro.expr.graph import Graph
from symoro.expr.scalar import Expr, absolute, less_equal, maximum, select, wrap
from symoro.expr.substitute import substitute
from symoro.models.catalogue import Option, model
from symoro.models.geometric.inverse.branches import EMPTY, Solution
from symoro.models.geometric.inverse.chain.problem import Problem, pose_problem
from symoro.models.geometric.inverse.finite import magnitude, where_finite
from symoro.models.geometric.inverse.methods import MethodResult, by_swivel, solved
from symoro.models.geometric.inverse.redundancy import solved_with_free_joint
from symoro.models.geometric.screws import last_frame, resolve
from symoro.models.ports import FREE, GIVEN, OPENED, POSE, POSE_STATUS, RESIDUAL, SOLUTIONS, SWIVEL
from symoro.models.references import SYMORO_1997
from symoro.models.tolerances import ZERO_DIVISOR
from symoro.program.program import Program
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.robot.topology import cut_joints


def divisors(problem: Problem, solutions: Sequence[Solution]) -> list[Expr]:
    """Return the divisors in the solutions that depend only on the robot's parameters or on the input q0.

    Products are split into distinct factors. The size of the robot is not included because it is never zero.
    """
    graph = problem.builder.graph
    start = {graph.args[x.lit >> 1][0] for x in problem.start.values()}
    literals = [x.lit for one in solutions for x in (*one.joints.values(), one.residual, one.status)]
    fixed: dict[int, bool] = {}  # nodes that do not depend on the pose: whether they contain a symbol
    factors: dict[int, None] = {}
    for i in graph.reachable(literals):
        op, args = graph.op[i], graph.args[i]
        if op in (ops.NUMBER, ops.PI, ops.TOLERANCE):
            fixed[i] = False
        elif op == ops.SYMBOL:
            if args[1] == ops.PARAMETER or args[0] in start:
                fixed[i] = True
        elif op != ops.KERNEL and all(lit >> 1 in fixed for lit in args):
            fixed[i] = any(fixed[lit >> 1] for lit in args)
        if op == ops.DIV and fixed.get(args[1] >> 1):
            factors.update(dict.fromkeys(j for j in _factors(graph, args[1] >> 1) if fixed.get(j)))
    return [Expr(graph, i << 1) for i in factors if i != problem.chain.size.lit >> 1]


def _factors(graph: Graph, i: int) -> Iterator[int]:
    """Yield the factors of an expression, ignoring square roots, powers and denominators.

    A guarded expression (a selection between two values) is not split into factors.

    Args:
        i: node of the expression in the graph.
    """
    op, args = graph.op[i], graph.args[i]
    if op in (ops.MUL, ops.SQRT, ops.ABS):
        for lit in args:
            yield from _factors(graph, lit >> 1)
    elif op == ops.DIV:
        yield from _factors(graph, args[0] >> 1)
    elif op != ops.SELECT:
        yield i


def as_text(factors: Sequence[Expr], size: Expr) -> tuple[str, ...]:
    """Return conditions such as 'D3 != 0' for the factors that must not vanish.

    Args:
        factors: divisors of the solutions.
        size: expression of the robot's size, which is replaced by 1 in the text.
    """
    conditions = []
    for factor in factors:
        graph = factor.graph
        (plain,) = substitute(graph, [factor.lit], {size.lit >> 1: wrap(graph, 1).lit})
        factor = Expr(graph, plain)
        try:
            conditions.append(f"{factor} != 0")
        except ProgramError:  # the expression is too long for text
            conditions.append("a divisor that depends on the robot's parameters != 0")
    return tuple(dict.fromkeys(conditions))


def guarded(problem: Problem, solutions: Sequence[Solution], factors: Sequence[Expr]) -> list[Solution]:
    """Return the solutions with status 3 (no solution) wherever a divisor of their formulas vanishes.

    Args:
        factors: factors of the divisors, expressions of the robot's parameters and of the input q0.
    """
    if not factors:
        return list(solutions)
    number = problem.builder.number
    sizes = bounds_for_size(factors, problem.chain.size)
    flags = [less_equal(absolute(x), ZERO_DIVISOR * size) for x, size in zip(factors, sizes, strict=True)]
    fails = flags[0]
    for flag in flags[1:]:
        fails = maximum(fails, flag)
    return [replace(one, status=number(select(fails, EMPTY, one.status))) for one in solutions]


METHOD = Option(
    "method",
    "solution method: auto (the first that applies), paul, pieper or general",
    "choice",
    "auto",
    ("auto", "paul", "pieper", "general"),
)
FRAMES = (
    Option("frm", "frame in which the pose is given", "frame", 0),
    Option(
        "to",
        "frame whose pose is given; by default the tool, the platform or the last link's frame",
        "frame",
        None,
    ),
)
GIVEN_ENTRIES = Option(
    "pose", "given entries of the pose: full, position, axis, planar or a list", "text", "full"
)
LOCKED = Option(
    "locked",
    "joints whose positions are given by q0, such as '7' or '3,5'; by default one joint if one is redundant",
    "text",
    None,
)
TOLERANCE = Option("tolerance", "largest residual of a valid solution", "number", 1e-9)


@model(
    "inverse-geometry",
    menu="Geometric",
    title="inverse geometric model, all solutions",
    inputs=(
        POSE,
        GIVEN,
        SWIVEL,
    ),
    outputs=(
        SOLUTIONS,
        POSE_STATUS,
        RESIDUAL,
        FREE,
    ),
    options=(
        METHOD,
        *FRAMES,
        GIVEN_ENTRIES,
        LOCKED,
        Option(
            "swivel",
            "solve a chain of seven joints; the angle of the elbow about the line from shoulder to "
            "wrist is an input",
            "flag",
            False,
        ),
        TOLERANCE,
    ),
    reference=SYMORO_1997.at("section 3.3"),
    aliases=("igm", "ik", "inverse-geometric-model", "inverse-position-kinematics"),
    equations=r"{}^{0}T_{1}(q_1)\, {}^{1}T_{2}(q_2) \cdots {}^{n-1}T_{n}(q_n)\, E = U_0 = [s \, n \, a \, P]",
)
def inverse_geometry(
    robot: Robot,
    method: str = "auto",
    frm: int | str = 0,
    to: int | str | None = None,
    pose: str = "full",
    locked: str | None = None,
    swivel: bool = False,
    tolerance: float = 1e-9,
) -> Program:
    """Derive the inverse geometric model: all joint positions for a given pose of a frame.

    If one joint is redundant, as in an arm with seven joints, the position of one joint is taken from q0. The joint is
    chosen automatically (`redundancy.py`) unless `locked` or `swivel` is given.

    Args:
        method: 'paul', 'pieper' or 'general'; 'auto' selects the first method that applies.
        frm: frame in which the pose is given.
        to: frame whose pose is given; by default the tool, the platform or the last link's frame.
        pose: given entries of the pose: 'full', 'position', 'axis', 'planar' or a list.
        locked: joints whose positions are given by q0, such as '7' or '3,5'; by default one joint if one is redundant.
        swivel: whether to solve a chain of seven joints with the swivel angle of the elbow as an additional input.
        tolerance: largest residual of a valid solution.
    """
    start, end = resolve(robot, frm, 0), resolve(robot, to, last_frame(robot))
    # Without locked joints, the position of one redundant joint is taken from q0.
    problem = pose_problem(robot, start, end, pose, locked, surplus=int(swivel or locked is None))
    if swivel:
        result = by_swivel(problem, tolerance)
    elif problem.redundant > 0:
        problem, result = solved_with_free_joint(
            problem, start, end, pose, method, tolerance, _is_valid_everywhere
        )
    else:
        result = solved(problem, method, tolerance)
    return solution_program(problem, result)


def _is_valid_everywhere(problem: Problem, result: MethodResult) -> bool:
    """Return whether the solutions are valid for all positions of the joints that are given by q0."""
    start = {str(entry) for entry in problem.start.values()}
    return all(start.isdisjoint(factor.symbols()) for factor in divisors(problem, result.solutions))


_IDLE = "does not change the given entries of the pose: its value is taken from q0"


def idle_joints(program: Program) -> int:
    """Return the number of joints that do not change the given entries of the pose of an inverse geometric model."""
    return sum(choice.endswith(_IDLE) for choice in program.choices)


def solution_program(problem: Problem, result: MethodResult) -> Program:
    """Return the program that computes the solutions, with its notes, conditions and derivation.

    Args:
        problem: the inverse geometry problem.
        result: solutions of the selected method.
    """
    notes = tuple(f"q{j} {_IDLE}" for j in problem.idle)
    factors = divisors(problem, result.solutions)
    conditions = as_text(factors, problem.chain.size)
    if conditions:
        notes += (
            f"valid if none of these is zero: {', '.join(c.removesuffix(' != 0') for c in conditions)}",
        )
    program = _program(problem, guarded(problem, result.solutions, factors))
    header = (("if", ", ".join(conditions)),) if conditions else ()
    return replace(
        program,
        choices=result.choices + notes,
        derivation=result.derivation,
        conditions=conditions,
        header=header,
    )


def _program(problem: Problem, solutions: list[Solution]) -> Program:
    own, cut = independent(problem.robot), cut_joints(problem.robot)
    builder = problem.builder
    q = [[s.joints.get(j, problem.start[j]) for j in own] for s in solutions]
    cut_positions = [[s.joints[j] for j in cut] for s in solutions]
    rows = [[*one, *other] for one, other in zip(q, cut_positions, strict=True)]
    status = where_finite(builder, _given(problem), rows, [s.status for s in solutions], EMPTY)
    builder.output(SOLUTIONS, q)
    if cut:
        builder.output(OPENED, cut_positions)
    builder.output(POSE_STATUS, status)
    residuals = [s.residual for s in solutions]
    builder.output(RESIDUAL, where_finite(builder, _given(problem), rows, residuals, None))
    idle = dict.fromkeys(problem.idle, 1)
    free = [[s.free.get(j, idle.get(j, 0)) for j in own] for s in solutions]
    builder.output(FREE, free)
    return builder.program()


def _given(problem: Problem) -> Expr:
    """Return the sum of the absolute values of all inputs of the model: given pose entries, q0 and swivel angle."""
    builder, target = problem.builder, problem.chain.target
    pose = [target[r][c] for r in range(3) for c in range(4) if problem.given[r][c]]
    return magnitude(builder, [*pose, *builder.entries("q0"), *builder.entries("swivel")])
