"""Optimised motions: slopes against differences, limits satisfied on a finer grid than that of the optimisation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, NotApplicableError, OptionError, ProgramError, RobotError
from symoro.expr.formula import formula
from symoro.identification.dynamic import symbolic_robot
from symoro.identification.equations import equations
from symoro.identification.excitation import Excitation, excite, trajectory_text
from symoro.identification.friction import Friction
from symoro.identification.series_search import SeriesSearch, condition, motion_limits
from symoro.model import generate
from symoro.robot.description import Coupling, Limits, Robot
from symoro.tables import table_text
from symoro.trajectory.files import load_trajectory, read_trajectory_text
from symoro.trajectory.paths import FourierPath
from symoro.trajectory.samples import Samples
from symoro.trajectory.trajectory import Fourier, Trajectory


def arm() -> Robot:
    """Three joints with limits and numbers."""
    robot = symoro.load("planar3r")
    limits = Limits(-1.5, 1.2, 2.0, 300.0)
    for j in range(1, 4):
        robot = robot.with_frame(j, limits=limits)
        robot = robot.with_link(j, ZZ=0.1 * j, MX=0.2 * j, M=1.0 * j)
    return robot


def follower(**own: Any) -> Robot:
    """The same arm on earth, whose third joint follows the others."""
    coupling = Coupling(((1, formula(1)), (2, formula(-0.5))), formula(0.1))
    limits = Limits(-0.5, 0.6, 0.7, 7.5)
    return arm().bind({"g": 9.81}).with_frame(3, coupling=coupling, limits=limits, **own)


def search(
    robot: Robot, harmonics: int, samples: int, acceleration: Any, criterion: str = "condition"
) -> SeriesSearch:
    known = dict(robot.nominal)
    limits = motion_limits(robot, acceleration, 0.9, True, known)
    equation = equations(symbolic_robot(robot), "dynamic", Friction(), None)
    return SeriesSearch(robot, known, equation, limits, harmonics, 0.2, criterion, True, samples)


@pytest.mark.parametrize("criterion", ["condition", "determinant"])
@pytest.mark.parametrize("grown", [1.0, 3.0])
@pytest.mark.parametrize("allowed", [1.0, 0.9])
@pytest.mark.parametrize("robot", [arm(), follower(FS=1.0)], ids=["arm", "follower"])
def test_the_slope_is_the_derivative(criterion: str, grown: float, allowed: float, robot: Robot) -> None:
    """Also where limits are passed, torques among them."""
    work = search(robot, 3, 30, 5.0, criterion)
    rng = np.random.default_rng(2)
    x = grown * work.start(rng).reshape(-1)
    way = rng.standard_normal(x.size)
    _, slope = work.objective(x, 10.0, allowed)
    step = 1e-6
    up, down = (work.objective(x + s * step * way, 10.0, allowed)[0] for s in (1, -1))
    assert slope @ way == pytest.approx((up - down) / (2 * step), rel=1e-5)


def test_limits_are_kept_and_the_motion_is_better_than_chance() -> None:
    robot = arm().bind({"g": 9.81})
    result = excite(
        robot, harmonics=3, frequency=0.2, acceleration=8.0, options=symoro.ExcitationOptions(starts=1)
    )
    samples = symoro.trajectory.sampled(robot, result.trajectory, step=0.001)
    for k in range(3):
        assert samples.q[:, k].min() >= -1.5 and samples.q[:, k].max() <= 1.2
        assert np.abs(samples.qd[:, k]).max() <= 2.0
        assert np.abs(samples.qdd[:, k]).max() <= 8.0
    assert np.abs(samples.qd[[0, -1]]).max() < 1e-9 and np.abs(samples.qdd[[0, -1]]).max() < 1e-8
    reported = symoro.torques(robot, result.trajectory)
    assert not reported.passed
    work = search(robot, 3, 24, 8.0)
    chance = [condition(work.matrix(work.start(np.random.default_rng(s)))) for s in range(20)]
    assert result.condition < min(chance)


def most(robot: Robot, result: Excitation) -> dict[str, float]:
    """Return the largest used shares of the limits, between the samples of the optimisation too."""
    (part,) = result.trajectory.parts
    assert isinstance(part, Fourier)
    series = FourierPath(
        np.array(part.offset), np.array(part.sine), np.array(part.cosine), part.frequency, 5.0
    )
    q, qd, qdd = series.at(np.linspace(0, 1 / part.frequency, 20001))
    tau = np.asarray(generate(robot, "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"])
    limits = robot.frame(1).limits
    lower, upper, fastest, effort = limits.lower, limits.upper, limits.velocity, limits.effort
    assert lower is not None and upper is not None and fastest is not None and effort is not None
    return {
        "position": float(np.abs(q - (lower + upper) / 2).max() / ((upper - lower) / 2)),
        "velocity": float(np.abs(qd).max() / fastest),
        "acceleration": float(np.abs(qdd).max() / 6.0),
        "effort": float(np.abs(tau).max() / effort),
    }


def test_effort_limits_hold_with_load_dependent_friction() -> None:
    robot = arm().with_frame(1, FL=0.3).with_frame(2, FL=0.1)
    result = excite(robot, harmonics=2, frequency=0.5, options=symoro.ExcitationOptions(margin=1.0, starts=1))
    assert most(robot, result)["effort"] <= 1
    assert result.used["effort"] > 0.9


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("effort", [3000.0, 300.0])
def test_limits_hold_between_samples_without_a_margin(seed: int, effort: float) -> None:
    """Friction that jumps is part of the efforts."""
    robot = arm()
    for j in range(1, 4):
        robot = robot.with_frame(j, limits=Limits(-1.5, 1.2, 2.0, effort), FS=2.0)
    result = excite(
        robot,
        harmonics=2,
        frequency=0.5,
        acceleration=6.0,
        options=symoro.ExcitationOptions(margin=1, starts=1, seed=seed),
    )
    shares = most(robot, result)
    assert max(shares.values()) <= 1
    assert result.used == pytest.approx(shares, rel=2e-4)
    assert max(shares.values()) > 0.99, "the limits are used"


def along(result: Excitation, count: int) -> tuple[Any, Any, Any]:
    """The coordinates' motion over one period."""
    (part,) = result.trajectory.parts
    assert isinstance(part, Fourier)
    series = FourierPath(
        np.array(part.offset), np.array(part.sine), np.array(part.cosine), part.frequency, 5.0
    )
    return series.at((np.arange(count) + 0.5) / count / part.frequency)


@pytest.mark.parametrize("robot", [arm(), follower(FS=1.0)], ids=["arm", "follower"])
def test_the_reported_condition_is_that_of_the_identification(robot: Robot, tmp_path: Path) -> None:
    """Of its equations along the motion, and of the data that it makes of a log."""
    result = excite(
        robot, harmonics=3, frequency=0.2, torque=False, options=symoro.ExcitationOptions(starts=1)
    )
    equation = equations(symbolic_robot(robot), "dynamic", Friction(), None)
    assert result.columns == equation.names
    q, qd, qdd = along(result, 600)
    rows = equation.parts(q, qd, qdd, np.zeros_like(qd))[1].reshape(-1, len(result.columns))
    assert condition(rows) == pytest.approx(result.condition, rel=1e-9)
    samples = symoro.trajectory.sampled(robot, result.trajectory, step=0.005)
    chance = np.random.default_rng(1)
    table = {"t": samples.t}
    for k, j in enumerate(samples.joints):
        table |= {f"q{j}": samples.q[:, k], f"tau{j}": chance.standard_normal(len(samples.t))}
    log = tmp_path / "log.csv"
    log.write_text(table_text(table))
    identified = symoro.identify(robot, log)
    assert identified.model.names == result.columns
    r_factor = identified.data.together(np.ones(len(samples.joints)))
    # Rows at rest, at both ends, are none of identification's.
    assert condition(r_factor[:, :-1]) == pytest.approx(result.condition, rel=0.05)


def test_parameters_that_are_zero_in_the_description_are_excited_too() -> None:
    """Identification seeks what the description has as zero; columns are left out as there."""
    robot = arm()
    assert all(robot.link(j).MY.is_zero for j in (1, 2, 3))
    result = excite(
        robot, harmonics=2, frequency=0.2, torque=False, options=symoro.ExcitationOptions(starts=1)
    )
    assert {"MY2", "MY3"} <= set(result.columns)
    fewer = excite(
        robot,
        harmonics=2,
        frequency=0.2,
        torque=False,
        friction=["viscous"],
        options=symoro.ExcitationOptions(starts=1, without=["MY3"]),
    )
    dry = {f"{kind}{j}" for kind in ("FS", "FO") for j in (1, 2, 3)}
    assert set(result.columns) - set(fewer.columns) == {"MY3"} | dry
    with pytest.raises(OptionError, match="'load'"):
        excite(robot, friction=["viscous", "load"])
    with pytest.raises(ArgumentError, match="no column 'XX1'"):
        excite(robot, options=symoro.ExcitationOptions(without=["XX1"]))


@pytest.mark.parametrize("seed", [0, 1])
def test_joints_that_follow_keep_their_limits(seed: int) -> None:
    """Between samples, the torque that is passed on to them included; what acts as other columns do has none."""
    robot = follower(FS=1.0)
    result = excite(
        robot,
        harmonics=3,
        frequency=0.3,
        acceleration=[9.0, 9.0, 2.0],
        options=symoro.ExcitationOptions(starts=1, margin=1, seed=seed),
    )
    q, qd, qdd = along(result, 20001)
    row = np.array([1, -0.5])
    third = q @ row + 0.1, qd @ row, qdd @ row
    free = robot.with_frame(3, coupling=None)
    whole = [np.column_stack([two, one]) for two, one in zip((q, qd, qdd), third, strict=True)]
    each = dict(zip(("q", "qd", "qdd"), whole, strict=True))
    tau = np.asarray(generate(free, "inverse-dynamics").function()(**each)["tau"])
    shares = {
        "position": np.abs(third[0] - 0.05).max() / 0.55,
        "velocity": np.abs(third[1]).max() / 0.7,
        "acceleration": np.abs(third[2]).max() / 2.0,
        "effort": np.abs(tau[:, 2]).max() / 7.5,
    }
    assert max(shares.values()) <= 1
    assert max(shares.values()) > 0.9, "the limits of the joint that follows are the ones that hold back"
    motors = np.asarray(generate(robot, "inverse-dynamics").function()(q=q, qd=qd, qdd=qdd)["tau"])
    assert np.abs(motors).max() <= 300
    assert result.condition < 1e4


def test_friction_of_a_joint_that_follows_one_other_has_no_column() -> None:
    robot = arm().with_frame(3, coupling=Coupling(((2, formula(3)),), formula(0.3)))
    result = excite(
        robot, harmonics=3, frequency=0.2, torque=False, options=symoro.ExcitationOptions(starts=1)
    )
    assert not {"FV3", "FS3", "FO3"} & set(result.columns) and result.condition < 1e4


def test_unsatisfiable_limits_of_a_coupled_joint_are_reported() -> None:
    robot = follower().with_frame(3, limits=Limits(5.0, 6.0, 2.0, 300.0))
    with pytest.raises(ArgumentError, match="limits of the coupled joints q3"):
        excite(robot, options=symoro.ExcitationOptions(starts=1))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_dry_friction_does_not_draw_a_motion_in_to_rest(seed: int) -> None:
    """A smaller motion around the same middle may take more torque than a larger one."""
    robot = arm().bind({"g": 9.81})
    for j, (effort, dry) in enumerate([(110.0, 20.0), (55.0, 12.0), (20.0, 8.0)], 1):
        robot = robot.with_frame(j, limits=Limits(-1.5, 1.2, 2.0, effort), FS=dry)
    result = excite(
        robot, harmonics=3, frequency=0.2, options=symoro.ExcitationOptions(starts=1, margin=1, seed=seed)
    )
    assert result.condition < 1e3 and max(result.used.values()) <= 1


@pytest.mark.parametrize("criterion", ["condition", "determinant"])
def test_friction_above_the_effort_limit_is_reported(criterion: str) -> None:
    robot = arm().with_frame(2, FS=400.0)
    with pytest.raises(ProgramError, match=r"friction of joint 2, FS \+ FB = 400, .* 285"):
        excite(
            robot, harmonics=2, frequency=0.2, criterion=criterion, options=symoro.ExcitationOptions(starts=1)
        )


def test_a_motion_without_excitation_is_rejected() -> None:
    """Joints that hardly turn: gravity is a constant then, like friction's offset."""
    robot = arm()
    for j in (1, 2, 3):
        robot = robot.with_frame(j, limits=Limits(0.5, 0.5 + 1e-9, 2.0, 300.0))
    with pytest.raises(
        ProgramError, match=r"excites its parameters: the condition number is .*fully used: position"
    ):
        excite(robot, harmonics=2, frequency=0.2, torque=False, options=symoro.ExcitationOptions(starts=1))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"limits": Limits(-1.0, 1.0, 0.0, 300.0)}, "q2 has a velocity limit of 0"),
        ({"limits": Limits(-1.0, 1.0, 2.0, 0.0)}, "q2 has an effort limit of 0"),
        ({"limits": Limits(0.5, 0.5, 2.0, 300.0)}, "no range of motion for q2"),
        ({"QP": formula(0.5)}, "velocity of joint 2 .QP = 0.5., which is valid at one instant"),
        ({"QDP": formula(0.0)}, "acceleration of joint 2 .QDP = 0., which is valid at one instant"),
        ({"GAM": formula(1.0)}, "torque of joint 2 is prescribed"),
        ({"mu": False}, "joint 2 is passive"),
        ({"eta": True, "k": formula(50.0)}, "joint 2 is elastic"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_joints_that_do_not_move_along_a_series_are_named(changed: dict[str, Any], said: str) -> None:
    with pytest.raises((ArgumentError, NotApplicableError), match=said):
        excite(arm().with_frame(2, **changed), options=symoro.ExcitationOptions(starts=1))


def test_efforts_too_small_for_gravity_are_reported() -> None:
    robot = arm()
    weak = robot.with_frame(1, limits=Limits(-0.2, 0.2, 2.0, 1.0))
    with pytest.raises(ProgramError, match="within its limits"):
        excite(weak, harmonics=2, frequency=0.2, options=symoro.ExcitationOptions(starts=1))


def test_the_file_contains_the_same_motion() -> None:
    result = excite(
        arm(), harmonics=2, frequency=0.2, torque=False, options=symoro.ExcitationOptions(starts=1)
    )
    again = read_trajectory_text(trajectory_text(result))
    one, other = (symoro.trajectory.sampled(arm(), t, step=0.01) for t in (result.trajectory, again))
    assert one.q == pytest.approx(other.q, abs=1e-7)


def test_what_cannot_be() -> None:
    with pytest.raises(OptionError, match="criterion"):
        excite(arm(), criterion="beauty")
    with pytest.raises(OptionError, match="harmonics"):
        excite(arm(), harmonics=0)
    with pytest.raises(OptionError, match="2 to 50 harmonics"):
        excite(arm(), harmonics=1)
    with pytest.raises(OptionError, match="frequency"):
        excite(arm(), frequency=float("inf"))
    with pytest.raises(ArgumentError, match="acceleration"):
        excite(arm(), acceleration=-1.0)
    for wrong in ([1.0, 2.0], [1.0, 2.0, 3.0, 4.0], [[1.0], [2.0], [3.0]], [], [1.0, float("nan"), 1.0]):
        with pytest.raises(ArgumentError, match="one or 3"):
            excite(arm(), acceleration=wrong)
    with pytest.raises(OptionError, match="seed"):
        excite(arm(), options=symoro.ExcitationOptions(seed=-1))
    with pytest.raises(OptionError, match="at least one sample"):
        excite(arm(), options=symoro.ExcitationOptions(samples=0))
    with pytest.raises(ArgumentError, match="these parameters have no values"):
        excite(symoro.load("rx90"), torque=True)
    with pytest.raises(ArgumentError, match="there are no position limits for q1"):
        excite(symoro.load("gantry").with_frame(1, limits=Limits()))


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from symoro.ui.cli import main

    path = tmp_path / "motion.yaml"
    wanted = ["excite", "planar2r", "-o", str(path), "--harmonics", "2", "--starts", "1", "--no-torque"]
    assert main(wanted) == 0
    assert "condition" in capsys.readouterr().out
    assert main(["torques", "planar2r", str(path), "--csv"]) == 0
    table = tmp_path / "motion.csv"
    assert main([*wanted[:3], str(table), *wanted[4:]]) == 0
    assert "used of 95 % of the limits" in capsys.readouterr().out
    series, samples = load_trajectory(path), load_trajectory(table)
    assert isinstance(series, Trajectory) and isinstance(samples, Samples)
    assert symoro.trajectory.sampled("planar2r", series, step=0.01).q == pytest.approx(samples.q, abs=1e-7)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["planar2r", "-o", "motion.txt"], "supported formats are .yaml"),
        (["planar2r", "--acceleration", "1,2,3"], "one or 2"),
        (["planar2r", "--seed", "-1"], "seed"),
        (["fivebar"], "closed loops"),
        (["rx90_floating"], "floating base"),
        (["car"], "wheeled base"),
    ],
)
def test_options_that_the_command_line_rejects(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from symoro.ui.cli import main

    assert main(["excite", *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("frequency", [0.0, -1.0, np.nan, np.inf, 1e-308, 1e300])
def test_frequencies_that_no_robot_has_are_rejected(frequency: float) -> None:
    with pytest.raises(OptionError, match="frequency of 1e-06 to 1e"):
        excite("planar2r", frequency=frequency)


def test_overflowing_numbers_are_reported() -> None:
    with pytest.raises(ArgumentError, match="regressor is not finite"):
        excite(
            arm().with_frame(2, limits=Limits(-1e60, 1e60)),
            harmonics=2,
            torque=False,
            options=symoro.ExcitationOptions(starts=1),
        )
    with pytest.raises(RobotError, match=r"d = 1e\+200 is too large"):
        excite("planar2r", harmonics=2, values={"D2": 1e200}, options=symoro.ExcitationOptions(starts=1))


def test_joints_without_limits_are_named() -> None:
    """The share of an assumed range is not the share of a limit: the text lists the joints without limits."""
    result = symoro.excite("planar2r", harmonics=2, options=symoro.ExcitationOptions(starts=1))
    assert result.unlimited == {"position": (1, 2), "velocity": (1, 2), "effort": (1, 2)}
    text = str(result)
    assert "no position limits of joints 1, 2: -pi .. pi rad is the assumed range" in text
    assert "no velocity limits of joints 1, 2: the velocity is not limited" in text
