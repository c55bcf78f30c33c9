// Pinocchio's rnea, crba and aba behind the timer's signature. LOCAL and WORLD are Pinocchio's two conventions.
#include <memory>

#include "robot.hpp"
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

using Eigen::Map;
using Eigen::VectorXd;
using pinocchio::Convention;
using Vector = Map<const VectorXd>;

static std::unique_ptr<pinocchio::Model> model;
static std::unique_ptr<pinocchio::Data> data;

template<Convention convention>
static void crba(const double *q, double *y)
{
    pinocchio::crba(*model, *data, Vector(q, model->nq), convention); // fills the upper triangle, and stays there
    *y = data->M(0, 0);
}

template<Convention convention>
static void aba(const double *q, const double *v, const double *x, double *y)
{
    const int n = model->nv;
    Map<VectorXd>(y, n) = pinocchio::aba(*model, *data, Vector(q, model->nq), Vector(v, n), Vector(x, n), convention);
}

extern "C" {

void setup(int joints, const double *rows)
{
    model = std::make_unique<pinocchio::Model>(model_of(joints, rows));
    data = std::make_unique<pinocchio::Data>(*model);
}

void matrix(double *y) // the matrix of the last crba, by rows
{
    const int n = model->nv;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) y[i * n + j] = data->M(std::min(i, j), std::max(i, j));
}

void inverse(const double *q, const double *v, const double *x, double *y)
{
    const int n = model->nv;
    Map<VectorXd>(y, n) = pinocchio::rnea(*model, *data, Vector(q, model->nq), Vector(v, n), Vector(x, n));
}

void inertia_local(const double *q, const double *, const double *, double *y) { crba<Convention::LOCAL>(q, y); }
void inertia_world(const double *q, const double *, const double *, double *y) { crba<Convention::WORLD>(q, y); }

void direct_local(const double *q, const double *v, const double *x, double *y)
{
    aba<Convention::LOCAL>(q, v, x, y);
}

void direct_world(const double *q, const double *v, const double *x, double *y)
{
    aba<Convention::WORLD>(q, v, x, y);
}

}
