// Pinocchio's analytical derivatives behind the timer's signature; the matrices stay in Pinocchio's data.
#include <memory>

#include "robot.hpp"
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>

using Vector = Eigen::Map<const Eigen::VectorXd>;
using Matrix = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

static std::unique_ptr<pinocchio::Model> model;
static std::unique_ptr<pinocchio::Data> data;

template<class Square>
static void write(const Square &m, bool upper, double *y)
{
    Matrix to(y, model->nv, model->nv);
    to = m;
    if (upper) to.triangularView<Eigen::StrictlyLower>() = to.transpose();
}

extern "C" {

void setup(int joints, const double *rows)
{
    model = std::make_unique<pinocchio::Model>(model_of(joints, rows));
    data = std::make_unique<pinocchio::Data>(*model);
}

void inverse(const double *q, const double *v, const double *x, double *y)
{
    const int n = model->nv;
    pinocchio::computeRNEADerivatives(*model, *data, Vector(q, model->nq), Vector(v, n), Vector(x, n));
    *y = data->dtau_dq(0, 0);
}

void direct(const double *q, const double *v, const double *x, double *y)
{
    const int n = model->nv;
    pinocchio::computeABADerivatives(*model, *data, Vector(q, model->nq), Vector(v, n), Vector(x, n));
    *y = data->ddq_dq(0, 0);
}

void inverse_matrices(double *y) // of the last call: by positions, velocities, accelerations
{
    const int size = model->nv * model->nv;
    write(data->dtau_dq, false, y);
    write(data->dtau_dv, false, y + size);
    write(data->M, true, y + 2 * size);
}

void direct_matrices(double *y) // of the last call: by positions, velocities, torques
{
    const int size = model->nv * model->nv;
    write(data->ddq_dq, false, y);
    write(data->ddq_dv, false, y + size);
    write(data->Minv, true, y + 2 * size);
}

}
