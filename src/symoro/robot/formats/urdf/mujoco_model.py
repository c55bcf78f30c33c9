"""Conversion of MuJoCo's compiled model to the links and joints of a URDF."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import FormatError, MissingDependencyError, NotApplicableError, Place
from symoro.robot.description import Limits
from symoro.robot.formats.report import name_from
from symoro.robot.formats.urdf.markup import XmlNode, parse
from symoro.robot.formats.urdf.model import Body, Document, Joint, Mimic, Origin
from symoro.robot.formats.urdf.reader import LARGEST
from symoro.robot.formats.urdf.rigid import ORIGIN, Pose, Vector3, from_quaternion, scaled, to_rpy, turn_about
from symoro.robot.formats.urdf.shapes import LinkCapsule, around, enclosing, placed

_FREE, _BALL, _SLIDE, _HINGE = range(4)
_CAPSULE, _MESH = 3, 7  # types of geoms
_SHAPES: dict[int, tuple[str, Callable[[float, float, float], tuple[float, ...]]]] = {
    2: ("sphere", lambda x, y, z: (x,)),
    4: ("box", lambda x, y, z: (2 * x, 2 * y, 2 * z)),  # an ellipsoid
    5: ("cylinder", lambda x, y, z: (x, 2 * y)),
    6: ("box", lambda x, y, z: (2 * x, 2 * y, 2 * z)),
}
_NUMBERS = {
    "body": ("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia"),
    "joint": ("jnt_pos", "jnt_axis"),
    "degree of freedom": ("qpos0", "dof_damping", "dof_frictionloss", "dof_armature"),
}
_DIRECTIONS = ("body_quat", "body_iquat", "jnt_axis")
_PART = "load the main file that includes it, with the elements 'mujoco' and 'worldbody'"


def document(text: str, file: str | None, *, lossy: bool) -> Document:
    """Return the links and joints of an MJCF text.

    Raises:
        MissingDependencyError, FormatError, NotApplicableError: see `read_mjcf`.
    """
    root = _root(text, file)
    name = root.attributes.get("model", "").strip() or name_from(file)
    return _ModelReader(_compiled(text, file), file).document(name, lossy=lossy)


def _root(text: str, file: str | None) -> XmlNode:
    root = parse(text, file, (), "an MJCF file starts with '<mujoco'")
    if root.tag == "mujoco":
        return root
    place, tag = Place(file, *root.spot), root.tag[:40]
    if root.tag == "mujocoinclude":
        raise FormatError(
            "this is an included part of an MJCF model, not a complete model", place=place, hint=_PART
        )
    hints = {
        "robot": "this is a URDF: give it the suffix .urdf",
        "sdf": "this is an SDF file: convert it to URDF first",
    }
    message = f"expected the element 'mujoco', got '{tag}'"
    raise FormatError(message, place=place, hint=hints.get(root.tag, _PART))


@dataclass(frozen=True)
class _Compiled:
    """MuJoCo's compiled model, with the flags of its enabled features and the warnings of the compiler."""

    model: Any
    on: Switches
    warnings: tuple[str, ...]

    def name(self, kind: str, i: int) -> str:
        """Return the name of MuJoCo's element number i of type `kind`, such as 'joint'; empty if it has no name."""
        start = int(getattr(self.model, f"name_{'jnt' if kind == 'joint' else kind}adr")[i])
        raw = bytes(self.model.names)[start:].split(b"\0", 1)[0]
        try:
            return raw.decode()
        except UnicodeDecodeError:  # MuJoCo ignores the encoding that a file declares
            return raw.decode("latin-1")

    def label(self, kind: str, i: int) -> str:
        """Return the name of MuJoCo's element number i of type `kind` for messages; "number i" if it has no name."""
        return self.name(kind, i) or f"number {i}"


def _compiled(text: str, file: str | None) -> _Compiled:
    try:
        mujoco = import_module("mujoco")
    except ImportError:
        raise MissingDependencyError(
            "reading MJCF requires the package 'mujoco'", hint="pip install 'symoro[mujoco]'"
        ) from None
    # Without a callback MuJoCo writes its warnings to a file in the user's folder.
    listener = mujoco.get_mju_user_warning()
    warnings: list[object] = []
    mujoco.set_mju_user_warning(warnings.append)
    try:
        if (
            file and not file.startswith("<") and Path(file).is_file()
        ):  # meshes and includes are searched there
            model = mujoco.MjModel.from_xml_path(file)
        else:
            model = mujoco.MjModel.from_xml_string(text)
    except Exception as error:  # MuJoCo's errors have no narrower common base class
        message = " ".join(str(error).split())[:500]
        raise FormatError(f"MuJoCo cannot compile this file: {message}", place=Place(file)) from None
    finally:
        mujoco.set_mju_user_warning(listener)
    messages = tuple(f"MuJoCo warning: {str(warning).strip()}" for warning in warnings)
    return _Compiled(model, Switches(mujoco, model), messages)


class _ModelReader:
    def __init__(self, compiled: _Compiled, file: str | None) -> None:
        self.m, self.on, self.compiled, self.file = compiled.model, compiled.on, compiled, file
        self.notes = [*compiled.warnings]
        self.bodies: list[Body] = [Body("world")]
        self.joints: list[Joint] = []
        self.positions: dict[int, int] = {}  # MuJoCo's joint number -> index in `joints`
        self.elastic = elastic_joints(self.m, self.on)
        self.ends = ["world"]  # last link of every body, and its origin in the body frame
        self.anchors: list[Vector3] = [ORIGIN]
        self.links = _UniqueNames(compiled.name("body", b) for b in range(self.m.nbody))
        self.names = _UniqueNames(compiled.name("joint", j) for j in range(self.m.njnt))

    def document(self, name: str, *, lossy: bool) -> Document:
        self.check(lossy)
        for b in range(1, self.m.nbody):
            self.body(b)
        self.couple()
        gravity = _vector(self.m.opt.gravity) if self.on.gravity else ORIGIN
        if not all(abs(g) <= LARGEST for g in gravity):
            raise FormatError(
                f"gravity is not a finite number, or exceeds {LARGEST:g}", place=Place(self.file)
            )
        notes = (*self.notes, *mentions(self.m, self.on))
        return Document(name, tuple(self.bodies), tuple(self.joints), self.file, None, gravity, notes, "MJCF")

    def check(self, lossy: bool) -> None:
        """Check that the model has only supported features.

        Args:
            lossy: whether unsupported features that change the dynamics are omitted instead of raising an error.

        Raises:
            NotApplicableError: there are ball joints; or there are features that change the dynamics, and `lossy` is
                False.
        """
        for kind, fields in _NUMBERS.items():
            for field in fields:
                self.check_numbers(kind, field)
        for j in range(self.m.njnt):
            if int(self.m.jnt_type[j]) == _BALL:
                raise NotApplicableError(
                    f"joint '{self.compiled.label('joint', j)}' is a ball joint",
                    place=Place(self.file),
                    hint="replace it by three hinges whose axes meet",
                )
        omitted = changes(self.m, self.on, self.compiled.label)
        if omitted and not lossy:
            raise NotApplicableError(
                f"the file contains {', '.join(omitted)}; this is not supported and would change the dynamics",
                place=Place(self.file),
                hint="omit it with the option 'lossy', or remove it from the file",
            )
        self.notes += [f"omitted, although it changes the dynamics: {what}" for what in omitted]

    def check_numbers(self, kind: str, field: str) -> None:
        array = np.abs(np.asarray(getattr(self.m, field)))
        values = array.reshape(len(array), -1) if array.size else np.zeros((0, 1))
        fits = np.all(values <= LARGEST, axis=1)
        directed = np.max(values, axis=1, initial=0.0) > 1e-6 if field in _DIRECTIONS else fits
        for i in np.flatnonzero(~(fits & directed)).tolist():
            what = f"{kind} '{self.compiled.label(kind, i)}': " if kind in ("body", "joint") else ""
            problem = "has zero length" if fits[i] else f"is not a finite number, or exceeds {LARGEST:g}"
            hint = "the units of MuJoCo are metres and kilograms"
            raise FormatError(f"{what}{field} {problem}", place=Place(self.file), hint=hint)

    def body(self, b: int) -> None:
        """Add the links and joints of MuJoCo's body number b: one link per joint, the last with the body's inertia."""
        name = self.compiled.name("body", b) or self.links.unused(f"body{b}")
        parent = int(self.m.body_parentid[b])
        link, anchor = self.ends[parent], self.anchors[parent]
        place = _shift(scaled(-1.0, anchor)) @ _pose(self.m.body_pos[b], self.m.body_quat[b])
        anchor = ORIGIN
        first, count = int(self.m.body_jntadr[b]), int(self.m.body_jntnum[b])
        if not count:
            self.joints.append(Joint(self.names.unused(f"{name}_fixed"), "fixed", link, name, _origin(place)))
        for j in range(first, first + count):
            last = j == first + count - 1
            child = name if last else self.links.unused(f"{name}_{j - first + 1}")
            at = _vector(self.m.jnt_pos[j])
            self.joint(j, link, child, place @ _shift(at))
            if not last:
                self.bodies.append(Body(child))
            link, anchor, place = child, at, _shift(scaled(-1.0, at))
        self.bodies.append(self.inertial(b, name, anchor))
        self.ends.append(name)
        self.anchors.append(anchor)

    def inertial(self, b: int, name: str, anchor: Vector3) -> Body:
        centre = _shift(scaled(-1.0, anchor)) @ _pose(self.m.body_ipos[b], self.m.body_iquat[b])
        x, y, z = _vector(self.m.body_inertia[b])
        capsules = tuple(self.capsules(b, _shift(scaled(-1.0, anchor))))
        inertia = (x, 0.0, 0.0, y, 0.0, z)
        return Body(name, float(self.m.body_mass[b]), _origin(centre), inertia, capsules=capsules)

    def capsules(self, b: int, body: Pose) -> Iterator[LinkCapsule]:
        """Yield capsules that enclose the geoms of a body with which contacts are possible.

        Args:
            b: number of the body.
            body: pose of the body frame in the link frame.
        """
        for g in np.flatnonzero(np.asarray(self.m.geom_bodyid) == b).tolist():
            if not (self.m.geom_contype[g] or self.m.geom_conaffinity[g]):
                continue
            kind, (x, y, z) = int(self.m.geom_type[g]), _vector(self.m.geom_size[g])
            place = body @ _pose(self.m.geom_pos[g], self.m.geom_quat[g])
            if kind == _MESH:
                mesh = int(self.m.geom_dataid[g])
                first, count = int(self.m.mesh_vertadr[mesh]), int(self.m.mesh_vertnum[mesh])
                capsules = around(np.asarray(self.m.mesh_vert[first : first + count], dtype=float))
            elif kind == _CAPSULE:
                capsules = [LinkCapsule((0.0, 0.0, -y), (0.0, 0.0, y), x)]
            elif kind in _SHAPES:
                shape, size = _SHAPES[kind]
                capsules = enclosing(shape, size(x, y, z))
            else:
                label = self.compiled.label("body", b)
                self.notes.append(
                    f"a collision shape of body '{label}' is omitted: MuJoCo's geom type {kind}"
                )
                continue
            yield from (placed(one, place) for one in capsules)

    def joint(self, j: int, parent: str, child: str, place: Pose) -> None:
        kind = int(self.m.jnt_type[j])
        name = self.compiled.name("joint", j) or self.names.unused(f"{child}_joint")
        if kind == _FREE:
            self.joints.append(Joint(name, "floating", parent, child, _origin(place)))
            return
        axis, dof = _vector(self.m.jnt_axis[j]), int(self.m.jnt_dofadr[j])
        address = int(self.m.jnt_qposadr[j])
        place = place @ _moved(kind, axis, -float(self.m.qpos0[address]))
        elastic = j in self.elastic
        self.positions[j] = len(self.joints)
        self.joints.append(
            Joint(
                name,
                "prismatic" if kind == _SLIDE else "revolute",
                parent,
                child,
                _origin(place),
                axis,
                self.limits(j),
                damping=float(self.m.dof_damping[dof]) if self.on.damper else 0.0,
                friction=float(self.m.dof_frictionloss[dof]) if self.on.friction else 0.0,
                rotor=float(self.m.dof_armature[dof]),
                stiffness=float(np.ravel(self.m.jnt_stiffness[j])[0]) if elastic else 0.0,
                rest=float(self.m.qpos_spring[address]) if elastic else 0.0,
            )
        )

    def couple(self) -> None:
        """Couple each joint of a linear equality constraint to its driving joint, or fix it if there is none."""
        equalities = linear_equalities(self.m, self.on)
        for equality in equalities:
            at = self.positions[equality.joint]
            joint = self.joints[at]
            if equality.driver is None:
                place = joint.origin.pose() @ _moved(
                    int(self.m.jnt_type[equality.joint]), joint.axis, equality.offset
                )
                self.joints[at] = Joint(joint.name, "fixed", joint.parent, joint.child, _origin(place))
            else:
                driver = self.joints[self.positions[equality.driver]].name
                self.joints[at] = replace(joint, mimic=Mimic(driver, equality.ratio, equality.offset))
        if equalities:
            names = ", ".join(self.joints[self.positions[e.joint]].name for e in equalities)
            self.notes.append(f"equality constraints converted to joint couplings: {names}")

    def limits(self, j: int) -> Limits:
        limited = self.on.limits and self.m.jnt_limited[j]
        lower, upper = self.m.jnt_range[j] if limited else (None, None)
        force = self.m.jnt_actfrcrange[j] if self.m.jnt_actfrclimited[j] else None
        effort = None if force is None else max(abs(force))
        return Limits(_bound(lower), _bound(upper), effort=_bound(effort))


class _UniqueNames:
    """Generator of unique names for unnamed elements of an MJCF file."""

    def __init__(self, used: Iterable[str]) -> None:
        self.taken = set(used)

    def unused(self, base: str) -> str:
        name = base
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


def _bound(value: Any) -> float | None:
    """Return a joint limit; None if the number is so large that it means no limit."""
    return None if value is None or not abs(value) < LARGEST else float(value)


def _vector(values: Any) -> Vector3:
    x, y, z = (float(value) for value in values)
    return (x, y, z)


def _pose(position: Any, quaternion: Any) -> Pose:
    return Pose(from_quaternion(*(float(value) for value in quaternion)), _vector(position))


def _moved(kind: int, axis: Vector3, by: float) -> Pose:
    """Return the transform of a displacement `by` (rad or m) of a MuJoCo slide or hinge joint along or about `axis`."""
    return _shift(scaled(by, axis)) if kind == _SLIDE else Pose(turn_about(axis, by))


def _shift(by: Vector3) -> Pose:
    return Pose(p=by)


def _origin(place: Pose) -> Origin:
    return Origin(place.p, to_rpy(place.R))


# -- the parts of a compiled model that symoro's models do not contain
#
# MuJoCo's inverse dynamics is M(q) qdd + c(q, qd) - passive - constraint. Of the passive forces symoro models linear
# damping and linear springs of joints without an actuator (elastic joints), of the constraints dry friction and linear
# equalities between joints (coupled joints). Other springs, gravity compensation, fluids, tendons with any of these,
# and other equality constraints would change the torques. Contact and limit forces and the dynamics of actuators are
# not part of a robot's model and are only listed in a note.
#
# MuJoCo, "Computation": https://mujoco.readthedocs.io/en/stable/computation/


_JOINT_EQUALITY = 2  # mjEQ_JOINT
_ON_JOINT = (0, 1)  # mjTRN_JOINT, mjTRN_JOINTINPARENT
_SHOWN = 4


class Switches:
    """Flags that state which parts of the physics are enabled, from the `option` element of an MJCF file."""

    def __init__(self, mujoco: Any, model: Any) -> None:
        bits = {
            name.removeprefix("mjDSBL_").lower(): int(getattr(mujoco.mjtDisableBit, name))
            for name in dir(mujoco.mjtDisableBit)
            if name.startswith("mjDSBL_")
        }
        flags = int(model.opt.disableflags)

        def off(name: str) -> bool:
            return bool(flags & bits.get(name, 0))

        before = off("passive")  # one flag for springs and damping until MuJoCo 3.3
        self.spring = not (off("spring") or before)
        self.damper = not (off("damper") or before)
        self.passive = self.spring or self.damper  # if both are disabled, MuJoCo computes no passive forces
        self.gravity = not off("gravity")
        self.equality = not (off("equality") or off("constraint"))
        self.friction = not (off("frictionloss") or off("constraint"))
        self.limits = not (off("limit") or off("constraint"))


@dataclass(frozen=True)
class LinearEquality:
    """Linear equality constraint between two joints: position of `joint` = ratio * (position of `driver`) + offset.

    If `driver` is None, the position of the joint equals the offset.
    """

    joint: int
    driver: int | None
    ratio: float
    offset: float


def linear_equalities(model: Any, on: Switches) -> list[LinearEquality]:
    """Return the active linear equality constraints between joints, at most one per joint.

    MuJoCo's constraint is q1 - q1_0 = c0 + c1 (q2 - q2_0) + c2 (q2 - q2_0)^2 + ..., with the reference positions
    q_0.

    Args:
        model: MuJoCo's compiled model.
        on: enabled parts of the physics.
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
    """Return the indices of the joints with a linear spring and without an actuator or a coupling.

    Args:
        model: MuJoCo's compiled model.
        on: enabled parts of the physics.
    """
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
    """Return descriptions of the MJCF features that are not supported and whose omission changes the dynamics.

    Args:
        model: MuJoCo's compiled model.
        on: enabled parts of the physics.
        name: function that returns the name of an element, from its kind and index.
    """
    omitted = [*_joints(model, on, name), *_tendons(model, on), *_medium(model, on, name), *_bodies(model)]
    if on.equality:
        count = int(np.count_nonzero(_field(model, "eq_active0"))) - len(linear_equalities(model, on))
        if count:
            omitted.append(
                f"{count} equality constraint{'s' if count > 1 else ''} other than linear ones between joints"
            )
    return omitted


def mentions(model: Any, on: Switches) -> Iterator[str]:
    """Yield notes on MJCF features that are omitted without changing the dynamics, or disabled."""
    if not on.gravity:
        yield "gravity is disabled in this file"
    if not on.limits and np.any(_field(model, "jnt_limited")):
        yield "joint limits are disabled in this file and omitted"
    if model.neq and not (on.equality and np.all(_field(model, "eq_active0"))):
        yield "inactive equality constraints are omitted"
    if model.nmocap:
        yield "mocap bodies are treated as fixed"
    others = {
        "contacts": bool(model.npair or np.any(_field(model, "geom_contype") != 0)),
        f"actuators ({model.nu}): the torques of the models are joint torques": bool(model.nu),
        "limits of tendons": bool(on.limits and np.any(_field(model, "tendon_limited"))),
    }
    features = [what for what, there in others.items() if there]
    if features:
        yield f"not part of the model: {', '.join(features)}"


def _field(model: Any, name: str) -> Any:
    """Return the array `name` of MuJoCo's model; empty if this version of MuJoCo does not have it."""
    return np.asarray(getattr(model, name, ()))


def _where(model: Any, *names: str) -> list[int]:
    """Return the indices of the rows in which at least one of the arrays `names` of MuJoCo's model is not zero."""
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
    features = [kind for kind, (acts, names) in kinds.items() if acts and _where(model, *names)]
    if features:
        yield f"{' and '.join(features)} of tendons"


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
