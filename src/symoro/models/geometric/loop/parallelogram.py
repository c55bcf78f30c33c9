"""Parallelograms among the loops: planar loops with four sides whose opposite sides have equal lengths.

In the plane of the loop its sides are complex numbers t_k, rotated by the sums phi_k of the preceding joints:

    sum_k t_k exp(i phi_k) = 0,    phi_last = const

Let a, b be adjacent sides whose angle beta = phi_b - phi_a is known, c, d the opposite ones, |t_c| = |t_a| and
|t_d| = |t_b|. The loop has two modes:

    parallelogram   t_c exp(i phi_c) = -t_a exp(i phi_a),  t_d exp(i phi_d) = -t_b exp(i phi_b)
    crossed         both reflected at the diagonal s = t_a + t_b exp(i beta):  z -> (s / |s|)^2 conj(z)

The first mode is linear in the angles, phi_c = phi_a + const and phi_d = phi_b + const, and therefore all joints are
linear functions of the known ones. The modes coincide where the four sides are collinear. Sides of length zero (joints
with a common axis) do not count, and sides that earlier parallelograms make parallel are combined into one side: a loop
over several links may therefore be another parallelogram.

On the first branch the joints are sums of others plus a constant. The matrix G of the joint velocities is then
constant, even where the four sides are collinear and the velocity equations (1997 paper, eq. 12) have no solution
(`linear_loops`). A loop with the lengths of a parallelogram that is crossed in the posture 'home' of the robot (an
antiparallelogram, or a folded rhombus) has velocity equations like any other loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import remainder, tau
from typing import TYPE_CHECKING

from symoro.expr.evaluate import evaluate
from symoro.expr.formula import ZERO, Formula, formula
from symoro.expr.linalg import Matrix, identity, inverse_transform, matmul
from symoro.expr.scalar import Expr, Scalar, atan2, cos, select, sin, symbol
from symoro.models.coordinates.couplings import uncoupled
from symoro.models.geometric.inverse.chain.chain import Chain, Fixed, Item, Linear, Run, Unknown, chain_of
from symoro.models.geometric.inverse.chain.probes import Probes
from symoro.models.geometric.inverse.finite import relative
from symoro.models.geometric.inverse.step import Draft, Step
from symoro.models.geometric.loop.forms import AngleSum, constant_angle
from symoro.models.geometric.loop.mechanism import joint_unknown, loop_path
from symoro.models.tolerances import CROSSED, OFF_BRANCH
from symoro.program.builder import Builder
from symoro.robot.coordinates import Relation, followers, following, relation
from symoro.robot.description import JointType, Robot
from symoro.robot.topology import Loop, loops

if TYPE_CHECKING:
    import numpy as np

LINEAR = 0  # type of a step without an equation
MOST_DRIVERS = 2  # largest number of passive joints of a loop on which the others may depend
Complex = tuple[Scalar, Scalar]


@dataclass(frozen=True)
class Parallelogram:
    """Solution of a loop that is a parallelogram.

    Attributes:
        step: solution step that determines the joints, on one branch or two.
        differences: closure errors, as expressions.
        linear: the joints as linear functions of known joints, by joint number.
        forms: the same functions as sums of angles modulo 2 pi, by joint number.
        how: description of the method, for the user.
    """

    step: Step
    differences: tuple[Expr, ...]
    linear: Mapping[int, Linear]
    forms: Mapping[int, AngleSum]
    how: str


@dataclass(frozen=True)
class Side:
    """Side of a planar loop.

    Attributes:
        vector: constant vector of the side in the plane, as a complex number (real, imaginary).
        form: sum of joint angles by which the vector is rotated.
    """

    vector: Complex
    form: AngleSum


def parallelogram(
    builder: Builder,
    probes: Probes,
    chain: Chain,
    known: Mapping[int, Scalar],
    joints: Mapping[int, Unknown],
    laws: Mapping[int, AngleSum] | None = None,
    *,
    every_mode: bool,
) -> Parallelogram | None:
    """Solve a loop that is a parallelogram; return None for any other loop.

    Args:
        probes: random samples to test identities.
        chain: path around the loop with every joint, known or not, as an unknown.
        known: positions of the known joints, by joint number.
        joints: unknown joints, by joint number.
        laws: known joints that earlier parallelograms make linear functions of other known ones.
        every_mode: whether the crossed mode is a second branch.
    """
    sides_and_sum = _sides(builder, probes, chain, laws or {})
    if sides_and_sum is None or len(joints) != 3:
        return None
    sides, closing = sides_and_sum
    for first in range(4):
        turned = [*sides[first:], *sides[:first]]
        beta = _known_angle(turned[1].form - turned[0].form, closing, joints)
        if beta is not None and _opposite_equal(probes, turned):
            inverse = _unimodular(turned, closing, list(joints))
            if inverse is not None:
                return _StepWriter(
                    builder, probes, turned, beta, closing, known, joints, inverse, chain.size
                ).written(every_mode)
    return None


def four_sides(builder: Builder, probes: Probes, chain: Chain) -> tuple[list[Side], AngleSum] | None:
    """Return the sides of a loop that is a parallelogram; None for other loops.

    In the uncrossed mode, opposite sides add up to zero. In the crossed mode they add up to zero only where all four
    sides are collinear.

    Args:
        probes: random samples to test identities.
        chain: path around the loop with every joint as an unknown.

    Returns:
        The four sides, and the sum of all joint angles minus its constant value, which is zero if the loop is closed.
    """
    sides_and_sum = _sides(builder, probes, chain, {})
    return sides_and_sum if sides_and_sum is not None and _opposite_equal(probes, sides_and_sum[0]) else None


def _sides(
    builder: Builder, probes: Probes, chain: Chain, laws: Mapping[int, AngleSum]
) -> tuple[list[Side], AngleSum] | None:
    """Return the four sides of a planar loop, in order around the loop; None for other loops.

    Args:
        chain: path around the loop with every joint as an unknown.
        laws: joints that are linear functions of others, by joint number.

    Returns:
        The sides, and the sum of all joint angles minus its constant value, which is zero if the loop is closed.
    """
    runs = [item for item in chain.items if isinstance(item, Run)]
    if len(runs) != 1 or len(runs[0].turns) != len(chain.unknowns):
        return None
    (run,) = runs
    at = chain.items.index(run)
    target = matmul(_inverse(chain.items[:at]), _inverse(chain.items[at + 1 :]))
    height: Scalar = -target[2][3]
    for move in run.moves:
        height = height + move.constant[2]
    sides = [
        Side((move.constant[0], move.constant[1]), _substituted(dict(turn.parts), laws))
        for turn, move in zip(run.turns, run.moves, strict=False)
    ]
    sides.append(Side((-target[0][3], -target[1][3]), AngleSum()))
    size = max(probes.largest(x) for side in sides for x in side.vector)
    tilts = (target[0][2], target[1][2], target[2][2] - 1)
    if not (all(probes.vanishes(x) for x in tilts) and probes.vanishes(height, size)):
        return None
    if laws:
        sides = _merged(builder, sides)
    sides = [side for side in sides if not all(probes.vanishes(x, size) for x in side.vector)]
    whole = constant_angle(builder, probes, target[1][0], target[0][0])
    closing = _substituted(dict(run.turns[-1].parts), laws) - whole
    return (sides, closing) if len(sides) == 4 else None


def _substituted(joints: Mapping[int, int], laws: Mapping[int, AngleSum]) -> AngleSum:
    """Return a sum of joint angles in which dependent joints are replaced by their linear functions.

    Args:
        joints: coefficients by joint number.
        laws: linear functions of the dependent joints.
    """
    total = AngleSum()
    for j, n in joints.items():
        total = total + n * laws.get(j, AngleSum({j: 1}))
    return total


def _merged(builder: Builder, sides: Sequence[Side]) -> list[Side]:
    """Add up sides that are always parallel (rotated by the same joints), so that they become one side."""
    merged: list[Side] = []
    for side in sides:
        for k, other in enumerate(merged):
            between = side.form - other.form
            if not between.joints:
                turned = _times(side.vector, _direction(between.constant(builder)))
                merged[k] = Side(_plus(other.vector, turned), other.form)
                break
        else:
            merged.append(side)
    return merged


def _inverse(items: Sequence[Item]) -> Matrix:
    """Return the inverse of the product of those factors of a chain that are constant transforms.

    Args:
        items: the factors.
    """
    inverse = identity(4)
    for item in items:
        if isinstance(item, Fixed):
            inverse = matmul(inverse_transform(item.matrix), inverse)
    return inverse


def _known_angle(form: AngleSum, closing: AngleSum, joints: Mapping[int, Unknown]) -> AngleSum | None:
    """Express an angle by known joints only, by adding or subtracting a sum of joint angles that is zero.

    Args:
        form: the angle as a sum of joints.
        closing: sum of joints that is zero if the loop is closed.
        joints: the unknown joints.

    Returns:
        The angle as a sum of known joints; None if this is not possible.
    """
    for n in (0, 1, -1):
        known_form = form + n * closing
        if not any(j in joints for j in known_form.joints):
            return known_form
    return None


def _opposite_equal(probes: Probes, sides: Sequence[Side]) -> bool:
    """Return whether opposite sides of a quadrilateral have equal lengths at all random samples."""
    a, b, c, d = (_square(side.vector) for side in sides)
    return probes.vanishes(a - c, probes.largest(a)) and probes.vanishes(b - d, probes.largest(b))


def _unimodular(sides: Sequence[Side], closing: AngleSum, joints: Sequence[int]) -> list[list[int]] | None:
    """Return the integer matrix (3x3) with which three unknown joints are computed from three sums of angles.

    The sums are phi_c - phi_a, phi_d - phi_a and the sum of all joints; phi_a to phi_d are the angles of the four
    sides.

    Args:
        sides: sides a, b, c, d.
        closing: sum of all joint angles minus its constant value.
        joints: numbers of the three unknown joints.

    Returns:
        The matrix; None if its entries are not integers.
    """
    import numpy

    a, _, c, d = (side.form for side in sides)
    rows = [form.joints for form in (c - a, d - a, closing)]
    matrix = numpy.array([[row.get(j, 0) for j in joints] for row in rows], dtype=float)
    if abs(abs(numpy.linalg.det(matrix)) - 1) > 1e-9:
        return None
    return [[round(x) for x in row] for row in numpy.linalg.inv(matrix)]


class _StepWriter:
    """Construction of the solution step of a parallelogram with the sides a, b, c, d."""

    def __init__(
        self,
        builder: Builder,
        probes: Probes,
        sides: Sequence[Side],
        beta: AngleSum,
        closing: AngleSum,
        known: Mapping[int, Scalar],
        joints: Mapping[int, Unknown],
        inverse: Sequence[Sequence[int]],
        size: Expr,
    ) -> None:
        self.builder = builder
        self.size = size
        self.probes = probes
        self.known = known
        self.joints = joints
        self.a, self.b, self.c, self.d = (side.vector for side in sides)
        self.beta = beta
        fa, _, fc, fd = (side.form for side in sides)
        # Each joint is n_c alpha_c + n_d alpha_d + rest, alpha_c = phi_c - phi_a, alpha_d = phi_d - phi_a.
        self.shares: dict[int, tuple[int, int, AngleSum]] = {}
        for (n_c, n_d, n), j in zip(inverse, joints, strict=True):
            others = n_c * (fc - fa) + n_d * (fd - fa) + n * closing
            self.shares[j] = (n_c, n_d, AngleSum({j: 1}) - others)

    def written(self, every_mode: bool) -> Parallelogram:
        beta = _direction(self.beta.value(self.builder, self.known))
        turned = _times(self.b, beta)
        gap = [symbol(self.builder.graph, f"gap{next(iter(self.joints))}{x}") for x in "xy"]
        branches = [self._linear(beta, gap)]
        draft = Draft(self.builder, LINEAR, {}, frozenset(), self.size)
        if every_mode:
            branches.append(self._crossed(turned, gap, draft))
        number = self.builder.number
        x, y = _times(self.b, _conjugate(self.a))
        between = self.beta + constant_angle(self.builder, self.probes, y, x)
        flat = number(sin(between.value(self.builder, self.known)))
        step = Step(
            LINEAR,
            tuple(self.joints.values()),
            (),
            (),
            tuple(branches),
            free=tuple(draft.free),
            meets=((None, flat * flat),),
        )
        forms = self._forms()
        linear = {j: self._relation(form) for j, form in forms.items()}
        words = ", ".join(f"q{j} = {relation}" for j, relation in linear.items())
        kept = "both modes" if every_mode else "without the crossed mode"
        return Parallelogram(
            step,
            (relative(self.builder, gap, self.size),),
            linear,
            forms,
            f"as a parallelogram, {words}; {kept}",
        )

    def _relation(self, form: AngleSum) -> Linear:
        return Linear(tuple(sorted(form.joints.items())), form.constant(self.builder))

    def _forms(self) -> dict[int, AngleSum]:
        """Return the unknown joints of the uncrossed mode as sums of known joint angles, by joint number."""
        alpha_c = self._against(self.a, self.c)
        alpha_d = self._against(self.b, self.d) + self.beta
        return {j: n_c * alpha_c + n_d * alpha_d + rest for j, (n_c, n_d, rest) in self.shares.items()}

    def _against(self, side: Complex, opposite: Complex) -> AngleSum:
        """Return the angle by which `opposite` must be rotated to be antiparallel to `side`.

        It is the angle of -t_a / t_c for the sides t_a (`side`) and t_c (`opposite`), complex numbers in the plane.
        """
        x, y = _times(side, _conjugate(opposite))
        return constant_angle(self.builder, self.probes, -y, -x)

    def _linear(self, beta: Complex, gap: Sequence[Expr]) -> dict[int, Expr]:
        values: dict[int, Expr] = {}
        for j, form in self._forms().items():
            value = form.value(self.builder, self.known)
            self._put(values, j, _direction(value), value)
        c, d = (
            _direction(self._against(*pair).value(self.builder, {}))
            for pair in ((self.a, self.c), (self.b, self.d))
        )
        second = _times(_plus(self.b, _times(self.d, d)), beta)
        self._open(values, gap, _plus(_plus(self.a, _times(self.c, c)), second))
        return values

    def _crossed(self, turned: Complex, gap: Sequence[Expr], draft: Draft) -> dict[int, Expr]:
        """Return the values of the joint symbols in the crossed mode, in which two sides are reflected at the diagonal.

        Args:
            turned: side b, rotated by the angle beta between the sides a and b.
            gap: symbols of the closure error.
            draft: solution step to which the singularity (diagonal of length zero) is added.
        """
        number = self.builder.number
        s = _plus(self.a, turned)
        size = number(_square(s))
        free = draft.vanishing(size, 1)
        if free is not None:
            draft.free = [(self.joints[j], free) for j, (n_c, n_d, _) in self.shares.items() if n_c or n_d]
            size = number(select(free, 1, size))
        axis = _times(s, s)
        directions = []
        ends: Complex = s
        for side, opposite in ((self.a, self.c), (turned, self.d)):
            over = _times(axis, _conjugate(side))
            against = _times(over, _conjugate(opposite))
            scale = -1 / (size * _square(opposite))
            directions.append((number(against[0] * scale), number(against[1] * scale)))
            ends = _plus(ends, _times(opposite, directions[-1]))
        values: dict[int, Expr] = {}
        for j, (n_c, n_d, rest) in self.shares.items():
            z = _direction(rest.value(self.builder, self.known))
            for n, direction in zip((n_c, n_d), directions, strict=True):
                factor = direction if n > 0 else _conjugate(direction)
                for _ in range(abs(n)):
                    z = _times(z, factor)
            self._put(values, j, z, number(atan2(z[1], z[0])))
        self._open(values, gap, ends)
        return values

    def _put(self, values: dict[int, Expr], j: int, direction: Complex, position: Expr) -> None:
        own = self.joints[j]
        cosine, sine = (self.builder.number(x) for x in direction)
        values.update({own.sine.lit: sine, own.cosine.lit: cosine, own.length.lit: position})

    def _open(self, values: dict[int, Expr], gap: Sequence[Expr], ends: Complex) -> None:
        """Set the symbols of the closure error to the sum of the four sides.

        Args:
            values: values of the symbols on this branch, by node reference; extended here.
            gap: symbols of the two components of the closure error.
            ends: the sum of the four sides.
        """
        values.update({name.lit: self.builder.number(x) for name, x in zip(gap, ends, strict=True)})


# -- crossed parallelograms at closed configurations


def parallelogram_of(builder: Builder, robot: Robot, loop: Loop) -> tuple[list[Side], AngleSum] | None:
    """Return the sides of a loop that is a parallelogram for all values of its symbols.

    Returns:
        The four sides and the sum of joint angles that is zero if the loop is closed; None for any other loop.
    """
    if any(relation(robot, j) for j in loop.frames):
        return None
    every = loop_path(builder, uncoupled(robot), loop, {}, {})
    probes = Probes(builder, every)
    return four_sides(builder, probes, chain_of(builder, every, identity(4), probes.vanishes))


def uncrossed(
    robot: Robot, parameters: Mapping[str, np.ndarray], joints: Mapping[int, np.ndarray]
) -> np.ndarray:
    """Return, for each closed configuration, whether all parallelograms of the robot are uncrossed.

    Args:
        parameters: values of the robot's symbols, one per configuration, by name.
        joints: joint positions, one per configuration, by joint number.
    """
    import numpy as np

    count = len(next(iter(joints.values())))
    kept = np.ones(count, bool)
    for loop in loops(robot):
        builder = Builder("loop")
        total, size = np.zeros(count, complex), np.zeros(count)
        sides, _ = parallelogram_of(builder, robot, loop) or ([], None)
        for side in sides[::2]:
            lits = [builder.number(x).lit for x in side.vector]
            x, y = evaluate(builder.graph, lits, parameters)
            angle = sum(n * joints[j] for j, n in side.form.joints.items())
            total = total + (x + 1j * y) * np.exp(1j * angle)
            size = size + np.hypot(x, y)
        kept &= np.abs(total) <= CROSSED * size
    return kept


def crossed_at_home(robot: Robot) -> bool:
    """Return whether a parallelogram of the robot is crossed in the posture 'home'."""
    import numpy as np

    from symoro.models.numeric.home import closed_home

    home = closed_home(robot)
    if home is None:
        return False
    parameters = {name: np.array([value]) for name, value in robot.nominal}
    return not uncrossed(robot, parameters, {j: np.array([q]) for j, q in home.items()})[0]


# -- parallelograms as relations between joints


@dataclass(frozen=True)
class LinearLoops:
    """Robot whose parallelograms are replaced by linear relations between joints.

    Attributes:
        robot: the robot, in which joints of parallelograms are coupled to others.
        relations: linear relations of these joints, including cut joints, by joint number.
        open: loops that are not parallelograms.
    """

    robot: Robot
    relations: Mapping[int, Relation]
    open: tuple[Loop, ...]


@lru_cache(maxsize=64)
def linear_loops(robot: Robot) -> LinearLoops:
    """Replace the parallelograms of a robot by linear relations between joints; other loops do not change."""
    from symoro.models.numeric.home import closed_home

    relations: dict[int, Relation] = {}
    left = loops(robot)
    home = closed_home(robot)
    while one := next(
        ((loop, law) for loop in left if (law := _relations(robot, loop, relations, home))), None
    ):
        loop, laws = one
        relations.update({j: followed(law, relations) for j, law in laws.items()})
        left = [other for other in left if other != loop]
    given = {j: followed(law, relations) for j, law in followers(robot).items()}
    return LinearLoops(
        following(robot, {**given, **relations}) if relations else robot, relations, tuple(left)
    )


def _relations(
    robot: Robot, loop: Loop, known: Mapping[int, Relation], home: Mapping[int, float] | None
) -> dict[int, Relation] | None:
    """Return the linear relations of the joints of a parallelogram, by joint number.

    Args:
        known: relations of joints that other parallelograms determine, by joint number.
        home: joint positions of the posture 'home' with closed loops, by joint number; None if there is no such
            posture.

    Returns:
        The relations; None if the loop is not a parallelogram, or if it is crossed in the posture 'home'.
    """
    moving = [j for j in loop.frames if robot.frame(j).moving]
    if any(relation(robot, j) for j in loop.frames):
        return None
    passive = [j for j in moving if j not in known and (j > robot.NL or not robot.frame(j).mu)]
    kept = len(passive) - 3
    if not 0 <= kept <= MOST_DRIVERS:
        return None
    builder = Builder("parallelogram")
    every = loop_path(builder, robot, loop, {}, {})
    probes = Probes(builder, every)
    chain = chain_of(builder, every, identity(4), probes.vanishes)
    for drivers in combinations([j for j in passive if j <= robot.NL], kept):
        unknown = {j: joint_unknown(builder, robot, j) for j in passive if j not in drivers}
        given = {j: symbol(builder.graph, f"q{j}") for j in moving if j not in unknown}
        loop_relations = parallelogram(builder, probes, chain, given, unknown, every_mode=False)
        if loop_relations is not None:
            laws = {j: _relation(law) for j, law in loop_relations.linear.items()}
            return laws if home is None or _satisfies(robot, laws, home) else None
    return None


def _satisfies(robot: Robot, laws: Mapping[int, Relation], q: Mapping[int, float]) -> bool:
    """Return whether the revolute joints satisfy linear relations at a configuration, modulo 2 pi.

    Args:
        laws: relations by joint number.
        q: joint positions by joint number.
    """
    values = dict(robot.nominal)
    for j, law in laws.items():
        away = q[j] - law.offset.value(values) - sum(c.value(values) * q[i] for i, c in law.terms)
        if robot.frame(j).sigma == JointType.REVOLUTE and abs(remainder(away, tau)) > 2 * OFF_BRANCH:
            return False
    return True


def _relation(law: Linear) -> Relation:
    terms = tuple((i, formula(n)) for i, n in law.terms if n)
    return Relation(terms, formula(str(law.constant)))


def followed(law: Relation, known: Mapping[int, Relation]) -> Relation:
    """Return a linear relation of a joint in which dependent joints are replaced by their own relations.

    Args:
        law: the relation.
        known: relations of dependent joints, by joint number.
    """
    terms: dict[int, Formula] = {}
    offset = law.offset
    for i, ratio in law.terms:
        inner = known.get(i, Relation(((i, formula(1)),)))
        offset = offset + ratio * inner.offset
        for k, share in inner.terms:
            terms[k] = terms.get(k, ZERO) + ratio * share
    return Relation(tuple((k, c) for k, c in terms.items() if not c.is_zero), offset)


# -- vectors of the plane as complex numbers


def _direction(angle: Expr) -> Complex:
    return cos(angle), sin(angle)


def _times(x: Complex, y: Complex) -> Complex:
    return x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]


def _plus(x: Complex, y: Complex) -> Complex:
    return x[0] + y[0], x[1] + y[1]


def _conjugate(x: Complex) -> Complex:
    return x[0], -x[1]


def _square(x: Complex) -> Scalar:
    return x[0] * x[0] + x[1] * x[1]
