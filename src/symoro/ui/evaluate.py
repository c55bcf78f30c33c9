"""Run `symoro eval`: read the inputs, evaluate a model, print the outputs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symoro.errors import ArgumentError
from symoro.expr.parser import NAME, reserved
from symoro.model import Model
from symoro.program.program import Input, size
from symoro.robot.coordinates import independent
from symoro.robot.description import Robot
from symoro.runtime.degrees import JOINT_OUTPUTS, OF_JOINTS, POSITIONS, degree_factors, joint_numbers
from symoro.runtime.function import Function
from symoro.ui import present
from symoro.ui.values import binding, numbers, posture_named, read_values

OF_LOOPS = "qc"


def evaluate(model: Model, options: argparse.Namespace) -> None:
    """Evaluate a model once, or for each sample of a file, and print the outputs."""
    ports = {port.name: port for port in model.program.inputs}
    values = read_values([], options.file)
    for item in options.values:
        name, text = binding(item)
        values[name] = (
            text if name in ports and NAME.match(text) and not reserved(text) else numbers(name, text)
        )
    inputs = {
        name: _input(model.robot, ports[name], value, options.degrees)
        for name, value in values.items()
        if name in ports
    }
    _check_missing(model.program.inputs, inputs)
    parameters = {name: value for name, value in values.items() if name not in ports}
    results = _function(model, parameters, options)(**_converted(inputs, options.dtype))
    _warn_if_not_finite(model, inputs, results)
    if options.degrees:
        results = {name: _in_degrees(model.robot, name, array) for name, array in results.items()}
    if options.json:
        present.as_json(
            {name: present.without_negative_zeros(array).tolist() for name, array in results.items()}
        )
    else:
        present.arrays(results)


def _function(model: Model, parameters: Mapping[str, Any], options: argparse.Namespace) -> Function:
    """Return the numerical function of a model; its code is compiled only if an option requires this.

    Args:
        parameters: values of the model's symbols by name.
        options: the parsed command line.
    """
    compiled = None if options.threads > 1 or options.dtype != "float64" else False
    return model.function(parameters, compiled=compiled, dtype=options.dtype, threads=options.threads)


def _converted(inputs: Mapping[str, Any], dtype: str) -> dict[str, Any]:
    """Return the inputs of a model as arrays of the NumPy type `dtype`.

    Args:
        inputs: values from the command line by input name, as numbers and lists.
    """
    return {name: a.astype(dtype) if isinstance(a, np.ndarray) else a for name, a in inputs.items()}


def _warn_if_not_finite(model: Model, inputs: Mapping[str, Any], results: Mapping[str, Any]) -> None:
    """Print a warning on standard error if an output of a model is NaN or infinite although all inputs are finite.

    Models that return several solutions are not checked, because NaN marks solutions that do not exist.
    """
    if "status" in results or not all(
        np.isfinite(np.asarray(given, float)).all() for given in inputs.values()
    ):
        return
    undefined = [name for name, array in results.items() if not np.isfinite(array).all()]
    if undefined:
        names = ", ".join(f"'{name}'" for name in undefined)
        reasons = f"; the model is valid for {', '.join(model.conditions)}" if model.conditions else ""
        print(
            f"symoro: warning: {names} contain{'s' if len(undefined) == 1 else ''} NaN or infinite values: the "
            f"configuration is singular, or the inputs are not consistent{reasons}",
            file=sys.stderr,
        )


def _check_missing(ports: Sequence[Input], given: Mapping[str, Any]) -> None:
    """Check that every input of a model without a default is given.

    Args:
        ports: inputs of the model.
        given: given values by input name.

    Raises:
        ArgumentError: an input is missing; the message contains its number of entries and an example.
    """
    missing = [port for port in ports if port.default is None and port.name not in given]
    if missing:
        expected = ", ".join(f"{port.name}=... ({size(port.shape)} numbers)" for port in missing)
        names, first = ", ".join(f"'{port.name}'" for port in missing), missing[0]
        raise ArgumentError(
            f"input{'s' if missing[1:] else ''} {names} {'are' if missing[1:] else 'is'} missing: give {expected}",
            hint=f"for example {first.name}={','.join(['0'] * size(first.shape))}",
        )


def _input(robot: Robot, port: Input, value: Any, degrees: bool) -> Any:
    """Return the value of an input of a model in SI units.

    The name of a posture is replaced by its joint positions, a single number by a list, degrees by radians.

    Args:
        port: the input.
        value: number, list of numbers, or name of a posture from the command line.
        degrees: whether angles are given in degrees.
    """
    if isinstance(value, str):
        return _posture(robot, port, value)
    if isinstance(value, int | float) and not isinstance(value, bool) and size(port.shape) == 1:
        value = np.full(port.shape, value)
    if not degrees or port.name not in OF_JOINTS:
        return value
    try:
        return np.asarray(value, dtype=float) * degree_factors(robot, joint_numbers(port))
    except (TypeError, ValueError):
        return value  # the function reports the expected shape


def _posture(robot: Robot, port: Input, name: str) -> list[float]:
    if port.name not in POSITIONS:
        raise ArgumentError(f"value of '{port.name}': expected numbers, got '{name[:60]}'")
    values = posture_named(robot, name)
    if values is None:
        raise ArgumentError(f"value of '{port.name}': '{name[:60]}' is not the name of a posture")
    positions = dict(zip(independent(robot), values, strict=True))
    joints = joint_numbers(port)
    missing = [j for j in joints if j not in positions]
    if missing:
        raise ArgumentError(f"value of '{port.name}': a posture does not contain joint {missing[0]}")
    return [positions[j] for j in joints]


def _in_degrees(robot: Robot, name: str, array: Any) -> Any:
    """Convert an output of a model to degrees if it contains joint positions or their time derivatives.

    Args:
        name: name of the output.
        array: its values in SI units.

    Returns:
        The converted array; other outputs and entries of prismatic joints are unchanged.
    """
    if name == OF_LOOPS:
        return array / degree_factors(robot, list(range(robot.NL + 1, robot.NJ + 1)))
    return array / degree_factors(robot, independent(robot)) if name in JOINT_OUTPUTS else array
