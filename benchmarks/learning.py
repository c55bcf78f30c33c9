"""Panda's inverse dynamics and its gradients in PyTorch and JAX, beside peers: python benchmarks/learning.py

    symoro                  to_torch() and to_jax(): compiled C or CUDA, the vjp program as backward pass
    symoro, emitted         kind="emitted": the emitted code, differentiated by PyTorch or JAX
    plain recursion         the Newton-Euler algorithm as users write it: a loop over joints
    frax, jaxsim, adam, MJX libraries for JAX

    --device cpu|cuda       where (default cpu)
    --dtype float32|float64 (default float64)
    --samples N             in a batch (default 20000)
    --rounds N              passes of each (default 5)
    --patience SECONDS      to prepare and compile one contestant (default 600)
    NAME ...                contestants; all by default

Every contestant runs in a process of its own, the peers in environments under build/bench, where they are installed if
possible. Torques and gradients are compared with those of symoro before any time is taken. Contestants take turns; the
figure is the least time of a pass, per sample. What cannot be installed or run is named. The table is written to
build/learning.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np

import symoro
from symoro.robot.formats import dumps

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "bench"
TOLERANCE = {"float64": 1e-8, "float32": 2e-3}  # relative to the largest torque or gradient
AXES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
TITLES = {
    "torch-symoro": "symoro, PyTorch",
    "torch-symoro-emitted": "symoro, PyTorch, emitted",
    "torch-plain": "plain recursion, PyTorch",
    "jax-symoro": "symoro, JAX",
    "jax-symoro-emitted": "symoro, JAX, emitted",
    "jax-plain": "plain recursion, JAX",
    "frax": "frax",
    "adam": "adam",
    "mjx": "MJX",
    "jaxsim": "jaxsim",
}
PACKAGES = {"frax": "frax", "adam": "adam-robotics[jax]", "mjx": "mujoco-mjx", "jaxsim": "jaxsim"}


class Contestant:
    """Process that evaluates one contestant."""

    def __init__(self, name: str, folder: Path, device: str, dtype: str) -> None:
        self.name = name
        python = environment(PACKAGES[name], name) if name in PACKAGES else Path(sys.executable)
        script = Path(__file__).resolve().parent / "peers" / "learning.py"
        paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
        variables = {**os.environ, "PYTHONPATH": paths, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
        if device == "cpu":
            variables["JAX_PLATFORMS"] = "cpu"
        self.log = folder / f"{name}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [python, script, name, folder, device, dtype],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=variables,
            )

    def answer(self) -> str:
        """Return the next line of the process.

        Raises:
            RuntimeError: the process has ended; the message is the last line of its errors.
        """
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        if not line:
            errors = [text for text in self.log.read_text().splitlines() if "Error" in text.partition(":")[0]]
            raise RuntimeError(errors[-1][:160] if errors else "it was ended, or ended without a message")
        return line

    def ask(self, command: str) -> str:
        """Return the answer to a command."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{command}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self.answer()

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


def environment(package: str, name: str) -> Path:
    """Return the Python that has a peer: the running one, or one under build/bench, made now if necessary.

    Raises:
        RuntimeError: the package cannot be installed.
    """
    wanted = package.partition("[")[0]
    probe = f"import importlib.metadata as m; m.version('{wanted}')"
    folder = BUILD / f"venv-{name}"
    for python in (Path(sys.executable), folder / "bin" / "python"):
        if python.exists() and not subprocess.run([python, "-c", probe], capture_output=True).returncode:
            return python
    print(f"installing {package} into {folder}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    install = [python, "-m", "pip", "install", "--quiet", package, "numpy"]
    if subprocess.run(install, capture_output=True).returncode:
        raise RuntimeError(f"{package} cannot be installed")
    return python


def compared(name: str, folder: Path, reference: dict[str, Any], tolerance: float) -> float:
    """Return the largest relative error of torques and gradients.

    Raises:
        RuntimeError: it exceeds the tolerance.
    """
    got = np.load(folder / f"{name}.npz")
    errors = [np.abs(got[k] - want).max() / np.abs(want).max() for k, want in reference.items()]
    worst = float(np.max(errors))
    if not worst <= tolerance:
        raise RuntimeError(f"its values differ by {worst:.1e}")
    return worst


def references(robot: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return torques and gradients in double precision from NumPy functions."""
    model = symoro.generate(robot, "inverse-dynamics")
    x = {name: given[name] for name in ("q", "qd", "qdd")}
    bars = model.derivative("vjp").function()(**x, tau_bar=given["weights"])
    return {"tau": model.function()(**x)["tau"], **{name: bars[f"{name}_bar"] for name in x}}


def with_base(urdf: str) -> str:
    """Return the description with an inertia of the fixed base, which frax and adam require; it has no effect."""
    axes = " ".join(f'{name}="{number}"' for name, number in zip(AXES, (1, 0, 0, 1, 0, 1), strict=True))
    inertial = f'<inertial><origin xyz="0 0 0" rpy="0 0 0"/><mass value="1"/><inertia {axes}/></inertial>'
    return urdf.replace('<link name="base"/>', f'<link name="base">{inertial}</link>')


def prepared(names: list[str], folder: Path, options: argparse.Namespace, reference: Any) -> list[Contestant]:
    """Return the contestants that run and whose values agree."""
    ready = []
    for name in names:
        contestant = None
        try:
            contestant = Contestant(name, folder, options.device, options.dtype)
            patience = threading.Timer(options.patience, contestant.process.kill)
            patience.start()
            contestant.answer()
            contestant.ask("values")
            patience.cancel()
            error = compared(name, folder, reference, TOLERANCE[options.dtype])
            print(f"{TITLES[name]}: values agree to {error:.0e}", flush=True)
            ready.append(contestant)
        except RuntimeError as error:
            print(f"{TITLES[name]}: not measured: {error}", flush=True)
            if contestant is not None:
                contestant.end()
    return ready


def main() -> None:
    parser = argparse.ArgumentParser(description="Learning benchmark", usage=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float64")
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--patience", type=float, default=600)
    options = parser.parse_args()
    names = options.names or list(TITLES)
    robot = symoro.load("panda")
    robot = robot.bind(dict(robot.nominal))
    rng = np.random.default_rng(0)
    given = {name: rng.uniform(-1, 1, (options.samples, 7)) for name in ("q", "qd", "qdd", "weights")}
    with tempfile.TemporaryDirectory(prefix="symoro-learning-") as scratch:
        folder = Path(scratch)
        (folder / "robot.urdf").write_text(with_base(dumps(robot, "urdf")))
        (folder / "robot.yaml").write_text(dumps(robot, "yaml"))
        np.savez(folder / "inputs.npz", **given)
        contestants = prepared(names, folder, options, references(robot, given))
        least: dict[tuple[str, str], float] = {}
        for _ in range(options.rounds):
            for contestant in contestants:
                for command in ("forward", "both"):
                    seconds, key = float(contestant.ask(command)), (contestant.name, command)
                    least[key] = min(least.get(key, np.inf), seconds)
        for contestant in contestants:
            contestant.end()
    per_sample = {key: 1e9 * seconds / options.samples for key, seconds in least.items()}
    lines = [
        f"{options.samples} samples, {options.dtype}, {options.device}",
        "",
        "| | forward, ns per sample | forward and backward | ratio |",
        "|---|---|---|---|",
    ]
    for contestant in contestants:
        forward, both = (per_sample[contestant.name, command] for command in ("forward", "both"))
        title = TITLES[contestant.name]
        lines.append(f"| {title} | {forward:.3g} | {both:.3g} | {both / forward:.1f} |")
    print("\n".join(lines))
    table = ROOT / "build" / "learning.md"
    table.parent.mkdir(exist_ok=True)
    table.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
