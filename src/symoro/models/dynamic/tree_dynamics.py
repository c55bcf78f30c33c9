"""Equations of motion of a tree with constraints, A nud + H = forces, over its independent coordinates.

For each coordinate either the acceleration or the force is known; `solve` computes the unknown one of the two. Inverse,
direct and hybrid dynamics differ only in what is known. There are four algorithms:

    walk       no force is known: Newton-Euler recursion over the tree, then multiplication by G'
    base       only the forces on the base are known: composite inertias of ten parameters, a 3x3 solve
               (Khalil 2010, section 7.2)
    partition  the rows of the force-driven coordinates are solved, with A by composite links and A_ff = L' D L;
               the forces on the other coordinates follow
    recursion  articulated bodies, including acceleration-driven joints (`articulated.py`); it requires G = 1

G maps the velocities of the independent coordinates to those of the tree. Gravity is an upward acceleration of the
base. If the base is force-driven, the recursions omit gravity, because the acceleration of the base contains it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from symoro.errors import NotApplicableError
from symoro.expr.linalg import Matrix, Vector, dot, identity, matmul, matvec, transpose
from symoro.expr.scalar import Scalar
from symoro.models.coordinates.blocks import BASE, Block, Coordinate, Values, joint, of_block
from symoro.models.coordinates.provider import ConstraintProvider
from symoro.models.dynamic.articulated import Driven, Free, body_inertias, hybrid_dynamics
from symoro.models.dynamic.composite import (
    MatrixEntries,
    column_of,
    joint_columns,
    joint_parents,
    symmetric,
    tree_composites,
)
from symoro.models.dynamic.energy import Energy, flexible_energy, kinetic_energy, whole_mass
from symoro.models.dynamic.flexible.matrix import flexible_inertia
from symoro.models.dynamic.flexible.tree import FlexibleTree, ModesOfLinks, flexible_tree
from symoro.models.dynamic.force_elements import ForceElements
from symoro.models.dynamic.formulation import Formulation
from symoro.models.dynamic.inertia import effective_inertias, link_inertias, regrouped_inertias
from symoro.models.dynamic.newton_euler import NewtonEuler
from symoro.models.dynamic.setting import gravity, wrenches
from symoro.models.joints import Trigonometry, is_zero
from symoro.models.recursion import BaseMotion, JointFrame, base_motion, joint_frames, outward
from symoro.models.solvers import TreeFactors, chain_parents
from symoro.models.spatial import Inertia, Twist, Wrench, turned
from symoro.program.builder import Builder
from symoro.robot.description import Robot
from symoro.robot.free_base import inertia_free_base_joint

NONE: Vector = [0, 0, 0]


class Method(StrEnum):
    """Algorithm by which `TreeDynamics.solve` computes the unknown accelerations and forces (see the module text)."""

    WALK = "walk"
    BASE = "base"
    PARTITION = "partition"
    RECURSION = "recursion"


class State(NamedTuple):
    """Velocities nu of the independent coordinates, and velocities `rates` of all coordinates of the tree."""

    nu: Values
    rates: Values


class Known(NamedTuple):
    """Known accelerations of the acceleration-driven coordinates, and known forces on the force-driven ones."""

    accelerations: Values
    forces: Values


class Solution(NamedTuple):
    """Accelerations of all independent coordinates, and forces on them.

    Attributes:
        at_drives: forces of surplus drives, which do not correspond to coordinates; empty if there are none.
    """

    accelerations: Values
    forces: Values
    at_drives: tuple[Scalar, ...] = ()


class TreeDynamics:
    """Dynamics of a tree whose coordinates are related by constraints.

    Geometry, inertial parameters, wrenches and gravity are declared in the program when they are first used.

    Args:
        robot: links and frames of the tree; its base is free if the provider has coordinates of the base.
        provider: the constraints between the coordinates of the tree and the independent ones.
        elements: drives, springs and motors.
        formulation: formulation of the Newton-Euler recursion.
        regroup: whether inertias may be regrouped across joints. The joint torques are then correct, the wrenches
            between the links are not.

    Attributes:
        modes: modal coordinates e and their velocities ed by flexible link, if there are any.
    """

    def __init__(
        self,
        builder: Builder,
        robot: Robot,
        provider: ConstraintProvider,
        elements: ForceElements,
        formulation: Formulation,
        *,
        regroup: bool = True,
    ) -> None:
        self.builder, self.robot, self.provider, self.formulation = builder, robot, provider, formulation
        self.elements, self.regroup = elements, regroup
        self.modes: tuple[ModesOfLinks, ModesOfLinks] | None = None
        self.with_base = BASE[0] in provider.tree
        self.trig = Trigonometry(builder, robot)
        self.joints = [c.j for c in of_block(provider.tree, Block.JOINT)]

    # -- quantities that are declared once

    @cached_property
    def gravity(self) -> Vector:
        """Return gravity in frame 0; for a free base it follows from the rotation of the base."""
        return gravity(self.builder, self.robot)

    @cached_property
    def tree(self) -> dict[int, JointFrame]:
        return joint_frames(self.builder, self.robot, self.provider.positions, self.trig)

    @cached_property
    def flexible(self) -> FlexibleTree:
        assert self.modes is not None
        return flexible_tree(self.builder, self.robot, self.provider.positions, *self.modes)

    @cached_property
    def prescribed(self) -> BaseMotion:
        """Return the prescribed motion of a base that has no coordinates."""
        return base_motion(self.builder, self.robot)

    @cached_property
    def loads(self) -> dict[int, Vector]:
        """Return the wrench (force; moment) of each link on the environment, in the link's frame."""
        return wrenches(self.builder, self.robot, with_base=self.with_base)

    @cached_property
    def inertias(self) -> dict[int, Inertia]:
        """Return the inertias of the links, regrouped if `regroup` is set."""
        if self.regroup:
            return effective_inertias(self.builder, self.robot, self.tree, self.formulation.bases())
        return link_inertias(self.builder, self.robot)

    @cached_property
    def composites(self) -> dict[int, Inertia]:
        """Return the inertia of each link with all links that it carries; link 0 is included if the base is free."""
        return tree_composites(self.builder, self.robot, self.tree)

    def _declare(self) -> None:
        """Declare geometry, base motion and wrenches before the inertias.

        The order of declaration is the order in which the parameters of the program are listed.
        """
        _ = self.tree, self.with_base or self.prescribed, self.loads

    def state(self, nu: Values) -> State:
        """Return the velocities of the tree for the velocities nu of the independent coordinates."""
        return State(nu, self.provider.rates(nu))

    def _of_joints(self, values: Values) -> dict[int, Scalar]:
        return {j: values[joint(j)] for j in self.joints}

    def root(self, rates: Values, accelerations: Values) -> BaseMotion:
        """Return the motion of the base, from its coordinates if it has coordinates, otherwise as prescribed.

        Args:
            rates, accelerations: velocities and accelerations of the tree's coordinates.
        """
        if not self.with_base:
            return self.prescribed
        v, vd = ([values[c] for c in BASE] for values in (rates, accelerations))
        return BaseMotion(v[:3], v[3:], vd[:3], vd[3:])

    # -- forces

    def efforts(
        self, state: State, nud: Values, down: Vector | None = None, *, elements: bool = True
    ) -> dict[Coordinate, Scalar]:
        """Return the forces A nud + H on the independent coordinates (inertia matrix A, bias forces H).

        Args:
            state: velocities of the coordinates.
            nud: accelerations of the independent coordinates.
            down: gravity in frame 0, if it differs from that of the robot.
            elements: whether drives, springs, motors and the stiffness of flexible links are included.
        """
        accelerations = self.provider.accelerations(nud, state.nu)
        return self.provider.project(self.tree_forces(state, accelerations, down, elements=elements))

    def tree_forces(
        self, state: State, accelerations: Values, down: Vector | None = None, *, elements: bool = True
    ) -> dict[Coordinate, Scalar]:
        """Return the force on every coordinate of the tree, with zero accelerations of the modes of flexible links.

        Args:
            accelerations: accelerations of the tree's coordinates.
            down: gravity in frame 0, if it differs from that of the robot.
            elements: whether drives, springs, motors and the stiffness of flexible links are included.
            state: velocities of the coordinates.
        """
        if self.modes is not None:
            forces = self._flexible_forces(state, accelerations, down, stiff=elements)
        else:
            self._declare()
            walk = self.walk(state, accelerations, self.inertias, down)
            forces = {joint(j): walk.efforts[j] for j in self.joints}
            if self.with_base:
                forces |= zip(BASE, [*walk.ground.force, *walk.ground.moment], strict=True)
        if not elements:
            return {c: forces.get(c, 0) for c in self.provider.tree}
        extra = self.elements.forces(state.rates, accelerations)
        return {c: forces.get(c, 0) + extra.get(c, 0) for c in self.provider.tree}

    def walk(
        self,
        state: State,
        accelerations: Values,
        inertias: Mapping[int, Inertia],
        down: Vector | None = None,
    ) -> NewtonEuler:
        """Evaluate the Newton-Euler recursion; the returned object contains the wrenches on the links (`bodies`).

        Args:
            accelerations: accelerations of the tree's coordinates.
            inertias: inertias of the links.
            down: gravity in frame 0, if it differs from that of the robot.
            state: velocities of the coordinates.
        """
        walk = self.motion(state, accelerations, down)
        walk.load(inertias, self.loads, with_base=self.with_base)
        walk.gather()
        return walk

    def motion(self, state: State, accelerations: Values, down: Vector | None = None) -> NewtonEuler:
        """Compute the velocities and accelerations of the links (outward part of the Newton-Euler recursion).

        Args:
            accelerations: accelerations of the tree's coordinates.
            down: gravity in frame 0, if it differs from that of the robot.
            state: velocities of the coordinates.
        """
        walk = NewtonEuler(self.builder, self.formulation, self.tree, self.trig)
        walk.move(
            self.root(state.rates, accelerations),
            self.gravity if down is None else down,
            self._of_joints(state.rates),
            self._of_joints(accelerations),
        )
        return walk

    def _flexible_forces(
        self, state: State, accelerations: Values, down: Vector | None, *, stiff: bool
    ) -> dict[Coordinate, Scalar]:
        joints = {j: Driven(x) for j, x in self._of_joints(accelerations).items()}
        tree = self.flexible
        root = self.root(state.rates, accelerations)
        result = hybrid_dynamics(
            self.builder,
            tree.elements if stiff else tree.without_stiffness(),
            self._of_joints(state.rates),
            joints,
            root,
            self.gravity if down is None else down,
            tree.inertias,
            self.loads,
            free_base=self.with_base,
            held=True,
        )
        forces = {joint(j): x for j, x in result.efforts.items()}
        if result.wrench:
            forces |= zip(BASE, [*result.wrench.f, *result.wrench.m], strict=True)
        return forces | self._of_modes(result.modes)

    @staticmethod
    def _of_modes(modes: Mapping[int, Sequence[Scalar]]) -> dict[Coordinate, Scalar]:
        return {
            Coordinate(Block.MODE, j, k): x for j, values in modes.items() for k, x in enumerate(values, 1)
        }

    def wrenches(self, state: State, nud: Values) -> dict[int, Wrench]:
        """Return the wrench of the antecedent on each link, in the link's frame.

        Inertias are not regrouped, so that these are the actual reactions.

        Args:
            nud: accelerations of the independent coordinates.
            state: velocities of the coordinates.
        """
        accelerations = self.provider.accelerations(nud, state.nu)
        walk = self.walk(state, accelerations, link_inertias(self.builder, self.robot))
        return {j: Wrench(body.force, body.moment) for j, body in sorted(walk.bodies.items())}

    # -- inertia

    @cached_property
    def tree_inertia(self) -> MatrixEntries:
        """Return the entries of the inertia matrix over the coordinates of the tree, including rotors."""
        if self.modes is not None:
            entries = flexible_inertia(self.builder, self.robot, self.flexible, free_base=self.with_base)
            return self._with_coupled_motors(entries)
        entries = joint_columns(self.builder, self.robot, self.tree, self.composites)
        if self.with_base:
            for c, unit in zip(BASE, identity(6), strict=True):
                wrench = self.composites[0] @ Twist(unit[:3], unit[3:])
                entries |= {(r, c): x for r, x in zip(BASE, [*wrench.f, *wrench.m], strict=True)}
        for c in of_block(self.provider.tree, Block.MOTOR):
            entries[c, c] = self.elements.rotor(c)
        return self._with_coupled_motors(entries)

    def _with_coupled_motors(self, entries: MatrixEntries) -> MatrixEntries:
        """Return the entries of the inertia matrix with those of motors that turn with several joints added."""
        for (i, j), x in self.elements.coupled_inertia().items():
            if (j, i) not in entries:  # the matrix is symmetric, and only one of both entries is stored
                entries[i, j] = entries.get((i, j), 0) + x
        return entries

    def inertia(self) -> Matrix:
        """Return the inertia matrix A = G' A_tree G over the independent coordinates.

        G maps the velocities of the independent coordinates to those of the tree.
        """
        rows, entries = self.provider.tree, self.tree_inertia
        a = [[entries.get((i, j), entries.get((j, i), 0)) for j in rows] for i in rows]
        if self.provider.is_identity:
            return a
        g = self.provider.matrix()
        return symmetric(matmul(transpose(g), matmul(a, g)))

    @cached_property
    def _reduced(self) -> MatrixEntries:
        own, a = self.provider.own, self.inertia()
        return {(i, j): a[r][c] for r, i in enumerate(own) for c, j in enumerate(own)}

    def entry(self, i: Coordinate, j: Coordinate) -> Scalar:
        """Return the entry A_ij of the inertia matrix for two independent coordinates."""
        if self.provider.is_identity:
            return self.tree_inertia.get((i, j), self.tree_inertia.get((j, i), 0))
        return self._reduced[i, j]

    def factors(self, free: Sequence[Coordinate]) -> TreeFactors[Coordinate]:
        """Return the factors L' D L of the block A_ff of the inertia matrix that belongs to the coordinates `free`.

        The zeros of A_ff between different branches of the tree remain zeros in L.

        Raises:
            NotApplicableError: A_ff is singular.
        """
        self._check_base(free)
        parents = self._parents(free)
        entries = {(i, j): self.entry(i, j) for i in parents for j in parents}
        return TreeFactors(entries, parents, _inverse)

    def _check_base(self, free: Sequence[Coordinate]) -> None:
        if BASE[0] not in free:
            return
        j = inertia_free_base_joint(self.robot, lambda formula: formula.is_zero)
        if j is not None and joint(j) in free:
            raise NotApplicableError(
                f"the accelerations of the base and of joint {j} are undetermined: the base has no mass "
                "and carries this joint alone",
                hint=f"give link 0 a mass and an inertia, or joint {j} a rotor inertia IA",
            )

    def _parents(self, free: Sequence[Coordinate]) -> dict[Coordinate, Coordinate | None]:
        """Return, for each free coordinate, the nearest free coordinate between it and the base; parents come first.

        If constraints, flexible links or motors couple the coordinates, the inertia matrix is full, and the parent of
        each coordinate is the previous one in the list.
        """
        if not self.provider.is_identity or self.modes is not None or self.robot.motors:
            return chain_parents(free)
        base = [c for c in free if c.block is Block.BASE]
        parents = chain_parents(base) if base else {}
        last = base[-1] if base else None
        nearest: dict[int, Coordinate | None] = {0: last}
        for j, before in joint_parents(self.tree).items():
            nearest[j] = nearest[before]
            if joint(j) in free:
                parents[joint(j)], nearest[j] = nearest[before], joint(j)
        return parents | dict.fromkeys(of_block(free, Block.MOTOR))

    def solver(self, free: Sequence[Coordinate]) -> Callable[[Values], dict[Coordinate, Scalar]]:
        """Return a function that solves A_ff x = b, where A_ff is the inertia matrix over the coordinates `free`.

        The matrix is factored once.
        """
        if tuple(free) == BASE and self.modes is None and self.provider.is_identity:
            return self._solve_base
        factors = self.factors(free)

        def solve(right: Values) -> dict[Coordinate, Scalar]:
            x = factors.solve({c: right[c] for c in factors.before})
            return {c: x[c] for c in free}

        return solve

    def solve_columns(
        self, free: Sequence[Coordinate], columns: Sequence[Values]
    ) -> list[dict[Coordinate, Scalar]]:
        """Return the solutions x of A_ff x = b for several b; A_ff is the inertia matrix over the coordinates `free`.

        Args:
            columns: the right-hand sides b; entries that are zero on whole branches of the tree save operations.
        """
        if tuple(free) == BASE and self.modes is None and self.provider.is_identity:
            return [self._solve_base(column) for column in columns]
        factors = self.factors(free)
        solved = factors.solve_columns([{c: column[c] for c in factors.before} for column in columns])
        return [{c: x[c] for c in free} for x in solved]

    def _solve_base(self, right: Values) -> dict[Coordinate, Scalar]:
        b = [right[c] for c in BASE]
        x = self.composites[0].solve(Wrench(b[:3], b[3:]))
        return dict(zip(BASE, [*x.v, *x.w], strict=True))

    # -- unknown accelerations and forces

    def methods(self, known: Known) -> list[Method]:
        """Return the algorithms that can solve for the accelerations and forces that are not known."""
        if not known.forces:
            return [Method.WALK]
        if set(known.forces) == set(BASE) and self.modes is None:
            return [Method.BASE]
        if not self.provider.is_identity or (self.with_base and BASE[0] not in known.forces):
            return [Method.PARTITION]
        if self.robot.motors:  # the rotor of a coupled motor is not part of one articulated body
            return [Method.PARTITION]
        return [Method.RECURSION] if self.modes is not None else [Method.PARTITION, Method.RECURSION]

    def solve(self, state: State, known: Known, method: Method) -> Solution:
        """Return the accelerations of all independent coordinates and the forces on them.

        Args:
            known: the known accelerations and forces.
            method: algorithm, one of those that `methods` returns.
            state: velocities of the coordinates.
        """
        match method:
            case Method.WALK:
                return Solution(known.accelerations, self.efforts(state, known.accelerations))
            case Method.BASE:
                return self._by_base(state, known)
            case Method.PARTITION:
                return self._by_partition(state, known)
            case Method.RECURSION:
                return self._by_recursion(state, known)

    def with_gravity(self, nud: Values) -> dict[Coordinate, Scalar]:
        """Return the accelerations nud with gravity added to the linear acceleration of the base.

        The recursions of a falling base compute its acceleration minus gravity.
        """
        return {**nud, **{c: nud[c] + g for c, g in zip(BASE[:3], self.gravity, strict=True)}}

    def _by_base(self, state: State, known: Known) -> Solution:
        nud, forces = known
        accelerations = self.provider.accelerations({**nud, **dict.fromkeys(BASE, 0)}, state.nu)
        at_rest = self.tree_forces(state, accelerations, NONE)
        base = self._solve_base({c: forces[c] - at_rest[c] for c in BASE})
        v = list(base.values())
        rows: dict[int, Scalar] = {}

        def step(frame: JointFrame, antecedent: Twist) -> Twist:
            # Before the joint rotation, which is already part of the composite inertia.
            before_joint = antecedent.before_joint(frame)
            if frame.moving:
                column = turned(frame.theta, column_of(frame, self.composites[frame.j]))
                rows[frame.j] = column.dot(before_joint)
            return before_joint.after_joint(frame)

        outward(self.tree, Twist(v[:3], v[3:]), step)
        total = {c: x + rows.get(c.j, 0) if c.block is Block.JOINT else x for c, x in at_rest.items()}
        return Solution(self.with_gravity({**nud, **base}), {**self.provider.project(total), **forces})

    def _by_partition(self, state: State, known: Known) -> Solution:
        nud, forces = known
        own = self.provider.own
        free = [c for c in own if c in forces]
        falls = BASE[0] in forces
        at_rest = self.efforts(state, {c: nud.get(c, 0) for c in own}, NONE if falls else None)
        x = self.solver(free)({c: forces[c] - at_rest[c] for c in free})
        total: dict[Coordinate, Scalar] = dict(forces)
        for c in own:
            if c not in forces:
                total[c] = at_rest[c]
                for i, acceleration in x.items():
                    total[c] = total[c] + self.entry(c, i) * acceleration
        whole = {**nud, **x}
        return Solution(self.with_gravity(whole) if falls else whole, total)

    def _by_recursion(self, state: State, known: Known) -> Solution:
        nud, forces = known
        own = self.provider.own
        still: dict[Coordinate, Scalar] = dict.fromkeys(self.provider.tree, 0)
        at_rest = self.elements.forces(state.rates, still)
        joints: dict[int, Driven | Free] = {}
        for j in self.joints:
            c = joint(j)
            if c in forces:
                joints[j] = Free(forces[c] - at_rest[c], self.elements.rotor(c))  # (44), (69), (106)
            else:
                joints[j] = Driven(nud[c])
        root = self.root(state.rates, still)
        if self.modes is not None:
            elements, inertias = self.flexible.elements, self.flexible.inertias
        else:
            elements = dict(self.tree)
            inertias = body_inertias(self.builder, self.robot, self.tree, free_base=self.with_base)
        result = hybrid_dynamics(
            self.builder,
            elements,
            self._of_joints(state.rates),
            joints,
            root,
            self.gravity,
            inertias,
            self.loads,
            free_base=self.with_base,
        )
        whole = {**still, **nud, **{joint(j): x for j, x in result.qdd.items()}}
        if self.with_base:
            whole |= zip(BASE, [*result.base.v, *result.base.w], strict=True)
        whole |= self._of_modes(result.modes)
        for c in of_block(forces, Block.MOTOR):
            whole[c] = self.elements.motor_acceleration(c, forces[c] - at_rest[c])
        drives = self.elements.forces(state.rates, whole)
        total: dict[Coordinate, Scalar] = dict(forces)
        for c in own:
            if c not in forces:
                effort = result.efforts[c.j] if c.block is Block.JOINT else 0
                total[c] = effort + drives[c]
        return Solution(whole, total)

    # -- energy

    def energy(self, state: State, *, by_matrix: bool = False) -> Energy:
        """Return the kinetic energy, the strain energy of beams, the mass and the first moments of the robot.

        The potential energy of gravity and of joint springs is not included.

        Args:
            state: velocities of the coordinates.
            by_matrix: whether to compute the kinetic energy as nu' A nu / 2 (velocities nu, inertia matrix A) instead
                of the sum over the links.
        """
        qd = self._of_joints(state.rates)
        root = self.root(state.rates, dict.fromkeys(BASE, 0)) if self.with_base else self._moving_base
        if self.modes is not None:
            energy = flexible_energy(
                self.builder, self.robot, self.flexible, root, qd, self.modes, with_base=self.with_base
            )
            return energy._replace(kinetic=energy.kinetic + self.elements.kinetic_energy(state.rates))
        tree = self.tree
        inertias = regrouped_inertias(self.builder, self.robot, tree, with_base=self.with_base)
        if by_matrix:
            nu = [state.nu[c] for c in self.provider.own]
            kinetic: Scalar = self.builder.number(1) / 2 * dot(nu, matvec(self.inertia(), nu))
        else:
            moving = {j: x for j, x in inertias.items() if j or self.with_base or not root.still}
            kinetic = kinetic_energy(self.builder, self.robot, tree, root, qd, moving)
            kinetic = kinetic + self.elements.kinetic_energy(state.rates)
        return Energy(kinetic, *whole_mass(tree, inertias), 0)

    @cached_property
    def _moving_base(self) -> BaseMotion:
        """Return the velocity of a base that has no coordinates; its acceleration is set to zero."""
        return base_motion(self.builder, self.robot, acceleration=False)


def _inverse(c: Coordinate, pivot: Scalar) -> Scalar:
    """Return 1 / pivot, where the pivot is an inertia of the coordinate c.

    Raises:
        NotApplicableError: the inertia is zero.
    """
    if not is_zero(pivot):
        return 1 / pivot
    hints = {
        Block.BASE: "give link 0 a mass and an inertia",
        Block.JOINT: f"give a mass to the links that joint {c.j} moves, or a rotor inertia IA to the joint",
        Block.MODE: f"give link {c.j} a mass per length (for torsion a polar inertia Ip), or fewer modes",
        Block.MOTOR: f"give joint {c.j} a rotor inertia IA",
    }
    what = {
        Block.BASE: "the inertia of the free base is singular, so that its acceleration is undetermined",
        Block.MODE: f"the modes of link {c.j} move no mass, so that their accelerations are undetermined",
        Block.MOTOR: f"the motor of joint {c.j} has no inertia, so that its acceleration is undetermined",
    }.get(c.block, f"{c.words} moves no mass, so that its acceleration is undetermined")
    raise NotApplicableError(what, hint=hints.get(c.block))
