"""Settings ("plan") of the kernel `closed_chain`, which solves a loop of six joints.

The loop equation can be arranged in twelve ways. The plan contains three of these arrangements, each with three shifts
of joint positions. There is no single criterion for a suitable arrangement: with parallel or intersecting axes the
elimination loses rank in some arrangements, and condition numbers do not rank the others reliably. Therefore each
arrangement is tried on random configurations. The plan contains those that give the most solutions and the fewest
spurious candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from symoro.errors import NotApplicableError
from symoro.expr.kernels.closed_chain import (
    ACCEPT,
    Array,
    candidates,
    distinct,
    loop_errors,
    polish,
    role_order,
    wrapped,
)
from symoro.models.rank import ranks, threshold
from symoro.models.tolerances import DEPENDENT_JOINTS, ILL_CONDITIONED_ROOT, SAME_POSTURE

Sampler = Callable[[np.random.Generator], tuple[Sequence[float], Sequence[float]]]

SEED = 6
FIRST, SECOND = 10, 40  # configurations in the trial of all arrangements, and in that of the best ones
KEPT = 4  # arrangements in the second trial
SHIFTS = 2  # sets of shifts per arrangement in the second trial
ENOUGH = 0.9  # share of the configurations that the best arrangement must recover

Arrangement = tuple[float, float, float, float]
Score = tuple[int, int, int]


def plan(kinds: Sequence[int], sample: Sampler) -> tuple[float, ...]:
    """Return the settings (12 numbers) with which the kernel `closed_chain` solves a loop.

    They are three arrangements of the loop equation, each followed by three shifts of joint positions.

    Args:
        kinds: kinds of the six joints, 0 revolute, 1 prismatic.
        sample: function that returns the constants (72) of the loop and the joint positions (6) of a random
            configuration that closes it.

    Raises:
        NotApplicableError: the joints are dependent in every configuration, or no arrangement is suitable.
    """
    rng = np.random.default_rng(SEED)
    kinds = [int(kind) for kind in kinds]
    placements, q = _draw(sample, rng, FIRST + SECOND, kinds)
    rank = _rank(placements, kinds, q)
    if rank < 6:
        raise NotApplicableError(
            f"the six joints give only {rank} independent motions in every configuration",
            hint="lock the redundant joints with the option 'locked', or give a partial pose with the option 'pose'",
        )
    first = [_with_shifts(kinds, arrangement, rng) for arrangement in _arrangements(kinds)]
    scores = {shifted: _score(placements[:FIRST], q[:FIRST], kinds, shifted) for shifted in first}
    best = sorted(first, key=lambda shifted: scores[shifted], reverse=True)[:KEPT]
    again = [
        shifted
        for old in best
        for shifted in (old, *(_with_shifts(kinds, int(old[0]), rng) for _ in range(SHIFTS - 1)))
    ]
    scores = {shifted: _score(placements[FIRST:], q[FIRST:], kinds, shifted) for shifted in again}
    ranked = sorted(again, key=lambda shifted: scores[shifted], reverse=True)
    good = [shifted for shifted in ranked if scores[shifted][0] >= ENOUGH * SECOND]
    if not good:
        raise NotApplicableError(
            "none of the arrangements of the loop is regular enough for the general method",
            hint="three intersecting, parallel or prismatic axes have closed forms: use method='pieper' or 'paul'",
        )
    repeats = {shifted: [other[0] for other in good[:k]].count(shifted[0]) for k, shifted in enumerate(good)}
    # prefer different arrangements: one may recover solutions that another loses
    chosen = sorted(good, key=lambda shifted: repeats[shifted])[:3]
    while len(chosen) < 3:
        chosen.append(_with_shifts(kinds, int(chosen[0][0]), rng))
    return tuple(number for shifted in chosen for number in shifted)


def _draw(sample: Sampler, rng: np.random.Generator, count: int, kinds: list[int]) -> tuple[Array, Array]:
    """Draw random closed configurations of the loop, with lengths divided by the largest length.

    Args:
        sample: function that returns constants (72) and joint positions (6) of a random configuration.
        rng: random number generator.
        count: number of configurations.
        kinds: kinds of the six joints, 0 revolute, 1 prismatic.

    Returns:
        The constant transforms (count, 6, 4, 4) and the joint positions (count, 6).
    """
    drawn = [sample(rng) for _ in range(count)]
    placements = np.zeros((count, 6, 4, 4))
    placements[:, :, :3] = np.array([constants for constants, _ in drawn], dtype=float).reshape(
        count, 6, 3, 4
    )
    placements[:, :, 3, 3] = 1
    scale = np.abs(placements[:, :, :3, 3]).max((1, 2))
    scale[scale == 0] = 1
    placements[:, :, :3, 3] /= scale[:, None, None]
    values = np.array([q for _, q in drawn], dtype=float)
    return placements, np.where(np.array(kinds) == 1, values / scale[:, None], values)


def _rank(placements: Array, kinds: list[int], q: Array) -> int:
    decided = ranks(loop_errors(placements, kinds, q)[1], threshold(DEPENDENT_JOINTS))
    return max(rank for rank in decided if rank is not None)


def _arrangements(kinds: list[int]) -> list[int]:
    """Return the numbers (0 to 11) of the arrangements of the loop equation that the elimination can solve.

    In such an arrangement the sixth joint is revolute or the third one is prismatic.

    Args:
        kinds: kinds of the six joints, 0 revolute, 1 prismatic.
    """
    orders = [role_order(arrangement) for arrangement in range(12)]
    return [k for k, order in enumerate(orders) if kinds[order[2]] or not kinds[order[5]]]


def _with_shifts(kinds: list[int], arrangement: int, rng: np.random.Generator) -> Arrangement:
    """Return an arrangement of the loop equation with three random shifts of joint positions.

    The shifts are those of the third, fourth and fifth joint of the arrangement. The shift of a prismatic joint is
    zero, except that of the third joint if the sixth one is revolute.

    Args:
        kinds: kinds of the six joints, 0 revolute, 1 prismatic.
        arrangement: number of the arrangement, 0 to 11.

    Returns:
        The number of the arrangement and the three shifts.
    """
    order = role_order(arrangement)
    shifts = rng.uniform(-1, 1, 3)
    for i in (2, 1, 0):
        if kinds[order[2 + i]] and (i or kinds[order[5]]):
            shifts[i] = 0
    return float(arrangement), float(shifts[0]), float(shifts[1]), float(shifts[2])


def _score(placements: Array, q: Array, kinds: list[int], shifted: Arrangement) -> Score:
    """Rate an arrangement of the loop equation by its solutions at sampled configurations; larger is better.

    A sample is inaccurate if a candidate solution does not converge, or if Newton's method changes a candidate by a
    large amount because its roots are nearly multiple. Solutions of a singular matrix pencil are accidental and are not
    counted.

    Args:
        placements: constant transforms (S, 6, 4, 4) of the loop at the S samples.
        q: joint positions (S, 6) that close the loop.
        kinds: kinds of the six joints, 0 revolute, 1 prismatic.
        shifted: number of the arrangement and its three shifts of joint positions.

    Returns:
        Three numbers, compared in this order: number of sampled configurations that are recovered; number of solutions
        minus number of inaccurate samples; number of solutions minus number of candidates.
    """
    starts, which, warnings = candidates(placements, kinds, list(shifted))
    rows = polish(placements[which], kinds, starts)[0]
    accepted = rows[:, 6] < ACCEPT
    good = accepted & (warnings[which] < 2)
    near = np.abs(wrapped(kinds, rows[:, :6] - q[which])).max(1) < SAME_POSTURE
    moved = ~(np.abs(wrapped(kinds, rows[:, :6] - starts)).max(1) < ILL_CONDITIONED_ROOT)
    inaccurate = len(np.unique(which[moved | ~accepted]))
    solutions = 0
    for sample in range(len(q)):
        mine = rows[good & (which == sample)]
        solutions += len(distinct(placements[sample], kinds, mine)) if len(mine) else 0
    return len(np.unique(which[good & near])), solutions - inaccurate, solutions - len(rows)
