"""Models with ports of every kind for tests of export targets: matrices, 3-D arrays, scalars, optional inputs."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import symoro
from symoro.model import Model
from symoro.program.interpret import interpret

CASES = {
    "vectors": ("panda", "inverse-dynamics", {}),
    "matrix output": ("panda", "inertia-matrix", {}),
    "transform": ("stanford", "fast-geometry", {}),
    "closed loops": ("fivebar", "jacobian", {}),
    "several outputs": ("ur5e", "inverse-geometry", {}),
    "3-D output": ("planar2r", "lagrange", {}),
    "rotation input": ("rx90_floating", "direct-dynamics", {}),
    "wrench": ("rx90", "static-torques", {}),
    "scalars": ("rx90", "energy", {}),
    "scalar input": ("ur5e", "inverse-kinematics", {"method": "damped"}),
}


@cache
def model(case: str) -> Model:
    robot, name, options = CASES[case]
    return symoro.generate(robot, name, **options)


@cache
def hostile_model() -> Model:
    """Return a model of a robot whose names contain comment signs, quotation marks, path separators and %."""
    robot = symoro.load("planar2r")
    names = ["*/ int main(void) {}", "a'); system('x'); % \" \\ %s"]
    frames = [replace(frame, name=name) for frame, name in zip(robot.frames, names, strict=True)]
    renamed = replace(robot, name="../../*/ %d ' end \" x\n" + "long" * 20, frames=tuple(frames))
    return symoro.generate(renamed, "inverse-dynamics")


def values(model: Model, seed: int = 3) -> dict[str, float]:
    """Return numbers for all parameters; products of inertia and first moments are small, as those of a body are."""
    rng = np.random.default_rng(seed)
    small = ("XY", "XZ", "YZ", "MX", "MY", "MZ")
    return {
        name: float(rng.uniform(0.5, 1.5)) * (0.1 if name.startswith(small) else 1.0)
        for name in model.parameters
    }


def inputs(model: Model, seed: int = 4) -> dict[str, np.ndarray]:
    """Return numbers for all inputs; poses are reachable, and rotations are orthogonal."""
    rng = np.random.default_rng(seed)
    arrays = {name: rng.uniform(-1, 1, shape) for name, shape in model.inputs.items()}
    if "T" in arrays:
        geometry = symoro.generate(model.robot, "fast-geometry")
        arrays["T"] = geometry.function()(q=rng.uniform(-1, 1, *geometry.inputs["q"]))["T"]
    if "R0" in arrays:
        arrays["R0"] = np.linalg.qr(arrays["R0"])[0]
    return arrays


def expected(
    model: Model, inputs: dict[str, np.ndarray], parameters: dict[str, float] | None = None
) -> dict[str, np.ndarray]:
    """Return the outputs of a model, computed by the interpreter; by default with the numbers of `values`."""
    return interpret(model.program, inputs, values(model) if parameters is None else parameters)


def assert_equal(
    results: dict[str, np.ndarray], expected: dict[str, np.ndarray], tolerance: float = 1e-12
) -> None:
    """Compare outputs, relative to the largest entry of all of them: an output may consist of round-off alone."""
    assert list(results) == list(expected)
    largest = max(np.nanmax(np.abs(array), initial=0.0) for array in expected.values())
    for name, array in expected.items():
        assert np.shape(results[name]) == np.shape(array), name
        np.testing.assert_allclose(results[name], array, rtol=0, atol=tolerance * largest, err_msg=name)
