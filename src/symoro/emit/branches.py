"""C code that enumerates the branches of an inverse geometric model, and a solver for control loops.

    size_t NAME_branches(T, near, samples, capacity, rows, order);
    void NAME_start(NAME_tracker *, q);   int NAME_track(NAME_tracker *, T, dt);

`NAME_branches` solves the model at samples of its free parameter (a given joint or the swivel angle) and returns every
solution within the joint limits, sorted by distance from a posture. `NAME_track` takes one pose per control cycle and
returns joint positions close to the previous ones. The algorithms are the kernels `descent` and `branches`; this module
writes the numbers of the robot before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isinf

from symoro.emit.dialect import Files
from symoro.emit.kernels import kernel_text
from symoro.errors import OptionError
from symoro.files import MADE_BY
from symoro.program.program import Program, size

SWIVEL, NO_PARAMETER = -1, -2
STATES = ("ok", "limited", "held", "jumped")
BLOCK = 32  # samples per call of the model
LANES, FEW_LANES = 32, 16  # rows that are refined together, and if most rows need no refinement
ITERATIONS = 50  # largest number of steps of the descent from one posture
DAMPING, PATIENCE = 0.1, 0.5  # as in the numeric inverse geometry
JUMP = 0.5  # rad or m: a larger motion between two cycles is a change of branch
SAMPLES = 64
MARGIN, MOST_MARGIN = 10.0, 0.4  # rad, per square root of a relative change of the lengths; rad
# rad: with a smaller margin, the seeds that are no solutions of the similar arm are too close to a fold to matter
SMALL_MARGIN = 0.05


@dataclass(frozen=True)
class BranchData:
    """Numbers of a robot and programs from which its branches are computed.

    Attributes:
        seeds: the inverse geometric model, or that of a similar arm.
        error: pose error of the robot and its Jacobian: inputs q, T; outputs error, J, placed.
        exact: whether `seeds` is the model of the robot itself.
        change: sum of the lengths by which the arm of `seeds` differs from the robot, divided by the robot's size.
        parameter: index of the given joint, SWIVEL or NO_PARAMETER.
        first, last: range of the parameter.
        closed: whether both ends of the range are the same configuration.
        lower, upper: joint limits, infinite if there are none.
        limit_tolerances: how far a joint may exceed its limits.
        turns: whether each joint is revolute.
        speed: largest speed of each joint, infinite if unknown.
        units: unit of each joint: 1 rad, or a length.
        weights: weight of each row of the error.
        places: positions of the given entries among the sixteen of the pose.
        scales: factor of each given entry in the residual.
        tolerance: largest residual of a solution.
    """

    seeds: Program
    error: Program
    exact: bool
    change: float
    parameter: int
    first: float
    last: float
    closed: bool
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    limit_tolerances: tuple[float, ...]
    turns: tuple[bool, ...]
    speed: tuple[float, ...]
    units: tuple[float, ...]
    weights: tuple[float, ...]
    places: tuple[int, ...]
    scales: tuple[float, ...]
    tolerance: float

    @property
    def home(self) -> tuple[float, ...]:
        """Zero, or the nearest limit, of each joint."""
        return tuple(min(max(0.0, low), high) for low, high in zip(self.lower, self.upper, strict=True))

    @property
    def margin(self) -> float:
        """Distance (rad or m) by which a seed may be outside the limits although its solution is inside.

        Close to a fold, where two branches meet, a change of the lengths moves the joints by its square root.
        """
        return 0.0 if self.exact else min(MOST_MARGIN, MARGIN * self.change**0.5)

    @property
    def solutions(self) -> int:
        """Number of rows of the model per sample."""
        return next(port.shape[0] for port in self.seeds.outputs if port.name == "q")


def branch_sources(data: BranchData, name: str, seeds: str, error: str) -> Files:
    """Return the C files {NAME_branches.h, NAME_branches.c}.

    Args:
        name: base name of the functions.
        seeds, error: names of the emitted functions of the two programs of `data`.

    Raises:
        OptionError: a program has parameters without numbers.
    """
    parameters = [*data.seeds.used_parameters, *data.error.used_parameters]
    if parameters:
        raise OptionError(
            f"the branches of an inverse model require numbers for {', '.join(dict.fromkeys(parameters))}",
            hint=f"give a number for each of them: robot.bind({{'{parameters[0]}': 1.0, ...}})",
        )
    return {
        f"{name}_branches.h": _header(data, name),
        f"{name}_branches.c": _source(data, name, seeds, error),
    }


EXAMPLE_ROWS = 1000  # rows of the array in the example


def branch_example(data: BranchData, name: str) -> list[str]:
    """Return the C lines of the example's main function that enumerate the branches of its pose T and track it."""
    n, upper = len(data.lower), name.upper()
    return [
        f"    static double rows[{EXAMPLE_ROWS} * {upper}_ROW];",
        f"    static size_t order[{EXAMPLE_ROWS}];",
        f"    const size_t found = {name}_branches(T, NULL, {SAMPLES}, {EXAMPLE_ROWS}, rows, order);",
        f"    {name}_tracker tracker;",
        "",
        '    printf("branches = %lu\\n", (unsigned long)found);',
        "    if (found) {",
        f'        show("nearest", rows + order[0] * {upper}_ROW, {n}, {n});',
        f"        {name}_start(&tracker, rows + order[0] * {upper}_ROW);",
        f'        printf("state = %d\\n", {name}_track(&tracker, T, 0.001));',
        "    }",
    ]


def _header(data: BranchData, name: str) -> str:
    n, upper = len(data.lower), name.upper()
    what = {SWIVEL: "the swivel angle", NO_PARAMETER: "nothing: the solutions are isolated"}
    parameter = what.get(data.parameter, f"joint {data.parameter + 1} of q")
    states = ", ".join(f"{upper}_{state.upper()}" for state in STATES)
    return f"""/* {name}: all branches of the inverse geometry, and a solver for control loops.
 * The free parameter is {parameter}.
 * {MADE_BY}
 */
#ifndef {upper}_BRANCHES_H
#define {upper}_BRANCHES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {{
#endif

#define {upper}_JOINTS {n}
/* A row contains q, the distance from `near`, the residual, the parameter and the number of the branch. */
#define {upper}_ROW {n + 4}

/* All solutions of the pose T (4 x 4 by rows) within the joint limits, also those that differ by full turns. `near` is
 * a posture ({n} numbers) from which the distances are measured, and the solution reached from it is a row with branch
 * -1; NULL stands for zero or the nearest limits. The parameter is sampled `samples` times, more often if no solution
 * results. At most `capacity` rows are written; order[i] is the row with the i-th smallest distance; order may be NULL.
 * Returns the number of solutions, which may exceed the capacity. */
size_t {name}_branches(const double *T, const double *near, size_t samples, size_t capacity, double *rows,
                       size_t *order);

/* The same for several poses: the rows of all poses one after the other, and the number of rows per pose. The posture
 * of pose i is near + i * near_step; near may be NULL. Returns the number of all rows. */
size_t {name}_branches_many(size_t poses, const double *T, const double *near, size_t near_step, size_t samples,
                            size_t capacity, double *rows, size_t *counts);

/* States of the solver for control loops:
 *   OK       q reaches the pose
 *   LIMITED  q approaches the pose as fast as the joint speeds permit
 *   HELD     q is unchanged: the pose is not finite, has no solution within the limits, or only one of another branch
 *   JUMPED   the goal changed to another branch (only if allow_jump is 1); q approaches it within the joint speeds */
enum {{ {states} }};

typedef struct {{
    double q[{n}];        /* commanded positions */
    double goal[{n}];     /* solution that is followed; equal to q unless a joint speed limits q */
    double speed[{n}];    /* largest speed of each joint (rad/s or m/s) */
    double jump;         /* largest motion of a joint between two goals of one branch (rad or m) */
    double residual;     /* largest difference from the pose at q, lengths relative to the size of the robot */
    size_t samples;      /* samples of the parameter if the branch ends */
    int allow_jump;
}} {name}_tracker;

/* Start at the posture q with the speeds of the robot; the other fields may be changed afterwards. */
void {name}_start({name}_tracker *tracker, const double *q);

/* One control cycle of dt seconds; returns the state. There is no heap, and the number of operations is bounded. */
int {name}_track({name}_tracker *tracker, const double *T, double dt);

#ifdef __cplusplus
}}
#endif

#endif /* {name}_branches.h */
"""


def _source(data: BranchData, name: str, seeds: str, error: str) -> str:
    n, upper = len(data.lower), name.upper()
    inputs = {"T": "T", "q0": "q0", "swivel": "parameter"}
    outputs = {name: name for name in ("q", "status", "residual")}
    others = [port for port in data.seeds.outputs if port.name not in outputs]
    arguments = ["BLOCK", *(inputs[port.name] for port in data.seeds.inputs)]
    arguments += [outputs.get(port.name, f"{port.name}_") for port in data.seeds.outputs]
    lines = [
        f"/* {name}_branches: see {name}_branches.h",
        f" * {MADE_BY}",
        " */",
        f'#include "{name}_branches.h"',
        "",
        f'#include "{seeds}.h"',
        f'#include "{error}.h"',
        "",
        *(f"#define TRACK_{state.upper()} {upper}_{state.upper()}" for state in STATES),
        *(f"#define {macro} {name}_{word}" for macro, word in _NAMES.items()),
        f"#define JOINTS {n}",
        f"#define ROWS {len(data.weights)}",
        f"#define ENTRIES {len(data.places)}",
        f"#define SOLUTIONS {data.solutions}",
        f"#define PARAMETER {_PARAMETERS.get(data.parameter, data.parameter)}",
        f"#define FIRST {_number(data.first)}",
        f"#define LAST {_number(data.last)}",
        f"#define CLOSED {int(data.closed)}",
        f"#define EXACT {int(data.exact)}",
        f"#define MARGIN {_number(data.margin)}",
        f"#define ONLY_VALID {int(data.margin < SMALL_MARGIN)}",
        f"#define BLOCK {BLOCK}",
        f"#define LANES {FEW_LANES if data.margin < SMALL_MARGIN else LANES}",
        f"#define DEFAULT_JUMP {JUMP}",
        f"#define DEFAULT_SAMPLES {SAMPLES}",
        f"#define POSE_ERROR(q, T, k, e, J, placed) {error}(q, T, e, J, placed)",
        f"#define ERRORS(q, T, e, J, placed) {error}_batch(LANES, q, T, e, J, placed)",
        f"static const int PLACES[ENTRIES] = {{{', '.join(map(str, data.places))}}};",
        f"static const int TURNS[JOINTS] = {{{', '.join(str(int(turn)) for turn in data.turns)}}};",
        "",
        kernel_text("descent", ".c"),
        *(
            _array(text, values)
            for text, values in (
                ("SPEED[JOINTS]", data.speed),
                ("LIMITS[JOINTS]", data.limit_tolerances),
                ("LOWER[JOINTS]", data.lower),
                ("UPPER[JOINTS]", data.upper),
                ("HOME[JOINTS]", data.home),
                ("WRAPS[JOINTS]", [0.0] * n),  # positions of joints without limits are continuous
                ("UNITS[JOINTS]", data.units),
                ("WEIGHTS[ROWS]", data.weights),
                ("SCALES[ENTRIES]", data.scales),
            )
        ),
        "static const Problem PROBLEM = {NULL, LOWER, UPPER, WRAPS, UNITS, WEIGHTS, NULL, SCALES, NULL, NULL,",
        f"                                {DAMPING}, {PATIENCE}, {_number(data.tolerance)}, {ITERATIONS}, 1}};",
        "",
        "static void SEEDS(const double *T, const double *q0, const double *parameter, double *q, double *status,",
        "                  double *residual)",
        "{",
        *(f"    double {port.name}_[BLOCK * {max(1, size(port.shape))}];" for port in others),
        *([] if any(port.name == "swivel" for port in data.seeds.inputs) else ["    (void)parameter;"]),
        f"    {seeds}_batch({', '.join(arguments)});",
        "}",
        "",
        kernel_text("branches", ".c"),
    ]
    return "\n".join(lines)


_NAMES = {
    "BRANCHES": "branches",
    "MANY": "branches_many",
    "START": "start",
    "TRACK": "track",
    "TRACKER": "tracker",
}
_PARAMETERS = {SWIVEL: "SWIVEL", NO_PARAMETER: "NO_PARAMETER"}


def _array(declared: str, values: Sequence[float]) -> str:
    return f"static const double {declared} = {{{', '.join(map(_number, values))}}};"


def _number(value: float) -> str:
    if isinf(value):
        return "INFINITY" if value == inf else "-INFINITY"
    return repr(float(value))
