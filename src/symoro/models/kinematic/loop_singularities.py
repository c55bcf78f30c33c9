"""Where a robot with closed loops is singular, as conditions that a person can read: three kinds.

With W = [Wa Wp] the constraints (1997 paper, eq. 12) and J the Jacobian of a frame by all joints of the tree,

    parallel (type 2)    det Wp = 0          the frame can move while the active joints are locked
    serial (type 1)      det [ W ] = 0       active joints can move while the frame stands
                             [ J ]           or det J alone, where the frame moves with active joints only
    constraint           rank W is lost      whichever joints are active; such postures are parallel and serial too

C. Gosselin, J. Angeles, "Singularity analysis of closed-loop kinematic chains", IEEE Transactions on Robotics and
Automation 6(3), 1990; D. Zlatanov, I. Bonev, C. Gosselin, "Constraint singularities of parallel mechanisms", ICRA 2002.

The rows [Wa Wp] have one column per joint of the tree. Frames k and k + B of a loop are one frame: both sides give its
velocity, each seen from that frame itself,

    column of a joint j on the way to it   [ p x z ]  or  [ z ]       z, p: axis and origin of frame j in frame k
                                           [   z   ]      [ 0 ]       (in k + B for the other side, with a minus)

so that a column depends on the joints between its own and the loop's end alone. The opened joint, along z of frame k,
has one entry: its row goes, and its column (1997 paper, eq. 12). In a planar loop its angle is the sum of the others'.
Rows that vanish at all closed postures are left out; what is left must be as many as the constraints' rank, or the
rows depend on each other in a way that is not seen in the loops one by one.

A parallelogram moves by relations that are linear in its joints, also where it lies flat and the rows are dependent:
they are its rows where the motion of the robot counts, not the rank of its constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
LINEAR = 3  # the first rows of a velocity


@dataclass(frozen=True)
class LoopRows:
    """The constraints of all loops.

    Attributes:
        joints: columns, the joints of the tree with a coordinate of their own.
        q: their symbols.
        loops: for each, its rows as velocities of the frame where it is opened: in the axes of frame k + B, and in
            those of frame k before its joint turns.
        moving: the rows of all of them with linear relations for parallelograms.
        rank: the number of rows that are independent.
        at: numbers at closed postures.
    """

    joints: tuple[int, ...]
    q: Mapping[int, Expr]
    loops: tuple[tuple[Matrix, ...], ...]
    moving: Matrix
    rank: int
    at: Constraints

    @property
    def independent(self) -> bool:
        """Whether no row depends on the others but at singular postures."""
        return sum(len(forms[0]) for forms in self.loops) == self.rank

    def vanishes(self, values: Sequence[Scalar]) -> bool:
        """Return whether expressions are zero at all closed postures, each compared with its own bound."""
        return _vanishes(self.at, values)

    def row_vanishes(self, row: int, values: Sequence[Scalar]) -> bool:
        """Return the same for a row of the Jacobian matrix, from 0, compared with 1 or the size of the loops."""
        return _vanishes(self.at, values, self.at.size if row < LINEAR else 1.0)


def loop_rows(builder: Builder, robot: Robot) -> LoopRows:
    """The rows of all loops of a robot.

    Raises:
        NotApplicableError: the loops do not close, or an opened joint follows others.
    """
    if any(relation(robot, loop.left) for loop in loops(robot)):
        raise NotApplicableError(
            f"robot '{robot.name}': an opened joint follows others, which is not analysed"
        )
    mobility, at = loop_mobility(robot), constraints(robot)
    own = tuple(independent(robot))
    q: dict[int, Scalar] = {j: symbol(builder.graph, f"q{j}") for j in own}
    made: list[tuple[Matrix, ...]] = []
    moving: Matrix = []
    for one in mobility.loops:
        loop = one.loop
        here = _with_opened(builder, robot, loop, q, at, one.kind)
        forms = [_rows(builder, robot, loop, here, at)]
        if one.kind in PLANAR and robot.frame(loop.left).sigma == JointType.REVOLUTE and len(forms[0]) == 2:
            forms.append(_turned(builder, here[loop.left], forms[0]))
        made.append(tuple(forms))
        linear = _linear_rows(builder, robot, loop, own) if one.kind == "parallelogram" else None
        moving += forms[0] if linear is None else linear
    symbols = {j: x for j, x in q.items() if isinstance(x, Expr)}
    return LoopRows(own, symbols, tuple(made), moving, mobility.rank - len(mobility.opened), at)


def _with_opened(
    builder: Builder, robot: Robot, loop: Loop, q: Mapping[int, Scalar], at: Constraints, kind: str
) -> dict[int, Scalar]:
    """The positions of all joints of a loop; an angle that closes a planar one is the sum of the others'."""
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
    """Of two parallel axes whether they point the same way."""
    return 1 if float((one[0] * other[0]).sum()) > 0 else -1


def _rows(builder: Builder, robot: Robot, loop: Loop, q: Mapping[int, Scalar], at: Constraints) -> Matrix:
    """Velocity of frame k less that of frame k + B, without the row of the opened joint and those that vanish."""
    own = independent(robot)
    columns: dict[int, Vector] = {j: [0] * 6 for j in own}
    trig = Trigonometry(builder, robot)
    for end, joints, side in ((loop.left, loop.left_chain, 1), (loop.right, loop.right_chain, -1)):
        axes = axes_from(builder, robot, end, end, q, trig)
        for j in joints:
            if not robot.frame(j).moving or j > robot.NL:  # fixed, or opened
                continue
            column = joint_column(robot, j, *axes[j])
            for i, ratio in drivers(robot, j, builder.formula):
                columns[i] = add(columns[i], scale(side * ratio, column))
    cut_row = {JointType.REVOLUTE: 5, JointType.PRISMATIC: 2}.get(robot.frame(loop.left).sigma)
    rows = {r: [columns[j][r] for j in own] for r in range(6) if r != cut_row}
    return [row for r, row in rows.items() if not _vanishes(at, row, at.size if r < LINEAR else 1.0)]


def _turned(builder: Builder, angle: Scalar, rows: Matrix) -> Matrix:
    """The two rows of a planar loop in axes before the turn of its opened joint."""
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
    """Return whether expressions are zero at all closed postures, compared with a size, or with their own bounds."""
    exprs = [x for x in values if isinstance(x, Expr)]
    if any(x for x in values if not isinstance(x, Expr)):
        return False
    if not exprs:
        return True
    variables = {f"q{j}": x for j, x in at.postures.joints.items()}
    chance = Random(1)
    names = sorted({name for x in exprs for name in x.symbols()} - variables.keys())
    others = {name: chance.uniform(0.35, 1.65) for name in names}  # lengths that are in no loop
    graph, lits, results = exprs[0].graph, [x.lit for x in exprs], dict[int, Any]()
    numbers = evaluate(graph, lits, {**others, **at.postures.parameters}, variables, results)
    sizes = bounds_in_numbers(graph, lits, results) if size is None else [size] * len(numbers)
    pairs = zip(numbers, sizes, strict=True)
    return all(bool((np.abs(x) <= ZERO_ENTRY * most).all()) for x, most in pairs)


def _linear_rows(builder: Builder, robot: Robot, loop: Loop, own: Sequence[int]) -> Matrix | None:
    """Opposite sides of a parallelogram stay parallel: phi_c - phi_a and phi_d - phi_b are constant."""
    four_bar = parallelogram_of(builder, robot, loop)
    if four_bar is None:
        return None
    (a, b, c, d), closing = four_bar
    rows = []
    for form in (c.form - a.form, d.form - b.form):
        times = form.joints.get(loop.left, 0) * closing.joints.get(loop.left, 0)  # +-1 in the sum of all
        rows.append((form - times * closing).joints)
    return [[row.get(j, 0) for j in own] for row in rows]


MAX_MINORS = 40
MAX_WAYS = 16  # to write the constraints
MAX_TOGETHER, MAX_TEXT = 8, 3000  # expressions and characters of a condition that a person reads
LONG = "not written: conditions of many expressions that vanish together"
MAX_TRIED = 8  # frames in which J is expressed
MAX_PRODUCTS = 10**9  # of a determinant: conditions of loops with 5e6 can be written, with 3e12 they cannot
NUMERIC = "compute the singular values of Wp (model loop-kinematics) or of J (model jacobian) at postures of interest"
DEPENDENT = "not analysed: rows of the constraints depend on each other in every posture"
MANY = "not analysed: too many minors of the constraints"


@dataclass(frozen=True)
class LoopSingularities:
    """The singularities of a robot with loops, each kind with its conditions."""

    robot: str
    parallel: Singularities
    serial: Singularities
    constraint: Singularities

    @property
    def complete(self) -> bool:
        """Whether there is no singular posture beside the conditions."""
        return self.parallel.complete and self.serial.complete and self.constraint.complete

    def __str__(self) -> str:
        parts = [
            ("parallel (type 2): it moves with the active joints locked", self.parallel),
            ("serial (type 1): the active joints move with the frame at rest", self.serial),
            ("constraint: the loops' constraints lose rank", self.constraint),
        ]
        lines = [self.robot]
        for title, part in parts:
            lines += [f"{title}; {part.meaning}", *part.lines()]
        return "\n".join(lines)


def loop_singularities(robot: Robot, to: int | str | None = None) -> LoopSingularities:
    """The singularities of a robot with loops, the serial ones for a frame.

    Raises:
        NotApplicableError: the active joints do not fit the loops, or these do not close.
        ProgramError: the conditions are too long to be written.
    """
    products = max(_products(robot, to, serial=serial) for serial in (False, True))
    if products > MAX_PRODUCTS:
        raise ProgramError(
            f"the singularities of robot '{robot.name}' cannot be written as conditions: a determinant of the velocity "
            f"equations of its loops has up to {products:.0e} products",
            hint=NUMERIC,
        )
    try:
        return _conditions(robot, to)
    except ProgramError as error:
        raise ProgramError(
            f"the singularities of robot '{robot.name}' cannot be written as conditions: {error.message}",
            hint=error.hint or NUMERIC,
        ) from None


def _products(robot: Robot, to: int | str | None, *, serial: bool) -> int:
    """Return an upper bound of the number of products in the determinant of Wp, or of W and J of a frame.

    A loop has six equations, less one for an opened joint that moves, in the joints of its frames; J has as many rows
    as there are active joints. The products are the ways to assign a joint to each row. Where there are more rows than
    joints (planar loops, parallelograms), rows depend on each other, and the determinant is smaller: nothing is known.
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
    """Parts that share joints, together."""
    groups: list[list[tuple[int, set[int]]]] = []
    for part in parts:
        own = [group for group in groups if any(columns & part[1] for _, columns in group)]
        groups = [group for group in groups if group not in own]
        groups.append([*(one for group in own for one in group), part])
    return groups


def _assignments(parts: Sequence[tuple[int, set[int]]]) -> int:
    """Return the number of assignments of a joint of its part to each row of every part; 0 if not square."""
    joints = set().union(*(columns for _, columns in parts))
    if sum(rows for rows, _ in parts) != len(joints):
        return 0
    counts = {tuple(rows for rows, _ in parts): 1}  # by the rows that are left in each part
    for j in sorted(joints):
        after: dict[tuple[int, ...], int] = {}
        for left, number in counts.items():
            for k, (_, columns) in enumerate(parts):
                if j in columns and left[k]:
                    fewer = (*left[:k], left[k] - 1, *left[k + 1 :])
                    after[fewer] = after.get(fewer, 0) + number * left[k]
        counts = after
    return sum(counts.values())


def _conditions(robot: Robot, to: int | str | None) -> LoopSingularities:
    remarks = [one for one in loop_mobility(robot).remarks if "active" in one]
    if remarks:
        raise NotApplicableError(f"robot '{robot.name}': {'; '.join(remarks)}")
    builder = Builder("singularities")
    rows = loop_rows(builder, robot)
    return LoopSingularities(
        robot.name,
        _parallel(builder, robot, rows),
        _serial(builder, robot, rows, to),
        _constraint(builder, robot, rows),
    )


def _not_analysed(robot: Robot, meaning: str, why: str) -> Singularities:
    return Singularities(robot.name, meaning, (), False, False, (why,))


def _parallel(builder: Builder, robot: Robot, rows: LoopRows) -> Singularities:
    meaning = "determinant of Wp"
    if not rows.independent:
        return _not_analysed(robot, meaning, DEPENDENT)
    passive = _passive(robot, rows)
    return _square(builder, robot, rows, [[row[k] for k in passive] for row in rows.moving], meaning)


def _passive(robot: Robot, rows: LoopRows) -> list[int]:
    """The columns of passive joints."""
    return [k for k, j in enumerate(rows.joints) if not robot.frame(j).mu]


def _square(builder: Builder, robot: Robot, rows: LoopRows, matrix: Matrix, meaning: str) -> Singularities:
    """Where a square matrix is singular: in the angles that occur, or those between them, whichever is shorter."""
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
    """Whether a joint is in it, and not the robot's lengths and angles alone."""
    return any(value.cls == VARIABLE for value in case)


def _serial(builder: Builder, robot: Robot, rows: LoopRows, to: int | str | None) -> Singularities:
    tree, end, _ = moving_frame(robot, to)
    meaning = f"determinant of W and J of frame {end}"
    if not rows.independent:
        return _not_analysed(robot, meaning, DEPENDENT)
    trig = Trigonometry(builder, tree)
    joints = TreeCoordinates(coordinates_at(tree, rows.q, builder.formula))
    way = (0, *chain(tree, end))
    passive = _passive(robot, rows)
    stacks: list[tuple[str, str, Matrix]] = []
    for m in way[:: 1 + len(way) // MAX_TRIED]:
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
        why = f"not analysed: frame {end} moves in more or fewer ways than there are active joints"
        return _not_analysed(robot, meaning, why)
    words, before, best = min(stacks, key=lambda one: (one[0] != "rows", _size(builder, one[2])))
    words = f"determinant of {before}the {words} of J of frame {end} that are not zero"
    return _square(builder, robot, rows, best, words)


def _stacked(
    loops: Matrix, moving: Matrix, nonzero: Sequence[int], passive: Sequence[int]
) -> tuple[str, Matrix]:
    """W over J, and W in words; or J alone by the active joints, where the frame moves with these only.

    There det [W; J] = det Wp det J, and where Wp is singular the passive joints move, but neither the active ones nor
    the frame.
    """
    if any(not is_zero(row[k]) for row in moving for k in passive):
        return "W and ", [[row[k] for k in nonzero] for row in (*loops, *moving)]
    return "", [[row[k] for k in nonzero if k not in passive] for row in moving]


def _size(builder: Builder, matrix: Matrix) -> int:
    return len(builder.graph.reachable([builder.number(x).lit for row in matrix for x in row]))


def _constraint(builder: Builder, robot: Robot, rows: LoopRows) -> Singularities:
    """Where rows depend on each other: first without those that cannot be part of it, then by minors."""
    meaning = "minors of W"
    if not rows.independent:
        return _not_analysed(robot, meaning, DEPENDENT)
    reduced = (_reduced([row for loop in choice for row in loop]) for choice in product(*rows.loops))
    left = min(islice(reduced, MAX_WAYS), key=lambda matrix: (len(matrix), _size(builder, matrix)))
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
    """The cases in which rows depend on each other."""
    made = condensed(builder, part, between=between)
    columns = _shortened([list(column) for column in zip(*made.matrix, strict=True)])
    matrix: Matrix = [list(row) for row in zip(*columns, strict=True)]
    cases_of_minors = minors_together(builder, Chosen(matrix, meaning), {})
    written = [[_shorter(made.written(value)) for value in case] for case in cases_of_minors]
    return [tuple(value for value in case if value.cls == VARIABLE) for case in written]


def _shorter(value: Expr) -> Expr:
    """The expression by joints again, where its angles were sums that fall together: sin(q2) for two products."""
    text = text_of(value)
    if len(text) > LINE * 2:
        return value
    parts = [part for part, _ in factored(value).factors if part.cls == VARIABLE]
    return parts[0] if len(parts) == 1 and len(text_of(parts[0])) < len(text) else value


def _effort(cases: Sequence[Sequence[Expr]]) -> tuple[int, int]:
    """Of reading: cases that are too long, then characters."""
    return sum(not _readable(case) for case in cases), sum(
        len(text_of(value)) for case in cases for value in case
    )


def _shortened(columns: list[list[Expr]]) -> list[list[Expr]]:
    """Columns with the next one added or subtracted where that is shorter: the bar between two axes in place of the way
    from the first to the end of the loop. The rank is the same."""
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
    """Without rows that no dependence contains: each has a column for itself, with a length or a number in it."""
    while True:
        columns = zip(*rows, strict=True)
        alone = next((r for column in columns if (r := _only_constant(column)) is not None), None)
        if alone is None:
            return rows
        rows = [row for r, row in enumerate(rows) if r != alone]


def _only_constant(column: Sequence[Scalar]) -> int | None:
    """The place of the only entry of a column, where it does not depend on the posture."""
    places = [r for r, x in enumerate(column) if not is_zero(x)]
    if len(places) != 1:
        return None
    x = column[places[0]]
    return places[0] if not isinstance(x, Expr) or x.cls != VARIABLE else None


def _groups(rows: Matrix) -> list[Matrix]:
    """Rows that share joints, together."""
    groups: list[tuple[set[int], Matrix]] = []
    for row in rows:
        own, members = {k for k, x in enumerate(row) if not is_zero(x)}, [row]
        for other in [group for group in groups if group[0] & own]:
            groups.remove(other)
            own, members = own | other[0], other[1] + members
        groups.append((own, members))
    return [members for _, members in groups]
