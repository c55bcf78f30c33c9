"""Test masses, loads and contact points of the scene; forces of the ground against `contact-dynamics`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symoro
from symoro.ui.service import call
from symoro.ui.service.payload import robot_of

Array = NDArray[np.float64]
HIPS = {"lf": (0.4, 0.2), "rf": (0.4, -0.2), "lh": (-0.4, 0.2), "rh": (-0.45, -0.25)}
# Joints of a leg: origin in the parent link, axis, mass and centre of mass of the child link.
LEG = (((0, 0, 0), (1, 0, 0), 1.5), ((0, 0.05, 0), (0, 1, 0), 2.0), ((0, 0, -0.3), (0, 1, 0), 0.5))
CENTRE, FOOT = (0.02, 0.01, -0.12), (0.03, 0, -0.35)
BODY, BODY_CENTRE = 20.0, (0.05, 0.01, 0.02)


def xyz(values: Any) -> str:
    return " ".join(map(str, values))


def inertial(mass: float, centre: Any) -> str:
    inertia = '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    return f'<inertial><origin xyz="{xyz(centre)}"/><mass value="{mass}"/>{inertia}</inertial>'


def quadruped() -> str:
    """Return the URDF of a robot with four legs of three joints; each foot is a link on a fixed joint."""
    parts = [f'<link name="body">{inertial(BODY, BODY_CENTRE)}</link>']
    for leg, hip in HIPS.items():
        parent = "body"
        for k, (origin, axis, mass) in enumerate(LEG):
            at = (*hip, 0) if k == 0 else origin
            parts.append(
                f'<link name="{leg}{k}">{inertial(mass, CENTRE)}</link><joint name="j_{leg}{k}" type="continuous">'
                f'<parent link="{parent}"/><child link="{leg}{k}"/><origin xyz="{xyz(at)}"/>'
                f'<axis xyz="{xyz(axis)}"/></joint>'
            )
            parent = f"{leg}{k}"
        parts.append(
            f'<link name="{leg}_foot"/><joint name="f_{leg}" type="fixed"><parent link="{parent}"/>'
            f'<child link="{leg}_foot"/><origin xyz="{xyz(FOOT)}"/></joint>'
        )
    return f'<robot name="quadruped">{"".join(parts)}</robot>'


def floating(text: str) -> dict[str, Any]:
    """Return the document of a URDF on a floating base, as the page makes it."""
    view = call("robot_open", {"text": text, "file": "quadruped.urdf"})
    edit = {"part": "robot", "field": "base", "text": "floating"}
    document: dict[str, Any] = call("robot_edit", {"robot": view["robot"], "edits": [edit]})["robot"]
    return document


def skew(v: Any) -> Array:
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=float)


def rotation(axis: Any, angle: float) -> Array:
    return np.asarray(np.eye(3) + np.sin(angle) * skew(axis) + (1 - np.cos(angle)) * skew(axis) @ skew(axis))


def placed(q: Array) -> tuple[list[tuple[float, Array]], list[Array]]:
    """Return the masses with their centres, and the feet, in the body; computed from the data of the URDF."""
    masses, feet = [(BODY, np.array(BODY_CENTRE))], []
    for hip, angles in zip(HIPS.values(), q.reshape(4, 3), strict=True):
        R, p = np.eye(3), np.array([*hip, 0.0])
        for (origin, axis, mass), angle in zip(LEG, angles, strict=True):
            p = p + R @ np.array(origin, dtype=float)
            R = R @ rotation(axis, angle)
            masses.append((mass, p + R @ np.array(CENTRE)))
        feet.append(p + R @ np.array(FOOT))
    return masses, feet


def supporting_forces(masses: list[tuple[float, Array]], points: list[Array], gravity: Array) -> Array:
    """Return the forces of least norm on the robot at the points that balance its weight."""
    rows = np.vstack([np.hstack([np.eye(3)] * len(points)), np.hstack([skew(p) for p in points])])
    weight = sum((m * np.concatenate([gravity, np.cross(c, gravity)]) for m, c in masses), np.zeros(6))
    forces = np.linalg.lstsq(rows, -weight, rcond=None)[0]
    assert rows @ forces == pytest.approx(-weight)
    return np.asarray(forces).reshape(-1, 3)


POSTURE = np.array([0.1, 0.4, -0.8, -0.1, 0.5, -0.9, 0.05, -0.4, 0.8, 0.0, -0.5, 0.9])


def test_masses_and_contact_points() -> None:
    document = floating(quadruped())
    ends = call("mechanics", {"robot": document, "contacts": []})["ends"]
    assert ends == [f"{leg}_foot" for leg in HIPS]
    answer = call("mechanics", {"robot": document, "contacts": ends})
    assert answer["gravity"] == [0, 0, -9.81] and answer["unknown"] == []
    masses, feet = placed(POSTURE)

    def at(frame: int, point: list[float]) -> Array:
        if frame == 0:
            return np.array(point)
        model = symoro.generate(robot_of({"robot": document}), "fast-geometry", to=frame)
        T = model.function(compiled=False)(q=POSTURE)["T"]
        return np.asarray(T[:3, :3] @ point + T[:3, 3])

    points = [at(contact["frame"], contact["at"]) for contact in answer["contacts"]]
    assert np.array(points) == pytest.approx(np.array(feet), abs=1e-12)
    assert [contact["name"] for contact in answer["contacts"]] == ends
    assert [body["mass"] for body in answer["masses"]] == [mass for mass, _ in masses]
    centres = [at(body["frame"], body["centre"]) for body in answer["masses"]]
    assert np.array(centres) == pytest.approx(np.array([c for _, c in masses]), abs=1e-12)


def test_supporting_forces_are_those_of_contact_dynamics() -> None:
    """There are joint torques with which `contact-dynamics` returns these forces and no acceleration."""
    robot = robot_of({"robot": floating(quadruped())})
    R0 = rotation((0.6, 0, 0.8), 0.2)
    masses, feet = placed(POSTURE)
    expected = supporting_forces(masses, feet, R0.T @ [0, 0, -9.81])
    function = symoro.generate(robot, "contact-dynamics", contacts=[f"{leg}_foot" for leg in HIPS]).function()
    rest = {"q": POSTURE, "qd": np.zeros(12), "V0": np.zeros(6), "R0": R0}

    def result(tau: Array) -> Array:
        outputs = function(**rest, tau=tau)
        return np.concatenate([outputs["qdd"], outputs["Vd0"], outputs["forces"].ravel()])

    # The outputs are affine in the torques; the equations for the torques are overdetermined.
    start = result(np.zeros(12))
    columns = np.array([result(one) - start for one in np.eye(12)]).T
    target = np.concatenate([np.zeros(18), -expected.ravel()])  # by the robot on the ground
    tau = np.linalg.lstsq(columns, target - start, rcond=None)[0]
    assert result(tau) == pytest.approx(target, abs=1e-8)


def test_points_as_in_the_option() -> None:
    document = floating(quadruped())
    contacts = ["lf_foot", [3, ["0.1", "-1/5", "0"]], 6, "j_rh2"]
    answer = call("mechanics", {"robot": document, "contacts": contacts})
    names = [(contact["name"], contact["frame"]) for contact in answer["contacts"]]
    assert names == [("lf_foot", 3), ("frame 3 (0.1, -1/5, 0)", 3), ("frame 6", 6), ("j_rh2", 12)]
    assert answer["contacts"][1]["at"] == [0.1, -0.2, 0]
    default = call("mechanics", {"robot": document, "contacts": []})["contacts"]
    assert default == [{"name": "frame 12", "frame": 12, "at": [0, 0, 0]}]
    assert call("mechanics", {"robot": document})["contacts"] == []


@pytest.mark.parametrize(
    ("name", "contacts", "message"),
    [
        ("rx90_floating", [99], "no frame called '99'"),
        ("rx90_floating", [[6, ["L", "0", "0"]]], "no symbol of robot 'RX90floating' called 'L'"),
        ("rx90_floating", [[6, [1, 2]]], "expected a list of frames"),
        ("flexible_satellite", [], "requires rigid links"),
    ],
)
def test_wrong_contacts_are_rejected(name: str, contacts: list[Any], message: str) -> None:
    document = call("robot_open", {"id": name})["robot"]
    assert message in call("mechanics", {"robot": document, "contacts": contacts})["error"]["message"]


def test_links_of_the_file_are_numbered_with_their_frames() -> None:
    document = floating(quadruped())

    def feet(edit: dict[str, Any]) -> dict[str, int]:
        edited = robot_of(call("robot_edit", {"robot": document, "edits": [edit]}))
        return {link.name: link.frame for link in edited.link_frames if link.name.endswith("foot")}

    assert feet({"part": "robot", "field": "title", "text": "x"}) == {
        f"{leg}_foot": 3 * k for k, leg in enumerate(HIPS, 1)
    }
    assert feet({"part": "add_frame", "after": 4, "ant": 4}) == {
        "lf_foot": 3,
        "rf_foot": 7,
        "lh_foot": 10,
        "rh_foot": 13,
    }
    assert feet({"part": "remove_frame", "j": 3}) == {"rf_foot": 5, "lh_foot": 8, "rh_foot": 11}
