"""Define the columns of the tables: kind of the cells and explanation.

Kinds: `formula` (symbols or numbers), `number`, `count` (a whole number), `choice`, `flag` (1 or 0), `text`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from symoro.robot.flexibility import MODE_SHAPES
from symoro.robot.wheels import WheelKind
from symoro.ui.service.answer_types import CellKind


@dataclass(frozen=True)
class Column:
    """Column of a table of robot data: kind of its cells, permitted values and explanation."""

    name: str
    kind: CellKind
    hint: str
    choices: tuple[str, ...] = ()


def formulas(hints: dict[str, str]) -> tuple[Column, ...]:
    return tuple(Column(name, "formula", hint) for name, hint in hints.items())


def numbers(hints: dict[str, str]) -> tuple[Column, ...]:
    return tuple(Column(name, "number", hint) for name, hint in hints.items())


def frames(name: str, hint: str, numbers: Iterable[int], *, empty: bool = False) -> Column:
    """Return a table column whose cells contain a frame number.

    Args:
        name: name of the column.
        hint: explanation.
        numbers: frames that can be selected.
        empty: whether a cell may be empty.
    """
    return Column(name, "choice", hint, (*([""] if empty else []), *map(str, numbers)))


GEOMETRY = formulas(
    {
        "gamma": "angle about z of the antecedent, before b (rad)",
        "b": "length along z of the antecedent (m)",
        "alpha": "angle between the z axes, about x (rad)",
        "d": "distance between the z axes, along x (m)",
        "theta": "angle between the x axes, about z (rad); the offset of a revolute joint",
        "r": "distance between the x axes, along z (m); the offset of a prismatic joint",
    }
)
INERTIA = formulas(
    {
        **dict.fromkeys(("XX", "XY", "XZ", "YY", "YZ", "ZZ"), "inertia about the frame's origin (kg m^2)"),
        **dict.fromkeys(("MX", "MY", "MZ"), "first moment, mass times centre of mass (kg m)"),
        "M": "mass (kg)",
    }
)
WRENCH = formulas(
    {
        **dict.fromkeys(("FX", "FY", "FZ"), "force of the link on its environment, in its frame (N)"),
        **dict.fromkeys(("CX", "CY", "CZ"), "moment of the link on its environment, about its origin (N m)"),
    }
)
DRIVE = formulas(
    {
        "IA": "inertia of the rotor, on the joint side (kg m^2 or kg)",
        "FV": "viscous friction (N m s/rad or N s/m)",
        "FS": "Coulomb friction (N m or N)",
        "FO": "offset of the torque (N m or N)",
        "FB": "additional dry friction at low speed (N m or N)",
        "VS": "Stribeck's velocity (rad/s or m/s)",
        "FL": "dry friction per unit of the drive torque, below 1",
        "QP": "prescribed constant velocity; empty: free (rad/s or m/s)",
        "QDP": "prescribed constant acceleration; empty: free (rad/s^2 or m/s^2)",
        "GAM": "prescribed constant torque; empty: free (N m or N)",
    }
)
JOINT = (
    Column("eta", "flag", "1: elastic"),
    *formulas(
        {"k": "stiffness of its spring (N m/rad or N/m)", "rest": "position without torque (rad or m)"}
    ),
    *numbers(
        {
            "lower": "lower limit (rad or m)",
            "upper": "upper limit (rad or m)",
            "velocity": "largest velocity (rad/s or m/s)",
            "effort": "largest torque or force (N m or N)",
        }
    ),
    Column("coupled", "formula", "driving joints, for example q1 - 0.5*q2 + pi/2; empty: not coupled"),
)
JOINT_KIND = Column("sigma", "choice", "R revolute, P prismatic, F fixed", ("R", "P", "F"))
ACTIVE = Column("mu", "flag", "1: active (motorised)")
NAME = Column("name", "text", "name")
VECTOR = formulas({axis: f"component along {axis}" for axis in "xyz"})
LOCATION = formulas({str(c): "world T 0: rotation and, in column 4, position (m)" for c in range(1, 5)})
NOMINAL = numbers({"value": "nominal value of the symbol"})
BEAM = (
    *formulas(
        {
            "length": "length of the beam, along x (m)",
            "density": "mass per length (kg/m)",
            "EIz": "bending stiffness against deflection along y (N m^2)",
            "EIy": "bending stiffness against deflection along z (N m^2)",
            "GJ": "torsional stiffness (N m^2)",
            "Ip": "polar moment of inertia per length (kg m)",
        }
    ),
    Column("y", "count", "modes of deflection along y"),
    Column("z", "count", "modes of deflection along z"),
    Column("twist", "count", "modes of torsion"),
    Column("shapes", "choice", "shapes of the modes", MODE_SHAPES),
)
WHEEL_KINDS = tuple(str(kind) for kind in WheelKind)
