"""ROS 2 package of a model: C++ headers, a node, tests, and a kinematics plugin of MoveIt for inverse geometry.

    package.xml CMakeLists.txt config/NAME.yaml
    include/NAME/NAME.hpp               C++ templates of the model
    include/NAME/NAME_ports.hpp         tables of inputs, outputs and parameters; class Model with its arrays
    src/NAME_node.cpp                   node: JointState and topics in, std_msgs/Float64MultiArray out
    src/NAME_kinematics_plugin.cpp      closed-form inverse geometry (kinematics::KinematicsBase)
    test/                               programs that check the numbers of the README (ctest)

NAME is the base name in the form that ROS requires of packages: lower case letters, digits and single underscores.
Without ROS the headers and the tests are built by plain CMake.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

from symoro.emit import cpp
from symoro.emit.code import code_of
from symoro.emit.header import clean
from symoro.emit.layout import wrap
from symoro.emit.names import Names, identifier
from symoro.emit.target import Export, ExportFiles, Target, missing_numbers
from symoro.emit.targets.checked_example import ExampleCalls, checked_example
from symoro.emit.targets.cmake import template_calls
from symoro.emit.targets.texts import filled_text
from symoro.errors import SymoroError
from symoro.files import MADE_BY
from symoro.program.program import Input, Program, size

_NODE_PACKAGES = ("rclcpp", "rcl_interfaces", "sensor_msgs", "std_msgs")
_PLUGIN_PACKAGES = ("geometry_msgs", "moveit_core", "moveit_msgs", "pluginlib")
# Symbols of inputs that are fields of sensor_msgs/JointState; q0_1 ... are optional joint positions.
_FIELDS = {
    "position": re.compile(r"q(?:0_)?(\d+)"),
    "velocity": re.compile(r"qd(\d+)"),
    "effort": re.compile(r"tau(\d+)"),
}


def write(export: Export) -> ExportFiles:
    """Return the files of the package."""
    program, name = export.program, package_name(export.base)
    geometry = _forward_geometry(export)
    title = clean(f"{name}: {program.title or program.name}")
    texts = {"NAME": name, "TITLE": title, "MADE_BY": MADE_BY}
    described = escape(title)
    packages = _NODE_PACKAGES + (_PLUGIN_PACKAGES if geometry else ())
    depends = "\n".join(f"  <depend>{package}</depend>" for package in packages)
    plugin = filled_text("ros2_cmake_plugin.txt", NAME=name) if geometry else ""
    values = dict(zip(program.used_parameters, export.sample.parameters, strict=True))
    header = f"{name}/{name}.hpp"
    files: ExportFiles = {
        "package.xml": filled_text("ros2_package.txt", DESCRIPTION=described, DEPENDENCIES=depends, **texts),
        "CMakeLists.txt": filled_text("ros2_cmake.txt", PLUGIN=plugin, **texts),
        f"config/{name}.yaml": _configuration(program, name, values),
        f"include/{header}": cpp.write(program, name=name)[f"{name}.hpp"],
        f"include/{name}/{name}_ports.hpp": _ports(program, name, name, values),
        f"src/{name}_node.cpp": filled_text("ros2_node.txt", **texts),
        f"test/{name}_test.cpp": checked_example(
            export, template_calls(export, name, "double", f'#include "{header}"'), "double"
        ),
        f"test/{name}_ports_test.cpp": checked_example(export, _ports_calls(program, name), "double"),
    }
    if geometry is not None:
        forward = f"{name}_geometry"
        files |= {
            f"include/{name}/{forward}.hpp": cpp.write(geometry, name=forward)[f"{forward}.hpp"],
            f"include/{name}/{forward}_ports.hpp": _ports(geometry, name, forward, _values(export, geometry)),
            f"src/{name}_kinematics_plugin.cpp": filled_text(
                "ros2_plugin.txt", **_positions(program), **texts
            ),
            f"{name}_kinematics.xml": filled_text(
                "ros2_plugin_description.txt", DESCRIPTION=described, **texts
            ),
        }
    return files


def package_name(base: str) -> str:
    """Return a valid name of a ROS package and of a C++ namespace, derived from the base name of an export."""
    text = re.sub(r"_+", "_", base.lower()).strip("_")
    text = text if text[:1].isalpha() else f"model_{text}".rstrip("_")
    text = text if len(text) > 1 else f"{text}_model"  # ROS requires two characters
    return Names(cpp.DIALECT).claim(text)


# -- tables of the ports


def _joint_variables(program: Program) -> list[str]:
    """Return the joint variables that occur in inputs taken from JointState, such as q3, by number."""
    numbers = {
        int(match[1])
        for port in program.inputs
        for pattern in _FIELDS.values()
        for symbol in port.symbols
        if (match := pattern.fullmatch(symbol))
    }
    return [f"q{number}" for number in sorted(numbers)]


def _source(port: Input) -> tuple[str, list[str]]:
    """Return where the node takes an input from, and the joint variables of its entries: none for a topic."""
    for field, pattern in _FIELDS.items():
        matches = [pattern.fullmatch(symbol) for symbol in port.symbols]
        joints = [f"q{match[1]}" for match in matches if match]
        if joints and len(joints) == len(matches):
            return field, joints
    return "topic", []


def _ports(program: Program, package: str, name: str, values: dict[str, float]) -> str:
    """Return the header with the tables of a program whose header is PACKAGE/NAME.hpp."""
    code = code_of(program, cpp.DIALECT, name=name)
    arrays, joints = code.arrays, _joint_variables(program)
    inputs = []
    for array, port in zip(arrays.inputs, program.inputs, strict=True):
        source, variables = _source(port)
        numbers = [str(joints.index(variable)) for variable in variables]
        initial = [repr(float(x)) for x in port.default or ()]
        fields = [_literal(array), _literal(port.unit), _braces(map(str, port.shape)), str(size(port.shape))]
        fields += [
            f"Source::{source}",
            _braces(numbers),
            str(port.default is not None).lower(),
            _braces(initial),
        ]
        inputs.append(_braces(fields))
    outputs = [
        _braces([_literal(array), _literal(out.unit), _braces(map(str, out.shape)), str(size(out.shape))])
        for array, out in zip(arrays.outputs, program.outputs, strict=True)
    ]
    parameters = [
        _braces([_literal(ros), repr(values[own])]) for own, ros in _parameter_names(program).items()
    ]
    calls = [f"inputs[{at}].data()" for at in range(len(arrays.inputs))]
    calls += ["constants_"] if code.constants else []
    calls += [f"outputs[{at}].data()" for at in range(len(arrays.outputs))]
    space = f"symoro::{name}"
    setup = (
        f"{space}::{arrays.setup}<double>(values.data(), constants_);"
        if code.constants
        else "(void)constants_;"
    )
    text = filled_text(
        "ros2_ports.txt",
        NAME=name,
        TITLE=clean(f"{name}: {program.title or program.name}"),
        MADE_BY=MADE_BY,
        GUARD=name.upper(),
        JOINTS=_rows(_literal(program.joints.get(variable, variable)) for variable in joints),
        INPUTS=_rows(inputs),
        OUTPUTS=_rows(outputs),
        PARAMETERS=_rows(parameters),
        SETUP=setup,
        CALL=wrap(
            f"        {space}::{arrays.function}<double>({', '.join(calls)});", "            "
        ).lstrip(),
    )
    return text.replace(f'#include "{name}/{name}.hpp"', f'#include "{package}/{name}.hpp"')


def _parameter_names(program: Program) -> dict[str, str]:
    """Return the name of the ROS parameter of each parameter."""
    names = Names(cpp.DIALECT)
    return {own: names.claim(identifier(own, "p")) for own in program.used_parameters}


def _braces(texts: Iterable[str]) -> str:
    return f"{{{', '.join(texts)}}}"


def _rows(texts: Iterable[str]) -> str:
    """Return the entries of a table, one per line."""
    return "".join(f"\n        {text}," for text in texts)


def _literal(text: str) -> str:
    """Return a string literal of C++; other characters than plain ASCII are written as bytes of UTF-8."""
    safe = set(range(32, 127)) - set(b'"\\?')
    return '"' + "".join(chr(b) if b in safe else f"\\{b:03o}" for b in text.encode("utf-8", "replace")) + '"'


def _ports_calls(program: Program, name: str) -> ExampleCalls:
    """Return the calls of the example that uses the class Model."""
    arrays = code_of(program, cpp.DIALECT, name=name).arrays
    lines = [f"symoro::{name}::ports::Model model_;"]
    for at, (array, port) in enumerate(zip(arrays.inputs, program.inputs, strict=True)):
        lines.append(f"std::copy({array}, {array} + {size(port.shape)}, model_.inputs[{at}].begin());")
    lines.append("model_.evaluate();")
    for at, array in enumerate(arrays.outputs):
        lines.append(f"std::copy(model_.outputs[{at}].begin(), model_.outputs[{at}].end(), {array});")
    includes = [f'#include "{name}/{name}_ports.hpp"', "", "#include <algorithm>"]
    return ExampleCalls(f"{name}: the class Model, for the sample of README.md.", includes, arrays, [], lines)


def _configuration(program: Program, name: str, values: dict[str, float]) -> str:
    """Return the file with the ROS parameters of the node and their default values."""
    arrays = code_of(program, cpp.DIALECT, name=name).arrays
    joints, sources = _joint_variables(program), [_source(port)[0] for port in program.inputs]
    lines = [f"# {MADE_BY}", f"# ros2 run {name} {name}_node --ros-args --params-file {name}.yaml"]
    lines += [f"{name}:", "  ros__parameters:"]
    if joints:
        shown = [_yaml_text(program.joints.get(variable, variable)) for variable in joints]
        lines += ["    joint_names:", *(f"      - {text}" for text in shown)]
    lines.append("    topics:")
    lines += ["      joint_states: joint_states"] if any(source != "topic" for source in sources) else []
    own = [array for array, source in zip(arrays.inputs, sources, strict=True) if source == "topic"]
    lines += [f'      {array}: "~/{array}"' for array in (*own, *arrays.outputs)]
    if values:
        names = _parameter_names(program)
        lines += ["    parameters:", *(f"      {names[own]}: {_yaml_number(values[own])}" for own in names)]
    return "\n".join(lines) + "\n"


def _yaml_text(text: str) -> str:
    plain = (c if 32 <= ord(c) < 127 and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{"".join(plain)}"'


def _yaml_number(value: float) -> str:
    """Return a decimal with a point, because YAML reads 1e-05 as a text and 1 as an integer."""
    text = repr(float(value))
    return text if "." in text else text.replace("e", ".0e")


# -- the kinematics plugin


def _forward_geometry(export: Export) -> Program | None:
    """Return the forward geometry for the kinematics plugin; None if the model is not that of a serial arm.

    The plugin requires the inputs T (4, 4) and q0, the outputs q and status, and a forward model of the same joints.
    """
    program = export.program
    inputs = {port.name: port for port in program.inputs}
    outputs = {out.name: out for out in program.outputs}
    if ("model", "inverse-geometry") not in program.header or set(inputs) != {"T", "q0"}:
        return None
    if "geometry" not in export.companions or not {"q", "status"} <= set(outputs):
        return None
    try:
        geometry = export.companions["geometry"]()
    except SymoroError:
        return None
    joints = [re.sub("^q0_", "q", symbol) for symbol in inputs["q0"].symbols]
    same = [list(port.symbols) for port in geometry.inputs] == [joints]
    return geometry if same and inputs["T"].shape == (4, 4) else None


def _values(export: Export, program: Program) -> dict[str, float]:
    """Return the numbers of the parameters of another program of the robot.

    Raises:
        ArgumentError: a parameter has no number.
    """
    missing = [name for name in program.used_parameters if name not in export.values]
    if missing:
        raise missing_numbers("the kinematics plugin", program, missing)
    return {name: export.values[name] for name in program.used_parameters}


def _positions(program: Program) -> dict[str, str]:
    """Return the positions of the ports that the plugin uses."""
    inputs = [port.name for port in program.inputs]
    outputs = [out.name for out in program.outputs]
    return {
        "INPUT_T": str(inputs.index("T")),
        "INPUT_Q": str(inputs.index("q0")),
        "OUTPUT_Q": str(outputs.index("q")),
        "OUTPUT_STATUS": str(outputs.index("status")),
    }


TARGET = Target(
    "ros2",
    "a ROS 2 package",
    write,
    aliases=("ros",),
    commands=("cmake -S . -B build && cmake --build build && ctest --test-dir build",),
    remarks=(
        "In a ROS 2 workspace, copy the folder to `src/`; `colcon build` then builds it together with the node.",
        "The headers and their tests were compiled and run with plain CMake and with ament_cmake. The node, and "
        "the kinematics plugin that packages for inverse geometry contain, were compiled and called against "
        "replacements of the classes of rclcpp and MoveIt; they were not run with ROS 2 or MoveIt.",
        "Maintainer and licence in package.xml are examples: replace them before you publish the package.",
    ),
    with_values=True,
)
