"""Passes over logs: each makes the triangles of all rows, in this process or on a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from symoro.identification.cluster import Work, compressed_on_cluster
from symoro.identification.compress import LogPart, Triangles, compressed, joined
from symoro.identification.equations import RowModel
from symoro.identification.load_friction import LoadPoint, at_load
from symoro.identification.log import Log
from symoro.identification.rows import LogRows
from symoro.progress import task


@dataclass(frozen=True, eq=False)
class Passes:
    """What a pass needs; `client` is a `distributed.Client`, or None."""

    model: RowModel
    logs: Sequence[Log]
    work: Work
    client: Any = None

    def __call__(self, at: LoadPoint | None = None) -> tuple[LogRows, dict[LogPart, Triangles]]:
        """The rows and their triangles; `at` is where friction that grows with the load is predicted."""
        model = self.model if at is None else at_load(self.model, at)
        rows = LogRows(model, self.logs, self.work.preparation)
        parts: dict[LogPart, Triangles] = {}
        with task("reading the log", len(self.logs)) as work:
            for k, log in enumerate(self.logs):
                work.to(k)
                if self.client is None:
                    length = log.samples / log.rate
                    found = compressed(rows.of(k), model.support, length, self.work.share)
                else:
                    found = compressed_on_cluster(replace(self.work, at=at), log, model.support, self.client)
                parts |= {p: joined(parts[p], t) if p in parts else t for p, t in found.items()}
        return rows, parts
