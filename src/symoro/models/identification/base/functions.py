"""Energy of a link as functions of the motion, one function per inertial parameter.

    H = E + U = sum of f_p(q, qd) K_p over the standard parameters           (Gautier and Khalil 1988, eq. 6 to 11)
    XX: w1^2/2, XY: w1 w2, ..., (MX MY MZ): V x w - A' g, M: V.V/2 - g.P, IA: qd^2/2

Parameters can be distinguished by the torques exactly as far as their functions are linearly independent modulo
constants. The functions of link j follow from those of a link r before it,

    H_j(K) = H_r(L(q) K) + qd' S' J(K) X V_r + qd' S' J(K) S qd / 2,       V_j = X(q) V_r + S(q) qd,

where L transforms the ten parameters to frame r. Only the span of the ten functions of link r, and that of the six
components of its velocity, are needed; they have at most 11 and 6 dimensions (`Span`). Functions are therefore expanded
only over the joints between r and j, and the cost does not grow along the robot.

Functions of joint positions are sums of cosines and sines of combinations of angles, times powers of lengths.

A function is {wave: coefficient}; a wave is (kind, frequencies, powers), cos or sin of sum f_i phi_i times
prod x_k^p_k. Different waves are linearly independent functions, and a product of two waves is a sum of waves: the rule
c^2 + s^2 = 1 is not needed, and multiples of an angle, which occur in geared joints, cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from symoro.models.identification.base.exact.element import Element, ExactScalar, inverse
from symoro.models.identification.base.exact.field import Field
from symoro.models.identification.base.exact.linear import SparseVector, add_to, independent
from symoro.models.recursion import TreeLink, origin, outward, tree_links, turn_x, turn_z
from symoro.robot.coordinates import relation
from symoro.robot.description import INERTIAL, JointType, Robot

COS, SIN = 0, 1
_HALF = Fraction(1, 2)
Wave = tuple[int, tuple[ExactScalar, ...], tuple[int, ...]]
WaveSum = dict[Wave, ExactScalar]


def product(a: WaveSum, b: WaveSum) -> WaveSum:
    """Return the product of two functions of the joint positions, each a sum of waves (cosine or sine terms)."""
    terms: WaveSum = {}
    for x, p in a.items():
        for y, q in b.items():
            c = p * q
            for wave, twice in _waves(x, y):
                term = c * twice * _HALF
                terms[wave] = terms[wave] + term if wave in terms else term
    return {wave: c for wave, c in terms.items() if c}


def total(*terms: WaveSum) -> WaveSum:
    """Return the sum of functions of the joint positions, each a sum of waves (cosine or sine terms)."""
    combined: WaveSum = {}
    for term in terms:
        for wave, c in term.items():
            combined[wave] = combined[wave] + c if wave in combined else c
    return {wave: c for wave, c in combined.items() if c}


def scaled(a: WaveSum, k: ExactScalar) -> WaveSum:
    """Return a function of the joint positions (a sum of cosine and sine terms) multiplied by the number k."""
    return {wave: k * c for wave, c in a.items()} if k else {}


@lru_cache(maxsize=100_000)
def _waves(x: Wave, y: Wave) -> tuple[tuple[Wave, int], ...]:
    """Return the product of two cosine or sine terms as a sum of one or two such terms.

    Returns:
        Pairs (term, twice its coefficient), so that coefficients are whole numbers.
    """
    (k, f, p), (m, g, q) = x, y
    powers = tuple(a + b for a, b in zip(p, q, strict=True))
    if not any(f) and k == COS:
        return (((m, g, powers), 2),)
    if not any(g) and m == COS:
        return (((k, f, powers), 2),)
    plus = tuple(a + b for a, b in zip(f, g, strict=True))
    minus = tuple(a - b for a, b in zip(f, g, strict=True))
    if k == m:
        parts = [(COS, minus, 1), (COS, plus, 1 if k == COS else -1)]
    else:
        parts = [(SIN, plus, 1), (SIN, minus, 1 if k == SIN else -1)]
    waves = [_canonical(kind, frequencies, sign) for kind, frequencies, sign in parts]
    return tuple(((kind, f, powers), sign) for kind, f, sign in waves if kind == COS or any(f))


def _canonical(kind: int, f: tuple[ExactScalar, ...], sign: int) -> tuple[int, tuple[ExactScalar, ...], int]:
    """Return an equal cosine or sine term whose first nonzero frequency is positive: kind, frequencies and sign.

    Args:
        kind: COS or SIN.
        f: frequencies, the factors of the angles in the argument.
        sign: 1 or -1.
    """
    first = next((x for x in f if x), 0)
    if first >= 0:
        return kind, f, sign
    return kind, tuple(-x for x in f), -sign if kind == SIN else sign


WaveMatrix = list[list[WaveSum]]
Velocity = dict[Any, WaveSum]  # velocity component: {component of V_r, or joint rate: function}
_PAIRS = {"XX": (0, 0), "XY": (0, 1), "XZ": (0, 2), "YY": (1, 1), "YZ": (1, 2), "ZZ": (2, 2)}
_AXIS = {"MX": 0, "MY": 1, "MZ": 2}


@dataclass(frozen=True)
class Span:
    """Linear span of the energy functions and velocity components of a link.

    There is one energy function per inertial parameter of the link, the energy per unit of the parameter.

    Attributes:
        basis: the parameters whose functions are linearly independent modulo constants; earlier columns are preferred.
        functions: for each parameter, the coefficients of its function in terms of the basis functions, which are
            numbered from 1; 0 is the constant function.
        twist: for each velocity component v1 v2 v3 w1 w2 w3, its coefficients in terms of the independent components,
            by their number.
        rank: number of independent velocity components.
    """

    basis: tuple[str, ...]
    functions: dict[str, dict[int, ExactScalar]]
    twist: tuple[dict[int, ExactScalar], ...]
    rank: int

    @property
    def full(self) -> bool:
        """Whether all energy functions and velocity components of a link are independent.

        The same is then true for every link further outward.
        """
        return len(self.basis) == 10 and self.rank == 6


FULL = Span(
    INERTIAL,
    {name: {k: 1} for k, name in enumerate(INERTIAL, 1)},
    tuple({k: 1} for k in range(6)),
    6,
)


def fixed_base(gravity: Sequence[ExactScalar]) -> Span:
    """Return the span of the energy functions of a fixed base: only the potential energy, which is constant.

    Args:
        gravity: components of gravity in frame 0.
    """
    functions: dict[str, dict[int, ExactScalar]] = {name: {} for name in INERTIAL}
    for name, k in _AXIS.items():
        if gravity[k]:
            functions[name] = {0: -gravity[k]}
    return Span((), functions, tuple({} for _ in range(6)), 0)


@dataclass
class RestFrame:
    """Pose of frame j in its antecedent frame at q_j = 0, with the joint axis."""

    rotation: list[list[ExactScalar]]
    position: list[ExactScalar]
    axis: list[ExactScalar]


def place(geometry: Field, robot: Robot, j: int) -> RestFrame:
    """Return the pose of frame j in its antecedent frame at q_j = 0.

    For a coupled joint, the joints on which it depends are at position zero.
    """
    frame = robot.frame(j)
    (sg, cg), (sa, ca) = geometry.sincos(frame.gamma), geometry.sincos(frame.alpha)
    st, ct = geometry.sincos(frame.theta)
    b, d, r = geometry.of(frame.b), geometry.of(frame.d), geometry.of(frame.r)
    law = relation(robot, j)
    if law and frame.sigma == JointType.REVOLUTE:
        so, co = geometry.sincos(law.offset)
        st, ct = st * co + ct * so, ct * co - st * so
    elif law:
        r = r + geometry.of(law.offset)
    gamma, alpha, theta = (sg, cg), (sa, ca), (st, ct)
    x, y, z = (
        turn_z(gamma, turn_x(alpha, turn_z(theta, unit))) for unit in ([1, 0, 0], [0, 1, 0], [0, 0, 1])
    )
    return RestFrame([list(row) for row in zip(x, y, z, strict=True)], origin(gamma, alpha, b, d, r), z)


@dataclass
class BlockLink:
    """Pose and velocity of a link relative to the root of its block, as functions of the joint positions.

    Attributes:
        rotation, position: pose of the link in the frame of the block's root.
        v, w: linear and angular velocity in the link frame, as linear functions of the root's velocity and the joint
            rates.
    """

    rotation: WaveMatrix
    position: list[WaveSum]
    v: list[Velocity]
    w: list[Velocity]


@dataclass
class LinkBlock:
    """Group of links whose joints are coupled only with each other; most often a single link.

    Attributes:
        root: number of the link that carries the block.
        links: numbers of the links of the block, each after its antecedent.
        functions: energy function of each parameter (link, name), as a sparse vector; filled by `Expansion.expand`.
        twists: the six velocity components of each link, as sparse vectors.
    """

    root: int
    links: tuple[int, ...]
    functions: dict[tuple[int, str], SparseVector] = field(default_factory=dict)
    twists: dict[int, list[SparseVector]] = field(default_factory=dict)


class Expansion:
    """Computation of the energy functions of a block of links, in terms of those of the link that carries the block."""

    def __init__(self, geometry: Field, robot: Robot, block: LinkBlock, root: Span) -> None:
        self.geometry, self.robot, self.block, self.root = geometry, robot, block, root
        self._name_variables()
        self.constant = (COS, (0,) * len(self.phases), (0,) * len(self.lengths))
        one = [[{self.constant: 1} if r == c else {} for c in range(3)] for r in range(3)]
        parts = [{("V", k): {self.constant: c} for k, c in component.items()} for component in root.twist]
        self.start = BlockLink(one, [{}, {}, {}], parts[:3], parts[3:])

    def expand(self) -> None:
        """Compute the energy functions and velocity components of all links of the block."""
        for j, motion in self._walked(self.block.links).items():
            self.block.twists[j] = [
                {(part, wave): c for part, f in component.items() for wave, c in f.items()}
                for component in (*motion.v, *motion.w)
            ]
            for name in INERTIAL:
                self.block.functions[j, name] = self._energy(motion, name)
            if self.robot.frame(j).moving:
                self.block.functions[j, "IA"] = self._rotor(j)

    def walked(self, links: Sequence[int]) -> BlockLink:
        """Return the pose and velocity of the last link of a chain, as functions of the joint positions and rates.

        Args:
            links: the chain, in which each link is the antecedent of the next one.
        """
        return self._walked(links)[links[-1]]

    def _walked(self, links: Sequence[int]) -> dict[int, BlockLink]:
        root = self.block.root
        motions = outward(tree_links(self.robot, links), self.start, self._moved, root)
        return {j: motion for j, motion in motions.items() if j != root}

    # -- variables of the block

    def _ratios(self, j: int) -> list[tuple[int, ExactScalar]]:
        """Return the coordinates on which the position of joint j depends, each with its coupling ratio."""
        law = relation(self.robot, j)
        if law is None:
            return [(j, 1)]
        return [(i, c) for i, ratio in law.terms if (c := self.geometry.of(ratio))]

    def _name_variables(self) -> None:
        """Number the angles of the block that are independent of each other.

        For one coordinate q, the angles q and k*q are independent variables if k is irrational; if k is rational, both
        are multiples of one angle.
        """
        self.phases: dict[tuple[int, ExactScalar], int] = {}
        self.lengths: dict[int, int] = {}
        for j in self.block.links:
            frame = self.robot.frame(j)
            for i, ratio in self._ratios(j) if frame.moving else ():
                if frame.sigma == JointType.REVOLUTE:
                    self.phases.setdefault((i, _kind(ratio)[0]), len(self.phases))
                else:
                    self.lengths.setdefault(i, len(self.lengths))

    def _sincos(self, j: int) -> tuple[WaveSum, WaveSum]:
        frequencies: list[ExactScalar] = [0] * len(self.phases)
        for i, ratio in self._ratios(j):
            kind, times = _kind(ratio)
            frequencies[self.phases[i, kind]] += times
        first = next((f for f in frequencies if f), 0)
        sign = -1 if first < 0 else 1
        f = tuple(sign * x for x in frequencies)
        powers = self.constant[2]
        return ({(SIN, f, powers): sign} if first else {}), {(COS, f, powers): 1}

    def _length(self, j: int) -> WaveSum:
        length: WaveSum = {}
        for i, ratio in self._ratios(j):
            powers = [0] * len(self.lengths)
            powers[self.lengths[i]] = 1
            length[COS, self.constant[1], tuple(powers)] = ratio
        return length

    # -- motion

    def _moved(self, frame: TreeLink, before: BlockLink) -> BlockLink:
        """Return pose and velocity of a link in its block, computed from those of its antecedent.

        Args:
            frame: the link.
            before: pose and velocity of the antecedent.
        """
        j, fixed = frame.j, place(self.geometry, self.robot, frame.j)
        turn: WaveMatrix = [[self._number(x) for x in row] for row in fixed.rotation]
        shift = [self._number(x) for x in fixed.position]
        if frame.sigma == JointType.REVOLUTE:
            s, c = self._sincos(j)
            turn = [
                [total(product(x, c), product(y, s)), total(product(y, c), scaled(product(x, s), -1)), z]
                for x, y, z in turn
            ]
        elif frame.sigma == JointType.PRISMATIC:
            x = self._length(j)
            shift = [total(p, scaled(x, a)) for p, a in zip(shift, fixed.axis, strict=True)]
        w = _turned_back(turn, before.w)
        v = _turned_back(turn, [_plus(a, b) for a, b in zip(before.v, _cross(before.w, shift), strict=True)])
        if frame.moving:
            moved = w if frame.sigma == JointType.REVOLUTE else v
            moved[2] = _plus(moved[2], {("q", i): self._number(k) for i, k in self._ratios(j)})
        rotation = [
            [total(*(product(before.rotation[r][k], turn[k][c]) for k in range(3))) for c in range(3)]
            for r in range(3)
        ]
        position = [
            total(before.position[r], *(product(before.rotation[r][k], shift[k]) for k in range(3)))
            for r in range(3)
        ]
        return BlockLink(rotation, position, v, w)

    def _number(self, x: ExactScalar) -> WaveSum:
        return {self.constant: x} if x else {}

    # -- energy

    def _energy(self, motion: BlockLink, name: str) -> SparseVector:
        energy: SparseVector = {}
        for target, f in self._carried(motion, name):
            for b, k in self.root.functions[target].items():
                add_to(energy, {("B", b, wave): c for wave, c in f.items()}, k)
        half = Fraction(1, 2)
        v, w = motion.v, motion.w
        if name in _PAIRS:
            i, k = _PAIRS[name]
            _add_product(energy, w[i], w[k], half if i == k else 1)
        elif name in _AXIS:
            i = _AXIS[name]
            k, m = (i + 1) % 3, (i + 2) % 3
            _add_product(energy, v[k], w[m], 1)
            _add_product(energy, v[m], w[k], -1)
        else:
            for component in v:
                _add_product(energy, component, component, half)
        return energy

    def _rotor(self, j: int) -> SparseVector:
        rate: Velocity = {("q", i): self._number(k) for i, k in self._ratios(j)}
        energy: SparseVector = {}
        _add_product(energy, rate, rate, Fraction(1, 2))
        return energy

    def _carried(self, motion: BlockLink, name: str) -> list[tuple[str, WaveSum]]:
        """Express parameter `name` of a link by the parameters of the root of its block.

        Parameters of the root without an energy function are omitted.

        Args:
            motion: pose and velocity of the link relative to the root.
            name: name of the parameter, for example "XX".

        Returns:
            Pairs (parameter of the root, coefficient as a function of the joint positions).
        """
        a, p = motion.rotation, motion.position
        wanted = [target for target in INERTIAL if self.root.functions[target]]
        if name in _PAIRS:
            i, k = _PAIRS[name]
            x, y = _column(a, i), _column(a, k)
            return [
                (target, _outer(x, y, *_PAIRS[target], twice=i != k)) for target in wanted if target in _PAIRS
            ]
        s = _column(a, _AXIS[name]) if name in _AXIS else p
        carried: list[tuple[str, WaveSum]] = []
        for target in wanted:
            if target in _AXIS:
                carried.append((target, s[_AXIS[target]]))
            elif target in _PAIRS:
                r, c = _PAIRS[target]
                moment = scaled(_outer(p, s, r, c, twice=name in _AXIS), -1)
                if r == c:
                    dots = total(*(product(x, y) for x, y in zip(p, s, strict=True)))
                    moment = total(moment, scaled(dots, 2 if name in _AXIS else 1))
                carried.append((target, moment))
            elif name == "M":
                carried.append((target, {self.constant: 1}))
        return carried


def span(block: LinkBlock, j: int, order: Sequence[str], constant: Any) -> Span:
    """Return the linear span of the energy functions and velocity components of link j.

    Args:
        block: block of links that contains link j, with computed functions.
        order: names of the parameters in order of preference for the basis.
        constant: key of the constant function in the sparse vectors.
    """
    names = [name for name in order if name in INERTIAL]
    unit: SparseVector = {("B", 0, constant): Fraction(1)}
    elimination = independent([unit, *(block.functions[j, name] for name in names)])
    number = {p: k for k, p in enumerate(elimination.pivots)}
    functions = {}
    for position, name in enumerate(names, 1):
        parts = elimination.relations.get(position, {position: 1})
        functions[name] = {number[p]: c for p, c in parts.items()}
    twist = independent(block.twists[j])
    rank = {p: k for k, p in enumerate(twist.pivots)}
    six = tuple({rank[p]: c for p, c in twist.relations.get(k, {k: 1}).items()} for k in range(6))
    return Span(tuple(names[p - 1] for p in elimination.pivots[1:]), functions, six, len(rank))


def _kind(ratio: ExactScalar) -> tuple[ExactScalar, ExactScalar]:
    """Split a coupling ratio into an irrational factor (1 if the ratio is rational) and a rational factor."""
    if not isinstance(ratio, Element):
        return 1, ratio
    lead = ratio.num.LC
    factor = Fraction(int(lead.numerator), int(lead.denominator))
    return ratio * inverse(factor), factor


def _plus(a: Velocity, b: Mapping[Any, WaveSum]) -> Velocity:
    combined = dict(a)
    for part, f in b.items():
        combined[part] = total(combined[part], f) if part in combined else f
    return {part: f for part, f in combined.items() if f}


def _times(a: Velocity, f: WaveSum, sign: int = 1) -> Velocity:
    if not f:
        return {}
    made = {part: product(g, f) for part, g in a.items()}
    return {part: g if sign > 0 else scaled(g, -1) for part, g in made.items() if g}


def _cross(a: list[Velocity], p: list[WaveSum]) -> list[Velocity]:
    """Return the vector product a x p."""
    return [
        _plus(_times(a[(i + 1) % 3], p[(i + 2) % 3]), _times(a[(i + 2) % 3], p[(i + 1) % 3], -1))
        for i in range(3)
    ]


def _turned_back(turn: WaveMatrix, a: list[Velocity]) -> list[Velocity]:
    """Return the vector `a` multiplied by the transpose of the rotation matrix `turn`."""
    rotated: list[Velocity] = []
    for c in range(3):
        entry: Velocity = {}
        for r in range(3):
            entry = _plus(entry, _times(a[r], turn[r][c]))
        rotated.append(entry)
    return rotated


def _column(a: WaveMatrix, k: int) -> list[WaveSum]:
    return [row[k] for row in a]


def _outer(x: list[WaveSum], y: list[WaveSum], r: int, c: int, *, twice: bool) -> WaveSum:
    """Return entry (r, c) of the matrix x y'; if `twice` is true, of the matrix x y' + y x'."""
    first = product(x[r], y[c])
    return total(first, product(y[r], x[c])) if twice else first


def _add_product(vector: SparseVector, a: Velocity, b: Velocity, k: ExactScalar) -> None:
    """Add k times the product of the velocity components a and b to the energy function `vector`, in place.

    Products of two velocity components of the block's root are omitted, because the energy functions of the root
    contain them.
    """
    for x, f in a.items():
        for y, g in b.items():
            if x[0] == "V" and y[0] == "V":
                continue
            pair = (x, y) if x <= y else (y, x)
            add_to(vector, {(*pair, wave): c for wave, c in product(f, g).items()}, k)
