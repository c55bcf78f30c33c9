"""The state of a direct dynamic model, read off its ports, as a fixed-step integrator lays it out (`integrator`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symoro.errors import OptionError
from symoro.program.program import Program, size

_BASE = ("P0", "Q0", "V0")
_WHEELS = ("q", "qda", "pose")


@dataclass(frozen=True)
class StateLayout:
    """Names of the parts of the state and of the other inputs, in the order of the arguments, with their sizes.

    Attributes:
        inner: the parts that steps go on with, one after the other: of closed loops all velocities, not qda alone.
        active: places of the active joints among those of q, where loops tie the others.
    """

    state: tuple[str, ...]
    inputs: tuple[str, ...]
    sizes: dict[str, int]
    inner: tuple[str, ...]
    active: tuple[int, ...] = ()

    @property
    def tied(self) -> bool:
        """Whether loops are closed after each step."""
        return bool(self.active)

    @property
    def total(self) -> int:
        return sum(self.sizes[name] for name in self.inner)

    def offset(self, name: str) -> int:
        before = self.inner[: self.inner.index(name)]
        return sum(self.sizes[part] for part in before)


def state_of(program: Program) -> StateLayout:
    """The state of a direct dynamic model.

    Raises:
        OptionError: the model's outputs are not the rates of its inputs.
    """
    sizes = {port.name: size(port.shape) for port in program.inputs}
    outputs = {port.name for port in program.outputs}
    if {"q", "qda", "tau"} <= set(sizes) and "qdda" in outputs:
        return _tied_state(program, sizes, outputs)
    if not {"q", "qd", "tau"} <= set(sizes) or "qdd" not in outputs:
        raise OptionError(
            "an integrator needs a direct dynamic model with inputs q, qd, tau and the output qdd",
            hint="direct-dynamics",
        )
    _check_rotation(sizes)
    if "qm" in sizes:
        raise OptionError("elastic actuators have no integrator")
    state: list[str] = [name for name in ("q", "qd", "e", "ed") if name in sizes]
    if "Q0" in sizes:
        state += _BASE
        sizes["P0"] = 3
    return _laid_out(state, sizes)


def _tied_state(program: Program, sizes: dict[str, int], outputs: set[str]) -> StateLayout:
    """The state of a robot whose joints follow its active ones."""
    if {"qd", "V0"} <= outputs:
        return _laid_out(_WHEELS, {**sizes, "pose": 3})
    _check_rotation(sizes)
    base = _BASE if "Q0" in sizes else ()
    symbols = {port.name: port.symbols for port in program.inputs}
    places = {name.removeprefix("q"): k for k, name in enumerate(symbols["q"])}
    active = tuple(places[name.removeprefix("qd")] for name in symbols["qda"])
    found = _laid_out(("q", "qda", *base), {**sizes, **({"P0": 3} if base else {}), "qd": sizes["q"]})
    inputs = tuple(name for name in found.inputs if name != "qd")
    return replace(found, inputs=inputs, inner=("q", "qd", *base), active=active)


def _check_rotation(sizes: Mapping[str, int]) -> None:
    if "R0" in sizes:
        raise OptionError(
            "the integrator of a floating base needs its rotation as a quaternion",
            hint="rotation='quaternion'",
        )


def _laid_out(state: Sequence[str], sizes: Mapping[str, int]) -> StateLayout:
    inputs = tuple(name for name in sizes if name not in state)
    return StateLayout(tuple(state), inputs, dict(sizes), tuple(state))
