"""Exact base parameters of a tree: by the general rule if it is complete, otherwise by a null space.

Blocks of links are processed from the tips inward. The parameters of a block have functions over the span of its root
(`functions`). A combination of parameters whose function does not depend on the block's joints is a combination of the
root's functions and is regrouped into the root; the others stay. If the root's functions are all independent and the
block is one link, this is the general rule (`models.regrouping`):

    revolute   YY, MZ, M go to the antecedent, XXR = XX - YY           7 stay
    prismatic  the inertia tensor goes to the antecedent               4 stay
    fixed      everything goes

Order of the columns: links by number; in a link XX XY XZ YZ ZZ MX MY, (MZ M), IA, YY, (MZ M), with MZ and M at the
first position for a prismatic or fixed joint, at the second for a revolute one and for link 0. A parameter is kept if
its function is independent of those of the previous columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symoro.models.identification.base.exact.element import ExactScalar
from symoro.models.identification.base.exact.field import Field
from symoro.models.identification.base.exact.linear import SparseVector, add_to, independent
from symoro.models.identification.base.functions import (
    FULL,
    Expansion,
    LinkBlock,
    Span,
    fixed_base,
    place,
    span,
)
from symoro.models.identification.base.geometry import ParameterKey
from symoro.models.recursion import kinematic_tree
from symoro.models.regrouping import relations
from symoro.robot.coordinates import followers, relation
from symoro.robot.coordinates import independent as coordinates
from symoro.robot.description import INERTIAL, JointType, Robot
from symoro.robot.topology import chain, common_ancestor, is_prefix_ordered

Combination = dict[ParameterKey, ExactScalar]
_FIRST = ("XX", "XY", "XZ", "YZ", "ZZ", "MX", "MY")


def order_in_link(robot: Robot, j: int) -> tuple[str, ...]:
    """Return the names of the inertial parameters of link j in order of preference for a base set."""
    if j == 0 or robot.frame(j).sigma == JointType.REVOLUTE:
        return (*_FIRST, "IA", "YY", "MZ", "M")
    return (*_FIRST, "MZ", "M", "IA", "YY")


def ordered(robot: Robot, columns: set[ParameterKey]) -> list[ParameterKey]:
    """Return parameters (link, name) in order of preference for a base set."""
    links = sorted({j for j, _ in columns})
    return [(j, n) for j in links for n in order_in_link(robot, j) if (j, n) in columns]


@dataclass(frozen=True)
class Regrouping:
    """Base parameters of a tree, as linear combinations of standard parameters.

    Attributes:
        kept: each base parameter as a linear combination of standard parameters.
        early: numbers of the links for which the general rule does not give all relations.
    """

    kept: dict[ParameterKey, Combination]
    early: tuple[int, ...]


def regroup(geometry: Field, robot: Robot, root: Span | None, allowed: set[ParameterKey]) -> Regrouping:
    """Return the base parameters of a tree, which may have coupled joints.

    Args:
        geometry: converter of the robot's geometry to exact numbers.
        robot: the tree.
        root: span of the energy functions (energy per unit of each parameter) of the base; None for a free base, whose
            link 0 has parameters.
        allowed: the nonzero standard parameters (link, name).
    """
    work = _BlockRegrouping(geometry, robot, FULL if root is None else root, keep_base=root is None)
    kept = work.run()
    columns = allowed | kept.keys()
    if not kept.keys() <= allowed or not is_prefix_ordered(robot.tree()):
        return Regrouping(_preferred_columns(robot, kept, allowed), tuple(sorted(work.early)))
    rows = {
        c: {n: x for n, x in kept[c].items() if n in allowed} for c in ordered(robot, columns) if c in kept
    }
    return Regrouping(rows, tuple(sorted(work.early)))


def gravity_span(geometry: Field, robot: Robot) -> Span:
    """Return the span of the energy functions of a fixed base, which depend on gravity only."""
    z = [geometry.of(f) for f in robot.base.Z]
    world = [geometry.of(f) for f in robot.base.G]
    return fixed_base([sum((z[4 * r + c] * world[r] for r in range(3)), 0) for c in range(3)])


def blocks(robot: Robot) -> list[LinkBlock]:
    """Divide the links of a robot into blocks whose joints are coupled only with each other.

    The link that carries a block comes before the block.
    """
    moved: dict[int, set[int]] = {i: {i} for i in coordinates(robot)}
    tree = robot.tree()
    for j, law in followers(tree).items():
        for i, _ in law.terms:
            moved[i].add(j)
    groups = [_between(tree, joints) for joints in moved.values() if len(joints) > 1]
    groups += [_between(tree, {j, *(i for i, _ in law.terms)}) for j, law in followers(tree).items()]
    merged = _merged(tree, groups)
    inside = {j for group in merged for j in group}
    position = {j: k for k, j in enumerate(kinematic_tree(tree))}
    merged += [{j} for j in sorted(position) if j not in inside]
    made = []
    for group in merged:
        links = sorted(group, key=position.__getitem__)
        made.append(LinkBlock(tree.frame(links[0]).ant, tuple(links)))
    return _after_roots(made)


def _between(robot: Robot, joints: set[int]) -> set[int]:
    """Return the links on the paths from some joints to their last common link, including the links of the joints."""
    first, *others = joints
    root = robot.frame(first).ant
    for j in others:
        root = common_ancestor(robot, root, robot.frame(j).ant)
    skip = set(chain(robot, root))
    return {k for j in joints for k in chain(robot, j) if k not in skip}


def _merged(robot: Robot, groups: list[set[int]]) -> list[set[int]]:
    """Merge groups of links that share a link, until all groups are disjoint."""
    groups_so_far: list[set[int]] = []
    for group in groups:
        while True:
            meeting = [other for other in groups_so_far if other & group]
            if not meeting:
                break
            groups_so_far = [other for other in groups_so_far if other not in meeting]
            group = _between(robot, group.union(*meeting))
        groups_so_far.append(group)
    return groups_so_far


def _after_roots(made: list[LinkBlock]) -> list[LinkBlock]:
    """Sort blocks of links so that each block comes after the link that carries it."""
    placed, ordered, waiting = {0}, [], made
    while waiting:
        later = []
        for block in waiting:
            if block.root in placed:
                placed.update(block.links)
                ordered.append(block)
            else:
                later.append(block)
        waiting = later
    return ordered


class _BlockRegrouping:
    def __init__(self, geometry: Field, robot: Robot, root: Span, *, keep_base: bool) -> None:
        self.geometry, self.robot, self.keep_base = geometry, robot, keep_base
        self.blocks = blocks(robot)
        self.spans: dict[int, Span] = {0: root}
        self.early: set[int] = set()
        self.forms: dict[ParameterKey, Combination] = {}
        for j in (0, *kinematic_tree(robot)):
            for name in (*INERTIAL, "IA"):
                self.forms[j, name] = {(j, name): 1}
        self.constants: dict[int, object] = {}

    def run(self) -> dict[ParameterKey, Combination]:
        """Return each base parameter as a linear combination of standard parameters.

        The combinations still contain parameters that are zero in the robot description.
        """
        self._outward()
        kept: list[ParameterKey] = []
        for number in reversed(range(len(self.blocks))):
            block = self.blocks[number]
            kept += self._by_rule(block.links[0]) if self._plain(block) else self._by_null_space(number)
        if self.keep_base:
            kept += [(0, name) for name in INERTIAL]
        return {column: self.forms[column] for column in kept}

    def _plain(self, block: LinkBlock) -> bool:
        """Return whether the general regrouping rule gives all relations for a block of links.

        This is the case for a single independent joint on a link whose energy functions are all independent.
        """
        alone = len(block.links) == 1 and relation(self.robot, block.links[0]) is None
        return alone and self.spans[block.root].full

    def _outward(self) -> None:
        roots = {block.root for block in self.blocks}
        for number, block in enumerate(self.blocks):
            root = self.spans[block.root]
            if not self._plain(block):
                expansion = Expansion(self.geometry, self.robot, block, root)
                expansion.expand()
                self.constants[number] = expansion.constant
                self.early.update(block.links)
            for j in block.links:
                if root.full:
                    self.spans[j] = FULL
                elif j in roots:
                    order = order_in_link(self.robot, j)
                    self.spans[j] = span(block, j, order, self.constants[number])

    def _by_null_space(self, number: int) -> list[ParameterKey]:
        block = self.blocks[number]
        columns = ordered(self.robot, set(block.functions))
        constant = self.constants[number]
        own: list[SparseVector] = []
        passed: list[SparseVector] = []
        for column in columns:
            function = block.functions[column]
            passed.append({key[1]: c for key, c in function.items() if key[0] == "B" and key[2] == constant})
            own.append({key: c for key, c in function.items() if key[0] != "B" or key[2] != constant})
        elimination = independent(own)
        for n, parts in elimination.relations.items():
            rest = dict(passed[n])
            for p, c in parts.items():
                add_to(self.forms[columns[p]], self.forms[columns[n]], c)
                add_to(rest, passed[p], -c)
            self._assign_to_root(block.root, rest, self.forms[columns[n]])
        return [columns[p] for p in elimination.pivots]

    def _assign_to_root(self, root: int, function: Mapping[int, ExactScalar], form: Combination) -> None:
        """Regroup a parameter into the link `root`, whose energy functions generate that of the parameter.

        Args:
            function: coefficients by number of the root's basis function; 0 is the constant, which has no effect.
            form: the parameter, as a combination of standard parameters.
        """
        for b, c in function.items():
            if b and (root or self.keep_base):
                add_to(self.forms[root, self.spans[root].basis[b - 1]], form, c)

    def _by_rule(self, j: int) -> list[ParameterKey]:
        """Apply the general rule to link j and return its base parameters.

        Parameters that are moved to a base at rest have no effect on the torques and are omitted.
        """
        frame, fixed = self.robot.frame(j), place(self.geometry, self.robot, j)
        stay, gain = relations(frame.sigma, fixed.rotation, fixed.position)
        own: dict[str, Combination] = {}
        for source in INERTIAL:
            form = self.forms[j, source]
            for name, k in gain[source].items() if frame.ant or self.keep_base else ():
                add_to(self.forms[frame.ant, name], form, k)
            for name, k in stay[source].items():
                add_to(own.setdefault(name, {}), form, k)
        self.forms |= {(j, name): form for name, form in own.items()}
        moves = frame.sigma != JointType.FIXED
        return [(j, name) for name in order_in_link(self.robot, j) if name in own or (name == "IA" and moves)]


def _preferred_columns(
    robot: Robot, kept: Mapping[ParameterKey, Combination], allowed: set[ParameterKey]
) -> dict[ParameterKey, Combination]:
    """Return an equivalent base set of nonzero parameters, chosen in the order of preference.

    Each standard parameter is a vector over the present base parameters. In the order of preference, a parameter is
    chosen if its vector is linearly independent of those before it.

    Args:
        kept: the present base parameters, as combinations of standard parameters.
        allowed: the nonzero standard parameters.
    """
    columns = ordered(robot, allowed)
    vectors: dict[ParameterKey, SparseVector] = {column: {} for column in columns}
    for keeper, form in kept.items():
        for column, c in form.items():
            if column in vectors:
                vectors[column][keeper] = c
    elimination = independent([vectors[column] for column in columns])
    rows: dict[ParameterKey, Combination] = {columns[p]: {columns[p]: 1} for p in elimination.pivots}
    for n, parts in elimination.relations.items():
        for p, c in parts.items():
            rows[columns[p]][columns[n]] = c
    return rows
