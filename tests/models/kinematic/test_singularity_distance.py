"""Distances to singularities, compared with the textbook Jacobians of platforms, written here from their geometry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError
from symoro.expr.formula import formula
from symoro.models.geometric.loop.mobility import constraints
from symoro.models.kinematic.singularity_distance import TYPES, singularity_distance
from symoro.robot.coordinates import independent
from symoro.robot.description import Frame, JointType, Link, Robot
from symoro.robot.platform import motors

POSES = 1000
LENGTH = 0.4  # m, other than 1, so that a missing factor is an error
Z = np.array([0.0, 0.0, 1.0])


def rotation(vectors: Any) -> Any:
    """Return rotation matrices from rotation vectors (Rodrigues)."""
    angle = np.maximum(np.linalg.norm(vectors, axis=1), 1e-12)[:, None, None]
    k = np.zeros((len(vectors), 3, 3))
    x, y, z = vectors.T
    k[:, 0, 1], k[:, 0, 2], k[:, 1, 2] = -z, y, -x
    k -= k.transpose(0, 2, 1)
    k /= angle
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


def around(angles: Any, radius: float) -> Any:
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), 0 * angles], 1)


def column(axis: Any, origin: Any, point: Any, length: float) -> Any:
    """Return the columns (N, 6) of a revolute joint at a point, with the angular rows times the length, per m/s."""
    axis = np.broadcast_to(axis, np.broadcast_shapes(np.shape(axis), np.shape(origin), np.shape(point)))
    return np.concatenate([np.cross(axis, point - origin) / length, axis], -1)


def smallest(matrix: Any, number: int) -> Any:
    return np.linalg.svd(matrix, compute_uv=False)[:, number - 1]


def assert_close(one: Any, other: Any, tolerance: float = 1e-9) -> None:
    assert np.abs(one / other - 1).max() < tolerance


# -- Gough-Stewart platform: rows of Jinv are the Plücker coordinates of the legs


class GoughStewart:
    """Random poses of the bundled platform with its legs from the attachment points."""

    def __init__(self, count: int) -> None:
        nominal = dict(symoro.load("gough_stewart").nominal)
        sectors = np.repeat([0, 2 * np.pi / 3, 4 * np.pi / 3], 2)
        signs = np.tile([-1, 1], 3)
        self.angles = sectors + signs * nominal["GB"]
        self.a = around(self.angles, nominal["RB"])
        b = around(sectors + signs * nominal["GP"], nominal["RP"])
        rng = np.random.default_rng(4)
        self.T = np.tile(np.eye(4), (count, 1, 1))
        self.T[:, :3, :3] = rotation(rng.uniform(-0.5, 0.5, (count, 3)))
        self.T[:, :3, 3] = rng.uniform([-0.2, -0.2, 0.6], [0.2, 0.2, 1.0], (count, 3))
        self.arms = np.einsum("nij,kj->nki", self.T[:, :3, :3], b)  # from the platform's origin
        self.points = self.T[:, None, :3, 3] + self.arms
        legs = self.points - self.a
        self.u = legs / np.linalg.norm(legs, axis=2)[:, :, None]
        self.jinv = np.concatenate([self.u, np.cross(self.arms, self.u) / LENGTH], 2)

    def closure(self) -> tuple[Any, Any]:
        """Return W (30 rows) and J, with the columns of the universal, prismatic and spherical joint of each leg."""
        count = len(self.T)

        def leg(i: int, point: Any) -> list[Any]:
            first = np.array([-np.sin(self.angles[i]), np.cos(self.angles[i]), 0])  # tangent to the circle
            second = np.cross(first, self.u[:, i])
            second /= np.linalg.norm(second, axis=1)[:, None]
            slide = np.concatenate([self.u[:, i], np.zeros((count, 3))], 1)
            universal = [column(axis, self.a[i], point, LENGTH) for axis in (first, second)]
            return [*universal, slide, *(column(e, self.points[:, i], point, LENGTH) for e in np.eye(3))]

        blocks = []
        for k in range(1, 6):
            columns = [np.zeros((count, 6))] * 36
            columns[:6] = [-c for c in leg(0, self.points[:, k])]
            columns[6 * k : 6 * k + 6] = leg(k, self.points[:, k])
            blocks.append(np.stack(columns, 2))
        jacobian = np.stack([*leg(0, self.T[:, :3, 3]), *[np.zeros((count, 6))] * 30], 2)
        return np.concatenate(blocks, 1), jacobian


def test_gough_stewart_has_the_singular_values_of_its_lines_and_constraints() -> None:
    platform = GoughStewart(POSES)
    analysis = symoro.singularity_analysis("gough_stewart", T=platform.T, length=LENGTH)
    _, values, directions = np.linalg.svd(platform.jinv)
    assert_close(analysis.distances["parallel"], values[:, -1])
    assert_close(analysis.distances["serial"], 1 / values[:, 0])
    twist = analysis.twist * [1, 1, 1, LENGTH, LENGTH, LENGTH]
    assert np.abs(np.abs((twist * directions[:, -1]).sum(1)) - 1).max() < 1e-9
    rates = np.einsum("nij,nj->ni", platform.jinv, twist)
    assert_close(np.linalg.norm(rates, axis=1), values[:, -1])
    moved = np.linalg.solve(platform.jinv, analysis.rates[:, :, None])[:, :, 0]
    assert_close(np.linalg.norm(moved, axis=1), analysis.distances["serial"])
    w, jacobian = platform.closure()
    assert_close(analysis.distances["constraint"], smallest(w, 30))
    passive = [k for k in range(36) if k % 6 != 2]
    assert_close(analysis.distances["passive"], smallest(np.concatenate([w, jacobian], 1)[:, :, passive], 30))


# -- Delta robot: rod . velocity of the platform = rod . velocity of the elbow


class Delta:
    """Random motor angles of the bundled robot; the platform is the lower intersection of three spheres."""

    def __init__(self, count: int) -> None:
        n = dict(symoro.load("delta").nominal)
        self.width = n["WF"]
        angles = np.array([0, 2 * np.pi / 3, 4 * np.pi / 3])
        radial = around(angles, 1.0)
        self.tangent = np.cross(Z, radial)
        self.qa = np.random.default_rng(5).uniform(-0.4, 0.8, (count, 3))
        c, s = np.cos(self.qa)[:, :, None], np.sin(self.qa)[:, :, None]
        self.bases = n["RB"] * radial
        self.elbows = self.bases + n["LA"] * (c * radial - s * Z)
        self.swing = n["LA"] * (-s * radial - c * Z)  # velocity of the elbow at unit rate
        centres = self.elbows - n["RP"] * radial
        self.p = self._lower(centres, n["LF"])
        self.ends = self.p[:, None] + n["RP"] * radial
        self.rods = self.ends - self.elbows
        b = np.einsum("nki,nki->nk", self.rods, self.swing) / LENGTH
        self.jacobian = np.linalg.solve(self.rods, b[:, :, None] * np.eye(3))

    @staticmethod
    def _lower(centres: Any, radius: float) -> Any:
        one, two, three = centres.transpose(1, 0, 2)
        planes = 2 * np.stack([two - one, three - one], 1)
        sides = ((centres**2).sum(2)[:, 1:] - (one**2).sum(1)[:, None])[:, :, None]
        start = (np.linalg.pinv(planes) @ sides)[:, :, 0]
        line = np.cross(planes[:, 0], planes[:, 1])
        line /= np.linalg.norm(line, axis=1)[:, None] * -np.sign(line[:, 2:])
        half = ((start - one) * line).sum(1)
        root = np.sqrt(half**2 - ((start - one) ** 2).sum(1) + radius**2)
        return start + (root - half)[:, None] * line

    def closure(self) -> Any:
        """Return the velocity equations of three parallelograms and of two legs against leg 1."""
        count = len(self.qa)
        t, half = self.tangent, self.width / 2 * self.tangent
        normal = np.cross(t, self.rods)
        normal /= np.linalg.norm(normal, axis=2)[:, :, None]

        def leg(i: int, point: Any) -> list[Any]:
            """Return motor, elbow, first rod, coupler, attachment, second rod and its cut joint."""
            rod, end = self.elbows[:, i] + half[i], self.ends[:, i] + half[i]
            origins = (self.bases[i], self.elbows[:, i], rod, end, self.ends[:, i])
            axes = (t[i], t[i], normal[:, i], normal[:, i], t[i])
            return [column(z, o, point, LENGTH) for z, o in zip(axes, origins, strict=True)]

        blocks = []
        for i in range(3):
            columns = [np.zeros((count, 6))] * 21
            point = self.ends[:, i] - half[i]
            columns[7 * i + 2 : 7 * i + 4] = [-c for c in leg(i, point)[2:4]]
            origins = (self.elbows[:, i] - half[i], point)
            columns[7 * i + 5 : 7 * i + 7] = [column(normal[:, i], o, point, LENGTH) for o in origins]
            blocks.append(np.stack(columns, 2))
        for i in (1, 2):
            columns = [np.zeros((count, 6))] * 21
            columns[:5] = [-c for c in leg(0, self.ends[:, i])]
            columns[7 * i : 7 * i + 5] = leg(i, self.ends[:, i])
            blocks.append(np.stack(columns, 2))
        return np.concatenate(blocks, 1)


def test_delta_has_the_singular_values_of_its_textbook_jacobian() -> None:
    delta = Delta(POSES)
    distances = symoro.singularity_distance("delta", qa=delta.qa, length=LENGTH)
    values = np.linalg.svd(delta.jacobian, compute_uv=False)
    assert_close(distances["serial"], values[:, -1])
    assert_close(distances["parallel"], 1 / values[:, 0])
    w = delta.closure()
    values = np.linalg.svd(w, compute_uv=False)
    rank = 18  # 21 joints, 3 degrees of freedom
    assert values[:, rank].max() < 1e-12
    assert_close(distances["constraint"], values[:, rank - 1])
    T = np.tile(np.eye(4), (POSES, 1, 1))
    T[:, :3, 3] = delta.p
    by_pose = symoro.singularity_distance("delta", T=T, length=LENGTH, working_mode=delta_mode(delta, T))
    for name in TYPES:
        assert_close(by_pose[name], distances[name], 1e-8)


def delta_mode(delta: Delta, T: Any) -> str:
    """Return the working mode in which the inverse geometry gives the motor angles."""
    robot = symoro.load("delta")
    solve = symoro.generate(robot, "inverse-geometry", working_mode="1").function()
    columns = [independent(robot).index(j) for j in motors(robot)]
    return "1" if np.abs(solve(T=T)["q"][:, 0, columns] - delta.qa).max() < 1e-6 else "2"


# -- planar 3-RRR: the distal link carries no component of the relative velocity along itself


class Planar:
    """Random poses of the bundled 3-RRR, with the elbows on the side of working mode 1."""

    def __init__(self, count: int) -> None:
        n = dict(symoro.load("3rrr").nominal)
        angles = np.array([-np.pi / 2, np.pi / 6, 5 * np.pi / 6])
        rng = np.random.default_rng(6)
        phi = rng.uniform(-0.4, 0.4, count)
        p = np.concatenate([rng.uniform(-0.12, 0.12, (count, 2)), np.zeros((count, 1))], 1)
        self.a = around(angles, n["RB"])
        self.arms = np.stack([around(phi + angle, n["RP"]) for angle in angles], 1)
        self.c = p[:, None] + self.arms
        reach = self.c - self.a
        distance = np.linalg.norm(reach, axis=2)
        direction = np.arctan2(reach[:, :, 1], reach[:, :, 0])
        inner = np.arccos((distance**2 + n["L1"] ** 2 - n["L2"] ** 2) / (2 * distance * n["L1"]))
        self.e = self.a + np.stack(
            [n["L1"] * np.cos(direction - inner), n["L1"] * np.sin(direction - inner), 0 * inner], 2
        )
        self.T = np.tile(np.eye(4), (count, 1, 1))
        self.T[:, :3, :3] = rotation(phi[:, None] * Z)
        self.T[:, :3, 3] = p
        rods = self.c - self.e
        right = np.einsum("nki,nki->nk", rods, np.cross(Z, self.e - self.a)) / LENGTH
        turn = np.einsum("nki,nki->nk", rods, np.cross(Z, self.arms)) / LENGTH
        self.jinv = np.concatenate([rods[:, :, :2], turn[:, :, None]], 2) / right[:, :, None]

    def closure(self) -> Any:
        blocks = []
        for k in (1, 2):
            block = np.zeros((len(self.T), 6, 9))
            point = self.c[:, k]
            for i, sign in ((0, -1), (k, 1)):
                for column_of_leg, origin in enumerate((self.a[i], self.e[:, i], self.c[:, i])):
                    block[:, :, 3 * i + column_of_leg] = sign * column(Z, origin, point, LENGTH)
            blocks.append(block)
        return np.concatenate(blocks, 1)


def test_3rrr_has_the_singular_values_of_its_textbook_jacobian() -> None:
    planar = Planar(POSES)
    distances = symoro.singularity_distance("3rrr", T=planar.T, length=LENGTH)
    values = np.linalg.svd(planar.jinv, compute_uv=False)
    assert_close(distances["parallel"], values[:, -1])
    assert_close(distances["serial"], 1 / values[:, 0])
    assert_close(distances["constraint"], smallest(planar.closure(), 6))


# -- singular configurations


def test_gough_stewart_turned_by_a_right_angle_moves_with_locked_motors() -> None:
    """E.F. Fichter, A Stewart platform-based manipulator, 1986: a rotation of 90 degrees about z is singular."""
    robot = symoro.load("gough_stewart").bind({"GB": 0, "GP": "pi/3"})  # joints in pairs: triangles
    T = np.tile(np.eye(4), (3, 1, 1))
    T[:, 2, 3] = 0.8
    for k, angle in enumerate((np.pi / 2, np.pi / 2 - 1e-6, 0.0)):
        T[k, :3, :3] = rotation(np.array([[0, 0, angle]]))[0]
    analysis = symoro.singularity_analysis(robot, T=T)
    parallel = analysis.distances["parallel"]
    assert parallel[0] < 1e-12 < 1e-8 < parallel[1] < 1e-5 < 0.1 < parallel[2]
    assert analysis.nearest[0] == "parallel"
    qa = (
        symoro.generate(robot, "jacobian-inverse", space="platform").function()(T=T[0])["Jinv"]
        @ analysis.twist[0]
    )
    assert np.abs(qa).max() < 1e-10


def test_a_leg_along_its_universal_joint_moves_its_passive_joints_alone() -> None:
    """The first axis of the universal joint of leg 1 is tangent to the circle of the base, and leg 1 is along it."""
    n = dict(symoro.load("gough_stewart").nominal)
    base = around(np.array([-n["GB"]]), n["RB"])[0]
    tangent = np.cross(Z, base) / n["RB"]
    offsets = np.array([1e-12, 1e-9, 1e-4, 0.1])  # at 0 the angles of the leg are undetermined
    T = np.tile(np.eye(4), (len(offsets), 1, 1))
    T[:, :3, :3] = rotation(np.array([[0.6, 0, 0]]))
    T[:, :3, 3] = base + 0.9 * tangent - T[0, :3, :3] @ around(np.array([-n["GP"]]), n["RP"])[0]
    T[:, 2, 3] += offsets
    distances = symoro.singularity_distance("gough_stewart", T=T)
    passive = distances["passive"]
    assert passive[0] < 1e-11 < passive[1] < 1e-8 < passive[2] < 1e-3 < 1e-2 < passive[3]
    assert_close(
        distances["parallel"][1], distances["parallel"][2], 1e-3
    )  # the lines of the legs are regular


def test_gimbal_lock_of_a_spherical_joint_is_not_a_singularity() -> None:
    """Leg 2 is vertical on a level platform, so that with alpha = 0 two axes of its spherical joint coincide."""
    robot = symoro.load("gough_stewart")
    n = dict(robot.nominal)
    locked = robot.with_frame(robot.NL + robot.B + 1, alpha=0)
    T = np.eye(4)
    T[:3, 3] = around(np.array([n["GB"]]), n["RB"])[0] - around(np.array([n["GP"]]), n["RP"])[0] + 0.8 * Z
    q = symoro.generate(locked, "inverse-geometry").function()(T=T)["q"][0]
    assert np.isfinite(q).all()
    one, other = (symoro.singularity_distance(r, T=T) for r in (robot, locked))
    for name in TYPES:
        assert_close(one[name], other[name])


def test_a_stretched_leg_is_a_serial_singularity() -> None:
    """3-RRR with one leg straight: its motor has no effect on the distance; the others are regular."""
    planar = Planar(1)
    n = dict(symoro.load("3rrr").nominal)
    p = planar.a[0] + np.array([0, n["L1"] + n["L2"] + n["RP"], 0])  # leg 1 along y
    T = np.eye(4)
    T[:3, 3] = p
    near = np.array([T, T])
    near[1, 1, 3] -= 1e-6
    analysis = symoro.singularity_analysis("3rrr", T=near)
    serial = analysis.distances["serial"]
    assert serial[0] < 1e-6 and serial[1] > serial[0] and serial[1] < 1e-2
    assert abs(abs(analysis.rates[1, 0]) - 1) < 1e-3


def test_a_flat_fivebar_is_a_parallel_singularity() -> None:
    """Both distal links in line: the point moves across them with locked motors."""
    robot = symoro.load("fivebar")
    distances = symoro.singularity_distance(robot, q=flat_fivebar(robot))
    assert distances["parallel"] < 1e-7
    assert distances["serial"] > 1e-2


def flat_fivebar(robot: Any) -> list[float]:
    """Return the symmetric configuration in which the distance of the elbows is the length of both distal links."""
    n = dict(robot.nominal)
    lift = np.arccos(
        (n["D5"] + n["D6"] - n["D3"]) / (n["D2"] + n["D4"])
    )  # of the proximal links above the ground
    left, right = np.pi - lift, lift
    return [left, -left, right, np.pi - right]  # the distal links have the directions 0 and pi


# -- other structures


def test_a_five_bar_has_the_singular_values_of_the_velocity_of_its_point() -> None:
    """Its two motors move a point in the plane; the rotation of the link that carries the point is not an output."""
    robot = symoro.load("fivebar")
    n = dict(robot.nominal)
    rng = np.random.default_rng(8)
    point = np.stack([n["D3"] / 2 + rng.uniform(-0.1, 0.1, POSES), rng.uniform(0.25, 0.4, POSES)], 1)
    motors_at = np.array([[0, 0], [n["D3"], 0]])
    reach = point[:, None] - motors_at
    distance = np.linalg.norm(reach, axis=2)
    inner = np.arccos((distance**2 + n["D2"] ** 2 - n["D5"] ** 2) / (2 * distance * n["D2"]))
    angle = np.arctan2(reach[:, :, 1], reach[:, :, 0]) + inner * [1, -1]  # elbows outward
    elbows = motors_at + n["D2"] * np.stack([np.cos(angle), np.sin(angle)], 2)
    rods = point[:, None] - elbows
    across = n["D2"] * np.stack([-np.sin(angle), np.cos(angle)], 2)
    jinv = rods * LENGTH / np.einsum("nki,nki->nk", rods, across)[:, :, None]
    direction = np.arctan2(rods[:, :, 1], rods[:, :, 0])
    q = np.stack([angle[:, 0], direction[:, 0] - angle[:, 0], angle[:, 1], direction[:, 1] - angle[:, 1]], 1)
    analysis = symoro.singularity_analysis(robot, q, length=LENGTH)
    values = np.linalg.svd(jinv, compute_uv=False)
    assert analysis.output == "linear velocity"
    assert_close(analysis.distances["parallel"], values[:, -1])
    assert_close(analysis.distances["serial"], 1 / values[:, 0])


@pytest.mark.parametrize("name", ["sr400", "akr3000", "slidercrank", "fourbar", "orthoglide", "hybrid"])
def test_loops_have_the_singular_values_of_the_symbolic_jacobian(name: str) -> None:
    """The model `jacobian` solves the loops for the passive joints; the distances use a null space."""
    robot = symoro.load(name)
    postures = constraints(robot).postures
    q = np.stack([postures.joints[j] for j in independent(robot)], 1)
    analysis = symoro.singularity_analysis(robot, q, length=LENGTH)
    jacobian = symoro.generate(robot, "jacobian").function(compiled=False)(q=q)["J"]
    units = [1.0 if robot.frame(j).sigma == JointType.PRISMATIC else LENGTH for j in analysis.joints]
    scaled = jacobian * np.array([1, 1, 1, LENGTH, LENGTH, LENGTH])[:, None] / units
    values = np.linalg.svd(scaled, compute_uv=False)
    assert analysis.output == "twist"
    assert_close(analysis.distances["serial"], values[:, len(units) - 1])
    assert_close(analysis.distances["parallel"], 1 / values[:, 0])
    moved = np.einsum("nij,nj->ni", scaled, analysis.rates * units)
    assert_close(np.linalg.norm(moved, axis=1), analysis.distances["serial"], 1e-8)


def test_a_planar_arm_is_singular_where_its_determinant_is_zero() -> None:
    robot = symoro.load("planar2r")
    q = np.array([[0.3, 0.0], [0.3, 1e-4], [0.3, 1.0]])
    serial = singularity_distance(robot, q, LENGTH)["serial"]
    assert serial[0] < 1e-15 < 1e-6 < serial[1] < 1e-3 < 1e-2 < serial[2]
    jacobian = symoro.generate(robot, "jacobian").function()(q=q)["J"]
    assert_close(serial[1:], smallest(jacobian[1:, :2] / LENGTH, 2))


def test_a_platform_of_lower_mobility_has_its_whole_twist_as_output() -> None:
    """3-RPS: in the symmetric pose the platform tilts without a velocity of its centre, which is not singular."""
    text = """
symoro: 1
name: rps
platform: {link: {M: 1}}
leg:
  chain: [{alpha: -pi/2, offset: -pi/2}, {joint: prismatic, alpha: pi/2, active: true}]
  attach: ball
legs:
  - {on: {d: 0.3}, at: {d: 0.24}}
  - {on: {gamma: 2*pi/3, d: 0.3}, at: {gamma: 2*pi/3, d: 0.24}}
  - {on: {gamma: 4*pi/3, d: 0.3}, at: {gamma: 4*pi/3, d: 0.24}}
"""
    robot = symoro.loads(text, "yaml")
    T = np.eye(4)
    T[2, 3] = 0.5
    analysis = symoro.singularity_analysis(robot, T=T, length=LENGTH)
    assert analysis.output == "twist"
    # Heave: all legs at the same rate. Tilt: the leg along which the platform tilts changes by u . (w x b).
    u = np.array([0.24 - 0.3, 0.5]) / np.hypot(0.24 - 0.3, 0.5)
    tilt = np.linalg.svd(
        np.stack(
            [(0.24 * u[1] / LENGTH) * around(np.array([k * 2 * np.pi / 3]), 1.0)[0, :2] for k in range(3)]
        ),
        compute_uv=False,
    )
    expected = sorted([np.sqrt(3) * u[1], *tilt])
    assert_close(analysis.distances["parallel"], expected[0])
    assert_close(analysis.distances["serial"], 1 / expected[-1])


def test_a_serial_arm_has_the_smallest_singular_value_of_its_jacobian() -> None:
    robot = symoro.load("rx90")
    q = np.random.default_rng(7).uniform(-3, 3, (200, 6))
    jacobian = symoro.generate(robot, "jacobian").function()(q=q)["J"]
    scaled = jacobian * np.array([1, 1, 1, LENGTH, LENGTH, LENGTH])[:, None] / LENGTH
    distances = singularity_distance(robot, q, LENGTH)
    assert_close(distances["serial"], smallest(scaled, 6))
    for name in ("parallel", "passive", "constraint"):
        assert np.isinf(distances[name]).all()


def test_a_redundant_planar_arm_has_as_many_singular_values_as_its_end_moves() -> None:
    """Four parallel axes: the Jacobian has rank 3, so that the fourth singular value is not a distance."""
    robot = Robot("four", tuple(Frame(j, d=formula(0.3 * (j > 0))) for j in range(4)), (Link(),) * 4)
    q = np.array([[0.3, 0.0, 0.0, 0.0], [0.3, 1e-6, 0.0, 0.0], [0.3, 1.0, 0.5, 0.2]])
    serial = symoro.singularity_distance(robot, q)["serial"]
    assert serial[0] < 1e-15 < 1e-8 < serial[1] < 1e-6 < 1e-2 < serial[2]
    jacobian = symoro.generate(robot, "jacobian").function()(q=q[2])["J"]
    assert_close(serial[2], smallest(jacobian[None, [0, 1, 5]], 3))


def test_a_hybrid_robot_in_its_home_posture_moves_both_modules_against_each_other() -> None:
    robot = symoro.load("hybrid")
    analysis = symoro.singularity_analysis(robot, robot.postures["home"])
    assert analysis.distances["serial"] < 1e-12 and analysis.nearest == ["serial"]
    jacobian = symoro.generate(robot, "jacobian").function()(q=robot.postures["home"])["J"]
    assert np.abs(jacobian @ analysis.rates).max() < 1e-12


# -- arguments


def test_configurations_that_do_not_close_are_not_a_number() -> None:
    robot = symoro.load("delta")
    home = np.array(robot.postures["home"])
    q = np.array([home, home + 1e-3, np.full_like(home, np.nan), home])
    distances = symoro.singularity_distance(robot, q)
    for name in TYPES:
        assert np.isnan(distances[name]).tolist() == [False, True, True, False]
    assert symoro.singularity_analysis(robot, q).nearest[1] == ""


def test_distances_do_not_depend_on_the_batch() -> None:
    robot = symoro.load("3rrr")
    one = symoro.singularity_distance(robot, robot.postures["home"])
    many = symoro.singularity_distance(robot, [robot.postures["home"]] * 3000)
    none = symoro.singularity_distance(robot, np.zeros((0, 7)))
    for name in TYPES:
        assert one[name].shape == () and many[name].shape == (3000,) and none[name].shape == (0,)
        assert_close(many[name], one[name], 1e-14)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "expected one of q, qa and T"),
        ({"q": [0.1] * 3}, r"q: expected the shape \(N, 7\) or \(7,\)"),
        ({"qa": [0.1] * 2}, "qa: expected the shape"),
        ({"T": np.eye(3)}, "T: expected the shape"),
        ({"T": np.eye(4), "qa": [0.1] * 3}, "got qa and T"),
        ({"qa": [0.1] * 3, "length": 0}, "length: expected a positive"),
        ({"qa": [0.1] * 3, "length": float("nan")}, "length: expected a positive"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        symoro.singularity_distance("3rrr", **arguments)


def test_symbols_without_values_and_wheels_are_rejected() -> None:
    robot = symoro.load("planar2r").symbolic(geometry=True)
    nameless = symoro.loads(symoro.dumps(robot, "yaml").split("nominal:")[0], "yaml")
    with pytest.raises(ArgumentError, match="has no value"):
        symoro.singularity_distance(nameless, [0.1, 0.2])
    with pytest.raises(NotApplicableError, match="singularities"):
        symoro.singularity_distance("diffdrive", [0.0, 0.0])


def test_active_joints_must_determine_the_motion() -> None:
    robot = symoro.load("fivebar")
    for changed in (robot.with_frame(3, mu=False), robot.with_frame(2, mu=True)):
        with pytest.raises(NotApplicableError, match="active joints"):
            symoro.singularity_distance(changed, flat_fivebar(robot))


def test_a_frame_that_does_not_move_is_rejected() -> None:
    with pytest.raises(NotApplicableError, match="frame 0 of robot 'RX90' does not move"):
        symoro.singularity_distance("rx90", [0.0] * 6, to=0)
