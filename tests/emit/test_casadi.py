"""Check that the C++ header accepts `casadi::SX` as scalar type: values and derivatives by CasADi.

CasADi is an optional package (its wheel has 93 MB), so the test is skipped if it is not installed.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import symoro
from tests.emit.run import command, need, put

MAIN = """\
#include <casadi/casadi.hpp>
#include <iostream>
#include <vector>
#include "model.hpp"

using casadi::SX;
namespace model = symoro::model;

int main()
{
    const SX q = SX::sym("q", model::SIZE_q), qd = SX::sym("qd", model::SIZE_qd);
    const SX qdd = SX::sym("qdd", model::SIZE_qdd);
    const std::vector<SX> p = {SX(-9.81)};
    const auto entries = [](const SX &x) {
        std::vector<SX> list;
        for (casadi_int i = 0; i < x.numel(); ++i) list.push_back(x(i));
        return list;
    };
    std::vector<SX> k(model::CONSTANTS), tau(model::SIZE_tau);
    model::setup<SX>(p.data(), k.data());
    const auto q_ = entries(q), qd_ = entries(qd), qdd_ = entries(qdd);
    model::call<SX>(q_.data(), qd_.data(), qdd_.data(), k.data(), tau.data());
    const SX torques = SX::vertcat(tau);
    const casadi::Function f("f", {q, qd, qdd}, {torques, SX::jacobian(torques, qdd)});
    std::vector<double> x, v, a;
    for (casadi_int i = 0; i < q.numel(); ++i) {
        x.push_back(0.1 * static_cast<double>(i + 1));
        v.push_back(-0.2 * static_cast<double>(i + 1));
        a.push_back(0.3 * static_cast<double>(i + 1));
    }
    const auto out = f(std::vector<casadi::DM>{x, v, a});
    std::cout.precision(17);
    for (const auto &m : out) {
        const std::vector<double> numbers = casadi::DM::densify(m).nonzeros();
        for (double number : numbers) std::cout << number << '\\n';
    }
}
"""


def test_casadi_sx_is_a_scalar_type(tmp_path: Path) -> None:
    spec = importlib.util.find_spec("casadi")
    if spec is None or spec.origin is None:
        pytest.skip("casadi is not installed")
    folder = Path(spec.origin).parent
    model = symoro.generate("ur5e", "inverse-dynamics")
    assert list(model.parameters) == ["G3"]
    (header,) = model.code("cpp", name="model").values()
    put(tmp_path, {"model.hpp": header, "main.cpp": MAIN})
    command(
        *(need("g++"), "-std=c++17", "-O0", f"-isystem{folder / 'include'}", "main.cpp", "-o", "main"),
        *(f"-L{folder}", "-lcasadi", f"-Wl,-rpath,{folder}"),
        cwd=tmp_path,
    )
    numbers = np.array(command(tmp_path / "main").split(), dtype=float)
    index = np.arange(1, 7)
    motion = {"q": 0.1 * index, "qd": -0.2 * index, "qdd": 0.3 * index}
    tau = model.function(compiled=False)(**motion)["tau"]
    inertia = symoro.generate("ur5e", "inertia-matrix").function(compiled=False)(q=motion["q"])["A"]
    np.testing.assert_allclose(numbers[:6], tau, rtol=1e-12)
    np.testing.assert_allclose(numbers[6:].reshape(6, 6), inertia, rtol=1e-12, atol=1e-13)
