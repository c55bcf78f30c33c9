"""C++ header with functions of Eigen matrices that call the C code of a model.

    symoro::NAME::Constants                       constants, computed from the parameters; if there are any
    symoro::NAME::Outputs                         one member per output
    Outputs symoro::NAME::evaluate(q, ..., k)     returns the outputs
    void symoro::NAME::evaluate(q, ..., k, tau)   writes the outputs to matrices of the caller

The C code stores arrays by rows, and so do these matrices. Arguments of another storage order are copied by Eigen. An
array with more than two axes is a matrix in which the blocks of the last two axes follow each other from top to bottom.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from symoro.emit import c
from symoro.emit.code import code_of
from symoro.emit.header import clean
from symoro.emit.layout import wrap
from symoro.files import MADE_BY
from symoro.program.program import Program, Shape

# Entries; Eigen rejects matrices of fixed size of more than 128 KiB. Longer ones have a dynamic number of rows.
LARGEST_FIXED = 8192


@dataclass(frozen=True)
class _Array:
    """Argument of a function: array name of the C code, and rows and columns of the Eigen matrix; no rows: a scalar."""

    name: str
    rows: int | None
    columns: int

    @property
    def dynamic(self) -> bool:
        return (self.rows or 0) * self.columns > LARGEST_FIXED

    @property
    def type(self) -> str:
        return "Scalar" if self.rows is None else f"{self.name}_type"

    def definition(self) -> str:
        rows = "Eigen::Dynamic" if self.dynamic else str(self.rows)
        order = (
            "Eigen::ColMajor" if self.columns == 1 else "Eigen::RowMajor"
        )  # Eigen requires this of a column
        return f"using {self.type} = Eigen::Matrix<Scalar, {rows}, {self.columns}, {order}>;"

    def reference(self, constant: str) -> str:
        """Return the type of an argument: contiguous, so that the C code can read or write it."""
        if self.rows is None:
            return "Scalar" if constant else "Scalar&"
        vector = self.columns == 1 or (self.rows == 1 and not self.dynamic)
        stride = "" if vector else f", 0, Eigen::OuterStride<{self.columns}>"
        reference = f"Eigen::Ref<{constant}{self.type}{stride}>"
        return f"const {reference}&" if constant else reference

    def data(self, owner: str = "") -> str:
        return f"&{owner}{self.name}" if self.rows is None else f"{owner}{self.name}.data()"


def _arrays(program: Program, name: str, scalar: str) -> tuple[list[_Array], list[_Array]]:
    arrays = code_of(program, c.DIALECTS[scalar], name=name).arrays
    return (
        [_array(array, port.shape) for array, port in zip(arrays.inputs, program.inputs, strict=True)],
        [_array(array, port.shape) for array, port in zip(arrays.outputs, program.outputs, strict=True)],
    )


def _array(name: str, shape: Shape) -> _Array:
    if len(shape) < 2:
        return _Array(name, shape[0] if shape else None, 1)
    return _Array(name, prod(shape[:-1]), shape[-1])


def _constants(program: Program, name: str, scalar: str) -> tuple[str, str] | None:
    """Return the names of the constants' argument and of the setup function; None if there are no constants."""
    arrays = code_of(program, c.DIALECTS[scalar], name=name).arrays
    return (arrays.constants, arrays.setup) if c.call_sources(program, name, scalar).constants else None


def eigen_header(program: Program, name: str, scalar: str) -> str:
    """Return the text of NAME_eigen.hpp."""
    inputs, outputs = _arrays(program, name, scalar)
    constants = _constants(program, name, scalar)
    guard = f"{name.upper()}_EIGEN_HPP"
    lines = [
        f"/* {clean(f'{name}: {program.title or program.name}')}, for Eigen matrices.",
        " * Matrices are stored by rows; the order of the arguments is that of the C function.",
        f" * {MADE_BY} */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        f'#include "{name}.h"',
        "",
        "#include <Eigen/Core>",
        "",
        f"namespace symoro {{\nnamespace {name} {{\nnamespace eigen {{",
        "",
        f"using Scalar = {scalar};",
        *(array.definition() for array in (*inputs, *outputs) if array.rows is not None),
        "",
    ]
    if constants:
        lines += [*_constants_class(name, constants[1]), ""]
    lines += [*_outputs(outputs), ""]
    lines += [*_evaluate(name, inputs, outputs, constants[0] if constants else None), ""]
    lines += [f"}} // namespace eigen\n}} // namespace {name}\n}} // namespace symoro", "", "#endif"]
    return "\n".join(lines) + "\n"


def _constants_class(name: str, setup: str) -> list[str]:
    upper = name.upper()
    return [
        "/* Constants of the model. Compute them again after a parameter has changed. */",
        "struct Constants {",
        f"    using parameters_type = Eigen::Matrix<Scalar, {upper}_PARAMETERS, 1>;",
        "    explicit Constants(const Eigen::Ref<const parameters_type>& parameters)",
        f"    {{ ::{setup}(parameters.data(), values); }}",
        f"    Scalar values[{upper}_CONSTANTS];",
        "};",
    ]


def _outputs(outputs: list[_Array]) -> list[str]:
    lines = ["struct Outputs {", "    EIGEN_MAKE_ALIGNED_OPERATOR_NEW"]
    for array in outputs:
        size = f"{{{array.rows}, {array.columns}}}" if array.dynamic else ""
        lines.append(f"    {array.type} {array.name}{size};")
    return [*lines, "};"]


def _evaluate(name: str, inputs: list[_Array], outputs: list[_Array], constants: str | None) -> list[str]:
    """Return both functions: one writes to arguments, the other returns a structure."""
    given = [f"{array.reference('const ')} {array.name}" for array in inputs]
    given += [f"const Constants& {constants}"] if constants else []
    results = [f"{array.reference('')} {array.name}" for array in outputs]
    values = [f"{constants}.values"] if constants else []
    call = ", ".join([*(array.data() for array in inputs), *values, *(array.data() for array in outputs)])
    checks = [
        f"    eigen_assert({array.name}.rows() == {array.rows});"
        for array in (*inputs, *outputs)
        if array.dynamic
    ]
    passed = ", ".join([array.name for array in inputs] + ([constants] if constants else []))
    written = ", ".join(f"outputs.{array.name}" for array in outputs)
    return [
        "/* One sample; the outputs must not overlap the inputs. */",
        _head("inline void evaluate(", [*given, *results]),
        "{",
        *checks,
        wrap(f"    ::{name}({call});", "        "),
        "}",
        "",
        _head("inline Outputs evaluate(", given),
        "{",
        "    Outputs outputs;",
        wrap(f"    evaluate({', '.join(filter(None, (passed, written)))});", "        "),
        "    return outputs;",
        "}",
    ]


def _head(start: str, arguments: list[str]) -> str:
    """Return the head of a function, with one argument per line."""
    return start + f",\n{' ' * len(start)}".join(arguments) + ")"


def eigen_example_call(program: Program, name: str, scalar: str) -> tuple[list[str], list[str]]:
    """Return the lines of the example that compute the constants, and those that call the function.

    The inputs are given in Eigen's default storage order, by columns, to show that any order is accepted.
    """
    inputs, outputs = _arrays(program, name, scalar)
    constants = _constants(program, name, scalar)
    parameters = code_of(program, c.DIALECTS[scalar], name=name).arrays.parameters
    space, setup, call, passed = f"symoro::{name}::eigen", [], [], []
    if constants:
        reference = f"Eigen::Map<const {space}::Constants::parameters_type>({parameters})"
        setup = [f"const {space}::Constants {constants[0]}{{{reference}}};"]
    for array in inputs:
        if array.rows is None:
            passed.append(f"{array.name}[0]")
            continue
        by_columns = f"Eigen::Matrix<{scalar}, Eigen::Dynamic, Eigen::Dynamic>"
        size = f", {array.rows}, {array.columns}" if array.dynamic else ""
        call.append(
            f"const {by_columns} {array.name}_columns = Eigen::Map<const {space}::{array.type}>({array.name}{size});"
        )
        passed.append(f"{array.name}_columns")
    passed += [constants[0]] if constants else []
    call.append(f"const {space}::Outputs outputs_ = {space}::evaluate({', '.join(passed)});")
    for array in outputs:
        if array.rows is None:
            call.append(f"{array.name}[0] = outputs_.{array.name};")
        else:
            data = f"outputs_.{array.name}.data()"
            call.append(f"std::copy({data}, {data} + {array.rows * array.columns}, {array.name});")
    return setup, call


__all__ = ["eigen_example_call", "eigen_header"]
