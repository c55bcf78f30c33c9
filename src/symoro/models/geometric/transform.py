"""Models `transform` and `fast-geometry`: homogeneous transform of one frame in another.

    rTj = [ rAj  rPj ]     rTj = product of the iTk along the path from r to j          (1997 paper, eq. 1)
          [  0    1  ]

`transform` returns one expanded expression per entry, for reading. `fast-geometry` has intermediate variables and uses
the order of multiplication that requires fewer operations.

W. Khalil, D. Creusot, "SYMORO+: a system for the symbolic modelling of robots", Robotica 15, 1997, sections 3.1, 3.2.
"""

from __future__ import annotations

from typing import Any

from symoro.expr.linalg import Matrix, Vector, inverse_transform, matmul
from symoro.models.catalogue import Option, Options, form, model
from symoro.models.coordinates.couplings import joint_positions
from symoro.models.dynamic.floating_base import base_pose, in_world
from symoro.models.geometric import placement
from symoro.models.geometric.relative_placement import placement_between
from symoro.models.geometric.screws import last_frame, resolve, uses_cut_joint
from symoro.models.joints import Trigonometry
from symoro.models.ports import P0, R0, Q
from symoro.models.references import SYMORO_1997
from symoro.program.builder import Builder
from symoro.program.count import count
from symoro.program.program import Port, Program
from symoro.robot.description import Robot

OPTIONS = (
    Option("frm", "reference frame of the transform: number, name, 'world' or 'tool'", "frame", 0),
    Option(
        "to",
        "frame whose pose is computed; by default the tool, the platform or the last link's frame",
        "frame",
        None,
    ),
)
ACTIVE = Option(
    "active",
    "for robots with closed loops: compute the pose from the active joints, for every assembly mode",
    "flag",
    None,
)
TRANSFORM = Port("T", "4,4", "homogeneous transform of frame `to` in frame `frm`")
EQUATIONS = (
    r"{}^{i}T_{j} = R_z(\gamma_j)\,T_z(b_j)\,R_x(\alpha_j)\,T_x(d_j)\,R_z(\theta_j)\,T_z(r_j), \qquad "
    r"{}^{r}T_{j} = \prod_{k} {}^{a(k)}T_{k}"
)


@model(
    "transform",
    menu="Geometric",
    title="transformation matrix, one expression per entry",
    inputs=(Q,),
    outputs=(TRANSFORM,),
    options=(*OPTIONS, ACTIVE),
    reference=SYMORO_1997.at("section 3.1, eq. (1)"),
    aliases=("trm", "transformation-matrix", "homogeneous-transform"),
    equations=EQUATIONS,
)
def transform(
    robot: Robot, frm: int | str = 0, to: int | str | None = None, active: bool | None = None
) -> Program:
    """Derive the transform of frame `to` in frame `frm`, one expanded expression per entry.

    Args:
        frm: reference frame. With 'world', a robot on a floating base has the additional inputs P0 and R0.
        to: frame whose pose is computed; by default the tool, the platform or the last link's frame.
        active: not used here; if it is true, `loop.active_placement` derives this model (robots with closed loops).
    """
    return _placed(robot, frm, to, inward=True, expanded=True)


@model(
    "fast-geometry",
    menu="Geometric",
    title="fast direct geometric model, with intermediate variables",
    inputs=(Q,),
    outputs=(TRANSFORM,),
    options=(*OPTIONS, ACTIVE),
    reference=SYMORO_1997.at("section 3.2"),
    aliases=("fgm", "direct-geometry", "dgm", "forward-kinematics", "fk", "direct-kinematics"),
    equations=EQUATIONS,
)
def fast_geometry(
    robot: Robot, frm: int | str = 0, to: int | str | None = None, active: bool | None = None
) -> Program:
    """Derive the transform of frame `to` in frame `frm`, with intermediate variables and the fewest operations.

    Args:
        frm: reference frame. With 'world', a robot on a floating base has the additional inputs P0 and R0.
        to: frame whose pose is computed; by default the tool, the platform or the last link's frame.
        active: not used here; if it is true, `loop.active_placement` derives this model (robots with closed loops).
    """
    candidates = [_placed(robot, frm, to, inward=inward, expanded=False) for inward in (True, False)]
    return min(candidates, key=lambda program: count(program).total)


def _from_world(robot: Robot, options: Options) -> bool:
    return in_world(robot, options.get("frm"), options.get("to")) and not options.get("active")


FROM_WORLD: dict[str, Any] = {
    "of": "a floating base, with respect to the world",
    "takes": _from_world,
    "inputs": (Q, P0, R0),
    "outputs": (TRANSFORM,),
    "options": (*OPTIONS, ACTIVE),
    "equations": r"{}^{w}T_{j} = \begin{bmatrix} R_0 & P_0 \\ 0 & 1 \end{bmatrix} {}^{0}T_{j}",
    "applies_to": "robots on a floating base",
    "example": "rx90_floating",
    "example_options": {"frm": "world"},
}
form("transform", reference=SYMORO_1997.at("section 3.1, eq. (1)"), **FROM_WORLD)(transform)
form("fast-geometry", reference=SYMORO_1997.at("section 3.2"), **FROM_WORLD)(fast_geometry)


def _placed(robot: Robot, frm: int | str, to: int | str | None, *, inward: bool, expanded: bool) -> Program:
    """Return the program of the transform of frame `to` in frame `frm`.

    Args:
        inward: whether the product is computed from frame `to` to frame `frm`, or in the opposite order.
        expanded: whether each entry is one expression, without intermediate variables.
    """
    world = in_world(robot, frm, to)
    start, end = (
        0 if world and which == "world" else resolve(robot, which, default)
        for which, default in ((frm, 0), (to, last_frame(robot)))
    )
    builder = Builder(f"{robot.name}_{'transform' if expanded else 'fast_geometry'}")
    trig = Trigonometry(builder, robot)
    q = joint_positions(builder, robot, cut=uses_cut_joint(robot, start, end))

    def name(frame: int, rotation: Matrix, position: Vector) -> None:
        if expanded:
            return
        prefix = f"U{frame}T{end}_" if inward else f"U{start}T{frame}_"
        section = f"frame {end} in frame {frame}" if inward else f"frame {frame} in frame {start}"
        for r, row in enumerate(rotation, 1):
            for c, entry in enumerate(row, 1):
                builder.named(f"{prefix}{r}{c}", entry, section)
        for r, entry in enumerate(position, 1):
            builder.named(f"{prefix}{r}4", entry, section)

    product = placement.inward if inward else placement.outward
    matrix = placement_between(builder, robot, start, end, q, trig, product, name)
    if world and frm != to:
        base = base_pose(builder)
        matrix = matmul(base, matrix) if frm == "world" else matmul(matrix, inverse_transform(base))
        start, end = ("the world", end) if frm == "world" else (start, "the world")
    builder.output(TRANSFORM, matrix, f"transform of frame {end} in frame {start}")
    return builder.program(expanded=expanded)
