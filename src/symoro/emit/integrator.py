"""Fixed-step integrator in C for a direct dynamic model: NAME_rk4, the Runge-Kutta method of order four.

    void NAME_rk4(size_t steps, double h, state ..., const double *tau, ... [, const double *k]);

The state is changed in place, inputs are constant. There is no heap; each step costs four calls of the model. The
derivatives of the state follow from the model's ports:

    q' = qd,  qd' = qdd                         joints
    qm' = qmd,  qmd' = qmdd                     motors of elastic joints
    e' = ed,  ed' = edd                         modes of flexible links
    P0' = R0 v,  Q0' = Q0 (0, w)/2,             a floating base, its orientation a quaternion (w, x, y, z) that is
    V0' = Vd0 - (w x v; 0)                      normalised after each step
    q' = qd(q, qda),  qda' = qdda,              wheeled robots: the active joints determine all joint velocities
    pose' = V0 rotated by the heading           and the motion of the base (x, y, heading)

    q' = qd,  qd' = qdd                         closed loops: all joints, closed after each step by a second
                                                program; NAME_rk4 then returns a status

E. Hairer, S.P. Norsett, G. Wanner, "Solving ordinary differential equations I", Springer, 1993, section II.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symoro.emit.clike import array_of
from symoro.emit.dialect import Files
from symoro.errors import OptionError
from symoro.files import MADE_BY
from symoro.program.program import Program, size

# -- the state of a direct dynamic model, from its ports

_BASE = ("P0", "Q0", "V0")
_WHEELS = ("q", "qda", "pose")


@dataclass(frozen=True)
class StateLayout:
    """State and inputs of a direct dynamic model, with the sizes of their arrays.

    Attributes:
        state: names of the arrays of the state, in the order of the arguments.
        inputs: names of the other inputs, in the order of the arguments.
        sizes: name -> number of entries.
        inner: arrays of the integrated state, in order; for closed loops all velocities, not only qda.
        active: positions of the active joints in q, if loops determine the others.
    """

    state: tuple[str, ...]
    inputs: tuple[str, ...]
    sizes: dict[str, int]
    inner: tuple[str, ...]
    active: tuple[int, ...] = ()

    @property
    def tied(self) -> bool:
        """Return whether the robot has loops, which are closed after each integration step."""
        return bool(self.active)

    @property
    def total(self) -> int:
        return sum(self.sizes[name] for name in self.inner)

    def offset(self, name: str) -> int:
        before = self.inner[: self.inner.index(name)]
        return sum(self.sizes[part] for part in before)


def state_of(program: Program) -> StateLayout:
    """Return the layout of the state of a direct dynamic model.

    Raises:
        OptionError: the outputs of the model are not the derivatives of its inputs.
    """
    sizes = {port.name: size(port.shape) for port in program.inputs}
    outputs = {port.name for port in program.outputs}
    if {"q", "qda", "tau"} <= set(sizes) and "qdda" in outputs:
        return _tied_state(program, sizes, outputs)
    if not {"q", "qd", "tau"} <= set(sizes) or "qdd" not in outputs:
        raise OptionError(
            "an integrator requires a direct dynamic model with inputs q, qd, tau and the output qdd",
            hint="direct-dynamics",
        )
    _check_rotation(sizes)
    state: list[str] = [name for name in ("q", "qd", "qm", "qmd", "e", "ed") if name in sizes]
    if "Q0" in sizes:
        state += _BASE
        sizes["P0"] = 3
    return _laid_out(state, sizes)


def _tied_state(program: Program, sizes: dict[str, int], outputs: set[str]) -> StateLayout:
    """Return the layout of the state if the active joints determine the other joints.

    Args:
        sizes: number of entries of each input and output.
        outputs: names of the outputs.
    """
    if {"qd", "V0"} <= outputs:
        return _laid_out(_WHEELS, {**sizes, "pose": 3})
    _check_rotation(sizes)
    base = _BASE if "Q0" in sizes else ()
    symbols = {port.name: port.symbols for port in program.inputs}
    places = {name.removeprefix("q"): k for k, name in enumerate(symbols["q"])}
    active = tuple(places[name.removeprefix("qd")] for name in symbols["qda"])
    layout = _laid_out(("q", "qda", *base), {**sizes, **({"P0": 3} if base else {}), "qd": sizes["q"]})
    inputs = tuple(name for name in layout.inputs if name != "qd")
    return replace(layout, inputs=inputs, inner=("q", "qd", *base), active=active)


def _check_rotation(sizes: Mapping[str, int]) -> None:
    if "R0" in sizes:
        raise OptionError(
            "the integrator of a floating base requires the orientation as a quaternion",
            hint="rotation='quaternion'",
        )


def _laid_out(state: Sequence[str], sizes: Mapping[str, int]) -> StateLayout:
    inputs = tuple(name for name in sizes if name not in state)
    return StateLayout(tuple(state), inputs, dict(sizes), tuple(state))


INTEGRATORS = ("rk4",)
# array of the state -> array that is its derivative
PAIRS = {"q": "qd", "qd": "qdd", "qda": "qdda", "qm": "qmd", "qmd": "qmdd", "e": "ed", "ed": "edd"}
STEPS, STEP = 10, 0.001  # number of steps of the example, and their length in seconds


def integrator_sources(
    program: Program, name: str, *, constants: bool, scalar: str = "double", loops: bool | None = None
) -> Files:
    """Return the C files {NAME_rk4.h, NAME_rk4.c} of the Runge-Kutta integrator of a model.

    Args:
        program: direct dynamic model.
        name: base name of its emitted functions.
        constants: whether the model has constants k.
        scalar: type of the numbers in C.
        loops: whether NAME_loops, which closes the loops, has constants; None if there is no such program.

    Raises:
        OptionError: the model has no integrator, or it has closed loops and there is no program that closes them.
    """
    layout = state_of(program)
    if layout.tied and loops is None:
        raise OptionError(
            "the integrator of a robot with closed loops requires the option 'closure', a program that "
            "closes the loops"
        )
    writer = _Text(program, layout, name, constants, bool(loops), scalar)
    upper, what = name.upper(), ", ".join(layout.inputs)
    about = [
        f"/* {name}: the state after some steps of h seconds, by the Runge-Kutta method of order four.",
        f" * {', '.join(layout.state)} are changed; {what} held.",
    ]
    if layout.tied:
        about += [
            " * The state is that after the last successful step. Return value:",
            *(f" *   {x}" for x in STATUS),
        ]
    header = [
        *about,
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
        f"{writer.head};",
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        f"#endif /* {name}_rk4.h */",
    ]
    return {f"{name}_rk4.h": "\n".join(header) + "\n", f"{name}_rk4.c": _source(writer)}


@dataclass(frozen=True)
class _Text:
    """Data from which the C code of the integrator is written.

    Attributes:
        constants, loops: whether the model, and the program that closes the loops, have constants.
    """

    program: Program
    layout: StateLayout
    name: str
    constants: bool
    loops: bool
    scalar: str

    @property
    def passed(self) -> list[str]:
        """Return the names of the model's arguments except the state: inputs and constants."""
        return [*self.layout.inputs, *(["k"] * self.constants)]

    @property
    def head(self) -> str:
        arguments = ["size_t steps", f"{self.scalar} h", *(f"{self.scalar} *{x}" for x in self.layout.state)]
        held = [*self.passed, *(["loops"] * self.loops)]
        arguments += [f"const {self.scalar} *{x}" for x in held]
        return f"{'int' if self.layout.tied else 'void'} {self.name}_rk4({', '.join(arguments)})"


def _source(writer: _Text) -> str:
    layout, name, scalar = writer.layout, writer.name, writer.scalar
    held = [f"const {scalar} *{part}" for part in writer.passed]
    tied = layout.tied
    lines = [
        f"/* {name}_rk4: see {name}_rk4.h",
        f" * {MADE_BY}",
        " */",
        f'#include "{name}_rk4.h"',
        "",
        *(["#include <math.h>", ""] if tied or {"Q0", "pose"} & set(layout.state) else []),
        f'#include "{name}.h"',
        *([f'#include "{name}_loops.h"'] if tied else []),
        "",
        f"enum {{ SIZE_ = {layout.total} }};",
        "",
        *(closing_lines(layout, name, writer.loops, scalar) if tied else []),
        f"static void rates_({', '.join([f'const {scalar} *y', *held, f'{scalar} *dy'])})",
        "{",
        *_rates(writer),
        "}",
        "",
        writer.head,
        "{",
    ]
    load, store = _copy(layout, into=True), _copy(layout, into=False)
    if tied:
        return "\n".join(
            [*lines, *loop_body(layout, writer.loops, scalar, load, _step(writer, "z"), store), "}", ""]
        )
    lines += [
        f"    {scalar} y[SIZE_], z[SIZE_], a[SIZE_], b[SIZE_], c[SIZE_], d[SIZE_];",
        "    size_t n;",
        "    int i;",
        "",
        *load,
        "    for (n = 0; n < steps; ++n) {",
        *_step(writer, "y"),
        "    }",
    ]
    return "\n".join([*lines, *store, "}", ""])


def _step(writer: _Text, into: str) -> list[str]:
    """Return the C lines of one Runge-Kutta step from the state y to the state `into`."""
    scalar, call = writer.scalar, ", ".join(writer.passed)
    lines = [f"        rates_(y, {call}, a);"]
    for factor, before, after in (("0.5", "a", "b"), ("0.5", "b", "c"), ("", "c", "d")):
        share = f"({scalar})0.5 * h" if factor else "h"
        lines.append(f"        for (i = 0; i < SIZE_; ++i) z[i] = y[i] + {share} * {before}[i];")
        lines.append(f"        rates_(z, {call}, {after});")
    lines.append(
        "        for (i = 0; i < SIZE_; ++i) "
        f"{into}[i] = y[i] + h / ({scalar})6.0 * (a[i] + d[i] + ({scalar})2.0 * (b[i] + c[i]));"
    )
    if "Q0" in writer.layout.state:
        lines += _normalised(writer.layout.offset("Q0"), into, scalar)
    return lines


def _rates(writer: _Text) -> list[str]:
    program, layout, scalar = writer.program, writer.layout, writer.scalar
    lines = []
    outputs = {}
    for port in program.outputs:
        outputs[port.name] = f"{port.name}_"
        lines.append(f"    {scalar} {port.name}_[{max(1, size(port.shape))}];")
    if "Q0" in layout.state:
        lines.append(
            f"    const {scalar} *v = y + {layout.offset('V0')}, *w = v + 3, *r = y + {layout.offset('Q0')};"
        )
    lines += [f"    {scalar} qda_[ACTIVE_];"] * layout.tied + ["    int i;", ""]
    if layout.tied:
        at = layout.offset("qd")
        lines.append(f"    for (i = 0; i < ACTIVE_; ++i) qda_[i] = y[{at} + active_[i]];")
    names = {"qda": "qda_"} if layout.tied else {}
    arguments = [
        f"y + {layout.offset(port.name)}" if port.name in layout.inner else names.get(port.name, port.name)
        for port in program.inputs
    ]
    arguments += ["k"] * writer.constants
    arguments += list(outputs.values())
    lines.append(f"    {writer.name}({', '.join(arguments)});")
    for part, rate in PAIRS.items():
        if part in layout.inner:
            source = f"y[{layout.offset(rate)} + i]" if rate in layout.inner else f"{outputs[rate]}[i]"
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
    p, r, v = (layout.offset(name) for name in ("P0", "Q0", "V0"))
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


def _normalised(at: int, into: str, scalar: str) -> list[str]:
    squares = " + ".join(f"{into}[{at + k}] * {into}[{at + k}]" for k in range(4))
    root = "sqrtf" if scalar == "float" else "sqrt"
    return [
        "        {",
        f"            const {scalar} length = {root}({squares});",
        f"            for (i = 0; i < 4; ++i) {into}[{at} + i] /= length;",
        "        }",
    ]


def _copy(layout: StateLayout, *, into: bool) -> list[str]:
    lines = []
    for part in layout.state:
        at, own = f"y[{layout.offset(part)} + i]" if part in layout.inner else "", f"{part}[i]"
        if not at:  # the active joints
            at = f"y[{layout.offset('qd')} + active_[i]]"
        left, right = (at, own) if into else (own, at)
        lines.append(f"    for (i = 0; i < {layout.sizes[part]}; ++i) {left} = {right};")
    return lines


def example_lines(
    program: Program,
    name: str,
    inputs: Mapping[str, str],
    sample: Mapping[str, Sequence[float]],
    k: str,
    loops: str,
    scalar: str,
) -> list[str]:
    """Return the C lines of the example's main function that integrate some steps from the sample.

    Args:
        inputs: input -> name of its array in the example.
        sample: input -> entries by rows.
        k: name of the array of constants; empty if there are none.
        loops: name of the array of constants of the program that closes the loops.
    """
    layout = state_of(program)
    lines = ["", f"    /* {STEPS} steps of {STEP:g} s from there */"]
    for part in layout.state:
        numbers = sample.get(part, (0.0,) * layout.sizes[part])
        lines.append(array_of(f"{scalar} {part}_after", numbers))
    held = [*(inputs[part] for part in layout.inputs), *filter(None, [k, loops])]
    passed = ", ".join([*(f"{part}_after" for part in layout.state), *held])
    call = f"{name}_rk4({STEPS}, ({scalar}){STEP!r}, {passed})"
    lines.append(f'    printf("status = %d\\n", {call});' if layout.tied else f"    {call};")
    for part in layout.state:
        lines.append(f'    show("{part}_after", {part}_after, {layout.sizes[part]}, {layout.sizes[part]});')
    return lines


# -- closure of the loops after each step
#
# A step integrates the positions of all joints; it satisfies the loop constraints to the order of the method. Then
#
#     q <- q + dq        steps of Newton's method, until the loops are closed to round-off
#     qd <- G qda        from the velocities of the active joints
#
# both from NAME_loops (`models/kinematic/loop/closure`), which preserves the order. A step is rejected, and the state
# before it is kept, if
#
#     1  the loops do not close
#     2  a singular configuration is near, or det Wp changed its sign: the path crosses one
#     3  the closure moves the passive joints by more than a fraction of the length of the step
#     4  the state is not finite
#
# E. Hairer, C. Lubich, G. Wanner, "Geometric numerical integration", Springer, 2006, section IV.4: projection.

STATUS = (
    "0: done",
    "1: the loops do not close",
    "2: a singular configuration of the loops is near, or was crossed",
    "3: the passive joints would jump: near a singular configuration, or the step is too long",
    "4: the state is not finite",
)
TRIES = 12
AGREE = "0.05"  # largest change by the closure, relative to the length of a step
# tolerance of closure, distance from a singular configuration, round-off of a displacement, largest finite value
LIMITS = {
    "double": ("1e-11", "1e-5", "1e-8", "1e300"),
    "float": ("2e-5f", "1e-3f", "1e-4f", "1e30f"),
}


def closing_lines(layout: StateLayout, name: str, constants: bool, scalar: str) -> list[str]:
    """Return the C functions that close the loops and compute the displacements of the passive joints.

    Args:
        constants: whether the program that closes the loops has constants.
        scalar: type of the numbers in C.
    """
    closed, room, _, _ = LIMITS[scalar]
    passed = ["y", "qda", *(["loops"] * constants), "dq", "qd", "&gap", "det", "&room"]
    held = f", const {scalar} *loops" if constants else ""
    size = "fabsf" if scalar == "float" else "fabs"
    places = ", ".join(map(str, layout.active))
    return [
        f"enum {{ JOINTS_ = {layout.sizes['q']}, ACTIVE_ = {len(layout.active)}, TRIES_ = {TRIES} }};",
        f"static const int active_[ACTIVE_] = {{{places}}};",
        "",
        "/* Close the loops near a posture, and compute all joint velocities from those of the active joints. */",
        f"static int close_({scalar} *y{held}, {scalar} *det)",
        "{",
        f"    {scalar} qda[ACTIVE_], dq[JOINTS_], qd[JOINTS_], gap, room;",
        "    int i, tries;",
        "",
        "    for (i = 0; i < ACTIVE_; ++i) qda[i] = y[JOINTS_ + active_[i]];",
        "    for (tries = 0; tries < TRIES_; ++tries) {",
        f"        {name}_loops({', '.join(passed)});",
        f"        if (!(room > {room})) return 2;",
        "        for (i = 0; i < JOINTS_; ++i) y[i] += dq[i];",
        f"        if (gap <= {closed}) {{",
        "            for (i = 0; i < JOINTS_; ++i) y[JOINTS_ + i] = qd[i];",
        "            return 0;",
        "        }",
        "    }",
        "    return 1;",
        "}",
        "",
        f"static {scalar} way_(const {scalar} *y, const {scalar} *z)",
        "{",
        f"    {scalar} most = 0;",
        "    int i;",
        "",
        "    for (i = 0; i < JOINTS_; ++i) {",
        f"        if (most < {size}(z[i] - y[i])) most = {size}(z[i] - y[i]);",
        "    }",
        "    return most;",
        "}",
        "",
    ]


def loop_body(
    layout: StateLayout,
    constants: bool,
    scalar: str,
    load: Sequence[str],
    step: Sequence[str],
    store: Sequence[str],
) -> list[str]:
    """Return the body of the C function of the integrator for a robot with closed loops.

    Args:
        load, store: lines that copy the state to y, and back.
        step: lines that compute z, the state after a step from y.
    """
    _, _, least, most = LIMITS[scalar]
    size, mark = ("fabsf", "f") if scalar == "float" else ("fabs", "")
    held = "loops, " if constants else ""
    velocities = layout.offset("qd")
    return [
        f"    {scalar} y[SIZE_], z[SIZE_], a[SIZE_], b[SIZE_], c[SIZE_], d[SIZE_];",
        f"    {scalar} det, after;",
        "    size_t n;",
        "    int i, status;",
        "",
        f"    for (i = 0; i < JOINTS_; ++i) y[{velocities} + i] = 0;",
        *load,
        "    for (i = 0; i < SIZE_; ++i) z[i] = y[i];",
        f"    status = close_(z, {held}&det);",
        f"    if (status == 0 && !(way_(y, z) <= 100 * {least})) status = 1; /* the initial state must be closed */",
        "    for (i = 0; i < SIZE_ && status == 0; ++i) y[i] = z[i];",
        "    for (n = 0; n < steps && status == 0; ++n) {",
        *step,
        f"        for (i = 0; i < SIZE_; ++i) if (!({size}(z[i]) <= {most})) status = 4;",
        "        for (i = 0; i < SIZE_; ++i) a[i] = z[i];",
        f"        if (status == 0) status = close_(z, {held}&after);",
        "        if (status == 0 && (after > 0) != (det > 0)) status = 2;",
        f"        if (status == 0 && !(way_(a, z) <= {AGREE}{mark} * way_(y, z) + {least})) status = 3;",
        "        for (i = 0; i < SIZE_ && status == 0; ++i) y[i] = z[i];",
        "    }",
        *store,
        "    return status;",
    ]
