"""Run `symoro linearise`: print the matrices of the linear model, or write them as code."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from symoro.errors import OptionError
from symoro.files import write_folder
from symoro.robot.coordinates import independent
from symoro.robot.description import JointType, Robot
from symoro.simulation.linearise import Linearisation, linearise
from symoro.ui import present
from symoro.ui.simulate import state_and_symbols

STATE = ("q", "tau", "e", "Q0")


def show_linearisation(robot: Robot, options: argparse.Namespace) -> int:
    """Linearise a robot, print or write the result, and return the exit code."""
    given, values = state_and_symbols(robot, options.values)
    for name in given:
        if name not in STATE:
            raise OptionError(f"linearise takes no {name}", hint=f"expected {', '.join(STATE)}, or a symbol")
    q = given.pop("q", None)
    if options.degrees and q is not None and not isinstance(q, str):
        turns = [robot.frame(j).sigma == JointType.REVOLUTE for j in independent(robot)]
        q = [math.radians(x) if turn else x for x, turn in zip(q, turns, strict=len(q) == len(turns))]
    if options.symbols and not options.transfer:
        raise OptionError("--symbols requires --transfer", hint="for example --transfer q2/tau1 --symbols")
    result = linearise(robot, q, tau=given.pop("tau", None), values=values, **given)
    if options.output:
        files = result.model.code(options.lang or "text")
        for path in write_folder(Path(options.output), files, force=options.force):
            if not options.json:
                print(f"wrote {path}")
    if options.json:
        present.as_json(_data(result, options.transfer, options.symbols))
    elif options.lang and not options.output:
        present.source(result.model.code(options.lang))
    elif not options.output:
        shown = [] if options.symbols and not _has_numbers(result) else [str(result)]
        for one in options.transfer or []:
            shown.append(_symbolic_text(result, one) if options.symbols else _transfer_text(result, one))
        print("\n".join(shown))
    return 0


def _has_numbers(result: Linearisation) -> bool:
    return all(name in result.values for name in result.model.parameters)


def _pair(text: str) -> tuple[str, str]:
    output, _, drive = text.partition("/")
    if not output or not drive:
        raise OptionError(f"--transfer {text}: expected STATE/DRIVE", hint="for example --transfer q2/tau1")
    return output, drive


def _transfer_text(result: Linearisation, text: str) -> str:
    numerator, denominator = result.transfer_function(*_pair(text))
    shown = [" ".join(f"{x:.6g}" for x in row) for row in (numerator, denominator)]
    return f"{text} =\nnumerator, by descending powers of s: {shown[0]}\ndenominator: {shown[1]}"


def _symbolic_text(result: Linearisation, text: str) -> str:
    return f"{text} = {result.symbolic_transfer_function(*_pair(text))}"


def _data(result: Linearisation, transfer: list[str] | None, symbols: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "states": list(result.states),
        "drives": list(result.drives),
        "q": [x if math.isfinite(x) else None for x in result.q.tolist()],
        "tau": None if result.tau is None else result.tau.tolist(),
    }
    numbers = not symbols or _has_numbers(result)
    if numbers:
        values = result.eigenvalues().tolist()
        data |= {"A": result.A.tolist(), "B": result.B.tolist()}
        data["eigenvalues"] = [[x.real, x.imag] for x in values]
    for text in transfer or []:
        one: dict[str, Any] = {}
        if numbers:
            numerator, denominator = result.transfer_function(*_pair(text))
            one |= {"numerator": numerator.tolist(), "denominator": denominator.tolist()}
        if symbols:
            one["expression"] = str(result.symbolic_transfer_function(*_pair(text)))
        data.setdefault("transfer", {})[text] = one
    return data
