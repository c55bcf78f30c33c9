"""The bodies and joints of MuJoCo's compiled model as links and joints of a URDF."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from symoro.errors import FormatError, MissingDependencyError, NotApplicableError, Place
from symoro.robot.description import Limits
from symoro.robot.formats.urdf.markup import parse
from symoro.robot.formats.urdf.model import Body, Document, Joint, Origin
from symoro.robot.formats.urdf.rigid import Pose, Vector, from_quaternion, scaled, to_rpy, turn_about

_FREE, _BALL, _SLIDE, _HINGE = range(4)


def document(text: str, file: str | None) -> Document:
    """The links and joints of an MJCF text.

    Raises:
        MissingDependencyError, FormatError, NotApplicableError: see `read_mjcf`.
    """
    model, names, notes = _compiled(text, file)
    return _Reader(model, names, notes, file).document()


def _compiled(text: str, file: str | None) -> tuple[Any, Any, list[str]]:
    """MuJoCo's model, a function from (kind, number) to a name, and what MuJoCo had to say."""
    root = parse(text, file, ())
    if root.tag != "mujoco":
        raise FormatError(
            f"expected the element 'mujoco', found '{root.tag[:40]}'",
            place=Place(file, *root.spot),
            hint="give a URDF the suffix .urdf",
        )
    try:
        mujoco = import_module("mujoco")
    except ImportError:
        raise MissingDependencyError(
            "reading MJCF needs the package 'mujoco'", hint="pip install 'symoro[mujoco]'"
        ) from None
    # Without a listener MuJoCo writes its warnings into a file in the user's folder.
    listener = mujoco.get_mju_user_warning()
    warnings: list[object] = []
    mujoco.set_mju_user_warning(warnings.append)
    try:
        if file and Path(file).is_file():  # meshes and includes are looked up from there
            model = mujoco.MjModel.from_xml_path(file)
        else:
            model = mujoco.MjModel.from_xml_string(text)
    except (ValueError, RuntimeError, OSError) as error:
        raise FormatError(f"MuJoCo cannot compile this file: {error}", place=Place(file)) from None
    finally:
        mujoco.set_mju_user_warning(listener)
    kinds = {"body": mujoco.mjtObj.mjOBJ_BODY, "joint": mujoco.mjtObj.mjOBJ_JOINT}
    notes = [f"MuJoCo warns: {str(warning).strip()}" for warning in warnings]
    return model, lambda kind, i: mujoco.mj_id2name(model, kinds[kind], i) or "", notes


class _Reader:
    def __init__(self, model: Any, names: Any, notes: list[str], file: str | None) -> None:
        self.m, self.names, self.notes, self.file = model, names, notes, file
        self.bodies: list[Body] = [Body("world")]
        self.joints: list[Joint] = []
        self.ends = ["world"]  # the last link of every body, and its origin in the body's frame
        self.anchors: list[Vector] = [(0.0, 0.0, 0.0)]

    def document(self) -> Document:
        if self.m.neq:
            raise NotApplicableError(
                f"the model has {self.m.neq} equality constraints: it is no tree",
                place=Place(self.file),
                hint="remove them, or describe the loop in the native format",
            )
        for b in range(1, self.m.nbody):
            self.body(b)
        name = bytes(self.m.names).split(b"\0")[0].decode("utf-8", "replace") or "robot"
        gravity = _vector(self.m.opt.gravity)
        return Document(
            name, tuple(self.bodies), tuple(self.joints), self.file, None, gravity, tuple(self.notes)
        )

    def body(self, b: int) -> None:
        """Add the links and joints of a body: one link a joint, the last with the body's inertia."""
        name = self.names("body", b) or f"body{b}"
        parent = int(self.m.body_parentid[b])
        link, anchor = self.ends[parent], self.anchors[parent]
        place = _shift(scaled(-1.0, anchor)) @ _pose(self.m.body_pos[b], self.m.body_quat[b])
        anchor = (0.0, 0.0, 0.0)
        first, count = int(self.m.body_jntadr[b]), int(self.m.body_jntnum[b])
        if not count:
            self.joints.append(Joint(f"{name}_fixed", "fixed", link, name, _origin(place)))
        for j in range(first, first + count):
            last = j == first + count - 1
            child = name if last else f"{name}_{j - first + 1}"
            at = _vector(self.m.jnt_pos[j])
            self.joint(j, link, child, place @ _shift(at))
            if not last:
                self.bodies.append(Body(child))
            link, anchor, place = child, at, _shift(scaled(-1.0, at))
        self.bodies.append(self.inertial(b, name, anchor))
        self.ends.append(name)
        self.anchors.append(anchor)

    def inertial(self, b: int, name: str, anchor: Vector) -> Body:
        centre = _shift(scaled(-1.0, anchor)) @ _pose(self.m.body_ipos[b], self.m.body_iquat[b])
        x, y, z = _vector(self.m.body_inertia[b])
        return Body(name, float(self.m.body_mass[b]), _origin(centre), (x, 0.0, 0.0, y, 0.0, z))

    def joint(self, j: int, parent: str, child: str, place: Pose) -> None:
        name, kind = self.names("joint", j) or f"{child}_joint", int(self.m.jnt_type[j])
        if kind == _FREE:
            self.joints.append(Joint(name, "floating", parent, child, _origin(place)))
            return
        if kind == _BALL:
            raise NotApplicableError(
                f"joint '{name}' is a ball joint",
                place=Place(self.file),
                hint="replace it by three hinges whose axes meet",
            )
        axis, dof = _vector(self.m.jnt_axis[j]), int(self.m.jnt_dofadr[j])
        reference = -float(self.m.qpos0[self.m.jnt_qposadr[j]])
        if kind == _SLIDE:
            place = place @ _shift(scaled(reference, axis))
        else:
            place = place @ Pose(turn_about(axis, reference))
        if self.m.jnt_stiffness[j]:
            self.notes.append(f"joint {name}: its spring is left out")
        self.joints.append(
            Joint(
                name,
                "prismatic" if kind == _SLIDE else "revolute",
                parent,
                child,
                _origin(place),
                axis,
                self.limits(j),
                damping=float(self.m.dof_damping[dof]),
                friction=float(self.m.dof_frictionloss[dof]),
                rotor=float(self.m.dof_armature[dof]),
            )
        )

    def limits(self, j: int) -> Limits:
        lower, upper = self.m.jnt_range[j] if self.m.jnt_limited[j] else (None, None)
        force = self.m.jnt_actfrcrange[j] if self.m.jnt_actfrclimited[j] else None
        return Limits(
            None if lower is None else float(lower),
            None if upper is None else float(upper),
            effort=None if force is None else float(max(abs(force))),
        )


def _vector(values: Any) -> Vector:
    x, y, z = (float(value) for value in values)
    return (x, y, z)


def _pose(position: Any, quaternion: Any) -> Pose:
    return Pose(from_quaternion(*(float(value) for value in quaternion)), _vector(position))


def _shift(by: Vector) -> Pose:
    return Pose(p=by)


def _origin(place: Pose) -> Origin:
    return Origin(place.p, to_rpy(place.R))
