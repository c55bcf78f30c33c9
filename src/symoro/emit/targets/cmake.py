"""CMake package of a model: a C library, a C++ header, functions for Eigen, install rules and package configuration.

    CMakeLists.txt NAMEConfig.cmake
    NAME/NAME.h NAME.c NAME_batch.c     the C library, NAME::NAME
    NAME/NAME.hpp                       C++ templates
    NAME/NAME_eigen.hpp                 functions of Eigen matrices that call the C library, NAME::NAME_eigen
    examples/                           one program per interface, which checks the numbers of the README (ctest)

Sources and headers are in a folder of their own, so that a model called `math` does not hide the header of that name.
"""

from __future__ import annotations

from symoro.emit import c, cpp
from symoro.emit.code import code_of
from symoro.emit.header import clean
from symoro.emit.layout import call_arguments
from symoro.emit.target import Export, ExportFiles, Target, choice
from symoro.emit.targets.checked_example import ExampleCalls, checked_example
from symoro.emit.targets.eigen import eigen_example_call, eigen_header
from symoro.emit.targets.texts import filled_text
from symoro.files import MADE_BY

SCALARS = ("double", "float")


def write(export: Export) -> ExportFiles:
    """Return the files of the package."""
    scalar = choice(export, "scalar", SCALARS)
    program, name = export.program, export.base
    sources = c.write(program, name=name, scalar=scalar)
    del sources[f"{name}_example.c"]
    texts = {"NAME": name, "TITLE": clean(f"{name}: {program.title or program.name}"), "MADE_BY": MADE_BY}
    listed = " ".join(f"{name}/{file}" for file in sorted(sources) if file.endswith(".c"))
    files: ExportFiles = {
        "CMakeLists.txt": filled_text("cmake_package.txt", SOURCES=listed, **texts),
        f"{name}Config.cmake": filled_text("cmake_config.txt", **texts),
        **{f"{name}/{file}": text for file, text in (sources | cpp.write(program, name=name)).items()},
        f"{name}/{name}_eigen.hpp": eigen_header(program, name, scalar),
    }
    return files | _examples(export, name, scalar)


def _examples(export: Export, name: str, scalar: str) -> ExportFiles:
    program = export.program
    code = code_of(program, c.DIALECTS[scalar], name=name)
    arrays, upper = code.arrays, name.upper()
    constants = c.call_sources(program, name, scalar).constants > 0
    inputs = [*arrays.inputs, *([arrays.constants] if constants else [])]
    setup = [
        f"{scalar} {arrays.constants}[{upper}_CONSTANTS];",
        f"{arrays.setup}({arrays.parameters}, {arrays.constants});",
    ]
    in_c = ExampleCalls(
        f"{name}: the C functions, for the sample of README.md.",
        [f'#include "{name}/{name}.h"'],
        arrays,
        setup if constants else [],
        [f"{arrays.function}({', '.join([*inputs, *arrays.outputs])});"],
    )
    with_eigen = ExampleCalls(
        f"{name}: the functions for Eigen, for the sample of README.md.",
        [f'#include "{name}/{name}_eigen.hpp"', "", "#include <algorithm>"],
        arrays,
        *eigen_example_call(program, name, scalar),
    )
    examples = {
        f"examples/{name}_example.c": in_c,
        f"examples/{name}_example.cpp": template_calls(export, name, scalar, f'#include "{name}/{name}.hpp"'),
        f"examples/{name}_example_eigen.cpp": with_eigen,
    }
    return {path: checked_example(export, calls, scalar) for path, calls in examples.items()}


def template_calls(export: Export, name: str, scalar: str, include: str) -> ExampleCalls:
    """Return the calls of an example that uses the C++ header of the model."""
    code = code_of(export.program, cpp.DIALECT, name=name)
    arrays, space = code.arrays, f"symoro::{name}"
    setup = [
        f"{scalar} {arrays.constants}[{space}::CONSTANTS];",
        f"{space}::{arrays.setup}<{scalar}>({arrays.parameters}, {arrays.constants});",
    ]
    return ExampleCalls(
        f"{name}: the C++ templates, for the sample of README.md.",
        [include],
        arrays,
        setup if code.constants else [],
        [f"{space}::{arrays.function}<{scalar}>({', '.join([*call_arguments(code), *arrays.outputs])});"],
    )


TARGET = Target(
    "cmake",
    "a CMake package for C and C++",
    write,
    options={"scalar": "'double' or 'float'"},
    commands=("cmake -S . -B build && cmake --build build && ctest --test-dir build",),
    remarks=(
        "`cmake --install build --prefix PREFIX` installs the package. Another project uses it by "
        "`find_package({0})` and `target_link_libraries(app {0}::{0})`, or `{0}::{0}_eigen` for the functions of "
        "Eigen matrices; configure it with `-DCMAKE_PREFIX_PATH=PREFIX`.",
    ),
)
