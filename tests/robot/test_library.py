"""Test the bundled robots with values of their sources, by products of elementary transforms."""

from __future__ import annotations

import tomllib
from importlib import resources
from math import acos, atan2, cos, hypot, pi, sin
from pathlib import Path

import numpy as np
import pytest

from symoro.errors import UnknownNameError
from symoro.robot import library
from symoro.robot.description import GEOMETRIC, INERTIAL, Frame, Link, Placement, Robot
from tests.oracle.placement import placement

ROBOTS = library.names()
WANTED = {
    "akr3000",
    "3rrr",
    "cartpole",
    "delta",
    "diffdrive",
    "eel",
    "fivebar",
    "fourbar",
    "flexible2r",
    "flexible_satellite",
    "gantry",
    "gough_stewart",
    "gough_stewart_general",
    "humanoid_torso",
    "hybrid",
    "iiwa14",
    "jaco2",
    "lwr4plus",
    "orthoglide",
    "panda",
    "planar2r",
    "planar3r",
    "puma560",
    "rx90",
    "rx90_elastic",
    "rx90_floating",
    "rx90_floating_elastic",
    "scara",
    "scemi",
    "slidercrank",
    "snake",
    "sr400",
    "stanford",
    "tx40",
    "ur10e",
    "ur5e",
}


# -- plain numpy, independent of the models


def turn(axis: int, angle: float) -> np.ndarray:
    T = np.eye(4)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    T[i, i] = T[j, j] = cos(angle)
    T[i, j], T[j, i] = -sin(angle), sin(angle)
    return T


def shift(axis: int, length: float) -> np.ndarray:
    T = np.eye(4)
    T[axis, 3] = length
    return T


def placed(place: Frame | Placement, values: dict[str, float], q: float = 0) -> np.ndarray:
    p = {name: getattr(place, name).value(values) for name in GEOMETRIC}
    if isinstance(place, Frame) and place.moving:
        p["r" if place.sigma else "theta"] += q
    return placement(**p)


def poses(robot: Robot, q: list[float] | dict[int, float]) -> dict[int | str, np.ndarray]:
    """Return 0Tj of every frame, by its number, and of the tool; `q` in frame order or by joint."""
    values = dict(robot.nominal)
    q = q if isinstance(q, dict) else dict(enumerate(q, 1))
    T: dict[int | str, np.ndarray] = {0: np.eye(4)}
    while len(T) <= robot.NF:
        for j, frame in enumerate(robot.frames, 1):
            if frame.ant in T:
                T[j] = T[frame.ant] @ placed(frame, values, q.get(j, 0))
    if robot.tool:
        T["tool"] = T[robot.tool.place.ant] @ placed(robot.tool.place, values)
    return T


def point(robot: Robot, q: list[float] | dict[int, float], frame: int | str) -> np.ndarray:
    return poses(robot, q)[frame][:3, 3]


def numbers(robot: Robot, link: Link) -> dict[str, float]:
    values = dict(robot.nominal)
    return {name: getattr(link, name).value(values) for name in INERTIAL}


def inertia(p: dict[str, float]) -> np.ndarray:
    rows = ["XX XY XZ", "XY YY YZ", "XZ YZ ZZ"]
    return np.array([[p[name] for name in row.split()] for row in rows])


def central(p: dict[str, float]) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, centre of mass and inertia about it, from the parameters about the frame's origin."""
    c = np.array([p["MX"], p["MY"], p["MZ"]]) / p["M"]
    return p["M"], c, inertia(p) - p["M"] * (c @ c * np.eye(3) - np.outer(c, c))


def gravity_torque(robot: Robot, q: list[float], joint: int) -> float:
    """Return dU/dq_j with U = -g'(M P + A MS), by a difference quotient."""
    values = dict(robot.nominal)
    gravity = np.array([entry.value(values) for entry in robot.base.G])

    def potential(change: float) -> float:
        T = poses(robot, [x + change * (i == joint) for i, x in enumerate(q, 1)])
        total = 0.0
        for j, link in enumerate(robot.links, 1):
            if (p := moments(robot, link))["M"]:
                first = np.array([p["MX"], p["MY"], p["MZ"]])
                total -= gravity @ (p["M"] * T[j][:3, 3] + T[j][:3, :3] @ first)
        return total

    return (potential(1e-6) - potential(-1e-6)) / 2e-6


def moments(robot: Robot, link: Link) -> dict[str, float]:
    """Return mass and first moments; zero if the robot does not define them."""
    values = dict.fromkeys(robot.symbols(), 0.0) | dict(robot.nominal)
    return {name: getattr(link, name).value(values) for name in ("M", "MX", "MY", "MZ")}


def near(actual: np.ndarray, expected: object, tolerance: float = 1e-12) -> bool:
    return bool(np.allclose(actual, expected, rtol=0, atol=tolerance))


# -- the library as a whole


def test_the_required_robots_are_bundled() -> None:
    assert len(ROBOTS) >= 25
    assert set(ROBOTS) >= WANTED
    assert list(ROBOTS) == sorted(ROBOTS)
    assert all(robot == robot.lower() for robot in ROBOTS)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_file_has_title_and_reference(name: str) -> None:
    robot = library.load(name)
    assert robot.title
    assert robot.reference
    plain = "".join(letter for letter in robot.name.lower() if letter.isalnum())
    assert plain == name.replace("_", ""), "the id is the robot's name in lower case"


@pytest.mark.parametrize("name", ROBOTS)
def test_geometric_symbols_have_numbers(name: str) -> None:
    robot = library.load(name)
    places: list[Frame | Placement] = [*robot.frames]
    places += [robot.tool.place] if robot.tool else []
    wanted = {s for p in places for field in GEOMETRIC for s in getattr(p, field).symbols}
    wanted |= {s for entry in robot.base.Z for s in entry.symbols}
    assert wanted <= dict(robot.nominal).keys()


@pytest.mark.parametrize("name", ROBOTS)
def test_numbers_are_for_symbols_of_the_robot(name: str) -> None:
    robot = library.load(name)
    assert dict(robot.nominal).keys() <= set(robot.symbols())


@pytest.mark.parametrize("name", ROBOTS)
def test_angles_are_exact(name: str) -> None:
    robot = library.load(name)
    for frame in robot.frames:
        for angle in (frame.gamma, frame.alpha, frame.theta):
            assert angle.is_zero or angle.symbols or "pi" in angle.text


@pytest.mark.parametrize("name", ROBOTS)
def test_given_inertia_is_that_of_a_body(name: str) -> None:
    """Check that the pseudo-inertia (second moments, first moments, mass) is positive semidefinite."""
    robot = library.load(name)
    known = dict(robot.nominal).keys()
    for j, link in enumerate(robot.links, 1):
        if not all(getattr(link, field).symbols <= known for field in INERTIAL):
            continue
        p = numbers(robot, link)
        if not p["M"]:  # a link inside a universal joint or a ball
            assert not any(p.values())
            continue
        _, _, I = central(p)
        assert np.linalg.eigvalsh(I).min() > -1e-12
        if (name, j) == ("puma560", 3):
            continue  # as measured, it breaks the triangle inequality; the file says so
        J = inertia(p)
        first = np.array([[p["MX"], p["MY"], p["MZ"]]])
        body = np.block([[np.trace(J) / 2 * np.eye(3) - J, first.T], [first, p["M"]]])
        assert np.linalg.eigvalsh(body).min() > -1e-12


@pytest.mark.parametrize("name", ["ur3e", "ur5e", "ur10e", "panda"])
def test_all_numbers_are_given_and_positive_definite(name: str) -> None:
    robot = library.load(name)
    assert set(robot.symbols()) == {"G3"}
    for link in robot.links:
        _, _, I = central(numbers(robot, link))
        assert np.linalg.eigvalsh(I).min() > 0


# -- names


@pytest.mark.parametrize(
    ("name", "robot"),
    [
        ("RX90", "rx90"),
        ("rx-90", "rx90"),
        ("UR5e", "ur5e"),
        ("KUKA iiwa 14", "iiwa14"),
        ("kuka_lbr-iiwa 14", "iiwa14"),
        ("LWR 4+", "lwr4plus"),
        ("Franka Emika Panda", "panda"),
        ("humanoid torso", "humanoid_torso"),
        ("PUMA", "puma560"),
        ("slider-crank", "slidercrank"),
    ],
)
def test_usual_names_work(name: str, robot: str) -> None:
    assert library.load(name) is library.load(robot)


@pytest.mark.parametrize("name", ["", "r2d2", "rx90.yaml", "../rx90", "__init__"])
def test_unknown_names_give_suggestions(name: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        library.load(name)
    assert set(caught.value.known) == set(ROBOTS)


def test_a_near_miss_gets_a_hint() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'rx90'"):
        library.load("rx9")


def test_aliases_name_bundled_robots() -> None:
    assert set(library._ALIASES.values()) <= set(ROBOTS)
    taken = {library._plain(robot) for robot in ROBOTS}
    assert not taken & {library._plain(alias) for alias in library._ALIASES}


def test_names_returns_a_new_list() -> None:
    library.names().clear()
    assert library.names() == ROBOTS


def test_the_files_travel_with_the_package() -> None:
    bundled = {entry.name for entry in resources.files("symoro.robot.library").iterdir()}
    assert {f"{name}.yaml" for name in ROBOTS} <= bundled
    project = Path(__file__).parents[2] / "pyproject.toml"
    wheel = tomllib.loads(project.read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["packages"] == ["src/symoro"]


def test_the_page_lists_every_robot() -> None:
    page = (Path(__file__).parents[2] / "docs" / "robots.md").read_text()
    assert [name for name in ROBOTS if f"| `{name}` |" not in page] == []


# -- postures that can be checked by hand or that the maker gives


@pytest.mark.parametrize("name", ["rx90", "rx90_floating", "rx90_elastic", "rx90_floating_elastic"])
def test_rx90_postures(name: str) -> None:
    robot = library.load(name)
    assert near(point(robot, [0] * 6, 6), [0.45, 0, 0.45])
    assert near(point(robot, [0, pi / 2, -pi / 2, 0, 0, 0], 6), [0, 0, 0.9])
    T = poses(robot, [pi / 2, 0, -pi / 2, 0, pi / 2, 0])[6]
    assert near(T[:3, 3], [0, 0.9, 0])
    assert near(T[:3, 2], [0, 0, 1])


def test_scemi_is_built_like_the_rx90() -> None:
    robot = library.load("scemi")
    assert near(point(robot, [0] * 6, 6), [0.5, 0, 0.5])


def test_stanford_offset_and_stroke() -> None:
    robot = library.load("stanford")
    assert near(point(robot, [0, 0, 0.5, 0, 0, 0], 6), [0, 0.154, 0.5])
    assert near(point(robot, [0, pi / 2, 0.5, 0, 0, 0], 6), [0.5, 0.154, 0])


def test_puma_zero_and_ready() -> None:
    robot = library.load("puma560")
    assert near(point(robot, [0] * 6, 6), [0.4318 - 0.0203, 0.2435 - 0.0934, 0.4331])
    T = poses(robot, [0, -pi / 2, pi / 2, 0, 0, 0])
    assert near(T[6], shift(0, -0.0203) @ shift(1, 0.1501) @ shift(2, 0.4318 + 0.4331))
    assert near(T["tool"][2, 3] - T[6][2, 3], 0.05625)


def test_puma_links_are_those_measured() -> None:
    robot = library.load("puma560")
    measured = {
        2: (17.4, [0.068, 0.006, -0.016], [0.13, 0.524, 0.539]),
        3: (4.8, [0, -0.070, 0.014], [0.066, 0.0125, 0.086]),
        4: (0.82, [0, 0, -0.019], [1.8e-3, 1.8e-3, 1.3e-3]),
        5: (0.34, [0, 0, 0], [0.3e-3, 0.3e-3, 0.4e-3]),
        6: (0.09, [0, 0, 0.032], [0.15e-3, 0.15e-3, 0.04e-3]),
    }
    for j, (mass, centre, moments) in measured.items():
        m, c, I = central(numbers(robot, robot.link(j)))
        assert m == mass
        assert near(c, centre)
        assert near(I, np.diag(moments))


@pytest.mark.parametrize(("q2", "q3"), [(0, 0), (-1.1, 0.4), (0.3, 2.0)])
def test_puma_gravity_constants(q2: float, q3: float) -> None:
    """Compare with the constants g1 .. g5 of Armstrong, Khatib and Burdick, with the wrist straight."""
    g1, g2, g3, g4, g5 = -37.2, -8.44, 1.02, 0.249, -0.0282
    robot = library.load("puma560")
    elbow = (g2 + g5) * sin(q2 + q3) + g4 * cos(q2 + q3)
    shoulder = g1 * cos(q2) + g3 * sin(q2) + elbow
    q = [0, q2, q3, 0, 0, 0]
    assert gravity_torque(robot, q, 1) == pytest.approx(0, abs=1e-6)
    assert gravity_torque(robot, q, 2) == pytest.approx(shoulder, abs=0.06)
    assert gravity_torque(robot, q, 3) == pytest.approx(elbow, abs=0.03)


def test_tx40_points_up_at_zero() -> None:
    robot = library.load("tx40")
    assert near(poses(robot, [0] * 6)["tool"], shift(1, 0.035) @ shift(2, 0.225 + 0.225 + 0.065))
    assert near(point(robot, [0, pi / 2, 0, 0, 0, 0], "tool"), [0.515, 0.035, 0])


def test_irb120_home() -> None:
    T = poses(library.load("irb120"), [0] * 6)["tool"]
    assert near(T[:3, 3], [0.374, 0, 0.63])
    assert near(T[:3, 2], [1, 0, 0])


UR = {
    "ur3e": ([0.15185, 0, 0, 0.13105, 0.08535, 0.0921], [0, -0.24355, -0.2132, 0, 0, 0]),
    "ur5e": ([0.1625, 0, 0, 0.1333, 0.0997, 0.0996], [0, -0.425, -0.3922, 0, 0, 0]),
    "ur10e": ([0.1807, 0, 0, 0.17415, 0.11985, 0.11655], [0, -0.6127, -0.57155, 0, 0, 0]),
}
UR_ALPHA = [pi / 2, 0, 0, pi / 2, -pi / 2, 0]


@pytest.mark.parametrize("name", UR)
def test_ur_table(name: str) -> None:
    d, a = UR[name]
    robot = library.load(name)
    rng = np.random.default_rng(5)
    for q in [np.zeros(6), *rng.uniform(-pi, pi, (5, 6))]:
        T = np.eye(4)
        for i in range(6):
            T = T @ turn(2, q[i]) @ shift(2, d[i]) @ shift(0, a[i]) @ turn(0, UR_ALPHA[i])
        assert near(poses(robot, list(q))[6], T)


def test_ur5e_zero_posture() -> None:
    robot = library.load("ur5e")
    assert near(point(robot, [0] * 6, 6), [-0.8172, -0.2329, 0.0628])
    up = point(robot, [0, -pi / 2, 0, -pi / 2, 0, 0], 6)
    assert near(up, [0, -0.2329, 0.1625 + 0.425 + 0.3922 + 0.0997])


UR5E_CENTRES = [
    [0, -0.00193, -0.02561],
    [-0.2125, 0, 0.11336],
    [-0.2422, 0, 0.0265],
    [0, -0.01634, -0.0018],
    [0, 0.01634, -0.0018],
    [0, 0, -0.001159],
]


def test_ur5e_links() -> None:
    """Compare centres of mass in the joint frames with the manufacturer's URDF."""
    robot = library.load("ur5e")
    masses = [3.761, 8.058, 2.846, 1.37, 1.3, 0.365]
    for link, mass, centre in zip(robot.links, masses, UR5E_CENTRES, strict=True):
        m, c, _ = central(numbers(robot, link))
        assert m == mass
        assert near(c, centre, 1e-7)
    _, _, I = central(numbers(robot, robot.link(1)))  # turned by pi/2 about x: y is -z, z is y
    expected = [[0.0070021, 1.053e-5, 7.3e-7], [1.053e-5, 0.00657286, -0.00049994]]
    assert near(I[:2], expected, 1e-9)


def test_panda_zero_posture() -> None:
    T = poses(library.load("panda"), [0] * 7)["tool"]
    assert near(T, shift(0, 0.088) @ shift(2, 0.333 + 0.316 + 0.384 - 0.107) @ turn(0, pi))


def test_panda_links_are_those_identified() -> None:
    robot = library.load("panda")
    identified = [
        (4.970684, [0.003875, 0.002081, -0.04762], [0.70337, 0.70661, 0.009117]),
        (0.646926, [-0.003141, -0.02872, 0.003495], [0.007962, 0.02811, 0.025995]),
        (3.228604, [0.027518, 0.039252, -0.066502], [0.037242, 0.036155, 0.01083]),
        (3.587895, [-0.05317, 0.104419, 0.027454], [0.025853, 0.019552, 0.028323]),
        (1.225946, [-0.011953, 0.041065, -0.038437], [0.035549, 0.029474, 0.008627]),
        (1.666555, [0.060149, -0.014117, -0.010517], [0.001964, 0.004354, 0.005433]),
        (0.735522, [0.010517, -0.004252, 0.061597], [0.012516, 0.010027, 0.004815]),
    ]
    for link, (mass, centre, moments) in zip(robot.links, identified, strict=True):
        m, c, I = central(numbers(robot, link))
        assert m == mass
        assert near(c, centre, 1e-7)
        assert near(np.diag(I), moments, 1e-8)
    _, _, I = central(numbers(robot, robot.link(4)))
    assert near([I[0, 1], I[0, 2], I[1, 2]], [0.007796, -0.001332, 0.008641], 1e-8)


def test_iiwa14_stretched_and_bent() -> None:
    robot = library.load("iiwa14")
    assert near(poses(robot, [0] * 7)["tool"], shift(2, 0.36 + 0.42 + 0.4 + 0.126))
    T = poses(robot, {2: pi / 2, 4: pi / 2})["tool"]  # axis 4 turns against axis 2
    assert near(T, shift(0, 0.42) @ shift(2, 0.36 + 0.4 + 0.126))


def test_lwr4plus_stretched_and_bent() -> None:
    robot = library.load("lwr4plus")
    assert near(poses(robot, [0] * 7)["tool"], shift(2, 0.3105 + 0.4 + 0.39 + 0.078))
    assert near(point(robot, {2: pi / 2}, "tool"), [-0.4 - 0.39 - 0.078, 0, 0.3105])


def test_jaco2_example_of_the_maker() -> None:
    """Check the classic angles (-pi, pi, pi, 0, 0, pi/2) with the printed numbers of four digits."""
    T = poses(library.load("jaco2"), [pi, 3 * pi / 2, pi / 2, 0, pi, 0])["tool"]
    expected = [[0, -1, 0, 0.41], [0.5, 0, -0.866, -0.2399], [0.866, 0, 0.5, 0.084], [0, 0, 0, 1]]
    assert near(T, expected, 1e-4)


def test_jaco2_table() -> None:
    """Compare with the manufacturer's classic table, with its wrist angle aa and theta1 = -q1."""
    aa = pi / 6
    k = sin(aa) / sin(2 * aa)
    d4, d5, d6 = 0.2073 + k * 0.0741, k * (0.0741 + 0.0741), k * 0.0741 + 0.16
    d, a = [0.2755, 0, -0.0098, -d4, -d5, -d6], [0, 0.41, 0, 0, 0, 0]
    alpha = [pi / 2, pi, pi / 2, 2 * aa, 2 * aa, pi]
    robot = library.load("jaco2")
    for q in np.random.default_rng(6).uniform(0, 2 * pi, (5, 6)):
        theta = [-q[0], q[1] - pi / 2, q[2] + pi / 2, q[3], q[4] - pi, q[5] + pi / 2]
        T = np.eye(4)
        for i in range(6):
            T = T @ turn(2, theta[i]) @ shift(2, d[i]) @ shift(0, a[i]) @ turn(0, alpha[i])
        assert near(poses(robot, list(q))["tool"], T)


def test_scara_reach_and_stroke() -> None:
    robot = library.load("scara")
    T = poses(robot, [0, 0, 0.1, 0])[4]
    assert near(T, shift(0, 0.6) @ shift(2, -0.1) @ turn(0, pi))
    assert near(point(robot, [pi / 2, -pi / 2, 0, 0], 4), [0.275, 0.325, 0])


def test_gantry_moves_along_the_axes() -> None:
    T = poses(library.load("gantry"), [0.3, -0.2, 0.7])[3]
    assert near(T, shift(0, 0.3) @ shift(1, -0.2) @ shift(2, 0.7))


def test_cartpole_leans_forward() -> None:
    T = poses(library.load("cartpole"), [1.2, 0.3])[2]
    assert near(T[:3, 3], [1.2, 0, 0])
    assert near(T[:3, 0], [sin(0.3), 0, cos(0.3)])


def test_cartpole_inertia_is_the_paper_s() -> None:
    robot = library.load("cartpole")
    pole = numbers(robot, robot.link(2))
    assert pole["ZZ"] == pytest.approx(4 / 3 * 0.1 * 0.5**2)  # 4/3 m l^2 of the equations of motion
    assert pole["MX"] == pytest.approx(0.1 * 0.5)


def test_planar2r_reaches_its_length() -> None:
    robot = library.load("planar2r")
    assert near(point(robot, [0, 0], "tool"), [2, 0, 0])
    assert near(point(robot, [pi / 2, -pi / 2], "tool"), [1, 1, 0])


def test_planar3r_is_the_example_of_the_paper() -> None:
    robot = library.load("planar3r")
    q = [0.3, -0.7, 1.1]
    sums = np.cumsum(q)
    tip = [2 * np.cos(sums).sum(), 2 * np.sin(sums).sum(), 0]
    assert near(point(robot, q, "tool"), tip)
    values = dict(robot.nominal)
    m1, m2, m3, g = (values[name] for name in ("m1", "m2", "m3", "g"))
    assert m1 == pytest.approx(8000 * pi * 0.015**2 * 0.2)
    c1, c12, c123 = np.cos(sums)
    printed = g * (c1 * m1 + (2 * c1 + c12) * m2 + (2 * c1 + 2 * c12 + c123) * m3)
    assert gravity_torque(robot, q, 1) == pytest.approx(printed, rel=1e-8)

    about_axis_1 = 0.0
    for j, link in enumerate(robot.links, 1):
        p, T = numbers(robot, link), poses(robot, q)[j]
        first = T[:3, :3] @ np.array([p["MX"], p["MY"], p["MZ"]])
        about_axis_1 += p["ZZ"] + 2 * first @ T[:3, 3] + p["M"] * T[:3, 3] @ T[:3, 3]
    c2, c3, c23 = cos(q[1]), cos(q[2]), cos(q[1] + q[2])
    printed = m1 + (5 + 4 * c2) * m2 + (9 + 8 * c2 + 4 * c3 + 4 * c23) * m3
    assert about_axis_1 == pytest.approx(printed)


def test_humanoid_arms_hang_and_bend() -> None:
    robot = library.load("humanoid_torso")
    T = poses(robot, {})
    right, left = (robot.frame_number(f"{side}_wrist_roll") for side in ("right", "left"))
    assert near(T[right][:3, 3], [0, -0.2, 0.45 - 0.55])
    assert near(T[left][:3, 3], [0, 0.2, 0.45 - 0.55])
    elbows = {robot.frame_number(f"{side}_elbow"): pi / 2 for side in ("right", "left")}
    assert near(point(robot, elbows, right), [0.25, -0.2, 0.15])
    assert near(point(robot, elbows, left), [0.25, 0.2, 0.15])


def test_diffdrive_wheels() -> None:
    T = poses(library.load("diffdrive"), [0, 0])
    assert near(T[1][:3, 3], [0, -0.08, 0.033])
    assert near(T[2][:3, 3], [0, 0.08, 0.033])
    assert near(T[1][:3, 2], [0, 1, 0])


def test_kinds_of_bases_and_joints() -> None:
    assert library.load("rx90_floating").base.kind == "floating"
    assert library.load("diffdrive").base.kind == "wheeled"
    elastic = library.load("rx90_elastic")
    assert [j for j, frame in enumerate(elastic.frames, 1) if frame.eta] == [3, 6]


def test_limits_are_in_radians() -> None:
    limits = library.load("iiwa14").frame(1).limits
    assert limits.upper == pytest.approx(170 * pi / 180)
    assert limits.velocity == pytest.approx(85 * pi / 180)
    for name in ROBOTS:
        for frame in library.load(name).frames:
            for value in (frame.limits.lower, frame.limits.upper):
                assert value is None or abs(value) < 8


# -- loops: frames k and k + B are one frame


def gap(robot: Robot, q: dict[int, float]) -> np.ndarray:
    """Return the gap between the two sides of every loop."""
    T = poses(robot, q)
    sides = [(T[k] - T[k + robot.B])[:3] for k in range(robot.NL + 1, robot.NJ + 1)]
    return np.concatenate([side.ravel() for side in sides])


def elbow(start: np.ndarray, end: np.ndarray, first: float, second: float, side: int) -> float:
    """Return the direction of the first of two bars that connect two points of the plane."""
    x, y = end - start
    length = hypot(x, y)
    angle = acos((first**2 + length**2 - second**2) / (2 * first * length))
    return atan2(y, x) + side * angle


def on_circle(length: float, angle: float) -> np.ndarray:
    return length * np.array([cos(angle), sin(angle)])


@pytest.mark.parametrize("q1", [0.2, 1.3, pi, 4.9])
def test_fourbar_closes(q1: float) -> None:
    A, O = on_circle(0.3, q1), np.array([0.8, 0])
    coupler = elbow(A, O, 0.9, 0.6, 1)
    x, y = A + on_circle(0.9, coupler) - O
    rocker = atan2(y, x)
    q = {1: q1, 2: coupler - q1, 3: rocker, 4: rocker - coupler}
    assert near(gap(library.load("fourbar"), q), 0)


@pytest.mark.parametrize(("q1", "q3"), [(2.0, 1.0), (1.2, 1.6)])
def test_fivebar_closes(q1: float, q3: float) -> None:
    robot = library.load("fivebar")
    A, B = on_circle(0.2, q1), np.array([0.24, 0]) + on_circle(0.2, q3)
    left = elbow(A, B, 0.3, 0.3, 1)
    x, y = A + on_circle(0.3, left) - B
    right = atan2(y, x)
    q = {1: q1, 2: left - q1, 3: q3, 4: right - q3, 5: right - left}
    assert near(gap(robot, q), 0)
    assert near(point(robot, q, "tool"), [*(A + on_circle(0.3, left)), 0])


@pytest.mark.parametrize("q1", [0.4, 2.0, -1.1])
def test_slidercrank_closes(q1: float) -> None:
    rod = -np.arcsin(0.1 * sin(q1) / 0.3)
    stroke = 0.1 * cos(q1) + 0.3 * cos(rod)
    q = {1: q1, 2: rod - q1, 3: stroke, 4: pi / 2 - rod}  # x of the slider's frame is y0
    assert near(gap(library.load("slidercrank"), q), 0)


def test_sr400_parallelogram_closes() -> None:
    robot = library.load("sr400")
    q = {1: 0.4, 2: -1.1, 4: 0.3, 5: -0.2, 6: 0.9, 7: 0.6}
    q |= {3: q[7] - q[2] - pi / 2, 8: q[2] - q[7]}
    q[9] = -q[8]
    assert near(gap(robot, q), 0)


def test_akr3000_closes() -> None:
    """Check the loops with upper arm up and forearm level, by Newton's method from the piston lengths."""
    robot = library.load("akr3000")
    pistons = {5: hypot(0.1, 1), 6: hypot(0.3, 0.4)}
    passive = [2, 3, 4, 7, 11, 12]
    x = np.array([1.5, -0.1, 0.6, 3.1, 3.2, 0.9])

    def residual(x: np.ndarray) -> np.ndarray:
        return gap(robot, pistons | {1: 0.7} | dict(zip(passive, x, strict=True)))

    for _ in range(30):
        step = 1e-7
        columns = [(residual(x + step * e) - residual(x - step * e)) / (2 * step) for e in np.eye(6)]
        x = x - np.linalg.lstsq(np.array(columns).T, residual(x), rcond=None)[0]
    assert near(residual(x), 0)
    q = pistons | {1: 0.0} | dict(zip(passive, x, strict=True))
    T = poses(robot, q)
    assert near(T[7][:3, 3], [0, 0, 1])
    assert near(T[8][:3, 3], [1.1, 0, 1])
