"""A fixed-step integrator in C for a direct dynamic model: NAME_rk4, Runge and Kutta's method of order four.

    void NAME_rk4(size_t steps, double h, state ..., const double *tau, ... [, const double *k]);

The state is changed in place, inputs are held. No heap, no branch: each step costs four calls of the model. The rates
of the state are read off the model's ports:

    q' = qd,  qd' = qdd                         joints
    e' = ed,  ed' = edd                         modes of flexible links
    P0' = R0 v,  Q0' = Q0 (0, w)/2,             a floating base, its rotation a quaternion (w, x, y, z) that is
    V0' = Vd0 - (w x v; 0)                      brought back to length 1 after each step
    q' = qd(q, qda),  qda' = qdda,              on wheels: all joints roll with the active ones, and
    pose' = V0 turned by the heading            the base (x, y, heading) moves

Closed loops have none: between steps their passive joints would have to be closed again by an iteration, which takes
equations that the direct dynamic model does not hold.

E. Hairer, S.P. Norsett, G. Wanner, "Solving ordinary differential equations I", Springer, 1993, section II.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symoro.emit.clike import array_of
from symoro.emit.dialect import Files
from symoro.errors import OptionError
from symoro.files import MADE_BY
from symoro.program.program import Program, size

INTEGRATORS = ("rk4",)
_PAIRS = {"q": "qd", "qd": "qdd", "qda": "qdda", "e": "ed", "ed": "edd"}
_BASE = ("P0", "Q0", "V0")
_WHEELS = ("q", "qda", "pose")
STEPS, STEP = 10, 0.001  # that the example takes, and their seconds


@dataclass(frozen=True)
class StateLayout:
    """Names of the parts of the state and of the other inputs, in the order of the arguments, with their sizes."""

    state: tuple[str, ...]
    inputs: tuple[str, ...]
    sizes: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.sizes[name] for name in self.state)

    def offset(self, name: str) -> int:
        before = self.state[: self.state.index(name)]
        return sum(self.sizes[part] for part in before)


def state_of(program: Program) -> StateLayout:
    """The state of a direct dynamic model.

    Raises:
        OptionError: the model's outputs are not the rates of its inputs.
    """
    sizes = {port.name: size(port.shape) for port in program.inputs}
    outputs = {port.name for port in program.outputs}
    if {"q", "qda", "tau"} <= set(sizes) and "qdda" in outputs:
        return _tied_state(sizes, outputs)
    if not {"q", "qd", "tau"} <= set(sizes) or "qdd" not in outputs:
        raise OptionError(
            "an integrator needs a direct dynamic model with inputs q, qd, tau and the output qdd",
            hint="direct-dynamics of a robot without closed loops",
        )
    if "R0" in sizes:
        raise OptionError(
            "the integrator of a floating base needs its rotation as a quaternion",
            hint="rotation='quaternion'",
        )
    if "qm" in sizes:
        raise OptionError("elastic actuators have no integrator")
    state: list[str] = [name for name in ("q", "qd", "e", "ed") if name in sizes]
    if "Q0" in sizes:
        state += _BASE
        sizes["P0"] = 3
    return _laid_out(state, sizes)


def _tied_state(sizes: dict[str, int], outputs: set[str]) -> StateLayout:
    """The state of a robot whose joints follow its active ones."""
    if not {"qd", "V0"} <= outputs:
        raise OptionError(
            "closed loops have no fixed-step integrator: their passive joints must be closed again after each step, "
            "by an iteration that the direct dynamic model does not hold",
            hint="simulate the robot by one of SciPy's methods",
        )
    return _laid_out(_WHEELS, {**sizes, "pose": 3})


def _laid_out(state: Sequence[str], sizes: Mapping[str, int]) -> StateLayout:
    inputs = tuple(name for name in sizes if name not in state)
    return StateLayout(tuple(state), inputs, dict(sizes))


def integrator_sources(program: Program, name: str, *, constants: bool, scalar: str = "double") -> Files:
    """{NAME_rk4.h, NAME_rk4.c}."""
    layout = state_of(program)
    arguments = ["size_t steps", f"{scalar} h", *(f"{scalar} *{part}" for part in layout.state)]
    arguments += [f"const {scalar} *{part}" for part in layout.inputs]
    arguments += [f"const {scalar} *k"] * constants
    head = f"void {name}_rk4({', '.join(arguments)})"
    upper = name.upper()
    header = [
        f"/* {name}: the state some steps of h seconds later, by Runge and Kutta's method of order four.",
        f" * {', '.join(layout.state)} are changed; {', '.join(layout.inputs)} held.",
        f" * {MADE_BY}",
        " */",
        f"#ifndef {upper}_RK4_H",
        f"#define {upper}_RK4_H",
        "",
        "#include <stddef.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        f"{head};",
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        f"#endif /* {name}_rk4.h */",
    ]
    source = _source(program, layout, name, head, constants, scalar)
    return {f"{name}_rk4.h": "\n".join(header) + "\n", f"{name}_rk4.c": source}


def _source(program: Program, layout: StateLayout, name: str, head: str, constants: bool, scalar: str) -> str:
    held = [f"const {scalar} *{part}" for part in layout.inputs] + [f"const {scalar} *k"] * constants
    passed = [*layout.inputs, *(["k"] * constants)]
    lines = [
        f"/* {name}_rk4: see {name}_rk4.h",
        f" * {MADE_BY}",
        " */",
        f'#include "{name}_rk4.h"',
        "",
        *(["#include <math.h>", ""] if {"Q0", "pose"} & set(layout.state) else []),
        f'#include "{name}.h"',
        "",
        f"enum {{ SIZE_ = {layout.total} }};",
        "",
        f"static void rates_({', '.join([f'const {scalar} *y', *held, f'{scalar} *dy'])})",
        "{",
        *_rates(program, layout, name, constants, scalar),
        "}",
        "",
        head,
        "{",
        f"    {scalar} y[SIZE_], z[SIZE_], a[SIZE_], b[SIZE_], c[SIZE_], d[SIZE_];",
        "    size_t n;",
        "    int i;",
        "",
        *_copy(layout, into=True),
        "    for (n = 0; n < steps; ++n) {",
    ]
    call = ", ".join(passed)
    lines.append(f"        rates_(y, {call}, a);")
    for factor, before, after in (("0.5", "a", "b"), ("0.5", "b", "c"), ("", "c", "d")):
        share = f"({scalar})0.5 * h" if factor else "h"
        lines.append(f"        for (i = 0; i < SIZE_; ++i) z[i] = y[i] + {share} * {before}[i];")
        lines.append(f"        rates_(z, {call}, {after});")
    lines.append(
        "        for (i = 0; i < SIZE_; ++i) "
        f"y[i] += h / ({scalar})6.0 * (a[i] + d[i] + ({scalar})2.0 * (b[i] + c[i]));"
    )
    if "Q0" in layout.state:
        lines += _normalised(layout.offset("Q0"), scalar)
    return "\n".join([*lines, "    }", *_copy(layout, into=False), "}", ""])


def _rates(program: Program, layout: StateLayout, name: str, constants: bool, scalar: str) -> list[str]:
    lines = []
    outputs = {}
    for port in program.outputs:
        outputs[port.name] = f"{port.name}_"
        lines.append(f"    {scalar} {port.name}_[{max(1, size(port.shape))}];")
    if "Q0" in layout.state:
        lines.append(
            f"    const {scalar} *v = y + {layout.offset('V0')}, *w = v + 3, *r = y + {layout.offset('Q0')};"
        )
    lines += ["    int i;", ""]
    arguments = [
        f"y + {layout.offset(port.name)}" if port.name in layout.state else port.name
        for port in program.inputs
    ]
    arguments += ["k"] * constants
    arguments += list(outputs.values())
    lines.append(f"    {name}({', '.join(arguments)});")
    for part, rate in _PAIRS.items():
        if part in layout.state:
            source = f"y[{layout.offset(rate)} + i]" if rate in layout.state else f"{outputs[rate]}[i]"
            at = layout.offset(part)
            lines.append(f"    for (i = 0; i < {layout.sizes[part]}; ++i) dy[{at} + i] = {source};")
    if "Q0" in layout.state:
        lines += _base_rates(layout, scalar)
    if "pose" in layout.state:
        lines += _rolling_rates(layout, scalar)
    return lines


def _rolling_rates(layout: StateLayout, scalar: str) -> list[str]:
    at, f = layout.offset("pose"), "f" if scalar == "float" else ""
    return [
        f"    dy[{at}] = cos{f}(y[{at + 2}]) * V0_[0] - sin{f}(y[{at + 2}]) * V0_[1];",
        f"    dy[{at + 1}] = sin{f}(y[{at + 2}]) * V0_[0] + cos{f}(y[{at + 2}]) * V0_[1];",
        f"    dy[{at + 2}] = V0_[2];",
    ]


def _base_rates(layout: StateLayout, scalar: str) -> list[str]:
    p, r, v = (layout.offset(name) for name in _BASE)
    two, half = f"({scalar})2.0", f"({scalar})0.5"
    return [
        f"    const {scalar} s = {two} / (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);",
        f"    const {scalar} tx = r[2] * v[2] - r[3] * v[1], ty = r[3] * v[0] - r[1] * v[2];",
        f"    const {scalar} tz = r[1] * v[1] - r[2] * v[0];",
        f"    dy[{p}] = v[0] + s * (r[0] * tx + r[2] * tz - r[3] * ty);",
        f"    dy[{p + 1}] = v[1] + s * (r[0] * ty + r[3] * tx - r[1] * tz);",
        f"    dy[{p + 2}] = v[2] + s * (r[0] * tz + r[1] * ty - r[2] * tx);",
        f"    dy[{r}] = -{half} * (r[1] * w[0] + r[2] * w[1] + r[3] * w[2]);",
        f"    dy[{r + 1}] = {half} * (r[0] * w[0] + r[2] * w[2] - r[3] * w[1]);",
        f"    dy[{r + 2}] = {half} * (r[0] * w[1] + r[3] * w[0] - r[1] * w[2]);",
        f"    dy[{r + 3}] = {half} * (r[0] * w[2] + r[1] * w[1] - r[2] * w[0]);",
        f"    for (i = 0; i < 6; ++i) dy[{v} + i] = Vd0_[i];",
        f"    dy[{v}] -= w[1] * v[2] - w[2] * v[1];",
        f"    dy[{v + 1}] -= w[2] * v[0] - w[0] * v[2];",
        f"    dy[{v + 2}] -= w[0] * v[1] - w[1] * v[0];",
    ]


def _normalised(at: int, scalar: str) -> list[str]:
    squares = " + ".join(f"y[{at + k}] * y[{at + k}]" for k in range(4))
    root = "sqrtf" if scalar == "float" else "sqrt"
    return [
        "        {",
        f"            const {scalar} length = {root}({squares});",
        f"            for (i = 0; i < 4; ++i) y[{at} + i] /= length;",
        "        }",
    ]


def _copy(layout: StateLayout, *, into: bool) -> list[str]:
    lines = []
    for part in layout.state:
        at, own = f"y[{layout.offset(part)} + i]", f"{part}[i]"
        left, right = (at, own) if into else (own, at)
        lines.append(f"    for (i = 0; i < {layout.sizes[part]}; ++i) {left} = {right};")
    return lines


def example_lines(
    program: Program,
    name: str,
    inputs: Mapping[str, str],
    sample: Mapping[str, Sequence[float]],
    k: str,
    scalar: str,
) -> list[str]:
    """Some steps from the sample's state, for the body of the example's main.

    Arguments:
        inputs: the example's names of the arrays of inputs.
        sample: their numbers.
        k: its array of constants; empty where there are none.
    """
    layout = state_of(program)
    lines = ["", f"    /* {STEPS} steps of {STEP:g} s from there */"]
    for part in layout.state:
        numbers = sample.get(part, (0.0,) * layout.sizes[part])
        lines.append(array_of(f"{scalar} {part}_after", numbers))
    held = [*(inputs[part] for part in layout.inputs), *([k] if k else [])]
    passed = ", ".join([*(f"{part}_after" for part in layout.state), *held])
    lines.append(f"    {name}_rk4({STEPS}, ({scalar}){STEP!r}, {passed});")
    for part in layout.state:
        lines.append(f'    show("{part}_after", {part}_after, {layout.sizes[part]}, {layout.sizes[part]});')
    return lines
