"""`velocities`, `accelerations`, `jdot-qdot`: motion of the links, from the base outward (1997 paper, 4.2 to 4.4).

    jWi = jAi iWi,   jWj = jWi + sb qd ja                                                   (6a), (6b)
    jVj = jAi (iVi + iWi x iPj) + s qd ja                                                   (6c)
    jWPj = jAi iWPi + sb (qdd ja + jWi x qd ja)                                             (8)
    jUj = hat(jWPj) + hat(jWj) hat(jWj)                                                     (9)
    jVPj = jAi (iVPi + iUi iPj) + s (qdd ja + 2 jWi x qd ja)                                (10)
    jdot-qdot: the acceleration at zero acceleration of the coordinates                     (section 4.4)

with s = sigma, sb = 1 - sigma, ja = (0, 0, 1). V and W are the linear and angular velocity of a link, VP and WP its
linear and angular acceleration. Twists are (linear; angular), in the link's own frame; the acceleration is the
classical one of the frame's origin, without gravity. The motion of the base is included: a prescribed motion, that of a
free base, or that of rolling wheels, relative to the ground.

The velocities qd and accelerations qdd of all joints follow from those of the independent coordinates
(`models/coordinates`), so that each model is one function for all structures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from symoro.expr.linalg import matmul, matvec, rotation_of
from symoro.expr.scalar import Scalar
from symoro.models.catalogue import Option, always
from symoro.models.coordinates.blocks import BASE, Block, Coordinate, Values
from symoro.models.coordinates.layout import Layout, constraint_provider
from symoro.models.dynamic.floating_base import base_rotation, in_world
from symoro.models.dynamic.structures import FIXED, FLOATING, WHEELED, Structure, tree_model
from symoro.models.dynamic.system import Inputs, joint_entries
from symoro.models.geometric.relative_placement import placement_between
from symoro.models.joints import Trigonometry
from symoro.models.kinematic.jacobian import IN_WORLD
from symoro.models.kinematic.tool import moving_frame
from symoro.models.kinematic.wheels.setting import on_wheels
from symoro.models.ports import QD, QDA, QDD, QDDA, R0, V0, VD, VD0, WD, Q, V, W
from symoro.models.recursion import (
    BaseMotion,
    JointFrame,
    Vectors,
    angular_velocities,
    base_motion,
    joint_frames,
    linear_velocities,
    link_accelerations,
    name_vectors,
)
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

OPTIONS = (
    Option("to", "moving frame; by default the tool, the platform or the last link's frame", "frame", None),
    IN_WORLD,
)
EQUATIONS_V = (
    r"{}^j\omega_j = {}^jA_i\,{}^i\omega_i + \bar\sigma_j \dot q_j\,{}^ja_j, \qquad "
    r"{}^jV_j = {}^jA_i({}^iV_i + {}^i\omega_i \times {}^iP_j) + \sigma_j \dot q_j\,{}^ja_j"
)
EQUATIONS_A = (
    r"{}^j\dot\omega_j = {}^jA_i\,{}^i\dot\omega_i + \bar\sigma_j(\ddot q_j\,{}^ja_j + {}^j\omega_i \times "
    r"\dot q_j\,{}^ja_j), \qquad {}^j\dot V_j = {}^jA_i({}^i\dot V_i + {}^iU_i\,{}^iP_j) + "
    r"\sigma_j(\ddot q_j\,{}^ja_j + 2\,{}^j\omega_i \times \dot q_j\,{}^ja_j)"
)
DRIFT = {
    FIXED: r"\dot J \dot q = (\dot V_n, \dot\omega_n) \text{ at } \ddot q = 0",
    FLOATING: r"\dot J ({}^0V_0; \dot q) = (\dot V_n, \dot\omega_n) \text{ at } {}^0\dot V_0 = 0, \ddot q = 0",
    WHEELED: r"\dot J \dot q_a = (\dot V_n, \dot\omega_n) \text{ at } \ddot q_a = 0",
}
APPLIES: dict[Structure, dict[str, Any]] = {
    FIXED: {"applies": always, "applies_to": "every robot"},
    FLOATING: {"applies": always},
    WHEELED: {"applies": on_wheels},
}
"""Structures of the kinematic models, which do not depend on inertia, gravity or springs."""


def drift_port(structure: Structure) -> Port:
    """Return the description (name, shape, text) of the output of `jdot-qdot` for a kind of robot."""
    rate = "qdda" if structure.wheels else "qdd"
    return Port(
        "a", "6", f"acceleration (linear; angular) of frame `to` at {rate} = 0, expressed in frame `frame`"
    )


@dataclass(frozen=True)
class TreeMotion:
    """Motion of the joints and the base of a robot with tree structure.

    Attributes:
        tree: transform of each link's frame with respect to its antecedent.
        trig: sines and cosines of the joint angles.
        base: velocity and acceleration of the base.
        q, qd, qdd: positions, velocities and accelerations of every moving joint.
    """

    tree: Mapping[int, JointFrame]
    trig: Trigonometry
    base: BaseMotion
    q: Mapping[int, Scalar]
    qd: Mapping[int, Scalar]
    qdd: Mapping[int, Scalar]


def tree_motion(builder: Builder, robot: Robot, *given: str, accelerations: bool = True) -> TreeMotion:
    """Declare the motion inputs of a model (q, qd, qdd, V0, Vd0) and return the motion of the tree.

    Args:
        given: 'qd' and 'qdd' if they are inputs. Velocities or accelerations of the independent coordinates that are
            not inputs are zero.
        accelerations: whether the model computes accelerations.
    """
    trig = Trigonometry(builder, robot)
    provider = constraint_provider(builder, Layout(robot))
    nu, nud = (
        joint_entries(builder, robot, provider, name) if name in given else dict.fromkeys(provider.own, 0)
        for name in ("qd", "qdd")
    )
    if BASE[0] in provider.own:
        nu |= _twist(builder, V0)
        nud |= _twist(builder, VD0) if "qdd" in given else dict.fromkeys(BASE, 0)
    rates = provider.rates(nu)
    seconds = provider.accelerations(nud, nu) if accelerations else dict.fromkeys(rates, 0)
    tree = joint_frames(builder, robot, provider.positions, trig)
    base = _base(rates, seconds) or base_motion(builder, robot, acceleration=accelerations)
    return TreeMotion(tree, trig, base, provider.positions, _joints(rates), _joints(seconds))


def _twist(builder: Builder, port: Port) -> dict[Coordinate, Scalar]:
    given = builder.input(port, (6,), [f"{port.name}_{k}" for k in range(1, 7)])
    return dict(zip(BASE, given, strict=True))


def _base(rates: Values, accelerations: Values) -> BaseMotion | None:
    """Return the motion of a free or wheeled base from its coordinates; None if its motion is prescribed.

    Args:
        rates: velocities by coordinate.
        accelerations: accelerations by coordinate.
    """
    if BASE[0] not in rates:
        return None
    v, vd = ([values[c] for c in BASE] for values in (rates, accelerations))
    return BaseMotion(v[:3], v[3:], vd[:3], vd[3:])


def _joints(values: Values) -> dict[int, Scalar]:
    return {c.j: x for c, x in values.items() if c.block is Block.JOINT}


def _output_links(
    builder: Builder, link_vectors: Mapping[Port, Vectors], tree: Mapping[int, JointFrame]
) -> None:
    """Declare the velocity and acceleration vectors of the links as outputs, in link order.

    Their components become variables with the names that SYMORO uses.

    Args:
        link_vectors: for each output, its vectors by link.
        tree: transforms of the links' frames, by link number.
    """
    names = {W: "W", V: "V", WD: "WP", VD: "VP"}
    for j in tree:
        name_vectors(
            builder, {name: link_vectors[port][j] for port, name in names.items() if port in link_vectors}, j
        )
    for port, vectors in link_vectors.items():
        builder.output(port, [vectors[j] for j in sorted(tree)])


@tree_model(
    "velocities",
    menu="Kinematic",
    title="velocities of the links",
    read=Inputs(weight=False),
    outputs=lambda structure: (V, W),
    aliases=("vel", "link-velocities"),
    structures={
        structure: {**own, "reference": SYMORO_1997.at("section 4.2, eq. (6)"), "equations": EQUATIONS_V}
        for structure, own in APPLIES.items()
    },
)
def velocities(robot: Robot) -> Program:
    """Derive the velocities (linear and angular) of all links."""
    builder = Builder(f"{robot.name}_velocities")
    m = tree_motion(builder, robot, "qd", accelerations=False)
    _, w = angular_velocities(m.tree, m.base, m.qd)
    _output_links(builder, {V: linear_velocities(m.tree, m.base, w, m.qd), W: w}, m.tree)
    return builder.program()


@tree_model(
    "accelerations",
    menu="Kinematic",
    title="accelerations of the links",
    read=Inputs(weight=False),
    outputs=lambda structure: (V, W, VD, WD),
    aliases=("acc", "link-accelerations"),
    structures={
        structure: {
            **own,
            "inputs": {FIXED: (Q, QD, QDD), FLOATING: (Q, QD, QDD, V0, VD0), WHEELED: (Q, QDA, QDDA)}[
                structure
            ],
            "reference": SYMORO_1997.at("section 4.3, eq. (8) to (10)"),
            "equations": EQUATIONS_A,
        }
        for structure, own in APPLIES.items()
    },
)
def accelerations(robot: Robot) -> Program:
    """Derive the velocities and accelerations of all links."""
    builder = Builder(f"{robot.name}_accelerations")
    m = tree_motion(builder, robot, "qd", "qdd")
    before, w = angular_velocities(m.tree, m.base, m.qd)
    v = linear_velocities(m.tree, m.base, w, m.qd)
    wd, vd = link_accelerations(m.tree, m.base, before, w, m.qd, m.qdd)
    _output_links(builder, {V: v, W: w, VD: vd, WD: wd}, m.tree)
    return builder.program()


@tree_model(
    "jdot-qdot",
    menu="Kinematic",
    title="acceleration of a frame at zero joint acceleration (Jdot qdot)",
    read=Inputs(weight=False),
    outputs=lambda structure: (drift_port(structure),),
    options=OPTIONS,
    aliases=("jpqp", "jdot-qd", "drift-acceleration"),
    structures={
        structure: {
            **own,
            **({"inputs": (Q, QD, V0, R0)} if structure is FLOATING else {}),
            "reference": SYMORO_1997.at("section 4.4"),
            "equations": DRIFT[structure],
        }
        for structure, own in APPLIES.items()
    },
)
def jdot_qdot(robot: Robot, to: int | str | None = None, frame: int | str = 0) -> Program:
    """Derive the acceleration of frame `to` at zero joint accelerations, J_dot q_dot.

    A prescribed acceleration of the base is included. With frame='world', a robot on a floating base has the additional
    input R0.
    """
    world = in_world(robot, frame)
    robot, end, expressed = moving_frame(robot, to, 0 if world else frame)
    builder = Builder(f"{robot.name}_jdot_qdot")
    m = tree_motion(builder, robot, "qd")
    before, w = angular_velocities(m.tree, m.base, m.qd)
    wd, vd = link_accelerations(m.tree, m.base, before, w, m.qd, m.qdd)
    for j in m.tree:
        name_vectors(builder, {"W": w[j], "WP": wd[j], "VP": vd[j]}, j)
    rotation = rotation_of(placement_between(builder, robot, expressed, end, m.q, m.trig))
    if world:
        rotation = matmul(base_rotation(builder), rotation)
    builder.output(
        drift_port(WHEELED if robot.wheels else FIXED),
        matvec(rotation, vd[end]) + matvec(rotation, wd[end]),
    )
    return builder.program()
