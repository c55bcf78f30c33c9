"""Operation counts beside the published ones: python benchmarks/operations.py [--search] [NAME ...]

Multiplications / additions per call, sines and cosines and the work done once not counted. The published figures are
those of table 1 of Gautier and Khalil, 1988 (customised Newton-Euler with base parameters), of which the general ones
include six rotor inertias; the marks are the best counts known to us before.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass

import symoro
from symoro.expr.formula import Formula, formula
from symoro.robot.description import INERTIAL, Base, Frame, JointType, Link, Robot

RIGHT = {0: "0", 1: "pi/2", -1: "-pi/2"}


@dataclass(frozen=True)
class Case:
    """A robot with the published count and the mark, each (multiplications, additions)."""

    name: str
    robot: Robot
    model: str = "inverse-dynamics"
    published: tuple[int, int] | None = None
    mark: tuple[int, int] | None = None


def serial(
    name: str,
    alpha: Iterable[int | str],
    d: Iterable[int | str],
    r: Iterable[int | str],
    sigma: Iterable[int] | None = None,
    moments: Iterable[str] | None = None,
    rotors: bool = False,
    tip_wrench: bool = False,
) -> Robot:
    """A serial robot; with `moments` only XX, YY, ZZ, M and one first moment a link are not zero."""
    alphas, ds, rs = list(alpha), list(d), list(r)
    sigmas = list(sigma or [0] * len(alphas))
    chosen = list(moments) if moments else None
    frames, links = [], []
    for j in range(1, len(alphas) + 1):
        a = alphas[j - 1]
        frames.append(
            Frame(
                j - 1,
                JointType(sigmas[j - 1]),
                alpha=formula(RIGHT[a] if isinstance(a, int) else a),
                d=formula(ds[j - 1]),
                r=formula(rs[j - 1]),
                IA=Formula(f"IA{j}") if rotors else formula(0),
            )
        )
        names = INERTIAL if chosen is None else ("XX", "YY", "ZZ", "M", chosen[j - 1])
        wrench = ("FX", "FY", "FZ", "CX", "CY", "CZ") if tip_wrench and j == len(alphas) else ()
        links.append(Link(**{n: Formula(f"{n}{j}") for n in (*names, *wrench)}))
    return Robot(name, tuple(frames), tuple(links), Base())


SCEMI = ((0, 1, 0, -1, 1, -1), (0, 0, "D3", 0, 0, 0), (0, 0, 0, "RL4", 0, 0))
STANFORD = ((0, -1, 1, 0, -1, 1), (0,) * 6, (0, "RL2", 0, 0, 0, 0), (0, 0, 1, 0, 0, 0))


def general(n: int) -> Robot:
    """Every geometric parameter a symbol."""
    return serial(
        f"general{n}",
        [0, *(f"AL{j}" for j in range(2, n + 1))],
        [0, *(f"D{j}" for j in range(2, n + 1))],
        [0, *(f"RL{j}" for j in range(2, n + 1))],
    )


def cases() -> list[Case]:
    scemi_moments, stanford_moments = (
        ("MX", "MX", "MY", "MZ", "MY", "MZ"),
        ("MY", "MY", "MZ", "MZ", "MY", "MZ"),
    )
    puma = serial("puma560", (0, -1, 0, -1, 1, -1), (0, 0, "D3", "D4", 0, 0), (0, 0, "RL3", "RL4", 0, 0))
    iiwa = serial("iiwa", (0, -1, 1, 1, -1, -1, 1), (0,) * 7, (0, 0, "RL3", 0, "RL5", 0, 0))
    scemi = serial("scemi", *SCEMI)
    rows = [
        Case("SCEMI", scemi, mark=(212, 201)),
        Case(
            "SCEMI, rotors",
            serial("scemi_rotors", *SCEMI, rotors=True),
            published=(253, 238),
            mark=(218, 207),
        ),
        Case(
            "SCEMI simplified",
            serial("scemi_simplified", *SCEMI, moments=scemi_moments, rotors=True, tip_wrench=True),
            published=(159, 113),
            mark=(142, 109),
        ),
        Case("Stanford", serial("stanford", *STANFORD), published=(232, 218), mark=(201, 193)),
        Case(
            "Stanford simplified",
            serial("stanford_simplified", *STANFORD, moments=stanford_moments, rotors=True, tip_wrench=True),
            published=(142, 99),
            mark=(132, 103),
        ),
        Case("PUMA560", puma, mark=(220, 209)),
        Case("iiwa", iiwa, mark=(265, 253)),
    ]
    for n in (6, 7, 8):
        published, mark = (92 * n - 127, 81 * n - 117), (86 * n - 117, 74 * n - 105)
        rows.append(Case(f"general {n}R", general(n), published=published, mark=mark))
    rows.append(Case("SCEMI inertia matrix", scemi, "inertia-matrix", mark=(115, 106)))
    rows.append(Case("SCEMI direct dynamics", scemi, "direct-dynamics", mark=(383, 343)))
    rows.append(Case("RX90 Jacobian, frame 3", scemi, "jacobian"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--search", action="store_true", help="search for the best formulation (minutes)")
    parser.add_argument("names", nargs="*", help="only the cases whose name contains one of these")
    options = parser.parse_args()
    print(f"{'':24}{'symoro':>12}{'mark':>12}{'published':>12}  functions")
    for case in cases():
        if options.names and not any(word.lower() in case.name.lower() for word in options.names):
            continue
        details: dict[str, object] = {"frame": 3} if case.model == "jacobian" else {}
        if options.search and case.model in ("inverse-dynamics", "direct-dynamics"):
            details["effort"] = "search"
        counted = symoro.generate(case.robot, case.model, **details).count()
        ours = f"{counted.multiplications}/{counted.additions}"
        ours += f"/{counted.divisions}" if counted.divisions else ""
        shown = [f"{x[0]}/{x[1]}" if x else "" for x in (case.mark, case.published)]
        print(f"{case.name:24}{ours:>12}{shown[0]:>12}{shown[1]:>12}  {counted.functions}", flush=True)


if __name__ == "__main__":
    main()
