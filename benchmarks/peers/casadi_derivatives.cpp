// The C that Pinocchio and CasADi generate for derivatives of the dynamics, common subexpressions eliminated:
// Pinocchio's analytical derivatives run on CasADi's expressions, and CasADi's Jacobians of Pinocchio's rnea and aba.
//     casadi_derivatives ROWS FILE.c        ROWS: a file of joints, a row each, as in robot.hpp
#include <pinocchio/autodiff/casadi.hpp>

#include <cmath>
#include <fstream>
#include <vector>

#include "robot.hpp"
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

using casadi::SX;
using casadi::SXVector;
using Vector = Eigen::Matrix<SX, Eigen::Dynamic, 1>;
using Matrix = Eigen::Matrix<SX, Eigen::Dynamic, Eigen::Dynamic>;

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

template<class Square>
static SX sparse(const Square &m, bool upper)
{
    SX result(m.rows(), m.cols());
    for (casadi_int i = 0; i < m.rows(); ++i)
        for (casadi_int j = upper ? i : 0; j < m.cols(); ++j)
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
    const casadi_int n = model.nv;
    const SX q = SX::sym("q", model.nq), v = SX::sym("v", n), x = SX::sym("x", n);
    const Vector Q = symbols(q), V = symbols(v), X = symbols(x);
    casadi::CodeGenerator generator(arguments[2]);
    auto add = [&](const char *name, const SXVector &made) {
        generator.add(casadi::Function(name, {q, v, x}, SX::cse(made)));
    };

    pinocchio::DataTpl<SX> inverse(model), direct(model);
    pinocchio::computeRNEADerivatives(model, inverse, Q, V, X);
    add("inverse_analytical",
        {sparse(inverse.dtau_dq, false), sparse(inverse.dtau_dv, false), sparse(inverse.M, true)});
    pinocchio::computeABADerivatives(model, direct, Q, V, X);
    add("direct_analytical",
        {sparse(direct.ddq_dq, false), sparse(direct.ddq_dv, false), sparse(direct.Minv, true)});

    if (model.nq == n) { // a free base has no Jacobian with respect to the entries of its quaternion
        pinocchio::DataTpl<SX> torques(model), accelerations(model);
        const SX tau = column(pinocchio::rnea(model, torques, Q, V, X));
        add("inverse_jacobian", {jacobian(tau, q), jacobian(tau, v), triu(jacobian(tau, x))});
        const SX qdd = column(pinocchio::aba(model, accelerations, Q, V, X, pinocchio::Convention::LOCAL));
        add("direct_jacobian", {jacobian(qdd, q), jacobian(qdd, v), triu(jacobian(qdd, x))});
    }
    generator.generate();
    return 0;
}
