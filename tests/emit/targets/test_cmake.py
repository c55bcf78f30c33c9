"""Files of the CMake package: origin, names, types of Eigen matrices, wrong options. tests/bridges builds them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import symoro
from symoro.emit.project import project
from symoro.emit.targets.eigen import LARGEST_FIXED, eigen_header
from symoro.errors import OptionError
from symoro.files import is_ours, write_folder
from symoro.program.builder import Builder
from symoro.program.program import Program

HOSTILE = '../../x*/ #include "y" \\\n${ENV{HOME}} @NAME@ <a> & --> ü'


def shapes(largest: int = 1) -> Program:
    """Return a program with ports of every kind of shape, and one of 2 x `largest` entries."""
    b = Builder("shapes")
    (x,) = b.input("x", (), ["x1"])
    for name, shape in (("row", (1, 3)), ("column", (3, 1)), ("matrix", (2, 3)), ("none", (0,))):
        b.input(name, shape)
    b.output("y", x + 1)
    b.output("cube", [[[x] * 4] * 3] * 2)
    b.output("large", [[x] * largest] * 2)
    return b.program()


def test_types_of_eigen_matrices_follow_from_the_shapes() -> None:
    text = eigen_header(shapes(LARGEST_FIXED), "shapes", "float")
    for line in (
        "using Scalar = float;",
        "using row_type = Eigen::Matrix<Scalar, 1, 3, Eigen::RowMajor>;",
        "using column_type = Eigen::Matrix<Scalar, 3, 1, Eigen::ColMajor>;",
        "using matrix_type = Eigen::Matrix<Scalar, 2, 3, Eigen::RowMajor>;",
        "using none_type = Eigen::Matrix<Scalar, 0, 1, Eigen::ColMajor>;",
        "using cube_type = Eigen::Matrix<Scalar, 6, 4, Eigen::RowMajor>;",
        f"using large_type = Eigen::Matrix<Scalar, Eigen::Dynamic, {LARGEST_FIXED}, Eigen::RowMajor>;",
        "const Eigen::Ref<const matrix_type, 0, Eigen::OuterStride<3>>& matrix",
        "eigen_assert(large.rows() == 2);",
    ):
        assert line in text


def test_every_file_can_be_overwritten_by_the_next_export(tmp_path: Path) -> None:
    model = symoro.generate("planar2r", "inverse-dynamics")
    for path in write_folder(tmp_path, model.export("cmake")):
        assert is_ours(path), path
    write_folder(tmp_path, model.export("cmake"))


def test_names_of_robots_and_joints_cannot_leave_the_folder_or_a_comment() -> None:
    robot = symoro.load("planar2r")
    joints = tuple(replace(frame, name=HOSTILE) for frame in robot.frames[:1]) + robot.frames[1:]
    model = symoro.generate(replace(robot, name=HOSTILE, frames=joints), "energy")
    for files in (model.export("cmake"), model.export("cmake", name=HOSTILE)):
        assert all(".." not in path and "/" not in path.strip("/").partition("/")[2] for path in files)
        for path, text in files.items():
            if path.endswith((".txt", ".cmake", ".h", ".hpp", ".c", ".cpp")):
                assert "${ENV" not in str(text).partition("\n#")[2], path
                assert "x*/" not in str(text) and "@NAME@" not in str(text).partition("\n#")[2], path


def test_wrong_options() -> None:
    model = symoro.generate("planar2r", "energy")
    with pytest.raises(OptionError, match="scalar = 'half'"):
        model.export("cmake", scalar="half")
    with pytest.raises(OptionError, match="no option 'step'"):
        model.export("cmake", step=1)


def test_name_is_valid_in_c_and_cpp() -> None:
    files = project(shapes(), ["cmake"], name="class")
    assert {"class_2Config.cmake", "class_2/class_2.h", "class_2/class_2.hpp"} <= set(files)
    assert "find_package(class_2)" in str(files["README.md"])
