// The C that Pinocchio and CasADi generate: Pinocchio's algorithms run on CasADi's expressions.
//     casadi ROWS FILE.c        ROWS: a file of joints, a row each, as in robot.hpp
#include <pinocchio/autodiff/casadi.hpp>

#include <cmath>
#include <fstream>
#include <iostream>
#include <vector>

#include "robot.hpp"
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

using casadi::SX;
using Vector = Eigen::Matrix<SX, Eigen::Dynamic, 1>;

static void snap(pinocchio::Model &model) // entries of rotations that should be 0, 1 or -1 become so
{
    for (auto &place : model.jointPlacements)
        for (int e = 0; e < 9; ++e) {
            double &x = place.rotation().data()[e];
            if (std::fabs(x - std::round(x)) < 1e-9) x = std::round(x);
        }
}

static Vector symbols(const SX &names)
{
    Vector result(names.size1());
    for (casadi_int i = 0; i < names.size1(); ++i) result[i] = names(i);
    return result;
}

static SX column(const Vector &x)
{
    SX result(x.size(), 1);
    for (casadi_int i = 0; i < x.size(); ++i) result(i) = x[i];
    return result;
}

template<class Matrix>
static SX upper(const Matrix &m)
{
    SX result(m.rows(), m.cols());
    for (casadi_int i = 0; i < m.rows(); ++i)
        for (casadi_int j = i; j < m.cols(); ++j)
            if (!m(i, j).is_zero()) result(i, j) = m(i, j);
    return result;
}

int main(int, char **arguments)
{
    std::vector<double> rows;
    std::ifstream file(arguments[1]);
    for (double x; file >> x;) rows.push_back(x);
    pinocchio::Model numbers = model_of(int(rows.size()) / ROW, rows.data());
    snap(numbers);
    const auto model = numbers.cast<SX>();
    const SX q = SX::sym("q", model.nq), v = SX::sym("v", model.nv), x = SX::sym("x", model.nv);
    const Vector Q = symbols(q), V = symbols(v), X = symbols(x);
    casadi::CodeGenerator generator(arguments[2]);

    pinocchio::DataTpl<SX> data(model);
    pinocchio::rnea(model, data, Q, V, X);
    generator.add(casadi::Function("inverse", {q, v, x}, {column(data.tau)}));

    for (auto convention : {pinocchio::Convention::LOCAL, pinocchio::Convention::WORLD}) {
        const std::string name = convention == pinocchio::Convention::LOCAL ? "_local" : "_world";
        pinocchio::DataTpl<SX> fresh(model);
        pinocchio::crba(model, fresh, Q, convention);
        generator.add(casadi::Function("inertia" + name, {q, v, x}, {upper(fresh.M)}));
        pinocchio::DataTpl<SX> again(model);
        pinocchio::aba(model, again, Q, V, X, convention);
        generator.add(casadi::Function("direct" + name, {q, v, x}, {column(again.ddq)}));
    }
    generator.generate();
    return 0;
}
