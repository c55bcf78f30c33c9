"""Joints at rest that share their freedom with one that follows a motion: which of them it moves off."""

from dataclasses import replace

import numpy as np
import pytest

import symoro
from symoro.robot.formats import loads
from symoro.trajectory.sampling import sampled
from symoro.trajectory.trajectory import Hold, Move, Trajectory

FINE = {"rtol": 1e-11, "atol": 1e-12}


def dragged(wall: float, slide: float, *, more: int = 0):
    """A block of 1 kg between a wall and a driven slide, friction on both; `more` joints rub as on the slide."""
    coupled = (
        "  - {ant: 0, joint: prismatic, coupled: {joints: {1: 1, 2: -1}}, drive: {FS: %g}, link: {M: 0}}\n"
    )
    return loads(
        f"""
symoro: 1
name: dragged
base: {{gravity: [0, 0, 0]}}
frames:
  - {{joint: prismatic, link: {{M: 1}}}}
  - {{ant: 0, joint: prismatic, drive: {{FS: {wall}}}, link: {{M: 1}}}}
{(coupled % slide) * (1 + more)}""",
        "yaml",
    )


def cubic(way: float, start: float = 0.0):
    def at(t: float) -> tuple[float, float, float]:
        s = max(0.0, t - start)
        return way * s**3, 3 * way * s**2, 6 * way * s

    return at


@pytest.mark.parametrize("way", [1.0, -1.0])
@pytest.mark.parametrize("start", [0.0, 0.2])
def test_a_block_is_taken_along_until_the_slide_goes_too_fast(way, start):
    """It sticks to the slide until 6 s + 0.2 = 0.5, and slides on both from there."""
    motion = symoro.simulate(dragged(0.2, 0.5), 0.5, q=[0, 0], driven={1: cubic(way, start)}, **FINE)
    assert motion.finished, motion.why
    s = np.maximum(0.0, motion.t - start)
    later = np.maximum(0.0, s - 0.05)
    true = np.where(s < 0.05, s**3, 0.05**3 + 3 * 0.05**2 * later + 0.15 * later**2)
    assert np.abs(motion.q[:, 1] - way * true).max() < 1e-7
    assert [e.time for e in motion.events] == pytest.approx([start, start + 0.05], abs=1e-8)
    assert [(round(e.time, 4), e.joint, e.what) for e in motion.events] == [
        (start, 2, "slides"),
        (start + 0.05, 3, "slides"),
    ]


def test_a_block_that_the_wall_holds_better_stays():
    motion = symoro.simulate(dragged(0.5, 0.2), 0.5, q=[0, 0], driven={1: cubic(1.0)}, **FINE)
    assert motion.finished and np.abs(motion.q[:, 1]).max() < 1e-9
    assert [(e.joint, e.what) for e in motion.events] == [(3, "slides")]


def test_a_slide_that_starts_with_a_jerk_slides_on_the_block_at_once():
    motion = symoro.simulate(
        dragged(0.2, 0.5), 0.4, q=[0, 0], driven={1: lambda t: (t * t / 2, t, 1.0)}, **FINE
    )
    assert motion.finished and np.abs(motion.q[:, 1] - 0.15 * motion.t**2).max() < 1e-7


def test_smoother_starts_are_located_too():
    motion = symoro.simulate(
        dragged(0.2, 0.5), 0.1, q=[0, 0], driven={1: lambda t: (t**4, 4 * t**3, 12 * t * t)}, **FINE
    )
    assert motion.finished and np.abs(motion.q[:, 1] - motion.t**4).max() < 1e-7


def test_a_trajectory_that_waits_and_starts_again_moves_it_off_anew():
    path = Trajectory((Move((0.1,), duration=1), Hold(0.3), Move((0.0,), duration=1)), (0.0,))
    one = sampled(symoro.Robot.from_dh([("P", 0, 0, 0, 0)], "kk"), path, step=0.01)
    motion = replace(one, joints=(1,))
    result = symoro.simulate(dragged(0.2, 5.0), float(one.t[-1]), q=[0, 0], driven=motion, **FINE)
    assert result.finished, result.why
    assert np.abs(result.q[:, 1] - result.q[:, 0]).max() < 1e-7  # it goes along all the time
    starts = [round(e.time, 3) for e in result.events if (e.joint, e.what) == (2, "slides")]
    assert starts == [0.0, 1.3]


@pytest.mark.parametrize("more", [4, 8])
def test_joints_that_rub_alike_go_together(more):
    """Five joints of 0.1 N, or nine of 0.5/9 N, are one of 0.5 N."""
    robot = dragged(0.2, 0.5 / (1 + more), more=more)
    motion = symoro.simulate(robot, 0.3, q=[0, 0], driven={1: cubic(1.0)}, **FINE)
    alone = symoro.simulate(dragged(0.2, 0.5), 0.3, q=[0, 0], driven={1: cubic(1.0)}, **FINE)
    assert motion.finished and np.abs(motion.q - alone.q).max() < 1e-7
