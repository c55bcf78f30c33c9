// Pinocchio with closed loops behind the timer's signature: a tree, perhaps a free platform, points held together.
#include <memory>
#include <vector>

#include "robot.hpp"
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/constraints.hpp>

using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Vector = Map<const VectorXd>;
using namespace pinocchio;

static std::unique_ptr<Model> model;
static std::unique_ptr<Data> data;
static PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(RigidConstraintModel) held;
static PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(RigidConstraintData) held_data;
static std::vector<int> active;
static int used; // rows of each held point: 3, or 2 in the plane
static MatrixXd jacobian, system_;
static VectorXd torques;

extern "C" {

// platform: mass, centre of mass, inertia about it (xx xy xz yy yz zz), or null; points: joint, p, joint, p
void setup(int joints, const double *rows, const double *platform, int points, const double *point, int motors,
           const int *motor, int rows_used)
{
    model = std::make_unique<Model>(model_of(joints, rows));
    if (platform) {
        const double *i = platform + 4;
        Eigen::Matrix3d inertia;
        inertia << i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5];
        const auto id = model->addJoint(0, JointModelFreeFlyer(), SE3::Identity(), "platform");
        const Vector3d centre(platform[1], platform[2], platform[3]);
        model->appendBodyToJoint(id, Inertia(platform[0], centre, inertia), SE3::Identity());
    }
    data = std::make_unique<Data>(*model);
    held.clear();
    held_data.clear();
    for (int k = 0; k < points; ++k) {
        const double *p = point + 8 * k;
        const SE3 one(Eigen::Matrix3d::Identity(), Vector3d(p[1], p[2], p[3]));
        const SE3 other(Eigen::Matrix3d::Identity(), Vector3d(p[5], p[6], p[7]));
        held.emplace_back(CONTACT_3D, *model, JointIndex(p[0]), one, JointIndex(p[4]), other, LOCAL);
        held_data.emplace_back(held.back());
    }
    active.assign(motor, motor + motors);
    used = rows_used;
    initConstraintDynamics(*model, *data, held, held_data);
    jacobian.resize(3 * points, model->nv);
    system_.resize(model->nv, model->nv);
    torques.resize(model->nv);
}

void inverse(const double *q, const double *v, const double *a, double *y)
{
    const int n = model->nv, motors = int(active.size());
    const Vector at(q, model->nq);
    torques = rnea(*model, *data, at, Vector(v, n), Vector(a, n));
    computeJointJacobians(*model, *data, at);
    for (size_t k = 0; k < held.size(); ++k) { // constraintDynamics places them itself, the Jacobian does not
        auto &result = held_data[k];
        result.oMc1 = data->oMi[held[k].joint1_id] * held[k].joint1_placement;
        result.oMc2 = data->oMi[held[k].joint2_id] * held[k].joint2_placement;
        result.c1Mc2 = result.oMc1.actInv(result.oMc2);
    }
    jacobian.setZero();
    getConstraintsJacobian(*model, *data, held, held_data, jacobian);
    system_.setZero();
    for (int k = 0; k < motors; ++k) system_(active[k], k) = 1;
    for (size_t k = 0; k < held.size(); ++k)
        system_.middleCols(motors + used * k, used) = jacobian.middleRows(3 * k, used).transpose();
    Map<VectorXd>(y, motors) = system_.partialPivLu().solve(torques).head(motors);
}

void direct(const double *q, const double *v, const double *tau, double *y)
{
    const int n = model->nv;
    torques.setZero();
    for (size_t k = 0; k < active.size(); ++k) torques[active[k]] = tau[k];
    ProximalSettings settings(1e-12, 0., 1);
    Map<VectorXd>(y, n) = constraintDynamics(*model, *data, Vector(q, model->nq), Vector(v, n), torques, held,
                                             held_data, settings);
}

}
