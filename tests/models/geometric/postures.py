"""Inverse geometry as the tests ask it: an arm, poses, and one answer a pose, judged by the oracle alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

import symoro
from symoro.robot.description import JointType
from tests.oracle.arms import Arm
from tests.oracle.inverse_geometry import Chain

Array = NDArray[np.float64]

VALID, OUT_OF_REACH, SINGULAR, EMPTY = range(4)
EXACT = 1e-9  # residual that a valid solution may have
CLEAR = 1e-4  # smallest singular value at which such a residual still fixes the joints to 1e-5
APART = 1e-6  # joints of two valid solutions differ by more


@dataclass(frozen=True)
class Answer:
    """The slots of one pose; columns are the joints that were sought, in the order of the chain."""

    q: Array
    status: Array
    residual: Array
    free: Array

    @property
    def valid(self) -> Array:
        return self.q[self.status == VALID]


class Solver:
    """The model of an arm, and the oracle's geometry of the same arm."""

    def __init__(
        self,
        arm: Arm,
        method: str = "auto",
        *,
        compiled: bool = False,
        values: Mapping[str, float] | None = None,
    ) -> None:
        self.arm = arm
        options = {"method": method, "to": arm.to}
        if arm.pose != "full":
            options["pose"] = arm.pose
        if arm.locked:
            options["locked"] = ",".join(map(str, arm.locked))
        self.model = symoro.generate(arm.robot, "inverse-geometry", **options)
        self.function = self.model.function(values, compiled=compiled)
        self.chain = Chain(
            arm.robot, arm.to, pose=arm.pose, locked=dict.fromkeys(arm.locked, 0.0), values=values
        )
        # q holds every joint of the robot, or of the chain where it is a branch of a tree.
        self.columns = self.chain.tree.joints
        if self.model.outputs["q"][1] == len(self.chain.joints):
            self.columns = self.chain.joints
        self.sought = [self.columns.index(j) for j in self.chain.unknown]

    def postures(self, rng: np.random.Generator, count: int) -> Array:
        """Random values of all columns of q."""
        turns = np.array([self.chain.tree.sigma[j] == JointType.REVOLUTE for j in self.columns])
        return rng.uniform(-1, 1, (count, len(turns))) * np.where(turns, 3.1, 1.0)

    def at(self, q: Array) -> Chain:
        """The oracle's chain, its locked joints where one posture has them."""
        self.chain.locked = {j: q[self.columns.index(j)] for j in self.arm.locked}
        return self.chain

    def pose(self, q: Array) -> Array:
        return self.at(q).place(q[None, self.sought])[0]

    def told(self, T: Array) -> Array:
        """What the model may know of a pose: entries that are not given are zero."""
        if self.arm.pose in ("full", "planar"):
            return T
        told = np.zeros((4, 4))
        told[3, 3] = 1
        told[:3][self.chain.mask] = T[:3][self.chain.mask]
        return told

    def __call__(self, T: Array, q0: Array | None = None) -> Answer:
        return self.batch(T[None], None if q0 is None else q0[None])[0]

    def batch(self, T: Array, q0: Array | None = None) -> list[Answer]:
        """One answer a pose."""
        given = {"T": np.array([self.told(one) for one in T])}
        if q0 is not None:
            given["q0"] = q0
        out = self.function(**given)
        return [
            Answer(q[:, self.sought], status, residual, free[:, self.sought])
            for q, status, residual, free in zip(
                out["q"], out["status"], out["residual"], out["free"], strict=True
            )
        ]

    # -- judgement

    def check(self, answer: Answer, T: Array, q: Array) -> None:
        """What must hold of every answer; q holds the locked joints."""
        chain = self.at(q)
        assert set(answer.status) <= {VALID, OUT_OF_REACH, SINGULAR, EMPTY}
        assert set(answer.free.ravel()) <= {0.0, 1.0}
        valid = answer.status == VALID
        assert np.isfinite(answer.q[valid]).all(), "a valid solution is no number"
        if valid.any():
            assert answer.residual[valid].max() <= EXACT
            assert not answer.free[valid].any(), "a joint is free, yet the solution is not called singular"
            assert chain.error(answer.valid, T).max() <= EXACT, "a valid solution is wrong"
        for k, one in enumerate(answer.valid):
            rest = answer.valid[k + 1 :]
            assert not len(rest) or chain.distance(rest, one).min() > APART, "a solution is given twice"

    def has(self, answer: Answer, q: Array, tolerance: float = 1e-5) -> bool:
        """Whether a posture is among the valid solutions."""
        valid = answer.valid
        return bool(len(valid)) and bool(self.chain.distance(valid, q[self.sought]).min() < tolerance)

    def check_all(self, answer: Answer, T: Array, q: Array, rng: np.random.Generator) -> bool:
        """That the solutions are those of the oracle, where it is sure of them; whether it was."""
        result = self.at(q).all_solutions(T, rng)
        if not result.countable:
            return False
        missing = [one for one in result.q if not _among(self.chain, answer.valid, one)]
        assert not missing, f"{self.arm}: {len(missing)} of {len(result.q)} solutions are missing"
        return (
            True  # more than the search found are right too: `check` has judged each, and that no two are one
        )

    def sweep(self, rng: np.random.Generator, poses: int, counted: int) -> int:
        """Random poses; how many of them came back without the posture that made them.

        Where that is singular but for rounding its joints cannot be told from their neighbours': nothing is asked.
        """
        q = self.postures(rng, poses)
        T = np.array([self.pose(one) for one in q])
        missed = 0
        for k, (answer, pose, one) in enumerate(zip(self.batch(T, q), T, q, strict=True)):
            self.check(answer, pose, one)
            told = self.at(one).sensitivity(one[self.sought])[0] > CLEAR
            missed += bool(told) and not self.has(answer, one)
            if k < counted:
                self.check_all(answer, pose, one, rng)
        return missed


def _among(chain: Chain, many: Array, one: Array) -> bool:
    return bool(len(many)) and bool(chain.distance(many, one).min() < 1e-5)


def same(chain: Chain, some: Array, others: Array) -> bool:
    """Whether two sets of solutions are one, in any order."""
    return len(some) == len(others) and all(_among(chain, others, one) for one in some)


@cache
def solver(arm: Arm, method: str = "auto", compiled: bool = False) -> Solver:
    """The solver of an arm; made once, since making it is what takes time."""
    return Solver(arm, method, compiled=compiled)


def bundled(name: str) -> Arm:
    """A robot of the library and the question that fits it."""
    robot = symoro.load(name)
    to: int | str = "tool" if robot.tool else robot.NL
    pose = {"scara": "s,P", "planar3r": "planar", "gantry": "position"}.get(name, "full")
    return Arm(robot, to, pose=pose, locked={"panda": (7,), "iiwa14": (3,)}.get(name, ()))
