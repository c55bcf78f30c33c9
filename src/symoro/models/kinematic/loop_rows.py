"""The velocity constraints of loops as expressions to be read: rows [Wa Wp], one column a joint of the tree.

Frames k and k + B of a loop are one frame: both sides give its velocity, each seen from that frame itself,

    column of a joint j on the way to it   [ p x z ]  or  [ z ]       z, p: axis and origin of frame j in frame k
                                           [   z   ]      [ 0 ]       (in k + B for the other side, with a minus)

so that a column depends on the joints between its own and the loop's end alone. The opened joint, along z of frame k,
has one entry: its row goes, and its column (1997 paper, eq. 12). In a planar loop its angle is the sum of the others'.
Rows that vanish at all closed postures are left out; what is left must be as many as the constraints' rank, or the
rows depend on each other in a way that is not seen in the loops one by one.

A parallelogram moves by relations that are linear in its joints, also where it lies flat and the rows are dependent:
they are its rows where what the robot does is asked, not what its constraints are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from symoro.errors import NotApplicableError
from symoro.expr.bounds import bounds_in_numbers
from symoro.expr.evaluate import evaluate
from symoro.expr.linalg import Matrix, Vector, add, scale
from symoro.expr.scalar import Expr, Scalar, cos, sin, symbol
from symoro.models.geometric.between import axes_from, placement_between
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.geometric.loop.forms import constant_angle
from symoro.models.geometric.loop.mobility import Constraints, constraints, loop_mobility
from symoro.models.geometric.loop.parallelogram import parallelogram_of
from symoro.models.geometric.loop.postures import loop_axes
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.angles import condensed
from symoro.models.kinematic.factoring import simplified
from symoro.models.kinematic.jacobian import joint_column
from symoro.models.tolerances import ZERO_ENTRY
from symoro.program.builder import Builder
from symoro.robot.coordinates import drivers, independent, positions, relation
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import Loop, loops

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
        return sum(len(ways[0]) for ways in self.loops) == self.rank

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
    found, at = loop_mobility(robot), constraints(robot)
    own = tuple(independent(robot))
    q: dict[int, Scalar] = {j: symbol(builder.graph, f"q{j}") for j in own}
    made: list[tuple[Matrix, ...]] = []
    moving: Matrix = []
    for one in found.loops:
        loop = one.loop
        here = _with_opened(builder, robot, loop, q, at, one.kind)
        ways = [_rows(builder, robot, loop, here, at)]
        if one.kind in PLANAR and robot.frame(loop.left).sigma == JointType.REVOLUTE and len(ways[0]) == 2:
            ways.append(_turned(builder, here[loop.left], ways[0]))
        made.append(tuple(ways))
        linear = _linear_rows(builder, robot, loop, own) if one.kind == "parallelogram" else None
        moving += ways[0] if linear is None else linear
    symbols = {j: x for j, x in q.items() if isinstance(x, Expr)}
    return LoopRows(own, symbols, tuple(made), moving, found.rank - len(found.opened), at)


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
    for end, chain, side in ((loop.left, loop.left_chain, 1), (loop.right, loop.right_chain, -1)):
        axes = axes_from(builder, robot, end, end, q, trig)
        for j in chain:
            if not robot.frame(j).moving or j > robot.NL:  # fixed, or opened
                continue
            column = joint_column(robot, j, *axes[j])
            for i, ratio in drivers(robot, j, builder.formula):
                columns[i] = add(columns[i], scale(side * ratio, column))
    opened = {JointType.REVOLUTE: 5, JointType.PRISMATIC: 2}.get(robot.frame(loop.left).sigma)
    rows = {r: [columns[j][r] for j in own] for r in range(6) if r != opened}
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
    found = evaluate(graph, lits, {**others, **at.postures.parameters}, variables, results)
    sizes = bounds_in_numbers(graph, lits, results) if size is None else [size] * len(found)
    pairs = zip(found, sizes, strict=True)
    return all(bool((np.abs(x) <= ZERO_ENTRY * most).all()) for x, most in pairs)


def _linear_rows(builder: Builder, robot: Robot, loop: Loop, own: Sequence[int]) -> Matrix | None:
    """Opposite sides of a parallelogram stay parallel: phi_c - phi_a and phi_d - phi_b are constant."""
    found = parallelogram_of(builder, robot, loop)
    if found is None:
        return None
    (a, b, c, d), closing = found
    rows = []
    for form in (c.form - a.form, d.form - b.form):
        times = form.joints.get(loop.left, 0) * closing.joints.get(loop.left, 0)  # +-1 in the sum of all
        rows.append((form - times * closing).joints)
    return [[row.get(j, 0) for j in own] for row in rows]
