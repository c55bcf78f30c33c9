"""Names by which a reader tells logs apart: that of the file, its path where another file has the same name."""

from __future__ import annotations

from collections.abc import Sequence

from symoro.identification.log import Log


def log_names(logs: Sequence[Log], beside: Sequence[Log] = ()) -> list[str]:
    """One name a log, no two alike.

    Arguments:
        beside: logs that are told of too; one of these under the same name is told apart unless it is the same file.
    """
    plain = []
    for log in logs:
        same = [other for other in (*logs, *beside) if other.name == log.name]
        several = any(other.source != log.source for other in same)
        plain.append(str(log.source) if several and log.source is not None else log.name)
    before = [plain[:k].count(name) for k, name in enumerate(plain)]
    return [f"{name} ({count + 1})" if count else name for name, count in zip(plain, before, strict=True)]
