"""Golden robots of tests/data: descriptions, states and numbers of an independent implementation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import symoro
from symoro.model import Model
from symoro.robot.description import Robot

DATA = Path(__file__).resolve().parents[1] / "data"
NAMES = (
    "Chain12",
    "DiffDrive",
    "Flex3R",
    "PUMA560",
    "RPR",
    "RX90",
    "RX90basevel",
    "RX90flex",
    "RX90floating",
    "SCARA",
    "SR400",
    "Stanford",
    "Tool3R",
    "Tree5",
    "testLoop",
)


@dataclass(frozen=True)
class Golden:
    """Robot with cut loops, a state and the expected numbers."""

    robot: Robot
    data: dict[str, Any]

    @property
    def expected(self) -> dict[str, Any]:
        return self.data["expected"]

    def inputs(self, model: Model) -> dict[str, NDArray[np.float64]]:
        """Return the part of the state that the model requires."""
        moving = [j for j in range(1, self.robot.NL + 1) if self.robot.frame(j).sigma != 2]
        state = {name: [self.data[name][str(j)] for j in moving] for name in ("q", "qd", "qdd")}
        base = self.data["base"]
        state["V0"] = [*base["v0"], *base["w0"]]
        state["Vd0"] = [*base["vd0"], *base["wd0"]]
        return {name: np.array(value) for name, value in state.items() if name in model.inputs}

    def run(self, name: str, **options: Any) -> dict[str, NDArray[np.float64]]:
        """Return the outputs of a model in this state."""
        model = symoro.generate(self.robot, name, **options)
        values = {p: self.data["env"][p] for p in model.parameters}
        return model.function(values, compiled=False)(**self.inputs(model))


def golden(name: str) -> Golden:
    data = json.loads((DATA / "golden" / f"{name}.json").read_text(encoding="utf-8"))
    return Golden(symoro.load(DATA / data["par"]).tree(), data)
