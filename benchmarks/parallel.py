"""Parallel robots beside the peers, one run: python benchmarks/parallel.py [--rounds N]

    Gough-Stewart 6-UPS, T V Vd -> tau and T V tau -> Vd, against

    Pinocchio C++    rnea + constraint Jacobian + LU (accelerations of the passive joints given), constraintDynamics;
                     legs of three joints and a free platform, six points held: 24 velocities, 18 rows
    MuJoCo           mj_inverse (soft constraints; it gives no torques of the motors), the same bodies

    five-bar, q qda qdda -> tau against Pinocchio's rnea + constraint Jacobian + LU

One thread, everything compiled with -O3 -march=native (MuJoCo: the library of its wheel), the same random motions,
torques and accelerations of Pinocchio compared with ours before the stopwatch starts. The figure is the least of many
passes, and the parties take turns. What is missing (pin, cmeel-eigen, mujoco) is installed into build/bench/venv.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from peers.environment import enter_with, prefix, versions

SAMPLES, PASSES = 16, 60
TOLERANCE = 1e-8
MARKS = {
    "inverse / Pinocchio": 10,
    "inverse / MuJoCo": 5,
    "direct / Pinocchio": 10,
    "five-bar / Pinocchio": 10,
}


@dataclass
class Party:
    """A function to be timed, with its inputs (three arrays a sample, of one width) and what it wrote."""

    who: str
    call: Any
    given: Any
    outputs: int


def run(party: Party, passes: int) -> tuple[float, Any]:
    import numpy as np
    from peers.subjects import doubles, timer

    out = np.empty((SAMPLES, party.outputs))
    width = party.given.shape[2]
    ns = timer().time_calls(
        party.call, passes, SAMPLES, width, party.outputs, doubles(party.given), doubles(out)
    )
    return ns, out


def packed(*arrays: Any) -> Any:
    """(samples, 3, width): q, v, x of each sample, padded to one width."""
    import numpy as np

    flat = [np.asarray(a).reshape(SAMPLES, -1) for a in arrays]
    width = max(a.shape[1] for a in flat)
    made = np.zeros((SAMPLES, 3, width))
    for k, a in enumerate(flat):
        made[:, k, : a.shape[1]] = a
    return made


def ours(robot: Any, model_id: str, who: str, given: Any, **options: Any) -> Party:
    """symoro's C."""
    import numpy as np
    from peers.environment import built
    from peers.subjects import OURS, SHARED, doubles, our_calls

    import symoro
    from symoro.emit.c import function_name

    model = symoro.generate(robot, model_id, **options)
    name = function_name(model.program)
    files = {f: text for f, text in model.code("c").items() if not f.endswith("_example.c")}
    files["calls.c"] = our_calls(name, list(model.inputs), bool(model.program.constants))
    library = ctypes.CDLL(str(built(name, files, ["gcc", *OURS, *SHARED], ("-lm",))))
    if model.program.constants:
        values = np.array([dict(robot.nominal)[p] for p in model.parameters])
        library.prepare(doubles(values))
    size = next(iter(model.outputs.values()))[0]
    return Party(who, library.call, given, size)


# -- the Gough-Stewart platform


@dataclass
class Motion:
    """Random motions: of the platform, and of the legs' three joints (samples, 6, 3)."""

    T: Any
    V: Any
    Vd: Any
    q: Any
    qd: Any
    qdd: Any


def motions(robot: Any, rng: Any) -> Motion:
    """Poses about home; the legs' joints by their inverse geometry, rates by three equations a leg."""
    import numpy as np

    import symoro

    T = np.broadcast_to(np.eye(4), (SAMPLES, 4, 4)).copy()
    for k in range(SAMPLES):
        x, y, z = rng.uniform(-0.2, 0.2, 3)
        rotation, _ = np.linalg.qr(np.eye(3) + np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]))
        T[k, :3, :3] = rotation * np.sign(np.diag(rotation))
        T[k, :3, 3] = [*rng.uniform(-0.05, 0.05, 2), 0.8 + rng.uniform(-0.05, 0.05)]
    V, Vd = rng.uniform(-1, 1, (SAMPLES, 6)), rng.uniform(-2, 2, (SAMPLES, 6))
    posture = symoro.generate(robot, "inverse-geometry").function(compiled=False)(T=T)["q"][:, 0]
    moving = [j for j in range(1, robot.NL + 1) if robot.frame(j).moving]
    first = [j for j in moving if robot.frame(j).ant == 0]
    q, qd, qdd = (np.zeros((SAMPLES, 6, 3)) for _ in range(3))
    for i, j in enumerate(first):
        at = moving.index(j)
        q[:, i] = posture[:, at : at + 3]
        for s in range(SAMPLES):
            qd[s, i], qdd[s, i] = leg_rates(robot, j, q[s, i], T[s], V[s], Vd[s])
    return Motion(T, V, Vd, q, qd, qdd)


def place(robot: Any, j: int, q: float = 0.0) -> Any:
    """iTj."""
    from tests.oracle.placement import placement

    frame, values = robot.frame(j), dict(robot.nominal)
    p = {name: getattr(frame, name).value(values) for name in ("gamma", "b", "alpha", "d", "theta", "r")}
    if frame.moving:
        p["r" if frame.sigma else "theta"] += q
    return placement(**p)


def leg_rates(robot: Any, j: int, q: Any, T: Any, V: Any, Vd: Any) -> tuple[Any, Any]:
    """Rates and accelerations of two turns and a slide whose end is a point of the platform."""
    import numpy as np

    one = place(robot, j, q[0])
    two = one @ place(robot, j + 1, q[1])
    three = two @ place(robot, j + 2, q[2])
    centre, tip = one[:3, 3], three[:3, 3]
    z1, z2, u, arm, rho = one[:3, 2], two[:3, 2], three[:3, 2], tip - centre, tip - T[:3, 3]
    v, w, wd = V[:3] + np.cross(V[3:], rho), V[3:], Vd[3:]
    a = Vd[:3] + np.cross(wd, rho) + np.cross(w, np.cross(w, rho))
    jacobian = np.stack([np.cross(z1, arm), np.cross(z2, arm), u], 1)
    qd = np.linalg.solve(jacobian, v)
    turned = z1 * qd[0]
    change = np.cross(np.cross(turned, z2), arm) + np.cross(z2, v)
    bias = qd[0] * np.cross(z1, v) + qd[1] * change + qd[2] * np.cross(turned + z2 * qd[1], u)
    return qd, np.linalg.solve(jacobian, a - bias)


def body(robot: Any, j: int) -> list[float]:
    """Mass, centre of mass, inertia about it (xx xy xz yy yz zz) of a link."""
    import numpy as np

    from symoro.robot.description import INERTIAL

    values = dict(robot.nominal)
    p = {n: getattr(robot.link(j), n).value(values) for n in INERTIAL}
    mass = p["M"]
    c = np.array([p["MX"], p["MY"], p["MZ"]]) / mass if mass else np.zeros(3)
    inertia = np.array(
        [[p["XX"], p["XY"], p["XZ"]], [p["XY"], p["YY"], p["YZ"]], [p["XZ"], p["YZ"], p["ZZ"]]]
    )
    inertia = inertia - mass * (c @ c * np.eye(3) - np.outer(c, c))
    return [mass, *c, *inertia[np.triu_indices(3)]]


def tree_rows(robot: Any, joints: list[int], parents: dict[int, int]) -> Any:
    """Rows of `robot.hpp`."""
    import numpy as np

    rows = []
    for j in joints:
        t = place(robot, j)
        along = [0, 0, 1, 0, 0, 0] if robot.frame(j).sigma else [0, 0, 0, 0, 0, 1]
        rows.append([parents[j], *along, *t[:3, :3].ravel(), *t[:3, 3], *body(robot, j)])
    return np.ascontiguousarray(rows, float)


def pinocchio() -> Any:
    """The library, compiled from the headers of the wheel."""
    from peers.environment import PEERS, built
    from peers.subjects import BOOST, OPTIMISED, SHARED

    files = {f: (PEERS / f).read_text() for f in ("robot.hpp", "closed.cpp")}
    include = [f"-isystem{prefix() / 'include'}", f"-isystem{prefix() / 'include' / 'eigen3'}"]
    flags = ["g++", "-std=c++17", "-w", "-DNDEBUG", *BOOST, *include, *OPTIMISED, *SHARED]
    return built("closed", files, flags)


def loaded(copy: str) -> Any:
    """A copy of its own: the library keeps one model."""
    import shutil

    made = pinocchio()
    target = made.with_name(f"closed_{copy}")
    shutil.copy(made, target)
    return ctypes.CDLL(str(target))


def points_of(robot: Any) -> Any:
    """Centres of the balls on the platform."""
    import numpy as np

    from symoro.models.kinematic.platform import leg_points
    from symoro.runtime.function import Function

    return np.asarray(Function(leg_points(robot, None), dict(robot.nominal), compiled=False)()["b"])


def pinocchio_platform(robot: Any, motion: Motion, tau: Any) -> list[Party]:
    """Inverse and direct; the free platform's velocity is in its own axes, its acceleration spatial."""
    import numpy as np
    from peers.subjects import doubles

    first = [j for j in range(1, robot.NL + 1) if robot.frame(j).ant == 0]
    joints = [j + k for j in first for k in range(3)]
    parents = {j: joints.index(j - 1) + 1 if j not in first else 0 for j in joints}
    rows, plate = tree_rows(robot, joints, parents), np.array(body(robot, robot.platform))
    points = np.array([[3 * i + 3, 0, 0, 0, 19, *b] for i, b in enumerate(points_of(robot))], float)
    motors = np.array([3 * i + 2 for i in range(6)], np.int32)
    library = loaded("platform")
    library.setup(
        18, doubles(rows), doubles(plate), 6, doubles(points), 6, motors.ctypes.data_as(ctypes.c_void_p), 3
    )
    quaternions = np.array([quaternion(t[:3, :3]) for t in motion.T])
    q = np.concatenate([motion.q.reshape(SAMPLES, 18), motion.T[:, :3, 3], quaternions], 1)
    back = motion.T[:, :3, :3].transpose(0, 2, 1)
    local = [np.einsum("nij,nj->ni", back, x) for x in (motion.V[:, :3], motion.V[:, 3:])]
    spatial = np.einsum("nij,nj->ni", back, motion.Vd[:, :3]) - np.cross(local[1], local[0])
    turning = np.einsum("nij,nj->ni", back, motion.Vd[:, 3:])
    v = np.concatenate([motion.qd.reshape(SAMPLES, 18), *local], 1)
    a = np.concatenate([motion.qdd.reshape(SAMPLES, 18), spatial, turning], 1)
    return [
        Party("Pinocchio C++, rnea + Jacobian + LU", library.inverse, packed(q, v, a), 6),
        Party("Pinocchio C++, constraintDynamics", library.direct, packed(q, v, tau), 24),
    ]


def quaternion(rotation: Any) -> Any:
    """x y z w."""
    import numpy as np

    from symoro.models.numeric.six_legs import study_of

    pose = np.eye(4)
    pose[:3, :3] = rotation
    w, x, y, z = study_of(pose)[:4]
    return np.array([x, y, z, w])


def mujoco_platform(robot: Any, motion: Motion) -> list[Party]:
    """mj_inverse; links without mass get a gram, and MuJoCo's least inertia."""
    if find_spec("mujoco") is None:
        print("mujoco is missing")
        return []
    import numpy as np
    from peers.environment import BUILD, PEERS, built
    from peers.subjects import SHARED

    folder = Path(find_spec("mujoco").origin).parent  # type: ignore[union-attr, arg-type]
    text = mjcf(robot)
    BUILD.mkdir(parents=True, exist_ok=True)
    file = BUILD / "gough_stewart.xml"
    file.write_text(text, encoding="utf-8")
    lib = next(folder.glob("libmujoco.so.*"))
    after = (str(lib), f"-Wl,-rpath,{folder}")
    command = ["gcc", "-O3", "-march=native", f"-I{folder / 'include'}", *SHARED]
    library = ctypes.CDLL(
        str(built("mujoco", {"mujoco.c": (PEERS / "mujoco.c").read_text()}, command, after))
    )
    if library.prepare(str(file).encode()):
        print("MuJoCo does not load the platform")
        return []
    turned = np.array([quaternion(t[:3, :3])[[3, 0, 1, 2]] for t in motion.T])
    back = motion.T[:, :3, :3].transpose(0, 2, 1)
    w, wd = (np.einsum("nij,nj->ni", back, x) for x in (motion.V[:, 3:], motion.Vd[:, 3:]))
    q = np.concatenate([motion.T[:, :3, 3], turned, motion.q.reshape(SAMPLES, 18)], 1)
    v = np.concatenate([motion.V[:, :3], w, motion.qd.reshape(SAMPLES, 18)], 1)
    a = np.concatenate([motion.Vd[:, :3], wd, motion.qdd.reshape(SAMPLES, 18)], 1)
    return [Party("MuJoCo, mj_inverse", library.inverse, packed(q, v, a), 24)]


def mjcf(robot: Any) -> str:
    """The same bodies for MuJoCo: a free platform, legs, and points that hold together."""
    lines = ['<mujoco><option gravity="0 0 -9.81"/><compiler autolimits="false"/><worldbody>']
    lines += ['<body name="platform"><freejoint/>', _inertial(robot, robot.platform), "</body>"]
    held = []
    first = [j for j in range(1, robot.NL + 1) if robot.frame(j).ant == 0]
    for i, (j, b) in enumerate(zip(first, points_of(robot), strict=True)):
        for k in range(3):
            t = place(robot, j + k)
            x, y, z, w = quaternion(t[:3, :3])
            at = " ".join(f"{value:.17g}" for value in t[:3, 3])
            kind = "slide" if robot.frame(j + k).sigma else "hinge"
            lines.append(f'<body name="leg{i}_{k}" pos="{at}" quat="{w} {x} {y} {z}">')
            lines += [f'<joint type="{kind}" axis="0 0 1"/>', _inertial(robot, j + k)]
        lines.append("</body></body></body>")
        anchor = " ".join(f"{value:.17g}" for value in b)
        held.append(f'<connect body1="platform" body2="leg{i}_2" anchor="{anchor}"/>')
    return "\n".join([*lines, "</worldbody><equality>", *held, "</equality></mujoco>"])


def _inertial(robot: Any, j: int) -> str:
    mass, x, y, z, xx, xy, xz, yy, yz, zz = body(robot, j)
    least = 1e-6
    full = f"{xx + least} {yy + least} {zz + 2 * least} {xy} {xz} {yz}"
    return f'<inertial mass="{mass or 1e-3}" pos="{x} {y} {z}" fullinertia="{full}"/>'


def platform_parties(robot: Any) -> list[Party]:
    import numpy as np

    import symoro

    motion = motions(robot, np.random.default_rng(1))
    tau = symoro.generate(robot, "inverse-dynamics", space="platform").function(compiled=False)(
        T=motion.T, V=motion.V, Vd=motion.Vd
    )["tau"]
    given, back = packed(motion.T, motion.V, motion.Vd), packed(motion.T, motion.V, tau)
    bound = robot.bind(dict(robot.nominal))
    parties = [
        ours(bound, "inverse-dynamics", "symoro, inverse", given, space="platform"),
        ours(robot, "inverse-dynamics", "symoro, inverse, parameters free", given, space="platform"),
        ours(bound, "direct-dynamics", "symoro, direct", back, space="platform"),
        ours(robot, "direct-dynamics", "symoro, direct, parameters free", back, space="platform"),
        *pinocchio_platform(robot, motion, tau),
    ]
    for party in parties:
        inverse = "inverse" in party.who or "rnea" in party.who
        result = run(party, 1)[1]
        if "Dynamics" in party.who:  # the platform's spatial acceleration in its own axes
            result = classical(result[:, 18:], motion)
        wanted = tau if inverse else motion.Vd
        off = float(np.abs(result - wanted).max() / np.abs(wanted).max())
        if not off < TOLERANCE:
            raise SystemExit(f"{party.who}: off by {off:.1e}")
    return [*parties, *mujoco_platform(robot, motion)]


def classical(a: Any, motion: Motion) -> Any:
    """The classical acceleration in frame 0 from Pinocchio's."""
    import numpy as np

    R = motion.T[:, :3, :3]
    linear = np.einsum("nij,nj->ni", R, a[:, :3]) + np.cross(motion.V[:, 3:], motion.V[:, :3])
    return np.concatenate([linear, np.einsum("nij,nj->ni", R, a[:, 3:])], 1)


# -- the five-bar


def fivebar_parties() -> list[Party]:
    import numpy as np
    from peers.subjects import doubles

    import symoro
    from tests.oracle.cut_tree import CutTree

    robot = symoro.load("fivebar")
    closed, rng = CutTree(robot), np.random.default_rng(2)
    postures = []
    solve = symoro.generate(robot, "loop-geometry").function(compiled=False)
    while len(postures) < SAMPLES:
        result = solve(qa=rng.uniform([1.5, 0.5], [2.5, 1.5]))
        postures += [q for q, status in zip(result["q"], result["status"], strict=True) if status == 0][:1]
    q = np.array(postures[:SAMPLES])
    qda, qdda = rng.uniform(-2, 2, (SAMPLES, 2)), rng.uniform(-4, 4, (SAMPLES, 2))
    x = closed.opened(q)
    xd, xdd = closed.accelerations(x, qda, qdda)
    tau = closed.motor_torques(x, qda, qdda)
    rows = tree_rows(robot, [1, 2, 3, 4], {1: 0, 2: 1, 3: 0, 4: 3})
    ends = [place(robot, 5)[:3, 3], place(robot, 6)[:3, 3]]
    points = np.array([[2, *ends[0], 4, *ends[1]]], float)
    motors = np.array([0, 2], np.int32)
    library = loaded("fivebar")
    library.setup(4, doubles(rows), None, 1, doubles(points), 2, motors.ctypes.data_as(ctypes.c_void_p), 2)
    bound = robot.bind(dict(robot.nominal))
    parties = [
        ours(bound, "inverse-dynamics", "symoro, five-bar", packed(q, qda, qdda)),
        Party("Pinocchio C++, five-bar", library.inverse, packed(q, xd[:, :4], xdd[:, :4]), 2),
    ]
    for party in parties:
        off = float(np.abs(run(party, 1)[1] - tau).max() / np.abs(tau).max())
        if not off < TOLERANCE:
            raise SystemExit(f"{party.who}: off by {off:.1e}")
    return parties


def report(ns: dict[str, float]) -> int:
    for who, value in ns.items():
        print(f"{who:40}{value:12.0f} ns")
    pairs = {
        "inverse / Pinocchio": ("Pinocchio C++, rnea + Jacobian + LU", "symoro, inverse"),
        "inverse / MuJoCo": ("MuJoCo, mj_inverse", "symoro, inverse"),
        "direct / Pinocchio": ("Pinocchio C++, constraintDynamics", "symoro, direct"),
        "five-bar / Pinocchio": ("Pinocchio C++, five-bar", "symoro, five-bar"),
    }
    missed = 0
    for name, (peer, own) in pairs.items():
        if peer in ns and own in ns:
            ratio = ns[peer] / ns[own]
            missed += ratio < MARKS[name]
            print(f"{name:24}{ratio:8.1f} times faster; asked {MARKS[name]}")
    return int(missed > 0)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    enter_with(("pin", "cmeel-eigen", "mujoco"))
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    import symoro

    print(versions(("pin", "cmeel-eigen", "mujoco")))
    parties = platform_parties(symoro.load("gough_stewart").bind({"FV3": 0, "FS3": 0, "IA3": 0}))
    try:
        parties += fivebar_parties()
    except symoro.SymoroError as error:
        print(f"five-bar: {error}")
    least: dict[str, float] = {}
    for _ in range(options.rounds):
        for party in parties:
            ns, _ = run(party, PASSES)
            least[party.who] = min(least.get(party.who, ns), ns)
    return report(least)


if __name__ == "__main__":
    raise SystemExit(main())
