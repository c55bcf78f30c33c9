"""One contestant of benchmarks/learning.py, in a process and an environment of its own.

    python learning.py NAME FOLDER DEVICE TYPE      DEVICE cpu or cuda, TYPE float32 or float64

The folder contains robot.urdf and inputs.npz. Lines of the standard input are commands: `values` writes NAME.npz with
the torques and the gradient of their weighted sum; `forward` and `both` answer with the seconds of one pass.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Torques = Callable[[Any, Any, Any], Any]


def main() -> None:
    """Prepare the contestant, answer `ready`, then do what is asked for."""
    name, folder, device, dtype = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a peer prints is no answer
    given = {key: array.astype(dtype) for key, array in np.load(folder / "inputs.npz").items()}
    library = "torch" if name.startswith("torch") else "jax"
    contestant = (with_torch if library == "torch" else with_jax)(name, folder, given, device)
    print("ready", file=answers)
    for line in sys.stdin:
        if line.strip() == "values":
            np.savez(folder / f"{name}.npz", **contestant["values"]())
            print("done", file=answers)
        else:
            start = time.perf_counter()
            contestant[line.strip()]()
            print(time.perf_counter() - start, file=answers)


def with_jax(name: str, folder: Path, given: dict[str, Any], device: str) -> dict[str, Callable[[], Any]]:
    """Return the commands of a contestant that uses JAX."""
    import jax

    jax.config.update("jax_enable_x64", given["q"].dtype == np.float64)
    jax.config.update("jax_default_device", jax.devices(device)[0])
    torques = JAX[name](folder)
    x = {key: jax.device_put(array) for key, array in given.items()}
    arguments = x["q"], x["qd"], x["qdd"]
    forward = jax.jit(torques)
    both = jax.jit(
        jax.value_and_grad(lambda q, qd, qdd: (x["weights"] * torques(q, qd, qdd)).sum(), argnums=(0, 1, 2))
    )

    def values() -> dict[str, Any]:
        gradient = both(*arguments)[1]
        names = ("q", "qd", "qdd")
        return {"tau": forward(*arguments), **dict(zip(names, map(np.asarray, gradient), strict=True))}

    return {
        "values": values,
        "forward": lambda: jax.block_until_ready(forward(*arguments)),
        "both": lambda: jax.block_until_ready(both(*arguments)),
    }


def with_torch(name: str, folder: Path, given: dict[str, Any], device: str) -> dict[str, Callable[[], Any]]:
    """Return the commands of a contestant that uses PyTorch."""
    import torch

    torques = TORCH[name](folder)
    x = {key: torch.tensor(array, device=device) for key, array in given.items()}
    leaves = [x[key].clone().requires_grad_() for key in ("q", "qd", "qdd")]

    def finished(result: Any) -> Any:
        if device == "cuda":
            torch.cuda.synchronize()
        return result

    def forward() -> Any:
        with torch.no_grad():
            return finished(torques(x["q"], x["qd"], x["qdd"]))

    def both() -> Any:
        return finished(torch.autograd.grad(torques(*leaves), leaves, x["weights"]))

    def values() -> dict[str, Any]:
        gradient = dict(zip(("q", "qd", "qdd"), both(), strict=True))
        return {key: array.cpu().numpy() for key, array in {"tau": forward(), **gradient}.items()}

    return {"values": values, "forward": forward, "both": both}


def ours(folder: Path) -> Any:
    """Return our model of the robot of the folder."""
    import symoro

    return symoro.generate(symoro.load(folder / "robot.yaml"), "inverse-dynamics")


def plain(folder: Path, xp: Any) -> Torques:
    """Return the plain recursion over joints."""
    from plain_recursion import chain_of, inverse_dynamics

    import symoro

    robot = symoro.load(folder / "robot.yaml")
    chain = chain_of(robot.bind(dict(robot.nominal)))
    return lambda q, qd, qdd: inverse_dynamics(xp, chain, q, qd, qdd)


def symoro_jax(kind: str) -> Callable[[Path], Torques]:
    def make(folder: Path) -> Torques:
        f = ours(folder).to_jax(kind=kind)
        return lambda q, qd, qdd: f(q=q, qd=qd, qdd=qdd)["tau"]

    return make


def symoro_torch(kind: str) -> Callable[[Path], Torques]:
    def make(folder: Path) -> Torques:
        f = ours(folder).to_torch(kind=kind)
        return lambda q, qd, qdd: f(q=q, qd=qd, qdd=qdd)["tau"]

    return make


def plain_jax(folder: Path) -> Torques:
    import jax.numpy

    return plain(folder, jax.numpy)


def plain_torch(folder: Path) -> Torques:
    import torch

    return plain(folder, torch)


def frax(folder: Path) -> Torques:
    import frax as peer
    import jax
    import jax.numpy as jnp

    robot = peer.Robot(str(folder / "robot.urdf"))
    gravity = jnp.array([0.0, 0.0, 9.81, 0.0, 0.0, 0.0])
    return jax.vmap(lambda q, qd, qdd: robot.rnea(q, qd, qdd, gravity, None))


def adam(folder: Path) -> Torques:
    """Return M qdd + h of a robot whose base, which adam always moves freely, is at rest."""
    import jax
    import jax.numpy as jnp
    from adam.jax import KinDynComputations

    joints = [f"panda_joint{j}" for j in range(1, 8)]
    gravity = np.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0])  # its default is 9.80665
    model = KinDynComputations(str(folder / "robot.urdf"), joints, gravity=gravity)
    pose, rest = jnp.eye(4), jnp.zeros(6)

    def torques(q: Any, qd: Any, qdd: Any) -> Any:
        mass = model.mass_matrix(pose, q)
        return mass[6:, 6:] @ qdd + model.bias_force(pose, q, rest, qd)[6:]

    return jax.vmap(torques)


def mjx(folder: Path) -> Torques:
    import jax
    import mujoco
    from mujoco import mjx as peer

    model = mujoco.MjModel.from_xml_path(str(folder / "robot.urdf"))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    device = peer.put_model(model)
    empty = peer.make_data(model)

    def torques(q: Any, qd: Any, qdd: Any) -> Any:
        return peer.inverse(device, empty.replace(qpos=q, qvel=qd, qacc=qdd)).qfrc_inverse

    return jax.vmap(torques)


def jaxsim(folder: Path) -> Torques:
    import jax
    import jaxsim.api as js

    model = js.model.JaxSimModel.build_from_model_description(folder / "robot.urdf")

    def torques(q: Any, qd: Any, qdd: Any) -> Any:
        data = js.data.JaxSimModelData.build(model=model, joint_positions=q, joint_velocities=qd)
        return js.model.inverse_dynamics(model=model, data=data, joint_accelerations=qdd)[1]

    return jax.vmap(torques)


JAX: dict[str, Callable[[Path], Torques]] = {
    "jax-symoro": symoro_jax("compiled"),
    "jax-symoro-emitted": symoro_jax("emitted"),
    "jax-plain": plain_jax,
    "frax": frax,
    "adam": adam,
    "mjx": mjx,
    "jaxsim": jaxsim,
}
TORCH: dict[str, Callable[[Path], Torques]] = {
    "torch-symoro": symoro_torch("compiled"),
    "torch-symoro-emitted": symoro_torch("emitted"),
    "torch-plain": plain_torch,
}

if __name__ == "__main__":
    main()
