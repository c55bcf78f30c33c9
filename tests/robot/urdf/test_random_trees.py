"""Compare random URDF trees with a plain interpreter: poses, axes, inertias, mimic joints."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from symoro.robot.formats.urdf import read_urdf, write_urdf
from symoro.robot.formats.urdf.reader import document
from symoro.robot.formats.urdf.snap import snapped
from tests.robot.urdf.oracle import Frames, Urdf, compare
from tests.robot.urdf.trees import urdfs

EXACT = 1e-10  # metres and radians, on trees of up to eight joints


def random_positions(text: str, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return {name: float(rng.uniform(-2, 2)) for name in Urdf(text).free_joints()}


@settings(max_examples=120, deadline=None)
@given(
    text=urdfs(),
    seed=st.integers(0, 99),
    base=st.sampled_from(["fixed", "floating"]),
    fixed=st.sampled_from(["merge", "keep"]),
    frames=st.sampled_from(["normal", "normal", "link"]),
)
def test_the_digits_of_the_file(text: str, seed: int, base: str, fixed: str, frames: str) -> None:
    robot = read_urdf(text, exact=True, base=base, fixed=fixed, frames=frames)
    q = random_positions(text, seed)
    scale = 1 + max((abs(p) for p in Urdf(text).positions(q).values()), default=0)
    placed, inertia = compare(text, robot, q, floating=base == "floating")
    assert placed <= EXACT * scale
    assert inertia <= EXACT * scale


@settings(max_examples=80, deadline=None)
@given(text=urdfs(), seed=st.integers(0, 99))
def test_rounded_angles_made_exact(text: str, seed: int) -> None:
    """Check that the error is that of the changed angles times the size of the robot."""
    robot = read_urdf(text)
    _, rounding = snapped(document(text, None))
    q = random_positions(text, seed)
    urdf = Urdf(text)
    positions = urdf.positions(q)
    lever = 1 + sum(np.linalg.norm(urdf.step(j, positions)[:3, 3]) for j in urdf.joints.values())
    changed = (rounding.angles + rounding.axes) * rounding.largest
    placed, inertia = compare(text, robot, q)
    # A frame's place on its link is compared at rest and moved: the change counts twice.
    assert placed <= 2 * lever * changed + EXACT * lever
    assert inertia <= 8 * lever**2 * changed + EXACT * lever**2


@settings(max_examples=60, deadline=None)
@given(
    text=urdfs(), seed=st.integers(0, 99), base=st.sampled_from(["fixed", "floating"]), exact=st.booleans()
)
def test_written_and_read_back(text: str, seed: int, base: str, exact: bool) -> None:
    robot = read_urdf(text, base=base, exact=exact)
    again = read_urdf(write_urdf(robot))
    q = random_positions(text, seed)
    one, two = Frames(robot), Frames(again)
    scale = 1 + max(abs(p) for p in one.positions(q))
    for a, b in zip(one.placements(q), two.placements(q), strict=True):
        assert np.abs(a - b).max() <= 1e-12 * scale * len(one.table)
    for j in range(0 if base == "floating" else 1, robot.NL + 1):
        assert one.inertia(j).distance(two.inertia(j)) <= 1e-12 * scale
    for old, new in zip(robot.frames, again.frames, strict=True):
        assert (old.sigma, old.ant, old.name, old.limits) == (new.sigma, new.ant, new.name, new.limits)
        assert (old.coupling is None) == (new.coupling is None)


@settings(max_examples=40, deadline=None)
@given(text=urdfs())
def test_parameters_stay_within_the_robot(text: str) -> None:
    """Check that lengths have the size of the robot, also between nearly parallel axes."""
    robot = read_urdf(text, exact=True)
    urdf = Urdf(text)
    reach = sum(np.linalg.norm(urdf.step(j, {})[:3, 3]) for j in urdf.joints.values())
    for row in Frames(robot).table:
        assert max(abs(row[1]), abs(row[3]), abs(row[5])) <= 21 * reach + 1e-15
