"""What MuJoCo computes with and our models do not: found in the compiled model, and told.

MuJoCo's inverse dynamics is M(q) qdd + c(q, qd) - passive - constraint. Of the passive forces we have linear joint
damping, of the constraints dry friction; springs, gravity compensation, fluids, tendons with any of these, and
equality constraints would change the torques. Forces that act at a touch or at the end of a range, and what an
actuator makes of its control, are no part of a robot's model and are only mentioned.

MuJoCo, "Computation": https://mujoco.readthedocs.io/en/stable/computation/
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

_FREE = 0
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


def changes(model: Any, on: Switches, name: Callable[[str, int], str]) -> list[str]:
    """What would change the dynamics when it is left out."""
    found = [*_joints(model, on, name), *_tendons(model, on), *_medium(model, on, name), *_bodies(model)]
    if on.equality and np.any(_field(model, "eq_active0")):
        count = int(np.count_nonzero(_field(model, "eq_active0")))
        found.append(f"{count} equality constraint{'s' if count > 1 else ''}")
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
    if springs:
        yield _named("joint springs", [name("joint", j) for j in springs])
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
