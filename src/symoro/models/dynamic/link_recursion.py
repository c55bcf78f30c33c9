r"""Newton-Euler recursion of one link as the papers print it, with the geometry of the link inserted.

W. Khalil, ICINCO 2010, section 3.2, eq. 18 to 31; W. Khalil, E. Dombre, "Modeling, identification and control of
robots", 2002, section 9.5. The links have their standard parameters, so that the wrenches are the reactions of the
joints. Each step has the general vector form, the same equation with the matrices of the link, and its scalar
components:

    geometry                iRj, iPj, and the same of the links k that are attached to link j
    forward                 jwi, jwj, jwdj, jUj, jVdj, jFj, jMj
    backward                jfk, jfj, jmj, Gamma_j

A component has the name of its vector, its index and its link: w1_3 is component 1 of the angular velocity of link 3,
in frame 3, and w1_2in3 that of link 2 in frame 3. A component of another link that is a number or a symbol of the robot
is inserted; otherwise its name appears, and the equations of that link define it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from symoro.errors import NotApplicableError, UnknownNameError
from symoro.expr import ops
from symoro.expr.linalg import (
    Matrix,
    Vector,
    add,
    cross,
    matadd,
    matmul,
    matvec,
    scale,
    skew,
    subtract,
    transpose,
)
from symoro.expr.scalar import Expr, Scalar, symbol, wrap
from symoro.models.coordinates.couplings import fixed_value
from symoro.models.dynamic.floating_base import base_gravity
from symoro.models.dynamic.force_elements import coupled_torques, drive_torques, loaded_torque
from symoro.models.dynamic.inertia import link_inertias
from symoro.models.dynamic.setting import gravity, wrenches
from symoro.models.dynamic.structures import supported_friction, without_load_friction
from symoro.models.joints import Trigonometry, is_zero
from symoro.models.recursion import JointFrame, SinCos, base_motion, inward, joint_frames, origin, outward
from symoro.models.spatial import Inertia
from symoro.notation import component
from symoro.program.builder import Builder
from symoro.program.program import Notation, Rows, Sentence, Stage
from symoro.robot.coordinates import followers
from symoro.robot.description import BaseKind, JointType, Robot
from symoro.robot.flexibility import flexible_links
from symoro.robot.topology import moving_joints

BASE = "base"  # first word of the titles of the steps that define the motion of the base


def _general(left: str, right: str, latex_left: str, latex_right: str) -> Sentence:
    return (Notation(left, latex_left), "=", Notation(right, latex_right))


def _equality(symbol: str, value: int | str) -> Notation:
    return Notation(f"{symbol} = {value}", rf"{symbol} = \text{{{value}}}")


# General vector forms, by step; s = sigma_j and sb = 1 - s.
GENERAL: dict[str, Sentence] = {
    "T": _general(
        "iTj",
        "Rot(z, gamma_j) Trans(z, b_j) Rot(x, alpha_j) Trans(x, d_j) Rot(z, theta_j) Trans(z, r_j)   (1)",
        "{}^{i}T_{j}",
        r"\mathrm{Rot}(z, \gamma_j)\,\mathrm{Trans}(z, b_j)\,\mathrm{Rot}(x, \alpha_j)\,\mathrm{Trans}(x, d_j)\,"
        r"\mathrm{Rot}(z, \theta_j)\,\mathrm{Trans}(z, r_j) \qquad (1)",
    ),
    "before": _general(
        "jwi", "jRi iwi   (18)", r"{}^{j}\omega_{i}", r"{}^{j}R_{i}\,{}^{i}\omega_{i} \qquad (18)"
    ),
    "w": _general(
        "jwj",
        "jwi + sb qd_j jaj   (19)",
        r"{}^{j}\omega_{j}",
        r"{}^{j}\omega_{i} + \bar\sigma_j\,\dot q_j\,{}^{j}a_{j} \qquad (19)",
    ),
    "wd": _general(
        "jwdj",
        "jRi iwdi + sb (qdd_j jaj + jwi x qd_j jaj)   (20)",
        r"{}^{j}\dot\omega_{j}",
        r"{}^{j}R_{i}\,{}^{i}\dot\omega_{i} + \bar\sigma_j \left(\ddot q_j\,{}^{j}a_{j} + "
        r"{}^{j}\omega_{i} \times \dot q_j\,{}^{j}a_{j}\right) \qquad (20)",
    ),
    "U": _general(
        "jUj",
        "hat(jwdj) + hat(jwj) hat(jwj)",
        "{}^{j}U_{j}",
        r"{}^{j}\hat{\dot\omega}_{j} + {}^{j}\hat\omega_{j}\,{}^{j}\hat\omega_{j}",
    ),
    "vd": _general(
        "jVdj",
        "jRi (iVdi + iUi iPj) + s (qdd_j jaj + 2 jwi x qd_j jaj)   (21)",
        r"{}^{j}\dot V_{j}",
        r"{}^{j}R_{i} \left({}^{i}\dot V_{i} + {}^{i}U_{i}\,{}^{i}P_{j}\right) + \sigma_j \left(\ddot q_j\,{}^{j}a_{j} "
        r"+ 2\,{}^{j}\omega_{i} \times \dot q_j\,{}^{j}a_{j}\right) \qquad (21)",
    ),
    "F": _general(
        "jFj",
        "M_j jVdj + jUj jMSj   (22)",
        "{}^{j}F_{j}",
        r"M_j\,{}^{j}\dot V_{j} + {}^{j}U_{j}\,{}^{j}\mathit{MS}_{j} \qquad (22)",
    ),
    "M": _general(
        "jMj",
        "jJj jwdj + jwj x (jJj jwj) + jMSj x jVdj   (23)",
        "{}^{j}M_{j}",
        r"{}^{j}J_{j}\,{}^{j}\dot\omega_{j} + {}^{j}\omega_{j} \times \left({}^{j}J_{j}\,{}^{j}\omega_{j}\right) + "
        r"{}^{j}\mathit{MS}_{j} \times {}^{j}\dot V_{j} \qquad (23)",
    ),
    "child": _general("jfk", "jRk kfk   (28)", "{}^{j}f_{k}", r"{}^{j}R_{k}\,{}^{k}f_{k} \qquad (28)"),
    "f": _general(
        "jfj",
        "jFj + jfej + sum over k of jfk   (26), (29)",
        "{}^{j}f_{j}",
        r"{}^{j}F_{j} + {}^{j}f_{ej} + \sum_{k} {}^{j}f_{k} \qquad (26), (29)",
    ),
    "m": _general(
        "jmj",
        "jMj + jmej + sum over k of (jRk kmk + jPk x jfk)   (27), (30)",
        "{}^{j}m_{j}",
        r"{}^{j}M_{j} + {}^{j}m_{ej} + \sum_{k} \left({}^{j}R_{k}\,{}^{k}m_{k} + {}^{j}P_{k} \times {}^{j}f_{k}\right) "
        r"\qquad (27), (30)",
    ),
    "load": _general(
        "Gamma_j",
        "Gamma0_j + FL_j |Gamma_j| sign(qd_j)",
        r"\Gamma_{j}",
        r"\Gamma_{0,j} + F_{l,j}\,|\Gamma_{j}|\,\mathrm{sign}(\dot q_j)",
    ),
}
# Terms of the torque (31): those of every joint, of Stribeck's friction, and of coupled motors m with the ratios c.
TORQUE = Notation(
    "(s jfj + sb jmj)' jaj + IA_j qdd_j + FS_j sign(qd_j) + FV_j qd_j + FO_j",
    r"\left(\sigma_j\,{}^{j}f_{j} + \bar\sigma_j\,{}^{j}m_{j}\right)^T {}^{j}a_{j} + I_{a,j}\,\ddot q_j + "
    r"F_{s,j}\,\mathrm{sign}(\dot q_j) + F_{v,j}\,\dot q_j + F_{o,j}",
)
STRIBECK = Notation(
    "FB_j exp(-(qd_j/VS_j)^2) sign(qd_j)",
    r"F_{b,j}\,e^{-(\dot q_j / v_{s,j})^2}\,\mathrm{sign}(\dot q_j)",
)
COUPLED = Notation(
    "sum over m of c_j (sum over i != j of c_i (IAM_m qdd_i + FVM_m qd_i) + FSM_m sign(c' qd))",
    r"\sum_{m} c_j \left(\sum_{i \neq j} c_i \left(I_{am,m}\,\ddot q_i + F_{vm,m}\,\dot q_i\right) + "
    r"F_{sm,m}\,\mathrm{sign}(c^T \dot q)\right)",
)

# Letters of the vectors in text and LaTeX.
LETTERS = {
    "w": ("w", r"\omega"),
    "wd": ("wd", r"\dot\omega"),
    "vd": ("Vd", r"\dot V"),
    "U": ("U", "U"),
    "F": ("F", "F"),
    "M": ("M", "M"),
    "f": ("f", "f"),
    "m": ("m", "m"),
    "R": ("R", "R"),
    "P": ("P", "P"),
    "J": ("J", "J"),
    "MS": ("MS", r"\mathit{MS}"),
    "T": ("T", "T"),
}
Piece = Notation | Rows | Expr
PLUS, TIMES = Notation(" + ", " + "), Notation(" x ", r" \times ")
OPEN, CLOSE = Notation("(", r"\left("), Notation(")", r"\right)")


@dataclass
class _Link:
    """Variables of one link in the recursion, and the stages that define them."""

    w: Vector
    wd: Vector
    vd: Vector
    u: Matrix
    force: Vector = field(default_factory=list)
    moment: Vector = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)


def link_recursion(robot: Robot, link: int | str) -> tuple[str, tuple[Stage, ...]]:
    """Return the title and the steps of the Newton-Euler recursion of one link.

    The tree of a robot with closed loops or coupled joints has all joints as independent; a last step states the
    projection on the independent ones.

    Args:
        link: number of the link, or name of the link or its joint; 0 is the base, if it is floating.

    Raises:
        NotApplicableError: the robot has wheels or flexible links, load-dependent friction of joints whose torques are
            projected on others, or a symbol with the name of a component.
        UnknownNameError: there is no such link.
    """
    if robot.wheels or flexible_links(robot):
        what = "wheels" if robot.wheels else "flexible links"
        raise NotApplicableError(
            f"the Newton-Euler recursion of one link does not apply to robot '{robot.name}': it has {what}"
        )
    reason = supported_friction(robot, {})
    if reason is None and (robot.B or followers(robot)):
        reason = without_load_friction(robot, {})
    if reason is not None:
        raise NotApplicableError(
            f"the Newton-Euler recursion of one link does not apply to robot '{robot.name}': {reason}"
        )
    j = robot.frame_number(link)
    floating = robot.base.kind == BaseKind.FLOATING
    if j > robot.NL or (j == 0 and not floating):
        known = "0" if floating else "1"
        raise UnknownNameError("link", link, [f"{known} .. {robot.NL}"])
    recursion = _Recursion(robot)
    frame = robot.frame(j) if j else None
    kind = f"{frame.sigma.name.lower()} joint, antecedent {frame.ant}" if frame else "floating base"
    return f"Newton-Euler recursion of link {j} of {robot.name} ({kind})", recursion.stages(j)


class _Recursion:
    """Newton-Euler recursion over the tree of a robot, in which the components of all vectors have names."""

    def __init__(self, robot: Robot) -> None:
        self.described, self.robot = robot, robot.tree()
        self.builder = Builder("recursion")
        self.defined: set[str] = set()
        tree = self.robot
        moving = moving_joints(tree)
        q, qd, qdd = ({j: self._symbol(f"{name}{j}") for j in moving} for name in ("q", "qd", "qdd"))
        self.qd = {j: fixed_value(self.builder, tree, "qd", j) or x for j, x in qd.items()}
        self.qdd = {j: fixed_value(self.builder, tree, "qdd", j) or x for j, x in qdd.items()}
        self.q = q
        self.definitions: dict[int, list[Sentence]] = {}
        plain = joint_frames(self.builder, tree, q, Trigonometry(self.builder, tree))
        self.frames = {j: self._with_names(frame) for j, frame in plain.items()}
        self.inertias = link_inertias(self.builder, tree)
        self.floating = tree.base.kind == BaseKind.FLOATING
        self.loads = wrenches(self.builder, tree, with_base=self.floating)
        self.links = outward(self.frames, self._base(), self._forward)
        inward(self.frames, self.links, self._backward_step)
        if self.floating:
            self._backward(0)
        self._check_names()

    def stages(self, j: int) -> tuple[Stage, ...]:
        """Return all steps of link j: those of the base first if the base is its antecedent."""
        own = self.links[j].stages
        before = self.links[0].stages if j and self.frames[j].i == 0 else []
        before = [stage for stage in before if stage.title.startswith(BASE)]
        return (*before, *own, *self._projection())

    # -- names

    def _symbol(self, name: str) -> Expr:
        return symbol(self.builder.graph, name, ops.VARIABLE)

    def _number(self, x: Scalar) -> Expr:
        return wrap(self.builder.graph, x)

    def _rows(self, matrix: Matrix) -> Rows:
        return Rows(tuple(tuple(self._number(x) for x in row) for row in matrix))

    def _column(self, vector: Vector) -> Rows:
        return self._rows([[x] for x in vector])

    def _with_names(self, frame: JointFrame) -> JointFrame:
        """Return the frame with symbols such as C3 in place of its sines and cosines; the symbols are recorded."""
        own: dict[str, Sentence] = {}

        def named(turn: SinCos) -> SinCos:
            return self._wave(turn[0], own), self._wave(turn[1], own)

        gamma, alpha, theta = named(frame.gamma), named(frame.alpha), named(frame.theta)
        transform = frame.transform
        position = origin(gamma, alpha, transform.b, transform.d, transform.r)
        self.definitions[frame.j] = list(own.values())
        return replace(frame, gamma=gamma, alpha=alpha, theta=theta, position=position)

    def _wave(self, x: Expr, own: dict[str, Sentence]) -> Expr:
        known = self.builder.name_of(x)
        if known is None:
            return x
        name, flip = known
        variable, value = self._symbol(name), Expr(x.graph, x.lit & ~1 | flip)
        own[name] = (variable, "=", value)
        self.defined.add(name)
        return -variable if (x.lit & 1) ^ flip else variable

    def _is_short(self, x: Expr) -> bool:
        """Return whether an entry is a number or a symbol of the robot, with any sign, and is inserted where used."""
        graph, i = x.graph, x.lit >> 1
        if graph.op[i] == ops.SYMBOL:
            return component(graph.args[i][0]) is None
        return graph.op[i] == ops.NUMBER

    def _named(
        self, letter: str, j: int, values: Matrix, within: int | None = None
    ) -> tuple[Matrix, list[Sentence]]:
        """Return the entries as they appear in other equations, and the sentences that define them.

        Args:
            letter: letter of the vector or matrix.
            j: link to which it belongs.
            within: frame in which it is expressed, if it is not frame j.
        """
        entries: Matrix = []
        sentences: list[Sentence] = []
        for r, row in enumerate(values, 1):
            entries.append([])
            for c, value in enumerate(row, 1):
                index = f"{r}{c}" if len(row) > 1 else f"{r}"
                name = f"{letter}{index}_{j}" + ("" if within is None else f"in{within}")
                x = self._number(value)
                self.defined.add(name)
                sentences.append((self._symbol(name), "=", x))
                entries[-1].append(x if self._is_short(x) else self._symbol(name))
        return entries, sentences

    def _check_names(self) -> None:
        clash = sorted(self.defined & set(self.robot.symbols()))
        if clash:
            raise NotApplicableError(
                f"the symbol '{clash[0]}' of robot '{self.robot.name}' has the name of a variable of the recursion",
                hint=f"rename the symbol, for example with robot.bind({{'{clash[0]}': 'other_name'}})",
            )

    # -- steps

    def _stage(
        self,
        title: str,
        key: str,
        left: Notation,
        right: Sequence[Piece],
        scalars: list[Sentence],
    ) -> Stage:
        inserted: Sentence = (left, "=", *right)
        return Stage(title, (GENERAL[key], inserted, *scalars))

    def _vector_step(
        self,
        title: str,
        letter: str,
        j: int,
        right: Sequence[Piece],
        value: Vector,
        key: str = "",
        within: int | None = None,
    ) -> tuple[Vector, Stage]:
        """Return the entries of a vector as other equations use them, and the step that defines it.

        Args:
            right: the right side with matrices.
            value: the components of the vector.
            key: general form, if it is not that of the letter.
        """
        entries, sentences = self._named(letter, j, [[x] for x in value], within)
        left = _symbol_of(letter, j, j if within is None else within)
        return [row[0] for row in entries], self._stage(title, key or letter, left, right, sentences)

    def _base(self) -> _Link:
        """Return the motion of the base; its acceleration contains minus gravity."""
        motion = base_motion(self.builder, self.robot)
        g = (
            base_gravity(self.builder, self.robot, "matrix")
            if self.floating
            else gravity(self.builder, self.robot)
        )
        vectors: list[Vector] = []
        sentences: list[Sentence] = []
        for letter, value in (("w", motion.w), ("wd", motion.wd), ("vd", subtract(motion.vd, g))):
            entries, own = self._named(letter, 0, [[x] for x in value])
            vectors.append([row[0] for row in entries])
            sentences += own
        w, wd, vd = vectors
        minus = Notation("acceleration of the base - g", r"\text{acceleration of the base} - g")
        start: Sentence = (_symbol_of("vd", 0, 0), "=", minus)
        u, stage = self._u_step(0, w, wd)
        if all(is_zero(x) for row in u for x in row):
            sentences.append((_symbol_of("U", 0, 0), "=", Notation("0", "0")))
        initial = [Stage(f"{BASE}: initial values", (start, *sentences))]
        if not all(is_zero(x) for row in u for x in row):
            initial.append(replace(stage, title=f"{BASE}: {stage.title}"))
        link = _Link(w, wd, vd, u, stages=initial)
        if self.floating:
            self._loads(0, link)
        return link

    def _u_step(self, j: int, w: Vector, wd: Vector) -> tuple[Matrix, Stage]:
        hat, hat_d = skew(w), skew(wd)
        entries, sentences = self._named("U", j, matadd(hat_d, matmul(hat, hat)))
        right: list[Piece] = [self._rows(hat_d), PLUS, self._rows(hat), self._rows(hat)]
        return entries, self._stage("matrix U", "U", _symbol_of("U", j, j), right, sentences)

    def _forward(self, frame: JointFrame, i: _Link) -> _Link:
        j = frame.j
        rate, acceleration = self.qd.get(j, 0), self.qdd.get(j, 0)
        rotation = transpose(_rotation(frame))
        R, P = self._rows(rotation), self._column(frame.position)
        stages = [self._geometry(j)]
        before, stage = self._vector_step(
            "angular velocity of the antecedent in frame j",
            "w",
            frame.i,
            [R, self._column(i.w)],
            matvec(rotation, i.w),
            "before",
            j,
        )
        stages.append(stage)
        along: Vector = [0, 0, rate]
        pushed: Vector = [0, 0, acceleration]
        right: list[Piece] = [self._column(before)]
        w, wd, vd = before, matvec(rotation, i.wd), matvec(rotation, add(i.vd, matvec(i.u, frame.position)))
        turning: list[Piece] = [R, self._column(i.wd)]
        moving: list[Piece] = [R, OPEN, self._column(i.vd), PLUS, self._rows(i.u), P, CLOSE]
        rotated: list[Piece] = [PLUS, self._column(pushed), PLUS]
        if frame.revolute:
            w = add(before, along)
            right += [PLUS, self._column(along)]
            wd = add(wd, add(pushed, cross(before, along)))
            turning += [*rotated, self._column(before), TIMES, self._column(along)]
        elif frame.prismatic:
            vd = add(vd, add(pushed, scale(2, cross(before, along))))
            moving += [*rotated, self._number(2), self._column(before), TIMES, self._column(along)]
        w, stage = self._vector_step("angular velocity", "w", j, right, w)
        stages.append(stage)
        wd, stage = self._vector_step("angular acceleration", "wd", j, turning, wd)
        stages.append(stage)
        u, stage = self._u_step(j, w, wd)
        stages.append(stage)
        vd, stage = self._vector_step("acceleration of the origin, with minus gravity", "vd", j, moving, vd)
        stages.append(stage)
        link = _Link(w, wd, vd, u, stages=stages)
        self._loads(j, link)
        return link

    def _geometry(self, j: int) -> Stage:
        """Return the rotation and position of frame j and of the frames that are attached to link j."""
        sentences: list[Sentence] = [*self._indices(j), GENERAL["T"]]
        for k in (j, *self._children(j)):
            frame = self.frames.get(k)
            if frame is None:
                continue
            sentences += self.definitions[k]
            sentences.append((_symbol_of("R", k, frame.i), "=", self._rows(_rotation(frame))))
            sentences.append((_symbol_of("P", k, frame.i), "=", self._column(frame.position)))
        inertia = self.inertias[j]
        sentences.append((_symbol_of("J", j, j), "=", self._rows(_tensor(inertia))))
        sentences.append((_symbol_of("MS", j, j), "=", self._column(list(inertia.ms))))
        return Stage("geometry and inertia", tuple(sentences))

    def _indices(self, j: int) -> list[Sentence]:
        """Return the values of the indices i, j, k and of sigma for link j."""
        attached = ", ".join(map(str, self._children(j))) or "none"
        if j == 0:
            return [("link ", _equality("j", 0), ", links attached to link j: ", _equality("k", attached))]
        frame = self.frames[j]
        s = int(frame.sigma == JointType.PRISMATIC)
        joint: Sentence = (
            "with ",
            Notation(f"s = sigma = {s}", rf"\sigma_j = {s}"),
            " and ",
            Notation(f"sb = 1 - sigma = {1 - s}", rf"\bar\sigma_j = 1 - \sigma_j = {1 - s}"),
        )
        fixed: Sentence = ("the joint is fixed (sigma = 2), so that terms with s and sb are omitted",)
        attached_links = (", links attached to link j: ", _equality("k", attached))
        return [
            ("link ", _equality("j", j), ", antecedent ", _equality("i", frame.i), *attached_links),
            joint if frame.moving else fixed,
        ]

    def _children(self, j: int) -> list[int]:
        return [k for k, frame in self.frames.items() if frame.i == j]

    def _loads(self, j: int, link: _Link) -> None:
        """Add the total force and moment on link j to its steps."""
        inertia = self.inertias[j]
        J, ms = _tensor(inertia), list(inertia.ms)
        MS, vd, w = self._column(ms), self._column(link.vd), self._column(link.w)
        if j == 0:
            link.stages.append(self._geometry(0))
        value = add(scale(inertia.m, link.vd), matvec(link.u, ms))
        right: list[Piece] = [self._number(inertia.m), vd, PLUS, self._rows(link.u), MS]
        link.force, stage = self._vector_step("total force on the link", "F", j, right, value)
        link.stages.append(stage)
        spin = matvec(J, link.w)
        value = add(add(matvec(J, link.wd), cross(link.w, spin)), cross(ms, link.vd))
        right = [
            self._rows(J),
            self._column(link.wd),
            PLUS,
            w,
            TIMES,
            OPEN,
            self._rows(J),
            w,
            CLOSE,
            PLUS,
            MS,
            TIMES,
            vd,
        ]
        link.moment, stage = self._vector_step("total moment on the link", "M", j, right, value)
        link.stages.append(stage)

    def _backward_step(self, frame: JointFrame, link: _Link, onto: _Link) -> _Link:
        self._backward(frame.j)
        return onto

    def _backward(self, j: int) -> None:
        """Add the wrench of the antecedent on link j, and the torque of joint j, to the steps of link j."""
        link, load = self.links[j], self.loads.get(j)
        force, moment = link.force, link.moment
        of_force: list[Piece] = [self._column(force)]
        of_moment: list[Piece] = [self._column(moment)]
        if load is not None:
            force, moment = add(force, load[:3]), add(moment, load[3:])
            of_force += [PLUS, self._column(load[:3])]
            of_moment += [PLUS, self._column(load[3:])]
        for k in self._children(j):
            child, frame = self.links[k], self.frames[k]
            rotation = _rotation(frame)
            R = self._rows(rotation)
            carried, stage = self._vector_step(
                f"force on link {k} in frame {j}",
                "f",
                k,
                [R, self._column(child.force)],
                matvec(rotation, child.force),
                "child",
                j,
            )
            link.stages.append(stage)
            force = add(force, carried)
            moment = add(moment, add(matvec(rotation, child.moment), cross(frame.position, carried)))
            of_force += [PLUS, self._column(carried)]
            of_moment += [
                PLUS,
                R,
                self._column(child.moment),
                PLUS,
                self._column(frame.position),
                TIMES,
                self._column(carried),
            ]
        on = "the base" if j == 0 else "the link"
        link.force, stage = self._vector_step(f"force of the antecedent on {on}", "f", j, of_force, force)
        link.stages.append(stage)
        link.moment, stage = self._vector_step(f"moment of the antecedent on {on}", "m", j, of_moment, moment)
        link.stages.append(stage)
        if j == 0:
            zero = Notation(
                "f0 = 0 and m0 = 0 determine the acceleration Vd0 of the base",
                r"f_0 = 0,\ m_0 = 0 \text{ determine the acceleration } {}^{0}\dot V_0 \text{ of the base}",
            )
            link.stages.append(Stage("free base", ((zero,),)))
        elif self.frames[j].moving:
            link.stages.append(self._torque(j, link))

    def _torque(self, j: int, link: _Link) -> Stage:
        frame = self.frames[j]
        vector = link.force if frame.prismatic else link.moment
        described = self.robot.frame(j)
        drive = drive_torques(self.builder, self.robot, {j: self.qd[j]}, {j: self.qdd[j]})[j]
        motors = coupled_torques(self.builder, self.robot, self.qd, self.qdd)
        torque: Scalar = vector[2] + drive + motors.get(j, 0)
        terms = [TORQUE, *([] if described.FB.is_zero else [STRIBECK]), *([COUPLED] if j in motors else [])]
        loaded = not described.FL.is_zero
        left = Notation("Gamma0_j", r"\Gamma_{0,j}") if loaded else Notation("Gamma_j", r"\Gamma_{j}")
        plain, latex = " + ".join(t.text for t in terms), " + ".join(t.latex for t in terms)
        sentences: list[Sentence] = [
            _general(left.text, f"{plain}   (31)", left.latex, rf"{latex} \qquad (31)")
        ]
        name = f"Gamma{j}"
        if (
            loaded
        ):  # the torque without this friction occurs twice in that of the drive, so that it has a name
            without = self._symbol(f"Gamma0_{j}")
            self.defined.add(f"Gamma0_{j}")
            sentences += [(without, "=", self._number(torque)), GENERAL["load"]]
            torque = loaded_torque(self.builder, self.robot, j, without, self.qd[j])
        self.defined.add(name)
        sentences.append((self._symbol(name), "=", self._number(torque)))
        if described.eta:
            spring = -(self.builder.formula(described.k) * (self.q[j] - self.builder.formula(described.rest)))
            sentences.append((f"elastic joint: qdd{j} follows from Gamma{j} = ", self._number(spring)))
        return Stage("torque of the joint" if frame.revolute else "force of the joint", tuple(sentences))

    def _projection(self) -> list[Stage]:
        """Return the step that states how the torques of the independent joints follow from those of the tree."""
        relations = {j: coupling for j, coupling in followers(self.robot).items() if j <= self.robot.NL}
        if not self.described.B and not relations:
            return []
        sentences: list[Sentence] = [
            _general("Gamma", "G' Gamma_tr   (55)", r"\Gamma", r"G^T\,\Gamma_{tr} \qquad (55)")
        ]
        if self.described.B:
            sentences.append(
                _general("G", "dq_tr / dq_a   (56)", "G", r"\frac{\partial q_{tr}}{\partial q_a} \qquad (56)")
            )
            sentences.append(("The loops are cut: all joints of the tree satisfy the loop closure.",))
        for j, coupling in relations.items():
            position: Scalar = self.builder.formula(coupling.offset)
            for i, ratio in coupling.terms:
                position = position + self.builder.formula(ratio) * self.q[i]
            sentences.append(("coupled joint: ", self.q[j], "=", self._number(position)))
        return [Stage("torques of the independent joints", tuple(sentences))]


def _rotation(frame: JointFrame) -> Matrix:
    """Return the rotation matrix iRj."""
    return transpose([frame.to_parent(e) for e in ([1, 0, 0], [0, 1, 0], [0, 0, 1])])


def _tensor(inertia: Inertia) -> Matrix:
    xx, xy, xz, yy, yz, zz = inertia.tensor()
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def _symbol_of(letter: str, j: int, frame: int) -> Notation:
    """Return the symbol of a vector or matrix of link j in a frame, such as 3w2."""
    plain, latex = LETTERS[letter]
    return Notation(f"{frame}{plain}{j}", f"{{}}^{{{frame}}}{latex}_{{{j}}}")
