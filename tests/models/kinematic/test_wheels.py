"""Wheels: constraints and motion against contact points in NumPy, classes, surplus and missing drives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicableError
from symoro.expr.formula import formula
from symoro.robot import library
from symoro.robot.description import Coupling, Frame, Robot
from symoro.robot.wheels import Wheel, WheelKind
from tests.models.dynamic.test_structures import linkage_on_wheels
from tests.oracle.dynamics import Twist
from tests.oracle.wheel_robots import Layout, layout
from tests.oracle.wheels import Wheels

CLASSES = {
    "omni3": (3, 0),
    "mecanum": (3, 0),
    "diffdrive": (2, 0),
    "mobile_manipulator": (2, 0),
    "one_steering": (2, 1),
    "car": (1, 1),
    "car_ackermann": (1, 1),
    "tricycle": (1, 1),
    "two_steering": (1, 2),
}
CLOSE = 1e-10


def run(robot: Robot | str, model: str, **inputs: np.ndarray | float) -> dict[str, np.ndarray]:
    return symoro.generate(robot, model).function(compiled=False)(**inputs)


def error(actual: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(actual - wanted).max() / max(1.0, np.abs(wanted).max()))


def closed(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return the configuration with the dependent steering joint at cot(right) = cot(left) + track / base."""
    if robot.name != "CarAckermann":
        return q
    values = dict(robot.nominal)
    base, track = values["L"], 2 * values["W2"]
    q = q.copy()
    q[4] = np.arctan(1 / (1 / np.tan(q[2]) + track / base))
    return q


def test_every_bundled_robot_on_wheels_has_its_class() -> None:
    on_wheels = {name for name in library.names() if library.load(name).wheels}
    assert on_wheels == CLASSES.keys()
    assert {(3, 0), (2, 0), (2, 1), (1, 1), (1, 2)} == set(CLASSES.values())


@pytest.mark.parametrize(("name", "expected"), CLASSES.items())
def test_classes(name: str, expected: tuple[int, int]) -> None:
    result = symoro.mobility(name)
    assert tuple(result) == expected
    assert result.words.startswith(f"class ({expected[0]},{expected[1]}), it ")


@pytest.mark.parametrize("name", CLASSES)
def test_bundled_robots_roll(name: str) -> None:
    robot = symoro.load(name)
    truth = Wheels(robot, {s: 0.5 for s in robot.symbols() if s not in dict(robot.nominal)})
    rng = np.random.default_rng(3)
    q = closed(robot, rng.uniform(-0.5, 0.5, truth.n))
    result = run(robot, "wheel-kinematics", q=q)
    C = truth.rows(q).real
    both = np.vstack([C, result["W"]])
    if name != "car_ackermann":  # its linkage is an additional row
        assert len(result["W"]) == np.linalg.matrix_rank(both, tol=1e-9) == np.linalg.matrix_rank(C, tol=1e-9)
    assert np.abs(result["W"] @ result["G"]).max() < 1e-12
    assert np.abs(C @ result["G"]).max() < 1e-12
    if name != "car_ackermann":
        G = np.array([truth.rates(q, unit) for unit in np.eye(len(truth.active))]).T
        assert error(result["G"], G) < CLOSE
    assert error(result["G"][[3 + k for k in truth.active]], np.eye(len(truth.active))) == 0


def check_layout(seed: int) -> None:
    robot, q = layout(seed)
    truth = Wheels(robot)
    result = run(robot, "wheel-kinematics", q=q)
    C = truth.rows(q).real
    rank = np.linalg.matrix_rank(C, tol=1e-9)
    assert len(result["W"]) == rank == np.linalg.matrix_rank(np.vstack([C, result["W"]]), tol=1e-9)
    G = np.array([truth.rates(q, unit) for unit in np.eye(len(truth.active))]).T
    assert error(result["G"], G) < CLOSE
    degrees = symoro.mobility(robot)
    heading = 0.7
    turn = np.array(
        [[np.cos(heading), -np.sin(heading), 0], [np.sin(heading), np.cos(heading), 0], [0, 0, 1]]
    )
    S = run(robot, "configuration-kinematics", q=q, heading=heading)["S"].copy()
    S[:3] = turn.T @ S[:3]
    assert np.abs(C @ S).max() < 1e-11
    assert np.linalg.matrix_rank(S, tol=1e-9) == S.shape[1] == 3 + truth.n - rank
    posture = run(robot, "posture-kinematics", q=q, heading=heading)["S"]
    m, s = degrees
    assert posture.shape == (3 + s, m + s)
    assert error(turn @ S[:3, :m], posture[:3, :m]) < 1e-12 and not posture[:3, m:].any()
    assert error(posture[3:, m:], np.eye(s)) == 0 if s else True


@pytest.mark.parametrize("seed", range(10))
def test_random_layouts(seed: int) -> None:
    check_layout(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 250))
def test_many_random_layouts(seed: int) -> None:
    check_layout(seed)


# -- drives


def test_too_many_drives_are_named() -> None:
    robot = symoro.load("mecanum").with_frame(4, mu=True)
    with pytest.raises(
        NotApplicableError,
        match="3 degrees of freedom and 4 active joints, 1 too many: make 1 of joints 1",
    ) as caught:
        symoro.generate(robot, "wheel-kinematics")
    assert "active: false" in str(caught.value)
    assert tuple(symoro.mobility(robot)) == (3, 0)  # does not depend on drives
    assert symoro.generate(robot, "configuration-kinematics").outputs["S"] == (7, 3)


def test_only_those_are_named_that_can_go() -> None:
    robot = symoro.load("car").with_frame(3, mu=True)
    with pytest.raises(
        NotApplicableError, match="1 too many: make 1 of joints 1 'rear wheel', 3 'front wheel'"
    ) as caught:
        symoro.generate(robot, "inverse-dynamics")
    assert "2 'steering'" not in str(caught.value)


def test_missing_drives_are_named() -> None:
    robot = symoro.load("diffdrive").with_frame(2, mu=False)
    with pytest.raises(
        NotApplicableError, match="determine 1 of its 2 degrees of freedom: 1 more must be active"
    ) as caught:
        symoro.generate(robot, "direct-dynamics")
    assert "joints 2 'left wheel', 3 'castor', 4 'castor wheel'" in str(caught.value)


def test_a_steering_joint_without_drive_is_missed() -> None:
    robot = symoro.load("tricycle").with_frame(3, mu=False)
    with pytest.raises(NotApplicableError, match="make one of these active: joint 3 'steering'") as caught:
        symoro.generate(robot, "wheel-kinematics")
    assert "1 of its 2 degrees of freedom" in str(caught.value)


def test_an_arm_without_drive_is_missed() -> None:
    robot = symoro.load("mobile_manipulator").with_frame(6, mu=False)
    with pytest.raises(NotApplicableError, match="joint 6 'shoulder'"):
        symoro.generate(robot, "wheel-kinematics")


def test_wrong_drives_are_as_good_as_none() -> None:
    """Two drives, of which one depends on the other: their number is right, but they do not determine the motion."""
    robot = symoro.load("car").with_frame(2, mu=False).with_frame(3, mu=True)
    with pytest.raises(NotApplicableError, match="determine 1 of its 2 degrees of freedom"):
        symoro.generate(robot, "wheel-kinematics")


def test_steering_wheels_that_do_not_agree_go_nowhere() -> None:
    robot = symoro.load("car_ackermann")
    free = robot.replace(wheels=tuple(replace(w, follows=0) for w in robot.wheels)).with_frame(7, mu=True)
    assert tuple(symoro.mobility(free)) == (0, 2)
    assert "it cannot move" in symoro.mobility(free).words
    for model in ("wheel-kinematics", "posture-kinematics"):
        with pytest.raises(NotApplicableError, match="no common point") as caught:
            symoro.generate(free, model)
        assert "'follows'" in str(caught.value)


# -- Ackermann


@pytest.mark.parametrize("angle", [-1.2, -0.4, -1e-6, 0.0, 1e-9, 0.3, 1.5])
def test_ackermann(angle: float) -> None:
    """The axles intersect in one point: cot(right) = cot(left) + track / base."""
    robot = symoro.load("car_ackermann")
    values = dict(robot.nominal)
    base, half = values["L"], values["W2"]
    q = np.array([0.3, 0.1, angle, 2.0, np.nan, 1.0])  # the position of the dependent joint has no effect
    G = run(robot, "wheel-kinematics", q=q)["G"]
    follows = lambda a: np.arctan2(base * np.sin(a), base * np.cos(a) + 2 * half * np.sin(a))  # noqa: E731
    slope = (follows(angle + 1e-6) - follows(angle - 1e-6)) / 2e-6
    assert abs(G[3 + 4, 1] - slope) < 1e-8
    q[4] = follows(angle)
    C = Wheels(robot).rows(q).real
    assert np.abs(C @ G).max() < 1e-12


def test_an_ackermann_linkage_needs_a_leader() -> None:
    robot = symoro.load("car_ackermann")
    robot = robot.replace(
        wheels=robot.wheels[2:]
    )  # without a fixed wheel, one leading wheel leaves two motions
    with pytest.raises(NotApplicableError, match="they leave 2"):
        symoro.generate(robot, "wheel-kinematics")


# -- joints that follow others by a ratio, trailers


def test_wheels_that_steer_together_count_once() -> None:
    """Front and rear steer in opposite directions: the class of a car."""
    made = Layout(np.random.default_rng(1))
    made.turning(WheelKind.STEERING, 0.5, 0.0)
    made.turning(WheelKind.STEERING, -0.5, 0.0)
    robot = made.robot([1, 2])
    for j in (1, 3):  # upright and straight ahead
        robot = robot.with_frame(j, alpha=0, theta=f"{0 if j == 1 else 'pi'}*-1", gamma=0 if j == 1 else "pi")
        robot = robot.with_frame(j + 1, alpha="-pi/2")
    robot = robot.with_frame(3, coupling=Coupling(((1, formula("-1")),)))
    assert tuple(symoro.mobility(robot)) == (1, 1)
    q = np.array([0.3, 0.0, 0.0])
    result = run(robot, "wheel-kinematics", q=q)
    assert result["G"].shape == (6, 2)
    assert np.abs(result["W"] @ result["G"]).max() < 1e-14
    radius, half = float(robot.wheels[0].radius.number or 0), 0.5
    v = radius * np.cos(0.3)
    assert np.allclose(result["G"][:3, 1], [v, 0, radius * np.sin(0.3) / half], atol=1e-14)


def test_a_trailer_follows() -> None:
    """A car with a trailer, hitched LH behind the rear axle, its axle LT behind the hitch."""
    car = symoro.load("car")
    hitch = Frame(0, mu=False, gamma=formula("pi"), b=formula("rw"), d=formula(0.4), theta=formula("-pi"))
    wheel = Frame(4, mu=False, alpha=formula("-pi/2"), d=formula(-1.5))
    robot = car.replace(
        frames=(*car.frames, hitch, wheel),
        links=(*car.links, car.links[0], car.links[0]),
        wheels=(*car.wheels, Wheel(5, WheelKind.FIXED, formula("rw"))),
    )
    assert tuple(symoro.mobility(robot)) == (1, 1)
    q = np.array([0, 0.2, 0, -0.4, 0])
    result = run(robot, "wheel-kinematics", q=q)
    truth = Wheels(robot)
    G = np.array([truth.rates(q, unit) for unit in np.eye(2)]).T
    assert error(result["G"], G) < 1e-13


# -- singular steering


def test_a_car_driven_at_the_rear_cannot_start_at_right_angles() -> None:
    robot = symoro.load("car")
    for model, inputs in (
        ("wheel-kinematics", {}),
        ("inverse-dynamics", {"qda": np.ones(2), "qdda": np.ones(2)}),
        ("direct-dynamics", {"qda": np.ones(2), "tau": np.ones(2)}),
        ("inertia-matrix", {}),
        ("energy", {"qda": np.ones(2)}),
    ):
        for compiled in (None, False):
            f = symoro.generate(robot, model).function(compiled=compiled)
            q = np.array([0, np.pi / 2, 0])
            result = f(q=q, **inputs)
            if model == "wheel-kinematics":
                assert abs(result["det"]) < 1e-15
                assert np.isnan(result["G"][[0, 2, 5], 0]).all()
            else:
                first = next(iter(result.values()))
                assert not np.isfinite(np.atleast_1d(first)).all()
    with_numbers = run(robot, "wheel-kinematics", q=np.array([0, np.pi / 2 - 1e-14, 0]))
    assert np.isnan(with_numbers["G"]).any()


@pytest.mark.parametrize("off", [1e-3, 1e-5, 1e-7, 1e-8, -1e-4])
def test_beside_it_the_numbers_are_right(off: float) -> None:
    values = dict(symoro.load("car").nominal)
    angle = np.pi / 2 - off
    G = run("car", "wheel-kinematics", q=np.array([0, angle, 0]))["G"]
    assert abs(G[2, 0] / (values["rw"] * np.tan(angle) / values["L"]) - 1) < 1e-7
    assert G[0, 0] == values["rw"]


def test_a_driven_front_wheel_has_no_singular_angle() -> None:
    model = symoro.generate("tricycle", "wheel-kinematics")
    dets = [
        float(model.function(compiled=False)(q=np.array([0, 0, a, 0]))["det"]) for a in (0.0, 1.0, np.pi / 2)
    ]
    assert max(dets) - min(dets) < 1e-15 and abs(dets[0]) > 0.1


def test_axles_that_coincide() -> None:
    """Two steering wheels side by side: their axles coincide, and the base could rotate about any point of them."""
    robot = symoro.load("two_steering")
    beside = np.array([np.pi / 2, 0, np.pi / 2, 0, 0.2, 0])
    for posture in (beside, beside + np.array([0, 0, np.pi, 0, 0, 0])):
        assert abs(run(robot, "posture-kinematics", q=posture, heading=0.0)["det"]) < 1e-30
        result = run(robot, "wheel-kinematics", q=posture)
        assert np.isnan(result["G"]).any() and abs(result["det"]) < 1e-15
    near = beside + np.array([1e-5, 0, -1e-5, 0, 0, 0])
    truth = Wheels(robot)
    G = np.array([truth.rates(near, unit) for unit in np.eye(3)]).T
    assert error(run(robot, "wheel-kinematics", q=near)["G"], G) < 1e-5 * 1e-3


def test_nan_stays_nan() -> None:
    assert np.isnan(run("car", "wheel-kinematics", q=np.array([0, np.nan, 0]))["G"][2, 0])


def test_a_symbol_that_is_zero_at_run_time() -> None:
    f = symoro.generate("car", "wheel-kinematics").function(values={"L": 0.0}, compiled=False)
    assert not np.isfinite(f(q=np.array([0, 0.2, 0]))["G"]).all()
    f = symoro.generate("diffdrive", "wheel-kinematics").function(values={"W2": 0.0}, compiled=False)
    assert not np.isfinite(f(q=np.zeros(4))["G"][[0, 2]]).any()


# -- redundancy


def test_wheels_on_almost_one_axle_are_refused() -> None:
    """Two wheels on one axle are one constraint; tilted by 1e-9 their rank is undecided, by 1e-3 it is two."""
    robot = symoro.load("diffdrive")
    for turn, degrees in ((0.0, (2, 0)), (1e-3, (1, 0)), (1e-6, (1, 0))):
        assert tuple(symoro.mobility(robot.with_frame(1, gamma=turn))) == degrees
    assert "rotates about one point" in symoro.mobility(robot.with_frame(1, gamma=1e-3)).words
    for turn in (1e-8, 1e-10):
        with pytest.raises(NotApplicableError, match="almost linearly dependent"):
            symoro.mobility(robot.with_frame(1, gamma=turn))


def test_many_wheels_on_one_axle() -> None:
    made = Layout(np.random.default_rng(5))
    for y in (-0.5, -0.2, 0.3, 0.9):
        made.on_base(WheelKind.FIXED, 0.0, y, 0.0)
    robot = made.robot([1, 4])
    assert tuple(symoro.mobility(robot)) == (2, 0)
    assert symoro.generate(robot, "wheel-kinematics").outputs["W"] == (5, 7)


# -- robots to which the models apply


def test_without_wheels_they_say_why() -> None:
    bare = symoro.load("diffdrive").replace(wheels=())
    for model in ("wheel-kinematics", "posture-kinematics", "configuration-kinematics"):
        with pytest.raises(NotApplicableError, match="its wheels are not described"):
            symoro.generate(bare, model)
        with pytest.raises(NotApplicableError, match="its base is fixed"):
            symoro.generate("rx90", model)
    with pytest.raises(NotApplicableError, match="wheels are not described"):
        symoro.mobility(bare)
    assert symoro.generate(bare, "velocities").inputs == {"q": (4,), "qd": (4,), "V0": (6,)}


def test_the_determinant_of_the_jacobian_is_refused() -> None:
    with pytest.raises(NotApplicableError, match="its base is wheeled"):
        symoro.generate("mobile_manipulator", "jacobian-determinant")
    with pytest.raises(NotApplicableError, match="its base is wheeled"):
        symoro.singularities("mobile_manipulator")


# -- velocities of links


def check_motion(robot: Robot, truth: Wheels, q: np.ndarray, rng: np.random.Generator, close: float) -> None:
    """Check motion of links, Jacobian and its rate, inverse models and virtual work, by complex steps."""
    qda, qdda = rng.uniform(-1, 1, (2, len(truth.active)))
    x = truth.rates(q, qda)
    xd = truth.accelerations(q, x, qdda)
    classical = [xd[0] - x[2] * x[1], xd[1] + x[2] * x[0], 0]
    base = Twist(
        np.array([x[0], x[1], 0]), np.array([0, 0, x[2]]), np.array(classical), np.array([0, 0, xd[2]])
    )
    h = 1e-30
    at = truth.tree.motion(q + 1j * h * x[3:], x[3:] + 1j * h * xd[3:], base, h)
    result = run(robot, "accelerations", q=q, qda=qda, qdda=qdda)
    for j in range(1, robot.NL + 1):
        R = at.T[j][:3, :3].real
        assert error(result["v"][j - 1], R.T @ at.v[j].real) < close
        assert error(result["w"][j - 1], R.T @ at.w[j].real) < close
        assert error(result["vd"][j - 1], R.T @ at.v[j].imag / h) < 10 * close
        assert error(result["wd"][j - 1], R.T @ at.w[j].imag / h) < 10 * close
    slow = run(robot, "velocities", q=q, qda=qda)
    assert error(slow["v"], result["v"]) < 1e-15 and error(slow["w"], result["w"]) < 1e-15
    F = rng.uniform(-1, 1, 6)
    for to, frame in ((robot.NL, 0), (robot.NL, robot.NL), (1, 0), (0, 0)):
        turn = np.kron(np.eye(2), np.eye(3) if frame == 0 else at.T[frame][:3, :3].real.T)

        def model(name: str, to: int = to, frame: int = frame, **inputs: np.ndarray) -> np.ndarray:
            f = symoro.generate(robot, name, to=to, frame=frame).function(compiled=False)
            return next(iter(f(q=q, **inputs).values()))

        J, a = model("jacobian"), model("jdot-qdot", qda=qda)
        v = turn @ np.r_[at.v[to].real, at.w[to].real]
        assert error(J @ qda, v) < close
        assert error(a + J @ qdda, turn @ np.r_[at.v[to].imag, at.w[to].imag] / h) < 10 * close
        assert abs(model("static-torques", F=F) @ qda - F @ v) < close * max(1.0, np.abs(v).max())
        if to == robot.NL and not frame and np.linalg.matrix_rank(J, tol=1e-6) == J.shape[1]:
            condition = np.linalg.cond(J)
            assert error(model("jacobian-inverse") @ J, np.eye(J.shape[1])) < close * condition**2
            assert error(J @ model("inverse-kinematics", V=v), v) < close * condition**2


@pytest.mark.parametrize("seed", range(20))
def test_motion_of_random_robots(seed: int) -> None:
    robot, q = layout(seed)
    check_motion(robot, Wheels(robot), q, np.random.default_rng(seed), CLOSE)


@pytest.mark.parametrize("seed", range(20))
def test_motion_of_closed_loops_on_wheels(seed: int) -> None:
    """The rows of loop closure are added to those of rolling."""
    robot, q, truth = linkage_on_wheels(seed)
    check_motion(robot, truth, q, np.random.default_rng(seed), 1e-9)
    carrier = layout(seed)[0]
    assert symoro.mobility(robot) == symoro.mobility(carrier)
    result = run(robot, "wheel-kinematics", q=q)
    G = np.array([truth.rates(q, unit) for unit in np.eye(len(truth.active))]).T
    assert error(result["G"], G) < 1e-9
    assert np.abs(result["W"] @ result["G"]).max() < 1e-9
    S = [
        run(one, "posture-kinematics", q=q[: end or None], heading=0.7)["S"]
        for one, end in ((robot, 0), (carrier, len(q) - 4))
    ]
    assert error(S[0], S[1]) == 0
    with pytest.raises(NotApplicableError, match="closed loops constrain the joints"):
        symoro.generate(robot, "configuration-kinematics")


def test_velocities_and_jacobian() -> None:
    robot = symoro.load("mobile_manipulator")
    truth = Wheels(robot)
    rng = np.random.default_rng(8)
    q, qda = rng.uniform(-1, 1, 7), rng.uniform(-1, 1, 5)
    check_motion(robot, truth, q, rng, 1e-13)
    result = run(robot, "velocities", q=q, qda=qda)
    tool = symoro.generate(robot, "jacobian", frame=7).function(compiled=False)(q=q)["J"]
    lever = np.array([dict(robot.nominal)["L2"], 0, 0])
    assert error(tool[:3] @ qda, result["v"][6] + np.cross(result["w"][6], lever)) < 1e-13
