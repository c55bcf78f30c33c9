"""The C that roboticstoolbox generates for a standard Denavit-Hartenberg arm: python toolbox.py TABLE.json FOLDER

A program of its own, since the derivation takes minutes, may not end, and wants SIGALRM for itself.
Writes FOLDER/ikine.c, and FOLDER/report.json: the method, or why there is none, and the seconds it took.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def generate(table: dict[str, list[float]]) -> tuple[str, str]:
    """(method, C)."""
    from roboticstoolbox import DHRobot, PrismaticDH, RevoluteDH

    links = []
    for turns, theta, d, a, alpha in zip(
        *(table[key] for key in ("revolute", "theta", "d", "a", "alpha")), strict=True
    ):
        if turns:
            links.append(RevoluteDH(d=d, a=a, alpha=alpha, offset=theta))
        else:
            links.append(PrismaticDH(theta=theta, a=a, alpha=alpha, offset=d))
    solver = DHRobot(links, name="arm").analytic_ik()
    return solver.method, solver.generate("c", "ikine")


def main() -> None:
    table, folder = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    import roboticstoolbox  # noqa: F401  before the stopwatch starts
    import sympy  # noqa: F401

    start = time.perf_counter()
    try:
        method, code = generate(table)
        (folder / "ikine.c").write_text(code, encoding="utf-8")
        report = {"method": method}
    except (ValueError, NotImplementedError) as refused:
        report = {"refused": str(refused)}
    report["seconds"] = time.perf_counter() - start
    (folder / "report.json").write_text(json.dumps(report), encoding="utf-8")


if __name__ == "__main__":
    main()
