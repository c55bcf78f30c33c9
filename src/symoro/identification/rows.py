"""Rows of logs that can be gone through again: held in memory while they are few, made again where they are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.identification.equations import RowBlock, RowModel
from symoro.identification.log import Log
from symoro.identification.signals import Preparation

HELD = 100_000_000  # bytes
FIELDS = ("time", "A", "y", "direction", "kept")


class LogRows:
    """The blocks of some logs, one after the other."""

    def __init__(self, model: RowModel, logs: Sequence[Log], preparation: Preparation) -> None:
        self.model, self.logs, self.preparation = model, tuple(logs), preparation
        self._held: dict[int, list[RowBlock]] = {}

    def of(self, number: int) -> Iterator[RowBlock]:
        """The blocks of one log."""
        if number in self._held:
            yield from self._held[number]
            return
        room = HELD - sum(block.A.nbytes for blocks in self._held.values() for block in blocks)
        blocks: list[RowBlock] = []
        for block in self.model.blocks(self.logs[number], self.preparation):
            room -= block.A.nbytes
            if room > 0:
                blocks.append(block)
            else:
                blocks.clear()
            yield block
        if room > 0:
            self._held[number] = blocks

    def __call__(self) -> Iterator[RowBlock]:
        for number in range(len(self.logs)):
            yield from self.of(number)


def whole(blocks: Sequence[RowBlock]) -> RowBlock:
    """The blocks of a log as one."""
    return RowBlock(*(np.concatenate([getattr(b, field) for b in blocks]) for field in FIELDS))


def picked(rows: RowBlock, at: NDArray[np.intp]) -> RowBlock:
    """Some of the samples of a block."""
    return RowBlock(*(getattr(rows, field)[at] for field in FIELDS))
