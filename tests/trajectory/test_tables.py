"""Tables as motions: columns in any order, some rates missing, closed loops, and the tables that symoro writes."""

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.errors import ArgumentError, FormatError, UnknownNameError
from symoro.tables import table_text
from symoro.trajectory.files import load_trajectory
from symoro.trajectory.samples import Samples, read_table
from symoro.trajectory.splines import cubic_slopes
from symoro.trajectory.trajectory import Move, Trajectory
from symoro.ui.cli import main
from tests.simulation.robots import numbered, without_drives

ARM = Trajectory((Move((1, -0.4, 0.3), duration=1),), (0, 0.1, 0.2))
BAR = Trajectory((Move((2.0, 0.9), duration=1),), (2.2, 0.6))
OTHER = (2.2, 1.0, 0.6, -1.6)  # near the second assembly of the five-bar


# -- columns


def test_the_order_of_columns_is_of_no_matter():
    result = symoro.torques("filip3r", ARM)
    names = list(result.columns)
    mixed = {name: result.columns[name] for name in ("q2", "qdd3", "t", *reversed(names)) if name in names}
    again = symoro.torques("filip3r", read_table(table_text(mixed)))
    assert again.samples.joints == (1, 2, 3)
    assert np.abs(again.tau - result.tau).max() < 1e-9
    samples = replace(result.samples, joints=(3, 1, 2), q=result.samples.q[:, [2, 0, 1]])
    samples = replace(samples, qd=samples.qd[:, [2, 0, 1]], qdd=samples.qdd[:, [2, 0, 1]])
    assert np.allclose(symoro.torques("filip3r", samples).tau, result.tau)
    law, plain = (symoro.controllers.computed_torque("filip3r", one) for one in (samples, result.samples))
    start = symoro.simulate("filip3r", 0.1, q=[0, 0.1, 0.2], tau=law)
    assert np.allclose(start.tau, symoro.simulate("filip3r", 0.1, q=[0, 0.1, 0.2], tau=plain).tau)


def test_accelerations_are_the_slopes_of_velocities():
    result = symoro.torques("filip3r", ARM)
    kept = {name: rows for name, rows in result.columns.items() if not name.startswith("qdd")}
    again = symoro.torques("filip3r", read_table(table_text(kept)))
    assert np.abs(again.samples.qdd - result.samples.qdd).max() < 2e-4
    assert np.abs(again.tau - result.tau).max() < 1e-4 * np.abs(result.tau).max()


@pytest.mark.parametrize("count", [3, 4, 5, 40])
def test_slopes_of_cubics_are_met_on_any_grid(count):
    t = np.cumsum(np.random.default_rng(count).uniform(0.1, 1, count))
    p = np.polynomial.Polynomial([1, -2, 0.5, 0.3] if count > 3 else [1, -2, 0.5])
    assert np.abs(cubic_slopes(t, p(t)[:, None])[:, 0] - p.deriv()(t)).max() < 1e-9


def test_time_may_be_called_so():
    assert np.array_equal(read_table("time,q1\n0,1\n1,2\n2,3\n").t, [0, 1, 2])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("t,q1,q2\n0,0,0\n1,1,1\n2,2,2\n", "q3 is missing"),
        (
            "t,q1,q2,q3,q4\n0,0,0,0,0\n1,1,1,1,1\n2,2,2,2,2\n",
            "contains q1, q2, q3, q4, but robot 'Filip3R' requires",
        ),
        (
            "t,q1,q2,q3,qd1\n0,0,0,0,0\n1,1,1,1,0\n2,2,2,2,0\n",
            "velocities of other joints, but not of joint 2",
        ),
    ],
)
def test_a_table_that_does_not_fit_is_rejected(text, words):
    with pytest.raises(ArgumentError, match=words):
        symoro.torques("filip3r", read_table(text))


def test_large_numbers_are_not_reported_as_a_singular_configuration():
    huge = Samples((1, 2, 3), np.arange(3.0), *np.full((3, 3, 3), 1e300))
    with pytest.raises(
        ArgumentError, match=r"not finite numbers at t = 0 s, where the motion has numbers of 1e\+300"
    ):
        symoro.torques("filip3r", huge)


# -- closed loops


def test_a_table_of_all_joints_selects_the_assembly_mode():
    for start in (BAR.start, OTHER):
        result = symoro.torques("fivebar", replace(BAR, start=start))
        again = symoro.torques("fivebar", read_table(table_text(result.columns)))
        assert not again.warnings
        assert np.abs(again.samples.tree - result.samples.tree).max() < 1e-9
        assert np.abs(again.tau - result.tau).max() < 1e-9


def test_active_joints_alone_take_a_posture():
    result = [symoro.torques("fivebar", replace(BAR, start=start)) for start in (BAR.start, OTHER)]
    bare = [replace(one.samples, tree=None) for one in result]
    with pytest.raises(ArgumentError, match="have 2 assembly modes at the start of the motion"):
        symoro.torques("fivebar", bare[0])
    postures = [result[0].samples.tree[0], OTHER]
    for one, samples, posture in zip(result, bare, postures, strict=True):
        again = symoro.torques("fivebar", samples, posture=posture)
        assert np.abs(again.tau - one.tau).max() < 1e-9
    assert np.abs(result[0].tau - result[1].tau).max() > 1e-3
    robot = symoro.load("fivebar").replace(postures={"home": tuple(postures[0]), "other": OTHER})
    assert np.allclose(symoro.torques(robot, bare[0]).tau, result[0].tau)
    assert np.allclose(symoro.torques(robot, bare[1], posture="other").tau, result[1].tau)
    with pytest.raises(UnknownNameError):
        symoro.torques(robot, bare[0], posture="none")


def test_a_superfluous_posture_is_rejected():
    whole = read_table(table_text(symoro.torques("fivebar", BAR).columns))
    with pytest.raises(ArgumentError, match="already contains the positions of all joints"):
        symoro.torques("fivebar", whole, posture=OTHER)
    for robot, motion in (("fivebar", BAR), ("filip3r", ARM)):
        with pytest.raises(ArgumentError, match="applies only if the motion is given as samples"):
            symoro.torques(robot, motion, posture=OTHER)


@pytest.mark.parametrize(("off", "turns"), [(0.0, 1), (0.004, 0), (0.2, 0)])
def test_passive_joints_are_compared_with_the_closed_loops(off, turns):
    columns = dict(symoro.torques("fivebar", BAR).columns)
    columns["q2"] = columns["q2"] + 2 * np.pi * turns + off * (columns["t"] > 0.5)
    samples = read_table(table_text(columns))
    if off > 0.1:
        with pytest.raises(ArgumentError, match=r"joint 2 is at .* according to the closed loops"):
            symoro.torques("fivebar", samples)
        return
    warnings = symoro.torques("fivebar", samples).warnings
    assert len(warnings) == (off > 0) and all("joint 2 is at" in warning for warning in warnings)


# -- simulations as motions


def round_trip(result, tmp_path, suffix):
    file = tmp_path / f"motion.{suffix}"
    if suffix == "csv":
        file.write_text(result.csv())
    else:
        pytest.importorskip("pyarrow")
        result.write_parquet(file)
    again = symoro.torques(result.robot, load_trajectory(file))
    wanted = result.tau[:, [result.coordinates.index(j) for j in again.samples.joints]]
    assert not again.warnings
    return float(np.abs(again.tau - wanted).max() / max(1.0, np.abs(wanted).max())), again


def push(scale):
    return lambda t, state: scale * np.sin(3 * t + np.arange(len(state.q)))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_torques_along_a_simulation_are_those_applied(tmp_path, suffix):
    motion = symoro.simulate("filip3r", 0.5, q=[-1, 0.2, 0.1], tau=push(0.3), step=0.002)
    assert round_trip(motion, tmp_path, suffix)[0] < 5e-5


def test_torques_along_a_simulation_of_loops(tmp_path):
    for q in ([2.2, -1.79, 0.6, 1.94], OTHER):
        motion = symoro.simulate("fivebar", 0.5, q=q, tau=push(0.02), step=0.002)
        off, again = round_trip(motion, tmp_path, "csv")
        assert off < 1e-6 and np.abs(again.samples.tree - motion.q).max() < 1e-8


def test_torques_along_a_simulation_of_a_passive_joint(tmp_path):
    robot = without_drives(symoro.load("cartpole"))
    motion = symoro.simulate(
        robot, 0.5, q=[0.1, 0.4], qd=[0.2, -0.5], tau=lambda t, s: [np.sin(4 * t), 0], step=0.005
    )
    off, again = round_trip(motion, tmp_path, "csv")
    assert off < 1e-4 and np.abs(again.follows.q - motion.q).max() < 1e-4


def test_torques_along_a_simulation_of_a_free_base(tmp_path):
    robot = symoro.load("planar2r").floating().with_link(0, mass=3, inertia=[0.2, 0.3, 0.4])
    start = {"V0": [0.1, 0.2, 0, 0.3, 0, 0.5], "P0": [1, 2, 3], "Q0": [0.8, 0.6, 0, 0]}
    motion = symoro.simulate(
        robot, 0.5, q=[0.1, 0.4], tau=push(1.0), step=0.005, options=symoro.SimulationOptions(start=start)
    )
    off, again = round_trip(motion, tmp_path, "csv")
    assert off < 1e-4
    for name in start:
        assert np.abs(again.follows.parts[name] - motion.parts[name]).max() < 1e-4


def test_torques_along_a_simulation_on_wheels(tmp_path):
    robot = without_drives(numbered(symoro.load("diffdrive")))
    start = {"pose": [1, 2, 0.5]}
    motion = symoro.simulate(
        robot,
        0.3,
        q=[0.1, 0.2, 0.3, 0.4],
        qd=[1, 2],
        tau=push(1.0),
        step=0.005,
        options=symoro.SimulationOptions(start=start),
    )
    off, again = round_trip(motion, tmp_path, "csv")
    assert off < 1e-4 and np.abs(again.follows.q - motion.q).max() < 1e-6
    assert np.abs(again.follows.parts["pose"] - motion.parts["pose"]).max() < 1e-6


def test_torques_along_a_simulation_of_a_spring_and_of_beams(tmp_path):
    spring = symoro.load("planar2r").with_frame(2, eta=True, k=50, rest=0)
    push_one = {"q": [0.1, 0.2], "tau": lambda t, state: [np.sin(3 * t), 0], "step": 0.001}
    for robot, more in ((spring, {"qd": [0, 0.5]}), (symoro.load("flexible2r"), {})):
        motion = symoro.simulate(robot, 0.1, **push_one, **more)
        off, again = round_trip(motion, tmp_path, "csv")
        assert off < 1e-3 and np.abs(again.follows.q - motion.q).max() < 1e-5


def test_a_passive_joint_that_forces_move_elsewhere_gives_a_warning():
    motion = symoro.simulate("cartpole", 0.5, q=[0.1, 0.4], step=0.005)
    columns = {**motion.columns, "q2": motion.q[:, 1] + 0.1 * motion.t}
    warnings = symoro.torques("cartpole", read_table(table_text(columns))).warnings
    assert any(
        "joint 2 is at" in warning and "according to the simulation" in warning for warning in warnings
    )


def test_missing_values_in_parquet_files_are_reported_by_row(tmp_path):
    pyarrow, parquet = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet"))
    file = tmp_path / "motion.parquet"
    parquet.write_table(pyarrow.table({"t": [0.0, 1.0, 2.0], "q1": [0.0, None, 1.0]}), file)
    with pytest.raises(FormatError, match=r"row 2, q1: expected a finite number"):
        load_trajectory(file)
    file.write_bytes(b"nothing")
    with pytest.raises(FormatError, match="cannot be read"):
        load_trajectory(file)


def test_the_command_takes_what_simulate_writes(tmp_path, capsys):
    file = str(tmp_path / "m.csv")
    assert main(["simulate", "fivebar", "q=2.2,-1.79,0.6,1.94", "--duration", "0.2", "-o", file]) == 0
    assert main(["torques", "fivebar", file, "--json"]) == 0
    bare = tmp_path / "bare.csv"
    columns = load_trajectory(file)
    bare.write_text(table_text({"t": columns.t, "q3": columns.q[:, 1], "q1": columns.q[:, 0]}))
    assert main(["torques", "fivebar", str(bare)]) == 2
    assert "select one by --posture" in capsys.readouterr().err
    assert main(["torques", "fivebar", str(bare), "--posture", "2.2,-1.79,0.6,1.94"]) == 0
