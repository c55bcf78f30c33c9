"""Test the kernel closed_chain in C: many poses, whose solutions contain the original configuration."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np

from tests.emit.kernel_cases import loop_case
from tests.emit.run import c_library
from tests.oracle.loops import ARMS, general, kinds_with


def test_c_finds_configurations_again(tmp_path: Path) -> None:
    """Check many samples in one call."""
    arms = {"jaco": ARMS["jaco2"], "one": general(kinds_with(5), 8)}
    cases = [loop_case(name, arm) for name, arm in arms.items()]
    library = ctypes.CDLL(str(c_library(tmp_path, cases)))
    rng, count = np.random.default_rng(11), 500
    for name, arm in arms.items():
        constants, q = (np.array(part) for part in zip(*(arm.sample(rng) for _ in range(count)), strict=True))
        given, out = np.ascontiguousarray(constants.T), np.zeros((112, count))
        pointers = (a.ctypes.data_as(ctypes.c_void_p) for a in (given, out))
        getattr(library, f"loop_{name}_batch")(ctypes.c_size_t(count), *pointers)
        table = out.T.reshape(count, 16, 7)
        gap = np.abs(table[..., :6] - q[:, None])
        near = (
            np.where(np.array(arm.kinds) == 0, np.minimum(gap, np.abs(gap - 2 * np.pi)), gap).max(-1) < 1e-6
        )
        assert near.any(1).all()
        assert table[..., 6][table[..., 6] < 1e29].max() < 1e-9
