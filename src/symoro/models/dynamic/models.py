"""Models `inverse-dynamics`, `direct-dynamics`, `inertia-matrix`, `bias-torques`, `gravity-torques` and `energy`.

    A nud + H = forces        nu: velocities of base, joints, modes and motors, as far as the robot has them

    inverse   accelerations of joints and motors known, no force on a free base and on modes
    direct    torques of the drives known
    A         inertia matrix of the independent coordinates
    H         forces at zero accelerations        Q: those of gravity alone, at rest
    E, U      kinetic and potential energy

Couplings, closed loops and wheels are constraints between the coordinates of the tree (`models/coordinates`); rotors,
friction, springs and motors are force elements. Each model is one function for all structures of robots.

W. Khalil, D. Creusot, Robotica 15, 1997; W. Khalil, ICINCO 2010; F. Boyer, W. Khalil, IJRR 17, 1998;
G. Campion, G. Bastin, B. d'Andrea-Novel, IEEE Transactions on Robotics and Automation 12, 1996.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from symoro.errors import OptionError
from symoro.expr.linalg import Matrix, Vector, add, dot
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import Options
from symoro.models.coordinates.blocks import (
    BASE,
    PLANAR_BASE,
    Coordinate,
    Values,
    joint,
    motor,
)
from symoro.models.coordinates.layout import Layout, PlatformSpace
from symoro.models.dynamic.floating_base import ROTATION
from symoro.models.dynamic.formulation import Formulation, plain, quick
from symoro.models.dynamic.search import cheaper, searched
from symoro.models.dynamic.setting import LOOPS, at_rest
from symoro.models.dynamic.structures import (
    ACTUATORS,
    BASE_MOTION,
    EFFORT,
    FIXED,
    FLEXIBLE,
    FLEXIBLE_FLOATING,
    FLOATING,
    FREE,
    METHOD,
    PLATFORM,
    PLATFORM_OPTIONS,
    SURPLUS,
    WHEELED,
    WITH_REACTIONS,
    Structure,
    structure_of,
    supported_friction,
    tree_model,
    without_load_friction,
)
from symoro.models.dynamic.system import Inputs, System, system
from symoro.models.dynamic.tree_dynamics import Method, Solution
from symoro.models.joints import is_zero
from symoro.models.platform.coordinates import TWIST, TwistCoordinates, require, twist_of
from symoro.models.platform.pose import PLATFORM_Q, PLATFORM_TAU, PLATFORM_VD
from symoro.models.ports import (
    CUT_REACTIONS,
    MODE_ACCELERATIONS,
    QDD,
    QDD_OUT,
    QDDA,
    QMDD,
    REACTIONS,
    TAU,
    TAU_ACTIVE,
    VD0,
    WRENCH0,
)
from symoro.models.recursion import kinematic_tree, outward
from symoro.models.references import FLEXIBLE_1998, NEWTON_EULER_2010, SYMORO_1997, WHEELED_1996
from symoro.program.pipeline import optimise
from symoro.program.program import Port, Program
from symoro.robot.coordinates import has_followers, independent
from symoro.robot.description import Robot
from symoro.robot.topology import elastic_joints

PLANAR_V0 = Port("V0", "3", "velocity of the base: linear along x and y of frame 0, angular about z")
PLANAR_VD0 = Port(
    "Vd0", "3", "classical acceleration of the base: linear along x and y of frame 0, angular about z"
)
ALL_QD = Port("qd", "n", "velocities of all joints, including passive ones")
ALL_QDD = Port("qdd", "n", "accelerations of all joints, including passive ones")
E = Port("E", "", "kinetic energy")
FORMULATIONS = {"quick": quick, "plain": plain}


# -- the algorithm and the formulation with the fewest operations


def chosen(robot: Robot, effort: str, build: Callable[[Formulation], Program], name: str) -> Program:
    """Return the program of a model in the formulation that `effort` selects; the header describes the formulation.

    Args:
        effort: 'quick' for a good formulation without a search, 'search' for the formulation with the fewest
            operations, 'plain' for the formulation of the papers.
        build: returns the program in a given formulation.
        name: name of the model, under which the result of a search is stored.
    """
    formulation = searched(robot, build, name) if effort == "search" else FORMULATIONS[effort](robot)
    written = replace(build(formulation), as_written=effort == "plain")
    return replace(written, choices=tuple(formulation.words()))


LONGEST_CHAIN_BY_MATRIX = (
    20  # moving joints of a serial chain; for longer chains the recursion is always cheaper
)


def is_long(robot: Robot) -> bool:
    """Return whether a robot has a chain so long that the articulated-body recursion is the cheaper algorithm.

    The alternative, solving with the inertia matrix, has a cost that grows with the cube of the number of joints.
    """
    depths = outward(kinematic_tree(robot), 0, lambda link, before: before + link.moving)
    return max(depths.values()) > LONGEST_CHAIN_BY_MATRIX


Outputs = Callable[[System, Solution], None]


def solved(
    layout: Layout,
    name: str,
    read: Inputs,
    effort: str,
    outputs: Outputs,
    *,
    methods: Sequence[Method] = tuple(Method),
    rotation: str = "matrix",
    regroup: bool = True,
) -> Program:
    """Return a program that solves the equations of motion by the applicable algorithm with the fewest operations.

    Args:
        layout: the coordinates of the robot that the model uses.
        name: suffix of the program's name, after the name of the robot.
        read: the input quantities in addition to the positions.
        effort: selects the formulation: 'quick', 'search' or 'plain'.
        outputs: function that declares the outputs of the program from the solution.
        methods: the algorithms that may be used.
        rotation: representation of the rotation of a floating base, 'matrix' or 'quaternion'.
        regroup: whether inertias may be regrouped across joints.
    """
    robot = layout.robot
    applicable: list[Method] = []

    def build(formulation: Formulation, method: Method | None) -> Program:
        s = system(name, layout, formulation, read, rotation=rotation, regroup=regroup)
        if method is None:
            applicable[:] = [m for m in s.dynamics.methods(s.known) if m in methods]
            method = applicable[0]
        outputs(s, s.dynamics.solve(s.state, s.known, method))
        return s.builder.program()

    first = build(quick(robot), None)
    if layout.platform is not None:
        return first
    if Method.RECURSION in applicable and (len(applicable) == 1 or is_long(robot)):
        return first if len(applicable) == 1 else build(quick(robot), Method.RECURSION)
    program = replace(first, choices=tuple(quick(robot).words()))
    if effort != "quick":
        program = chosen(robot, effort, lambda f: build(f, applicable[0]), f"{name}, {_key(layout, read)}")
    if Method.RECURSION in applicable:
        program = cheaper(program, build(quick(robot), Method.RECURSION))
    return program


def _key(layout: Layout, read: Inputs) -> str:
    """Return a text that identifies the equations to solve; it is the key of a stored search result.

    Args:
        layout: the coordinates of the robot.
        read: the input quantities in addition to the positions.
    """
    return f"{layout.actuators}, {layout.surplus}, {layout.free}, {read}"


def named_joints(robot: Robot, free: Sequence[int | str] | None) -> tuple[int, ...]:
    """Return the numbers of the joints listed in the option `free`.

    Raises:
        UnknownNameError, OptionError: there is no such joint, or it has no independent coordinate.
    """
    joints = [robot.frame_number(name) for name in free or ()]
    own = [j for j in independent(robot) if robot.frame(j).mu or not (robot.B or robot.wheels)]
    for name, j in zip(free or (), joints, strict=True):
        if j not in own:
            raise OptionError(
                f"option free: {name} is not a joint with an independent coordinate",
                hint="joints that can be free: " + ", ".join(map(str, own)),
            )
    return tuple(joints)


def platform_space(
    space: str | None, to: int | str | None, working_mode: str, q: bool
) -> PlatformSpace | None:
    """Return the description of platform coordinates if the option `space` is 'platform', otherwise None.

    Args:
        to: frame of the platform.
        working_mode: working modes of the legs.
        q: whether the joint positions are an output.
    """
    return PlatformSpace(to, working_mode, q) if space == "platform" else None


def has_own_drives(robot: Robot, options: Options) -> str | None:
    """Return the reason why the option surplus="share" cannot be used with a robot, or None if it can.

    This option distributes the torques among more drives than degrees of freedom.
    """
    if options.get("surplus") != "share":
        return None
    if options.get("free") or any(robot.frame(j).eta for j in independent(robot)):
        return "with elastic or free joints the distribution of torques among surplus drives is not unique"
    return "surplus drives of closed loops are not supported" if robot.B else None


def has_motors(robot: Robot, options: Options) -> str | None:
    """Return the reason why the motors of elastic joints cannot have separate coordinates, or None.

    The result is also None if the option `actuators` does not request such coordinates.
    """
    if not options.get("actuators"):
        return None
    if robot.motors:
        return "its motors are coupled (motors); coupled motors of elastic joints are not supported"
    if robot.B:
        return f"elastic actuators are not supported: {LOOPS}"
    if has_followers(robot):
        return "its joints are coupled; elastic actuators of coupled joints are not supported"
    return None if elastic_joints(robot) else "none of its joints is elastic"


# -- inverse dynamics


def inverse_outputs(structure: Structure) -> tuple[Port, ...]:
    """Return the output ports of inverse dynamics for a structure of robots."""
    if structure.platform:
        return (PLATFORM_TAU, PLATFORM_Q)
    if structure.wheels:
        return (TAU_ACTIVE, QDD_OUT)
    base = (VD0, WRENCH0) if structure.base else ()
    if structure.modes:
        return (TAU, MODE_ACCELERATIONS, *base, QDD_OUT)
    return (TAU, QDD_OUT, *base, REACTIONS, *(() if structure.base else (CUT_REACTIONS,)))


NEWTON_EULER = (
    r"{}^jF_j = M_j\,{}^j\dot V_j + {}^jU_j\,{}^jMS_j, \quad {}^jM_j = {}^jJ_j\,{}^j\dot\omega_j + "
    r"{}^j\omega_j \times ({}^jJ_j\,{}^j\omega_j) + {}^jMS_j \times {}^j\dot V_j, \quad "
    r"\Gamma_j = (\sigma_j f_j + \bar\sigma_j m_j)^T a_j + F_{s,j}\,\mathrm{sign}(\dot q_j) + "
    r"F_{v,j} \dot q_j + F_{o,j} + I_{a,j} \ddot q_j"
)
WITH_BASE = (
    r"\begin{bmatrix} A_{11} & A_{12} \\ A_{12}^T & A_{22} \end{bmatrix} "
    r"\begin{bmatrix} {}^0\dot V_0 \\ \ddot q \end{bmatrix} + \begin{bmatrix} H_1 \\ H_2 \end{bmatrix} = "
    r"\begin{bmatrix} f_0 \\ \Gamma \end{bmatrix}"
)
ROLLING = (
    r"\Gamma = G^T \left( A\,(G\,\ddot q_a + g) + H \right), \qquad "
    r"\begin{bmatrix} V_{0x} & V_{0y} & \omega_{0z} & \dot q^T \end{bmatrix}^T = G\,\dot q_a"
)
WITH_MODES = (
    r"A(q, e) \begin{bmatrix} \ddot q \\ \ddot e \end{bmatrix} + H(q, \dot q, e, \dot e) = "
    r"\begin{bmatrix} \Gamma \\ 0 \end{bmatrix}"
)
PLATFORM_DETAILS: dict[str, Any] = {
    "reference": NEWTON_EULER_2010.at(
        "section 5, eq. (59) to (66); reduced mobility: Khalil and Ibrahim, 2007"
    ),
    "equations": r"\Gamma = J_p^T \left[ F_p + \sum_i J_{vi}^T J_i^{-T} \Gamma_i \right], "
    r"\qquad A_x \dot V_p + H_x = J_p^{-T} \Gamma",
    "example_options": {"space": "platform"},
}
ROLLING_1996 = WHEELED_1996.at("configuration dynamical model")


@tree_model(
    "inverse-dynamics",
    title="inverse dynamic model: torques from positions, velocities and accelerations",
    read=Inputs(accelerations=True, base_acceleration=True),
    outputs=inverse_outputs,
    options=(EFFORT, BASE_MOTION, ROTATION, WITH_REACTIONS, FREE, ACTUATORS, SURPLUS, *PLATFORM_OPTIONS),
    aliases=("idm", "rnea", "newton-euler", "inverse-dynamic-model"),
    requirements=(has_motors, has_own_drives, supported_friction),
    plain=lambda robot: optimise(replace(inverse_dynamics(robot, effort="plain"), as_written=False)),
    structures={
        FIXED: {"reference": SYMORO_1997.at("section 5.1, eq. (15) to (20)"), "equations": NEWTON_EULER},
        FLOATING: {
            "reference": NEWTON_EULER_2010.at("section 7.2, eq. (89) to (100)"),
            "equations": WITH_BASE,
        },
        WHEELED: {"reference": ROLLING_1996, "equations": ROLLING},
        FLEXIBLE: {"reference": FLEXIBLE_1998, "equations": WITH_MODES},
        FLEXIBLE_FLOATING: {"reference": FLEXIBLE_1998, "equations": WITH_MODES},
        PLATFORM: PLATFORM_DETAILS,
    },
)
def inverse_dynamics(
    robot: Robot,
    effort: str = "quick",
    reactions: bool = False,
    base: str = "free",
    rotation: str = "matrix",
    free: Sequence[int | str] | None = None,
    actuators: str | None = None,
    surplus: str = "refuse",
    space: str | None = None,
    to: int | str | None = None,
    working_mode: str = "1",
    q: bool = False,
) -> Program:
    """Return a program that computes the joint torques that a motion requires.

    Further outputs are the accelerations of force-driven joints, modes and base, and the reactions (option
    `reactions`). The arguments are the options of the model `inverse-dynamics`, which the catalogue describes.
    """
    platform = platform_space(space, to, working_mode, q)
    layout = Layout(robot, actuators, surplus, named_joints(robot, free), platform)
    given = base == "given"
    if reactions and robot.B:
        return _loop_reactions(layout)
    read = Inputs(accelerations=True, base_acceleration=given)
    regroup = not reactions or (layout.has_free_base and not given)

    def outputs(s: System, solution: Solution) -> None:
        _output_torques(s, solution)
        if reactions:
            wrenches = s.tree.wrenches(s.state, solution.accelerations)
            s.builder.output(REACTIONS, [[*w.f, *w.m] for w in wrenches.values()])

    effort = "plain" if reactions else effort
    program = solved(layout, "inverse_dynamics", read, effort, outputs, rotation=rotation, regroup=regroup)
    return replace(program, as_written=False, choices=()) if reactions else program


def _loop_reactions(layout: Layout) -> Program:
    if layout.has_free_base:
        raise OptionError(
            "reactions are not available for closed loops on a floating base",
            hint="omit the option 'reactions'",
        )
    if layout.free:
        raise OptionError(
            "reactions are not available for free joints in closed loops", hint="omit the option 'reactions'"
        )
    from symoro.models.dynamic.reactions import loop_reactions  # imported here because it loads NumPy

    return loop_reactions(layout.robot, "inverse_dynamics")


def _output_torques(s: System, solution: Solution) -> None:
    """Declare the outputs of inverse dynamics in the program.

    Args:
        s: the system with the program.
        solution: the accelerations and forces of the independent coordinates.
    """
    layout, joints = s.layout, s.joints
    if layout.platform is not None:
        tau = s.provider.actuation.torques([solution.forces[c] for c in s.provider.own])
        s.builder.output(PLATFORM_TAU, add(tau, solution.at_drives) if solution.at_drives else tau)
        _output_positions(s)
        return
    forces = dict(solution.forces)
    for c in joints:
        if layout.is_spring_driven(c.j):
            forces[c] = -s.tree.elements.springs[c.j]
    tau = [forces[motor(c.j)] if c.j in layout.motors else forces[c] for c in joints]
    hybrid = any(layout.is_force_driven(c.j) for c in joints)
    if layout.motors:
        torques = s.loaded(s.provider.actuation.torques(tau))
        s.builder.output(TAU, torques, "torques and forces of the motors")
    elif layout.robot.wheels:
        s.builder.output(TAU_ACTIVE, s.loaded(s.provider.actuation.torques(tau)))
    else:
        title = "joint torques and forces; those of free joints are the given ones"
        s.builder.output(TAU, s.loaded(tau), title if hybrid and not layout.modes else "")
    accelerations = [solution.accelerations[c] for c in joints]
    if hybrid and not layout.modes:
        s.builder.output(QDD_OUT, accelerations)
    _output_modes_and_base(s, solution)
    if hybrid and layout.modes:
        s.builder.output(QDD_OUT, accelerations)


def _output_positions(s: System) -> None:
    """Declare the output q (joint positions) of a model in platform coordinates, if it is requested."""
    if s.layout.platform is not None and s.layout.platform.with_positions:
        assert isinstance(s.provider, TwistCoordinates)
        positions, reached = s.provider.joint_positions()
        require(s.builder, reached)
        s.builder.output(PLATFORM_Q, [positions[j] for j in independent(s.layout.robot)])


def _output_modes_and_base(s: System, solution: Solution) -> None:
    if s.layout.modes:
        s.builder.output(MODE_ACCELERATIONS, [solution.accelerations[c] for c in s.layout.modes])
    if s.layout.has_free_base and BASE[0] in s.known.accelerations:
        s.builder.output(WRENCH0, [solution.forces[c] for c in BASE])
    elif s.layout.has_free_base:
        s.builder.output(VD0, [solution.accelerations[c] for c in BASE])


# -- direct dynamics


def direct_outputs(structure: Structure) -> tuple[Port, ...]:
    """Return the output ports of direct dynamics for a structure of robots."""
    if structure.platform:
        return (PLATFORM_VD, PLATFORM_Q)
    if structure.wheels:
        return (QDDA, PLANAR_V0, PLANAR_VD0, ALL_QD, ALL_QDD)
    base = (VD0,) if structure.base else ()
    return (QDD, MODE_ACCELERATIONS, *base) if structure.modes else (QDD, QDDA, QMDD, *base)


METHODS = {"auto": tuple(Method), "recursive": (Method.RECURSION,), "inertia": (Method.PARTITION,)}
DIRECT = (
    r"\begin{bmatrix} {}^0\dot V_0 \\ \ddot q \end{bmatrix} = A^{-1} "
    r"\left( \begin{bmatrix} 0 \\ \Gamma \end{bmatrix} - H \right)"
)


@tree_model(
    "direct-dynamics",
    title="direct dynamic model: accelerations from torques",
    read=Inputs(torques=True),
    outputs=direct_outputs,
    options=(METHOD, EFFORT, ROTATION, ACTUATORS, SURPLUS, *PLATFORM_OPTIONS),
    aliases=("ddm", "aba", "forward-dynamics", "articulated-body", "direct-dynamic-model"),
    requirements=(has_motors, has_own_drives, supported_friction),
    structures={
        FIXED: {
            "reference": NEWTON_EULER_2010.at(
                "section 3.3.2, eq. (32) to (44); Khalil and Creusot, 1997, section 5.3, eq. (23) to (25)"
            ),
            "equations": r"\ddot q = A(q)^{-1} (\Gamma - H(q, \dot q))",
        },
        FLOATING: {
            "reference": NEWTON_EULER_2010.at("section 7.3, eq. (101) to (112)"),
            "equations": DIRECT,
        },
        WHEELED: {
            "reference": ROLLING_1996,
            "equations": r"\ddot q_a = (G^T A\,G)^{-1} (\Gamma - H_c)",
        },
        FLEXIBLE: {"reference": FLEXIBLE_1998, "equations": WITH_MODES},
        FLEXIBLE_FLOATING: {"reference": FLEXIBLE_1998, "equations": WITH_MODES},
        PLATFORM: PLATFORM_DETAILS,
    },
)
def direct_dynamics(
    robot: Robot,
    method: str = "auto",
    effort: str = "quick",
    rotation: str = "matrix",
    actuators: str | None = None,
    surplus: str = "refuse",
    space: str | None = None,
    to: int | str | None = None,
    working_mode: str = "1",
    q: bool = False,
) -> Program:
    """Return a program that computes the accelerations caused by given torques.

    The arguments are the options of the model `direct-dynamics`, which the catalogue describes.
    """
    platform = platform_space(space, to, working_mode, q)
    layout = Layout(robot, actuators, surplus, platform=platform)
    if method == "recursive" and (layout.is_coupled or robot.motors):
        kind = "closed loops" if robot.B else "coupled joints" if layout.is_coupled else "coupled motors"
        raise OptionError(f"method 'recursive' does not support {kind}", hint="use method='inertia'")
    return solved(
        layout,
        "direct_dynamics",
        Inputs(torques=True),
        effort,
        output_accelerations,
        methods=METHODS[method],
        rotation=rotation,
    )


def output_accelerations(s: System, solution: Solution) -> None:
    """Declare the outputs of direct dynamics in the program.

    Args:
        s: the system with the program.
        solution: the accelerations and forces of the independent coordinates.
    """
    out, robot, joints = s.builder.output, s.layout.robot, s.joints
    if s.layout.platform is not None:
        out(PLATFORM_VD, twist_of(solution.accelerations))
        _output_positions(s)
        return
    own = [solution.accelerations[c] for c in joints]
    if robot.wheels:
        whole = s.provider.accelerations(solution.accelerations, s.state.nu)
        rest = [joint(j) for j in independent(robot)]
        out(QDDA, own)
        out(PLANAR_V0, [s.state.rates[c] for c in PLANAR_BASE])
        out(PLANAR_VD0, [whole[c] for c in PLANAR_BASE])
        out(ALL_QD, [s.state.rates[c] for c in rest])
        out(ALL_QDD, [whole[c] for c in rest])
        return
    if robot.B:
        out(QDDA, own)
        whole = s.provider.accelerations(solution.accelerations, s.state.nu)
        own = [whole[joint(j)] for j in independent(robot)]
    out(QDD, own, "joint accelerations on the link side" if s.layout.motors else "")
    if s.layout.motors:
        moved = [motor(c.j) if c.j in s.layout.motors else c for c in joints]
        out(QMDD, [solution.accelerations[c] for c in moved])
    _output_modes_and_base(s, solution)


# -- A, H, Q


def rows_port(name: str, structure: Structure, words: dict[str, str], *, square: bool = False) -> Port:
    """Return the output port of a vector or square matrix with one row per independent coordinate.

    Args:
        words: title of the port by kind of coordinates, for example "joints" or "wheels".
        square: whether the array is a square matrix instead of a vector.
        name: name of the port.
        structure: kind of robot.
    """
    if structure.platform:
        return Port(name, "6,6" if square else "6", words["platform"])
    size = "na" if structure.wheels else "6+n" if structure.base else "n"
    size += "+ne" if structure.modes else ""
    key = ("base " if structure.base else "") + ("modes" if structure.modes else "joints")
    title = words["wheels" if structure.wheels else key]
    return Port(name, f"{size},{size}" if square else size, title)


INERTIA_WORDS = {
    "joints": "inertia matrix, including rotor inertias",
    "base joints": "inertia matrix, base rows and columns first, including rotor inertias",
    "modes": "inertia matrix over [q; e], including rotor inertias",
    "base modes": "inertia matrix over [V0; q; e], including rotor inertias",
    "wheels": "inertia matrix of the active joints, including rotor inertias",
    "platform": "inertia matrix in the platform's coordinates",
}
BIAS_WORDS = {
    "joints": "torques at qdd = 0",
    "base joints": "wrench on the base and torques at Vd0 = 0, qdd = 0",
    "modes": "torques and generalised forces of the modes at qdd = 0, edd = 0",
    "base modes": "wrench on the base, torques and generalised forces of the modes at Vd0, qdd, edd = 0",
    "wheels": "torques of the active joints at qdda = 0",
    "platform": "wrench at Vd = 0: centrifugal, Coriolis, gravity, friction",
}
WEIGHT_WORDS = {
    "joints": "torques at rest, without friction and wrenches",
    "base joints": "wrench on the base and torques at rest, without friction and wrenches",
    "modes": "torques and generalised forces of the modes at rest, by gravity alone",
    "base modes": "wrench on the base, torques and generalised forces of the modes at rest, by gravity alone",
    "wheels": "torques of the active joints at rest, without friction and wrenches",
}


@tree_model(
    "inertia-matrix",
    title="inertia matrix, by composite links",
    read=Inputs(rates=False, weight=False),
    outputs=lambda structure: (
        rows_port("A", structure, INERTIA_WORDS, square=True),
        *((PLATFORM_Q,) if structure.platform else ()),
    ),
    options=PLATFORM_OPTIONS,
    requirements=(supported_friction,),
    aliases=("inm", "crba", "mass-matrix", "joint-space-inertia"),
    structures={
        FIXED: {
            "reference": SYMORO_1997.at("section 5.3.2, eq. (26) to (38)"),
            "equations": r"P_i \leftarrow P_i + {}^iT_j P_j {}^iT_j^T, \qquad A_{ij} = a_i^T (f, m)_{ij}",
        },
        FLOATING: {
            "reference": NEWTON_EULER_2010.at("section 7.1, eq. (83) to (88)"),
            "equations": r"A = \begin{bmatrix} A_{11} & A_{12} \\ A_{12}^T & A_{22} \end{bmatrix}",
        },
        WHEELED: {"reference": ROLLING_1996, "equations": r"A_c = G^T A\,G"},
        FLEXIBLE: {
            "reference": FLEXIBLE_1998,
            "equations": r"E = \tfrac12 [\dot q; \dot e]^T A(q, e)\,[\dot q; \dot e]",
        },
        FLEXIBLE_FLOATING: {
            "reference": FLEXIBLE_1998,
            "equations": r"E = \tfrac12 [{}^0V_0; \dot q; \dot e]^T A(q, e)\,[{}^0V_0; \dot q; \dot e]",
        },
        PLATFORM: PLATFORM_DETAILS,
    },
)
def inertia_matrix(
    robot: Robot,
    space: str | None = None,
    to: int | str | None = None,
    working_mode: str = "1",
    q: bool = False,
) -> Program:
    """Return a program that computes the inertia matrix A of the independent coordinates.

    The arguments are the options of the model `inertia-matrix`, which the catalogue describes.
    """
    layout = Layout(robot, platform=platform_space(space, to, working_mode, q))
    s = system("inertia_matrix", layout, quick(robot), Inputs(rates=False, weight=False))
    port = rows_port("A", structure_of(layout), INERTIA_WORDS, square=True)
    s.builder.output(port, _square(s, s.dynamics.inertia()))
    _output_positions(s)
    return s.builder.program()


@tree_model(
    "bias-torques",
    title="torques at zero acceleration: centrifugal, Coriolis, gravity, friction",
    read=Inputs(),
    outputs=lambda structure: (
        rows_port("H", structure, BIAS_WORDS),
        *((PLATFORM_Q,) if structure.platform else ()),
    ),
    options=(EFFORT, ROTATION, *PLATFORM_OPTIONS),
    requirements=(without_load_friction,),
    aliases=("ccg", "nonlinear-effects", "bias-forces"),
    structures={
        FIXED: {
            "reference": SYMORO_1997.at("section 5.3.1"),
            "equations": r"H(q, \dot q) = \Gamma \text{ at } \ddot q = 0",
        },
        FLOATING: {
            "reference": NEWTON_EULER_2010.at("section 7.1, eq. (83) to (88)"),
            "equations": r"H(q, \dot q, {}^0V_0) = (f_0; \Gamma) \text{ at } {}^0\dot V_0 = 0, \ddot q = 0",
        },
        WHEELED: {"reference": ROLLING_1996, "equations": r"H = \Gamma \text{ at } \ddot q_a = 0"},
        FLEXIBLE: {
            "reference": FLEXIBLE_1998,
            "equations": r"H(q, \dot q, e, \dot e) = [\Gamma; 0] \text{ at } \ddot q = 0, \ddot e = 0",
        },
        FLEXIBLE_FLOATING: {
            "reference": FLEXIBLE_1998,
            "equations": r"H = [f_0; \Gamma; 0] \text{ at } {}^0\dot V_0 = 0, \ddot q = 0, \ddot e = 0",
        },
        PLATFORM: PLATFORM_DETAILS,
    },
)
def bias_torques(
    robot: Robot,
    effort: str = "quick",
    rotation: str = "matrix",
    space: str | None = None,
    to: int | str | None = None,
    working_mode: str = "1",
    q: bool = False,
) -> Program:
    """Return a program that computes H, the forces on the independent coordinates at zero accelerations.

    The arguments are the options of the model `bias-torques`, which the catalogue describes.
    """
    layout = Layout(robot, platform=platform_space(space, to, working_mode, q))
    port = rows_port("H", structure_of(layout), BIAS_WORDS)

    def build(formulation: Formulation) -> Program:
        s = system("bias_torques", layout, formulation, Inputs(), rotation=rotation)
        s.builder.output(port, _forces_at_rest(s))
        _output_positions(s)
        return s.builder.program()

    if layout.modes or layout.platform:
        return build(quick(robot))
    return chosen(robot, effort, build, f"bias-torques, {rotation}")


def _forces_at_rest(s: System, *, elements: bool = True) -> list[Scalar]:
    none: Values = dict.fromkeys(s.provider.own, 0)
    forces = s.dynamics.efforts(s.state, none, elements=elements)
    return list(forces.values()) if s.layout.platform is None else twist_of(forces)


def _square(s: System, a: Matrix) -> Matrix:
    """Return the square matrix `a` over the independent coordinates; for a platform over all six entries of its twist.

    Rows and columns of entries that are not coordinates of the platform are zero.
    """
    if s.layout.platform is None:
        return a
    own = s.provider.own
    rows = {c: twist_of(dict(zip(own, row, strict=True))) for c, row in zip(own, a, strict=True)}
    none: Vector = [0] * len(TWIST)
    return [rows.get(c, none) for c in TWIST]


@tree_model(
    "gravity-torques",
    title="torques of gravity alone",
    read=Inputs(rates=False),
    outputs=lambda structure: (rows_port("Q", structure, WEIGHT_WORDS),),
    options=(ROTATION,),
    aliases=("gravity", "gravity-vector", "gravity-compensation"),
    structures={
        FIXED: {
            "reference": SYMORO_1997.at("section 5.1, eq. (15) to (20), at rest"),
            "equations": r"Q(q) = \partial U / \partial q",
        },
        FLOATING: {
            "reference": NEWTON_EULER_2010.at("section 7.1, eq. (83) to (88), at rest"),
            "equations": r"Q(q, R_0) = (f_0; \Gamma) \text{ at rest}",
        },
        WHEELED: {
            "reference": WHEELED_1996.at("configuration dynamical model, at rest"),
            "equations": r"Q = G^T \partial U / \partial x",
        },
        FLEXIBLE: {"reference": FLEXIBLE_1998, "equations": r"Q(q, e) = \partial U / \partial (q, e)"},
        FLEXIBLE_FLOATING: {
            "reference": FLEXIBLE_1998,
            "equations": r"Q(q, e, R_0) = (f_0; \Gamma; 0) \text{ at rest, } K = 0",
        },
    },
)
def gravity_torques(robot: Robot, rotation: str = "matrix") -> Program:
    """Return a program that computes the forces that balance gravity at rest.

    Args:
        rotation: representation of the rotation of a floating base, 'matrix' or 'quaternion'.
    """
    layout = Layout(at_rest(robot))
    s = system("gravity_torques", layout, quick(robot), Inputs(rates=False), rotation=rotation)
    vertical = _vertical_axes(s)
    forces = _forces_at_rest(s, elements=False)
    if vertical:
        forces = [0 if c in vertical else x for c, x in zip(s.provider.own, forces, strict=True)]
    s.builder.output(rows_port("Q", structure_of(layout), WEIGHT_WORDS), forces)
    return s.builder.program()


def _vertical_axes(s: System) -> list[Coordinate]:
    """Return the revolute joints whose axes are always parallel to gravity.

    Gravity has no moment about these axes. Their torques are replaced by zero, because the optimisation passes do not
    detect that their terms cancel. The list is empty if constraints relate the joints or if the coordinates are those
    of a platform.
    """
    if s.layout.platform is not None or s.provider.own != s.provider.tree:
        return []
    frames = s.tree.tree
    gravity = outward(frames, s.tree.gravity, lambda frame, g: frame.to_child(g))
    return [
        joint(j)
        for j, frame in frames.items()
        if frame.revolute and all(is_zero(x) for x in gravity[j][:2]) and not is_zero(gravity[j][2])
    ]


# -- energy


def energy_outputs(structure: Structure) -> tuple[Port, ...]:
    """Return the output ports of kinetic and potential energy for a structure of robots."""
    words = "gravity, springs and bent links" if structure.modes else "gravity and springs"
    return (E, Port("U", "", f"potential energy of {words}"))


ON_THE_GROUND = r"U = -\sum_j {}^0g^T (M_j {}^0P_j + {}^0A_j {}^jMS_j)"
IN_SPACE = r"U = -g^T (M P_0 + R_0\,{}^0MS)"
SPRINGS = r" + \tfrac12 \sum_j k_j (q_j - q_{0,j})^2"
BEAMS = r" + \tfrac12 e^T K e"


@tree_model(
    "energy",
    title="kinetic and potential energy",
    read=Inputs(position=True),
    outputs=energy_outputs,
    options=(ROTATION,),
    structures={
        FIXED: {
            "reference": SYMORO_1997.at("section 6.3, eq. (49), (50)"),
            "equations": r"E = \tfrac12 \sum_j ({}^j\omega_j^T J_j\,{}^j\omega_j + M_j {}^jV_j^T {}^jV_j + "
            r"2\,{}^jMS_j^T ({}^jV_j \times {}^j\omega_j)) + \tfrac12 \sum_j I_{a,j} \dot q_j^2, \quad "
            + ON_THE_GROUND
            + SPRINGS,
        },
        FLOATING: {
            "reference": SYMORO_1997.at("section 6.3, eq. (49), (50), with link 0"),
            "equations": r"E = \tfrac12 \begin{bmatrix} {}^0V_0 \\ \dot q \end{bmatrix}^T A "
            r"\begin{bmatrix} {}^0V_0 \\ \dot q \end{bmatrix}, \quad " + IN_SPACE + SPRINGS,
        },
        WHEELED: {
            "reference": ROLLING_1996,
            "equations": r"E = \tfrac12\, \dot q_a^T A_c\, \dot q_a, \quad " + ON_THE_GROUND,
        },
        FLEXIBLE: {
            "reference": FLEXIBLE_1998,
            "equations": r"E = \tfrac12 [\dot q; \dot e]^T A(q, e)\,[\dot q; \dot e], \quad "
            + ON_THE_GROUND
            + BEAMS
            + SPRINGS,
        },
        FLEXIBLE_FLOATING: {
            "reference": FLEXIBLE_1998,
            "equations": r"E = \tfrac12 [{}^0V_0; \dot q; \dot e]^T A(q, e)\,[{}^0V_0; \dot q; \dot e], \quad "
            + IN_SPACE
            + BEAMS
            + SPRINGS,
        },
    },
)
def energy(robot: Robot, rotation: str = "matrix") -> Program:
    """Return a program that computes kinetic energy E and potential energy U.

    U is zero if all mass is at the origin of the world (of frame 0 if the base is not free) and no spring or beam is
    deformed. E includes the prescribed motion of the base. E is a sum over the links; for a wheeled robot it is
    computed with the inertia matrix if this takes fewer operations.

    Args:
        rotation: representation of the rotation of a floating base, 'matrix' or 'quaternion'.
    """
    layout = Layout(robot)

    def build(by_matrix: bool) -> Program:
        s = system("energy", layout, quick(robot), Inputs(position=True), rotation=rotation)
        result = s.tree.energy(s.state, by_matrix=by_matrix)
        weight = dot(s.tree.gravity, result.moment)
        if s.position:
            world = [s.builder.formula(g) for g in robot.base.G]
            weight = result.mass * dot(world, s.position) + weight
        s.builder.output(E, result.kinetic)
        s.builder.output(
            energy_outputs(structure_of(layout))[1], -weight + s.tree.elements.energy() + result.strain
        )
        return s.builder.program()

    # A wheeled robot has few independent coordinates, so that the inertia matrix often costs less.
    return cheaper(build(False), build(True)) if robot.wheels else build(False)
