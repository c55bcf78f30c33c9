"""`inverse-geometry`: all joint positions that bring a frame to a given pose."""

from __future__ import annotations

from dataclasses import replace

from symoro.expr.scalar import Expr
from symoro.models.catalogue import Option, Port, model
from symoro.models.geometric.inverse.branches import EMPTY, Solution
from symoro.models.geometric.inverse.chain.problem import Problem, pose_problem
from symoro.models.geometric.inverse.conditions import as_text, divisors, guarded
from symoro.models.geometric.inverse.finite import magnitude, where_finite
from symoro.models.geometric.inverse.methods import by_swivel, solved
from symoro.models.geometric.loop.follow import followed, way_joints
from symoro.models.geometric.screws import last_frame, resolve, standing_frame
from symoro.models.references import SYMORO_1997
from symoro.program.program import Program
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot


@model(
    "inverse-geometry",
    menu="Geometric",
    title="inverse geometric model, all solutions",
    inputs=(
        Port("T", "4,4", "pose of the frame"),
        Port("q0", "n", "joints left free, locked or off the way"),
        Port("swivel", "", "with the option swivel: angle of the elbow"),
    ),
    outputs=(
        Port("q", "K,n", "joint positions, one row a solution"),
        Port("status", "K", "0 valid, 1 out of reach, 2 singular, 3 empty slot"),
        Port("residual", "K", "largest entry of direct geometry less the pose, or of a loop that stays open"),
        Port("free", "K,n", "1 where a joint is free"),
    ),
    options=(
        Option(
            "method", "auto, paul, pieper or general", "choice", "auto", ("auto", "paul", "pieper", "general")
        ),
        Option("frm", "frame in which the pose is given", "frame", 0),
        Option("to", "frame that is placed; by default the tool or the last link's frame", "frame", None),
        Option("pose", "which entries are given: full, position, axis, planar or a list", "text", "full"),
        Option("locked", "joints that are given by q0, as '7' or '3,5'", "text", None),
        Option(
            "swivel", "seven joints by the angle of the elbow about the line shoulder - wrist", "flag", False
        ),
        Option(
            "modes",
            "of closed loops: parallelograms alone, or the crossed ones too",
            "choice",
            "parallelogram",
            ("parallelogram", "all"),
        ),
        Option("tolerance", "largest residual of a valid solution", "number", 1e-9),
    ),
    reference=SYMORO_1997.at("section 3.3"),
    aliases=("igm",),
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
    modes: str = "parallelogram",
    tolerance: float = 1e-9,
) -> Program:
    """All solutions for a pose; those of a robot with loops have every joint of it, in all assembly modes."""
    start, end = resolve(robot, frm, 0), resolve(robot, to, last_frame(robot))
    on_way = way_joints(robot, standing_frame(robot, start), standing_frame(robot, end))
    problem = pose_problem(robot, start, end, pose, locked, surplus=int(swivel))
    answer = by_swivel(problem, tolerance) if swivel else solved(problem, method, tolerance)
    if robot.B:
        loops = followed(problem, on_way, answer.solutions, tolerance, every_mode=modes == "all")
        stages = answer.derivation + loops.derivation
        answer = replace(
            answer,
            solutions=loops.solutions,
            choices=answer.choices + loops.choices,
            derivation=stages,
        )
    notes = tuple(f"q{j} does not move what is given: taken from q0" for j in problem.idle)
    factors = divisors(problem, answer.solutions)
    conditions = as_text(factors)
    if conditions:
        notes += (f"if none of these is zero: {', '.join(c.removesuffix(' != 0') for c in conditions)}",)
    program = _program(problem, guarded(problem, answer.solutions, factors))
    header = (("if", ", ".join(conditions)),) if conditions else ()
    return replace(
        program,
        choices=answer.choices + notes,
        derivation=answer.derivation,
        conditions=conditions,
        header=header,
    )


def _program(problem: Problem, found: list[Solution]) -> Program:
    own = independent(problem.robot)
    builder = problem.builder
    q = [[s.joints.get(j, problem.start[j]) for j in own] for s in found]
    status = where_finite(builder, _given(problem), q, [s.status for s in found], EMPTY)
    builder.output("q", q, "joint positions")
    builder.output("status", status, "0 valid, 1 out of reach, 2 singular, 3 empty slot")
    builder.output("residual", [s.residual for s in found], "largest entry of direct geometry less the pose")
    idle = dict.fromkeys(problem.idle, 1)
    free = [[s.free.get(j, idle.get(j, 0)) for j in own] for s in found]
    builder.output("free", free, "1 where a joint is free")
    return builder.program()


def _given(problem: Problem) -> Expr:
    """The size of what is given: the entries of the pose that count, q0 and the swivel angle."""
    builder, target = problem.builder, problem.chain.target
    pose = [target[r][c] for r in range(3) for c in range(4) if problem.given[r][c]]
    return magnitude(builder, [*pose, *builder.entries("q0"), *builder.entries("swivel")])
