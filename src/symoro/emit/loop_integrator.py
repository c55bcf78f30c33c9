"""The part of a fixed-step integrator that keeps loops closed, in C.

A step goes on with the velocities of all joints; the loops' constraint is met by it to the order of the method. Then

    q <- q + dq        steps of Newton's method, until the loops are closed to round-off
    qd <- G qda        by the velocities of the active joints alone

both of which NAME_loops gives (`models/kinematic/loop/closure`), so that the order is kept. A step is not taken, and
the state stays as it was before it, where

    1  the loops do not close
    2  a dead point is near, or det Wp has another sign: the way leads through one
    3  the passive joints are closed away from where the step has them, by more than a share of the step's own way
    4  the state is no longer finite

E. Hairer, C. Lubich, G. Wanner, "Geometric numerical integration", Springer, 2006, section IV.4: projection.
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.emit.integrator_state import StateLayout

STATUS = (
    "0: done",
    "1: the loops do not close",
    "2: a dead point of the loops is near, or was passed",
    "3: the passive joints would leap: a dead point, or a step too long",
    "4: the state is not finite",
)
TRIES = 12
AGREE = "0.05"  # of the way of a step, by which closing it may change it
LIMITS = {  # what counts as closed, as room beside a dead point, as round-off of a way, as finite
    "double": ("1e-11", "1e-5", "1e-8", "1e300"),
    "float": ("2e-5f", "1e-3f", "1e-4f", "1e30f"),
}


def closing_lines(layout: StateLayout, name: str, constants: bool, scalar: str) -> list[str]:
    """The functions that close loops and measure ways."""
    closed, room, _, _ = LIMITS[scalar]
    passed = ["y", "qda", *(["loops"] * constants), "dq", "qd", "&gap", "det", "&room"]
    held = f", const {scalar} *loops" if constants else ""
    size = "fabsf" if scalar == "float" else "fabs"
    places = ", ".join(map(str, layout.active))
    return [
        f"enum {{ JOINTS_ = {layout.sizes['q']}, ACTIVE_ = {len(layout.active)}, TRIES_ = {TRIES} }};",
        f"static const int active_[ACTIVE_] = {{{places}}};",
        "",
        "/* Close the loops near a posture, and give all joints their velocities by the active ones. */",
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
    """The body of the integrator.

    Arguments:
        load, store: lines that bring the state into y, and back.
        step: lines that make z, the state after a step from y.
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
        f"    if (status == 0 && !(way_(y, z) <= 100 * {least})) status = 1; /* it starts closed */",
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
