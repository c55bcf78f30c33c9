"""Singular configurations of a robot with closed loops, as readable conditions of three kinds.

Let W = [Wa Wp] be the constraint matrix (1997 paper, eq. 12; columns of active and of passive joints) and J the
Jacobian of a frame with respect to all joints of the tree.

    parallel (type 2)    det Wp = 0          the frame can move while the active joints are locked
    serial (type 1)      det [ W ] = 0       active joints can move while the frame is at rest
                             [ J ]           or det J alone, if the frame moves with active joints only
    constraint           rank W is lost      for any choice of active joints; these are also parallel and serial

C. Gosselin, J. Angeles, "Singularity analysis of closed-loop kinematic chains", IEEE Transactions on Robotics and
Automation 6(3), 1990; D. Zlatanov, I. Bonev, C. Gosselin, "Constraint singularities of parallel mechanisms", ICRA
2002.

W has one column per joint of the tree. The cut frames k and k + B of a loop coincide. Both sides of the loop give the
velocity of this frame, each expressed in the frame itself,

    column of a joint j on the path to it  [ p x z ]  or  [ z ]       z, p: axis and origin of frame j in frame k
                                           [   z   ]      [ 0 ]       (in k + B for the other side, with a minus)

so that a column depends only on the joints between joint j and the end of the loop. The cut joint, along z of frame k,
appears in one row only. This row and the column of the cut joint are removed (1997 paper, eq. 12). In a planar loop,
the angle of the cut joint is the sum of the other angles. Rows that vanish at all closed configurations are omitted.
The number of remaining rows must equal the rank of the constraints. If it does not, rows of different loops depend on
each other, and the singularities are not analysed.

The joints of a parallelogram satisfy linear relations, even if it is flat and its velocity equations are dependent.
For parallel and serial singularities, these relations are its rows in Wp and W. For constraint singularities, its
velocity equations are used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import comb
from random import Random
from typing import Any

import numpy as np

from symoro.errors import NotApplicableError, ProgramError
from symoro.expr.bounds import bounds_in_numbers
from symoro.expr.evaluate import evaluate
from symoro.expr.linalg import Matrix, Vector, add, scale
from symoro.expr.ops import VARIABLE
from symoro.expr.scalar import Expr, Scalar, cos, sin, symbol
from symoro.models.coordinates.couplings import coordinates_at
from symoro.models.coordinates.provider import TreeCoordinates
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.geometric.loop.forms import constant_angle
from symoro.models.geometric.loop.mobility import Constraints, constraints, loop_mobility
from symoro.models.geometric.loop.parallelogram import parallelogram_of
from symoro.models.geometric.loop.postures import loop_axes
from symoro.models.geometric.relative_placement import axes_from, placement_between
from symoro.models.joints import Trigonometry, is_zero
from symoro.models.kinematic.angles import condensed
from symoro.models.kinematic.determinant import Chosen, determinant
from symoro.models.kinematic.factoring import factored, simplified
from symoro.models.kinematic.jacobian import assembled, factors, joint_column
from symoro.models.kinematic.singularities import LINE, Singularities, minors_together, read, vanishing
from symoro.models.kinematic.splitting import text_of
from symoro.models.kinematic.tool import moving_frame
from symoro.models.tolerances import ZERO_ENTRY
from symoro.program.builder import Builder
from symoro.robot.coordinates import drivers, independent, positions, relation
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import Loop, chain, loops

PLANAR = ("planar", "parallelogram")
LINEAR = 3  # number of linear rows of a velocity


@dataclass(frozen=True)
class LoopRows:
    """Velocity constraints of all loops.

    Attributes:
        joints: numbers of the independent joints of the tree, one per column.
        q: symbols of the joint positions.
        loops: equations of each loop, as one or two equivalent matrices: in the axes of one cut frame and, for planar
            loops, also in those of the other cut frame.
        moving: equations of all loops, with linear relations for parallelograms.
        rank: number of independent equations.
        at: numerical constraints at closed configurations.
    """

    joints: tuple[int, ...]
    q: Mapping[int, Expr]
    loops: tuple[tuple[Matrix, ...], ...]
    moving: Matrix
    rank: int
    at: Constraints

    @property
    def independent(self) -> bool:
        """Whether the velocity equations are independent except in singular configurations."""
        return sum(len(forms[0]) for forms in self.loops) == self.rank

    def vanishes(self, values: Sequence[Scalar]) -> bool:
        """Return whether all given expressions are zero at all closed configurations, up to their rounding errors."""
        return _vanishes(self.at, values)

    def row_vanishes(self, row: int, values: Sequence[Scalar]) -> bool:
        """Return whether a row of the Jacobian is zero at all closed configurations.

        Args:
            row: index of the row. Rows 0 to 2 are linear, and their entries are compared with the size of the loops;
                entries of other rows are compared with 1.
            values: entries of the row.
        """
        return _vanishes(self.at, values, self.at.size if row < LINEAR else 1.0)


def loop_rows(builder: Builder, robot: Robot) -> LoopRows:
    """Return the velocity constraints of all loops of a robot.

    Raises:
        NotApplicableError: the loops do not close, or a cut joint is coupled to others.
    """
    if any(relation(robot, loop.left) for loop in loops(robot)):
        raise NotApplicableError(
            f"robot '{robot.name}': a cut joint is coupled to others; its singularities are not analysed"
        )
    mobility, at = loop_mobility(robot), constraints(robot)
    own = tuple(independent(robot))
    q: dict[int, Scalar] = {j: symbol(builder.graph, f"q{j}") for j in own}
    made: list[tuple[Matrix, ...]] = []
    moving: Matrix = []
    for one in mobility.loops:
        loop = one.loop
        here = _with_cut_joint(builder, robot, loop, q, at, one.kind)
        forms = [_rows(builder, robot, loop, here, at)]
        if one.kind in PLANAR and robot.frame(loop.left).sigma == JointType.REVOLUTE and len(forms[0]) == 2:
            forms.append(_turned(builder, here[loop.left], forms[0]))
        made.append(tuple(forms))
        linear = _linear_rows(builder, robot, loop, own) if one.kind == "parallelogram" else None
        moving += forms[0] if linear is None else linear
    symbols = {j: x for j, x in q.items() if isinstance(x, Expr)}
    return LoopRows(own, symbols, tuple(made), moving, mobility.rank - len(mobility.opened), at)


def _with_cut_joint(
    builder: Builder, robot: Robot, loop: Loop, q: Mapping[int, Scalar], at: Constraints, kind: str
) -> dict[int, Scalar]:
    """Return the positions of all joints, including the cut joint of a loop.

    The position of the cut joint is the sum of the other joint angles if the loop is planar, and a new symbol if it is
    not.

    Args:
        q: positions of the independent joints.
        at: numerical constraints at closed configurations.
        kind: kind of the loop, such as 'planar'.
    """
    here = positions(robot, q, builder.formula)
    k = loop.left
    if not robot.frame(k).moving:
        return here
    if kind not in PLANAR or robot.frame(k).sigma != JointType.REVOLUTE:
        return {**here, k: symbol(builder.graph, f"q{k}")}
    axes, _ = loop_axes(robot, at.postures, loop)
    still: dict[int, Scalar] = dict.fromkeys(loop.frames, 0)
    trig = Trigonometry(builder, robot)
    turn = placement_between(builder, robot, loop.right, loop.left, {**here, **still}, trig)
    total: Scalar = -constant_angle(builder, Probes(builder), turn[1][0], turn[0][0]).constant(builder)
    for side, j in [(1, j) for j in loop.left_chain] + [(-1, j) for j in loop.right_chain]:
        if robot.frame(j).sigma == JointType.REVOLUTE and j != k:
            total = total - side * _sign(axes[j][0], axes[k][0]) * here[j]
    return {**here, k: total}


def _sign(one: Any, other: Any) -> int:
    """Return 1 if two parallel axes have the same direction, else -1."""
    return 1 if float((one[0] * other[0]).sum()) > 0 else -1


def _rows(builder: Builder, robot: Robot, loop: Loop, q: Mapping[int, Scalar], at: Constraints) -> Matrix:
    """Return the velocity equations of a loop: velocity of one cut frame of the loop minus that of the other.

    The equation that contains the cut joint, and equations that vanish at all closed configurations, are omitted.

    Args:
        q: joint positions, by joint number.
        at: numerical constraints at closed configurations.
    """
    own = independent(robot)
    columns: dict[int, Vector] = {j: [0] * 6 for j in own}
    trig = Trigonometry(builder, robot)
    for end, joints, side in ((loop.left, loop.left_chain, 1), (loop.right, loop.right_chain, -1)):
        axes = axes_from(builder, robot, end, end, q, trig)
        for j in joints:
            if not robot.frame(j).moving or j > robot.NL:  # fixed or cut joint
                continue
            column = joint_column(robot, j, *axes[j])
            for i, ratio in drivers(robot, j, builder.formula):
                columns[i] = add(columns[i], scale(side * ratio, column))
    cut_row = {JointType.REVOLUTE: 5, JointType.PRISMATIC: 2}.get(robot.frame(loop.left).sigma)
    rows = {r: [columns[j][r] for j in own] for r in range(6) if r != cut_row}
    return [row for r, row in rows.items() if not _vanishes(at, row, at.size if r < LINEAR else 1.0)]


def _turned(builder: Builder, angle: Scalar, rows: Matrix) -> Matrix:
    """Return the two linear equations of a planar loop, rotated by the angle of the loop's cut joint.

    Args:
        angle: angle of the cut joint in rad.
        rows: the two equations in the axes of the cut frame.
    """
    first, second = rows
    c, s = cos(angle), sin(angle)
    made = condensed(builder, [first, second, [c, s, *[0] * (len(first) - 2)]])
    (x, y), (c, s, *_) = made.matrix[:2], made.matrix[2]
    both = (
        [c * a - s * b for a, b in zip(x, y, strict=True)],
        [s * a + c * b for a, b in zip(x, y, strict=True)],
    )
    return [[made.written(simplified(value)) for value in row] for row in both]


def _vanishes(at: Constraints, values: Sequence[Scalar], size: float | None = None) -> bool:
    """Return whether all given expressions are zero at all closed configurations.

    Args:
        at: numerical constraints at closed configurations.
        values: expressions in the joint positions and the robot's parameters.
        size: magnitude relative to which the values are compared with zero; by default, each value is compared with the
            bound of its rounding error.
    """
    exprs = [x for x in values if isinstance(x, Expr)]
    if any(x for x in values if not isinstance(x, Expr)):
        return False
    if not exprs:
        return True
    variables = {f"q{j}": x for j, x in at.postures.joints.items()}
    generator = Random(1)
    names = sorted({name for x in exprs for name in x.symbols()} - variables.keys())
    others = {name: generator.uniform(0.35, 1.65) for name in names}  # lengths that do not occur in a loop
    graph, lits, results = exprs[0].graph, [x.lit for x in exprs], dict[int, Any]()
    numbers = evaluate(graph, lits, {**others, **at.postures.parameters}, variables, results)
    sizes = bounds_in_numbers(graph, lits, results) if size is None else [size] * len(numbers)
    pairs = zip(numbers, sizes, strict=True)
    return all(bool((np.abs(x) <= ZERO_ENTRY * most).all()) for x, most in pairs)


def _linear_rows(builder: Builder, robot: Robot, loop: Loop, own: Sequence[int]) -> Matrix | None:
    """Return the linear relations of a parallelogram as rows of the constraints; None for other loops.

    Opposite sides remain parallel: with phi_a .. phi_d the orientations of the four bars, phi_c - phi_a and phi_d -
    phi_b are constant.

    Args:
        own: numbers of the joints to which the columns belong.
    """
    four_bar = parallelogram_of(builder, robot, loop)
    if four_bar is None:
        return None
    (a, b, c, d), closing = four_bar
    rows = []
    for form in (c.form - a.form, d.form - b.form):
        times = form.joints.get(loop.left, 0) * closing.joints.get(
            loop.left, 0
        )  # coefficients of the cut joint are +-1
        rows.append((form - times * closing).joints)
    return [[row.get(j, 0) for j in own] for row in rows]


MAX_MINORS = 40
MAX_FORMS = 16  # forms of the constraints that are compared
MAX_TOGETHER, MAX_TEXT = 8, 3000  # largest number of expressions and characters of a readable condition
LONG = "some conditions are omitted: too many expressions must vanish together"
MAX_TRIED = 8  # frames in which J is expressed, of which the best is used
MAX_PRODUCTS = 10**9  # of a determinant: 5e6 products give readable conditions, 3e12 do not
NUMERIC = "symoro.singularity_analysis computes the distance to the singularities at given configurations"
PARALLEL, SERIAL, CONSTRAINT = "determinant of Wp", "determinant of W and J of frame {}", "minors of W"
DEPENDENT = "not analysed: rows of the constraints are dependent in every configuration"
MANY = "not analysed: the constraints have too many minors"


@dataclass(frozen=True)
class LoopSingularities:
    """Singular configurations of a robot with loops, by kind: parallel, serial and constraint singularities."""

    robot: str
    parallel: Singularities
    serial: Singularities
    constraint: Singularities

    @property
    def complete(self) -> bool:
        """Whether the conditions of all three kinds include all singular configurations."""
        return self.parallel.complete and self.serial.complete and self.constraint.complete

    def __str__(self) -> str:
        parts = [
            ("parallel (type 2): the frame can move while the active joints are locked", self.parallel),
            ("serial (type 1): the active joints can move while the frame is at rest", self.serial),
            ("constraint: the loops' constraints lose rank", self.constraint),
        ]
        lines = [self.robot]
        for title, part in parts:
            lines += [f"{title}; {part.meaning}", *part.lines()]
        return "\n".join(lines)


def loop_singularities(robot: Robot, to: int | str | None = None) -> LoopSingularities:
    """Determine the singular configurations of a robot with loops.

    Args:
        to: frame to which the serial singularities refer; by default the tool, the platform or the last link's frame.

    A kind whose conditions are too long for text is not analysed: it has no conditions, and a note with the reason.

    Raises:
        NotApplicableError: the active joints do not determine the loops, or the loops do not close.
    """
    counts = {serial: _products(robot, to, serial=serial) for serial in (False, True)}
    too_long = {
        serial: f"not analysed: the determinant has up to {products:.0e} products; {NUMERIC}"
        for serial, products in counts.items()
        if products > MAX_PRODUCTS
    }
    if len(too_long) == len(counts):
        _, end, _ = moving_frame(robot, to)
        return LoopSingularities(
            robot.name,
            _not_analysed(robot, PARALLEL, too_long[False]),
            _not_analysed(robot, SERIAL.format(end), too_long[True]),
            _not_analysed(robot, CONSTRAINT, f"{MANY}; {NUMERIC}"),
        )
    return _conditions(robot, to, too_long)


def _products(robot: Robot, to: int | str | None, *, serial: bool) -> int:
    """Return an upper bound of the number of products in an expanded determinant.

    The determinant is that of Wp (the constraint matrix of the passive joints) or, if `serial` is true, that of the
    whole constraint matrix W above the Jacobian J of frame `to`. A loop contributes six rows, or five if its cut joint
    can move, with nonzero entries in the columns of its joints; J has one row per active joint. Each product of the
    determinant assigns one joint to each row. If there are more rows than joints (planar loops, parallelograms), rows
    are dependent and the actual determinant is smaller; the bound 0 is then returned.
    """
    joints = set(independent(robot))
    active = {j for j in joints if robot.frame(j).mu}
    parts = [(6 - robot.frame(loop.left).moving, joints.intersection(loop.frames)) for loop in loops(robot)]
    if not serial:
        parts = [(rows, columns - active) for rows, columns in parts]
    else:
        tree, end, _ = moving_frame(robot, to)
        parts.append((min(6, len(active)), joints.intersection(chain(tree, end))))
    return max((_assignments(group) for group in _sharing(parts)), default=0)


def _sharing(parts: Sequence[tuple[int, set[int]]]) -> list[list[tuple[int, set[int]]]]:
    """Group matrices, each given as (number of rows, joints), so that those in different groups share no joint."""
    groups: list[list[tuple[int, set[int]]]] = []
    for part in parts:
        own = [group for group in groups if any(columns & part[1] for _, columns in group)]
        groups = [group for group in groups if group not in own]
        groups.append([*(one for group in own for one in group), part])
    return groups


def _assignments(parts: Sequence[tuple[int, set[int]]]) -> int:
    """Return the number of ways to assign one joint to each row of several matrices.

    Args:
        parts: number of rows and set of joints of each matrix.

    Returns:
        The number of assignments; 0 if the total numbers of rows and joints differ.
    """
    joints = set().union(*(columns for _, columns in parts))
    if sum(rows for rows, _ in parts) != len(joints):
        return 0
    counts = {tuple(rows for rows, _ in parts): 1}  # key: remaining rows of each part
    for j in sorted(joints):
        after: dict[tuple[int, ...], int] = {}
        for left, number in counts.items():
            for k, (_, columns) in enumerate(parts):
                if j in columns and left[k]:
                    fewer = (*left[:k], left[k] - 1, *left[k + 1 :])
                    after[fewer] = after.get(fewer, 0) + number * left[k]
        counts = after
    return sum(counts.values())


def _conditions(robot: Robot, to: int | str | None, too_long: Mapping[bool, str]) -> LoopSingularities:
    """Return the conditions of the three kinds.

    Args:
        too_long: reasons why the serial (key True) or the parallel singularities (key False) are not analysed.
    """
    remarks = [one for one in loop_mobility(robot).remarks if "active" in one]
    if remarks:
        raise NotApplicableError(f"robot '{robot.name}': {'; '.join(remarks)}")
    builder = Builder("singularities")
    rows = loop_rows(builder, robot)
    _, end, _ = moving_frame(robot, to)

    def part(meaning: str, analysed: Callable[[], Singularities], why: str | None = None) -> Singularities:
        try:
            return _not_analysed(robot, meaning, why) if why else analysed()
        except ProgramError as error:
            return _not_analysed(robot, meaning, f"not analysed: {error.message}; {NUMERIC}")

    return LoopSingularities(
        robot.name,
        part(PARALLEL, lambda: _parallel(builder, robot, rows), too_long.get(False)),
        part(SERIAL.format(end), lambda: _serial(builder, robot, rows, to), too_long.get(True)),
        part(CONSTRAINT, lambda: _constraint(builder, robot, rows)),
    )


def _not_analysed(robot: Robot, meaning: str, why: str) -> Singularities:
    return Singularities(robot.name, meaning, (), False, False, (why,))


def _parallel(builder: Builder, robot: Robot, rows: LoopRows) -> Singularities:
    meaning = PARALLEL
    if not rows.independent:
        return _not_analysed(robot, meaning, DEPENDENT)
    passive = _passive(robot, rows)
    return _square(builder, robot, rows, [[row[k] for k in passive] for row in rows.moving], meaning)


def _passive(robot: Robot, rows: LoopRows) -> list[int]:
    """Return the indices of the columns that belong to passive joints."""
    return [k for k, j in enumerate(rows.joints) if not robot.frame(j).mu]


def _square(builder: Builder, robot: Robot, rows: LoopRows, matrix: Matrix, meaning: str) -> Singularities:
    """Return the conditions under which a square matrix is singular.

    The determinant is written in the sums of joint angles that occur in it, and in differences of these sums; the
    shorter result is returned.

    Args:
        rows: velocity constraints of the loops.
        matrix: the square matrix.
        meaning: description of the determinant.
    """
    return min(
        (_factored(builder, robot, rows, matrix, meaning, between) for between in (False, True)),
        key=lambda part: (len(part.notes), sum(len(c.expression) for c in part.conditions)),
    )


def _factored(
    builder: Builder, robot: Robot, rows: LoopRows, matrix: Matrix, meaning: str, between: bool
) -> Singularities:
    made = condensed(builder, matrix, between=between)
    square: Matrix = [list(row) for row in made.matrix]
    det = determinant(builder, Chosen(square, meaning))
    notes: dict[str, None] = {}
    cases = [(_shorter(made.written(factor)),) for factor in vanishing(det.blocks, notes)]
    cases = [case for case in cases if _moves(case)]
    always = det.sign == 0 or any(rows.vanishes(case) for case in cases)
    return read(robot, meaning, () if always else cases, always, notes)


def _moves(case: Sequence[Expr]) -> bool:
    """Return whether one of the expressions depends on the configuration.

    Args:
        case: expressions that vanish together.
    """
    return any(value.cls == VARIABLE for value in case)


def _serial(builder: Builder, robot: Robot, rows: LoopRows, to: int | str | None) -> Singularities:
    tree, end, _ = moving_frame(robot, to)
    meaning = SERIAL.format(end)
    if not rows.independent:
        return _not_analysed(robot, meaning, DEPENDENT)
    trig = Trigonometry(builder, tree)
    joints = TreeCoordinates(coordinates_at(tree, rows.q, builder.formula))
    path = (0, *chain(tree, end))
    passive = _passive(robot, rows)
    stacks: list[tuple[str, str, Matrix]] = []
    for m in path[:: 1 + len(path) // MAX_TRIED]:
        j = assembled(factors(builder, tree, end, m, m, joints, trig, named=False))
        nonzero = [
            k for k in range(len(rows.joints)) if any(not is_zero(row[k]) for row in (*rows.moving, *j))
        ]
        needed = len(nonzero) - len(rows.moving)
        for count, words in ((6, "rows"), (3, "linear rows")):
            moving = [row for r, row in enumerate(j[:count]) if not rows.row_vanishes(r, row)]
            if len(moving) == needed:
                stacks.append((words, *_stacked(rows.moving, moving, nonzero, passive)))
                break
    if not stacks:
        why = f"not analysed: the degrees of freedom of frame {end} differ from the number of active joints"
        return _not_analysed(robot, meaning, why)
    words, before, best = min(stacks, key=lambda one: (one[0] != "rows", _size(builder, one[2])))
    words = f"determinant of {before}the {words} of J of frame {end} that are not zero"
    return _square(builder, robot, rows, best, words)


def _stacked(
    loops: Matrix, moving: Matrix, nonzero: Sequence[int], passive: Sequence[int]
) -> tuple[str, Matrix]:
    """Return the name and the matrix of the determinant that gives the serial singularities.

    The matrix is the constraint matrix W above the Jacobian J of the frame. If the frame moves only with active joints,
    it is J with respect to the active joints, because det [W; J] = det Wp det J, with Wp the columns of W of passive
    joints. Where Wp is singular, only passive joints move while the active joints and the frame are at rest.

    Args:
        loops: matrix W.
        moving: rows of J that are not zero.
        nonzero: indices of the columns that are not zero in W and J.
        passive: indices of the columns of passive joints.
    """
    if any(not is_zero(row[k]) for row in moving for k in passive):
        return "W and ", [[row[k] for k in nonzero] for row in (*loops, *moving)]
    return "", [[row[k] for k in nonzero if k not in passive] for row in moving]


def _size(builder: Builder, matrix: Matrix) -> int:
    return len(builder.graph.reachable([builder.number(x).lit for row in matrix for x in row]))


def _constraint(builder: Builder, robot: Robot, rows: LoopRows) -> Singularities:
    """Return the conditions under which the velocity equations of the loops become dependent.

    Equations that cannot be part of a linear dependence are removed. The remaining ones are dependent where all their
    largest minors vanish.
    """
    meaning = CONSTRAINT
    if not rows.independent:
        return _not_analysed(robot, meaning, DEPENDENT)
    reduced = (_reduced([row for loop in choice for row in loop]) for choice in product(*rows.loops))
    left = min(islice(reduced, MAX_FORMS), key=lambda matrix: (len(matrix), _size(builder, matrix)))
    notes: dict[str, None] = {}
    cases: list[tuple[Expr, ...]] = []
    complete = True
    for group in _groups(left):
        nonzero = [k for k in range(len(rows.joints)) if any(not is_zero(row[k]) for row in group)]
        if comb(len(nonzero), len(group)) > MAX_MINORS:
            notes[MANY], complete = None, False
            continue
        part: Matrix = [[row[k] for k in nonzero] for row in group]
        tried = [_dependent(builder, part, meaning, between) for between in (False, True)]
        best: list[tuple[Expr, ...]] = min(tried, key=_effort)
        cases += best
    short = [case for case in cases if _readable(case)]
    if len(short) < len(cases):
        notes[LONG], complete = None, False
    return read(robot, meaning, short, False, notes, complete=complete)


def _dependent(builder: Builder, part: Matrix, meaning: str, between: bool) -> list[tuple[Expr, ...]]:
    """Return the cases in which the rows of a matrix are dependent; in each case, all expressions are zero.

    Args:
        part: the matrix.
        meaning: description of the matrix.
        between: whether differences of the sums of joint angles in the matrix may be used as angles.
    """
    made = condensed(builder, part, between=between)
    columns = _shortened([list(column) for column in zip(*made.matrix, strict=True)])
    matrix: Matrix = [list(row) for row in zip(*columns, strict=True)]
    cases_of_minors = minors_together(builder, Chosen(matrix, meaning), {})
    written = [[_shorter(made.written(value)) for value in case] for case in cases_of_minors]
    return [tuple(value for value in case if value.cls == VARIABLE) for case in written]


def _shorter(value: Expr) -> Expr:
    """Return a shorter expression with the same zeros if factoring gives one, else the expression itself.

    For example, sin(q2) replaces a sum of two products.
    """
    text = text_of(value)
    if len(text) > LINE * 2:
        return value
    parts = [part for part, _ in factored(value).factors if part.cls == VARIABLE]
    return parts[0] if len(parts) == 1 and len(text_of(parts[0])) < len(text) else value


def _effort(cases: Sequence[Sequence[Expr]]) -> tuple[int, int]:
    """Return how hard conditions are to read: number of cases that are too long, total number of characters.

    Args:
        cases: expressions that vanish together, per case.
    """
    return sum(not _readable(case) for case in cases), sum(
        len(text_of(value)) for case in cases for value in case
    )


def _shortened(columns: list[list[Expr]]) -> list[list[Expr]]:
    """Replace each column by its sum or difference with the next column if this is shorter; the rank does not change.

    For a loop, the new column contains the bar between two axes instead of the path from the first axis to the end of
    the loop.
    """
    shortened = list(columns)
    for k in range(len(columns) - 1):
        tried = [
            [simplified(a + sign * b) for a, b in zip(columns[k], columns[k + 1], strict=True)]
            for sign in (-1, 1)
        ]
        shortened[k] = min([columns[k], *tried], key=lambda column: sum(len(text_of(x)) for x in column))
    return shortened


def _readable(case: Sequence[Expr]) -> bool:
    return len(case) <= MAX_TOGETHER and sum(len(text_of(value)) for value in case) <= MAX_TEXT


def _reduced(rows: Matrix) -> Matrix:
    """Return the matrix without the rows that cannot be part of a linear dependence between rows.

    Such a row has the only nonzero entry of a column, and this entry is constant.
    """
    while True:
        columns = zip(*rows, strict=True)
        alone = next((r for column in columns if (r := _only_constant(column)) is not None), None)
        if alone is None:
            return rows
        rows = [row for r, row in enumerate(rows) if r != alone]


def _only_constant(column: Sequence[Scalar]) -> int | None:
    """Return the index of the only nonzero entry of a column if this entry is constant, else None."""
    places = [r for r, x in enumerate(column) if not is_zero(x)]
    if len(places) != 1:
        return None
    x = column[places[0]]
    return places[0] if not isinstance(x, Expr) or x.cls != VARIABLE else None


def _groups(rows: Matrix) -> list[Matrix]:
    """Group the rows so that rows in different groups have no nonzero column in common."""
    groups: list[tuple[set[int], Matrix]] = []
    for row in rows:
        own, members = {k for k, x in enumerate(row) if not is_zero(x)}, [row]
        for other in [group for group in groups if group[0] & own]:
            groups.remove(other)
            own, members = own | other[0], other[1] + members
        groups.append((own, members))
    return [members for _, members in groups]
