"""ROS 2 packages: built by CMake with and without ament; node and kinematics plugin against `ros_mocks`.

ROS 2 and MoveIt themselves are not needed: the folder `ros_mocks` contains the classes that the generated code uses.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import symoro
from symoro import Model
from symoro.emit.targets.ros2 import package_name
from symoro.files import write_folder
from symoro.program.program import size
from symoro.robot.formats import dumps
from tests.emit.run import command, need

Array = np.ndarray
MOCKS = Path(__file__).parent / "ros_mocks"
EIGEN = Path("/usr/include/eigen3")
FLAGS = ["-std=c++17", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", f"-isystem{MOCKS}"]
FIELDS = {
    "q": "position",
    "qa": "position",
    "q0": "position",
    "qd": "velocity",
    "qda": "velocity",
    "tau": "effort",
}


def bound(name: str) -> symoro.Robot:
    """Return a robot with a number for each symbol."""
    robot, rng = symoro.load(name), np.random.default_rng(3)
    nominal = dict(robot.nominal)
    return robot.bind({s: nominal.get(s, float(rng.uniform(0.2, 1.0))) for s in robot.symbols()})


def export(model: Model, folder: Path, **options: str) -> tuple[Path, str]:
    """Write the package, and return its folder and name."""
    source = folder / "the package"
    write_folder(source, model.export("ros2", **options))
    return source, next(path.name.removesuffix("_node.cpp") for path in source.glob("src/*_node.cpp"))


def compile_and_run(source: Path, text: str, *includes: str) -> str:
    (source / "driver.cpp").write_text(text)
    command(need("g++"), *FLAGS, *includes, "-Iinclude", "driver.cpp", "-o", "driver", cwd=source)
    return command(source / "driver")


def numbers(array: Array | list[float]) -> str:
    return "{" + ", ".join(f"{float(x):.17e}" for x in np.ravel(array)) + "}"


NODE = """\
#define main node_main
#include "src/{name}_node.cpp"
#undef main
#include <iostream>
#include <limits>
using Array = std_msgs::msg::Float64MultiArray;
using sensor_msgs::msg::JointState;
std::vector<std::vector<double>> published({outputs});
void show()
{{
    std::cout.precision(17);
    for (const auto& entries : published) {{
        std::cout << entries.size() << '\\n';
        for (double entry : entries) std::cout << entry << '\\n';
    }}
    published.assign({outputs}, {{}});
}}
void array(const std::string& topic, std::vector<double> data)
{{
    Array message;
    message.data = data;
    rclcpp::deliver("/{name}/" + topic, message);
}}
using Numbers = std::vector<double>;
void joints(std::vector<std::string> name, Numbers position, Numbers velocity, Numbers effort)
{{
    JointState message;
    message.name = name;
    message.position = position;
    message.velocity = velocity;
    message.effort = effort;
    rclcpp::deliver("/joint_states", message);
}}
int main()
{{
    auto node = std::make_shared<{name}::ModelNode>({options});
{subscriptions}
{body}
}}
"""


def node_driver(model: Model, name: str, body: list[str], options: str = "") -> str:
    lines = [
        f'    rclcpp::topics<Array>()["/{name}/{out}"].push_back('
        f"[](Array::SharedPtr message) {{ published[{k}] = message->data; }});"
        for k, out in enumerate(model.outputs)
    ]
    return NODE.format(
        name=name,
        outputs=len(model.outputs),
        options=options,
        subscriptions="\n".join(lines),
        body="\n".join(f"    {line}" for line in body),
    )


def joint_messages(model: Model, inputs: dict[str, Array], optional: bool) -> list[str]:
    """Return one message of JointState per joint, the last joint first, from inputs that are fields of it."""
    table: dict[str, dict[str, float]] = {}
    for port in model.program.inputs:
        field = FIELDS.get(port.name)
        if field is not None and (port.default is not None) == optional:
            for symbol, x in zip(port.symbols, np.ravel(inputs[port.name]), strict=True):
                variable = "q" + symbol.lstrip("qdtau").removeprefix("0_")
                table.setdefault(variable, {})[field] = float(x)
    lines = []
    for variable, fields in reversed(table.items()):
        entries = [
            f"{{{fields[key]!r}}}" if key in fields else "{}" for key in ("position", "velocity", "effort")
        ]
        lines.append(f"joints({{{json.dumps(model.program.joints[variable])}}}, {', '.join(entries)});")
    return lines


def evaluate(
    model: Model, inputs: dict[str, Array], folder: Path, scalar: str = "double"
) -> dict[str, Array]:
    """Return the outputs that the node publishes after it has received the inputs."""
    assert scalar == "double", "ROS messages contain numbers in double precision"
    source, name = export(model, folder)
    body = joint_messages(model, inputs, optional=True)
    body += [f'array("{key}", {numbers(x)});' for key, x in inputs.items() if key not in FIELDS]
    body += joint_messages(model, inputs, optional=False)
    shown = iter(compile_and_run(source, node_driver(model, name, [*body, "show();"])).split())
    outputs = {}
    for out in model.program.outputs:
        assert int(next(shown)) == size(out.shape), out.name
        outputs[out.name] = np.reshape([float(next(shown)) for _ in range(size(out.shape))], out.shape)
    return outputs


@pytest.mark.parametrize(
    ("robot", "model"),
    [
        ("panda", "inverse-dynamics"),
        ("rx90_floating", "direct-dynamics"),
        ("planar2r", "lagrange"),
        ("diffdrive", "inverse-dynamics"),
    ],
)
def test_node_publishes_the_outputs(tmp_path: Path, robot: str, model: str) -> None:
    generated, rng = symoro.generate(bound(robot), model), np.random.default_rng(2)
    inputs = {name: rng.uniform(-1, 1, shape) for name, shape in generated.inputs.items()}
    outputs = evaluate(generated, inputs, tmp_path)
    for name, expected in generated.function(compiled=False)(**inputs).items():
        np.testing.assert_allclose(outputs[name], expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_node_waits_for_inputs_and_takes_new_parameters(tmp_path: Path) -> None:
    robot = symoro.load("planar2r")
    values = {"D2": 0.4, "ZZ1": 0.6, "MX1": 0.9, "ZZ2": 0.2, "MX2": 0.3, "M2": 1.5, "G2": -9.81}
    model = symoro.generate(robot, "inverse-dynamics")
    source = tmp_path / "package"
    write_folder(source, model.export("ros2", values=values, name="Arm"))
    body = [
        'joints({"left", "other", "right"}, {0.1, 7, 0.2}, {0.3, 7}, {});',  # no velocity of the second joint
        "show();",
        'array("qdd", {0.5});',  # too short
        'array("qdd", {0.5, 0.6});',
        'joints({"right", "left"}, {0.2, 0.1}, {0.4, 0.3}, {});',
        "show();",
        'const auto accepted = node->set_parameters({rclcpp::Parameter("parameters.M2", 3.0)});',
        "const double infinity = std::numeric_limits<double>::infinity();",
        'const auto refused = node->set_parameters({rclcpp::Parameter("parameters.M2", infinity)});',
        'const std::vector<std::string> others = {"a", "b"};',
        'const auto fixed = node->set_parameters({rclcpp::Parameter("joint_names", others)});',
        'joints({"left", "right"}, {0.1, 0.2}, {0.3, 0.4}, {});',
        "show();",
        "std::cout << accepted.successful << ' ' << refused.successful << ' ' << fixed.successful << '\\n';",
        "for (const auto& text : rclcpp::logged()) std::cout << text << '\\n';",
    ]
    options = (
        'rclcpp::NodeOptions().parameter_overrides({rclcpp::Parameter("joint_names", '
        'std::vector<std::string>{"left", "right"})})'
    )
    shown = compile_and_run(source, node_driver(model, "arm", body, options)).splitlines()
    motion = {"q": [0.1, 0.2], "qd": [0.3, 0.4], "qdd": [0.5, 0.6]}
    before, after = (
        model.function({**values, "M2": mass}, compiled=False)(**motion)["tau"] for mass in (1.5, 3.0)
    )
    assert shown[0] == "0"
    np.testing.assert_allclose([float(x) for x in shown[2:4]], before, rtol=1e-12)
    np.testing.assert_allclose([float(x) for x in shown[5:7]], after, rtol=1e-12)
    assert shown[7] == "1 0 0"
    assert "entry 1 of the input qd was not received" in shown
    assert "qdd: 1 entries received, 2 expected" in shown


# -- CMake and ament


def test_package_without_ros(tmp_path: Path) -> None:
    need("cmake")
    source, name = export(symoro.generate(bound("ur5e"), "inverse-geometry"), tmp_path)
    shown = command("cmake", "-S", source, "-B", source / "build", "-DCMAKE_BUILD_TYPE=Debug")
    if shutil.which("ros2") is None:
        assert "rclcpp, sensor_msgs or std_msgs not found: the node is not built" in shown
        assert "the kinematics plugin is not built" in shown
    command("cmake", "--build", source / "build")
    assert "0 tests failed out of 2" in command("ctest", "--test-dir", source / "build")
    prefix = tmp_path / "prefix"
    command("cmake", "--install", source / "build", "--prefix", prefix)
    user = tmp_path / "user"
    user.mkdir()
    (user / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.16)\nproject(user LANGUAGES CXX)\nfind_package({name} REQUIRED)\n"
        f"add_executable(app main.cpp)\ntarget_link_libraries(app PRIVATE {name}::{name})\n"
    )
    (user / "main.cpp").write_text(
        f"#include <{name}/{name}_ports.hpp>\nint main() {{ symoro::{name}::ports::Model model; model.evaluate(); }}\n"
    )
    command("cmake", "-S", user, "-B", user / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    command("cmake", "--build", user / "build")


def test_package_with_ament(tmp_path: Path) -> None:
    """Check that ament_cmake accepts the package: it reads package.xml and installs the files of a ROS package."""
    need("cmake")
    python = "/usr/bin/python3"
    if not Path("/usr/share/ament_cmake").exists():
        pytest.skip("ament_cmake (Debian's ament-cmake) is not installed")
    if subprocess.run([python, "-c", "import ament_package"], capture_output=True).returncode:
        pytest.skip("the package ament_package of the system's Python is not installed")
    source, name = export(symoro.generate(bound("planar2r"), "energy"), tmp_path)
    command(
        "cmake",
        "-S",
        source,
        "-B",
        source / "build",
        f"-DPython3_EXECUTABLE={python}",
        "-DCMAKE_BUILD_TYPE=Debug",
    )
    command("cmake", "--build", source / "build")
    assert "0 tests failed out of 2" in command("ctest", "--test-dir", source / "build")
    prefix = tmp_path / "prefix"
    command("cmake", "--install", source / "build", "--prefix", prefix)
    share = prefix / "share" / name
    for path in ("package.xml", "local_setup.bash", f"cmake/{name}Config.cmake", f"config/{name}.yaml"):
        assert (share / path).exists(), path


# -- the kinematics plugin

PLUGIN = """\
#include "src/{name}_kinematics_plugin.cpp"
#include <iostream>
using moveit::core::JointModel;
int main()
{{
    moveit::core::RobotModel robot;
    robot.root = "base";
    robot.group_name = "arm";
    const auto add = [&](const char* name, const char* child, JointModel::JointType type, std::vector<double> bounds,
                         std::vector<double> entries, std::vector<double> axis) {{
        JointModel joint;
        joint.name = name;
        joint.child = child;
        joint.type = type;
        joint.bounds = {{{{}}}};
        if (!bounds.empty()) joint.bounds[0] = {{bounds[0], bounds[1], true}};
        joint.origin = Eigen::Isometry3d::Identity();
        for (int e = 0; e < 12; ++e) joint.origin(e / 4, e % 4) = entries[static_cast<std::size_t>(e)];
        joint.axis = Eigen::Vector3d(axis[0], axis[1], axis[2]);
        robot.joints.push_back(joint);
    }};
{joints}
    for (auto joint = robot.joints.rbegin(); joint != robot.joints.rend(); ++joint) // another order than the model's
        if (joint->type != JointModel::FIXED) robot.group.active.push_back(&*joint);
    auto plugin = create_plugin();
    geometry_msgs::msg::Pose pose;
    std::vector<double> seed = {seed}, solution;
    moveit_msgs::msg::MoveItErrorCodes code;
    const bool early = plugin->getPositionIK(pose, seed, solution, code);
    const bool ready = plugin->initialize(nullptr, robot, "arm", "{base}", {{"{tip}"}}, 0.1);
    std::cout.precision(17);
    std::cout << early << ' ' << ready << '\\n';
    for (const auto& text : rclcpp::logged()) std::cout << "log: " << text << '\\n';
    if (!ready) return 0;
    pose.position.x = {pose}[0];
    pose.position.y = {pose}[1];
    pose.position.z = {pose}[2];
    pose.orientation.w = {pose}[3];
    pose.orientation.x = {pose}[4];
    pose.orientation.y = {pose}[5];
    pose.orientation.z = {pose}[6];
    std::vector<std::vector<double>> all;
    kinematics::KinematicsResult result;
    const std::vector<geometry_msgs::msg::Pose> wanted = {{pose}};
    std::cout << plugin->getPositionIK(wanted, seed, all, result, {{}}) << ' ' << all.size() << '\\n';
    const auto show = [](const std::vector<double>& q) {{
        for (double x : q) std::cout << x << ' ';
        std::cout << '\\n';
    }};
    for (const auto& q : all) show(q);
    std::cout << plugin->getPositionIK(pose, seed, solution, code) << ' ' << code.val << '\\n';
    show(solution);
    int calls = 0;
    using Answer = moveit_msgs::msg::MoveItErrorCodes;
    const auto second = [&](const geometry_msgs::msg::Pose&, const std::vector<double>&, Answer& answer) {{
        answer.val = ++calls == 2 ? Answer::SUCCESS : Answer::FAILURE;
    }};
    std::cout << plugin->searchPositionIK(pose, seed, 0.1, solution, second, code) << ' ' << code.val << '\\n';
    show(solution);
    const std::vector<double> narrow(seed.size(), 1e-6);
    std::cout << plugin->searchPositionIK(pose, seed, 0.1, narrow, solution, code) << ' ' << code.val << ' ';
    std::cout << solution.size() << '\\n';
    std::vector<geometry_msgs::msg::Pose> poses;
    std::cout << plugin->getPositionFK({{"{tip}"}}, all.at(0), poses) << '\\n';
    const auto& p = poses.at(0);
    show({{p.position.x, p.position.y, p.position.z}});
    show({{p.orientation.w, p.orientation.x, p.orientation.y, p.orientation.z}});
    pose.position.x += 100;
    std::cout << plugin->getPositionIK(pose, seed, solution, code) << ' ' << code.val << '\\n';
}}
"""


def matrix(xyz: str, rpy: str) -> Array:
    """Return the homogeneous transform of an `origin` of a URDF."""
    r, p, y = (float(x) for x in rpy.split())
    cr, sr, cp, sp, cy, sy = np.cos(r), np.sin(r), np.cos(p), np.sin(p), np.cos(y), np.sin(y)
    T = np.eye(4)
    T[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    T[:3, 3] = [float(x) for x in xyz.split()]
    return T


def rotation(axis: Array, angle: float) -> Array:
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def chain(robot: symoro.Robot) -> list[dict[str, Any]]:
    """Return the joints of the URDF of a robot, and a last fixed link that is placed and rotated on the last one."""
    root = ElementTree.fromstring(dumps(robot, "urdf"))
    joints = []
    for joint in root.iter("joint"):
        origin, limit, axis = joint.find("origin"), joint.find("limit"), joint.find("axis")
        joints.append(
            {
                "name": joint.get("name"),
                "child": joint.find("child").get("link"),
                "type": {"continuous": "revolute"}.get(joint.get("type"), joint.get("type")),
                "bounds": [float(limit.get(key)) for key in ("lower", "upper")]
                if joint.get("type") in ("revolute", "prismatic")
                else [],
                "origin": matrix(origin.get("xyz", "0 0 0"), origin.get("rpy", "0 0 0")),
                "axis": np.array([float(x) for x in axis.get("xyz").split()])
                if axis is not None
                else np.zeros(3),
            }
        )
    joints.append(
        {
            "name": "mount",
            "child": "sensor",
            "type": "fixed",
            "bounds": [],
            "origin": matrix("0.1 0.02 0.2", "0.3 -0.4 0.5"),
            "axis": np.zeros(3),
        }
    )
    return joints


def pose_of(joints: list[dict[str, Any]], q: dict[str, float]) -> Array:
    T = np.eye(4)
    for joint in joints:
        move = np.eye(4)
        if joint["type"] == "revolute":
            move[:3, :3] = rotation(joint["axis"], q[joint["name"]])
        elif joint["type"] == "prismatic":
            move[:3, 3] = joint["axis"] * q[joint["name"]]
        T = T @ joint["origin"] @ move
    return T


def quaternion(R: Array) -> Array:
    w = np.sqrt(1 + np.trace(R)) / 2
    return np.array([w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w))])


def run_plugin(
    folder: Path, robot: symoro.Robot, joints: list[dict[str, Any]], q: list[float], seed: list[float]
) -> list[str]:
    if not EIGEN.exists():
        pytest.skip("Eigen (libeigen3-dev) is not installed")
    source, name = export(symoro.generate(robot, "inverse-geometry"), folder)
    moving = [joint["name"] for joint in joints if joint["type"] != "fixed"]
    T = pose_of(joints, dict(zip(moving, q, strict=True)))
    added = [
        f'    add("{joint["name"]}", "{joint["child"]}", JointModel::{joint["type"].upper()}, '
        f"{numbers(joint['bounds'])}, {numbers(joint['origin'][:3])}, {numbers(joint['axis'])});"
        for joint in joints
    ]
    pose = f"std::vector<double>{numbers([*T[:3, 3], *quaternion(T[:3, :3])])}"
    text = PLUGIN.format(
        name=name, joints="\n".join(added), seed=numbers(seed), pose=pose, base="base", tip="sensor"
    )
    return compile_and_run(source, text, f"-isystem{EIGEN}").splitlines()


def test_plugin_returns_all_solutions_inside_the_limits(tmp_path: Path) -> None:
    """Check UR5e, whose joints turn twice; the tip is a link that the model does not know."""
    robot = bound("ur5e")
    joints = chain(robot)
    q = [0.4, -1.1, 1.3, -0.7, 0.9, 0.3]
    seed = [x + 0.05 for x in q]
    seed[5] += 2 * np.pi  # the solution one turn further is nearer
    for joint in joints[:6]:
        joint["bounds"] = [-2 * np.pi, 2 * np.pi]
    joints[5]["bounds"] = [-7.0, 7.0]
    shown = run_plugin(tmp_path, robot, joints, q, seed)
    assert shown[0] == "0 1", shown
    assert shown[1] == "log: the plugin is not initialized"
    found, count = map(int, shown[2].split())
    solutions = np.array([[float(x) for x in line.split()] for line in shown[3 : 3 + count]])
    assert found == 1 and count == 8
    names = [joint["name"] for joint in joints[:6]]
    wanted = pose_of(joints, dict(zip(names, q, strict=True)))
    for solution in solutions:
        np.testing.assert_allclose(
            pose_of(joints, dict(zip(names, solution, strict=True))), wanted, atol=1e-9
        )
        assert all(
            joint["bounds"][0] <= x <= joint["bounds"][1]
            for joint, x in zip(joints[:6], solution, strict=True)
        )
    np.testing.assert_allclose(solutions[0], [*q[:5], q[5] + 2 * np.pi], atol=1e-9)
    distances = np.linalg.norm(solutions - seed, axis=1)
    assert np.all(np.diff(distances) >= 0)
    rest = shown[3 + count :]
    assert rest[0] == "1 1" and rest[2] == "1 1" and rest[4] == "0 -31 0"
    np.testing.assert_allclose([float(x) for x in rest[1].split()], solutions[0])
    np.testing.assert_allclose([float(x) for x in rest[3].split()], solutions[1])
    position, turn = (np.array([float(x) for x in line.split()]) for line in rest[6:8])
    np.testing.assert_allclose(position, wanted[:3, 3], atol=1e-9)
    np.testing.assert_allclose(np.abs(turn @ quaternion(wanted[:3, :3])), 1, atol=1e-9)
    assert rest[8] == "0 -31"  # out of reach


def test_plugin_keeps_the_limits(tmp_path: Path) -> None:
    """Check that narrow limits leave one solution of an arm with a prismatic joint."""
    robot = bound("scara")
    joints = chain(robot)
    moving = [joint for joint in joints if joint["type"] != "fixed"]
    for number, joint in enumerate(
        moving, 1
    ):  # the description has no names, so that the model uses its symbols
        joint["name"] = f"q{number}"
    q = [0.4, 0.8, 0.15, -0.7]
    for joint, x in zip(moving, q, strict=True):
        joint["bounds"] = [x - 0.5, x + 0.5]
    shown = run_plugin(tmp_path, robot, joints, q, [0.0] * 4)
    assert shown[0] == "0 1", shown
    assert shown[2] == "1 1"
    np.testing.assert_allclose([float(x) for x in shown[3].split()], q, atol=1e-9)


def test_plugin_rejects_another_robot(tmp_path: Path) -> None:
    robot = bound("ur5e")
    joints = chain(robot)
    joints[2]["origin"][0, 3] *= 1.001
    shown = run_plugin(tmp_path, robot, joints, [0.1] * 6, [0.0] * 6)
    assert shown[0] == "0 0" and any("differs from that of the robot model" in line for line in shown)


def test_package_names() -> None:
    assert [package_name(x) for x in ("Panda_ID", "_x__Y_", "a", "Class", "_1")] == [
        "panda_id",
        "x_y",
        "a_model",
        "class_2",
        "model_1",
    ]
