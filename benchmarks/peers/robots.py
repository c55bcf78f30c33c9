"""Robots of example-robot-data as one URDF that all parties read: the same joints, the same exact angles."""

from __future__ import annotations

import math
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from peers.environment import BUILD, robots_folder

SNAP = 1e-4  # an angle this close to a multiple of a right angle is one: 1.5708 is pi/2


@dataclass
class Case:
    """A robot: its title, its file, the joints that are locked at zero, and whether its base floats.

    `joints` are those that turn or slide; a floating base is the first row of numbers and has no name here.
    """

    name: str
    title: str
    file: str
    locked: tuple[str, ...] = ()
    floating: bool = False
    rows: Any = field(init=False)
    joints: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.joints, self.rows = _described(self.urdf, self.floating)

    @cached_property
    def urdf(self) -> Path:
        """The file that all read."""
        root = xml.fromstring((robots_folder() / self.file).read_bytes())
        _simplify(root, set(self.locked))
        BUILD.mkdir(parents=True, exist_ok=True)
        path = BUILD / f"{self.name}.urdf"
        path.write_bytes(xml.tostring(root))
        return path

    def motion(self, samples: int) -> Any:
        """Random positions, velocities and accelerations or torques, (3, samples, joints)."""
        random = np.random.default_rng(1)
        scale = np.array([3.0, 2.0, 5.0])[:, None, None]
        return random.uniform(-1, 1, (3, samples, len(self.joints))) * scale


def _simplify(root: xml.Element, locked: set[str]) -> None:
    """Rigid and frictionless, every joint on its own, right angles exact."""
    for joint in root.findall("joint"):
        for name in ("mimic", "dynamics"):
            for element in joint.findall(name):
                joint.remove(element)
        if joint.get("name") in locked:
            joint.set("type", "fixed")
        elif joint.get("type") == "continuous":
            joint.set("type", "revolute")
            xml.SubElement(joint, "limit", lower="-10", upper="10", effort="1", velocity="1")
    for link in root.findall("link"):
        for element in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(element)
    for origin in root.iter("origin"):
        if origin.get("rpy"):
            origin.set("rpy", " ".join(_snapped(float(x)) for x in origin.get("rpy", "").split()))


def _snapped(angle: float) -> str:
    nearest = round(angle / (math.pi / 2)) * math.pi / 2
    return repr(nearest if abs(angle - nearest) < SNAP else angle)


FREE = 6.0  # in the place of the motion subspace: a floating base


def _described(urdf: Path, floating: bool) -> tuple[list[str], Any]:
    """Names of the joints in Pinocchio's order, and a row of numbers for each (robot.hpp)."""
    import pinocchio

    root = [pinocchio.JointModelFreeFlyer()] if floating else []
    model = pinocchio.buildModelFromUrdf(str(urdf), *root)
    data = model.createData()
    pinocchio.computeAllTerms(model, data, pinocchio.neutral(model), np.zeros(model.nv))
    rows = []
    for j in range(1, model.njoints):
        place, inertia = model.jointPlacements[j], model.inertias[j]
        tensor = inertia.inertia[np.triu_indices(3)]
        subspace = np.asarray(data.joints[j].S).ravel() if model.nvs[j] == 1 else np.full(6, FREE)
        numbers = (model.parents[j], subspace, place.rotation.ravel(), place.translation)
        rows.append(np.concatenate([np.ravel(x) for x in (*numbers, inertia.mass, inertia.lever, tensor)]))
    return list(model.names)[2 if floating else 1 :], np.array(rows)
