"""Inverse geometry in the tests: an arm, poses, and the solutions of each pose, checked by the oracle."""

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
    """Solution slots of one pose; columns are the unknown joints, in the order of the chain."""

    q: Array
    status: Array
    residual: Array
    free: Array

    @property
    def valid(self) -> Array:
        return self.q[self.status == VALID]


class Solver:
    """Model of an arm, and the oracle's geometry of the same arm."""

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
        # q contains every joint of the robot, or of the chain if it is a branch of a tree.
        self.columns = self.chain.tree.joints
        if self.model.outputs["q"][1] == len(self.chain.joints):
            self.columns = self.chain.joints
        self.unknown_columns = [self.columns.index(j) for j in self.chain.unknown]

    def postures(self, rng: np.random.Generator, count: int) -> Array:
        """Return random values of all columns of q."""
        turns = np.array([self.chain.tree.sigma[j] == JointType.REVOLUTE for j in self.columns])
        return rng.uniform(-1, 1, (count, len(turns))) * np.where(turns, 3.1, 1.0)

    def at(self, q: Array) -> Chain:
        """Return the oracle's chain with its locked joints at the positions of a configuration."""
        self.chain.locked = {j: q[self.columns.index(j)] for j in self.arm.locked}
        return self.chain

    def pose(self, q: Array) -> Array:
        return self.at(q).place(q[None, self.unknown_columns])[0]

    def given_entries(self, T: Array) -> Array:
        """Return the pose with zeros in the entries that are not given to the model."""
        if self.arm.pose in ("full", "planar"):
            return T
        known_entries = np.zeros((4, 4))
        known_entries[3, 3] = 1
        known_entries[:3][self.chain.mask] = T[:3][self.chain.mask]
        return known_entries

    def __call__(self, T: Array, q0: Array | None = None) -> Answer:
        return self.batch(T[None], None if q0 is None else q0[None])[0]

    def batch(self, T: Array, q0: Array | None = None) -> list[Answer]:
        """Return one answer per pose."""
        given = {"T": np.array([self.given_entries(one) for one in T])}
        if q0 is not None:
            given["q0"] = q0
        out = self.function(**given)
        return [
            Answer(q[:, self.unknown_columns], status, residual, free[:, self.unknown_columns])
            for q, status, residual, free in zip(
                out["q"], out["status"], out["residual"], out["free"], strict=True
            )
        ]

    # -- checks

    def check(self, answer: Answer, T: Array, q: Array) -> None:
        """Check the properties of every answer; q contains the positions of locked joints."""
        chain = self.at(q)
        assert set(answer.status) <= {VALID, OUT_OF_REACH, SINGULAR, EMPTY}
        assert set(answer.free.ravel()) <= {0.0, 1.0}
        valid = answer.status == VALID
        assert np.isfinite(answer.q[valid]).all(), "a valid solution is not finite"
        if valid.any():
            assert answer.residual[valid].max() <= EXACT
            assert not answer.free[valid].any(), "a joint is free, but the status is not singular"
            assert chain.error(answer.valid, T).max() <= EXACT, "a valid solution is wrong"
        for k, one in enumerate(answer.valid):
            rest = answer.valid[k + 1 :]
            assert not len(rest) or chain.distance(rest, one).min() > APART, "a solution is given twice"

    def has(self, answer: Answer, q: Array, tolerance: float = 1e-5) -> bool:
        """Return whether a configuration is among the valid solutions."""
        valid = answer.valid
        return bool(len(valid)) and bool(
            self.chain.distance(valid, q[self.unknown_columns]).min() < tolerance
        )

    def check_all(self, answer: Answer, T: Array, q: Array, rng: np.random.Generator) -> bool:
        """Check that the solutions are those of the oracle if it is certain of them; return whether it is."""
        result = self.at(q).all_solutions(T, rng)
        if not result.countable:
            return False
        missing = [one for one in result.q if not _among(self.chain, answer.valid, one)]
        assert not missing, f"{self.arm}: {len(missing)} of {len(result.q)} solutions are missing"
        return True  # additional solutions are correct as well: `check` verifies each, and that all are different

    def sweep(self, rng: np.random.Generator, poses: int, counted: int) -> int:
        """Solve random poses; return the number of poses whose original configuration is not among the solutions.

        Configurations that are singular up to rounding are not counted, because the pose does not determine their
        joints.
        """
        q = self.postures(rng, poses)
        T = np.array([self.pose(one) for one in q])
        missed = 0
        for k, (answer, pose, one) in enumerate(zip(self.batch(T, q), T, q, strict=True)):
            self.check(answer, pose, one)
            is_determined = self.at(one).sensitivity(one[self.unknown_columns])[0] > CLEAR
            missed += bool(is_determined) and not self.has(answer, one)
            if k < counted:
                self.check_all(answer, pose, one, rng)
        return missed


def _among(chain: Chain, many: Array, one: Array) -> bool:
    return bool(len(many)) and bool(chain.distance(many, one).min() < 1e-5)


def same(chain: Chain, some: Array, others: Array) -> bool:
    """Return whether two sets of solutions are equal, in any order."""
    return len(some) == len(others) and all(_among(chain, others, one) for one in some)


@cache
def solver(arm: Arm, method: str = "auto", compiled: bool = False) -> Solver:
    """Return the solver of an arm, cached because its generation is slow."""
    return Solver(arm, method, compiled=compiled)


def bundled(name: str) -> Arm:
    """Return a robot of the library with a suitable end frame and pose."""
    robot = symoro.load(name)
    to: int | str = "tool" if robot.tool else robot.NL
    pose = {"scara": "s,P", "planar3r": "planar", "gantry": "position"}.get(name, "full")
    return Arm(robot, to, pose=pose, locked={"panda": (7,), "iiwa14": (3,)}.get(name, ()))
