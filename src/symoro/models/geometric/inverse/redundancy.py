"""Redundant chains: choice of the joint whose position is given, and the spherical arm nearest to an arm.

A chain with one joint more than the pose has independent conditions has a one-parameter family of solutions, its
self-motion. Its tangent t is the null-space vector of the Jacobian. If joint j is given, the other joints follow from
the pose; neighbouring solutions are close to each other if |t_j| is large compared with the other entries of t, and
undetermined if t_j = 0. The joints are therefore ordered by the median of

    |t_j| / max |t|,   divided by the range of joint j

over random configurations: with the same number of samples of each joint, the first one gives the densest solutions.

An arm of seven revolute joints with small offsets in shoulder (joints 1-2-3) or wrist (5-6-7) is close to an arm with
spherical shoulder and wrist, which has a closed form for every swivel angle: d_2 = r_2 = d_3 = 0, d_6 = r_6 = d_7 = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from symoro.errors import NotApplicableError
from symoro.expr.formula import ZERO
from symoro.models.geometric.inverse.chain.problem import Mobility, Problem, pose_problem
from symoro.models.geometric.inverse.methods import MethodResult, solved
from symoro.models.tolerances import DEPENDENT_JOINTS
from symoro.program.program import Program
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import path

# Smallest score of a given joint with a closed form, relative to the best joint; below it the general method with the
# best joint gives denser solutions than the closed form.
CLOSED_FORM_SCORE = 0.25
CLOSED_FORMS = ("paul", "pieper")
TURN = 6.283185307179586


_REDUNDANT = "one joint is redundant"


def has_redundant_joint(program: Program) -> bool:
    """Return whether an inverse geometric model takes the position of a redundant joint from q0."""
    return any(choice.startswith(_REDUNDANT) for choice in program.choices)


def free_joints(problem: Problem) -> list[tuple[int, float]]:
    """Return the joints that may be given in a chain with one redundant joint, the best first, with their scores.

    Args:
        problem: inverse geometry problem with one unknown joint more than independent conditions.
    """
    import numpy

    mobility = Mobility(problem)
    samples, _, joints = mobility.jacobian.shape
    rows = mobility.jacobian.reshape(samples, -1, joints)
    vectors = abs(numpy.linalg.svd(rows)[2][:, -1])
    shares = numpy.median(vectors / vectors.max(axis=1, keepdims=True), axis=0)
    # A joint that only moves by round-off along the self-motion, such as the elbow of a spherical arm, is excluded.
    scores = {
        j: float(share) / _range(problem.robot, j)
        for j, share in zip(mobility.joints, shares, strict=True)
        if share > DEPENDENT_JOINTS and j not in problem.idle
    }
    return sorted(scores.items(), key=lambda item: -item[1])


def _range(robot: Robot, joint: int) -> float:
    """Return the range of a joint relative to a full turn; 1 for a prismatic joint or one without limits."""
    limits = robot.frame(joint).limits
    if robot.frame(joint).sigma != JointType.REVOLUTE or limits.lower is None or limits.upper is None:
        return 1.0
    return min(1.0, max(limits.upper - limits.lower, 0.0) / TURN) or 1.0


def solved_with_free_joint(
    problem: Problem,
    start: int | str,
    end: int | str,
    pose: str,
    method: str,
    tolerance: float,
    is_valid_everywhere: Callable[[Problem, MethodResult], bool],
) -> tuple[Problem, MethodResult]:
    """Solve a problem with one redundant joint, whose position is taken from the input q0.

    The first joint in the order of `free_joints` is chosen for which Paul's or Pieper's method applies without roots of
    quartics and for every position of the joint; then the first one with exceptional positions, then the first one with
    roots of quartics, otherwise the first one for which any method applies.

    Args:
        problem: the problem with one redundant joint.
        start, end: frame in which the pose is given, and end frame.
        pose, method, tolerance: options of the model inverse-geometry.
        is_valid_everywhere: function that returns whether the solutions are valid for all positions in q0.

    Raises:
        NotApplicableError: no method applies with any joint.
    """
    robot, ranked = problem.robot, free_joints(problem)
    best = ranked[0][1] if ranked else 0.0
    refusal: NotApplicableError | None = None
    stages = ((_is_simple, True), (_is_simple, False), (_is_closed_form, False), (_is_any, False))
    for accept, everywhere in stages if method == "auto" else stages[-1:]:
        for joint, score in ranked:
            if accept is not _is_any and score < CLOSED_FORM_SCORE * best:
                continue
            try:
                if not accept(robot, start, end, pose, joint, tolerance):
                    continue
                own = pose_problem(robot, start, end, pose, str(joint))
                result = solved(own, method, tolerance)
            except NotApplicableError as error:
                refusal = refusal or error
                continue
            if everywhere and not is_valid_everywhere(own, result):
                continue
            note = (
                f"{_REDUNDANT}: q{joint} is taken from q0 (chosen automatically; the option 'locked' "
                "chooses another joint)"
            )
            return own, replace(result, choices=(*result.choices, note))
    raise refusal or NotApplicableError(f"no joint of robot '{robot.name}' determines its self-motion")


def simple_joint(robot: Robot, start: int | str, end: int | str, tolerance: float) -> int | None:
    """Return the joint that gives the densest closed-form solutions without roots of quartics if it is sampled.

    Args:
        start, end: frame in which the pose is given, and end frame.
        tolerance: largest residual of a valid solution.

    Returns:
        The number of the joint; None if no joint is redundant, or if there is no such closed form.
    """
    problem = pose_problem(robot, start, end, "full", None, surplus=1)
    ranked = free_joints(problem) if problem.redundant else []
    for joint, score in ranked:
        if score >= CLOSED_FORM_SCORE * ranked[0][1] and _is_simple(
            robot, start, end, "full", joint, tolerance
        ):
            return joint
    return None


def _is_any(robot: Robot, start: int | str, end: int | str, pose: str, joint: int, tolerance: float) -> bool:
    return True


def _is_simple(
    robot: Robot, start: int | str, end: int | str, pose: str, joint: int, tolerance: float
) -> bool:
    """Return whether a closed form without roots of quartics exists if a joint is given."""
    return _is_closed_form(robot, start, end, pose, joint, tolerance, delicate=False)


def _is_closed_form(
    robot: Robot,
    start: int | str,
    end: int | str,
    pose: str,
    joint: int,
    tolerance: float,
    *,
    delicate: bool = True,
) -> bool:
    """Return whether Paul's or Pieper's method applies if a joint is given.

    Args:
        delicate: accept formulas with roots of quartics, which are slower.
    """
    for method in CLOSED_FORMS:
        try:
            result = solved(pose_problem(robot, start, end, pose, str(joint)), method, tolerance)
        except NotApplicableError:
            continue
        if delicate or not result.delicate:
            return True
    return False


def spherical_arm(
    robot: Robot, start: int | str, end: int | str, shoulder: bool = True, wrist: bool = True
) -> tuple[Robot, float]:
    """Return the arm with spherical shoulder or wrist nearest to an arm of seven revolute joints.

    Args:
        robot: a robot with numbers for its lengths.
        start, end: frames between which the seven joints are.
        shoulder, wrist: whether to make the shoulder (joints 1-2-3) and the wrist (5-6-7) spherical.

    Returns:
        The arm, and the sum of the lengths (m) that were set to zero.

    Raises:
        NotApplicableError: there are not seven revolute joints in a row.
    """
    first = 0 if start == "world" else int(start)
    last = robot.tool.place.ant if end == "tool" and robot.tool else int(end)
    up, down = path(robot, first, last)
    joints = [j for j in down if robot.frame(j).moving]
    if up or len(joints) != 7 or not _in_a_row(robot, joints):
        raise NotApplicableError(
            f"robot '{robot.name}' does not have seven revolute joints in a row between frames {start} and {end}"
        )
    frames, changed = list(robot.frames), 0.0
    chosen = [(joints[1], joints[2])] * shoulder + [(joints[5], joints[6])] * wrist
    for second, third in chosen:
        lengths = (frames[second - 1].d, frames[second - 1].r, frames[third - 1].d)
        changed += sum(abs(length.value({})) for length in lengths)
        frames[second - 1] = replace(frames[second - 1], d=ZERO, r=ZERO)
        frames[third - 1] = replace(frames[third - 1], d=ZERO)
    return replace(robot, frames=tuple(frames)), changed


def _in_a_row(robot: Robot, joints: Sequence[int]) -> bool:
    """Return whether all joints are revolute, uncoupled, and each is fixed on the link of the one before."""
    frames = [robot.frame(j) for j in joints]
    return all(frame.sigma == JointType.REVOLUTE and frame.coupling is None for frame in frames) and all(
        frame.ant == before for frame, before in zip(frames[1:], joints, strict=False)
    )
