"""The parts of a compiled MuJoCo model that symoro's models do not contain.

MuJoCo's inverse dynamics is M(q) qdd + c(q, qd) - passive - constraint. Of the passive forces symoro models linear
damping and linear springs of joints without an actuator (elastic joints), of the constraints dry friction and linear
equalities between joints (coupled joints). Other springs, gravity compensation, fluids, tendons with any of these, and
other equality constraints would change the torques. Contact and limit forces and the dynamics of actuators are not part
of a robot's model and are only mentioned.

MuJoCo, "Computation": https://mujoco.readthedocs.io/en/stable/computation/
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

_FREE, _BALL = 0, 1
_JOINT_EQUALITY = 2  # mjEQ_JOINT
_ON_JOINT = (0, 1)  # mjTRN_JOINT, mjTRN_JOINTINPARENT
_SHOWN = 4


class Switches:
    """The flags of a model's `option` element that turn parts of the physics off."""

    def __init__(self, mujoco: Any, model: Any) -> None:
        bits = {
            name.removeprefix("mjDSBL_").lower(): int(getattr(mujoco.mjtDisableBit, name))
            for name in dir(mujoco.mjtDisableBit)
            if name.startswith("mjDSBL_")
        }
        flags = int(model.opt.disableflags)

        def off(name: str) -> bool:
            return bool(flags & bits.get(name, 0))

        before = off("passive")  # one flag for both, until MuJoCo 3.3
        self.spring = not (off("spring") or before)
        self.damper = not (off("damper") or before)
        self.passive = self.spring or self.damper  # without both, MuJoCo computes no passive force at all
        self.gravity = not off("gravity")
        self.equality = not (off("equality") or off("constraint"))
        self.friction = not (off("frictionloss") or off("constraint"))
        self.limits = not (off("limit") or off("constraint"))


@dataclass(frozen=True)
class LinearEquality:
    """q of `joint` = ratio * (q of `driver`) + offset; without a driver the position is the offset."""

    joint: int
    driver: int | None
    ratio: float
    offset: float


def linear_equalities(model: Any, on: Switches) -> list[LinearEquality]:
    """Return the active equalities between joints that are linear, at most one per joint.

    MuJoCo's constraint is q1 - q1_0 = c0 + c1 (q2 - q2_0) + c2 (q2 - q2_0)^2 + ..., with the reference positions q_0.
    """
    equalities: dict[int, LinearEquality] = {}
    for i in range(model.neq if on.equality else 0):
        joint, driver = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        if int(model.eq_type[i]) != _JOINT_EQUALITY or not model.eq_active0[i] or joint in equalities:
            continue
        kinds = [int(model.jnt_type[j]) for j in (joint, driver) if j >= 0]
        c0, c1, *higher = (float(c) for c in model.eq_data[i][:5])
        if any(higher) or set(kinds) & {_FREE, _BALL}:
            continue
        reference = [float(model.qpos0[model.jnt_qposadr[j]]) if j >= 0 else 0.0 for j in (joint, driver)]
        ratio = c1 if driver >= 0 else 0.0
        offset = reference[0] + c0 - ratio * reference[1]
        equalities[joint] = LinearEquality(joint, driver if driver >= 0 else None, ratio, offset)
    return list(equalities.values())


def elastic_joints(model: Any, on: Switches) -> list[int]:
    """Return the joints with a linear spring and without an actuator or a coupling."""
    linear = set(_where(model, "jnt_stiffness")) - set(_where(model, "jnt_stiffnesspoly"))
    driven = {
        int(model.actuator_trnid[i][0])
        for i in range(model.nu)
        if int(model.actuator_trntype[i]) in _ON_JOINT
    }
    coupled = {equality.joint for equality in linear_equalities(model, on)}
    single = {j for j in linear if int(model.jnt_type[j]) not in (_FREE, _BALL)}
    return sorted(single - driven - coupled) if on.spring else []


def changes(model: Any, on: Switches, name: Callable[[str, int], str]) -> list[str]:
    """What would change the dynamics when it is left out."""
    found = [*_joints(model, on, name), *_tendons(model, on), *_medium(model, on, name), *_bodies(model)]
    if on.equality:
        count = int(np.count_nonzero(_field(model, "eq_active0"))) - len(linear_equalities(model, on))
        if count:
            found.append(
                f"{count} equality constraint{'s' if count > 1 else ''} other than linear ones between joints"
            )
    return found


def mentions(model: Any, on: Switches) -> Iterator[str]:
    """Notes on what plays no part in a model, or is switched off."""
    if not on.gravity:
        yield "gravity is switched off in this file"
    if not on.limits and np.any(_field(model, "jnt_limited")):
        yield "joint limits are switched off in this file, and left out"
    if model.neq and not (on.equality and np.all(_field(model, "eq_active0"))):
        yield "equality constraints that are not active are left out"
    if model.nmocap:
        yield "bodies moved from outside (mocap) are taken to stand still"
    others = {
        "contacts": bool(model.npair or np.any(_field(model, "geom_contype") != 0)),
        f"actuators ({model.nu}): torques are those at the joints": bool(model.nu),
        "limits of tendons": bool(on.limits and np.any(_field(model, "tendon_limited"))),
    }
    told = [what for what, there in others.items() if there]
    if told:
        yield f"no part of the model: {', '.join(told)}"


def _field(model: Any, name: str) -> Any:
    """An array of the model; empty where this version of MuJoCo has none."""
    return np.asarray(getattr(model, name, ()))


def _where(model: Any, *names: str) -> list[int]:
    """The rows in which one of some arrays is not zero."""
    rows: set[int] = set()
    for name in names:
        array = _field(model, name)
        if array.size:
            rows |= set(np.flatnonzero(np.any(array.reshape(len(array), -1) != 0, axis=1)).tolist())
    return sorted(rows)


def _named(what: str, names: list[str]) -> str:
    more = " ..." if len(names) > _SHOWN else ""
    return f"{what} ({', '.join(names[:_SHOWN])}{more})"


def _joints(model: Any, on: Switches, name: Callable[[str, int], str]) -> Iterator[str]:
    springs = _where(model, "jnt_stiffness", "jnt_stiffnesspoly") if on.spring else []
    springs = [j for j in springs if j not in elastic_joints(model, on)]
    if springs:
        what = "joint springs that are not linear, or at joints with an actuator or a coupling"
        yield _named(what, [name("joint", j) for j in springs])
    curved = _where(model, "dof_dampingpoly") if on.damper else []
    if curved:
        yield _named("damping that is not linear", [name("joint", int(model.dof_jntid[i])) for i in curved])
    drive = [
        "dof_armature",
        *(["dof_damping"] if on.damper else []),
        *(["dof_frictionloss"] if on.friction else []),
    ]
    free = [i for i in _where(model, *drive) if int(model.jnt_type[model.dof_jntid[i]]) == _FREE]
    if free:
        yield "armature, damping or friction of a free joint"
    driven = _where(model, "actuator_armature", "actuator_damping", "actuator_dampingpoly")
    if driven:
        yield _named("armature or damping of actuators", [name("actuator", i) for i in driven])


def _tendons(model: Any, on: Switches) -> Iterator[str]:
    kinds = {
        "armature": (True, ("tendon_armature",)),
        "springs": (on.spring, ("tendon_stiffness", "tendon_stiffnesspoly")),
        "damping": (on.damper, ("tendon_damping", "tendon_dampingpoly")),
        "friction": (on.friction, ("tendon_frictionloss",)),
    }
    found = [kind for kind, (acts, names) in kinds.items() if acts and _where(model, *names)]
    if found:
        yield f"{' and '.join(found)} of tendons"


def _medium(model: Any, on: Switches, name: Callable[[str, int], str]) -> Iterator[str]:
    if on.passive and (model.opt.density or model.opt.viscosity):
        yield f"a fluid (density {model.opt.density:g}, viscosity {model.opt.viscosity:g})"
    lifted = _where(model, "body_gravcomp")
    if on.passive and on.gravity and np.any(model.opt.gravity) and lifted:
        yield _named("gravity compensation", [name("body", b) for b in lifted])


def _bodies(model: Any) -> Iterator[str]:
    if getattr(model, "nflex", 0):
        yield "deformable bodies"
    if np.any(_field(model, "body_plugin") >= 0):
        yield "plugins on bodies"
