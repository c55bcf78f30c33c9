"""Typed functions, one per model of the catalogue: `symoro.derive.inverse_dynamics(robot, effort="search")`.

Each function equals `symoro.generate` with the name of the model, and returns a `Model`. Editors complete the options,
and type checkers check them. Other names of a model (`Entry.aliases`) are functions too: `mass_matrix` is
`inertia_matrix`.

tools/derive_functions.py writes this file from the catalogue. Do not edit it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from symoro.expr.formula import FormulaLike
from symoro.model import Model
from symoro.model import generate_with_defaults as _generate
from symoro.robot.formats import RobotLike

FrameLike = int | str

__all__ = [
    "accelerations",
    "base_parameters",
    "bias_torques",
    "centroidal_momentum",
    "configuration_kinematics",
    "contact_dynamics",
    "direct_dynamics",
    "direct_dynamics_derivatives",
    "dynamic_identification",
    "energy",
    "energy_identification",
    "fast_geometry",
    "filtered_identification",
    "geometric_identification",
    "gravity_torques",
    "inertia_matrix",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_geometry",
    "inverse_kinematics",
    "jacobian",
    "jacobian_determinant",
    "jacobian_inverse",
    "jdot_qdot",
    "lagrange",
    "loop_geometry",
    "loop_kinematics",
    "posture_kinematics",
    "power_identification",
    "static_torques",
    "transform",
    "velocities",
    "wheel_kinematics",
]


def inverse_geometry(
    robot: RobotLike,
    *,
    method: Literal["auto", "paul", "pieper", "general"] = "auto",
    frm: FrameLike = 0,
    to: FrameLike | None = None,
    pose: str = "full",
    locked: str | None = None,
    swivel: bool = False,
    tolerance: float = 1e-09,
    space: Literal["platform"] | None = None,
    working_mode: str | None = None,
    modes: Literal["parallelogram", "all"] = "parallelogram",
) -> Model:
    r"""Derive `inverse-geometry` (inverse geometric model, all solutions).

    Also called `igm`, `ik`, `inverse_geometric_model`, `inverse_position_kinematics`.

    .. math::

        {}^{0}T_{1}(q_1)\, {}^{1}T_{2}(q_2) \cdots {}^{n-1}T_{n}(q_n)\, E = U_0 = [s \, n \, a \, P]

    It applies to every robot.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        method: solution method: auto (the first that applies), paul, pieper or general.
        frm: frame in which the pose is given.
        to: frame whose pose is given; by default the tool, the platform or the last link's frame.
        pose: given entries of the pose: full, position, axis, planar or a list.
        locked: joints whose positions are given by q0, such as '7' or '3,5'; by default one joint if one is
            redundant.
        swivel: solve a chain of seven joints; the angle of the elbow about the line from shoulder to wrist is an
            input.
        tolerance: largest residual of a valid solution.
        space: platform: the pose and the twist of the platform are the coordinates, instead of the joints (for a
            platform with legs).
        working_mode: working mode of the legs, 1 or 2: one digit for all legs, or one per leg, for example '112';
            by default all working modes (for a platform with legs).
        modes: modes of parallelograms: uncrossed only (unless 'home' is crossed), or also crossed (for closed
            loops).

    Returns:
        Model: a model with the inputs

        - `T` (4,4): pose of the frame
        - `q0` (n): values of the joints that the pose does not determine: free in a singularity, locked, or not on
          the path
        - `swivel` (scalar): angle of the elbow about the line from shoulder to wrist (option swivel)

        and the outputs

        - `q` (K,n): joint positions, one row per solution
        - `status` (K): 0 valid, 1 out of reach, 2 singular, 3 empty slot, 4 undecided
        - `residual` (K): largest entry of the pose error of the solution, with lengths divided by the robot's size
        - `free` (K,n): 1 where the pose does not determine the joint, otherwise 0

        Inputs and outputs differ for a platform with legs, closed loops; `model.inputs` and `model.outputs` contain
        their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 3.3.

    Example:
        >>> model = symoro.derive.inverse_geometry("rx90")
    """
    return _generate(
        "inverse-geometry",
        robot,
        method=method,
        frm=frm,
        to=to,
        pose=pose,
        locked=locked,
        swivel=swivel,
        tolerance=tolerance,
        space=space,
        working_mode=working_mode,
        modes=modes,
    )


def loop_geometry(
    robot: RobotLike,
    *,
    method: Literal["auto", "closed", "numeric"] = "auto",
    modes: Literal["parallelogram", "all"] = "parallelogram",
    tolerance: float = 1e-09,
    steps: float = 10,
) -> Model:
    r"""Derive `loop-geometry` (geometry of closed loops: passive joints from the active ones, all assembly modes).

    .. math::

        {}^{k+B}T_{r}\,{}^{r}T_{k} = I_4, \qquad k = NL+1, \dots, NL+B

    It applies to robots with closed loops.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        method: method: closed form, or Newton's method from q0.
        modes: modes of parallelograms: uncrossed only (unless 'home' is crossed), or also crossed.
        tolerance: largest residual of a valid mode.
        steps: number of steps from q0 to qa with the method 'numeric'.

    Returns:
        Model: a model with the inputs

        - `qa` (na): positions of the active joints, in frame order
        - `q0` (n): initial configuration of Newton's method, and positions of joints that are free
        - `qc0` (B): positions of the cut joints in that configuration

        and the outputs

        - `q` (K,n): all joints of the tree, one row per assembly mode
        - `qc` (K,B): positions of the cut joints, one row per solution
        - `status` (K): 0 valid, 1 out of reach, 2 singular, 3 empty slot
        - `residual` (K): largest closure error of a loop, lengths divided by the size of the loops
        - `free` (K,n): 1 where the pose does not determine the joint, otherwise 0


    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 3.4,
        eq. (2).

    Example:
        >>> model = symoro.derive.loop_geometry("fourbar")
    """
    return _generate(
        "loop-geometry",
        robot,
        method=method,
        modes=modes,
        tolerance=tolerance,
        steps=steps,
    )


def transform(
    robot: RobotLike,
    *,
    frm: FrameLike = 0,
    to: FrameLike | None = None,
    active: bool | None = None,
) -> Model:
    r"""Derive `transform` (transformation matrix, one expression per entry).

    Also called `trm`, `transformation_matrix`, `homogeneous_transform`.

    .. math::

        {}^{i}T_{j} = R_z(\gamma_j)\,T_z(b_j)\,R_x(\alpha_j)\,T_x(d_j)\,R_z(\theta_j)\,T_z(r_j), \qquad {}^{r}T_{j}
        = \prod_{k} {}^{a(k)}T_{k}

    It applies to every robot.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        frm: reference frame of the transform: number, name, 'world' or 'tool'.
        to: frame whose pose is computed; by default the tool, the platform or the last link's frame.
        active: for robots with closed loops: compute the pose from the active joints, for every assembly mode.

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions

        and the outputs

        - `T` (4,4): homogeneous transform of frame `to` in frame `frm`

        Inputs and outputs differ for a floating base, with respect to the world, active joints of closed loops;
        `model.inputs` and `model.outputs` contain their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 3.1,
        eq. (1).

    Example:
        >>> model = symoro.derive.transform("rx90")
    """
    return _generate(
        "transform",
        robot,
        frm=frm,
        to=to,
        active=active,
    )


def fast_geometry(
    robot: RobotLike,
    *,
    frm: FrameLike = 0,
    to: FrameLike | None = None,
    active: bool | None = None,
    method: Literal["auto", "closed", "numeric"] = "auto",
    modes: Literal["parallelogram", "all"] = "parallelogram",
    tolerance: float = 1e-09,
    steps: float = 10,
) -> Model:
    r"""Derive `fast-geometry` (fast direct geometric model, with intermediate variables).

    Also called `fgm`, `direct_geometry`, `dgm`, `forward_kinematics`, `fk`, `direct_kinematics`.

    .. math::

        {}^{i}T_{j} = R_z(\gamma_j)\,T_z(b_j)\,R_x(\alpha_j)\,T_x(d_j)\,R_z(\theta_j)\,T_z(r_j), \qquad {}^{r}T_{j}
        = \prod_{k} {}^{a(k)}T_{k}

    It applies to every robot.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        frm: reference frame of the transform: number, name, 'world' or 'tool'.
        to: frame whose pose is computed; by default the tool, the platform or the last link's frame.
        active: for robots with closed loops: compute the pose from the active joints, for every assembly mode.
        method: method: closed form, or Newton's method from q0 (for active joints of closed loops).
        modes: modes of parallelograms: uncrossed only (unless 'home' is crossed), or also crossed (for active
            joints of closed loops).
        tolerance: largest residual of a valid mode (for active joints of closed loops).
        steps: number of steps from q0 to qa with the method 'numeric' (for active joints of closed loops).

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions

        and the outputs

        - `T` (4,4): homogeneous transform of frame `to` in frame `frm`

        Inputs and outputs differ for a floating base, with respect to the world, active joints of closed loops;
        `model.inputs` and `model.outputs` contain their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 3.2.

    Example:
        >>> model = symoro.derive.fast_geometry("rx90")
    """
    return _generate(
        "fast-geometry",
        robot,
        frm=frm,
        to=to,
        active=active,
        method=method,
        modes=modes,
        tolerance=tolerance,
        steps=steps,
    )


def jacobian_determinant(
    robot: RobotLike,
    *,
    to: FrameLike | None = None,
) -> Model:
    r"""Derive `jacobian-determinant` (determinant of the Jacobian, factored).

    Also called `det`, `jacobian_det`.

    .. math::

        \det {}^rJ_n = \det {}^iJ_{n,j}

    It applies to every robot with a moving joint, except wheeled robots.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        to: frame whose Jacobian is used.

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions

        and the outputs

        - `det` (scalar): determinant of J (six joints), of J J' (more than six joints), or of a square part of J
          (fewer)


    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 4.6.

    Example:
        >>> model = symoro.derive.jacobian_determinant("rx90")
    """
    return _generate(
        "jacobian-determinant",
        robot,
        to=to,
    )


def jacobian_inverse(
    robot: RobotLike,
    *,
    to: FrameLike | None = None,
    frame: FrameLike = 0,
    mid: FrameLike | None = None,
    space: Literal["platform"] | None = None,
    working_mode: str = "1",
) -> Model:
    r"""Derive `jacobian-inverse` (inverse of the Jacobian, or its pseudo-inverse).

    Also called `jinv`, `inverse_jacobian`, `pseudo_inverse`.

    .. math::

        J^{-1}, \quad J^{+} = J^T (J J^T)^{-1} \text{ or } (J^T J)^{-1} J^T

    It applies to every robot with a moving joint.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        to: frame whose velocity is computed; by default the tool, the platform or the last link's frame.
        frame: frame in whose axes the result is expressed.
        mid: intermediate frame of Renaud's factorisation, on the path to frame `to`.
        space: platform: the pose and the twist of the platform are the coordinates, instead of the joints (for a
            platform with legs, space='platform').
        working_mode: working mode of the legs, 1 or 2: one digit for all legs, or one per leg, for example '112'
            (for a platform with legs, space='platform').

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions

        and the outputs

        - `Jinv` (n,6): J^-1; J'(J J')^-1 for more than six joints, (J'J)^-1 J' for fewer

        Inputs and outputs differ for a wheeled robot, a platform with legs, space='platform'; `model.inputs` and
        `model.outputs` contain their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 4.6.

    Example:
        >>> model = symoro.derive.jacobian_inverse("rx90")
    """
    return _generate(
        "jacobian-inverse",
        robot,
        to=to,
        frame=frame,
        mid=mid,
        space=space,
        working_mode=working_mode,
    )


def inverse_kinematics(
    robot: RobotLike,
    *,
    to: FrameLike | None = None,
    frame: FrameLike = 0,
    mid: FrameLike | None = None,
    method: Literal["auto", "regular", "redundant", "partial", "damped"] = "auto",
    space: Literal["platform"] | None = None,
    working_mode: str = "1",
) -> Model:
    r"""Derive `inverse-kinematics` (inverse kinematic model: joint velocities from a frame's velocity).

    Also called `ikm`, `inverse_velocity_kinematics`, `differential_inverse_kinematics`.

    .. math::

        \dot q = J^{-1} V, \quad \dot q = J^{+} V + (I - J^{+} J)\,\dot q_0, \quad \dot q = J^T (J J^T + \lambda^2
        I)^{-1} V

    It applies to every robot with a moving joint.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        to: frame whose velocity is computed; by default the tool, the platform or the last link's frame.
        frame: frame in whose axes the result is expressed.
        mid: intermediate frame of Renaud's factorisation, on the path to frame `to`.
        method: method: regular (J is square), redundant (six joints or more), partial (six or fewer) or damped;
            auto: according to the number of joints.
        space: platform: the pose and the twist of the platform are the coordinates, instead of the joints (for a
            platform with legs, space='platform').
        working_mode: working mode of the legs, 1 or 2: one digit for all legs, or one per leg, for example '112'
            (for a platform with legs, space='platform').

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `V` (6): velocity (linear; angular) of frame `to`, expressed in frame `frame`
        - `damping` (scalar): damping factor, for the method damped
        - `qd0` (n): preferred joint velocities, for the methods redundant and damped

        and the outputs

        - `qd` (n): joint velocities

        Inputs and outputs differ for a wheeled robot, a platform with legs, space='platform'; `model.inputs` and
        `model.outputs` contain their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 4.6.

    Example:
        >>> model = symoro.derive.inverse_kinematics("rx90")
    """
    return _generate(
        "inverse-kinematics",
        robot,
        to=to,
        frame=frame,
        mid=mid,
        method=method,
        space=space,
        working_mode=working_mode,
    )


def jacobian(
    robot: RobotLike,
    *,
    to: FrameLike | None = None,
    frame: FrameLike = 0,
    mid: FrameLike | None = None,
    space: Literal["platform"] | None = None,
    working_mode: str = "1",
) -> Model:
    r"""Derive `jacobian` (Jacobian matrix of a frame).

    Also called `jac`, `jacobian_matrix`, `geometric_jacobian`, `differential_kinematics`.

    .. math::

        {}^rJ_n = \begin{bmatrix} {}^rA_i & 0 \\ 0 & {}^rA_i \end{bmatrix} \begin{bmatrix} I_3 & -{}^i\hat L_{j,n}
        \\ 0 & I_3 \end{bmatrix} {}^iJ_{n,j}

    It applies to every robot with a moving joint.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        to: frame whose velocity is computed; by default the tool, the platform or the last link's frame.
        frame: frame in whose axes the result is expressed; 'world' of a floating base adds its rotation R0 to the
            inputs.
        mid: intermediate frame of Renaud's factorisation, on the path to frame `to`.
        space: platform: the pose and the twist of the platform are the coordinates, instead of the joints (for a
            platform with legs, space='platform').
        working_mode: working mode of the legs, 1 or 2: one digit for all legs, or one per leg, for example '112'
            (for a platform with legs, space='platform').

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions

        and the outputs

        - `J` (6,n): rows linear then angular; zero columns for joints that are not on the path

        Inputs and outputs differ for a floating base, a wheeled robot, a platform with legs, space='platform';
        `model.inputs` and `model.outputs` contain their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 4.1,
        eq. (4), (5).

    Example:
        >>> model = symoro.derive.jacobian("rx90")
    """
    return _generate(
        "jacobian",
        robot,
        to=to,
        frame=frame,
        mid=mid,
        space=space,
        working_mode=working_mode,
    )


def loop_kinematics(
    robot: RobotLike,
) -> Model:
    r"""Derive `loop-kinematics` (velocity equations of closed loops, and motion of the passive joints).

    Also called `kinematic_constraints`, `loop_velocities`.

    .. math::

        \begin{bmatrix} W_a & W_p & 0 \\ W_{ac} & W_{pc} & W_c \end{bmatrix} \begin{bmatrix} \dot q_a \\ \dot q_p \\
        \dot q_c \end{bmatrix} = 0, \qquad \dot q_p = W \dot q_a, \quad \ddot q_p = W \ddot q_a + b

    It applies to robots with closed loops.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities

        and the outputs

        - `Wa` (p,na): equations without cut joints: columns of the active joints; p passive joints of the tree
        - `Wp` (p,p): equations without cut joints: columns of the passive joints
        - `Wac` (c,na): equations with one cut joint each: columns of the active joints; c moving cut joints
        - `Wpc` (c,p): equations with one cut joint each: columns of the passive joints
        - `Wc` (c,c): equations with one cut joint each: columns of the cut joints
        - `Psi` (p): Wa qdda + Wp qddp + Psi = 0
        - `Phi` (c): Wac qdda + Wpc qddp + Wc qddc + Phi = 0
        - `W` (p,na): passive joints from the active ones: qdp = W qda
        - `b` (p): qddp = W qdda + b


    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 4.5,
        eq. (11) to (14).

    Example:
        >>> model = symoro.derive.loop_kinematics("fourbar")
    """
    return _generate("loop-kinematics", robot)


def velocities(
    robot: RobotLike,
) -> Model:
    r"""Derive `velocities` (velocities of the links).

    Also called `vel`, `link_velocities`.

    .. math::

        {}^j\omega_j = {}^jA_i\,{}^i\omega_i + \bar\sigma_j \dot q_j\,{}^ja_j, \qquad {}^jV_j = {}^jA_i({}^iV_i +
        {}^i\omega_i \times {}^iP_j) + \sigma_j \dot q_j\,{}^ja_j

    It applies to every robot.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities

        and the outputs

        - `v` (L,3): velocity of each frame's origin, in the link's frame
        - `w` (L,3): angular velocity of each link, in its frame

        Inputs and outputs differ for a floating base, a wheeled robot; `model.inputs` and `model.outputs` contain
        their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 4.2,
        eq. (6).

    Example:
        >>> model = symoro.derive.velocities("rx90")
    """
    return _generate("velocities", robot)


def accelerations(
    robot: RobotLike,
) -> Model:
    r"""Derive `accelerations` (accelerations of the links).

    Also called `acc`, `link_accelerations`.

    .. math::

        {}^j\dot\omega_j = {}^jA_i\,{}^i\dot\omega_i + \bar\sigma_j(\ddot q_j\,{}^ja_j + {}^j\omega_i \times \dot
        q_j\,{}^ja_j), \qquad {}^j\dot V_j = {}^jA_i({}^i\dot V_i + {}^iU_i\,{}^iP_j) + \sigma_j(\ddot q_j\,{}^ja_j
        + 2\,{}^j\omega_i \times \dot q_j\,{}^ja_j)

    It applies to every robot.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities
        - `qdd` (n): joint accelerations

        and the outputs

        - `v` (L,3): velocity of each frame's origin, in the link's frame
        - `w` (L,3): angular velocity of each link, in its frame
        - `vd` (L,3): acceleration of each frame's origin, in the link's frame
        - `wd` (L,3): angular acceleration of each link, in its frame

        Inputs and outputs differ for a floating base, a wheeled robot; `model.inputs` and `model.outputs` contain
        their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 4.3,
        eq. (8) to (10).

    Example:
        >>> model = symoro.derive.accelerations("rx90")
    """
    return _generate("accelerations", robot)


def jdot_qdot(
    robot: RobotLike,
    *,
    to: FrameLike | None = None,
    frame: FrameLike = 0,
) -> Model:
    r"""Derive `jdot-qdot` (acceleration of a frame at zero joint acceleration (Jdot qdot)).

    Also called `jpqp`, `jdot_qd`, `drift_acceleration`.

    .. math::

        \dot J \dot q = (\dot V_n, \dot\omega_n) \text{ at } \ddot q = 0

    It applies to every robot.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        to: moving frame; by default the tool, the platform or the last link's frame.
        frame: frame in whose axes the result is expressed; 'world' of a floating base adds its rotation R0 to the
            inputs.

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities

        and the outputs

        - `a` (6): acceleration (linear; angular) of frame `to` at qdd = 0, expressed in frame `frame`

        Inputs and outputs differ for a floating base, a wheeled robot; `model.inputs` and `model.outputs` contain
        their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 4.4.

    Example:
        >>> model = symoro.derive.jdot_qdot("rx90")
    """
    return _generate(
        "jdot-qdot",
        robot,
        to=to,
        frame=frame,
    )


def wheel_kinematics(
    robot: RobotLike,
) -> Model:
    r"""Derive `wheel-kinematics` (rolling without slip: constraints of the wheels, and motion by the active joints).

    Also called `wheels`.

    .. math::

        t^T v_C = 0, \quad z^T v_C = 0, \quad (\cos\gamma\, t + \sin\gamma\, z)^T v_C = 0; \qquad W \begin{bmatrix}
        V_{0x} & V_{0y} & \omega_{0z} & \dot q^T \end{bmatrix}^T = 0, \quad \begin{bmatrix} V_{0x} & V_{0y} &
        \omega_{0z} & \dot q^T \end{bmatrix}^T = G\,\dot q_a

    It applies to wheeled robots whose wheels are described.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions

        and the outputs

        - `W` (m,3+n): independent constraints of the wheels: W [V0x V0y W0z qd] = 0
        - `G` (3+n,na): motion as a function of the active joints: [V0x V0y W0z qd] = G qda; NaN where det is zero
        - `det` (scalar): zero where the active joints cannot drive the robot


    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.

    References:
        G. Campion, G. Bastin, B. d'Andrea-Novel: Structural properties and classification of kinematic and dynamic
        models of wheeled mobile robots. IEEE Transactions on Robotics and Automation, 1996, constraints of
        conventional and Swedish wheels.

    Example:
        >>> model = symoro.derive.wheel_kinematics("diffdrive")
    """
    return _generate("wheel-kinematics", robot)


def posture_kinematics(
    robot: RobotLike,
) -> Model:
    r"""Derive `posture-kinematics` (posture kinematic model of a wheeled robot).

    .. math::

        \begin{bmatrix} \dot x & \dot y & \dot\theta & \dot\beta_s^T \end{bmatrix}^T = \begin{bmatrix}
        R(\theta)\,\Sigma(\beta_s) & 0 \\ 0 & I \end{bmatrix} \begin{bmatrix} \eta \\ \zeta \end{bmatrix}, \qquad
        C(\beta_s)\,\Sigma(\beta_s) = 0

    It applies to wheeled robots whose wheels are described.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `heading` (scalar): angle theta of frame 0 in the world, about the vertical

        and the outputs

        - `S` (3+s,m+s): matrix S in [xd yd thetad betad] = S [eta; zeta]; m: degree of mobility, s: degree of
          steerability
        - `det` (scalar): zero where axles coincide and the base could rotate about any point of them


    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.

    References:
        G. Campion, G. Bastin, B. d'Andrea-Novel: Structural properties and classification of kinematic and dynamic
        models of wheeled mobile robots. IEEE Transactions on Robotics and Automation, 1996, posture kinematic
        model.

    Example:
        >>> model = symoro.derive.posture_kinematics("car")
    """
    return _generate("posture-kinematics", robot)


def configuration_kinematics(
    robot: RobotLike,
) -> Model:
    r"""Derive `configuration-kinematics` (configuration kinematic model of a wheeled robot).

    .. math::

        \begin{bmatrix} \dot x & \dot y & \dot\theta & \dot q^T \end{bmatrix}^T = S(q, \theta) \begin{bmatrix} \eta
        \\ \zeta \\ \dot q_o \end{bmatrix}, \qquad W S = 0 \text{ in the axes of frame 0}

    It applies to trees on a wheeled base whose wheels are described.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `heading` (scalar): angle theta of frame 0 in the world, about the vertical

        and the outputs

        - `S` (3+n,m+s+o): matrix S in [xd yd thetad qd] = S [eta; zeta; rates of the o joints that no wheel
          determines]
        - `det` (scalar): zero where axles coincide and the base could rotate about any point of them


    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.

    References:
        G. Campion, G. Bastin, B. d'Andrea-Novel: Structural properties and classification of kinematic and dynamic
        models of wheeled mobile robots. IEEE Transactions on Robotics and Automation, 1996, configuration kinematic
        model.

    Example:
        >>> model = symoro.derive.configuration_kinematics("car")
    """
    return _generate("configuration-kinematics", robot)


def contact_dynamics(
    robot: RobotLike,
    *,
    contacts: Sequence[FrameLike | tuple[FrameLike, Sequence[FormulaLike]]] | None = None,
    damping: float | None = None,
    rotation: Literal["matrix", "quaternion"] = "matrix",
) -> Model:
    r"""Derive `contact-dynamics` (contact dynamics: accelerations, and forces on the ground).

    Also called `constrained_dynamics`, `contact_forces`.

    .. math::

        \begin{bmatrix} A & J^T \\ J & 0 \end{bmatrix} \begin{bmatrix} \ddot q \\ f \end{bmatrix} = \begin{bmatrix}
        \Gamma - H \\ -\dot J \dot q \end{bmatrix}

    It applies to serial, tree and closed-loop robots on a base that is fixed or moves as prescribed.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        contacts: points fixed to the ground: a frame (the point at its origin) or (frame, (x, y, z)); a point
            contact transmits a force and no moment; by default the tool or the last link's frame.
        damping: damping added to the diagonal of J A^-1 J' (1/kg), required if the contact forces are not unique;
            the contact points then accelerate slightly.
        rotation: representation of the base rotation: matrix R0 or quaternion Q0 (for a floating base).

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities
        - `tau` (n): joint torques and forces
        - `qda` (na): velocities of the active joints, in frame order

        and the outputs

        - `qdd` (n): joint accelerations
        - `qdda` (na): accelerations of the active joints, in frame order
        - `forces` (C,3): force of the robot on the ground at each contact, in the axes of frame 0; least norm where
          not unique; all outputs are NaN where the velocities violate redundant contacts

        Inputs and outputs differ for a floating base, a wheeled robot; `model.inputs` and `model.outputs` contain
        their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil: Dynamic modeling of robots using recursive Newton-Euler techniques. International Conference on
        Informatics in Control, Automation and Robotics, 2010, section 3.1, eq. (7), (8), with fixed contact points.

    Example:
        >>> model = symoro.derive.contact_dynamics("rx90")
    """
    return _generate(
        "contact-dynamics",
        robot,
        contacts=contacts,
        damping=damping,
        rotation=rotation,
    )


def inverse_dynamics_derivatives(
    robot: RobotLike,
    *,
    method: Literal["auto", "recursion", "forward"] = "auto",
    base: Literal["free", "given"] = "free",
    rotation: Literal["matrix", "quaternion"] = "matrix",
) -> Model:
    r"""Derive `inverse-dynamics-derivatives` (partial derivatives of the torques).

    Also called `idm_derivatives`, `rnea_derivatives`.

    .. math::

        \partial \Gamma / \partial q, \quad \partial \Gamma / \partial \dot q, \quad \partial \Gamma / \partial
        \ddot q = A, \qquad \partial \Gamma / \partial q_a = (\partial \Gamma / \partial q)\,G

    It applies to serial, tree and closed-loop robots on a base that is fixed or moves as prescribed.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        method: recursion: derivatives of composite links; forward: differentiation of the forces along each
            coordinate; auto: the method with fewer operations.
        base: free: no wrench acts on the base and its acceleration is computed; given: its acceleration is an input
            (for a floating base).
        rotation: representation of the base rotation: matrix R0 or quaternion Q0 (for a floating base).

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities
        - `qdd` (n): joint accelerations
        - `qda` (na): velocities of the active joints, in frame order
        - `qdda` (na): accelerations of the active joints, in frame order

        and the outputs

        - `dtau_dq` (n,n): derivatives of torques with respect to positions
        - `dtau_dqd` (n,n): derivatives of torques with respect to velocities
        - `dtau_dqdd` (n,n): derivatives of torques with respect to accelerations
        - `dtau_dqa` (na,na): derivatives of torques with respect to positions, of the active joints
        - `dtau_dqda` (na,na): derivatives of torques with respect to velocities, of the active joints
        - `dtau_dqdda` (na,na): derivatives of torques with respect to accelerations, of the active joints
        - `dqdd_out_dq` (n,n): derivatives of accelerations of the joints that only a spring drives with respect to
          positions
        - `dqdd_out_dqd` (n,n): derivatives of accelerations of the joints that only a spring drives with respect to
          velocities
        - `dqdd_out_dqdd` (n,n): derivatives of accelerations of the joints that only a spring drives with respect
          to accelerations

        Inputs and outputs differ for a floating base, a wheeled robot; `model.inputs` and `model.outputs` contain
        their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil: Dynamic modeling of robots using recursive Newton-Euler techniques. International Conference on
        Informatics in Control, Automation and Robotics, 2010, section 3.2, eq. (18) to (31), differentiated.

    Example:
        >>> model = symoro.derive.inverse_dynamics_derivatives("rx90")
    """
    return _generate(
        "inverse-dynamics-derivatives",
        robot,
        method=method,
        base=base,
        rotation=rotation,
    )


def direct_dynamics_derivatives(
    robot: RobotLike,
    *,
    method: Literal["auto", "recursion", "forward"] = "auto",
    rotation: Literal["matrix", "quaternion"] = "matrix",
) -> Model:
    r"""Derive `direct-dynamics-derivatives` (partial derivatives of the accelerations).

    Also called `ddm_derivatives`, `aba_derivatives`, `forward_dynamics_derivatives`, `linearization`.

    .. math::

        \partial \ddot q / \partial q = -A^{-1}\,\partial\Gamma/\partial q, \quad \partial \ddot q / \partial \dot q
        = -A^{-1}\,\partial\Gamma/\partial\dot q, \quad \partial \ddot q / \partial \Gamma = A^{-1}

    It applies to serial, tree and closed-loop robots on a base that is fixed or moves as prescribed.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        method: recursion: derivatives of composite links; forward: differentiation of the forces along each
            coordinate; auto: the method with fewer operations.
        rotation: representation of the base rotation: matrix R0 or quaternion Q0 (for a floating base).

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities
        - `tau` (n): joint torques and forces
        - `qda` (na): velocities of the active joints, in frame order

        and the outputs

        - `dqdd_dq` (n,n): derivatives of accelerations with respect to positions
        - `dqdd_dqd` (n,n): derivatives of accelerations with respect to velocities
        - `dqdd_dtau` (n,n): derivatives of accelerations with respect to torques
        - `dqdda_dqa` (na,na): derivatives of accelerations with respect to positions, of the active joints
        - `dqdda_dqda` (na,na): derivatives of accelerations with respect to velocities, of the active joints
        - `dqdda_dtau` (na,na): derivatives of accelerations with respect to torques, of the active joints

        Inputs and outputs differ for a floating base, a wheeled robot; `model.inputs` and `model.outputs` contain
        their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil: Dynamic modeling of robots using recursive Newton-Euler techniques. International Conference on
        Informatics in Control, Automation and Robotics, 2010, section 3.1, eq. (7), (8), differentiated.

    Example:
        >>> model = symoro.derive.direct_dynamics_derivatives("rx90")
    """
    return _generate(
        "direct-dynamics-derivatives",
        robot,
        method=method,
        rotation=rotation,
    )


def lagrange(
    robot: RobotLike,
    *,
    coriolis: Literal["christoffel", "recursive"] = "christoffel",
    expanded: bool = False,
    rotation: Literal["matrix", "quaternion"] = "matrix",
) -> Model:
    r"""Derive `lagrange` (Lagrange form: A, B, Q and the Christoffel coefficients).

    Also called `lagrange_euler`, `euler_lagrange`, `lagrangian`, `coriolis`, `coriolis_matrix`, `christoffel`.

    .. math::

        \Gamma = A(q)\,\ddot q + B(q, \dot q)\,\dot q + Q(q), \quad D_{ijk} = \tfrac12\left(\frac{\partial
        A_{ij}}{\partial q_k} + \frac{\partial A_{ik}}{\partial q_j} - \frac{\partial A_{jk}}{\partial q_i}\right)

    It applies to serial, tree and closed-loop robots on a base that is fixed or moves as prescribed.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        coriolis: christoffel: differentiate A; recursive: Renaud's method without derivatives.
        expanded: write each element as one simplified expression, for reading.
        rotation: representation of the base rotation: matrix R0 or quaternion Q0 (for a floating base).

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities

        and the outputs

        - `A` (n,n): inertia matrix, including rotor inertias
        - `B` (n,n): B qd: Coriolis and centrifugal torques
        - `Q` (n): gravity torques
        - `D` (n,n,n): Christoffel coefficients, symmetric in the last two

        Inputs and outputs differ for a floating base; `model.inputs` and `model.outputs` contain their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        V. Filip: Dynamic modeling of manipulators with symbolic computational method. Proceedings of the Romanian
        Academy, Series A, 2008, section 2, eq. (5) to (8).

    Example:
        >>> model = symoro.derive.lagrange("rx90")
    """
    return _generate(
        "lagrange",
        robot,
        coriolis=coriolis,
        expanded=expanded,
        rotation=rotation,
    )


def inverse_dynamics(
    robot: RobotLike,
    *,
    effort: Literal["quick", "search", "plain"] = "quick",
    reactions: bool = False,
    free: FrameLike | Sequence[FrameLike] | None = None,
    actuators: Literal["elastic"] | None = None,
    base: Literal["free", "given"] = "free",
    rotation: Literal["matrix", "quaternion"] = "matrix",
    surplus: Literal["refuse", "share"] = "refuse",
    space: Literal["platform"] | None = None,
    to: FrameLike | None = None,
    working_mode: str = "1",
    q: bool = False,
) -> Model:
    r"""Derive `inverse-dynamics` (inverse dynamic model: torques from positions, velocities and accelerations).

    Also called `idm`, `rnea`, `newton_euler`, `inverse_dynamic_model`.

    .. math::

        {}^jF_j = M_j\,{}^j\dot V_j + {}^jU_j\,{}^jMS_j, \quad {}^jM_j = {}^jJ_j\,{}^j\dot\omega_j + {}^j\omega_j
        \times ({}^jJ_j\,{}^j\omega_j) + {}^jMS_j \times {}^j\dot V_j, \quad \Gamma_j = (\sigma_j f_j + \bar\sigma_j
        m_j)^T a_j + F_{s,j}\,\mathrm{sign}(\dot q_j) + F_{v,j} \dot q_j + F_{o,j} + I_{a,j} \ddot q_j

    It applies to serial, tree and closed-loop robots on a base that is fixed or moves as prescribed.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        effort: quick: a good formulation without search; search: the formulation with the fewest operations; plain:
            the formulation of the papers, for reading.
        reactions: also return the reaction wrenches of the joints.
        free: joints of known torque tau_free, by number or name; their accelerations are computed.
        actuators: elastic: the motors of elastic joints have separate coordinates.
        base: free: no wrench acts on the base and its acceleration is computed; given: its acceleration is an input
            (for a floating base, flexible links on a floating base).
        rotation: representation of the base rotation: matrix R0 or quaternion Q0 (for a floating base, flexible
            links on a floating base).
        surplus: if there are more active joints than degrees of freedom: refuse the robot, or share the torques
            among them with the least sum of squares; qda and qdda then belong to the first joints that determine
            the motion, tau to all active joints (for a wheeled robot).
        space: platform: the pose and the twist of the platform are the coordinates, instead of the joints (for a
            platform with legs, space='platform').
        to: frame of the platform; by default the one in the robot description (for a platform with legs,
            space='platform').
        working_mode: working mode of the legs, 1 or 2: one digit for all legs, or one per leg, for example '112'
            (for a platform with legs, space='platform').
        q: also return the joint positions (for a platform with legs, space='platform').

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities
        - `qdd` (n): joint accelerations
        - `tau_free` (n): torques of the joints listed in the option free; other entries are ignored
        - `qm` (n): positions of the motors, on the joint side; entries of rigid joints are ignored
        - `qmd` (n): velocities of the motors; entries of rigid joints are ignored
        - `qmdd` (n): accelerations of the motors; as an input, entries of rigid joints are ignored

        and the outputs

        - `tau` (n): joint torques and forces
        - `qdd_out` (n): joint accelerations, including the computed ones of free joints
        - `reactions` (L,6): wrench (force; moment) of the antecedent on each link, in the link's frame (option
          reactions)
        - `cut_reactions` (B,6): wrench (force; moment) of the antecedent of each cut joint k on the link of frame k
          + B, in that frame (option reactions)

        Inputs and outputs differ for a floating base, a wheeled robot, flexible links, flexible links on a floating
        base, a platform with legs, space='platform'; `model.inputs` and `model.outputs` contain their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 5.1,
        eq. (15) to (20).

    Example:
        >>> model = symoro.derive.inverse_dynamics("rx90")
    """
    return _generate(
        "inverse-dynamics",
        robot,
        effort=effort,
        reactions=reactions,
        free=free,
        actuators=actuators,
        base=base,
        rotation=rotation,
        surplus=surplus,
        space=space,
        to=to,
        working_mode=working_mode,
        q=q,
    )


def direct_dynamics(
    robot: RobotLike,
    *,
    method: Literal["auto", "recursive", "inertia"] = "auto",
    effort: Literal["quick", "search", "plain"] = "quick",
    actuators: Literal["elastic"] | None = None,
    rotation: Literal["matrix", "quaternion"] = "matrix",
    surplus: Literal["refuse", "share"] = "refuse",
    space: Literal["platform"] | None = None,
    to: FrameLike | None = None,
    working_mode: str = "1",
    q: bool = False,
) -> Model:
    r"""Derive `direct-dynamics` (direct dynamic model: accelerations from torques).

    Also called `ddm`, `aba`, `forward_dynamics`, `articulated_body`, `direct_dynamic_model`.

    .. math::

        \ddot q = A(q)^{-1} (\Gamma - H(q, \dot q))

    It applies to serial, tree and closed-loop robots on a base that is fixed or moves as prescribed.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        method: recursive: articulated-body algorithm; inertia: factorisation of the inertia matrix; auto: the
            method with fewer operations.
        effort: quick: a good formulation without search; search: the formulation with the fewest operations; plain:
            the formulation of the papers, for reading.
        actuators: elastic: the motors of elastic joints have separate coordinates.
        rotation: representation of the base rotation: matrix R0 or quaternion Q0 (for a floating base, flexible
            links on a floating base).
        surplus: if there are more active joints than degrees of freedom: refuse the robot, or share the torques
            among them with the least sum of squares; qda and qdda then belong to the first joints that determine
            the motion, tau to all active joints (for a wheeled robot).
        space: platform: the pose and the twist of the platform are the coordinates, instead of the joints (for a
            platform with legs, space='platform').
        to: frame of the platform; by default the one in the robot description (for a platform with legs,
            space='platform').
        working_mode: working mode of the legs, 1 or 2: one digit for all legs, or one per leg, for example '112'
            (for a platform with legs, space='platform').
        q: also return the joint positions (for a platform with legs, space='platform').

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities
        - `qm` (n): positions of the motors, on the joint side; entries of rigid joints are ignored
        - `qmd` (n): velocities of the motors; entries of rigid joints are ignored
        - `tau` (n): joint torques and forces

        and the outputs

        - `qdd` (n): joint accelerations
        - `qdda` (na): accelerations of the active joints, in frame order
        - `qmdd` (n): accelerations of the motors; as an input, entries of rigid joints are ignored

        Inputs and outputs differ for a floating base, a wheeled robot, flexible links, flexible links on a floating
        base, a platform with legs, space='platform'; `model.inputs` and `model.outputs` contain their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil: Dynamic modeling of robots using recursive Newton-Euler techniques. International Conference on
        Informatics in Control, Automation and Robotics, 2010, section 3.3.2, eq. (32) to (44); Khalil and Creusot,
        1997, section 5.3, eq. (23) to (25).

    Example:
        >>> model = symoro.derive.direct_dynamics("rx90")
    """
    return _generate(
        "direct-dynamics",
        robot,
        method=method,
        effort=effort,
        actuators=actuators,
        rotation=rotation,
        surplus=surplus,
        space=space,
        to=to,
        working_mode=working_mode,
        q=q,
    )


def inertia_matrix(
    robot: RobotLike,
    *,
    space: Literal["platform"] | None = None,
    to: FrameLike | None = None,
    working_mode: str = "1",
    q: bool = False,
) -> Model:
    r"""Derive `inertia-matrix` (inertia matrix, by composite links).

    Also called `inm`, `crba`, `mass_matrix`, `joint_space_inertia`.

    .. math::

        P_i \leftarrow P_i + {}^iT_j P_j {}^iT_j^T, \qquad A_{ij} = a_i^T (f, m)_{ij}

    It applies to serial, tree and closed-loop robots on a base that is fixed or moves as prescribed.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        space: platform: the pose and the twist of the platform are the coordinates, instead of the joints (for a
            platform with legs, space='platform').
        to: frame of the platform; by default the one in the robot description (for a platform with legs,
            space='platform').
        working_mode: working mode of the legs, 1 or 2: one digit for all legs, or one per leg, for example '112'
            (for a platform with legs, space='platform').
        q: also return the joint positions (for a platform with legs, space='platform').

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions

        and the outputs

        - `A` (n,n): inertia matrix, including rotor inertias

        Inputs and outputs differ for a floating base, a wheeled robot, flexible links, flexible links on a floating
        base, a platform with legs, space='platform'; `model.inputs` and `model.outputs` contain their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section
        5.3.2, eq. (26) to (38).

    Example:
        >>> model = symoro.derive.inertia_matrix("rx90")
    """
    return _generate(
        "inertia-matrix",
        robot,
        space=space,
        to=to,
        working_mode=working_mode,
        q=q,
    )


def bias_torques(
    robot: RobotLike,
    *,
    effort: Literal["quick", "search", "plain"] = "quick",
    rotation: Literal["matrix", "quaternion"] = "matrix",
    space: Literal["platform"] | None = None,
    to: FrameLike | None = None,
    working_mode: str = "1",
    q: bool = False,
) -> Model:
    r"""Derive `bias-torques` (torques at zero acceleration: centrifugal, Coriolis, gravity, friction).

    Also called `ccg`, `nonlinear_effects`, `bias_forces`.

    .. math::

        H(q, \dot q) = \Gamma \text{ at } \ddot q = 0

    It applies to serial, tree and closed-loop robots on a base that is fixed or moves as prescribed.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        effort: quick: a good formulation without search; search: the formulation with the fewest operations; plain:
            the formulation of the papers, for reading.
        rotation: representation of the base rotation: matrix R0 or quaternion Q0 (for a floating base, flexible
            links on a floating base).
        space: platform: the pose and the twist of the platform are the coordinates, instead of the joints (for a
            platform with legs, space='platform').
        to: frame of the platform; by default the one in the robot description (for a platform with legs,
            space='platform').
        working_mode: working mode of the legs, 1 or 2: one digit for all legs, or one per leg, for example '112'
            (for a platform with legs, space='platform').
        q: also return the joint positions (for a platform with legs, space='platform').

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities

        and the outputs

        - `H` (n): torques at qdd = 0

        Inputs and outputs differ for a floating base, a wheeled robot, flexible links, flexible links on a floating
        base, a platform with legs, space='platform'; `model.inputs` and `model.outputs` contain their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section
        5.3.1.

    Example:
        >>> model = symoro.derive.bias_torques("rx90")
    """
    return _generate(
        "bias-torques",
        robot,
        effort=effort,
        rotation=rotation,
        space=space,
        to=to,
        working_mode=working_mode,
        q=q,
    )


def gravity_torques(
    robot: RobotLike,
    *,
    rotation: Literal["matrix", "quaternion"] = "matrix",
) -> Model:
    r"""Derive `gravity-torques` (torques of gravity alone).

    Also called `gravity`, `gravity_vector`, `gravity_compensation`.

    .. math::

        Q(q) = \partial U / \partial q

    It applies to serial, tree and closed-loop robots on a base that is fixed or moves as prescribed.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        rotation: representation of the base rotation: matrix R0 or quaternion Q0 (for a floating base, flexible
            links on a floating base).

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions

        and the outputs

        - `Q` (n): torques at rest, without friction and wrenches

        Inputs and outputs differ for a floating base, a wheeled robot, flexible links, flexible links on a floating
        base; `model.inputs` and `model.outputs` contain their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 5.1,
        eq. (15) to (20), at rest.

    Example:
        >>> model = symoro.derive.gravity_torques("rx90")
    """
    return _generate(
        "gravity-torques",
        robot,
        rotation=rotation,
    )


def energy(
    robot: RobotLike,
    *,
    rotation: Literal["matrix", "quaternion"] = "matrix",
) -> Model:
    r"""Derive `energy` (kinetic and potential energy).

    .. math::

        E = \tfrac12 \sum_j ({}^j\omega_j^T J_j\,{}^j\omega_j + M_j {}^jV_j^T {}^jV_j + 2\,{}^jMS_j^T ({}^jV_j
        \times {}^j\omega_j)) + \tfrac12 \sum_j I_{a,j} \dot q_j^2, \quad U = -\sum_j {}^0g^T (M_j {}^0P_j + {}^0A_j
        {}^jMS_j) + \tfrac12 \sum_j k_j (q_j - q_{0,j})^2

    It applies to serial, tree and closed-loop robots on a base that is fixed or moves as prescribed.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        rotation: representation of the base rotation: matrix R0 or quaternion Q0 (for a floating base, flexible
            links on a floating base).

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities

        and the outputs

        - `E` (scalar): kinetic energy
        - `U` (scalar): potential energy of gravity and springs

        Inputs and outputs differ for a floating base, a wheeled robot, flexible links, flexible links on a floating
        base; `model.inputs` and `model.outputs` contain their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 6.3,
        eq. (49), (50).

    Example:
        >>> model = symoro.derive.energy("rx90")
    """
    return _generate(
        "energy",
        robot,
        rotation=rotation,
    )


def centroidal_momentum(
    robot: RobotLike,
) -> Model:
    r"""Derive `centroidal-momentum` (centroidal momentum: momentum of the whole robot about its centre of mass).

    Also called `centroidal_momentum_matrix`, `cmm`.

    .. math::

        h = A_G\,\dot q, \qquad A_G = \begin{bmatrix} 1 & 0 \\ -\hat c & 1 \end{bmatrix} A_{12}

    It applies to serial, tree and closed-loop robots on a base that is fixed or moves as prescribed.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities

        and the outputs

        - `h` (6): momentum (linear; angular about the centre of mass), in the axes of frame 0
        - `com` (3): centre of mass in frame 0
        - `AG` (6,n): centroidal momentum matrix: h = AG qd

        Inputs and outputs differ for a floating base, a wheeled robot; `model.inputs` and `model.outputs` contain
        their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.

    References:
        W. Khalil: Dynamic modeling of robots using recursive Newton-Euler techniques. International Conference on
        Informatics in Control, Automation and Robotics, 2010, section 7.1, eq. (83) to (88), base rows.

    Example:
        >>> model = symoro.derive.centroidal_momentum("rx90")
    """
    return _generate("centroidal-momentum", robot)


def static_torques(
    robot: RobotLike,
    *,
    to: FrameLike | None = None,
    frame: FrameLike = 0,
    mid: FrameLike | None = None,
) -> Model:
    r"""Derive `static-torques` (joint torques for a wrench that a frame exerts on the environment).

    Also called `statics`, `static_forces`.

    .. math::

        \Gamma = {}^rJ_n^T\, {}^rF_n

    It applies to every robot with a moving joint.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        to: frame whose velocity is computed; by default the tool, the platform or the last link's frame.
        frame: frame in whose axes the result is expressed.
        mid: intermediate frame of Renaud's factorisation, on the path to frame `to`.

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `F` (6): wrench (force; moment) of frame `to` on the environment, at its origin, in the axes of `frame`

        and the outputs

        - `tau` (n): joint torques and forces

        Inputs and outputs differ for a wheeled robot; `model.inputs` and `model.outputs` contain their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 4.1,
        eq. (4), (5), transposed.

    Example:
        >>> model = symoro.derive.static_torques("rx90")
    """
    return _generate(
        "static-torques",
        robot,
        to=to,
        frame=frame,
        mid=mid,
    )


def geometric_identification(
    robot: RobotLike,
    *,
    to: FrameLike | None = None,
    measure: Literal["pose", "position", "distance", "plane"] = "pose",
    parameters: Literal["all", "identifiable"] = "all",
    known_base: bool = False,
    known_tool: bool = False,
    gains: bool = False,
) -> Model:
    r"""Derive `geometric-identification` (calibration model: errors of the end effector as a linear function of the
    geometric errors).

    Also called `calibration`, `gim`, `geometric_regressor`, `calibration_jacobian`.

    .. math::

        \Delta X = W(q)\,\Delta\xi

    It applies to serial and tree robots on a fixed base.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        to: measured frame; by default the tool or the last link's frame.
        measure: measured quantity of this frame.
        parameters: all: all geometric parameters; identifiable: only the identifiable ones.
        known_base: keep frame 0 at its nominal pose.
        known_tool: keep the tool frame at its nominal pose.
        gains: include gain errors of the joint sensors.

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `C` (3): reference point of the distances, in the world (measure='distance')
        - `N` (3): unit normal of the plane, in the world (measure='plane')

        and the outputs

        - `W` (m,P): regressor W of dX = W dxi, one named column per parameter; m = 6 (pose), 3 (position) or 1
          (distance, plane)


    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, M. Gautier, Ch. Enguehard: Identifiable parameters and optimum configurations for robots
        calibration. Robotica, 1991, identifiable parameters.

    Example:
        >>> model = symoro.derive.geometric_identification("rx90")
    """
    return _generate(
        "geometric-identification",
        robot,
        to=to,
        measure=measure,
        parameters=parameters,
        known_base=known_base,
        known_tool=known_tool,
        gains=gains,
    )


def base_parameters(
    robot: RobotLike,
    *,
    method: Literal["auto", "exact", "numeric"] = "auto",
    rotor: bool = True,
    posture: str | Sequence[float] | None = None,
) -> Model:
    r"""Derive `base-parameters` (base inertial parameters from the standard ones).

    Also called `minimal_parameters`, `identifiable_parameters`.

    .. math::

        K_{R,i} = K_i + \sum_k \beta_{ik} K_k

    It applies to every robot.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        method: exact: symbolic algebra; numeric: random states at nominal values; auto: exact if possible.
        rotor: include the rotor inertias.
        posture: assembly mode of closed loops: the name of a posture, or the positions of all joints; 'home' unless
            given.

    Returns:
        Model: a model with the outputs

        - `K` (P): base parameters, named by the columns


    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        M. Gautier, W. Khalil: A direct determination of minimum inertial parameters of robots. IEEE International
        Conference on Robotics and Automation, 1988, section 7.2, eq. (20) to (22); Khalil and Creusot, 1997,
        section 6.4.

    Example:
        >>> model = symoro.derive.base_parameters("rx90")
    """
    return _generate(
        "base-parameters",
        robot,
        method=method,
        rotor=rotor,
        posture=posture,
    )


def dynamic_identification(
    robot: RobotLike,
    *,
    parameters: Literal["standard", "base"] = "standard",
    friction: Literal["given", "all", "none"] = "given",
    posture: str | Sequence[float] | None = None,
    actuators: Literal["elastic"] | None = None,
    rotation: Literal["matrix", "quaternion"] = "matrix",
) -> Model:
    r"""Derive `dynamic-identification` (dynamic identification model: the torques as a linear function of the
    parameters).

    Also called `dim`, `regressor`, `dynamic_regressor`.

    .. math::

        \Gamma = W(q, \dot q, \ddot q)\,K

    It applies to serial, tree and closed-loop robots on a base that is fixed or moves as prescribed.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        parameters: standard: columns of all standard parameters; base: columns of the base parameters alone.
        friction: columns of FV, FS, FO; given: where the robot has them; all: for all joints; none: no friction.
        posture: assembly mode of closed loops: the name of a posture, or the positions of all joints; 'home' unless
            given.
        actuators: elastic: the motors of elastic joints have separate coordinates.
        rotation: representation of the base rotation: matrix R0 or quaternion Q0 (for a floating base).

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities
        - `qdd` (n): joint accelerations
        - `tau_free` (n): torques of the joints listed in the option free; other entries are ignored
        - `qm` (n): positions of the motors, on the joint side; entries of rigid joints are ignored
        - `qmd` (n): velocities of the motors; entries of rigid joints are ignored
        - `qmdd` (n): accelerations of the motors; as an input, entries of rigid joints are ignored

        and the outputs

        - `W` (n,P): regressor: tau = W K; K in the order of the columns
        - `springs` (na): known torques of springs of passive joints, which are not part of W K

        Inputs and outputs differ for a floating base, a wheeled robot; `model.inputs` and `model.outputs` contain
        their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 6.1,
        eq. (39).

    Example:
        >>> model = symoro.derive.dynamic_identification("rx90")
    """
    return _generate(
        "dynamic-identification",
        robot,
        parameters=parameters,
        friction=friction,
        posture=posture,
        actuators=actuators,
        rotation=rotation,
    )


def energy_identification(
    robot: RobotLike,
    *,
    parameters: Literal["standard", "base"] = "standard",
    posture: str | Sequence[float] | None = None,
    rotation: Literal["matrix", "quaternion"] = "matrix",
) -> Model:
    r"""Derive `energy-identification` (energy identification model: the energy as a linear function of the parameters).

    Also called `eim`, `energy_regressor`.

    .. math::

        \int_{t_1}^{t_2} \dot q^T \Gamma\,dt = (h(t_2) - h(t_1))\,K, \qquad E + U = h(q, \dot q)\,K

    It applies to serial, tree and closed-loop robots on a base at rest.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        parameters: standard: columns of all standard parameters; base: columns of the base parameters alone.
        posture: assembly mode of closed loops: the name of a posture, or the positions of all joints; 'home' unless
            given.
        rotation: representation of the base rotation: matrix R0 or quaternion Q0 (for a floating base).

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities

        and the outputs

        - `h` (P): energy functions: E + U = h K; K in the order of the columns
        - `springs` (scalar): known energy of springs of passive joints, which is not part of h K

        Inputs and outputs differ for a floating base, a wheeled robot; `model.inputs` and `model.outputs` contain
        their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 6.3,
        eq. (47) to (54).

    Example:
        >>> model = symoro.derive.energy_identification("rx90")
    """
    return _generate(
        "energy-identification",
        robot,
        parameters=parameters,
        posture=posture,
        rotation=rotation,
    )


def filtered_identification(
    robot: RobotLike,
    *,
    parameters: Literal["standard", "base"] = "standard",
    friction: Literal["given", "all", "none"] = "given",
    posture: str | Sequence[float] | None = None,
    rotation: Literal["matrix", "quaternion"] = "matrix",
) -> Model:
    r"""Derive `filtered-identification` (filtered dynamic identification model: the torques without accelerations).

    Also called `fdim`, `filtered_regressor`.

    .. math::

        \Gamma = \frac{d}{dt}(D_1 K) + D_2 K, \qquad D_1 K = \partial E / \partial \dot q, \qquad D_2 K = -\partial
        E / \partial q + \partial U / \partial q

    It applies to serial, tree and closed-loop robots on a base at rest.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        parameters: standard: columns of all standard parameters; base: columns of the base parameters alone.
        friction: columns of FV, FS, FO; given: where the robot has them; all: for all joints; none: no friction.
        posture: assembly mode of closed loops: the name of a posture, or the positions of all joints; 'home' unless
            given.
        rotation: representation of the base rotation: matrix R0 or quaternion Q0 (for a floating base).

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities

        and the outputs

        - `D1` (n,P): columns of dE/dqd: tau = d(D1 K)/dt + D2 K; K in the order of the columns
        - `D2` (n,P): columns of -dE/dq + dU/dq, and of friction
        - `springs` (na): known torques of springs of passive joints, which are not part of W K

        Inputs and outputs differ for a floating base, a wheeled robot; `model.inputs` and `model.outputs` contain
        their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 6.2,
        eq. (40) to (46).

    Example:
        >>> model = symoro.derive.filtered_identification("rx90")
    """
    return _generate(
        "filtered-identification",
        robot,
        parameters=parameters,
        friction=friction,
        posture=posture,
        rotation=rotation,
    )


def power_identification(
    robot: RobotLike,
    *,
    parameters: Literal["standard", "base"] = "standard",
    friction: Literal["given", "all", "none"] = "given",
    acceleration: bool = False,
    posture: str | Sequence[float] | None = None,
    rotation: Literal["matrix", "quaternion"] = "matrix",
) -> Model:
    r"""Derive `power-identification` (power identification model: the power of the drives as a linear function of the
    parameters).

    Also called `pim`, `power_regressor`.

    .. math::

        \dot q^T \Gamma = \frac{d}{dt}(h K) + p K

    It applies to serial, tree and closed-loop robots on a base at rest.

    Args:
        robot: a robot, the name of a bundled robot, or the path of a file.
        parameters: standard: columns of all standard parameters; base: columns of the base parameters alone.
        friction: columns of FV, FS, FO; given: where the robot has them; all: for all joints; none: no friction.
        acceleration: also return dh/dt; qdd is then an input.
        posture: assembly mode of closed loops: the name of a posture, or the positions of all joints; 'home' unless
            given.
        rotation: representation of the base rotation: matrix R0 or quaternion Q0 (for a floating base).

    Returns:
        Model: a model with the inputs

        - `q` (n): joint positions
        - `qd` (n): joint velocities
        - `qdd` (n): joint accelerations (option acceleration)

        and the outputs

        - `h` (P): energy functions h; zero for friction parameters
        - `p` (P): power loss p by friction, in qd' tau = d(h K)/dt + p K; zero for inertial parameters
        - `dh` (P): dh/dt (option acceleration)
        - `springs` (scalar): known energy of springs of passive joints, which is not part of h K

        Inputs and outputs differ for a floating base, a wheeled robot; `model.inputs` and `model.outputs` contain
        their shapes.

    Raises:
        NotApplicableError: the model does not apply to the robot; the message contains the reason.
        OptionError: an option has a wrong value, or it does not apply to this kind of robot.

    References:
        W. Khalil, D. Creusot: SYMORO+: a system for the symbolic modelling of robots. Robotica, 1997, section 6.3,
        eq. (47) to (54), differentiated; filters of section 6.2, eq. (45), (46).

    Example:
        >>> model = symoro.derive.power_identification("rx90")
    """
    return _generate(
        "power-identification",
        robot,
        parameters=parameters,
        friction=friction,
        acceleration=acceleration,
        posture=posture,
        rotation=rotation,
    )


# Other names
igm = inverse_geometry
ik = inverse_geometry
inverse_geometric_model = inverse_geometry
inverse_position_kinematics = inverse_geometry
trm = transform
transformation_matrix = transform
homogeneous_transform = transform
fgm = fast_geometry
direct_geometry = fast_geometry
dgm = fast_geometry
forward_kinematics = fast_geometry
fk = fast_geometry
direct_kinematics = fast_geometry
det = jacobian_determinant
jacobian_det = jacobian_determinant
jinv = jacobian_inverse
inverse_jacobian = jacobian_inverse
pseudo_inverse = jacobian_inverse
ikm = inverse_kinematics
inverse_velocity_kinematics = inverse_kinematics
differential_inverse_kinematics = inverse_kinematics
jac = jacobian
jacobian_matrix = jacobian
geometric_jacobian = jacobian
differential_kinematics = jacobian
kinematic_constraints = loop_kinematics
loop_velocities = loop_kinematics
vel = velocities
link_velocities = velocities
acc = accelerations
link_accelerations = accelerations
jpqp = jdot_qdot
jdot_qd = jdot_qdot
drift_acceleration = jdot_qdot
wheels = wheel_kinematics
constrained_dynamics = contact_dynamics
contact_forces = contact_dynamics
idm_derivatives = inverse_dynamics_derivatives
rnea_derivatives = inverse_dynamics_derivatives
ddm_derivatives = direct_dynamics_derivatives
aba_derivatives = direct_dynamics_derivatives
forward_dynamics_derivatives = direct_dynamics_derivatives
linearization = direct_dynamics_derivatives
lagrange_euler = lagrange
euler_lagrange = lagrange
lagrangian = lagrange
coriolis = lagrange
coriolis_matrix = lagrange
christoffel = lagrange
idm = inverse_dynamics
rnea = inverse_dynamics
newton_euler = inverse_dynamics
inverse_dynamic_model = inverse_dynamics
ddm = direct_dynamics
aba = direct_dynamics
forward_dynamics = direct_dynamics
articulated_body = direct_dynamics
direct_dynamic_model = direct_dynamics
inm = inertia_matrix
crba = inertia_matrix
mass_matrix = inertia_matrix
joint_space_inertia = inertia_matrix
ccg = bias_torques
nonlinear_effects = bias_torques
bias_forces = bias_torques
gravity = gravity_torques
gravity_vector = gravity_torques
gravity_compensation = gravity_torques
centroidal_momentum_matrix = centroidal_momentum
cmm = centroidal_momentum
statics = static_torques
static_forces = static_torques
calibration = geometric_identification
gim = geometric_identification
geometric_regressor = geometric_identification
calibration_jacobian = geometric_identification
minimal_parameters = base_parameters
identifiable_parameters = base_parameters
dim = dynamic_identification
regressor = dynamic_identification
dynamic_regressor = dynamic_identification
eim = energy_identification
energy_regressor = energy_identification
fdim = filtered_identification
filtered_regressor = filtered_identification
pim = power_identification
power_regressor = power_identification
