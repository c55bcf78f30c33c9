"""Direct dynamic models as systems of ordinary differential equations x' = f(x, u), y = g(x, u).

The state follows from the ports of the model (`emit.integrator`). Derivatives that the model does not compute are added
to its program, so that they can be differentiated together with it:

    P0' = R0 v,  Q0' = Q0 (0, w)/2,  V0' = Vd0 - (w x v; 0)      a floating base with the quaternion Q0 = (w, x, y, z)
    pose' = V0 rotated by the heading                            a wheeled robot

A robot with closed loops has the minimal state (qa, qda) of its active joints: positions and velocities of all joints
are functions of it, so that the integration does not drift away from the loop constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from symoro.emit.integrator import PAIRS, state_of
from symoro.expr import ops
from symoro.expr.linalg import cross
from symoro.expr.scalar import Expr, cos, sin
from symoro.program.passes.rebuild import copied
from symoro.program.program import Input, Output, Program, size

RATE = "{}_rate"  # name of an output that is added to the program


@dataclass(frozen=True)
class Ode:
    """Program as a system of differential equations; without a state it is a function.

    Attributes:
        program: inputs are state and inputs of the system, outputs are its outputs and derivatives of the state.
        states: arrays of the state with their numbers of entries, in order.
        rates: array of the state -> array that is its derivative, another array of the state or an output.
        inputs: inputs of the system, names of inputs of the program.
        outputs: outputs of the system, names of outputs of the program.
        active: positions of the active joints among all joints, if closed loops determine the others.
    """

    program: Program
    states: dict[str, int]
    rates: dict[str, str]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    active: tuple[int, ...] = ()


def function_of(program: Program) -> Ode:
    """Return a program as a system without a state."""
    inputs, outputs = ([port.name for port in ports] for ports in (program.inputs, program.outputs))
    return Ode(program, {}, {}, tuple(inputs), tuple(outputs))


def ode_of(program: Program) -> Ode:
    """Return a direct dynamic model as a system of differential equations.

    Raises:
        OptionError: the outputs of the model are not the derivatives of its inputs, or its base has the rotation R0.
    """
    layout = state_of(program)
    outputs = tuple(port.name for port in program.outputs)
    parts = ["qa" if name == "q" and layout.tied else name for name in layout.state]
    states = {name: len(layout.active) if name == "qa" else layout.sizes[name] for name in parts}
    rates = {name: PAIRS[name] for name in parts if name in PAIRS}
    rates |= {name: RATE.format(name) for name in parts if name not in PAIRS}
    if layout.tied:
        rates["qa"] = "qda"
    extended = _with_base_motion(program) if "Q0" in parts else program
    extended = _with_rolling(extended) if "pose" in parts else extended
    return Ode(extended, states, rates, layout.inputs, outputs, layout.active)


def _with_base_motion(program: Program) -> Program:
    """Return the program with the derivatives of position, quaternion and velocity of the base as outputs."""
    copy = copied(program)
    r, velocity = _input(copy, "Q0"), _input(copy, "V0")
    v, w = velocity[:3], velocity[3:]
    acceleration = _output(copy, "Vd0")
    turned = cross(r[1:], v)
    scale = 2 / (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3])
    twice = cross(r[1:], turned)
    position = [v[i] + scale * (r[0] * turned[i] + twice[i]) for i in range(3)]
    spun = cross(r[1:], w)
    scalar_part = -(r[1] * w[0] + r[2] * w[1] + r[3] * w[2]) / 2
    quaternion = [scalar_part, *((r[0] * w[i] + spun[i]) / 2 for i in range(3))]
    coriolis = cross(w, v)
    twist = [acceleration[i] - coriolis[i] for i in range(3)] + acceleration[3:]
    return _with_rates(copy, {"P0": position, "Q0": quaternion, "V0": twist})


def _with_rolling(program: Program) -> Program:
    """Return the program with the additional input `pose` of a wheeled robot and its derivative as an output."""
    taken = {s for port in program.inputs for s in port.symbols} | set(program.parameters)
    symbols = []
    for k in range(1, 4):
        symbol = f"pose{k}"
        while symbol in taken:
            symbol += "_"
        symbols.append(symbol)
    pose = Input("pose", (3,), tuple(symbols), "pose of the base: x, y and heading", unit="m; rad")
    copy = replace(copied(program), inputs=(*program.inputs, pose))
    heading, velocity = _input(copy, "pose")[2], _output(copy, "V0")
    c, s = cos(heading), sin(heading)
    rate = [c * velocity[0] - s * velocity[1], s * velocity[0] + c * velocity[1], velocity[2]]
    return _with_rates(copy, {"pose": rate})


def _input(program: Program, name: str) -> list[Expr]:
    port = next(port for port in program.inputs if port.name == name)
    return [Expr(program.graph, program.graph.symbol(symbol, ops.VARIABLE)) for symbol in port.symbols]


def _output(program: Program, name: str) -> list[Expr]:
    port = next(port for port in program.outputs if port.name == name)
    return [Expr(program.graph, lit) for lit in port.lits]


def _with_rates(program: Program, rates: dict[str, Sequence[Expr]]) -> Program:
    added = tuple(
        Output(RATE.format(name), (len(entries),), tuple(x.lit for x in entries), f"derivative of {name}")
        for name, entries in rates.items()
    )
    return replace(program, outputs=(*program.outputs, *added))


def dependencies(program: Program) -> dict[str, list[set[tuple[str, int]]]]:
    """Return, per output and entry, the entries (input, index) of the inputs on which it depends."""
    places = [(port.name, k) for port in program.inputs for k in range(size(port.shape))]
    symbols = [symbol for port in program.inputs for symbol in port.symbols]
    bit_of = {symbol: 1 << k for k, symbol in enumerate(symbols)}
    graph = program.graph
    masks: dict[int, int] = {}
    for i in program.nodes:
        mask = 0
        if graph.op[i] == ops.SYMBOL and graph.cls[i] == ops.VARIABLE:
            mask = bit_of.get(graph.args[i][0], 0)
        for lit in graph.children(i):
            mask |= masks[lit >> 1]
        masks[i] = mask
    return {
        port.name: [
            {place for k, place in enumerate(places) if masks[lit >> 1] >> k & 1} for lit in port.lits
        ]
        for port in program.outputs
    }
